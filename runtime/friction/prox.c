/* Proximal point: a sequence of better-posed problems W + (alpha/s) I, q - (alpha/s) r_k, each solved by semismooth
 * Newton from the last point. For large alpha Newton always works, for small alpha the outer sequence is short; the art
 * is the choice of alpha. It shrinks while the subproblems are easy; when both Newton variants fail it grows, with a
 * floor for a while. When progress is slow the next start is extrapolated. Sweeps of Gauss-Seidel after a failure would
 * throw the residual back; none are made. */
#include "prox.h"

#include "newton.h"

#include <math.h>

#define INNER_TARGET 0.05 /* of the outer residual */
#define INNER_LIMIT 30
#define INNER_PATIENCE 8
#define QUICK 4
#define ALPHA_LARGE 1e3

/* Solves the subproblem from `start` into r, by one variant and then the other. */
static int subproblem(carom_fc *fc, carom_newton_space *space, const carom_newton_options *o, const double *start,
                      double *r, int *steps)
{
    carom_newton_options variant = *o;
    int solved = 0;
    *steps = 0;
    for (int k = 0; k < 2 && !solved; ++k) {
        variant.jean_moreau = k;
        carom_fc_copy(fc->size, start, r);
        const carom_newton_outcome out = carom_newton_run(fc, space, &variant, r);
        solved = out.residual <= o->target;
        *steps += out.steps;
    }
    return solved;
}

typedef struct {
    double *centre, *start, *u, *best; /* [d n] */
} outer_space;

static int allocate(carom_fc *fc, carom_newton_space *newton, outer_space *outer)
{
    double **vector[] = {&outer->centre, &outer->start, &outer->u, &outer->best};
    int good = 1;
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k) {
        *vector[k] = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        good = good && *vector[k] != NULL;
    }
    return good && carom_newton_allocate(newton, fc);
}

size_t carom_fc_prox_work(int d, int n, int blocks)
{
    return 4 * carom_arena_round((size_t)d * (size_t)n * sizeof(double)) + carom_newton_work(d, n, blocks);
}

double carom_prox_run(carom_fc *fc, const carom_prox_options *options, double *r, double residual)
{
    const size_t mark = fc->arena.used;
    carom_newton_space newton;
    outer_space o;
    if (allocate(fc, &newton, &o)) {
        double floor = 0.0, best = residual, alpha = options->alpha;
        int slow = 0;
        carom_fc_copy(fc->size, r, o.centre);
        carom_fc_copy(fc->size, r, o.start);
        carom_fc_copy(fc->size, r, o.best);
        for (int k = 0; k < options->limit && best > fc->tolerance && alpha < ALPHA_LARGE; ++k) {
            int steps = 0;
            const carom_newton_options sub = {.weight = options->weight,
                                              .shift = alpha,
                                              .centre = o.centre,
                                              .limit = INNER_LIMIT,
                                              .patience = INNER_PATIENCE,
                                              .target = fmax(INNER_TARGET * residual, 0.5 * fc->tolerance)};
            const int solved = subproblem(fc, &newton, &sub, o.start, r, &steps);
            if (fc->arena.missed > 0 && steps == 0) {
                break;
            }
            if (!solved) {
                floor = 1.5 * alpha;
                alpha *= 5.0;
                slow = 0;
                carom_fc_copy(fc->size, o.centre, o.start);
                continue;
            }
            const double now = carom_fc_residual(fc, r, o.u);
            if (now < best) {
                best = now;
                carom_fc_copy(fc->size, r, o.best);
            }
            slow = now > 0.3 * residual ? slow + 1 : 0;
            if (steps <= QUICK) {
                alpha *= 0.2;
            } else if (slow > 0) {
                alpha *= 0.4;
            }
            alpha = fmax(alpha, floor);
            floor *= 0.7;
            for (int i = 0; i < fc->size; ++i) { /* extrapolate by the last outer step when it crawls */
                o.start[i] = slow >= 2 ? 2.0 * r[i] - o.centre[i] : r[i];
                o.centre[i] = r[i];
            }
            residual = now;
        }
        carom_fc_copy(fc->size, o.best, r);
        residual = best;
    }
    fc->arena.used = mark;
    return residual;
}

double carom_fc_prox(carom_fc *fc, double *r, double residual, int limit)
{
    /* weight 3 was measured to fail and wander less than 1 */
    const carom_prox_options options = {.alpha = 0.1, .weight = 3.0, .limit = limit};
    return carom_prox_run(fc, &options, r, residual);
}
