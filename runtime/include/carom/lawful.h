/* Does a solution keep the law of contact (carom/law.h)? Whatever solved it, no step ends as good otherwise. Asks for
 * what carom/coulomb.h does, and the velocities s->v, beside which rates may be rounding. See carom/algorithm.h. */
#ifndef CAROM_LAWFUL_H
#define CAROM_LAWFUL_H

#include "algorithm.h"
#include "complementarity.h"
#include "law.h"
#include "rides.h"

/* Does a solution of u = W r + b keep the law on the set? No step ends as good otherwise, whatever solved it. */
static inline carom_status CAROM(lawful)(const CAROM_STATE *s, const double *W, const bool *set,
#if CAROM_NT > 0
                                         const double *slip,
#endif
                                         const double *b, const double *r, carom_info *info, carom_counts *counts)
{
#if CAROM_NG == 1 && CAROM_NE == 0 && CAROM_NT == 0
    (void)s;
    (void)counts;
    const double least = -CAROM_OPEN_ROUNDING * fabs(b[0]);
    const bool good = r[0] >= 0.0 && (!set[0] || W[0] * r[0] + b[0] >= least); /* W < 0: far too long a step */
    info->contact = good ? info->contact : 0;
    return good ? CAROM_OK : CAROM_CONTACT;
#else
    int index[CAROM_NR] = {0}, n = 0;
    for (int j = 0; j < CAROM(active)(s); ++j) {
        if (set[j]) {
            index[n++] = j;
        }
    }
#if CAROM_NT > 0
    double u[CAROM_NR];
    for (int j = 0; j < CAROM(active)(s); ++j) {
        u[j] = b[j];
    }
#endif
    carom_law_residual law = {0.0, 0.0, -1};
    for (int i = 0; i < n; ++i) {
        const int j = index[i];
        const double *const row = W + j * CAROM_NR;
        double sum = b[j];
        for (int k = CAROM_BAND_FROM(i); k < CAROM_BAND_TO(i, n); ++k) {
            sum += row[index[k]] * r[index[k]];
        }
#if CAROM_NT > 0
        u[j] = sum;
        if (!s->derived.frictional) {
            carom_law_row(&law, j >= CAROM_NE, j, row[j], r[j], sum);
        }
#else
        carom_law_row(&law, j >= CAROM_NE, j, row[j], r[j], sum);
#endif
    }
#if CAROM_NT > 0
    if (s->derived.frictional) {
        const double *diagonal = W;
        int stride = CAROM_NR + 1;
#if CAROM_RIDES > 0
        double own[CAROM_NR]; /* what rides on a contact has its normal's */
        for (int j = 0; j < CAROM(active)(s); ++j) {
            const int mount = j >= CAROM_NE && j < CAROM_NG ? CAROM_MOUNT(j - CAROM_NE) : -1, row = CAROM_NE + mount;
            own[j] = W[(mount < 0 ? j : row) * (CAROM_NR + 1)];
            u[j] = mount < 0 ? u[j] : own[j] * (r[j] - r[row]);
        }
        diagonal = own;
        stride = 1;
#endif
        const carom_law_rows rows = {.bilateral = CAROM_NE,
                                     .contacts = CAROM_NC,
                                     .dimension = CAROM_D,
                                     .tangents = &CAROM(tangents)[0][0],
                                     .mu = s->derived.mu,
                                     .set = set,
                                     .slip = slip,
                                     .W = diagonal,
                                     .stride = stride};
        law = carom_law(&rows, r, u);
    } else {
        (void)slip;
    }
#endif
    if (CAROM_LAW_EPSILON * law.scale > CAROM_TS) { /* forces that cancel: is what they leave more than rounding? */
        double speed = 0.0;
        for (int i = 0; i < CAROM_NV; ++i) {
            speed = fmax(speed, fabs(s->v[i]));
        }
        if (CAROM_LAW_EPSILON * law.scale > CAROM_LAW_BROKEN * speed) {
            info->contact = law.worst;
            info->residual = CAROM_LAW_EPSILON * law.scale;
            return CAROM_CONTACT;
        }
    }
    if (law.left > counts->law * law.scale) {
        double size = law.scale;
        for (int i = 0; i < CAROM_NV; ++i) { /* rates are sums of velocities: what is small beside these is rounding */
            const double speed = CAROM_LAW_ROUNDING * fabs(s->v[i]);
            size = speed > size ? speed : size;
        }
        if (!(law.left <= CAROM_LAW_BROKEN * size)) {
            info->contact = law.worst;
            info->residual = law.left;
            return CAROM_CONTACT;
        }
        counts->law = law.left > counts->law * size ? law.left / size : counts->law;
    }
    return CAROM_OK;
#endif
}

#endif
