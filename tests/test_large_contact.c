/* The contact solvers of large models against each other, against residuals computed here, and against symmetries. */
#include "elastic_block.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define CALL(f) ck_assert_int_eq((int)(f), 0)
static const BlockOptions CUBE = {.d = 3,
                                  .edge = 7,
                                  .cfl = 10.0,
                                  .mu = 0.3,
                                  .drop = 1.0,
                                  .slide = 2.0,
                                  .weight = 5000.0,
                                  .radius = 2000.0,
                                  .matrix = MATSBAIJ};

static const PetscReal TURN[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6}; /* an orthonormal matrix */

typedef struct {
    PetscReal impulse[3], last[3]; /* over all steps; of the last one */
    PetscReal worst;               /* independent residual over its bound, largest of all steps */
    PetscInt contact_steps, closed, sticking;
    Vec v;
} Outcome;

/* ---- an independent natural residual ------------------------------------------------------------------------------------- */

/* How far v and lambda are from the problem: A v - b - R^T lambda on free components, and the law at the candidates. */
static PetscReal residual(const Block *B, const CaromContactSet *set, Vec mask)
{
    const PetscInt d = B->o.d;
    const PetscReal *v;
    PetscReal *r, sum = 0.0, D;
    Vec work;
    CALL(VecDuplicate(B->v, &work));
    CALL(MatGetDiagonal(B->A, work));
    CALL(VecMax(work, NULL, &D));
    CALL(MatMult(B->A, B->v, work));
    CALL(VecAXPY(work, -1.0, B->b));
    CALL(VecGetArray(work, &r));
    CALL(VecGetArrayRead(B->v, &v));
    for (PetscInt k = 0; k < set->n; ++k) {
        const PetscReal *R = set->frame + k * d * d, *l = B->lambda + k * d;
        PetscReal w[3] = {0.0, 0.0, 0.0}, force = 0.0, trial = 0.0;
        for (PetscInt i = 0; i < d; ++i) {
            for (PetscInt j = 0; j < d; ++j) {
                r[set->node[k] * d + j] -= R[i * d + j] * l[i];
                w[i] += R[i * d + j] * v[set->node[k] * d + j];
            }
            w[i] -= i == 0 ? set->lo[k] : set->slip[k * (d - 1) + i - 1];
        }
        if (!set->active[k]) {
            ck_assert_double_eq(l[0], 0.0);
            continue;
        }
        for (PetscInt i = 1; i < d; ++i) {
            force += l[i] * l[i];
            trial += PetscSqr(l[i] - D * w[i]);
        }
        ck_assert_double_ge(l[0], 0.0);
        ck_assert_double_ge(w[0], -1e-12);
        ck_assert_double_le(sqrt(force), set->mu[k] * l[0] * (1.0 + 1e-12) + 1e-14);
        sum += PetscSqr(fmin(l[0], D * w[0]));
        const PetscReal shrink = sqrt(trial) > set->mu[k] * l[0] ? set->mu[k] * l[0] / sqrt(trial) : 1.0;
        for (PetscInt i = 1; i < d; ++i) {
            sum += PetscSqr(l[i] - shrink * (l[i] - D * w[i]));
        }
    }
    CALL(VecRestoreArray(work, &r));
    CALL(VecRestoreArrayRead(B->v, &v));
    if (mask != NULL) {
        CALL(VecPointwiseMult(work, work, mask));
    }
    PetscReal rest;
    CALL(VecNorm(work, NORM_2, &rest));
    CALL(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, B->comm));
    CALL(VecDestroy(&work));
    return sqrt(sum + rest * rest);
}

/* ---- a run ------------------------------------------------------------------------------------------------------------------ */

