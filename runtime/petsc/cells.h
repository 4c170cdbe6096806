/* Sums over cells: forces, masses, energies. */
#ifndef CAROM_PETSC_CELLS_H
#define CAROM_PETSC_CELLS_H

#include "space.h"

#include "../driver/deform.h"

/* Factors of a body's part in a sum: mass M v + force f(u) + stiffness K0 v, K0 that of the undeformed body. */
typedef struct {
    PetscReal mass, force, stiffness;
} CaromTerms;

/* y += the sum; u and v may be NULL when their factors are 0. Ghosts of u and v are brought up to date. */
PetscErrorCode CaromCellsAdd(const CaromSpace *space, const CaromTerms *terms, Vec u, Vec v, Vec y,
                             CaromTrouble *trouble);

/* Lumped mass of every component; and the same times the body's mass damping, when drag is not NULL. */
PetscErrorCode CaromCellsLumped(const CaromSpace *space, Vec mass, Vec drag);

PetscErrorCode CaromCellsEnergy(const CaromSpace *space, Vec u, Vec v, PetscReal *kinetic, PetscReal *elastic);

/* The greatest strain and rotation of a body's cells now, where they are more than those of before. */
PetscErrorCode CaromCellsDeform(const CaromSpace *space, PetscInt body, Vec u, PetscReal t, carom_deformed *most);

/* Cauchy stress at the centres of a body's cells here: [cells x 6] xx yy zz yz xz xy. */
PetscErrorCode CaromCellsStress(const CaromSpace *space, PetscInt body, Vec u, PetscReal *stress);

/* Of their mean at each local node, ghosts too: von Mises' stress, and the principal stresses, the largest first. */
PetscErrorCode CaromStressNodes(const CaromSpace *space, Vec u, PetscReal *mises, PetscReal *principal);

/* Matrix of a cell: mass m + stiffness K0 + tangent K(u); [nodes d x nodes d]. u is the local array, NULL:
 * undeformed. */
int CaromCellMatrix(const CaromSpace *space, PetscInt body, PetscInt cell, PetscReal mass, PetscReal stiffness,
                    PetscReal tangent, const PetscReal *u, PetscReal *K);

/* Says that a cell is inverted, where and which. */
void CaromCellInverted(const CaromSpace *space, PetscInt body, PetscInt cell, CaromTrouble *trouble);

#endif
