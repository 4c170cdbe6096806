/* The state of a run in a file from which it goes on to the same bits: time, displacements, velocities, what the scheme remembers,
 * totals. The file belongs to one model, one set of parameters, one step and one number of ranks, and says so. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include <errno.h>
#include <stdint.h>

typedef struct {
    char magic[16], digest[72];
    int64_t ranks, nodes, surfaces, parameters, memory; /* memory: doubles of all contact nodes */
    int64_t step, solves, products, unsolved, doubled;
    double t, h, impulse[3], momentum[3], worst, energy0, cpu, acted;
} Header;

static const char magic[16] = "carom state 1\n";

/* Where the parts of the file begin: header, parameters, totals, then u, v and memory, each of all ranks. */
typedef struct {
    MPI_Offset parameters, totals, u, v, memory;
} Layout;

static Layout layout_of(const Header *header, PetscInt d)
{
    Layout at;
    at.parameters = (MPI_Offset)sizeof(Header);
    at.totals = at.parameters + (MPI_Offset)((size_t)header->parameters * sizeof(double));
    at.u = at.totals + (MPI_Offset)((size_t)header->surfaces * sizeof(CaromTotal));
    at.v = at.u + (MPI_Offset)((size_t)header->nodes * (size_t)d * sizeof(double));
    at.memory = at.v + (MPI_Offset)((size_t)header->nodes * (size_t)d * sizeof(double));
    return at;
}

static PetscErrorCode describe(CaromRun *run, Header *header, PetscInt *first_memory)
{
    const PetscInt mine = run->obstacles.n * run->motion.memory_size;
    PetscInt all;
    int64_t doubled;
    PetscFunctionBeginUser;
    *header = (Header){.ranks = run->ranks, .nodes = run->space.mesh.total, .surfaces = CaromMeetings(run->model),
                       .parameters = run->model->parameters, .step = run->step, .t = run->motion.t, .h = run->h,
                       .solves = run->motion.solves, .products = run->motion.products, .unsolved = run->motion.unsolved,
                       .worst = run->motion.worst, .energy0 = run->energy0, .cpu = run->cpu,
                       .acted = run->motion.acted};
    memcpy(header->magic, magic, sizeof magic);
    (void)snprintf(header->digest, sizeof header->digest, "%s", run->model->digest);
    PetscCall(PetscArraycpy(header->impulse, run->motion.impulse, 3));
    PetscCall(PetscArraycpy(header->momentum, run->motion.momentum, 3));
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPIU_INT, MPI_SUM, run->comm));
    header->memory = all;
    doubled = run->obstacles.doubled;
    PetscCallMPI(MPI_Allreduce(&doubled, &header->doubled, 1, MPI_INT64_T, MPI_SUM, run->comm));
    *first_memory = 0;
    PetscCallMPI(MPI_Exscan(&mine, first_memory, 1, MPIU_INT, MPI_SUM, run->comm));
    *first_memory = run->rank == 0 ? 0 : *first_memory;
    PetscFunctionReturn(0);
}

