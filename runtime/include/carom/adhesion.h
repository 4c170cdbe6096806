/* Adhesion of contacts, a cohesive zone (THEORY 6.13): an intensity beta that starts at 1 and falls while the gap g is
 * open,
 *
 *     f -= G_N^T beta^2 C g,      b beta' = min(0, w - beta C g^2)
 *
 * explicit in the gap and implicit in beta, once where a step ends. Asks for s->intensity, s->derived.adhesion (C, w, b
 * of each contact; C = 0: none), CAROM(add_row), f += G_j^T r, and CAROM_CLOSED: gaps that are.
 * See carom/algorithm.h. */
#ifndef CAROM_ADHESION_H
#define CAROM_ADHESION_H

#include "algorithm.h"

/* Of a state that is given, what is closed is whole. */
static inline void CAROM(adhere)(CAROM_STATE *s, const CAROM(config) * c)
{
    for (int k = 0; k < CAROM_WC; ++k) {
        s->intensity[k] = s->derived.adhesion[k][0] > 0.0 && c->g[CAROM_NE + k] <= CAROM_CLOSED ? 1.0 : 0.0;
    }
}

/* f -= G_N^T beta^2 C g where the gap is open */
static inline void CAROM(draw)(const CAROM_STATE *s, const CAROM(config) * c, double *f)
{
    for (int k = 0; k < CAROM_WC; ++k) {
        const double beta = s->intensity[k], g = c->g[CAROM_NE + k];
        if (beta > 0.0 && g > 0.0) {
            CAROM(add_row)(s, c, CAROM_NE + k, -beta * beta * s->derived.adhesion[k][0] * g, f);
        }
    }
}

/* Where a step of length h ends in c: beta+ = min(beta, (b beta + h w) / (b + h C g^2)). */
static inline void CAROM(wear)(CAROM_STATE *s, const CAROM(config) * c, double h)
{
    for (int k = 0; k < CAROM_WC; ++k) {
        const double *const a = s->derived.adhesion[k];
        const double g = fmax(c->g[CAROM_NE + k], 0.0), hold = a[2] + h * a[0] * g * g;
        if (s->intensity[k] > 0.0 && hold > 0.0) {
            s->intensity[k] = fmin(s->intensity[k], (a[2] * s->intensity[k] + h * a[1]) / hold);
        }
    }
}

#endif
