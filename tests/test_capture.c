/* Event capturing as a program over parts (carom/capture.h and the headers it includes), with a toy model: a mass in a plane above a
 * floor with friction, beside a wall without, pushed by given forces. All answers are known in closed form. */
#include "carom/model.h"
#include "carom/points.h"
#include "suite.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { NR = 3 }; /* rows: gap to the floor, gap to the wall, slip along the floor */

typedef struct {
    double g[2], slide[1];
} toy_config;

CAROM_POINTS_OF(toy, 2, 2, 2, 2, 1, NR, 0);

typedef struct {
    double t, t_low, q[2], v[2], impulse[2], force[NR], a[2], slip[2], anchor[2];
    unsigned char mode[2];
    bool started;
    double length, speed, strength, margin;
    carom_info info;
    carom_counts counts;
    int now;
    toy_config at[2];
    struct {
        double mu[2], e[NR];
        bool frictional;
    } derived;
    double push, spring, lift,
        wall;                    /* forces push - spring x along the floor, lift - 10 across it; where the wall is */
    double fails_above;          /* trial steps longer than this have no solution */
    unsigned long long unsolved; /* nor has the impact with this number */
    struct {
        toy_capturing capture;
    } work;
} toy;

static const int toy_contact_of[1] = {0}, toy_tangents[2][1] = {{2}, {-1}};

static carom_status toy_configure(const toy *s, double t, const double *q, toy_config *c)
{
    c->g[0] = q[1];
    c->g[1] = s->wall - q[0];
    c->slide[0] = q[0];
    return t - s->t > s->fails_above ? CAROM_NOT_FINITE : CAROM_OK;
}

static void toy_rows(const toy *s, const toy_config *c, const double *x, double *y)
{
    (void)s;
    (void)c;
    y[0] = x[1];
    y[1] = -x[0];
    y[2] = x[0];
}

static void toy_rates(const toy *s, const toy_config *c, const double *v, double *U) { toy_rows(s, c, v, U); }

static void toy_bias(const toy *s, const toy_config *c, const double *v, double *gam)
{
    (void)s;
    (void)c;
    (void)v;
    gam[0] = gam[1] = gam[2] = 0.0;
}

/* Contact problems of this model by hand: the floor first, then friction, with the wall where it holds. */
static carom_status toy_coulomb(const toy *s, const bool *set, const double *slip, const double *b, double *r)
{
    r[0] = set[0] && b[0] < 0.0 ? -b[0] : 0.0;
    r[1] = 0.0;
    const double most = s->derived.mu[0] * r[0];
    r[2] = slip != NULL && slip[0] != 0.0 ? -most * slip[0] : set[0] ? fmax(-most, fmin(most, -b[2])) : 0.0;
    if (set[1] && b[1] - r[2] < 0.0) { /* the wall takes what friction leaves */
        r[1] = -(b[1] - r[2]);
    }
    return CAROM_OK;
}

/* ---- the parts of its plan, by hand ------------------------------------------------------------------------------ */

#define FROM toy *s, double t, const double *q, const double *v, toy_config *c0, double h
#define UNUSED (void)s, (void)t, (void)q, (void)v, (void)c0, (void)h, (void)info
#define TOLD const bool *closed, const bool *stick, const bool *straight, const double *slide

/* what holds x: the tangent that sticks, else the wall; the floor holds y */
static void held(const toy *s, TOLD, const double *b, double *r)
{
    (void)straight;
    r[0] = closed[0] ? -b[0] : 0.0;
    r[2] = closed[0] && slide != NULL ? -s->derived.mu[0] * slide[0] * r[0] : 0.0;
    if (stick[0]) {
        r[2] = -b[2];
    }
    r[1] = closed[1] && !stick[0] ? r[2] - b[1] : 0.0;
}

static void pushed(const double *r, const double *v, double *v1)
{
    v1[0] = v[0] - r[1] + r[2];
    v1[1] = v[1] + r[0];
}

