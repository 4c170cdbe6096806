/* Contact problems with a matrix and the mechanism in them. The mesh is condensed to the nodes that take part, by the
 * factor of A and W = E^T A^-1 E (nsgs.c); the mechanism has few unknowns x_b and the operator B = M + wv C + wq K:
 *
 *     x = y + A^-1 sum_a R_a^T s_a,   B x_b = f_b + sum_a J_a^T s_a,   u_a = R_a x + J_a x_b + b_a
 *
 * with y the mesh without forces. What is held (ties, points, constraints, in projections also contacts: u_h = 0) is
 * eliminated together with x_b,
 *
 *     |  B     -J_h^T  | | x_b |     |  f_b + J_c^T r                         |
 *     | -J_h   -R_h W R_h^T | | s_h |  =  |  R_h y + b_h + R_h W R_c^T r    |
 *
 * which leaves u_c = W' r + q of the contacts, given to the friction solvers of small models. The first rank has W and
 * solves all of it. B comes from differences of the mechanism's forces: at the end of a repeat x = 0, whatever B is. */
#include "contact.h"
#include "execute.h"

#include <carom/friction.h>

enum { ELIMINATED_MAX = 2000 };
static const PetscReal nothing = 1e-13; /* pivots, scaled, of what says nothing new */

/* One row of all this as it travels, of numbers only; J [movers] stands behind it. A contact has d of them in a row. */
typedef struct {
    PetscReal at;    /* first row of W of its node, -1: it has none */
    PetscReal held;  /* u = 0; else the law */
    PetscReal mu, u; /* u without forces */
    PetscReal s, w;  /* out: force, u with forces */
    PetscReal R[3];
} Row;

static const PetscInt head = sizeof(Row) / sizeof(PetscReal);

/* Rows of the nodes of all ranks, those here from `start` on, then the mechanism's own, which every rank has. */
typedef struct {
    PetscInt width, here, start, nodes, count;
    PetscReal *mine, *all;
    PetscInt *of; /* component of which row: of those here, then of the mechanism's own */
    PetscMPIInt *counts, *starts;
} Rows;

/* ---- the operator of the mechanism ------------------------------------------------------------------------------- */

/* B += wv C + wq K, C = -df/dv, K = -df/dq, their symmetric parts. */
static PetscErrorCode add_slopes(const CaromExecutor *X, const CaromConfiguration *c, const PetscReal *v, PetscReal wv,
                                 PetscReal wq, PetscReal *B)
{
    const carom_mechanism *m = X->motion->space->model->mechanism;
    const PetscInt n = X->movers;
    PetscReal *f, *q, *way, *moved;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc4(2 * n, &f, X->places, &q, n, &way, n, &moved));
    for (PetscInt k = 0; k < 2 * n; k++) {
        const PetscInt j = k / 2;
        const PetscBool place = (PetscBool)(k % 2 > 0);
        const PetscReal by = 1e-6 * (place ? X->motion->obstacles->size : PetscMax(1, PetscAbsReal(v[j])));
        for (PetscInt side = 0; side < 2; side++) {
            PetscCall(PetscArrayzero(way, n));
            PetscCall(PetscArraycpy(moved, v, n));
            *(place ? way + j : moved + j) += side > 0 ? by : -by;
            CaromTailMoved(X, c->tail, way, q);
            m->force(X->motion->space->p, c->t, q, moved, f + side * n);
        }
        for (PetscInt i = 0; i < n; i++) {
            const PetscReal half = -0.5 * (place ? wq : wv) * (f[n + i] - f[i]) / (2 * by);
            B[i * n + j] += half;
            B[j * n + i] += half;
        }
    }
    PetscCall(PetscFree4(f, q, way, moved));
    PetscFunctionReturn(0);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static PetscReal *add(const CaromExecutor *X, Rows *rows, PetscReal *list, PetscInt i, PetscInt of, Row row)
{
    PetscReal *at = list + i * rows->width;
    *(Row *)at = row;
    (void)PetscArrayzero(at + head, X->movers);
    rows->of[list == rows->mine ? i : rows->here + i - rows->nodes] = of;
    return at + head;
}

