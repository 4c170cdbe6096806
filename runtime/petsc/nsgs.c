/* The condensed contact problem: A is factorised, W = (A^-1) of the contact nodes is made once per operator by solves with many
 * right hand sides, and a step is two solves around a dense problem u = W lambda + q, given to the friction solvers of small
 * models on the first rank. For moderate sizes, many steps, or accuracy beyond what iterations give.
 *
 * Options of the factorisation have the prefix carom_: -carom_pc_factor_mat_solver_type (mumps), -carom_mat_mumps_icntl_14 ... */
#include "contact_impl.h"

#include "carom/friction.h"

#define COLUMNS 64      /* right hand sides at once */
#define LARGEST_W 24000 /* components of contact nodes: W takes 4.6 GB then */

typedef struct {
    KSP ksp;
    PetscReal *W;          /* first rank: [m m], m = components of all contact nodes, in plain components */
    PetscMPIInt *counts, *starts;
    PetscInt m;
} Direct;

static PetscErrorCode forget(CaromContact S)
{
    Direct *D = (Direct *)S->data;
    PetscFunctionBegin;
    PetscCall(KSPDestroy(&D->ksp));
    PetscCall(PetscFree(D->W));
    PetscCall(PetscFree2(D->counts, D->starts));
    PetscCall(PetscFree(S->data));
    S->forget = NULL;
    PetscFunctionReturn(0);
}

/* Fixed components become unit rows, so that A^-1 is zero between them and the others. */
static PetscErrorCode factorise(CaromContact S, Direct *D)
{
    Mat copy;
    PC pc;
    PetscInt begin, *rows;
    PetscFunctionBegin;
    PetscCall(MatConvert(S->A, MATAIJ, MAT_INITIAL_MATRIX, &copy));
    PetscCall(MatGetOwnershipRange(copy, &begin, NULL));
    PetscCall(PetscMalloc1(S->fixed_count, &rows));
    for (PetscInt k = 0; k < S->fixed_count; ++k) {
        rows[k] = begin + S->fixed[k];
    }
    PetscCall(MatZeroRowsColumns(copy, S->fixed_count, rows, 1.0, NULL, NULL));
    PetscCall(PetscFree(rows));
    PetscCall(MatSetOption(copy, MAT_SPD, PETSC_TRUE));
    PetscCall(KSPCreate(S->comm, &D->ksp));
    PetscCall(KSPSetOptionsPrefix(D->ksp, "carom_"));
    PetscCall(KSPSetOperators(D->ksp, copy, copy));
    PetscCall(KSPSetType(D->ksp, KSPPREONLY));
    PetscCall(KSPGetPC(D->ksp, &pc));
    PetscCall(PCSetType(pc, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    PetscCall(KSPSetFromOptions(D->ksp));
    PetscCall(KSPSetUp(D->ksp));
    PetscCall(MatDestroy(&copy));
    PetscFunctionReturn(0);
}

/* Where the contact nodes are in the whole vector, by components, on every rank. */
static PetscErrorCode places(CaromContact S, Direct *D, PetscInt *all)
{
    const PetscInt d = S->d;
    PetscInt begin, *here;
    PetscMPIInt mine = (PetscMPIInt)(S->count * d);
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(S->A, &begin, NULL));
    PetscCall(PetscMalloc1(mine, &here));
    for (PetscInt k = 0; k < mine; ++k) {
        here[k] = begin + S->nodes[k / d] * d + k % d;
    }
    PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, D->counts, 1, MPI_INT, S->comm));
    D->starts[0] = 0;
    for (PetscMPIInt rank = 1; rank < S->ranks; ++rank) {
        D->starts[rank] = D->starts[rank - 1] + D->counts[rank - 1];
    }
    PetscCallMPI(MPI_Allgatherv(here, mine, MPIU_INT, all, D->counts, D->starts, MPIU_INT, S->comm));
    PetscCall(PetscFree(here));
    PetscFunctionReturn(0);
}

