/* Vectors of a plan. Operations on every component for itself that follow each other (sums, products with a
 * diagonal mass, forces whose sum over cells is at hand) are one pass over the vectors, block by block, so that
 * each is read and written once; a vector that nobody wants after the pass lives in the block alone. One contact
 * problem of single nodes may stand in the middle: what it changes at its nodes is done there once more. */
#include "execute.h"

enum { BLOCK = CAROM_PASS_BLOCK, TERMS = 20 };

/* ---- storage ----------------------------------------------------------------------------------------------------- */

/* Where the components of a vector are; they stay there. */
static PetscErrorCode array_of(Vec x, PetscReal **a)
{
    PetscReal *gone;
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(x, &gone));
    *a = gone;
    PetscCall(VecRestoreArray(x, &gone));
    PetscFunctionReturn(0);
}

/* Before vector y is written: others that stand in its storage get their own. */
static PetscErrorCode release(CaromExecutor *X, PetscInt y)
{
    PetscFunctionBeginUser;
    for (PetscInt z = 1; z <= X->plan->vectors; z++) {
        if (z != y && X->now[z] == y) {
            PetscCall(VecCopy(X->own[y], X->own[z]));
            X->now[z] = z;
        }
    }
    X->now[y] = y;
    PetscFunctionReturn(0);
}

static PetscErrorCode release_point(CaromExecutor *X, PetscInt y)
{
    PetscFunctionBeginUser;
    for (PetscInt z = 1; z <= X->plan->points; z++) {
        if (z != y && X->place_now[z] == y) {
            PetscCall(VecCopy(X->place[y], X->place[z]));
            X->place_now[z] = z;
            X->stamp[z] = X->stamp[y];
        }
    }
    X->place_now[y] = y;
    X->stamp[y] = ++X->stamps;
    PetscFunctionReturn(0);
}

static PetscErrorCode alias(CaromExecutor *X, PetscInt y, PetscInt x)
{
    PetscFunctionBeginUser;
    PetscCall(release(X, y));
    X->now[y] = X->now[x];
    PetscCall(PetscArraycpy(X->carry + y * X->width, X->carry + x * X->width, X->width));
    PetscCall(PetscArraycpy(CaromTailOf(X, y), CaromTailOf(X, x), X->movers));
    PetscFunctionReturn(0);
}

/* What is prescribed of a velocity or a point. */
static PetscErrorCode prescribe(CaromExecutor *X, const carom_plan_op *op)
{
    const PetscInt y = CaromPlanWrites(op);
    PetscFunctionBeginUser;
    if (X->motion->space->any_fixed && op->op == CAROM_DO_RETRACT) {
        for (int l = 0; l < op->points.count; l++) {
            const PetscInt q = X->plan->name[op->points.first + l];
            if (X->place_now[q] == q) {
                PetscCall(CaromSpacePrescribe(X->motion->space, X->t + X->point_node[q] * X->h, X->place[q], NULL));
            }
        }
    } else if (X->motion->space->any_fixed && y != 0 && X->is_velocity[y] && X->now[y] == y && !X->is_local[y]) {
        if (X->plan->places > 0 && X->velocity_node[y] == 1) {
            PetscCall(CaromPrescribeByPlace(X, X->plan->places, X->own[y]));
        } else {
            PetscCall(CaromSpacePrescribe(X->motion->space, X->t + X->velocity_node[y] * X->h, NULL, X->own[y]));
        }
    }
    PetscFunctionReturn(0);
}

/* ---- one pass ---------------------------------------------------------------------------------------------------- */

typedef enum { SUM, PRODUCT, FORCE, NOTHING } Kind;

typedef struct {
    PetscReal *a;
    PetscBool local; /* in the block */
} Place;

/* y = sum c x; x0 x1; load - elastic (- drag v) */
typedef struct {
    Kind kind;
    PetscInt n;
    Place y, x[TERMS];
    PetscReal c[TERMS];
} Step;

typedef struct {
    PetscInt n, contact; /* contact: the step of it, -1: none */
    Step step[CAROM_PASS_STEPS];
} Program;

