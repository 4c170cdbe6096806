/* Programs over the step of any model: step-size control by doubling (carom/adaptive.h) and dense output (carom/between.h), with a
 * toy whose step is known exactly: a mass on a spring or in free fall above a floor. */
#include "carom/status.h"
#include "suite.h"

#include <math.h>
#include <stdbool.h>

typedef struct {
    double g[1];
} toy_config;

typedef struct {
    double t, q[1], v[1], impulse[1], next_step;
    struct {
        double t;
        int attempts;
        unsigned long long events;
    } aim;
    struct {
        double t, q[1], V[3][1];
    } span[1];
    carom_info info;
    carom_counts counts;
    int now;
    toy_config at[2];
    double spring, fails_above; /* and steps longer than fails_above fail */
} toy;

static void toy_rates(const toy *s, const toy_config *c, const double *v, double *U)
{
    (void)s;
    (void)c;
    U[0] = v[0];
}

static void toy_aim(toy *s, double t_end)
{
    if (!(s->aim.t >= t_end && s->aim.t <= t_end)) {
        s->aim.t = t_end;
        s->aim.attempts = 0;
        s->aim.events = s->counts.events;
    }
}

static carom_status toy_fail(toy *s, carom_status status, const carom_info *info)
{
    s->info = *info;
    return status;
}

/* Leapfrog, order 2, of q'' = -spring q - 2, with an inelastic floor at the end of the step; what rests on it stays there. */
static carom_status toy_step_once(toy *s, double h)
{
    if (h > s->fails_above) {
        return CAROM_STAGES;
    }
    const bool rests = s->q[0] <= 0.0 && s->v[0] <= 0.0;
    const double middle = rests ? 0.0 : s->v[0] + 0.5 * h * (-s->spring * s->q[0] - 2.0);
    s->q[0] += h * middle;
    s->v[0] = middle + (rests ? h : 0.5 * h) * (-s->spring * s->q[0] - 2.0);
    if (s->q[0] <= 0.0 && s->v[0] < 0.0) {
        s->impulse[0] -= s->v[0];
        s->v[0] = 0.0;
    }
    s->t += h;
    s->at[s->now].g[0] = s->q[0];
    ++s->counts.steps;
    ++s->counts.evaluations;
    return CAROM_OK;
}

#define CAROM(name) toy_##name
#define CAROM_STATE toy
#define CAROM_LISTENS 0
#define CAROM_NQ 1
#define CAROM_NV 1
#define CAROM_NS 1
#define CAROM_NB 0
#define CAROM_NE 0
#define CAROM_NW 0
#define CAROM_NC 1
#define CAROM_NG 1
#define CAROM_NT 0
#define CAROM_NR 1
#define CAROM_D 1
#define CAROM_SCALED 0
#define CAROM_TIMED 0
#define CAROM_EXTRAPOLATE 0
#define CAROM_ORDER 2
#define CAROM_DOUBLING 3.0
#define CAROM_RTOL 1e-7
#define CAROM_ATOL 1e-8
#define CAROM_ATOLV 1e-8
#define CAROM_HMIN 1e-9
#define CAROM_GUARD 0.5
#define CAROM_BY_EVENTS 0
#include "carom/adaptive.h"

#define CAROM_SPANS 1
#define CAROM_NODES 3
#define CAROM_SPAN_PATH V
/* Lagrange polynomials on 0, 1/2, 1 */
static const double toy_basis[3][3] = {{1.0, -3.0, 2.0}, {0.0, 4.0, -4.0}, {0.0, -1.0, 2.0}};
#include "carom/between.h"

static toy start(double q, double v, double spring)
{
    toy s = {.q = {q}, .v = {v}, .spring = spring, .fails_above = HUGE_VAL};
    s.at[0].g[0] = q;
    return s;
}

/* to t_end in as many parts as it takes */
static carom_status go(toy *s, double t_end, int *parts)
{
    carom_status status = CAROM_UNFINISHED;
    for (*parts = 0; *parts < 2100 && status == CAROM_UNFINISHED; ++*parts) {
        status = toy_double_towards(s, t_end, 1.0);
    }
    return status;
}

START_TEST(smooth_motion_keeps_the_tolerance)
{
    int parts = 0;
    toy s = start(3.0, 0.0, 4.0); /* about -1/2, does not reach the floor before t = 0.8 */
    ck_assert_int_eq(go(&s, 0.7, &parts), CAROM_OK);
    ck_assert_double_eq(s.t, 0.7);
    ck_assert_double_eq_tol(s.q[0], 3.5 * cos(1.4) - 0.5, 1e-5);
    ck_assert_double_eq_tol(s.v[0], -7.0 * sin(1.4), 5e-5);
    /* by estimate: as long as the tolerance allows, no longer. One step of h has an error of some h^3. */
    ck_assert_uint_gt(s.counts.steps, 50);
    ck_assert_uint_lt(s.counts.evaluations, 3000);
    ck_assert(s.counts.evaluations > s.counts.steps); /* the full steps are work too */
}
END_TEST

