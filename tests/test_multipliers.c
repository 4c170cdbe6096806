/* Multipliers that are not unique (carom/multipliers.h), against alternating projections (Dykstra), slow and sure. */
#include "carom/multipliers.h"
#include "draw.h"
#include "suite.h"

#include <string.h>

enum { MOST = 24 };

typedef struct {
    int n, contacts, rank;
    double G[MOST][MOST], A[MOST * MOST], x[MOST], b[MOST]; /* A = G G^T, b = A x */
    carom_bearing bearing[MOST];
    bool joint[MOST];
} problem;

/* Contacts of d components that move `rank` velocities; x is inside their cones, by a twentieth at least (cones that
 * only touch are found to half the digits), or nearly all of its normals pull. */
static problem drawn(int contacts, int d, int rank, bool pulls)
{
    problem p = {.n = contacts * d, .contacts = contacts, .rank = rank};
    for (int i = 0; i < p.n; ++i) {
        for (int k = 0; k < rank; ++k) {
            p.G[i][k] = between(-1.0, 1.0);
        }
    }
    for (int c = 0; c < contacts; ++c) {
        p.bearing[c] = (carom_bearing){{d * c, d > 1 ? d * c + 1 : -1, d > 2 ? d * c + 2 : -1}, d > 1 ? 0.4 : 0.0};
        for (int k = 0; k < d; ++k) {
            p.x[d * c + k] = k == 0 ? between(pulls ? -1.0 : 0.05, pulls ? 0.1 : 1.0) : between(-1.0, 1.0);
        }
        if (d > 1 && !pulls) {
            carom_cone_project(d, 0.38, p.x + d * c);
        }
    }
    for (int i = 0; i < p.n; ++i) {
        for (int j = 0; j < p.n; ++j) {
            for (int k = 0; k < rank; ++k) {
                p.A[i * p.n + j] += p.G[i][k] * p.G[j][k];
            }
        }
    }
    for (int i = 0; i < p.n; ++i) {
        for (int j = 0; j < p.n; ++j) {
            p.b[i] += p.A[i * p.n + j] * p.x[j];
        }
    }
    return p;
}

/* how far x is outside the cones */
static double outside(const problem *p, const double *x)
{
    double worst = 0.0;
    for (int c = 0; c < p->contacts; ++c) {
        const int *const row = p->bearing[c].row;
        const double t = hypot(row[1] >= 0 ? x[row[1]] : 0.0, row[2] >= 0 ? x[row[2]] : 0.0);
        worst = fmax(worst, fmax(-x[row[0]], row[1] >= 0 ? t - p->bearing[c].mu * x[row[0]] : 0.0));
    }
    return worst;
}

