/* A model as a library that other languages call without headers: handles, numbers and texts only. Variables are those
 * of carom/fmu.h, by value reference 1000000 kind + index (kinds: 0 time, 1 parameters, 2 inputs, 3 outputs, 4
 * positions, 5 velocities, 6 gaps, 7 impulses of contacts, 8 mean forces of constraints, contacts and tangents). The
 * file that includes this has defined CAROM_FMU_MODEL and CAROM_FMU_TOKEN. Functions that give an int give a
 * carom_status, 0 when all is well. */
#ifndef CAROM_LIBRARY_H
#define CAROM_LIBRARY_H

#include "fmu.h"

#if defined(_WIN32)
#define CAROM_EXPORT extern __declspec(dllexport)
#else
#define CAROM_EXPORT extern __attribute__((visibility("default")))
#endif

CAROM_EXPORT const carom_model *carom_library_model(void);
CAROM_EXPORT int carom_library_api(void);
CAROM_EXPORT const char *carom_library_about(int which); /* 0 name, 1 scheme, 2 digest */
CAROM_EXPORT double carom_library_default(int which);    /* 0 step, 1 until_time of the model's own run; 0: none */
CAROM_EXPORT int carom_library_count(int kind);
CAROM_EXPORT const char *carom_library_name(int kind, int index);
CAROM_EXPORT const char *carom_library_unit(int kind, int index);
CAROM_EXPORT const char *carom_library_text(int status);
CAROM_EXPORT void *carom_library_new(void); /* NULL: no memory */
CAROM_EXPORT void carom_library_free(void *handle);
CAROM_EXPORT int
carom_library_start(void *handle); /* back to the start, with the parameters and inputs that were set */
CAROM_EXPORT int carom_library_get(void *handle, const unsigned *reference, int count, double *value);
CAROM_EXPORT int carom_library_set(void *handle, const unsigned *reference, int count, const double *value);
CAROM_EXPORT int carom_library_place(void *handle, double t, const double *q, const double *v);
CAROM_EXPORT int carom_library_step(void *handle, double h);
/* Steps of h until t_end, the last one shorter; before the first and after each `every` one (and the last) a row of
 * values, at most `rows`: *made is how many. */
CAROM_EXPORT int carom_library_run(void *handle, double t_end, double h, long every, const unsigned *reference,
                                   int count, double *table, long rows, long *made);
CAROM_EXPORT long carom_library_rows(void *handle, double t_end, double h, long every); /* that run will make */
CAROM_EXPORT size_t carom_library_saved_size(void);
CAROM_EXPORT int carom_library_save(void *handle, void *bytes, size_t size);
CAROM_EXPORT int carom_library_load(void *handle, const void *bytes, size_t size);

const carom_model *carom_library_model(void) { return CAROM_FMU_MODEL(); }
int carom_library_api(void) { return CAROM_API_VERSION; }

const char *carom_library_about(int which)
{
    const carom_model *const m = CAROM_FMU_MODEL();
    return which == 0 ? m->name : which == 1 ? m->scheme : m->digest;
}

double carom_library_default(int which) { return which == 0 ? CAROM_FMU_MODEL()->step : CAROM_FMU_MODEL()->until_time; }

int carom_library_count(int kind)
{
    return kind >= CAROM_FMU_TIME && kind <= CAROM_FMU_FORCE ? carom_fmu_count(CAROM_FMU_MODEL(), (carom_fmu_kind)kind)
                                                             : 0;
}

/* Of a variable; NULL: it has no name of its own. */
static inline const carom_quantity *carom_library_quantity(int kind, int index)
{
    const carom_model *const m = CAROM_FMU_MODEL();
    if (index < 0 || index >= carom_library_count(kind) || (m->bodies > 0 && kind >= CAROM_FMU_POSITION)) {
        return NULL;
    }
    switch (kind) {
    case CAROM_FMU_PARAMETER:
        return m->parameter + index;
    case CAROM_FMU_INPUT:
        return m->input + index;
    case CAROM_FMU_OUTPUT:
        return m->output + index;
    case CAROM_FMU_POSITION:
        return m->coordinate + index;
    case CAROM_FMU_VELOCITY:
        return m->velocity + index;
    case CAROM_FMU_GAP:
    case CAROM_FMU_IMPULSE:
        return m->contact + index;
    case CAROM_FMU_FORCE:
        return index < m->constraints                 ? m->constraint + index
               : index < m->constraints + m->contacts ? m->contact + (index - m->constraints)
                                                      : m->tangent + (index - m->constraints - m->contacts);
    default:
        return NULL;
    }
}

const char *carom_library_name(int kind, int index)
{
    const carom_quantity *const q = carom_library_quantity(kind, index);
    return q != NULL ? q->name : kind == CAROM_FMU_TIME ? "t" : NULL;
}

