/* result.csv: probes, energies, contact totals. The first rank writes; the file gets its name when the run has
 * ended. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include "../driver/text.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char axis_name[3] = {'x', 'y', 'z'};

PetscErrorCode CaromProbesFind(CaromRun *run)
{
    const carom_large *model = run->model;
    const CaromMesh *mesh = &run->space.mesh;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(model->probes, &run->probe_rank, model->probes, &run->probe_node));
    for (int k = 0; k < model->probes; k++) {
        const CaromBodyMesh *body = &mesh->body[model->probe[k].body];
        struct {
            double distance;
            int rank;
        } mine = {PETSC_MAX_REAL, run->rank}, best;
        run->probe_node[k] = 0;
        for (PetscInt i = 0; i < body->cells * body->nodes; i++) {
            const PetscInt node = body->cell[i];
            PetscReal distance = 0;
            for (PetscInt c = 0; c < mesh->d; c++) {
                distance += PetscSqr(mesh->X[node * mesh->d + c] - model->probe[k].at[c]);
            }
            if (node < mesh->owned && distance < mine.distance) {
                mine.distance = distance;
                run->probe_node[k] = node;
            }
        }
        PetscCallMPI(MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, run->comm));
        run->probe_rank[k] = best.rank;
    }
    PetscFunctionReturn(0);
}

static void header(FILE *file, const carom_large *model)
{
    fputc('t', file);
    for (int k = 0; k < model->probes; k++) {
        for (int rate = 0; rate < 2; rate++) {
            for (int c = 0; c < model->dimension; c++) {
                fprintf(file, ",%s.%c%s", model->probe[k].name, axis_name[c], rate ? ".dot" : "");
            }
        }
    }
    fputs(",kinetic,elastic,energy", file);
    for (int s = 0; s < CaromMeetings(model); s++) {
        const char *name = CaromMeetingOf(model, s).name;
        fprintf(file, ",%s.force,%s.impulse,%s.closed", name, name, name);
        for (int c = 0; c < model->dimension; c++) {
            fprintf(file, ",%s.force.%c", name, axis_name[c]);
        }
    }
    for (int f = 0; f < model->fixes; f++) {
        for (int c = 0; c < model->dimension && CaromSupport(model, f) == f; c++) {
            fprintf(file, ",%s.%s.reaction.%c", model->body[model->fix[f].body].name, model->fix[f].boundary,
                    axis_name[c]);
        }
    }
    if (CaromMeetings(model) > 0) {
        fputs(",contacts.deepest", file);
    }
    fputc('\n', file);
}

/* Rows of an earlier file up to time t, copied to `to` unless that is NULL. Only of a file with the same columns, only
 * whole ones; *last becomes the time of the last. */
static PetscInt64 take_rows(const carom_large *model, const char *path, PetscReal t, FILE *to, PetscReal *last)
{
    FILE *old = fopen(path, "r");
    char *line = NULL, *columns = NULL;
    size_t size = 0, length = 0;
    PetscInt64 rows = 0;
    FILE *text = old != NULL ? open_memstream(&columns, &length) : NULL;
    PetscBool same = PETSC_FALSE;
    *last = -1;
    if (text != NULL) {
        header(text, model);
        same = (PetscBool)(fclose(text) == 0 && getline(&line, &size, old) > 0 && strcmp(line, columns) == 0);
    }
    while (same && getline(&line, &size, old) > 0 && line[strlen(line) - 1] == '\n') {
        const PetscReal time = strtod(line, NULL);
        if (time <= t * (1 + 1e-12)) {
            *last = time;
            rows++;
            if (to != NULL) {
                fputs(line, to);
            }
        }
    }
    free(columns);
    free(line);
    if (old != NULL) {
        (void)fclose(old);
    }
    return rows;
}

/* A run that was killed left its rows under the name that they have until the end; one that ended, under the last. The
 * one that goes further is that of the checkpoint. Its rows go to the new file, which then takes the place of the
 * unfinished one. */
static PetscErrorCode keep_rows(CaromRun *run)
{
    const char *path = run->options.result;
    const size_t size = strlen(run->csv_part) + 8;
    PetscReal ended, killed;
    char *again;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(size, &again));
    (void)snprintf(again, size, "%s.new", run->csv_part);
    (void)take_rows(run->model, path, run->motion.t, NULL, &ended);
    (void)take_rows(run->model, run->csv_part, run->motion.t, NULL, &killed);
    run->csv = fopen(again, "w");
    if (run->csv != NULL) {
        header(run->csv, run->model);
        run->rows = take_rows(run->model, killed >= ended ? run->csv_part : path, run->motion.t, run->csv, &ended);
        if (fflush(run->csv) != 0 || CaromFileSettle(again, run->csv_part) != 0) {
            (void)fclose(run->csv);
            run->csv = NULL;
        }
    }
    PetscCall(PetscFree(again));
    PetscFunctionReturn(0);
}

/* Devices and pipes have no other name meanwhile. */
static PetscBool in_place(const char *path)
{
    struct stat about;
    return (PetscBool)(stat(path, &about) == 0 && !S_ISREG(about.st_mode));
}

