/* Planar problems of one to three contacts: one closed form, or one small linear system per combination of modes.
 *
 * A contact is open (no unknown), sticks (r_N and r_T, rows u_N = u_T = 0) or slips with r_T = sigma mu r_N (r_N, row
 * u_N = 0). A solution of the system is valid when r_N >= 0, |r_T| <= mu r_N where it sticks, u_N >= 0 where it is open
 * and sigma u_T <= 0 where it slips, up to rounding. The modes that the start shows are tried first: from one time
 * step to the next they seldom change. Singular systems (hyperstatic sticking) are skipped. */
#include "solver.h"

#include <math.h>

#define MOST (2 * CAROM_TINY_CONTACTS)
#define ROUNDING 1e-12
#define SINGULAR 1e-13

typedef enum { OPEN, STICK, SLIP_WITH, SLIP_AGAINST, MODES } tiny_mode; /* with: sigma = +1 */

/* Gauss with row pivoting on an m x (m+1) array; 0 when singular. */
static int gauss(int m, double A[MOST][MOST + 1], double *x)
{
    for (int k = 0; k < m; ++k) {
        int p = k;
        double scale = 0.0;
        for (int i = k; i < m; ++i) {
            if (fabs(A[i][k]) > fabs(A[p][k])) {
                p = i;
            }
        }
        for (int j = 0; j < m; ++j) {
            const double entry = A[p][j];
            scale = fmax(scale, fabs(entry));
            A[p][j] = A[k][j];
            A[k][j] = entry;
        }
        const double rhs = A[p][m];
        A[p][m] = A[k][m];
        A[k][m] = rhs;
        if (!(fabs(A[k][k]) > SINGULAR * scale)) {
            return 0;
        }
        for (int i = k + 1; i < m; ++i) {
            const double factor = A[i][k] / A[k][k];
            for (int j = k + 1; j <= m; ++j) {
                A[i][j] -= factor * A[k][j];
            }
            A[i][k] = 0.0;
        }
    }
    for (int i = m - 1; i >= 0; --i) {
        double sum = A[i][m];
        for (int j = i + 1; j < m; ++j) {
            sum -= A[i][j] * x[j];
        }
        x[i] = sum / A[i][i];
    }
    return 1;
}

/* Solves the system of the given modes into r; 0 when it is singular. */
static int solve_modes(int n, const double *W, const double *mu, const double *q, const tiny_mode *mode, double *r)
{
    double A[MOST][MOST + 1], x[MOST];
    int row_of[MOST], column_of[MOST], m = 0; /* unknown k: impulse component column_of, equation row_of */
    double slope_of[MOST];                    /* its tangential part per unit of normal impulse */
    for (int c = 0; c < n; ++c) {
        if (mode[c] == OPEN) {
            continue;
        }
        row_of[m] = column_of[m] = 2 * c;
        slope_of[m++] = mode[c] == STICK ? 0.0 : (mode[c] == SLIP_WITH ? mu[c] : -mu[c]);
        if (mode[c] == STICK) {
            row_of[m] = column_of[m] = 2 * c + 1;
            slope_of[m++] = 0.0;
        }
    }
    for (int i = 0; i < m; ++i) {
        const double *row = W + 2 * n * row_of[i];
        for (int j = 0; j < m; ++j) {
            A[i][j] = row[column_of[j]];
            if (slope_of[j] != 0.0) {
                A[i][j] += slope_of[j] * row[column_of[j] + 1];
            }
        }
        A[i][m] = -q[row_of[i]];
    }
    if (!gauss(m, A, x)) {
        return 0;
    }
    for (int i = 0; i < 2 * n; ++i) {
        r[i] = 0.0;
    }
    for (int k = 0; k < m; ++k) {
        r[column_of[k]] = x[k];
        if (slope_of[k] != 0.0) {
            r[column_of[k] + 1] = slope_of[k] * x[k];
        }
    }
    return 1;
}

/* One contact of a pair as a 2 x 2 block: unknowns (r_N, r_T) when it sticks, (r_N, -) when it slips along N + slope T,
 * none when it is open; what is not unknown gets the row 1 x = 0. */
static inline void pair_block(const double *W, tiny_mode row, tiny_mode column, double slope, double one, double B[4])
{
    const int normal = row != OPEN && column != OPEN;
    B[0] = normal ? W[0] + slope * W[1] : one;
    B[1] = normal && column == STICK ? W[1] : 0.0;
    B[2] = normal && row == STICK ? W[4] + slope * W[5] : 0.0;
    B[3] = row == STICK && column == STICK ? W[5] : one;
}

typedef enum { VANISHES, DEPENDENT, DELICATE, REGULAR } pair_kind;

/* B^-1 into I. DEPENDENT: the second unknown depends on the first (two feet that stick hold each other); it is given 0,
 * and it has to be seen whether that satisfies its row. DELICATE: not without pivoting. The scales are those of the
 * diagonal before elimination. */
