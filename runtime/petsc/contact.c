/* The contact solver as an object: options, choice of the method, the operator, and what surrounds a solve. Every
 * method is judged by the same natural residual, from a product with A made afresh at the end:
 *
 *     R^2 = sum over other free components (A v - b)^2
 *         + sum over candidates  min(g_N, D_N y_N)^2 + |g_T - P(g_T - D_T y_T)|^2,
 *         g = A v - b,  y = R v - (lo, slip),
 *
 * P the projection on the disk of radius mu max(g_N, 0), D from the diagonal block of the node: forces throughout. */
#include "contact_impl.h"

#define SMALL_SYSTEM 4000  /* components up to which a factorisation is always worth while */
#define SMALL_CONTACT 1500 /* contact nodes up to which a line of cells is factorised */

static const char *const TYPES[] = {"auto", "mprgp", "tnn", "nsgs"};

PetscErrorCode CaromContactCreate(MPI_Comm comm, const char *type, CaromContact *solver)
{
    CaromContact S;
    PetscInt choice = 0;
    PetscBool known = PETSC_TRUE;
    PetscFunctionBegin;
    PetscCall(PetscNew(&S));
    S->comm = comm;
    PetscCallMPI(MPI_Comm_size(comm, &S->ranks));
    S->tol = 1e-8;
    S->eta = 0.2;
    S->proportion = 4.0;
    S->max_outer = 600;
    S->max_inner = 20000;
    S->sweeps = 2;
    S->keep_direction = PETSC_TRUE;
    if (type != NULL) {
        PetscCall(PetscEListFind((PetscInt)(sizeof(TYPES) / sizeof(TYPES[0])), TYPES, type, &choice, &known));
        PetscCheck(known, comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "contact type %s is not one of auto, mprgp, tnn, nsgs",
                   type);
    }
    PetscOptionsBegin(comm, NULL, "Contact problem of a step", NULL);
    PetscCall(PetscOptionsEList("-carom_contact_type", "method", NULL, TYPES,
                                (PetscInt)(sizeof(TYPES) / sizeof(TYPES[0])), TYPES[choice], &choice, NULL));
    PetscCall(PetscOptionsReal("-carom_contact_tol", "natural residual to reach, relative to |b|", NULL, S->tol,
                               &S->tol, NULL));
    PetscCall(PetscOptionsInt("-carom_contact_max_outer", "faces tried before a step counts as failed", NULL,
                              S->max_outer, &S->max_outer, NULL));
    PetscCall(PetscOptionsInt("-carom_contact_max_inner", "iterations of conjugate gradients on one face", NULL,
                              S->max_inner, &S->max_inner, NULL));
    PetscCall(PetscOptionsReal("-carom_contact_eta", "tnn: reduction of the residual on a face", NULL, S->eta, &S->eta,
                               NULL));
    PetscCall(PetscOptionsInt("-carom_contact_sweeps", "symmetric sweeps over the contacts per face", NULL, S->sweeps,
                              &S->sweeps, NULL));
    PetscCall(PetscOptionsReal("-carom_contact_proportion",
                               "mprgp: square of the ratio of release to free gradient that ends a face", NULL,
                               S->proportion, &S->proportion, NULL));
    PetscCall(PetscOptionsBool("-carom_contact_keep",
                               "tnn: keep the direction of conjugate gradients from face to face", NULL,
                               S->keep_direction, &S->keep_direction, NULL));
    PetscCall(PetscOptionsBool("-carom_contact_view", "print each face", NULL, S->view, &S->view, NULL));
    PetscOptionsEnd();
    S->type = TYPES[choice];
    S->automatic = (PetscBool)(choice == 0);
    *solver = S;
    PetscFunctionReturn(0);
}

