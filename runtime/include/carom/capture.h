/* High-order event capturing (Acary, RR-7151, Algorithm 1; THEORY 7), a program over parts of a plan: run a trial step
 * in fixed modes, look for events, locate the first, handle it (impact and cascade, release, end of sliding or of
 * sticking), find the new modes, go on with the rest of the step. It never looks inside a part; those stand in
 * gen/scheme/capture.lua, what is done with them here and in carom/trial.h, events.h, impact.h, handle.h, turning.h,
 * hear.h. Asks, besides what these do, for
 *
 *     CAROM(record), CAROM(fail)           what an accepted step leaves; adaptive programs: CAROM(aim), others
 *     CAROM(next_time)                     the end of a step
 *     CAROM_C, CAROM_ORDER                 events are located to delta = C tau (h/tau)^(order + 1), tau = CAROM_TIME
 *     CAROM_LENGTH_GIVEN, SPEED_, FORCE_   1: the scale is the user's, 0: it grows with the motion
 *     CAROM_COUPLED                        1: the stages of a trial step are an implicit system
 *     CAROM_OWN                            1: coefficients depend on their contact's motion, and parts choose them;
 *                                          s->work.capture.most: the largest friction of the step
 *     CAROM_SUPPORTED                      1: s->before, where the last step started
 *     CAROM_FRESH                          1: forces at the start of a step may not be those of the end of the last
 *     CAROM_ADAPTIVE                       1: steps are chosen inside h, by
 *     CAROM_RTOL, CAROM_ATOL, CAROM_HMIN, CAROM_LENGTH_0, CAROM_ESTIMATES, CAROM_ESTIMATE_ORDER (_POWER, _SHARE)
 *
 * See carom/algorithm.h. */
#ifndef CAROM_CAPTURE_H
#define CAROM_CAPTURE_H

#include "algorithm.h"
#include "modes.h"
#include "trial.h"
#include "events.h"
#include "switches.h"
#include "impact.h"
#include "handle.h"
#include "hear.h"
#include "turning.h"

#if CAROM_ADAPTIVE > 0
/* The largest difference to an embedded method relative to the tolerance. */
static inline double CAROM(off)(const CAROM_STATE *s, const double *q, const double *v, const CAROM_POINT *p,
                                const CAROM_POINT *end)
{
    double worst = 0.0;
    for (int i = 0; i < CAROM_NS; ++i) {
        worst = fmax(worst, fabs(q[i]) / (CAROM_ATOL + CAROM_RTOL * fmax(fabs(p->q[i]), fabs(end->q[i]))));
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        worst = fmax(worst, fabs(v[i]) / (CAROM_ATOL / CAROM_LENGTH_0 * s->speed +
                                          CAROM_RTOL * fmax(fabs(p->v[i]), fabs(end->v[i]))));
    }
    return worst;
}

/* Error of the last trial relative to the tolerance: what one embedded method leaves, or two tell
 * (gen/scheme/capture.lua). */
static inline double CAROM(error)(const CAROM_STATE *s, const CAROM_POINT *p, const CAROM_POINT *end)
{
    const double fine = CAROM(off)(s, s->estimate_q, s->estimate_v, p, end);
#if CAROM_ESTIMATES > 1
    const double coarse = CAROM(off)(s, s->coarse_q, s->coarse_v, p, end);
    return fine > 0.0 ? fine * pow(fine / hypot(fine, CAROM_ESTIMATE_SHARE * coarse), CAROM_ESTIMATE_POWER) : 0.0;
#else
    return fine;
#endif
}
#endif

#if CAROM_NC > 0
/* Forces that jump (inputs, switches) may no longer be what contacts can bear: the modes are found anew at once. */
static inline carom_status CAROM(let_go)(CAROM_STATE *s, CAROM_MODES *m, double delta, CAROM_POINT *p, carom_info *info)
{
    for (int k = 0; k < CAROM_NC; ++k) {
        const carom_event e = CAROM(flag)(s, m, k, p, p);
        if (e.kind == CAROM_RELEASE || e.kind == CAROM_STICK_BREAK) {
            ++s->counts.events;
            return CAROM(handle)(s, m, e, delta, p, 1.0, p, CAROM(works)(s)->struck, info);
        }
    }
    return CAROM_OK;
}
#endif

