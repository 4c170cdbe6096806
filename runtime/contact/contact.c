/* The contact problem: which solver, Painleve's contacts, and the one look at the law. See carom/contact.h. */
#include "contact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define DEFAULT_TOLERANCE 1e-11
#define ROUNDING 4e-15 /* of the model's speeds: less is not asked for */
#define PIVOT 1e-12    /* of W_NN: less is none */

enum { KKT, SPARSE, FULL, PRODUCTS, PILE, SOLVERS };

#define ANY_LAW (CAROM_LAW_EQUAL | CAROM_LAW_UNILATERAL | CAROM_LAW_PLANAR | CAROM_LAW_SPATIAL)

static const carom_solver solvers[SOLVERS] = {
    {"kkt",
     "active sets on the sparse factor of A and all rows: no friction, rows that are written",
     CAROM_LAW_EQUAL | CAROM_LAW_UNILATERAL,
     CAROM_NEEDS_PRODUCTS,
     {0, 0}},
    {"sparse",
     "blocks of contacts that touch the same small part of A; no bilateral rows",
     ANY_LAW,
     CAROM_NEEDS_BLOCKS,
     {0, 0}},
    {"full",
     "active contacts condensed to a full matrix: closed forms for few, then the portfolio",
     ANY_LAW,
     CAROM_NEEDS_FULL,
     {0, 0}},
    {"products",
     "projected gradients, W only as products with the sparse factor",
     ANY_LAW,
     CAROM_NEEDS_PRODUCTS,
     {0, 0}},
    {"pile",
     "sweeps over the parts of the unknowns, W never made; then a smoothed law, then the portfolio: contacts in space",
     ANY_LAW,
     CAROM_NEEDS_PRODUCTS,
     {0, 0}}};

const carom_solver *carom_contact_solvers(int *count)
{
    if (count != NULL) {
        *count = SOLVERS;
    }
    return solvers;
}

/* ---- the choice ------------------------------------------------------------------------------------------------- */

typedef struct {
    int active; /* contacts */
    bool rough; /* one of them has friction */
    bool found; /* a row that is not in the tables takes part */
    bool bilateral;
    bool large; /* some part has no factor of its own */
} kind;

static kind look(const carom_contact_problem *p)
{
    kind k = {0, false, false, false, false};
    for (int i = 0; i < p->parts && p->part != NULL; ++i) {
        k.large = k.large || p->first[i + 1] - p->first[i] > CAROM_PART_MOST;
    }
    for (int i = 0; i < p->tables->ne; ++i) {
        k.bilateral = k.bilateral || p->set[i];
    }
    for (int c = 0; c < p->contacts; ++c) {
        const int *const row = p->row + c * p->dimension;
        if (p->set[row[0]]) {
            ++k.active;
            k.found = k.found || row[0] >= p->tables->nr;
            for (int l = 1; l < p->dimension; ++l) {
                k.rough = k.rough || (row[l] >= 0 && p->set[row[l]] && p->mu != NULL && p->mu[c] > 0.0);
            }
        }
    }
    return k;
}

static int choose(const carom_contact_problem *p, kind k)
{
    if (p->solver != NULL) {
        for (int s = 0; s < SOLVERS; ++s) {
            if (strcmp(p->solver, solvers[s].name) == 0) {
                const bool can = s == KKT      ? !k.rough && !k.found && p->hit == NULL && p->given == NULL
                                 : s == SPARSE ? p->part != NULL
                                 : s == PILE
                                     ? p->part != NULL && p->dimension > 2 && p->given == NULL && p->rides == NULL
                                     : true;
                return can ? s : SOLVERS;
            }
        }
    }
    if (!k.rough && !k.found && p->hit == NULL && p->given == NULL) {
        return KKT;
    }
    if (k.found && k.active > 1 && p->part != NULL && p->dimension > 2 && p->solver == NULL && p->given == NULL &&
        p->rides == NULL) {
        return PILE;
    }
    if (p->part != NULL && !k.bilateral && !k.large) {
        return SPARSE;
    }
    return k.active * p->dimension <= CAROM_CONTACT_FULL ? FULL : PRODUCTS;
}

