/* Pictures of a run (../driver/vtu.h): each rank has the nodes of its cells in them, and the first writes what the
 * others send. */
#include "run.h"

#include "../driver/stress.h"
#include "../driver/vtu.h"

#include <errno.h>
#include <stdint.h>

/* An array of all ranks, in their order: header with the number of bytes, then the data, in one stream. */
static PetscErrorCode put_array(const CaromRun *run, carom_vtu *vtu, const char *type, const char *name, int components,
                                const void *data, size_t size)
{
    enum { PART = 1 << 24 };
    const uint64_t mine = size;
    uint64_t all = 0;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, run->comm));
    if (run->rank == 0) {
        char *part;
        carom_vtu_array(vtu, type, name, components, all);
        carom_vtu_bytes(vtu, data, size);
        PetscCall(PetscMalloc1((size_t)PART, &part));
        for (PetscMPIInt r = 1; r < run->ranks; r++) {
            uint64_t left;
            PetscCallMPI(MPI_Recv(&left, 1, MPI_UINT64_T, r, 7, run->comm, MPI_STATUS_IGNORE));
            for (; left > 0; left -= PetscMin(left, PART)) {
                const int count = (int)PetscMin(left, PART);
                PetscCallMPI(MPI_Recv(part, count, MPI_BYTE, r, 8, run->comm, MPI_STATUS_IGNORE));
                carom_vtu_bytes(vtu, part, (size_t)count);
            }
        }
        PetscCall(PetscFree(part));
        carom_vtu_end(vtu);
    } else {
        PetscCallMPI(MPI_Send(&mine, 1, MPI_UINT64_T, 0, 7, run->comm));
        for (size_t sent = 0; sent < size; sent += PART) {
            PetscCallMPI(
                MPI_Send((const char *)data + sent, (int)PetscMin(size - sent, PART), MPI_BYTE, 0, 8, run->comm));
        }
    }
    PetscFunctionReturn(0);
}

/* The nodes of this rank's cells: place[i] of local node i among them, node[] of them. */
typedef struct {
    PetscInt *place, *node, count;
    PetscInt cells, entries; /* of all bodies */
} Points;

/* The first `components` of the d values of each local node (0 where there are fewer). */
static PetscErrorCode put_values(const CaromRun *run, carom_vtu *vtu, const char *name, const Points *points,
                                 int components, PetscInt d, const PetscReal *x)
{
    PetscReal *out;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1((components * points->count), &out));
    for (PetscInt i = 0; i < points->count; i++) {
        for (PetscInt c = 0; c < PetscMin(components, d); c++) {
            out[components * i + c] = x[points->node[i] * d + c];
        }
    }
    PetscCall(
        put_array(run, vtu, "Float64", name, components, out, (size_t)(components * points->count) * sizeof *out));
    PetscCall(PetscFree(out));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_field(const CaromRun *run, carom_vtu *vtu, const char *name, const Points *points,
                                int components, Vec field)
{
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceGet(field, &x));
    PetscCall(put_values(run, vtu, name, points, components, run->space.d, x));
    PetscCall(CaromSpaceRestore(field, &x));
    PetscFunctionReturn(0);
}

/* Contact pressure and status (0 open, 1 closed, 2 sticking) of local nodes: first component of each block of
 * `pressure`, `status`; traction: the force per area on the node's body. */
static PetscErrorCode contact_fields(CaromRun *run, Vec pressure, Vec status, Vec traction)
{
    const CaromObstacles *o = &run->obstacles;
    const PetscReal h = carom_steps_made(&run->steps);
    PetscReal *p, *s, *t;
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(pressure, &p));
    PetscCall(VecGetArray(status, &s));
    PetscCall(VecGetArray(traction, &t));
    for (PetscInt i = 0; i < o->n && run->steps.step > 0; i++) {
        const PetscReal *lambda = o->lambda + i * o->d;
        PetscReal tangent = 0;
        if (o->active[i] && lambda[0] > 0) {
            const PetscReal share = h * o->area[o->chosen[i]];
            for (PetscInt c = 0; c < o->d; c++) {
                tangent += c > 0 ? lambda[c] * lambda[c] : 0;
                for (PetscInt k = 0; k < o->d; k++) {
                    t[o->node[i] * o->d + k] += lambda[c] * o->frame[(i * o->d + c) * o->d + k] / share;
                }
            }
            p[o->node[i] * o->d] = lambda[0] / share;
            s[o->node[i] * o->d] =
                PetscSqrtReal(tangent) < (1 - 1e-6) * o->friction[o->surface[o->chosen[i]]] * lambda[0] ? 2 : 1;
        }
    }
    PetscCall(VecRestoreArray(pressure, &p));
    PetscCall(VecRestoreArray(status, &s));
    PetscCall(VecRestoreArray(traction, &t));
    PetscCall(CaromSpaceUpdate(traction));
    PetscCall(CaromSpaceUpdate(pressure));
    PetscCall(CaromSpaceUpdate(status));
    PetscFunctionReturn(0);
}

