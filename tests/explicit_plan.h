/* D-:M=1 and moreau-jean:theta=0.5 with friction in space as tables, for the models of test_large.c; tests/lua/test_plan.lua knows how it is made. */
#include <carom/plan.h>

#include <stddef.h>

static const carom_plan_op explicit_plan_op[49] = {
    /* 1 c0 = kinematics at (t, q), rows of this step are found */
    { .op = CAROM_DO_KINEMATICS, .c = 1, .q = 1, .find = 1 },
    /* 2 when fresh  -- a state given from outside: contacts that are closed and closing hit before the first step (THEORY 4.2) */
    { .op = CAROM_DO_WHEN, .set = 1, .body = 11, .other = 3 },
    /* 3   U0 = G v + g_t at c0 */
    { .op = CAROM_DO_RATES, .y = 7, .c = 1, .v = 1 },
    /* 4   hit = { not bilateral and c0.g <= tg and U0 < -tv } */
    { .op = CAROM_DO_SET, .y = 3, .test = { 0, 6 } },
    /* 5   when hit */
    { .op = CAROM_DO_WHEN, .set = 3, .body = 5, .other = 3 },
    /* 6     closed = { bilateral or c0.g <= tg } */
    { .op = CAROM_DO_SET, .y = 4, .test = { 6, 3 } },
    /* 7     b = U0 + e U0 on hit */
    { .op = CAROM_DO_COMBINE_ROWS, .y = 9, .terms = { 3, 2 } },
    /* 8     w0, P0: M(c0) w0 = G^T P0, law(G w0 + b, P0) on closed at c0 */
    { .op = CAROM_DO_CONTACT, .y = 2, .r = 10, .A = -1, .c = 1, .set = 4, .b = 9 },
    /* 9     v0 = v + w0 */
    { .op = CAROM_DO_COMBINE, .y = 3, .terms = { 5, 2 } },
    /* 10     struck = { not bilateral and P0 > 0 } */
    { .op = CAROM_DO_SET, .y = 5, .test = { 9, 4 } },
    /* 11     v0 = v */
    { .op = CAROM_DO_COMBINE, .y = 3, .terms = { 8, 1 } },
    /* 12     P0 = 0 */
    { .op = CAROM_DO_COMBINE_ROWS, .y = 10 },
    /* 13     struck = { none } */
    { .op = CAROM_DO_SET, .y = 5, .test = { 13, 1 } },
    /* 14   v0 = v */
    { .op = CAROM_DO_COMBINE, .y = 3, .terms = { 9, 1 } },
    /* 15   P0 = 0 */
    { .op = CAROM_DO_COMBINE_ROWS, .y = 10 },
    /* 16   struck = { none } */
    { .op = CAROM_DO_SET, .y = 5, .test = { 14, 1 } },
    /* 17 U = G v0 + g_t at c0 */
    { .op = CAROM_DO_RATES, .y = 11, .c = 1, .v = 3 },
    /* 18 A = { bilateral or press or c0.g <= tg and U <= tv }  -- active set, frozen for the step (THEORY 4.1) */
    { .op = CAROM_DO_SET, .y = 6, .test = { 15, 7 } },
    /* 19 s = U_T/|U_T| where it slides  -- who slides (THEORY 6.4) */
    { .op = CAROM_DO_DIRECTION, .y = 12, .x = 11 },
    /* 20 r0 = force */
    { .op = CAROM_DO_COMBINE_ROWS, .y = 13, .terms = { 12, 1 } },
    /* 21 f = forces at c0 with v0 */
    { .op = CAROM_DO_FORCES, .y = 4, .c = 1, .v = 3 },
    /* 22 gam = bias at c0 with v0 */
    { .op = CAROM_DO_BIAS, .y = 14, .c = 1, .v = 3 },
    /* 23 Us = G v0 + g_t at c0 */
    { .op = CAROM_DO_RATES, .y = 15, .c = 1, .v = 3 },
    /* 24 turned0 = Us_T/|Us_T| where s slides  -- in space the direction of sliding turns */
    { .op = CAROM_DO_DIRECTION, .y = 16, .x = 15, .where = 12 },
    /* 25 a0, r0: M(c0) a0 = f + G^T r0, law(G a0 + gam, r0) on A at c0; sliding along turned0, without a finite force it leaves A, first guess r0 */
    { .op = CAROM_DO_CONTACT, .y = 5, .r = 13, .A = -1, .c = 1, .set = 6, .x = 4, .b = 14, .slide = 16, .guess = 13, .drop = 6 },
    /* 26 r1 = force */
    { .op = CAROM_DO_COMBINE_ROWS, .y = 17, .terms = { 13, 1 } },
    /* 27 V0 = v0  -- stage velocities (74) */
    { .op = CAROM_DO_COMBINE, .y = 6, .terms = { 14, 1 } },
    /* 28 V1 = v0 + h a0  -- stage velocities (74) */
    { .op = CAROM_DO_COMBINE, .y = 7, .terms = { 15, 2 } },
    /* 29 q1 = q + Bq_10 h V0 + Bq_11 h V1  -- stage positions (72) */
    { .op = CAROM_DO_RETRACT, .points = { 0, 1 }, .q = 1, .vectors = { 1, 2 }, .factor = { 0, 2 } },
    /* 30 c1 = kinematics at (t + h, q1) */
    { .op = CAROM_DO_KINEMATICS, .c = 2, .q = 2, .node = 1.0 },
    /* 31 f = forces at c1 with V1 */
    { .op = CAROM_DO_FORCES, .y = 4, .c = 2, .v = 7 },
    /* 32 gam = bias at c1 with V1 */
    { .op = CAROM_DO_BIAS, .y = 14, .c = 2, .v = 7 },
    /* 33 Us = G V1 + g_t at c1 */
    { .op = CAROM_DO_RATES, .y = 15, .c = 2, .v = 7 },
    /* 34 turned1 = Us_T/|Us_T| where s slides  -- in space the direction of sliding turns */
    { .op = CAROM_DO_DIRECTION, .y = 18, .x = 15, .where = 12 },
    /* 35 a1, r1: M(c1) a1 = f + G^T r1, law(G a1 + gam, r1) on A at c1; sliding along turned1, without a finite force it leaves A, first guess r1 */
    { .op = CAROM_DO_CONTACT, .y = 8, .r = 17, .A = -2, .c = 2, .set = 6, .x = 4, .b = 14, .slide = 18, .guess = 17, .drop = 6 },
    /* 36 vf = v0 + beta_0 h a0 + beta_1 h a1  -- end velocity (75) */
    { .op = CAROM_DO_COMBINE, .y = 9, .terms = { 17, 3 } },
    /* 37 Jr = beta_0 h r0 + beta_1 h r1  -- impulse of the contact forces */
    { .op = CAROM_DO_COMBINE_ROWS, .y = 19, .terms = { 20, 2 } },
    /* 38 pressed = { A and r1 > 0 } */
    { .op = CAROM_DO_SET, .y = 7, .test = { 22, 3 } },
    /* 39 pressing = { pressed or press and not A }  -- or pressing before, and left to the impulse (THEORY 4.7) */
    { .op = CAROM_DO_SET, .y = 8, .test = { 25, 6 } },
    /* 40 Cl = { bilateral or c1.g <= tg or pressing }  -- closed at the end (THEORY 4.4) */
    { .op = CAROM_DO_SET, .y = 9, .test = { 31, 5 } },
    /* 41 N = { Cl and not A and not press and c0.g > tg }  -- closing in this step */
    { .op = CAROM_DO_SET, .y = 10, .test = { 36, 9 } },
    /* 42 Uf = G vf + g_t at c1 */
    { .op = CAROM_DO_RATES, .y = 21, .c = 2, .v = 9 },
    /* 43 b = Uf + e Uf on N */
    { .op = CAROM_DO_COMBINE_ROWS, .y = 9, .terms = { 25, 2 } },
    /* 44 on = { A and not N and -Uf_T.Jr_T - ts |Jr_T| > 0 and |Jr_T| - 0.999 mu Jr_N > 0 } */
    { .op = CAROM_DO_SET, .y = 11, .test = { 45, 8 } },
    /* 45 son = -Jr_T/(mu Jr_N) on on  -- where sliding goes on, its mean direction */
    { .op = CAROM_DO_DIRECTION, .y = 22, .from = 19, .on = 11 },
    /* 46 w1, J: M(c1) w1 = G^T (J - Jr), law(G w1 + b, J) on Cl at c1; sliding along son, or the whole law, first guess Jr */
    { .op = CAROM_DO_CONTACT, .y = 10, .r = 23, .A = -2, .c = 2, .set = 9, .b = 9, .carried = 19, .slide = 22, .guess = 19, .fallback = 1 },
    /* 47 v1 = vf + w1  -- v_i = v_f + M^-1 G^T (J - Jr) */
    { .op = CAROM_DO_COMBINE, .y = 11, .terms = { 31, 2 } },
    /* 48 presses = { pressing and Cl and J > 0 }  -- presses (THEORY 4.7) */
    { .op = CAROM_DO_SET, .y = 12, .test = { 53, 5 } },
    /* 49 accept q1, v1 at c1; impulse J + P0; events N, struck; keep press = presses, force = r1 */
    { .op = CAROM_DO_ACCEPT, .q = 2, .v = 11, .c = 2, .impulse = { 3, 2 }, .events = { 5, 2 }, .keep = { 7, 4 } },
};
static const carom_term explicit_plan_term[34] = {
    { .c = 1.0, .x = 8 },
    { .c = 1.0, .x = 7 },
    { .c = 1.0, .x = 8 },
    { .c = 1.0, .x = 7 },
    { .c = 1.0, .x = 7, .by = 1, .on = 3 },
    { .c = 1.0, .x = 1 },
    { .c = 1.0, .x = 2 },
    { .c = 1.0, .x = 10 },
    { .c = 1.0, .x = 1 },
    { .c = 1.0, .x = 1 },
    { .c = 1.0, .x = 8 },
    { .c = 1.0, .x = 11 },
    { .c = 1.0, .x = 6 },
    { .c = 1.0, .x = 6 },
    { .c = 1.0, .x = 3 },
    { .c = 1.0, .x = 3 },
    { .c = 1.0, .k = 1, .x = 5 },
    { .c = 1.0, .x = 3 },
    { .c = 0.5, .k = 1, .x = 5 },
    { .c = 0.5, .k = 1, .x = 8 },
    { .c = 0.5, .k = 1, .x = 13 },
    { .c = 0.5, .k = 1, .x = 17 },
    { .c = 1.0, .x = 17 },
    { .c = 1.0, .x = 20 },
    { .c = 1.0, .x = 8 },
    { .c = 1.0, .x = 21 },
    { .c = 1.0, .x = 21, .by = 1, .on = 10 },
    { .c = -1.0, .x = 21, .of = CAROM_OF_DOT, .y = 19 },
    { .c = -1e-08, .x = 19, .of = CAROM_OF_NORM },
    { .c = 1.0, .x = 19, .of = CAROM_OF_NORM },
    { .c = -0.999, .x = 19, .of = CAROM_OF_LIMIT },
    { .c = 1.0, .x = 9 },
    { .c = 1.0, .x = 10 },
    { .c = 1.0, .x = 23 },
};
static const carom_test explicit_plan_test[58] = {
    { .word = CAROM_BILATERAL },
    { .word = CAROM_NOT },
    { .word = CAROM_LE, .terms = { 0, 1 }, .times = 1.0, .tolerance = CAROM_TOL_TG },
    { .word = CAROM_AND },
    { .word = CAROM_LT, .terms = { 1, 1 }, .times = -1.0, .tolerance = CAROM_TOL_TV },
    { .word = CAROM_AND },
    { .word = CAROM_BILATERAL },
    { .word = CAROM_LE, .terms = { 2, 1 }, .times = 1.0, .tolerance = CAROM_TOL_TG },
    { .word = CAROM_OR },
    { .word = CAROM_BILATERAL },
    { .word = CAROM_NOT },
    { .word = CAROM_GT, .terms = { 7, 1 } },
    { .word = CAROM_AND },
    { .word = CAROM_NONE },
    { .word = CAROM_NONE },
    { .word = CAROM_BILATERAL },
    { .word = CAROM_IN, .set = 2 },
    { .word = CAROM_OR },
    { .word = CAROM_LE, .terms = { 10, 1 }, .times = 1.0, .tolerance = CAROM_TOL_TG },
    { .word = CAROM_LE, .terms = { 11, 1 }, .times = 1.0, .tolerance = CAROM_TOL_TV },
    { .word = CAROM_AND },
    { .word = CAROM_OR },
    { .word = CAROM_IN, .set = 6 },
    { .word = CAROM_GT, .terms = { 22, 1 } },
    { .word = CAROM_AND },
    { .word = CAROM_IN, .set = 7 },
    { .word = CAROM_IN, .set = 2 },
    { .word = CAROM_IN, .set = 6 },
    { .word = CAROM_NOT },
    { .word = CAROM_AND },
    { .word = CAROM_OR },
    { .word = CAROM_BILATERAL },
    { .word = CAROM_LE, .terms = { 23, 1 }, .times = 1.0, .tolerance = CAROM_TOL_TG },
    { .word = CAROM_OR },
    { .word = CAROM_IN, .set = 8 },
    { .word = CAROM_OR },
    { .word = CAROM_IN, .set = 9 },
    { .word = CAROM_IN, .set = 6 },
    { .word = CAROM_NOT },
    { .word = CAROM_AND },
    { .word = CAROM_IN, .set = 2 },
    { .word = CAROM_NOT },
    { .word = CAROM_AND },
    { .word = CAROM_GT, .terms = { 24, 1 }, .times = 1.0, .tolerance = CAROM_TOL_TG },
    { .word = CAROM_AND },
    { .word = CAROM_IN, .set = 6 },
    { .word = CAROM_IN, .set = 10 },
    { .word = CAROM_NOT },
    { .word = CAROM_AND },
    { .word = CAROM_GT, .terms = { 27, 2 } },
    { .word = CAROM_AND },
    { .word = CAROM_GT, .terms = { 29, 2 } },
    { .word = CAROM_AND },
    { .word = CAROM_IN, .set = 8 },
    { .word = CAROM_IN, .set = 9 },
    { .word = CAROM_AND },
    { .word = CAROM_GT, .terms = { 33, 1 } },
    { .word = CAROM_AND },
};
static const carom_factor explicit_plan_factor[2] = {
    { .c = 0.5, .k = 1 },
    { .c = 0.5, .k = 1 },
};
static const int explicit_plan_name[11] = { 2, 6, 7, 23, 10, 10, 5, 1, 12, 2, 17 };
static const int explicit_plan_gap[3] = { 0, 8, 20 };
static const carom_memory explicit_plan_memory[2] = {
    { .kind = CAROM_KEPT_SET, .name = 2 },
    { .kind = CAROM_KEPT_ROWS, .name = 6 },
};
static const carom_plan explicit_plan = {
    .vectors = 11, .rows = 23, .sets = 12, .points = 2, .configurations = 2, .operators = 0, .memories = 2, .ops = 49,
    .op = explicit_plan_op, .term = explicit_plan_term, .test = explicit_plan_test, .factor = explicit_plan_factor, .name = explicit_plan_name, .gap = explicit_plan_gap, .memory = explicit_plan_memory,
    .uniform = 0, .places = 0.0, .phase = 2.0, .otherwise = NULL,
};

