/* The nodes that can touch rigid obstacles or faces of other bodies: which do in a step, with which frame and bound,
 * and what it amounted to. */
#ifndef CAROM_PETSC_OBSTACLE_H
#define CAROM_PETSC_OBSTACLE_H

#include "contact.h"
#include "space.h"

/* What nodes may meet: the model's contact surfaces, then its pairs, numbered through. */
typedef struct {
    const char *name, *boundary, *where;
    int body;
    void (*law)(const double *p, double *restitution, double *friction);
    void (*adhesion)(const double *p, double *stiffness_energy_viscosity); /* NULL: none */
} CaromMeeting;

int CaromMeetings(const carom_large *model);
CaromMeeting CaromMeetingOf(const carom_large *model, int s);

/* Of a contact surface or pair, over all ranks. */
typedef struct {
    PetscReal normal;    /* sum of the normal impulses of the last step */
    PetscReal vector[3]; /* sum of all contact impulses of the last step, on the body that has the nodes */
    PetscReal total;     /* normal impulse since the start */
    PetscInt closed;     /* nodes with an impulse in the last step */
} CaromTotal;

typedef struct {
    const CaromSpace *space;
    PetscInt d, n;                  /* contact nodes here */
    PetscInt *node;                 /* [n] local, owned */
    int meetings;                   /* surfaces and pairs */
    PetscInt *at, *surface;         /* surfaces and pairs of node i: surface[at[i]] .. surface[at[i + 1] - 1] */
    PetscReal *area;                /* the node's share of the boundary, beside surface */
    PetscInt *tie;                  /* beside surface: its number among the ties, -1 for a rigid obstacle */
    CaromTies *ties;                /* NULL without pairs */
    PetscReal *master_u, *master_v; /* [ties d] displacement and velocity of the masters' points when last gathered */
    PetscReal *restitution, *friction; /* [meetings] */
    PetscBool any_friction;
    PetscInt *chosen;                    /* [n] index into surface: the obstacle of this step */
    PetscReal *frame, *lo, *mu, *lambda; /* [n d d], [n], [n], [n d] */
    PetscBool *active;                   /* [n] */
    PetscBool *led;                      /* [n] friction has a direction that was given, not that of the velocity */
    PetscInt candidates;                 /* active ones on all ranks */
    PetscInt *on;                        /* [n] the tie of this step or -1 */
    CaromTotal *total;                   /* [meetings] */
    /* Of the mechanism: where it is; places and velocities at the end of the last step; [d velocities] how the
     * obstacle's point moves with them (of the gap that was looked at last); [n d] its velocity at the end of a step */
    const PetscReal *mover_q;
    PetscReal *mover_state, *mover_J, *carrier;
    PetscReal size;     /* largest extent of the bodies */
    PetscInt64 doubled; /* node-steps that met two obstacles at once */
} CaromObstacles;

PetscErrorCode CaromObstaclesCreate(const CaromSpace *space, CaromObstacles *obstacles, CaromTrouble *trouble);
PetscErrorCode CaromObstaclesDestroy(CaromObstacles *obstacles);

/* Nodes inside what they may meet at displacement u, time t: deeper than 1e-5 of the model's size is refused, less is
 * told. */
PetscErrorCode CaromObstaclesStart(CaromObstacles *obstacles, PetscReal t, Vec u, PetscBool quiet,
                                   CaromTrouble *trouble);

/* Takes the masters' displacements and velocities for the gaps of pairs. */
PetscErrorCode CaromObstaclesGather(CaromObstacles *obstacles, Vec u, Vec v);

/* The gap of node i to its k-th surface (index into surface) at displacement u and time t; gradient [d] by u; rate by
 * all else. */
void CaromObstacleGap(const CaromObstacles *obstacles, PetscInt i, PetscInt k, PetscReal t, const PetscReal *u,
                      PetscReal *gap, PetscReal *gradient, PetscReal *rate);

/* How far the slave of tie t, at displacement u, is beyond the edges of its face, in widths of the face; below 0: over
 * it. */
PetscReal CaromObstacleBeside(const CaromObstacles *obstacles, PetscInt t, const PetscReal *u);

/* Whether a node, at displacement u, has left the face of its k-th meeting (index into surface), a pair that lets it go
 * then. */
PetscBool CaromObstacleReleased(const CaromObstacles *obstacles, PetscInt k, const PetscReal *u);

/* Chooses the nearest obstacle of each node. */
PetscErrorCode CaromObstaclesNearest(CaromObstacles *obstacles, PetscReal t, Vec u);

/* Orthonormal frame by rows of a gradient at a node whose fixed components (mask 0) are left out of the normal; returns
 * the length of what is left of the gradient, 0 when the node cannot yield. */
PetscReal CaromObstacleFrame(PetscInt d, const PetscReal *gradient, const PetscReal *mask, PetscReal *frame);

/* For the contact solvers. */
CaromContactSet CaromObstaclesSet(const CaromObstacles *obstacles);

/* The surface of a local node, if it has one, and the node's place, for messages. */
void CaromObstacleName(const CaromObstacles *obstacles, PetscInt node, char *text, size_t size);

#endif
