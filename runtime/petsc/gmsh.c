/* Meshes from gmsh files: DMPlex reads and distributes them, the physical names become boundaries, then the DM goes. */
#include "mesh.h"

#include <petscdmplex.h>
#include <petscsf.h>

#include <unistd.h>

static PetscErrorCode read_plex(MPI_Comm comm, const carom_body *body, DM *dm)
{
    DM parts = NULL;
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsSetValue(NULL, "-dm_plex_gmsh_use_regions", "1"));
    PetscCall(PetscOptionsSetValue(NULL, "-dm_plex_gmsh_mark_vertices", "1"));
    PetscCall(DMPlexCreateFromFile(comm, body->mesh.file, body->name, PETSC_TRUE, dm));
    PetscCall(DMPlexDistribute(*dm, 0, NULL, &parts));
    if (parts != NULL) {
        PetscCall(DMDestroy(dm));
        *dm = parts;
    }
    PetscFunctionReturn(0);
}

/* The generator looked at the file; it may be another by now. Of cells of higher order places are known besides those
 * of vertices. */
static PetscErrorCode refuse_order(DM dm, const carom_body *body, CaromTrouble *trouble)
{
    PetscInt p0, p1, v0, v1;
    PetscSection section;
    PetscFunctionBeginUser;
    PetscCall(DMPlexGetDepthStratum(dm, 0, &v0, &v1));
    PetscCall(DMGetCoordinateSection(dm, &section));
    PetscCall(PetscSectionGetChart(section, &p0, &p1));
    for (PetscInt p = p0; p < p1 && trouble->code == 0; p++) {
        PetscInt count;
        PetscCall(PetscSectionGetDof(section, p, &count));
        if (count > 0 && (p < v0 || p >= v1)) {
            CaromSay(trouble, 2,
                     "%s has elements of second order, and the cells of body %s are of first order; write "
                     "Mesh.ElementOrder = 1 in the .geo "
                     "file, or gmsh -order 1, and mesh it anew",
                     body->mesh.file, body->name);
        }
    }
    PetscFunctionReturn(0);
}

static const char *kind_of(DMPolytopeType type)
{
    return type == DM_POLYTOPE_SEGMENT         ? "bar2"
           : type == DM_POLYTOPE_TRIANGLE      ? "tri3"
           : type == DM_POLYTOPE_QUADRILATERAL ? "quad4"
           : type == DM_POLYTOPE_TETRAHEDRON   ? "tet4"
           : type == DM_POLYTOPE_HEXAHEDRON    ? "hex8"
                                               : "a kind that is not known here";
}

/* Vertices of a point in the order of VTK; returns how many. */
static PetscErrorCode vertices_of(DM dm, PetscInt point, PetscInt v0, PetscInt v1, PetscBool cell, PetscInt *count,
                                  PetscInt *vertex)
{
    PetscInt size, *closure = NULL;
    DMPolytopeType type;
    PetscFunctionBeginUser;
    PetscCall(DMPlexGetTransitiveClosure(dm, point, PETSC_TRUE, &size, &closure));
    *count = 0;
    for (PetscInt i = 0; i < size; i++) {
        const PetscInt q = closure[2 * i];
        if (q >= v0 && q < v1 && *count < CAROM_CELL_NODES) {
            vertex[(*count)++] = q - v0;
        }
    }
    PetscCall(DMPlexRestoreTransitiveClosure(dm, point, PETSC_TRUE, &size, &closure));
    if (cell) {
        PetscCall(DMPlexGetCellType(dm, point, &type));
        PetscCall(DMPlexInvertCell(type, vertex));
    }
    PetscFunctionReturn(0);
}

/* A plane cell may come clockwise: that says nothing about its shape. */
static void turn_plane_cell(const PetscReal *X, PetscInt nodes, PetscInt *cell)
{
    PetscReal area = 0;
    for (PetscInt i = 0; i < nodes; i++) {
        const PetscReal *a = X + 2 * cell[i], *b = X + 2 * cell[(i + 1) % nodes];
        area += a[0] * b[1] - b[0] * a[1];
    }
    if (area < 0) {
        for (PetscInt i = 1, j = nodes - 1; i < j; i++, j--) {
            const PetscInt kept = cell[i];
            cell[i] = cell[j];
            cell[j] = kept;
        }
    }
}

