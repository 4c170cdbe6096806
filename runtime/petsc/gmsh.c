/* Meshes from gmsh files. Every rank reads the whole file and cuts it alike, by halving the cells again and again
 * across their longest extent, so that no rank has to ask another, and parts, numbers and with them all bits are the
 * same in every run. (A graph partitioner such as PT-Scotch's cuts otherwise each time.) */
#include "mesh.h"

#include "../mesh/sides.h"

#include <stdlib.h>

typedef struct {
    double at;
    PetscInt cell;
} Place;

static int by_place(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at ? 1 : x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* The middle of a cell, times its number of nodes. */
static double middle(const carom_gmsh *file, PetscInt cell, int c)
{
    double sum = 0;
    for (int n = 0; n < file->kind->nodes; n++) {
        sum += file->X[3 * file->cell[cell * file->kind->nodes + n] + c];
    }
    return sum;
}

/* Ranks first .. first + ranks - 1 share these cells. */
static void bisect(const carom_gmsh *file, PetscInt count, Place *place, PetscMPIInt first, PetscMPIInt ranks,
                   PetscMPIInt *rank_of)
{
    double low[3], high[3];
    int axis = 0;
    if (ranks == 1) {
        for (PetscInt i = 0; i < count; i++) {
            rank_of[place[i].cell] = first;
        }
        return;
    }
    for (int c = 0; c < 3; c++) {
        low[c] = PETSC_MAX_REAL;
        high[c] = -PETSC_MAX_REAL;
        for (PetscInt i = 0; i < count; i++) {
            const double x = middle(file, place[i].cell, c);
            low[c] = PetscMin(low[c], x);
            high[c] = PetscMax(high[c], x);
        }
        axis = high[c] - low[c] > high[axis] - low[axis] ? c : axis;
    }
    for (PetscInt i = 0; i < count; i++) {
        place[i].at = middle(file, place[i].cell, axis);
    }
    qsort(place, (size_t)count, sizeof *place, by_place);
    const PetscMPIInt left = ranks / 2;
    const PetscInt cut = (PetscInt)((PetscInt64)count * left / ranks);
    bisect(file, cut, place, first, left, rank_of);
    bisect(file, count - cut, place + cut, first + left, ranks - left, rank_of);
}

static PetscErrorCode share_cells(const carom_gmsh *file, PetscMPIInt ranks, PetscMPIInt *rank_of)
{
    Place *place;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(file->cells, &place));
    for (PetscInt i = 0; i < file->cells; i++) {
        place[i].cell = i;
    }
    bisect(file, (PetscInt)file->cells, place, 0, ranks, rank_of);
    PetscCall(PetscFree(place));
    PetscFunctionReturn(0);
}

/* Cells of this rank in the order of the file, and their nodes; a node belongs to the lowest rank with a cell at it. */
static PetscErrorCode take_cells(const carom_gmsh *file, PetscInt d, PetscMPIInt ranks, PetscMPIInt rank,
                                 const PetscMPIInt *rank_of, CaromPart *part, PetscInt *local)
{
    const PetscInt nodes = file->kind->nodes;
    PetscMPIInt *owner;
    PetscInt at = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(file->nodes, &owner));
    for (PetscInt i = 0; i < file->nodes; i++) {
        owner[i] = ranks;
        local[i] = -1;
    }
    for (PetscInt k = 0; k < file->cells; k++) {
        part->cells += rank_of[k] == rank;
        for (PetscInt n = 0; n < nodes; n++) {
            const int64_t node = file->cell[k * nodes + n];
            owner[node] = PetscMin(owner[node], rank_of[k]);
            local[node] = rank_of[k] == rank ? 0 : local[node];
        }
    }
    for (PetscInt i = 0; i < file->nodes; i++) {
        part->nodes += local[i] >= 0;
    }
    PetscCall(PetscMalloc3(part->nodes, &part->id, part->nodes, &part->owner, (part->nodes * d), &part->X));
    for (PetscInt i = 0; i < file->nodes; i++) {
        if (local[i] >= 0) {
            part->id[at] = i;
            part->owner[at] = owner[i];
            for (PetscInt c = 0; c < d; c++) {
                part->X[at * d + c] = file->X[3 * i + c];
            }
            local[i] = at++;
        }
    }
    PetscCall(PetscMalloc1((part->cells * nodes), &part->cell));
    at = 0;
    for (PetscInt k = 0; k < file->cells; k++) {
        for (PetscInt n = 0; n < nodes && rank_of[k] == rank; n++) {
            part->cell[at++] = local[file->cell[k * nodes + n]];
        }
    }
    PetscCall(PetscFree(owner));
    PetscFunctionReturn(0);
}

