/* Small meshes: sums over their cells and faces, with kernels per cell (carom/cells.h). Vectors of displacements hold
 * the free ones, which are coordinates of the model, then the prescribed ones. p: the parameters in declared order. */
#ifndef CAROM_ELEMENTS_H
#define CAROM_ELEMENTS_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_ELEMENT_NODES 8

/* One mesh. Kernels write the result for one cell; those of forces give not 0 where it is inverted. */
typedef struct {
    int nodes, dimension, cells, points; /* nodes of a cell; points: nodes of the mesh */
    const double *X;                     /* [points d] */
    const int *cell, *dof;               /* [cells nodes]; [points d] number of each displacement */
    const int *mass_at;   /* where the parts of a cell go in the mass, -1: nowhere; by a, b <= a, component */
    const int *matrix_at; /* the same for the matrix, by row and column <= row; NULL: not needed */
    int linear, lumped;
    void (*damping)(const double *p, double *mass, double *stiffness); /* NULL: none */
    void (*mass)(const double *p, const double *X, double *m);         /* [nodes nodes], of lumped mass [nodes] */
    int (*force)(const double *p, const double *X, const double *u, double *f);
    int (*rate)(const double *p, const double *X, const double *v, double *f); /* of the undeformed cell; NULL: force */
    int (*tangent)(const double *p, const double *X, const double *u, double *K);
    double (*energy)(const double *p, const double *X, const double *u);
    void (*stress)(const double *p, const double *X, const double *u, double *s); /* xx, yy, zz, yz, xz, xy */
    void (*load)(const double *p, double t, const double *X, double *f);          /* NULL: none */
    void (*start)(const double *p, const double *X, double *u, double *v);        /* of one node; NULL: at rest */
} carom_element_body;

/* Forces on the faces of a boundary. */
typedef struct {
    int entries, faces; /* of a face: nodes times components */
    const double *X;    /* [faces entries] */
    const int *dof;
    void (*force)(const double *p, double t, const double *X, double *f);
} carom_element_faces;

/* Prescribed displacements of one component: value, rate and its rate. */
typedef struct {
    int first, count, dimension;
    const double *X;                                                                            /* [count dimension] */
    void (*value)(const double *p, double t, const double *X, double *u, double *v, double *a); /* NULL: 0 */
} carom_element_motion;

typedef struct {
    int free, all; /* displacements */
    int moving;    /* prescribed motion has accelerations */
    int bodies, boundaries, motions;
    const carom_element_body *body;
    const carom_element_faces *boundary;
    const carom_element_motion *motion;
} carom_element_set;

/* A state of the free displacements. */
typedef struct {
    double t;
    const double *q, *v;
} carom_element_state;

/* Displacement number dof (rate 0), its rate (1), or the rate of that (2; 0 where it is free). */
double carom_elements_value(const carom_element_set *set, const double *p, const carom_element_state *at, int rate,
                            int dof);

/* The same of all displacements. */
void carom_elements_values(const carom_element_set *set, const double *p, const carom_element_state *at, int rate,
                           double *x);

/* A += mass matrix of the free displacements. */
void carom_elements_mass(const carom_element_set *set, const double *p, double *A);

/* f[free] += forces of all cells and faces: internal, damping, loads, inertia of prescribed motion; not a number
 * where a cell is inverted. */
void carom_elements_forces(const carom_element_set *set, const double *p, const carom_element_state *at, double *f);

/* B += wq K + wv C. work [(nodes d)^2], of the largest cell */
void carom_elements_matrix(const carom_element_set *set, const double *p, const carom_element_state *at, double wv,
                           double wq, double *B, double *work);

/* Kinetic and elastic energy. */
void carom_elements_energies(const carom_element_set *set, const double *p, const carom_element_state *at,
                             double *kinetic, double *elastic);

/* Stress in the middle of each cell of a body, and the part of its mass at each of its nodes. */
void carom_elements_stress(const carom_element_body *body, const double *p, const double *u, double *stress,
                           double *weight);

/* Displacement and velocity of every coordinate at the start. */
void carom_elements_start(const carom_element_set *set, const double *p, double *q, double *v);

/* Mean force of the supports on each prescribed displacement over a step: what its inertia takes beside the other
 * forces, which act with the weights `mean` at its start and its end. 0 for a step of no length. total: one sum for
 * each prescribed motion instead. */
void carom_elements_reactions(const carom_element_set *set, const double *p, const carom_element_state state[2],
                              const double mean[2], int total, double *reaction);

/* The rows of contacts at the end of a step. */
typedef struct {
    const int *Gp, *Gj, *axis;     /* rows of G; component of each free displacement */
    const int *contact_of;         /* [tangents] */
    int bilateral, gaps, tangents; /* tangents stand behind all gaps, those that were found among them, ... */
    int kept;                      /* ... and their forces from here on */
} carom_element_rows;

/* A contact surface: its contacts first .. stop - 1, the displacements low .. high - 1 of its body. */
typedef struct {
    int first, stop, low, high;
} carom_element_group;

/* Sums over its nodes: of the last step and, the impulse, since the start. */
typedef struct {
    double force, impulse, closed, pull[3];
} carom_element_total;

carom_element_total carom_elements_total(const carom_element_rows *rows, const carom_element_group *group,
                                         const double *G, const double *last, double step, const double *impulse);

/* [contacts 4] mean force of the last step on the node of each: along the normal, and as a vector, without the
 * directions in which the node is held. */
void carom_elements_pulls(const carom_element_set *set, const carom_element_rows *rows,
                          const carom_mesh_contact *contact, int contacts, const double *G, const double *last,
                          double step, double *force);

/* Nodes of pairs and the faces that they meet: contact; displacements of the node and of the face's nodes, their
 * weights; of each edge the direction across it, and how far the node was beyond it. */
typedef struct {
    int count, nodes, dimension;
    double beside; /* how far a node that presses may be beyond an edge, in widths of the face */
    const int *row, *dof;
    const double *weight, *edge;
} carom_element_pairs;

/* A pair presses where its node was over its face in the undeformed bodies: of the contacts with an impulse J the one
 * whose node is farthest beyond an edge; -1 if all are over theirs. */
int carom_elements_beside(const carom_element_set *set, const double *p, const carom_element_state *at,
                          const carom_element_pairs *pairs, const double *J, double *most);

#ifdef __cplusplus
}
#endif
#endif
