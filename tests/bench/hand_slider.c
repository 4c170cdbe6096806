/* What a careful person writes for the slider-crank with D- M = 1 in the total-impulse form: the yardstick of `carom bench`.
 * Three sincos per step, end-of-step kinematics reused, sin and cos of the difference of angles by products. */
#include "hand_slider.h"

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
    const hand_slider_kin *const k0 = &s->k[s->now];
    hand_slider_kin *const k = &s->k[1 - s->now];
    int A[4], set[4], n = 0;
    double r0[4] = {0.0}, r1[4] = {0.0}, a0[3], a1[3], V[3], q1[3], vf[3];
    const double *q = s->q, *v = s->v;
    for (int j = 0; j < 4; ++j) {
        A[j] = s->pressing[j] || (k0->g[j] <= 1e-10 && dot(k0->G[j], v) <= 1e-8);
        if (A[j]) {
            set[n++] = j;
        }
    }
    accelerate(k0, p, v, n, set, a0, r0);
    for (int i = 0; i < 3; ++i) {
        V[i] = v[i] + h * a0[i];
        q1[i] = q[i] + h * (v[i] + h * (0.5 * a0[i]));
    }
    kinematics(k, p, q1);
    accelerate(k, p, V, n, set, a1, r1);
    for (int i = 0; i < 3; ++i) {
        vf[i] = v[i] + h * (0.5 * a0[i] + 0.5 * a1[i]);
    }
    int Cl[4], m = 0;
    for (int j = 0; j < 4; ++j) {
        const int closed = k->g[j] <= 1e-10 || (A[j] && r1[j] > 0.0);
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
            solve(k, p, k->G[j], Y[i]);
            b[i] = (!A[j] && k0->g[j] > 1e-10 ? 1.0 + p->e : 1.0) * dot(k->G[j], vf);
        }
        for (int i = 0; i < m; ++i) {
            for (int l = 0; l < m; ++l) {
                W[i][l] = dot(k->G[Cl[i]], Y[l]);
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
    s->now = 1 - s->now;
    s->t += h;
}

void hand_slider_init(hand_slider_state *s)
{
    const double m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, g = 9.81, l1 = 0.153, l2 = 0.306;
    *s = (hand_slider_state){.v = {150.0, -75.0, 0.0}};
    s->p = (hand_slider_par){J1 + (m1 / 4 + m2 + m3) * l1 * l1, J2 + (m2 / 4 + m3) * l2 * l2, J3, (m2 / 2 + m3) * l1 * l2,
                             (m1 / 2 + m2 + m3) * g * l1, (m2 / 2 + m3) * g * l2, l1, l2, 0.05, 0.025, 0.001, 0.1};
    kinematics(&s->k[0], &s->p, s->q);
}
