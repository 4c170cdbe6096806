/* The contact problem over tables: every solver against the equations and the law, computed here without it. */
#include "carom/contact.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { NV = 48, ROWS = 80, CONTACTS = 24, N = NV + ROWS, ROOM = 1 << 22 };

static uint64_t seed_state = 1;

static double uniform(void) /* in [-1, 1) */
{
    seed_state ^= seed_state << 13;
    seed_state ^= seed_state >> 7;
    seed_state ^= seed_state << 17;
    return (double)(seed_state >> 11) / 4503599627370496.0 - 1.0;
}

/* ---- a system with a full factor: any order that puts rows after unknowns will do -------------------------------- */

typedef struct {
    int Ai[NV * NV], Aj[NV * NV], Ad[NV], Gp[ROWS + 1], Gj[ROWS * NV], order[N], Kp[N + 1], Kj[N * N], Ks[N * N],
        Lp[N + 1], Li[N * N / 2], Rp[N + 1], Rj[N * N / 2];
    double A[NV * NV], G[ROWS * NV], f[NV], b[ROWS], carried[ROWS], mu[CONTACTS], slide[ROWS], x[NV], r[ROWS];
    double kkt[CAROM_KKT_WORK(NV, ROWS, N *N / 2)];
    int ikkt[CAROM_KKT_IWORK(NV, ROWS)], row[3 * CONTACTS], part[NV], first[NV + 1], member[NV];
    unsigned char active[ROWS];
    bool set[ROWS];
    double room[ROOM / 8];
    carom_kkt_tables t;
    carom_contact_problem p;
    carom_contact_space s;
} sample;

static sample it;

static void entry(int i, int j, double value)
{
    for (int k = 0; k < it.t.na; ++k) {
        if (it.Ai[k] == i && it.Aj[k] == j) {
            it.A[k] += value;
            return;
        }
    }
    it.Ai[it.t.na] = i;
    it.Aj[it.t.na] = j;
    it.A[it.t.na++] = value;
}

/* pattern of a factor without zeros; the first `written` rows belong to the tables */
static void tabulate(int nv, int ne, int written)
{
    int kp = 0, l = 0;
    it.t.nv = nv;
    it.t.ne = ne;
    it.t.nr = written;
    it.t.ng = it.Gp[written];
    for (int k = 0; k < it.t.na; ++k) {
        if (it.Ai[k] == it.Aj[k]) {
            it.Ad[it.Ai[k]] = k;
        }
    }
    const int n = nv + written;
    for (int k = 0; k < n; ++k) {
        it.order[k] = k;
        it.Kp[k] = kp;
        for (int e = 0; k < nv && e < it.t.na; ++e) {
            if (it.Aj[e] == k && it.Ai[e] < k) {
                it.Kj[kp] = it.Ai[e];
                it.Ks[kp++] = e;
            }
        }
        for (int e = k < nv ? 0 : it.Gp[k - nv]; k >= nv && e < it.Gp[k - nv + 1]; ++e) {
            it.Kj[kp] = it.Gj[e];
            it.Ks[kp++] = -1 - e;
        }
        it.Lp[k] = l;
        for (int i = k + 1; i < n; ++i) {
            it.Li[l++] = i;
        }
    }
    it.Kp[n] = kp;
    it.Lp[n] = l;
    l = 0;
    for (int k = 0; k < n; ++k) {
        it.Rp[k] = l;
        for (int j = 0; j < k; ++j) {
            it.Rj[l++] = j;
        }
    }
    it.Rp[n] = it.t.nl = l;
    it.t.Ai = it.Ai, it.t.Aj = it.Aj, it.t.Ad = it.Ad, it.t.Gp = it.Gp, it.t.Gj = it.Gj, it.t.order = it.order;
    it.t.Kp = it.Kp, it.t.Kj = it.Kj, it.t.Ks = it.Ks, it.t.Lp = it.Lp, it.t.Li = it.Li, it.t.Rp = it.Rp,
    it.t.Rj = it.Rj;
}

