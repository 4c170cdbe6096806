/* Sliding in space while event capturing goes on: directions that turn, and where they do so too fast for the step
 * (THEORY 7). Asks for what carom/modes.h does, CAROM(bias), CAROM(rows), CAROM(turn_forward); with CAROM_COUPLED 0
 * for CAROM(part_response). See carom/algorithm.h. */
#ifndef CAROM_TURNING_H
#define CAROM_TURNING_H

#include "algorithm.h"
#include "modes.h"

#if CAROM_D == 3
/* Brings the directions of sliding up to date. A direction that turns does so without bound as the speed tends to
 * zero, and no step may pass over that point: *x is shortened to a quarter of the way to it, or what an explicit
 * method can follow. A contact that turns so little that its direction may as well be kept (to less than delta) slides
 * straight on, and its stop is located like any event. The contact that stops here (to delta), or -1. */
static inline int CAROM(stopping)(CAROM_STATE *s, CAROM_MODES *m, CAROM_POINT *p, double delta, bool cut, double *x)
{
    CAROM(capturing) *const w = CAROM(works)(s);
    double *const gam = w->gam, *const acceleration = w->gained, *const turned = w->slip;
    const double H = *x;
    CAROM(bias)(s, &p->c, p->v, gam);
    CAROM(rows)(s, &p->c, p->a, acceleration);
    for (int k = 0; k < CAROM_NC; ++k) {
        m->straight[k] = false;
    }
    const CAROM(told) *const told = CAROM(tell)(s, m);
    CAROM(turn_forward)(s, p->U, told->slide, told->straight, CAROM(slow)(s), turned);
    for (int k = 0; k < CAROM_NT; ++k) {
        m->slip[k] = m->of[CAROM(contact_of)[k] - CAROM_NE] == CAROM_CONTACT_SLIP ? turned[k] : m->slip[k];
    }
    for (int k = 0; k < CAROM_NC; ++k) {
        double speed = 0.0, size = 0.0, along = 0.0;
        for (int l = 0; l < CAROM_D - 1 && m->of[k] == CAROM_CONTACT_SLIP; ++l) {
            const int row = CAROM(tangents)[k][l];
            if (row >= 0) {
                speed = hypot(speed, p->U[row]);
                size = hypot(size, acceleration[row] + gam[row]);
                along += m->slip[row - CAROM_NG] * (acceleration[row] + gam[row]);
            }
        }
        if (!(speed > CAROM(slow)(s) && size > 0.0)) {
            /* sliding begins; where that was not solved the direction is kept to begin with */
            m->straight[k] = cut && m->of[k] == CAROM_CONTACT_SLIP;
            continue;
        }
        const double across = sqrt(fmax(size * size - along * along, 0.0));
        if (across * fmin(H, speed / size) <= fmax(CAROM_STRAIGHT * delta * size, 0.1 * CAROM(slow)(s))) {
            m->straight[k] = true;
            continue;
        }
        if (along < 0.0 && speed <= fmax(delta * size, 10.0 * CAROM(slow)(s))) {
            return k;
        }
        *x = fmin(*x, CAROM_TURN * speed / size);
#if CAROM_COUPLED == 0
        bool set[CAROM_NG] = {false};
        double *const across_it = w->P, *const moved = w->other;
        for (int j = 0; j < CAROM_NR; ++j) {
            across_it[j] = 0.0;
        }
        const int *const row = CAROM(tangents)[k];
        if (row[1] >= 0) { /* the rate at which the direction settles, mu r_N n W n/speed with n across it */
            across_it[row[0]] = -m->slip[row[1] - CAROM_NG];
            across_it[row[1]] = m->slip[row[0] - CAROM_NG];
            set[CAROM_NE + k] = true;
            const carom_status status =
                CAROM(part_response)(s, CAROM_FROM(p), 0.0, set, across_it, moved, &(carom_info){-1, 0, 0.0});
            const double w = across_it[row[0]] * moved[row[0]] + across_it[row[1]] * moved[row[1]];
            const double rate = status == CAROM_OK ? s->derived.mu[k] * p->r[CAROM_NE + k] * w / speed : 0.0;
            *x = rate * *x > 1.0 ? 1.0 / rate : *x;
        }
#endif
    }
    return -1;
}
#endif

#endif
