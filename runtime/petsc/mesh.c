/* One numbering for the nodes of all bodies, the shape of their cells, and what people may hear about both. */
#define _XOPEN_SOURCE 700

#include "mesh.h"

#include <stdarg.h>
#include <unistd.h>

void CaromSay(CaromTrouble *trouble, int code, const char *format, ...)
{
    if (trouble->code == 0) {
        va_list values;
        va_start(values, format);
        (void)vsnprintf(trouble->text, sizeof trouble->text, format, values);
        va_end(values);
        trouble->code = code;
    }
}

PetscErrorCode CaromAgree(MPI_Comm comm, CaromTrouble *trouble)
{
    PetscMPIInt rank, ranks, mine, first;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    mine = trouble->code != 0 ? rank : ranks;
    PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
    if (first < ranks) {
        PetscCallMPI(MPI_Bcast(trouble, (PetscMPIInt)sizeof *trouble, MPI_BYTE, first, comm));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromPartDestroy(CaromPart *part)
{
    PetscFunctionBeginUser;
    PetscCall(PetscFree3(part->id, part->owner, part->X));
    for (PetscInt b = 0; b < part->boundaries; b++) {
        PetscCall(PetscFree(part->boundary[b].name));
        PetscCall(PetscFree(part->boundary[b].node));
    }
    PetscCall(PetscFree(part->boundary));
    PetscCall(PetscFree(part->cell));
    PetscFunctionReturn(0);
}

/* Asks the owners for the numbers of nodes: id[i] of rank owner[i] becomes its number. Owners find ids in their sorted
 * list. */
static PetscErrorCode ask_numbers(MPI_Comm comm, PetscInt count, const PetscMPIInt *owner, const PetscInt64 *id,
                                  PetscInt known, const PetscInt64 *known_id, PetscInt known_first, PetscInt *number)
{
    PetscMPIInt ranks, *send, *receive, *send_at, *receive_at, *fill, incoming = 0;
    PetscInt64 *question, *asked;
    PetscInt *answer, *answers;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCall(PetscCalloc5(ranks, &send, ranks, &receive, ranks + 1, &send_at, ranks + 1, &receive_at, ranks, &fill));
    for (PetscInt i = 0; i < count; i++) {
        send[owner[i]]++;
    }
    PetscCallMPI(MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, comm));
    for (PetscMPIInt r = 0; r < ranks; r++) {
        send_at[r + 1] = send_at[r] + send[r];
        receive_at[r + 1] = receive_at[r] + receive[r];
    }
    incoming = receive_at[ranks];
    PetscCall(PetscMalloc4(count, &question, incoming, &asked, incoming, &answer, count, &answers));
    for (PetscInt i = 0; i < count; i++) {
        question[send_at[owner[i]] + fill[owner[i]]++] = id[i];
    }
    PetscCallMPI(MPI_Alltoallv(question, send, send_at, MPIU_INT64, asked, receive, receive_at, MPIU_INT64, comm));
    for (PetscMPIInt i = 0; i < incoming; i++) {
        PetscInt low = 0, high = known;
        while (high - low > 1) {
            const PetscInt middle = (low + high) / 2;
            if (known_id[middle] <= asked[i]) {
                low = middle;
            } else {
                high = middle;
            }
        }
        PetscCheck(known > 0 && known_id[low] == asked[i], PETSC_COMM_SELF, PETSC_ERR_PLIB,
                   "a shared node has no owner");
        answer[i] = known_first + low;
    }
    PetscCallMPI(MPI_Alltoallv(answer, receive, receive_at, MPIU_INT, answers, send, send_at, MPIU_INT, comm));
    PetscCall(PetscArrayzero(fill, ranks));
    for (PetscInt i = 0; i < count; i++) {
        number[i] = answers[send_at[owner[i]] + fill[owner[i]]++];
    }
    PetscCall(PetscFree4(question, asked, answer, answers));
    PetscCall(PetscFree5(send, receive, send_at, receive_at, fill));
    PetscFunctionReturn(0);
}

static void renumber(PetscInt count, PetscInt *node, const PetscInt *local)
{
    for (PetscInt i = 0; i < count; i++) {
        node[i] = local[node[i]];
    }
}

/* The parts become the mesh: owned nodes body by body, then ghosts. Cells and boundaries move over. */
static PetscErrorCode number_nodes(CaromMesh *mesh, const carom_large *model, CaromPart *part)
{
    PetscMPIInt rank;
    PetscInt *first, ghost = 0, at = 0, most = 0;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
    PetscCall(PetscMalloc1(mesh->bodies, &first));
    for (PetscInt b = 0; b < mesh->bodies; b++) {
        first[b] = mesh->owned;
        most = PetscMax(most, part[b].nodes);
        for (PetscInt i = 0; i < part[b].nodes; i++) {
            mesh->owned += part[b].owner[i] == rank;
            mesh->ghosts += part[b].owner[i] != rank;
        }
    }
    PetscCallMPI(MPI_Exscan(&mesh->owned, &mesh->first, 1, MPIU_INT, MPI_SUM, mesh->comm));
    mesh->first = rank == 0 ? 0 : mesh->first;
    PetscCallMPI(MPI_Allreduce(&mesh->owned, &mesh->total, 1, MPIU_INT, MPI_SUM, mesh->comm));
    PetscCall(PetscMalloc2(mesh->ghosts, &mesh->ghost, ((mesh->owned + mesh->ghosts) * mesh->d), &mesh->X));
    for (PetscInt b = 0; b < mesh->bodies; b++) {
        CaromBodyMesh *body = &mesh->body[b];
        PetscInt *local, known = 0, count = 0;
        PetscInt64 *known_id, *id;
        PetscMPIInt *owner;
        PetscCall(
            PetscMalloc4(part[b].nodes, &local, part[b].nodes, &known_id, part[b].nodes, &id, part[b].nodes, &owner));
        for (PetscInt i = 0; i < part[b].nodes; i++) {
            if (part[b].owner[i] == rank) {
                known_id[known++] = part[b].id[i];
                local[i] = at++;
            } else {
                owner[count] = part[b].owner[i];
                id[count] = part[b].id[i];
                local[i] = mesh->owned + ghost + count++;
            }
            PetscCall(PetscArraycpy(mesh->X + local[i] * mesh->d, part[b].X + i * mesh->d, mesh->d));
        }
        PetscCall(
            ask_numbers(mesh->comm, count, owner, id, known, known_id, mesh->first + first[b], mesh->ghost + ghost));
        ghost += count;
        body->nodes = carom_shape_of((int)model->body[b].cell)->nodes;
        body->face_nodes = carom_shape_of((int)model->body[b].cell)->face_nodes;
        body->cells = part[b].cells;
        body->cell = part[b].cell;
        body->boundaries = part[b].boundaries;
        body->boundary = part[b].boundary;
        part[b].cell = NULL;
        part[b].boundary = NULL;
        part[b].boundaries = 0;
        renumber(body->cells * body->nodes, body->cell, local);
        for (PetscInt k = 0; k < body->boundaries; k++) {
            renumber(body->boundary[k].faces * body->face_nodes, body->boundary[k].node, local);
        }
        PetscCallMPI(MPI_Exscan(&body->cells, &body->first, 1, MPIU_INT, MPI_SUM, mesh->comm));
        body->first = rank == 0 ? 0 : body->first;
        PetscCallMPI(MPI_Allreduce(&body->cells, &body->total, 1, MPIU_INT, MPI_SUM, mesh->comm));
        PetscCall(PetscFree4(local, known_id, id, owner));
    }
    PetscCall(PetscFree(first));
    PetscFunctionReturn(0);
}

/* Length, area or volume of the parallelepiped at a corner, with its sign. */
static PetscReal corner_volume(const CaromMesh *mesh, const PetscInt *cell, const int *corner)
{
    const PetscInt d = mesh->d;
    const PetscReal *o = mesh->X + cell[corner[0]] * d;
    PetscReal e[3][3];
    for (PetscInt k = 0; k < d; k++) {
        const PetscReal *x = mesh->X + cell[corner[k + 1]] * d;
        for (PetscInt c = 0; c < d; c++) {
            e[k][c] = x[c] - o[c];
        }
    }
    if (d == 1) {
        return e[0][0];
    }
    if (d == 2) {
        return e[0][0] * e[1][1] - e[0][1] * e[1][0];
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* Cells must be right side out at every corner; the mean edge and whether all cells are alike fall out. */
static PetscErrorCode check_cells(CaromMesh *mesh, const carom_large *model, CaromTrouble *trouble)
{
    PetscFunctionBeginUser;
    for (PetscInt b = 0; b < mesh->bodies; b++) {
        CaromBodyMesh *body = &mesh->body[b];
        const carom_shape *shape = carom_shape_of((int)model->body[b].cell);
        const PetscInt d = mesh->d;
        /* a triangle is half of what its edges at a corner span, a tetrahedron a sixth */
        const PetscReal part_of_span = shape->nodes == d + 1 ? (d == 3 ? 1.0 / 6 : 1.0 / (PetscReal)d) : 1.0;
        PetscReal volume = 0, everywhere, size = 0;
        const PetscInt *cell0 = body->cell;
        body->alike = PETSC_TRUE;
        for (PetscInt c = 0; c < body->cells; c++) {
            const PetscInt *cell = body->cell + c * body->nodes;
            for (int k = 0; k < shape->corners; k++) {
                const PetscReal part = corner_volume(mesh, cell, shape->corner[k]);
                volume += part_of_span * part / shape->corners;
                if (!(part > 0)) {
                    const PetscReal *X = mesh->X + cell[shape->corner[k][0]] * d;
                    CaromSay(trouble, 2,
                             "body %s: cell %d is inverted or flat at its corner (%.6g, %.6g, %.6g); mesh it anew%s",
                             model->body[b].name, (int)(body->first + c + 1), X[0], d > 1 ? X[1] : 0.0,
                             d > 2 ? X[2] : 0.0, model->body[b].mesh.map != NULL ? " or change its map" : "");
                }
            }
            for (PetscInt n = 1; n < body->nodes && body->alike; n++) {
                for (PetscInt k = 0; k < d; k++) {
                    const PetscReal edge0 = mesh->X[cell0[n] * d + k] - mesh->X[cell0[0] * d + k];
                    const PetscReal edge = mesh->X[cell[n] * d + k] - mesh->X[cell[0] * d + k];
                    size = PetscMax(size, PetscAbsReal(edge0));
                    body->alike = (PetscBool)(body->alike && PetscAbsReal(edge - edge0) <= 1e-9 * size);
                }
            }
        }
        PetscCallMPI(MPI_Allreduce(&volume, &everywhere, 1, MPIU_REAL, MPIU_SUM, mesh->comm));
        body->edge = PetscPowReal(everywhere / PetscMax(body->total, 1), 1.0 / (PetscReal)d);
    }
    PetscCall(CaromAgree(mesh->comm, trouble));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromMeshCreate(MPI_Comm comm, const carom_large *model, const PetscReal *p, CaromMesh *mesh,
                               CaromTrouble *trouble)
{
    CaromPart *part;
    PetscFunctionBeginUser;
    *mesh = (CaromMesh){.comm = comm, .d = model->dimension, .bodies = model->bodies};
    PetscCall(PetscCalloc1(mesh->bodies, &mesh->body));
    PetscCall(PetscCalloc1(mesh->bodies, &part));
    for (PetscInt b = 0; b < mesh->bodies && trouble->code == 0; b++) {
        if (model->body[b].mesh.file != NULL) {
            PetscCall(CaromGmsh(comm, &model->body[b], mesh->d, &part[b], trouble));
        } else {
            PetscCall(CaromGrid(comm, &model->body[b], mesh->d, p, &part[b]));
        }
    }
    if (trouble->code == 0) {
        PetscCall(number_nodes(mesh, model, part));
        PetscCall(check_cells(mesh, model, trouble));
    }
    for (PetscInt b = 0; b < mesh->bodies; b++) {
        PetscCall(CaromPartDestroy(&part[b]));
    }
    PetscCall(PetscFree(part));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromMeshDestroy(CaromMesh *mesh)
{
    PetscFunctionBeginUser;
    for (PetscInt b = 0; b < mesh->bodies; b++) {
        CaromPart part = {
            .cell = mesh->body[b].cell, .boundary = mesh->body[b].boundary, .boundaries = mesh->body[b].boundaries};
        PetscCall(CaromPartDestroy(&part));
    }
    PetscCall(PetscFree(mesh->body));
    PetscCall(PetscFree2(mesh->ghost, mesh->X));
    PetscFunctionReturn(0);
}

const CaromBoundary *CaromMeshBoundary(const CaromMesh *mesh, const carom_large *model, int body, const char *name,
                                       const char *where, CaromTrouble *trouble)
{
    const CaromBodyMesh *there = &mesh->body[body];
    char names[256] = "";
    for (PetscInt k = 0; k < there->boundaries; k++) {
        const size_t used = strlen(names);
        if (strcmp(there->boundary[k].name, name) == 0) {
            return &there->boundary[k];
        }
        (void)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", there->boundary[k].name);
    }
    CaromSay(trouble, 2, "%s: body %s has no boundary \"%s\"; it has %s", where != NULL ? where : model->name,
             model->body[body].name, name, names[0] != '\0' ? names : "none with a name");
    return NULL;
}

PetscReal CaromMeshMemory(const carom_large *model, PetscReal nodes, PetscReal cells)
{
    const PetscReal d = model->dimension;
    /* blocks of the upper triangle per node: of hexahedra 14, of six tetrahedra in a cube 8, in the plane 5, on a line
     * 2 */
    const PetscReal blocks = d > 2.5 ? 14 : d > 1.5 ? 5 : 2;
    const PetscReal operator_bytes = model->scheme.plan == NULL ? nodes * blocks * (8 * d * d + 4) : 0;
    return operator_bytes + nodes * d * 8 * 24 + nodes * 100 + cells * 48 + 40e6;
}

/* What the machine can still give, in bytes. */
static PetscReal available_memory(void)
{
    PetscReal bytes = (PetscReal)sysconf(_SC_PHYS_PAGES) * (PetscReal)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/meminfo", "r");
    if (file != NULL) {
        char line[128];
        double kilobytes;
        while (fgets(line, sizeof line, file) != NULL) {
            if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) == 1) {
                bytes = 1024 * kilobytes;
            }
        }
        (void)fclose(file);
    }
    return bytes;
}

PetscErrorCode CaromMeshAfford(MPI_Comm comm, PetscReal bytes, PetscBool quiet, CaromTrouble *trouble)
{
    MPI_Comm machine;
    PetscMPIInt here, ranks;
    PetscReal have;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
    PetscCallMPI(MPI_Comm_size(machine, &here));
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCallMPI(MPI_Comm_free(&machine));
    have = available_memory();
    bytes *= (PetscReal)here / ranks;
    if (bytes > have) {
        CaromSay(trouble, 3,
                 "this run needs about %.3g GB and the machine has %.3g GB free; take a coarser mesh or more machines",
                 1e-9 * bytes, 1e-9 * have);
    } else if (!quiet && bytes > 2e8) {
        PetscCall(
            PetscFPrintf(comm, stderr, "about %.3g GB of memory needed, %.3g GB free\n", 1e-9 * bytes, 1e-9 * have));
    }
    PetscCall(CaromAgree(comm, trouble));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromMeshNearest(const CaromMesh *mesh, int body, const double *at, PetscMPIInt *rank, PetscInt *node)
{
    const CaromBodyMesh *cells = &mesh->body[body];
    struct {
        double distance;
        int rank;
    } mine = {PETSC_MAX_REAL, 0}, best;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(mesh->comm, &mine.rank));
    *node = 0;
    for (PetscInt i = 0; i < cells->cells * cells->nodes; i++) {
        PetscReal distance = 0;
        for (PetscInt c = 0; c < mesh->d; c++) {
            distance += PetscSqr(mesh->X[cells->cell[i] * mesh->d + c] - at[c]);
        }
        if (cells->cell[i] < mesh->owned && distance < mine.distance) {
            mine.distance = distance;
            *node = cells->cell[i];
        }
    }
    PetscCallMPI(MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, mesh->comm));
    *rank = best.rank;
    PetscFunctionReturn(0);
}
