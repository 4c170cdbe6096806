/* Accelerated projected gradient with restart.
 *
 *     x+ = P_K( y - h s (W y + q + mu |u_T| e_N) ),     y = x+ + beta (x+ - x)
 *
 * The term mu |u_T| e_N makes the cone problem Coulomb's; without it sliding contacts would lift. Needs only products
 * with W. The step h is 1 / (largest eigenvalue of the scaled W), estimated by power iteration and kept on the safe
 * side; momentum is dropped when it points against the last step. */
#include "solver.h"

#include <math.h>

#define POWER_STEPS 12
#define MARGIN 1.1
#define CHECK_EVERY 10

/* Largest eigenvalue of s W, by power iteration from a fixed vector. x and y are scratch. */
static double largest_eigenvalue(const carom_fc *fc, double *x, double *y)
{
    double value = 1.0;
    for (int i = 0; i < fc->size; ++i) {
        x[i] = 1.0 + 0.1 * ((i * 7) % 11); /* in no symmetric problem's null space */
    }
    for (int k = 0; k < POWER_STEPS; ++k) {
        const double norm = carom_fc_norm(fc->size, x);
        if (!(norm > 0.0)) {
            return 1.0;
        }
        for (int i = 0; i < fc->size; ++i) {
            x[i] /= norm;
        }
        carom_fc_velocity(fc, x, y);
        for (int c = 0; c < fc->n; ++c) {
            for (int i = fc->d * c; i < fc->d * (c + 1); ++i) {
                y[i] = (y[i] - fc->q[i]) * fc->s[c];
            }
        }
        value = carom_fc_norm(fc->size, y);
        carom_fc_copy(fc->size, y, x);
    }
    return value;
}

/* next = P_K(y - step s (u + mu |u_T| e_N)) with u = W y + q */
static void gradient_step(const carom_fc *fc, double step, const double *y, double *u, double *next)
{
    const int d = fc->d;
    carom_fc_velocity(fc, y, u);
    for (int c = 0; c < fc->n; ++c) {
        const double *uc = u + d * c;
        const double slip = d == 2 ? fabs(uc[1]) : sqrt(uc[1] * uc[1] + uc[2] * uc[2]);
        const double h = step * fc->s[c];
        double *x = next + d * c;
        x[0] = y[d * c] - h * (uc[0] + fc->mu[c] * slip);
        for (int i = 1; i < d; ++i) {
            x[i] = y[d * c + i] - h * uc[i];
        }
        carom_cone_project(d, fc->mu[c], x);
    }
}

double carom_fc_apgd(carom_fc *fc, double *r, double residual, int limit)
{
    const size_t mark = fc->arena.used;
    double *x = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    double *y = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    double *next = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    double *u = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    if (x != NULL && y != NULL && next != NULL && u != NULL) {
        const double step = 1.0 / (MARGIN * largest_eigenvalue(fc, y, u));
        double theta = 1.0;
        carom_fc_copy(fc->size, r, x);
        carom_fc_copy(fc->size, r, y);
        for (int k = 1; k <= limit && residual > fc->tolerance; ++k) {
            gradient_step(fc, step, y, u, next);
            fc->sweeps++;
            double against = 0.0; /* (y - next) . (next - x) > 0: the momentum points uphill */
            for (int c = 0; c < fc->n; ++c) {
                for (int i = fc->d * c; i < fc->d * (c + 1); ++i) {
                    against += (y[i] - next[i]) * (next[i] - x[i]) / fc->s[c];
                }
            }
            const double following = 0.5 * (1.0 + sqrt(1.0 + 4.0 * theta * theta));
            const double beta = against > 0.0 ? 0.0 : (theta - 1.0) / following;
            theta = against > 0.0 ? 1.0 : following;
            for (int i = 0; i < fc->size; ++i) {
                y[i] = next[i] + beta * (next[i] - x[i]);
            }
            double *swap = x;
            x = next;
            next = swap;
            if (k % CHECK_EVERY == 0 || k == limit) {
                const double now = carom_fc_residual(fc, x, u);
                if (now < residual) {
                    residual = now;
                    carom_fc_copy(fc->size, x, r);
                }
            }
        }
    }
    fc->arena.used = mark;
    return residual;
}
