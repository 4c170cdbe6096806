/* Contacts in a row, 0 <= r _|_ W r + b >= 0 where W couples each with few neighbours (columns of beads, chains of
 * clearances): block principal pivots with W = L D L^T inside the band, so that n contacts cost n and not n^3. The same
 * pivots as carom_lcp_solve makes; what is not clear at once is left to others. Asks for
 *
 *     CAROM_BAND    W_ij = 0 where |i - j| is more than this
 *     CAROM_BANDED  1: that is few beside the rows, and all rows are contacts without friction; W is full, by rows;
 *                   2: the same, and of each row of W its diagonal and what is before it are there, backwards,
 *                   and as many rows of zeros behind the last
 *     CAROM_TS      a speed of contacts that is nothing
 *
 * See carom/algorithm.h. */
#ifndef CAROM_BAND_H
#define CAROM_BAND_H

#include "algorithm.h"

#include <float.h>

#ifndef CAROM_BAND
#define CAROM_BAND CAROM_NR
#endif

/* Rows of a set that i may be coupled with, by their places in it. */
#define CAROM_BAND_FROM(i) ((i) > CAROM_BAND ? (i)-CAROM_BAND : 0)
#define CAROM_BAND_TO(i, n) ((i) + CAROM_BAND + 1 < (n) ? (i) + CAROM_BAND + 1 : (n))

#if CAROM_BANDED > 0
#define CAROM_BAND_PIVOT 1e-8 /* relative pivot above which no search for a better one is made */
#define CAROM_BAND_CLEAR 1e-9 /* signs and residuals that are clear: relative to the terms of a row, and to b */
/* W_k,k-d, and the same, or any number where there is no such row */
#if CAROM_BANDED > 1
#define CAROM_BAND_W(k, d) W[(k) * (CAROM_BAND + 1) + (d)]
#define CAROM_BAND_NEAR(k, d) CAROM_BAND_W(k, d)
#else
#define CAROM_BAND_W(k, d) W[(k) * (CAROM_NR + 1) - (d)]
#define CAROM_BAND_NEAR(k, d) W[(k) < CAROM_NG && (k) >= (d) ? (k) * (CAROM_NR + 1) - (d) : 0]
#endif
/* doubles that elimination works in */
#define CAROM_BAND_ROOM ((CAROM_NG + 2 * CAROM_BAND) * (CAROM_BAND + 3))

/* z of the rows from `from` to before `to` that are in, 0 of others. Row k of upper holds (L D)_k,k-d at d - 1, y is
 * L^-1 of the right-hand side; around the rows all is 0. Rows before `first` are as the last elimination left them.
 * Gives 1: no z is negative; 0: some are; -1: a pivot is too small. */
static inline int CAROM(eliminate_band)(const double *W, int from, int first, int to, const bool *in, const double *b,
                                        double *upper, double *inverse, double *y, double *z)
{
    for (int k = first; k < to; ++k) {
        double *const row = upper + k * CAROM_BAND, pivot = CAROM_BAND_W(k, 0), right = -b[k], l[CAROM_BAND];
        if (!in[k]) {
            CAROM_UNROLL
            for (int d = 0; d < CAROM_BAND; ++d) {
                row[d] = 0.0;
            }
            inverse[k] = y[k] = 0.0;
            continue;
        }
        CAROM_UNROLL
        for (int d = CAROM_BAND; d > 0; --d) {
            double sum = k - d >= from ? CAROM_BAND_W(k, d) : 0.0;
            CAROM_UNROLL
            for (int m = CAROM_BAND; m > d; --m) {
                sum -= l[m - 1] * row[m - d - 1 - d * CAROM_BAND];
            }
            row[d - 1] = sum;
            l[d - 1] = sum * inverse[k - d];
            pivot -= l[d - 1] * sum;
            right -= l[d - 1] * y[k - d];
        }
        if (!(pivot > CAROM_BAND_PIVOT * CAROM_BAND_W(k, 0))) {
            return -1;
        }
        inverse[k] = 1.0 / pivot;
        y[k] = right;
    }
    bool good = true;
    for (int k = to - 1; k >= from; --k) {
        double sum = y[k];
        CAROM_UNROLL
        for (int d = 1; d <= CAROM_BAND; ++d) {
            sum -= upper[(k + d) * CAROM_BAND + d - 1] * z[k + d];
        }
        z[k] = sum * inverse[k];
        good &= z[k] >= 0.0;
    }
    return good ? 1 : 0;
}

