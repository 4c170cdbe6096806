/* The contact problem of one step of a large model, and its solvers.
 *
 * Find v and lambda with
 *
 *     A v = b + sum_i R_i^T lambda_i        on the free components (mask = 1); elsewhere v keeps the value it came with
 *     per contact node i, w_i = R_i v_i:    0 <= lambda_N _|_ w_N - lo >= 0,
 *     |lambda_T| <= mu lambda_N,  lambda_T opposite to w_T - slip
 *
 * R_i is an orthonormal frame by rows: normal, tangents. For a node that is tied to a face of another body (ties.h) w_i
 * is R_i times its velocity relative to that face, and lambda_i acts on the face as well. A is symmetric positive
 * definite, blocks of size d per node. Every rank holds the contact nodes it owns. */
#ifndef CAROM_PETSC_CONTACT_H
#define CAROM_PETSC_CONTACT_H

#include "ties.h"

#include <petscksp.h>

/* The candidates of a step, on the rank that owns the node; arrays belong to the caller. */
typedef struct {
    PetscInt n;              /* contact nodes here */
    PetscInt d;              /* components: 1, 2 or 3 */
    const PetscInt *node;    /* [n] local node: components node*d .. of the local part of v */
    const PetscReal *frame;  /* [n d d] R_i by rows */
    const PetscReal *lo;     /* [n] lower bound of the normal velocity */
    const PetscReal *slip;   /* [n (d-1)] tangential velocity of the obstacle; NULL: 0 */
    const PetscReal *mu;     /* [n] */
    const PetscBool *active; /* [n] candidates of this step; the others are free */
    const PetscInt *tie;     /* [n] number of the tie that is on, -1: none; NULL: none at all */
    PetscBool equal;         /* w_N = lo at all candidates, lambda_N of either sign */
} CaromContactSet;

typedef struct {
    PetscInt outer, products;  /* outer iterations; products with A, all of them */
    PetscInt closed, sticking; /* over all ranks */
    PetscReal residual, target;
    PetscInt worst; /* local node of the largest share in the residual, -1 when none here */
} CaromContactResult;

typedef struct _p_CaromContact *CaromContact;

/* type: "mprgp" (frictionless), "tnn" (friction), "nsgs" (condensed W, direct factorisation); NULL: by law
 * and size. The option -carom_contact_type overrides it, -carom_contact_tol the tolerance. */
PetscErrorCode CaromContactCreate(MPI_Comm comm, const char *type, CaromContact *solver);
PetscErrorCode CaromContactDestroy(CaromContact *solver);

/* A and mask stay the caller's. Call again when A
 * changes (another h): what was derived from it, a factorisation for instance, is renewed. `nodes` lists all nodes that
 * can ever be in contact (local, owned), so that their rows of A are taken once. */
PetscErrorCode CaromContactSetOperator(CaromContact solver, Mat A, Vec mask, PetscInt d, PetscInt count,
                                       const PetscInt *nodes);

/* The ties of contact pairs, the caller's; before the first operator. NULL: none. Those that are on in a solve belong
 * to candidates. */
PetscErrorCode CaromContactSetTies(CaromContact solver, CaromTies *ties);

/* Natural residual to reach, relative to |b|; the option overrides it. */
PetscErrorCode CaromContactSetTolerance(CaromContact solver, PetscReal tol);

/* What the tolerance of the next solves is relative to; 0 (as created): |b| over the free components. */
PetscErrorCode CaromContactSetScale(CaromContact solver, PetscReal scale);

/* v: in the guess with its fixed values, out the solution. lambda: out [n d] per contact node in its frame (normal,
 * tangents). Friction radii and modes persist between calls. Returns 0 and result->residual > target when it did not
 * converge. */
PetscErrorCode CaromContactSolve(CaromContact solver, const CaromContactSet *set, Vec b, Vec v, PetscReal *lambda,
                                 CaromContactResult *result);

/* The contact-free solve with the same Krylov method, for comparison and for steps without candidates. */
PetscErrorCode CaromContactFree(CaromContact solver, Vec b, Vec v, PetscInt *products);

/* For who eliminates more than this: the factor of A, whose fixed components are unit rows, and W = A^-1 of the nodes,
 * on the first rank, made when first asked for.
 * Rows of W, d to a row of these: of a contact node by its number (row_of), of a slave relative to its masters
 * (tie_row); those of this rank begin at start. */
typedef struct {
    KSP ksp;
    const PetscReal *W; /* first rank: [m m] */
    PetscInt m, start;
    const PetscInt *number, *row_of, *tie_row; /* number: of a local node among the contact nodes */
} CaromDirect;
PetscErrorCode CaromContactDirect(CaromContact solver, CaromDirect *direct);

/* The type in use, for people. */
const char *CaromContactType(CaromContact solver);

#endif
