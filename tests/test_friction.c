/* The frictional contact solvers: local solvers, the collection of real problems, random hyperstatic ones, and what
 * they promise: one residual, no false success, units and mirrors without influence, the same bits every time.
 *
 *     test_friction                       the tests
 *     test_friction --hyperstatic N [K]   counts the failures of N random hyperstatic problems from number K on */
#include "../runtime/friction/sparse.h"
#include "carom/friction.h"
#include "hyperstatic.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-8
#define PINNED UINT64_C(0x0d75fed6946671c8) /* see same_bits_again */

/* ---- helpers --------------------------------------------------------------------------------------------------- */

static double uniform(uint64_t *state)
{
    return random_between(state, -1.0, 1.0);
}

/* The law of one contact as a residual, written once more and in another way than the library does: distance of r from
 * the projection of r - s u^ on the cone, divided by s. */
static double law(int d, double mu, double s, const double *r, const double *u)
{
    const double slip = d == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
    double y[3] = {0, 0, 0}, p[3] = {0, 0, 0}, sum = 0.0;
    for (int i = 0; i < d; ++i) {
        y[i] = r[i] - s * (u[i] + (i == 0 ? mu * slip : 0.0));
    }
    const double t = d == 2 ? fabs(y[1]) : hypot(y[1], y[2]);
    if (t <= mu * y[0]) {
        memcpy(p, y, sizeof p);
    } else if (y[0] > -mu * t) {
        p[0] = (y[0] + mu * t) / (1.0 + mu * mu);
        for (int i = 1; i < d; ++i) {
            p[i] = mu * p[0] * y[i] / t;
        }
    }
    for (int i = 0; i < d; ++i) {
        sum += (r[i] - p[i]) * (r[i] - p[i]);
    }
    return sqrt(sum) / s;
}

typedef struct {
    int size;
    double *W, *q, *mu; /* dense */
} dense_problem;

/* The residual of the documentation from a dense matrix. */
static double dense_residual(int d, const dense_problem *p, const double *r, double *u)
{
    double sum = 0.0, uu = 0.0, qq = 0.0;
    for (int i = 0; i < p->size; ++i) {
        u[i] = p->q[i];
        for (int j = 0; j < p->size; ++j) {
            u[i] += p->W[i * p->size + j] * r[j];
        }
        uu += u[i] * u[i];
        qq += p->q[i] * p->q[i];
    }
    for (int c = 0; c < p->size / d; ++c) {
        double trace = 0.0;
        for (int i = d * c; i < d * c + d; ++i) {
            trace += p->W[i * p->size + i];
        }
        const double part = law(d, p->mu[c], d / trace, r + d * c, u + d * c);
        sum += part * part;
    }
    return sum > 0.0 ? sqrt(sum) / sqrt(fmax(uu, qq)) : 0.0;
}

static dense_problem spread(const carom_friction_problem *problem)
{
    const int d = problem->dimension, n = problem->contacts, size = d * n;
    dense_problem p = {size, calloc((size_t)(size * size), sizeof(double)), malloc((size_t)size * sizeof(double)),
                       malloc((size_t)n * sizeof(double))};
    for (int c = 0; c < n; ++c) {
        p.mu[c] = problem->mu[c];
        for (int k = problem->row[c]; k < problem->row[c + 1]; ++k) {
            for (int i = 0; i < d * d; ++i) {
                p.W[(d * c + i / d) * size + d * problem->column[k] + i % d] = problem->block[d * d * k + i];
            }
        }
    }
    memcpy(p.q, problem->q, (size_t)size * sizeof(double));
    return p;
}

static void discard(dense_problem *p)
{
    free(p->W);
    free(p->q);
    free(p->mu);
}

typedef struct {
    carom_status status;
    carom_friction_result result;
    double *r, *u;
    int size;
} answer;

