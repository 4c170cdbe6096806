/* The execution of a step plan: its lists, loops and decisions, and the end of the step. All ranks take the same
 * branch: what decides is the result of a reduction. A step is all or nothing: state and memory are written by
 * `accept` alone. */
#include "execute.h"

static PetscErrorCode run_list(CaromExecutor *X, PetscInt first, PetscInt end);

/* ---- decisions --------------------------------------------------------------------------------------------------- */

static PetscErrorCode any_of(CaromExecutor *X, const PetscBool *set, PetscBool *any)
{
    int mine = 0, all;
    PetscFunctionBeginUser;
    for (PetscInt k = 0; k < X->K; k++) {
        mine = mine || set[k];
    }
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, X->motion->space->mesh.comm));
    *any = (PetscBool)(all != 0);
    PetscFunctionReturn(0);
}

static PetscErrorCode largest(CaromExecutor *X, carom_range list, PetscReal *size)
{
    const PetscInt n = X->motion->space->mesh.owned * X->d;
    PetscFunctionBeginUser;
    *size = 0;
    for (int s = 0; s < list.count; s++) {
        const PetscReal *x;
        Vec v = CaromVectorOf(X, X->plan->name[list.first + s]);
        PetscCall(VecGetArrayRead(v, &x));
        for (PetscInt i = 0; i < n; i++) {
            *size = PetscAbsReal(x[i]) <= *size ? *size : PetscIsNanReal(x[i]) ? PETSC_MAX_REAL : PetscAbsReal(x[i]);
        }
        PetscCall(VecRestoreArrayRead(v, &x));
        for (PetscInt j = 0; j < X->movers; j++) {
            const PetscReal y = PetscAbsReal(CaromTailOf(X, X->plan->name[list.first + s])[j]);
            *size = y <= *size ? *size : PetscIsNanReal(y) ? PETSC_MAX_REAL : y;
        }
    }
    PetscFunctionReturn(0);
}

/* Sizes of what a loop looks at, and trouble, over all ranks. */
static PetscErrorCode sizes(CaromExecutor *X, const carom_plan_op *op, PetscReal *small, PetscReal *of,
                            PetscReal *defect)
{
    PetscReal mine[4], all[4];
    PetscFunctionBeginUser;
    PetscCall(largest(X, op->vectors, &mine[0]));
    PetscCall(largest(X, op->of, &mine[1]));
    PetscCall(largest(X, op->defect, &mine[2]));
    mine[3] = X->trouble->code;
    PetscCallMPI(MPI_Allreduce(mine, all, 4, MPIU_REAL, MPIU_MAX, X->motion->space->mesh.comm));
    *small = all[0];
    *of = PetscMax(all[1], 1e-290);
    *defect = all[2];
    if (all[3] > 0) {
        PetscCall(CaromAgree(X->motion->space->mesh.comm, X->trouble));
    }
    PetscFunctionReturn(0);
}

/* The correction of the last iteration was too long: half of what was taken of it goes back, until it is not. */
static PetscErrorCode halve(CaromExecutor *X, PetscInt i, const carom_plan_op *op)
{
    PetscFunctionBeginUser;
    while (X->back && X->trouble->code == 0) {
        PetscReal *P = X->rows[op->round_press];
        X->part *= 0.5;
        PetscCall(CaromVectorRelease(X, op->round_x));
        PetscCall(VecAXPY(X->own[op->round_x], -X->part, CaromVectorOf(X, op->round_dx)));
        for (PetscInt j = 0; j < X->K * X->d; j++) {
            P[j] -= X->part * X->turn[j];
        }
        if (X->part < 1e-5) {
            *X->trouble = X->bent;
        }
        X->back = PETSC_FALSE;
        PetscCall(run_list(X, i + 1, i + 1 + op->body));
    }
    PetscFunctionReturn(0);
}

