/* Sums over cells by the model's kernels, eight cells at a time where a batched kernel is there. */
#include "cells.h"

#include "product.h"

enum { LANES = CAROM_LANES, MOST = 3 * CAROM_CELL_NODES };

static void gather(PetscInt d, PetscInt nodes, const PetscInt *cell, const PetscReal *x, PetscReal *local)
{
    for (PetscInt n = 0; n < nodes; n++) {
        for (PetscInt c = 0; c < d; c++) {
            local[n * d + c] = x != NULL ? x[cell[n] * d + c] : 0;
        }
    }
}

/* Places and displacements of the nodes of a cell. */
static void gather_cell(const CaromSpace *space, const CaromBodyMesh *mesh, PetscInt k, const PetscReal *u,
                        PetscReal *X, PetscReal *local)
{
    gather(space->d, mesh->nodes, mesh->cell + k * mesh->nodes, space->mesh.X, X);
    gather(space->d, mesh->nodes, mesh->cell + k * mesh->nodes, u, local);
}

void CaromCellInverted(const CaromSpace *space, PetscInt body, PetscInt cell, CaromTrouble *trouble)
{
    const CaromBodyMesh *mesh = &space->mesh.body[body];
    PetscReal centre[3] = {0, 0, 0};
    for (PetscInt n = 0; n < mesh->nodes; n++) {
        for (PetscInt c = 0; c < space->d; c++) {
            centre[c] += space->mesh.X[mesh->cell[cell * mesh->nodes + n] * space->d + c] / (PetscReal)mesh->nodes;
        }
    }
    CaromSay(trouble, 1,
             "body %s: cell %d at (%.6g, %.6g, %.6g) of the undeformed body is inverted; try a smaller step",
             space->model->body[body].name, (int)(mesh->first + cell + 1), centre[0], centre[1], centre[2]);
}

/* y += factor f(x) over all cells of a body, by batches; sizes that are known where it is called let the compiler
 * unroll. */
static inline __attribute__((always_inline)) void add_batches(PetscInt d, PetscInt nodes, const CaromSpace *space,
                                                              PetscInt b, PetscReal factor, const PetscReal *x,
                                                              PetscReal *y, CaromTrouble *trouble)
{
    const CaromBodyMesh *mesh = &space->mesh.body[b];
    const carom_body *kernels = &space->model->body[b];
    PetscReal X[MOST][LANES], u[MOST][LANES], f[MOST][LANES];
    for (PetscInt first = 0; first < mesh->cells; first += LANES) {
        const PetscInt lanes = PetscMin(mesh->cells - first, LANES);
        for (PetscInt l = 0; l < LANES; l++) { /* the last batch is filled up with its last cell */
            const PetscInt *cell = mesh->cell + (first + PetscMin(l, lanes - 1)) * nodes;
            for (PetscInt n = 0; n < nodes; n++) {
                for (PetscInt c = 0; c < d; c++) {
                    X[n * d + c][l] = space->mesh.X[cell[n] * d + c];
                    u[n * d + c][l] = x[cell[n] * d + c];
                }
            }
        }
        if (kernels->force_lanes(space->p, &X[0][0], &u[0][0], &f[0][0]) != 0) {
            for (PetscInt l = 0; l < lanes; l++) {
                PetscReal X1[MOST], u1[MOST], f1[MOST];
                gather(d, nodes, mesh->cell + (first + l) * nodes, space->mesh.X, X1);
                gather(d, nodes, mesh->cell + (first + l) * nodes, x, u1);
                if (kernels->force(space->p, X1, u1, f1) != 0) {
                    CaromCellInverted(space, b, first + l, trouble);
                }
            }
        }
        for (PetscInt l = 0; l < lanes; l++) {
            const PetscInt *cell = mesh->cell + (first + l) * nodes;
            for (PetscInt n = 0; n < nodes; n++) {
                for (PetscInt c = 0; c < d; c++) {
                    y[cell[n] * d + c] += factor * f[n * d + c][l];
                }
            }
        }
    }
}

