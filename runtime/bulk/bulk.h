/* Bodies and contacts for the files of this folder; not installed. */
#ifndef CAROM_BULK_PRIVATE_H
#define CAROM_BULK_PRIVATE_H

#include "carom/bulk.h"
#include "carom/found.h"

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
    if (b->alone != NULL) {
        return a == b->alone[0] ? q : q + 7;
    }
    return i >= b->bodies ? origin : q + (b->where != NULL ? b->where[4 * i] : 7 * i);
}

static inline const double *carom_turn_of(const carom_scene *b, const double *q, int a)
{
    static const double straight[4] = {1.0, 0.0, 0.0, 0.0};
    const int i = b->body[a];
    if (b->alone != NULL) {
        return a == b->alone[0] ? q + 3 : q + 10;
    }
    return i >= b->bodies ? straight : q + (b->where != NULL ? b->where[4 * i + 1] : 7 * i + 3);
}

/* The touches of shapes a and other with gap <= margin at q. */
int carom_scene_touches(const carom_scene *b, const double *q, int a, int other, double margin,
                        carom_touch out[CAROM_TOUCH_MAX]);

static inline int carom_is_free(const carom_scene *s, int body) { return body < s->bodies; }

/* The two points of a contact. */
typedef struct {
    double gap, normal[3], ra[3], rb[3]; /* arms in space, from the origins of the bodies */
} carom_point;

typedef struct {
    double normal[3], ra[3], rb[3];
} carom_point_rate;

/* The points at q of the contacts from i on that are of one pair; returns the first after them. */
int carom_points_of(const carom_found *f, const double *q, int i, carom_point out[CAROM_TOUCH_MAX]);

/* Velocity and angular velocity in space of the body of a shape, from v. */
void carom_motion_of(const carom_scene *s, const double *q, const double *v, int shape, double velocity[3],
                     double spin[3]);

/* How normals and arms of these points move with v; motion: velocity and angular velocity of a, then of b. */
void carom_point_rates(const carom_found *f, const double *q, const double *v, int i, int end,
                       const carom_point p[CAROM_TOUCH_MAX], double motion[4][3],
                       carom_point_rate out[CAROM_TOUCH_MAX]);

/* The velocity of the two points of a contact against each other. */
static inline void carom_relative(const carom_bulk_contact *c, const carom_bulk_body *A, const carom_bulk_body *B,
                                  double u[3])
{
    u[0] = A->v[0] + A->w[1] * c->ra[2] - A->w[2] * c->ra[1] - B->v[0] - B->w[1] * c->rb[2] + B->w[2] * c->rb[1];
    u[1] = A->v[1] + A->w[2] * c->ra[0] - A->w[0] * c->ra[2] - B->v[1] - B->w[2] * c->rb[0] + B->w[0] * c->rb[2];
    u[2] = A->v[2] + A->w[0] * c->ra[1] - A->w[1] * c->ra[0] - B->v[2] - B->w[0] * c->rb[1] + B->w[1] * c->rb[0];
}

#endif