/* Row k of a contact node. x: the mesh without forces. */
static void add_contact(const CaromExecutor *X, const carom_plan_op *op, const CaromDirect *D, const PetscReal *x,
                        PetscInt k, Rows *rows)
{
    const CaromObstacles *o = X->motion->obstacles;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt d = X->d, n = X->movers, node = o->node[X->node[k]], tie = o->tie[k];
    const PetscReal *b = X->rows[op->b] + k * d, mu = op->normal ? 0 : X->rows[CAROM_ROWS_MU][k * d];
    const PetscInt at = D->start + d * (tie >= 0 ? D->tie_row[tie] : D->row_of[D->number[node]]);
    for (PetscInt s = 0; s < d && !(op->equal && s > 0 && !(mu > 0)); s++) {
        const PetscReal *R = c->frame + (k * d + s) * d;
        Row row = {.at = (PetscReal)at, .held = op->equal, .mu = mu, .u = s > 0 ? b[s] : b[0] / c->length[k]};
        for (PetscInt l = 0; l < d; l++) {
            row.R[l] = R[l];
            row.u += R[l] * (x[node * d + l] - (tie >= 0 ? X->gathered[tie * d + l] : 0));
        }
        PetscReal *J = add(X, rows, rows->mine, rows->here, k * d + s, row);
        for (PetscInt j = 0; j < d * n && CaromIsMoving(X, k); j++) {
            J[j % n] -= R[j / n] * c->J[k * d * n + j];
        }
        rows->here++;
    }
}

/* Component s of the tied node i. */
static void add_tied(const CaromExecutor *X, const carom_plan_op *op, const CaromDirect *D, const PetscReal *x,
                     PetscInt i, PetscInt s, Rows *rows)
{
    const PetscInt d = X->d, n = X->movers, node = X->tied_node[i], k = X->N + i * d + s;
    Row row = {.at = (PetscReal)(D->start + d * D->row_of[D->number[node]]),
               .held = 1,
               .u = x[node * d + s] + X->rows[op->b][k * d]};
    row.R[s] = 1;
    PetscReal *J = add(X, rows, rows->mine, rows->here, k * d, row);
    for (PetscInt j = 0; j < n; j++) {
        J[j] = -X->at[op->c].tied_J[i * d * (n + 1) + s * n + j];
    }
    rows->here++;
}

/* Row l of the mechanism's own. */
static void add_own(const CaromExecutor *X, const carom_plan_op *op, PetscInt l, Rows *rows)
{
    const PetscInt d = X->d, n = X->movers, k = X->K - X->own_rows + l;
    const PetscBool constraint = CaromIsHeld(X, k);
    const PetscReal mu = op->normal || constraint ? 0 : X->rows[CAROM_ROWS_MU][k * d];
    const PetscReal held = op->equal || constraint ? 1 : 0;
    for (PetscInt s = 0; s < d && !(held > 0 && s > 0 && !(mu > 0)); s++) {
        const Row row = {.at = -1, .held = held, .mu = mu, .u = X->rows[op->b][k * d + s]};
        PetscReal *J = add(X, rows, rows->all, rows->count, k * d + s, row);
        (void)PetscArraycpy(J, X->at[op->c].G + (l * d + s) * n, n);
        rows->count++;
    }
}

