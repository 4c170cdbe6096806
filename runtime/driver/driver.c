/* The command-line driver: reads arguments, runs a generated integrator through its carom_model, tells what happened.
 *
 * Steps are made in batches. While a batch runs, rows are only copied to memory; between batches they are formatted and
 * written, progress is shown and the processor time of the batch is added up, so `cpu_seconds` is that of the
 * integrator and not of the output. Ctrl-C (or a polite kill) ends the run after the current step and keeps the
 * results. */
#define _XOPEN_SOURCE 700

#include <carom/driver.h>

#include "bodies.h"
#include "failure.h"
#include "file.h"
#include "options.h"
#include "result.h"
#include "summary.h"
#include "text.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH_MAX = 1 << 20, MOST_NODES = 8 }; /* steps between two looks at the clock; nodes of a cell */

typedef struct {
    const carom_model *model;
    carom_options options;
    double *params, *q, *v, *outputs;
    carom_contact_status *contacts; /* status of each, at the end */
    carom_deformed *deformed;       /* of each mesh, greatest so far ... */
    double *displaced;              /* ... and room for the displacements of all nodes */
    void *state;
    carom_view view;
    carom_result result;
    unsigned long long step, steps; /* made, to make */
    double h, last_h;
    double target;      /* end of the step under way ... */
    int inside;         /* ... when it is made in parts and is not finished */
    double cpu;         /* processor seconds inside batches */
    double began, told; /* wall clock at the start and at the last progress line */
    int progress;       /* 0 none, 1 one line per message, 2 one line that is rewritten */
    pid_t parent;
    carom_info info; /* of what failed ... */
    char row[160];   /* ... and the name of its contact or constraint; empty when there is none */
    int is_constraint;
    carom_failure failure; /* the contact problem that was not solved, when it was asked for ... */
    int dumped;            /* ... and whether it has been written */
    char message[CAROM_MESSAGE_SIZE];
} run;

/* Signals: the handler may only touch these. */
static volatile sig_atomic_t stop_signal = 0;
static const char *volatile unfinished_file = NULL;

static void on_signal(int number)
{
    if (stop_signal != 0) { /* asked twice: a step takes too long; leave nothing half written */
        if (unfinished_file != NULL) {
            (void)unlink(unfinished_file);
        }
        _exit(128 + number);
    }
    stop_signal = number;
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = {0};
        struct sigaction before;
        action.sa_handler = on_signal;
        (void)sigemptyset(&action.sa_mask);
        /* what was ignored (nohup, background of a script) stays ignored */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(numbers[i], &action, NULL);
        }
    }
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is one that cannot be written, and is told as such */
}

static double seconds(clockid_t which)
{
    struct timespec now;
    (void)clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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
    r->displaced = calloc((size_t)model->displaced + 1, sizeof(double));
    if (r->deformed == NULL || r->displaced == NULL || r->contacts == NULL || r->params == NULL || r->state == NULL ||
        r->q == NULL || r->v == NULL || r->outputs == NULL) {
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
                           "; change the initial values, or give carom run --assemble");
        }
        return CAROM_EXIT_USAGE;
    }
    if (r->failure.rows > 0) {
        model->watch(r->state, &r->failure);
    }
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

/* Number of steps: (until - t0)/h rounded up, but 407.0000001 means 407; only a last step that would overshoot is
 * cut. */
static int plan_steps(run *r)
{
    double span = r->options.until - *r->view.t;
    double count = ceil(span / r->options.step * (1.0 - 1e-9));
    if (span < 0.0) {
        (void)snprintf(r->message, sizeof r->message, "--until %.10g lies before the start, t = %.10g",
                       r->options.until, *r->view.t);
        return CAROM_EXIT_USAGE;
    }
    if (!(count < 9e15)) {
        (void)snprintf(r->message, sizeof r->message, "--step %.10g would take %.3g steps", r->options.step, count);
        return CAROM_EXIT_USAGE;
    }
    r->steps = (unsigned long long)count;
    r->h = r->options.step;
    r->last_h = r->h;
    if (count * r->h > span * (1.0 + 1e-9)) {
        r->last_h = span - (count - 1.0) * r->h;
    }
    return CAROM_EXIT_GOOD;
}

static void show_progress(run *r, double now)
{
    double inner = r->inside ? fmin(fmax(1.0 - (r->target - *r->view.t) / r->h, 0.0), 1.0) : 0.0;
    double part = fmax(((double)r->step + inner) / (double)r->steps, 1e-9);
    double pause = r->progress == 2 ? 0.2 : 1.0;
    if (now - r->began > 1.0 && now - r->told > pause && r->step < r->steps) {
        char line[128];
        (void)snprintf(line, sizeof line, "step %llu of %llu, t = %.6g, %.0f %%, %.0f s left", r->step, r->steps,
                       *r->view.t, 100.0 * part, (now - r->began) * (1.0 - part) / part);
        fprintf(stderr, r->progress == 2 ? "\r%-72s" : "%s\n", line);
        (void)fflush(stderr);
        r->told = now;
    }
}

