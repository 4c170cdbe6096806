/* Which face of a master boundary a node meets, in the undeformed bodies: the one with the nearest point. */
#ifndef CAROM_PETSC_PAIRING_H
#define CAROM_PETSC_PAIRING_H

#include "space.h"

/* The faces of a boundary, of all ranks on every rank, in an order that does not depend on the ranks. */
typedef struct {
    PetscInt d, per, n; /* dimension, nodes of a face, faces */
    /* [n] of: centre [d], radius, centre of the cell [d], nodes [per] of number, place [d], mask [d] */
    PetscReal *face;
    PetscInt width;
} CaromFaces;

typedef struct {
    PetscInt node[4];              /* numbers in the whole mesh */
    PetscReal weight[4];           /* shape functions at the nearest point */
    PetscReal point[3], normal[3]; /* that point; outward normal of the face there */
    /* how far x is beyond each edge, in widths of the face: direction across it [3], value; unused ones are far
     * inside */
    PetscReal edge[4][4];
    PetscReal free[3]; /* weights of the nodes that are free in a component */
} CaromNearest;

PetscErrorCode CaromFacesGather(const CaromSpace *space, int body, const CaromBoundary *boundary, CaromFaces *faces);
PetscErrorCode CaromFacesDestroy(CaromFaces *faces);

void CaromFacesNearest(const CaromFaces *faces, const PetscReal *x, CaromNearest *nearest);

#endif
