/* Many instances of a model in lanes (carom/lanes.h): CAROM_PACK holds CAROM_LANES of them, and its step is that of the
 * model, operation by operation, with masks for branches. What a lane cannot do so (more than two contacts at once,
 * friction where something touches, the first step from a state that was given, a step that fails) is added to s->odd;
 * then that lane is as it was and the model's own step makes it. Asks for
 *
 *     CAROM_PACK, CAROM_PACK_CONFIG     the pack, what depends on its configuration
 *     CAROM(put_data), CAROM(get_data)  parameters, their constants and inputs of one lane, from and to a state
 *     CAROM(step_lanes)                 the step: the lanes that it made
 *     CAROM(configure), solve_mass, rows, row, forces, bias   operators in lanes, of packs
 *     CAROM_FLIES                       1: CAROM(flight_lanes), the step of all lanes while nothing touches in any
 *     CAROM_KEEPS_FORCE                 1: s->force
 *     CAROM_TIMED                       1: kinematics depend on time; s->place is the time of those that are kept
 *     CAROM_EVALUATIONS                 evaluations of forces in a step
 *
 * and some of what carom/straight.h does. See carom/algorithm.h. */
#ifndef CAROM_BATCH_H
#define CAROM_BATCH_H

#include "algorithm.h"
#include "lanes.h"
#include "law.h"
#include "model.h"

#include <float.h>

#if CAROM_TIMED > 0
#define CAROM_PLACE(s) (s)->place
#else
#define CAROM_PLACE(s) (s)->t
#endif

/* ---- contact ----------------------------------------------------------------------------------------------------- */

#if CAROM_NR > 0

/* Is a row in a set, in any lane? */
static inline bool CAROM(any)(const CAROM_PACK *s, const carom_mask *set)
{
    (void)s;
    carom_mask any = set[0];
    CAROM_UNROLL
    for (int j = 1; j < CAROM_NG; ++j) {
        any |= set[j];
    }
    return carom_any(&any);
}

#if CAROM_CONSTANT_W > 0
#define CAROM_LANES_Y s->derived.Y
#define CAROM_LANES_W s->derived.W
#else
#define CAROM_LANES_Y c->Y
#define CAROM_LANES_W c->W

/* Rows of Y = M^-1 G^T that are in a set in any lane, and their parts of W, which are the same whoever came first. */
static inline void CAROM(delassus_on)(CAROM_PACK *s, CAROM_PACK_CONFIG *c, const carom_mask *set)
{
    CAROM_UNROLL
    for (int j = 0; j < CAROM_NG; ++j) {
        if (c->have[j] || !carom_any(&set[j])) {
            continue;
        }
        const int n = CAROM(Gp)[j + 1] - CAROM(Gp)[j];
        carom_lanes *const g = c->G + CAROM(Gp)[j];
        CAROM(row)(s, c, j, g);
        for (int i = 0; i < CAROM_NV; ++i) {
            c->Y[j][i] = CAROM_ALL(0.0);
        }
        for (int l = 0; l < n; ++l) {
            c->Y[j][CAROM(Gj)[CAROM(Gp)[j] + l]] = g[l];
        }
        CAROM(solve_mass)(s, c, c->Y[j]);
        c->have[j] = true;
        CAROM_UNROLL
        for (int k = 0; k < CAROM_NG; ++k) {
            const int low = k < j ? k : j, high = k < j ? j : k;
            if (!c->have[k]) {
                continue;
            }
            carom_lanes sum = CAROM_ALL(0.0);
            CAROM_UNROLL
            for (int l = CAROM(Gp)[low]; l < CAROM(Gp)[low + 1]; ++l) {
                sum += c->G[l] * c->Y[high][CAROM(Gj)[l]];
            }
            c->W[low][high] = sum;
        }
    }
}
#endif

