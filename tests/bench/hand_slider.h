/* What the hand-written steppers of the slider-crank share: kinematics, M^-1, one or two closed contacts, forces. */
#ifndef HAND_SLIDER_H
#define HAND_SLIDER_H

#include "hand.h"

#include <math.h>

static inline void kinematics(hand_slider_kin *k, const hand_slider_par *p, const double *q)
{
    k->s1 = sin(q[0]);
    k->c1 = cos(q[0]);
    k->s2 = sin(q[1]);
    k->c2 = cos(q[1]);
    k->s3 = sin(q[2]);
    k->c3 = cos(q[2]);
    k->M12 = p->k12 * (k->c1 * k->c2 + k->s1 * k->s2);
    k->det = 1.0 / (p->M11 * p->M22 - k->M12 * k->M12);
    const double y = p->l1 * k->s1 + p->l2 * k->s2, as = p->a * k->s3, bc = p->b * k->c3, half = p->b + p->c;
    const double ac = p->a * k->c3, bs = p->b * k->s3, g1 = p->l1 * k->c1, g2 = p->l2 * k->c2;
    k->g[0] = half - (y - as + bc);
    k->g[1] = half - (y + as + bc);
    k->g[2] = half + (y - as - bc);
    k->g[3] = half + (y + as - bc);
    for (int j = 0; j < 2; ++j) {
        k->G[j][0] = -g1;
        k->G[j][1] = -g2;
        k->G[j + 2][0] = g1;
        k->G[j + 2][1] = g2;
    }
    k->G[0][2] = ac + bs;
    k->G[1][2] = bs - ac;
    k->G[2][2] = bs - ac;
    k->G[3][2] = bs + ac;
}

static inline void solve(const hand_slider_kin *k, const hand_slider_par *p, const double f[3], double x[3])
{
    x[0] = (p->M22 * f[0] - k->M12 * f[1]) * k->det;
    x[1] = (p->M11 * f[1] - k->M12 * f[0]) * k->det;
    x[2] = f[2] / p->M33;
}

static inline double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* one or two closed contacts: 0 <= r _|_ W r + b >= 0 */
static inline void lcp(int n, double W[2][2], const double b[2], double r[2])
{
    r[0] = r[1] = 0.0;
    if (n == 1) {
        r[0] = b[0] < 0.0 ? -b[0] / W[0][0] : 0.0;
        return;
    }
    if (b[0] >= 0.0 && b[1] >= 0.0) {
        return;
    }
    const double det = W[0][0] * W[1][1] - W[0][1] * W[1][0];
    const double x = (W[0][1] * b[1] - W[1][1] * b[0]) / det, y = (W[1][0] * b[0] - W[0][0] * b[1]) / det;
    if (x >= 0.0 && y >= 0.0) {
        r[0] = x;
        r[1] = y;
    } else if (b[0] < 0.0 && b[1] - W[1][0] * b[0] / W[0][0] >= 0.0) {
        r[0] = -b[0] / W[0][0];
    } else {
        r[1] = -b[1] / W[1][1];
    }
}

static inline void forces(const hand_slider_kin *k, const hand_slider_par *p, const double *v, double f[3])
{
    const double s12 = p->k12 * (k->c1 * k->s2 - k->s1 * k->c2);
    f[0] = s12 * v[1] * v[1] - p->f1 * k->c1;
    f[1] = -s12 * v[0] * v[0] - p->f2 * k->c2;
    f[2] = 0.0;
}

static inline double bias(const hand_slider_kin *k, const hand_slider_par *p, int j, const double *v)
{
    const double y = p->l1 * k->s1 * v[0] * v[0] + p->l2 * k->s2 * v[1] * v[1];
    const double as = p->a * k->s3 * v[2] * v[2], bc = p->b * k->c3 * v[2] * v[2];
    switch (j) {
    case 0: return y - as + bc;
    case 1: return y + as + bc;
    case 2: return -y + as + bc;
    default: return -y - as + bc;
    }
}

#endif
