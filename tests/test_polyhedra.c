/* Convex polyhedra: known places, and laws that hold for any of them. */
#include "carom/geometry.h"
#include "shapes.h"

#include <string.h>

/* ---- tables, slowly: every plane through three corners that has all others below it is a face -------------------- */

enum { MOST = CAROM_CORNERS_MAX, ROOM = 3 * MOST + 6 * MOST + 12 * MOST + 4 * MOST + 12 * MOST };

typedef struct {
    int corners, faces, edges;
    double radius, table[ROOM];
} hull;

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double plane_of(const double *p, const double *q, const double *r, double n[3])
{
    double d[3], e[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = q[i] - p[i];
        e[i] = r[i] - p[i];
    }
    cross(d, e, n);
    const double length = sqrt(dot(n, n));
    for (int i = 0; i < 3; ++i) {
        n[i] /= length;
    }
    return length;
}

/* All points must be corners. */
static hull hull_of(int corners, double (*x)[3])
{
    static int loop[2 * MOST][MOST];
    static double normal[2 * MOST][3];
    int sides[2 * MOST];
    unsigned seen[2 * MOST];
    hull h = {.corners = corners};
    memcpy(h.table, x, (size_t)corners * sizeof *x);
    for (int i = 0; i < corners; ++i) {
        h.radius = fmax(h.radius, sqrt(dot(x[i], x[i])));
        for (int j = 0; j < corners; ++j) {
            for (int k = 0; k < corners; ++k) {
                double n[3];
                unsigned on = 0;
                int below = i != j && j != k && i != k && plane_of(x[i], x[j], x[k], n) > 1e-9;
                for (int c = 0; c < corners && below; ++c) {
                    const double d[3] = {x[c][0] - x[i][0], x[c][1] - x[i][1], x[c][2] - x[i][2]};
                    below = dot(n, d) < 1e-9;
                    on |= dot(n, d) > -1e-9 ? 1U << c : 0U;
                }
                for (int f = 0; f < h.faces; ++f) {
                    below = below && seen[f] != on;
                }
                if (!below) {
                    continue;
                }
                memcpy(normal[h.faces], n, sizeof n);
                seen[h.faces] = on;
                sides[h.faces] = 0;
                int at = i;
                do { /* the next corner around: all others of the face are to its left */
                    loop[h.faces][sides[h.faces]++] = at;
                    int next = -1;
                    for (int c = 0; c < corners; ++c) {
                        if ((on >> c & 1U) == 0 || c == at) {
                            continue;
                        }
                        double d[3], e[3], side[3];
                        for (int m = 0; m < 3 && next >= 0; ++m) {
                            d[m] = x[next][m] - x[at][m];
                            e[m] = x[c][m] - x[at][m];
                        }
                        if (next >= 0) {
                            cross(d, e, side);
                        }
                        next = next < 0 || dot(side, n) < 0.0 ? c : next;
                    }
                    at = next;
                } while (at != i);
                ++h.faces;
            }
        }
    }
    h.edges = corners + h.faces - 2;
    double *const edge = h.table + 3 * corners + 3 * h.faces, *const face = edge + 4 * h.edges,
                  *const side = face + 2 * h.faces;
    int first = 0, edges = 0;
    for (int f = 0; f < h.faces; ++f) {
        memcpy(h.table + 3 * corners + 3 * f, normal[f], sizeof normal[f]);
        face[2 * f] = sides[f];
        face[2 * f + 1] = first;
        for (int k = 0; k < sides[f]; ++k) {
            const int from = loop[f][k], to = loop[f][(k + 1) % sides[f]];
            int found = 0;
            while (found < edges && !(edge[4 * found] == to && edge[4 * found + 1] == from)) {
                ++found;
            }
            if (found == edges) {
                edge[4 * edges] = from;
                edge[4 * edges + 1] = to;
                edge[4 * edges + 2] = f;
                ++edges;
            } else {
                edge[4 * found + 3] = f;
            }
            side[2 * (first + k)] = from;
            side[2 * (first + k) + 1] = found;
        }
        first += sides[f];
    }
    ck_assert_int_eq(edges, h.edges);
    return h;
}

static carom_shape polyhedron(const hull *h)
{
    carom_shape s = shape(CAROM_POLYHEDRON, h->radius, 0, 0);
    s.columns = h->corners;
    s.rows = h->faces;
    s.table = h->table;
    return s;
}

