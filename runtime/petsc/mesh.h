/* The bodies' cells and nodes on this rank, and their boundaries. Nodes of all bodies share one numbering: those owned
 * here come first, then ghosts (nodes of cells here that another rank owns). Every cell is on one rank. */
#ifndef CAROM_PETSC_MESH_H
#define CAROM_PETSC_MESH_H

#include <carom/large.h>

#include "../mesh/shape.h"

#include <petscdm.h>

/* What went wrong in a way people should read, and the exit code for it; code 0: nothing. */
typedef struct {
    int code;
    char text[512];
} CaromTrouble;

void CaromSay(CaromTrouble *trouble, int code, const char *format, ...) PETSC_ATTRIBUTE_FORMAT(3, 4);

/* After this all ranks have the same trouble: that of the first rank that has one. */
PetscErrorCode CaromAgree(MPI_Comm comm, CaromTrouble *trouble);

typedef struct {
    char *name;
    PetscInt faces; /* of cells here */
    PetscInt *node; /* [faces x nodes of a face] */
} CaromBoundary;

/* A body as a source gives it: nodes have an id that grows with the local number among those this rank owns, and by
 * which their owner knows them. numbering makes the mesh of it. */
typedef struct {
    PetscInt nodes, cells, boundaries;
    PetscInt64 *id;
    PetscMPIInt *owner;
    PetscReal *X; /* [nodes x d] */
    PetscInt *cell;
    CaromBoundary *boundary; /* the same names on all ranks */
} CaromPart;

typedef struct {
    PetscInt nodes, face_nodes; /* of a cell, of a face */
    PetscInt cells, total;      /* here, everywhere */
    PetscInt first;             /* number of the first cell here */
    PetscInt *cell;             /* [cells x nodes] */
    PetscInt boundaries;
    CaromBoundary *boundary;
    PetscReal edge;  /* mean length of an edge */
    PetscBool alike; /* all cells here are translates of the first */
} CaromBodyMesh;

typedef struct {
    MPI_Comm comm;
    PetscInt d;
    PetscInt owned, ghosts; /* nodes */
    PetscInt first, total;  /* number of the first owned node; nodes everywhere */
    PetscInt *ghost;        /* [ghosts] numbers */
    PetscReal *X;           /* [(owned + ghosts) x d] */
    PetscInt bodies;
    CaromBodyMesh *body;
} CaromMesh;

PetscErrorCode CaromMeshCreate(MPI_Comm comm, const carom_large *model, const PetscReal *p, CaromMesh *mesh,
                               CaromTrouble *trouble);
PetscErrorCode CaromMeshDestroy(CaromMesh *mesh);

/* A boundary by its name; NULL and trouble that lists the names there are. */
const CaromBoundary *CaromMeshBoundary(const CaromMesh *mesh, const carom_large *model, int body, const char *name,
                                       const char *where, CaromTrouble *trouble);

/* The node of a body nearest to a place of the undeformed mesh: who has it, and where. */
PetscErrorCode CaromMeshNearest(const CaromMesh *mesh, int body, const double *at, PetscMPIInt *rank, PetscInt *node);

/* Bytes that a run of this many nodes and cells takes on all ranks together, about. */
PetscReal CaromMeshMemory(const carom_large *model, PetscReal nodes, PetscReal cells);

/* Says the estimate and refuses what the machine does not have. */
PetscErrorCode CaromMeshAfford(MPI_Comm comm, PetscReal bytes, PetscBool quiet, CaromTrouble *trouble);

/* The sources. */
PetscErrorCode CaromGrid(MPI_Comm comm, const carom_body *body, PetscInt d, const PetscReal *p, CaromPart *part);
PetscErrorCode CaromGmsh(MPI_Comm comm, const carom_body *body, PetscInt d, CaromPart *part, CaromTrouble *trouble);

PetscErrorCode CaromPartDestroy(CaromPart *part);

#endif
