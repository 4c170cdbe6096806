/* A file that gets its name when it is whole: it is written beside under a name of its own and renamed at the end, so
 * that nobody finds half of it, and what was there before stays until then. Private to the driver. */
#ifndef CAROM_DRIVER_FILE_H
#define CAROM_DRIVER_FILE_H

#include <stdio.h>

typedef struct {
    FILE *stream;    /* NULL: not open */
    char *path;      /* final name; NULL when it is written in place (standard output, a device) */
    char *temporary; /* name until it is kept */
} carom_file;

/* "-" is standard output. A link is replaced, not followed, unless it leads to a device. 0 when good, else errno says
 * why. */
int carom_file_open(carom_file *file, const char *path);

/* Closes it, gives it its name and frees everything. When anything could not be written: removes it, returns -1, and
 * errno says why. */
int carom_file_keep(carom_file *file);

/* Frees everything; a file that was not kept is removed. */
void carom_file_drop(carom_file *file);

#endif
