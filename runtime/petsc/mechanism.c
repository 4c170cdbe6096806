/* The mechanism beside the meshes (carom_mechanism): coordinates and rigid bodies, of which there are few. Every rank
 * has them all and does the same with them: a tail that rides along with each vector, point and memory of a plan. Its
 * rows follow those of the contact nodes: first the components of nodes that are tied to it, on the rank that has them,
 *
 *     x_k - J_k x_b = 0,
 *
 * then constraints and contacts of its own, on every rank. joined.c solves their contact problems. */
#include "execute.h"

#include <carom/rotation.h>

/* ---- made and unmade --------------------------------------------------------------------------------------------- */

/* Adds the d components of a node that is tied. by: number of the tie, or -1 - that of the point. */
static void add_tied(CaromExecutor *X, PetscInt node, PetscInt by, CaromTrouble *trouble)
{
    const CaromSpace *space = X->motion->space;
    const carom_mechanism *m = space->model->mechanism;
    const char *where = by >= 0 ? m->tie[by].where : m->point[-1 - by].where;
    const PetscReal *at = space->mesh.X + node * X->d, *mask = NULL;
    PetscBool held = PETSC_FALSE;
    for (PetscInt i = 0; i < X->tied; i++) {
        if (X->tied_node[i] == node) {
            if (by < 0 || X->tied_by[i] < 0 || m->tie[by].with != m->tie[X->tied_by[i]].with) {
                CaromSay(trouble, 2,
                         "%s: the node at (%.6g, %.6g, %.6g) is tied twice, or tied and a point of its own; leave one "
                         "of the two out, or take --path small",
                         where, at[0], X->d > 1 ? at[1] : 0.0, X->d > 2 ? at[2] : 0.0);
            }
            return;
        }
    }
    (void)VecGetArrayRead(space->mask, &mask);
    for (PetscInt c = 0; c < X->d; c++) {
        held = (PetscBool)(held || mask[node * X->d + c] < 0.5);
    }
    (void)VecRestoreArrayRead(space->mask, &mask);
    if (held) {
        CaromSay(trouble, 2,
                 "%s: the node at (%.6g, %.6g, %.6g) is held by m:fix and tied to a body, or a point that should move; "
                 "leave one of the two out",
                 where, at[0], X->d > 1 ? at[1] : 0.0, X->d > 2 ? at[2] : 0.0);
    }
    X->tied_node[X->tied] = node;
    X->tied_by[X->tied++] = by;
}

/* The nodes here that ties and points hold on to. */
static PetscErrorCode find_tied(CaromExecutor *X, CaromTrouble *trouble)
{
    const CaromSpace *space = X->motion->space;
    const carom_mechanism *m = space->model->mechanism;
    PetscMPIInt rank, owner;
    PetscInt count, *node, found;
    PetscReal *area;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(space->mesh.comm, &rank));
    PetscCall(PetscMalloc2(space->mesh.owned, &X->tied_node, space->mesh.owned, &X->tied_by));
    for (int i = 0; i < m->ties; i++) {
        const CaromBoundary *boundary =
            CaromMeshBoundary(&space->mesh, space->model, m->tie[i].body, m->tie[i].boundary, m->tie[i].where, trouble);
        if (boundary != NULL) {
            PetscCall(CaromSpaceBoundary(space, m->tie[i].body, boundary, &count, &node, &area));
            for (PetscInt k = 0; k < count; k++) {
                add_tied(X, node[k], i, trouble);
            }
            PetscCall(PetscFree2(node, area));
        }
    }
    for (int i = 0; i < m->points; i++) {
        PetscCall(CaromMeshNearest(&space->mesh, m->point[i].body, m->point[i].at, &owner, &found));
        if (owner == rank) {
            add_tied(X, found, -1 - i, trouble);
        }
    }
    PetscCall(CaromAgree(space->mesh.comm, trouble));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTailCount(CaromExecutor *X, CaromTrouble *trouble)
{
    const carom_mechanism *m = X->motion->space->model->mechanism;
    PetscFunctionBeginUser;
    if (m != NULL) {
        X->movers = m->scalars + 3 * m->rotations;
        X->places = m->scalars + 4 * m->rotations;
        X->own_rows = m->rows;
        PetscCall(find_tied(X, trouble));
    }
    PetscFunctionReturn(0);
}

