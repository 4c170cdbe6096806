/* Convex polygons in the plane: known places, and laws that hold for any of them. */
#include "carom/geometry.h"
#include "shapes.h"

#include <string.h>

static const double square_table[8] = {-1, -1, 1, -1, 1, 1, -1, 1}, edge_table[4] = {-1, 0, 1, 0};

static carom_shape polygon(int corners, const double *table, double x, double y)
{
    carom_shape s = shape(CAROM_POLYGON, x, y, 0);
    s.columns = corners;
    s.table = table;
    return s;
}

static carom_pose placed(const carom_shape *s, double x, double y, double angle)
{
    double q[4];
    about(0, 0, 1, angle, q);
    return pose(s, x, y, 0, q);
}

static carom_touch touch_at(double x, double y, double nx, double ny, double gap)
{
    return (carom_touch){{x, y, 0}, {nx, ny, 0}, gap, 0};
}

/* ---- known places ------------------------------------------------------------------------------------------------ */

/* A small box on a large one, level, above and inside it; over its end; and the large one on it. */
START_TEST(boxes_side_on_side)
{
    const carom_shape small = polygon(4, square_table, 0.5, 0.2), large = polygon(4, square_table, 2, 1);
    const carom_pose below = placed(&large, 0, 0, 0);
    carom_touch t[CAROM_TOUCH_MAX];
    for (int k = 0; k < 2; ++k) {
        const double gap = k == 0 ? 0.01 : -0.01, y = 1.2 + gap;
        const carom_pose on = placed(&small, 0.3, y, 0), over = placed(&small, 1.8, y, 0);
        const carom_touch left = touch_at(-0.2, 1 + 0.5 * gap, 0, 1, gap),
                          right = touch_at(0.8, 1 + 0.5 * gap, 0, 1, gap),
                          inner = touch_at(1.3, 1 + 0.5 * gap, 0, 1, gap), end = touch_at(2, 1 + 0.5 * gap, 0, 1, gap),
                          turned = touch_at(0.8, 1 + 0.5 * gap, 0, -1, gap);
        int n = collide(&small, &on, &large, &below, 1, t);
        ck_assert_int_eq(n, 2);
        find(t, n, &left, 1e-14);
        find(t, n, &right, 1e-14);
        n = collide(&small, &over, &large, &below, 1, t);
        ck_assert_int_eq(n, 2);
        find(t, n, &inner, 1e-14);
        find(t, n, &end, 1e-14);
        n = collide(&large, &below, &small, &on, 1, t);
        ck_assert_int_eq(n, 2);
        find(t, n, &turned, 1e-14);
    }
}
END_TEST

/* A box on its corner above the side of another, beyond the side, and above its corner. */
START_TEST(a_corner)
{
    const carom_shape box = polygon(4, square_table, 1, 1), tip = polygon(4, square_table, 0.1, 0.1);
    const carom_pose below = placed(&box, 0, 0, 0);
    const double low = 0.1 * sqrt(2.0);
    carom_touch t[CAROM_TOUCH_MAX];
    const carom_pose above = placed(&tip, 0.2, 1.05 + low, PI / 4), beyond = placed(&tip, 1.4, 1.5, 0);
    const carom_touch on = touch_at(0.2, 1.025, 0, 1, 0.05), corners = touch_at(1.15, 1.2, 0.6, 0.8, 0.5);
    int n = collide(&tip, &above, &box, &below, 10, t);
    ck_assert_int_eq(n, 2); /* the other end of the side of the tip is far */
    find(t, n, &on, 1e-14);
    ck_assert(fmax(t[0].gap, t[1].gap) > 0.1);
    n = collide(&tip, &beyond, &box, &below, 10, t);
    ck_assert_int_eq(n, 1);
    find(t, n, &corners, 1e-14);
}
END_TEST

