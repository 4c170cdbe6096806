/* The contact problem of the mechanism: its own contacts, and those of nodes that meet it or are tied to it, know each
 * other through its velocities x_b,
 *
 *     w_k = R_k (x_k - J_k x_b) + b_k,   dx_k = m_k^-1 R_k^T dr_k,   dx_b = -P J_k^T R_k^T dr_k,
 *     w_l = G_l x_b + b_l,                                           dx_b = P G_l^T dr_l,
 *
 * and are solved by Gauss-Seidel, on every rank all of them. What is held is eliminated before: a tied node moves as
 * x_k = J_k x_b - b_k, which adds its mass to that of the mechanism, A = M + sum J_k^T m_k J_k; constraints
 * G x_b + b = 0 one after the other by P <- P - P g (P g)^T / g P g from P = A^-1, so that one that says nothing new is
 * passed over. Nobody asks for the forces of what is held. */
#include "execute.h"

enum { SWEEPS = 5000 };
static const PetscReal enough = 1e-14;

PetscErrorCode CaromTailInvert(PetscInt n, PetscReal *A, PetscReal *inverse)
{
    PetscFunctionBeginUser;
    for (PetscInt i = 0; i < n * n; i++) {
        inverse[i] = i / n == i % n ? 1 : 0;
    }
    for (PetscInt p = 0; p < n; p++) {
        const PetscReal pivot = A[p * n + p];
        PetscCheck(pivot > 0, PETSC_COMM_SELF, PETSC_ERR_USER, "the mass of the mechanism is not positive definite");
        for (PetscInt j = 0; j < n; j++) {
            A[p * n + j] /= pivot;
            inverse[p * n + j] /= pivot;
        }
        for (PetscInt i = 0; i < n; i++) {
            const PetscReal factor = A[i * n + p];
            for (PetscInt j = 0; j < n && i != p && factor != 0; j++) {
                A[i * n + j] -= factor * A[p * n + j];
                inverse[i * n + j] -= factor * inverse[p * n + j];
            }
        }
    }
    PetscFunctionReturn(0);
}

/* One contact as it travels: what it is, then R J [d movers]. */
typedef struct {
    PetscReal own[9]; /* R m^-1 R^T */
    CaromCoupledContact at;
} Head;

static const PetscInt head = sizeof(Head) / sizeof(PetscReal);

/* The problem: P, the velocities as they are, the diagonal of A^-1. */
typedef struct {
    PetscInt d, n;
    PetscReal *P, *xb, *work, *diagonal;
} Joined;

/* ---- what is held ------------------------------------------------------------------------------------------------ */

/* Adds [size] numbers of all ranks in their order. */
PetscErrorCode CaromAddInOrder(MPI_Comm comm, PetscInt size, const PetscReal *mine, PetscReal *sum)
{
    PetscMPIInt ranks;
    PetscReal *all;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCall(PetscMalloc1(size * ranks, &all));
    PetscCallMPI(MPI_Allgather(mine, (PetscMPIInt)size, MPIU_REAL, all, (PetscMPIInt)size, MPIU_REAL, comm));
    for (PetscInt i = 0; i < size * ranks; i++) {
        sum[i % size] += all[i];
    }
    PetscCall(PetscFree(all));
    PetscFunctionReturn(0);
}

