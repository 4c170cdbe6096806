/* See skin.h. */
#include "skin.h"

#include "../mesh/shape.h"
#include "deform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 2000,    /* nodes in a picture */
    NUMBERS = 22000, /* nodes times frames: what a page holds in about 240 kB */
    PER_NODE = 5     /* displacement, strain, stress */
};

/* A side of a cell: its nodes in order of their numbers, and as they go round. */
typedef struct {
    int mesh, key[CAROM_FACE_NODES], round[CAROM_FACE_NODES];
} side;

/* A node and the box of a lattice that it lies in. */
typedef struct {
    int box[4]; /* the mesh, and where in its lattice */
    int node, place;
    double off; /* how far from the middle of its mesh: the outermost is drawn */
} spot;

static const carom_shape *shape_of(const carom_mesh *mesh)
{
    const carom_shape *found = NULL;
    for (int k = 0; k < CAROM_SHAPES; k++) {
        const carom_shape *shape = carom_shape_of(k);
        if (shape->dimension == mesh->dimension && shape->nodes == mesh->cell_nodes) {
            found = shape;
        }
    }
    return found;
}

static int by_key(const void *left, const void *right)
{
    const side *a = left, *b = right;
    int order = (a->mesh > b->mesh) - (a->mesh < b->mesh);
    for (int k = 0; k < CAROM_FACE_NODES && order == 0; k++) {
        order = (a->key[k] > b->key[k]) - (a->key[k] < b->key[k]);
    }
    return order;
}

static int by_box(const void *left, const void *right)
{
    const spot *a = left, *b = right;
    int order = 0;
    for (int k = 0; k < 4 && order == 0; k++) {
        order = (a->box[k] > b->box[k]) - (a->box[k] < b->box[k]);
    }
    if (order == 0) {
        order = (a->off < b->off) - (a->off > b->off);
    }
    return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

static int by_node(const void *left, const void *right)
{
    const spot *a = left, *b = right;
    const int order = (a->box[0] > b->box[0]) - (a->box[0] < b->box[0]);
    return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

static side side_of(int b, const int *cell, const int *corner, int count)
{
    side s = {.mesh = b};
    for (int k = 0; k < CAROM_FACE_NODES; k++) {
        s.key[k] = s.round[k] = k < count ? cell[corner != NULL ? corner[k] : k] : -1;
    }
    for (int i = 1; i < count; i++) {
        for (int k = i; k > 0 && s.key[k - 1] > s.key[k]; k--) {
            const int other = s.key[k];
            s.key[k] = s.key[k - 1];
            s.key[k - 1] = other;
        }
    }
    return s;
}

/* All sides that are seen; *count of them. NULL: no memory. */
static side *sides_of(const carom_mesh *mesh, int meshes, int *count)
{
    size_t room = 1, n = 0, kept = 0;
    for (int b = 0; b < meshes; b++) {
        room += (size_t)mesh[b].cells * (mesh[b].dimension == 3 ? 6U : 1U);
    }
    side *list = malloc(room * sizeof *list);
    for (int b = 0; b < meshes && list != NULL; b++) {
        const carom_shape *shape = shape_of(&mesh[b]);
        for (int e = 0; e < mesh[b].cells && shape != NULL; e++) {
            const int *cell = mesh[b].cell + (size_t)e * (size_t)mesh[b].cell_nodes;
            for (int f = 0; f < (shape->dimension == 3 ? shape->faces : 1); f++) {
                list[n++] = shape->dimension == 3 ? side_of(b, cell, shape->face[f], shape->face_nodes)
                                                  : side_of(b, cell, NULL, shape->nodes);
            }
        }
    }
    if (list != NULL) {
        qsort(list, n, sizeof *list, by_key);
        for (size_t i = 0; i < n; i++) {
            const int shared =
                mesh[list[i].mesh].dimension == 3 &&
                ((i > 0 && by_key(&list[i], &list[i - 1]) == 0) || (i + 1 < n && by_key(&list[i], &list[i + 1]) == 0));
            list[i].round[0] = shared ? -1 : list[i].round[0];
        }
        for (size_t i = 0; i < n; i++) {
            if (list[i].round[0] >= 0) {
                list[kept++] = list[i];
            }
        }
    }
    *count = (int)kept;
    return list;
}

/* The nodes of these sides, each once, by number. */
static spot *spots_of(const carom_mesh *mesh, const side *sides, int count, int *nodes)
{
    spot *list = malloc(((size_t)count * CAROM_FACE_NODES + 1) * sizeof *list);
    size_t n = 0, kept = 0;
    for (int i = 0; i < count && list != NULL; i++) {
        for (int k = 0; k < CAROM_FACE_NODES; k++) {
            if (sides[i].round[k] >= 0) {
                list[n++] = (spot){.box = {sides[i].mesh}, .node = sides[i].round[k]};
            }
        }
    }
    if (list != NULL) {
        double middle[3] = {0.0};
        qsort(list, n, sizeof *list, by_node);
        for (size_t i = 0; i < n; i++) {
            if (i == 0 || by_node(&list[i], &list[i - 1]) != 0) {
                list[kept++] = list[i];
            }
        }
        for (size_t i = 0, first = 0; i < kept; i++) {
            const carom_mesh *m = &mesh[list[i].box[0]];
            for (int k = 0; k < m->dimension; k++) {
                middle[k] += m->X[list[i].node * m->dimension + k];
            }
            if (i + 1 == kept || list[i + 1].box[0] != list[i].box[0]) {
                const double number = (double)(i + 1 - first);
                for (; first <= i; first++) {
                    for (int k = 0; k < m->dimension; k++) {
                        const double x = m->X[list[first].node * m->dimension + k] - middle[k] / number;
                        list[first].off += x * x;
                    }
                }
                middle[0] = middle[1] = middle[2] = 0.0;
            }
        }
    }
    *nodes = (int)kept;
    return list;
}

/* Sorts the nodes into boxes of this width; how many boxes there are. */
static int boxes_of(const carom_mesh *mesh, spot *spots, int nodes, double width)
{
    int count = 0;
    for (int i = 0; i < nodes; i++) {
        const carom_mesh *m = &mesh[spots[i].box[0]];
        for (int k = 0; k < m->dimension; k++) {
            const double at = floor(m->X[spots[i].node * m->dimension + k] / width);
            spots[i].box[1 + k] = (int)fmax(-1e9, fmin(1e9, at));
        }
    }
    qsort(spots, (size_t)nodes, sizeof *spots, by_box);
    for (int i = 0; i < nodes; i++) {
        count += i == 0 || memcmp(spots[i].box, spots[i - 1].box, sizeof spots[i].box) != 0;
    }
    return count;
}

static double extent(const carom_mesh *mesh, const spot *spots, int nodes)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < nodes; i++) {
        for (int k = 0; k < mesh[spots[i].box[0]].dimension; k++) {
            const double x = mesh[spots[i].box[0]].X[spots[i].node * mesh[spots[i].box[0]].dimension + k];
            low = fmin(low, x);
            high = fmax(high, x);
        }
    }
    return high > low ? high - low : 1.0;
}

