/* Random hyperstatic contact problems (hyperstatic.c): more contacts than the bodies have freedoms. */
#ifndef CAROM_TEST_HYPERSTATIC_H
#define CAROM_TEST_HYPERSTATIC_H

#include "carom/friction.h"

#include <stdint.h>

/* splitmix64: small, and the same everywhere */
uint64_t random_bits(uint64_t *state);
double random_between(uint64_t *state, double low, double high);

#define HYPERSTATIC_KINDS 8

/* Name of kind number % HYPERSTATIC_KINDS. */
const char *hyperstatic_name(int number);

/* The problem with this number; memory for free() or NULL. Kinds, dimensions, sizes, friction and masses vary with it.
 * q = G v for some v of the bodies, so u = 0 is admissible; that makes a solution likely but, with friction, is no
 * proof that there is one. */
void *hyperstatic_problem(int number, carom_friction_problem *problem);

#endif
