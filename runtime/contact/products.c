/* Many coupled contacts: accelerated projected gradients on the condensed problem, whose products W z are solves with
 * the sparse factor, so that W is never made. With s_c = d / trace(W_cc):
 *
 *     x+ = P_K(y - (s / L) (u_y + mu |u_yT| e_N)),     u+ = W x+ + q
 *
 * one product for each step, since u is affine: that of y is the same combination as y itself. L, the size of s W, is
 * found on the way; momentum is dropped when it leads uphill. */
#include "contact.h"

#include <math.h>

#define PRODUCTS 20000
#define BACK 30

/* u = W z + q */
static carom_status product(carom_condensed *w, const double *z, double *u, carom_info *info)
{
    const carom_contact_problem *const p = w->p;
    const int d = w->d;
    for (int k = 0; k < p->tables->nv; ++k) {
        w->g[k] = 0.0;
    }
    for (int i = 0; i < w->n; ++i) {
        for (int k = 0; k < d; ++k) {
            if (w->row[d * i + k] >= 0) {
                carom_row_add(p, w->row[d * i + k], z[d * i + k], w->g);
            }
        }
        for (int k = 0; k < d - 1 && w->slides[i]; ++k) {
            if (w->tangent[(d - 1) * i + k] >= 0) {
                carom_row_add(p, w->tangent[(d - 1) * i + k], -w->along[(d - 1) * i + k] * z[d * i], w->g);
            }
        }
    }
    const carom_status status = carom_condensed_apply(w, w->g, NULL, w->x, info);
    for (int i = 0; i < d * w->n; ++i) {
        u[i] = w->row[i] >= 0 ? carom_row_times(p, w->row[i], w->x) + w->q[i] : 0.0;
    }
    return status;
}

/* diagonals of W and the mass of each contact */
static carom_status measure(carom_condensed *w, double *s, carom_info *info)
{
    const carom_contact_problem *const p = w->p;
    const int d = w->d;
    carom_status status = CAROM_OK;
    for (int i = 0; i < w->n && status == CAROM_OK; ++i) {
        double trace = 0.0;
        int components = 0;
        for (int k = 0; k < d && status == CAROM_OK; ++k) {
            const int row = w->row[d * i + k];
            w->diagonal[d * i + k] = 1.0;
            for (int j = 0; j < p->tables->nv && row >= 0; ++j) {
                w->g[j] = 0.0;
            }
            if (row >= 0) {
                carom_row_add(p, row, 1.0, w->g);
                status = carom_condensed_apply(w, w->g, NULL, w->x, info);
                w->diagonal[d * i + k] = carom_row_times(p, row, w->x);
                trace += w->diagonal[d * i + k];
                ++components;
            }
        }
        s[i] = trace > 0.0 ? components / trace : 1.0;
    }
    return status;
}