const char *carom_contact_choice(const carom_contact_problem *problem)
{
    const int s = choose(problem, look(problem));
    return s < SOLVERS ? solvers[s].name : "none";
}

/* the method of carom/friction.h that was asked for: NULL for its portfolio */
static const char *method(const carom_contact_problem *p)
{
    for (int s = 0; s < SOLVERS && p->solver != NULL; ++s) {
        if (strcmp(p->solver, solvers[s].name) == 0) {
            return NULL;
        }
    }
    return p->solver;
}

/* ---- the condensed problem -------------------------------------------------------------------------------------- */

/* Is there a sliding contact without a finite force? */
static bool wedged(const carom_condensed *w, const carom_friction_problem *W, carom_info *info)
{
    const int d = w->d;
    for (int i = 0; i < w->n; ++i) {
        for (int k = W->row[i]; k < W->row[i + 1] && w->slides[i]; ++k) {
            if (W->column[k] == i && !w->locked[i] && !(W->block[d * d * k] > PIVOT * w->diagonal[d * i])) {
                info->contact = w->row[d * i];
                info->residual = W->block[d * d * k];
                return true;
            }
        }
    }
    return false;
}

/* One contact, or few in the plane: closed forms and modes. */
static bool few(const carom_condensed *w, const carom_friction_problem *W)
{
    const int d = w->d, n = w->n;
    if (n == 1 && W->mu[0] == 0.0) {
        for (int k = 0; k < d; ++k) {
            w->z[k] = k == 0 && w->q[0] < 0.0 ? -w->q[0] / W->block[0] : 0.0;
        }
        return true;
    }
    if (n == 1 && d == 2) {
        (void)carom_friction_planar(W->block[0], W->block[1], W->block[2], W->block[3], w->q[0], w->q[1], W->mu[0],
                                    &w->z[0], &w->z[1]);
        return true;
    }
    if (n == 1) {
        (void)carom_friction_local3(W->block, w->q, W->mu[0], w->z);
        return true;
    }
    if (d == 2 && n <= CAROM_TINY_CONTACTS && W->row[n] == n * n) {
        double full[4 * CAROM_TINY_CONTACTS * CAROM_TINY_CONTACTS];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                for (int k = 0; k < 4; ++k) {
                    full[(2 * i + k / 2) * 2 * n + 2 * j + k % 2] = W->block[4 * (n * i + j) + k];
                }
            }
        }
        return carom_friction_tiny(n, full, W->mu, w->q, w->z) != 0;
    }
    return false;
}

static carom_status solve_blocks(carom_condensed *w, const carom_friction_problem *W, carom_info *info)
{
    const carom_contact_problem *const p = w->p;
    const double tolerance = p->tolerance > 0.0 ? p->tolerance : DEFAULT_TOLERANCE;
    carom_condensed_lock(w, W);
    if (wedged(w, W, info)) {
        return CAROM_PAINLEVE;
    }
    if (method(p) == NULL && few(w, W)) {
        (void)carom_friction_residual(W, 0.0, w->z, w->u, NULL);
        return CAROM_OK;
    }
    const carom_friction_options options = {.solver = method(p),
                                            .tolerance = tolerance,
                                            .velocity_floor = p->slide == NULL ? ROUNDING / tolerance * p->speed : 0.0};
    carom_friction_result result = {.worst = -1};
    const carom_status status = carom_friction_solve(W, &options, w->z, w->u, &result, w->arena.base + w->arena.used,
                                                     w->arena.size - w->arena.used);
    if (status != CAROM_OK) {
        info->contact = result.worst >= 0 && result.worst < w->n ? w->row[w->d * result.worst] : -1;
        info->residual = result.residual;
        info->iterations = result.iterations;
    }
    return status;
}

