/* The mechanism beside the meshes (carom_mechanism): coordinates of rigid bodies, of which there are few. Every rank
 * has them all and does the same with them: a tail that rides along with each vector, point and memory of a plan.
 * Nodes meet its shapes; these contacts know each other through it,
 *
 *     w_k = R_k (x_k - J_k x_b) + b_k,   dx_k = m_k^-1 R_k^T dr_k,   dx_b = -M^-1 J_k^T R_k^T dr_k,
 *
 * and are solved by Gauss-Seidel, on every rank all of them. */
#include "execute.h"

enum { SWEEPS = 5000 };
static const PetscReal enough = 1e-14;

/* ---- made and unmade --------------------------------------------------------------------------------------------- */

/* Inverse of the mass by Gauss-Jordan; it is symmetric and positive definite. */
static PetscErrorCode invert(CaromExecutor *X)
{
    const PetscInt n = X->movers;
    PetscReal *A;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(n * n, &A));
    PetscCall(PetscArraycpy(A, X->tail_mass, n * n));
    for (PetscInt i = 0; i < n * n; i++) {
        X->tail_inverse[i] = i / n == i % n ? 1 : 0;
    }
    for (PetscInt p = 0; p < n; p++) {
        const PetscReal pivot = A[p * n + p];
        PetscCheck(pivot > 0, PETSC_COMM_SELF, PETSC_ERR_USER, "the mass of the mechanism is not positive definite");
        for (PetscInt j = 0; j < n; j++) {
            A[p * n + j] /= pivot;
            X->tail_inverse[p * n + j] /= pivot;
        }
        for (PetscInt i = 0; i < n; i++) {
            const PetscReal factor = A[i * n + p];
            for (PetscInt j = 0; j < n && i != p; j++) {
                A[i * n + j] -= factor * A[p * n + j];
                X->tail_inverse[i * n + j] -= factor * X->tail_inverse[p * n + j];
            }
        }
    }
    PetscCall(PetscFree(A));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTailCreate(CaromExecutor *X)
{
    const carom_plan *p = X->plan;
    const CaromObstacles *o = X->motion->obstacles;
    const PetscInt n = X->movers = o->movers;
    PetscFunctionBeginUser;
    if (n == 0) {
        PetscFunctionReturn(0);
    }
    PetscCall(PetscCalloc5((p->vectors + 1) * n, &X->tail, (p->points + 1) * n, &X->tail_q, p->memories * n,
                           &X->kept_tail, n * n, &X->tail_mass, n * n, &X->tail_inverse));
    for (int c = 1; c <= p->configurations; c++) {
        PetscCall(PetscCalloc2(X->K * X->d * n, &X->at[c].J, n, &X->at[c].tail));
    }
    o->space->model->mechanism->mass(o->space->p, X->tail_mass);
    PetscCall(invert(X));
    PetscCall(PetscArraycpy(CaromTailPoint(X, CAROM_PLAN_Q), o->mover_state, n));
    PetscCall(PetscArraycpy(CaromTailOf(X, CAROM_PLAN_V), o->mover_state + n, n));
    X->motion->memory_size += (p->memories + 2) * n;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromTailDestroy(CaromExecutor *X)
{
    PetscFunctionBeginUser;
    for (int c = 1; c <= X->plan->configurations && X->movers > 0; c++) {
        PetscCall(PetscFree2(X->at[c].J, X->at[c].tail));
    }
    if (X->movers > 0) {
        PetscCall(PetscFree5(X->tail, X->tail_q, X->kept_tail, X->tail_mass, X->tail_inverse));
    }
    PetscFunctionReturn(0);
}

/* ---- vectors and points ------------------------------------------------------------------------------------------ */

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

static void retract(CaromExecutor *X, const carom_plan_op *op)
{
    const PetscInt n = X->movers;
    for (int l = 0; l < op->points.count; l++) {
        PetscReal *y = CaromTailPoint(X, X->plan->name[op->points.first + l]);
        const PetscReal *q = CaromTailPoint(X, op->q);
        for (PetscInt i = 0; i < n; i++) {
            PetscReal sum = q[i];
            for (int k = 0; k < op->vectors.count; k++) {
                const carom_factor *f = X->plan->factor + op->factor.first + l * op->vectors.count + k;
                sum += CaromFactorAt(X, f->c, f->k) * CaromTailOf(X, X->plan->name[op->vectors.first + k])[i];
            }
            y[i] = sum;
        }
    }
}

void CaromTailRide(CaromExecutor *X, const carom_plan_op *op)
{
    const CaromSpace *space = X->motion->space;
    const PetscInt n = X->movers;
    if (n == 0) {
        return;
    }
    PetscReal *y = CaromTailOf(X, CaromPlanWrites(op));
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
        product(n, X->tail_mass, CaromTailOf(X, op->x), y);
    } else if (op->x != 0) { /* solve; contact: without contacts yet */
        product(n, X->tail_inverse, CaromTailOf(X, op->x), y);
    } else {
        (void)PetscArrayzero(y, n);
    }
}

