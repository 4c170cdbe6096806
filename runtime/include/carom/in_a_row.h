/* The contact problem of contacts in a row (carom/band.h),
 *
 *     M x = rhs + G^T (r - carried),    u = G x + b,    0 <= r _|_ u >= 0 on the rows of a set, r = carried on others,
 *
 * in straight code and in tables: everything is a loop over the rows. Asks for
 *
 *     CAROM(solve_mass), rows  x := M^-1 x, y = G x
 *     CAROM(push)              x += M^-1 G^T p on the rows of a set
 *     CAROM_ROW_STATE          the state as these take it, CAROM_STATE or const CAROM_STATE
 *     CAROM_PULLS              1: right-hand sides are handed in; 0: NULL is
 *
 * and beside these a place for the work: room [CAROM_BAND_ROOM + CAROM_NG] and in [CAROM_NG]. See carom/algorithm.h. */
#ifndef CAROM_IN_A_ROW_H
#define CAROM_IN_A_ROW_H

#include "algorithm.h"
#include "band.h"
#include "model.h"

#if CAROM_BANDED > 0
/* False: not clear; r and what is counted are as they were. end: of a step, whose law is counted. */
static inline bool CAROM(in_a_row)(CAROM_ROW_STATE *s, const CAROM(config) * c, const double *W, const bool *set,
                                   const double *rhs, const double *b, const double *carried, bool end, double *x,
                                   double *r, bool *in, double *room, carom_info *info, carom_counts *counts)
{
    double *const u = room + CAROM_BAND_ROOM;
    carom_band_left left = {0.0, 0.0};
    if (rhs != NULL) {
        for (int i = 0; i < CAROM_NV; ++i) {
            x[i] = rhs[i];
        }
#if CAROM_PULLS > 0
        CAROM(solve_mass)(s, c, x);
        CAROM(rows)(s, c, x, u);
#endif
        for (int k = 0; k < CAROM_NG; ++k) {
            u[k] += b[k];
        }
    } else {
        for (int i = 0; i < CAROM_NV; ++i) {
            x[i] = 0.0;
        }
        for (int k = 0; k < CAROM_NG; ++k) {
            u[k] = b[k];
        }
    }
    for (int k = 0; k < CAROM_NG && carried != NULL; ++k) {
        if (set[k]) {
            CAROM_UNROLL
            for (int d = -CAROM_BAND; d <= CAROM_BAND; ++d) {
                if (k + d >= 0 && k + d < CAROM_NG && set[k + d]) {
                    u[k] -= (d < 0 ? CAROM_BAND_W(k, -d) : CAROM_BAND_W(k + d, d)) * carried[k + d];
                }
            }
        }
    }
    if (!CAROM(chain)(W, set, u, r, in, room, &left, info)) {
        return false;
    }
    ++counts->contact_solves;
    if (end && left.law > counts->law * left.scale) {
        counts->law = left.law / left.scale;
    }
    if (carried == NULL) {
        for (int k = 0; k < CAROM_NG; ++k) {
            r[k] = set[k] ? r[k] : 0.0;
        }
        CAROM(push)(s, c, set, r, x);
        return true;
    }
    for (int k = 0; k < CAROM_NG; ++k) {
        r[k] = set[k] ? r[k] : carried[k];
        u[k] = r[k] - carried[k];
    }
    CAROM(push)(s, c, set, u, x);
    return true;
}
#endif

#endif
