/* Pairs nodes with faces (mesh/closest.h): every rank gets the faces of all. */
#include "pairing.h"

/* The centre of the cell that each face belongs to: a cell here that has all its nodes. */
static PetscErrorCode find_cells(const CaromSpace *space, int body, const CaromBoundary *boundary, carom_face *face)
{
    const CaromBodyMesh *b = &space->mesh.body[body];
    const PetscInt d = space->d, nodes = space->mesh.owned + space->mesh.ghosts, per = b->face_nodes;
    PetscInt *head, *next; /* faces by their first node */
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(nodes, &head, boundary->faces, &next));
    for (PetscInt i = 0; i < nodes; i++) {
        head[i] = -1;
    }
    for (PetscInt f = 0; f < boundary->faces; f++) {
        next[f] = head[boundary->node[f * per]];
        head[boundary->node[f * per]] = f;
    }
    for (PetscInt e = 0; e < b->cells; e++) {
        const PetscInt *cell = b->cell + e * b->nodes;
        for (PetscInt a = 0; a < b->nodes; a++) {
            for (PetscInt f = head[cell[a]]; f >= 0; f = next[f]) {
                PetscInt shared = 0;
                for (PetscInt k = 0; k < per * b->nodes; k++) {
                    shared += boundary->node[f * per + k / b->nodes] == cell[k % b->nodes] ? 1 : 0;
                }
                for (PetscInt k = 0; k < b->nodes * d && shared == per; k++) {
                    face[f].cell[k % d] += space->mesh.X[cell[k / d] * d + k % d] / (PetscReal)b->nodes;
                }
            }
        }
    }
    PetscCall(PetscFree2(head, next));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromFacesGather(const CaromSpace *space, int body, const CaromBoundary *boundary, carom_faces *faces)
{
    const CaromMesh *mesh = &space->mesh;
    const PetscInt d = space->d, per = mesh->body[body].face_nodes;
    PetscMPIInt ranks, mine, *counts, *starts;
    PetscReal *mask;
    carom_face *here;
    PetscFunctionBeginUser;
    *faces = (carom_faces){.d = (int)d, .per = (int)per};
    PetscCallMPI(MPI_Comm_size(mesh->comm, &ranks));
    PetscCall(PetscCalloc1(boundary->faces, &here));
    PetscCall(find_cells(space, body, boundary, here));
    PetscCall(CaromSpaceGet(space->mask, &mask));
    for (PetscInt f = 0; f < boundary->faces; f++) {
        for (PetscInt a = 0; a < per; a++) {
            const PetscInt node = boundary->node[f * per + a];
            here[f].node[a].number =
                (PetscReal)(node < mesh->owned ? mesh->first + node : mesh->ghost[node - mesh->owned]);
            PetscCall(PetscArraycpy(here[f].node[a].X, mesh->X + node * d, d));
            PetscCall(PetscArraycpy(here[f].node[a].free, mask + node * d, d));
        }
    }
    PetscCall(CaromSpaceRestore(space->mask, &mask));
    PetscCall(PetscMalloc2(ranks, &counts, ranks + 1, &starts));
    mine = (PetscMPIInt)boundary->faces * CAROM_FACE_DOUBLES;
    PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, mesh->comm));
    starts[0] = 0;
    for (PetscMPIInt r = 0; r < ranks; r++) {
        starts[r + 1] = starts[r] + counts[r];
    }
    faces->n = (size_t)(starts[ranks] / CAROM_FACE_DOUBLES);
    PetscCall(PetscMalloc1(faces->n, &faces->face));
    PetscCallMPI(MPI_Allgatherv(here, mine, MPI_DOUBLE, faces->face, counts, starts, MPI_DOUBLE, mesh->comm));
    carom_faces_finish(faces);
    PetscCall(PetscFree2(counts, starts));
    PetscCall(PetscFree(here));
    PetscFunctionReturn(0);
}
