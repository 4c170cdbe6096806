/* Shapes whose contact pairs are found while running. A generated integrator owns all memory and lends it to these
 * functions through a carom_bulk; nothing here keeps a pointer, uses the heap or depends on addresses, so a copy of the
 * integrator's state is a checkpoint and the same state gives the same bits. What is found are rows of the contact
 * problem: carom/found.h.
 *
 * Shapes are ordered by carom_bulk_order: the wide ones (planes, heightfields, what is fixed, what is much larger than
 * the others) first, each group as declared. Contacts are ordered by their two shapes and the feature that touches. */
#ifndef CAROM_BULK_H
#define CAROM_BULK_H

#include "collide.h"
#include "status.h"
#include "touch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a body moves, in space. Fixed shapes share one that does not. */
typedef struct {
    double v[3], w[3]; /* velocity, angular velocity */
} carom_bulk_body;

/* A contact point; the normal points to a. */
typedef struct {
    int a, b, feature; /* shapes, b before a */
    int i, j;          /* their bodies */
    int pair;          /* of materials: where their friction and restitution stand */
    double normal[3];
    double ra[3], rb[3]; /* from the centres of mass to the points that meet */
    double gap;
    double rate; /* of the gap, at the start of the step */
    double mu;   /* Coulomb's coefficient of its two materials */
} carom_bulk_contact;

typedef struct {
    int a, b, feature;
} carom_bulk_memory; /* what a contact leaves for the next search */

/* Doubles and ints of work space for so many shapes. */
#define CAROM_BULK_SHAPE_DOUBLES(shapes) (12 * (size_t)(shapes))
#define CAROM_BULK_GRID_SIZE(shapes) (12 * (size_t)(shapes) + 64)

/* Shapes on bodies, as those see them who only look. */
typedef struct {
    int bodies;
    const int *where; /* as below */
    const carom_shape *shape;
    const int *body;
    const double *bound;
    const int *alone; /* two shapes of which q is the poses, one after the other, and of nothing else; NULL: q is all */
} carom_scene;

/* The pile as these functions see it, for the time of a call. */
typedef struct {
    int bodies, shapes, maximum;
    int *wide; /* how many shapes come first and are tried against all */
    /* [4 bodies] where in q and v the place, the quaternion, the velocity and the spin of each body begin; NULL: all of
     * one body after another, at 7 i, 7 i + 3, 6 i, 6 i + 3 */
    const int *where;
    /* [bodies] how far each may come in the time that counts beyond what its velocity says; contacts that separate are
     * then found as well. NULL: no farther, and they are not */
    const double *beyond;
    int materials; /* how many there are; of two, a and b, friction stands at [materials a + b] */
    const double *friction;
    const unsigned char *material; /* [shapes] as declared; NULL: all are of the first */
    carom_shape *shape;            /* [shapes] */
    int *body;                     /* [shapes] which body it is on; `bodies`: fixed */
    int *label;                    /* [shapes] its number as declared */
    /* [shapes] radius around the middle of the shape; infinite for planes and heightfields */
    double *bound;
    carom_bulk_body *at;         /* [bodies + 1] */
    carom_bulk_contact *contact; /* [maximum] */
    carom_bulk_memory *memory;   /* [maximum] of the last step */
    int *contacts, *memories;    /* how many there are */
    double *place;               /* work: [CAROM_BULK_SHAPE_DOUBLES(shapes)] */
    int *grid;                   /* work: [CAROM_BULK_GRID_SIZE(shapes)] */
} carom_bulk;

/* Sorts the shapes into wide and others and computes their bounds; once, after the shapes have been filled in. */
void carom_bulk_order(const carom_bulk *b);

/* Contacts with gap + gamma h rate <= tg at positions q (7 per body: place, quaternion) and velocities v (6 per body:
 * velocity, angular velocity in the frame of the body). CAROM_CAPACITY when there are more than `maximum`. */
carom_status carom_bulk_find(const carom_bulk *b, const double *q, const double *v, double gamma, double h, double tg);

/* ---- broad phase ------------------------------------------------------------------------------------------------ */

/* Spheres in a uniform grid: x, y, z and radius of each; work as CAROM_BULK_GRID_SIZE, sorted is 4 count doubles. */
typedef struct {
    int count, mask;
    double low[3], inverse; /* corner and 1 / size of the cells */
    int *start, *item, *cell;
    double *sorted;
} carom_grid;

void carom_grid_build(carom_grid *grid, int count, const double *sphere, int *work, double *sorted);

/* Those before i whose sphere meets that of i, in ascending order; `out` has room for i. Returns their number. */
int carom_grid_near(const carom_grid *grid, const double *sphere, int i, int *out);

#ifdef __cplusplus
}
#endif
#endif
