/* Impacts of event capturing (THEORY 7.3): all that arrive together, then the cascade at frozen configuration. Asks for
 * CAROM(part_impact), the contact problem at the velocity level (gen/scheme/capture.lua), for what carom/modes.h does,
 * restitution s->derived.e, and CAROM_TIME, the time scale of the motion. See carom/algorithm.h. */
#ifndef CAROM_IMPACT_H
#define CAROM_IMPACT_H

#include "algorithm.h"
#include "modes.h"
#if CAROM_CHAINS > 0
#include "chain.h"
#endif

#if CAROM_NC > 0 && CAROM_CHAINS > 0
/* Impulses on all contacts that touch, as springs of a chain (carom/chain.h): those of `hit`, and those that rest. P:
 * what they are. */
static inline carom_status CAROM(hit)(CAROM_STATE *s, const CAROM_MODES *m, const bool *hit, CAROM_POINT *p, double *P,
                                      double *total, carom_info *info)
{
    int of[CAROM_NC], n = 0;
    bool on[CAROM_NG] = {false};
    CAROM(chained) *const x = &s->work.chain;
    carom_status status = CAROM_OK;
    for (int j = 0; j < CAROM_NC; ++j) {
        if (hit[j] || m->of[j] != CAROM_CONTACT_OPEN || p->c.g[CAROM_NE + j] <= CAROM(close)(s)) {
            on[CAROM_NE + j] = true;
            of[n++] = j;
        }
    }
    for (int i = 0; i < CAROM_NR; ++i) {
        P[i] = 0.0;
    }
    for (int i = 0; i < n && status == CAROM_OK; ++i) { /* a column of W, with what joints hold */
        const int row = CAROM_NE + of[i];
        x->U[i] = p->U[row];
        x->e[i] = s->derived.e[row];
        x->k[i] = s->derived.stiffness[of[i]];
        x->eta[i] = s->derived.exponent[of[i]];
        P[row] = 1.0;
        status = CAROM(part_struck)(s, CAROM_FROM(p), 0.0, on, P, x->w, x->moved, x->joints, info);
        P[row] = 0.0;
        for (int j = 0; j < n; ++j) {
            x->W[j * n + i] = x->moved[CAROM_NE + of[j]];
        }
    }
    if (status == CAROM_OK && !carom_chain(n, x->U, x->W, x->e, x->k, x->eta, x->impulse, x->work)) {
        info->contact = CAROM_NE + of[0];
        status = CAROM_EVENTS;
    }
    if (status != CAROM_OK) {
        return status;
    }
    for (int i = 0; i < n; ++i) {
        P[CAROM_NE + of[i]] = x->impulse[i];
    }
    status = CAROM(part_struck)(s, CAROM_FROM(p), 0.0, on, P, x->w, x->moved, x->joints, info);
    for (int i = 0; i < CAROM_NV && status == CAROM_OK; ++i) {
        p->v[i] += x->w[i];
    }
    CAROM(rates)(s, &p->c, p->v, p->U);
    for (int j = 0; j < CAROM_NG && status == CAROM_OK; ++j) {
        total[j] += P[j] + (j < CAROM_NE ? x->joints[j] : 0.0);
    }
    return status;
}
#endif

#if CAROM_NC > 0
#if CAROM_CHAINS == 0
/* Impulses on the contacts of `hit` with restitution and on those that are closed already without. P: what they are. */
static inline carom_status CAROM(hit)(CAROM_STATE *s, const CAROM_MODES *m, const bool *hit, CAROM_POINT *p, double *P,
                                      double *total, carom_info *info)
{
    const CAROM(told) *const told = CAROM(tell)(s, m);
    bool comes[CAROM_NG] = {false};
    for (int k = 0; k < CAROM_NC; ++k) {
        comes[CAROM_NE + k] = hit[k] && m->of[k] == CAROM_CONTACT_OPEN;
    }
    const carom_status status = CAROM(part_impact)(s, CAROM_FROM(p), 0.0, told->closed, comes, p->v, P, info);
    CAROM(rates)(s, &p->c, p->v, p->U);
    for (int j = 0; j < CAROM(active)(s) && status == CAROM_OK; ++j) {
        total[j] += P[j];
    }
    return status;
}

#endif

/* q onto g = 0 of the given contacts and all closed ones */
static inline carom_status CAROM(snap)(CAROM_STATE *s, const CAROM_MODES *m, const bool *involved, CAROM_POINT *p,
                                       carom_info *info)
{
    CAROM(told) *const told = CAROM(tell)(s, m);
    for (int k = 0; k < CAROM_NC; ++k) {
        told->closed[CAROM_NE + k] = told->closed[CAROM_NE + k] || involved[k];
        told->stick[CAROM_NE + k] = false; /* along normals only */
    }
    const carom_status status = CAROM(part_place)(s, CAROM_FROM(p), 0.0, CAROM_AS(told), m->anchor, p->q, &p->c, info);
    CAROM(rates)(s, &p->c, p->v, p->U);
    return status;
}