static PetscErrorCode take_nodes(DM dm, PetscInt d, PetscInt v0, PetscInt v1, PetscMPIInt rank, CaromPart *part)
{
    PetscSF sf;
    PetscInt leaves, cdim;
    const PetscInt *leaf;
    const PetscSFNode *remote;
    Vec coordinates;
    PetscSection section;
    const PetscScalar *x;
    PetscFunctionBeginUser;
    part->nodes = v1 - v0;
    PetscCall(PetscMalloc3(part->nodes, &part->id, part->nodes, &part->owner, (part->nodes * d), &part->X));
    PetscCall(DMGetCoordinateDim(dm, &cdim));
    PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
    PetscCall(DMGetCoordinateSection(dm, &section));
    PetscCall(VecGetArrayRead(coordinates, &x));
    for (PetscInt i = 0; i < part->nodes; i++) {
        PetscInt offset;
        PetscCall(PetscSectionGetOffset(section, v0 + i, &offset));
        for (PetscInt c = 0; c < d; c++) {
            part->X[i * d + c] = c < cdim ? PetscRealPart(x[offset + c]) : 0;
        }
        part->id[i] = i;
        part->owner[i] = rank;
    }
    PetscCall(VecRestoreArrayRead(coordinates, &x));
    PetscCall(DMGetPointSF(dm, &sf));
    PetscCall(PetscSFGetGraph(sf, NULL, &leaves, &leaf, &remote));
    /* the owner knows a vertex by its own number, which starts where its vertices start */
    {
        PetscInt roots, *start, *starts;
        PetscCall(PetscSFGetGraph(sf, &roots, NULL, NULL, NULL));
        if (roots >= 0) {
            PetscCall(PetscMalloc2(roots, &start, roots, &starts));
            for (PetscInt i = 0; i < roots; i++) {
                start[i] = starts[i] = i - v0;
            }
            PetscCall(PetscSFBcastBegin(sf, MPIU_INT, start, starts, MPI_REPLACE));
            PetscCall(PetscSFBcastEnd(sf, MPIU_INT, start, starts, MPI_REPLACE));
            for (PetscInt i = 0; i < leaves; i++) {
                const PetscInt point = leaf != NULL ? leaf[i] : i;
                if (point >= v0 && point < v1) {
                    part->id[point - v0] = starts[point];
                    part->owner[point - v0] = (PetscMPIInt)remote[i].rank;
                }
            }
            PetscCall(PetscFree2(start, starts));
        }
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode take_cells(DM dm, const carom_body *body, PetscInt d, PetscInt v0, PetscInt v1, CaromPart *part,
                                 CaromTrouble *trouble)
{
    const CaromCellShape *shape = CaromShape(body->cell);
    PetscInt c0, c1;
    PetscFunctionBeginUser;
    PetscCall(DMPlexGetHeightStratum(dm, 0, &c0, &c1));
    part->cells = c1 - c0;
    PetscCall(PetscMalloc1((part->cells * shape->nodes), &part->cell));
    for (PetscInt c = c0; c < c1 && trouble->code == 0; c++) {
        PetscInt count, vertex[CAROM_CELL_NODES];
        DMPolytopeType type;
        PetscCall(DMPlexGetCellType(dm, c, &type));
        if (strcmp(kind_of(type), shape->name) != 0) {
            CaromSay(trouble, 2,
                     "%s has a cell of kind %s, and body %s is meshed with %s; write cell = \"%s\" or mesh it anew",
                     body->mesh.file, kind_of(type), body->name, shape->name, kind_of(type));
        } else {
            PetscCall(vertices_of(dm, c, v0, v1, PETSC_TRUE, &count, vertex));
            if (d == 2) {
                turn_plane_cell(part->X, count, vertex);
            }
            PetscCall(PetscArraycpy(part->cell + (c - c0) * shape->nodes, vertex, shape->nodes));
        }
    }
    PetscFunctionReturn(0);
}

/* Facets of a label that this rank owns; node NULL: counted only. */
static PetscErrorCode label_faces(DM dm, DMLabel label, const CaromCellShape *shape, PetscInt v0, PetscInt v1,
                                  PetscInt *faces, PetscInt *node)
{
    PetscInt f0, f1, leaves;
    const PetscInt *leaf;
    PetscSF sf;
    PetscFunctionBeginUser;
    PetscCall(DMPlexGetHeightStratum(dm, 1, &f0, &f1));
    PetscCall(DMGetPointSF(dm, &sf));
    PetscCall(PetscSFGetGraph(sf, NULL, &leaves, &leaf, NULL));
    *faces = 0;
    for (PetscInt f = f0; f < f1; f++) {
        PetscInt value, place = -1, count, vertex[CAROM_CELL_NODES];
        PetscCall(DMLabelGetValue(label, f, &value));
        if (value < 0) {
            continue;
        }
        if (leaves > 0 && leaf != NULL) {
            PetscCall(PetscFindInt(f, leaves, leaf, &place));
        }
        if (place >= 0) {
            continue;
        }
        if (node != NULL) {
            PetscCall(vertices_of(dm, f, v0, v1, PETSC_FALSE, &count, vertex));
            PetscCall(PetscArraycpy(node + *faces * shape->face_nodes, vertex, shape->face_nodes));
        }
        (*faces)++;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode take_boundaries(MPI_Comm comm, DM dm, const carom_body *body, PetscInt v0, PetscInt v1,
                                      CaromPart *part)
{
    const CaromCellShape *shape = CaromShape(body->cell);
    static const char *const own[] = {"depth",     "celltype",    "Cell Sets", "Face Sets",
                                      "Edge Sets", "Vertex Sets", "marker"};
    PetscInt labels;
    PetscFunctionBeginUser;
    PetscCall(DMGetNumLabels(dm, &labels));
    PetscCall(PetscCalloc1(labels, &part->boundary));
    for (PetscInt l = 0; l < labels; l++) {
        CaromBoundary *boundary = &part->boundary[part->boundaries];
        const char *name;
        PetscBool skip = PETSC_FALSE;
        PetscInt everywhere;
        DMLabel label;
        PetscCall(DMGetLabelName(dm, l, &name));
        for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
            skip = (PetscBool)(skip || strcmp(name, own[k]) == 0);
        }
        if (skip) {
            continue;
        }
        PetscCall(DMGetLabelByNum(dm, l, &label));
        PetscCall(label_faces(dm, label, shape, v0, v1, &boundary->faces, NULL));
        PetscCallMPI(MPI_Allreduce(&boundary->faces, &everywhere, 1, MPIU_INT, MPI_SUM, comm));
        if (everywhere > 0) {
            PetscCall(PetscStrallocpy(name, &boundary->name));
            PetscCall(PetscMalloc1((boundary->faces * shape->face_nodes), &boundary->node));
            PetscCall(label_faces(dm, label, shape, v0, v1, &boundary->faces, boundary->node));
            part->boundaries++;
        }
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromGmsh(MPI_Comm comm, const carom_body *body, PetscInt d, CaromPart *part, CaromTrouble *trouble)
{
    DM dm = NULL;
    PetscInt v0, v1, dimension;
    PetscMPIInt rank;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    if (access(body->mesh.file, R_OK) != 0) {
        CaromSay(trouble, 2, "cannot read the mesh %s of body %s", body->mesh.file, body->name);
    }
    PetscCall(CaromAgree(comm, trouble));
    if (trouble->code != 0) {
        PetscFunctionReturn(0);
    }
    PetscCall(read_plex(comm, body, &dm));
    PetscCall(DMGetDimension(dm, &dimension));
    PetscCall(refuse_order(dm, body, trouble));
    PetscCall(CaromAgree(comm, trouble));
    if (trouble->code != 0) {
        PetscCall(DMDestroy(&dm));
        PetscFunctionReturn(0);
    }
    if (dimension != CaromShape(body->cell)->dimension) {
        CaromSay(trouble, 2, "%s has cells of dimension %d, and body %s is meshed with %s", body->mesh.file,
                 (int)dimension, body->name, CaromShape(body->cell)->name);
    } else {
        PetscCall(DMPlexGetDepthStratum(dm, 0, &v0, &v1));
        PetscCall(take_nodes(dm, d, v0, v1, rank, part));
        PetscCall(take_cells(dm, body, d, v0, v1, part, trouble));
        PetscCall(take_boundaries(comm, dm, body, v0, v1, part));
    }
    PetscCall(DMDestroy(&dm));
    PetscCall(CaromAgree(comm, trouble));
    PetscFunctionReturn(0);
}
