/* Contact problems of straight code (carom/straight.h, fixed.h, operator.h), sets of rows (carom/sets.h) and states
 * (carom/state.h), with a toy: four velocities, a bilateral row, two contacts with friction in the plane. */
#include "carom/dense.h"
#include "carom/friction.h"
#include "carom/law.h"
#include "carom/lcp.h"
#include "carom/model.h"
#include "draw.h"
#include "suite.h"

#include <string.h>

#define CAROM(name) toy_##name
#define CAROM_STATE toy
#define CAROM_NQ 4
#define CAROM_NV 4
#define CAROM_NS 4
#define CAROM_NB 0
#define CAROM_NE 1
#define CAROM_NC 2
#define CAROM_NG 3
#define CAROM_NT 2
#define CAROM_NR 5
#define CAROM_D 2
#define CAROM_SCALED 0
#define CAROM_RIDES 0
#define CAROM_REBOUND 0
#define CAROM_BREAKS 0
#define CAROM_BONDS 0
#define CAROM_ALONG 0
#define CAROM_NU 0
#define CAROM_STRIKES 1
#define CAROM_UNIFORM 0
#define CAROM_KEEPS_MODES 0
#define CAROM_WATCHED 1
#define CAROM_TOWARD 0
#define CAROM_LISTENS 1
#define CAROM_DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define CAROM_DEEPEST 1e-9
#define CAROM_TS 1e-8
#define CAROM_CONSTANT_W 0
#define CAROM_FULL_ROWS 0
#define CAROM_PULLS 1
#define CAROM_BIAS 1
#define CAROM_STAGE_COUNT 0
#define CAROM_MATRIX 1
#define CAROM_NEWTON_STEP 1
#define CAROM_MEAN 0
#define CAROM_GROUPS 0
#define CAROM_TYPES 0
#define CAROM_ROWS_APART 0
#define CAROM_HOLDS 1
#define CAROM_ALL_ROWS 0
#define CAROM_SEVERAL 1
#define CAROM_SOLVER_AUTO 1
#define CAROM_SOLVER NULL
#define CAROM_CTOL 1e-13
#define CAROM_FLOOR 4e-4

typedef struct {
    double g[3], Y[5][4], W[5][5], G[20];
    bool have[5];
    int count, known[5];
} toy_config;

typedef struct {
    double nothing;
} toy_params;

typedef struct {
    double t, t_low, q[4], v[4], impulse[2], friction[2], last[5], last_step;
    carom_deepest deepest;
    bool fresh;
    carom_failure *failure;
    carom_contact_events events;
    carom_info info;
    carom_counts counts;
    int now;
    toy_config at[2];
    struct {
        double e[5], mu[2];
        bool frictional;
        int rows;
    } derived;
    double mass[4], J[5][4]; /* the mass is diagonal; rows */
    double longest;          /* step that it can make */
    struct {
        double room[CAROM_ROOM_INNER(1, 2, 3, 5, 2, 1) + CAROM_ROOM_ROWS(5, 4)];
    } work;
} toy;

#define CAROM_INNER CAROM_ROOM_INNER(1, 2, 3, 5, 2, 1)
#define CAROM_KEPT offsetof(toy, work)

static const int toy_contact_of[2] = {1, 2}, toy_tangents[2][1] = {{3}, {4}};
static const int toy_Gp[6] = {0, 4, 8, 12, 16, 20};
static const int toy_Gj[20] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};

static void toy_row(const toy *s, const toy_config *c, int j, double *g)
{
    (void)c;
    memcpy(g, s->J[j], sizeof s->J[j]);
}

static void toy_solve_mass(const toy *s, const toy_config *c, double *x)
{
    (void)c;
    for (int i = 0; i < 4; ++i) {
        x[i] /= s->mass[i];
    }
}

static void toy_rows(const toy *s, const toy_config *c, const double *x, double *y)
{
    (void)c;
    for (int j = 0; j < 5; ++j) {
        y[j] = 0.0;
        for (int i = 0; i < 4; ++i) {
            y[j] += s->J[j][i] * x[i];
        }
    }
}

