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
    *motion = (CaromMotion){.space = space, .obstacles = obstacles};
    PetscCall(CaromSpaceVector(space, &motion->u));
    PetscCall(CaromSpaceVector(space, &motion->v));
    PetscCall(CaromSpaceVector(space, &motion->mass));
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
    PetscCall(PetscFree(motion->memory));
    PetscFunctionReturn(0);
}
