/* Contact problems of a few rows as generated steps solve them: carom/complementarity.h, carom/coulomb.h, and carom/lawful.h, which
 * judges them. The toy has a bilateral row and three contacts, of which the last has no friction; W is random. Planar here, in space with
 * two bilateral rows as test_coulomb_space.c. */
#include "carom/dense.h"
#include "carom/friction.h"
#include "carom/law.h"
#include "carom/lcp.h"
#include "carom/model.h"
#include "carom/room.h"
#include "draw.h"
#include "suite.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#ifndef DIMENSION
#define DIMENSION 2
#define JOINTS 1
#endif

#define CAROM(name) toy_##name
#define CAROM_NQ 12
#define CAROM_NV 12
#define CAROM_NS 12
#define CAROM_NB 0
#define CAROM_NE JOINTS
#define CAROM_NC 3
#define CAROM_NG (CAROM_NE + CAROM_NC)
#define CAROM_NT (2 * (DIMENSION - 1))
#define CAROM_NR (CAROM_NG + CAROM_NT)
#define CAROM_D DIMENSION
#define CAROM_SCALED 0
#define CAROM_RIDES 0
#define CAROM_STATE toy

enum { FIRST = CAROM_NE, SECOND = FIRST + 1, SLIDE = CAROM_NG }; /* rows of contacts, and of the first tangent */

typedef struct {
    double t, v[CAROM_NV];
    struct {
        double mu[CAROM_NC];
        bool frictional;
        int rows;
    } derived;
    carom_counts counts;
    carom_failure *failure;
    struct {
        double room[CAROM_ROOM_INNER(CAROM_NE, CAROM_NC, CAROM_NG, CAROM_NR, CAROM_D, 1)];
    } work;
} toy;

#if DIMENSION == 2
static const int toy_contact_of[CAROM_NT] = {FIRST, SECOND}, toy_tangents[CAROM_NC][1] = {{SLIDE}, {SLIDE + 1}, {-1}};
#else
static const int toy_contact_of[CAROM_NT] = {FIRST, FIRST, SECOND, SECOND},
                 toy_tangents[CAROM_NC][2] = {{SLIDE, SLIDE + 1}, {SLIDE + 2, SLIDE + 3}, {-1, -1}};
#endif

#define CAROM_TS 1e-8

#define CAROM_ALL_ROWS 0
#define CAROM_SEVERAL 1
#define CAROM_SOLVER_AUTO 1
#define CAROM_SOLVER NULL
#define CAROM_CTOL 1e-11
#define CAROM_FLOOR 4e-4
#include "carom/complementarity.h"
#include "carom/coulomb.h"
#include "carom/lawful.h"

/* W = G G^T with random rows: positive definite, since there are more velocities than rows */
static void draw(double *W, double *b)
{
    double G[CAROM_NR][CAROM_NV];
    for (int i = 0; i < CAROM_NR; ++i) {
        b[i] = between(-1.0, 1.0);
        for (int k = 0; k < CAROM_NV; ++k) {
            G[i][k] = between(-1.0, 1.0);
        }
    }
    for (int i = 0; i < CAROM_NR; ++i) {
        for (int j = 0; j < CAROM_NR; ++j) {
            double sum = 0.0;
            for (int k = 0; k < CAROM_NV; ++k) {
                sum += G[i][k] * G[j][k];
            }
            W[i * CAROM_NR + j] = sum;
        }
    }
}

static toy rough(double mu)
{
    toy s;
    memset(&s, 0, sizeof s);
    s.derived.mu[0] = s.derived.mu[1] = mu;
    s.derived.frictional = mu > 0.0;
    s.derived.rows = mu > 0.0 ? CAROM_NR : CAROM_NG;
    s.v[0] = 1.0;
    return s;
}

