/* D- with lumped mass: no linear system, and every contact problem is that of one node, in closed form; but for pairs
 * of bodies, see explicit_pairs.c. With M = 1 (M >= 2: stages.c)
 *
 *     M a_0 = F - f(u) - C v + R^T r_0 on the pressing nodes,    u+ = u + h v + h^2/2 a_0,
 *     the same for a_1 at (u+, v + h a_0)
 *     v_f = v + h/2 (a_0 + a_1),    closed: g(u+) <= tg or pressing,
 *     0 <= J _|_ m^-1 (J - h/2 (r_0 + r_1)) + (1 + e) U_f >= 0
 *
 * The elastic force at u+ serves as that of the next step's start, so without stiffness damping a step is one sum over
 * cells. */
#include "explicit.h"

/* One node: m w = m free + r with w_N >= lo, Coulomb; r in the frame. `sliding`: unit direction of the present sliding,
 * NULL: none. */
static void node_law(PetscInt d, PetscReal m, const PetscReal *free, PetscReal lo, PetscReal mu,
                     const PetscReal *sliding, PetscReal *r)
{
    PetscReal tangent = 0;
    r[0] = PetscMax(0, m * (lo - free[0]));
    for (PetscInt c = 1; c < d; c++) {
        r[c] = sliding != NULL ? -mu * r[0] * sliding[c - 1] : -m * free[c];
        tangent += r[c] * r[c];
    }
    tangent = PetscSqrtReal(tangent);
    if (sliding == NULL && tangent > mu * r[0]) {
        for (PetscInt c = 1; c < d; c++) {
            r[c] *= mu * r[0] / tangent;
        }
    }
}

/* Rate of the gap of node i at (u + s v, t + s). */
static PetscReal rate_at(const CaromObstacles *o, PetscInt i, PetscReal t, PetscReal s, const PetscReal *u,
                         const PetscReal *v)
{
    PetscReal moved[3] = {0, 0, 0}, gap, gradient[3], rate;
    for (PetscInt c = 0; c < o->d; c++) {
        moved[c] = u[c] + s * v[c];
    }
    CaromObstacleGap(o, i, o->chosen[i], t + s, moved, &gap, gradient, &rate);
    for (PetscInt c = 0; c < o->d; c++) {
        rate += gradient[c] * v[c];
    }
    return rate;
}

void CaromExplicitPress(const CaromMotion *motion, const CaromExplicit *e, PetscReal t, PetscReal h, const PetscReal *u,
                        const PetscReal *v, PetscReal *f, PetscReal *r)
{
    CaromObstacles *o = motion->obstacles;
    const PetscInt d = o->d;
    const PetscReal *mask;
    (void)VecGetArrayRead(motion->space->mask, &mask);
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt at = o->node[i] * d;
        PetscReal gap, gradient[3], rate, length, free[3], slide[3], speed, a[3] = {0, 0, 0};
        PetscReal *frame = o->frame + i * d * d;
        for (PetscInt c = 0; c < d; c++) {
            r[i * d + c] = 0;
        }
        if (!e->pressing[i] || CaromExplicitTie(o, i) >= 0) {
            continue;
        }
        CaromObstacleGap(o, i, o->chosen[i], t, u + at, &gap, gradient, &rate);
        length = CaromObstacleFrame(d, gradient, mask + at, frame);
        if (!(length > 0)) {
            continue;
        }
        /* how U changes by the motion itself: bends of the obstacle, its own acceleration */
        const PetscReal bias =
            (rate_at(o, i, t, 0.5 * h, u + at, v + at) - rate_at(o, i, t, -0.5 * h, u + at, v + at)) / h;
        for (PetscInt c = 0; c < d; c++) {
            a[c] = mask[at + c] > 0 ? f[at + c] / e->mass[i] : 0;
        }
        CaromIntoFrame(d, frame, a, free);
        CaromIntoFrame(d, frame, v + at, slide);
        speed = CaromExplicitSlide(e, i, d, slide);
        node_law(d, e->mass[i], free, -bias / length, o->friction[o->surface[o->chosen[i]]],
                 speed > e->rate_tol ? slide + 1 : NULL, r + i * d);
        CaromOutOfFrame(d, frame, 1, r + i * d, f + at);
    }
    (void)VecRestoreArrayRead(motion->space->mask, &mask);
}

