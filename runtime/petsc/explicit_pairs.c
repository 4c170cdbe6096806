/* Pairs of deformable bodies in the explicit scheme: slaves that share masters are one problem (coupled.h), in
 * accelerations of each stage and in the velocity at the end of the step. */
#include "explicit.h"

PetscErrorCode CaromExplicitPairsCreate(const CaromMotion *motion, CaromExplicit *e)
{
    const CaromTies *ties = motion->obstacles->ties;
    PetscFunctionBeginUser;
    if (ties != NULL) {
        PetscCall(CaromCoupledCreate(ties, e->inverse, &e->coupled));
        PetscCall(PetscCalloc4(ties->n, &e->contact, ties->n, &e->start, (ties->n * ties->d), &e->master_v,
                               (ties->n * ties->d), &e->onto));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromExplicitPairsDestroy(CaromExplicit *e)
{
    PetscFunctionBeginUser;
    PetscCall(CaromCoupledDestroy(&e->coupled));
    PetscCall(PetscFree4(e->contact, e->start, e->master_v, e->onto));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromExplicitPairsStart(CaromMotion *motion, CaromExplicit *e)
{
    CaromObstacles *o = motion->obstacles;
    const PetscReal *u;
    PetscFunctionBeginUser;
    if (o->ties == NULL) {
        PetscFunctionReturn(0);
    }
    PetscCall(CaromObstaclesGather(o, motion->u, motion->v));
    PetscCall(PetscArraycpy(e->master_v, o->master_v, o->ties->n * o->d));
    PetscCall(VecGetArrayRead(motion->u, &u));
    for (PetscInt i = 0; i < o->n; i++) {
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            PetscReal gradient[3], rate;
            if (o->tie[k] >= 0) {
                CaromObstacleGap(o, i, k, motion->t, u + o->node[i] * o->d, &e->start[o->tie[k]], gradient, &rate);
            }
        }
    }
    PetscCall(VecRestoreArrayRead(motion->u, &u));
    PetscFunctionReturn(0);
}

/* motion->v is the velocity at mid-step: V_1 = 2 v at mid-step - v. */
PetscErrorCode CaromExplicitPairsMiddle(CaromMotion *motion, CaromExplicit *e)
{
    CaromTies *ties = motion->obstacles->ties;
    PetscFunctionBeginUser;
    if (ties != NULL) {
        PetscCall(CaromTiesGather(ties, motion->v, e->onto));
        for (PetscInt i = 0; i < ties->n * ties->d; i++) {
            e->master_v[i] = 2 * e->onto[i] - e->master_v[i];
        }
    }
    PetscFunctionReturn(0);
}

/* y += scale (times inverse masses) of e->onto at the slaves, of what acts back at the masters. */
static PetscErrorCode act(CaromMotion *motion, CaromExplicit *e, PetscReal scale, PetscBool by_mass, Vec y)
{
    CaromTies *ties = motion->obstacles->ties;
    const PetscInt d = ties->d;
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(VecSet(e->work, 0));
    PetscCall(VecGetArray(e->work, &x));
    for (PetscInt i = 0; i < ties->n * d; i++) {
        x[ties->node[i / d] * d + i % d] += e->onto[i];
    }
    PetscCall(VecRestoreArray(e->work, &x));
    PetscCall(CaromTiesSpread(ties, -1, e->onto, e->work));
    if (by_mass) {
        PetscCall(VecPointwiseMult(e->work, e->work, e->inverse));
    }
    PetscCall(VecAXPY(y, scale, e->work));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(CaromExplicit *e, CaromTrouble *trouble)
{
    PetscReal change;
    PetscFunctionBeginUser;
    PetscCall(CaromCoupledSolve(&e->coupled, e->contact, &change));
    if (change > 1e-10) {
        CaromSay(trouble, 1,
                 "the contacts of pairs were not solved: forces still changed by %.3g of the largest; try moreau-jean",
                 change);
    }
    PetscFunctionReturn(0);
}

/* The frame of contact node i, whose face keeps its normal. */
static PetscReal set_frame(CaromObstacles *o, PetscInt i, const PetscReal *mask)
{
    const PetscReal *normal = o->ties->normal + CaromExplicitTie(o, i) * o->d;
    return CaromObstacleFrame(o->d, normal, mask + o->node[i] * o->d, o->frame + i * o->d * o->d);
}

PetscErrorCode CaromExplicitPairsPress(CaromMotion *motion, CaromExplicit *e, Vec f, PetscReal *r, PetscReal scale,
                                       PetscBool by_mass, Vec y, CaromTrouble *trouble)
{
    CaromObstacles *o = motion->obstacles;
    const PetscInt d = o->d;
    const PetscReal *mask, *a;
    PetscFunctionBeginUser;
    if (o->ties == NULL) {
        PetscFunctionReturn(0);
    }
    PetscCall(VecPointwiseMult(e->work, f, e->inverse));
    PetscCall(CaromTiesGather(o->ties, e->work, e->onto)); /* accelerations of the masters' points */
    for (PetscInt t = 0; t < o->ties->n; t++) {
        e->contact[t].on = 0;
    }
    PetscCall(VecGetArrayRead(e->work, &a));
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt t = CaromExplicitTie(o, i);
        PetscReal w[3] = {0, 0, 0}, v[3] = {0, 0, 0}, slide[3], speed;
        if (t < 0 || !e->pressing[i] || !(set_frame(o, i, mask) > 0)) {
            continue;
        }
        CaromCoupledContact *contact = &e->contact[t];
        *contact = (CaromCoupledContact){.on = 1, .mu = o->friction[o->surface[o->chosen[i]]]};
        for (PetscInt c = 0; c < d; c++) {
            w[c] = a[o->node[i] * d + c] - e->onto[t * d + c];
            v[c] = mask[o->node[i] * d + c] * (e->v0[i * d + c] - e->master_v[t * d + c]);
        }
        PetscCall(PetscArraycpy(contact->frame, o->frame + i * d * d, d * d));
        CaromIntoFrame(d, contact->frame, w, contact->w);
        CaromIntoFrame(d, contact->frame, v, slide);
        speed = CaromExplicitSlide(e, i, d, slide);
        contact->sliding = speed > e->rate_tol ? 1 : 0;
        for (PetscInt c = 1; c < d; c++) {
            contact->slide[c - 1] = slide[c];
        }
    }
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    PetscCall(VecRestoreArrayRead(e->work, &a));
    PetscCall(solve(e, trouble));
    PetscCall(PetscArrayzero(e->onto, o->ties->n * d));
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt t = CaromExplicitTie(o, i);
        if (t >= 0 && e->contact[t].on > 0) {
            PetscCall(PetscArraycpy(r + i * d, e->contact[t].r, d));
            CaromOutOfFrame(d, e->contact[t].frame, 1, e->contact[t].r, e->onto + t * d);
        }
    }
    PetscCall(act(motion, e, scale, by_mass, y));
    PetscFunctionReturn(0);
}

void CaromExplicitPairsMeet(const CaromMotion *motion, CaromExplicit *e, PetscInt i, PetscInt before, PetscBool closed,
                            const PetscReal *mask, const PetscReal *v)
{
    CaromObstacles *o = motion->obstacles;
    const PetscInt d = o->d, t = CaromExplicitTie(o, i), s = o->surface[o->chosen[i]];
    const PetscBool carrying = (PetscBool)(e->pressing[i] && o->chosen[i] == before);
    CaromCoupledContact *contact = &e->contact[t];
    PetscReal w[3] = {0, 0, 0};
    for (PetscInt c = 0; c < d; c++) {
        o->lambda[i * d + c] = carrying ? e->carried[i * d + c] : 0;
        w[c] = v[o->node[i] * d + c] - o->master_v[t * d + c];
    }
    if (!closed || !(set_frame(o, i, mask) > 0)) {
        return;
    }
    *contact = (CaromCoupledContact){.on = 1, .mu = o->friction[s]};
    (void)PetscArraycpy(contact->frame, o->frame + i * d * d, d * d);
    (void)PetscArraycpy(contact->r, o->lambda + i * d, d);
    CaromIntoFrame(d, contact->frame, w, contact->w);
    contact->lo = o->lo[i] =
        CaromExplicitCloses(e, carrying, e->start[t], contact->w[0]) ? -o->restitution[s] * contact->w[0] : 0;
}

PetscErrorCode CaromExplicitPairsStrike(CaromMotion *motion, CaromExplicit *e, PetscInt *count, CaromTrouble *trouble)
{
    CaromObstacles *o = motion->obstacles;
    const PetscInt d = o->d;
    PetscFunctionBeginUser;
    if (o->ties == NULL) {
        PetscFunctionReturn(0);
    }
    PetscCall(solve(e, trouble));
    PetscCall(PetscArrayzero(e->onto, o->ties->n * d));
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt t = CaromExplicitTie(o, i);
        PetscReal *J = o->lambda + i * d, change[3] = {0, 0, 0}, tangent = 0;
        if (t < 0 || !o->active[i]) {
            continue;
        }
        const CaromCoupledContact *contact = &e->contact[t];
        for (PetscInt c = 0; c < d && contact->on > 0; c++) {
            change[c] = contact->r[c] - J[c];
            J[c] = contact->r[c];
        }
        CaromOutOfFrame(d, o->frame + i * d * d, 1, change, e->onto + t * d);
        const PetscBool held = (PetscBool)(e->pressing[i] && e->r1[i * d] > 0);
        motion->memory[i * CAROM_MEMORY + CAROM_PRESSED] = held && contact->on > 0 && J[0] > 0 ? 1 : 0;
        for (PetscInt c = 1; c < d; c++) {
            tangent += J[c] * J[c];
        }
        count[1] += J[0] > 0 ? 1 : 0;
        count[2] += J[0] > 0 && d > 1 && PetscSqrtReal(tangent) < contact->mu * J[0] ? 1 : 0;
    }
    PetscCall(act(motion, e, 1, PETSC_TRUE, motion->v));
    PetscFunctionReturn(0);
}
