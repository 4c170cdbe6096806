/* The state of a run in a file, from which it goes on to the same bits. Every such file begins with the same head,
 * which says what it belongs to, and has a checksum over all of it; what follows is the back end's. A file is as
 * trusted as a program: it is guarded against damage and mistakes, not against somebody who means harm. Private to the
 * runtime. */
#ifndef CAROM_DRIVER_CHECKPOINT_H
#define CAROM_DRIVER_CHECKPOINT_H

#include "deform.h"
#include "options.h"
#include "progress.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
    char magic[16], digest[72]; /* of the model; the name of the back end comes first */
    int64_t parameters, step;
    double t, h, cpu;
    uint64_t checksum; /* of everything, with 0 here */
} carom_saved_head;

/* The head of a run as it is. */
void carom_saved_head_make(carom_saved_head *head, const carom_model *model, carom_place place,
                           const carom_steps *steps, double t, double cpu);

/* Word by word, each step a bijection of what was before: a single damaged word always shows. The tail of a text counts
 * as a word. Begin with 1. */
uint64_t carom_saved_sum(uint64_t sum, const void *data, size_t size);

/* Whether a file with this head and these parameters belongs to the run that wants it; else the message says why
 * not. */
int carom_saved_belongs(const char *path, const carom_saved_head *is, const carom_saved_head *want,
                        const carom_model *model, const double *parameter, const double *wanted, char *message);

/* The sentences about a file that cannot be gone on from. */
typedef enum {
    CAROM_SAVED_UNREADABLE,
    CAROM_SAVED_SHORT,
    CAROM_SAVED_DAMAGED,
    CAROM_SAVED_IMPOSSIBLE
} carom_saved_fault;
void carom_saved_refuse(const char *path, carom_saved_fault fault, char *message);

/* What a run of a carom_model is made of. */
typedef struct {
    const carom_model *model;
    double *params;
    carom_steps *steps;
    double *cpu, *target; /* target, inside: of a step that is made in parts */
    int *inside;
    carom_deformed *deformed; /* [meshes] */
    void *state;
    uint64_t start; /* sum of the state that the run began with */
} carom_saved;

/* The sum of time, places, velocities and inputs, for `start`. */
uint64_t carom_saved_start(const carom_model *model, void *state);

/* 0 when good, else errno says why; EDOM: a value is not finite. */
int carom_saved_write(const char *path, const carom_saved *saved);

/* 0 when good, else the message says why not. */
int carom_saved_read(const char *path, carom_saved *saved, char *message);

#endif
