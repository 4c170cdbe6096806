/* Step-size control by doubling, a program over the plan, as carom/adaptive.h has it for small models (guards: THEORY
 * 9.2): an attempt makes one step of length x and two of x/2 from the same state, and goes on from the two halves.
 * Decisions are results of reductions, so all ranks make the same steps. */
#include "execute.h"

#include <carom/tolerances.h>

/* A state to come back to. */
typedef struct {
    Vec u, v;
    PetscReal *memory, *reaction;
    CaromMotion motion; /* its numbers */
    CaromTotal *total;
    PetscInt64 doubled;
    PetscBool fresh;
} State;

struct _p_CaromDoubling {
    CaromExecutor *X;
    const carom_scheme *spec;
    PetscReal limit; /* of stability; 0: none */
    State start, end;
    Vec full_u, full_v, middle; /* after the step of length x; velocities between the halves */
    PetscReal *gap, *rate;      /* [K] at the start */
    PetscReal *first, *second;  /* [K] normal impulses of the halves */
    /* of the mechanism: [places + movers] its state at the start and after the step of length x; [movers] velocities
     * between the halves; accelerations at both ends */
    PetscReal *tail, *full_tail, *middle_tail, *tail_a[2];
    PetscInt64 events; /* of the attempt */
};

static PetscErrorCode state_create(const CaromExecutor *X, State *s)
{
    const CaromMotion *motion = X->motion;
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceVector(motion->space, &s->u));
    PetscCall(CaromSpaceVector(motion->space, &s->v));
    PetscCall(PetscMalloc3(motion->memory_size, &s->memory, 3 * motion->space->fixed, &s->reaction,
                           motion->obstacles->meetings, &s->total));
    PetscFunctionReturn(0);
}

static PetscErrorCode save(const CaromExecutor *X, State *s)
{
    const CaromMotion *motion = X->motion;
    PetscFunctionBeginUser;
    PetscCall(VecCopy(motion->u, s->u));
    PetscCall(VecCopy(motion->v, s->v));
    PetscCall(PetscArraycpy(s->memory, motion->memory, motion->memory_size));
    PetscCall(PetscArraycpy(s->reaction, motion->reaction, 3 * motion->space->fixed));
    PetscCall(PetscArraycpy(s->total, motion->obstacles->total, motion->obstacles->meetings));
    s->doubled = motion->obstacles->doubled;
    s->motion = *motion;
    s->fresh = X->fresh;
    PetscFunctionReturn(0);
}