/* One or two contacts of each lane: which they are and what is asked of them. */
typedef struct {
    carom_mask one, two;                   /* lanes that have a contact, that have two */
    carom_mask first[CAROM_NG];            /* lanes whose first contact this row is */
    carom_lanes W00, W01, W11, u[2], c[2]; /* W z + u, forces carried along */
} CAROM(pairs);

/* 0 <= z _|_ W z + u >= 0 of two contacts with one set of modes; the lanes where it holds. See carom_lcp_2_mode. */
static inline void CAROM(both_press)(const CAROM(pairs) * p, carom_lanes *z, carom_mask *good)
{
    const carom_lanes l = p->W01 / p->W00, s = p->W11 - l * p->W01;
    z[1] = -(p->u[1] - l * p->u[0]) / s;
    z[0] = -(p->u[0] + p->W01 * z[1]) / p->W00;
    *good = (carom_mask)(p->W00 > 0.0) & (carom_mask)(s > 1e-12 * CAROM_ABS(p->W11)) & (carom_mask)(z[0] >= 0.0) &
            (carom_mask)(z[1] >= 0.0);
}

static inline void CAROM(one_presses)(const CAROM(pairs) * p, int which, carom_lanes *z, carom_mask *good)
{
    const carom_lanes W = which == 0 ? p->W00 : p->W11, u = p->u[which], other = p->u[1 - which], force = -u / W;
    const carom_lanes rate = p->W01 * force;
    z[which] = force;
    z[1 - which] = CAROM_ALL(0.0);
    *good = (carom_mask)(u <= 0.0) & (carom_mask)(W > 0.0) &
            (carom_mask)(other + rate >= -(16.0 * DBL_EPSILON) * (CAROM_ABS(other) + CAROM_ABS(rate)));
}

/* Forces of one or two contacts; lanes without are odd. The modes are tried in the order of carom_lcp_2. */
static inline void CAROM(solve_pairs)(CAROM_PACK *s, const CAROM(pairs) * p, carom_lanes *z)
{
    const carom_mask single = p->one & ~p->two;
    z[0] = z[1] = CAROM_ALL(0.0);
    if (carom_any(&single)) {
        z[0] = CAROM_PICK(single & (carom_mask)(p->u[0] < 0.0), -p->u[0] / p->W00, z[0]);
    }
    if (!carom_any(&p->two)) {
        return;
    }
    carom_mask left = p->two;
    for (int mode = 3; mode < 7 && carom_any(&left); ++mode) { /* 3, then 0, 1, 2 */
        carom_lanes x[2] = {CAROM_ALL(0.0), CAROM_ALL(0.0)};
        carom_mask good = (carom_mask)(p->u[0] >= 0.0) & (carom_mask)(p->u[1] >= 0.0);
        if (mode == 3) {
            CAROM(both_press)(p, x, &good);
        } else if (mode > 4) {
            CAROM(one_presses)(p, mode - 5, x, &good);
        }
        good &= left & (carom_mask)(x[0] <= DBL_MAX) & (carom_mask)(x[1] <= DBL_MAX);
        z[0] = CAROM_PICK(good, x[0], z[0]);
        z[1] = CAROM_PICK(good, x[1], z[1]);
        left &= ~good;
    }
    s->odd |= left;
}

/* What a row leaves of the law of contact, and what that is measured by: see carom_law_row. */
static inline void CAROM(law_row)(const carom_mask *here, const carom_lanes *W, const carom_lanes *r,
                                  const carom_lanes *u, carom_lanes *left, carom_lanes *scale, carom_mask *odd)
{
    const carom_lanes force = *W * *r, rate = CAROM_ABS(*u), push = CAROM_ABS(force);
    const carom_lanes size = CAROM_PICK((carom_mask)(push > rate), push, rate);
    const carom_lanes rest = CAROM_ABS(CAROM_PICK((carom_mask)(force < *u), force, *u));
    *scale = CAROM_PICK(*here & (carom_mask)(size > *scale), size, *scale);
    *left = CAROM_PICK(*here & ~(carom_mask)(rest <= *left), rest, *left);
    *odd |= *here & ~(carom_mask)(*W > 0.0) & (carom_mask)(*r != 0.0);
}

