/* The law of contact as a residual of rows (carom/law.h): zero where the law holds, and the size of what is wrong where it does not. */
#include "carom/friction.h"
#include "carom/law.h"
#include "hyperstatic.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { NE = 2, NC = 4, NG = NE + NC, MOST = NG + 2 * NC };

/* Contact 0 has no friction, the others have d - 1 tangents each. */
static int number_tangents(int d, int *tangents)
{
    int rows = NG;
    for (int c = 0; c < NC; ++c) {
        for (int k = 0; k < d - 1; ++k) {
            tangents[c * (d - 1) + k] = c == 0 ? -1 : rows++;
        }
    }
    return rows;
}

typedef struct {
    int tangents[2 * NC];
    double mu[NC], W[MOST], r[MOST], u[MOST];
    bool set[MOST];
    carom_law_rows rows;
    int count;
} state;

/* Exact states of every kind: row by row an impulse and a velocity that the law allows. */
static void exact_state(int d, uint64_t seed, state *s)
{
    memset(s, 0, sizeof *s);
    s->count = number_tangents(d, s->tangents);
    for (int j = 0; j < s->count; ++j) {
        s->W[j] = random_between(&seed, 0.5, 20.0);
        s->set[j] = true;
        s->r[j] = j < NE ? random_between(&seed, -3.0, 3.0) : 0.0;
    }
    for (int c = 0; c < NC; ++c) {
        const double n = random_between(&seed, 0.1, 2.0), angle = random_between(&seed, -3.0, 3.0);
        const int *const t = s->tangents + c * (d - 1);
        const double e[2] = {d == 2 ? (angle > 0.0 ? 1.0 : -1.0) : cos(angle), sin(angle)};
        s->mu[c] = random_between(&seed, 0.2, 1.0);
        if (c == 1) { /* open, moving along */
            s->u[NE + c] = random_between(&seed, 0.0, 2.0);
        } else {
            s->r[NE + c] = n;
        }
        for (int k = 0; k < d - 1 && c > 0; ++k) {
            s->r[t[k]] = c == 1 ? 0.0 : -(c == 2 ? 0.9 : 1.0) * s->mu[c] * n * e[k]; /* 2 sticks, 3 slides */
            s->u[t[k]] = c == 2 ? 0.0 : e[k];
        }
    }
    s->rows = (carom_law_rows){NE, NC, d, s->tangents, s->mu, s->set, NULL, s->W, 1};
}

START_TEST(holds_and_does_not)
{
    const int d = 2 + _i % 2;
    state s;
    exact_state(d, UINT64_C(77) + (uint64_t)_i, &s);
    ck_assert_double_le(carom_law(&s.rows, s.r, s.u).left, 1e-14);
    const double size = carom_law(&s.rows, s.r, s.u).scale;
    for (int j = 0; j < s.count; ++j) {
        ck_assert_double_ge(size, fmax(fabs(s.u[j]), s.W[j] * fabs(s.r[j])));
    }
    struct {
        int row, worst;
        double r, u; /* what is added */
    } fault[] = {{1, 1, 0.0, 1e-3},            /* a joint that moves */
                 {NE, NE, 0.0, 1e-3},          /* pressed and leaving */
                 {NE, NE, 0.0, -1e-3},         /* pressed and closing */
                 {NE, NE, -10.0, 0.0},         /* pulls */
                 {NE + 1, NE + 1, 1e-3, 0.0},  /* far and pressed */
                 {NE + 2, NE + 2, 0.0, -1e-3}, /* sticks and closes */
                 {NG + 1 * (d - 1), NE + 2, 0.0, 1e-3}, /* slips inside its cone */
                 {NG + 2 * (d - 1), NE + 3, 2.0, 0.0}}; /* outside its cone, or not on its edge */
    for (size_t k = 0; k < sizeof fault / sizeof fault[0]; ++k) {
        const double r = s.r[fault[k].row], u = s.u[fault[k].row];
        s.r[fault[k].row] += fault[k].r;
        s.u[fault[k].row] += fault[k].u;
        const carom_law_residual out = carom_law(&s.rows, s.r, s.u);
        ck_assert_msg(out.left > 1e-5 && out.worst == fault[k].worst, "fault %zu: left %g at row %d", k, out.left, out.worst);
        if (fault[k].row < NE) {
            ck_assert_double_eq_tol(out.left, 1e-3, 1e-12);
        }
        s.r[fault[k].row] = r;
        s.u[fault[k].row] = u;
    }
    s.u[NE] = NAN;
    ck_assert(isinf(carom_law(&s.rows, s.r, s.u).left));
}
END_TEST

