/* What co-simulation units of FMI 2 and 3 share: an instance over a carom_model, its variables by value reference, the
 * communication step as internal steps of the scheme, states kept and written as bytes. Impacts, also accumulations of
 * them, are integrated inside; nothing stops. The file that includes this has defined
 *
 *     CAROM_FMU_MODEL    the function that gives the carom_model
 *     CAROM_FMU_TOKEN    guid or instantiation token: the digest of model, scheme and generator
 *
 * Value references are 1000000 kind + index; the kinds are below. Instances come from the C library's heap: the
 * memory functions of the importer are not used. */
#ifndef CAROM_FMU_H
#define CAROM_FMU_H

#include "model.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAROM_FMU_KIND = 1000000 };

/* by kind; the model description is written from the same list (gen/target/fmu.lua) */
typedef enum {
    CAROM_FMU_TIME,
    CAROM_FMU_PARAMETER,
    CAROM_FMU_INPUT,
    CAROM_FMU_OUTPUT,
    CAROM_FMU_POSITION,
    CAROM_FMU_VELOCITY,
    CAROM_FMU_GAP,
    CAROM_FMU_IMPULSE, /* total of each contact */
    CAROM_FMU_FORCE    /* mean over the last internal step: constraints, contacts, tangents */
} carom_fmu_kind;

typedef enum {
    CAROM_FMU_INSTANTIATED,
    CAROM_FMU_INITIALISING,
    CAROM_FMU_STEPPING,
    CAROM_FMU_EVENT, /* FMI 3: event mode */
    CAROM_FMU_TERMINATED,
    CAROM_FMU_BROKEN /* after an error: it may be reset or freed */
} carom_fmu_phase;

typedef struct carom_fmu carom_fmu;
struct carom_fmu {
    const carom_model *model;
    void *state;
    double *params, *input, *output;
    carom_contact_event heard[32];
    carom_fmu_phase phase;
    bool fresh; /* the state is that of the parameters, t = start */
    bool logging, events;
    double start, stop; /* stop: HUGE_VAL when none was given */
    char *name;
    void (*say)(carom_fmu *fmu, int severe, const char *category, const char *message);
    void *environment;
    const void *logger;
    /* of FMI 3 */
    bool event_mode, early;
};

static inline void carom_fmu_tell(carom_fmu *fmu, int severe, const char *category, const char *message)
{
    if (fmu->say != NULL && (severe != 0 || fmu->logging)) {
        fmu->say(fmu, severe, category, message);
    }
}

/* An error; the instance is of no use until it is reset. */
static inline void carom_fmu_break(carom_fmu *fmu, const char *message)
{
    fmu->phase = CAROM_FMU_BROKEN;
    carom_fmu_tell(fmu, 1, "logStatusError", message);
}

#define CAROM_IN(phase) (1U << (phase))
#define CAROM_BEFORE_STEPS (CAROM_IN(CAROM_FMU_INSTANTIATED) | CAROM_IN(CAROM_FMU_INITIALISING))

/* May a function be called now? If not it is the importer's mistake: told, and an error. */
static inline bool carom_fmu_may(carom_fmu *fmu, unsigned phases, const char *function)
{
    char text[120];
    if (fmu == NULL) {
        return false;
    }
    if ((CAROM_IN(fmu->phase) & phases) != 0U) {
        return true;
    }
    (void)snprintf(text, sizeof text, "%s may not be called now", function);
    carom_fmu_tell(fmu, 1, "logStatusError", text);
    return false;
}

/* Messages on or off: all, or of these categories. */
static inline bool carom_fmu_log(carom_fmu *fmu, bool on, size_t n, const char *const list[])
{
    if (fmu == NULL || (n > 0 && list == NULL)) {
        return false;
    }
    fmu->events = n == 0;
    for (size_t k = 0; k < n; k++) {
        if (strcmp(list[k], "logEvents") == 0) {
            fmu->events = true;
        } else if (strcmp(list[k], "logStatusError") != 0) {
            carom_fmu_tell(fmu, 1, "logStatusError", "there is no such logging category");
            return false;
        }
    }
    fmu->logging = on;
    return true;
}