/* Boundaries with faces anywhere, on every rank; of the faces those of its own cells. */
static PetscErrorCode take_boundaries(const carom_gmsh *file, const carom_shape *shape, PetscMPIInt rank,
                                      const PetscMPIInt *rank_of, const PetscInt *local, CaromPart *part)
{
    PetscInt *here, *everywhere, *place;
    int64_t *cell;
    int *side;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(file->faces, &cell, file->faces, &side));
    PetscCheck(carom_sides_find(file, shape, cell, side) == 0, PETSC_COMM_SELF, PETSC_ERR_MEM, "faces of a mesh");
    PetscCall(PetscCalloc3(file->names, &here, file->names, &everywhere, file->names, &place));
    PetscCall(PetscCalloc1(file->names, &part->boundary));
    for (PetscInt f = 0; f < file->faces; f++) {
        const int name = file->face_name[f];
        if (cell[f] >= 0) {
            everywhere[name]++;
            here[name] += rank_of[cell[f]] == rank;
        }
    }
    for (int b = 0; b < file->names; b++) {
        if (everywhere[b] > 0) {
            CaromBoundary *boundary = &part->boundary[part->boundaries];
            PetscCall(PetscStrallocpy(file->name[b], &boundary->name));
            PetscCall(PetscMalloc1((here[b] * shape->face_nodes), &boundary->node));
            place[b] = part->boundaries++;
        }
    }
    for (PetscInt f = 0; f < file->faces; f++) {
        if (cell[f] >= 0 && rank_of[cell[f]] == rank) {
            CaromBoundary *boundary = &part->boundary[place[file->face_name[f]]];
            for (int i = 0; i < shape->face_nodes; i++) {
                boundary->node[boundary->faces * shape->face_nodes + i] =
                    local[file->cell[cell[f] * shape->nodes + shape->face[side[f]][i]]];
            }
            boundary->faces++;
        }
    }
    PetscCall(PetscFree3(here, everywhere, place));
    PetscCall(PetscFree2(cell, side));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromGmsh(MPI_Comm comm, const carom_body *body, PetscInt d, CaromPart *part, CaromTrouble *trouble)
{
    const carom_shape *shape = carom_shape_of((int)body->cell);
    carom_gmsh file;
    char why[CAROM_GMSH_WHY];
    PetscMPIInt rank, ranks, *rank_of;
    PetscInt *local;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    if (carom_gmsh_read(body->mesh.file, carom_gmsh_cell(shape->name), &file, why) != 0) {
        CaromSay(trouble, 2, "the mesh %s of body %s: it %s", body->mesh.file, body->name, why);
    }
    PetscCall(CaromAgree(comm, trouble));
    if (trouble->code == 0) {
        carom_sides_turn(&file);
        PetscCall(PetscMalloc2(file.cells, &rank_of, file.nodes, &local));
        PetscCall(share_cells(&file, ranks, rank_of));
        PetscCall(take_cells(&file, d, ranks, rank, rank_of, part, local));
        PetscCall(take_boundaries(&file, shape, rank, rank_of, local, part));
        PetscCall(PetscFree2(rank_of, local));
    }
    carom_gmsh_free(&file);
    PetscFunctionReturn(0);
}
