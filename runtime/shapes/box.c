/*
 * Two boxes. The fifteen axes (faces of a, faces of b, products of edges) tell how far apart or how deep in each other
 * they are.
 *
 *   a face touches     the other box's face that looks at it most is clipped to its rectangle: a polygon of at most 8
 *                      points
 *   edges touch        the nearest points of two edges
 *   apart, otherwise   the nearest points of the boxes; corners that are about as near are taken along
 *
 * A point of the polygon is a corner of one box or the crossing of an edge of each, whichever box is clipped: that is
 * the feature. Where a face fits nearly as well as what touches (3 degrees, 1 % of the gap) the face is taken, first of
 * a, then of b, so that boxes at rest keep their points and normals; the least gap stays what it is.
 */
#include "vector.h"

#define COSINE 0.99875 /* of about 3 degrees */
#define ALIKE 0.01     /* relative difference of two gaps that stand for the same */
#define TINY 1e-6      /* the same, relative to the size of the boxes */
#define TOUCHING 1e-9  /* below this distance, relative to the size, a direction is noise */

static double radius(const double size[3]) { return sqrt(carom_dot(size, size)); }

static double reach(const double size[3], const double row[3])
{
    return fabs(row[0]) * size[0] + fabs(row[1]) * size[1] + fabs(row[2]) * size[2];
}

const carom_kind carom_kind_box = {radius,
                                   reach,
                                   {[CAROM_BOX] = {carom_box_box, 8, 0},
                                    [CAROM_PLANE] = {carom_box_plane, 8, 1},
                                    [CAROM_HEIGHTFIELD] = {carom_box_heightfield, 8, 1},
                                    [CAROM_POLYHEDRON] = {carom_box_polyhedron, 8, 0}}};

/* Features: corner c of a is c, of b 8 + c; the crossing of edges i of a and j of b is 16 + 12 i + j. */
typedef struct {
    const double *half;
    const carom_pose *pose;
} box;

/* Number of the edge along axis k where the coordinates of corner c hold otherwise. */
static int edge_of(int k, int c)
{
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    return 4 * k + (c >> u & 1) + 2 * (c >> v & 1);
}

/* The corner at the lower end of an edge. */
static int foot_of(int edge)
{
    const int k = edge / 4, u = (k + 1) % 3, v = (k + 2) % 3;
    return (edge & 1) << u | (edge >> 1 & 1) << v;
}

static void place(const box *b, int corner, double out[3])
{
    double c[3];
    carom_corner(b->half, corner, c);
    carom_out_of(b->pose, c, out);
}

/* The two nearest points, on a and on b, and the direction from b to a. */
typedef struct {
    double on_b[3], n[3], gap;
    int feature;
} touch;

/* ---- a face and what is clipped to it ---------------------------------------------------------------------------- */

typedef struct {
    double x[2], w; /* in the plane of the face, height above it */
    int feature;    /* of the other box's corner, or of both boxes' edges, or of a corner below */
    int edge;       /* that leads to the next point: of the other box, or 12 + side of the rectangle */
} vertex;

typedef struct {
    const box *own, *other;
    int axis, own_is_a;
    double sign, n[3]; /* outward normal, in space */
    vertex v[12];
    int count;
    double least; /* gap */
} face;

/* Sides of the rectangle: 0 and 2 bound the first coordinate above and below, 1 and 3 the second. */
static int corner_of(const face *f, int side, int other)
{
    const int first = (side & 1) == 0 ? side : other, second = (side & 1) == 0 ? other : side;
    const int u = (f->axis + 1) % 3, v = (f->axis + 2) % 3;
    return (f->sign > 0.0) << f->axis | (first < 2) << u | (second < 2) << v;
}

static int feature_of(const face *f, int side, int edge)
{
    if (edge >= 12) {
        return (f->own_is_a ? 0 : 8) + corner_of(f, side, edge - 12);
    }
    const int along = (side & 1) == 0 ? (f->axis + 2) % 3 : (f->axis + 1) % 3;
    const int mine = edge_of(along, corner_of(f, side, (side + 1) % 4));
    return 16 + (f->own_is_a ? 12 * mine + edge : 12 * edge + mine);
}

/* Cuts off what is beyond one side. A point beyond it by rounding stays what it is. In place: what has been written is
 * never more than one point ahead of what has been read. */
