/* The dense complementarity solver against enumeration, the library of hard problems, scaling and its own promises. */
#include "carom/lcp.h"
#include "carom/lemke.h"
#include "draw.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double room[CAROM_LCP_WORK(CAROM_LCP_MAX)];

enum { N = 32, MORE = 90 };

/* ---- random matrices -------------------------------------------------------------------------------- */

/* M = G G^T with G n x k, and b = G u + s with s >= 0 on unilateral rows and 0 on bilateral ones: always solvable. */
static void mechanical(int ne, int n, int k, int repeated, double *M, double *b)
{
    double G[MORE][MORE] = {{0}}, u[MORE], s;
    for (int j = 0; j < k; j++) {
        u[j] = uniform();
    }
    for (int i = 0; i < n; i++) {
        const int copy = repeated && i > 0 && pick(3) == 0;
        const int of = copy ? pick(i) : 0;
        const double factor = copy ? (double)(1 + pick(2)) : 1.0;
        for (int j = 0; j < k; j++) {
            G[i][j] = copy ? factor * G[of][j] : (repeated ? (double)pick(5) - 2.0 : uniform());
        }
    }
    for (int i = 0; i < n; i++) {
        s = (i < ne || pick(2)) ? 0.0 : fabs(uniform());
        b[i] = s;
        for (int j = 0; j < k; j++) {
            b[i] += G[i][j] * u[j];
        }
        for (int j = 0; j < n; j++) {
            M[i * n + j] = 0.0;
            for (int l = 0; l < k; l++) {
                M[i * n + j] += G[i][l] * G[j][l];
            }
        }
    }
}

/* Positive definite but not symmetric: a P matrix. */
static void unsymmetric(int n, double *M, double *b)
{
    mechanical(0, n, n, 0, M, b);
    for (int i = 0; i < n; i++) {
        M[i * n + i] += 0.05;
        b[i] = uniform();
        for (int j = 0; j < i; j++) {
            const double skew = 2.0 * uniform();
            M[i * n + j] += skew;
            M[j * n + i] -= skew;
        }
    }
}

/* ---- the slow and obvious oracle -------------------------------------------------------------------------------- */

static int gauss(int n, double a[N][N + 1])
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(a[i][k]) > fabs(a[p][k])) {
                p = i;
            }
        }
        if (fabs(a[p][k]) < 1e-9) {
            return 0;
        }
        for (int j = 0; j <= n; j++) {
            const double t = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = t;
        }
        for (int i = 0; i < n; i++) {
            const double l = a[i][k] / a[k][k];
            for (int j = k; j <= n && i != k; j++) {
                a[i][j] -= l * a[k][j];
            }
        }
    }
    return 1;
}

/* First nonsingular mode with the right signs to 1e-10. */
static int enumerate(int ne, int n, const double *M, const double *b, double *z)
{
    for (unsigned mode = 0; mode < 1U << (n - ne); mode++) {
        double a[N][N + 1];
        int list[N], na = 0, good;
        for (int i = 0; i < n; i++) {
            if (i < ne || (mode >> (i - ne) & 1U)) {
                list[na++] = i;
            }
        }
        for (int i = 0; i < na; i++) {
            for (int j = 0; j < na; j++) {
                a[i][j] = M[list[i] * n + list[j]];
            }
            a[i][na] = -b[list[i]];
        }
        good = gauss(na, a);
        memset(z, 0, (size_t)n * sizeof *z);
        for (int i = 0; i < na && good; i++) {
            z[list[i]] = a[i][na] / a[i][i];
            good = (list[i] < ne) || z[list[i]] >= -1e-10;
        }
        for (int i = 0; i < n && good; i++) {
            double w = b[i];
            for (int j = 0; j < n; j++) {
                w += M[i * n + j] * z[j];
            }
            good = w >= -1e-10;
        }
        if (good) {
            return 1;
        }
    }
    return 0;
}

/* Largest violation of the problem by z, computed here and not by the solver. */
static double violation(int ne, int n, const double *M, const double *b, const double *z, double *w)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        w[i] = b[i];
        for (int j = 0; j < n; j++) {
            w[i] += M[i * n + j] * z[j];
        }
        if (i < ne) {
            worst = fmax(worst, fabs(w[i]));
        } else {
            worst = fmax(worst, fmax(-z[i], -w[i]));
            worst = fmax(worst, fmin(fabs(z[i]), fabs(w[i])));
        }
    }
    return worst;
}

