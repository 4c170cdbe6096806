/* Tables as files of NumPy (.npy, format 1.0; 2.0 where the names are long): a structured array in one dimension, a
 * double for each column, rows one after another. numpy.load(FILE)["t"] is a column. Private to the runtime. */
#ifndef CAROM_DRIVER_NPY_H
#define CAROM_DRIVER_NPY_H

#include <stdio.h>

/* Is it one by its name? */
int carom_npy_named(const char *path);

/* Writes what stands before the rows; names: a line, separated by commas. It has the same length whatever the number of
 * rows. */
void carom_npy_head(FILE *file, const char *names, unsigned long long rows);

/* Reads that: the names as a line, which the caller frees, and how many columns; NULL: it is none that the function
 * above wrote. */
char *carom_npy_names(FILE *file, int *columns);

#endif
