/* Many runs of one model in one process: carom sweep. Private to the driver. */
#ifndef CAROM_DRIVER_SWEEP_H
#define CAROM_DRIVER_SWEEP_H

#include "carom/driver.h"

/* argv: input file, output file, until, step. The input has the names of parameters, inputs and initial values (NAME or
 * NAME.dot) in its first line and a row of numbers for each run; the output repeats them and adds how each run ended:
 * the number of its status (0 good), time, positions, velocities, impulses of contacts, outputs. A run that fails is
 * told by its status and keeps the values where it stopped. Returns an exit code of carom/driver.h. */
int carom_sweep(const carom_model *model, const carom_side_by_side *lanes, int argc, char **argv);

#endif
