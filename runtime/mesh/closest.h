/* Which face of a boundary a node meets, in the undeformed bodies: the one with the nearest point. */
#ifndef CAROM_MESH_CLOSEST_H
#define CAROM_MESH_CLOSEST_H

#include "shape.h"

#include <stddef.h>
#include <stdint.h>

/* A face, doubles only: what other processes send can be taken as it is. */
typedef struct {
    double centre[3], radius; /* of a ball around it that holds it: see carom_faces_finish */
    double cell[3];           /* centre of the cell it belongs to */
    struct {
        double number, X[3];
        double free[3]; /* 1, or 0 where the node is held in a component */
    } node[CAROM_FACE_NODES];
} carom_face;

enum { CAROM_FACE_DOUBLES = sizeof(carom_face) / sizeof(double) };

/* Faces of `per` nodes in d dimensions; unused components are 0. */
typedef struct {
    int d, per;
    size_t n;
    carom_face *face;
} carom_faces;

typedef struct {
    int64_t node[CAROM_FACE_NODES];  /* their numbers */
    double weight[CAROM_FACE_NODES]; /* shape functions at the nearest point */
    double point[3], normal[3];      /* that point; outward normal of the face there */
    double along[2][3];              /* directions along the face there, not of unit length */
    /* how far x is beyond each edge, in widths of the face: direction across it [3], value; unused ones are far
     * inside */
    double edge[CAROM_FACE_NODES][4];
    double free[3]; /* weights of the nodes that are free in a component */
} carom_nearest;

/* Centres and radii from the nodes; then the faces are put into an order that does not depend on where they came from:
 * of faces equally near the first is taken. */
void carom_faces_finish(carom_faces *faces);

/* There must be a face. */
void carom_faces_nearest(const carom_faces *faces, const double *x, carom_nearest *nearest);

#endif