static void toy_forces(const toy *s, const toy_config *c, const double *v, double *f)
{
    (void)c;
    for (int i = 0; i < 4; ++i) {
        f[i] = -2.0 * s->mass[i] * v[i];
    }
}

static void toy_bias(const toy *s, const toy_config *c, const double *v, double *gam)
{
    (void)s;
    (void)c;
    for (int j = 0; j < 5; ++j) {
        gam[j] = v[0] * v[0];
    }
}

static void toy_mass(const toy *s, const toy_config *c, double *A)
{
    (void)c;
    for (int i = 0; i < 16; ++i) {
        A[i] = i % 5 == 0 ? s->mass[i / 5] : 0.0;
    }
}

static void toy_jacobian(const toy *s, const toy_config *c, double t, const double *q, const double *v, const double *a,
                         const double *r, double K[4][4], double C[4][4], double Kc[][4], double Cc[][4])
{
    (void)s, (void)c, (void)t, (void)q, (void)v, (void)a, (void)r, (void)Kc, (void)Cc;
    for (int i = 0; i < 4; ++i) {
        K[i][i] += 3.0;
        C[i][i] += 0.5;
    }
}

static void toy_rates(const toy *s, const toy_config *c, const double *v, double *U) { toy_rows(s, c, v, U); }

static void toy_defaults(toy_params *p) { p->nothing = 0.0; }

static carom_status toy_init(toy *s, const toy_params *p)
{
    (void)p;
    s->t = 0.0;
    return CAROM_OK;
}

static carom_status toy_set(toy *s, double t, const double *q, const double *v)
{
    (void)q;
    (void)v;
    s->t = t;
    return CAROM_OK;
}

static carom_status toy_step(toy *s, double h)
{
    if (h > s->longest) {
        return CAROM_STAGES;
    }
    s->t += h;
    ++s->counts.steps;
    return CAROM_OK;
}

static void toy_outputs(const toy *s, double *y) { y[0] = s->t; }
static void toy_status(const toy *s, carom_contact_status *status);

static carom_status toy_set_params(toy *s, const toy_params *p)
{
    (void)s;
    return p != NULL ? CAROM_OK : CAROM_ARGUMENT;
}

static size_t toy_save(const toy *s, void *bytes, size_t room);
static carom_status toy_load(toy *s, const void *bytes, size_t size);

#include "carom/coulomb.h"
#include "carom/straight.h"
#include "carom/fixed.h"
#include "carom/operator.h"
#include "carom/state.h"
#include "carom/host.h"

static size_t toy_save(const toy *s, void *bytes, size_t room) { return toy_save_bytes(s, bytes, room); }
static carom_status toy_load(toy *s, const void *bytes, size_t size) { return toy_load_bytes(s, bytes, size); }

static void toy_status(const toy *s, carom_contact_status *status) { toy_status_of(s, status); }

static toy drawn(double mu)
{
    toy s;
    memset(&s, 0, sizeof s);
    for (int i = 0; i < 4; ++i) {
        s.mass[i] = between(0.5, 2.0);
        s.v[i] = between(-1.0, 1.0);
        for (int j = 0; j < 5; ++j) {
            s.J[j][i] = between(-1.0, 1.0);
        }
    }
    s.derived.mu[0] = s.derived.mu[1] = mu;
    s.derived.frictional = mu > 0.0;
    s.derived.rows = mu > 0.0 ? 5 : 3;
    return s;
}

