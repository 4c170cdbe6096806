/* Many runs of one model in one process: see sweep.h. */
#define _XOPEN_SOURCE 700

#include "sweep.h"

#include "progress.h"
#include "stop.h"
#include "text.h"

#include <carom/driver.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES = 64, LINE = 1 << 14, BLOCK = 512 /* runs side by side */ };

typedef enum { PARAMETER, INPUT, POSITION, VELOCITY } Kind;

typedef struct {
    const carom_model *model;
    int names;
    struct {
        Kind kind;
        int index;
    } place[NAMES];
    double value[NAMES];
    double *params, *q, *v, *outputs;
    void *state;
    const carom_side_by_side *lanes;
    void *packs; /* of a block */
    struct {
        char *line;
        carom_status status; /* of its start */
    } run[BLOCK];
} Sweep;

static int complain(const char *what, const char *detail)
{
    (void)fprintf(stderr, "carom: error: %s%s\n", what, detail);
    return CAROM_EXIT_ENVIRONMENT;
}

static int find(const carom_quantity *list, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Names of the first line; 0 when all are known. */
static int read_names(Sweep *s, char *line)
{
    const carom_model *m = s->model;
    const struct {
        const carom_quantity *list;
        int count;
    } of[] = {{m->parameter, m->parameters},
              {m->input, m->inputs},
              {m->coordinate, m->coordinates},
              {m->velocity, m->velocities}};
    for (char *word = strtok(line, ", \n"); word != NULL; word = strtok(NULL, ", \n")) {
        int found = -1;
        for (int kind = PARAMETER; kind <= VELOCITY && found < 0; kind++) {
            found = find(of[kind].list, of[kind].count, word);
            if (found >= 0 && s->names < NAMES) {
                s->place[s->names].kind = (Kind)kind;
                s->place[s->names++].index = found;
            }
        }
        if (found < 0) {
            return complain("there is no parameter, input or initial value ", word);
        }
    }
    return 0;
}

/* The start of a run: parameters, inputs, initial values. */
static carom_status start(Sweep *s)
{
    const carom_model *m = s->model;
    carom_view view;
    int placed = 0;
    m->defaults(s->params);
    for (int k = 0; k < s->names; k++) {
        if (s->place[k].kind == PARAMETER) {
            s->params[s->place[k].index] = s->value[k];
        }
    }
    const carom_status status = m->init(s->state, s->params);
    if (status != CAROM_OK) {
        return status;
    }
    m->view(s->state, &view);
    memcpy(s->q, view.q, sizeof(double) * (size_t)m->coordinates);
    memcpy(s->v, view.v, sizeof(double) * (size_t)m->velocities);
    for (int k = 0; k < s->names; k++) {
        double *const to[] = {s->params, view.input, s->q, s->v};
        if (s->place[k].kind != PARAMETER) {
            to[s->place[k].kind][s->place[k].index] = s->value[k];
        }
        placed = placed || s->place[k].kind >= POSITION;
    }
    return placed ? m->set(s->state, *view.t, s->q, s->v) : CAROM_OK;
}

/* The steps from the state on; false: there are none. */
static int plan(const Sweep *s, double until, double h, carom_steps *steps)
{
    char message[CAROM_MESSAGE_SIZE];
    carom_view view;
    s->model->view(s->state, &view);
    *steps = (carom_steps){.start = *view.t, .h = h};
    return carom_steps_plan(steps, *view.t, until, message) == 0;
}

static carom_status run(Sweep *s, double until, double h)
{
    const carom_model *m = s->model;
    carom_steps steps;
    carom_status status = start(s);
    if (status != CAROM_OK) {
        return status;
    }
    if (!plan(s, until, h, &steps)) {
        return CAROM_ARGUMENT;
    }
    for (; steps.step < steps.steps && status == CAROM_OK; steps.step++) {
        status = m->step_once(s->state, carom_steps_next(&steps));
    }
    return status;
}

static void put(FILE *out, double x)
{
    char text[CAROM_NUMBER_SIZE];
    const int length = carom_number_text(text, x);
    (void)fputc(',', out);
    (void)fwrite(text, 1, (size_t)length, out);
}

static void head(const carom_model *m, FILE *out)
{
    (void)fputs(",status,t", out);
    for (int i = 0; i < m->coordinates; i++) {
        (void)fprintf(out, ",%s", m->coordinate[i].name);
    }
    for (int i = 0; i < m->velocities; i++) {
        (void)fprintf(out, ",%s", m->velocity[i].name);
    }
    for (int i = 0; i < m->contacts; i++) {
        (void)fprintf(out, ",%s.impulse", m->contact[i].name);
    }
    for (int i = 0; i < m->outputs; i++) {
        (void)fprintf(out, ",%s", m->output[i].name);
    }
    (void)fputc('\n', out);
}

static void row(Sweep *s, carom_status status, FILE *out)
{
    const carom_model *m = s->model;
    carom_view view;
    m->view(s->state, &view);
    (void)fprintf(out, ",%d", (int)status);
    put(out, *view.t);
    for (int i = 0; i < m->coordinates; i++) {
        put(out, view.q[i]);
    }
    for (int i = 0; i < m->velocities; i++) {
        put(out, view.v[i]);
    }
    for (int i = 0; i < m->contacts; i++) {
        put(out, view.impulse[i]);
    }
    m->output_values(s->state, s->outputs);
    for (int i = 0; i < m->outputs; i++) {
        put(out, s->outputs[i]);
    }
    (void)fputc('\n', out);
}

/* Numbers of a line; 0 when there are as many as names. */
static int read_row(Sweep *s, char *line)
{
    char *at = line;
    for (int k = 0; k < s->names; k++) {
        char *after = at;
        s->value[k] = strtod(at, &after);
        if (after == at) {
            return -1;
        }
        at = *after == ',' ? after + 1 : after;
    }
    return 0;
}

/* A run of a block takes its place in the packs. The first one tells all the others what is alike. */
static void join(Sweep *s, int k)
{
    s->run[k].status = start(s);
    if (k == 0) { /* whether or not it can start: each has its own before it steps */
        s->lanes->fill(s->packs, BLOCK, s->state);
    }
    if (s->run[k].status == CAROM_OK) {
        s->lanes->put(s->packs, (size_t)k, s->state);
    }
}

/* The runs of a block side by side to the last step, which is made alone where it is shorter. */
static void run_block(Sweep *s, int count, double until, double h, FILE *out)
{
    const carom_model *m = s->model;
    carom_steps steps = {.h = h};
    int planned = 0;
    for (int k = 0; k < count && !planned; k++) { /* all start at the same time */
        if (s->run[k].status == CAROM_OK && s->lanes->get(s->packs, (size_t)k, s->state) == CAROM_OK) {
            planned = plan(s, until, h, &steps);
        }
    }
    const int shorter = planned && steps.steps > 0 && steps.last_h != h;
    if (planned) {
        const double side = shorter ? steps.start + (double)(steps.steps - 1) * h : until;
        (void)s->lanes->advance(s->packs, (size_t)count, side, h);
    }
    for (int k = 0; k < count; k++) {
        carom_status status = s->run[k].status;
        if (status == CAROM_OK) {
            status = s->lanes->status(s->packs, (size_t)k);
            const carom_status got = s->lanes->get(s->packs, (size_t)k, s->state);
            status = status == CAROM_OK ? got : status;
            status = status == CAROM_OK && !planned ? CAROM_ARGUMENT : status;
            status = status == CAROM_OK && shorter ? m->step_once(s->state, steps.last_h) : status;
        } else { /* as it was left when it could not start */
            (void)read_row(s, s->run[k].line);
            (void)start(s);
        }
        (void)fputs(s->run[k].line, out);
        row(s, status, out);
        free(s->run[k].line);
    }
}

static int all_rows(Sweep *s, FILE *in, FILE *out, double until, double h)
{
    static char line[LINE];
    unsigned long long made = 0;
    int block = 0;
    const int shows = isatty(STDERR_FILENO);
    double told = carom_wall_seconds() + 1.0;
    if (fgets(line, LINE, in) == NULL) {
        return complain("no names in the input", "");
    }
    line[strcspn(line, "\n")] = '\0';
    (void)fputs(line, out);
    head(s->model, out);
    if (read_names(s, line) != 0) {
        return CAROM_EXIT_USAGE;
    }
    while (fgets(line, LINE, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (read_row(s, line) != 0) {
            return complain("not as many numbers as names: ", line);
        }
        made++;
        if (s->lanes == NULL) {
            (void)fputs(line, out);
            row(s, run(s, until, h), out);
        } else {
            s->run[block].line = strdup(line);
            if (s->run[block].line == NULL) {
                return complain("out of memory", "");
            }
            join(s, block++);
            if (block == BLOCK) {
                run_block(s, block, until, h, out);
                block = 0;
            }
        }
        if (shows && carom_wall_seconds() > told) {
            (void)fprintf(stderr, "\r%llu runs", made);
            told = carom_wall_seconds() + 0.5;
        }
    }
    if (block > 0) {
        run_block(s, block, until, h, out);
    }
    if (shows && made > 0) {
        (void)fputs("\r\033[K", stderr);
    }
    return CAROM_EXIT_GOOD;
}

int carom_drive_sweep(const carom_model *model, const carom_side_by_side *lanes, int argc, char **argv)
{
    return carom_sweep(model, lanes, argc, argv);
}

int carom_sweep(const carom_model *model, const carom_side_by_side *lanes, int argc, char **argv)
{
    static Sweep s; /* with a block of runs */
    s = (Sweep){.model = model, .lanes = lanes};
    FILE *in = argc == 4 ? fopen(argv[0], "r") : NULL, *out = in != NULL ? fopen(argv[1], "w") : NULL;
    int code = CAROM_EXIT_ENVIRONMENT;
    s.state = calloc(1, model->state_size);
    s.packs = lanes != NULL ? aligned_alloc(lanes->alignment, lanes->bytes(BLOCK)) : NULL;
    s.params = calloc((size_t)model->parameters + 1, sizeof(double));
    s.q = calloc((size_t)model->coordinates + 1, sizeof(double));
    s.v = calloc((size_t)model->velocities + 1, sizeof(double));
    s.outputs = calloc((size_t)model->outputs + 1, sizeof(double));
    if (in == NULL || out == NULL) {
        code = complain("cannot open the files of a sweep: ", strerror(errno));
    } else if (s.state == NULL || (lanes != NULL && s.packs == NULL) || s.params == NULL || s.q == NULL ||
               s.v == NULL || s.outputs == NULL) {
        code = complain("out of memory", "");
    } else {
        code = all_rows(&s, in, out, strtod(argv[2], NULL), strtod(argv[3], NULL));
    }
    if (in != NULL) {
        (void)fclose(in);
    }
    if (out != NULL) {
        const int broken = ferror(out);
        if ((fclose(out) != 0 || broken != 0) && code == CAROM_EXIT_GOOD) {
            code = complain("cannot write the results of a sweep: ", strerror(errno));
        }
    }
    free(s.state);
    free(s.packs);
    free(s.params);
    free(s.q);
    free(s.v);
    free(s.outputs);
    return code;
}