static hull brick(double a, double b, double c)
{
    double x[8][3];
    for (int k = 0; k < 8; ++k) {
        x[k][0] = (k & 1) != 0 ? a : -a;
        x[k][1] = (k & 2) != 0 ? b : -b;
        x[k][2] = (k & 4) != 0 ? c : -c;
    }
    return hull_of(8, x);
}

/* Corners on an ellipsoid: all of them are on the hull. */
static hull pebble(int corners)
{
    double x[MOST][3];
    const double axis[3] = {between(0.3, 0.6), between(0.3, 0.6), between(0.3, 0.6)};
    for (int k = 0; k < corners; ++k) {
        const double z = 1.0 - (2.0 * k + between(0.4, 1.6)) / corners, phi = 2.4 * k + between(-0.3, 0.3);
        const double rho = sqrt(1.0 - z * z);
        x[k][0] = axis[0] * rho * cos(phi);
        x[k][1] = axis[1] * rho * sin(phi);
        x[k][2] = axis[2] * z;
    }
    return hull_of(corners, x);
}

static hull prism(int sides, double radius, double half)
{
    double x[MOST][3];
    for (int k = 0; k < 2 * sides; ++k) {
        x[k][0] = radius * cos(2.0 * PI * (k / 2) / sides);
        x[k][1] = radius * sin(2.0 * PI * (k / 2) / sides);
        x[k][2] = k % 2 == 0 ? -half : half;
    }
    return hull_of(2 * sides, x);
}

/* ---- known places ------------------------------------------------------------------------------------------------ */

START_TEST(spheres_on_a_cube)
{
    const hull h = brick(0.5, 0.5, 0.5);
    const carom_shape cube = polyhedron(&h), ball = shape(CAROM_SPHERE, 0.1, 0, 0);
    const carom_pose here = pose(&cube, 0, 0, 0, NULL);
    carom_touch t[CAROM_TOUCH_MAX];
    carom_pose p = pose(&ball, 0.2, 0.3, 0.7, NULL);
    ck_assert_int_eq(collide(&ball, &p, &cube, &here, 1.0, t), 1);
    near(t[0].gap, 0.1, 1e-15);
    near3(t[0].normal, 0, 0, 1, 1e-15);
    near3(t[0].at, 0.2, 0.3, 0.55, 1e-15);
    p = pose(&ball, 0.8, 0.1, 0.9, NULL); /* over an edge */
    ck_assert_int_eq(collide(&ball, &p, &cube, &here, 1.0, t), 1);
    near(t[0].gap, 0.4, 1e-15);
    near3(t[0].normal, 0.6, 0, 0.8, 1e-15);
    p = pose(&ball, 0.7, 0.8, 1.1, NULL); /* over a corner */
    ck_assert_int_eq(collide(&ball, &p, &cube, &here, 1.0, t), 1);
    near(t[0].gap, 0.6, 1e-15);
    near3(t[0].normal, 2.0 / 7, 3.0 / 7, 6.0 / 7, 1e-15);
    p = pose(&ball, 0.1, 0.45, 0.2, NULL); /* its centre inside */
    ck_assert_int_eq(collide(&ball, &p, &cube, &here, 1.0, t), 1);
    near(t[0].gap, -0.15, 1e-15);
    near3(t[0].normal, 0, 1, 0, 1e-15);
}
END_TEST

START_TEST(a_tetrahedron_on_planes_and_faces)
{
    double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const hull h = hull_of(4, x), table = brick(2, 2, 0.5);
    const carom_shape a = polyhedron(&h), floor_ = shape(CAROM_PLANE, 0, 0, 0), b = polyhedron(&table),
                      box = shape(CAROM_BOX, 2, 2, 0.5);
    carom_touch t[CAROM_TOUCH_MAX];
    ck_assert_int_eq(h.faces, 4);
    const carom_pose pa = pose(&a, 0.1, 0.2, 0.25, NULL), pf = pose(&floor_, 0, 0, 0, NULL),
                     pb = pose(&b, 0, 0, -0.5, NULL);
    ck_assert_int_eq(collide(&a, &pa, &floor_, &pf, 0.5, t), 3);
    for (int k = 0; k < 3; ++k) {
        near(t[k].gap, 0.25, 1e-15);
        ck_assert_int_eq(t[k].feature, k);
    }
    for (int k = 0; k < 2; ++k) { /* on a brick, as a polyhedron and as a box */
        ck_assert_int_eq(collide(&a, &pa, k == 0 ? &b : &box, &pb, 0.5, t), 3);
        for (int i = 0; i < 3; ++i) {
            near(t[i].gap, 0.25, 1e-12);
            near3(t[i].normal, 0, 0, 1, 1e-12);
        }
    }
}
END_TEST

