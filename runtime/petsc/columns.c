/* The columns of A that belong to contact nodes. Contact nodes are few, so a change of their velocities alone costs
 * these columns (about the share of contact nodes in all nodes) instead of a product with A: sweeps over the contacts,
 * activation and release are nearly free. Of a symmetric format only the upper triangle is stored; what lies below is
 * found in the rows of the contact nodes themselves and may belong to another rank. */
#include "contact_impl.h"

typedef struct {
    PetscInt n, room;
    PetscInt *row, *col; /* of the whole matrix */
    PetscReal *value;
} Triplets;

static PetscErrorCode add(Triplets *t, PetscInt row, PetscInt col, PetscReal value)
{
    PetscFunctionBegin;
    if (t->n == t->room) {
        t->room = 2 * t->room + 1024;
        PetscCall(PetscRealloc((size_t)t->room * sizeof(*t->row), &t->row));
        PetscCall(PetscRealloc((size_t)t->room * sizeof(*t->col), &t->col));
        PetscCall(PetscRealloc((size_t)t->room * sizeof(*t->value), &t->value));
    }
    t->row[t->n] = row;
    t->col[t->n] = col;
    t->value[t->n++] = value;
    PetscFunctionReturn(0);
}

/* The contact nodes of all ranks, ascending, by their number in the whole mesh; `first` is the number of this rank's
 * first column. Ranks own ascending ranges of nodes, so sorting here sorts the whole. */
static PetscErrorCode gather_nodes(CaromContact S, PetscInt begin, PetscInt *all, PetscInt *first)
{
    PetscMPIInt mine = (PetscMPIInt)S->count, *counts, *starts;
    PetscInt *here;
    PetscFunctionBegin;
    PetscCall(PetscMalloc3(S->ranks, &counts, S->ranks, &starts, S->count, &here));
    for (PetscInt k = 0; k < S->count; ++k) {
        here[k] = S->nodes[k] + begin / S->d;
    }
    PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, S->comm));
    starts[0] = 0;
    for (PetscMPIInt rank = 1; rank < S->ranks; ++rank) {
        starts[rank] = starts[rank - 1] + counts[rank - 1];
    }
    PetscMPIInt rank;
    PetscCallMPI(MPI_Comm_rank(S->comm, &rank));
    *first = starts[rank];
    PetscCallMPI(MPI_Allgatherv(here, mine, MPIU_INT, all, counts, starts, MPIU_INT, S->comm));
    PetscCall(PetscFree3(counts, starts, here));
    PetscFunctionReturn(0);
}