/* the joint always, some of the contacts, tangents with their contact */
static void choose(unsigned which, bool friction, bool *set)
{
    for (int j = 0; j < CAROM_NG; ++j) {
        set[j] = j < CAROM_NE || ((which >> (j - CAROM_NE)) & 1U) != 0U;
    }
    for (int k = 0; k < CAROM_NT; ++k) {
        set[CAROM_NG + k] = friction && set[toy_contact_of[k]];
    }
}

/* what the law leaves, by the definition, beside the size of the problem */
static double residual(const toy *s, const double *W, const bool *set, const double *slip, const double *b,
                       const double *r)
{
    double u[CAROM_NR];
    for (int i = 0; i < CAROM_NR; ++i) {
        u[i] = b[i];
        for (int j = 0; j < CAROM_NR; ++j) {
            u[i] += W[i * CAROM_NR + j] * r[j];
        }
    }
    const carom_law_rows rows = {.bilateral = CAROM_NE,
                                 .contacts = CAROM_NC,
                                 .dimension = CAROM_D,
                                 .tangents = &toy_tangents[0][0],
                                 .mu = s->derived.mu,
                                 .set = set,
                                 .slip = slip,
                                 .W = W,
                                 .stride = CAROM_NR + 1};
    return carom_law(&rows, r, u).left;
}

START_TEST(without_friction)
{
    seed_state = 1;
    for (int k = 0; k < 400; ++k) {
        double W[CAROM_NR * CAROM_NR], b[CAROM_NR], r[CAROM_NR];
        bool set[CAROM_NR];
        const toy s = rough(0.0);
        carom_info info = {-1, 0, 0.0};
        carom_counts counts = {0};
        draw(W, b);
        choose((unsigned)k, false, set);
        ck_assert_int_eq(toy_complementarity(&s, W, set, b, r, &info), CAROM_OK);
        ck_assert_double_lt(residual(&s, W, set, NULL, b, r), 1e-12);
        ck_assert_int_eq(toy_lawful(&s, W, set, NULL, b, r, &info, &counts), CAROM_OK);
    }
}
END_TEST

START_TEST(coulomb)
{
    seed_state = 2;
    for (int k = 0; k < 400; ++k) {
        double W[CAROM_NR * CAROM_NR], b[CAROM_NR], r[CAROM_NR] = {0.0};
        bool set[CAROM_NR];
        const toy s = rough(between(0.05, 0.8));
        carom_info info = {-1, 0, 0.0};
        carom_counts counts = {0};
        draw(W, b);
        choose((unsigned)k, true, set);
        ck_assert_int_eq(toy_coulomb(&s, W, set, NULL, b, r, &info), CAROM_OK);
        ck_assert_double_lt(residual(&s, W, set, NULL, b, r), 1e-8);
        ck_assert_int_eq(toy_lawful(&s, W, set, NULL, b, r, &info, &counts), CAROM_OK);
        for (int j = 0; j < CAROM_NR; ++j) {
            ck_assert(set[j] || r[j] == 0.0);
        }
    }
}
END_TEST

START_TEST(given_directions_of_sliding)
{
    seed_state = 3;
    int solved = 0;
    for (int k = 0; k < 400; ++k) {
        double W[CAROM_NR * CAROM_NR], b[CAROM_NR], r[CAROM_NR] = {0.0}, slip[CAROM_NT];
        bool set[CAROM_NR];
        const toy s = rough(0.3);
        carom_info info = {-1, 0, 0.0};
        draw(W, b);
        choose((unsigned)k, true, set);
        for (int i = 0; i < CAROM_NT; ++i) { /* one slides, the other or none decides by the law */
            slip[i] = toy_contact_of[i] == FIRST ? (CAROM_D == 2 ? -1.0 : i == 0 ? 0.6 : -0.8) : 0.0;
        }
        const carom_status status = toy_coulomb(&s, W, set, slip, b, r, &info);
        if (status == CAROM_PAINLEVE) {
            ck_assert_int_eq(info.contact, FIRST);
            continue;
        }
        ck_assert_int_eq(status, CAROM_OK);
        ck_assert_double_lt(residual(&s, W, set, slip, b, r), 1e-8);
        for (int i = 0; i < CAROM_NT && set[FIRST]; ++i) {
            ck_assert(slip[i] == 0.0 || fabs(r[CAROM_NG + i] + 0.3 * slip[i] * r[FIRST]) <= 1e-15 * fabs(r[FIRST]));
        }
        ++solved;
    }
    ck_assert_int_gt(solved, 300);
}
END_TEST