/* Impulses at the end of the step: closed nodes, restitution where a node has just closed. */
static void strike(CaromMotion *motion, CaromExplicit *e, PetscReal t1, PetscReal h, const PetscReal *u0,
                   const PetscReal *u1, PetscReal *v, PetscInt *count)
{
    CaromObstacles *o = motion->obstacles;
    const PetscInt d = o->d;
    const PetscReal *mask;
    (void)VecGetArrayRead(motion->space->mask, &mask);
    count[0] = count[1] = count[2] = 0;
    for (PetscInt i = 0; o->ties != NULL && i < o->ties->n; i++) {
        e->contact[i].on = 0;
    }
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt at = o->node[i] * d;
        PetscReal nearest = PETSC_MAX_REAL, gap, gradient[3], rate, start, start_gradient[3], start_rate, frame[9],
                  length, J[3], free[3], v_frame[3] = {0, 0, 0};
        PetscInt touched = 0, k0 = o->chosen[i];
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            CaromObstacleGap(o, i, k, t1, u1 + at, &gap, gradient, &rate);
            touched += gap <= e->gap_tol ? 1 : 0;
            if (gap < nearest && !(e->pressing[i] && e->r1[i * d] > 0)) {
                nearest = gap;
                o->chosen[i] = k;
            }
        }
        o->doubled += touched > 1 ? 1 : 0;
        const PetscBool held = (PetscBool)(e->pressing[i] && e->r1[i * d] > 0);
        for (PetscInt c = 0; c < d; c++) {
            o->lambda[i * d + c] = 0;
        }
        motion->memory[i * CAROM_MEMORY + CAROM_PRESSED] = 0;
        motion->memory[i * CAROM_MEMORY + CAROM_OBSTACLE] = (PetscReal)o->chosen[i];
        o->active[i] = (PetscBool)(touched > 0 || held || e->pressing[i]);
        if (!o->active[i]) {
            continue;
        }
        o->lo[i] = PETSC_MIN_REAL; /* until it is known that there is a bound */
        o->mu[i] = o->friction[o->surface[o->chosen[i]]];
        count[0]++;
        if (CaromExplicitTie(o, i) >= 0) {
            CaromExplicitPairsMeet(motion, e, i, k0, (PetscBool)(touched > 0 || held), mask, v);
            continue;
        }
        CaromObstacleGap(o, i, o->chosen[i], t1, u1 + at, &gap, gradient, &rate);
        length = CaromObstacleFrame(d, gradient, mask + at, frame);
        if (!(length > 0)) {
            continue;
        }
        CaromObstacleGap(o, i, o->chosen[i], t1 - h, u0 + i * d, &start, start_gradient, &start_rate);
        const PetscReal m = e->mass[i];
        /* of stage 1, where r_1 stands; the same place, so the same frame */
        const PetscReal *before = o->frame + i * d * d;
        const PetscInt s = o->surface[o->chosen[i]];
        PetscReal carried[3] = {0, 0, 0}, change[3] = {0, 0, 0}, fixed = 0, force[3] = {0, 0, 0};
        for (PetscInt c = 0; c < d; c++) {
            J[c] = e->carried[i * d + c];
            fixed += mask[at + c] > 0 ? 0 : gradient[c] * v[at + c];
        }
        if (e->pressing[i]) {
            CaromOutOfFrame(d, before, 1, J, force);
            CaromIntoFrame(d, frame, force, carried);
        }
        if (touched > 0 || held) {
            CaromIntoFrame(d, frame, v + at, v_frame);
            const PetscReal U = length * v_frame[0] + fixed + rate;
            const PetscBool closing =
                CaromExplicitCloses(e, (PetscBool)(e->pressing[i] && o->chosen[i] == k0), start, U);
            for (PetscInt c = 0; c < d; c++) { /* velocity without any contact impulse of this step */
                free[c] = v_frame[c] - carried[c] / m;
            }
            o->lo[i] = (-(closing ? o->restitution[s] : 0) * U - rate - fixed) / length;
            node_law(d, m, free, o->lo[i], o->friction[s], NULL, J);
            for (PetscInt c = 0; c < d; c++) {
                change[c] = J[c] - carried[c];
            }
            force[0] = force[1] = force[2] = 0;
            CaromOutOfFrame(d, frame, 1 / m, change, force);
            for (PetscInt c = 0; c < d; c++) {
                v[at + c] += mask[at + c] > 0 ? force[c] : 0;
            }
            motion->memory[i * CAROM_MEMORY + CAROM_PRESSED] = held && J[0] > 0 ? 1 : 0;
        } else {
            for (PetscInt c = 0; c < d; c++) {
                J[c] = carried[c];
            }
        }
        for (PetscInt c = 0; c < d; c++) {
            o->lambda[i * d + c] = J[c];
        }
        for (PetscInt c = 0; c < d * d; c++) {
            o->frame[i * d * d + c] = frame[c];
        }
        count[1] += J[0] > 0 ? 1 : 0;
        count[2] +=
            J[0] > 0 && d > 1 && PetscSqrtReal(J[1] * J[1] + (d > 2 ? J[2] * J[2] : 0)) < o->friction[s] * J[0] ? 1 : 0;
    }
    (void)VecRestoreArrayRead(motion->space->mask, &mask);
}

