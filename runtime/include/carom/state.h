/* What every model does with its state, whatever its scheme: it is begun with, accepted, looked at, handed to generic
 * drivers. Asks for
 *
 *     CAROM_STRIKES     1: s->fresh, a state was given from outside and has not been stepped from
 *     CAROM_UNIFORM     1: s->h_before, the length of the last step
 *     CAROM_KEEPS_MODES 1: s->mode, what each contact does at t
 *     CAROM_WATCHED     1: s->failure, where contact problems go that are not solved
 *     CAROM_TOWARD      1: CAROM(toward), parts of steps
 *     CAROM_NU          inputs
 *     CAROM_LISTENS     1: s->events, where the host hears of contacts
 *     CAROM_DEEPEST     how deep a contact may be at the start
 *     CAROM_AHEAD, CAROM_CLOSED, CAROM_LEFT  of contacts that are found: steps ahead at which they count, at which gap;
 *                       what a solver leaves of the largest velocity
 *     CAROM_FOUND_EACH  contacts of each point of them
 *     CAROM_FOUND_PRESSED  1: s->found.pressed, their normal impulses of the last step
 *     CAROM_SCALED      1: s->derived.along, factors by which tangents are measured
 *
 * and of the functions that hosts call, in the header of the model. See carom/algorithm.h. */
#ifndef CAROM_STATE_H
#define CAROM_STATE_H

#include "algorithm.h"
#include "listen.h"
#include "model.h"
#include "sets.h"
#include "touch.h"

#include <float.h>

static inline carom_status CAROM(fail)(CAROM_STATE *s, carom_status status, const carom_info *info)
{
    s->info = *info;
    return status;
}

/* In a step, which has s, status and info: what fails ends it. */
#define CAROM_TRY(call)                                                                                                \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != CAROM_OK) {                                                                                      \
            return CAROM(fail)(s, status, &info);                                                                      \
        }                                                                                                              \
    } while (0)

static inline bool CAROM(finite)(const double *q, const double *v)
{
    double sum = q[0]; /* of numbers that are not all finite it is not */
    CAROM_FOR(i, 1, CAROM_NQ) { sum += q[i]; }
    CAROM_FOR(i, 0, CAROM_NV) { sum += v[i]; }
    bool finite = fabs(sum) < HUGE_VAL;
    if (finite) {
        return true;
    }
    finite = true; /* it may have been too large */
    for (int i = 0; i < CAROM_NQ; ++i) {
        finite = finite && fabs(q[i]) < HUGE_VAL;
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        finite = finite && fabs(v[i]) < HUGE_VAL;
    }
    return finite;
}

static inline void CAROM(move)(CAROM_STATE *s, const double *q, const double *v)
{
    CAROM_FOR(i, 0, CAROM_NQ) { s->q[i] = q[i]; }
    CAROM_FOR(i, 0, CAROM_NV) { s->v[i] = v[i]; }
}

#if CAROM_FOUND > 0
/* What the contact problem of a step to t of length h has left of the law. */
static inline void CAROM(count_left)(CAROM_STATE *s, double t, double h)
{
    const carom_contact_left *const left = &s->found.left;
    const double weight = s->derived.weight * h;
    s->found.tally.worst = weight > 0.0 ? left->speed / weight : 0.0;
    if (left->row >= CAROM_WG && left->speed > s->found.worst.speed) {
        const carom_bulk_contact *const c = &s->found.contact[(left->row - CAROM_WG) / CAROM_FOUND_EACH];
        s->found.worst =
            (carom_worst){left->speed, s->found.tally.worst, t, s->found.label[c->a], s->found.label[c->b]};
    }
    if (left->residual > 0.0) {
        ++s->counts.unsolved;
        s->counts.unsolved_most = fmax(s->counts.unsolved_most, left->residual);
    }
    s->found.left = (carom_contact_left){0.0, 0.0, -1};
}
#endif

#if CAROM_NR > 0
/* What an accepted step to t leaves for those who look: the impulses J of its rows over its length h, their sums since
 * init, and the deepest penetration so far, from the gaps of c. */