static inline PetscReal *at(const Place *place, PetscInt offset) { return place->local ? place->a : place->a + offset; }

/* y = sum of up to four; y is none of them. */
static void sum_of(PetscReal *restrict y, PetscInt count, const PetscReal *const *x, const PetscReal *c, PetscInt n)
{
    const PetscReal *restrict a = x[0], *restrict b = x[1], *restrict d = x[2], *restrict e = x[3];
    const PetscReal p = c[0], q = c[1], r = c[2], s = c[3];
    if (count == 0) {
        (void)PetscArrayzero(y, n);
    } else if (count == 1) {
        for (PetscInt i = 0; i < n; i++) {
            y[i] = p * a[i];
        }
    } else if (count == 2) {
        for (PetscInt i = 0; i < n; i++) {
            y[i] = p * a[i] + q * b[i];
        }
    } else if (count == 3) {
        for (PetscInt i = 0; i < n; i++) {
            y[i] = p * a[i] + q * b[i] + r * d[i];
        }
    } else {
        for (PetscInt i = 0; i < n; i++) {
            y[i] = p * a[i] + q * b[i] + r * d[i] + s * e[i];
        }
    }
}

static void sum_block(const Step *s, PetscInt offset, PetscInt n)
{
    PetscReal *y = at(&s->y, offset), itself[BLOCK];
    const PetscReal *x[4] = {NULL, NULL, NULL, NULL};
    const PetscInt first = PetscMin(4, s->n);
    PetscBool inside = PETSC_FALSE;
    for (PetscInt k = 0; k < first; k++) {
        x[k] = at(&s->x[k], offset);
        inside = (PetscBool)(inside || x[k] == y);
    }
    sum_of(inside ? itself : y, first, x, s->c, n);
    if (inside) {
        (void)PetscArraycpy(y, itself, n);
    }
    for (PetscInt k = 4; k < s->n; k++) {
        const PetscReal *restrict z = at(&s->x[k], offset), c = s->c[k];
        for (PetscInt i = 0; i < n; i++) {
            y[i] += c * z[i];
        }
    }
}

static void step_block(const Step *s, PetscInt offset, PetscInt n)
{
    PetscReal *restrict y = at(&s->y, offset);
    if (s->kind == SUM) {
        sum_block(s, offset, n);
    } else if (s->kind == PRODUCT) {
        const PetscReal *restrict a = at(&s->x[0], offset), *restrict b = at(&s->x[1], offset);
        for (PetscInt i = 0; i < n; i++) {
            y[i] = a[i] * b[i];
        }
    } else if (s->kind == FORCE) {
        const PetscReal *restrict load = at(&s->x[0], offset), *restrict elastic = at(&s->x[1], offset);
        const PetscReal *drag = s->n > 2 ? at(&s->x[2], offset) : NULL, *v = s->n > 2 ? at(&s->x[3], offset) : NULL;
        for (PetscInt i = 0; s->n <= 2 && i < n; i++) {
            y[i] = load[i] - elastic[i];
        }
        for (PetscInt i = 0; s->n > 2 && i < n; i++) {
            y[i] = load[i] - elastic[i] - drag[i] * v[i];
        }
    }
}

static PetscErrorCode vector_place(const CaromExecutor *X, PetscInt x, PetscBool written, Place *place)
{
    PetscFunctionBeginUser;
    place->local = X->is_local[x];
    if (place->local) {
        place->a = X->block + x * BLOCK;
    } else {
        PetscCall(array_of(X->own[written ? x : X->now[x]], &place->a));
    }
    PetscFunctionReturn(0);
}