static void clip(face *f, int side, double half, double tolerance)
{
    const int k = side & 1, n = f->count;
    const double sign = side < 2 ? 1.0 : -1.0;
    const vertex first = f->v[0];
    vertex p = first;
    f->count = 0;
    for (int i = 0; i < n; ++i) {
        const vertex q = i + 1 < n ? f->v[i + 1] : first;
        const double dp = sign * p.x[k] - half, dq = sign * q.x[k] - half;
        const int stays = dp <= tolerance, next_stays = dq <= tolerance;
        if (stays) {
            f->v[f->count++] = p;
        }
        if (stays != next_stays) {
            const double s = carom_clamp(dp / (dp - dq), 0.0, 1.0);
            vertex *cut = &f->v[f->count++];
            cut->x[k] = sign * half;
            cut->x[1 - k] = p.x[1 - k] + s * (q.x[1 - k] - p.x[1 - k]);
            cut->w = p.w + s * (q.w - p.w);
            cut->feature = feature_of(f, side, p.edge);
            cut->edge = stays ? 12 + side : p.edge;
        }
        p = q;
    }
}

/* Fills in the points above the face `axis` of own, on the side where the other box is. */
static void clip_face(face *f, const box *own, const box *other, int own_is_a, int axis, double sign, double tolerance)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double back[3], turned[3];
    int looks = 0;
    f->own = own;
    f->other = other;
    f->own_is_a = own_is_a;
    f->axis = axis;
    f->sign = sign;
    carom_axis(own->pose, axis, f->n);
    for (int i = 0; i < 3; ++i) {
        f->n[i] *= sign;
        turned[i] = -f->n[i];
    }
    carom_turned_back(other->pose->R, turned, back);
    for (int i = 1; i < 3; ++i) {
        looks = fabs(back[i]) > fabs(back[looks]) + TINY ? i : looks;
    }
    const int p = (looks + 1) % 3, q = (looks + 2) % 3;
    const int high = (back[looks] > 0.0) << looks;
    const int around[4] = {high, high | 1 << p, high | 1 << p | 1 << q, high | 1 << q};
    f->count = 4;
    for (int i = 0; i < 4; ++i) {
        double there[3], here[3];
        place(other, around[i], there);
        carom_into(own->pose, there, here);
        f->v[i].x[0] = here[u];
        f->v[i].x[1] = here[v];
        f->v[i].w = sign * here[axis] - own->half[axis];
        f->v[i].feature = (own_is_a ? 8 : 0) + around[i];
        f->v[i].edge = edge_of((i & 1) == 0 ? p : q, around[i]);
    }
    for (int side = 0; side < 4 && f->count > 0; ++side) {
        clip(f, side, own->half[(side & 1) == 0 ? u : v], tolerance);
    }
    f->least = HUGE_VAL;
    for (int i = 0; i < f->count; ++i) {
        f->least = fmin(f->least, f->v[i].w);
    }
}

/* The points of a face, the least gap of them being `least`. */
static void add_face(const face *f, double least, carom_touches *t)
{
    const int u = (f->axis + 1) % 3, v = (f->axis + 2) % 3;
    double n[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = f->own_is_a ? -f->n[i] : f->n[i];
    }
    for (int i = 0; i < f->count; ++i) {
        double here[3], there[3];
        here[f->axis] = f->sign * f->own->half[f->axis];
        here[u] = carom_clamp(f->v[i].x[0], -f->own->half[u], f->own->half[u]);
        here[v] = carom_clamp(f->v[i].x[1], -f->own->half[v], f->own->half[v]);
        carom_out_of(f->own->pose, here, there);
        const double gap = f->v[i].w - f->least + least;
        carom_along(there, 0.5 * f->v[i].w, f->n, there);
        carom_along(there, -0.5 * gap, n, there);
        carom_touch_add(t, there, n, gap, f->v[i].feature);
    }
}

/* ---- the nearest points of boxes that are apart ------------------------------------------------------------------ */

static void edge_segment(const box *b, int edge, double from[3], double along[3])
{
    place(b, foot_of(edge), from);
    carom_axis(b->pose, edge / 4, along);
    for (int i = 0; i < 3; ++i) {
        along[i] *= 2.0 * b->half[edge / 4];
    }
}

/* Corner c of one box against the other. */
static touch corner_touch(const box *a, const box *b, int of_a, int c)
{
    touch t;
    double there[3], here[3], foot[3], on[3];
    const box *other = of_a ? b : a;
    place(of_a ? a : b, c, there);
    carom_into(other->pose, there, here);
    for (int i = 0; i < 3; ++i) {
        foot[i] = carom_clamp(here[i], -other->half[i], other->half[i]);
    }
    carom_out_of(other->pose, foot, on);
    carom_minus(of_a ? there : on, of_a ? on : there, t.n);
    t.gap = carom_length(t.n);
    for (int i = 0; i < 3; ++i) {
        t.n[i] = t.gap > 0.0 ? t.n[i] / t.gap : 0.0;
        t.on_b[i] = of_a ? on[i] : there[i];
    }
    t.feature = (of_a ? 0 : 8) + c;
    return t;
}

