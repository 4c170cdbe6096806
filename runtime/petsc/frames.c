/* Pictures of a run: DIR/NAME_0000.vtu ... and NAME.pvd, which lists them with their times. A file has a piece per rank and body,
 * data in base64; pieces come to the first rank one after the other. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Text that grows. */
typedef struct {
    char *data;
    size_t used, room;
} Text;

static void append(Text *text, const char *more, size_t length)
{
    if (text->used + length + 1 > text->room) {
        const size_t room = 2 * text->room + length + 1024;
        char *data = realloc(text->data, room);
        if (data == NULL) {
            abort();
        }
        text->data = data;
        text->room = room;
    }
    memcpy(text->data + text->used, more, length);
    text->used += length;
    text->data[text->used] = '\0';
}

static void append_text(Text *text, const char *more)
{
    append(text, more, strlen(more));
}

static const char *const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Bytes on their way into base64: three make four letters. */
typedef struct {
    Text *text;
    unsigned char byte[3];
    int count;
} Encoder;

static void put_bytes(Encoder *encoder, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) {
        encoder->byte[encoder->count++] = byte[i];
        if (encoder->count == 3) {
            const unsigned char *b = encoder->byte;
            const char out[4] = {digits[b[0] >> 2], digits[(b[0] & 3) << 4 | b[1] >> 4], digits[(b[1] & 15) << 2 | b[2] >> 6], digits[b[2] & 63]};
            append(encoder->text, out, 4);
            encoder->count = 0;
        }
    }
}

static void end_bytes(Encoder *encoder)
{
    const unsigned char zero = 0;
    const int count = encoder->count;
    if (count > 0) {
        while (encoder->count != 0) {
            put_bytes(encoder, &zero, 1);
        }
        for (int i = count; i < 3; i++) {
            encoder->text->data[encoder->text->used - (size_t)(3 - i)] = '=';
        }
    }
}

/* An array of `rows` x `components`: header with the number of bytes, then the data, in one stream. */
static void put_array(Text *text, const char *type, const char *name, int components, const void *data, size_t rows, size_t size)
{
    char start[160];
    const uint64_t bytes = (uint64_t)(rows * (size_t)components * size);
    Encoder encoder = {.text = text};
    (void)snprintf(start, sizeof start, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", type, name, components);
    append_text(text, start);
    put_bytes(&encoder, &bytes, sizeof bytes);
    put_bytes(&encoder, data, (size_t)bytes);
    end_bytes(&encoder);
    append_text(text, "\n</DataArray>\n");
}

/* Values of local nodes as vectors of three. */
static PetscErrorCode put_vector(Text *text, const char *name, const CaromSpace *space, PetscInt count, const PetscInt *node, const PetscReal *x)
{
    PetscReal *out;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1((3 * count), &out));
    for (PetscInt i = 0; i < count; i++) {
        for (PetscInt c = 0; c < space->d; c++) {
            out[3 * i + c] = x[node[i] * space->d + c];
        }
    }
    put_array(text, "Float64", name, 3, out, (size_t)count, sizeof *out);
    PetscCall(PetscFree(out));
    PetscFunctionReturn(0);
}

