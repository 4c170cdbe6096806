/* Alternating directions with one factorisation.
 *
 * With R_c = rho s_c and S = mu |u_T| e_N, Coulomb's law is u + S in K*, the dual cone, and r = -R z with z in its
 * polar. Splitting the law from u = W r + q gives, for a point x = y + z with y = P_K*(x), z = x - y,
 *
 *     (W + R^-1) r' = y - z - S - q,    u = W r' + q,    S <- mu |u_T| e_N,    x <- 1.6 (u + S) - 0.6 y + z
 *
 * whose fixed points are the solutions, with r = -R z inside the cone always. The matrix never changes: one sparse
 * factorisation, then a back substitution per iteration, however long the chains of contacts are that make sweeps slow.
 * rho is fixed: 1000 masses of a contact suit stacks and 30 heaps of spheres; balancing the two residuals by changing
 * rho was measured to lead astray. The map is accelerated as sweeps are (mixing.c), with S among the unknowns. */
#include "mixing.h"
#include "sparse.h"

#include <math.h>

#define RELAX 1.6
#define GROWTH 2.0
#define FILL_PER_BLOCK 6
#define PATIENCE 150 /* iterations in which the best residual must halve */
#define RUNAWAY 1e6  /* |R^-1 r| in units of |q| */

typedef struct {
    double *y, *z, *r, *u, *rhs, *trial; /* [d n] */
    double *block;                       /* W + R^-1 */
    carom_lu lu;
    carom_mixing mix; /* [(d + 1) n] x, then S */
} admm;

/* What the law makes of x: y in the dual cone, z in the polar of it. */
static void split(const carom_fc *fc, const double *x, double *y, double *z)
{
    for (int c = 0; c < fc->n; ++c) {
        const int at = fc->d * c;
        for (int i = at; i < at + fc->d; ++i) {
            z[i] = -x[i];
        }
        carom_cone_project(fc->d, fc->mu[c], z + at);
        for (int i = at; i < at + fc->d; ++i) {
            z[i] = -z[i];
            y[i] = x[i] - z[i];
        }
    }
}

static double slip(int d, const double *u) { return d == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]); }

/* The factor of W + R^-1. */
static int factorise(carom_fc *fc, admm *a, double rho)
{
    const int dd = fc->d * fc->d;
    carom_fc_copy(dd * fc->row[fc->n], fc->block, a->block);
    for (int c = 0; c < fc->n; ++c) {
        for (int i = 0; i < fc->d; ++i) {
            a->block[dd * fc->diagonal[c] + (fc->d + 1) * i] += 1.0 / (rho * fc->s[c]);
        }
    }
    const carom_blocks A = {fc->d, fc->n, fc->row, fc->column, a->block};
    if (!carom_lu_analyse(&a->lu, &A, &fc->arena)) {
        return 0;
    }
    (void)carom_lu_factor(&a->lu, &A);
    fc->factorisations++;
    return 1;
}

/* One iteration from mix.x to mix.g. r is improved by what is left of its equation, so that rounding in the factor does
 * not stay. */
static void iterate(const carom_fc *fc, admm *a, double rho)
{
    const int d = fc->d;
    const double *const S = a->mix.x + fc->size;
    double *const g = a->mix.g;
    split(fc, a->mix.x, a->y, a->z);
    carom_fc_velocity(fc, a->r, a->u);
    for (int c = 0; c < fc->n; ++c) {
        for (int i = d * c; i < d * (c + 1); ++i) {
            a->rhs[i] = a->y[i] - a->z[i] - a->u[i] - a->r[i] / (rho * fc->s[c]);
        }
        a->rhs[d * c] -= S[c];
    }
    carom_lu_solve(&a->lu, a->rhs);
    for (int c = 0; c < fc->n; ++c) {
        const int at = d * c;
        for (int i = at; i < at + d; ++i) {
            a->r[i] += a->rhs[i];
            a->u[i] = a->y[i] - a->z[i] - a->r[i] / (rho * fc->s[c]);
        }
        a->u[at] -= S[c];
        g[fc->size + c] = fc->mu[c] * slip(d, a->u + at);
        for (int i = at; i < at + d; ++i) {
            g[i] = RELAX * a->u[i] + (1.0 - RELAX) * a->y[i] + a->z[i];
        }
        g[at] += RELAX * g[fc->size + c];
    }
}