static carom_status toy_part_evaluate(FROM, TOLD, double *U, double *a, double *r, carom_info *info)
{
    UNUSED;
    double b[NR];
    const double f[2] = {s->push - s->spring * q[0], s->lift - 10.0};
    ++s->counts.evaluations;
    toy_rates(s, c0, v, U);
    toy_rows(s, c0, f, b);
    held(s, closed, stick, straight, slide, b, r);
    pushed(r, f, a);
    return CAROM_OK;
}

static carom_status toy_part_place(FROM, TOLD, const double *anchor, double *q1, toy_config *c1, carom_info *info)
{
    UNUSED;
    double r[NR];
    const double b[NR] = {c1->g[0], c1->g[1], q1[0] - anchor[0]};
    (void)slide;
    held(s, closed, stick, straight, NULL, b, r);
    pushed(r, q1, q1);
    return toy_configure(s, t + h, q1, c1);
}

static carom_status toy_part_brake(FROM, TOLD, double *v1, carom_info *info)
{
    UNUSED;
    double b[NR], r[NR];
    (void)slide;
    toy_rates(s, c0, v, b);
    held(s, closed, stick, straight, NULL, b, r);
    pushed(r, v, v1);
    return CAROM_OK;
}

static carom_status toy_part_rest(FROM, TOLD, double *v1, double *P, carom_info *info)
{
    UNUSED;
    double b[NR];
    toy_rates(s, c0, v, b);
    held(s, closed, stick, straight, slide, b, P);
    pushed(P, v, v1);
    return CAROM_OK;
}

static carom_status toy_part_impact(FROM, const bool *closed, const bool *hit, double *v1, double *P, carom_info *info)
{
    UNUSED;
    double b[NR];
    toy_rates(s, c0, v, b);
    b[0] *= hit[0] ? 1.0 + s->derived.e[0] : 1.0;
    b[1] *= hit[1] ? 1.0 + s->derived.e[1] : 1.0;
    if (++s->counts.contact_solves == s->unsolved) {
        return CAROM_CONTACT;
    }
    toy_coulomb(s, (const bool[2]){closed[0] || hit[0], closed[1] || hit[1]}, NULL, b, P);
    pushed(P, v, v1);
    return CAROM_OK;
}

static carom_status toy_part_modes(FROM, const bool *candidates, const double *slide, double *u0, double *u, double *r,
                                   carom_info *info)
{
    UNUSED;
    double a[2];
    const double f[2] = {s->push - s->spring * q[0], s->lift - 10.0};
    ++s->counts.evaluations;
    toy_rows(s, c0, f, u0);
    toy_coulomb(s, candidates, slide, u0, r);
    pushed(r, f, a);
    toy_rows(s, c0, a, u);
    return CAROM_OK;
}

/* the classical Runge-Kutta method */
static carom_status toy_part_trial(FROM, TOLD, const double *anchor, const double *a, const double *r, double *q1,
                                   toy_config *c1, double *v1, double *vf, double *U1, double *a1, double *r1,
                                   double *J, carom_info *info)
{
    static const double b[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}, node[4] = {0.0, 0.5, 0.5, 1.0};
    double A[4][2] = {{a[0], a[1]}}, V[4][2] = {{v[0], v[1]}}, R[NR], U[NR];
    UNUSED;
    for (int j = 0; j < NR; ++j) {
        J[j] = h * b[0] * r[j];
    }
    for (int i = 0; i < 2; ++i) {
        q1[i] = q[i] + h * b[0] * v[i];
        vf[i] = v[i] + h * b[0] * a[i];
    }
    for (int l = 1; l < 4; ++l) {
        double Q[2];
        for (int i = 0; i < 2; ++i) {
            V[l][i] = v[i] + h * node[l] * A[l - 1][i];
            Q[i] = q[i] + h * node[l] * V[l - 1][i];
        }
        toy_part_evaluate(s, t + node[l] * h, Q, V[l], c0, 0.0, closed, stick, straight, slide, U, A[l], R, info);
        for (int i = 0; i < 2; ++i) {
            q1[i] += h * b[l] * V[l][i];
            vf[i] += h * b[l] * A[l][i];
        }
        for (int j = 0; j < NR; ++j) {
            J[j] += h * b[l] * R[j];
        }
    }
    carom_status status = toy_configure(s, t + h, q1, c1);
    if (status == CAROM_OK) {
        status = toy_part_place(s, t + h, q1, vf, c1, 0.0, closed, stick, straight, slide, anchor, q1, c1, info);
    }
    toy_part_brake(s, t + h, q1, vf, c1, 0.0, closed, stick, straight, slide, v1, info);
    toy_part_evaluate(s, t + h, q1, v1, c1, 0.0, closed, stick, straight, slide, U1, a1, r1, info);
    return status;
}