/* Contact pressure and status (0 open, 1 closed, 2 sticking) of local nodes: first component of each block of `pressure`, `status`. */
static PetscErrorCode contact_fields(CaromRun *run, Vec pressure, Vec status)
{
    const CaromObstacles *o = &run->obstacles;
    const PetscReal h = run->step == run->steps ? run->last_h : run->h;
    PetscReal *p, *s;
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(pressure, &p));
    PetscCall(VecGetArray(status, &s));
    for (PetscInt i = 0; i < o->n && run->step > 0; i++) {
        const PetscReal *lambda = o->lambda + i * o->d;
        PetscReal tangent = 0;
        if (o->active[i] && lambda[0] > 0) {
            for (PetscInt c = 1; c < o->d; c++) {
                tangent += lambda[c] * lambda[c];
            }
            p[o->node[i] * o->d] = lambda[0] / (h * o->area[o->chosen[i]]);
            s[o->node[i] * o->d] = PetscSqrtReal(tangent) < (1 - 1e-6) * o->friction[o->surface[o->chosen[i]]] * lambda[0] ? 2 : 1;
        }
    }
    PetscCall(VecRestoreArray(pressure, &p));
    PetscCall(VecRestoreArray(status, &s));
    PetscCall(CaromSpaceUpdate(pressure));
    PetscCall(CaromSpaceUpdate(status));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_scalar(Text *text, const char *name, const CaromSpace *space, PetscInt count, const PetscInt *node, Vec field)
{
    PetscReal *x, *out;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(count, &out));
    PetscCall(CaromSpaceGet(field, &x));
    for (PetscInt i = 0; i < count; i++) {
        out[i] = x[node[i] * space->d];
    }
    PetscCall(CaromSpaceRestore(field, &x));
    put_array(text, "Float64", name, 1, out, (size_t)count, sizeof *out);
    PetscCall(PetscFree(out));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_cells(Text *text, carom_cell kind, const CaromBodyMesh *body, const PetscInt *place)
{
    static const uint8_t vtk[] = {3, 5, 9, 10, 12};
    int64_t *connectivity, *offsets;
    uint8_t *types;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc3((body->cells * body->nodes), &connectivity, body->cells, &offsets, body->cells, &types));
    for (PetscInt i = 0; i < body->cells * body->nodes; i++) {
        connectivity[i] = place[body->cell[i]];
    }
    for (PetscInt c = 0; c < body->cells; c++) {
        offsets[c] = (int64_t)(c + 1) * body->nodes;
        types[c] = vtk[kind];
    }
    append_text(text, "<Cells>\n");
    put_array(text, "Int64", "connectivity", 1, connectivity, (size_t)(body->cells * body->nodes), sizeof *connectivity);
    put_array(text, "Int64", "offsets", 1, offsets, (size_t)body->cells, sizeof *offsets);
    put_array(text, "UInt8", "types", 1, types, (size_t)body->cells, sizeof *types);
    append_text(text, "</Cells>\n");
    PetscCall(PetscFree3(connectivity, offsets, types));
    PetscFunctionReturn(0);
}

static PetscErrorCode put_piece(CaromRun *run, PetscInt b, Vec pressure, Vec status, Text *text)
{
    const CaromSpace *space = &run->space;
    const CaromBodyMesh *body = &space->mesh.body[b];
    const PetscInt nodes = space->mesh.owned + space->mesh.ghosts;
    PetscInt *place, *node, count = 0;
    PetscReal *x, *stress;
    char start[128];
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(nodes, &place, nodes, &node)); /* the nodes of this body */
    for (PetscInt i = 0; i < nodes; i++) {
        place[i] = -1;
    }
    for (PetscInt i = 0; i < body->cells * body->nodes; i++) {
        if (place[body->cell[i]] < 0) {
            node[count] = body->cell[i];
            place[body->cell[i]] = count++;
        }
    }
    (void)snprintf(start, sizeof start, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<Points>\n", (int)count, (int)body->cells);
    append_text(text, start);
    PetscCall(put_vector(text, "Points", space, count, node, space->mesh.X));
    append_text(text, "</Points>\n");
    PetscCall(put_cells(text, run->model->body[b].cell, body, place));
    append_text(text, "<PointData>\n");
    PetscCall(CaromSpaceGet(run->motion.u, &x));
    PetscCall(put_vector(text, "displacement", space, count, node, x));
    PetscCall(CaromSpaceRestore(run->motion.u, &x));
    PetscCall(CaromSpaceGet(run->motion.v, &x));
    PetscCall(put_vector(text, "velocity", space, count, node, x));
    PetscCall(CaromSpaceRestore(run->motion.v, &x));
    PetscCall(put_scalar(text, "contact pressure", space, count, node, pressure));
    PetscCall(put_scalar(text, "contact status", space, count, node, status));
    append_text(text, "</PointData>\n<CellData>\n");
    PetscCall(PetscMalloc1((6 * body->cells), &stress));
    PetscCall(CaromCellsStress(space, b, run->motion.u, stress));
    put_array(text, "Float64", "stress", 6, stress, (size_t)body->cells, sizeof *stress);
    PetscCall(PetscFree(stress));
    append_text(text, "</CellData>\n</Piece>\n");
    PetscCall(PetscFree2(place, node));
    PetscFunctionReturn(0);
}