/* Work that was done stays counted. */
static PetscErrorCode restore(CaromExecutor *X, const State *s)
{
    CaromMotion *motion = X->motion;
    const CaromMotion now = *motion;
    PetscFunctionBeginUser;
    *motion = s->motion;
    motion->u = now.u;
    motion->v = now.v;
    motion->products = now.products;
    motion->solves = now.solves;
    motion->info.products = now.info.products;
    PetscCall(VecCopy(s->u, motion->u));
    PetscCall(VecCopy(s->v, motion->v));
    PetscCall(PetscArraycpy(motion->memory, s->memory, motion->memory_size));
    PetscCall(PetscArraycpy(motion->reaction, s->reaction, 3 * motion->space->fixed));
    PetscCall(PetscArraycpy(motion->obstacles->total, s->total, motion->obstacles->meetings));
    motion->obstacles->doubled = s->doubled;
    PetscCall(CaromExecuteRecall(X));
    X->stamp[CAROM_PLAN_Q] = ++X->stamps;
    X->fresh = s->fresh;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromDoublingCreate(CaromExecutor *X, PetscReal limit, CaromDoubling *doubling)
{
    const carom_scheme *spec = &X->motion->space->model->scheme;
    CaromDoubling D;
    PetscFunctionBeginUser;
    *doubling = NULL;
    if (spec->order == 0) {
        PetscFunctionReturn(0);
    }
    PetscCall(PetscNew(&D));
    *D = (struct _p_CaromDoubling){.X = X, .spec = spec, .limit = limit};
    PetscCall(state_create(X, &D->start));
    PetscCall(state_create(X, &D->end));
    Vec *const list[] = {&D->full_u, &D->full_v, &D->middle};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        PetscCall(CaromSpaceVector(X->motion->space, list[i]));
    }
    PetscCall(PetscCalloc4(X->K, &D->gap, X->K, &D->rate, X->K, &D->first, X->K, &D->second));
    PetscCall(PetscCalloc5(X->places + X->movers, &D->tail, X->places + X->movers, &D->full_tail, X->movers,
                           &D->middle_tail, X->movers, &D->tail_a[0], X->movers, &D->tail_a[1]));
    *doubling = D;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromDoublingDestroy(CaromDoubling *doubling)
{
    CaromDoubling D = *doubling;
    PetscFunctionBeginUser;
    if (D != NULL) {
        Vec *const list[] = {&D->start.u, &D->start.v, &D->end.u, &D->end.v, &D->full_u, &D->full_v, &D->middle};
        for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
            PetscCall(VecDestroy(list[i]));
        }
        PetscCall(PetscFree3(D->start.memory, D->start.reaction, D->start.total));
        PetscCall(PetscFree3(D->end.memory, D->end.reaction, D->end.total));
        PetscCall(PetscFree4(D->gap, D->rate, D->first, D->second));
        PetscCall(PetscFree5(D->tail, D->full_tail, D->middle_tail, D->tail_a[0], D->tail_a[1]));
        PetscCall(PetscFree(*doubling));
    }
    PetscFunctionReturn(0);
}

/* One step; the normal impulses of its rows, and how many events it had. */
static PetscErrorCode step_once(CaromDoubling D, PetscReal x, PetscReal *impulse, CaromTrouble *trouble)
{
    CaromExecutor *X = D->X;
    const carom_plan *p = X->plan;
    const carom_plan_op *accept = p->op + p->ops - 1;
    PetscInt64 mine = 0, all;
    PetscFunctionBeginUser;
    PetscCall(CaromExecute(X, x, trouble));
    PetscCall(PetscArrayzero(impulse, X->K));
    for (PetscInt k = 0; k < X->K && trouble->code == 0; k++) {
        for (int s = 0; s < accept->impulse.count; s++) {
            const int rows = p->name[accept->impulse.first + s];
            impulse[k] += X->empty[rows] || CaromIsHeld(X, k) ? 0 : X->rows[rows][k * X->d];
        }
        for (int s = 0; s < accept->events.count; s++) {
            mine += X->set[p->name[accept->events.first + s]][k] ? 1 : 0;
        }
        mine += !D->spec->by_events && impulse[k] > 0 ? 1 : 0;
    }
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPIU_INT64, MPI_SUM, X->motion->space->mesh.comm));
    D->events += all;
    PetscFunctionReturn(0);
}

static PetscReal relative(const CaromDoubling D, PetscReal difference, PetscReal size, PetscReal absolute)
{
    return PetscAbsReal(difference) / (absolute + D->spec->rtol * PetscAbsReal(size));
}

/* Gaps of all rows now, and their rates; what is held has none. */
static PetscErrorCode gaps(CaromExecutor *X, PetscReal *gap, PetscReal *rate)
{
    CaromMotion *motion = X->motion;
    CaromObstacles *o = motion->obstacles;
    const PetscReal *u, *v, *vb = o->mover_state + X->places;
    PetscFunctionBeginUser;
    for (PetscInt k = X->N; k < X->K; k++) {
        gap[k] = PETSC_MAX_REAL;
        rate[k] = 0;
    }
    PetscCall(CaromTailGaps(X, gap, rate));
    PetscCall(CaromObstaclesGather(o, motion->u, motion->v));
    PetscCall(VecGetArrayRead(motion->u, &u));
    PetscCall(VecGetArrayRead(motion->v, &v));
    for (PetscInt k = 0; k < X->N; k++) {
        const PetscInt i = X->node[k], at = o->node[i] * X->d;
        PetscReal gradient[3], carrier[3] = {0, 0, 0};
        CaromObstacleGap(o, i, k, motion->t, u + at, gap + k, gradient, rate + k);
        if (CaromIsMoving(X, k)) {
            CaromTailCarrier(X, o->mover_J, vb, carrier);
        }
        for (PetscInt c = 0; c < X->d; c++) {
            rate[k] += gradient[c] * (v[at + c] - carrier[c]);
        }
    }
    PetscCall(VecRestoreArrayRead(motion->v, &v));
    PetscCall(VecRestoreArrayRead(motion->u, &u));
    PetscFunctionReturn(0);
}

