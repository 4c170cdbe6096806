/* Preallocation and assembly of the operator. The blocks of a row are counted before: a node's neighbours are the nodes
 * of the cells around it; of nodes that another rank owns the owner is told. */
#include "assembly.h"

#include "parcels.h"

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
                                     PetscInt *count, CaromParcel **pair)
{
    const CaromMesh *mesh = &space->mesh;
    CaromParcel *out = NULL;
    PetscInt n, total = 0;
    PetscFunctionBeginUser;
    for (int pass = 0; pass < 2; pass++) { /* count, then write */
        if (pass == 1) {
            PetscCall(PetscCalloc1(total, &out));
            total = 0;
        }
        for (PetscInt g = 0; g < mesh->ghosts; g++) {
            PetscCall(neighbours(space, around, mesh->owned + g, room, &n, list));
            for (PetscInt i = 0; i < n; i++, total++) {
                if (pass == 1) {
                    out[total].row = mesh->ghost[g];
                    out[total].column = list[i];
                }
            }
        }
    }
    PetscCall(CaromParcelsSend(mesh->comm, mesh->first, mesh->owned, total, out, count, pair));
    PetscCall(PetscFree(out));
    PetscFunctionReturn(0);
}

/* Blocks of each owned row inside and outside the diagonal part, all of them and of the upper triangle only. */
static PetscErrorCode count_blocks(const CaromSpace *space, PetscInt *inside, PetscInt *outside, PetscInt *upper,
                                   PetscInt *upper_out)
{
    const CaromMesh *mesh = &space->mesh;
    Around around;
    PetscInt room = 0, pairs, *start, *list;
    CaromParcel *pair;
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
        start[pair[i].row - mesh->first + 1]++;
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
        const PetscInt row = pair[i].row - mesh->first;
        column[start[row] + fill[row]++] = pair[i].column;
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

/* Blocks of cells here in rows of other ranks; the owners add them. Of a symmetric matrix those of the upper
 * triangle. */
static PetscErrorCode add_foreign(const CaromMesh *mesh, PetscInt count, const CaromParcel *mine, Mat A)
{
    CaromParcel *theirs;
    PetscInt got;
    PetscFunctionBeginUser;
    PetscCall(CaromParcelsSend(mesh->comm, mesh->first, mesh->owned, count, mine, &got, &theirs));
    for (PetscInt i = 0; i < got; i++) {
        PetscCall(MatSetValuesBlocked(A, 1, &theirs[i].row, 1, &theirs[i].column, theirs[i].value, ADD_VALUES));
    }
    PetscCall(PetscFree(theirs));
    PetscFunctionReturn(0);
}

/* The number of such blocks. */
static PetscInt count_foreign(const CaromMesh *mesh)
{
    PetscInt count = 0;
    for (PetscInt b = 0; b < mesh->bodies; b++) {
        const CaromBodyMesh *body = &mesh->body[b];
        for (PetscInt i = 0; i < body->cells * body->nodes; i++) {
            count += body->cell[i] >= mesh->owned ? body->nodes : 0;
        }
    }
    return count;
}

/* Blocks of row i of a cell's matrix K. */
static void pack(const CaromBodyMesh *body, PetscInt d, PetscInt i, const PetscInt *number, const PetscReal *K,
                 PetscBool upper, PetscInt *count, CaromParcel *mine)
{
    const PetscInt width = body->nodes * d;
    for (PetscInt j = 0; j < body->nodes; j++) {
        if (!upper || number[j] >= number[i]) {
            CaromParcel *parcel = &mine[(*count)++];
            parcel->row = number[i];
            parcel->column = number[j];
            for (PetscInt k = 0; k < d * d; k++) {
                parcel->value[k] = K[(i * d + k / d) * width + j * d + k % d];
            }
        }
    }
}

PetscErrorCode CaromAssemble(const CaromSpace *space, const CaromTerms *terms, Vec u, Mat A, CaromTrouble *trouble)
{
    PetscReal *x = NULL, K[9 * CAROM_CELL_NODES * CAROM_CELL_NODES];
    PetscBool symmetric;
    PetscInt count = 0;
    CaromParcel *foreign;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(count_foreign(&space->mesh), &foreign));
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
            PetscInt number[CAROM_CELL_NODES], row[CAROM_CELL_NODES];
            if ((!same || c == 0) &&
                CaromCellMatrix(space, b, c, terms[b].mass, terms[b].stiffness, terms[b].force, x, K) != 0) {
                CaromCellInverted(space, b, c, trouble);
            }
            for (PetscInt i = 0; i < mesh->nodes; i++) {
                number[i] = number_of(&space->mesh, mesh->cell[c * mesh->nodes + i]);
                row[i] = mesh->cell[c * mesh->nodes + i] < space->mesh.owned ? number[i] : -1; /* -1: left out */
            }
            PetscCall(MatSetValuesBlocked(A, mesh->nodes, row, mesh->nodes, number, K, ADD_VALUES));
            for (PetscInt i = 0; i < mesh->nodes; i++) {
                if (row[i] < 0) {
                    pack(mesh, space->d, i, number, K, symmetric, &count, foreign);
                }
            }
        }
    }
    if (u != NULL) {
        PetscCall(CaromSpaceRestore(u, &x));
    }
    PetscCall(add_foreign(&space->mesh, count, foreign, A));
    PetscCall(PetscFree(foreign));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}
