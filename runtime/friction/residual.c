/* The residual that every solver reports (defined in carom/friction.h), and the vector operations around it. */
#include "solver.h"

#include <float.h>
#include <math.h>

#define ROUNDING_MOST 1e-5 /* residual that is accepted when it is the rounding of u = W r + q */
#define ROUNDING_SUM 2.0   /* of the sums: more than of their terms */

/* y += (part of a block row) x; d = 2 and 3 written out, the sweeps and products spend their time here. */
static void row_times(int d, int first, int last, const int *column, const double *block, const double *x, double *y)
{
    if (d == 2) {
        double y0 = y[0], y1 = y[1];
        for (int k = first; k < last; ++k) {
            const double *B = block + 4 * k, *z = x + 2 * column[k];
            y0 += B[0] * z[0] + B[1] * z[1];
            y1 += B[2] * z[0] + B[3] * z[1];
        }
        y[0] = y0;
        y[1] = y1;
    } else {
        double y0 = y[0], y1 = y[1], y2 = y[2];
        for (int k = first; k < last; ++k) {
            const double *B = block + 9 * k, *z = x + 3 * column[k];
            y0 += B[0] * z[0] + B[1] * z[1] + B[2] * z[2];
            y1 += B[3] * z[0] + B[4] * z[1] + B[5] * z[2];
            y2 += B[6] * z[0] + B[7] * z[1] + B[8] * z[2];
        }
        y[0] = y0;
        y[1] = y1;
        y[2] = y2;
    }
}

void carom_fc_velocity(const carom_fc *fc, const double *r, double *u)
{
    if (fc->product != NULL) {
        fc->product(fc->context, r, u);
        return;
    }
    carom_fc_copy(fc->size, fc->q, u);
    for (int c = 0; c < fc->n; ++c) {
        row_times(fc->d, fc->row[c], fc->row[c + 1], fc->column, fc->block, r, u + fc->d * c);
    }
}

static void relax(const carom_fc *fc, int c, double *r)
{
    const int d = fc->d, at = fc->diagonal[c];
    double b[3] = {0.0, 0.0, 0.0};
    carom_fc_copy(d, fc->q + d * c, b);
    row_times(d, fc->row[c], at, fc->column, fc->block, r, b);
    row_times(d, at + 1, fc->row[c + 1], fc->column, fc->block, r, b);
    if (d == 2) {
        carom_local_solve2(&fc->local[c], b, r + 2 * c);
    } else {
        carom_local_solve3(&fc->local[c], b, r + 3 * c);
    }
}

void carom_fc_sweep(carom_fc *fc, double *r, int backward)
{
    if (backward) {
        for (int c = fc->n - 1; c >= 0; --c) {
            relax(fc, c, r);
        }
    } else {
        for (int c = 0; c < fc->n; ++c) {
            relax(fc, c, r);
        }
    }
    fc->sweeps++;
}

/* Sum over the contacts and the one with the largest share. */
typedef struct {
    double sum, largest;
    int worst;
} tally;

static void add_contact(tally *t, int c, double part)
{
    t->sum += part;
    if (!(part <= t->largest)) { /* NaN counts as largest */
        t->largest = part;
        t->worst = c;
    }
}

/* max(|q|, |u|, floor); 0 when nothing moves and there is no floor. |u| counts only up to a multiple of the others:
 * where W is not positive semidefinite, impulses can run away along a ray on which everything grows, and a plain
 * quotient would call that a solution. */
static double velocity_scale(double q_norm, double u_norm, double floor)
{
    const double known = fmax(q_norm, floor);
    return fmax(known, fmin(u_norm, CAROM_RUNAWAY * known));
}

static double quotient(double sum, double scale)
{
    const double value = sum > 0.0 ? sqrt(sum) / scale : sum; /* nothing is left: no scale is needed */
    return isfinite(value) ? value : HUGE_VAL;
}

double carom_fc_natural(const carom_fc *fc, const double *r, const double *u, int *worst)
{
    const int d = fc->d, chunks = carom_fc_chunks(fc);
    tally t = {0.0, -1.0, -1}, part[CAROM_CHUNKS];
    CAROM_SIDE_BY_SIDE(chunks)
    for (int k = 0; k < chunks; ++k) {
        tally own = {0.0, -1.0, -1};
        for (int c = carom_chunk(fc->n, chunks, k); c < carom_chunk(fc->n, chunks, k + 1); ++c) {
            add_contact(&own, c, carom_law_coulomb(d, fc->mu[c], fc->s[c], r + d * c, u + d * c));
        }
        part[k] = own;
    }
    for (int k = 0; k < chunks; ++k) {
        t.sum += part[k].sum;
        t.worst = part[k].largest <= t.largest ? t.worst : part[k].worst;
        t.largest = part[k].largest <= t.largest ? t.largest : part[k].largest;
    }
    if (worst != NULL) {
        *worst = t.worst;
    }
    return quotient(t.sum, carom_fc_scale(fc, u));
}