/* P = A^-1 and x_b = A^-1 rhs with the nodes that are tied. */
static PetscErrorCode eliminate_tied(CaromExecutor *X, const carom_plan_op *op, const PetscReal *x, Joined *joined)
{
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d, n = X->movers;
    const PetscReal *mass;
    PetscReal *A, *rhs, *mine;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc2(n * n + n, &A, n * n + n, &mine));
    rhs = A + n * n;
    PetscCall(PetscArraycpy(A, X->at[-op->A].mass, n * n));
    if (op->x != 0) {
        PetscCall(PetscArraycpy(rhs, CaromTailOf(X, op->x), n));
    }
    if (X->any_tied) {
        PetscCall(VecGetArrayRead(X->motion->mass, &mass));
        for (PetscInt i = 0; i < X->tied * d; i++) {
            const PetscInt k = X->N + i, at = X->tied_node[i / d] * d + i % d;
            const PetscReal *J = c->tied_J + i / d * d * (n + 1) + i % d * n;
            for (PetscInt j = 0; j < n && X->set[op->set][k]; j++) {
                for (PetscInt l = 0; l < n && J[j] != 0; l++) {
                    mine[j * n + l] += mass[at] * J[j] * J[l];
                }
                mine[n * n + j] += mass[at] * J[j] * (x[at] + X->rows[op->b][k * d]);
            }
        }
        PetscCall(VecRestoreArrayRead(X->motion->mass, &mass));
        PetscCall(CaromAddInOrder(X->motion->space->mesh.comm, n * n + n, mine, A));
    }
    PetscCall(CaromTailInvert(n, A, joined->P));
    for (PetscInt i = 0; i < n; i++) {
        joined->xb[i] = 0;
        joined->diagonal[i] = joined->P[i * n + i];
        for (PetscInt j = 0; j < n; j++) {
            joined->xb[i] += joined->P[i * n + j] * rhs[j];
        }
    }
    PetscCall(PetscFree2(A, mine));
    PetscFunctionReturn(0);
}

/* Constraints of the mechanism. */
static void eliminate_constraints(const CaromExecutor *X, const carom_plan_op *op, Joined *joined)
{
    const carom_mechanism *m = X->motion->space->model->mechanism;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt n = X->movers, first = X->K - X->own_rows;
    for (PetscInt k = 0; k < m->constraints; k++) {
        const PetscReal *g = c->G + k * X->d * n;
        PetscReal before = 0, left = 0, rate = X->rows[op->b][(first + k) * X->d];
        if (!X->set[op->set][first + k]) {
            continue;
        }
        for (PetscInt i = 0; i < n; i++) {
            joined->work[i] = 0;
            for (PetscInt j = 0; j < n; j++) {
                joined->work[i] += joined->P[i * n + j] * g[j];
            }
            left += g[i] * joined->work[i];
            rate += g[i] * joined->xb[i];
            before += g[i] * g[i] * joined->diagonal[i];
        }
        if (!(left > 1e-11 * before)) {
            continue;
        }
        for (PetscInt i = 0; i < n; i++) {
            joined->xb[i] -= joined->work[i] * rate / left;
            for (PetscInt j = 0; j < n; j++) {
                joined->P[i * n + j] -= joined->work[i] * joined->work[j] / left;
            }
        }
    }
}

/* Nodes that are tied go along. */
static PetscErrorCode follow(CaromExecutor *X, const carom_plan_op *op, const Joined *joined, PetscReal *x)
{
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d, n = X->movers;
    const PetscReal *mass;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(X->motion->mass, &mass));
    for (PetscInt i = 0; i < X->tied * d; i++) {
        const PetscInt k = X->N + i, at = X->tied_node[i / d] * d + i % d;
        const PetscReal *J = c->tied_J + i / d * d * (n + 1) + i % d * n;
        PetscReal now = -X->rows[op->b][k * d];
        for (PetscInt j = 0; j < n; j++) {
            now += J[j] * joined->xb[j];
        }
        if (X->set[op->set][k]) {
            X->carry[op->y * X->width + 3 + i % d] += mass[at] * (now - x[at]);
            x[at] = now;
        }
    }
    PetscCall(VecRestoreArrayRead(X->motion->mass, &mass));
    PetscFunctionReturn(0);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* The part of a record that follows from the plan. */
