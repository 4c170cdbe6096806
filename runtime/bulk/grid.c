/* Broad phase: which of many spheres may meet. Cells are as large as the largest sphere, so only 27 of them concern
 * each sphere; occupied cells are found through a hash table that is filled by counting, in index order: the cost is
 * linear and the order depends on nothing but the data. */
#include "carom/bulk.h"

#include <math.h>
#include <stddef.h>

#define FAR 1e9 /* cells beyond it are one cell: far away nothing is near anything else */

static int cell_of(double x, double low, double inverse)
{
    const double c = floor((x - low) * inverse);
    return (int)fmax(-FAR, fmin(FAR, c));
}

static unsigned hash(int x, int y, int z)
{
    unsigned h = (unsigned)x * 73856093U ^ (unsigned)y * 19349663U ^ (unsigned)z * 83492791U;
    return h ^ h >> 15;
}

void carom_grid_build(carom_grid *grid, int count, const double *sphere, int *work, double *sorted)
{
    double size = 0.0;
    int buckets = 16;
    grid->count = count;
    for (int k = 0; k < 3; ++k) {
        grid->low[k] = count > 0 ? sphere[k] : 0.0;
    }
    for (int i = 0; i < count; ++i) {
        size = fmax(size, 2.0 * sphere[4 * i + 3]);
        for (int k = 0; k < 3; ++k) {
            grid->low[k] = fmin(grid->low[k], sphere[4 * i + k]);
        }
    }
    while (buckets < 2 * count) {
        buckets *= 2;
    }
    grid->mask = buckets - 1;
    grid->inverse = size > 0.0 ? 1.0 / (size * (1.0 + 1e-12)) : 1.0;
    grid->start = work; /* buckets + 1 <= 4 count + 17 */
    grid->item = grid->start + buckets + 1;
    grid->cell = grid->item + count; /* 3 per item, in the order of the buckets; then a scratch of 3 per sphere */
    grid->sorted = sorted;
    int *const own = grid->cell + 3 * count, *const start = grid->start;
    for (int k = 0; k <= buckets; ++k) {
        start[k] = 0;
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            own[3 * i + k] = cell_of(sphere[4 * i + k], grid->low[k], grid->inverse);
        }
        start[(hash(own[3 * i], own[3 * i + 1], own[3 * i + 2]) & (unsigned)grid->mask) + 1]++;
    }
    for (int k = 0; k < buckets; ++k) {
        start[k + 1] += start[k];
    }
    /* from the back: within a bucket ascending, and start[k + 1] ends at its place */
    for (int i = count - 1; i >= 0; --i) {
        const unsigned bucket = hash(own[3 * i], own[3 * i + 1], own[3 * i + 2]) & (unsigned)grid->mask;
        const int to = --start[bucket + 1];
        grid->item[to] = i;
        for (int k = 0; k < 3; ++k) {
            grid->cell[3 * to + k] = own[3 * i + k];
        }
        for (int k = 0; k < 4; ++k) {
            sorted[4 * to + k] = sphere[4 * i + k];
        }
    }
    for (int k = 0; k < buckets; ++k) { /* start[k + 1] is now the first of bucket k: shift back */
        start[k] = start[k + 1];
    }
    start[buckets] = count;
}

int carom_grid_near(const carom_grid *grid, const double *sphere, int i, int *out)
{
    const double *const s = sphere + 4 * i;
    const int x0 = cell_of(s[0], grid->low[0], grid->inverse), y0 = cell_of(s[1], grid->low[1], grid->inverse);
    const int z0 = cell_of(s[2], grid->low[2], grid->inverse);
    int found = 0;
    for (int z = z0 - 1; z <= z0 + 1; ++z) {
        for (int y = y0 - 1; y <= y0 + 1; ++y) {
            for (int x = x0 - 1; x <= x0 + 1; ++x) {
                const unsigned bucket = hash(x, y, z) & (unsigned)grid->mask;
                for (int k = grid->start[bucket]; k < grid->start[bucket + 1] && grid->item[k] < i; ++k) {
                    const int *const c = grid->cell + 3 * k;
                    const double *const o = grid->sorted + 4 * k;
                    const double dx = s[0] - o[0], dy = s[1] - o[1], dz = s[2] - o[2], reach = s[3] + o[3];
                    if (dx * dx + dy * dy + dz * dz <= reach * reach && c[0] == x && c[1] == y && c[2] == z) {
                        int at = found++; /* into its place: the lists are short */
                        for (; at > 0 && out[at - 1] > grid->item[k]; --at) {
                            out[at] = out[at - 1];
                        }
                        out[at] = grid->item[k];
                    }
                }
            }
        }
    }
    return found;
}
