/* Small dense linear algebra with sizes known at compile time: LU with pivoting for Newton matrices, and
 * L D L^T and L D U for Delassus blocks, where redundant rows give zero pivots. Matrices are row-major. No heap. */
#ifndef CAROM_DENSE_H
#define CAROM_DENSE_H

#include <math.h>
#include <stdbool.h>

/* A := L U with row exchanges in pivot[]; false when a pivot is zero or not finite. */
static inline bool carom_lu_factor(int n, double *A, int *pivot)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) {
                p = i;
            }
        }
        pivot[k] = p;
        const double d = A[p * n + k];
        if (!(fabs(d) > 0.0) || !(fabs(d) < HUGE_VAL)) {
            return false;
        }
        if (p != k) {
            for (int j = 0; j < n; ++j) {
                const double x = A[k * n + j];
                A[k * n + j] = A[p * n + j];
                A[p * n + j] = x;
            }
        }
        for (int i = k + 1; i < n; ++i) {
            const double l = A[i * n + k] / d;
            A[i * n + k] = l;
            for (int j = k + 1; j < n; ++j) {
                A[i * n + j] -= l * A[k * n + j];
            }
        }
    }
    return true;
}

/* x := A^-1 x */
static inline void carom_lu_solve(int n, const double *A, const int *pivot, double *x)
{
    for (int k = 0; k < n; ++k) {
        const double y = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = y;
    }
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            x[i] -= A[i * n + j] * x[j];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            x[i] -= A[i * n + j] * x[j];
        }
        x[i] /= A[i * n + i];
    }
}

/* W := L D L^T in place (unit L below the diagonal, 1/D on it) for symmetric positive semidefinite W with row stride
 * ld. A pivot below 1e-12 of its diagonal entry marks a redundant row: its 1/D is set to 0, so that its unknown comes
 * out 0. */
static inline void carom_ldl_factor(int n, double *W, int ld)
{
    for (int i = 0; i < n; ++i) {
        const double diagonal = W[i * ld + i];
        double pivot = diagonal;
        for (int j = 0; j < i; ++j) { /* row i of L D */
            double sum = W[i * ld + j];
            for (int k = 0; k < j; ++k) {
                sum -= W[i * ld + k] * W[j * ld + k];
            }
            W[i * ld + j] = sum;
        }
        for (int j = 0; j < i; ++j) {
            const double scaled = W[i * ld + j] * W[j * ld + j];
            pivot -= scaled * W[i * ld + j];
            W[i * ld + j] = scaled;
        }
        W[i * ld + i] = pivot > 1e-12 * diagonal ? 1.0 / pivot : 0.0;
    }
}

/* x := W^-1 x after carom_ldl_factor */
static inline void carom_ldl_solve(int n, const double *W, int ld, double *x)
{
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            x[i] -= W[i * ld + j] * x[j];
        }
    }
    for (int i = 0; i < n; ++i) {
        x[i] *= W[i * ld + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            x[i] -= W[j * ld + i] * x[j];
        }
    }
}

/* The same for W = G A G^T with an A that is not symmetric (matrices of implicit steps: spinning bodies, follower
 * forces): W := L D U, unit L below and unit U above the diagonal, 1/D on it. Where rows of G depend on each other so
 * do rows and columns of W, so one pivot tells of both. */
static inline void carom_ldu_factor(int n, double *W, int ld)
{
    for (int i = 0; i < n; ++i) {
        const double diagonal = W[i * ld + i];
        double pivot = diagonal;
        for (int j = 0; j < i; ++j) { /* row i of L D, column i of D U */
            double row = W[i * ld + j], column = W[j * ld + i];
            for (int k = 0; k < j; ++k) {
                row -= W[i * ld + k] * W[k * ld + j];
                column -= W[j * ld + k] * W[k * ld + i];
            }
            W[i * ld + j] = row;
            W[j * ld + i] = column;
        }
        for (int j = 0; j < i; ++j) {
            const double scaled = W[i * ld + j] * W[j * ld + j];
            pivot -= scaled * W[j * ld + i];
            W[i * ld + j] = scaled;
            W[j * ld + i] *= W[j * ld + j];
        }
        W[i * ld + i] = pivot > 1e-12 * diagonal ? 1.0 / pivot : 0.0;
    }
}

/* x := W^-1 x after carom_ldu_factor */
static inline void carom_ldu_solve(int n, const double *W, int ld, double *x)
{
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            x[i] -= W[i * ld + j] * x[j];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] *= W[i * ld + i];
        for (int j = i + 1; j < n; ++j) {
            x[i] -= W[i * ld + j] * x[j];
        }
    }
}

#endif