/* Until vectors are small beside others, or no longer become smaller. */
static PetscErrorCode until_small(CaromExecutor *X, PetscInt i, const carom_plan_op *op)
{
    const PetscReal stagnation = X->motion->obstacles->any_friction ? 1e-7 : 1e-9;
    PetscReal before = PETSC_MAX_REAL, change = 0, size = 1, defect;
    PetscBool done = PETSC_FALSE;
    PetscFunctionBeginUser;
    X->settling = PETSC_TRUE;
    X->part = op->round_x != 0 ? 1 : 0;
    for (PetscInt it = 0; it < op->max && !done && X->trouble->code == 0; it++) {
        X->iteration = it;
        PetscCall(run_list(X, i + 1, i + 1 + op->body));
        PetscCall(halve(X, i, op));
        PetscCall(sizes(X, op, &change, &size, &defect));
        done = (PetscBool)(change <= X->tol * size || (change >= 0.5 * before && change <= stagnation * size));
        done = (PetscBool)(done && defect <= 1e-6 * size);
        before = change;
        X->motion->info.outer++;
    }
    X->settling = PETSC_FALSE;
    X->part = 0;
    if (!done && X->trouble->code == 0) {
        CaromSay(
            X->trouble, 1,
            "the equations of %s did not settle: what they are solved for still changed by %.3g of itself after %d "
            "repeats; try a smaller step",
            X->motion->space->model->scheme.text, change / size, op->max);
    }
    PetscFunctionReturn(0);
}

/* While a predicate holds anywhere, and the rows in `falls` are halved there. */
static PetscErrorCode while_holds(CaromExecutor *X, PetscInt i, const carom_plan_op *op, PetscBool *where)
{
    MPI_Comm comm = X->motion->space->mesh.comm;
    PetscReal start = 0, left = 0;
    PetscBool *met;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(X->K, &met));
    for (PetscInt it = 0; it <= op->max && X->trouble->code == 0; it++) {
        PetscReal mine[3] = {0, 0, 0}, all[3]; /* is there any; worst of all rows, of those that were there before */
        CaromRowsTest(X, op->test, where);
        for (PetscInt k = 0; k < X->K; k++) {
            if (where[k] && X->at[X->last].there[k]) {
                const PetscReal size = op->falls != 0 ? PetscAbsReal(X->rows[op->falls][k * X->d]) : 0;
                mine[0] = 1;
                mine[1] = PetscMax(mine[1], size);
                mine[2] = met[k] ? PetscMax(mine[2], size) : mine[2];
                met[k] = PETSC_TRUE;
            }
        }
        PetscCallMPI(MPI_Allreduce(mine, all, 3, MPIU_REAL, MPIU_MAX, comm));
        start = it == 0 ? all[1] : start;
        if (!(all[0] > 0)) {
            break;
        }
        if (it == op->max || (it > 1 && all[2] > 0.5 * left)) { /* rounding, or not to be had */
            if (all[1] <= PetscMax(1e-3 * start, X->tolerance[CAROM_TOL_TG])) {
                break;
            }
            if (all[2] >= all[1]) {
                CaromSay(X->trouble, 1, "projection of contacts leads away: a gap of %.3g is left; try a smaller step",
                         all[1]);
                break;
            }
            it = 0; /* a row has joined, which it does once: from the start with it */
            start = all[1];
        }
        left = all[1];
        X->iteration = it;
        PetscCall(run_list(X, i + 1, i + 1 + op->body));
    }
    PetscCall(PetscFree(met));
    PetscFunctionReturn(0);
}

/* Until the second set is the first. */
static PetscErrorCode until_same(CaromExecutor *X, PetscInt i, const carom_plan_op *op)
{
    PetscBool *a = X->set[X->plan->name[op->same.first]], *b = X->set[X->plan->name[op->same.first + 1]];
    PetscFunctionBeginUser;
    for (PetscInt it = 0; it < op->max && X->trouble->code == 0; it++) {
        int mine = 0, all;
        X->iteration = it;
        PetscCall(run_list(X, i + 1, i + 1 + op->body));
        for (PetscInt k = 0; k < X->K; k++) {
            mine = mine || a[k] != b[k];
            b[k] = a[k];
        }
        PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, X->motion->space->mesh.comm));
        if (all == 0) {
            PetscFunctionReturn(0);
        }
    }
    CaromSay(X->trouble, 1, "the set of contacts still changes after %d repeats; try a smaller step", op->max);
    PetscFunctionReturn(0);
}

