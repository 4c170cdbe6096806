/* Projection on gaps, of a model with few rows. Asks for CAROM(configure), delassus_on, push, and CAROM_TG, the gap
 * below which a contact counts as closed; the file that includes it has included carom/dense.h, with bodies that turn
 * carom/rotation.h. See carom/algorithm.h. */
#ifndef CAROM_PROJECT_H
#define CAROM_PROJECT_H

#include "algorithm.h"

#define CAROM_CONFIG CAROM(config)

/* Moves q onto g = 0 of the rows in `hold`, and out of penetration of those `within` (NULL: all), in the metric of M;
 * a few linearised sweeps. CAROM_STAGES when they lead away: the rows turn too fast for a step of this length. */
static inline carom_status CAROM(project)(const CAROM_STATE *s, CAROM_CONFIG *c, double t, const bool *hold,
                                          const bool *within, double *q, carom_info *info)
{
    double first = 0.0, left = HUGE_VAL;
    for (int sweep = 0; sweep <= CAROM_PROJECTIONS; ++sweep) {
        bool set[CAROM_NR] = {false};
        double tau[CAROM_NR] = {0.0}, b[CAROM_NR], worst = 0.0;
        for (int j = 0; j < CAROM_NG; ++j) {
            /* held rows stay held while others are moved */
            set[j] = hold[j] || ((within == NULL || within[j]) && c->g[j] < -CAROM_PLACE_ZERO);
            b[j] = c->g[j];
            worst = set[j] && fabs(c->g[j]) > worst ? fabs(c->g[j]) : worst;
        }
        if (!(worst > CAROM_PLACE_ZERO)) {
            break;
        }
        first = sweep == 0 ? worst : first;
        if (sweep == CAROM_PROJECTIONS || (sweep > 1 && worst > 0.5 * left)) { /* rounding, or not to be had */
            info->residual = worst;
            return worst <= fmax(CAROM_PROJECTED * first, CAROM_TG) ? CAROM_OK : CAROM_STAGES;
        }
        left = worst;
        const double *const W = CAROM(delassus_on)(s, c, set);
        int index[CAROM_NR], n = 0;
        double w[CAROM_NR * CAROM_NR] = {0.0}, y[CAROM_NR] = {0.0};
        for (int j = 0; j < CAROM_NG; ++j) {
            if (set[j]) {
                index[n++] = j;
            }
        }
        for (int i = 0; i < n; ++i) {
            y[i] = -b[index[i]];
            for (int j = 0; j < n; ++j) {
                w[i * CAROM_NR + j] = W[index[i] * CAROM_NR + index[j]];
            }
        }
        carom_ldl_factor(n, w, CAROM_NR);
        carom_ldl_solve(n, w, CAROM_NR, y);
        for (int i = 0; i < n; ++i) {
            tau[index[i]] = y[i];
        }
#if CAROM_NB == 0
        CAROM(push)(s, c, set, tau, q);
#else
        double dx[CAROM_NV] = {0.0};
        CAROM(push)(s, c, set, tau, dx);
        for (int i = 0; i < CAROM_NS; ++i) {
            q[i] += dx[i];
        }
        for (int k = 0; k < CAROM_NB; ++k) {
            carom_quaternion_turn(q + CAROM_NS + 4 * k, dx + CAROM_NS + 3 * k, q + CAROM_NS + 4 * k);
        }
#endif
        const carom_status status = CAROM(configure)(s, t, q, c);
        if (status != CAROM_OK) {
            return status;
        }
    }
    return CAROM_OK;
}

#endif
