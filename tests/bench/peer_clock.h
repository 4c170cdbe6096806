/* Processor time of the steps that count, of those only: steps before `from` are made, too, and not timed. */
#ifndef PEER_CLOCK_H
#define PEER_CLOCK_H

#include <stdio.h>
#include <time.h>

static double peer_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* the last line of a program's output */
static void peer_print_time(double seconds, double steps) { printf("# %.17g s a step\n", seconds / steps); }

#endif
