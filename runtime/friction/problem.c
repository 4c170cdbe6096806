/* Making frictional contact problems from triplets. The only file of the solvers that uses the heap. */
#include "carom/friction.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Block rows of the mirrored pattern with diagonal: counting sort by row, then sort and squeeze each row. first [n+1]
 * and cursor [n]; column has room for 2 entries + n. */
static void build_pattern(int d, int n, int entries, const int *row, const int *column, int *first, int *cursor,
                          int *neighbour)
{
    for (int c = 0; c < n; ++c) {
        cursor[c] = 1; /* the diagonal */
    }
    for (int k = 0; k < entries; ++k) {
        cursor[row[k] / d]++;
        cursor[column[k] / d]++;
    }
    first[0] = 0;
    for (int c = 0; c < n; ++c) {
        first[c + 1] = first[c] + cursor[c];
        cursor[c] = first[c];
        neighbour[cursor[c]++] = c;
    }
    for (int k = 0; k < entries; ++k) {
        const int i = row[k] / d, j = column[k] / d;
        neighbour[cursor[i]++] = j;
        neighbour[cursor[j]++] = i;
    }
    int out = 0;
    for (int c = 0; c < n; ++c) {
        const int begin = first[c], end = first[c + 1];
        qsort(neighbour + begin, (size_t)(end - begin), sizeof(int), compare_ints);
        first[c] = out;
        for (int k = begin; k < end; ++k) {
            if (k == begin || neighbour[k] != neighbour[out - 1]) {
                neighbour[out++] = neighbour[k];
            }
        }
    }
    first[n] = out;
}

static int find_block(const int *first, const int *column, int i, int j)
{
    int low = first[i], high = first[i + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (column[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* One block of memory: mu, q, blocks, then rows and columns. */
static void *copy_out(int d, int n, const double *mu, const double *q, const int *first, const int *neighbour,
                      carom_friction_problem *problem)
{
    const size_t contacts = (size_t)n, dim = (size_t)d, blocks = (size_t)first[n];
    const size_t doubles = contacts + dim * contacts + dim * dim * blocks;
    double *memory = malloc(doubles * sizeof(double) + (contacts + 1 + blocks) * sizeof(int));
    if (memory == NULL) {
        return NULL;
    }
    double *q_copy = memory + contacts, *block = q_copy + dim * contacts;
    int *row = (int *)(void *)(memory + doubles), *column = row + contacts + 1;
    for (size_t i = 0; i < contacts; ++i) {
        memory[i] = mu[i];
    }
    for (size_t i = 0; i < dim * contacts; ++i) {
        q_copy[i] = q[i];
    }
    for (size_t i = 0; i < dim * dim * blocks; ++i) {
        block[i] = 0.0;
    }
    memcpy(row, first, (contacts + 1) * sizeof(int));
    memcpy(column, neighbour, blocks * sizeof(int));
    *problem = (carom_friction_problem){d, n, memory, q_copy, row, column, block};
    return memory;
}

static double *blocks_of(const carom_friction_problem *problem, void *memory)
{
    return (double *)memory + (size_t)(1 + problem->dimension) * (size_t)problem->contacts;
}

void *carom_friction_assemble(int dimension, int contacts, const double *mu, const double *q, int entries,
                              const int *row, const int *column, const double *value, carom_friction_problem *problem)
{
    const int d = dimension, n = contacts;
    if ((d != 2 && d != 3) || n < 0 || entries < 0 || n > INT_MAX / 16 || entries > INT_MAX / 4 - n) {
        return NULL;
    }
    for (int k = 0; k < entries; ++k) {
        if (row[k] < 0 || row[k] >= d * n || column[k] < 0 || column[k] >= d * n) {
            return NULL;
        }
    }
    const size_t pattern = 2 * (size_t)n + 1 + 2 * (size_t)entries + (size_t)n;
    int *first = malloc(pattern * sizeof(int));
    if (first == NULL) {
        return NULL;
    }
    int *cursor = first + n + 1, *neighbour = cursor + n;
    build_pattern(d, n, entries, row, column, first, cursor, neighbour);
    void *memory = first[n] <= INT_MAX / 9 ? copy_out(d, n, mu, q, first, neighbour, problem) : NULL;
    if (memory != NULL) {
        double *block = blocks_of(problem, memory);
        for (int k = 0; k < entries; ++k) {
            const int at = find_block(first, neighbour, row[k] / d, column[k] / d);
            block[d * d * at + d * (row[k] % d) + column[k] % d] += value[k];
        }
    }
    free(first);
    return memory;
}

void carom_friction_symmetrise(carom_friction_problem *problem, void *memory)
{
    const int d = problem->dimension;
    double *block = blocks_of(problem, memory);
    for (int i = 0; i < problem->contacts; ++i) {
        for (int k = problem->row[i]; k < problem->row[i + 1]; ++k) {
            const int j = problem->column[k];
            if (j < i) {
                continue;
            }
            double *B = block + d * d * k, *C = block + d * d * find_block(problem->row, problem->column, j, i);
            for (int a = 0; a < d; ++a) {
                for (int b = 0; b < d; ++b) {
                    const double mean = 0.5 * (B[d * a + b] + C[d * b + a]);
                    B[d * a + b] = mean;
                    C[d * b + a] = mean;
                }
            }
        }
    }
}
