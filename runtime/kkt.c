/* Sparse contact problems by active sets on a static L D L^T factorisation. See carom/kkt.h. */
#include "carom/kkt.h"

#include <float.h>
#include <math.h>

#define SIGN_TOL 1e-12     /* a sign is wrong only beyond this, relative to the terms of its equation, ... */
#define SIGN_NOISE 1e-13   /* ... and beyond this, relative to the largest terms of the whole system */
#define REFINE_TOL 1e-15   /* refinement stops here ... */
#define ACCEPT_TOL 1e-9    /* ... and must reach this, relative to f and b, ... */
#define ACCEPT_NOISE 1e-14 /* ... or rounding of the largest terms, if these are not beyond all sense, ... */
#define ACCEPT_MAX 1e-6    /* ... that is, if it is not more than this, relative to f and b */
#define PIVOT_NULL 1e-11   /* pivots of rows below this fraction of s_i are rounding: the row depends on others ... */
#define PIVOT_SHIFT 1e-6   /* ... and gets this fraction instead */
#define PATIENCE 5         /* block steps without progress before single changes */
#define PROXIMAL 1e-3      /* weight of the first proximal step, relative to s_i, then ten times less each ... */
#define PROXIMAL_MIN 1e-10 /* ... to here */
#define PROXIMAL_MAX 1e4
#define PROXIMAL_STEPS 60
#define PROXIMAL_SEARCH 15 /* factors in one of them */

/* Names for the parts of the caller's work space. */
typedef struct {
    double *L, *inverse;     /* factor: values of L, 1 / D */
    double *y;               /* a vector in elimination order; zero between uses in the factorisation */
    double *unit_x, *unit_r; /* 1 / A_jj; s_i = sum G_ij^2 / A_jj, the stiffness of a row: w_i ~ s_i r_i */
    double *rest_x, *rest_r; /* what is left of the two equations */
    double *size_x, *size_r; /* size of the terms in them */
    double *step_x, *step_r; /* correction by refinement */
    double *w;               /* G x + b (+ the proximal term) */
    double *anchor;          /* r that the proximal term pulls to */
    int *filled;             /* entries of each column of L that are done */
    int *active;             /* rows that the factor contains */
    double proximal;         /* weight of the proximal term; 0: the true problem */
    double largest;          /* square of the largest term of the system, in energy units (see look) */
    int dependent;           /* rows whose pivot was replaced */
} space;

static int in_set(const unsigned char *set, int i) { return (set == (const unsigned char *)0) || set[i]; }

static space divide(const carom_kkt_tables *t, double *work, int *iwork)
{
    const int nv = t->nv, nr = t->nr, n = nv + nr;
    space s;
    s.L = work;
    s.inverse = s.L + t->nl;
    s.y = s.inverse + n;
    s.unit_x = s.y + n;
    s.rest_x = s.unit_x + nv;
    s.size_x = s.rest_x + nv;
    s.step_x = s.size_x + nv;
    s.unit_r = s.step_x + nv;
    s.rest_r = s.unit_r + nr;
    s.size_r = s.rest_r + nr;
    s.step_r = s.size_r + nr;
    s.w = s.step_r + nr;
    s.anchor = s.w + nr;
    s.filled = iwork;
    s.active = iwork + n;
    s.proximal = 0.0;
    s.largest = 0.0;
    s.dependent = 0;
    return s;
}

/* Units of unknowns and rows; 0 when a diagonal entry of A is not positive. */
static int measure(const carom_kkt_tables *t, const double *A, const double *G, const space *s)
{
    int good = 1;
    for (int j = 0; j < t->nv; j++) {
        const double a = A[t->Ad[j]];
        good = good && (a > 0.0);
        s->unit_x[j] = 1.0 / a;
    }
    for (int i = 0; i < t->nr; i++) {
        double sum = 0.0;
        for (int p = t->Gp[i]; p < t->Gp[i + 1]; p++) {
            sum += G[p] * G[p] * s->unit_x[t->Gj[p]];
        }
        s->unit_r[i] = sum;
    }
    return good;
}

