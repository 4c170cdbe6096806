/* The command-line driver: reads arguments, runs a generated integrator through its carom_model, tells what happened.
 *
 * Steps are made in batches. While a batch runs, rows are only copied to memory; between batches they are formatted and
 * written, progress is shown and the processor time of the batch is added up, so `cpu_seconds` is that of the
 * integrator and not of the output. Ctrl-C (or a polite kill) ends the run after the current step and keeps the
 * results. */
#define _XOPEN_SOURCE 700

#include <carom/driver.h>
#include <carom/unlike.h>

#include "fields.h"
#include "skin.h"
#include "checkpoint.h"
#include "failure.h"
#include "progress.h"
#include "heard.h"
#include "result.h"
#include "stack.h"
#include "stop.h"
#include "summary.h"
#include "sweep.h"
#include "text.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH_MAX = 1 << 20 }; /* steps between two looks at the clock */

typedef struct {
    const carom_model *model;
    carom_options options;
    double *params, *q, *v, *outputs;
    carom_contact_status *contacts; /* status of each, at the end */
    carom_deformed *deformed;       /* of each mesh, greatest so far */
    void *state;
    carom_view view;
    carom_result result;
    carom_heard heard;
    carom_motion motion;
    carom_skin skin;
    carom_fields fields;
    carom_pictures pictures;
    carom_steps steps;
    carom_progress progress;
    unsigned long long row_step; /* step of the last row */
    double target;               /* end of the step under way ... */
    int inside;                  /* ... when it is made in parts and is not finished */
    double cpu, wall;            /* seconds inside batches, of the processor and by the clock */
    uint64_t start;              /* sum of the state that the run began with */
    double saved;                /* wall clock at the last checkpoint */
    int has_saved;
    pid_t parent;
    carom_info info; /* of what failed ... */
    char row[160];   /* ... and the name of its contact or constraint; empty when there is none */
    int is_constraint;
    carom_failure failure; /* the contact problem that was not solved, when it was asked for ... */
    int dumped;            /* ... and whether it has been written */
    char message[CAROM_MESSAGE_SIZE];
} run;

/* The info struct of what failed, the row by its name. A pile finds its contacts itself and knows what they are
 * called. */
static void keep_info(run *r)
{
    r->info = *r->view.info;
    if (r->model->row_name != NULL && r->info.contact >= 0) {
        r->model->row_name(r->state, r->row, sizeof r->row);
    } else {
        const char *row = carom_row_name(r->model, r->info.contact, &r->is_constraint);
        (void)snprintf(r->row, sizeof r->row, "%s", row != NULL ? row : "");
    }
}

/* "; contact ground, residual 0.001" and so on, for what the info struct knows; `what` the residual is. */
static void append_info(run *r, const char *what)
{
    size_t used = strlen(r->message);
    const char *kind = r->is_constraint ? "constraint" : "contact";
    const int contact = r->info.contact - r->model->constraints;
    const int placed = r->model->contact_place != NULL && contact >= 0 && contact < r->model->contacts;
    const char *place = placed ? r->model->contact_place[contact] : "";
    if (r->row[0] != '\0' && !(fabs(r->info.residual) > 0.0)) {
        (void)snprintf(r->message + used, sizeof r->message - used, " (%s %s%s%s)", kind, r->row, placed ? ", " : "",
                       place);
    } else if (r->row[0] != '\0') {
        (void)snprintf(r->message + used, sizeof r->message - used, " (%s %s%s%s, %s %.6g)", kind, r->row,
                       placed ? ", " : "", place, what, r->info.residual);
    } else if (fabs(r->info.residual) > 0.0) {
        (void)snprintf(r->message + used, sizeof r->message - used, " (residual %.6g)", r->info.residual);
    }
}

