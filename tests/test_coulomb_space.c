/* The same in space. */
#define DIMENSION 3
#include "test_coulomb.c"
