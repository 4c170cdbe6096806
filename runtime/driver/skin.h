/* The outside of meshes over a run, for pictures: in space the sides of cells that no other cell shares, in the plane
 * and on a line the cells themselves, as triangles. Where these have more nodes than a picture needs, nodes near to
 * each other are drawn as one. Private to the driver. */
#ifndef CAROM_DRIVER_SKIN_H
#define CAROM_DRIVER_SKIN_H

#include "bodies.h"

typedef struct {
    int nodes, triangles;
    int *mesh, *node; /* [nodes] which they are: of which mesh, its node */
    int *corner;      /* [3 triangles] places among the nodes; a line has the second one twice */
    double *sum;      /* room: strains and counts at all nodes of a mesh */
    float *values;    /* room: of a frame */
} carom_skin;

/* 0 when good, -1 without memory. most: about how many nodes may be shown. */
int carom_skin_make(carom_skin *skin, const carom_mesh *mesh, int meshes, int most);

/* Opens the file of the motion and writes what does not change: a line of text, the mesh of every node, undeformed
 * places (three floats each), triangles (ints). Frames: the time (a double), then displacement, greatest strain
 * and von Mises' stress of every node (five floats each). frames: how many at most. 0 when good. */
int carom_skin_open(carom_skin *skin, carom_motion *motion, const char *path, const carom_mesh *mesh, int meshes,
                    int frames, double until);

/* Writes a frame. u: displacements, in the places that the meshes say; mises: of the nodes of each mesh. */
void carom_skin_frame(carom_skin *skin, carom_motion *motion, const carom_mesh *mesh, int meshes, const double *u,
                      double *const *mises, double t);

void carom_skin_free(carom_skin *skin);

#endif