static PetscErrorCode forget_operator(CaromContact S)
{
    PetscFunctionBegin;
    if (S->forget != NULL) {
        PetscCall(S->forget(S));
    }
    PetscCall(MatDestroy(&S->A));
    PetscCall(VecDestroy(&S->mask));
    PetscCall(PetscFree(S->nodes));
    PetscCall(PetscFree(S->number));
    PetscCall(PetscFree(S->candidate));
    PetscCall(PetscFree(S->fixed));
    PetscCall(MatDestroy(&S->columns));
    PetscCall(VecDestroy(&S->change));
    PetscCall(PetscFree(S->row));
    PetscCall(PetscFree2(S->col, S->couple));
    PetscCall(VecDestroy(&S->inverse));
    PetscCall(VecDestroy(&S->untied));
    PetscCall(VecDestroy(&S->r));
    PetscCall(VecDestroy(&S->p));
    PetscCall(VecDestroy(&S->q));
    PetscCall(VecDestroy(&S->delta));
    PetscCall(VecDestroy(&S->start));
    PetscCall(CaromCandidatesFree(S));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactDestroy(CaromContact *solver)
{
    PetscFunctionBegin;
    if (*solver != NULL) {
        PetscCall(forget_operator(*solver));
        PetscCall(PetscFree(*solver));
    }
    PetscFunctionReturn(0);
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

static PetscErrorCode set_fixed(CaromContact S)
{
    const PetscReal *mask;
    PetscFunctionBegin;
    S->fixed_count = 0;
    if (S->mask == NULL) {
        PetscFunctionReturn(0);
    }
    PetscCall(VecGetArrayRead(S->mask, &mask));
    for (PetscInt i = 0; i < S->size; ++i) {
        S->fixed_count += mask[i] == 0.0 ? 1 : 0;
    }
    PetscCall(PetscMalloc1(S->fixed_count, &S->fixed));
    for (PetscInt i = 0, k = 0; i < S->size; ++i) {
        if (mask[i] == 0.0) {
            S->fixed[k++] = i;
        }
    }
    PetscCall(VecRestoreArrayRead(S->mask, &mask));
    PetscFunctionReturn(0);
}

static PetscErrorCode set_nodes(CaromContact S, PetscInt count, const PetscInt *nodes)
{
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(count, &S->nodes));
    PetscCall(PetscArraycpy(S->nodes, nodes, count));
    PetscCall(PetscSortRemoveDupsInt(&count, S->nodes));
    PetscCheck(count == 0 || (S->nodes[0] >= 0 && S->nodes[count - 1] * S->d < S->size), PETSC_COMM_SELF,
               PETSC_ERR_ARG_OUTOFRANGE, "contact nodes must be local nodes, below %d", (int)(S->size / S->d));
    S->count = count;
    PetscCall(PetscMalloc1((size_t)(S->size / S->d), &S->number));
    for (PetscInt i = 0; i < S->size / S->d; ++i) {
        S->number[i] = -1;
    }
    PetscCall(PetscMalloc1(count, &S->candidate));
    for (PetscInt k = 0; k < count; ++k) {
        S->number[S->nodes[k]] = k;
        S->candidate[k] = -1;
    }
    PetscCall(MPIU_Allreduce(&S->count, &S->contacts, 1, MPIU_INT, MPI_SUM, S->comm));
    PetscFunctionReturn(0);
}

/* Inverse diagonal; zero where fixed. */
static PetscErrorCode set_preconditioner(CaromContact S)
{
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecDuplicate(S->p, &S->inverse));
    PetscCall(MatGetDiagonal(S->A, S->inverse));
    PetscCall(VecReciprocal(S->inverse));
    PetscCall(VecGetArray(S->inverse, &a));
    CaromFixedClear(S, a);
    PetscCall(VecRestoreArray(S->inverse, &a));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactSetOperator(CaromContact S, Mat A, Vec mask, PetscInt d, PetscInt count,
                                       const PetscInt *nodes)
{
    PetscFunctionBegin;
    PetscCheck(d >= 1 && d <= CAROM_SMALL, S->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "%d components per node; there may be 1 to 3", (int)d);
    PetscCall(PetscObjectReference((PetscObject)A));
    PetscCall(PetscObjectReference((PetscObject)mask));
    PetscCall(forget_operator(S));
    S->A = A;
    S->mask = mask;
    S->d = d;
    PetscCall(MatCreateVecs(A, &S->p, &S->q));
    PetscCall(VecDuplicate(S->p, &S->r));
    PetscCall(VecGetLocalSize(S->p, &S->size));
    PetscCall(VecGetSize(S->p, &S->total));
    PetscCall(set_fixed(S));
    PetscCall(set_nodes(S, count, nodes));
    if (S->automatic) {
        const PetscBool direct = (PetscBool)(S->contacts <= SMALL_CONTACT && (S->total <= SMALL_SYSTEM || d == 1));
        S->type = direct ? "nsgs" : S->type[0] == 't' ? "tnn" : "mprgp";
    }
    PetscCall(set_preconditioner(S));
    PetscCall(CaromColumnsSet(S));
    PetscFunctionReturn(0);
}

/* ---- residuals --------------------------------------------------------------------------------------------------- */

PetscErrorCode CaromContactResidualVector(CaromContact S, Vec b, Vec v, Vec r, PetscReal *gradient)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(CaromCandidatesTake(S, v, S->hold));
    PetscCall(CaromCandidatesLeave(S, v));
    PetscCall(CaromTiedApply(S, v, r));
    PetscCall(VecAYPX(r, -1.0, b));
    PetscCall(CaromTiedTranspose(S, r));
    PetscCall(CaromCandidatesPut(S, S->hold, v));
    PetscCall(VecGetArray(r, &a));
    for (PetscInt k = 0; k < K->n; ++k) {
        CaromTurn(d, K->R + k * d * d, a + K->node[k] * d, gradient + k * d);
        for (PetscInt i = k * d; i < (k + 1) * d; ++i) {
            gradient[i] *= -K->free[i];
        }
    }
    CaromCandidatesClear(S, a);
    CaromFixedClear(S, a);
    PetscCall(VecRestoreArray(r, &a));
    PetscFunctionReturn(0);
}