static void check_solved(int ne, int n, const double *M, const double *b, double tol, const char *what, int which)
{
    double z[N], w[N];
    unsigned char basis[N];
    carom_info info;
    for (int start = 0; start < 3; start++) {
        for (int i = 0; i < n; i++) {
            basis[i] = (unsigned char)((start == 2) ? pick(2) : start);
        }
        const carom_status status = carom_lcp_solve(ne, n, M, n, b, z, basis, room, &info);
        ck_assert_msg(status == CAROM_OK, "%s %d (ne %d, n %d, start %d): status %d, row %d, residual %g", what, which,
                      ne, n, start, (int)status, info.contact, info.residual);
        const double v = violation(ne, n, M, b, z, w);
        ck_assert_msg(v <= tol, "%s %d (ne %d, n %d): violation %g", what, which, ne, n, v);
        for (int i = ne; i < n; i++) {
            ck_assert_msg(basis[i] || z[i] == 0.0, "%s %d: z[%d] = %g outside the basis", what, which, i, z[i]);
            ck_assert(z[i] >= 0.0);
        }
        ck_assert_int_eq(info.contact, -1);
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

START_TEST(against_enumeration)
{
    double M[N * N], b[N], z[N], ze[N], w[N], we[N];
    seed_state = 88172645463325252U;
    for (int trial = 0; trial < 6000; trial++) {
        const int n = 1 + pick(7), kind = trial % 3;
        const int ne = (kind == 1) ? pick(n + 1) : 0;
        carom_info info;
        unsigned char basis[N] = {0};
        if (kind == 2) {
            unsymmetric(n, M, b);
        } else {
            mechanical(ne, n, n + 2, 0, M, b);
        }
        ck_assert_msg(enumerate(ne, n, M, b, ze), "trial %d: the oracle found nothing", trial);
        const double scale = 1.0 + violation(ne, n, M, b, ze, we);
        ck_assert(scale < 1.0 + 1e-6);
        check_solved(ne, n, M, b, 1e-9, "random", trial);
        ck_assert_int_eq(carom_lcp_solve(ne, n, M, n, b, z, basis, room, &info), CAROM_OK);
        (void)violation(ne, n, M, b, z, w);
        for (int i = 0; i < n; i++) { /* definite: w is unique */
            ck_assert_msg(fabs(w[i] - we[i]) <= 1e-7, "trial %d row %d: w %g, oracle %g", trial, i, w[i], we[i]);
        }
    }
}
END_TEST

START_TEST(redundant_rows)
{
    double M[N * N], b[N];
    seed_state = 362436069U;
    for (int trial = 0; trial < 20000; trial++) {
        const int n = 2 + pick(trial % 10 == 0 ? N - 2 : 8);
        const int ne = pick(2) ? 0 : pick(n + 1), k = 1 + pick(n);
        mechanical(ne, n, k, trial % 2, M, b);
        check_solved(ne, n, M, b, 1e-8, "redundant", trial);
    }
}
END_TEST

START_TEST(large)
{
    double M[N * N], b[N];
    seed_state = 521288629U;
    for (int trial = 0; trial < 300; trial++) {
        const int ne = pick(8);
        if (trial % 3 == 0) {
            unsymmetric(N, M, b);
            check_solved(0, N, M, b, 1e-9, "large unsymmetric", trial);
        } else {
            mechanical(ne, N, N, trial % 3 == 1, M, b);
            check_solved(ne, N, M, b, 1e-8, "large", trial);
        }
    }
}
END_TEST

/* Chains and rings in straight code have more rows than usual problems, some of them said twice. */
START_TEST(many_rows)
{
    static double M[MORE * MORE], b[MORE], z[MORE];
    unsigned char basis[MORE];
    carom_info info;
    seed_state = 88675123U;
    for (int trial = 0; trial < 20; trial++) {
        const int n = N + 1 + pick(MORE - N), ne = trial % 2 ? n : pick(n);
        double largest = 0.0;
        mechanical(ne, n, n - 5, trial % 4 > 1, M, b);
        memset(basis, 0, sizeof basis);
        ck_assert_int_eq(carom_lcp_solve(ne, n, M, n, b, z, basis, room, &info), CAROM_OK);
        for (int i = 0; i < n; i++) {
            largest = fmax(largest, fabs(b[i]));
        }
        for (int i = 0; i < n; i++) {
            double w = b[i];
            for (int j = 0; j < n; j++) {
                w += M[i * n + j] * z[j];
            }
            ck_assert(i < ne ? fabs(w) < 1e-7 * largest
                             : w > -1e-7 * largest && z[i] >= 0.0 && fabs(z[i] * w) < 1e-6 * largest);
        }
    }
}
END_TEST

START_TEST(four_corners)
{
    /* a block on a floor under gravity, planar: corners at -1, -1, 1, 1 (each doubled), acceleration level */
    const double x[4] = {-1.0, -1.0, 1.0, 1.0};
    double M[16], b[4], z[4];
    unsigned char basis[4] = {1, 1, 1, 1};
    carom_info info;
    for (int i = 0; i < 4; i++) {
        b[i] = -9.81;
        for (int j = 0; j < 4; j++) {
            M[4 * i + j] = 1.0 / 3.0 + x[i] * x[j] / 7.0;
        }
    }
    ck_assert_int_eq(carom_lcp_solve(0, 4, M, 4, b, z, basis, room, &info), CAROM_OK);
    ck_assert_double_eq_tol(z[0] + z[1] + z[2] + z[3], 3.0 * 9.81, 1e-12);
    ck_assert_double_eq_tol(z[0] + z[1], z[2] + z[3], 1e-12);
    ck_assert_int_eq(carom_lcp_solve(0, 4, M, 4, b, z, basis, room, &info), CAROM_OK);
    ck_assert_int_eq(info.iterations, 1); /* the mode found is the mode kept */
    check_solved(0, 4, M, b, 1e-12, "block", 0);
    check_solved(4, 4, M, b, 1e-12, "welded block", 0); /* the same as redundant bilateral rows */
    check_solved(2, 4, M, b, 1e-12, "half welded block", 0);
}
END_TEST

START_TEST(scaling)
{
    double M[N * N], b[N], Ms[N * N], bs[N], z[N], zs[N];
    const double factor_b[4] = {1e-9, 1e9, 1e-200, 3.0}, factor_m[4] = {1.0, 1.0, 1e-6, 1e12};
    seed_state = 77777U;
    for (int trial = 0; trial < 3000; trial++) {
        const int n = 1 + pick(9), ne = (trial % 4 == 0) ? pick(n) : 0;
        unsigned char basis[N], basis_s[N], guess[N];
        carom_info info;
        mechanical(ne, n, 1 + pick(n + 2), trial % 2, M, b);
        for (int i = 0; i < n; i++) {
            guess[i] = (unsigned char)pick(2);
        }
        memcpy(basis, guess, N);
        ck_assert_int_eq(carom_lcp_solve(ne, n, M, n, b, z, basis, room, &info), CAROM_OK);
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < n; i++) {
                bs[i] = factor_b[k] * b[i];
                for (int j = 0; j < n; j++) {
                    Ms[i * n + j] = factor_m[k] * M[i * n + j];
                }
            }
            memcpy(basis_s, guess, N);
            ck_assert_int_eq(carom_lcp_solve(ne, n, Ms, n, bs, zs, basis_s, room, &info), CAROM_OK);
            for (int i = 0; i < n; i++) {
                const double back = zs[i] / factor_b[k] * factor_m[k];
                ck_assert_msg(fabs(back - z[i]) <= 1e-7 * (1.0 + fabs(z[i])) || basis[i] != basis_s[i],
                              "trial %d scale %d: z %g, scaled %g", trial, k, z[i], back);
                if (z[i] > 1e-9) { /* a zero z may be on either side by rounding; a pressing contact may not */
                    ck_assert_msg(basis_s[i], "trial %d scale %d: the basis changed", trial, k);
                }
            }
        }
    }
}
END_TEST

