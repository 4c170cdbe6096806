/* Contacts that cannot be satisfied together: a proof instead of a failed search.
 *
 * Every solution has u_N >= 0. If there is z >= 0 on the normals with W^T z = 0 and q.z < 0, then 0 <= z.u = q.z < 0:
 * there is none; z says which contacts close on each other, as when two walls move towards each other with a body
 * between them. W^T z is zero when it is rounding of its own terms: a heavy body on a light one needs large impulses,
 * and only rounding tells it from a wall.
 *
 * Where z comes from does not matter, since it is checked. Without friction, proximal steps W_NN r + (a/s)(r - centre)
 * + q _|_ r have a solution for every a > 0, and where there is such a z, it is the difference that their centres make
 * from one to the next. */
#include "newton.h"

#include <math.h>

#define NULL_SUM 1e-12 /* of the terms of W^T z */
#define SHIFT 1e-3     /* first a, then a thousandth of it, ... */
#define SHIFTS 3
#define CENTRES 4
#define STEPS 30

/* Is z >= 0 (by contact) a certificate? bound: how many times max s |q| an impulse would have to be to make up for what
 * rounding leaves of W^T z; y and size are scratch [d n]. */
static int check(const carom_fc *fc, const double *z, double *y, double *size, double *bound, int *worst)
{
    const int d = fc->d;
    double largest = 0.0, closing = 0.0, sum = 0.0, most = 0.0, left = 0.0;
    int null = 1;
    *bound = 0.0;
    for (int i = 0; i < fc->size; ++i) {
        y[i] = size[i] = 0.0;
    }
    for (int c = 0; c < fc->n; ++c) {
        const double share = -z[c] * fc->q[d * c];
        largest = fmax(largest, fc->s[c]);
        closing += share;
        sum += z[c];
        if (z[c] > 0.0 && share > most) {
            most = share;
            *worst = c;
        }
        for (int k = fc->row[c]; k < fc->row[c + 1] && z[c] > 0.0; ++k) {
            const int j = d * fc->column[k];
            double terms = 0.0;
            for (int i = 0; i < d; ++i) {
                const double term = fc->block[d * d * k + i] * z[c];
                y[j + i] += term;
                terms += fabs(term);
            }
            size[fc->column[k]] += terms; /* tangents of a contact are measured with its normal */
        }
    }
    for (int c = 0; c < fc->n; ++c) {
        const double here = carom_fc_norm(d, y + d * c);
        left += here;
        null = null && here <= NULL_SUM * size[c];
    }
    const double scale = fmax(fc->q_norm, fc->floor);
    if (!null || !(closing > 10.0 * fc->tolerance * scale * sum)) { /* the latter: within what is called solved */
        return 0;
    }
    *bound = left > 0.0 ? closing / (left * largest * scale) : HUGE_VAL;
    return 1;
}

int carom_fc_squeezed(carom_fc *fc, double *z, double *bound, int *worst)
{
    const size_t mark = fc->arena.used;
    const int sweeps = fc->sweeps, factorisations = fc->factorisations;
    double *mu = carom_arena_take(&fc->arena, (size_t)fc->n, sizeof(double));
    double *r = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    double *centre = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    carom_newton_space space;
    int proved = 0;
    *bound = 0.0;
    for (int c = 0; c < fc->n && !proved && centre != NULL; ++c) { /* nothing moves this one */
        if (!(fc->local[c].wnn < HUGE_VAL) && fc->q[fc->d * c] < 0.0) {
            for (int j = 0; j < fc->n; ++j) {
                z[j] = j == c ? 1.0 : 0.0;
            }
            proved = check(fc, z, r, centre, bound, worst);
        }
    }
    if (!proved && mu != NULL && r != NULL && centre != NULL && carom_newton_allocate(&space, fc)) {
        const double *const friction = fc->mu;
        double shift = SHIFT;
        for (int c = 0; c < fc->n; ++c) {
            mu[c] = 0.0;
        }
        fc->mu = mu;
        for (int k = 0; k < SHIFTS * CENTRES && !proved; ++k) {
            if (k % CENTRES == 0) {
                shift *= k > 0 ? 1e-3 : 1.0;
                for (int i = 0; i < fc->size; ++i) {
                    r[i] = 0.0;
                }
            }
            const carom_newton_options o = {
                .shift = shift, .centre = centre, .weight = 1.0, .limit = STEPS, .patience = STEPS, .target = 1e-14};
            carom_fc_copy(fc->size, r, centre);
            (void)carom_newton_run(fc, &space, &o, r);
            for (int c = 0; c < fc->n; ++c) {
                z[c] = fmax(r[fc->d * c] - centre[fc->d * c], 0.0);
            }
            proved = check(fc, z, space.u, space.F, bound, worst);
        }
        fc->mu = friction;
    }
    fc->arena.used = mark;
    fc->sweeps = sweeps;
    fc->factorisations = factorisations;
    return proved;
}
