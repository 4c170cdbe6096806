/* The state of a run in a file from which it goes on to the same bits: time, displacements, velocities, what the scheme
 * remembers, totals. The file belongs to one model, one set of parameters, one step and one number of ranks, and says
 * so; a checksum over all of it tells damage. A state with a value that is not finite is neither written nor read. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

typedef struct {
    char magic[16], digest[72];
    int64_t ranks, nodes, surfaces, parameters, memory; /* memory: doubles of all contact nodes */
    int64_t step, solves, products, unsolved, doubled;
    int64_t law_broken;
    double t, h, impulse[3], momentum[3], worst, energy0, cpu, acted, slack, law_worst, law_force, law_speed, fastest;
    double deepest[3]; /* depth, time, surface or pair */
    uint64_t checksum; /* of everything, with 0 here */
} Header;

static const char magic[16] = "carom state 3\n";

/* Where the parts of the file begin: header, parameters, totals, then u, v and memory, each of all ranks. */
typedef struct {
    MPI_Offset parameters, totals, u, v, memory, end;
} Layout;

static Layout layout_of(const Header *header, PetscInt d)
{
    Layout at;
    at.parameters = (MPI_Offset)sizeof(Header);
    at.totals = at.parameters + (MPI_Offset)((size_t)header->parameters * sizeof(double));
    at.u = at.totals + (MPI_Offset)((size_t)header->surfaces * sizeof(CaromTotal));
    at.v = at.u + (MPI_Offset)((size_t)header->nodes * (size_t)d * sizeof(double));
    at.memory = at.v + (MPI_Offset)((size_t)header->nodes * (size_t)d * sizeof(double));
    at.end = at.memory + (MPI_Offset)((size_t)header->memory * sizeof(double));
    return at;
}

/* Word by word, each step a bijection of what was before: a single damaged word always shows. The tail of a text counts
 * as a word. */
static uint64_t digest(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, byte + i, size - i < sizeof word ? size - i : sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

/* Is every number of a header, its parameters and totals finite, and every count possible? */
static int all_finite(const Header *header, const double *parameter, int parameters, const CaromTotal *total)
{
    int good = header->step >= 0 && header->solves >= 0 && header->products >= 0 && header->unsolved >= 0 &&
               header->doubled >= 0 && header->law_broken >= 0 && header->t >= 0 && header->deepest[0] >= 0 &&
               header->deepest[2] >= -1 && header->deepest[2] < (double)header->surfaces &&
               header->t <= ((double)header->step + 1) * header->h /* steps are h or shorter */;
    for (size_t at = offsetof(Header, t); at < offsetof(Header, checksum); at += sizeof(double)) {
        double x;
        memcpy(&x, (const char *)header + at, sizeof x);
        good = good && !PetscIsInfOrNanReal(x);
    }
    for (int i = 0; i < parameters; i++) {
        good = good && !PetscIsInfOrNanReal(parameter[i]);
    }
    for (int64_t s = 0; s < header->surfaces; s++) {
        good = good && total[s].closed >= 0 && !PetscIsInfOrNanReal(total[s].normal) &&
               !PetscIsInfOrNanReal(total[s].total);
        for (int c = 0; c < 3; c++) {
            good = good && !PetscIsInfOrNanReal(total[s].vector[c]);
        }
    }
    return good;
}

/* The checksum of header, parameters and totals at hand and of u, v and memory of all ranks, in their order; and is all
 * of these finite? */
static PetscErrorCode sum_up(CaromRun *run, const Header *header, const double *parameter, const CaromTotal *total,
                             uint64_t *sum, int *finite)
{
    const PetscInt n = run->space.mesh.owned * run->space.d;
    const size_t count[3] = {(size_t)n, (size_t)n, (size_t)(run->obstacles.n * run->motion.memory_size)};
    PetscReal *data[3] = {NULL, NULL, run->motion.memory};
    Header plain;
    uint64_t mine = 1, *all;
    int good = 1;
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(run->motion.u, &data[0]));
    PetscCall(VecGetArray(run->motion.v, &data[1]));
    for (int k = 0; k < 3; k++) {
        mine = digest(mine, data[k], count[k] * sizeof(double));
        for (size_t i = 0; i < count[k]; i++) {
            good = good && !PetscIsInfOrNanReal(data[k][i]);
        }
    }
    PetscCall(VecRestoreArray(run->motion.u, &data[0]));
    PetscCall(VecRestoreArray(run->motion.v, &data[1]));
    PetscCall(PetscMalloc1(run->ranks, &all));
    PetscCallMPI(MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, run->comm));
    PetscCallMPI(MPI_Allreduce(&good, finite, 1, MPI_INT, MPI_MIN, run->comm));
    *finite = *finite && all_finite(header, parameter, run->model->parameters, total);
    memcpy(&plain, header, sizeof plain);
    plain.checksum = 0;
    *sum = digest(1, &plain, sizeof plain);
    *sum = digest(*sum, parameter, (size_t)run->model->parameters * sizeof(double));
    *sum = digest(*sum, total, (size_t)header->surfaces * sizeof(CaromTotal));
    *sum = digest(*sum, all, (size_t)run->ranks * sizeof *all);
    PetscCall(PetscFree(all));
    PetscFunctionReturn(0);
}

