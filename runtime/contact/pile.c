/* Contacts of many bodies: nonsmooth Gauss-Seidel over the velocities of the parts of the unknowns, without ever
 * forming W, with Anderson acceleration (friction/mixing.c). A sweep solves each contact exactly and passes the impulse
 * on to its parts at once; after an extrapolation the velocities are added up anew from the impulses. What sweeps do
 * not solve, Newton's method on a smoothed law does (smooth.c), then the portfolio of friction.h on the blocks of W. */
#include "pile.h"

#include "../friction/mixing.h"

#include <math.h>
#include <string.h>

#define GROWTH 3.0 /* defect, against the best one, at which the history is dropped */
#define CHECK_EVERY 8
#define CHECK_BELOW 3.0 /* defect, in units of tolerance times velocity scale, below which every sweep is checked */
#define ROUND 1e-13     /* of W_cc off its diagonal: nothing */
#define PIVOT 1e-12     /* of W_NN: less is none */

/* faces on faces: sweeps after which the progress is looked at, and once more after as many; iterations of alternating
 * directions */
enum { LOOK = 32, DIRECTIONS = 300 };

/* sweeps from the first guess, then from zero, then at last */
enum { FIRST = 400, SECOND = 400, LAST = 4200 };

/* Contacts up to which the portfolio is as quick as the smoothed law. It goes on from the impulses of the last step,
 * where the smoothed law starts afresh: with several solutions (boxes, much friction) steps would jump from one to the
 * other. */
enum { FEW = 100 };

enum { FACTORED = 500 }; /* bodies beyond which a factorisation costs more than the sweeps it saves */

static void *take(carom_pile *p, int count, size_t element)
{
    return carom_arena_take(&p->w->arena, (size_t)(count > 0 ? count : 1), element);
}

/* ---- the rows of a contact -------------------------------------------------------------------------------------- */

/* Two bodies that move freely, or one: false when it is something else. All rows of such a contact have the same
 * columns, the six of one body, then those of the other. */
static bool pair_of(carom_pile *p, int i, carom_pair *out)
{
    const carom_contact_problem *const P = p->w->p;
    const int *const row = p->w->row + 3 * i, *const column = P->Gj + P->Gp[row[0]];
    const int count = P->Gp[row[0] + 1] - P->Gp[row[0]], sides = count / CAROM_BODY;
    if (count != CAROM_BODY && count != 2 * CAROM_BODY) {
        return false;
    }
    out->at[1] = P->tables->nv;
    out->part[1] = -1;
    out->m[1] = 0.0;
    for (int side = 0; side < sides; ++side) {
        const int part = P->part[column[CAROM_BODY * side]], first = P->first[part];
        if (p->w->kind[part] != CAROM_PART_BODY ||
            memcmp(column + CAROM_BODY * side, P->member + first, CAROM_BODY * sizeof(int)) != 0) {
            return false;
        }
        out->part[side] = part;
        out->at[side] = first;
        out->m[side] = p->w->factor[p->w->start[part]];
    }
    for (int k = 0; k < 3; ++k) {
        static const double none[2 * CAROM_BODY] = {0.0};
        const double *const G = row[k] >= 0 ? P->G + P->Gp[row[k]] : none;
        if (k > 0 && row[k] >= 0 &&
            (P->Gp[row[k] + 1] - P->Gp[row[k]] != count ||
             memcmp(P->Gj + P->Gp[row[k]], column, (size_t)count * sizeof(int)) != 0)) {
            return false;
        }
        for (int l = 0; l < 3; ++l) {
            out->D[3 * k + l] = G[l];
            out->E[0][3 * k + l] = G[3 + l];
        }
        for (int l = 0; l < 3 && sides > 1; ++l) {
            out->E[1][3 * k + l] = G[9 + l];
            if (G[6 + l] != -G[l]) {
                return false;
            }
        }
    }
    for (int side = 0; side < sides; ++side) {
        const double *const J = p->w->factor + p->w->start[out->part[side]] + 1;
        for (int k = 0; k < 3; ++k) {
            const double *const E = out->E[side] + 3 * k;
            double *const F = out->F[side] + 3 * k;
            F[0] = carom_down3(J, E);
            F[1] = carom_down3(J + 1, E);
            F[2] = carom_down3(J + 2, E);
        }
    }
    return true;
}

