/*
 * Convex polyhedra, and what touches them: spheres and capsules (a point and a segment with a radius), boxes, each
 * other, planes. What touches is described in the frame of the polyhedron b that is touched.
 *
 * Normals of faces, and products of edges that make a face of the difference of the two bodies (their arcs cross on the
 * sphere of normals), tell how far apart or how deep in each other they are. Then, as with boxes (box.c):
 *
 *   a face touches     what looks at it most is clipped to it: a polygon, of which at most 8 points are kept
 *   edges touch        the nearest points of two edges
 *   apart, otherwise   the nearest points; corners that are about as near are taken along
 *
 * Where a face fits nearly as well as what touches (3 degrees, 1 % of the gap) it is taken, first of a, then of b, so
 * that bodies at rest keep their points and normals; the least gap stays what it is.
 */
#include "polyhedron.h"

static double radius(const double size[3]) { return size[0]; }

static double reach(const double size[3], const double row[3])
{
    (void)row;
    return size[0];
}

const carom_kind carom_kind_polyhedron = {radius,
                                          reach,
                                          {[CAROM_PLANE] = {carom_polyhedron_plane, 8, 0},
                                           [CAROM_HEIGHTFIELD] = {carom_polyhedron_heightfield, 8, 0},
                                           [CAROM_POLYHEDRON] = {carom_polyhedron_polyhedron, 8, 0}}};

/* The table of a box with half lengths 1: see collide.h. */
static const double brick[] = {
    /* corners */
    -1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1,
    /* normals */
    -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1,
    /* edges: corners at the ends, faces to the left and to the right */
    0, 1, 2, 4, 2, 3, 4, 3, 4, 5, 5, 2, 6, 7, 3, 5, 0, 2, 4, 0, 1, 3, 1, 4, 4, 6, 0, 5, 5, 7, 5, 1, 0, 4, 0, 2, 1, 5, 2,
    1, 2, 6, 3, 0, 3, 7, 1, 3,
    /* faces: how many sides, and where the first is */
    4, 0, 4, 4, 4, 8, 4, 12, 4, 16, 4, 20,
    /* sides: a corner and the edge to the next */
    0, 8, 4, 6, 6, 10, 2, 4, 1, 5, 3, 11, 7, 7, 5, 9, 0, 0, 1, 9, 5, 2, 4, 8, 2, 10, 6, 3, 7, 11, 3, 1, 0, 4, 2, 1, 3,
    5, 1, 0, 4, 2, 5, 7, 7, 3, 6, 6};

/* A body that was moved: its corners and normals. */
typedef struct {
    double corner[3 * CORNERS], normal[3 * FACES];
} moved;

static carom_body body_of(int corners, int faces, const double *table)
{
    carom_body s = {corners, faces, corners + faces - 2, table, 0, 0, 0, 0}; /* Euler */
    s.normal = s.corner + 3 * s.corners;
    s.edge = s.normal + 3 * s.faces;
    s.face = s.edge + 4 * s.edges;
    s.side = s.face + 2 * s.faces;
    return s;
}

/* A body of another frame in that of b, its corners stretched along its axes. */
static void move(carom_body *s, const carom_pose *own, const double stretch[3], const carom_pose *b, moved *m)
{
    for (int k = 0; k < s->corners; ++k) {
        double here[3], there[3];
        for (int i = 0; i < 3; ++i) {
            here[i] = stretch[i] * s->corner[3 * k + i];
        }
        carom_out_of(own, here, there);
        carom_into(b, there, m->corner + 3 * k);
    }
    for (int k = 0; k < s->faces; ++k) {
        double there[3];
        carom_turned(own->R, s->normal + 3 * k, there);
        carom_turned_back(b->R, there, m->normal + 3 * k);
    }
    s->corner = m->corner;
    s->normal = m->normal;
}

static int edge_part(const carom_body *s, int edge, int part) { return (int)s->edge[4 * edge + part]; }