/* The number of a node among all contact nodes, -1 when it is none. */
static PetscErrorCode contact_of(CaromContact S, const PetscInt *all, PetscInt first, PetscInt begin, PetscInt node,
                                 PetscInt *number)
{
    const PetscInt local = node - begin / S->d;
    PetscFunctionBegin;
    if (local >= 0 && local < S->size / S->d) {
        *number = S->number[local] < 0 ? -1 : first + S->number[local];
    } else {
        PetscCall(PetscFindInt(node, S->contacts, all, number));
        *number = *number < 0 ? -1 : *number;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode collect(CaromContact S, const PetscInt *all, PetscInt first, Triplets *t)
{
    const PetscInt d = S->d;
    PetscInt begin, end, bs; /* blocks on the diagonal are stored whole */
    PetscBool symmetric;
    PetscFunctionBegin;
    PetscCall(MatGetBlockSize(S->A, &bs));
    PetscCall(PetscObjectTypeCompareAny((PetscObject)S->A, &symmetric, MATSBAIJ, MATSEQSBAIJ, MATMPISBAIJ, ""));
    PetscCall(MatGetOwnershipRange(S->A, &begin, &end));
    if (symmetric) {
        PetscCall(MatGetRowUpperTriangular(S->A));
    }
    for (PetscInt row = begin; row < end; ++row) {
        PetscInt entries, in, out;
        const PetscInt *col;
        const PetscScalar *value;
        PetscCall(contact_of(S, all, first, begin, row / d, &out));
        PetscCall(MatGetRow(S->A, row, &entries, &col, &value));
        for (PetscInt e = 0; e < entries; ++e) {
            PetscCall(contact_of(S, all, first, begin, col[e] / d, &in));
            if (in >= 0) {
                PetscCall(add(t, row, in * d + col[e] % d, value[e]));
            }
            if (symmetric && out >= 0 && col[e] / bs != row / bs) {
                PetscCall(add(t, col[e], out * d + row % d, value[e]));
            }
        }
        PetscCall(MatRestoreRow(S->A, row, &entries, &col, &value));
    }
    if (symmetric) {
        PetscCall(MatRestoreRowUpperTriangular(S->A));
    }
    PetscFunctionReturn(0);
}

/* Blocks between contact nodes of this rank, from the rows of these nodes. */
static PetscErrorCode couple_nodes(CaromContact S, PetscInt begin, PetscInt first)
{
    const PetscInt d = S->d;
    PetscFunctionBegin;
    PetscInt *place; /* of a block in the row at hand, when larger than the row's start */
    PetscCall(PetscMalloc1((size_t)(S->count + 1), &S->row));
    PetscCall(PetscMalloc1((size_t)(S->count + 1), &place));
    for (int pass = 0; pass < 2; ++pass) {
        PetscInt blocks = 0;
        PetscCall(PetscArrayzero(place, S->count));
        for (PetscInt k = 0; k < S->count; ++k) {
            S->row[k] = blocks;
            for (PetscInt i = 0; i < d; ++i) {
                PetscInt entries;
                const PetscInt *col;
                const PetscScalar *value;
                const PetscInt row = begin + S->nodes[k] * d + i;
                PetscCall(MatGetRow(S->columns, row, &entries, &col, &value));
                for (PetscInt e = 0; e < entries; ++e) {
                    const PetscInt other = col[e] / d - first;
                    if (other < 0 || other >= S->count) {
                        continue;
                    }
                    if (place[other] <= S->row[k]) {
                        if (pass == 1) {
                            S->col[blocks] = other;
                        }
                        place[other] = ++blocks;
                    }
                    if (pass == 1) {
                        S->couple[((place[other] - 1) * d + i) * d + col[e] % d] = value[e];
                    }
                }
                PetscCall(MatRestoreRow(S->columns, row, &entries, &col, &value));
            }
        }
        S->row[S->count] = blocks;
        if (pass == 0) {
            PetscCall(PetscCalloc2(blocks, &S->col, (size_t)(blocks * d * d), &S->couple));
        }
    }
    PetscCall(PetscFree(place));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromColumnsSet(CaromContact S)
{
    PetscInt begin, first, *all;
    Triplets t = {0, 0, NULL, NULL, NULL};
    PetscFunctionBegin;
    PetscCall(MatDestroy(&S->columns));
    PetscCall(VecDestroy(&S->change));
    PetscCall(PetscFree(S->row));
    PetscCall(PetscFree2(S->col, S->couple));
    PetscCall(MatGetOwnershipRange(S->A, &begin, NULL));
    PetscCall(PetscMalloc1((size_t)(S->contacts + 1), &all));
    PetscCall(gather_nodes(S, begin, all, &first));
    PetscCall(collect(S, all, first, &t));
    PetscCall(PetscFree(all));
    PetscCall(MatCreate(S->comm, &S->columns));
    PetscCall(MatSetSizes(S->columns, S->size, S->count * S->d, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(S->columns, MATAIJ));
    PetscCall(MatSetPreallocationCOO(S->columns, t.n, t.row, t.col));
    PetscCall(MatSetOption(S->columns, MAT_USE_INODES, PETSC_FALSE)); /* most rows are empty and are then skipped */
    PetscCall(MatSetValuesCOO(S->columns, t.value, INSERT_VALUES));
    PetscCall(PetscFree(t.row));
    PetscCall(PetscFree(t.col));
    PetscCall(PetscFree(t.value));
    PetscCall(MatCreateVecs(S->columns, &S->change, NULL));
    PetscCall(couple_nodes(S, begin, first));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromColumnsAdd(CaromContact S, const PetscReal *e, PetscReal factor, Vec y, PetscReal *yc)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecZeroEntries(S->change));
    PetscCall(VecGetArray(S->change, &a));
    for (PetscInt k = 0; k < K->n; ++k) {
        for (PetscInt j = 0; j < d; ++j) {
            for (PetscInt i = 0; i < d; ++i) {
                a[K->number[k] * d + j] += factor * K->R[(k * d + i) * d + j] * e[k * d + i];
            }
        }
    }
    PetscCall(VecRestoreArray(S->change, &a));
    PetscCall(VecGetArray(y, &a));
    CaromCandidatesClear(S, a);
    PetscCall(VecRestoreArray(y, &a));
    PetscCall(MatMultAdd(S->columns, S->change, y, y));
    PetscCall(CaromTiedTranspose(S, y)); /* slaves are candidates: all that stands there is of this change */
    PetscCall(VecGetArray(y, &a));
    for (PetscInt k = 0; k < K->n; ++k) {
        PetscReal turned[CAROM_SMALL];
        CaromTurn(d, K->R + k * d * d, a + K->node[k] * d, turned);
        for (PetscInt i = 0; i < d; ++i) {
            yc[k * d + i] += K->free[k * d + i] * turned[i] / factor;
        }
    }
    CaromCandidatesClear(S, a);
    CaromFixedClear(S, a);
    PetscCall(VecRestoreArray(y, &a));
    PetscFunctionReturn(0);
}
