/* What the frictional contact solvers promise: random hyperstatic problems are solved, one residual, no false success, units and
 * mirrors without influence, the same bits every time. (Their parts: test_friction_parts.c; real problems: test_friction_collection.c.)
 *
 *     test_friction                       the tests
 *     test_friction --hyperstatic N [K]   counts the failures of N random hyperstatic problems from number K on */
#include "carom/friction.h"
#include "friction_answer.h"
#include "hyperstatic.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PINNED UINT64_C(0x0d75fed6946671c8) /* see same_bits_again */

/* ---- symmetries ------------------------------------------------------------------------------------------------ */

/* Turning the sign of a tangent, or the units by powers of two, changes signs and exponents and not one bit more. */
static void check_symmetries(const carom_friction_problem *problem, const char *solver)
{
    static const struct {
        double sigma[3], w_factor, q_factor;
    } change[] = {{{1, -1, 1}, 1, 1},
                  {{1, -1, -1}, 1, 1},
                  {{1, 1, 1}, 1024, 1},
                  {{1, 1, 1}, 1.0 / 4096, 64},
                  {{1, 1, 1}, 1, 0x1p-9}};
    const int d = problem->dimension;
    answer a = solve(problem, solver, NULL, 0xAB);
    for (size_t k = 0; k < sizeof change / sizeof change[0]; ++k) {
        carom_friction_problem other;
        void *memory = changed_copy(problem, change[k].sigma, change[k].w_factor, change[k].q_factor, &other);
        answer b = solve(&other, solver, NULL, 0x5C);
        ck_assert_int_eq(a.result.iterations, b.result.iterations);
        for (int i = 0; i < a.size; ++i) {
            const double sigma = change[k].sigma[i % d];
            ck_assert_msg(a.u[i] * sigma * change[k].q_factor == b.u[i], "%s, change %d", solver, (int)k);
            ck_assert(a.r[i] * sigma * change[k].q_factor / change[k].w_factor == b.r[i]);
        }
        forget(&b);
        free(memory);
    }
    forget(&a);
}

START_TEST(mirror_and_units)
{
    /* without apgd, whose power iteration starts from a vector that has no mirror image */
    static const char *const solver[] = {"auto", "nsgs", "anderson", "newton", "prox"};
    for (int k = 0; k < 64; ++k) {
        carom_friction_problem problem;
        void *memory = hyperstatic_problem(k, &problem);
        check_symmetries(&problem, solver[k % 5]);
        free(memory);
    }
}
END_TEST

/* Other units: the same problem to rounding, solved to the same tolerance. */
START_TEST(any_units)
{
    const double sigma[3] = {1, 1, 1};
    for (int k = 0; k < 40; ++k) {
        carom_friction_problem problem, other;
        void *memory = hyperstatic_problem(k, &problem),
             *scaled = changed_copy(&problem, sigma, 1e-6 / 7, 1e4 / 3, &other);
        answer a = solve(&problem, "auto", NULL, 0xAB), b = solve(&other, "auto", NULL, 0xAB);
        ck_assert_int_eq(a.status, CAROM_OK);
        ck_assert_int_eq(b.status, CAROM_OK);
        forget(&a);
        forget(&b);
        free(memory);
        free(scaled);
    }
}
END_TEST

START_TEST(same_bits_again)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int k = 0; k < 96; ++k) {
        carom_friction_problem problem;
        void *memory = hyperstatic_problem(k, &problem);
        answer a = solve(&problem, "auto", NULL, 0xAB), b = solve(&problem, "auto", NULL, 0);
        ck_assert(same_bits(&a, &b));                                   /* what was in the work space does not matter */
        if (k % HYPERSTATIC_KINDS == 0 || k % HYPERSTATIC_KINDS == 2) { /* kinds made without sin, cos, exp */
            const unsigned char *byte = (const unsigned char *)a.u;
            for (size_t i = 0; i < (size_t)a.size * sizeof(double); ++i) {
                hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
            }
        }
        forget(&a);
        forget(&b);
        free(memory);
    }
    /* FNV-1a over the velocities, little endian: the same for every compiler at every level without contraction */
    ck_assert_msg(hash == PINNED, "hash 0x%016llx", (unsigned long long)hash);
}
END_TEST

/* ---- hyperstatic ----------------------------------------------------------------------------------------------- */

