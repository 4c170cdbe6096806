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

/* Instances of a model side by side (carom gen --target batch), without its types. */
typedef struct {
    size_t (*bytes)(size_t n); /* of n instances, which are as far apart as `alignment` asks */
    size_t alignment;
    void (*fill)(void *packs, size_t n, const void *state);
    void (*put)(void *packs, size_t i, const void *state);
    size_t (*advance)(void *packs, size_t n, double t_end, double h);
    carom_status (*status)(const void *packs, size_t i);
    carom_status (*get)(const void *packs, size_t i, void *state);
} carom_side_by_side;

/* Many runs of a model as carom sweep writes them down: argv as runtime/driver/sweep.h says. lanes: how it makes them
 * side by side; NULL: one after another. */
int carom_drive_sweep(const carom_model *model, const carom_side_by_side *lanes, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
