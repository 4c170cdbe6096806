/* What the friction solvers are made of: the exact solvers of one and of few contacts, the sparse factorisation, problem files. */
#include "../runtime/friction/sparse.h"
#include "carom/friction.h"
#include "friction_answer.h"
#include "hyperstatic.h"
#include "suite.h"

#include <math.h>
#include <string.h>

/* ---- one contact ----------------------------------------------------------------------------------------------- */

/* A positive definite block; nearly singular tangentially now and then, or unsymmetric by `skew`, not both. */
static void random_block(int d, uint64_t *random, double skew, double *W)
{
    double G[3][3];
    const double thin = skew == 0.0 && random_bits(random) % 4 == 0 ? 1e-5 : 1.0;
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            G[i][j] = uniform(random) + (i == j ? 0.2 : 0.0);
        }
    }
    for (int j = 0; j < d; ++j) {
        G[d - 1][j] *= thin;
    }
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            W[d * i + j] = i == j ? (1e-6 + 5.0 * skew) * thin * thin : 0.0;
            for (int k = 0; k < d; ++k) {
                W[d * i + j] += G[i][k] * G[j][k];
            }
            W[d * i + j] *= 1.0 + (i != j ? skew * uniform(random) : 0.0);
        }
    }
}

static double one_contact(int d, const double *W, double mu, const double *b, double *r)
{
    double u[3] = {0, 0, 0}, trace = 0.0, scale = 0.0;
    if (d == 2) {
        carom_friction_local2(W, b, mu, r);
    } else {
        carom_friction_local3(W, b, mu, r);
    }
    for (int i = 0; i < d; ++i) {
        u[i] = b[i];
        trace += W[(d + 1) * i];
        scale += fabs(b[i]);
        for (int j = 0; j < d; ++j) {
            u[i] += W[d * i + j] * r[j];
            scale += fabs(W[d * i + j] * r[j]);
        }
    }
    return law(d, mu, d / trace, r, u) / scale;
}

START_TEST(local_solvers)
{
    uint64_t random = 7;
    for (int d = 2; d <= 3; ++d) {
        double worst = 0.0;
        int modes[3] = {0, 0, 0};
        for (int k = 0; k < 20000; ++k) {
            double W[9], b[3], r[3];
            random_block(d, &random, k % 3 == 0 ? 0.05 : 0.0, W);
            const double mu = k % 17 == 0 ? 0.0 : random_between(&random, 0.0, 2.0);
            for (int i = 0; i < d; ++i) {
                b[i] = uniform(&random) * (k % 5 == 0 && i > 0 ? 1e-3 : 1.0);
            }
            const double residual = one_contact(d, W, mu, b, r);
            worst = fmax(worst, residual);
            const carom_contact_mode mode =
                d == 2 ? carom_friction_local2(W, b, mu, r) : carom_friction_local3(W, b, mu, r);
            modes[mode]++;
        }
        ck_assert_msg(worst < 1e-11, "d = %d: worst residual %g", d, worst);
        ck_assert_int_gt(modes[CAROM_OPEN], 1000);
        ck_assert_int_gt(modes[CAROM_STICK], 1000);
        ck_assert_int_gt(modes[CAROM_SLIP], 1000);
    }
}
END_TEST

/* Blocks without tangential freedom, isotropic blocks, exact zeros. */
START_TEST(local_degenerate)
{
    const double no_tangent[9] = {2, 0, 0, 0, 0, 0, 0, 0, 0}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double flat2[4] = {2, 1, 1, 0.5}, b[3] = {-1, 0.5, -0.25}, straight[3] = {-1, 0, 0};
    double r[3];
    ck_assert(one_contact(3, no_tangent, 0.3, b, r) < 1e-14);
    ck_assert(one_contact(3, no_tangent, 0.3, straight, r) < 1e-14);
    ck_assert(one_contact(3, identity, 0.3, b, r) < 1e-15);
    ck_assert(one_contact(2, flat2, 0.3, b, r) < 1e-15); /* S = 0: a rod that can only tip */
    ck_assert_int_eq(carom_friction_local3(identity, straight, 0.3, r), CAROM_STICK);
    ck_assert(r[0] == 1.0 && r[1] == 0.0 && r[2] == 0.0);
    ck_assert_int_eq(carom_friction_local2(identity, (const double[2]){0.0, 1.0}, 0.3, r), CAROM_OPEN);
    /* the slip impulse lies on the cone exactly */
    ck_assert_int_eq(carom_friction_local2((const double[4]){1, 0.3, 0.3, 2}, (const double[2]){-1, 5}, 0.3, r),
                     CAROM_SLIP);
    ck_assert(r[1] == -0.3 * r[0]);
}
END_TEST