/* The first rank writes what the others send, in order. */
static PetscErrorCode write_pieces(CaromRun *run, FILE *file, const Text *text)
{
    PetscFunctionBeginUser;
    if (run->rank == 0) {
        if (file != NULL) {
            (void)fwrite(text->data, 1, text->used, file);
        }
        for (PetscMPIInt r = 1; r < run->ranks; r++) {
            unsigned long long size;
            char *data;
            PetscCallMPI(MPI_Recv(&size, 1, MPI_UNSIGNED_LONG_LONG, r, 7, run->comm, MPI_STATUS_IGNORE));
            PetscCall(PetscMalloc1((size_t)PetscMin(size, 1u << 30), &data));
            while (size > 0) {
                const int part = (int)PetscMin(size, 1u << 30);
                PetscCallMPI(MPI_Recv(data, part, MPI_CHAR, r, 8, run->comm, MPI_STATUS_IGNORE));
                if (file != NULL) {
                    (void)fwrite(data, 1, (size_t)part, file);
                }
                size -= (unsigned long long)part;
            }
            PetscCall(PetscFree(data));
        }
    } else {
        unsigned long long size = text->used, sent = 0;
        PetscCallMPI(MPI_Send(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, 7, run->comm));
        while (sent < size) {
            const int part = (int)PetscMin(size - sent, 1u << 30);
            PetscCallMPI(MPI_Send(text->data + sent, part, MPI_CHAR, 0, 8, run->comm));
            sent += (unsigned long long)part;
        }
    }
    PetscFunctionReturn(0);
}

PetscInt64 CaromFrameStep(const CaromRun *run, PetscInt k)
{
    return (run->steps * k + run->options.frames - 1) / run->options.frames;
}

/* The list of all pictures so far. */
static PetscBool write_list(const CaromRun *run, PetscInt last)
{
    char path[4096];
    FILE *file;
    (void)snprintf(path, sizeof path, "%s/%s.pvd", run->options.frames_dir, run->model->name);
    file = fopen(path, "w");
    if (file == NULL) {
        return PETSC_FALSE;
    }
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n", file);
    for (PetscInt k = 0; k <= last; k++) {
        const PetscInt64 step = CaromFrameStep(run, k);
        const PetscReal t = step == run->steps ? (PetscReal)(step - 1) * run->h + run->last_h : (PetscReal)step * run->h;
        fprintf(file, "<DataSet timestep=\"%.15g\" part=\"0\" file=\"%s_%04d.vtu\"/>\n", step > 0 ? t : 0, run->model->name, (int)k);
    }
    fputs("</Collection>\n</VTKFile>\n", file);
    return (PetscBool)(fclose(file) == 0);
}

PetscErrorCode CaromFrame(CaromRun *run, PetscInt k)
{
    char path[4096];
    FILE *file = NULL;
    Text text = {0};
    Vec pressure, status;
    const uint16_t probe = 1;
    PetscFunctionBeginUser;
    if (run->rank == 0) {
        (void)mkdir(run->options.frames_dir, 0777);
        (void)snprintf(path, sizeof path, "%s/%s_%04d.vtu", run->options.frames_dir, run->model->name, (int)k);
        file = fopen(path, "w");
        if (file == NULL) {
            CaromSay(&run->trouble, 3, "cannot write %s: %s", path, strerror(errno));
        } else {
            fprintf(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
                          "<UnstructuredGrid>\n", *(const uint8_t *)&probe == 1 ? "LittleEndian" : "BigEndian");
        }
    }
    PetscCall(CaromSpaceVector(&run->space, &pressure));
    PetscCall(CaromSpaceVector(&run->space, &status));
    PetscCall(contact_fields(run, pressure, status));
    PetscCall(CaromSpaceUpdate(run->motion.u));
    PetscCall(CaromSpaceUpdate(run->motion.v));
    for (PetscInt b = 0; b < run->space.mesh.bodies; b++) {
        PetscCall(put_piece(run, b, pressure, status, &text));
    }
    PetscCall(VecDestroy(&pressure));
    PetscCall(VecDestroy(&status));
    PetscCall(write_pieces(run, file, &text));
    free(text.data);
    if (file != NULL) {
        fputs("</UnstructuredGrid>\n</VTKFile>\n", file);
        int bad = ferror(file);
        bad = fclose(file) != 0 || bad;
        if (bad || !write_list(run, k)) {
            CaromSay(&run->trouble, 3, "cannot write %s: %s", path, strerror(errno));
        }
    }
    run->pictures = k + 1;
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}