static PetscErrorCode gather(CaromExecutor *X, const carom_plan_op *op, const CaromDirect *D, Vec y, Rows *rows)
{
    const PetscBool *set = X->set[op->set];
    const PetscInt d = X->d;
    const PetscReal *x;
    PetscMPIInt rank, ranks, count, total = 0;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(X->motion->space->mesh.comm, &rank));
    PetscCallMPI(MPI_Comm_size(X->motion->space->mesh.comm, &ranks));
    rows->width = head + X->movers;
    PetscCall(PetscMalloc4(X->K * d * rows->width, &rows->mine, X->K * d, &rows->of, ranks, &rows->counts, ranks,
                           &rows->starts));
    PetscCall(VecGetArrayRead(y, &x));
    for (PetscInt k = 0; k < X->N; k++) {
        X->slack[k] = CAROM_UNSOLVED;
        if (set[k] && X->at[op->c].length[k] > 0) {
            add_contact(X, op, D, x, k, rows);
        }
    }
    for (PetscInt i = 0; i < X->tied * d; i++) {
        if (set[X->N + i]) {
            add_tied(X, op, D, x, i / d, i % d, rows);
        }
    }
    PetscCall(VecRestoreArrayRead(y, &x));
    count = (PetscMPIInt)(rows->here * rows->width);
    PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, rows->counts, 1, MPI_INT, X->motion->space->mesh.comm));
    for (PetscMPIInt r = 0; r < ranks; r++) {
        rows->starts[r] = total;
        total += rows->counts[r];
    }
    PetscCall(PetscMalloc1(total + X->own_rows * d * rows->width, &rows->all));
    PetscCallMPI(MPI_Allgatherv(rows->mine, count, MPIU_REAL, rows->all, rows->counts, rows->starts, MPIU_REAL,
                                X->motion->space->mesh.comm));
    rows->nodes = rows->count = total / rows->width;
    rows->start = rows->starts[rank] / rows->width;
    for (PetscInt l = 0; l < X->own_rows; l++) {
        if (set[X->K - X->own_rows + l]) {
            add_own(X, op, l, rows);
        }
    }
    PetscFunctionReturn(0);
}

/* ---- the dense problem, on the first rank ------------------------------------------------------------------------ */

/* Solves A X = F, [n n] and [n m] by rows, in place of F; A is symmetric and lost. Rows that say nothing new give 0. */
static PetscErrorCode eliminate(PetscInt n, PetscInt m, PetscReal *A, PetscReal *F)
{
    PetscReal *scale;
    PetscInt *row;
    PetscBool *done;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc3(n, &scale, n, &row, n, &done));
    for (PetscInt i = 0; i < n; i++) {
        scale[i] = 1;
        row[i] = -1;
    }
    for (PetscInt again = 0; again < 6; again++) { /* rows and columns to one size */
        for (PetscInt i = 0; i < n; i++) {
            PetscReal most = 0;
            for (PetscInt j = 0; j < n; j++) {
                most = PetscMax(most, PetscAbsReal(scale[i] * A[i * n + j] * scale[j]));
            }
            scale[i] /= most > 0 ? PetscSqrtReal(most) : 1;
        }
    }
    for (PetscInt i = 0; i < n * n; i++) {
        A[i] *= scale[i / n] * scale[i % n];
    }
    for (PetscInt i = 0; i < n * m; i++) {
        F[i] *= scale[i / m];
    }
    for (PetscInt step = 0; step < n; step++) { /* Gauss and Jordan, any pivot: of column q in row p */
        PetscInt p = -1, q = -1;
        PetscReal most = nothing;
        for (PetscInt i = 0; i < n; i++) {
            for (PetscInt j = 0; j < n && !done[i]; j++) {
                if (row[j] < 0 && PetscAbsReal(A[i * n + j]) > most) {
                    most = PetscAbsReal(A[i * n + j]);
                    p = i;
                    q = j;
                }
            }
        }
        if (p < 0) {
            break;
        }
        done[p] = PETSC_TRUE;
        row[q] = p;
        for (PetscInt i = 0; i < n; i++) {
            const PetscReal factor = i == p ? 0 : A[i * n + q] / A[p * n + q];
            for (PetscInt j = 0; j < n && factor != 0; j++) {
                A[i * n + j] -= row[j] < 0 || j == q ? factor * A[p * n + j] : 0;
            }
            for (PetscInt j = 0; j < m && factor != 0; j++) {
                F[i * m + j] -= factor * F[p * m + j];
            }
        }
    }
    PetscReal *out;
    PetscCall(PetscCalloc1(n * m, &out));
    for (PetscInt i = 0; i < n * m; i++) {
        const PetscInt p = row[i / m];
        out[i] = p >= 0 ? scale[i / m] * F[p * m + i % m] / A[p * n + i / m] : 0;
    }
    PetscCall(PetscArraycpy(F, out, n * m));
    PetscCall(PetscFree(out));
    PetscCall(PetscFree3(scale, row, done));
    PetscFunctionReturn(0);
}

