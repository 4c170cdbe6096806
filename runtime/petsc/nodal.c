/* The contact problem of a plan under a diagonal mass: every node by itself in closed form, but for pairs of
 * bodies, whose slaves that share masters are one problem (coupled.h).
 *
 *     M x = rhs + F^T (r - carried),    u = G x + b,    law(u, r) on the set; r = carried outside it */
#include "execute.h"

/* One node: m w = m free + r with w_N >= lo, Coulomb; r in the frame. `sliding`: unit direction of the present sliding,
 * NULL: none. */
static void node_law(PetscInt d, PetscReal m, const PetscReal *free, PetscReal lo, PetscReal mu,
                     const PetscReal *sliding, PetscReal *r)
{
    PetscReal tangent = 0;
    r[0] = PetscMax(0, m * (lo - free[0]));
    for (PetscInt c = 1; c < d; c++) {
        r[c] = sliding != NULL ? -mu * r[0] * sliding[c - 1] : -m * free[c];
        tangent += r[c] * r[c];
    }
    tangent = PetscSqrtReal(tangent);
    if (sliding == NULL && tangent > mu * r[0]) {
        for (PetscInt c = 1; c < d; c++) {
            r[c] *= mu * r[0] / tangent;
        }
    }
}

/* Every row of the set is held. */
static void node_hold(PetscInt d, PetscReal m, const PetscReal *free, PetscReal lo, PetscReal mu, PetscReal *r)
{
    r[0] = m * (lo - free[0]);
    for (PetscInt c = 1; c < d; c++) {
        r[c] = mu > 0 ? -m * free[c] : 0;
    }
}

/* The direction in which row k slides by `slide`; NULL: it does not. */
static const PetscReal *sliding_of(const CaromExecutor *X, const carom_plan_op *op, PetscInt k)
{
    const PetscReal *slide = op->slide != 0 ? X->rows[op->slide] + k * X->d : NULL;
    for (PetscInt c = 1; c < X->d && slide != NULL; c++) {
        if (slide[c] != 0) {
            return slide + 1;
        }
    }
    return NULL;
}

/* Impulse or force r - carried of row k on the nodes from outside, for the balance of momentum. */
static void count_outside(CaromExecutor *X, PetscInt y, const PetscReal *frame, const PetscReal *change)
{
    CaromOutOfFrame(X->d, frame, 1, change, X->carry + y * X->width + 3);
}

PetscErrorCode CaromNodalSolve(CaromExecutor *X, const carom_plan_op *op, PetscReal *x)
{
    const CaromObstacles *o = X->motion->obstacles;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d;
    const PetscBool *set = X->set[op->set];
    const PetscReal *b = X->rows[op->b], *carried = op->carried != 0 ? X->rows[op->carried] : NULL, *mask;
    PetscReal *r = X->rows[op->r];
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(X->motion->space->mask, &mask));
    X->rows_at[op->r] = op->c;
    X->empty[op->r] = PETSC_FALSE;
    for (PetscInt k = 0; k < X->N; k++) {
        const PetscInt i = X->node[k], at = o->node[i] * d;
        const PetscReal *frame = c->frame + k * d * d, m = X->mass[i],
                        mu = op->normal ? 0 : X->rows[CAROM_ROWS_MU][k * d];
        const PetscReal *had = carried != NULL ? carried + k * d : NULL;
        PetscReal free[3] = {0, 0, 0}, change[3] = {0, 0, 0}, force[3] = {0, 0, 0}, now[3];
        X->slack[k] = CAROM_UNSOLVED;
        if (!set[k] || o->tie[k] >= 0 || !(c->length[k] > 0) || (X->movers > 0 && X->joined[k])) {
            for (PetscInt s = 0; s < d; s++) {
                r[k * d + s] = had != NULL ? had[s] : 0;
            }
            continue;
        }
        const PetscReal lo = -b[k * d] / c->length[k], *sliding = sliding_of(X, op, k);
        o->led[i] = (PetscBool)(sliding != NULL);
        CaromIntoFrame(d, frame, x + at, free);
        for (PetscInt s = 0; s < d; s++) {
            free[s] += (s > 0 ? b[k * d + s] : 0) - (had != NULL ? had[s] / m : 0);
        }
        if (op->equal) {
            node_hold(d, m, free, lo, mu, now);
        } else {
            node_law(d, m, free, lo, mu, sliding, now);
        }
        X->slack[k] = op->normal ? CAROM_UNSOLVED : PetscMax(0, free[0] + now[0] / m - lo);
        for (PetscInt s = 0; s < d; s++) {
            change[s] = now[s] - (had != NULL ? had[s] : 0);
            r[k * d + s] = now[s];
        }
        CaromOutOfFrame(d, frame, 1 / m, change, force);
        count_outside(X, op->y, frame, change);
        for (PetscInt s = 0; s < d; s++) {
            x[at + s] += mask[at + s] > 0 ? force[s] : 0;
        }
        X->holds[i] = now[0] > 0 ? k : X->holds[i] == k ? -1 : X->holds[i];
    }
    PetscCall(VecRestoreArrayRead(X->motion->space->mask, &mask));
    if (X->movers > 0) {
        PetscCall(CaromTailContact(X, op, x));
    }
    PetscFunctionReturn(0);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* x += inverse masses times X->onto at the slaves, and what acts back at the masters. */