static inline void CAROM(record)(CAROM_STATE *s, const CAROM(config) * c, const double *J, double t, double h)
{
    CAROM_UNROLL
    for (int j = 0; j < CAROM_WG; ++j) {
        s->last[j] = J[j];
    }
    s->last_step = h;
#if CAROM_FOUND > 0 && CAROM_WT > 0
    for (int j = 0; j < CAROM_WT; ++j) {
        s->last[CAROM_WG + j] = CAROM_MEASURED(j) * J[CAROM_GAPS + j];
        s->friction[j] += s->last[CAROM_WG + j];
    }
#endif
#if CAROM_FOUND > 0
    const carom_found found = CAROM(found)(s);
    s->found.tally = carom_found_count(&found, CAROM_NV, s->found.Gj, c->g, c->G, s->v, J, h, CAROM_AHEAD * h,
                                       CAROM_CLOSED, CAROM_LEFT, s->found.given);
    s->found.told = s->found.count;
    CAROM(count_left)(s, t, h);
#if CAROM_FOUND_PRESSED > 0
    for (int i = 0; i < s->found.count; ++i) {
        s->found.pressed[i] = J[CAROM_WG + CAROM_FOUND_EACH * i];
    }
#endif
    for (int j = CAROM_WG; j < CAROM_GAPS; ++j) {
        if (c->g[j] < -s->found.deepest.depth) {
            s->found.deepest =
                (carom_deepest){-c->g[j], t, s->found.label[s->found.contact[(j - CAROM_WG) / CAROM_FOUND_EACH].a]};
        }
    }
#elif CAROM_NT > 0
    for (int j = CAROM_NG; j < CAROM(active)(s); ++j) {
        s->last[j] = CAROM_MEASURED(j - CAROM_NG) * J[j];
        s->friction[j - CAROM_NG] += s->last[j];
    }
#endif
#if CAROM_WC > 0
    CAROM_UNROLL
    for (int j = CAROM_NE; j < CAROM_WG; ++j) {
#if CAROM_BONDS > 0
        s->impulse[j - CAROM_NE] += J[j] - h * CAROM(pulled)(s, j - CAROM_NE);
#else
        s->impulse[j - CAROM_NE] += J[j];
#endif
        if (c->g[j] < -s->deepest.depth) {
            s->deepest = (carom_deepest){-c->g[j], t, j - CAROM_NE};
        }
    }
#else
    (void)c;
    (void)t;
#endif
#if CAROM_BONDS > 0
    CAROM(settle_bonds)(s, J);
#endif
#if CAROM_ADHERES > 0
    CAROM(wear)(s, c, h);
#endif
}

/* Neither penetration nor violated constraints at the start. */
static inline carom_status CAROM(check_start)(CAROM_STATE *s)
{
    for (int j = 0; j < CAROM_GAPS; ++j) {
        const double g = s->at[0].g[j];
        if (j < CAROM_NE ? !(fabs(g) <= CAROM_VIOLATED) : !(g >= -CAROM_DEEPEST)) {
            s->info.contact = j;
            s->info.residual = g;
            return j < CAROM_NE ? CAROM_VIOLATION : CAROM_PENETRATION;
        }
    }
    return CAROM_OK;
}
#endif

/* The time after a step of length h, and what rounding takes from it: so the sum of many steps does not drift. */
static inline double carom_later(double before, double h, double *low)
{
    const double whole = h + *low, t = before + whole;
    *low = whole - (t - before);
    return t;
}

static inline double CAROM(next_time)(const CAROM_STATE *s, double h, double *low)
{
    *low = s->t_low;
    return carom_later(s->t, h, low);
}

/* The end of a step: what it found becomes the state. */
static inline void CAROM(accept)(CAROM_STATE *s, const double *q, const double *v, const double *J, double h,
                                 const carom_info *info)
{
    const double t = CAROM(next_time)(s, h, &s->t_low);
#if CAROM_LISTENS > 0
    if (s->events.room > 0) {
        CAROM(listen)(s, &s->at[1 - s->now], v, J, t);
    }
#endif
    CAROM(move)(s, q, v);
#if CAROM_STRIKES > 0
    s->fresh = false;
#endif
#if CAROM_UNIFORM > 0
    s->h_before = h;
#endif
#if CAROM_NR > 0
    CAROM(record)(s, &s->at[1 - s->now], J, t, h);
#else
    (void)J;
#endif
    s->now = 1 - s->now;
    s->t = t;
    ++s->counts.steps;
    s->info = *info;
}