static void end_progress(const run *r)
{
    if (r->progress == 2 && r->told > r->began) {
        fprintf(stderr, "\r%-72s\r", "");
        (void)fflush(stderr);
    }
}

/* A step, or a part of one whose length is not known beforehand: CAROM_UNFINISHED. */
static carom_status advance(run *r)
{
    const double h = r->step + 1 == r->steps ? r->last_h : r->h;
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

/* Up to `limit` steps or parts of them; ends early for a full buffer, a signal or a step that fails. */
/* Looks at the cells of all meshes: how far they stretch and turn. */
static void look_at_cells(run *r)
{
    const carom_model *model = r->model;
    double X[3 * MOST_NODES], u[3 * MOST_NODES];
    if (model->meshes > 0) {
        model->displacements(r->state, r->displaced);
    }
    for (int b = 0; b < model->meshes; b++) {
        const carom_mesh *mesh = &model->mesh[b];
        const int d = mesh->dimension, n = mesh->cell_nodes;
        for (int e = 0; e < mesh->cells; e++) {
            for (int i = 0; i < n * d; i++) {
                const int at = d * mesh->cell[n * e + i / d] + i % d;
                X[i] = mesh->X[at];
                u[i] = r->displaced[mesh->dof[at]];
            }
            carom_deform_cell(&r->deformed[b], d, n, X, u, *r->view.t);
        }
    }
}

static carom_status batch(run *r, unsigned long long limit)
{
    carom_status status = CAROM_OK;
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (; limit > 0 && r->step < r->steps && stop_signal == 0; limit--) {
        status = advance(r);
        if (status == CAROM_UNFINISHED) {
            status = CAROM_OK;
            continue;
        }
        if (status != CAROM_OK) {
            break;
        }
        r->step++;
        if (r->result.file != NULL && (r->step % r->options.every == 0 || r->step == r->steps)) {
            r->model->view(r->state, &r->view); /* a step may put the gaps elsewhere in the state */
            carom_result_row(&r->result, &r->view, r->state);
            look_at_cells(r);
            if (carom_result_full(&r->result)) {
                break;
            }
        }
    }
    r->cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    return status;
}

static int all_steps(run *r)
{
    carom_status status = CAROM_OK;
    unsigned long long limit = 1;
    r->began = seconds(CLOCK_MONOTONIC);
    r->told = r->began;
    if (r->result.file != NULL) {
        carom_result_row(&r->result, &r->view, r->state);
    }
    while (status == CAROM_OK && r->step < r->steps && stop_signal == 0) {
        double before = seconds(CLOCK_MONOTONIC);
        double now;
        if (r->result.file != NULL && carom_result_flush(&r->result) != 0) {
            break; /* a full disk is told at once, not after hours */
        }
        status = batch(r, limit);
        now = seconds(CLOCK_MONOTONIC);
        /* batches long enough to be timed well, short enough to hear of them */
        if (now - before < 0.02 && limit < BATCH_MAX) {
            limit *= 2;
        } else if (now - before > 0.1 && limit > 1) {
            limit /= 2;
        }
        if (r->progress != 0) {
            show_progress(r, now);
        }
        if (r->options.with_parent && getppid() != r->parent && stop_signal == 0) {
            stop_signal = SIGTERM;
        }
    }
    end_progress(r);
    if (status != CAROM_OK) {
        const double h = r->step + 1 == r->steps ? r->last_h : r->h;
        keep_info(r);
        (void)snprintf(
            r->message, sizeof r->message, "step %llu from t = %.10g with h = %.10g failed: %s", r->step + 1,
            *r->view.t, h,
            rebound_is_held(r, status, h)
                ? "friction holds a contact that restitution asks to rebound, and no impulse was found that does both "
                  "(with restitution 0 the step can be made); write restitution 0 for contacts that jam"
                : carom_status_text(status));
        append_info(r, "residual");
        dump_failure(r, status);
        return CAROM_EXIT_RUN;
    }
    if (r->step < r->steps && stop_signal != 0) {
        (void)snprintf(r->message, sizeof r->message, "stopped by a signal at t = %.10g, step %llu of %llu%s",
                       *r->view.t, r->step, r->steps, r->result.file != NULL ? "; the results so far are kept" : "");
        return 128 + (int)stop_signal;
    }
    return CAROM_EXIT_GOOD;
}

static int write_failed(run *r, const char *file)
{
    (void)snprintf(r->message, sizeof r->message, "cannot write %s: %s", file, strerror(errno));
    return CAROM_EXIT_ENVIRONMENT;
}

/* Writes one of the two forms of the summary to a file; 0 when good. */
static int write_summary(const char *path, void (*tell)(FILE *, const carom_summary *), const carom_summary *summary)
{
    carom_file file;
    if (carom_file_open(&file, path) != 0) {
        return -1;
    }
    tell(file.stream, summary);
    return carom_file_keep(&file);
}

static const char *status_of(int code)
{
    return code == CAROM_EXIT_GOOD ? "ok" : code >= 128 ? "interrupted" : "error";
}

static int tell(run *r, int code, int json, int began)
{
    carom_summary summary = {
        .model = r->model,
        .message = r->message,
        .view = began ? &r->view : NULL,
        .info = r->info,
        .row = r->row[0] != '\0' ? r->row : NULL,
        .is_constraint = r->is_constraint,
        .outputs = r->outputs,
        .deformed = r->deformed,
        .steps = r->step,
        .rows = r->result.written,
        .step = r->options.step,
        .cpu_seconds = r->cpu,
    };
    if (r->result.kept) {
        summary.result = r->options.result;
    }
    if (r->dumped) {
        summary.failure = r->options.failure;
    }
    if (began) {
        r->model->view(r->state, &r->view);
        look_at_cells(r);
        if (r->model->outputs > 0) {
            r->model->output_values(r->state, r->outputs);
        }
        if (r->model->contact_status != NULL) {
            r->model->contact_status(r->state, r->contacts);
            summary.contacts = r->contacts;
        }
    }
    if (began && r->options.bodies != NULL && r->model->bodies > 0) {
        if (carom_bodies_write(r->options.bodies, r->model, &r->view) != 0) {
            code = write_failed(r, r->options.bodies);
        } else {
            summary.bodies = r->options.bodies;
        }
    }
    /* what could not be written before is told in what comes after */
    summary.status = status_of(code);
    if (began && r->options.report != NULL && write_summary(r->options.report, carom_summary_people, &summary) != 0) {
        code = write_failed(r, r->options.report);
        summary.status = status_of(code);
    }
    if (r->options.record != NULL && write_summary(r->options.record, carom_summary_json, &summary) != 0) {
        code = write_failed(r, r->options.record);
        summary.status = status_of(code);
    }
    if (json) {
        char text[512];
        carom_summary_json(stdout, &summary);
        for (int b = 0; b < r->model->meshes && began && !r->options.quiet; b++) {
            const carom_mesh *mesh = &r->model->mesh[b];
            if (mesh->linear && carom_deform_warning(&r->deformed[b], mesh->name, text, sizeof text)) {
                fprintf(stderr, "carom: warning: %s\n", text);
            }
        }
    } else {
        int to_stderr = r->options.result != NULL && strcmp(r->options.result, "-") == 0;
        if (code != CAROM_EXIT_GOOD) {
            fprintf(stderr, "carom: %s%s\n", code >= 128 ? "" : "error: ", r->message);
        }
        if (began && !r->options.quiet) {
            carom_summary_people(to_stderr ? stderr : stdout, &summary);
        }
    }
    return code;
}

/* The run between good arguments and the summary; *began tells whether the first step was reached. */
static int make_run(run *r, int *began)
{
    int code = allocate(r);
    if (code == CAROM_EXIT_GOOD) {
        code = prepare(r);
    }
    if (code == CAROM_EXIT_GOOD) {
        code = plan_steps(r);
    }
    if (code == CAROM_EXIT_GOOD) {
        if (carom_result_open(&r->result, r->model, r->options.result) != 0) {
            code = write_failed(r, r->options.result);
        }
        unfinished_file = r->result.output.temporary;
    }
    if (code == CAROM_EXIT_GOOD) {
        *began = 1;
        code = all_steps(r);
        if (carom_result_keep(&r->result) != 0) {
            code = write_failed(r, r->options.result);
        }
        unfinished_file = NULL;
    }
    return code;
}

int carom_drive(const carom_model *model, int argc, char **argv)
{
    run r = {.model = model, .info = {.contact = -1}};
    int code = CAROM_EXIT_USAGE;
    int began = 0;
    int json = 0;

    (void)setlocale(LC_NUMERIC, "C"); /* whatever the host program set: numbers are read and written with a point */
    for (int i = 1; i < argc; i++) {  /* even errors in the arguments are told in json */
        json = json || strcmp(argv[i], "--json") == 0;
    }
    if (carom_options_read(&r.options, model, argc, argv, r.message) == 0) {
        if (r.options.help) {
            carom_options_help(stdout, model);
            free(r.options.assign);
            return CAROM_EXIT_GOOD;
        }
        stop_signal = 0;
        r.parent = getppid();
        if (!r.options.quiet) {
            r.progress = isatty(STDERR_FILENO) ? 2 : r.options.progress;
        }
        catch_signals();
        code = make_run(&r, &began);
    }
    code = tell(&r, code, json, began);
    carom_result_close(&r.result);
    free(r.options.assign);
    free(r.params);
    free(r.state);
    free(r.q);
    free(r.v);
    free(r.outputs);
    free(r.contacts);
    free(r.deformed);
    free(r.displaced);
    carom_failure_free(&r.failure);
    if (fflush(stdout) != 0 && code == CAROM_EXIT_GOOD) {
        code = CAROM_EXIT_ENVIRONMENT;
    }
    return code;
}
