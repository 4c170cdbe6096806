/* Semismooth Newton on the Alart-Curnier function and its Jean-Moreau variant.
 *
 * With p = r_N - s u_N and y = r_T - s u_T the function per contact, in velocity units, is
 *
 *     open   p <= 0          F = r / s
 *     stick  |y| <= rho      F = u
 *     slip   |y| >  rho      F_N = u_N,   F_T = (r_T - rho n) / s,    n = y/|y|
 *
 * with the radius rho = mu p (Alart-Curnier) or mu r_N (Jean-Moreau) and s = weight d / trace(W_cc). Open contacts are
 * eliminated (dr = -r). The rows of the others are, with b = rho/|y| and du = (W + (eps + alpha) trace(W_cc)/d) dr,
 *
 *     du_N = -u_N;     stick  du_T = -u_T;
 *     slip   (I - b(I - nn'))/s dr_T + b(I - nn') du_T - mu n dr_N/s  =  -F_T  [+ mu n u_N for Alart-Curnier].
 *
 * The du_N that Alart-Curnier's radius brings into the slip rows is known from the row above, so both variants share
 * one matrix. eps makes hyperstatic systems regular; it enters the matrix only, F stays exact. alpha and a centre
 * belong to the proximal point method. Neither variant dominates: callers try the one, then the other. */
#include "newton.h"

#include <math.h>

#define REGULARISE 1e-9
#define TRIALS 7
#define SUFFICIENT 1e-4
#define FILL_PER_BLOCK 6 /* ordinary fill: blocks of L (or U) per stored block of W */

/* ---- the function ---------------------------------------------------------------------------------------------- */

/* u = W r + q + (alpha/s)(r - centre) */
static void shifted_velocity(const carom_fc *fc, const carom_newton_options *o, const double *r, double *u)
{
    carom_fc_velocity(fc, r, u);
    if (o->shift > 0.0) {
        for (int c = 0; c < fc->n; ++c) {
            const double weight = o->shift / fc->s[c];
            for (int i = fc->d * c; i < fc->d * (c + 1); ++i) {
                u[i] += weight * (r[i] - o->centre[i]); /* NOLINT(*-NullDereference): a shift has a centre */
            }
        }
    }
}

/* F of all contacts and their modes; returns |F|. */
static double evaluate(const carom_fc *fc, const carom_newton_options *o, const double *r, double *u, double *F,
                       carom_newton_contact *contact)
{
    const int d = fc->d;
    shifted_velocity(fc, o, r, u);
    for (int c = 0; c < fc->n; ++c) {
        const double *rc = r + d * c, *uc = u + d * c, s = o->weight * fc->s[c];
        double *Fc = F + d * c;
        carom_newton_contact *state = &contact[c];
        const double p = rc[0] - s * uc[0];
        if (p <= 0.0) {
            state->mode = CAROM_OPEN;
            for (int i = 0; i < d; ++i) {
                Fc[i] = rc[i] / s;
            }
            continue;
        }
        double y[2] = {0.0, 0.0}, length = 0.0;
        for (int i = 1; i < d; ++i) {
            y[i - 1] = rc[i] - s * uc[i];
            length += y[i - 1] * y[i - 1];
        }
        length = sqrt(length);
        const double rho = fc->mu[c] * (o->jean_moreau ? fmax(rc[0], 0.0) : p);
        state->mode = length <= rho && rho > 0.0 ? CAROM_STICK : CAROM_SLIP;
        Fc[0] = uc[0];
        if (state->mode == CAROM_SLIP) {
            state->ratio = length > 0.0 ? rho / length : 0.0;
        }
        for (int i = 1; i < d; ++i) {
            if (state->mode == CAROM_STICK) {
                Fc[i] = uc[i];
            } else {
                state->direction[i - 1] = length > 0.0 ? y[i - 1] / length : 0.0;
                Fc[i] = (rc[i] - rho * state->direction[i - 1]) / s;
            }
        }
    }
    return carom_fc_norm(fc->size, F);
}

/* Residual of the subproblem at P_K(r), which is left in x; u is scratch. */
static double projected_residual(const carom_fc *fc, const carom_newton_options *o, const double *r, double *x,
                                 double *u)
{
    carom_fc_copy(fc->size, r, x);
    carom_fc_project(fc, x);
    shifted_velocity(fc, o, x, u);
    return carom_fc_natural(fc, x, u, NULL);
}