/* Those of the mechanism; its places stand before them. */
static const PetscReal *velocities(const CaromExecutor *X) { return X->motion->obstacles->mover_state + X->places; }

/* Accelerations (v of a step far shorter than x, less that before, by its length) and the rows that press there; false
 * when a contact is about to hit: then there is none. The state is that before. */
static PetscErrorCode probe(CaromDoubling D, const State *from, PetscReal x, Vec acceleration, PetscReal *of_tail,
                            PetscReal *presses, PetscBool *known)
{
    CaromExecutor *X = D->X;
    CaromTrouble trouble = {0};
    PetscReal *gap, *rate;
    int mine = 0, all;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(X->K, &gap, X->K, &rate));
    PetscCall(gaps(X, gap, rate));
    X->motion->wanted = PETSC_MAX_REAL;
    PetscCall(PetscArraycpy(of_tail, velocities(X), X->movers));
    PetscCall(step_once(D, CAROM_PROBE * x, presses, &trouble));
    for (PetscInt k = 0; k < X->K; k++) {
        mine = mine || (presses[k] > 0 && PetscAbsReal(rate[k]) > D->spec->atolv);
    }
    mine = mine || trouble.code != 0;
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, X->motion->space->mesh.comm));
    *known = (PetscBool)(all == 0);
    PetscCall(VecWAXPY(acceleration, -1, from->v, X->motion->v));
    PetscCall(VecScale(acceleration, 1 / (CAROM_PROBE * x)));
    for (PetscInt j = 0; j < X->movers; j++) {
        of_tail[j] = (velocities(X)[j] - of_tail[j]) / (CAROM_PROBE * x);
    }
    PetscCall(restore(X, from));
    PetscCall(PetscFree2(gap, rate));
    PetscFunctionReturn(0);
}

/* G4: a contact that rests at the start has let go before the end, nobody knows where in the step: the velocity is
 * uncertain by half the step times the change of acceleration. Looked at only where the impulses of the halves do not
 * show that it goes on pressing. */
