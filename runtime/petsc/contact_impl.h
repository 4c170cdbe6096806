/* What the contact solvers share: the solver object, the candidates of a step, and the conjugate gradients.
 *
 * Node coordinates. Inside a solve the entries of a vector at a candidate node are those of y_i = R_i v_i - (lo, slip):
 * the law reads y_N >= 0, y_T = 0 sticks, and the face of a step consists of exact zeros. Elsewhere entries are plain.
 * A candidate with fixed components gets the frame of its free components, see candidates.c.
 *
 * With ties that are on, v is T^-1 times the velocity throughout, and A stands for T^T A T (ties.h). */
#ifndef CAROM_PETSC_CONTACT_IMPL_H
#define CAROM_PETSC_CONTACT_IMPL_H

#include "contact.h"

#define CAROM_SMALL 3 /* most components of a node */

typedef struct {
    PetscInt n;       /* active candidates here that can move along their normal */
    PetscInt *place;  /* [n] number in the caller's set */
    PetscInt *node;   /* [n] local node */
    PetscInt *number; /* [n] among all contact nodes here */
    PetscInt *tie;    /* [n] number of its tie, -1: none */
    PetscReal *R;     /* [n d d] frame by rows */
    PetscReal *shift; /* [n d] lower bound and velocity of the obstacle, subtracted from R v */
    PetscReal *free;  /* [n d] 1, or 0 where a component is fixed */
    /* [n] what the normal of the caller's frame has in the free components: 1 but for fixed ones */
    PetscReal *scale;
    PetscReal *mu;       /* [n] */
    PetscReal *block;    /* [n d d] R_i A_ii R_i^T */
    PetscReal *dn, *dt;  /* [n] its normal entry, the largest eigenvalue of its tangential part */
    PetscInt *row, *col; /* coupling of candidates on this rank: block rows */
    PetscReal *couple;   /* [row[n] d d] R_i A_ij R_j^T */
    PetscInt room, couple_room;
} CaromCandidates;

typedef enum { CAROM_CG_CONVERGED, CAROM_CG_BOUND, CAROM_CG_RELEASE, CAROM_CG_CAP } CaromCGReason;

/* Conjugate gradients on a face: components of the candidates with open = 0 do not move. */
typedef struct {
    PetscReal *open;       /* [n d] */
    PetscReal *curve;      /* [n d d] added to A at the candidates; NULL: nothing */
    PetscReal *gradient;   /* [n d] A v - b at the candidates, carried along; NULL without candidates */
    const PetscReal *base; /* [n d] velocities that x is added to; NULL: x is the velocity */
    PetscBool bounded;     /* stop when a normal goes below 0, and without base when the pressure asks for release */
    PetscReal step;        /* out: length of the last step */
    PetscReal gain;        /* out: energy that the last step took */
} CaromFace;

struct _p_CaromContact {
    MPI_Comm comm;
    PetscMPIInt ranks;
    const char *type;
    PetscReal tol, eta, proportion;
    PetscInt max_outer, max_inner, sweeps;
    PetscBool automatic, keep_direction, view;

    Mat A;
    Vec mask;
    CaromTies *ties;                 /* NULL: none */
    PetscInt d, size, total;         /* components per node, components here, in all */
    PetscInt count, *nodes, *number; /* contact nodes here; local node to its number or -1 */
    PetscInt contacts;               /* over all ranks */
    PetscInt fixed_count, *fixed;    /* local components with mask 0 */

    Mat columns;         /* A restricted to the columns of contact nodes */
    Vec change;          /* a vector of its column space */
    PetscInt *row, *col; /* blocks between contact nodes of this rank */
    PetscReal *couple;   /* [row[count] d d] */
    PetscInt *candidate; /* [count] its number in this step or -1 */

    Vec inverse; /* Jacobi: 1/diagonal, 0 where fixed */
    Vec untied;  /* ties: the same of A itself, while `inverse` is that of T^T A T */
    Vec r, p, q, delta, start;
    PetscReal *pc;   /* [n d d] preconditioner at the candidates */
    PetscReal *pq;   /* [n d] A p at the candidates */
    PetscReal *hold; /* [n d] entries of a vector while it is in plain components */
    PetscReal pAp;   /* of the direction in p, 0: none */
    PetscInt room;

    CaromCandidates K;
    PetscInt products;
    PetscReal bnorm;
    PetscReal scale; /* what the tolerance is relative to instead of |b|; 0: |b| */
    void *data;      /* of the direct solver */
    PetscErrorCode (*forget)(CaromContact);
};

/* ---- entries of vectors at the candidates and at fixed components, and the frame of one node --------------------- */

static inline void CaromCandidatesClear(const CaromContact S, PetscReal *a)
{
    for (PetscInt k = 0; k < S->K.n; ++k) {
        for (PetscInt i = 0; i < S->d; ++i) {
            a[S->K.node[k] * S->d + i] = 0.0;
        }
    }
}

