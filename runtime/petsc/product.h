/* The product of alike linear cells: one stiffness and one mass matrix for all cells of a body, eight cells side by
 * side. */
#ifndef CAROM_PETSC_PRODUCT_H
#define CAROM_PETSC_PRODUCT_H

#include "space.h"

/* X: nodes of one of the cells. */
PetscErrorCode CaromProductCreate(const CaromSpace *space, PetscInt body, const PetscReal *X, CaromProduct *product);
PetscErrorCode CaromProductDestroy(CaromProduct *product);

/* y += sum over cells of K x, all arrays by local node. */
void CaromProductStiffness(CaromProduct product, PetscInt cells, const PetscInt *cell, const PetscReal *x,
                           PetscReal *y);

/* y += factor * sum over cells of M x. */
void CaromProductMass(CaromProduct product, PetscReal factor, PetscInt cells, const PetscInt *cell, const PetscReal *x,
                      PetscReal *y);

/* The matrices: K [nodes d x nodes d], m [nodes x nodes]. */
const PetscReal *CaromProductK(CaromProduct product);
const PetscReal *CaromProductM(CaromProduct product);

/* Whether the cells have the mirror symmetry that makes the short form of the product possible. */
PetscBool CaromProductShort(CaromProduct product);

#endif
