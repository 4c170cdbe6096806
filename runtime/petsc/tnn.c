/* Frictional contact: truncated nonsmooth Newton with conjugate gradients.
 *
 * For given friction radii s the step minimises the convex Tresca energy 1/2 v.A v - b.v + sum s_i |y_T| over y_N >= 0.
 * Each round sweeps over the contacts (modes change only there, both ways), solves on the face of the modes found by
 * conjugate gradients, and minimises exactly along the result. Slipping contacts bring the curvature H = s/|y_T| (I - t
 * t') of their term into operator and preconditioner. When a step meets bounds, the next conjugate gradients end at the
 * first bound they meet: a body that lands closes many contacts, a few at a time.
 *
 * The radii follow the pressure, s = mu max(0, g_N), in every sweep. That is a fixed point iteration without a proof;
 * where it does not come to an end the radii are held until the Tresca problem is nearly solved, and then moved part of
 * the way. */
#include "contact_impl.h"

#define STALL_ROUNDS 12
#define LANDING_ROUNDS 150 /* that may end at a bound, after which the faces are as they are */
#define STALL_FACTOR 0.7
#define LAG 0.1 /* radii move when the Tresca residual is below this share of their defect */
#define DAMPING 0.7
#define LEAST_DAMPING 0.2
#define LINE_STEPS 30

typedef struct {
    CaromFace face;
    PetscReal *s;            /* [n] radii */
    PetscReal *y0, *g0;      /* [n d] velocities and gradient at the candidates when the face began */
    PetscReal *delta, *clip; /* [n d] step of the face, and its correction to the bounds */
    PetscBool coulomb;       /* radii follow the pressure */
    PetscReal damping;
    PetscInt landing; /* rounds left that may end at a bound */
} Newton;

/* ---- radii ------------------------------------------------------------------------------------------------------- */

static void pressure_radii(CaromContact S, const PetscReal *y, const PetscReal *gradient, PetscReal omega, PetscReal *s)
{
    const PetscInt d = S->d;
    for (PetscInt k = 0; k < S->K.n; ++k) {
        const PetscReal goal = y[S->K.node[k] * d] > 0.0 ? 0.0 : S->K.mu[k] * PetscMax(0.0, gradient[k * d]);
        s[k] += omega * (goal - s[k]);
    }
}

/* Holds the radii until the Tresca problem is solved well enough for what they are wrong by. */
static PetscErrorCode lag_radii(CaromContact S, Newton *N, Vec v, PetscReal outside, const PetscReal *gradient)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    const PetscReal *y;
    PetscReal sums[2] = {0.0, 0.0};
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(v, &y));
    for (PetscInt k = 0; k < K->n; ++k) {
        const PetscReal *yk = y + K->node[k] * d, *g = gradient + k * d;
        const PetscReal normal = PetscMin(g[0], K->dn[k] * yk[0]);
        const PetscReal goal = yk[0] > 0.0 ? 0.0 : K->mu[k] * PetscMax(0.0, g[0]);
        PetscReal length = 0.0;
        for (PetscInt i = 1; i < d; ++i) {
            length += PetscSqr(g[i] - K->dt[k] * yk[i]);
        }
        const PetscReal shrink = length > N->s[k] * N->s[k] ? N->s[k] / PetscSqrtReal(length) : 1.0;
        sums[0] += normal * normal;
        for (PetscInt i = 1; i < d; ++i) {
            sums[0] += K->free[k * d + i] * PetscSqr(g[i] - shrink * (g[i] - K->dt[k] * yk[i]));
        }
        sums[1] += PetscSqr(goal - N->s[k]);
    }
    PetscCall(CaromReduce(S, sums, 2));
    if (sums[0] + outside * outside <= PetscMax(LAG * LAG * sums[1], PetscSqr(0.5 * S->tol * S->bnorm))) {
        pressure_radii(S, y, gradient, N->damping, N->s);
        N->damping = PetscMax(LEAST_DAMPING, DAMPING * N->damping);
    }
    PetscCall(VecRestoreArrayRead(v, &y));
    PetscFunctionReturn(0);
}

/* ---- the face ---------------------------------------------------------------------------------------------------- */

