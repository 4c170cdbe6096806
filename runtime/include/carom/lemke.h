/*
 * Lemke's method for dense linear complementarity problems, w = M z + q, 0 <= z _|_ w >= 0: any matrix, no heap,
 * bounded work. For mechanics carom/lcp.h is the better door: it tries cheaper things first, knows bilateral rows and
 * judges the answer by row.
 */
#ifndef CAROM_LEMKE_H
#define CAROM_LEMKE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bound on the pivots of one run (of at most two). */
#define CAROM_LCP_MAX_PIVOTS(n) (20 * (n) + 100)

/* Doubles of work space for carom_lcp_lemke; a macro so that it can size an array. */
#define CAROM_LCP_LEMKE_WORK(n) ((n) * ((n) + 4) + 2)
static inline int carom_lcp_lemke_work(int n) { return CAROM_LCP_LEMKE_WORK(n); }

/*
 * Lemke's method with lexicographic ratios and covering vector (1, ..., 1) for w = M z + q, 0 <= z _|_ w >= 0, any
 * n x n matrix and any n the work space allows. `pivots` counts exchanges, the first one of z0 included.
 * CAROM_INFEASIBLE: ended on a ray, and z is a proof that no z >= 0 has w >= 0: z >= 0, M^T z <= 0 (to 1e-12 of its
 * terms), q.z < 0. CAROM_CONTACT: ended on another ray (for positive semidefinite M there is always a proof), at the
 * bound CAROM_LCP_MAX_PIVOTS, or with a residual above 1e-8. Ties are broken by the first rows, and where that does not
 * end in time once more by the last.
 */
carom_status carom_lcp_lemke(int n, const double *M, int ld, const double *q, double *z, double *work, int *pivots);

/* One run of it with any covering vector > 0 (NULL: ones) and either order of breaking ties; carom_lcp_lemke is made of
 * these. */
carom_status carom_lcp_lemke_cover(int n, const double *M, int ld, const double *q, const double *cover, int backwards,
                                   double *z, double *work, int *pivots);

/* What z_i is measured by in row i: |M_ii|, or the largest |M_ij| when that is zero, or 1. */
double carom_lcp_row_unit(int n, const double *row, int i);

/* Not fmax and fmin: those are calls, and a NaN must not be hidden by the other argument. */
static inline double carom_larger(double x, double y) { return (x < y) ? y : x; }
static inline double carom_smaller(double x, double y) { return (y < x) ? y : x; }

#ifdef __cplusplus
}
#endif
#endif