static PetscErrorCode repeat(CaromExecutor *X, PetscInt i, const carom_plan_op *op)
{
    const PetscInt outer = X->iteration;
    PetscBool *where;
    PetscFunctionBeginUser;
    if (op->vectors.count > 0) {
        PetscCall(until_small(X, i, op));
    } else if (op->same.count > 0) {
        PetscCall(until_same(X, i, op));
    } else {
        PetscCall(PetscMalloc1(X->K, &where));
        PetscCall(while_holds(X, i, op, where));
        PetscCall(PetscFree(where));
    }
    X->iteration = outer;
    PetscFunctionReturn(0);
}

static PetscErrorCode when(CaromExecutor *X, PetscInt i, const carom_plan_op *op)
{
    PetscBool yes = X->fresh;
    PetscFunctionBeginUser;
    if (op->set != CAROM_PLAN_FRESH) {
        PetscCall(any_of(X, X->set[op->set], &yes));
    }
    if (yes) {
        PetscCall(run_list(X, i + 1, i + 1 + op->body));
    } else {
        PetscCall(run_list(X, i + 1 + op->body, i + 1 + op->body + op->other));
    }
    PetscFunctionReturn(0);
}

/* ---- the end of a step ------------------------------------------------------------------------------------------- */

/* What the step leaves at the contact nodes, for the law, outputs and pictures: impulses r [rows], velocities v. */
static void show_contacts(CaromExecutor *X, const PetscReal *r, const CaromConfiguration *c, const PetscReal *gap,
                          const PetscReal *v, const PetscReal *tail, PetscReal *count)
{
    CaromObstacles *o = X->motion->obstacles;
    const PetscInt d = X->d;
    for (PetscInt i = 0; i < o->n; i++) {
        PetscInt best = o->at[i], touched = 0;
        PetscReal w[3], relative[3] = {0, 0, 0}, tangent = 0;
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            const PetscBool solved = (PetscBool)(X->slack[k] > CAROM_UNSOLVED),
                            was = (PetscBool)(X->slack[best] > CAROM_UNSOLVED);
            touched += gap[k * d] <= X->tolerance[CAROM_TOL_TG] ? 1 : 0;
            if (k != best && (solved ? !was
                                     : !was && (r[k * d] > r[best * d] ||
                                                (r[k * d] == r[best * d] && gap[k * d] < gap[best * d])))) {
                best = k;
            }
        }
        o->doubled += touched > 1 ? 1 : 0;
        o->chosen[i] = best;
        o->active[i] = (PetscBool)(X->slack[best] > CAROM_UNSOLVED || r[best * d] != 0);
        o->mu[i] = X->rows[CAROM_ROWS_MU][best * d];
        o->lo[i] = PETSC_MIN_REAL;
        (void)PetscArraycpy(o->lambda + i * d, r + best * d, d);
        (void)PetscArraycpy(o->frame + i * d * d, c->frame + best * d * d, d * d);
        if (!o->active[i]) {
            continue;
        }
        PetscReal carrier[3] = {0, 0, 0};
        if (CaromIsMoving(X, best)) {
            CaromTailCarrier(X, c->J + best * d * X->movers, tail, carrier);
        }
        if (o->carrier != NULL) {
            (void)PetscArraycpy(o->carrier + i * d, carrier, d);
        }
        for (PetscInt s = 0; s < d; s++) {
            relative[s] = v[o->node[i] * d + s] - (o->tie[best] >= 0 ? X->gathered[o->tie[best] * d + s] : carrier[s]);
            tangent += s > 0 ? PetscSqr(r[best * d + s]) : 0;
        }
        CaromIntoFrame(d, c->frame + best * d * d, relative, w);
        if (X->slack[best] > CAROM_UNSOLVED) {
            o->lo[i] = w[0] - X->slack[best];
        }
        count[0] += 1;
        count[1] += r[best * d] > 0 ? 1 : 0;
        count[2] += r[best * d] > 0 && d > 1 && PetscSqrtReal(tangent) < o->mu[i] * r[best * d] ? 1 : 0;
    }
}