static PetscErrorCode condense(CaromContact S, Direct *D)
{
    const PetscInt d = S->d, m = D->m;
    PetscInt begin, end, *all;
    PetscReal *part;
    PetscMPIInt rank;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(S->comm, &rank));
    PetscCheck(m <= LARGEST_W, S->comm, PETSC_ERR_MEM, "%d components of contact nodes are too many for a dense W (limit %d); use %s",
               (int)m, LARGEST_W, "-carom_contact_type tnn or mprgp");
    PetscCall(PetscMalloc2(S->ranks, &D->counts, S->ranks, &D->starts));
    PetscCall(PetscMalloc1(m, &all));
    PetscCall(places(S, D, all));
    PetscCall(MatGetOwnershipRange(S->A, &begin, &end));
    if (rank == 0) {
        PetscCall(PetscMalloc1((size_t)(m * m), &D->W));
    }
    PetscCall(PetscMalloc1((size_t)(S->count * d), &part));
    for (PetscInt first = 0; first < m; first += COLUMNS) {
        const PetscInt width = PetscMin(COLUMNS, m - first);
        const PetscScalar *x;
        PetscInt lead;
        Mat B, X;
        PetscCall(MatCreateDense(S->comm, S->size, PETSC_DECIDE, S->total, width, NULL, &B));
        PetscCall(MatCreateDense(S->comm, S->size, PETSC_DECIDE, S->total, width, NULL, &X));
        for (PetscInt j = 0; j < width; ++j) {
            if (all[first + j] >= begin && all[first + j] < end) {
                PetscCall(MatSetValue(B, all[first + j], j, 1.0, INSERT_VALUES));
            }
        }
        PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
        PetscCall(KSPMatSolve(D->ksp, B, X));
        PetscCall(MatDenseGetLDA(X, &lead));
        PetscCall(MatDenseGetArrayRead(X, &x));
        for (PetscInt j = 0; j < width; ++j) { /* W is symmetric: a column is a row */
            for (PetscInt k = 0; k < S->count * d; ++k) {
                part[k] = x[j * lead + S->nodes[k / d] * d + k % d];
            }
            PetscCallMPI(MPI_Gatherv(part, (PetscMPIInt)(S->count * d), MPIU_REAL, rank == 0 ? D->W + (first + j) * m : NULL,
                                     D->counts, D->starts, MPIU_REAL, 0, S->comm));
        }
        PetscCall(MatDenseRestoreArrayRead(X, &x));
        PetscCall(MatDestroy(&B));
        PetscCall(MatDestroy(&X));
    }
    PetscCall(PetscFree(part));
    PetscCall(PetscFree(all));
    PetscFunctionReturn(0);
}

static PetscErrorCode prepare(CaromContact S, Direct **direct)
{
    PetscFunctionBegin;
    if (S->data == NULL) {
        Direct *D;
        PetscCall(PetscNew(&D));
        S->data = D;
        S->forget = forget;
        D->m = S->contacts * S->d;
        PetscCall(factorise(S, D));
        PetscCall(condense(S, D));
    }
    *direct = (Direct *)S->data;
    PetscFunctionReturn(0);
}

/* v += A^-1 (b - A v) on free components; v in node coordinates. */
static PetscErrorCode free_solve(CaromContact S, Direct *D, Vec b, Vec v, PetscReal *gradient)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(CaromContactResidualVector(S, b, v, S->r, gradient));
    PetscCall(VecGetArray(S->r, &a));
    for (PetscInt k = 0; k < K->n; ++k) {
        for (PetscInt i = 0; i < d; ++i) {
            for (PetscInt j = 0; j < d; ++j) {
                a[K->node[k] * d + j] -= K->R[(k * d + i) * d + j] * gradient[k * d + i];
            }
        }
    }
    PetscCall(VecRestoreArray(S->r, &a));
    PetscCall(KSPSolve(D->ksp, S->r, S->q));
    PetscFunctionReturn(0);
}

/* v += change in plain components */
static PetscErrorCode add_plain(CaromContact S, Vec change, Vec v)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a;
    PetscFunctionBegin;
    PetscCall(VecGetArray(change, &a));
    for (PetscInt k = 0; k < K->n; ++k) {
        PetscReal y[CAROM_SMALL];
        for (PetscInt i = 0; i < d; ++i) {
            y[i] = 0.0;
            for (PetscInt j = 0; j < d; ++j) {
                y[i] += K->free[k * d + i] * K->R[(k * d + i) * d + j] * a[K->node[k] * d + j];
            }
        }
        PetscCall(PetscArraycpy(a + K->node[k] * d, y, d));
    }
    PetscCall(VecRestoreArray(change, &a));
    PetscCall(VecAXPY(v, 1.0, change));
    PetscFunctionReturn(0);
}

