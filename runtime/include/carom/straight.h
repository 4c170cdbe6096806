/* The contact problem of models in straight code: rows of G in a function, the Delassus matrix W = G M^-1 G^T of the
 * rows that are asked for, and the law on it by the closed forms and solvers of carom/complementarity.h and
 * carom/coulomb.h. Asks for
 *
 *     CAROM(row), Gp, Gj     entries of a row of G, and the velocities that they belong to
 *     CAROM(rows)            y = G x, where right-hand sides are handed in
 *     CAROM(solve_mass)      x := M^-1 x
 *     CAROM_CONSTANT_W       1: s->derived.Y and W hold M^-1 G^T and W; 0: a configuration has members for them
 *     CAROM_FULL_ROWS        1: every row has an entry for each velocity
 *     CAROM_LOCAL            1: M^-1 G^T of row j is 0 but for the velocities from CAROM(reach)[j][0] to before [1]
 *     CAROM_PULLS            1: right-hand sides are handed in; 0: NULL is
 *     CAROM_BIAS             1: CAROM(forces), CAROM(bias) are there, and accelerations are asked for
 *     CAROM_ALONG            1: forces along rows of other configurations are asked for
 *     CAROM_HOLDS            1: equalities are asked for, and carom/dense.h is included
 *     CAROM_BONDS            1: bonds of contacts, carom/bonds.h
 *     CAROM_ADHERES          1: adhesion of contacts, carom/adhesion.h
 *     CAROM_BREAKS           1: static friction, s->derived.kinetic is that of what breaks away
 *     CAROM_REBOUND          1: restitution of impulses, carom/expand.h
 *     CAROM_RIDES            1: contacts ride on others, carom/rides.h
 *
 * and what those two ask for. See carom/algorithm.h. */
#ifndef CAROM_STRAIGHT_H
#define CAROM_STRAIGHT_H

#include "algorithm.h"
#include "complementarity.h"
#include "lawful.h"
#include "sets.h"

#include <stdint.h>

#define CAROM_CONFIG CAROM(config)

/* The direction of sliding is handed on only where there is friction; then what follows is too long to stand in a step
 * several times. */
#if CAROM_NT > 0
#define CAROM_LARGE CAROM_CALLED
#define CAROM_SLIDES const double *slide,
#define CAROM_SLIDE slide,
#define CAROM_NO_SLIDE NULL,
#else
#define CAROM_LARGE inline
#define CAROM_SLIDES
#define CAROM_SLIDE
#define CAROM_NO_SLIDE
#endif

/* Who has been hit is handed on only where restitution is one of impulses. */
#if CAROM_REBOUND > 0
#define CAROM_TELLS CAROM_SLIDES const bool *hit,
#define CAROM_TELL CAROM_SLIDE hit,
#define CAROM_HITS const bool *hit,
#else
#define CAROM_TELLS CAROM_SLIDES
#define CAROM_TELL CAROM_SLIDE
#define CAROM_HITS
#endif

#if CAROM_BONDS > 0 || CAROM_ADHERES > 0
/* f += G_j^T r */
static inline void CAROM(add_row)(const CAROM_STATE *s, const CAROM_CONFIG *c, int j, double r, double *f)
{
    double g[CAROM_NV] = {0.0};
    CAROM(row)(s, c, j, g);
    for (int l = CAROM(Gp)[j]; l < CAROM(Gp)[j + 1]; ++l) {
        f[CAROM(Gj)[l]] += g[l - CAROM(Gp)[j]] * r;
    }
}
#endif
#if CAROM_BONDS > 0
#include "bonds.h"
#endif
#if CAROM_ADHERES > 0
#include "adhesion.h"
#endif

/* G_j x; g: the entries of row j */
static inline double CAROM(row_times)(int j, const double *g, const double *x)
{
    double sum = 0.0;
#if CAROM_FULL_ROWS > 0
    (void)j;
    CAROM_FOR(i, 0, CAROM_NV) { sum += g[i] * x[i]; }
#else
    for (int l = CAROM(Gp)[j]; l < CAROM(Gp)[j + 1]; ++l) {
        sum += g[l - CAROM(Gp)[j]] * x[CAROM(Gj)[l]];
    }
#endif
    return sum;
}

