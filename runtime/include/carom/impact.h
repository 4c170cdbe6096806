/* Impacts of event capturing (THEORY 7.3): all that arrive together, then the cascade at frozen configuration. Asks for
 * CAROM(impulses), the contact problem at the velocity level, for CAROM(mode_solve), mode_project (carom/modes.h),
 * restitution s->derived.e, and CAROM_TIME, the time scale of the motion. See carom/algorithm.h. */
#ifndef CAROM_IMPACT_H
#define CAROM_IMPACT_H

#include "algorithm.h"
#include "modes.h"

#if CAROM_NC > 0
/* Impulses on the contacts of `hit` with restitution and on those that are closed already without; v += M^-1 G^T P. */
static inline carom_status CAROM(hit)(CAROM_STATE *s, const CAROM_MODES *m, const bool *hit, CAROM_POINT *p,
                                      double *total, carom_info *info)
{
    bool set[CAROM_NR];
    double b[CAROM_NR], P[CAROM_NR] = {0.0};
    for (int j = 0; j < CAROM_NG; ++j) {
        set[j] = j < CAROM_NE || m->of[j - CAROM_NE] != CAROM_CONTACT_OPEN || hit[j - CAROM_NE];
    }
    CAROM(rates)(s, &p->c, p->v, b);
#if CAROM_NT > 0
    for (int k = 0; k < CAROM_NT; ++k) {
        set[CAROM_NG + k] = set[CAROM(contact_of)[k]] && s->derived.mu[CAROM(contact_of)[k] - CAROM_NE] > 0.0;
    }
#endif
    for (int k = 0; k < CAROM_NC; ++k) {
        if (hit[k] && m->of[k] == CAROM_CONTACT_OPEN) {
            b[CAROM_NE + k] *= 1.0 + s->derived.e[CAROM_NE + k];
#if CAROM_NT > 0
            for (int l = 0; l < CAROM_D - 1; ++l) {
                const int row = CAROM(tangents)[k][l];
                b[row >= 0 ? row : 0] *= row >= 0 ? 1.0 + s->derived.e[row] : 1.0;
            }
#endif
        }
    }
#if CAROM_REBOUND > 0
    bool fresh[CAROM_NG] = {false};
    for (int k = 0; k < CAROM_NC; ++k) {
        fresh[CAROM_NE + k] = hit[k] && m->of[k] == CAROM_CONTACT_OPEN;
    }
    const carom_status status = CAROM(impulses)(s, &p->c, set, fresh, b, P, info, &s->counts);
#else
    const carom_status status = CAROM(impulses)(s, &p->c, set, b, P, info, &s->counts);
#endif
    CAROM(push)(s, &p->c, set, P, p->v);
    CAROM(rates)(s, &p->c, p->v, p->U);
    for (int j = 0; j < CAROM_NR; ++j) {
        total[j] += P[j];
    }
    return status;
}

/* q onto g = 0 of the given contacts and all closed ones */
static inline carom_status CAROM(snap)(CAROM_STATE *s, const CAROM_MODES *m, const bool *involved, CAROM_POINT *p,
                                       carom_info *info)
{
    CAROM_MODES all = *m;
    double v[CAROM_NV];
    for (int i = 0; i < CAROM_NV; ++i) {
        v[i] = p->v[i];
    }
    for (int k = 0; k < CAROM_NC; ++k) {
        all.of[k] = involved[k] || m->of[k] != CAROM_CONTACT_OPEN ? CAROM_CONTACT_CLOSED : CAROM_CONTACT_OPEN;
    }
    const carom_status status = CAROM(mode_project)(s, &all, p, info);
    for (int i = 0; i < CAROM_NV; ++i) {
        p->v[i] = v[i]; /* positions only */
    }
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
#endif
    for (int count = 0; count < CAROM_CASCADE; ++count) {
        if (status == CAROM_OK) {
            status = CAROM(hit)(s, m, hit, p, total, info);
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
         * limit) */
        if (n == 1 && next == before && last >= 0 && last != next && !CAROM(frictional)(s)) {
            bool pair[CAROM_NR] = {false};
            pair[CAROM_NE + next] = pair[CAROM_NE + last] = true;
            const double *const W = CAROM(delassus_on)(s, &p->c, pair);
            const double e = fmax(s->derived.e[CAROM_NE + next], s->derived.e[CAROM_NE + last]);
            const double coupling = -W[(CAROM_NE + next) * CAROM_NR + CAROM_NE + last] /
                                    fmax(W[(CAROM_NE + next) * CAROM_NR + CAROM_NE + next],
                                         W[(CAROM_NE + last) * CAROM_NR + CAROM_NE + last]);
            if (coupling >= 2.0 * sqrt(e) / (1.0 + e)) {
                CAROM_MODES both = *m;
                double P[CAROM_NR], b[CAROM_NR];
                bool set[CAROM_NR];
                both.of[next] = both.of[last] = CAROM_CONTACT_CLOSED;
                CAROM(rates)(s, &p->c, p->v, b);
                status = CAROM(mode_solve)(s, &p->c, &both, b, P, info);
                CAROM(loaded_rows)(&both, set);
                CAROM(push)(s, &p->c, set, P, p->v);
                CAROM(rates)(s, &p->c, p->v, p->U);
                for (int j = 0; j < CAROM_NR; ++j) {
                    total[j] += P[j];
                }
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
