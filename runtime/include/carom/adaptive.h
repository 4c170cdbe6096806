/* Step-size control by doubling (RR-7151 (63)-(70); guards: THEORY 9.2), a program over the step: each attempt makes
 * one step of length x and two of x/2 from copies of the state, and goes on from the two halves or, where contacts do
 * the same in all three, from what the three tell together: one order more. Asks for
 *
 *     CAROM(step_once)(s, h)   one step, all or nothing; CAROM(rates), CAROM(aim), CAROM(fail) of the model
 *     CAROM_ORDER              of the scheme; CAROM_DOUBLING = 2^order - 1
 *     CAROM_RTOL, CAROM_ATOL, CAROM_ATOLV, CAROM_HMIN     tolerances of the user, the least step
 *     CAROM_GUARD              max(theta, 1 - theta): how far a step can displace an impact, in steps
 *     CAROM_BY_EVENTS          1: impacts are what the step counts as events, 0: every impulse
 *     CAROM_TIMED              1: impacts have their own times (carom/split.h); what had none is in s->late, s->bounce
 *     CAROM_EXTRAPOLATE        1: go on from all three; CAROM_TG: gap below which a contact is closed
 *     CAROM_PUT_BACK           1: rows that press are put back on g = 0 then, by CAROM(hold); CAROM_BACK of them,
 *                              the first
 *
 * See carom/algorithm.h. */
#ifndef CAROM_ADAPTIVE_H
#define CAROM_ADAPTIVE_H

#include "algorithm.h"

/* How far a quantity is off, relative to its tolerance. */
static inline double CAROM(relative)(double difference, double size, double absolute)
{
    return fabs(difference) / (absolute + CAROM_RTOL * fabs(size));
}

#if CAROM_NC > 0
/* Accelerations right after s and the contacts that press there, by a step far shorter than x, whose work is added to
 * that of `full`. False when a contact is about to hit: then there is no acceleration. */
static inline bool CAROM(probe)(const CAROM_STATE *s, double x, double *acceleration, bool *presses, CAROM_STATE *full)
{
    CAROM_STATE after = *s;
#if CAROM_LISTENS > 0
    after.events.room = 0;
#endif
    double U[CAROM_NR];
    CAROM(rates)(s, &s->at[s->now], s->v, U);
    if (CAROM(step_once)(&after, CAROM_PROBE * x) != CAROM_OK) {
        return false;
    }
    full->counts.evaluations += after.counts.evaluations - s->counts.evaluations;
    full->counts.contact_solves += after.counts.contact_solves - s->counts.contact_solves;
    for (int j = 0; j < CAROM_NC; ++j) {
        presses[j] = after.impulse[j] > s->impulse[j];
        if (presses[j] && fabs(U[CAROM_NE + j]) > CAROM_ATOLV) {
            return false;
        }
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        acceleration[i] = (after.v[i] - s->v[i]) / (CAROM_PROBE * x);
    }
    return true;
}

/* G4: a contact that rests at s has let go before `end`, nobody knows where in the step: the velocity is uncertain by
 * half the step times the change of acceleration. Looked at only where the impulses of the halves do not show that it
 * goes on pressing. */
static inline double CAROM(release)(const CAROM_STATE *s, double x, const CAROM_STATE *middle, const CAROM_STATE *end,
                                    CAROM_STATE *full)
{
    bool doubtful = false, rests = false, released = false, before[CAROM_NC], after[CAROM_NC];
    double a0[CAROM_NV], a1[CAROM_NV], U[CAROM_NR], error = 0.0;
    CAROM(rates)(s, &s->at[s->now], s->v, U);
    for (int j = 0; j < CAROM_NC; ++j) {
        const double first = middle->impulse[j] - s->impulse[j], second = end->impulse[j] - middle->impulse[j];
        const bool touches = s->at[s->now].g[CAROM_NE + j] <= CAROM_ATOL && fabs(U[CAROM_NE + j]) <= CAROM_ATOLV;
        doubtful = doubtful || (touches && !(first > 0.0 && second > 0.5 * first));
    }
    if (!doubtful || !CAROM(probe)(s, x, a0, before, full)) {
        return 0.0;
    }
    for (int j = 0; j < CAROM_NC; ++j) {
        rests = rests || before[j];
    }
    if (!rests || !CAROM(probe)(end, x, a1, after, full)) {
        return 0.0;
    }
    for (int j = 0; j < CAROM_NC; ++j) {
        released = released || (before[j] && !after[j]);
    }
    for (int i = 0; i < CAROM_NV && released; ++i) {
        error = fmax(error, CAROM(relative)(0.5 * x * (a1[i] - a0[i]), end->v[i], CAROM_ATOLV));
    }
    return error;
}

