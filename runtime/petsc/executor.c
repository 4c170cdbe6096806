/* What executes the plan of a model: made and unmade, and what a run asks of it besides steps. */
#include "execute.h"

void CaromRowsLaw(CaromExecutor *X, PetscInt j, PetscReal e, PetscReal mu)
{
    X->rows[CAROM_ROWS_E][j] = e;
    X->rows[CAROM_ROWS_ONE_E][j] = 1 + e;
    X->rows[CAROM_ROWS_OVER_E][j] = 1 / (1 + e);
    X->rows[CAROM_ROWS_E_OVER_E][j] = e / (1 + e);
    X->rows[CAROM_ROWS_MU][j] = X->d > 1 ? mu : 0;
}

static PetscErrorCode make_rows(CaromExecutor *X, CaromTrouble *trouble)
{
    const carom_plan *p = X->plan;
    const CaromObstacles *o = X->motion->obstacles;
    const PetscInt d = X->d;
    PetscFunctionBeginUser;
    X->N = o->at[o->n];
    PetscCall(CaromTailCount(X, trouble));
    X->K = X->N + X->tied * d + X->own_rows;
    PetscCall(PetscMalloc6(X->N, &X->node, o->n, &X->holds, o->n, &X->mass, X->K, &X->slack, X->K * d, &X->sums,
                           X->K * CAROM_STACK, &X->stack));
    for (PetscInt i = 0; i < o->n; i++) {
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            X->node[k] = i;
        }
        X->many = (PetscBool)(X->many || o->at[i + 1] - o->at[i] > 1);
    }
    PetscCall(PetscCalloc3(p->rows + 1, &X->rows, p->rows + 1, &X->rows_at, p->rows + 1, &X->empty));
    PetscCall(PetscCalloc1(p->sets + 1, &X->set));
    for (int r = 1; r <= p->rows; r++) {
        PetscCall(PetscCalloc1(X->K * d, &X->rows[r]));
    }
    for (int s = 1; s <= p->sets; s++) {
        PetscCall(PetscCalloc1(X->K, &X->set[s]));
    }
    for (PetscInt j = 0; j < X->N * d; j++) {
        CaromRowsLaw(X, j, j % d == 0 ? o->restitution[o->surface[j / d]] : 0, o->friction[o->surface[j / d]]);
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode make_configurations(CaromExecutor *X)
{
    const CaromObstacles *o = X->motion->obstacles;
    const PetscInt d = X->d, tied = o->ties != NULL ? o->ties->n * d : 0;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(X->plan->configurations + 1, &X->at));
    for (int c = 1; c <= X->plan->configurations; c++) {
        CaromConfiguration *at = X->at + c;
        PetscCall(CaromSpaceVector(X->motion->space, &at->elastic));
        if (X->adheres || X->motion->space->changing) {
            PetscCall(CaromSpaceVector(X->motion->space, &at->load));
        }
        PetscCall(PetscCalloc6(X->N * d, &at->gradient, X->N * d * d, &at->frame, X->N, &at->length, X->N, &at->rate,
                               tied, &at->master, X->K, &at->there));
        for (PetscInt k = 0; k < X->K; k++) {
            at->there[k] = PETSC_TRUE;
        }
        at->load_time = PETSC_MAX_REAL;
    }
    for (int i = X->plan->ops - 1; i >= 0; i--) {
        X->begin = X->plan->op[i].op == CAROM_DO_KINEMATICS && X->plan->op[i].find ? X->plan->op[i].c : X->begin;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode make_vectors(CaromExecutor *X)
{
    const carom_plan *p = X->plan;
    const CaromSpace *space = X->motion->space;
    PetscFunctionBeginUser;
    X->width = 6 + 3 * space->fixed;
    PetscCall(PetscCalloc4(p->vectors + 1, &X->own, p->points + 1, &X->place, p->vectors + 1, &X->now, p->points + 1,
                           &X->place_now));
    PetscCall(PetscCalloc3(p->points + 1, &X->stamp, (p->vectors + 1) * X->width, &X->carry, X->width, &X->sum));
    for (int x = 2; x <= p->vectors; x++) {
        if (!X->is_local[x]) {
            PetscCall(CaromSpaceVector(space, &X->own[x]));
        }
    }
    for (int q = 2; q <= p->points; q++) {
        PetscCall(CaromSpaceVector(space, &X->place[q]));
    }
    X->own[CAROM_PLAN_V] = X->motion->v;
    X->place[CAROM_PLAN_Q] = X->motion->u;
    Vec *const list[] = {&X->inverse, &X->load, &X->work, &X->none};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        PetscCall(CaromSpaceVector(space, list[i]));
    }
    PetscCall(VecCopy(X->motion->mass, X->inverse));
    PetscCall(VecReciprocal(X->inverse));
    PetscCall(VecPointwiseMult(X->inverse, X->inverse, space->mask));
    PetscCall(CaromSpaceLoad(space, X->motion->t, X->load));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_memory(CaromExecutor *X)
{
    const carom_plan *p = X->plan;
    CaromMotion *motion = X->motion;
    PetscInt size = (p->memories + 1) * X->width + 2 + (p->memories + 1) * X->movers + X->places +
                    (X->own_law != NULL ? X->own_rows : 0) + (X->adheres ? X->N : 0);
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc4(p->memories, &X->kept, p->memories, &X->kept_rows, p->memories * X->width, &X->kept_carry,
                           p->memories, &X->kept_set));
    for (int m = 0; m < p->memories; m++) {
        if (p->memory[m].kind == CAROM_KEPT_SET) {
            PetscCall(PetscCalloc1(X->K, &X->kept_set[m]));
            for (PetscInt k = 0; k < X->K && p->memory[m].full; k++) {
                X->kept_set[m][k] = PETSC_TRUE;
            }
            size += X->K;
        } else if (p->memory[m].kind == CAROM_KEPT_ROWS) {
            PetscCall(PetscCalloc1(X->K * X->d, &X->kept_rows[m]));
            size += X->K * X->d;
        } else {
            PetscCall(CaromSpaceVector(motion->space, &X->kept[m]));
            size += motion->space->mesh.owned * X->d;
        }
    }
    if (motion->memory == NULL) { /* plans of one scheme have the same memory */
        motion->memory_size = size;
        PetscCall(PetscCalloc1(size, &motion->memory));
        if (X->adheres) { /* the last of them (pack of execute.c) */
            PetscCall(PetscArraycpy(motion->memory + size - X->N, X->intensity, X->N));
        }
    }
    PetscCheck(motion->memory_size == size, PETSC_COMM_SELF, PETSC_ERR_PLIB, "plans of a scheme keep different things");
    PetscFunctionReturn(0);
}

static PetscErrorCode make_pairs(CaromExecutor *X)
{
    const CaromTies *ties = X->motion->obstacles->ties;
    PetscFunctionBeginUser;
    if (ties != NULL) {
        PetscCall(CaromCoupledCreate(ties, X->inverse, &X->coupled));
        PetscCall(PetscCalloc3(ties->n, &X->contact, (ties->n * ties->d), &X->gathered, (ties->n * ties->d), &X->onto));
    }
    PetscFunctionReturn(0);
}

/* ---- what a run asks for ----------------------------------------------------------------------------------------- */

/* A state that was set from outside; not at the start: with what was remembered. */
static PetscErrorCode restart(CaromMotion *motion, void *data)
{
    CaromExecutor *X = data;
    CaromTrouble none = {0};
    CaromConfiguration *c = X->at + X->begin;
    PetscFunctionBeginUser;
    X->own[CAROM_PLAN_V] = motion->v;
    X->place[CAROM_PLAN_Q] = motion->u;
    X->fresh = (PetscBool) !(motion->t > 0);
    X->stamp[CAROM_PLAN_Q] = ++X->stamps;
    X->trouble = &none;
    X->place_now[CAROM_PLAN_Q] = c->point = CAROM_PLAN_Q;
    c->t = motion->t;
    c->stamp = 0;
    PetscCall(CaromForcesElastic(X, X->begin));
    PetscCall(CaromObstaclesNearest(motion->obstacles, motion->t, motion->u));
    if (!X->fresh) {
        PetscCall(CaromExecuteRecall(X));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode create(CaromMotion *motion, const carom_plan *p, CaromExecutor **made, CaromTrouble *trouble);

/* A step whose equations were not solved is made by the plan for that, and counted. What both know is the state and its
 * memory; where that fails, too, the trouble of the first remains. */
static PetscErrorCode weaken(CaromMotion *motion, CaromExecutor *X, PetscReal h, CaromTrouble *trouble)
{
    PetscFunctionBeginUser;
    CaromTrouble again = {0};
    if (X->weaker == NULL) {
        PetscCall(create(motion, X->plan->otherwise, &X->weaker, &again));
    }
    if (again.code == 0) {
        PetscCall(restart(motion, X->weaker));
        PetscCall(CaromExecute(X->weaker, h, &again));
    }
    if (again.code == 1 && X->weaker->plan->otherwise != NULL) {
        PetscCall(weaken(motion, X->weaker, h, &again));
    }
    if (again.code == 0) {
        *trouble = again;
        PetscCall(restart(motion, X));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode step(CaromMotion *motion, void *data, PetscReal h, CaromTrouble *trouble)
{
    CaromExecutor *X = data;
    PetscFunctionBeginUser;
    motion->info = (CaromStepInfo){0};
    if (X->doubling != NULL) {
        PetscCall(CaromDoublingStep(X->doubling, h, trouble));
    } else {
        PetscCall(CaromExecute(X, h, trouble));
        if (trouble->code == 1 && X->plan->otherwise != NULL) {
            PetscCall(weaken(motion, X, h, trouble));
            motion->frozen += trouble->code == 0 ? 1 : 0;
        }
    }
    motion->products += motion->info.products;
    motion->solves++;
    PetscFunctionReturn(0);
}

static PetscErrorCode energy(CaromMotion *motion, void *data, PetscReal *kinetic, PetscReal *elastic)
{
    CaromExecutor *X = data;
    CaromTrouble none = {0};
    PetscFunctionBeginUser;
    if (motion->space->linear && motion->space->lumped) {
        PetscCall(VecPointwiseMult(X->work, motion->mass, motion->v));
        PetscCall(VecDot(X->work, motion->v, kinetic));
        *kinetic *= 0.5;
        X->trouble = &none;
        PetscCall(CaromForcesElastic(X, X->begin));
        PetscCall(VecDot(X->at[X->begin].elastic, motion->u, elastic));
        *elastic *= 0.5;
    } else {
        PetscCall(CaromCellsEnergy(motion->space, motion->u, motion->v, kinetic, elastic));
    }
    PetscFunctionReturn(0);
}

static const char *solver_name(void *data)
{
    const CaromExecutor *X = data;
    return X->implicit != NULL  ? CaromImplicitSolver(X)
           : X->contact != NULL ? "node by node, pairs by sweeps"
                                : "node by node";
}

static PetscErrorCode destroy(void *data)
{
    CaromExecutor *X = data;
    const carom_plan *p = X->plan;
    PetscFunctionBeginUser;
    if (X->weaker != NULL) {
        PetscCall(destroy(X->weaker));
    }
    for (int x = 2; x <= p->vectors; x++) {
        PetscCall(VecDestroy(&X->own[x]));
    }
    for (int q = 2; q <= p->points; q++) {
        PetscCall(VecDestroy(&X->place[q]));
    }
    for (int r = 1; r <= p->rows; r++) {
        PetscCall(PetscFree(X->rows[r]));
    }
    for (int s = 1; s <= p->sets; s++) {
        PetscCall(PetscFree(X->set[s]));
    }
    for (int m = 0; m < p->memories; m++) {
        PetscCall(VecDestroy(&X->kept[m]));
        PetscCall(PetscFree(X->kept_rows[m]));
        PetscCall(PetscFree(X->kept_set[m]));
    }
    PetscCall(CaromTailDestroy(X));
    PetscCall(CaromAdhesionDestroy(X));
    PetscCall(CaromOwnDestroy(X));
    for (int c = 1; c <= p->configurations; c++) {
        CaromConfiguration *at = X->at + c;
        PetscCall(VecDestroy(&at->elastic));
        PetscCall(VecDestroy(&at->load));
        PetscCall(PetscFree6(at->gradient, at->frame, at->length, at->rate, at->master, at->there));
    }
    PetscCall(PetscFree(X->at));
    PetscCall(PetscFree4(X->kept, X->kept_rows, X->kept_carry, X->kept_set));
    PetscCall(PetscFree4(X->own, X->place, X->now, X->place_now));
    PetscCall(PetscFree3(X->stamp, X->carry, X->sum));
    PetscCall(PetscFree3(X->rows, X->rows_at, X->empty));
    PetscCall(PetscFree(X->set));
    PetscCall(PetscFree6(X->node, X->holds, X->mass, X->slack, X->sums, X->stack));
    PetscCall(PetscFree6(X->velocity_node, X->point_node, X->is_velocity, X->is_local, X->is_sparse, X->is_solved_on));
    PetscCall(PetscFree5(X->bias_on, X->clears, X->pass_at, X->pass, X->block));
    PetscCall(VecDestroy(&X->inverse));
    PetscCall(VecDestroy(&X->load));
    PetscCall(VecDestroy(&X->work));
    PetscCall(VecDestroy(&X->none));
    PetscCall(CaromImplicitDestroy(X));
    PetscCall(CaromDoublingDestroy(&X->doubling));
    PetscCall(PetscFree4(X->force, X->damp, X->inertia, X->base));
    PetscCall(CaromCoupledDestroy(&X->coupled));
    PetscCall(PetscFree3(X->contact, X->gathered, X->onto));
    PetscCall(PetscFree(X));
    PetscFunctionReturn(0);
}

static PetscErrorCode create(CaromMotion *motion, const carom_plan *p, CaromExecutor **made, CaromTrouble *trouble)
{
    const CaromSpace *space = motion->space;
    const CaromObstacles *o = motion->obstacles;
    const carom_scheme *spec = &space->model->scheme;
    const PetscReal *m;
    CaromExecutor *X;
    PetscFunctionBeginUser;
    PetscCall(PetscNew(&X));
    *made = X;
    *X = (CaromExecutor){.plan = p, .motion = motion, .d = o->d, .tol = spec->tol > 0 ? spec->tol : 1e-13};
    X->tolerance[CAROM_TOL_ONE] = 1;
    X->tolerance[CAROM_TOL_TV] = X->tolerance[CAROM_TOL_TS] = spec->tv > 0 ? spec->tv : 1e-8;
    X->tolerance[CAROM_TOL_EPS] = 1e-15;
    X->any_trouble = (PetscBool)(!space->linear || o->ties != NULL);
    X->any_tied = (PetscBool)(space->model->mechanism != NULL &&
                              space->model->mechanism->ties + space->model->mechanism->points > 0);
    X->drag = space->lumped ? motion->drag : NULL;
    PetscCall(PetscCalloc4(space->mesh.bodies, &X->force, space->mesh.bodies, &X->damp, space->mesh.bodies, &X->inertia,
                           p->vectors + 1, &X->base));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        X->force[b].force = 1;
        X->damp[b].stiffness = space->beta[b];
        X->damp[b].mass = space->lumped ? 0 : space->alpha[b];
        X->stiff = (PetscBool)(X->stiff || X->damp[b].stiffness != 0 || X->damp[b].mass != 0);
    }
    PetscCall(PetscCalloc6(p->vectors + 1, &X->velocity_node, p->points + 1, &X->point_node, p->vectors + 1,
                           &X->is_velocity, p->vectors + 1, &X->is_local, p->vectors + 1, &X->is_sparse, p->sets + 1,
                           &X->is_solved_on));
    PetscCall(PetscCalloc5(p->ops, &X->bias_on, p->ops, &X->clears, p->ops, &X->pass_at, p->ops, &X->pass,
                           (p->vectors + 1) * CAROM_PASS_BLOCK, &X->block));
    PetscCall(CaromPlanStudy(X, trouble));
    PetscCall(make_vectors(X));
    PetscCall(make_rows(X, trouble));
    PetscCall(CaromAdhesionCreate(X));
    PetscCall(make_configurations(X));
    PetscCall(CaromTailCreate(X, trouble));
    PetscCall(CaromOwnCreate(X));
    PetscCall(make_memory(X));
    PetscCall(make_pairs(X));
    PetscCall(CaromImplicitCreate(X, trouble));
    PetscCall(VecGetArrayRead(motion->mass, &m));
    for (PetscInt i = 0; i < o->n; i++) {
        X->mass[i] = m[o->node[i] * o->d];
    }
    PetscCall(VecRestoreArrayRead(motion->mass, &m));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromExecutorCreate(CaromMotion *motion, CaromScheme scheme, CaromTrouble *trouble)
{
    const CaromSpace *space = motion->space;
    const carom_plan *p = space->model->scheme.plan;
    CaromExecutor *X;
    PetscFunctionBeginUser;
    PetscCall(create(motion, p, &X, trouble));
    motion->unbalanced = (PetscBool)(space->any_fixed && p->operators == 0);
    *scheme = (struct _p_CaromScheme){
        .data = X, .step = step, .energy = energy, .restart = restart, .destroy = destroy, .solver = solver_name};
    if (p->phase > 0) {
        PetscCall(CaromStableStep(motion, &scheme->limit));
        scheme->limit *=
            X->stiff || motion->drag != NULL ? 1 : 0.5 * p->phase; /* the bound of M = 1 is 2 by frequency */
    }
    if (p->op[p->ops - 1].vectors.count > 0) {
        PetscCall(CaromSpaceVector(space, &motion->between_u));
        PetscCall(CaromSpaceVector(space, &motion->between_v));
    }
    PetscCall(CaromDoublingCreate(X, scheme->limit, &X->doubling));
    scheme->limit = X->doubling != NULL ? 0 : scheme->limit;
    PetscFunctionReturn(0);
}
