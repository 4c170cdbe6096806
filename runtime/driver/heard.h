/* The events of a run as a csv file: which contact did what, when and how hard, as steps tell it (carom_contact_event).
 * Private to the driver. */
#ifndef CAROM_DRIVER_HEARD_H
#define CAROM_DRIVER_HEARD_H

#include <carom/model.h>

#include "file.h"

typedef struct {
    const carom_model *model; /* NULL: nobody listens */
    carom_file output;
    carom_contact_event *item;
} carom_heard;

/* Writes the head; path NULL, or a model that cannot tell: nothing. 0 when good, else errno says why. */
int carom_heard_open(carom_heard *heard, const char *path, const carom_model *model);

/* The state tells from here on; or (0) does not, so that its bytes are those of one that never did. */
void carom_heard_listen(const carom_heard *heard, void *state, int on);

/* Writes what happened since the last call. */
void carom_heard_take(carom_heard *heard, void *state);

/* Closes the file and gives it its name; 0 when good, else errno says why. */
int carom_heard_keep(carom_heard *heard);

void carom_heard_close(carom_heard *heard);

#endif