static Outcome run(MPI_Comm comm, BlockOptions o, const char *type, PetscInt steps, PetscBool masked)
{
    Outcome out = {{0.0}, {0.0}, 0.0, 0, 0, 0, NULL};
    Block B;
    CaromContact solver;
    CaromContactSet set;
    CaromContactResult result;
    Vec before;
    CALL(BlockCreate(comm, &o, &B));
    CALL(CaromContactCreate(comm, type, &solver));
    CALL(CaromContactSetOperator(solver, B.A, masked ? B.mask : NULL, o.d, B.n, B.node));
    CALL(VecDuplicate(B.v, &before));
    for (PetscInt k = 0; k < steps; ++k) {
        PetscReal norm;
        CALL(BlockPrepare(&B, &set));
        CALL(VecCopy(B.v, before));
        CALL(CaromContactSolve(solver, &set, B.b, B.v, B.lambda, &result));
        CALL(VecNorm(B.b, NORM_2, &norm));
        ck_assert_double_le(result.residual, result.target);
        ck_assert_double_le(result.target, 1.001e-8 * norm);
        out.worst = fmax(out.worst, residual(&B, &set, masked ? B.mask : NULL) / norm);
        CALL(BlockImpulse(&B, out.last));
        for (int i = 0; i < 3; ++i) {
            out.impulse[i] += out.last[i];
        }
        out.contact_steps += result.closed > 0 ? 1 : 0;
        out.closed = result.closed;
        out.sticking = PetscMax(out.sticking, result.sticking);
        CALL(BlockAdvance(&B, before));
    }
    CALL(VecDuplicate(B.v, &out.v));
    CALL(VecCopy(B.v, out.v));
    CALL(VecDestroy(&before));
    CALL(CaromContactDestroy(&solver));
    CALL(BlockDestroy(&B));
    return out;
}

/* Runs two ways and compares impulses and velocities. */
static void agree(Outcome a, Outcome b, PetscReal tolerance)
{
    PetscReal scale = 0.0, difference, size;
    for (int i = 0; i < 3; ++i) {
        scale = fmax(scale, fabs(b.impulse[i]));
    }
    ck_assert_double_gt(scale, 0.0);
    for (int i = 0; i < 3; ++i) {
        ck_assert_double_le(fabs(a.impulse[i] - b.impulse[i]), tolerance * scale);
    }
    CALL(VecNorm(b.v, NORM_INFINITY, &size));
    CALL(VecAXPY(a.v, -1.0, b.v));
    CALL(VecNorm(a.v, NORM_INFINITY, &difference));
    ck_assert_double_le(difference, 10.0 * tolerance * size);
    ck_assert_double_le(a.worst, 1e-7);
    ck_assert_double_le(b.worst, 1e-7);
    CALL(VecDestroy(&a.v));
    CALL(VecDestroy(&b.v));
}

/* ---- tests ----------------------------------------------------------------------------------------------------------------------- */

START_TEST(frictionless_solvers_agree)
{
    const PetscReal cfl[] = {1.0, 10.0, 100.0};
    BlockOptions o = CUBE;
    o.mu = 0.0;
    o.cfl = cfl[_i];
    const PetscInt steps = _i == 0 ? 16 : 8;
    Outcome direct = run(PETSC_COMM_SELF, o, "nsgs", steps, PETSC_FALSE);
    ck_assert_int_ge(direct.contact_steps, 5);
    Outcome sweeps = run(PETSC_COMM_SELF, o, "mprgp", steps, PETSC_FALSE);
    agree(sweeps, direct, 1e-6);
}
END_TEST

START_TEST(friction_solvers_agree)
{
    const PetscReal cfl[] = {1.0, 10.0, 100.0};
    BlockOptions o = CUBE;
    o.cfl = cfl[_i % 3];
    o.slide = _i < 3 ? 2.0 : 0.1;
    o.tets = _i == 4 ? PETSC_TRUE : PETSC_FALSE;
    const PetscInt steps = _i % 3 == 0 ? 16 : 8;
    Outcome direct = run(PETSC_COMM_SELF, o, "nsgs", steps, PETSC_FALSE);
    ck_assert_int_ge(direct.contact_steps, 5);
    if (_i >= 3) {
        ck_assert_int_gt(direct.sticking, 0);
    }
    Outcome newton = run(PETSC_COMM_SELF, o, "tnn", steps, PETSC_FALSE);
    agree(newton, direct, 1e-6);
}
END_TEST

START_TEST(a_turned_problem_has_the_turned_solution)
{
    const char *types[] = {"mprgp", "tnn", "nsgs"};
    BlockOptions o = CUBE;
    o.mu = _i == 0 ? 0.0 : 0.3;
    o.belt = -0.5;
    o.restitution = 0.4;
    Outcome flat = run(PETSC_COMM_SELF, o, types[_i], 6, PETSC_FALSE);
    o.turn = TURN;
    Outcome turned = run(PETSC_COMM_SELF, o, types[_i], 6, PETSC_FALSE);
    PetscReal *v;
    PetscInt size;
    CALL(VecGetLocalSize(turned.v, &size));
    CALL(VecGetArray(turned.v, &v));
    for (PetscInt i = 0; i < size; i += 3) { /* turned back */
        PetscReal back[3] = {0.0, 0.0, 0.0};
        for (PetscInt k = 0; k < 9; ++k) {
            back[k % 3] += TURN[k] * v[i + k / 3];
        }
        v[i] = back[0];
        v[i + 1] = back[1];
        v[i + 2] = back[2];
    }
    CALL(VecRestoreArray(turned.v, &v));
    agree(turned, flat, 1e-6);
}
END_TEST

