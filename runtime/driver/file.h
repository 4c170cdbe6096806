/* A file that gets its name when it is whole: it is written beside under a name of its own and renamed at the end, so
 * that nobody finds half of it, and what was there before stays until then. Private to the runtime. */
#ifndef CAROM_DRIVER_FILE_H
#define CAROM_DRIVER_FILE_H

#include <stdio.h>

typedef struct {
    FILE *stream;    /* NULL: not open */
    char *path;      /* final name; NULL when it is written in place (standard output, a device) */
    char *temporary; /* name until it is kept */
    int lasting;     /* what a run that is killed leaves of it is for the run that goes on */
} carom_file;

/* Whether a file of this name gets it at the end: standard output, devices and pipes are written in place. */
int carom_file_renamed(const char *path);

/* "-" is standard output. A link is replaced, not followed, unless it leads to a device. 0 when good, else errno says
 * why. */
int carom_file_open(carom_file *file, const char *path);

/* The same under the name PATH.part, which a later run finds: it stays when it is not kept, and is on the disk before
 * it gets its name. */
int carom_file_open_lasting(carom_file *file, const char *path);

/* What was written is on the disk (of a lasting file), or at least handed on; 0 when good. */
int carom_file_settle(const carom_file *file);

/* Closes it, gives it its name and frees everything. When anything could not be written: removes it, returns -1, and
 * errno says why. */
int carom_file_keep(carom_file *file);

/* Frees everything; a file that was not kept is removed unless it is lasting. */
void carom_file_drop(carom_file *file);

#endif
