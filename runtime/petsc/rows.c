/* Operations of a plan on rows and sets: gaps, rates, predicates, directions of sliding. */
#include "execute.h"

PetscBool CaromIsRowsOperation(carom_operation op)
{
    return (PetscBool)(op == CAROM_DO_RATES || op == CAROM_DO_BIAS || op == CAROM_DO_COMBINE_ROWS ||
                       op == CAROM_DO_RATIO || op == CAROM_DO_SET || op == CAROM_DO_DIRECTION);
}

/* ---- configurations ---------------------------------------------------------------------------------------------- */

static void row_at(CaromExecutor *X, CaromConfiguration *c, PetscInt k, const PetscReal *u, const PetscReal *mask,
                   PetscReal *gap)
{
    CaromObstacles *o = X->motion->obstacles;
    const PetscInt d = X->d, i = X->node[k];
    CaromObstacleGap(o, i, k, c->t, u, gap, c->gradient + k * d, c->rate + k);
    if (o->tie[k] >= 0) {
        c->rate[k] = 0; /* of a pair: by the velocities of both, in rates */
        c->there[k] = (PetscBool)!CaromObstacleReleased(o, k, u);
    }
    if (CaromIsMoving(X, k)) { /* even where the node cannot yield, the mechanism can */
        const PetscReal all[3] = {1, 1, 1};
        (void)PetscArraycpy(c->J + k * d * X->movers, o->mover_J, d * X->movers);
        c->length[k] = CaromObstacleFrame(d, c->gradient + k * d, all, c->frame + k * d * d);
        return;
    }
    c->length[k] = CaromObstacleFrame(d, c->gradient + k * d, mask + o->node[i] * d, c->frame + k * d * d);
}