/* ---- the dense problem on the first rank -------------------------------------------------------------------------------- */

typedef struct {
    PetscInt n;         /* candidates of all ranks */
    PetscReal *record;  /* [n] of: number, mu, free [d], velocity [d], frame [d d]; then the force [d] replaces the velocity */
    PetscInt width;
} Gathered;

/* One block R_i W_ij R_j^T in dimension 2 or 3; a line has a tangent without motion. */
static void block(const Direct *D, PetscInt d, const PetscReal *a, const PetscReal *b, PetscInt dim, double *out)
{
    const PetscInt i0 = (PetscInt)a[0] * d, j0 = (PetscInt)b[0] * d;
    const PetscReal *Ra = a + 2 + 2 * d, *Rb = b + 2 + 2 * d, *fa = a + 2, *fb = b + 2;
    for (PetscInt i = 0; i < dim * dim; ++i) {
        out[i] = i % (dim + 1) == 0 && a == b ? 1.0 : 0.0;
    }
    for (PetscInt i = 0; i < d; ++i) {
        for (PetscInt j = 0; j < d; ++j) {
            PetscReal sum = 0.0;
            for (PetscInt k = 0; k < d; ++k) {
                for (PetscInt l = 0; l < d; ++l) {
                    sum += Ra[i * d + k] * D->W[(i0 + k) * D->m + j0 + l] * Rb[j * d + l];
                }
            }
            if (fa[i] > 0.0 && fb[j] > 0.0) {
                out[i * dim + j] = sum;
            } else if (a != b || i != j) {
                out[i * dim + j] = 0.0; /* a fixed component: alone, at rest */
            }
        }
    }
}

static PetscErrorCode solve_gathered(CaromContact S, const Direct *D, Gathered *G, PetscInt *sweeps)
{
    const PetscInt d = S->d, dim = d < 2 ? 2 : d, n = G->n;
    carom_friction_problem problem = {.dimension = (int)dim, .contacts = (int)n};
    carom_friction_options options = {.solver = "nsgs", .tolerance = 1e-4 * S->tol, .velocity_floor = 1e-12};
    carom_friction_result result;
    double *mu, *q, *r, *u, *blocks;
    int *row, *column;
    void *work;
    PetscFunctionBegin;
    PetscCall(PetscCalloc5(n, &mu, (size_t)(n * dim), &q, (size_t)(n * dim), &r, (size_t)(n * dim), &u,
                           (size_t)(n * n * dim * dim), &blocks));
    PetscCall(PetscMalloc2((size_t)(n + 1), &row, (size_t)(n * n), &column));
    for (PetscInt i = 0; i < n; ++i) {
        const PetscReal *a = G->record + i * G->width;
        mu[i] = d == 1 ? 0.0 : a[1];
        row[i] = (int)(i * n);
        for (PetscInt j = 0; j < d; ++j) {
            q[i * dim + j] = a[2 + d + j];
        }
        for (PetscInt j = 0; j < n; ++j) {
            column[i * n + j] = (int)j;
            block(D, d, a, G->record + j * G->width, dim, blocks + (i * n + j) * dim * dim);
        }
    }
    row[n] = (int)(n * n);
    problem.mu = mu;
    problem.q = q;
    problem.row = row;
    problem.column = column;
    problem.block = blocks;
    const size_t bytes = carom_friction_work_size(&problem);
    PetscCall(PetscMalloc(bytes, &work));
    carom_status status = carom_friction_solve(&problem, &options, r, u, &result, work, bytes);
    *sweeps = result.iterations;
    if (status == CAROM_CONTACT && result.residual > 1e-2 * S->tol) {
        options.solver = NULL; /* all methods in turn, from the best point so far */
        status = carom_friction_solve(&problem, &options, r, u, &result, work, bytes);
        *sweeps += result.iterations;
    }
    PetscCheck(status == CAROM_OK || status == CAROM_CONTACT, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "condensed contact problem: %s",
               carom_status_text(status));
    for (PetscInt i = 0; i < n * d; ++i) {
        G->record[i / d * G->width + 2 + d + i % d] = r[i / d * dim + i % d];
    }
    PetscCall(PetscFree(work));
    PetscCall(PetscFree2(row, column));
    PetscCall(PetscFree5(mu, q, r, u, blocks));
    PetscFunctionReturn(0);
}