static void add_forces(const CaromSpace *space, PetscInt b, PetscReal factor, const PetscReal *x, PetscReal *y,
                       CaromTrouble *trouble)
{
    switch (space->model->body[b].cell) {
    case CAROM_BAR2:
        add_batches(1, 2, space, b, factor, x, y, trouble);
        break;
    case CAROM_TRI3:
        add_batches(2, 3, space, b, factor, x, y, trouble);
        break;
    case CAROM_QUAD4:
        add_batches(2, 4, space, b, factor, x, y, trouble);
        break;
    case CAROM_TET4:
        add_batches(3, 4, space, b, factor, x, y, trouble);
        break;
    case CAROM_HEX8:
        add_batches(3, 8, space, b, factor, x, y, trouble);
        break;
    }
}

/* y += factor M v, cell by cell. */
static void add_masses(const CaromSpace *space, PetscInt b, PetscReal factor, const PetscReal *v, PetscReal *y)
{
    const CaromBodyMesh *mesh = &space->mesh.body[b];
    const PetscInt d = space->d, nodes = mesh->nodes;
    PetscReal X[MOST], m[CAROM_CELL_NODES * CAROM_CELL_NODES];
    for (PetscInt k = 0; k < mesh->cells; k++) {
        const PetscInt *cell = mesh->cell + k * nodes;
        gather(d, nodes, cell, space->mesh.X, X);
        CaromSpaceMass(space, b, X, m);
        for (PetscInt i = 0; i < nodes; i++) {
            for (PetscInt j = 0; j < nodes; j++) {
                for (PetscInt c = 0; c < d; c++) {
                    y[cell[i] * d + c] += factor * m[i * nodes + j] * v[cell[j] * d + c];
                }
            }
        }
    }
}

/* y += factor K0 v, cell by cell, for bodies whose forces are not linear. */
static void add_tangents(const CaromSpace *space, PetscInt b, PetscReal factor, const PetscReal *v, PetscReal *y)
{
    const CaromBodyMesh *mesh = &space->mesh.body[b];
    const PetscInt d = space->d, n = mesh->nodes * d;
    PetscReal K[MOST * MOST];
    for (PetscInt k = 0; k < mesh->cells; k++) {
        const PetscInt *cell = mesh->cell + k * mesh->nodes;
        (void)CaromCellMatrix(space, b, k, 0, 1, 0, NULL, K);
        for (PetscInt i = 0; i < n; i++) {
            for (PetscInt j = 0; j < n; j++) {
                y[cell[i / d] * d + i % d] += factor * K[i * n + j] * v[cell[j / d] * d + j % d];
            }
        }
    }
}

