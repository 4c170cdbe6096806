/* The csv file of a run: rows gathered in memory while stepping, written between batches. Private to the driver. */
#ifndef CAROM_DRIVER_RESULT_H
#define CAROM_DRIVER_RESULT_H

#include <carom/model.h>

#include <stdio.h>

typedef struct {
    const carom_model *model;
    FILE *file;     /* NULL: no result was asked for */
    char *path;     /* final name; NULL when the file is written in place (standard output, a device) */
    char *temporary; /* name until the run has ended */
    int columns, capacity, rows; /* rows waiting in the buffer */
    double *buffer;
    unsigned long long written; /* rows in the file */
} carom_result;

/* Opens a temporary file beside `path` and writes the header; 0 when good, else errno says why. */
int carom_result_open(carom_result *result, const carom_model *model, const char *path);

/* Stores the present state as a row; the buffer must not be full. */
void carom_result_row(carom_result *result, const carom_view *view, const void *state);

int carom_result_full(const carom_result *result);

/* Formats the waiting rows. */
void carom_result_flush(carom_result *result);

/* Flushes, closes and gives the file its name; 0 when good. */
int carom_result_keep(carom_result *result);

/* Frees everything; a file that was not kept is removed. */
void carom_result_close(carom_result *result);

#endif