/* 1 when the portfolio solved it and an independent residual agrees. */
static int solves(int number, int talk)
{
    carom_friction_problem problem;
    void *memory = hyperstatic_problem(number, &problem);
    answer a = solve(&problem, "auto", NULL, 0xAB);
    dense_problem p = spread(&problem);
    const double residual = dense_residual(problem.dimension, &p, a.r, a.u);
    const int good = a.status == CAROM_OK && residual <= 1.001 * TOLERANCE + 1e-13;
    if (!good && talk) {
        printf("# problem %d (%s, d = %d, %d contacts): status %d, residual %g\n", number, hyperstatic_name(number),
               problem.dimension, problem.contacts, (int)a.status, residual);
    }
    discard(&p);
    forget(&a);
    free(memory);
    return good;
}

START_TEST(hyperstatic)
{
    for (int k = _i * 100; k < (_i + 1) * 100; ++k) {
        ck_assert_msg(solves(k, 0), "problem %d (%s)", k, hyperstatic_name(k));
    }
}
END_TEST

/* 28 contacts in space, once the only one of the first 30000 problems that was not solved. */
START_TEST(tangle)
{
    ck_assert(solves(6124, 1));
}
END_TEST

static int count_failures(int first, int count)
{
    int failed = 0;
    for (int k = first; k < first + count; ++k) {
        failed += !solves(k, 1);
    }
    printf("# hyperstatic: %d of %d failed\n", failed, count);
    return failed > 0;
}

/* One contact written n times: only the sum of the forces is determined, and each copy carries its share. */
START_TEST(even_shares)
{
    static const double once[9] = {2.0, 0.3, -0.1, 0.3, 1.0, 0.2, -0.1, 0.2, 1.5}, push[3] = {-1.0, 0.2, 0.1};
    for (int n = 2; n <= 8; n += 2) {
        double W[24 * 24], q[24], mu[8], block[24 * 24 + 8 * 8 + 64];
        for (int i = 0; i < 3 * n; ++i) {
            q[i] = push[i % 3];
            mu[i / 3] = 0.4;
            for (int j = 0; j < 3 * n; ++j) {
                W[i * 3 * n + j] = once[i % 3 * 3 + j % 3];
            }
        }
        carom_friction_problem problem;
        ck_assert_int_eq(carom_friction_dense(3, n, mu, q, W, block, sizeof block, &problem), CAROM_OK);
        answer a = solve(&problem, "auto", NULL, 0xAB);
        ck_assert_int_eq(a.status, CAROM_OK);
        for (int i = 3; i < 3 * n; ++i) {
            ck_assert_double_eq_tol(a.r[i], a.r[i % 3], 1e-9);
        }
        ck_assert(a.r[0] > 0.1 / n);
        forget(&a);
    }
}
END_TEST

/* Chains of hundreds of contacts, at rest and stirred: sweeps would need thousands of passes. */
START_TEST(towers)
{
    static const struct {
        int contacts, wide;
        double stir;
        int by_admm; /* the method that ends it, when it is sure */
    } tower[] = {{568, 1, 0.0, 0}, {564, 3, 0.0, 1}, {544, 5, 0.0, 1}, {300, 3, 0.01, 1}, {544, 5, 0.1, 1}};
    for (size_t k = 0; k < sizeof tower / sizeof tower[0]; ++k) {
        carom_friction_problem problem;
        void *memory = tower_problem(tower[k].contacts, tower[k].wide, tower[k].stir, &problem);
        ck_assert_int_gt(problem.contacts, 9 * tower[k].contacts / 10);
        answer a = solve(&problem, "auto", NULL, 0xAB);
        ck_assert_msg(a.status == CAROM_OK && a.result.iterations < 500, "tower %d: status %d, %d iterations", (int)k, (int)a.status, a.result.iterations);
        ck_assert_msg(!tower[k].by_admm || strcmp(a.result.stage, "admm") == 0, "tower %d: %s", (int)k, a.result.stage);
        answer b = solve(&problem, "admm", NULL, 0x5C); /* one or two factorisations, whatever the size */
        ck_assert(b.status == CAROM_OK && b.result.factorisations <= 2);
        forget(&a);
        forget(&b);
        free(memory);
    }
}
END_TEST

/* Heavy bodies on light ones, their loads shared many times over: what rounding leaves of u is reached, and what is called
 * solved is by the independent residual, too. */
