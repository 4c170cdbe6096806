/* Stresses at nodes: the mean of those of the cells around a node, each weighted by the part of its mass that is
 * the node's; of the mean von Mises' stress and the principal stresses. */
#include "cells.h"

enum { MOST = 3 * CAROM_CELL_NODES, SUMS = 7 }; /* xx, yy, zz, yz, xz, xy (carom/large.h) and the weight */

static PetscReal mises(const PetscReal s[6])
{
    const PetscReal a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return PetscSqrtReal((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* The largest first: the mean stress, and what deviates from it by the angle of its third invariant. */
static void principal(const PetscReal s[6], PetscReal out[3])
{
    const PetscReal mean = (s[0] + s[1] + s[2]) / 3, radius = 2 * mises(s) / 3;
    const PetscReal x = s[0] - mean, y = s[1] - mean, z = s[2] - mean;
    const PetscReal det = x * (y * z - s[3] * s[3]) - s[5] * (s[5] * z - s[3] * s[4]) + s[4] * (s[5] * s[3] - y * s[4]);
    const PetscReal half = radius / 2;
    const PetscReal cosine = radius > 0 ? PetscMax(-1, PetscMin(1, det / (2 * half * half * half))) : 1;
    const PetscReal angle = PetscAcosReal(cosine) / 3, turn = 2 * PETSC_PI / 3;
    out[0] = mean + radius * PetscCosReal(angle);
    out[2] = mean + radius * PetscCosReal(angle + turn);
    out[1] = 3 * mean - out[0] - out[2];
}

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
        equivalent[i] = mises(s);
        principal(s, three + 3 * i);
    }
    for (PetscInt k = 0; k < vectors; k++) {
        PetscCall(CaromSpaceRestore(v[k], &sum[k]));
        PetscCall(VecDestroy(&v[k]));
    }
    PetscFunctionReturn(0);
}
