/* Contact without friction on a few rows, from a full Delassus matrix W: closed forms, else carom/lcp.h, which the file
 * that includes this has included where there is more than one row. Asks for s->failure (carom_failure), where problems
 * that are not solved go, s->work.room (carom/room.h), and CAROM_ALL_ROWS: 1 when sets hold all rows, also of contacts
 * far away. See carom/algorithm.h. */
#ifndef CAROM_COMPLEMENTARITY_H
#define CAROM_COMPLEMENTARITY_H

#include "algorithm.h"
#include "band.h"
#include "model.h"
#include "room.h"
#include "sets.h"

/* Where contact problems are set up: scratch in the state, of which nothing survives and nothing is told, so that
 * functions may use it that leave the state as it is. */
static inline double *CAROM(room)(const CAROM_STATE *s) { return ((CAROM_STATE *)s)->work.room; }

/* Hands a contact problem that was not solved to the host, if it asked for it: see carom_failure. */
static inline void CAROM(keep)(const CAROM_STATE *s, int dimension, int n, const double *mu, const double *q,
                               const double *W)
{
    carom_failure *const kept = s->failure;
    const int rows = dimension * n;
    if (kept == NULL || rows > kept->rows) {
        return;
    }
    kept->dimension = dimension;
    kept->contacts = n;
    for (int i = 0; i < rows; ++i) {
        if (mu != NULL && i < n) {
            kept->mu[i] = mu[i];
        }
        kept->q[i] = q[i];
        for (int j = 0; j < rows; ++j) {
            kept->W[i * rows + j] = W[i * rows + j];
        }
    }
}

#if CAROM_NG == 1 && CAROM_NE == 0
/* 0 <= r _|_ W r + b >= 0 */
static inline carom_status CAROM(complementarity)(const CAROM_STATE *s, const double *W, const bool *set,
                                                  const double *b, double *r, carom_info *info)
{
    (void)s;
    (void)info;
    r[0] = set[0] && b[0] < 0.0 ? -b[0] / W[0] : 0.0;
    for (int j = 1; j < CAROM_NR; ++j) {
        r[j] = 0.0;
    }
    return CAROM_OK;
}

#else
/* On the rows of the set: bilateral rows W r + b = 0, contacts 0 <= r _|_ W r + b >= 0. Other rows get r = 0. */
static inline carom_status CAROM(complementarity)(const CAROM_STATE *s, const double *W, const bool *set,
                                                  const double *b, double *r, carom_info *info)
{
    int index[CAROM_NR], n = 0, ne = 0;
    for (int j = 0; j < CAROM_NR; ++j) {
        r[j] = 0.0;
    }
    for (int j = 0; j < CAROM_NG; ++j) { /* tangents are no rows of it */
        if (set[j]) {
            ne += j < CAROM_NE ? 1 : 0;
            index[n++] = j;
        }
    }
    if (n == 0) {
        return CAROM_OK;
    }
#if CAROM_NE == 0
    if (n == 1) {
        const int j = index[0];
        r[j] = b[j] < 0.0 ? -b[j] / W[j * CAROM_NR + j] : 0.0;
        return CAROM_OK;
    }
#endif
#if CAROM_NE == 0
    if (n == 2) {
        const int i = index[0], j = index[1];
        const double W2[4] = {W[i * CAROM_NR + i], W[i * CAROM_NR + j], W[j * CAROM_NR + i], W[j * CAROM_NR + j]},
                     b2[2] = {b[i], b[j]};
        double z2[2];
        unsigned char basis2[2] = {1U, 1U};
        if (carom_lcp_2(W2, b2, z2, basis2)) {
            r[i] = z2[0];
            r[j] = z2[1];
            return CAROM_OK;
        }
    }
#endif
    double *const w = CAROM(room)(s), *const work = w + CAROM_NG * CAROM_NG;
    double z[CAROM_NG], y[CAROM_NG] = {0.0};
    unsigned char basis[CAROM_NG];
    for (int i = 0; i < n; ++i) {
        y[i] = b[index[i]];
#if CAROM_ALL_ROWS > 0
        /* all rows are in the set, also of contacts far away; W is not symmetric, and such a contact could be made to
         * press */
        basis[i] = i < ne || y[i] < 0.0 ? 1 : 0;
#else
        basis[i] = 1;
#endif
        for (int j = 0; j < n; ++j) {
            w[i * n + j] = W[index[i] * CAROM_NR + index[j]];
        }
    }
    const carom_status status = carom_lcp_solve(ne, n, w, n, y, z, basis, work, info);
    for (int i = 0; i < n; ++i) {
        r[index[i]] = z[i];
    }
    if (status != CAROM_OK && info->contact >= 0 && info->contact < n) {
        info->contact = index[info->contact];
    }
    if (status == CAROM_CONTACT || status == CAROM_INFEASIBLE) {
#if CAROM_NE > 0
        /* a bilateral row is two unilateral ones: z = z+ - z-, w >= 0 and -w >= 0 */
        double *const y2 = work + CAROM_LCP_WORK(CAROM_NG), *const w2 = y2 + CAROM_NG + CAROM_NE;
        for (int i = 0; i < n + ne; ++i) {
            y2[i] = i < n ? y[i] : -y[i - n];
            for (int j = 0; j < n + ne; ++j) {
                const double entry = w[(i < n ? i : i - n) * n + (j < n ? j : j - n)];
                w2[i * (n + ne) + j] = (i < n) == (j < n) ? entry : -entry;
            }
        }
        CAROM(keep)(s, 1, n + ne, NULL, y2, w2);
#else
        CAROM(keep)(s, 1, n, NULL, y, w);
#endif
    }
    return status;
}
#endif

#endif
