/* Forces and masses of a plan that are sums over cells, and what rides along with them. */
#include "execute.h"

static void local_sum(const CaromExecutor *X, const PetscReal *x, const PetscReal *times, PetscReal factor,
                      PetscReal *sum)
{
    const PetscInt n = X->motion->space->mesh.owned;
    for (PetscInt i = 0; i < n; i++) {
        for (PetscInt c = 0; c < X->d; c++) {
            sum[c] += factor * x[i * X->d + c] * (times != NULL ? times[i * X->d + c] : 1);
        }
    }
}

PetscErrorCode CaromMassAdd(CaromExecutor *X, PetscReal factor, Vec x, Vec y)
{
    const CaromSpace *space = X->motion->space;
    CaromTrouble none = {0};
    PetscFunctionBeginUser;
    if (space->lumped) {
        const PetscReal *m, *a;
        PetscReal *b;
        PetscCall(VecGetArrayRead(X->motion->mass, &m));
        PetscCall(VecGetArrayRead(x, &a));
        PetscCall(VecGetArray(y, &b));
        for (PetscInt i = 0; i < space->mesh.owned * X->d; i++) {
            b[i] += factor * m[i] * a[i];
        }
        PetscCall(VecRestoreArray(y, &b));
        PetscCall(VecRestoreArrayRead(x, &a));
        PetscCall(VecRestoreArrayRead(X->motion->mass, &m));
    } else {
        for (PetscInt b = 0; b < space->mesh.bodies; b++) {
            X->inertia[b].mass = factor;
        }
        PetscCall(CaromCellsAdd(space, X->inertia, NULL, x, y, &none));
        X->motion->info.products++;
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromMassApply(CaromExecutor *X, const carom_plan_op *op)
{
    PetscFunctionBeginUser;
    PetscCall(CaromTailRide(X, op));
    PetscCall(VecSet(X->own[op->y], 0));
    PetscCall(CaromMassAdd(X, 1, CaromVectorOf(X, op->x), X->own[op->y]));
    PetscCall(PetscArraycpy(X->carry + op->y * X->width, X->carry + op->x * X->width, X->width));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromForcesElastic(CaromExecutor *X, PetscInt which)
{
    const CaromSpace *space = X->motion->space;
    CaromConfiguration *c = X->at + which;
    const PetscReal *x;
    PetscFunctionBeginUser;
    for (PetscInt other = 1; other <= X->plan->configurations && c->of_forces != X->stamp[c->point]; other++) {
        if (X->at[other].of_forces == X->stamp[c->point]) { /* the same place */
            PetscCall(VecCopy(X->at[other].elastic, c->elastic));
            c->of_forces = X->stamp[c->point];
            c->cleared = PETSC_FALSE;
        }
    }
    if (c->of_forces != X->stamp[c->point]) {
        if (!c->cleared) {
            PetscCall(VecSet(c->elastic, 0));
        }
        CaromTrouble bent = {0};
        PetscCall(CaromCellsAdd(space, X->force, X->place[c->point], NULL, c->elastic, &bent));
        if (!space->linear) { /* a linear cell cannot be inverted */
            PetscCall(CaromAgree(space->mesh.comm, &bent));
            if (bent.code != 0) {
                X->back = (PetscBool)(X->part > 0 && X->iteration > 0); /* a correction was too long */
                *(X->back ? &X->bent : X->trouble) = bent;
            }
        }
        c->of_forces = X->stamp[c->point];
        c->cleared = PETSC_FALSE;
        X->motion->info.products++;
    }
    if (X->adheres || (c->load_time != c->t && (space->changing || c->load_time == PETSC_MAX_REAL))) {
        Vec load = CaromLoadOf(X, c);
        if (space->changing) {
            PetscCall(CaromSpaceLoad(space, c->t, load));
        } else if (X->adheres) {
            PetscCall(VecCopy(X->load, load));
        }
        if (X->adheres) {
            PetscCall(CaromAdhesionAdd(X, c->t, X->place[c->point], load));
        }
        PetscCall(VecGetArrayRead(load, &x));
        PetscCall(PetscArrayzero(c->load_sum, 3));
        local_sum(X, x, NULL, 1, c->load_sum);
        PetscCall(VecRestoreArrayRead(load, &x));
        c->load_time = c->t;
    }
    PetscFunctionReturn(0);
}

/* What rides along with a force: loads and drag for the balance of momentum, forces on what is held. */
PetscErrorCode CaromForcesRide(CaromExecutor *X, const carom_plan_op *op)
{
    const CaromSpace *space = X->motion->space;
    const CaromConfiguration *c = X->at + op->c;
    PetscReal *y = X->carry + op->y * X->width;
    const PetscReal *load, *elastic, *v = NULL, *drag = NULL;
    PetscFunctionBeginUser;
    PetscCall(PetscArrayzero(y, X->width));
    PetscCall(PetscArraycpy(y, c->load_sum, 3));
    if (X->motion->drag == NULL && space->fixed == 0) {
        PetscFunctionReturn(0);
    }
    PetscCall(VecGetArrayRead(CaromLoadOf(X, c), &load));
    PetscCall(VecGetArrayRead(c->elastic, &elastic));
    PetscCall(VecGetArrayRead(CaromVectorOf(X, op->v), &v));
    if (X->motion->drag != NULL) {
        PetscCall(VecGetArrayRead(X->motion->drag, &drag));
        local_sum(X, v, drag, -1, y);
        PetscCall(VecRestoreArrayRead(X->motion->drag, &drag));
    }
    drag = NULL;
    if (X->drag != NULL) {
        PetscCall(VecGetArrayRead(X->drag, &drag));
    }
    for (PetscInt i = 0; i < space->fixed; i++) {
        for (PetscInt s = 0; s < X->d; s++) {
            if (space->fixed_mask[i] >> s & 1) {
                const PetscInt at = space->fixed_node[i] * X->d + s;
                y[6 + 3 * i + s] += load[at] - elastic[at] - (drag != NULL ? drag[at] * v[at] : 0);
            }
        }
    }
    if (drag != NULL) {
        PetscCall(VecRestoreArrayRead(X->drag, &drag));
    }
    PetscCall(VecRestoreArrayRead(CaromVectorOf(X, op->v), &v));
    PetscCall(VecRestoreArrayRead(c->elastic, &elastic));
    PetscCall(VecRestoreArrayRead(CaromLoadOf(X, c), &load));
    PetscFunctionReturn(0);
}

/* Forces with damping by the stiffness: a sum over cells of its own. */
PetscErrorCode CaromForcesStiff(CaromExecutor *X, const carom_plan_op *op)
{
    const CaromConfiguration *c = X->at + op->c;
    Vec f = X->own[op->y], v = CaromVectorOf(X, op->v);
    CaromTrouble none = {0};
    const CaromSpace *space = X->motion->space;
    const PetscReal *damp;
    PetscReal *y = X->carry + op->y * X->width;
    PetscFunctionBeginUser;
    PetscCall(CaromForcesElastic(X, op->c));
    PetscCall(CaromForcesRide(X, op));
    PetscCall(CaromTailRide(X, op));
    PetscCall(VecWAXPY(f, -1, c->elastic, CaromLoadOf(X, c)));
    if (X->drag != NULL) {
        PetscCall(VecPointwiseMult(X->work, X->drag, v));
        PetscCall(VecAXPY(f, -1, X->work));
    }
    PetscCall(VecSet(X->work, 0));
    PetscCall(CaromCellsAdd(space, X->damp, NULL, v, X->work, &none));
    X->motion->info.products++;
    PetscCall(VecAXPY(f, -1, X->work));
    PetscCall(VecGetArrayRead(X->work, &damp));
    for (PetscInt i = 0; i < space->fixed; i++) {
        for (PetscInt s = 0; s < X->d; s++) {
            y[6 + 3 * i + s] -= space->fixed_mask[i] >> s & 1 ? damp[space->fixed_node[i] * X->d + s] : 0;
        }
    }
    PetscCall(VecRestoreArrayRead(X->work, &damp));
    PetscFunctionReturn(0);
}

/* y = G^T r of the rows of a set. */
PetscErrorCode CaromForcesSpread(CaromExecutor *X, const carom_plan_op *op)
{
    const CaromObstacles *o = X->motion->obstacles;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d;
    const PetscReal *r = X->rows[op->r];
    PetscReal *y, *outside = X->carry + op->y * X->width;
    PetscFunctionBeginUser;
    PetscCall(PetscArrayzero(outside, X->width));
    PetscCall(VecSet(X->own[op->y], 0));
    if (o->ties != NULL) {
        PetscCall(PetscArrayzero(X->onto, o->ties->n * d));
    }
    PetscCall(VecGetArray(X->own[op->y], &y));
    for (PetscInt k = 0; k < X->N; k++) {
        PetscReal force[3] = {0, 0, 0};
        if (!X->set[op->set][k]) {
            continue;
        }
        CaromOutOfFrame(d, c->frame + k * d * d, 1, r + k * d, force);
        for (PetscInt i = 0; i < d; i++) {
            y[o->node[X->node[k]] * d + i] += force[i];
            if (o->tie[k] >= 0) {
                X->onto[o->tie[k] * d + i] = force[i];
            } else {
                outside[3 + i] += force[i];
            }
        }
    }
    PetscCall(CaromTailSpread(X, op, y));
    PetscCall(VecRestoreArray(X->own[op->y], &y));
    if (o->ties != NULL) {
        PetscCall(CaromTiesSpread(o->ties, -1, X->onto, X->own[op->y]));
    }
    PetscFunctionReturn(0);
}