/* R_a W R_c^T */
static PetscReal between(const CaromDirect *D, PetscInt d, const Row *a, const Row *c)
{
    PetscReal sum = 0;
    for (PetscInt k = 0; k < d * d && a->at >= 0 && c->at >= 0; k++) {
        sum += a->R[k / d] * D->W[((PetscInt)a->at + k / d) * D->m + (PetscInt)c->at + k % d] * c->R[k % d];
    }
    return sum;
}

/* What is left of the contacts, u = W r + q in dimension 2 or 3: a line has a tangent without motion, and so has what
 * cannot move. */
static PetscErrorCode solve_contacts(CaromExecutor *X, PetscInt count, PetscInt d, const PetscReal *mu, PetscReal *W,
                                     const PetscReal *q, PetscReal *r, PetscReal *residual)
{
    const PetscInt dim = PetscMax(d, 2), all = count * dim, nc = count * d;
    carom_friction_options options = {.solver = "nsgs", .tolerance = 1e-5 * X->ctol, .velocity_floor = 1e-12};
    carom_friction_problem problem;
    carom_friction_result result = {0};
    const size_t size = carom_friction_dense_size((int)dim, (int)count);
    double *V, *b, *s, *u;
    void *memory, *work;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc4(all * all, &V, all, &b, all, &s, all, &u));
    for (PetscInt i = 0; i < all; i++) {
        V[i * all + i] = 1;
    }
    for (PetscInt i = 0; i < nc; i++) {
        const PetscInt a = i / d * dim + i % d;
        if (W[i * nc + i] <= 1e-14 * W[i / d * d * nc + i / d * d]) {
            continue;
        }
        b[a] = q[i];
        for (PetscInt j = 0; j < nc; j++) {
            const PetscBool moves = (PetscBool)(W[j * nc + j] > 1e-14 * W[j / d * d * nc + j / d * d]);
            V[a * all + j / d * dim + j % d] = moves ? W[i * nc + j] : 0;
        }
    }
    PetscCall(PetscMalloc1(size, &memory));
    carom_status status = carom_friction_dense((int)dim, (int)count, mu, b, V, memory, size, &problem);
    PetscCheck(status == CAROM_OK, PETSC_COMM_SELF, PETSC_ERR_PLIB, "condensed contacts: %s",
               carom_status_text(status));
    const size_t room = carom_friction_work_size(&problem);
    PetscCall(PetscMalloc1(room, &work));
    status = carom_friction_solve(&problem, &options, s, u, &result, work, room);
    if (status == CAROM_CONTACT && result.residual > 1e-2 * X->ctol) {
        options.solver = NULL; /* all methods in turn, from the best point so far */
        status = carom_friction_solve(&problem, &options, s, u, &result, work, room);
    }
    *residual = status == CAROM_OK || status == CAROM_CONTACT ? result.residual : PETSC_MAX_REAL;
    for (PetscInt i = 0; i < nc; i++) {
        r[i] = s[i / d * dim + i % d];
    }
    PetscCall(PetscFree(work));
    PetscCall(PetscFree(memory));
    PetscCall(PetscFree4(V, b, s, u));
    PetscFunctionReturn(0);
}

