/* Dense mixed complementarity problems: last mode first, block pivots, then Lemke (lcp_lemke.c). See carom/lcp.h. */
#include "carom/lcp.h"

#define SIGN_TOL 1e-12   /* a sign is wrong only beyond this, relative to the row's own terms */
#define ACCEPT_TOL 1e-9  /* of the natural residual, relative to b */
#define PIVOT_SAFE 1e-8  /* relative pivot above which no search for a better one is made */
#define PIVOT_NULL 1e-13 /* relative pivot below which a row depends on those before it */

typedef struct {
    int ne, n, ld;
    const double *M, *b;
    /* vectors [n] in the caller's work space */
    double *m;              /* unit of each row: w_i ~ m_i z_i */
    double *w;              /* M z + b of the last look */
    double *size;           /* |b_i| + sum |M_ij z_j|: rounding in w_i is relative to this */
    double *x, *unit;       /* of eliminations */
    double *q, *zu, *exact; /* of Lemke: without the bilateral rows; what his basis gives */
    double *work;           /* the rest of it: of elimination, of Lemke, of what is left for him */
    double accept;          /* ACCEPT_TOL max |b_j| / sqrt(m_j); -1 until first needed */
} problem;

typedef unsigned char place; /* of a row, below CAROM_LCP_MAX */

/* w = M z + b and the size of its terms. */
static void look(problem *p, const double *z)
{
    for (int i = 0; i < p->n; i++) {
        const double *row = p->M + i * p->ld;
        double w = p->b[i];
        double size = fabs(w);
        for (int j = 0; j < p->n; j++) {
            const double term = row[j] * z[j];
            w += term;
            size += fabs(term);
        }
        p->w[i] = w;
        p->size[i] = size;
    }
}

/* Size of w_i including what rounding in the other rows does to it through their z. */
static double coupled_size(const problem *p, int i)
{
    const double *row = p->M + i * p->ld;
    double size = p->size[i];
    for (int j = 0; j < p->n; j++) {
        size += fabs(row[j]) / p->m[j] * p->size[j];
    }
    return size;
}

/* Natural residual of the last look at z; true when every row is within tolerance. */
static int accepted(problem *p, const double *z, carom_info *info)
{
    const double rounding = 4.0 * DBL_EPSILON * (double)(p->n + 2);
    double worst = 0.0, worst_relative = -1.0;
    int good = 1;
    info->contact = -1;
    for (int i = 0; i < p->n; i++) {
        const double residual = (i < p->ne) ? fabs(p->w[i]) : fabs(carom_smaller(p->w[i], p->m[i] * z[i]));
        worst = carom_larger(worst, residual);
        if (!(residual <= carom_smaller(rounding * p->size[i], ACCEPT_TOL * fabs(p->b[i])))) {
            if (p->accept < 0.0) {
                double largest = 0.0;
                for (int j = 0; j < p->n; j++) {
                    largest = carom_larger(largest, fabs(p->b[j]) / sqrt(p->m[j]));
                }
                p->accept = ACCEPT_TOL * largest;
            }
            const double bound = p->accept * sqrt(p->m[i]);
            if (!(residual <= bound) &&
                !(residual <= carom_smaller(4.0 * rounding * coupled_size(p, i), 1e3 * bound))) {
                const double relative = (bound > 0.0) ? residual / bound : DBL_MAX;
                good = 0;
                if (!(relative <= worst_relative)) {
                    worst_relative = relative;
                    info->contact = i;
                }
            }
        }
    }
    info->residual = good ? worst
                          : ((info->contact < p->ne)
                                 ? fabs(p->w[info->contact])
                                 : fabs(carom_smaller(p->w[info->contact], p->m[info->contact] * z[info->contact])));
    return good;
}

