/* Tells the host which contacts closed, opened, came to stick or began to slide in a step: see carom_contact_events.
 * Costs one comparison where nobody listens. Asks for
 *
 *     CAROM_LISTENS    1: s->events is there (contacts that are written, not found)
 *     CAROM_TS         slower than this is at rest
 *
 * and CAROM(rates). See carom/algorithm.h. */
#ifndef CAROM_LISTEN_H
#define CAROM_LISTEN_H

#include "algorithm.h"
#include "model.h"
#include "touch.h"

#if CAROM_LISTENS > 0
/* What contact k does with impulses J of a step that ends with rates U. */
static inline carom_contact_status CAROM(touch_of)(const CAROM_STATE *s, int k, const double *J, const double *U)
{
#if CAROM_NT > 0
    double slip[CAROM_D - 1] = {0.0};
    int tangents = 0;
    for (int l = 0; l < CAROM_D - 1; ++l) {
        if (CAROM_TANGENT_ROWS[k][l] >= 0) {
            slip[tangents++] = U[CAROM_TANGENT_ROWS[k][l]];
        }
    }
    return carom_contact_status_of(J[CAROM_NE + k], CAROM_MU[k], tangents, slip, CAROM_TS);
#else
    (void)s;
    (void)U;
    return carom_contact_status_of(J[CAROM_NE + k], 0.0, 0, NULL, 0.0);
#endif
}

/* The step from the state to (t, v) with the configuration c and impulses J, before it is accepted. */
static CAROM_CALLED void CAROM(listen)(CAROM_STATE *s, const CAROM(config) * c, const double *v, const double *J,
                                       double t)
{
    double before[CAROM_NR], after[CAROM_NR];
    CAROM(rates)(s, &s->at[s->now], s->v, before);
    CAROM(rates)(s, c, v, after);
    for (int k = 0; k < CAROM_NC; ++k) {
        const carom_contact_status was = CAROM(touch_of)(s, k, s->last, before), is = CAROM(touch_of)(s, k, J, after);
        if (was != is) {
            carom_contact_event e = {.kind = was == CAROM_CONTACT_OPEN   ? CAROM_EVENT_CLOSING
                                             : is == CAROM_CONTACT_OPEN  ? CAROM_EVENT_OPENING
                                             : is == CAROM_CONTACT_STICK ? CAROM_EVENT_STICKING
                                                                         : CAROM_EVENT_SLIPPING,
                                     .contact = k,
                                     .t = t,
                                     .impulse = J[CAROM_NE + k],
                                     .before = before[CAROM_NE + k],
                                     .after = after[CAROM_NE + k]};
#if CAROM_NT > 0
            for (int l = 0; l < CAROM_D - 1; ++l) {
                const int row = CAROM_TANGENT_ROWS[k][l];
                e.friction[l] = row >= 0 ? CAROM_MEASURED(row - CAROM_GAPS) * J[row] : 0.0;
            }
#endif
            carom_contact_events_add(&s->events, &e);
        }
    }
}
#endif

#endif