/* The share of one candidate in R^2. */
static PetscReal candidate_share(CaromContact S, PetscInt k, const PetscReal *y, const PetscReal *g)
{
    const PetscInt d = S->d;
    const PetscReal normal = PetscMin(g[0], S->K.dn[k] * y[0]), radius = S->K.mu[k] * PetscMax(g[0], 0.0),
                    D = S->K.dt[k];
    PetscReal trial[CAROM_SMALL], length = 0.0, share = normal * normal;
    for (PetscInt i = 1; i < d; ++i) {
        trial[i] = g[i] - D * y[i];
        length += trial[i] * trial[i];
    }
    length = PetscSqrtReal(length);
    for (PetscInt i = 1; i < d; ++i) {
        const PetscReal part = g[i] - trial[i] * (length > radius ? radius / length : 1.0);
        share += S->K.free[k * d + i] * part * part;
    }
    return share;
}

PetscErrorCode CaromContactNatural(CaromContact S, Vec v, Vec r, const PetscReal *gradient, PetscReal *residual,
                                   PetscInt *worst)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    const PetscReal *y;
    PetscReal sum = 0.0, largest = 0.0, *a;
    PetscFunctionBegin;
    PetscCall(VecGetArray(r, &a));
    PetscCall(VecGetArrayRead(v, &y));
    CaromCandidatesClear(S, a);
    for (PetscInt i = 0; i < S->size; ++i) {
        sum += a[i] * a[i];
    }
    if (worst != NULL) {
        *worst = -1;
        for (PetscInt i = 0; i < S->size; ++i) {
            if (PetscAbsReal(a[i]) > largest) {
                largest = PetscAbsReal(a[i]);
                *worst = i / d;
            }
        }
        largest *= largest;
    }
    for (PetscInt k = 0; k < K->n; ++k) {
        const PetscReal share = candidate_share(S, k, y + K->node[k] * d, gradient + k * d);
        sum += share;
        if (worst != NULL && share > largest) {
            largest = share;
            *worst = K->node[k];
        }
    }
    PetscCall(VecRestoreArrayRead(v, &y));
    PetscCall(VecRestoreArray(r, &a));
    PetscCall(CaromReduce(S, &sum, 1));
    *residual = PetscSqrtReal(sum);
    PetscFunctionReturn(0);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* |b| over free components */