/* Gauss elimination in the given order; 0 when a pivot is too small for that. a is na x na, x holds minus the rhs. */
static int eliminate_in_order(int na, const place *active, const problem *p, const double *rhs, double *z)
{
    double *const a = p->work, *const x = p->x;
    for (int i = 0; i < na; i++) {
        const double *row = p->M + active[i] * p->ld;
        for (int j = 0; j < na; j++) {
            a[i * na + j] = row[active[j]];
        }
        x[i] = -rhs[active[i]];
    }
    for (int k = 0; k < na; k++) {
        double *const pivot = a + k * na;
        if (!(pivot[k] > PIVOT_SAFE * p->m[active[k]])) {
            return 0;
        }
        const double inverse = 1.0 / pivot[k];
        for (int i = k + 1; i < na; i++) {
            double *const row = a + i * na;
            const double l = row[k] * inverse;
            for (int j = k + 1; j < na; j++) {
                row[j] -= l * pivot[j];
            }
            x[i] -= l * x[k];
        }
        pivot[k] = inverse;
    }
    for (int k = na - 1; k >= 0; k--) {
        double sum = x[k];
        for (int j = k + 1; j < na; j++) {
            sum -= a[k * na + j] * x[j];
        }
        x[k] = sum * a[k * na + k];
        z[active[k]] = x[k];
    }
    return 1;
}

/*
 * The same for difficult matrices: largest relative diagonal first, then any entry, and what is left when all entries
 * are rounding depends on the rows before it: z = 0 there. a is n x (n+1), the last column minus the right-hand side,
 * unit[] the row units; `wanted` rows come first and only they are pivots. Returns the rank; row[], col[] the pivots.
 */
static int eliminate_by_size(int n, int wanted, double *a, const double *unit, place *row, place *col)
{
    const int ld = n + 1;
    int rank = 0;
    for (int i = 0; i < n; i++) {
        row[i] = (place)i;
        col[i] = (place)i;
    }
    for (int k = 0; k < wanted; k++) {
        double best = 0.0;
        int bi = -1, bj = -1;
        for (int i = k; i < wanted; i++) { /* diagonal entries; of nearly equal ones the first: no choice by rounding */
            for (int j = k; j < wanted; j++) {
                if (row[i] == col[j] && fabs(a[row[i] * ld + col[j]]) > 1.001 * best * unit[row[i]]) {
                    best = fabs(a[row[i] * ld + col[j]]) / unit[row[i]];
                    bi = i;
                    bj = j;
                }
            }
        }
        if (best < PIVOT_SAFE) {
            for (int i = k; i < wanted; i++) {
                for (int j = k; j < wanted; j++) {
                    const double relative = fabs(a[row[i] * ld + col[j]]) / sqrt(unit[row[i]] * unit[col[j]]);
                    if (relative > 4.0 * best) {
                        best = relative;
                        bi = i;
                        bj = j;
                    }
                }
            }
        }
        if (best <= PIVOT_NULL * (double)n) {
            break;
        }
        const place ri = row[bi], cj = col[bj];
        row[bi] = row[k];
        row[k] = ri;
        col[bj] = col[k];
        col[k] = cj;
        for (int i = k + 1; i < n; i++) {
            const double l = a[row[i] * ld + cj] / a[ri * ld + cj];
            if (l != 0.0) {
                for (int j = k + 1; j < n; j++) {
                    a[row[i] * ld + col[j]] -= l * a[ri * ld + col[j]];
                }
                a[row[i] * ld + n] -= l * a[ri * ld + n];
            }
        }
        rank++;
    }
    return rank;
}

