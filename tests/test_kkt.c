/* The sparse contact solver against the dense one, closed forms, and a residual computed here. */
#include "carom/lcp.h"
#include "kkt_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double room[CAROM_LCP_WORK(CAROM_LCP_MAX)];

enum { SMALL = 12, MANY = 40 };

/* Random small system; always feasible (b >= 0 where nothing moves, b = 0 if bilateral). Rows repeated on demand: `repeated` of four, with
 * other factors, and when `opposing` also with the other sign. */
static contact_system random_system(int nv, int nr, int ne, int repeated, int opposing)
{
    double A[SMALL * SMALL] = {0}, G[MANY * SMALL] = {0}, B[SMALL * SMALL], still[SMALL];
    for (int k = 0; k < nv * nv; k++) {
        B[k] = pick(3) ? 0.0 : uniform();
    }
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
            A[i * nv + j] = (i == j) ? 0.3 : 0.0;
            for (int k = 0; k < nv; k++) {
                A[i * nv + j] += B[i * nv + k] * B[j * nv + k];
            }
        }
        still[i] = uniform();
    }
    for (int i = 0; i < nr; i++) {
        const int copy = repeated && i > 0 && pick(4) < repeated, of = copy ? pick(i) : i;
        const double factor = (opposing && pick(2)) ? -0.5 : (opposing && pick(2)) ? 1.0 : 2.0;
        for (int j = 0; j < nv; j++) {
            G[i * nv + j] = copy ? factor * G[of * nv + j] : (pick(2) ? uniform() : 0.0);
        }
        G[i * nv + pick(nv)] += copy ? 0.0 : 0.5;
    }
    contact_system c = dense_tables(nv, nr, ne, A, G);
    for (int j = 0; j < nv; j++) {
        c.f[j] = 3.0 * uniform();
    }
    for (int i = 0; i < nr; i++) { /* feasible at x = still */
        c.b[i] = (i < ne || pick(2)) ? 0.0 : fabs(uniform());
        for (int j = 0; j < nv; j++) {
            c.b[i] -= G[i * nv + j] * still[j];
        }
    }
    return c;
}

START_TEST(against_dense)
{
    seed_state = 88172645463325252U;
    for (int trial = 0; trial < 1500; trial++) {
        const int nv = 1 + pick(SMALL), nr = 1 + pick(SMALL), ne = pick(4) ? 0 : pick(nv < nr ? nv : nr);
        contact_system c = random_system(nv, nr, ne, 0, 0);
        double W[SMALL * SMALL], beta[SMALL], z[SMALL], e[SMALL], column[SMALL], wd;
        unsigned char basis[SMALL] = {0};
        carom_info info;
        check_solved(&c, NULL, 1e-9, nr <= nv, "random", trial);
        /* W = G A^-1 G^T and b + G A^-1 f, by the factor of A alone */
        ck_assert_int_eq(carom_kkt_factor(&c.t, c.A, c.G, NULL, c.work, c.iwork), CAROM_OK);
        for (int k = -1; k < nr; k++) {
            memset(e, 0, sizeof e);
            for (int p = (k < 0) ? 0 : c.t.Gp[k]; k >= 0 && p < c.t.Gp[k + 1]; p++) {
                e[c.t.Gj[p]] = c.G[p];
            }
            ck_assert_int_eq(
                carom_kkt_factored_solve(&c.t, c.A, c.G, (k < 0) ? c.f : e, NULL, column, z, c.work, c.iwork, &info),
                CAROM_OK);
            for (int i = 0; i < nr; i++) {
                double sum = (k < 0) ? c.b[i] : 0.0;
                for (int p = c.t.Gp[i]; p < c.t.Gp[i + 1]; p++) {
                    sum += c.G[p] * column[c.t.Gj[p]];
                }
                *((k < 0) ? &beta[i] : &W[i * nr + k]) = sum;
            }
        }
        ck_assert_int_eq(carom_lcp_solve(ne, nr, W, nr, beta, z, basis, room, &info), CAROM_OK);
        for (int i = 0; i < nr; i++) { /* forces may differ in redundant cases; G x + b may not */
            double wk = c.b[i];
            wd = beta[i];
            for (int j = 0; j < nr; j++) {
                wd += W[i * nr + j] * z[j];
            }
            for (int p = c.t.Gp[i]; p < c.t.Gp[i + 1]; p++) {
                wk += c.G[p] * c.x[c.t.Gj[p]];
            }
            ck_assert_msg(fabs(wk - wd) <= 1e-8, "trial %d row %d: sparse %g dense %g", trial, i, wk, wd);
        }
        release(&c);
    }
}
END_TEST