static PetscErrorCode set_scale(CaromContact S, Vec b)
{
    const PetscReal *a;
    PetscReal sum = 0.0;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(b, &a));
    for (PetscInt i = 0, k = 0; i < S->size; ++i) {
        if (k < S->fixed_count && S->fixed[k] == i) {
            ++k;
        } else {
            sum += a[i] * a[i];
        }
    }
    PetscCall(VecRestoreArrayRead(b, &a));
    PetscCall(CaromReduce(S, &sum, 1));
    S->bnorm = S->scale > 0.0 ? S->scale : PetscSqrtReal(sum);
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactSetScale(CaromContact S, PetscReal scale)
{
    PetscFunctionBegin;
    S->scale = scale;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactSetTolerance(CaromContact S, PetscReal tol)
{
    PetscFunctionBegin;
    S->tol = tol;
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-carom_contact_tol", &S->tol, NULL));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactSetTies(CaromContact S, CaromTies *ties)
{
    PetscFunctionBegin;
    S->ties = ties != NULL && ties->all > 0 ? ties : NULL;
    PetscFunctionReturn(0);
}

/* The size decided for a factorisation or not when the operator came; the law of the first candidates decides the
 * rest. */
static PetscErrorCode choose(CaromContact S, const CaromContactSet *set)
{
    PetscReal most = -1.0; /* no candidates */
    PetscFunctionBegin;
    for (PetscInt i = 0; i < set->n; ++i) {
        most = PetscMax(most, set->mu[i]);
    }
    PetscCall(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, S->comm));
    if (S->automatic && S->type[0] != 'n' && most >= 0.0) {
        S->type = most > 0.0 ? "tnn" : "mprgp";
    }
    PetscCheck(most <= 0.0 || S->type[0] != 'm', S->comm, PETSC_ERR_ARG_INCOMP,
               "contact type mprgp knows no friction; use -carom_contact_type tnn or nsgs");
    PetscFunctionReturn(0);
}

/* The candidates have their own preconditioner: the diagonal is zero at them while they are candidates. */
static PetscErrorCode hide_candidates(CaromContact S, PetscReal *kept)
{
    const PetscInt d = S->d;
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecGetArray(S->inverse, &a));
    for (PetscInt k = 0; k < S->K.n; ++k) {
        const PetscInt at = S->K.node[k] * d;
        for (PetscInt i = 0; i < d; ++i) {
            const PetscReal swap = a[at + i];
            a[at + i] = kept[k * d + i];
            kept[k * d + i] = swap;
        }
    }
    PetscCall(VecRestoreArray(S->inverse, &a));
    PetscFunctionReturn(0);
}

/* lambda in the caller's frames, and the counts. Which contacts are closed, and which of those stick, is said by the
 * natural map P(g - D y), as in the residual: solvers that stop at a tolerance leave velocities of closed contacts that
 * are not quite 0. */
static PetscErrorCode give_forces(CaromContact S, const CaromContactSet *set, Vec v, const PetscReal *gradient,
                                  PetscReal *lambda, CaromContactResult *result)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    const PetscReal *y;
    PetscReal counts[2] = {0.0, 0.0};
    PetscFunctionBegin;
    PetscCall(PetscArrayzero(lambda, set->n * d));
    PetscCall(VecGetArrayRead(v, &y));
    for (PetscInt k = 0; k < K->n; ++k) {
        const PetscReal *at = y + K->node[k] * d, *g = gradient + k * d, *frame = set->frame + K->place[k] * d * d;
        PetscReal *out = lambda + K->place[k] * d, trial = 0.0, length = 0.0;
        if (g[0] <= PetscMax(0.0, K->dn[k] * at[0])) {
            continue;
        }
        for (PetscInt i = 1; i < d; ++i) {
            trial += PetscSqr(g[i] - K->dt[k] * at[i]);
            length += g[i] * g[i];
        }
        const PetscReal radius = K->mu[k] * g[0];
        /* rounding, tolerance */
        const PetscReal shrink = PetscSqrtReal(length) > radius ? radius / PetscSqrtReal(length) : 1.0;
        out[0] = g[0] / K->scale[k];
        for (PetscInt i = 1; i < d; ++i) {
            for (PetscInt j = 0; j < d; ++j) {
                for (PetscInt t = 1; t < d; ++t) {
                    out[i] += frame[i * d + j] * K->R[(k * d + t) * d + j] * shrink * g[t];
                }
            }
        }
        counts[0] += 1.0;
        counts[1] += trial < radius * radius ? 1.0 : 0.0;
    }
    PetscCall(VecRestoreArrayRead(v, &y));
    PetscCall(CaromReduce(S, counts, 2));
    result->closed = (PetscInt)counts[0];
    result->sticking = (PetscInt)counts[1];
    PetscFunctionReturn(0);
}