/* x = force u + stiffness v over all local nodes: of linear bodies both are one product. */
static PetscErrorCode combine(const CaromSpace *space, const CaromTerms *terms, const PetscReal *u, const PetscReal *v,
                              PetscReal **work, const PetscReal **x)
{
    const PetscInt n = (space->mesh.owned + space->mesh.ghosts) * space->d;
    PetscFunctionBeginUser;
    if (terms->stiffness == 0 && terms->force == 1) {
        *x = u;
    } else {
        if (*work == NULL) {
            PetscCall(PetscMalloc1(n, work));
        }
        for (PetscInt i = 0; i < n; i++) {
            (*work)[i] =
                (terms->force != 0 ? terms->force * u[i] : 0) + (terms->stiffness != 0 ? terms->stiffness * v[i] : 0);
        }
        *x = *work;
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCellsAdd(const CaromSpace *space, const CaromTerms *terms, Vec u, Vec v, Vec y,
                             CaromTrouble *trouble)
{
    const PetscInt d = space->d;
    PetscReal *pu = NULL, *pv = NULL, *py, *work = NULL;
    PetscFunctionBeginUser;
    if (u != NULL) {
        PetscCall(CaromSpaceUpdate(u));
        PetscCall(CaromSpaceGet(u, &pu));
    }
    if (v != NULL) {
        PetscCall(CaromSpaceUpdate(v));
        PetscCall(CaromSpaceGet(v, &pv));
    }
    PetscCall(CaromSpaceGet(y, &py));
    PetscCall(PetscArrayzero(py + space->mesh.owned * d, space->mesh.ghosts * d));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        const CaromBodyMesh *mesh = &space->mesh.body[b];
        const CaromTerms *t = &terms[b];
        const PetscBool stiff = (PetscBool)(t->force != 0 || t->stiffness != 0);
        const PetscReal *x = NULL;
        if (space->model->body[b].linear && stiff) {
            PetscCall(combine(space, t, pu, pv, &work, &x));
            if (space->product[b] != NULL) {
                CaromProductStiffness(space->product[b], mesh->cells, mesh->cell, x, py);
            } else {
                add_forces(space, b, 1, x, py, trouble);
            }
        } else if (stiff) {
            if (t->force != 0) {
                add_forces(space, b, t->force, pu, py, trouble);
            }
            if (t->stiffness != 0) {
                add_tangents(space, b, t->stiffness, pv, py);
            }
        }
        if (t->mass != 0 && space->product[b] != NULL) {
            CaromProductMass(space->product[b], t->mass, mesh->cells, mesh->cell, pv, py);
        } else if (t->mass != 0) {
            add_masses(space, b, t->mass, pv, py);
        }
    }
    PetscCall(PetscFree(work));
    if (u != NULL) {
        PetscCall(CaromSpaceRestore(u, &pu));
    }
    if (v != NULL) {
        PetscCall(CaromSpaceRestore(v, &pv));
    }
    PetscCall(CaromSpaceRestore(y, &py));
    PetscCall(CaromSpaceCollect(y));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCellsLumped(const CaromSpace *space, Vec mass, Vec drag)
{
    const PetscInt d = space->d;
    PetscReal *m, *g = NULL, X[MOST], part[CAROM_CELL_NODES];
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceGet(mass, &m));
    if (drag != NULL) {
        PetscCall(CaromSpaceGet(drag, &g));
    }
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        const CaromBodyMesh *mesh = &space->mesh.body[b];
        for (PetscInt k = 0; k < mesh->cells; k++) {
            const PetscInt *cell = mesh->cell + k * mesh->nodes;
            gather(d, mesh->nodes, cell, space->mesh.X, X);
            space->model->body[b].lumped(space->p, X, part);
            for (PetscInt i = 0; i < mesh->nodes * d; i++) {
                m[cell[i / d] * d + i % d] += part[i / d];
                if (g != NULL) {
                    g[cell[i / d] * d + i % d] += space->alpha[b] * part[i / d];
                }
            }
        }
    }
    PetscCall(CaromSpaceRestore(mass, &m));
    PetscCall(CaromSpaceCollect(mass));
    if (drag != NULL) {
        PetscCall(CaromSpaceRestore(drag, &g));
        PetscCall(CaromSpaceCollect(drag));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCellsEnergy(const CaromSpace *space, Vec u, Vec v, PetscReal *kinetic, PetscReal *elastic)
{
    CaromTerms *terms;
    CaromTrouble none = {0};
    Vec y;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(space->mesh.bodies, &terms));
    PetscCall(CaromSpaceVector(space, &y));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        terms[b].mass = 1;
    }
    PetscCall(CaromCellsAdd(space, terms, NULL, v, y, &none));
    PetscCall(VecDot(y, v, kinetic));
    *kinetic *= 0.5;
    if (space->linear) {
        for (PetscInt b = 0; b < space->mesh.bodies; b++) {
            terms[b] = (CaromTerms){.force = 1};
        }
        PetscCall(VecSet(y, 0));
        PetscCall(CaromCellsAdd(space, terms, u, NULL, y, &none));
        PetscCall(VecDot(y, u, elastic));
        *elastic *= 0.5;
    } else {
        PetscReal *pu, sum = 0;
        PetscCall(CaromSpaceUpdate(u));
        PetscCall(CaromSpaceGet(u, &pu));
        for (PetscInt b = 0; b < space->mesh.bodies; b++) {
            const CaromBodyMesh *mesh = &space->mesh.body[b];
            for (PetscInt k = 0; k < mesh->cells; k++) {
                PetscReal X[MOST], local[MOST];
                gather_cell(space, mesh, k, pu, X, local);
                sum += space->model->body[b].energy(space->p, X, local);
            }
        }
        PetscCall(CaromSpaceRestore(u, &pu));
        PetscCallMPI(MPI_Allreduce(&sum, elastic, 1, MPIU_REAL, MPIU_SUM, space->mesh.comm));
    }
    PetscCall(VecDestroy(&y));
    PetscCall(PetscFree(terms));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCellsStress(const CaromSpace *space, PetscInt body, Vec u, PetscReal *stress)
{
    const CaromBodyMesh *mesh = &space->mesh.body[body];
    PetscReal *pu;
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceUpdate(u));
    PetscCall(CaromSpaceGet(u, &pu));
    for (PetscInt k = 0; k < mesh->cells; k++) {
        PetscReal X[MOST], local[MOST];
        gather_cell(space, mesh, k, pu, X, local);
        space->model->body[body].stress(space->p, X, local, stress + 6 * k);
    }
    PetscCall(CaromSpaceRestore(u, &pu));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCellsDeform(const CaromSpace *space, PetscInt body, Vec u, PetscReal t, carom_deformed *most)
{
    const CaromBodyMesh *mesh = &space->mesh.body[body];
    carom_deformed here = {0};
    PetscReal *pu, mine[2], all[2];
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceUpdate(u));
    PetscCall(CaromSpaceGet(u, &pu));
    for (PetscInt k = 0; k < mesh->cells; k++) {
        PetscReal X[MOST], local[MOST];
        gather_cell(space, mesh, k, pu, X, local);
        carom_deform_cell(&here, (int)space->d, (int)mesh->nodes, X, local, t);
    }
    PetscCall(CaromSpaceRestore(u, &pu));
    mine[0] = here.strain;
    mine[1] = here.rotation;
    PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_REAL, MPIU_MAX, space->mesh.comm));
    carom_deform_more(most, all[0], all[1], t);
    PetscFunctionReturn(0);
}

