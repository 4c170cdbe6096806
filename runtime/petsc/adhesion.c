/* Adhesion of the nodes of contact surfaces and pairs, a cohesive zone (THEORY 6.13), as carom/adhesion.h has it for
 * small models: where a node was closed at the start its intensity beta is 1; while its gap g is open it is pulled back
 * with beta^2 C g per area, a load among the others, and beta wears where a step ends. On pairs the masters feel it,
 * too. */
#include "execute.h"

/* The stiffness, energy and viscosity of row k; the stiffness is 0 where there is no adhesion. */
static void law_of(const CaromExecutor *X, PetscInt k, PetscReal *law)
{
    const CaromObstacles *o = X->motion->obstacles;
    const CaromMeeting meeting = CaromMeetingOf(o->space->model, (int)o->surface[k]);
    law[0] = 0;
    if (meeting.adhesion != NULL) {
        meeting.adhesion(o->space->p, law);
    }
}

PetscErrorCode CaromAdhesionCreate(CaromExecutor *X)
{
    CaromMotion *motion = X->motion;
    CaromObstacles *o = motion->obstacles;
    const carom_large *model = o->space->model;
    const PetscReal tg = model->scheme.tg > 0 ? model->scheme.tg : 1e-10;
    const PetscReal *u;
    PetscBool any = PETSC_FALSE;
    PetscFunctionBeginUser;
    for (int s = 0; s < o->meetings; s++) {
        any = (PetscBool)(any || CaromMeetingOf(model, s).adhesion != NULL);
    }
    if (!any) {
        PetscFunctionReturn(0);
    }
    X->adheres = PETSC_TRUE;
    PetscCall(PetscCalloc1(X->N, &X->intensity));
    PetscCall(PetscCalloc1(o->ties != NULL ? o->ties->n * X->d : 0, &X->pull));
    PetscCall(CaromObstaclesGather(o, motion->u, motion->v));
    PetscCall(VecGetArrayRead(motion->u, &u));
    for (PetscInt k = 0; k < X->N; k++) {
        PetscReal law[3], gap, gradient[3], rate;
        law_of(X, k, law);
        CaromObstacleGap(o, X->node[k], k, motion->t, u + o->node[X->node[k]] * X->d, &gap, gradient, &rate);
        X->intensity[k] = law[0] > 0 && gap <= tg ? 1 : 0;
    }
    PetscCall(VecRestoreArrayRead(motion->u, &u));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromAdhesionDestroy(CaromExecutor *X)
{
    PetscFunctionBeginUser;
    PetscCall(PetscFree(X->intensity));
    PetscCall(PetscFree(X->pull));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromAdhesionAdd(CaromExecutor *X, PetscReal t, Vec place, Vec load)
{
    CaromObstacles *o = X->motion->obstacles;
    const PetscInt d = X->d;
    const PetscReal *u;
    PetscReal *f;
    PetscFunctionBeginUser;
    if (o->ties != NULL) {
        PetscCall(CaromTiesGather(o->ties, place, o->master_u));
        PetscCall(PetscArrayzero(X->pull, o->ties->n * d));
    }
    PetscCall(VecGetArrayRead(place, &u));
    PetscCall(VecGetArray(load, &f));
    for (PetscInt k = 0; k < X->N; k++) {
        const PetscInt at = o->node[X->node[k]] * d;
        PetscReal law[3], gap, gradient[3], rate;
        if (!(X->intensity[k] > 0)) {
            continue;
        }
        law_of(X, k, law);
        CaromObstacleGap(o, X->node[k], k, t, u + at, &gap, gradient, &rate);
        const PetscReal force = -PetscSqr(X->intensity[k]) * law[0] * o->area[k] * PetscMax(gap, 0);
        for (PetscInt c = 0; c < d; c++) {
            f[at + c] += force * gradient[c];
            if (o->tie[k] >= 0) {
                X->pull[o->tie[k] * d + c] = force * gradient[c];
            }
        }
    }
    PetscCall(VecRestoreArray(load, &f));
    PetscCall(VecRestoreArrayRead(place, &u));
    if (o->ties != NULL) {
        PetscCall(CaromTiesSpread(o->ties, -1, X->pull, load));
    }
    PetscFunctionReturn(0);
}

void CaromAdhesionWear(CaromExecutor *X, PetscInt c)
{
    const PetscReal *gap = X->rows[X->plan->gap[c]];
    for (PetscInt k = 0; k < X->N && X->adheres; k++) {
        if (X->intensity[k] > 0) {
            PetscReal law[3];
            law_of(X, k, law);
            const PetscReal g = PetscMax(gap[k * X->d], 0), hold = law[2] + X->h * law[0] * g * g;
            X->intensity[k] = hold > 0 ? PetscMin(X->intensity[k], (law[2] * X->intensity[k] + X->h * law[1]) / hold)
                                       : X->intensity[k];
        }
    }
}
