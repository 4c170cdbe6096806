/* A face and what is clipped to it: see polyhedron.h. */
#include "polyhedron.h"

int carom_looks(const carom_body *s, const double n[3])
{
    double own[3] = {n[0], n[1], n[2]};
    int looks = 0;
    if (s->R != 0) {
        carom_turned_back(s->R, n, own);
    }
    for (int f = 1; f < s->faces; ++f) {
        looks = carom_dot(s->normal + 3 * f, own) < carom_dot(s->normal + 3 * looks, own) - TINY ? f : looks;
    }
    return looks;
}

/* What looks at a direction most: a face, or all of a body without faces. */
static void incident(const carom_body *s, int of, const double n[3], carom_patch *p)
{
    p->count = 0;
    if (s->faces == 0) {
        for (int c = 0; c < s->corners; ++c) {
            p->v[p->count++] = (struct carom_vertex){(short)carom_corner_feature(of, c), 0};
        }
    } else {
        const int looks = carom_looks(s, n);
        for (int k = 0; k < carom_sides(s, looks); ++k) {
            p->v[p->count++] = (struct carom_vertex){(short)carom_corner_feature(of, carom_side(s, looks, k, 0)),
                                                     (short)carom_side(s, looks, k, 1)};
        }
    }
    for (int k = 0; k < p->count; ++k) {
        const double *const x = s->corner + 3 * (p->v[k].feature - carom_corner_feature(of, 0));
        p->x[k][0] = x[0];
        p->x[k][1] = x[1];
        p->x[k][2] = x[2];
    }
}

/* A point that is looked at while it is clipped, and how far it is beyond. */
typedef struct {
    double x[3], beyond;
    struct carom_vertex v;
} point;

static point point_of(const carom_patch *p, int k, const double at[3], const double out[3])
{
    point here = {.x = {p->x[k][0], p->x[k][1], p->x[k][2]}, .v = p->v[k]};
    double d[3];
    carom_minus(here.x, at, d);
    here.beyond = carom_dot(out, d);
    return here;
}

/* Which features meet where side `mine` of a face crosses the edge that leaves a point. */
static int crossing(const carom_body *own, const carom_patch *p, int side, int edge)
{
    const int sides = carom_sides(own, p->face), mine = carom_side(own, p->face, side, 1);
    if (edge >= 0) {
        return p->of == 0 ? carom_edge_feature(mine, edge) : carom_edge_feature(edge, mine);
    }
    const int other = -1 - edge, later = (other + 1) % sides == side ? side : other; /* two sides: their corner */
    return carom_corner_feature(p->of, carom_side(own, p->face, later, 0));
}

/* Cuts off what is beyond one side of the face, whose outward direction is `out`. A point beyond it by rounding stays
 * what it is. Two points are a segment, not a polygon. In place: what has been written is never more than one point
 * ahead of what has been read. */
static void clip(const carom_meeting *m, carom_patch *p, int side, const double at[3], const double out[3])
{
    const double rounding = TINY * m->size;
    const int n = p->count, turns = n > 2 ? n : n - 1;
    const point first = point_of(p, 0, at, out);
    point here = first;
    p->count = 0;
    for (int k = 0; k < n; ++k) {
        const point next = k + 1 < n ? point_of(p, k + 1, at, out) : first;
        const int stays = here.beyond <= rounding;
        if (stays) {
            carom_keep(p, here.x, here.v);
        }
        if (k < turns && stays != (next.beyond <= rounding) && p->count < SIDES) {
            const double s = carom_clamp(here.beyond / (here.beyond - next.beyond), 0.0, 1.0);
            double cut[3];
            for (int i = 0; i < 3; ++i) {
                cut[i] = here.x[i] + s * (next.x[i] - here.x[i]);
            }
            const int edge = stays && n > 2 ? -1 - side : here.v.edge;
            const int feature = crossing(&m->of[p->of], p, side, here.v.edge);
            carom_keep(p, cut, (struct carom_vertex){(short)feature, (short)edge});
        }
        here = next;
    }
}

/* What is above the face of body `of` that looks along n most, from b to a, towards the other; returns the cosine.
 * Nothing where that is below COSINE. */
static double lay(const carom_meeting *m, int of, const double n[3], carom_patch *p)
{
    const carom_body *const own = &m->of[of];
    double cosine = -1.0;
    p->of = of;
    p->face = 0;
    p->count = 0;
    p->least = HUGE_VAL;
    for (int f = 0; f < own->faces; ++f) {
        double normal[3];
        carom_normal(own, f, normal);
        const double dot = of == 1 ? carom_dot(normal, n) : -carom_dot(normal, n);
        p->face = dot > cosine + TOUCHING ? f : p->face;
        cosine = dot > cosine + TOUCHING ? dot : cosine;
    }
    if (cosine < COSINE) {
        return cosine;
    }
    carom_normal(own, p->face, p->up);
    for (int k = 0; k < 3; ++k) {
        p->foot[k] = carom_side_at(own, p->face, 0)[k];
    }
    incident(&m->of[1 - of], 1 - of, p->up, p);
    for (int k = 0; k < carom_sides(own, p->face) && p->count > 0; ++k) {
        const double *const at = carom_side_at(own, p->face, k), *const to = carom_side_at(own, p->face, k + 1);
        double e[3], out[3];
        carom_minus(to, at, e);
        carom_cross(e, p->up, out);
        const double length = carom_length(out);
        for (int i = 0; i < 3; ++i) {
            out[i] /= length;
        }
        clip(m, p, k, at, out);
    }
    for (int k = 0; k < p->count; ++k) {
        p->least = fmin(p->least, carom_height(p, k));
    }
    return cosine;
}

int carom_lies_on(const carom_meeting *m, int of, const double n[3], double gap)
{
    carom_patch p;
    (void)lay(m, of, n, &p);
    return p.count > 0 && p.least <= gap + TINY * m->size;
}

/* The points of a patch, the least gap of them being `least`. */
static void add_patch(const carom_meeting *m, const carom_pose *pb, carom_patch *p, double least, carom_touches *t)
{
    carom_thin(p, t->room);
    for (int k = 0; k < p->count; ++k) {
        const double height = carom_height(p, k), gap = height - p->least + least, sign = p->of == 1 ? 1.0 : -1.0;
        double n[3], surface[3];
        for (int i = 0; i < 3; ++i) {
            n[i] = sign * p->up[i];
        }
        carom_along(p->x[k], -0.5 * height, p->up, surface); /* half way, */
        carom_along(surface, -0.5 * gap, n, surface);
        carom_touch_add_in(t, pb, surface, n, gap - m->radius, p->v[k].feature);
    }
}

int carom_lay(const carom_meeting *m, const carom_pose *pb, const double n[3], double gap, carom_touches *t)
{
    carom_patch p;
    for (int of = 0; of < 2; ++of) {
        if (lay(m, of, n, &p) >= COSINE && p.count > 0 && fabs(p.least - gap) <= ALIKE * fabs(gap) + TINY * m->size) {
            add_patch(m, pb, &p, gap, t);
            return 1;
        }
    }
    return 0;
}
