/* Slots of two given shapes: see geometry.h. */
#include "carom/geometry.h"

#include "vector.h"

#define APART                                                                                                          \
    1e-5 /* of the smaller shape: how far it moves to either side for differences; their error is its square */

enum { SHAPE = 9, FRAME = 12, FRAMES = 2 * SHAPE };

/* A couple somewhere: its shapes, and where they touch. */
typedef struct {
    carom_shape shape[2];
    double radius; /* of the smaller one */
    int count;
    carom_touch touch[CAROM_TOUCH_MAX];
} meeting;

static void describe(const carom_couple *couple, const double *in, meeting *m)
{
    for (int k = 0; k < 2; ++k) {
        const double *const s = in + SHAPE * k;
        m->shape[k] = (carom_shape){.kind = k == 0 ? couple->a : couple->b,
                                    .size = {s[0], s[1], s[2]},
                                    .at = {s[3], s[4], s[5]},
                                    .columns = couple->of[k].columns,
                                    .rows = couple->of[k].rows,
                                    .table = couple->of[k].table};
        carom_shape_turn(s + 6, m->shape[k].turn);
    }
    m->radius = fmin(carom_shape_radius(&m->shape[0]), carom_shape_radius(&m->shape[1]));
}

/* The broad phase: shapes far from each other touch as the balls around them do. */
static int far_apart(meeting *m, const carom_pose pose[2])
{
    const double a = carom_shape_radius(&m->shape[0]), b = carom_shape_radius(&m->shape[1]);
    double d[3];
    carom_minus(pose[0].x, pose[1].x, d);
    const double distance = carom_length(d), gap = distance - a - b;
    if (!(gap > CAROM_GEOMETRY_NEAR * m->radius)) { /* nor are shapes without end */
        return 0;
    }
    m->count = 1;
    m->touch[0].gap = gap;
    m->touch[0].feature = 0;
    for (int k = 0; k < 3; ++k) {
        m->touch[0].normal[k] = d[k] / distance;
        m->touch[0].at[k] = pose[1].x[k] + (b + 0.5 * gap) * m->touch[0].normal[k];
    }
    return 1;
}

/* The touches with the frames at a time s of their motion. */
static void meet(meeting *m, const double *in, double s, double frame[2 * FRAME])
{
    carom_pose pose[2];
    for (int k = 0; k < 2 * FRAME; ++k) {
        frame[k] = s != 0.0 ? in[FRAMES + k] + s * in[CAROM_GEOMETRY_IN + k] : in[FRAMES + k];
    }
    for (int k = 0; k < 2; ++k) {
        carom_shape_place(&m->shape[k], frame + FRAME * k, frame + FRAME * k + 3, &pose[k]);
    }
    if (far_apart(m, pose)) {
        return;
    }
    int by_feature;
    const int slots = carom_slots_of(m->shape[0].kind, m->shape[1].kind, &by_feature);
    const double margin = m->shape[1].kind == CAROM_HEIGHTFIELD ? CAROM_GEOMETRY_NEAR * m->radius : HUGE_VAL;
    m->count = carom_collide(&m->shape[0], &pose[0], &m->shape[1], &pose[1], margin, m->touch, slots);
}

/* Normal and arms of a touch. */
static void arms(const carom_touch *t, const double frame[2 * FRAME], double out[9])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = t->normal[k];
        out[3 + k] = t->at[k] + 0.5 * t->gap * t->normal[k] - frame[k];
        out[6 + k] = t->at[k] - 0.5 * t->gap * t->normal[k] - frame[FRAME + k];
    }
}

/* Puts touches into their slots: which one fills each, -1 for none. */
static int fill(const meeting *m, int touch_of[CAROM_TOUCH_MAX])
{
    int by_feature;
    const int slots = carom_slots_of(m->shape[0].kind, m->shape[1].kind, &by_feature);
    for (int j = 0; j < slots; ++j) {
        touch_of[j] = !by_feature && j < m->count ? j : -1;
    }
    for (int k = 0; k < m->count && by_feature; ++k) {
        touch_of[m->touch[k].feature] = k;
    }
    return slots;
}