START_TEST(a_painleve_configuration_is_named)
{
    for (unsigned which = 1; which <= 3;
         which += 2) { /* contact 0 alone by closed form, with another as a problem of several */
        double W[CAROM_NR * CAROM_NR] = {0.0}, b[CAROM_NR], r[CAROM_NR] = {0.0}, slip[CAROM_NT] = {0.0};
        bool set[CAROM_NR];
        const toy s = rough(2.0);
        carom_info info = {-1, 0, 0.0};
        for (int j = 0; j < CAROM_NR; ++j) {
            W[j * CAROM_NR + j] = 1.0;
            b[j] = -1.0;
        }
        W[FIRST * CAROM_NR + SLIDE] = W[SLIDE * CAROM_NR + FIRST] =
            0.6; /* pivot 1 - 2 0.6 s: -0.2 one way, 2.2 the other */
        choose(which, true, set);
        slip[0] = 1.0;
        ck_assert_int_eq(toy_coulomb(&s, W, set, slip, b, r, &info), CAROM_PAINLEVE);
        ck_assert_int_eq(info.contact, FIRST);
        ck_assert_double_eq_tol(info.residual, -0.2, 1e-15);
        slip[0] = -1.0;
        ck_assert_int_eq(toy_coulomb(&s, W, set, slip, b, r, &info), CAROM_OK);
        ck_assert_double_eq_tol(r[FIRST], 1.0 / 2.2, 1e-12);
        ck_assert_double_eq_tol(r[SLIDE], 2.0 / 2.2, 1e-12);
    }
}
END_TEST

START_TEST(a_contact_that_the_joint_locks_carries_nothing)
{
    seed_state = 4;
    for (int k = 0; k < 100;
         ++k) { /* its row is a multiple of the joint's, but for rounding, which must not be taken for a mass */
        double W[CAROM_NR * CAROM_NR], b[CAROM_NR], r[CAROM_NR];
        bool set[CAROM_NR];
        const toy s = rough(0.3);
        const double times = between(0.5, 2.0);
        carom_info info = {-1, 0, 0.0};
        draw(W, b);
        for (int j = 0; j < CAROM_NR; ++j) {
            W[j * CAROM_NR + FIRST] = times * W[j * CAROM_NR];
            r[j] = 5.0;
        }
        for (int j = 0; j < CAROM_NR; ++j) {
            W[FIRST * CAROM_NR + j] = times * W[j];
        }
        b[FIRST] = times * b[0];
        choose(3U, true, set);
        ck_assert_int_eq(toy_coulomb(&s, W, set, NULL, b, r, &info), CAROM_OK);
        ck_assert_double_eq(r[FIRST], 0.0);
        ck_assert_double_eq(r[SLIDE], 0.0);
        set[FIRST] = set[SLIDE] = false;
        set[SLIDE + CAROM_D - 2] = false;
        ck_assert_double_lt(residual(&s, W, set, NULL, b, r), 1e-10);
    }
}
END_TEST

