/* The state of a run in a file from which it goes on to the same bits: time, displacements, velocities, what the scheme
 * remembers, totals. The file belongs to one model, one set of parameters, one step and one number of ranks, and says
 * so; a checksum over all of it tells damage. A state with a value that is not finite is neither written nor read. */
#define _XOPEN_SOURCE 700

#include "../driver/file.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

typedef struct {
    carom_saved_head head;
    int64_t ranks, nodes, surfaces, memory; /* memory: doubles of all ranks */
    int64_t solves, products, unsolved, doubled;
    int64_t law_broken, frozen;
    double impulse[3], momentum[3], worst, energy0, acted, slack, law_worst, law_force, law_speed;
    double deepest[3]; /* depth, time, surface or pair */
} Header;

/* Where the parts of the file begin: header, parameters, totals, greatest deformations of the bodies, then u, v and
 * memory, each of all ranks. */
typedef struct {
    MPI_Offset parameters, totals, deformed, u, v, memory, end;
} Layout;

static Layout layout_of(const Header *header, const CaromRun *run)
{
    const PetscInt d = run->space.d;
    Layout at;
    at.parameters = (MPI_Offset)sizeof(Header);
    at.totals = at.parameters + (MPI_Offset)((size_t)header->head.parameters * sizeof(double));
    at.deformed = at.totals + (MPI_Offset)((size_t)header->surfaces * sizeof(CaromTotal));
    at.u = at.deformed + (MPI_Offset)((size_t)run->model->bodies * sizeof(carom_deformed));
    at.v = at.u + (MPI_Offset)((size_t)header->nodes * (size_t)d * sizeof(double));
    at.memory = at.v + (MPI_Offset)((size_t)header->nodes * (size_t)d * sizeof(double));
    at.end = at.memory + (MPI_Offset)((size_t)header->memory * sizeof(double));
    return at;
}

/* Is every number of a header, its parameters, totals and deformations finite, and every count possible? */
static int all_finite(const Header *header, const CaromRun *run, const double *parameter, const CaromTotal *total)
{
    const int parameters = run->model->parameters;
    int good = header->head.step >= 0 && header->solves >= 0 && header->products >= 0 && header->unsolved >= 0 &&
               header->doubled >= 0 && header->law_broken >= 0 && header->frozen >= 0 && header->head.t >= 0 &&
               header->deepest[0] >= 0 && header->deepest[2] >= -1 && header->deepest[2] < (double)header->surfaces &&
               header->head.t <= ((double)header->head.step + 1) * header->head.h &&
               !PetscIsInfOrNanReal(header->head.t) &&
               !PetscIsInfOrNanReal(header->head.cpu) /* steps are h or shorter */;
    for (size_t at = offsetof(Header, impulse); at < sizeof(Header); at += sizeof(double)) {
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
    for (int b = 0; b < run->model->bodies; b++) {
        const carom_deformed *most = &run->deformed[b];
        good = good && most->strain >= 0 && most->rotation >= 0 &&
               !PetscIsInfOrNanReal(most->strain + most->rotation + most->strain_t + most->rotation_t);
    }
    return good;
}

/* The checksum of header, parameters and totals at hand and of u, v and memory of all ranks, in their order; and is all
 * of these finite? */
static PetscErrorCode sum_up(CaromRun *run, const Header *header, const double *parameter, const CaromTotal *total,
                             uint64_t *sum, int *finite)
{
    const PetscInt n = run->space.mesh.owned * run->space.d;
    const size_t count[3] = {(size_t)n, (size_t)n, (size_t)run->motion.memory_size};
    PetscReal *data[3] = {NULL, NULL, run->motion.memory};
    Header plain;
    uint64_t mine = 1, *all;
    int good = 1;
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(run->motion.u, &data[0]));
    PetscCall(VecGetArray(run->motion.v, &data[1]));
    for (int k = 0; k < 3; k++) {
        mine = carom_saved_sum(mine, data[k], count[k] * sizeof(double));
        for (size_t i = 0; i < count[k]; i++) {
            good = good && !PetscIsInfOrNanReal(data[k][i]);
        }
    }
    PetscCall(VecRestoreArray(run->motion.u, &data[0]));
    PetscCall(VecRestoreArray(run->motion.v, &data[1]));
    PetscCall(PetscMalloc1(run->ranks, &all));
    PetscCallMPI(MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, run->comm));
    PetscCallMPI(MPI_Allreduce(&good, finite, 1, MPI_INT, MPI_MIN, run->comm));
    *finite = *finite && all_finite(header, run, parameter, total);
    memcpy(&plain, header, sizeof plain);
    plain.head.checksum = 0;
    *sum = carom_saved_sum(1, &plain, sizeof plain);
    *sum = carom_saved_sum(*sum, parameter, (size_t)run->model->parameters * sizeof(double));
    *sum = carom_saved_sum(*sum, total, (size_t)header->surfaces * sizeof(CaromTotal));
    *sum = carom_saved_sum(*sum, run->deformed, (size_t)run->model->bodies * sizeof *run->deformed);
    *sum = carom_saved_sum(*sum, all, (size_t)run->ranks * sizeof *all);
    PetscCall(PetscFree(all));
    PetscFunctionReturn(0);
}