START_TEST(plane_and_line)
{
    for (PetscInt d = 1; d <= 2; ++d) {
        BlockOptions o = CUBE;
        o.d = d;
        o.edge = d == 1 ? 40 : 14;
        o.mu = d == 1 ? 0.0 : 0.3;
        o.belt = 0.3;
        o.restitution = 0.2;
        Outcome direct = run(PETSC_COMM_SELF, o, "nsgs", 12, PETSC_FALSE);
        Outcome other = run(PETSC_COMM_SELF, o, d == 1 ? "mprgp" : "tnn", 12, PETSC_FALSE);
        agree(other, direct, 1e-6);
        if (d == 2) {
            o.mu = 0.0;
            direct = run(PETSC_COMM_SELF, o, "nsgs", 12, PETSC_FALSE);
            other = run(PETSC_COMM_SELF, o, "mprgp", 12, PETSC_FALSE);
            agree(other, direct, 1e-6);
        }
    }
}
END_TEST

START_TEST(other_matrix_formats)
{
    const char *formats[] = {MATAIJ, MATBAIJ};
    BlockOptions o = CUBE;
    o.edge = 6;
    Outcome symmetric = run(PETSC_COMM_SELF, o, "tnn", 6, PETSC_FALSE);
    o.matrix = formats[_i];
    Outcome full = run(PETSC_COMM_SELF, o, "tnn", 6, PETSC_FALSE);
    agree(full, symmetric, 1e-9);
}
END_TEST

/* The side x = 0 keeps its velocity along x. Turned about the vertical axis, no frame is along the fixed direction. */
START_TEST(fixed_components)
{
    BlockOptions o = CUBE;
    o.fix_side = PETSC_TRUE;
    o.slide = 0.5;
    Outcome direct = run(PETSC_COMM_SELF, o, "nsgs", 8, PETSC_TRUE);
    Outcome newton = run(PETSC_COMM_SELF, o, "tnn", 8, PETSC_TRUE);
    PetscReal v;
    PetscInt at = 0;
    CALL(VecGetValues(newton.v, 1, &at, &v));
    ck_assert_double_eq(v, 0.0);
    agree(newton, direct, 1e-6);
    o.mu = 0.0;
    direct = run(PETSC_COMM_SELF, o, "nsgs", 8, PETSC_TRUE);
    Outcome sweeps = run(PETSC_COMM_SELF, o, "mprgp", 8, PETSC_TRUE);
    agree(sweeps, direct, 1e-6);
}
END_TEST

START_TEST(no_candidates_and_all_open)
{
    const char *types[] = {"mprgp", "tnn", "nsgs"};
    BlockOptions o = CUBE;
    o.edge = 5;
    o.drop = -1.0;
    o.weight = 0.0;
    o.mu = _i == 0 ? 0.0 : 0.3;
    Outcome rising = run(PETSC_COMM_SELF, o, types[_i], 3, PETSC_FALSE); /* candidates at first, all of them open */
    ck_assert_int_eq(rising.contact_steps, 0);
    ck_assert_double_eq(rising.impulse[2], 0.0);
    ck_assert_double_le(rising.worst, 1e-7);
    PetscReal size;
    CALL(VecNorm(rising.v, NORM_INFINITY, &size));
    ck_assert_double_eq_tol(size, 2.0, 1e-6);
    CALL(VecDestroy(&rising.v));
}
END_TEST

START_TEST(the_type_follows_law_and_size)
{
    BlockOptions o = CUBE;
    o.edge = _i == 0 ? 6 : 12;
    o.mu = _i == 1 ? 0.0 : 0.3;
    const char *expected[] = {"nsgs", "mprgp", "tnn"};
    Block B;
    CaromContact solver;
    CaromContactSet set;
    CaromContactResult result;
    CALL(BlockCreate(PETSC_COMM_SELF, &o, &B));
    CALL(CaromContactCreate(PETSC_COMM_SELF, NULL, &solver));
    CALL(CaromContactSetOperator(solver, B.A, NULL, 3, B.n, B.node));
    CALL(BlockPrepare(&B, &set));
    CALL(CaromContactSolve(solver, &set, B.b, B.v, B.lambda, &result));
    ck_assert_str_eq(CaromContactType(solver), expected[_i]);
    CALL(CaromContactDestroy(&solver));
    CALL(BlockDestroy(&B));
}
END_TEST