START_TEST(units_of_one_row)
{
    /* gap 1 in micrometres, gap 2 in kilometres: rows and columns scaled by 1e6 and 1e-3 */
    double M[9] = {2.0, 1.0, 0.5, 1.0, 3.0, 0.2, 0.5, 0.2, 1.0}, b[3] = {-1.0, -2.0, 0.3}, z[3], zs[3];
    const double d[3] = {1e6, 1e-3, 1.0};
    unsigned char basis[3] = {0, 0, 0}, basis_s[3] = {0, 0, 0};
    carom_info info;
    ck_assert_int_eq(carom_lcp_solve(0, 3, M, 3, b, z, basis, room, &info), CAROM_OK);
    for (int i = 0; i < 3; i++) {
        b[i] *= d[i];
        for (int j = 0; j < 3; j++) {
            M[3 * i + j] *= d[i] * d[j];
        }
    }
    ck_assert_int_eq(carom_lcp_solve(0, 3, M, 3, b, zs, basis_s, room, &info), CAROM_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(basis[i], basis_s[i]);
        ck_assert_double_eq_tol(zs[i] * d[i], z[i], 1e-13);
    }
}
END_TEST

START_TEST(unit_of_a_row)
{
    const double row[3] = {4.0, 0.0, -9.0}, nothing[3] = {0.0, 0.0, 0.0};
    ck_assert_double_eq(carom_lcp_row_unit(3, row, 0), 4.0); /* its diagonal */
    ck_assert_double_eq(carom_lcp_row_unit(3, row, 1), 9.0); /* or, without one, its largest entry */
    ck_assert_double_eq(carom_lcp_row_unit(3, nothing, 1), 1.0);
}
END_TEST

