/* The augmented Lagrangian over the velocities of the bodies: for heavy bodies on light ones.
 *
 * With W = H H^T (pivoted Cholesky: as many columns as the bodies have freedoms) and y = H^T r an outer step is the
 * proximal point step in the metric of one mass sigma, .003 to 30 times that of the heaviest motion,
 *
 *     r+ = P_K(r - sigma u^),    u = H y + q,    y = H^T r+,
 *
 * an equation in y alone: F(y) = y - H^T P_K(r - sigma u^(y)) = 0. However many contacts share a load, it is as small
 * and as regular as the bodies are. With the shift mu |u_T| of u^ held F is the gradient of a convex function, and
 * Newton with a search along the step arrives; with the shift as part of F (`exact`) few outer steps are needed, but
 * Newton may fail and is then replaced by a step with the shift of the last velocities.
 *
 * Impulses of the heavy bodies cancel at the light ones to the last digits of a double; H, y and F are kept with the
 * digits that long double has: 64 bits on x86, 113 on aarch64; where it is a double fewer such problems are solved. */
#include "solver.h"

#include <math.h>

#define RANK_MOST 120      /* freedoms of 20 bodies in space */
#define PIVOT 1e-14L       /* of the largest diagonal entry: what is below is rounding of W */
#define SIGMA_FIRST 0.003L /* masses of the heaviest motion: with little Newton is nearly linear, with */
#define SIGMA_LAST 30.0L   /* much few outer steps are left */
#define SIGMA_GROWTH 10.0L
#define OUTER_LIMIT 60
#define CONVEX_STEPS 60
#define EXACT_STEPS 40
#define FIRST_EXACT 2 /* the outer step from which on the shift is part of F: before, u_T is far off */
#define PATIENCE 10   /* steps in which |F| must halve */
#define FAR 1e-3L     /* of |q|: where patience begins for the convex function, whose slope may grow at first */
#define INNER 0.02L   /* of the residual: what the next outer step is solved to */
#define TRIALS 6
#define BISECTIONS 30
#define SHORT_STEPS 3 /* steps that do not decrease |F| */

typedef long double real;

typedef struct {
    carom_fc *fc;
    int rank, most; /* columns of H, and their room */
    real *H;        /* [size][most] */
    real sigma;
    real *y, *last, *trial; /* [most] */
    real *F, *trial_F, *step, *scale;
    real *A;             /* [rank][rank] */
    real *r, *u, *z, *p; /* [size]: the centre, u = H y + q, z = r - sigma u^, p = P_K(z) */
    real *shift;         /* [n] held mu |u_T| */
    double *x, *v;       /* [size] p in doubles, its velocities */
    int exact;
} augmented;

static real slip(int d, const real *u) { return d == 2 ? fabsl(u[1]) : sqrtl(u[1] * u[1] + u[2] * u[2]); }