static const double *edge_from(const carom_body *s, int edge, double along[3])
{
    const double *const p = s->corner + 3 * edge_part(s, edge, 0), *const q = s->corner + 3 * edge_part(s, edge, 1);
    carom_minus(q, p, along);
    return p;
}

/* The point on b, the direction from b to a. */
typedef struct {
    double on_b[3], n[3], gap;
    int feature;
} touch;

/* ---- axes -------------------------------------------------------------------------------------------------------- */

typedef struct {
    double apart, n[3]; /* how far apart (negative: how deep in each other) along n, from b to a */
    int kind;           /* 0 face of a, 1 face of b, 2 edges */
    int i, j;           /* face; or edges of a and b */
} separation;

/* How far the corners of a body are from the plane of a face of the other. */
static double above(const carom_body *s, const double n[3], const double foot[3])
{
    double least = HUGE_VAL;
    for (int k = 0; k < s->corners; ++k) {
        double d[3];
        carom_minus(s->corner + 3 * k, foot, d);
        least = fmin(least, carom_dot(n, d));
    }
    return least;
}

static void consider_faces(const carom_meeting *m, int of, separation *best)
{
    const carom_body *const own = &m->of[of], *const other = &m->of[1 - of];
    for (int f = 0; f < own->faces; ++f) {
        const double *const n = own->normal + 3 * f, apart = above(other, n, carom_side_at(own, f, 0));
        if (apart > best->apart + TOUCHING * m->size) {
            *best = (separation){.apart = apart, .kind = of, .i = f};
            for (int k = 0; k < 3; ++k) {
                best->n[k] = of == 1 ? n[k] : -n[k];
            }
        }
    }
}

/* A product of edges must be better than a face by more than rounding, or it may be square to that face and its edges
 * far from each other. */
static void consider_edges(const carom_meeting *m, separation *best)
{
    const carom_body *const a = &m->of[0], *const b = &m->of[1];
    for (int i = 0; i < a->edges; ++i) {
        double d[3];
        const double *const p = edge_from(a, i, d), *left = 0, *right = 0;
        if (a->faces > 0) {
            left = a->normal + 3 * edge_part(a, i, 2);
            right = a->normal + 3 * edge_part(a, i, 3);
        }
        for (int j = 0; j < b->edges; ++j) {
            double e[3], l[3], w[3];
            const double *const q = edge_from(b, j, e), *const one = b->normal + 3 * edge_part(b, j, 2),
                                *const two = b->normal + 3 * edge_part(b, j, 3);
            const double first = carom_dot(one, d), second = carom_dot(two, d);
            if (first * second >= 0.0) {
                continue;
            }
            if (left != 0) { /* do the arcs of normals, of a turned round, cross? left x right is along an edge */
                const double third = carom_dot(left, e), fourth = carom_dot(right, e);
                if (third * fourth >= 0.0 || first * fourth >= 0.0) {
                    continue;
                }
            }
            carom_cross(d, e, l);
            const double length = carom_length(l);
            if (length <= TINY * carom_length(d) * carom_length(e)) {
                continue;
            }
            const double sign = carom_dot(l, one) + carom_dot(l, two) < 0.0 ? -1.0 : 1.0;
            carom_minus(p, q, w);
            const double apart = sign * carom_dot(l, w) / length;
            if (apart > best->apart + TINY * m->size) {
                *best = (separation){.apart = apart, .kind = 2, .i = i, .j = j};
                for (int k = 0; k < 3; ++k) {
                    best->n[k] = sign * l[k] / length;
                }
            }
        }
    }
}

/* ---- the nearest points of bodies that are apart ----------------------------------------------------------------- */