double carom_fc_residual(const carom_fc *fc, const double *r, double *u)
{
    carom_fc_velocity(fc, r, u);
    return carom_fc_natural(fc, r, u, NULL);
}

double carom_fc_scale(const carom_fc *fc, const double *u)
{
    const int chunks = carom_fc_chunks(fc);
    double part[CAROM_CHUNKS], sum = 0.0;
    CAROM_SIDE_BY_SIDE(chunks)
    for (int k = 0; k < chunks; ++k) {
        double own = 0.0;
        for (int i = carom_chunk(fc->size, chunks, k); i < carom_chunk(fc->size, chunks, k + 1); ++i) {
            own += u[i] * u[i];
        }
        part[k] = own;
    }
    for (int k = 0; k < chunks; ++k) {
        sum += part[k];
    }
    return velocity_scale(fc->q_norm, sqrt(sum), fc->floor);
}

/* Size of the rounding errors in u = W r + q. A bound by the diagonal first: a second pass over W only where they may
 * matter. */
double carom_fc_rounding(const carom_fc *fc, const double *r, const double *u)
{
    const int d = fc->d;
    double sum = 0.0;
    for (int c = 0; c < fc->n; ++c) {
        const double size = carom_fc_norm(d, r + d * c) / fc->s[c];
        sum += size * size;
    }
    if (DBL_EPSILON * (double)d * sqrt(sum) < 1e-3 * fc->tolerance * fmax(fc->q_norm, fc->floor)) {
        return DBL_EPSILON * (double)d * sqrt(sum) / carom_fc_scale(fc, u);
    }
    sum = 0.0;
    for (int c = 0; c < fc->n; ++c) {
        for (int i = 0; i < d; ++i) {
            double size = 0.0;
            for (int k = fc->row[c]; k < fc->row[c + 1]; ++k) {
                for (int j = 0; j < d; ++j) {
                    size += fabs(fc->block[d * d * k + d * i + j] * r[d * fc->column[k] + j]);
                }
            }
            sum += size * size;
        }
    }
    return DBL_EPSILON * sqrt(sum) / carom_fc_scale(fc, u);
}

int carom_fc_reached(const carom_fc *fc, double residual, const double *r, const double *u)
{
    return residual <= fc->tolerance ||
           (residual <= ROUNDING_MOST && residual <= ROUNDING_SUM * carom_fc_rounding(fc, r, u));
}

void carom_fc_project(const carom_fc *fc, double *r)
{
    for (int c = 0; c < fc->n; ++c) {
        carom_cone_project(fc->d, fc->mu[c], r + fc->d * c);
    }
}

void carom_fc_copy(int size, const double *from, double *to)
{
    for (int i = 0; i < size; ++i) {
        to[i] = from[i];
    }
}

double carom_fc_norm(int size, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

double carom_fc_better(const carom_fc *fc, const double *x, double now, double *r, double residual)
{
    if (now < residual) {
        carom_fc_copy(fc->size, x, r);
    }
    return now < residual ? now : residual;
}

double carom_friction_residual(const carom_friction_problem *problem, double velocity_floor, const double *r, double *u,
                               int *worst)
{
    const int d = problem->dimension, n = problem->contacts;
    tally t = {0.0, -1.0, -1};
    for (int c = 0; c < n; ++c) {
        double *uc = u + d * c, trace = 0.0;
        for (int k = problem->row[c]; k < problem->row[c + 1]; ++k) {
            for (int i = 0; i < d && problem->column[k] == c; ++i) {
                trace += problem->block[d * d * k + (d + 1) * i];
            }
        }
        carom_fc_copy(d, problem->q + d * c, uc);
        row_times(d, problem->row[c], problem->row[c + 1], problem->column, problem->block, r, uc);
        add_contact(&t, c, carom_law_coulomb(d, problem->mu[c], trace > 0.0 ? (double)d / trace : 1.0, r + d * c, uc));
    }
    if (worst != NULL) {
        *worst = t.worst;
    }
    return quotient(t.sum, velocity_scale(carom_fc_norm(d * n, problem->q), carom_fc_norm(d * n, u), velocity_floor));
}