static inline pair_kind pair_inverse(const double B[4], double scale_n, double scale_t, double I[4])
{
    const double det = B[0] * B[3] - B[1] * B[2], small = 1e2 * SINGULAR, scale = scale_n * scale_t;
    if (fabs(det) > small * scale) {
        const double x = 1.0 / det;
        I[0] = B[3] * x;
        I[1] = -B[1] * x;
        I[2] = -B[2] * x;
        I[3] = B[0] * x;
        return fabs(det) > 1e-3 * scale ? REGULAR : DELICATE;
    }
    I[0] = 1.0 / B[0];
    I[1] = I[2] = I[3] = 0.0;
    return fabs(B[0]) > small * scale_n ? DEPENDENT : VANISHES;
}

/* Row i of u, and the size of what it is made of. */
static inline double pair_row(const double *W, const double *q, const double *r, int i, double *size)
{
    const double *row = W + 4 * i;
    const double a = row[0] * r[0], b = row[1] * r[1], c = row[2] * r[2], d = row[3] * r[3];
    *size = fabs(q[i]) + fabs(a) + fabs(b) + fabs(c) + fabs(d);
    return q[i] + a + b + c + d;
}

/* Two contacts: block elimination in closed form, two divisions. Returns 0 when that is not the way, 1 for a solution
 * of the system, 2 when that satisfies the laws of its modes without asking for rounding. */
static inline int solve_pair(const double *W, const double *mu, const double *q, const tiny_mode *mode, double *r)
{
    double A[4], B[4], C[4], D[4], I[4], P[4], S[4], slope[2], f[4];
    for (int c = 0; c < 2; ++c) {
        slope[c] = mode[c] == SLIP_WITH ? mu[c] : mode[c] == SLIP_AGAINST ? -mu[c] : 0.0;
        f[2 * c] = mode[c] == OPEN ? 0.0 : -q[2 * c];
        f[2 * c + 1] = mode[c] == STICK ? -q[2 * c + 1] : 0.0;
    }
    pair_block(W, mode[0], mode[0], slope[0], 1.0, A);
    pair_block(W + 2, mode[0], mode[1], slope[1], 0.0, B);
    pair_block(W + 8, mode[1], mode[0], slope[0], 0.0, C);
    pair_block(W + 10, mode[1], mode[1], slope[1], 1.0, D);
    const double scale_n = fabs(D[0]), scale_t = fabs(D[3]);
    const pair_kind first = pair_inverse(A, fabs(A[0]), fabs(A[3]), I);
    P[0] = C[0] * I[0] + C[1] * I[2];
    P[1] = C[0] * I[1] + C[1] * I[3];
    P[2] = C[2] * I[0] + C[3] * I[2];
    P[3] = C[2] * I[1] + C[3] * I[3];
    D[0] -= P[0] * B[0] + P[1] * B[2];
    D[1] -= P[0] * B[1] + P[1] * B[3];
    D[2] -= P[2] * B[0] + P[3] * B[2];
    D[3] -= P[2] * B[1] + P[3] * B[3];
    f[2] -= P[0] * f[0] + P[1] * f[1];
    f[3] -= P[2] * f[0] + P[3] * f[1];
    const pair_kind second = pair_inverse(D, scale_n, scale_t, S);
    if (first == VANISHES || second == VANISHES || first == DELICATE || second == DELICATE) {
        return 0;
    }
    r[2] = S[0] * f[2] + S[1] * f[3];
    r[3] = S[2] * f[2] + S[3] * f[3];
    f[0] -= B[0] * r[2] + B[1] * r[3];
    f[1] -= B[2] * r[2] + B[3] * r[3];
    r[0] = I[0] * f[0] + I[1] * f[1];
    r[1] = I[2] * f[0] + I[3] * f[1];
    int good = 1;
    for (int c = 0; c < 2; ++c) {
        const double n = r[2 * c];
        r[2 * c + 1] = mode[c] == STICK ? r[2 * c + 1] : slope[c] * n;
        good = good && n >= 0.0 && fabs(r[2 * c + 1]) <= mu[c] * n;
    }
    const int dependent[2] = {first == DEPENDENT, second == DEPENDENT};
    for (int c = 0; c < 2 && good; ++c) {
        double size = 0.0;
        if (mode[c] == OPEN) {
            good = pair_row(W, q, r, 2 * c, &size) >= 0.0;
        } else if (mode[c] != STICK) {
            good = slope[c] * pair_row(W, q, r, 2 * c + 1, &size) <= 0.0;
        } else if (dependent[c]) {
            const double u = pair_row(W, q, r, 2 * c + 1, &size);
            good = fabs(u) <= ROUNDING * size;
        }
    }
    return good ? 2 : 1;
}