/* Mean forces of the last step by what holds the nodes. */
static PetscErrorCode support_field(CaromRun *run, Vec reaction)
{
    const CaromSpace *space = &run->space;
    const PetscReal h = carom_steps_made(&run->steps);
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(reaction, &x));
    for (PetscInt i = 0; i < 3 * space->fixed && run->steps.step > 0; i++) {
        if (i % 3 < space->d) {
            x[space->fixed_node[i / 3] * space->d + i % 3] += run->motion.reaction[i] / h;
        }
    }
    PetscCall(VecRestoreArray(reaction, &x));
    PetscCall(CaromSpaceUpdate(reaction));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_cells(const CaromRun *run, carom_vtu *vtu, const Points *points)
{
    const CaromMesh *mesh = &run->space.mesh;
    const int64_t mine[2] = {points->count, points->entries};
    int64_t before[2] = {0, 0}, *connectivity, *offsets;
    uint8_t *types;
    PetscInt n = 0, k = 0;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Exscan(mine, before, 2, MPI_INT64_T, MPI_SUM, run->comm));
    if (run->rank == 0) {
        before[0] = before[1] = 0;
    }
    PetscCall(PetscMalloc3(points->entries, &connectivity, points->cells, &offsets, points->cells, &types));
    for (PetscInt b = 0; b < mesh->bodies; b++) {
        const CaromBodyMesh *body = &mesh->body[b];
        for (PetscInt c = 0; c < body->cells; c++) {
            for (PetscInt i = 0; i < body->nodes; i++) {
                connectivity[n++] = before[0] + points->place[body->cell[c * body->nodes + i]];
            }
            offsets[k] = before[1] + n;
            types[k++] = carom_vtu_cell((int)mesh->d, (int)body->nodes);
        }
    }
    carom_vtu_text(vtu, "<Cells>\n");
    PetscCall(put_array(run, vtu, "Int64", "connectivity", 1, connectivity, (size_t)n * sizeof *connectivity));
    PetscCall(put_array(run, vtu, "Int64", "offsets", 1, offsets, (size_t)k * sizeof *offsets));
    PetscCall(put_array(run, vtu, "UInt8", "types", 1, types, (size_t)k));
    carom_vtu_text(vtu, "</Cells>\n");
    PetscCall(PetscFree3(connectivity, offsets, types));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_stress(const CaromRun *run, carom_vtu *vtu, const Points *points)
{
    PetscReal *stress;
    PetscInt cells = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1((6 * points->cells), &stress));
    for (PetscInt b = 0; b < run->space.mesh.bodies; b++) {
        PetscCall(CaromCellsStress(&run->space, b, run->motion.u, stress + 6 * cells));
        cells += run->space.mesh.body[b].cells;
    }
    for (PetscInt k = 0; k < cells; k++) {
        carom_stress_order(stress + 6 * k);
    }
    PetscCall(put_array(run, vtu, "Float64", "stress", 6, stress, (size_t)(6 * cells) * sizeof *stress));
    PetscCall(PetscFree(stress));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_piece(CaromRun *run, carom_vtu *vtu)
{
    const CaromMesh *mesh = &run->space.mesh;
    const PetscInt nodes = mesh->owned + mesh->ghosts;
    Points points = {0};
    Vec pressure, status, traction, reaction;
    PetscReal *mises, *principal;
    int64_t mine[2], all[2];
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(nodes, &points.place, nodes, &points.node));
    for (PetscInt i = 0; i < nodes; i++) {
        points.place[i] = -1;
    }
    for (PetscInt b = 0; b < mesh->bodies; b++) {
        const CaromBodyMesh *body = &mesh->body[b];
        for (PetscInt i = 0; i < body->cells * body->nodes; i++) {
            if (points.place[body->cell[i]] < 0) {
                points.node[points.count] = body->cell[i];
                points.place[body->cell[i]] = points.count++;
            }
        }
        points.cells += body->cells;
        points.entries += body->cells * body->nodes;
    }
    mine[0] = points.count;
    mine[1] = points.cells;
    PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, run->comm));
    PetscCall(CaromSpaceVector(&run->space, &pressure));
    PetscCall(CaromSpaceVector(&run->space, &status));
    PetscCall(CaromSpaceVector(&run->space, &traction));
    PetscCall(CaromSpaceVector(&run->space, &reaction));
    PetscCall(contact_fields(run, pressure, status, traction));
    PetscCall(support_field(run, reaction));
    PetscCall(PetscMalloc2(nodes, &mises, 3 * nodes, &principal));
    PetscCall(CaromStressNodes(&run->space, run->motion.u, mises, principal));
    PetscCall(CaromSpaceUpdate(run->motion.u));
    PetscCall(CaromSpaceUpdate(run->motion.v));
    carom_vtu_piece(vtu, (long long)all[0], (long long)all[1]);
    carom_vtu_text(vtu, "<Points>\n");
    PetscCall(put_values(run, vtu, "Points", &points, 3, mesh->d, mesh->X));
    carom_vtu_text(vtu, "</Points>\n");
    PetscCall(put_cells(run, vtu, &points));
    carom_vtu_text(vtu, "<PointData>\n");
    PetscCall(put_field(run, vtu, "displacement", &points, 3, run->motion.u));
    PetscCall(put_field(run, vtu, "velocity", &points, 3, run->motion.v));
    PetscCall(put_field(run, vtu, "contact pressure", &points, 1, pressure));
    PetscCall(put_field(run, vtu, "contact status", &points, 1, status));
    PetscCall(put_field(run, vtu, "contact traction", &points, 3, traction));
    PetscCall(put_field(run, vtu, "reaction", &points, 3, reaction));
    PetscCall(put_values(run, vtu, "von Mises stress", &points, 1, 1, mises));
    PetscCall(put_values(run, vtu, "principal stresses", &points, 3, 3, principal));
    carom_vtu_text(vtu, "</PointData>\n<CellData>\n");
    PetscCall(put_stress(run, vtu, &points));
    carom_vtu_text(vtu, "</CellData>\n");
    PetscCall(VecDestroy(&pressure));
    PetscCall(VecDestroy(&status));
    PetscCall(VecDestroy(&traction));
    PetscCall(VecDestroy(&reaction));
    PetscCall(PetscFree2(mises, principal));
    PetscCall(PetscFree2(points.place, points.node));
    PetscFunctionReturn(0);
}