/* What a solution leaves of the law, and the speeds that it is measured by. */
typedef struct {
    double law, scale;
} carom_band_left;

/* W z + b in row k, and the size of its terms */
static inline double CAROM(band_row)(const double *W, int k, const double *b, const double *z, double *size)
{
    double w = b[k], sum = fabs(w);
    CAROM_UNROLL
    for (int d = -CAROM_BAND; d <= CAROM_BAND; ++d) { /* where there is no row, z is 0 */
        const double term = z[k + d] * (d < 0 ? CAROM_BAND_NEAR(k, -d) : CAROM_BAND_NEAR(k + d, d));
        w += term;
        sum += fabs(term);
    }
    *size = sum;
    return w;
}

/* r of the rows of a set; false: not clear, nothing is changed. in: [CAROM_NG], room: [CAROM_BAND_ROOM] */
static inline bool CAROM(chain)(const double *W, const bool *set, const double *b, double *r, bool *in, double *room,
                                carom_band_left *left, carom_info *info)
{
    double *const inverse = room + CAROM_BAND, *const z = inverse + CAROM_NG + 2 * CAROM_BAND,
                  *const y = z + CAROM_NG + 2 * CAROM_BAND,
                  *const upper = y + CAROM_NG + CAROM_BAND + CAROM_BAND * CAROM_BAND;
    int from = CAROM_NG, to = 0, n = 0;
    for (int k = 0; k < CAROM_NG; ++k) {
        in[k] = set[k];
        if (set[k]) {
            from = n == 0 ? k : from;
            to = k + 1;
            ++n;
        }
    }
    for (int d = 1; d <= CAROM_BAND; ++d) {
        inverse[from - d] = y[from - d] = z[from - d] = z[to + d - 1] = 0.0;
    }
    for (int k = 0; k < CAROM_BAND * CAROM_BAND; ++k) {
        upper[from * CAROM_BAND - 1 - k] = upper[to * CAROM_BAND + k] = 0.0;
    }
    int wrong = n > 0, out = 0, attempt = 0, first = from;
    for (; wrong > 0; ++attempt) {
        const int good = attempt < n + 5 ? CAROM(eliminate_band)(W, from, first, to, in, b, upper, inverse, y, z) : -1;
        if (good < 0) {
            return false;
        }
        wrong = 0;
        for (int k = from; k < to && (good == 0 || out > 0); ++k) {
            if (set[k] && !(in[k] && z[k] >= 0.0)) {
                double size;
                const double w = CAROM(band_row)(W, k, b, z, &size), value = in[k] ? CAROM_BAND_W(k, 0) * z[k] : w;
                if (!(value >= 0.0)) {
                    if (!(value < -CAROM_BAND_CLEAR * size)) {
                        return false;
                    }
                    first = wrong == 0 ? k : first;
                    in[k] = !in[k];
                    out += in[k] ? -1 : 1;
                    ++wrong;
                }
            }
        }
    }
    /* what is left: squares of speeds in the units of 1 / W_kk */
    const double rounding = 4.0 * DBL_EPSILON * (n + 2);
    double largest = 0.0, most = 0.0;
    *left = (carom_band_left){0.0, 0.0};
    bool clear = true;
    for (int k = from; k < to; ++k) {
        if (set[k]) {
            double size;
            const double w = fabs(CAROM(band_row)(W, k, b, z, &size)), unit = CAROM_BAND_W(k, 0);
            const double given = b[k] * b[k], force = in[k] ? unit * z[k] : w;
            largest = given > largest * unit ? given / unit : largest;
            left->scale = force > left->scale ? force : left->scale;
            if (in[k]) {
                clear &= w <= rounding * size;
                most = w * w > most * unit ? w * w / unit : most;
                left->law = w > left->law ? w : left->law;
            }
        }
    }
    if (!(clear && largest < HUGE_VAL && most <= CAROM_BAND_CLEAR * CAROM_BAND_CLEAR * largest &&
          DBL_EPSILON * left->scale <= CAROM_TS)) {
        return false;
    }
    for (int k = from; k < to; ++k) {
        if (set[k]) {
            r[k] = in[k] ? z[k] : 0.0;
        }
    }
    info->iterations = attempt;
    info->residual = left->law;
    return true;
}
#endif

#endif
