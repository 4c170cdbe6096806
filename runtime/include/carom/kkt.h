/*
 * Sparse contact problems, hundreds to tens of thousands of rows: no heap, static structure, warm start.
 *
 *     A x - G^T r = f        rows i < ne in the set (bilateral):   (G x + b)_i = 0
 *                            other rows in the set (unilateral):   0 <= r_i  _|_  (G x + b)_i >= 0
 *                            rows not in the set:                  r_i = 0, otherwise ignored
 *
 * A is sparse symmetric positive definite. The method is the primal-dual active set (Newton-min): from the last mode,
 * solve with the active rows as equations, drop the rows that pull, add the rows that are violated, repeat. When the
 * number of wrong signs does not fall for a few steps, one row is changed at a time (Murty's rule with the last wrong
 * row) until it does (Judice and Pires): this cannot cycle for independent rows. Where rows depend on each other and
 * that stalls, proximal point steps make them independent. Everything is bounded.
 *
 * Each step factorises  K = [A G^T; G 0] = L D L^T  in a static order with the rows that are not active masked. The
 * order (gen/plan/symbolic.lua) puts every row of G after the unknowns it needs, so that no numerical pivoting is
 * necessary: pivots of x are positive, pivots of rows negative. A row that depends on others has a pivot of the size of
 * rounding; it is replaced by -1e-6 of the row's own scale and iterative refinement with the true matrix removes the
 * effect. Forces of dependent rows are then one of many solutions; x is unique in any case.
 *
 * Units do not matter: forces are measured by sqrt(A_jj), rows by sqrt(s_i) with s_i = sum_j G_ij^2 / A_jj. A sign is
 * wrong beyond 1e-12 of the terms of its equation. A result is CAROM_OK only if what is left of every equation is at
 * most 1e-9 of the largest f or b (typically 1e-15); up to 1e-6 where that is the rounding of far larger forces.
 */
#ifndef CAROM_KKT_H
#define CAROM_KKT_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Structure, computed at generation; `static const` in generated code. N = nv + nr unknowns are eliminated. */
typedef struct {
    int nv, nr, ne;     /* unknowns x, rows of G, how many of the rows (the first) are bilateral */
    int na, ng, nl;     /* stored values of A (upper triangle), of G, of L (below the diagonal) */
    const int *Ai, *Aj; /* [na] row and column of each value of A, Ai <= Aj */
    const int *Ad;      /* [nv] which value of A is the diagonal of row j */
    const int *Gp, *Gj; /* [nr + 1] first value of each row of G, [ng] column of each value */
    const int *order;   /* [N] what is eliminated k-th: x_u if u < nv, row u - nv of G otherwise */
    const int *Kp;      /* [N + 1] first entry of each row of the permuted K, strictly below the diagonal */
    const int *Kj, *Ks; /* [na - nv + ng] column; origin: value Ks of A if >= 0, else value -1 - Ks of G */
    const int *Lp, *Li; /* [N + 1], [nl] L by columns, rows ascending */
    const int *Rp, *Rj; /* [N + 1], [nl] L by rows, columns ascending */
    int band;           /* of G A^-1 G^T in the order Wo of its rows, see carom/banded.h; 0: there is none */
    const int *Wo;      /* [nr] */
} carom_kkt_tables;

/* Work space; contents between calls are the factor, so one work space serves one system at a time. */
#define CAROM_KKT_WORK(nv, nr, nl) ((nl) + 6 * (nv) + 8 * (nr)) /* doubles */
#define CAROM_KKT_IWORK(nv, nr) ((nv) + 2 * (nr))               /* ints */

/* Bound on factorisations in one carom_kkt_solve. */
#define CAROM_KKT_MAX_ITERATIONS(nr) (400 + 4 * (nr))
#define CAROM_KKT_MAX_REFINEMENTS 6 /* per factorisation */

/*
 * Solves the problem above for x[nv] and r[nr].
 *   set[nr]     rows that take part; NULL: all.
 *   active[nr]  in: guess (the last mode; guess new rows of the set to be active, since dropping rows takes few steps
 *               while a load may travel along a column of closed rows one by one); out: rows found active. Bilateral
 *               rows in the set are always active.
 *   b[nr]       values of rows outside the set do not matter, nor do those of G.
 *   info        iterations = factors used; residual = worst natural residual |min(w_i, s_i r_i)| (bilateral: |w_i|),
 *               in the unit of b; contact = the worst row when the status is not CAROM_OK, -1 otherwise.
 * CAROM_SINGULAR_MASS: A is not positive definite. CAROM_CONTACT: no solution to tolerance. CAROM_NOT_FINITE.
 */
carom_status carom_kkt_solve(const carom_kkt_tables *t, const double *A, const double *G, const unsigned char *set,
                             const double *f, const double *b, double *x, double *r, unsigned char *active,
                             double *work, int *iwork, carom_info *info);

/*
 * The same when A and G are those of the last call on this work space, and that gave CAROM_OK: its factor serves again
 * while the guess is the set that it was made for.
 */
carom_status carom_kkt_solve_again(const carom_kkt_tables *t, const double *A, const double *G,
                                   const unsigned char *set, const double *f, const double *b, double *x, double *r,
                                   unsigned char *active, double *work, int *iwork, carom_info *info);

/*
 * The two halves, for several right-hand sides with one active set: factor K with the rows of `active` (NULL: none, so
 * that A x = f is solved), then solve A x - G^T r = f, (G x + b)_active = 0, r = 0 elsewhere, as often as wanted, also
 * after carom_kkt_solve for its final set. b may be NULL when it is zero. A and G must be those that were factored.
 * Returns CAROM_CONTACT if refinement does not reach tolerance (contradicting rows).
 */
carom_status carom_kkt_factor(const carom_kkt_tables *t, const double *A, const double *G, const unsigned char *active,
                              double *work, int *iwork);
carom_status carom_kkt_factored_solve(const carom_kkt_tables *t, const double *A, const double *G, const double *f,
                                      const double *b, double *x, double *r, double *work, int *iwork,
                                      carom_info *info);

#ifdef __cplusplus
}
#endif
#endif