/* Solves the rows of `active`, M z + rhs = 0, for their z; dependent rows get z = 0 and leave the basis. */
static void solve_active(const problem *p, int na, const place *active, const double *rhs, double *z,
                         unsigned char *basis)
{
    if (!eliminate_in_order(na, active, p, rhs, z)) {
        double *const a = p->work, *const unit = p->unit;
        const int ld = na + 1;
        place row[CAROM_LCP_MAX], col[CAROM_LCP_MAX];
        for (int i = 0; i < na; i++) {
            const double *from = p->M + active[i] * p->ld;
            for (int j = 0; j < na; j++) {
                a[i * ld + j] = from[active[j]];
            }
            a[i * ld + na] = -rhs[active[i]];
            unit[i] = p->m[active[i]];
            z[active[i]] = 0.0;
        }
        const int rank = eliminate_by_size(na, na, a, unit, row, col);
        for (int k = rank - 1; k >= 0; k--) {
            double sum = a[row[k] * ld + na];
            for (int j = k + 1; j < rank; j++) {
                sum -= a[row[k] * ld + col[j]] * z[active[col[j]]];
            }
            z[active[col[k]]] = sum / a[row[k] * ld + col[k]];
        }
        for (int k = rank; k < na; k++) {
            basis[active[col[k]]] = (unsigned char)(active[col[k]] < p->ne);
        }
    }
}

/* z of a basis; then z >= 0 exactly. Returns how many signs are wrong, and corrects the basis where they are. */
static int principal_solve(problem *p, double *z, unsigned char *basis)
{
    place active[CAROM_LCP_MAX];
    int na = 0, wrong = 0, clipped = 0;
    active[0] = 0; /* some compilers cannot see that na = 0 reads nothing */
    for (int i = 0; i < p->n; i++) {
        if (i < p->ne || basis[i]) {
            active[na] = (place)i;
            na++;
        }
        z[i] = 0.0;
    }
    solve_active(p, na, active, p->b, z, basis);
    look(p, z);
    for (int i = p->ne; i < p->n; i++) {
        const double value = basis[i] ? p->m[i] * z[i] : p->w[i];
        if (!(value >= 0.0)) {
            if (!(value >= -SIGN_TOL * coupled_size(p, i))) {
                basis[i] = (unsigned char)!basis[i];
                wrong++;
            } else if (basis[i]) {
                clipped = 1;
            }
        }
    }
    if (wrong == 0 && clipped) {
        for (int i = p->ne; i < p->n; i++) {
            z[i] = carom_larger(z[i], 0.0);
        }
        look(p, z);
    }
    return wrong;
}

/* z of the bilateral rows for given z of the others; w is then up to date. */
static void solve_bilateral(problem *p, double *z, unsigned char *basis)
{
    place rows[CAROM_LCP_MAX];
    for (int i = 0; i < p->ne; i++) {
        rows[i] = (place)i;
        z[i] = 0.0;
    }
    look(p, z);
    solve_active(p, p->ne, rows, p->w, z, basis);
    look(p, z);
}

/*
 * Lemke on what remains when the bilateral rows are eliminated, in units of the rows. What elimination leaves of an
 * exact zero is set to zero: Lemke would divide by it.
 */
static carom_status lemke_mixed(problem *p, double *z, unsigned char *basis, int *pivots)
{
    const int n = p->n, ne = p->ne, nu = n - ne, ld = n + 1;
    /* what is left of a goes into S before Lemke needs its place */
    double *const a = p->work + n * ld, *const S = a + CAROM_LCP_LEMKE_WORK(n), *const work = a;
    double *const q = p->q, *const zu = p->zu;
    place row[CAROM_LCP_MAX], col[CAROM_LCP_MAX];
    const double zero = (ne > 0) ? PIVOT_NULL * (double)n : 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i * ld + j] = p->M[i * p->ld + j];
        }
        a[i * ld + n] = 0.0;
        z[i] = 0.0;
    }
    (void)eliminate_by_size(n, ne, a, p->m, row, col);
    solve_bilateral(p, z, basis);
    for (int i = 0; i < nu; i++) {
        const double unit = sqrt(p->m[ne + i]);
        for (int j = 0; j < nu; j++) {
            const double x = a[(ne + i) * ld + ne + j] / (unit * sqrt(p->m[ne + j]));
            S[i * nu + j] = (fabs(x) <= zero) ? 0.0 : x;
        }
        q[i] = (ne > 0 && fabs(p->w[ne + i]) <= SIGN_TOL * coupled_size(p, ne + i)) ? 0.0 : p->w[ne + i] / unit;
    }
    const carom_status status = carom_lcp_lemke(nu, S, nu, q, zu, work, pivots);
    for (int i = 0; i < nu; i++) {
        zu[i] = (status == CAROM_INFEASIBLE) ? 0.0 : zu[i]; /* then it was the proof */
        basis[ne + i] = (unsigned char)(zu[i] > 0.0);
        z[ne + i] = zu[i] / sqrt(p->m[ne + i]);
    }
    solve_bilateral(p, z, basis);
    return status;
}

