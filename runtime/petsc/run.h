/* A run of a large model: arguments, state, files. */
#ifndef CAROM_PETSC_RUN_H
#define CAROM_PETSC_RUN_H

#include "motion.h"

typedef struct {
    PetscReal until, step, cfl;
    PetscInt64 every;
    const char *result, *report, *record;
    PetscInt frames;
    const char *frames_dir;
    const char *checkpoint, *resume;
    PetscReal checkpoint_minutes;
    PetscBool json, quiet, progress, with_parent, help;
    int assignments;
    const char **assign; /* "name=value", points into argv */
} CaromOptions;

/* Arguments up to "--"; what follows belongs to PETSc. */
PetscErrorCode CaromOptionsRead(CaromOptions *options, const carom_large *model, int argc, char **argv,
                                CaromTrouble *trouble);
PetscErrorCode CaromOptionsAssign(const CaromOptions *options, const carom_large *model, PetscReal *p,
                                  CaromTrouble *trouble);
void CaromOptionsHelp(FILE *file, const carom_large *model);

typedef struct {
    const carom_large *model;
    CaromOptions options;
    MPI_Comm comm;
    PetscMPIInt rank, ranks;
    PetscReal *p;
    CaromSpace space;
    CaromObstacles obstacles;
    CaromMotion motion;
    struct _p_CaromScheme scheme;
    PetscReal h, last_h, cfl;  /* step, last step, CFL number of the step */
    PetscReal off;             /* times are step h + off: not 0 after a checkpoint of a short last step */
    PetscInt64 step, steps;    /* made, to make */
    PetscReal cpu, user, wall; /* seconds in steps, of this rank: processor, that without the system, clock */
    PetscReal kinetic, elastic, energy0;
    PetscReal *held; /* [fixes x 3] mean forces of the supports in the step before the last row */
    FILE *csv;
    char *csv_part;                    /* its name until the run has ended, NULL: what cannot be renamed, a device */
    PetscInt64 rows, row_step;         /* written; step of the last one */
    PetscInt *probe_rank, *probe_node; /* who has the node nearest to a probe, and where */
    PetscInt pictures;
    carom_deformed *deformed; /* [bodies] greatest of all rows of the result */
    CaromTrouble trouble;
} CaromRun;

/* result.csv */
PetscErrorCode CaromProbesFind(CaromRun *run);
PetscErrorCode CaromResultOpen(CaromRun *run);
PetscErrorCode CaromResultRow(CaromRun *run);
PetscErrorCode CaromResultFlush(CaromRun *run); /* what was written is on the disk */
PetscErrorCode CaromResultClose(CaromRun *run);

/* The report, for people and as json; `status` is "ok", "interrupted" or "error". */
PetscErrorCode CaromReport(CaromRun *run, int code, PetscBool began);

/* Pictures: picture k is taken after the step that reaches k / frames of the run. */
PetscErrorCode CaromFrame(CaromRun *run, PetscInt k);
PetscInt64 CaromFrameStep(const CaromRun *run, PetscInt k);

/* Checkpoints. Reading sets step, t, u, v and totals. */
PetscErrorCode CaromCheckpointWrite(CaromRun *run);
PetscErrorCode CaromCheckpointRead(CaromRun *run);

/* A closed file goes to the disk and then gets its name; 0 when good, else errno says why. */
int CaromFileSettle(const char *part, const char *path);

#endif
