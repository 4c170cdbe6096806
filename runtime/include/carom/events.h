/* Events of event capturing (THEORY 7.2): what can happen to a contact in its mode, how far it is from happening,
 * where in a step it happens, and gaps that dip below zero inside one. Asks for CAROM(trial) (carom/trial.h, or any
 * other part with its arguments) and the friction of contacts, s->derived.mu. An event is where its function becomes
 * negative. See carom/algorithm.h. */
#ifndef CAROM_EVENTS_H
#define CAROM_EVENTS_H

#include "algorithm.h"
#include "modes.h"
#include "root.h"

enum { CAROM_NONE, CAROM_CLOSING, CAROM_RELEASE, CAROM_SLIP_ZERO, CAROM_STICK_BREAK, CAROM_SWITCH };

typedef struct {
    int kind, contact;
} carom_event;

#if CAROM_NC > 0
#if CAROM_NT > 0
/* slip speed along the direction of sliding; size of the tangential force */
static inline double CAROM(along)(const CAROM_MODES *m, int k, const double *U)
{
    double sum = 0.0;
    for (int l = 0; l < CAROM_D - 1; ++l) {
        const int row = CAROM(tangents)[k][l];
        sum += row >= 0 ? m->slip[row - CAROM_NG] * U[row] : 0.0;
    }
    return sum;
}

static inline double CAROM(tangential)(int k, const double *r)
{
    double sum = 0.0;
    for (int l = 0; l < CAROM_D - 1; ++l) {
        sum = CAROM(tangents)[k][l] >= 0 ? hypot(sum, r[CAROM(tangents)[k][l]]) : sum;
    }
    return sum;
}
#endif

#endif

#if CAROM_NC > 0 || CAROM_NW > 0
/* The event function after a step of length x from p to end; divided by x where it starts from zero. */
static inline double CAROM(distance)(const CAROM_STATE *s, const CAROM_MODES *m, carom_event e, const CAROM_POINT *p,
                                     const CAROM_POINT *end, double x)
{
    (void)s;
    (void)m;
    (void)p;
    (void)x;
#if CAROM_NW > 0
    if (e.kind == CAROM_SWITCH) {
        return m->side[e.contact] * end->phi[e.contact];
    }
#endif
#if CAROM_NC > 0
    const int j = CAROM_NE + e.contact;
    if (e.kind == CAROM_CLOSING) {
        const double g = end->c.g[j] - fmin(p->c.g[j], 0.0);
        return fabs(p->c.g[j]) <= CAROM_TOUCHING * s->length && p->U[j] > 0.0 ? g / x : g;
    }
    const double zero = CAROM_FORCE_ZERO * s->strength; /* a force that is not determined may be 0 all the time */
    if (e.kind == CAROM_RELEASE) {
        return end->r[j] + zero;
    }
#if CAROM_NT > 0
    if (e.kind == CAROM_STICK_BREAK) {
        return s->derived.mu[e.contact] * end->r[j] - CAROM(tangential)(e.contact, end->r) + zero;
    }
    const double speed = CAROM(along)(m, e.contact, end->U);
    return fabs(CAROM(along)(m, e.contact, p->U)) <= CAROM(slow)(s) ? speed / x : speed;
#endif
#endif
    return 1.0;
}
#endif

#if CAROM_NC > 0

/* Has contact k an event between p and end? */
static inline carom_event CAROM(flag)(const CAROM_STATE *s, const CAROM_MODES *m, int k, const CAROM_POINT *p,
                                      const CAROM_POINT *end)
{
    const int j = CAROM_NE + k;
    carom_event e = {CAROM_NONE, k};
    (void)s;
    if (m->of[k] == CAROM_CONTACT_OPEN) {
        const double g = end->c.g[j] - fmin(p->c.g[j], 0.0);
        if ((g < -CAROM_GAP_ROUNDING * s->length && end->U[j] < 0.0) ||
            (g < -CAROM_GAP_CROSSED * s->length && p->c.g[j] > CAROM_GAP_CROSSED * s->length)) {
            e.kind = CAROM_CLOSING;
        }
    } else if (CAROM(distance)(s, m, (carom_event){CAROM_RELEASE, k}, p, end, 1.0) < 0.0) {
        e.kind = CAROM_RELEASE;
#if CAROM_NT > 0
    } else if (m->of[k] == CAROM_CONTACT_STICK &&
               CAROM(distance)(s, m, (carom_event){CAROM_STICK_BREAK, k}, p, end, 1.0) < 0.0) {
        e.kind = CAROM_STICK_BREAK;
    } else if (m->of[k] == CAROM_CONTACT_SLIP && CAROM(along)(m, k, end->U) < -CAROM_RATE_ZERO * s->speed) {
        e.kind = CAROM_SLIP_ZERO;
#endif
    }
    return e;
}

/* Is the gap of a closing contact near enough to zero? */
static inline bool CAROM(arrived)(const CAROM_STATE *s, carom_event e, const CAROM_POINT *p, double delta)
{
    return e.kind == CAROM_CLOSING && fabs(p->c.g[CAROM_NE + e.contact]) <= delta * s->speed;
}
#endif