#endif
#if CAROM_EXTRAPOLATE > 0
/* Do contacts do the same at the end of two steps? *press: does any press? What one does that is closed at `start` and
 * has no impulse from a step before (the first of a run) has not shown there. */
static inline bool CAROM(alike)(const CAROM_STATE *one, const CAROM_STATE *other, const CAROM_STATE *start, bool *press)
{
#if CAROM_NC > 0
    carom_contact_status a[CAROM_NC], b[CAROM_NC];
    CAROM(status_of)(one, a);
    CAROM(status_of)(other, b);
    for (int j = 0; j < CAROM_NC; ++j) {
        *press = *press || a[j] != CAROM_CONTACT_OPEN;
        const bool shown =
            other != start || b[j] != CAROM_CONTACT_OPEN || start->at[start->now].g[CAROM_NE + j] > CAROM_TG;
        if (shown && a[j] != b[j]) {
            return false;
        }
    }
#else
    (void)one;
    (void)other;
    (void)start;
    (void)press;
#endif
    return true;
}

#if CAROM_PUT_BACK > 0
/* Rows that press, back on g = 0: two linearised sweeps, of what is small already. */
static inline carom_status CAROM(put_back)(CAROM_STATE *s)
{
    bool set[CAROM_NR] = {false};
    double dx[CAROM_NV], tau[CAROM_NR], q[CAROM_NQ];
    CAROM(config) *const c = &s->at[s->now];
    for (int j = 0; j < CAROM_BACK; ++j) {
        set[j] = j < CAROM_NE || s->last[j] > 0.0;
    }
    for (int sweep = 0; sweep < 2 && CAROM(any)(s, set); ++sweep) {
        const carom_status held = CAROM(hold)(s, c, set, c->g, dx, tau);
        if (held != CAROM_OK) {
            return held;
        }
        for (int i = 0; i < CAROM_NS; ++i) {
            q[i] = s->q[i] + dx[i];
        }
#if CAROM_NB > 0
        for (int k = 0; k < CAROM_NB; ++k) {
            carom_quaternion_turn(s->q + CAROM_NS + 4 * k, dx + CAROM_NS + 3 * k, q + CAROM_NS + 4 * k);
        }
#endif
        CAROM(move)(s, q, s->v);
        const carom_status status = CAROM(configure)(s, s->t, s->q, c);
        if (status != CAROM_OK) {
            return status;
        }
    }
    return CAROM_OK;
}
#endif

/* What one step and its halves tell together: z_2 + (z_2 - z_1)/(2^p - 1), where contacts do the same at the start and
 * in all three, and nothing hit. Where that has no configuration, half stays as it is. */
static inline void CAROM(extrapolate)(const CAROM_STATE *s, const CAROM_STATE *full, const CAROM_STATE *middle,
                                      CAROM_STATE *half)
{
    bool press = false;
    if (full->counts.events > s->counts.events || half->counts.events > s->counts.events ||
        !CAROM(alike)(half, full, s, &press) || !CAROM(alike)(half, middle, s, &press) ||
        !CAROM(alike)(half, s, s, &press)) {
        return;
    }
#if CAROM_BY_EVENTS == 0
    if (press) { /* of another order than CAROM_DOUBLING says */
        return;
    }
#endif
    const double part = 1.0 / CAROM_DOUBLING;
    double q[CAROM_NQ], v[CAROM_NV];
    for (int i = 0; i < CAROM_NQ; ++i) {
        q[i] = half->q[i] + part * (half->q[i] - full->q[i]);
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        v[i] = half->v[i] + part * (half->v[i] - full->v[i]);
    }
#if CAROM_NB > 0
    for (int k = 0; k < CAROM_NB; ++k) {
        carom_quaternion_normalise(q + CAROM_NS + 4 * k);
    }
#endif
    const CAROM_STATE kept = *half;
    CAROM(move)(half, q, v);
    carom_status status =
        CAROM(finite)(q, v) ? CAROM(configure)(half, half->t, half->q, &half->at[half->now]) : CAROM_NOT_FINITE;
#if CAROM_PUT_BACK > 0
    status = status == CAROM_OK ? CAROM(put_back)(half) : status;
#endif
    if (status != CAROM_OK) {
        *half = kept;
    }
}

