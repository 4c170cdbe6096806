/* Slots of two given shapes: see geometry.h. */
#include "carom/geometry.h"

#include "vector.h"

#include <stdbool.h>

#define APART                                                                                                          \
    1e-5 /* of the smaller shape: how far it moves to either side for differences; their error is its square */

enum { SHAPE = 9, FRAME = 12, FRAMES = 2 * SHAPE };

/* A couple. */
typedef struct {
    carom_shape shape[2];
    double radius; /* of the smaller one */
} pair;

/* Where it touches somewhere. */
typedef struct {
    int count;
    carom_touch touch[CAROM_TOUCH_MAX];
} meeting;

static void describe(const carom_couple *couple, const double *in, pair *m)
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
static int far_apart(const pair *of, const carom_pose pose[2], meeting *m)
{
    const double a = carom_shape_radius(&of->shape[0]), b = carom_shape_radius(&of->shape[1]);
    double d[3];
    carom_minus(pose[0].x, pose[1].x, d);
    const double distance = carom_length(d), gap = distance - a - b;
    if (!(gap > CAROM_GEOMETRY_NEAR * of->radius)) { /* nor are shapes without end */
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
static void meet(const pair *of, const double *in, double s, double frame[2 * FRAME], meeting *m)
{
    carom_pose pose[2];
    for (int k = 0; k < 2 * FRAME; ++k) {
        frame[k] = s != 0.0 ? in[FRAMES + k] + s * in[CAROM_GEOMETRY_IN + k] : in[FRAMES + k];
    }
    for (int k = 0; k < 2; ++k) {
        carom_shape_place(&of->shape[k], frame + FRAME * k, frame + FRAME * k + 3, &pose[k]);
    }
    if (far_apart(of, pose, m)) {
        return;
    }
    int by_feature;
    const int slots = carom_slots_of(of->shape[0].kind, of->shape[1].kind, &by_feature);
    const double margin = of->shape[1].kind == CAROM_HEIGHTFIELD ? CAROM_GEOMETRY_NEAR * of->radius : HUGE_VAL;
    m->count = carom_collide(&of->shape[0], &pose[0], &of->shape[1], &pose[1], margin, m->touch, slots);
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
static int fill(const pair *of, const meeting *m, int touch_of[CAROM_TOUCH_MAX])
{
    int by_feature;
    const int slots = carom_slots_of(of->shape[0].kind, of->shape[1].kind, &by_feature);
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
    pair of;
    meeting m;
    double frame[2 * FRAME];
    int touch_of[CAROM_TOUCH_MAX];
    describe(couple, in, &of);
    meet(&of, in, 0.0, frame, &m);
    const int slots = fill(&of, &m, touch_of);
    for (int j = 0; j < slots; ++j) {
        double *const o = out + CAROM_GEOMETRY_OUT * j;
        const int k = touch_of[j];
        o[0] = k >= 0 ? m.touch[k].gap : CAROM_GEOMETRY_FAR * of.radius;
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
static double pace(const pair *m, const double *in)
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

/* The rates of the normal and arms of the touch in every slot by symmetric differences, or to the side where its
 * feature is; without either it goes with b. */
static void differ(const pair *of, const double *in, const meeting *m, const double frame[2 * FRAME], int slots,
                   const int touch_of[CAROM_TOUCH_MAX], double s, double *out)
{
    meeting side;
    double moved[2 * FRAME];
    bool found[2][CAROM_TOUCH_MAX];
    for (int k = 0; k < 2; ++k) { /* before in out, then what is after less that */
        meet(of, in, k == 0 ? -s : s, moved, &side);
        for (int j = 0; j < slots; ++j) {
            double *const o = out + CAROM_GEOMETRY_OUT * j, there[9];
            if (touch_of[j] < 0) {
                continue;
            }
            const carom_touch *const t = &m->touch[touch_of[j]], *const same = find(&side, t->feature);
            found[k][j] = same != 0;
            arms(same != 0 ? same : t, same != 0 ? moved : frame, there);
            for (int i = 0; i < 9; ++i) {
                o[1 + i] = k == 0 ? there[i] : there[i] - o[1 + i];
            }
        }
    }
    for (int j = 0; j < slots; ++j) {
        double *const o = out + CAROM_GEOMETRY_OUT * j, here[9];
        if (touch_of[j] < 0) {
            continue;
        }
        if (found[0][j] || found[1][j]) {
            for (int i = 0; i < 9; ++i) {
                o[1 + i] /= found[0][j] && found[1][j] ? 2.0 * s : s;
            }
        } else {
            arms(&m->touch[touch_of[j]], frame, here);
            carried(in, 1, here, 1, o + 1);
            carried(in, 1, here + 3, 1, o + 4);
            carried(in, 1, here + 6, 1, o + 7);
        }
    }
}

int carom_slot_rates(const carom_couple *couple, const double *in, double *out)
{
    pair of;
    meeting m;
    double frame[2 * FRAME];
    int touch_of[CAROM_TOUCH_MAX];
    describe(couple, in, &of);
    meet(&of, in, 0.0, frame, &m);
    const int slots = fill(&of, &m, touch_of);
    const double speed = pace(&of, in);
    for (int k = 0; k < CAROM_GEOMETRY_OUT * slots; ++k) {
        out[k] = 0.0;
    }
    if (!(speed > 0.0)) {
        return slots;
    }
    differ(&of, in, &m, frame, slots, touch_of, APART / speed, out);
    for (int j = 0; j < slots; ++j) {
        double *const o = out + CAROM_GEOMETRY_OUT * j, here[9], va[3], vb[3];
        if (touch_of[j] >= 0) {
            arms(&m.touch[touch_of[j]], frame, here);
            carried(in, 0, here + 3, 0, va);
            carried(in, 1, here + 6, 0, vb);
            o[0] = carom_dot(here, va) - carom_dot(here, vb);
        } else {
            for (int i = 0; i < CAROM_GEOMETRY_OUT && j > 0; ++i) {
                o[i] = o[i - CAROM_GEOMETRY_OUT];
            }
        }
    }
    return slots;
}