typedef struct {
    int bodies, contacts, dimension, bilateral;
    bool coupled; /* springs between the bodies in A */
    bool rough, carried;
    int found; /* contacts that are not in the tables: the last */
} shape;

/* Bodies of three unknowns each, coupled among themselves; contacts between two bodies or a body and the ground. */
static void make(shape s, uint64_t seed)
{
    const int nv = 3 * s.bodies, d = s.dimension;
    seed_state = seed * 0x9E3779B97F4A7C15U + 1U;
    memset(&it, 0, sizeof it);
    for (int i = 0; i < s.bodies; ++i) {
        const double a = 0.3 * uniform(), b = 0.3 * uniform();
        it.part[3 * i] = it.part[3 * i + 1] = it.part[3 * i + 2] = i;
        it.first[i + 1] = 3 * i + 3;
        for (int k = 0; k < 3; ++k) {
            entry(3 * i + k, 3 * i + k, 1.5 + uniform());
            it.member[3 * i + k] = 3 * i + k;
        }
        entry(3 * i, 3 * i + 1, a);
        entry(3 * i + 1, 3 * i + 2, b);
    }
    for (int i = 0; i + 1 < s.bodies && s.coupled; ++i) {
        entry(3 * i, 3 * i, 0.7);
        entry(3 * i + 3, 3 * i + 3, 0.7);
        entry(3 * i, 3 * i + 3, -0.7);
    }
    double velocity[NV];
    for (int k = 0; k < nv; ++k) {
        velocity[k] = uniform();
    }
    const int written = s.contacts - s.found;
    int row = 0, count = 0;
    for (int pass = 0; pass < 4; ++pass) { /* bilateral, written normals, their tangents, found contacts with theirs */
        const int rows = pass == 0 ? s.bilateral : pass == 1 ? written : pass == 2 ? written * (d - 1) : s.found * d;
        for (int k = 0; k < rows; ++k) {
            const int c = pass == 1 ? k : pass == 2 ? k / (d - 1) : pass == 3 ? written + k / d : -1;
            const int component = pass == 1 ? 0 : pass == 2 ? 1 + k % (d - 1) : pass == 3 ? k % d : -1;
            const int one = c >= 0 ? c % s.bodies : (2 * k) % s.bodies,
                      two = c >= 0 ? (c * 7 + 3) % s.bodies : (2 * k + 1) % s.bodies;
            for (int l = 0; l < 3; ++l) {
                it.Gj[count] = 3 * one + l;
                it.G[count++] = 0.5 * uniform() + (component == l ? 1.5 : 0.0);
            }
            for (int l = 0; l < 3 && two != one && (c < 0 || c % 3 != 0); ++l) {
                it.Gj[count] = 3 * two + l;
                it.G[count++] = 0.5 * uniform() - (component == l ? 1.5 : 0.0);
            }
            if (c >= 0) {
                it.row[d * c + component] = row;
            }
            it.b[row] = component == 0 ? 0.1 : 0.0; /* with this velocity all contacts separate: there is a solution */
            for (int e = it.Gp[row]; e < count; ++e) {
                it.b[row] -= it.G[e] * velocity[it.Gj[e]];
            }
            it.carried[row] = component == 0 ? 0.1 + 0.1 * uniform() : 0.05 * uniform();
            it.set[row] = c < 0 || c % 5 != 4;
            it.Gp[++row] = count;
        }
    }
    for (int c = 0; c < s.contacts; ++c) {
        it.mu[c] = s.rough && c % 4 != 3 ? 0.4 + 0.3 * uniform() : 0.0;
        for (int k = 1; k < d; ++k) { /* tangents follow their contact where it has friction */
            it.set[it.row[d * c + k]] = it.set[it.row[d * c]] && it.mu[c] > 0.0;
        }
    }
    for (int k = 0; k < nv; ++k) {
        it.f[k] = uniform();
    }
    tabulate(nv, s.bilateral, s.bilateral + written);
    it.p = (carom_contact_problem){.tables = &it.t,
                                   .A = it.A,
                                   .rows = row,
                                   .Gp = it.Gp,
                                   .Gj = it.Gj,
                                   .G = it.G,
                                   .contacts = s.contacts,
                                   .dimension = d,
                                   .row = it.row,
                                   .mu = it.mu,
                                   .gaps = s.bilateral + written,
                                   .set = it.set,
                                   .f = it.f,
                                   .b = it.b,
                                   .carried = s.carried ? it.carried : NULL,
                                   .speed = 1.0,
                                   .slow = 1e-8};
    if (!s.coupled) {
        it.p.parts = 0; /* what a bilateral row joins is one */
        for (int i = 0; i < s.bodies; ++i) {
            const bool joined = i % 2 == 1 && i / 2 < s.bilateral;
            it.p.parts += joined ? 0 : 1;
            it.first[it.p.parts] = 3 * i + 3;
            it.part[3 * i] = it.part[3 * i + 1] = it.part[3 * i + 2] = it.p.parts - 1;
        }
        it.p.part = it.part;
        it.p.first = it.first;
        it.p.member = it.member;
    }
    it.s = (carom_contact_space){
        .kkt = it.kkt, .ikkt = it.ikkt, .active = it.active, .room = it.room, .size = sizeof it.room};
}

