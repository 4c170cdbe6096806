/* Restitution of impulses and of work (carom/rebound.h): closed forms of a rod, and energy that never grows. */
#include "carom/contact.h"
#include "carom/rebound.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t seed_state = 7;

static double uniform(void) /* in [0, 1) */
{
    seed_state ^= seed_state << 13;
    seed_state ^= seed_state >> 7;
    seed_state ^= seed_state << 17;
    return (double)(seed_state >> 11) / 9007199254740992.0;
}

/* A rod of mass 1, length 1 at an angle: W of its tip. */
static void rod(double phi, double *W)
{
    const double x = 0.5 * cos(phi), y = -0.5 * sin(phi);
    W[0] = 1.0 + 12.0 * x * x;
    W[1] = W[2] = -12.0 * x * y;
    W[3] = 1.0 + 12.0 * y * y;
}

static double gain(const double *W, const double *U, const double *P)
{
    return P[0] * U[0] + P[1] * U[1] + 0.5 * (P[0] * (W[0] * P[0] + W[1] * P[1]) + P[1] * (W[2] * P[0] + W[3] * P[1]));
}

/* One contact of two rows over two unknowns with unit mass, G with G G^T = W. */
static carom_status solve(const double *W, const double *U, double mu, double e, bool energetic, double *P)
{
    static const int Ai[2] = {0, 1}, Gp[3] = {0, 1, 3}, Gj[3] = {0, 0, 1}, order[3] = {0, 1, 2}, Kp[4] = {0, 0, 0, 1},
                     Kj[1] = {0}, Ks[1] = {-1}, Lp[4] = {0, 1, 1, 1}, Li[1] = {2}, Rp[4] = {0, 0, 0, 1}, Rj[1] = {0},
                     row[2] = {0, 1}, part[2] = {0, 0}, first[2] = {0, 2}, member[2] = {0, 1};
    static const double A[2] = {1.0, 1.0};
    static double room[8192], kkt[CAROM_KKT_WORK(2, 2, 1)];
    static int ikkt[CAROM_KKT_IWORK(2, 2)];
    const carom_kkt_tables t = {2, 1, 0, 2, 1, 1, Ai, Ai, Ai, Gp, Gj, order, Kp, Kj, Ks, Lp, Li, Rp, Rj};
    const double G[3] = {sqrt(W[0]), W[1] / sqrt(W[0]), sqrt(W[3] - W[1] * W[1] / W[0])};
    bool set[2] = {true, true};
    const bool hit[1] = {true};
    unsigned char active[2] = {0};
    double x[2];
    carom_info info = {-1, 0, 0.0};
    carom_counts counts = {.painleve_contact = -1};
    const carom_contact_problem p = {.tables = &t,
                                     .A = A,
                                     .rows = 2,
                                     .Gp = Gp,
                                     .Gj = Gj,
                                     .G = G,
                                     .contacts = 1,
                                     .dimension = 2,
                                     .row = row,
                                     .mu = &mu,
                                     .gaps = 1,
                                     .set = set,
                                     .b = U,
                                     .parts = 1,
                                     .part = part,
                                     .first = first,
                                     .member = member,
                                     .hit = hit,
                                     .rebound = &e,
                                     .energetic = &energetic,
                                     .speed = 1.0,
                                     .slow = 1e-8};
    carom_contact_space s = {.kkt = kkt, .ikkt = ikkt, .active = active, .room = room, .size = sizeof room};
    P[0] = P[1] = 0.0;
    return carom_contact_solve(&p, &s, x, P, &info, &counts);
}

static void near(const double *W, const double *U, double mu, double e, bool energetic, double normal, double tangent,
                 double energy)
{
    double P[2];
    ck_assert_int_eq(solve(W, U, mu, e, energetic, P), CAROM_OK);
    ck_assert_double_eq_tol(P[0], normal, 1e-11);
    ck_assert_double_eq_tol(P[1], tangent, 1e-11);
    ck_assert_double_eq_tol(gain(W, U, P), energy, 1e-11);
}

START_TEST(a_rod)
{
    double W[4];
    const double one[2] = {-1.0, -1.0}, other[2] = {-1.0, -0.75};
    rod(atan(1.0), W);
    near(W, one, 0.5, 0.5, false, 6.0 / 13.0, 8.0 / 65.0, -0.214201183432);
    near(W, one, 0.5, 0.5, true, 0.480959777216, 0.123156475028, -0.207154005255);
    rod(0.95, W);
    near(W, other, 0.3, 1.0, false, 0.960173375823, -0.121063729937, -0.083623635687);
    near(W, other, 0.3, 1.0, true, 0.969259326643, -0.096387507519, -0.069173800856);
}
END_TEST

/* Newton's law gains up to 0.1245 of the square of the closing speed with these rods; the others never anything. */
START_TEST(energy_never_grows)
{
    double most[2] = {-HUGE_VAL, -HUGE_VAL};
    const char *const share = getenv("CAROM_TEST_LONG");
    const int count = share != NULL && atof(share) > 0.0 ? 100000 : 5000;
    for (int k = 0; k < count; ++k) {
        double W[4], P[2];
        const double U[2] = {-1.0, 6.0 * uniform() - 3.0}, mu = 2.0 * uniform(), e = uniform();
        rod(6.3 * uniform(), W);
        for (int energetic = 0; energetic < 2; ++energetic) {
            ck_assert_int_eq(solve(W, U, mu, e, energetic != 0, P), CAROM_OK);
            ck_assert_double_ge(W[0] * P[0] + W[1] * P[1] + U[0], -1e-12);
            ck_assert_double_le(fabs(P[1]), mu * P[0] * (1.0 + 1e-12) + 1e-15);
            most[energetic] = fmax(most[energetic], gain(W, U, P));
        }
    }
    ck_assert_double_le(most[0], 1e-13);
    ck_assert_double_le(most[1], 1e-13);
}
END_TEST

/* Without friction, and where nothing turns round, the three laws are one: P_N = (1 + e) |U_N| / W_NN. */
START_TEST(one_law_without_friction)
{
    for (int k = 0; k < 1000; ++k) {
        double W[4], P[2];
        const double U[2] = {-1.0 - uniform(), 3.0 * uniform()}, e = uniform();
        rod(6.3 * uniform(), W);
        for (int energetic = 0; energetic < 2; ++energetic) {
            ck_assert_int_eq(solve(W, U, 0.0, e, energetic != 0, P), CAROM_OK);
            ck_assert_double_eq_tol(P[0], -(1.0 + e) * U[0] / W[0], 1e-13);
            ck_assert_double_eq(P[1], 0.0);
        }
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("all");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_rod);
    tcase_add_test(cases, energy_never_grows);
    tcase_add_test(cases, one_law_without_friction);
    return run_suite("rebound", cases);
}
