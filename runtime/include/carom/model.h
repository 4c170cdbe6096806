/* The contract between a generated integrator and generic drivers: names, sizes, functions, one table per model. */
#ifndef CAROM_MODEL_H
#define CAROM_MODEL_H

#include "status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up when something that a host may rely on changes its meaning or goes: functions, members of a state that
 * runtime/README.md names, carom_model, bytes of saved states. What is only added does not count. */
#define CAROM_API_VERSION 1

typedef struct {
    const char *name, *unit; /* unit is "" when none was given */
    double value;            /* default of a parameter or input; initial value of a coordinate or velocity; else 0 */
} carom_quantity;

/* What a contact did in the last step; before the first one every contact counts as open. */
typedef enum {
    CAROM_CONTACT_OPEN,   /* it carried no force */
    CAROM_CONTACT_CLOSED, /* it pressed, without friction */
    CAROM_CONTACT_STICK,  /* it pressed with friction and does not slide at the end of the step */
    CAROM_CONTACT_SLIP    /* ... and slides */
} carom_contact_status;

/* The contact that has obeyed the law least at the end of any step since init: what it left, as a velocity and in units
 * of g h (0 without weight), when, and between which shapes. */
typedef struct {
    double speed, part, t;
    int a, b; /* -1: there was none */
} carom_worst;

/* The deepest penetration at the end of any step since init. */
typedef struct {
    double depth, t;
    int contact; /* -1: there was none */
} carom_deepest;

/* What happened to a contact. Time stepping knows the step but not the time in it: t is its end, the rest is of all of
 * it; with impact=split of the piece that ends with the impact. capture tells of the event itself; a contact that
 * bounces off closes and opens at the same time there. */
typedef enum {
    CAROM_EVENT_CLOSING,  /* it carries force, and did not in the step before: an impact, or it came to rest */
    CAROM_EVENT_OPENING,  /* it carries none any more */
    CAROM_EVENT_STICKING, /* it slid (or had no friction), and does not any more */
    CAROM_EVENT_SLIPPING  /* it stuck, and slides now */
} carom_event_kind;

typedef struct {
    carom_event_kind kind;
    int contact;
    double t;                    /* of the event, or the end of the step */
    double impulse, friction[2]; /* of either, normal and tangential */
    double before, after;        /* rate of the gap before and after it */
} carom_contact_event;

/* A list that the host owns: steps append to it, the host sets count to 0 when it has read it. What finds no room is
 * counted in lost. A failing step appends nothing. */
typedef struct {
    carom_contact_event *item;
    int room, count;
    unsigned long long lost;
} carom_contact_events;

static inline void carom_contact_events_add(carom_contact_events *list, const carom_contact_event *event)
{
    if (list->count < list->room) {
        list->item[list->count++] = *event;
    } else {
        ++list->lost;
    }
}

/* Where a driver finds things in a state, until the next step: ask again after each. Lengths are those of
 * carom_model. */
typedef struct {
    const double *t, *q, *v;
    const double *gap;     /* g(q,t) of each contact */
    const double *impulse; /* total impulse of each contact since init */
    double *input;         /* the host writes these between steps */
    const carom_info *info;
    const carom_counts *counts;
    const double *last;           /* impulses of the last step: constraints, contacts, tangents; NULL: not kept */
    const double *last_step;      /* its length */
    const double *friction;       /* total impulse of each tangent since init */
    const carom_deepest *deepest; /* NULL: not kept */
} carom_view;

/* Room for a contact problem that was not solved; the host owns it. It is filled in when a step fails with
 * CAROM_CONTACT: u = W r + q with Coulomb friction mu, `dimension` components per contact, see friction.h. Dimension 1
 * is a linear complementarity problem w = W z + q without mu, a bilateral row written as the two rows w >= 0 and -w >=
 * 0. */
typedef struct {
    /* room: mu and q are this long, W has its square; 3 contacts + 2 constraints is always enough */
    int rows;
    double *mu, *q, *W;      /* W by rows, without gaps */
    int dimension, contacts; /* of the last problem not solved; contacts = 0: there was none */
    /* piles, instead of W: blocks of dimension x dimension by rows, contact c has row[c] .. row[c + 1] - 1 */
    const int *row, *column;
    const double *block;
} carom_failure;

/* A mesh of a model. */
typedef struct {
    const char *name;
    int linear; /* its material is: good for small strains and rotations */
    int dimension, cell_nodes, cells;
    const double *X; /* places of the nodes, undeformed */
    const int *cell; /* nodes of the cells, in VTK's order */
    const int *dof;  /* of each component of each node: its place in what `displacements` writes */
} carom_mesh;