START_TEST(what_is_exact_grows_to_the_whole_step)
{
    int parts = 0;
    toy s = start(10.0, 0.0, 0.0); /* leapfrog is exact in free fall */
    ck_assert_int_eq(go(&s, 2.0, &parts), CAROM_OK);
    ck_assert_double_eq_tol(s.q[0], 6.0, 1e-13);
    ck_assert_uint_le(s.counts.steps, 12); /* 1e-2, 5e-2, 0.25, 1.25, rest: two halves each */
}
END_TEST

START_TEST(an_impact_is_met_as_sharply_as_positions_need)
{
    int parts = 0;
    toy s = start(1.0, 0.0, 0.0); /* meets the floor at t = 1 with speed 2, rests from there */
    ck_assert_int_eq(go(&s, 2.0, &parts), CAROM_OK);
    ck_assert_double_eq_tol(s.q[0], 0.0, 1e-6);
    ck_assert_double_eq_tol(s.impulse[0], 4.0, 1e-3); /* 2 in the impact, 2 at rest in a second */
}
END_TEST

START_TEST(a_step_that_cannot_be_made_ends_with_a_status_and_changes_nothing)
{
    int parts = 0;
    toy s = start(3.0, 1.0, 4.0);
    s.fails_above = 1e-12; /* recoverable failures down to below hmin */
    ck_assert_int_eq(go(&s, 1.0, &parts), CAROM_STEP);
    ck_assert_double_eq(s.t, 0.0);
    ck_assert_double_eq(s.q[0], 3.0);
    s.fails_above = 1e-3; /* these are got through */
    ck_assert_int_eq(go(&s, 0.5, &parts), CAROM_OK);
    ck_assert_double_eq_tol(s.q[0], 3.5 * cos(1.0) + 0.5 * sin(1.0) - 0.5, 3e-6);
}
END_TEST

START_TEST(long_work_comes_in_parts)
{
    int parts = 0;
    toy s = start(3.0, 0.0, 4.0);
    s.fails_above = 2e-4; /* 2500 attempts for half a second, and 500 are a part */
    ck_assert_int_eq(go(&s, 0.5, &parts), CAROM_OK);
    ck_assert_int_ge(parts, 3);
    ck_assert_double_eq(s.t, 0.5);
}
END_TEST

START_TEST(dense_output_is_the_polynomial_and_its_integral)
{
    /* v = 1 + x - 3 x^2 over a span of length 2 from q = 5, with a jump of the velocity at the end */
    toy s = start(0.0, 7.0, 0.0);
    double q[1], v[1];
    s.t = 3.0;
    s.span[0].t = 1.0;
    s.span[0].q[0] = 5.0;
    for (int l = 0; l < 3; ++l) {
        const double x = 0.5 * l;
        s.span[0].V[l][0] = 1.0 + x - 3.0 * x * x;
    }
    for (int k = 0; k < 10; ++k) {
        const double x = 0.1 * k;
        ck_assert_int_eq(toy_inside(&s, 1.0 + 2.0 * x, q, v), CAROM_OK);
        ck_assert_double_eq_tol(v[0], 1.0 + x - 3.0 * x * x, 1e-14);
        ck_assert_double_eq_tol(q[0], 5.0 + 2.0 * (x + 0.5 * x * x - x * x * x), 1e-14);
    }
    ck_assert_int_eq(toy_inside(&s, 3.0, q, v), CAROM_OK);
    ck_assert_double_eq(v[0], 7.0);
    ck_assert_int_eq(toy_inside(&s, 3.1, q, v), CAROM_ARGUMENT);
    ck_assert_int_eq(toy_inside(&s, 0.9, q, v), CAROM_ARGUMENT);
    ck_assert_int_eq(toy_inside(&s, NAN, q, v), CAROM_ARGUMENT);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("adaptive");
    tcase_add_test(cases, smooth_motion_keeps_the_tolerance);
    tcase_add_test(cases, what_is_exact_grows_to_the_whole_step);
    tcase_add_test(cases, an_impact_is_met_as_sharply_as_positions_need);
    tcase_add_test(cases, a_step_that_cannot_be_made_ends_with_a_status_and_changes_nothing);
    tcase_add_test(cases, long_work_comes_in_parts);
    tcase_add_test(cases, dense_output_is_the_polynomial_and_its_integral);
    return run_suite("adaptive", cases);
}