/* The point x against a body: where on it the nearest point is, and its distance. */
static double to_body(const carom_body *s, const double x[3], double on[3])
{
    double best = HUGE_VAL;
    for (int f = 0; f < s->faces; ++f) { /* above a face */
        const double *const n = s->normal + 3 * f;
        double d[3];
        carom_minus(x, carom_side_at(s, f, 0), d);
        const double height = carom_dot(n, d);
        int over = height > 0.0 && height < best;
        for (int k = 0; k < carom_sides(s, f) && over; ++k) {
            const double *const p = carom_side_at(s, f, k), *const q = carom_side_at(s, f, k + 1);
            double e[3], w[3], out[3];
            carom_minus(q, p, e);
            carom_minus(x, p, w);
            carom_cross(e, n, out);
            over = carom_dot(out, w) <= 0.0;
        }
        if (over) {
            best = height;
            carom_along(x, -height, n, on);
        }
    }
    for (int k = 0; k < s->edges; ++k) {
        double e[3], d[3], at[3];
        const double *const p = edge_from(s, k, e);
        carom_minus(x, p, d);
        carom_along(p, carom_clamp(carom_dot(d, e) / carom_dot(e, e), 0.0, 1.0), e, at);
        carom_minus(x, at, d);
        const double distance = carom_length(d);
        if (distance < best) {
            best = distance;
            for (int i = 0; i < 3; ++i) {
                on[i] = at[i];
            }
        }
    }
    return best;
}

static touch corner_touch(const carom_meeting *m, int of, int c)
{
    touch t;
    double on[3];
    const double *const x = m->of[of].corner + 3 * c;
    t.gap = to_body(&m->of[1 - of], x, on);
    carom_minus(of == 0 ? x : on, of == 0 ? on : x, t.n);
    for (int k = 0; k < 3; ++k) {
        t.n[k] = t.gap > 0.0 ? t.n[k] / t.gap : 0.0;
        t.on_b[k] = of == 0 ? on[k] : x[k];
    }
    t.feature = carom_corner_feature(of, c);
    return t;
}

static touch edge_touch(const carom_meeting *m, int i, int j)
{
    touch t;
    double d[3], e[3], s, r, on_a[3];
    const double *const p = edge_from(&m->of[0], i, d), *const q = edge_from(&m->of[1], j, e);
    t.gap = carom_segments(p, d, q, e, &s, &r);
    carom_along(p, s, d, on_a);
    carom_along(q, r, e, t.on_b);
    carom_minus(on_a, t.on_b, t.n);
    for (int k = 0; k < 3; ++k) {
        t.n[k] = t.gap > 0.0 ? t.n[k] / t.gap : 0.0;
    }
    t.feature = carom_edge_feature(i, j);
    return t;
}

/* How far along n an edge or a corner (the same twice) of each body reaches to the other: no points of theirs are
 * nearer than the difference. */
static double low(const carom_body *s, const double n[3], int from, int to)
{
    return fmin(carom_dot(n, s->corner + 3 * from), carom_dot(n, s->corner + 3 * to));
}

static double high(const carom_body *s, const double n[3], int from, int to)
{
    return fmax(carom_dot(n, s->corner + 3 * from), carom_dot(n, s->corner + 3 * to));
}

/* Up to which gap touches stand for the same. */
static double alike(const carom_meeting *m, double gap) { return gap + ALIKE * (gap + m->radius) + TINY * m->size; }

/* The nearest points; corner[] gets the touches of corners that can be as near. Edges count only where no corner is as
 * near: then they cross. */
