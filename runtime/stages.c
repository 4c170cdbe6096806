/* Sparse equations of coupled stages by blocks. See carom/stages.h. */
#include "carom/stages.h"

#include <math.h>
#include <stdbool.h>

#define BLOCK (CAROM_STAGES_MOST * CAROM_STAGES_MOST)
#define PIVOT_NULL 1e-11 /* a row whose block is below this fraction of its stiffness depends on others ... */
#define PIVOT_SHIFT 1e-6 /* ... and gets this fraction instead: as in kkt.c */

/* Names for the parts of the caller's work space. */
typedef struct {
    double *L, *U;        /* [nl] blocks: column of L, row of U */
    double *inverse;      /* [n] of the blocks of D */
    double *row, *column; /* [n] blocks of one row and one column; zero between uses */
    double *y;            /* [n s] */
    int *filled, *held;
} space;

static space divide(const carom_kkt_tables *t, int s, double *work, int *iwork)
{
    const int n = t->nv + t->nr, b = s * s;
    space w;
    w.L = work;
    w.U = w.L + b * t->nl;
    w.inverse = w.U + b * t->nl;
    w.row = w.inverse + b * n;
    w.column = w.row + b * n;
    w.y = w.column + b * n;
    w.filled = iwork;
    w.held = iwork + n;
    return w;
}

/* z -= x y */
static void subtract(int s, const double *x, const double *y, double *z)
{
    for (int i = 0; i < s; i++) {
        for (int k = 0; k < s; k++) {
            for (int j = 0; j < s; j++) {
                z[i * s + j] -= x[i * s + k] * y[k * s + j];
            }
        }
    }
}

/* y -= A x of a block and vectors */
static void subtract_from(int s, const double *A, const double *x, double *y)
{
    for (int i = 0; i < s; i++) {
        for (int k = 0; k < s; k++) {
            y[i] -= A[i * s + k] * x[k];
        }
    }
}

/* z = x y, or 0 */
static void multiply(int s, const double *x, const double *y, double *z)
{
    for (int i = 0; i < s * s; i++) {
        z[i] = 0.0;
    }
    for (int i = 0; i < s; i++) {
        for (int k = 0; k < s; k++) {
            for (int j = 0; j < s; j++) {
                z[i * s + j] += x[i * s + k] * y[k * s + j];
            }
        }
    }
}

/* Gauss and Jordan with the largest pivots; false: singular. A is destroyed. */
static bool invert(int s, double *A, double *B)
{
    for (int i = 0; i < s * s; i++) {
        B[i] = (i % (s + 1) == 0) ? 1.0 : 0.0;
    }
    for (int k = 0; k < s; k++) {
        int p = k;
        for (int i = k + 1; i < s; i++) {
            p = (fabs(A[i * s + k]) > fabs(A[p * s + k])) ? i : p;
        }
        const double pivot = A[p * s + k];
        if (!(fabs(pivot) > 0.0)) {
            return false;
        }
        for (int j = 0; j < s; j++) {
            const double a = A[p * s + j], b = B[p * s + j];
            A[p * s + j] = A[k * s + j];
            B[p * s + j] = B[k * s + j];
            A[k * s + j] = a / pivot;
            B[k * s + j] = b / pivot;
        }
        for (int i = 0; i < s; i++) {
            const double factor = A[i * s + k];
            for (int j = 0; i != k && j < s; j++) {
                A[i * s + j] -= factor * A[k * s + j];
                B[i * s + j] -= factor * B[k * s + j];
            }
        }
    }
    return true;
}

static double largest(int count, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = (fabs(x[i]) <= most) ? most : fabs(x[i]) + 0.0 * most; /* a NaN stays */
    }
    return most;
}

/* The s x s block of two unknowns */
static void block_of(int s, double m, double c, double k, const double *wv, const double *wq, double *B)
{
    for (int i = 0; i < s * s; i++) {
        B[i] = ((i % (s + 1) == 0) ? m : 0.0) + wv[i] * c + wq[i] * k;
    }
}

/* sum G_j^2 / M_jj of a row */
static double stiffness(const carom_kkt_tables *t, const double *M, const double *G, int i)
{
    double sum = 0.0;
    for (int p = t->Gp[i]; p < t->Gp[i + 1]; p++) {
        sum += G[p] * G[p] / M[t->Ad[t->Gj[p]]];
    }
    return sum;
}

