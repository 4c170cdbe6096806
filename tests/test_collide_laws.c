/* What holds for all shapes that touch: slow and obvious distances, exchange, mirror images, rotations, continuity. */
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- slow and obvious distances ----------------------------------------------------------------------------------------- */

/* A convex body: a box (half lengths, 0 allowed: point, segment) with a radius around it. */
typedef struct {
    double half[3], radius;
} round_box;

static round_box body_of(const carom_shape *s)
{
    round_box b = {{0.0, 0.0, 0.0}, 0.0};
    if (s->kind == CAROM_BOX) {
        for (int i = 0; i < 3; ++i) {
            b.half[i] = s->size[i];
        }
    } else {
        b.radius = s->size[0];
        b.half[2] = s->kind == CAROM_CAPSULE ? s->size[1] : 0.0;
    }
    return b;
}

/* Distance of the two (rounded) boxes by coordinate descent on the six places; 0 when their insides meet. */
static double slow_distance(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb)
{
    const round_box body[2] = {body_of(a), body_of(b)};
    const carom_pose *p[2] = {pa, pb};
    double x[6] = {0}, r[3], before = HUGE_VAL, now = 0.0;
    for (int i = 0; i < 3; ++i) {
        r[i] = pa->x[i] - pb->x[i];
    }
    for (int sweep = 0; sweep < 20000; ++sweep) {
        for (int k = 0; k < 6; ++k) {
            const double sign = k < 3 ? 1.0 : -1.0, *R = p[k / 3]->R + k % 3, half = body[k / 3].half[k % 3];
            const double wanted = x[k] - sign * (R[0] * r[0] + R[3] * r[1] + R[6] * r[2]);
            const double next = fmin(fmax(wanted, -half), half);
            for (int i = 0; i < 3; ++i) {
                r[i] += sign * (next - x[k]) * R[3 * i];
            }
            x[k] = next;
        }
        now = sqrt(dot(r, r));
        if (sweep % 100 == 99) {
            if (before - now < 1e-13) {
                break;
            }
            before = now;
        }
    }
    return now - body[0].radius - body[1].radius;
}

/* How far a must be moved along n (to be apart from b). */
static double depth_along(const round_box *a, const carom_pose *pa, const round_box *b, const carom_pose *pb,
                          const double n[3])
{
    double depth = a->radius + b->radius;
    for (int k = 0; k < 3; ++k) {
        depth += fabs(n[0] * pa->R[k] + n[1] * pa->R[3 + k] + n[2] * pa->R[6 + k]) * a->half[k];
        depth += fabs(n[0] * pb->R[k] + n[1] * pb->R[3 + k] + n[2] * pb->R[6 + k]) * b->half[k];
        depth -= n[k] * (pa->x[k] - pb->x[k]);
    }
    return depth;
}

/* The least of it, by trying directions and refining the best: never below the true depth. */
static double slow_depth(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb)
{
    const round_box ba = body_of(a), bb = body_of(b);
    double best = HUGE_VAL, n[3], start[12][3], depth[12];
    for (int k = 0; k < 12; ++k) {
        depth[k] = HUGE_VAL;
    }
    for (int k = 0; k < 4000; ++k) { /* spread over the sphere by the golden angle */
        const double z = 1.0 - (2.0 * k + 1.0) / 4000.0, rho = sqrt(1.0 - z * z), phi = 2.399963229728653 * k;
        const double u[3] = {rho * cos(phi), rho * sin(phi), z};
        double d = depth_along(&ba, pa, &bb, pb, u);
        for (int i = 0; i < 12; ++i) {
            if (d < depth[i]) {
                for (int j = 11; j > i; --j) {
                    depth[j] = depth[j - 1];
                    for (int m = 0; m < 3; ++m) {
                        start[j][m] = start[j - 1][m];
                    }
                }
                depth[i] = d;
                for (int m = 0; m < 3; ++m) {
                    start[i][m] = u[m];
                }
                break;
            }
        }
    }
    for (int k = 0; k < 12; ++k) {
        double width = 0.05;
        for (int tries = 0; tries < 1200; ++tries) {
            double size = 0.0;
            for (int m = 0; m < 3; ++m) {
                n[m] = start[k][m] + width * uniform();
                size += n[m] * n[m];
            }
            for (int m = 0; m < 3; ++m) {
                n[m] /= sqrt(size);
            }
            const double d = depth_along(&ba, pa, &bb, pb, n);
            if (d < depth[k]) {
                depth[k] = d;
                for (int m = 0; m < 3; ++m) {
                    start[k][m] = n[m];
                }
            } else {
                width *= 0.985;
            }
        }
        best = fmin(best, depth[k]);
    }
    return best;
}