/* ---- what is left of the problem ---------------------------------------------------------------------------------- */

static double left(void)
{
    const carom_contact_problem *const p = &it.p;
    double worst = 0.0, rest[NV], u[ROWS];
    for (int j = 0; j < it.t.nv; ++j) {
        rest[j] = -p->f[j];
    }
    for (int k = 0; k < it.t.na; ++k) {
        rest[it.Ai[k]] += it.A[k] * it.x[it.Aj[k]];
        rest[it.Aj[k]] += it.Ai[k] != it.Aj[k] ? it.A[k] * it.x[it.Ai[k]] : 0.0;
    }
    for (int i = 0; i < p->rows; ++i) {
        const double carried = p->carried != NULL ? p->carried[i] : 0.0;
        u[i] = p->b[i];
        for (int k = it.Gp[i]; k < it.Gp[i + 1]; ++k) {
            u[i] += it.G[k] * it.x[it.Gj[k]];
            rest[it.Gj[k]] -= it.set[i] ? it.G[k] * (it.r[i] - carried) : 0.0;
        }
        if (!it.set[i]) {
            worst = fmax(worst, fabs(it.r[i] - carried));
        } else if (i < it.t.ne) {
            worst = fmax(worst, fabs(u[i]));
        }
    }
    for (int j = 0; j < it.t.nv; ++j) {
        worst = fmax(worst, fabs(rest[j]));
    }
    for (int c = 0; c < p->contacts; ++c) {
        const int *const row = it.row + p->dimension * c;
        double z[3] = {it.r[row[0]], 0.0, 0.0}, y[3] = {u[row[0]], 0.0, 0.0};
        bool slides = false;
        double off = 0.0;
        for (int k = 1; k < p->dimension && it.set[row[k]]; ++k) {
            const double slide = p->slide != NULL ? p->slide[row[k] - p->gaps] : 0.0;
            slides = slides || slide != 0.0;
            off = fmax(off, fabs(it.r[row[k]] + p->mu[c] * slide * z[0]));
            z[k] = it.r[row[k]];
            y[k] = u[row[k]];
        }
        if (it.set[row[0]] && slides) {
            worst = fmax(worst, fmax(off, fabs(fmin(z[0], y[0]))));
        } else if (it.set[row[0]]) {
            const bool rough = p->dimension > 1 && it.set[row[1]];
            worst = fmax(worst, rough ? sqrt(carom_law_coulomb(p->dimension > 2 ? 3 : 2, p->mu[c], 1.0, z, y))
                                      : fabs(fmin(z[0], y[0])));
        }
    }
    return worst;
}

