/* Generated against hand-written C: the same steps alternately in one process, best of many; ratio and difference in the result. */
#define _XOPEN_SOURCE 700
#include "bouncing_ball.h"
#include "hand.h"
#include "slider_crank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEAT = 25 };

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void generated_ball(int steps, double h, double *out)
{
    bouncing_ball s;
    (void)bouncing_ball_init(&s, NULL);
    for (int k = 0; k < steps; ++k) {
        (void)bouncing_ball_step(&s, h);
    }
    out[0] = s.q[0];
    out[1] = s.v[0];
}

static void generated_slider(int steps, double h, double *out)
{
    slider_crank s;
    (void)slider_crank_init(&s, NULL);
    for (int k = 0; k < steps; ++k) {
        (void)slider_crank_step(&s, h);
    }
    memcpy(out, s.q, sizeof s.q);
    memcpy(out + 3, s.v, sizeof s.v);
}

static void hand_ball(int steps, double h, double *out)
{
    hand_ball_state s = {.m = 1.0, .g = 9.81, .e = 0.9, .q = 1.0};
    for (int k = 0; k < steps; ++k) {
        hand_ball_step(&s, h);
    }
    out[0] = s.q;
    out[1] = s.v;
}

static void hand_slider(int steps, double h, double *out)
{
    hand_slider_state s;
    hand_slider_init(&s);
    for (int k = 0; k < steps; ++k) {
        hand_slider_step(&s, h);
    }
    memcpy(out, s.q, sizeof s.q);
    memcpy(out + 3, s.v, sizeof s.v);
}

static void compare(const char *name, int steps, double h, int n, void (*ours)(int, double, double *),
                    void (*hand)(int, double, double *))
{
    double a[6], b[6], best_ours = HUGE_VAL, best_hand = HUGE_VAL, difference = 0.0;
    for (int k = 0; k < REPEAT; ++k) {
        double t = now();
        ours(steps, h, a);
        best_ours = fmin(best_ours, now() - t);
        t = now();
        hand(steps, h, b);
        best_hand = fmin(best_hand, now() - t);
    }
    for (int i = 0; i < n; ++i) {
        difference = fmax(difference, fabs(a[i] - b[i]));
    }
    printf("%-16s %9d steps  generated %7.1f ns/step  hand %7.1f ns/step  ratio %.2f  largest difference %.1e\n", name, steps,
           1e9 * best_ours / steps, 1e9 * best_hand / steps, best_ours / best_hand, difference);
}

int main(int argc, char **argv)
{
    double out[6];
    if (argc == 3) { /* for counting instructions: bench NAME STEPS */
        const int steps = atoi(argv[2]);
        if (strcmp(argv[1], "ball") == 0) { generated_ball(steps, 5e-4, out); }
        if (strcmp(argv[1], "hand_ball") == 0) { hand_ball(steps, 5e-4, out); }
        if (strcmp(argv[1], "slider") == 0) { generated_slider(steps, 1e-5, out); }
        if (strcmp(argv[1], "hand_slider") == 0) { hand_slider(steps, 1e-5, out); }
        return out[0] > 1e300;
    }
    compare("bouncing_ball", 20000, 5e-4, 2, generated_ball, hand_ball);
    compare("slider_crank", 1500, 1e-5, 6, generated_slider, hand_slider);
    compare("slider_crank", 20000, 1e-5, 6, generated_slider, hand_slider);
    return 0;
}
