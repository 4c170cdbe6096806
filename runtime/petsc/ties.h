/* Ties of contact pairs: the velocity of a slave node relative to the point of a master face that it was paired with,
 *
 *     w_s = v_s - sum_j N_j v_j        (components in which the slave is held are left as they are)
 *
 * Over all nodes v = T w with ones besides the weights N, so with contacts as bounds on w the step's operator is T^T A
 * T and its right-hand side T^T b; forces on w_s act on the slave, and with -N_j on the masters. Masters are no slaves,
 * hence T^-1 = 2 - T. Only ties that are on take part: which, is decided in every step. */
#ifndef CAROM_PETSC_TIES_H
#define CAROM_PETSC_TIES_H

#include <petscmat.h>

typedef struct {
    PetscInt d, n;    /* components; ties here, whose slaves this rank owns */
    PetscInt *node;   /* [n] slave, local */
    PetscInt *first;  /* [n + 1] into master and weight */
    PetscInt *master; /* numbers in the whole mesh */
    PetscReal *weight;
    PetscReal *normal; /* [n d] of the master face, outward */
    PetscReal *apart;  /* [n d] slave less point of the face, undeformed */
    PetscReal *edge;   /* [n 4 4] of the master face, see carom_nearest */
    PetscBool *alone;  /* [n] the slave meets nothing but this face, ever */
    PetscBool *on;     /* [n] */
    PetscBool any;     /* on any rank */
    PetscInt all;      /* ties on all ranks */
    Mat C;             /* [n d x components of all nodes] */
    Vec gathered;      /* [n d] */
} CaromTies;

/* Makes C and the rest from node, first, master, weight; held [n d]: 1 where a slave's component is fixed. */
PetscErrorCode CaromTiesSet(CaromTies *ties, MPI_Comm comm, PetscInt owned, PetscInt d, const PetscReal *held);
PetscErrorCode CaromTiesDestroy(CaromTies *ties);

/* After `on` was written; collective. */
PetscErrorCode CaromTiesSwitch(CaromTies *ties);

/* out [n d] = sum_j N_j v_j of all ties, on or not. */
PetscErrorCode CaromTiesGather(CaromTies *ties, Vec v, PetscReal *out);

/* w to v (sign 1) or v to w (sign -1), in place. */
PetscErrorCode CaromTiesApply(CaromTies *ties, PetscReal sign, Vec v);

/* y = T^T y (sign 1) or T^-T y (sign -1). */
PetscErrorCode CaromTiesTranspose(CaromTies *ties, PetscReal sign, Vec y);

/* f_m += factor N force over the masters, force [n d] on the slaves; of all ties, on or not. */
PetscErrorCode CaromTiesSpread(CaromTies *ties, PetscReal factor, const PetscReal *force, Vec f);

#endif
