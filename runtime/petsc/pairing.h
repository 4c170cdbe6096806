/* The faces of a master boundary, for the nodes that may meet them. */
#ifndef CAROM_PETSC_PAIRING_H
#define CAROM_PETSC_PAIRING_H

#include "space.h"

#include "../mesh/closest.h"

/* The faces of a boundary, of all ranks on every rank, numbers of nodes in the whole mesh; PetscFree(faces->face). */
PetscErrorCode CaromFacesGather(const CaromSpace *space, int body, const CaromBoundary *boundary, carom_faces *faces);

#endif
