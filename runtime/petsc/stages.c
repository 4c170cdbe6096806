/* D- of degree M >= 2 with lumped mass, by the same coefficients as small models (gen/scheme/dg.lua):
 *
 *     V_l = v + h sum A_lk a_k,   Q_l = u + h c_l v + h^2 sum B_lk a_k,
 *     M a_l = F - f(Q_l) - C V_l + R^T r_l on the pressing nodes
 *     v_f = v + h sum b_k a_k,    then the impulses at the end of the step as for M = 1.
 *
 * Stages 0 and M are explicit; those between are coupled, and settle by repetition, as h times the highest frequency is
 * of order 1. The direction of friction follows the first repeats; then it is held, as sliding may come to its end
 * within the step. */
#include "explicit.h"

enum { REPEATS = 200, TURNS = 12 }; /* repeats in all, and with the direction of sliding as it comes */

/* The matrix I + z^2 B of the oscillator u'' = -(z/h)^2 u and what it makes of (u, h v): the trace of one step. */
static PetscReal trace_of_step(const carom_scheme *scheme, PetscReal z)
{
    const int n = scheme->M + 1;
    PetscReal m[9][11], trace = 2;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            m[i][j] = z * z * scheme->B[i * n + j] + (i == j ? 1 : 0);
        }
        m[i][n] = -z * z;
        m[i][n + 1] = -z * z * scheme->c[i];
    }
    for (int i = 0; i < n; i++) { /* near the identity: no pivoting */
        for (int k = 0; k < n; k++) {
            const PetscReal factor = k == i ? 0 : m[k][i] / m[i][i];
            for (int j = i; j < n + 2 && k != i; j++) {
                m[k][j] -= factor * m[i][j];
            }
        }
    }
    for (int k = 0; k < n; k++) {
        trace += (scheme->B[(n - 1) * n + k] * m[k][n] + scheme->b[k] * m[k][n + 1]) / m[k][k];
    }
    return trace;
}

/* h times the highest frequency up to which steps neither grow nor fail to settle. The schemes are symmetric in time,
 * so the eigenvalues of a step are on the unit circle while its trace is within [-2, 2]. */
static PetscReal largest_phase(const carom_scheme *scheme)
{
    const int n = scheme->M + 1;
    PetscReal rows = 0, z = 0.01;
    for (int l = 1; l < n - 1; l++) {
        PetscReal sum = 0;
        for (int k = 1; k < n - 1; k++) {
            sum += PetscAbsReal(scheme->B[l * n + k]);
        }
        rows = PetscMax(rows, sum);
    }
    const PetscReal most = PetscSqrtReal(0.8 / rows);
    while (z < most && PetscAbsReal(trace_of_step(scheme, z)) <= 2 + 1e-9) {
        z += 0.01;
    }
    return z - 0.01;
}