START_TEST(a_cap_is_told)
{
    BlockOptions o = CUBE;
    o.edge = 6;
    Block B;
    CaromContact solver;
    CaromContactSet set;
    CaromContactResult result;
    Vec before;
    CALL(PetscOptionsSetValue(NULL, "-carom_contact_max_outer", "2"));
    CALL(BlockCreate(PETSC_COMM_SELF, &o, &B));
    CALL(CaromContactCreate(PETSC_COMM_SELF, "tnn", &solver));
    CALL(PetscOptionsClearValue(NULL, "-carom_contact_max_outer"));
    CALL(CaromContactSetOperator(solver, B.A, NULL, 3, B.n, B.node));
    CALL(VecDuplicate(B.v, &before));
    PetscInt missed = 0;
    for (int k = 0; k < 3; ++k) {
        CALL(BlockPrepare(&B, &set));
        CALL(VecCopy(B.v, before));
        CALL(CaromContactSolve(solver, &set, B.b, B.v, B.lambda, &result));
        CALL(BlockAdvance(&B, before));
        missed += result.residual > result.target && result.worst >= 0 ? 1 : 0;
    }
    ck_assert_int_gt(missed, 0);
    CALL(VecDestroy(&before));
    CALL(CaromContactDestroy(&solver));
    CALL(BlockDestroy(&B));
}
END_TEST

