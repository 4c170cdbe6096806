/* Rows of the result: probes, energies, contact totals, reactions, gathered on all ranks; and the names they have for
 * the driver. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include <errno.h>
#include <stdarg.h>

static const char axis_name[3] = {'x', 'y', 'z'};

PetscErrorCode CaromProbesFind(CaromRun *run)
{
    const carom_large *model = run->model;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(model->probes, &run->probe_rank, model->probes, &run->probe_node));
    for (int k = 0; k < model->probes; k++) {
        PetscCall(CaromMeshNearest(&run->space.mesh, model->probe[k].body, model->probe[k].at, &run->probe_rank[k],
                                   &run->probe_node[k]));
    }
    PetscFunctionReturn(0);
}

/* ---- what the driver sees ---------------------------------------------------------------------------------------- */

/* Names the next output; without a model for names (NULL) they are counted only. */
static void name_output(CaromFace *face, const char *format, ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
static void name_output(CaromFace *face, const char *format, ...)
{
    const int k = face->model.outputs++;
    if (face->name != NULL) {
        va_list values;
        va_start(values, format);
        (void)vsnprintf(face->name[k], CAROM_OUTPUT_NAME, format, values);
        va_end(values);
        face->output[k] = (carom_quantity){face->name[k], "", 0};
    }
}

/* In the order of CaromResultRow. */
static void name_outputs(CaromFace *face, const carom_large *model)
{
    const carom_mechanism *mechanism = model->mechanism;
    face->model.outputs = 0;
    const int places = mechanism != NULL ? mechanism->scalars + 4 * mechanism->rotations : 0;
    for (int i = 0; mechanism != NULL && i < places + mechanism->scalars + 3 * mechanism->rotations; i++) {
        const char *name = i < places ? mechanism->position[i].name : mechanism->velocity[i - places].name;
        if (name != NULL) {
            name_output(face, "%s", name);
        }
    }
    for (int k = 0; k < model->probes; k++) {
        for (int i = 0; i < 2 * model->dimension; i++) {
            name_output(face, "%s.%c%s", model->probe[k].name, axis_name[i % model->dimension],
                        i < model->dimension ? "" : ".dot");
        }
    }
    name_output(face, "kinetic");
    name_output(face, "elastic");
    name_output(face, "energy");
    for (int s = 0; s < CaromMeetings(model); s++) {
        const char *name = CaromMeetingOf(model, s).name;
        name_output(face, "%s.force", name);
        name_output(face, "%s.impulse", name);
        name_output(face, "%s.closed", name);
        for (int c = 0; c < model->dimension; c++) {
            name_output(face, "%s.force.%c", name, axis_name[c]);
        }
    }
    for (int f = 0; f < model->fixes; f++) {
        for (int c = 0; c < model->dimension && CaromSupport(model, f) == f; c++) {
            name_output(face, "%s.%s.reaction.%c", model->body[model->fix[f].body].name, model->fix[f].boundary,
                        axis_name[c]);
        }
    }
    for (int i = 0; mechanism != NULL && i < mechanism->outputs; i++) {
        name_output(face, "%s", mechanism->output[i].name);
    }
}

static void put_outputs(const void *state, double *y)
{
    const CaromFace *face = &((const CaromRun *)state)->face;
    memcpy(y, face->y, (size_t)face->model.outputs * sizeof *y);
}

PetscErrorCode CaromFaceCreate(CaromRun *run)
{
    const carom_large *model = run->model;
    const int meetings = CaromMeetings(model);
    CaromFace *face = &run->face;
    PetscFunctionBeginUser;
    name_outputs(face, model);
    PetscCall(PetscCalloc5(face->model.outputs, &face->name, face->model.outputs, &face->output, face->model.outputs,
                           &face->y, meetings, &face->contact, model->bodies, &face->mesh));
    name_outputs(face, model);
    for (int s = 0; s < meetings; s++) {
        face->contact[s] = (carom_quantity){CaromMeetingOf(model, s).name, "", 0};
    }
    for (int b = 0; b < model->bodies; b++) {
        face->mesh[b] = (carom_mesh){.name = model->body[b].name, .linear = model->body[b].linear};
    }
    face->model = (carom_model){.name = model->name,
                                .scheme = model->scheme.text,
                                .digest = model->digest,
                                .parameters = model->parameters,
                                .contacts = meetings,
                                .outputs = face->model.outputs,
                                .parameter = model->parameter,
                                .contact = face->contact,
                                .output = face->output,
                                .outputs_only = 1,
                                .until_time = model->until_time,
                                .step = model->step,
                                .output_values = put_outputs,
                                .meshes = model->bodies,
                                .mesh = face->mesh};
    face->view = (carom_view){.t = &run->motion.t, .deepest = &run->motion.deepest, .counts = &face->counts};
    PetscFunctionReturn(0);
}

PetscErrorCode CaromFaceDestroy(CaromRun *run)
{
    CaromFace *face = &run->face;
    PetscFunctionBeginUser;
    PetscCall(PetscFree5(face->name, face->output, face->y, face->contact, face->mesh));
    PetscFunctionReturn(0);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

PetscErrorCode CaromResultOpen(CaromRun *run)
{
    const char *path = run->options.result;
    const double from = carom_steps_rows(&run->steps, run->motion.t, run->options.every);
    PetscFunctionBeginUser;
    if (run->rank == 0 && carom_result_open(&run->result, &run->face.model, path, run->options.checkpoint != NULL,
                                            run->options.resume != NULL ? &from : NULL) != 0) {
        CaromSay(&run->trouble, 3, "cannot write %s: %s", path, strerror(errno));
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

PetscErrorCode CaromResultRow(CaromRun *run)
{
    const carom_large *model = run->model;
    const PetscReal h = carom_steps_made(&run->steps);
    PetscReal kinetic, elastic, *y = run->face.y;
    PetscFunctionBeginUser;
    PetscCall(CaromMotionReactions(&run->motion, h, run->held));
    PetscCall(run->scheme.energy(&run->motion, run->scheme.data, &kinetic, &elastic));
    for (PetscInt b = 0; b < model->bodies; b++) {
        PetscCall(CaromCellsDeform(&run->space, b, run->motion.u, run->motion.t, &run->deformed[b]));
    }
    if (run->steps.step == 0) {
        run->energy0 = kinetic + elastic;
    }
    const carom_mechanism *mechanism = model->mechanism;
    const PetscReal *state = run->obstacles.mover_state;
    const int places = mechanism != NULL ? mechanism->scalars + 4 * mechanism->rotations : 0;
    for (int i = 0; mechanism != NULL && i < places + mechanism->scalars + 3 * mechanism->rotations; i++) {
        if ((i < places ? mechanism->position[i].name : mechanism->velocity[i - places].name) != NULL) {
            *y++ = state[i];
        }
    }
    PetscCall(probe_values(run, y));
    y += 2 * model->probes * model->dimension;
    *y++ = kinetic;
    *y++ = elastic;
    *y++ = kinetic + elastic;
    for (int s = 0; s < CaromMeetings(model); s++) {
        const CaromTotal *total = &run->obstacles.total[s];
        *y++ = total->normal / h;
        *y++ = total->total;
        *y++ = (PetscReal)total->closed;
        for (int c = 0; c < model->dimension; c++) {
            *y++ = total->vector[c] / h;
        }
    }
    for (int f = 0; f < model->fixes; f++) {
        for (int c = 0; c < model->dimension && CaromSupport(model, f) == f; c++) {
            *y++ = run->held[3 * f + c];
        }
    }
    if (mechanism != NULL && mechanism->outputs > 0) {
        mechanism->output_values(run->space.p, run->motion.t, state, state + places, y);
    }
    if (run->result.file != NULL) {
        carom_result_row(&run->result, &run->face.view, run);
        if (carom_result_full(&run->result)) {
            (void)carom_result_flush(&run->result);
        }
    }
    run->row_step = (PetscInt64)run->steps.step;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromResultFlush(CaromRun *run, PetscBool to_disk)
{
    PetscFunctionBeginUser;
    if (run->result.file != NULL &&
        (to_disk ? carom_result_settle(&run->result) : carom_result_flush(&run->result)) != 0) {
        CaromSay(&run->trouble, 3, "cannot write %s: %s", run->options.result, strerror(errno));
    }
    if (to_disk) {
        PetscCall(CaromAgree(run->comm, &run->trouble));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromResultClose(CaromRun *run)
{
    PetscFunctionBeginUser;
    if (run->rank == 0 && carom_result_keep(&run->result) != 0) {
        CaromSay(&run->trouble, 3, "cannot write %s: %s", run->options.result, strerror(errno));
    }
    PetscCall(CaromAgree(run->comm, &run->trouble));
    PetscFunctionReturn(0);
}