/* Rows outside the set carry nothing, and their velocities do not matter. */
START_TEST(outside_the_set)
{
    const int d = 2 + _i % 2;
    state s;
    exact_state(d, UINT64_C(5) + (uint64_t)_i, &s);
    const int t = s.tangents[3 * (d - 1)];
    s.set[t] = s.set[t + d - 2] = false;
    ck_assert_int_eq(carom_law(&s.rows, s.r, s.u).worst, t + (d == 3 && s.W[t] * fabs(s.r[t]) < s.W[t + 1] * fabs(s.r[t + 1])));
    s.r[t] = s.r[t + d - 2] = 0.0; /* now without friction */
    ck_assert_double_le(carom_law(&s.rows, s.r, s.u).left, 1e-14);
    s.set[NE + 3] = false;
    s.u[NE + 3] = -5.0;
    ck_assert_double_eq(carom_law(&s.rows, s.r, s.u).left, s.W[NE + 3] * s.r[NE + 3]);
    s.r[NE + 3] = 0.0;
    ck_assert_double_le(carom_law(&s.rows, s.r, s.u).left, 1e-14);
}
END_TEST

/* A given direction of sliding: the tangential impulse follows from the normal one, whatever the tangential velocity does. */
START_TEST(given_sliding)
{
    const int d = 2 + _i % 2;
    state s;
    double slip[2 * NC] = {0.0};
    exact_state(d, UINT64_C(31) + (uint64_t)_i, &s);
    for (int k = 0; k < d - 1; ++k) {
        const int t = s.tangents[3 * (d - 1) + k];
        slip[t - NG] = s.u[t];
        s.u[t] *= -4.0;
    }
    ck_assert_double_gt(carom_law(&s.rows, s.r, s.u).left, 1e-2);
    s.rows.slip = slip;
    ck_assert_double_le(carom_law(&s.rows, s.r, s.u).left, 1e-13);
    s.r[s.tangents[3 * (d - 1)]] *= 0.5;
    ck_assert_int_eq(carom_law(&s.rows, s.r, s.u).worst, NE + 3);
    ck_assert_double_gt(carom_law(&s.rows, s.r, s.u).left, 1e-3);
}
END_TEST

/* The residual of friction.h is the same law: contact by contact, with its matrix. */
START_TEST(same_as_the_solvers)
{
    const int d = 2 + _i % 2;
    const double mu = 0.4;
    uint64_t seed = UINT64_C(9) + (uint64_t)_i;
    double W[9] = {0.0}, diagonal[3], q[3], r[3], u[3], memory[64];
    int tangents[2] = {1, 2};
    carom_friction_problem problem;
    for (int i = 0; i < d; ++i) {
        W[(d + 1) * i] = diagonal[i] = random_between(&seed, 0.5, 2.0);
        q[i] = random_between(&seed, -1.0, 1.0);
        r[i] = random_between(&seed, -1.0, 1.0);
    }
    ck_assert_int_eq(carom_friction_dense(d, 1, &mu, q, W, memory, sizeof memory, &problem), CAROM_OK);
    double norm = 0.0, free = 0.0;
    const double residual = carom_friction_residual(&problem, 0.0, r, u, NULL);
    for (int i = 0; i < d; ++i) {
        norm += u[i] * u[i];
        free += q[i] * q[i];
    }
    const carom_law_rows rows = {0, 1, d, tangents, &mu, NULL, NULL, diagonal, 1};
    ck_assert_double_eq_tol(carom_law(&rows, r, u).left, residual * sqrt(fmax(norm, free)), 1e-14);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("law");
    tcase_add_loop_test(cases, holds_and_does_not, 0, 40);
    tcase_add_loop_test(cases, outside_the_set, 0, 20);
    tcase_add_loop_test(cases, given_sliding, 0, 20);
    tcase_add_loop_test(cases, same_as_the_solvers, 0, 20);
    return run_suite("law", cases);
}