static double norm(int size, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* the natural residual of carom/friction.h, and the contact with the largest share */
static double residual(const carom_condensed *w, const double *s, const double *z, const double *u, double scale,
                       int *worst)
{
    double sum = 0.0, largest = -1.0;
    for (int i = 0; i < w->n; ++i) {
        const double part = carom_law_coulomb(w->d, w->mu[i], s[i], z + w->d * i, u + w->d * i);
        sum += part;
        if (!(part <= largest)) {
            largest = part;
            *worst = i;
        }
    }
    const double size = fmax(scale, fmin(norm(w->d * w->n, u), CAROM_RUNAWAY * scale));
    const double value = sum > 0.0 ? sqrt(sum) / size : sum;
    return isfinite(value) ? value : HUGE_VAL;
}

static void copy(int size, const double *from, double *to)
{
    for (int i = 0; i < size; ++i) {
        to[i] = from[i];
    }
}

carom_status carom_condensed_products(carom_condensed *w, double tolerance, double floor, carom_info *info)
{
    const int d = w->d, n = w->n, size = d * n;
    double *vector[8];
    double *const s = carom_arena_take(&w->arena, (size_t)n, sizeof(double));
    for (int k = 0; k < 8; ++k) {
        vector[k] = carom_arena_take(&w->arena, (size_t)size, sizeof(double));
    }
    if (w->arena.missed > 0) {
        return CAROM_ARGUMENT;
    }
    double *x = vector[0], *old = vector[1], *y = vector[2], *u = vector[3], *u_old = vector[4], *u_y = vector[5];
    double *const best = vector[6], *const u_best = vector[7];
    const double scale = fmax(norm(size, w->q), floor);
    carom_status status = measure(w, s, info);
    double theta = 1.0, L = 1.0, least = HUGE_VAL;
    int worst = -1, products = 0;
    for (int i = 0; i < n; ++i) {
        for (int k = 1; k < d; ++k) {
            w->z[d * i + k] = w->row[d * i + k] >= 0 ? w->z[d * i + k] : 0.0;
        }
        carom_cone_project(d, w->mu[i], w->z + d * i);
    }
    copy(size, w->z, y);
    copy(size, w->z, old);
    status = status == CAROM_OK ? product(w, y, u_y, info) : status;
    copy(size, u_y, u_old);
    if (status == CAROM_OK) {
        least = residual(w, s, y, u_y, scale, &worst);
        copy(size, y, best);
        copy(size, u_y, u_best);
    }
    while (status == CAROM_OK && products < PRODUCTS && least > tolerance) {
        for (int back = 0; back < BACK; ++back) {
            double curved = 0.0, length = 0.0;
            for (int i = 0; i < n; ++i) {
                const double *const v = u_y + d * i;
                const double slip = d == 2 ? fabs(v[1]) : sqrt(v[1] * v[1] + v[2] * v[2]);
                for (int k = 0; k < d; ++k) {
                    x[d * i + k] = y[d * i + k] - s[i] / L * (v[k] + (k == 0 ? w->mu[i] * slip : 0.0));
                    x[d * i + k] = w->row[d * i + k] >= 0 ? x[d * i + k] : 0.0;
                }
                carom_cone_project(d, w->mu[i], x + d * i);
            }
            status = product(w, x, u, info);
            ++products;
            for (int i = 0; i < size; ++i) {
                const double step = x[i] - y[i];
                curved += step * (u[i] - u_y[i]);
                length += step * step / s[i / d];
            }
            if (!(curved > L * length) || status != CAROM_OK) {
                break;
            }
            L *= 1.5;
        }
        const double left = status == CAROM_OK ? residual(w, s, x, u, scale, &worst) : HUGE_VAL;
        if (left < least) {
            least = left;
            copy(size, x, best);
            copy(size, u, u_best);
        }
        double uphill = 0.0;
        for (int i = 0; i < n; ++i) {
            const double *const v = u_y + d * i;
            const double slip = d == 2 ? fabs(v[1]) : sqrt(v[1] * v[1] + v[2] * v[2]);
            for (int k = 0; k < d; ++k) {
                uphill += (v[k] + (k == 0 ? w->mu[i] * slip : 0.0)) * (x[d * i + k] - old[d * i + k]);
            }
        }
        double beta = 0.0;
        if (uphill > 0.0) {
            theta = 1.0;
        } else {
            const double next = 0.5 * theta * (sqrt(theta * theta + 4.0) - theta);
            beta = theta * (1.0 - theta) / (theta * theta + next);
            theta = next;
        }
        for (int i = 0; i < size; ++i) {
            y[i] = x[i] + beta * (x[i] - old[i]);
            u_y[i] = u[i] + beta * (u[i] - u_old[i]);
        }
        double *const swap = old, *const u_swap = u_old;
        old = x;
        x = swap;
        u_old = u;
        u = u_swap;
        L = fmax(0.3, 0.99 * L);
    }
    if (status == CAROM_OK) {
        copy(size, best, w->z);
        copy(size, u_best, w->u);
        info->iterations = products;
        least = residual(w, s, w->z, w->u, scale, &worst);
        if (!(least <= tolerance)) {
            info->contact = worst;
            info->residual = least;
            status = isfinite(least) ? CAROM_CONTACT : CAROM_NOT_FINITE;
        }
    }
    return status;
}