/* Distance of a place to a rounded box, negative inside only where it is outside of the core: good for "not outside". */
static double outside(const carom_shape *s, const carom_pose *p, const double at[3])
{
    const round_box b = body_of(s);
    double c[3], sum = 0.0;
    to_local(p, at, c);
    for (int i = 0; i < 3; ++i) {
        const double d = fmax(fabs(c[i]) - b.half[i], 0.0);
        sum += d * d;
    }
    return sqrt(sum) - b.radius;
}

static const carom_shape_kind convex[][2] = {{CAROM_BOX, CAROM_BOX},        {CAROM_SPHERE, CAROM_BOX},
                                             {CAROM_SPHERE, CAROM_CAPSULE}, {CAROM_CAPSULE, CAROM_CAPSULE},
                                             {CAROM_CAPSULE, CAROM_BOX},    {CAROM_SPHERE, CAROM_SPHERE}};
enum { CONVEX = (int)(sizeof convex / sizeof *convex) };

/* A random pair with this gap or nearly so: b is moved up to a along a random line. */
static void random_pair(const carom_shape_kind kind[2], double gap, carom_shape *a, carom_pose *pa, carom_shape *b,
                        carom_pose *pb)
{
    double q[4];
    *a = random_shape(kind[0]);
    *b = random_shape(kind[1]);
    random_turn(q);
    *pa = pose(a, uniform(), uniform(), uniform(), q);
    random_turn(q);
    *pb = pose(b, 0.0, 0.0, 0.0, q);
    double way[3] = {uniform(), uniform(), uniform()}, far = 6.0, close = 0.0;
    const double size = sqrt(dot(way, way));
    for (int k = 0; k < 50; ++k) {
        const double s = (far + close) / 2.0;
        for (int i = 0; i < 3; ++i) {
            pb->x[i] = pa->x[i] + s * way[i] / size;
        }
        if (slow_distance(a, pa, b, pb) + body_of(a).radius + body_of(b).radius >
            fmax(gap, 0.0) + 1e-7 + body_of(a).radius + body_of(b).radius) {
            far = s;
        } else {
            close = s;
        }
    }
    for (int i = 0; i < 3 && gap < 0.0; ++i) { /* into each other by about that much */
        pb->x[i] += gap * way[i] / size;
    }
}

START_TEST(apart)
{
    carom_shape a, b;
    carom_pose pa, pb;
    carom_touch t[CAROM_TOUCH_MAX];
    for (int k = 0; k < 100; ++k) {
        const double gap = between(0.01, 0.2);
        random_pair(convex[_i], gap, &a, &pa, &b, &pb);
        const double slow = slow_distance(&a, &pa, &b, &pb);
        const int n = collide(&a, &pa, &b, &pb, 0.3, t);
        ck_assert_int_ge(n, 1);
        near(least(t, n), slow, 2e-6);
        ck_assert_int_eq(collide(&a, &pa, &b, &pb, 0.9 * slow, t), 0);
    }
}
END_TEST

/* The points of a touch belong to the two bodies, and are apart by its gap along its normal. */
START_TEST(points_are_on_the_bodies)
{
    carom_shape a, b;
    carom_pose pa, pb;
    carom_touch t[CAROM_TOUCH_MAX];
    for (int k = 0; k < 100; ++k) {
        random_pair(convex[_i], k % 2 == 0 ? between(0.0, 0.1) : between(-0.05, 0.0), &a, &pa, &b, &pb);
        const int n = collide(&a, &pa, &b, &pb, 0.2, t);
        ck_assert_int_ge(n, 1);
        for (int i = 0; i < n; ++i) {
            double on_a[3], on_b[3];
            for (int j = 0; j < 3; ++j) {
                on_a[j] = t[i].at[j] + 0.5 * t[i].gap * t[i].normal[j];
                on_b[j] = t[i].at[j] - 0.5 * t[i].gap * t[i].normal[j];
            }
            const double allowed =
                2e-6 + 0.01 * (fabs(least(t, n)) + body_of(&a).radius); /* a face stands for something near it */
            ck_assert(outside(&a, &pa, on_a) < allowed);
            ck_assert(outside(&b, &pb, on_b) < allowed);
        }
    }
}
END_TEST

START_TEST(inside_each_other)
{
    carom_shape a, b;
    carom_pose pa, pb;
    carom_touch t[CAROM_TOUCH_MAX];
    for (int k = 0; k < 30; ++k) {
        random_pair(convex[_i], between(-0.3, -0.001), &a, &pa, &b, &pb);
        const double slow = slow_depth(&a, &pa, &b, &pb);
        const int n = collide(&a, &pa, &b, &pb, 0.0, t);
        ck_assert_int_ge(n, 1);
        ck_assert(-least(t, n) <= slow + 1e-9); /* tried directions are never better than the best one */
        near(-least(t, n), slow, 1e-3);
    }
}
END_TEST

