/* Friction problems solved and judged once more, independently of the library: shared by the suites of the friction solvers. */
#ifndef CAROM_TEST_FRICTION_ANSWER_H
#define CAROM_TEST_FRICTION_ANSWER_H

#include "carom/friction.h"

#include <stdint.h>

#define TOLERANCE 1e-8

double uniform(uint64_t *state); /* in -1 .. 1 */
double norm(int size, const double *x);

/* The law of one contact as a residual, written once more and in another way than the library does: distance of r from
 * the projection of r - s u^ on the cone, divided by s. */
double law(int d, double mu, double s, const double *r, const double *u);

typedef struct {
    int size;
    double *W, *q, *mu; /* dense */
} dense_problem;

/* The residual of the documentation from a dense matrix; u becomes W r + q. */
double dense_residual(int d, const dense_problem *p, const double *r, double *u);
dense_problem spread(const carom_friction_problem *problem);
void discard(dense_problem *p);

typedef struct {
    carom_status status;
    carom_friction_result result;
    double *r, *u;
    int size;
} answer;

/* Solves from `start` (zero when NULL), in work space filled with `poison`. */
answer solve(const carom_friction_problem *problem, const char *solver, const double *start, int poison);
void forget(answer *a);
int same_bits(const answer *a, const answer *b);

/* A copy whose entries are changed by factors: W_ij sigma_i sigma_j w_factor, q_i sigma_i q_factor; memory for free(). */
void *changed_copy(const carom_friction_problem *problem, const double *sigma, double w_factor, double q_factor,
                   carom_friction_problem *copy);

#endif
