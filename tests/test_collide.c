/* Where shapes touch: known places, heightfields, bounds. */
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- known places ------------------------------------------------------------------------------------------------------------- */

START_TEST(spheres_and_planes)
{
    carom_shape a = shape(CAROM_SPHERE, 0.5, 0, 0), b = shape(CAROM_SPHERE, 0.25, 0, 0),
                floor_ = shape(CAROM_PLANE, 0, 0, 0);
    carom_touch t[CAROM_TOUCH_MAX];
    carom_pose pa = pose(&a, 0, 0, 1, NULL), pb = pose(&b, 0, 0, 2, NULL), pf = pose(&floor_, 0, 0, 0.25, NULL);
    ck_assert_int_eq(collide(&a, &pa, &b, &pb, 1.0, t), 1);
    near(t[0].gap, 0.25, 1e-15);
    near3(t[0].normal, 0, 0, -1, 1e-15);
    near3(t[0].at, 0, 0, 1.625, 1e-15);
    ck_assert_int_eq(collide(&a, &pa, &b, &pb, 0.2, t), 0);
    ck_assert_int_eq(collide(&a, &pa, &floor_, &pf, 1.0, t), 1);
    near(t[0].gap, 0.25, 1e-15);
    near3(t[0].at, 0, 0, 0.375, 1e-15);
    near3(t[0].normal, 0, 0, 1, 1e-15);
    ck_assert_int_eq(collide(&floor_, &pf, &a, &pa, 1.0, t), 1);
    near3(t[0].normal, 0, 0, -1, 1e-15);
    ck_assert_int_eq(collide(&a, &pa, &b, &pa, 1.0, t), 1); /* one middle: some direction */
    near(t[0].gap, -0.75, 1e-15);
}
END_TEST

START_TEST(capsules)
{
    carom_shape a = shape(CAROM_CAPSULE, 0.1, 1.0, 0), b = shape(CAROM_CAPSULE, 0.2, 0.5, 0),
                floor_ = shape(CAROM_PLANE, 0, 0, 0);
    carom_touch t[CAROM_TOUCH_MAX];
    double q[4], turn[4];
    about(0, 1, 0, PI / 2, q); /* along x */
    carom_pose pa = pose(&a, 0, 0, 0, q), pb = pose(&b, 0.3, 0, 0.4, q), pf = pose(&floor_, 0, 0, -0.1, NULL);
    ck_assert_int_eq(collide(&a, &pa, &b, &pb, 1.0, t), 2); /* along each other: the ends of the shorter one */
    for (int i = 0; i < 2; ++i) {
        near(t[i].gap, 0.1, 1e-15);
        near3(t[i].normal, 0, 0, -1, 1e-15);
        near(fabs(t[i].at[0] - 0.3), 0.5, 1e-15);
    }
    ck_assert_int_eq(collide(&a, &pa, &floor_, &pf, 1.0, t), 2);
    near(t[0].gap, 0.0, 1e-15);
    about(1, 0, 0, PI / 2, turn);
    pb = pose(&b, 0.3, 0.1, 0.4, turn);
    ck_assert_int_eq(collide(&a, &pa, &b, &pb, 1.0, t), 1); /* crossed */
    near3(t[0].at, 0.3, 0, 0.15, 1e-15);
    pb = pose(&b, 0.3, 0.1, 0.0, turn); /* axes cut each other */
    ck_assert_int_eq(collide(&a, &pa, &b, &pb, 1.0, t), 1);
    near(t[0].gap, -0.3, 1e-15);
    near(fabs(t[0].normal[2]), 1.0, 1e-15);
}
END_TEST

START_TEST(capsule_on_box)
{
    carom_shape a = shape(CAROM_CAPSULE, 0.1, 0.5, 0), b = shape(CAROM_BOX, 0.4, 0.6, 0.2);
    carom_touch t[CAROM_TOUCH_MAX];
    for (int k = -1; k <= 1; ++k) { /* flat, and tipped by a little */
        double q[4];
        about(0, 1, 0, PI / 2 + 1e-4 * k, q);
        carom_pose pa = pose(&a, 0.2, 0.1, 0.301, q), pb = pose(&b, 0, 0, 0, NULL);
        ck_assert_int_eq(collide(&a, &pa, &b, &pb, 0.01, t), 2); /* one end, and where it leaves the face */
        for (int i = 0; i < 2; ++i) {
            near3(t[i].normal, 0, 0, 1, 1e-12);
            near(t[i].gap, 0.001, 6e-5);
        }
        near(t[0].at[0], -0.3, 1e-4);
        near(t[1].at[0], 0.4, 1e-4);
    }
}
END_TEST

