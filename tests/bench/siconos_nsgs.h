/* The peer of `carom bench`: Siconos' NSGS with sparse blocks on one of our problems. Built only where Siconos is found. */
#ifndef SICONOS_NSGS_H
#define SICONOS_NSGS_H

#include "carom/friction.h"

/* Makes Siconos' form of a problem; NULL when memory is short. */
void *siconos_make(const carom_friction_problem *problem);
void siconos_free(void *peer);

/* Solves from 0 with at most `limit` iterations. Returns the iterations used; *claims: it calls the problem solved. */
int siconos_solve(void *peer, double tolerance, int limit, double *r, double *u, int *claims);

#endif
