/*
 * Linear complementarity problems of any size and any matrix, by one of several methods or by all of them in turn:
 *
 *     w = M z + q,    0 <= z  _|_  w >= 0
 *
 * These are contact problems whose only law is the unilateral one, with M full and of any kind: not positive definite,
 * zeros on the diagonal. Solvers are registered by name as those of carom/friction.h are, and judged by the same
 * residual: with m_i = |M_ii|, or the largest |M_ij| of the row where that is zero,
 *
 *     residual = || min(m_i z_i, w_i) ||_2 / max( ||q||_2, ||w||_2 )          (||w|| counts up to 1e4 ||q||)
 *
 * a pure number that no unit of a row changes. No heap: the caller owns the work space. No random numbers: the same
 * input gives the same output. For the few rows of a step in generated code carom/lcp.h is the better door.
 */
#ifndef CAROM_LCP_SOLVERS_H
#define CAROM_LCP_SOLVERS_H

#include "law.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_LCP_ENUMERATED 20 /* rows up to which all 2^n modes are tried */

typedef struct {
    int n;
    const double *M, *q; /* [n n] by rows, [n] */
} carom_lcp_problem;

typedef struct {
    const char *stage; /* the method that found the answer */
    int iterations;    /* pivots, Newton steps, modes: all that were made */
    int worst;         /* row with the largest share in the residual, -1 when it is zero */
    double residual;   /* of the z given back */
} carom_lcp_result;

/* All solvers, "auto" first; `count` may be NULL. */
const carom_solver *carom_lcp_solvers(int *count);

/* Doubles of work space for n rows. */
size_t carom_lcp_solver_work(int n);

/*
 * Solves by the solver of this name (NULL: "auto", which lets every method that applies speak before it gives up).
 * z: out, the best point found, >= 0; after CAROM_INFEASIBLE a proof that there is none: z >= 0, M^T z <= 0, q.z < 0.
 * w: M z + q. CAROM_OK: residual <= tolerance. CAROM_CONTACT: not reached, whether there is a solution is not known.
 * CAROM_NOT_FINITE. CAROM_ARGUMENT: n < 1, no such solver, or it does not apply to this problem.
 */
carom_status carom_lcp_solve_by(const char *name, const carom_lcp_problem *problem, double tolerance, double *z,
                                double *w, carom_lcp_result *result, double *work);

/* w = M z + q and the residual defined above; `worst` may be NULL. */
double carom_lcp_residual(const carom_lcp_problem *problem, const double *z, double *w, int *worst);

#ifdef __cplusplus
}
#endif
#endif
