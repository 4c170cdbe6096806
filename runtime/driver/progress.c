/* Steps and progress of a run. */
#define _XOPEN_SOURCE 700

#include "progress.h"

#include "stop.h"

#include <math.h>
#include <unistd.h>

enum { LINE = 100 };

int carom_steps_plan(carom_steps *steps, double t, double until, char *message)
{
    const double h = steps->h, off = t - (steps->start + (double)steps->step * h);
    double span, count;
    steps->off = fabs(off) > 1e-3 * h ? off : 0.0;
    span = until - steps->start - steps->off;
    count = ceil(span / h * (1.0 - 1e-9));
    if (until < t - (steps->step > 0 ? 1e-3 * h : 0.0)) {
        (void)snprintf(message, CAROM_MESSAGE_SIZE, "--until %.10g lies before the start, t = %.10g", until, t);
        return -1;
    }
    if (!(count < 9e15)) {
        (void)snprintf(message, CAROM_MESSAGE_SIZE, "--step %.10g would take %.3g steps", h, count);
        return -1;
    }
    steps->steps = count > (double)steps->step ? (unsigned long long)count : steps->step;
    steps->last_h = h;
    if (count * h > span * (1.0 + 1e-9)) {
        steps->last_h = span - (count - 1.0) * h;
    }
    return 0;
}

double carom_steps_next(const carom_steps *steps) { return steps->step + 1 == steps->steps ? steps->last_h : steps->h; }

double carom_steps_made(const carom_steps *steps) { return steps->step == steps->steps ? steps->last_h : steps->h; }

double carom_steps_rows(const carom_steps *steps, double t, unsigned long long every)
{
    return steps->step % every == 0 || steps->step == steps->steps ? t : t - 1e-3 * steps->h;
}

void carom_progress_begin(carom_progress *progress, const carom_options *options, const carom_steps *steps, int silent)
{
    *progress = (carom_progress){.first = steps->step};
    progress->began = progress->told = carom_wall_seconds();
    if (!options->quiet && !silent) {
        progress->kind = isatty(STDERR_FILENO) ? 2 : options->progress;
    }
}

int carom_progress_due(const carom_progress *progress, const carom_steps *steps)
{
    const double now = carom_wall_seconds(), pause = progress->kind == 2 ? 0.2 : 1.0;
    return progress->kind != 0 && now - progress->began > 1.0 && now - progress->told > pause &&
           steps->step < steps->steps;
}

void carom_progress_show(carom_progress *progress, const carom_steps *steps, double inner, double t, const char *more)
{
    const double now = carom_wall_seconds();
    const double made = (double)(steps->step - progress->first) + inner;
    const double part = fmax(made / (double)(steps->steps - progress->first), 1e-9);
    if (carom_progress_due(progress, steps)) {
        char line[256];
        (void)snprintf(line, sizeof line, "step %llu of %llu, t = %.6g, %.0f %%%s, %.0f s left", steps->step,
                       steps->steps, t, 100.0 * ((double)steps->step + inner) / (double)steps->steps, more,
                       (now - progress->began) * (1.0 - part) / part);
        if (progress->kind == 2) {
            fprintf(stderr, "\r%-*s", LINE, line);
        } else {
            fprintf(stderr, "%s\n", line);
        }
        (void)fflush(stderr);
        progress->told = now;
    }
}

void carom_progress_end(const carom_progress *progress)
{
    if (progress->kind == 2 && progress->told > progress->began) {
        fprintf(stderr, "\r%-*s\r", LINE, "");
        (void)fflush(stderr);
    }
}