/* Modes from exact zeros; r becomes minus the reduced gradient. */
static PetscErrorCode set_face(CaromContact S, Newton *N, Vec v, Vec r, const PetscReal *gradient)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    const PetscReal *y;
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(v, &y));
    PetscCall(VecGetArray(r, &a));
    PetscCall(PetscArrayzero(N->face.curve, K->n * d * d));
    for (PetscInt k = 0; k < K->n; ++k) {
        const PetscReal *yk = y + K->node[k] * d, *g = gradient + k * d;
        PetscReal *rk = a + K->node[k] * d, *open = N->face.open + k * d, *H = N->face.curve + k * d * d, length = 0.0;
        for (PetscInt i = 1; i < d; ++i) {
            length += yk[i] * yk[i];
        }
        length = PetscSqrtReal(length);
        open[0] = yk[0] > 0.0 ? K->free[k * d] : 0.0;
        rk[0] = -open[0] * g[0];
        for (PetscInt i = 1; i < d; ++i) {
            open[i] = length > 0.0 || N->s[k] == 0.0 ? K->free[k * d + i] : 0.0;
            rk[i] = -open[i] * (g[i] + (length > 0.0 ? N->s[k] * yk[i] / length : 0.0));
            for (PetscInt j = 1; j < d && length > 0.0; ++j) {
                H[i * d + j] = N->s[k] / length * ((i == j ? 1.0 : 0.0) - yk[i] * yk[j] / (length * length));
            }
        }
        for (PetscInt i = 0; i < d; ++i) {
            N->y0[k * d + i] = yk[i];
            N->g0[k * d + i] = g[i];
        }
    }
    PetscCall(VecRestoreArray(r, &a));
    PetscCall(VecRestoreArrayRead(v, &y));
    PetscFunctionReturn(0);
}

/* ---- along the step ---------------------------------------------------------------------------------------------- */

typedef struct {
    PetscReal slope, curvature; /* of the quadratic part: slope a + curvature a^2 / 2 */
    PetscReal a, energy;        /* the minimum found */
} Line;

/* Friction part at step a: energy, slope, curvature. */
static PetscErrorCode friction_along(CaromContact S, const Newton *N, PetscReal a, PetscReal out[3])
{
    const PetscInt d = S->d;
    PetscFunctionBegin;
    out[0] = out[1] = out[2] = 0.0;
    for (PetscInt k = 0; k < S->K.n; ++k) {
        PetscReal before = 0.0, yy = 0.0, ye = 0.0, ee = 0.0;
        for (PetscInt i = 1; i < d; ++i) {
            const PetscReal y = N->y0[k * d + i], e = N->delta[k * d + i];
            before += y * y;
            yy += (y + a * e) * (y + a * e);
            ye += (y + a * e) * e;
            ee += e * e;
        }
        if (N->s[k] == 0.0 || ee == 0.0) {
            continue;
        }
        const PetscReal length = PetscSqrtReal(yy);
        out[0] += N->s[k] * (length - PetscSqrtReal(before));
        if (length > 0.0) {
            out[1] += N->s[k] * ye / length;
            out[2] += N->s[k] * PetscMax(0.0, (ee - ye * ye / yy) / length);
        }
    }
    PetscCall(CaromReduce(S, out, 3));
    PetscFunctionReturn(0);
}

/* Minimum on [0, most]: the end when it is good enough, else safeguarded Newton. */
static PetscErrorCode minimise(CaromContact S, const Newton *N, PetscReal most, Line *line)
{
    PetscReal low = 0.0, high = most, f[3], first;
    PetscFunctionBegin;
    PetscCall(friction_along(S, N, 0.0, f));
    first = line->slope + f[1];
    PetscReal a = most;
    for (int step = 0; step < LINE_STEPS; ++step) {
        PetscCall(friction_along(S, N, a, f));
        const PetscReal slope = line->slope + a * line->curvature + f[1], curvature = line->curvature + f[2];
        line->a = a;
        line->energy = a * line->slope + 0.5 * a * a * line->curvature + f[0];
        if (slope <= 0.0) {
            low = a;
        } else {
            high = a;
        }
        if ((a == most && slope <= 0.0) || PetscAbsReal(slope) <= 0.1 * PetscAbsReal(first) ||
            high - low <= 1e-3 * most) {
            break;
        }
        const PetscReal next = a - slope / curvature;
        a = next > low && next < high ? next : 0.5 * (low + high);
    }
    PetscFunctionReturn(0);
}

/* Slope and curvature of the quadratic part along delta, from the gradients before (start, g0) and after (r,
 * gradient). */