static PetscErrorCode describe(CaromRun *run, Header *header, PetscInt *first_memory)
{
    const PetscInt mine = run->obstacles.n * run->motion.memory_size;
    PetscInt all;
    int64_t doubled;
    PetscFunctionBeginUser;
    memset(header, 0, sizeof *header); /* gaps between the fields count in the checksum */
    *header = (Header){.ranks = run->ranks,
                       .nodes = run->space.mesh.total,
                       .surfaces = CaromMeetings(run->model),
                       .parameters = run->model->parameters,
                       .step = run->step,
                       .t = run->motion.t,
                       .h = run->h,
                       .solves = run->motion.solves,
                       .products = run->motion.products,
                       .unsolved = run->motion.unsolved,
                       .worst = run->motion.worst,
                       .energy0 = run->energy0,
                       .cpu = run->cpu,
                       .acted = run->motion.acted,
                       .slack = run->motion.slack,
                       .law_broken = run->motion.law_broken,
                       .law_worst = run->motion.law_worst,
                       .law_force = run->motion.law_force,
                       .law_speed = run->motion.law_speed,
                       .fastest = run->obstacles.fastest,
                       .deepest = {run->motion.deepest.depth, run->motion.deepest.t, run->motion.deepest.contact}};
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

/* Bad on one rank is bad on all. */
static PetscErrorCode any_bad(const CaromRun *run, int *bad)
{
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bad, 1, MPI_INT, MPI_MAX, run->comm));
    PetscFunctionReturn(0);
}

/* u, v and memory of all ranks, to or from the file. */
static PetscErrorCode carry(CaromRun *run, MPI_File file, const Header *header, PetscInt first_memory, PetscBool write,
                            int *bad)
{
    const PetscInt d = run->space.d, n = run->space.mesh.owned * d;
    const Layout at = layout_of(header, d);
    const MPI_Offset mine = (MPI_Offset)run->space.mesh.first * d * (MPI_Offset)sizeof(double);
    const MPI_Offset place[3] = {at.u + mine, at.v + mine,
                                 at.memory + (MPI_Offset)((size_t)first_memory * sizeof(double))};
    PetscReal *data[3] = {NULL, NULL, run->motion.memory};
    const int count[3] = {(int)n, (int)n, (int)(run->obstacles.n * run->motion.memory_size)};
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(run->motion.u, &data[0]));
    PetscCall(VecGetArray(run->motion.v, &data[1]));
    PetscCall(any_bad(run, bad)); /* all ranks come to what all ranks do together, or none */
    for (int k = 0; k < 3 && !*bad; k++) {
        MPI_Status status;
        int got = 0;
        *bad = (write ? MPI_File_write_at_all(file, place[k], data[k], count[k], MPI_DOUBLE, &status)
                      : MPI_File_read_at_all(file, place[k], data[k], count[k], MPI_DOUBLE, &status)) != MPI_SUCCESS;
        if (!*bad && MPI_Get_count(&status, MPI_DOUBLE, &got) == MPI_SUCCESS) {
            *bad = got != count[k];
        }
        PetscCall(any_bad(run, bad));
    }
    PetscCall(VecRestoreArray(run->motion.u, &data[0]));
    PetscCall(VecRestoreArray(run->motion.v, &data[1]));
    PetscFunctionReturn(0);
}

int CaromFileSettle(const char *part, const char *path)
{
    const int file = open(part, O_RDONLY);
    int bad = file < 0 || fsync(file) != 0;
    if (file >= 0 && close(file) != 0) {
        bad = 1;
    }
    return bad || rename(part, path) != 0 ? -1 : 0;
}

