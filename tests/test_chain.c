/* Impacts of chains (carom/chain.h): closed forms, published numbers, laws that hold for all, on chains from a fixed
 * sequence. */
#include "carom/chain.h"
#include "suite.h"

#define MOST 6

static double random_number(unsigned long long *state) /* in (0, 1) */
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return ((double)(*state >> 12) + 0.5) / 4503599627370496.0;
}

/* Balls of masses m with velocities v on a line; all contacts touch. v becomes what it is after the impact. */
static bool collide(int balls, const double *m, double *v, const double *e, const double *k, const double *eta)
{
    const int n = balls - 1;
    double W[MOST * MOST] = {0.0}, U[MOST], P[MOST], work[CAROM_CHAIN_WORK(MOST)];
    for (int i = 0; i < n; ++i) {
        U[i] = v[i + 1] - v[i];
        W[i * n + i] = 1.0 / m[i] + 1.0 / m[i + 1];
        if (i > 0) {
            W[i * n + i - 1] = W[(i - 1) * n + i] = -1.0 / m[i];
        }
    }
    if (!carom_chain(n, U, W, e, k, eta, P, work)) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        v[i] -= P[i] / m[i];
        v[i + 1] += P[i] / m[i + 1];
        ck_assert_double_ge(P[i], 0.0);
    }
    for (int i = 0; i < n; ++i) {
        ck_assert_double_eq_tol(U[i], v[i + 1] - v[i], 1e-9);
    }
    return true;
}

START_TEST(published_chains)
{
    const double one[MOST] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, hertz[MOST] = {1.5, 1.5, 1.5, 1.5, 1.5, 1.5};
    const double three[3] = {-0.070952353645, 0.076403039068, 0.994549314578};
    const double linear[3] = {-0.130262, 0.150230, 0.980032};
    const double five[5] = {-0.071085, -0.030274, -0.014464, 0.127045, 0.988777};
    double v[MOST] = {1.0, 0.0, 0.0};
    ck_assert(collide(3, one, v, one, one, hertz));
    for (int i = 0; i < 3; ++i) {
        ck_assert_double_eq_tol(v[i], three[i], 1e-9);
        v[i] = i == 0 ? 1.0 : 0.0;
    }
    ck_assert(collide(3, one, v, one, one, one));
    for (int i = 0; i < 3; ++i) {
        ck_assert_double_eq_tol(v[i], linear[i], 6e-7);
    }
    for (int i = 0; i < 5; ++i) {
        v[i] = i == 0 ? 1.0 : 0.0;
    }
    ck_assert(collide(5, one, v, one, one, hertz));
    for (int i = 0; i < 5; ++i) {
        ck_assert_double_eq_tol(v[i], five[i], 6e-7);
    }
}
END_TEST

/* A contact alone: U+ = -e U, whatever the spring. */
START_TEST(one_contact)
{
    unsigned long long state = 7;
    for (int trial = 0; trial < 100; ++trial) {
        const double m[2] = {0.1 + random_number(&state), 0.1 + random_number(&state)};
        const double e = 0.05 + 0.95 * random_number(&state), k = 0.1 + 10.0 * random_number(&state);
        const double eta = 1.0 + random_number(&state);
        double v[2] = {random_number(&state), -random_number(&state)};
        const double U = v[1] - v[0];
        ck_assert(collide(2, m, v, &e, &k, &eta));
        ck_assert_double_eq_tol(v[1] - v[0], -e * U, 1e-8);
    }
}
END_TEST

/* Chains of any masses, springs, restitution: momentum stays, energy never grows (and stays with e = 1), nothing
 * approaches afterwards. A spring much stiffer than the one before it makes a sequence of two. */
START_TEST(laws)
{
    unsigned long long state = 11;
    for (int trial = 0; trial < 300; ++trial) {
        double m[MOST], v[MOST], e[MOST], k[MOST], eta[MOST], energy[2] = {0.0, 0.0}, momentum[2] = {0.0, 0.0};
        const int balls = 2 + trial % 4;
        for (int i = 0; i < balls; ++i) {
            m[i] = 0.1 + 3.0 * random_number(&state);
            v[i] = 2.0 * random_number(&state) - 1.0;
            e[i] = trial % 3 == 0 ? 1.0 : random_number(&state);
            k[i] = 0.01 + 10.0 * random_number(&state);
            eta[i] = 1.0 + random_number(&state);
            energy[0] += 0.5 * m[i] * v[i] * v[i];
            momentum[0] += m[i] * v[i];
        }
        ck_assert(collide(balls, m, v, e, k, eta));
        for (int i = 0; i < balls; ++i) {
            energy[1] += 0.5 * m[i] * v[i] * v[i];
            momentum[1] += m[i] * v[i];
            ck_assert(i == 0 || v[i] - v[i - 1] > -1e-9);
        }
        ck_assert_double_eq_tol(momentum[1], momentum[0], 1e-12);
        ck_assert_double_le(energy[1], energy[0] * (1.0 + 1e-8));
        ck_assert(trial % 3 != 0 || energy[1] > energy[0] * (1.0 - 1e-8));
    }
    const double one[3] = {1.0, 1.0, 1.0}, hertz[2] = {1.5, 1.5}, stiff[2] = {1e8, 1.0};
    double v[3] = {1.0, 0.0, 0.0};
    ck_assert(collide(3, one, v, one, stiff, hertz)); /* the first collision is over before the second begins */
    ck_assert_double_eq_tol(v[2], 1.0, 1e-3);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("chain");
    tcase_add_test(cases, published_chains);
    tcase_add_test(cases, one_contact);
    tcase_add_test(cases, laws);
    return run_suite("chain", cases);
}