START_TEST(cylinder_on_plane)
{
    carom_shape a = shape(CAROM_CYLINDER, 0.3, 0.5, 0), floor_ = shape(CAROM_PLANE, 0, 0, 0);
    carom_touch t[CAROM_TOUCH_MAX];
    double q[4];
    carom_pose pa = pose(&a, 1, 2, 0.5, NULL), pf = pose(&floor_, 0, 0, 0, NULL);
    ck_assert_int_eq(collide(&a, &pa, &floor_, &pf, 0.01, t), 4); /* stands */
    double x = 0.0, y = 0.0;
    for (int i = 0; i < 4; ++i) {
        near(t[i].gap, 0.0, 1e-15);
        near(hypot(t[i].at[0] - 1.0, t[i].at[1] - 2.0), 0.3, 1e-15);
        x += t[i].at[0] / 4.0;
        y += t[i].at[1] / 4.0;
    }
    near(x, 1.0, 1e-15);
    near(y, 2.0, 1e-15);
    about(0, 1, 0, PI / 2, q);
    pa = pose(&a, 1, 2, 0.3, q);
    ck_assert_int_eq(collide(&a, &pa, &floor_, &pf, 0.01, t), 2); /* lies */
    near(t[0].gap, 0.0, 1e-15);
    near(t[1].gap, 0.0, 1e-15);
    about(0, 1, 0, 0.3, q);
    pa = pose(&a, 1, 2, 0.3 * sin(0.3) + 0.5 * cos(0.3), q);
    ck_assert_int_eq(collide(&a, &pa, &floor_, &pf, 0.01, t), 1); /* on its rim */
    near(t[0].gap, 0.0, 1e-15);
}
END_TEST

/* A sphere around a cylinder: against its side, its end, its rim; and inside. */
START_TEST(sphere_and_cylinder)
{
    carom_shape a = shape(CAROM_SPHERE, 0.1, 0, 0), b = shape(CAROM_CYLINDER, 0.3, 0.5, 0);
    carom_touch t[CAROM_TOUCH_MAX];
    carom_pose pb = pose(&b, 0, 0, 0, NULL), pa = pose(&a, 0.3, 0.4, 0.2, NULL);
    ck_assert_int_eq(collide(&a, &pa, &b, &pb, 1.0, t), 1);
    near(t[0].gap, 0.1, 1e-15);
    near3(t[0].normal, 0.6, 0.8, 0, 1e-15);
    pa = pose(&a, 0.1, 0.1, -0.7, NULL);
    ck_assert_int_eq(collide(&a, &pa, &b, &pb, 1.0, t), 1);
    near(t[0].gap, 0.1, 1e-15);
    near3(t[0].normal, 0, 0, -1, 1e-15);
    pa = pose(&a, 0.36, 0.48, 0.9, NULL);
    ck_assert_int_eq(collide(&a, &pa, &b, &pb, 1.0, t), 1);
    near(t[0].gap, 0.4, 1e-15);
    near3(t[0].normal, 0.6 * 0.6, 0.6 * 0.8, 0.8, 1e-15);
    pa = pose(&a, 0, 0.25, 0, NULL);
    ck_assert_int_eq(collide(&a, &pa, &b, &pb, 1.0, t), 1);
    near(t[0].gap, -0.15, 1e-15);
    near3(t[0].normal, 0, 1, 0, 1e-15);
}
END_TEST

