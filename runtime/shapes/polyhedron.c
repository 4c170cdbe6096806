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

/* A body that was moved: its corners, and how it is turned. */
typedef struct {
    double corner[3 * CORNERS], R[9];
} moved;

static carom_body body_of(int corners, int faces, const double *table)
{
    carom_body s = {corners, faces, corners + faces - 2, table, 0, 0, 0, 0, 0}; /* Euler */
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
    for (int k = 0; k < 3; ++k) {
        double axis[3], turned[3];
        carom_axis(own, k, axis);
        carom_turned_back(b->R, axis, turned);
        for (int i = 0; i < 3; ++i) {
            m->R[3 * i + k] = turned[i];
        }
    }
    s->corner = m->corner;
    s->R = m->R;
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
        double n[3];
        carom_normal(own, f, n);
        const double apart = above(other, n, carom_side_at(own, f, 0));
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
        double d[3], left[3], right[3];
        const double *const p = edge_from(a, i, d);
        if (a->faces > 0) {
            carom_normal(a, edge_part(a, i, 2), left);
            carom_normal(a, edge_part(a, i, 3), right);
        }
        for (int j = 0; j < b->edges; ++j) {
            double e[3], l[3], w[3];
            const double *const q = edge_from(b, j, e), *const one = b->normal + 3 * edge_part(b, j, 2),
                                *const two = b->normal + 3 * edge_part(b, j, 3);
            const double first = carom_dot(one, d), second = carom_dot(two, d);
            if (first * second >= 0.0) {
                continue;
            }
            if (a->faces > 0) { /* do the arcs of normals, of a turned round, cross? left x right is along an edge */
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
        double n[3], d[3];
        carom_normal(s, f, n);
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

/* How far each body reaches towards the other along n. */
static void fronts_of(const carom_meeting *m, const double n[3], double front[2])
{
    const carom_body *const a = &m->of[0], *const b = &m->of[1];
    front[0] = HUGE_VAL;
    front[1] = -HUGE_VAL;
    for (int k = 0; k < a->corners; ++k) {
        front[0] = fmin(front[0], low(a, n, k, k));
    }
    for (int k = 0; k < b->corners; ++k) {
        front[1] = fmax(front[1], high(b, n, k, k));
    }
}

/* The corners of both bodies that can be as near as `gap`, one after another: false behind the last. k: the first to
 * look at; corners of b under a segment are met by edges. */
static int next_corner(const carom_meeting *m, const double n[3], const double front[2], double gap, int *k)
{
    const int first = m->of[0].corners, count = first + (m->of[0].faces > 0 ? m->of[1].corners : 0);
    for (; *k < count; ++*k) {
        const int of = *k < first ? 0 : 1, c = *k - of * first;
        const double bound = of == 0 ? low(&m->of[0], n, c, c) - front[1] : front[0] - high(&m->of[1], n, c, c);
        if (bound <= alike(m, gap)) {
            return 1;
        }
    }
    return 0;
}

static touch touch_of(const carom_meeting *m, int k)
{
    const int first = m->of[0].corners;
    return corner_touch(m, k < first ? 0 : 1, k < first ? k : k - first);
}

/* The nearest points. Edges count only where no corner is as near: then they cross. */
static touch nearest(const carom_meeting *m, const double n[3], const double front[2])
{
    const carom_body *const a = &m->of[0], *const b = &m->of[1];
    touch best = {.gap = HUGE_VAL};
    for (int k = 0; next_corner(m, n, front, best.gap, &k); ++k) {
        const touch t = touch_of(m, k);
        best = t.gap < best.gap ? t : best;
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
    const int on_face = best.kind < 2 && carom_lies_on(m, best.kind, best.n, best.apart);
    const int clear = !on_face && best.apart > TOUCHING * m->size;
    double front[2];
    fronts_of(m, best.n, front);
    const touch one = clear ? nearest(m, best.n, front) : deepest(m, &best);
    if (carom_lay(m, pb, one.n, one.gap, t)) {
        return;
    }
    for (int k = 0; clear && next_corner(m, best.n, front, one.gap, &k); ++k) {
        const touch corner = touch_of(m, k);
        double d[3];
        carom_minus(corner.on_b, one.on_b, d);
        if (corner.gap <= alike(m, one.gap) && carom_length(d) > TINY * m->size &&
            carom_dot(corner.n, one.n) >= COSINE) {
            carom_touch_add_in(t, pb, corner.on_b, corner.n, corner.gap - m->radius, corner.feature);
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
    carom_meeting m = {{{corners, 0, corners - 1, corner, 0, edge, 0, 0, 0}, of_shape(b)}, b->size[0], a->size[0]};
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

/* ---- planes, and what is left of a patch ------------------------------------------------------------------------ */

/* Twice the area that a point adds to a polygon. */
static double worth(const carom_patch *p, int k)
{
    double d[3], e[3], c[3];
    carom_minus(p->x[(k + p->count - 1) % p->count], p->x[k], d);
    carom_minus(p->x[(k + 1) % p->count], p->x[k], e);
    carom_cross(d, e, c);
    return carom_length(c);
}

void carom_thin(carom_patch *p, int room)
{
    while (p->count > room && p->count > 1) {
        int deepest = 0, least = -1;
        for (int k = 1; k < p->count; ++k) {
            deepest = carom_height(p, k) < carom_height(p, deepest) ? k : deepest;
        }
        for (int k = 0; k < p->count; ++k) {
            if (k != deepest && (least < 0 || worth(p, k) < worth(p, least))) {
                least = k;
            }
        }
        const int count = p->count;
        p->count = least;
        for (int k = least + 1; k < count; ++k) {
            carom_keep(p, p->x[k], p->v[k]);
        }
    }
}

/* Its corners; of a face with many that lies on the plane those that span most. */
void carom_polyhedron_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                            carom_touches *t)
{
    const carom_body own = of_shape(a);
    double n[3], up[3];
    (void)b;
    carom_axis(pb, 2, n);
    carom_turned_back(pa->R, n, up);
    const int face = carom_looks(&own, up), sides = carom_sides(&own, face);
    if (carom_dot(own.normal + 3 * face, up) > -COSINE || sides <= t->room) {
        for (int k = 0; k < own.corners; ++k) {
            carom_ball_on_plane(pa, own.corner + 3 * k, 0.0, pb, k, t);
        }
        return;
    }
    carom_patch p = {.count = sides, .up = {up[0], up[1], up[2]}};
    for (int k = 0; k < sides; ++k) {
        const int c = carom_side(&own, face, k, 0);
        for (int i = 0; i < 3; ++i) {
            p.x[k][i] = own.corner[3 * c + i];
        }
        p.v[k] = (struct carom_vertex){(short)c, 0};
    }
    carom_thin(&p, t->room);
    for (int k = 0; k < p.count; ++k) {
        carom_ball_on_plane(pa, p.x[k], 0.0, pb, p.v[k].feature, t);
    }
}
