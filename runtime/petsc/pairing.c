/* Pairs nodes with faces. The same geometry as on the small path, so that both pair alike: Gauss-Newton on the surface
 * of each face, kept inside it; of faces equally near the first. */
#include "pairing.h"

enum { CENTRE = 0 }; /* a record begins with it; radius, cell and nodes follow */

static PetscInt radius_at(const CaromFaces *f) { return f->d; }
static PetscInt cell_at(const CaromFaces *f) { return f->d + 1; }
static PetscInt node_at(const CaromFaces *f, PetscInt a) { return 2 * f->d + 1 + a * (1 + 2 * f->d); }

static PetscReal dot(PetscInt d, const PetscReal *a, const PetscReal *b)
{
    PetscReal sum = 0;
    for (PetscInt c = 0; c < d; c++) {
        sum += a[c] * b[c];
    }
    return sum;
}

/* ---- gathering ---- */

/* The centre of the cell that each face belongs to: a cell here that has all its nodes. */
static PetscErrorCode find_cells(const CaromSpace *space, int body, const CaromBoundary *boundary, PetscReal *centre)
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
                    centre[f * d + k % d] += space->mesh.X[cell[k / d] * d + k % d] / (PetscReal)b->nodes;
                }
            }
        }
    }
    PetscCall(PetscFree2(head, next));
    PetscFunctionReturn(0);
}

static int before(const void *a, const void *b, void *context)
{
    const PetscReal *x = a, *y = b;
    for (PetscInt c = *(const PetscInt *)context - 1; c >= 0; c--) {
        if (x[c] != y[c]) {
            return x[c] < y[c] ? -1 : 1;
        }
    }
    return 0;
}

PetscErrorCode CaromFacesGather(const CaromSpace *space, int body, const CaromBoundary *boundary, CaromFaces *faces)
{
    const CaromMesh *mesh = &space->mesh;
    const PetscInt d = space->d, per = mesh->body[body].face_nodes;
    PetscMPIInt ranks, mine, *counts, *starts;
    PetscReal *here, *cell, *mask;
    PetscFunctionBeginUser;
    *faces = (CaromFaces){.d = d, .per = per, .width = 2 * d + 1 + per * (1 + 2 * d)};
    PetscCallMPI(MPI_Comm_size(mesh->comm, &ranks));
    PetscCall(PetscCalloc2((boundary->faces * faces->width), &here, (boundary->faces * d), &cell));
    PetscCall(find_cells(space, body, boundary, cell));
    PetscCall(CaromSpaceGet(space->mask, &mask));
    for (PetscInt f = 0; f < boundary->faces; f++) {
        PetscReal *record = here + f * faces->width;
        for (PetscInt a = 0; a < per; a++) {
            const PetscInt node = boundary->node[f * per + a];
            PetscReal *at = record + node_at(faces, a);
            at[0] = (PetscReal)(node < mesh->owned ? mesh->first + node : mesh->ghost[node - mesh->owned]);
            PetscCall(PetscArraycpy(at + 1, mesh->X + node * d, d));
            PetscCall(PetscArraycpy(at + 1 + d, mask + node * d, d));
            for (PetscInt c = 0; c < d; c++) {
                record[CENTRE + c] += at[1 + c] / (PetscReal)per;
            }
        }
        for (PetscInt a = 0; a < per; a++) {
            PetscReal square = 0;
            for (PetscInt c = 0; c < d; c++) {
                square += PetscSqr(record[node_at(faces, a) + 1 + c] - record[CENTRE + c]);
            }
            record[radius_at(faces)] = PetscMax(record[radius_at(faces)], PetscSqrtReal(square));
        }
        PetscCall(PetscArraycpy(record + cell_at(faces), cell + f * d, d));
    }
    PetscCall(CaromSpaceRestore(space->mask, &mask));
    PetscCall(PetscMalloc2(ranks, &counts, ranks + 1, &starts));
    mine = (PetscMPIInt)(boundary->faces * faces->width);
    PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, mesh->comm));
    starts[0] = 0;
    for (PetscMPIInt r = 0; r < ranks; r++) {
        starts[r + 1] = starts[r] + counts[r];
    }
    faces->n = starts[ranks] / faces->width;
    PetscCall(PetscMalloc1(starts[ranks], &faces->face));
    PetscCallMPI(MPI_Allgatherv(here, mine, MPIU_REAL, faces->face, counts, starts, MPIU_REAL, mesh->comm));
    PetscCall(PetscTimSort(faces->n, faces->face, (size_t)faces->width * sizeof(PetscReal), before, &faces->d));
    PetscCall(PetscFree2(counts, starts));
    PetscCall(PetscFree2(here, cell));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromFacesDestroy(CaromFaces *faces)
{
    PetscFunctionBeginUser;
    PetscCall(PetscFree(faces->face));
    PetscFunctionReturn(0);
}