START_TEST(redundant_rows)
{
    seed_state = 362436069U;
    for (int trial = 0; trial < 3000; trial++) {
        const int nv = 1 + pick(SMALL / 2), nr = 1 + pick(SMALL), ne = pick(3) ? 0 : pick(nr + 1);
        contact_system c = random_system(nv, nr, ne, 2, 0);
        check_solved(&c, NULL, 1e-8, 0, "redundant", trial);
        release(&c);
    }
}
END_TEST

/* Three times as many rows as freedoms, most of them copies of others, from the same side and from the other one: bodies squeezed exactly
 * between walls. Block steps alone ran in circles in those that come first. */
START_TEST(opposing_rows)
{
    static const unsigned hard[] = {9448, 10276, 11236, 13320, 19184, 19372, 21632, 38384};
    for (unsigned trial = 0; trial < 600; trial++) {
        const unsigned number = (trial < sizeof hard / sizeof hard[0]) ? hard[trial] : trial;
        seed_state = 362436069U + 7919U * number;
        (void)uniform();
        const int nv = 1 + pick(SMALL), nr = 1 + pick(MANY), ne = pick(3) ? 0 : pick(nr + 1);
        contact_system c = random_system(nv, nr, ne, 1 + (int)(number % 4U), 1);
        check_solved(&c, NULL, 1e-8, 0, "opposing", (int)number);
        release(&c);
    }
}
END_TEST

/* Beads on a line: x_i positions or accelerations, row i: x_i - x_(i-1), row 0 the floor. */
static contact_system chain(int n)
{
    double *A = zeros(n * n, sizeof(double)), *G = zeros(n * n, sizeof(double));
    for (int i = 0; i < n; i++) {
        A[i * n + i] = 1.0;
        G[i * n + i] = 1.0;
        if (i > 0) {
            G[i * n + i - 1] = -1.0;
        }
    }
    contact_system c = dense_tables(n, n, 0, A, G);
    free(A);
    free(G);
    return c;
}

START_TEST(random_chains)
{
    seed_state = 521288629U;
    for (int trial = 0; trial < 60; trial++) {
        const int n = 1 + pick(80);
        contact_system c = chain(n);
        unsigned char *set = zeros(n, 1);
        for (int i = 0; i < n; i++) {
            const double mass = exp(3.0 * uniform());
            c.A[c.t.Ad[i]] = mass;
            c.f[i] = mass * (uniform() - 0.3);
            c.b[i] = pick(3) ? 0.0 : 0.2 * uniform();
            set[i] = (unsigned char)(pick(5) != 0);
        }
        check_solved(&c, NULL, 1e-9, 1, "chain", trial);
        check_solved(&c, set, 1e-9, 1, "chain with a set", trial);
        free(set);
        release(&c);
    }
}
END_TEST

START_TEST(units)
{
    carom_info info;
    seed_state = 99U;
    for (int trial = 0; trial < 200; trial++) {
        contact_system c = random_system(8, 6, trial % 3, 0, 0);
        unsigned char first[6];
        double x[8];
        check_solved(&c, NULL, 1e-9, 1, "units", trial);
        memcpy(first, c.active, sizeof first);
        memcpy(x, c.x, sizeof x);
        for (int p = 0; p < c.t.na; p++) { /* grams, and everything slower by 1e-7 */
            c.A[p] *= 1e3;
        }
        for (int j = 0; j < 8; j++) {
            c.f[j] *= 1e-4;
        }
        for (int i = 0; i < 6; i++) { /* rows in units of their own */
            const double unit = (i % 2) ? 1e6 : 1e-5;
            c.b[i] *= 1e-7 * unit;
            for (int p = c.t.Gp[i]; p < c.t.Gp[i + 1]; p++) {
                c.G[p] *= unit;
            }
        }
        guess(&c, 0);
        ck_assert_int_eq(solve(&c, NULL, &info), CAROM_OK);
        for (int i = 0; i < 6; i++) {
            ck_assert_int_eq(c.active[i], first[i]);
        }
        for (int j = 0; j < 8; j++) {
            ck_assert_double_eq_tol(c.x[j] * 1e7, x[j], 1e-8 * (1.0 + fabs(x[j])));
        }
        release(&c);
    }
}
END_TEST

