/* Pictures of a run: DIR/NAME_0000.vtu ... and NAME.pvd, which lists them with their times. A file has one piece (not
 * all readers take several), data in base64; each rank has the nodes of its cells in it, and the first writes what the
 * others send. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include "../driver/file.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

static const char *const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Bytes on their way into base64: three make four letters. */
typedef struct {
    FILE *file; /* NULL: it could not be opened */
    unsigned char byte[3];
    int count;
} Encoder;

static void put_letters(Encoder *encoder, int letters)
{
    const unsigned char *b = encoder->byte;
    char out[4] = {digits[b[0] >> 2], digits[(b[0] & 3) << 4 | b[1] >> 4], digits[(b[1] & 15) << 2 | b[2] >> 6],
                   digits[b[2] & 63]};
    for (int i = letters; i < 4; i++) {
        out[i] = '=';
    }
    if (encoder->file != NULL) {
        (void)fwrite(out, 1, 4, encoder->file);
    }
    encoder->count = 0;
}

static void put_bytes(Encoder *encoder, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) {
        encoder->byte[encoder->count++] = byte[i];
        if (encoder->count == 3) {
            put_letters(encoder, 4);
        }
    }
}

static void end_bytes(Encoder *encoder)
{
    const int count = encoder->count;
    for (int i = count; i < 3; i++) {
        encoder->byte[i] = 0;
    }
    if (count > 0) {
        put_letters(encoder, count + 1);
    }
}

static void put_text(FILE *file, const char *text)
{
    if (file != NULL) {
        (void)fputs(text, file);
    }
}