/* y = G_j^T; g: the entries of row j */
static inline void CAROM(row_to_column)(int j, const double *g, double *y)
{
#if CAROM_FULL_ROWS > 0
    (void)j;
    CAROM_FOR(i, 0, CAROM_NV) { y[i] = g[i]; }
#else
    for (int i = 0; i < CAROM_NV; ++i) {
        y[i] = 0.0;
    }
    for (int l = CAROM(Gp)[j]; l < CAROM(Gp)[j + 1]; ++l) {
        y[CAROM(Gj)[l]] = g[l - CAROM(Gp)[j]];
    }
#endif
}

#if CAROM_FULL_ROWS > 0
#define CAROM_ENTRIES(j) ((j)*CAROM_NV)
#else
#define CAROM_ENTRIES(j) CAROM(Gp)[j]
#endif

#if CAROM_CONSTANT_W > 0
#define CAROM_Y s->derived.Y
#else
#define CAROM_Y c->Y

/* Row j of Y = M^-1 G^T, and its part of W, with the rows that are known at this configuration. */
static inline void CAROM(delassus_row)(const CAROM_STATE *s, CAROM_CONFIG *c, int j)
{
    double *const g = c->G + CAROM_ENTRIES(j), *const y = c->Y[j];
    CAROM(row)(s, c, j, g);
    CAROM(row_to_column)(j, g, y);
    CAROM(solve_mass)(s, c, y);
    c->have[j] = true;
    c->known[c->count++] = j;
    for (int n = 0; n < c->count; ++n) {
        const int k = c->known[n];
        c->W[j][k] = c->W[k][j] = CAROM(row_times)(k, c->G + CAROM_ENTRIES(k), y);
    }
}
#endif

/* W on the rows of a set; what has not been computed yet at this configuration is */
static inline const double *CAROM(delassus_on)(const CAROM_STATE *s, CAROM_CONFIG *c, const bool *set)
{
#if CAROM_CONSTANT_W > 0
    (void)c;
    (void)set;
    return &s->derived.W[0][0];
#else
    for (int j = 0; j < CAROM(active)(s); ++j) {
        if (!c->have[j] && set[j]) { /* in this order gcc -O3 sees that Y and W are there */
            CAROM(delassus_row)(s, c, j);
        }
    }
    return &c->W[0][0];
#endif
}

#if CAROM_LOCAL > 0
#define CAROM_Y_FROM(j) CAROM(reach)[j][0]
#define CAROM_Y_TO(j) CAROM(reach)[j][1]
#else
#define CAROM_Y_FROM(j) 0
#define CAROM_Y_TO(j) CAROM_NV
#endif

/* v += M^-1 G^T p on the rows of a set */
static inline void CAROM(push)(const CAROM_STATE *s, const CAROM_CONFIG *c, const bool *set, const double *p, double *v)
{
    (void)c;
    for (int j = 0; j < CAROM(active)(s); ++j) {
        if (set[j]) {
            const double *const y = CAROM_Y[j];
            for (int i = CAROM_Y_FROM(j); i < CAROM_Y_TO(j); ++i) {
                v[i] += y[i] * p[j];
            }
        }
    }
}

/* The law between W r + b and r on the rows of a set, whatever solves it. */
static inline carom_status CAROM(law_of)(const CAROM_STATE *s, const double *W, const bool *set,
                                         CAROM_SLIDES const double *b, double *r, carom_info *info)
{
#if CAROM_NT > 0
    if (s->derived.frictional) {
        return CAROM(coulomb)(s, W, set, slide, b, r, info);
    }
#endif
    return CAROM(complementarity)(s, W, set, b, r, info);
}

#if CAROM_REBOUND > 0
#include "expand.h"
#endif

/* How a contact problem is solved. A contact that slides and has no finite force: it leaves the set and is counted, or
 * its whole law is solved. Forces within the step: its end tells whether the law holds. */
enum { CAROM_DROP = 1, CAROM_FALL_BACK = 2, CAROM_WITHIN = 4 };

#if CAROM_BREAKS > 0
/* Contacts of the set that stuck where the step began and whose friction is not enough for that: they slide from now
 * on, with their friction of sliding, to the end of the step. (The state is that of the step; its coefficients are
 * chosen anew where the next begins.) */
