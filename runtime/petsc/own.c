/* Coefficients of the mechanism's own contacts that depend on what each of them did last: its slip, its mean force in
 * the last step, its closing speed (THEORY 6.9). They are data of the rows of one step, evaluated where it begins. A
 * contact that sticks has a coefficient of its own, and falls to that of sliding in the step in which it is reached. */
#include "execute.h"

struct _p_CaromOwn {
    PetscReal *e, *mu;                   /* [rows d], [rows] what is constant */
    PetscReal *slip, *push, *speed;      /* [rows] of each contact; push is memory */
    PetscReal *now, *sliding, *sticking; /* [rows d], [rows] of this step */
    PetscReal *kinetic;                  /* [rows] */
    PetscBool known;                     /* of this step */
};

PetscErrorCode CaromOwnCreate(CaromExecutor *X)
{
    const carom_mechanism *m = X->motion->space->model->mechanism;
    const PetscInt n = X->own_rows;
    CaromOwn O;
    PetscFunctionBeginUser;
    if (n == 0 || m->own == NULL) {
        PetscFunctionReturn(0);
    }
    PetscCall(PetscNew(&O));
    PetscCall(PetscCalloc5(n * X->d, &O->e, n, &O->mu, n, &O->slip, n, &O->push, n, &O->speed));
    PetscCall(PetscCalloc4(n * X->d, &O->now, n, &O->sliding, n, &O->sticking, n, &O->kinetic));
    m->law(X->motion->space->p, O->e, O->mu);
    X->own_law = O;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromOwnDestroy(CaromExecutor *X)
{
    CaromOwn O = X->own_law;
    PetscFunctionBeginUser;
    if (O != NULL) {
        PetscCall(PetscFree5(O->e, O->mu, O->slip, O->push, O->speed));
        PetscCall(PetscFree4(O->now, O->sliding, O->sticking, O->kinetic));
        PetscCall(PetscFree(X->own_law));
    }
    PetscFunctionReturn(0);
}

PetscReal *CaromOwnMemory(const CaromExecutor *X) { return X->own_law != NULL ? X->own_law->push : NULL; }

void CaromOwnForget(CaromExecutor *X)
{
    if (X->own_law != NULL) {
        X->own_law->known = PETSC_FALSE;
    }
}

void CaromOwnBegin(CaromExecutor *X, const CaromConfiguration *c)
{
    CaromOwn O = X->own_law;
    const PetscInt d = X->d, n = X->own_rows, first = (X->K - n) * d;
    const PetscReal *v = CaromTailOf(X, CAROM_PLAN_V);
    if (O == NULL || O->known) {
        return;
    }
    O->known = PETSC_TRUE;
    for (PetscInt l = 0; l < n; l++) {
        O->slip[l] = O->speed[l] = 0;
        for (PetscInt i = 0; i < d; i++) {
            PetscReal rate = c->own_rate[l * d + i];
            for (PetscInt j = 0; j < X->movers; j++) {
                rate += c->G[(l * d + i) * X->movers + j] * v[j];
            }
            O->speed[l] = i == 0 ? PetscMax(-rate, 0) : O->speed[l];
            O->slip[l] = i > 0 ? hypot(O->slip[l], rate) : 0;
        }
        O->sliding[l] = O->sticking[l] = O->kinetic[l] = O->mu[l];
    }
    (void)PetscArraycpy(O->now, O->e, n * d);
    X->motion->space->model->mechanism->own(X->motion->space->p, O->slip, O->push, O->speed, O->now, O->sliding,
                                            O->sticking, O->kinetic);
    for (PetscInt j = 0; j < n * d; j++) {
        const PetscInt l = j / d;
        CaromRowsLaw(X, first + j, O->now[j], O->slip[l] > X->tolerance[CAROM_TOL_TS] ? O->sliding[l] : O->sticking[l]);
    }
}

PetscBool CaromOwnBreaks(CaromExecutor *X, PetscInt k, const PetscReal *r)
{
    const CaromOwn O = X->own_law;
    const PetscInt d = X->d;
    const PetscReal mu = X->rows[CAROM_ROWS_MU][k * d];
    PetscReal tangent = 0;
    if (O == NULL || !(O->kinetic[k - X->K + X->own_rows] < mu)) {
        return PETSC_FALSE;
    }
    for (PetscInt i = 1; i < d; i++) {
        tangent = hypot(tangent, r[i]);
    }
    if (!(r[0] > 0) || tangent < (1 - 1e-9) * mu * r[0]) {
        return PETSC_FALSE;
    }
    for (PetscInt i = 0; i < d; i++) {
        X->rows[CAROM_ROWS_MU][k * d + i] = O->kinetic[k - X->K + X->own_rows];
    }
    return PETSC_TRUE;
}

void CaromOwnEnd(CaromExecutor *X, const PetscReal *impulse)
{
    for (PetscInt l = 0; l < X->own_rows && X->own_law != NULL; l++) {
        X->own_law->push[l] = impulse[(X->K - X->own_rows + l) * X->d] / X->h;
    }
}