/* Boxes and capsules in line with each other, exactly and nearly, at round distances: everything is a tie. */
START_TEST(ties)
{
    static const double tilt[5] = {0.0, 1e-12, 1e-8, 1e-5, 1e-3};
    carom_touch t[CAROM_TOUCH_MAX];
    for (int k = 0; k < 3000; ++k) {
        const carom_shape_kind *kind = convex[k % 2 == 0 ? 0 : 3 + k / 2 % 2];
        carom_shape s[2];
        carom_pose p[2];
        for (int i = 0; i < 2; ++i) {
            const double q = sqrt(0.5),
                         quarter[4][4] = {{1, 0, 0, 0}, {q, q, 0, 0}, {q, 0, q, 0}, {0.5, 0.5, 0.5, 0.5}};
            double r[4];
            const double *const c = quarter[(int)between(0.0, 3.999)];
            s[i] = shape(kind[i], 0.25 * (1 + (int)between(0.0, 2.999)), 0.25 * (1 + (int)between(0.0, 3.999)), 0.5);
            about(uniform(), uniform(), uniform(), i == 0 ? tilt[k / 4 % 5] : 0.0, r);
            const double turn[4] = {c[0] * r[0] - c[1] * r[1] - c[2] * r[2] - c[3] * r[3],
                                    c[0] * r[1] + c[1] * r[0] + c[2] * r[3] - c[3] * r[2],
                                    c[0] * r[2] - c[1] * r[3] + c[2] * r[0] + c[3] * r[1],
                                    c[0] * r[3] + c[1] * r[2] - c[2] * r[1] + c[3] * r[0]};
            p[i] = pose(&s[i], 0.25 * (int)between(-6.999, 6.999), 0.25 * (int)between(-6.999, 6.999),
                        0.25 * (int)between(-6.999, 6.999), turn);
        }
        const int n = collide(&s[0], &p[0], &s[1], &p[1], 10.0, t);
        ck_assert_int_ge(n, 1);
        const double slow = slow_distance(&s[0], &p[0], &s[1], &p[1]),
                     radii = body_of(&s[0]).radius + body_of(&s[1]).radius;
        ck_assert(least(t, n) <= slow + 2e-6);
        if (slow + radii > 1e-3) { /* nearly parallel: the descent is slow to end */
            near(least(t, n), slow, 2e-6 + tilt[k / 4 % 5]);
        }
        for (int i = 0; i < n && k % 2 == 0 && slow > 0.0; ++i) {
            double on_a[3];
            for (int j = 0; j < 3; ++j) {
                on_a[j] = t[i].at[j] + 0.5 * t[i].gap * t[i].normal[j];
            }
            ck_assert(outside(&s[0], &p[0], on_a) < 2e-6 + 0.01 * slow);
        }
    }
}
END_TEST

/* ---- invariances ------------------------------------------------------------------------------------------------------------ */

START_TEST(exchange)
{
    carom_shape a, b;
    carom_pose pa, pb;
    carom_touch t[CAROM_TOUCH_MAX], u[CAROM_TOUCH_MAX];
    for (int k = 0; k < 100; ++k) {
        random_pair(convex[_i], between(-0.1, 0.1), &a, &pa, &b, &pb);
        const int n = collide(&a, &pa, &b, &pb, 0.2, t), m = collide(&b, &pb, &a, &pa, 0.2, u);
        double faces = 0.0; /* where two faces are nearly parallel the first box's is taken */
        for (int i = 0; i < 9; ++i) {
            const int x = i / 3, y = i % 3;
            faces = fmax(faces, fabs(pa.R[x] * pb.R[y] + pa.R[3 + x] * pb.R[3 + y] + pa.R[6 + x] * pb.R[6 + y]));
        }
        if (faces > 0.995) {
            near(least(t, n), least(u, m), 1e-6 + 0.11 * fabs(least(t, n)));
            continue;
        }
        ck_assert_int_eq(n, m);
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < 3; ++j) {
                u[i].normal[j] = -u[i].normal[j];
            }
            find(t, n, &u[i], 1e-9);
        }
    }
}
END_TEST