static double defect(const problem *p, const double *x)
{
    double worst = 0.0;
    for (int i = 0; i < p->n; ++i) {
        double sum = -p->b[i];
        for (int j = 0; j < p->n; ++j) {
            sum += p->A[i * p->n + j] * x[j];
        }
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static void solve(const problem *p, double *x)
{
    double A[MOST * MOST], room[CAROM_MULTIPLIERS_ROOM(MOST)];
    memcpy(A, p->A, sizeof A);
    memcpy(x, p->b, MOST * sizeof *x);
    carom_multipliers(p->n, A, x, p->joint, p->contacts, p->bearing, room);
}

START_TEST(what_can_be_borne_is_borne)
{
    seed_state = 5;
    for (int trial = 0; trial < 600; ++trial) {
        const int d = 1 + trial % 3, contacts = 2 + trial % 7;
        const problem p = drawn(contacts, d, 1 + trial % (d * contacts - 1), false);
        double x[MOST];
        solve(&p, x);
        ck_assert_msg(defect(&p, x) < 1e-9, "trial %d: equations left by %g", trial, defect(&p, x));
        ck_assert_msg(outside(&p, x) < 1e-11, "trial %d (d %d, %d contacts, rank %d): outside by %g", trial, d,
                      contacts, p.rank, outside(&p, x));
    }
}
END_TEST

/* Without weights that differ: rows of length 1 each, so that the least is the nearest to 0 of what is borne. */
START_TEST(the_least_of_them)
{
    seed_state = 11;
    for (int trial = 0; trial < 15; ++trial) {
        const int d = 1 + trial % 3, contacts = 4;
        problem p = drawn(contacts, d, 2, false);
        for (int i = 0; i < p.n; ++i) {
            const double size = hypot(p.G[i][0], p.G[i][1]);
            p.G[i][0] /= size;
            p.G[i][1] /= size;
        }
        memset(p.b, 0, sizeof p.b);
        for (int i = 0; i < p.n; ++i) {
            for (int j = 0; j < p.n; ++j) {
                p.A[i * p.n + j] = p.G[i][0] * p.G[j][0] + p.G[i][1] * p.G[j][1];
                p.b[i] += p.A[i * p.n + j] * p.x[j];
            }
        }
        double x[MOST], y[MOST] = {0.0}, shift[MOST] = {0.0}, f[2] = {0.0, 0.0};
        solve(&p, x);
        for (int i = 0; i < p.n; ++i) {
            f[0] += p.G[i][0] * p.x[i];
            f[1] += p.G[i][1] * p.x[i];
        }
        double g[3] = {0.0, 0.0, 0.0}; /* G^T G, 2 x 2 */
        for (int i = 0; i < p.n; ++i) {
            g[0] += p.G[i][0] * p.G[i][0];
            g[1] += p.G[i][0] * p.G[i][1];
            g[2] += p.G[i][1] * p.G[i][1];
        }
        for (int sweep = 0; sweep < 20000; ++sweep) { /* Dykstra: onto G^T y = f, onto the cones with their shift */
            double left[2] = {f[0], f[1]};
            for (int i = 0; i < p.n; ++i) {
                left[0] -= p.G[i][0] * y[i];
                left[1] -= p.G[i][1] * y[i];
            }
            const double det = g[0] * g[2] - g[1] * g[1];
            const double z[2] = {(g[2] * left[0] - g[1] * left[1]) / det, (g[0] * left[1] - g[1] * left[0]) / det};
            for (int i = 0; i < p.n; ++i) {
                y[i] += p.G[i][0] * z[0] + p.G[i][1] * z[1] + shift[i];
                shift[i] = y[i];
            }
            for (int c = 0; c < contacts; ++c) {
                if (d == 1) {
                    y[c] = fmax(y[c], 0.0);
                } else {
                    carom_cone_project(d, 0.4, y + d * c);
                }
            }
            for (int i = 0; i < p.n; ++i) {
                shift[i] -= y[i];
            }
        }
        for (int i = 0; i < p.n; ++i) {
            ck_assert_msg(fabs(x[i] - y[i]) < 1e-5, "trial %d, %d: %g instead of %g", trial, i, x[i], y[i]);
        }
    }
}
END_TEST

START_TEST(what_cannot_be_borne_still_does_the_same)
{
    seed_state = 17;
    int told = 0;
    for (int trial = 0; trial < 500; ++trial) {
        const int d = 1 + trial % 3, contacts = 2 + trial % 7;
        const problem p = drawn(contacts, d, 1 + trial % (d * contacts), true);
        double x[MOST];
        solve(&p, x);
        ck_assert_msg(defect(&p, x) < 1e-9, "trial %d: equations left by %g", trial, defect(&p, x));
        ck_assert(outside(&p, x) <= outside(&p, p.x) * 30.0 + 1e-11);
        told += outside(&p, x) > 1e-3 ? 1 : 0;
    }
    ck_assert_int_gt(told, 100);
}
END_TEST

/* Two contacts that a joint holds already: the joint carries, they are free of force. */
START_TEST(joints_carry_first)
{
    problem p = drawn(3, 1, 1, false);
    double x[MOST];
    p.joint[0] = true;
    p.bearing[0] = p.bearing[2];
    p.contacts = 2;
    solve(&p, x);
    ck_assert_double_lt(defect(&p, x), 1e-10);
    ck_assert_double_lt(fabs(x[1]) + fabs(x[2]), 1e-9);
    ck_assert_double_gt(fabs(x[0]), 1e-2);
}
END_TEST

int main(void)
{
    TCase *const cases = tcase_create("multipliers");
    tcase_add_test(cases, what_can_be_borne_is_borne);
    tcase_add_test(cases, the_least_of_them);
    tcase_add_test(cases, what_cannot_be_borne_still_does_the_same);
    tcase_add_test(cases, joints_carry_first);
    return run_suite("multipliers", cases);
}