PetscReal CaromFrameTime(const CaromRun *run, PetscInt k)
{
    const unsigned long long frames = run->options.frames;
    return run->motion.between_u == NULL ? carom_vtu_time(&run->steps, frames, (int)k)
                                         : carom_vtu_time(&run->steps, 1, 1) * (PetscReal)k / (PetscReal)frames;
}

PetscBool CaromFrameDue(const CaromRun *run, PetscInt k)
{
    const unsigned long long frames = run->options.frames;
    return (PetscBool)(run->motion.between_u == NULL
                           ? carom_vtu_due(&run->steps, frames, (int)k)
                           : frames > 0 && (unsigned long long)k <= frames &&
                                 CaromFrameTime(run, k) <= run->motion.t + 1e-9 * run->steps.h);
}

static double time_of(const void *run, int k) { return CaromFrameTime(run, k); }

/* A picture gets its name when it is whole, and its place in the list after that. */
PetscErrorCode CaromFrame(CaromRun *run, PetscInt k)
{
    const char *dir = run->options.frames_dir, *name = run->model->name;
    carom_vtu vtu = {0};
    PetscFunctionBeginUser;
    if (run->rank == 0 && carom_vtu_open(&vtu, dir, name, (int)k) != 0) {
        CaromSay(&run->trouble, 3, "cannot write %s/%s_%04d.vtu: %s", dir, name, (int)k, strerror(errno));
    }
    PetscCall(put_piece(run, &vtu));
    if (vtu.file.stream != NULL &&
        (carom_vtu_keep(&vtu) != 0 || carom_vtu_list(dir, name, (int)k + 1, time_of, run) != 0)) {
        CaromSay(&run->trouble, 3, "cannot write %s/%s_%04d.vtu: %s", dir, name, (int)k, strerror(errno));
    }
    run->pictures = k + 1;
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}