static PetscErrorCode kinematics(CaromExecutor *X, const carom_plan_op *op)
{
    CaromObstacles *o = X->motion->obstacles;
    CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d;
    const PetscReal t = X->t + op->node * X->h, *u, *mask, **x = NULL;
    PetscReal *gap = X->rows[X->plan->gap[op->c]], *moved, *way;
    PetscFunctionBeginUser;
    X->last = op->c;
    c->point = X->place_now[op->q];
    if (op->terms.count == 0 && c->stamp == X->stamp[c->point] && c->t == t) {
        PetscFunctionReturn(0);
    }
    c->t = t;
    c->stamp = op->terms.count == 0 ? X->stamp[c->point] : 0;
    if (o->ties != NULL) {
        PetscCall(CaromTiesGather(o->ties, CaromPointOf(X, op->q), o->master_u));
        PetscCall(PetscArraycpy(c->master, o->master_u, o->ties->n * d));
    }
    PetscCall(PetscArraycpy(c->tail, CaromTailPoint(X, op->q), X->places));
    PetscCall(PetscMalloc2(X->places, &moved, X->movers, &way));
    o->mover_q = moved;
    PetscCall(VecGetArrayRead(CaromPointOf(X, op->q), &u));
    PetscCall(VecGetArrayRead(X->motion->space->mask, &mask));
    PetscCall(PetscMalloc1(op->terms.count, &x));
    for (int s = 0; s < op->terms.count; s++) {
        PetscCall(VecGetArrayRead(CaromVectorOf(X, X->plan->term[op->terms.first + s].x), &x[s]));
    }
    for (PetscInt k = 0; k < X->N; k++) {
        const PetscInt at = o->node[X->node[k]] * d;
        PetscReal own[3] = {0, 0, 0}, unused;
        for (PetscInt i = 0; i < d; i++) {
            own[i] = u[at + i];
            for (int s = 0; s < op->terms.count; s++) { /* every row at its own point */
                const carom_term *term = X->plan->term + op->terms.first + s;
                own[i] += CaromFactorAt(X, term->c, term->k) * (term->by != 0 ? X->rows[term->by][k * d] : 1) *
                          (term->by_also != 0 ? X->rows[term->by_also][k * d] : 1) * x[s][at + i];
            }
        }
        if (CaromIsMoving(X, k)) {
            CaromTailAt(X, op, k, way, moved);
        }
        row_at(X, c, k, own, mask, gap != NULL ? gap + k * d : &unused);
    }
    o->mover_q = o->mover_state;
    PetscCall(PetscFree2(moved, way));
    PetscCall(CaromTailKinematics(X, op, c, u, gap));
    for (int s = 0; s < op->terms.count; s++) {
        PetscCall(VecRestoreArrayRead(CaromVectorOf(X, X->plan->term[op->terms.first + s].x), &x[s]));
    }
    PetscCall(PetscFree(x));
    PetscCall(VecRestoreArrayRead(X->motion->space->mask, &mask));
    PetscCall(VecRestoreArrayRead(CaromPointOf(X, op->q), &u));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromRowsKinematics(CaromExecutor *X, const carom_plan_op *op)
{
    PetscFunctionBeginUser;
    PetscCall(kinematics(X, op));
    if (op->c == X->begin) {
        CaromOwnBegin(X, X->at + op->c);
    }
    PetscFunctionReturn(0);
}

/* ---- rates ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode rates(CaromExecutor *X, const carom_plan_op *op)
{
    CaromObstacles *o = X->motion->obstacles;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d;
    const PetscReal *v;
    PetscReal *U = X->rows[op->y];
    PetscFunctionBeginUser;
    if (o->ties != NULL) {
        PetscCall(CaromTiesGather(o->ties, CaromVectorOf(X, op->v), X->gathered));
    }
    PetscCall(VecGetArrayRead(CaromVectorOf(X, op->v), &v));
    for (PetscInt k = 0; k < X->N; k++) {
        const PetscReal *own = v + o->node[X->node[k]] * d, *gradient = c->gradient + k * d;
        PetscReal relative[3] = {0, 0, 0}, carrier[3] = {0, 0, 0};
        if (CaromIsMoving(X, k)) {
            CaromTailCarrier(X, c->J + k * d * X->movers, CaromTailOf(X, op->v), carrier);
        }
        for (PetscInt i = 0; i < d; i++) {
            relative[i] = own[i] - (o->tie[k] >= 0 ? X->gathered[o->tie[k] * d + i] : carrier[i]);
        }
        CaromIntoFrame(d, c->frame + k * d * d, relative, U + k * d);
        U[k * d] = op->homogeneous ? 0 : c->rate[k];
        for (PetscInt i = 0; i < d; i++) {
            U[k * d] += gradient[i] * relative[i];
        }
    }
    CaromTailRates(X, op, v, U);
    PetscCall(VecRestoreArrayRead(CaromVectorOf(X, op->v), &v));
    PetscFunctionReturn(0);
}

/* Rate of the gap of row k at (u + s v, t + s); tail: the mechanism's q moved likewise, its velocities;
 * carrier: the velocity of the obstacle's point there. */
static PetscReal rate_at(const CaromExecutor *X, PetscInt k, PetscReal t, PetscReal s, const PetscReal *u,
                         const PetscReal *v, const PetscReal *tail, PetscReal *carrier)
{
    CaromObstacles *o = X->motion->obstacles;
    PetscReal moved[3] = {0, 0, 0}, gap, gradient[3], rate;
    o->mover_q = tail;
    for (PetscInt c = 0; c < X->d; c++) {
        moved[c] = u[c] + s * v[c];
    }
    CaromObstacleGap(o, X->node[k], k, t + s, moved, &gap, gradient, &rate);
    if (CaromIsMoving(X, k)) {
        CaromTailCarrier(X, o->mover_J, tail + X->places, carrier);
    }
    o->mover_q = o->mover_state;
    for (PetscInt c = 0; c < X->d; c++) {
        rate += gradient[c] * (v[c] - carrier[c]);
    }
    return rate;
}

/* How the rates change by the motion itself: bends of an obstacle, its own acceleration. A face keeps its normal. */
static PetscErrorCode bias(CaromExecutor *X, const carom_plan_op *op, PetscInt wanted)
{
    const CaromObstacles *o = X->motion->obstacles;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d;
    const PetscBool *on = wanted != 0 ? X->set[wanted] : NULL;
    const PetscReal *u, *v;
    PetscReal *y = X->rows[op->y], *way, *tail[2]; /* half a step back and on: places of the mechanism, velocities */
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc3(X->places + X->movers, &tail[0], X->places + X->movers, &tail[1], X->movers, &way));
    for (PetscInt s = 0; s < 2 && X->movers > 0; s++) {
        for (PetscInt j = 0; j < X->movers; j++) {
            tail[s][X->places + j] = CaromTailOf(X, op->v)[j];
            way[j] = (s > 0 ? 0.5 : -0.5) * X->h * tail[s][X->places + j];
        }
        CaromTailMoved(X, c->tail, way, tail[s]);
    }
    PetscCall(VecGetArrayRead(CaromVectorOf(X, op->v), &v));
    PetscCall(VecGetArrayRead(X->place[c->point], &u));
    for (PetscInt k = 0; k < X->N; k++) {
        const PetscInt at = o->node[X->node[k]] * d;
        for (PetscInt i = 0; i < d; i++) {
            y[k * d + i] = 0;
        }
        if (o->tie[k] < 0 && (on == NULL || on[k])) {
            PetscReal there[3] = {0, 0, 0}, back[3] = {0, 0, 0};
            y[k * d] = (rate_at(X, k, c->t, 0.5 * X->h, u + at, v + at, tail[1], there) -
                        rate_at(X, k, c->t, -0.5 * X->h, u + at, v + at, tail[0], back)) /
                       X->h;
            for (PetscInt i = 1; i < d && CaromIsMoving(X, k); i++) { /* what sticks goes along with the point */
                for (PetscInt s = 0; s < d; s++) {
                    y[k * d + i] -= c->frame[(k * d + i) * d + s] * (there[s] - back[s]) / X->h;
                }
            }
        }
    }
    PetscCall(PetscFree3(tail[0], tail[1], way));
    PetscCall(CaromTailBias(X, op, y));
    PetscCall(VecRestoreArrayRead(X->place[c->point], &u));
    PetscCall(VecRestoreArrayRead(CaromVectorOf(X, op->v), &v));
    PetscFunctionReturn(0);
}