/* ---- the linear system ----------------------------------------------------------------------------------------- */

/* The tangential slip projector b(I - nn') of a contact, by rows; the identity when it sticks. */
static void tangent_map(int d, const carom_newton_contact *state, double T[4])
{
    const int slip = state->mode == CAROM_SLIP;
    if (d == 2) {
        T[0] = slip ? 0.0 : 1.0; /* I - nn' = 0 in the plane */
        return;
    }
    const double n0 = slip ? state->direction[0] : 0.0, n1 = slip ? state->direction[1] : 0.0;
    const double b = slip ? state->ratio : 1.0;
    T[0] = b * (1.0 - n0 * n0);
    T[1] = T[2] = -b * n0 * n1;
    T[3] = b * (1.0 - n1 * n1);
}

/* out = P W: the normal row as it is, the tangential rows through T. */
static void apply_rows(int d, const double T[4], const double *W, double *out)
{
    for (int j = 0; j < d; ++j) {
        out[j] = W[j];
        if (d == 2) {
            out[2 + j] = T[0] * W[2 + j];
        } else {
            out[3 + j] = T[0] * W[3 + j] + T[1] * W[6 + j];
            out[6 + j] = T[2] * W[3 + j] + T[3] * W[6 + j];
        }
    }
}

/* Adds (eps + alpha)/s P = `shift` P and, for slip, Q to the diagonal block. */
static void add_diagonal(int d, const carom_newton_contact *state, const double T[4], double mu, double s, double shift,
                         double *block)
{
    block[0] += shift;
    for (int i = 1; i < d; ++i) {
        for (int j = 1; j < d; ++j) {
            const double t = T[(d - 1) * (i - 1) + j - 1];
            block[d * i + j] += shift * t;
            if (state->mode == CAROM_SLIP) {
                block[d * i + j] += ((i == j ? 1.0 : 0.0) - t) / s;
            }
        }
        if (state->mode == CAROM_SLIP) {
            block[d * i] -= mu * state->direction[i - 1] / s;
        }
    }
}

/* One block row of the matrix and of the right side. */
static void build_row(const carom_fc *fc, carom_newton_space *space, const carom_newton_options *o, const double *r,
                      int c)
{
    const int d = fc->d, dd = d * d, a = space->active[c];
    const carom_newton_contact *state = &space->contact[c];
    double T[4], open[3] = {0.0, 0.0, 0.0}, *rhs = space->rhs + d * a;
    int at = space->row[a];
    tangent_map(d, state, T);
    for (int i = 0; i < d; ++i) {
        rhs[i] = -space->F[d * c + i];
    }
    if (state->mode == CAROM_SLIP && !o->jean_moreau) {
        for (int i = 1; i < d; ++i) {
            rhs[i] += fc->mu[c] * state->direction[i - 1] * space->F[d * c];
        }
    }
    for (int k = fc->row[c]; k < fc->row[c + 1]; ++k) {
        const int j = fc->column[k];
        const double *W = fc->block + dd * k;
        if (space->active[j] < 0) { /* dr = -r moves to the right side */
            for (int i = 0; i < d; ++i) {
                for (int b = 0; b < d; ++b) {
                    open[i] += W[d * i + b] * r[d * j + b];
                }
            }
            continue;
        }
        apply_rows(d, T, W, space->block + dd * at);
        if (j == c) {
            add_diagonal(d, state, T, fc->mu[c], o->weight * fc->s[c], (REGULARISE + o->shift) / fc->s[c],
                         space->block + dd * at);
        }
        space->column[at++] = space->active[j];
    }
    rhs[0] += open[0];
    for (int i = 1; i < d; ++i) {
        for (int j = 1; j < d; ++j) {
            rhs[i] += T[(d - 1) * (i - 1) + j - 1] * open[j];
        }
    }
    space->row[a + 1] = at;
}

static carom_blocks build_system(const carom_fc *fc, carom_newton_space *space, const carom_newton_options *o,
                                 const double *r)
{
    int count = 0;
    for (int c = 0; c < fc->n; ++c) {
        space->active[c] = space->contact[c].mode == CAROM_OPEN ? -1 : count++;
    }
    space->actives = count;
    space->row[0] = 0;
    for (int c = 0; c < fc->n; ++c) {
        if (space->active[c] >= 0) {
            build_row(fc, space, o, r, c);
        }
    }
    return (carom_blocks){fc->d, count, space->row, space->column, space->block};
}

