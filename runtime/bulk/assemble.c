/* The contact problem of a pile with W as a matrix of blocks, for the portfolio of runtime/friction: what sweeps over
 * the bodies do not solve. A contact meets those that share one of its bodies. */
#include "bulk.h"

#include "carom/friction.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ALIGN = 16 };

/* Pieces of the spare memory, from the front. */
typedef struct {
    char *base;
    size_t size, used;
} spare;

static void *take(spare *s, size_t count, size_t element)
{
    const size_t bytes = (count * element + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes > s->size - s->used) {
        return NULL;
    }
    s->used += bytes;
    return s->base + (s->used - bytes);
}

typedef double frame[3][3];

static void frame_of(const carom_bulk_contact *c, frame f)
{
    memcpy(f[0], c->normal, sizeof f[0]);
    carom_tangents(c->normal, f[1], f[2]);
}

/* Adds what contact d does to contact c through one body: arms and signs of the two sides. */
static void add_block(const carom_bulk_body *body, frame fc, const double *arm_c, frame fd, const double *arm_d,
                      double sign, double *W)
{
    double moment_c[3][3], turned[3][3], moment[3];
    for (int k = 0; k < 3; ++k) {
        carom_cross(arm_c, fc[k], moment_c[k]);
        carom_cross(arm_d, fd[k], moment);
        carom_inverse_inertia(body, moment, turned[k]);
    }
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            W[3 * k + l] += sign * (body->m * carom_dot(fc[k], fd[l]) + carom_dot(moment_c[k], turned[l]));
        }
    }
}

/* The contacts of each body, ascending: list[first[i]] .. list[first[i + 1] - 1]. */
static void contacts_of_bodies(const carom_bulk *b, int *first, int *list)
{
    for (int i = 0; i <= b->bodies + 1; ++i) {
        first[i] = 0;
    }
    for (int k = 0; k < *b->contacts; ++k) {
        first[b->contact[k].i + 1]++;
        first[b->contact[k].j + 1]++;
    }
    for (int i = 0; i <= b->bodies; ++i) {
        first[i + 1] += first[i];
    }
    /* from the back, first[i + 1] runs down to the place of the first of body i */
    for (int k = *b->contacts - 1; k >= 0; --k) {
        list[--first[b->contact[k].i + 1]] = k;
        list[--first[b->contact[k].j + 1]] = k;
    }
    for (int i = 0; i <= b->bodies; ++i) {
        first[i] = first[i + 1];
    }
    first[b->bodies + 1] = 2 * *b->contacts;
}

/* The contacts that share a free body with contact k, itself included, ascending; returns how many. */
static int partners(const carom_bulk *b, const int *first, const int *list, int k, int *out)
{
    const int body[2] = {b->contact[k].i, b->contact[k].j};
    int at[2], end[2], n = 0;
    for (int s = 0; s < 2; ++s) {
        at[s] = body[s] < b->bodies ? first[body[s]] : 0;
        end[s] = body[s] < b->bodies ? first[body[s] + 1] : 0;
    }
    while (at[0] < end[0] || at[1] < end[1]) {
        const int x = at[0] < end[0] ? list[at[0]] : INT32_MAX, y = at[1] < end[1] ? list[at[1]] : INT32_MAX;
        const int next = x < y ? x : y;
        at[0] += x == next;
        at[1] += y == next;
        if (out != NULL) {
            out[n] = next;
        }
        ++n;
    }
    return n;
}

static void fill_block(const carom_bulk *b, int k, int l, double *W)
{
    const carom_bulk_contact *const c = &b->contact[k], *const d = &b->contact[l];
    frame fc, fd;
    frame_of(c, fc);
    frame_of(d, fd);
    memset(W, 0, 9 * sizeof *W);
    if (c->i == d->i && c->i < b->bodies) {
        add_block(&b->at[c->i], fc, c->ra, fd, d->ra, 1.0, W);
    }
    if (c->j == d->j && c->j < b->bodies) {
        add_block(&b->at[c->j], fc, c->rb, fd, d->rb, 1.0, W);
    }
    if (c->i == d->j && c->i < b->bodies) {
        add_block(&b->at[c->i], fc, c->ra, fd, d->rb, -1.0, W);
    }
    if (c->j == d->i && c->j < b->bodies) {
        add_block(&b->at[c->j], fc, c->rb, fd, d->ra, -1.0, W);
    }
}