static carom_status solve(const char *solver, double tolerance)
{
    carom_info info = {-1, 0, 0.0};
    carom_counts counts = {.painleve_contact = -1};
    memset(it.r, 0, sizeof it.r);
    memset(it.x, 0xff, sizeof it.x);
    memset(it.room, 0xff, sizeof it.room);
    memset(it.active, 0, sizeof it.active);
    it.s.factor = CAROM_FACTOR_NONE;
    it.p.solver = solver;
    it.p.tolerance = tolerance;
    const carom_status status = carom_contact_solve(&it.p, &it.s, it.x, it.r, &info, &counts);
    ck_assert_uint_eq(counts.contact_solves, status == CAROM_ARGUMENT ? 0U : 1U);
    return status;
}

static void good(const char *solver, double tolerance, double limit)
{
    const carom_status status = solve(solver, tolerance);
    ck_assert_msg(status == CAROM_OK, "%s: %s, %d bodies %d contacts %d rows", solver != NULL ? solver : "auto",
                  carom_status_text(status), it.p.parts, it.p.contacts, it.t.ne);
    const double rest = left();
    ck_assert_msg(rest <= limit, "%s leaves %g", solver != NULL ? solver : "auto", rest);
}

START_TEST(every_solver_obeys_the_law)
{
    const shape shapes[] = {
        {4, 6, 2, 0, false, true, false, 0}, {6, 12, 3, 0, false, true, true, 0}, {6, 10, 3, 2, false, true, false, 0},
        {6, 10, 2, 2, true, true, true, 0},  {8, 14, 3, 3, true, true, false, 0}, {1, 1, 3, 0, false, true, false, 0},
        {1, 1, 2, 0, true, true, true, 0},   {2, 2, 2, 1, true, true, false, 0},  {6, 12, 3, 0, false, true, true, 5},
        {6, 10, 2, 2, true, true, true, 4},  {8, 12, 1, 2, true, false, true, 5}, {6, 9, 3, 0, false, false, true, 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            make(shapes[k], 100 * k + seed);
            good(NULL, 0.0, 1e-9);
            good("full", 0.0, 1e-9);
            good("products", 1e-9, 1e-6);
            const bool local = !shapes[k].coupled && shapes[k].bilateral == 0,
                       smooth = !shapes[k].rough && shapes[k].found == 0;
            if (!shapes[k].coupled) {
                good("sparse", 0.0, 1e-9);
            }
            if (!shapes[k].coupled && shapes[k].dimension == 3) {
                good("pile", 0.0, 1e-9);
            }
            if (smooth) {
                good("kkt", 0.0, 1e-9);
            }
            const bool pile = shapes[k].found > 0 && shapes[k].dimension == 3;
            ck_assert_str_eq((it.p.solver = NULL, carom_contact_choice(&it.p)), smooth  ? "kkt"
                                                                                : pile  ? "pile"
                                                                                : local ? "sparse"
                                                                                        : "full");
        }
    }
}
END_TEST

START_TEST(what_a_solver_cannot_do_is_said)
{
    make((shape){4, 6, 2, 2, true, true, false, 0}, 1);
    ck_assert_int_eq(solve("kkt", 0.0), CAROM_ARGUMENT);    /* friction */
    ck_assert_int_eq(solve("sparse", 0.0), CAROM_ARGUMENT); /* bilateral rows, and A couples everything */
    make((shape){4, 6, 1, 0, true, false, false, 2}, 1);
    ck_assert_int_eq(solve("kkt", 0.0), CAROM_ARGUMENT); /* rows that are not in the tables */
    ck_assert_str_eq((it.p.solver = NULL, carom_contact_choice(&it.p)), "full");
}
END_TEST

/* a room too small for a full matrix: products; with next to none, no answer */
START_TEST(room)
{
    make((shape){8, 14, 3, 3, true, true, false, 0}, 3);
    it.s.size = 24000;
    good(NULL, 1e-9, 1e-6);
    it.s.size = 300;
    carom_info info;
    carom_counts counts = {0};
    ck_assert_int_eq(carom_contact_solve(&it.p, &it.s, it.x, it.r, &info, &counts), CAROM_ARGUMENT);
}
END_TEST