/* The law at (z, u), as every accepted velocity problem must obey it. */
static carom_status judge(const carom_condensed *w, carom_info *info, carom_counts *counts)
{
    carom_contact_left *const left = &w->space->left;
    const carom_contact_problem *const p = w->p;
    const int d = w->d;
    carom_law_residual law = {0.0, 0.0, -1};
    for (int i = 0; i < w->n; ++i) {
        const double *const z = w->z + d * i, *const u = w->u + d * i, *const W = w->diagonal + d * i;
        double x[3] = {z[0], 0.0, 0.0}, y[3] = {u[0], 0.0, 0.0}, trace = W[0];
        int components = 1;
        if (w->locked[i]) {
            carom_law_row(&law, true, w->row[d * i], W[0], 0.0, w->still[i]);
            continue;
        }
        for (int k = 1; k < d; ++k) {
            if (w->row[d * i + k] >= 0) {
                const double size = fmax(W[k] * fabs(z[k]), fabs(u[k]));
                law.scale = fmax(law.scale, size);
                x[components] = z[k];
                y[components] = u[k];
                trace += W[k];
                ++components;
            }
        }
        if (components == 1) {
            carom_law_row(&law, true, w->row[d * i], W[0], z[0], u[0]);
        } else {
            law.scale = fmax(law.scale, fmax(fabs(u[0]), W[0] * fabs(z[0])));
            carom_law_count(&law, w->row[d * i],
                            sqrt(carom_law_coulomb(components, w->mu[i], components / trace, x, y)));
        }
    }
    /* forces that cancel: is what they leave more than rounding? */
    if (CAROM_LAW_EPSILON * law.scale > p->slow && CAROM_LAW_EPSILON * law.scale > CAROM_LAW_BROKEN * p->speed) {
        info->contact = law.worst;
        info->residual = CAROM_LAW_EPSILON * law.scale;
        return CAROM_CONTACT;
    }
    const double size = fmax(law.scale, CAROM_LAW_ROUNDING * p->speed);
    /* one contact may hold all of the residual that was asked for, beside velocities summed over all components */
    const double broken = fmax(CAROM_LAW_BROKEN, fmax(p->tolerance, w->left) * sqrt((double)w->n * w->d));
    if (!(law.left <= broken * size)) {
        info->contact = law.worst;
        info->residual = law.left;
        return CAROM_CONTACT;
    }
    counts->law = law.left > counts->law * size ? law.left / size : counts->law;
    *left = (carom_contact_left){w->left, law.left, law.worst};
    return CAROM_OK;
}

