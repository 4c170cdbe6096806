/* The condensed contact problem: A is factorised, W = (A^-1) of the contact nodes is made once per operator by solves
 * with many right hand sides, and a step is two solves around a dense problem u = W lambda + q, given to the friction
 * solvers of small models on the first rank. For moderate sizes, many steps, or accuracy beyond what iterations give.
 *
 * Of several ranks the first has the factor: a parallel factorisation (MUMPS) adds as messages arrive, and repeats no
 * bits. Options of the factorisation have the prefix carom_, on several ranks carom_telescope_:
 * ..pc_factor_mat_solver_type (cholmod where PETSc has it, else mumps) ... -carom_pc_type cholesky
 * -carom_pc_factor_mat_solver_type mumps shares the factor among the ranks. */
#include "contact_impl.h"

#include "carom/friction.h"

#define COLUMNS 64      /* right hand sides at once */
#define LARGEST_W 24000 /* components of contact nodes: W takes 4.6 GB then */

typedef struct {
    KSP ksp;
    PetscReal *W; /* first rank: [m m], m = components of all rows, in plain components */
    PetscMPIInt *counts, *starts;
    PetscInt m;
    /* A row of nodes stands for the velocity of a contact node, or for that of a slave relative to its masters. */
    PetscInt rows, *node, *tie; /* here; tie -1: none */
    PetscInt *row_of, *tie_row; /* of a contact node by its number, of a tie */
} Direct;

static PetscErrorCode forget(CaromContact S)
{
    Direct *D = (Direct *)S->data;
    PetscFunctionBegin;
    PetscCall(KSPDestroy(&D->ksp));
    PetscCall(PetscFree(D->W));
    PetscCall(PetscFree2(D->counts, D->starts));
    PetscCall(PetscFree4(D->node, D->tie, D->row_of, D->tie_row));
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
    PetscMPIInt ranks;
    PetscBool cholmod, given;
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
    PetscCallMPI(MPI_Comm_size(S->comm, &ranks));
    /* the same speed on blocks; MUMPS takes fifty times as long on a line of cells, whose fronts are tiny */
    PetscCall(MatSolverTypeGet(MATSOLVERCHOLMOD, MATSEQAIJ, MAT_FACTOR_CHOLESKY, &cholmod, NULL, NULL));
    if (ranks == 1) {
        PetscCall(PCSetType(pc, PCCHOLESKY));
        PetscCall(PCFactorSetMatSolverType(pc, cholmod ? MATSOLVERCHOLMOD : MATSOLVERMUMPS));
    } else {
        const char *const option[3][2] = {
            {"-carom_telescope_ksp_type", KSPPREONLY},
            {"-carom_telescope_pc_type", PCCHOLESKY},
            {"-carom_telescope_pc_factor_mat_solver_type", cholmod ? MATSOLVERCHOLMOD : MATSOLVERMUMPS}};
        PetscCall(PCSetType(pc, PCTELESCOPE));
        PetscCall(PCTelescopeSetReductionFactor(pc, ranks));
        for (int k = 0; k < 3; k++) {
            PetscCall(PetscOptionsHasName(NULL, NULL, option[k][0], &given));
            if (!given) {
                PetscCall(PetscOptionsSetValue(NULL, option[k][0], option[k][1]));
            }
        }
    }
    PetscCall(KSPSetFromOptions(D->ksp));
    PetscCall(KSPSetUp(D->ksp));
    PetscCall(MatDestroy(&copy));
    PetscFunctionReturn(0);
}

