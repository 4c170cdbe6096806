/* Contacts by the parts of the unknowns that they touch; not installed.
 *
 *     u_c = q_c + sum over its sides  G y_part,        y_part = sum over its contacts  H^T z_c,        H^T = A^-1 G^T
 *
 * so that W = G A^-1 G^T is never made. Two bodies that move freely are kept apart from the rest: their rows are
 * (D, E_a) and (-D, E_b), and of A^-1 there is a mass and F = E J^-1. */
#ifndef CAROM_CONTACT_PILE_H
#define CAROM_CONTACT_PILE_H

#include "contact.h"

enum { CAROM_BODY = 6 }; /* velocities of one that moves freely */

typedef struct {
    int at[2];   /* where the velocities of the two bodies begin; nothing is at the end of all */
    int part[2]; /* and which they are, -1: nothing */
    double m[2]; /* 1 / mass */
    double D[9], E[2][9], F[2][9];
} carom_pair;

typedef struct {
    int part, at, m;
    double *G, *H; /* [3][m] */
} carom_side;

typedef struct {
    int sides; /* 0: a pair */
    union {
        carom_pair *pair;
        carom_side *side;
    } of;
    bool round; /* W_cc is diagonal, with these: */
    double wn, wt;
} carom_pile_contact;

typedef struct {
    carom_condensed *w;
    int n;
    carom_pile_contact *contact; /* [n] */
    carom_local *local;          /* [n] */
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

/* u of a contact without q. */
static inline void carom_pile_moves(const carom_pile_contact *c, const double *y, double u[3])
{
    if (c->sides == 0) {
        const carom_pair *const p = c->of.pair;
        const double *const a = y + p->at[0], *const b = y + p->at[1];
        double d[3] = {a[0], a[1], a[2]};
        if (p->part[1] >= 0) {
            d[0] -= b[0];
            d[1] -= b[1];
            d[2] -= b[2];
        }
        u[0] = carom_dot3(p->D, d) + carom_dot3(p->E[0], a + 3);
        u[1] = carom_dot3(p->D + 3, d) + carom_dot3(p->E[0] + 3, a + 3);
        u[2] = carom_dot3(p->D + 6, d) + carom_dot3(p->E[0] + 6, a + 3);
        if (p->part[1] >= 0) {
            u[0] += carom_dot3(p->E[1], b + 3);
            u[1] += carom_dot3(p->E[1] + 3, b + 3);
            u[2] += carom_dot3(p->E[1] + 6, b + 3);
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

/* y += A^-1 G^T r of a contact. */
static inline void carom_pile_push(const carom_pile_contact *c, const double r[3], double *y)
{
    if (c->sides == 0) {
        const carom_pair *const p = c->of.pair;
        double *const a = y + p->at[0], *const b = y + p->at[1];
        const double f[3] = {carom_down3(p->D, r), carom_down3(p->D + 1, r), carom_down3(p->D + 2, r)};
        a[0] += p->m[0] * f[0];
        a[1] += p->m[0] * f[1];
        a[2] += p->m[0] * f[2];
        a[3] += carom_down3(p->F[0], r);
        a[4] += carom_down3(p->F[0] + 1, r);
        a[5] += carom_down3(p->F[0] + 2, r);
        if (p->part[1] >= 0) {
            b[0] -= p->m[1] * f[0];
            b[1] -= p->m[1] * f[1];
            b[2] -= p->m[1] * f[2];
            b[3] += carom_down3(p->F[1], r);
            b[4] += carom_down3(p->F[1] + 1, r);
            b[5] += carom_down3(p->F[1] + 2, r);
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

/* y from the impulses z, and u from y. */
void carom_pile_add_up(const carom_pile *p, const double *z);
void carom_pile_velocities(const carom_pile *p, double *u);

/* ---- smooth.c --------------------------------------------------------------------------------------------------- */

enum { CAROM_SMOOTH_SIDES = 6 }; /* parts that a contact may touch there */

/* Newton's method on a smoothed law, from the present impulses; warm: those are near the answer. Returns the residual
 * of those it leaves; without the room, or for parts larger than a body, infinity and z as it was. */
double carom_pile_smooth(carom_pile *p, bool warm, int *steps);

#endif
