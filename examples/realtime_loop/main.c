/* A loop with a fixed rate and bounded work. Every tick advances the model by TICK seconds:
 *   - a step that is refused (status > 0; the state is unchanged) is tried again with half the length;
 *   - a tick makes at most BUDGET attempts. If that is not enough the rest of the tick is carried over, and counted;
 *   - a fatal status ends the loop.
 * The work of one attempt is bounded by ARM_MAX_ITERATIONS, so the work of a tick is bounded too. */
#define _POSIX_C_SOURCE 200809L
#include "arm.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { TICKS = 50, BUDGET = 40 };
static const double TICK = 2e-2;

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_until(double t)
{
    const double whole = floor(t);
    const struct timespec until = {.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (t - whole))};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Advances to t_end with at most BUDGET attempts. Returns the last status; *h is the step that worked last. */
static carom_status tick(arm *s, double t_end, double *h, int *refused)
{
    carom_status status = CAROM_OK;
    for (int attempt = 0; attempt < BUDGET && t_end - s->t > 1e-9; ++attempt) {
        status = arm_step(s, fmin(*h, t_end - s->t));
        if (status > 0) {
            *h *= 0.5;
            ++*refused;
        } else if (status < 0) {
            break;
        } else {
            *h = fmin(2.0 * *h, TICK); /* back to long steps when they work again */
        }
    }
    return status;
}

int main(void)
{
    arm s;
    carom_status status = arm_init(&s, NULL);
    double h = TICK, latest = 0.0, longest = 0.0;
    int refused = 0, carried = 0;
    const double start = seconds();
    for (int k = 0; k < TICKS && status >= 0; ++k) {
        sleep_until(start + k * TICK);
        const double began = seconds();
        s.input[0] = k % 40 < 20 ? 30.0 : -30.0; /* the controller: full torque one way, then the other */
        status = tick(&s, (k + 1) * TICK, &h, &refused);
        carried += (k + 1) * TICK - s.t > 1e-9 ? 1 : 0;
        latest = fmax(latest, began - (start + k * TICK));
        longest = fmax(longest, seconds() - began);
    }
    if (status < 0) {
        fprintf(stderr, "t = %g: %s\n", s.t, carom_status_text(status));
        return 1;
    }
    printf("%d ticks, t = %.3f, %llu steps, impulse of the stop %.3f N m s\n", TICKS, s.t, s.counts.steps, s.impulse[0]);
    printf("%d attempts refused, %d ticks carried over\n", refused, carried);
    printf("longest tick %.1f us of %.0f us, latest start %.1f us\n", 1e6 * longest, 1e6 * TICK, 1e6 * latest);
    return 0;
}