/* ---- the nearest point of a face ---- */

/* Shape functions of a face with `per` nodes and their derivatives: a point, a line and a square on [-1, 1], a unit
 * triangle. */
static void shapes(PetscInt per, const PetscReal *xi, PetscReal *N, PetscReal (*D)[2])
{
    static const PetscReal corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    if (per == 1) {
        N[0] = 1;
    } else if (per == 2) {
        for (int a = 0; a < 2; a++) {
            N[a] = (1 + corner[a][0] * xi[0]) / 2;
            D[a][0] = corner[a][0] / 2;
        }
    } else if (per == 3) {
        N[0] = 1 - xi[0] - xi[1];
        N[1] = xi[0];
        N[2] = xi[1];
        for (int a = 0; a < 3; a++) {
            D[a][0] = a == 0 ? -1 : a == 1;
            D[a][1] = a == 0 ? -1 : a == 2;
        }
    } else {
        for (int a = 0; a < 4; a++) {
            const PetscReal f = (1 + corner[a][0] * xi[0]) / 2, g = (1 + corner[a][1] * xi[1]) / 2;
            N[a] = f * g;
            D[a][0] = corner[a][0] / 2 * g;
            D[a][1] = corner[a][1] / 2 * f;
        }
    }
}

static PetscReal within(PetscReal x, PetscReal low, PetscReal high) { return PetscMax(low, PetscMin(high, x)); }

static void keep_inside(PetscInt per, PetscReal *xi)
{
    if (per == 3) {
        xi[0] = PetscMax(0, xi[0]);
        xi[1] = PetscMax(0, xi[1]);
        const PetscReal excess = (xi[0] + xi[1] - 1) / 2;
        if (excess > 0) {
            xi[0] = within(xi[0] - excess, 0, 1);
            xi[1] = within(xi[1] - excess, 0, 1);
        }
    } else {
        xi[0] = within(xi[0], -1, 1);
        xi[1] = within(xi[1], -1, 1);
    }
}

/* Point y and directions along the face at xi. */
static void on_face(const CaromFaces *faces, const PetscReal *face, const PetscReal *xi, PetscReal *N, PetscReal *y,
                    PetscReal (*along)[3])
{
    PetscReal D[4][2] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    shapes(faces->per, xi, N, D);
    for (PetscInt c = 0; c < 3; c++) {
        y[c] = along[0][c] = along[1][c] = 0;
        for (PetscInt a = 0; a < faces->per && c < faces->d; a++) {
            const PetscReal X = face[node_at(faces, a) + 1 + c];
            y[c] += N[a] * X;
            along[0][c] += D[a][0] * X;
            along[1][c] += D[a][1] * X;
        }
    }
}

static void project(const CaromFaces *faces, const PetscReal *face, const PetscReal *x, PetscReal *xi)
{
    const PetscInt d = faces->d, per = faces->per;
    xi[0] = xi[1] = per == 3 ? 1.0 / 3 : 0;
    for (int it = 0; it < 30 && per > 1; it++) {
        PetscReal N[4], y[3], along[2][3], r[3] = {0, 0, 0}, moved[2] = {xi[0], xi[1]}, size;
        on_face(faces, face, xi, N, y, along);
        for (PetscInt c = 0; c < d; c++) {
            r[c] = x[c] - y[c];
        }
        const PetscReal a = dot(d, along[0], along[0]), f = dot(d, along[0], r);
        if (per == 2) {
            moved[0] += f / a;
        } else {
            const PetscReal b = dot(d, along[0], along[1]), c = dot(d, along[1], along[1]), g = dot(d, along[1], r);
            const PetscReal det = a * c - b * b;
            moved[0] += (c * f - b * g) / det;
            moved[1] += (a * g - b * f) / det;
        }
        keep_inside(per, moved);
        size = PetscMax(PetscAbsReal(moved[0] - xi[0]), per > 2 ? PetscAbsReal(moved[1] - xi[1]) : 0);
        xi[0] = moved[0];
        xi[1] = moved[1];
        if (size < 1e-13) {
            break;
        }
    }
}