/* The order and fill of the active set, computed anew only when the set has changed. */
static int analyse(carom_fc *fc, carom_newton_space *space, const carom_blocks *A)
{
    int same = space->valid;
    for (int c = 0; c < fc->n && same; ++c) {
        same = (space->analysed[c] >= 0) == (space->active[c] >= 0);
    }
    if (!same) {
        fc->arena.used = space->lu_mark;
        space->valid = carom_lu_analyse(&space->lu, A, &fc->arena);
        for (int c = 0; c < fc->n; ++c) {
            space->analysed[c] = space->active[c];
        }
    }
    return space->valid;
}

/* x = A^-1 rhs with one step of refinement. */
static void solve_refined(const carom_blocks *A, carom_newton_space *space)
{
    const int d = A->d, dd = d * d, size = d * A->n;
    carom_fc_copy(size, space->rhs, space->x);
    carom_lu_solve(&space->lu, space->x);
    for (int a = 0; a < A->n; ++a) {
        for (int k = A->row[a]; k < A->row[a + 1]; ++k) {
            for (int i = 0; i < d; ++i) {
                for (int j = 0; j < d; ++j) {
                    space->rhs[d * a + i] -= A->block[dd * k + d * i + j] * space->x[d * A->column[k] + j];
                }
            }
        }
    }
    carom_lu_solve(&space->lu, space->rhs);
    for (int i = 0; i < size; ++i) {
        space->x[i] += space->rhs[i];
    }
}

/* The Newton step into space->step; 0 when there is no memory for the factors or the step is not finite. */
static int newton_step(carom_fc *fc, carom_newton_space *space, const carom_newton_options *o, const double *r)
{
    const int d = fc->d;
    const carom_blocks A = build_system(fc, space, o, r);
    if (!analyse(fc, space, &A)) {
        return 0;
    }
    (void)carom_lu_factor(&space->lu, &A);
    fc->factorisations++;
    solve_refined(&A, space);
    double sum = 0.0;
    for (int c = 0; c < fc->n; ++c) {
        for (int i = 0; i < d; ++i) {
            const int a = space->active[c];
            space->step[d * c + i] = a < 0 ? -r[d * c + i] : space->x[d * a + i];
            sum += space->step[d * c + i] * 0.0;
        }
    }
    return sum == 0.0;
}

/* ---- the iteration --------------------------------------------------------------------------------------------- */

