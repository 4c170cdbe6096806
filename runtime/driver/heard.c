/* See heard.h. */
#define _XOPEN_SOURCE 700

#include "heard.h"

#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { ROOM = 1 << 14 }; /* events of a step */

int carom_heard_open(carom_heard *heard, const char *path, const carom_model *model)
{
    if (path == NULL || model->listen == NULL) {
        return 0;
    }
    heard->item = malloc(ROOM * sizeof *heard->item);
    if (heard->item == NULL) {
        errno = ENOMEM;
        return -1;
    }
    if (carom_file_open(&heard->output, path) != 0) {
        return -1;
    }
    heard->model = model;
    fputs("t,contact,what,impulse,friction,before,after\n", heard->output.stream);
    return 0;
}

void carom_heard_listen(const carom_heard *heard, void *state, int on)
{
    if (heard->model != NULL) {
        heard->model->listen(state, on ? heard->item : NULL, on ? ROOM : 0);
    }
}

void carom_heard_take(carom_heard *heard, void *state)
{
    static const char *const words[] = {"closes", "opens", "sticks", "slides"};
    carom_contact_events *const list = heard->model != NULL ? heard->model->events(state) : NULL;
    for (int i = 0; list != NULL && i < list->count; i++) {
        const carom_contact_event *const e = &list->item[i];
        const double numbers[] = {e->impulse, hypot(e->friction[0], e->friction[1]), e->before, e->after};
        char text[CAROM_NUMBER_SIZE];
        (void)carom_number_text(text, e->t);
        fprintf(heard->output.stream, "%s,%s,%s", text, heard->model->contact[e->contact].name, words[e->kind]);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            (void)carom_number_text(text, numbers[k]);
            fprintf(heard->output.stream, ",%s", text);
        }
        fputc('\n', heard->output.stream);
    }
    if (list != NULL) {
        list->count = 0;
    }
}

int carom_heard_keep(carom_heard *heard) { return heard->output.stream != NULL ? carom_file_keep(&heard->output) : 0; }

void carom_heard_close(carom_heard *heard)
{
    carom_file_drop(&heard->output);
    free(heard->item);
    *heard = (carom_heard){0};
}
