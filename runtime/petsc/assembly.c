/* Preallocation and assembly of the operator. The blocks of a row are counted before: a node's neighbours are the nodes
 * of the cells around it; of nodes that another rank owns the owner is told. */
#include "assembly.h"

/* Cells around each local node, over all bodies: at[i] .. at[i + 1] in (body, cell). */
typedef struct {
    PetscInt *at, *body, *cell;
} Around;

static PetscErrorCode find_around(const CaromSpace *space, Around *around)
{
    const PetscInt nodes = space->mesh.owned + space->mesh.ghosts;
    PetscInt *fill, entries = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(nodes + 1, &around->at));
    PetscCall(PetscCalloc1(nodes, &fill));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        const CaromBodyMesh *mesh = &space->mesh.body[b];
        entries += mesh->cells * mesh->nodes;
        for (PetscInt i = 0; i < mesh->cells * mesh->nodes; i++) {
            around->at[mesh->cell[i] + 1]++;
        }
    }
    for (PetscInt i = 0; i < nodes; i++) {
        around->at[i + 1] += around->at[i];
    }
    PetscCall(PetscMalloc2(entries, &around->body, entries, &around->cell));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        const CaromBodyMesh *mesh = &space->mesh.body[b];
        for (PetscInt i = 0; i < mesh->cells * mesh->nodes; i++) {
            const PetscInt node = mesh->cell[i], place = around->at[node] + fill[node]++;
            around->body[place] = b;
            around->cell[place] = i / mesh->nodes;
        }
    }
    PetscCall(PetscFree(fill));
    PetscFunctionReturn(0);
}

static PetscInt number_of(const CaromMesh *mesh, PetscInt local)
{
    return local < mesh->owned ? mesh->first + local : mesh->ghost[local - mesh->owned];
}

/* Numbers of the neighbours of a local node through cells here, itself among them, sorted. */
static PetscErrorCode neighbours(const CaromSpace *space, const Around *around, PetscInt node, PetscInt room,
                                 PetscInt *count, PetscInt *list)
{
    PetscFunctionBeginUser;
    *count = 0;
    for (PetscInt k = around->at[node]; k < around->at[node + 1]; k++) {
        const CaromBodyMesh *mesh = &space->mesh.body[around->body[k]];
        PetscCheck(*count + mesh->nodes <= room, PETSC_COMM_SELF, PETSC_ERR_PLIB, "too many cells at a node");
        for (PetscInt i = 0; i < mesh->nodes; i++) {
            list[(*count)++] = number_of(&space->mesh, mesh->cell[around->cell[k] * mesh->nodes + i]);
        }
    }
    PetscCall(PetscSortRemoveDupsInt(count, list));
    PetscFunctionReturn(0);
}

/* Pairs (row, column) that cells here add to rows of other ranks, brought to their owners. */
static PetscErrorCode exchange_pairs(const CaromSpace *space, const Around *around, PetscInt room, PetscInt *list,
                                     PetscInt *count, PetscInt **pair)
{
    const CaromMesh *mesh = &space->mesh;
    PetscMPIInt ranks, *send, *receive, *send_at, *receive_at;
    PetscInt *ends, *out, *fill, n;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(mesh->comm, &ranks));
    PetscCall(PetscCalloc6(ranks, &send, ranks, &receive, ranks + 1, &send_at, ranks + 1, &receive_at, ranks, &ends,
                           ranks, &fill));
    n = mesh->first + mesh->owned;
    PetscCallMPI(MPI_Allgather(&n, 1, MPIU_INT, ends, 1, MPIU_INT, mesh->comm));
    out = NULL;
    for (int pass = 0; pass < 2; pass++) { /* count, then write */
        for (PetscInt g = 0; g < mesh->ghosts; g++) {
            PetscMPIInt r = 0;
            PetscCall(neighbours(space, around, mesh->owned + g, room, &n, list));
            while (mesh->ghost[g] >= ends[r]) {
                r++;
            }
            for (PetscInt i = 0; i < n; i++) {
                if (pass == 0) {
                    send[r] += 2;
                } else {
                    out[send_at[r] + fill[r]++] = mesh->ghost[g];
                    out[send_at[r] + fill[r]++] = list[i];
                }
            }
        }
        if (pass == 0) {
            for (PetscMPIInt r = 0; r < ranks; r++) {
                send_at[r + 1] = send_at[r] + send[r];
            }
            PetscCall(PetscMalloc1(send_at[ranks], &out));
        }
    }
    PetscCallMPI(MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, mesh->comm));
    for (PetscMPIInt r = 0; r < ranks; r++) {
        receive_at[r + 1] = receive_at[r] + receive[r];
    }
    *count = receive_at[ranks] / 2;
    PetscCall(PetscMalloc1(receive_at[ranks], pair));
    PetscCallMPI(MPI_Alltoallv(out, send, send_at, MPIU_INT, *pair, receive, receive_at, MPIU_INT, mesh->comm));
    PetscCall(PetscFree(out));
    PetscCall(PetscFree6(send, receive, send_at, receive_at, ends, fill));
    PetscFunctionReturn(0);
}

