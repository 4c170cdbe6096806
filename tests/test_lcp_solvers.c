/* The solvers for linear complementarity problems: games of two players, random matrices, and what the family promises: one residual, no
 * false success, and a portfolio that gives up only where every member does. */
#include "carom/lcp_solvers.h"
#include "hyperstatic.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 80 };

#define TOLERANCE 1e-8

typedef struct {
    int n;
    double M[MOST * MOST], q[MOST];
} lcp;

typedef struct {
    carom_status status;
    carom_lcp_result result;
    double z[MOST], w[MOST];
} answer;

static answer solve(const lcp *p, const char *solver, int poison)
{
    answer a;
    const carom_lcp_problem problem = {p->n, p->M, p->q};
    const size_t bytes = carom_lcp_solver_work(p->n) * sizeof(double);
    double *work = malloc(bytes);
    if (work == NULL) { /* no ck_assert: also used outside of the tests */
        abort();
    }
    memset(work, poison, bytes);
    a.status = carom_lcp_solve_by(solver, &problem, TOLERANCE, a.z, a.w, &a.result, work);
    free(work);
    return a;
}

/* Signs and products, row by row, relative to the row's own terms. */
static int is_solution(const lcp *p, const double *z)
{
    double largest = 0.0;
    for (int i = 0; i < p->n; ++i) {
        largest = fmax(largest, fabs(p->q[i]));
    }
    for (int i = 0; i < p->n; ++i) {
        double w = p->q[i], size = largest;
        for (int j = 0; j < p->n; ++j) {
            w += p->M[i * p->n + j] * z[j];
            size = fmax(size, fabs(p->M[i * p->n + j] * z[j]));
        }
        if (!(z[i] >= 0.0) || !(w >= -1e-7 * size) || (z[i] > 0.0 && fabs(w) > 1e-7 * size && p->M[i * p->n + i] * z[i] > 1e-7 * size)) {
            return 0;
        }
    }
    return 1;
}

/* A game with a x b strategies, rows in mixed order; entries from low to high, integers when `ties`. */
static void game(uint64_t random, int a, int b, double low, double high, int ties, lcp *p)
{
    int side[MOST];
    p->n = a + b;
    for (int i = 0; i < p->n; ++i) {
        side[i] = i < a;
    }
    for (int i = p->n - 1; i > 0; --i) {
        const int j = (int)(random_bits(&random) % (uint64_t)(i + 1)), swap = side[i];
        side[i] = side[j];
        side[j] = swap;
    }
    for (int i = 0; i < p->n; ++i) {
        p->q[i] = ties ? -1.0 : -exp(random_between(&random, -2.0, 2.0));
        for (int j = 0; j < p->n; ++j) {
            const double x = random_between(&random, low, high);
            p->M[i * p->n + j] = side[i] == side[j] ? 0.0 : ties ? floor(x) : x * -p->q[i];
        }
    }
}

/* Lemke ends on a ray at once with any of them, so this is the work of Lemke and Howson. */
START_TEST(games)
{
    static lcp p;
    for (int k = 0; k < 100; ++k) {
        uint64_t random = (uint64_t)k;
        const int most = k % 2 == 0 ? 8 : MOST / 2 - 1, a = 1 + (int)(random_bits(&random) % (uint64_t)most), b = 1 + (int)(random_bits(&random) % (uint64_t)most);
        game(random, a, b, 1.0, k % 3 == 0 ? 4.0 : 100.0, k % 3 == 0, &p);
        answer howson = solve(&p, "howson", 0xAB), lemke = solve(&p, "lemke", 0xAB), both = solve(&p, "auto", 0x5C);
        ck_assert_msg(howson.status == CAROM_OK, "game %d (%d x %d): %g", k, a, b, howson.result.residual);
        ck_assert_int_ne(lemke.status, CAROM_OK);
        ck_assert_int_ne(lemke.status, CAROM_INFEASIBLE);
        ck_assert_int_eq(both.status, CAROM_OK);
        ck_assert(is_solution(&p, howson.z) && is_solution(&p, both.z));
    }
}
END_TEST