/* The rows: contact nodes, but for slaves that meet nothing but a face, then ties. */
static PetscErrorCode list_rows(CaromContact S, Direct *D)
{
    const PetscInt ties = S->ties != NULL ? S->ties->n : 0;
    PetscInt all;
    PetscFunctionBegin;
    PetscCall(
        PetscMalloc4((S->count + ties), &D->node, (S->count + ties), &D->tie, S->count, &D->row_of, ties, &D->tie_row));
    PetscCall(PetscArrayzero(D->row_of, S->count));
    for (PetscInt t = 0; t < ties; ++t) {
        D->row_of[S->number[S->ties->node[t]]] = S->ties->alone[t] ? -1 : 0;
    }
    for (PetscInt k = 0; k < S->count; ++k) {
        if (D->row_of[k] == 0) {
            D->node[D->rows] = S->nodes[k];
            D->tie[D->rows] = -1;
            D->row_of[k] = D->rows++;
        }
    }
    for (PetscInt t = 0; t < ties; ++t) {
        D->node[D->rows] = S->ties->node[t];
        D->tie[D->rows] = t;
        D->tie_row[t] = D->rows++;
    }
    PetscCall(MPIU_Allreduce(&D->rows, &all, 1, MPIU_INT, MPI_SUM, S->comm));
    D->m = all * S->d;
    PetscFunctionReturn(0);
}

/* Unit forces of components first .. first + width - 1 as columns: on the node, and against it on the masters; none
 * where fixed. */
static PetscErrorCode unit_forces(CaromContact S, const Direct *D, PetscInt first, PetscInt width, Mat B)
{
    const PetscInt d = S->d;
    PetscInt begin, lead;
    PetscMPIInt rank;
    PetscScalar *b;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(S->comm, &rank));
    PetscCall(MatGetOwnershipRange(S->A, &begin, NULL));
    for (PetscInt k = PetscMax(0, first - D->starts[rank]); k < D->rows * d && k + D->starts[rank] < first + width;
         ++k) {
        const PetscInt row = k / d, c = k % d, column = k + D->starts[rank] - first, t = D->tie[row];
        PetscCall(MatSetValue(B, begin + D->node[row] * d + c, column, 1.0, INSERT_VALUES));
        for (PetscInt e = t >= 0 ? S->ties->first[t] : 0; t >= 0 && e < S->ties->first[t + 1]; ++e) {
            PetscCall(MatSetValue(B, S->ties->master[e] * d + c, column, -S->ties->weight[e], INSERT_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatDenseGetLDA(B, &lead));
    PetscCall(MatDenseGetArray(B, &b));
    for (PetscInt j = 0; j < width; ++j) {
        for (PetscInt k = 0; k < S->fixed_count; ++k) {
            b[j * lead + S->fixed[k]] = 0.0;
        }
    }
    PetscCall(MatDenseRestoreArray(B, &b));
    PetscFunctionReturn(0);
}

/* The rows' velocities of a column. */
static PetscErrorCode take_rows(CaromContact S, const Direct *D, Mat X, PetscInt j, PetscReal *part)
{
    const PetscInt d = S->d;
    const PetscReal *x, *g = NULL;
    Vec column;
    PetscFunctionBegin;
    PetscCall(MatDenseGetColumnVecRead(X, j, &column));
    if (S->ties != NULL) {
        PetscCall(MatMult(S->ties->C, column, S->ties->gathered));
        PetscCall(VecGetArrayRead(S->ties->gathered, &g));
    }
    PetscCall(VecGetArrayRead(column, &x));
    for (PetscInt k = 0; k < D->rows * d; ++k) {
        const PetscInt t = D->tie[k / d];
        part[k] = x[D->node[k / d] * d + k % d] - (t >= 0 ? g[t * d + k % d] : 0.0);
    }
    PetscCall(VecRestoreArrayRead(column, &x));
    if (S->ties != NULL) {
        PetscCall(VecRestoreArrayRead(S->ties->gathered, &g));
    }
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &column));
    PetscFunctionReturn(0);
}

