/* Assembly and steps of the elastic block; see the header. Nodes are numbered with the vertical direction fastest, so that ranks
 * share the bottom. */
#include "elastic_block.h"

#define YOUNG 210e9
#define POISSON 0.3
#define DENSITY 7800.0
#define ACTIVATION 1e-9 /* ties: a gap of rounding size counts as closed, relative to h */

/* ---- one cell ------------------------------------------------------------------------------------------------------------ */

static PetscReal invert(PetscInt d, PetscReal J[3][3], PetscReal inverse[3][3])
{
    if (d == 1) {
        inverse[0][0] = 1.0 / J[0][0];
        return J[0][0];
    }
    if (d == 2) {
        const PetscReal det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        inverse[0][0] = J[1][1] / det;
        inverse[1][1] = J[0][0] / det;
        inverse[0][1] = -J[0][1] / det;
        inverse[1][0] = -J[1][0] / det;
        return det;
    }
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            inverse[j][i] = J[i1][j1] * J[i2][j2] - J[i1][j2] * J[i2][j1];
        }
    }
    const PetscReal det = J[0][0] * inverse[0][0] + J[0][1] * inverse[1][0] + J[0][2] * inverse[2][0];
    for (int i = 0; i < 9; ++i) {
        inverse[i / 3][i % 3] /= det;
    }
    return det;
}

