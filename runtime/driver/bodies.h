/* The bodies of a pile: a csv file of them at the end of a run, and their places over the run for pictures. Private
 * to the driver. */
#ifndef CAROM_DRIVER_BODIES_H
#define CAROM_DRIVER_BODIES_H

#include <carom/model.h>

#include "file.h"

/* Writes one row per body: name, place, quaternion, velocity, angular velocity; 0 when good, else errno says why. */
int carom_bodies_write(const char *path, const carom_model *model, const carom_view *view);

typedef struct {
    carom_file output;
    double next, interval, t; /* of the next frame, between frames, of the last one */
    int frames, open;
    carom_press *press; /* room for contacts that were found */
} carom_motion;

/* A line of text, then for each frame the time (a double) and x, y, z, qw, qx, qy, qz of every body (floats), in the
 * order of bytes of this machine. Where contacts are found while running, then also: how many press and how many of
 * these are told (two words, the strongest at most CAROM_PRESSES), by how much one leaves its friction cone most (a
 * double, 0: none does), and of each that is told place, normal, impulse, friction and coefficient (floats). path NULL,
 * or a model with neither: nothing is written. 0 when good. */
enum { CAROM_PRESSES = 500 };
int carom_motion_open(carom_motion *motion, const char *path, const carom_model *model, int frames, double until);

/* Writes a frame. */
void carom_motion_frame(carom_motion *motion, const carom_model *model, const void *state, const carom_view *view);

/* What every file of pictures has: it is opened, a frame is due (or it is the last), one was written. */
int carom_motion_start(carom_motion *motion, const char *path, int frames, double until);
int carom_motion_due(const carom_motion *motion, double t, int last);
void carom_motion_wrote(carom_motion *motion, double t);

/* Closes the file and gives it its name; 0 when good, else errno says why. */
int carom_motion_keep(carom_motion *motion);

/* Whatever became of it. */
void carom_motion_free(carom_motion *motion);

#endif