static PetscErrorCode release(CaromDoubling D, PetscReal x, PetscReal *error)
{
    CaromExecutor *X = D->X;
    MPI_Comm comm = X->motion->space->mesh.comm;
    PetscReal *before, *after, worst = 0;
    const PetscReal *a0, *a1, *v;
    PetscBool known = PETSC_TRUE;
    int mine = 0, doubtful;
    PetscFunctionBeginUser;
    *error = 0;
    for (PetscInt k = 0; k < X->K; k++) {
        const PetscBool touches = (PetscBool)(D->gap[k] <= D->spec->atol && PetscAbsReal(D->rate[k]) <= D->spec->atolv);
        mine = mine || (touches && !(D->first[k] > 0 && D->second[k] > 0.5 * D->first[k]));
    }
    PetscCallMPI(MPI_Allreduce(&mine, &doubtful, 1, MPI_INT, MPI_MAX, comm));
    if (!doubtful) {
        PetscFunctionReturn(0);
    }
    const PetscInt64 events = D->events;
    PetscCall(PetscMalloc2(X->K, &before, X->K, &after));
    PetscCall(save(X, &D->end));
    PetscCall(restore(X, &D->start));
    PetscCall(probe(D, &D->start, x, D->full_u, D->tail_a[0], before, &known)); /* full is no longer needed */
    PetscCall(restore(X, &D->end));
    if (known) {
        PetscCall(probe(D, &D->end, x, D->full_v, D->tail_a[1], after, &known));
    }
    mine = 0;
    for (PetscInt k = 0; k < X->K && known; k++) {
        mine = mine || (before[k] > 0 && !(after[k] > 0));
    }
    int released;
    PetscCallMPI(MPI_Allreduce(&mine, &released, 1, MPI_INT, MPI_MAX, comm));
    if (released) {
        PetscCall(VecGetArrayRead(D->full_u, &a0));
        PetscCall(VecGetArrayRead(D->full_v, &a1));
        PetscCall(VecGetArrayRead(X->motion->v, &v));
        for (PetscInt i = 0; i < X->motion->space->mesh.owned * X->d; i++) {
            worst = PetscMax(worst, relative(D, 0.5 * x * (a1[i] - a0[i]), v[i], D->spec->atolv));
        }
        for (PetscInt j = 0; j < X->movers; j++) {
            worst = PetscMax(
                worst, relative(D, 0.5 * x * (D->tail_a[1][j] - D->tail_a[0][j]), velocities(X)[j], D->spec->atolv));
        }
        PetscCall(VecRestoreArrayRead(X->motion->v, &v));
        PetscCall(VecRestoreArrayRead(D->full_v, &a1));
        PetscCall(VecRestoreArrayRead(D->full_u, &a0));
    }
    PetscCallMPI(MPI_Allreduce(&worst, error, 1, MPIU_REAL, MPIU_MAX, comm));
    D->events = events;
    PetscCall(PetscFree2(before, after));
    PetscFunctionReturn(0);
}

/* The same of the mechanism, which all ranks have. */
static void compare_tail(const CaromDoubling D, PetscReal x, PetscReal *of)
{
    const CaromExecutor *X = D->X;
    const carom_scheme *spec = D->spec;
    const PetscReal doubling = PetscPowRealInt(2, spec->order) - 1;
    const PetscReal *q = X->motion->obstacles->mover_state, *v = velocities(X);
    const PetscReal *fv = D->full_tail + X->places, *mv = D->middle_tail, *sv = D->tail + X->places;
    for (PetscInt i = 0; i < X->places; i++) {
        of[0] = PetscMax(of[0], relative(D, (q[i] - D->full_tail[i]) / doubling, q[i], spec->atol));
    }
    for (PetscInt j = 0; j < X->movers; j++) {
        const PetscReal jump =
            PetscMax(PetscMax(PetscAbsReal(fv[j] - sv[j]), PetscAbsReal(mv[j] - sv[j])), PetscAbsReal(v[j] - mv[j]));
        const PetscReal size = j < X->motion->space->model->mechanism->scalars ? q[j] : 1; /* else turned by */
        of[1] = PetscMax(of[1], relative(D, (v[j] - fv[j]) / doubling, v[j], spec->atolv));
        of[2] = PetscMax(of[2], relative(D, spec->guard * x * jump, size, spec->atol));
    }
}

/* Errors by component: of places; of velocities, where they are smooth (G3); what a displaced impact costs (G2). */
static PetscErrorCode compare(CaromDoubling D, PetscReal x, PetscReal *of)
{
    const CaromExecutor *X = D->X;
    const carom_scheme *spec = D->spec;
    const PetscReal doubling = PetscPowRealInt(2, spec->order) - 1;
    const PetscReal *u, *v, *fu, *fv, *mv, *sv;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(X->motion->u, &u));
    PetscCall(VecGetArrayRead(X->motion->v, &v));
    PetscCall(VecGetArrayRead(D->full_u, &fu));
    PetscCall(VecGetArrayRead(D->full_v, &fv));
    PetscCall(VecGetArrayRead(D->middle, &mv));
    PetscCall(VecGetArrayRead(D->start.v, &sv));
    for (PetscInt i = 0; i < X->motion->space->mesh.owned * X->d; i++) {
        const PetscReal jump =
            PetscMax(PetscMax(PetscAbsReal(fv[i] - sv[i]), PetscAbsReal(mv[i] - sv[i])), PetscAbsReal(v[i] - mv[i]));
        of[0] = PetscMax(of[0], relative(D, (u[i] - fu[i]) / doubling, u[i], spec->atol));
        of[1] = PetscMax(of[1], relative(D, (v[i] - fv[i]) / doubling, v[i], spec->atolv));
        of[2] = PetscMax(of[2], relative(D, spec->guard * x * jump, u[i], spec->atol));
    }
    compare_tail(D, x, of);
    PetscCall(VecRestoreArrayRead(D->start.v, &sv));
    PetscCall(VecRestoreArrayRead(D->middle, &mv));
    PetscCall(VecRestoreArrayRead(D->full_v, &fv));
    PetscCall(VecRestoreArrayRead(D->full_u, &fu));
    PetscCall(VecRestoreArrayRead(X->motion->v, &v));
    PetscCall(VecRestoreArrayRead(X->motion->u, &u));
    PetscFunctionReturn(0);
}