/* q in the frames of the contacts, from the free velocities. */
static void fill_q(const carom_bulk *b, double *q)
{
    for (int k = 0; k < *b->contacts; ++k) {
        const carom_bulk_contact *const c = &b->contact[k];
        carom_bulk_body side[2] = {b->at[c->i], b->at[c->j]};
        const int body[2] = {c->i, c->j};
        frame f;
        double u[3];
        for (int s = 0; s < 2; ++s) {
            if (body[s] < b->bodies) {
                memcpy(side[s].v, b->free + 6 * body[s], sizeof side[s].v);
                memcpy(side[s].w, b->free + 6 * body[s] + 3, sizeof side[s].w);
            }
        }
        carom_relative(c, &side[0], &side[1], u);
        frame_of(c, f);
        q[3 * k] = carom_dot(f[0], u) + c->bias;
        q[3 * k + 1] = carom_dot(f[1], u);
        q[3 * k + 2] = carom_dot(f[2], u);
    }
}

size_t carom_bulk_assemble(const carom_bulk *b, carom_friction_problem *problem, double **r, double **u)
{
    const int n = *b->contacts;
    const size_t skew = (ALIGN - (uintptr_t)b->spare % ALIGN) % ALIGN;
    if (b->spare == NULL || b->spare_size < skew) {
        return 0;
    }
    spare s = {(char *)b->spare + skew, b->spare_size - skew, 0};
    int *const first = take(&s, (size_t)b->bodies + 2, sizeof(int)), *const list = take(&s, 2 * (size_t)n, sizeof(int));
    int *const row = take(&s, (size_t)n + 1, sizeof(int));
    double *const mu = take(&s, (size_t)n, sizeof(double)), *const q = take(&s, 3 * (size_t)n, sizeof(double));
    *r = take(&s, 3 * (size_t)n, sizeof(double));
    *u = take(&s, 3 * (size_t)n, sizeof(double));
    if (first == NULL || list == NULL || row == NULL || mu == NULL || q == NULL || *r == NULL || *u == NULL) {
        return 0;
    }
    contacts_of_bodies(b, first, list);
    row[0] = 0;
    for (int k = 0; k < n; ++k) {
        row[k + 1] = row[k] + partners(b, first, list, k, NULL);
    }
    int *const column = take(&s, (size_t)row[n], sizeof(int));
    double *const block = take(&s, 9 * (size_t)row[n], sizeof(double));
    if (column == NULL || block == NULL) {
        return 0;
    }
    fill_q(b, q);
    for (int k = 0; k < n; ++k) {
        frame f;
        mu[k] = b->contact[k].mu;
        frame_of(&b->contact[k], f);
        for (int l = 0; l < 3; ++l) {
            (*r)[3 * k + l] = carom_dot(f[l], b->contact[k].r);
        }
        (void)partners(b, first, list, k, column + row[k]);
        for (int l = row[k]; l < row[k + 1]; ++l) {
            fill_block(b, k, column[l], block + 9 * l);
        }
    }
    *problem = (carom_friction_problem){
        .dimension = 3, .contacts = n, .mu = mu, .q = q, .row = row, .column = column, .block = block};
    return s.used + skew;
}

int carom_bulk_portfolio(const carom_bulk *b, const char *solver, int limit, double tolerance)
{
    carom_friction_problem problem;
    const carom_friction_options options = {.solver = solver, .tolerance = tolerance, .max_iterations = limit};
    double *r, *u;
    const size_t used = carom_bulk_assemble(b, &problem, &r, &u);
    if (used == 0) {
        return 0;
    }
    carom_friction_solve(&problem, &options, r, u, NULL, (char *)b->spare + used, b->spare_size - used);
    for (int k = 0; k < *b->contacts; ++k) {
        frame f;
        frame_of(&b->contact[k], f);
        for (int l = 0; l < 3; ++l) {
            b->contact[k].r[l] = r[3 * k] * f[0][l] + r[3 * k + 1] * f[1][l] + r[3 * k + 2] * f[2][l];
        }
    }
    return 1;
}