/* Of sixteen points eight are kept, and they span nearly as much. */
START_TEST(a_prism_stands_on_eight_points)
{
    const hull h = prism(16, 0.5, 0.2), slab = brick(1, 1, 0.1);
    const carom_shape a = polyhedron(&h), ground[2] = {shape(CAROM_PLANE, 0, 0, 0), polyhedron(&slab)};
    for (int k = 0; k < 2; ++k) {
        double q[4], far[4] = {0};
        about(0.3, 1, 0, 1e-3 * k, q);
        const carom_pose pa = pose(&a, 0, 0, 0.2, q), pb = pose(&ground[k], 0, 0, k == 0 ? 0.0 : -0.1, NULL);
        carom_touch t[CAROM_TOUCH_MAX];
        ck_assert_int_eq(collide(&a, &pa, &ground[k], &pb, 0.01, t), 8);
        for (int i = 0; i < 8; ++i) {
            near(t[i].gap, 0.0, 1e-3);
            near3(t[i].normal, 0, 0, 1, 2e-3);
            for (int m = 0; m < 4; ++m) {
                far[m] = fmax(far[m], (m % 2 == 0 ? 1.0 : -1.0) * t[i].at[m / 2]);
            }
        }
        for (int m = 0; m < 4; ++m) {
            ck_assert_double_ge(far[m], 0.45);
        }
    }
}
END_TEST

START_TEST(a_capsule_lies_on_a_face)
{
    const hull h = brick(0.4, 0.6, 0.2);
    const carom_shape a = shape(CAROM_CAPSULE, 0.1, 0.5, 0), b = polyhedron(&h);
    for (int k = -1; k <= 1; ++k) {
        double q[4];
        carom_touch t[CAROM_TOUCH_MAX];
        about(0, 1, 0, PI / 2 + 1e-4 * k, q);
        const carom_pose pa = pose(&a, 0.2, 0.1, 0.301, q), pb = pose(&b, 0, 0, 0, NULL);
        ck_assert_int_eq(collide(&a, &pa, &b, &pb, 0.01, t), 2); /* one end, and where it leaves the face */
        for (int i = 0; i < 2; ++i) {
            near3(t[i].normal, 0, 0, 1, 1e-12);
            near(t[i].gap, 0.001, 6e-5);
        }
        near(fmin(t[0].at[0], t[1].at[0]), -0.3, 1e-4);
        near(fmax(t[0].at[0], t[1].at[0]), 0.4, 1e-4);
    }
}
END_TEST

/* ---- laws -------------------------------------------------------------------------------------------------------- */

/* A brick is a box, whatever it touches. */
START_TEST(bricks_are_boxes)
{
    for (int k = 0; k < 3000; ++k) {
        const carom_shape box[2] = {random_shape(CAROM_BOX), random_shape(CAROM_BOX)};
        const hull h[2] = {brick(box[0].size[0], box[0].size[1], box[0].size[2]),
                           brick(box[1].size[0], box[1].size[1], box[1].size[2])};
        const carom_shape round[2] = {random_shape(CAROM_SPHERE), random_shape(CAROM_CAPSULE)};
        const carom_shape a[4] = {box[0], polyhedron(&h[0]), round[0], round[1]}, b = polyhedron(&h[1]);
        double q[4], r[4];
        random_turn(q);
        random_turn(r);
        if (k % 3 == 0) { /* nearly parallel */
            about(uniform(), uniform(), uniform(), 1e-3 * (k % 5), q);
            about(1, 0, 0, 0, r);
        }
        const double x[3] = {between(-1.6, 1.6), between(-1.6, 1.6), between(-1.6, 1.6)};
        for (int i = 0; i < 4; ++i) {
            const carom_shape *const slow = i == 1 ? &box[0] : &a[i];
            const carom_pose pa = pose(&a[i], x[0], x[1], x[2], q), pb = pose(&b, 0, 0, 0, r);
            carom_touch t[CAROM_TOUCH_MAX], u[CAROM_TOUCH_MAX];
            const int n = collide(&a[i], &pa, &b, &pb, 5.0, t), m = collide(slow, &pa, &box[1], &pb, 5.0, u);
            ck_assert_int_ge(n, 1);
            near(least(t, n), least(u, m), 2e-6 * (1.0 + fabs(least(u, m))));
            if (i < 3 &&
                least(u, m) > -0.1) { /* a box gives corners that meet twice; deeper, more faces will do here */
                ck_assert_int_le(n, m);
                for (int c = 0; c < n && n > 1; ++c) {
                    find(u, m, &t[c], 1e-5);
                }
            }
        }
    }
}
END_TEST

