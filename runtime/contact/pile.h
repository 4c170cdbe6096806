/* Contacts by the parts of the unknowns that they touch; not installed.
 *
 *     u_c = q_c + sum over its sides  G y_part,        y_part = sum over its contacts  H^T z_c,        H^T = A^-1 G^T
 *
 * so that W = G A^-1 G^T is never made. Two bodies that move freely are kept apart from the rest: their rows are those
 * of G as they stand, (D, E_a) and (-D, E_b), and A^-1 is a mass and J^-1. */
#ifndef CAROM_CONTACT_PILE_H
#define CAROM_CONTACT_PILE_H

#include "contact.h"

enum { CAROM_BODY = 6 }; /* velocities of one that moves freely */

typedef struct {
    int part, at, m;
    double *G, *H; /* [3][m] */
} carom_side;

/* What is known of two bodies: principal axes are those of their coordinates; the normal goes through both centres. */
enum { CAROM_STRAIGHT = 1, CAROM_CENTRAL = 2 };

typedef struct {
    int sides;                /* 0: a pair; -1: it is not there */
    bool round;               /* W_cc is diagonal: by w, else by local */
    unsigned char kind;       /* of a pair */
    int at[2];                /* of a pair: where the velocities of the bodies begin; nothing is at the end of all */
    const double *inverse[2]; /* 1 / mass, J^-1 by rows */
    union {
        const double *row[3];
        carom_side *side;
    } of;
    union {
        double w[2]; /* 1 / W_NN, 1 / W_TT */
        carom_local *local;
    } by;
} carom_pile_contact;

typedef struct {
    carom_condensed *w;
    int n;
    carom_pile_contact *contact; /* [n] */
    double *s;                   /* [n] mean mass of a contact */
    double *y;                   /* [nv + CAROM_BODY] what the impulses z do, part by part */
    double *z;                   /* [3 n] impulses */
    double *start, *best, least; /* [3 n] those of the last step; those that left least, and how much */
    bool slides;                 /* some contact pushes along another direction than it moves, or not at all */
    bool large;                  /* some part has more velocities than a body */
    int flat;                    /* contacts that are not round */
    carom_fc fc;                 /* the same for methods by products; its arena has what is left */
} carom_pile;

/* a row, and a column, of a 3 x 3 matrix by rows; loops of three are not unrolled by every compiler */
static inline double carom_dot3(const double *a, const double x[3]) { return a[0] * x[0] + a[1] * x[1] + a[2] * x[2]; }
static inline double carom_down3(const double *a, const double x[3]) { return a[0] * x[0] + a[3] * x[1] + a[6] * x[2]; }

/* Does a pair touch a second body? And which part of the unknowns is a body of it? */
static inline bool carom_pile_second(const carom_pile_contact *c) { return c->inverse[1] != NULL; }

static inline int carom_pile_part(const carom_pile *p, const carom_pile_contact *c, int side)
{
    return p->w->p->part[p->w->p->member[c->at[side]]];
}

/* u of a contact without q. */
static inline void carom_pile_moves(const carom_pile_contact *c, const double *y, double u[3])
{
    if (c->sides == 0) {
        const double *const N = c->of.row[0], *const S = c->of.row[1], *const T = c->of.row[2];
        const double *const a = y + c->at[0], *const b = y + c->at[1];
        double d[3] = {a[0], a[1], a[2]};
        if (carom_pile_second(c)) {
            d[0] -= b[0];
            d[1] -= b[1];
            d[2] -= b[2];
        }
        u[0] = carom_dot3(N, d);
        u[1] = carom_dot3(S, d) + carom_dot3(S + 3, a + 3);
        u[2] = carom_dot3(T, d) + carom_dot3(T + 3, a + 3);
        if ((c->kind & CAROM_CENTRAL) == 0) {
            u[0] += carom_dot3(N + 3, a + 3);
        }
        if (carom_pile_second(c)) {
            u[1] += carom_dot3(S + 9, b + 3);
            u[2] += carom_dot3(T + 9, b + 3);
            if ((c->kind & CAROM_CENTRAL) == 0) {
                u[0] += carom_dot3(N + 9, b + 3);
            }
        }
        return;
    }
    u[0] = u[1] = u[2] = 0.0;
    for (int k = 0; k < c->sides; ++k) {
        const carom_side *const s = &c->of.side[k];
        for (int i = 0; i < s->m; ++i) {
            const double x = y[s->at + i];
            u[0] += s->G[i] * x;
            u[1] += s->G[s->m + i] * x;
            u[2] += s->G[2 * s->m + i] * x;
        }
    }
}