START_TEST(the_promised_room_is_enough)
{
    const shape shapes[] = {
        {16, 24, 3, 0, false, true, true, 0}, {6, 12, 3, 2, true, true, true, 0}, {1, 1, 2, 0, true, true, true, 0}};
    for (int k = 0; k < 3; ++k) {
        make(shapes[k], 7);
        const int n = shapes[k].contacts, d = shapes[k].dimension;
        int blocks = 0;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                bool share = shapes[k].coupled;
                for (int a = it.Gp[it.row[d * i]]; a < it.Gp[it.row[d * i] + 1]; ++a) {
                    for (int b = it.Gp[it.row[d * j]]; b < it.Gp[it.row[d * j] + 1]; ++b) {
                        share = share || it.part[it.Gj[a]] == it.part[it.Gj[b]];
                    }
                }
                blocks += share ? 1 : 0;
            }
        }
        it.s.size = CAROM_CONTACT_ROOM(it.t.nv, it.t.nr, n, d) +
                    (shapes[k].coupled ? CAROM_CONTACT_MATRIX(d, n) : CAROM_CONTACT_SPARSE(d, blocks));
        ck_assert_uint_le(it.s.size, sizeof it.room);
        good(NULL, 0.0, 1e-9); /* products would not reach it */
    }
}
END_TEST

/* the direction of sliding is given: r_T = -mu slide r_N */
START_TEST(sliding)
{
    for (int d = 2; d <= 3; ++d) {
        for (uint64_t seed = 1; seed <= 5; ++seed) {
            make((shape){5, 8, d, seed % 2 == 0 ? 2 : 0, false, true, true, 0}, seed);
            for (int c = 0; c < 8; ++c) {
                it.mu[c] *= 0.2; /* no wedge */
                for (int k = 1; k < d && c % 2 == 0; ++k) {
                    it.slide[it.row[d * c + k] - it.p.gaps] = d == 2 ? -1.0 : k == 1 ? 0.6 : 0.8;
                }
            }
            it.p.slide = it.slide;
            good(NULL, 0.0, 1e-9);
            good("products", 1e-9, 1e-6);
            if (d == 3) {
                good("pile", 0.0, 1e-9);
            }
        }
    }
}
END_TEST

/* A rod that wedges: with W_NN - mu W_NT < 0 no finite force. It is said, or the contact leaves the set and is counted, or its whole law
 * is solved. */
START_TEST(painleve)
{
    static const int Ai[2] = {0, 1}, Gp[3] = {0, 2, 4}, Gj[4] = {0, 1, 0, 1};
    make((shape){1, 1, 2, 0, false, true, false, 0}, 1);
    memset(&it.t, 0, sizeof it.t);
    memcpy(it.Ai, Ai, sizeof Ai);
    memcpy(it.Aj, Ai, sizeof Ai);
    memcpy(it.Gp, Gp, sizeof Gp);
    memcpy(it.Gj, Gj, sizeof Gj);
    it.t.na = 2;
    it.A[0] = it.A[1] = 1.0;
    it.G[0] = 1.0, it.G[1] = 0.5, it.G[2] = 1.0, it.G[3] = -0.2; /* W_NN = 1.25, W_NT = .9 */
    it.f[0] = it.f[1] = 0.0;
    it.b[0] = -1.0, it.b[1] = 1.0;
    it.mu[0] = 2.0;
    it.slide[0] = 1.0;
    it.set[0] = it.set[1] = true;
    it.p.part = NULL;
    it.p.slide = it.slide;
    tabulate(2, 0, 1);
    carom_info info = {-1, 0, 0.0};
    carom_counts counts = {.painleve_contact = -1};
    it.p.t = 3.0;
    ck_assert_int_eq(carom_contact_solve(&it.p, &it.s, it.x, it.r, &info, &counts), CAROM_PAINLEVE);
    ck_assert_int_eq(info.contact, 0);
    ck_assert_double_eq_tol(info.residual, 1.25 - 2.0 * 0.9, 1e-14);
    it.p.how = CAROM_FALL_BACK;
    it.s.factor = CAROM_FACTOR_NONE;
    ck_assert_int_eq(carom_contact_solve(&it.p, &it.s, it.x, it.r, &info, &counts), CAROM_OK);
    it.p.slide = NULL;
    ck_assert_double_lt(left(), 1e-12);
    ck_assert_double_gt(it.r[0], 0.0);
    it.p.slide = it.slide;
    it.p.how = CAROM_DROP;
    it.s.factor = CAROM_FACTOR_NONE;
    ck_assert_int_eq(carom_contact_solve(&it.p, &it.s, it.x, it.r, &info, &counts), CAROM_OK);
    ck_assert(!it.set[0] && !it.set[1]);
    ck_assert_double_eq(it.r[0], 0.0);
    ck_assert_uint_eq(counts.painleve, 1U);
    ck_assert_int_eq(counts.painleve_contact, 0);
    ck_assert_double_eq(counts.painleve_time, 3.0);
}
END_TEST

