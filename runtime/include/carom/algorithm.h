/* How algorithms and models meet. An algorithm that is quick only where the compiler knows the sizes is a header which
 * the C file of a model includes after it has said what it is: emitted integrators do, and tests with toy models. It
 * calls the model's functions by name, CAROM(forces) of slider_crank is slider_crank_forces, and is told
 *
 *     CAROM(name)   name of this model, model_##name        CAROM_STATE   its state, a struct
 *     CAROM_NQ, NV  positions, velocities                   CAROM_NS, NB  coordinates among them, bodies that turn
 *     CAROM_NE      bilateral rows, the first               CAROM_NC      contacts, their normals come next
 *     CAROM_NG      both: rows with a gap                   CAROM_NT      tangential rows, the last ones
 *     CAROM_NR      all rows                                CAROM_D       1 without friction, 2 planar, 3 in space
 *
 * and what each header asks for at its top; so one C file holds one model. All that these headers define is static
 * inline: what a model does not use costs nothing and no compiler complains; what hosts call is in the model's own
 * file. Arrays may not have length 0 in C: CAROM_LENGTH(n). */
#ifndef CAROM_ALGORITHM_H
#define CAROM_ALGORITHM_H

#include "settled.h"
#include "status.h"
#include "tolerances.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define CAROM_LENGTH(n) ((n) > 0 ? (n) : 1)

/* Contacts that are found while running (CAROM_FOUND, see carom/found.h): rows, contacts and their tables then are of
 * s->found, the sizes above are bounds, and CAROM_WC, WG, WT, WR count what is written. */
#ifndef CAROM_FOUND
#define CAROM_FOUND 0
#define CAROM_WC CAROM_NC
#define CAROM_WG CAROM_NG
#define CAROM_WT CAROM_NT
#define CAROM_WR CAROM_NR
#endif
#if CAROM_FOUND > 0
#define CAROM_GAPS s->found.gaps
#define CAROM_TANGENTS s->found.tangents
#define CAROM_CONTACTS s->found.contacts
#define CAROM_CONTACT_OF s->found.contact_of
#define CAROM_TANGENT_ROWS s->found.tangent
#define CAROM_MU s->found.mu
#else
#define CAROM_GAPS CAROM_NG
#define CAROM_TANGENTS CAROM_NT
#define CAROM_CONTACTS CAROM_NC
#define CAROM_CONTACT_OF CAROM(contact_of)
#define CAROM_TANGENT_ROWS CAROM(tangents)
#define CAROM_MU s->derived.mu
#endif

/* Before a loop of a few turns: one after another, without counting. Of a function: called rather than repeated, or
 * repeated wherever it is called; a long one with a frame of its own. */
#if defined(__GNUC__) && !defined(__clang__)
#define CAROM_UNROLL _Pragma("GCC unroll 16")
#define CAROM_CALLED __attribute__((unused))
#define CAROM_REPEATED __attribute__((always_inline)) inline
#define CAROM_OWN_FRAME __attribute__((noinline))
#elif defined(__clang__)
#define CAROM_UNROLL
#define CAROM_CALLED __attribute__((unused))
#define CAROM_REPEATED __attribute__((always_inline)) inline
#define CAROM_OWN_FRAME __attribute__((noinline))
#else
#define CAROM_UNROLL
#define CAROM_CALLED inline
#define CAROM_REPEATED inline
#define CAROM_OWN_FRAME
#endif

/* The numbers from `from` to before `to`, constants, one after another. */
#define CAROM_FOR(i, from, to)                                                                                         \
    CAROM_UNROLL                                                                                                       \
    for (int i = (from); i < (to); ++i)
/* The rows that can carry force of a model in straight code: tangents only where there is friction. */
#define CAROM_FOR_ROWS(j) CAROM_FOR(j, 0, CAROM_NR) if (j < CAROM_NG || CAROM(active)(s) == CAROM_NR)

/* By which a tangent is measured: 1 but where friction differs with the direction (CAROM_SCALED). */
#if CAROM_SCALED > 0
#define CAROM_MEASURED(tangent) s->derived.along[tangent]
#else
#define CAROM_MEASURED(tangent) 1.0
#endif

#endif