/* Integrates from `from` over H in its modes up to the first event or to the end: w. */
static inline carom_status CAROM(advance_to_event)(CAROM_STATE *s, CAROM_WALK *from, CAROM_WALK *w, double H,
                                                   double delta, bool *eventful, carom_info *info)
{
    CAROM_MODES *const m = &w->m;
    CAROM_POINT *const p = &from->p, *const end = &w->p;
    double *const impulse = CAROM(works)(s)->impulse, x = H;
    carom_status status = CAROM_OK;
    *m = from->m;
    for (int j = 0; j < CAROM_NR; ++j) {
        w->total[j] = from->total[j];
        w->between[j] = from->between[j];
    }
    w->margin = from->margin;
    w->cut = false;
#if CAROM_D == 3
    const int stopped = CAROM(stopping)(s, m, p, delta, from->cut, &x);
    if (stopped >= 0) {
        ++s->counts.events;
        *eventful = true;
        *end = *p;
        double *const struck = CAROM(works)(s)->struck;
        CAROM(before_it)(s, w);
        status = CAROM(handle)(s, m, (carom_event){CAROM_SLIP_ZERO, stopped}, delta, p, x, end, struck, info);
        CAROM(after_it)(s, from->m.of, w, status);
        return status;
    }
#endif
#if CAROM_NW > 0
    CAROM(take_sides)(s, m->side);
#endif
    status = CAROM(trial)(s, m, p, x, end, impulse, info);
    if (status != CAROM_OK) {
        return status;
    }
#if CAROM_ADAPTIVE > 0
    s->error = CAROM(error)(s, p, end);
    if (s->error > 1.0) {
        return CAROM_OK; /* rejected: the caller takes a smaller step */
    }
#endif
#if CAROM_NC > 0 || CAROM_NW > 0
    carom_event first = {CAROM_NONE, 0};
    /* what is flagged where another was located comes before it */
    for (int pass = 0; pass < 4 * (CAROM_NC + CAROM_NW); ++pass) {
        carom_event e = {CAROM_NONE, 0};
#if CAROM_NC > 0
        for (int k = 0; k < CAROM_NC && e.kind == CAROM_NONE; ++k) {
            const carom_event other = CAROM(flag)(s, m, k, p, end);
            if (other.kind != first.kind || other.contact != first.contact) {
                e = other;
            }
        }
#endif
#if CAROM_NW > 0
        for (int k = 0; k < CAROM_NW && e.kind == CAROM_NONE; ++k) {
            if (CAROM(switched)(m, k, end) && !(first.kind == CAROM_SWITCH && first.contact == k)) {
                e = (carom_event){CAROM_SWITCH, k};
            }
        }
#endif
        if (e.kind == CAROM_NONE) {
            break;
        }
        const double before = x;
        status = CAROM(locate)(s, m, e, p, delta, &x, end, impulse, info);
        if (status != CAROM_OK) {
            return status;
        }
        const bool simultaneous = first.kind != CAROM_NONE && x > before - delta;
        first = e;
        if (simultaneous) {
            break;
        }
    }
#endif
#if CAROM_NC > 0
    if (first.kind == CAROM_NONE) {
        const double y = CAROM(excursion)(m, p, end, x, w->margin);
        w->margin = CAROM_GRAZING;
        if (y > delta && y < x - delta) {
            CAROM_POINT *const lowest = &CAROM(works)(s)->mid;
            const double *const other = CAROM(works)(s)->other;
            status = CAROM(trial)(s, m, p, y, lowest, CAROM(works)(s)->other, info);
            if (status != CAROM_OK) {
                return status;
            }
            for (int k = 0; k < CAROM_NC; ++k) {
                const int j = CAROM_NE + k;
                if (m->of[k] == CAROM_CONTACT_OPEN &&
                    lowest->c.g[j] - fmin(p->c.g[j], 0.0) < -CAROM_GAP_ROUNDING * s->length) {
                    first = (carom_event){CAROM_CLOSING, k};
                }
            }
            *end = *lowest; /* event before it, or else a shorter step */
            x = y;
            for (int j = 0; j < CAROM(active)(s); ++j) {
                impulse[j] = other[j];
            }
            if (first.kind != CAROM_NONE) {
                status = CAROM(locate)(s, m, first, p, delta, &x, end, impulse, info);
                if (status != CAROM_OK) {
                    return status;
                }
            } else {
                w->margin = 0.0; /* do not look at the same minimum again */
            }
        }
    }
#endif
    for (int j = 0; j < CAROM(active)(s); ++j) {
        w->total[j] += impulse[j];
        w->between[j] += impulse[j];
    }
#if CAROM_NC > 0 || CAROM_NW > 0
    *eventful = first.kind != CAROM_NONE;
    if (*eventful) {
        ++s->counts.events;
#if CAROM_NC > 0
        CAROM(before_it)(s, w);
        if (first.kind != CAROM_SWITCH) {
            status = CAROM(handle)(s, m, first, delta, p, x, end, CAROM(works)(s)->struck, info);
        }
#endif
#if CAROM_NW > 0
        CAROM(switches)(s, &end->c, end->v, end->phi); /* an impact may have taken speeds across */
        status = status == CAROM_OK ? CAROM(switch_over)(s, m, end, info) : status;
#if CAROM_NC > 0
        status = status == CAROM_OK && first.kind == CAROM_SWITCH ? CAROM(let_go)(s, m, delta, end, info) : status;
#endif
#endif
#if CAROM_NC > 0
        CAROM(after_it)(s, from->m.of, w, status);
#endif
    }
#else
    *eventful = false;
    (void)delta;
#endif
    return status;
}