/* Square of the largest f or b, in the units of look; of the rows in the set, or only of the active ones. */
static double size_of_data(const carom_kkt_tables *t, const unsigned char *set, int only_active, const double *f,
                           const double *b, const space *s)
{
    double largest = 0.0;
    for (int j = 0; j < t->nv; j++) {
        const double size = f[j] * f[j] * s->unit_x[j];
        largest = (size > largest) ? size : largest;
    }
    for (int i = 0; i < t->nr && b != (const double *)0; i++) {
        if ((only_active ? s->active[i] : in_set(set, i)) && s->unit_r[i] > 0.0) {
            const double size = b[i] * b[i] / s->unit_r[i];
            largest = (size > largest) ? size : largest;
        }
    }
    return largest;
}

/* Square of the rest that is acceptable. */
static double acceptable(const space *s, double data)
{
    const double noise = ACCEPT_NOISE * ACCEPT_NOISE * s->largest, limit = ACCEPT_MAX * ACCEPT_MAX * data;
    const double bound = ACCEPT_TOL * ACCEPT_TOL * data, rounding = (noise < limit) ? noise : limit;
    return (bound > rounding) ? bound : rounding;
}

/*
 * K = L D L^T row by row: row k of L solves a triangular system with the columns that row k of the pattern lists.
 * Masked rows have no entries and pivot -1, so they cost a visit and no arithmetic.
 */
static carom_status factorise(const carom_kkt_tables *t, const double *A, const double *G, space *s)
{
    const int nv = t->nv, n = t->nv + t->nr;
    double *const L = s->L, *const y = s->y;
    for (int k = 0; k < n; k++) {
        s->filled[k] = t->Lp[k];
        y[k] = 0.0;
    }
    s->dependent = 0;
    for (int k = 0; k < n; k++) {
        const int u = t->order[k];
        const int present = (u < nv) || s->active[u - nv];
        double d = (u < nv) ? A[t->Ad[u]] : -s->proximal * s->unit_r[u - nv];
        if (present) {
            for (int p = t->Kp[k]; p < t->Kp[k + 1]; p++) {
                const int j = t->Kj[p], source = t->Ks[p], other = t->order[j];
                if (source >= 0) {
                    y[j] = A[source];
                } else if (other < nv || s->active[other - nv]) {
                    y[j] = G[-1 - source];
                }
            }
        }
        for (int p = t->Rp[k]; p < t->Rp[k + 1]; p++) {
            const int j = t->Rj[p], end = s->filled[j];
            const double value = y[j];
            double l = 0.0;
            if (value != 0.0) {
                y[j] = 0.0;
                for (int e = t->Lp[j]; e < end; e++) {
                    y[t->Li[e]] -= L[e] * value;
                }
                l = value * s->inverse[j];
                d -= l * value;
            }
            L[end] = l;
            s->filled[j] = end + 1;
        }
        if (!present) {
            d = -1.0;
        } else if (u < nv) {
            if (!(d > 1e-14 * A[t->Ad[u]])) {
                return isfinite(d) ? CAROM_SINGULAR_MASS : CAROM_NOT_FINITE;
            }
        } else if (!(d < -PIVOT_NULL * s->unit_r[u - nv])) {
            if (!isfinite(d)) {
                return CAROM_NOT_FINITE;
            }
            d = -PIVOT_SHIFT * s->unit_r[u - nv];
            s->dependent++;
        }
        s->inverse[k] = 1.0 / d;
    }
    return CAROM_OK;
}

