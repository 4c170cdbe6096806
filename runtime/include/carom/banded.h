/*
 * Contact problems as in carom/kkt.h whose A is diagonal, its values those of the unknowns in turn (bodies with
 * principal axes, beads, points) and whose rows couple few others: columns of beads, chains and loops of joined bodies.
 * A is eliminated,
 *
 *     u = W z + q,    W = G A^-1 G^T,    q = G A^-1 f + b,
 *
 * and W = L D L^T is factored within its band, in an order in which rows that share unknowns are near each other
 * (gen/plan/banded.lua). The method is the primal-dual active set (Newton-min) from the last mode. What does not change
 * is kept: W while A and G have the same bits, rows of L before the first one that enters or leaves the active set.
 * Asked the same again from the set that was found, it gives the same answer without work. Residuals are those of
 * carom/kkt.h, of the true rows G x + b. What is not clear at once (rows that depend on each other, sets that do not
 * settle) is left to it.
 */
#ifndef CAROM_BANDED_H
#define CAROM_BANDED_H

#include "kkt.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* band: of the tables. The first int is zero before the first call. */
#define CAROM_BANDED_WORK(nv, nr, ng, band)                                                                            \
    (4 * (nv) + 2 * (nr) + (ng) + 1 + ((nr) + (band)) * (2 * (band) + 6)) /* doubles */
#define CAROM_BANDED_IWORK(nr) (2 + 3 * (nr) + ((nr) + 1) / 2 + 1)        /* ints */

/* As carom_kkt_solve, for tables with a band; the first `equal` rows are equations; active: NULL where all are. False:
 * not clear. */
bool carom_banded_solve(const carom_kkt_tables *t, int equal, const double *A, const double *G,
                        const unsigned char *set, const double *f, const double *b, double *x, double *r,
                        unsigned char *active, double *work, int *iwork, carom_info *info);

/* W by rows, W_k,k-d at [k * (near + 1) + d], 0 where there is no such row, with `near` rows of zeros behind the last:
 * of rows that share an unknown, numbers differ by no more than `near`. */
void carom_banded_rows(const carom_kkt_tables *t, const double *A, const double *G, int near, double *W);

#ifdef __cplusplus
}
#endif
#endif