/* The state as a point in its modes; where its forces are new (inputs) and these no longer hold, in others. */
static inline carom_status CAROM(depart)(CAROM_STATE *s, CAROM_WALK *w, double delta, carom_info *info)
{
    CAROM_MODES *const m = &w->m;
    CAROM_POINT *const p = &w->p;
    carom_status status = CAROM_OK;
#if CAROM_OWN > 0 && CAROM_NT > 0
    for (int k = 0; k < CAROM_NC; ++k) {
        CAROM(works)(s)->most[k] = s->derived.mu[k]; /* of the point that the last step arrived at */
    }
#endif
    p->t = s->t;
    for (int i = 0; i < CAROM_NQ; ++i) {
        p->q[i] = s->q[i];
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        p->v[i] = s->v[i];
    }
    for (int k = 0; k < CAROM_NC; ++k) {
        m->of[k] = s->mode[k];
#if CAROM_D == 3
        m->straight[k] = false;
#endif
    }
    for (int k = 0; k < CAROM_NT; ++k) {
        m->slip[k] = s->slip[k];
        m->anchor[k] = s->anchor[k];
    }
    for (int j = 0; j < CAROM_NR; ++j) {
        w->total[j] = w->between[j] = 0.0;
    }
    w->margin = s->margin;
    w->cut = false;
#if CAROM_NW > 0
    for (int k = 0; k < CAROM_NW; ++k) { /* should the step fail, those of the state */
        CAROM(works)(s)->side[k] = m->side[k] = s->side[k];
    }
#endif
    p->c = s->at[s->now];
#if CAROM_LISTENS > 0
    CAROM(works)(s)->heard = s->events.count;
    CAROM(works)(s)->lost = s->events.lost;
#endif
#if CAROM_NC > 0
    if (!s->started) { /* modes of the initial state: touching contacts that do not separate */
        bool candidate[CAROM_NC], forced[CAROM_NC] = {false};
        CAROM(rates)(s, &p->c, p->v, p->U);
        for (int k = 0; k < CAROM_NC; ++k) {
            candidate[k] = p->c.g[CAROM_NE + k] <= CAROM(close)(s) && fabs(p->U[CAROM_NE + k]) <= CAROM(slow)(s);
        }
        status = CAROM(resolve)(s, m, candidate, forced, p, info);
    }
#endif
#if CAROM_FRESH == 0
    if (s->started) { /* what the last step ended with */
        for (int i = 0; i < CAROM_NV; ++i) {
            p->a[i] = s->a[i];
        }
        for (int j = 0; j < CAROM(active)(s); ++j) {
            p->r[j] = s->force[j];
        }
#if CAROM_NR > 0
        CAROM(rates)(s, &p->c, p->v, p->U);
#endif
#if CAROM_NW > 0
        status = status == CAROM_OK ? CAROM(start_sides)(s, m, p, info) : status;
#endif
        return status;
    }
#endif
    status = status == CAROM_OK ? CAROM(mode_evaluate)(s, m, p, info) : status;
#if CAROM_NW > 0
    status = status == CAROM_OK ? CAROM(start_sides)(s, m, p, info) : status;
#endif
#if CAROM_NC > 0
    CAROM(before_it)(s, w);
    status = status == CAROM_OK && s->started ? CAROM(let_go)(s, m, delta, p, info) : status;
    CAROM(after_it)(s, s->mode, w, status);
#endif
    (void)delta;
    return status;
}

