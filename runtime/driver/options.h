/* The driver's arguments. Private to the driver. */
#ifndef CAROM_DRIVER_OPTIONS_H
#define CAROM_DRIVER_OPTIONS_H

#include <carom/model.h>

#include <stdio.h>

enum { CAROM_MESSAGE_SIZE = 512 };

typedef struct {
    double until, step;       /* end of the run and step length */
    unsigned long long every; /* a row is written every so many steps */
    const char *result;       /* csv file; "-" standard output; NULL none */
    const char *report;       /* file for the people's summary; NULL none */
    const char *record;       /* file for the json object; NULL none */
    const char *bodies;       /* file for the bodies of a pile at the end; NULL none */
    const char *failure;      /* file for a contact problem that is not solved; NULL none */
    int json, quiet, progress, with_parent, help;
    int assignments;     /* how many --set there are ... */
    const char **assign; /* ... and their "name=value" (points into argv; the caller frees the list) */
} carom_options;

/* Reads argv into options; 0 when good, else message says what is wrong. */
int carom_options_read(carom_options *options, const carom_model *model, int argc, char **argv, char *message);

/* Where the values of --set go. */
typedef struct {
    double *parameter, *q, *v, *input;
    int initial; /* set to 1 when a q, v or input was assigned */
} carom_targets;

/* Carries the assignments to parameters (want_parameters) or to all the rest into the targets; 0 when good. */
int carom_options_assign(const carom_options *options, const carom_model *model, int want_parameters,
                         carom_targets *targets, char *message);

void carom_options_help(FILE *file, const carom_model *model);

#endif
