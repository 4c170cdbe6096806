/* An elastic block dropped on a rigid obstacle, for tests and benchmarks of the contact solvers: a grid of d-cubes (or tetrahedra)
 * assembled here, Moreau-Jean with theta = 1/2. Its bottom has a slightly curved gap, so that contact spreads. */
#ifndef ELASTIC_BLOCK_H
#define ELASTIC_BLOCK_H

#include "../runtime/petsc/contact.h"

typedef struct {
    PetscInt d, edge;        /* directions; nodes per edge */
    PetscBool tets;          /* six tetrahedra per cube, graded towards the bottom */
    PetscReal cfl;           /* step = cfl dx / c_p, dx = 1 / (edge - 1) */
    PetscReal mu, drop, slide, weight; /* friction; velocities at the start; body force per mass */
    PetscReal radius;        /* of the bottom's curvature */
    const PetscReal *turn;   /* [d d] by rows: the whole problem turned; NULL: not turned */
    const char *matrix;      /* MATSBAIJ, MATAIJ ... */
    PetscBool fix_side;      /* the lowest layer in x may not move along x (as turned: along its axis) */
    PetscReal restitution;   /* lower bound of a normal velocity: -restitution times that before the step, where it approaches */
    PetscReal belt;          /* velocity of the obstacle along the first tangent */
} BlockOptions;

typedef struct {
    BlockOptions o;
    MPI_Comm comm;
    PetscReal h, c_p;
    PetscInt nodes, first;   /* here; number of the first in the whole */
    Mat A, K;                /* A = M + h^2/4 K */
    Vec u, v, b, load, mask, work;
    PetscInt n;              /* contact nodes here */
    PetscInt *node;
    PetscReal *frame, *lo, *slip, *mu, *gap, *lambda;
    PetscBool *active;
    PetscInt candidates;     /* over all ranks, of this step */
} Block;

PetscErrorCode BlockCreate(MPI_Comm comm, const BlockOptions *options, Block *block);
PetscErrorCode BlockDestroy(Block *block);
/* Right hand side and candidates of the step from the state; v is the guess. */
PetscErrorCode BlockPrepare(Block *block, CaromContactSet *set);
/* The state after the step: u from the velocities at both ends. */
PetscErrorCode BlockAdvance(Block *block, Vec before);
/* Sum of the impulses in plain components, unturned. */
PetscErrorCode BlockImpulse(const Block *block, PetscReal impulse[3]);

#endif