#if CAROM_NC > 0
/* By how much the impulses of contact k are not in its cone; what is in it adds up to what is in it. */
static inline double CAROM(outside)(const CAROM_STATE *s, int k, const double *impulse)
{
    double left = fmax(-impulse[CAROM_NE + k], 0.0);
#if CAROM_NT > 0
#if CAROM_OWN > 0
    const double mu = fmax(s->derived.mu[k], s->work.capture.most[k]);
#else
    const double mu = s->derived.mu[k];
#endif
    left = fmax(left, mu > 0.0 ? CAROM(tangential)(k, impulse) - mu * impulse[CAROM_NE + k] : 0.0);
#endif
    (void)s;
    return left;
}
#endif

/* The point becomes the state, if everything is finite and no contact has pulled or held on beyond its friction between
 * events: by more than one that is located to delta leaves, a force that grows from zero for that time, of those of the
 * step. Impacts keep the law themselves; the end of bouncing takes out what is left of a velocity that delta admits,
 * wherever its cone is: that is counted. */
static inline carom_status CAROM(arrive)(CAROM_STATE *s, const CAROM_WALK *w, double delta, carom_info *info)
{
    const CAROM_MODES *const m = &w->m;
    const CAROM_POINT *const p = &w->p;
    for (int i = 0; i < CAROM_NQ; ++i) {
        if (!(fabs(p->q[i]) < HUGE_VAL)) {
            return CAROM_NOT_FINITE;
        }
    }
#if CAROM_NC > 0
    double most = s->strength * (p->t - s->t);
    const double late = fmin(delta / fmax(p->t - s->t, delta), CAROM_LOCATED_MOST);
    for (int j = CAROM_NE; j < CAROM_NG; ++j) {
        most = fmax(most, fabs(w->total[j]));
    }
    for (int k = 0; k < CAROM_NC; ++k) {
        const double left = CAROM(outside)(s, k, w->between), all = CAROM(outside)(s, k, w->total);
        if (left > fmax(CAROM_PULLING, late * late) * most) {
            info->contact = CAROM_NE + k;
            info->residual = left / most;
            return CAROM_CONTACT;
        }
        s->counts.law = all > CAROM_PULLING * most ? fmax(s->counts.law, all / most) : s->counts.law;
    }
#endif
#if CAROM_SUPPORTED > 0
    s->before.t = s->t;
#endif
    for (int i = 0; i < CAROM_NQ; ++i) {
#if CAROM_SUPPORTED > 0
        s->before.q[i] = s->q[i];
#endif
        s->q[i] = p->q[i];
    }
    for (int i = 0; i < CAROM_NV; ++i) {
#if CAROM_SUPPORTED > 0
        s->before.v[i] = s->v[i];
#endif
        s->v[i] = p->v[i];
        s->a[i] = p->a[i];
    }
#if CAROM_NC > 0
    for (int k = 0; k < CAROM_NC; ++k) {
        s->mode[k] = m->of[k];
    }
    for (int j = CAROM_NE; j < CAROM_NG; ++j) { /* scales that nobody gave grow with the motion */
        s->length = CAROM_LENGTH_GIVEN ? s->length : fmax(s->length, fabs(p->c.g[j]));
        s->speed = CAROM_SPEED_GIVEN ? s->speed : fmax(s->speed, fabs(p->U[j]));
        s->strength = CAROM_FORCE_GIVEN ? s->strength : fmax(s->strength, fabs(p->r[j]));
    }
#else
    for (int i = 0; i < CAROM_NV; ++i) {
        s->speed = CAROM_SPEED_GIVEN ? s->speed : fmax(s->speed, fabs(p->v[i]));
    }
#endif
    for (int k = 0; k < CAROM_NT; ++k) {
        s->slip[k] = m->slip[k];
        s->anchor[k] = m->anchor[k];
    }
    for (int j = 0; j < CAROM(active)(s); ++j) {
        s->force[j] = p->r[j];
    }
#if CAROM_NR > 0
    CAROM(record)(s, &p->c, w->total, p->t, p->t - s->t);
#endif
    s->margin = w->margin;
    s->started = true;
    s->at[s->now] = p->c;
    s->t = p->t;
    s->info = *info;
    (void)delta;
    return CAROM_OK;
}