static real dot(int size, const real *a, const real *b)
{
    real sum = 0.0L;
    for (int i = 0; i < size; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* ---- W = H H^T ------------------------------------------------------------------------------------------------- */

/* H by columns with the largest remaining diagonal entry; 0 when there are more than `most`. */
static int factorise(augmented *a)
{
    const carom_fc *fc = a->fc;
    const int d = fc->d, size = fc->size;
    real *rest = a->u, *column = a->z, largest = 0.0L, pivot = 0.0L;
    for (int i = 0; i < size; ++i) {
        rest[i] = (real)fc->block[d * d * fc->diagonal[i / d] + (d + 1) * (i % d)];
        largest = fmaxl(largest, rest[i]);
    }
    for (a->rank = 0;; ++a->rank) {
        int p = 0;
        for (int i = 1; i < size; ++i) {
            p = rest[i] > rest[p] ? i : p;
        }
        if (!(rest[p] > PIVOT * largest)) {
            break;
        }
        if (a->rank == a->most) {
            return 0;
        }
        pivot = rest[p];
        for (int i = 0; i < size; ++i) {
            column[i] = 0.0L;
        }
        for (int k = fc->row[p / d]; k < fc->row[p / d + 1]; ++k) {
            for (int j = 0; j < d; ++j) {
                column[d * fc->column[k] + j] = (real)fc->block[d * d * k + d * (p % d) + j];
            }
        }
        const real *Hp = a->H + (size_t)p * (size_t)a->most;
        for (int i = 0; i < size; ++i) {
            column[i] -= dot(a->rank, a->H + (size_t)i * (size_t)a->most, Hp);
        }
        for (int i = 0; i < size; ++i) {
            const real h = column[i] / sqrtl(pivot);
            a->H[(size_t)i * (size_t)a->most + (size_t)a->rank] = h;
            rest[i] -= h * h;
        }
        rest[p] = 0.0L;
    }
    a->sigma = a->rank > 0 ? 1.0L / pivot : 0.0L;
    return a->rank > 0;
}

/* |H x| over |q| */
static real speed(const augmented *a, const real *x)
{
    real sum = 0.0L;
    for (int i = 0; i < a->fc->size; ++i) {
        const real u = dot(a->rank, a->H + (size_t)i * (size_t)a->most, x);
        sum += u * u;
    }
    return sqrtl(sum) / (real)fmax(a->fc->q_norm, a->fc->floor);
}

/* ---- F and its derivative -------------------------------------------------------------------------------------- */

static void project(int d, real mu, const real *z, real *p)
{
    const real t = slip(d, z);
    const int inside = t <= mu * z[0], away = mu * t <= -z[0];
    const real n = inside ? z[0] : away ? 0.0L : (z[0] + mu * t) / (1.0L + mu * mu);
    p[0] = n;
    for (int i = 1; i < d; ++i) {
        p[i] = inside ? z[i] : away ? 0.0L : mu * n * z[i] / t;
    }
}

/* D, d x d by rows, of the projection; 0 when it is zero. */
static int project_slope(int d, real mu, const real *z, real *D)
{
    const real t = slip(d, z);
    const int inside = t <= mu * z[0];
    if (!inside && mu * t <= -z[0]) {
        return 0;
    }
    const real k = 1.0L / (1.0L + mu * mu), turn = inside ? 0.0L : mu * (z[0] + mu * t) * k / t;
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            const real one = i == j ? 1.0L : 0.0L;
            if (inside) {
                D[d * i + j] = one;
                continue;
            }
            const real ei = i == 0 ? 1.0L : mu * z[i] / t, ej = j == 0 ? 1.0L : mu * z[j] / t;
            D[d * i + j] = k * ei * ej;
            if (i > 0 && j > 0) {
                D[d * i + j] += turn * (one - z[i] * z[j] / (t * t));
            }
        }
    }
    return 1;
}

/* F(y) and, on the way, u, z and p. */
static void evaluate(augmented *a, const real *y, real *F)
{
    const carom_fc *fc = a->fc;
    const int d = fc->d;
    for (int j = 0; j < a->rank; ++j) {
        F[j] = y[j];
    }
    for (int c = 0; c < fc->n; ++c) {
        const int at = d * c;
        const real sigma = fc->local[c].wnn < HUGE_VAL ? a->sigma : 0.0L;
        for (int i = at; i < at + d; ++i) {
            a->u[i] = dot(a->rank, a->H + (size_t)i * (size_t)a->most, y) + (real)fc->q[i];
            a->z[i] = a->r[i] - sigma * a->u[i];
        }
        a->z[at] -= sigma * (a->exact ? (real)fc->mu[c] * slip(d, a->u + at) : a->shift[c]);
        project(d, (real)fc->mu[c], a->z + at, a->p + at);
        for (int i = at; i < at + d; ++i) {
            const real *Hi = a->H + (size_t)i * (size_t)a->most;
            for (int j = 0; j < a->rank && a->p[i] != 0.0L; ++j) {
                F[j] -= Hi[j] * a->p[i];
            }
        }
    }
}

/* A = I + H^T sigma D (d u^ / d u) H */
static void derivative(augmented *a)
{
    const carom_fc *fc = a->fc;
    const int d = fc->d, m = a->rank;
    for (int j = 0; j < m * m; ++j) {
        a->A[j] = j % (m + 1) == 0 ? 1.0L : 0.0L;
    }
    for (int c = 0; c < fc->n; ++c) {
        const real *u = a->u + d * c, t = slip(d, u);
        real D[9];
        if (!(fc->local[c].wnn < HUGE_VAL) || !project_slope(d, (real)fc->mu[c], a->z + d * c, D)) {
            continue;
        }
        for (int i = 0; i < d && a->exact && t > 0.0L; ++i) {
            const real normal = D[d * i];
            for (int j = 1; j < d; ++j) {
                D[d * i + j] += normal * (real)fc->mu[c] * u[j] / t;
            }
        }
        for (int i = 0; i < d; ++i) {
            real *row = a->trial; /* of D H */
            const real *Hi = a->H + (size_t)(d * c + i) * (size_t)a->most;
            for (int k = 0; k < m; ++k) {
                row[k] = 0.0L;
                for (int j = 0; j < d; ++j) {
                    row[k] += D[d * i + j] * a->H[(size_t)(d * c + j) * (size_t)a->most + (size_t)k];
                }
            }
            for (int j = 0; j < m; ++j) {
                const real h = a->sigma * Hi[j];
                for (int k = 0; k < m && h != 0.0L; ++k) {
                    a->A[j * m + k] += h * row[k];
                }
            }
        }
    }
}