/* A disk over a side and a corner, and with its centre inside; over a segment from both sides and beyond its end. */
START_TEST(disks)
{
    const carom_shape ball = shape(CAROM_SPHERE, 0.1, 0, 0), box = polygon(4, square_table, 1, 0.5),
                      wall = polygon(2, edge_table, 2, 0);
    const carom_pose below = placed(&box, 0, 0, PI / 2), line = placed(&wall, 0, 0, 0);
    const struct {
        double x, y;
        const carom_shape *on;
        const carom_pose *at;
        carom_touch wanted;
    } cases[] = {
        {0.8, 0.3, &box, &below, touch_at(0.6, 0.3, 1, 0, 0.2)},
        {0.8, 1.4, &box, &below, touch_at(0.62, 1.16, 0.6, 0.8, 0.4)},
        {0.45, 0.3, &box, &below, touch_at(0.425, 0.3, 1, 0, -0.15)},
        {1, 0.2, &wall, &line, touch_at(1, 0.05, 0, 1, 0.1)},
        {1, -0.05, &wall, &line, touch_at(1, 0.025, 0, -1, -0.05)},
        {2.3, -0.4, &wall, &line, touch_at(2.12, -0.16, 0.6, -0.8, 0.4)},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const carom_pose at = placed(&ball, cases[k].x, cases[k].y, 1);
        carom_touch t[CAROM_TOUCH_MAX];
        ck_assert_int_eq(collide(&ball, &at, cases[k].on, cases[k].at, 10, t), 1);
        find(t, 1, &cases[k].wanted, 1e-14);
    }
}
END_TEST

/* ---- laws -------------------------------------------------------------------------------------------------------- */

typedef struct {
    double table[2][16];
    carom_shape s[2];
    carom_pose p[2];
    double at[2][3];
} couple;

/* Corners on an ellipse, their angles in order; now and then a segment. The second one is at a distance in any direction. */
static void draw_couple(couple *c, double distance)
{
    const double way = PI * uniform();
    for (int k = 0; k < 2; ++k) {
        const int corners = uniform() < -0.7 ? 2 : 3 + (int)(4.999 * between(0, 1));
        for (int i = 0; i < corners; ++i) {
            const double angle = 2 * PI * (i + between(0.1, 0.9)) / corners;
            c->table[k][2 * i] = cos(angle);
            c->table[k][2 * i + 1] = sin(angle);
        }
        c->s[k] = corners == 2 ? polygon(2, edge_table, between(0.3, 1), 0)
                               : polygon(corners, c->table[k], between(0.3, 1), between(0.3, 1));
        c->at[k][0] = k * distance * cos(way);
        c->at[k][1] = k * distance * sin(way);
        c->at[k][2] = PI * uniform();
        c->p[k] = placed(&c->s[k], c->at[k][0], c->at[k][1], c->at[k][2]);
    }
}

static double support(const couple *c, int k, double x, double y)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < c->s[k].columns; ++i) {
        const double own[3] = {c->s[k].size[0] * c->s[k].table[2 * i], c->s[k].size[1] * c->s[k].table[2 * i + 1], 0};
        double there[3];
        to_world(&c->p[k], own, there);
        most = fmax(most, x * there[0] + y * there[1]);
    }
    return most;
}

/* How far apart they are: the most that a direction separates them by, or the least that they overlap by. */
static double slow(const couple *c)
{
    double best = -HUGE_VAL, at = 0, width = PI / 2000;
    for (int k = -2000; k < 2000; ++k) {
        const double angle = k * width,
                     apart = -support(c, 0, -cos(angle), -sin(angle)) - support(c, 1, cos(angle), sin(angle));
        at = apart > best ? angle : at;
        best = fmax(best, apart);
    }
    for (; width > 1e-14; width *= 0.6) {
        for (int k = -1; k < 2; k += 2) {
            const double angle = at + k * width,
                         apart = -support(c, 0, -cos(angle), -sin(angle)) - support(c, 1, cos(angle), sin(angle));
            at = apart > best ? angle : at;
            best = fmax(best, apart);
        }
    }
    return best;
}

START_TEST(the_least_gap_is_the_distance)
{
    static couple c;
    int apart = 0, inside = 0;
    for (int k = 0; k < 1000; ++k) {
        carom_touch t[CAROM_TOUCH_MAX], back[CAROM_TOUCH_MAX];
        draw_couple(&c, between(0.6, 1.8));
        const double distance = slow(&c);
        const int n = collide(&c.s[0], &c.p[0], &c.s[1], &c.p[1], 100, t);
        ck_assert_int_ge(n, 1);
        ck_assert_int_le(n, 2);
        if (distance > 0) {
            near(least(t, n), distance, 1e-9);
            ++apart;
        } else if (distance > -0.05) { /* an end of a side may be deeper at an angle */
            ck_assert(least(t, n) < distance + 1e-9 && least(t, n) > 3 * distance - 1e-9);
            ++inside;
        }
        const int m = collide(&c.s[1], &c.p[1], &c.s[0], &c.p[0], 100, back);
        near(least(back, m), least(t, n), 1e-12);
    }
    ck_assert_int_ge(apart, 300);
    ck_assert_int_ge(inside, 20);
}
END_TEST

