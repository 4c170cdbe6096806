/* A face and what is clipped to it: see polyhedron.h. */
#include "polyhedron.h"

/* What looks at a direction most: a face, or all of a body without faces. */
static void incident(const carom_body *s, int of, const double n[3], carom_patch *p)
{
    p->count = 0;
    if (s->faces == 0) {
        for (int c = 0; c < s->corners; ++c) {
            p->v[p->count++] = (struct carom_vertex){.feature = carom_corner_feature(of, c), .edge = 0};
        }
    } else {
        int looks = 0;
        for (int f = 1; f < s->faces; ++f) {
            looks = carom_dot(s->normal + 3 * f, n) < carom_dot(s->normal + 3 * looks, n) - TINY ? f : looks;
        }
        for (int k = 0; k < carom_sides(s, looks); ++k) {
            p->v[p->count++] = (struct carom_vertex){.feature = carom_corner_feature(of, carom_side(s, looks, k, 0)),
                                                     .edge = carom_side(s, looks, k, 1)};
        }
    }
    for (int k = 0; k < p->count; ++k) {
        const double *const x = s->corner + 3 * (p->v[k].feature - carom_corner_feature(of, 0));
        p->v[k].x[0] = x[0];
        p->v[k].x[1] = x[1];
        p->v[k].x[2] = x[2];
    }
}

/* Cuts off what is beyond one side of the face, whose outward direction is `out`. A point beyond it by rounding stays
 * what it is. Two points are a segment, not a polygon. */
static void clip(const carom_meeting *m, carom_patch *p, int side, const double at[3], const double out[3])
{
    const carom_body *const own = &m->of[p->of];
    const int n = p->count, sides = carom_sides(own, p->face), mine = carom_side(own, p->face, side, 1);
    const int turns = n == 2 ? 1 : n;
    struct carom_vertex in[SIDES];
    double beyond[SIDES];
    for (int k = 0; k < n; ++k) {
        double d[3];
        in[k] = p->v[k];
        carom_minus(in[k].x, at, d);
        beyond[k] = carom_dot(out, d) - TINY * m->size;
    }
    p->count = 0;
    for (int k = 0; k < n; ++k) {
        const int next = (k + 1) % n;
        if (beyond[k] <= 0.0) {
            p->v[p->count++] = in[k];
        }
        if (k < turns && n > 1 && (beyond[k] <= 0.0) != (beyond[next] <= 0.0)) {
            const double dp = beyond[k] + TINY * m->size, dq = beyond[next] + TINY * m->size;
            const double s = carom_clamp(dp / (dp - dq), 0.0, 1.0);
            struct carom_vertex *const cut = &p->v[p->count++];
            for (int i = 0; i < 3; ++i) {
                cut->x[i] = in[k].x[i] + s * (in[next].x[i] - in[k].x[i]);
            }
            cut->w = in[k].w + s * (in[next].w - in[k].w);
            if (in[k].edge >= 0) {
                cut->feature = p->of == 0 ? carom_edge_feature(mine, in[k].edge) : carom_edge_feature(in[k].edge, mine);
            } else { /* two sides of the face: their corner */
                const int other = -1 - in[k].edge, later = (other + 1) % sides == side ? side : other;
                cut->feature = carom_corner_feature(p->of, carom_side(own, p->face, later, 0));
            }
            cut->edge = beyond[k] <= 0.0 && n > 2 ? -1 - side : in[k].edge;
        }
    }
}

/* Twice the area that a point adds to a polygon. */
static double worth(const carom_patch *p, int k)
{
    double d[3], e[3], c[3];
    carom_minus(p->v[(k + p->count - 1) % p->count].x, p->v[k].x, d);
    carom_minus(p->v[(k + 1) % p->count].x, p->v[k].x, e);
    carom_cross(d, e, c);
    return carom_length(c);
}

void carom_thin(carom_patch *p, int room)
{
    while (p->count > room && p->count > 1) {
        int deepest = 0, least = -1;
        for (int k = 1; k < p->count; ++k) {
            deepest = p->v[k].w < p->v[deepest].w ? k : deepest;
        }
        for (int k = 0; k < p->count; ++k) {
            if (k != deepest && (least < 0 || worth(p, k) < worth(p, least))) {
                least = k;
            }
        }
        for (int k = least; k < p->count - 1; ++k) {
            p->v[k] = p->v[k + 1];
        }
        --p->count;
    }
}

double carom_lay(const carom_meeting *m, int of, const double n[3], carom_patch *p)
{
    const carom_body *const own = &m->of[of];
    double cosine = -1.0;
    p->of = of;
    p->face = 0;
    p->count = 0;
    p->least = HUGE_VAL;
    for (int f = 0; f < own->faces; ++f) {
        const double dot = carom_dot(own->normal + 3 * f, n);
        p->face = dot > cosine + TOUCHING ? f : p->face;
        cosine = dot > cosine + TOUCHING ? dot : cosine;
    }
    if (cosine < COSINE) {
        return cosine;
    }
    const double *const up = own->normal + 3 * p->face;
    incident(&m->of[1 - of], 1 - of, up, p);
    for (int k = 0; k < p->count; ++k) {
        double d[3];
        carom_minus(p->v[k].x, carom_side_at(own, p->face, 0), d);
        p->v[k].w = carom_dot(up, d);
    }
    for (int k = 0; k < carom_sides(own, p->face) && p->count > 0; ++k) {
        const double *const at = carom_side_at(own, p->face, k), *const to = carom_side_at(own, p->face, k + 1);
        double e[3], out[3];
        carom_minus(to, at, e);
        carom_cross(e, up, out);
        const double length = carom_length(out);
        for (int i = 0; i < 3; ++i) {
            out[i] /= length;
        }
        clip(m, p, k, at, out);
    }
    for (int k = 0; k < p->count; ++k) {
        p->least = fmin(p->least, p->v[k].w);
    }
    return cosine;
}