/* u, v and memory of this rank, to or from the file; 0 when good. */
static PetscErrorCode carry(CaromRun *run, MPI_File file, const Header *header, PetscInt first_memory, PetscBool write, int *bad)
{
    const PetscInt d = run->space.d, n = run->space.mesh.owned * d;
    const Layout at = layout_of(header, d);
    const MPI_Offset mine = (MPI_Offset)((size_t)run->space.mesh.first * (size_t)d * sizeof(double));
    const MPI_Offset place[3] = {at.u + mine, at.v + mine, at.memory + (MPI_Offset)((size_t)first_memory * sizeof(double))};
    PetscReal *data[3] = {NULL, NULL, run->motion.memory};
    const int count[3] = {(int)n, (int)n, (int)(run->obstacles.n * run->motion.memory_size)};
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(run->motion.u, &data[0]));
    PetscCall(VecGetArray(run->motion.v, &data[1]));
    for (int k = 0; k < 3 && !*bad; k++) {
        MPI_Status status;
        int got = 0;
        *bad = (write ? MPI_File_write_at_all(file, place[k], data[k], count[k], MPI_DOUBLE, &status)
                      : MPI_File_read_at_all(file, place[k], data[k], count[k], MPI_DOUBLE, &status)) != MPI_SUCCESS;
        if (!*bad && MPI_Get_count(&status, MPI_DOUBLE, &got) == MPI_SUCCESS) {
            *bad = got != count[k];
        }
    }
    PetscCall(VecRestoreArray(run->motion.u, &data[0]));
    PetscCall(VecRestoreArray(run->motion.v, &data[1]));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCheckpointWrite(CaromRun *run)
{
    Header header;
    PetscInt first;
    MPI_File file;
    char part[4096];
    int bad;
    PetscFunctionBeginUser;
    PetscCall(describe(run, &header, &first));
    (void)snprintf(part, sizeof part, "%s.part", run->options.checkpoint);
    bad = MPI_File_open(run->comm, part, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS;
    if (!bad) {
        const Layout at = layout_of(&header, run->space.d);
        if (run->rank == 0) {
            bad = MPI_File_write_at(file, 0, &header, (int)sizeof header, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                  MPI_File_write_at(file, at.parameters, run->p, run->model->parameters, MPI_DOUBLE, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                  MPI_File_write_at(file, at.totals, run->obstacles.total, (int)((size_t)header.surfaces * sizeof(CaromTotal)), MPI_BYTE,
                                    MPI_STATUS_IGNORE) != MPI_SUCCESS;
        }
        PetscCall(carry(run, file, &header, first, PETSC_TRUE, &bad));
        bad = MPI_File_close(&file) != MPI_SUCCESS || bad;
    }
    if (run->rank == 0 && !bad) {
        bad = rename(part, run->options.checkpoint) != 0;
    }
    if (bad) {
        CaromSay(&run->trouble, 3, "cannot write the checkpoint %s", run->options.checkpoint);
    }
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}

/* Whether the file belongs to this run. */
static void compare(CaromRun *run, const Header *is, const Header *want, const double *parameter)
{
    const char *path = run->options.resume;
    if (memcmp(is->magic, magic, sizeof magic) != 0) {
        CaromSay(&run->trouble, 2, "%s is not a checkpoint", path);
    } else if (strcmp(is->digest, want->digest) != 0) {
        CaromSay(&run->trouble, 2, "%s belongs to another model or scheme", path);
    } else if (is->ranks != want->ranks || is->nodes != want->nodes) {
        CaromSay(&run->trouble, 2, "%s is of a run with %d ranks and %d nodes, this one has %d ranks and %d nodes", path, (int)is->ranks, (int)is->nodes,
                 (int)want->ranks, (int)want->nodes);
    } else if (is->memory != want->memory || is->surfaces != want->surfaces || is->parameters != want->parameters) {
        CaromSay(&run->trouble, 2, "%s is of a run with other contacts", path);
    } else if (is->h < want->h || is->h > want->h) {
        CaromSay(&run->trouble, 2, "%s has step %.17g, this run has %.17g; say --step %.17g", path, is->h, want->h, is->h);
    }
    for (int i = 0; i < run->model->parameters && run->trouble.code == 0; i++) {
        if (parameter[i] < run->p[i] || parameter[i] > run->p[i]) {
            CaromSay(&run->trouble, 2, "%s has %s = %.17g, this run has %.17g", path, run->model->parameter[i].name, parameter[i], run->p[i]);
        }
    }
}

PetscErrorCode CaromCheckpointRead(CaromRun *run)
{
    Header header = {.ranks = 0}, want;
    PetscInt first;
    double *parameter;
    MPI_File file;
    int bad;
    PetscFunctionBeginUser;
    PetscCall(describe(run, &want, &first));
    PetscCall(PetscCalloc1(run->model->parameters, &parameter));
    if (MPI_File_open(run->comm, run->options.resume, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
        CaromSay(&run->trouble, 2, "cannot read the checkpoint %s", run->options.resume);
        PetscCall(PetscFree(parameter));
        PetscFunctionReturn(0);
    }
    const Layout at = layout_of(&want, run->space.d);
    bad = MPI_File_read_at_all(file, 0, &header, (int)sizeof header, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
          MPI_File_read_at_all(file, at.parameters, parameter, run->model->parameters, MPI_DOUBLE, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    if (!bad) {
        compare(run, &header, &want, parameter);
    }
    if (!bad && run->trouble.code == 0) {
        bad = MPI_File_read_at_all(file, at.totals, run->obstacles.total, (int)((size_t)header.surfaces * sizeof(CaromTotal)), MPI_BYTE,
                                   MPI_STATUS_IGNORE) != MPI_SUCCESS;
        PetscCall(carry(run, file, &header, first, PETSC_FALSE, &bad));
        run->step = header.step;
        run->motion.t = header.t;
        run->motion.solves = header.solves;
        run->motion.products = header.products;
        run->motion.unsolved = header.unsolved;
        run->motion.worst = header.worst;
        run->obstacles.doubled = run->rank == 0 ? header.doubled : 0;
        run->energy0 = header.energy0;
        run->cpu = header.cpu;
        run->motion.acted = header.acted;
        PetscCall(PetscArraycpy(run->motion.impulse, header.impulse, 3));
        PetscCall(PetscArraycpy(run->motion.momentum, header.momentum, 3));
    }
    (void)MPI_File_close(&file);
    PetscCall(PetscFree(parameter));
    if (bad) {
        CaromSay(&run->trouble, 2, "%s is not a whole checkpoint", run->options.resume);
    }
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}
