/* A pile has too many coordinates for columns: its bodies are the rows of a file of their own, written once, at the
 * end; and for pictures their places at some instants, as numbers of one word each. */
#include "bodies.h"

#include "file.h"
#include "text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* The k-th number of the place and quaternion of body i, of its velocity and spin. */
static const double *place(const carom_model *model, const carom_view *view, int i, int k)
{
    return view->q + (k < 3 ? model->where[4 * i] + k : model->where[4 * i + 1] + k - 3);
}

static const double *speed(const carom_model *model, const carom_view *view, int i, int k)
{
    return view->v + (k < 3 ? model->where[4 * i + 2] + k : model->where[4 * i + 3] + k - 3);
}

int carom_bodies_write(const char *path, const carom_model *model, const carom_view *view)
{
    carom_file output;
    if (carom_file_open(&output, path) != 0) {
        return -1;
    }
    FILE *file = output.stream;
    fputs("body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n", file);
    for (int i = 0; i < model->bodies; i++) {
        fputs(model->body[i], file);
        for (int k = 0; k < 13; k++) {
            char text[CAROM_NUMBER_SIZE];
            (void)carom_number_text(text, k < 7 ? *place(model, view, i, k) : *speed(model, view, i, k - 7));
            fprintf(file, ",%s", text);
        }
        fputc('\n', file);
    }
    return carom_file_keep(&output);
}

int carom_motion_start(carom_motion *motion, const char *path, int frames, double until)
{
    *motion = (carom_motion){.open = 1, .interval = until / (frames > 1 ? frames - 1 : 1)};
    const int good = carom_file_open_lasting(&motion->output, path); /* what a killed run left goes with the next one */
    motion->output.lasting = 0;
    return good;
}

int carom_motion_due(const carom_motion *motion, double t, int last)
{
    return motion->open && (t >= motion->next - 1e-9 * motion->interval || last) &&
           (motion->frames == 0 || t > motion->t);
}

void carom_motion_wrote(carom_motion *motion, double t)
{
    motion->t = t;
    motion->frames++;
    while (motion->next <= t && motion->interval > 0) {
        motion->next += motion->interval;
    }
}

int carom_motion_open(carom_motion *motion, const char *path, const carom_model *model, int frames, double until)
{
    if (path == NULL || (model->bodies == 0 && model->found == 0)) {
        return 0;
    }
    if (carom_motion_start(motion, path, frames, until) != 0) {
        return -1;
    }
    fprintf(motion->output.stream, "carom motion of %d bodies%s\n", model->bodies,
            model->found > 0 ? " and contacts" : "");
    if (model->found > 0) {
        motion->press = malloc(sizeof *motion->press * (size_t)model->found);
    }
    return model->found == 0 || motion->press != NULL ? 0 : -1;
}

/* In an order of their own, so that the file is the same everywhere. */
static int stronger(const void *one, const void *other)
{
    const carom_press *const a = one, *const b = other;
    int order = (a->impulse < b->impulse) - (a->impulse > b->impulse);
    for (int k = 0; k < 3 && order == 0; k++) {
        order = (a->at[k] > b->at[k]) - (a->at[k] < b->at[k]);
    }
    return order;
}

static void put_presses(FILE *file, carom_press *press, int count)
{
    const int32_t told[2] = {count, count < CAROM_PRESSES ? count : CAROM_PRESSES};
    double over = 0;
    for (int i = 0; i < count; i++) {
        over = fmax(over, press[i].friction - press[i].mu * press[i].impulse);
    }
    qsort(press, (size_t)count, sizeof *press, stronger);
    (void)fwrite(told, sizeof told, 1, file);
    (void)fwrite(&over, sizeof over, 1, file);
    for (int i = 0; i < told[1]; i++) {
        const carom_press *const p = &press[i];
        const float x[9] = {(float)p->at[0],     (float)p->at[1],     (float)p->at[2],
                            (float)p->normal[0], (float)p->normal[1], (float)p->normal[2],
                            (float)p->impulse,   (float)p->friction,  (float)p->mu};
        (void)fwrite(x, sizeof x, 1, file);
    }
}

void carom_motion_frame(carom_motion *motion, const carom_model *model, const void *state, const carom_view *view)
{
    FILE *file = motion->output.stream;
    const double t = *view->t;
    (void)fwrite(&t, sizeof t, 1, file);
    for (int i = 0; i < 7 * model->bodies; i++) {
        const float x = (float)*place(model, view, i / 7, i % 7);
        (void)fwrite(&x, sizeof x, 1, file);
    }
    if (motion->press != NULL) {
        put_presses(file, motion->press, model->presses(state, motion->press));
    }
    carom_motion_wrote(motion, t);
}

void carom_motion_free(carom_motion *motion)
{
    carom_file_drop(&motion->output);
    free(motion->press);
}

int carom_motion_keep(carom_motion *motion)
{
    return motion->output.stream != NULL ? carom_file_keep(&motion->output) : 0;
}