PetscErrorCode CaromResultOpen(CaromRun *run)
{
    const char *path = run->options.result;
    PetscFunctionBeginUser;
    if (path != NULL && run->rank == 0) {
        if (strcmp(path, "-") == 0) {
            run->csv = stdout;
        } else if (in_place(path)) {
            run->csv = fopen(path, "w");
        } else {
            const size_t size = strlen(path) + 8;
            PetscCall(PetscMalloc1(size, &run->csv_part));
            (void)snprintf(run->csv_part, size, "%s.part", path);
            if (run->options.resume != NULL) {
                PetscCall(keep_rows(run));
            } else {
                run->csv = fopen(run->csv_part, "w");
            }
        }
        if (run->csv == NULL) {
            CaromSay(&run->trouble, 3, "cannot write %s: %s", path, strerror(errno));
        } else if (run->csv_part == NULL || run->options.resume == NULL) {
            header(run->csv, run->model);
        }
    }
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}

/* Places and velocities of the probes, on all ranks: [probes][2][d]. */
static PetscErrorCode probe_values(CaromRun *run, PetscReal *all)
{
    const int probes = run->model->probes;
    const PetscInt d = run->space.d;
    PetscReal *mine;
    const PetscReal *u, *v;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1((2 * probes * d), &mine));
    PetscCall(VecGetArrayRead(run->motion.u, &u));
    PetscCall(VecGetArrayRead(run->motion.v, &v));
    for (int k = 0; k < probes; k++) {
        for (PetscInt c = 0; c < d && run->probe_rank[k] == run->rank; c++) {
            const PetscInt at = run->probe_node[k] * d + c;
            mine[2 * k * d + c] = run->space.mesh.X[at] + u[at];
            mine[(2 * k + 1) * d + c] = v[at];
        }
    }
    PetscCall(VecRestoreArrayRead(run->motion.u, &u));
    PetscCall(VecRestoreArrayRead(run->motion.v, &v));
    PetscCallMPI(MPI_Allreduce(mine, all, (PetscMPIInt)(2 * probes * d), MPIU_REAL, MPIU_SUM, run->comm));
    PetscCall(PetscFree(mine));
    PetscFunctionReturn(0);
}

static void number(FILE *file, PetscReal x)
{
    char text[CAROM_NUMBER_SIZE];
    (void)carom_number_text(text, x);
    fprintf(file, ",%s", text);
}

PetscErrorCode CaromResultRow(CaromRun *run)
{
    const carom_large *model = run->model;
    const PetscReal h = run->step == run->steps ? run->last_h : run->h;
    PetscReal *probe;
    PetscFunctionBeginUser;
    PetscCall(CaromMotionReactions(&run->motion, h, run->held));
    PetscCall(run->scheme.energy(&run->motion, run->scheme.data, &run->kinetic, &run->elastic));
    for (PetscInt b = 0; b < model->bodies; b++) {
        PetscCall(CaromCellsDeform(&run->space, b, run->motion.u, run->motion.t, &run->deformed[b]));
    }
    if (run->step == 0) {
        run->energy0 = run->kinetic + run->elastic;
    }
    PetscCall(PetscMalloc1((2 * model->probes * model->dimension + 1), &probe));
    PetscCall(probe_values(run, probe));
    if (run->csv != NULL) {
        char text[CAROM_NUMBER_SIZE];
        (void)carom_number_text(text, run->motion.t);
        fputs(text, run->csv);
        for (int i = 0; i < 2 * model->probes * model->dimension; i++) {
            number(run->csv, probe[i]);
        }
        number(run->csv, run->kinetic);
        number(run->csv, run->elastic);
        number(run->csv, run->kinetic + run->elastic);
        for (int s = 0; s < CaromMeetings(model); s++) {
            const CaromTotal *total = &run->obstacles.total[s];
            number(run->csv, total->normal / h);
            number(run->csv, total->total);
            fprintf(run->csv, ",%d", (int)total->closed);
            for (int c = 0; c < model->dimension; c++) {
                number(run->csv, total->vector[c] / h);
            }
        }
        for (int f = 0; f < model->fixes; f++) {
            for (int c = 0; c < model->dimension && CaromSupport(model, f) == f; c++) {
                number(run->csv, run->held[3 * f + c]);
            }
        }
        if (CaromMeetings(model) > 0) {
            number(run->csv, run->motion.deepest.depth);
        }
        fputc('\n', run->csv);
        run->rows++;
    }
    run->row_step = run->step;
    PetscCall(PetscFree(probe));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromResultFlush(CaromRun *run)
{
    PetscFunctionBeginUser;
    if (run->csv != NULL &&
        (fflush(run->csv) != 0 || ferror(run->csv) || (run->csv_part != NULL && fsync(fileno(run->csv)) != 0))) {
        CaromSay(&run->trouble, 3, "cannot write %s: %s", run->options.result, strerror(errno));
    }
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromResultClose(CaromRun *run)
{
    PetscFunctionBeginUser;
    if (run->csv != NULL) {
        int bad = ferror(run->csv);
        bad = (run->csv == stdout ? fflush(run->csv) : fclose(run->csv)) != 0 || bad;
        if (bad || (run->csv_part != NULL && CaromFileSettle(run->csv_part, run->options.result) != 0)) {
            CaromSay(&run->trouble, 3, "cannot write %s: %s", run->options.result, strerror(errno));
        }
        run->csv = NULL;
    }
    PetscCall(PetscFree(run->csv_part));
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}