static double support(const carom_shape *s, const carom_pose *p, const double n[3], double sign)
{
    double far = -HUGE_VAL;
    for (int k = 0; k < s->columns; ++k) {
        double x[3];
        to_world(p, s->table + 3 * k, x);
        far = fmax(far, sign * dot(n, x));
    }
    return sign * far;
}

/* How far a is above b along n: no more than their distance for every n, and that for one. */
static double apart_along(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                          const double n[3])
{
    return support(a, pa, n, -1.0) - support(b, pb, n, 1.0);
}

/* By how much a point is outside of a body. */
static double outside(const carom_shape *s, const carom_pose *p, const double x[3])
{
    double here[3], far = -HUGE_VAL;
    to_local(p, x, here);
    for (int f = 0; f < s->rows; ++f) {
        const double *const n = s->table + 3 * s->columns + 3 * f, *const face = s->table + 3 * s->columns +
                                                                                 3 * s->rows +
                                                                                 4 * (s->columns + s->rows - 2) + 2 * f;
        const double *const side = face - 2 * f + 2 * s->rows;
        const double *const at = s->table + 3 * (int)side[2 * (int)face[1]];
        far = fmax(far, dot(n, here) - dot(n, at));
    }
    return far;
}

typedef struct {
    hull h[2];
    carom_shape a, b;
    carom_pose pa, pb;
} couple;

static void draw_couple(couple *c, double near_to)
{
    double q[4], r[4];
    c->h[0] = pebble(4 + (int)between(0, 12));
    c->h[1] = pebble(4 + (int)between(0, 12));
    c->a = polyhedron(&c->h[0]);
    c->b = polyhedron(&c->h[1]);
    random_turn(q);
    random_turn(r);
    const double z = uniform(), phi = between(0, 2 * PI), rho = sqrt(1.0 - z * z), d = near_to;
    c->pa = pose(&c->a, d * rho * cos(phi), d * rho * sin(phi), d * z, q);
    c->pb = pose(&c->b, 0, 0, 0, r);
}

/* The distance from above: Gilbert's descent to the point of the difference of the bodies that is nearest to 0. */
static double descent(const couple *c)
{
    double v[3] = {c->pa.x[0] - c->pb.x[0], c->pa.x[1] - c->pb.x[1], c->pa.x[2] - c->pb.x[2]};
    for (int step = 0; step < 20000; ++step) {
        double w[2][3], d[3];
        for (int s = 0; s < 2; ++s) { /* of a the furthest against v, of b the furthest along it */
            const carom_shape *const shape = s == 0 ? &c->a : &c->b;
            double far = -HUGE_VAL;
            for (int k = 0; k < shape->columns; ++k) {
                double x[3];
                to_world(s == 0 ? &c->pa : &c->pb, shape->table + 3 * k, x);
                const double reach = (s == 0 ? -1.0 : 1.0) * dot(v, x);
                if (reach > far) {
                    far = reach;
                    memcpy(w[s], x, sizeof x);
                }
            }
        }
        for (int i = 0; i < 3; ++i) {
            d[i] = w[0][i] - w[1][i] - v[i];
        }
        const double t = fmin(1.0, fmax(0.0, -dot(v, d) / dot(d, d)));
        for (int i = 0; i < 3; ++i) {
            v[i] += t * d[i];
        }
    }
    return sqrt(dot(v, v));
}

