/* Which pairs touch, where their shapes are, and the pairs with a plane. */
#include "vector.h"

/* rows: what touches; columns: what is touched. The other half is the same with the roles exchanged. */
static carom_pair *const rule[6][6] = {
    [CAROM_SPHERE] = {[CAROM_SPHERE] = carom_sphere_sphere,
                      [CAROM_BOX] = carom_sphere_box,
                      [CAROM_CAPSULE] = carom_sphere_capsule,
                      [CAROM_CYLINDER] = carom_sphere_cylinder,
                      [CAROM_PLANE] = carom_sphere_plane,
                      [CAROM_HEIGHTFIELD] = carom_sphere_field},
    [CAROM_BOX] = {[CAROM_BOX] = carom_box_box, [CAROM_PLANE] = carom_box_plane, [CAROM_HEIGHTFIELD] = carom_box_field},
    [CAROM_CAPSULE] = {[CAROM_BOX] = carom_capsule_box,
                       [CAROM_CAPSULE] = carom_capsule_capsule,
                       [CAROM_PLANE] = carom_capsule_plane,
                       [CAROM_HEIGHTFIELD] = carom_capsule_field},
    [CAROM_CYLINDER] = {[CAROM_PLANE] = carom_cylinder_plane},
};

int carom_collides(carom_shape_kind a, carom_shape_kind b) { return rule[a][b] != 0 || rule[b][a] != 0; }

int carom_collide(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb, double margin,
                  carom_touch *out, int room)
{
    carom_touches t = {out, 0, room < CAROM_TOUCH_MAX ? room : CAROM_TOUCH_MAX, margin};
    const int straight = rule[a->kind][b->kind] != 0;
    if (t.room < 1 || !carom_collides(a->kind, b->kind)) {
        return 0;
    }
    if (straight) {
        rule[a->kind][b->kind](a, pa, b, pb, &t);
    } else {
        rule[b->kind][a->kind](b, pb, a, pa, &t);
        for (int k = 0; k < t.count; ++k) {
            for (int i = 0; i < 3; ++i) {
                out[k].normal[i] = -out[k].normal[i];
            }
        }
    }
    for (int k = 1; k < t.count; ++k) { /* in the order of the features */
        const carom_touch moving = out[k];
        int j = k;
        for (; j > 0 && out[j - 1].feature > moving.feature; --j) {
            out[j] = out[j - 1];
        }
        out[j] = moving;
    }
    return t.count;
}

void carom_touch_add(carom_touches *t, const double surface[3], const double n[3], double gap, int feature)
{
    int k = t->count;
    if (!(gap <= t->margin)) {
        return;
    }
    if (k == t->room) {
        k = 0;
        for (int j = 1; j < t->count; ++j) {
            k = t->out[j].gap > t->out[k].gap ? j : k;
        }
        if (gap >= t->out[k].gap) {
            return;
        }
    } else {
        ++t->count;
    }
    carom_along(surface, 0.5 * gap, n, t->out[k].at);
    for (int i = 0; i < 3; ++i) {
        t->out[k].normal[i] = n[i];
    }
    t->out[k].gap = gap;
    t->out[k].feature = feature;
}

void carom_touch_add_in(carom_touches *t, const carom_pose *p, const double surface[3], const double n[3], double gap,
                        int feature)
{
    double there[3], direction[3];
    carom_out_of(p, surface, there);
    carom_turned(p->R, n, direction);
    carom_touch_add(t, there, direction, gap, feature);
}

void carom_shape_pose(const carom_shape *s, const double x[3], const double q[4], carom_pose *p)
{
    double body[9], own[9], arm[3];
    carom_matrix(q, body);
    carom_matrix(s->turn, own);
    carom_turned(body, s->at, arm);
    carom_along(x, 1.0, arm, p->x);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            p->R[3 * i + k] = body[3 * i] * own[k] + body[3 * i + 1] * own[3 + k] + body[3 * i + 2] * own[6 + k];
        }
    }
}

void carom_shape_bounds(const carom_shape *s, const carom_pose *p, double low[3], double high[3])
{
    for (int i = 0; i < 3; ++i) {
        const double *row = p->R + 3 * i;
        double reach = HUGE_VAL;
        switch (s->kind) {
        case CAROM_SPHERE:
            reach = s->size[0];
            break;
        case CAROM_BOX:
            reach = fabs(row[0]) * s->size[0] + fabs(row[1]) * s->size[1] + fabs(row[2]) * s->size[2];
            break;
        case CAROM_CAPSULE:
            reach = s->size[0] + fabs(row[2]) * s->size[1];
            break;
        case CAROM_CYLINDER:
            reach = s->size[0] * sqrt(row[0] * row[0] + row[1] * row[1]) + fabs(row[2]) * s->size[1];
            break;
        case CAROM_PLANE:
        case CAROM_HEIGHTFIELD:
            break;
        }
        low[i] = p->x[i] - reach;
        high[i] = p->x[i] + reach;
    }
}

/* ---- against a plane --------------------------------------------------------------------------------------------- */

/* A ball of the shape, its centre in the frame of the shape. */
static void ball_on_plane(const carom_pose *pa, const double centre[3], double radius, const carom_pose *plane,
                          int feature, carom_touches *t)
{
    double c[3], d[3], n[3], foot[3];
    carom_out_of(pa, centre, c);
    carom_minus(c, plane->x, d);
    carom_axis(plane, 2, n);
    const double height = carom_dot(n, d);
    carom_along(c, -height, n, foot);
    carom_touch_add(t, foot, n, height - radius, feature);
}

void carom_sphere_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                        carom_touches *t)
{
    const double middle[3] = {0.0, 0.0, 0.0};
    (void)b;
    ball_on_plane(pa, middle, a->size[0], pb, 0, t);
}

void carom_capsule_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                         carom_touches *t)
{
    (void)b;
    for (int k = 0; k < 2; ++k) {
        const double end[3] = {0.0, 0.0, k == 0 ? -a->size[1] : a->size[1]};
        ball_on_plane(pa, end, a->size[0], pb, k, t);
    }
}

void carom_box_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                     carom_touches *t)
{
    (void)b;
    for (int k = 0; k < 8; ++k) {
        double corner[3];
        carom_corner(a->size, k, corner);
        ball_on_plane(pa, corner, 0.0, pb, k, t);
    }
}

/* On each rim the deepest point, and the three at quarter turns from it: they carry a cylinder that stands. */
void carom_cylinder_plane(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb,
                          carom_touches *t)
{
    double n[3], own[3];
    (void)b;
    carom_axis(pb, 2, n);
    carom_turned_back(pa->R, n, own);
    const double across = sqrt(own[0] * own[0] + own[1] * own[1]);
    const int upright = across < 1e-6; /* no point is deeper than the others */
    const double x = upright ? -1.0 : -own[0] / across, y = upright ? 0.0 : -own[1] / across;
    for (int k = 0; k < 8; ++k) {
        const double side[4][2] = {{x, y}, {-y, x}, {-x, -y}, {y, -x}};
        const double *u = side[k & 3];
        const double point[3] = {a->size[0] * u[0], a->size[0] * u[1], k < 4 ? -a->size[1] : a->size[1]};
        ball_on_plane(pa, point, 0.0, pb, k, t);
    }
}
