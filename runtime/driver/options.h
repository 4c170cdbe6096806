/* The arguments of every run, whatever back end makes its steps. Private to the runtime. */
#ifndef CAROM_DRIVER_OPTIONS_H
#define CAROM_DRIVER_OPTIONS_H

#include <carom/model.h>

#include <limits.h>
#include <stdio.h>

enum { CAROM_MESSAGE_SIZE = 512 };

/* Who runs: some options are for one of them. */
typedef enum { CAROM_ON_HOST = 1, CAROM_ON_PETSC = 2 } carom_place;

#define CAROM_FRAMES_OWN ULLONG_MAX

typedef struct {
    double until, step, cfl;          /* end of the run and step length, or the latter by the mesh; NAN, 0: not said */
    unsigned long long every;         /* a row is written every so many steps */
    const char *result;               /* csv file; "-" standard output; NULL none */
    const char *events;               /* file for what contacts did; NULL none */
    const char *report;               /* file for the people's summary; NULL none */
    const char *record;               /* file for the json object; NULL none */
    const char *motion;               /* file for their places over the run; NULL none */
    unsigned long long motion_frames; /* how often in a run */
    const char *bodies;               /* file for the bodies of a pile at the end; NULL none */
    const char *failure;              /* file for a contact problem that is not solved; NULL none */
    unsigned long long frames;        /* pictures of the run (CAROM_FRAMES_OWN: as many as the model says) ... */
    const char *frames_dir;           /* ... and where they go */
    const char *checkpoint;           /* file for the state; NULL none ... */
    double checkpoint_minutes;        /* ... and how often */
    const char *stopped;              /* where the state goes when stopped without a checkpoint; NULL nowhere */
    const char *resume;               /* state to go on from; NULL: the model's start */
    int json, quiet, progress, with_parent, help;
    int assignments;     /* how many --set there are ... */
    const char **assign; /* ... and their "name=value" (points into argv; the caller frees the list) */
} carom_options;

/* Reads argv up to "--" into options; 0 when good, else message says what is wrong. */
int carom_options_read(carom_options *options, const carom_model *model, carom_place place, int argc, char **argv,
                       char *message);

/* Where the values of --set go. */
typedef struct {
    double *parameter, *q, *v, *input;
    int initial; /* set to 1 when a q, v or input was assigned */
} carom_targets;

/* Carries the assignments to parameters (want_parameters) or to all the rest into the targets; 0 when good. */
int carom_options_assign(const carom_options *options, const carom_model *model, int want_parameters,
                         carom_targets *targets, char *message);

void carom_options_help(FILE *file, const carom_model *model, carom_place place);

#endif
