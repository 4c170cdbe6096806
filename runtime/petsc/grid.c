/* Meshes of boxes, made where they are needed: every rank makes the cells of its own block of the lattice. Blocks come
 * from recursive bisection, so that any number of ranks gets balanced parts without talking. */
#include "mesh.h"

typedef struct {
    PetscInt lo[3], hi[3]; /* cells lo <= i < hi */
} Block;

/* Halves the block of ranks [0, ranks) again and again, towards `rank`, or towards the rank of the cell at `place`. */
static Block descend(const int *cells, PetscMPIInt ranks, PetscMPIInt rank, const PetscInt *place, PetscMPIInt *found)
{
    Block block;
    PetscMPIInt first = 0;
    for (int k = 0; k < 3; k++) {
        block.lo[k] = 0;
        block.hi[k] = cells[k] > 0 ? cells[k] : 1;
    }
    while (ranks > 1) {
        int axis = 0;
        PetscMPIInt left = ranks / 2;
        for (int k = 1; k < 3; k++) {
            if (block.hi[k] - block.lo[k] >= block.hi[axis] - block.lo[axis]) {
                axis = k;
            }
        }
        PetscInt cut = block.lo[axis] + (PetscInt)((PetscInt64)(block.hi[axis] - block.lo[axis]) * left / ranks);
        PetscBool low = place != NULL ? (PetscBool)(place[axis] < cut) : (PetscBool)(rank < first + left);
        if (low) {
            block.hi[axis] = cut;
            ranks = left;
        } else {
            block.lo[axis] = cut;
            first += left;
            ranks -= left;
        }
    }
    *found = first;
    return block;
}

/* The owner of a lattice node: the lowest rank among the cells around it. */
static PetscMPIInt owner_of(const int *cells, PetscMPIInt ranks, const PetscInt *node)
{
    PetscMPIInt owner = ranks;
    for (int corner = 0; corner < 8; corner++) {
        PetscInt place[3];
        PetscBool inside = PETSC_TRUE;
        for (int k = 0; k < 3; k++) {
            place[k] = node[k] - ((corner >> k) & 1);
            inside = (PetscBool)(inside && place[k] >= 0 && place[k] < (cells[k] > 0 ? cells[k] : 1));
        }
        if (inside) {
            PetscMPIInt found;
            (void)descend(cells, ranks, 0, place, &found);
            owner = PetscMin(owner, found);
        }
    }
    return owner;
}

