/* How far the cells of a mesh stretch and turn, and what that means for bodies of a linear material.
 *
 * H = du/dX at the middle of a cell, F = 1 + H = R U: strain is the largest |stretch - 1| (stretches: eigenvalues of
 * U), rotation the angle of R. Linear elasticity takes (H + H^T) / 2 for the strain and leaves out H^T H / 2. At a
 * rotation of 0.1 (5.7 degrees) or a strain of 0.1 that is 0.005, more than the elastic range of most metals, and it
 * grows with the square: turned by 90 degrees such a body is 1.86 times as long. */
#ifndef CAROM_DRIVER_DEFORM_H
#define CAROM_DRIVER_DEFORM_H

#include <carom/model.h>

#include <stddef.h>
#include <stdio.h>

#define CAROM_LINEAR_LIMIT 0.1 /* of strain and of rotation in rad */

/* The greatest of a body since the start, and when. */
typedef struct {
    double strain, rotation, strain_t, rotation_t;
} carom_deformed;

/* Takes what is more than before. */
void carom_deform_more(carom_deformed *most, double strain, double rotation, double t);

/* A cell in d dimensions, places X and displacements u by nodes in VTK's order: its strain and rotation go into `most`
 * when they are the greatest. d + 1 nodes: a simplex; 2^d: a line, quadrilateral or hexahedron. */
void carom_deform_cell(carom_deformed *most, int d, int nodes, const double *X, const double *u, double t);

/* Strain and rotation of a displacement gradient H, d x d by rows. */
void carom_deform_gradient(int d, const double *H, double *strain, double *rotation);

double carom_degrees(double angle);

/* "body":{"strain":...,"rotation":...} of a JSON object, after a comma when it is not the first; the rotation in
 * rad. */
void carom_deform_json(FILE *file, int comma, const char *body, const carom_deformed *most);

/* Whether a linear body has left what linear theory is good for, and the sentence that says so. */
int carom_deform_warning(const carom_deformed *most, const char *body, char *text, size_t room);

/* Whether nodes of meshes start inside what they may meet, by more than rounding, and the sentence that says so. */
int carom_inside_warning(const carom_model *model, const carom_view *view, char *text, size_t room);

#endif