/* What is left of M x = rhs + G^T (r - carried), and of the law between u = G x + b and r */
static double left(const toy *s, const bool *set, const double *rhs, const double *b, const double *carried,
                   const double *x, const double *r)
{
    double worst = 0.0, u[5];
    for (int i = 0; i < 4; ++i) {
        double f = s->mass[i] * x[i] - (rhs != NULL ? rhs[i] : 0.0);
        for (int j = 0; j < s->derived.rows; ++j) {
            f -= s->J[j][i] * (r[j] - (carried != NULL ? carried[j] : 0.0));
        }
        worst = fmax(worst, fabs(f));
    }
    toy_rows(s, NULL, x, u);
    for (int j = 0; j < 5; ++j) {
        u[j] += b[j];
    }
    for (int j = 0; j < 3; ++j) {
        if (!set[j]) {
            worst = fmax(worst, fabs(r[j] - (carried != NULL ? carried[j] : 0.0)));
        } else if (j < 1) {
            worst = fmax(worst, fabs(u[j]));
        } else {
            worst = fmax(worst, fabs(fmin(u[j], r[j])));
            if (s->derived.frictional) { /* inside the cone and at rest, or on it against the slip */
                const double limit = s->derived.mu[j - 1] * r[j], T = r[j + 2], slip = u[j + 2];
                worst = fmax(worst, fmax(fabs(T) - limit, fmin(fabs(slip), fabs(T + (slip > 0.0 ? limit : -limit)))));
            }
        }
    }
    return worst;
}

START_TEST(contact_problems_with_and_without_what_they_may_be_handed)
{
    seed_state = 3;
    for (int n = 0; n < 600; ++n) {
        toy s = drawn(n % 3 == 0 ? 0.0 : 0.3);
        toy_config *const c = &s.at[0];
        double rhs[4], b[5], carried[5] = {0.0}, x[4], r[5] = {0.0};
        bool set[5] = {true, (n & 1) != 0, (n & 2) != 0, false, false};
        for (int i = 0; i < 4; ++i) {
            rhs[i] = between(-1.0, 1.0);
        }
        for (int j = 0; j < 5; ++j) {
            b[j] = between(-1.0, 1.0);
            carried[j] = j < s.derived.rows ? between(0.0, 0.1) : 0.0;
        }
        toy_tangents_follow(&s, set);
        ck_assert(set[3] == (set[1] && s.derived.frictional) && set[4] == (set[2] && s.derived.frictional));
        ck_assert(toy_any(&s, set));
        const double *const given = (n & 4) != 0 ? rhs : NULL, *const more = (n & 8) != 0 ? carried : NULL;
        carom_info info = {-1, 0, 0.0};
        carom_counts counts = {0};
        const carom_status status = toy_contact(&s, c, set, NULL, given, b, more, 0, x, r, &info, &counts);
        ck_assert_uint_eq(counts.contact_solves, 1);
        if (status == CAROM_OK) { /* two contacts with much friction may have no solution */
            for (int j = s.derived.rows; j < 5; ++j) {
                r[j] = 0.0;
            }
            ck_assert_double_lt(left(&s, set, given, b, more, x, r), 1e-9);
        } else {
            ck_assert(s.derived.frictional && set[1] && set[2]);
        }
        for (int j = 0; j < 5; ++j) { /* what nobody asked for was not computed */
            ck_assert(c->have[j] == set[j]);
        }
    }
}
END_TEST

START_TEST(nothing_in_the_set_and_equalities)
{
    seed_state = 5;
    toy s = drawn(0.3);
    const double rhs[4] = {1.0, 2.0, 3.0, 4.0}, carried[5] = {5.0, 6.0, 7.0, 8.0, 9.0},
                 b[5] = {0.1, 0.2, 0.3, 0.0, 0.0};
    double x[4], r[5], u[5];
    toy_free(&s, &s.at[0], rhs, carried, x, r);
    for (int i = 0; i < 4; ++i) {
        ck_assert_double_eq_tol(s.mass[i] * x[i], rhs[i], 1e-14);
    }
    ck_assert_double_eq(r[4], 9.0);
    const bool set[5] = {true, true, false, true, false};
    ck_assert_int_eq(toy_hold(&s, &s.at[0], set, b, x, r), CAROM_OK);
    toy_rows(&s, NULL, x, u);
    ck_assert_double_eq_tol(u[0], -0.1, 1e-13);
    ck_assert_double_eq_tol(u[1], -0.2, 1e-13);
    ck_assert(r[2] == 0.0 && r[3] == 0.0 && r[4] == 0.0); /* normals only */
}
END_TEST

