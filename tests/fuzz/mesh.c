/* libFuzzer: mesh files of gmsh, as every back end and the generator read them. Whatever the bytes are, they are refused with a reason, or the mesh that comes
 * out is whole: places are finite, cells and faces name nodes that are there, nodes are used. */
#include "../../runtime/mesh/sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void demand(int truth)
{
    if (!truth) {
        abort();
    }
}

static void look_at(const carom_gmsh *mesh)
{
    char *used = calloc((size_t)mesh->nodes + 1, 1);
    demand(used != NULL && mesh->cells > 0 && mesh->nodes > 0);
    for (int64_t i = 0; i < 3 * mesh->nodes; ++i) {
        demand(isfinite(mesh->X[i]));
    }
    for (int64_t i = 0; i < mesh->cells * mesh->kind->nodes; ++i) {
        demand(mesh->cell[i] >= 0 && mesh->cell[i] < mesh->nodes);
        used[mesh->cell[i]] = 1;
    }
    demand(memchr(used, 0, (size_t)mesh->nodes) == NULL);
    for (int64_t f = 0; f < mesh->faces; ++f) {
        demand(mesh->face_name[f] >= 0 && mesh->face_name[f] < mesh->names);
        for (int k = 0; k < mesh->face_nodes; ++k) {
            demand(mesh->face[f * mesh->face_nodes + k] >= -1 && mesh->face[f * mesh->face_nodes + k] < mesh->nodes);
        }
    }
    int64_t *cell = malloc(((size_t)mesh->faces + 1) * sizeof *cell);
    int *side = malloc(((size_t)mesh->faces + 1) * sizeof *side);
    const carom_shape *shape = carom_shape_named(mesh->kind->name);
    demand(cell != NULL && side != NULL && carom_sides_find(mesh, shape, cell, side) == 0);
    for (int64_t f = 0; f < mesh->faces; ++f) { /* the side of the cell has the nodes of the face */
        demand(cell[f] >= -1 && cell[f] < mesh->cells && side[f] >= 0 && side[f] < shape->faces);
        for (int k = 0; k < shape->face_nodes && cell[f] >= 0; ++k) {
            int found = 0;
            for (int i = 0; i < mesh->face_nodes; ++i) {
                found |= mesh->face[f * mesh->face_nodes + i] == mesh->cell[cell[f] * shape->nodes + shape->face[side[f]][k]];
            }
            demand(found);
        }
    }
    free(cell);
    free(side);
    for (int n = 0; n < mesh->names; ++n) {
        demand(mesh->name[n][0] != '\0' && memchr(mesh->name[n], '\0', CAROM_GMSH_NAME) != NULL);
    }
    free(used);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kind[] = {"", "bar2", "tri3", "quad4", "tet4", "hex8"}; /* "": the one it holds */
    for (size_t k = 0; k < sizeof kind / sizeof kind[0]; ++k) {
        carom_gmsh mesh;
        char why[CAROM_GMSH_WHY];
        if (carom_gmsh_parse((const char *)data, size, carom_gmsh_cell(kind[k]), &mesh, why) == 0) {
            carom_sides_turn(&mesh);
            look_at(&mesh);
        } else {
            demand(why[0] != '\0' && memchr(why, '\0', sizeof why) != NULL);
        }
        carom_gmsh_free(&mesh);
    }
    return 0;
}