/* Normal impulses, closed nodes and resultants of what is met, in 5 numbers each. */
static void sum_meetings(const CaromExecutor *X, const carom_plan_op *op, PetscReal *sum)
{
    const CaromObstacles *o = X->motion->obstacles;
    const PetscInt d = X->d;
    for (PetscInt k = 0; k < X->N; k++) {
        PetscReal *at = sum + 5 * o->surface[k], pressed = 0; /* once, by however many impulses */
        for (int s = 0, rows; s < op->impulse.count; s++) {
            const PetscReal *r = X->rows[rows = X->plan->name[op->impulse.first + s]] + k * d;
            if (!X->empty[rows] && r[0] > 0) {
                at[0] += r[0];
                pressed = 1;
                CaromOutOfFrame(d, X->at[X->rows_at[rows]].frame + k * d * d, 1, r, at + 2);
            }
        }
        at[1] += pressed;
    }
}

/* Counts, resultants and momentum of a step over all ranks. */
typedef struct {
    PetscReal *sum; /* [3 counts, 6 momentum of loads and contacts, 5 per meeting] */
} Totals;

static PetscErrorCode add_up(CaromExecutor *X, const carom_plan_op *op, Totals *totals)
{
    CaromMotion *motion = X->motion;
    CaromObstacles *o = motion->obstacles;
    const PetscInt size = 9 + 5 * o->meetings;
    const PetscInt J = X->plan->name[op->impulse.first];
    const PetscReal *v, *before = X->carry + CAROM_PLAN_V * X->width, *after = X->carry + op->v * X->width;
    PetscReal *mine;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(size, &mine));
    if (o->ties != NULL) {
        PetscCall(CaromTiesGather(o->ties, CaromVectorOf(X, op->v), X->gathered));
    }
    PetscCall(VecGetArrayRead(CaromVectorOf(X, op->v), &v));
    show_contacts(X, X->rows[J], X->at + op->c, X->rows[X->plan->gap[op->c]], v, CaromTailOf(X, op->v), mine);
    PetscCall(VecRestoreArrayRead(CaromVectorOf(X, op->v), &v));
    for (PetscInt i = 0; i < 6; i++) {
        mine[3 + i] = after[i] - before[i];
    }
    sum_meetings(X, op, mine + 9);
    PetscCall(PetscMalloc1(size, &totals->sum));
    PetscCallMPI(MPI_Allreduce(mine, totals->sum, (PetscMPIInt)size, MPIU_REAL, MPIU_SUM, motion->space->mesh.comm));
    PetscCall(PetscFree(mine));
    o->candidates = (PetscInt)(totals->sum[0] + 0.5);
    motion->info.closed = (PetscInt)(totals->sum[1] + 0.5);
    motion->info.sticking = (PetscInt)(totals->sum[2] + 0.5);
    PetscFunctionReturn(0);
}

static void take_totals(CaromExecutor *X, const Totals *totals)
{
    CaromObstacles *o = X->motion->obstacles;
    CaromMotionActed(X->motion, totals->sum + 3);
    CaromMotionActed(X->motion, totals->sum + 6);
    X->motion->slack += PetscSqrtReal((PetscReal)X->motion->space->mesh.total) * X->law_target;
    for (int s = 0; s < o->meetings; s++) {
        const PetscReal *sum = totals->sum + 9 + 5 * s;
        o->total[s].normal = sum[0];
        o->total[s].total += sum[0];
        o->total[s].closed = (PetscInt)(sum[1] + 0.5);
        (void)PetscArraycpy(o->total[s].vector, sum + 2, 3);
    }
}

