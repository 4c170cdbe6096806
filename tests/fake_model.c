/* A hand-made integrator for tests of the driver: a point moves on a straight line, x' = v, v' = push.
 * Below the ground (x < 0) it cannot start; its parameters make steps slow (delay) or failing (limit on x). */
#define _XOPEN_SOURCE 700

#include "fake_model.h"

#include <math.h>
#include <time.h>

typedef struct {
    double limit, delay;
} fake_params;

typedef struct {
    fake_params p;
    double t, x, v, gap, impulse, push;
    double last[3], last_step, friction; /* of the rail, the ground, its tangent */
    carom_deepest deepest;
    carom_info info;
    carom_counts counts;
} fake;

static const carom_quantity parameters[] = {{"limit", "m", 1e9}, {"delay", "s", 0.0}};
static const carom_quantity coordinates[] = {{"x", "m", 1.0}};
static const carom_quantity velocities[] = {{"x.dot", "m/s", 0.5}};
static const carom_quantity contacts[] = {{"ground", "", 0.0}};
static const carom_quantity constraints[] = {{"rail", "", 0.0}};
static const carom_quantity tangents[] = {{"ground.friction", "", 0.0}};
static const carom_quantity inputs[] = {{"push", "m/s^2", 0.0}};
static const carom_quantity outputs[] = {{"third", "", 0.0}, {"nothing", "", 0.0}};

static void fake_defaults(void *params)
{
    *(fake_params *)params = (fake_params){parameters[0].value, parameters[1].value};
}

static carom_status fake_set(void *state, double t, const double *q, const double *v)
{
    fake *s = state;
    s->t = t;
    s->x = q[0];
    s->v = v[0];
    s->gap = q[0];
    s->info = (carom_info){.contact = -1};
    if (s->gap < 0.0) {
        s->info = (carom_info){.contact = 1, .residual = s->gap}; /* row 0 is the constraint */
        return CAROM_PENETRATION;
    }
    return CAROM_OK;
}

static carom_status fake_init(void *state, const void *params)
{
    fake *s = state;
    *s = (fake){.p = *(const fake_params *)params, .last_step = 1.0, .deepest = {.contact = -1}};
    return fake_set(s, 0.0, &coordinates[0].value, &velocities[0].value);
}

static carom_status fake_step(void *state, double h)
{
    fake *s = state;
    double x = s->x + h * s->v;
    if (s->p.delay > 0.0) {
        struct timespec pause = {(time_t)floor(s->p.delay), (long)(1e9 * (s->p.delay - floor(s->p.delay)))};
        while (nanosleep(&pause, &pause) != 0) { /* a signal does not shorten the step */
        }
    }
    if (x > s->p.limit) {
        s->info = (carom_info){.contact = 1, .iterations = 7, .residual = x - s->p.limit};
        return CAROM_CONTACT;
    }
    s->x = x;
    s->gap = x;
    s->v += h * s->push;
    s->t += h;
    s->impulse += h;
    s->last[0] = -2.0 * h;
    s->last[1] = h;
    s->last[2] = 0.25 * h;
    s->last_step = h;
    s->friction += s->last[2];
    if (!(s->deepest.depth > 0.0)) {
        s->deepest = (carom_deepest){0.125, s->t, 0};
    }
    s->counts.steps++;
    s->counts.evaluations += 2;
    s->counts.contact_solves++;
    return CAROM_OK;
}

/* A step in parts of a hundredth, as those do that choose their own. */
static carom_status fake_toward(void *state, double t_end, double h)
{
    fake *s = state;
    const double part = h / 100.0, left = t_end - s->t;
    const carom_status status = fake_step(s, left > 1.5 * part ? part : left);
    return status == CAROM_OK && left > 1.5 * part ? CAROM_UNFINISHED : status;
}

static void fake_outputs(const void *state, double *y)
{
    const fake *s = state;
    y[0] = s->x / 3.0;
    y[1] = NAN;
}

static void fake_view(void *state, carom_view *view)
{
    fake *s = state;
    *view = (carom_view){&s->t, &s->x, &s->v, &s->gap, &s->impulse, &s->push, &s->info, &s->counts, s->last, &s->last_step,
                          &s->friction, &s->deepest};
}

static void fake_status(const void *state, carom_contact_status *status)
{
    const fake *s = state;
    *status = s->last[1] > 0.0 ? CAROM_CONTACT_SLIP : CAROM_CONTACT_OPEN;
}

const carom_model *fake_model(void)
{
    static const carom_model model = {
        .name = "fake", .scheme = "none", .digest = "0",
        .state_size = sizeof(fake), .params_size = sizeof(fake_params),
        .parameters = 2, .coordinates = 1, .velocities = 1, .contacts = 1, .constraints = 1, .inputs = 1, .outputs = 2,
        .parameter = parameters, .coordinate = coordinates, .velocity = velocities, .contact = contacts,
        .constraint = constraints, .input = inputs, .output = outputs,
        .until_time = 1.0, .step = 0.25,
        .defaults = fake_defaults, .init = fake_init, .set = fake_set, .step_once = fake_step,
        .output_values = fake_outputs, .view = fake_view,
        .tangents = 1, .tangent = tangents, .contact_status = fake_status,
    };
    return &model;
}

const carom_model *fake_model_in_parts(void)
{
    static carom_model model;
    model = *fake_model();
    model.toward = fake_toward;
    return &model;
}
