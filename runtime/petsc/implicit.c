/* Operators of a plan that are no diagonal, A = M + wv C + wq K, and the contact problems that they are given to:
 *
 *     A x = rhs + F^T (r - carried),    u = G x + b,    law(u, r) on the set; r = carried outside it
 *
 * The matrix is assembled when somebody needs it, and kept while bodies are linear and the weights the same. Inside a
 * repeat, where x = 0 with the forces of the last iteration already solves the problem, nothing else is done; so the
 * last look at an iteration costs no operator. */
#include "assembly.h"
#include "execute.h"

enum { HALVINGS_MAX = 5, SMALL_NEWTON = 500 };

struct _p_CaromImplicit {
    Mat A;
    CaromContact solver;
    PetscBool made;
    PetscReal wv, wq;      /* wanted ... */
    PetscReal at_v, at_q;  /* ... and those of the matrix at hand */
    PetscInt c, v;         /* configuration, velocity */
    PetscInt nodes, *node; /* that take part, where a mechanism has some beside contact nodes */
    PetscReal size;        /* |diagonal| */
    CaromTerms *terms;
};

/* Contact nodes, and those that are tied to the mechanism. */
static PetscErrorCode list_nodes(const CaromExecutor *X, CaromImplicit A)
{
    const CaromObstacles *o = X->motion->obstacles;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(o->n + X->tied, &A->node));
    PetscCall(PetscArraycpy(A->node, o->node, o->n));
    A->nodes = o->n;
    for (PetscInt i = 0; i < X->tied; i++) {
        PetscBool known = PETSC_FALSE;
        for (PetscInt k = 0; k < o->n && !known; k++) {
            known = (PetscBool)(o->node[k] == X->tied_node[i]);
        }
        A->node[A->nodes] = X->tied_node[i];
        A->nodes += known ? 0 : 1;
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromImplicitCreate(CaromExecutor *X, CaromTrouble *trouble)
{
    const CaromSpace *space = X->motion->space;
    const CaromObstacles *o = X->motion->obstacles;
    const carom_scheme *spec = &space->model->scheme;
    /* bodies that are not linear have another operator in each iteration: a factorisation pays only when it is small */
    const PetscBool direct = (PetscBool)(space->linear || space->mesh.total * space->d <= SMALL_NEWTON);
    const PetscBool chosen = (PetscBool)(spec->solver != NULL && strcmp(spec->solver, "auto") != 0);
    const char *const type = X->movers > 0     ? "nsgs"
                             : chosen          ? spec->solver
                             : direct          ? NULL
                             : o->any_friction ? "tnn"
                                               : "mprgp";
    PetscFunctionBeginUser;
    if (X->plan->operators == 0) {
        PetscFunctionReturn(0);
    }
    if (chosen && strcmp(spec->solver, "mprgp") == 0 && o->any_friction) {
        CaromSay(trouble, 2, "%s: solver=mprgp knows no friction; take solver=auto, tnn or nsgs", spec->text);
    }
    X->ctol = spec->ctol > 0 ? spec->ctol : 1e-8;
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-carom_contact_tol", &X->ctol, NULL));
    X->tol = spec->tol > 0 ? spec->tol : 2 * X->ctol; /* the problems are solved to ctol of the same norm */
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-carom_newton_tol", &X->tol, NULL));
    PetscCall(PetscCalloc4(X->plan->operators + 1, &X->implicit, X->K * X->d, &X->turn, o->n * X->d, &X->slip, o->n,
                           &X->diagonal));
    for (int a = 1; a <= X->plan->operators; a++) {
        CaromImplicit A;
        PetscCall(PetscNew(&A));
        X->implicit[a] = A;
        PetscCall(PetscMalloc1(space->mesh.bodies, &A->terms));
        PetscCall(list_nodes(X, A));
        PetscCall(CaromAssemblyCreate(space, &A->A));
        PetscCall(CaromContactCreate(space->mesh.comm, type, &A->solver));
        PetscCall(CaromContactSetTies(A->solver, o->ties));
        PetscCall(CaromContactSetTolerance(A->solver, X->ctol));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromImplicitDestroy(CaromExecutor *X)
{
    PetscFunctionBeginUser;
    for (int a = 1; a <= X->plan->operators && X->implicit != NULL; a++) {
        PetscCall(MatDestroy(&X->implicit[a]->A));
        PetscCall(CaromContactDestroy(&X->implicit[a]->solver));
        PetscCall(PetscFree(X->implicit[a]->terms));
        PetscCall(PetscFree(X->implicit[a]->node));
        PetscCall(PetscFree(X->implicit[a]));
    }
    PetscCall(PetscFree4(X->implicit, X->turn, X->slip, X->diagonal));
    PetscFunctionReturn(0);
}

const char *CaromImplicitSolver(const CaromExecutor *X) { return CaromContactType(X->implicit[1]->solver); }

void CaromImplicitWant(CaromExecutor *X, const carom_plan_op *op)
{
    const carom_factor *w = X->plan->factor + op->factor.first;
    CaromImplicit A = X->implicit[op->y];
    A->wv = CaromFactorAt(X, w[0].c, w[0].k);
    A->wq = CaromFactorAt(X, w[1].c, w[1].k);
    A->c = op->c;
    A->v = op->v;
    A->made = (PetscBool)(A->made && X->motion->space->linear && A->wv == A->at_v && A->wq == A->at_q);
}

static PetscErrorCode make(CaromExecutor *X, CaromImplicit A)
{
    const CaromSpace *space = X->motion->space;
    const CaromObstacles *o = X->motion->obstacles;
    const PetscReal *diagonal;
    PetscFunctionBeginUser;
    if (A->made) {
        PetscFunctionReturn(0);
    }
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        A->terms[b] = (CaromTerms){1 + A->wv * space->alpha[b], A->wq, A->wv * space->beta[b]};
    }
    PetscCall(CaromAssemble(space, A->terms, space->linear ? NULL : X->place[X->at[A->c].point], A->A, X->trouble));
    PetscCall(CaromAgree(space->mesh.comm, X->trouble));
    PetscCall(CaromContactSetOperator(A->solver, A->A, space->mask, X->d, A->nodes, A->node));
    PetscCall(MatGetDiagonal(A->A, X->work));
    PetscCall(VecNorm(X->work, NORM_2, &A->size));
    PetscCall(VecGetArrayRead(X->work, &diagonal));
    for (PetscInt i = 0; i < o->n; i++) {
        X->diagonal[i] = diagonal[o->node[i] * X->d];
        for (PetscInt c = 1; c < X->d; c++) {
            X->diagonal[i] = PetscMax(X->diagonal[i], diagonal[o->node[i] * X->d + c]);
        }
    }
    PetscCall(VecRestoreArrayRead(X->work, &diagonal));
    A->made = PETSC_TRUE;
    A->at_v = A->wv;
    A->at_q = A->wq;
    X->motion->info.newton++;
    PetscFunctionReturn(0);
}

/* ---- the problem as the solvers see it --------------------------------------------------------------------------- */

/* The rows of the set as candidates. */
static PetscErrorCode candidates(CaromExecutor *X, const carom_plan_op *op)
{
    CaromObstacles *o = X->motion->obstacles;
    const CaromConfiguration *c = X->at + op->c;
    const PetscReal *b = X->rows[op->b], *gap = X->rows[X->plan->gap[op->c]];
    const PetscInt d = X->d;
    PetscInt active = 0;
    PetscFunctionBeginUser;
    for (PetscInt i = 0; i < o->n; i++) {
        o->active[i] = o->led[i] = PETSC_FALSE;
        o->on[i] = -1;
        o->lo[i] = PETSC_MIN_REAL;
    }
    for (PetscInt k = 0; k < X->K; k++) {
        const PetscInt i = X->node[k];
        X->slack[k] = CAROM_UNSOLVED;
        /* one that is far would bring nothing but its rounding */
        if (!X->set[op->set][k] || !(c->length[k] > 0) || (b[k * d] > 0 && gap[k * d] > 0.1 * o->size)) {
            continue;
        }
        o->active[i] = PETSC_TRUE;
        o->chosen[i] = k;
        o->on[i] = o->tie[k];
        o->lo[i] = -b[k * d] / c->length[k];
        o->mu[i] = op->normal ? 0 : X->rows[CAROM_ROWS_MU][k * d];
        for (PetscInt s = 1; s < d; s++) {
            X->slip[i * (d - 1) + s - 1] = -b[k * d + s];
        }
        PetscCall(PetscArraycpy(o->frame + i * d * d, c->frame + k * d * d, d * d));
        active++;
    }
    PetscCallMPI(MPI_Allreduce(&active, &o->candidates, 1, MPIU_INT, MPI_SUM, o->space->mesh.comm));
    if (o->ties != NULL) {
        PetscCall(PetscArrayzero(o->ties->on, o->ties->n));
        for (PetscInt i = 0; i < o->n; i++) {
            if (o->on[i] >= 0) {
                o->ties->on[o->on[i]] = PETSC_TRUE;
            }
        }
        PetscCall(CaromTiesSwitch(o->ties));
    }
    PetscFunctionReturn(0);
}

/* A tangent along a fixed axis is the support's affair. */
static PetscErrorCode leave_to_supports(CaromObstacles *o)
{
    const PetscInt d = o->d;
    const PetscReal *mask;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    for (PetscInt i = 0; i < o->n; i++) {
        for (PetscInt k = d; k < d * d; k++) { /* entries of the tangents */
            if (mask[o->node[i] * d + k % d] < 0.5 && PetscAbsReal(o->frame[i * d * d + k]) > 0.5) {
                o->lambda[i * d + k / d] = 0;
            }
        }
    }
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    PetscFunctionReturn(0);
}

/* f = the forces lambda of the candidates, on their nodes and on the masters. */
static PetscErrorCode spread(CaromExecutor *X, Vec f)
{
    const CaromObstacles *o = X->motion->obstacles;
    const PetscInt d = X->d;
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(VecSet(f, 0));
    if (o->ties != NULL) {
        PetscCall(PetscArrayzero(X->onto, o->ties->n * d));
    }
    PetscCall(VecGetArray(f, &x));
    for (PetscInt i = 0; i < o->n; i++) {
        PetscReal force[3] = {0, 0, 0};
        if (!o->active[i]) {
            continue;
        }
        CaromOutOfFrame(d, o->frame + i * d * d, 1, o->lambda + i * d, force);
        for (PetscInt c = 0; c < d; c++) {
            x[o->node[i] * d + c] += force[c];
            if (o->on[i] >= 0) {
                X->onto[o->on[i] * d + c] = force[c];
            }
        }
    }
    PetscCall(VecRestoreArray(f, &x));
    if (o->ties != NULL) {
        PetscCall(CaromTiesSpread(o->ties, -1, X->onto, f));
    }
    PetscFunctionReturn(0);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* What tolerances are relative to: the right-hand side and M times what x is added to (others); and of bodies at rest
 * what bounds that come nearer would push with (pushed). */
static PetscErrorCode sizes(CaromExecutor *X, const carom_plan_op *op, PetscReal *others, PetscReal *pushed)
{
    const CaromSpace *space = X->motion->space;
    const CaromObstacles *o = X->motion->obstacles;
    PetscReal mine = 0, all, norm;
    PetscFunctionBeginUser;
    *others = 0;
    if (op->x != 0) {
        PetscCall(VecPointwiseMult(X->work, CaromVectorOf(X, op->x), space->mask));
        PetscCall(VecNorm(X->work, NORM_2, others));
    }
    if (X->base[op->y] != 0) {
        PetscCall(VecPointwiseMult(X->work, X->motion->mass, CaromVectorOf(X, X->base[op->y])));
        PetscCall(VecNorm(X->work, NORM_2, &norm));
        *others = PetscSqrtReal(PetscSqr(*others) + PetscSqr(norm));
    }
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscReal lo = op->equal ? PetscAbsReal(o->lo[i]) : PetscMax(0, o->lo[i]);
        mine += o->active[i] ? PetscSqr(X->diagonal[i] * lo) : 0;
    }
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPIU_REAL, MPIU_SUM, space->mesh.comm));
    *pushed = PetscSqrtReal(all);
    PetscFunctionReturn(0);
}

