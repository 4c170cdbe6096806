/* What is said about a finished run: words for people, one json object for programs. Private to the runtime. */
#ifndef CAROM_DRIVER_SUMMARY_H
#define CAROM_DRIVER_SUMMARY_H

#include "deform.h"
#include "options.h"

#include <carom/model.h>

#include <stdio.h>

/* What another back end has to say beyond this: lines for people, fields of the object, of its counts. */
typedef struct {
    void (*people)(FILE *file, const void *data);
    void (*json)(FILE *file, const void *data);
    void (*counts)(FILE *file, const void *data);
    const void *data;
} carom_own;

typedef struct {
    const carom_model *model;
    const char *status;                       /* "ok", "interrupted" or "error" */
    const char *message;                      /* the sentence when status is not "ok" */
    const carom_view *view;                   /* NULL when the run never began */
    const double *outputs;                    /* values of the model's outputs */
    const carom_contact_status *contacts;     /* of each contact; NULL: not known */
    int rows_of, pressing, sticking, sliding; /* contacts, and what they did in the last step; rows_of 0: not known */
    const void *state;                        /* that the view is of */
    carom_info info;                          /* of the failed step or initial state */
    const char *row;                          /* contact or constraint concerned; NULL none */
    int is_constraint;
    const carom_deformed *deformed; /* of each mesh, over the rows of the result and the end */
    unsigned long long steps, rows;
    unsigned long long unknowns; /* velocities */
    int ranks;
    double step, cpu_seconds, wall_seconds;
    const char *result;     /* csv file that was written; NULL none */
    const char *bodies;     /* file of the bodies of a pile; NULL none */
    const char *failure;    /* file with the contact problem that was not solved; NULL none */
    const char *checkpoint; /* file of the state; NULL none */
    int pictures;           /* of meshes ... */
    const char *frames_dir; /* ... and where they are */
    const carom_own *own;
} carom_summary;

void carom_summary_people(FILE *file, const carom_summary *summary);
void carom_summary_json(FILE *file, const carom_summary *summary);

/* Tells about a run that ended with `code`: report and record go to their files, the rest to standard output and error;
 * what could not be written before is told in what comes after. Returns the code, which is another one when a file
 * could not be written; message (CAROM_MESSAGE_SIZE) then says so. */
int carom_summary_tell(carom_summary *summary, const carom_options *options, int code, char *message);

/* Writes "cannot write FILE: why" by errno; returns the exit code. */
int carom_cannot_write(char *message, const char *file);

#endif