START_TEST(fixed_modes_hold_grip_and_slide)
{
    seed_state = 11;
    for (int n = 0; n < 40; ++n) { /* the first contact slides, the second sticks, or the other way round */
        toy s = drawn(0.3);
        const int stuck = n % 2 == 0 ? 2 : 1, loose = 3 - stuck;
        const bool set[3] = {true, true, true}, grip[3] = {false, stuck == 1, stuck == 2};
        const double slide[2] = {loose == 1 ? 1.0 : 0.0, loose == 2 ? -1.0 : 0.0};
        double b[5], x[4], r[5], u[5], y[4], p[5];
        for (int j = 0; j < 5; ++j) {
            b[j] = between(-1.0, 1.0);
        }
        carom_info info = {-1, 0, 0.0};
        const carom_status status = toy_fix(&s, &s.at[0], set, grip, slide, true, b, x, r, &info);
        if (status == CAROM_PAINLEVE) { /* the pivot of the one that slides */
            ck_assert_int_eq(info.contact, loose);
            ck_assert_double_le(info.residual, 0.0);
            continue;
        }
        ck_assert_int_eq(status, CAROM_OK);
        toy_rows(&s, NULL, x, u);
        for (int j = 0; j < 5; ++j) {
            ck_assert(j == loose + 2 || fabs(u[j] + b[j]) < 1e-9);
        }
        ck_assert_double_eq_tol(r[loose + 2], -0.3 * slide[loose - 1] * r[loose], 1e-12);
        for (int i = 0; i < 4; ++i) {
            double f = s.mass[i] * x[i];
            for (int j = 0; j < 5; ++j) {
                f -= s.J[j][i] * r[j];
            }
            ck_assert_double_eq_tol(f, 0.0, 1e-9);
        }
        /* who grips where nobody says: what does not slide and has friction */
        ck_assert_int_eq(toy_fix(&s, &s.at[0], set, NULL, slide, true, b, y, p, &info), CAROM_OK);
        ck_assert_mem_eq(x, y, sizeof x);
        /* nobody: normals alone */
        ck_assert_int_eq(toy_fix(&s, &s.at[0], set, (const bool[3]){false}, NULL, true, b, x, r, &info), CAROM_OK);
        ck_assert_int_eq(toy_hold(&s, &s.at[0], (const bool[5]){true, true, true}, b, y, p), CAROM_OK);
        ck_assert_double_eq_tol(x[0], y[0], 1e-10);
        ck_assert(r[3] == 0.0 && r[4] == 0.0);
    }
}
END_TEST

START_TEST(redundant_rows_share_the_load)
{
    seed_state = 13;
    toy s = drawn(0.5);
    memcpy(s.J[4], s.J[3], sizeof s.J[3]); /* two tangents, two normals alike */
    memcpy(s.J[2], s.J[1], sizeof s.J[1]);
    const bool set[3] = {true, true, true}, grip[3] = {false, true, true};
    const double b[5] = {0.3, -1.0, -1.0, 0.7, 0.7};
    double x[4], r[5], u[5];
    carom_info info = {-1, 0, 0.0};
    ck_assert_int_eq(toy_fix(&s, &s.at[0], set, grip, NULL, true, b, x, r, &info), CAROM_OK);
    toy_rows(&s, NULL, x, u);
    for (int j = 0; j < 5; ++j) {
        ck_assert_double_eq_tol(u[j] + b[j], 0.0, 1e-10);
    }
    ck_assert_double_eq_tol(r[3], r[4], 1e-10);
    ck_assert_double_eq_tol(r[1], r[2], 1e-10);
}
END_TEST

