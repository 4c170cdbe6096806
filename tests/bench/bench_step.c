/* Generated against hand-written C, case by case: the same steps alternately in one process, the best of many; ratio of times and the
 * difference of the results. `bench NAME STEPS` and `bench hand_NAME STEPS` make steps of one of them, for counting instructions. */
#define _XOPEN_SOURCE 700
#include "ball.h"
#include "column10.h"
#include "column100.h"
#include "column100_mj.h"
#include "column10_mj.h"
#include "hand.h"
#include "slider.h"
#include "slider_burnt.h"
#include "slider_end.h"
#include "slider_mj.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEAT = 25, MOST = 2 * HAND_BEADS };

/* steps of a generated model and of one by hand, one at a time or many; out: positions, then velocities */
#define ONE(step)                                                                                                       \
    for (int k = 0; k < steps; ++k) {                                                                                   \
        (void)step(&s, h);                                                                                              \
    }
#define MANY(step) (void)step(&s, steps, h);
#define GENERATED(X, run, count)                                                                                        \
    static void run_##run(int steps, double h, double *out)                                                             \
    {                                                                                                                   \
        static X s;                                                                                                     \
        (void)X##_init(&s, NULL);                                                                                       \
        count                                                                                                           \
        memcpy(out, s.q, sizeof s.q);                                                                                   \
        memcpy(out + sizeof s.q / sizeof s.q[0], s.v, sizeof s.v);                                                      \
    }
#define BY_HAND(X, state, count, init, n)                                                                               \
    static void hand_##X(int steps, double h, double *out)                                                              \
    {                                                                                                                   \
        static state s;                                                                                                 \
        init;                                                                                                           \
        count                                                                                                           \
        memcpy(out, &s.q, (n) * sizeof(double));                                                                        \
        memcpy(out + (n), &s.v, (n) * sizeof(double));                                                                  \
    }

#define BALL s = ((hand_ball_state){.m = 1.0, .g = 9.81, .e = 0.9, .q = 1.0})
GENERATED(ball, ball, ONE(ball_step))
GENERATED(ball, ball_steps, MANY(ball_steps))
GENERATED(slider, slider, ONE(slider_step))
GENERATED(slider_burnt, slider_burnt, ONE(slider_burnt_step))
GENERATED(slider_mj, slider_mj, ONE(slider_mj_step))
GENERATED(slider_end, slider_end, ONE(slider_end_step))
GENERATED(column10, column10, ONE(column10_step))
GENERATED(column10_mj, column10_mj, ONE(column10_mj_step))
GENERATED(column100, column100, ONE(column100_step))
GENERATED(column100_mj, column100_mj, ONE(column100_mj_step))
BY_HAND(ball, hand_ball_state, ONE(hand_ball_step), BALL, 1)
BY_HAND(ball_steps_, hand_ball_state, MANY(hand_ball_steps), BALL, 1)
BY_HAND(slider, hand_slider_state, ONE(hand_slider_step), hand_slider_init(&s), 3)
BY_HAND(slider_mj, hand_slider_state, ONE(hand_slider_mj_step), hand_slider_init(&s), 3)
BY_HAND(slider_end, hand_slider_state, ONE(hand_slider_end_step), hand_slider_init(&s), 3)
BY_HAND(column10, hand_column_state, ONE(hand_column_step), hand_column_init(&s, 10), 10)
BY_HAND(column10_mj, hand_column_state, ONE(hand_column_mj_step), hand_column_init(&s, 10), 10)
BY_HAND(column100, hand_column_state, ONE(hand_column_step), hand_column_init(&s, 100), 100)
BY_HAND(column100_mj, hand_column_state, ONE(hand_column_mj_step), hand_column_init(&s, 100), 100)

typedef void run(int steps, double h, double *out);

static const struct {
    const char *name;
    int steps, n; /* n: positions and velocities */
    double h;
    run *ours, *hand;
} cases[] = {
    {"ball", 20000, 2, 5e-4, run_ball, hand_ball},
    {"ball_steps", 20000, 2, 5e-4, run_ball_steps, hand_ball_steps_},
    {"slider", 2500, 6, 1e-5, run_slider, hand_slider},
    {"slider_burnt", 2500, 6, 1e-5, run_slider_burnt, hand_slider},
    {"slider_mj", 2500, 6, 1e-5, run_slider_mj, hand_slider_mj},
    {"slider_end", 2500, 6, 1e-5, run_slider_end, hand_slider_end},
    {"column10", 4000, 20, 5e-4, run_column10, hand_column10},
    {"column10_mj", 4000, 20, 5e-4, run_column10_mj, hand_column10_mj},
    {"column100", 3000, 200, 5e-4, run_column100, hand_column100},
    {"column100_mj", 3000, 200, 5e-4, run_column100_mj, hand_column100_mj},
};

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static double a[MOST], b[MOST];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const int steps = cases[i].steps;
        const double h = cases[i].h;
        if (argc == 3) {
            const int hand = strncmp(argv[1], "hand_", 5) == 0;
            if (strcmp(argv[1] + 5 * hand, cases[i].name) == 0) {
                (hand ? cases[i].hand : cases[i].ours)(atoi(argv[2]), h, a);
            }
            continue;
        }
        double ours = HUGE_VAL, hand = HUGE_VAL, difference = 0.0, size = 0.0;
        for (int k = 0; k < (argc == 2 ? 1 : REPEAT); ++k) { /* bench compare: results only */
            double t = now();
            cases[i].ours(steps, h, a);
            ours = fmin(ours, now() - t);
            t = now();
            cases[i].hand(steps, h, b);
            hand = fmin(hand, now() - t);
        }
        for (int j = 0; j < cases[i].n; ++j) {
            difference = fmax(difference, fabs(a[j] - b[j]));
            size = fmax(size, fabs(b[j]));
        }
        printf("%-16s %9d steps  generated %7.1f ns/step  hand %7.1f ns/step  ratio %.2f  largest difference %.1e\n", cases[i].name,
               steps, 1e9 * ours / steps, 1e9 * hand / steps, ours / hand, difference / size);
    }
    return 0;
}
