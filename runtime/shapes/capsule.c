/* Capsules. A capsule is a segment with a radius: the touches are
 * those of the segment, and where it lies along its partner there are two. */
#include "vector.h"

#define PARALLEL 0.05 /* sine of the angle, about 3 degrees */
#define ALIKE 0.01    /* relative difference of two gaps that stand for the same */
#define TINY 1e-6     /* the same, relative to the size of the shapes */
#define TOUCHING 1e-9 /* below this distance, relative to the size, a direction is noise */

static double radius(const double size[3]) { return size[0] + size[1]; }

static double reach(const double size[3], const double row[3]) { return size[0] + fabs(row[2]) * size[1]; }

const carom_kind carom_kind_capsule = {radius,
                                       reach,
                                       {[CAROM_BOX] = {carom_capsule_box, 3, 0},
                                        [CAROM_CAPSULE] = {carom_capsule_capsule, 3, 0},
                                        [CAROM_PLANE] = {carom_capsule_plane, 2, 1},
                                        [CAROM_HEIGHTFIELD] = {carom_capsule_heightfield, 6, 0},
                                        [CAROM_POLYHEDRON] = {carom_capsule_polyhedron, 3, 0}}};

double carom_segments(const double p[3], const double d[3], const double q[3], const double e[3], double *s, double *t)
{
    double w[3], x[3], y[3];
    carom_minus(p, q, w);
    const double dd = carom_dot(d, d), ee = carom_dot(e, e), de = carom_dot(d, e);
    const double dw = carom_dot(d, w), ew = carom_dot(e, w);
    const double det = dd * ee - de * de;
    double best = det > 1e-14 * dd * ee ? carom_clamp((de * ew - ee * dw) / det, 0.0, 1.0) : 0.5;
    double other = ee > 0.0 ? carom_clamp((de * best + ew) / ee, 0.0, 1.0) : 0.0;
    best = dd > 0.0 ? carom_clamp((de * other - dw) / dd, 0.0, 1.0) : 0.0;
    carom_along(p, best, d, x);
    carom_along(q, other, e, y);
    *s = best;
    *t = other;
    carom_minus(x, y, w);
    return carom_length(w);
}

/* Is a touch near this place in the list already? */
static int known(const carom_touches *t, const double at[3], double near)
{
    for (int k = 0; k < t->count; ++k) {
        double d[3];
        carom_minus(t->out[k].at, at, d);
        if (carom_length(d) <= near) {
            return 1;
        }
    }
    return 0;
}

/* The nearest points of the axes, and where these are parallel the ends of what they have in common: feature 0 is a
 * place between ends, 1 and 2 are ends of a, 3 and 4 of b. Crossing axes are pushed apart along their common
 * perpendicular. */
void carom_capsule_capsule(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                           carom_touches *t)
{
    const double ra = a->size[0], rb = b->size[0], ha = a->size[1], hb = b->size[1];
    double u[3], v[3], p[3], q[3], d[3], e[3], n[3], s, r, c[3];
    carom_axis(pa, 2, u);
    carom_axis(pb, 2, v);
    carom_along(pa->x, -ha, u, p);
    carom_along(pb->x, -hb, v, q);
    for (int i = 0; i < 3; ++i) {
        d[i] = 2.0 * ha * u[i];
        e[i] = 2.0 * hb * v[i];
    }
    carom_cross(u, v, c);
    const double sine = carom_length(c), size = ra + rb + ha + hb;
    if (sine < PARALLEL) {
        for (int k = 1; k <= 4; ++k) { /* an end of one whose foot is on the other */
            const int of_a = k <= 2;
            double end[3], foot[3], w[3];
            carom_along(of_a ? pa->x : pb->x, (k & 1) != 0 ? -(of_a ? ha : hb) : (of_a ? ha : hb), of_a ? u : v, end);
            carom_minus(end, of_a ? pb->x : pa->x, w);
            const double place = carom_dot(of_a ? v : u, w), half = of_a ? hb : ha;
            if (fabs(place) <= half + TINY * size) {
                carom_touch one;
                carom_touches alone = {&one, 0, 1, t->margin};
                carom_along(of_a ? pb->x : pa->x, carom_clamp(place, -half, half), of_a ? v : u, foot);
                carom_balls(of_a ? end : foot, ra, of_a ? foot : end, rb, k, &alone);
                if (alone.count == 1 && !known(t, one.at, 1e-3 * size)) {
                    carom_along(of_a ? foot : end, rb, one.normal, w);
                    carom_touch_add(t, w, one.normal, one.gap, k);
                }
            }
        }
    }
    const double distance = carom_segments(p, d, q, e, &s, &r);
    for (int k = 0; k < t->count; ++k) {
        if (t->out[k].gap <= distance - ra - rb + TINY * size) {
            return;
        }
    }
    double x[3], y[3], surface[3];
    carom_along(p, s, d, x);
    carom_along(q, r, e, y);
    if (distance > TOUCHING * size) {
        carom_balls(x, ra, y, rb, 0, t);
    } else {
        carom_minus(pa->x, pb->x, n);
        const double side = carom_dot(c, n) < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 3; ++i) {
            n[i] = sine > TOUCHING ? side * c[i] / sine : (i == 2 ? 1.0 : 0.0);
        }
        carom_along(y, rb, n, surface);
        carom_touch_add(t, surface, n, -ra - rb, 0);
    }
}