/* A contact whose normal a bilateral row is: it carries nothing while that is all right, and is named when it is not. */
START_TEST(locked)
{
    make((shape){2, 2, 2, 1, false, true, false, 0}, 5);
    const int own = it.Gp[1] - it.Gp[0], length = it.Gp[2] - it.Gp[1];
    for (int k = 0; k < length; ++k) { /* the first contact's normal is the bilateral row, as far as it goes */
        it.Gj[it.Gp[1] + k] = it.Gj[it.Gp[0] + k];
        it.G[it.Gp[1] + k] = it.G[it.Gp[0] + k];
    }
    for (int k = length; k < own; ++k) {
        it.G[it.Gp[0] + k] = 0.0;
    }
    tabulate(6, 1, 3);
    it.b[1] = it.b[0] + 0.1; /* u_N = .1 */
    good(NULL, 0.0, 1e-9);
    ck_assert_double_eq(it.r[1], 0.0);
    it.b[1] = it.b[0] - 0.1;
    carom_info info = {-1, 0, 0.0};
    carom_counts counts = {0};
    it.s.factor = CAROM_FACTOR_NONE;
    ck_assert_int_eq(carom_contact_solve(&it.p, &it.s, it.x, it.r, &info, &counts), CAROM_CONTACT);
    ck_assert_int_eq(info.contact, 1);
    ck_assert_double_eq_tol(info.residual, 0.1, 1e-9);
}
END_TEST

/* a factor that is kept serves again, with and without friction */
START_TEST(factor_again)
{
    for (int rough = 0; rough < 2; ++rough) {
        make((shape){6, 10, 2, 2, true, rough != 0, false, 0}, 11);
        good(NULL, 0.0, 1e-9);
        ck_assert_int_eq(it.s.factor, rough ? CAROM_FACTOR_BILATERAL : CAROM_FACTOR_ACTIVE);
        for (int k = 0; k < it.t.nv; ++k) {
            it.f[k] = uniform();
        }
        carom_info info = {-1, 0, 0.0};
        carom_counts counts = {0};
        it.p.solver = NULL;
        ck_assert_int_eq(carom_contact_solve(&it.p, &it.s, it.x, it.r, &info, &counts), CAROM_OK);
        ck_assert_double_lt(left(), 1e-9);
    }
}
END_TEST

START_TEST(held_rows)
{
    make((shape){6, 8, 2, 2, true, true, false, 0}, 2);
    carom_info info = {-1, 0, 0.0};
    memset(it.f, 0, sizeof it.f);
    for (int i = 4; i < it.p.rows; ++i) {
        it.set[i] = false; /* two bilateral rows, two normals */
    }
    ck_assert_int_eq(carom_contact_hold(&it.p, &it.s, it.x, it.r, &info), CAROM_OK);
    for (int i = 0; i < it.p.rows; ++i) {
        double u = it.b[i];
        for (int k = it.Gp[i]; k < it.Gp[i + 1]; ++k) {
            u += it.G[k] * it.x[it.Gj[k]];
        }
        ck_assert(it.set[i] ? fabs(u) < 1e-12 : it.r[i] == 0.0);
    }
}
END_TEST