/* Shape functions and their derivatives at a point of the reference cell. */
static PetscInt shapes(const BlockOptions *o, const PetscReal *xi, PetscReal *N, PetscReal dN[8][3])
{
    if (o->tets) {
        const PetscReal value[4] = {1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
        for (int a = 0; a < 4; ++a) {
            N[a] = value[a];
            for (int i = 0; i < 3; ++i) {
                dN[a][i] = a == 0 ? -1.0 : a - 1 == i ? 1.0 : 0.0;
            }
        }
        return 4;
    }
    for (PetscInt a = 0; a < 1 << o->d; ++a) {
        N[a] = 1.0;
        for (PetscInt i = 0; i < o->d; ++i) {
            N[a] *= (a >> i & 1) ? xi[i] : 1.0 - xi[i];
            dN[a][i] = 1.0;
            for (PetscInt j = 0; j < o->d; ++j) {
                dN[a][i] *= (j == i) ? ((a >> j & 1) ? 1.0 : -1.0) : (a >> j & 1) ? xi[j] : 1.0 - xi[j];
            }
        }
    }
    return 1 << o->d;
}

/* The quadrature point number q; returns its weight, 0 after the last. */
static PetscReal quadrature(const BlockOptions *o, PetscInt q, PetscReal *xi)
{
    static const PetscReal far = 0.5854101966249685, near = 0.1381966011250105;
    const PetscReal half = 0.5 / PetscSqrtReal(3.0);
    if (q >= (o->tets ? 4 : 1 << o->d)) {
        return 0.0;
    }
    for (PetscInt i = 0; i < o->d; ++i) {
        xi[i] = o->tets ? (q == i ? far : near) : 0.5 + ((q >> i & 1) ? half : -half);
    }
    return o->tets ? 1.0 / 24.0 : 1.0 / (PetscReal)(1 << o->d);
}

static PetscInt cell_matrices(const BlockOptions *o, const PetscReal *X, PetscReal *mass, PetscReal *K)
{
    const PetscInt d = o->d;
    const PetscReal shear = YOUNG / (2.0 * (1.0 + POISSON)), lame = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    PetscReal xi[3], weight;
    PetscInt count = 0;
    for (PetscInt q = 0; (weight = quadrature(o, q, xi)) > 0.0; ++q) {
        PetscReal N[8], dN[8][3], J[3][3] = {{0.0}}, inverse[3][3], grad[8][3] = {{0.0}};
        count = shapes(o, xi, N, dN);
        for (PetscInt a = 0; a < count; ++a) {
            for (PetscInt i = 0; i < d * d; ++i) {
                J[i / d][i % d] += dN[a][i / d] * X[a * d + i % d];
            }
        }
        weight *= PetscAbsReal(invert(d, J, inverse));
        for (PetscInt a = 0; a < count; ++a) {
            for (PetscInt i = 0; i < d * d; ++i) {
                grad[a][i / d] += inverse[i / d][i % d] * dN[a][i % d];
            }
        }
        for (PetscInt a = 0; a < count; ++a) {
            for (PetscInt b = 0; b < count; ++b) {
                PetscReal dot = 0.0;
                for (PetscInt i = 0; i < d; ++i) {
                    dot += grad[a][i] * grad[b][i];
                }
                mass[a * count + b] = (q == 0 ? 0.0 : mass[a * count + b]) + weight * DENSITY * N[a] * N[b];
                for (PetscInt i = 0; i < d; ++i) {
                    for (PetscInt j = 0; j < d; ++j) {
                        PetscReal *k = K + (a * d + i) * count * d + b * d + j;
                        *k = (q == 0 ? 0.0 : *k) +
                             weight * (lame * grad[a][i] * grad[b][j] + shear * (grad[a][j] * grad[b][i] + (i == j ? dot : 0.0)));
                    }
                }
            }
        }
    }
    return count;
}

/* ---- the grid -------------------------------------------------------------------------------------------------------------- */

/* Place of a node, not turned: the last direction is vertical and fastest. */
static void place(const BlockOptions *o, PetscInt node, PetscReal *X)
{
    for (PetscInt i = o->d - 1; i >= 0; --i) {
        X[i] = (PetscReal)(node % o->edge) / (PetscReal)(o->edge - 1);
        node /= o->edge;
    }
    if (o->tets) {
        X[o->d - 1] *= 0.55 + 0.45 * X[o->d - 1];
    }
}

static void turned(const BlockOptions *o, const PetscReal *x, PetscReal *out)
{
    for (PetscInt i = 0; i < o->d; ++i) {
        out[i] = o->turn == NULL ? x[i] : 0.0;
        for (PetscInt j = 0; j < o->d && o->turn != NULL; ++j) {
            out[i] += o->turn[i * o->d + j] * x[j];
        }
    }
}

/* Adds the cells that begin at cube number `cell`. */
static PetscErrorCode add_cube(Block *B, PetscInt cell)
{
    static const PetscInt cut[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    const BlockOptions *o = &B->o;
    const PetscInt d = o->d, pieces = o->tets ? 6 : 1, corners = o->tets ? 4 : 1 << d;
    PetscInt stride[3], base = 0, corner[8];
    PetscFunctionBegin;
    for (PetscInt i = d - 1, step = 1; i >= 0; --i) {
        stride[i] = step;
        base += cell % (o->edge - 1) * step;
        cell /= o->edge - 1;
        step *= o->edge;
    }
    for (PetscInt a = 0; a < 1 << d; ++a) {
        corner[a] = base;
        for (PetscInt i = 0; i < d; ++i) {
            corner[a] += (a >> i & 1) ? stride[i] : 0;
        }
    }
    if (base < B->first || base >= B->first + B->nodes) {
        PetscFunctionReturn(0);
    }
    for (PetscInt piece = 0; piece < pieces; ++piece) {
        PetscReal X[24], flat[3], mass[64], K[576], A[576];
        PetscInt nodes[8];
        for (PetscInt a = 0; a < corners; ++a) {
            nodes[a] = corner[o->tets ? cut[piece][a] : a];
            place(o, nodes[a], flat);
            turned(o, flat, X + a * d);
        }
        cell_matrices(o, X, mass, K);
        PetscReal down[3] = {0.0, 0.0, 0.0}, force[3];
        down[d - 1] = -o->weight;
        turned(o, down, force);
        for (PetscInt i = 0; i < corners * d; ++i) {
            for (PetscInt j = 0; j < corners * d; ++j) {
                A[i * corners * d + j] = 0.25 * B->h * B->h * K[i * corners * d + j] +
                                         (i % d == j % d ? mass[i / d * corners + j / d] : 0.0);
                PetscCall(VecSetValue(B->load, nodes[i / d] * d + i % d,
                                      i % d == j % d ? force[i % d] * mass[i / d * corners + j / d] : 0.0, ADD_VALUES));
            }
        }
        PetscCall(MatSetValuesBlocked(B->A, corners, nodes, corners, nodes, A, ADD_VALUES));
        PetscCall(MatSetValuesBlocked(B->K, corners, nodes, corners, nodes, K, ADD_VALUES));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode make_matrix(const Block *B, Mat *out)
{
    const PetscInt d = B->o.d, near = d == 1 ? 3 : d == 2 ? 9 : 27, upper = near / 2 + 1;
    PetscFunctionBegin;
    PetscCall(MatCreate(B->comm, out));
    PetscCall(MatSetSizes(*out, B->nodes * d, B->nodes * d, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetBlockSize(*out, d));
    PetscCall(MatSetType(*out, B->o.matrix));
    PetscCall(MatSeqSBAIJSetPreallocation(*out, d, upper, NULL));
    PetscCall(MatMPISBAIJSetPreallocation(*out, d, upper, NULL, upper, NULL));
    PetscCall(MatSeqBAIJSetPreallocation(*out, d, near, NULL));
    PetscCall(MatMPIBAIJSetPreallocation(*out, d, near, NULL, near, NULL));
    PetscCall(MatSeqAIJSetPreallocation(*out, near * d, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*out, near * d, NULL, near * d, NULL));
    PetscCall(MatSetOption(*out, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscBool symmetric;
    PetscCall(PetscStrcmp(B->o.matrix, MATSBAIJ, &symmetric));
    if (symmetric) {
        PetscCall(MatSetOption(*out, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
    }
    PetscFunctionReturn(0);
}

/* ---- contact ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode set_contact(Block *B)
{
    const BlockOptions *o = &B->o;
    const PetscInt d = o->d;
    PetscFunctionBegin;
    for (PetscInt pass = 0; pass < 2; ++pass) {
        B->n = 0;
        for (PetscInt i = 0; i < B->nodes; ++i) {
            PetscReal X[3];
            place(o, B->first + i, X);
            if (X[d - 1] > 0.0) {
                continue;
            }
            if (pass == 1) {
                const PetscInt k = B->n;
                B->node[k] = i;
                B->mu[k] = o->mu;
                B->lo[k] = 0.0;
                B->gap[k] = 0.0;
                for (PetscInt j = 0; j + 1 < d; ++j) {
                    B->gap[k] += (X[j] - 0.5) * (X[j] - 0.5) / (2.0 * o->radius);
                    B->slip[k * (d - 1) + j] = j == 0 ? o->belt : 0.0;
                }
                for (PetscInt row = 0; row < d; ++row) { /* vertical, then the others */
                    PetscReal axis[3] = {0.0, 0.0, 0.0};
                    axis[row == 0 ? d - 1 : row - 1] = 1.0;
                    turned(o, axis, B->frame + (k * d + row) * d);
                }
            }
            ++B->n;
        }
        if (pass == 0) {
            const size_t n = (size_t)B->n, s = (size_t)d;
            PetscCall(PetscMalloc5(n, &B->node, n * s * s, &B->frame, n, &B->lo, n * s, &B->slip, n, &B->mu));
            PetscCall(PetscMalloc3(n, &B->gap, n * s, &B->lambda, n, &B->active));
        }
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode set_state(Block *B)
{
    const BlockOptions *o = &B->o;
    const PetscInt d = o->d;
    PetscReal velocity[3] = {0.0, 0.0, 0.0}, start[3];
    PetscFunctionBegin;
    velocity[0] = d > 1 ? o->slide : 0.0;
    velocity[d - 1] = -o->drop;
    turned(o, velocity, start);
    PetscCall(VecSet(B->u, 0.0));
    PetscCall(VecSet(B->mask, 1.0));
    for (PetscInt i = 0; i < B->nodes; ++i) {
        PetscReal X[3];
        place(o, B->first + i, X);
        for (PetscInt j = 0; j < d; ++j) {
            const PetscBool fixed = (PetscBool)(o->fix_side && j == 0 && X[0] == 0.0);
            PetscCall(VecSetValue(B->v, (B->first + i) * d + j, fixed ? 0.0 : start[j], INSERT_VALUES));
            if (fixed) {
                PetscCall(VecSetValue(B->mask, (B->first + i) * d + j, 0.0, INSERT_VALUES));
            }
        }
    }
    PetscCall(VecAssemblyBegin(B->v));
    PetscCall(VecAssemblyEnd(B->v));
    PetscCall(VecAssemblyBegin(B->mask));
    PetscCall(VecAssemblyEnd(B->mask));
    PetscFunctionReturn(0);
}

PetscErrorCode BlockCreate(MPI_Comm comm, const BlockOptions *options, Block *B)
{
    PetscInt total = 1, cells = 1, begin;
    PetscFunctionBegin;
    PetscCall(PetscMemzero(B, sizeof(*B)));
    B->o = *options;
    B->comm = comm;
    for (PetscInt i = 0; i < B->o.d; ++i) {
        total *= B->o.edge;
        cells *= B->o.edge - 1;
    }
    B->c_p = PetscSqrtReal(YOUNG * (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON) * DENSITY));
    B->h = B->o.cfl / ((PetscReal)(B->o.edge - 1) * B->c_p);
    B->nodes = PETSC_DECIDE;
    PetscCall(PetscSplitOwnership(comm, &B->nodes, &total));
    PetscCall(make_matrix(B, &B->A));
    PetscCall(make_matrix(B, &B->K));
    PetscCall(MatGetOwnershipRange(B->A, &begin, NULL));
    B->first = begin / B->o.d;
    PetscCall(MatCreateVecs(B->A, &B->u, &B->v));
    PetscCall(VecDuplicate(B->u, &B->b));
    PetscCall(VecDuplicate(B->u, &B->load));
    PetscCall(VecDuplicate(B->u, &B->mask));
    PetscCall(VecDuplicate(B->u, &B->work));
    PetscCall(VecSet(B->load, 0.0));
    for (PetscInt cell = 0; cell < cells; ++cell) {
        PetscCall(add_cube(B, cell));
    }
    PetscCall(MatAssemblyBegin(B->A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B->A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyBegin(B->K, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B->K, MAT_FINAL_ASSEMBLY));
    PetscCall(VecAssemblyBegin(B->load));
    PetscCall(VecAssemblyEnd(B->load));
    PetscCall(set_contact(B));
    PetscCall(set_state(B));
    PetscFunctionReturn(0);
}

PetscErrorCode BlockDestroy(Block *B)
{
    PetscFunctionBegin;
    PetscCall(MatDestroy(&B->A));
    PetscCall(MatDestroy(&B->K));
    PetscCall(VecDestroy(&B->u));
    PetscCall(VecDestroy(&B->v));
    PetscCall(VecDestroy(&B->b));
    PetscCall(VecDestroy(&B->load));
    PetscCall(VecDestroy(&B->mask));
    PetscCall(VecDestroy(&B->work));
    PetscCall(PetscFree5(B->node, B->frame, B->lo, B->slip, B->mu));
    PetscCall(PetscFree3(B->gap, B->lambda, B->active));
    PetscFunctionReturn(0);
}

/* b = A v - h K (u + h/2 v) + h load, which is M v - h K u - h^2/4 K v + h load */
PetscErrorCode BlockPrepare(Block *B, CaromContactSet *set)
{
    const PetscInt d = B->o.d;
    const PetscReal *u, *v;
    PetscInt here = 0;
    PetscFunctionBegin;
    PetscCall(VecWAXPY(B->work, 0.5 * B->h, B->v, B->u));
    PetscCall(MatMult(B->K, B->work, B->b));
    PetscCall(VecScale(B->b, -B->h));
    PetscCall(VecAXPY(B->b, B->h, B->load));
    PetscCall(MatMultAdd(B->A, B->v, B->b, B->b));
    PetscCall(VecGetArrayRead(B->u, &u));
    PetscCall(VecGetArrayRead(B->v, &v));
    for (PetscInt k = 0; k < B->n; ++k) {
        PetscReal gap = B->gap[k], rate = 0.0;
        for (PetscInt j = 0; j < d; ++j) {
            gap += B->frame[k * d * d + j] * u[B->node[k] * d + j];
            rate += B->frame[k * d * d + j] * v[B->node[k] * d + j];
        }
        B->lo[k] = rate < 0.0 ? -B->o.restitution * rate : 0.0;
        B->active[k] = (PetscBool)(gap <= ACTIVATION * B->h);
        here += B->active[k] ? 1 : 0;
    }
    PetscCall(VecRestoreArrayRead(B->u, &u));
    PetscCall(VecRestoreArrayRead(B->v, &v));
    PetscCall(MPIU_Allreduce(&here, &B->candidates, 1, MPIU_INT, MPI_SUM, B->comm));
    *set = (CaromContactSet){B->n, d, B->node, B->frame, B->lo, B->slip, B->mu, B->active, NULL};
    PetscFunctionReturn(0);
}

PetscErrorCode BlockAdvance(Block *B, Vec before)
{
    PetscFunctionBegin;
    PetscCall(VecAXPY(B->u, 0.5 * B->h, before));
    PetscCall(VecAXPY(B->u, 0.5 * B->h, B->v));
    PetscFunctionReturn(0);
}

PetscErrorCode BlockImpulse(const Block *B, PetscReal impulse[3])
{
    const PetscInt d = B->o.d;
    PetscFunctionBegin;
    impulse[0] = impulse[1] = impulse[2] = 0.0;
    for (PetscInt k = 0; k < B->n * d; ++k) { /* row 0 of a frame is vertical, row i the direction i - 1 */
        impulse[k % d == 0 ? d - 1 : k % d - 1] += B->lambda[k];
    }
    PetscCall(MPIU_Allreduce(MPI_IN_PLACE, impulse, 3, MPIU_REAL, MPIU_SUM, B->comm));
    PetscFunctionReturn(0);
}