static PetscErrorCode condense(CaromContact S, Direct *D)
{
    const PetscInt d = S->d, m = D->m;
    PetscReal *part;
    PetscMPIInt rank, mine = (PetscMPIInt)(D->rows * d);
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(S->comm, &rank));
    PetscCheck(m <= LARGEST_W, S->comm, PETSC_ERR_MEM,
               "%d components of contact nodes are too many for a dense W (limit %d); use %s", (int)m, LARGEST_W,
               "-carom_contact_type tnn or mprgp");
    PetscCall(PetscMalloc2(S->ranks, &D->counts, S->ranks, &D->starts));
    PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, D->counts, 1, MPI_INT, S->comm));
    D->starts[0] = 0;
    for (PetscMPIInt r = 1; r < S->ranks; ++r) {
        D->starts[r] = D->starts[r - 1] + D->counts[r - 1];
    }
    if (rank == 0) {
        PetscCall(PetscMalloc1((size_t)(m * m), &D->W));
    }
    PetscCall(PetscMalloc1(mine, &part));
    for (PetscInt first = 0; first < m; first += COLUMNS) {
        const PetscInt width = PetscMin(COLUMNS, m - first);
        Mat B, X;
        PetscCall(MatCreateDense(S->comm, S->size, PETSC_DECIDE, S->total, width, NULL, &B));
        PetscCall(MatCreateDense(S->comm, S->size, PETSC_DECIDE, S->total, width, NULL, &X));
        PetscCall(unit_forces(S, D, first, width, B));
        PetscCall(KSPMatSolve(D->ksp, B, X));
        for (PetscInt j = 0; j < width; ++j) { /* W is symmetric: a column is a row */
            PetscCall(take_rows(S, D, X, j, part));
            PetscCallMPI(MPI_Gatherv(part, mine, MPIU_REAL, rank == 0 ? D->W + (first + j) * m : NULL, D->counts,
                                     D->starts, MPIU_REAL, 0, S->comm));
        }
        PetscCall(MatDestroy(&B));
        PetscCall(MatDestroy(&X));
    }
    PetscCall(PetscFree(part));
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
        PetscCall(list_rows(S, D));
        PetscCall(factorise(S, D));
        PetscCall(condense(S, D));
    }
    *direct = (Direct *)S->data;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromContactDirect(CaromContact S, CaromDirect *direct)
{
    Direct *D;
    PetscMPIInt rank;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(S->comm, &rank));
    PetscCall(prepare(S, &D));
    *direct = (CaromDirect){.ksp = D->ksp,
                            .W = D->W,
                            .m = D->m,
                            .start = D->starts[rank],
                            .number = S->number,
                            .row_of = D->row_of,
                            .tie_row = D->tie_row};
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
    for (PetscInt k = 0; k < K->n; ++k) { /* nothing stands there yet */
        CaromTurnBack(d, K->R + k * d * d, gradient + k * d, a + K->node[k] * d);
        for (PetscInt j = 0; j < d; ++j) {
            a[K->node[k] * d + j] = -a[K->node[k] * d + j];
        }
    }
    PetscCall(VecRestoreArray(S->r, &a));
    PetscCall(CaromTiedForces(S, S->r));
    PetscCall(KSPSolve(D->ksp, S->r, S->q));
    PetscFunctionReturn(0);
}

/* v += change, a velocity in plain components */
static PetscErrorCode add_plain(CaromContact S, Vec change, Vec v)
{
    const CaromCandidates *K = &S->K;
    const PetscInt d = S->d;
    PetscReal *a;
    PetscFunctionBegin;
    if (S->ties != NULL) {
        PetscCall(CaromTiesApply(S->ties, -1.0, change));
    }
    PetscCall(VecGetArray(change, &a));
    for (PetscInt k = 0; k < K->n; ++k) {
        PetscReal y[CAROM_SMALL];
        CaromTurn(d, K->R + k * d * d, a + K->node[k] * d, y);
        for (PetscInt i = 0; i < d; ++i) {
            a[K->node[k] * d + i] = K->free[k * d + i] * y[i];
        }
    }
    PetscCall(VecRestoreArray(change, &a));
    PetscCall(VecAXPY(v, 1.0, change));
    PetscFunctionReturn(0);
}