START_TEST(unlike_masses)
{
    int solved = 0;
    for (int k = 0; k < 18; ++k) {
        carom_friction_problem problem;
        void *memory = mass_ratio_problem(k, &problem);
        const int tower = k % 3 < 2;
        answer a = solve(&problem, tower ? "auto" : "augmented", NULL, 0xAB);
        dense_problem p = spread(&problem);
        const double residual = dense_residual(problem.dimension, &p, a.r, a.u);
        ck_assert_msg(a.status == CAROM_OK || !tower, "problem %d: residual %g", k, a.result.residual);
        ck_assert_msg(a.status != CAROM_OK || residual <= 1.5e-5, "problem %d: %g claimed, %g", k, a.result.residual, residual);
        ck_assert(a.status != CAROM_OK || !tower || strcmp(a.result.stage, "augmented") == 0);
        solved += a.status == CAROM_OK;
        discard(&p);
        forget(&a);
        free(memory);
    }
    ck_assert_msg(solved >= 13, "%d of 18", solved);
}
END_TEST

/* W with a skew part, as it comes out of other people's rounding: monotone still, so solvable. */
START_TEST(unsymmetric)
{
    uint64_t random = 5;
    int solved = 0, tried = 0;
    for (int k = 0; k < 160; ++k) {
        carom_friction_problem problem;
        void *memory = hyperstatic_problem(k, &problem);
        dense_problem p = spread(&problem);
        for (int i = 0; i < p.size; ++i) {
            for (int j = 0; j < i; ++j) {
                const double skew = 1e-4 * uniform(&random) * p.W[i * p.size + j];
                p.W[i * p.size + j] += skew;
                p.W[j * p.size + i] -= skew;
            }
        }
        const size_t bytes = carom_friction_dense_size(problem.dimension, problem.contacts);
        void *full = malloc(bytes);
        ck_assert_int_eq(
            carom_friction_dense(problem.dimension, problem.contacts, p.mu, p.q, p.W, full, bytes, &problem), CAROM_OK);
        answer a = solve(&problem, "auto", NULL, 0xAB);
        const double residual = dense_residual(problem.dimension, &p, a.r, a.u);
        ck_assert_msg(a.status != CAROM_OK || residual <= 1.001 * TOLERANCE, "problem %d (%s): %g claimed, %g", k,
                      hyperstatic_name(k), a.result.residual, residual);
        solved += a.status == CAROM_OK;
        tried++;
        discard(&p);
        forget(&a);
        free(full);
        free(memory);
    }
    ck_assert_msg(solved == tried, "%d of %d solved", solved, tried);
}
END_TEST

/* Lemke's method may end on a ray where friction wedges; where bodies only rest on each other it does not. */
START_TEST(lemke_planar)
{
    int solved = 0, tried = 0;
    for (int k = 0; k < 400; ++k) {
        carom_friction_problem problem;
        void *memory = hyperstatic_problem(k, &problem);
        const int kind = k % HYPERSTATIC_KINDS;
        if (problem.dimension == 2 && (kind == 0 || kind == 2 || kind == 6)) { /* many feet, stack, repeated */
            answer a = solve(&problem, "lemke", NULL, 0xAB);
            solved += a.status == CAROM_OK;
            tried++;
            forget(&a);
        }
        free(memory);
    }
    ck_assert_msg(solved == tried && tried > 50, "%d of %d", solved, tried);
}
END_TEST

/* ---- promises -------------------------------------------------------------------------------------------------- */