/* Normals are held at their bounds: conjugate gradients on what is left. */
static PetscErrorCode hold(CaromContact S, Vec b, Vec v, PetscReal *gradient, CaromContactResult *result)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    CaromFace face = {NULL, NULL, gradient, NULL, PETSC_FALSE, 0.0, 0.0};
    CaromCGReason reason;
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1((size_t)(K->n * d + 1), &face.open));
    PetscCall(VecGetArray(v, &a));
    for (PetscInt k = 0; k < K->n * d; ++k) {
        face.open[k] = k % d == 0 ? 0.0 : K->free[k];
        a[K->node[k / d] * d + k % d] *= k % d == 0 ? 0.0 : 1.0;
    }
    PetscCall(VecRestoreArray(v, &a));
    result->target = S->tol * S->bnorm;
    for (int attempt = 0; attempt < 3; ++attempt) {
        PetscCall(CaromContactResidualVector(S, b, v, S->r, gradient));
        PetscCall(VecGetArray(S->r, &a));
        for (PetscInt k = 0; k < K->n * d; ++k) {
            a[K->node[k / d] * d + k % d] = -face.open[k] * gradient[k];
        }
        PetscCall(VecRestoreArray(S->r, &a));
        PetscCall(VecNorm(S->r, NORM_2, &result->residual));
        if (result->residual <= result->target) {
            break;
        }
        S->pAp = 0.0;
        PetscCall(CaromCG(S, &face, S->r, v, 0.95 * result->target, S->max_inner, &reason, &result->residual));
    }
    PetscCall(PetscFree(face.open));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactSolve(CaromContact S, const CaromContactSet *set, Vec b, Vec v, PetscReal *lambda,
                                 CaromContactResult *result)
{
    PetscErrorCode (*solve)(CaromContact, Vec, Vec, PetscReal *, CaromContactResult *);
    PetscReal *gradient, *kept, snap = 0.0;
    const PetscReal *a;
    PetscFunctionBegin;
    PetscCall(PetscMemzero(result, sizeof(*result)));
    S->products = 0;
    PetscCall(choose(S, set));
    PetscCall(CaromCandidatesSet(S, set, v));
    PetscCall(set_scale(S, b));
    PetscCall(CaromTiedEnter(S, v));
    const PetscInt n = S->K.n, d = S->d;
    PetscCall(PetscCalloc2((size_t)(n * d + 1), &gradient, (size_t)(n * d + 1), &kept));
    PetscCall(VecGetArrayRead(v, &a));
    for (PetscInt k = 0; k < n * d; ++k) {
        snap = PetscMax(snap, PetscAbsReal(a[S->K.node[k / d] * d + k % d]));
    }
    PetscCall(VecRestoreArrayRead(v, &a));
    PetscCall(CaromCandidatesEnter(S, v, 1e-14 * snap));
    PetscCall(hide_candidates(S, kept));
    solve = S->type[0] == 'm'   ? CaromContactSolve_MPRGP
            : S->type[0] == 't' ? CaromContactSolve_TNN
                                : CaromContactSolve_NSGS;
    if (set->equal) {
        PetscCall(hold(S, b, v, gradient, result));
    }
    for (int attempt = 0; attempt < 3 && !set->equal;
         ++attempt) { /* again where the carried residual drifted from the true one */
        PetscCall(solve(S, b, v, gradient, result));
        PetscCall(CaromContactResidualVector(S, b, v, S->r, gradient));
        PetscCall(CaromContactNatural(S, v, S->r, gradient, &result->residual, &result->worst));
        if (result->residual <= result->target || result->outer >= S->max_outer) {
            break;
        }
    }
    PetscCall(give_forces(S, set, v, gradient, lambda, result));
    for (PetscInt k = 0; k < n && set->equal; ++k) {
        lambda[S->K.place[k] * d] = gradient[k * d] / S->K.scale[k];
    }
    PetscCall(hide_candidates(S, kept));
    PetscCall(CaromCandidatesLeave(S, v));
    PetscCall(CaromTiedLeave(S, v));
    result->products = S->products;
    PetscCall(PetscFree2(gradient, kept));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactFree(CaromContact S, Vec b, Vec v, PetscInt *products)
{
    CaromFace face = {NULL, NULL, NULL, NULL, PETSC_FALSE, 0.0, 0.0};
    CaromCGReason reason;
    PetscReal norm;
    PetscFunctionBegin;
    S->products = 0;
    PetscCall(CaromCandidatesSet(S, NULL, v));
    if (S->type[0] == 'n') {
        CaromContactResult result;
        PetscCall(CaromContactSolve_NSGS(S, b, v, NULL, &result));
    } else {
        PetscCall(set_scale(S, b));
        PetscCall(CaromContactResidualVector(S, b, v, S->r, NULL));
        PetscCall(CaromCG(S, &face, S->r, v, S->tol * S->bnorm, S->max_inner, &reason, &norm));
        PetscCheck(reason == CAROM_CG_CONVERGED, S->comm, PETSC_ERR_NOT_CONVERGED,
                   "the contact-free solve stopped at residual %g after %d iterations (target %g); see "
                   "-carom_contact_max_inner",
                   (double)norm, (int)S->max_inner, (double)(S->tol * S->bnorm));
    }
    if (products != NULL) {
        *products = S->products;
    }
    PetscFunctionReturn(0);
}

const char *CaromContactType(CaromContact S) { return S->type; }