static PetscErrorCode quadratic(CaromContact S, const Newton *N, Vec dvec, Vec r, const PetscReal *gradient, Line *line)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    const PetscReal *x, *before, *after;
    PetscReal sums[2] = {0.0, 0.0};
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(dvec, &x));
    PetscCall(VecGetArrayRead(S->start, &before));
    PetscCall(VecGetArrayRead(r, &after));
    for (PetscInt i = 0; i < S->size; ++i) {
        sums[0] -= before[i] * x[i];
        sums[1] += (before[i] - after[i]) * x[i];
    }
    for (PetscInt k = 0; k < K->n * d; ++k) { /* both vectors are zero at the candidates */
        sums[0] += N->g0[k] * N->delta[k];
        sums[1] += (gradient[k] - N->g0[k]) * N->delta[k];
    }
    PetscCall(VecRestoreArrayRead(dvec, &x));
    PetscCall(VecRestoreArrayRead(S->start, &before));
    PetscCall(VecRestoreArrayRead(r, &after));
    PetscCall(CaromReduce(S, sums, 2));
    line->slope = sums[0];
    line->curvature = sums[1];
    PetscFunctionReturn(0);
}

static PetscErrorCode zero_candidates(CaromContact S, Vec x)
{
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecGetArray(x, &a));
    CaromCandidatesClear(S, a);
    PetscCall(VecRestoreArray(x, &a));
    PetscFunctionReturn(0);
}

/* v, r and gradient at step a of the line from the start of the face to its end */
static PetscErrorCode go(CaromContact S, const Newton *N, PetscReal a, Vec dvec, Vec v, Vec r, PetscReal *gradient)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *y;
    PetscFunctionBegin;
    PetscCall(zero_candidates(S, dvec));
    PetscCall(VecAXPY(v, a, dvec));
    if (a != 1.0) {
        PetscCall(VecAXPBY(r, 1.0 - a, a, S->start));
    }
    PetscCall(VecGetArray(v, &y));
    for (PetscInt k = 0; k < K->n * d; ++k) {
        PetscReal *at = y + K->node[k / d] * d + k % d;
        *at = N->y0[k] + a * N->delta[k];
        if (k % d == 0 && *at < 1e-15 * N->y0[k]) { /* the bound that limited the step, up to rounding */
            *at = 0.0;
        }
        gradient[k] = N->g0[k] + a * (gradient[k] - N->g0[k]);
    }
    PetscCall(VecRestoreArray(v, &y));
    PetscFunctionReturn(0);
}

/* Normals that the step takes below the bound: their correction in clip, how far the step may go in *most. */
static PetscErrorCode limit(CaromContact S, Newton *N, PetscReal *most)
{
    const PetscInt d = S->d;
    PetscFunctionBegin;
    *most = 1.0;
    PetscCall(PetscArrayzero(N->clip, S->K.n * d));
    for (PetscInt k = 0; k < S->K.n * d; k += d) {
        if (N->y0[k] + N->delta[k] < 0.0) {
            N->clip[k] = -(N->y0[k] + N->delta[k]);
            *most = PetscMin(*most, -N->y0[k] / N->delta[k]);
        }
    }
    if (S->ranks > 1) {
        PetscCall(MPIU_Allreduce(MPI_IN_PLACE, most, 1, MPIU_REAL, MPIU_MIN, S->comm));
    }
    PetscFunctionReturn(0);
}

/* Adds sign times the correction to the step, r and gradient. */
static PetscErrorCode correct(CaromContact S, Newton *N, PetscReal sign, Vec r, PetscReal *gradient)
{
    const PetscInt d = S->d;
    PetscFunctionBegin;
    for (PetscInt k = 0; k < S->K.n * d; ++k) {
        N->clip[k] *= sign;
        N->delta[k] = sign > 0.0 && N->clip[k] != 0.0 ? -N->y0[k] : N->delta[k] + N->clip[k];
    }
    PetscCall(CaromColumnsAdd(S, N->clip, -1.0, r, gradient));
    PetscFunctionReturn(0);
}