START_TEST(arguments)
{
    const double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, q[4] = {-1, 1, 1, 0}, mu[2] = {0.5, 0.5};
    char memory[512], work[1 << 16];
    double r[4] = {0}, u[4];
    carom_friction_problem p;
    carom_friction_result result;
    ck_assert(carom_friction_dense_size(2, 2) <= sizeof memory);
    ck_assert_int_eq(carom_friction_dense(2, 2, mu, q, W, memory, 8, &p), CAROM_ARGUMENT);
    ck_assert_int_eq(carom_friction_dense(2, 2, mu, q, W, memory, sizeof memory, &p), CAROM_OK);
    ck_assert_int_eq(carom_friction_solve(&p, NULL, r, u, NULL, work, sizeof work), CAROM_OK);
    ck_assert(r[0] == 1.0 && r[1] == -0.5 && r[2] == 0.0 && u[1] == 0.5);

    ck_assert_int_eq(
        carom_friction_solve(&p, &(carom_friction_options){.solver = "none"}, r, u, NULL, work, sizeof work),
        CAROM_ARGUMENT);
    ck_assert_int_eq(
        carom_friction_solve(&p, &(carom_friction_options){.solver = "pgs"}, r, u, NULL, work, sizeof work),
        CAROM_ARGUMENT); /* there is friction */
    ck_assert_int_eq(carom_friction_solve(&p, NULL, r, u, &result, work, 64), CAROM_ARGUMENT);
    ck_assert_uint_gt(result.work_needed, 64);

    carom_friction_problem bad = p;
    bad.mu = (const double[2]){0.5, -0.1};
    ck_assert_int_eq(carom_friction_solve(&bad, NULL, r, u, &result, work, sizeof work), CAROM_ARGUMENT);
    ck_assert_int_eq(result.worst, 1);
    bad = p;
    bad.q = (const double[4]){-1, NAN, 1, 0};
    ck_assert_int_eq(carom_friction_solve(&bad, NULL, r, u, &result, work, sizeof work), CAROM_NOT_FINITE);
    bad = p;
    bad.column = (const int[4]){0, 1, 1, 0}; /* not ascending */
    ck_assert_int_eq(carom_friction_solve(&bad, NULL, r, u, &result, work, sizeof work), CAROM_ARGUMENT);
    ck_assert_int_eq(result.worst, 1);
    bad = p;
    bad.row = (const int[3]){0, 2, 3}; /* (0,1) without (1,0) */
    bad.column = (const int[3]){0, 1, 1};
    ck_assert_int_eq(carom_friction_solve(&bad, NULL, r, u, &result, work, sizeof work), CAROM_ARGUMENT);
    bad = p;
    bad.contacts = 0;
    ck_assert_int_eq(carom_friction_solve(&bad, NULL, r, u, &result, work, sizeof work), CAROM_OK);
}
END_TEST

/* No solution: a contact pressed by a velocity that no impulse changes in time; never a claim of success. */
START_TEST(honest_failure)
{
    /* two contacts on one freedom, facing each other, both approaching: r pushes the other one in */
    const double W[16] = {1, 0, -1, 0, 0, 1, 0, 0, -1, 0, 1, 0, 0, 0, 0, 1}, q[4] = {-1, 0, -1, 0}, mu[2] = {0, 0.1};
    char memory[512];
    static char work[1 << 16];
    carom_friction_problem p;
    carom_friction_result result;
    int count = 0;
    ck_assert_int_eq(carom_friction_dense(2, 2, mu, q, W, memory, sizeof memory, &p), CAROM_OK);
    const carom_solver *solver = carom_friction_solvers(&count);
    for (int k = 0; k < count; ++k) {
        if (carom_friction_applies(&solver[k], &p)) {
            double r[4] = {0}, u[4];
            const carom_friction_options options = {.solver = solver[k].name};
            ck_assert_int_eq(carom_friction_solve(&p, &options, r, u, &result, work, sizeof work), CAROM_INFEASIBLE);
            ck_assert(result.residual > TOLERANCE && result.worst >= 0);
        }
    }
}
END_TEST

/* A proof that there is no solution is a proof: normals that add up to nothing while their velocities close. Bodies between walls that
 * come together, with any masses, arms and friction; and the same walls going apart have a solution. */