/* Solves from `start` (zero when NULL), in work space filled with `poison`. */
static answer solve(const carom_friction_problem *problem, const char *solver, const double *start, int poison)
{
    answer a = {.size = problem->dimension * problem->contacts};
    const carom_friction_options options = {.solver = solver, .tolerance = TOLERANCE};
    const size_t bytes = carom_friction_work_size(problem);
    void *work = malloc(bytes);
    a.r = calloc((size_t)a.size, sizeof(double));
    a.u = calloc((size_t)a.size, sizeof(double));
    if (work == NULL || a.r == NULL || a.u == NULL) { /* no ck_assert: also used outside of the tests */
        abort();
    }
    memset(work, poison, bytes);
    if (start != NULL) {
        memcpy(a.r, start, (size_t)a.size * sizeof(double));
    }
    a.status = carom_friction_solve(problem, &options, a.r, a.u, &a.result, work, bytes);
    free(work);
    return a;
}

static void forget(answer *a)
{
    free(a->r);
    free(a->u);
}

static double norm(int size, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static int same_bits(const answer *a, const answer *b)
{
    return memcmp(a->r, b->r, (size_t)a->size * sizeof(double)) == 0 &&
           memcmp(a->u, b->u, (size_t)a->size * sizeof(double)) == 0 && a->result.iterations == b->result.iterations;
}

/* A copy whose entries are changed by f(row, column) factors: W_ij sigma_i sigma_j mass, q_i sigma_i velocity. */
static void *changed_copy(const carom_friction_problem *problem, const double *sigma, double w_factor, double q_factor,
                          carom_friction_problem *copy)
{
    const int d = problem->dimension, n = problem->contacts, entries = d * d * problem->row[n];
    int *row = malloc(2 * (size_t)entries * sizeof(int)), *column = row + entries, at = 0;
    double *value = malloc((size_t)(entries + d * n) * sizeof(double)), *q = value + entries;
    for (int c = 0; c < n; ++c) {
        for (int k = problem->row[c]; k < problem->row[c + 1]; ++k) {
            for (int i = 0; i < d * d; ++i, ++at) {
                row[at] = d * c + i / d;
                column[at] = d * problem->column[k] + i % d;
                value[at] = problem->block[d * d * k + i] * sigma[i / d] * sigma[i % d] * w_factor;
            }
        }
        for (int i = 0; i < d; ++i) {
            q[d * c + i] = problem->q[d * c + i] * sigma[i] * q_factor;
        }
    }
    void *memory = carom_friction_assemble(d, n, problem->mu, q, entries, row, column, value, copy);
    free(row);
    free(value);
    return memory;
}

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

/* ---- the collection -------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double u_norm; /* friction.md: |u| with W symmetrised; 0 when not given */
    double u[4];   /* its first components */
    int components;
} collection[] = {{"Capsules-i100-1090", 8.9514565155, {0}, 0},
                  {"Capsules-i101-404", 11.308644947, {0}, 0},
                  {"Confeti-ex03-Fc3D-SBM", 34.194429111, {0}, 0},
                  {"Confeti-ex13-4contact-Fc3D-SBM", 9.9048973920, {0}, 0},
                  {"FC2D_SliderCrankLagrangian00000", 0, {0, -8.5464793938, 0, -8.5464793938}, 4},
                  {"FC3D_Example1", 5.3040204943, {0, .96837722340, 2.9051316702}, 3},
                  {"FrictionContact3D_1c", 0, {0, 1.8773606376, 2.7778408863}, 3},
                  {"FrictionContactProblem00031", 0, {0}, 0},
                  {"FrictionContactProblem00071", 29.802773621, {0}, 0},
                  {"FrictionContactProblem00394", 0, {0}, 0},
                  {"NESpheres_10_1", 3.5285500745, {0}, 0},
                  {"OneObject-i100000-499", 1.3070103619, {0}, 0},
                  {"Rover1039", 0, {0}, 0},
                  {"Rover4144", 0, {0}, 0},
                  {"Rover4396", 3.4090942025, {0}, 0}};

#define COLLECTION ((int)(sizeof collection / sizeof collection[0]))

