/* What a host hears of the events that are captured (carom/listen.h): each at its own time, with its own impulses. Asks
 * for what carom/modes.h does; CAROM_LISTENS 1: s->events is there. See carom/algorithm.h. */
#ifndef CAROM_HEAR_H
#define CAROM_HEAR_H

#include "algorithm.h"
#include "modes.h"

#if CAROM_LISTENS > 0
/* Tells the host (carom/listen.h) what an event did to contacts whose modes were `was`. One that bounces off closes and
 * opens. */
static inline void CAROM(hear)(CAROM_STATE *s, const unsigned char *was, const CAROM_WALK *w)
{
    const double *const P = CAROM(works)(s)->struck, *const rate = CAROM(works)(s)->rate;
    for (int k = 0; k < CAROM_NC && s->events.room > 0; ++k) {
        const carom_contact_status from = (carom_contact_status)was[k], to = (carom_contact_status)w->m.of[k];
        const int j = CAROM_NE + k;
        const bool bounces = from == CAROM_CONTACT_OPEN && to == from && P[j] > 0.0;
        if (from == to && !bounces) {
            continue;
        }
        carom_contact_event e = {.kind = carom_event_kind_of(from, to),
                                 .contact = k,
                                 .t = w->p.t,
                                 .impulse = P[j],
                                 .before = rate[k],
                                 .after = w->p.U[j]};
#if CAROM_NT > 0
        for (int l = 0; l < CAROM_D - 1; ++l) {
            const int row = CAROM(tangents)[k][l];
            e.friction[l] = row >= 0 ? CAROM_MEASURED(row - CAROM_NG) * P[row] : 0.0;
        }
#endif
        carom_contact_events_add(&s->events, &e);
        if (bounces) {
            const carom_contact_event off = {
                .kind = CAROM_EVENT_OPENING, .contact = k, .t = e.t, .before = e.after, .after = e.after};
            carom_contact_events_add(&s->events, &off);
        }
    }
}
#endif

#if CAROM_NC > 0
/* Before and after what may happen to contacts at w: s->work.capture.struck collects its impulses. */
static inline void CAROM(before_it)(CAROM_STATE *s, const CAROM_WALK *w)
{
    for (int j = 0; j < CAROM_NR; ++j) {
        CAROM(works)(s)->struck[j] = 0.0;
    }
    for (int k = 0; k < CAROM_NC; ++k) {
        CAROM(works)(s)->rate[k] = w->p.U[CAROM_NE + k];
    }
}

static inline void CAROM(after_it)(CAROM_STATE *s, const unsigned char *was, CAROM_WALK *w, carom_status status)
{
    for (int j = 0; j < CAROM(active)(s) && status == CAROM_OK; ++j) {
        w->total[j] += CAROM(works)(s)->struck[j];
    }
#if CAROM_LISTENS > 0
    if (status == CAROM_OK) {
        CAROM(hear)(s, was, w);
    }
#endif
    (void)was;
}
#endif

#endif