/* Impact of the contacts that arrive together, then the cascade at frozen configuration: neighbours that an impact
 * turns into approaching ones are hit at once, in the order of their arrival. involved: all that took part. */
static inline carom_status CAROM(impact)(CAROM_STATE *s, CAROM_MODES *m, int located, double eps, CAROM_POINT *p,
                                         bool *involved, double *total, carom_info *info)
{
    bool hit[CAROM_NC];
    const double arrival = fmax(p->c.g[CAROM_NE + located], 0.0) / fmax(-p->U[CAROM_NE + located], CAROM(slow)(s));
    for (int k = 0; k < CAROM_NC; ++k) { /* simultaneous: a tolerance of the model, never of the step */
        const double g = p->c.g[CAROM_NE + k], U = p->U[CAROM_NE + k];
        const bool together = U < -CAROM(slow)(s) && fabs(fmax(g, 0.0) / -U - arrival) <= CAROM_TOGETHER * CAROM_TIME;
        const bool touching = fabs(U) <= CAROM(slow)(s) && g <= CAROM(close)(s);
        hit[k] = k == located || (m->of[k] == CAROM_CONTACT_OPEN && (together || touching));
        involved[k] = hit[k];
    }
    carom_status status = CAROM(snap)(s, m, involved, p, info);
#if CAROM_NC > 1
    int last = -1, before = -1;
    double own[2] = {0.0}, rate[CAROM_NC]; /* rate by impulse of the last two that were hit alone; rates before it */
#endif
    CAROM(capturing) *const w = CAROM(works)(s);
    double *const P = w->P;
    for (int count = 0; count < CAROM_CASCADE; ++count) {
#if CAROM_NC > 1
        for (int k = 0; k < CAROM_NC; ++k) {
            rate[k] = p->U[CAROM_NE + k];
        }
#endif
        if (status == CAROM_OK) {
            status = CAROM(hit)(s, m, hit, p, P, total, info);
        }
        if (status != CAROM_OK) {
            return status;
        }
        double first = HUGE_VAL;
        int n = 0;
#if CAROM_NC > 1
        int next = -1;
#endif
        for (int k = 0; k < CAROM_NC; ++k) {
            const double U = p->U[CAROM_NE + k];
            hit[k] = m->of[k] == CAROM_CONTACT_OPEN && p->c.g[CAROM_NE + k] <= eps && U < -CAROM(slow)(s);
            first = hit[k] ? fmin(first, fmax(p->c.g[CAROM_NE + k], 0.0) / -U) : first;
        }
        for (int k = 0; k < CAROM_NC; ++k) {
            hit[k] =
                hit[k] && fmax(p->c.g[CAROM_NE + k], 0.0) / -p->U[CAROM_NE + k] <= first + CAROM_TOGETHER * CAROM_TIME;
            involved[k] = involved[k] || hit[k];
            n += hit[k] ? 1 : 0;
#if CAROM_NC > 1
            next = hit[k] ? k : next;
#endif
        }
        if (n == 0) {
            return CAROM(snap)(s, m, involved, p, info);
        }
#if CAROM_NC > 1
        /* two contacts that throw each other back for ever: their velocities tend to zero, whatever e (closed-form
         * limit). How much an impulse on one does to both is what was just seen. */
        if (last >= 0 && P[CAROM_NE + last] > 0.0) {
            own[0] = own[1];
            own[1] = (p->U[CAROM_NE + last] - rate[last]) / P[CAROM_NE + last];
        }
        if (n == 1 && next == before && last >= 0 && last != next && !CAROM(frictional)(s) &&
            P[CAROM_NE + last] > 0.0) {
            const double e = fmax(s->derived.e[CAROM_NE + next], s->derived.e[CAROM_NE + last]);
            const double other = (p->U[CAROM_NE + next] - rate[next]) / P[CAROM_NE + last];
            if (-other >= fmax(own[0], own[1]) * 2.0 * sqrt(e) / (1.0 + e)) {
                w->with = *m;
                w->with.of[next] = w->with.of[last] = CAROM_CONTACT_CLOSED;
                status = CAROM(mode_rest)(s, &w->with, p, total, info);
                for (int k = 0; k < CAROM_NC; ++k) {
                    hit[k] = false;
                }
                if (status != CAROM_OK) {
                    return status;
                }
                before = last = -1;
                continue;
            }
        }
        before = last;
        last = n == 1 ? next : -1;
#endif
    }
    info->iterations = CAROM_CASCADE;
    info->contact = CAROM_NE + located;
    return CAROM_EVENTS;
}
#endif

#endif