void CaromTailShow(CaromExecutor *X, PetscInt q, PetscInt v)
{
    PetscReal *state = X->motion->obstacles->mover_state;
    (void)PetscArraymove(CaromTailPoint(X, CAROM_PLAN_Q), CaromTailPoint(X, q), X->movers);
    (void)PetscArraymove(CaromTailOf(X, CAROM_PLAN_V), CaromTailOf(X, v), X->movers);
    (void)PetscArraycpy(state, CaromTailPoint(X, CAROM_PLAN_Q), X->movers);
    (void)PetscArraycpy(state + X->movers, CaromTailOf(X, CAROM_PLAN_V), X->movers);
}

void CaromTailCarrier(const CaromExecutor *X, const PetscReal *J, const PetscReal *v, PetscReal *velocity)
{
    for (PetscInt i = 0; i < X->d; i++) {
        for (PetscInt j = 0; j < X->movers; j++) {
            velocity[i] += J[i * X->movers + j] * v[j];
        }
    }
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* One contact as it travels: what it is, then R J [d movers]. */
typedef struct {
    PetscReal own[9]; /* R m^-1 R^T */
    CaromCoupledContact at;
} Head;

static const PetscInt head = sizeof(Head) / sizeof(PetscReal);

/* Contacts of this rank that are in the problem: their rows and numbers. */
static PetscErrorCode collect(const CaromExecutor *X, const carom_plan_op *op, const PetscReal *x,
                              const PetscReal *mask, PetscInt *row, PetscInt *count, PetscReal *records)
{
    const CaromObstacles *o = X->motion->obstacles;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d, n = X->movers, width = head + d * n;
    const PetscReal *b = X->rows[op->b], *carried = op->carried != 0 ? X->rows[op->carried] : NULL;
    PetscFunctionBeginUser;
    *count = 0;
    for (PetscInt k = 0; k < X->K; k++) {
        if (!CaromIsMoving(X, k) || !X->set[op->set][k]) {
            continue;
        }
        const PetscInt i = X->node[k], at = o->node[i] * d;
        const PetscReal *R = c->frame + k * d * d, *slide = op->slide != 0 ? X->rows[op->slide] + k * d : NULL;
        Head *record = (Head *)(records + *count * width);
        PetscReal *RJ = records + *count * width + head;
        *record = (Head){
            .at = {.on = 1, .mu = op->normal ? 0 : X->rows[CAROM_ROWS_MU][k * d], .lo = -b[k * d] / c->length[k]}};
        for (PetscInt r = 0; r < d; r++) {
            record->at.r[r] = carried != NULL ? carried[k * d + r] : 0;
            record->at.w[r] = r > 0 ? b[k * d + r] : 0;
            for (PetscInt s = 0; s < d; s++) {
                record->at.frame[r * d + s] = R[r * d + s];
                record->at.w[r] += R[r * d + s] * x[at + s];
                for (PetscInt l = 0; l < d; l++) {
                    record->own[r * d + s] += mask[at + l] > 0 ? R[r * d + l] * R[s * d + l] / X->mass[i] : 0;
                }
            }
            for (PetscInt j = 0; j < n; j++) {
                RJ[r * n + j] = 0;
                for (PetscInt s = 0; s < d; s++) {
                    RJ[r * n + j] += R[r * d + s] * c->J[(k * d + s) * n + j];
                }
            }
            if (r > 0 && slide != NULL) {
                record->at.slide[r - 1] = slide[r];
                record->at.sliding = record->at.sliding > 0 || slide[r] != 0 ? 1 : 0;
            }
        }
        row[(*count)++] = k;
    }
    PetscFunctionReturn(0);
}

/* Held, whatever the sign: W r = lo - (w without r); tangents only with friction. */
static void hold(PetscInt d, const PetscReal *W, const CaromCoupledContact *contact, PetscReal *r)
{
    const PetscInt m = contact->mu > 0 ? d : 1;
    PetscReal A[9], y[3] = {0, 0, 0};
    for (PetscInt i = 0; i < m; i++) {
        y[i] = (i == 0 ? contact->lo : 0) - contact->w[i];
        for (PetscInt j = 0; j < m; j++) {
            A[i * m + j] = W[i * d + j];
            y[i] += W[i * d + j] * contact->r[j];
        }
    }
    for (PetscInt p = 0; p < m; p++) { /* positive definite */
        for (PetscInt i = p + 1; i < m; i++) {
            const PetscReal factor = A[i * m + p] / A[p * m + p];
            for (PetscInt j = p; j < m; j++) {
                A[i * m + j] -= factor * A[p * m + j];
            }
            y[i] -= factor * y[p];
        }
    }
    for (PetscInt i = d - 1; i >= 0; i--) {
        r[i] = 0;
        if (i < m) {
            for (PetscInt j = i + 1; j < m; j++) {
                y[i] -= A[i * m + j] * r[j];
            }
            r[i] = y[i] / A[i * m + i];
        }
    }
}

/* One contact anew, with the others held. xb: velocities of the mechanism, which follow. */
static void relax(const CaromExecutor *X, PetscBool equal, PetscReal *record, PetscReal *xb, PetscReal *largest,
                  PetscReal *change)
{
    const PetscInt d = X->d, n = X->movers;
    Head *contact = (Head *)record;
    const PetscReal *RJ = record + head;
    CaromCoupledContact now = contact->at;
    PetscReal W[9] = {0}, r[3] = {0, 0, 0}, push[3];
    for (PetscInt i = 0; i < d; i++) {
        for (PetscInt j = 0; j < n; j++) {
            PetscReal y = 0; /* M^-1 J^T R^T e_i */
            now.w[i] -= RJ[i * n + j] * xb[j];
            for (PetscInt l = 0; l < n; l++) {
                y += X->tail_inverse[j * n + l] * RJ[i * n + l];
            }
            for (PetscInt s = 0; s < d; s++) {
                W[s * d + i] += RJ[s * n + j] * y;
            }
        }
    }
    for (PetscInt i = 0; i < d * d; i++) {
        W[i] += contact->own[i];
    }
    if (equal) {
        hold(d, W, &now, r);
    } else {
        CaromCoupledOne(d, W, &now, r);
    }
    for (PetscInt i = 0; i < d; i++) {
        push[i] = r[i] - contact->at.r[i];
        *change = PetscMax(*change, PetscAbsReal(push[i]));
        *largest = PetscMax(*largest, PetscAbsReal(r[i]));
        contact->at.r[i] = r[i];
    }
    for (PetscInt i = 0; i < d; i++) {
        for (PetscInt s = 0; s < d; s++) {
            contact->at.w[i] += contact->own[i * d + s] * push[s];
        }
        for (PetscInt j = 0; j < n && push[i] != 0; j++) {
            for (PetscInt l = 0; l < n; l++) {
                xb[j] -= X->tail_inverse[j * n + l] * RJ[i * n + l] * push[i];
            }
        }
    }
}

/* What this rank's contacts got: forces, velocities of nodes, and what is told of them. */
static void take(CaromExecutor *X, const carom_plan_op *op, PetscInt k, const PetscReal *record, const PetscReal *xb,
                 const PetscReal *mask, PetscReal *x)
{
    CaromObstacles *o = X->motion->obstacles;
    const Head *contact = (const Head *)record;
    const PetscInt d = X->d, i = X->node[k], at = o->node[i] * d;
    const PetscReal *carried = op->carried != 0 ? X->rows[op->carried] + k * d : NULL, *RJ = record + head;
    PetscReal change[3] = {0, 0, 0}, force[3] = {0, 0, 0}, normal = contact->at.w[0];
    for (PetscInt s = 0; s < d; s++) {
        change[s] = contact->at.r[s] - (carried != NULL ? carried[s] : 0);
        X->rows[op->r][k * d + s] = contact->at.r[s];
    }
    for (PetscInt j = 0; j < X->movers; j++) {
        normal -= RJ[j] * xb[j];
    }
    X->slack[k] = op->normal ? CAROM_UNSOLVED : PetscMax(0, normal - contact->at.lo);
    o->led[i] = (PetscBool)(contact->at.sliding > 0);
    CaromOutOfFrame(d, contact->at.frame, 1, change, force);
    CaromOutOfFrame(d, contact->at.frame, 1, change, X->carry + op->y * X->width + 3);
    for (PetscInt s = 0; s < d; s++) {
        x[at + s] += mask[at + s] > 0 ? force[s] / X->mass[i] : 0;
    }
    X->holds[i] = contact->at.r[0] > 0 ? k : X->holds[i] == k ? -1 : X->holds[i];
}

PetscErrorCode CaromTailContact(CaromExecutor *X, const carom_plan_op *op, PetscReal *x)
{
    MPI_Comm comm = X->motion->space->mesh.comm;
    const PetscInt width = head + X->d * X->movers;
    const PetscReal *mask;
    PetscReal *mine, *all, *xb = CaromTailOf(X, op->y), change = 0, largest = 0;
    PetscInt *row, here;
    PetscMPIInt ranks, count, *counts, *starts, total = 0;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCall(PetscMalloc4(X->K * width, &mine, X->K, &row, ranks, &counts, ranks, &starts));
    PetscCall(VecGetArrayRead(X->motion->space->mask, &mask));
    PetscCall(collect(X, op, x, mask, row, &here, mine));
    count = (PetscMPIInt)(here * width);
    PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, comm));
    for (PetscMPIInt r = 0; r < ranks; r++) {
        starts[r] = total;
        total += counts[r];
    }
    PetscCall(PetscMalloc1(total, &all));
    PetscCallMPI(MPI_Allgatherv(mine, count, MPIU_REAL, all, counts, starts, MPIU_REAL, comm));
    for (PetscInt sweep = 0; sweep < SWEEPS && total > 0; sweep++) {
        change = largest = 0;
        for (PetscInt k = 0; k < total / width; k++) {
            relax(X, (PetscBool)(op->equal != 0), all + k * width, xb, &largest, &change);
        }
        if (change <= enough * largest) {
            break;
        }
    }
    if (change > 1e-10 * largest) {
        CaromSay(
            X->trouble, 1,
            "the contacts of rigid bodies with meshes were not solved: forces still changed by %.3g of the largest; "
            "try a smaller step, or --path small",
            change / largest);
    }
    PetscMPIInt rank;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    for (PetscInt k = 0; k < here; k++) {
        take(X, op, row[k], all + starts[rank] + k * width, xb, mask, x);
    }
    PetscCall(VecRestoreArrayRead(X->motion->space->mask, &mask));
    PetscCall(PetscFree(all));
    PetscCall(PetscFree4(mine, row, counts, starts));
    PetscFunctionReturn(0);
}