carom_status carom_stages_factor(const carom_kkt_tables *t, int s, const double *M, const double *C, const double *K,
                                 const double *wv, const double *wq, const double *G, const unsigned char *held,
                                 double *work, int *iwork)
{
    const int nv = t->nv, n = t->nv + t->nr, b = s * s;
    const space w = divide(t, s, work, iwork);
    for (int k = 0; k < n; k++) {
        w.filled[k] = t->Lp[k];
    }
    for (int k = 0; k < n * b; k++) {
        w.row[k] = 0.0;
        w.column[k] = 0.0;
    }
    for (int i = 0; i < t->nr; i++) {
        w.held[i] = held[i] && stiffness(t, M, G, i) > 0.0;
    }
    for (int k = 0; k < n; k++) {
        const int u = t->order[k];
        const bool present = (u < nv) || w.held[u - nv];
        double d[BLOCK], from_row[BLOCK], from_column[BLOCK];
        for (int i = 0; i < b; i++) {
            d[i] = 0.0;
        }
        if (u < nv) {
            block_of(s, M[t->Ad[u]], C[t->Ad[u]], K[t->Ad[u]], wv, wq, d);
        }
        for (int p = t->Kp[k]; present && p < t->Kp[k + 1]; p++) {
            const int j = t->Kj[p], source = t->Ks[p], other = t->order[j];
            if (source >= 0) {
                block_of(s, M[source], C[source], K[source], wv, wq, w.row + b * j);
            } else if (other < nv || w.held[other - nv]) {
                for (int i = 0; i < s; i++) {
                    w.row[b * j + i * (s + 1)] = G[-1 - source];
                }
            }
            for (int i = 0; i < b; i++) {
                w.column[b * j + i] = w.row[b * j + i];
            }
        }
        for (int p = t->Rp[k]; p < t->Rp[k + 1]; p++) {
            const int j = t->Rj[p], end = w.filled[j];
            bool zero = true;
            for (int i = 0; i < b; i++) {
                from_row[i] = w.row[b * j + i];
                from_column[i] = w.column[b * j + i];
                w.row[b * j + i] = 0.0;
                w.column[b * j + i] = 0.0;
                zero = zero && from_row[i] == 0.0 && from_column[i] == 0.0;
            }
            for (int e = t->Lp[j]; !zero && e < end; e++) {
                subtract(s, from_row, w.U + b * e, w.row + b * t->Li[e]);
                subtract(s, w.L + b * e, from_column, w.column + b * t->Li[e]);
            }
            multiply(s, from_row, w.inverse + b * j, w.L + b * end);
            multiply(s, w.inverse + b * j, from_column, w.U + b * end);
            subtract(s, from_row, w.U + b * end, d);
            w.filled[j] = end + 1;
        }
        const double size = largest(b, d), scale = (u < nv || !present) ? 0.0 : stiffness(t, M, G, u - nv);
        if (!isfinite(size)) {
            return CAROM_NOT_FINITE;
        }
        if (!present || (u >= nv && size <= PIVOT_NULL * scale)) {
            for (int i = 0; i < b; i++) {
                d[i] = (i % (s + 1) == 0) ? (present ? -PIVOT_SHIFT * scale : -1.0) : 0.0;
            }
        }
        if (!invert(s, d, w.inverse + b * k)) {
            return CAROM_SINGULAR_MASS;
        }
    }
    return CAROM_OK;
}

/* M d in y, of one stage; G d of the rows that are held */
static void right_hand_side(const carom_kkt_tables *t, const double *M, const double *G, const double *d,
                            const int *held, double *f, double *c)
{
    for (int i = 0; i < t->nv; i++) {
        f[i] = 0.0;
    }
    for (int p = 0; p < t->na; p++) {
        const int i = t->Ai[p], j = t->Aj[p];
        f[i] += M[p] * d[j];
        f[j] += (i != j) ? M[p] * d[i] : 0.0;
    }
    for (int i = 0; i < t->nr; i++) {
        c[i] = 0.0;
        for (int p = t->Gp[i]; held[i] && p < t->Gp[i + 1]; p++) {
            c[i] += G[p] * d[t->Gj[p]];
        }
    }
}

void carom_stages_solve(const carom_kkt_tables *t, int s, const double *M, const double *G, double *d, double *work,
                        const int *iwork)
{
    const int nv = t->nv, n = t->nv + t->nr, b = s * s;
    const space w = divide(t, s, work, (int *)iwork);
    for (int l = 0; l < s; l++) { /* row and column of the factorisation are free here */
        right_hand_side(t, M, G, d + l * nv, w.held, w.row, w.row + nv);
        for (int k = 0; k < n; k++) {
            w.y[k * s + l] = w.row[t->order[k]];
        }
    }
    for (int k = 0; k < n; k++) {
        for (int e = t->Lp[k]; e < t->Lp[k + 1]; e++) {
            subtract_from(s, w.L + b * e, w.y + k * s, w.y + t->Li[e] * s);
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        double x[CAROM_STAGES_MOST] = {0.0};
        for (int i = 0; i < s; i++) {
            for (int j = 0; j < s; j++) {
                x[i] += w.inverse[b * k + i * s + j] * w.y[k * s + j];
            }
        }
        for (int e = t->Lp[k]; e < t->Lp[k + 1]; e++) {
            subtract_from(s, w.U + b * e, w.y + t->Li[e] * s, x);
        }
        for (int i = 0; i < s; i++) {
            w.y[k * s + i] = x[i];
            if (t->order[k] < nv) {
                d[i * nv + t->order[k]] = x[i];
            }
        }
    }
}
