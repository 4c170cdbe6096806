/* The one interface of the friction solvers: the table of methods, the check of the problem, the shared preparation,
 * and the only place that decides whether a problem is solved. */
#include "solver.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define DEFAULT_TOLERANCE 1e-8
#define RUNAWAY_ROUNDING 1e-3 /* of u: impulses so large that u says nothing */
#define ALIGN 64U             /* a cache line */

/* ---- work space ------------------------------------------------------------------------------------------------ */

size_t carom_arena_round(size_t bytes) { return (bytes + (ALIGN - 1U)) / ALIGN * ALIGN; }

void *carom_arena_take(carom_arena *arena, size_t count, size_t element)
{
    const size_t bytes = carom_arena_round(count * element);
    if (bytes > arena->size - arena->used) {
        const size_t needed = arena->used + bytes;
        arena->missed = needed > arena->missed ? needed : arena->missed;
        return NULL;
    }
    void *memory = arena->base + arena->used;
    arena->used += bytes;
    return memory;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

#define ANY_LAW (CAROM_LAW_UNILATERAL | CAROM_LAW_PLANAR | CAROM_LAW_SPATIAL)
#define EXACT_LAW (CAROM_LAW_UNILATERAL | CAROM_LAW_PLANAR) /* linear complementarity problems */

/* name, function, default iteration limit, laws, what of W it needs, most contacts without and with friction, what it
 * is */
#define METHODS(ENTRY)                                                                                                 \
    ENTRY("tiny", carom_fc_tiny, 1, CAROM_LAW_PLANAR, CAROM_NEEDS_FULL, 0, CAROM_TINY_CONTACTS,                        \
          "planar, up to 3 contacts: last modes first, then all of them")                                              \
    ENTRY("nsgs", carom_fc_nsgs, 20000, ANY_LAW, CAROM_NEEDS_BLOCKS, 0, 0, "Gauss-Seidel with exact local solves")     \
    ENTRY("pgs", carom_fc_nsgs, 20000, CAROM_LAW_UNILATERAL, CAROM_NEEDS_BLOCKS, 0, 0,                                 \
          "projected Gauss-Seidel, frictionless contacts")                                                             \
    ENTRY("anderson", carom_fc_anderson, 10000, ANY_LAW, CAROM_NEEDS_BLOCKS, 0, 0,                                     \
          "Gauss-Seidel with Anderson acceleration")                                                                   \
    ENTRY("newton", carom_fc_newton, 200, ANY_LAW, CAROM_NEEDS_BLOCKS, 0, 0,                                           \
          "semismooth Newton, Alart-Curnier and Jean-Moreau")                                                          \
    ENTRY("prox", carom_fc_prox, 500, ANY_LAW, CAROM_NEEDS_BLOCKS, 0, 0, "proximal point, semismooth Newton inside")   \
    ENTRY("apgd", carom_fc_apgd, 20000, ANY_LAW, CAROM_NEEDS_PRODUCTS, 0, 0,                                           \
          "accelerated projected gradient with restart")                                                               \
    ENTRY("admm", carom_fc_admm, 2000, ANY_LAW, CAROM_NEEDS_BLOCKS, 0, 0,                                              \
          "alternating directions, one factorisation: tall stacks")                                                    \
    ENTRY("augmented", carom_fc_augmented, 1000, ANY_LAW, CAROM_NEEDS_FULL, CAROM_FC_AUGMENTED_CONTACTS,               \
          CAROM_FC_AUGMENTED_CONTACTS, "augmented Lagrangian over velocities, long double: heavy on light")            \
    ENTRY("lemke", carom_fc_lemke, 0, EXACT_LAW, CAROM_NEEDS_FULL, CAROM_FC_LEMKE_ROWS, CAROM_FC_LEMKE_ROWS / 3,       \
          "lexicographic Lemke: planar or frictionless, not large")

typedef struct {
    double (*run)(carom_fc *fc, double *r, double residual, int limit);
    int limit;
} method;

#define METHOD_ROW(name, run, limit, laws, needs, free, rough, text) {run, limit},
static const method methods[] = {{NULL, 0}, METHODS(METHOD_ROW)};

#define SOLVER_ROW(name, run, limit, laws, needs, free, rough, text) {name, text, laws, needs, {free, rough}},
static const carom_solver solvers[] = {{"auto",
                                        "the portfolio: the methods below in turn, chosen by size and progress",
                                        ANY_LAW,
                                        CAROM_NEEDS_BLOCKS,
                                        {0, 0}},
                                       METHODS(SOLVER_ROW)};

#define SOLVERS ((int)(sizeof solvers / sizeof solvers[0]))

const carom_solver *carom_friction_solvers(int *count)
{
    if (count != NULL) {
        *count = SOLVERS;
    }
    return solvers;
}

unsigned carom_friction_laws(const carom_friction_problem *problem)
{
    unsigned laws = CAROM_LAW_UNILATERAL;
    for (int c = 0; c < problem->contacts; ++c) {
        if (problem->mu[c] != 0.0) {
            laws = problem->dimension == 2 ? CAROM_LAW_PLANAR : CAROM_LAW_SPATIAL;
        }
    }
    return laws;
}

int carom_friction_applies(const carom_solver *solver, const carom_friction_problem *problem)
{
    return carom_solver_can(solver, carom_friction_laws(problem), problem->contacts) || /* mu = 0 is planar as well */
           (problem->dimension == 2 && carom_solver_can(solver, CAROM_LAW_PLANAR, problem->contacts));
}

static int find_solver(const char *name)
{
    for (int k = 0; k < SOLVERS; ++k) {
        if (strcmp(solvers[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

/* ---- checking -------------------------------------------------------------------------------------------------- */

/* Columns ascending and in range, diagonal stored, pattern symmetric; fills diagonal. `cursor` is scratch [n]. Returns
 * the first contact at fault or -1. */
static int check_pattern(const carom_friction_problem *problem, int *diagonal, int *cursor)
{
    const int n = problem->contacts;
    const int *row = problem->row, *column = problem->column;
    if (row[0] != 0) {
        return 0;
    }
    for (int c = 0; c < n; ++c) {
        diagonal[c] = -1;
        if (row[c + 1] < row[c]) {
            return c;
        }
        for (int k = row[c]; k < row[c + 1]; ++k) {
            if (column[k] < 0 || column[k] >= n || (k > row[c] && column[k] <= column[k - 1])) {
                return c;
            }
            if (column[k] == c) {
                diagonal[c] = k;
            }
        }
        if (diagonal[c] < 0) {
            return c;
        }
        cursor[c] = row[c];
    }
    /* rows are visited in ascending order, so row j must list its columns in the order in which they ask for it */
    for (int c = 0; c < n; ++c) {
        for (int k = row[c]; k < row[c + 1]; ++k) {
            const int j = column[k];
            if (cursor[j] >= row[j + 1] || column[cursor[j]] != c) {
                return c;
            }
            cursor[j]++;
        }
    }
    return -1;
}

static int all_finite(int size, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += x[i] * 0.0; /* 0 for finite x, else NaN */
    }
    return sum == 0.0;
}

/* A contact between bodies that nothing moves: u = q whatever the impulses are. */
static int immovable(const carom_friction_problem *problem, int c)
{
    const int d = problem->dimension;
    for (int k = d * d * problem->row[c]; k < d * d * problem->row[c + 1]; ++k) {
        if (problem->block[k] != 0.0) {
            return 0;
        }
    }
    return 1;
}

/* Numbers finite, friction nonnegative, every contact movable or at rest. Returns the status; *contact the one at
 * fault. */
static carom_status check_values(const carom_friction_problem *problem, const int *diagonal, const double *r,
                                 int *contact)
{
    const int d = problem->dimension, n = problem->contacts;
    carom_status status = CAROM_OK;
    for (int c = 0; c < n && status == CAROM_OK; ++c) {
        const double *W = problem->block + d * d * diagonal[c];
        double trace = 0.0;
        for (int i = 0; i < d; ++i) {
            trace += W[(d + 1) * i];
        }
        const int count = d * d * (problem->row[c + 1] - problem->row[c]);
        if (!all_finite(d, problem->q + d * c) || !all_finite(1, problem->mu + c) || !all_finite(d, r + d * c) ||
            !all_finite(count, problem->block + d * d * problem->row[c])) {
            status = CAROM_NOT_FINITE;
        } else if (problem->mu[c] < 0.0) {
            status = CAROM_ARGUMENT;
        } else if (!(W[0] > 0.0) || !(trace > 0.0)) {
            status = immovable(problem, c) ? CAROM_OK : CAROM_ARGUMENT;
        }
        if (status != CAROM_OK) {
            *contact = c;
        }
    }
    return status;
}

/* ---- preparation ----------------------------------------------------------------------------------------------- */

static size_t shared_work(int d, int n)
{
    const size_t contacts = (size_t)n;
    return ALIGN + 2 * carom_arena_round(contacts * sizeof(int)) + carom_arena_round(contacts * sizeof(double)) +
           carom_arena_round(contacts * sizeof(carom_local)) +
           2 * carom_arena_round((size_t)d * contacts * sizeof(double));
}

size_t carom_friction_work_size(const carom_friction_problem *problem)
{
    const int d = problem->dimension, n = problem->contacts;
    const size_t newton = carom_fc_prox_work(d, n, problem->row[n]), lemke = carom_fc_lemke_work(problem);
    const size_t admm = carom_fc_admm_work(d, n, problem->row[n]), larger = newton > lemke ? newton : lemke;
    const size_t augmented = carom_fc_augmented_work(d, n), most = larger > admm ? larger : admm;
    return shared_work(d, n) + carom_fc_auto_work(d, n) + (most > augmented ? most : augmented);
}

static carom_status prepare(carom_fc *fc, const carom_friction_problem *problem, const double *r, int *contact)
{
    const size_t n = (size_t)problem->contacts;
    int *diagonal = carom_arena_take(&fc->arena, n, sizeof(int));
    int *cursor = carom_arena_take(&fc->arena, n, sizeof(int));
    double *s = carom_arena_take(&fc->arena, n, sizeof(double));
    carom_local *local = carom_arena_take(&fc->arena, n, sizeof(carom_local));
    if (diagonal == NULL || cursor == NULL || s == NULL || local == NULL) {
        return CAROM_ARGUMENT;
    }
    *contact = check_pattern(problem, diagonal, cursor);
    if (*contact >= 0) {
        return CAROM_ARGUMENT;
    }
    const carom_status status = check_values(problem, diagonal, r, contact);
    if (status != CAROM_OK) {
        return status;
    }
    const int d = problem->dimension;
    for (int c = 0; c < problem->contacts; ++c) {
        const double *W = problem->block + d * d * diagonal[c];
        double trace = 0.0;
        for (int i = 0; i < d; ++i) {
            trace += W[(d + 1) * i];
        }
        s[c] = trace > 0.0 ? (double)d / trace : 1.0;
        carom_local_prepare(d, W, problem->mu[c], &local[c]);
    }
    fc->d = d;
    fc->n = problem->contacts;
    fc->size = d * fc->n;
    fc->mu = problem->mu;
    fc->q = problem->q;
    fc->row = problem->row;
    fc->column = problem->column;
    fc->block = problem->block;
    fc->diagonal = diagonal;
    fc->s = s;
    fc->local = local;
    fc->q_norm = carom_fc_norm(fc->size, problem->q);
    return CAROM_OK;
}

/* ---- solving --------------------------------------------------------------------------------------------------- */

/* Nothing closes: no impulse is needed. */
static int separating(const carom_fc *fc)
{
    int good = 1;
    for (int c = 0; c < fc->n && good; ++c) {
        good = fc->q[fc->d * c] >= 0.0;
    }
    return good;
}

/* Runs the method on a copy of the start and keeps whichever of start and answer is better, inside the cone. */
static double run_method(carom_fc *fc, int which, int limit, double *r, double *u, double *x, const char **stage)
{
    carom_fc_project(fc, r);
    double residual = carom_fc_residual(fc, r, u);
    *stage = "start";
    if (residual <= fc->tolerance) {
        return residual;
    }
    if (separating(fc)) {
        for (int i = 0; i < fc->size; ++i) {
            r[i] = 0.0;
        }
        *stage = "zero";
        return carom_fc_residual(fc, r, u);
    }
    carom_fc_copy(fc->size, r, x);
    if (which == 0) {
        carom_fc_auto(fc, x, residual, stage);
    } else {
        *stage = solvers[which].name;
        methods[which].run(fc, x, residual, limit > 0 ? limit : methods[which].limit);
    }
    carom_fc_project(fc, x);
    const double reached = carom_fc_residual(fc, x, u);
    if (reached <= residual) {
        carom_fc_copy(fc->size, x, r);
        residual = reached;
    } else {
        carom_fc_velocity(fc, r, u);
    }
    return residual;
}

carom_status carom_friction_solve(const carom_friction_problem *problem, const carom_friction_options *options,
                                  double *r, double *u, carom_friction_result *result, void *work, size_t size)
{
    static const carom_friction_options defaults = {NULL, 0.0, 0.0, 0};
    const carom_friction_options *o = options != NULL ? options : &defaults;
    carom_friction_result local_result = {0};
    carom_friction_result *out = result != NULL ? result : &local_result;
    const char *name = o->solver != NULL ? o->solver : "auto";
    *out = (carom_friction_result){.solver = name, .stage = "none", .residual = HUGE_VAL, .worst = -1};

    const int which = find_solver(name);
    if (which < 0 || problem->contacts < 0 || (problem->dimension != 2 && problem->dimension != 3) ||
        !(o->tolerance >= 0.0) || !(o->velocity_floor >= 0.0)) {
        return CAROM_ARGUMENT;
    }
    if (problem->contacts == 0) {
        out->residual = 0.0;
        return CAROM_OK;
    }
    if (!carom_friction_applies(&solvers[which], problem)) {
        return CAROM_ARGUMENT;
    }

    const size_t skew = (ALIGN - (uintptr_t)work % ALIGN) % ALIGN;
    carom_fc fc = {.tolerance = o->tolerance > 0.0 ? o->tolerance : DEFAULT_TOLERANCE, .floor = o->velocity_floor};
    if (work == NULL || size < shared_work(problem->dimension, problem->contacts)) {
        out->work_needed = carom_friction_work_size(problem);
        return CAROM_ARGUMENT;
    }
    fc.arena = (carom_arena){.base = (char *)work + skew, .size = size - skew};
    const carom_status status = prepare(&fc, problem, r, &out->worst);
    if (status != CAROM_OK) {
        return status;
    }

    double *x = carom_arena_take(&fc.arena, (size_t)fc.size, sizeof(double));
    if (x == NULL) {
        return CAROM_ARGUMENT;
    }
    for (int c = 0; c < fc.n; ++c) { /* impulses that move nothing are none */
        for (int i = fc.d * c; i < fc.d * (c + 1) && !(fc.local[c].wnn < HUGE_VAL); ++i) {
            r[i] = 0.0;
        }
    }
    run_method(&fc, which, o->max_iterations, r, u, x, &out->stage);
    out->residual = out->relative = carom_fc_natural(&fc, r, u, &out->worst);
    if (fc.floor > fc.q_norm) {
        carom_fc bare = fc;
        bare.floor = 0.0;
        out->relative = carom_fc_natural(&bare, r, u, NULL);
    }
    out->sweeps = fc.sweeps;
    out->factorisations = fc.factorisations;
    out->iterations = fc.sweeps + fc.factorisations;
    if (fc.arena.missed > 0) {
        const size_t usual = carom_friction_work_size(problem), missed = fc.arena.missed + ALIGN;
        out->work_needed = missed > usual ? missed : usual;
    }
    out->rounding = carom_fc_rounding(&fc, r, u);
    const int doubtful = out->rounding > fc.tolerance;
    if (carom_fc_reached(&fc, out->residual, r, u) &&
        !(doubtful && (out->rounding > RUNAWAY_ROUNDING || carom_fc_squeezed(&fc, x, &(double){0.0}, &(int){0})))) {
        return CAROM_OK;
    }
    if (!isfinite(out->residual) && fc.q_norm > 0.0) {
        return CAROM_NOT_FINITE;
    }
    double bound = 0.0;
    int worst = -1;
    if (carom_fc_squeezed(&fc, x, &bound, &worst)) {
        out->worst = worst;
        return CAROM_INFEASIBLE;
    }
    return CAROM_CONTACT;
}

int carom_friction_certificate(const carom_friction_problem *problem, const carom_friction_options *options, double *z,
                               double *bound, int *worst, void *work, size_t size)
{
    const size_t skew = (ALIGN - (uintptr_t)work % ALIGN) % ALIGN;
    carom_fc fc = {.tolerance = DEFAULT_TOLERANCE};
    int contact = -1, proved = 0;
    *bound = 0.0;
    if (options != NULL) {
        fc.tolerance = options->tolerance > 0.0 ? options->tolerance : DEFAULT_TOLERANCE;
        fc.floor = options->velocity_floor;
    }
    if (work != NULL && problem->contacts > 0 && size >= shared_work(problem->dimension, problem->contacts)) {
        fc.arena = (carom_arena){.base = (char *)work + skew, .size = size - skew};
        const size_t length = (size_t)problem->dimension * (size_t)problem->contacts;
        double *start = carom_arena_take(&fc.arena, length, sizeof(double));
        for (size_t i = 0; start != NULL && i < length; ++i) {
            start[i] = 0.0;
        }
        proved = start != NULL && prepare(&fc, problem, start, &contact) == CAROM_OK &&
                 carom_fc_squeezed(&fc, z, bound, &contact);
    }
    if (worst != NULL) {
        *worst = proved ? contact : -1;
    }
    return proved;
}
