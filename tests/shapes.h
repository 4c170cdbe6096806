/* Shapes, places and touches for the tests of what touches what. */
#ifndef TESTS_SHAPES_H
#define TESTS_SHAPES_H

#include "carom/collide.h"
#include "draw.h"
#include "suite.h"

#include <math.h>

#define PI 3.14159265358979323846

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void random_turn(double q[4])
{
    double size = 0.0;
    while (!(size > 0.1)) {
        size = 0.0;
        for (int i = 0; i < 4; ++i) {
            q[i] = uniform();
            size += q[i] * q[i];
        }
        size = size > 1.0 ? 0.0 : size;
    }
    for (int i = 0; i < 4; ++i) {
        q[i] /= sqrt(size);
    }
}

static const carom_shape plain = {.turn = {1.0, 0.0, 0.0, 0.0}};

static inline carom_shape shape(carom_shape_kind kind, double x, double y, double z)
{
    carom_shape s = plain;
    s.kind = kind;
    s.size[0] = x;
    s.size[1] = y;
    s.size[2] = z;
    return s;
}

static inline carom_pose pose(const carom_shape *s, double x, double y, double z, const double *q)
{
    const double at[3] = {x, y, z}, none[4] = {1.0, 0.0, 0.0, 0.0};
    carom_pose p;
    carom_shape_pose(s, at, q ? q : none, &p);
    return p;
}

static inline void about(double x, double y, double z, double angle, double q[4])
{
    const double size = sqrt(x * x + y * y + z * z), s = sin(angle / 2.0) / size;
    q[0] = cos(angle / 2.0);
    q[1] = s * x;
    q[2] = s * y;
    q[3] = s * z;
}

static inline void to_world(const carom_pose *p, const double *a, double *out)
{
    for (int i = 0; i < 3; ++i) {
        out[i] = p->x[i] + dot(p->R + 3 * i, a);
    }
}

static inline void to_local(const carom_pose *p, const double *a, double *out)
{
    const double d[3] = {a[0] - p->x[0], a[1] - p->x[1], a[2] - p->x[2]};
    for (int i = 0; i < 3; ++i) {
        out[i] = p->R[i] * d[0] + p->R[3 + i] * d[1] + p->R[6 + i] * d[2];
    }
}

static inline double least(const carom_touch *t, int n)
{
    double g = HUGE_VAL;
    for (int i = 0; i < n; ++i) {
        g = fmin(g, t[i].gap);
    }
    return g;
}

static inline int collide(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                          double margin, carom_touch *out)
{
    const int n = carom_collide(a, pa, b, pb, margin, out, CAROM_TOUCH_MAX);
    for (int i = 0; i < n; ++i) { /* what holds always */
        ck_assert(out[i].gap <= margin);
        ck_assert(fabs(dot(out[i].normal, out[i].normal) - 1.0) < 1e-12);
        ck_assert(i == 0 || out[i - 1].feature < out[i].feature);
    }
    return n;
}

#define near(x, y, tolerance)                                                                                          \
    ck_assert_msg(fabs((x) - (y)) <= (tolerance), "%s = %.17g, not %.17g +- %g", #x, (double)(x), (double)(y),         \
                  (double)(tolerance))

static inline void near3(const double *a, double x, double y, double z, double tolerance)
{
    near(a[0], x, tolerance);
    near(a[1], y, tolerance);
    near(a[2], z, tolerance);
}

static inline carom_shape random_shape(carom_shape_kind kind)
{
    if (kind == CAROM_BOX) {
        return shape(kind, between(0.2, 1.0), between(0.2, 1.0), between(0.2, 1.0));
    }
    return shape(kind, between(0.1, 0.5), between(0.2, 1.0), 0.0);
}

/* Is the wanted touch among those found? */
static inline void find(const carom_touch *t, int n, const carom_touch *wanted, double tolerance)
{
    for (int i = 0; i < n; ++i) {
        double far = fabs(t[i].gap - wanted->gap);
        for (int k = 0; k < 3; ++k) {
            far = fmax(far, fmax(fabs(t[i].at[k] - wanted->at[k]), fabs(t[i].normal[k] - wanted->normal[k])));
        }
        if (far <= tolerance) {
            return;
        }
    }
    ck_abort_msg("no touch at (%g, %g, %g)", wanted->at[0], wanted->at[1], wanted->at[2]);
}

#endif