/* Any parts: values row by row, of A^-1 by the factors. False: no room, or a factor that failed. */
static bool sides_of(carom_pile *p, int i, carom_pile_contact *c, carom_status *status, carom_info *info)
{
    carom_condensed *const w = p->w;
    const carom_contact_problem *const P = w->p;
    int part[2 * CAROM_PART_MOST], count = 0; /* each coordinate may be a part of its own */
    int *list = part, most = 2 * CAROM_PART_MOST;
    for (int k = 0; k < 5; ++k) {
        const int row = k < 3 ? w->row[3 * i + k] : w->tangent[2 * i + k - 3];
        for (int e = row >= 0 ? P->Gp[row] : 0; row >= 0 && e < P->Gp[row + 1]; ++e) {
            bool known = false;
            for (int l = 0; l < count; ++l) {
                known = known || list[l] == P->part[P->Gj[e]];
            }
            if (!known && count == most) {
                int *const more = take(p, 2 * most, sizeof(int));
                if (more == NULL) {
                    return false;
                }
                memcpy(more, list, (size_t)count * sizeof(int));
                list = more;
                most *= 2;
            }
            if (!known) {
                list[count++] = P->part[P->Gj[e]];
            }
        }
    }
    c->sides = count;
    c->of.side = take(p, count, sizeof(carom_side));
    for (int k = 0; k < count && c->of.side != NULL; ++k) {
        carom_side *const s = &c->of.side[k];
        s->part = list[k];
        s->at = P->first[list[k]];
        s->m = P->first[list[k] + 1] - s->at;
        s->G = take(p, 3 * s->m, sizeof(double));
        s->H = take(p, 3 * s->m, sizeof(double));
        p->large = p->large || s->m > CAROM_BODY;
        for (int l = 0; l < 3 * s->m && w->arena.missed == 0; ++l) {
            s->G[l] = s->H[l] = 0.0;
        }
    }
    if (w->arena.missed > 0) {
        return false;
    }
    for (int k = 0; k < 5 && *status == CAROM_OK; ++k) { /* normal and tangents, then those along which it slides */
        const int row = k < 3 ? w->row[3 * i + k] : w->slides[i] ? w->tangent[2 * i + k - 3] : -1;
        const int to = k < 3 ? k : 0;
        const double weight = k < 3 ? 1.0 : -w->along[2 * i + k - 3];
        if (row < 0) {
            continue;
        }
        *status = carom_condensed_column(w, row, w->x, info);
        w->diagonal[3 * i] = k == 0 ? carom_row_times(P, row, w->x) : w->diagonal[3 * i];
        for (int l = 0; l < count; ++l) {
            carom_side *const s = &c->of.side[l];
            for (int j = 0; j < s->m; ++j) {
                s->H[to * s->m + j] += weight * w->x[P->member[s->at + j]];
            }
        }
        carom_condensed_clear(w, row, w->x);
        for (int e = P->Gp[row]; e < P->Gp[row + 1] && k < 3; ++e) {
            for (int l = 0; l < count; ++l) {
                if (c->of.side[l].part == P->part[P->Gj[e]]) {
                    c->of.side[l].G[k * c->of.side[l].m + w->place[P->Gj[e]]] = P->G[e];
                }
            }
        }
    }
    return *status == CAROM_OK;
}

