/* Sweeps over the contact nodes: each node in turn takes its own minimum with its neighbours held, exactly on the bound
 * or exactly stuck where the law says so. This is where contacts open and close, stick and slip; the rest of the body
 * follows by conjugate gradients. Gauss-Seidel inside a rank, Jacobi between ranks. */
#include "contact_impl.h"

static void move(CaromContact S, PetscInt k, const PetscReal *step, PetscReal *g)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    for (PetscInt e = K->row[k]; e < K->row[k + 1]; ++e) { /* the block of (other, k) is the transpose of (k, other) */
        const PetscReal *B = K->couple + e * d * d;
        PetscReal *at = g + K->col[e] * d;
        for (PetscInt i = 0; i < d; ++i) {
            for (PetscInt j = 0; j < d; ++j) {
                at[j] += B[i * d + j] * step[i];
            }
        }
    }
}

static void relax(CaromContact S, PetscInt k, PetscBool coulomb, PetscReal *s, PetscReal *y, PetscReal *g)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal step[CAROM_SMALL] = {0.0, 0.0, 0.0}, *yk = y + k * d, *gk = g + k * d;
    const PetscReal normal = PetscMax(0.0, yk[0] - gk[0] / K->dn[k]);
    step[0] = normal - yk[0];
    yk[0] = normal;
    if (step[0] != 0.0) {
        move(S, k, step, g);
    }
    if (s == NULL || d == 1) {
        return;
    }
    if (coulomb) {
        s[k] = normal > 0.0 ? 0.0 : K->mu[k] * PetscMax(0.0, gk[0]);
    }
    PetscReal target[CAROM_SMALL], length = 0.0, moved = 0.0;
    for (PetscInt i = 1; i < d; ++i) {
        target[i] = K->free[k * d + i] > 0.0 ? yk[i] - gk[i] / K->dt[k] : 0.0; /* without a free tangent dt is 0 */
        length += target[i] * target[i];
    }
    length = K->dt[k] * PetscSqrtReal(length);
    const PetscReal shrink = length > s[k] ? 1.0 - s[k] / length : 0.0;
    step[0] = 0.0;
    for (PetscInt i = 1; i < d; ++i) {
        step[i] = shrink * target[i] - yk[i];
        yk[i] = shrink * target[i];
        moved += PetscAbsReal(step[i]);
    }
    if (moved != 0.0) {
        move(S, k, step, g);
    }
}

void CaromSweeps(CaromContact S, PetscInt sweeps, PetscBool coulomb, PetscReal *s, PetscReal *y, PetscReal *g)
{
    for (PetscInt sweep = 0; sweep < sweeps; ++sweep) {
        for (PetscInt k = 0; k < S->K.n; ++k) {
            relax(S, k, coulomb, s, y, g);
        }
        for (PetscInt k = S->K.n - 1; k >= 0; --k) {
            relax(S, k, coulomb, s, y, g);
        }
    }
}

PetscErrorCode CaromSweepsApply(CaromContact S, PetscInt sweeps, PetscBool coulomb, PetscReal *s, Vec v, Vec r,
                                PetscReal *gradient)
{
    const PetscInt n = S->K.n * S->d;
    PetscReal *y, *g, *change;
    PetscFunctionBegin;
    PetscCall(PetscMalloc3(n, &y, n, &g, n, &change));
    PetscCall(CaromCandidatesTake(S, v, y));
    PetscCall(PetscArraycpy(change, y, n));
    PetscCall(PetscArraycpy(g, gradient, n));
    CaromSweeps(S, sweeps, coulomb, s, y, g);
    PetscCall(CaromCandidatesPut(S, y, v));
    for (PetscInt k = 0; k < n; ++k) {
        change[k] = y[k] - change[k];
    }
    PetscCall(CaromColumnsAdd(S, change, -1.0, r, gradient));
    PetscCall(PetscFree3(y, g, change));
    PetscFunctionReturn(0);
}