/* The least gap is the distance, proven: two points of the bodies at that distance, and a plane between them; or the
 * depth, proven as far as directions can be tried. */
START_TEST(the_least_gap_is_the_distance)
{
    static couple c;
    for (int k = 0; k < 1500; ++k) {
        carom_touch t[CAROM_TOUCH_MAX];
        draw_couple(&c, between(0.2, 1.4));
        const int n = collide(&c.a, &c.pa, &c.b, &c.pb, 5.0, t);
        ck_assert_int_ge(n, 1);
        const double gap = least(t, n);
        if (gap > 0.05 && n > 1 && k % 4 == 0) {
            near(descent(&c), gap, 2e-3);
        }
        for (int i = 0; i < n; ++i) {
            const double along = apart_along(&c.a, &c.pa, &c.b, &c.pb, t[i].normal);
            ck_assert(along <= gap + 1e-9);
            if (t[i].gap <= gap + 1e-12) {
                near(along, gap,
                     n == 1 ? 1e-6 : 0.06 * (c.h[0].radius + c.h[1].radius)); /* faces stand in within 3 degrees */
            }
            for (int side = 0; side < 2; ++side) {
                double x[3];
                for (int m = 0; m < 3; ++m) {
                    x[m] = t[i].at[m] + (side == 0 ? 0.5 : -0.5) * t[i].gap * t[i].normal[m];
                }
                near(fmax(0.0, outside(side == 0 ? &c.a : &c.b, side == 0 ? &c.pa : &c.pb, x)), 0.0,
                     gap > 0.0 ? 1e-6 + 0.06 * gap : 1e-6 + 0.02 * fabs(gap));
            }
        }
        for (int j = 0; j < 2000 && gap < 0.0; ++j) {
            const double z = 1.0 - (2.0 * j + 1.0) / 2000.0, rho = sqrt(1.0 - z * z), phi = 2.399963229728653 * j;
            const double u[3] = {rho * cos(phi), rho * sin(phi), z};
            ck_assert(apart_along(&c.a, &c.pa, &c.b, &c.pb, u) <= gap + 2e-6);
        }
    }
}
END_TEST

/* Exchanged, the normals turn round; moved together, everything moves along. */
START_TEST(exchange_and_rotation)
{
    static couple c;
    for (int k = 0; k < 1000; ++k) {
        carom_touch t[CAROM_TOUCH_MAX], u[CAROM_TOUCH_MAX], v[CAROM_TOUCH_MAX];
        double q[4];
        draw_couple(&c, between(0.4, 1.2));
        random_turn(q);
        const carom_pose move = pose(&plain, uniform(), uniform(), uniform(), q);
        carom_pose qa, qb;
        for (int i = 0; i < 9; ++i) {
            const double *const row = move.R + 3 * (i / 3);
            const int j = i % 3;
            qa.R[i] = row[0] * c.pa.R[j] + row[1] * c.pa.R[3 + j] + row[2] * c.pa.R[6 + j];
            qb.R[i] = row[0] * c.pb.R[j] + row[1] * c.pb.R[3 + j] + row[2] * c.pb.R[6 + j];
        }
        to_world(&move, c.pa.x, qa.x);
        to_world(&move, c.pb.x, qb.x);
        const int n = collide(&c.a, &c.pa, &c.b, &c.pb, 2.0, t), m = collide(&c.b, &c.pb, &c.a, &c.pa, 2.0, u),
                  l = collide(&c.a, &qa, &c.b, &qb, 2.0, v);
        near(least(t, n), least(u, m), 1e-9);
        if (n == 1 && m == 1) {
            for (int i = 0; i < 3; ++i) {
                u[0].normal[i] = -u[0].normal[i];
            }
            find(t, n, &u[0], 1e-8);
        }
        ck_assert_int_eq(n, l);
        for (int i = 0; i < n; ++i) {
            carom_touch w = t[i];
            to_world(&move, t[i].at, w.at);
            for (int j = 0; j < 3; ++j) {
                w.normal[j] = dot(move.R + 3 * j, t[i].normal);
            }
            find(v, l, &w, 1e-7);
            ck_assert_int_eq(v[i].feature, t[i].feature);
        }
    }
}
END_TEST