START_TEST(squeezed)
{
    enum { PAIRS = 4, N = 2 * PAIRS, D = 3 };
    uint64_t random = UINT64_C(1234) + (uint64_t)_i;
    static char memory[1 << 16], work[1 << 20];
    double W[D * N * D * N], q[D * N], mu[N], r[D * N] = {0}, u[D * N], z[N], bound = 0.0;
    double G[D * N][6], mass[6];
    for (int k = 0; k < 6; ++k) {
        mass[k] = exp(random_between(&random, -5.0, 5.0));
    }
    for (int c = 0; c < N; ++c) { /* contacts c and c ^ 1 face each other along one line */
        const double sign = c % 2 == 0 ? 1.0 : -1.0;
        double arm[3];
        for (int i = 0; i < 3; ++i) {
            arm[i] = c % 2 == 0 ? uniform(&random) : 0.0;
        }
        mu[c] = random_between(&random, 0.0, 1.0);
        for (int a = 0; a < D; ++a) {
            const double e[3] = {a == 0 ? sign : 0.0, a == 1, a == 2};
            for (int i = 0; i < 3; ++i) {
                G[D * c + a][i] = e[i];
                G[D * c + a][3 + i] = c % 2 == 0 ? arm[(i + 1) % 3] * e[(i + 2) % 3] - arm[(i + 2) % 3] * e[(i + 1) % 3]
                                                 : (a == 0 ? -1.0 : 1.0) * G[D * (c - 1) + a][3 + i];
            }
            q[D * c + a] = a == 0 ? (c < 2 ? -0.5 : 0.3) + sign * 0.1 : uniform(&random);
        }
    }
    for (int i = 0; i < D * N; ++i) {
        for (int j = 0; j < D * N; ++j) {
            W[D * N * i + j] = 0.0;
            for (int k = 0; k < 6; ++k) {
                W[D * N * i + j] += G[i][k] * G[j][k] / mass[k];
            }
        }
    }
    carom_friction_problem p;
    carom_friction_result result;
    int worst = -1;
    ck_assert_int_eq(carom_friction_dense(D, N, mu, q, W, memory, sizeof memory, &p), CAROM_OK);
    ck_assert_int_eq(carom_friction_solve(&p, NULL, r, u, &result, work, sizeof work), CAROM_INFEASIBLE);
    ck_assert(result.worst == 0 || result.worst == 1);
    ck_assert_int_eq(carom_friction_certificate(&p, NULL, z, &bound, &worst, work, sizeof work), 1);
    double closing = 0.0, sum = 0.0;
    for (int c = 0; c < N; ++c) {
        ck_assert_double_ge(z[c], 0.0);
        closing += z[c] * q[D * c];
        sum += z[c];
    }
    ck_assert_double_lt(closing, -0.1 * sum);
    double moved = 0.0, heaviest = 0.0, speed = 0.0; /* W^T z, against what it would take */
    for (int i = 0; i < D * N; ++i) {
        double w = 0.0;
        for (int c = 0; c < N; ++c) {
            w += W[D * N * D * c + i] * z[c];
        }
        moved += fabs(w);
        speed += q[i] * q[i];
        heaviest = fmax(heaviest, D / (W[(D * N + 1) * (i - i % D)] + W[(D * N + 1) * (i - i % D + 1)] + W[(D * N + 1) * (i - i % D + 2)]));
    }
    ck_assert_double_le(1e5 * moved * heaviest * sqrt(speed), -closing);
    q[0] = q[D] = 0.3; /* apart */
    memset(r, 0, sizeof r);
    ck_assert_int_eq(carom_friction_solve(&p, NULL, r, u, &result, work, sizeof work), CAROM_OK);
    ck_assert_int_eq(carom_friction_certificate(&p, NULL, z, &bound, &worst, work, sizeof work), 0);
}
END_TEST

/* A contact between bodies that nothing moves: fine while it does not close. */
START_TEST(zero_block)
{
    const double W[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3}, mu[2] = {0.3, 0.3};
    double q[4] = {0.0, 1.0, -1.0, 0.1}, memory[64];
    static char work[1 << 16];
    carom_friction_problem p;
    carom_friction_result result;
    int count = 0;
    const carom_solver *solver = carom_friction_solvers(&count);
    ck_assert_int_eq(carom_friction_dense(2, 2, mu, q, W, memory, sizeof memory, &p), CAROM_OK);
    for (int k = 0; k < count; ++k) {
        if (carom_friction_applies(&solver[k], &p)) {
            double r[4] = {5.0, 1.0, 0.0, 0.0}, u[4];
            const carom_friction_options options = {.solver = solver[k].name};
            q[0] = k % 2 == 0 ? 0.0 : 0.7;
            ck_assert_int_eq(carom_friction_solve(&p, &options, r, u, &result, work, sizeof work), CAROM_OK);
            ck_assert(r[0] == 0.0 && r[1] == 0.0 && fabs(r[2] - 0.5) < 1e-8 && u[0] == q[0]);
            ck_assert_double_le(carom_friction_residual(&p, 0.0, r, u, NULL), 1e-8);
        }
    }
    double r[4] = {0}, u[4];
    q[0] = -1e-3; /* two walls close on each other */
    ck_assert_int_eq(carom_friction_solve(&p, NULL, r, u, &result, work, sizeof work), CAROM_INFEASIBLE);
    ck_assert_int_eq(result.worst, 0);
}
END_TEST

