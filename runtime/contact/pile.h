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
    bool slides;                 /* some contact pushes along another direction than it moves, or not at all */
    bool large;                  /* some part has more velocities than a body */
    int flat;                    /* contacts that are not round */
    carom_fc fc;                 /* the same for methods by products; its arena has what is left */
} carom_pile;

/* u of a contact without q. */
static inline void carom_pile_moves(const carom_pile_contact *c, const double *y, double u[3])
{
    u[0] = u[1] = u[2] = 0.0;
    if (c->sides == 0) {
        const carom_pair *const p = c->of.pair;
        const double *const a = y + p->at[0], *const b = y + p->at[1];
        const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        for (int k = 0; k < 3; ++k) {
            const double *const D = p->D + 3 * k, *const E = p->E[0] + 3 * k, *const F = p->E[1] + 3 * k;
            u[k] = D[0] * d[0] + D[1] * d[1] + D[2] * d[2] + (E[0] * a[3] + E[1] * a[4] + E[2] * a[5]) +
                   (F[0] * b[3] + F[1] * b[4] + F[2] * b[5]);
        }
    }
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
        for (int i = 0; i < 3; ++i) {
            const double f = p->D[i] * r[0] + p->D[3 + i] * r[1] + p->D[6 + i] * r[2];
            a[i] += p->m[0] * f;
            b[i] -= p->m[1] * f;
            a[3 + i] += p->F[0][i] * r[0] + p->F[0][3 + i] * r[1] + p->F[0][6 + i] * r[2];
            b[3 + i] += p->F[1][i] * r[0] + p->F[1][3 + i] * r[1] + p->F[1][6 + i] * r[2];
        }
    }
    for (int k = 0; k < c->sides; ++k) {
        const carom_side *const s = &c->of.side[k];
        for (int i = 0; i < s->m; ++i) {
            y[s->at + i] += s->H[i] * r[0] + s->H[s->m + i] * r[1] + s->H[2 * s->m + i] * r[2];
        }
    }
}

/* Takes memory from the problem's and makes the contacts; p->w is there, all else 0. */
carom_status carom_pile_begin(carom_pile *p, double tolerance, double floor, carom_info *info);

/* y from the impulses z. */
void carom_pile_add_up(const carom_pile *p, const double *z);

/* ---- smooth.c --------------------------------------------------------------------------------------------------- */

enum { CAROM_SMOOTH_SIDES = 6 }; /* parts that a contact may touch there */

/* Newton's method on a smoothed law, from the present impulses z, best none. Returns the residual of those it leaves;
 * without the room, or for parts larger than a body, that which is given. */
double carom_pile_smooth(carom_pile *p, double residual, int *steps);

#endif
