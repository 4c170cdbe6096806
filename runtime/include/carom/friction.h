/* The one-step frictional contact problem and its solvers.
 *
 * Find impulses r and velocities u with
 *
 *     u = W r + q,     per contact c:   0 <= u_N  _|_  r_N >= 0,    -r_T in mu r_N Sgn(u_T)
 *
 * so |r_T| <= mu r_N, with r_T opposite to u_T and |r_T| = mu r_N where the contact slides. Every contact has d = 2
 * or 3 components, ordered normal, tangent(s). u and q are velocities, r impulses, W impulse to velocity (1/mass);
 * any consistent units will do.
 *
 * The residual is the same for every solver. With s_c = d / trace(W_cc) (a mass), u^_c = u_c + mu_c |u_T| e_N and
 * P_K the projection on the friction cone |r_T| <= mu r_N:
 *
 *     residual = || ( r_c - P_K(r_c - s_c u^_c) ) / s_c ||_2  /  max( ||q||_2, ||u||_2, velocity_floor )
 *
 * It is a velocity divided by a velocity: a pure number that does not change with the units of mass, length or time.
 * It is zero exactly at solutions. There is no floor unless the caller gives one: a velocity below which nothing
 * matters to him, such as the rounding of the speeds in his model. Where the floor decides, the result says so and also
 * gives the residual without it. (||u|| counts up to 1e4 max(||q||, floor): no mechanical answer is faster, but
 * impulses that run away under an indefinite W would look better and better.) A contact that nothing moves (a zero
 * block) has s_c = 1.
 *
 * The solvers use no heap: the caller owns all memory. They keep no state between calls, and the same input gives
 * the same output bit for bit.
 */
#ifndef CAROM_FRICTION_H
#define CAROM_FRICTION_H

#include "law.h"
#include "status.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* W is stored by block rows: row c owns the blocks row[c] .. row[c+1]-1, each d x d by rows, in ascending column order.
 * The diagonal block is always stored, and block (i,j) is stored whenever (j,i) is (values may differ: W need not be
 * symmetric). carom_friction_assemble and carom_friction_dense make it so. */
typedef struct {
    int dimension;       /* d: 2 or 3 */
    int contacts;        /* n */
    const double *mu;    /* [n] friction coefficients, >= 0 */
    const double *q;     /* [d n] velocities without impulses */
    const int *row;      /* [n+1] */
    const int *column;   /* [row[n]] */
    const double *block; /* [row[n] d d] */
} carom_friction_problem;

typedef struct {
    const char *solver;    /* a name of carom_friction_solvers; NULL means "auto" */
    double tolerance;      /* residual to reach; 0 means 1e-8 */
    double velocity_floor; /* see above, in the problem's unit of velocity; 0: none */
    int max_iterations;    /* of a single method (sweeps or Newton steps); 0 means its default; auto ignores it */
} carom_friction_options;

typedef struct {
    const char *solver; /* the name asked for */
    const char *stage;  /* the method that found the answer: differs from solver for "auto" */
    int sweeps;         /* passes over all contacts, or products with W of a gradient method */
    int factorisations; /* Newton steps, mode systems or Lemke pivots */
    int iterations;     /* both together */
    double residual;    /* of the r and u given back */
    double relative;    /* the same without the floor: above the tolerance when only the floor made it good */
    /* errors in u = W r + q from rounding, on the same scale: where this is above the tolerance (a heavy body on a
     * light one) no residual is known better, and one up to twice this, at most 1e-5, is accepted */
    double rounding;
    int worst;          /* contact with the largest share in the residual, -1 when there is none */
    size_t work_needed; /* bytes that a method missed; 0 when the work space was enough */
} carom_friction_result;

/* ---- solving --------------------------------------------------------------------------------------------------- */

/* Solves to tolerance. r: in the start (zero, or the last step's impulses), out the best point found, always inside
 * the cone. u: out W r + q. result may be NULL.
 *   CAROM_OK          residual <= tolerance, checked on the r and u that are given back
 *   CAROM_CONTACT     not reached; r is the best point, result says which contact and how far; when result.work_needed
 *                     is larger than `size`, more work space would let the factorising methods run
 *   CAROM_INFEASIBLE  not reached, and there is a proof that the contacts cannot be satisfied together: see
 *                     carom_friction_certificate; worst is the contact that closes most against the others
 *   CAROM_NOT_FINITE  the data or the start hold infinities or NaN
 *   CAROM_ARGUMENT    malformed problem, unknown or inapplicable solver (result.worst names the contact where there
 *                     is one), or not even the basic work space */
carom_status carom_friction_solve(const carom_friction_problem *problem, const carom_friction_options *options,
                                  double *r, double *u, carom_friction_result *result, void *work, size_t size);

/* Bytes of work space that are enough in practice: exact for everything but the fill of the sparse factorisation, which
 * is only known when it is computed. If it was too small the result says what is needed. */
size_t carom_friction_work_size(const carom_friction_problem *problem);

/* All solvers, "auto" first; `count` may be NULL. carom_friction_applies: can it be asked for this problem? */
const carom_solver *carom_friction_solvers(int *count);
int carom_friction_applies(const carom_solver *solver, const carom_friction_problem *problem);

