/* Faces of the file by their nodes in any order. */
#include "sides.h"

#include <stdlib.h>
#include <string.h>

void carom_sides_turn(carom_gmsh *mesh)
{
    const int nodes = mesh->kind->nodes;
    for (int64_t k = 0; k < mesh->cells && mesh->kind->dimension == 2; k++) {
        int64_t *cell = mesh->cell + k * nodes;
        double area = 0.0;
        for (int i = 0; i < nodes; i++) {
            const double *a = mesh->X + 3 * cell[i], *b = mesh->X + 3 * cell[(i + 1) % nodes];
            area += a[0] * b[1] - b[0] * a[1];
        }
        for (int i = 1, j = nodes - 1; area < 0.0 && i < j; i++, j--) {
            const int64_t kept = cell[i];
            cell[i] = cell[j];
            cell[j] = kept;
        }
    }
}

typedef struct {
    int64_t key[CAROM_FACE_NODES]; /* sorted nodes */
    int64_t next;                  /* in its slot, -1: none */
} Face;

typedef struct {
    Face *face;
    int64_t size, *head; /* a power of 2; the first face of a slot, -1: none */
} Faces;

static void sort_key(int nodes, const int64_t *node, int64_t key[CAROM_FACE_NODES])
{
    for (int i = 0; i < CAROM_FACE_NODES; i++) {
        int j = i;
        const int64_t x = i < nodes ? node[i] : -1;
        for (; j > 0 && key[j - 1] > x; j--) {
            key[j] = key[j - 1];
        }
        key[j] = x;
    }
}

static int64_t slot_of(const Faces *faces, const int64_t key[CAROM_FACE_NODES])
{
    uint64_t h = 1;
    for (int i = 0; i < CAROM_FACE_NODES; i++) {
        h = (h ^ (uint64_t)key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (int64_t)(h & (uint64_t)(faces->size - 1));
}

static int same(const int64_t *a, const int64_t *b) { return memcmp(a, b, CAROM_FACE_NODES * sizeof *a) == 0; }

static int given_before(const carom_gmsh *mesh, const Faces *faces, int64_t f)
{
    for (int64_t g = faces->head[slot_of(faces, faces->face[f].key)]; g >= 0 && g < f; g = faces->face[g].next) {
        if (mesh->face_name[g] == mesh->face_name[f] && same(faces->face[g].key, faces->face[f].key)) {
            return 1;
        }
    }
    return 0;
}

int carom_sides_find(const carom_gmsh *mesh, const carom_shape *shape, int64_t *cell, int *side)
{
    Faces faces = {.size = 16};
    while (faces.size < 2 * mesh->faces) {
        faces.size *= 2;
    }
    faces.face = calloc((size_t)mesh->faces + 1, sizeof *faces.face);
    faces.head = malloc((size_t)faces.size * sizeof *faces.head);
    const int status = faces.face != NULL && faces.head != NULL ? 0 : -1;
    for (int64_t i = 0; i < faces.size && status == 0; i++) {
        faces.head[i] = -1;
    }
    for (int64_t f = mesh->faces - 1; f >= 0 && status == 0; f--) { /* so that slots list them in their order */
        sort_key(mesh->face_nodes, mesh->face + f * mesh->face_nodes, faces.face[f].key);
        int64_t *head = &faces.head[slot_of(&faces, faces.face[f].key)];
        faces.face[f].next = *head;
        *head = f;
        cell[f] = -1;
        side[f] = 0;
    }
    for (int64_t k = 0; k < mesh->cells && mesh->faces > 0 && status == 0; k++) {
        for (int s = 0; s < shape->faces; s++) {
            int64_t node[CAROM_FACE_NODES] = {-1, -1, -1, -1}, key[CAROM_FACE_NODES] = {-1, -1, -1, -1};
            for (int i = 0; i < shape->face_nodes; i++) {
                node[i] = mesh->cell[k * shape->nodes + shape->face[s][i]];
            }
            sort_key(shape->face_nodes, node, key);
            for (int64_t f = faces.head[slot_of(&faces, key)]; f >= 0; f = faces.face[f].next) {
                if (cell[f] < 0 && same(faces.face[f].key, key)) {
                    cell[f] = k;
                    side[f] = s;
                }
            }
        }
    }
    for (int64_t f = 0; f < mesh->faces && status == 0; f++) {
        cell[f] = given_before(mesh, &faces, f) ? -1 : cell[f];
    }
    free(faces.face);
    free(faces.head);
    return status;
}
