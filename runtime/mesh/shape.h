/* Numbers of the kinds of cells, in the order of carom_cell (carom/large.h). Nodes as VTK counts them. */
#ifndef CAROM_MESH_SHAPE_H
#define CAROM_MESH_SHAPE_H

enum { CAROM_SHAPES = 5, CAROM_FACE_NODES = 4 };

typedef struct {
    const char *name;
    int dimension, nodes, faces, face_nodes;
    int face[6][CAROM_FACE_NODES]; /* seen from outside anticlockwise: the normal points outward */
    /* where a cell may be inverted: a node and its neighbours along the edges, right-handed */
    int corners, corner[8][4];
} carom_shape;

const carom_shape *carom_shape_of(int cell);

/* By its name ("tet4"); NULL: there is none. */
const carom_shape *carom_shape_named(const char *name);

#endif
