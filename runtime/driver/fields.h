/* Fields on the meshes of a model, of the state it is in: stresses of cells and at nodes, velocities, forces of
 * supports and contacts; and pictures of them. Private to the driver. */
#ifndef CAROM_DRIVER_FIELDS_H
#define CAROM_DRIVER_FIELDS_H

#include "deform.h"
#include "vtu.h"

#include <carom/model.h>

typedef struct {
    const carom_model *model;
    int *nodes;                              /* [meshes] of each */
    double **mises;                          /* [meshes][nodes] von Mises' stress ... */
    double *principal;                       /* ... and the principal stresses, of the nodes of all meshes */
    double *stress;                          /* [cells 6] of the cells of all meshes: xx, yy, zz, yz, xz, xy */
    double *u, *velocity, *reaction, *force; /* as the model gives them */
    carom_contact_status *status;
    double *sum, *weight, *block; /* room */
} carom_fields;

/* 0 when good, -1 without memory. A model without meshes has none. */
int carom_fields_open(carom_fields *fields, const carom_model *model);
void carom_fields_free(carom_fields *fields);

/* Displacements, and by them stresses: of a node the mean of the cells around, each weighted by the part of its mass
 * that is the node's; von Mises' and the principal ones of that mean. */
void carom_fields_stress(carom_fields *fields, const void *state);

/* How far the cells of each mesh stretch and turn, if that is more than before. */
void carom_fields_deform(carom_fields *fields, const void *state, double t, carom_deformed *most);

/* Pictures of a run: `made` of `count` in the folder `dir`. */
typedef struct {
    unsigned long long count;
    const char *dir;
    int made;
} carom_pictures;

/* Takes those that are due; 0 when good, else errno says why. */
int carom_pictures_take(carom_pictures *pictures, carom_fields *fields, const void *state, const carom_steps *steps);

#endif
