/* Multipliers of rows that are held as equalities, A x = b, where more is held than moves (a table on four feet): then
 * they are not unique, and all of them do the same. Taken are those that contacts can bear, x_N >= 0 and
 * |x_T| <= mu x_N where tangents are held too, and of these the least, sum of weight_i x_i^2, so that alike contacts
 * share evenly. Where contacts can bear none of them, the one that is nearest to what they can: its x_N < 0 or
 * |x_T| > mu x_N tells which contact lets go. No heap; the header is all there is. */
#ifndef CAROM_MULTIPLIERS_H
#define CAROM_MULTIPLIERS_H

#include "dense.h"
#include "law.h"
#include "room.h"

#include <math.h>
#include <stdbool.h>

enum { CAROM_RANK_ROWS = 192 }; /* most rows of contacts that are held at once (carom/contact.h) */

/* A contact among the unknowns: its normal, and its tangents where they are held, -1: none. */
typedef struct {
    int row[3];
    double mu;
} carom_bearing;

/* A x = b (in x) for a square A that may be singular, by elimination with complete pivoting. Pivots below 1e-11 of the
 * first are redundant rows, whose x is 0. How many there are; as many last rows of A are then null vectors of it, the
 * others are overwritten. y, column: [n] room. */
static inline int carom_rank_solve(int n, double *A, double *x, double *y, int *column)
{
    int rank = 0;
    double largest = 0.0;
    for (int j = 0; j < n; ++j) {
        column[j] = j;
    }
    for (int k = 0; k < n; ++k) {
        int p = k, q = k;
        for (int i = k; i < n; ++i) {
            for (int j = k; j < n; ++j) {
                if (fabs(A[i * n + j]) > fabs(A[p * n + q])) {
                    p = i;
                    q = j;
                }
            }
        }
        const double d = fabs(A[p * n + q]);
        largest = k == 0 ? d : largest;
        if (!(d > 1e-11 * largest)) {
            break;
        }
        for (int j = 0; j < n && p != k; ++j) {
            const double z = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = z;
        }
        if (p != k) {
            const double z = x[k];
            x[k] = x[p];
            x[p] = z;
        }
        for (int i = 0; i < n && q != k; ++i) {
            const double z = A[i * n + k];
            A[i * n + k] = A[i * n + q];
            A[i * n + q] = z;
        }
        if (q != k) {
            const int z = column[k];
            column[k] = column[q];
            column[q] = z;
        }
        for (int i = k + 1; i < n; ++i) {
            const double l = A[i * n + k] / A[k * n + k];
            for (int j = k + 1; j < n; ++j) {
                A[i * n + j] -= l * A[k * n + j];
            }
            x[i] -= l * x[k];
        }
        rank = k + 1;
    }
    for (int f = rank; f <= n; ++f) { /* null vectors, one for each column that is left, then x itself */
        for (int i = n - 1; i >= 0; --i) {
            y[i] = i < rank ? (f < n ? -A[i * n + f] : x[i]) : i == f ? 1.0 : 0.0;
            for (int j = i + 1; j < rank && i < rank; ++j) {
                y[i] -= A[i * n + j] * y[j];
            }
            y[i] /= i < rank ? A[i * n + i] : 1.0;
        }
        double *const out = f < n ? A + f * n : x; /* rows below the rank are not needed any more */
        for (int j = 0; j < n; ++j) {
            out[column[j]] = y[j];
        }
    }
    return n - rank;
}

/* All that is known of such multipliers: x + N z, m null vectors N_a, orthonormal by the weights. */
typedef struct {
    int n, m, contacts;
    const double *N, *weight;
    const carom_bearing *bearing;
} carom_shares;

static inline double carom_weighted(const carom_shares *s, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; ++i) {
        sum += s->weight[i] * x[i] * y[i];
    }
    return sum;
}

