/* Stands in for the runtime of large models, to test kernels alone: a question on standard input (a word and its numbers),
 * what the kernel makes of it on standard output. Used by tests/e2e/fem_kernels.lua. */
#include <carom/large.h>
#include <stdio.h>
#include <string.h>

static double in(void)
{
    double x = 0.0;
    return scanf("%lf", &x) == 1 ? x : 0.0 / 0.0;
}

static void out(const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        printf("%.17g ", x[i]);
    }
    printf("\n");
}

int carom_large_main(const carom_large *model, int argc, char **argv)
{
    static const int nodes[] = { 2, 3, 4, 4, 8 };
    const carom_body *const b = model->body;
    const int n = nodes[b->cell], d = model->dimension, nd = n * d;
    double p[8], X[24], u[24], f[600], g[3], XL[24][CAROM_LANES], uL[24][CAROM_LANES], fL[24][CAROM_LANES];
    char word[32];
    (void)argc;
    (void)argv;
    for (int i = 0; i < model->parameters; ++i) {
        p[i] = model->parameter[i].value;
    }
    while (scanf("%31s", word) == 1) {
        if (strcmp(word, "cell") == 0) {
            for (int i = 0; i < nd; ++i) { X[i] = in(); }
            for (int i = 0; i < nd; ++i) { u[i] = in(); }
        } else if (strcmp(word, "mass") == 0) {
            b->mass(p, X, f);
            out(f, n * n);
        } else if (strcmp(word, "lumped") == 0) {
            b->lumped(p, X, f);
            out(f, n);
        } else if (strcmp(word, "force") == 0) {
            f[nd] = b->force(p, X, u, f);
            out(f, nd + 1);
        } else if (strcmp(word, "lanes") == 0) { /* lane l: the cell stretched by 1 + l/10, displaced (1 - l/10) u */
            for (int i = 0; i < nd; ++i) {
                for (int l = 0; l < CAROM_LANES; ++l) {
                    XL[i][l] = X[i] * (1.0 + l / 10.0);
                    uL[i][l] = u[i] * (1.0 - l / 10.0);
                }
            }
            const int inverted = b->force_lanes(p, &XL[0][0], &uL[0][0], &fL[0][0]);
            double worst = 0.0, largest = 0.0;
            for (int l = 0; l < CAROM_LANES; ++l) {
                double Y[24], w[24];
                for (int i = 0; i < nd; ++i) { Y[i] = XL[i][l]; w[i] = uL[i][l]; }
                b->force(p, Y, w, f);
                for (int i = 0; i < nd; ++i) {
                    const double e = f[i] > fL[i][l] ? f[i] - fL[i][l] : fL[i][l] - f[i];
                    worst = e > worst ? e : worst;
                    largest = f[i] > largest ? f[i] : largest;
                }
            }
            f[0] = worst; f[1] = largest; f[2] = inverted;
            out(f, 3);
        } else if (strcmp(word, "tangent") == 0) {
            f[nd * nd] = b->tangent(p, X, u, f);
            out(f, nd * nd + 1);
        } else if (strcmp(word, "energy") == 0) {
            f[0] = b->energy(p, X, u);
            f[1] = b->wave_speed(p);
            out(f, 2);
        } else if (strcmp(word, "stress") == 0) {
            b->stress(p, X, u, f);
            out(f, 6);
        } else if (strcmp(word, "load") == 0) {
            b->load(p, in(), X, f);
            out(f, nd);
        } else if (strcmp(word, "traction") == 0) {
            const double t = in();
            const int nf = d == 1 ? 1 : b->cell == CAROM_TET4 ? 3 : d == 2 ? 2 : 4;
            for (int i = 0; i < nf * d; ++i) { u[i] = in(); }
            model->traction->force(p, t, u, f);
            out(f, nf * d);
        } else if (strcmp(word, "gap") == 0) {
            const double t = in();
            for (int i = 0; i < d; ++i) { u[i] = in(); }
            model->surface->gap(p, t, u, f, g, f + 1);
            for (int i = 0; i < d; ++i) { f[2 + i] = g[i]; }
            out(f, 2 + d);
        } else if (strcmp(word, "motion") == 0) {
            const double t = in();
            for (int i = 0; i < d; ++i) { u[i] = in(); f[i] = f[d + i] = 0.0; }
            model->fix->motion(p, t, u, f, f + d);
            out(f, 2 * d);
        } else if (strcmp(word, "start") == 0) {
            for (int i = 0; i < d; ++i) { u[i] = in(); }
            b->start(p, u, f, f + d);
            out(f, 2 * d);
        } else if (strcmp(word, "law") == 0) {
            model->surface->law(p, f, f + 1);
            b->damping(p, f + 2, f + 3);
            out(f, 4);
        }
        fflush(stdout);
    }
    return 0;
}
