/* The outside of the meshes over a run (../driver/skin.h). The first rank makes it: it gets all cells and places once,
 * and all displacements for every frame, which are few. */
#include "run.h"

#include <errno.h>

static const PetscInt MOST = 1000000; /* nodes of all bodies that one rank takes */

static PetscErrorCode gather_vector(CaromRun *run, Vec v)
{
    PetscFunctionBeginUser;
    PetscCall(VecScatterBegin(run->gather, v, run->gathered, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(run->gather, v, run->gathered, INSERT_VALUES, SCATTER_FORWARD));
    PetscFunctionReturn(0);
}

/* Cells of a body, by numbers of nodes, in the order of ranks. */
static PetscErrorCode gather_cells(const CaromRun *run, const CaromBodyMesh *body, int **cell)
{
    const CaromMesh *mesh = &run->space.mesh;
    const int mine = (int)(body->cells * body->nodes);
    int *local, *count, *from;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc3(mine, &local, run->ranks, &count, run->ranks, &from));
    for (int i = 0; i < mine; i++) {
        const PetscInt node = body->cell[i];
        local[i] = (int)(node < mesh->owned ? mesh->first + node : mesh->ghost[node - mesh->owned]);
    }
    PetscCallMPI(MPI_Gather(&mine, 1, MPI_INT, count, 1, MPI_INT, 0, run->comm));
    if (run->rank == 0) {
        for (PetscMPIInt r = 0, sum = 0; r < run->ranks; r++) {
            from[r] = sum;
            sum += count[r];
        }
        PetscCall(PetscMalloc1((size_t)(body->total * body->nodes), cell));
    }
    PetscCallMPI(MPI_Gatherv(local, mine, MPI_INT, *cell, count, from, MPI_INT, 0, run->comm));
    PetscCall(PetscFree3(local, count, from));
    PetscFunctionReturn(0);
}