/* From where to where it will go. */
static inline bool carom_fmu_plan(carom_fmu *fmu, double start, bool has_stop, double stop)
{
    if (!(fabs(start) < HUGE_VAL) || (has_stop && !(stop >= start))) {
        carom_fmu_tell(fmu, 1, "logStatusError", "the experiment ends before it starts");
        return false;
    }
    fmu->start = start;
    fmu->stop = has_stop ? stop : HUGE_VAL;
    fmu->fresh = false;
    return true;
}

static inline int carom_fmu_places(const carom_model *m) { return m->bodies > 0 ? 7 * m->bodies : m->coordinates; }
static inline int carom_fmu_speeds(const carom_model *m) { return m->bodies > 0 ? 6 * m->bodies : m->velocities; }

static inline int carom_fmu_count(const carom_model *m, carom_fmu_kind kind)
{
    switch (kind) {
    case CAROM_FMU_TIME:
        return 1;
    case CAROM_FMU_PARAMETER:
        return m->parameters;
    case CAROM_FMU_INPUT:
        return m->inputs;
    case CAROM_FMU_OUTPUT:
        return m->outputs;
    case CAROM_FMU_POSITION:
        return carom_fmu_places(m);
    case CAROM_FMU_VELOCITY:
        return carom_fmu_speeds(m);
    case CAROM_FMU_GAP:
    case CAROM_FMU_IMPULSE:
        return m->contacts;
    default:
        return m->constraints + m->contacts + m->tangents;
    }
}

/* As after instantiation: values of the model file. */
static inline void carom_fmu_reset(carom_fmu *fmu)
{
    fmu->model->defaults(fmu->params);
    for (int i = 0; i < fmu->model->inputs; i++) {
        fmu->input[i] = fmu->model->input[i].value;
    }
    fmu->phase = CAROM_FMU_INSTANTIATED;
    fmu->fresh = false;
    fmu->start = 0.0;
    fmu->stop = HUGE_VAL;
}

static inline void carom_fmu_free(carom_fmu *fmu)
{
    if (fmu != NULL) {
        free(fmu->state);
        free(fmu->params);
        free(fmu->input);
        free(fmu->output);
        free(fmu->name);
        free(fmu);
    }
}

static inline carom_fmu *carom_fmu_new(const char *name)
{
    const carom_model *const model = CAROM_FMU_MODEL();
    carom_fmu *const fmu = (carom_fmu *)calloc(1, sizeof *fmu);
    if (fmu == NULL) {
        return NULL;
    }
    const size_t length = strlen(name) + 1;
    fmu->model = model;
    fmu->state = calloc(1, model->state_size);
    fmu->params = (double *)calloc((size_t)model->parameters + 1, sizeof(double));
    fmu->input = (double *)calloc((size_t)model->inputs + 1, sizeof(double));
    fmu->output = (double *)calloc((size_t)model->outputs + 1, sizeof(double));
    fmu->name = (char *)malloc(length);
    if (fmu->state == NULL || fmu->params == NULL || fmu->input == NULL || fmu->output == NULL || fmu->name == NULL) {
        carom_fmu_free(fmu);
        return NULL;
    }
    memcpy(fmu->name, name, length);
    carom_fmu_reset(fmu);
    return fmu;
}

static inline void carom_fmu_listen(carom_fmu *fmu)
{
    if (fmu->model->listen != NULL) {
        fmu->model->listen(fmu->state, fmu->heard, (int)(sizeof fmu->heard / sizeof fmu->heard[0]));
    }
}