/* What rides along with the result of an operation. */
static PetscErrorCode ride(CaromExecutor *X, const carom_plan_op *op)
{
    PetscReal *const sum = X->sum, *y = X->carry + CaromPlanWrites(op) * X->width;
    PetscFunctionBeginUser;
    PetscCall(CaromTailRide(X, op));
    if (op->op == CAROM_DO_FORCES) {
        PetscCall(CaromForcesRide(X, op));
    } else if (op->op == CAROM_DO_COMBINE) {
        PetscCall(PetscArrayzero(sum, X->width));
        for (int k = 0; k < op->terms.count; k++) {
            const carom_term *term = X->plan->term + op->terms.first + k;
            const PetscReal c = CaromFactorAt(X, term->c, term->k), *x = X->carry + term->x * X->width;
            for (PetscInt i = 0; i < X->width; i++) {
                sum[i] += c * x[i];
            }
        }
        PetscCall(PetscArraycpy(y, sum, X->width));
    } else if (op->op != CAROM_DO_RETRACT) {
        PetscCall(PetscArraycpy(y, X->carry + op->x * X->width, X->width));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode add_sum(CaromExecutor *X, const carom_plan_op *op, Step *s)
{
    PetscFunctionBeginUser;
    s->kind = SUM;
    PetscCheck(op->terms.count <= TERMS, PETSC_COMM_SELF, PETSC_ERR_SUP, "a sum is too long");
    for (int k = 0; k < op->terms.count; k++) {
        const carom_term *term = X->plan->term + op->terms.first + k;
        PetscCheck(term->x != op->y || k < 4, PETSC_COMM_SELF, PETSC_ERR_SUP, "a sum stands in its own way");
        s->c[k] = CaromFactorAt(X, term->c, term->k);
        PetscCall(vector_place(X, term->x, PETSC_FALSE, &s->x[k]));
    }
    s->n = op->terms.count;
    PetscFunctionReturn(0);
}

static PetscErrorCode add_retract(CaromExecutor *X, const carom_plan_op *op, PetscInt i, Program *program)
{
    const int *V = X->plan->name + op->vectors.first;
    PetscFunctionBeginUser;
    PetscCheck(op->vectors.count < TERMS, PETSC_COMM_SELF, PETSC_ERR_SUP, "a sum is too long");
    for (int l = 0; l < op->points.count; l++) {
        const PetscInt q = X->plan->name[op->points.first + l];
        Step *s = program->step + program->n;
        *s = (Step){.kind = SUM, .n = 1, .c = {1}};
        PetscCall(array_of(CaromPointOf(X, op->q), &s->x[0].a));
        for (int k = 0; k < op->vectors.count; k++) {
            const carom_factor *f = X->plan->factor + op->factor.first + l * op->vectors.count + k;
            if (f->c != 0) {
                s->c[s->n] = CaromFactorAt(X, f->c, f->k);
                PetscCall(vector_place(X, V[k], PETSC_FALSE, &s->x[s->n++]));
            }
        }
        if (s->n == 1) { /* q itself */
            PetscCall(release_point(X, q));
            X->place_now[q] = X->place_now[op->q];
            continue;
        }
        const PetscBool itself = (PetscBool)(X->place_now[op->q] == q);
        PetscCall(release_point(X, q));
        PetscCheck(!itself || op->q == q, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a point stands in its own way");
        PetscCall(array_of(X->place[q], &s->y.a));
        program->n++;
    }
    if (X->clears[i] != 0) {
        CaromConfiguration *c = X->at + X->clears[i];
        Step *s = program->step + program->n++;
        *s = (Step){.kind = SUM};
        PetscCall(array_of(c->elastic, &s->y.a));
        c->cleared = PETSC_TRUE;
        c->of_forces = 0;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode add_product(CaromExecutor *X, const carom_plan_op *op, Step *s)
{
    PetscFunctionBeginUser;
    s->kind = PRODUCT;
    PetscCall(vector_place(X, op->x, PETSC_FALSE, &s->x[0]));
    PetscCall(array_of(op->op == CAROM_DO_APPLY ? X->motion->mass : X->inverse, &s->x[1].a));
    PetscFunctionReturn(0);
}

static PetscErrorCode add_force(CaromExecutor *X, const carom_plan_op *op, Step *s)
{
    const CaromConfiguration *c = X->at + op->c;
    PetscFunctionBeginUser;
    PetscCall(CaromForcesElastic(X, op->c));
    s->kind = FORCE;
    s->n = 2;
    PetscCall(array_of(CaromLoadOf(X, c), &s->x[0].a));
    PetscCall(array_of(c->elastic, &s->x[1].a));
    if (X->drag != NULL) {
        s->n = 4;
        PetscCall(array_of(X->drag, &s->x[2].a));
        PetscCall(vector_place(X, op->v, PETSC_FALSE, &s->x[3]));
    }
    PetscFunctionReturn(0);
}

/* The pass as steps; operations on rows that belong before it are done here. */
static PetscErrorCode assemble(CaromExecutor *X, const CaromPass *pass, Program *program)
{
    PetscBool written[256] = {PETSC_FALSE};
    PetscFunctionBeginUser;
    PetscCheck(X->plan->vectors < 256, PETSC_COMM_SELF, PETSC_ERR_SUP, "too many vectors in a plan");
    for (PetscInt i = pass->first; i < pass->end; i++) {
        const carom_plan_op *op = X->plan->op + i;
        const PetscInt y = CaromPlanWrites(op), x = CaromPlanCopied(X, op);
        if (CaromIsRowsOperation(op->op)) {
            if (pass->contact < 0 || i < pass->contact) {
                PetscCall(CaromRowsOperation(X, i));
            }
            continue;
        }
        if (op->op == CAROM_DO_RETRACT) {
            PetscCall(add_retract(X, op, i, program));
            continue;
        }
        /* what is prescribed of a velocity is another at another node of the step */
        if (x != 0 && !written[x] &&
            !(X->motion->space->any_fixed && X->is_velocity[y] && X->velocity_node[y] != X->velocity_node[x])) {
            PetscCall(alias(X, y, x));
            continue;
        }
        Step *s = program->step + program->n;
        *s = (Step){.kind = NOTHING};
        if (op->op == CAROM_DO_COMBINE) {
            PetscCall(add_sum(X, op, s));
        } else if (op->op == CAROM_DO_FORCES) {
            PetscCall(add_force(X, op, s));
        } else {
            PetscCall(add_product(X, op, s));
        }
        if (op->op == CAROM_DO_CONTACT) {
            program->contact = program->n;
        }
        if (!X->is_local[y]) {
            PetscCall(release(X, y));
        }
        PetscCall(vector_place(X, y, PETSC_TRUE, &s->y));
        written[y] = PETSC_TRUE;
        program->n++;
    }
    PetscFunctionReturn(0);
}

/* What follows from the forces of a contact problem, at its nodes. */
static void again_at_contacts(const CaromExecutor *X, const carom_plan_op *op, const Program *program)
{
    const CaromObstacles *o = X->motion->obstacles;
    for (PetscInt k = 0; k < X->N; k++) {
        for (PetscInt s = 0; s < program->n && X->set[op->set][k]; s++) {
            if (s != program->contact) {
                step_block(&program->step[s], o->node[X->node[k]] * X->d, X->d);
            }
        }
    }
}

PetscErrorCode CaromPassRun(CaromExecutor *X, const CaromPass *pass)
{
    const PetscInt n = X->motion->space->mesh.owned * X->d;
    Program program;
    PetscFunctionBeginUser;
    program.n = 0;
    program.contact = -1;
    PetscCall(assemble(X, pass, &program));
    for (PetscInt offset = 0; offset < n && program.n > 0; offset += BLOCK) {
        for (PetscInt s = 0; s < program.n; s++) {
            step_block(&program.step[s], offset, PetscMin(BLOCK, n - offset));
        }
    }
    for (PetscInt i = pass->first; i < pass->end; i++) {
        const carom_plan_op *op = X->plan->op + i;
        if (!CaromIsRowsOperation(op->op)) {
            PetscCall(ride(X, op));
        }
        if (op->op == CAROM_DO_CONTACT) {
            PetscCall(CaromNodalSolve(X, op, program.step[program.contact].y.a));
            again_at_contacts(X, op, &program);
        }
    }
    for (PetscInt i = pass->first; i < pass->end; i++) {
        const carom_plan_op *op = X->plan->op + i;
        if (!CaromIsRowsOperation(op->op)) {
            PetscCall(prescribe(X, op));
        }
    }
    for (PetscInt i = pass->contact + 1; pass->contact >= 0 && i < pass->end; i++) {
        if (CaromIsRowsOperation(X->plan->op[i].op)) {
            PetscCall(CaromRowsOperation(X, i));
        }
    }
    PetscFunctionReturn(0);
}

/* Is x read after operation i before it is written again? */
static PetscBool wanted_after(const CaromExecutor *X, PetscInt i, PetscInt x)
{
    const carom_plan *p = X->plan;
    for (PetscInt j = 0; j < p->ops; j++) { /* loops go back: only what is written first on the way there counts */
        const carom_plan_op *op = p->op + j;
        if (j != i && CaromPlanReads(X, op, x) && j > i) {
            return PETSC_TRUE;
        }
        if (op->op == CAROM_DO_REPEAT && j < i && i <= j + op->body) {
            for (PetscInt k = j + 1; k < i; k++) {
                if (CaromPlanWrites(p->op + k) == x) {
                    break;
                }
                if (CaromPlanReads(X, p->op + k, x)) {
                    return PETSC_TRUE;
                }
            }
        }
    }
    return PETSC_FALSE;
}

PetscErrorCode CaromSparseCombine(CaromExecutor *X, PetscInt i)
{
    const carom_plan_op *op = X->plan->op + i;
    const CaromObstacles *o = X->motion->obstacles;
    const carom_term *term = X->plan->term + op->terms.first;
    PetscInt first = -1, dense = 0;
    PetscFunctionBeginUser;
    for (int k = 0; k < op->terms.count; k++) {
        if (!X->is_sparse[term[k].x]) {
            first = first < 0 ? k : first;
            dense++;
        }
    }
    PetscCall(ride(X, op));
    if (dense == 1 && term[first].c == 1 && term[first].k == 0 && !CaromPlanReads(X, op, op->y)) {
        const PetscInt x = term[first].x;
        Vec kept = X->own[op->y];
        PetscCall(release(X, op->y));
        if (x != CAROM_PLAN_V && X->now[x] == x && !X->is_sparse[op->y] &&
            !wanted_after(X, i, x)) { /* takes its place */
            PetscCall(release(X, x));
            X->own[op->y] = X->own[x];
            X->own[x] = kept;
        } else {
            PetscCall(VecCopy(CaromVectorOf(X, x), X->own[op->y]));
        }
    } else {
        Vec y = X->work;
        PetscCall(VecSet(y, 0));
        for (int k = 0; k < op->terms.count; k++) {
            if (!X->is_sparse[term[k].x]) {
                PetscCall(VecAXPY(y, CaromFactorAt(X, term[k].c, term[k].k), CaromVectorOf(X, term[k].x)));
            }
        }
        PetscCall(release(X, op->y));
        PetscCall(VecCopy(y, X->own[op->y]));
    }
    for (int k = 0; k < op->terms.count; k++) {
        if (X->is_sparse[term[k].x]) {
            const PetscReal c = CaromFactorAt(X, term[k].c, term[k].k), *x;
            PetscReal *y;
            PetscCall(VecGetArrayRead(CaromVectorOf(X, term[k].x), &x));
            PetscCall(VecGetArray(X->own[op->y], &y));
            for (PetscInt j = 0; j < o->n * X->d; j++) {
                const PetscInt at = o->node[j / X->d] * X->d + j % X->d;
                y[at] += c * x[at];
            }
            PetscCall(VecRestoreArray(X->own[op->y], &y));
            PetscCall(VecRestoreArrayRead(CaromVectorOf(X, term[k].x), &x));
        }
    }
    PetscCall(prescribe(X, op));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromVectorRelease(CaromExecutor *X, PetscInt y)
{
    PetscFunctionBeginUser;
    PetscCall(release(X, y));
    PetscFunctionReturn(0);
}