START_TEST(stacked_boxes)
{
    carom_shape a = shape(CAROM_BOX, 0.5, 0.4, 0.3), floor_ = shape(CAROM_PLANE, 0, 0, 0);
    carom_touch t[CAROM_TOUCH_MAX];
    carom_pose pb = pose(&a, 0, 0, 0.3, NULL), pf = pose(&floor_, 0, 0, 0, NULL);
    int feature[4];
    ck_assert_int_eq(collide(&a, &pb, &floor_, &pf, 0.01, t), 4);
    for (int k = 0; k < 400; ++k) { /* the same four points whatever the last bits say */
        double q[4], wobble = k == 0 ? 0.0 : 1e-9;
        about(uniform(), uniform(), uniform(), wobble, q);
        carom_pose pa = pose(&a, wobble * uniform(), wobble * uniform(), 0.9 + wobble * uniform(), q);
        ck_assert_int_eq(collide(&a, &pa, &a, &pb, 0.01, t), 4);
        for (int i = 0; i < 4; ++i) {
            near(t[i].gap, 0.0, 1e-8);
            near3(t[i].normal, 0, 0, 1, 1e-8);
            near(fabs(t[i].at[0]), 0.5, 1e-8);
            near(fabs(t[i].at[1]), 0.4, 1e-8);
            near(t[i].at[2], 0.6, 1e-8);
            feature[i] = k == 0 ? t[i].feature : feature[i];
            ck_assert_int_eq(t[i].feature, feature[i]);
        }
    }
    for (int k = 0; k < 50; ++k) { /* set off and tipped a little: four points around the common rectangle */
        double q[4];
        about(uniform(), uniform(), 0.0, 1e-3, q);
        carom_pose pa = pose(&a, 0.3, 0.2, 0.9, q);
        ck_assert_int_eq(collide(&a, &pa, &a, &pb, 0.01, t), 4);
        for (int i = 0; i < 4; ++i) {
            near(fabs(t[i].at[0] - 0.15), 0.35, 2e-3);
            near(fabs(t[i].at[1] - 0.1), 0.3, 2e-3);
        }
    }
    double q[4];
    about(0, 0, 1, PI / 4, q);
    a = shape(CAROM_BOX, 0.5, 0.5, 0.5);
    carom_pose pa = pose(&a, 0, 0, 1, q);
    pb = pose(&a, 0, 0, 0, NULL);
    ck_assert_int_eq(collide(&a, &pa, &a, &pb, 0.01, t), 8); /* an octagon */
    ck_assert_int_eq(carom_collide(&a, &pa, &a, &pb, 0.01, t, 5), 5);
}
END_TEST

START_TEST(edges_and_corners_of_boxes)
{
    carom_shape a = shape(CAROM_BOX, 0.5, 0.5, 0.5);
    carom_touch t[CAROM_TOUCH_MAX];
    double q[4], r[4];
    about(0, 1, 0, PI / 4, q);
    about(1, 0, 0, PI / 4, r);
    for (int k = 0; k < 5; ++k) { /* two edges that cross at right angles: above, at and in each other */
        const double gap = 0.01 * (k - 2);
        carom_pose pa = pose(&a, 0.1, 0.2, sqrt(2.0) + gap, q), pb = pose(&a, 0, 0, 0, r);
        ck_assert_int_eq(collide(&a, &pa, &a, &pb, 0.05, t), 1);
        near(t[0].gap, gap, 1e-12);
        near3(t[0].normal, 0, 0, 1, 1e-12);
        near(t[0].at[0], 0.1, 1e-12);
        near(t[0].at[1], 0.0, 1e-12);
        ck_assert_int_ge(t[0].feature, 16);
    }
    carom_pose pb = pose(&a, 0, 0, 0, NULL), pa = pose(&a, 0.2, 0.1, 0.5 + sqrt(0.5) + 0.001, q);
    ck_assert_int_eq(collide(&a, &pa, &a, &pb, 0.01, t), 2); /* an edge on a face: clipped to it */
    near(t[0].gap, 0.001, 1e-12);
    near(t[1].gap, 0.001, 1e-12);
    near(fabs(t[0].at[1] - t[1].at[1]), 0.9, 1e-12);
    pa = pose(&a, 1.1, 1.2, 1.3, NULL); /* corner to corner */
    ck_assert_int_eq(collide(&a, &pa, &a, &pb, 1.0, t), 1 + 1);
    near(t[0].gap, sqrt(0.01 + 0.04 + 0.09), 1e-12);
    pa = pose(&a, 1.03, 0.2, 1.04, NULL); /* parallel edges: both ends of what they share */
    const int n = collide(&a, &pa, &a, &pb, 0.1, t);
    double low = 1.0, high = -1.0;
    for (int i = 0; i < n; ++i) {
        near(t[i].gap, 0.05, 1e-12);
        near3(t[i].normal, 0.6, 0, 0.8, 1e-12);
        low = fmin(low, t[i].at[1]);
        high = fmax(high, t[i].at[1]);
    }
    near(low, -0.3, 1e-12);
    near(high, 0.5, 1e-12);
}
END_TEST