static inline void carom_fmu_feed(carom_fmu *fmu)
{
    carom_view view;
    fmu->model->view(fmu->state, &view);
    for (int i = 0; i < fmu->model->inputs; i++) {
        view.input[i] = fmu->input[i];
    }
}

/* The state at the start, from the parameters. */
static inline bool carom_fmu_begin(carom_fmu *fmu)
{
    if (fmu->fresh) {
        return true;
    }
    carom_status status = fmu->model->init(fmu->state, fmu->params);
    carom_view view;
    if (status == CAROM_OK) {
        carom_fmu_feed(fmu);
        carom_fmu_listen(fmu);
        fmu->model->view(fmu->state, &view);
        if (fmu->start != *view.t) { /* q and v lie in the state that is set: copies */
            const size_t nq = (size_t)carom_fmu_places(fmu->model), nv = (size_t)carom_fmu_speeds(fmu->model);
            double *const copy = (double *)malloc((nq + nv + 1) * sizeof *copy);
            if (copy == NULL) {
                carom_fmu_break(fmu, "out of memory");
                return false;
            }
            memcpy(copy, view.q, nq * sizeof *copy);
            memcpy(copy + nq, view.v, nv * sizeof *copy);
            status = fmu->model->set(fmu->state, fmu->start, copy, copy + nq);
            free(copy);
        }
    }
    if (status != CAROM_OK) {
        carom_fmu_break(fmu, carom_status_text(status));
        return false;
    }
    fmu->fresh = true;
    return true;
}

/* Values of variables that are there. */
static inline void carom_fmu_values(carom_fmu *fmu, const unsigned *reference, size_t count, double *value)
{
    const carom_model *const m = fmu->model;
    carom_view view;
    m->view(fmu->state, &view);
    const double *const from[] = {
        [CAROM_FMU_TIME] = view.t,        [CAROM_FMU_PARAMETER] = fmu->params, [CAROM_FMU_INPUT] = fmu->input,
        [CAROM_FMU_OUTPUT] = fmu->output, [CAROM_FMU_POSITION] = view.q,       [CAROM_FMU_VELOCITY] = view.v,
        [CAROM_FMU_GAP] = view.gap,       [CAROM_FMU_IMPULSE] = view.impulse,
    };
    bool computed = false;
    for (size_t k = 0; k < count; k++) {
        const unsigned kind = reference[k] / CAROM_FMU_KIND, i = reference[k] % CAROM_FMU_KIND;
        if (kind == CAROM_FMU_OUTPUT && !computed) {
            m->output_values(fmu->state, fmu->output);
            computed = true;
        }
        if (kind == CAROM_FMU_FORCE) {
            value[k] = view.last != NULL ? view.last[i] / *view.last_step : 0.0;
        } else {
            value[k] = from[kind][i];
        }
    }
}

/* Values of variables; false: there is no such one, or no state. */
static inline bool carom_fmu_get(carom_fmu *fmu, const unsigned *reference, size_t count, double *value)
{
    for (size_t k = 0; k < count; k++) {
        const unsigned kind = reference[k] / CAROM_FMU_KIND;
        const int i = (int)(reference[k] % CAROM_FMU_KIND);
        if (kind > CAROM_FMU_FORCE || i >= carom_fmu_count(fmu->model, (carom_fmu_kind)kind)) {
            carom_fmu_break(fmu, "there is no variable with this value reference");
            return false;
        }
        const bool of_state = kind != CAROM_FMU_PARAMETER && kind != CAROM_FMU_INPUT;
        if (of_state && fmu->phase < CAROM_FMU_STEPPING && !carom_fmu_begin(fmu)) {
            return false;
        }
    }
    carom_fmu_values(fmu, reference, count, value);
    return true;
}

