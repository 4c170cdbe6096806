/* See friction_answer.h. */
#include "friction_answer.h"

#include "hyperstatic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double uniform(uint64_t *state)
{
    return random_between(state, -1.0, 1.0);
}

double law(int d, double mu, double s, const double *r, const double *u)
{
    const double slip = d == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
    double y[3] = {0, 0, 0}, p[3] = {0, 0, 0}, sum = 0.0;
    for (int i = 0; i < d; ++i) {
        y[i] = r[i] - s * (u[i] + (i == 0 ? mu * slip : 0.0));
    }
    const double t = d == 2 ? fabs(y[1]) : hypot(y[1], y[2]);
    if (t <= mu * y[0]) {
        memcpy(p, y, sizeof p);
    } else if (y[0] > -mu * t) {
        p[0] = (y[0] + mu * t) / (1.0 + mu * mu);
        for (int i = 1; i < d; ++i) {
            p[i] = mu * p[0] * y[i] / t;
        }
    }
    for (int i = 0; i < d; ++i) {
        sum += (r[i] - p[i]) * (r[i] - p[i]);
    }
    return sqrt(sum) / s;
}

double dense_residual(int d, const dense_problem *p, const double *r, double *u)
{
    double sum = 0.0, uu = 0.0, qq = 0.0;
    for (int i = 0; i < p->size; ++i) {
        u[i] = p->q[i];
        for (int j = 0; j < p->size; ++j) {
            u[i] += p->W[i * p->size + j] * r[j];
        }
        uu += u[i] * u[i];
        qq += p->q[i] * p->q[i];
    }
    for (int c = 0; c < p->size / d; ++c) {
        double trace = 0.0;
        for (int i = d * c; i < d * c + d; ++i) {
            trace += p->W[i * p->size + i];
        }
        const double part = law(d, p->mu[c], d / trace, r + d * c, u + d * c);
        sum += part * part;
    }
    return sum > 0.0 ? sqrt(sum) / sqrt(fmax(uu, qq)) : 0.0;
}

dense_problem spread(const carom_friction_problem *problem)
{
    const int d = problem->dimension, n = problem->contacts, size = d * n;
    dense_problem p = {size, calloc((size_t)(size * size), sizeof(double)), malloc((size_t)size * sizeof(double)),
                       malloc((size_t)n * sizeof(double))};
    for (int c = 0; c < n; ++c) {
        p.mu[c] = problem->mu[c];
        for (int k = problem->row[c]; k < problem->row[c + 1]; ++k) {
            for (int i = 0; i < d * d; ++i) {
                p.W[(d * c + i / d) * size + d * problem->column[k] + i % d] = problem->block[d * d * k + i];
            }
        }
    }
    memcpy(p.q, problem->q, (size_t)size * sizeof(double));
    return p;
}

void discard(dense_problem *p)
{
    free(p->W);
    free(p->q);
    free(p->mu);
}

answer solve(const carom_friction_problem *problem, const char *solver, const double *start, int poison)
{
    answer a = {.size = problem->dimension * problem->contacts};
    const carom_friction_options options = {.solver = solver, .tolerance = TOLERANCE};
    const size_t bytes = carom_friction_work_size(problem);
    void *work = malloc(bytes);
    a.r = calloc((size_t)a.size, sizeof(double));
    a.u = calloc((size_t)a.size, sizeof(double));
    if (work == NULL || a.r == NULL || a.u == NULL) { /* no ck_assert: also used outside of the tests */
        abort();
    }
    memset(work, poison, bytes);
    if (start != NULL) {
        memcpy(a.r, start, (size_t)a.size * sizeof(double));
    }
    a.status = carom_friction_solve(problem, &options, a.r, a.u, &a.result, work, bytes);
    free(work);
    return a;
}

void forget(answer *a)
{
    free(a->r);
    free(a->u);
}

double norm(int size, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

int same_bits(const answer *a, const answer *b)
{
    return memcmp(a->r, b->r, (size_t)a->size * sizeof(double)) == 0 &&
           memcmp(a->u, b->u, (size_t)a->size * sizeof(double)) == 0 && a->result.iterations == b->result.iterations;
}

void *changed_copy(const carom_friction_problem *problem, const double *sigma, double w_factor, double q_factor,
                          carom_friction_problem *copy)
{
    const int d = problem->dimension, n = problem->contacts, entries = d * d * problem->row[n];
    int *row = malloc(2 * (size_t)entries * sizeof(int)), *column = row + entries, at = 0;
    double *value = malloc((size_t)(entries + d * n) * sizeof(double)), *q = value + entries;
    for (int c = 0; c < n; ++c) {
        for (int k = problem->row[c]; k < problem->row[c + 1]; ++k) {
            for (int i = 0; i < d * d; ++i, ++at) {
                row[at] = d * c + i / d;
                column[at] = d * problem->column[k] + i % d;
                value[at] = problem->block[d * d * k + i] * sigma[i / d] * sigma[i % d] * w_factor;
            }
        }
        for (int i = 0; i < d; ++i) {
            q[d * c + i] = problem->q[d * c + i] * sigma[i] * q_factor;
        }
    }
    void *memory = carom_friction_assemble(d, n, problem->mu, q, entries, row, column, value, copy);
    free(row);
    free(value);
    return memory;
}
