/* What happens at an event of event capturing (THEORY 7.4, 7.5): impact, release, end of sliding or of sticking; then
 * the new modes by the contact problem at the acceleration level, and the end of bouncing. Asks, besides
 * carom/impact.h, for CAROM(bias), CAROM(rows), and
 *
 *     CAROM(part_modes)     that contact problem (gen/scheme/capture.lua)
 *     CAROM_KAPPA           bounces lower than kappa delta U are the end of bouncing
 *
 * See carom/algorithm.h. */
#ifndef CAROM_HANDLE_H
#define CAROM_HANDLE_H

#include "algorithm.h"
#include "impact.h"

#if CAROM_NC > 0
/* Modes of the candidate contacts by the contact problem at the acceleration level; the others become free. `forced`
 * contacts slide in the direction given already. */
static inline carom_status CAROM(resolve)(CAROM_STATE *s, CAROM_MODES *m, const bool *candidate, const bool *forced,
                                          CAROM_POINT *p, carom_info *info)
{
    CAROM(capturing) *const w = CAROM(works)(s);
    double *const u0 = w->u0, *const u = w->u, *const r = w->force, *const slip = w->slip;
    bool set[CAROM_NG], stuck[CAROM_NC], any = false;
    (void)stuck;
    (void)forced;
    for (int j = 0; j < CAROM_NR; ++j) {
        u0[j] = u[j] = r[j] = 0.0;
    }
    for (int k = 0; k <= CAROM_NT; ++k) {
        slip[k] = 0.0;
    }
    CAROM(rates)(s, &p->c, p->v, p->U);
    for (int j = 0; j < CAROM_NG; ++j) {
        set[j] = j < CAROM_NE || candidate[j - CAROM_NE];
        any = any || set[j];
    }
    for (int k = 0; k < CAROM_NC; ++k) {
        stuck[k] = m->of[k] == CAROM_CONTACT_STICK;
        m->of[k] = CAROM_CONTACT_OPEN;
    }
    if (!any) {
        return CAROM_OK;
    }
#if CAROM_NT > 0
    for (int k = 0; k < CAROM_NC; ++k) {
        const double speed = CAROM(tangential)(k, p->U);
        for (int l = 0; l < CAROM_D - 1; ++l) {
            const int row = CAROM(tangents)[k][l];
            if (row >= 0) {
                const double here = speed > CAROM(slow)(s) ? p->U[row] / speed : 0.0;
                slip[row - CAROM_NG] = forced[k] ? m->slip[row - CAROM_NG] : here;
            }
        }
    }
#endif
    const carom_status status = CAROM(part_modes)(s, CAROM_FROM(p), 0.0, set, slip, u0, u, r, info);
    double size = 0.0;
    for (int j = 0; j < CAROM(active)(s) && status == CAROM_OK; ++j) {
        size = fmax(size, fabs(u0[j]));
    }
    for (int k = 0; k < CAROM_NC && status == CAROM_OK; ++k) {
        if (candidate[k]) {
            if (u[CAROM_NE + k] > CAROM_OPENS * size) {
                continue; /* it opens */
            }
            m->of[k] = CAROM_CONTACT_CLOSED;
#if CAROM_NT > 0
            if (CAROM(tangents)[k][0] >= 0 && (CAROM_OWN > 0 || s->derived.mu[k] > 0.0)) {
                bool sliding = false;
                for (int l = 0; l < CAROM_D - 1; ++l) {
                    sliding = sliding || (CAROM(tangents)[k][l] >= 0 && slip[CAROM(tangents)[k][l] - CAROM_NG] != 0.0);
                }
                const double limit = s->derived.mu[k] * r[CAROM_NE + k], force = CAROM(tangential)(k, r);
                if (!sliding && (force < limit * (1.0 - CAROM_STICKS) || !(force > 0.0))) {
                    m->of[k] = CAROM_CONTACT_STICK;
                    if (!stuck[k]) {
                        CAROM(hold_on)(m, k, p);
                    }
                    continue;
                }
                m->of[k] = CAROM_CONTACT_SLIP;
                for (int l = 0; l < CAROM_D - 1; ++l) {
                    const int row = CAROM(tangents)[k][l];
                    if (row >= 0) {
                        m->slip[row - CAROM_NG] = sliding ? slip[row - CAROM_NG] : -r[row] / force;
                    }
                }
            }
#endif
        }
    }
    return status;
}

/* Contacts that may close at p: those that took part in the impact, and others that touch, unless they separate. */
static inline void CAROM(candidates)(const CAROM_STATE *s, const CAROM_MODES *m, const bool *involved,
                                     const bool *released, const CAROM_POINT *p, bool *candidate)
{
    for (int k = 0; k < CAROM_NC; ++k) {
        const double g = p->c.g[CAROM_NE + k], U = p->U[CAROM_NE + k];
        const bool touching =
            m->of[k] == CAROM_CONTACT_OPEN && !released[k] && g <= CAROM(close)(s) && U >= -CAROM(slow)(s);
        /* not one that an impact threw off */
        candidate[k] = U <= CAROM(slow)(s) && (candidate[k] || involved[k] || touching);
    }
}

