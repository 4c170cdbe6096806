/* Projection on gaps (carom/project.h) and the end of iterations (carom/settled.h): a point held at distance 1 from the origin, above
 * a floor at -1/2, and a copy of the first row. */
#include "carom/dense.h"
#include "carom/settled.h"
#include "carom/status.h"
#include "suite.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
    double g[3], G[3][2], W[3][3];
} toy_config;

typedef struct {
    double stretch; /* how much longer rows are than distances change */
} toy;

static carom_status toy_configure(const toy *s, double t, const double *q, toy_config *c)
{
    const double r = hypot(q[0], q[1]);
    (void)t;
    c->g[0] = r - 1.0;
    c->g[1] = r - 1.0;
    c->g[2] = q[1] + 0.5;
    for (int i = 0; i < 2; ++i) {
        c->G[0][i] = c->G[1][i] = s->stretch * q[i] / r;
        c->G[2][i] = i == 1 ? 1.0 : 0.0;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c->W[i][j] = c->G[i][0] * c->G[j][0] + c->G[i][1] * c->G[j][1];
        }
    }
    return r > 0.0 ? CAROM_OK : CAROM_NOT_FINITE;
}

static const double *toy_delassus_on(const toy *s, const toy_config *c, const bool *set)
{
    (void)s;
    (void)set;
    return &c->W[0][0];
}

static void toy_push(const toy *s, const toy_config *c, const bool *set, const double *p, double *x)
{
    (void)s;
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 2 && set[j]; ++i) {
            x[i] += c->G[j][i] * p[j];
        }
    }
}

#define CAROM(name) toy_##name
#define CAROM_STATE toy
#define CAROM_NQ 2
#define CAROM_NV 2
#define CAROM_NS 2
#define CAROM_NB 0
#define CAROM_NE 2
#define CAROM_NC 1
#define CAROM_NG 3
#define CAROM_NT 0
#define CAROM_NR 3
#define CAROM_D 1
#define CAROM_TG 1e-10
#include "carom/project.h"

static carom_status project(double x, double y, double stretch, bool floor, double *q)
{
    const toy s = {stretch};
    const bool hold[3] = {true, true, false}, within[3] = {true, true, floor};
    toy_config c;
    carom_info info = {-1, 0, 0.0};
    q[0] = x;
    q[1] = y;
    (void)toy_configure(&s, 0.0, q, &c);
    return toy_project(&s, &c, 0.0, hold, floor ? NULL : within, q, &info);
}

START_TEST(a_point_goes_to_the_nearest_place)
{
    double q[2];
    ck_assert_int_eq(project(3.0, 4.0, 1.0, true, q), CAROM_OK); /* rows that say the same do no harm */
    ck_assert_double_eq_tol(q[0], 0.6, 1e-15);
    ck_assert_double_eq_tol(q[1], 0.8, 1e-15);
    ck_assert_int_eq(project(0.6, 0.8, 1.0, true, q), CAROM_OK); /* there already: not a bit changes */
    ck_assert_double_eq(q[0], 0.6);
    ck_assert_double_eq(q[1], 0.8);
}
END_TEST

START_TEST(penetration_is_left_where_it_is_not_looked_at)
{
    double q[2];
    ck_assert_int_eq(project(0.7, -0.75, 1.0, false, q), CAROM_OK);
    ck_assert_double_eq_tol(hypot(q[0], q[1]), 1.0, 1e-14);
    ck_assert_double_lt(q[1], -0.6);
    ck_assert_int_eq(project(0.7, -0.75, 1.0, true, q), CAROM_OK); /* on the circle, out of the floor */
    ck_assert_double_eq_tol(hypot(q[0], q[1]), 1.0, 1e-14);
    ck_assert_double_ge(q[1], -0.5 - 1e-14);
}
END_TEST

START_TEST(sweeps_that_lead_away_are_said)
{
    double q[2];
    ck_assert_int_eq(project(3.0, 4.0, 0.6, true, q),
                     CAROM_STAGES); /* rows that are wrong by so much overshoot for ever */
    ck_assert_int_eq(project(3.0, 4.0, 1.05, true, q), CAROM_OK); /* by a little: slower, but there */
    ck_assert_double_eq_tol(hypot(q[0], q[1]), 1.0, 1e-4);
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
    TCase *cases = tcase_create("project");
    tcase_add_test(cases, a_point_goes_to_the_nearest_place);
    tcase_add_test(cases, penetration_is_left_where_it_is_not_looked_at);
    tcase_add_test(cases, sweeps_that_lead_away_are_said);
    tcase_add_test(cases, iterations_end_when_they_are_solved_or_cannot_do_better);
    return run_suite("project", cases);
}