/* One attempt: r holds the start, gets the answer. */
static carom_status attempt(const carom_contact_problem *p, carom_contact_space *space, int solver, double *x,
                            double *r, carom_info *info, carom_counts *counts)
{
    carom_condensed w = {.p = p, .space = space, .local = solver == SPARSE || solver == PILE, .piled = solver == PILE};
    const size_t skew = (sizeof(double) - (uintptr_t)space->room % sizeof(double)) % sizeof(double);
    w.arena = (carom_arena){.base = (char *)space->room + skew, .size = space->size > skew ? space->size - skew : 0};
    carom_status status = carom_condense(&w, info);
    if (status != CAROM_OK) {
        return status;
    }
    for (int i = 0; i < w.n; ++i) {
        const int row = w.row[w.d * i], rides = w.rides[i];
        w.z[w.d * i] = row >= 0 ? r[row] : rides >= 0 ? w.z[w.d * rides] : p->given[w.contact[i]];
        for (int k = w.d * i + 1; k < w.d * (i + 1); ++k) {
            w.z[k] = w.row[k] >= 0 ? r[w.row[k]] : 0.0;
        }
    }
    if (solver != PILE) {
        carom_condensed_free(&w);
    }
    if (w.n > 0) {
        carom_friction_problem W;
        const carom_arena mark = w.arena;
        const double tolerance = p->tolerance > 0.0 ? p->tolerance : DEFAULT_TOLERANCE;
        const double floor = p->slide == NULL ? ROUNDING / tolerance * p->speed : 0.0;
        bool made = false;
        if (solver == FULL || solver == SPARSE) {
            made = carom_condensed_blocks(&w, solver == FULL, &W, &status, info) &&
                   w.arena.size - w.arena.used >= carom_friction_work_size(&W);
        }
        if (made) {
            status = status == CAROM_OK ? solve_blocks(&w, &W, info) : status;
        } else if (solver == PILE) {
            status = carom_condensed_pile(&w, tolerance, floor, info);
        } else {
            w.arena = mark;
            status = carom_condensed_products(&w, tolerance, floor, info);
        }
        if (status == CAROM_OK && (p->how & CAROM_WITHIN) == 0) {
            status = judge(&w, info, counts);
        }
        if (status != CAROM_OK) {
            return status;
        }
    }
    /* forces, and what they do */
    for (int i = 0; i < p->rows; ++i) {
        r[i] = p->set[i] ? 0.0 : p->carried != NULL ? p->carried[i] : 0.0;
    }
    for (int i = 0; i < w.n; ++i) {
        if (w.row[w.d * i] < 0) { /* given: it is in w.free already */
            r[p->row[w.contact[i] * p->dimension]] = w.z[w.d * i];
        }
        for (int k = 0; k < w.d; ++k) {
            const int row = k == 0 ? w.row[w.d * i] : w.tangent[(w.d - 1) * i + k - 1];
            if (row >= 0) {
                r[row] = k > 0 && w.slides[i] ? -w.along[(w.d - 1) * i + k - 1] * w.z[w.d * i] : w.z[w.d * i + k];
                if (!w.moved) {
                    carom_row_add(p, row, r[row], w.free);
                }
            }
        }
    }
    if (w.moved) {
        memcpy(x, w.x, (size_t)p->tables->nv * sizeof(double));
        return CAROM_OK;
    }
    status = carom_condensed_apply(&w, w.free, p->b, x, info);
    for (int i = 0; i < p->tables->ne && (!w.local || w.far); ++i) {
        r[i] = p->set[i] ? w.dr[i] : r[i];
    }
    return status;
}

carom_status carom_contact_standard(const carom_contact_problem *problem, carom_contact_space *space, double *x,
                                    double *r, carom_info *info, carom_counts *counts)
{
    const int solver = choose(problem, look(problem));
    if (solver == SOLVERS) {
        return CAROM_ARGUMENT;
    }
    if (solver == KKT) {
        return carom_contact_active_set(problem, space, x, r, info, counts);
    }
    ++counts->contact_solves;
    space->left = (carom_contact_left){0.0, 0.0, -1};
    carom_status status = attempt(problem, space, solver, x, r, info, counts);
    for (int k = 0; k < problem->contacts && status == CAROM_PAINLEVE && (problem->how & CAROM_DROP) != 0; ++k) {
        if (counts->painleve == 0U) {
            counts->painleve_contact = info->contact;
            counts->painleve_time = problem->t;
        }
        ++counts->painleve;
        for (int c = 0; c < problem->contacts; ++c) {
            for (int l = 0; l < problem->dimension && problem->row[c * problem->dimension] == info->contact; ++l) {
                if (problem->row[c * problem->dimension + l] >= 0) {
                    problem->set[problem->row[c * problem->dimension + l]] = false;
                }
            }
        }
        info->contact = -1;
        status = attempt(problem, space, solver, x, r, info, counts);
    }
    if (status != CAROM_OK && (problem->how & CAROM_FALL_BACK) != 0) { /* the whole law */
        carom_contact_problem whole = *problem;
        whole.slide = NULL;
        whole.how = problem->how & CAROM_GO_ON;
        for (int i = 0; i < problem->rows; ++i) {
            r[i] = problem->set[i] && problem->carried != NULL ? problem->carried[i] : 0.0;
        }
        info->contact = -1;
        status = attempt(&whole, space, solver, x, r, info, counts);
    }
    return status;
}

