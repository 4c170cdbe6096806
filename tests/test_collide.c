/* Where shapes touch: known places, slow and obvious distances, exchange, mirror images, rotations, continuity; flat fields. */
#include "carom/collide.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* ---- random numbers, vectors, poses ----------------------------------------------------------------------------------- */

static uint64_t seed_state = 1;

static double uniform(void) /* in [-1, 1) */
{
    seed_state ^= seed_state << 13;
    seed_state ^= seed_state >> 7;
    seed_state ^= seed_state << 17;
    return (double)(seed_state >> 11) / 4503599627370496.0 - 1.0;
}

static double between(double low, double high) { return low + (high - low) * (uniform() + 1.0) / 2.0; }

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void random_turn(double q[4])
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

static carom_shape shape(carom_shape_kind kind, double x, double y, double z)
{
    carom_shape s = plain;
    s.kind = kind;
    s.size[0] = x;
    s.size[1] = y;
    s.size[2] = z;
    return s;
}

static carom_pose pose(const carom_shape *s, double x, double y, double z, const double *q)
{
    const double at[3] = {x, y, z}, none[4] = {1.0, 0.0, 0.0, 0.0};
    carom_pose p;
    carom_shape_pose(s, at, q ? q : none, &p);
    return p;
}

static void about(double x, double y, double z, double angle, double q[4])
{
    const double size = sqrt(x * x + y * y + z * z), s = sin(angle / 2.0) / size;
    q[0] = cos(angle / 2.0);
    q[1] = s * x;
    q[2] = s * y;
    q[3] = s * z;
}

static void to_world(const carom_pose *p, const double *a, double *out)
{
    for (int i = 0; i < 3; ++i) {
        out[i] = p->x[i] + dot(p->R + 3 * i, a);
    }
}

static void to_local(const carom_pose *p, const double *a, double *out)
{
    const double d[3] = {a[0] - p->x[0], a[1] - p->x[1], a[2] - p->x[2]};
    for (int i = 0; i < 3; ++i) {
        out[i] = p->R[i] * d[0] + p->R[3 + i] * d[1] + p->R[6 + i] * d[2];
    }
}

static double least(const carom_touch *t, int n)
{
    double g = HUGE_VAL;
    for (int i = 0; i < n; ++i) {
        g = fmin(g, t[i].gap);
    }
    return g;
}

static int collide(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb, double margin,
                   carom_touch *out)
{
    const int n = carom_collide(a, pa, b, pb, margin, out, CAROM_TOUCH_MAX);
    for (int i = 0; i < n; ++i) { /* what holds always */
        ck_assert(out[i].gap <= margin);
        ck_assert(fabs(dot(out[i].normal, out[i].normal) - 1.0) < 1e-12);
        ck_assert(i == 0 || out[i - 1].feature < out[i].feature);
    }
    return n;
}