static void begin(const CaromExecutor *X, const carom_plan_op *op, PetscInt k, PetscReal length, Head *record)
{
    const PetscInt d = X->d;
    const PetscReal *b = X->rows[op->b] + k * d, *slide = op->slide != 0 ? X->rows[op->slide] + k * d : NULL;
    const PetscReal *carried = op->carried != 0 ? X->rows[op->carried] + k * d : NULL;
    *record = (Head){.at = {.on = 1, .mu = op->normal ? 0 : X->rows[CAROM_ROWS_MU][k * d], .lo = -b[0] / length}};
    for (PetscInt r = 0; r < d; r++) {
        record->at.r[r] = carried != NULL ? carried[r] : 0;
        record->at.w[r] = r > 0 ? b[r] : 0;
        if (r > 0 && slide != NULL) {
            record->at.slide[r - 1] = slide[r];
            record->at.sliding = record->at.sliding > 0 || slide[r] != 0 ? 1 : 0;
        }
    }
}

/* Contact k of a node here. x: of the mesh; a node that is tied moves with the mechanism alone. */
static void node_record(const CaromExecutor *X, const carom_plan_op *op, PetscInt k, const PetscReal *x,
                        const PetscReal *mask, PetscReal *all)
{
    const CaromObstacles *o = X->motion->obstacles;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d, n = X->movers, i = X->node[k], at = o->node[i] * d;
    const PetscReal *R = c->frame + k * d * d;
    const PetscInt tied = X->tied_at[k] >= 0 && X->set[op->set][X->tied_at[k]] ? X->tied_at[k] : -1;
    const PetscReal *own = tied >= 0 ? c->tied_J + (tied - X->N) / d * d * (n + 1) : NULL;
    Head *record = (Head *)all;
    PetscReal *RJ = all + head;
    begin(X, op, k, c->length[k], record);
    for (PetscInt r = 0; r < d; r++) {
        (void)PetscArrayzero(RJ + r * n, n);
        for (PetscInt s = 0; s < d; s++) {
            record->at.frame[r * d + s] = R[r * d + s];
            record->at.w[r] += R[r * d + s] * (tied >= 0 ? -X->rows[op->b][(tied + s) * d] : x[at + s]);
            for (PetscInt l = 0; l < d && tied < 0; l++) {
                record->own[r * d + s] += mask[at + l] > 0 ? R[r * d + l] * R[s * d + l] / X->mass[i] : 0;
            }
            for (PetscInt j = 0; j < n; j++) {
                RJ[r * n + j] += R[r * d + s] * (c->J[(k * d + s) * n + j] - (own != NULL ? own[s * n + j] : 0));
            }
        }
    }
}

/* Row l of the mechanism's own. */
static void own_record(const CaromExecutor *X, const carom_plan_op *op, PetscInt l, PetscReal *all)
{
    const PetscInt each = X->d * X->movers;
    begin(X, op, X->K - X->own_rows + l, 1, (Head *)all);
    for (PetscInt j = 0; j < each; j++) {
        all[head + j] = -X->at[op->c].G[l * each + j];
    }
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

/* One contact anew, with the others held. */
static void relax(Joined *joined, PetscBool equal, PetscReal *record, const PetscReal *PJ, PetscReal *largest,
                  PetscReal *change)
{
    const PetscInt d = joined->d, n = joined->n;
    Head *contact = (Head *)record;
    const PetscReal *RJ = record + head;
    CaromCoupledContact now = contact->at;
    PetscReal W[9] = {0}, r[3] = {0, 0, 0}, push[3];
    for (PetscInt i = 0; i < d; i++) {
        for (PetscInt j = 0; j < n; j++) {
            now.w[i] -= RJ[i * n + j] * joined->xb[j];
            for (PetscInt s = 0; s < d; s++) {
                W[s * d + i] += RJ[s * n + j] * PJ[i * n + j];
            }
        }
    }
    for (PetscInt i = 0; i < d * d; i++) {
        W[i] += contact->own[i];
    }
    if (!(W[0] > 0)) { /* what is held does not yield */
        return;
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
            joined->xb[j] -= PJ[i * n + j] * push[i];
        }
    }
}