static void swap_vectors(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

static void swap_contacts(carom_newton_contact **a, carom_newton_contact **b)
{
    carom_newton_contact *c = *a;
    *a = *b;
    *b = c;
}

/* Moves r along the step: the first of 1, 1/2, 1/4 ... that decreases |F| enough, else the best of them. Leaves u, F
 * and contact at the new r; returns |F| there. */
static double search(carom_fc *fc, carom_newton_space *space, const carom_newton_options *o, double *r, double size_F)
{
    double length = 1.0, best_size = HUGE_VAL, best_length = 1.0, size = HUGE_VAL;
    for (int trial = 0; trial <= TRIALS; ++trial) {
        if (trial == TRIALS) { /* none was good enough */
            length = best_length;
        }
        for (int i = 0; i < fc->size; ++i) {
            space->trial[i] = r[i] + length * space->step[i];
        }
        size = evaluate(fc, o, space->trial, space->trial_u, space->trial_F, space->trial_contact);
        if (size <= (1.0 - SUFFICIENT * length) * size_F || trial == TRIALS) {
            break;
        }
        if (size < best_size) {
            best_size = size;
            best_length = length;
        }
        length *= 0.5;
    }
    carom_fc_copy(fc->size, space->trial, r);
    swap_vectors(&space->u, &space->trial_u);
    swap_vectors(&space->F, &space->trial_F);
    swap_contacts(&space->contact, &space->trial_contact);
    return size;
}

carom_newton_outcome carom_newton_run(carom_fc *fc, carom_newton_space *space, const carom_newton_options *o, double *r)
{
    carom_newton_outcome out = {projected_residual(fc, o, r, space->best, space->trial_u), 0};
    double size_F = evaluate(fc, o, r, space->u, space->F, space->contact);
    double reference = out.residual; /* the best residual when patience was last renewed */
    int since = 0;
    while (out.steps < o->limit && out.residual > o->target && since < o->patience) {
        if (!newton_step(fc, space, o, r)) {
            break;
        }
        size_F = search(fc, space, o, r, size_F);
        out.steps++;
        if (!isfinite(size_F)) {
            break;
        }
        const double now = projected_residual(fc, o, r, space->trial, space->trial_u);
        if (now < out.residual) {
            out.residual = now;
            carom_fc_copy(fc->size, space->trial, space->best);
        }
        since++;
        if (out.residual <= 0.5 * reference) {
            reference = out.residual;
            since = 0;
        }
    }
    carom_fc_copy(fc->size, space->best, r);
    return out;
}

/* ---- work space ------------------------------------------------------------------------------------------------ */

int carom_newton_allocate(carom_newton_space *space, carom_fc *fc)
{
    const size_t size = (size_t)fc->size, n = (size_t)fc->n, blocks = (size_t)fc->row[fc->n];
    carom_arena *arena = &fc->arena;
    double **vector[] = {&space->u,       &space->F,    &space->step, &space->trial, &space->trial_u,
                         &space->trial_F, &space->best, &space->rhs,  &space->x};
    int good = 1;
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k) {
        *vector[k] = carom_arena_take(arena, size, sizeof(double));
        good = good && *vector[k] != NULL;
    }
    space->contact = carom_arena_take(arena, n, sizeof(carom_newton_contact));
    space->trial_contact = carom_arena_take(arena, n, sizeof(carom_newton_contact));
    space->active = carom_arena_take(arena, n, sizeof(int));
    space->analysed = carom_arena_take(arena, n, sizeof(int));
    space->row = carom_arena_take(arena, n + 1, sizeof(int));
    space->column = carom_arena_take(arena, blocks, sizeof(int));
    space->block = carom_arena_take(arena, blocks * (size_t)(fc->d * fc->d), sizeof(double));
    space->valid = 0;
    space->lu_mark = arena->used;
    return good && space->contact != NULL && space->trial_contact != NULL && space->active != NULL &&
           space->analysed != NULL && space->row != NULL && space->column != NULL && space->block != NULL;
}

size_t carom_newton_work(int d, int n, int blocks)
{
    const size_t size = (size_t)d * (size_t)n, count = (size_t)n, stored = (size_t)blocks, dd = (size_t)d * (size_t)d;
    const size_t full = count * (count > 0 ? count - 1 : 0) / 2, ordinary = FILL_PER_BLOCK * stored;
    const size_t fill = full < ordinary ? full : ordinary;
    return 9 * carom_arena_round(size * sizeof(double)) + 2 * carom_arena_round(count * sizeof(carom_newton_contact)) +
           3 * carom_arena_round((count + 1) * sizeof(int)) + carom_arena_round(stored * sizeof(int)) +
           carom_arena_round(stored * dd * sizeof(double)) + carom_lu_work(d, n, blocks) +
           (fill + 16) * 2 * (sizeof(int) + dd * sizeof(double));
}

/* ---- as methods ------------------------------------------------------------------------------------------------ */

/* Alternates the variants, each from the point where the other got stuck, until `limit` steps are spent. */
double carom_fc_newton(carom_fc *fc, double *r, double residual, int limit)
{
    const size_t mark = fc->arena.used;
    carom_newton_space space;
    if (carom_newton_allocate(&space, fc)) {
        int jean_moreau = 0, used = 0, idle = 0;
        while (used < limit && residual > fc->tolerance && idle < 2) {
            const carom_newton_options o = {.weight = 1.0,
                                            .jean_moreau = jean_moreau,
                                            .limit = limit - used,
                                            .patience = 12,
                                            .target = fc->tolerance};
            const carom_newton_outcome out = carom_newton_run(fc, &space, &o, r);
            idle = out.residual < residual ? 0 : idle + 1;
            residual = out.residual;
            used += out.steps > 0 ? out.steps : limit;
            jean_moreau = !jean_moreau;
        }
    }
    fc->arena.used = mark;
    return residual;
}

double carom_fc_polish(carom_fc *fc, double *r, double residual, int limit)
{
    const size_t mark = fc->arena.used;
    carom_newton_space space;
    if (carom_newton_allocate(&space, fc)) {
        const carom_newton_options o = {.weight = 1.0, .limit = limit, .patience = 4, .target = fc->tolerance};
        residual = carom_newton_run(fc, &space, &o, r).residual;
    }
    fc->arena.used = mark;
    return residual;
}
