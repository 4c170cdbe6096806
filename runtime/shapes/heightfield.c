/*
 * Heightfields: a sphere touches where its centre's distance to the surface has a local minimum. That is inside a
 * triangle; on an edge when both triangles fall away from it, seen from the centre; on a vertex when all its edges do.
 * An edge between two triangles of one plane is never such a place (but for rounding, when it is the foot of the
 * perpendicular), so a ball rolls over a flat field as over a plane.
 *
 * A capsule touches with its two end balls and with convex edges and vertices between them; boxes and polyhedra
 * with their corners.
 * What is below the surface is pushed to its nearest point.
 */
#include "vector.h"

#define ROUNDING 1e-9

const carom_kind carom_kind_heightfield = {0};

typedef struct {
    const double *height;
    int columns, rows;
    double dx, dy, cell;
} field;

typedef struct {
    double at[3], n[3], distance; /* point of the surface, direction out of it, signed */
    int feature;
} foot;

typedef struct {
    foot list[CAROM_TOUCH_MAX];
    int count;
} feet;

static field field_of(const carom_shape *s)
{
    const field f = {s->table, s->columns, s->rows, s->size[0], s->size[1], fmin(s->size[0], s->size[1])};
    return f;
}

static int inside(const field *f, int i, int j) { return i >= 0 && j >= 0 && i < f->columns && j < f->rows; }

static void vertex_at(const field *f, int i, int j, double out[3])
{
    out[0] = i * f->dx;
    out[1] = j * f->dy;
    out[2] = f->height[j * f->columns + i];
}

/* Features of vertex (i, j): 0 itself, 1 its edge along x, 2 along y, 3 the diagonal, 4 and 5 the triangles below and
 * above it. */
static int number(const field *f, int i, int j, int what) { return 6 * (j * f->columns + i) + what; }

/* The six neighbours of a vertex: its edges 1, 2 and 3 lead to the first three. */
static const int around[6][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 0}, {0, -1}, {-1, -1}};
/* of the triangles at an edge */
static const int third[3][2][2] = {{{1, 1}, {0, -1}}, {{1, 1}, {-1, 0}}, {{1, 0}, {0, 1}}};

/* Normal of the triangle below (what = 4) or above (5) the diagonal of cell (i, j); returns its first vertex in p. */
static void triangle(const field *f, int i, int j, int what, double p[3], double n[3])
{
    double q[3], r[3], d[3], e[3];
    vertex_at(f, i, j, p);
    vertex_at(f, i + 1, what == 4 ? j : j + 1, q);
    vertex_at(f, what == 4 ? i + 1 : i, j + 1, r);
    carom_minus(q, p, d);
    carom_minus(r, p, e);
    carom_cross(d, e, n);
    const double length = carom_length(n);
    for (int k = 0; k < 3; ++k) {
        n[k] /= length;
    }
}

static int clamp_index(double x, int last) { return x <= 0.0 ? 0 : (x >= (double)last ? last : (int)x); }

/* The cell and triangle over or under a place, the nearest one for a place beyond the border; returns whether it is
 * inside. */
static int under(const field *f, const double c[3], int *i, int *j, int *what)
{
    const double x = c[0] / f->dx, y = c[1] / f->dy;
    *i = clamp_index(x, f->columns - 2);
    *j = clamp_index(y, f->rows - 2);
    *what = x - *i >= y - *j ? 4 : 5;
    return x >= 0.0 && y >= 0.0 && x <= f->columns - 1 && y <= f->rows - 1;
}

static double height_over(const field *f, const double c[3], int *within)
{
    int i, j, what;
    double p[3], n[3], d[3];
    *within = under(f, c, &i, &j, &what);
    triangle(f, i, j, what, p, n);
    carom_minus(c, p, d);
    return carom_dot(n, d) / n[2];
}

/* Two feet at one place are one: the foot is on an edge, and rounding put it on both sides. Sorted, nearest first;
 * below the surface only the nearest is kept. */
