/* Newton-min with the Fischer-Burmeister function as its judge.
 *
 * Rows and unknowns are first divided by sqrt(m_i) and by the largest q, so that z and w are numbers about 1. A step of
 * Newton-min guesses from the smaller of z_i and w_i which of the two is zero and solves for that; it ends exactly, but
 * may run in circles. phi(a, b) = a + b - sqrt(a^2 + b^2) is zero exactly when 0 <= a _|_ b >= 0, and |phi|^2 is
 * smooth: a step of Newton-min is taken when it makes that smaller by a tenth, else the Newton step of phi, or where
 * its matrix is singular or the step does not descend a Levenberg-Marquardt step, as long as a line search allows. What
 * ends in a minimum that is no solution begins anew elsewhere. */
#include "lcp_methods.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { STEPS = 60, STARTS = 12, TRIALS = 25 };

#define CORNER 0.29289321881345254 /* 1 - 1/sqrt(2): a derivative of phi at (0, 0) */
#define DESCENT 1e-4
#define ENOUGH 0.9 /* of the merit: what a step of Newton-min must reach */

typedef struct {
    carom_lcp_run *run;
    int n;
    double *M, *q, *root;                  /* scaled; root: what z_i is multiplied by */
    double *z, *w, *phi, *d, *trial, *rhs; /* [n] */
    double *A;                             /* [n n] */
    int *order, *member;                   /* [2 n], [n] */
} newton;

static void product(const newton *s, const double *z, double *w)
{
    for (int i = 0; i < s->n; ++i) {
        const double *const row = s->M + (size_t)i * (size_t)s->n;
        w[i] = s->q[i];
        for (int j = 0; j < s->n; ++j) {
            w[i] += row[j] * z[j];
        }
    }
}

/* phi and |phi|^2 / 2 at z; w becomes M z + q. */
static double merit(const newton *s, const double *z, double *w, double *phi)
{
    double sum = 0.0;
    product(s, z, w);
    for (int i = 0; i < s->n; ++i) {
        const double r = hypot(z[i], w[i]), total = z[i] + w[i];
        phi[i] = total > 0.0 ? 2.0 * z[i] * w[i] / (total + r) : total - r; /* without cancellation */
        sum += phi[i] * phi[i];
    }
    return 0.5 * sum;
}

/* d of Newton-min: w + (M d) = 0 where w is the smaller one, z + d = 0 elsewhere. */
static void step_of_modes(const newton *s)
{
    const int n = s->n;
    int count = 0;
    for (int i = 0; i < n; ++i) {
        s->d[i] = -s->z[i];
        if (s->w[i] < s->z[i]) {
            s->member[count++] = i;
        }
    }
    for (int a = 0; a < count; ++a) {
        const double *const row = s->M + (size_t)s->member[a] * (size_t)n;
        s->rhs[a] = -s->q[s->member[a]];
        for (int b = 0; b < count; ++b) {
            s->A[(size_t)a * (size_t)count + (size_t)b] = row[s->member[b]];
        }
    }
    (void)carom_lcp_gauss(count, s->A, s->rhs, s->order);
    for (int a = 0; a < count; ++a) {
        s->d[s->member[a]] = s->rhs[a] - s->z[s->member[a]];
    }
}

/* Row i of the derivative of phi: a e_i + b M_i. */
static void derivative(const newton *s, int i, double *a, double *b)
{
    const double r = hypot(s->z[i], s->w[i]);
    *a = r > 0.0 ? 1.0 - s->z[i] / r : CORNER;
    *b = r > 0.0 ? 1.0 - s->w[i] / r : CORNER;
}

