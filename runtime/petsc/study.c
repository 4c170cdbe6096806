/* A plan, looked at once before the first step: which of its operations make one pass over the vectors (passes.c),
 * which vectors need no storage of their own, what is a velocity at which node of the step. */
#include "execute.h"

/* Calls seen(data, x) for every vector that an operation reads. */
typedef PetscBool (*Seen)(void *data, PetscInt x);

static PetscBool reads(const CaromExecutor *X, const carom_plan_op *op, Seen seen, void *data)
{
    const carom_plan *p = X->plan;
    const carom_range lists[] = {op->vectors, op->of, op->defect};
    const int single[] = {
        op->v, op->op == CAROM_DO_APPLY || op->op == CAROM_DO_SOLVE || op->op == CAROM_DO_CONTACT ? op->x : 0,
        op->round_x, op->round_dx, op->round_from};
    for (size_t s = 0; s < sizeof single / sizeof single[0]; s++) {
        if (single[s] != 0 && seen(data, single[s])) {
            return PETSC_TRUE;
        }
    }
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
        for (int s = 0; s < lists[l].count; s++) {
            if (seen(data, p->name[lists[l].first + s])) {
                return PETSC_TRUE;
            }
        }
    }
    for (int s = 0; s < op->terms.count && (op->op == CAROM_DO_COMBINE || op->op == CAROM_DO_KINEMATICS); s++) {
        if (seen(data, p->term[op->terms.first + s].x)) {
            return PETSC_TRUE;
        }
    }
    for (int s = 0; s < op->keep.count; s += 2) {
        if (p->memory[p->name[op->keep.first + s] - 1].kind == CAROM_KEPT_VECTOR &&
            seen(data, p->name[op->keep.first + s + 1])) {
            return PETSC_TRUE;
        }
    }
    return PETSC_FALSE;
}

/* The vector that an operation defines, 0: none. */
PetscInt CaromPlanWrites(const carom_plan_op *op)
{
    return op->op == CAROM_DO_FORCES || op->op == CAROM_DO_COMBINE || op->op == CAROM_DO_APPLY ||
                   op->op == CAROM_DO_SOLVE || op->op == CAROM_DO_SPREAD || op->op == CAROM_DO_CONTACT
               ? op->y
               : 0;
}

static PetscBool is_it(void *data, PetscInt x) { return (PetscBool)(x == *(PetscInt *)data); }

PetscBool CaromPlanReads(const CaromExecutor *X, const carom_plan_op *op, PetscInt x)
{
    return reads(X, op, is_it, &x);
}

/* A single vector, times 1. */
PetscInt CaromPlanCopied(const CaromExecutor *X, const carom_plan_op *op)
{
    const carom_term *term = X->plan->term + op->terms.first;
    return op->op == CAROM_DO_COMBINE && op->terms.count == 1 && term->c == 1 && term->k == 0 ? term->x : 0;
}

PetscBool CaromPlanSparse(const CaromExecutor *X, const carom_plan_op *op)
{
    for (int s = 0; s < op->terms.count; s++) {
        if (X->is_sparse[X->plan->term[op->terms.first + s].x]) {
            return PETSC_TRUE;
        }
    }
    return PETSC_FALSE;
}

/* Component by component? */
static PetscBool elementwise(const CaromExecutor *X, const carom_plan_op *op)
{
    switch (op->op) {
    case CAROM_DO_COMBINE:
        return (PetscBool)!CaromPlanSparse(X, op);
    case CAROM_DO_RETRACT:
        return PETSC_TRUE;
    case CAROM_DO_FORCES:
        return (PetscBool)!X->stiff;
    case CAROM_DO_APPLY:
    case CAROM_DO_SOLVE:
        return (PetscBool)(op->A < 0 && X->motion->space->lumped);
    case CAROM_DO_CONTACT:
        return (PetscBool)(op->A < 0 && op->x != 0 && X->motion->obstacles->ties == NULL && !X->any_tied);
    default:
        return PETSC_FALSE;
    }
}

typedef struct {
    PetscBool *vector; /* written in the pass so far */
    PetscBool *seen;   /* read by operations on vectors, or by those on rows that wait for its end */
    PetscBool again;   /* something was written that had been read or written before */
} Gathered;

static PetscBool was_written(void *data, PetscInt x) { return ((Gathered *)data)->vector[x]; }

static PetscBool note_read(void *data, PetscInt x)
{
    ((Gathered *)data)->seen[x] = PETSC_TRUE;
    return PETSC_FALSE;
}

