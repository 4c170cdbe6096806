/* What the parts of the contact problem share among themselves; not installed. */
#ifndef CAROM_CONTACT_PARTS_H
#define CAROM_CONTACT_PARTS_H

#include "rows.h"

#include "../friction/solver.h"

#define CAROM_PART_MOST 12 /* unknowns in a part: its factor is full */

/* A part of the unknowns: its own full factor; the inverse of a body that moves freely (1 / mass, inverse inertia by
 * rows); or, large or with bilateral rows, nothing of its own but a place in the sparse factor of the whole. */
enum { CAROM_PART_FULL, CAROM_PART_BODY, CAROM_PART_FAR };

/* The contacts of the set with A and the bilateral rows eliminated: u = W z + q, `d` components each. What does not
 * exist (tangents of frictionless or sliding contacts) has row -1, and 1 on the diagonal of W. */
typedef struct {
    const carom_contact_problem *p;
    carom_contact_space *space;
    carom_arena arena;
    int d, n;
    int *contact;       /* [n] which of the problem's */
    int chunks, border; /* those of chunk k, from chunk[k] on, share no part with another; from `border` on they may */
    int chunk[CAROM_CHUNKS];
    int *row;            /* [d n] */
    int *tangent;        /* [(d - 1) n] rows of the tangents in the set, also where it slides */
    double *along;       /* [(d - 1) n] mu slide */
    int *rides;          /* [n] the one that it rides on, -1: none. Its normal has row -1 */
    bool *slides;        /* [n] */
    double *mu;          /* [n] of the law that is left: 0 where it slides */
    double *q, *z, *u;   /* [d n] */
    bool *locked;        /* [n] the bilateral rows hold its normal: it carries no force, theirs do */
    double *still;       /* [n] u_N of such a contact */
    double *block;       /* of W */
    double *diagonal;    /* [d n] of W, before sliding changes it */
    double *free;        /* [nv] f - G_S^T carried */
    double *x0;          /* [nv] A^-1 of that */
    double *x, *g;       /* [nv] scratch */
    bool moved;          /* x is the solution */
    double left;         /* residual that is above the tolerance, else 0 */
    double *dr;          /* [tables->nr] scratch */
    bool piled;          /* contacts may change places */
    bool local;          /* by parts, whose factors are these, else by the sparse factor of the whole */
    bool far;            /* some parts are in that of the whole */
    unsigned char *kind; /* [parts] */
    double *factor;      /* full LDL^T of each part, or its inverse */
    int *place, *start;  /* [nv] place of an unknown in its part, [parts] where the factor of a part begins */
} carom_condensed;

/* ---- condense.c ------------------------------------------------------------------------------------------------- */

/* Takes memory, factors A with the bilateral rows, fills in everything but W and q. CAROM_ARGUMENT: no room. */
carom_status carom_condense(carom_condensed *w, carom_info *info);

/* q, what contacts do without impulses. */
void carom_condensed_free(const carom_condensed *w);

/* A x = f with the bilateral rows: b is theirs, NULL for 0. */
carom_status carom_condensed_apply(carom_condensed *w, const double *f, const double *b, double *x, carom_info *info);

/* A x = G_row^T with the bilateral rows; x = 0 before. By parts only those that the row touches are not 0 then: clear
 * them again. */
carom_status carom_condensed_column(carom_condensed *w, int row, double *x, carom_info *info);
void carom_condensed_clear(const carom_condensed *w, int row, double *x);

/* W_ii of a row by the diagonal of A, without bilateral rows. */
double carom_row_stiffness(const carom_contact_problem *p, int row);

/* W by blocks, of all pairs or of those that share a part. False: no room. */
bool carom_condensed_blocks(carom_condensed *w, bool full, carom_friction_problem *made, carom_status *status,
                            carom_info *info);

/* Contacts whose normal the bilateral rows hold leave the problem: 1 on the diagonal, nothing else. */
void carom_condensed_lock(carom_condensed *w, const carom_friction_problem *W);

/* ---- pile.c ----------------------------------------------------------------------------------------------------- */

/* Sweeps over the parts that contacts touch, and what follows them; contacts in space, by parts; z in and out. */
carom_status carom_condensed_pile(carom_condensed *w, double tolerance, double floor, carom_info *info);

/* ---- products.c ------------------------------------------------------------------------------------------------- */

/* Accelerated projected gradients with products by the factor; z in and out. */
carom_status carom_condensed_products(carom_condensed *w, double tolerance, double floor, carom_info *info);

/* ---- contact.c -------------------------------------------------------------------------------------------------- */

/* carom_contact_solve without restitution of impulses. */
carom_status carom_contact_standard(const carom_contact_problem *problem, carom_contact_space *space, double *x,
                                    double *r, carom_info *info, carom_counts *counts);

/* ---- rebound.c -------------------------------------------------------------------------------------------------- */

/* What the contacts that were hit do after the compression that gave x and r. */
carom_status carom_contact_expand(const carom_contact_problem *problem, carom_contact_space *space, double *x,
                                  double *r, carom_info *info, carom_counts *counts);

#endif