/* W_cc, by columns of what a unit impulse does */
static void local_block(const carom_pile_contact *c, double W[9])
{
    if (c->sides == 0) {
        const carom_pair *const p = c->of.pair;
        const double m = p->m[0] + p->m[1];
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l <= k; ++l) { /* it is symmetric */
                double sum = m * carom_dot3(p->D + 3 * k, p->D + 3 * l) + carom_dot3(p->E[0] + 3 * k, p->F[0] + 3 * l);
                if (p->part[1] >= 0) {
                    sum += carom_dot3(p->E[1] + 3 * k, p->F[1] + 3 * l);
                }
                W[3 * k + l] = W[3 * l + k] = sum;
            }
        }
        return;
    }
    memset(W, 0, 9 * sizeof *W);
    for (int at = 0; at < c->sides; ++at) {
        const carom_side *const s = &c->of.side[at];
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                for (int i = 0; i < s->m; ++i) {
                    W[3 * k + l] += s->G[k * s->m + i] * s->H[l * s->m + i];
                }
            }
        }
    }
}

/* q of a contact, where y is what the parts do without impulses */
static void free_of(const carom_pile *p, int i)
{
    const carom_condensed *const w = p->w;
    double u[3];
    carom_pile_moves(&p->contact[i], p->y, u);
    for (int k = 3 * i; k < 3 * i + 3; ++k) {
        w->q[k] = w->row[k] >= 0 ? u[k - 3 * i] + w->p->b[w->row[k]] : 0.0;
    }
}

/* The local solver of a contact. A normal that bilateral rows hold leaves the problem; one that slides may have no
 * finite force. */
static carom_status prepare(carom_pile *p, int i, carom_info *info)
{
    carom_condensed *const w = p->w;
    carom_pile_contact *const c = &p->contact[i];
    double W[9], trace = 0.0;
    int components = 0;
    local_block(c, W);
    const double size = fmax(fabs(W[0]), fmax(fabs(W[4]), fabs(W[8])));
    const double whole = c->sides == 0 ? W[0] : carom_row_stiffness(w->p, w->row[3 * i]); /* nothing holds a pair */
    const double own = w->slides[i] ? w->diagonal[3 * i] : W[0];
    if (!(own > PIVOT * whole)) {
        w->locked[i] = true;
        w->still[i] = w->q[3 * i];
        memset(W, 0, sizeof W);
        W[0] = whole;
        for (int k = 0; k < 3; ++k) {
            w->q[3 * i + k] = w->z[3 * i + k] = 0.0;
        }
        c->sides = -1;
        p->slides = true;
    } else if (w->slides[i] && !(W[0] > PIVOT * own)) {
        info->contact = w->row[3 * i];
        info->residual = W[0];
        return CAROM_PAINLEVE;
    }
    w->diagonal[3 * i] = w->locked[i] ? whole : own;
    for (int k = 0; k < 3; ++k) {
        const bool there = w->row[3 * i + k] >= 0;
        W[4 * k] = there && W[4 * k] > 0.0 ? W[4 * k] : 1.0;
        w->diagonal[3 * i + k] = k > 0 ? W[4 * k] : w->diagonal[3 * i];
        trace += there ? W[4 * k] : 0.0;
        components += there ? 1 : 0;
    }
    p->s[i] = components / trace;
    c->wn = W[0];
    c->wt = 0.5 * (W[4] + W[8]);
    const double beside = fmax(fmax(fabs(W[1]), fabs(W[2])), fmax(fabs(W[3]), fabs(W[6])));
    c->round = !(fmax(beside, fmax(fabs(W[5]), fabs(W[7]))) > ROUND * size) && !(fabs(W[4] - W[8]) > ROUND * size);
    if (!c->round) {
        carom_local_prepare(3, W, w->mu[i], &p->local[i]);
        p->flat += w->mu[i] > 0.0 ? 1 : 0;
    }
    return CAROM_OK;
}

void carom_pile_add_up(const carom_pile *p, const double *z)
{
    for (int i = 0; i < p->w->p->tables->nv + CAROM_BODY; ++i) {
        p->y[i] = 0.0;
    }
    for (int i = 0; i < p->n; ++i) {
        const double *const r = z + 3 * i;
        if (r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0) {
            carom_pile_push(&p->contact[i], r, p->y);
        }
    }
}

