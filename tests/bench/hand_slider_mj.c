/* What a careful person writes for the slider-crank with Moreau-Jean theta = 1/2, with M^-1 f averaged over the step and with M at its
 * end: the yardstick of `carom bench`. Newton's matrix M + h/2 C is made once in a step and kept: what it leaves out, K h^2/4 and its
 * change, is of the order of h^2, so each iteration multiplies the error by about 1e-6 and two are enough; a third is made where the
 * second correction is not yet that small. */
#include "hand_slider.h"

/* N = M + h/2 C of the two angles; its inverse */
typedef struct {
    double i00, i01, i10, i11, i22;
} matrix;

static matrix newton(const hand_slider_kin *k, const hand_slider_par *p, const double *v, double h)
{
    const double s12 = p->k12 * (k->c1 * k->s2 - k->s1 * k->c2);
    const double n01 = k->M12 - h * s12 * v[1], n10 = k->M12 + h * s12 * v[0];
    const double inverse = 1.0 / (p->M11 * p->M22 - n01 * n10);
    return (matrix){p->M22 * inverse, -n01 * inverse, -n10 * inverse, p->M11 * inverse, 1.0 / p->M33};
}

static void solve_in(const matrix *N, const double x[3], double y[3])
{
    y[0] = N->i00 * x[0] + N->i01 * x[1];
    y[1] = N->i10 * x[0] + N->i11 * x[1];
    y[2] = N->i22 * x[2];
}

static void step(hand_slider_state *s, double h, int average)
{
    const hand_slider_par *const p = &s->p;
    const double half = 0.5 * h, *const q = s->q, *const v = s->v;
    int set[4], n = 0;
    double f0[3], f1[3], a0[3], v1[3], q1[3], U[4], z[2], P[4] = {0.0};
    matrix N = {0.0, 0.0, 0.0, 0.0, 0.0};
    const hand_slider_kin *const k0 = &s->k[s->now];
    hand_slider_kin *const k = &s->k[1 - s->now];
    forces(k0, p, v, f0);
    solve(k0, p, f0, a0);
    for (int j = 0; j < 4; ++j) {
        U[j] = dot(k0->G[j], v);
        if (k0->g[j] + half * U[j] <= 1e-10) {
            set[n++] = j;
        }
    }
    for (int i = 0; i < 3; ++i) {
        v1[i] = average && !s->pressing[0] ? v[i] + h * a0[i] : v[i];
    }
    double change = 0.0;
    for (int iteration = 0; iteration < 50; ++iteration) {
        double y[3], rhs[3], dv[3];
        for (int i = 0; i < 3; ++i) {
            q1[i] = q[i] + half * (v[i] + v1[i]);
        }
        kinematics(k, p, q1);
        forces(k, p, v1, f1);
        for (int i = 0; i < 3; ++i) {
            y[i] = v[i] - v1[i] + (average ? half * a0[i] : 0.0);
        }
        rhs[0] = p->M11 * y[0] + k->M12 * y[1] + half * (average ? f1[0] : f0[0] + f1[0]);
        rhs[1] = k->M12 * y[0] + p->M22 * y[1] + half * (average ? f1[1] : f0[1] + f1[1]);
        rhs[2] = p->M33 * y[2];
        if (iteration == 0) {
            N = newton(k, p, v1, h);
        }
        solve_in(&N, rhs, dv);
        if (n > 0) {
            double Y[2][3], W[2][2], b[2];
            for (int i = 0; i < n; ++i) {
                const int j = set[i];
                solve_in(&N, k->G[j], Y[i]);
                b[i] = dot(k->G[j], dv) + dot(k->G[j], v1) + p->e * U[j];
            }
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                    W[i][j] = dot(k->G[set[i]], Y[j]);
                }
            }
            lcp(n, W, b, z);
            for (int i = 0; i < n; ++i) {
                for (int l = 0; l < 3; ++l) {
                    dv[l] += Y[i][l] * z[i];
                }
            }
        }
        double moved = 0.0, size = 0.0;
        for (int i = 0; i < 3; ++i) {
            v1[i] += dv[i];
            moved = fabs(dv[i]) > moved ? fabs(dv[i]) : moved;
            size = fabs(v1[i]) > size ? fabs(v1[i]) : size;
        }
        if (moved <= 1e-13 * size || moved * moved <= 1e-15 * size * change) { /* this correction was the last that is seen */
            break;
        }
        change = moved;
    }
    for (int i = 0; i < n; ++i) {
        P[set[i]] = z[i];
    }
    s->pressing[0] = 0;
    for (int j = 0; j < 4; ++j) {
        s->impulse[j] += P[j];
        s->pressing[0] |= P[j] > 0.0;
    }
    for (int i = 0; i < 3; ++i) {
        s->q[i] = q1[i];
        s->v[i] = v1[i];
    }
    s->now = 1 - s->now;
    s->t += h;
}

void hand_slider_mj_step(hand_slider_state *s, double h) { step(s, h, 1); }

void hand_slider_end_step(hand_slider_state *s, double h) { step(s, h, 0); }