PetscErrorCode CaromCheckpointWrite(CaromRun *run)
{
    Header header;
    PetscInt first;
    MPI_File file;
    char part[4096];
    int bad, finite;
    PetscFunctionBeginUser;
    PetscCall(CaromResultFlush(run)); /* a run that goes on from here finds its rows */
    PetscCall(describe(run, &header, &first));
    PetscCall(sum_up(run, &header, run->p, run->obstacles.total, &header.checksum, &finite));
    if (!finite) {
        CaromSay(&run->trouble, 1,
                 "by step %lld, t = %.10g, a displacement or velocity became infinite or not a number; no checkpoint "
                 "of that is written",
                 (long long)run->step, run->motion.t);
        PetscFunctionReturn(0);
    }
    (void)snprintf(part, sizeof part, "%s.part", run->options.checkpoint);
    bad = MPI_File_open(run->comm, part, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS;
    if (!bad) {
        const Layout at = layout_of(&header, run->space.d);
        bad = MPI_File_set_size(file, at.end) != MPI_SUCCESS; /* what a killed run left may be longer */
        if (run->rank == 0) {
            bad = bad ||
                  MPI_File_write_at(file, 0, &header, (int)sizeof header, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                  MPI_File_write_at(file, at.parameters, run->p, run->model->parameters, MPI_DOUBLE,
                                    MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                  MPI_File_write_at(file, at.totals, run->obstacles.total,
                                    (int)((size_t)header.surfaces * sizeof(CaromTotal)), MPI_BYTE,
                                    MPI_STATUS_IGNORE) != MPI_SUCCESS;
        }
        PetscCall(carry(run, file, &header, first, PETSC_TRUE, &bad));
        bad = MPI_File_close(&file) != MPI_SUCCESS || bad;
    }
    PetscCall(any_bad(run, &bad)); /* the name is for a file that is whole on all ranks */
    if (run->rank == 0 && !bad) {
        bad = CaromFileSettle(part, run->options.checkpoint) != 0;
    }
    if (run->rank == 0 && bad) {
        (void)unlink(part);
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
    } else if (strncmp(is->digest, want->digest, sizeof is->digest) != 0) {
        CaromSay(&run->trouble, 2, "%s belongs to another model or scheme", path);
    } else if (is->ranks != want->ranks || is->nodes != want->nodes) {
        CaromSay(&run->trouble, 2, "%s is of a run with %d ranks and %d nodes, this one has %d ranks and %d nodes",
                 path, (int)is->ranks, (int)is->nodes, (int)want->ranks, (int)want->nodes);
    } else if (is->memory != want->memory || is->surfaces != want->surfaces || is->parameters != want->parameters) {
        CaromSay(&run->trouble, 2, "%s is of a run with other contacts", path);
    } else if (is->h < want->h || is->h > want->h) {
        CaromSay(&run->trouble, 2, "%s has step %.17g, this run has %.17g; say --step %.17g", path, is->h, want->h,
                 is->h);
    }
    for (int i = 0; i < run->model->parameters && run->trouble.code == 0; i++) {
        if (parameter[i] < run->p[i] || parameter[i] > run->p[i]) {
            CaromSay(&run->trouble, 2, "%s has %s = %.17g, this run has %.17g", path, run->model->parameter[i].name,
                     parameter[i], run->p[i]);
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
    MPI_Offset size = 0;
    bad = MPI_File_get_size(file, &size) != MPI_SUCCESS || size < at.totals ||
          MPI_File_read_at_all(file, 0, &header, (int)sizeof header, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
          MPI_File_read_at_all(file, at.parameters, parameter, run->model->parameters, MPI_DOUBLE, MPI_STATUS_IGNORE) !=
              MPI_SUCCESS;
    PetscCall(any_bad(run, &bad));
    if (!bad) {
        compare(run, &header, &want, parameter);
        bad = run->trouble.code == 0 && size != at.end;
    }
    if (!bad && run->trouble.code == 0) {
        bad = MPI_File_read_at_all(file, at.totals, run->obstacles.total,
                                   (int)((size_t)header.surfaces * sizeof(CaromTotal)), MPI_BYTE,
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
        run->motion.slack = header.slack;
        run->motion.law_broken = header.law_broken;
        run->motion.law_worst = header.law_worst;
        run->motion.deepest = (carom_deepest){header.deepest[0], header.deepest[1], (int)header.deepest[2]};
        run->motion.law_force = header.law_force;
        run->motion.law_speed = header.law_speed;
        run->obstacles.fastest = header.fastest;
        PetscCall(PetscArraycpy(run->motion.impulse, header.impulse, 3));
        PetscCall(PetscArraycpy(run->motion.momentum, header.momentum, 3));
    }
    (void)MPI_File_close(&file);
    PetscCall(any_bad(run, &bad));
    if (bad) {
        CaromSay(&run->trouble, 2, "%s is not a whole checkpoint", run->options.resume);
    } else if (run->trouble.code == 0) {
        uint64_t sum;
        int finite;
        PetscCall(sum_up(run, &header, parameter, run->obstacles.total, &sum, &finite));
        if (sum != header.checksum) { /* all ranks have both */
            CaromSay(&run->trouble, 2,
                     "%s is damaged: its checksum is not that of what it holds; go on from an earlier one",
                     run->options.resume);
        } else if (!finite) {
            CaromSay(&run->trouble, 2,
                     "%s holds a value that is infinite, not a number, or impossible; go on from an earlier one",
                     run->options.resume);
        }
    }
    PetscCall(PetscFree(parameter));
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}