/* step = -A^-1 F: rows and columns by the root of the diagonal, which belongs to masses, then with row pivots. */
static void solve(augmented *a)
{
    const int m = a->rank;
    real *A = a->A, *x = a->step;
    for (int i = 0; i < m; ++i) {
        a->scale[i] = A[i * m + i] > 0.0L ? 1.0L / sqrtl(A[i * m + i]) : 1.0L;
    }
    for (int i = 0; i < m; ++i) {
        x[i] = -a->scale[i] * a->F[i];
        for (int j = 0; j < m; ++j) {
            A[i * m + j] *= a->scale[i] * a->scale[j];
        }
    }
    for (int k = 0; k < m; ++k) {
        int p = k;
        for (int i = k + 1; i < m; ++i) {
            p = fabsl(A[i * m + k]) > fabsl(A[p * m + k]) ? i : p;
        }
        for (int j = k; j < m && p != k; ++j) {
            const real swap = A[k * m + j];
            A[k * m + j] = A[p * m + j];
            A[p * m + j] = swap;
        }
        const real right = x[p], pivot = A[k * m + k] != 0.0L ? A[k * m + k] : 1e-18L;
        x[p] = x[k];
        x[k] = right;
        A[k * m + k] = pivot;
        for (int i = k + 1; i < m; ++i) {
            const real l = A[i * m + k] / pivot;
            for (int j = k + 1; j < m && l != 0.0L; ++j) {
                A[i * m + j] -= l * A[k * m + j];
            }
            x[i] -= l * x[k];
        }
    }
    for (int i = m - 1; i >= 0; --i) {
        x[i] = (x[i] - dot(m - 1 - i, A + i * m + i + 1, x + i + 1)) / A[i * m + i];
    }
    for (int i = 0; i < m; ++i) {
        x[i] *= a->scale[i];
    }
}

/* ---- one outer step -------------------------------------------------------------------------------------------- */

static void try_length(augmented *a, real length)
{
    for (int j = 0; j < a->rank; ++j) {
        a->trial[j] = a->y[j] + length * a->step[j];
    }
    evaluate(a, a->trial, a->trial_F);
}

/* Along the step: to where the slope of the convex function has halved; by bisection, for its values cancel. Or, for
 * the exact F, to where it is smaller. Returns 0 when it is not. */
static int search(augmented *a, real now)
{
    real length = 1.0L, low = 0.0L, high = 0.0L;
    const real slope = dot(a->rank, a->F, a->step);
    for (int trial = 0; trial < (a->exact ? TRIALS : BISECTIONS); ++trial) {
        try_length(a, length);
        if (a->exact) {
            if (speed(a, a->trial_F) <= (1.0L - 0.1L * length) * now) {
                return 1;
            }
            length *= 0.5L;
            continue;
        }
        const real there = dot(a->rank, a->trial_F, a->step);
        if (fabsl(there) <= 0.5L * fabsl(slope)) {
            break;
        }
        if (there > 0.0L) {
            high = length;
        } else {
            low = length;
        }
        length = high > 0.0L ? 0.5L * (low + high) : 2.0L * length;
    }
    return !a->exact;
}

/* F = 0 to `target`; leaves y and what evaluate makes of it. Returns what is left, as a speed over |q|. */
static real inner(augmented *a, real target, int *steps, int limit)
{
    real now = HUGE_VALL, reference = HUGE_VALL;
    evaluate(a, a->y, a->F);
    for (int k = 0, since = 0, bad = 0;; ++k, ++since) {
        now = speed(a, a->F);
        if (now <= 0.5L * reference || (!a->exact && now > FAR)) {
            reference = now;
            since = 0;
        }
        if (!(now > target) || !(now < HUGE_VALL) || k == (a->exact ? EXACT_STEPS : CONVEX_STEPS) || since > PATIENCE ||
            bad == SHORT_STEPS || *steps >= limit) {
            return now;
        }
        derivative(a);
        solve(a);
        bad += !search(a, now);
        for (int j = 0; j < a->rank; ++j) {
            a->y[j] = a->trial[j];
            a->F[j] = a->trial_F[j];
        }
        ++*steps;
        a->fc->factorisations++;
    }
}