/* ---- the dense problem on the first rank ------------------------------------------------------------------------- */

typedef struct {
    PetscInt n; /* candidates of all ranks */
    PetscReal
        *record; /* [n] of: number, mu, free [d], velocity [d], frame [d d]; then the force [d] replaces the velocity */
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

/* The problem of the candidates `in` alone: their entries of force. */
static PetscErrorCode solve_chosen(CaromContact S, const Direct *D, Gathered *G, PetscInt n, const PetscInt *in,
                                   PetscReal *force, PetscInt *sweeps)
{
    const PetscInt d = S->d, dim = d < 2 ? 2 : d;
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
        const PetscReal *a = G->record + in[i] * G->width;
        mu[i] = d == 1 ? 0.0 : a[1];
        row[i] = (int)(i * n);
        for (PetscInt j = 0; j < d; ++j) {
            q[i * dim + j] = a[2 + d + j];
        }
        for (PetscInt j = 0; j < n; ++j) {
            column[i * n + j] = (int)j;
            block(D, d, a, G->record + in[j] * G->width, dim, blocks + (i * n + j) * dim * dim);
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
    *sweeps += result.iterations;
    if (status == CAROM_CONTACT && result.residual > 1e-2 * S->tol) {
        options.solver = NULL; /* all methods in turn, from the best point so far */
        status = carom_friction_solve(&problem, &options, r, u, &result, work, bytes);
        *sweeps += result.iterations;
    }
    PetscCheck(status == CAROM_OK || status == CAROM_CONTACT, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "condensed contact problem: %s", carom_status_text(status));
    for (PetscInt i = 0; i < n * d; ++i) {
        force[in[i / d] * d + i % d] = r[i / d * dim + i % d];
    }
    PetscCall(PetscFree(work));
    PetscCall(PetscFree2(row, column));
    PetscCall(PetscFree5(mu, q, r, u, blocks));
    PetscFunctionReturn(0);
}

/* Candidates that close without forces make a first problem; those that its forces close join it until there are none.
 * So the size of the problem, and what its tolerance is relative to, are those of contacts that matter, however many
 * are open and however far. */
static PetscErrorCode solve_gathered(CaromContact S, const Direct *D, Gathered *G, PetscInt *sweeps)
{
    const PetscInt d = S->d, dim = d < 2 ? 2 : d;
    PetscInt n = 0, before = -1, *in;
    PetscBool *chosen;
    PetscReal *force;
    PetscFunctionBegin;
    PetscCall(PetscCalloc3(G->n, &in, G->n, &chosen, (size_t)(G->n * d), &force));
    *sweeps = 0;
    while (n > before) {
        before = n;
        for (PetscInt i = 0; i < G->n; ++i) {
            const PetscReal *a = G->record + i * G->width;
            PetscReal normal = a[2 + d]; /* velocity with the forces at hand */
            double W[CAROM_SMALL * CAROM_SMALL];
            for (PetscInt k = 0; k < before && !chosen[i]; ++k) {
                block(D, d, a, G->record + in[k] * G->width, dim, W);
                for (PetscInt j = 0; j < d; ++j) {
                    normal += W[j] * force[in[k] * d + j];
                }
            }
            if (!chosen[i] && normal < 0.0) {
                chosen[i] = PETSC_TRUE;
                in[n++] = i;
            }
        }
        if (n > before) {
            PetscCall(solve_chosen(S, D, G, n, in, force, sweeps));
        }
    }
    for (PetscInt i = 0; i < G->n * d; ++i) {
        G->record[i / d * G->width + 2 + d + i % d] = force[i];
    }
    PetscCall(PetscFree3(in, chosen, force));
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
        at[0] = (PetscReal)(D->starts[rank] / d + (K->tie[k] >= 0 ? D->tie_row[K->tie[k]] : D->row_of[K->number[k]]));
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
    PetscCall(CaromTiedForces(S, S->r));
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