/* ---- capsule and box --------------------------------------------------------------------------------------------- */

/* The segment c + s u, |s| <= h, in the frame of the box, and what is known of it. */
typedef struct {
    const double *half;
    double c[3], u[3], h, size;
} segment;

typedef struct {
    double surface[3], n[3], gap; /* of the segment, without radius */
    int feature;
} candidate;

static void on_segment(const segment *g, double s, double out[3]) { carom_along(g->c, s, g->u, out); }

/* The part of the segment above face `axis` on the side `sign`: its ends (features 0 and 1), or where it crosses an
 * edge of the box (2 + number of the edge). */
static int over_face(const segment *g, int axis, double sign, candidate out[2])
{
    double from = -g->h, to = g->h;
    int low = 0, high = 1;
    for (int m = 1; m <= 2; ++m) {
        const int k = (axis + m) % 3;
        for (int side = -1; side <= 1; side += 2) { /* side (c + s u) <= half */
            const double rate = side * g->u[k], room = g->half[k] - side * g->c[k];
            const int edge = 2 + 8 * axis + 4 * (sign > 0.0) + 2 * (m - 1) + (side > 0);
            if (rate > 0.0 && to * rate > room + TINY * g->size) {
                to = room / rate;
                high = edge;
            } else if (rate < 0.0 && from * rate > room + TINY * g->size) {
                from = room / rate;
                low = edge;
            } else if (rate == 0.0 && room < -TINY * g->size) {
                return 0;
            }
        }
    }
    if (from > to) {
        return 0;
    }
    const int n = to - from > TINY * g->size ? 2 : 1;
    for (int k = 0; k < n; ++k) {
        double p[3];
        on_segment(g, k == 0 ? from : to, p);
        for (int i = 0; i < 3; ++i) {
            out[k].surface[i] = i == axis ? sign * g->half[i] : carom_clamp(p[i], -g->half[i], g->half[i]);
            out[k].n[i] = i == axis ? sign : 0.0;
        }
        out[k].gap = sign * p[axis] - g->half[axis];
        out[k].feature = k == 0 ? low : high;
    }
    return n;
}

/* Largest separation over the axes of a segment and a box, its direction away from the box. */
static double separation(const segment *g, double n[3])
{
    double best = -HUGE_VAL;
    for (int k = 0; k < 6; ++k) {
        double axis[3] = {k == 0, k == 1, k == 2};
        if (k >= 3) {
            const double e[3] = {k == 3, k == 4, k == 5};
            carom_cross(g->u, e, axis);
        }
        const double length = carom_length(axis);
        if (length > 1e-6) {
            const double along = carom_dot(axis, g->c), sign = along < 0.0 ? -1.0 : 1.0;
            const double reach = fabs(axis[0]) * g->half[0] + fabs(axis[1]) * g->half[1] + fabs(axis[2]) * g->half[2];
            const double s = (fabs(along) - reach - g->h * fabs(carom_dot(axis, g->u))) / length;
            if (s > best + (k < 3 ? 0.0 : TOUCHING * g->size)) {
                best = s;
                for (int i = 0; i < 3; ++i) {
                    n[i] = sign * axis[i] / length;
                }
            }
        }
    }
    return best;
}

/* The nearest points of a segment and a box that are apart: ends of the segment against the box, and against its
 * edges. */
