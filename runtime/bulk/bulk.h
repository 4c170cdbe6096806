/* Bodies and contacts for the files of this folder; not installed. */
#ifndef CAROM_BULK_PRIVATE_H
#define CAROM_BULK_PRIVATE_H

#include "carom/bulk.h"

#include "../shapes/vector.h"

#define CAROM_FAR 10.0 /* sizes of the smaller shape that a pair may move apart within a step and still be followed */

static inline carom_scene carom_scene_of(const carom_bulk *b)
{
    return (carom_scene){.bodies = b->bodies, .where = b->where, .shape = b->shape, .body = b->body, .bound = b->bound};
}

/* Place and quaternion of the body of a shape. */
static inline const double *carom_place_of(const carom_scene *b, const double *q, int a)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    const int i = b->body[a];
    return i >= b->bodies ? origin : q + (b->where != NULL ? b->where[4 * i] : 7 * i);
}

static inline const double *carom_turn_of(const carom_scene *b, const double *q, int a)
{
    static const double straight[4] = {1.0, 0.0, 0.0, 0.0};
    const int i = b->body[a];
    return i >= b->bodies ? straight : q + (b->where != NULL ? b->where[4 * i + 1] : 7 * i + 3);
}

/* The touches of shapes a and other with gap <= margin at q. */
int carom_scene_touches(const carom_scene *b, const double *q, int a, int other, double margin,
                        carom_touch out[CAROM_TOUCH_MAX]);

/* Two unit vectors perpendicular to n and to each other. */
static inline void carom_tangents(const double n[3], double t1[3], double t2[3])
{
    const double s = n[2] >= -0.4 ? 1.0 : -1.0, a = -1.0 / (s + n[2]), b = n[0] * n[1] * a;
    t1[0] = 1.0 + s * n[0] * n[0] * a;
    t1[1] = s * b;
    t1[2] = -s * n[0];
    t2[0] = b;
    t2[1] = s + n[1] * n[1] * a;
    t2[2] = -n[1];
}

/* out = I^-1 a */
static inline void carom_inverse_inertia(const carom_bulk_body *body, const double a[3], double out[3])
{
    const double *const I = body->I;
    out[0] = I[0] * a[0] + I[3] * a[1] + I[4] * a[2];
    out[1] = I[3] * a[0] + I[1] * a[1] + I[5] * a[2];
    out[2] = I[4] * a[0] + I[5] * a[1] + I[2] * a[2];
}

/* The velocity of the two points of a contact against each other. */
static inline void carom_relative(const carom_bulk_contact *c, const carom_bulk_body *A, const carom_bulk_body *B,
                                  double u[3])
{
    u[0] = A->v[0] + A->w[1] * c->ra[2] - A->w[2] * c->ra[1] - B->v[0] - B->w[1] * c->rb[2] + B->w[2] * c->rb[1];
    u[1] = A->v[1] + A->w[2] * c->ra[0] - A->w[0] * c->ra[2] - B->v[1] - B->w[2] * c->rb[0] + B->w[0] * c->rb[2];
    u[2] = A->v[2] + A->w[0] * c->ra[1] - A->w[1] * c->ra[0] - B->v[2] - B->w[0] * c->rb[1] + B->w[1] * c->rb[0];
}

/* Asks a solver of friction.h from the present impulses (NULL: the portfolio; limit 0: its own), and leaves the
 * velocities to be added up; 0 when there was no memory for it. */
int carom_bulk_portfolio(const carom_bulk *b, const char *solver, int limit, double tolerance);

enum { CAROM_BULK_FACTORED = 500 }; /* bodies beyond which a factorisation costs more than the sweeps it saves */

/* Newton's method on a smoothed law (smooth.c), from the present impulses and velocities, best none; returns the
 * residual of those it leaves. */
double carom_bulk_smooth(const carom_bulk *b, double tolerance, double q_norm, int *steps);

/* Velocities of the bodies from the impulses. */
void carom_bulk_add_up(const carom_bulk *b);

/* x onto the cone |t| <= mu n about the normal n. */
void carom_bulk_project(const double n[3], double mu, double x[3]);

/* The residual of friction.h at the present impulses and velocities; base is max(|q|, floor), scale becomes max(base,
 * |u|). */
double carom_bulk_residual(const carom_bulk *b, double base, int *worst, double *scale);

/* Prepares the local solvers of all contacts; bodies and geometry are in place. */
void carom_bulk_prepare(const carom_bulk *b);

#endif