/* Do the forces keep the law? Lanes where that is not plain are odd. See carom/lawful.h. */
static inline void CAROM(judge_pairs)(CAROM_PACK *s, const CAROM(pairs) * p, const carom_lanes *z)
{
#if CAROM_NG == 1 && CAROM_NT == 0
    const carom_lanes least = -CAROM_OPEN_ROUNDING * CAROM_ABS(p->u[0]);
    s->odd |= p->one & ~((carom_mask)(z[0] >= 0.0) & (carom_mask)(p->W00 * z[0] + p->u[0] >= least));
#else
    carom_lanes left = CAROM_ALL(0.0), scale = CAROM_ALL(0.0), speed = CAROM_ALL(0.0);
    const carom_lanes w = p->u[0] + p->W00 * z[0], first = CAROM_PICK(p->two, w + p->W01 * z[1], w);
    const carom_lanes second = p->u[1] + p->W01 * z[0] + p->W11 * z[1];
    CAROM(law_row)(&p->one, &p->W00, &z[0], &first, &left, &scale, &s->odd);
    CAROM(law_row)(&p->two, &p->W11, &z[1], &second, &left, &scale, &s->odd);
    s->odd |= p->one & ~(carom_mask)(CAROM_LAW_EPSILON * scale <= CAROM_TS);
    const carom_mask more = p->one & ~(carom_mask)(left <= s->law * scale);
    if (!carom_any(&more)) {
        return;
    }
    CAROM_UNROLL
    for (int i = 0; i < CAROM_NV; ++i) { /* rates are sums of velocities: what is small beside these is rounding */
        const carom_lanes part = CAROM_LAW_ROUNDING * CAROM_ABS(s->v[i]);
        speed = CAROM_PICK((carom_mask)(part > speed), part, speed);
    }
    scale = CAROM_PICK((carom_mask)(speed > scale), speed, scale);
    s->odd |= more & ~(carom_mask)(left <= CAROM_LAW_BROKEN * scale);
    const carom_mask most = more & (carom_mask)(left > s->law * scale);
    s->law_left = CAROM_PICK(most, left / scale, s->law);
#endif
}

/* A contact problem: M x = rhs + G^T (r - carried), u = G x + b, 0 <= r _|_ u >= 0 on the rows of a set, r = carried on
 * others. rhs, carried: NULL stands for 0. within: forces within the step, whose end is judged. */