/* May an operation on rows be done before the pass, or, behind its contact problem, after it? */
static PetscBool rows_join(const CaromExecutor *X, const carom_plan_op *op, const CaromPass *pass, Gathered *g)
{
    if (pass->contact < 0) {
        return (PetscBool)!reads(X, op, was_written, g);
    }
    (void)reads(X, op, note_read, g);
    return PETSC_TRUE;
}

static PetscBool vectors_join(const CaromExecutor *X, const carom_plan_op *op, const CaromPass *pass, Gathered *g)
{
    const PetscInt y = CaromPlanWrites(op);
    if (!elementwise(X, op) || (op->op == CAROM_DO_CONTACT && pass->contact >= 0)) {
        return PETSC_FALSE;
    }
    /* at contact nodes it is done twice: then nothing may be written that was read or written before */
    const PetscBool again = (PetscBool)(y != 0 && (g->vector[y] || g->seen[y] || CaromPlanReads(X, op, y)));
    if ((again && pass->contact >= 0) || ((again || g->again) && op->op == CAROM_DO_CONTACT)) {
        return PETSC_FALSE;
    }
    g->again = (PetscBool)(g->again || again);
    return PETSC_TRUE;
}

static void find_pass(CaromExecutor *X, PetscInt first, PetscInt end, Gathered *g)
{
    CaromPass pass = {first, first, -1};
    PetscInt steps = 0;
    (void)PetscArrayzero(g->vector, X->plan->vectors + 1);
    (void)PetscArrayzero(g->seen, X->plan->vectors + 1);
    g->again = PETSC_FALSE;
    for (PetscInt i = first; i < end && steps < CAROM_PASS_STEPS - 4; i++) {
        const carom_plan_op *op = X->plan->op + i;
        if (CaromIsRowsOperation(op->op)) {
            if (!rows_join(X, op, &pass, g)) {
                break;
            }
            continue;
        }
        if (!vectors_join(X, op, &pass, g)) {
            break;
        }
        (void)reads(X, op, note_read, g);
        g->vector[CaromPlanWrites(op)] = PETSC_TRUE;
        pass.contact = op->op == CAROM_DO_CONTACT ? i : pass.contact;
        pass.end = i + 1;
        steps += op->op == CAROM_DO_RETRACT ? 2 * op->points.count : 1;
    }
    if (pass.end > pass.first) {
        X->pass_at[first] = X->passes;
        X->pass[X->passes++] = pass;
    }
}

static void find_passes(CaromExecutor *X, PetscInt first, PetscInt end, Gathered *g)
{
    for (PetscInt i = first; i < end;) {
        const carom_plan_op *op = X->plan->op + i;
        if (op->op == CAROM_DO_REPEAT || op->op == CAROM_DO_WHEN) {
            find_passes(X, i + 1, i + 1 + op->body, g);
            find_passes(X, i + 1 + op->body, i + 1 + op->body + op->other, g);
            i += 1 + op->body + op->other;
            continue;
        }
        if (elementwise(X, op)) {
            find_pass(X, i, end, g);
        }
        i = X->pass_at[i] >= 0 ? X->pass[X->pass_at[i]].end : i + 1;
    }
}

/* A vector is local when wherever it is read it was written before in the same pass, by other than the contact
 * problem. */
static void find_locals(CaromExecutor *X)
{
    const carom_plan *p = X->plan;
    for (PetscInt x = 2; x <= p->vectors; x++) {
        PetscBool local = PETSC_TRUE;
        for (int m = 0; m < p->memories; m++) {
            local = (PetscBool)(local && !(p->memory[m].kind == CAROM_KEPT_VECTOR && p->memory[m].name == x));
        }
        PetscInt inside = -1; /* end of the pass at hand */
        PetscBool written = PETSC_FALSE;
        for (PetscInt i = 0; i < p->ops && local; i++) {
            if (X->pass_at[i] >= 0) {
                inside = X->pass[X->pass_at[i]].end;
                written = PETSC_FALSE;
            }
            const PetscBool here = (PetscBool)(i < inside && !CaromIsRowsOperation(p->op[i].op));
            if (CaromPlanReads(X, &p->op[i], x)) {
                local = (PetscBool)(here && written && p->op[i].v != x);
            }
            if (CaromPlanWrites(&p->op[i]) == x) {
                local =
                    (PetscBool)(local && here && p->op[i].op != CAROM_DO_CONTACT && CaromPlanCopied(X, &p->op[i]) == 0);
                written = PETSC_TRUE;
            }
        }
        X->is_local[x] = local;
    }
}

