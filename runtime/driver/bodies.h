/* The csv file of the bodies of a pile at the end of a run. Private to the driver. */
#ifndef CAROM_DRIVER_BODIES_H
#define CAROM_DRIVER_BODIES_H

#include <carom/model.h>

/* Writes one row per body: name, place, quaternion, velocity, angular velocity; 0 when good, else errno says why. */
int carom_bodies_write(const char *path, const carom_model *model, const carom_view *view);

#endif