/* ---- forms and predicates ---------------------------------------------------------------------------------------- */

/* Component i of what a term has at row k. */
static PetscReal term_at(const CaromExecutor *X, const carom_term *term, PetscReal factor, PetscInt k, PetscInt i)
{
    const PetscInt d = X->d;
    const PetscReal *x = X->rows[term->x] + k * d;
    PetscReal y = x[i];
    if (term->on != 0 && (!X->set[term->on][k] || (i > 0 && (term->normal || !(X->rows[CAROM_ROWS_MU][k * d] > 0))))) {
        return 0;
    }
    if (term->of == CAROM_OF_LIMIT) {
        y = X->rows[CAROM_ROWS_MU][k * d] * x[0];
    } else if (term->of != CAROM_OF_ALL) {
        const PetscReal *z = term->of == CAROM_OF_DOT ? X->rows[term->y] + k * d : x;
        y = 0;
        for (PetscInt c = 1; c < d; c++) {
            y += x[c] * z[c];
        }
        y = term->of == CAROM_OF_NORM ? PetscSqrtReal(y) : y;
    }
    y *= factor;
    y *= term->by != 0 ? X->rows[term->by][k * d + i] : 1;
    return y * (term->by_also != 0 ? X->rows[term->by_also][k * d + i] : 1);
}