static int allocate(run *r)
{
    const carom_model *model = r->model;
    size_t parameters = model->params_size > 0 ? model->params_size : 1;
    r->params = calloc(1, parameters);
    r->state = calloc(1, model->state_size > 0 ? model->state_size : 1);
    r->q = calloc((size_t)model->coordinates + 1, sizeof(double));
    r->v = calloc((size_t)model->velocities + 1, sizeof(double));
    r->outputs = calloc((size_t)model->outputs + 1, sizeof(double));
    r->contacts = calloc((size_t)model->contacts + 1, sizeof(carom_contact_status));
    r->deformed = calloc((size_t)model->meshes + 1, sizeof(carom_deformed));
    if (carom_fields_open(&r->fields, model) != 0 || r->deformed == NULL || r->contacts == NULL || r->params == NULL ||
        r->state == NULL || r->q == NULL || r->v == NULL || r->outputs == NULL) {
        (void)snprintf(r->message, sizeof r->message, "out of memory");
        return CAROM_EXIT_ENVIRONMENT;
    }
    if (r->options.failure != NULL && model->watch != NULL && carom_failure_make(&r->failure, model) != 0) {
        (void)snprintf(r->message, sizeof r->message, "out of memory");
        return CAROM_EXIT_ENVIRONMENT;
    }
    return CAROM_EXIT_GOOD;
}

/* Parameters, init, then what --set says about the initial state. An initial state that init refuses may be mended
 * by --set; then only `set` decides. */
static int prepare(run *r)
{
    const carom_model *model = r->model;
    carom_targets targets = {.parameter = r->params, .q = r->q, .v = r->v};
    carom_status status;

    model->defaults(r->params);
    if (carom_options_assign(&r->options, model, 1, &targets, r->message) != 0) {
        return CAROM_EXIT_USAGE;
    }
    status = model->init(r->state, r->params);
    model->view(r->state, &r->view);
    for (int i = 0; i < model->coordinates; i++) {
        r->q[i] = r->view.q[i];
    }
    for (int i = 0; i < model->velocities; i++) {
        r->v[i] = r->view.v[i];
    }
    targets.input = r->view.input;
    targets.initial = 0;
    if (carom_options_assign(&r->options, model, 0, &targets, r->message) != 0) {
        return CAROM_EXIT_USAGE;
    }
    if (targets.initial && model->bodies == 0 &&
        (status == CAROM_OK || status == CAROM_PENETRATION || status == CAROM_VIOLATION)) {
        status = model->set(r->state, *r->view.t, r->q, r->v);
    }
    if (status != CAROM_OK) {
        keep_info(r);
        (void)snprintf(r->message, sizeof r->message, "%s cannot start: %s", model->name, carom_status_text(status));
        append_info(r, status == CAROM_PENETRATION ? "gap" : "residual");
        if (status == CAROM_PENETRATION || status == CAROM_VIOLATION) {
            const size_t used = strlen(r->message);
            (void)snprintf(r->message + used, sizeof r->message - used,
                           model->contact_place != NULL ? "; move the body or the obstacle"
                                                        : "; change the initial values, or give carom run --assemble");
        }
        return CAROM_EXIT_USAGE;
    }
    model->view(r->state, &r->view);
    char inside[CAROM_MESSAGE_SIZE];
    if (!r->options.quiet && carom_inside_warning(model, &r->view, inside, sizeof inside)) {
        fprintf(stderr, "carom: warning: %s\n", inside);
    }
    r->start = carom_saved_start(model, r->state);
    return CAROM_EXIT_GOOD;
}

/* Newton's restitution can ask a contact to rebound that Coulomb's friction holds: no impulse does both, at no length
 * of the step. Seen by making the step with restitution 0, on a copy of the state. */
static int rebound_is_held(const run *r, carom_status status, double h)
{
    const carom_model *model = r->model;
    void *copy = status == CAROM_CONTACT && model->deaden != NULL ? malloc(model->state_size) : NULL;
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, r->state, model->state_size);
    if (model->watch != NULL) {
        model->watch(copy, NULL);
    }
    const int held = model->deaden(copy) && model->step_once(copy, h) == CAROM_OK;
    free(copy);
    return held;
}

/* The host's own places in the state are not for the file: see carom_failure. */
static void watch(run *r, carom_failure *failure)
{
    if (r->model->watch != NULL) {
        r->model->watch(r->state, failure != NULL && failure->rows > 0 ? failure : NULL);
    }
}

