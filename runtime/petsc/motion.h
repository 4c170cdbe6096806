/* The moving state of a run and the schemes that carry it over a step. */
#ifndef CAROM_PETSC_MOTION_H
#define CAROM_PETSC_MOTION_H

#include "cells.h"
#include "obstacle.h"

typedef struct {
    PetscInt newton, outer, products; /* iterations of the last step */
    PetscInt closed, sticking;
    PetscReal residual, target;
} CaromStepInfo;

typedef struct {
    CaromSpace *space;
    CaromObstacles *obstacles;
    Vec u, v;
    PetscReal t;
    PetscReal impulse[3];  /* of everything that acts from outside, since the start */
    PetscReal acted;       /* sum of the sizes of these impulses */
    PetscReal momentum[3]; /* at the start */
    PetscBool unbalanced;  /* the scheme does not sum up what supports and damping do: no momentum balance */
    Vec mass, drag;        /* lumped mass, and its damping; drag NULL when no body has mass damping */
    PetscBool accept;      /* contact problems that are not solved are counted, not fatal */
    PetscInt64 unsolved, solves, products; /* since the start */
    PetscReal worst;                       /* largest residual / target since the start */
    PetscReal slack; /* momentum that the tolerances of the solver allow to be missed since the start */
    /* law.c: largest violation by its tolerance, largest force and speed since the start */
    PetscReal law_worst, law_force, law_speed;
    carom_deepest deepest; /* penetration of the contact nodes at the end of a step; contact: surface or pair */
    PetscInt64 frozen;     /* steps that were made by the weaker plan */
    PetscInt64 law_broken; /* steps that broke the law and were accepted all the same */
    CaromStepInfo info;
    PetscReal *reaction; /* [fixed x 3] impulses of the last step of what holds the nodes here */
    /* dense output: the state at a time that is wanted, when a step has gone over it */
    PetscReal wanted;
    PetscBool caught;
    Vec between_u, between_v; /* NULL: the scheme has none */
    /* what a scheme must remember between steps besides u and v, for checkpoints */
    PetscInt memory_size; /* doubles of this rank */
    PetscReal *memory;
} CaromMotion;

PetscErrorCode CaromMotionCreate(CaromSpace *space, CaromObstacles *obstacles, CaromMotion *motion);
PetscErrorCode CaromMotionDestroy(CaromMotion *motion);

/* Sum over nodes of mass times velocity. */
PetscErrorCode CaromMotionMomentum(const CaromMotion *motion, PetscReal *momentum);

/* Sums of a vector over the nodes, per component, on all ranks. */
PetscErrorCode CaromMotionSum(const CaromMotion *motion, Vec f, PetscReal *sum);

/* Takes an impulse from outside into the balance of momentum. */
void CaromMotionActed(CaromMotion *motion, const PetscReal *impulse);

/* Adds factor f (times weight, component by component, if that is not NULL) on the components that are held to the sums
 * of those who hold them, motion->reaction. */
PetscErrorCode CaromMotionHeld(CaromMotion *motion, PetscReal factor, Vec weight, Vec f);

/* Mean forces of the supports in a step of length h, [fixes x 3] on all ranks: fixes of one boundary are summed up at
 * the first of them, CaromSupport(model, f) == f. */
PetscErrorCode CaromMotionReactions(const CaromMotion *motion, PetscReal h, PetscReal *force);
int CaromSupport(const carom_large *model, int fix);

/* Does a finished step keep the law of contact at (t, u, v)? mass [contact nodes]: impulse by change of velocity of a
 * node alone. target: residual that its solver was asked for. */
PetscErrorCode CaromLawCheck(CaromMotion *motion, PetscReal t, Vec u, Vec v, const PetscReal *mass, PetscReal target,
                             CaromTrouble *trouble);

/* Momentum now, minus that of the start and all impulses: its size, by what acted; and whether that is more than 1e-4
 * and more than tolerances and rounding explain. */
PetscErrorCode CaromMotionBalance(const CaromMotion *motion, PetscReal *imbalance, PetscBool *broken);

/* A scheme. After trouble in a step the run is over. */
typedef struct _p_CaromScheme *CaromScheme;

struct _p_CaromScheme {
    void *data;
    PetscErrorCode (*step)(CaromMotion *motion, void *data, PetscReal h, CaromTrouble *trouble);
    PetscErrorCode (*energy)(CaromMotion *motion, void *data, PetscReal *kinetic, PetscReal *elastic);
    PetscErrorCode (*restart)(CaromMotion *motion, void *data); /* u, v, t, memory were set from outside */
    PetscErrorCode (*destroy)(void *data);
    PetscReal limit;                   /* largest stable step; 0: any */
    const char *(*solver)(void *data); /* what solves the contact problems, for people */
};

PetscErrorCode CaromExecutorCreate(CaromMotion *motion, CaromScheme scheme, CaromTrouble *trouble); /* of a plan */

/* Largest stable step of an explicit scheme with lumped mass: from the highest frequency, found by power iteration, and
 * damping. */
PetscErrorCode CaromStableStep(const CaromMotion *motion, PetscReal *h);

#endif