/* The rate of a slot's gap is its change along a motion of both bodies. */
START_TEST(gradients)
{
    static couple c;
    int tried = 0;
    for (int k = 0; k < 600; ++k) {
        double in[CAROM_GEOMETRY_IN + CAROM_GEOMETRY_MOTION] = {0}, out[3][CAROM_GEOMETRY_OUT * CAROM_TOUCH_MAX],
                                      rate[CAROM_GEOMETRY_OUT * CAROM_TOUCH_MAX], spin[2][3];
        draw_couple(&c, between(0.5, 1.2));
        const carom_couple of = {CAROM_POLYHEDRON,
                                 CAROM_POLYHEDRON,
                                 {{c.a.columns, c.a.rows, c.a.table}, {c.b.columns, c.b.rows, c.b.table}}};
        const carom_pose *const p[2] = {&c.pa, &c.pb};
        for (int s = 0; s < 2; ++s) {
            in[9 * s] = s == 0 ? c.a.size[0] : c.b.size[0];
            in[9 * s + 8] = 1.0;
            memcpy(in + 18 + 12 * s, p[s]->x, sizeof p[s]->x);
            memcpy(in + 18 + 12 * s + 3, p[s]->R, sizeof p[s]->R);
            for (int i = 0; i < 3; ++i) {
                in[CAROM_GEOMETRY_IN + 12 * s + i] = uniform();
                spin[s][i] = uniform();
            }
            for (int col = 0; col < 3; ++col) {
                const double axis[3] = {p[s]->R[col], p[s]->R[3 + col], p[s]->R[6 + col]};
                double turned[3];
                cross(spin[s], axis, turned);
                for (int i = 0; i < 3; ++i) {
                    in[CAROM_GEOMETRY_IN + 12 * s + 3 + 3 * i + col] = turned[i];
                }
            }
        }
        const int slots = carom_slot_rates(&of, in, rate);
        const double h = 1e-6;
        for (int s = 0; s < 3; ++s) {
            double there[CAROM_GEOMETRY_IN];
            for (int i = 0; i < CAROM_GEOMETRY_IN; ++i) {
                there[i] = in[i] + (i < 18 ? 0.0 : (s - 1) * h * in[CAROM_GEOMETRY_IN + i - 18]);
            }
            ck_assert_int_eq(carom_slots(&of, there, out[s]), slots);
        }
        if (out[1][CAROM_GEOMETRY_OUT] < 100.0) {
            continue; /* several touches: they may change places */
        }
        const double before = (out[1][0] - out[0][0]) / h, after = (out[2][0] - out[1][0]) / h;
        if (fabs(after - before) < 1e-3) { /* else at the end of a feature */
            near(rate[0], 0.5 * (before + after), 1e-4);
            ++tried;
        }
    }
    ck_assert_int_ge(tried, 300);
}
END_TEST

/* The least gap changes no faster than the bodies move. */
START_TEST(continuity)
{
    static couple c;
    for (int k = 0; k < 100; ++k) {
        double before = 0.0;
        const double spin[3] = {uniform(), uniform(), uniform()};
        draw_couple(&c, between(0.5, 1.1));
        for (int step = 0; step < 100; ++step) {
            double q[4];
            carom_touch t[CAROM_TOUCH_MAX];
            about(spin[0], spin[1], spin[2], 1e-3 * step, q);
            const carom_pose pa = pose(&c.a, c.pa.x[0], c.pa.x[1], c.pa.x[2], q);
            const double now = least(t, collide(&c.a, &pa, &c.b, &c.pb, 5.0, t));
            if (step > 0) {
                near(now, before, 0.7e-3);
            }
            before = now;
        }
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("polyhedra");
    tcase_set_timeout(cases, 60.0);
    tcase_add_test(cases, spheres_on_a_cube);
    tcase_add_test(cases, a_tetrahedron_on_planes_and_faces);
    tcase_add_test(cases, a_prism_stands_on_eight_points);
    tcase_add_test(cases, a_capsule_lies_on_a_face);
    tcase_add_test(cases, bricks_are_boxes);
    tcase_add_test(cases, the_least_gap_is_the_distance);
    tcase_add_test(cases, exchange_and_rotation);
    tcase_add_test(cases, gradients);
    tcase_add_test(cases, continuity);
    return run_suite("polyhedra", cases);
}