PetscErrorCode CaromStagesCreate(CaromMotion *motion, CaromExplicit *e)
{
    const carom_scheme *scheme = &motion->space->model->scheme;
    PetscFunctionBeginUser;
    e->stages = scheme->M + 1;
    PetscCall(VecDuplicateVecs(e->f, e->stages, &e->a));
    PetscCall(VecDuplicate(e->f, &e->Q));
    PetscCall(VecDuplicate(e->f, &e->V));
    const PetscInt rows = e->stages * motion->obstacles->n * motion->obstacles->d;
    PetscCall(PetscCalloc2(rows, &e->r, rows, &e->slides));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromStagesDestroy(CaromExplicit *e)
{
    PetscFunctionBeginUser;
    if (e->a != NULL) {
        PetscCall(VecDestroyVecs(e->stages, &e->a));
        PetscCall(VecDestroy(&e->Q));
        PetscCall(VecDestroy(&e->V));
        PetscCall(PetscFree2(e->r, e->slides));
    }
    PetscFunctionReturn(0);
}

/* The bound of M = 1 is 2 by frequency; with damping it is left as it is. */
PetscReal CaromStagesLimit(const CaromMotion *motion, PetscReal limit, PetscBool damped)
{
    return limit * (damped ? 1 : 0.5 * largest_phase(&motion->space->model->scheme));
}

/* Acceleration of stage l into e->work, its contact forces into r; e->f is used. */
static PetscErrorCode stage(CaromMotion *motion, CaromExplicit *e, PetscInt l, PetscReal h, CaromTrouble *trouble)
{
    const carom_scheme *scheme = &motion->space->model->scheme;
    const PetscInt n = scheme->M + 1;
    const PetscReal t = motion->t + scheme->c[l] * h;
    PetscReal *u, *v, *f, *r = e->r + l * motion->obstacles->n * motion->obstacles->d;
    PetscFunctionBeginUser;
    e->slide = e->slides + (r - e->r);
    PetscCall(VecCopy(motion->v, e->V));
    PetscCall(VecWAXPY(e->Q, h * scheme->c[l], motion->v, motion->u));
    for (PetscInt k = 0; k < n; k++) {
        if (scheme->A[l * n + k] != 0) {
            PetscCall(VecAXPY(e->V, h * scheme->A[l * n + k], e->a[k]));
        }
        if (scheme->B[l * n + k] != 0) {
            PetscCall(VecAXPY(e->Q, h * h * scheme->B[l * n + k], e->a[k]));
        }
    }
    PetscCall(CaromSpacePrescribe(motion->space, t, e->Q, e->V));
    /* f(u) is at hand from the last step */
    PetscCall(CaromExplicitForces(motion, e, t, l == 0 ? NULL : e->Q, e->V, trouble));
    PetscCall(VecGetArray(e->Q, &u));
    PetscCall(VecGetArray(e->V, &v));
    PetscCall(VecGetArray(e->f, &f));
    CaromExplicitPress(motion, e, t, h, u, v, f, r);
    CaromExplicitTake(motion->obstacles, v, e->v0);
    PetscCall(VecRestoreArray(e->Q, &u));
    PetscCall(VecRestoreArray(e->V, &v));
    PetscCall(VecRestoreArray(e->f, &f));
    if (motion->obstacles->ties != NULL) {
        PetscCall(CaromTiesGather(motion->obstacles->ties, e->V, e->master_v));
        PetscCall(CaromExplicitPairsPress(motion, e, e->f, r, 1, PETSC_FALSE, e->f, trouble));
    }
    PetscCall(VecPointwiseMult(e->work, e->f, e->inverse));
    PetscFunctionReturn(0);
}

/* Stages 1 .. M - 1 until their accelerations are stationary. */
static PetscErrorCode couple_stages(CaromMotion *motion, CaromExplicit *e, PetscReal h, CaromTrouble *trouble)
{
    const carom_scheme *scheme = &motion->space->model->scheme;
    const PetscInt M = scheme->M;
    const PetscReal settled = scheme->tol > 0 ? scheme->tol : 1e-13;
    const PetscInt repeats = scheme->iterations > 0 ? scheme->iterations : REPEATS;
    PetscReal change = 1;
    PetscInt it = 0;
    PetscFunctionBeginUser;
    for (PetscInt l = 1; l < M; l++) {
        PetscCall(VecCopy(e->a[0], e->a[l]));
    }
    for (; it < repeats && change > settled && trouble->code == 0; it++) {
        PetscReal moved = 0, largest = 0, norm;
        e->hold = (PetscBool)(it >= TURNS);
        for (PetscInt l = 1; l < M; l++) {
            PetscCall(stage(motion, e, l, h, trouble));
            PetscCall(VecNorm(e->work, NORM_2, &norm));
            largest = PetscMax(largest, norm);
            PetscCall(VecAXPY(e->a[l], -1, e->work));
            PetscCall(VecNorm(e->a[l], NORM_2, &norm));
            moved = PetscMax(moved, norm);
            PetscCall(VecCopy(e->work, e->a[l]));
        }
        change = moved > 0 ? moved / largest : 0;
        PetscCall(CaromAgree(motion->space->mesh.comm, trouble));
    }
    e->hold = PETSC_FALSE;
    motion->info.outer = it;
    if (change > PetscMax(1e-9, settled)) {
        CaromSay(trouble, 1,
                 "the stages of %s did not settle: accelerations still changed by %.3g of themselves after %d repeats; "
                 "try a smaller step",
                 motion->space->model->scheme.text, change, (int)it);
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromStagesStep(CaromMotion *motion, CaromExplicit *e, PetscReal h, PetscInt *count,
                               CaromTrouble *trouble)
{
    const carom_scheme *scheme = &motion->space->model->scheme;
    CaromObstacles *o = motion->obstacles;
    const PetscInt M = scheme->M, rows = o->n * o->d;
    PetscReal *u, *v;
    PetscFunctionBeginUser;
    PetscCall(CaromExplicitPairsStart(motion, e));
    PetscCall(VecGetArray(motion->u, &u));
    PetscCall(VecGetArray(motion->v, &v));
    CaromExplicitFindPressing(motion, e, u, v);
    CaromExplicitTake(o, u, e->u0);
    PetscCall(VecRestoreArray(motion->u, &u));
    PetscCall(VecRestoreArray(motion->v, &v));
    PetscCall(stage(motion, e, 0, h, trouble));
    PetscCall(VecCopy(e->work, e->a[0]));
    PetscCall(couple_stages(motion, e, h, trouble));
    PetscCall(stage(motion, e, M, h, trouble));
    PetscCall(VecCopy(e->work, e->a[M]));
    PetscCall(VecCopy(e->Q, motion->u));
    for (PetscInt k = 0; k <= M; k++) {
        PetscCall(VecAXPY(motion->v, h * scheme->b[k], e->a[k]));
    }
    PetscCall(CaromSpacePrescribe(motion->space, motion->t + h, NULL, motion->v));
    PetscCall(PetscArrayzero(e->carried, rows));
    for (PetscInt i = 0; i < rows * (M + 1); i++) {
        e->carried[i % rows] += h * scheme->b[i / rows] * e->r[i];
    }
    PetscCall(PetscArraycpy(e->r1, e->r + M * rows, rows));
    PetscCall(CaromExplicitEnd(motion, e, h, count, trouble));
    PetscCall(CaromAgree(motion->space->mesh.comm, trouble));
    PetscFunctionReturn(0);
}
