/* The same in space, with two bilateral rows. */
#define DIMENSION 3
#define JOINTS 2
#include "test_coulomb.c"
