/* Contacts of many bodies: nonsmooth Gauss-Seidel over the velocities of the parts of the unknowns, without ever
 * forming W, with Anderson acceleration (friction/mixing.c). A sweep solves each contact exactly and passes the impulse
 * on to its parts at once; after an extrapolation the velocities are added up anew from the impulses. What sweeps do
 * not solve, projected gradients do (friction/apgd.c), or Newton's method on a smoothed law (smooth.c), then the
 * portfolio of friction.h on the blocks of W. */
#include "pile.h"

#include "../friction/mixing.h"

#include <math.h>
#include <string.h>

#define GROWTH 3.0 /* defect, against the best one, at which the history is dropped */
#define CHECK_EVERY 8
#define CHECK_BELOW 3.0 /* defect, in units of tolerance times velocity scale, below which every sweep is checked */

/* faces on faces: sweeps after which the progress is looked at, and once more after as many; iterations of alternating
 * directions */
enum { LOOK = 32, DIRECTIONS = 300 };

/* sweeps from the first guess (FEWER for tolerances below FINE, where gradients are quicker), then from zero, then at
 * last; products of gradients */
enum { FIRST = 400, FEWER = 150, SECOND = 400, LAST = 4200, PRODUCTS = 4000 };
#define FINE 1e-5

/* Contacts up to which the portfolio is as quick as gradients and the smoothed law, and more exact. It goes on from the
 * impulses of the last step, where the smoothed law starts afresh: with several solutions (boxes, much friction) steps
 * would jump from one to the other. */
enum { FEW = 100 };

enum { FACTORED = 500 }; /* bodies beyond which a factorisation costs more than the sweeps it saves */

/* ---- sweeps ----------------------------------------------------------------------------------------------------- */

/* The exact impulse of a contact whose velocity is u with its present impulse. */
static void local_solve(const carom_pile *p, int i, const double u[3], const double old[3], double r[3])
{
    const carom_pile_contact *const c = &p->contact[i];
    if (c->round) {
        const double normal = old[0] - u[0] * c->by.w[0];
        if (!(normal > 0.0)) {
            r[0] = r[1] = r[2] = 0.0;
            return;
        }
        const double t[2] = {old[1] - u[1] * c->by.w[1], old[2] - u[2] * c->by.w[1]}; /* sticking */
        const double size = t[0] * t[0] + t[1] * t[1], bound = p->fc.mu[i] * normal;
        const double scale = size > bound * bound ? bound / sqrt(size) : 1.0;
        r[0] = normal;
        r[1] = scale * t[0];
        r[2] = scale * t[1];
        return;
    }
    const carom_local *const l = c->by.local;
    double b[3];
    const double along = old[0] + l->w[0] * old[1] + l->w[1] * old[2]; /* W old, from the block's preparation */
    b[0] = u[0] - l->wnn * along;
    b[1] = u[1] - (l->v[0] * l->wnn * along + l->S[0] * old[1] + l->S[1] * old[2]);
    b[2] = u[2] - (l->v[1] * l->wnn * along + l->S[2] * old[1] + l->S[3] * old[2]);
    (void)carom_local_solve3(l, b, r);
}

/* A sweep over some contacts; returns the square of their defect. */
static double pass(const carom_pile *p, const carom_mixing *h, int first, int end)
{
    double sum = 0.0;
    for (int i = first; i < end; ++i) {
        const carom_pile_contact *const c = &p->contact[i];
        const double *const q = p->fc.q + 3 * i, mass = 1.0 / p->s[i];
        double *const z = p->z + 3 * i, *const g = h->g + 3 * i, *const f = h->f + 3 * i;
        g[0] = z[0], g[1] = z[1], g[2] = z[2]; /* of what is not there */
        double u[3];
        if (c->sides >= 0) {
            carom_pile_moves(c, p->y, u);
            u[0] += q[0];
            u[1] += q[1];
            u[2] += q[2];
            local_solve(p, i, u, z, g);
        }
        const double change[3] = {g[0] - z[0], g[1] - z[1], g[2] - z[2]};
        if (change[0] != 0.0 || change[1] != 0.0 || change[2] != 0.0) {
            carom_pile_push(c, change, p->y);
        }
        for (int k = 0; k < 3; ++k) {
            h->x[3 * i + k] = z[k];
            z[k] = g[k];
            f[k] = change[k] * mass;
            sum += f[k] * f[k];
        }
    }
    return sum;
}

/* A sweep from h->x, which z is, to h->g; returns the size of the defect f = (g - x) / s. */
static double advance(const carom_pile *p, carom_mixing *h)
{
    double sum = 0.0, part[CAROM_CHUNKS];
    carom_mixing_turn(h);
    CAROM_SIDE_BY_SIDE(p->w->chunks)
    for (int k = 0; k < p->w->chunks; ++k) {
        part[k] = pass(p, h, p->w->chunk[k], carom_pile_end(p, k));
    }
    for (int k = 0; k < p->w->chunks; ++k) {
        sum += part[k];
    }
    return sqrt(sum + pass(p, h, p->w->border, p->n));
}

