/* How far a run is: the steps it makes, and the line that tells people. Private to the runtime. */
#ifndef CAROM_DRIVER_PROGRESS_H
#define CAROM_DRIVER_PROGRESS_H

#include "options.h"

/* Step k ends at start + k h + off; the last may be shorter. */
typedef struct {
    double start, off; /* off is not 0 after a checkpoint from the end of a run whose last step was short */
    double h, last_h;  /* step, last step */
    unsigned long long step, steps; /* made, to make */
} carom_steps;

/* From `start`, `h` and `step`: how many steps lead to `until`, when `t` is where the step that was made last ended. As
 * many as round up, but 407.0000001 means 407; only a last step that would overshoot is cut. 0 when good. */
int carom_steps_plan(carom_steps *steps, double t, double until, char *message);

/* The lengths of the step under way and of the one that was made last. */
double carom_steps_next(const carom_steps *steps);
double carom_steps_made(const carom_steps *steps);

/* Up to when a run that goes on from t takes over rows: one that a signal or an earlier end had written is left out. */
double carom_steps_rows(const carom_steps *steps, double t, unsigned long long every);

typedef struct {
    double began, told;       /* wall clock at the start and at the last line */
    unsigned long long first; /* step at the start */
    int kind;                 /* 0 none, 1 one line per message, 2 one line that is rewritten */
} carom_progress;

/* `silent`: this process does not tell. */
void carom_progress_begin(carom_progress *progress, const carom_options *options, const carom_steps *steps, int silent);

/* Whether it is time to tell again. */
int carom_progress_due(const carom_progress *progress, const carom_steps *steps);

/* Shows where the run is, when it is time for that: after a second, not too often. inner: part of the step under way;
 * more: what else there is to say, beginning with a comma, or "". */
void carom_progress_show(carom_progress *progress, const carom_steps *steps, double inner, double t, const char *more);

void carom_progress_end(const carom_progress *progress);

#endif
