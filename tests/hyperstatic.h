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

/* A tower of boxes in space with about so many contacts, four under each box; `wide` bricks side by side in each row, in bond. Each
 * falls by one step of gravity, and moves and turns by up to `stir` of that. */
void *tower_problem(int contacts, int wide, double stir, carom_friction_problem *problem);

/* Bodies in space whose masses differ by 1e10, with five times as many rows as freedoms: towers with the heavy ones on top or in any
 * order, tangles. q = G v as above. */
void *mass_ratio_problem(int number, carom_friction_problem *problem);

#endif
