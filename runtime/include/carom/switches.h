/* Switches of forces as events (THEORY 7.7). Each has a function phi of (t, q, v), CAROM(switches), which is zero where
 * forces jump or have a kink, and a side, s->side: 1 or -1 where forces keep that of the start of a trial step whatever
 * phi becomes in it, 0 where they do not. Asks for what carom/trial.h does. See carom/algorithm.h. */
#ifndef CAROM_SWITCHES_H
#define CAROM_SWITCHES_H

#include "algorithm.h"
#include "modes.h"
#include "trial.h"

#if CAROM_NW > 0
static inline void CAROM(take_sides)(CAROM_STATE *s, const double *side)
{
    for (int k = 0; k < CAROM_NW; ++k) {
        s->side[k] = side[k];
    }
}

/* The side to which phi of switch k goes from p, the preferred one first. Where both sides send it back (dry friction
 * at rest) none is kept until the step ends: as without location then. */
static inline carom_status CAROM(choose_side)(CAROM_STATE *s, CAROM_MODES *m, int k, double preferred, CAROM_POINT *p,
                                              carom_info *info)
{
    CAROM(capturing) *const w = CAROM(works)(s);
    for (int turn = 0; turn < 3; ++turn) {
        const double side = turn == 0 ? preferred : turn == 1 ? -preferred : 0.0;
        m->side[k] = side;
        CAROM(take_sides)(s, m->side);
        carom_status status = CAROM(mode_evaluate)(s, m, p, info);
        if (status == CAROM_OK && turn < 2) {
            status = CAROM(trial)(s, m, p, CAROM_SWITCH_LOOK * CAROM_TIME, &w->mid, w->other, info);
        }
        if (status != CAROM_OK || turn == 2 || side * (w->mid.phi[k] - p->phi[k]) >= 0.0) {
            return status;
        }
    }
    return CAROM_OK;
}

/* Sides of a state that a step starts from. What a step feels of the last one may change them between the two. */
static inline carom_status CAROM(start_sides)(CAROM_STATE *s, CAROM_MODES *m, CAROM_POINT *p, carom_info *info)
{
    bool changed = false;
    CAROM(switches)(s, &p->c, p->v, p->phi);
    for (int k = 0; k < CAROM_NW; ++k) {
        const double side = p->phi[k] > 0.0 ? 1.0 : p->phi[k] < 0.0 ? -1.0 : 0.0;
        changed = changed || side * m->side[k] < 0.0; /* 0: forces were those of phi */
        m->side[k] = side;
    }
    CAROM(take_sides)(s, m->side);
    carom_status status = changed ? CAROM(mode_evaluate)(s, m, p, info) : CAROM_OK;
    for (int k = 0; k < CAROM_NW && status == CAROM_OK; ++k) {
        if (!(fabs(p->phi[k]) > 0.0)) {
            status = CAROM(choose_side)(s, m, k, 1.0, p, info);
        }
    }
    return status;
}

/* Has switch k its zero between p and end? */
static inline bool CAROM(switched)(const CAROM_MODES *m, int k, const CAROM_POINT *end)
{
    return m->side[k] * end->phi[k] < 0.0;
}

/* The other side of all whose zero is passed. */
static inline carom_status CAROM(switch_over)(CAROM_STATE *s, CAROM_MODES *m, CAROM_POINT *p, carom_info *info)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < CAROM_NW && status == CAROM_OK; ++k) {
        if (CAROM(switched)(m, k, p)) {
            status = CAROM(choose_side)(s, m, k, -m->side[k], p, info);
        }
    }
    CAROM(switches)(s, &p->c, p->v, p->phi); /* those of others may look at it */
    for (int k = 0; k < CAROM_NW; ++k) {
        m->side[k] = CAROM(switched)(m, k, p) ? -m->side[k] : m->side[k];
    }
    CAROM(take_sides)(s, m->side);
    return status == CAROM_OK ? CAROM(mode_evaluate)(s, m, p, info) : status;
}
#endif

#endif
