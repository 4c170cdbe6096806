/* The sparse contact solver on tables that the generator makes: long columns, hubs, packings. */
#include "kkt_system.h"

#include <stdio.h>
#include <stdlib.h>

static const char column_lua[] =
    "nv = 1000 for i = 0, nv - 1 do a[#a + 1] = {i, i} g[#g + 1] = i == 0 and {0} or {i - 1, i} end";

START_TEST(column_of_beads)
{
    contact_system c = generated_tables(column_lua);
    carom_info info;
    const int n = c.t.nv;
    ck_assert_int_eq(n, 1000);
    for (int i = 0; i < n; i++) {
        c.A[c.t.Ad[i]] = 2.0;
        c.f[i] = -2.0 * 9.81;
        c.G[c.t.Gp[i + 1] - 1] = 1.0;
        if (i > 0) {
            c.G[c.t.Gp[i]] = -1.0;
        }
    }
    check_solved(&c, NULL, 1e-9, 1, "column", 0);
    for (int i = 0; i < n; i++) { /* each contact carries what is above it */
        ck_assert_double_eq_tol(c.r[i], 2.0 * 9.81 * (double)(n - i), 1e-9 * 2.0 * 9.81 * n);
        ck_assert(fabs(c.x[i]) < 1e-9);
        ck_assert(c.active[i]);
    }
    guess(&c, 1);
    ck_assert_int_eq(solve(&c, NULL, &info), CAROM_OK);
    ck_assert_int_eq(info.iterations, 1);
    /* the upper half is thrown up: its lowest contact opens, those above it carry no load */
    for (int i = n / 2; i < n; i++) {
        c.f[i] = +2.0 * (double)(i - n / 2 + 1);
    }
    guess(&c, 1);
    ck_assert_int_eq(solve(&c, NULL, &info), CAROM_OK);
    ck_assert(violation(&c, NULL) < 1e-9);
    ck_assert(!c.active[n / 2] && !c.active[n - 1] && c.active[n / 2 - 1]);
    ck_assert_double_eq_tol(c.x[n - 1], (double)(n - n / 2), 1e-9);
    /* the factor left behind serves another right-hand side */
    for (int i = 0; i < n; i++) {
        c.f[i] *= -3.0;
    }
    ck_assert_int_eq(carom_kkt_factored_solve(&c.t, c.A, c.G, c.f, c.b, c.x, c.r, c.work, c.iwork, &info), CAROM_OK);
    ck_assert_double_eq_tol(c.x[n - 1], -3.0 * (double)(n - n / 2), 1e-9);
    /* and other contact problems, from its own set and from there on */
    for (int k = 1; k <= 2; k++) {
        for (int i = 0; i < n; i++) {
            c.f[i] = -2.0 * 9.81 * k;
        }
        ck_assert_int_eq(
            carom_kkt_solve_again(&c.t, c.A, c.G, NULL, c.f, c.b, c.x, c.r, c.active, c.work, c.iwork, &info),
            CAROM_OK);
        ck_assert(violation(&c, NULL) < 1e-9);
        ck_assert_double_eq_tol(c.r[0], 2.0 * 9.81 * (double)(n * k), 1e-9 * 2.0 * 9.81 * n);
        ck_assert(k == 1 ? info.iterations > 1 : info.iterations == 1);
    }
    release(&c);
}
END_TEST

START_TEST(between_plates)
{
    /* 100 balls between two free plates: each row touches a hub, rows of a ball are parallel without the hubs, and all
       balls but one are redundant */
    contact_system c = generated_tables("nv = 102 for i = 0, nv - 1 do a[#a + 1] = {i, i} end "
                                        "for i = 2, nv - 1 do g[#g + 1] = {0, i} g[#g + 1] = {1, i} end");
    for (int j = 0; j < c.t.nv; j++) {
        c.A[c.t.Ad[j]] = (j < 2) ? 50.0 : 1.0;
    }
    c.f[0] = 500.0; /* lower plate pushed up, upper one down */
    c.f[1] = -500.0;
    for (int i = 0; i < c.t.nr; i++) {
        const double sign = (i % 2) ? -1.0 : 1.0;
        c.G[c.t.Gp[i]] = -sign;
        c.G[c.t.Gp[i] + 1] = sign;
    }
    check_solved(&c, NULL, 1e-8, 0, "plates", 0);
    double lower = 0.0;
    for (int i = 0; i < c.t.nr; i += 2) {
        lower += c.r[i];
    }
    ck_assert_double_eq_tol(lower, 500.0, 1e-6);
    release(&c);
}
END_TEST

START_TEST(packing)
{
    /* 12 x 12 disks in a box, neighbours touch, random pushes; odd rows tilted */
    contact_system c = generated_tables("local m = 12 nv = 2*m*m for i = 0, nv - 1 do a[#a + 1] = {i, i} end "
                                        "for y = 0, m - 1 do for x = 0, m - 1 do local k = 2*(y*m + x) "
                                        "if x < m - 1 then g[#g + 1] = {k, k + 1, k + 2, k + 3} end "
                                        "if y < m - 1 then g[#g + 1] = {k, k + 1, k + 2*m, k + 2*m + 1} end "
                                        "if y == 0 or x == 0 or x == m - 1 then g[#g + 1] = {k, k + 1} end end end");
    seed_state = 2024U;
    for (int trial = 0; trial < 20; trial++) {
        for (int j = 0; j < c.t.nv; j++) {
            c.A[c.t.Ad[j]] = exp(uniform());
            c.f[j] = uniform() - ((j % 2) ? 2.0 : 0.0);
        }
        for (int i = 0; i < c.t.nr; i++) {
            const double angle = (trial % 2) ? 3.2 * uniform() : (pick(2) ? 0.0 : 1.5707963267948966);
            const double g[2] = {cos(angle), sin(angle)};
            for (int p = c.t.Gp[i]; p < c.t.Gp[i + 1]; p++) {
                c.G[p] = ((p - c.t.Gp[i] < 2) ? 1.0 : -1.0) * g[c.t.Gj[p] % 2];
            }
            c.b[i] = pick(2) ? 0.0 : 0.1 * fabs(uniform());
        }
        check_solved(&c, NULL, 1e-8, 0, "packing", trial);
    }
    release(&c);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("kkt_tables");
    tcase_set_timeout(cases, 60.0);
    if (generator_present()) {
        tcase_add_test(cases, column_of_beads);
        tcase_add_test(cases, between_plates);
        tcase_add_test(cases, packing);
    } else {
        printf("# SKIP column_of_beads, between_plates, packing: cannot run lua5.4 on gen/plan/symbolic.lua "
               "(run from the project root or set CAROM_ROOT)\n");
        (void)fflush(stdout);
    }
    return run_suite("kkt_tables", cases);
}
