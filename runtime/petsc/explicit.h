/* What the explicit scheme and its contacts of pairs share. */
#ifndef CAROM_PETSC_EXPLICIT_H
#define CAROM_PETSC_EXPLICIT_H

#include "coupled.h"
#include "motion.h"

typedef struct {
    Vec f;       /* forces at the present state without contact */
    Vec inverse; /* 1 / mass on free components, else 0 */
    Vec elastic; /* f(u) */
    Vec a0, work, load;
    CaromTerms *force, *damp;
    PetscBool damped;    /* C is not 0 */
    PetscBool stiff;     /* C has a part of K */
    PetscReal *r0, *r1;  /* [n d] contact forces of the stages, in the frames of the step */
    PetscReal *plain;    /* [n d] forces without them */
    PetscReal *u0, *v0, *mid; /* [n d] displacement and velocity at the start, velocity at mid-step */
    PetscReal load_sum[3];
    PetscReal *mass;     /* [n] */
    PetscBool *pressing; /* [n] acceleration-level set of the step */
    PetscReal gap_tol, rate_tol;
    /* pairs */
    CaromCoupled coupled;
    CaromCoupledContact *contact; /* [ties] */
    PetscReal *start;             /* [ties] gaps at the start of the step */
    PetscReal *master_v;          /* [ties d] velocity of the masters' points, in turn at the start and of stage 1 */
    PetscReal *onto;              /* [ties d] forces or impulses on the slaves */
} CaromExplicit;

/* What a contact node remembers: whether it pressed in the last step, and its obstacle. */
enum { CAROM_PRESSED, CAROM_OBSTACLE, CAROM_MEMORY };

/* The tie of contact node i with what it meets in this step, -1: a rigid obstacle. */
static inline PetscInt CaromExplicitTie(const CaromObstacles *o, PetscInt i)
{
    return o->tie[o->chosen[i]];
}

static inline void CaromIntoFrame(PetscInt d, const PetscReal *frame, const PetscReal *x, PetscReal *w)
{
    for (PetscInt r = 0; r < d; r++) {
        w[r] = 0;
        for (PetscInt c = 0; c < d; c++) {
            w[r] += frame[r * d + c] * x[c];
        }
    }
}

static inline void CaromOutOfFrame(PetscInt d, const PetscReal *frame, PetscReal scale, const PetscReal *w, PetscReal *x)
{
    for (PetscInt r = 0; r < d; r++) {
        for (PetscInt c = 0; c < d; c++) {
            x[c] += scale * frame[r * d + c] * w[r];
        }
    }
}

/* explicit_pairs.c; all of it does nothing without pairs */
PetscErrorCode CaromExplicitPairsCreate(const CaromMotion *motion, CaromExplicit *e);
PetscErrorCode CaromExplicitPairsDestroy(CaromExplicit *e);

/* Gaps and the masters' velocities at the start of a step; then e->master_v becomes that of stage 1. */
PetscErrorCode CaromExplicitPairsStart(CaromMotion *motion, CaromExplicit *e);
PetscErrorCode CaromExplicitPairsMiddle(CaromMotion *motion, CaromExplicit *e);

/* Contact forces r [n d] of a stage at the pressing pairs, by forces f, slaves' velocities e->v0 and masters' e->master_v;
 * y += scale times these forces on all bodies, times inverse masses when `by_mass`. */
PetscErrorCode CaromExplicitPairsPress(CaromMotion *motion, CaromExplicit *e, Vec f, PetscReal *r, PetscReal scale, PetscBool by_mass, Vec y,
                                       CaromTrouble *trouble);

/* Impulses of the pairs at the end of a step; v [owned] here are velocities with the forces of the stages in them. Before: the
 * contact of node i, closed or only carrying on what it had. After: v, lambda, memory, counts. */
void CaromExplicitPairsMeet(const CaromMotion *motion, CaromExplicit *e, PetscInt i, PetscReal h, PetscInt before, PetscBool closed, const PetscReal *mask,
                            const PetscReal *v);
PetscErrorCode CaromExplicitPairsStrike(CaromMotion *motion, CaromExplicit *e, PetscInt *count, CaromTrouble *trouble);

#endif
