/* What written contacts did in a step; and telling the host which closed, opened, came to stick or began to slide: see
 * carom_contact_events. That costs one comparison where nobody listens. Asks for
 *
 *     CAROM_LISTENS    1: s->events is there (contacts that are written, not found)
 *     CAROM_ROW_BY_ROW 1: there may be many rows, and CAROM(row_rate) gives the rate of one; 0: CAROM(rates) of all
 *     CAROM_TS         slower than this is at rest
 *
 * See carom/algorithm.h. */
#ifndef CAROM_LISTEN_H
#define CAROM_LISTEN_H

#include "algorithm.h"
#include "model.h"
#include "touch.h"

/* What it is when a contact changes from one to the other. */
static inline carom_event_kind carom_event_kind_of(carom_contact_status was, carom_contact_status is)
{
    return was == CAROM_CONTACT_OPEN   ? CAROM_EVENT_CLOSING
           : is == CAROM_CONTACT_OPEN  ? CAROM_EVENT_OPENING
           : is == CAROM_CONTACT_STICK ? CAROM_EVENT_STICKING
                                       : CAROM_EVENT_SLIPPING;
}

#if CAROM_WC > 0
/* Rates of rows at velocities v. */
typedef struct {
#if CAROM_ROW_BY_ROW > 0
    const CAROM(config) * c;
    const double *v;
#else
    double U[CAROM_NR];
#endif
} CAROM(row_rates);

static inline void CAROM(look_at_rows)(const CAROM_STATE *s, const CAROM(config) * c, const double *v,
                                       CAROM(row_rates) * rates)
{
#if CAROM_ROW_BY_ROW > 0
    (void)s;
    rates->c = c;
    rates->v = v;
#else
    CAROM(rates)(s, c, v, rates->U);
#endif
}

static inline double CAROM(rate_at)(const CAROM_STATE *s, const CAROM(row_rates) * rates, int row)
{
#if CAROM_ROW_BY_ROW > 0
    return CAROM(row_rate)(s, rates->c, rates->v, row);
#else
    (void)s;
    return rates->U[row];
#endif
}

/* What contact k does with impulses J of a step that ends with these rates. */
static inline carom_contact_status CAROM(touch_of)(const CAROM_STATE *s, int k, const double *J,
                                                   const CAROM(row_rates) * rates)
{
#if CAROM_WT > 0
    double slip[CAROM_D - 1] = {0.0};
    int tangents = 0;
    for (int l = 0; l < CAROM_D - 1; ++l) {
        if (CAROM_TANGENT_ROWS[k][l] >= 0) {
            slip[tangents++] = CAROM(rate_at)(s, rates, CAROM_TANGENT_ROWS[k][l]);
        }
    }
    return carom_contact_status_of(J[CAROM_NE + k], CAROM_MU[k], tangents, slip, CAROM_TS);
#else
    (void)s;
    (void)rates;
    return carom_contact_status_of(J[CAROM_NE + k], 0.0, 0, NULL, 0.0);
#endif
}
#endif

#if CAROM_LISTENS > 0

/* The step from the state to (t, v) with the configuration c and impulses J, before it is accepted. */
static CAROM_CALLED void CAROM(listen)(CAROM_STATE *s, const CAROM(config) * c, const double *v, const double *J,
                                       double t)
{
    CAROM(row_rates) before, after;
    CAROM(look_at_rows)(s, &s->at[s->now], s->v, &before);
    CAROM(look_at_rows)(s, c, v, &after);
    for (int k = 0; k < CAROM_NC; ++k) {
        const carom_contact_status was = CAROM(touch_of)(s, k, s->last, &before), is = CAROM(touch_of)(s, k, J, &after);
        if (was != is) {
            carom_contact_event e = {.kind = carom_event_kind_of(was, is),
                                     .contact = k,
                                     .t = t,
                                     .impulse = J[CAROM_NE + k],
                                     .before = CAROM(rate_at)(s, &before, CAROM_NE + k),
                                     .after = CAROM(rate_at)(s, &after, CAROM_NE + k)};
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