static candidate nearest(const segment *g, candidate end[2])
{
    candidate best;
    double p[3], d[3];
    for (int k = 0; k < 2; ++k) {
        on_segment(g, k == 0 ? -g->h : g->h, p);
        end[k].gap = carom_box_distance(g->half, p, end[k].surface, end[k].n);
        end[k].feature = k;
    }
    best = end[0].gap <= end[1].gap ? end[0] : end[1];
    on_segment(g, -g->h, p);
    for (int i = 0; i < 3; ++i) {
        d[i] = 2.0 * g->h * g->u[i];
    }
    for (int k = 0; k < 12; ++k) {
        const int axis = k / 4, i = (axis + 1) % 3, j = (axis + 2) % 3;
        double q[3], e[3] = {0.0, 0.0, 0.0}, s, t;
        q[axis] = -g->half[axis];
        q[i] = (k & 1) != 0 ? g->half[i] : -g->half[i];
        q[j] = (k & 2) != 0 ? g->half[j] : -g->half[j];
        e[axis] = 2.0 * g->half[axis];
        const double distance = carom_segments(p, d, q, e, &s, &t);
        if (distance < best.gap - TOUCHING * g->size && distance > 0.0) {
            double x[3];
            carom_along(p, s, d, x);
            carom_along(q, t, e, best.surface);
            carom_minus(x, best.surface, best.n);
            for (int m = 0; m < 3; ++m) {
                best.n[m] /= distance;
            }
            best.gap = distance;
            best.feature = 32 + k;
        }
    }
    return best;
}

/* The touch of a segment that cuts the box, along the direction of least depth. */
static candidate deepest(const segment *g, const double n[3], double depth)
{
    candidate c;
    double p[3];
    const double slope = carom_dot(n, g->u);
    double s = slope > 0.0 ? -g->h : g->h;
    if (fabs(slope) < 1e-6) { /* an edge of the box crosses it: the foot of that edge */
        double q[3], e[3] = {0.0, 0.0, 0.0}, d[3], r;
        int along = 0;
        for (int i = 1; i < 3; ++i) {
            along = fabs(n[i]) < fabs(n[along]) ? i : along;
        }
        for (int i = 0; i < 3; ++i) {
            q[i] = i == along ? -g->half[i] : (n[i] < 0.0 ? -g->half[i] : g->half[i]);
            d[i] = 2.0 * g->h * g->u[i];
        }
        e[along] = 2.0 * g->half[along];
        on_segment(g, -g->h, p);
        (void)carom_segments(p, d, q, e, &s, &r);
        s = g->h * (2.0 * s - 1.0);
    }
    on_segment(g, s, p);
    for (int i = 0; i < 3; ++i) {
        c.n[i] = n[i];
        c.surface[i] = p[i] - depth * n[i];
    }
    c.gap = depth;
    c.feature = 44;
    return c;
}

void carom_capsule_box(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                       carom_touches *t)
{
    segment g = {.half = b->size, .h = a->size[1]};
    double axis[3], n[3];
    candidate end[2], face[2], best;
    carom_into(pb, pa->x, g.c);
    carom_axis(pa, 2, axis);
    carom_turned_back(pb->R, axis, g.u);
    g.size = fmax(fmax(b->size[0], b->size[1]), b->size[2]) + g.h;
    const double apart = separation(&g, n);
    if (apart - a->size[0] > t->margin) {
        return;
    }
    const int clear = apart > TOUCHING * g.size;
    best = clear ? nearest(&g, end) : deepest(&g, n, apart);
    for (int k = 0; k < 3; ++k) {
        if (fabs(best.n[k]) > sqrt(1.0 - PARALLEL * PARALLEL)) { /* a face serves as well */
            const int count = over_face(&g, k, best.n[k] < 0.0 ? -1.0 : 1.0, face);
            const double least = count == 0 ? HUGE_VAL : (count == 1 ? face[0].gap : fmin(face[0].gap, face[1].gap));
            if (fabs(least - best.gap) <= ALIKE * fabs(best.gap) + TINY * g.size) {
                for (int i = 0; i < count; ++i) {
                    const double gap = face[i].gap - least + best.gap;
                    carom_touch_add_in(t, pb, face[i].surface, face[i].n, gap - a->size[0], face[i].feature);
                }
                return;
            }
        }
    }
    for (int k = 0; k < 2 && clear; ++k) { /* along an edge of the box both ends may be near */
        if (end[k].feature != best.feature && end[k].gap <= best.gap + ALIKE * (best.gap + a->size[0]) &&
            carom_dot(end[k].n, best.n) > sqrt(1.0 - PARALLEL * PARALLEL)) {
            carom_touch_add_in(t, pb, end[k].surface, end[k].n, end[k].gap - a->size[0], end[k].feature);
        }
    }
    carom_touch_add_in(t, pb, best.surface, best.n, best.gap - a->size[0], best.feature);
}