/* The rate of each slot's gap is its change along a motion of both bodies. */
START_TEST(gradients)
{
    static couple c;
    int tried = 0;
    for (int k = 0; k < 600; ++k) {
        double in[CAROM_GEOMETRY_IN + CAROM_GEOMETRY_MOTION] = {0}, out[3][CAROM_GEOMETRY_OUT * CAROM_TOUCH_MAX],
                                      rate[CAROM_GEOMETRY_OUT * CAROM_TOUCH_MAX];
        draw_couple(&c, between(0.8, 1.5));
        const carom_couple of = {
            CAROM_POLYGON, CAROM_POLYGON, {{c.s[0].columns, 0, c.s[0].table}, {c.s[1].columns, 0, c.s[1].table}}};
        for (int s = 0; s < 2; ++s) {
            const double spin = uniform();
            memcpy(in + 9 * s, c.s[s].size, sizeof c.s[s].size);
            in[9 * s + 8] = 1.0;
            memcpy(in + 18 + 12 * s, c.p[s].x, sizeof c.p[s].x);
            memcpy(in + 18 + 12 * s + 3, c.p[s].R, sizeof c.p[s].R);
            double *const motion = in + CAROM_GEOMETRY_IN + 12 * s;
            motion[0] = uniform();
            motion[1] = uniform();
            for (int col = 0; col < 3; ++col) {
                motion[3 + col] = -spin * c.p[s].R[3 + col];
                motion[6 + col] = spin * c.p[s].R[col];
            }
        }
        const int slots = carom_slot_rates(&of, in, rate);
        ck_assert_int_eq(slots, 2);
        const double h = 1e-6;
        for (int s = 0; s < 3; ++s) {
            double there[CAROM_GEOMETRY_IN];
            for (int i = 0; i < CAROM_GEOMETRY_IN; ++i) {
                there[i] = in[i] + (i < 18 ? 0.0 : (s - 1) * h * in[CAROM_GEOMETRY_IN + i - 18]);
            }
            ck_assert_int_eq(carom_slots(&of, there, out[s]), slots);
        }
        for (int j = 0; j < slots; ++j) {
            const double *const now = out[1] + CAROM_GEOMETRY_OUT * j;
            const double before = (now[0] - out[0][CAROM_GEOMETRY_OUT * j]) / h,
                         after = (out[2][CAROM_GEOMETRY_OUT * j] - now[0]) / h;
            if (now[0] < 100 && fabs(after - before) < 1e-3) { /* else at the end of a feature */
                const double *const r = rate + CAROM_GEOMETRY_OUT * j;
                near(r[0], 0.5 * (before + after), 1e-4);
                for (int i = 1; i < CAROM_GEOMETRY_OUT; ++i) {
                    near(r[i], (out[2][CAROM_GEOMETRY_OUT * j + i] - out[0][CAROM_GEOMETRY_OUT * j + i]) / (2 * h),
                         1e-3);
                }
                ++tried;
            }
        }
    }
    ck_assert_int_ge(tried, 600);
}
END_TEST

/* The least gap changes no faster than the bodies move. */
START_TEST(continuity)
{
    static couple c;
    for (int k = 0; k < 200; ++k) {
        double before = 0.0;
        draw_couple(&c, between(1.0, 1.8));
        for (int step = 0; step < 200; ++step) {
            carom_touch t[CAROM_TOUCH_MAX];
            const carom_pose p = placed(&c.s[0], c.at[0][0], c.at[0][1], c.at[0][2] + 1e-3 * step);
            const double now = least(t, collide(&c.s[0], &p, &c.s[1], &c.p[1], 100, t));
            if (step > 0 && now > 0 && before > 0) {
                near(now, before, 1.1e-3);
            }
            before = now;
        }
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("polygons");
    tcase_set_timeout(cases, 60.0);
    tcase_add_test(cases, boxes_side_on_side);
    tcase_add_test(cases, a_corner);
    tcase_add_test(cases, disks);
    tcase_add_test(cases, the_least_gap_is_the_distance);
    tcase_add_test(cases, gradients);
    tcase_add_test(cases, continuity);
    return run_suite("polygons", cases);
}