/* All of it: s of every row, u of the contacts, x_b. B is lost. */
static PetscErrorCode solve_dense(CaromExecutor *X, const CaromDirect *D, PetscReal *B, const PetscReal *fb,
                                  const Rows *rows, PetscReal *xb, PetscReal *residual)
{
    const PetscInt d = X->d, n = X->movers;
    PetscInt *of, nh = 0, nc = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(rows->count, &of)); /* held ones, then contacts */
    for (PetscInt held = 1; held >= 0; held--) {
        for (PetscInt i = 0; i < rows->count; i++) {
            if (((Row *)(rows->all + i * rows->width))->held == (PetscReal)held) {
                of[nh + nc] = i;
                *(held > 0 ? &nh : &nc) += 1;
            }
        }
    }
    const PetscInt N = n + nh, m = 1 + nc;
    if (N > ELIMINATED_MAX) {
        CaromSay(X->trouble, 2,
                 "ties with %d components are too many for %s beside a mechanism (%d); write D-:M=1, or take --path "
                 "small",
                 (int)nh, X->motion->space->model->scheme.text, ELIMINATED_MAX);
        PetscCall(PetscFree(of));
        PetscFunctionReturn(0);
    }
    PetscReal *A, *F, *W, *q, *r, *mu;
    PetscCall(PetscCalloc6(N * N, &A, N * m, &F, nc * nc, &W, nc, &q, nc, &r, nc, &mu));
    for (PetscInt i = 0; i < n; i++) {
        F[i * m] = fb[i];
        PetscCall(PetscArraycpy(A + i * N, B + i * n, n));
    }
    for (PetscInt a = 0; a < nh + nc; a++) {
        const Row *row = (const Row *)(rows->all + of[a] * rows->width);
        const PetscReal *J = rows->all + of[a] * rows->width + head;
        for (PetscInt i = 0; i < n; i++) {
            if (a < nh) {
                A[(n + a) * N + i] = A[i * N + n + a] = -J[i];
            } else {
                F[i * m + 1 + a - nh] = J[i];
            }
        }
        if (a < nh) {
            F[(n + a) * m] = row->u;
            for (PetscInt c = 0; c < nh + nc; c++) {
                const PetscReal w = between(D, d, row, (const Row *)(rows->all + of[c] * rows->width));
                *(c < nh ? &A[(n + a) * N + n + c] : &F[(n + a) * m + 1 + c - nh]) = c < nh ? -w : w;
            }
        }
    }
    PetscReal *held; /* R_c W R_h^T, J_c */
    PetscCall(PetscMalloc1(nc * N, &held));
    for (PetscInt a = 0; a < nc; a++) {
        const Row *row = (const Row *)(rows->all + of[nh + a] * rows->width);
        PetscCall(PetscArraycpy(held + a * N, rows->all + of[nh + a] * rows->width + head, n));
        for (PetscInt c = 0; c < nh; c++) {
            held[a * N + n + c] = between(D, d, row, (const Row *)(rows->all + of[c] * rows->width));
        }
    }
    PetscCall(eliminate(N, m, A, F));
    for (PetscInt a = 0; a < nc; a++) {
        const Row *row = (const Row *)(rows->all + of[nh + a] * rows->width);
        q[a] = row->u;
        mu[a / d] = row->mu;
        for (PetscInt i = 0; i < N; i++) {
            q[a] += held[a * N + i] * F[i * m];
        }
        for (PetscInt c = 0; c < nc; c++) {
            W[a * nc + c] = between(D, d, row, (const Row *)(rows->all + of[nh + c] * rows->width));
            for (PetscInt i = 0; i < N; i++) {
                W[a * nc + c] += held[a * N + i] * F[i * m + 1 + c];
            }
        }
    }
    *residual = 0;
    if (nc > 0) {
        PetscCall(solve_contacts(X, nc / d, d, mu, W, q, r, residual));
    }
    for (PetscInt i = 0; i < N; i++) {
        PetscReal x = F[i * m];
        for (PetscInt c = 0; c < nc; c++) {
            x += F[i * m + 1 + c] * r[c];
        }
        *(i < n ? xb + i : &((Row *)(rows->all + of[i - n] * rows->width))->s) = x;
    }
    for (PetscInt a = 0; a < nc; a++) {
        Row *row = (Row *)(rows->all + of[nh + a] * rows->width);
        row->s = r[a];
        row->w = q[a];
        for (PetscInt c = 0; c < nc; c++) {
            row->w += W[a * nc + c] * r[c];
        }
    }
    PetscCall(PetscFree(held));
    PetscCall(PetscFree6(A, F, W, q, r, mu));
    PetscCall(PetscFree(of));
    PetscFunctionReturn(0);
}