START_TEST(accelerations_are_free_or_obey)
{
    seed_state = 7;
    for (int n = 0; n < 40; ++n) {
        toy s = drawn(n % 2 == 0 ? 0.0 : 0.2);
        double f[4], gam[5], a[4], r[5] = {9.0, 9.0, 9.0, 9.0, 9.0};
        const double guess[5] = {0.0};
        bool set[5] = {false};
        carom_info info = {-1, 0, 0.0};
        carom_counts counts = {0};
        toy_forces(&s, NULL, s.v, f);
        toy_bias(&s, NULL, s.v, gam);
        ck_assert_int_eq(toy_accelerate(&s, &s.at[0], s.v, set, NULL, guess, 0, a, r, &info, &counts), CAROM_OK);
        ck_assert_double_eq_tol(a[2], -2.0 * s.v[2], 1e-14);
        ck_assert(r[0] == 0.0 && r[4] == 0.0 && counts.contact_solves == 0 && counts.evaluations == 1);
        set[0] = set[1] = true;
        toy_tangents_follow(&s, set);
        ck_assert_int_eq(toy_accelerate(&s, &s.at[0], s.v, set, NULL, guess, 0, a, r, &info, &counts), CAROM_OK);
        ck_assert_double_lt(left(&s, set, f, gam, NULL, a, r), 1e-9);
    }
}
END_TEST

START_TEST(contact_problems_in_an_operator)
{
    seed_state = 11;
    for (int n = 0; n < 100; ++n) {
        toy s = drawn(n % 2 == 0 ? 0.0 : 0.2);
        double rhs[4], b[5], x[4], y[4], r[5] = {0.0}, u[5];
        bool set[5] = {true, true, (n & 2) != 0, false, false};
        toy_matrix A;
        carom_info info = {-1, 0, 0.0};
        carom_counts counts = {0};
        for (int i = 0; i < 4; ++i) {
            rhs[i] = between(-1.0, 1.0);
        }
        for (int j = 0; j < 5; ++j) {
            b[j] = between(-1.0, 1.0);
        }
        toy_tangents_follow(&s, set);
        ck_assert(toy_operator(&s, &s.at[0], 0.0, s.q, s.v, s.v, 0.2, 0.1, &A)); /* M + 0.2 C + 0.1 K = M + 0.4 */
        const carom_status status = toy_contact_in(&s, &s.at[0], &A, set, NULL, rhs, b, NULL, 0, x, r, &info, &counts);
        toy other = s;
        for (int i = 0; i < 4; ++i) {
            other.mass[i] += 0.4;
        }
        if (status == CAROM_OK) {
            ck_assert_double_lt(left(&other, set, rhs, b, NULL, x, r), 1e-9);
        } else {
            ck_assert(s.derived.frictional && set[2]);
        }
        ck_assert_int_eq(toy_hold_in(&s, &s.at[0], &A, set, b, x, r), CAROM_OK);
        toy_rows(&s, NULL, x, u);
        ck_assert(fabs(u[0] + b[0]) < 1e-10 && fabs(u[1] + b[1]) < 1e-10);
        toy_spread(&s, &s.at[0], set, r, y); /* A x = G^T r */
        for (int i = 0; i < 4; ++i) {
            ck_assert_double_eq_tol(other.mass[i] * x[i], y[i], 1e-9);
        }
        toy_apply_mass(&s, &s.at[0], x, y);
        ck_assert_double_eq_tol(y[3], s.mass[3] * x[3], 1e-12);
    }
}
END_TEST