#endif
#if CAROM_NW > 0
/* Does a force switch between two states? */
static inline bool CAROM(across)(const CAROM_STATE *one, const CAROM_STATE *other)
{
    double a[CAROM_NW], b[CAROM_NW];
    bool across = false;
    CAROM(switches)(one, &one->at[one->now], one->v, a);
    CAROM(switches)(other, &other->at[other->now], other->v, b);
    for (int k = 0; k < CAROM_NW; ++k) {
        across = across || (a[k] > 0.0) != (b[k] > 0.0);
    }
    return across;
}
#endif

/* Error of an attempt relative to the tolerance; *smooth tells whether it falls with the order of the scheme or only
 * with x. */
static inline double CAROM(attempt)(const CAROM_STATE *s, double x, CAROM_STATE *full, CAROM_STATE *half,
                                    carom_status *status, bool *smooth)
{
    *full = *s;
#if CAROM_LISTENS > 0
    full->events.room = 0; /* its halves tell of contacts */
#endif
    *half = *s;
    *smooth = true;
    *status = CAROM(step_once)(full, x);
    if (*status == CAROM_OK) {
        *status = CAROM(step_once)(half, 0.5 * x);
    }
    const CAROM_STATE middle = *half;
    if (*status == CAROM_OK) {
        *status = CAROM(step_once)(half, 0.5 * x);
    }
    if (*status != CAROM_OK) {
        return HUGE_VAL;
    }
    double error = 0.0, doubling = CAROM_DOUBLING;
#if CAROM_TIMED > 0
    const double late = fmax(full->late, fmax(middle.late, half->late));
    const double bounce = fmax(full->bounce, fmax(middle.bounce, half->bounce));
#endif
#if CAROM_NW > 0
    if (CAROM(across)(s, &middle) || CAROM(across)(&middle, half)) { /* G5: no order across a switch */
        doubling = 1.0;
        *smooth = false;
    }
#endif
    for (int i = 0; i < CAROM_NQ; ++i) {
        error = fmax(error, CAROM(relative)((half->q[i] - full->q[i]) / doubling, half->q[i], CAROM_ATOL));
    }
#if CAROM_NC > 0
#if CAROM_TIMED > 0
    const double displaced = CAROM_GUARD * late;
    const bool impulse = late > 0.0 || bounce > 0.0;
    if (CAROM(relative)(bounce, 0.0, CAROM_ATOL) > error) { /* G6: an end of bouncing */
        error = CAROM(relative)(bounce, 0.0, CAROM_ATOL);
        *smooth = false;
    }
#else
    const double displaced = CAROM_GUARD * x;
    bool impulse = false;
    for (int j = 0; j < CAROM_NC; ++j) {
#if CAROM_BY_EVENTS > 0
        impulse = impulse || full->counts.events > s->counts.events || half->counts.events > s->counts.events;
#else
        impulse = impulse || full->impulse[j] > s->impulse[j] || half->impulse[j] > s->impulse[j];
#endif
    }
#endif
    if (impulse) { /* G2: what a displaced impact costs, Lemma 1 */
        for (int i = 0; i < CAROM_NS; ++i) {
            const double jump =
                fmax(fmax(fabs(full->v[i] - s->v[i]), fabs(middle.v[i] - s->v[i])), fabs(half->v[i] - middle.v[i]));
            const double bound = displaced * jump;
            if (CAROM(relative)(bound, half->q[i], CAROM_ATOL) > error) {
                error = CAROM(relative)(bound, half->q[i], CAROM_ATOL);
                *smooth = false;
            }
        }
    } else {
        for (int j = 0; j < CAROM_NC; ++j) { /* G1: an impact that no solve has seen */
            const double before = s->at[s->now].g[CAROM_NE + j], after = half->at[half->now].g[CAROM_NE + j];
            const double allowed = CAROM_ATOL + CAROM_RTOL * fabs(before),
                         deeper = fmin(before, 0.0) - after;    /* drift before counts no more */
            const bool seen = half->impulse[j] > s->impulse[j]; /* what presses drifts, and G3 sees that */
            if (!seen && before >= -allowed && deeper > fmax(error, 1.0) * allowed) {
                error = deeper / allowed;
                *smooth = false;
            }
        }
    }
    const double release = CAROM(release)(s, x, &middle, half, full);
    if (release > error) {
        error = release;
        *smooth = false;
    }
    if (!impulse)
#endif
    {
        for (int i = 0; i < CAROM_NV; ++i) { /* G3: velocities, where they are smooth */
            error = fmax(error, CAROM(relative)((half->v[i] - full->v[i]) / doubling, half->v[i], CAROM_ATOLV));
        }
    }
#if CAROM_EXTRAPOLATE > 0
#if CAROM_TIMED > 0
    *smooth = *smooth && !(bounce > 0.0);
#endif
    if (*smooth && error <= 1.0) {
        CAROM(extrapolate)(s, full, &middle, half);
    }
#else
    (void)middle;
#endif
    return error;
}