#define near(x, y, tolerance) \
    ck_assert_msg(fabs((x) - (y)) <= (tolerance), "%s = %.17g, not %.17g +- %g", #x, (double)(x), (double)(y), (double)(tolerance))

static void near3(const double *a, double x, double y, double z, double tolerance)
{
    near(a[0], x, tolerance);
    near(a[1], y, tolerance);
    near(a[2], z, tolerance);
}

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
static double depth_along(const round_box *a, const carom_pose *pa, const round_box *b, const carom_pose *pb, const double n[3])
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

static carom_shape random_shape(carom_shape_kind kind)
{
    if (kind == CAROM_BOX) {
        return shape(kind, between(0.2, 1.0), between(0.2, 1.0), between(0.2, 1.0));
    }
    return shape(kind, between(0.1, 0.5), between(0.2, 1.0), 0.0);
}

static const carom_shape_kind convex[][2] = {{CAROM_BOX, CAROM_BOX},       {CAROM_SPHERE, CAROM_BOX},     {CAROM_SPHERE, CAROM_CAPSULE},
                                             {CAROM_CAPSULE, CAROM_CAPSULE}, {CAROM_CAPSULE, CAROM_BOX}, {CAROM_SPHERE, CAROM_SPHERE}};
enum { CONVEX = (int)(sizeof convex / sizeof *convex) };

/* A random pair with this gap or nearly so: b is moved up to a along a random line. */
static void random_pair(const carom_shape_kind kind[2], double gap, carom_shape *a, carom_pose *pa, carom_shape *b, carom_pose *pb)
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
        if (slow_distance(a, pa, b, pb) + body_of(a).radius + body_of(b).radius > fmax(gap, 0.0) + 1e-7 + body_of(a).radius + body_of(b).radius) {
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
            const double allowed = 2e-6 + 0.01 * (fabs(least(t, n)) + body_of(&a).radius); /* a face stands for something near it */
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
            const double q = sqrt(0.5), quarter[4][4] = {{1, 0, 0, 0}, {q, q, 0, 0}, {q, 0, q, 0}, {0.5, 0.5, 0.5, 0.5}};
            double r[4];
            const double *const c = quarter[(int)between(0.0, 3.999)];
            s[i] = shape(kind[i], 0.25 * (1 + (int)between(0.0, 2.999)), 0.25 * (1 + (int)between(0.0, 3.999)), 0.5);
            about(uniform(), uniform(), uniform(), i == 0 ? tilt[k / 4 % 5] : 0.0, r);
            const double turn[4] = {c[0] * r[0] - c[1] * r[1] - c[2] * r[2] - c[3] * r[3], c[0] * r[1] + c[1] * r[0] + c[2] * r[3] - c[3] * r[2],
                                    c[0] * r[2] - c[1] * r[3] + c[2] * r[0] + c[3] * r[1], c[0] * r[3] + c[1] * r[2] - c[2] * r[1] + c[3] * r[0]};
            p[i] = pose(&s[i], 0.25 * (int)between(-6.999, 6.999), 0.25 * (int)between(-6.999, 6.999), 0.25 * (int)between(-6.999, 6.999), turn);
        }
        const int n = collide(&s[0], &p[0], &s[1], &p[1], 10.0, t);
        ck_assert_int_ge(n, 1);
        const double slow = slow_distance(&s[0], &p[0], &s[1], &p[1]), radii = body_of(&s[0]).radius + body_of(&s[1]).radius;
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

static void find(const carom_touch *t, int n, const carom_touch *wanted, double tolerance)
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
            const double s[4] = {q[0] * r[0] - q[1] * r[1] - q[2] * r[2] - q[3] * r[3], q[0] * r[1] + q[1] * r[0] + q[2] * r[3] - q[3] * r[2],
                                 q[0] * r[2] - q[1] * r[3] + q[2] * r[0] + q[3] * r[1], q[0] * r[3] + q[1] * r[2] - q[2] * r[1] + q[3] * r[0]};
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

/* ---- known places ------------------------------------------------------------------------------------------------------------- */

START_TEST(spheres_and_planes)
{
    carom_shape a = shape(CAROM_SPHERE, 0.5, 0, 0), b = shape(CAROM_SPHERE, 0.25, 0, 0), floor_ = shape(CAROM_PLANE, 0, 0, 0);
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
    carom_shape a = shape(CAROM_CAPSULE, 0.1, 1.0, 0), b = shape(CAROM_CAPSULE, 0.2, 0.5, 0), floor_ = shape(CAROM_PLANE, 0, 0, 0);
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
    f.height = heights;
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
        const carom_shape s = kinds[k % 3] == CAROM_BOX ? shape(CAROM_BOX, 0.15, 0.1, 0.2) : shape(kinds[k % 3], 0.12, 0.15, 0);
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
    const carom_shape s = shape(CAROM_SPHERE, 0.1, 0, 0), f = field_of(flat, 0.2, 0.25, heights), plane = shape(CAROM_PLANE, 0, 0, 0);
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
    tcase_add_loop_test(cases, apart, 0, CONVEX);
    tcase_add_loop_test(cases, inside_each_other, 0, CONVEX);
    tcase_add_test(cases, ties);
    tcase_add_loop_test(cases, points_are_on_the_bodies, 0, CONVEX);
    tcase_add_loop_test(cases, exchange, 0, CONVEX);
    tcase_add_loop_test(cases, rotation_of_all, 0, CONVEX);
    tcase_add_loop_test(cases, mirror_image, 0, CONVEX);
    tcase_add_loop_test(cases, continuity, 0, CONVEX);
    tcase_add_test(cases, flat_field_is_a_plane);
    tcase_add_test(cases, hilly_field);
    tcase_add_test(cases, ridges_and_valleys);
    tcase_add_test(cases, no_bumps);
    tcase_add_test(cases, pairs_and_bounds);
    return run_suite("collide", cases);
}