static carom_saved saved_of(run *r)
{
    return (carom_saved){.model = r->model,
                         .params = r->params,
                         .steps = &r->steps,
                         .cpu = &r->cpu,
                         .target = &r->target,
                         .inside = &r->inside,
                         .deformed = r->deformed,
                         .state = r->state,
                         .start = r->start};
}

/* Step, start and number of steps, from the model's start or from a checkpoint. */
static int begin(run *r)
{
    double t;
    r->steps = (carom_steps){.start = *r->view.t, .h = r->options.step > 0.0 ? r->options.step : r->model->step};
    if (!(r->steps.h > 0.0)) {
        (void)snprintf(r->message, sizeof r->message, "the model has no step of its own; say --step H");
        return CAROM_EXIT_USAGE;
    }
    if (r->options.resume != NULL) {
        carom_saved saved = saved_of(r);
        if (carom_saved_read(r->options.resume, &saved, r->message) != 0) {
            return CAROM_EXIT_USAGE;
        }
        r->row_step = r->steps.step;
    }
    watch(r, &r->failure);
    r->model->view(r->state, &r->view);
    t = r->inside ? r->target - r->steps.h : *r->view.t; /* where the step began that is under way */
    return carom_steps_plan(&r->steps, t, r->options.until, r->message) == 0 ? CAROM_EXIT_GOOD : CAROM_EXIT_USAGE;
}

/* Rows so far and the state, both on the disk; not 0: what went wrong. */
static int save(run *r)
{
    carom_saved saved = saved_of(r);
    int code = CAROM_EXIT_GOOD;
    if (carom_result_settle(&r->result) != 0) {
        return carom_cannot_write(r->message, r->options.result);
    }
    watch(r, NULL);
    carom_heard_listen(&r->heard, r->state, 0);
    if (carom_saved_write(r->options.checkpoint, &saved) != 0) {
        code = carom_cannot_write(r->message, r->options.checkpoint);
    }
    watch(r, &r->failure);
    carom_heard_listen(&r->heard, r->state, 1);
    r->saved = carom_wall_seconds();
    r->has_saved = code == CAROM_EXIT_GOOD;
    return code;
}

/* The problem behind a step that failed, if it was asked for and there is one; else the message says so. */
static void dump_failure(run *r, carom_status status)
{
    size_t used = strlen(r->message);
    if (r->options.failure == NULL) {
        return;
    }
    const int pile = r->model->unsolved != NULL;
    if ((status != CAROM_CONTACT && status != CAROM_INFEASIBLE) || (!pile && r->failure.contacts == 0)) {
        (void)snprintf(r->message + used, sizeof r->message - used, "; there is no contact problem to write to %s",
                       r->options.failure);
    } else if ((pile ? carom_failure_write_pile(r->model, r->state, r->options.failure)
                     : carom_failure_write(&r->failure, r->options.failure)) != 0) {
        (void)snprintf(r->message + used, sizeof r->message - used, "; cannot write %s: %s", r->options.failure,
                       strerror(errno));
    } else {
        r->dumped = 1;
    }
}

/* Where masses are too unlike for the solvers no step is short enough, whatever the text of the status asks for. */
static void name_masses(run *r, carom_status status)
{
    const double unlike = status == CAROM_CONTACT ? carom_failure_unlike(&r->failure) : 1.0;
    if (unlike > CAROM_UNLIKE_MASSES) {
        const size_t used = strlen(r->message);
        (void)snprintf(
            r->message + used, sizeof r->message - used,
            "; masses of bodies that touch differ by a factor of about %.0e, which no step cures: make masses more "
            "alike, or let fewer contacts share a load",
            unlike);
    }
}

/* A step, or a part of one whose length is not known beforehand: CAROM_UNFINISHED. */
static carom_status advance(run *r)
{
    const double h = carom_steps_next(&r->steps);
    carom_status status;
    if (r->model->toward == NULL) {
        return r->model->step_once(r->state, h);
    }
    if (!r->inside) {
        r->target = *r->view.t + h;
    }
    status = r->model->toward(r->state, r->target, h);
    r->inside = status == CAROM_UNFINISHED;
    return status;
}