START_TEST(what_breaks_the_law_is_not_good)
{
    seed_state = 5;
    for (int k = 0; k < 100; ++k) {
        double W[CAROM_NR * CAROM_NR], b[CAROM_NR], r[CAROM_NR] = {0.0};
        bool set[CAROM_NR];
        const toy s = rough(k % 2 == 0 ? 0.4 : 0.0);
        carom_info info = {-1, 0, 0.0};
        carom_counts counts = {0};
        draw(W, b);
        choose(7U, s.derived.frictional, set);
        for (int j = CAROM_NE; j < CAROM_NG; ++j) {
            b[j] = -fabs(b[j]);
        }
        ck_assert_int_eq(s.derived.frictional ? toy_coulomb(&s, W, set, NULL, b, r, &info)
                                              : toy_complementarity(&s, W, set, b, r, &info),
                         CAROM_OK);
        r[k % CAROM_NG] += 1e-3;
        ck_assert_int_eq(toy_lawful(&s, W, set, NULL, b, r, &info, &counts), CAROM_CONTACT);
        ck_assert_int_ge(info.contact, 0);
        ck_assert_double_gt(info.residual, 1e-7);
    }
}
END_TEST

START_TEST(what_is_not_solved_is_handed_out)
{
    /* two contacts that ask for the opposite: W z + b >= 0 has no solution with z >= 0 */
    double W[CAROM_NR * CAROM_NR] = {0.0}, b[CAROM_NR] = {0.0}, r[CAROM_NR], q[16] = {0.0}, mu[16], kept[256] = {0.0};
    bool set[CAROM_NR];
    toy s = rough(0.0);
    carom_info info = {-1, 0, 0.0};
    carom_failure failure = {.rows = 16, .mu = mu, .q = q, .W = kept};
    s.failure = &failure;
    for (int j = 0; j <= SECOND; ++j) {
        W[j * CAROM_NR + j] = 1.0;
    }
    W[FIRST * CAROM_NR + SECOND] = W[SECOND * CAROM_NR + FIRST] = -1.0;
    b[FIRST] = b[SECOND] = -1.0;
    b[0] = 0.5;
    choose(3U, false, set);
    ck_assert_int_ne(toy_complementarity(&s, W, set, b, r, &info), CAROM_OK);
    ck_assert_int_eq(failure.dimension, 1);
    ck_assert_int_eq(failure.contacts, 2 * CAROM_NE + 2); /* joints twice */
    ck_assert_double_eq(q[FIRST], -1.0);
    ck_assert_double_eq(q[SECOND + 1], -0.5);
    ck_assert_double_eq(kept[FIRST * (2 * CAROM_NE + 2) + SECOND], -1.0);
}
END_TEST

START_TEST(sliding_is_watched)
{
    double W[CAROM_NR * CAROM_NR] = {0.0}, U[CAROM_NR] = {0.0};
    bool set[CAROM_NR];
    toy s = rough(2.0);
    for (int j = 0; j < CAROM_NR; ++j) {
        W[j * CAROM_NR + j] = 1.0;
    }
    W[FIRST * CAROM_NR + SLIDE] = W[SLIDE * CAROM_NR + FIRST] = 0.6;
    choose(7U, true, set);
    s.t = 3.0;
    U[SLIDE] = 1.0;
    toy_watch_painleve(&s, W, set, U);
    ck_assert_uint_eq(s.counts.painleve, 1);
    ck_assert_int_eq(s.counts.painleve_contact, FIRST);
    ck_assert_double_eq(s.counts.painleve_time, 3.0);
    U[SLIDE] = -1.0;
    toy_watch_painleve(&s, W, set, U);
    ck_assert_uint_eq(s.counts.painleve, 1);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("coulomb");
    tcase_add_test(cases, without_friction);
    tcase_add_test(cases, coulomb);
    tcase_add_test(cases, given_directions_of_sliding);
    tcase_add_test(cases, a_painleve_configuration_is_named);
    tcase_add_test(cases, a_contact_that_the_joint_locks_carries_nothing);
    tcase_add_test(cases, what_breaks_the_law_is_not_good);
    tcase_add_test(cases, what_is_not_solved_is_handed_out);
    tcase_add_test(cases, sliding_is_watched);
    return run_suite("coulomb", cases);
}
