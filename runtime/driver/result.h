/* The file of a run, csv or, where its name ends so, .npy (npy.h): rows gathered in memory while stepping, written
 * between batches. Private to the runtime. */
#ifndef CAROM_DRIVER_RESULT_H
#define CAROM_DRIVER_RESULT_H

#include <carom/model.h>

#include "file.h"

typedef struct {
    const carom_model *model;
    carom_file output;
    FILE *file;                  /* its stream; NULL: no result was asked for, or it has been closed */
    int kept;                    /* it has got its name */
    int binary;                  /* .npy */
    int columns, capacity, rows; /* rows waiting in the buffer */
    double *buffer;
    char *head;                   /* names of the columns, a line */
    carom_contact_status *status; /* room for one row */
    unsigned long long written;   /* rows in the file */
} carom_result;

/* Opens the file and writes the header; 0 when good, else errno says why. `lasting`: a later run may go on with it.
 * `from`: go on from there (NULL: from the start), with the rows up to this time of the earlier file if it has the same
 * columns: of the one that a killed run left under the name it has until the end, or of the one that has its name,
 * whichever goes further. */
int carom_result_open(carom_result *result, const carom_model *model, const char *path, int lasting,
                      const double *from);

/* Stores the present state as a row; the buffer must not be full. */
void carom_result_row(carom_result *result, const carom_view *view, const void *state);

int carom_result_full(const carom_result *result);

/* Formats the waiting rows; 0 when all could be written up to now. */
int carom_result_flush(carom_result *result);

/* The same, and what was written is on the disk when the file is lasting. */
int carom_result_settle(carom_result *result);

/* Flushes, closes and gives the file its name; 0 when good, else there is no file and errno says why. */
int carom_result_keep(carom_result *result);

/* Frees everything; a file that was not kept is removed. */
void carom_result_close(carom_result *result);

#endif