/* A diagonal operator: four nodes with known answers, in a turned frame; then with normals held at their bounds. */
START_TEST(known_nodes)
{
    const PetscInt node[4] = {0, 1, 2, 3};
    const PetscReal lo[4] = {0.0, 0.0, 0.5, 0.0}, mu[4] = {0.5, 0.5, 0.0, 0.5}, mass = 2.0;
    const PetscBool active[4] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE};
    const PetscReal w[4][3] = {{-1.0, 0.3, 0.0}, {-1.0, 3.0, -4.0}, {0.0, 1.0, 2.0}, {-1.0, 1.0, 1.0}};
    const PetscReal after[4][3] = {{0.0, 0.0, 0.0}, {0.0, 2.7, -3.6}, {0.5, 1.0, 2.0}, {-1.0, 1.0, 1.0}};
    PetscReal frame[36], lambda[12], *a;
    CaromContactSet set = {4, 3, node, frame, lo, NULL, mu, active, NULL, PETSC_FALSE};
    CaromContactResult result;
    CaromContact solver;
    Mat A;
    Vec b, v;
    CALL(VecCreateSeq(PETSC_COMM_SELF, 12, &v));
    CALL(VecDuplicate(v, &b));
    CALL(MatCreateSeqSBAIJ(PETSC_COMM_SELF, 3, 12, 12, 1, NULL, &A));
    for (PetscInt k = 0; k < 12; ++k) {
        CALL(MatSetValue(A, k, k, mass, INSERT_VALUES));
    }
    CALL(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    CALL(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    CALL(VecSet(v, 0.0));
    CALL(VecGetArray(b, &a));
    for (int k = 0; k < 36; ++k) {
        frame[k] = TURN[k % 9];
    }
    for (int k = 0; k < 12; ++k) {
        a[k] = 0.0;
        for (int i = 0; i < 3; ++i) {
            a[k] += mass * TURN[i * 3 + k % 3] * w[k / 3][i];
        }
    }
    CALL(VecRestoreArray(b, &a));
    CALL(CaromContactCreate(PETSC_COMM_SELF, NULL, &solver));
    CALL(CaromContactSetOperator(solver, A, NULL, 3, 4, node));
    CALL(CaromContactSolve(solver, &set, b, v, lambda, &result));
    ck_assert_str_eq(CaromContactType(solver), "nsgs");
    ck_assert_double_le(result.residual, 1e-12);
    ck_assert_int_eq(result.closed, 3);
    ck_assert_int_eq(result.sticking, 1);
    CALL(VecGetArray(v, &a));
    for (int k = 0; k < 12; ++k) {
        PetscReal now = 0.0;
        for (int j = 0; j < 3; ++j) {
            now += TURN[k % 3 * 3 + j] * a[k / 3 * 3 + j];
        }
        ck_assert_double_eq_tol(now, after[k / 3][k % 3], 1e-14);
        ck_assert_double_eq_tol(lambda[k], mass * (after[k / 3][k % 3] - w[k / 3][k % 3]), 1e-14);
    }
    CALL(VecRestoreArray(v, &a));
    set.equal = PETSC_TRUE;
    CALL(VecSet(v, 0.0));
    CALL(CaromContactSolve(solver, &set, b, v, lambda, &result));
    ck_assert_double_le(result.residual, result.target);
    for (int i = 0; i < 3; ++i) {
        ck_assert_double_eq_tol(lambda[3 * i], mass * (lo[i] - w[i][0]), 1e-12);
    }
    ck_assert_double_eq_tol(lambda[9], 0.0, 1e-14);
    CALL(CaromContactDestroy(&solver));
    CALL(VecDestroy(&v));
    CALL(VecDestroy(&b));
    CALL(MatDestroy(&A));
}
END_TEST

/* 12288 components: every step of a sliding impact is solved. run() asserts it. */
START_TEST(every_step_converges)
{
    const PetscReal cfl[] = {1.0, 10.0, 100.0};
    const PetscInt steps[] = {14, 8, 6};
    BlockOptions o = CUBE;
    o.edge = 16;
    o.cfl = cfl[_i];
    Outcome out = run(PETSC_COMM_SELF, o, "tnn", steps[_i], PETSC_FALSE);
    ck_assert_int_gt(out.contact_steps, 3);
    ck_assert_double_le(out.worst, 1e-7);
    CALL(VecDestroy(&out.v));
}
END_TEST

/* ---- with more ranks: this process is one of them --------------------------------------------------------------------------- */

/* Every rank also runs the whole problem alone. */
static void compare_ranks(void)
{
    const char *types[] = {"mprgp", "tnn", "nsgs"};
    for (int i = 0; i < 3; ++i) {
        BlockOptions o = CUBE;
        o.mu = i == 0 ? 0.0 : 0.3;
        o.turn = TURN;
        o.restitution = 0.2;
        Outcome together = run(PETSC_COMM_WORLD, o, types[i], 6, PETSC_FALSE);
        Outcome alone = run(PETSC_COMM_SELF, o, types[i], 6, PETSC_FALSE);
        for (int k = 0; k < 3; ++k) {
            ck_assert_double_le(fabs(together.impulse[k] - alone.impulse[k]), 1e-6 * fabs(alone.impulse[2]));
        }
        ck_assert_int_eq(together.closed, alone.closed);
        CALL(VecDestroy(&together.v));
        CALL(VecDestroy(&alone.v));
    }
}

START_TEST(ranks_agree) { compare_ranks(); }
END_TEST

int main(int argc, char **argv)
{
    PetscMPIInt ranks;
    if (PetscInitialize(&argc, &argv, NULL, NULL) != 0) {
        return EXIT_FAILURE;
    }
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    Suite *s = suite_create("large_contact");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 120);
    if (ranks > 1) {
        tcase_add_test(c, ranks_agree);
    } else {
        tcase_add_loop_test(c, frictionless_solvers_agree, 0, 3);
        tcase_add_loop_test(c, friction_solvers_agree, 0, 6);
        tcase_add_loop_test(c, a_turned_problem_has_the_turned_solution, 0, 3);
        tcase_add_test(c, plane_and_line);
        tcase_add_loop_test(c, other_matrix_formats, 0, 2);
        tcase_add_test(c, fixed_components);
        tcase_add_loop_test(c, no_candidates_and_all_open, 0, 3);
        tcase_add_loop_test(c, the_type_follows_law_and_size, 0, 3);
        tcase_add_test(c, a_cap_is_told);
        tcase_add_test(c, known_nodes);
        tcase_add_loop_test(c, every_step_converges, 0, 3);
    }
    suite_add_tcase(s, c);
    SRunner *runner = srunner_create(s);
    srunner_set_fork_status(runner, CK_NOFORK); /* MPI is already running */
    PetscMPIInt rank;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (rank == 0) {
        srunner_set_tap(runner, "-");
    }
    srunner_run_all(runner, CK_SILENT);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return PetscFinalize() == 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