static inline bool CAROM(break_away)(const CAROM_STATE *s, const bool *set, const double *r)
{
    double *const mu = ((CAROM_STATE *)(uintptr_t)s)->derived.mu;
    bool any = false;
    for (int k = 0; k < CAROM_NC; ++k) {
        double tangent = 0.0;
        for (int l = 0; l < CAROM_D - 1; ++l) {
            const int row = CAROM(tangents)[k][l];
            tangent = row >= 0 && set[row] ? hypot(tangent, r[row]) : tangent;
        }
        if (carom_breaks_away(mu[k], s->derived.kinetic[k], set[CAROM_NE + k] ? r[CAROM_NE + k] : 0.0, tangent)) {
            mu[k] = s->derived.kinetic[k];
            any = true;
        }
    }
    return any;
}
#endif

/* law(W r + b, r) on the rows of a set; r holds the first guess. slide: where it is not 0 the contact slides in that
 * direction, r_T = -mu slide r_N. */
static CAROM_LARGE carom_status CAROM(obey)(const CAROM_STATE *s, const double *W, bool *set,
                                            CAROM_TELLS const double *b, const double *carried, int how, double *r,
                                            carom_info *info, carom_counts *counts)
{
    ++counts->contact_solves;
    carom_status status = CAROM(law_of)(s, W, set, CAROM_SLIDE b, r, info);
#if CAROM_NT > 0
    for (int attempt = 0; attempt < CAROM_NC && status == CAROM_PAINLEVE && (how & CAROM_DROP) != 0; ++attempt) {
        set[info->contact] = false;
        CAROM(tangents_follow)(s, set);
        if (counts->painleve == 0U) {
            counts->painleve_contact = info->contact;
            counts->painleve_time = s->t;
        }
        ++counts->painleve;
        info->contact = -1;
        status = CAROM(coulomb)(s, W, set, slide, b, r, info);
    }
#endif
#if CAROM_BREAKS > 0
    for (int attempt = 0; attempt < CAROM_NC && status == CAROM_OK && CAROM(break_away)(s, set, r); ++attempt) {
        ++counts->contact_solves;
        status = CAROM(law_of)(s, W, set, CAROM_SLIDE b, r, info);
    }
#endif
    if (status == CAROM_OK && (how & CAROM_WITHIN) == 0) {
        status = CAROM(lawful)(s, W, set, CAROM_SLIDE b, r, info, counts);
    }
#if CAROM_NT > 0
    if (status != CAROM_OK && (how & CAROM_FALL_BACK) != 0 && s->derived.frictional) {
        for (int j = 0; j < CAROM_NR; ++j) {
            r[j] = set[j] && carried != NULL ? carried[j] : 0.0;
        }
        status = CAROM(coulomb)(s, W, set, NULL, b, r, info);
        status = status == CAROM_OK ? CAROM(lawful)(s, W, set, NULL, b, r, info, counts) : status;
    }
#else
    (void)carried;
#endif
#if CAROM_REBOUND > 0
    if (status == CAROM_OK && hit != NULL) {
        status = CAROM(expand)(s, W, set, hit, b, r, info, counts);
    }
#endif
    return status;
}

/* u -= W carried on the set */
static inline void CAROM(carry)(const CAROM_STATE *s, const double *W, const bool *set, const double *carried,
                                double *u)
{
    int index[CAROM_NR], n = 0;
    for (int j = 0; j < CAROM(active)(s); ++j) {
        if (set[j]) {
            index[n++] = j;
        }
    }
    for (int i = 0; i < n; ++i) {
        const double *const row = W + index[i] * CAROM_NR;
        double sum = u[index[i]];
        for (int j = CAROM_BAND_FROM(i); j < CAROM_BAND_TO(i, n); ++j) {
            sum -= row[index[j]] * carried[index[j]];
        }
        u[index[i]] = sum;
    }
}

#if CAROM_NE == 0 && CAROM_NG > 1 && CAROM_BREAKS == 0 && CAROM_REBOUND == 0 && CAROM_RIDES == 0
/* How many contacts are in a set, and the first two: i, j (j = i where there is one). */
static inline int CAROM(first_two)(const bool *set, int *i, int *j)
{
    int n = 0, first = -1, second = -1;
    CAROM_FOR(k, 0, CAROM_NG)
    {
        if (set[k]) {
            second = first < 0 ? k : n == 1 ? k : second;
            first = first < 0 ? k : first;
            ++n;
        }
    }
    *i = first;
    *j = second;
    return n;
}