START_TEST(small_by_cases)
{
    double z[2];
    unsigned char basis[2] = {0, 0};
    carom_info info;
    ck_assert(carom_lcp_1(2.0, -4.0, z, basis) && z[0] == 2.0 && basis[0] == 1);
    ck_assert(carom_lcp_1(2.0, 4.0, z, basis) && z[0] == 0.0 && basis[0] == 0);
    ck_assert(carom_lcp_1(0.0, 0.0, z, basis) && z[0] == 0.0);
    ck_assert(!carom_lcp_1(0.0, -1.0, z, basis));
    ck_assert(!carom_lcp_1(1.0, (double)NAN, z, basis));
    const double twin[4] = {1.0, 1.0, 1.0, 1.0}, same[2] = {-1.0, -1.0}, apart[2] = {-1.0, -3.0};
    ck_assert(carom_lcp_2(twin, same, z, basis));
    ck_assert_double_eq_tol(z[0] + z[1], 1.0, 1e-15);
    ck_assert(carom_lcp_2(twin, apart, z, basis) && z[1] == 3.0 && z[0] == 0.0);
    const double none[4] = {0.0, -1.0, -1.0, 0.0};
    ck_assert(!carom_lcp_2(none, same, z, basis));
    ck_assert_int_eq(carom_lcp_solve(0, 2, none, 2, same, z, basis, room, &info), CAROM_INFEASIBLE);
}
END_TEST

START_TEST(honest_failures)
{
    double M[4] = {1.0, 1.0, 1.0, 1.0}, b[2] = {1.0, -2.0}, z[3], big[1] = {0};
    unsigned char basis[3] = {0};
    carom_info info;
    /* contradicting bilateral rows: x = -1 and x = 2 */
    ck_assert_int_eq(carom_lcp_solve(2, 2, M, 2, b, z, basis, room, &info), CAROM_CONTACT);
    ck_assert(info.contact >= 0 && info.contact < 2);
    ck_assert(info.residual > 1.0 && info.residual < 3.1);
    /* a bilateral and a unilateral row that contradict each other: x + 1 = 0, x - 2 >= 0 */
    ck_assert_int_eq(carom_lcp_solve(1, 2, M, 2, b, z, basis, room, &info), CAROM_INFEASIBLE);
    ck_assert_int_eq(info.contact, 1);
    ck_assert_double_eq_tol(info.residual, 3.0, 1e-12);
    /* no push possible: x >= 1 and -x >= 1 */
    const double squeezed[4] = {1.0, -1.0, -1.0, 1.0}, both[2] = {-1.0, -1.0};
    ck_assert_int_eq(carom_lcp_solve(0, 2, squeezed, 2, both, z, basis, room, &info), CAROM_INFEASIBLE);
    ck_assert(info.residual >= 0.5);
    const double zero[9] = {0}, push[3] = {1.0, -1e-30, 0.0};
    ck_assert_int_eq(carom_lcp_solve(0, 3, zero, 3, push, z, basis, room, &info),
                     CAROM_OK); /* 1e-30 of 1 is rounding */
    const double pull[3] = {1.0, -1e-3, 0.0};
    ck_assert_int_eq(carom_lcp_solve(0, 3, zero, 3, pull, z, basis, room, &info), CAROM_INFEASIBLE);
    ck_assert_int_eq(info.contact, 1);
    ck_assert_double_eq_tol(info.residual, 1e-3, 1e-15);
    b[1] = (double)NAN;
    ck_assert_int_eq(carom_lcp_solve(0, 2, M, 2, b, z, basis, room, &info), CAROM_NOT_FINITE);
    ck_assert_int_eq(info.contact, 1);
    ck_assert_int_eq(carom_lcp_solve(0, CAROM_LCP_MAX + 1, big, CAROM_LCP_MAX + 1, big, z, basis, room, &info),
                     CAROM_ARGUMENT);
    ck_assert_int_eq(carom_lcp_solve(3, 2, M, 2, b, z, basis, room, &info), CAROM_ARGUMENT);
    ck_assert_int_eq(carom_lcp_solve(0, 0, M, 2, b, z, basis, room, &info), CAROM_OK);
}
END_TEST