/* The step failed: the state, and what the host has heard, is what it was. */
static inline carom_status CAROM(give_up)(CAROM_STATE *s, carom_status status, const carom_info *info)
{
#if CAROM_NW > 0
    CAROM(take_sides)(s, CAROM(works)(s)->side);
#endif
#if CAROM_LISTENS > 0
    s->events.count = CAROM(works)(s)->heard;
    s->events.lost = CAROM(works)(s)->lost;
#endif
    return CAROM(fail)(s, status, info);
}

/* Can a shorter step help? */
static inline bool CAROM(too_far)(carom_status status)
{
    return status == CAROM_STAGES || status == CAROM_NOT_FINITE || status == CAROM_CONTACT || status == CAROM_PAINLEVE;
}

#if CAROM_ADAPTIVE > 0
/* Advances towards t_end with at most so many attempts, of steps that the tolerances choose: CAROM_UNFINISHED when it
 * is not there yet, with the state at the time reached. On failure s is unchanged. */
static inline carom_status CAROM(capture_towards)(CAROM_STATE *s, double t_end, double h, int most)
{
    carom_info info = {-1, 0, 0.0};
    CAROM_WALK *w = &CAROM(works)(s)->walk[0], *ahead = &CAROM(works)(s)->walk[1];
    const double delta = CAROM_RTOL * CAROM_TIME;
    carom_status status = CAROM(depart)(s, w, delta, &info);
    double step = s->next_step > 0.0 ? s->next_step : fmin(h, fmax(CAROM_FIRST_SHARE * CAROM_TIME, CAROM_HMIN));
    bool there = false;
    CAROM(aim)(s, t_end);
    for (int count = 0; status == CAROM_OK && !there && count < most; ++count) {
        bool eventful = false, rejected = false;
        const bool cut = step >= t_end - w->p.t;
        const double x = cut ? t_end - w->p.t : step;
        if (s->counts.events - s->aim.events > CAROM_EVENTS_MOST || ++s->aim.attempts > CAROM_ATTEMPTS) {
            status = s->aim.attempts > CAROM_ATTEMPTS ? CAROM_STEP : CAROM_EVENTS;
            break;
        }
        s->error = 0.0;
        status = CAROM(advance_to_event)(s, w, ahead, x, delta, &eventful, &info);
        if (CAROM(too_far)(status) && CAROM_CUT * x >= CAROM_HMIN) { /* as a rejection */
            status = CAROM_OK;
            w->cut = true;
            step = CAROM_CUT * x;
        } else {
            const double factor = s->error > 0.0 ? CAROM_CAPTURE_SAFETY * pow(s->error, -1.0 / CAROM_ESTIMATE_ORDER)
                                                 : CAROM_CAPTURE_GROWTH;
            const double next =
                fmin(x * fmin(fmax(factor, CAROM_CAPTURE_SHRINK), CAROM_CAPTURE_GROWTH), CAROM_NC > 0 ? CAROM_TIME : h);
            /* one cut by an event, the end of the interval or the excursion test may lower the step but not raise it */
            rejected = s->error > 1.0;
            step = rejected ? fmin(next, CAROM_REJECTED * x)
                   : eventful || cut || ahead->p.t - w->p.t < CAROM_WHOLE * x
                       ? fmin(step, fmax(next, CAROM_CAPTURE_SHRINK * step))
                       : next;
            w->cut = false;
            if (!rejected) {
                CAROM_WALK *const last = w;
                w = ahead;
                ahead = last;
            }
        }
        if (status == CAROM_OK && rejected && step < CAROM_HMIN) {
            info.residual = s->error;
            status = CAROM_STEP;
        }
        there = !(t_end - w->p.t > CAROM_TIME_LEFT * fmax(fabs(t_end), CAROM_TIME));
    }
    w->p.t = there ? t_end : w->p.t;
    status = status == CAROM_OK ? CAROM(arrive)(s, w, delta, &info) : status;
    if (status != CAROM_OK) {
        return CAROM(give_up)(s, status, &info);
    }
    s->next_step = fmax(step, CAROM_HMIN);
    s->counts.steps += there ? 1U : 0U;
    return there ? CAROM_OK : CAROM_UNFINISHED;
}

