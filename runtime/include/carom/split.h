/* Impacts at their own times inside a step of fixed length (impact=split, THEORY 4.9), a program over the step: it
 * looks whether a contact closes, makes a step to the time of the first that ends with its impact, and goes on with
 * what is left; at most CAROM_SPLITS times, so that the cost of a step is bounded. Nothing is iterated: the time is the
 * first root of the cubic through the gaps and their rates at both ends. Asks for
 *
 *     CAROM(piece)(s, h)       one step, all or nothing. It halts (CAROM_UNFINISHED) where a contact closes while
 *                              s->look is set, having filled s->closing, s->rate_start, s->rate_end; with s->hitting it
 *                              ends with the impact of these contacts; those in s->landing rest from its start;
 *                              with s->known the forces at the start are those that were found there before
 *     CAROM_SPLITS             impacts in one step that have a time of their own
 *     CAROM_POLISH             1: the time is corrected once, where the order of the scheme is higher than the cubic's
 *     CAROM_TG                 gap below which a contact is closed
 *     CAROM_SPLIT_KEEPS        bytes of the state before what is scratch
 *     CAROM_UNTIMED            1: s->late and s->bounce tell step-size control what had no time of its own: the length
 *                              of a piece that ended with an impact as steps without this do, and the height of
 *                              bounces that were taken for the end of bouncing
 *
 * See carom/algorithm.h. */
#ifndef CAROM_SPLIT_H
#define CAROM_SPLIT_H

#include "algorithm.h"
#include "root.h"

#include <string.h>

static inline void CAROM(fill)(bool *set, bool value)
{
    for (int j = 0; j < CAROM_NG; ++j) {
        set[j] = value;
    }
}

/* One piece of length x: looking for contacts that close (or where the impact is), or not. */
static inline carom_status CAROM(run_piece)(CAROM_STATE *s, double x, bool look, bool known)
{
    CAROM(fill)(s->look, look);
    CAROM(fill)(s->known, known);
    return CAROM(piece)(s, x);
}

/* When in a piece that halted the first contact hits, as a part of it; s->hitting: those that do then. */
static inline double CAROM(first_hit)(CAROM_STATE *s, double x)
{
    double tau[CAROM_NG], first = 1.0;
    const double *const g0 = s->at[s->now].g, *const g1 = s->at[1 - s->now].g;
    for (int j = CAROM_NE; j < CAROM_NG; ++j) {
        tau[j] = s->closing[j] ? carom_hermite_root(g0[j], x * s->rate_start[j], g1[j], x * s->rate_end[j], CAROM_TG)
                               : HUGE_VAL;
        first = fmin(first, tau[j]);
    }
    for (int j = CAROM_NE; j < CAROM_NG; ++j) {
        s->hitting[j] = tau[j] <= first + CAROM_TOGETHER;
    }
    return first;
}

/* One correction of the time y of the impact, from gaps and rates that a step to it has found. */
static inline double CAROM(polish)(const CAROM_STATE *s, double y, double x)
{
    double first = HUGE_VAL;
    for (int j = CAROM_NE; j < CAROM_NG; ++j) {
        const double U = s->rate_end[j];
        if (s->hitting[j] && U < 0.0) {
            first = fmin(first, y - s->at[1 - s->now].g[j] / U);
        }
    }
    return first > 0.0 && first < x ? first : y;
}

/* The piece that ends with the impact, at y of the x that are left; *taken is its length. */
static inline carom_status CAROM(to_impact)(CAROM_STATE *s, double x, double y, double *taken)
{
    *taken = y;
#if CAROM_POLISH > 0
    if (CAROM(run_piece)(s, y, true, true) == CAROM_UNFINISHED) {
        *taken = CAROM(polish)(s, y, x);
    }
#else
    (void)x;
#endif
    return CAROM(run_piece)(s, *taken, false, true);
}

/* Those that hit next and begin closed: their flight, of length y, is shorter than the step, and they rest from now. */
static inline bool CAROM(lands)(CAROM_STATE *s, double y)
{
    bool landed = false;
    for (int j = CAROM_NE; j < CAROM_NG; ++j) {
        if (s->hitting[j] && s->at[s->now].g[j] <= CAROM_TG) {
            landed = s->landing[j] = true;
#if CAROM_UNTIMED > 0
            s->bounce = fmax(s->bounce, 0.25 * y * s->rate_start[j]);
#else
            (void)y;
#endif
        }
    }
    return landed;
}

/* Advances by h with impacts at their own times; on failure s is unchanged. The last impulses are those of the last
 * piece: what pressed in it, without the impacts before. */
static inline carom_status CAROM(split)(CAROM_STATE *s, double h)
{
    double low;
    const double t_end = CAROM(next_time)(s, h, &low);
    double x = h;
    bool known = false;
    CAROM(fill)(s->hitting, false);
    CAROM(fill)(s->landing, false);
#if CAROM_UNTIMED > 0
    s->late = 0.0;
    s->bounce = 0.0;
#endif
    carom_status status = CAROM(run_piece)(s, x, true, false);
    if (status != CAROM_UNFINISHED) {
        return status;
    }
    unsigned char before[CAROM_SPLIT_KEEPS];
    memcpy(before, s, sizeof before);
    const unsigned long long steps = s->counts.steps;
    for (int k = 1; status == CAROM_UNFINISHED; ++k) {
        const double y = x * CAROM(first_hit)(s, x);
        known = false;
        if (!CAROM(lands)(s, y)) {
            double taken;
            status = CAROM(to_impact)(s, x, y, &taken);
            if (status < 0) {
                break;
            }
            known = status != CAROM_OK; /* no impact to be had there: on without it, from where we are */
            if (status == CAROM_OK) {
                CAROM(fill)(s->landing, false);
                x -= taken;
            } else {
                k = CAROM_SPLITS;
                ++s->counts.frozen;
            }
        }
        CAROM(fill)(s->hitting, false);
        if (x <= CAROM_ARRIVED * h) {
            status = CAROM_OK;
            break;
        }
#if CAROM_UNTIMED > 0
        const unsigned long long events = s->counts.events;
#endif
        status = CAROM(run_piece)(s, x, k < CAROM_SPLITS, known);
#if CAROM_UNTIMED > 0
        s->late = s->counts.events > events ? x : 0.0;
#endif
    }
    if (status != CAROM_OK) {
        const carom_info info = s->info;
        memcpy(s, before, sizeof before);
        return CAROM(fail)(s, status, &info);
    }
    CAROM(fill)(s->landing, false);
    s->t = t_end;
    s->t_low = low;
    s->counts.steps = steps + 1U;
    return CAROM_OK;
}

#endif
