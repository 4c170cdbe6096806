/* What a generated finite-element model gives to the runtime for large systems: kernels per cell, per face and per
 * contact node, and tables that name them. The runtime for large systems owns the mesh, the vectors and the time
 * stepping; nothing here knows PETSc, and nothing in a kernel knows how many cells there are.
 *
 * Conventions: d = dimension of space and of the displacement. Arrays of a cell run over its nodes, then components:
 * X[node * d + component] are places in the reference configuration, u displacements, x = X + u. p are the parameters
 * in declared order. Kernels write their result (they do not add to it), use no heap and keep no state. Node order of
 * the cells is that of VTK. */
#ifndef CAROM_LARGE_H
#define CAROM_LARGE_H

#include "model.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CAROM_BAR2, CAROM_TRI3, CAROM_QUAD4, CAROM_TET4, CAROM_HEX8 } carom_cell;

#define CAROM_CELL_NODES 8 /* the most nodes of a cell */
#define CAROM_LANES 8      /* cells that a batched kernel treats at once, side by side */

/* Where the cells come from: a gmsh file, or a grid of `cells` boxes over `size` from `origin`, its nodes then moved by
 * `map` (NULL: not moved). Of a grid also: into which cells a box is cut, by its corners in the order of VTK (pieces 0:
 * it is the cell), and what its boundaries are called, lower and upper by turns in each direction; those of a file have
 * their physical names. */
typedef struct {
    const char *file; /* NULL for a grid; relative to the working directory or absolute */
    int cells[3];
    double size[3], origin[3];
    void (*map)(const double *p, const double *X, double *moved);
    int pieces, piece[6][4];
    const char *side[6];
} carom_mesh_source;

typedef struct {
    const char *name;
    carom_cell cell;
    carom_mesh_source mesh;
    int linear; /* internal forces are K u with a constant symmetric K */
    /* C = mass M + stiffness K; NULL: none */
    void (*damping)(const double *p, double *mass, double *stiffness);
    /* fastest, of the undeformed material */
    double (*wave_speed)(const double *p);
    /* [nodes x nodes], the same per component */
    void (*mass)(const double *p, const double *X, double *m);
    void (*lumped)(const double *p, const double *X, double *m); /* [nodes] row sums */
    /* internal force; not 0: inverted cell */
    int (*force)(const double *p, const double *X, const double *u, double *f);
    /* [nodes d x nodes d] of the above */
    int (*tangent)(const double *p, const double *X, const double *u, double *K);
    /* as force, arrays [.][CAROM_LANES] */
    int (*force_lanes)(const double *p, const double *X, const double *u, double *f);
    double (*energy)(const double *p, const double *X, const double *u);
    /* Cauchy at the centre: xx yy zz yz xz xy */
    void (*stress)(const double *p, const double *X, const double *u, double *s);
    void (*load)(const double *p, double t, const double *X, double *f); /* body force; NULL: none */
    int load_steady; /* the body force does not depend on t: evaluated once */
    /* of one node at X; NULL: at rest */
    void (*start)(const double *p, const double *X, double *u, double *v);
} carom_body;

/* Displacement prescribed on a boundary; u and its rate v are written for the components of the mask (bit 0: x ...). */
typedef struct {
    int body;
    const char *boundary;
    unsigned mask;
    void (*motion)(const double *p, double t, const double *X, double *u, double *v); /* of one node; NULL: 0 */
    const char *where; /* file:line of the model, for messages */
} carom_fix;

/* Force per area (length in the plane) of the reference configuration on a boundary; X and f of a face with its
 * nodes. */
typedef struct {
    int body;
    const char *boundary;
    void (*force)(const double *p, double t, const double *X, double *f);
    int steady; /* does not depend on t: evaluated once */
    const char *where;
} carom_traction;

/* The nodes of a boundary that are fixed to a body of the mechanism: where the one that starts at X is, how that moves
 * with the velocities, J [d x velocities], its rate by t alone, and its acceleration where v' = 0. */
typedef struct {
    const char *name;
    int body;
    const char *boundary;
    int with; /* number of the body of the mechanism */
    void (*place)(const double *p, double t, const double *X, const double *q, const double *v, double *x, double *J,
                  double *rate, double *bias);
    const char *where;
} carom_tie;

/* A node of a mesh whose displacement is among the coordinates of the mechanism, d of them from `first` on: the one
 * nearest to `at` in the reference configuration. */
typedef struct {
    int body;
    double at[3];
    int first;
    const char *where;
} carom_point;

