/* Operators and contact problems over tables (carom/tables.h), with a toy: two velocities that the mass couples, one contact. */
#include "carom/contact.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define CAROM(name) toy_##name
#define CAROM_STATE toy
#define CAROM_NQ 2
#define CAROM_NV 2
#define CAROM_NS 2
#define CAROM_NB 0
#define CAROM_NE 0
#define CAROM_NC 1
#define CAROM_NG 1
#define CAROM_NT 0
#define CAROM_NR 1
#define CAROM_D 1
#define CAROM_SCALED 0
#define CAROM_RIDES 0
#define CAROM_REBOUND 0
#define CAROM_BREAKS 0
#define CAROM_BONDS 0
#define CAROM_TS 1e-8
#define CAROM_TG 1e-10
#define CAROM_CTOL 1e-11
#define CAROM_SOLVER NULL
#define CAROM_STAGE_COUNT 0
#define CAROM_NEWTON_STEP 1
#define CAROM_LINEAR 1
#define CAROM_FIXED 0
#define CAROM_PARTS 0
#define CAROM_GROUPS 0
#define CAROM_ROWS_APART 0
#define CAROM_DIAGONAL 0
#define CAROM_BANDED 0
#define CAROM_TABLES_BANDED 0
#define CAROM_NA 3
#define CAROM_NGV 2

typedef struct {
    double A[3], G[2];
} toy_config;

typedef struct {
    double values[3], weight[2];
} toy_matrix;

typedef struct {
    double t, v[2];
    int now;
    toy_config at[2];
    int *jacobians; /* how often it was asked for */
    struct {
        double kkt[CAROM_KKT_WORK(2, 1, 3)], dm[2], dr[1], room[2];
        int ikkt[CAROM_KKT_IWORK(2, 1)], factor;
        unsigned char active[1];
    } work;
} toy;

/* A = [A0 A2; A2 A1], G = [G0 G1]; the row is eliminated last */
static const int toy_Ai[3] = {0, 1, 0}, toy_Aj[3] = {0, 1, 1}, toy_Ad[2] = {0, 1}, toy_Gp[2] = {0, 2},
                 toy_Gj[2] = {0, 1};
static const int toy_order[3] = {0, 1, 2}, toy_Kp[4] = {0, 0, 1, 3}, toy_Kj[3] = {0, 0, 1}, toy_Ks[3] = {2, -1, -2};
static const int toy_Lp[4] = {0, 2, 3, 3}, toy_Li[3] = {1, 2, 2}, toy_Rp[4] = {0, 0, 1, 3}, toy_Rj[3] = {0, 0, 1};
static const carom_kkt_tables toy_tables = {2,      1,      0,      3,      2,         3,      toy_Ai,
                                            toy_Aj, toy_Ad, toy_Gp, toy_Gj, toy_order, toy_Kp, toy_Kj,
                                            toy_Ks, toy_Lp, toy_Li, toy_Rp, toy_Rj};

/* a spring of stiffness 1 on the first unknown, without damping */
static void toy_add_jacobian(const toy *s, double t, const double *q, const double *v, const double *a, double wv,
                             double wq, double *B)
{
    (void)t;
    (void)q;
    (void)v;
    (void)a;
    (void)wv;
    ++*s->jacobians;
    B[0] += wq;
}

#include "carom/tables.h"

static toy made(void)
{
    toy s;
    memset(&s, 0, sizeof s);
    s.at[0] = (toy_config){{2.0, 3.0, 1.0}, {1.0, -1.0}};
    return s;
}

/* W = G A^-1 G^T = 7/5 */
START_TEST(presses_and_lets_go)
{
    toy s = made();
    bool set[1] = {true};
    double x[2], r[1] = {0.0}, f[2];
    carom_info info;
    carom_counts counts = {0};
    ck_assert_int_eq(toy_contact(&s, &s.at[0], set, NULL, (double[]){-1.0}, NULL, 0, x, r, &info, &counts), CAROM_OK);
    ck_assert_double_eq_tol(r[0], 5.0 / 7.0, 1e-15);
    ck_assert_double_eq_tol(x[0], 4.0 / 7.0, 1e-15);
    ck_assert_double_eq_tol(x[1], -3.0 / 7.0, 1e-15);
    toy_apply_mass(&s, &s.at[0], x, f);
    ck_assert_double_eq_tol(f[0], r[0], 1e-15);
    ck_assert_double_eq_tol(f[1], -r[0], 1e-15);
    toy_spread(&s, &s.at[0], set, r, x);
    ck_assert_double_eq(x[1], -r[0]);
    ck_assert_int_eq(toy_contact(&s, &s.at[0], set, NULL, (double[]){1.0}, NULL, 0, x, r, &info, &counts), CAROM_OK);
    ck_assert_double_eq(r[0], 0.0);
    ck_assert_int_eq(toy_hold(&s, &s.at[0], set, (double[]){1.0}, x, r), CAROM_OK); /* an equality pulls too */
    ck_assert_double_eq_tol(x[0] - x[1], -1.0, 1e-15);
    ck_assert_double_eq_tol(r[0], -5.0 / 7.0, 1e-15);
}
END_TEST

/* M + K: [3 1; 1 3] */
START_TEST(keeps_a_linear_operator)
{
    int jacobians = 0;
    toy s = made();
    s.jacobians = &jacobians;
    toy_matrix A = {.weight = {-1.0, -1.0}};
    double x[2] = {1.0, 0.0}, r[1] = {0.0};
    bool set[1] = {true};
    carom_info info;
    carom_counts counts = {0};
    for (int k = 0; k < 3; ++k) {
        ck_assert(toy_operator(&s, &s.at[0], 0.0, NULL, NULL, NULL, 0.5, 1.0, &A));
    }
    ck_assert_int_eq(jacobians, 1);
    toy_solve_in(&s, &A, x);
    ck_assert_double_eq_tol(x[0], 0.375, 1e-15);
    ck_assert_double_eq_tol(x[1], -0.125, 1e-15);
    ck_assert_int_eq(toy_contact_in(&s, &s.at[0], &A, set, NULL, (double[]){-1.0}, NULL, 0, x, r, &info, &counts),
                     CAROM_OK);
    ck_assert_double_eq_tol(r[0], 1.0, 1e-15); /* G (M + K)^-1 G^T = 1 */
    ck_assert(toy_operator(&s, &s.at[0], 0.0, NULL, NULL, NULL, 0.5, 0.0, &A));
    ck_assert_int_eq(jacobians, 2);
    ck_assert_int_eq(s.work.factor, CAROM_FACTOR_NONE);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("tables");
    tcase_add_test(cases, presses_and_lets_go);
    tcase_add_test(cases, keeps_a_linear_operator);
    return run_suite("tables", cases);
}