/* One pass with the factor: A x - G^T r = f, G x = c on active rows; r = 0 elsewhere. */
static void backsolve(const carom_kkt_tables *t, const space *s, const double *f, const double *c, double *x, double *r)
{
    const int nv = t->nv, n = t->nv + t->nr;
    double *const y = s->y;
    for (int k = 0; k < n; k++) {
        const int u = t->order[k];
        y[k] = (u < nv) ? f[u] : (s->active[u - nv] ? c[u - nv] : 0.0);
    }
    for (int k = 0; k < n; k++) {
        const double value = y[k];
        for (int e = t->Lp[k]; e < t->Lp[k + 1]; e++) {
            y[t->Li[e]] -= s->L[e] * value;
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        double value = y[k] * s->inverse[k];
        for (int e = t->Lp[k]; e < t->Lp[k + 1]; e++) {
            value -= s->L[e] * y[t->Li[e]];
        }
        y[k] = value;
    }
    for (int k = 0; k < n; k++) {
        const int u = t->order[k];
        if (u < nv) {
            x[u] = y[k];
        } else {
            r[u - nv] = s->active[u - nv] ? -y[k] : 0.0;
        }
    }
}

/*
 * What is left of the equations at (x, r) and the size of their terms; w = G x + b for all rows. Returns the worst rest
 * of the equations that the factor contains, relative to the largest term anywhere. To compare equations of different
 * units, forces are divided by sqrt(A_jj) and rows of G by sqrt(s_i): both are then roots of an energy.
 */
static double look(const carom_kkt_tables *t, const double *A, const double *G, const double *f, const double *b,
                   const double *x, const double *r, space *s)
{
    double worst = 0.0, largest = 0.0; /* squares */
    for (int j = 0; j < t->nv; j++) {
        s->rest_x[j] = f[j];
        s->size_x[j] = fabs(f[j]);
    }
    for (int p = 0; p < t->na; p++) {
        const int i = t->Ai[p], j = t->Aj[p];
        const double term = A[p] * x[j];
        s->rest_x[i] -= term;
        s->size_x[i] += fabs(term);
        if (i != j) {
            const double mirrored = A[p] * x[i];
            s->rest_x[j] -= mirrored;
            s->size_x[j] += fabs(mirrored);
        }
    }
    for (int i = 0; i < t->nr; i++) {
        if (r[i] != 0.0) {
            for (int p = t->Gp[i]; p < t->Gp[i + 1]; p++) {
                const double term = G[p] * r[i];
                s->rest_x[t->Gj[p]] += term;
                s->size_x[t->Gj[p]] += fabs(term);
            }
        }
    }
    for (int j = 0; j < t->nv; j++) {
        const double rest = s->rest_x[j] * s->rest_x[j] * s->unit_x[j];
        const double size = s->size_x[j] * s->size_x[j] * s->unit_x[j];
        worst = (rest <= worst) ? worst : rest + 0.0 * worst; /* a NaN stays */
        largest = (size > largest) ? size : largest;
    }
    for (int i = 0; i < t->nr; i++) {
        double w = (b != (const double *)0) ? b[i] : 0.0;
        double size = fabs(w);
        for (int p = t->Gp[i]; p < t->Gp[i + 1]; p++) {
            const int j = t->Gj[p];
            w += G[p] * x[j];
            size += fabs(G[p]) * (fabs(x[j]) + s->size_x[j] * s->unit_x[j]);
        }
        if (s->proximal > 0.0) {
            w += s->proximal * s->unit_r[i] * (r[i] - s->anchor[i]);
        }
        s->w[i] = w;
        s->rest_r[i] = -w;
        s->size_r[i] = size;
        if (s->active[i]) {
            const double inverse = 1.0 / s->unit_r[i];
            const double rest = w * w * inverse;
            size = size * size * inverse;
            worst = (rest <= worst) ? worst : rest + 0.0 * worst;
            largest = (size > largest) ? size : largest;
        }
    }
    s->largest = largest;
    return (worst > 0.0) ? sqrt(worst / largest) : worst;
}

/* Improves (x, r) with the factor and the true matrix while that helps. Returns the worst relative rest. */
static double refine(const carom_kkt_tables *t, const double *A, const double *G, const double *f, const double *b,
                     double *x, double *r, space *s)
{
    double before = DBL_MAX, worst = look(t, A, G, f, b, x, r, s);
    for (int k = 0; k < CAROM_KKT_MAX_REFINEMENTS && worst > REFINE_TOL && worst < 0.5 * before; k++) {
        before = worst;
        backsolve(t, s, s->rest_x, s->rest_r, s->step_x, s->step_r);
        for (int j = 0; j < t->nv; j++) {
            x[j] += s->step_x[j];
        }
        for (int i = 0; i < t->nr; i++) {
            r[i] += s->step_r[i];
        }
        worst = look(t, A, G, f, b, x, r, s);
    }
    return worst;
}

static double refined_solve(const carom_kkt_tables *t, const double *A, const double *G, const double *f,
                            const double *b, double *x, double *r, space *s)
{
    for (int i = 0; i < t->nr; i++) {
        double c = (b != (const double *)0) ? -b[i] : 0.0;
        if (s->proximal > 0.0) {
            c += s->proximal * s->unit_r[i] * s->anchor[i];
        }
        s->step_r[i] = c;
    }
    backsolve(t, s, f, s->step_r, x, r);
    return refine(t, A, G, f, b, x, r, s);
}

carom_status carom_kkt_factor(const carom_kkt_tables *t, const double *A, const double *G, const unsigned char *active,
                              double *work, int *iwork)
{
    space s = divide(t, work, iwork);
    const int good = measure(t, A, G, &s);
    for (int i = 0; i < t->nr; i++) { /* a row without gradient cannot carry a force */
        s.active[i] = (active != (const unsigned char *)0) && active[i] && (s.unit_r[i] > 0.0);
    }
    return good ? factorise(t, A, G, &s) : CAROM_SINGULAR_MASS;
}

carom_status carom_kkt_factored_solve(const carom_kkt_tables *t, const double *A, const double *G, const double *f,
                                      const double *b, double *x, double *r, double *work, int *iwork, carom_info *info)
{
    space s = divide(t, work, iwork);
    double worst = refined_solve(t, A, G, f, b, x, r, &s);
    worst = worst * worst * s.largest;
    info->contact = -1;
    info->iterations = 1;
    info->residual = 0.0;
    for (int i = 0; i < t->nr; i++) {
        if (s.active[i] && !(fabs(s.w[i]) <= info->residual)) {
            info->residual = fabs(s.w[i]);
            info->contact = i;
        }
    }
    if (worst <= acceptable(&s, size_of_data(t, (const unsigned char *)0, 1, f, b, &s))) {
        info->contact = -1;
        return CAROM_OK;
    }
    return isfinite(worst) ? CAROM_CONTACT : CAROM_NOT_FINITE;
}

/* Is the sign of a unilateral row wrong, beyond rounding in its own equation and from the rest of the system? */
static int is_wrong(const unsigned char *set, const space *s, const double *r, int i)
{
    const double value = s->active[i] ? r[i] * s->unit_r[i] : s->w[i];
    return in_set(set, i) && (value < -SIGN_TOL * s->size_r[i]) && (s->unit_r[i] > 0.0) &&
           (value * value > SIGN_NOISE * SIGN_NOISE * s->largest * s->unit_r[i]);
}

/* Natural residual of the rows in the set, and the rest of the motion equations, at the last look. */
static int accepted(const carom_kkt_tables *t, const unsigned char *set, const double *f, const double *b,
                    const double *r, const space *s, carom_info *info)
{
    const double bound = acceptable(s, size_of_data(t, set, 0, f, b, s));
    double worst = 0.0, worst_square = -1.0;
    int good = 1;
    info->contact = -1;
    info->residual = 0.0;
    for (int i = 0; i < t->nr; i++) {
        if (in_set(set, i)) {
            const double w = s->w[i], force = s->unit_r[i] * r[i];
            const double residual = (i < t->ne) ? fabs(w) : fabs((force < w) ? force : w);
            if (!(residual * residual <= bound * s->unit_r[i])) {
                const double square = (s->unit_r[i] > 0.0) ? residual * residual / s->unit_r[i] : DBL_MAX;
                good = 0;
                if (!(square <= worst_square)) {
                    worst_square = square;
                    info->contact = i;
                    info->residual = residual;
                }
            }
            worst = (residual <= worst) ? worst : residual;
        }
    }
    if (good) {
        info->residual = worst;
        for (int j = 0; j < t->nv; j++) {
            if (!(s->rest_x[j] * s->rest_x[j] * s->unit_x[j] <= bound)) {
                good = 0;
                info->residual = fabs(s->rest_x[j]);
            }
        }
    }
    return good;
}

typedef struct {
    const carom_kkt_tables *t;
    const double *A, *G, *f, *b;
    const unsigned char *set;
    double *x, *r;
} problem;

/* Sum of everything given, which is not finite when something in it is not. */
static double sum_of_data(const problem *p)
{
    double sum = 0.0;
    for (int j = 0; j < p->t->nv; j++) {
        sum += p->f[j];
    }
    for (int k = 0; k < p->t->na; k++) {
        sum += p->A[k];
    }
    for (int i = 0; i < p->t->nr; i++) {
        if (in_set(p->set, i)) {
            sum += p->b[i];
            for (int k = p->t->Gp[i]; k < p->t->Gp[i + 1]; k++) {
                sum += p->G[k];
            }
        }
    }
    return sum;
}

/*
 * Active set search from s->active. CAROM_OK: all signs are right (the residual is not looked at here). Gives up with
 * CAROM_CONTACT at the limit of iterations, when the forces of a senseless set overflow, or when rows depend on each
 * other and progress ends: single changes are sure to end only for independent rows.
 */
static carom_status search(const problem *p, space *s, int factored, int limit, carom_info *info)
{
    const int nr = p->t->nr, ne = p->t->ne;
    int fewest = nr + 1, patience = PATIENCE;
    while (info->iterations < limit) {
        int wrong = 0, last = -1;
        info->iterations++;
        const carom_status made = factored ? CAROM_OK : factorise(p->t, p->A, p->G, s);
        factored = 0;
        if (made == CAROM_SINGULAR_MASS) {
            return made;
        }
        if (made != CAROM_OK || !isfinite(refined_solve(p->t, p->A, p->G, p->f, p->b, p->x, p->r, s))) {
            return isfinite(sum_of_data(p)) ? CAROM_CONTACT : CAROM_NOT_FINITE;
        }
        for (int i = ne; i < nr; i++) {
            if (is_wrong(p->set, s, p->r, i)) {
                wrong++;
                last = i;
            }
        }
        if (wrong == 0) {
            return CAROM_OK;
        }
        if (wrong < fewest) {
            fewest = wrong;
            patience = PATIENCE;
        } else {
            patience--;
        }
        if (patience <= 0 && s->dependent > 0) {
            return CAROM_CONTACT;
        }
        if (patience > 0) { /* all wrong rows, and closed rows that do not open: a load may arrive there next */
            for (int i = ne; i < nr; i++) {
                if (is_wrong(p->set, s, p->r, i)) {
                    s->active[i] = !s->active[i];
                } else if (!s->active[i] && in_set(p->set, i) && s->unit_r[i] > 0.0) {
                    s->active[i] = (s->w[i] <= SIGN_TOL * s->size_r[i]);
                }
            }
        } else { /* one row at a time */
            s->active[last] = !s->active[last];
        }
    }
    return CAROM_CONTACT;
}

/* Makes r >= 0 exact, then judges. */
static int finish(const problem *p, space *s, carom_info *info)
{
    int clipped = 0;
    for (int i = p->t->ne; i < p->t->nr; i++) {
        if (p->r[i] < 0.0) {
            p->r[i] = 0.0;
            clipped = 1;
        }
    }
    if (clipped) {
        (void)look(p->t, p->A, p->G, p->f, p->b, p->x, p->r, s);
    }
    return accepted(p->t, p->set, p->f, p->b, p->r, s, info);
}

/*
 * For dependent rows, where the active set may wander between sets that have no solution: proximal point steps, that
 * is 0 <= r _|_ G x + b + c s (r - anchor) >= 0, anchor <- r. Each has independent rows and so a sure search, but many
 * more rows than freedoms can make it a long one: after a while the weight c is raised instead, which makes the rows
 * more independent, and the step is tried again. After each step the true equations of the set found are refined from
 * there; that keeps how dependent rows share their load.
 */
static carom_status proximal_search(const problem *p, space *s, carom_info *info)
{
    const int ne = p->t->ne, nr = p->t->nr, most = CAROM_KKT_MAX_ITERATIONS(nr);
    double weight = PROXIMAL,
           least = PROXIMAL_MIN; /* after a search that failed the weight stays above that for a while */
    for (int i = 0; i < nr; i++) {
        s->anchor[i] = 0.0;
    }
    for (int k = 0; k < PROXIMAL_STEPS && info->iterations < most; k++) {
        const int until = info->iterations + PROXIMAL_SEARCH;
        s->proximal = weight;
        const carom_status status = search(p, s, 0, (until < most) ? until : most, info);
        s->proximal = 0.0;
        if (status == CAROM_CONTACT && weight < PROXIMAL_MAX) {
            least = 2.0 * weight;
            weight *= 10.0;
            continue;
        }
        if (status != CAROM_OK) {
            return status;
        }
        least = (0.5 * least > PROXIMAL_MIN) ? 0.5 * least : PROXIMAL_MIN;
        weight = (0.1 * weight > least) ? 0.1 * weight : least;
        for (int i = 0; i < nr; i++) {
            s->anchor[i] = (i >= ne && p->r[i] < 0.0) ? 0.0 : p->r[i];
        }
        info->iterations++;
        const carom_status factored = factorise(p->t, p->A, p->G, s);
        if (factored != CAROM_OK) {
            return factored;
        }
        (void)refine(p->t, p->A, p->G, p->f, p->b, p->x, p->r, s);
        int wrong = 0;
        for (int i = ne; i < nr; i++) {
            wrong += is_wrong(p->set, s, p->r, i);
        }
        if (wrong == 0 && finish(p, s, info)) {
            return CAROM_OK;
        }
    }
    return CAROM_CONTACT;
}

/* again: the factor and the units in the work space are those of A, G and the active set there */
static carom_status solve(const problem *p, int again, unsigned char *active, double *work, int *iwork,
                          carom_info *info)
{
    const carom_kkt_tables *const t = p->t;
    const double *const A = p->A, *const G = p->G, *const f = p->f, *const b = p->b, *const x = p->x, *const r = p->r;
    const unsigned char *const set = p->set;
    space s = divide(t, work, iwork);
    info->contact = -1;
    info->iterations = 0;
    info->residual = 0.0;
    if (!again && !measure(t, A, G, &s)) {
        return CAROM_SINGULAR_MASS;
    }
    for (int i = 0; i < t->nr; i++) {
        const int guess = in_set(set, i) && (s.unit_r[i] > 0.0) && (i < t->ne || active[i]);
        again = again && (guess == s.active[i]);
        s.active[i] = guess;
    }
    carom_status status = search(p, &s, again, CAROM_KKT_MAX_ITERATIONS(t->nr) / 2, info);
    if (status == CAROM_OK && !finish(p, &s, info)) {
        status = CAROM_CONTACT;
    }
    if (status == CAROM_CONTACT) {
        status = proximal_search(p, &s, info);
    }
    if (status == CAROM_CONTACT) { /* say by how much; the set need not have settled */
        (void)look(t, A, G, f, b, x, r, &s);
        (void)accepted(t, set, f, b, r, &s, info);
    }
    for (int i = 0; i < t->nr; i++) {
        active[i] = (unsigned char)s.active[i];
    }
    return status;
}

carom_status carom_kkt_solve(const carom_kkt_tables *t, const double *A, const double *G, const unsigned char *set,
                             const double *f, const double *b, double *x, double *r, unsigned char *active,
                             double *work, int *iwork, carom_info *info)
{
    const problem p = {t, A, G, f, b, set, x, r};
    return solve(&p, 0, active, work, iwork, info);
}

carom_status carom_kkt_solve_again(const carom_kkt_tables *t, const double *A, const double *G,
                                   const unsigned char *set, const double *f, const double *b, double *x, double *r,
                                   unsigned char *active, double *work, int *iwork, carom_info *info)
{
    const problem p = {t, A, G, f, b, set, x, r};
    return solve(&p, 1, active, work, iwork, info);
}