/* e = v - P(v), what contacts cannot bear of v, P the projection on their cones; at: e = (1 - P'(at)) v. */
static inline void carom_unborne(const carom_shares *s, const double *v, const double *at, double *e)
{
    for (int i = 0; i < s->n; ++i) {
        e[i] = 0.0;
    }
    for (int c = 0; c < s->contacts; ++c) {
        const double mu = s->bearing[c].mu;
        int row[3] = {s->bearing[c].row[0], 0, 0}, d = 1;
        double x[3] = {v[row[0]], 0.0, 0.0}, p[3] = {v[row[0]], 0.0, 0.0}, t = 0.0;
        for (int k = 1; k < 3; ++k) {
            if (s->bearing[c].row[k] >= 0) {
                row[d] = s->bearing[c].row[k];
                x[d] = p[d] = v[row[d]];
                t = at != NULL ? hypot(t, at[row[d]]) : t;
                ++d;
            }
        }
        const double n = at != NULL ? at[row[0]] : 0.0;
        if (at == NULL && d == 1) {
            p[0] = x[0] > 0.0 ? x[0] : 0.0;
        } else if (at == NULL) {
            carom_cone_project(d, mu, p);
        } else if (mu * t <= -n && !(n > 0.0)) { /* nothing of it is borne */
            p[0] = p[1] = p[2] = 0.0;
        } else if (d > 1 && t > mu * n) { /* on the cone: along it, and turning with the tangent */
            double along = 0.0;
            for (int k = 1; k < d; ++k) {
                along += at[row[k]] / t * x[k];
            }
            const double projected = (n + mu * t) / (1.0 + mu * mu);
            p[0] = (x[0] + mu * along) / (1.0 + mu * mu);
            for (int k = 1; k < d; ++k) {
                const double unit = at[row[k]] / t;
                p[k] = mu * unit * p[0] + mu * projected / t * (x[k] - along * unit);
            }
        }
        for (int k = 0; k < d; ++k) {
            e[row[k]] = x[k] - p[k];
        }
    }
}

/* Makes the null vectors orthonormal by the weights and takes out of x what it has of them. */
static inline void carom_least(carom_shares *s, double *N, double *x)
{
    int m = 0;
    for (int a = 0; a < s->m; ++a) {
        double *const v = N + a * s->n, *const to = N + m * s->n;
        const double before = carom_weighted(s, v, v);
        for (int again = 0; again < 2; ++again) {
            for (int b = 0; b < m; ++b) {
                const double part = carom_weighted(s, N + b * s->n, v);
                for (int i = 0; i < s->n; ++i) {
                    v[i] -= part * N[b * s->n + i];
                }
            }
        }
        const double size = carom_weighted(s, v, v);
        if (size > 1e-20 * before) {
            for (int i = 0; i < s->n; ++i) {
                to[i] = v[i] / sqrt(size);
            }
            ++m;
        }
    }
    s->m = m;
    s->N = N;
    for (int a = 0; a < m; ++a) {
        const double part = carom_weighted(s, N + a * s->n, x);
        for (int i = 0; i < s->n; ++i) {
            x[i] -= part * N[a * s->n + i];
        }
    }
}

/* Minimises |x|^2/2 + stiffness |e(x + shift)|^2/2 over z by Newton steps: it is convex, its slope continuous. Where
 * nothing curves (normals, the plane) a few steps are exact. Steps are judged by the slope at their end: values of the
 * function tell no more than half the digits. room: m (m + 1) + 3 n */