static void keep(feet *all, const foot *one, int below, double near)
{
    if (below) {
        if (all->count == 0 || one->distance > all->list[0].distance) {
            all->list[0] = *one;
            all->count = 1;
        }
        return;
    }
    for (int k = 0; k < all->count; ++k) {
        double d[3];
        carom_minus(all->list[k].at, one->at, d);
        if (carom_length(d) <= near) {
            return;
        }
    }
    int k = all->count < CAROM_TOUCH_MAX ? all->count++ : CAROM_TOUCH_MAX;
    for (; k > 0 && all->list[k - 1].distance > one->distance; --k) {
        if (k < CAROM_TOUCH_MAX) {
            all->list[k] = all->list[k - 1];
        }
    }
    if (k < CAROM_TOUCH_MAX) {
        all->list[k] = *one;
    }
}

/* Completes a foot on an edge or vertex: d leads from it to the centre. */
static void direct(const field *f, foot *t, const double d[3], int below)
{
    const double length = carom_length(d), sign = below ? -1.0 : 1.0;
    t->distance = sign * length;
    if (length > ROUNDING * f->cell) {
        for (int k = 0; k < 3; ++k) {
            t->n[k] = sign * d[k] / length;
        }
    } else {
        int i, j, what;
        double p[3];
        (void)under(f, t->at, &i, &j, &what);
        triangle(f, i, j, what, p, t->n);
    }
}

static int on_triangle(const field *f, int i, int j, int what, const double c[3], foot *t)
{
    double p[3], d[3];
    triangle(f, i, j, what, p, t->n);
    carom_minus(c, p, d);
    t->distance = carom_dot(t->n, d);
    carom_along(c, -t->distance, t->n, t->at);
    t->feature = number(f, i, j, what);
    const double x = t->at[0] / f->dx - i, y = t->at[1] / f->dy - j;
    return what == 4 ? y >= -ROUNDING && x <= 1.0 + ROUNDING && x - y >= -ROUNDING
                     : x >= -ROUNDING && y <= 1.0 + ROUNDING && y - x >= -ROUNDING;
}

/* Does a triangle's third vertex at r, seen along d from the edge p + s e, fall away? */
static int falls_away(const double p[3], const double e[3], const double r[3], const double d[3])
{
    double w[3];
    carom_minus(r, p, w);
    carom_along(w, -carom_dot(w, e) / carom_dot(e, e), e, w);
    return carom_dot(d, w) <= ROUNDING * carom_length(d) * carom_length(w);
}

static int edge_falls_away(const field *f, int i, int j, int edge, const double p[3], const double e[3],
                           const double d[3])
{
    for (int k = 0; k < 2; ++k) {
        const int x = i + third[edge][k][0], y = j + third[edge][k][1];
        double r[3];
        if (inside(f, x, y)) {
            vertex_at(f, x, y, r);
            if (!falls_away(p, e, r, d)) {
                return 0;
            }
        }
    }
    return 1;
}

static int vertex_falls_away(const field *f, int i, int j, const double p[3], const double d[3])
{
    for (int k = 0; k < 6; ++k) {
        if (inside(f, i + around[k][0], j + around[k][1])) {
            double q[3], w[3];
            vertex_at(f, i + around[k][0], j + around[k][1], q);
            carom_minus(q, p, w);
            if (carom_dot(d, w) > ROUNDING * carom_length(d) * carom_length(w)) {
                return 0;
            }
        }
    }
    return 1;
}

/* The ends of an edge of vertex (i, j), if it is there. */
static int edge_at(const field *f, int i, int j, int edge, double p[3], double e[3])
{
    const int x = i + around[edge][0], y = j + around[edge][1];
    double q[3];
    if (!inside(f, x, y)) {
        return 0;
    }
    vertex_at(f, i, j, p);
    vertex_at(f, x, y, q);
    carom_minus(q, p, e);
    return 1;
}

typedef struct {
    int i0, i1, j0, j1;
} window;