/* Where a node is drawn: spots are in the order of by_node. */
static int place_of(const spot *spots, int nodes, int b, int node)
{
    const spot key = {.box = {b}, .node = node};
    return ((const spot *)bsearch(&key, spots, (size_t)nodes, sizeof *spots, by_node))->place;
}

static void add_triangle(carom_skin *skin, int a, int b, int c)
{
    if (a != b && a != c) {
        int *corner = skin->corner + (size_t)3 * (size_t)skin->triangles++;
        corner[0] = a;
        corner[1] = b;
        corner[2] = c;
    }
}

int carom_skin_make(carom_skin *skin, const carom_mesh *mesh, int meshes, int most)
{
    int count = 0, nodes = 0, largest = 0;
    *skin = (carom_skin){0};
    side *sides = sides_of(mesh, meshes, &count);
    spot *spots = sides != NULL ? spots_of(mesh, sides, count, &nodes) : NULL;
    for (int b = 0; b < meshes; b++) {
        for (int i = 0; i < mesh[b].cells * mesh[b].cell_nodes; i++) {
            largest = mesh[b].cell[i] + 1 > largest ? mesh[b].cell[i] + 1 : largest;
        }
    }
    if (spots != NULL) {
        double width = extent(mesh, spots, nodes);
        int shown = nodes;
        if (nodes > most) {
            for (width *= 1e-3; (shown = boxes_of(mesh, spots, nodes, width)) > most; width *= 1.1) {
            }
        }
        skin->mesh = malloc(((size_t)shown + 1) * sizeof *skin->mesh);
        skin->node = malloc(((size_t)shown + 1) * sizeof *skin->node);
        skin->corner = malloc(((size_t)count * 6 + 1) * sizeof *skin->corner);
        skin->sum = malloc(((size_t)largest * 2 + 1) * sizeof *skin->sum);
        skin->values = malloc(((size_t)shown * PER_NODE + 1) * sizeof *skin->values);
    }
    const int good = spots != NULL && skin->mesh != NULL && skin->node != NULL && skin->corner != NULL &&
                     skin->sum != NULL && skin->values != NULL;
    for (int i = 0; i < nodes && good; i++) {
        const int fresh = nodes <= most || i == 0 || memcmp(spots[i].box, spots[i - 1].box, sizeof spots[i].box) != 0;
        if (fresh) {
            skin->mesh[skin->nodes] = spots[i].box[0];
            skin->node[skin->nodes++] = spots[i].node;
        }
        spots[i].place = skin->nodes - 1;
    }
    if (good) {
        qsort(spots, (size_t)nodes, sizeof *spots, by_node);
    }
    for (int i = 0; i < count && good; i++) {
        int at[CAROM_FACE_NODES];
        for (int k = 0; k < CAROM_FACE_NODES; k++) {
            at[k] = sides[i].round[k] >= 0 ? place_of(spots, nodes, sides[i].mesh, sides[i].round[k]) : -1;
        }
        add_triangle(skin, at[0], at[1], at[2] >= 0 ? at[2] : at[1]);
        if (at[3] >= 0 && at[2] != at[3]) {
            add_triangle(skin, at[0], at[2], at[3]);
        }
    }
    free(sides);
    free(spots);
    return good ? 0 : -1;
}

