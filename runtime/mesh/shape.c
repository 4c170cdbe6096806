/* Kinds of cells. */
#include "shape.h"

#include <stddef.h>
#include <string.h>

static const carom_shape shapes[CAROM_SHAPES] = {
    {"bar2", 1, 2, 2, 1, {{0}, {1}}, 1, {{0, 1}}},
    {"tri3", 2, 3, 3, 2, {{0, 1}, {1, 2}, {2, 0}}, 1, {{0, 1, 2}}},
    {"quad4", 2, 4, 4, 2, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 4, {{0, 1, 3}, {1, 2, 0}, {2, 3, 1}, {3, 0, 2}}},
    {"tet4", 3, 4, 4, 3, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}, 1, {{0, 1, 2, 3}}},
    {"hex8",
     3,
     8,
     6,
     4,
     {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
     8,
     {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7}, {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}}},
};

const carom_shape *carom_shape_of(int cell) { return &shapes[cell]; }

const carom_shape *carom_shape_named(const char *name)
{
    for (int k = 0; k < CAROM_SHAPES; k++) {
        if (strcmp(shapes[k].name, name) == 0) {
            return &shapes[k];
        }
    }
    return NULL;
}