START_TEST(cycling)
{
    /* Newton-min alone cycles on this one (Curtis, Han, Robinson 2015); M = L L^T is made by G = L, A = 1 */
    const double L[9] = {2.0, 0.0, 0.0, 2.5, 1.6583123951777, 0.0, -2.5, 0.753778361444409, 0.42640143271122};
    const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, b[3] = {-2.0, -1.0, 3.0};
    contact_system c = dense_tables(3, 3, 0, unit, L);
    carom_info info;
    memcpy(c.b, b, sizeof b);
    for (int start = 0; start < 8; start++) {
        for (int i = 0; i < 3; i++) {
            c.active[i] = (unsigned char)(start >> i & 1);
        }
        ck_assert_int_eq(solve(&c, NULL, &info), CAROM_OK);
        ck_assert(violation(&c, NULL) < 1e-9);
    }
    release(&c);
    /* many ill-conditioned ones */
    seed_state = 1234567U;
    for (int trial = 0; trial < 2000; trial++) {
        double G[64], one[64] = {0};
        for (int k = 0; k < 64; k++) {
            G[k] = uniform() + ((k % 8 == 0) ? 4.0 : 0.0);
        }
        for (int k = 0; k < 8; k++) {
            one[9 * k] = 1.0;
        }
        c = dense_tables(8, 8, 0, one, G);
        for (int i = 0; i < 8; i++) {
            c.b[i] = uniform();
        }
        check_solved(&c, NULL, 1e-8, 1, "nearly dependent", trial);
        release(&c);
    }
}
END_TEST

START_TEST(honest_failures)
{
    const double A[4] = {1.0, 0.5, 0.5, 1.0}, G[4] = {1.0, 0.0, -1.0, 0.0};
    contact_system c = dense_tables(2, 2, 0, A, G);
    carom_info info;
    c.b[0] = -1.0; /* x >= 1 and x <= -1 */
    c.b[1] = -1.0;
    for (int kind = 0; kind < 3; kind++) {
        guess(&c, kind);
        ck_assert_int_eq(solve(&c, NULL, &info), CAROM_CONTACT);
        ck_assert(info.contact == 0 || info.contact == 1);
        ck_assert(info.residual > 0.5);
    }
    c.t.ne = 2;
    ck_assert_int_eq(solve(&c, NULL, &info), CAROM_CONTACT);
    ck_assert(info.residual > 0.5);
    ck_assert_int_eq(carom_kkt_factor(&c.t, c.A, c.G, (const unsigned char *)"\1\1", c.work, c.iwork), CAROM_OK);
    ck_assert_int_eq(carom_kkt_factored_solve(&c.t, c.A, c.G, c.f, c.b, c.x, c.r, c.work, c.iwork, &info),
                     CAROM_CONTACT);
    c.b[1] = 1.0; /* now they agree */
    ck_assert_int_eq(solve(&c, NULL, &info), CAROM_OK);
    ck_assert_double_eq_tol(c.x[0], 1.0, 1e-12);
    c.f[1] = (double)NAN;
    ck_assert_int_eq(solve(&c, NULL, &info), CAROM_NOT_FINITE);
    c.f[1] = 0.0;
    c.G[0] = 0.0; /* a bilateral row without gradient: 0 x - 1 = 0 */
    ck_assert_int_eq(solve(&c, NULL, &info), CAROM_CONTACT);
    ck_assert_int_eq(info.contact, 0);
    ck_assert_double_eq_tol(info.residual, 1.0, 1e-15);
    c.G[0] = 1.0;
    c.A[1] = 2.0; /* off-diagonal: not positive definite */
    ck_assert_int_eq(solve(&c, NULL, &info), CAROM_SINGULAR_MASS);
    ck_assert_int_eq(carom_kkt_factor(&c.t, c.A, c.G, NULL, c.work, c.iwork), CAROM_SINGULAR_MASS);
    release(&c);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("kkt");
    tcase_set_timeout(cases, 60.0);
    tcase_add_test(cases, against_dense);
    tcase_add_test(cases, redundant_rows);
    tcase_add_test(cases, opposing_rows);
    tcase_add_test(cases, random_chains);
    tcase_add_test(cases, units);
    tcase_add_test(cases, cycling);
    tcase_add_test(cases, honest_failures);
    return run_suite("kkt", cases);
}
