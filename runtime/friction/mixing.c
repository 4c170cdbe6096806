/* Anderson acceleration: the least squares over the last differences by regularised normal equations. */
#include "mixing.h"

#include <math.h>
#include <stdbool.h>

#define M CAROM_MIXING_MEMORY
#define REGULARISE 1e-12

double carom_mixing_dot(int size, const double *x, const double *y)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0; /* four sums: a fixed order that does not wait for itself */
    int i = 0;
    for (; i + 4 <= size; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    for (; i < size; ++i) {
        s0 += x[i] * y[i];
    }
    return (s0 + s1) + (s2 + s3);
}

/* Adds the newest differences as a column (fresh), its products to the Gram matrix, and gives those of all with f. */
static void remember(carom_mixing *h, bool fresh, double gamma[M])
{
    double part[CAROM_CHUNKS][2][M];
    const int at = h->next;
    if (fresh) {
        h->count += h->count < M ? 1 : 0;
        h->next = (at + 1) % M;
    }
    const int count = h->count;
    CAROM_SIDE_BY_SIDE(h->chunks)
    for (int k = 0; k < h->chunks; ++k) {
        const int first = carom_chunk(h->size, h->chunks, k), end = carom_chunk(h->size, h->chunks, k + 1);
        for (int i = first; i < end && fresh; ++i) {
            h->dF[at][i] = h->f[i] - h->f_old[i];
            h->dG[at][i] = h->g[i] - h->g_old[i];
        }
        for (int j = 0; j < count; ++j) {
            part[k][0][j] = fresh ? carom_mixing_dot(end - first, h->dF[at] + first, h->dF[j] + first) : 0.0;
            part[k][1][j] = carom_mixing_dot(end - first, h->dF[j] + first, h->f + first);
        }
    }
    for (int j = 0; j < count; ++j) {
        double gram = 0.0;
        gamma[j] = 0.0;
        for (int k = 0; k < h->chunks; ++k) {
            gram += part[k][0][j];
            gamma[j] += part[k][1][j];
        }
        if (fresh) {
            h->gram[at][j] = h->gram[j][at] = gram;
        }
    }
}

int carom_mixing_combine(int m, const double *gram, int stride, double *gamma)
{
    double L[M][M], trace = 0.0;
    for (int i = 0; i < m; ++i) {
        trace += gram[i * stride + i];
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = gram[i * stride + j] + (i == j ? REGULARISE * trace : 0.0);
            for (int k = 0; k < j; ++k) {
                sum -= L[i][k] * L[j][k];
            }
            if (i == j && !(sum > 0.0)) {
                return 0;
            }
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < i; ++k) {
            gamma[i] -= L[i][k] * gamma[k];
        }
        gamma[i] /= L[i][i];
    }
    for (int i = m - 1; i >= 0; --i) {
        for (int k = i + 1; k < m; ++k) {
            gamma[i] -= L[k][i] * gamma[k];
        }
        gamma[i] /= L[i][i];
    }
    return 1;
}

int carom_mixing_start(carom_mixing *h, carom_arena *arena, int size)
{
    double **vector[] = {&h->x, &h->g, &h->f, &h->g_old, &h->f_old};
    int good = 1;
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k) {
        *vector[k] = carom_arena_take(arena, (size_t)size, sizeof(double));
        good = good && *vector[k] != NULL;
    }
    for (int k = 0; k < M; ++k) {
        h->dF[k] = carom_arena_take(arena, (size_t)size, sizeof(double));
        h->dG[k] = carom_arena_take(arena, (size_t)size, sizeof(double));
        good = good && h->dF[k] != NULL && h->dG[k] != NULL;
    }
    h->size = size;
    h->chunks = 1;
    h->count = h->next = h->have_old = 0;
    h->best = HUGE_VAL;
    return good;
}

size_t carom_mixing_work(int size) { return (5 + 2 * (size_t)M) * carom_arena_round((size_t)size * sizeof(double)); }

void carom_mixing_turn(carom_mixing *h)
{
    double *swap = h->g;
    h->g = h->g_old;
    h->g_old = swap;
    swap = h->f;
    h->f = h->f_old;
    h->f_old = swap;
}

int carom_mixing_extrapolate(carom_mixing *h, double size_f, double growth)
{
    double gamma[M];
    const int grown = size_f > growth * h->best;
    h->best = fmin(h->best, size_f);
    if (!grown) {
        remember(h, h->have_old != 0, gamma);
    }
    h->have_old = !grown;
    if (grown || !carom_mixing_combine(h->count, h->gram[0], M, gamma)) {
        h->count = h->next = 0;
    }
    CAROM_SIDE_BY_SIDE(h->chunks)
    for (int k = 0; k < h->chunks; ++k) {
        for (int i = carom_chunk(h->size, h->chunks, k); i < carom_chunk(h->size, h->chunks, k + 1); ++i) {
            double x = h->g[i];
            for (int j = 0; j < h->count; ++j) {
                x -= gamma[j] * h->dG[j][i];
            }
            h->x[i] = x;
        }
    }
    return h->count > 0;
}