static CAROM_REPEATED void CAROM(contact)(CAROM_PACK *s, CAROM_PACK_CONFIG *c, const carom_mask *set,
                                          const carom_lanes *rhs, const carom_lanes *b, const carom_lanes *carried,
                                          bool within, carom_lanes *x, carom_lanes *r)
{
    carom_lanes u[CAROM_NG], z[2];
    CAROM(pairs) p;
    CAROM_UNROLL
    for (int i = 0; i < CAROM_NV; ++i) {
        x[i] = rhs != NULL ? rhs[i] : CAROM_ALL(0.0);
    }
    CAROM_UNROLL
    for (int j = 0; j < CAROM_NG; ++j) {
        r[j] = carried != NULL ? carried[j] : CAROM_ALL(0.0);
    }
    if (rhs != NULL) {
        CAROM(solve_mass)(s, c, x);
    }
    if (!CAROM(any)(s, set)) {
        return;
    }
    CAROM_UNROLL
    for (int j = 0; j < CAROM_NG; ++j) {
        u[j] = b[j];
    }
#if CAROM_PULLS > 0
    if (rhs != NULL) {
        carom_lanes pulled[CAROM_NR];
        CAROM(rows)(s, c, x, pulled);
        CAROM_UNROLL
        for (int j = 0; j < CAROM_NG; ++j) {
            u[j] = pulled[j] + b[j];
        }
    }
#endif
#if CAROM_CONSTANT_W == 0
    CAROM(delassus_on)(s, c, set);
#else
    (void)c;
#endif
    p.one = p.two = CAROM_NONE;
    p.W00 = p.W01 = p.W11 = p.u[0] = p.u[1] = p.c[0] = p.c[1] = CAROM_ALL(0.0);
    CAROM_UNROLL
    for (int j = 0; j < CAROM_NG; ++j) {
        p.first[j] = set[j] & ~p.one;
        if (!carom_any(&set[j])) {
            continue;
        }
        const carom_mask first = p.first[j], second = set[j] & p.one & ~p.two;
        s->odd |= set[j] & p.two;
        p.u[0] = CAROM_PICK(first, u[j], p.u[0]);
        p.u[1] = CAROM_PICK(second, u[j], p.u[1]);
        p.c[0] = CAROM_PICK(first, r[j], p.c[0]);
        p.c[1] = CAROM_PICK(second, r[j], p.c[1]);
        p.W00 = CAROM_PICK(first, CAROM_LANES_W[j][j], p.W00);
        p.W11 = CAROM_PICK(second, CAROM_LANES_W[j][j], p.W11);
        CAROM_UNROLL
        for (int k = 0; k < j; ++k) {
            p.W01 = CAROM_PICK(p.first[k] & second, CAROM_LANES_W[k][j], p.W01);
        }
        p.one |= first;
        p.two |= second;
    }
    if (carried != NULL) {
        p.u[0] -= p.W00 * p.c[0];
        p.u[0] = CAROM_PICK(p.two, p.u[0] - p.W01 * p.c[1], p.u[0]);
        p.u[1] = p.u[1] - p.W01 * p.c[0] - p.W11 * p.c[1];
    }
#if CAROM_NT > 0
    s->odd |= p.one & s->derived.frictional;
#endif
    CAROM(solve_pairs)(s, &p, z);
    if (!within) {
        CAROM(judge_pairs)(s, &p, z);
    }
    s->solved -= p.one;
    CAROM_UNROLL
    for (int j = 0; j < CAROM_NG; ++j) {
        if (!carom_any(&set[j])) {
            continue;
        }
        const carom_lanes force = CAROM_PICK(p.first[j], z[0], z[1]), push = carried != NULL ? force - r[j] : force;
        r[j] = CAROM_PICK(set[j], force, r[j]);
        CAROM_UNROLL
        for (int i = 0; i < CAROM_NV; ++i) {
            x[i] = CAROM_PICK(set[j], x[i] + CAROM_LANES_Y[j][i] * push, x[i]);
        }
    }
}

#if CAROM_PULLS > 0 && CAROM_BIAS > 0
/* Accelerations under the law of contact: M a = h(t, q, v) + G^T r, 0 <= r _|_ G a + gam >= 0 on the rows of a set. */
static inline void CAROM(accelerate)(CAROM_PACK *s, CAROM_PACK_CONFIG *c, const carom_lanes *v, const carom_mask *set,
                                     carom_lanes *a, carom_lanes *r)
{
    carom_lanes f[CAROM_NV], gam[CAROM_NR];
    CAROM(forces)(s, c, v, f);
    if (CAROM(any)(s, set)) {
        CAROM(bias)(s, c, v, gam);
    }
    CAROM(contact)(s, c, set, f, gam, NULL, true, a, r);
}
#endif

#endif

/* ---- a step of a pack -------------------------------------------------------------------------------------------- */

/* Lanes with numbers that are none are odd. */
static inline void CAROM(finite)(CAROM_PACK *s, const carom_lanes *q, const carom_lanes *v)
{
    carom_mask off = CAROM_NONE; /* x - x has no bit where x is a number */
    CAROM_UNROLL
    for (int i = 0; i < CAROM_NQ; ++i) {
        off |= (carom_mask)(q[i] - q[i]);
    }
    CAROM_UNROLL
    for (int i = 0; i < CAROM_NV; ++i) {
        off |= (carom_mask)(v[i] - v[i]);
    }
    s->odd |= (carom_mask)(off != 0);
}