/* ---- heightfields ------------------------------------------------------------------------------------------------------------- */

enum { SIDE = 9 };

static carom_shape field_of(double (*h)(double, double), double dx, double dy, double *heights)
{
    carom_shape f = shape(CAROM_HEIGHTFIELD, dx, dy, 0);
    f.columns = SIDE;
    f.rows = SIDE;
    f.table = heights;
    for (int j = 0; j < SIDE; ++j) {
        for (int i = 0; i < SIDE; ++i) {
            heights[j * SIDE + i] = h(i * dx, j * dy);
        }
    }
    return f;
}

static double flat(double x, double y) { return 0.0 * (x + y); }
static double tilted(double x, double y) { return 0.3 * x - 0.2 * y; }
static double hills(double x, double y) { return 0.1 * sin(3.0 * x) * cos(2.0 * y) + 0.05 * x; }
static double ridge(double x, double y) { return -fabs(x - 0.8) + 0.0 * y; }
static double valley(double x, double y) { return fabs(x - 0.8) + 0.0 * y; }

/* On a field that is a plane every shape touches as on the plane, wherever the edges run. */
START_TEST(flat_field_is_a_plane)
{
    static const carom_shape_kind kinds[3] = {CAROM_SPHERE, CAROM_CAPSULE, CAROM_BOX};
    double heights[SIDE * SIDE];
    carom_touch t[CAROM_TOUCH_MAX], u[CAROM_TOUCH_MAX];
    for (int k = 0; k < 3000; ++k) {
        double q[4], turn[4];
        const int slope = k % 2;
        const carom_shape f = field_of(slope ? tilted : flat, 0.2, 0.25, heights), plane = shape(CAROM_PLANE, 0, 0, 0);
        const carom_shape s =
            kinds[k % 3] == CAROM_BOX ? shape(CAROM_BOX, 0.15, 0.1, 0.2) : shape(kinds[k % 3], 0.12, 0.15, 0);
        about(0.2, 0.3, 0, slope ? atan(sqrt(0.13)) : 0.0, q); /* normal (-0.3, 0.2, 1) */
        q[1] = slope ? -fabs(q[1]) : 0.0;
        q[2] = slope ? -fabs(q[2]) : 0.0;
        const carom_pose pf = pose(&f, 0, 0, 0, NULL), pp = pose(&plane, 0, 0, 0, q);
        random_turn(turn);
        double x = between(0.5, 1.1), y = between(0.5, 1.5);
        if (k % 5 == 0) { /* over an edge, a diagonal, a vertex */
            x = 0.8;
            y = k % 25 == 0 ? 1.0 : y;
        }
        const carom_pose ps = pose(&s, x, y, (slope ? tilted(x, y) : 0.0) + between(0.05, 0.25), turn);
        const int n = collide(&s, &ps, &f, &pf, 0.05, t), m = collide(&s, &ps, &plane, &pp, 0.05, u);
        ck_assert_int_eq(n, m);
        for (int i = 0; i < n; ++i) {
            find(t, n, &u[i], 1e-14);
        }
    }
}
END_TEST