static touch edge_touch(const box *a, const box *b, int i, int j)
{
    touch t;
    double p[3], d[3], q[3], e[3], s, r, on_a[3];
    edge_segment(a, i, p, d);
    edge_segment(b, j, q, e);
    t.gap = carom_segments(p, d, q, e, &s, &r);
    carom_along(p, s, d, on_a);
    carom_along(q, r, e, t.on_b);
    carom_minus(on_a, t.on_b, t.n);
    for (int k = 0; k < 3; ++k) {
        t.n[k] = t.gap > 0.0 ? t.n[k] / t.gap : 0.0;
    }
    t.feature = 16 + 12 * i + j;
    return t;
}

/* gap[] gets those of the sixteen corners. Edges count only where no corner is as near: then they cross. */
static touch nearest(const box *a, const box *b, double gap[16], double tolerance)
{
    touch best = {.gap = HUGE_VAL};
    for (int k = 0; k < 16; ++k) {
        const touch t = corner_touch(a, b, k < 8, k & 7);
        gap[k] = t.gap;
        best = t.gap < best.gap ? t : best;
    }
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) {
            const touch t = edge_touch(a, b, i, j);
            best = t.gap < best.gap - tolerance ? t : best;
        }
    }
    return best;
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* Which axis is best and by how much the boxes are apart along it (negative: depth). */
typedef struct {
    double apart, n[3]; /* from b to a, in space */
    int kind;           /* 0 face of a, 1 face of b, 2 edges */
    int i, j;           /* its axis; or edges along axes i of a and j of b */
} separation;

/* For one axis l of any length > 0, given in the frame of a. */
static void consider(separation *best, const box *a, const box *b, const double C[9], const double d[3],
                     const double l[3], int kind, int i, int j, double handicap)
{
    const double length = carom_length(l), along = carom_dot(l, d); /* d from b to a */
    double reach = 0.0;
    for (int k = 0; k < 3; ++k) {
        reach += fabs(l[k]) * a->half[k] + fabs(l[0] * C[k] + l[1] * C[3 + k] + l[2] * C[6 + k]) * b->half[k];
    }
    const double apart = (fabs(along) - reach) / length;
    if (apart > best->apart + handicap) {
        double unit[3];
        for (int k = 0; k < 3; ++k) {
            unit[k] = (along < 0.0 ? -l[k] : l[k]) / length;
        }
        best->apart = apart;
        best->kind = kind;
        best->i = i;
        best->j = j;
        carom_turned(a->pose->R, unit, best->n);
    }
}

/* Is corner c of a box one of those that reach furthest along n, up to rounding? */
static int reaches(const double n[3], int c)
{
    for (int k = 0; k < 3; ++k) {
        if ((c >> k & 1) != 0 ? n[k] < -TINY : n[k] > TINY) {
            return 0;
        }
    }
    return 1;
}

/* The touch of two edges that cross and are in each other, along the axis found. Where that axis is square to a face
 * several edges reach as far: those count that are nearest to each other. */
static touch crossing(const box *a, const box *b, const separation *s)
{
    touch best = {.gap = HUGE_VAL};
    double na[3], nb[3];
    carom_turned_back(a->pose->R, s->n, na);
    carom_turned_back(b->pose->R, s->n, nb);
    for (int k = 0; k < 3; ++k) {
        na[k] = -na[k]; /* a reaches towards b */
    }
    for (int k = 0; k < 64; ++k) {
        const int i = k >> 3, j = k & 7;
        if ((i >> s->i & 1) == 0 && (j >> s->j & 1) == 0 && reaches(na, i | (na[s->i] > 0.0) << s->i) &&
            reaches(nb, j | (nb[s->j] > 0.0) << s->j)) {
            const touch t = edge_touch(a, b, edge_of(s->i, i), edge_of(s->j, j));
            best = t.gap < best.gap ? t : best;
        }
    }
    best.gap = s->apart;
    for (int k = 0; k < 3; ++k) {
        best.n[k] = s->n[k];
    }
    return best;
}

/* Does this face serve for what touches along n at this gap? */
static int serves(const face *f, const double n[3], double gap, double size)
{
    const double cosine = f->own_is_a ? -carom_dot(f->n, n) : carom_dot(f->n, n);
    return f->count > 0 && cosine >= COSINE && fabs(f->least - gap) <= ALIKE * fabs(gap) + TINY * size;
}