static inline void CAROM(next_time)(const CAROM_PACK *s, const carom_lanes *h, carom_lanes *t, carom_lanes *low)
{
    const carom_lanes whole = *h + s->t_low;
    *t = s->t + whole;
    *low = whole - (*t - s->t);
}

#if CAROM_NR > 0
/* The deepest penetration so far, with a gap at the end of a step to t. */
static inline void CAROM(deepen)(CAROM_PACK *s, const CAROM_PACK_CONFIG *c, int j, const carom_lanes *t,
                                 const carom_mask *good)
{
    const carom_mask deeper = *good & (carom_mask)(c->g[j] < -s->deepest);
    if (carom_any(&deeper)) {
        s->deepest = CAROM_PICK(deeper, -c->g[j], s->deepest);
        s->deepest_t = CAROM_PICK(deeper, *t, s->deepest_t);
        s->deepest_contact = CAROM_PICK_MASK(deeper, CAROM_NONE + j, s->deepest_contact);
    }
}
#endif

/* The end of a step in the lanes where it is good: what it found becomes the state. J: impulses of the rows. */
static inline void CAROM(accept)(CAROM_PACK *s, const carom_lanes *q, const carom_lanes *v, const carom_lanes *J,
                                 const carom_lanes *h, const carom_mask *good)
{
    carom_lanes t, low;
    CAROM(next_time)(s, h, &t, &low);
#if CAROM_TIMED > 0
    s->place = CAROM_PICK(*good, s->t + *h, s->place);
#endif
    s->t_low = CAROM_PICK(*good, low, s->t_low);
    s->t = CAROM_PICK(*good, t, s->t);
    for (int i = 0; i < CAROM_NQ; ++i) {
        s->q[i] = CAROM_PICK(*good, q[i], s->q[i]);
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        s->v[i] = CAROM_PICK(*good, v[i], s->v[i]);
    }
#if CAROM_NR > 0
    for (int j = 0; j < CAROM_NG; ++j) {
        s->last[j] = CAROM_PICK(*good, J[j], s->last[j]);
        s->impulse[j] = CAROM_PICK(*good, s->impulse[j] + J[j], s->impulse[j]);
        CAROM(deepen)(s, &s->at[1 - s->now], j, &t, good);
    }
    s->last_step = CAROM_PICK(*good, *h, s->last_step);
#if CAROM_NT > 0
    for (int j = CAROM_NG; j < CAROM_NR && carom_any(&s->derived.frictional); ++j) { /* where nothing touches */
        s->last[j] = CAROM_PICK(*good, CAROM_ALL(0.0), s->last[j]);
#if CAROM_KEEPS_FORCE > 0
        s->force[j] = CAROM_PICK(*good, CAROM_ALL(0.0), s->force[j]);
#endif
    }
#endif
#else
    (void)J;
#endif
    s->now = 1 - s->now;
    s->steps -= *good;
    s->solves += s->solved & *good;
    s->law = CAROM_PICK(*good, s->law_left, s->law);
    s->plain |= *good;
}

#if CAROM_NR > 0
/* After a step in which nothing touched there are no forces in any lane. */
static inline void CAROM(land)(CAROM_PACK *s)
{
    for (int j = 0; j < CAROM_NR && s->aloft; ++j) {
        s->last[j] = CAROM_ALL(0.0);
#if CAROM_KEEPS_FORCE > 0
        s->force[j] = CAROM_ALL(0.0);
#endif
    }
    s->aloft = false;
}
#endif

