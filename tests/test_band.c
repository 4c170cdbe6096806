/* Contacts in a row (carom/band.h) against the general solver of complementarity problems: the same numbers but for rounding, on subsets of
 * rows of banded matrices from a fixed sequence; what is not clear is left to that. */
#include "carom/status.h"

typedef struct {
    int nothing;
} toy;

#define CAROM(name) toy_##name
#define CAROM_STATE toy
#define CAROM_NV 12
#define CAROM_NE 0
#define CAROM_NG 12
#define CAROM_NR 12
#define CAROM_BAND 2
#define CAROM_BANDED 1
#define CAROM_TS 1e-8

#include "carom/band.h"
#include "carom/lcp.h"
#include "draw.h"
#include "suite.h"

#include <string.h>

/* W = G G^T with rows that reach three velocities each: two neighbours on either side; n rows of it in index[] */
static int problem(double W[12][12], int index[12], double b[12])
{
    double G[12][14] = {{0.0}};
    int n = 0;
    for (int i = 0; i < 12; ++i) {
        for (int k = 0; k < 3; ++k) {
            G[i][i + k] = uniform();
        }
        b[i] = uniform();
    }
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) {
            W[i][j] = 0.0;
            for (int k = 0; k < 14; ++k) {
                W[i][j] += G[i][k] * G[j][k];
            }
        }
        if (uniform() > -0.6) {
            index[n++] = i;
        }
    }
    return n;
}

START_TEST(the_numbers_of_the_general_solver)
{
    int clear = 0, open = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        double W[12][12], b[12], r[12] = {0.0}, w[144], y[12], z[12], work[CAROM_LCP_WORK(12)], room[CAROM_BAND_ROOM];
        bool set[12] = {false}, in[12];
        carom_band_left left;
        int index[12];
        unsigned char basis[12];
        carom_info info = {-1, 0, 0.0}, general = {-1, 0, 0.0};
        const int n = problem(W, index, b);
        for (int i = 0; i < n; ++i) {
            set[index[i]] = true;
        }
        if (n < 3 || !toy_chain(&W[0][0], set, b, r, in, room, &left, &info)) {
            continue;
        }
        ++clear;
        for (int i = 0; i < n; ++i) {
            y[i] = b[index[i]];
            basis[i] = 1;
            for (int j = 0; j < n; ++j) {
                w[i * n + j] = W[index[i]][index[j]];
            }
        }
        ck_assert_int_eq(carom_lcp_solve(0, n, w, n, y, z, basis, work, &general), CAROM_OK);
        double largest = 0.0;
        for (int i = 0; i < n; ++i) {
            largest = fmax(largest, z[i]);
        }
        for (int i = 0; i < n; ++i) {
            ck_assert_msg(fabs(r[index[i]] - z[i]) <= 1e-11 * largest && (r[index[i]] > 0.0) == (z[i] > 0.0),
                          "trial %d, row %d: %.17g, general %.17g", trial, i, r[index[i]], z[i]);
            open += z[i] > 0.0 ? 0 : 1;
        }
        ck_assert_int_eq(info.iterations, general.iterations);
    }
    ck_assert_int_gt(clear, 1500);
    ck_assert_int_gt(open, 1000); /* not all contacts press */
}
END_TEST

START_TEST(what_is_not_clear_is_left_to_others)
{
    double W[12][12], b[12], r[12] = {0.0}, room[CAROM_BAND_ROOM];
    const double before[12] = {0.0};
    bool set[12], in[12];
    carom_band_left left;
    int index[12];
    carom_info info = {-1, 0, 0.0};
    (void)problem(W, index, b);
    for (int i = 0; i < 12; ++i) {
        set[i] = true;
        b[i] = -1.0;
    }
    for (int i = 0; i < 12; ++i) { /* two rows alike: no pivot */
        W[5][i] = W[i][5] = W[4][i];
    }
    W[5][5] = W[5][4] = W[4][5] = W[4][4];
    ck_assert(!toy_chain(&W[0][0], set, b, r, in, room, &left, &info));
    b[3] = NAN;
    ck_assert(!toy_chain(&W[0][0], set, b, r, in, room, &left, &info));
    ck_assert(memcmp(r, before, sizeof r) == 0);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("band");
    tcase_add_test(cases, the_numbers_of_the_general_solver);
    tcase_add_test(cases, what_is_not_clear_is_left_to_others);
    return run_suite("band", cases);
}