/* The next centre: with the exact F where that is solved, else with the shift of the last velocities. */
static void outer(augmented *a, int k, real residual, int *steps, int limit)
{
    const real target = fmaxl(0.1L * (real)a->fc->tolerance, INNER * residual);
    for (int j = 0; j < a->rank; ++j) {
        a->last[j] = a->y[j];
    }
    a->exact = k >= FIRST_EXACT;
    if (a->exact && !(inner(a, target, steps, limit) <= fmaxl(target, 1e-3L * residual))) {
        for (int j = 0; j < a->rank; ++j) {
            a->y[j] = a->last[j];
        }
        a->exact = 0;
    }
    if (!a->exact) {
        (void)inner(a, target, steps, limit);
    }
    for (int i = 0; i < a->fc->size; ++i) {
        a->r[i] = a->p[i];
        a->x[i] = (double)a->p[i];
    }
    for (int c = 0; c < a->fc->n; ++c) {
        a->shift[c] = (real)a->fc->mu[c] * slip(a->fc->d, a->u + a->fc->d * c);
    }
}

/* ---- the method ------------------------------------------------------------------------------------------------ */

static int most_columns(int size) { return size < RANK_MOST ? size : RANK_MOST; }

size_t carom_fc_augmented_work(int d, int n)
{
    const size_t size = (size_t)d * (size_t)n, most = (size_t)most_columns(d * n);
    if (n > CAROM_FC_AUGMENTED_CONTACTS) {
        return 0;
    }
    return carom_arena_round(size * most * sizeof(real)) + carom_arena_round(most * most * sizeof(real)) +
           7 * carom_arena_round(most * sizeof(real)) + 4 * carom_arena_round(size * sizeof(real)) +
           carom_arena_round((size_t)n * sizeof(real)) + 2 * carom_arena_round(size * sizeof(double));
}

static int allocate(augmented *a)
{
    carom_arena *arena = &a->fc->arena;
    const size_t size = (size_t)a->fc->size, most = (size_t)a->most;
    const struct {
        real **vector;
        size_t count;
    } part[] = {{&a->H, size * most}, {&a->A, most * most},
                {&a->y, most},        {&a->last, most},
                {&a->trial, most},    {&a->F, most},
                {&a->trial_F, most},  {&a->step, most},
                {&a->scale, most},    {&a->r, size},
                {&a->u, size},        {&a->z, size},
                {&a->p, size},        {&a->shift, (size_t)a->fc->n}};
    int good = 1;
    for (size_t k = 0; k < sizeof part / sizeof part[0]; ++k) {
        *part[k].vector = carom_arena_take(arena, part[k].count, sizeof(real));
        good = good && *part[k].vector != NULL;
    }
    a->x = carom_arena_take(arena, size, sizeof(double));
    a->v = carom_arena_take(arena, size, sizeof(double));
    return good && a->x != NULL && a->v != NULL;
}

double carom_fc_augmented(carom_fc *fc, double *r, double residual, int limit)
{
    const size_t mark = fc->arena.used;
    augmented a = {.fc = fc, .most = most_columns(fc->size)};
    if (fc->n <= CAROM_FC_AUGMENTED_CONTACTS && allocate(&a) && factorise(&a)) {
        double now = residual;
        const real heaviest = a.sigma;
        real sigma = SIGMA_FIRST;
        int steps = 0, solved = 0;
        carom_fc_velocity(fc, r, a.v);
        for (int i = 0; i < fc->size; ++i) {
            a.r[i] = (real)r[i];
            a.u[i] = (real)a.v[i];
        }
        for (int j = 0; j < a.rank; ++j) { /* y = H^T r */
            a.y[j] = 0.0L;
            for (int i = 0; i < fc->size; ++i) {
                a.y[j] += a.H[(size_t)i * (size_t)a.most + (size_t)j] * a.r[i];
            }
        }
        for (int c = 0; c < fc->n; ++c) {
            a.shift[c] = (real)fc->mu[c] * slip(fc->d, a.u + fc->d * c);
        }
        for (int k = 0; k < OUTER_LIMIT && steps < limit && !solved; ++k) {
            a.sigma = sigma * heaviest;
            sigma = fminl(SIGMA_GROWTH * sigma, SIGMA_LAST);
            outer(&a, k, (real)now, &steps, limit);
            carom_fc_project(fc, a.x);
            now = carom_fc_residual(fc, a.x, a.v);
            residual = carom_fc_better(fc, a.x, now, r, residual);
            solved = carom_fc_reached(fc, now, a.x, a.v);
        }
    }
    fc->arena.used = mark;
    return residual;
}