/* Outward normal: across the directions along the face, away from its cell. */
static void set_normal(const CaromFaces *faces, const PetscReal *face, PetscReal (*along)[3], PetscReal *normal)
{
    const PetscInt d = faces->d;
    PetscReal out[3] = {0, 0, 0};
    for (PetscInt c = 0; c < d; c++) {
        out[c] = face[CENTRE + c] - face[cell_at(faces) + c];
    }
    normal[0] = 1;
    normal[1] = normal[2] = 0;
    if (d == 2) {
        normal[0] = along[0][1];
        normal[1] = -along[0][0];
    } else if (d == 3) {
        for (PetscInt c = 0; c < 3; c++) {
            const PetscInt a = (c + 1) % 3, b = (c + 2) % 3;
            normal[c] = along[0][a] * along[1][b] - along[0][b] * along[1][a];
        }
    }
    const PetscReal length = PetscSqrtReal(dot(d, normal, normal)) * (dot(d, normal, out) < 0 ? -1 : 1);
    for (PetscInt c = 0; c < d; c++) {
        normal[c] /= length;
    }
}

/* The edges of a face by the directions that point out of it, as gen/fem/pairing.lua has them; x: the node. */
static void set_edges(const CaromFaces *faces, const PetscReal *face, const PetscReal *x, CaromNearest *nearest)
{
    const PetscInt d = faces->d, per = faces->per;
    for (PetscInt e = 0; e < 4; e++) {
        PetscReal *edge = nearest->edge[e], width = 0;
        const PetscReal *A = face + node_at(faces, e % per) + 1, *B = face + node_at(faces, (e + 1) % per) + 1;
        edge[0] = edge[1] = edge[2] = 0;
        edge[3] = -1;
        if (per == 1 || e >= per) {
            continue;
        }
        for (PetscInt c = 0; c < d; c++) {
            const PetscInt p = (c + 1) % 3, q = (c + 2) % 3;
            edge[c] = d == 2 ? A[c] - B[c] : (B[p] - A[p]) * nearest->normal[q] - (B[q] - A[q]) * nearest->normal[p];
        }
        for (PetscInt a = 0; a < per; a++) {
            PetscReal inside = 0;
            for (PetscInt c = 0; c < d; c++) {
                inside += edge[c] * (A[c] - face[node_at(faces, a) + 1 + c]);
            }
            /* negative where the nodes go round the other way */
            width = PetscAbsReal(inside) > PetscAbsReal(width) ? inside : width;
        }
        edge[3] = 0;
        for (PetscInt c = 0; c < d; c++) {
            edge[c] /= width;
            edge[3] += edge[c] * (x[c] - A[c]);
        }
    }
}

void CaromFacesNearest(const CaromFaces *faces, const PetscReal *x, CaromNearest *nearest)
{
    PetscReal least = PETSC_MAX_REAL;
    for (PetscInt f = 0; f < faces->n; f++) {
        const PetscReal *face = faces->face + f * faces->width;
        PetscReal xi[2], N[4], y[3], along[2][3], square = 0;
        for (PetscInt c = 0; c < faces->d; c++) {
            square += PetscSqr(x[c] - face[CENTRE + c]);
        }
        const PetscReal room = PetscSqrtReal(square) - face[radius_at(faces)]; /* no point of the face is nearer */
        if (room > 0 && room * room > 1.001 * least) {
            continue;
        }
        project(faces, face, x, xi);
        on_face(faces, face, xi, N, y, along);
        square = 0;
        for (PetscInt c = 0; c < faces->d; c++) {
            square += PetscSqr(x[c] - y[c]);
        }
        if (least == PETSC_MAX_REAL || square < least - 1e-18) {
            least = square;
            for (PetscInt a = 0; a < faces->per; a++) {
                const PetscReal *node = face + node_at(faces, a);
                nearest->node[a] = (PetscInt)node[0];
                nearest->weight[a] = N[a];
                for (PetscInt c = 0; c < faces->d; c++) {
                    nearest->free[c] = (a == 0 ? 0 : nearest->free[c]) + N[a] * node[1 + faces->d + c];
                }
            }
            (void)PetscArraycpy(nearest->point, y, 3);
            set_normal(faces, face, along, nearest->normal);
            set_edges(faces, face, x, nearest);
        }
    }
}
