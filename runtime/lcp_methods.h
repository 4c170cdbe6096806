/* What the methods for linear complementarity problems share among themselves (carom/lcp_solvers.h); not installed.
 *
 * A method looks for z >= 0, leaves the best it found in z and returns its residual; only lcp_solvers.c decides about
 * success. */
#ifndef CAROM_LCP_METHODS_H
#define CAROM_LCP_METHODS_H

#include "carom/lcp_solvers.h"

typedef struct {
    const carom_lcp_problem *problem;
    double tolerance;
    double *unit; /* [n] m_i */
    double *w;    /* [n] scratch of the residual */
    double *work; /* [carom_lcp_method_work(n)] for the method that runs */
    int iterations;
    int infeasible; /* z holds a proof that there is no solution */
} carom_lcp_run;

/* Gauss elimination with complete pivoting of the n x n matrix at A (by rows, destroyed), x = A^-1 x. Pivots below
 * 1e-13 of the largest entry count as zero: their unknowns are 0. Returns the rank. order: scratch [2 n]. */
int carom_lcp_gauss(int n, double *A, double *x, int *order);

/* Keeps z (cut to z >= 0) as the best point if it is better; returns the better residual. */
double carom_lcp_keep(carom_lcp_run *run, const double *candidate, double *z, double residual);

double carom_lcp_by_lemke(carom_lcp_run *run, double *z, double residual);
double carom_lcp_by_howson(carom_lcp_run *run, double *z, double residual);
double carom_lcp_by_newton(carom_lcp_run *run, double *z, double residual);
double carom_lcp_by_modes(carom_lcp_run *run, double *z, double residual);

/* Is it a game of two players (lcp_howson.c)? side [n] becomes 0 or 1. */
int carom_lcp_is_game(const carom_lcp_problem *problem, int *side);

#endif
