/* Piles: many free bodies whose contact pairs are found at run time. A generated integrator owns all memory and lends
 * it to these functions through a carom_bulk; nothing here keeps a pointer, uses the heap or depends on addresses, so a
 * copy of the integrator's state is a checkpoint and the same state gives the same bits.
 *
 * A step of a time-stepping scheme calls, in this order,
 *
 *     carom_bulk_find       which shapes touch at (t, q): pairs by a uniform grid, points by carom_collide
 *     carom_bulk_recall     impulses of the last step as the first guess
 *     carom_bulk_place      at a new configuration: normals, arms, gaps, inverse inertias, free velocities
 *     carom_bulk_solve      impulses r and velocities u with Coulomb's law, matrix-free (residual as in friction.h)
 *     carom_bulk_remember   keeps the impulses for the next step
 *
 * Shapes are ordered by carom_bulk_order: the wide ones (planes, heightfields, what is fixed, what is much larger than
 * the others) first, each group as declared. Contacts are ordered by their two shapes and the feature that touches. */
#ifndef CAROM_BULK_H
#define CAROM_BULK_H

#include "collide.h"
#include "friction.h"
#include "touch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A body of the contact problem, in space. Fixed shapes share one with m = 0. */
typedef struct {
    double v[3], w[3]; /* velocity, angular velocity */
    double m;          /* 1 / mass */
    double I[6];       /* inverse inertia: xx yy zz xy xz yz */
    double unused;     /* a whole number of 16 bytes */
} carom_bulk_body;

/* A contact point. The impulse acts on the body of shape a, its opposite on that of b; the normal points to a. */
typedef struct {
    int a, b, feature; /* shapes, b before a */
    int i, j;          /* their bodies */
    int known;         /* was it there in the last step? */
    int round;         /* arms along the normal, inertia alike in all directions: the local block is diagonal */
    int pair;          /* of materials: where their friction and restitution stand */
    double normal[3];
    double ra[3], rb[3]; /* from the centres of mass to the points that meet */
    double gap;
    double rate;      /* of the gap, at the start of the step */
    double bias;      /* what restitution adds to the end rate */
    double mu;        /* Coulomb's coefficient of its two materials */
    double r[3];      /* impulse, in space */
    double wn, wt, s; /* local block when round, and 3 / its trace */
} carom_bulk_contact;

typedef struct {
    int a, b, feature;
    double r[3];
} carom_bulk_memory; /* what a contact leaves for the next step */

/* The exact local solver's preparation of a contact that is not round (friction/solver.h has the names). */
typedef struct {
    double number[15];
} carom_bulk_local;

enum { CAROM_BULK_HISTORY = 8 }; /* of Anderson acceleration */

/* Doubles and ints of work space for so many shapes, and doubles for so many contacts. */
#define CAROM_BULK_SHAPE_DOUBLES(shapes) (12 * (size_t)(shapes))
#define CAROM_BULK_GRID_SIZE(shapes) (12 * (size_t)(shapes) + 64)
#define CAROM_BULK_CONTACT_DOUBLES(maximum) (15 * (size_t)(maximum))
#define CAROM_BULK_CONTACT_FLOATS(maximum) (6 * CAROM_BULK_HISTORY * (size_t)(maximum))