START_TEST(what_a_step_leaves_behind)
{
    toy s = drawn(0.3);
    const double J[5] = {1.0, 2.0, 0.0, -0.5, 0.0}, q[4] = {1.0, 2.0, 3.0, 4.0}, v[4] = {0.0, 0.0, 0.0, 0.0};
    const carom_info info = {-1, 7, 0.5};
    s.fresh = true;
    s.t = 2.0;
    s.at[1].g[1] = -1e-3;
    s.deepest = (carom_deepest){0.0, 0.0, -1};
    toy_accept(&s, q, v, J, 0.5, &info);
    toy_accept(&s, q, v, J, 0.5, &info);
    ck_assert(!s.fresh && s.now == 0 && s.counts.steps == 2 && s.info.iterations == 7);
    ck_assert_double_eq(s.t, 3.0);
    ck_assert_double_eq(s.q[3], 4.0);
    ck_assert_double_eq(s.impulse[0], 4.0);
    ck_assert_double_eq(s.friction[0], -1.0);
    ck_assert_double_eq(s.last[0], 1.0);
    ck_assert_double_eq(s.last_step, 0.5);
    ck_assert_double_eq(s.deepest.depth, 1e-3);
    ck_assert_double_eq(s.deepest.t, 2.5);
    ck_assert_int_eq(s.deepest.contact, 0);
    carom_contact_status status[2];
    toy_any_status(&s, status);
    ck_assert(status[0] == CAROM_CONTACT_STICK && status[1] == CAROM_CONTACT_OPEN);
    s.v[0] = 1.0 / s.J[3][0];
    toy_any_status(&s, status);
    ck_assert(status[0] == CAROM_CONTACT_SLIP);
    ck_assert(toy_finite(q, v));
    const double bad[4] = {0.0, NAN, 0.0, 0.0};
    ck_assert(!toy_finite(bad, v) && !toy_finite(q, bad));
}
END_TEST

START_TEST(a_host_hears_of_contacts)
{
    toy s = drawn(0.3);
    carom_contact_event heard[2];
    const double hits[5] = {0.0, 2.0, 0.0, -0.5, 0.0}, none[5] = {0.0}, both[5] = {0.0, 1.0, 1.0, 0.0, 0.0};
    const double q[4] = {0.0}, still[4] = {0.0};
    const carom_info info = {-1, 0, 0.0};
    memset(s.last, 0, sizeof s.last);
    s.v[0] = -3.0 / s.J[1][0];
    s.v[1] = s.v[2] = s.v[3] = 0.0;
    toy_any_listen(&s, heard, 2);
    toy_accept(&s, q, still, hits, 0.5, &info);
    ck_assert(s.events.count == 1 && toy_any_events(&s)->count == 1);
    ck_assert(heard[0].kind == CAROM_EVENT_CLOSING && heard[0].contact == 0);
    ck_assert_double_eq_tol(heard[0].before, -3.0, 1e-15);
    ck_assert_double_eq(heard[0].after, 0.0);
    ck_assert_double_eq(heard[0].impulse, 2.0);
    ck_assert_double_eq(heard[0].friction[0], -0.5);
    ck_assert_double_eq(heard[0].t, s.t);
    const double slides[4] = {1.0 / s.J[3][0], 0.0, 0.0, 0.0};
    toy_accept(&s, q, slides, hits, 0.5, &info);
    ck_assert(s.events.count == 2 && heard[1].kind == CAROM_EVENT_SLIPPING);
    toy_accept(&s, q, still, both, 0.5, &info); /* it sticks again and another one closes: no room */
    ck_assert(s.events.count == 2 && s.events.lost == 2);
    s.events.count = 0;
    toy_accept(&s, q, still, none, 0.5, &info);
    ck_assert(s.events.count == 2 && heard[0].kind == CAROM_EVENT_OPENING && heard[1].kind == CAROM_EVENT_OPENING);
}
END_TEST

START_TEST(time_does_not_drift)
{
    toy s = drawn(0.3);
    const double J[5] = {0.0}, q[4] = {0.0}, v[4] = {0.0};
    const carom_info info = {-1, 0, 0.0};
    double sum = 0.0;
    s.t = s.t_low = 0.0;
    for (int k = 1; k <= 10000; ++k) {
        toy_accept(&s, q, v, J, 1e-3, &info);
        sum += 1e-3;
        ck_assert_double_eq_tol(s.t, k * 1e-3, 2e-16 * k * 1e-3);
    }
    ck_assert_double_eq(s.t, 10.0);
    ck_assert(fabs(sum - 10.0) > 1e-13); /* what it would have been */
}
END_TEST

