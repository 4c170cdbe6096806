/* Bonds of contacts (THEORY 6.11): a bonded contact pulls along its normal with its cohesion, and the contact problem
 * knows only what presses beyond that. Asks for s->bond (1: bonded, 0: not, < 0: not known yet), the cohesion of each
 * contact, which bonds come back (CAROM_COHESION, CAROM_LASTING: of the model, or of contacts that are found),
 * CAROM(add_row), f += G_j^T r, and CAROM_CLOSED: gaps that are. See carom/algorithm.h. */
#ifndef CAROM_BONDS_H
#define CAROM_BONDS_H

#include "algorithm.h"

#if CAROM_FOUND > 0
#define CAROM_COHESION s->found.cohesion
#define CAROM_LASTING s->found.lasting
#else
#define CAROM_COHESION s->derived.cohesion
#define CAROM_LASTING CAROM(lasting)
#endif

/* Where a step begins: closed contacts of a state that was given are bonded. */
static inline void CAROM(bond)(CAROM_STATE *s, const CAROM(config) * c)
{
    for (int k = 0; k < CAROM_CONTACTS; ++k) {
        if (s->bond[k] < 0.0) {
            s->bond[k] = c->g[CAROM_NE + k] <= CAROM_CLOSED && CAROM_COHESION[k] > 0.0 ? 1.0 : 0.0;
        }
    }
}

/* f -= G_N^T cohesion of what is bonded */
static inline void CAROM(pull)(const CAROM_STATE *s, const CAROM(config) * c, double *f)
{
    for (int k = 0; k < CAROM_CONTACTS; ++k) {
        if (s->bond[k] > 0.0) {
            CAROM(add_row)(s, c, CAROM_NE + k, -CAROM_COHESION[k], f);
        }
    }
}

/* The mean pull of a contact in the step that ends. */
static inline double CAROM(pulled)(const CAROM_STATE *s, int k) { return s->bond[k] > 0.0 ? CAROM_COHESION[k] : 0.0; }

/* Where a step with the impulses J ends: contacts that pressed stay bonded, or (lasting) become so. */
static inline void CAROM(settle_bonds)(CAROM_STATE *s, const double *J)
{
    for (int k = 0; k < CAROM_CONTACTS; ++k) {
        const bool holds = J[CAROM_NE + k] > 0.0 && (CAROM_LASTING[k] || s->bond[k] > 0.0);
        s->bond[k] = holds && CAROM_COHESION[k] > 0.0 ? 1.0 : 0.0;
    }
}

#endif
