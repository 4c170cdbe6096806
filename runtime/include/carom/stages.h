/*
 * Sparse equations of several stages that are coupled, on the structure of carom/kkt.h: for Newton's method on the
 * accelerations of s stages, with rows that are held,
 *
 *     M y_l + sum_k (wv_lk C + wq_lk K) y_k - G^T p_l = M d_l,     G y_l = G d_l on the rows that are held,   l = 1..s
 *
 * M, C, K are symmetric and have one pattern, wv and wq are any s x s matrices: the unknowns of all stages at one place
 * are eliminated together, in the static order of the tables, K = L D U by blocks of s x s. No heap, everything
 * bounded.
 */
#ifndef CAROM_STAGES_H
#define CAROM_STAGES_H

#include "kkt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_STAGES_MOST 16 /* stages */

/* Work space of s stages: the factor is what is in it. */
#define CAROM_STAGES_WORK(s, nv, nr, nl)                                                                               \
    ((s) * (s) * (2 * (nl) + 3 * ((nv) + (nr))) + (s) * ((nv) + (nr))) /* doubles */
#define CAROM_STAGES_IWORK(nv, nr) ((nv) + 2 * (nr))                   /* ints */

/*
 * Factors. M, C, K: [na] as A in carom/kkt.h; wv, wq: [s s]; held: [nr]. CAROM_SINGULAR_MASS: a block cannot be
 * eliminated; CAROM_NOT_FINITE.
 */
carom_status carom_stages_factor(const carom_kkt_tables *t, int s, const double *M, const double *C, const double *K,
                                 const double *wv, const double *wq, const double *G, const unsigned char *held,
                                 double *work, int *iwork);

/* d[s nv], the stages one after another, becomes y. M and G must be those that were factored. */
void carom_stages_solve(const carom_kkt_tables *t, int s, const double *M, const double *G, double *d, double *work,
                        const int *iwork);

#ifdef __cplusplus
}
#endif
#endif