/* Contacts that static friction no longer holds slide from now on. */
static bool break_away(const carom_contact_problem *p, const double *r)
{
    bool any = false;
    for (int c = 0; c < p->contacts; ++c) {
        const int *const row = p->row + c * p->dimension;
        double tangent = 0.0;
        for (int k = 1; k < p->dimension; ++k) {
            tangent = row[k] >= 0 && p->set[row[k]] ? hypot(tangent, r[row[k]]) : tangent;
        }
        if (carom_breaks_away(p->breaking[c], p->kinetic[c], p->set[row[0]] ? r[row[0]] : 0.0, tangent)) {
            p->breaking[c] = p->kinetic[c];
            any = true;
        }
    }
    return any;
}

carom_status carom_contact_solve(const carom_contact_problem *problem, carom_contact_space *space, double *x, double *r,
                                 carom_info *info, carom_counts *counts)
{
    carom_status status = carom_contact_standard(problem, space, x, r, info, counts);
    for (int k = 0; k < problem->contacts && status == CAROM_OK && problem->kinetic != NULL && break_away(problem, r);
         ++k) {
        status = carom_contact_standard(problem, space, x, r, info, counts);
    }
    if (status == CAROM_OK && problem->hit != NULL) {
        status = carom_contact_expand(problem, space, x, r, info, counts);
    }
    return status;
}

/* ---- problems that were not solved ------------------------------------------------------------------------------ */

static ptrdiff_t place_of(const void *at, const void *state)
{
    return at == NULL ? 0 : (const char *)at - (const char *)state;
}

static const void *at_place(ptrdiff_t place, const void *state)
{
    return place == 0 ? NULL : (const char *)state + place;
}

void carom_contact_keep(const carom_contact_problem *p, const void *state, carom_contact_place *place)
{
    *place = (carom_contact_place){.A = place_of(p->A, state),
                                   .G = place_of(p->G, state),
                                   .set = place_of(p->set, state),
                                   .slide = place_of(p->slide, state),
                                   .f = place_of(p->f, state),
                                   .b = place_of(p->b, state),
                                   .carried = place_of(p->carried, state)};
}

void carom_contact_kept(const carom_contact_place *place, void *state, carom_contact_problem *p)
{
    p->A = at_place(place->A, state);
    p->G = at_place(place->G, state);
    p->set = (bool *)((char *)state + place->set);
    p->slide = at_place(place->slide, state);
    p->f = at_place(place->f, state);
    p->b = at_place(place->b, state);
    p->carried = at_place(place->carried, state);
}

int carom_contact_unsolved(const carom_contact_problem *p, carom_contact_space *space, carom_failure *failure)
{
    carom_condensed w = {.p = p, .space = space, .local = p->part != NULL};
    const size_t skew = (sizeof(double) - (uintptr_t)space->room % sizeof(double)) % sizeof(double);
    carom_friction_problem W;
    carom_info info;
    w.arena = (carom_arena){.base = (char *)space->room + skew, .size = space->size > skew ? space->size - skew : 0};
    carom_status status = carom_condense(&w, &info);
    if (status != CAROM_OK || !carom_condensed_blocks(&w, !w.local, &W, &status, &info)) {
        return 0;
    }
    carom_condensed_free(&w);
    carom_condensed_lock(&w, &W);
    *failure = (carom_failure){
        .dimension = w.d, .contacts = w.n, .mu = w.mu, .q = w.q, .row = W.row, .column = W.column, .block = W.block};
    return 1;
}
