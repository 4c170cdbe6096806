/* The candidates of a step in node coordinates, y = R v - (lo, slip).
 *
 * Fixed components. Where some components of a node are fixed, only the part n_f of the normal in the free ones can
 * move. The node then gets the frame n_f/|n_f|, free tangents, fixed axes; its bound becomes (lo - n.v_fixed)/|n_f|,
 * and as the force along n_f/|n_f| is |n_f| times that along n, mu becomes mu/|n_f|. With fixed components along the
 * frame (the usual case) nothing is approximated; otherwise friction acts along the free tangents only. A node whose
 * normal is fixed is no candidate. */
#include "contact_impl.h"

#define PARALLEL 1e-8 /* a direction shorter than this after projection is gone */

static PetscErrorCode reserve(CaromContact S, PetscInt n)
{
    CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscFunctionBegin;
    if (n > K->room || K->row == NULL) {
        PetscCall(CaromCandidatesFree(S));
        const PetscInt m = n + 1;
        PetscCall(PetscMalloc4(m, &K->place, m, &K->node, m, &K->number, m, &K->tie));
        const size_t vectors = (size_t)m * (size_t)d, blocks = vectors * (size_t)d;
        PetscCall(PetscMalloc7(blocks, &K->R, vectors, &K->shift, vectors, &K->free, m, &K->scale, m, &K->mu, blocks,
                               &K->block, m, &K->dn));
        PetscCall(PetscMalloc2(m, &K->dt, (size_t)(m + 1), &K->row));
        PetscCall(PetscMalloc3(blocks, &S->pc, vectors, &S->pq, vectors, &S->hold));
        K->room = n;
    }
    if (S->row != NULL && S->row[S->count] > K->couple_room) {
        PetscCall(PetscFree2(K->col, K->couple));
        K->couple_room = S->row[S->count];
        PetscCall(PetscMalloc2(K->couple_room, &K->col, (size_t)(K->couple_room * d * d), &K->couple));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCandidatesFree(CaromContact S)
{
    CaromCandidates *K = &S->K;
    PetscFunctionBegin;
    PetscCall(PetscFree4(K->place, K->node, K->number, K->tie));
    PetscCall(PetscFree7(K->R, K->shift, K->free, K->scale, K->mu, K->block, K->dn));
    PetscCall(PetscFree2(K->dt, K->row));
    PetscCall(PetscFree2(K->col, K->couple));
    PetscCall(PetscFree3(S->pc, S->pq, S->hold));
    PetscCall(PetscMemzero(K, sizeof(*K)));
    PetscFunctionReturn(0);
}

/* Takes from x its parts along the first `rows` rows of R and along the fixed axes; the length that is left. */
static PetscReal remove_parts(PetscInt d, const PetscReal *mask, PetscInt rows, const PetscReal *R, PetscReal *x)
{
    PetscReal length = 0.0;
    for (PetscInt j = 0; j < d; ++j) {
        x[j] *= mask[j];
    }
    for (PetscInt i = 0; i < rows; ++i) {
        PetscReal part = 0.0;
        for (PetscInt j = 0; j < d; ++j) {
            part += R[i * d + j] * x[j];
        }
        for (PetscInt j = 0; j < d; ++j) {
            x[j] -= part * R[i * d + j];
        }
    }
    for (PetscInt j = 0; j < d; ++j) {
        length += x[j] * x[j];
    }
    return PetscSqrtReal(length);
}

/* The frame of the free components; returns the length of the normal's free part, 0 when there is none. */
static PetscReal free_frame(PetscInt d, const PetscReal *mask, const PetscReal *frame, PetscReal *R, PetscReal *free)
{
    PetscReal scale = 0.0;
    PetscInt rows = 0;
    for (PetscInt source = 0; source < 2 * d && rows < d; ++source) { /* the given rows, then axes to complete them */
        PetscReal x[CAROM_SMALL] = {0.0, 0.0, 0.0};
        for (PetscInt j = 0; j < d; ++j) {
            x[j] = source < d ? frame[source * d + j] : (j == source - d ? 1.0 : 0.0);
        }
        const PetscReal length = remove_parts(d, mask, rows, R, x);
        if (source == 0) {
            if (length < PARALLEL) {
                return 0.0;
            }
            scale = length;
        }
        if (length > (source < d ? 1e-3 : PARALLEL) || source == 0) {
            for (PetscInt j = 0; j < d; ++j) {
                R[rows * d + j] = x[j] / length;
            }
            free[rows++] = 1.0;
        }
    }
    for (PetscInt axis = 0; axis < d && rows < d; ++axis) {
        if (mask[axis] == 0.0) {
            for (PetscInt j = 0; j < d; ++j) {
                R[rows * d + j] = j == axis ? 1.0 : 0.0;
            }
            free[rows++] = 0.0;
        }
    }
    return scale;
}

/* Bound and obstacle velocity in the frame R; v are the components that the node came with. */
static void set_shift(PetscInt d, const PetscReal *mask, const CaromContactSet *set, PetscInt i, const PetscReal *v,
                      const PetscReal *R, const PetscReal *free, PetscReal scale, PetscReal *shift)
{
    const PetscReal *frame = set->frame + i * d * d;
    PetscReal slip[CAROM_SMALL] = {0.0, 0.0, 0.0}, fixed = 0.0;
    for (PetscInt j = 0; j < d; ++j) {
        fixed += (1.0 - mask[j]) * frame[j] * v[j];
        for (PetscInt t = 1; t < d && set->slip != NULL; ++t) {
            slip[j] += frame[t * d + j] * set->slip[i * (d - 1) + t - 1];
        }
    }
    shift[0] = (set->lo[i] - fixed) / scale;
    for (PetscInt t = 1; t < d; ++t) {
        shift[t] = 0.0;
        for (PetscInt j = 0; j < d; ++j) {
            shift[t] += R[t * d + j] * (free[t] > 0.0 ? slip[j] : v[j]); /* a fixed component is at rest in the frame */
        }
    }
}

/* out = Ri block Rj^T */
static void turn_block(PetscInt d, const PetscReal *Ri, const PetscReal *block, const PetscReal *Rj, PetscReal *out)
{
    PetscReal half[CAROM_SMALL * CAROM_SMALL];
    for (PetscInt i = 0; i < d; ++i) {
        for (PetscInt j = 0; j < d; ++j) {
            half[i * d + j] = 0.0;
            for (PetscInt k = 0; k < d; ++k) {
                half[i * d + j] += Ri[i * d + k] * block[k * d + j];
            }
        }
    }
    for (PetscInt i = 0; i < d; ++i) {
        for (PetscInt j = 0; j < d; ++j) {
            out[i * d + j] = 0.0;
            for (PetscInt k = 0; k < d; ++k) {
                out[i * d + j] += half[i * d + k] * Rj[j * d + k];
            }
        }
    }
}

/* Blocks between candidates in their frames. */
static void couple(CaromContact S)
{
    CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscInt entries = 0;
    for (PetscInt k = 0; k < K->n; ++k) {
        K->row[k] = entries;
        for (PetscInt e = S->row[K->number[k]]; e < S->row[K->number[k] + 1]; ++e) {
            const PetscInt other = S->candidate[S->col[e]];
            if (other < 0) {
                continue;
            }
            PetscReal *out = K->couple + entries * d * d;
            turn_block(d, K->R + k * d * d, S->couple + e * d * d, K->R + other * d * d, out);
            for (PetscInt i = 0; i < d * d; ++i) {
                out[i] *= K->free[k * d + i / d] * K->free[other * d + i % d];
            }
            if (other == k) {
                for (PetscInt i = 0; i < d * d; ++i) {
                    K->block[k * d * d + i] = out[i];
                }
            }
            K->col[entries++] = other;
        }
    }
    K->row[K->n] = entries;
    for (PetscInt k = 0; k < K->n; ++k) {
        const PetscReal *B = K->block + k * d * d;
        K->dn[k] = B[0];
        K->dt[k] = d == 1   ? 0.0
                   : d == 2 ? B[3]
                            : 0.5 * (B[4] + B[8] + PetscSqrtReal(PetscSqr(B[4] - B[8]) + PetscSqr(B[5] + B[7])));
    }
}

PetscErrorCode CaromCandidatesSet(CaromContact S, const CaromContactSet *set, Vec v)
{
    CaromCandidates *K = &S->K;
    const PetscInt d = S->d, n = set != NULL ? set->n : 0;
    const PetscReal *mask = NULL, *at, none[CAROM_SMALL] = {1.0, 1.0, 1.0};
    PetscFunctionBegin;
    for (PetscInt k = 0; k < K->n; ++k) {
        S->candidate[K->number[k]] = -1;
    }
    K->n = 0;
    S->pAp = 0.0; /* a direction in old frames is of no use */
    if (n == 0) {
        PetscFunctionReturn(0);
    }
    PetscCheck(set->d == d, S->comm, PETSC_ERR_ARG_SIZ, "the contacts have %d components, the operator %d", (int)set->d,
               (int)d);
    PetscCall(reserve(S, n));
    PetscCall(VecGetArrayRead(v, &at));
    if (S->mask != NULL) {
        PetscCall(VecGetArrayRead(S->mask, &mask));
    }
    for (PetscInt i = 0; i < n; ++i) {
        const PetscInt node = set->node[i], k = K->n;
        if (!set->active[i]) {
            continue;
        }
        PetscCheck(node >= 0 && node * d < S->size && S->number[node] >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
                   "contact %d: node %d was not announced to CaromContactSetOperator", (int)i, (int)node);
        PetscCheck(S->candidate[S->number[node]] < 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                   "contact %d: node %d touches two obstacles at once; only one may be active", (int)i, (int)node);
        const PetscReal *free = mask != NULL ? mask + node * d : none;
        K->scale[k] = 1.0;
        for (PetscInt j = 0; j < d; ++j) {
            K->scale[k] *= free[j];
            K->free[k * d + j] = 1.0;
        }
        if (K->scale[k] > 0.0) {
            PetscCall(PetscArraycpy(K->R + k * d * d, set->frame + i * d * d, d * d));
        } else {
            K->scale[k] = free_frame(d, free, set->frame + i * d * d, K->R + k * d * d, K->free + k * d);
            if (K->scale[k] == 0.0) {
                continue;
            }
        }
        set_shift(d, free, set, i, at + node * d, K->R + k * d * d, K->free + k * d, K->scale[k], K->shift + k * d);
        K->place[k] = i;
        K->node[k] = node;
        K->number[k] = S->number[node];
        K->tie[k] = set->tie != NULL ? set->tie[i] : -1;
        K->mu[k] = set->mu[i] / K->scale[k];
        S->candidate[K->number[k]] = k;
        ++K->n;
    }
    if (S->mask != NULL) {
        PetscCall(VecRestoreArrayRead(S->mask, &mask));
    }
    PetscCall(VecRestoreArrayRead(v, &at));
    if (S->row != NULL) {
        couple(S);
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCandidatesTake(CaromContact S, Vec v, PetscReal *values)
{
    const PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(v, &a));
    for (PetscInt k = 0; k < S->K.n; ++k) {
        PetscCall(PetscArraycpy(values + k * S->d, a + S->K.node[k] * S->d, S->d));
    }
    PetscCall(VecRestoreArrayRead(v, &a));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCandidatesPut(CaromContact S, const PetscReal *values, Vec v)
{
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecGetArray(v, &a));
    for (PetscInt k = 0; k < S->K.n; ++k) {
        PetscCall(PetscArraycpy(a + S->K.node[k] * S->d, values + k * S->d, S->d));
    }
    PetscCall(VecRestoreArray(v, &a));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCandidatesEnter(CaromContact S, Vec v, PetscReal snap)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecGetArray(v, &a));
    for (PetscInt k = 0; k < K->n; ++k) {
        PetscReal *at = a + K->node[k] * d, y[CAROM_SMALL];
        CaromTurn(d, K->R + k * d * d, at, y);
        for (PetscInt i = 0; i < d; ++i) { /* what was closed or stuck comes back with rounding errors */
            y[i] -= K->shift[k * d + i];
            at[i] = PetscAbsReal(y[i]) <= snap || K->free[k * d + i] == 0.0 || (i == 0 && y[i] < 0.0) ? 0.0 : y[i];
        }
    }
    PetscCall(VecRestoreArray(v, &a));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCandidatesLeave(CaromContact S, Vec v)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecGetArray(v, &a));
    for (PetscInt k = 0; k < K->n; ++k) {
        PetscReal *at = a + K->node[k] * d, w[CAROM_SMALL];
        for (PetscInt i = 0; i < d; ++i) {
            w[i] = at[i] + K->shift[k * d + i];
        }
        CaromTurnBack(d, K->R + k * d * d, w, at);
    }
    PetscCall(VecRestoreArray(v, &a));
    PetscFunctionReturn(0);
}
