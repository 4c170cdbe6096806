/* What a mesh file leaves open: which way round a plane cell goes, and which side of which cell a named face is. */
#ifndef CAROM_MESH_SIDES_H
#define CAROM_MESH_SIDES_H

#include "gmsh.h"
#include "shape.h"

/* A plane cell may come clockwise, which says nothing about its shape: it is turned. */
void carom_sides_turn(carom_gmsh *mesh);

/* Of every face the first cell that has it, -1: none, or the same face with the same name was given before; and which
 * of that cell's faces it is: from there its normal points outward. 0 when good, -1: no memory. */
int carom_sides_find(const carom_gmsh *mesh, const carom_shape *shape, int64_t *cell, int *side);

#endif