/* Supports: the momentum that held nodes gained beside the forces that acted on them. */
static PetscErrorCode hold(CaromExecutor *X, const carom_plan_op *op)
{
    CaromMotion *motion = X->motion;
    const PetscReal *before = X->carry + CAROM_PLAN_V * X->width, *after = X->carry + op->v * X->width;
    PetscFunctionBeginUser;
    if (motion->space->any_fixed) {
        for (PetscInt i = 0; i < 3 * motion->space->fixed; i++) {
            motion->reaction[i] = before[6 + i] - after[6 + i];
        }
        PetscCall(VecSet(X->work, 0));
        PetscCall(CaromMassAdd(X, -1, motion->v, X->work));
        PetscCall(CaromMassAdd(X, 1, CaromVectorOf(X, op->v), X->work));
        PetscCall(CaromMotionHeld(motion, 1, NULL, X->work));
        if (!motion->unbalanced) {
            PetscReal mine[3] = {0, 0, 0}, all[3];
            for (PetscInt i = 0; i < 3 * motion->space->fixed; i++) {
                mine[i % 3] += motion->reaction[i];
            }
            PetscCallMPI(MPI_Allreduce(mine, all, 3, MPIU_REAL, MPIU_SUM, motion->space->mesh.comm));
            CaromMotionActed(motion, all);
        }
    }
    PetscFunctionReturn(0);
}

static void carry_over(PetscBool out, PetscReal **at, PetscReal *kept, PetscInt count)
{
    (void)PetscArraycpy(out ? *at : kept, out ? kept : *at, count);
    *at += count;
}

/* Memory as checkpoints keep it: sets, rows and vectors here, and what rides along with vectors. */
PetscErrorCode CaromExecutePack(CaromExecutor *X, PetscBool out)
{
    const carom_plan *p = X->plan;
    const PetscInt n = X->motion->space->mesh.owned * X->d;
    PetscReal *at = X->motion->memory, *x;
    PetscFunctionBeginUser;
    for (int m = 0; m < p->memories; m++) {
        if (p->memory[m].kind == CAROM_KEPT_SET) {
            for (PetscInt k = 0; k < X->K; k++, at++) {
                *at = out ? (X->kept_set[m][k] ? 1 : 0) : *at;
                X->kept_set[m][k] = (PetscBool)(*at > 0);
            }
        } else if (p->memory[m].kind == CAROM_KEPT_ROWS) {
            carry_over(out, &at, X->kept_rows[m], X->K * X->d);
        } else {
            PetscCall(VecGetArray(X->kept[m], &x));
            carry_over(out, &at, x, n);
            PetscCall(VecRestoreArray(X->kept[m], &x));
        }
    }
    carry_over(out, &at, X->kept_tail, p->memories * X->movers);
    carry_over(out, &at, CaromTailPoint(X, CAROM_PLAN_Q), X->places);
    carry_over(out, &at, CaromTailOf(X, CAROM_PLAN_V), X->movers);
    carry_over(out, &at, X->kept_carry, p->memories * X->width);
    carry_over(out, &at, X->carry + CAROM_PLAN_V * X->width, X->width);
    carry_over(out, &at, &X->last_h, 1);
    carry_over(out, &at, &X->next_step, 1);
    carry_over(out, &at, CaromOwnMemory(X), X->own_law != NULL ? X->own_rows : 0);
    carry_over(out, &at, X->intensity, X->adheres ? X->N : 0);
    PetscFunctionReturn(0);
}

PetscErrorCode CaromExecuteRecall(CaromExecutor *X)
{
    PetscFunctionBeginUser;
    PetscCall(CaromExecutePack(X, PETSC_FALSE));
    CaromTailShow(X, CAROM_PLAN_Q, CAROM_PLAN_V);
    PetscFunctionReturn(0);
}

static PetscErrorCode remember(CaromExecutor *X, const carom_plan_op *op)
{
    const carom_plan *p = X->plan;
    PetscFunctionBeginUser;
    for (int s = 0; s < op->keep.count; s += 2) {
        const int m = p->name[op->keep.first + s] - 1, what = p->name[op->keep.first + s + 1];
        if (p->memory[m].kind == CAROM_KEPT_SET) {
            PetscCall(PetscArraycpy(X->kept_set[m], X->set[what], X->K));
        } else if (p->memory[m].kind == CAROM_KEPT_ROWS) {
            PetscCall(PetscArraycpy(X->kept_rows[m], X->rows[what], X->K * X->d));
        } else {
            PetscCall(VecCopy(CaromVectorOf(X, what), X->kept[m]));
            PetscCall(PetscArraycpy(X->kept_tail + m * X->movers, CaromTailOf(X, what), X->movers));
            PetscCall(PetscArraycpy(X->kept_carry + m * X->width, X->carry + what * X->width, X->width));
        }
    }
    PetscFunctionReturn(0);
}

