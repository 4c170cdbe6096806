/* An impact of a chain after Liu, Zhao and Brogliato: the contacts that touch are springs, F = k d^eta, in a frozen
 * configuration. While contact j is loaded (U_j < 0) its indentation grows with -U_j, while it is unloaded it shrinks
 * with U_j/e^2, so that e^2 of the work comes back; U changes with W F. Their law in impulses,
 * dP_j/dP_i = (k_j/k_i)^(1/(eta+1)) (E_j/E_i)^(eta/(eta+1)) of the energies E stored, is this one without time. Ends
 * when all springs are slack and nothing approaches. Dormand and Prince 5(4) with steps by its estimate.
 *
 * n: contacts. U[n]: rates of their gaps, changed. W[n n]: what a unit impulse on one does to the rates. e, k, eta:
 * [n]. P[n]: impulses. work: CAROM_CHAIN_WORK(n) doubles. False where it does not end. */
#ifndef CAROM_CHAIN_H
#define CAROM_CHAIN_H

#include <math.h>
#include <stdbool.h>

#define CAROM_CHAIN_WORK(n) (28 * (n))
#define CAROM_CHAIN_STEPS 100000    /* at most */
#define CAROM_CHAIN_TOLERANCE 1e-11 /* of one step, of the largest rate */
#define CAROM_CHAIN_LEAST 1e-2      /* restitution below this counts as this: its spring would snap back in no time */

/* Rates of y: indentations, U, P. */
static inline void carom_chain_rates(int n, const double *W, const double *e, const double *k, const double *eta,
                                     const double *y, double *dy)
{
    for (int j = 0; j < n; ++j) {
        const double d = fmax(y[j], 0.0), U = y[n + j], least = fmax(e[j], CAROM_CHAIN_LEAST);
        dy[2 * n + j] = k[j] * pow(d, eta[j]);
        dy[j] = U < 0.0 ? -U : d > 0.0 ? -U / (least * least) : 0.0;
    }
    for (int j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int i = 0; i < n; ++i) {
            sum += W[j * n + i] * dy[2 * n + i];
        }
        dy[n + j] = sum;
    }
}

static inline bool carom_chain(int n, double *U, const double *W, const double *e, const double *k, const double *eta,
                               double *P, double *work)
{
    static const double A[7][6] = {
        {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
        {1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0},
        {3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0},
        {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0},
        {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0},
        {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0},
        {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
    static const double error[7] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
    const int m = 3 * n;
    double *const y = work, *const at = work + m, *const by = work + 2 * m, *const stiff = work + 9 * m;
    double speed = 0.0, inverse = 0.0, most = 0.0;
    for (int j = 0; j < n; ++j) {
        speed = fmax(speed, fabs(U[j]));
        inverse = fmax(inverse, W[j * n + j]);
        most = fmax(most, k[j]);
        P[j] = 0.0;
    }
    if (!(speed > 0.0)) {
        return true;
    }
    if (!(inverse > 0.0 && most > 0.0)) {
        return false;
    }
    for (int j = 0; j < n; ++j) { /* rates by the largest, stiffness so that W k is about 1 */
        y[j] = y[2 * n + j] = 0.0;
        y[n + j] = U[j] / speed;
        stiff[j] = k[j] / (most * inverse);
    }
    double x = 1e-3;
    for (int count = 0; count < CAROM_CHAIN_STEPS; ++count) {
        bool ends = true;
        for (int j = 0; j < n; ++j) {
            ends = ends && !(y[j] > 0.0) && y[n + j] >= -10.0 * CAROM_CHAIN_TOLERANCE;
        }
        if (ends) {
            for (int j = 0; j < n; ++j) {
                U[j] = speed * y[n + j];
                P[j] = speed * y[2 * n + j];
            }
            return true;
        }
        double off = 0.0;
        for (int l = 0; l < 7; ++l) {
            for (int i = 0; i < m; ++i) {
                double sum = 0.0;
                for (int q = 0; q < l; ++q) {
                    sum += A[l][q] * by[q * m + i];
                }
                at[i] = y[i] + x * sum;
            }
            carom_chain_rates(n, W, e, stiff, eta, at, by + l * m);
        }
        for (int i = 0; i < 2 * n; ++i) {
            double sum = 0.0;
            for (int l = 0; l < 7; ++l) {
                sum += error[l] * by[l * m + i];
            }
            off = fmax(off, fabs(x * sum));
        }
        if (!(off < HUGE_VAL)) {
            x *= 0.1;
            continue;
        }
        if (off <= CAROM_CHAIN_TOLERANCE || x < 1e-14) { /* at: the end of the step */
            for (int i = 0; i < m; ++i) {
                y[i] = at[i];
            }
            for (int j = 0; j < n; ++j) {
                y[j] = fmax(y[j], 0.0);
            }
        }
        x *= off > 0.0 ? fmin(fmax(0.9 * pow(off / CAROM_CHAIN_TOLERANCE, -0.2), 0.2), 5.0) : 5.0;
    }
    return false;
}

#endif