/* One coordinate moves normal and tangent together: W has rank one, and rounding must not decide that the contact slides. */
START_TEST(one_contact_on_one_coordinate)
{
    uint64_t random = 5;
    for (int k = 0; k < 2000; ++k) {
        const double g[2] = {random_between(&random, 0.02, 1.0), uniform(&random)}, mu = random_between(&random, 0.0, 1.0);
        const double speed = random_between(&random, -1.0, -1e-3);
        const double W[4] = {g[0] * g[0], g[0] * g[1], g[1] * g[0], g[1] * g[1]}, b[2] = {g[0] * speed, g[1] * speed};
        double r[2], n, t;
        (void)carom_friction_local2(W, b, mu, r);
        (void)carom_friction_planar(W[0], W[1], W[2], W[3], b[0], b[1], mu, &n, &t);
        ck_assert_double_eq_tol(g[0] * r[0] + g[1] * r[1], -speed, 1e-9);
        ck_assert_double_eq_tol(g[0] * n + g[1] * t, -speed, 1e-9);
        ck_assert(n >= 0.0 && fabs(t) <= mu * n * (1.0 + 1e-12));
        ck_assert(r[0] >= 0.0 && fabs(r[1]) <= mu * r[0] * (1.0 + 1e-12));
    }
}
END_TEST

START_TEST(tiny_enumeration)
{
    uint64_t random = 11;
    for (int k = 0; k < 3000; ++k) {
        const int n = 1 + k % CAROM_TINY_CONTACTS, size = 2 * n;
        double G[6][6], W[36], q[6], mu[3], r[6] = {0}, u[6], again[6];
        for (int i = 0; i < size; ++i) {
            q[i] = uniform(&random);
            mu[i / 2] = random_between(&random, 0.0, 0.8);
            for (int j = 0; j < size; ++j) {
                G[i][j] = uniform(&random) + (i == j ? 1.0 : 0.0);
            }
        }
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) {
                W[i * size + j] = 0.0;
                for (int l = 0; l < size; ++l) {
                    W[i * size + j] += G[i][l] * G[j][l];
                }
            }
        }
        const dense_problem p = {size, W, q, mu};
        ck_assert_int_gt(carom_friction_tiny(n, W, mu, q, r), 0);
        ck_assert_msg(dense_residual(2, &p, r, u) < 1e-11, "problem %d", k);
        memcpy(again, r, sizeof again); /* the modes of the last step are recognised */
        ck_assert_int_eq(carom_friction_tiny(n, W, mu, q, again), 1);
    }
}
END_TEST

/* ---- the sparse factorisation ---------------------------------------------------------------------------------- */