int carom_slots(const carom_couple *couple, const double *in, double *out)
{
    meeting m;
    double frame[2 * FRAME];
    int touch_of[CAROM_TOUCH_MAX];
    describe(couple, in, &m);
    meet(&m, in, 0.0, frame);
    const int slots = fill(&m, touch_of);
    for (int j = 0; j < slots; ++j) {
        double *const o = out + CAROM_GEOMETRY_OUT * j;
        const int k = touch_of[j];
        o[0] = k >= 0 ? m.touch[k].gap : CAROM_GEOMETRY_FAR * m.radius;
        if (k >= 0) {
            arms(&m.touch[k], frame, o + 1);
        } else {
            for (int i = 1; i < CAROM_GEOMETRY_OUT; ++i) {
                o[i] = j > 0 ? o[i - CAROM_GEOMETRY_OUT] : (i == 3 ? 1.0 : 0.0);
            }
        }
    }
    return slots;
}

/* The velocity that a frame's motion gives to what is at an arm from its origin; turning alone for a direction. */
static void carried(const double *in, int k, const double arm[3], int direction, double out[3])
{
    const double *const frame = in + FRAMES + FRAME * k, *const motion = in + CAROM_GEOMETRY_IN + FRAME * k;
    double own[3];
    carom_turned_back(frame + 3, arm, own);
    carom_turned(motion + 3, own, out);
    for (int i = 0; i < 3 && !direction; ++i) {
        out[i] += motion[i];
    }
}

/* How fast the couple moves, in radii of the smaller shape. */
static double pace(const meeting *m, const double *in)
{
    const double *const a = in + CAROM_GEOMETRY_IN, *const b = a + FRAME;
    double v[3], turning = 0.0;
    carom_minus(a, b, v);
    for (int k = 3; k < FRAME; ++k) {
        turning = fmax(turning, fmax(fabs(a[k]), fabs(b[k])));
    }
    return carom_length(v) / m->radius + turning;
}

static const carom_touch *find(const meeting *m, int feature)
{
    for (int k = 0; k < m->count; ++k) {
        if (m->touch[k].feature == feature) {
            return &m->touch[k];
        }
    }
    return 0;
}

int carom_slot_rates(const carom_couple *couple, const double *in, double *out)
{
    meeting m, side[2];
    double frame[2 * FRAME], moved[2][2 * FRAME];
    int touch_of[CAROM_TOUCH_MAX];
    describe(couple, in, &m);
    meet(&m, in, 0.0, frame);
    const int slots = fill(&m, touch_of);
    const double speed = pace(&m, in), s = speed > 0.0 ? APART / speed : 0.0;
    for (int k = 0; k < 2 && s > 0.0; ++k) {
        side[k] = m;
        meet(&side[k], in, k == 0 ? -s : s, moved[k]);
    }
    for (int j = 0; j < slots; ++j) {
        double *const o = out + CAROM_GEOMETRY_OUT * j;
        const int k = touch_of[j];
        for (int i = 0; i < CAROM_GEOMETRY_OUT; ++i) {
            o[i] = k < 0 && j > 0 ? o[i - CAROM_GEOMETRY_OUT] : 0.0;
        }
        if (k < 0 || !(s > 0.0)) {
            continue;
        }
        const carom_touch *const t = &m.touch[k];
        const carom_touch *const before = find(&side[0], t->feature), *const after = find(&side[1], t->feature);
        double here[9], low[9], high[9], va[3], vb[3];
        arms(t, frame, here);
        carried(in, 0, here + 3, 0, va);
        carried(in, 1, here + 6, 0, vb);
        o[0] = carom_dot(here, va) - carom_dot(here, vb);
        if (before != 0 || after != 0) { /* at the end of a feature to one side only */
            arms(before != 0 ? before : t, before != 0 ? moved[0] : frame, low);
            arms(after != 0 ? after : t, after != 0 ? moved[1] : frame, high);
            for (int i = 0; i < 9; ++i) {
                o[1 + i] = (high[i] - low[i]) / (before != 0 && after != 0 ? 2.0 * s : s);
            }
        } else { /* here only: it goes with b */
            carried(in, 1, here, 1, o + 1);
            carried(in, 1, here + 3, 1, o + 4);
            carried(in, 1, here + 6, 1, o + 7);
        }
    }
    return slots;
}