/* A contact of a node of a mesh: which of the contacts, which node, and its share of the boundary. */
typedef struct {
    int contact, mesh, node;
    double area;
} carom_mesh_contact;

/* A contact that was found while running and pressed in the last step: where and in which direction, the impulse along
 * it (as friction sees it, with what cohesion pulls) and across it, and Coulomb's coefficient. */
typedef struct {
    double at[3], normal[3], impulse, friction, mu;
} carom_press;

typedef struct {
    const char *name, *scheme;
    const char *digest; /* sha256 of model, scheme and generator version */
    size_t state_size, params_size;
    int parameters, coordinates, velocities, contacts, constraints, inputs, outputs;
    const carom_quantity *parameter, *coordinate, *velocity, *contact, *constraint, *input, *output;
    /* results list the outputs alone: a mesh has too many coordinates */
    int outputs_only;
    double until_time, step;        /* the model's own `run` defaults; 0 when none */
    void (*defaults)(void *params); /* a params struct is `parameters` doubles in this order */
    carom_status (*init)(void *state, const void *params);
    carom_status (*set)(void *state, double t, const double *q, const double *v); /* place it elsewhere */
    carom_status (*step_once)(void *state, double h);
    /* Schemes that choose their steps inside h: a part of the step to t_end, bounded work. CAROM_UNFINISHED: call
     * again. Else NULL. */
    carom_status (*toward)(void *state, double t_end, double h);
    void (*output_values)(const void *state, double *y);
    void (*view)(void *state, carom_view *view);
    void (*watch)(void *state, carom_failure *failure); /* after init: where to put unsolved problems; NULL: cannot */
    /* Piles, after a step that failed: the contact problem behind it, put into `memory`; 0 when that is too small.
     * NULL: see watch. */
    int (*unsolved)(void *state, carom_failure *failure, void *memory, size_t size);
    /* Takes all restitution out of a state, until init: would a step that failed do without? 0 when there was none, or
     * no friction. NULL: never any friction. */
    int (*deaden)(void *state);
    /* A pile has bodies instead of coordinates, velocities and contacts, which are then 0: q has 7 entries for each
     * (place, unit quaternion w x y z), v has 6 (velocity, angular velocity in the body's frame). */
    int bodies;
    const int
        *where; /* [4 bodies] where in q and v the place, the quaternion, the velocity and the spin of each begin */
    const char *const *body; /* their names */
    /* of the contact that info is about; NULL: by index */
    void (*row_name)(const void *state, char *text, size_t room);
    /* of contacts that are found: the worst so far, with its name; NULL: none are */
    carom_worst (*worst)(const void *state, char *text, size_t room);
    int tangents;                  /* directions of friction, one or two for each contact that has it */
    const carom_quantity *tangent; /* CONTACT.friction, or CONTACT.friction_1 and CONTACT.friction_2 */
    void (*contact_status)(const void *state, carom_contact_status *status); /* of each contact; NULL: cannot */
    const char *const *contact_place; /* of a mesh: the node of each contact and where it is; else NULL */
    int meshes, displaced;            /* meshes; displacements of their nodes, prescribed ones among them */
    const carom_mesh *mesh;
    void (*displacements)(const void *state, double *u);
    /* [displaced] velocities, and mean forces of the last step by what holds a mesh: 0 where nothing does */
    void (*mesh_motion)(const void *state, double *velocity, double *reaction);
    /* Of a mesh with all displacements u: xx, yy, zz, yz, xz, xy of the stress in the middle of each cell, and the part
     * of its mass at each of its nodes. */
    void (*mesh_stress)(const void *state, int mesh, const double *u, double *stress, double *weight);
    int mesh_contacts; /* of nodes */
    const carom_mesh_contact *mesh_contact;
    /* [mesh_contacts 4] mean force of the last step on the node: along the normal, and as a vector */
    void (*mesh_forces)(const void *state, double *force);
    int api;                                                     /* CAROM_API_VERSION; 0: nothing of what follows */
    carom_status (*set_params)(void *state, const void *params); /* goes on with others */
    void (*listen)(void *state, carom_contact_event *item, int room); /* where events go; NULL: cannot */
    carom_contact_events *(*events)(void *state);
    size_t saved_size; /* of a state as bytes */
    size_t (*save)(const void *state, void *bytes, size_t room);
    carom_status (*load)(void *state, const void *bytes, size_t size);
    int found;                                            /* how many contacts can be found while running */
    int (*presses)(const void *state, carom_press *list); /* [found] those that pressed; returns how many */
} carom_model;

#ifdef __cplusplus
}
#endif
#endif