/* Error of the two halves, which are made, relative to the tolerance; *smooth: it falls with the order of the scheme,
 * not only with x. Above 1 the state is that before. */
static PetscErrorCode attempt(CaromDoubling D, PetscReal x, PetscReal *error, PetscBool *smooth, CaromTrouble *trouble)
{
    CaromExecutor *X = D->X;
    PetscReal mine[4] = {0, 0, 0, 0}, all[4], let_go = 0, *gap, *rate;
    PetscFunctionBeginUser;
    *trouble = (CaromTrouble){0};
    *error = PETSC_MAX_REAL;
    *smooth = PETSC_TRUE;
    D->events = 0;
    PetscCall(save(X, &D->start));
    PetscCall(gaps(X, D->gap, D->rate));
    PetscCall(PetscArraycpy(D->tail, X->motion->obstacles->mover_state, X->places + X->movers));
    PetscCall(step_once(D, x, D->first, trouble));
    if (trouble->code == 0) {
        PetscCall(PetscArraycpy(D->full_tail, X->motion->obstacles->mover_state, X->places + X->movers));
        PetscCall(VecCopy(X->motion->u, D->full_u));
        PetscCall(VecCopy(X->motion->v, D->full_v));
        PetscCall(restore(X, &D->start));
        PetscCall(step_once(D, 0.5 * x, D->first, trouble));
    }
    if (trouble->code == 0) {
        PetscCall(VecCopy(X->motion->v, D->middle));
        PetscCall(PetscArraycpy(D->middle_tail, velocities(X), X->movers));
        PetscCall(PetscArraycpy(D->end.total, X->motion->obstacles->total, X->motion->obstacles->meetings));
        PetscCall(PetscArraycpy(D->end.reaction, X->motion->reaction, 3 * X->motion->space->fixed));
        PetscCall(step_once(D, 0.5 * x, D->second, trouble));
    }
    if (trouble->code != 0) {
        PetscCall(restore(X, &D->start));
        PetscFunctionReturn(0);
    }
    for (int s = 0; s < X->motion->obstacles->meetings; s++) { /* of both halves */
        CaromTotal *total = X->motion->obstacles->total + s;
        total->normal += D->end.total[s].normal;
        for (PetscInt c = 0; c < 3; c++) {
            total->vector[c] += D->end.total[s].vector[c];
        }
    }
    for (PetscInt i = 0; i < 3 * X->motion->space->fixed; i++) {
        X->motion->reaction[i] += D->end.reaction[i];
    }
    PetscCall(compare(D, x, mine));
    PetscCall(PetscMalloc2(X->K, &gap, X->K, &rate));
    PetscCall(gaps(X, gap, rate));
    for (PetscInt k = 0; k < X->K; k++) { /* G1: an impact that no solve has seen; drift before counts no more */
        const PetscReal allowed = D->spec->atol + D->spec->rtol * PetscAbsReal(D->gap[k]),
                        deeper = PetscMin(D->gap[k], 0) - gap[k];
        mine[3] = D->gap[k] >= -allowed ? PetscMax(mine[3], deeper / allowed) : mine[3];
    }
    PetscCall(PetscFree2(gap, rate));
    PetscCallMPI(MPI_Allreduce(mine, all, 4, MPIU_REAL, MPIU_MAX, X->motion->space->mesh.comm));
    *error = all[0];
    const PetscReal rough = D->events > 0 ? all[2] : all[3] > 1 ? all[3] : 0;
    if (D->events == 0) {
        *error = PetscMax(*error, all[1]);
    }
    PetscCall(release(D, x, &let_go));
    if (PetscMax(rough, let_go) > *error) {
        *error = PetscMax(rough, let_go);
        *smooth = PETSC_FALSE;
    }
    *error = PetscIsInfOrNanReal(*error) ? PETSC_MAX_REAL : *error;
    if (*error > 1) {
        PetscCall(restore(X, &D->start));
    }
    PetscFunctionReturn(0);
}

