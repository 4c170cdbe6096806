/* Cylinders with flat ends. */
#include "vector.h"

static double radius(const double size[3]) { return hypot(size[0], size[1]); }

static double reach(const double size[3], const double row[3])
{
    return size[0] * sqrt(row[0] * row[0] + row[1] * row[1]) + fabs(row[2]) * size[1];
}

const carom_kind carom_kind_cylinder = {radius, reach, {[CAROM_PLANE] = {carom_cylinder_plane, 8, 1}}};

/* In the half plane through the axis a cylinder is a rectangle. */
void carom_sphere_cylinder(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                           carom_touches *t)
{
    double c[3], surface[3], n[3];
    carom_into(pb, pa->x, c);
    const double rho = sqrt(c[0] * c[0] + c[1] * c[1]);
    const double ux = rho > 0.0 ? c[0] / rho : 1.0, uy = rho > 0.0 ? c[1] / rho : 0.0;
    const double half[3] = {b->size[0], 2.0 * (b->size[0] + b->size[1]), b->size[1]}, flat[3] = {rho, 0.0, c[2]};
    const double distance = carom_box_distance(half, flat, surface, n);
    const double there[3] = {surface[0] * ux, surface[0] * uy, surface[2]}, out[3] = {n[0] * ux, n[0] * uy, n[2]};
    carom_touch_add_in(t, pb, there, out, distance - a->size[0], 0);
}

/* On each rim the deepest point, and the three at quarter turns from it: they carry a cylinder that stands. */
void carom_cylinder_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                          carom_touches *t)
{
    double n[3], own[3];
    (void)b;
    carom_axis(pb, 2, n);
    carom_turned_back(pa->R, n, own);
    const double across = sqrt(own[0] * own[0] + own[1] * own[1]);
    const int upright = across < 1e-6; /* no point is deeper than the others */
    const double x = upright ? -1.0 : -own[0] / across, y = upright ? 0.0 : -own[1] / across;
    for (int k = 0; k < 8; ++k) {
        const double side[4][2] = {{x, y}, {-y, x}, {-x, -y}, {y, -x}};
        const double *u = side[k & 3];
        const double point[3] = {a->size[0] * u[0], a->size[0] * u[1], k < 4 ? -a->size[1] : a->size[1]};
        carom_ball_on_plane(pa, point, 0.0, pb, k, t);
    }
}
