/* Velocities relative to master faces. */
#include "ties.h"

PetscErrorCode CaromTiesSet(CaromTies *ties, MPI_Comm comm, PetscInt owned, PetscInt d, const PetscReal *held)
{
    const PetscInt n = ties->n;
    PetscInt begin;
    PetscFunctionBegin;
    ties->d = d;
    PetscCall(PetscCalloc1(n, &ties->on));
    PetscCall(MPIU_Allreduce(&ties->n, &ties->all, 1, MPIU_INT, MPI_SUM, comm));
    PetscCall(MatCreateAIJ(comm, n * d, owned * d, PETSC_DETERMINE, PETSC_DETERMINE, 4, NULL, 4, NULL, &ties->C));
    PetscCall(MatSetOption(ties->C, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatGetOwnershipRange(ties->C, &begin, NULL));
    for (PetscInt t = 0; t < n; t++) {
        for (PetscInt e = ties->first[t]; e < ties->first[t + 1]; e++) {
            for (PetscInt c = 0; c < d; c++) {
                if (held[t * d + c] == 0) {
                    PetscCall(MatSetValue(ties->C, begin + t * d + c, ties->master[e] * d + c, ties->weight[e],
                                          INSERT_VALUES));
                }
            }
        }
    }
    PetscCall(MatAssemblyBegin(ties->C, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(ties->C, MAT_FINAL_ASSEMBLY));
    PetscCall(MatCreateVecs(ties->C, NULL, &ties->gathered));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiesDestroy(CaromTies *ties)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(ties->node));
    PetscCall(PetscFree(ties->first));
    PetscCall(PetscFree2(ties->master, ties->weight));
    PetscCall(PetscFree3(ties->normal, ties->apart, ties->edge));
    PetscCall(PetscFree(ties->alone));
    PetscCall(PetscFree(ties->on));
    PetscCall(MatDestroy(&ties->C));
    PetscCall(VecDestroy(&ties->gathered));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiesSwitch(CaromTies *ties)
{
    PetscInt on = 0, everywhere;
    PetscFunctionBegin;
    for (PetscInt t = 0; t < ties->n; t++) {
        on += ties->on[t] ? 1 : 0;
    }
    PetscCall(MPIU_Allreduce(&on, &everywhere, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)ties->C)));
    ties->any = (PetscBool)(everywhere > 0);
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiesGather(CaromTies *ties, Vec v, PetscReal *out)
{
    const PetscReal *g;
    PetscFunctionBegin;
    PetscCall(MatMult(ties->C, v, ties->gathered));
    PetscCall(VecGetArrayRead(ties->gathered, &g));
    PetscCall(PetscArraycpy(out, g, ties->n * ties->d));
    PetscCall(VecRestoreArrayRead(ties->gathered, &g));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiesApply(CaromTies *ties, PetscReal sign, Vec v)
{
    const PetscInt d = ties->d;
    const PetscReal *g;
    PetscReal *a;
    PetscFunctionBegin;
    if (!ties->any) {
        PetscFunctionReturn(0);
    }
    PetscCall(MatMult(ties->C, v, ties->gathered));
    PetscCall(VecGetArrayRead(ties->gathered, &g));
    PetscCall(VecGetArray(v, &a));
    for (PetscInt t = 0; t < ties->n; t++) {
        for (PetscInt c = 0; c < d && ties->on[t]; c++) {
            a[ties->node[t] * d + c] += sign * g[t * d + c];
        }
    }
    PetscCall(VecRestoreArray(v, &a));
    PetscCall(VecRestoreArrayRead(ties->gathered, &g));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiesTranspose(CaromTies *ties, PetscReal sign, Vec y)
{
    const PetscInt d = ties->d;
    const PetscReal *a;
    PetscReal *g;
    PetscFunctionBegin;
    if (!ties->any) {
        PetscFunctionReturn(0);
    }
    PetscCall(VecGetArrayRead(y, &a));
    PetscCall(VecGetArray(ties->gathered, &g));
    for (PetscInt t = 0; t < ties->n; t++) {
        for (PetscInt c = 0; c < d; c++) {
            g[t * d + c] = ties->on[t] ? sign * a[ties->node[t] * d + c] : 0;
        }
    }
    PetscCall(VecRestoreArray(ties->gathered, &g));
    PetscCall(VecRestoreArrayRead(y, &a));
    PetscCall(MatMultTransposeAdd(ties->C, ties->gathered, y, y));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiesSpread(CaromTies *ties, PetscReal factor, const PetscReal *force, Vec f)
{
    PetscReal *g;
    PetscFunctionBegin;
    PetscCall(VecGetArray(ties->gathered, &g));
    for (PetscInt i = 0; i < ties->n * ties->d; i++) {
        g[i] = factor * force[i];
    }
    PetscCall(VecRestoreArray(ties->gathered, &g));
    PetscCall(MatMultTransposeAdd(ties->C, ties->gathered, f, f));
    PetscFunctionReturn(0);
}