/* The law that a solver must know: unilateral when all mu are zero, else Coulomb's in the plane or in space. */
unsigned carom_friction_laws(const carom_friction_problem *problem);

/* A proof that there is no solution: weights z [n] >= 0 of the normals with W^T z = 0 and q.z < 0, since every solution
 * has u_N >= 0 and so z.u >= 0. W^T z is zero but for rounding (1e-12 of its terms): `bound` says how many times max
 * s_c ||q|| an impulse would have to be to make up for it. Returns 1 when one was found; 0 is no proof that a solution
 * exists. Options and work space as for carom_friction_solve; `worst` may be NULL. */
int carom_friction_certificate(const carom_friction_problem *problem, const carom_friction_options *options, double *z,
                               double *bound, int *worst, void *work, size_t size);

/* u = W r + q and the residual defined above; `worst` may be NULL. */
double carom_friction_residual(const carom_friction_problem *problem, double velocity_floor, const double *r, double *u,
                               int *worst);

/* ---- one contact and few contacts, for unrolled code ----------------------------------------------------------- */

typedef enum { CAROM_OPEN, CAROM_STICK, CAROM_SLIP } carom_contact_mode;

/* Exact solution of one contact u = W r + b (W by rows, need not be symmetric). */
carom_contact_mode carom_friction_local2(const double W[4], const double b[2], double mu, double r[2]);
carom_contact_mode carom_friction_local3(const double W[9], const double b[3], double mu, double r[3]);

/* One planar contact by entries, with one division: what carom_friction_local2 does, for code in which even a call
 * counts. */
static inline carom_contact_mode carom_friction_planar(double nn, double nt, double tn, double tt, double bn, double bt,
                                                       double mu, double *n, double *t)
{
    const double det = nn * tt - nt * tn;
    const double stick_n = nt * bt - tt * bn, stick_t = tn * bn - nn * bt; /* times det, which is positive */
    const double bound = mu * stick_n;
    *n = *t = 0.0;
    if (bn >= 0.0) {
        return CAROM_OPEN;
    }
    if (det > 1e-14 * nn * tt && stick_t <= bound && -stick_t <= bound) {
        const double inverse = 1.0 / det;
        *n = stick_n * inverse;
        *t = stick_t * inverse;
        return CAROM_STICK;
    }
    double slope = stick_t < 0.0 ? -mu : mu; /* -stick_t is the slip without friction, times nn */
    /* none: any force that stops the normal will do; the least one */
    if (fabs(stick_t) <= 1e-14 * (fabs(tn * bn) + fabs(nn * bt))) {
        slope = det > 1e-14 * nn * tt ? 0.0 : nt > mu * nn ? mu : nt < -mu * nn ? -mu : nt / nn;
    }
    const double pivot = nn + slope * nt;
    *n = -bn / (pivot > 0.0 ? pivot : nn);
    *t = slope * *n;
    return CAROM_SLIP;
}

#define CAROM_TINY_CONTACTS 3

/* Planar problem of 1 to CAROM_TINY_CONTACTS contacts with dense W (2n x 2n by rows): first the modes that r shows on
 * entry (those of the last step), then all others. Returns the number of mode systems solved, or 0 when none of them
 * has a valid solution (then r is unchanged; hyperstatic sticking is the usual reason). */
int carom_friction_tiny(int contacts, const double *W, const double *mu, const double *q, double *r);

/* ---- making problems ------------------------------------------------------------------------------------------- */

/* Builds a problem from triplets (0-based scalar rows and columns; equal places add up). Its memory is one malloc'ed
 * block, given back for free(); NULL when an index is out of range or memory is short. */
void *carom_friction_assemble(int dimension, int contacts, const double *mu, const double *q, int entries,
                              const int *row, const int *column, const double *value, carom_friction_problem *problem);

/* Bytes for a problem with a full W. */
size_t carom_friction_dense_size(int dimension, int contacts);

/* Builds a problem from a full W (d n x d n by rows) in the caller's memory; mu and q are not copied. Returns
 * CAROM_ARGUMENT when the memory is too small. */
carom_status carom_friction_dense(int dimension, int contacts, const double *mu, const double *q, const double *W,
                                  void *memory, size_t size, carom_friction_problem *problem);

/* ---- files ----------------------------------------------------------------------------------------------------- */

/* Where and why reading failed; line is 0 when the file could not be opened. */
typedef struct {
    int line;
    char message[160];
} carom_friction_file_error;

/* Reads the text format `dimension d`, `contacts n`, `mu` (n numbers), `q` (d n), `W nnz` and nnz `row col value`.
 * The memory of the problem is one malloc'ed block, given back for free(); NULL on error. */
void *carom_friction_read(FILE *file, carom_friction_problem *problem, carom_friction_file_error *error);

/* Writes that format with numbers that read back equal. */
carom_status carom_friction_write(FILE *file, const carom_friction_problem *problem);

/* Replaces W of a problem that carom_friction_assemble or carom_friction_read made by (W + W^T)/2. */
void carom_friction_symmetrise(carom_friction_problem *problem, void *memory);

#ifdef __cplusplus
}
#endif
#endif
