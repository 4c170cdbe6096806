/* What is said about a finished run: words for people, one json object for programs. Private to the driver. */
#ifndef CAROM_DRIVER_SUMMARY_H
#define CAROM_DRIVER_SUMMARY_H

#include "deform.h"

#include <carom/model.h>

#include <stdio.h>

typedef struct {
    const carom_model *model;
    const char *status;                   /* "ok", "interrupted" or "error" */
    const char *message;                  /* the sentence when status is not "ok" */
    const carom_view *view;               /* NULL when the run never began */
    const double *outputs;                /* values of the model's outputs */
    const carom_contact_status *contacts; /* of each contact; NULL: not known */
    carom_info info;                      /* of the failed step or initial state */
    const char *row;                      /* contact or constraint concerned; NULL none */
    int is_constraint;
    const carom_deformed *deformed; /* of each mesh, over the rows of the result and the end */
    unsigned long long steps, rows;
    double step, cpu_seconds;
    const char *result;  /* csv file that was written; NULL none */
    const char *bodies;  /* file of the bodies of a pile; NULL none */
    const char *failure; /* file with the contact problem that was not solved; NULL none */
} carom_summary;

void carom_summary_people(FILE *file, const carom_summary *summary);
void carom_summary_json(FILE *file, const carom_summary *summary);

#endif