/* Parameters and inputs. While it steps, parameters go on from the present motion. */
static inline bool carom_fmu_set(carom_fmu *fmu, const unsigned *reference, size_t count, const double *value)
{
    const carom_model *const m = fmu->model;
    bool tuned = false, fed = false;
    for (size_t k = 0; k < count; k++) {
        const unsigned kind = reference[k] / CAROM_FMU_KIND;
        const int i = (int)(reference[k] % CAROM_FMU_KIND);
        if ((kind != CAROM_FMU_PARAMETER && kind != CAROM_FMU_INPUT) || i >= carom_fmu_count(m, (carom_fmu_kind)kind)) {
            carom_fmu_break(fmu, "only parameters and inputs can be set");
            return false;
        }
        if (!(fabs(value[k]) < HUGE_VAL)) {
            carom_fmu_break(fmu, "a value is infinite or not a number");
            return false;
        }
        (kind == CAROM_FMU_PARAMETER ? fmu->params : fmu->input)[i] = value[k];
        tuned = tuned || kind == CAROM_FMU_PARAMETER;
        fed = fed || kind == CAROM_FMU_INPUT;
    }
    if (fmu->phase < CAROM_FMU_STEPPING) {
        fmu->fresh = false;
        return true;
    }
    const carom_status status = tuned ? m->set_params(fmu->state, fmu->params) : CAROM_OK;
    if (status != CAROM_OK) {
        carom_fmu_break(fmu, carom_status_text(status));
        return false;
    }
    if (fed) {
        carom_fmu_feed(fmu);
    }
    return true;
}

static inline void carom_fmu_log_events(carom_fmu *fmu, const carom_contact_events *list)
{
    static const char *const word[] = {"closes", "opens", "sticks", "slides"};
    char text[160];
    for (int i = 0; i < list->count && fmu->logging && fmu->events; i++) {
        const carom_contact_event *const e = &list->item[i];
        (void)snprintf(text, sizeof text, "t = %.10g: %.60s %s, impulse %.6g", e->t,
                       fmu->model->contact[e->contact].name, word[e->kind], e->impulse);
        carom_fmu_tell(fmu, 0, "logEvents", text);
    }
}

/* Internal steps to t_end, the last one shorter; `early`: it may end after a step in which a contact closed or opened,
 * and *happened tells. */
static inline carom_status carom_fmu_advance(carom_fmu *fmu, double t_end, bool early, bool *happened)
{
    const carom_model *const m = fmu->model;
    const double h = m->step > 0.0 ? m->step : 1e-3;
    carom_view view;
    *happened = false;
    m->view(fmu->state, &view);
    const double count = ceil((t_end - *view.t) / h - 1e-6);
    for (double k = 0.0; k < count; k += 1.0) {
        const double left = t_end - *view.t;
        const carom_status status = m->step_once(fmu->state, k + 1.0 < count || fabs(left - h) <= 1e-6 * h ? h : left);
        if (status != CAROM_OK) {
            return status;
        }
        if (m->events != NULL) {
            carom_contact_events *const list = m->events(fmu->state);
            *happened = *happened || list->count > 0;
            if (list->count > 0) {
                carom_fmu_log_events(fmu, list);
                list->count = 0;
            }
        }
        if (early && *happened) {
            return CAROM_OK;
        }
    }
    return CAROM_OK;
}

/* May it go from t by h? */
static inline bool carom_fmu_can_step(carom_fmu *fmu, double t, double h)
{
    carom_view view;
    fmu->model->view(fmu->state, &view);
    if (!(h > 0.0 && h < HUGE_VAL) || !(fabs(t - *view.t) <= 1e-9 * (fabs(t) + h)) ||
        t + h > fmu->stop + 1e-9 * fabs(fmu->stop)) {
        carom_fmu_tell(fmu, 1, "logStatusError",
                       "the step does not begin where the unit is, or leads beyond the stop time");
        return false;
    }
    return true;
}

/* ---- states that are kept, and as bytes: head, parameters, inputs, state ----------------------------------------- */

typedef struct {
    double start, stop;
    unsigned phase, fresh;
} carom_fmu_head;

