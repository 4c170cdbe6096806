/* Equations of coupled stages by blocks (carom/stages.h) against elimination of the whole, full matrix. */
#include "carom/stages.h"
#include "kkt_system.h"

#include <stdlib.h>
#include <string.h>

enum { NV = 6, NR = 4, MOST = 3, FULL = MOST * (NV + NR) };

/* A x = b by Gauss with the largest pivots */
static void eliminate(int n, double (*A)[FULL], double *b)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            p = fabs(A[i][k]) > fabs(A[p][k]) ? i : p;
        }
        for (int j = 0; j < n; j++) {
            const double x = A[k][j];
            A[k][j] = A[p][j];
            A[p][j] = x;
        }
        const double y = b[k];
        b[k] = b[p];
        b[p] = y;
        for (int i = 0; i < n; i++) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; i != k && j < n; j++) {
                A[i][j] -= f * A[k][j];
            }
            b[i] -= i != k ? f * b[k] : 0.0;
        }
    }
    for (int k = 0; k < n; k++) {
        b[k] /= A[k][k];
    }
}

static double entry(const contact_system *c, const double *values, int i, int j)
{
    for (int p = 0; p < c->t.na; p++) {
        if ((c->t.Ai[p] == i && c->t.Aj[p] == j) || (c->t.Ai[p] == j && c->t.Aj[p] == i)) {
            return values[p];
        }
    }
    return 0.0;
}

START_TEST(as_the_whole_matrix)
{
    seed_state = 88172645463325252U;
    for (int trial = 0; trial < 200; trial++) {
        const int s = 1 + pick(MOST), size = NV + NR;
        double A[NV * NV] = {0}, G[NR * NV] = {0};
        for (int i = 0; i < NV; i++) {
            for (int j = 0; j <= i; j++) {
                A[i * NV + j] = A[j * NV + i] = i == j ? 2.0 + uniform() * uniform() : pick(2) ? 0.2 * uniform() : 0.0;
            }
        }
        for (int i = 0; i < NR * NV; i++) {
            G[i] = pick(2) ? uniform() : 0.0;
        }
        for (int i = 0; i < NR; i++) {
            G[i * NV + i] += 2.0; /* they do not depend on each other */
        }
        contact_system c = dense_tables(NV, NR, 1, A, G);
        double *C = zeros(c.t.na, sizeof(double)), *K = zeros(c.t.na, sizeof(double));
        double *work = zeros(CAROM_STAGES_WORK(MOST, NV, NR, c.t.nl), sizeof(double));
        int *iwork = zeros(CAROM_STAGES_IWORK(NV, NR), sizeof(int));
        double wv[MOST * MOST], wq[MOST * MOST], d[MOST * NV], b[FULL] = {0};
        static double whole[FULL][FULL];
        unsigned char held[NR];
        for (int p = 0; p < c.t.na; p++) {
            C[p] = 0.3 * uniform();
            K[p] = 0.3 * uniform();
        }
        for (int i = 0; i < s * s; i++) { /* not symmetric: blocks do not commute */
            wv[i] = uniform();
            wq[i] = uniform();
        }
        for (int i = 0; i < NR; i++) {
            held[i] = (unsigned char)pick(2);
        }
        memset(whole, 0, sizeof whole);
        for (int l = 0; l < s; l++) {
            for (int i = 0; i < NV; i++) {
                d[l * NV + i] = uniform();
            }
            for (int i = 0; i < NV; i++) {
                for (int j = 0; j < NV; j++) {
                    const double m = entry(&c, c.A, i, j);
                    b[l * size + i] += m * d[l * NV + j];
                    for (int k = 0; k < s; k++) {
                        whole[l * size + i][k * size + j] = (k == l ? m : 0.0) + wv[l * s + k] * entry(&c, C, i, j) +
                                                            wq[l * s + k] * entry(&c, K, i, j);
                    }
                }
            }
            for (int r = 0; r < NR; r++) {
                whole[l * size + NV + r][l * size + NV + r] = held[r] ? 0.0 : 1.0;
                for (int j = 0; j < NV && held[r]; j++) {
                    whole[l * size + NV + r][l * size + j] = G[r * NV + j];
                    whole[l * size + j][l * size + NV + r] = -G[r * NV + j];
                    b[l * size + NV + r] += G[r * NV + j] * d[l * NV + j];
                }
            }
        }
        eliminate(s * size, whole, b);
        ck_assert_int_eq(carom_stages_factor(&c.t, s, c.A, C, K, wv, wq, c.G, held, work, iwork), CAROM_OK);
        carom_stages_solve(&c.t, s, c.A, c.G, d, work, iwork);
        for (int l = 0; l < s; l++) {
            for (int i = 0; i < NV; i++) {
                ck_assert_double_eq_tol(d[l * NV + i], b[l * size + i], 1e-9);
            }
        }
        C[0] = NAN;
        ck_assert_int_eq(carom_stages_factor(&c.t, s, c.A, C, K, wv, wq, c.G, held, work, iwork), CAROM_NOT_FINITE);
        free(C);
        free(K);
        free(work);
        free(iwork);
        release(&c);
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("stages");
    tcase_add_test(cases, as_the_whole_matrix);
    return run_suite("stages", cases);
}