/* Forces of all candidates from their free velocities. */
static PetscErrorCode solve_condensed(CaromContact S, Direct *D, Vec v, PetscReal *force, PetscInt *sweeps)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d, width = 2 + 2 * d + d * d;
    const PetscReal *y;
    PetscReal *mine;
    PetscMPIInt rank, size = (PetscMPIInt)(K->n * width), *counts, *starts, total = 0;
    Gathered G = {0, NULL, width};
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(S->comm, &rank));
    PetscCall(PetscMalloc3(size, &mine, S->ranks, &counts, S->ranks, &starts));
    PetscCall(VecGetArrayRead(v, &y));
    for (PetscInt k = 0; k < K->n; ++k) {
        PetscReal *at = mine + k * width;
        at[0] = (PetscReal)(D->starts[rank] / d + K->number[k]);
        at[1] = K->mu[k];
        PetscCall(PetscArraycpy(at + 2, K->free + k * d, d));
        PetscCall(PetscArraycpy(at + 2 + d, y + K->node[k] * d, d));
        PetscCall(PetscArraycpy(at + 2 + 2 * d, K->R + k * d * d, d * d));
    }
    PetscCall(VecRestoreArrayRead(v, &y));
    PetscCallMPI(MPI_Allgather(&size, 1, MPI_INT, counts, 1, MPI_INT, S->comm));
    for (PetscMPIInt i = 0; i < S->ranks; ++i) {
        starts[i] = total;
        total += counts[i];
    }
    if (rank == 0) {
        PetscCall(PetscMalloc1(total, &G.record));
    }
    PetscCallMPI(MPI_Gatherv(mine, size, MPIU_REAL, G.record, counts, starts, MPIU_REAL, 0, S->comm));
    G.n = total / width;
    if (rank == 0 && G.n > 0) {
        PetscCall(solve_gathered(S, D, &G, sweeps));
    }
    PetscCallMPI(MPI_Bcast(sweeps, 1, MPIU_INT, 0, S->comm));
    PetscCallMPI(MPI_Scatterv(G.record, counts, starts, MPIU_REAL, mine, size, MPIU_REAL, 0, S->comm));
    for (PetscInt k = 0; k < K->n * d; ++k) {
        force[k] = mine[k / d * width + 2 + d + k % d];
    }
    PetscCall(PetscFree(G.record));
    PetscCall(PetscFree3(mine, counts, starts));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactSolve_NSGS(CaromContact S, Vec b, Vec v, PetscReal *gradient, CaromContactResult *result)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a, *y, *force;
    PetscInt sweeps = 0;
    Direct *D = NULL;
    PetscFunctionBegin;
    PetscCall(prepare(S, &D));
    result->target = S->tol * S->bnorm;
    PetscCall(free_solve(S, D, b, v, gradient));
    PetscCall(add_plain(S, S->q, v));
    PetscCall(PetscMalloc1((size_t)(K->n * d), &force));
    PetscCall(solve_condensed(S, D, v, force, &sweeps));
    PetscCall(VecZeroEntries(S->r));
    PetscCall(VecGetArray(S->r, &a));
    for (PetscInt k = 0; k < K->n; ++k) {
        for (PetscInt i = 0; i < d * d; ++i) {
            a[K->node[k] * d + i % d] += K->free[k * d + i / d] * K->R[k * d * d + i] * force[k * d + i / d];
        }
    }
    PetscCall(VecRestoreArray(S->r, &a));
    PetscCall(KSPSolve(D->ksp, S->r, S->q));
    PetscCall(add_plain(S, S->q, v));
    PetscCall(VecGetArray(v, &y));
    for (PetscInt k = 0; k < K->n; ++k) { /* what the law holds is at rest exactly */
        PetscReal *at = y + K->node[k] * d, *f = force + k * d, length = 0.0;
        for (PetscInt i = 1; i < d; ++i) {
            length += f[i] * f[i];
        }
        at[0] = f[0] > 0.0 ? 0.0 : PetscMax(0.0, at[0]);
        for (PetscInt i = 1; i < d && f[0] > 0.0; ++i) {
            at[i] = PetscSqrtReal(length) < (1.0 - 1e-6) * K->mu[k] * f[0] ? 0.0 : at[i];
        }
    }
    PetscCall(VecRestoreArray(v, &y));
    PetscCall(PetscFree(force));
    result->outer += PetscMax(1, sweeps);
    PetscFunctionReturn(0);
}
