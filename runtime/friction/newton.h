/* Semismooth Newton for the contact problem and for its proximal subproblems (newton.c). */
#ifndef CAROM_FRICTION_NEWTON_H
#define CAROM_FRICTION_NEWTON_H

#include "sparse.h"

/* State of one contact in the Newton function. */
typedef struct {
    carom_contact_mode mode;
    double direction[2]; /* slip: n = y/|y| */
    double ratio;        /* slip: b = rho/|y| */
} carom_newton_contact;

/* Work space; the analysis of the last active set is kept between calls. */
typedef struct {
    double *u, *F, *step, *trial, *trial_u, *trial_F, *best; /* [d n] */
    carom_newton_contact *contact, *trial_contact;           /* [n] */
    int *active;                                             /* [n] index among the active contacts, -1 open */
    int *analysed;                                           /* [n] the active set of lu */
    int *row, *column;                                       /* the matrix of the active contacts */
    double *block, *rhs, *x;
    int actives, valid; /* valid: lu belongs to `analysed` */
    size_t lu_mark;
    carom_lu lu;
} carom_newton_space;

typedef struct {
    double shift;         /* alpha of the subproblem W + (alpha/s) I, q - (alpha/s) centre; 0 for the problem itself */
    const double *centre; /* used when shift > 0 */
    double weight;        /* of u against r in the Newton function: its s is weight d / trace(W_cc); usually 1 */
    int jean_moreau;      /* friction radius mu r_N instead of Alart-Curnier's mu (r_N - s u_N) */
    int limit;            /* steps */
    int patience;         /* give up when the best residual has not halved in so many steps */
    double target;        /* residual (of the subproblem) to reach */
} carom_newton_options;

typedef struct {
    double residual; /* of the best point, which is what r holds afterwards */
    int steps;
} carom_newton_outcome;

int carom_newton_allocate(carom_newton_space *space, carom_fc *fc); /* 0 when the work space is too small */
size_t carom_newton_work(int d, int n, int blocks);                 /* bytes, with room for ordinary fill */

/* Improves r; never leaves it worse, nor outside the cone. */
carom_newton_outcome carom_newton_run(carom_fc *fc, carom_newton_space *space, const carom_newton_options *o,
                                      double *r);

#endif