/* u with the velocities y */
static void relative(const carom_pile *p, double *u)
{
    for (int i = 0; i < p->n; ++i) {
        double moves[3];
        carom_pile_moves(&p->contact[i], p->y, moves);
        for (int k = 0; k < 3; ++k) {
            u[3 * i + k] = p->w->q[3 * i + k] + moves[k];
        }
    }
}

/* u = W z + q; the velocities are those of z then */
static void product(void *context, const double *z, double *u)
{
    const carom_pile *const p = context;
    carom_pile_add_up(p, z);
    relative(p, u);
}

carom_status carom_pile_begin(carom_pile *p, double tolerance, double floor, carom_info *info)
{
    carom_condensed *const w = p->w;
    const int n = p->n = w->n, nv = w->p->tables->nv;
    carom_status status = CAROM_OK;
    p->contact = take(p, n, sizeof *p->contact);
    p->local = take(p, n, sizeof *p->local);
    p->s = take(p, n, sizeof(double));
    p->y = take(p, nv + CAROM_BODY, sizeof(double));
    p->z = w->z;
    for (int k = 0; k < nv && p->y != NULL; ++k) {
        w->x[k] = 0.0;
        p->y[k] = w->x0[w->p->member[k]];
    }
    for (int i = 0; i < n && w->arena.missed == 0 && status == CAROM_OK; ++i) {
        carom_pile_contact *const c = &p->contact[i];
        carom_pair *const pair = take(p, 1, sizeof *pair);
        if (pair == NULL) {
            break;
        }
        c->sides = 0;
        c->of.pair = pair;
        p->slides = p->slides || w->slides[i];
        if (w->slides[i] || !pair_of(p, i, pair)) {
            w->arena.used -= carom_arena_round(sizeof *pair);
            if (!sides_of(p, i, c, &status, info)) {
                break;
            }
        }
        free_of(p, i);
        status = prepare(p, i, info);
    }
    if (w->arena.missed > 0) {
        return CAROM_ARGUMENT;
    }
    p->fc = (carom_fc){.d = 3,
                       .n = n,
                       .size = 3 * n,
                       .mu = w->mu,
                       .q = w->q,
                       .s = p->s,
                       .tolerance = tolerance,
                       .floor = floor,
                       .q_norm = carom_fc_norm(3 * n, w->q),
                       .product = product,
                       .context = p,
                       .arena = w->arena};
    return status;
}

/* ---- sweeps ----------------------------------------------------------------------------------------------------- */

/* The exact impulse of a contact whose velocity is u with its present impulse. */
static void local_solve(const carom_pile *p, int i, const double u[3], const double old[3], double r[3])
{
    const carom_pile_contact *const c = &p->contact[i];
    if (c->round) {
        const double bn = u[0] - c->wn * old[0], normal = -bn / c->wn;
        if (!(bn < 0.0)) {
            r[0] = r[1] = r[2] = 0.0;
            return;
        }
        const double t[2] = {old[1] - u[1] / c->wt, old[2] - u[2] / c->wt}; /* sticking */
        const double size = t[0] * t[0] + t[1] * t[1], bound = p->fc.mu[i] * normal;
        const double scale = size > bound * bound ? bound / sqrt(size) : 1.0;
        r[0] = normal;
        r[1] = scale * t[0];
        r[2] = scale * t[1];
        return;
    }
    const carom_local *const l = &p->local[i];
    double b[3];
    const double along = old[0] + l->w[0] * old[1] + l->w[1] * old[2]; /* W old, from the block's preparation */
    b[0] = u[0] - l->wnn * along;
    b[1] = u[1] - (l->v[0] * l->wnn * along + l->S[0] * old[1] + l->S[1] * old[2]);
    b[2] = u[2] - (l->v[1] * l->wnn * along + l->S[2] * old[1] + l->S[3] * old[2]);
    (void)carom_local_solve3(l, b, r);
}

