/* Memory bandwidth of one core: a = b + s c over arrays beyond every cache (the triad of McCalpin's STREAM), best of ten. GB/s. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    const size_t n = 20u << 20;
    double *const a = malloc(n * sizeof *a), *const b = malloc(n * sizeof *b), *const c = malloc(n * sizeof *c);
    double best = 1e30, sum = 0.0;
    if (a == NULL || b == NULL || c == NULL) {
        return 3;
    }
    for (size_t i = 0; i < n; ++i) {
        a[i] = 0.0;
        b[i] = 1.0;
        c[i] = (double)i;
    }
    for (int k = 0; k < 10; ++k) {
        const double start = now(), s = 1.0 + k;
        for (size_t i = 0; i < n; ++i) {
            a[i] = b[i] + s * c[i];
        }
        const double seconds = now() - start;
        best = seconds < best ? seconds : best;
        sum += a[(size_t)k * n / 10];
    }
    printf("triad %.2f GB/s (%g)\n", 3e-9 * (double)(n * sizeof *a) / best, sum);
    free(a);
    free(b);
    free(c);
    return 0;
}
