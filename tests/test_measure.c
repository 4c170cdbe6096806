/* Error measures against values known in closed form and against slow and obvious ones. */
#include "carom/measure.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { MANY = 400 };

static uint64_t seed_state = 1;

static double uniform(void) /* in [0, 1) */
{
    seed_state ^= seed_state << 13;
    seed_state ^= seed_state >> 7;
    seed_state ^= seed_state << 17;
    return (double)(seed_state >> 11) / 9007199254740992.0;
}

/* ---- grid norms -------------------------------------------------------------------------------------------------- */

START_TEST(grid_norms)
{
    const double t[] = {0.0, 0.5, 0.6, 1.0}, e[] = {9.0, -3.0, 0.0, 4.0};
    ck_assert_double_eq_tol(carom_grid_norm(4, t, e, 1.0), 0.5 * 3.0 + 0.4 * 4.0, 1e-15);
    ck_assert_double_eq_tol(carom_grid_norm(4, t, e, 2.0), sqrt(0.5 * 9.0 + 0.4 * 16.0), 1e-15);
    ck_assert_double_eq(carom_grid_norm(4, t, e, INFINITY), 9.0);
    ck_assert_double_eq(carom_grid_norm(1, t, e, 1.0), 0.0);
}
END_TEST

START_TEST(grid_norms_of_extreme_numbers)
{
    const double t[] = {0.0, 1.0, 2.0}, small[] = {0.0, 3e-200, 4e-200}, none[] = {0.0, 0.0, 0.0};
    const double nan[] = {0.0, NAN, 1.0};
    ck_assert_double_eq_tol(carom_grid_norm(3, t, small, 2.0), 5e-200, 1e-214);
    ck_assert_double_eq(carom_grid_norm(3, t, none, 2.0), 0.0);
    ck_assert(isnan(carom_grid_norm(3, t, nan, INFINITY)));
}
END_TEST

/* ---- dense L1 ---------------------------------------------------------------------------------------------------- */

static double falling_speed(double t, void *context)
{
    (void)context;
    return -2.0 * t;
}

static double falling_height(double t, void *context)
{
    (void)context;
    return 1.0 - t * t;
}

/* A falling ball until T = 0.5 by implicit Euler, h = 0.05: v constant and q linear in each step. */
START_TEST(euler_of_a_falling_ball)
{
    enum { STEPS = 10 };
    const double h = 0.05, end[] = {1.0}, ends[] = {0.0, 1.0};
    double t[STEPS + 1] = {0.0}, v[STEPS], q[2 * STEPS], expected = STEPS * h * h * h / 6.0;
    double height = 1.0, speed = 0.0;
    for (int i = 0; i < STEPS; i++) {
        t[i + 1] = h * (i + 1);
        speed -= 2.0 * h;
        v[i] = speed;
        q[2 * i] = height;
        height += h * speed;
        q[2 * i + 1] = height;
        expected += h * h * h * (2.0 * i + 1.0) / 2.0;
    }
    const carom_dense dense_v = {STEPS, t, 1, end, v}, dense_q = {STEPS, t, 2, ends, q};
    ck_assert_double_eq_tol(carom_dense_l1(&dense_v, falling_speed, NULL, 0, NULL), 0.5 * h, 1e-15);
    ck_assert_double_eq_tol(carom_dense_l1(&dense_q, falling_height, NULL, 0, NULL), 0.00645833333333, 1e-14);
    ck_assert_double_eq_tol(carom_dense_l1(&dense_q, falling_height, NULL, 0, NULL), expected, 1e-15);
}
END_TEST

static double jump(double t, void *context)
{
    const double *at = context;
    return t < *at ? 0.0 : 1.0 + t;
}