#if CAROM_FLIES > 0
/* The same for a step of all lanes in which no contact took part. open: no gap is closed at its end. */
static inline void CAROM(coast)(CAROM_PACK *s, const carom_lanes *q, const carom_lanes *v, const carom_lanes *h,
                                bool open)
{
    carom_lanes t;
#if CAROM_TIMED > 0
    s->place = s->t + *h;
#endif
    CAROM(next_time)(s, h, &t, &s->t_low);
    s->t = t;
    for (int i = 0; i < CAROM_NQ; ++i) {
        s->q[i] = q[i];
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        s->v[i] = v[i];
    }
    s->last_step = *h;
    s->aloft = true;
    s->plain = ~CAROM_NONE;
    s->now = 1 - s->now;
    for (int j = 0; j < CAROM_NG && !open; ++j) {
        CAROM(deepen)(s, &s->at[s->now], j, &t, &s->plain);
    }
    s->steps += 1;
}
#endif

/* ---- instances --------------------------------------------------------------------------------------------------- */

/* Instance l of a pack becomes a state, which init has begun. */
static inline void CAROM(put)(CAROM_PACK *s, int l, const CAROM_STATE *from)
{
    CAROM(put_data)(s, l, from);
    s->t[l] = from->t;
    s->t_low[l] = from->t_low;
#if CAROM_TIMED > 0
    s->place[l] = from->t;
#endif
    for (int i = 0; i < CAROM_NQ; ++i) {
        s->q[i][l] = from->q[i];
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        s->v[i][l] = from->v[i];
    }
#if CAROM_NR > 0
    for (int j = 0; j < CAROM_NG; ++j) {
        s->impulse[j][l] = from->impulse[j];
    }
    for (int j = 0; j < CAROM_NR; ++j) {
        s->last[j][l] = from->last[j];
    }
#if CAROM_NT > 0
    for (int j = 0; j < CAROM_NT; ++j) {
        s->friction[j][l] = from->friction[j];
    }
#endif
    s->last_step[l] = from->last_step;
    s->deepest[l] = from->deepest.depth;
    s->deepest_t[l] = from->deepest.t;
    s->deepest_contact[l] = from->deepest.contact;
#endif
    s->law[l] = from->counts.law;
    s->steps[l] = 0;
    s->solves[l] = 0;
    s->events[l] = 0;
    s->plain[l] = 0;
    s->counts[l] = from->counts;
    s->info[l] = from->info;
}

/* And back, into a state that init has begun; its lists stay the host's. */
static inline carom_status CAROM(get)(const CAROM_PACK *s, int l, CAROM_STATE *into)
{
    CAROM(params) params;
    into->t = s->t[l];
    into->t_low = s->t_low[l];
    for (int i = 0; i < CAROM_NQ; ++i) {
        into->q[i] = s->q[i][l];
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        into->v[i] = s->v[i][l];
    }
#if CAROM_NR > 0
    for (int j = 0; j < CAROM_NG; ++j) {
        into->impulse[j] = s->impulse[j][l];
    }
    for (int j = 0; j < CAROM_NR; ++j) {
        into->last[j] = s->last[j][l];
    }
#if CAROM_NT > 0
    for (int j = 0; j < CAROM_NT; ++j) {
        into->friction[j] = s->friction[j][l];
    }
#endif
    into->last_step = s->last_step[l];
    into->deepest = (carom_deepest){s->deepest[l], s->deepest_t[l], (int)s->deepest_contact[l]};
#endif
    into->counts = s->counts[l];
    into->counts.steps += (unsigned long long)s->steps[l];
    into->counts.evaluations += CAROM_EVALUATIONS * (unsigned long long)s->steps[l];
    into->counts.contact_solves += (unsigned long long)s->solves[l];
    into->counts.events += (unsigned long long)s->events[l];
    into->counts.law = s->law[l];
    into->info = s->plain[l] != 0 ? (carom_info){-1, 0, 0.0} : s->info[l];
    CAROM(get_data)(s, l, into, &params);
#if CAROM_TIMED > 0
    into->t = s->place[l];
#endif
    const carom_status status = CAROM(set_params)(into, &params);
    into->t = s->t[l];
    return status;
}

/* Steps of h to t_end of the lanes of a pack, the last one shorter: one step of those that are not there yet. False:
 * all are, or have failed. */
