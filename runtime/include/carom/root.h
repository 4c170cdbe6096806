/* The first zero of a cubic in (0, 1]. */
#ifndef CAROM_ROOT_H
#define CAROM_ROOT_H

#include <math.h>

/* a + b x + c x^2 + d x^3 */
static inline double carom_cubic(const double p[4], double x) { return p[0] + x * (p[1] + x * (p[2] + x * p[3])); }

/* A zero in [low, high], where p is positive at low, not positive at high, and monotone between them: bisection with
 * Newton's steps where these stay inside. */
static inline double carom_cubic_zero(const double p[4], double low, double high)
{
    double x = 0.5 * (low + high);
    for (int i = 0; i < 100; ++i) {
        const double f = carom_cubic(p, x), slope = p[1] + x * (2.0 * p[2] + 3.0 * x * p[3]);
        if (f > 0.0) {
            low = x;
        } else {
            high = x;
        }
        double next = x - f / slope;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (!(fabs(next - x) > 0.0) || !(next > low && next < high)) {
            return fabs(next - x) > 0.0 ? high : x;
        }
        x = next;
    }
    return x;
}

/* The first zero in (0, 1] of a polynomial that is positive at 0; 1 where there is none. */
static inline double carom_first_zero(const double p[4])
{
    double cut[3] = {1.0, 1.0, 1.0}; /* where it may turn, in order, and the end */
    const double half = p[2], three = 3.0 * p[3], root = half * half - three * p[1];
    if (root > 0.0) { /* of p1 + 2 p2 x + 3 p3 x^2 = 0, without cancellation */
        const double s = -(half + copysign(sqrt(root), half));
        const double one = fabs(three) > 0.0 ? s / three : 1.0, other = fabs(s) > 0.0 ? p[1] / s : 1.0;
        cut[0] = fmin(one, other);
        cut[1] = fmax(one, other);
    }
    double low = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double high = fmin(cut[i], 1.0);
        if (high > low) {
            if (carom_cubic(p, high) <= 0.0) {
                return carom_cubic_zero(p, low, high);
            }
            low = high;
        }
    }
    return 1.0;
}

/* When a gap closes that is g0 at 0 and g1 at 1 with the rates U0 and U1: the first zero of the cubic through these.
 * One that is closed (at most tg) at 0 and opens there: when it is g0 again. */
static inline double carom_hermite_root(double g0, double U0, double g1, double U1, double tg)
{
    const double c = -3.0 * g0 - 2.0 * U0 + 3.0 * g1 - U1, d = 2.0 * g0 + U0 - 2.0 * g1 + U1;
    const double open[4] = {g0, U0, c, d}, closed[4] = {U0, c, d, 0.0};
    return carom_first_zero(g0 > tg ? open : closed);
}

#endif
