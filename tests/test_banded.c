/* Contact problems within a band, against the general solver of carom/kkt.h and a residual computed here. */
#include "carom/banded.h"
#include "kkt_system.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 60 };

typedef struct {
    contact_system c;
    double *banded;
    int *ibanded, *order;
    unsigned char *set;
} band_system;

/* Rows that touch two unknowns at most `width` apart, as joints and contacts of chains do; A is diagonal. */
static band_system random_band(int nr, int width, int ne)
{
    const int nv = nr + width;
    double *A = zeros(nv * nv, sizeof(double)), *G = zeros(nr * nv, sizeof(double));
    for (int i = 0; i < nv; i++) {
        A[i * nv + i] = 1.0;
    }
    for (int i = 0; i < nr; i++) {
        G[i * nv + i] = 1.0;
        G[i * nv + i + 1 + pick(width)] = -1.0;
    }
    band_system s = {.c = dense_tables(nv, nr, ne, A, G)};
    s.order = zeros(nr, sizeof(int));
    for (int i = 0; i < nr; i++) {
        s.order[i] = i;
    }
    s.c.t.band = width;
    s.c.t.Wo = s.order;
    s.banded = zeros(CAROM_BANDED_WORK(nv, nr, s.c.t.ng, width), sizeof(double));
    for (int k = 0; k < CAROM_BANDED_WORK(nv, nr, s.c.t.ng, width); k++) {
        s.banded[k] = (double)NAN; /* poison: nothing may be read before it is written */
    }
    s.ibanded = zeros(CAROM_BANDED_IWORK(nr), sizeof(int));
    memset(s.ibanded + 1, 7, (size_t)(CAROM_BANDED_IWORK(nr) - 1) * sizeof(int));
    s.set = zeros(nr, 1);
    free(A);
    free(G);
    return s;
}

static void release_band(band_system *s)
{
    release(&s->c);
    free(s->banded);
    free(s->ibanded);
    free(s->order);
    free(s->set);
}

static void draw_values(band_system *s, int matrices)
{
    contact_system *c = &s->c;
    for (int j = 0; j < c->t.nv; j++) {
        c->A[j] = matrices ? exp(2.0 * uniform()) : c->A[j];
        c->f[j] = uniform() - 0.3;
    }
    for (int p = 0; p < c->t.ng; p++) {
        c->G[p] = matrices ? uniform() + (c->G[p] > 0.0 ? 1.5 : -1.5) : c->G[p];
    }
    for (int i = 0; i < c->t.nr; i++) {
        c->b[i] = pick(3) ? 0.0 : 0.2 * uniform();
        s->set[i] = (unsigned char)(pick(5) != 0);
        c->active[i] = (unsigned char)pick(2);
    }
}

START_TEST(against_general)
{
    seed_state = 77345112U;
    int clear = 0, all = 0;
    for (int trial = 0; trial < 300; trial++) {
        const int nr = 1 + pick(MOST), width = 1 + pick(6), ne = pick(3) ? 0 : pick(nr + 1);
        band_system s = random_band(nr, width, ne);
        contact_system *const c = &s.c;
        double *const x = zeros(c->t.nv, sizeof(double)), *const r = zeros(nr, sizeof(double));
        for (int solve_number = 0; solve_number < 6; solve_number++) { /* W is kept in those between */
            carom_info info = {0};
            draw_values(&s, solve_number % 3 == 0);
            all++;
            if (!carom_banded_solve(&c->t, ne, c->A, c->G, s.set, c->f, c->b, c->x, c->r, c->active, s.banded,
                                    s.ibanded, &info)) {
                continue;
            }
            clear++;
            ck_assert_msg(violation(c, s.set) < 1e-9, "trial %d: %g", trial, violation(c, s.set));
            memcpy(x, c->x, (size_t)c->t.nv * sizeof(double));
            memcpy(r, c->r, (size_t)nr * sizeof(double));
            ck_assert_int_eq(solve(c, s.set, &info), CAROM_OK);
            for (int j = 0; j < c->t.nv; j++) {
                ck_assert_double_eq_tol(c->x[j], x[j], 1e-9);
            }
            for (int i = 0; i < nr; i++) {
                ck_assert_double_eq_tol(c->r[i], r[i], 1e-8 * (1.0 + fabs(r[i])));
                ck_assert(s.set[i] || r[i] == 0.0);
            }
        }
        free(x);
        free(r);
        release_band(&s);
    }
    ck_assert_msg(clear > 0.95 * all, "%d of %d are clear", clear, all);
}
END_TEST

