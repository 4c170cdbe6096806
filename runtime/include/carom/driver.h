/* The command-line driver that `carom run` links with a generated integrator. It knows only carom_model. */
#ifndef CAROM_DRIVER_H
#define CAROM_DRIVER_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Exit codes. A run stopped by a signal keeps its results and ends with 128 + the signal's number (130 for Ctrl-C). */
enum {
    CAROM_EXIT_GOOD = 0,
    CAROM_EXIT_RUN = 1,        /* a step failed */
    CAROM_EXIT_USAGE = 2,      /* wrong arguments, or an initial state that cannot be */
    CAROM_EXIT_ENVIRONMENT = 3 /* no memory, a file that cannot be written */
};

/* Runs the model as the arguments say (argv[0] is ignored; "--help" lists them) and returns the exit code. */
int carom_drive(const carom_model *model, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
