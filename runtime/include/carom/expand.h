/* Expansion after compression (carom/rebound.h) for models in straight code. Asks for s->derived.rebound, the
 * coefficients of impulses, and the table energetic, which contacts take them for work, beside what carom/straight.h
 * does. See carom/algorithm.h. */
#ifndef CAROM_EXPAND_H
#define CAROM_EXPAND_H

#include "algorithm.h"
#include "rebound.h"

/* One contact k by itself, whose whole impulse follows from the work of its normal force; r holds that of compression,
 * `more` gets what is to be added. */
static inline void CAROM(expand_by_work)(const CAROM_STATE *s, const double *W, const bool *set, int k, const double *b,
                                         const double *r, double *more)
{
    const int j = CAROM_NE + k;
    double nn = W[j * (CAROM_NR + 1)], U[2] = {b[j], 0.0}, P[2], nt = 0.0, tt = 1.0, mu = 0.0;
#if CAROM_NT > 0
    const int t = CAROM(tangents)[k][0];
    if (t >= 0 && set[t]) {
        nt = W[j * CAROM_NR + t];
        tt = W[t * (CAROM_NR + 1)];
        U[1] = b[t];
        mu = s->derived.mu[k];
    }
#else
    (void)set;
#endif
#if CAROM_NE > 0
    /* bilateral rows are eliminated; E x = (what they feel of the normal, of the tangent, b) */
    double E[CAROM_NE * CAROM_NE], X[3][CAROM_NE];
    for (int i = 0; i < CAROM_NE; ++i) {
        for (int l = 0; l < CAROM_NE; ++l) {
            E[i * CAROM_NE + l] = W[i * CAROM_NR + l];
        }
        X[0][i] = W[i * CAROM_NR + j];
        X[1][i] = 0.0;
#if CAROM_NT > 0
        X[1][i] = t >= 0 && set[t] ? W[i * CAROM_NR + t] : 0.0;
#endif
        X[2][i] = b[i];
    }
    double felt[2][CAROM_NE];
    for (int i = 0; i < CAROM_NE; ++i) {
        felt[0][i] = X[0][i];
        felt[1][i] = X[1][i];
    }
    carom_ldu_factor(CAROM_NE, E, CAROM_NE);
    for (int l = 0; l < 3; ++l) {
        carom_ldu_solve(CAROM_NE, E, CAROM_NE, X[l]);
    }
    for (int i = 0; i < CAROM_NE; ++i) {
        nn -= felt[0][i] * X[0][i];
        nt -= felt[0][i] * X[1][i];
        tt -= felt[1][i] * X[1][i];
        U[0] -= felt[0][i] * X[2][i];
        U[1] -= felt[1][i] * X[2][i];
    }
#endif
    carom_rebound_energetic(nn, nt, tt, mu, s->derived.rebound[k], U, P);
    more[j] = P[0] - r[j];
#if CAROM_NT > 0
    if (t >= 0 && set[t]) {
        more[t] = P[1] - r[t];
    }
#endif
#if CAROM_NE > 0
    for (int i = 0; i < CAROM_NE; ++i) {
        more[i] -= X[0][i] * more[j];
#if CAROM_NT > 0
        more[i] -= t >= 0 && set[t] ? X[1][i] * more[t] : 0.0;
#endif
    }
#endif
}

/* Does contact k act on no other row of the set but those that always hold? */
static inline bool CAROM(alone)(const CAROM_STATE *s, const double *W, const bool *set, int k)
{
    bool bilateral = false, others = false, coupled = false;
    for (int i = 0; i < CAROM(active)(s); ++i) {
        bool own = i == CAROM_NE + k, acts = set[i] && W[i * CAROM_NR + CAROM_NE + k] != 0.0;
#if CAROM_NT > 0
        const int t = CAROM(tangents)[k][0];
        own = own || i == t;
        acts = acts || (set[i] && t >= 0 && set[t] && W[i * CAROM_NR + t] != 0.0);
#endif
        bilateral = bilateral || (i < CAROM_NE && acts);
        others = others || (i >= CAROM_NE && !own && set[i]);
        coupled = coupled || (i >= CAROM_NE && !own && acts);
    }
    return !coupled && !(bilateral && others);
}

