/* Hand-written models for the tests of runtime/petsc: what a generated file would give. */
#ifndef CAROM_TESTS_LARGE_MODELS_H
#define CAROM_TESTS_LARGE_MODELS_H

#include <carom/large.h>

/* The model of that name with `n` cells along an edge; NULL: there is none. */
const carom_large *large_model(const char *name, int n);

#endif