/* Payments of both signs and none: an equilibrium need not be a solution then, but where one starting pair leads to none another may. */
START_TEST(games_of_any_sign)
{
    static lcp p;
    int solved = 0, solvable = 0;
    for (int k = 0; k < 60; ++k) {
        game((uint64_t)(1000 + k), 2 + k % 5, 2 + k % 7, k % 2 == 0 ? -0.3 : 0.0, k % 2 == 0 ? 1.0 : 3.0, k % 2, &p);
        answer a = solve(&p, "auto", 0xAB), e = solve(&p, "enumerate", 0xAB), h = solve(&p, "howson", 0xAB);
        ck_assert_msg(a.status == CAROM_OK || e.status != CAROM_OK, "game %d", k);
        ck_assert(a.status != CAROM_OK || is_solution(&p, a.z));
        ck_assert(h.status != CAROM_OK || is_solution(&p, h.z));
        solved += h.status == CAROM_OK;
        solvable += e.status == CAROM_OK;
    }
    ck_assert_msg(2 * solved > solvable, "%d of %d", solved, solvable);
}
END_TEST

/* Full matrices without any property. */
static void anything(uint64_t random, int n, double diagonal, lcp *p)
{
    p->n = n;
    for (int i = 0; i < n; ++i) {
        p->q[i] = random_between(&random, -1.2, 0.8);
        for (int j = 0; j < n; ++j) {
            p->M[i * n + j] = random_between(&random, -1.0, 1.0) + (i == j ? random_between(&random, 0.0, diagonal) : 0.0);
        }
    }
}

/* The portfolio solves what any member solves, and proves nothing that a member refutes. */
static int nobody_is_lost(const lcp *p, int number, int solved[8])
{
    int count = 0, sum = 0;
    const carom_solver *const solver = carom_lcp_solvers(&count);
    const answer all = solve(p, "auto", 0xAB);
    for (int k = 1; k < count; ++k) {
        const answer a = solve(p, solver[k].name, 0x5C);
        const int good = a.status == CAROM_OK;
        ck_assert_msg(!good || is_solution(p, a.z), "problem %d: %s", number, solver[k].name);
        ck_assert_msg(!good || all.status == CAROM_OK, "problem %d: %s alone solves it", number, solver[k].name);
        solved[k] += good;
        sum += good;
    }
    return sum;
}

START_TEST(every_member_speaks)
{
    static lcp p;
    int solved[8] = {0}, most = 0;
    for (int k = 0; k < 150; ++k) {
        anything((uint64_t)k, 3 + k % 9, 1.0, &p);
        most += nobody_is_lost(&p, k, solved) > 0;
    }
    ck_assert_int_gt(most, 40);
    ck_assert(solved[1] < most && solved[3] < most); /* neither Lemke nor Newton alone solves them all */
}
END_TEST

/* Problems that one member alone solves, for every member: without it the portfolio would give up. Found by trying; the second number is
 * that of the random problem. */
START_TEST(only_one_member)
{
    static const struct {
        const char *solver;
        int number, rows;
        double diagonal; /* 0: a game */
    } only[] = {{"lemke", 58, 0, 6.0}, {"howson", 0, 70, 0.0}, {"newton", 0, 0, 6.0}, {"enumerate", 78, 0, 1.0}};
    static lcp p;
    int count = 0;
    const carom_solver *const solver = carom_lcp_solvers(&count);
    for (size_t k = 0; k < sizeof only / sizeof only[0]; ++k) {
        const int number = only[k].number;
        if (only[k].diagonal == 0.0) {
            game((uint64_t)number, only[k].rows / 2, only[k].rows / 2, 1.0, 100.0, 0, &p);
        } else {
            anything((uint64_t)number, only[k].diagonal > 1.0 ? 22 + number % 10 : 3 + number % 9, only[k].diagonal, &p);
        }
        for (int s = 0; s < count; ++s) {
            const answer a = solve(&p, solver[s].name, 0xAB);
            const int should = s == 0 || strcmp(solver[s].name, only[k].solver) == 0;
            ck_assert_msg((a.status == CAROM_OK) == should, "%s on the problem of %s: status %d", solver[s].name, only[k].solver, (int)a.status);
            ck_assert(s > 0 || strcmp(a.result.stage, only[k].solver) == 0);
        }
    }
}
END_TEST

