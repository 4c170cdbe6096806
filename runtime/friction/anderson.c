/* Anderson acceleration of nonsmooth Gauss-Seidel.
 *
 * One sweep is a map g = G(x) whose fixed points are the solutions; f = (g - x)/s is its defect in velocity units (in
 * impulse units heavy contacts would dominate). From the last m differences of f and g the step combines
 *
 *     gamma = argmin | f - dF gamma |,      x <- P_K( g - dG gamma )          (mixing.c).
 *
 * If the defect grows past 3 times the best one the history is dropped and x <- g: the method is then plain
 * Gauss-Seidel again. The accepted point is always a g, the output of a sweep, never the extrapolated x. */
#include "anderson.h"

#include <math.h>

#define GROWTH 3.0
#define CHECK_EVERY 8
#define CHECK_BELOW 3.0 /* defect, in units of tolerance times velocity scale, below which every sweep is checked */

int carom_anderson_start(carom_anderson *h, carom_fc *fc, const double *r)
{
    h->u = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    h->sweeps = 0;
    h->check_below = CHECK_BELOW * fc->tolerance * fmax(fc->q_norm, fc->floor);
    if (!carom_mixing_start(&h->mix, &fc->arena, fc->size) || h->u == NULL) {
        return 0;
    }
    carom_fc_copy(fc->size, r, h->mix.x);
    return 1;
}

size_t carom_fc_anderson_work(int d, int n)
{
    return carom_arena_round((size_t)d * (size_t)n * sizeof(double)) + carom_mixing_work(d * n);
}

/* f = (g - x)/s; returns its norm. */
static double defect(const carom_fc *fc, const double *g, const double *x, double *f)
{
    for (int c = 0; c < fc->n; ++c) {
        const double scale = 1.0 / fc->s[c];
        for (int i = fc->d * c; i < fc->d * (c + 1); ++i) {
            f[i] = (g[i] - x[i]) * scale;
        }
    }
    return sqrt(carom_mixing_dot(fc->size, f, f));
}

double carom_anderson_advance(carom_anderson *h, carom_fc *fc, double *r, double residual, int sweeps)
{
    const int until = h->sweeps + sweeps;
    carom_mixing *const mix = &h->mix;
    while (h->sweeps < until && residual > fc->tolerance) {
        carom_mixing_turn(mix);
        carom_fc_copy(fc->size, mix->x, mix->g);
        carom_fc_sweep(fc, mix->g, 0);
        h->sweeps++;
        const double size_f = defect(fc, mix->g, mix->x, mix->f);
        if (!isfinite(size_f)) {
            break;
        }
        if (size_f <= h->check_below || h->sweeps % CHECK_EVERY == 0 || h->sweeps < 4 || h->sweeps == until) {
            const double now = carom_fc_residual(fc, mix->g, h->u);
            h->check_below = CHECK_BELOW * fc->tolerance * carom_fc_scale(fc, h->u);
            residual = carom_fc_better(fc, mix->g, now, r, residual);
        }
        if (carom_mixing_extrapolate(mix, size_f, GROWTH)) {
            carom_fc_project(fc, mix->x);
        }
    }
    return residual;
}

double carom_fc_anderson(carom_fc *fc, double *r, double residual, int limit)
{
    const size_t mark = fc->arena.used;
    carom_anderson h;
    if (carom_anderson_start(&h, fc, r)) {
        residual = carom_anderson_advance(&h, fc, r, residual, limit);
    }
    fc->arena.used = mark;
    return residual;
}
