/* The operator of a step with ties: T^T A T around the products with A, and its diagonal for the preconditioner. Ties
 * belong to few nodes, so that all of it is cheap besides a product. */
#include "contact_impl.h"

#include "parcels.h"

static PetscBool tied(const CaromContact S) { return (PetscBool)(S->ties != NULL && S->ties->any); }

/* The weight of a master in a tie, 0: it has none. */
static PetscReal weight_of(const CaromTies *ties, PetscInt t, PetscInt master)
{
    for (PetscInt e = ties->first[t]; e < ties->first[t + 1]; ++e) {
        if (ties->master[e] == master) {
            return ties->weight[e];
        }
    }
    return 0.0;
}

/* What the slaves add to the diagonal at their masters, on any rank: sum N_s A_st N_t over slaves s, t of this rank. */
static PetscErrorCode add_slaves(CaromContact S, Vec diagonal)
{
    const CaromCandidates *K = &S->K;
    const CaromTies *ties = S->ties;
    const PetscInt d = S->d;
    CaromParcel *mine, *theirs;
    PetscInt count = 0, got, begin;
    PetscReal *sum;
    PetscFunctionBegin;
    PetscCall(PetscCalloc1(ties->first[ties->n], &mine));
    for (PetscInt k = 0; k < K->n; ++k) {
        for (PetscInt e = K->tie[k] >= 0 ? ties->first[K->tie[k]] : 0; K->tie[k] >= 0 && e < ties->first[K->tie[k] + 1];
             ++e, ++count) {
            mine[count].row = ties->master[e];
            for (PetscInt f = S->row[K->number[k]]; f < S->row[K->number[k] + 1]; ++f) {
                const PetscInt other = S->candidate[S->col[f]];
                const PetscReal weight =
                    other >= 0 && K->tie[other] >= 0 ? weight_of(ties, K->tie[other], ties->master[e]) : 0.0;
                for (PetscInt i = 0; i < d; ++i) {
                    mine[count].value[i] += ties->weight[e] * S->couple[f * d * d + i * (d + 1)] * weight;
                }
            }
        }
    }
    PetscCall(VecGetOwnershipRange(diagonal, &begin, NULL));
    PetscCall(CaromParcelsSend(S->comm, begin / d, S->size / d, count, mine, &got, &theirs));
    PetscCall(VecGetArray(diagonal, &sum));
    for (PetscInt p = 0; p < got; ++p) {
        for (PetscInt i = 0; i < d; ++i) {
            sum[theirs[p].row * d - begin + i] += theirs[p].value[i];
        }
    }
    PetscCall(VecRestoreArray(diagonal, &sum));
    PetscCall(PetscFree(mine));
    PetscCall(PetscFree(theirs));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiedEnter(CaromContact S, Vec v)
{
    PetscReal *inverse;
    const PetscReal *extra;
    PetscFunctionBegin;
    if (!tied(S)) {
        PetscFunctionReturn(0);
    }
    PetscCall(CaromTiesApply(S->ties, -1.0, v));
    if (S->untied == NULL) {
        PetscCall(VecDuplicate(S->inverse, &S->untied));
        PetscCall(VecCopy(S->inverse, S->untied));
    }
    PetscCall(VecZeroEntries(S->r));
    PetscCall(add_slaves(S, S->r));
    PetscCall(VecGetArrayRead(S->r, &extra));
    PetscCall(VecGetArray(S->inverse, &inverse));
    for (PetscInt i = 0; i < S->size; ++i) {
        inverse[i] = extra[i] != 0.0 ? inverse[i] / (1.0 + extra[i] * inverse[i]) : inverse[i];
    }
    PetscCall(VecRestoreArray(S->inverse, &inverse));
    PetscCall(VecRestoreArrayRead(S->r, &extra));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiedLeave(CaromContact S, Vec v)
{
    PetscFunctionBegin;
    if (tied(S)) {
        PetscCall(CaromTiesApply(S->ties, 1.0, v));
        PetscCall(VecCopy(S->untied, S->inverse));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiedForces(CaromContact S, Vec y)
{
    PetscReal *a;
    PetscFunctionBegin;
    if (tied(S)) {
        PetscCall(CaromTiesTranspose(S->ties, -1.0, y));
        PetscCall(VecGetArray(y, &a));
        CaromFixedClear(S, a);
        PetscCall(VecRestoreArray(y, &a));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiedApply(CaromContact S, Vec x, Vec y)
{
    PetscFunctionBegin;
    if (tied(S)) {
        PetscCall(CaromTiesApply(S->ties, 1.0, x));
    }
    PetscCall(MatMult(S->A, x, y));
    ++S->products;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTiedTranspose(CaromContact S, Vec y)
{
    PetscFunctionBegin;
    if (tied(S)) {
        PetscCall(CaromTiesTranspose(S->ties, 1.0, y));
    }
    PetscFunctionReturn(0);
}