static void sweep(const carom_pile *p)
{
    for (int i = 0; i < p->n; ++i) {
        const carom_pile_contact *const c = &p->contact[i];
        const double *const q = p->fc.q + 3 * i;
        double *const z = p->z + 3 * i;
        double u[3], r[3];
        if (c->sides < 0) {
            continue;
        }
        carom_pile_moves(c, p->y, u);
        for (int k = 0; k < 3; ++k) {
            u[k] += q[k];
        }
        local_solve(p, i, u, z, r);
        const double change[3] = {r[0] - z[0], r[1] - z[1], r[2] - z[2]};
        if (change[0] != 0.0 || change[1] != 0.0 || change[2] != 0.0) {
            z[0] = r[0];
            z[1] = r[1];
            z[2] = r[2];
            carom_pile_push(c, change, p->y);
        }
    }
}

/* A sweep from h->x to h->g; returns the size of the defect f = (g - x) / s. */
static double advance(const carom_pile *p, carom_mixing *h)
{
    double sum = 0.0;
    carom_mixing_turn(h);
    memcpy(h->x, p->z, (size_t)h->size * sizeof(double));
    sweep(p);
    for (int i = 0; i < p->n; ++i) {
        const double mass = 1.0 / p->s[i];
        for (int k = 3 * i; k < 3 * i + 3; ++k) {
            h->g[k] = p->z[k];
            h->f[k] = (p->z[k] - h->x[k]) * mass;
            sum += h->f[k] * h->f[k];
        }
    }
    return sqrt(sum);
}

/* Has it so far come down too slowly to be good within FIRST sweeps? From the residuals after LOOK and 2 LOOK. */
static bool hopeless(double early, double now, double tolerance)
{
    return !(log(now / tolerance) * LOOK < log(early / now) * (FIRST - 2 * LOOK));
}

/* The residual of z with the velocities y; u is left in w->u. */
static double residual_of(const carom_pile *p, double *scale)
{
    relative(p, p->w->u);
    *scale = carom_fc_scale(&p->fc, p->w->u);
    return carom_fc_natural(&p->fc, p->z, p->w->u, NULL);
}

/* Sweeps until the tolerance or the limit is reached; returns the residual. impatient: they end when they are
 * hopeless. */
static double sweeps(carom_pile *p, int limit, bool impatient)
{
    const carom_arena mark = p->fc.arena;
    carom_mixing h;
    double scale = 0.0, early = HUGE_VAL;
    double residual = HUGE_VAL, check_below = HUGE_VAL;
    carom_pile_add_up(p, p->z);
    if (carom_mixing_start(&h, &p->fc.arena, 3 * p->n) == 0) {
        p->w->arena.missed = p->fc.arena.missed;
        return HUGE_VAL;
    }
    for (int k = 1; k <= limit && residual > p->fc.tolerance; ++k) {
        const double size_f = advance(p, &h);
        p->fc.sweeps++;
        if (!(size_f < HUGE_VAL)) {
            residual = HUGE_VAL;
            break;
        }
        if (size_f <= check_below || k % CHECK_EVERY == 0 || k == limit) {
            residual = residual_of(p, &scale);
            check_below = CHECK_BELOW * p->fc.tolerance * scale;
        }
        early = k == LOOK ? residual : early;
        if (impatient && k == 2 * LOOK && hopeless(early, residual, p->fc.tolerance)) {
            break;
        }
        if (residual > p->fc.tolerance && k < limit && carom_mixing_extrapolate(&h, size_f, GROWTH)) {
            carom_fc_project(&p->fc, h.x);
            memcpy(p->z, h.x, (size_t)h.size * sizeof(double));
            carom_pile_add_up(p, p->z);
        }
    }
    p->fc.arena = mark;
    return residual;
}

/* Back to no impulses: a half-converged point is no good start for what follows. */
static void forget(carom_pile *p) { memset(p->z, 0, 3 * (size_t)p->n * sizeof(double)); }

