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
    PetscBool damped;         /* C is not 0 */
    PetscBool stiff;          /* C has a part of K */
    PetscReal *r0, *r1;       /* [n d] contact forces of the stages, in the frames of the step */
    PetscReal *carried;       /* [n d] the impulse of both */
    PetscReal *plain;         /* [n d] forces without them */
    PetscReal *u0, *v0, *mid; /* [n d] displacement and velocity at the start, velocity at mid-step */
    PetscReal load_sum[3];
    PetscReal *mass;     /* [n] */
    PetscBool *pressing; /* [n] acceleration-level set of the step */
    PetscReal gap_tol, rate_tol;
    PetscBool fresh; /* no step yet since the state was given */
    /* M >= 2: accelerations of the stages, place and velocity of the one at hand, contact forces [(M + 1) n d] */
    PetscInt stages;
    Vec *a, Q, V;
    PetscReal *r;
    /* [(M + 1) n d] speed and direction of sliding in each stage; those of the one at hand, NULL when M = 1 */
    PetscReal *slides, *slide;
    PetscBool hold; /* they stay as they are */
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
static inline PetscInt CaromExplicitTie(const CaromObstacles *o, PetscInt i) { return o->tie[o->chosen[i]]; }

/* Whether restitution acts: the contact has closed in this step, or is given as closed with a rate that closes it. */
static inline PetscBool CaromExplicitCloses(const CaromExplicit *e, PetscBool carrying, PetscReal start, PetscReal rate)
{
    return (PetscBool)(e->fresh ? rate < -e->rate_tol : !carrying && start > e->gap_tol);
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

static inline void CaromOutOfFrame(PetscInt d, const PetscReal *frame, PetscReal scale, const PetscReal *w,
                                   PetscReal *x)
{
    for (PetscInt r = 0; r < d; r++) {
        for (PetscInt c = 0; c < d; c++) {
            x[c] += scale * frame[r * d + c] * w[r];
        }
    }
}

/* Speed of contact node i; its velocity slide[1 ..] becomes the direction. Both are kept, or as they were kept:
 * friction against a velocity that the friction itself turns around would not settle. */
static inline PetscReal CaromExplicitSlide(const CaromExplicit *e, PetscInt i, PetscInt d, PetscReal *slide)
{
    PetscReal speed = 0;
    for (PetscInt c = 1; c < d; c++) {
        speed += slide[c] * slide[c];
    }
    speed = PetscSqrtReal(speed);
    for (PetscInt c = 1; c < d && speed > e->rate_tol; c++) {
        slide[c] /= speed;
    }
    if (e->slide != NULL) {
        PetscReal *kept = e->slide + i * d;
        for (PetscInt c = 0; c < d; c++) {
            PetscReal *now = c == 0 ? &speed : slide + c;
            if (e->hold) {
                *now = kept[c];
            } else {
                kept[c] = *now;
            }
        }
    }
    return speed;
}

/* What a contact node has of the vector of all nodes. */
void CaromExplicitTake(const CaromObstacles *o, const PetscReal *x, PetscReal *here);

/* Which nodes press in this step: those that pressed in the last, or are closed and not opening. */
void CaromExplicitFindPressing(const CaromMotion *motion, CaromExplicit *e, const PetscReal *u, const PetscReal *v);

/* e->f = load(t) - f(u) - C v; u NULL: f(u) is in e->elastic. */
PetscErrorCode CaromExplicitForces(CaromMotion *motion, CaromExplicit *e, PetscReal t, Vec u, Vec v,
                                   CaromTrouble *trouble);

/* Contact forces of a stage on the pressing nodes, added to f; u, v, f are arrays of owned components. */
void CaromExplicitPress(const CaromMotion *motion, const CaromExplicit *e, PetscReal t, PetscReal h, const PetscReal *u,
                        const PetscReal *v, PetscReal *f, PetscReal *r);

/* Impulses at the end of a step: motion->u and v are those of its end, e->carried and e->r1 what the stages had. count:
 * candidates, closed, sticking nodes here. */
PetscErrorCode CaromExplicitEnd(CaromMotion *motion, CaromExplicit *e, PetscReal h, PetscInt *count,
                                CaromTrouble *trouble);

/* stages.c: M >= 2 */
PetscErrorCode CaromStagesCreate(CaromMotion *motion, CaromExplicit *e);
PetscErrorCode CaromStagesDestroy(CaromExplicit *e);
PetscErrorCode CaromStagesStep(CaromMotion *motion, CaromExplicit *e, PetscReal h, PetscInt *count,
                               CaromTrouble *trouble);
/* largest step, by that of M = 1 */
PetscReal CaromStagesLimit(const CaromMotion *motion, PetscReal limit, PetscBool damped);

/* explicit_pairs.c; all of it does nothing without pairs */
PetscErrorCode CaromExplicitPairsCreate(const CaromMotion *motion, CaromExplicit *e);
PetscErrorCode CaromExplicitPairsDestroy(CaromExplicit *e);

/* Gaps and the masters' velocities at the start of a step; then e->master_v becomes that of stage 1. */
PetscErrorCode CaromExplicitPairsStart(CaromMotion *motion, CaromExplicit *e);
PetscErrorCode CaromExplicitPairsMiddle(CaromMotion *motion, CaromExplicit *e);

/* Contact forces r [n d] of a stage at the pressing pairs, by forces f, slaves' velocities e->v0 and masters'
 * e->master_v; y += scale times these forces on all bodies, times inverse masses when `by_mass`. */
PetscErrorCode CaromExplicitPairsPress(CaromMotion *motion, CaromExplicit *e, Vec f, PetscReal *r, PetscReal scale,
                                       PetscBool by_mass, Vec y, CaromTrouble *trouble);

/* Impulses of the pairs at the end of a step; v [owned] here are velocities with the forces of the stages in them.
 * Before: the contact of node i, closed or only carrying on what it had. After: v, lambda, memory, counts. */
void CaromExplicitPairsMeet(const CaromMotion *motion, CaromExplicit *e, PetscInt i, PetscInt before, PetscBool closed,
                            const PetscReal *mask, const PetscReal *v);
PetscErrorCode CaromExplicitPairsStrike(CaromMotion *motion, CaromExplicit *e, PetscInt *count, CaromTrouble *trouble);

#endif