/* The vertices of all cells that the square of this half width around c meets. */
static window near(const field *f, const double c[3], double reach_x, double reach_y)
{
    const window w = {clamp_index((c[0] - reach_x) / f->dx, f->columns - 1),
                      clamp_index((c[0] + reach_x) / f->dx + 1.0, f->columns - 1),
                      clamp_index((c[1] - reach_y) / f->dy, f->rows - 1),
                      clamp_index((c[1] + reach_y) / f->dy + 1.0, f->rows - 1)};
    return w;
}

/* The feet of a point above the surface: all local minima of the distance up to `reach`. Below it: the nearest
 * point. */
static void find_feet(const field *f, const double c[3], double reach, feet *all)
{
    int within;
    const double height = height_over(f, c, &within), merge = 1e-7 * f->cell;
    const int below = within && height < 0.0;
    const double range = below ? -height * (1.0 + ROUNDING) : reach; /* the foot of the vertical is on the surface */
    const window w = near(f, c, range, range);
    all->count = 0;
    for (int j = w.j0; j <= w.j1; ++j) {
        for (int i = w.i0; i <= w.i1; ++i) {
            foot t;
            double p[3], e[3], d[3];
            for (int what = 4; what <= 5 && i < f->columns - 1 && j < f->rows - 1; ++what) {
                if (on_triangle(f, i, j, what, c, &t) && (t.distance < 0.0) == below && t.distance <= reach) {
                    keep(all, &t, below, merge);
                }
            }
            for (int edge = 0; edge < 3; ++edge) {
                if (edge_at(f, i, j, edge, p, e)) {
                    carom_minus(c, p, d);
                    const double s = carom_dot(d, e) / carom_dot(e, e);
                    carom_along(p, s, e, t.at);
                    carom_minus(c, t.at, d);
                    if (s > 0.0 && s < 1.0 && carom_length(d) <= range &&
                        (below || edge_falls_away(f, i, j, edge, p, e, d))) {
                        direct(f, &t, d, below);
                        t.feature = number(f, i, j, 1 + edge);
                        keep(all, &t, below, merge);
                    }
                }
            }
            vertex_at(f, i, j, t.at);
            carom_minus(c, t.at, d);
            if (carom_length(d) <= range && (below || vertex_falls_away(f, i, j, t.at, d))) {
                direct(f, &t, d, below);
                t.feature = number(f, i, j, 0);
                keep(all, &t, below, merge);
            }
        }
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* A ball with its centre in space; `first` is added to its features. */
static void ball_on_field(const double centre[3], double radius, const carom_shape *b, const carom_pose *pb, int first,
                          carom_touches *t)
{
    const field f = field_of(b);
    double c[3];
    feet all;
    carom_into(pb, centre, c);
    find_feet(&f, c, radius + t->margin, &all);
    for (int k = 0; k < all.count; ++k) {
        carom_touch_add_in(t, pb, all.list[k].at, all.list[k].n, all.list[k].distance - radius,
                           first + all.list[k].feature);
    }
}

void carom_sphere_heightfield(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                              carom_touches *t)
{
    ball_on_field(pa->x, a->size[0], b, pb, 0, t);
}

/* A corner is one touch, at the point nearest to it; its feature is the corner, wherever on the field it slides. */
static void corner_on_field(const carom_pose *pa, const double corner[3], int k, const field *f, const carom_pose *pb,
                            carom_touches *t)
{
    double there[3], c[3];
    feet all;
    carom_out_of(pa, corner, there);
    carom_into(pb, there, c);
    find_feet(f, c, t->margin, &all);
    if (all.count > 0) {
        carom_touch_add_in(t, pb, all.list[0].at, all.list[0].n, all.list[0].distance, k);
    }
}

void carom_box_heightfield(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                           carom_touches *t)
{
    const field f = field_of(b);
    for (int k = 0; k < 8; ++k) {
        double corner[3];
        carom_corner(a->size, k, corner);
        corner_on_field(pa, corner, k, &f, pb, t);
    }
}

void carom_polyhedron_heightfield(const carom_shape *a, const carom_pose *pa, const carom_shape *b,
                                  const carom_pose *pb, carom_touches *t)
{
    const field f = field_of(b);
    for (int k = 0; k < a->columns; ++k) {
        corner_on_field(pa, a->table + 3 * k, k, &f, pb, t);
    }
}

/* Is an edge convex: do its two triangles make a ridge? */
static int is_ridge(const field *f, int i, int j, int edge, const double p[3])
{
    double q[3], r[3], d[3], w[3], n[3], e[3];
    const int x = i + third[edge][0][0], y = j + third[edge][0][1], u = i + third[edge][1][0],
              v = j + third[edge][1][1];
    if (!inside(f, x, y) || !inside(f, u, v)) {
        return 1; /* on the border */
    }
    vertex_at(f, x, y, q);
    vertex_at(f, u, v, r);
    vertex_at(f, i + around[edge][0], j + around[edge][1], e);
    carom_minus(e, p, e);
    carom_minus(q, p, d);
    carom_minus(r, p, w);
    carom_cross(e, d, n);
    const double up = n[2] < 0.0 ? -1.0 : 1.0;
    return up * carom_dot(n, w) < -ROUNDING * carom_length(n) * carom_length(w);
}

/* Its ends are balls; between them, where it crosses a ridge or passes over a peak, it touches along the line of least
 * distance. */
void carom_capsule_heightfield(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                               carom_touches *t)
{
    const field f = field_of(b);
    const int features = 6 * f.columns * f.rows;
    const double r = a->size[0], h = a->size[1];
    double c[3], u[3], axis[3], from[3], way[3];
    for (int k = 0; k < 2; ++k) {
        const double end[3] = {0.0, 0.0, k == 0 ? -h : h};
        double there[3];
        carom_out_of(pa, end, there);
        ball_on_field(there, r, b, pb, k * features, t);
    }
    carom_into(pb, pa->x, c);
    carom_axis(pa, 2, axis);
    carom_turned_back(pb->R, axis, u);
    carom_along(c, -h, u, from);
    for (int k = 0; k < 3; ++k) {
        way[k] = 2.0 * h * u[k];
    }
    const double reach = r + t->margin;
    const window w = near(&f, c, h * fabs(u[0]) + reach, h * fabs(u[1]) + reach);
    for (int j = w.j0; j <= w.j1; ++j) {
        for (int i = w.i0; i <= w.i1; ++i) {
            double p[3], e[3], x[3], y[3], d[3], s, q;
            int ridges = 0;
            for (int edge = 0; edge < 3; ++edge) {
                if (!edge_at(&f, i, j, edge, p, e) || !is_ridge(&f, i, j, edge, p)) {
                    continue;
                }
                ++ridges;
                const double distance = carom_segments(from, way, p, e, &s, &q);
                carom_along(from, s, way, x);
                carom_along(p, q, e, y);
                carom_minus(x, y, d);
                if (distance <= reach && distance > ROUNDING * f.cell && s > 0.0 && s < 1.0 && q > 0.0 && q < 1.0 &&
                    edge_falls_away(&f, i, j, edge, p, e, d)) {
                    const double n[3] = {d[0] / distance, d[1] / distance, d[2] / distance};
                    carom_touch_add_in(t, pb, y, n, distance - r, 2 * features + number(&f, i, j, 1 + edge));
                }
            }
            vertex_at(&f, i, j, p);
            for (int k = 3; k < 6; ++k) { /* edges that end here */
                double other[3];
                if (inside(&f, i + around[k][0], j + around[k][1])) {
                    vertex_at(&f, i + around[k][0], j + around[k][1], other);
                    ridges += is_ridge(&f, i + around[k][0], j + around[k][1], k - 3, other);
                }
            }
            carom_minus(p, from, d);
            s = carom_dot(d, way) / carom_dot(way, way);
            carom_along(from, s, way, x);
            carom_minus(x, p, d);
            const double distance = carom_length(d);
            if (ridges > 0 && s > 0.0 && s < 1.0 && distance <= reach && distance > ROUNDING * f.cell &&
                vertex_falls_away(&f, i, j, p, d)) {
                const double n[3] = {d[0] / distance, d[1] / distance, d[2] / distance};
                carom_touch_add_in(t, pb, p, n, distance - r, 2 * features + number(&f, i, j, 0));
            }
        }
    }
}