#if CAROM_NC > 0 || CAROM_NW > 0
/* Brackets the event in (0, x] to delta by re-integrating one step of shorter length: where a gap closes to the zero of
 * the cubic through gaps and rates at both ends of the bracket, else Illinois; iterates stay 0.45 delta from both ends,
 * every third is a bisection after twelve. `end` becomes the point just after it, x its distance. */
static inline carom_status CAROM(locate)(CAROM_STATE *s, const CAROM_MODES *m, carom_event e, CAROM_POINT *p,
                                         double delta, double *x, CAROM_POINT *end, double *impulse, carom_info *info)
{
    double a = 0.0, b = *x, fb = CAROM(distance)(s, m, e, p, end, b);
    double fa = fmax(CAROM(distance)(s, m, e, p, p, 1.0), 0.0);
    CAROM_POINT *const mid = &CAROM(works)(s)->mid;
    double *const other = CAROM(works)(s)->other;
#if CAROM_NC > 0
    const int row = CAROM_NE + e.contact;
    bool smooth = false; /* ga, Ua, gb, Ub: gap and rate at both ends */
    double ga = 0.0, Ua = 0.0, gb = 0.0, Ub = 0.0;
    if (e.kind == CAROM_CLOSING) {
        const double g = p->c.g[row], U = p->U[row];
        const bool leaves = fabs(g) <= CAROM_TOUCHING * s->length && U > 0.0;
        fa = leaves ? U : g - fmin(g, 0.0);
        smooth = !leaves && fa > 0.0;
        ga = g;
        Ua = U;
        gb = end->c.g[row];
        Ub = end->U[row];
    }
#endif
    for (int k = 0; k < CAROM_BRACKET_STEPS && b - a > delta; ++k) {
#if CAROM_NC > 0
        if (CAROM(arrived)(s, e, end, delta)) {
            break;
        }
#endif
        double y = fa > 0.0 && fb < 0.0 ? a + (b - a) * fa / (fa - fb) : 0.5 * (a + b);
#if CAROM_NC > 0
        if (smooth) {
            y = a + (b - a) * carom_hermite_root(ga, (b - a) * Ua, gb, (b - a) * Ub, 0.0);
        }
#endif
        if (k > 12 && k % 3 == 0) {
            y = 0.5 * (a + b);
        }
        y = fmin(fmax(y, a + CAROM_BRACKET_INSET * delta), b - CAROM_BRACKET_INSET * delta);
        const carom_status status = CAROM(trial)(s, m, p, y, mid, other, info);
        if (status != CAROM_OK) {
            return status;
        }
        const double f = CAROM(distance)(s, m, e, p, mid, y);
#if CAROM_NC > 0
        const bool near_left = f >= 0.0 && CAROM(arrived)(s, e, mid, delta) && mid->U[CAROM_NE + e.contact] < 0.0;
#else
        const bool near_left = false;
#endif
        if (f < 0.0 || near_left) {
            b = y;
#if CAROM_NC > 0
            gb = smooth ? mid->c.g[row] : gb;
            Ub = smooth ? mid->U[row] : Ub;
            smooth = smooth && f < 0.0;
#endif
            fb = f < 0.0 ? f : fb;
            fa *= k > 0 ? 0.5 : 1.0;
            *end = *mid;
            for (int j = 0; j < CAROM(active)(s); ++j) {
                impulse[j] = other[j];
            }
            if (near_left) {
                break;
            }
        } else {
            a = y;
#if CAROM_NC > 0
            ga = smooth ? mid->c.g[row] : ga;
            Ua = smooth ? mid->U[row] : Ua;
            smooth = smooth && f > 0.0;
#endif
            fa = f;
            fb *= k > 0 ? 0.5 : 1.0;
        }
    }
    *x = b;
    return CAROM_OK;
}
#endif

#if CAROM_NC > 0

/* A gap that dips below zero inside (0, x) though it is open at both ends: cubic Hermite of the gap. The abscissa of
 * the lowest such minimum below the margin, or 0. */
static inline double CAROM(excursion)(const CAROM_MODES *m, const CAROM_POINT *p, const CAROM_POINT *end, double x,
                                      double margin)
{
    double where = 0.0, deepest = HUGE_VAL;
    for (int k = 0; k < CAROM_NC; ++k) {
        const int j = CAROM_NE + k;
        const double U0 = p->U[j], U1 = end->U[j], g0 = p->c.g[j], g1 = end->c.g[j];
        if (m->of[k] == CAROM_CONTACT_OPEN && U0 < 0.0 && U1 > 0.0) {
            /* g(s) = g0 + s U0 x + s^2 b + s^3 c on s in [0, 1] */
            const double b = 3.0 * (g1 - g0) - x * (2.0 * U0 + U1), c = x * (U0 + U1) - 2.0 * (g1 - g0);
            const double root = b * b - 3.0 * c * x * U0;
            const double y = root >= 0.0 ? -x * U0 / (b + sqrt(root)) : -1.0; /* the minimum */
            const double g = g0 + y * (x * U0 + y * (b + y * c));
            if (y > 0.0 && y < 1.0 && g - fmin(g0, 0.0) < margin * x * fmax(-U0, U1) && g < deepest) {
                deepest = g;
                where = y * x;
            }
        }
    }
    return where;
}
#endif

#endif