/* y [K n] = the sum, of normals alone (n = 1) or of all d components of each row. */
static void sum_up(const CaromExecutor *X, carom_range terms, PetscInt n, PetscReal *y)
{
    const PetscInt d = X->d, count = X->K * n;
    for (int s = 0; s < terms.count || s == 0; s++) {
        const carom_term *term = X->plan->term + terms.first + s;
        const PetscReal factor = terms.count > 0 ? CaromFactorAt(X, term->c, term->k) : 0;
        const PetscReal *x = terms.count > 0 ? X->rows[term->x] : NULL;
        if (x == NULL) {
            (void)PetscArrayzero(y, count);
        } else if (term->of != CAROM_OF_ALL || term->by != 0 || term->on != 0) {
            for (PetscInt j = 0; j < count; j++) {
                y[j] = (s > 0 ? y[j] : 0) + term_at(X, term, factor, j / n, j % n);
            }
        } else if (n == d) {
            for (PetscInt j = 0; j < count; j++) {
                y[j] = (s > 0 ? y[j] : 0) + factor * x[j];
            }
        } else {
            for (PetscInt j = 0; j < count; j++) {
                y[j] = (s > 0 ? y[j] : 0) + factor * x[j * d];
            }
        }
    }
}

static void combine(CaromExecutor *X, const carom_plan_op *op)
{
    PetscReal *y = X->rows[op->y];
    const PetscReal *into = X->sums;
    X->empty[op->y] = (PetscBool)(op->terms.count == 0);
    X->rows_at[op->y] = op->terms.count > 0 ? X->rows_at[X->plan->term[op->terms.first].x] : 0;
    sum_up(X, op->terms, X->d, X->sums); /* y may be among the terms */
    (void)PetscArraycpy(y, into, X->K * X->d);
}

/* Normals; tangents have that of their contact. */
static void ratio(CaromExecutor *X, const carom_plan_op *op)
{
    const PetscReal *a = X->rows[op->x], *b = X->rows[op->b];
    PetscReal *y = X->rows[op->y];
    for (PetscInt k = 0; k < X->K; k++) {
        const PetscReal part = b[k * X->d] != 0 ? a[k * X->d] / b[k * X->d] : 1;
        for (PetscInt i = 0; i < X->d; i++) {
            y[k * X->d + i] = PetscMax(0, PetscMin(1, part));
        }
    }
}

static void compare(const CaromExecutor *X, const carom_test *test, PetscBool *set)
{
    const PetscReal *x = X->sums, tolerance = test->times * X->tolerance[test->tolerance];
    sum_up(X, test->terms, 1, X->sums);
    for (PetscInt k = 0; k < X->K; k++) {
        set[k] = (PetscBool)(test->word == CAROM_LE   ? x[k] <= tolerance
                             : test->word == CAROM_LT ? x[k] < tolerance
                             : test->word == CAROM_GT ? x[k] > tolerance
                                                      : PetscAbsReal(x[k]) > tolerance);
    }
}

void CaromRowsTest(const CaromExecutor *X, carom_range range, PetscBool *set)
{
    PetscBool *top = X->stack - X->K; /* sets of K rows on each other */
    for (int s = 0; s < range.count; s++) {
        const carom_test *test = X->plan->test + range.first + s;
        if (test->word == CAROM_AND || test->word == CAROM_OR) {
            top -= X->K;
            for (PetscInt k = 0; k < X->K; k++) {
                const PetscBool a = top[k], b = top[X->K + k];
                top[k] = (PetscBool)(test->word == CAROM_AND ? a && b : a || b);
            }
        } else if (test->word == CAROM_NOT) {
            for (PetscInt k = 0; k < X->K; k++) {
                top[k] = (PetscBool)!top[k];
            }
        } else if (test->word == CAROM_IN) {
            top += X->K;
            (void)PetscArraycpy(top, X->set[test->set], X->K);
        } else if (test->word == CAROM_ALL || test->word == CAROM_NONE || test->word == CAROM_BILATERAL) {
            top += X->K;
            for (PetscInt k = 0; k < X->K; k++) {
                top[k] = (PetscBool)(test->word == CAROM_ALL || (test->word == CAROM_BILATERAL && CaromIsHeld(X, k)));
            }
        } else {
            top += X->K;
            compare(X, test, top);
        }
    }
    (void)PetscArraycpy(set, top, X->K);
}