/* Contacts of `hit` expand after a compression that gave r, u = W r + b; r gets the impulses of both. */
static CAROM_CALLED carom_status CAROM(expand)(const CAROM_STATE *s, const double *W, const bool *set, const bool *hit,
                                               const double *b, double *r, carom_info *info, carom_counts *counts)
{
    double given[CAROM_NC], u[CAROM_NR] = {0.0}, more[CAROM_NR] = {0.0}, w[CAROM_NR * CAROM_NR], y[CAROM_NR] = {0.0};
    double normal[CAROM_NC], velocity[CAROM_NC], size[CAROM_NC];
    bool held[CAROM_NC], back[CAROM_NC] = {false}, any = false;
    for (int k = 0; k < CAROM_NC; ++k) {
        const int j = CAROM_NE + k;
        given[k] = set[j] && hit[j] && r[j] > 0.0 ? s->derived.rebound[k] * r[j] : 0.0;
        if (given[k] > 0.0 && CAROM(energetic)[k] && CAROM(alone)(s, W, set, k)) {
            CAROM(expand_by_work)(s, W, set, k, b, r, more);
            given[k] = 0.0;
        }
        held[k] = given[k] > 0.0;
        any = any || held[k];
    }
    for (int j = 0; j < CAROM_NR; ++j) {
        r[j] += more[j];
    }
    if (!any) {
        return CAROM_OK;
    }
    for (int i = 0; i < CAROM(active)(s); ++i) {
        u[i] = b[i];
        for (int j = 0; j < CAROM(active)(s) && set[i]; ++j) {
            u[i] += set[j] ? W[i * CAROM_NR + j] * r[j] : 0.0;
        }
    }
    for (int pass = 0; pass < 2 * CAROM_NC + 2; ++pass) {
        for (int i = 0; i < CAROM_NR; ++i) {
            const bool out = i >= CAROM_NE && i < CAROM_NG && held[i - CAROM_NE];
            y[i] = out ? -W[i * (CAROM_NR + 1)] * given[i - CAROM_NE] : u[i];
            more[i] = out ? given[i - CAROM_NE] : 0.0;
            for (int j = 0; j < CAROM_NR && set[i]; ++j) {
                const bool apart = j >= CAROM_NE && j < CAROM_NG && held[j - CAROM_NE];
                w[i * CAROM_NR + j] = i == j || (!out && !apart) ? W[i * CAROM_NR + j] : 0.0;
                y[i] += apart && !out ? W[i * CAROM_NR + j] * given[j - CAROM_NE] : 0.0;
            }
        }
        ++counts->contact_solves;
        carom_status status = CAROM(law_of)(s, w, set, CAROM_NO_SLIDE y, more, info);
        status = status == CAROM_OK ? CAROM(lawful)(s, w, set, CAROM_NO_SLIDE y, more, info, counts) : status;
        if (status != CAROM_OK) {
            return status;
        }
        for (int k = 0; k < CAROM_NC; ++k) {
            const int i = CAROM_NE + k;
            normal[k] = more[i];
            velocity[k] = u[i];
            size[k] = fabs(u[i]);
            for (int j = 0; j < CAROM(active)(s) && set[i]; ++j) {
                velocity[k] += set[j] ? W[i * CAROM_NR + j] * more[j] : 0.0;
                size[k] += set[j] ? fabs(W[i * CAROM_NR + j] * more[j]) : 0.0;
            }
        }
        if (!carom_rebound_search(CAROM_NC, given, velocity, size, normal, held, back)) {
            for (int j = 0; j < CAROM(active)(s); ++j) {
                r[j] += set[j] ? more[j] : 0.0;
            }
            return CAROM_OK;
        }
    }
    return CAROM_CONTACT;
}

#endif
