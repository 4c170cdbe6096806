/* Signals of a run. */
#define _XOPEN_SOURCE 700

#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* The handler may only touch these. */
static volatile sig_atomic_t stop_signal = 0;
static const char *volatile unfinished_file = NULL;

static void on_signal(int number)
{
    if (stop_signal != 0) { /* asked twice: a step takes too long; leave nothing half written */
        if (unfinished_file != NULL) {
            (void)unlink(unfinished_file);
        }
        _exit(128 + number);
    }
    stop_signal = number;
}

void carom_stop_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    stop_signal = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = {0};
        struct sigaction before;
        action.sa_handler = on_signal;
        (void)sigemptyset(&action.sa_mask);
        /* what was ignored (nohup, background of a script) stays ignored */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(numbers[i], &action, NULL);
        }
    }
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is one that cannot be written, and is told as such */
}

int carom_stop_asked(void) { return (int)stop_signal; }

void carom_stop_ask(int number) { stop_signal = number; }

void carom_stop_removes(const char *path) { unfinished_file = path; }

static double seconds(clockid_t which)
{
    struct timespec now;
    (void)clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double carom_wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }

double carom_cpu_seconds(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