/* Shapes on bodies, as those see them who only look. */
typedef struct {
    int bodies;
    const int *where; /* as below */
    const carom_shape *shape;
    const int *body;
    const double *bound;
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
    int materials; /* how many there are; of two, a and b, friction and restitution stand at [materials a + b] */
    const double *friction, *restitution;
    const unsigned char *material; /* [shapes] as declared; NULL: all are of the first */
    const double *mass;            /* [bodies] */
    const double *inertia;         /* [9 bodies] in the frame of the body, by rows ... */
    const double *inverse;         /* [9 bodies] ... and its inverse */
    const unsigned char *alike;    /* [bodies] is the inertia the same in all directions? NULL: no masses are known */
    carom_shape *shape;            /* [shapes] */
    int *body;                     /* [shapes] which body it is on; `bodies`: fixed */
    int *label;                    /* [shapes] its number as declared */
    /* [shapes] radius around the middle of the shape; infinite for planes and heightfields */
    double *bound;
    carom_bulk_body *at;         /* [bodies + 1] */
    double *free;                /* [6 bodies] velocities without contact */
    carom_bulk_contact *contact; /* [maximum] */
    carom_bulk_local *local;     /* [maximum], or [1] when every contact is round */
    carom_bulk_memory *memory;   /* [maximum] of the last step */
    int *contacts, *memories;    /* how many there are */
    double *place;               /* work: [CAROM_BULK_SHAPE_DOUBLES(shapes)] */
    int *grid;                   /* work: [CAROM_BULK_GRID_SIZE(shapes)] */
    double *work;                /* work: [CAROM_BULK_CONTACT_DOUBLES(maximum)] */
    float *history;              /* work: [CAROM_BULK_CONTACT_FLOATS(maximum)] */
    void *spare;                 /* work of the portfolio, may be NULL */
    size_t spare_size;           /* bytes */
} carom_bulk;

/* Sorts the shapes into wide and others and computes their bounds; once, after the shapes have been filled in. */
void carom_bulk_order(const carom_bulk *b);

/* Contacts with gap + gamma h rate <= tg at positions q (7 per body: place, quaternion) and velocities v (6 per body:
 * velocity, angular velocity in the frame of the body). CAROM_CAPACITY when there are more than `maximum`. */
carom_status carom_bulk_find(const carom_bulk *b, const double *q, const double *v, double gamma, double h, double tg);

/* First guess of the impulses: those of the same contacts in the last step times `scale`; 0 for new ones. */
void carom_bulk_recall(const carom_bulk *b, double scale);

/* Keeps the impulses; returns how many contacts carry one that were not there in the last step. */
int carom_bulk_remember(const carom_bulk *b);

/* Geometry of the contacts at q, bodies with the free velocities v (as for carom_bulk_find). */
void carom_bulk_place(const carom_bulk *b, const double *q, const double *v);

/* What a solve tells; worst is a contact, -1 when there is none. */
typedef struct {
    int sweeps, worst;
    double residual;
} carom_bulk_result;

/* Impulses and velocities to the residual `tolerance`, at most `limit` sweeps; memory = 0 is plain Gauss-Seidel. Where
 * sweeps stagnate, Newton's method on a smoothed law is tried (not with plain Gauss-Seidel, few contacts or very many
 * bodies), then sweeps from zero, then the portfolio of friction.h; both need the spare memory.
 * CAROM_CONTACT when it was not reached, CAROM_NOT_FINITE when the data are not finite. */
carom_status carom_bulk_solve(const carom_bulk *b, double tolerance, int limit, int memory, carom_bulk_result *result);

/* The same problem with W as a matrix, in the spare memory; r is the present point. Returns the bytes that were used, 0
 * when the spare memory is too small. */
size_t carom_bulk_assemble(const carom_bulk *b, carom_friction_problem *problem, double **r, double **u);

/* Velocities after the solve, v as for carom_bulk_find, q the configuration of carom_bulk_place. */
void carom_bulk_velocities(const carom_bulk *b, const double *q, double *v);

/* The inverse of a symmetric tensor by rows; CAROM_SINGULAR_MASS when it is not positive definite. */
carom_status carom_bulk_invert(const double J[9], double inverse[9]);

/* What turning does to the spin w of body i by itself: out = -J^-1 (w x J w). */
void carom_bulk_gyroscopic(const carom_bulk *b, int i, const double w[3], double out[3]);

double carom_bulk_energy(const carom_bulk *b, const double *v); /* kinetic; needs bodies, mass and inertia only */

/* What the contacts did in a step, after its velocities have been solved. */
typedef struct {
    double penetration; /* deepest, 0 when none is below 0 ... */
    int deepest;        /* ... and its contact; -1: none */
    int sticking, sliding;
    double support[3]; /* impulse of fixed shapes on the bodies */
} carom_bulk_tally;

carom_bulk_tally carom_bulk_count(const carom_bulk *b, double slow); /* slow: below it nothing slides */

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