/* Masses of the nodes that are coordinates of the mechanism, for vectors that are not solved for with the contacts. */
static PetscErrorCode weigh_points(CaromExecutor *X)
{
    const carom_mechanism *m = X->motion->space->model->mechanism;
    PetscReal *mine;
    const PetscReal *mass;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(X->movers, &mine));
    PetscCall(VecGetArrayRead(X->motion->mass, &mass));
    for (PetscInt i = 0; i < X->tied; i++) {
        for (PetscInt c = 0; c < X->d && X->tied_by[i] < 0; c++) {
            mine[m->point[-1 - X->tied_by[i]].first + c] = mass[X->tied_node[i] * X->d + c];
        }
    }
    PetscCall(VecRestoreArrayRead(X->motion->mass, &mass));
    PetscCallMPI(
        MPI_Allreduce(mine, X->point_mass, (PetscMPIInt)X->movers, MPIU_REAL, MPIU_SUM, X->motion->space->mesh.comm));
    PetscCall(PetscFree(mine));
    PetscFunctionReturn(0);
}

/* Which contact nodes have a problem with the mechanism: those that meet it, and those that are tied to it. */
static void find_joined(CaromExecutor *X)
{
    const CaromObstacles *o = X->motion->obstacles;
    for (PetscInt k = 0; k < X->N; k++) {
        X->tied_at[k] = -1;
        for (PetscInt i = 0; i < X->tied; i++) {
            X->tied_at[k] = X->tied_node[i] == o->node[X->node[k]] ? X->N + i * X->d : X->tied_at[k];
        }
        X->joined[k] = (PetscBool)(X->tied_at[k] >= 0 || CaromIsMoving(X, k));
    }
}

/* Nodes of contact pairs are solved for without the mechanism: none may be tied to it. */
static PetscErrorCode check_pairs(CaromExecutor *X, CaromTrouble *trouble)
{
    const CaromObstacles *o = X->motion->obstacles;
    PetscReal *x, *met;
    Vec held;
    PetscFunctionBeginUser;
    if (o->ties == NULL) { /* on every rank */
        PetscFunctionReturn(0);
    }
    PetscCall(CaromSpaceVector(o->space, &held));
    PetscCall(VecGetArray(held, &x));
    for (PetscInt i = 0; i < X->tied * X->d; i++) {
        x[X->tied_node[i / X->d] * X->d + i % X->d] = 1;
    }
    PetscCall(VecRestoreArray(held, &x));
    PetscCall(PetscCalloc1(o->ties->n * X->d, &met));
    PetscCall(CaromTiesGather(o->ties, held, met));
    for (PetscInt k = 0; k < X->N; k++) {
        if (o->tie[k] >= 0 && (X->tied_at[k] >= 0 || met[o->tie[k] * X->d] > 0)) {
            const CaromMeeting meeting = CaromMeetingOf(o->space->model, (int)o->surface[k]);
            CaromSay(
                trouble, 2,
                "%s: nodes of %s are tied to a body, or points of the mechanism; leave them out of one of the two, "
                "or take --path small",
                meeting.where, meeting.name);
        }
    }
    PetscCall(PetscFree(met));
    PetscCall(VecDestroy(&held));
    PetscFunctionReturn(0);
}

