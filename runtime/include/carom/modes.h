/* What programs that capture events (THEORY 7) run and look at: points, modes (what each contact does: free, closed,
 * stick, slip), and the parts of a plan (gen/scheme/capture.lua) that know how the model moves in them. Asks for
 * CAROM(configure), s->work.capture of carom/points.h, with rows CAROM(rates), of friction the tables contact_of and
 * tangents, and for the parts
 *
 *     CAROM(part_trial), part_evaluate, part_place, part_brake, part_rest
 *
 * each from a state (t, q, v) with its configuration, over h. See carom/algorithm.h. */
#ifndef CAROM_MODES_H
#define CAROM_MODES_H

#include "algorithm.h"
#include "model.h"
#include "points.h"
#include "sets.h"

#define CAROM_CONFIG CAROM(config)
#define CAROM_POINT CAROM(point)
#define CAROM_MODES CAROM(modes)
#define CAROM_WALK CAROM(walk)

#define CAROM_AS(told) (told)->closed, (told)->stick, (told)->straight, (told)->slide
#define CAROM_FROM(p) (p)->t, (p)->q, (p)->v, &(p)->c

/* Rates and gaps that count as zero, beside the scales of the motion. */
static inline double CAROM(slow)(const CAROM_STATE *s) { return CAROM_RATE_ZERO * s->speed; }

static inline double CAROM(close)(const CAROM_STATE *s) { return CAROM_GAP_ZERO * s->length; }

/* Where the program works. */
static inline CAROM(capturing) * CAROM(works)(CAROM_STATE *s) { return &s->work.capture; }

/* Modes as parts are told them; until they are told others. */
static inline CAROM(told) * CAROM(tell)(CAROM_STATE *s, const CAROM_MODES *m)
{
    CAROM(told) *const told = &CAROM(works)(s)->told;
    (void)m;
    for (int j = 0; j < CAROM_NG; ++j) {
        const unsigned char of = j < CAROM_NE ? CAROM_CONTACT_CLOSED : m->of[j - CAROM_NE];
        told->closed[j] = of != CAROM_CONTACT_OPEN;
        told->stick[j] = of == CAROM_CONTACT_STICK;
#if CAROM_D == 3
        told->straight[j] = j < CAROM_NE || m->straight[j - CAROM_NE];
#else
        told->straight[j] = true;
#endif
    }
#if CAROM_NT > 0
    for (int k = 0; k < CAROM_NT; ++k) {
        told->slide[k] = m->of[CAROM(contact_of)[k] - CAROM_NE] == CAROM_CONTACT_SLIP ? m->slip[k] : 0.0;
    }
#endif
    return told;
}

#if CAROM_NT > 0
/* Contact k begins to stick here. */
static inline void CAROM(hold_on)(CAROM_MODES *m, int k, const CAROM_POINT *p)
{
    for (int l = 0; l < CAROM_NT; ++l) {
        if (CAROM(contact_of)[l] == CAROM_NE + k) {
            m->anchor[l] = p->c.slide[l];
        }
    }
}
#endif

/* Acceleration, forces and rates of a point. */
static inline carom_status CAROM(mode_evaluate)(CAROM_STATE *s, const CAROM_MODES *m, CAROM_POINT *p, carom_info *info)
{
    const CAROM(told) *const told = CAROM(tell)(s, m);
    return CAROM(part_evaluate)(s, CAROM_FROM(p), 0.0, CAROM_AS(told), p->U, p->a, p->r, info);
}

#if CAROM_NR > 0
/* Puts q on g = 0 of closed contacts and bilateral rows, v on U = 0 of what is held. */
static inline carom_status CAROM(mode_project)(CAROM_STATE *s, const CAROM_MODES *m, CAROM_POINT *p, carom_info *info)
{
    const CAROM(told) *const told = CAROM(tell)(s, m);
    const carom_status status = CAROM(part_place)(s, CAROM_FROM(p), 0.0, CAROM_AS(told), m->anchor, p->q, &p->c, info);
    return status == CAROM_OK ? CAROM(part_brake)(s, CAROM_FROM(p), 0.0, CAROM_AS(told), p->v, info) : status;
}

/* Ends the rates of what is held, with friction where it slides; adds the impulses. */
static inline carom_status CAROM(mode_rest)(CAROM_STATE *s, const CAROM_MODES *m, CAROM_POINT *p, double *total,
                                            carom_info *info)
{
    double *const P = CAROM(works)(s)->P;
    const CAROM(told) *const told = CAROM(tell)(s, m);
    const carom_status status = CAROM(part_rest)(s, CAROM_FROM(p), 0.0, CAROM_AS(told), p->v, P, info);
    CAROM(rates)(s, &p->c, p->v, p->U);
    for (int j = 0; j < CAROM(active)(s) && status == CAROM_OK; ++j) {
        total[j] += P[j];
    }
    return status;
}
#endif

#endif