START_TEST(leading_dimension)
{
    double M[5 * 9], b[5], z[5], packed[25], w[5];
    unsigned char basis[5] = {0};
    carom_info info;
    seed_state = 4242U;
    for (int i = 0; i < 45; i++) {
        M[i] = (double)NAN; /* what lies between the rows must not be read */
    }
    mechanical(1, 5, 5, 0, packed, b);
    for (int i = 0; i < 5; i++) {
        memcpy(M + 9 * i, packed + 5 * i, 5 * sizeof *M);
    }
    ck_assert_int_eq(carom_lcp_solve(1, 5, M, 9, b, z, basis, room, &info), CAROM_OK);
    ck_assert(violation(1, 5, packed, b, z, w) < 1e-12);
}
END_TEST

/* Files of the reference folder; pivot counts of an independent lexicographic Lemke. */
static const struct {
    const char *name;
    int pivots;
} library[] = {{"lcp_CPS_1", 2},   {"lcp_CPS_2", 5},      {"lcp_CPS_4", 5},     {"lcp_Pang_isolated_sol", 3},
               {"lcp_deudeu", 3},  {"lcp_enum_fails", 8}, {"lcp_exp_murty", 2}, {"lcp_mmc", 23},
               {"lcp_trivial", 10}};

static const char *reference(void)
{
    const char *folder = getenv("CAROM_REFERENCE");
    return (folder != NULL) ? folder : "../shared/reference";
}

static FILE *open_problem(int k)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/lcp/%s.txt", reference(), library[k].name);
    return fopen(path, "r");
}

START_TEST(reference_library)
{
    static double M[64 * 64], q[64], z[64], w[64], work[CAROM_LCP_LEMKE_WORK(64)];
    int n = 0, pivots = 0;
    FILE *file = open_problem(_i);
    ck_assert_msg(file != NULL, "%s is missing in %s/lcp", library[_i].name, reference());
    ck_assert_int_eq(fscanf(file, " n %d M", &n), 1);
    ck_assert(n > 0 && n <= 64);
    for (int i = 0; i < n * n; i++) {
        ck_assert_int_eq(fscanf(file, "%lf", &M[i]), 1);
    }
    ck_assert_int_eq(fscanf(file, " q"), 0);
    double scale = 0.0;
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(fscanf(file, "%lf", &q[i]), 1);
        scale = fmax(scale, fabs(q[i]));
    }
    (void)fclose(file);
    ck_assert_int_eq(carom_lcp_lemke_work(n), CAROM_LCP_LEMKE_WORK(n));
    ck_assert_int_eq(carom_lcp_lemke(n, M, n, q, z, work, &pivots), CAROM_OK);
    ck_assert_msg(violation(0, n, M, q, z, w) <= 1e-9 * scale, "%s: violation %g", library[_i].name,
                  violation(0, n, M, q, z, w));
    ck_assert_msg(pivots == library[_i].pivots, "%s: %d pivots", library[_i].name, pivots);
    if (_i == 2) {
        const double known[4] = {2.0, 2.0, 2.0, 92.0};
        for (int i = 0; i < 4; i++) {
            ck_assert_double_eq_tol(z[i], known[i], 1e-11);
        }
    }
    if (n <= N) {
        unsigned char basis[N] = {0};
        carom_info info;
        ck_assert_int_eq(carom_lcp_solve(0, n, M, n, q, z, basis, room, &info), CAROM_OK);
        ck_assert(violation(0, n, M, q, z, w) <= 1e-9 * scale);
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("lcp");
    tcase_set_timeout(cases, 60.0);
    tcase_add_test(cases, unit_of_a_row);
    tcase_add_test(cases, small_by_cases);
    tcase_add_test(cases, against_enumeration);
    tcase_add_test(cases, redundant_rows);
    tcase_add_test(cases, large);
    tcase_add_test(cases, many_rows);
    tcase_add_test(cases, four_corners);
    tcase_add_test(cases, scaling);
    tcase_add_test(cases, units_of_one_row);
    tcase_add_test(cases, honest_failures);
    tcase_add_test(cases, leading_dimension);
    FILE *present = open_problem(0);
    if (present != NULL) {
        (void)fclose(present);
        tcase_add_loop_test(cases, reference_library, 0, (int)(sizeof library / sizeof *library));
    } else {
        printf("# SKIP reference_library: reference absent (%s/lcp; set CAROM_REFERENCE)\n", reference());
        (void)fflush(stdout);
    }
    return run_suite("lcp", cases);
}