/* d of Newton's method on phi; returns the slope of the merit along it, or that of a Levenberg-Marquardt step. */
static double step_of_phi(const newton *s, double size)
{
    const size_t n = (size_t)s->n;
    double *const gradient = s->trial;
    double slope = 0.0, length = 0.0, a, b;
    memset(gradient, 0, n * sizeof *gradient);
    for (size_t i = 0; i < n; ++i) {
        derivative(s, (int)i, &a, &b);
        gradient[i] += a * s->phi[i];
        for (size_t j = 0; j < n; ++j) {
            s->A[n * i + j] = b * s->M[n * i + j] + (i == j ? a : 0.0);
            gradient[j] += b * s->M[n * i + j] * s->phi[i];
        }
        s->d[i] = -s->phi[i];
    }
    const int rank = carom_lcp_gauss(s->n, s->A, s->d, s->order);
    for (size_t i = 0; i < n; ++i) {
        slope += gradient[i] * s->d[i];
        length += s->d[i] * s->d[i];
    }
    if (rank == s->n && slope < -1e-8 * length) {
        return slope;
    }
    const double damp = fmin(1e-1, sqrt(2.0 * size)) + 1e-12;
    memset(s->A, 0, n * n * sizeof *s->A);
    for (size_t i = 0; i < n; ++i) {
        derivative(s, (int)i, &a, &b);
        for (size_t j = 0; j < n; ++j) {
            const double left = b * s->M[n * i + j] + (i == j ? a : 0.0);
            for (size_t k = 0; k < n && left != 0.0; ++k) {
                s->A[n * j + k] += left * (b * s->M[n * i + k] + (i == k ? a : 0.0));
            }
        }
    }
    slope = 0.0;
    for (size_t i = 0; i < n; ++i) {
        s->A[n * i + i] += damp;
        s->d[i] = -gradient[i];
        s->rhs[i] = gradient[i]; /* the trial vector is scratch of the line search */
    }
    (void)carom_lcp_gauss(s->n, s->A, s->d, s->order);
    for (size_t i = 0; i < n; ++i) {
        slope += s->rhs[i] * s->d[i];
    }
    return slope;
}

/* z + length d to trial. */
static double merit_along(const newton *s, double length)
{
    for (int i = 0; i < s->n; ++i) {
        s->trial[i] = s->z[i] + length * s->d[i];
    }
    return merit(s, s->trial, s->w, s->phi);
}

/* From s->z; z and residual are the best of all. */
static double descend(newton *s, double *z, double residual)
{
    const size_t bytes = (size_t)s->n * sizeof(double);
    double size = merit(s, s->z, s->w, s->phi);
    for (int k = 0; k < STEPS && residual > s->run->tolerance && size > 0.0; ++k) {
        s->run->iterations++;
        step_of_modes(s);
        double now = merit_along(s, 1.0);
        if (!(now <= ENOUGH * size)) {
            for (int i = 0; i < s->n; ++i) { /* even so it may be the answer: a sign at rounding decides the merit */
                s->trial[i] /= s->root[i];
            }
            residual = carom_lcp_keep(s->run, s->trial, z, residual);
            (void)merit(s, s->z, s->w, s->phi);
            const double slope = step_of_phi(s, size);
            double length = 1.0;
            now = merit_along(s, length);
            for (int trial = 0; trial < TRIALS && !(now <= size + DESCENT * length * slope); ++trial) {
                length *= 0.5;
                now = merit_along(s, length);
            }
            if (!(now < (1.0 - 1e-9) * size)) {
                break; /* a minimum, no solution */
            }
        }
        memcpy(s->z, s->trial, bytes);
        size = now;
        for (int i = 0; i < s->n; ++i) {
            s->trial[i] = s->z[i] / s->root[i];
        }
        residual = carom_lcp_keep(s->run, s->trial, z, residual);
    }
    return residual;
}

double carom_lcp_by_newton(carom_lcp_run *run, double *z, double residual)
{
    const carom_lcp_problem *const p = run->problem;
    const size_t n = (size_t)p->n;
    newton s = {.run = run, .n = p->n, .M = run->work, .A = run->work + n * n};
    double **const vector[] = {&s.q, &s.root, &s.z, &s.w, &s.phi, &s.d, &s.trial, &s.rhs};
    double *end = s.A + n * n, largest = 0.0;
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k, end += n) {
        *vector[k] = end;
    }
    s.order = (int *)(void *)end;
    s.member = s.order + 2 * n;
    for (size_t i = 0; i < n; ++i) {
        s.root[i] = sqrt(run->unit[i]);
        largest = fmax(largest, fabs(p->q[i]) / s.root[i]);
    }
    for (size_t i = 0; i < n; ++i) {
        s.q[i] = p->q[i] / (s.root[i] * largest);
        for (size_t j = 0; j < n; ++j) {
            s.M[n * i + j] = p->M[n * i + j] / (s.root[i] * s.root[j]);
        }
    }
    for (size_t i = 0; i < n; ++i) {
        s.root[i] /= largest;
    }
    uint_least32_t random = 1;
    for (int start = 0; start < STARTS && residual > run->tolerance; ++start) {
        for (size_t i = 0; i < n; ++i) { /* zero, all alike, and then scattered: always the same */
            random = (random * 1664525U + 1013904223U) & 0xffffffffU;
            s.z[i] = start == 0   ? 0.0
                     : start == 1 ? 1.0
                                  : ldexp((double)(random >> 8), -24) * (start % 3 == 0 ? 10.0 : 2.0);
        }
        residual = descend(&s, z, residual);
    }
    return residual;
}
