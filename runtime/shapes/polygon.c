/*
 * Convex polygons in the plane z = 0, which their frames are turned in: corners, anticlockwise, and sides between
 * them, from one corner (a point) or two (a segment, with a side each way).
 *
 * Normals of sides tell how deep two of them are in each other; apart, the nearest points do. What touches is always a
 * corner of one over a side of the other, whose normal it has: that gap is exact, and so is its rate. Where two sides
 * face each other there are two, one at each end of what they share. Only corners that are nearest to each other touch
 * with a direction of their own, and alone.
 */
#include "vector.h"

#define TOUCHING 1e-9 /* below this distance, relative to the size, a direction is noise */

enum { CORNERS = CAROM_CORNERS_MAX };

static double radius(const double size[3]) { return sqrt(size[0] * size[0] + size[1] * size[1]); }

static double reach(const double size[3], const double row[3])
{
    (void)row;
    return radius(size);
}

const carom_kind carom_kind_polygon = {radius, reach, {[CAROM_POLYGON] = {carom_polygon_polygon, 2, 0}}};

/* A polygon where it is: side k leads from corner k to the next, n is out of it. */
typedef struct {
    const carom_shape *shape;
    const carom_pose *pose;
    int corners, sides;
    double n[CORNERS][2], radius;
} outline;

/* A corner over a side: s from 0 to 1 along it, height above it. */
typedef struct {
    int of, corner, side; /* corner of outline `of`, side of the other one (-1: over its corner `over`) */
    int over;
    double s, height, n[2]; /* n: from the other one to the corner */
} meeting;

static int next(const outline *p, int k) { return k + 1 < p->corners ? k + 1 : 0; }

static double along(const double a[2], const double b[2], const double n[2])
{
    return n[0] * (b[0] - a[0]) + n[1] * (b[1] - a[1]);
}

static void corner(const outline *o, int k, double x[2])
{
    const carom_shape *const s = o->shape;
    const carom_pose *const p = o->pose;
    const double u = s->kind == CAROM_POLYGON ? s->size[0] * s->table[2 * k] : 0.0,
                 v = s->kind == CAROM_POLYGON ? s->size[1] * s->table[2 * k + 1] : 0.0;
    x[0] = p->x[0] + (p->R[0] * u + p->R[1] * v);
    x[1] = p->x[1] + (p->R[3] * u + p->R[4] * v);
}

static void place(const carom_shape *s, const carom_pose *p, outline *out)
{
    out->shape = s;
    out->pose = p;
    out->corners = s->kind == CAROM_POLYGON ? s->columns : 1;
    out->sides = out->corners > 1 ? out->corners : 0;
    out->radius = s->kind == CAROM_POLYGON ? 0.0 : s->size[0];
    for (int k = 0; k < out->sides; ++k) {
        double a[2], b[2];
        corner(out, k, a);
        corner(out, next(out, k), b);
        const double dx = b[0] - a[0], dy = b[1] - a[1];
        const double length = sqrt(dx * dx + dy * dy);
        out->n[k][0] = dy / length;
        out->n[k][1] = -dx / length;
    }
}

/* A corner over a side, beyond its ends too. */
static meeting over_side(const outline both[2], int of, int k, int side)
{
    const outline *const other = &both[1 - of];
    double p[2], q[2], c[2];
    corner(other, side, p);
    corner(other, next(other, side), q);
    corner(&both[of], k, c);
    const double dx = q[0] - p[0], dy = q[1] - p[1];
    meeting m = {.of = of, .corner = k, .side = side, .n = {other->n[side][0], other->n[side][1]}};
    m.s = (dx * (c[0] - p[0]) + dy * (c[1] - p[1])) / (dx * dx + dy * dy);
    m.height = along(p, c, m.n);
    return m;
}

/* The side that separates most, or that they are least deep in, and the corner that is deepest below it. */
static meeting deepest(const outline both[2], double size)
{
    meeting best = {.height = -HUGE_VAL};
    for (int of = 0; of < 2; ++of) {
        for (int side = 0; side < both[1 - of].sides; ++side) {
            meeting low = over_side(both, of, 0, side);
            for (int c = 1; c < both[of].corners; ++c) {
                const meeting m = over_side(both, of, c, side);
                low = m.height < low.height ? m : low;
            }
            best = low.height > best.height + TOUCHING * size ? low : best;
        }
    }
    return best;
}