/* Velocities may be as small as they like; only a floor that somebody asked for makes them negligible, and then it is told. */
START_TEST(floor_is_told)
{
    static char work[1 << 20];
    int solved = 0;
    for (int number = 0; number < 40; ++number) {
        carom_friction_problem p;
        void *memory = hyperstatic_problem(number, &p);
        const int size = p.dimension * p.contacts;
        double r[300] = {0}, u[300], *q = malloc((size_t)size * sizeof *q);
        carom_friction_result result;
        for (int i = 0; i < size; ++i) {
            q[i] = 0x1p-50 * p.q[i];
        }
        p.q = q;
        ck_assert_int_eq(carom_friction_solve(&p, NULL, r, u, &result, work, sizeof work), CAROM_OK);
        ck_assert(result.relative == result.residual && result.residual <= TOLERANCE);
        ck_assert_double_le(carom_friction_residual(&p, 0.0, r, u, NULL), 1.0001 * TOLERANCE);
        memset(r, 0, sizeof r);
        const carom_friction_options floored = {.velocity_floor = 1.0, .tolerance = 1e-6};
        ck_assert_int_eq(carom_friction_solve(&p, &floored, r, u, &result, work, sizeof work), CAROM_OK);
        ck_assert_double_le(result.residual, 1e-6);
        ck_assert_double_eq_tol(result.relative, carom_friction_residual(&p, 0.0, r, u, NULL), 1e-12);
        solved += result.relative > 1e-6;
        free(q);
        free(memory);
    }
    ck_assert_int_gt(solved, 30); /* by the floor alone */
}
END_TEST

/* However early a method is stopped, it claims success exactly when the residual has reached the tolerance. */
START_TEST(stopped_early)
{
    static char work[1 << 20];
    int close = 0;
    for (int k = 0; k < 12; ++k) {
        carom_friction_problem problem;
        void *memory = hyperstatic_problem(k, &problem);
        for (int limit = 1; limit < 120; ++limit) {
            double r[256] = {0}, u[256];
            carom_friction_result result;
            const carom_friction_options options = {.solver = "nsgs", .tolerance = TOLERANCE, .max_iterations = limit};
            const carom_status status = carom_friction_solve(&problem, &options, r, u, &result, work, sizeof work);
            const double residual = carom_friction_residual(&problem, 0.0, r, u, NULL);
            ck_assert_int_eq(status, residual <= TOLERANCE ? CAROM_OK : CAROM_CONTACT);
            close += residual > TOLERANCE && residual < 20 * TOLERANCE;
        }
        free(memory);
    }
    ck_assert_int_gt(close, 3); /* the limit was met from both sides */
}
END_TEST

/* With too little room for the factors the result says how much is needed, and that is enough in the end. */
START_TEST(work_space_grows)
{
    carom_friction_problem problem;
    void *memory = hyperstatic_problem(15, &problem); /* masonry in space */
    double r[256] = {0}, u[256];
    carom_friction_result result;
    const carom_friction_options options = {.solver = "prox"};
    size_t bytes = carom_friction_work_size(&problem) / 4;
    carom_status status = CAROM_CONTACT;
    for (int k = 0; k < 12 && status != CAROM_OK; ++k) {
        char *work = malloc(bytes);
        memset(r, 0, sizeof r);
        status = carom_friction_solve(&problem, &options, r, u, &result, work, bytes);
        free(work);
        if (status != CAROM_OK) {
            ck_assert_uint_gt(result.work_needed, bytes);
            bytes = result.work_needed;
        }
    }
    ck_assert_int_eq(status, CAROM_OK);
    free(memory);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "--hyperstatic") == 0) {
        return count_failures(argc > 3 ? atoi(argv[3]) : 0, atoi(argv[2]));
    }
    TCase *cases = tcase_create("friction");
    tcase_set_timeout(cases, 120.0);
    tcase_add_test(cases, mirror_and_units);
    tcase_add_test(cases, any_units);
    tcase_add_test(cases, same_bits_again);
    tcase_add_loop_test(cases, hyperstatic, 0, 5);
    tcase_add_test(cases, tangle);
    tcase_add_test(cases, even_shares);
    tcase_add_test(cases, towers);
    tcase_add_test(cases, unlike_masses);
    tcase_add_test(cases, unsymmetric);
    tcase_add_test(cases, lemke_planar);
    tcase_add_test(cases, arguments);
    tcase_add_test(cases, honest_failure);
    tcase_add_loop_test(cases, squeezed, 0, 12);
    tcase_add_test(cases, zero_block);
    tcase_add_test(cases, floor_is_told);
    tcase_add_test(cases, stopped_early);
    tcase_add_test(cases, work_space_grows);
    return run_suite("friction", cases);
}