/* Blocks of each owned row inside and outside the diagonal part, all of them and of the upper triangle only. */
static PetscErrorCode count_blocks(const CaromSpace *space, PetscInt *inside, PetscInt *outside, PetscInt *upper,
                                   PetscInt *upper_out)
{
    const CaromMesh *mesh = &space->mesh;
    Around around;
    PetscInt room = 0, pairs, *pair, *start, *list;
    PetscFunctionBeginUser;
    PetscCall(find_around(space, &around));
    for (PetscInt i = 0; i < mesh->owned + mesh->ghosts; i++) {
        room = PetscMax(room, CAROM_CELL_NODES * (around.at[i + 1] - around.at[i]));
    }
    PetscCall(PetscMalloc1(room, &list));
    PetscCall(exchange_pairs(space, &around, room, list, &pairs, &pair));
    PetscCall(PetscFree(list));
    PetscCall(PetscCalloc1(mesh->owned + 1, &start)); /* pairs by row */
    for (PetscInt i = 0; i < pairs; i++) {
        start[pair[2 * i] - mesh->first + 1]++;
    }
    PetscInt most = 0;
    for (PetscInt i = 0; i < mesh->owned; i++) {
        most = PetscMax(most, start[i + 1]);
        start[i + 1] += start[i];
    }
    PetscInt *column, *fill;
    PetscCall(PetscMalloc1(pairs, &column));
    PetscCall(PetscCalloc1(mesh->owned, &fill));
    for (PetscInt i = 0; i < pairs; i++) {
        const PetscInt row = pair[2 * i] - mesh->first;
        column[start[row] + fill[row]++] = pair[2 * i + 1];
    }
    PetscCall(PetscMalloc1((room + most), &list));
    for (PetscInt i = 0; i < mesh->owned; i++) {
        PetscInt n;
        PetscCall(neighbours(space, &around, i, room, &n, list));
        for (PetscInt k = start[i]; k < start[i + 1]; k++) {
            list[n++] = column[k];
        }
        PetscCall(PetscSortRemoveDupsInt(&n, list));
        inside[i] = outside[i] = upper[i] = upper_out[i] = 0;
        for (PetscInt k = 0; k < n; k++) {
            const PetscBool in = (PetscBool)(list[k] >= mesh->first && list[k] < mesh->first + mesh->owned);
            inside[i] += in ? 1 : 0;
            outside[i] += in ? 0 : 1;
            upper[i] += in && list[k] >= mesh->first + i ? 1 : 0;
            upper_out[i] += !in && list[k] > mesh->first + i ? 1 : 0;
        }
    }
    PetscCall(PetscFree(list));
    PetscCall(PetscFree(column));
    PetscCall(PetscFree(fill));
    PetscCall(PetscFree(start));
    PetscCall(PetscFree(pair));
    PetscCall(PetscFree2(around.body, around.cell));
    PetscCall(PetscFree(around.at));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromAssemblyCreate(const CaromSpace *space, Mat *A)
{
    const CaromMesh *mesh = &space->mesh;
    PetscInt *inside, *outside, *upper, *upper_out;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc4(mesh->owned, &inside, mesh->owned, &outside, mesh->owned, &upper, mesh->owned, &upper_out));
    PetscCall(count_blocks(space, inside, outside, upper, upper_out));
    PetscCall(MatCreate(mesh->comm, A));
    PetscCall(MatSetSizes(*A, mesh->owned * space->d, mesh->owned * space->d, mesh->total * space->d,
                          mesh->total * space->d));
    PetscCall(MatSetBlockSize(*A, space->d));
    PetscCall(MatSetType(*A, MATSBAIJ));
    PetscCall(MatSetOptionsPrefix(*A, "carom_"));
    PetscCall(MatSetFromOptions(*A));
    PetscCall(MatXAIJSetPreallocation(*A, space->d, inside, outside, upper, upper_out));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE));
    PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
    PetscCall(PetscFree4(inside, outside, upper, upper_out));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromAssemble(const CaromSpace *space, const CaromTerms *terms, Vec u, Mat A, CaromTrouble *trouble)
{
    PetscReal *x = NULL, K[9 * CAROM_CELL_NODES * CAROM_CELL_NODES];
    PetscBool symmetric;
    PetscFunctionBeginUser;
    if (u != NULL) {
        PetscCall(CaromSpaceUpdate(u));
        PetscCall(CaromSpaceGet(u, &x));
    }
    PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &symmetric, MATSBAIJ, MATSEQSBAIJ, MATMPISBAIJ, ""));
    if (symmetric) {
        PetscCall(MatSetOption(A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
    }
    PetscCall(MatZeroEntries(A));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        const CaromBodyMesh *mesh = &space->mesh.body[b];
        const PetscBool same = (PetscBool)(space->product[b] != NULL);
        for (PetscInt c = 0; c < mesh->cells; c++) {
            PetscInt number[CAROM_CELL_NODES];
            if ((!same || c == 0) &&
                CaromCellMatrix(space, b, c, terms[b].mass, terms[b].stiffness, terms[b].force, x, K) != 0) {
                CaromCellInverted(space, b, c, trouble);
            }
            for (PetscInt i = 0; i < mesh->nodes; i++) {
                number[i] = number_of(&space->mesh, mesh->cell[c * mesh->nodes + i]);
            }
            PetscCall(MatSetValuesBlocked(A, mesh->nodes, number, mesh->nodes, number, K, ADD_VALUES));
        }
    }
    if (u != NULL) {
        PetscCall(CaromSpaceRestore(u, &x));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}