/* ---- what comes of it -------------------------------------------------------------------------------------------- */

/* Contacts of the mechanism that stuck and slide now: then the problem is another. */
static PetscBool breaks(CaromExecutor *X, const carom_plan_op *op, const Rows *rows)
{
    PetscBool any = PETSC_FALSE;
    for (PetscInt i = rows->nodes; i < rows->count && !op->normal && !op->equal; i++) {
        Row *row = (Row *)(rows->all + i * rows->width);
        const PetscInt d = X->d, of = rows->of[rows->here + i - rows->nodes];
        PetscReal r[3] = {0, 0, 0};
        if (row->held > 0 || of % d > 0) {
            continue;
        }
        for (PetscInt s = 0; s < d; s++) {
            r[s] = ((Row *)(rows->all + (i + s) * rows->width))->s;
        }
        if (CaromOwnBreaks(X, of / d, r)) {
            any = PETSC_TRUE;
        }
    }
    for (PetscInt i = rows->nodes; i < rows->count && any; i++) {
        Row *row = (Row *)(rows->all + i * rows->width);
        row->mu = row->held > 0 ? 0 : X->rows[CAROM_ROWS_MU][rows->of[rows->here + i - rows->nodes] / X->d * X->d];
    }
    return any;
}

/* Forces as rows; force: what they are on the mesh. */
static PetscErrorCode take(CaromExecutor *X, const carom_plan_op *op, const Rows *rows, Vec force)
{
    CaromObstacles *o = X->motion->obstacles;
    const PetscInt d = X->d;
    PetscReal *r = X->rows[op->r], *f;
    PetscFunctionBeginUser;
    PetscCall(PetscArrayzero(r, X->K * d));
    PetscCall(VecSet(force, 0));
    if (o->ties != NULL) {
        PetscCall(PetscArrayzero(X->onto, o->ties->n * d));
    }
    PetscCall(VecGetArray(force, &f));
    for (PetscInt i = 0; i < rows->here + rows->count - rows->nodes; i++) {
        const PetscInt of = rows->of[i], k = of / d;
        const Row *row =
            (const Row *)(rows->all + (i < rows->here ? rows->start + i : rows->nodes + i - rows->here) * rows->width);
        r[of] = row->s;
        if (i >= rows->here) {
            continue;
        }
        const PetscInt node = k < X->N ? o->node[X->node[k]] : X->tied_node[(k - X->N) / d];
        for (PetscInt l = 0; l < d; l++) {
            f[node * d + l] += row->R[l] * row->s;
            if (k < X->N && o->tie[k] >= 0) {
                X->onto[o->tie[k] * d + l] += row->R[l] * row->s;
            }
        }
        if (k < X->N && of % d == 0) {
            const PetscInt at = X->node[k];
            X->slack[k] = op->normal ? CAROM_UNSOLVED : row->held > 0 ? 0 : PetscMax(0, row->w);
            X->holds[at] = row->s > 0 ? k : X->holds[at] == k ? -1 : X->holds[at];
            o->led[at] = PETSC_FALSE;
        }
    }
    PetscCall(VecRestoreArray(force, &f));
    if (o->ties != NULL) {
        PetscCall(CaromTiesSpread(o->ties, -1, X->onto, force));
    }
    X->rows_at[op->r] = op->c;
    X->empty[op->r] = PETSC_FALSE;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCondensedContact(CaromExecutor *X, const carom_plan_op *op, CaromContact solver, PetscInt v,
                                     PetscReal wv, PetscReal wq, Vec x, Vec force)
{
    const CaromSpace *space = X->motion->space;
    const CaromConfiguration *c = X->at + op->c;
    const PetscInt n = X->movers;
    Vec rhs;
    CaromDirect D;
    Rows rows = {0};
    PetscReal *B, *fb, *out, residual, acts, pushes;
    PetscMPIInt rank;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(space->mesh.comm, &rank));
    PetscCall(CaromContactDirect(solver, &D));
    PetscCall(VecDuplicate(x, &rhs));
    PetscCall(VecPointwiseMult(rhs, op->x != 0 ? CaromVectorOf(X, op->x) : X->none, space->mask));
    PetscCall(KSPSolve(D.ksp, rhs, x));
    if (X->motion->obstacles->ties != NULL) {
        PetscCall(CaromTiesGather(X->motion->obstacles->ties, x, X->gathered));
    }
    PetscCall(gather(X, op, &D, x, &rows));
    PetscCall(PetscCalloc3(n * n, &B, n, &fb, n + 1 + rows.count * 2, &out));
    PetscCall(PetscArraycpy(B, c->mass, n * n));
    PetscCall(add_slopes(X, c, CaromTailOf(X, v), wv, wq, B));
    if (op->x != 0) {
        PetscCall(PetscArraycpy(fb, CaromTailOf(X, op->x), n));
    }
    do {
        if (rank == 0) {
            PetscCall(solve_dense(X, &D, B, fb, &rows, out, out + n));
            for (PetscInt i = 0; i < rows.count; i++) {
                const Row *row = (const Row *)(rows.all + i * rows.width);
                out[n + 1 + 2 * i] = row->s;
                out[n + 2 + 2 * i] = row->w;
            }
        }
        PetscCall(CaromAgree(space->mesh.comm, X->trouble));
        PetscCallMPI(MPI_Bcast(out, (PetscMPIInt)(n + 1 + 2 * rows.count), MPIU_REAL, 0, space->mesh.comm));
        for (PetscInt i = 0; i < rows.count; i++) {
            Row *row = (Row *)(rows.all + i * rows.width);
            row->s = out[n + 1 + 2 * i];
            row->w = out[n + 2 + 2 * i];
        }
    } while (X->trouble->code == 0 && breaks(X, op, &rows));
    PetscCall(PetscArraycpy(CaromTailOf(X, op->y), out, n));
    residual = out[n];
    PetscCall(take(X, op, &rows, force));
    PetscCall(VecNorm(rhs, NORM_2, &acts));
    PetscCall(VecPointwiseMult(x, force, space->mask));
    PetscCall(VecNorm(x, NORM_2, &pushes));
    PetscCall(VecAXPY(rhs, 1, x));
    PetscCall(KSPSolve(D.ksp, rhs, x));
    X->motion->info.target = X->ctol * PetscMax(acts, pushes);
    X->motion->info.residual = residual * PetscMax(acts, pushes);
    if (!(residual <= X->ctol)) {
        X->motion->unsolved++;
        if (!X->motion->accept) {
            CaromSay(X->trouble, 1,
                     "the contact problem with the mechanism was not solved to tolerance: residual "
                     "%.3g, target %.3g; try a smaller step",
                     residual, X->ctol);
        }
    }
    PetscCall(VecDestroy(&rhs));
    PetscCall(PetscFree3(B, fb, out));
    PetscCall(PetscFree4(rows.mine, rows.of, rows.counts, rows.starts));
    PetscCall(PetscFree(rows.all));
    PetscFunctionReturn(0);
}
