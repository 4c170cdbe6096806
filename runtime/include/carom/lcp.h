/*
 * Dense mixed linear complementarity problems for a few contacts: no heap, no recursion, bounded work.
 *
 *     w = M z + b        rows 0 .. ne-1   bilateral:   w = 0, z free
 *                        rows ne .. n-1   unilateral:  0 <= z  _|_  w >= 0
 *
 * M is n x n, row-major with leading dimension ld. In frictionless mechanics M = G M^-1 G^T is symmetric positive
 * semidefinite and often singular (four corners of a block on a floor); symmetry is not relied upon.
 *
 * How it is solved: one and two contacts by cases (inline, below); otherwise the last mode is tried first (one small
 * linear solve), then a bounded number of block principal pivots (Newton-min), then Lemke's method with lexicographic
 * ratios, which is exact. Rows that depend on others are left out of the basis: z = 0 there, w is checked.
 *
 * Units: row i is measured by m_i = |M_ii| (largest |M_ij| when that is zero), so neither the units of a row nor a
 * common factor on b or M changes a decision. A result is CAROM_OK only if the natural residual of every row,
 * |w_i| (bilateral) or |min(w_i, m_i z_i)|, is at most t_i = 1e-9 sqrt(m_i) max_j |b_j| / sqrt(m_j); up to 1000 t_i
 * where that is the rounding of the sums it is made of (M so ill-conditioned that they exceed b by 1e6).
 */
#ifndef CAROM_LCP_H
#define CAROM_LCP_H

#include "lemke.h"
#include "room.h"
#include "status.h"

#include <float.h>
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_LCP_MAX 255 /* largest n of carom_lcp_solve: a place of a row is a byte */

/* Bound on the linear solves by Newton-min; lemke.h has that on the pivots that follow. */
#define CAROM_LCP_MAX_BLOCKS(n) ((n) + 5)

/*
 * Solves the mixed problem above.
 *   basis[i]   in: guess that z_i may be nonzero (the last mode, or zeros); out: the basis found, 1 for bilateral rows.
 *   info       iterations = linear solves + pivots; residual = worst natural residual, in the unit of b;
 *              contact = its row when the status is not CAROM_OK, else -1.
 *   work       CAROM_LCP_WORK(n) doubles
 * On CAROM_CONTACT (no solution found) and CAROM_INFEASIBLE (proved that there is none) z and basis hold the last
 * attempt. CAROM_NOT_FINITE: M or b is not finite. CAROM_ARGUMENT: n > CAROM_LCP_MAX or ne not in 0..n.
 */
carom_status carom_lcp_solve(int ne, int n, const double *M, int ld, const double *b, double *z, unsigned char *basis,
                             double *work, carom_info *info);

/* One contact: w = m z + b. Returns 1 when solved; 0 (z = 0) when m <= 0 < -b or something is not a number. */
static inline int carom_lcp_1(double m, double b, double *z, unsigned char *basis)
{
    int solved = 1;
    *z = 0.0;
    *basis = 0;
    if (b < 0.0 && m > 0.0) {
        *z = -b / m;
        *basis = 1;
        solved = (*z <= DBL_MAX);
    } else if (!(b >= 0.0)) {
        solved = 0;
    }
    return solved;
}

/* One candidate mode of two contacts: bit i of mode says that z_i may be nonzero. Internal to carom_lcp_2. */
static inline int carom_lcp_2_mode(unsigned mode, const double M[4], const double b[2], double z[2])
{
    const double rounding = 16.0 * DBL_EPSILON;
    int good = 0;
    z[0] = 0.0;
    z[1] = 0.0;
    if (mode == 0U) {
        good = (b[0] >= 0.0) && (b[1] >= 0.0);
    } else if (mode == 1U) {
        if ((b[0] <= 0.0) && (M[0] > 0.0)) {
            z[0] = -b[0] / M[0];
            const double p = M[2] * z[0];
            good = (b[1] + p >= -rounding * (fabs(b[1]) + fabs(p)));
        }
    } else if (mode == 2U) {
        if ((b[1] <= 0.0) && (M[3] > 0.0)) {
            z[1] = -b[1] / M[3];
            const double p = M[1] * z[1];
            good = (b[0] + p >= -rounding * (fabs(b[0]) + fabs(p)));
        }
    } else if (M[0] > 0.0) {
        const double l = M[2] / M[0];
        const double s = M[3] - l * M[1];
        if (s > 1e-12 * fabs(M[3])) { /* else the rows depend on each other and one of them is enough */
            z[1] = -(b[1] - l * b[0]) / s;
            z[0] = -(b[0] + M[1] * z[1]) / M[0];
            good = (z[0] >= 0.0) && (z[1] >= 0.0);
        }
    }
    return good && (z[0] <= DBL_MAX) && (z[1] <= DBL_MAX);
}

/*
 * Two contacts, M by rows. Returns 1 when solved, to rounding; 0 when no mode holds (then carom_lcp_solve may still
 * find a solution by its tolerances, or will say why not).
 */
static inline int carom_lcp_2(const double M[4], const double b[2], double z[2], unsigned char basis[2])
{
    const unsigned guess = (basis[0] ? 1U : 0U) | (basis[1] ? 2U : 0U);
    unsigned mode = guess;
    int solved = carom_lcp_2_mode(mode, M, b, z);
    for (unsigned k = 0; (k < 4U) && !solved; k++) {
        if (k != guess) {
            mode = k;
            solved = carom_lcp_2_mode(mode, M, b, z);
        }
    }
    basis[0] = (unsigned char)(mode & 1U);
    basis[1] = (unsigned char)(mode >> 1U);
    return solved;
}

#ifdef __cplusplus
}
#endif
#endif
