/* Proximal point with a choice of its parameters (prox.c). */
#ifndef CAROM_FRICTION_PROX_H
#define CAROM_FRICTION_PROX_H

#include "solver.h"

typedef struct {
    double alpha;  /* the first one */
    double weight; /* of velocities in the Newton function */
    int limit;     /* outer steps */
} carom_prox_options;

/* Improves r, whose residual is given; returns the new one. */
double carom_prox_run(carom_fc *fc, const carom_prox_options *options, double *r, double residual);

#endif
