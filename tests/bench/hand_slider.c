/* What a careful person writes for the slider-crank with D- M = 1 in the total-impulse form: the yardstick of `carom bench`.
 * Three sincos per step, end-of-step kinematics reused, sin and cos of the difference of angles by products. */
#include "hand.h"

#include <math.h>

static void kinematics(hand_slider_kin *k, const hand_slider_par *p, const double *q)
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

static void solve(const hand_slider_kin *k, const hand_slider_par *p, const double f[3], double x[3])
{
    x[0] = (p->M22 * f[0] - k->M12 * f[1]) * k->det;
    x[1] = (p->M11 * f[1] - k->M12 * f[0]) * k->det;
    x[2] = f[2] / p->M33;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* one or two closed contacts: 0 <= r _|_ W r + b >= 0 */
static void lcp(int n, double W[2][2], const double b[2], double r[2])
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

static void forces(const hand_slider_kin *k, const hand_slider_par *p, const double *v, double f[3])
{
    const double s12 = p->k12 * (k->c1 * k->s2 - k->s1 * k->c2);
    f[0] = s12 * v[1] * v[1] - p->f1 * k->c1;
    f[1] = -s12 * v[0] * v[0] - p->f2 * k->c2;
    f[2] = 0.0;
}

static double bias(const hand_slider_kin *k, const hand_slider_par *p, int j, const double *v)
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

/* M a = f + G_A^T r; at most two corners are closed at a time */
static void accelerate(const hand_slider_kin *k, const hand_slider_par *p, const double *v, int n, const int *set, double a[3], double r[4])
{
    double f[3];
    forces(k, p, v, f);
    solve(k, p, f, a);
    if (n > 0) {
        double Y[2][3], W[2][2], b[2], z[2];
        for (int i = 0; i < n; ++i) {
            solve(k, p, k->G[set[i]], Y[i]);
            b[i] = dot(k->G[set[i]], a) + bias(k, p, set[i], v);
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                W[i][j] = dot(k->G[set[i]], Y[j]);
            }
        }
        lcp(n, W, b, z);
        for (int i = 0; i < n; ++i) {
            r[set[i]] = z[i];
            for (int l = 0; l < 3; ++l) {
                a[l] += Y[i][l] * z[i];
            }
        }
    }
}

void hand_slider_step(hand_slider_state *s, double h)
{
    const hand_slider_par *const p = &s->p;
    int A[4], set[4], n = 0;
    double r0[4] = {0.0}, r1[4] = {0.0}, a0[3], a1[3], V[3], q1[3], vf[3];
    const double *q = s->q, *v = s->v;
    for (int j = 0; j < 4; ++j) {
        A[j] = s->pressing[j] || (s->k.g[j] <= 1e-10 && dot(s->k.G[j], v) <= 1e-8);
        if (A[j]) {
            set[n++] = j;
        }
    }
    accelerate(&s->k, p, v, n, set, a0, r0);
    for (int i = 0; i < 3; ++i) {
        V[i] = v[i] + h * a0[i];
        q1[i] = q[i] + h * (v[i] + h * (0.5 * a0[i]));
    }
    hand_slider_kin k;
    kinematics(&k, p, q1);
    accelerate(&k, p, V, n, set, a1, r1);
    for (int i = 0; i < 3; ++i) {
        vf[i] = v[i] + h * (0.5 * a0[i] + 0.5 * a1[i]);
    }
    int Cl[4], m = 0;
    for (int j = 0; j < 4; ++j) {
        const int closed = k.g[j] <= 1e-10 || (A[j] && r1[j] > 0.0);
        if (closed) {
            Cl[m++] = j;
        }
        s->pressing[j] = A[j] && closed && r1[j] > 0.0;
    }
    if (m > 0) {
        double Y[2][3], W[2][2], b[2], J[2], Jr[2];
        for (int i = 0; i < m; ++i) {
            const int j = Cl[i];
            Jr[i] = h * (0.5 * r0[j] + 0.5 * r1[j]);
            solve(&k, p, k.G[j], Y[i]);
            b[i] = (!A[j] && s->k.g[j] > 1e-10 ? 1.0 + p->e : 1.0) * dot(k.G[j], vf);
        }
        for (int i = 0; i < m; ++i) {
            for (int l = 0; l < m; ++l) {
                W[i][l] = dot(k.G[Cl[i]], Y[l]);
                b[i] -= W[i][l] * Jr[l];
            }
        }
        lcp(m, W, b, J);
        for (int i = 0; i < m; ++i) {
            s->impulse[Cl[i]] += J[i];
            for (int l = 0; l < 3; ++l) {
                vf[l] += Y[i][l] * (J[i] - Jr[i]);
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        s->q[i] = q1[i];
        s->v[i] = vf[i];
    }
    s->k = k;
    s->t += h;
}

void hand_slider_init(hand_slider_state *s)
{
    const double m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, g = 9.81, l1 = 0.153, l2 = 0.306;
    *s = (hand_slider_state){.v = {150.0, -75.0, 0.0}};
    s->p = (hand_slider_par){J1 + (m1 / 4 + m2 + m3) * l1 * l1, J2 + (m2 / 4 + m3) * l2 * l2, J3, (m2 / 2 + m3) * l1 * l2,
                             (m1 / 2 + m2 + m3) * g * l1, (m2 / 2 + m3) * g * l2, l1, l2, 0.05, 0.025, 0.001, 0.1};
    kinematics(&s->k, &s->p, s->q);
}