/* An array of all ranks, in their order: header with the number of bytes, then the data, in one stream. */
static PetscErrorCode put_array(const CaromRun *run, FILE *file, const char *type, const char *name, int components,
                                const void *data, size_t size)
{
    enum { PART = 1 << 24 };
    const uint64_t mine = size;
    uint64_t all = 0;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, run->comm));
    if (run->rank == 0) {
        Encoder encoder = {.file = file};
        char start[160], *part;
        (void)snprintf(start, sizeof start,
                       "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", type, name,
                       components);
        put_text(file, start);
        put_bytes(&encoder, &all, sizeof all);
        put_bytes(&encoder, data, size);
        PetscCall(PetscMalloc1((size_t)PART, &part));
        for (PetscMPIInt r = 1; r < run->ranks; r++) {
            uint64_t left;
            PetscCallMPI(MPI_Recv(&left, 1, MPI_UINT64_T, r, 7, run->comm, MPI_STATUS_IGNORE));
            for (; left > 0; left -= PetscMin(left, PART)) {
                const int count = (int)PetscMin(left, PART);
                PetscCallMPI(MPI_Recv(part, count, MPI_BYTE, r, 8, run->comm, MPI_STATUS_IGNORE));
                put_bytes(&encoder, part, (size_t)count);
            }
        }
        PetscCall(PetscFree(part));
        end_bytes(&encoder);
        put_text(file, "\n</DataArray>\n");
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
static PetscErrorCode put_values(const CaromRun *run, FILE *file, const char *name, const Points *points,
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
        put_array(run, file, "Float64", name, components, out, (size_t)(components * points->count) * sizeof *out));
    PetscCall(PetscFree(out));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_field(const CaromRun *run, FILE *file, const char *name, const Points *points, int components,
                                Vec field)
{
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(CaromSpaceGet(field, &x));
    PetscCall(put_values(run, file, name, points, components, run->space.d, x));
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

static PetscErrorCode put_cells(const CaromRun *run, FILE *file, const Points *points)
{
    static const uint8_t vtk[] = {3, 5, 9, 10, 12};
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
            types[k++] = vtk[run->model->body[b].cell];
        }
    }
    put_text(file, "<Cells>\n");
    PetscCall(put_array(run, file, "Int64", "connectivity", 1, connectivity, (size_t)n * sizeof *connectivity));
    PetscCall(put_array(run, file, "Int64", "offsets", 1, offsets, (size_t)k * sizeof *offsets));
    PetscCall(put_array(run, file, "UInt8", "types", 1, types, (size_t)k));
    put_text(file, "</Cells>\n");
    PetscCall(PetscFree3(connectivity, offsets, types));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_stress(const CaromRun *run, FILE *file, const Points *points)
{
    PetscReal *stress;
    PetscInt cells = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1((6 * points->cells), &stress));
    for (PetscInt b = 0; b < run->space.mesh.bodies; b++) {
        PetscCall(CaromCellsStress(&run->space, b, run->motion.u, stress + 6 * cells));
        cells += run->space.mesh.body[b].cells;
    }
    for (PetscInt k = 0; k < cells; k++) { /* readers take six components as xx, yy, zz, xy, yz, xz */
        PetscReal *const shear = stress + 6 * k + 3, yz = shear[0], xz = shear[1];
        shear[0] = shear[2];
        shear[1] = yz;
        shear[2] = xz;
    }
    PetscCall(put_array(run, file, "Float64", "stress", 6, stress, (size_t)(6 * cells) * sizeof *stress));
    PetscCall(PetscFree(stress));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_piece(CaromRun *run, FILE *file)
{
    const CaromMesh *mesh = &run->space.mesh;
    const PetscInt nodes = mesh->owned + mesh->ghosts;
    Points points = {0};
    Vec pressure, status, traction;
    PetscReal *mises, *principal;
    int64_t mine[2], all[2];
    char start[128];
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
    PetscCall(contact_fields(run, pressure, status, traction));
    PetscCall(PetscMalloc2(nodes, &mises, 3 * nodes, &principal));
    PetscCall(CaromStressNodes(&run->space, run->motion.u, mises, principal));
    PetscCall(CaromSpaceUpdate(run->motion.u));
    PetscCall(CaromSpaceUpdate(run->motion.v));
    (void)snprintf(start, sizeof start, "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n<Points>\n",
                   (long long)all[0], (long long)all[1]);
    put_text(file, start);
    PetscCall(put_values(run, file, "Points", &points, 3, mesh->d, mesh->X));
    put_text(file, "</Points>\n");
    PetscCall(put_cells(run, file, &points));
    put_text(file, "<PointData>\n");
    PetscCall(put_field(run, file, "displacement", &points, 3, run->motion.u));
    PetscCall(put_field(run, file, "velocity", &points, 3, run->motion.v));
    PetscCall(put_field(run, file, "contact pressure", &points, 1, pressure));
    PetscCall(put_field(run, file, "contact status", &points, 1, status));
    PetscCall(put_field(run, file, "contact traction", &points, 3, traction));
    PetscCall(put_values(run, file, "von Mises stress", &points, 1, 1, mises));
    PetscCall(put_values(run, file, "principal stresses", &points, 3, 3, principal));
    put_text(file, "</PointData>\n<CellData>\n");
    PetscCall(put_stress(run, file, &points));
    put_text(file, "</CellData>\n</Piece>\n");
    PetscCall(VecDestroy(&pressure));
    PetscCall(VecDestroy(&status));
    PetscCall(VecDestroy(&traction));
    PetscCall(PetscFree2(mises, principal));
    PetscCall(PetscFree2(points.place, points.node));
    PetscFunctionReturn(0);
}

static PetscInt64 step_of(const CaromRun *run, PetscInt k)
{
    const PetscInt64 frames = (PetscInt64)run->options.frames;
    return ((PetscInt64)run->steps.steps * k + frames - 1) / frames;
}

PetscReal CaromFrameTime(const CaromRun *run, PetscInt k)
{
    const PetscInt64 steps = (PetscInt64)run->steps.steps, step = step_of(run, k);
    const PetscReal end = (PetscReal)(steps - 1) * run->steps.h + run->steps.last_h + run->steps.off;
    return run->motion.between_u != NULL ? end * (PetscReal)k / (PetscReal)run->options.frames
           : step == steps               ? end
           : step > 0                    ? (PetscReal)step * run->steps.h + run->steps.off
                                         : 0;
}

PetscBool CaromFrameDue(const CaromRun *run, PetscInt k)
{
    return (PetscBool)(k <= (PetscInt)run->options.frames && run->options.frames > 0 &&
                       (run->motion.between_u != NULL ? CaromFrameTime(run, k) <= run->motion.t + 1e-9 * run->steps.h
                                                      : step_of(run, k) <= (PetscInt64)run->steps.step));
}

/* The list of all pictures so far; 0 when good. */
static int write_list(const CaromRun *run, PetscInt last)
{
    char path[4096];
    carom_file file;
    (void)snprintf(path, sizeof path, "%s/%s.pvd", run->options.frames_dir, run->model->name);
    if (carom_file_open(&file, path) != 0) {
        return -1;
    }
    put_text(file.stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    for (PetscInt k = 0; k <= last; k++) {
        fprintf(file.stream, "<DataSet timestep=\"%.15g\" part=\"0\" file=\"%s_%04d.vtu\"/>\n", CaromFrameTime(run, k),
                run->model->name, (int)k);
    }
    put_text(file.stream, "</Collection>\n</VTKFile>\n");
    return carom_file_keep(&file);
}

/* A picture gets its name when it is whole, and its place in the list after that. */
PetscErrorCode CaromFrame(CaromRun *run, PetscInt k)
{
    char path[4096];
    carom_file file = {0};
    const uint16_t probe = 1;
    PetscFunctionBeginUser;
    if (run->rank == 0) {
        (void)mkdir(run->options.frames_dir, 0777);
        (void)snprintf(path, sizeof path, "%s/%s_%04d.vtu", run->options.frames_dir, run->model->name, (int)k);
        if (carom_file_open(&file, path) != 0) {
            CaromSay(&run->trouble, 3, "cannot write %s: %s", path, strerror(errno));
        } else {
            fprintf(file.stream,
                    "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
                    "header_type=\"UInt64\">\n"
                    "<UnstructuredGrid>\n",
                    *(const uint8_t *)&probe == 1 ? "LittleEndian" : "BigEndian");
        }
    }
    PetscCall(put_piece(run, file.stream));
    if (file.stream != NULL) {
        put_text(file.stream, "</UnstructuredGrid>\n</VTKFile>\n");
        if (carom_file_keep(&file) != 0 || write_list(run, k) != 0) {
            CaromSay(&run->trouble, 3, "cannot write %s: %s", path, strerror(errno));
        }
    }
    run->pictures = k + 1;
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}