static const char *reference(void)
{
    const char *folder = getenv("CAROM_REFERENCE");
    return folder != NULL && folder[0] != '\0' ? folder : "../shared/reference";
}

static FILE *open_problem(int which)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/friction/%s.txt", reference(), collection[which].name);
    return fopen(path, "r");
}

static void *read_problem(int which, carom_friction_problem *problem)
{
    carom_friction_file_error error;
    FILE *file = open_problem(which);
    ck_assert_msg(file != NULL, "%s is missing", collection[which].name);
    void *memory = carom_friction_read(file, problem, &error);
    (void)fclose(file);
    ck_assert_msg(memory != NULL, "%s:%d: %s", collection[which].name, error.line, error.message);
    return memory;
}

/* The portfolio solves the file as given; every solver that claims success has it, by a residual computed from a dense
 * matrix that was read separately. */
START_TEST(collection_as_given)
{
    carom_friction_problem problem;
    void *memory = read_problem(_i, &problem);
    const int d = problem.dimension, size = d * problem.contacts;
    dense_problem p = {size, calloc((size_t)(size * size), sizeof(double)), malloc((size_t)size * sizeof(double)),
                       malloc((size_t)size * sizeof(double))};
    FILE *file = open_problem(_i);
    int entries = 0, row = 0, column = 0, count = 0;
    double value = 0.0;
    ck_assert_int_eq(fscanf(file, " dimension %*d contacts %*d mu"), 0);
    for (int c = 0; c < problem.contacts; ++c) {
        ck_assert_int_eq(fscanf(file, "%lf", &p.mu[c]), 1);
    }
    ck_assert_int_eq(fscanf(file, " q"), 0);
    for (int i = 0; i < size; ++i) {
        ck_assert_int_eq(fscanf(file, "%lf", &p.q[i]), 1);
    }
    ck_assert_int_eq(fscanf(file, " W %d", &entries), 1);
    for (int k = 0; k < entries; ++k) {
        ck_assert_int_eq(fscanf(file, "%d %d %lf", &row, &column, &value), 3);
        p.W[row * size + column] += value;
    }
    (void)fclose(file);

    const carom_friction_solver *solver = carom_friction_solvers(&count);
    double *u = malloc((size_t)size * sizeof(double));
    for (int k = 0; k < count; ++k) {
        if (!solver[k].applies(&problem)) {
            continue;
        }
        answer a = solve(&problem, solver[k].name, NULL, 0xAB);
        const double residual = dense_residual(d, &p, a.r, u);
        ck_assert_msg(fabs(residual - a.result.residual) <= 1e-6 * residual + 1e-13, "%s says %g, is %g",
                      solver[k].name, a.result.residual, residual);
        ck_assert_int_eq(a.status == CAROM_OK, a.result.residual <= TOLERANCE);
        for (int i = 0; i < size; ++i) {
            ck_assert(fabs(a.u[i] - u[i]) <= 1e-10 * (1.0 + fabs(u[i])));
        }
        ck_assert_msg(k > 0 || a.status == CAROM_OK, "auto: residual %g", residual);
        forget(&a);
    }
    free(u);
    discard(&p);
    free(memory);
}
END_TEST

START_TEST(collection_values)
{
    carom_friction_problem problem;
    void *memory = read_problem(_i, &problem);
    carom_friction_symmetrise(&problem, memory);
    answer a = solve(&problem, "auto", NULL, 0xAB);
    ck_assert_int_eq(a.status, CAROM_OK);
    const double size = norm(a.size, a.u);
    if (collection[_i].u_norm > 0.0) {
        ck_assert_msg(fabs(size - collection[_i].u_norm) <= 1e-6 * size, "|u| = %.10g, not %.10g", size,
                      collection[_i].u_norm);
    }
    for (int i = 0; i < collection[_i].components; ++i) {
        ck_assert_double_eq_tol(a.u[i], collection[_i].u[i], 1e-6 * size);
    }
    forget(&a);
    free(memory);
}
END_TEST