static void put_row(run *r)
{
    r->model->view(r->state, &r->view); /* a step may put the gaps elsewhere in the state */
    if (r->result.file != NULL) {
        carom_result_row(&r->result, &r->view, r->state);
    }
    if (carom_motion_due(&r->motion, *r->view.t, r->steps.step == r->steps.steps)) {
        if (r->model->meshes > 0) {
            carom_fields_stress(&r->fields, r->state);
            carom_skin_frame(&r->skin, &r->motion, r->model->mesh, r->model->meshes, r->fields.u, r->fields.mises,
                             *r->view.t);
        } else {
            carom_motion_frame(&r->motion, r->model, r->state, &r->view);
        }
    }
    carom_fields_deform(&r->fields, r->state, *r->view.t, r->deformed);
    r->row_step = r->steps.step;
}

/* Up to `limit` steps or parts of them; ends early for a full buffer, a signal or a step that fails. */
static carom_status batch(run *r, unsigned long long limit)
{
    carom_status status = CAROM_OK;
    double start = carom_cpu_seconds();
    for (; limit > 0 && r->steps.step < r->steps.steps && carom_stop_asked() == 0; limit--) {
        status = advance(r);
        carom_heard_take(&r->heard, r->state);
        if (status == CAROM_UNFINISHED) {
            status = CAROM_OK;
            continue;
        }
        if (status != CAROM_OK) {
            break;
        }
        r->steps.step++;
        if (r->result.file != NULL && (r->steps.step % r->options.every == 0 || r->steps.step == r->steps.steps)) {
            put_row(r);
            if (carom_result_full(&r->result)) {
                break;
            }
        }
        if (carom_vtu_due(&r->steps, r->pictures.count, r->pictures.made)) {
            break;
        }
    }
    r->cpu += carom_cpu_seconds() - start;
    return status;
}

/* What is to be done between batches; not 0: the run is over, and the message says why. */
static int look_up(run *r)
{
    const double inner = r->inside ? fmin(fmax(1.0 - (r->target - *r->view.t) / r->steps.h, 0.0), 1.0) : 0.0;
    if (carom_progress_due(&r->progress, &r->steps)) {
        char more[96] = "";
        if (r->model->contact_status != NULL && r->model->contacts > 0) {
            int pressing = 0;
            r->model->contact_status(r->state, r->contacts);
            for (int i = 0; i < r->model->contacts; i++) {
                pressing += r->contacts[i] != CAROM_CONTACT_OPEN;
            }
            (void)snprintf(more, sizeof more, ", %d of %d contacts press, %llu events", pressing, r->model->contacts,
                           (unsigned long long)r->view.counts->events);
        }
        carom_progress_show(&r->progress, &r->steps, inner, *r->view.t, more);
    }
    if (r->options.with_parent && getppid() != r->parent && carom_stop_asked() == 0) {
        carom_stop_ask(SIGTERM);
    }
    if (r->options.checkpoint != NULL && carom_wall_seconds() - r->saved > 60.0 * r->options.checkpoint_minutes) {
        return save(r);
    }
    if (carom_pictures_take(&r->pictures, &r->fields, r->state, &r->steps) != 0) {
        return carom_cannot_write(r->message, r->options.frames_dir);
    }
    if (r->result.file != NULL && carom_result_flush(&r->result) != 0) { /* told at once, not after hours */
        return carom_cannot_write(r->message, r->options.result);
    }
    return CAROM_EXIT_GOOD;
}

