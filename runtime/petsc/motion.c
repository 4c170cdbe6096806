/* The moving state: vectors and momentum. */
#include "motion.h"

PetscErrorCode CaromMotionSum(const CaromMotion *motion, Vec f, PetscReal *sum)
{
    const PetscInt d = motion->space->d;
    PetscReal mine[3] = {0, 0, 0};
    const PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(f, &x));
    for (PetscInt i = 0; i < motion->space->mesh.owned; i++) {
        for (PetscInt c = 0; c < d; c++) {
            mine[c] += x[i * d + c];
        }
    }
    PetscCall(VecRestoreArrayRead(f, &x));
    PetscCallMPI(MPI_Allreduce(mine, sum, 3, MPIU_REAL, MPIU_SUM, motion->space->mesh.comm));
    PetscFunctionReturn(0);
}

void CaromMotionActed(CaromMotion *motion, const PetscReal *impulse)
{
    for (PetscInt c = 0; c < motion->space->d; c++) {
        motion->impulse[c] += impulse[c];
        motion->acted += PetscAbsReal(impulse[c]);
    }
}

PetscErrorCode CaromMotionHeld(CaromMotion *motion, PetscReal factor, Vec weight, Vec f)
{
    const CaromSpace *space = motion->space;
    const PetscReal *x, *w = NULL;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(f, &x));
    if (weight != NULL) {
        PetscCall(VecGetArrayRead(weight, &w));
    }
    for (PetscInt i = 0; i < space->fixed; i++) {
        for (PetscInt c = 0; c < space->d; c++) {
            if (space->fixed_mask[i] >> c & 1) {
                const PetscInt at = space->fixed_node[i] * space->d + c;
                motion->reaction[3 * i + c] += factor * (w != NULL ? w[at] * x[at] : x[at]);
            }
        }
    }
    if (weight != NULL) {
        PetscCall(VecRestoreArrayRead(weight, &w));
    }
    PetscCall(VecRestoreArrayRead(f, &x));
    PetscFunctionReturn(0);
}

int CaromSupport(const carom_large *model, int fix)
{
    for (int f = 0; f < fix; f++) {
        if (model->fix[f].body == model->fix[fix].body &&
            strcmp(model->fix[f].boundary, model->fix[fix].boundary) == 0) {
            return f;
        }
    }
    return fix;
}

PetscErrorCode CaromMotionReactions(const CaromMotion *motion, PetscReal h, PetscReal *force)
{
    const carom_large *model = motion->space->model;
    PetscReal *mine;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(3 * model->fixes, &mine));
    for (PetscInt i = 0; i < motion->space->fixed; i++) {
        for (int c = 0; c < 3; c++) {
            mine[3 * CaromSupport(model, (int)motion->space->fixed_by[i]) + c] += motion->reaction[3 * i + c] / h;
        }
    }
    PetscCallMPI(MPI_Allreduce(mine, force, 3 * model->fixes, MPIU_REAL, MPIU_SUM, motion->space->mesh.comm));
    PetscCall(PetscFree(mine));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromMotionMomentum(const CaromMotion *motion, PetscReal *momentum)
{
    Vec work;
    PetscFunctionBeginUser;
    PetscCall(VecDuplicate(motion->v, &work));
    PetscCall(VecPointwiseMult(work, motion->mass, motion->v));
    PetscCall(CaromMotionSum(motion, work, momentum));
    PetscCall(VecDestroy(&work));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromMotionBalance(const CaromMotion *motion, PetscReal *imbalance, PetscBool *broken)
{
    PetscReal now[3], left = 0, scale = 0, gross;
    Vec work;
    PetscFunctionBeginUser;
    PetscCall(CaromMotionMomentum(motion, now));
    for (PetscInt c = 0; c < motion->space->d; c++) {
        left += PetscSqr(now[c] - motion->momentum[c] - motion->impulse[c]);
        scale += PetscSqr(now[c]) + PetscSqr(motion->momentum[c]);
    }
    left = PetscSqrtReal(left);
    scale = PetscMax(motion->acted, PetscSqrtReal(scale));
    PetscCall(VecDuplicate(motion->v, &work));
    PetscCall(VecPointwiseMult(work, motion->mass, motion->v));
    /* of a body that only vibrates the momentum is a sum of rounding errors */
    PetscCall(VecNorm(work, NORM_1, &gross));
    PetscCall(VecDestroy(&work));
    *imbalance = left > 0 ? left / PetscMax(scale, PETSC_MIN_REAL) : 0;
    *broken = (PetscBool)(!motion->unbalanced && !(left <= 1e-4 * scale + 1e-9 * gross + motion->slack));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromMotionCreate(CaromSpace *space, CaromObstacles *obstacles, CaromMotion *motion)
{
    PetscBool damped = PETSC_FALSE;
    PetscFunctionBeginUser;
    *motion =
        (CaromMotion){.space = space, .obstacles = obstacles, .deepest = {.contact = -1}, .wanted = PETSC_MAX_REAL};
    PetscCall(CaromSpaceVector(space, &motion->u));
    PetscCall(CaromSpaceVector(space, &motion->v));
    PetscCall(CaromSpaceVector(space, &motion->mass));
    PetscCall(PetscCalloc1(3 * space->fixed, &motion->reaction));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        damped = (PetscBool)(damped || space->alpha[b] != 0);
    }
    if (damped) {
        PetscCall(CaromSpaceVector(space, &motion->drag));
    }
    PetscCall(CaromCellsLumped(space, motion->mass, motion->drag));
    PetscCall(CaromSpaceStart(space, motion->u, motion->v));
    PetscCall(CaromMotionMomentum(motion, motion->momentum));
    PetscCall(PetscOptionsHasName(NULL, NULL, "-carom_contact_accept", &motion->accept));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromMotionDestroy(CaromMotion *motion)
{
    PetscFunctionBeginUser;
    PetscCall(VecDestroy(&motion->u));
    PetscCall(VecDestroy(&motion->v));
    PetscCall(VecDestroy(&motion->mass));
    PetscCall(VecDestroy(&motion->drag));
    PetscCall(VecDestroy(&motion->between_u));
    PetscCall(VecDestroy(&motion->between_v));
    PetscCall(PetscFree(motion->memory));
    PetscCall(PetscFree(motion->reaction));
    PetscFunctionReturn(0);
}