START_TEST(rotation_of_all)
{
    carom_shape a, b;
    carom_pose pa, pb, qa, qb;
    carom_touch t[CAROM_TOUCH_MAX], u[CAROM_TOUCH_MAX];
    for (int k = 0; k < 100; ++k) {
        double q[4];
        random_pair(convex[_i], between(-0.1, 0.1), &a, &pa, &b, &pb);
        random_turn(q);
        const carom_pose move = pose(&plain, uniform(), uniform(), uniform(), q);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                const double *row = move.R + 3 * i;
                qa.R[3 * i + j] = row[0] * pa.R[j] + row[1] * pa.R[3 + j] + row[2] * pa.R[6 + j];
                qb.R[3 * i + j] = row[0] * pb.R[j] + row[1] * pb.R[3 + j] + row[2] * pb.R[6 + j];
            }
        }
        to_world(&move, pa.x, qa.x);
        to_world(&move, pb.x, qb.x);
        const int n = collide(&a, &pa, &b, &pb, 0.2, t), m = collide(&a, &qa, &b, &qb, 0.2, u);
        ck_assert_int_eq(n, m);
        for (int i = 0; i < n; ++i) {
            double at[3];
            to_world(&move, t[i].at, at);
            near3(u[i].at, at[0], at[1], at[2], 1e-9);
            near(u[i].gap, t[i].gap, 1e-10);
            ck_assert_int_eq(u[i].feature, t[i].feature);
            for (int j = 0; j < 3; ++j) {
                near(u[i].normal[j], dot(move.R + 3 * j, t[i].normal), 1e-8);
            }
        }
    }
}
END_TEST

START_TEST(mirror_image)
{
    carom_shape a, b;
    carom_pose pa, pb;
    carom_touch t[CAROM_TOUCH_MAX], u[CAROM_TOUCH_MAX];
    for (int k = 0; k < 100; ++k) {
        random_pair(convex[_i], between(-0.1, 0.1), &a, &pa, &b, &pb);
        const int n = collide(&a, &pa, &b, &pb, 0.2, t);
        carom_pose *p[2] = {&pa, &pb};
        for (int i = 0; i < 2; ++i) { /* R -> S R S with S = diag(-1, 1, 1) */
            p[i]->x[0] = -p[i]->x[0];
            for (int j = 1; j < 3; ++j) {
                p[i]->R[j] = -p[i]->R[j];
                p[i]->R[3 * j] = -p[i]->R[3 * j];
            }
        }
        const int m = collide(&a, &pa, &b, &pb, 0.2, u);
        ck_assert_int_eq(n, m);
        for (int i = 0; i < n; ++i) {
            t[i].at[0] = -t[i].at[0];
            t[i].normal[0] = -t[i].normal[0];
            find(u, m, &t[i], 1e-9);
        }
    }
}
END_TEST

/* The least gap follows small motions: it changes no faster than the bodies move. */
START_TEST(continuity)
{
    carom_shape a, b;
    carom_pose pa, pb;
    carom_touch t[CAROM_TOUCH_MAX];
    for (int k = 0; k < 60; ++k) {
        double q[4], before = 0.0, spin[3] = {uniform(), uniform(), uniform()};
        random_pair(convex[_i], between(-0.05, 0.05), &a, &pa, &b, &pb);
        random_turn(q);
        const double x[3] = {pa.x[0], pa.x[1], pa.x[2]};
        for (int step = 0; step < 200; ++step) {
            double r[4];
            about(spin[0], spin[1], spin[2], 1e-3 * step, r);
            const double s[4] = {q[0] * r[0] - q[1] * r[1] - q[2] * r[2] - q[3] * r[3],
                                 q[0] * r[1] + q[1] * r[0] + q[2] * r[3] - q[3] * r[2],
                                 q[0] * r[2] - q[1] * r[3] + q[2] * r[0] + q[3] * r[1],
                                 q[0] * r[3] + q[1] * r[2] - q[2] * r[1] + q[3] * r[0]};
            carom_shape_pose(&a, x, s, &pa);
            const int n = collide(&a, &pa, &b, &pb, 4.0, t);
            const double now = least(t, n);
            ck_assert_int_ge(n, 1);
            if (step > 0) {
                near(now, before, 1.8e-3);
            }
            before = now;
        }
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("collide_laws");
    tcase_set_timeout(cases, 60.0);
    tcase_add_loop_test(cases, apart, 0, CONVEX);
    tcase_add_loop_test(cases, inside_each_other, 0, CONVEX);
    tcase_add_test(cases, ties);
    tcase_add_loop_test(cases, points_are_on_the_bodies, 0, CONVEX);
    tcase_add_loop_test(cases, exchange, 0, CONVEX);
    tcase_add_loop_test(cases, rotation_of_all, 0, CONVEX);
    tcase_add_loop_test(cases, mirror_image, 0, CONVEX);
    tcase_add_loop_test(cases, continuity, 0, CONVEX);
    return run_suite("collide_laws", cases);
}