START_TEST(fixed_modes)
{
    for (int d = 2; d <= 3; ++d) { /* of eight contacts one slides, two stick, others are open */
        make((shape){8, 8, d, d == 2 ? 2 : 0, d == 2, true, false, 0}, 5);
        bool grip[ROWS] = {false};
        double slide[ROWS] = {0.0}, f[NV] = {0.0};
        carom_info info = {-1, 0, 0.0};
        it.p.f = NULL;
        it.p.slide = slide;
        for (int c = 0; c < 8; ++c) {
            it.mu[c] = 0.2;
            it.set[it.row[d * c]] = c == 1 || c == 2 || c == 5;
            grip[it.row[d * c]] = c == 2 || c == 5;
        }
        slide[it.row[d * 1 + 1] - it.p.gaps] = d == 2 ? -1.0 : 0.6;
        if (d == 3) {
            slide[it.row[d * 1 + 2] - it.p.gaps] = 0.8;
        }
        ck_assert_int_eq(carom_contact_fix(&it.p, grip, true, &it.s, it.x, it.r, &info), CAROM_OK);
        for (int i = 0; i < it.p.rows; ++i) {
            double u = it.b[i];
            for (int k = it.Gp[i]; k < it.Gp[i + 1]; ++k) {
                u += it.G[k] * it.x[it.Gj[k]];
                f[it.Gj[k]] += it.G[k] * it.r[i];
            }
            ck_assert(i >= it.p.gaps || (it.set[i] ? fabs(u) < 1e-10 : it.r[i] == 0.0));
            for (int c = 0; c < 8; ++c) {
                for (int k = 1; k < d && it.row[d * c + k] == i; ++k) {
                    const double friction = c == 1 ? -0.2 * slide[i - it.p.gaps] * it.r[it.row[d]] : 0.0;
                    ck_assert(grip[it.row[d * c]] ? fabs(u) < 1e-10 : fabs(it.r[i] - friction) < 1e-12);
                }
            }
        }
        for (int k = 0; k < it.t.na; ++k) { /* A x = G^T r */
            f[it.Ai[k]] -= it.A[k] * it.x[it.Aj[k]];
            f[it.Aj[k]] -= it.Ai[k] != it.Aj[k] ? it.A[k] * it.x[it.Ai[k]] : 0.0;
        }
        for (int k = 0; k < it.t.nv; ++k) {
            ck_assert_double_eq_tol(f[k], 0.0, 1e-10);
        }
        it.mu[1] = 1e3; /* no finite force */
        int none = 0;
        for (int way = 0; way < 2; ++way) {
            slide[it.row[d * 1 + 1] - it.p.gaps] *= -1.0;
            if (carom_contact_fix(&it.p, grip, true, &it.s, it.x, it.r, &info) == CAROM_PAINLEVE) {
                ck_assert_int_eq(info.contact, it.row[d]);
                ++none;
            }
        }
        ck_assert_int_gt(none, 0);
        it.s.size = 64;
        ck_assert_int_eq(carom_contact_fix(&it.p, grip, true, &it.s, it.x, it.r, &info), CAROM_ARGUMENT);
    }
}
END_TEST

START_TEST(table)
{
    int count = 0;
    const carom_solver *const solver = carom_contact_solvers(&count);
    ck_assert_int_eq(count, 5);
    for (int k = 0; k < count; ++k) {
        ck_assert(solver[k].name != NULL && solver[k].text != NULL && solver[k].laws != 0U);
        const bool can = strcmp(solver[k].name, "kkt") != 0;
        ck_assert_int_eq(carom_solver_can(&solver[k], CAROM_LAW_SPATIAL, 10), can);
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("contact");
    tcase_add_test(cases, every_solver_obeys_the_law);
    tcase_add_test(cases, what_a_solver_cannot_do_is_said);
    tcase_add_test(cases, room);
    tcase_add_test(cases, the_promised_room_is_enough);
    tcase_add_test(cases, sliding);
    tcase_add_test(cases, painleve);
    tcase_add_test(cases, locked);
    tcase_add_test(cases, factor_again);
    tcase_add_test(cases, held_rows);
    tcase_add_test(cases, fixed_modes);
    tcase_add_test(cases, table);
    return run_suite("contact", cases);
}