/* The deepest corner along a face's normal, for a polygon that rounding left empty. */
static touch deepest_corner(const box *a, const box *b, const separation *s)
{
    touch t = {.n = {s->n[0], s->n[1], s->n[2]}, .gap = s->apart};
    const int of_a = s->kind == 1;
    double n[3];
    int c = 0;
    carom_turned_back(of_a ? a->pose->R : b->pose->R, s->n, n);
    for (int k = 0; k < 3; ++k) {
        c |= (of_a ? n[k] < 0.0 : n[k] > 0.0) << k;
    }
    place(of_a ? a : b, c, t.on_b);
    carom_along(t.on_b, of_a ? -t.gap : 0.0, t.n, t.on_b);
    t.feature = (of_a ? 0 : 8) + c;
    return t;
}

/* The best faces of a and of b, and the best of all axes; a product of edges must be better than a face by more than
 * rounding, or it may be square to that face and its edges far from each other. Returns 0 when the boxes are further
 * apart than the margin. */
static int separate(const box *a, const box *b, double size, double margin, separation of[2], separation *best)
{
    double C[9], d[3], way[3];
    carom_minus(a->pose->x, b->pose->x, way);
    carom_turned_back(a->pose->R, way, d);
    for (int i = 0; i < 3; ++i) {
        double axis[3], turned[3];
        carom_axis(b->pose, i, axis);
        carom_turned_back(a->pose->R, axis, turned);
        for (int k = 0; k < 3; ++k) {
            C[3 * k + i] = turned[k];
        }
    }
    of[0].apart = of[1].apart = -HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        const double mine[3] = {i == 0, i == 1, i == 2}, theirs[3] = {C[i], C[3 + i], C[6 + i]};
        consider(&of[0], a, b, C, d, mine, 0, i, 0, TINY * size);
        consider(&of[1], a, b, C, d, theirs, 1, i, 0, TINY * size);
    }
    *best = of[1].apart > of[0].apart + TOUCHING * size ? of[1] : of[0];
    for (int k = 0; k < 9 && best->apart <= margin; ++k) {
        const int i = k / 3, j = k % 3;
        const double mine[3] = {i == 0, i == 1, i == 2}, theirs[3] = {C[j], C[3 + j], C[6 + j]};
        double l[3];
        carom_cross(mine, theirs, l);
        if (carom_dot(l, l) > 1e-12) {
            consider(best, a, b, C, d, l, 2, i, j, TINY * size);
        }
    }
    return best->apart <= margin;
}

void carom_box_box(const carom_shape *sa, const carom_pose *pa, const carom_shape *sb, const carom_pose *pb,
                   carom_touches *t)
{
    const box a = {sa->size, pa}, b = {sb->size, pb};
    const double size = fmin(carom_length(a.half), carom_length(b.half));
    separation of[2], best;
    if (!separate(&a, &b, size, t->margin, of, &best)) {
        return;
    }
    face f[2];
    for (int k = 0; k < 2; ++k) {
        f[k].count = 0;
        if (best.kind == k || best.apart > TOUCHING * size || carom_dot(of[k].n, best.n) >= COSINE) {
            double own[3];
            carom_turned_back(k == 0 ? pa->R : pb->R, of[k].n, own);
            const double outward = k == 0 ? -own[of[k].i] : own[of[k].i];
            clip_face(&f[k], k == 0 ? &a : &b, k == 0 ? &b : &a, k == 0, of[k].i, outward < 0.0 ? -1.0 : 1.0,
                      TINY * size);
        }
    }
    /* what touches, exactly */
    touch one;
    double gap[16]; /* of corners */
    const int on_face = best.kind < 2 && f[best.kind].count > 0 && f[best.kind].least <= best.apart + TINY * size;
    const int apart = !on_face && best.apart > TOUCHING * size;
    one = apart ? nearest(&a, &b, gap, TOUCHING * size)
                : (best.kind == 2 ? crossing(&a, &b, &best) : deepest_corner(&a, &b, &best));
    /* and a face that will do */
    for (int k = 0; k < 2; ++k) {
        if (serves(&f[k], one.n, one.gap, size)) {
            add_face(&f[k], one.gap, t);
            return;
        }
    }
    if (on_face) {
        add_face(&f[best.kind], one.gap, t);
        return;
    }
    for (int k = 0; k < 16 && apart; ++k) {
        if (k != one.feature && gap[k] <= (1.0 + ALIKE) * one.gap + TINY * size) {
            const touch corner = corner_touch(&a, &b, k < 8, k & 7);
            if (carom_dot(corner.n, one.n) >= COSINE) {
                carom_touch_add(t, corner.on_b, corner.n, corner.gap, corner.feature);
            }
        }
    }
    carom_touch_add(t, one.on_b, one.n, one.gap, one.feature);
}