/* The same over h, all or nothing. */
static inline carom_status CAROM(capture_step)(CAROM_STATE *s, double h)
{
    if (!(h > 0.0 && h < HUGE_VAL)) {
        return CAROM_ARGUMENT;
    }
    double low;
    const double t_end = CAROM(next_time)(s, h, &low);
    const carom_status status = CAROM(capture_towards)(s, t_end, h, CAROM_ATTEMPTS + 1);
    if (status == CAROM_OK) {
        s->t_low = low;
    } else {
        s->aim.t = s->t; /* attempts count anew */
    }
    return status;
}

#else
/* One step: all or nothing, on failure the state is unchanged. */
static inline carom_status CAROM(capture_step)(CAROM_STATE *s, double h)
{
    carom_info info = {-1, 0, 0.0};
    if (!(h > 0.0 && h < HUGE_VAL)) {
        return CAROM_ARGUMENT;
    }
    double low;
    const double t_end = CAROM(next_time)(s, h, &low);
    CAROM_WALK *w = &CAROM(works)(s)->walk[0], *ahead = &CAROM(works)(s)->walk[1];
    const double delta =
        fmax(fmin(CAROM_C * CAROM_TIME * pow(h / CAROM_TIME, CAROM_ORDER + 1.0), CAROM_LOCATED_MOST * h),
             CAROM_TIME_ROUNDING * fmax(fabs(t_end), CAROM_TIME));
    carom_status status = CAROM(depart)(s, w, delta, &info);
    double reach = h;
    for (int count = 0; status == CAROM_OK && t_end - w->p.t > CAROM_TIME_LEFT * fmax(fabs(t_end), CAROM_TIME);
         ++count) {
        bool eventful = false;
        const double x = fmin(t_end - w->p.t, reach);
        if (count >= CAROM_EVENTS_MOST) {
            status = CAROM_EVENTS;
            break;
        }
        status = CAROM(advance_to_event)(s, w, ahead, x, delta, &eventful, &info);
        if (CAROM(too_far)(status) && x > CAROM_CUT_LEAST * h) { /* a shorter step is a better one, and may be solved */
            ++s->counts.cuts;
            status = CAROM_OK;
            w->cut = true;
            reach = CAROM_CUT * x;
        } else {
            CAROM_WALK *const last = w;
            w = ahead;
            ahead = last;
            reach = fmin(2.0 * reach, h);
        }
    }
    w->p.t = t_end;
    status = status == CAROM_OK ? CAROM(arrive)(s, w, delta, &info) : status;
    if (status != CAROM_OK) {
        return CAROM(give_up)(s, status, &info);
    }
    s->t_low = low;
    ++s->counts.steps;
    return CAROM_OK;
}
#endif

#endif