/* What moves beside the meshes: coordinates and bodies, what acts between them, and rows of their own. Few unknowns,
 * which every rank has: `scalars` coordinates, then rotations with a unit quaternion in q and 3 angular velocities in v
 * each. M [velocities x velocities] is without the masses of nodes. Rows: constraints, then contacts, with their
 * tangents d numbers each; g [rows], G [rows d velocities], rates by t alone and bias [rows d]. */
typedef struct {
    int scalars, rotations;
    const carom_quantity *position, *velocity; /* names and units; no name: not shown */
    void (*start)(const double *p, double *q, double *v);
    void (*mass)(const double *p, double t, const double *q, double *M);
    void (*force)(const double *p, double t, const double *q, const double *v, double *f);
    int rows, constraints;
    void (*row)(const double *p, double t, const double *q, double *g, double *G, double *rate);
    void (*bias)(const double *p, double t, const double *q, const double *v, double *gam);
    void (*law)(const double *p, double *restitution, double *friction); /* [rows d], [rows] */
    /* what depends on the slip, the mean force in the last step and the closing speed of each row: restitution,
     * coefficients of what slides, sticks and begins to slide; the others are left as they are. NULL: nothing does */
    void (*own)(const double *p, const double *slip, const double *push, const double *speed, double *restitution,
                double *sliding, double *sticking, double *kinetic);
    int ties, points;
    const carom_tie *tie;
    const carom_point *point;
    int outputs;
    const carom_quantity *output;
    void (*output_values)(const double *p, double t, const double *q, const double *v, double *y);
} carom_mechanism;

/* The nodes of a boundary against a rigid obstacle: gap g(x, t) >= 0, its gradient and its rate by t alone. One that
 * belongs to the mechanism has `moving` instead, with J [d x velocities]: the obstacle's point at x moves with J v. */
typedef struct {
    const char *name;
    int body;
    const char *boundary;
    void (*gap)(const double *p, double t, const double *x, double *g, double *gradient, double *rate);
    void (*moving)(const double *p, double t, const double *x, const double *q, double *g, double *gradient,
                   double *rate, double *J);
    void (*law)(const double *p, double *restitution, double *friction);
    void (*adhesion)(const double *p, double *stiffness_energy_viscosity); /* per area; NULL: none */
    const char *where;
} carom_surface;

/* The nodes of one boundary against the faces of another, paired in the reference configuration (small sliding). */
typedef struct {
    const char *name;
    int body, master;
    const char *boundary, *master_boundary;
    double beside; /* how far a node that presses may be beyond the edge of its face, in widths of the face */
    int release;   /* 1: farther out it touches nothing; 0: that is an error */
    void (*law)(const double *p, double *restitution, double *friction);
    void (*adhesion)(const double *p, double *stiffness_energy_viscosity); /* as of surfaces */
    const char *where;
} carom_pair;

/* A place whose displacement and velocity go into result.csv: the node nearest to `at` in the reference
 * configuration. */
typedef struct {
    const char *name;
    int body;
    double at[3];
} carom_probe;

/* The scheme. */
typedef struct {
    const char *text;         /* as written */
    int lumped;               /* lumped mass: no linear system where the scheme is explicit */
    double tg, tv, tol, ctol; /* keys of the scheme of these names; 0: the runtime has its own; tg below 0: times h */
    int iterations;
    /* adaptive=on: its keys, the order of the scheme, how far a step can displace an impact (in steps), and whether
     * impacts are what a step counts as events (else every impulse); order 0: off */
    double rtol, atol, atolv, hmin, guard;
    int order, by_events;
    const char *solver;     /* of contact problems: auto (NULL), mprgp, tnn, nsgs */
    const carom_plan *plan; /* its step */
} carom_scheme;

typedef struct {
    const char *name, *digest;
    int dimension;
    int parameters, bodies, fixes, tractions, surfaces, pairs, probes;
    const carom_quantity *parameter;
    const carom_body *body;
    const carom_fix *fix;
    const carom_traction *traction;
    const carom_surface *surface;
    const carom_pair *pair;
    const carom_probe *probe;
    const carom_mechanism *mechanism; /* NULL: none */
    carom_scheme scheme;
    double until_time, step; /* the model's own `run`; step 0: from the scheme and the mesh */
    double cfl;              /* step = cfl dx / wave speed when step is 0 */
    int frames;              /* pictures (VTU) in a run, 0: none */
} carom_large;

/* The main program of a large model: `int main(argc, argv) { return carom_large_main(&model, argc, argv); }` */
int carom_large_main(const carom_large *model, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
