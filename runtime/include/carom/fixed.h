/* Motion in fixed modes, of models in straight code: rows that are held as equalities, contacts that slide with
 * r_T = -mu slide r_N. Asks for what carom/straight.h does. See carom/algorithm.h. */
#ifndef CAROM_FIXED_H
#define CAROM_FIXED_H

#include "algorithm.h"
#include "multipliers.h"
#include "straight.h"

/* Which tangents are held (`grip`; NULL: those of contacts that do not slide), and where contacts slide; only where
 * there is friction. */
#if CAROM_NT > 0
#define CAROM_GRIPS const bool *grip, const double *slide,
#define CAROM_GRIP grip, slide,
#else
#define CAROM_GRIPS
#define CAROM_GRIP
#endif

#if CAROM_NT > 0
/* Does the contact in a row slide? */
static inline bool CAROM(slides)(int row, const double *slide)
{
    bool slides = false;
    for (int l = 0; l < CAROM_D - 1 && slide != NULL; ++l) {
        const int k = CAROM(tangents)[row - CAROM_NE][l];
        slides = slides || (k >= 0 && slide[k - CAROM_NG] != 0.0);
    }
    return slides;
}
#endif

/* M x = G^T r, (G x + b) = 0 on the rows that are held: those of the set, tangents of contacts that grip;
 * r_T = -mu slide r_N where a contact of the set slides. Where r is not unique it is the least; borne: the least that
 * contacts can bear (carom/multipliers.h). A sliding contact whose pivot is not positive has no finite force:
 * CAROM_PAINLEVE. */
static CAROM_LARGE carom_status CAROM(fix)(const CAROM_STATE *s, CAROM_CONFIG *c, const bool *set,
                                           CAROM_GRIPS bool borne, const double *b, double *x, double *r,
                                           carom_info *info)
{
    int rows[CAROM_NR] = {0}, n = 0, contacts = 0;
    bool loaded[CAROM_NR], joint[CAROM_NR] = {false};
    double *const K = CAROM(room)(s), *const y = K + CAROM_NR * CAROM_NR, *const room = y + CAROM_NR;
    carom_bearing bearing[CAROM_LENGTH(CAROM_NC)];
    (void)info;
    for (int i = 0; i < CAROM_NV; ++i) {
        x[i] = 0.0;
    }
    for (int j = 0; j < CAROM_NR; ++j) {
        r[j] = 0.0;
        loaded[j] = j < CAROM_NG && set[j];
        if (loaded[j]) {
            if (j >= CAROM_NE) {
                bearing[contacts++] = (carom_bearing){{n, -1, -1}, 0.0};
            }
            joint[n] = j < CAROM_NE;
            rows[n++] = j;
        }
    }
#if CAROM_NT > 0
    bool along[CAROM_NG] = {false};
    for (int k = 0; k < CAROM_NT; ++k) {
        const int j = CAROM(contact_of)[k];
        along[j] = set[j] && CAROM(slides)(j, slide);
        const bool held = grip != NULL ? grip[j] : set[j] && !along[j] && s->derived.mu[j - CAROM_NE] > 0.0;
        loaded[CAROM_NG + k] = held || along[j];
        for (int i = 0; i < contacts && held; ++i) {
            if (rows[bearing[i].row[0]] == j) {
                bearing[i].row[bearing[i].row[1] < 0 ? 1 : 2] = n;
                bearing[i].mu = s->derived.mu[j - CAROM_NE];
            }
        }
        if (held) {
            rows[n++] = CAROM_NG + k;
        }
    }
#endif
    if (n == 0) {
        return CAROM_OK;
    }
    const double *const W = CAROM(delassus_on)(s, c, loaded);
    for (int i = 0; i < n; ++i) {
        y[i] = -b[rows[i]];
        for (int j = 0; j < n; ++j) {
            double w = W[rows[i] * CAROM_NR + rows[j]];
#if CAROM_NT > 0
            if (rows[j] >= CAROM_NE && rows[j] < CAROM_NG && along[rows[j]]) {
                for (int l = 0; l < CAROM_D - 1; ++l) {
                    const int k = CAROM(tangents)[rows[j] - CAROM_NE][l];
                    if (k >= 0) {
                        w -= s->derived.mu[rows[j] - CAROM_NE] * slide[k - CAROM_NG] * W[rows[i] * CAROM_NR + k];
                    }
                }
                if (i == j && !(w > CAROM_PIVOT_ZERO * W[rows[i] * CAROM_NR + rows[i]])) {
                    info->contact = rows[j];
                    info->residual = w;
                    return CAROM_PAINLEVE;
                }
            }
#endif
            K[i * n + j] = w;
        }
    }
    carom_multipliers(n, K, y, joint, borne ? contacts : 0, bearing, room);
    for (int i = 0; i < n; ++i) {
        r[rows[i]] = y[i];
    }
#if CAROM_NT > 0
    for (int k = 0; k < CAROM_NT; ++k) {
        const int j = CAROM(contact_of)[k];
        if (along[j]) {
            r[CAROM_NG + k] = -s->derived.mu[j - CAROM_NE] * slide[k] * r[j];
        }
    }
#endif
    CAROM(push)(s, c, loaded, r, x);
    return CAROM_OK;
}

#endif