/* A solver of friction.h on the blocks of W (NULL: the portfolio; limit 0: its own), from the present impulses. */
static void by_blocks(carom_pile *p, const char *solver, int limit)
{
    carom_condensed *const w = p->w;
    const carom_arena mark = w->arena;
    carom_friction_problem W;
    carom_info info;
    carom_status status = CAROM_OK;
    const carom_friction_options options = {.solver = solver,
                                            .tolerance = 0.5 * p->fc.tolerance, /* W adds up in another order */
                                            .velocity_floor = p->fc.floor,
                                            .max_iterations = limit};
    if (carom_condensed_blocks(w, false, &W, &status, &info) && status == CAROM_OK) {
        carom_condensed_lock(w, &W);
        (void)carom_friction_solve(&W, &options, p->z, w->u, NULL, w->arena.base + w->arena.used,
                                   w->arena.size - w->arena.used);
    }
    w->arena = mark;
}

/* Of the contacts that slide where they are told to, the one that presses hardest; -1: none does. */
static int hardest_slider(const carom_pile *p)
{
    double most = 0.0;
    int at = -1;
    for (int i = 0; i < p->n; ++i) {
        const double size = p->w->diagonal[3 * i] * p->z[3 * i];
        if (p->w->slides[i] && size > most) {
            most = size;
            at = i;
        }
    }
    return at;
}

/* What comes after the first sweeps; returns the residual. */
static double persist(carom_pile *p, double left, bool factored, bool impatient)
{
    const double tolerance = p->fc.tolerance;
    if (p->n > FEW && factored && !p->large && !p->slides) {
        forget(p);
        left = carom_pile_smooth(p, left, &p->fc.sweeps);
    }
    if (left > tolerance && impatient) { /* long chains: one factorisation sees all of them */
        forget(p);
        by_blocks(p, "admm", DIRECTIONS);
        left = sweeps(p, 1, false);
    }
    if (left > tolerance && left < HUGE_VAL) {
        forget(p);
        left = sweeps(p, SECOND, false);
    }
    if (left > tolerance && left < HUGE_VAL) {
        by_blocks(p, NULL, 0);
        left = sweeps(p, LAST, false);
    }
    return left;
}

carom_status carom_condensed_pile(carom_condensed *w, double tolerance, double floor, carom_info *info)
{
    carom_pile p = {.w = w};
    const carom_status status = carom_pile_begin(&p, tolerance, floor, info);
    if (status != CAROM_OK) {
        return status;
    }
    carom_fc_project(&p.fc, p.z);
    /* with a given direction of sliding there may be no solution: what is next is told by the caller */
    const bool told = p.slides && (w->p->how & (CAROM_FALL_BACK | CAROM_DROP)) != 0;
    const bool factored = w->p->parts <= FACTORED, impatient = factored && p.flat > FEW;
    double left = sweeps(&p, FIRST, impatient || told);
    if (told && left > tolerance && (w->p->how & CAROM_DROP) != 0) {
        const int wedged = hardest_slider(&p);
        if (wedged >= 0) {
            info->contact = w->row[3 * wedged];
            info->residual = left;
            return CAROM_PAINLEVE;
        }
    }
    if (left > tolerance && left < HUGE_VAL && !(told && (w->p->how & CAROM_FALL_BACK) != 0)) {
        left = persist(&p, left, factored, impatient);
    }
    if (w->arena.missed > 0) {
        return CAROM_ARGUMENT;
    }
    info->iterations = p.fc.sweeps;
    if (!(left <= tolerance)) {
        int worst = -1;
        product(&p, p.z, w->u);
        info->residual = carom_fc_natural(&p.fc, p.z, w->u, &worst);
        info->contact = worst >= 0 ? w->row[3 * worst] : -1;
        return isfinite(left) ? CAROM_CONTACT : CAROM_NOT_FINITE;
    }
    for (int k = 0; k < w->p->tables->nv && !w->far; ++k) { /* u and y are those of z */
        const int at = w->p->member[k];
        w->x[at] = w->x0[at] + p.y[k];
    }
    w->moved = !w->far;
    return CAROM_OK;
}