/* Everything undeformed, on the first rank. */
static PetscErrorCode gather_mesh(CaromRun *run)
{
    const CaromMesh *mesh = &run->space.mesh;
    const PetscInt n = mesh->total * mesh->d;
    double *X = NULL;
    int *dof = NULL;
    Vec places;
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceVector(&run->space, &places));
    PetscCall(VecGetArray(places, &x));
    for (PetscInt i = 0; i < mesh->owned * mesh->d; i++) {
        x[i] = mesh->X[i];
    }
    PetscCall(VecRestoreArray(places, &x));
    PetscCall(VecScatterCreateToZero(places, &run->gather, &run->gathered));
    PetscCall(gather_vector(run, places));
    PetscCall(VecDestroy(&places));
    if (run->rank == 0) {
        const PetscScalar *all;
        PetscCall(PetscMalloc2(n, &X, n, &dof));
        PetscCall(VecGetArrayRead(run->gathered, &all));
        for (PetscInt i = 0; i < n; i++) {
            X[i] = PetscRealPart(all[i]);
            dof[i] = (int)i;
        }
        PetscCall(VecRestoreArrayRead(run->gathered, &all));
    }
    PetscCall(PetscCalloc1(mesh->bodies, &run->whole));
    for (PetscInt b = 0; b < mesh->bodies; b++) {
        const CaromBodyMesh *body = &mesh->body[b];
        int *cell = NULL;
        PetscCall(gather_cells(run, body, &cell));
        run->whole[b] = (carom_mesh){.name = run->model->body[b].name,
                                     .dimension = (int)mesh->d,
                                     .cell_nodes = (int)body->nodes,
                                     .cells = (int)body->total,
                                     .X = X,
                                     .cell = cell,
                                     .dof = dof};
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromFilmOpen(CaromRun *run)
{
    const CaromMesh *mesh = &run->space.mesh;
    double frame[2];
    PetscFunctionBeginUser;
    if (run->options.motion == NULL || mesh->bodies == 0 || mesh->total > MOST) {
        PetscFunctionReturn(0);
    }
    PetscCall(gather_mesh(run));
    if (run->rank == 0 &&
        carom_skin_open(&run->skin, &run->film, run->options.motion, run->whole, (int)mesh->bodies,
                        (int)PetscMin(run->options.motion_frames, 1000000), run->options.until) != 0) {
        CaromSay(&run->trouble, 3, "cannot write %s: %s", run->options.motion, strerror(errno));
    }
    frame[0] = run->film.interval;
    frame[1] = run->film.open;
    PetscCallMPI(MPI_Bcast(frame, 2, MPI_DOUBLE, 0, run->comm));
    run->film.interval = frame[0];
    run->film.open = frame[1] != 0;
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}

/* Von Mises' stress of all nodes, on the first rank: one component of a vector. */
static PetscErrorCode gather_mises(CaromRun *run)
{
    const CaromMesh *mesh = &run->space.mesh;
    const PetscInt nodes = mesh->owned + mesh->ghosts;
    PetscReal *mises, *principal, *x;
    Vec v;
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceVector(&run->space, &v));
    PetscCall(PetscMalloc2(nodes, &mises, 3 * nodes, &principal));
    PetscCall(CaromStressNodes(&run->space, run->motion.u, mises, principal));
    PetscCall(VecGetArray(v, &x));
    for (PetscInt i = 0; i < mesh->owned; i++) {
        x[i * mesh->d] = mises[i];
    }
    PetscCall(VecRestoreArray(v, &x));
    PetscCall(gather_vector(run, v));
    PetscCall(PetscFree2(mises, principal));
    PetscCall(VecDestroy(&v));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromFilmFrame(CaromRun *run)
{
    const CaromMesh *mesh = &run->space.mesh;
    PetscFunctionBeginUser;
    if (carom_motion_due(&run->film, run->motion.t, run->steps.step == run->steps.steps)) {
        const PetscScalar *all;
        PetscReal *mises = NULL, **of = NULL;
        PetscCall(gather_mises(run));
        if (run->rank == 0) {
            PetscCall(PetscMalloc2(mesh->total, &mises, mesh->bodies, &of));
            PetscCall(VecGetArrayRead(run->gathered, &all));
            for (PetscInt i = 0; i < mesh->total; i++) {
                mises[i] = PetscRealPart(all[i * mesh->d]);
            }
            PetscCall(VecRestoreArrayRead(run->gathered, &all));
            for (PetscInt b = 0; b < mesh->bodies; b++) {
                of[b] = mises; /* nodes of all bodies are numbered through */
            }
        }
        PetscCall(gather_vector(run, run->motion.u));
        if (run->rank == 0) {
            PetscCall(VecGetArrayRead(run->gathered, &all));
            carom_skin_frame(&run->skin, &run->film, run->whole, (int)mesh->bodies, all, of, run->motion.t);
            PetscCall(VecRestoreArrayRead(run->gathered, &all));
            PetscCall(PetscFree2(mises, of));
        } else {
            carom_motion_wrote(&run->film, run->motion.t);
        }
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromFilmClose(CaromRun *run)
{
    PetscFunctionBeginUser;
    if (carom_motion_keep(&run->film) != 0) {
        CaromSay(&run->trouble, 3, "cannot write %s: %s", run->options.motion, strerror(errno));
    }
    PetscCall(CaromAgree(run->comm, &run->trouble));
    carom_skin_free(&run->skin);
    if (run->whole != NULL) {
        double *X = (double *)run->whole[0].X;
        int *dof = (int *)run->whole[0].dof;
        for (PetscInt b = 0; b < run->space.mesh.bodies; b++) {
            PetscCall(PetscFree(run->whole[b].cell));
        }
        if (run->rank == 0) {
            PetscCall(PetscFree2(X, dof));
        }
        PetscCall(PetscFree(run->whole));
        PetscCall(VecScatterDestroy(&run->gather));
        PetscCall(VecDestroy(&run->gathered));
    }
    PetscFunctionReturn(0);
}
