/* How unlike the masses are that a contact problem couples: where heavy bodies rest on light ones, impulses have to
 * cancel to so many digits, and no method may find them. A symmetric W = G M^-1 G^T with unit diagonal is eliminated
 * with diagonal pivots; the smallest of them that is not rounding says which part of a row is its own. */
#ifndef CAROM_UNLIKE_H
#define CAROM_UNLIKE_H

#include <math.h>

#define CAROM_UNLIKE_MASSES 1e6     /* named where a problem was not solved */
#define CAROM_UNLIKE_ROUNDING 1e-13 /* a pivot below this is a row that depends on others */

/* 1 over the smallest pivot of W, n x n by rows, which is overwritten; at least 1. */
static inline double carom_unlike_masses(int n, double *W)
{
    double least = 1.0;
    for (int i = 0; i < n; ++i) { /* row and column i by the root of the diagonal, which stays */
        const double d = W[i * n + i] > 0.0 ? 1.0 / sqrt(W[i * n + i]) : 0.0;
        for (int j = 0; j < n; ++j) {
            if (j != i) {
                W[i * n + j] *= d;
                W[j * n + i] *= d;
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        W[i * n + i] = W[i * n + i] > 0.0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < n; ++k) {
        int p = 0;
        for (int i = 1; i < n; ++i) {
            p = W[i * n + i] > W[p * n + p] ? i : p;
        }
        const double pivot = W[p * n + p];
        if (!(pivot > CAROM_UNLIKE_ROUNDING)) {
            break;
        }
        least = fmin(least, pivot);
        for (int i = 0; i < n; ++i) {
            const double l = i == p ? 0.0 : W[i * n + p] / pivot;
            for (int j = 0; j < n && l != 0.0; ++j) {
                W[i * n + j] -= j == p ? 0.0 : l * W[p * n + j];
            }
        }
        W[p * n + p] = 0.0; /* done: it has no further part */
        for (int i = 0; i < n; ++i) {
            W[i * n + p] = W[p * n + i] = 0.0;
        }
    }
    return 1.0 / least;
}

#endif