static inline void CaromFixedClear(const CaromContact S, PetscReal *a)
{
    for (PetscInt k = 0; k < S->fixed_count; ++k) {
        a[S->fixed[k]] = 0.0;
    }
}

/* out = R x */
static inline void CaromTurn(PetscInt d, const PetscReal *R, const PetscReal *x, PetscReal *out)
{
    for (PetscInt i = 0; i < d; ++i) {
        out[i] = 0.0;
        for (PetscInt j = 0; j < d; ++j) {
            out[i] += R[i * d + j] * x[j];
        }
    }
}

/* out = R^T x */
static inline void CaromTurnBack(PetscInt d, const PetscReal *R, const PetscReal *x, PetscReal *out)
{
    for (PetscInt j = 0; j < d; ++j) {
        out[j] = 0.0;
        for (PetscInt i = 0; i < d; ++i) {
            out[j] += R[i * d + j] * x[i];
        }
    }
}

/* candidates.c */
/* values [n d] = the entries of v at the candidates, and v = values there */
PetscErrorCode CaromCandidatesTake(CaromContact S, Vec v, PetscReal *values);
PetscErrorCode CaromCandidatesPut(CaromContact S, const PetscReal *values, Vec v);
PetscErrorCode CaromCandidatesSet(CaromContact S, const CaromContactSet *set, Vec v);
PetscErrorCode CaromCandidatesFree(CaromContact S);
PetscErrorCode CaromCandidatesEnter(CaromContact S, Vec v, PetscReal snap); /* to node coordinates, y_N clipped at 0 */
PetscErrorCode CaromCandidatesLeave(CaromContact S, Vec v);                 /* and back */

/* tied.c: the operator with ties; nothing happens when none is on */
/* velocities to relative ones, the preconditioner to that of T^T A T */
PetscErrorCode CaromTiedEnter(CaromContact S, Vec v);
PetscErrorCode CaromTiedLeave(CaromContact S, Vec v);
PetscErrorCode CaromTiedForces(CaromContact S, Vec y);       /* y = T^-T y, 0 on fixed components */
PetscErrorCode CaromTiedApply(CaromContact S, Vec x, Vec y); /* y = A T x; leaves x at T x */
PetscErrorCode CaromTiedTranspose(CaromContact S, Vec y);    /* y = T^T y */

/* columns.c: the columns of A that belong to contact nodes, so that a change there costs no product with A */
PetscErrorCode CaromColumnsSet(CaromContact S);
/* y += factor A e outside the candidates, yc += A e at them; e and yc [n d]. Collective. */
PetscErrorCode CaromColumnsAdd(CaromContact S, const PetscReal *e, PetscReal factor, Vec y, PetscReal *yc);

/* cg.c */
PetscErrorCode CaromProduct(CaromContact S, Vec x, Vec y, PetscReal *yc); /* y = A x on free components */
PetscErrorCode CaromReduce(CaromContact S, PetscReal *sums, PetscInt count);
/* Minimises on the face from x with residual r until |r| <= stop; x and r are updated together. */
PetscErrorCode CaromCG(CaromContact S, CaromFace *face, Vec r, Vec x, PetscReal stop, PetscInt cap,
                       CaromCGReason *reason, PetscReal *norm);

/* contact.c: r = b - A v on free components outside the candidates, gradient = A v - b at them, of a v in node
 * coordinates */
PetscErrorCode CaromContactResidualVector(CaromContact S, Vec b, Vec v, Vec r, PetscReal *gradient);
/* the natural residual from them; *worst as in CaromContactResult, may be NULL */
PetscErrorCode CaromContactNatural(CaromContact S, Vec v, Vec r, const PetscReal *gradient, PetscReal *residual,
                                   PetscInt *worst);

/* sweep.c: symmetric Gauss-Seidel sweeps over the candidates of this rank, the others at rest. y and g [n d] are
 * velocities and gradient there, s [n] the friction radii (NULL: normals only), refreshed from the pressure when
 * `coulomb`. */
void CaromSweeps(CaromContact S, PetscInt sweeps, PetscBool coulomb, PetscReal *s, PetscReal *y, PetscReal *g);
/* The same on v with gradient and residual r, exact also between ranks. */
PetscErrorCode CaromSweepsApply(CaromContact S, PetscInt sweeps, PetscBool coulomb, PetscReal *s, Vec v, Vec r,
                                PetscReal *gradient);

/* The solvers: v in node coordinates, gradient out. They leave r and gradient as above. */
PetscErrorCode CaromContactSolve_MPRGP(CaromContact S, Vec b, Vec v, PetscReal *gradient, CaromContactResult *result);
PetscErrorCode CaromContactSolve_TNN(CaromContact S, Vec b, Vec v, PetscReal *gradient, CaromContactResult *result);
PetscErrorCode CaromContactSolve_NSGS(CaromContact S, Vec b, Vec v, PetscReal *gradient, CaromContactResult *result);

#endif