/* The nearest points of two that are apart. */
static meeting nearest(const outline both[2], double size)
{
    meeting best = {.height = HUGE_VAL};
    for (int of = 0; of < 2; ++of) {
        for (int c = 0; c < both[of].corners; ++c) {
            for (int side = 0; side < both[1 - of].sides; ++side) {
                meeting m = over_side(both, of, c, side);
                if (m.s < 0.0 || m.s > 1.0) { /* the nearest point is a corner */
                    const outline *const other = &both[1 - of];
                    m.over = m.s < 0.0 ? side : next(other, side);
                    m.side = -1;
                    double a[2], b[2];
                    corner(&both[of], c, a);
                    corner(other, m.over, b);
                    const double dx = a[0] - b[0], dy = a[1] - b[1];
                    m.height = sqrt(dx * dx + dy * dy);
                    m.n[0] = dx / m.height;
                    m.n[1] = dy / m.height;
                } else if (m.height < 0.0) { /* behind a side */
                    continue;
                }
                best = m.height < best.height - TOUCHING * size ? m : best;
            }
        }
    }
    return best;
}

static void add(const carom_pose *pb, const outline both[2], const meeting *m, carom_touches *t)
{
    const double sign = m->of == 0 ? 1.0 : -1.0, n[3] = {sign * m->n[0], sign * m->n[1], 0.0};
    const double core = m->of == 0 ? m->height : 0.0; /* from the corner to the core of b, against n */
    double surface[3] = {0.0, 0.0, pb->x[2]};
    corner(&both[m->of], m->corner, surface);
    carom_along(surface, both[1].radius - core, n, surface);
    carom_touch_add(t, surface, n, m->height - both[0].radius - both[1].radius,
                    m->side < 0 ? (2 + m->corner) * CORNERS + m->over : m->of * CORNERS + m->corner);
}

/* The side of the corner of a meeting that looks at the side below it; -1 where none does. */
static int facing(const outline *own, const meeting *m)
{
    const int before = m->corner > 0 ? m->corner - 1 : own->corners - 1;
    if (own->sides == 0) {
        return -1;
    }
    const double one = own->n[before][0] * m->n[0] + own->n[before][1] * m->n[1],
                 two = own->n[m->corner][0] * m->n[0] + own->n[m->corner][1] * m->n[1];
    return fmin(one, two) < 0.0 ? (one < two ? before : m->corner) : -1;
}

/* Where two sides face each other: at each end the corner that is inside, of own where they are level. */
static void ends(const outline both[2], const meeting *m, int side, const carom_pose *pb, carom_touches *t)
{
    const outline *const own = &both[m->of], *const below = &both[1 - m->of];
    meeting end[2] = {over_side(both, m->of, next(own, side), m->side), over_side(both, m->of, side, m->side)};
    if (end[0].s > end[1].s) { /* deep in each other, at an angle */
        const meeting swap = end[0];
        end[0] = end[1];
        end[1] = swap;
    }
    if (end[0].s > 1.0 || end[1].s < 0.0) {
        add(pb, both, m, t);
        return;
    }
    if (end[0].s < 0.0) {
        end[0] = over_side(both, 1 - m->of, m->side, side);
    }
    if (end[1].s > 1.0) {
        end[1] = over_side(both, 1 - m->of, next(below, m->side), side);
    }
    for (int k = 0; k < 2; ++k) {
        if (end[k].s >= -TOUCHING && end[k].s <= 1.0 + TOUCHING) {
            add(pb, both, &end[k], t);
        }
    }
}

void carom_polygon_polygon(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                           carom_touches *t)
{
    outline both[2];
    place(a, pa, &both[0]);
    place(b, pb, &both[1]);
    const double size = fmin(carom_shape_radius(a), carom_shape_radius(b));
    meeting m = deepest(both, size);
    if (m.height > TOUCHING * size) {
        m = nearest(both, size);
    }
    const int side = m.side < 0 ? -1 : facing(&both[m.of], &m);
    if (side < 0) {
        add(pb, both, &m, t);
    } else {
        ends(both, &m, side, pb, t);
    }
}

void carom_sphere_polygon(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                          carom_touches *t)
{
    carom_polygon_polygon(a, pa, b, pb, t);
    for (int k = 0; k < t->count; ++k) { /* one at most, which goes on from corners to sides */
        t->out[k].feature = 0;
    }
}
