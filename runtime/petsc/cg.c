/* Preconditioned conjugate gradients on a face of the contact problem; the contact-free solve is the face without
 * candidates, so that both have the same cost per iteration.
 *
 * An iteration reads the vectors three times (p.Ap; step and scalar products; new direction) and reduces twice. The new
 * direction is made conjugate to the last one explicitly, beta = -z.Ap / p.Ap, which lets a direction survive from one
 * face to the next: there A p changes only by columns of contact nodes, and these are at hand. */
#include "contact_impl.h"

PetscErrorCode CaromReduce(CaromContact S, PetscReal *sums, PetscInt count)
{
    PetscFunctionBegin;
    if (S->ranks > 1) {
        PetscCall(MPIU_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)count, MPIU_REAL, MPIU_SUM, S->comm));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromProduct(CaromContact S, Vec x, Vec y, PetscReal *yc)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a;
    PetscFunctionBegin;
    if (K->n > 0) {
        PetscCall(VecGetArray(x, &a));
        for (PetscInt k = 0; k < K->n; ++k) {
            PetscReal *at = a + K->node[k] * d;
            PetscCall(PetscArraycpy(S->hold + k * d, at, d));
            CaromTurnBack(d, K->R + k * d * d, S->hold + k * d, at);
        }
        PetscCall(VecRestoreArray(x, &a));
    }
    PetscCall(CaromTiedApply(S, x, y));
    PetscCall(CaromTiedTranspose(S, y));
    if (K->n > 0) { /* the saved entries, so that zeros stay exact */
        PetscCall(CaromCandidatesPut(S, S->hold, x));
    }
    if (K->n > 0 || S->fixed_count > 0) {
        PetscCall(VecGetArray(y, &a));
        for (PetscInt k = 0; k < K->n; ++k) {
            CaromTurn(d, K->R + k * d * d, a + K->node[k] * d, yc + k * d);
            for (PetscInt i = 0; i < d; ++i) {
                yc[k * d + i] *= K->free[k * d + i];
            }
        }
        CaromFixedClear(S, a);
        PetscCall(VecRestoreArray(y, &a));
    }
    PetscFunctionReturn(0);
}

/* ---- small matrices at the candidates --------------------------------------------------------------------------- */

/* Inverse of the symmetric block restricted to its open components, zero in the others. */
static void invert_open(PetscInt d, const PetscReal *block, const PetscReal *open, PetscReal *inverse)
{
    PetscReal m[CAROM_SMALL][2 * CAROM_SMALL];
    for (PetscInt i = 0; i < d; ++i) {
        for (PetscInt j = 0; j < d; ++j) {
            m[i][j] = block[i * d + j] * open[i] * open[j];
            m[i][d + j] = i == j ? 1.0 : 0.0;
        }
        m[i][i] += 1.0 - open[i];
    }
    for (PetscInt i = 0; i < d; ++i) { /* positive definite: no pivoting */
        const PetscReal pivot = 1.0 / m[i][i];
        for (PetscInt j = 0; j < 2 * d; ++j) {
            m[i][j] *= pivot;
        }
        for (PetscInt k = 0; k < d; ++k) {
            const PetscReal factor = m[k][i];
            for (PetscInt j = 0; k != i && j < 2 * d; ++j) {
                m[k][j] -= factor * m[i][j];
            }
        }
    }
    for (PetscInt i = 0; i < d; ++i) {
        for (PetscInt j = 0; j < d; ++j) {
            inverse[i * d + j] = m[i][d + j] * open[i] * open[j];
        }
    }
}

static void prepare_candidates(CaromContact S, const CaromFace *face)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    for (PetscInt k = 0; k < K->n; ++k) {
        PetscReal block[CAROM_SMALL * CAROM_SMALL];
        for (PetscInt i = 0; i < d; ++i) {
            for (PetscInt j = 0; j < d; ++j) {
                const PetscInt at = (k * d + i) * d + j;
                block[i * d + j] = (i == j ? K->block[at] : 0.0) + (face->curve != NULL ? face->curve[at] : 0.0);
            }
        }
        invert_open(d, block, face->open + k * d, S->pc + k * d * d);
    }
}

/* ---- the passes over vectors ------------------------------------------------------------------------------------- */

static PetscReal dot(PetscInt n, const PetscReal *x, const PetscReal *y)
{
    PetscReal a = 0.0, b = 0.0;
    PetscInt i = 0;
    for (; i + 1 < n; i += 2) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
    }
    return i < n ? a + b + x[i] * y[i] : a + b;
}

/* sums r.z, r.r, z.q of z = M r after x += a p, r -= a q, in one pass. Two chains of sums: an addition need not
 * wait. */