/* One row of each node: the one that carries, else the nearest. */
static void keep_one(const CaromExecutor *X, PetscBool *set)
{
    const CaromObstacles *o = X->motion->obstacles;
    const PetscReal *gap = X->rows[X->plan->gap[X->last]];
    for (PetscInt i = 0; i < o->n; i++) {
        PetscInt best = -1;
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            if (set[k] && (best < 0 || k == X->holds[i] || (best != X->holds[i] && gap[k * X->d] < gap[best * X->d]))) {
                best = k;
            }
        }
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            set[k] = (PetscBool)(k == best);
        }
    }
}

static void make_set(CaromExecutor *X, const carom_plan_op *op)
{
    PetscBool *set = X->set[op->y];
    CaromRowsTest(X, op->test, set);
    for (PetscInt k = 0; k < X->K; k++) {
        set[k] = (PetscBool)(set[k] && X->at[X->last].there[k]);
    }
    if (X->many && X->is_solved_on[op->y]) {
        keep_one(X, set);
    }
}

/* ---- directions of sliding --------------------------------------------------------------------------------------- */

static void direction(CaromExecutor *X, const carom_plan_op *op)
{
    const PetscInt d = X->d;
    const PetscReal *x = X->rows[op->from != 0 ? op->from : op->x], *where = op->where != 0 ? X->rows[op->where] : NULL;
    PetscReal *y = X->rows[op->y];
    PetscBool *frozen = op->frozen != 0 ? X->set[op->frozen] : NULL;
    for (PetscInt k = 0; k < X->K; k++) {
        const PetscReal mu = X->rows[CAROM_ROWS_MU][k * d];
        PetscReal size = 0;
        PetscBool slides = PETSC_FALSE;
        for (PetscInt i = 1; i < d; i++) {
            size += x[k * d + i] * x[k * d + i];
            slides = (PetscBool)(slides || (where != NULL && where[k * d + i] != 0));
        }
        size = PetscSqrtReal(size);
        y[k * d] = 0;
        for (PetscInt i = 1; i < d; i++) {
            const PetscReal before = y[k * d + i];
            PetscReal now;
            if (op->from != 0) {
                now = mu > 0 && X->set[op->on][k] ? -x[k * d + i] / (mu * x[k * d]) : 0;
            } else {
                now = mu > 0 && size > X->tolerance[CAROM_TOL_TS] ? x[k * d + i] / size : 0;
                if (frozen != NULL && X->iteration >= op->turns && PetscAbsReal(now - before) > 1e-9) {
                    frozen[k] = PETSC_TRUE;
                }
                if (where != NULL) {
                    now = frozen != NULL && frozen[k] ? where[k * d + i] : slides ? now : 0;
                }
            }
            y[k * d + i] = now;
        }
    }
}

PetscErrorCode CaromRowsOperation(CaromExecutor *X, PetscInt i)
{
    const carom_plan_op *op = X->plan->op + i;
    PetscFunctionBeginUser;
    switch (op->op) {
    case CAROM_DO_RATES:
        PetscCall(rates(X, op));
        break;
    case CAROM_DO_BIAS:
        PetscCall(bias(X, op, X->bias_on[i]));
        break;
    case CAROM_DO_COMBINE_ROWS:
        combine(X, op);
        break;
    case CAROM_DO_RATIO:
        ratio(X, op);
        break;
    case CAROM_DO_SET:
        make_set(X, op);
        break;
    default:
        direction(X, op);
    }
    PetscFunctionReturn(0);
}
