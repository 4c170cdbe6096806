/* Planes, and what touches them. */
#include "vector.h"

const carom_kind carom_kind_plane = {0};

void carom_ball_on_plane(const carom_pose *pa, const double centre[3], double radius, const carom_pose *plane,
                         int feature, carom_touches *t)
{
    double c[3], d[3], n[3], foot[3];
    carom_out_of(pa, centre, c);
    carom_minus(c, plane->x, d);
    carom_axis(plane, 2, n);
    const double height = carom_dot(n, d);
    carom_along(c, -height, n, foot);
    carom_touch_add(t, foot, n, height - radius, feature);
}

void carom_sphere_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                        carom_touches *t)
{
    const double middle[3] = {0.0, 0.0, 0.0};
    (void)b;
    carom_ball_on_plane(pa, middle, a->size[0], pb, 0, t);
}

void carom_capsule_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                         carom_touches *t)
{
    (void)b;
    for (int k = 0; k < 2; ++k) {
        const double end[3] = {0.0, 0.0, k == 0 ? -a->size[1] : a->size[1]};
        carom_ball_on_plane(pa, end, a->size[0], pb, k, t);
    }
}

void carom_box_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                     carom_touches *t)
{
    (void)b;
    for (int k = 0; k < 8; ++k) {
        double corner[3];
        carom_corner(a->size, k, corner);
        carom_ball_on_plane(pa, corner, 0.0, pb, k, t);
    }
}
