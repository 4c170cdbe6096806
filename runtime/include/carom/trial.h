/* The trial step of event capturing: the part of the plan (gen/scheme/capture.lua) that is one step of length x of a
 * Runge-Kutta or D+- method in fixed modes, put back on what these hold, and whether its end is one to go on with.
 * CAROM_ADAPTIVE 1: differences to an embedded method are kept in s->estimate_q, _v, to a coarser one, where there are
 * CAROM_ESTIMATES 2, in s->coarse_q, _v. See carom/algorithm.h. */
#ifndef CAROM_TRIAL_H
#define CAROM_TRIAL_H

#include "algorithm.h"
#include "modes.h"

/* From p to end; impulse gets the impulses of the contact forces. */
static inline carom_status CAROM(trial)(CAROM_STATE *s, const CAROM_MODES *m, CAROM_POINT *p, double x,
                                        CAROM_POINT *end, double *impulse, carom_info *info)
{
    const CAROM(told) *const told = CAROM(tell)(s, m);
    double *const raw = CAROM(works)(s)->raw; /* velocities before they were put back */
    end->t = p->t + x;
    const carom_status status = CAROM(part_trial)(s, CAROM_FROM(p), x, CAROM_AS(told), m->anchor, p->a, p->r, end->q,
                                                  &end->c, end->v, raw, end->U, end->a, end->r, impulse,
#if CAROM_ADAPTIVE > 0
                                                  s->estimate_q, s->estimate_v,
#if CAROM_ESTIMATES > 1
                                                  s->coarse_q, s->coarse_v,
#endif
#endif
                                                  info);
    if (status != CAROM_OK) {
        return status;
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        if (!(fabs(end->v[i]) < HUGE_VAL)) {
            return CAROM_NOT_FINITE;
        }
    }
#if CAROM_NW > 0
    CAROM(switches)(s, &end->c, end->v, end->phi);
#endif
#if CAROM_NR > 0
    double left = 0.0, moved = 0.0, size = s->speed;
    for (int i = 0; i < CAROM_NV; ++i) {
        left = fmax(left, fabs(end->v[i] - raw[i]));
        moved = fmax(moved, fabs(raw[i] - p->v[i]));
        size = fmax(size, fabs(p->v[i]));
    }
    bool apart = false;
    for (int j = 0; j < CAROM_NG; ++j) {
        apart = apart || (told->closed[j] && !(fabs(end->c.g[j]) <= CAROM_APART * s->length));
    }
    /* the stages do not see where the rows turn to: a shorter step does */
    if (apart || left > fmax(CAROM_PULLED * moved, CAROM_PULLED_SPEED * size)) {
        info->residual = left;
        return CAROM_STAGES;
    }
#endif
    return CAROM_OK;
}

#endif