/* 0 <= z _|_ W z + u >= 0 of one or two contacts, W by rows. False: there is no closed form, or lawful() is to look
 * closer. */
static inline bool CAROM(two)(int n, int i, int j, const double W[4], const double u[2], int how,
                              const carom_counts *counts, double z[2])
{
    unsigned char basis[2] = {1U, 1U};
    z[1] = 0.0;
    if (n == 1) {
        z[0] = u[0] < 0.0 ? -u[0] / W[0] : 0.0;
    } else if (!carom_lcp_2(W, u, z, basis)) {
        return false;
    }
    if ((how & CAROM_WITHIN) == 0) {
        carom_law_residual law = {0.0, 0.0, -1};
        const double w = u[0] + W[0] * z[0];
        carom_law_row(&law, true, i, W[0], z[0], n == 2 ? w + W[1] * z[1] : w);
        if (n == 2) {
            carom_law_row(&law, true, j, W[3], z[1], u[1] + W[2] * z[0] + W[3] * z[1]);
        }
        return CAROM_LAW_EPSILON * law.scale <= CAROM_TS && law.left <= counts->law * law.scale;
    }
    return true;
}

/* x += y p on the velocities that row j reaches */
static inline void CAROM(push_row)(int j, const double *y, double p, double *x)
{
    (void)j;
    CAROM_UNROLL
    for (int l = CAROM_Y_FROM(j); l < CAROM_Y_TO(j); ++l) {
        x[l] += y[l] * p;
    }
}

/* The contact problem below where one or two contacts without friction are in the set: the same operations, on these
 * rows alone. False: it is left to those. */
static CAROM_REPEATED bool CAROM(by_cases)(const CAROM_STATE *s, CAROM_CONFIG *c, const bool *set, const double *rhs,
                                           const double *b, const double *carried, int how, double *x, double *r,
                                           carom_counts *counts)
{
    int i, j;
    const int n = CAROM(first_two)(set, &i, &j);
    if (n == 0 || n > 2 || CAROM(frictional)(s)) {
        return false;
    }
#if CAROM_CONSTANT_W > 0
    const double *const W = &s->derived.W[0][0];
    (void)c;
#else
    if (!c->have[i]) {
        CAROM(delassus_row)(s, c, i);
    }
    if (!c->have[j]) {
        CAROM(delassus_row)(s, c, j);
    }
    const double *const W = &c->W[0][0];
#endif
    const double *const Wi = W + i * CAROM_NR, *const Wj = W + j * CAROM_NR;
    const double W2[4] = {Wi[i], Wi[j], Wj[i], Wj[j]};
    double u2[2] = {b[i], b[j]}, z2[2];
    CAROM_FOR(l, 0, CAROM_NV) { x[l] = rhs != NULL ? rhs[l] : 0.0; }
#if CAROM_PULLS > 0
    if (rhs != NULL) {
        double u[CAROM_NR];
        CAROM(solve_mass)(s, c, x);
        CAROM(rows)(s, c, x, u);
        u2[0] = u[i] + b[i];
        u2[1] = u[j] + b[j];
    }
#endif
    const double carried_i = carried != NULL ? carried[i] : 0.0, carried_j = carried != NULL ? carried[j] : 0.0;
    if (carried != NULL) {
        u2[0] -= W2[0] * carried_i;
        if (n == 2) {
            u2[0] -= W2[1] * carried_j;
            u2[1] = u2[1] - W2[2] * carried_i - W2[3] * carried_j;
        }
    }
    if (!CAROM(two)(n, i, j, W2, u2, how, counts, z2)) {
        return false;
    }
    ++counts->contact_solves;
    CAROM_FOR_ROWS(k) { r[k] = carried != NULL ? carried[k] : 0.0; }
    CAROM(push_row)(i, CAROM_Y[i], carried != NULL ? z2[0] - carried_i : z2[0], x);
    r[i] = z2[0];
    if (n == 2) {
        CAROM(push_row)(j, CAROM_Y[j], carried != NULL ? z2[1] - carried_j : z2[1], x);
        r[j] = z2[1];
    }
    return true;
}
#define CAROM_CASES 1
#else
#define CAROM_CASES 0
#endif

