/* The operator of a step, A = sum over bodies of mass M + stiffness K0 + tangent K(u), in blocks of d x d per node. */
#ifndef CAROM_PETSC_ASSEMBLY_H
#define CAROM_PETSC_ASSEMBLY_H

#include "cells.h"

#include <petscmat.h>

/* The matrix with room for every entry: SBAIJ (upper blocks), or what -carom_mat_type says. */
PetscErrorCode CaromAssemblyCreate(const CaromSpace *space, Mat *A);

/* Factors per body as in CaromTerms, where `force` is that of K(u); u NULL: undeformed. */
PetscErrorCode CaromAssemble(const CaromSpace *space, const CaromTerms *terms, Vec u, Mat A, CaromTrouble *trouble);

#endif