int CaromCellMatrix(const CaromSpace *space, PetscInt body, PetscInt cell, PetscReal mass, PetscReal stiffness,
                    PetscReal tangent, const PetscReal *u, PetscReal *K)
{
    const CaromBodyMesh *mesh = &space->mesh.body[body];
    const carom_body *kernels = &space->model->body[body];
    const PetscInt d = space->d, nodes = mesh->nodes, n = nodes * d;
    const PetscReal rest[MOST] = {0};
    PetscReal X[MOST], local[MOST], m[CAROM_CELL_NODES * CAROM_CELL_NODES], second[MOST * MOST];
    const PetscReal *K0 = K, *M = m;
    int status = 0;
    if (kernels->linear) { /* K0 and K(u) are the same */
        stiffness += tangent;
        tangent = 0;
    }
    gather(d, nodes, mesh->cell + cell * nodes, space->mesh.X, X);
    if (space->product[body] != NULL) {
        K0 = CaromProductK(space->product[body]);
        M = CaromProductM(space->product[body]);
    } else {
        if (stiffness != 0) {
            status = kernels->tangent(space->p, X, rest, K);
        }
        if (mass != 0) {
            CaromSpaceMass(space, body, X, m);
        }
    }
    for (PetscInt i = 0; i < n * n; i++) {
        K[i] = stiffness != 0 ? stiffness * K0[i] : 0;
    }
    if (tangent != 0) {
        gather(d, nodes, mesh->cell + cell * nodes, u, local);
        status = kernels->tangent(space->p, X, local, second) != 0 ? -1 : status;
        for (PetscInt i = 0; i < n * n; i++) {
            K[i] += tangent * second[i];
        }
    }
    if (mass != 0) {
        for (PetscInt a = 0; a < nodes; a++) {
            for (PetscInt b = 0; b < nodes; b++) {
                for (PetscInt c = 0; c < d; c++) {
                    K[(a * d + c) * n + b * d + c] += mass * M[a * nodes + b];
                }
            }
        }
    }
    return status;
}