static void toy_record(toy *s, const toy_config *c, const double *J, double t, double h)
{
    (void)c;
    (void)t;
    (void)h;
    s->impulse[0] += J[0];
    s->impulse[1] += J[1];
}

static double toy_next_time(const toy *s, double h, double *low)
{
    *low = 0.0;
    return s->t + h;
}

static carom_status toy_fail(toy *s, carom_status status, const carom_info *info)
{
    s->info = *info;
    return status;
}

#define CAROM(name) toy_##name
#define CAROM_STATE toy
#define CAROM_NQ 2
#define CAROM_NV 2
#define CAROM_NS 2
#define CAROM_NB 0
#define CAROM_NE 0
#define CAROM_NW 0
#define CAROM_CHAINS 0
#define CAROM_OWN 0
#define CAROM_NC 2
#define CAROM_NG 2
#define CAROM_NT 1
#define CAROM_NR 3
#define CAROM_D 2
#define CAROM_SCALED 0
#define CAROM_RIDES 0
#define CAROM_LISTENS 0

#define CAROM_TS 1e-8
#define CAROM_COUPLED 0
#define CAROM_ORDER 4
#define CAROM_C 1.0
#define CAROM_KAPPA 1.0
#define CAROM_TIME 1.0
#define CAROM_LENGTH_GIVEN 1
#define CAROM_SPEED_GIVEN 1
#define CAROM_FORCE_GIVEN 1
#define CAROM_FRESH 1
#define CAROM_SUPPORTED 0
#define CAROM_ADAPTIVE 0
#include "carom/capture.h"

#define FAR 100.0

static toy start(double x, double y, double vx, double vy, double wall)
{
    toy s;
    memset(&s, 0, sizeof s);
    s.q[0] = x;
    s.q[1] = y;
    s.v[0] = vx;
    s.v[1] = vy;
    s.length = s.speed = s.strength = 1.0;
    s.margin = CAROM_GRAZING;
    s.wall = wall;
    s.fails_above = HUGE_VAL;
    (void)toy_configure(&s, 0.0, s.q, &s.at[0]);
    return s;
}

static void friction(toy *s, double mu)
{
    s->derived.mu[0] = mu;
    s->derived.frictional = mu > 0.0;
}

static void go(toy *s, double h, int steps)
{
    for (int k = 0; k < steps; ++k) {
        ck_assert_int_eq(toy_capture_step(s, h), CAROM_OK);
    }
}

START_TEST(smooth_motion_has_the_order_of_the_method)
{
    double error[2] = {0.0};
    for (int k = 0; k < 2; ++k) { /* an oscillator that slides without friction on the floor */
        toy s = start(1.0, 0.0, 0.0, 0.0, FAR);
        s.spring = 4.0;
        go(&s, k == 0 ? 0.1 : 0.05, k == 0 ? 10 : 20);
        error[k] = fabs(s.q[0] - cos(2.0));
        ck_assert_uint_eq(s.counts.events, 0);
        ck_assert_double_eq_tol(s.impulse[0], 10.0, 1e-13);
    }
    ck_assert_double_lt(error[1], 1e-5);
    ck_assert_double_gt(error[0] / error[1], 14.0);
}
END_TEST