START_TEST(a_state_as_bytes)
{
    toy s = drawn(0.3), other;
    carom_failure failure;
    carom_contact_event heard[1];
    static unsigned char bytes[sizeof(carom_saved_state) + CAROM_KEPT + 1];
    const size_t size = sizeof bytes - 1;
    memset(&other, 0, sizeof other);
    s.failure = &failure;
    other.events = (carom_contact_events){.item = heard, .room = 1};
    ck_assert_uint_eq(sizeof(carom_saved_state), 96);
    ck_assert_uint_eq(toy_any_save(&s, bytes, size - 1), 0);
    ck_assert_uint_eq(toy_any_save(&s, bytes, sizeof bytes), size);
    ck_assert_int_eq(toy_any_load(&other, bytes, size - 1), CAROM_FOREIGN);
    ck_assert_int_eq(toy_any_load(&other, bytes, size + 1), CAROM_FOREIGN);
    for (size_t i = 0; i < size; i += i < 96 ? 1 : 37) { /* every field of the head, and some of the state */
        bytes[i] ^= 1U;
        ck_assert_int_eq(toy_any_load(&other, bytes, size), CAROM_FOREIGN);
        bytes[i] ^= 1U;
    }
    ck_assert_int_eq(toy_any_load(&other, bytes, size), CAROM_OK);
    ck_assert(other.failure == NULL && other.events.item == heard && other.events.room == 1);
    ck_assert(memcmp(other.q, s.q, sizeof s.q) == 0 && memcmp(other.J, s.J, sizeof s.J) == 0);
    double r[5];
    other.last_step = 0.5;
    for (int j = 0; j < 5; ++j) {
        other.last[j] = j;
    }
    toy_mean_forces(&other, r);
    ck_assert_double_eq(r[4], 8.0);
    ck_assert_int_eq(toy_any_set_params(&other, NULL), CAROM_ARGUMENT);
}
END_TEST

START_TEST(a_start_that_is_refused_and_steps_to_a_time)
{
    toy s = drawn(0.3);
    ck_assert_int_eq(toy_check_start(&s), CAROM_OK);
    s.at[0].g[2] = -1e-8;
    ck_assert_int_eq(toy_check_start(&s), CAROM_PENETRATION);
    ck_assert_int_eq(s.info.contact, 2);
    s.at[0].g[0] = 1e-5;
    ck_assert_int_eq(toy_check_start(&s), CAROM_VIOLATION);
    ck_assert_double_eq(s.info.residual, 1e-5);
    s.longest = 0.3;
    ck_assert_int_eq(toy_advance_to(&s, 1.0, 0.3), CAROM_OK); /* 0.3, 0.3, 0.3, 0.1 */
    ck_assert_uint_eq(s.counts.steps, 4);
    ck_assert_double_eq_tol(s.t, 1.0, 1e-15);
    ck_assert_int_eq(toy_advance_to(&s, 2.0, 0.5), CAROM_STAGES);
    ck_assert_int_eq(toy_advance_to(&s, 2.0, 0.0), CAROM_ARGUMENT);
    ck_assert_int_eq(toy_advance_to(&s, NAN, 0.1), CAROM_ARGUMENT);
    s.derived.e[1] = 0.5;
    ck_assert_int_eq(toy_any_deaden(&s), 1);
    ck_assert_int_eq(toy_any_deaden(&s), 0);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("straight");
    tcase_add_test(cases, contact_problems_with_and_without_what_they_may_be_handed);
    tcase_add_test(cases, nothing_in_the_set_and_equalities);
    tcase_add_test(cases, fixed_modes_hold_grip_and_slide);
    tcase_add_test(cases, redundant_rows_share_the_load);
    tcase_add_test(cases, accelerations_are_free_or_obey);
    tcase_add_test(cases, contact_problems_in_an_operator);
    tcase_add_test(cases, what_a_step_leaves_behind);
    tcase_add_test(cases, a_host_hears_of_contacts);
    tcase_add_test(cases, time_does_not_drift);
    tcase_add_test(cases, a_state_as_bytes);
    tcase_add_test(cases, a_start_that_is_refused_and_steps_to_a_time);
    return run_suite("straight", cases);
}
