/* All modes of a small complementarity problem: for each set of rows the z of these rows that makes their w zero, the
 * others zero. Sets with few rows come first. Where a block of M is singular one of its solutions is tried, the one
 * with zeros for what is not determined: so failure is no proof that there is none. */
#include "lcp_methods.h"

#include <stddef.h>

/* The next larger number with as many bits (Gosper). */
static unsigned next_set(unsigned set)
{
    const unsigned lowest = set & (~set + 1U), carried = set + lowest;
    return carried | (((set ^ carried) / lowest) >> 2);
}

double carom_lcp_by_modes(carom_lcp_run *run, double *z, double residual)
{
    const int n = run->problem->n;
    const double *const M = run->problem->M, *const q = run->problem->q;
    double *const A = run->work, *const x = A + n * n, *const candidate = x + n;
    int *const order = (int *)(void *)(candidate + n), *const member = order + 2 * n;
    for (int size = 1; size <= n && residual > run->tolerance; ++size) {
        const unsigned end = 1U << n;
        for (unsigned set = (1U << size) - 1U; set < end && residual > run->tolerance; set = next_set(set)) {
            int count = 0, good = 1;
            for (int i = 0; i < n; ++i) {
                candidate[i] = 0.0;
                if ((set >> i & 1U) != 0U) {
                    member[count++] = i;
                }
            }
            for (int a = 0; a < count; ++a) {
                x[a] = -q[member[a]];
                for (int b = 0; b < count; ++b) {
                    A[a * count + b] = M[member[a] * n + member[b]];
                }
            }
            (void)carom_lcp_gauss(count, A, x, order);
            run->iterations++;
            for (int a = 0; a < count && good; ++a) {
                candidate[member[a]] = x[a];
                good = x[a] >= 0.0;
            }
            if (good) {
                residual = carom_lcp_keep(run, candidate, z, residual);
            }
        }
    }
    return residual;
}
