/* Which kinds of shapes there are, which pairs of them touch, and where they are. */
#include "vector.h"

static const carom_kind *const kinds[] = {
    [CAROM_SPHERE] = &carom_kind_sphere,         [CAROM_BOX] = &carom_kind_box,
    [CAROM_CAPSULE] = &carom_kind_capsule,       [CAROM_CYLINDER] = &carom_kind_cylinder,
    [CAROM_PLANE] = &carom_kind_plane,           [CAROM_HEIGHTFIELD] = &carom_kind_heightfield,
    [CAROM_POLYHEDRON] = &carom_kind_polyhedron, [CAROM_POLYGON] = &carom_kind_polygon,
};

/* The other half is the same with the roles exchanged. */
static carom_pair *rule(carom_shape_kind a, carom_shape_kind b) { return kinds[a]->with[b].rule; }

int carom_collides(carom_shape_kind a, carom_shape_kind b) { return rule(a, b) != 0 || rule(b, a) != 0; }

int carom_slots_of(carom_shape_kind a, carom_shape_kind b, int *by_feature)
{
    const carom_kind *const kind = rule(a, b) != 0 ? kinds[a] : kinds[b];
    const carom_shape_kind other = rule(a, b) != 0 ? b : a;
    *by_feature = kind->with[other].by_feature;
    return kind->with[other].slots;
}

int carom_collide(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb, double margin,
                  carom_touch *out, int room)
{
    carom_touches t = {out, 0, room < CAROM_TOUCH_MAX ? room : CAROM_TOUCH_MAX, margin};
    carom_pair *const straight = rule(a->kind, b->kind);
    if (t.room < 1 || !carom_collides(a->kind, b->kind)) {
        return 0;
    }
    if (straight != 0) {
        straight(a, pa, b, pb, &t);
    } else {
        rule(b->kind, a->kind)(b, pb, a, pa, &t);
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

void carom_shape_turn(const double axis[3], double turn[4])
{
    const double size = carom_length(axis), x = axis[0] / size, y = axis[1] / size, z = axis[2] / size;
    const double w = sqrt(0.5 * (1.0 + fabs(z)));
    turn[0] = z < 0.0 ? -0.5 * y / w : w; /* from below: half a turn about x first, which takes z to -z */
    turn[1] = z < 0.0 ? w : -0.5 * y / w;
    turn[2] = z < 0.0 ? 0.0 : 0.5 * x / w;
    turn[3] = z < 0.0 ? 0.5 * x / w : 0.0;
}

void carom_shape_place(const carom_shape *s, const double x[3], const double R[9], carom_pose *p)
{
    double own[9], arm[3];
    carom_matrix(s->turn, own);
    carom_turned(R, s->at, arm);
    carom_along(x, 1.0, arm, p->x);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            p->R[3 * i + k] = R[3 * i] * own[k] + R[3 * i + 1] * own[3 + k] + R[3 * i + 2] * own[6 + k];
        }
    }
}

void carom_shape_pose(const carom_shape *s, const double x[3], const double q[4], carom_pose *p)
{
    double R[9];
    carom_matrix(q, R);
    carom_shape_place(s, x, R, p);
}

double carom_shape_radius(const carom_shape *s)
{
    const carom_kind *const kind = kinds[s->kind];
    return kind->radius != 0 ? kind->radius(s->size) : HUGE_VAL;
}

void carom_shape_bounds(const carom_shape *s, const carom_pose *p, double low[3], double high[3])
{
    for (int i = 0; i < 3; ++i) {
        const carom_kind *const kind = kinds[s->kind];
        const double reach = kind->reach != 0 ? kind->reach(s->size, p->R + 3 * i) : HUGE_VAL;
        low[i] = p->x[i] - reach;
        high[i] = p->x[i] + reach;
    }
}
