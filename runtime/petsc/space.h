/* Vectors over the mesh: displacement components by node, ghosts behind them; which components are fixed; loads. */
#ifndef CAROM_PETSC_SPACE_H
#define CAROM_PETSC_SPACE_H

#include "mesh.h"

#include <petscvec.h>

typedef struct _p_CaromProduct *CaromProduct; /* see product.h */

typedef struct {
    const carom_large *model;
    const PetscReal *p; /* parameters */
    CaromMesh mesh;
    PetscInt d;
    PetscBool linear;                /* all bodies are */
    PetscBool lumped;                /* the mass matrix is its row sums */
    PetscReal *alpha, *beta;         /* [bodies] C = alpha M + beta K */
    CaromProduct *product;           /* [bodies] for linear bodies of alike cells, else NULL */
    Vec mask;                        /* 1 free, 0 fixed */
    PetscInt fixed;                  /* owned nodes with fixed components ... */
    PetscInt *fixed_node, *fixed_by; /* ... and the fix, by its number; a node may come twice */
    PetscInt *fixed_mask;            /* directions in which no later fix has the say; bits as of carom_fix */
    PetscBool any_fixed;             /* on any rank */
    Vec steady;                      /* loads that do not depend on time */
    PetscBool changing;              /* there are others */
} CaromSpace;

PetscErrorCode CaromSpaceCreate(MPI_Comm comm, const carom_large *model, const PetscReal *p, CaromSpace *space,
                                CaromTrouble *trouble);
PetscErrorCode CaromSpaceDestroy(CaromSpace *space);

/* Mass matrix of a cell [nodes x nodes], lumped where the scheme says so. */
void CaromSpaceMass(const CaromSpace *space, PetscInt body, const PetscReal *X, PetscReal *m);

/* A zero vector with room for ghosts. */
PetscErrorCode CaromSpaceVector(const CaromSpace *space, Vec *v);

/* Owned and ghost values as one array. */
PetscErrorCode CaromSpaceGet(Vec v, PetscReal **x);
PetscErrorCode CaromSpaceRestore(Vec v, PetscReal **x);

/* Owners tell the ghosts; ghosts are added to their owners. */
PetscErrorCode CaromSpaceUpdate(Vec v);
PetscErrorCode CaromSpaceCollect(Vec v);

/* Owned nodes of a boundary and their shares of its area; the caller frees both (PetscFree2). */
PetscErrorCode CaromSpaceBoundary(const CaromSpace *space, int body, const CaromBoundary *boundary, PetscInt *count,
                                  PetscInt **node, PetscReal **area);

/* Writes the prescribed values at time t into u and v; either may be NULL. */
PetscErrorCode CaromSpacePrescribe(const CaromSpace *space, PetscReal t, Vec u, Vec v);

/* Initial displacement and velocity. */
PetscErrorCode CaromSpaceStart(const CaromSpace *space, Vec u, Vec v);

/* External forces at time t. */
PetscErrorCode CaromSpaceLoad(const CaromSpace *space, PetscReal t, Vec f);

#endif