static inline void carom_bear(const carom_shares *s, double stiffness, const double *shift, double *x, double *room)
{
    const int n = s->n, m = s->m;
    double *const H = room, *const g = H + m * m, *const v = g + m, *const e = v + n, *const d = e + n;
    double last = HUGE_VAL;
    for (int k = 0; k < 50; ++k) {
        for (int i = 0; i < n; ++i) {
            v[i] = x[i] + shift[i];
            d[i] = 0.0;
        }
        carom_unborne(s, v, NULL, e);
        for (int a = 0; a < m; ++a) {
            g[a] = -carom_weighted(s, s->N + a * n, x) - stiffness * carom_weighted(s, s->N + a * n, e);
        }
        for (int a = 0; a < m; ++a) {
            carom_unborne(s, s->N + a * n, v, e);
            for (int b = 0; b <= a; ++b) {
                H[a * m + b] = H[b * m + a] = (a == b ? 1.0 : 0.0) + stiffness * carom_weighted(s, s->N + b * n, e);
            }
        }
        double descent = 0.0, size = 0.0, part = 2.0, slope = HUGE_VAL;
        for (int a = 0; a < m; ++a) {
            v[a] = g[a];
        }
        carom_ldl_factor(m, H, m);
        carom_ldl_solve(m, H, m, g);
        for (int a = 0; a < m; ++a) {
            descent += v[a] * g[a];
            size += g[a] * g[a];
            for (int i = 0; i < n; ++i) {
                d[i] += g[a] * s->N[a * n + i];
            }
        }
        const double whole = carom_weighted(s, x, x);
        if (!(size > 1e-31 * whole) || (size < 1e-20 * whole && size > 0.25 * last)) {
            return; /* as near as rounding lets it be */
        }
        last = size;
        for (int halved = 0; halved < 30 && slope > 0.5 * descent; ++halved) {
            part *= 0.5;
            for (int i = 0; i < n; ++i) {
                v[i] = x[i] + part * d[i] + shift[i];
            }
            carom_unborne(s, v, NULL, e);
            slope = carom_weighted(s, d, x) + part * carom_weighted(s, d, d) + stiffness * carom_weighted(s, d, e);
        }
        for (int i = 0; i < n; ++i) {
            x[i] += part * d[i];
        }
    }
}

/* A x = b (in x; A is overwritten) as said above. joint: rows that no cone binds, and that carry what they can before
 * contacts do; without contacts (0) the least x is taken. */
static inline void carom_multipliers(int n, double *A, double *x, const bool *joint, int contacts,
                                     const carom_bearing *bearing, double *room)
{
    double *const weight = room, *const shift = weight + n, *const e = shift + n, *const old = e + n;
    double *const spare = old + n, largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(A[i * n + i]));
        shift[i] = 0.0;
    }
    for (int i = 0; i < n; ++i) {
        weight[i] = fmax(fabs(A[i * n + i]), 1e-12 * largest) * (joint[i] ? 1e-12 : 1.0);
    }
    for (int c = 0; c < contacts; ++c) { /* one for all of a cone, which is to stay one */
        double sum = 0.0;
        int d = 0;
        for (int k = 0; k < 3; ++k) {
            sum += bearing[c].row[k] >= 0 ? weight[bearing[c].row[k]] : 0.0;
            d += bearing[c].row[k] >= 0 ? 1 : 0;
        }
        for (int k = 0; k < 3; ++k) {
            if (bearing[c].row[k] >= 0) {
                weight[bearing[c].row[k]] = sum / (double)d;
            }
        }
    }
    carom_shares s = {.n = n, .contacts = contacts, .weight = weight, .bearing = bearing};
    s.m = carom_rank_solve(n, A, x, e, (int *)(void *)old);
    if (s.m == 0) {
        return;
    }
    carom_least(&s, A + (n - s.m) * n, x);
    double stiffness = 1e4;
    for (int k = 0; k < 20; ++k) { /* method of multipliers: the shift grows by what is not borne yet */
        carom_unborne(&s, x, NULL, e);
        if (carom_weighted(&s, e, e) <= 1e-28 * carom_weighted(&s, x, x)) {
            return;
        }
        for (int i = 0; i < n; ++i) {
            old[i] = x[i];
        }
        carom_bear(&s, stiffness, shift, x, spare);
        for (int i = 0; i < n; ++i) {
            old[i] -= x[i];
            shift[i] += x[i];
        }
        if (carom_weighted(&s, old, old) <= 1e-28 * carom_weighted(&s, x, x)) {
            return;
        }
        carom_unborne(&s, shift, NULL, e);
        const double stiffer = stiffness < 1e8 ? 3.0 : 1.0; /* cones that only just meet come together slowly */
        for (int i = 0; i < n; ++i) {
            shift[i] = e[i] / stiffer;
        }
        stiffness *= stiffer;
    }
}

#endif