START_TEST(split_at_a_phase_and_at_sign_changes)
{
    const double t[] = {0.0, 1.0, 2.0}, node[] = {0.0, 0.5, 1.0};
    const double zero[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double at = 0.3;
    const carom_dense x = {2, t, 3, node, zero};
    ck_assert_double_eq_tol(carom_dense_l1(&x, jump, &at, 1, &at), 1.7 + (4.0 - 0.09) / 2.0, 1e-14);
    /* -2t against the parabola t^2 - 2t - 1/4 and its continuation: the difference t^2 - 1/4 changes sign at 1/2 */
    double parabola[6];
    for (int i = 0; i < 6; i++) {
        const double s = t[i / 3] + node[i % 3];
        parabola[i] = s * s - 2.0 * s - 0.25;
    }
    const carom_dense y = {2, t, 3, node, parabola};
    ck_assert_double_eq_tol(carom_dense_at(&y, 0, 1.7), 1.7 * 1.7 - 3.4 - 0.25, 1e-14);
    ck_assert_double_eq_tol(carom_dense_l1(&y, falling_speed, NULL, 0, NULL),
                            2.0 * (0.125 - 0.125 / 3.0) + 8.0 / 3.0 - 0.5, 1e-14);
}
END_TEST

/* ---- Hausdorff distance ------------------------------------------------------------------------------------------ */

static double distance(size_t na, const double *ta, const double *xa, size_t nb, const double *tb, const double *xb)
{
    size_t work[CAROM_HAUSDORFF_WORK(2 * MANY)];
    const carom_graph a = {na, ta, xa}, b = {nb, tb, xb};
    return carom_hausdorff(&a, &b, 1e-12, work);
}

START_TEST(known_distances)
{
    const double t5[] = {0.0, 0.5, 0.5, 1.0}, t6[] = {0.0, 0.6, 0.6, 1.0}, ends[] = {0.0, 1.0};
    const double step[] = {0.0, 0.0, 1.0, 1.0}, lower[] = {0.0, 0.0, 0.7, 0.7}, flat[] = {0.0, 0.0};
    ck_assert_double_eq_tol(distance(4, t5, step, 4, t6, step), 0.1, 1e-12);
    ck_assert_double_eq_tol(distance(4, t5, step, 4, t5, lower), 0.3, 1e-12);
    ck_assert_double_eq_tol(distance(4, t5, step, 4, t5, step), 0.0, 1e-13);

    const double ts[] = {0.0, 0.3, 0.3, 0.3, 1.0}, spike[] = {0.0, 0.0, 0.4, 0.0, 0.0};
    ck_assert_double_eq_tol(distance(5, ts, spike, 2, ends, flat), 0.4, 1e-12);

    const double grid[] = {0.0, 0.25, 0.5, 0.75, 1.0};
    double T[9], X[9];
    ck_assert_uint_eq(carom_graph_staircase(5, grid, grid, T, X), 9);
    ck_assert_double_eq_tol(distance(9, T, X, 2, ends, ends), 0.125, 1e-12);
}
END_TEST

START_TEST(graphs_over_different_times)
{
    const double a[] = {0.0, 1.0}, b[] = {0.0, 1.25}, x[] = {2.0, 2.0};
    ck_assert_double_eq_tol(distance(2, a, x, 2, b, x), 0.25, 1e-12);
}
END_TEST

/* Distance of a point to a segment, by ternary search on a convex function. */
static double to_segment(double t, double x, const double *ts, const double *xs)
{
    double a = 0.0, b = 1.0;
    for (int i = 0; i < 60; i++) {
        const double c = a + (b - a) / 3.0, d = b - (b - a) / 3.0;
        const double at_c = fmax(fabs(ts[0] + c * (ts[1] - ts[0]) - t), fabs(xs[0] + c * (xs[1] - xs[0]) - x));
        const double at_d = fmax(fabs(ts[0] + d * (ts[1] - ts[0]) - t), fabs(xs[0] + d * (xs[1] - xs[0]) - x));
        if (at_c < at_d) {
            b = d;
        } else {
            a = c;
        }
    }
    return fmax(fabs(ts[0] + a * (ts[1] - ts[0]) - t), fabs(xs[0] + a * (xs[1] - xs[0]) - x));
}

/* Largest distance to b of points spread over a; too small by at most half their spacing. */
static double brute(size_t na, const double *ta, const double *xa, size_t nb, const double *tb, const double *xb,
                    double *spacing)
{
    enum { POINTS = 64 };
    double worst = 0.0;
    for (size_t i = 0; i + 1 < na; i++) {
        const double dt = ta[i + 1] - ta[i], dx = xa[i + 1] - xa[i];
        *spacing = fmax(*spacing, fmax(fabs(dt), fabs(dx)) / POINTS);
        for (int k = 0; k <= POINTS; k++) {
            double nearest = INFINITY;
            for (size_t j = 0; j + 1 < nb; j++) {
                nearest = fmin(nearest, to_segment(ta[i] + dt * k / POINTS, xa[i] + dx * k / POINTS, tb + j, xb + j));
            }
            worst = fmax(worst, nearest);
        }
    }
    return worst;
}

static size_t random_graph(size_t n, double *t, double *x)
{
    double now = 0.0;
    for (size_t i = 0; i < n; i++) {
        t[i] = now;
        x[i] = uniform();
        now += uniform() < 0.3 ? 0.0 : uniform() / 4.0; /* three in ten are jumps */
    }
    for (size_t i = 0; i < n; i++) {
        t[i] /= t[n - 1] > 0.0 ? t[n - 1] : 1.0;
    }
    t[n - 1] = 1.0;
    return n;
}

START_TEST(against_brute_force)
{
    double ta[20], xa[20], tb[20], xb[20];
    for (int trial = 0; trial < 60; trial++) {
        const size_t na = random_graph(3 + (size_t)(17.0 * uniform()), ta, xa);
        const size_t nb = random_graph(3 + (size_t)(17.0 * uniform()), tb, xb);
        double spacing = 0.0;
        const double slow = fmax(brute(na, ta, xa, nb, tb, xb, &spacing), brute(nb, tb, xb, na, ta, xa, &spacing));
        const double quick = distance(na, ta, xa, nb, tb, xb);
        ck_assert_double_ge(quick, slow - 1e-9);
        ck_assert_double_le(quick, slow + spacing / 2.0 + 1e-9);
        ck_assert_double_eq_tol(distance(nb, tb, xb, na, ta, xa), quick, 1e-9);
    }
}
END_TEST

START_TEST(one_is_within_the_other)
{
    /* the flat line is within 0 of the graph with the spike, which is within 0.4 of the line: directed distances */
    const double ts[] = {0.0, 0.3, 0.3, 0.3, 1.0}, spike[] = {0.0, 0.0, 0.4, 0.0, 0.0};
    const double ends[] = {0.0, 1.0}, flat[] = {0.0, 0.0};
    size_t work[CAROM_HAUSDORFF_WORK(5)];
    const carom_graph a = {5, ts, spike}, b = {2, ends, flat};
    ck_assert(carom_graph_within(&b, &a, 1e-9, work));
    ck_assert(!carom_graph_within(&a, &b, 0.3999, work));
    ck_assert(carom_graph_within(&a, &b, 0.4001, work));
}
END_TEST

START_TEST(many_points_in_linear_time)
{
    enum { N = 100000 };
    double *t = malloc(sizeof(double) * N), *x = malloc(sizeof(double) * N), *y = malloc(sizeof(double) * N);
    size_t *work = malloc(sizeof(size_t) * CAROM_HAUSDORFF_WORK(N));
    ck_assert(t && x && y && work);
    for (int i = 0; i < N; i++) {
        t[i] = (double)i / (N - 1);
        x[i] = exp(-200.0 * (t[i] - 0.5) * (t[i] - 0.5));
        y[i] = exp(-200.0 * (t[i] - 0.501) * (t[i] - 0.501)); /* later by d: distance d s/(1 + s), s the largest slope */
    }
    const double slope = 20.0 * exp(-0.5);
    const carom_graph a = {N, t, x}, b = {N, t, y};
    ck_assert_double_eq_tol(carom_hausdorff(&a, &b, 1e-4, work), 1e-3 * slope / (1.0 + slope), 1e-6);
    free(t);
    free(x);
    free(y);
    free(work);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("measure");
    tcase_set_timeout(cases, 60.0);
    tcase_add_test(cases, grid_norms);
    tcase_add_test(cases, grid_norms_of_extreme_numbers);
    tcase_add_test(cases, euler_of_a_falling_ball);
    tcase_add_test(cases, split_at_a_phase_and_at_sign_changes);
    tcase_add_test(cases, known_distances);
    tcase_add_test(cases, graphs_over_different_times);
    tcase_add_test(cases, against_brute_force);
    tcase_add_test(cases, one_is_within_the_other);
    tcase_add_test(cases, many_points_in_linear_time);
    return run_suite("measure", cases);
}
