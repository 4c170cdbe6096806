/* Frictionless contact: minimise 1/2 v.A v - b.v with normal velocities above their bounds, after MPRGP (modified
 * proportioning with reduced gradient projections) preconditioned in the face.
 *
 * Conjugate gradients run on the components that are not closed until a bound is passed or the closed normals want to
 * open more than the face has left to gain. A step over a bound is projected; when that would cost energy it is cut at
 * the first bound. Then sweeps over the contacts open and close what their own minimum asks for, and a new face begins.
 * All of it lowers one convex energy. Projection and sweeps change contact nodes only, so a new face costs no product
 * with A. */
#include "contact_impl.h"

/* Projects the step that passed a bound, or goes back to the first bound. */
static PetscErrorCode project(CaromContact S, CaromFace *face, Vec v, PetscReal *change)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d, n = K->n * d;
    PetscReal *a, *p, cost = 0.0, cut = 0.0;
    PetscFunctionBegin;
    PetscCall(VecGetArray(v, &a));
    PetscCall(VecGetArray(S->p, &p));
    PetscCall(PetscArrayzero(change, n));
    for (PetscInt k = 0; k < K->n; ++k) {
        PetscReal *at = a + K->node[k] * d;
        if (at[0] < 0.0) {
            change[k * d] = -at[0];
            cut = PetscMax(cut, at[0] / p[K->node[k] * d]); /* p < 0 here */
            cost -= 0.5 * at[0] * face->gradient[k * d];
            at[0] = 0.0;
        }
    }
    PetscCall(VecRestoreArray(v, &a));
    PetscCall(CaromColumnsAdd(S, change, -1.0, S->r, face->gradient));
    for (PetscInt k = 0; k < K->n; ++k) {
        cost += 0.5 * change[k * d] * face->gradient[k * d]; /* e.g + 1/2 e.A e by gradients before and after */
    }
    PetscCall(CaromReduce(S, &cost, 1));
    if (cost > face->gain) {
        PetscReal *r, *q;
        PetscCall(MPIU_Allreduce(MPI_IN_PLACE, &cut, 1, MPIU_REAL, MPIU_MAX, S->comm));
        for (PetscInt k = 0; k < n; ++k) {
            change[k] = -change[k];
        }
        PetscCall(CaromColumnsAdd(S, change, -1.0, S->r, face->gradient));
        PetscCall(VecGetArray(v, &a));
        PetscCall(VecGetArray(S->r, &r));
        PetscCall(VecGetArray(S->q, &q));
        for (PetscInt k = 0; k < K->n; ++k) {
            a[K->node[k] * d] += change[k * d];
        }
        for (PetscInt i = 0; i < S->size; ++i) {
            a[i] -= cut * p[i];
            r[i] += cut * q[i];
        }
        for (PetscInt k = 0; k < n; ++k) {
            face->gradient[k] -= cut * S->pq[k];
        }
        for (PetscInt k = 0; k < K->n; ++k) { /* the first bound itself, up to rounding */
            PetscReal *at = a + K->node[k] * d;
            at[0] = face->open[k * d] > 0.0 && at[0] <= 1e-15 * PetscAbsReal(cut * p[K->node[k] * d]) ? 0.0 : at[0];
        }
        PetscCall(VecRestoreArray(v, &a));
        PetscCall(VecRestoreArray(S->r, &r));
        PetscCall(VecRestoreArray(S->q, &q));
    }
    PetscCall(VecRestoreArray(S->p, &p));
    PetscFunctionReturn(0);
}

/* The face: closed normals rest; r becomes the reduced residual. */
static PetscErrorCode set_face(CaromContact S, CaromFace *face, Vec v)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a, *r;
    PetscFunctionBegin;
    PetscCall(VecGetArray(v, &a));
    PetscCall(VecGetArray(S->r, &r));
    for (PetscInt k = 0; k < K->n * d; ++k) {
        const PetscInt at = K->node[k / d] * d + k % d;
        face->open[k] = k % d == 0 && a[at] == 0.0 ? 0.0 : K->free[k];
        r[at] = -face->open[k] * face->gradient[k];
    }
    PetscCall(VecRestoreArray(v, &a));
    PetscCall(VecRestoreArray(S->r, &r));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactSolve_MPRGP(CaromContact S, Vec b, Vec v, PetscReal *gradient, CaromContactResult *result)
{
    const PetscInt n = S->K.n * S->d;
    CaromFace face = {NULL, NULL, gradient, NULL, PETSC_TRUE, 0.0, 0.0};
    CaromCGReason reason;
    PetscReal *change, norm;
    PetscFunctionBegin;
    PetscCall(PetscMalloc2(n, &face.open, n, &change));
    result->target = S->tol * S->bnorm;
    PetscCall(CaromContactResidualVector(S, b, v, S->r, gradient));
    for (; result->outer < S->max_outer; ++result->outer) {
        PetscCall(CaromSweepsApply(S, S->sweeps, PETSC_FALSE, NULL, v, S->r, gradient));
        PetscCall(CaromContactNatural(S, v, S->r, gradient, &result->residual, NULL));
        if (result->residual <= result->target) {
            break;
        }
        PetscCall(set_face(S, &face, v));
        const PetscInt before = S->products;
        S->pAp = 0.0; /* faces differ too much here for a direction to be worth keeping */
        PetscCall(CaromCG(S, &face, S->r, v, 0.95 * result->target, S->max_inner, &reason, &norm));
        if (S->view) {
            PetscCall(PetscPrintf(S->comm, "  mprgp %3d: residual %9.2e, then %3d products to %9.2e, %s\n",
                                  (int)result->outer, (double)(result->residual / S->bnorm),
                                  (int)(S->products - before), (double)(norm / S->bnorm),
                                  reason == CAROM_CG_BOUND     ? "bound"
                                  : reason == CAROM_CG_RELEASE ? "release"
                                  : reason == CAROM_CG_CAP     ? "cap"
                                                               : "converged"));
        }
        if (reason == CAROM_CG_BOUND) {
            PetscCall(project(S, &face, v, change));
        }
    }
    PetscCall(PetscFree2(face.open, change));
    PetscFunctionReturn(0);
}