/* Nodes of the block, those outside owned by others. */
static PetscErrorCode make_nodes(const carom_body *body, PetscInt d, const PetscReal *p, PetscMPIInt ranks,
                                 PetscMPIInt rank, const Block *block, const PetscInt *side, CaromPart *part)
{
    const carom_mesh_source *source = &body->mesh;
    PetscInt at = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc3(part->nodes, &part->id, part->nodes, &part->owner, (part->nodes * d), &part->X));
    for (PetscInt k = 0; k < side[2]; k++) {
        for (PetscInt j = 0; j < side[1]; j++) {
            for (PetscInt i = 0; i < side[0]; i++, at++) {
                const PetscInt node[3] = {block->lo[0] + i, block->lo[1] + j, block->lo[2] + k};
                PetscReal X[3] = {0, 0, 0}, moved[3] = {0, 0, 0};
                PetscBool edge = PETSC_FALSE;
                for (int c = 0; c < d; c++) {
                    X[c] = source->origin[c] + source->size[c] * (PetscReal)node[c] / source->cells[c];
                    edge = (PetscBool)(edge || node[c] == block->lo[c] || node[c] == block->hi[c]);
                }
                part->id[at] = node[0] + (PetscInt64)(source->cells[0] + 1) *
                                             (node[1] + (PetscInt64)(d > 1 ? source->cells[1] + 1 : 1) * node[2]);
                part->owner[at] = edge ? owner_of(source->cells, ranks, node) : rank;
                if (source->map != NULL) {
                    source->map(p, X, moved);
                }
                PetscCall(PetscArraycpy(part->X + at * d, source->map != NULL ? moved : X, d));
            }
        }
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode make_cells(const carom_body *body, const Block *block, const PetscInt *side, CaromPart *part)
{
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const int pieces = PetscMax(1, body->mesh.pieces);
    const int nodes = carom_shape_of((int)body->cell)->nodes;
    PetscInt *out;
    PetscFunctionBeginUser;
    part->cells = pieces;
    for (int k = 0; k < 3; k++) {
        part->cells *= block->hi[k] - block->lo[k];
    }
    PetscCall(PetscMalloc1((part->cells * nodes), &part->cell));
    out = part->cell;
    for (PetscInt k = 0; k < block->hi[2] - block->lo[2]; k++) {
        for (PetscInt j = 0; j < block->hi[1] - block->lo[1]; j++) {
            for (PetscInt i = 0; i < block->hi[0] - block->lo[0]; i++) {
                for (int q = 0; q < pieces; q++) {
                    for (int n = 0; n < nodes; n++) {
                        const int *c = corner[body->mesh.pieces > 0 ? body->mesh.piece[q][n] : n];
                        *out++ = i + c[0] + side[0] * (j + c[1] + side[1] * (k + c[2]));
                    }
                }
            }
        }
    }
    PetscFunctionReturn(0);
}

/* Faces all of whose nodes lie on a side of the lattice; first counted (node NULL), then written. */
static PetscInt side_faces(const carom_body *body, const Block *block, const PetscInt *side, int axis, int high,
                           const CaromPart *part, PetscInt *node)
{
    const carom_shape *shape = carom_shape_of((int)body->cell);
    const PetscInt stride = axis == 0 ? 1 : axis == 1 ? side[0] : side[0] * side[1];
    const PetscInt want = high ? body->mesh.cells[axis] : 0;
    PetscInt count = 0;
    if ((high && block->hi[axis] != want) || (!high && block->lo[axis] != 0)) {
        return 0;
    }
    for (PetscInt c = 0; c < part->cells; c++) {
        for (int f = 0; f < shape->faces; f++) {
            PetscBool on = PETSC_TRUE;
            for (int n = 0; n < shape->face_nodes && on; n++) {
                const PetscInt local = part->cell[c * shape->nodes + shape->face[f][n]];
                on = (PetscBool)(block->lo[axis] + local / stride % side[axis] == want);
            }
            if (on && node != NULL) {
                for (int n = 0; n < shape->face_nodes; n++) {
                    *node++ = part->cell[c * shape->nodes + shape->face[f][n]];
                }
            }
            count += on ? 1 : 0;
        }
    }
    return count;
}

PetscErrorCode CaromGrid(MPI_Comm comm, const carom_body *body, PetscInt d, const PetscReal *p, CaromPart *part)
{
    PetscMPIInt ranks, rank, found;
    int cells[3] = {1, 1, 1};
    PetscInt side[3];
    Block block;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    for (int k = 0; k < d; k++) {
        cells[k] = body->mesh.cells[k];
    }
    block = descend(cells, ranks, rank, NULL, &found);
    part->nodes = 1;
    for (int k = 0; k < 3; k++) {
        side[k] = block.hi[k] - block.lo[k] + (k < d ? 1 : 0);
        part->nodes *= side[k];
    }
    for (int k = 0; k < 3; k++) { /* an empty block has no nodes either */
        if (block.hi[k] == block.lo[k]) {
            part->nodes = side[2] = 0;
        }
    }
    PetscCall(make_nodes(body, d, p, ranks, rank, &block, side, part));
    PetscCall(make_cells(body, &block, side, part));
    part->boundaries = 2 * d;
    PetscCall(PetscCalloc1(part->boundaries, &part->boundary));
    for (PetscInt b = 0; b < part->boundaries; b++) {
        CaromBoundary *boundary = &part->boundary[b];
        const int axis = (int)b / 2, high = (int)b % 2;
        PetscCall(PetscStrallocpy(body->mesh.side[b], &boundary->name));
        boundary->faces = side_faces(body, &block, side, axis, high, part, NULL);
        PetscCall(PetscMalloc1((boundary->faces * carom_shape_of((int)body->cell)->face_nodes), &boundary->node));
        (void)side_faces(body, &block, side, axis, high, part, boundary->node);
    }
    PetscFunctionReturn(0);
}
