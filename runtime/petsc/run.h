/* A run of a large model: arguments, state, files. */
#ifndef CAROM_PETSC_RUN_H
#define CAROM_PETSC_RUN_H

#include "motion.h"

#include "../driver/checkpoint.h"
#include "../driver/deform.h"
#include "../driver/options.h"
#include "../driver/progress.h"
#include "../driver/result.h"
#include "../driver/skin.h"
#include "../driver/stop.h"

enum { CAROM_OUTPUT_NAME = 256 };

/* The driver sees the run as a carom_model that has outputs alone; `y` are their values. */
typedef struct {
    carom_model model;
    carom_view view;
    carom_counts counts;
    carom_quantity *output, *contact;
    carom_mesh *mesh;
    char (*name)[CAROM_OUTPUT_NAME];
    PetscReal *y;
} CaromFace;

typedef struct {
    const carom_large *model;
    carom_options options;
    MPI_Comm comm;
    PetscMPIInt rank, ranks;
    PetscReal *p;
    CaromSpace space;
    CaromObstacles obstacles;
    CaromMotion motion;
    struct _p_CaromScheme scheme;
    carom_steps steps;
    PetscReal cfl;             /* CFL number of the step */
    PetscReal cpu, user, wall; /* seconds in steps, of this rank: processor, that without the system, clock */
    PetscReal energy0;
    PetscReal *held; /* [fixes x 3] mean forces of the supports in the step before the last row */
    CaromFace face;
    carom_result result;     /* of the first rank */
    PetscInt64 row_step;     /* step of the last row */
    PetscMPIInt *probe_rank; /* who has the node nearest to a probe ... */
    PetscInt *probe_node;    /* ... and where */
    PetscInt pictures;
    PetscBool saved;   /* there is a checkpoint */
    carom_motion film; /* the outside over the run, for the page: next frame on all ranks, the file on the first */
    carom_skin skin;   /* of the first rank, as is ... */
    carom_mesh *whole; /* ... all of the bodies, by number of node */
    VecScatter gather; /* displacements of all ranks ... */
    Vec gathered;      /* ... on the first */
    carom_deformed *deformed; /* [bodies] greatest of all rows of the result */
    CaromTrouble trouble;
} CaromRun;

/* What the driver sees; before anything is made of the model. */
PetscErrorCode CaromFaceCreate(CaromRun *run);
PetscErrorCode CaromFaceDestroy(CaromRun *run);

/* result.csv. A row is the present state: its values are gathered on all ranks, the first writes them. */
PetscErrorCode CaromProbesFind(CaromRun *run);
PetscErrorCode CaromResultOpen(CaromRun *run);
PetscErrorCode CaromResultRow(CaromRun *run);
PetscErrorCode CaromResultFlush(CaromRun *run, PetscBool to_disk); /* or only out of the buffer, on the first rank */
PetscErrorCode CaromResultClose(CaromRun *run);

/* The report, for people and as json. */
PetscErrorCode CaromReport(CaromRun *run, PetscBool began);

/* Pictures: picture k is taken after the step that reaches k / frames of the run; with dense output at that time. */
PetscErrorCode CaromFrame(CaromRun *run, PetscInt k);
PetscReal CaromFrameTime(const CaromRun *run, PetscInt k);
PetscBool CaromFrameDue(const CaromRun *run, PetscInt k); /* it is of the present state, or of one before */

/* What the page of a run shows of its meshes; nothing when it was not asked for, or for very many nodes. */
PetscErrorCode CaromFilmOpen(CaromRun *run);
PetscErrorCode CaromFilmFrame(CaromRun *run); /* when one is due */
PetscErrorCode CaromFilmClose(CaromRun *run);

/* Checkpoints. Reading sets step, t, u, v and totals. */
PetscErrorCode CaromCheckpointWrite(CaromRun *run);
PetscErrorCode CaromCheckpointRead(CaromRun *run);

#endif