static inline bool CAROM(step_pack)(CAROM_PACK *s, double t_end, double h)
{
    carom_lanes length = CAROM_ALL(h);
    carom_mask live = ~s->failed, made;
    if (s->whole > 0.0) {
        s->whole -= 1.0;
    } else {
        const carom_lanes left = t_end - s->t;
        live &= (carom_mask)(left > s->blur);
        if (!carom_any(&live)) {
            return false;
        }
        length = CAROM_PICK((carom_mask)(left > h - s->blur), length, left);
    }
#if CAROM_FLIES > 0
    if (CAROM(flight_lanes)(s, &length, &live)) {
        return true;
    }
#endif
#if CAROM_NR > 0
    CAROM(land)(s);
#endif
    CAROM(step_lanes)(s, &length, &live, &made);
    const carom_mask alone = live & ~made;
    if (!carom_any(&alone)) {
        return true;
    }
    for (int l = 0; l < CAROM_LANES; ++l) {
        if (alone[l] != 0) {
            carom_status status = CAROM(get)(s, l, &s->state);
            status = status == CAROM_OK ? CAROM(step)(&s->state, length[l]) : status;
#if CAROM_TIMED > 0
            const double place = status == CAROM_OK ? s->t[l] + length[l] : s->place[l];
            CAROM(put)(s, l, &s->state);
            s->place[l] = place;
#else
            CAROM(put)(s, l, &s->state);
#endif
            s->status[l] = status;
            s->failed[l] = status == CAROM_OK ? 0 : -1;
            s->whole = status == CAROM_OK ? s->whole : 0.0;
        }
    }
    CAROM(configure)(s, &CAROM_PLACE(s), s->q, &s->at[s->now]);
    return true;
}

/* Before the steps of a pack: nothing has failed, kinematics are those of its places. */
static inline void CAROM(begin_pack)(CAROM_PACK *s, double t_end, double h)
{
    const double end = fabs(t_end);
    s->blur = CAROM_SAME_STEP * h +
              4.0 * DBL_EPSILON * CAROM_PICK((carom_mask)(CAROM_ABS(s->t) > end), CAROM_ABS(s->t), CAROM_ALL(end));
    s->failed = CAROM_NONE;
    s->whole = HUGE_VAL;
    for (int l = 0; l < CAROM_LANES; ++l) {
        s->status[l] = CAROM_OK;
        s->whole = fmin(s->whole, floor((t_end - s->t[l]) / h) - 2.0);
    }
    CAROM(configure)(s, &CAROM_PLACE(s), s->q, &s->at[s->now]);
}

/* Instances whose steps are made by turns, so that one pack's operations fill the time in which another's wait. */
#ifndef CAROM_TILE
#define CAROM_TILE 32
#endif
enum { CAROM_TILE_PACKS = CAROM_TILE > CAROM_LANES ? CAROM_TILE / CAROM_LANES : 1 };

/* All packs to t_end in steps of h. With OpenMP the threads share them; bits do not depend on their number. */
static inline void CAROM(advance_packs)(CAROM_PACK *pack, size_t packs, double t_end, double h)
{
    const ptrdiff_t tiles = (ptrdiff_t)((packs + CAROM_TILE_PACKS - 1) / CAROM_TILE_PACKS);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (ptrdiff_t tile = 0; tile < tiles; ++tile) {
        const size_t from = (size_t)tile * CAROM_TILE_PACKS, rest = packs - from;
        const size_t count = rest < CAROM_TILE_PACKS ? rest : CAROM_TILE_PACKS;
        bool more = true;
        for (size_t k = 0; k < count; ++k) {
            CAROM(begin_pack)(&pack[from + k], t_end, h);
        }
        while (more) {
            more = false;
            for (size_t k = 0; k < count; ++k) {
                more = CAROM(step_pack)(&pack[from + k], t_end, h) || more;
            }
        }
#if CAROM_NR > 0
        for (size_t k = 0; k < count; ++k) {
            CAROM(land)(&pack[from + k]);
        }
#endif
    }
}

#endif