START_TEST(an_impact_inside_a_step_is_located)
{
    /* from 0.45 it takes 0.3 s to the floor, where it has 3 m/s; half of it comes back */
    toy s = start(0.0, 0.45, 0.0, 0.0, FAR);
    s.derived.e[0] = 0.5;
    go(&s, 0.05, 8);
    ck_assert_uint_eq(s.counts.events, 1);
    ck_assert_double_eq_tol(s.v[1], 1.5 - 10.0 * 0.1, 1e-5);
    ck_assert_double_eq_tol(s.q[1], 1.5 * 0.1 - 5.0 * 0.01, 1e-5);
    ck_assert_double_eq_tol(s.impulse[0], 4.5, 1e-5);
    ck_assert_uint_eq(s.mode[0], CAROM_CONTACT_OPEN);
}
END_TEST

START_TEST(locating_is_as_sharp_as_the_order)
{
    double before = 0.0;
    for (int n = 10; n <= 40; n *= 2) { /* steps per second; delta = h^5 */
        toy s = start(0.0, 0.45, 0.0, 0.0, FAR);
        s.derived.e[0] = 0.5;
        go(&s, 1.0 / n, n / 2);
        const double error = fabs(s.q[1] - (1.5 * 0.2 - 5.0 * 0.04));
        ck_assert_double_lt(error, 20.0 * pow(1.0 / n, 5));
        ck_assert(n == 10 || error < before || error < 1e-12);
        before = fmax(error, 1e-13);
    }
}
END_TEST

START_TEST(bouncing_comes_to_its_end)
{
    /* flights of 0.3, then twice 0.15, 0.075 ...: rests from t = 0.3 + 0.6 on */
    toy s = start(0.0, 0.45, 0.0, 0.0, FAR);
    s.derived.e[0] = 0.5;
    go(&s, 0.02, 60);
    ck_assert_double_eq_tol(s.q[1], 0.0, 1e-14);
    ck_assert_double_eq_tol(s.v[1], 0.0, 1e-14);
    ck_assert_uint_eq(s.mode[0], CAROM_CONTACT_CLOSED);
    ck_assert_double_eq_tol(s.force[0], 10.0, 1e-12);
    ck_assert_double_eq_tol(s.impulse[0], 3.0 + 9.0 + 0.0, 1e-6); /* gravity over 1.2 s, less no momentum: 12 */
    ck_assert_uint_lt(s.counts.events, 40);
}
END_TEST

START_TEST(sliding_stops_where_it_must_and_sticks)
{
    /* 2 m/s against mu g = 4: stops after 0.5 s and 0.5 m, then stays */
    toy s = start(0.0, 0.0, 2.0, 0.0, FAR);
    friction(&s, 0.4);
    go(&s, 0.07, 5);
    ck_assert_uint_eq(s.mode[0], CAROM_CONTACT_SLIP);
    ck_assert_double_eq_tol(s.v[0], 2.0 - 4.0 * 0.35, 1e-13);
    go(&s, 0.07, 5);
    ck_assert_uint_eq(s.mode[0], CAROM_CONTACT_STICK);
    ck_assert_double_eq_tol(s.q[0], 0.5, 1e-6);
    ck_assert_double_eq(s.v[0], 0.0);
    ck_assert_uint_eq(s.counts.events, 1);
    const double here = s.q[0];
    s.push = 3.0; /* not enough */
    go(&s, 0.07, 50);
    ck_assert_double_eq(s.q[0], here);
    s.push = -6.0; /* more than enough: slides the other way */
    go(&s, 0.1, 1);
    ck_assert_uint_eq(s.mode[0], CAROM_CONTACT_SLIP);
    ck_assert_double_eq_tol(s.v[0], -0.2, 3e-5); /* it breaks loose within delta */
}
END_TEST