/* f = load(t) - f(u) - C v; the elastic force is at hand. */
static PetscErrorCode total_force(CaromMotion *motion, CaromExplicit *e, PetscReal t, Vec v, Vec f)
{
    CaromTrouble none = {0};
    PetscFunctionBeginUser;
    if (motion->space->changing) {
        PetscCall(CaromSpaceLoad(motion->space, t, e->load));
        PetscCall(CaromMotionSum(motion, e->load, e->load_sum));
    }
    PetscCall(VecWAXPY(f, -1, e->elastic, e->load));
    if (motion->drag != NULL) {
        PetscCall(VecPointwiseMult(e->work, motion->drag, v));
        PetscCall(VecAXPY(f, -1, e->work));
    }
    if (e->stiff) {
        PetscCall(VecSet(e->work, 0));
        PetscCall(CaromCellsAdd(motion->space, e->damp, NULL, v, e->work, &none));
        PetscCall(VecAXPY(f, -1, e->work));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode elastic_force(CaromMotion *motion, CaromExplicit *e, Vec u, CaromTrouble *trouble)
{
    PetscFunctionBeginUser;
    PetscCall(VecSet(e->elastic, 0));
    PetscCall(CaromCellsAdd(motion->space, e->force, u, NULL, e->elastic, trouble));
    PetscFunctionReturn(0);
}

void CaromExplicitFindPressing(const CaromMotion *motion, CaromExplicit *e, const PetscReal *u, const PetscReal *v)
{
    const CaromObstacles *o = motion->obstacles;
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt at = o->node[i] * o->d;
        PetscReal gap, gradient[3], rate;
        CaromObstacleGap(o, i, o->chosen[i], motion->t, u + at, &gap, gradient, &rate);
        e->pressing[i] = (PetscBool)((motion->memory[i * CAROM_MEMORY + CAROM_PRESSED] > 0 &&
                                      !CaromObstacleReleased(o, o->chosen[i], u + at)) ||
                                     (gap <= e->gap_tol && rate_at(o, i, motion->t, 0, u + at, v + at) <= e->rate_tol));
    }
}

void CaromExplicitTake(const CaromObstacles *o, const PetscReal *x, PetscReal *here)
{
    for (PetscInt i = 0; i < o->n * o->d; i++) {
        here[i] = x[o->node[i / o->d] * o->d + i % o->d];
    }
}

static void give(const CaromObstacles *o, const PetscReal *here, PetscReal *x)
{
    for (PetscInt i = 0; i < o->n * o->d; i++) {
        x[o->node[i / o->d] * o->d + i % o->d] = here[i];
    }
}

PetscErrorCode CaromExplicitForces(CaromMotion *motion, CaromExplicit *e, PetscReal t, Vec u, Vec v,
                                   CaromTrouble *trouble)
{
    PetscFunctionBeginUser;
    if (u != NULL) {
        PetscCall(elastic_force(motion, e, u, trouble));
    }
    PetscCall(total_force(motion, e, t, v, e->f));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromExplicitEnd(CaromMotion *motion, CaromExplicit *e, PetscReal h, PetscInt *count,
                                CaromTrouble *trouble)
{
    PetscReal *u, *v;
    PetscFunctionBeginUser;
    PetscCall(CaromObstaclesGather(motion->obstacles, motion->u, motion->v));
    PetscCall(VecGetArray(motion->u, &u));
    PetscCall(VecGetArray(motion->v, &v));
    strike(motion, e, motion->t + h, h, e->u0, u, v, count);
    PetscCall(VecRestoreArray(motion->u, &u));
    PetscCall(VecRestoreArray(motion->v, &v));
    PetscCall(CaromExplicitPairsStrike(motion, e, count, trouble));
    PetscFunctionReturn(0);
}

/* Stage 0: u+ and the velocity at mid-step; the sum over cells starts from 0. */
static PetscErrorCode first_stage(CaromMotion *motion, CaromExplicit *e, PetscReal h, CaromTrouble *trouble)
{
    const CaromObstacles *o = motion->obstacles;
    const PetscInt n = motion->space->mesh.owned * o->d;
    PetscReal *u, *v, *f, *a0 = NULL, *elastic;
    const PetscReal *inverse;
    PetscFunctionBeginUser;
    PetscCall(CaromExplicitPairsStart(motion, e));
    PetscCall(VecGetArray(motion->u, &u));
    PetscCall(VecGetArray(motion->v, &v));
    PetscCall(VecGetArray(e->f, &f));
    CaromExplicitFindPressing(motion, e, u, v);
    CaromExplicitPress(motion, e, motion->t, h, u, v, f, e->r0);
    CaromExplicitTake(o, u, e->u0);
    CaromExplicitTake(o, v, e->v0);
    PetscCall(VecRestoreArray(e->f, &f));
    PetscCall(CaromExplicitPairsPress(motion, e, e->f, e->r0, 1, PETSC_FALSE, e->f, trouble));
    PetscCall(VecGetArray(e->f, &f));
    PetscCall(VecGetArray(e->elastic, &elastic));
    PetscCall(VecGetArrayRead(e->inverse, &inverse));
    if (e->damped) {
        PetscCall(VecGetArray(e->a0, &a0));
        for (PetscInt i = 0; i < n; i++) {
            a0[i] = f[i] * inverse[i];
        }
        PetscCall(VecRestoreArray(e->a0, &a0));
    }
    for (PetscInt i = 0; i < n; i++) {
        v[i] += 0.5 * h * f[i] * inverse[i];
        u[i] += h * v[i];
        elastic[i] = 0;
    }
    PetscCall(VecRestoreArray(motion->u, &u));
    PetscCall(VecRestoreArray(motion->v, &v));
    PetscCall(VecRestoreArray(e->f, &f));
    PetscCall(VecRestoreArray(e->elastic, &elastic));
    PetscCall(VecRestoreArrayRead(e->inverse, &inverse));
    PetscCall(CaromSpacePrescribe(motion->space, motion->t + h, motion->u, motion->v));
    PetscFunctionReturn(0);
}

/* Stage 1 and the impulses; count: candidates, closed, sticking nodes here. */
static PetscErrorCode last_stage(CaromMotion *motion, CaromExplicit *e, PetscReal h, PetscInt *count,
                                 CaromTrouble *trouble)
{
    const CaromObstacles *o = motion->obstacles;
    const PetscInt n = motion->space->mesh.owned * o->d;
    PetscReal *u, *v, *f;
    const PetscReal *inverse, *elastic, *load;
    PetscFunctionBeginUser;
    PetscCall(CaromExplicitPairsMiddle(motion, e));
    if (e->damped || motion->space->changing) { /* forces at V_1 = v + h a_0, which is v at mid-step + h/2 a_0 */
        if (e->damped) {
            PetscCall(VecAYPX(e->a0, 0.5 * h, motion->v));
        }
        PetscCall(total_force(motion, e, motion->t + h, e->a0, e->f));
    }
    PetscCall(VecGetArray(motion->u, &u));
    PetscCall(VecGetArray(motion->v, &v));
    PetscCall(VecGetArray(e->f, &f));
    PetscCall(VecGetArrayRead(e->inverse, &inverse));
    PetscCall(VecGetArrayRead(e->elastic, &elastic));
    PetscCall(VecGetArrayRead(e->load, &load));
    CaromExplicitTake(o, v, e->mid);
    for (PetscInt i = 0; i < o->n * o->d; i++) { /* V_1 = 2 v at mid-step - v */
        e->v0[i] = 2 * e->mid[i] - e->v0[i];
    }
    if (!e->damped && !motion->space->changing) {
        for (PetscInt i = 0; i < n; i++) {
            f[i] = load[i] - elastic[i];
            v[i] += 0.5 * h * f[i] * inverse[i];
        }
    } else {
        for (PetscInt i = 0; i < n; i++) {
            v[i] += 0.5 * h * f[i] * inverse[i];
        }
    }
    CaromExplicitTake(o, f, e->plain);
    CaromExplicitTake(o, v, e->mid);
    give(o, e->v0, v);
    CaromExplicitPress(motion, e, motion->t + h, h, u, v, f, e->r1);
    give(o, e->mid, v);
    for (PetscInt i = 0; i < o->n * o->d; i++) {
        const PetscInt at = o->node[i / o->d] * o->d + i % o->d;
        v[at] += 0.5 * h * (f[at] - e->plain[i]) * inverse[at];
    }
    give(o, e->plain, f); /* the forces of the next start are without contact */
    PetscCall(VecRestoreArray(motion->v, &v));
    PetscCall(VecRestoreArray(motion->u, &u));
    PetscCall(VecRestoreArray(e->f, &f));
    PetscCall(CaromExplicitPairsPress(motion, e, e->f, e->r1, 0.5 * h, PETSC_TRUE, motion->v, trouble));
    for (PetscInt i = 0; i < o->n * o->d; i++) {
        e->carried[i] = 0.5 * h * (e->r0[i] + e->r1[i]);
    }
    PetscCall(CaromExplicitEnd(motion, e, h, count, trouble));
    PetscCall(VecRestoreArrayRead(e->inverse, &inverse));
    PetscCall(VecRestoreArrayRead(e->elastic, &elastic));
    PetscCall(VecRestoreArrayRead(e->load, &load));
    if (e->damped) {
        PetscCall(total_force(motion, e, motion->t + h, motion->v, e->f));
    }
    PetscFunctionReturn(0);
}

/* Contact impulses in the balance of momentum. */
static void balance(CaromMotion *motion)
{
    const CaromObstacles *o = motion->obstacles;
    for (int s = 0; s < motion->space->model->surfaces; s++) {
        CaromMotionActed(motion, o->total[s].vector);
    }
}

/* A state given from outside: contacts that are closed and closing hit before the first step, as on the small path;
 * with the impulses of the end of a step that has no length and in which nothing pressed. */
static PetscErrorCode first_strike(CaromMotion *motion, CaromExplicit *e, CaromTrouble *trouble)
{
    const PetscReal *u;
    PetscInt count[3];
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(motion->u, &u));
    CaromExplicitTake(motion->obstacles, u, e->u0);
    PetscCall(VecRestoreArrayRead(motion->u, &u));
    PetscCall(CaromExplicitEnd(motion, e, 0, count, trouble));
    PetscCall(CaromObstaclesCount(motion->obstacles));
    balance(motion);
    if (e->damped) {
        PetscCall(total_force(motion, e, motion->t, motion->v, e->f));
    }
    e->fresh = PETSC_FALSE;
    PetscFunctionReturn(0);
}

/* Supports: the momentum that held nodes gain in a step (sign -1 at its start, 1 at its end) beside the forces of its
 * two ends, each over half of it. */
static PetscErrorCode hold(CaromMotion *motion, CaromExplicit *e, PetscReal h, PetscReal sign)
{
    PetscFunctionBeginUser;
    if (motion->space->any_fixed) {
        if (sign < 0) {
            PetscCall(PetscArrayzero(motion->reaction, 3 * motion->space->model->fixes));
        }
        PetscCall(CaromMotionHeld(motion, -0.5 * h, NULL, e->f));
        PetscCall(CaromMotionHeld(motion, sign, motion->mass, motion->v));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode step(CaromMotion *motion, void *data, PetscReal h, CaromTrouble *trouble)
{
    CaromExplicit *e = data;
    CaromObstacles *o = motion->obstacles;
    const PetscInt M = motion->space->model->scheme.M;
    CaromTotal *struck = NULL; /* by the hit that opens the first step, whose forces are over the whole of it */
    PetscReal sum[3];
    PetscInt count[3], everywhere[3];
    PetscFunctionBeginUser;
    PetscCall(PetscArraycpy(sum, e->load_sum, 3));
    motion->info = (CaromStepInfo){0};
    if (e->fresh) {
        PetscCall(first_strike(motion, e, trouble));
        PetscCall(PetscMalloc1(o->meetings, &struck));
        PetscCall(PetscArraycpy(struck, o->total, o->meetings));
    }
    PetscCall(hold(motion, e, h, -1));
    if (M == 1) {
        PetscCall(first_stage(motion, e, h, trouble));
        PetscCall(CaromCellsAdd(motion->space, e->force, motion->u, NULL, e->elastic, trouble));
        if (!motion->space->linear) { /* a linear cell cannot be inverted */
            PetscCall(CaromAgree(motion->space->mesh.comm, trouble));
        }
        PetscCall(last_stage(motion, e, h, count, trouble));
    } else {
        PetscCall(CaromStagesStep(motion, e, h, count, trouble));
    }
    PetscCallMPI(MPI_Allreduce(count, everywhere, 3, MPIU_INT, MPI_SUM, motion->space->mesh.comm));
    o->candidates = everywhere[0];
    const PetscInt sums = M == 1 ? 1 : motion->info.outer * (M - 1) + 1; /* over the cells, for elastic forces */
    motion->info.closed = everywhere[1];
    motion->info.sticking = everywhere[2];
    motion->info.products = e->stiff ? 2 * sums + 1 : sums;
    motion->products += motion->info.products;
    motion->solves++;
    motion->t += h;
    if (trouble->code == 0) {
        PetscCall(CaromLawCheck(motion, motion->t, motion->u, motion->v, e->mass, 0, trouble));
    }
    PetscCall(hold(motion, e, h, 1));
    PetscCall(CaromObstaclesCount(o));
    for (PetscInt c = 0; c < o->d; c++) {
        motion->impulse[c] += 0.5 * h * (sum[c] + e->load_sum[c]);
        motion->acted += PetscAbsReal(0.5 * h * (sum[c] + e->load_sum[c]));
    }
    balance(motion);
    for (PetscInt s = 0; struck != NULL && s < o->meetings; s++) {
        o->total[s].normal += struck[s].normal;
        for (PetscInt c = 0; c < o->d; c++) {
            o->total[s].vector[c] += struck[s].vector[c];
        }
    }
    PetscCall(PetscFree(struck));
    PetscFunctionReturn(0);
}

static PetscErrorCode energy(CaromMotion *motion, void *data, PetscReal *kinetic, PetscReal *elastic)
{
    CaromExplicit *e = data;
    PetscReal none;
    PetscFunctionBeginUser;
    PetscCall(VecPointwiseMult(e->work, motion->mass, motion->v));
    PetscCall(VecDot(e->work, motion->v, kinetic));
    *kinetic *= 0.5;
    if (motion->space->linear) {
        PetscCall(VecDot(e->elastic, motion->u, elastic));
        *elastic *= 0.5;
    } else {
        PetscCall(CaromCellsEnergy(motion->space, motion->u, motion->v, &none, elastic));
    }
    PetscFunctionReturn(0);
}

static const char *solver_name(void *data)
{
    return ((CaromExplicit *)data)->contact != NULL ? "node by node, pairs by sweeps" : "node by node";
}

/* Forces and nearest obstacles at a state that was set from outside. */
static PetscErrorCode restart(CaromMotion *motion, void *data)
{
    CaromExplicit *e = data;
    CaromTrouble none = {0};
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceLoad(motion->space, motion->t, e->load));
    PetscCall(CaromMotionSum(motion, e->load, e->load_sum));
    PetscCall(elastic_force(motion, e, motion->u, &none));
    PetscCall(total_force(motion, e, motion->t, motion->v, e->f));
    PetscCall(CaromObstaclesActivate(motion->obstacles, motion->t, 0, 0, 0, motion->u, motion->v));
    e->fresh = (PetscBool) !(motion->t > 0);
    for (PetscInt i = 0; i < motion->obstacles->n && motion->t > 0; i++) {
        motion->obstacles->chosen[i] = (PetscInt)motion->memory[i * CAROM_MEMORY + CAROM_OBSTACLE];
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *data)
{
    CaromExplicit *e = data;
    Vec *const list[] = {&e->f, &e->inverse, &e->elastic, &e->a0, &e->work, &e->load};
    PetscFunctionBeginUser;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        PetscCall(VecDestroy(list[i]));
    }
    PetscCall(PetscFree3(e->u0, e->v0, e->mid));
    PetscCall(PetscFree6(e->r0, e->r1, e->carried, e->plain, e->mass, e->pressing));
    PetscCall(PetscFree2(e->force, e->damp));
    PetscCall(CaromExplicitPairsDestroy(e));
    PetscCall(CaromStagesDestroy(e));
    PetscCall(PetscFree(e));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromExplicitCreate(CaromMotion *motion, CaromScheme scheme, CaromTrouble *trouble)
{
    const CaromSpace *space = motion->space;
    const CaromObstacles *o = motion->obstacles;
    const PetscReal *m;
    CaromExplicit *e;
    PetscFunctionBeginUser;
    const carom_scheme *spec = &space->model->scheme;
    if (spec->family != CAROM_D_MINUS || spec->M < 1 || spec->M > 8) {
        CaromSay(trouble, 2, "%s is not there for large meshes; take D- with M from 1 to 8, or moreau-jean",
                 spec->text);
        PetscFunctionReturn(0);
    }
    PetscCall(PetscNew(&e));
    *e = (CaromExplicit){.gap_tol = spec->tg > 0 ? spec->tg : 1e-10, .rate_tol = spec->tv > 0 ? spec->tv : 1e-8};
    Vec *const list[] = {&e->f, &e->inverse, &e->elastic, &e->a0, &e->work, &e->load};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        PetscCall(CaromSpaceVector(space, list[i]));
    }
    PetscCall(VecCopy(motion->mass, e->inverse));
    PetscCall(VecReciprocal(e->inverse));
    PetscCall(VecPointwiseMult(e->inverse, e->inverse, space->mask));
    PetscCall(PetscCalloc2(space->mesh.bodies, &e->force, space->mesh.bodies, &e->damp));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        e->force[b].force = 1;
        e->damp[b].stiffness = space->beta[b];
        e->stiff = (PetscBool)(e->stiff || space->beta[b] != 0);
    }
    e->damped = (PetscBool)(e->stiff || motion->drag != NULL);
    PetscCall(PetscCalloc6((o->n * o->d), &e->r0, (o->n * o->d), &e->r1, (o->n * o->d), &e->carried, (o->n * o->d),
                           &e->plain, o->n, &e->mass, o->n, &e->pressing));
    PetscCall(PetscCalloc3((o->n * o->d), &e->u0, (o->n * o->d), &e->v0, (o->n * o->d), &e->mid));
    PetscCall(VecGetArrayRead(motion->mass, &m));
    for (PetscInt i = 0; i < o->n; i++) {
        e->mass[i] = m[o->node[i] * o->d];
    }
    PetscCall(VecRestoreArrayRead(motion->mass, &m));
    PetscCall(CaromExplicitPairsCreate(motion, e));
    motion->memory_size = CAROM_MEMORY;
    motion->unbalanced = (PetscBool)(space->any_fixed || motion->drag != NULL || (spec->M > 1 && space->changing));
    PetscCall(PetscCalloc1((o->n * CAROM_MEMORY), &motion->memory));
    *scheme = (struct _p_CaromScheme){
        .data = e, .step = step, .energy = energy, .restart = restart, .destroy = destroy, .solver = solver_name};
    PetscCall(CaromStableStep(motion, &scheme->limit));
    if (spec->M > 1) {
        PetscCall(CaromStagesCreate(motion, e));
        scheme->limit = CaromStagesLimit(motion, scheme->limit, e->damped);
    }
    PetscFunctionReturn(0);
}