#if CAROM_NR > 0 && CAROM_NE == 0 && CAROM_FOUND == 0 && CAROM_BONDS == 0 && CAROM_ADHERES == 0
/* What changes in steps in which no contact takes part and nobody listens: it may stay in registers over many of
 * them. */
typedef struct {
    double t, t_low, q[CAROM_NQ], v[CAROM_NV];
    int now;
    unsigned long long evaluations;
    carom_info info;
} CAROM(flight);

static inline void CAROM(deepen)(CAROM_STATE *s, const double *g, double t)
{
    CAROM_FOR(j, 0, CAROM_NG)
    {
        if (g[j] < -s->deepest.depth) {
            s->deepest = (carom_deepest){-g[j], t, j};
        }
    }
}

static inline CAROM(flight) CAROM(take_off)(const CAROM_STATE *s)
{
    CAROM(flight) y = {.t = s->t, .t_low = s->t_low, .now = s->now, .info = {-1, 0, 0.0}};
    CAROM_FOR(i, 0, CAROM_NQ) { y.q[i] = s->q[i]; }
    CAROM_FOR(i, 0, CAROM_NV) { y.v[i] = s->v[i]; }
    return y;
}

/* The end of such a step. open: no gap is closed then; else they may be deeper than ever. */
static inline void CAROM(coast)(CAROM_STATE *s, CAROM(flight) * y, const double *q, const double *v, double h,
                                bool open, unsigned evaluations, const carom_info *info)
{
    y->t = carom_later(y->t, h, &y->t_low);
    CAROM_FOR(i, 0, CAROM_NQ) { y->q[i] = q[i]; }
    CAROM_FOR(i, 0, CAROM_NV) { y->v[i] = v[i]; }
    y->now = 1 - y->now;
    if (!open) {
        CAROM(deepen)(s, s->at[y->now].g, y->t);
    }
    y->evaluations += evaluations;
    y->info = *info;
}

/* The same where it is one step, which becomes the state. */
static inline void CAROM(coast_once)(CAROM_STATE *s, const double *q, const double *v, double h, bool open,
                                     unsigned evaluations, const carom_info *info)
{
    s->t = CAROM(next_time)(s, h, &s->t_low);
    CAROM(move)(s, q, v);
    for (int j = 0; j < CAROM_NR; ++j) {
        s->last[j] = 0.0;
    }
    s->last_step = h;
    s->now = 1 - s->now;
    if (!open) {
        CAROM(deepen)(s, s->at[s->now].g, s->t);
    }
    ++s->counts.steps;
    s->counts.evaluations += evaluations;
    s->info = *info;
}

/* Steps that are over become the state. */
static inline void CAROM(land)(CAROM_STATE *s, const CAROM(flight) * y, int steps, double h)
{
    s->t = y->t;
    s->t_low = y->t_low;
    CAROM(move)(s, y->q, y->v);
    for (int j = 0; j < CAROM_NR; ++j) {
        s->last[j] = 0.0;
    }
    s->last_step = h;
    s->now = y->now;
    s->counts.steps += (unsigned)steps;
    s->counts.evaluations += y->evaluations;
    s->info = y->info;
}
#endif

/* Steps of h to t_end, the last one shorter. */
static inline carom_status CAROM(advance_to)(CAROM_STATE *s, double t_end, double h)
{
    if (!(h > 0.0 && h < HUGE_VAL && fabs(t_end) < HUGE_VAL)) {
        return CAROM_ARGUMENT;
    }
    /* what is no part of a step: hosts multiply times, and times are rounded */
    const double blur = CAROM_SAME_STEP * h + 4.0 * DBL_EPSILON * fmax(fabs(s->t), fabs(t_end));
    for (double left = t_end - s->t; left > blur; left = t_end - s->t) {
        const carom_status status = CAROM(step)(s, left > h - blur ? h : left);
        if (status != CAROM_OK) {
            return status;
        }
    }
    return CAROM_OK;
}

#if CAROM_TOWARD > 0
/* A new place to go to: bounds count from here. */
static inline void CAROM(aim)(CAROM_STATE *s, double t_end)
{
    if (!(s->aim.t >= t_end && s->aim.t <= t_end)) {
        s->aim.t = t_end;
        s->aim.attempts = 0;
        s->aim.events = s->counts.events;
    }
}
#endif