START_TEST(a_contact_lets_go)
{
    toy s = start(0.0, 0.0, 0.0, 0.0, FAR);
    go(&s, 0.1, 1);
    ck_assert_uint_eq(s.mode[0], CAROM_CONTACT_CLOSED);
    s.lift = 11.0;
    go(&s, 0.1, 1);
    ck_assert_uint_eq(s.mode[0], CAROM_CONTACT_OPEN);
    ck_assert_double_eq_tol(s.q[1], 0.5 * 0.1 * 0.1, 1e-6);
    ck_assert_uint_eq(s.counts.events, 1);
}
END_TEST

START_TEST(a_corner_is_two_impacts_or_one)
{
    /* along the floor into the wall, elastic: comes back; floor and wall at once: both turn */
    toy s = start(0.0, 0.0, 2.0, 0.0, 1.0);
    s.derived.e[1] = 1.0;
    go(&s, 0.1, 8);
    ck_assert_double_eq_tol(s.q[0], 1.0 - 0.6, 3e-5);
    ck_assert_double_eq_tol(s.v[0], -2.0, 1e-12);
    ck_assert_double_eq_tol(s.impulse[1], 4.0, 1e-12);
    toy both = start(1.0 - 0.3, 0.45, 1.0, 0.0, 1.0);
    both.derived.e[0] = both.derived.e[1] = 1.0;
    go(&both, 0.1, 4);
    ck_assert_uint_eq(both.counts.events, 1); /* they arrive together */
    ck_assert_double_eq_tol(both.v[0], -1.0, 1e-12);
    ck_assert_double_eq_tol(both.q[1], 3.0 * 0.1 - 0.05, 1e-5);
}
END_TEST

START_TEST(a_gap_that_dips_inside_a_step_is_seen)
{
    /* towards the wall and back by a force, 1e-4 into it in the middle of one step, away from it at both ends */
    toy s = start(0.0, 50.0, 1.0, 0.0, 0.05 - 1e-4);
    s.push = -10.0; /* turns at x = 0.05 after 0.1 s */
    s.lift = 10.0;
    go(&s, 0.21, 1);
    ck_assert_uint_ge(s.counts.events, 1);
    ck_assert_double_gt(s.impulse[1], 0.0);
    ck_assert_double_le(s.q[0], s.wall);
}
END_TEST

START_TEST(a_trial_that_fails_is_made_shorter_and_a_failed_step_changes_nothing)
{
    toy s = start(0.0, 0.45, 0.0, 0.0, FAR);
    s.derived.e[0] = 0.5;
    toy_capture_step(&s, 0.1);
    toy before = s;
    s.fails_above = 0.0; /* never */
    before.fails_above = 0.0;
    ck_assert_int_eq(toy_capture_step(&s, 0.1), CAROM_NOT_FINITE);
    ck_assert_double_eq(s.t, before.t);
    ck_assert_mem_eq(s.q, before.q, sizeof s.q);
    ck_assert_mem_eq(s.v, before.v, sizeof s.v);
    ck_assert_uint_gt(s.counts.cuts, 10);
    ck_assert_int_eq(toy_capture_step(&s, -1.0), CAROM_ARGUMENT);
    ck_assert_int_eq(toy_capture_step(&s, NAN), CAROM_ARGUMENT);
}
END_TEST

