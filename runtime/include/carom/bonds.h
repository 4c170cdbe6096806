/* Bonds of contacts (THEORY 6.11): a bonded contact pulls along its normal with its cohesion, and the contact problem
 * knows only what presses beyond that. Asks for s->bond (1: bonded, 0: not, < 0: not known yet), s->derived.cohesion,
 * the table lasting (which bonds come back), CAROM(add_row), f += G_j^T r, and CAROM_CLOSED: gaps that are. See
 * carom/algorithm.h. */
#ifndef CAROM_BONDS_H
#define CAROM_BONDS_H

#include "algorithm.h"

/* Where a step begins: closed contacts of a state that was given are bonded, those that pressed in the last step stay
 * so, or (lasting) become so. */
static inline void CAROM(bond)(CAROM_STATE *s, const CAROM(config) * c)
{
    for (int k = 0; k < CAROM_WC; ++k) {
        const bool presses = s->bond[k] < 0.0 ? c->g[CAROM_NE + k] <= CAROM_CLOSED : s->last[CAROM_NE + k] > 0.0;
        s->bond[k] = presses && (CAROM(lasting)[k] || s->bond[k] != 0.0) && s->derived.cohesion[k] > 0.0 ? 1.0 : 0.0;
    }
}

/* f -= G_N^T cohesion of what is bonded */
static inline void CAROM(pull)(const CAROM_STATE *s, const CAROM(config) * c, double *f)
{
    for (int k = 0; k < CAROM_WC; ++k) {
        if (s->bond[k] > 0.0) {
            CAROM(add_row)(s, c, CAROM_NE + k, -s->derived.cohesion[k], f);
        }
    }
}

#endif