/* z becomes x, projected on the cones; the velocities follow. */
static void take_over(carom_pile *p, const double *x)
{
    CAROM_SIDE_BY_SIDE(p->w->chunks)
    for (int k = 0; k < p->w->chunks; ++k) {
        for (int i = carom_chunk(p->n, p->w->chunks, k); i < carom_chunk(p->n, p->w->chunks, k + 1); ++i) {
            const double *const t = x + 3 * i, bound = p->fc.mu[i] * t[0];
            double *const z = p->z + 3 * i;
            z[0] = t[0], z[1] = t[1], z[2] = t[2];
            if (!(t[0] >= 0.0 && t[1] * t[1] + t[2] * t[2] <= bound * bound)) { /* most are inside */
                carom_cone_project(3, p->fc.mu[i], z);
            }
        }
    }
    carom_pile_add_up(p, p->z);
}

/* Has it so far come down too slowly to be good within FIRST sweeps? From the residuals after LOOK and 2 LOOK. */
static bool hopeless(double early, double now, double tolerance)
{
    return !(log(now / tolerance) * LOOK < log(early / now) * (FIRST - 2 * LOOK));
}

/* The residual of z with the velocities y; u is left in w->u. */
static double residual_of(const carom_pile *p, double *scale)
{
    carom_pile_velocities(p, p->w->u);
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
    h.chunks = p->w->chunks;
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
            take_over(p, h.x);
        }
    }
    p->fc.arena = mark;
    return residual;
}

/* What z leaves is kept when nothing has left less; returns the least so far. */
static double keep(carom_pile *p, double left)
{
    if (left < p->least) {
        p->least = left;
        memcpy(p->best, p->z, 3 * (size_t)p->n * sizeof(double));
    }
    return p->least;
}

/* Back to the impulses of the last step, or to none: a half-converged point is no good start for what follows. */
static void restart(carom_pile *p) { memcpy(p->z, p->start, 3 * (size_t)p->n * sizeof(double)); }
static void forget(carom_pile *p) { memset(p->z, 0, 3 * (size_t)p->n * sizeof(double)); }

/* Accelerated projected gradients (friction/apgd.c) from the present impulses; returns the residual. */
static double gradients(carom_pile *p, int limit)
{
    const double first = carom_fc_residual(&p->fc, p->z, p->w->u);
    if (!(first < HUGE_VAL)) {
        return first;
    }
    (void)carom_fc_apgd(&p->fc, p->z, first, limit);
    return carom_fc_residual(&p->fc, p->z, p->w->u); /* its velocities are those of the last point, not of the best */
}

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

/* What comes after the first sweeps; returns the least residual. */
static double persist(carom_pile *p, double left, bool factored, bool impatient)
{
    const double tolerance = p->fc.tolerance;
    const bool more = factored || p->slides || p->n <= FEW; /* others are too large for what is last */
    if (left > tolerance && impatient) {                    /* long chains: one factorisation sees all of them */
        forget(p);
        by_blocks(p, "admm", DIRECTIONS);
        left = keep(p, sweeps(p, 1, false));
    }
    if (left > tolerance && p->n > FEW && !p->slides) {
        restart(p);
        left = keep(p, gradients(p, PRODUCTS));
    }
    if (left > tolerance && p->n > FEW && factored && !p->large && !p->slides) {
        restart(p);
        left = keep(p, carom_pile_smooth(p, true, &p->fc.sweeps));
        if (left > tolerance) {
            forget(p);
            left = keep(p, carom_pile_smooth(p, false, &p->fc.sweeps));
        }
    }
    if (left > tolerance && left < HUGE_VAL && more) {
        forget(p);
        left = keep(p, sweeps(p, SECOND, false));
    }
    if (left > tolerance && left < HUGE_VAL && more) {
        by_blocks(p, NULL, 0);
        left = keep(p, sweeps(p, LAST, false));
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
    memcpy(p.start, p.z, 3 * (size_t)p.n * sizeof(double));
    /* with a given direction of sliding there may be no solution: what is next is told by the caller */
    const bool told = p.slides && (w->p->how & (CAROM_FALL_BACK | CAROM_DROP)) != 0;
    const bool factored = w->p->parts <= FACTORED, impatient = factored && p.flat > FEW;
    double left = keep(&p, sweeps(&p, tolerance < FINE && p.n > FEW ? FEWER : FIRST, impatient || told));
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
        if (left < HUGE_VAL) {
            memcpy(p.z, p.best, 3 * (size_t)p.n * sizeof(double));
        }
        p.fc.product(&p, p.z, w->u);
        left = carom_fc_natural(&p.fc, p.z, w->u, &worst);
        if ((w->p->how & CAROM_GO_ON) == 0 || told || !(left <= sqrt(tolerance))) {
            info->residual = left;
            info->contact = worst >= 0 ? w->row[3 * worst] : -1;
            return isfinite(left) ? CAROM_CONTACT : CAROM_NOT_FINITE;
        }
        w->left = left;
    }
    for (int k = 0; k < w->p->tables->nv && !w->far; ++k) { /* u and y are those of z */
        const int at = w->p->member[k];
        w->x[at] = w->x0[at] + p.y[k];
    }
    w->moved = !w->far;
    return CAROM_OK;
}