const char *carom_library_unit(int kind, int index)
{
    const carom_quantity *const q = carom_library_quantity(kind, index);
    return q != NULL ? q->unit : kind == CAROM_FMU_TIME ? "s" : NULL;
}

const char *carom_library_text(int status) { return carom_status_text((carom_status)status); }

void carom_library_free(void *handle) { carom_fmu_free((carom_fmu *)handle); }
void *carom_library_new(void) { return carom_fmu_new(CAROM_FMU_MODEL()->name); }

int carom_library_start(void *handle)
{
    carom_fmu *const fmu = (carom_fmu *)handle;
    const carom_status status = fmu->model->init(fmu->state, fmu->params);
    if (status == CAROM_OK) {
        carom_fmu_feed(fmu);
    }
    fmu->phase = status == CAROM_OK ? CAROM_FMU_STEPPING : CAROM_FMU_INSTANTIATED;
    fmu->fresh = status == CAROM_OK;
    return (int)status;
}

int carom_library_get(void *handle, const unsigned *reference, int count, double *value)
{
    return carom_fmu_get((carom_fmu *)handle, reference, (size_t)count, value) ? CAROM_OK : CAROM_ARGUMENT;
}

int carom_library_set(void *handle, const unsigned *reference, int count, const double *value)
{
    carom_fmu *const fmu = (carom_fmu *)handle;
    const carom_fmu_phase phase = fmu->phase;
    const bool good = carom_fmu_set(fmu, reference, (size_t)count, value);
    fmu->phase = phase; /* a refused value breaks nothing here: the state is as it was */
    return good ? CAROM_OK : CAROM_ARGUMENT;
}

int carom_library_place(void *handle, double t, const double *q, const double *v)
{
    carom_fmu *const fmu = (carom_fmu *)handle;
    return (int)fmu->model->set(fmu->state, t, q, v);
}

int carom_library_step(void *handle, double h)
{
    carom_fmu *const fmu = (carom_fmu *)handle;
    return (int)fmu->model->step_once(fmu->state, h);
}

/* As carom run counts steps. */
static inline double carom_library_steps(const carom_fmu *fmu, double t_end, double h)
{
    carom_view view;
    fmu->model->view(fmu->state, &view);
    const double span = t_end - *view.t;
    return span > 0.0 ? ceil(span / h * (1.0 - 1e-9)) : 0.0;
}

long carom_library_rows(void *handle, double t_end, double h, long every)
{
    const double steps = carom_library_steps((const carom_fmu *)handle, t_end, h);
    return every > 0 && h > 0.0 && steps < 1e12 ? 1 + (long)ceil(steps / (double)every) : -1;
}

int carom_library_run(void *handle, double t_end, double h, long every, const unsigned *reference, int count,
                      double *table, long rows, long *made)
{
    carom_fmu *const fmu = (carom_fmu *)handle;
    carom_view view;
    *made = 0;
    if (!(h > 0.0 && h < HUGE_VAL) || !(fabs(t_end) < HUGE_VAL) || every < 1) {
        return CAROM_ARGUMENT;
    }
    const double steps = carom_library_steps(fmu, t_end, h);
    fmu->model->view(fmu->state, &view);
    const double start = *view.t;
    const double end = steps * h > (t_end - start) * (1.0 + 1e-9) ? t_end - start - (steps - 1.0) * h : h;
    if (rows > 0 && !carom_fmu_get(fmu, reference, (size_t)count, table)) { /* the start; are they all there? */
        return CAROM_ARGUMENT;
    }
    *made = rows > 0 ? 1 : 0;
    long wait = every; /* steps until the next row */
    for (double k = 1.0; k <= steps; k += 1.0) {
        const carom_status status = fmu->model->step_once(fmu->state, k < steps ? h : end);
        if (status != CAROM_OK) {
            return (int)status;
        }
        if ((--wait == 0 || k >= steps) && *made < rows) {
            carom_fmu_values(fmu, reference, (size_t)count, table + *made * count);
            ++*made;
        }
        wait = wait == 0 ? every : wait;
    }
    return CAROM_OK;
}

size_t carom_library_saved_size(void) { return carom_fmu_bytes_size(CAROM_FMU_MODEL()); }

int carom_library_save(void *handle, void *bytes, size_t size)
{
    if (size < carom_library_saved_size()) {
        return CAROM_ARGUMENT;
    }
    carom_fmu_write((carom_fmu *)handle, (unsigned char *)bytes);
    return CAROM_OK;
}

int carom_library_load(void *handle, const void *bytes, size_t size)
{
    return carom_fmu_read((carom_fmu *)handle, (const unsigned char *)bytes, size) ? CAROM_OK : CAROM_FOREIGN;
}

#endif