static PetscErrorCode sweep(CaromExecutor *X, const carom_plan_op *op, Joined *joined, PetscInt count,
                            PetscReal *records)
{
    const PetscInt d = X->d, n = X->movers, each = d * n, width = head + each;
    PetscReal *PJ, change = 0, largest = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(count * each, &PJ));
    for (PetscInt k = 0; k < count * each; k++) {
        const PetscReal *RJ = records + k / each * width + head + k % each / n * n, *P = joined->P + k % n * n;
        for (PetscInt j = 0; j < n; j++) {
            PJ[k] += P[j] * RJ[j];
        }
    }
    for (PetscInt s = 0; s < SWEEPS && count > 0; s++) {
        change = largest = 0;
        for (PetscInt k = 0; k < count; k++) {
            relax(joined, (PetscBool)(op->equal != 0), records + k * width, PJ + k * each, &largest, &change);
        }
        if (change <= enough * largest) {
            break;
        }
    }
    PetscCall(PetscFree(PJ));
    if (change > 1e-10 * largest) {
        CaromSay(X->trouble, 1,
                 "the contacts of rigid bodies beside meshes were not solved: forces still changed by %.3g of the "
                 "largest; try a smaller step, or --path small",
                 change / largest);
    }
    PetscFunctionReturn(0);
}

/* What contact k of a node here got: force, velocity of the node, and what is told of it. */
static void take(CaromExecutor *X, const carom_plan_op *op, PetscInt k, const PetscReal *all, const PetscReal *xb,
                 const PetscReal *mask, PetscReal *x)
{
    CaromObstacles *o = X->motion->obstacles;
    const Head *record = (const Head *)all;
    const PetscInt d = X->d, i = X->node[k], at = o->node[i] * d;
    const PetscBool tied = (PetscBool)(X->tied_at[k] >= 0 && X->set[op->set][X->tied_at[k]]);
    const PetscReal *carried = op->carried != 0 ? X->rows[op->carried] + k * d : NULL, *RJ = all + head;
    PetscReal change[3] = {0, 0, 0}, force[3] = {0, 0, 0}, normal = record->at.w[0];
    for (PetscInt s = 0; s < d; s++) {
        change[s] = record->at.r[s] - (carried != NULL ? carried[s] : 0);
        X->rows[op->r][k * d + s] = record->at.r[s];
    }
    for (PetscInt j = 0; j < X->movers; j++) {
        normal -= RJ[j] * xb[j];
    }
    X->slack[k] = op->normal ? CAROM_UNSOLVED : PetscMax(0, normal - record->at.lo);
    o->led[i] = (PetscBool)(record->at.sliding > 0);
    CaromOutOfFrame(d, record->at.frame, 1, change, force);
    for (PetscInt s = 0; s < d && !tied; s++) {
        if (mask[at + s] > 0) { /* a support has the rest */
            X->carry[op->y * X->width + 3 + s] += force[s];
            x[at + s] += force[s] / X->mass[i];
        }
    }
    X->holds[i] = record->at.r[0] > 0 ? k : X->holds[i] == k ? -1 : X->holds[i];
}

/* All records: those of nodes of all ranks, then of the mechanism's own contacts, which every rank has. */
typedef struct {
    PetscInt nodes, count, here, start; /* of nodes, all; of nodes here, from start on */
    PetscInt *row;                      /* of those here, then of the mechanism's own */
    PetscReal *all;
} Records;