static const carom_plan_op theta_plan_op[22] = {
    /* 1 c0 = kinematics at (t, q), rows of this step are found */
    { .op = CAROM_DO_KINEMATICS, .c = 1, .q = 1, .find = 1 },
    /* 2 U = G v + g_t at c0 */
    { .op = CAROM_DO_RATES, .y = 7, .c = 1, .v = 1 },
    /* 3 f0 = forces at c0 with v */
    { .op = CAROM_DO_FORCES, .y = 2, .c = 1, .v = 1 },
    /* 4 A = { bilateral or c0.g <= tg }  -- active set (THEORY 2.2) */
    { .op = CAROM_DO_SET, .y = 3, .test = { 0, 3 } },
    /* 5 P = force */
    { .op = CAROM_DO_COMBINE_ROWS, .y = 9, .terms = { 1, 1 } },
    /* 6 v1 = v  -- first guess */
    { .op = CAROM_DO_COMBINE, .y = 3, .terms = { 2, 1 } },
    /* 7 repeat at most 30 times, until dv is small beside v1, v; if P presses and alternates again from v with half the steps, then with c1 frozen */
    { .op = CAROM_DO_REPEAT, .max = 30, .vectors = { 0, 1 }, .of = { 1, 2 }, .round_x = 3, .round_dx = 4, .round_from = 1, .round_press = 9, .round_freeze = 2, .body = 12 },
    /* 8   d = (1-theta) h v + theta h v1 */
    { .op = CAROM_DO_COMBINE, .y = 5, .terms = { 3, 2 } },
    /* 9   q1 = q + d  -- q+ = q + h ((1-theta) v + theta v+) */
    { .op = CAROM_DO_RETRACT, .points = { 3, 1 }, .q = 1, .vectors = { 4, 1 }, .factor = { 0, 1 } },
    /* 10   c1 = kinematics at (t + h, q1) */
    { .op = CAROM_DO_KINEMATICS, .c = 2, .q = 2, .node = 1.0 },
    /* 11   f1 = forces at c1 with v1 */
    { .op = CAROM_DO_FORCES, .y = 6, .c = 2, .v = 3 },
    /* 12   y = v - v1 */
    { .op = CAROM_DO_COMBINE, .y = 7, .terms = { 5, 2 } },
    /* 13   my = M(c1) y */
    { .op = CAROM_DO_APPLY, .y = 8, .A = -2, .x = 7 },
    /* 14   rhs = my + (1-theta) h f0 + theta h f1 */
    { .op = CAROM_DO_COMBINE, .y = 9, .terms = { 7, 3 } },
    /* 15   N = M + theta h C + theta^2 h^2 K at c1 with v1  -- Newton's matrix M + theta h C + theta^2 h^2 K */
    { .op = CAROM_DO_OPERATOR, .y = 1, .c = 2, .v = 3, .factor = { 1, 2 } },
    /* 16   U1 = G v1 + g_t at c1 */
    { .op = CAROM_DO_RATES, .y = 10, .c = 2, .v = 3 },
    /* 17   b = U1 + e U */
    { .op = CAROM_DO_COMBINE_ROWS, .y = 11, .terms = { 10, 2 } },
    /* 18   dv, P: N dv = rhs + G^T P, law(G dv + b, P) on A at c1; first guess P */
    { .op = CAROM_DO_CONTACT, .y = 4, .r = 9, .A = 1, .c = 2, .set = 3, .x = 9, .b = 11, .guess = 9 },
    /* 19   v1 = v1 + dv */
    { .op = CAROM_DO_COMBINE, .y = 3, .terms = { 12, 2 } },
    /* 20 presses = { not bilateral and P > 0 } */
    { .op = CAROM_DO_SET, .y = 4, .test = { 3, 4 } },
    /* 21 joins = { presses and not press } */
    { .op = CAROM_DO_SET, .y = 5, .test = { 7, 4 } },
    /* 22 accept q1, v1 at c1; impulse P; events joins; keep press = presses, force = P */
    { .op = CAROM_DO_ACCEPT, .q = 2, .v = 3, .c = 2, .impulse = { 5, 1 }, .events = { 6, 1 }, .keep = { 7, 4 } },
};
static const carom_term theta_plan_term[15] = {
    { .c = 1.0, .x = 8 },
    { .c = 1.0, .x = 6 },
    { .c = 1.0, .x = 1 },
    { .c = 0.5, .k = 1, .x = 1 },
    { .c = 0.5, .k = 1, .x = 3 },
    { .c = 1.0, .x = 1 },
    { .c = -1.0, .x = 3 },
    { .c = 1.0, .x = 8 },
    { .c = 0.5, .k = 1, .x = 2 },
    { .c = 0.5, .k = 1, .x = 6 },
    { .c = 1.0, .x = 10 },
    { .c = 1.0, .x = 7, .by = 1 },
    { .c = 1.0, .x = 3 },
    { .c = 1.0, .x = 4 },
    { .c = 1.0, .x = 9 },
};
static const carom_test theta_plan_test[11] = {
    { .word = CAROM_BILATERAL },
    { .word = CAROM_LE, .terms = { 0, 1 }, .times = 1.0, .tolerance = CAROM_TOL_TG },
    { .word = CAROM_OR },
    { .word = CAROM_BILATERAL },
    { .word = CAROM_NOT },
    { .word = CAROM_GT, .terms = { 14, 1 } },
    { .word = CAROM_AND },
    { .word = CAROM_IN, .set = 4 },
    { .word = CAROM_IN, .set = 2 },
    { .word = CAROM_NOT },
    { .word = CAROM_AND },
};
static const carom_factor theta_plan_factor[3] = {
    { .c = 1.0 },
    { .c = 0.5, .k = 1 },
    { .c = 0.25, .k = 2 },
};
static const int theta_plan_name[11] = { 4, 3, 1, 2, 5, 9, 5, 1, 4, 2, 9 };
static const int theta_plan_gap[3] = { 0, 8, 12 };
static const carom_memory theta_plan_memory[2] = {
    { .kind = CAROM_KEPT_SET, .name = 2 },
    { .kind = CAROM_KEPT_ROWS, .name = 6 },
};
static const carom_plan theta_plan = {
    .vectors = 9, .rows = 12, .sets = 5, .points = 2, .configurations = 2, .operators = 1, .memories = 2, .ops = 22,
    .op = theta_plan_op, .term = theta_plan_term, .test = theta_plan_test, .factor = theta_plan_factor, .name = theta_plan_name, .gap = theta_plan_gap, .memory = theta_plan_memory,
    .uniform = 0, .places = 0.0, .phase = 0.0, .otherwise = NULL,
};