/* The better of the step clipped at the bounds and the step up to the first bound. */
static PetscErrorCode advance(CaromContact S, Newton *N, Vec v, Vec r, PetscReal *gradient)
{
    PetscReal most;
    Line cut, whole;
    PetscFunctionBegin;
    PetscCall(CaromCandidatesTake(S, S->delta, N->delta));
    PetscCall(zero_candidates(S, r));
    PetscCall(limit(S, N, &most));
    PetscCall(quadratic(S, N, S->delta, r, gradient, &cut));
    PetscCall(minimise(S, N, most, &cut));
    N->face.bounded = PETSC_FALSE;
    if (most < 1.0) {
        PetscCall(correct(S, N, 1.0, r, gradient));
        PetscCall(quadratic(S, N, S->delta, r, gradient, &whole));
        PetscCall(minimise(S, N, 1.0, &whole));
        N->face.bounded = (PetscBool)(N->landing-- > 0);
        if (whole.energy < cut.energy) {
            cut = whole;
        } else {
            PetscCall(correct(S, N, -1.0, r, gradient));
        }
    }
    PetscCall(go(S, N, cut.a, S->delta, v, r, gradient));
    PetscFunctionReturn(0);
}

/* ---- the rounds -------------------------------------------------------------------------------------------------- */

PetscErrorCode CaromContactSolve_TNN(CaromContact S, Vec b, Vec v, PetscReal *gradient, CaromContactResult *result)
{
    const PetscInt n = S->K.n, d = S->d;
    PetscReal history[STALL_ROUNDS], norm;
    CaromCGReason reason;
    Newton N = {.face = {NULL, NULL, gradient, NULL, PETSC_FALSE, 0.0, 0.0},
                .coulomb = PETSC_TRUE,
                .damping = 1.0,
                .landing = LANDING_ROUNDS};
    PetscFunctionBegin;
    if (S->delta == NULL) {
        PetscCall(VecDuplicate(S->p, &S->delta));
        PetscCall(VecDuplicate(S->p, &S->start));
    }
    PetscCall(PetscMalloc3((size_t)(n * d), &N.face.open, (size_t)(n * d * d), &N.face.curve, n, &N.s));
    PetscCall(PetscMalloc4((size_t)(n * d), &N.y0, (size_t)(n * d), &N.g0, (size_t)(n * d), &N.delta, (size_t)(n * d),
                           &N.clip));
    PetscCall(PetscArrayzero(N.s, n));
    N.face.base = N.y0;
    result->target = S->tol * S->bnorm;
    PetscCall(CaromContactResidualVector(S, b, v, S->r, gradient));
    PetscInt round = 0; /* without those that a bound ended */
    for (; result->outer < S->max_outer; ++result->outer, round += N.face.bounded ? 0 : 1) {
        PetscCall(CaromContactNatural(S, v, S->r, gradient, &result->residual, NULL));
        if (result->residual <= result->target) {
            break;
        }
        if (N.coulomb && round >= STALL_ROUNDS && result->residual > STALL_FACTOR * history[round % STALL_ROUNDS]) {
            N.coulomb = PETSC_FALSE;
        }
        history[round % STALL_ROUNDS] = result->residual;
        if (!N.coulomb) {
            PetscCall(VecNorm(S->r, NORM_2, &norm));
            PetscCall(lag_radii(S, &N, v, norm, gradient));
        }
        PetscCall(CaromSweepsApply(S, S->sweeps, N.coulomb, N.s, v, S->r, gradient));
        PetscCall(VecCopy(S->r, S->start));
        PetscCall(set_face(S, &N, v, S->r, gradient));
        PetscCall(VecZeroEntries(S->delta));
        PetscCall(VecNorm(S->r, NORM_2, &norm));
        const PetscInt before = S->products;
        const PetscReal first = norm;
        PetscCall(CaromCG(S, &N.face, S->r, S->delta, PetscMax(S->eta * norm, 0.2 * result->target), S->max_inner,
                          &reason, &norm));
        PetscCall(advance(S, &N, v, S->r, gradient));
        if (S->view) {
            PetscCall(PetscPrintf(S->comm,
                                  "  tnn %3d: residual %9.2e, reduced gradient %9.2e, then %3d products to %9.2e\n",
                                  (int)result->outer, (double)(result->residual / S->bnorm), (double)(first / S->bnorm),
                                  (int)(S->products - before), (double)(norm / S->bnorm)));
        }
    }
    PetscCall(PetscFree3(N.face.open, N.face.curve, N.s));
    PetscCall(PetscFree4(N.y0, N.g0, N.delta, N.clip));
    PetscFunctionReturn(0);
}
