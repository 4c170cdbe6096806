/* Dense output: the state at a time t inside the last step, of a doubling program inside the last accepted one, from
 * span[0].t to s->t. Over a span the velocity is the polynomial through span.V at the stages, the position its integral
 * along CAROM_SPAN_PATH (V, or the mean velocities of theta schemes). Asks for
 *
 *     CAROM_SPANS     of how many pieces, one after another, the state keeps what they did: 1; the halves of a step
 *                     made by doubling, times the pieces of a step with impacts at their own times (it may have had
 *                     fewer: then the first ones are of steps before)
 *     CAROM_NODES     stages of the polynomial; 0: constant over the span
 *     CAROM(basis)    [CAROM_NODES][CAROM_NODES] coefficients of 1, x, x^2, ... of the Lagrange polynomials
 *
 * See carom/algorithm.h. */
#ifndef CAROM_BETWEEN_H
#define CAROM_BETWEEN_H

#include "algorithm.h"

/* CAROM_ARGUMENT when t is not inside. */
static inline carom_status CAROM(inside)(const CAROM_STATE *s, double t, double *q, double *v)
{
    int k = CAROM_SPANS - 1; /* where two meet, to rounding, the second one begins */
    double start = s->span[k].t, end = s->t;
    while (k > 0 && t < start - CAROM_INSIDE * (end - start)) {
        end = start;
        start = s->span[--k].t;
    }
    const double h = end - start, x = h > 0.0 ? (t - start) / h : 2.0;
    if (!(x >= -CAROM_INSIDE && x <= 1.0 + CAROM_INSIDE)) {
        return CAROM_ARGUMENT;
    }
#if CAROM_NODES > 0
    double value[CAROM_NODES], integral[CAROM_NODES];
    for (int l = 0; l < CAROM_NODES; ++l) {
        double power = 1.0;
        value[l] = 0.0;
        integral[l] = 0.0;
        for (int j = 0; j < CAROM_NODES; ++j) {
            value[l] += CAROM(basis)[l][j] * power;
            power *= x;
            integral[l] += CAROM(basis)[l][j] * power / (j + 1.0);
        }
    }
#else
    const double value[1] = {1.0}, integral[1] = {x};
#endif
    double moved[CAROM_NV];
    for (int i = 0; i < CAROM_NV; ++i) {
        v[i] = 0.0;
        moved[i] = 0.0;
        for (int l = 0; l < CAROM_LENGTH(CAROM_NODES); ++l) {
            v[i] += value[l] * s->span[k].V[l][i];
            moved[i] += h * integral[l] * s->span[k].CAROM_SPAN_PATH[l][i];
        }
        v[i] = k == CAROM_SPANS - 1 && x >= 1.0 ? s->v[i] : v[i]; /* at the end, after the jump */
    }
    for (int i = 0; i < CAROM_NS; ++i) {
        q[i] = s->span[k].q[i] + moved[i];
    }
#if CAROM_NB > 0
    for (int b = 0; b < CAROM_NB; ++b) {
        carom_quaternion_turn(s->span[k].q + CAROM_NS + 4 * b, moved + CAROM_NS + 3 * b, q + CAROM_NS + 4 * b);
    }
#endif
    return CAROM_OK;
}

#endif