static inline size_t carom_fmu_bytes_size(const carom_model *m)
{
    return sizeof(carom_fmu_head) + sizeof(double) * (size_t)(m->parameters + m->inputs) + m->saved_size;
}

static inline void carom_fmu_write(carom_fmu *fmu, unsigned char *bytes)
{
    const carom_model *const m = fmu->model;
    const size_t np = sizeof(double) * (size_t)m->parameters, nu = sizeof(double) * (size_t)m->inputs;
    const carom_fmu_head head = {fmu->start, fmu->stop, (unsigned)fmu->phase, fmu->fresh ? 1U : 0U};
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, fmu->params, np);
    memcpy(bytes + sizeof head + np, fmu->input, nu);
    (void)m->save(fmu->state, bytes + sizeof head + np + nu, m->saved_size);
}

/* false: no such state; nothing is changed then. */
static inline bool carom_fmu_read(carom_fmu *fmu, const unsigned char *bytes, size_t size)
{
    const carom_model *const m = fmu->model;
    const size_t np = sizeof(double) * (size_t)m->parameters, nu = sizeof(double) * (size_t)m->inputs;
    carom_fmu_head head;
    if (size != carom_fmu_bytes_size(m)) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    if (head.phase > CAROM_FMU_BROKEN ||
        m->load(fmu->state, bytes + sizeof head + np + nu, m->saved_size) != CAROM_OK) {
        return false;
    }
    memcpy(fmu->params, bytes + sizeof head, np);
    memcpy(fmu->input, bytes + sizeof head + np, nu);
    fmu->start = head.start;
    fmu->stop = head.stop;
    fmu->phase = (carom_fmu_phase)head.phase;
    fmu->fresh = head.fresh != 0;
    carom_fmu_listen(fmu);
    return true;
}

/* What the importer keeps of an instance; each false where that cannot be. */
static inline bool carom_fmu_keep(carom_fmu *fmu, void **kept)
{
    if (fmu == NULL || kept == NULL || fmu->phase == CAROM_FMU_BROKEN) {
        return false;
    }
    if (*kept == NULL) {
        *kept = malloc(carom_fmu_bytes_size(fmu->model));
    }
    if (*kept != NULL) {
        carom_fmu_write(fmu, (unsigned char *)*kept);
    }
    return *kept != NULL;
}

static inline bool carom_fmu_restore(carom_fmu *fmu, const void *kept)
{
    return fmu != NULL && kept != NULL &&
           carom_fmu_read(fmu, (const unsigned char *)kept, carom_fmu_bytes_size(fmu->model));
}

static inline bool carom_fmu_drop(const carom_fmu *fmu, void **kept)
{
    if (fmu == NULL || kept == NULL) {
        return false;
    }
    free(*kept);
    *kept = NULL;
    return true;
}

static inline bool carom_fmu_kept_size(const carom_fmu *fmu, const void *kept, size_t *size)
{
    const bool good = fmu != NULL && kept != NULL && size != NULL;
    if (good) {
        *size = carom_fmu_bytes_size(fmu->model);
    }
    return good;
}

static inline bool carom_fmu_to_bytes(const carom_fmu *fmu, const void *kept, void *bytes, size_t size)
{
    const bool good = fmu != NULL && kept != NULL && bytes != NULL && size >= carom_fmu_bytes_size(fmu->model);
    if (good) {
        memcpy(bytes, kept, carom_fmu_bytes_size(fmu->model));
    }
    return good;
}

static inline bool carom_fmu_from_bytes(const carom_fmu *fmu, const void *bytes, size_t size, void **kept)
{
    if (fmu == NULL || bytes == NULL || kept == NULL || size != carom_fmu_bytes_size(fmu->model)) {
        return false;
    }
    if (*kept == NULL) {
        *kept = malloc(size);
    }
    if (*kept != NULL) {
        memcpy(*kept, bytes, size);
    }
    return *kept != NULL;
}

#endif
