/* See kkt_system.h. */
#include "kkt_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *zeros(int count, size_t size)
{
    void *p = calloc((size_t)count + 1U, size);
    ck_assert(p != NULL);
    return p;
}

static void attach(contact_system *c) /* the arrays in the order of symbolic.arrays */
{
    carom_kkt_tables *t = &c->t;
    const int **names[13] = {&t->Ai, &t->Aj, &t->Ad, &t->Gp, &t->Gj, &t->order, &t->Kp,
                             &t->Kj, &t->Ks, &t->Lp, &t->Li, &t->Rp, &t->Rj};
    for (int k = 0; k < 13; k++) {
        *names[k] = c->ints[k];
    }
    c->A = zeros(t->na, sizeof(double));
    c->G = zeros(t->ng, sizeof(double));
    c->f = zeros(t->nv, sizeof(double));
    c->x = zeros(t->nv, sizeof(double));
    c->b = zeros(t->nr, sizeof(double));
    c->r = zeros(t->nr, sizeof(double));
    c->active = zeros(t->nr, 1);
    c->work = zeros(CAROM_KKT_WORK(t->nv, t->nr, t->nl), sizeof(double));
    c->iwork = zeros(CAROM_KKT_IWORK(t->nv, t->nr), sizeof(int));
    for (int k = 0; k < CAROM_KKT_WORK(t->nv, t->nr, t->nl); k++) {
        c->work[k] = (double)NAN; /* poison: nothing may be read before it is written */
    }
}

void release(contact_system *c)
{
    for (int k = 0; k < 13; k++) {
        free(c->ints[k]);
    }
    free(c->A);
    free(c->G);
    free(c->f);
    free(c->x);
    free(c->b);
    free(c->r);
    free(c->active);
    free(c->work);
    free(c->iwork);
}

contact_system dense_tables(int nv, int nr, int ne, const double *A, const double *G)
{
    contact_system c;
    const int n = nv + nr;
    int sizes[13] = {nv * nv, nv * nv, nv, nr + 1, nr * nv, n, n + 1, n * n, n * n, n + 1, n * n, n + 1, n * n};
    unsigned char *full = zeros(n * n, 1);
    int na = 0, ng = 0, nk = 0, nl = 0;
    for (int k = 0; k < 13; k++) {
        c.ints[k] = zeros(sizes[k], sizeof(int));
    }
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i <= j; i++) {
            if (A[i * nv + j] != 0.0) {
                c.ints[0][na] = i;
                c.ints[1][na] = j;
                if (i == j) {
                    c.ints[2][j] = na;
                } else {
                    c.ints[7][nk] = i; /* x rows of K come first and in order of j: filled as we go */
                    c.ints[8][nk++] = na;
                    full[j * n + i] = 1;
                }
                na++;
            }
        }
        c.ints[6][j + 1] = nk;
    }
    for (int i = 0; i < nr; i++) {
        for (int j = 0; j < nv; j++) {
            if (G[i * nv + j] != 0.0) {
                c.ints[7][nk] = j;
                c.ints[8][nk++] = -1 - ng;
                c.ints[4][ng++] = j;
                full[(nv + i) * n + j] = 1;
            }
        }
        c.ints[3][i + 1] = ng;
        c.ints[6][nv + i + 1] = nk;
    }
    for (int k = 0; k < n; k++) {
        c.ints[5][k] = k;
        for (int i = k + 1; i < n; i++) {
            for (int j = k + 1; j < i; j++) {
                if (full[i * n + k] && full[j * n + k]) {
                    full[i * n + j] = 1;
                }
            }
        }
    }
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            if (full[i * n + k]) {
                c.ints[10][nl++] = i;
            }
        }
        c.ints[9][k + 1] = nl;
    }
    nl = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            if (full[i * n + k]) {
                c.ints[12][nl++] = k;
            }
        }
        c.ints[11][i + 1] = nl;
    }
    free(full);
    c.t = (carom_kkt_tables){.nv = nv, .nr = nr, .ne = ne, .na = na, .ng = ng, .nl = nl};
    attach(&c);
    for (int p = 0; p < na; p++) {
        c.A[p] = A[c.ints[0][p] * nv + c.ints[1][p]];
    }
    for (int i = 0; i < nr; i++) {
        for (int p = c.ints[3][i]; p < c.ints[3][i + 1]; p++) {
            c.G[p] = G[i * nv + c.ints[4][p]];
        }
    }
    return c;
}

static const char *root(void)
{
    const char *folder = getenv("CAROM_ROOT");
    return (folder != NULL) ? folder : ".";
}

int generator_present(void)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "cd '%s' && test -r gen/plan/symbolic.lua && lua5.4 -e 'os.exit(0)'",
                   root());
    return system(command) == 0;
}