/* The end becomes the start: places, velocities and the configuration change hands. */
static PetscErrorCode change_hands(CaromExecutor *X, const carom_plan_op *op)
{
    CaromMotion *motion = X->motion;
    const CaromConfiguration kept = X->at[X->begin];
    const int gap[2] = {X->plan->gap[X->begin], X->plan->gap[op->c]};
    PetscReal *rows = X->rows[gap[0]];
    PetscFunctionBeginUser;
    if (X->now[op->v] != op->v) {
        PetscCall(VecCopy(CaromVectorOf(X, op->v), X->own[op->v]));
    }
    if (X->place_now[op->q] != op->q) {
        PetscCall(VecCopy(CaromPointOf(X, op->q), X->place[op->q]));
    }
    X->own[CAROM_PLAN_V] = X->own[op->v];
    X->own[op->v] = motion->v;
    motion->v = X->own[CAROM_PLAN_V];
    X->place[CAROM_PLAN_Q] = X->place[op->q];
    X->place[op->q] = motion->u;
    motion->u = X->place[CAROM_PLAN_Q];
    X->stamp[CAROM_PLAN_Q] = X->stamp[X->place_now[op->q]];
    X->stamp[op->q] = ++X->stamps;
    PetscCall(PetscArraycpy(X->carry + CAROM_PLAN_V * X->width, X->carry + op->v * X->width, X->width));
    CaromTailShow(X, op->q, op->v);
    X->at[X->begin] = X->at[op->c];
    X->at[X->begin].point = CAROM_PLAN_Q;
    X->at[op->c] = kept;
    X->at[op->c].stamp = X->at[op->c].of_forces = 0;
    X->rows[gap[0]] = X->rows[gap[1]];
    X->rows[gap[1]] = rows;
    PetscFunctionReturn(0);
}