static void advance(const CaromContact S, PetscReal a, const PetscReal *p, const PetscReal *q, const PetscReal *inverse,
                    PetscReal *x, PetscReal *r, PetscReal sums[3])
{
    const PetscInt n = S->size;
    PetscReal rz[2] = {0.0, 0.0}, rr[2] = {0.0, 0.0}, zq[2] = {0.0, 0.0};
    for (PetscInt i = 0; i < n; i += 2) {
        for (PetscInt k = 0; k < 2 && i + k < n; ++k) {
            const PetscReal ri = r[i + k] - a * q[i + k], zi = inverse[i + k] * ri;
            x[i + k] += a * p[i + k];
            r[i + k] = ri;
            rz[k] += zi * ri;
            rr[k] += ri * ri;
            zq[k] += zi * q[i + k];
        }
    }
    sums[0] = rz[0] + rz[1];
    sums[1] = rr[0] + rr[1];
    sums[2] = zq[0] + zq[1];
}

/* The same sums before the first step. */
static void precondition(const CaromContact S, const PetscReal *inverse, const PetscReal *r, const PetscReal *q,
                         PetscReal sums[3])
{
    sums[0] = sums[1] = sums[2] = 0.0;
    for (PetscInt i = 0; i < S->size; ++i) {
        const PetscReal zi = inverse[i] * r[i];
        sums[0] += zi * r[i];
        sums[1] += r[i] * r[i];
        sums[2] += zi * q[i];
    }
}

/* p = M r + beta p; at the candidates their own preconditioner */
static void direct(const CaromContact S, PetscReal beta, const PetscReal *inverse, const PetscReal *r, PetscReal *p)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    for (PetscInt k = 0; k < K->n; ++k) { /* what the loop below puts there is replaced afterwards */
        PetscReal *hold = S->hold + k * d, *at = p + K->node[k] * d;
        CaromTurn(d, S->pc + k * d * d, r + K->node[k] * d, hold);
        for (PetscInt i = 0; i < d; ++i) {
            hold[i] += beta * at[i];
        }
    }
    for (PetscInt i = 0; i < S->size; ++i) {
        p[i] = inverse[i] * r[i] + beta * p[i];
    }
    for (PetscInt k = 0; k < K->n; ++k) {
        for (PetscInt i = 0; i < d; ++i) {
            p[K->node[k] * d + i] = S->hold[k * d + i];
        }
    }
}

/* The candidates' own preconditioner in the sums. The inverse diagonal is zero at them, so the passes counted nothing
 * but r.r. */
static void candidate_sums(const CaromContact S, const PetscReal *r, const PetscReal *q, PetscReal sums[3])
{
    const PetscInt d = S->d;
    for (PetscInt k = 0; k < S->K.n; ++k) {
        const PetscReal *rk = r + S->K.node[k] * d, *qk = q + S->K.node[k] * d;
        PetscReal z[CAROM_SMALL];
        CaromTurn(d, S->pc + k * d * d, rk, z);
        for (PetscInt i = 0; i < d; ++i) {
            sums[0] += z[i] * rk[i];
            sums[2] += z[i] * qk[i];
        }
    }
}

/* q at the candidates: A p in S->pq, with the curvature and on the face in the vector */
static void restrict_product(const CaromContact S, const CaromFace *face, const PetscReal *p, PetscReal *q)
{
    const PetscInt d = S->d;
    for (PetscInt k = 0; k < S->K.n; ++k) {
        const PetscReal *at = p + S->K.node[k] * d;
        PetscReal extra[CAROM_SMALL] = {0.0, 0.0, 0.0};
        if (face->curve != NULL) {
            CaromTurn(d, face->curve + k * d * d, at, extra);
        }
        for (PetscInt i = 0; i < d; ++i) {
            q[S->K.node[k] * d + i] = face->open[k * d + i] * (S->pq[k * d + i] + extra[i]);
        }
    }
}

/* Brings the direction of an earlier face to this one: components that are fixed now leave it. Gives p.Ap. */
static PetscErrorCode carry_direction(CaromContact S, const CaromFace *face, Vec P, Vec Q, PetscReal *pAp)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *p, *q;
    PetscFunctionBegin;
    PetscCall(VecGetArray(P, &p));
    for (PetscInt k = 0; k < K->n; ++k) {
        for (PetscInt i = 0; i < d; ++i) {
            PetscReal *at = p + K->node[k] * d + i;
            S->hold[k * d + i] = (face->open[k * d + i] - 1.0) * *at;
            *at *= face->open[k * d + i];
        }
    }
    PetscCall(VecRestoreArray(P, &p));
    PetscCall(CaromColumnsAdd(S, S->hold, 1.0, Q, S->pq));
    PetscCall(VecGetArray(P, &p));
    PetscCall(VecGetArray(Q, &q));
    restrict_product(S, face, p, q);
    *pAp = dot(S->size, p, q);
    PetscCall(VecRestoreArray(P, &p));
    PetscCall(VecRestoreArray(Q, &q));
    PetscFunctionReturn(0);
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