START_TEST(sparse_factors)
{
    uint64_t random = 3;
    static char work[1 << 22];
    for (int k = 0; k < 60; ++k) {
        const int d = 2 + k % 2, n = 1 + k, dd = d * d;
        int entries = 0;
        static int row[60000], column[60000];
        static double value[60000];
        double mu[64] = {0}, q[192] = {0}, x[192], b[192];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                if (i == j || random_bits(&random) % (uint64_t)n < 3) {
                    for (int e = 0; e < dd; ++e) {
                        row[entries] = d * i + e / d;
                        column[entries] = d * j + e % d;
                        value[entries++] = uniform(&random) + (i == j && e % (d + 1) == 0 ? 8.0 : 0.0);
                    }
                }
            }
        }
        carom_friction_problem p;
        void *memory = carom_friction_assemble(d, n, mu, q, entries, row, column, value, &p);
        ck_assert(memory != NULL);
        const carom_blocks A = {d, n, p.row, p.column, p.block};
        carom_arena arena = {work, sizeof work, 0, 0};
        carom_lu lu;
        ck_assert(carom_lu_analyse(&lu, &A, &arena));
        ck_assert_int_eq(carom_lu_factor(&lu, &A), 0);
        for (int i = 0; i < d * n; ++i) {
            x[i] = uniform(&random);
            b[i] = 0.0;
        }
        for (int e = 0; e < entries; ++e) {
            b[row[e]] += value[e] * x[column[e]];
        }
        carom_lu_solve(&lu, b);
        for (int i = 0; i < d * n; ++i) {
            ck_assert_double_eq_tol(b[i], x[i], 1e-11);
        }
        free(memory);
    }
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------------------------- */

START_TEST(write_and_read)
{
    carom_friction_problem problem, copy;
    carom_friction_file_error error;
    void *memory = hyperstatic_problem(12, &problem);
    FILE *file = tmpfile();
    ck_assert(file != NULL);
    ck_assert_int_eq(carom_friction_write(file, &problem), CAROM_OK);
    rewind(file);
    void *read = carom_friction_read(file, &copy, &error);
    ck_assert_msg(read != NULL, "%d: %s", error.line, error.message);
    const int n = problem.contacts, d = problem.dimension, blocks = problem.row[n];
    ck_assert(copy.contacts == n && copy.dimension == d && copy.row[n] == blocks);
    ck_assert(memcmp(copy.q, problem.q, (size_t)(d * n) * sizeof(double)) == 0);
    ck_assert(memcmp(copy.mu, problem.mu, (size_t)n * sizeof(double)) == 0);
    ck_assert(memcmp(copy.column, problem.column, (size_t)blocks * sizeof(int)) == 0);
    ck_assert(memcmp(copy.block, problem.block, (size_t)(blocks * d * d) * sizeof(double)) == 0);
    (void)fclose(file);
    free(read);
    free(memory);
}
END_TEST

static const struct {
    const char *text;
    int line;
    const char *says;
} bad_file[] = {{"", 1, "expected 'dimension'"},
                {"dimension 4\n", 1, "dimension is 4"},
                {"dimension 2\ncontacts -1\n", 2, "contacts is -1"},
                {"dimension 2\ncontacts 1\nmu\n-0.5\n", 4, "negative"},
                {"dimension 2\ncontacts 1\nmu\n0.5\nq\n1\nnan\n", 7, "finite number"},
                {"dimension 2\ncontacts 1\nmu\n0.5\nq\n1\n1\nW 1\n0 2 1\n", 9, "column of W is 2"},
                {"dimension 2\ncontacts 1\nmu\n0.5\nq\n1\n1\nW 2\n0 0 1\n", 10, "end of file"},
                {"dimension 2\ncontacts 1\nmu\n0.5\nq\n1\n1\nW 1\n0 0 1\n5\n", 10, "follows the last"}};

START_TEST(bad_files)
{
    carom_friction_problem problem;
    carom_friction_file_error error;
    FILE *file = tmpfile();
    ck_assert(file != NULL);
    (void)fputs(bad_file[_i].text, file);
    rewind(file);
    ck_assert(carom_friction_read(file, &problem, &error) == NULL);
    ck_assert_msg(error.line == bad_file[_i].line && strstr(error.message, bad_file[_i].says) != NULL, "line %d: %s",
                  error.line, error.message);
    (void)fclose(file);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("friction_parts");
    tcase_set_timeout(cases, 120.0);
    tcase_add_test(cases, local_solvers);
    tcase_add_test(cases, local_degenerate);
    tcase_add_test(cases, one_contact_on_one_coordinate);
    tcase_add_test(cases, tiny_enumeration);
    tcase_add_test(cases, sparse_factors);
    tcase_add_test(cases, write_and_read);
    tcase_add_loop_test(cases, bad_files, 0, (int)(sizeof bad_file / sizeof bad_file[0]));
    return run_suite("friction_parts", cases);
}
