/* The friction solvers on the public collection of real problems (../shared/reference/friction, or CAROM_REFERENCE): all of them on all
 * files, known velocities, warm starts. */
#include "carom/friction.h"
#include "friction_answer.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

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

    const carom_solver *solver = carom_friction_solvers(&count);
    double *u = malloc((size_t)size * sizeof(double));
    for (int k = 0; k < count; ++k) {
        if (!carom_friction_applies(&solver[k], &problem)) {
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

int main(void)
{
    TCase *cases = tcase_create("friction_collection");
    tcase_set_timeout(cases, 120.0);
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
    return run_suite("friction_collection", cases);
}