/* Advances towards t_end with at most so many attempts as a host may wait for, of steps that the tolerances choose:
 * CAROM_UNFINISHED when it is not there yet, with the state at the time reached. On failure s is unchanged. */
static inline carom_status CAROM(double_towards)(CAROM_STATE *s, double t_end, double h)
{
    CAROM(aim)(s, t_end);
    CAROM_STATE now = *s, full, half;
    double x = s->next_step > 0.0 ? s->next_step : CAROM_FIRST_STEP * h;
    carom_status status = CAROM_OK;
    for (int count = 0; count < CAROM_PART && t_end - now.t > CAROM_ARRIVED * h; ++count) {
        const bool cut = x >= t_end - now.t;
        const double taken = cut ? t_end - now.t : x;
        bool smooth = true;
        if (++now.aim.attempts > CAROM_ATTEMPTS) {
            carom_info info = {-1, CAROM_ATTEMPTS, 0.0};
            return CAROM(fail)(s, CAROM_STEP, &info);
        }
        const double error = CAROM(attempt)(&now, taken, &full, &half, &status, &smooth);
        const double factor =
            error > 0.0 ? CAROM_SAFETY * pow(error, smooth ? -1.0 / (CAROM_ORDER + 1.0) : -1.0) : CAROM_GROWTH;
        if (status == CAROM_OK && error <= 1.0) {
            half.counts.evaluations += full.counts.evaluations - now.counts.evaluations; /* all work counts */
            half.counts.contact_solves += full.counts.contact_solves - now.counts.contact_solves;
            now = half;
            now.t = cut ? t_end : now.t;
            x = cut ? fmax(fmin(x, taken * fmin(factor, CAROM_GROWTH)), taken)
                    : taken * fmin(fmax(factor, CAROM_SHRINK), CAROM_GROWTH);
            continue;
        }
        now.counts.evaluations = full.counts.evaluations + half.counts.evaluations - now.counts.evaluations;
        now.counts.contact_solves = full.counts.contact_solves + half.counts.contact_solves - now.counts.contact_solves;
        if (status < 0) {
            return CAROM(fail)(s, status, &full.info);
        }
        status = CAROM_OK;
        x = taken * fmin(fmax(factor, CAROM_SHRINK), CAROM_REJECTED);
        if (x < CAROM_HMIN) {
            carom_info info = {-1, count, error};
            return CAROM(fail)(s, CAROM_STEP, &info);
        }
    }
    now.next_step = fmin(x, h);
    *s = now;
    return t_end - now.t > CAROM_ARRIVED * h ? CAROM_UNFINISHED : CAROM_OK;
}

#endif
