/* Accelerated projected gradient with restart.
 *
 *     x+ = P_K( y - (s / L) (W y + q + mu |u_T| e_N) ),     y = x+ + beta (x+ - x)
 *
 * The term mu |u_T| e_N makes the cone problem Coulomb's; without it sliding contacts would lift. Needs only products
 * with W, one for each step, since u is affine: that of y is the same combination as y itself. L, the size of s W, is
 * found on the way; momentum is dropped when it leads uphill. */
#include "solver.h"

#include <math.h>

#define BACK 30 /* times that L may grow in one step */
#define GROW 1.5
#define LEAST 0.3 /* of L, which shrinks a little with every step */
#define SHRINK 0.99

/* next = P_K(y - (s / L) (u + mu |u_T| e_N)) and (u + mu |u_T| e_N) . (next - old) */
static double gradient_step(const carom_fc *fc, double L, const double *y, const double *u, const double *old,
                            double *next)
{
    const int d = fc->d, chunks = carom_fc_chunks(fc);
    double sum = 0.0, part[CAROM_CHUNKS];
    CAROM_SIDE_BY_SIDE(chunks)
    for (int k = 0; k < chunks; ++k) {
        double uphill = 0.0;
        for (int c = carom_chunk(fc->n, chunks, k); c < carom_chunk(fc->n, chunks, k + 1); ++c) {
            const double *uc = u + d * c;
            const double slip = d == 2 ? fabs(uc[1]) : sqrt(uc[1] * uc[1] + uc[2] * uc[2]);
            const double g[3] = {uc[0] + fc->mu[c] * slip, uc[1], d == 3 ? uc[2] : 0.0};
            double *x = next + d * c;
            for (int i = 0; i < d; ++i) {
                x[i] = y[d * c + i] - fc->s[c] / L * g[i];
            }
            carom_cone_project(d, fc->mu[c], x);
            for (int i = 0; i < d; ++i) {
                uphill += g[i] * (x[i] - old[d * c + i]);
            }
        }
        part[k] = uphill;
    }
    for (int k = 0; k < chunks; ++k) {
        sum += part[k];
    }
    return sum;
}

/* Is the problem more curved from y to x than L says? */
static int too_long(const carom_fc *fc, double L, const double *x, const double *u, const double *y, const double *u_y)
{
    const int d = fc->d, chunks = carom_fc_chunks(fc);
    double part[CAROM_CHUNKS][2], curved = 0.0, length = 0.0;
    CAROM_SIDE_BY_SIDE(chunks)
    for (int k = 0; k < chunks; ++k) {
        double own[2] = {0.0, 0.0};
        for (int c = carom_chunk(fc->n, chunks, k); c < carom_chunk(fc->n, chunks, k + 1); ++c) {
            for (int i = d * c; i < d * (c + 1); ++i) {
                const double step = x[i] - y[i];
                own[0] += step * (u[i] - u_y[i]);
                own[1] += step * step / fc->s[c];
            }
        }
        part[k][0] = own[0];
        part[k][1] = own[1];
    }
    for (int k = 0; k < chunks; ++k) {
        curved += part[k][0];
        length += part[k][1];
    }
    return curved > L * length;
}

double carom_fc_apgd(carom_fc *fc, double *r, double residual, int limit)
{
    const size_t mark = fc->arena.used;
    double *vector[6], theta = 1.0, L = 1.0;
    int good = 1;
    for (int k = 0; k < 6; ++k) {
        vector[k] = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        good = good && vector[k] != NULL;
    }
    double *x = vector[0], *u = vector[1], *old = vector[2], *u_old = vector[3], *y = vector[4], *u_y = vector[5];
    if (good) {
        carom_fc_copy(fc->size, r, y);
        carom_fc_copy(fc->size, r, old);
        carom_fc_velocity(fc, y, u_y);
        carom_fc_copy(fc->size, u_y, u_old);
    }
    for (int k = 0; good && k < limit && residual > fc->tolerance; ++k) {
        double uphill = 0.0;
        int again = 1;
        for (int back = 0; back < BACK && again; ++back, L *= again ? GROW : 1.0) {
            uphill = gradient_step(fc, L, y, u_y, old, x);
            carom_fc_velocity(fc, x, u);
            fc->sweeps++;
            again = too_long(fc, L, x, u, y, u_y);
        }
        residual = carom_fc_better(fc, x, carom_fc_natural(fc, x, u, NULL), r, residual);
        const double next = 0.5 * theta * (sqrt(theta * theta + 4.0) - theta);
        const double beta = uphill > 0.0 ? 0.0 : theta * (1.0 - theta) / (theta * theta + next);
        theta = uphill > 0.0 ? 1.0 : next;
        const int chunks = carom_fc_chunks(fc);
        CAROM_SIDE_BY_SIDE(chunks)
        for (int j = 0; j < chunks; ++j) {
            for (int i = carom_chunk(fc->size, chunks, j); i < carom_chunk(fc->size, chunks, j + 1); ++i) {
                y[i] = x[i] + beta * (x[i] - old[i]);
                u_y[i] = u[i] + beta * (u[i] - u_old[i]);
            }
        }
        double *const swap = old, *const u_swap = u_old;
        old = x;
        x = swap;
        u_old = u;
        u = u_swap;
        L = fmax(LEAST, SHRINK * L);
    }
    fc->arena.used = mark;
    return residual;
}