static PetscErrorCode size_of_forces(const CaromExecutor *X, PetscReal *size)
{
    const CaromObstacles *o = X->motion->obstacles;
    PetscReal mine = 0, all;
    PetscFunctionBeginUser;
    for (PetscInt i = 0; i < o->n * o->d; i++) {
        mine += PetscSqr(o->lambda[i]);
    }
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPIU_REAL, MPIU_SUM, X->motion->space->mesh.comm));
    *size = PetscSqrtReal(all);
    PetscFunctionReturn(0);
}

/* Residuals below this are rounding: a deformation gradient is 1 + something small, so forces are known to eps K times
 * an edge; wq K x is what the operator has of it, wv by wq what velocities are by places. */
static PetscReal rounding(const CaromExecutor *X, const CaromImplicit A)
{
    PetscReal edge = 0;
    for (PetscInt b = 0; b < X->motion->space->mesh.bodies; b++) {
        edge = PetscMax(edge, X->motion->space->mesh.body[b].edge);
    }
    return X->motion->space->linear ? 0 : 8 * PETSC_MACHINE_EPSILON * A->size * edge * A->at_v / A->at_q;
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* Is x = 0 with the forces at hand a solution? What is left of it: forces on all free components, and what the law
 * leaves at the candidates, by their diagonal. */
static PetscErrorCode left_at_zero(CaromExecutor *X, const carom_plan_op *op, PetscReal *force, PetscReal *all)
{
    const CaromObstacles *o = X->motion->obstacles;
    const PetscReal *guess = X->rows[op->guess];
    const PetscInt d = X->d;
    PetscReal mine = 0, law;
    PetscFunctionBeginUser;
    PetscCall(PetscArrayzero(o->lambda, o->n * d));
    for (PetscInt i = 0; i < o->n; i++) {
        PetscReal *r = o->lambda + i * d, trial[3] = {0, 0, 0}, size = 0;
        if (!o->active[i]) {
            continue;
        }
        PetscCall(PetscArraycpy(r, guess + o->chosen[i] * d, d));
        mine += PetscSqr(PetscMin(r[0], -X->diagonal[i] * o->lo[i]));
        for (PetscInt c = 1; c < d; c++) {
            trial[c] = r[c] + X->diagonal[i] * X->slip[i * (d - 1) + c - 1];
            size += PetscSqr(trial[c]);
        }
        size = PetscSqrtReal(size);
        const PetscReal radius = o->mu[i] * PetscMax(0, r[0]), shrink = size > radius ? radius / size : 1;
        for (PetscInt c = 1; c < d && o->mu[i] > 0; c++) {
            mine += PetscSqr(r[c] - shrink * trial[c]);
        }
    }
    PetscCallMPI(MPI_Allreduce(&mine, &law, 1, MPIU_REAL, MPIU_SUM, X->motion->space->mesh.comm));
    PetscCall(spread(X, X->work));
    if (op->x != 0) {
        PetscCall(VecAXPY(X->work, 1, CaromVectorOf(X, op->x)));
    }
    PetscCall(VecPointwiseMult(X->work, X->work, X->motion->space->mask));
    PetscCall(VecNorm(X->work, NORM_2, force));
    *all = PetscSqrtReal(PetscSqr(*force) + law);
    PetscFunctionReturn(0);
}

/* Says which node a contact problem failed at. */
static PetscErrorCode say_unsolved(CaromExecutor *X, const CaromContactResult *result)
{
    static const char text[] = "the contact problem was not solved to tolerance: residual %.3g, target %.3g%s%s; "
                               "try a smaller step or another -carom_contact_type";
    char place[160] = "";
    PetscFunctionBeginUser;
    CaromObstacleName(X->motion->obstacles, result->worst, place, sizeof place);
    if (place[0] != '\0') { /* the rank that has the node */
        CaromSay(X->trouble, 1, text, result->residual, result->target, ", worst at ", place);
    }
    PetscCall(CaromAgree(X->motion->space->mesh.comm, X->trouble));
    CaromSay(X->trouble, 1, text, result->residual, result->target, "", "");
    PetscFunctionReturn(0);
}

/* One call of the solver, to the tolerance relative to `scale`. */
static PetscErrorCode call_solver(CaromExecutor *X, const carom_plan_op *op, CaromImplicit A, PetscReal scale, Vec x,
                                  CaromContactResult *result)
{
    CaromMotion *motion = X->motion;
    CaromContactSet set = CaromObstaclesSet(motion->obstacles);
    Vec rhs = op->x != 0 ? CaromVectorOf(X, op->x) : X->none;
    PetscFunctionBeginUser;
    set.slip = X->slip;
    set.equal = (PetscBool)(op->equal != 0);
    PetscCall(CaromContactSetScale(A->solver, scale));
    if (motion->obstacles->candidates == 0) {
        PetscInt products = 0;
        PetscCall(CaromContactFree(A->solver, rhs, x, &products));
        *result = (CaromContactResult){.products = products, .target = X->ctol * scale, .worst = -1};
    } else {
        PetscCall(CaromContactSolve(A->solver, &set, rhs, x, motion->obstacles->lambda, result));
    }
    PetscCall(CaromContactSetScale(A->solver, 0));
    motion->info.outer += result->outer;
    motion->info.products += result->products;
    PetscFunctionReturn(0);
}

/* Tolerances are relative to the forces that act. Of a body that is pushed the size of bounds says little about the
 * forces that come of it. They are known after a first solve; then again, with the tolerance relative to them. In other
 * problems the forces of contacts may be much larger than the rest: what is left is small enough if it is so relative
 * to them. */
static PetscErrorCode solve(CaromExecutor *X, const carom_plan_op *op, CaromImplicit A, PetscReal others,
                            PetscReal pushed, Vec x)
{
    CaromMotion *motion = X->motion;
    CaromStepInfo *info = &motion->info;
    const PetscBool pushing = (PetscBool)(others < 1e-3 * pushed);
    CaromContactResult result = {.worst = -1};
    PetscReal forces;
    PetscFunctionBeginUser;
    PetscCall(make(X, A));
    PetscCall(call_solver(X, op, A, pushing ? pushed : others, x, &result));
    const PetscBool solved = (PetscBool)(result.residual <= result.target);
    if (!solved || pushing) {
        PetscCall(size_of_forces(X, &forces));
        forces = PetscMax(forces, others);
        if (!solved) {
            result.target = PetscMax(result.target, X->ctol * forces);
        } else if (forces > 0 && forces < pushed) {
            PetscCall(call_solver(X, op, A, PetscMax(forces, 1e-6 * pushed), x, &result));
        }
    }
    info->residual = result.residual;
    info->target = result.target;
    motion->worst = PetscMax(motion->worst, result.target > 0 ? result.residual / result.target : 0);
    if (!(result.residual <= result.target)) {
        motion->unsolved++;
        if (!motion->accept) {
            PetscCall(say_unsolved(X, &result));
        }
    }
    PetscCall(leave_to_supports(motion->obstacles));
    PetscFunctionReturn(0);
}

/* What rides along with x (NULL: 0): with M x = rhs + contacts - (A - M) x, of the latter what damping takes from the
 * momentum and what acts on held components. */
static PetscErrorCode ride(CaromExecutor *X, const carom_plan_op *op, const CaromImplicit A, Vec x, Vec force)
{
    const CaromSpace *space = X->motion->space;
    PetscReal *y = X->carry + op->y * X->width;
    const PetscReal *p, *m, *drag, *a;
    PetscFunctionBeginUser;
    PetscCall(PetscArrayzero(y, X->width));
    if (op->x != 0) {
        PetscCall(PetscArraycpy(y, X->carry + op->x * X->width, X->width));
    }
    PetscCall(VecGetArrayRead(force, &p));
    PetscCall(VecGetArrayRead(space->mask, &m));
    if (X->motion->drag != NULL && x != NULL) {
        PetscCall(VecGetArrayRead(x, &a));
        PetscCall(VecGetArrayRead(X->motion->drag, &drag));
        for (PetscInt i = 0; i < space->mesh.owned * X->d; i++) {
            y[i % X->d] -= A->at_v * drag[i] * a[i];
        }
        PetscCall(VecRestoreArrayRead(X->motion->drag, &drag));
        PetscCall(VecRestoreArrayRead(x, &a));
    }
    for (PetscInt i = 0; i < space->mesh.owned * X->d; i++) {
        y[3 + i % X->d] += m[i] * p[i];
    }
    PetscCall(VecRestoreArrayRead(space->mask, &m));
    PetscCall(VecRestoreArrayRead(force, &p));
    if (space->any_fixed && x != NULL) {
        PetscReal *kept = X->motion->reaction;
        PetscCall(MatMult(A->A, x, X->work));
        PetscCall(CaromMassAdd(X, -1, x, X->work));
        PetscCall(VecScale(X->work, -1));
        X->motion->reaction = y + 6;
        PetscCall(CaromMotionHeld(X->motion, 1, NULL, X->work));
        X->motion->reaction = kept;
    }
    PetscFunctionReturn(0);
}

/* lambda and velocities of the candidates as rows. */
static PetscErrorCode give(CaromExecutor *X, const carom_plan_op *op, Vec x)
{
    CaromObstacles *o = X->motion->obstacles;
    const PetscInt d = X->d;
    const PetscReal *a;
    PetscReal *r = X->rows[op->r];
    PetscFunctionBeginUser;
    if (o->ties != NULL) {
        PetscCall(CaromTiesGather(o->ties, x, X->gathered));
    }
    PetscCall(VecGetArrayRead(x, &a));
    for (PetscInt j = 0; j < X->K * d; j++) {
        X->turn[j] = -r[j];
        r[j] = 0;
    }
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt k = o->chosen[i];
        PetscReal w = -o->lo[i];
        if (!o->active[i]) {
            continue;
        }
        for (PetscInt c = 0; c < d; c++) {
            r[k * d + c] = o->lambda[i * d + c];
            w +=
                o->frame[i * d * d + c] * (a[o->node[i] * d + c] - (o->on[i] >= 0 ? X->gathered[o->on[i] * d + c] : 0));
        }
        X->slack[k] = op->normal ? CAROM_UNSOLVED : w;
        X->holds[i] = r[k * d] > 0 ? k : X->holds[i] == k ? -1 : X->holds[i];
    }
    for (PetscInt j = 0; j < X->K * d; j++) {
        X->turn[j] += r[j];
    }
    PetscCall(VecRestoreArrayRead(x, &a));
    X->rows_at[op->r] = op->c;
    X->empty[op->r] = PETSC_FALSE;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromImplicitContact(CaromExecutor *X, const carom_plan_op *op)
{
    CaromImplicit A = X->implicit[op->A];
    Vec x = X->own[op->y];
    PetscReal others, pushed, force, left;
    PetscFunctionBeginUser;
    if (X->movers > 0) {
        PetscCall(make(X, A));
        for (PetscInt j = 0; j < X->K * X->d; j++) {
            X->turn[j] = -X->rows[op->r][j];
        }
        PetscCall(CaromCondensedContact(X, op, A->solver, A->v, A->wv, A->wq, x, X->work));
        for (PetscInt j = 0; j < X->K * X->d; j++) {
            X->turn[j] += X->rows[op->r][j];
        }
        X->part = X->part > 0 ? 1 : 0;
        X->law_target = PetscMax(X->motion->info.target, X->motion->info.residual);
        PetscCall(ride(X, op, A, x, X->work));
        PetscFunctionReturn(0);
    }
    PetscCall(candidates(X, op));
    if (!(A->size > 0)) { /* the first one */
        PetscCall(make(X, A));
    }
    PetscCall(sizes(X, op, &others, &pushed));
    PetscBool done = (PetscBool)(others == 0 && pushed == 0);
    if (X->settling && op->guess != 0) {
        PetscCall(left_at_zero(X, op, &force, &left));
        const PetscReal target = PetscMax(rounding(X, A), X->tol * others);
        done = (PetscBool)(done || left <= target);
        /* a correction after which less is solved than before was too long */
        X->back = (PetscBool)(!done && X->part > 0 && X->iteration > 1 && force > target &&
                              force > (1 - 1e-4 * X->part) * X->defect && X->part > PetscPowRealInt(0.5, HALVINGS_MAX));
        if (X->back) {
            PetscFunctionReturn(0);
        }
        X->defect = force;
        X->motion->info.target = PetscMax(X->motion->info.target, done ? target : 0);
    } else if (done) {
        PetscCall(PetscArrayzero(X->motion->obstacles->lambda, X->motion->obstacles->n * X->d));
    }
    PetscCall(VecSet(x, 0));
    if (!done) {
        PetscCall(PetscArrayzero(X->motion->obstacles->lambda, X->motion->obstacles->n * X->d));
        PetscCall(solve(X, op, A, others, pushed, x));
        X->part = X->part > 0 ? 1 : 0;
    }
    if (X->base[op->y] != 0 && X->is_velocity[X->base[op->y]]) {
        X->law_target = PetscMax(X->motion->info.target, X->motion->info.residual);
    }
    PetscCall(give(X, op, x));
    PetscCall(spread(X, X->work)); /* what acts on held masters is in the reactions of their supports */
    PetscCall(ride(X, op, A, done ? NULL : x, X->work));
    PetscFunctionReturn(0);
}

/* Velocities of fixed components with which they reach their places at the end of the step, q + h ((1-theta) v + theta
 * v1). */
PetscErrorCode CaromPrescribeByPlace(CaromExecutor *X, PetscReal theta, Vec v1)
{
    const CaromSpace *space = X->motion->space;
    const PetscReal *mask, *u, *v, *u1;
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(VecCopy(X->motion->u, X->work));
    PetscCall(CaromSpacePrescribe(space, X->t + X->h, X->work, NULL));
    PetscCall(VecGetArrayRead(space->mask, &mask));
    PetscCall(VecGetArrayRead(X->motion->u, &u));
    PetscCall(VecGetArrayRead(X->motion->v, &v));
    PetscCall(VecGetArrayRead(X->work, &u1));
    PetscCall(VecGetArray(v1, &x));
    for (PetscInt i = 0; i < space->mesh.owned * space->d; i++) {
        x[i] = mask[i] > 0 ? x[i] : (u1[i] - u[i] - X->h * (1 - theta) * v[i]) / (X->h * theta);
    }
    PetscCall(VecRestoreArray(v1, &x));
    PetscCall(VecRestoreArrayRead(X->work, &u1));
    PetscCall(VecRestoreArrayRead(X->motion->v, &v));
    PetscCall(VecRestoreArrayRead(X->motion->u, &u));
    PetscCall(VecRestoreArrayRead(space->mask, &mask));
    PetscFunctionReturn(0);
}