/* Below the bound, and how much the closed normals want to open, after a step of length a. */
static void watch(const CaromContact S, const CaromFace *face, const PetscReal *x, PetscReal *violated,
                  PetscReal *release)
{
    const PetscInt d = S->d;
    *violated = *release = 0.0;
    for (PetscInt k = 0; k < S->K.n; ++k) {
        if (face->open[k * d] > 0.0) {
            *violated += x[S->K.node[k] * d] + (face->base != NULL ? face->base[k * d] : 0.0) < 0.0 ? 1.0 : 0.0;
        } else if (face->base == NULL && face->gradient[k * d] < 0.0 && S->K.free[k * d] > 0.0) {
            *release += face->gradient[k * d] * face->gradient[k * d] / S->K.dn[k];
        }
    }
}

PetscErrorCode CaromCG(CaromContact S, CaromFace *face, Vec rvec, Vec xvec, PetscReal stop, PetscInt cap,
                       CaromCGReason *reason, PetscReal *norm)
{
    const PetscInt d = S->d, n = S->size;
    const PetscReal *inverse;
    PetscReal *r, *x, *p, *q, sums[5], pAp = 0.0;
    PetscFunctionBegin;
    prepare_candidates(S, face);
    const PetscBool keep = (PetscBool)(S->keep_direction && S->pAp > 0.0);
    if (keep) {
        PetscCall(carry_direction(S, face, S->p, S->q, &pAp));
    }
    PetscCall(VecGetArrayRead(S->inverse, &inverse));
    PetscCall(VecGetArray(rvec, &r));
    PetscCall(VecGetArray(xvec, &x));
    PetscCall(VecGetArray(S->p, &p));
    PetscCall(VecGetArray(S->q, &q));
    precondition(S, inverse, r, keep ? q : r, sums);
    candidate_sums(S, r, keep ? q : r, sums);
    sums[3] = pAp;
    sums[4] = keep ? dot(n, r, p) : 0.0;
    PetscCall(CaromReduce(S, sums, 5));
    PetscReal beta = 0.0, rp = sums[0];
    if (keep && sums[3] > 0.0) {
        beta = -sums[2] / sums[3];
        rp = sums[0] + beta * sums[4];
        if (rp < 0.1 * sums[0]) { /* hardly a descent: begin anew */
            beta = 0.0;
            rp = sums[0];
        }
    }
    if (beta == 0.0) {
        PetscCall(PetscArrayzero(p, n));
    }
    S->pAp = 0.0;
    *reason = CAROM_CG_CAP;
    face->step = face->gain = 0.0;
    PetscInt it = 0;
    for (;; ++it) {
        *norm = PetscSqrtReal(sums[1]);
        if (*norm <= stop || !(rp > 0.0)) {
            *reason = CAROM_CG_CONVERGED;
            break;
        }
        if (it == cap) {
            break;
        }
        direct(S, beta, inverse, r, p);
        PetscCall(VecRestoreArray(S->p, &p));
        PetscCall(VecRestoreArray(S->q, &q));
        PetscCall(CaromProduct(S, S->p, S->q, S->pq));
        PetscCall(VecGetArray(S->p, &p));
        PetscCall(VecGetArray(S->q, &q));
        restrict_product(S, face, p, q);
        sums[0] = dot(n, p, q);
        PetscCall(CaromReduce(S, sums, 1));
        S->pAp = sums[0];
        PetscCheck(S->pAp > 0.0, S->comm, PETSC_ERR_MAT_CH_ZRPVT,
                   "the matrix of the step is not positive definite: p.Ap = %g", (double)S->pAp);
        const PetscReal a = rp / S->pAp;
        advance(S, a, p, q, inverse, x, r, sums);
        for (PetscInt k = 0; k < S->K.n * d; ++k) {
            face->gradient[k] += a * S->pq[k];
        }
        candidate_sums(S, r, q, sums);
        sums[3] = sums[4] = 0.0;
        if (face->bounded) {
            watch(S, face, x, &sums[3], &sums[4]);
        }
        PetscCall(CaromReduce(S, sums, face->bounded ? 5 : 3));
        face->step = a;
        face->gain = 0.5 * a * rp;
        rp = sums[0];
        beta = -sums[2] / S->pAp;
        if (sums[3] > 0.0) {
            *reason = CAROM_CG_BOUND;
        } else if (sums[4] > S->proportion * sums[0]) {
            *reason = CAROM_CG_RELEASE;
        }
        if (*reason != CAROM_CG_CAP) {
            *norm = PetscSqrtReal(sums[1]);
            break;
        }
    }
    PetscCall(VecRestoreArray(S->q, &q));
    PetscCall(VecRestoreArray(S->p, &p));
    PetscCall(VecRestoreArray(xvec, &x));
    PetscCall(VecRestoreArray(rvec, &r));
    PetscCall(VecRestoreArrayRead(S->inverse, &inverse));
    PetscFunctionReturn(0);
}