/* r = -R z of a point; returns |R^-1 r|. Contacts that nothing moves have none. */
static double impulses(const carom_fc *fc, double rho, const double *x, double *r)
{
    double sum = 0.0;
    for (int c = 0; c < fc->n; ++c) {
        const int at = fc->d * c;
        const double weight = fc->local[c].wnn < HUGE_VAL ? rho * fc->s[c] : 0.0;
        for (int i = at; i < at + fc->d; ++i) {
            r[i] = -x[i];
        }
        carom_cone_project(fc->d, fc->mu[c], r + at);
        for (int i = at; i < at + fc->d; ++i) {
            sum += r[i] * r[i];
            r[i] *= weight;
        }
    }
    return sqrt(sum);
}

/* The point that belongs to r: z = -R^-1 r, and what of u + S lies in the dual cone. */
static void begin(carom_fc *fc, admm *a, double rho, const double *r)
{
    carom_fc_copy(fc->size, r, a->r);
    carom_fc_velocity(fc, r, a->u);
    for (int c = 0; c < fc->n; ++c) {
        const int at = fc->d * c;
        a->mix.x[fc->size + c] = fc->mu[c] * slip(fc->d, a->u + at);
        a->u[at] += a->mix.x[fc->size + c];
    }
    split(fc, a->u, a->y, a->z);
    for (int c = 0; c < fc->n; ++c) {
        for (int i = fc->d * c; i < fc->d * (c + 1); ++i) {
            a->mix.x[i] = a->y[i] - r[i] / (rho * fc->s[c]);
        }
    }
}

size_t carom_fc_admm_work(int d, int n, int blocks)
{
    const size_t count = (size_t)n, stored = (size_t)blocks, dd = (size_t)d * (size_t)d;
    const size_t full = count * (count > 0 ? count - 1 : 0) / 2, ordinary = FILL_PER_BLOCK * stored;
    return 8 * carom_arena_round((size_t)d * count * sizeof(double)) + carom_arena_round(dd * stored * sizeof(double)) +
           carom_mixing_work((d + 1) * n) + carom_lu_work(d, n, blocks) +
           ((full < ordinary ? full : ordinary) + 16) * 2 * (sizeof(int) + dd * sizeof(double));
}

double carom_admm_run(carom_fc *fc, double rho, double *r, double residual, int limit, int patience)
{
    const size_t mark = fc->arena.used;
    admm a;
    double **vector[] = {&a.y, &a.z, &a.r, &a.u, &a.rhs, &a.trial};
    int good = 1;
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k) {
        *vector[k] = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        good = good && *vector[k] != NULL;
    }
    a.block = carom_arena_take(&fc->arena, (size_t)(fc->d * fc->d) * (size_t)fc->row[fc->n], sizeof(double));
    if (good && a.block != NULL && carom_mixing_start(&a.mix, &fc->arena, fc->size + fc->n) && factorise(fc, &a, rho)) {
        begin(fc, &a, rho, r);
        double reference = residual; /* the best residual when patience was last renewed */
        for (int k = 0, since = 0; k < limit && since < patience && residual > fc->tolerance; ++k, ++since) {
            carom_mixing_turn(&a.mix);
            iterate(fc, &a, rho);
            fc->sweeps++;
            for (int i = 0; i < a.mix.size; ++i) {
                a.mix.f[i] = a.mix.g[i] - a.mix.x[i];
            }
            const double size_f = sqrt(carom_mixing_dot(a.mix.size, a.mix.f, a.mix.f));
            if (!isfinite(size_f)) {
                break;
            }
            if (impulses(fc, rho, a.mix.g, a.trial) > RUNAWAY * fmax(fc->q_norm, fc->floor)) {
                break; /* contacts that close on each other: u = W r + q would soon be rounding */
            }
            residual = carom_fc_better(fc, a.trial, carom_fc_residual(fc, a.trial, a.rhs), r, residual);
            if (residual <= 0.5 * reference) {
                reference = residual;
                since = 0;
            }
            (void)carom_mixing_extrapolate(&a.mix, size_f, GROWTH);
        }
    }
    fc->arena.used = mark;
    return residual;
}

/* As for stacks, then, from the start once more, as for heaps. */
double carom_fc_admm(carom_fc *fc, double *r, double residual, int limit)
{
    const size_t mark = fc->arena.used;
    double *const start = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    double *const x = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    if (start != NULL && x != NULL) {
        const double first = residual;
        const int before = fc->sweeps;
        carom_fc_copy(fc->size, r, start);
        residual = carom_admm_run(fc, CAROM_ADMM_STACKS, r, residual, limit, PATIENCE);
        if (residual > fc->tolerance) {
            carom_fc_copy(fc->size, start, x);
            residual = carom_fc_better(
                fc, x, carom_admm_run(fc, CAROM_ADMM_HEAPS, x, first, limit - (fc->sweeps - before), limit), r,
                residual);
        }
    }
    fc->arena.used = mark;
    return residual;
}