carom_status carom_lcp_solve(int ne, int n, const double *M, int ld, const double *b, double *z, unsigned char *basis,
                             double *work, carom_info *info)
{
    problem p;
    double sum = 0.0, largest = 0.0;
    carom_status lemke = CAROM_CONTACT;
    info->contact = -1;
    info->iterations = 0;
    info->residual = 0.0;
    if (ne < 0 || n < ne || n > CAROM_LCP_MAX) {
        return CAROM_ARGUMENT;
    }
    if (ne == 0 && n == 1 && carom_lcp_1(M[0], b[0], z, basis)) {
        info->iterations = 1;
        return CAROM_OK;
    }
    if (ne == 0 && n == 2) {
        const double small[4] = {M[0], M[1], M[ld], M[ld + 1]};
        if (carom_lcp_2(small, b, z, basis)) {
            info->iterations = 1;
            return CAROM_OK;
        }
    }
    p.ne = ne;
    p.n = n;
    p.ld = ld;
    p.M = M;
    p.b = b;
    p.m = work;
    p.w = p.m + n;
    p.size = p.w + n;
    p.x = p.size + n;
    p.unit = p.x + n;
    p.q = p.unit + n;
    p.zu = p.q + n;
    p.exact = p.zu + n;
    p.work = work + CAROM_LCP_VECTORS * n;
    p.accept = -1.0;
    for (int i = 0; i < n; i++) {
        const double *row = M + i * ld;
        p.m[i] = carom_lcp_row_unit(n, row, i);
        for (int j = 0; j < n; j++) {
            sum += row[j];
        }
        sum += b[i];
        largest = carom_larger(largest, fabs(b[i]));
        basis[i] = (unsigned char)((i < ne) || basis[i]);
        z[i] = 0.0;
        if (!isfinite(sum) && info->contact < 0) {
            info->contact = i;
        }
    }
    if (info->contact >= 0) {
        return CAROM_NOT_FINITE;
    }
    if (largest == 0.0) {
        return CAROM_OK;
    }
    for (int k = 0; k < CAROM_LCP_MAX_BLOCKS(n); k++) {
        info->iterations++;
        if (principal_solve(&p, z, basis) == 0) {
            if (accepted(&p, z, info)) {
                return CAROM_OK;
            }
            break;
        }
    }
    if (n > ne) { /* take z from the basis that Lemke found; his own z, less accurate, if that basis is not principal */
        unsigned char found[CAROM_LCP_MAX];
        double *const exact = p.exact;
        int pivots = 0;
        lemke = lemke_mixed(&p, z, basis, &pivots);
        info->iterations += pivots + 1;
        for (int i = 0; i < n; i++) {
            found[i] = basis[i];
        }
        if (principal_solve(&p, exact, found) == 0 && accepted(&p, exact, info)) {
            for (int i = 0; i < n; i++) {
                z[i] = exact[i];
                basis[i] = found[i];
            }
            return CAROM_OK;
        }
        look(&p, z);
    }
    return accepted(&p, z, info) ? CAROM_OK : ((lemke == CAROM_INFEASIBLE) ? CAROM_INFEASIBLE : CAROM_CONTACT);
}