START_TEST(an_impact_that_is_not_solved_at_first_leaves_nothing_behind)
{
    toy s[2]; /* slides along the floor into the wall at t = 0.5, and back */
    for (int k = 0; k < 2; ++k) {
        s[k] = start(0.0, 0.0, 2.0, 0.0, 1.0);
        s[k].derived.e[1] = 1.0;
        go(&s[k], 0.15, 3);
        s[k].unsolved = k == 1 ? s[k].counts.contact_solves + 1U : 0U;
        go(&s[k], 0.15, 3);
        ck_assert_double_eq_tol(s[k].impulse[0], 9.0, 1e-12); /* the weight over 0.9 s, once */
        ck_assert_double_eq_tol(s[k].impulse[1], 4.0, 1e-12);
        ck_assert_double_eq_tol(s[k].q[0], 1.0 - 0.8, 2e-4);
    }
    ck_assert_uint_eq(s[0].counts.cuts, 0);
    ck_assert_uint_eq(s[1].counts.cuts, 1);
}
END_TEST

START_TEST(locating_takes_few_steps)
{
    /* near the start of a long step: chords from the far end alone would crawl */
    toy s = start(0.0, 1e-3, 0.0, 0.0, FAR);
    go(&s, 0.1, 1);
    ck_assert_uint_eq(s.counts.events, 1);
    ck_assert_uint_lt(s.counts.evaluations, 60); /* 47; 91 with chords from the far end alone */
}
END_TEST

START_TEST(iterations_end_when_they_are_solved_or_cannot_do_better)
{
    double before = HUGE_VAL;
    ck_assert(!carom_settled(1.0, &before, 1.0, 0.0, 0.0, 1e-12, 1e-9));
    ck_assert_double_eq(before, 1.0);
    ck_assert(carom_settled(1e-13, &before, 1.0, 0.0, 0.0, 1e-12, 1e-9));
    before = 1e-10;
    ck_assert(carom_settled(0.9e-10, &before, 1.0, 0.0, 0.0, 1e-12, 1e-9)); /* rounding: no longer falls */
    before = 1e-10;
    ck_assert(!carom_settled(0.2e-10, &before, 1.0, 0.0, 0.0, 1e-12, 1e-9)); /* still falls */
    before = 1e-3;
    ck_assert(!carom_settled(0.9e-3, &before, 1.0, 0.0, 0.0, 1e-12, 1e-9)); /* stagnates, but far off */
    ck_assert(
        !carom_settled(1e-13, &before, 1.0, 0.0, 1e-3, 1e-12, 1e-9)); /* small corrections, equations not solved */
    before = HUGE_VAL;
    ck_assert(!carom_settled(1e-13, &before, 0.0, 0.0, 0.0, 1e-12, 1e-9)); /* at rest rounding has no size ... */
    before = HUGE_VAL;
    ck_assert(carom_settled(1e-13, &before, 0.0, 9.81, 0.0, 1e-12, 1e-9)); /* ... but for the free acceleration */
    ck_assert(carom_settled(0.0, &before, 0.0, 0.0, 0.0, 1e-12, 1e-9));
    ck_assert(!carom_settled(NAN, &before, 1.0, 0.0, 0.0, 1e-12, 1e-9));
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("capture");
    tcase_add_test(cases, smooth_motion_has_the_order_of_the_method);
    tcase_add_test(cases, an_impact_inside_a_step_is_located);
    tcase_add_test(cases, locating_is_as_sharp_as_the_order);
    tcase_add_test(cases, bouncing_comes_to_its_end);
    tcase_add_test(cases, sliding_stops_where_it_must_and_sticks);
    tcase_add_test(cases, a_contact_lets_go);
    tcase_add_test(cases, a_corner_is_two_impacts_or_one);
    tcase_add_test(cases, a_gap_that_dips_inside_a_step_is_seen);
    tcase_add_test(cases, a_trial_that_fails_is_made_shorter_and_a_failed_step_changes_nothing);
    tcase_add_test(cases, an_impact_that_is_not_solved_at_first_leaves_nothing_behind);
    tcase_add_test(cases, locating_takes_few_steps);
    tcase_add_test(cases, iterations_end_when_they_are_solved_or_cannot_do_better);
    return run_suite("capture", cases);
}