static int all_steps(run *r)
{
    carom_status status = CAROM_OK;
    unsigned long long limit = 1;
    int code = CAROM_EXIT_GOOD;
    carom_progress_begin(&r->progress, &r->options, &r->steps, 0);
    r->saved = r->progress.began;
    if (r->options.resume == NULL) {
        put_row(r);
        code = look_up(r);
    }
    while (r->options.resume != NULL && carom_vtu_due(&r->steps, r->pictures.count, r->pictures.made)) {
        r->pictures.made++;
    }
    while (status == CAROM_OK && code == CAROM_EXIT_GOOD && r->steps.step < r->steps.steps && carom_stop_asked() == 0) {
        const double before = carom_wall_seconds();
        status = batch(r, limit);
        const double spent = carom_wall_seconds() - before;
        r->wall += spent;
        /* batches long enough to be timed well, short enough to hear of them */
        if (spent < 0.02 && limit < BATCH_MAX) {
            limit *= 2;
        } else if (spent > 0.1 && limit > 1) {
            limit /= 2;
        }
        code = look_up(r);
    }
    carom_progress_end(&r->progress);
    if (code != CAROM_EXIT_GOOD) {
        return code;
    }
    if (status != CAROM_OK) {
        const double h = carom_steps_next(&r->steps);
        keep_info(r);
        (void)snprintf(
            r->message, sizeof r->message, "step %llu from t = %.10g with h = %.10g failed: %s", r->steps.step + 1,
            *r->view.t, h,
            rebound_is_held(r, status, h)
                ? "friction holds a contact that restitution asks to rebound, and no impulse was found that does both "
                  "(with restitution 0 the step can be made); write restitution 0 for contacts that jam"
                : carom_status_text(status));
        append_info(r, "residual");
        name_masses(r, status);
        dump_failure(r, status);
        return CAROM_EXIT_RUN;
    }
    const int stopped = r->steps.step < r->steps.steps;
    if (stopped && r->row_step != r->steps.step && !r->inside) {
        put_row(r); /* where it stopped */
    }
    if (stopped && r->options.checkpoint == NULL) {
        r->options.checkpoint = r->options.stopped;
    }
    if (r->options.checkpoint != NULL) {
        code = save(r);
    }
    if (stopped && code == CAROM_EXIT_GOOD) {
        (void)snprintf(r->message, sizeof r->message, "stopped by a signal at t = %.10g, step %llu of %llu%s%s%s",
                       *r->view.t, r->steps.step, r->steps.steps,
                       r->result.file != NULL ? "; the results so far are kept" : "",
                       r->has_saved ? "; go on with --resume " : "; a run with --checkpoint FILE can be gone on with",
                       r->has_saved ? r->options.checkpoint : "");
        code = 128 + carom_stop_asked();
    }
    return code;
}

static int tell(run *r, int code, int began)
{
    const carom_model *model = r->model;
    carom_summary summary = {
        .model = model,
        .view = began ? &r->view : NULL,
        .state = r->state,
        .info = r->info,
        .row = r->row[0] != '\0' ? r->row : NULL,
        .is_constraint = r->is_constraint,
        .outputs = r->outputs,
        .deformed = r->deformed,
        .steps = r->steps.step,
        .rows = r->result.written,
        .unknowns = (unsigned long long)(model->bodies > 0 ? 6 * model->bodies : model->velocities),
        .ranks = 1,
        .step = r->steps.h,
        .cpu_seconds = r->cpu,
        .wall_seconds = r->wall,
        .result = r->result.kept ? r->options.result : NULL,
        .failure = r->dumped ? r->options.failure : NULL,
        .checkpoint = r->has_saved ? r->options.checkpoint : NULL,
        .pictures = r->pictures.made,
        .frames_dir = r->pictures.dir,
    };
    if (began) {
        model->view(r->state, &r->view);
        carom_fields_deform(&r->fields, r->state, *r->view.t, r->deformed);
        if (model->outputs > 0) {
            model->output_values(r->state, r->outputs);
        }
        if (model->contact_status != NULL) {
            model->contact_status(r->state, r->contacts);
            summary.contacts = r->contacts;
            summary.rows_of = model->contacts;
            for (int i = 0; i < model->contacts; i++) {
                summary.pressing += r->contacts[i] != CAROM_CONTACT_OPEN;
                summary.sticking += r->contacts[i] == CAROM_CONTACT_STICK;
                summary.sliding += r->contacts[i] == CAROM_CONTACT_SLIP;
            }
        }
    }
    if (began && r->options.bodies != NULL && model->bodies > 0) {
        if (carom_bodies_write(r->options.bodies, model, &r->view) != 0) {
            code = carom_cannot_write(r->message, r->options.bodies);
        } else {
            summary.bodies = r->options.bodies;
        }
    }
    return carom_summary_tell(&summary, &r->options, code, r->message);
}