#if CAROM_BANDED > 0
#define CAROM_ROW_STATE const CAROM_STATE
#include "in_a_row.h"
#endif

/* A contact problem, whatever rows are in the set. */
static CAROM_LARGE carom_status CAROM(contact_of_many)(const CAROM_STATE *s, CAROM_CONFIG *c, bool *set,
                                                       CAROM_TELLS const double *rhs, const double *b,
                                                       const double *carried, int how, double *x, double *r,
                                                       carom_info *info, carom_counts *counts)
{
#if CAROM_BANDED > 0
    double room[CAROM_BAND_ROOM + CAROM_NG];
    bool in[CAROM_NG];
#if CAROM_CASES > 0
    int first, second; /* one or two have the same bits whoever solves them (carom/batch.h) */
    const bool plain = CAROM(first_two)(set, &first, &second) > 2;
#elif CAROM_REBOUND > 0
    const bool plain = hit == NULL;
#else
    const bool plain = true;
#endif
    if (plain && CAROM(in_a_row)(s, c, CAROM(delassus_on)(s, c, set), set, rhs, b, carried, (how & CAROM_WITHIN) == 0,
                                 x, r, in, room, info, counts)) {
        return CAROM_OK;
    }
#endif
    double u[CAROM_NR];
    for (int i = 0; i < CAROM_NV; ++i) {
        x[i] = rhs != NULL ? rhs[i] : 0.0;
    }
#if CAROM_PULLS > 0
    if (rhs != NULL) {
        CAROM(solve_mass)(s, c, x);
        CAROM(rows)(s, c, x, u);
    }
#endif
    for (int j = 0; j < CAROM(active)(s); ++j) {
        u[j] = CAROM_PULLS > 0 && rhs != NULL ? u[j] + b[j] : b[j];
    }
    const double *const W = CAROM(delassus_on)(s, c, set);
    if (carried != NULL) {
        CAROM(carry)(s, W, set, carried, u);
    }
    const carom_status status = CAROM(obey)(s, W, set, CAROM_TELL u, carried, how, r, info, counts);
    if (carried != NULL) {
        for (int j = 0; j < CAROM(active)(s); ++j) {
            r[j] = set[j] ? r[j] : carried[j];
            u[j] = r[j] - carried[j];
        }
    }
    CAROM(push)(s, c, set, carried != NULL ? u : r, x);
    return status;
}

/* A contact problem: M x = rhs + G^T (r - carried), u = G x + b, law(u, r) on the rows of a set, r = carried on others.
 * rhs, carried: NULL stands for 0. r holds the first guess. */
static CAROM_REPEATED carom_status CAROM(contact)(const CAROM_STATE *s, CAROM_CONFIG *c, bool *set,
                                                  CAROM_TELLS const double *rhs, const double *b, const double *carried,
                                                  int how, double *x, double *r, carom_info *info, carom_counts *counts)
{
#if CAROM_CASES > 0
    if (CAROM(by_cases)(s, c, set, rhs, b, carried, how, x, r, counts)) {
        return CAROM_OK;
    }
#endif
    return CAROM(contact_of_many)(s, c, set, CAROM_TELL rhs, b, carried, how, x, r, info, counts);
}

#if CAROM_ALONG > 0
/* M x = rhs + F^T r with M and F of another configuration, u = G x + b, law(u, r) on the rows of a set: W = G M^-1 F^T
 * is not symmetric. r holds the first guess. */