START_TEST(equations)
{
    seed_state = 5150U;
    band_system s = random_band(40, 3, 0);
    contact_system *const c = &s.c;
    carom_info info = {0};
    draw_values(&s, 1);
    ck_assert(
        carom_banded_solve(&c->t, 40, c->A, c->G, s.set, c->f, c->b, c->x, c->r, NULL, s.banded, s.ibanded, &info));
    for (int i = 0; i < 40; i++) {
        double w = c->b[i];
        for (int p = c->t.Gp[i]; p < c->t.Gp[i + 1]; p++) {
            w += c->G[p] * c->x[c->t.Gj[p]];
        }
        ck_assert(!s.set[i] || fabs(w) < 1e-13);
        ck_assert(s.set[i] || c->r[i] == 0.0);
    }
    release_band(&s);
}
END_TEST

/* Rows that depend on each other or have no gradient, numbers that are none: left to the general solver. */
START_TEST(not_clear)
{
    seed_state = 31U;
    for (int what = 0; what < 4; what++) {
        band_system s = random_band(10, 2, 10);
        contact_system *const c = &s.c;
        carom_info info = {0};
        draw_values(&s, 1);
        memset(s.set, 1, 10);
        ck_assert(carom_banded_solve(&c->t, 10, c->A, c->G, s.set, c->f, c->b, c->x, c->r, c->active, s.banded,
                                     s.ibanded, &info));
        if (what == 0) {
            c->b[9] = (double)NAN;
        } else if (what == 1) {
            c->f[4] = (double)NAN;
        } else if (what == 2) {
            c->G[c->t.Gp[3]] = (double)NAN;
        } else {
            c->G[c->t.Gp[5]] = c->G[c->t.Gp[5] + 1] = 0.0;
        }
        ck_assert(!carom_banded_solve(&c->t, 10, c->A, c->G, s.set, c->f, c->b, c->x, c->r, c->active, s.banded,
                                      s.ibanded, &info));
        release_band(&s);
    }
    /* the same row twice */
    const double A[4] = {1.0, 0.0, 0.0, 1.0}, G[4] = {1.0, -1.0, 2.0, -2.0};
    contact_system c = dense_tables(2, 2, 2, A, G);
    double banded[CAROM_BANDED_WORK(2, 2, 4, 1)];
    int ibanded[CAROM_BANDED_IWORK(2)] = {0};
    const int order[2] = {0, 1};
    carom_info info = {0};
    c.t.band = 1;
    c.t.Wo = order;
    c.f[0] = 1.0;
    ck_assert(!carom_banded_solve(&c.t, 2, c.A, c.G, NULL, c.f, c.b, c.x, c.r, NULL, banded, ibanded, &info));
    release(&c);
}
END_TEST

/* W by rows against products of rows of G in full */
START_TEST(rows_of_W)
{
    enum { NEAR = 3, ROWS = 9 };
    band_system s = random_band(ROWS, NEAR, 0);
    const contact_system *c = &s.c;
    draw_values(&s, 1);
    double W[(ROWS + NEAR) * (NEAR + 1)], full[ROWS][ROWS + NEAR] = {{0.0}};
    carom_banded_rows(&c->t, c->A, c->G, NEAR, W);
    for (int i = 0; i < ROWS; i++) {
        for (int p = c->t.Gp[i]; p < c->t.Gp[i + 1]; p++) {
            full[i][c->t.Gj[p]] = c->G[p];
        }
    }
    for (int k = 0; k < ROWS + NEAR; k++) {
        for (int d = 0; d <= NEAR; d++) {
            double sum = 0.0;
            for (int j = 0; j < c->t.nv && k >= d && k < ROWS; j++) {
                sum += full[k][j] * full[k - d][j] / c->A[j];
            }
            ck_assert_double_eq_tol(W[k * (NEAR + 1) + d], sum, 1e-13);
        }
    }
    release_band(&s);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("banded");
    tcase_add_test(cases, against_general);
    tcase_add_test(cases, equations);
    tcase_add_test(cases, not_clear);
    tcase_add_test(cases, rows_of_W);
    return run_suite("banded", cases);
}
