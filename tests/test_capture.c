/* Event capturing as a program over parts (carom/capture.h and the headers it includes), with a toy model: a mass in a plane above a
 * floor with friction, beside a wall without, pushed by given forces. All answers are known in closed form. */
#include "carom/model.h"
#include "suite.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { NR = 3 }; /* rows: gap to the floor, gap to the wall, slip along the floor */

typedef struct {
    double g[2], slide[1];
} toy_config;

typedef struct {
    double t, t_low, q[2], v[2], impulse[2], force[NR], a[2], slip[2], anchor[2];
    unsigned char mode[2];
    bool started;
    double acceleration, length, speed, strength, margin;
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
} toy;

static const int toy_contact_of[1] = {0}, toy_tangents[2][1] = {{2}, {-1}};
static const bool toy_has_displacement[1] = {true};

static carom_status toy_configure(const toy *s, double t, const double *q, toy_config *c)
{
    c->g[0] = q[1];
    c->g[1] = s->wall - q[0];
    c->slide[0] = q[0];
    return t - s->t > s->fails_above ? CAROM_NOT_FINITE : CAROM_OK;
}

static void toy_forces(const toy *s, const toy_config *c, const double *v, double *f)
{
    (void)v;
    f[0] = s->push - s->spring * c->slide[0];
    f[1] = s->lift - 10.0;
}

static void toy_solve_mass(const toy *s, const toy_config *c, double *x)
{
    (void)s;
    (void)c;
    (void)x; /* unit mass */
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

static const double *toy_delassus_on(const toy *s, toy_config *c, const bool *set)
{
    static const double W[NR * NR] = {1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, -1.0, 1.0};
    (void)s;
    (void)c;
    (void)set;
    return W;
}

static void toy_push(const toy *s, const toy_config *c, const bool *set, const double *r, double *v)
{
    (void)s;
    (void)c;
    v[1] += set[0] ? r[0] : 0.0;
    v[0] -= set[1] ? r[1] : 0.0;
    v[0] += set[2] ? r[2] : 0.0;
}

/* Contact problems of this model by hand: the floor first, then friction, with the wall where it holds. */
static carom_status toy_coulomb(const toy *s, const double *W, const bool *set, const double *slip, const double *b,
                                double *r, carom_info *info)
{
    (void)W;
    (void)info;
    r[0] = set[0] && b[0] < 0.0 ? -b[0] : 0.0;
    r[1] = 0.0;
    const double most = s->derived.mu[0] * r[0];
    if (set[2] && slip != NULL && slip[0] != 0.0) {
        r[2] = -most * slip[0];
    } else {
        r[2] = set[2] ? fmax(-most, fmin(most, -b[2])) : 0.0;
    }
    if (set[1] && b[1] - r[2] < 0.0) { /* the wall takes what friction leaves */
        r[1] = -(b[1] - r[2]);
    }
    return CAROM_OK;
}

static carom_status toy_complementarity(const toy *s, const double *W, const bool *set, const double *b, double *r,
                                        carom_info *info)
{
    return toy_coulomb(s, W, (const bool[NR]){set[0], set[1], false}, NULL, b, r, info);
}

static carom_status toy_impulses(const toy *s, toy_config *c, const bool *set, const double *b, double *P,
                                 carom_info *info, carom_counts *counts)
{
    (void)c;
    return ++counts->contact_solves == s->unsolved ? CAROM_CONTACT : toy_coulomb(s, NULL, set, NULL, b, P, info);
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
#define CAROM_NC 2
#define CAROM_NG 2
#define CAROM_NT 1
#define CAROM_NR 3
#define CAROM_D 2
#define CAROM_LISTENS 0

/* the classical Runge-Kutta method */
#define CAROM_METHOD_STAGES 4
#define CAROM_COUPLED 0
#define CAROM_NEWTON 0
#define CAROM_SOLVED 3
#define CAROM_AFTER 0
#define CAROM_TOL 1e-13
#define CAROM_ITERATIONS 50
static const int toy_solved[3] = {1, 2, 3};
static const double toy_stage_nodes[4] = {0.0, 0.5, 0.5, 1.0};
static const double toy_stage_A[4][4] = {{0.0}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}};
static const double toy_stage_B[4][4] = {{0.0}, {0.0}, {0.25}, {0.0, 0.5}}; /* A A */
static const double toy_end_b[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
static const double toy_end_bb[4] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0, 0.0}; /* b A */

#define CAROM_ORDER 4
#define CAROM_C 1.0
#define CAROM_KAPPA 1.0
#define CAROM_TIME 1.0
#define CAROM_LENGTH_GIVEN 1
#define CAROM_SPEED_GIVEN 1
#define CAROM_FORCE_GIVEN 1
#define CAROM_FRESH 1
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

START_TEST(redundant_and_impossible_modes)
{
    /* forces in given modes: (W r + b) = 0 on what is kept, r_T = -mu s r_N where it slides */
    toy s = start(0.0, 0.0, 0.0, 0.0, FAR);
    friction(&s, 0.5);
    toy_modes m = {.of = {CAROM_CONTACT_SLIP, CAROM_CONTACT_CLOSED}, .slip = {1.0}};
    const double b[NR] = {-10.0, -7.0, 7.0};
    double r[NR];
    carom_info info = {-1, 0, 0.0};
    ck_assert_int_eq(toy_mode_solve(&s, &s.at[0], &m, b, r, &info), CAROM_OK);
    ck_assert_double_eq_tol(r[0], 10.0, 1e-14);
    ck_assert_double_eq_tol(r[2], -5.0, 1e-14);
    ck_assert_double_eq_tol(r[1], 7.0 - 5.0, 1e-13); /* u_1 = r_1 - r_2 + b_1 = 0 */
    /* wall and stick both hold x: they share what is between them, and nothing moves */
    m.of[0] = CAROM_CONTACT_STICK;
    ck_assert_int_eq(toy_mode_solve(&s, &s.at[0], &m, b, r, &info), CAROM_OK);
    ck_assert_double_eq_tol(r[1] - r[2], 7.0, 1e-13);
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
    tcase_add_test(cases, redundant_and_impossible_modes);
    tcase_add_test(cases, iterations_end_when_they_are_solved_or_cannot_do_better);
    return run_suite("capture", cases);
}
