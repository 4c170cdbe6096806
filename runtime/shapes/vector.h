/* Vectors and frames in space, and the list that touches are gathered in; shared by the files that find them. Not
 * installed. */
#ifndef CAROM_SHAPES_VECTOR_H
#define CAROM_SHAPES_VECTOR_H

#include "carom/collide.h"

#include <math.h>

static inline double carom_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void carom_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void carom_minus(const double a[3], const double b[3], double out[3])
{
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

/* out = a + s b */
static inline void carom_along(const double a[3], double s, const double b[3], double out[3])
{
    out[0] = a[0] + s * b[0];
    out[1] = a[1] + s * b[1];
    out[2] = a[2] + s * b[2];
}

static inline double carom_length(const double a[3]) { return sqrt(carom_dot(a, a)); }

static inline double carom_clamp(double x, double low, double high) { return x < low ? low : (x > high ? high : x); }

/* A vector of the frame in space, and back. */
static inline void carom_turned(const double R[9], const double a[3], double out[3])
{
    out[0] = R[0] * a[0] + R[1] * a[1] + R[2] * a[2];
    out[1] = R[3] * a[0] + R[4] * a[1] + R[5] * a[2];
    out[2] = R[6] * a[0] + R[7] * a[1] + R[8] * a[2];
}

static inline void carom_turned_back(const double R[9], const double a[3], double out[3])
{
    out[0] = R[0] * a[0] + R[3] * a[1] + R[6] * a[2];
    out[1] = R[1] * a[0] + R[4] * a[1] + R[7] * a[2];
    out[2] = R[2] * a[0] + R[5] * a[1] + R[8] * a[2];
}

/* A place in the frame of p, and back to space. */
static inline void carom_into(const carom_pose *p, const double at[3], double out[3])
{
    double d[3];
    carom_minus(at, p->x, d);
    carom_turned_back(p->R, d, out);
}

static inline void carom_out_of(const carom_pose *p, const double at[3], double out[3])
{
    double d[3];
    carom_turned(p->R, at, d);
    carom_along(p->x, 1.0, d, out);
}

static inline void carom_axis(const carom_pose *p, int k, double out[3])
{
    out[0] = p->R[k];
    out[1] = p->R[3 + k];
    out[2] = p->R[6 + k];
}

/* The corner c of a box: bit k of c says that coordinate k is positive. */
static inline void carom_corner(const double half[3], int c, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = (c >> k & 1) != 0 ? half[k] : -half[k];
    }
}

typedef struct {
    carom_touch *out;
    int count, room;
    double margin;
} carom_touches;

/* The touch at `surface` on b, the point of a being at surface + gap n. A full list keeps the smaller gaps. */
void carom_touch_add(carom_touches *t, const double surface[3], const double n[3], double gap, int feature);

/* The same with surface and n in the frame of p. */
void carom_touch_add_in(carom_touches *t, const carom_pose *p, const double surface[3], const double n[3], double gap,
                        int feature);

/* Nearest points of the segments p + s d and q + t e, s and t in [0, 1]; returns their distance. */
double carom_segments(const double p[3], const double d[3], const double q[3], const double e[3], double *s, double *t);

typedef void carom_pair(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                        carom_touches *t);

/* What a kind of shape is: one of these in the file of the kind, named in the table of shapes.c. */
typedef struct {
    double (*radius)(const double size[3]); /* of the ball around its origin that holds it; 0: without end */
    double (*reach)(const double size[3], const double row[3]); /* along a direction, given in its frame; the same */
    struct {
        carom_pair *rule; /* 0: nothing, or that kind touches it */
        int slots;        /* for how many touches a model keeps rows (geometry.h); */
        int by_feature;   /* the slot of a touch is its feature: else touches fill them in the order of features */
    } with[CAROM_SHAPE_KINDS];
} carom_kind;

extern const carom_kind carom_kind_sphere, carom_kind_box, carom_kind_capsule, carom_kind_cylinder, carom_kind_plane,
    carom_kind_heightfield, carom_kind_polyhedron, carom_kind_polygon;

carom_pair carom_sphere_sphere, carom_sphere_box, carom_sphere_capsule, carom_sphere_plane, carom_sphere_cylinder;
carom_pair carom_capsule_capsule, carom_capsule_box, carom_capsule_plane, carom_box_plane, carom_cylinder_plane,
    carom_box_box;
carom_pair carom_sphere_heightfield, carom_capsule_heightfield, carom_box_heightfield, carom_polyhedron_heightfield;
carom_pair carom_sphere_polyhedron, carom_capsule_polyhedron, carom_box_polyhedron, carom_polyhedron_polyhedron,
    carom_polyhedron_plane;
carom_pair carom_sphere_polygon, carom_polygon_polygon;

/* How many slots a pair has; by_feature: is the slot of a touch its feature? */
int carom_slots_of(carom_shape_kind a, carom_shape_kind b, int *by_feature);

/* The pose of a shape on a body whose frame has its origin at x and the rotation matrix R. */
void carom_shape_place(const carom_shape *s, const double x[3], const double R[9], carom_pose *p);

/* Two balls with centres c and d. */
void carom_balls(const double c[3], double radius, const double d[3], double other, int feature, carom_touches *t);

/* A ball of a shape, its centre in the frame of the shape. */
void carom_ball_on_plane(const carom_pose *pa, const double centre[3], double radius, const carom_pose *plane,
                         int feature, carom_touches *t);

/* Signed distance of a point to a box, both in the frame of the box: the nearest point of its surface, the direction
 * out. */
double carom_box_distance(const double half[3], const double c[3], double surface[3], double n[3]);

/* Rotation matrix of a unit quaternion, by rows. */
static inline void carom_matrix(const double q[4], double R[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1.0 - 2.0 * (y * y + z * z);
    R[1] = 2.0 * (x * y - w * z);
    R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z);
    R[4] = 1.0 - 2.0 * (x * x + z * z);
    R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y);
    R[7] = 2.0 * (y * z + w * x);
    R[8] = 1.0 - 2.0 * (x * x + y * y);
}

#endif