/* Which velocities and points belong to which node of the step. */
static void find_nodes(CaromExecutor *X)
{
    const carom_plan *p = X->plan;
    PetscReal node[64] = {0};
    for (PetscInt i = 0; i < p->ops; i++) {
        const carom_plan_op *op = &p->op[i];
        if (op->op == CAROM_DO_KINEMATICS) {
            node[op->c] = op->node;
            X->point_node[op->q] = op->node;
        } else if ((op->op == CAROM_DO_FORCES || op->op == CAROM_DO_RATES || op->op == CAROM_DO_BIAS) &&
                   !op->homogeneous) {
            X->is_velocity[op->v] = (PetscBool)(op->v != CAROM_PLAN_V);
            X->velocity_node[op->v] = node[op->c];
        } else if (op->op == CAROM_DO_ACCEPT) {
            X->is_velocity[op->v] = PETSC_TRUE;
            X->velocity_node[op->v] = 1;
        }
    }
    for (PetscInt i = 0; i < p->ops; i++) {
        for (int s = 0; s < p->op[i].terms.count && p->op[i].op == CAROM_DO_COMBINE; s++) {
            const carom_term *term = p->term + p->op[i].terms.first + s;
            if (CaromPlanReads(X, p->op + i, p->op[i].y) && term->x != p->op[i].y && term->k == 0) {
                X->base[term->x] = p->op[i].y;
            }
        }
    }
}

/* A bias that only contact problems look at is wanted on their set alone. */
static PetscInt bias_wanted(const CaromExecutor *X, PetscInt i)
{
    const carom_plan *p = X->plan;
    const PetscInt y = p->op[i].y;
    PetscInt set = 0;
    for (PetscInt j = 0; j < p->ops; j++) {
        if (p->op[j].op == CAROM_DO_CONTACT && p->op[j].b == y) {
            if (set != 0 && set != p->op[j].set) {
                return 0;
            }
            set = p->op[j].set;
        }
        for (int s = 0; s < p->op[j].terms.count && p->op[j].op == CAROM_DO_COMBINE_ROWS; s++) {
            if (p->term[p->op[j].terms.first + s].x == y) {
                return 0;
            }
        }
    }
    return set;
}

PetscErrorCode CaromPlanStudy(CaromExecutor *X, CaromTrouble *trouble)
{
    const carom_plan *p = X->plan;
    Gathered g = {0};
    PetscFunctionBeginUser;
    PetscCheck(p->configurations < 64, PETSC_COMM_SELF, PETSC_ERR_SUP, "too many configurations in a plan");
    for (PetscInt i = 0; i < p->ops; i++) {
        const carom_plan_op *op = &p->op[i];
        X->pass_at[i] = -1;
        if (op->op == CAROM_DO_CONTACT) {
            X->is_solved_on[op->set] = PETSC_TRUE;
        }
        const PetscBool consistent = (PetscBool)!X->motion->space->lumped;
        if ((op->op == CAROM_DO_CONTACT && (op->A > 0 ? op->carried != 0 || op->slide != 0 : consistent)) ||
            (op->op == CAROM_DO_SOLVE && (op->A > 0 || consistent)) || (op->op == CAROM_DO_APPLY && op->A > 0) ||
            (op->along != 0 && op->along_on == 0)) {
            CaromSay(trouble, 2, "operation %d of the plan is not executed on PETSc", (int)i + 1);
        }
        if (op->op == CAROM_DO_RETRACT) {
            for (PetscInt j = i + 1; j < p->ops && p->op[j].op == CAROM_DO_KINEMATICS; j++) {
                for (int s = 0; s < op->points.count; s++) {
                    X->clears[i] = p->name[op->points.first + s] == p->op[j].q ? p->op[j].c : X->clears[i];
                }
            }
        }
    }
    for (PetscInt x = 1; x <= p->vectors && X->motion->obstacles->ties == NULL && !X->any_tied;
         x++) { /* 0 but at contact nodes */
        PetscInt defined = 0, sparse = 0;
        for (PetscInt i = 0; i < p->ops; i++) {
            defined += CaromPlanWrites(&p->op[i]) == x ? 1 : 0;
            sparse += CaromPlanWrites(&p->op[i]) == x && p->op[i].op == CAROM_DO_CONTACT && p->op[i].x == 0 ? 1 : 0;
        }
        X->is_sparse[x] = (PetscBool)(defined > 0 && sparse == defined);
    }
    for (PetscInt i = 0; i < p->ops; i++) {
        X->bias_on[i] = p->op[i].op == CAROM_DO_BIAS ? bias_wanted(X, i) : 0;
    }
    PetscCall(PetscCalloc2(p->vectors + 1, &g.vector, p->vectors + 1, &g.seen));
    find_passes(X, 0, p->ops, &g);
    PetscCall(PetscFree2(g.vector, g.seen));
    find_locals(X);
    find_nodes(X);
    PetscFunctionReturn(0);
}
