/* A problem with a full W in the caller's memory: what generated integrators hand to the solvers. No heap. */
#include "carom/friction.h"

#include <stdint.h>

size_t carom_friction_dense_size(int dimension, int contacts)
{
    const size_t dim = (size_t)dimension, n = (size_t)contacts;
    return sizeof(double) * (dim * dim * n * n + 1) + sizeof(int) * (n + 1 + n * n);
}

carom_status carom_friction_dense(int dimension, int contacts, const double *mu, const double *q, const double *W,
                                  void *memory, size_t size, carom_friction_problem *problem)
{
    const int d = dimension, n = contacts, columns = d * n;
    if ((d != 2 && d != 3) || n < 0 || n > 15000 || size < carom_friction_dense_size(d, n)) {
        return CAROM_ARGUMENT;
    }
    const size_t skew = (sizeof(double) - (uintptr_t)memory % sizeof(double)) % sizeof(double);
    double *block = (double *)(void *)((char *)memory + skew);
    int *row = (int *)(void *)(block + (size_t)(d * d) * (size_t)(n * n)), *column = row + n + 1;
    double *B = block;
    for (int i = 0; i < n; ++i) {
        row[i] = n * i;
        for (int j = 0; j < n; ++j) {
            column[n * i + j] = j;
            for (int a = 0; a < d; ++a) {
                for (int b = 0; b < d; ++b) {
                    *B++ = W[(size_t)(d * i + a) * (size_t)columns + (size_t)(d * j + b)];
                }
            }
        }
    }
    row[n] = n * n;
    *problem = (carom_friction_problem){d, n, mu, q, row, column, block};
    return CAROM_OK;
}
