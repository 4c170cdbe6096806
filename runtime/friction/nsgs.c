/* Nonsmooth Gauss-Seidel: sweep after sweep of exact local solves. Cheap, needs no factorisation, linear convergence
 * that can be arbitrarily slow (hyperstatic problems, heavy on light); for frictionless contacts it is projected
 * Gauss-Seidel. */
#include "solver.h"

#define CHECK_EVERY 5

/* Sweeps with a residual check now and then; keeps the best point. */
static double sweep_until(carom_fc *fc, double *r, double residual, int limit, int symmetric)
{
    const size_t mark = fc->arena.used;
    double *x = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    double *u = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    if (x != NULL && u != NULL) {
        carom_fc_copy(fc->size, r, x);
        for (int k = 1; k <= limit && residual > fc->tolerance; ++k) {
            carom_fc_sweep(fc, x, 0);
            if (symmetric) {
                carom_fc_sweep(fc, x, 1);
            }
            if (k > CHECK_EVERY && k % CHECK_EVERY != 0 && k < limit) {
                continue;
            }
            residual = carom_fc_better(fc, x, carom_fc_residual(fc, x, u), r, residual);
        }
    }
    fc->arena.used = mark;
    return residual;
}

double carom_fc_nsgs(carom_fc *fc, double *r, double residual, int limit)
{
    return sweep_until(fc, r, residual, limit, 0);
}

double carom_fc_symmetric_nsgs(carom_fc *fc, double *r, double residual, int limit)
{
    return sweep_until(fc, r, residual, limit, 1);
}