static PetscErrorCode accept(CaromExecutor *X, const carom_plan_op *op)
{
    CaromMotion *motion = X->motion;
    Totals totals = {NULL};
    PetscFunctionBeginUser;
    PetscCall(add_up(X, op, &totals));
    if (X->any_trouble) {
        PetscCall(CaromAgree(motion->space->mesh.comm, X->trouble));
    }
    if (X->trouble->code == 0) {
        motion->obstacles->mover_q = CaromTailPoint(X, op->q);
        PetscCall(CaromLawCheck(motion, X->t + X->h, CaromPointOf(X, op->q), CaromVectorOf(X, op->v),
                                X->law_target > 0 ? X->diagonal : X->mass, X->law_target, X->trouble));
        motion->obstacles->mover_q = motion->obstacles->mover_state;
    }
    if (X->trouble->code == 0) {
        PetscCall(hold(X, op));
        take_totals(X, &totals);
        PetscCall(remember(X, op));
        CaromAdhesionWear(X, op->c);
        CaromOwnEnd(X, X->rows[X->plan->name[op->impulse.first]]);
        PetscCall(CaromBetween(X, op));
        PetscCall(change_hands(X, op));
        motion->t += X->h;
        X->fresh = PETSC_FALSE;
        X->last_h = X->h;
        PetscCall(CaromExecutePack(X, PETSC_TRUE));
    }
    PetscCall(PetscFree(totals.sum));
    PetscFunctionReturn(0);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode run_one(CaromExecutor *X, PetscInt i)
{
    const carom_plan_op *op = X->plan->op + i;
    PetscFunctionBeginUser;
    switch (op->op) {
    case CAROM_DO_KINEMATICS:
        PetscCall(CaromRowsKinematics(X, op));
        break;
    case CAROM_DO_FORCES:
        PetscCall(CaromVectorRelease(X, op->y));
        PetscCall(CaromForcesStiff(X, op));
        break;
    case CAROM_DO_COMBINE:
        PetscCall(CaromSparseCombine(X, i));
        break;
    case CAROM_DO_APPLY:
        PetscCall(CaromVectorRelease(X, op->y));
        PetscCall(CaromMassApply(X, op));
        break;
    case CAROM_DO_SPREAD:
        PetscCall(CaromVectorRelease(X, op->y));
        PetscCall(CaromForcesSpread(X, op));
        break;
    case CAROM_DO_OPERATOR:
        CaromImplicitWant(X, op);
        break;
    case CAROM_DO_CONTACT:
        PetscCall(CaromVectorRelease(X, op->y));
        PetscCall(op->A > 0 ? CaromImplicitContact(X, op) : CaromNodalContact(X, op));
        break;
    case CAROM_DO_REPEAT:
        PetscCall(repeat(X, i, op));
        break;
    case CAROM_DO_WHEN:
        PetscCall(when(X, i, op));
        break;
    case CAROM_DO_ACCEPT:
        PetscCall(accept(X, op));
        break;
    default:
        PetscCall(CaromRowsOperation(X, i));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode run_list(CaromExecutor *X, PetscInt first, PetscInt end)
{
    PetscFunctionBeginUser;
    for (PetscInt i = first; i < end && !X->back;) {
        const carom_plan_op *op = X->plan->op + i;
        if (X->pass_at[i] >= 0) {
            PetscCall(CaromPassRun(X, X->pass + X->pass_at[i]));
            i = X->pass[X->pass_at[i]].end;
        } else {
            PetscCall(run_one(X, i));
            i += 1 + op->body + op->other;
        }
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromExecute(CaromExecutor *X, PetscReal h, CaromTrouble *trouble)
{
    const carom_plan *p = X->plan;
    const CaromObstacles *o = X->motion->obstacles;
    const PetscReal tg = X->motion->space->model->scheme.tg;
    PetscFunctionBeginUser;
    X->trouble = trouble;
    X->t = X->motion->t;
    X->h = h;
    X->iteration = 0;
    X->law_target = 0;
    X->back = PETSC_FALSE;
    CaromOwnForget(X);
    X->tolerance[CAROM_TOL_TG] = tg > 0 ? tg : tg < 0 ? -tg * h : 1e-10;
    X->fresh = (PetscBool)(X->fresh || (p->uniform && PetscAbsReal(h - X->last_h) > 1e-9 * h));
    for (PetscInt x = 1; x <= p->vectors; x++) {
        X->now[x] = x;
    }
    for (PetscInt q = 1; q <= p->points; q++) {
        X->place_now[q] = q;
    }
    for (PetscInt k = 0; k < X->K; k++) {
        X->set[CAROM_PLAN_FRESH][k] = X->fresh;
        X->slack[k] = CAROM_UNSOLVED;
    }
    for (PetscInt i = 0; i < o->n; i++) {
        X->holds[i] = -1;
    }
    for (int m = 0; m < p->memories; m++) {
        const int name = p->memory[m].name;
        if (p->memory[m].kind == CAROM_KEPT_SET) {
            PetscCall(PetscArraycpy(X->set[name], X->kept_set[m], X->K));
            for (PetscInt k = 0; k < X->N && !p->memory[m].full; k++) {
                X->holds[X->node[k]] = X->kept_set[m][k] ? k : X->holds[X->node[k]];
            }
        } else if (p->memory[m].kind == CAROM_KEPT_ROWS) {
            PetscCall(PetscArraycpy(X->rows[name], X->kept_rows[m], X->K * X->d));
        } else {
            PetscCall(VecCopy(X->kept[m], X->own[name]));
            PetscCall(PetscArraycpy(CaromTailOf(X, name), X->kept_tail + m * X->movers, X->movers));
            PetscCall(PetscArraycpy(X->carry + name * X->width, X->kept_carry + m * X->width, X->width));
        }
    }
    PetscCall(run_list(X, 0, p->ops));
    PetscFunctionReturn(0);
}
