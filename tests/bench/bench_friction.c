/* What a frictional contact costs: the same model with and without friction, steps made alternately in one process, best of
 * many. The generated integrators are known here by their carom_model only, so both pay the same for being called. */
#define _XOPEN_SOURCE 700
#include "box_rough_d.h"
#include "box_rough_m.h"
#include "box_smooth_d.h"
#include "box_smooth_m.h"
#include "stick_rough_d.h"
#include "stick_rough_m.h"
#include "stick_smooth_d.h"
#include "stick_smooth_m.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEAT = 41, STEPS = 20000 };

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nanoseconds per step from a fresh state; `name = value` is set first. */
static double time_steps(const carom_model *model, void *state, double *params, const char *name, double value)
{
    carom_status status = CAROM_OK;
    model->defaults(params);
    for (int i = 0; i < model->parameters; ++i) {
        if (strcmp(model->parameter[i].name, name) == 0) {
            params[i] = value;
        }
    }
    status = model->init(state, params);
    const double start = now();
    for (int k = 0; k < STEPS && status == CAROM_OK; ++k) {
        status = model->step_once(state, 1e-4);
    }
    const double seconds = now() - start;
    return status == CAROM_OK ? 1e9 * seconds / STEPS : NAN;
}

static void compare(const char *label, const carom_model *rough, const carom_model *smooth, const char *name, double value)
{
    void *a = malloc(rough->state_size), *b = malloc(smooth->state_size);
    double *params = malloc(rough->params_size), with = HUGE_VAL, without = HUGE_VAL;
    for (int k = 0; k < REPEAT && a != NULL && b != NULL && params != NULL; ++k) {
        with = fmin(with, time_steps(rough, a, params, name, value));
        without = fmin(without, time_steps(smooth, b, params, name, value));
    }
    printf("%-40s with %.1f without %.1f ns/step\n", label, with, without);
    free(a);
    free(b);
    free(params);
}

int main(void)
{
    compare("one contact that sticks, D-:M=1", stick_rough_d_model(), stick_smooth_d_model(), "friction", 0.5);
    compare("one contact that slides, D-:M=1", stick_rough_d_model(), stick_smooth_d_model(), "friction", 0.1);
    compare("one contact that sticks, moreau-jean", stick_rough_m_model(), stick_smooth_m_model(), "friction", 0.5);
    compare("two contacts at rest, D-:M=1", box_rough_d_model(), box_smooth_d_model(), "tilt", 0.0);
    compare("two contacts at rest, moreau-jean", box_rough_m_model(), box_smooth_m_model(), "tilt", 0.0);
    return 0;
}