/* The run between good arguments and the summary; *began tells whether the first step was reached. */
static int make_run(run *r, int *began)
{
    int code = allocate(r);
    if (code == CAROM_EXIT_GOOD) {
        code = prepare(r);
    }
    if (code == CAROM_EXIT_GOOD) {
        code = begin(r);
    }
    if (code == CAROM_EXIT_GOOD) {
        const double from = carom_steps_rows(&r->steps, *r->view.t, r->options.every);
        if (carom_result_open(&r->result, r->model, r->options.result, r->options.checkpoint != NULL,
                              r->options.resume != NULL ? &from : NULL) != 0) {
            code = carom_cannot_write(r->message, r->options.result);
        }
        carom_stop_removes(r->result.output.lasting ? NULL : r->result.output.temporary);
    }
    if (r->model->meshes > 0 && r->options.frames != CAROM_FRAMES_OWN) {
        r->pictures = (carom_pictures){.count = r->options.frames, .dir = r->options.frames_dir};
    }
    if (code == CAROM_EXIT_GOOD && r->options.motion != NULL) {
        const int frames = (int)fmin(1e6, (double)r->options.motion_frames);
        if ((r->model->meshes > 0
                 ? carom_skin_open(&r->skin, &r->motion, r->options.motion, r->model->mesh, r->model->meshes, frames,
                                   r->options.until)
                 : carom_motion_open(&r->motion, r->options.motion, r->model, frames, r->options.until)) != 0) {
            code = carom_cannot_write(r->message, r->options.motion);
        }
    }
    if (code == CAROM_EXIT_GOOD && carom_heard_open(&r->heard, r->options.events, r->model) != 0) {
        code = carom_cannot_write(r->message, r->options.events);
    }
    if (code == CAROM_EXIT_GOOD) {
        *began = 1;
        carom_heard_listen(&r->heard, r->state, 1);
        code = all_steps(r);
        if (carom_heard_keep(&r->heard) != 0) {
            code = carom_cannot_write(r->message, r->options.events);
        }
        if (carom_result_keep(&r->result) != 0) {
            code = carom_cannot_write(r->message, r->options.result);
        }
        if (carom_motion_keep(&r->motion) != 0) {
            code = carom_cannot_write(r->message, r->options.motion);
        }
        carom_stop_removes(NULL);
    }
    return code;
}

int carom_drive(const carom_model *model, int argc, char **argv)
{
    run r = {.model = model, .info = {.contact = -1}};
    int code = CAROM_EXIT_USAGE;
    int began = 0;

    (void)setlocale(LC_NUMERIC, "C"); /* whatever the host program set: numbers are read and written with a point */
    carom_stack_for(model->state_size);
    if (argc > 1 && strcmp(argv[1], "--sweep") == 0) {
        return carom_sweep(model, NULL, argc - 2, argv + 2);
    }
    if (carom_options_read(&r.options, model, CAROM_ON_HOST, argc, argv, r.message) == 0) {
        if (r.options.help) {
            carom_options_help(stdout, model, CAROM_ON_HOST);
            free(r.options.assign);
            return CAROM_EXIT_GOOD;
        }
        r.parent = getppid();
        carom_stop_catch();
        code = make_run(&r, &began);
    }
    code = tell(&r, code, began);
    carom_result_close(&r.result);
    carom_heard_close(&r.heard);
    carom_motion_free(&r.motion);
    carom_skin_free(&r.skin);
    carom_fields_free(&r.fields);
    free(r.options.assign);
    free(r.params);
    free(r.state);
    free(r.q);
    free(r.v);
    free(r.outputs);
    free(r.contacts);
    free(r.deformed);
    carom_failure_free(&r.failure);
    if (fflush(stdout) != 0 && code == CAROM_EXIT_GOOD) {
        code = CAROM_EXIT_ENVIRONMENT;
    }
    return code;
}