/* The least distance to a field is that to the nearest of many points of its triangles. */
START_TEST(hilly_field)
{
    double heights[SIDE * SIDE];
    carom_touch t[CAROM_TOUCH_MAX];
    const carom_shape f = field_of(hills, 0.2, 0.25, heights), s = shape(CAROM_SPHERE, 0.15, 0, 0);
    const carom_pose pf = pose(&f, 0, 0, 0, NULL);
    for (int k = 0; k < 200; ++k) {
        const double c[3] = {between(0.5, 1.1), between(0.5, 1.5), between(0.0, 0.4)};
        const carom_pose ps = pose(&s, c[0], c[1], c[2], NULL);
        double slow = HUGE_VAL;
        for (int j = 0; j < SIDE - 1; ++j) {
            for (int i = 0; i < SIDE - 1; ++i) {
                for (int m = 0; m < 40 * 40; ++m) {
                    const double x = (m % 40) / 39.0, y = (m / 40) / 39.0, *h = heights + j * SIDE + i;
                    const double z = x >= y ? h[0] + x * (h[1] - h[0]) + y * (h[SIDE + 1] - h[1])
                                            : h[0] + y * (h[SIDE] - h[0]) + x * (h[SIDE + 1] - h[SIDE]);
                    const double d[3] = {(i + x) * 0.2 - c[0], (j + y) * 0.25 - c[1], z - c[2]};
                    slow = fmin(slow, sqrt(dot(d, d)));
                }
            }
        }
        const int n = collide(&s, &ps, &f, &pf, 1.0, t);
        ck_assert_int_ge(n, 1);
        const double sign = least(t, n) < -0.15 ? -1.0 : 1.0;
        near(least(t, n) + 0.15, sign * slow, 4e-5 / fmax(slow, 1e-3) + 1e-9);
    }
}
END_TEST

START_TEST(ridges_and_valleys)
{
    double heights[SIDE * SIDE];
    carom_touch t[CAROM_TOUCH_MAX];
    carom_shape s = shape(CAROM_SPHERE, 0.1, 0, 0), rod = shape(CAROM_CAPSULE, 0.1, 0.4, 0);
    carom_shape f = field_of(ridge, 0.2, 0.2, heights);
    carom_pose pf = pose(&f, 0, 0, 0, NULL), ps = pose(&s, 0.82, 0.9, 0.2, NULL);
    double q[4];
    ck_assert_int_eq(collide(&s, &ps, &f, &pf, 0.5, t), 1); /* one touch, on the ridge */
    near(t[0].gap, hypot(0.02, 0.2) - 0.1, 1e-15);
    about(0, 1, 0, PI / 2, q);
    ps = pose(&rod, 0.9, 0.85, 0.15, q); /* across the ridge: it carries the rod between its ends */
    ck_assert_int_eq(collide(&rod, &ps, &f, &pf, 0.06, t), 1);
    near(t[0].gap, 0.05, 1e-15);
    near3(t[0].at, 0.8, 0.85, 0.025, 1e-15);
    near3(t[0].normal, 0, 0, 1, 1e-15);
    f = field_of(valley, 0.2, 0.2, heights);
    ps = pose(&s, 0.8, 0.9, 0.1 * sqrt(2.0) + 0.01, NULL);
    ck_assert_int_eq(collide(&s, &ps, &f, &pf, 0.05, t), 2); /* both slopes, and not the edge between */
    near(t[0].gap, 0.01 * sqrt(0.5), 1e-15);
    near(t[1].gap, 0.01 * sqrt(0.5), 1e-15);
    near(fabs(t[0].normal[0]), sqrt(0.5), 1e-15);
    f = field_of(flat, 0.2, 0.2, heights); /* beyond the border there is nothing, on it the rim */
    ps = pose(&s, -0.5, 0.9, 0.0, NULL);
    ck_assert_int_eq(collide(&s, &ps, &f, &pf, 0.1, t), 0);
    ps = pose(&s, -0.03, 0.9, 0.04, NULL);
    ck_assert_int_eq(collide(&s, &ps, &f, &pf, 0.1, t), 1);
    near(t[0].gap, 0.05 - 0.1, 1e-15);
}
END_TEST

