/* Spheres. */
#include "vector.h"

#define TOUCHING 1e-9 /* below this distance, relative to the size, a direction is noise */

static double radius(const double size[3]) { return size[0]; }

static double reach(const double size[3], const double row[3])
{
    (void)row;
    return size[0];
}

const carom_kind carom_kind_sphere = {radius,
                                      reach,
                                      {[CAROM_SPHERE] = {carom_sphere_sphere, 1, 1},
                                       [CAROM_BOX] = {carom_sphere_box, 1, 1},
                                       [CAROM_CAPSULE] = {carom_sphere_capsule, 1, 1},
                                       [CAROM_CYLINDER] = {carom_sphere_cylinder, 1, 1},
                                       [CAROM_PLANE] = {carom_sphere_plane, 1, 1},
                                       [CAROM_HEIGHTFIELD] = {carom_sphere_heightfield, 4, 0},
                                       [CAROM_POLYHEDRON] = {carom_sphere_polyhedron, 1, 1},
                                       [CAROM_POLYGON] = {carom_sphere_polygon, 1, 1}}};

void carom_balls(const double c[3], double radius, const double d[3], double other, int feature, carom_touches *t)
{
    double n[3], surface[3];
    carom_minus(c, d, n);
    const double distance = carom_length(n);
    for (int i = 0; i < 3; ++i) {
        n[i] = distance > 0.0 ? n[i] / distance : (i == 2 ? 1.0 : 0.0);
    }
    carom_along(d, other, n, surface);
    carom_touch_add(t, surface, n, distance - radius - other, feature);
}

void carom_sphere_sphere(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                         carom_touches *t)
{
    carom_balls(pa->x, a->size[0], pb->x, b->size[0], 0, t);
}

void carom_sphere_capsule(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                          carom_touches *t)
{
    double c[3], near[3], axis[3];
    carom_into(pb, pa->x, c);
    carom_axis(pb, 2, axis);
    carom_along(pb->x, carom_clamp(c[2], -b->size[1], b->size[1]), axis, near);
    carom_balls(pa->x, a->size[0], near, b->size[0], 0, t);
}

double carom_box_distance(const double half[3], const double c[3], double surface[3], double n[3])
{
    double outside = 0.0, depth = HUGE_VAL, size = 0.0;
    int face = 0;
    for (int i = 0; i < 3; ++i) {
        surface[i] = carom_clamp(c[i], -half[i], half[i]);
        n[i] = c[i] - surface[i];
        outside += n[i] * n[i];
        size = fmax(size, half[i]);
        if (half[i] - fabs(c[i]) < depth - TOUCHING * size) {
            depth = half[i] - fabs(c[i]);
            face = i;
        }
    }
    outside = sqrt(outside);
    if (outside > TOUCHING * size) {
        for (int i = 0; i < 3; ++i) {
            n[i] /= outside;
        }
        return outside;
    }
    const double sign = c[face] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; ++i) {
        n[i] = i == face ? sign : 0.0;
    }
    surface[face] = sign * half[face];
    return -depth;
}

void carom_sphere_box(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                      carom_touches *t)
{
    double c[3], surface[3], n[3];
    carom_into(pb, pa->x, c);
    const double distance = carom_box_distance(b->size, c, surface, n);
    carom_touch_add_in(t, pb, surface, n, distance - a->size[0], 0);
}