static touch nearest(const carom_meeting *m, const double n[3], touch corner[2 * CORNERS], int *corners)
{
    const carom_body *const a = &m->of[0], *const b = &m->of[1];
    touch best = {.gap = HUGE_VAL};
    double front[2] = {HUGE_VAL, -HUGE_VAL}; /* how far each body reaches towards the other */
    for (int k = 0; k < a->corners; ++k) {
        front[0] = fmin(front[0], low(a, n, k, k));
    }
    for (int k = 0; k < b->corners; ++k) {
        front[1] = fmax(front[1], high(b, n, k, k));
    }
    *corners = 0;
    for (int of = 0; of < (a->faces > 0 ? 2 : 1); ++of) { /* corners of b under a segment are met by edges */
        for (int c = 0; c < m->of[of].corners; ++c) {
            const double bound = of == 0 ? low(a, n, c, c) - front[1] : front[0] - high(b, n, c, c);
            if (bound <= alike(m, best.gap)) {
                corner[*corners] = corner_touch(m, of, c);
                best = corner[*corners].gap < best.gap ? corner[*corners] : best;
                ++*corners;
            }
        }
    }
    for (int i = 0; i < a->edges; ++i) {
        const double lowest = low(a, n, edge_part(a, i, 0), edge_part(a, i, 1));
        for (int j = 0; j < b->edges && lowest - front[1] < best.gap; ++j) {
            if (lowest - high(b, n, edge_part(b, j, 0), edge_part(b, j, 1)) < best.gap) {
                const touch t = edge_touch(m, i, j);
                best = t.gap < best.gap - TOUCHING * m->size ? t : best;
            }
        }
    }
    return best;
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

/* The points of a patch, the least gap of them being `least`. */
static void add_patch(const carom_meeting *m, const carom_pose *pb, carom_patch *p, double least, carom_touches *t)
{
    const double *const up = m->of[p->of].normal + 3 * p->face;
    carom_thin(p, t->room);
    for (int k = 0; k < p->count; ++k) {
        const struct carom_vertex *const v = &p->v[k];
        const double gap = v->w - p->least + least, sign = p->of == 1 ? 1.0 : -1.0;
        double n[3], surface[3];
        for (int i = 0; i < 3; ++i) {
            n[i] = sign * up[i];
        }
        carom_along(v->x, -0.5 * v->w, up, surface); /* half way, */
        carom_along(surface, -0.5 * gap, n, surface);
        carom_touch_add_in(t, pb, surface, n, gap - m->radius, v->feature);
    }
}

/* What touches along a separation that is the depth. */
static touch deepest(const carom_meeting *m, const separation *s)
{
    touch t = {.gap = s->apart};
    if (s->kind == 2) {
        t = edge_touch(m, s->i, s->j);
    } else { /* the corner of the other body that is furthest in */
        const int of = 1 - s->kind;
        const carom_body *const other = &m->of[of];
        const double sign = of == 0 ? 1.0 : -1.0;
        int c = 0;
        for (int k = 1; k < other->corners; ++k) {
            c = sign * carom_dot(s->n, other->corner + 3 * k) < sign * carom_dot(s->n, other->corner + 3 * c) ? k : c;
        }
        carom_along(other->corner + 3 * c, of == 0 ? -s->apart : 0.0, s->n, t.on_b);
        t.feature = carom_corner_feature(of, c);
    }
    t.gap = s->apart;
    for (int k = 0; k < 3; ++k) {
        t.n[k] = s->n[k];
    }
    return t;
}

static void meet(const carom_meeting *m, const carom_pose *pb, carom_touches *t)
{
    separation best = {.apart = -HUGE_VAL};
    consider_faces(m, 0, &best);
    consider_faces(m, 1, &best);
    if (best.apart - m->radius > t->margin) {
        return;
    }
    consider_edges(m, &best);
    if (best.apart - m->radius > t->margin) {
        return;
    }
    touch one, corner[2 * CORNERS];
    int corners = 0;
    carom_patch p;
    const double back[3] = {-best.n[0], -best.n[1], -best.n[2]};
    int on_face = 0;
    if (best.kind < 2) {
        (void)carom_lay(m, best.kind, best.kind == 1 ? best.n : back, &p);
        on_face = p.count > 0 && p.least <= best.apart + TINY * m->size;
    }
    const int clear = !on_face && best.apart > TOUCHING * m->size;
    one = clear ? nearest(m, best.n, corner, &corners) : deepest(m, &best);
    for (int of = 0; of < 2; ++of) { /* a face that will do, first of a; the best one again at last */
        const double towards[3] = {-one.n[0], -one.n[1], -one.n[2]};
        if (carom_lay(m, of, of == 1 ? one.n : towards, &p) >= COSINE && p.count > 0 &&
            fabs(p.least - one.gap) <= ALIKE * fabs(one.gap) + TINY * m->size) {
            add_patch(m, pb, &p, one.gap, t);
            return;
        }
    }
    for (int k = 0; k < corners; ++k) {
        double d[3];
        carom_minus(corner[k].on_b, one.on_b, d);
        if (corner[k].gap <= alike(m, one.gap) && carom_length(d) > TINY * m->size &&
            carom_dot(corner[k].n, one.n) >= COSINE) {
            carom_touch_add_in(t, pb, corner[k].on_b, corner[k].n, corner[k].gap - m->radius, corner[k].feature);
        }
    }
    carom_touch_add_in(t, pb, one.on_b, one.n, one.gap - m->radius, one.feature);
}

static carom_body of_shape(const carom_shape *s) { return body_of(s->columns, s->rows, s->table); }

static const double as_it_is[3] = {1.0, 1.0, 1.0};

/* Without its radius a sphere is a point, a capsule a segment. */
static void round_polyhedron(const double *corner, int corners, const carom_shape *a, const carom_pose *pa,
                             const carom_shape *b, const carom_pose *pb, carom_touches *t)
{
    static const double edge[4] = {0.0, 1.0, 0.0, 0.0};
    moved place;
    carom_meeting m = {{{corners, 0, corners - 1, corner, 0, edge, 0, 0}, of_shape(b)}, b->size[0], a->size[0]};
    move(&m.of[0], pa, as_it_is, pb, &place);
    meet(&m, pb, t);
}

void carom_sphere_polyhedron(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                             carom_touches *t)
{
    const double middle[3] = {0.0, 0.0, 0.0};
    round_polyhedron(middle, 1, a, pa, b, pb, t);
}

void carom_capsule_polyhedron(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                              carom_touches *t)
{
    const double ends[6] = {0.0, 0.0, -a->size[1], 0.0, 0.0, a->size[1]};
    round_polyhedron(ends, 2, a, pa, b, pb, t);
}

void carom_box_polyhedron(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                          carom_touches *t)
{
    moved place;
    carom_meeting m = {{body_of(8, 6, brick), of_shape(b)}, fmin(carom_length(a->size), b->size[0]), 0.0};
    move(&m.of[0], pa, a->size, pb, &place);
    meet(&m, pb, t);
}

void carom_polyhedron_polyhedron(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                                 carom_touches *t)
{
    moved place;
    carom_meeting m = {{of_shape(a), of_shape(b)}, fmin(a->size[0], b->size[0]), 0.0};
    move(&m.of[0], pa, as_it_is, pb, &place);
    meet(&m, pb, t);
}

/* Its corners; of a face with many that lies on the plane those that span most. */
void carom_polyhedron_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                            carom_touches *t)
{
    const carom_body own = of_shape(a);
    double n[3], up[3];
    int face = 0;
    (void)b;
    carom_axis(pb, 2, n);
    carom_turned_back(pa->R, n, up);
    for (int f = 1; f < own.faces; ++f) {
        face = carom_dot(own.normal + 3 * f, up) < carom_dot(own.normal + 3 * face, up) - TINY ? f : face;
    }
    const int sides = carom_sides(&own, face);
    if (carom_dot(own.normal + 3 * face, up) > -COSINE || sides <= t->room) {
        for (int k = 0; k < own.corners; ++k) {
            carom_ball_on_plane(pa, own.corner + 3 * k, 0.0, pb, k, t);
        }
        return;
    }
    carom_patch p = {.count = sides, .least = HUGE_VAL};
    for (int k = 0; k < sides; ++k) {
        const int c = carom_side(&own, face, k, 0);
        const double *const x = own.corner + 3 * c;
        p.v[k] = (struct carom_vertex){.x = {x[0], x[1], x[2]}, .w = carom_dot(x, up), .feature = c};
        p.least = fmin(p.least, p.v[k].w);
    }
    carom_thin(&p, t->room);
    for (int k = 0; k < p.count; ++k) {
        carom_ball_on_plane(pa, p.v[k].x, 0.0, pb, p.v[k].feature, t);
    }
}