/* A ball rolled over a flat field by a penalty force follows the ball on a plane, to rounding: no bumps at the edges. */
START_TEST(no_bumps)
{
    double heights[SIDE * SIDE], z[2][2] = {{0.0999, 0.0}, {0.0999, 0.0}}, x[2] = {0.1, 0.1}, vx[2] = {0.5, 0.5};
    const carom_shape s = shape(CAROM_SPHERE, 0.1, 0, 0), f = field_of(flat, 0.2, 0.25, heights),
                      plane = shape(CAROM_PLANE, 0, 0, 0);
    const carom_pose still = pose(&plane, 0, 0, 0, NULL);
    for (int step = 0; step < 20000; ++step) {
        for (int k = 0; k < 2; ++k) {
            carom_touch t[CAROM_TOUCH_MAX];
            const carom_pose ps = pose(&s, x[k], 0.3 + 0.7 * x[k], z[k][0], NULL);
            const int n = collide(&s, &ps, k == 0 ? &f : &plane, &still, 0.0, t);
            ck_assert_int_le(n, 1);
            z[k][1] -= 1e-4 * 9.81;
            for (int i = 0; i < n; ++i) {
                z[k][1] -= 1e-4 * 1e5 * t[i].gap * t[i].normal[2];
                vx[k] -= 1e-4 * 1e5 * t[i].gap * t[i].normal[0];
            }
            z[k][0] += 1e-4 * z[k][1];
            x[k] += 1e-4 * vx[k];
        }
    }
    near(x[0], x[1], 1e-13);
    near(z[0][0], z[1][0], 1e-13);
    ck_assert(x[0] > 1.0);
}
END_TEST

START_TEST(pairs_and_bounds)
{
    ck_assert(carom_collides(CAROM_PLANE, CAROM_SPHERE) && carom_collides(CAROM_BOX, CAROM_HEIGHTFIELD));
    ck_assert(!carom_collides(CAROM_PLANE, CAROM_PLANE) && !carom_collides(CAROM_CYLINDER, CAROM_BOX));
    carom_touch t[CAROM_TOUCH_MAX];
    for (int k = 0; k < 400; ++k) { /* nothing of a shape is outside of its bounds, and they are tight */
        static const carom_shape_kind kinds[4] = {CAROM_SPHERE, CAROM_BOX, CAROM_CAPSULE, CAROM_CYLINDER};
        const carom_shape s = random_shape(kinds[k % 4]), wall = shape(CAROM_PLANE, 0, 0, 0);
        double q[4], low[3], high[3], turn[4];
        random_turn(q);
        const carom_pose p = pose(&s, uniform(), uniform(), uniform(), q);
        carom_shape_bounds(&s, &p, low, high);
        about(1, 1, 1, 2.0 * PI / 3.0, turn); /* z to x */
        const carom_pose pw = pose(&wall, low[0], 0, 0, turn);
        const int n = collide(&s, &p, &wall, &pw, 0.01, t);
        ck_assert_int_ge(n, 1);
        near(least(t, n), 0.0, 1e-12);
    }
    carom_shape s = shape(CAROM_BOX, 1, 2, 3); /* a shape has a place on its body */
    about(0, 0, 1, PI / 2, s.turn);
    s.at[0] = 1.0;
    double q[4];
    about(1, 0, 0, PI / 2, q);
    const carom_pose p = pose(&s, 0, 0, 5, q);
    near3(p.x, 1, 0, 5, 1e-15);
    double y[3];
    const double e[3] = {1.0, 0.0, 0.0};
    to_world(&p, e, y); /* x of the shape is y of the body is z of space */
    near3(y, 1, 0, 6, 1e-15);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("collide");
    tcase_set_timeout(cases, 60.0);
    tcase_add_test(cases, spheres_and_planes);
    tcase_add_test(cases, capsules);
    tcase_add_test(cases, capsule_on_box);
    tcase_add_test(cases, cylinder_on_plane);
    tcase_add_test(cases, sphere_and_cylinder);
    tcase_add_test(cases, stacked_boxes);
    tcase_add_test(cases, edges_and_corners_of_boxes);
    tcase_add_test(cases, flat_field_is_a_plane);
    tcase_add_test(cases, hilly_field);
    tcase_add_test(cases, ridges_and_valleys);
    tcase_add_test(cases, no_bumps);
    tcase_add_test(cases, pairs_and_bounds);
    return run_suite("collide", cases);
}
