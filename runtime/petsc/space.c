/* Vectors, fixed components, loads. */
#include "space.h"

#include "product.h"

void CaromSpaceMass(const CaromSpace *space, PetscInt body, const PetscReal *X, PetscReal *m)
{
    const carom_body *kernels = &space->model->body[body];
    const int nodes = carom_shape_of((int)kernels->cell)->nodes;
    PetscReal lumped[CAROM_CELL_NODES];
    if (!space->lumped) {
        kernels->mass(space->p, X, m);
        return;
    }
    kernels->lumped(space->p, X, lumped);
    for (int i = 0; i < nodes * nodes; i++) {
        m[i] = i % (nodes + 1) == 0 ? lumped[i / nodes] : 0;
    }
}

PetscErrorCode CaromSpaceVector(const CaromSpace *space, Vec *v)
{
    const CaromMesh *mesh = &space->mesh;
    PetscFunctionBeginUser;
    PetscCall(VecCreateGhostBlock(mesh->comm, space->d, mesh->owned * space->d, mesh->total * space->d, mesh->ghosts,
                                  mesh->ghost, v));
    PetscCall(VecSet(*v, 0));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromSpaceGet(Vec v, PetscReal **x)
{
    Vec local;
    PetscFunctionBeginUser;
    PetscCall(VecGhostGetLocalForm(v, &local));
    PetscCall(VecGetArray(local, x));
    PetscCall(VecGhostRestoreLocalForm(v, &local));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromSpaceRestore(Vec v, PetscReal **x)
{
    Vec local;
    PetscFunctionBeginUser;
    PetscCall(VecGhostGetLocalForm(v, &local));
    PetscCall(VecRestoreArray(local, x));
    PetscCall(VecGhostRestoreLocalForm(v, &local));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromSpaceUpdate(Vec v)
{
    PetscFunctionBeginUser;
    PetscCall(VecGhostUpdateBegin(v, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecGhostUpdateEnd(v, INSERT_VALUES, SCATTER_FORWARD));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromSpaceCollect(Vec v)
{
    PetscFunctionBeginUser;
    PetscCall(VecGhostUpdateBegin(v, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecGhostUpdateEnd(v, ADD_VALUES, SCATTER_REVERSE));
    PetscFunctionReturn(0);
}

static void gather(const CaromSpace *space, PetscInt nodes, const PetscInt *node, PetscReal *X)
{
    for (PetscInt n = 0; n < nodes; n++) {
        for (PetscInt c = 0; c < space->d; c++) {
            X[n * space->d + c] = space->mesh.X[node[n] * space->d + c];
        }
    }
}

static PetscReal parallelogram(const PetscReal *a, const PetscReal *b)
{
    const PetscReal n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    return PetscSqrtReal(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/* What each node of a face carries of its area (in two dimensions: length), the integral of its shape function: so that
 * an even pressure gives even nodal pressures. A point counts 1. */
static void face_shares(PetscInt nodes, PetscInt d, const PetscReal *X, PetscReal *share)
{
    static const PetscReal corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    PetscReal a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    for (PetscInt n = 0; n < nodes; n++) {
        share[n] = nodes == 1 ? 1 : 0;
    }
    for (PetscInt c = 0; c < d && nodes > 1; c++) {
        a[c] = X[d + c] - X[c];
        b[c] = nodes == 3 ? X[2 * d + c] - X[c] : 0;
    }
    for (PetscInt n = 0; n < nodes && (nodes == 2 || nodes == 3); n++) {
        share[n] = nodes == 2 ? PetscSqrtReal(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) / 2 : parallelogram(a, b) / 6;
    }
    for (PetscInt q = 0; q < 4 && nodes == 4; q++) { /* four points of Gauss */
        const PetscReal xi = corner[q][0] / PetscSqrtReal(3), eta = corner[q][1] / PetscSqrtReal(3);
        for (PetscInt c = 0; c < d; c++) {
            a[c] = b[c] = 0;
            for (PetscInt n = 0; n < 4; n++) {
                a[c] += corner[n][0] * (1 + eta * corner[n][1]) / 4 * X[n * d + c];
                b[c] += corner[n][1] * (1 + xi * corner[n][0]) / 4 * X[n * d + c];
            }
        }
        for (PetscInt n = 0; n < 4; n++) {
            share[n] += (1 + xi * corner[n][0]) * (1 + eta * corner[n][1]) / 4 * parallelogram(a, b);
        }
    }
}

PetscErrorCode CaromSpaceBoundary(const CaromSpace *space, int body, const CaromBoundary *boundary, PetscInt *count,
                                  PetscInt **node, PetscReal **area)
{
    const PetscInt faces = boundary->faces, per = space->mesh.body[body].face_nodes, d = space->d;
    PetscReal X[12], part[4], *share;
    PetscInt at = 0;
    Vec shares;
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceVector(space, &shares));
    PetscCall(CaromSpaceGet(shares, &share));
    for (PetscInt f = 0; f < faces; f++) {
        gather(space, per, boundary->node + f * per, X);
        face_shares(per, d, X, part);
        for (PetscInt n = 0; n < per; n++) {
            share[boundary->node[f * per + n] * d] += part[n];
        }
    }
    PetscCall(CaromSpaceRestore(shares, &share));
    PetscCall(CaromSpaceCollect(shares));
    PetscCall(CaromSpaceGet(shares, &share));
    *count = 0;
    for (PetscInt i = 0; i < space->mesh.owned; i++) {
        *count += share[i * d] > 0 ? 1 : 0;
    }
    PetscCall(PetscMalloc2(*count, node, *count, area));
    for (PetscInt i = 0; i < space->mesh.owned; i++) {
        if (share[i * d] > 0) {
            (*node)[at] = i;
            (*area)[at++] = share[i * d];
        }
    }
    PetscCall(CaromSpaceRestore(shares, &share));
    PetscCall(VecDestroy(&shares));
    PetscFunctionReturn(0);
}

/* Which nodes are fixed by which fix, and the mask. */
static PetscErrorCode make_fixes(CaromSpace *space, CaromTrouble *trouble)
{
    const carom_large *model = space->model;
    PetscInt *count, **node, everywhere;
    PetscReal **area, *mask;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc3(model->fixes, &count, model->fixes, &node, model->fixes, &area));
    PetscCall(CaromSpaceVector(space, &space->mask));
    PetscCall(VecSet(space->mask, 1));
    for (int f = 0; f < model->fixes && trouble->code == 0; f++) {
        const carom_fix *fix = &model->fix[f];
        const CaromBoundary *boundary =
            CaromMeshBoundary(&space->mesh, model, fix->body, fix->boundary, fix->where, trouble);
        if (boundary != NULL) {
            PetscCall(CaromSpaceBoundary(space, fix->body, boundary, &count[f], &node[f], &area[f]));
            space->fixed += count[f];
        }
    }
    PetscCall(PetscMalloc3(space->fixed, &space->fixed_node, space->fixed, &space->fixed_by, space->fixed,
                           &space->fixed_mask));
    PetscCall(CaromSpaceGet(space->mask, &mask));
    space->fixed = 0;
    for (int f = 0; f < model->fixes; f++) {
        for (PetscInt i = 0; i < count[f]; i++) {
            space->fixed_node[space->fixed] = node[f][i];
            space->fixed_by[space->fixed++] = f;
            for (PetscInt c = 0; c < space->d; c++) {
                if (model->fix[f].mask >> c & 1U) {
                    mask[node[f][i] * space->d + c] = 0;
                }
            }
        }
        PetscCall(PetscFree2(node[f], area[f]));
    }
    PetscCall(CaromSpaceRestore(space->mask, &mask));
    PetscCall(CaromSpaceUpdate(space->mask));
    PetscCall(PetscFree3(count, node, area));
    PetscInt *taken;
    PetscCall(PetscCalloc1(space->mesh.owned, &taken));
    for (PetscInt i = space->fixed - 1; i >= 0; i--) { /* the last one wins */
        const PetscInt all = (PetscInt)model->fix[space->fixed_by[i]].mask;
        space->fixed_mask[i] = all & ~taken[space->fixed_node[i]];
        taken[space->fixed_node[i]] |= all;
    }
    PetscCall(PetscFree(taken));
    PetscCallMPI(MPI_Allreduce(&space->fixed, &everywhere, 1, MPIU_INT, MPI_SUM, space->mesh.comm));
    space->any_fixed = (PetscBool)(everywhere > 0);
    PetscFunctionReturn(0);
}

PetscErrorCode CaromSpacePrescribe(const CaromSpace *space, PetscReal t, Vec u, Vec v)
{
    PetscReal *x = NULL, *y = NULL;
    PetscFunctionBeginUser;
    if (u != NULL) {
        PetscCall(VecGetArray(u, &x));
    }
    if (v != NULL) {
        PetscCall(VecGetArray(v, &y));
    }
    for (PetscInt i = 0; i < space->fixed; i++) {
        const carom_fix *fix = &space->model->fix[space->fixed_by[i]];
        const PetscInt at = space->fixed_node[i] * space->d;
        PetscReal place[3] = {0, 0, 0}, rate[3] = {0, 0, 0};
        if (fix->motion != NULL) {
            fix->motion(space->p, t, space->mesh.X + at, place, rate);
        }
        for (PetscInt c = 0; c < space->d; c++) {
            if (fix->mask >> c & 1U) {
                if (x != NULL) {
                    x[at + c] = place[c];
                }
                if (y != NULL) {
                    y[at + c] = rate[c];
                }
            }
        }
    }
    if (u != NULL) {
        PetscCall(VecRestoreArray(u, &x));
    }
    if (v != NULL) {
        PetscCall(VecRestoreArray(v, &y));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromSpaceStart(const CaromSpace *space, Vec u, Vec v)
{
    PetscReal *x, *y;
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceGet(u, &x));
    PetscCall(CaromSpaceGet(v, &y));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        const CaromBodyMesh *body = &space->mesh.body[b];
        if (space->model->body[b].start == NULL) {
            continue;
        }
        for (PetscInt i = 0; i < body->cells * body->nodes; i++) {
            const PetscInt at = body->cell[i] * space->d;
            space->model->body[b].start(space->p, space->mesh.X + at, x + at, y + at);
        }
    }
    PetscCall(CaromSpaceRestore(u, &x));
    PetscCall(CaromSpaceRestore(v, &y));
    PetscCall(CaromSpaceUpdate(u)); /* an owned node whose cells are all elsewhere does not exist: owners have a cell */
    PetscCall(CaromSpaceUpdate(v));
    PetscCall(CaromSpacePrescribe(space, 0, u, v));
    PetscFunctionReturn(0);
}

/* Adds the loads that are steady, or the others. */
static PetscErrorCode add_loads(const CaromSpace *space, PetscReal t, PetscBool steady, Vec f)
{
    const carom_large *model = space->model;
    const PetscInt d = space->d;
    PetscReal X[3 * CAROM_CELL_NODES], part[3 * CAROM_CELL_NODES], *force;
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceGet(f, &force));
    PetscCall(PetscArrayzero(force + space->mesh.owned * d, space->mesh.ghosts * d));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        const CaromBodyMesh *body = &space->mesh.body[b];
        const carom_body *kernels = &model->body[b];
        for (PetscInt c = 0; kernels->load != NULL && (kernels->load_steady != 0) == steady && c < body->cells; c++) {
            gather(space, body->nodes, body->cell + c * body->nodes, X);
            kernels->load(space->p, t, X, part);
            for (PetscInt i = 0; i < body->nodes * d; i++) {
                force[body->cell[c * body->nodes + i / d] * d + i % d] += part[i];
            }
        }
    }
    for (int k = 0; k < model->tractions; k++) {
        const carom_traction *traction = &model->traction[k];
        const CaromBodyMesh *body = &space->mesh.body[traction->body];
        CaromTrouble none = {0}; /* the names were looked up when the space was made */
        const CaromBoundary *boundary =
            CaromMeshBoundary(&space->mesh, model, traction->body, traction->boundary, traction->where, &none);
        for (PetscInt q = 0; boundary != NULL && (traction->steady != 0) == steady && q < boundary->faces; q++) {
            const PetscInt *node = boundary->node + q * body->face_nodes;
            gather(space, body->face_nodes, node, X);
            traction->force(space->p, t, X, part);
            for (PetscInt i = 0; i < body->face_nodes * d; i++) {
                force[node[i / d] * d + i % d] += part[i];
            }
        }
    }
    PetscCall(CaromSpaceRestore(f, &force));
    PetscCall(CaromSpaceCollect(f));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromSpaceLoad(const CaromSpace *space, PetscReal t, Vec f)
{
    PetscFunctionBeginUser;
    PetscCall(VecCopy(space->steady, f));
    if (space->changing) {
        PetscCall(add_loads(space, t, PETSC_FALSE, f));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode make_loads(CaromSpace *space, CaromTrouble *trouble)
{
    const carom_large *model = space->model;
    PetscFunctionBeginUser;
    for (int k = 0; k < model->tractions; k++) {
        const carom_traction *traction = &model->traction[k];
        (void)CaromMeshBoundary(&space->mesh, model, traction->body, traction->boundary, traction->where, trouble);
        space->changing = (PetscBool)(space->changing || !traction->steady);
    }
    for (int b = 0; b < model->bodies; b++) {
        space->changing = (PetscBool)(space->changing || (model->body[b].load != NULL && !model->body[b].load_steady));
    }
    PetscCall(CaromSpaceVector(space, &space->steady));
    PetscCall(add_loads(space, 0, PETSC_TRUE, space->steady));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromSpaceCreate(MPI_Comm comm, const carom_large *model, const PetscReal *p, CaromSpace *space,
                                CaromTrouble *trouble)
{
    PetscFunctionBeginUser;
    *space = (CaromSpace){.model = model,
                          .p = p,
                          .d = model->dimension,
                          .linear = PETSC_TRUE,
                          .lumped = (PetscBool)(model->scheme.lumped != 0)};
    PetscCall(CaromMeshCreate(comm, model, p, &space->mesh, trouble));
    if (trouble->code != 0) {
        PetscFunctionReturn(0);
    }
    PetscCall(PetscCalloc3(model->bodies, &space->alpha, model->bodies, &space->beta, model->bodies, &space->product));
    for (int b = 0; b < model->bodies; b++) {
        const carom_body *kernels = &model->body[b];
        const CaromBodyMesh *body = &space->mesh.body[b];
        if (kernels->damping != NULL) {
            kernels->damping(p, &space->alpha[b], &space->beta[b]);
        }
        space->linear = (PetscBool)(space->linear && kernels->linear);
        if (kernels->linear && body->alike && body->cells > 0) {
            PetscReal X[3 * CAROM_CELL_NODES];
            gather(space, body->nodes, body->cell, X);
            PetscCall(CaromProductCreate(space, b, X, &space->product[b]));
        }
    }
    PetscCall(make_fixes(space, trouble));
    PetscCall(make_loads(space, trouble));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromSpaceDestroy(CaromSpace *space)
{
    PetscFunctionBeginUser;
    for (int b = 0; space->product != NULL && b < space->model->bodies; b++) {
        PetscCall(CaromProductDestroy(&space->product[b]));
    }
    PetscCall(PetscFree3(space->alpha, space->beta, space->product));
    PetscCall(PetscFree3(space->fixed_node, space->fixed_by, space->fixed_mask));
    PetscCall(VecDestroy(&space->mask));
    PetscCall(VecDestroy(&space->steady));
    PetscCall(CaromMeshDestroy(&space->mesh));
    PetscFunctionReturn(0);
}