/* The laws of the modes at r, up to rounding; then r is put exactly into the cone. */
static int valid(int n, const double *W, const double *mu, const double *q, const tiny_mode *mode, double *r)
{
    for (int c = 0; c < n; ++c) {
        const double *row = W + 4 * n * c;
        double u[2], size[2]; /* size: what the sums are made of */
        for (int i = 0; i < 2; ++i) {
            u[i] = q[2 * c + i];
            size[i] = fabs(u[i]);
            for (int j = 0; j < 2 * n; ++j) {
                const double term = row[2 * n * i + j] * r[j];
                u[i] += term;
                size[i] += fabs(term);
            }
        }
        /* of the contact's own block: what a unit of its impulse does */
        const double diagonal = row[2 * c] + row[2 * n + 2 * c + 1];
        const double bound = mu[c] * r[2 * c], impulse = ROUNDING * (size[0] + size[1]) / diagonal;
        const double sigma = mode[c] == SLIP_WITH ? 1.0 : -1.0;
        int good = r[2 * c] >= -impulse;
        if (mode[c] == OPEN) {
            good = u[0] >= -ROUNDING * size[0];
        } else if (mode[c] == STICK) {
            good = good && fabs(r[2 * c + 1]) <= bound + impulse && fabs(u[0]) <= ROUNDING * size[0] &&
                   fabs(u[1]) <= ROUNDING * size[1];
        } else {
            good = good && sigma * u[1] <= ROUNDING * size[1] && fabs(u[0]) <= ROUNDING * size[0];
        }
        if (!good) { /* also when something is not a number */
            return 0;
        }
    }
    for (int c = 0; c < n; ++c) {
        r[2 * c] = fmax(r[2 * c], 0.0);
        const double bound = mu[c] * r[2 * c];
        r[2 * c + 1] = fmin(fmax(r[2 * c + 1], -bound), bound);
    }
    return 1;
}

/* Solves the system of the modes and checks their laws. */
static int holds(int n, const double *W, const double *mu, const double *q, const tiny_mode *mode, double *r)
{
    if (n == 2) {
        const int solved = solve_pair(W, mu, q, mode, r);
        if (solved == 2 || (solved == 1 && valid(n, W, mu, q, mode, r))) {
            return 1;
        }
        if (solved == 1) {
            return 0;
        }
    }
    return solve_modes(n, W, mu, q, mode, r) && valid(n, W, mu, q, mode, r);
}

/* The mode an impulse shows. */
static tiny_mode shown(double mu, const double *r)
{
    const double bound = mu * r[0];
    if (!(r[0] > 0.0)) {
        return OPEN;
    }
    if (fabs(r[1]) < bound * (1.0 - ROUNDING)) {
        return STICK;
    }
    return r[1] >= 0.0 ? SLIP_WITH : SLIP_AGAINST;
}

int carom_friction_tiny(int contacts, const double *W, const double *mu, const double *q, double *r)
{
    static const tiny_mode pushed[MODES] = {OPEN, STICK, SLIP_AGAINST, SLIP_WITH}; /* against q_T > 0 first */
    static const tiny_mode pulled[MODES] = {OPEN, STICK, SLIP_WITH, SLIP_AGAINST};
    const int n = contacts;
    double x[MOST];
    tiny_mode last[CAROM_TINY_CONTACTS], mode[CAROM_TINY_CONTACTS];
    if (n < 1 || n > CAROM_TINY_CONTACTS) {
        return 0;
    }
    if (n == 1) {
        carom_friction_local2(W, q, mu[0], r);
        return 1;
    }
    if (n == 2) { /* the usual case of a mechanism: the modes of the last step hold */
        last[0] = shown(mu[0], r);
        last[1] = shown(mu[1], r + 2);
        if (solve_pair(W, mu, q, last, x) == 2) {
            for (int i = 0; i < 4; ++i) {
                r[i] = x[i];
            }
            return 1;
        }
    }
    int tried = 1, combinations = 1;
    for (int c = 0; c < n; ++c) {
        last[c] = shown(mu[c], r + 2 * c);
        combinations *= MODES;
    }
    int found = holds(n, W, mu, q, last, x);
    for (int k = 0; k < combinations && !found; ++k) {
        int rest = k, repeated = 1;
        for (int c = 0; c < n; ++c) {
            /* the order of directions follows q, so that mirror images are solved by mirrored modes */
            mode[c] = (q[2 * c + 1] > 0.0 ? pushed : pulled)[rest % MODES];
            repeated = repeated && mode[c] == last[c];
            rest /= MODES;
        }
        if (!repeated) {
            tried++;
            found = holds(n, W, mu, q, mode, x);
        }
    }
    if (found) {
        carom_fc_copy(2 * n, x, r);
    }
    return found ? tried : 0;
}

double carom_fc_tiny(carom_fc *fc, double *r, double residual, int limit)
{
    (void)limit;
    double W[MOST * MOST] = {0.0}, x[MOST], u[MOST];
    for (int c = 0; c < fc->n; ++c) {
        for (int k = fc->row[c]; k < fc->row[c + 1]; ++k) {
            const double *B = fc->block + 4 * k;
            double *place = W + 4 * fc->n * c + 2 * fc->column[k];
            place[0] = B[0];
            place[1] = B[1];
            place[2 * fc->n] = B[2];
            place[2 * fc->n + 1] = B[3];
        }
    }
    carom_fc_copy(fc->size, r, x);
    const int tried = carom_friction_tiny(fc->n, W, fc->mu, fc->q, x);
    fc->factorisations += tried;
    if (tried > 0) {
        residual = carom_fc_better(fc, x, carom_fc_residual(fc, x, u), r, residual);
    }
    return residual;
}