/* Ties hold at the start, and so do their rates. */
static PetscErrorCode check_tied(CaromExecutor *X, CaromTrouble *trouble)
{
    const CaromSpace *space = X->motion->space;
    const carom_mechanism *m = space->model->mechanism;
    const PetscInt d = X->d;
    const PetscReal *q = X->motion->obstacles->mover_state, *v = q + X->places, *u, *w;
    PetscReal x[3], *J, rate[3], bias[3];
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(d * X->movers, &J));
    PetscCall(VecGetArrayRead(X->motion->u, &u));
    PetscCall(VecGetArrayRead(X->motion->v, &w));
    for (PetscInt i = 0; i < X->tied; i++) {
        const PetscReal *at = space->mesh.X + X->tied_node[i] * d;
        if (X->tied_by[i] < 0) {
            continue;
        }
        m->tie[X->tied_by[i]].place(space->p, X->motion->t, at, q, v, x, J, rate, bias);
        for (PetscInt c = 0; c < d; c++) {
            const PetscReal off = at[c] + u[X->tied_node[i] * d + c] - x[c];
            PetscReal speed = w[X->tied_node[i] * d + c] - rate[c];
            for (PetscInt j = 0; j < X->movers; j++) {
                speed -= J[c * X->movers + j] * v[j];
            }
            if (PetscAbsReal(off) > 1e-8 * X->motion->obstacles->size ||
                PetscAbsReal(speed) > 1e-7 * X->motion->obstacles->size) {
                CaromSay(trouble, 2,
                         "%s: tie '%s' does not hold at the start: the node at (%.6g, %.6g, %.6g) is off by %.3g along "
                         "%c and has another velocity than the body by %.3g; let displacement and velocity in m:start "
                         "fit the body",
                         m->tie[X->tied_by[i]].where, m->tie[X->tied_by[i]].name, at[0], d > 1 ? at[1] : 0.0,
                         d > 2 ? at[2] : 0.0, off, "xyz"[c], speed);
            }
        }
    }
    PetscCall(VecRestoreArrayRead(X->motion->v, &w));
    PetscCall(VecRestoreArrayRead(X->motion->u, &u));
    PetscCall(PetscFree(J));
    PetscCall(CaromAgree(space->mesh.comm, trouble));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTailCreate(CaromExecutor *X, CaromTrouble *trouble)
{
    const carom_plan *p = X->plan;
    const CaromObstacles *o = X->motion->obstacles;
    const carom_mechanism *m = o->space->model->mechanism;
    const PetscInt n = X->movers, own = X->own_rows * X->d;
    PetscReal *e, *mu;
    PetscFunctionBeginUser;
    if (m == NULL) {
        PetscFunctionReturn(0);
    }
    PetscCall(PetscCalloc6((p->vectors + 1) * n, &X->tail, (p->points + 1) * X->places, &X->tail_q, p->memories * n,
                           &X->kept_tail, n, &X->point_mass, X->N, &X->joined, X->N, &X->tied_at));
    for (int c = 1; c <= p->configurations; c++) {
        PetscCall(PetscCalloc6(X->N * X->d * n, &X->at[c].J, X->places, &X->at[c].tail, n * n, &X->at[c].mass, own * n,
                               &X->at[c].G, own, &X->at[c].own_rate, X->tied * X->d * (n + 1), &X->at[c].tied_J));
    }
    PetscCall(PetscArraycpy(CaromTailPoint(X, CAROM_PLAN_Q), o->mover_state, X->places));
    PetscCall(PetscArraycpy(CaromTailOf(X, CAROM_PLAN_V), o->mover_state + X->places, n));
    find_joined(X);
    PetscCall(weigh_points(X));
    PetscCall(check_pairs(X, trouble));
    PetscCall(check_tied(X, trouble));
    PetscCall(PetscCalloc2(own, &e, X->own_rows, &mu));
    if (X->own_rows > 0) {
        m->law(o->space->p, e, mu);
    }
    for (PetscInt j = X->N * X->d; j < X->K * X->d; j++) {
        const PetscInt i = j - (X->K - X->own_rows) * X->d;
        CaromRowsLaw(X, j, i >= 0 ? e[i] : 0, i >= 0 ? mu[i / X->d] : 0);
    }
    PetscCall(PetscFree2(e, mu));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTailDestroy(CaromExecutor *X)
{
    PetscFunctionBeginUser;
    if (X->motion->space->model->mechanism != NULL) {
        for (int c = 1; c <= X->plan->configurations; c++) {
            CaromConfiguration *at = X->at + c;
            PetscCall(PetscFree6(at->J, at->tail, at->mass, at->G, at->own_rate, at->tied_J));
        }
        PetscCall(PetscFree6(X->tail, X->tail_q, X->kept_tail, X->point_mass, X->joined, X->tied_at));
        PetscCall(PetscFree2(X->tied_node, X->tied_by));
    }
    PetscFunctionReturn(0);
}

/* ---- vectors and points ------------------------------------------------------------------------------------------ */

void CaromTailMoved(const CaromExecutor *X, const PetscReal *q, const PetscReal *x, PetscReal *y)
{
    const carom_mechanism *m = X->motion->space->model->mechanism;
    for (PetscInt i = 0; i < m->scalars; i++) {
        y[i] = q[i] + x[i];
    }
    for (PetscInt r = 0; r < m->rotations; r++) {
        const PetscInt at = m->scalars + 4 * r;
        carom_quaternion_turn(q + at, x + m->scalars + 3 * r, y + at);
    }
}

enum { STAGES = 16 };

/* Body r at all points of a retraction: by collocation on the stages, or turned by a vector. */
static void turn(CaromExecutor *X, const carom_plan_op *op, PetscInt r)
{
    const carom_mechanism *m = X->motion->space->model->mechanism;
    const carom_factor *weight = X->plan->factor + op->factor.first, *B = X->plan->factor + op->stages.first;
    const int n = op->vectors.count;
    const PetscInt at = m->scalars + 4 * r;
    PetscReal q[4], spin[3 * STAGES], A[STAGES * STAGES], Q[4 * STAGES], w[STAGES];
    (void)PetscArraycpy(q, CaromTailPoint(X, op->q) + at, 4);
    for (int k = 0; k < n; k++) {
        (void)PetscArraycpy(spin + 3 * k,
                            CaromTailOf(X, X->plan->name[op->vectors.first + k]) + m->scalars + 3 * (PetscInt)r, 3);
    }
    for (int k = 0; k < op->stages.count; k++) {
        A[k] = B[k].c;
    }
    if (op->stages.count > 0) {
        carom_quaternion_stages(n, A, q, spin, X->h, Q);
    }
    for (int l = 0; l < op->points.count; l++) {
        PetscReal *y = CaromTailPoint(X, X->plan->name[op->points.first + l]) + at;
        int stage = -1;
        for (int i = 0; i < n && op->stages.count > 0; i++) {
            PetscBool same = PETSC_TRUE;
            for (int k = 0; k < n; k++) {
                w[k] = weight[l * n + k].c;
                same = (PetscBool)(same && A[i * n + k] == w[k]);
            }
            stage = same ? i : stage;
        }
        if (op->stages.count == 0) {
            PetscReal x[3];
            for (PetscInt i = 0; i < 3; i++) {
                x[i] = CaromFactorAt(X, weight[l].c, weight[l].k) * spin[i];
            }
            carom_quaternion_turn(q, x, y);
        } else if (stage >= 0) {
            (void)PetscArraycpy(y, Q + 4 * (PetscInt)stage, 4);
        } else {
            carom_quaternion_end(n, w, q, spin, Q, X->h, y);
        }
    }
}

static void retract(CaromExecutor *X, const carom_plan_op *op)
{
    const carom_mechanism *m = X->motion->space->model->mechanism;
    for (PetscInt r = 0; r < m->rotations; r++) {
        turn(X, op, r);
    }
    for (int l = 0; l < op->points.count; l++) {
        PetscReal *y = CaromTailPoint(X, X->plan->name[op->points.first + l]);
        const PetscReal *q = CaromTailPoint(X, op->q);
        for (PetscInt i = 0; i < m->scalars; i++) {
            PetscReal sum = q[i];
            for (int k = 0; k < op->vectors.count; k++) {
                const carom_factor *f = X->plan->factor + op->factor.first + l * op->vectors.count + k;
                sum += CaromFactorAt(X, f->c, f->k) * CaromTailOf(X, X->plan->name[op->vectors.first + k])[i];
            }
            y[i] = sum;
        }
    }
}

static void product(PetscInt n, const PetscReal *A, const PetscReal *x, PetscReal *y)
{
    for (PetscInt i = 0; i < n; i++) {
        PetscReal sum = 0;
        for (PetscInt j = 0; j < n; j++) {
            sum += A[i * n + j] * x[j];
        }
        y[i] = sum;
    }
}

/* y = M^-1 x, with the masses of nodes. */
static PetscErrorCode solve(CaromExecutor *X, const carom_plan_op *op, PetscReal *y)
{
    const PetscInt n = X->movers;
    PetscReal *A, *inverse;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(n * n, &A, n * n, &inverse));
    PetscCall(PetscArraycpy(A, X->at[-op->A].mass, n * n));
    for (PetscInt i = 0; i < n; i++) {
        A[i * n + i] += X->point_mass[i];
    }
    PetscCall(CaromTailInvert(n, A, inverse));
    product(n, inverse, CaromTailOf(X, op->x), y);
    PetscCall(PetscFree2(A, inverse));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTailRide(CaromExecutor *X, const carom_plan_op *op)
{
    const CaromSpace *space = X->motion->space;
    const PetscInt n = X->movers;
    PetscReal *y = CaromTailOf(X, CaromPlanWrites(op));
    PetscFunctionBeginUser;
    if (n == 0 || op->op == CAROM_DO_CONTACT) { /* joined.c */
        PetscFunctionReturn(0);
    }
    if (op->op == CAROM_DO_FORCES) {
        const CaromConfiguration *c = X->at + op->c;
        space->model->mechanism->force(space->p, c->t, c->tail, CaromTailOf(X, op->v), y);
    } else if (op->op == CAROM_DO_COMBINE) {
        for (PetscInt i = 0; i < n; i++) {
            PetscReal sum = 0;
            for (int k = 0; k < op->terms.count; k++) {
                const carom_term *term = X->plan->term + op->terms.first + k;
                sum += CaromFactorAt(X, term->c, term->k) * CaromTailOf(X, term->x)[i];
            }
            y[i] = sum;
        }
    } else if (op->op == CAROM_DO_RETRACT) {
        retract(X, op);
    } else if (op->op == CAROM_DO_APPLY) {
        product(n, X->at[-op->A].mass, CaromTailOf(X, op->x), y);
    } else {
        PetscCall(solve(X, op, y));
    }
    PetscFunctionReturn(0);
}

void CaromTailShow(CaromExecutor *X, PetscInt q, PetscInt v)
{
    PetscReal *state = X->motion->obstacles->mover_state;
    (void)PetscArraymove(CaromTailPoint(X, CAROM_PLAN_Q), CaromTailPoint(X, q), X->places);
    (void)PetscArraymove(CaromTailOf(X, CAROM_PLAN_V), CaromTailOf(X, v), X->movers);
    (void)PetscArraycpy(state, CaromTailPoint(X, CAROM_PLAN_Q), X->places);
    (void)PetscArraycpy(state + X->places, CaromTailOf(X, CAROM_PLAN_V), X->movers);
}

void CaromTailCarrier(const CaromExecutor *X, const PetscReal *J, const PetscReal *v, PetscReal *velocity)
{
    for (PetscInt i = 0; i < X->d; i++) {
        for (PetscInt j = 0; j < X->movers; j++) {
            velocity[i] += J[i * X->movers + j] * v[j];
        }
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Where the d components of the tied node i should be, how that moves with v, its rate by t and its bias. */
static void tied_place(const CaromExecutor *X, const CaromConfiguration *c, PetscInt i, const PetscReal *v,
                       PetscReal *x, PetscReal *J, PetscReal *rate, PetscReal *bias)
{
    const CaromSpace *space = X->motion->space;
    const carom_mechanism *m = space->model->mechanism;
    const PetscReal *at = space->mesh.X + X->tied_node[i] * X->d;
    if (X->tied_by[i] >= 0) {
        m->tie[X->tied_by[i]].place(space->p, c->t, at, c->tail, v, x, J, rate, bias);
        return;
    }
    const carom_point *point = m->point - 1 - X->tied_by[i];
    (void)PetscArrayzero(J, X->d * X->movers);
    for (PetscInt s = 0; s < X->d; s++) {
        x[s] = at[s] + c->tail[point->first + s];
        J[s * X->movers + point->first + s] = 1;
        rate[s] = bias[s] = 0;
    }
}

/* What rows of a set push the mechanism with, and its rows the nodes (y). */
PetscErrorCode CaromTailSpread(const CaromExecutor *X, const carom_plan_op *op, PetscReal *y)
{
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d, n = X->movers, first = X->K - X->own_rows;
    const PetscBool *set = X->set[op->set];
    const PetscReal *r = X->rows[op->r];
    PetscReal *mine;
    PetscFunctionBeginUser;
    if (n == 0) {
        PetscFunctionReturn(0);
    }
    PetscCall(PetscCalloc1(n, &mine));
    for (PetscInt k = 0; k < X->N; k++) {
        for (PetscInt i = 0; i < d * d * n && set[k] && CaromIsMoving(X, k); i++) {
            const PetscInt s = i / n / d, l = i / n % d; /* - J^T R^T r */
            mine[i % n] -= c->frame[(k * d + s) * d + l] * c->J[(k * d + l) * n + i % n] * r[k * d + s];
        }
    }
    for (PetscInt i = 0; i < X->tied * d; i++) {
        const PetscReal force = set[X->N + i] ? r[(X->N + i) * d] : 0;
        y[X->tied_node[i / d] * d + i % d] += force;
        X->carry[op->y * X->width + 3 + i % d] += force;
        for (PetscInt j = 0; j < n; j++) {
            mine[j] -= c->tied_J[i / d * d * (n + 1) + i % d * n + j] * force;
        }
    }
    PetscCall(PetscArrayzero(CaromTailOf(X, op->y), n));
    PetscCall(CaromAddInOrder(X->motion->space->mesh.comm, n, mine, CaromTailOf(X, op->y)));
    for (PetscInt i = 0; i < X->own_rows * d * n; i++) {
        const PetscInt row = i / n; /* component of the mechanism's own */
        CaromTailOf(X, op->y)[i % n] += set[first + row / d] ? c->G[i] * r[first * d + row] : 0;
    }
    PetscCall(PetscFree(mine));
    PetscFunctionReturn(0);
}

/* The mechanism at the point of row k: that of op->q, moved by displacements. */
void CaromTailAt(const CaromExecutor *X, const carom_plan_op *op, PetscInt k, PetscReal *way, PetscReal *q)
{
    if (op->terms.count == 0) {
        (void)PetscArraycpy(q, CaromTailPoint(X, op->q), X->places);
        return;
    }
    for (PetscInt j = 0; j < X->movers; j++) {
        way[j] = 0;
        for (int s = 0; s < op->terms.count; s++) {
            const carom_term *term = X->plan->term + op->terms.first + s;
            way[j] += CaromFactorAt(X, term->c, term->k) * (term->by != 0 ? X->rows[term->by][k * X->d] : 1) *
                      (term->by_also != 0 ? X->rows[term->by_also][k * X->d] : 1) * CaromTailOf(X, term->x)[j];
        }
    }
    CaromTailMoved(X, CaromTailPoint(X, op->q), way, q);
}

PetscErrorCode CaromTailKinematics(CaromExecutor *X, const carom_plan_op *op, CaromConfiguration *c, const PetscReal *u,
                                   PetscReal *gap)
{
    const CaromSpace *space = X->motion->space;
    const carom_mechanism *m = space->model->mechanism;
    const PetscInt d = X->d, n = X->movers, each = d * n, first = X->K - X->own_rows;
    PetscReal x[3], bias[3], *room, *way, *q, *g, *G, *rate;
    PetscFunctionBeginUser;
    if (n == 0) {
        PetscFunctionReturn(0);
    }
    m->mass(space->p, c->t, c->tail, c->mass);
    for (PetscInt i = 0; i < X->tied; i++) {
        PetscReal *J = c->tied_J + i * d * (n + 1);
        tied_place(X, c, i, CaromTailOf(X, CAROM_PLAN_V), x, J, J + each, bias);
        for (PetscInt s = 0; s < d && gap != NULL; s++) {
            const PetscInt at = X->tied_node[i] * d + s;
            gap[(X->N + i * d + s) * d] = space->mesh.X[at] + u[at] - x[s];
        }
    }
    if (X->own_rows > 0) {
        const PetscInt all = op->terms.count > 0 ? X->own_rows : 1; /* every row at its own point */
        PetscCall(PetscMalloc1(n + X->places + X->own_rows * (1 + each + d), &room));
        way = room;
        q = way + n;
        g = q + X->places;
        G = g + X->own_rows;
        rate = G + X->own_rows * each;
        for (PetscInt k = 0; k < all; k++) {
            const PetscInt count = all > 1 ? 1 : X->own_rows;
            CaromTailAt(X, op, first + k, way, q);
            m->row(space->p, c->t, q, g, G, rate);
            (void)PetscArraycpy(c->G + k * each, G + k * each, count * each);
            (void)PetscArraycpy(c->own_rate + k * d, rate + k * d, count * d);
            for (PetscInt l = k; l < k + count && gap != NULL; l++) {
                gap[(first + l) * d] = g[l];
            }
        }
        PetscCall(PetscFree(room));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTailGaps(const CaromExecutor *X, PetscReal *gap, PetscReal *rate)
{
    const carom_mechanism *m = X->motion->space->model->mechanism;
    const PetscReal *q = X->motion->obstacles->mover_state;
    const PetscInt n = X->movers, own = X->own_rows, each = X->d * n;
    PetscReal *g, *G, *by_time;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc3(own, &g, own * each, &G, own * X->d, &by_time));
    if (own > 0) {
        m->row(X->motion->space->p, X->motion->t, q, g, G, by_time);
    }
    for (PetscInt l = own > 0 ? m->constraints : 0; l < own; l++) {
        gap[X->K - own + l] = g[l];
        rate[X->K - own + l] = by_time[l * X->d];
        for (PetscInt j = 0; j < n; j++) {
            rate[X->K - own + l] += G[l * each + j] * q[X->places + j];
        }
    }
    PetscCall(PetscFree3(g, G, by_time));
    PetscFunctionReturn(0);
}

void CaromTailRates(const CaromExecutor *X, const carom_plan_op *op, const PetscReal *v, PetscReal *U)
{
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d, n = X->movers, first = X->K - X->own_rows;
    const PetscReal *vb = CaromTailOf(X, op->v);
    for (PetscInt i = 0; i < X->tied * d; i++) {
        const PetscReal *J = c->tied_J + i / d * d * (n + 1);
        U[(X->N + i) * d] = v[X->tied_node[i / d] * d + i % d] - (op->homogeneous ? 0 : J[d * n + i % d]);
        for (PetscInt j = 0; j < n; j++) {
            U[(X->N + i) * d] -= J[i % d * n + j] * vb[j];
        }
    }
    for (PetscInt i = 0; i < X->own_rows * d; i++) {
        U[first * d + i] = op->homogeneous ? 0 : c->own_rate[i];
        for (PetscInt j = 0; j < n; j++) {
            U[first * d + i] += c->G[i * n + j] * vb[j];
        }
    }
}

PetscErrorCode CaromTailBias(const CaromExecutor *X, const carom_plan_op *op, PetscReal *y)
{
    const CaromSpace *space = X->motion->space;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d;
    PetscReal x[3], rate[3], bias[3], *J;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(d * X->movers, &J));
    for (PetscInt i = 0; i < X->tied; i++) {
        tied_place(X, c, i, CaromTailOf(X, op->v), x, J, rate, bias);
        for (PetscInt s = 0; s < d; s++) {
            y[(X->N + i * d + s) * d] = -bias[s];
        }
    }
    PetscCall(PetscFree(J));
    if (X->own_rows > 0) {
        space->model->mechanism->bias(space->p, c->t, c->tail, CaromTailOf(X, op->v), y + (X->K - X->own_rows) * d);
    }
    PetscFunctionReturn(0);
}