contact_system generated_tables(const char *body)
{
    contact_system made, *c = &made;
    char command[4096];
    (void)snprintf(command, sizeof command,
                   "cd '%s' && lua5.4 -e 'package.path = \"./?.lua;\" .. package.path "
                   "local S = require \"gen.plan.symbolic\" "
                   "local nv, ne, a, g = 0, 0, {}, {} %s local t = S.kkt(nv, ne, a, g) "
                   "for _, s in ipairs(S.sizes) do print(t[s]) end "
                   "for _, s in ipairs(S.arrays) do print(#t[s], table.concat(t[s], \" \")) end'",
                   root(), body);
    FILE *pipe = popen(command, "r");
    ck_assert(pipe != NULL);
    memset(c, 0, sizeof *c);
    ck_assert_int_eq(fscanf(pipe, "%d %d %d %d %d %d", &c->t.nv, &c->t.nr, &c->t.ne, &c->t.na, &c->t.ng, &c->t.nl), 6);
    for (int k = 0; k < 13; k++) {
        int count = 0;
        ck_assert_int_eq(fscanf(pipe, "%d", &count), 1);
        c->ints[k] = zeros(count, sizeof(int));
        for (int i = 0; i < count; i++) {
            ck_assert_int_eq(fscanf(pipe, "%d", &c->ints[k][i]), 1);
        }
    }
    ck_assert_int_eq(pclose(pipe), 0);
    attach(c);
    return made;
}

double violation(const contact_system *c, const unsigned char *set)
{
    const carom_kkt_tables *t = &c->t;
    double worst_f = 0.0, worst_w = 0.0, worst_r = 0.0, scale_f = 1e-300, scale_w = 1e-300, scale_r = 1e-300;
    double *rest = zeros(t->nv, sizeof(double));
    for (int j = 0; j < t->nv; j++) {
        rest[j] = -c->f[j];
        scale_f = fmax(scale_f, fabs(c->f[j]));
    }
    for (int p = 0; p < t->na; p++) {
        const int i = t->Ai[p], j = t->Aj[p];
        rest[i] += c->A[p] * c->x[j];
        rest[j] += (i != j) ? c->A[p] * c->x[i] : 0.0;
        scale_f = fmax(scale_f, fabs(c->A[p] * c->x[j]));
    }
    for (int i = 0; i < t->nr; i++) {
        const int in = (set == NULL) || set[i];
        double w = c->b[i];
        scale_w = in ? fmax(scale_w, fabs(w)) : scale_w;
        for (int p = t->Gp[i]; p < t->Gp[i + 1] && in; p++) {
            rest[t->Gj[p]] -= c->G[p] * c->r[i];
            w += c->G[p] * c->x[t->Gj[p]];
            scale_w = fmax(scale_w, fabs(c->G[p] * c->x[t->Gj[p]]));
            scale_w = fmax(scale_w, fabs(c->G[p] * c->f[t->Gj[p]] / c->A[t->Ad[t->Gj[p]]]));
            scale_f = fmax(scale_f, fabs(c->G[p] * c->r[i]));
        }
        if (!in) {
            ck_assert(c->r[i] == 0.0);
        } else if (i < t->ne) {
            worst_w = fmax(worst_w, fabs(w));
        } else {
            ck_assert(c->r[i] >= 0.0);
            ck_assert(c->active[i] || c->r[i] == 0.0);
            worst_w = fmax(worst_w, -w);
            worst_w = fmax(worst_w, (c->r[i] > 0.0 && c->active[i]) ? fabs(w) : 0.0);
        }
        scale_r = fmax(scale_r, fabs(c->r[i]));
    }
    for (int j = 0; j < t->nv; j++) {
        worst_f = fmax(worst_f, fabs(rest[j]));
    }
    free(rest);
    return fmax(fmax(worst_f / scale_f, worst_w / scale_w), worst_r / scale_r);
}

carom_status solve(contact_system *c, const unsigned char *set, carom_info *info)
{
    return carom_kkt_solve(&c->t, c->A, c->G, set, c->f, c->b, c->x, c->r, c->active, c->work, c->iwork, info);
}

void guess(contact_system *c, int kind)
{
    for (int i = 0; i < c->t.nr; i++) {
        c->active[i] = (unsigned char)((kind == 2) ? pick(2) : kind);
    }
}

void check_solved(contact_system *c, const unsigned char *set, double tol, int independent, const char *what, int which)
{
    carom_info info;
    for (int kind = 0; kind < 3; kind++) {
        guess(c, kind);
        const carom_status status = solve(c, set, &info);
        ck_assert_msg(status == CAROM_OK, "%s %d guess %d: status %d row %d residual %g after %d", what, which, kind,
                      (int)status, info.contact, info.residual, info.iterations);
        const double v = violation(c, set);
        ck_assert_msg(v <= tol, "%s %d guess %d: violation %g", what, which, kind, v);
        ck_assert_int_eq(info.contact, -1);
        ck_assert_int_eq(solve(c, set, &info), CAROM_OK); /* warm: the mode found is the mode kept, when it is unique */
        ck_assert(violation(c, set) <= tol);
        if (independent) {
            ck_assert_int_eq(info.iterations, 1);
        }
    }
}