#if CAROM_NT > 0
/* Contact `stopped` sticks from here, and with it those whose slip vanishes within 2 delta. */
static inline void CAROM(stop)(CAROM_STATE *s, CAROM_MODES *m, int stopped, double delta, const CAROM_POINT *p)
{
    double *const gam = CAROM(works)(s)->gam, *const acceleration = CAROM(works)(s)->gained;
    CAROM(bias)(s, &p->c, p->v, gam);
    CAROM(rows)(s, &p->c, p->a, acceleration);
    for (int k = 0; k < CAROM_NC; ++k) {
        double speed = 0.0, size = 0.0;
        for (int l = 0; l < CAROM_D - 1 && m->of[k] == CAROM_CONTACT_SLIP; ++l) {
            const int row = CAROM(tangents)[k][l];
            speed = row >= 0 ? hypot(speed, p->U[row]) : speed;
            size = row >= 0 ? hypot(size, acceleration[row] + gam[row]) : size;
        }
        if (k == stopped ||
            (m->of[k] == CAROM_CONTACT_SLIP && speed > CAROM(slow)(s) && speed <= CAROM_JOINTLY * delta * size)) {
            m->of[k] = CAROM_CONTACT_STICK;
            CAROM(hold_on)(m, k, p);
        }
    }
}
#endif

/* Handles the event at p: impact and cascade, release, end of sliding or of sticking; then the new modes. */
static inline carom_status CAROM(handle)(CAROM_STATE *s, CAROM_MODES *m, carom_event e, double delta,
                                         const CAROM_POINT *start, double x, CAROM_POINT *p, double *total,
                                         carom_info *info)
{
    bool candidate[CAROM_NC], held[CAROM_NC], forced[CAROM_NC] = {false};
    bool involved[CAROM_NC] = {false}, released[CAROM_NC] = {false};
    const double eps = delta * s->speed;
    CAROM(capturing) *const w = CAROM(works)(s);
    carom_status status = CAROM_OK;
    for (int k = 0; k < CAROM_NC; ++k) {
        held[k] = candidate[k] = m->of[k] != CAROM_CONTACT_OPEN;
    }
    if (e.kind == CAROM_CLOSING) {
        status = CAROM(impact)(s, m, e.contact, eps, p, involved, total, info);
    } else if (e.kind == CAROM_RELEASE) {
        for (int k = 0; k < CAROM_NC; ++k) { /* joint release: forces that vanish within 2 delta */
            const double rate = (start->r[CAROM_NE + k] - p->r[CAROM_NE + k]) / x;
            if (k == e.contact || (candidate[k] && p->r[CAROM_NE + k] <= CAROM_JOINTLY * delta * fabs(rate))) {
                candidate[k] = false;
                released[k] = true;
            }
        }
#if CAROM_NT > 0
    } else if (e.kind == CAROM_SLIP_ZERO) {
        CAROM(stop)(s, m, e.contact, delta, p); /* U_T = 0 exactly, the others stay as they are */
        status = CAROM(mode_project)(s, m, p, info);
    } else {
        const double force = CAROM(tangential)(e.contact, p->r);
        forced[e.contact] = true;
        for (int l = 0; l < CAROM_D - 1; ++l) {
            const int row = CAROM(tangents)[e.contact][l];
            if (row >= 0) {
                m->slip[row - CAROM_NG] = force > 0.0 ? -p->r[row] / force : 0.0;
            }
        }
#endif
    }
    if (status != CAROM_OK) {
        return status;
    }
    CAROM(rates)(s, &p->c, p->v, p->U);
    CAROM(candidates)(s, m, involved, released, p, candidate);
    status = CAROM(resolve)(s, m, candidate, forced, p, info);
    /* collapse (THEORY 7.5): a contact that bounces lower than eps, or is thrown off by an impact elsewhere lower than
     * that, is closed; its remaining velocity is taken out along the friction direction */
    for (int pass = 0; pass <= CAROM_NC && status == CAROM_OK; ++pass) {
        bool added = false;
        status = CAROM(mode_project)(s, m, p, info);
        if (status == CAROM_OK) {
            status = CAROM(mode_evaluate)(s, m, p, info);
        }
        if (status != CAROM_OK) {
            return status;
        }
        double *const gam = w->gam, *const acceleration = w->gained;
        CAROM(bias)(s, &p->c, p->v, gam);
        CAROM(rows)(s, &p->c, p->a, acceleration);
        w->with = *m;
        for (int k = 0; k < CAROM_NC; ++k) {
            const double U = p->U[CAROM_NE + k], fall = acceleration[CAROM_NE + k] + gam[CAROM_NE + k];
            if ((involved[k] || (held[k] && !released[k])) && m->of[k] == CAROM_CONTACT_OPEN && U > CAROM(slow)(s) &&
                fall < 0.0 && U * U <= 2.0 * -fall * CAROM_KAPPA * eps) {
                added = true;
                candidate[k] = true;
                w->with.of[k] = CAROM_CONTACT_CLOSED;
#if CAROM_NT > 0
                if (CAROM_OWN > 0 || s->derived.mu[k] > 0.0) {
                    const double speed = CAROM(tangential)(k, p->U);
                    w->with.of[k] = CAROM(tangents)[k][0] < 0 ? CAROM_CONTACT_CLOSED
                                    : speed > CAROM(slow)(s)  ? CAROM_CONTACT_SLIP
                                                              : CAROM_CONTACT_STICK;
                    for (int l = 0; l < CAROM_D - 1 && speed > CAROM(slow)(s); ++l) {
                        if (CAROM(tangents)[k][l] >= 0) {
                            w->with.slip[CAROM(tangents)[k][l] - CAROM_NG] = p->U[CAROM(tangents)[k][l]] / speed;
                        }
                    }
                }
#endif
            }
        }
        if (!added) {
            return CAROM_OK;
        }
        status = CAROM(mode_rest)(s, &w->with, p, total, info);
        CAROM(candidates)(s, m, involved, released, p, candidate); /* those that its end brings to rest too */
        if (status == CAROM_OK) {
            status = CAROM(resolve)(s, m, candidate, forced, p, info);
        }
    }
    return status;
}
#endif

#endif