static PetscErrorCode describe(CaromRun *run, Header *header, PetscInt *first_memory)
{
    const PetscInt mine = run->motion.memory_size;
    PetscInt all;
    int64_t doubled;
    PetscFunctionBeginUser;
    memset(header, 0, sizeof *header); /* gaps between the fields count in the checksum */
    *header = (Header){.ranks = run->ranks,
                       .nodes = run->space.mesh.total,
                       .surfaces = CaromMeetings(run->model),
                       .solves = run->motion.solves,
                       .products = run->motion.products,
                       .unsolved = run->motion.unsolved,
                       .worst = run->motion.worst,
                       .energy0 = run->energy0,
                       .acted = run->motion.acted,
                       .slack = run->motion.slack,
                       .law_broken = run->motion.law_broken,
                       .frozen = run->motion.frozen,
                       .law_worst = run->motion.law_worst,
                       .law_force = run->motion.law_force,
                       .law_speed = run->motion.law_speed,
                       .deepest = {run->motion.deepest.depth, run->motion.deepest.t, run->motion.deepest.contact}};
    carom_saved_head_make(&header->head, &run->face.model, CAROM_ON_PETSC, &run->steps, run->motion.t, run->cpu);
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
    const Layout at = layout_of(header, run);
    const MPI_Offset mine = (MPI_Offset)run->space.mesh.first * d * (MPI_Offset)sizeof(double);
    const MPI_Offset place[3] = {at.u + mine, at.v + mine,
                                 at.memory + (MPI_Offset)((size_t)first_memory * sizeof(double))};
    PetscReal *data[3] = {NULL, NULL, run->motion.memory};
    const int count[3] = {(int)n, (int)n, (int)run->motion.memory_size};
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

/* A closed file goes to the disk and then gets its name; 0 when good. */
static int settle(const char *part, const char *path)
{
    const int file = open(part, O_RDONLY);
    int bad = file < 0 || fsync(file) != 0;
    if (file >= 0 && close(file) != 0) {
        bad = 1;
    }
    if (!carom_file_renamed(path)) { /* a device: nothing to come back to */
        return unlink(part) != 0 || bad ? -1 : 0;
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
    PetscCall(CaromResultFlush(run, PETSC_TRUE)); /* a run that goes on from here finds its rows */
    PetscCall(describe(run, &header, &first));
    PetscCall(sum_up(run, &header, run->p, run->obstacles.total, &header.head.checksum, &finite));
    if (!finite) {
        CaromSay(&run->trouble, 1,
                 "by step %lld, t = %.10g, a displacement or velocity became infinite or not a number; no checkpoint "
                 "of that is written",
                 (long long)run->steps.step, run->motion.t);
        PetscFunctionReturn(0);
    }
    (void)snprintf(part, sizeof part, "%s.part", run->options.checkpoint);
    if (run->rank == 0) { /* which says why not */
        const int first_try = open(part, O_CREAT | O_WRONLY, 0666);
        if (first_try < 0 || close(first_try) != 0) {
            CaromSay(&run->trouble, 3, "cannot write %s: %s", run->options.checkpoint, strerror(errno));
        }
    }
    PetscCall(CaromAgree(run->comm, &run->trouble));
    if (run->trouble.code != 0) {
        PetscFunctionReturn(0);
    }
    bad = MPI_File_open(run->comm, part, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS;
    if (!bad) {
        const Layout at = layout_of(&header, run);
        bad = MPI_File_set_size(file, at.end) != MPI_SUCCESS; /* what a killed run left may be longer */
        if (run->rank == 0) {
            bad = bad ||
                  MPI_File_write_at(file, 0, &header, (int)sizeof header, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                  MPI_File_write_at(file, at.parameters, run->p, run->model->parameters, MPI_DOUBLE,
                                    MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                  MPI_File_write_at(file, at.totals, run->obstacles.total,
                                    (int)((size_t)header.surfaces * sizeof(CaromTotal)), MPI_BYTE,
                                    MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                  MPI_File_write_at(file, at.deformed, run->deformed,
                                    (int)((size_t)run->model->bodies * sizeof *run->deformed), MPI_BYTE,
                                    MPI_STATUS_IGNORE) != MPI_SUCCESS;
        }
        PetscCall(carry(run, file, &header, first, PETSC_TRUE, &bad));
        bad = MPI_File_close(&file) != MPI_SUCCESS || bad;
    }
    PetscCall(any_bad(run, &bad)); /* the name is for a file that is whole on all ranks */
    if (run->rank == 0 && !bad) {
        bad = settle(part, run->options.checkpoint) != 0;
    }
    if (run->rank == 0 && bad) {
        (void)unlink(part);
    }
    if (bad) {
        CaromSay(&run->trouble, 3, "cannot write %s", run->options.checkpoint);
    }
    PetscCall(CaromAgree(run->comm, &run->trouble));
    run->saved = (PetscBool)(run->trouble.code == 0);
    PetscFunctionReturn(0);
}

/* Whether the file belongs to this run. */
static void compare(CaromRun *run, const Header *is, const Header *want, const double *parameter)
{
    const char *path = run->options.resume;
    char message[CAROM_MESSAGE_SIZE];
    if (!carom_saved_belongs(path, &is->head, &want->head, &run->face.model, parameter, run->p, message)) {
        CaromSay(&run->trouble, 2, "%s", message);
    } else if (is->ranks != want->ranks || is->nodes != want->nodes) {
        CaromSay(&run->trouble, 2, "%s is of a run with %d ranks and %d nodes, this one has %d ranks and %d nodes",
                 path, (int)is->ranks, (int)is->nodes, (int)want->ranks, (int)want->nodes);
    } else if (is->memory != want->memory || is->surfaces != want->surfaces) {
        CaromSay(&run->trouble, 2, "%s is of a run with other contacts", path);
    }
}

static void refuse(CaromRun *run, carom_saved_fault fault)
{
    char message[CAROM_MESSAGE_SIZE];
    carom_saved_refuse(run->options.resume, fault, message);
    CaromSay(&run->trouble, 2, "%s", message);
}

/* The run goes on where the file says. */
static PetscErrorCode take_over(CaromRun *run, const Header *header)
{
    PetscFunctionBeginUser;
    run->steps.step = (unsigned long long)header->head.step;
    run->motion.t = header->head.t;
    run->motion.solves = header->solves;
    run->motion.products = header->products;
    run->motion.unsolved = header->unsolved;
    run->motion.worst = header->worst;
    run->obstacles.doubled = run->rank == 0 ? header->doubled : 0;
    run->energy0 = header->energy0;
    run->cpu = header->head.cpu;
    run->motion.acted = header->acted;
    run->motion.slack = header->slack;
    run->motion.law_broken = header->law_broken;
    run->motion.frozen = header->frozen;
    run->motion.law_worst = header->law_worst;
    run->motion.deepest = (carom_deepest){header->deepest[0], header->deepest[1], (int)header->deepest[2]};
    run->motion.law_force = header->law_force;
    run->motion.law_speed = header->law_speed;
    PetscCall(PetscArraycpy(run->motion.impulse, header->impulse, 3));
    PetscCall(PetscArraycpy(run->motion.momentum, header->momentum, 3));
    PetscFunctionReturn(0);
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
        refuse(run, CAROM_SAVED_UNREADABLE);
        PetscCall(PetscFree(parameter));
        PetscFunctionReturn(0);
    }
    const Layout at = layout_of(&want, run);
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
                                   MPI_STATUS_IGNORE) != MPI_SUCCESS ||
              MPI_File_read_at_all(file, at.deformed, run->deformed,
                                   (int)((size_t)run->model->bodies * sizeof *run->deformed), MPI_BYTE,
                                   MPI_STATUS_IGNORE) != MPI_SUCCESS;
        PetscCall(carry(run, file, &header, first, PETSC_FALSE, &bad));
    }
    (void)MPI_File_close(&file);
    PetscCall(any_bad(run, &bad));
    if (bad) {
        refuse(run, CAROM_SAVED_SHORT);
    } else if (run->trouble.code == 0) {
        uint64_t sum;
        int finite;
        PetscCall(sum_up(run, &header, parameter, run->obstacles.total, &sum, &finite));
        if (sum != header.head.checksum) { /* all ranks have both */
            refuse(run, CAROM_SAVED_DAMAGED);
        } else if (!finite) {
            refuse(run, CAROM_SAVED_IMPOSSIBLE);
        } else {
            PetscCall(take_over(run, &header));
        }
    }
    PetscCall(PetscFree(parameter));
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}