static PetscErrorCode act(CaromExecutor *X, Vec x)
{
    CaromTies *ties = X->motion->obstacles->ties;
    const PetscInt d = ties->d;
    PetscReal *y;
    PetscFunctionBeginUser;
    PetscCall(VecSet(X->work, 0));
    PetscCall(VecGetArray(X->work, &y));
    for (PetscInt j = 0; j < ties->n * d; j++) {
        y[ties->node[j / d] * d + j % d] += X->onto[j];
    }
    PetscCall(VecRestoreArray(X->work, &y));
    PetscCall(CaromTiesSpread(ties, -1, X->onto, X->work));
    PetscCall(VecPointwiseMult(X->work, X->work, X->inverse));
    PetscCall(VecAXPY(x, 1, X->work));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve_pairs(CaromExecutor *X, const carom_plan_op *op, Vec x)
{
    const CaromObstacles *o = X->motion->obstacles;
    const CaromConfiguration *at = X->at + op->c;
    const PetscInt d = X->d;
    const PetscReal *b = X->rows[op->b], *carried = op->carried != 0 ? X->rows[op->carried] : NULL, *a;
    PetscReal *r = X->rows[op->r], change;
    PetscFunctionBeginUser;
    PetscCall(CaromTiesGather(o->ties, x, X->gathered));
    for (PetscInt t = 0; t < o->ties->n; t++) {
        X->contact[t].on = 0;
    }
    PetscCall(VecGetArrayRead(x, &a));
    for (PetscInt k = 0; k < X->N; k++) {
        const PetscInt t = o->tie[k], node = o->node[X->node[k]] * d;
        PetscReal w[3] = {0, 0, 0};
        if (t < 0 || !X->set[op->set][k] || !(at->length[k] > 0)) {
            continue;
        }
        const PetscReal *sliding = sliding_of(X, op, k);
        o->led[X->node[k]] = (PetscBool)(sliding != NULL);
        CaromCoupledContact *contact = &X->contact[t];
        *contact = (CaromCoupledContact){.on = 1,
                                         .mu = op->normal ? 0 : X->rows[CAROM_ROWS_MU][k * d],
                                         .lo = -b[k * d] / at->length[k],
                                         .sliding = sliding != NULL ? 1 : 0};
        PetscCall(PetscArraycpy(contact->frame, at->frame + k * d * d, d * d));
        for (PetscInt c = 0; c < d; c++) {
            w[c] = a[node + c] - X->gathered[t * d + c];
            contact->r[c] = carried != NULL ? carried[k * d + c] : 0;
        }
        CaromIntoFrame(d, contact->frame, w, contact->w);
        for (PetscInt c = 1; c < d; c++) {
            contact->w[c] += b[k * d + c];
            contact->slide[c - 1] = sliding != NULL ? sliding[c - 1] : 0;
        }
    }
    PetscCall(VecRestoreArrayRead(x, &a));
    PetscCall(CaromCoupledSolve(&X->coupled, X->contact, &change));
    if (change > 1e-10) {
        CaromSay(X->trouble, 1,
                 "the contacts of pairs were not solved: forces still changed by %.3g of the largest; try moreau-jean",
                 change);
    }
    PetscCall(PetscArrayzero(X->onto, o->ties->n * d));
    for (PetscInt k = 0; k < X->N; k++) {
        const PetscInt t = o->tie[k], i = X->node[k];
        PetscReal more[3] = {0, 0, 0};
        if (t < 0 || !(X->contact[t].on > 0)) {
            continue;
        }
        const CaromCoupledContact *contact = &X->contact[t];
        for (PetscInt c = 0; c < d; c++) {
            more[c] = contact->r[c] - (carried != NULL ? carried[k * d + c] : 0);
            r[k * d + c] = contact->r[c];
        }
        X->slack[k] = op->normal ? CAROM_UNSOLVED : PetscMax(0, contact->w[0] - contact->lo);
        CaromOutOfFrame(d, contact->frame, 1, more, X->onto + t * d);
        X->holds[i] = contact->r[0] > 0 ? k : X->holds[i] == k ? -1 : X->holds[i];
    }
    PetscCall(act(X, x));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromNodalContact(CaromExecutor *X, const carom_plan_op *op)
{
    const CaromObstacles *o = X->motion->obstacles;
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(PetscArrayzero(X->carry + op->y * X->width, X->width));
    if (op->x != 0) {
        PetscCall(VecPointwiseMult(X->own[op->y], CaromVectorOf(X, op->x), X->inverse));
        PetscCall(PetscArraycpy(X->carry + op->y * X->width, X->carry + op->x * X->width, X->width));
    } else if (!X->is_sparse[op->y]) {
        PetscCall(VecSet(X->own[op->y], 0));
    }
    PetscCall(VecGetArray(X->own[op->y], &x));
    for (PetscInt j = 0; j < o->n * X->d && op->x == 0; j++) {
        x[o->node[j / X->d] * X->d + j % X->d] = 0;
    }
    PetscCall(CaromNodalSolve(X, op, x));
    PetscCall(VecRestoreArray(X->own[op->y], &x));
    if (o->ties != NULL) {
        PetscCall(solve_pairs(X, op, X->own[op->y]));
    }
    PetscFunctionReturn(0);
}