#if CAROM_WC > 0
/* What each contact did in the last step; before the first one all count as open. */
static inline void CAROM(status_of)(const CAROM_STATE *s, carom_contact_status *status)
{
#if CAROM_KEEPS_MODES > 0
    for (int k = 0; k < CAROM_WC; ++k) {
        status[k] = (carom_contact_status)s->mode[k];
    }
#else
    CAROM(row_rates) rates;
    CAROM(look_at_rows)(s, &s->at[s->now], s->v, &rates);
    for (int k = 0; k < CAROM_WC; ++k) {
        status[k] = CAROM(touch_of)(s, k, s->last, &rates);
    }
#endif
}
#endif

/* ---- for generic drivers: carom_model ---------------------------------------------------------------------------- */

static inline void CAROM(any_defaults)(void *params) { CAROM(defaults)((CAROM(params) *)params); }

static inline carom_status CAROM(any_init)(void *state, const void *params)
{
    return CAROM(init)((CAROM_STATE *)state, (const CAROM(params) *)params);
}

static inline carom_status CAROM(any_set)(void *state, double t, const double *q, const double *v)
{
    return CAROM(set)((CAROM_STATE *)state, t, q, v);
}

static inline carom_status CAROM(any_step)(void *state, double h) { return CAROM(step)((CAROM_STATE *)state, h); }

#if CAROM_TOWARD > 0
static inline carom_status CAROM(any_toward)(void *state, double t_end, double h)
{
    return CAROM(toward)((CAROM_STATE *)state, t_end, h);
}
#endif

static inline void CAROM(any_outputs)(const void *state, double *y) { CAROM(outputs)((const CAROM_STATE *)state, y); }

static inline void CAROM(any_view)(void *state, carom_view *view)
{
    CAROM_STATE *const s = (CAROM_STATE *)state;
    *view = (carom_view){.t = &s->t, .q = s->q, .v = s->v, .info = &s->info, .counts = &s->counts};
#if CAROM_WC > 0
    view->gap = s->at[s->now].g + CAROM_NE;
    view->impulse = s->impulse;
    view->deepest = &s->deepest;
#endif
#if CAROM_NR > 0
    view->last = s->last;
    view->last_step = &s->last_step;
#endif
#if CAROM_WT > 0
    view->friction = s->friction;
#endif
#if CAROM_NU > 0
    view->input = s->input;
#endif
}

#if CAROM_WC > 0
static inline void CAROM(any_status)(const void *state, carom_contact_status *status)
{
    CAROM(status)((const CAROM_STATE *)state, status);
}
#endif

#if CAROM_WATCHED > 0
static inline void CAROM(any_watch)(void *state, carom_failure *failure) { ((CAROM_STATE *)state)->failure = failure; }
#endif

static inline carom_status CAROM(any_set_params)(void *state, const void *params)
{
    return CAROM(set_params)((CAROM_STATE *)state, (const CAROM(params) *)params);
}

static inline size_t CAROM(any_save)(const void *state, void *bytes, size_t room)
{
    return CAROM(save)((const CAROM_STATE *)state, bytes, room);
}

static inline carom_status CAROM(any_load)(void *state, const void *bytes, size_t size)
{
    return CAROM(load)((CAROM_STATE *)state, bytes, size);
}

#if CAROM_LISTENS > 0
static inline void CAROM(any_listen)(void *state, carom_contact_event *item, int room)
{
    ((CAROM_STATE *)state)->events = (carom_contact_events){.item = item, .room = room};
}

static inline carom_contact_events *CAROM(any_events)(void *state) { return &((CAROM_STATE *)state)->events; }
#endif

#if CAROM_NT > 0
static inline int CAROM(any_deaden)(void *state)
{
    CAROM_STATE *const s = (CAROM_STATE *)state;
    int bounced = 0;
    for (int j = 0; j < CAROM_WR; ++j) {
        bounced = s->derived.e[j] > 0.0 ? 1 : bounced;
        s->derived.e[j] = 0.0;
    }
#if CAROM_FOUND > 0
    for (int k = 0; k < (int)(sizeof s->derived.restitution / sizeof s->derived.restitution[0]); ++k) {
        bounced = s->derived.restitution[k] > 0.0 ? 1 : bounced;
        s->derived.restitution[k] = 0.0;
    }
#endif
    return s->derived.frictional ? bounced : 0;
}
#endif

#endif
