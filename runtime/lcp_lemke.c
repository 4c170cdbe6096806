/* Lemke's method with lexicographic ratios. See carom/lemke.h. */
#include "carom/lemke.h"

#include <float.h>
#include <math.h>

#define LEMKE_ENTRY 1e-11 /* tableau entries below this fraction of their column are rounding */
#define LEMKE_TIE 1e-12   /* relative difference of ratios that counts as a tie */
#define LEMKE_ACCEPT 1e-8

double carom_lcp_row_unit(int n, const double *row, int i)
{
    double unit = fabs(row[i]);
    if (unit == 0.0) {
        for (int j = 0; j < n; j++) {
            unit = carom_larger(unit, fabs(row[j]));
        }
    }
    return (unit > 0.0) ? unit : 1.0;
}

/*
 * Tableau x_B + T x_N = rhs with only the n + 1 nonbasic columns kept; the columns of the basis inverse, which order
 * ties, are those of the slacks w_k: the stored one, or a unit vector when w_k is basic. Variables: w_k = k,
 * z_k = n + k, z_0 = 2n; their numbers are kept as doubles so that the work space has one type.
 */
typedef struct {
    int n, stride;
    double *T, *basic, *nonbasic;
} tableau;

static int find(const double *list, int count, int variable)
{
    int at = count - 1;
    while (at >= 0 && (int)list[at] != variable) {
        at--;
    }
    return at;
}

static void exchange(const tableau *t, int r, int c)
{
    double *pivot_row = t->T + r * t->stride;
    const double inverse = 1.0 / pivot_row[c];
    for (int j = 0; j < t->stride; j++) {
        pivot_row[j] *= inverse;
    }
    pivot_row[c] = inverse;
    for (int i = 0; i < t->n; i++) {
        double *row = t->T + i * t->stride;
        const double l = row[c];
        if (i != r && l != 0.0) {
            row[c] = 0.0;
            for (int j = 0; j < t->stride; j++) {
                row[j] -= l * pivot_row[j];
            }
        }
    }
    const double leaving = t->basic[r];
    t->basic[r] = t->nonbasic[c];
    t->nonbasic[c] = leaving;
}

/* Column k of the basis inverse in row i: the stored one, or a unit vector when w_k is basic; k = -1 is the right-hand
 * side. */
static double inverse_entry(const tableau *t, int i, int k, int at)
{
    return (k < 0)                   ? t->T[i * t->stride + t->n + 1]
           : (at >= 0)               ? t->T[i * t->stride + at]
           : ((int)t->basic[i] == k) ? 1.0
                                     : 0.0;
}

/*
 * Row that leaves when column c enters, -1 on a ray: the lexicographic minimum of (right-hand side, basis inverse) /
 * entry. The rows that tie are narrowed down column by column, so that which of them wins does not depend on the order
 * of comparison; the inverse is read from the last column to the first when `backwards`. z0 leaves whenever it ties:
 * then a solution is reached. mark[n] is scratch.
 */
static int leaving_row(const tableau *t, int c, int backwards, double *mark)
{
    double largest = 0.0;
    int left = 0, leaving = -1;
    for (int i = 0; i < t->n; i++) {
        largest = carom_larger(largest, fabs(t->T[i * t->stride + c]));
    }
    for (int i = 0; i < t->n; i++) {
        mark[i] = (t->T[i * t->stride + c] > LEMKE_ENTRY * largest) ? 1.0 : 0.0;
        left += (mark[i] > 0.0);
    }
    for (int step = -1; step < t->n && left > 1; step++) {
        const int k = (step < 0) ? -1 : (backwards ? t->n - 1 - step : step),
                  at = (k < 0) ? -1 : find(t->nonbasic, t->n + 1, k);
        double least = DBL_MAX, size = 0.0;
        for (int i = 0; i < t->n; i++) {
            if (mark[i] > 0.0) {
                const double x = inverse_entry(t, i, k, at) / t->T[i * t->stride + c];
                least = carom_smaller(least, x);
                size = carom_larger(size, fabs(x));
            }
        }
        left = 0;
        for (int i = 0; i < t->n; i++) {
            if (mark[i] > 0.0) {
                const double x = inverse_entry(t, i, k, at) / t->T[i * t->stride + c];
                const int ties = (x - least <= LEMKE_TIE * (fabs(least) + ((k < 0) ? LEMKE_TIE : 1e-2) * size) + 1e-14);
                mark[i] = ties ? 1.0 : 0.0;
                left += ties;
                if (ties && k < 0 && (int)t->basic[i] == 2 * t->n) {
                    return i;
                }
            }
        }
    }
    for (int i = 0; i < t->n && leaving < 0; i++) {
        leaving = (mark[i] > 0.0) ? i : -1;
    }
    return leaving;
}

/* z of the basic variables by a column of the tableau times a factor, not below 0; 0 for the others. */
static void read_basic(const tableau *t, int column, double factor, double *z)
{
    for (int i = 0; i < t->n; i++) {
        z[i] = 0.0;
    }
    for (int i = 0; i < t->n; i++) {
        if ((int)t->basic[i] >= t->n && (int)t->basic[i] < 2 * t->n) {
            z[(int)t->basic[i] - t->n] = carom_larger(factor * t->T[i * t->stride + column], 0.0);
        }
    }
}