/* y += J^-1 E^T r of one body of a pair: E begins at `from` of the rows. */
static inline void carom_pile_turn(const carom_pile_contact *c, int from, const double *inverse, const double r[3],
                                   double *y)
{
    const double *const S = c->of.row[1] + from, *const T = c->of.row[2] + from;
    double f[3] = {S[0] * r[1] + T[0] * r[2], S[1] * r[1] + T[1] * r[2], S[2] * r[1] + T[2] * r[2]};
    if ((c->kind & CAROM_CENTRAL) == 0) {
        const double *const N = c->of.row[0] + from;
        f[0] += N[0] * r[0];
        f[1] += N[1] * r[0];
        f[2] += N[2] * r[0];
    }
    if ((c->kind & CAROM_STRAIGHT) != 0) {
        y[0] += inverse[1] * f[0];
        y[1] += inverse[5] * f[1];
        y[2] += inverse[9] * f[2];
        return;
    }
    y[0] += carom_dot3(inverse + 1, f);
    y[1] += carom_dot3(inverse + 4, f);
    y[2] += carom_dot3(inverse + 7, f);
}

/* y += A^-1 G^T r of a contact. */
static inline void carom_pile_push(const carom_pile_contact *c, const double r[3], double *y)
{
    if (c->sides == 0) {
        const double *const N = c->of.row[0], *const S = c->of.row[1], *const T = c->of.row[2];
        double *const a = y + c->at[0];
        const double f[3] = {N[0] * r[0] + S[0] * r[1] + T[0] * r[2], N[1] * r[0] + S[1] * r[1] + T[1] * r[2],
                             N[2] * r[0] + S[2] * r[1] + T[2] * r[2]};
        a[0] += c->inverse[0][0] * f[0];
        a[1] += c->inverse[0][0] * f[1];
        a[2] += c->inverse[0][0] * f[2];
        carom_pile_turn(c, 3, c->inverse[0], r, a + 3);
        if (carom_pile_second(c)) {
            double *const b = y + c->at[1];
            b[0] -= c->inverse[1][0] * f[0];
            b[1] -= c->inverse[1][0] * f[1];
            b[2] -= c->inverse[1][0] * f[2];
            carom_pile_turn(c, 9, c->inverse[1], r, b + 3);
        }
        return;
    }
    for (int k = 0; k < c->sides; ++k) {
        const carom_side *const s = &c->of.side[k];
        for (int i = 0; i < s->m; ++i) {
            y[s->at + i] += s->H[i] * r[0] + s->H[s->m + i] * r[1] + s->H[2 * s->m + i] * r[2];
        }
    }
}

/* ---- parts.c ---------------------------------------------------------------------------------------------------- */

/* Takes memory from the problem's and makes the contacts; p->w is there, all else 0. */
carom_status carom_pile_begin(carom_pile *p, double tolerance, double floor, carom_info *info);

/* Where the contacts of a chunk end that share no part with those of another. */
static inline int carom_pile_end(const carom_pile *p, int chunk)
{
    return chunk + 1 < p->w->chunks ? p->w->chunk[chunk + 1] : p->w->border;
}

/* y from the impulses z, and u from y. */
void carom_pile_add_up(const carom_pile *p, const double *z);
void carom_pile_velocities(const carom_pile *p, double *u);

/* ---- smooth.c --------------------------------------------------------------------------------------------------- */

enum { CAROM_SMOOTH_SIDES = 6 }; /* parts that a contact may touch there */

/* Newton's method on a smoothed law, from the present impulses; warm: those are near the answer. Returns the residual
 * of those it leaves; without the room, or for parts larger than a body, infinity and z as it was. */
double carom_pile_smooth(carom_pile *p, bool warm, int *steps);

#endif
