/* What one rank adds to rows of another: packed, sent at once, and handed over in the order of ranks and of packing.
 * Sums over them have the same bits in every run; PETSc's own stashes (MatSetValues, VecSetValues) add as messages
 * happen to arrive. */
#ifndef CAROM_PETSC_PARCELS_H
#define CAROM_PETSC_PARCELS_H

#include <petscsys.h>

typedef struct {
    PetscInt row, column;
    PetscReal value[9];
} CaromParcel;

/* Rows [first, first + owned) are here. Sends `count` parcels to the owners of their rows; *theirs, *got: what came, to
 * be freed. */
PetscErrorCode CaromParcelsSend(MPI_Comm comm, PetscInt first, PetscInt owned, PetscInt count, const CaromParcel *mine,
                                PetscInt *got, CaromParcel **theirs);

#endif