/* Units change nothing but the numbers. */
START_TEST(units)
{
    static lcp p, other;
    for (int k = 0; k < 40; ++k) {
        int count = 0;
        uint64_t random = (uint64_t)(500 + k);
        anything((uint64_t)(200 + k), 3 + k % 5, 3.0, &p);
        other = p;
        for (int i = 0; i < p.n; ++i) {
            other.q[i] = p.q[i] * 0x1p-30;
            for (int j = 0; j < p.n; ++j) {
                other.M[i * p.n + j] = p.M[i * p.n + j] * 0x1p40;
            }
        }
        const carom_solver *const solver = carom_lcp_solvers(&count);
        for (int s = 0; s < count; ++s) {
            const answer a = solve(&p, solver[s].name, 0xAB), b = solve(&other, solver[s].name, 0x5C);
            ck_assert_int_eq(a.status, b.status);
            if (a.status == CAROM_OK || a.status == CAROM_CONTACT) {
                ck_assert_double_eq_tol(a.result.residual, b.result.residual, 1e-9 * (1.0 + a.result.residual));
            }
        }
        const carom_lcp_problem problem = {p.n, p.M, p.q};
        double z[MOST], w[MOST];
        for (int i = 0; i < p.n; ++i) {
            z[i] = fabs(random_between(&random, -1.0, 1.0));
        }
        const double residual = carom_lcp_residual(&problem, z, w, NULL);
        for (int i = 0; i < p.n; ++i) { /* another unit for all rows, another for all unknowns */
            z[i] *= 8.0;
            other.q[i] = p.q[i] * 4.0;
            for (int j = 0; j < p.n; ++j) {
                other.M[i * p.n + j] = p.M[i * p.n + j] * 0.5;
            }
        }
        const carom_lcp_problem scaled = {p.n, other.M, other.q};
        ck_assert_double_eq(carom_lcp_residual(&scaled, z, w, NULL), residual);
    }
}
END_TEST

START_TEST(arguments)
{
    static lcp p = {.n = 2, .M = {2, 1, 1, 2}, .q = {-5, -6}};
    int count = 0;
    const carom_solver *const solver = carom_lcp_solvers(&count);
    ck_assert_int_eq(count, 5);
    for (int k = 0; k < count; ++k) {
        ck_assert_uint_eq(solver[k].laws, CAROM_LAW_UNILATERAL);
        const answer a = solve(&p, solver[k].name, 0xAB);
        ck_assert_int_eq(a.status, strcmp(solver[k].name, "howson") == 0 ? CAROM_ARGUMENT : CAROM_OK); /* no game */
        if (a.status == CAROM_OK) {
            ck_assert_double_eq_tol(a.z[0], 4.0 / 3.0, 1e-12);
            ck_assert_double_eq_tol(a.z[1], 7.0 / 3.0, 1e-12);
        }
    }
    ck_assert_int_eq(solve(&p, "none", 0xAB).status, CAROM_ARGUMENT);
    anything(1, CAROM_LCP_ENUMERATED + 1, 1.0, &p);
    ck_assert_int_eq(solve(&p, "enumerate", 0xAB).status, CAROM_ARGUMENT);
    p.q[3] = NAN;
    ck_assert_int_eq(solve(&p, "auto", 0xAB).status, CAROM_NOT_FINITE);
    p = (lcp){.n = 2, .M = {1, -1, -1, 1}, .q = {-1, -1}}; /* two walls on one body */
    const answer squeezed = solve(&p, NULL, 0xAB);
    ck_assert_int_eq(squeezed.status, CAROM_INFEASIBLE);
    ck_assert(squeezed.z[0] > 0.0 && squeezed.z[0] == squeezed.z[1]);
    p = (lcp){.n = 3, .q = {0, 1, 2}};
    ck_assert_int_eq(solve(&p, NULL, 0xAB).status, CAROM_OK);
}
END_TEST

/* --search: the numbers for only_one_member. */
static int search(void)
{
    static lcp p;
    for (int kind = 0; kind < 2; ++kind) {
        for (int k = 0; k < 400; ++k) {
            int count = 0, sum = 0, which = 0;
            const carom_solver *const solver = carom_lcp_solvers(&count);
            anything((uint64_t)k, kind == 0 ? 22 + k % 10 : 3 + k % 9, kind == 0 ? 6.0 : 1.0, &p);
            for (int s = 1; s < count; ++s) {
                if (solve(&p, solver[s].name, 0xAB).status == CAROM_OK) {
                    sum++;
                    which = s;
                }
            }
            if (sum == 1) {
                printf("%s %d (%d rows)\n", solver[which].name, k, p.n);
            }
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--search") == 0) {
        return search();
    }
    TCase *cases = tcase_create("lcp_solvers");
    tcase_set_timeout(cases, 120.0);
    tcase_add_test(cases, games);
    tcase_add_test(cases, games_of_any_sign);
    tcase_add_test(cases, every_member_speaks);
    tcase_add_test(cases, only_one_member);
    tcase_add_test(cases, units);
    tcase_add_test(cases, arguments);
    return run_suite("lcp_solvers", cases);
}
