/* A is diagonal: nodes do not know each other and each contact has a closed form. */
#include "contact_impl.h"

#include "carom/friction.h"

/* Mass in the frame of a candidate: equal in all components, as lumping gives it, or a full inverse. */
static void solve_node(PetscInt d, const PetscReal *mass, const PetscReal *R, const PetscReal *free, PetscReal mu,
                       PetscReal *y, PetscReal *force)
{
    double W[CAROM_SMALL * CAROM_SMALL] = {0.0}, b[CAROM_SMALL] = {0.0}, r[CAROM_SMALL] = {0.0};
    const PetscInt dim = d < 2 ? 2 : d;
    for (PetscInt i = 0; i < dim; ++i) {
        for (PetscInt j = 0; j < dim; ++j) {
            for (PetscInt k = 0; k < d && i < d && j < d && free[i] > 0.0 && free[j] > 0.0; ++k) {
                W[i * dim + j] += R[i * d + k] * R[j * d + k] / mass[k];
            }
        }
        if (i >= d || free[i] == 0.0) {
            W[i * dim + i] = 1.0; /* alone, at rest */
        }
        b[i] = i < d ? y[i] : 0.0;
    }
    const carom_contact_mode mode =
        dim == 2 ? carom_friction_local2(W, b, d == 1 ? 0.0 : mu, r) : carom_friction_local3(W, b, mu, r);
    for (PetscInt i = 0; i < d; ++i) {
        force[i] = free[i] * r[i];
        for (PetscInt j = 0; j < d; ++j) {
            y[i] += free[i] * W[i * dim + j] * r[j];
        }
        if ((i == 0 && mode != CAROM_OPEN) || (mode == CAROM_STICK && i > 0)) {
            y[i] = 0.0;
        }
    }
}

PetscErrorCode CaromContactSolve_Lumped(CaromContact S, Vec b, Vec v, PetscReal *gradient, CaromContactResult *result)
{
    CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    const PetscReal *mass, *right;
    PetscReal *y;
    PetscFunctionBegin;
    result->target = S->tol * S->bnorm;
    result->outer = 1;
    PetscCall(CaromCandidatesLeave(S, v));
    PetscCall(VecGetArrayRead(S->diagonal, &mass));
    PetscCall(VecGetArrayRead(b, &right));
    PetscCall(VecGetArray(v, &y));
    for (PetscInt i = 0, k = 0; i < S->size; ++i) {
        if (k < S->fixed_count && S->fixed[k] == i) {
            ++k;
        } else {
            y[i] = right[i] / mass[i];
        }
    }
    for (PetscInt k = 0; k < K->n; ++k) {
        PetscReal *at = y + K->node[k] * d, w[CAROM_SMALL] = {0.0, 0.0, 0.0};
        for (PetscInt i = 0; i < d; ++i) {
            w[i] = -K->shift[k * d + i];
            for (PetscInt j = 0; j < d; ++j) {
                w[i] += K->R[(k * d + i) * d + j] * at[j];
            }
            w[i] *= K->free[k * d + i];
        }
        solve_node(d, mass + K->node[k] * d, K->R + k * d * d, K->free + k * d, K->mu[k], w, gradient + k * d);
        K->dn[k] = K->dt[k] = mass[K->node[k] * d];
        PetscCall(PetscArraycpy(at, w, d));
    }
    PetscCall(VecRestoreArray(v, &y));
    PetscCall(VecRestoreArrayRead(S->diagonal, &mass));
    PetscCall(VecRestoreArrayRead(b, &right));
    PetscFunctionReturn(0);
}