/* q changed by 1 % of the impulses: the last solution is a better start than none. */
START_TEST(collection_warm_start)
{
    carom_friction_problem problem;
    void *memory = read_problem(_i, &problem);
    answer cold = solve(&problem, "auto", NULL, 0xAB);
    answer repeated = solve(&problem, "auto", cold.r, 0xAB);
    ck_assert_int_eq(repeated.status, CAROM_OK);
    ck_assert_int_eq(repeated.result.iterations, 0);
    double *q = malloc((size_t)cold.size * sizeof(double));
    for (int i = 0; i < cold.size; ++i) {
        q[i] = problem.q[i] + 0.01 * (cold.u[i] - problem.q[i]);
    }
    problem.q = q;
    answer from_zero = solve(&problem, "auto", NULL, 0xAB), warm = solve(&problem, "auto", cold.r, 0xAB);
    ck_assert_int_eq(from_zero.status, CAROM_OK);
    ck_assert_int_eq(warm.status, CAROM_OK);
    ck_assert_msg(warm.result.factorisations <= from_zero.result.factorisations + 3 &&
                      warm.result.iterations <= from_zero.result.iterations + 20,
                  "%d iterations from zero, %d warm", from_zero.result.iterations, warm.result.iterations);
    forget(&cold);
    forget(&repeated);
    forget(&from_zero);
    forget(&warm);
    free(q);
    free(memory);
}
END_TEST

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

/* W with a skew part, as it comes out of other people's rounding: monotone still, so solvable. */
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
    const carom_friction_solver *solver = carom_friction_solvers(&count);
    for (int k = 0; k < count; ++k) {
        if (solver[k].applies(&p)) {
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
    const carom_friction_solver *solver = carom_friction_solvers(&count);
    ck_assert_int_eq(carom_friction_dense(2, 2, mu, q, W, memory, sizeof memory, &p), CAROM_OK);
    for (int k = 0; k < count; ++k) {
        if (solver[k].applies(&p)) {
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

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "--hyperstatic") == 0) {
        return count_failures(argc > 3 ? atoi(argv[3]) : 0, atoi(argv[2]));
    }
    TCase *cases = tcase_create("friction");
    tcase_set_timeout(cases, 120.0);
    tcase_add_test(cases, local_solvers);
    tcase_add_test(cases, local_degenerate);
    tcase_add_test(cases, one_contact_on_one_coordinate);
    tcase_add_test(cases, tiny_enumeration);
    tcase_add_test(cases, sparse_factors);
    tcase_add_test(cases, mirror_and_units);
    tcase_add_test(cases, any_units);
    tcase_add_test(cases, same_bits_again);
    tcase_add_loop_test(cases, hyperstatic, 0, 5);
    tcase_add_test(cases, tangle);
    tcase_add_test(cases, even_shares);
    tcase_add_test(cases, unsymmetric);
    tcase_add_test(cases, lemke_planar);
    tcase_add_test(cases, arguments);
    tcase_add_test(cases, honest_failure);
    tcase_add_loop_test(cases, squeezed, 0, 12);
    tcase_add_test(cases, zero_block);
    tcase_add_test(cases, floor_is_told);
    tcase_add_test(cases, stopped_early);
    tcase_add_test(cases, work_space_grows);
    tcase_add_test(cases, write_and_read);
    tcase_add_loop_test(cases, bad_files, 0, (int)(sizeof bad_file / sizeof bad_file[0]));
    FILE *present = open_problem(0);
    if (present != NULL) {
        (void)fclose(present);
        tcase_add_loop_test(cases, collection_as_given, 0, COLLECTION);
        tcase_add_loop_test(cases, collection_values, 0, COLLECTION);
        tcase_add_loop_test(cases, collection_warm_start, 0, COLLECTION);
    } else {
        printf("# SKIP collection: reference absent (%s/friction; set CAROM_REFERENCE)\n", reference());
        (void)fflush(stdout);
    }
    return run_suite("friction", cases);
}
