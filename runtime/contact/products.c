/* Many coupled contacts: accelerated projected gradients (friction/apgd.c) on the condensed problem, whose products W z
 * are solves with the sparse factor, so that W is never made. */
#include "contact.h"

#include <math.h>

#define STEPS 20000

typedef struct {
    carom_condensed *w;
    carom_info *info;
    carom_status status; /* the first that was not good */
} factored;

/* u = W z + q */
static void product(void *context, const double *z, double *u)
{
    factored *const by = context;
    carom_condensed *const w = by->w;
    const carom_contact_problem *const p = w->p;
    const int d = w->d;
    for (int k = 0; k < p->tables->nv; ++k) {
        w->g[k] = 0.0;
    }
    for (int i = 0; i < w->n; ++i) {
        for (int k = 0; k < d; ++k) {
            if (w->row[d * i + k] >= 0) {
                carom_row_add(p, w->row[d * i + k], z[d * i + k], w->g);
            }
        }
        for (int k = 0; k < d - 1 && w->slides[i]; ++k) {
            if (w->tangent[(d - 1) * i + k] >= 0) {
                carom_row_add(p, w->tangent[(d - 1) * i + k], -w->along[(d - 1) * i + k] * z[d * i], w->g);
            }
        }
    }
    const carom_status status = carom_condensed_apply(w, w->g, NULL, w->x, by->info);
    by->status = by->status == CAROM_OK ? status : by->status;
    for (int i = 0; i < d * w->n; ++i) {
        u[i] = w->row[i] >= 0 ? carom_row_times(p, w->row[i], w->x) + w->q[i] : i % d == 0 ? z[i] + w->q[i] : 0.0;
        if (i % d == 0 && w->rides[i / d] >= 0) {
            const int mount = d * w->rides[i / d];
            u[i] = w->diagonal[mount] * (z[i] - z[mount]);
        }
        u[i] = status == CAROM_OK ? u[i] : (double)NAN;
    }
}

/* diagonals of W and the mass of each contact */
static carom_status measure(carom_condensed *w, double *s, carom_info *info)
{
    const carom_contact_problem *const p = w->p;
    const int d = w->d;
    carom_status status = CAROM_OK;
    for (int i = 0; i < w->n && status == CAROM_OK; ++i) {
        double trace = 0.0;
        int components = 0;
        for (int k = 0; k < d && status == CAROM_OK; ++k) {
            const int row = w->row[d * i + k];
            w->diagonal[d * i + k] = 1.0;
            for (int j = 0; j < p->tables->nv && row >= 0; ++j) {
                w->g[j] = 0.0;
            }
            if (row >= 0) {
                carom_row_add(p, row, 1.0, w->g);
                status = carom_condensed_apply(w, w->g, NULL, w->x, info);
                w->diagonal[d * i + k] = carom_row_times(p, row, w->x);
                trace += w->diagonal[d * i + k];
                ++components;
            }
        }
        if (w->rides[i] >= 0) {
            w->diagonal[d * i] = w->diagonal[d * w->rides[i]];
            trace += w->diagonal[d * i];
            ++components;
        }
        s[i] = trace > 0.0 ? components / trace : 1.0;
    }
    return status;
}

carom_status carom_condensed_products(carom_condensed *w, double tolerance, double floor, carom_info *info)
{
    const int d = w->d, n = w->n;
    factored by = {w, info, CAROM_OK};
    double *const s = carom_arena_take(&w->arena, (size_t)n, sizeof(double));
    carom_fc fc = {.d = d,
                   .n = n,
                   .size = d * n,
                   .mu = w->mu,
                   .q = w->q,
                   .s = s,
                   .tolerance = tolerance,
                   .floor = floor,
                   .q_norm = carom_fc_norm(d * n, w->q),
                   .product = product,
                   .context = &by};
    if (s == NULL) {
        return CAROM_ARGUMENT;
    }
    by.status = measure(w, s, info);
    for (int i = 0; i < n; ++i) {
        for (int k = 1; k < d; ++k) {
            w->z[d * i + k] = w->row[d * i + k] >= 0 ? w->z[d * i + k] : 0.0;
        }
    }
    carom_fc_project(&fc, w->z);
    fc.arena = w->arena;
    double left = by.status == CAROM_OK ? carom_fc_residual(&fc, w->z, w->u) : HUGE_VAL;
    if (by.status == CAROM_OK && left > tolerance) {
        (void)carom_fc_apgd(&fc, w->z, left, STEPS);
        left = carom_fc_residual(&fc, w->z, w->u);
    }
    w->arena.missed = fc.arena.missed;
    if (w->arena.missed > 0 || by.status != CAROM_OK) {
        return w->arena.missed > 0 ? CAROM_ARGUMENT : by.status;
    }
    info->iterations = fc.sweeps;
    if (!(left <= tolerance)) {
        (void)carom_fc_natural(&fc, w->z, w->u, &info->contact);
        info->residual = left;
        return isfinite(left) ? CAROM_CONTACT : CAROM_NOT_FINITE;
    }
    return CAROM_OK;
}