static CAROM_LARGE carom_status CAROM(contact_along)(const CAROM_STATE *s, const CAROM_CONFIG *c, CAROM_CONFIG *along,
                                                     bool *set, CAROM_TELLS const double *rhs, const double *b, int how,
                                                     double *x, double *r, carom_info *info, carom_counts *counts)
{
    double u[CAROM_NR];
    const double *const symmetric = CAROM(delassus_on)(s, along, set);
    for (int i = 0; i < CAROM_NV; ++i) {
        x[i] = rhs[i];
    }
    CAROM(solve_mass)(s, along, x);
#if CAROM_CONSTANT_W > 0
    const double *const W = symmetric; /* G is the same everywhere */
#else
    (void)symmetric; /* made for its Y = M^-1 F^T */
    double *const W = CAROM(room)(s) + CAROM_INNER;
    for (int k = 0; k < CAROM(active)(s); ++k) {
        if (set[k]) {
            CAROM(rows)(s, c, along->Y[k], u);
        }
        for (int j = 0; j < CAROM(active)(s); ++j) {
            W[j * CAROM_NR + k] = set[k] ? u[j] : 0.0;
        }
    }
#endif
    CAROM(rows)(s, c, x, u);
    for (int j = 0; j < CAROM(active)(s); ++j) {
        u[j] += b[j];
    }
    const carom_status status = CAROM(obey)(s, W, set, CAROM_TELL u, NULL, how, r, info, counts);
    CAROM(push)(s, along, set, r, x);
    return status;
}

#endif
/* The same where no row is in the set. */
static inline void CAROM(free)(const CAROM_STATE *s, const CAROM_CONFIG *c, const double *rhs, const double *carried,
                               double *x, double *r)
{
    for (int i = 0; i < CAROM_NV; ++i) {
        x[i] = rhs != NULL ? rhs[i] : 0.0;
    }
    if (rhs != NULL) {
        CAROM(solve_mass)(s, c, x);
    }
    for (int j = 0; j < CAROM_NR; ++j) {
        r[j] = carried != NULL ? carried[j] : 0.0;
    }
}

#if CAROM_PULLS > 0 && CAROM_BIAS > 0
/* Accelerations under the law of contact: M a = h(t, q, v) + G^T r, law(G a + gam, r) on the rows of a set (THEORY 4.1,
 * 6.2). guess: of r; NULL: r holds it. */
static inline carom_status CAROM(accelerate)(const CAROM_STATE *s, CAROM_CONFIG *c, const double *v, bool *set,
                                             CAROM_TELLS const double *guess, int how, double *a, double *r,
                                             carom_info *info, carom_counts *counts)
{
    double f[CAROM_NV], gam[CAROM_NR];
    CAROM(forces)(s, c, v, f);
#if CAROM_BONDS > 0
    CAROM(pull)(s, c, f);
#endif
#if CAROM_ADHERES > 0
    CAROM(draw)(s, c, f);
#endif
    ++counts->evaluations;
    if (!CAROM(any)(s, set)) {
        CAROM(free)(s, c, f, NULL, a, r);
        return CAROM_OK;
    }
    if (guess != NULL && CAROM(frictional)(s)) { /* what solves it looks at first guesses then */
        for (int j = 0; j < CAROM(active)(s); ++j) {
            r[j] = guess[j];
        }
    }
    CAROM(bias)(s, c, v, gam);
    return CAROM(contact)(s, c, set, CAROM_TELL f, gam, NULL, how, a, r, info, counts);
}
#endif

#if CAROM_HOLDS > 0
/* The same with normals only, all of them equalities: G x + b = 0 on the set. */
static inline carom_status CAROM(hold)(const CAROM_STATE *s, CAROM_CONFIG *c, const bool *set, const double *b,
                                       double *x, double *r)
{
    const double *const W = CAROM(delassus_on)(s, c, set);
    bool normals[CAROM_NR] = {false};
    int index[CAROM_NR], n = 0;
    double *const w = CAROM(room)(s), y[CAROM_NR] = {0.0};
    for (int j = 0; j < CAROM_NR; ++j) {
        r[j] = 0.0;
        normals[j] = j < CAROM_NG && set[j] && (j < CAROM_NE || CAROM_MOUNT(j - CAROM_NE) < 0);
        if (normals[j]) {
            index[n++] = j;
        }
    }
    for (int i = 0; i < n; ++i) {
        y[i] = -b[index[i]];
        for (int j = 0; j < n; ++j) {
            w[i * CAROM_NG + j] = W[index[i] * CAROM_NR + index[j]];
        }
    }
    carom_ldl_factor(n, w, CAROM_NG);
    carom_ldl_solve(n, w, CAROM_NG, y);
    for (int i = 0; i < n; ++i) {
        r[index[i]] = y[i];
    }
    for (int i = 0; i < CAROM_NV; ++i) {
        x[i] = 0.0;
    }
    CAROM(push)(s, c, normals, r, x);
    return CAROM_OK;
}
#endif

#endif
