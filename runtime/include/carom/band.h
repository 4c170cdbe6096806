/* Contacts in a row, 0 <= r _|_ W r + b >= 0 where W couples each with few neighbours (columns of beads, chains of
 * clearances): block principal pivots with elimination inside the band, so that n contacts cost n and not n^3. The
 * same operations in the same order as carom_lcp_solve makes, without those with zeros; what is not clear at once is
 * left to it. Asks for
 *
 *     CAROM_BAND    W_ij = 0 where |i - j| is more than this
 *     CAROM_BANDED  1: that is few beside the rows, and all rows are contacts without friction
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

/* z of the rows active[0 .. na-1] (places in index); false when a pivot is too small. Rows beyond the last are 0. */
static inline bool CAROM(eliminate_band)(const double *W, const int *index, int na, const int *active, const double *b,
                                         double *z)
{
    double a[CAROM_NG + CAROM_BAND][2 * CAROM_BAND + 1], x[CAROM_NG + CAROM_BAND];
    for (int i = 0; i < na; ++i) {
        const double *const row = W + index[active[i]] * CAROM_NR;
        CAROM_UNROLL
        for (int d = 0; d <= 2 * CAROM_BAND; ++d) {
            const int j = i + d - CAROM_BAND;
            a[i][d] = j >= 0 && j < na ? row[index[active[j]]] : 0.0;
        }
        x[i] = -b[index[active[i]]];
    }
    for (int i = na; i < na + CAROM_BAND; ++i) {
        x[i] = 0.0;
        for (int d = 0; d <= 2 * CAROM_BAND; ++d) {
            a[i][d] = 0.0;
        }
    }
    for (int k = 0; k < na; ++k) {
        double *const pivot = a[k] + CAROM_BAND;
        if (!(pivot[0] > CAROM_BAND_PIVOT * W[index[active[k]] * (CAROM_NR + 1)])) {
            return false;
        }
        const double inverse = 1.0 / pivot[0];
        CAROM_UNROLL
        for (int i = 1; i <= CAROM_BAND; ++i) {
            double *const row = a[k + i] + CAROM_BAND - i;
            const double l = row[0] * inverse;
            CAROM_UNROLL
            for (int j = 1; j <= CAROM_BAND; ++j) {
                row[j] -= l * pivot[j];
            }
            x[k + i] -= l * x[k];
        }
        pivot[0] = inverse;
    }
    for (int k = na - 1; k >= 0; --k) {
        double sum = x[k];
        CAROM_UNROLL
        for (int j = 1; j <= CAROM_BAND; ++j) {
            sum -= a[k][j + CAROM_BAND] * x[k + j];
        }
        x[k] = sum * a[k][CAROM_BAND];
        z[active[k]] = x[k];
    }
    return true;
}

/* r of the n rows in index[]; false: not clear, nothing is changed. */
static inline bool CAROM(chain)(const double *W, int n, const int *index, const double *b, double *r, carom_info *info)
{
    bool basis[CAROM_NG];
    double padded[CAROM_NG + 2 * CAROM_BAND] = {0.0}, *const z = padded + CAROM_BAND, largest = 0.0;
    for (int i = 0; i < n; ++i) {
        const double unit = W[index[i] * (CAROM_NR + 1)], part = b[index[i]] * b[index[i]] / unit;
        if (!(unit > 0.0 && part < HUGE_VAL)) {
            return false;
        }
        basis[i] = true;
        largest = part > largest ? part : largest;
    }
    const double clear = CAROM_BAND_CLEAR * CAROM_BAND_CLEAR * largest;
    for (int attempt = 1; attempt <= n + 5; ++attempt) {
        int active[CAROM_NG], na = 0, wrong = 0;
        double worst = 0.0;
        for (int i = 0; i < n; ++i) {
            z[i] = 0.0;
            if (basis[i]) {
                active[na++] = i;
            }
        }
        if (!CAROM(eliminate_band)(W, index, na, active, b, z)) {
            return false;
        }
        for (int i = 0; i < n; ++i) {
            const double *const row = W + index[i] * CAROM_NR, unit = row[index[i]];
            double w = b[index[i]], size = fabs(w);
            CAROM_UNROLL
            for (int d = -CAROM_BAND; d <= CAROM_BAND; ++d) {
                const double term = i + d >= 0 && i + d < n ? row[index[i + d]] * z[i + d] : 0.0;
                w += term;
                size += fabs(term);
            }
            const double value = basis[i] ? unit * z[i] : w;
            if (!(value >= 0.0)) {
                if (!(value < -CAROM_BAND_CLEAR * size)) {
                    return false;
                }
                ++wrong;
                basis[i] = !basis[i];
            } else if (basis[i]) {
                if (!(fabs(w) <= 4.0 * DBL_EPSILON * (n + 2) * size && w * w <= clear * unit)) {
                    worst = HUGE_VAL;
                }
                worst = fabs(w) > worst ? fabs(w) : worst;
            }
        }
        if (wrong == 0 && worst < HUGE_VAL) {
            for (int i = 0; i < n; ++i) {
                r[index[i]] = z[i];
            }
            info->iterations = attempt;
            info->residual = worst;
            return true;
        }
        if (wrong == 0) {
            return false;
        }
    }
    return false;
}
#endif

#endif
