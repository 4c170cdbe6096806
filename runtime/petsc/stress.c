/* Stresses at nodes: the mean of those of the cells around a node, each weighted by the part of its mass that is
 * the node's; of the mean von Mises' stress and the principal stresses. */
#include "cells.h"

#include "../driver/stress.h"

enum { MOST = 3 * CAROM_CELL_NODES, SUMS = 7 }; /* xx, yy, zz, yz, xz, xy (carom/large.h) and the weight */

/* Adds what the cells of a body give to their nodes; sum[k / d] has component k. */
static PetscErrorCode add_body(const CaromSpace *space, PetscInt body, Vec u, PetscReal **sum)
{
    const CaromBodyMesh *mesh = &space->mesh.body[body];
    const PetscInt d = space->d;
    PetscReal *stress;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(6 * mesh->cells, &stress));
    PetscCall(CaromCellsStress(space, body, u, stress));
    for (PetscInt k = 0; k < mesh->cells; k++) {
        const PetscInt *const node = mesh->cell + k * mesh->nodes;
        PetscReal X[MOST], mass[CAROM_CELL_NODES];
        for (PetscInt i = 0; i < mesh->nodes * d; i++) {
            X[i] = space->mesh.X[node[i / d] * d + i % d];
        }
        space->model->body[body].lumped(space->p, X, mass);
        for (PetscInt i = 0; i < mesh->nodes; i++) {
            for (PetscInt c = 0; c < SUMS; c++) {
                sum[c / d][node[i] * d + c % d] += mass[i] * (c < 6 ? stress[6 * k + c] : 1);
            }
        }
    }
    PetscCall(PetscFree(stress));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromStressNodes(const CaromSpace *space, Vec u, PetscReal *equivalent, PetscReal *three)
{
    const PetscInt d = space->d, vectors = (SUMS + d - 1) / d, nodes = space->mesh.owned + space->mesh.ghosts;
    Vec v[SUMS];
    PetscReal *sum[SUMS];
    PetscFunctionBeginUser;
    for (PetscInt k = 0; k < vectors; k++) {
        PetscCall(CaromSpaceVector(space, &v[k]));
        PetscCall(CaromSpaceGet(v[k], &sum[k]));
    }
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        PetscCall(add_body(space, b, u, sum));
    }
    for (PetscInt k = 0; k < vectors; k++) {
        PetscCall(CaromSpaceRestore(v[k], &sum[k]));
        PetscCall(CaromSpaceCollect(v[k]));
        PetscCall(CaromSpaceUpdate(v[k]));
        PetscCall(CaromSpaceGet(v[k], &sum[k]));
    }
    for (PetscInt i = 0; i < nodes; i++) {
        const PetscReal weight = sum[6 / d][i * d + 6 % d];
        PetscReal s[6];
        for (PetscInt c = 0; c < 6; c++) {
            s[c] = weight > 0 ? sum[c / d][i * d + c % d] / weight : 0;
        }
        equivalent[i] = carom_stress_mises(s);
        carom_stress_principal(s, three + 3 * i);
    }
    for (PetscInt k = 0; k < vectors; k++) {
        PetscCall(CaromSpaceRestore(v[k], &sum[k]));
        PetscCall(VecDestroy(&v[k]));
    }
    PetscFunctionReturn(0);
}