int carom_skin_open(carom_skin *skin, carom_motion *motion, const char *path, const carom_mesh *mesh, int meshes,
                    int frames, double until)
{
    if (carom_skin_make(skin, mesh, meshes, SHOWN) != 0) {
        return -1;
    }
    const int most = skin->nodes > 0 ? NUMBERS / skin->nodes : NUMBERS;
    frames = frames < most ? frames : most > 11 ? most : 11;
    if (carom_motion_start(motion, path, frames, until) != 0) {
        return -1;
    }
    FILE *file = motion->output.stream;
    fprintf(file, "carom skin of %d nodes %d triangles in %d dimensions\n", skin->nodes, skin->triangles,
            mesh[0].dimension);
    (void)fwrite(skin->mesh, sizeof *skin->mesh, (size_t)skin->nodes, file);
    for (int i = 0; i < skin->nodes; i++) {
        const carom_mesh *m = &mesh[skin->mesh[i]];
        float X[3] = {0.0F};
        for (int k = 0; k < m->dimension; k++) {
            X[k] = (float)m->X[skin->node[i] * m->dimension + k];
        }
        (void)fwrite(X, sizeof *X, 3, file);
    }
    (void)fwrite(skin->corner, sizeof *skin->corner, (size_t)skin->triangles * 3, file);
    return 0;
}

/* Strain at the nodes of a mesh: the mean of the cells around. */
static void strains(carom_skin *skin, const carom_mesh *mesh, const double *u)
{
    const int d = mesh->dimension, n = mesh->cell_nodes;
    double X[24], local[24];
    for (int i = 0; i < mesh->cells * n; i++) {
        skin->sum[(size_t)2 * (size_t)mesh->cell[i]] = skin->sum[(size_t)2 * (size_t)mesh->cell[i] + 1] = 0.0;
    }
    for (int e = 0; e < mesh->cells; e++) {
        carom_deformed here = {0};
        for (int i = 0; i < n * d; i++) {
            const int at = d * mesh->cell[n * e + i / d] + i % d;
            X[i] = mesh->X[at];
            local[i] = u[mesh->dof[at]];
        }
        carom_deform_cell(&here, d, n, X, local, 0.0);
        for (int i = 0; i < n; i++) {
            skin->sum[(size_t)2 * (size_t)mesh->cell[n * e + i]] += here.strain;
            skin->sum[(size_t)2 * (size_t)mesh->cell[n * e + i] + 1] += 1.0;
        }
    }
}

void carom_skin_frame(carom_skin *skin, carom_motion *motion, const carom_mesh *mesh, int meshes, const double *u,
                      double *const *mises, double t)
{
    for (int b = 0; b < meshes; b++) {
        const carom_mesh *m = &mesh[b];
        strains(skin, m, u);
        for (int i = 0; i < skin->nodes; i++) {
            if (skin->mesh[i] == b) {
                float *value = skin->values + (size_t)PER_NODE * (size_t)i;
                for (int k = 0; k < 3; k++) {
                    value[k] = k < m->dimension ? (float)u[m->dof[skin->node[i] * m->dimension + k]] : 0.0F;
                }
                value[3] = (float)(skin->sum[(size_t)2 * (size_t)skin->node[i]] /
                                   skin->sum[(size_t)2 * (size_t)skin->node[i] + 1]);
                value[4] = (float)mises[b][skin->node[i]];
            }
        }
    }
    (void)fwrite(&t, sizeof t, 1, motion->output.stream);
    (void)fwrite(skin->values, sizeof *skin->values, (size_t)skin->nodes * PER_NODE, motion->output.stream);
    carom_motion_wrote(motion, t);
}

void carom_skin_free(carom_skin *skin)
{
    free(skin->mesh);
    free(skin->node);
    free(skin->corner);
    free(skin->sum);
    free(skin->values);
    *skin = (carom_skin){0};
}