static PetscErrorCode gather(const CaromExecutor *X, const carom_plan_op *op, const PetscReal *x, const PetscReal *mask,
                             Records *records)
{
    MPI_Comm comm = X->motion->space->mesh.comm;
    const PetscInt width = head + X->d * X->movers, first = X->K - X->own_rows;
    PetscReal *mine;
    PetscMPIInt rank, ranks, count, *counts, *starts, total = 0;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCall(PetscMalloc1(X->K, &records->row));
    PetscCall(PetscMalloc3(X->N * width, &mine, ranks, &counts, ranks, &starts));
    for (PetscInt k = 0; k < X->N; k++) {
        if (X->joined[k] && X->set[op->set][k]) {
            node_record(X, op, k, x, mask, mine + records->here * width);
            records->row[records->here++] = k;
        }
    }
    count = (PetscMPIInt)(records->here * width);
    PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, comm));
    for (PetscMPIInt r = 0; r < ranks; r++) {
        starts[r] = total;
        total += counts[r];
    }
    PetscCall(PetscMalloc1(total + X->own_rows * width, &records->all));
    PetscCallMPI(MPI_Allgatherv(mine, count, MPIU_REAL, records->all, counts, starts, MPIU_REAL, comm));
    records->nodes = records->count = total / width;
    records->start = starts[rank] / width;
    for (PetscInt l = X->motion->space->model->mechanism->constraints; l < X->own_rows; l++) {
        if (X->set[op->set][first + l]) {
            records->row[records->here + records->count - records->nodes] = first + l;
            own_record(X, op, l, records->all + records->count++ * width);
        }
    }
    PetscCall(PetscFree3(mine, counts, starts));
    PetscFunctionReturn(0);
}

/* Contacts of the mechanism that stuck and slide now: then the problem is another. */
static PetscBool breaks(CaromExecutor *X, const carom_plan_op *op, Records *records, PetscInt width)
{
    PetscBool any = PETSC_FALSE;
    for (PetscInt k = records->nodes; k < records->count && !op->normal && !op->equal; k++) {
        Head *record = (Head *)(records->all + k * width);
        const PetscInt row = records->row[records->here + k - records->nodes];
        if (CaromOwnBreaks(X, row, record->at.r)) {
            record->at.mu = X->rows[CAROM_ROWS_MU][row * X->d];
            any = PETSC_TRUE;
        }
    }
    return any;
}

PetscErrorCode CaromTailContact(CaromExecutor *X, const carom_plan_op *op, PetscReal *x)
{
    const PetscInt d = X->d, n = X->movers, width = head + d * n;
    Joined joined = {.d = d, .n = n, .xb = CaromTailOf(X, op->y)};
    Records records = {0};
    const PetscReal *mask;
    PetscReal *r = X->rows[op->r];
    PetscFunctionBeginUser;
    for (PetscInt j = X->N * d; j < X->K * d; j++) {
        r[j] = op->carried != 0 ? X->rows[op->carried][j] : 0;
    }
    PetscCall(PetscMalloc3(n * n, &joined.P, n, &joined.work, n, &joined.diagonal));
    PetscCall(eliminate_tied(X, op, x, &joined));
    eliminate_constraints(X, op, &joined);
    PetscCall(VecGetArrayRead(X->motion->space->mask, &mask));
    PetscCall(gather(X, op, x, mask, &records));
    do {
        PetscCall(sweep(X, op, &joined, records.count, records.all));
    } while (X->trouble->code == 0 && breaks(X, op, &records, width));
    for (PetscInt k = 0; k < records.here; k++) {
        take(X, op, records.row[k], records.all + (records.start + k) * width, joined.xb, mask, x);
    }
    for (PetscInt k = records.nodes; k < records.count; k++) {
        const Head *record = (const Head *)(records.all + k * width);
        PetscCall(PetscArraycpy(r + records.row[records.here + k - records.nodes] * d, record->at.r, d));
    }
    PetscCall(follow(X, op, &joined, x));
    PetscCall(VecRestoreArrayRead(X->motion->space->mask, &mask));
    PetscCall(PetscFree(records.row));
    PetscCall(PetscFree(records.all));
    PetscCall(PetscFree3(joined.P, joined.work, joined.diagonal));
    PetscFunctionReturn(0);
}
