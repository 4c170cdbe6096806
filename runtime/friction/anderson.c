/* Anderson acceleration of nonsmooth Gauss-Seidel.
 *
 * One sweep is a map g = G(x) whose fixed points are the solutions; f = (g - x)/s is its defect in velocity units (in
 * impulse units heavy contacts would dominate). From the last m differences of f and g the step combines
 *
 *     gamma = argmin | f - dF gamma |,      x <- P_K( g - dG gamma ),
 *
 * the least squares by regularised normal equations of size m. If the defect grows past 3 times the best one the
 * history is dropped and x <- g: the method is then plain Gauss-Seidel again. The accepted point is always a g, the
 * output of a sweep, never the extrapolated x. */
#include "anderson.h"

#include <math.h>

#define M CAROM_ANDERSON_MEMORY
#define GROWTH 3.0
#define REGULARISE 1e-12
#define CHECK_EVERY 8
#define CHECK_BELOW 3.0 /* defect, in units of tolerance times velocity scale, below which every sweep is checked */

static double dot(int size, const double *x, const double *y)
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

/* Adds the newest differences as a column and its products to the Gram matrix. */
static void remember(const carom_fc *fc, carom_anderson *h)
{
    const int at = h->next;
    for (int i = 0; i < fc->size; ++i) {
        h->dF[at][i] = h->f[i] - h->f_old[i];
        h->dG[at][i] = h->g[i] - h->g_old[i];
    }
    if (h->count < M) {
        h->count++;
    }
    h->next = (at + 1) % M;
    for (int j = 0; j < h->count; ++j) {
        h->gram[at][j] = h->gram[j][at] = dot(fc->size, h->dF[at], h->dF[j]);
    }
}

/* Solves (dF' dF + regularisation) gamma = dF' f by Cholesky; 0 when it breaks down. */
static int combine(const carom_fc *fc, const carom_anderson *h, double gamma[M])
{
    const int m = h->count;
    double L[M][M], trace = 0.0;
    for (int i = 0; i < m; ++i) {
        trace += h->gram[i][i];
        gamma[i] = dot(fc->size, h->dF[i], h->f);
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = h->gram[i][j] + (i == j ? REGULARISE * trace : 0.0);
            for (int k = 0; k < j; ++k) {
                sum -= L[i][k] * L[j][k];
            }
            if (i == j) {
                if (!(sum > 0.0)) {
                    return 0;
                }
                L[i][i] = sqrt(sum);
            } else {
                L[i][j] = sum / L[j][j];
            }
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

int carom_anderson_start(carom_anderson *h, carom_fc *fc, const double *r)
{
    double **vector[] = {&h->x, &h->g, &h->f, &h->g_old, &h->f_old, &h->u};
    int good = 1;
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k) {
        *vector[k] = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        good = good && *vector[k] != NULL;
    }
    for (int k = 0; k < M; ++k) {
        h->dF[k] = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        h->dG[k] = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        good = good && h->dF[k] != NULL && h->dG[k] != NULL;
    }
    h->count = h->next = h->have_old = h->sweeps = 0;
    h->best_defect = HUGE_VAL;
    h->check_below = CHECK_BELOW * fc->tolerance * fmax(fc->q_norm, fc->floor);
    if (good) {
        carom_fc_copy(fc->size, r, h->x);
    }
    return good;
}

size_t carom_fc_anderson_work(int d, int n)
{
    return (6 + 2 * (size_t)M) * carom_arena_round((size_t)d * (size_t)n * sizeof(double));
}

/* f = (g - x)/s; returns its norm. */
static double defect(const carom_fc *fc, const double *g, const double *x, double *f)
{
    for (int c = 0; c < fc->n; ++c) {
        const double scale = 1.0 / fc->s[c];
        for (int i = fc->d * c; i < fc->d * (c + 1); ++i) {
            f[i] = (g[i] - x[i]) * scale;
        }
    }
    return sqrt(dot(fc->size, f, f));
}

/* x <- P_K(g - dG gamma), or g when there is no usable history. */
static void extrapolate(const carom_fc *fc, carom_anderson *h, double size_f)
{
    double gamma[M];
    const int grown = size_f > GROWTH * h->best_defect;
    h->best_defect = fmin(h->best_defect, size_f);
    if (h->have_old && !grown) {
        remember(fc, h);
    }
    h->have_old = !grown;
    if (grown || !combine(fc, h, gamma)) {
        h->count = h->next = 0;
    }
    carom_fc_copy(fc->size, h->g, h->x);
    for (int j = 0; j < h->count; ++j) {
        for (int i = 0; i < fc->size; ++i) {
            h->x[i] -= gamma[j] * h->dG[j][i];
        }
    }
    if (h->count > 0) {
        carom_fc_project(fc, h->x);
    }
}

double carom_anderson_advance(carom_anderson *h, carom_fc *fc, double *r, double residual, int sweeps)
{
    const int until = h->sweeps + sweeps;
    while (h->sweeps < until && residual > fc->tolerance) {
        double *swap = h->g;
        h->g = h->g_old;
        h->g_old = swap;
        swap = h->f;
        h->f = h->f_old;
        h->f_old = swap;
        carom_fc_copy(fc->size, h->x, h->g);
        carom_fc_sweep(fc, h->g, 0);
        h->sweeps++;
        const double size_f = defect(fc, h->g, h->x, h->f);
        if (!isfinite(size_f)) {
            break;
        }
        if (size_f <= h->check_below || h->sweeps % CHECK_EVERY == 0 || h->sweeps < 4 || h->sweeps == until) {
            const double now = carom_fc_residual(fc, h->g, h->u);
            h->check_below = CHECK_BELOW * fc->tolerance * carom_fc_scale(fc, h->u);
            if (now < residual) {
                residual = now;
                carom_fc_copy(fc->size, h->g, r);
            }
        }
        extrapolate(fc, h, size_f);
    }
    return residual;
}

double carom_fc_anderson(carom_fc *fc, double *r, double residual, int limit)
{
    const size_t mark = fc->arena.used;
    carom_anderson h;
    if (carom_anderson_start(&h, fc, r)) {
        residual = carom_anderson_advance(&h, fc, r, residual, limit);
    }
    fc->arena.used = mark;
    return residual;
}