/* 2^e near x > 0, so that dividing by it rounds nothing. */
static double binary_unit(double x)
{
    int e = 0;
    (void)frexp(x, &e);
    return (x > 0.0) ? ldexp(1.0, e) : 1.0;
}

static int natural_residual_small(int n, const double *M, int ld, const double *q, const double *z)
{
    int good = 1;
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = carom_larger(largest, fabs(q[i]));
    }
    for (int i = 0; i < n; i++) {
        const double *row = M + i * ld;
        double w = q[i], size = fabs(w);
        for (int j = 0; j < n; j++) {
            w += row[j] * z[j];
            size += fabs(row[j] * z[j]);
        }
        const double residual = fabs(carom_smaller(w, carom_lcp_row_unit(n, row, i) * z[i]));
        good = good && (residual <= LEMKE_ACCEPT * carom_larger(largest, 1e-6 * size));
    }
    return good;
}

/*
 * Is y >= 0 a proof that w = M z + q >= 0 has no solution z >= 0? M^T y <= 0 and q.y < 0: then y.w = (M^T y).z + q.y <
 * 0 for every z.
 */
static int is_proof(int n, const double *M, int ld, const double *q, const double *y)
{
    double closing = 0.0, size = 0.0;
    int good = 1;
    for (int i = 0; i < n; i++) {
        closing += q[i] * y[i];
        size += fabs(q[i] * y[i]);
    }
    for (int j = 0; j < n && good; j++) {
        double sum = 0.0, terms = 0.0;
        for (int i = 0; i < n; i++) {
            sum += M[i * ld + j] * y[i];
            terms += fabs(M[i * ld + j] * y[i]);
        }
        good = (sum <= 1e-12 * terms);
    }
    return good && (closing < -1e-9 * size);
}

carom_status carom_lcp_lemke_cover(int n, const double *M, int ld, const double *q, const double *cover, int backwards,
                                   double *z, double *work, int *pivots)
{
    const tableau t = {n, n + 2, work, work + n * (n + 2), work + n * (n + 3)};
    double largest_q = 0.0, largest_m = 0.0, sum = 0.0;
    int first = -1;
    *pivots = 0;
    for (int i = 0; i < n; i++) {
        largest_q = carom_larger(largest_q, fabs(q[i]));
        sum += q[i];
        for (int j = 0; j < n; j++) {
            largest_m = carom_larger(largest_m, fabs(M[i * ld + j]));
            sum += M[i * ld + j];
        }
        z[i] = 0.0;
    }
    if (!isfinite(sum)) {
        return CAROM_NOT_FINITE;
    }
    const double unit_q = binary_unit(largest_q), unit_m = binary_unit(largest_m);
    for (int i = 0; i < n; i++) {
        double *row = t.T + i * t.stride;
        for (int j = 0; j < n; j++) {
            row[j] = -M[i * ld + j] / unit_m;
        }
        row[n] = (cover != (const double *)0) ? -cover[i] : -1.0;
        row[n + 1] = q[i] / unit_q;
        t.basic[i] = (double)i;
        t.nonbasic[i] = (double)(n + i);
        if (row[n + 1] < 0.0) { /* of equal ones the last: its unit row is the lexicographically smallest */
            const double *best = (first < 0) ? row : t.T + first * t.stride;
            const double here = row[n + 1] / -row[n], most = best[n + 1] / -best[n];
            first = (first < 0 || here < most || (!backwards && !(here > most))) ? i : first;
        }
    }
    t.nonbasic[n] = (double)(2 * n);
    int r = first, c = n, z0_basic = (first >= 0);
    while (r >= 0 && *pivots < CAROM_LCP_MAX_PIVOTS(n)) {
        const int leaving = (int)t.basic[r];
        exchange(&t, r, c);
        (*pivots)++;
        if (leaving == 2 * n) {
            z0_basic = 0;
            break;
        }
        c = find(t.nonbasic, n + 1, (leaving < n) ? leaving + n : leaving - n); /* the complement of what left */
        r = leaving_row(&t, c, backwards, z);
    }
    if (r < 0 && z0_basic) { /* a ray */
        read_basic(&t, c, -1.0, z);
        if ((int)t.nonbasic[c] >= n && (int)t.nonbasic[c] < 2 * n) {
            z[(int)t.nonbasic[c] - n] = 1.0;
        }
        if (is_proof(n, M, ld, q, z)) {
            return CAROM_INFEASIBLE;
        }
    }
    read_basic(&t, n + 1, unit_q / unit_m, z);
    return (!z0_basic && natural_residual_small(n, M, ld, q, z)) ? CAROM_OK : CAROM_CONTACT;
}

carom_status carom_lcp_lemke(int n, const double *M, int ld, const double *q, double *z, double *work, int *pivots)
{
    carom_status status = CAROM_CONTACT;
    int total = 0;
    for (int backwards = 0; backwards < 2 && status == CAROM_CONTACT; backwards++) {
        status = carom_lcp_lemke_cover(n, M, ld, q, (const double *)0, backwards, z, work, pivots);
        total += *pivots;
    }
    *pivots = total;
    return status;
}