/* From now to h later with steps that the tolerances choose. */
PetscErrorCode CaromDoublingStep(CaromDoubling D, PetscReal h, CaromTrouble *trouble)
{
    CaromExecutor *X = D->X;
    CaromMotion *motion = X->motion;
    CaromObstacles *o = motion->obstacles;
    const PetscReal end = motion->t + h;
    const PetscInt held = 3 * motion->space->fixed;
    PetscReal x = X->next_step > 0 ? X->next_step : CAROM_FIRST_STEP * h, *sum, *reaction;
    CaromTrouble last = {0};
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc2(4 * o->meetings, &sum, held, &reaction));
    PetscCall(CaromExecutePack(X, PETSC_TRUE));
    for (PetscInt count = 0; end - motion->t > CAROM_ARRIVED * h && trouble->code == 0; count++) {
        x = D->limit > 0 ? PetscMin(x, D->limit) : x;
        const PetscBool cut = (PetscBool)(x >= end - motion->t);
        const PetscReal taken = cut ? end - motion->t : x;
        PetscReal error;
        PetscBool smooth;
        PetscCall(attempt(D, taken, &error, &smooth, &last));
        const PetscReal factor = error > 0
                                     ? CAROM_SAFETY * PetscPowReal(error, smooth ? -1.0 / (D->spec->order + 1.0) : -1.0)
                                     : CAROM_GROWTH;
        if (error <= 1) {
            motion->t = cut ? end : motion->t;
            x = cut ? PetscMax(PetscMin(x, taken * PetscMin(factor, CAROM_GROWTH)), taken)
                    : taken * PetscMin(PetscMax(factor, CAROM_SHRINK), CAROM_GROWTH);
            for (int s = 0; s < o->meetings; s++) {
                sum[4 * s] += o->total[s].normal;
                for (PetscInt c = 0; c < 3; c++) {
                    sum[4 * s + 1 + c] += o->total[s].vector[c];
                }
            }
            for (PetscInt i = 0; i < held; i++) {
                reaction[i] += motion->reaction[i];
            }
            continue;
        }
        x = taken * PetscMin(PetscMax(factor, CAROM_SHRINK), CAROM_REJECTED);
        if (x < D->spec->hmin || count > CAROM_ATTEMPTS) {
            CaromSay(trouble, 1, "at t = %.10g step-size control asks for %.3g, below hmin=%.3g%s%s", motion->t, x,
                     D->spec->hmin, last.code != 0 ? ": " : "", last.text);
        }
    }
    for (int s = 0; s < o->meetings; s++) { /* what outputs say of the whole step */
        o->total[s].normal = sum[4 * s];
        PetscCall(PetscArraycpy(o->total[s].vector, sum + 4 * s + 1, 3));
    }
    PetscCall(PetscArraycpy(motion->reaction, reaction, held));
    X->next_step = PetscMin(x, h);
    PetscCall(CaromExecutePack(X, PETSC_TRUE));
    PetscCall(PetscFree2(sum, reaction));
    PetscFunctionReturn(0);
}
