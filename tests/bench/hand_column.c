/* What a careful person writes for a column of beads, with Moreau-Jean theta = 1/2 and with D- M = 1 in the total-impulse form: the
 * yardstick of `carom bench`. Contacts in a row make a tridiagonal W, solved on runs of neighbours without storing a matrix. */
#include "hand.h"

/* 0 <= z _|_ W z + b >= 0 on the contacts of the set, 0 elsewhere: w W_jj = 2 (ground: 1), w W_j,j+1 = -1. First all press; who pulls
 * leaves, who closes comes back. */
static void tridiagonal(int n, double w, const unsigned char *set, const double *b, double *z)
{
    unsigned char in[HAND_BEADS];
    double inverse[HAND_BEADS];
    for (int j = 0; j < n; ++j) {
        in[j] = set[j];
        z[j] = 0.0;
    }
    for (int attempt = 0; attempt < n + 5; ++attempt) {
        int wrong = 0;
        for (int j = 0, k; j < n; j = k + 1) {
            for (k = j; k < n && in[k]; ++k) { /* forwards through the run j .. k-1 */
                const double pivot = (k == 0 ? 1.0 : 2.0) - (k > j ? inverse[k - 1] : 0.0);
                inverse[k] = 1.0 / pivot;
                z[k] = -b[k] * w + (k > j ? z[k - 1] * inverse[k - 1] : 0.0);
            }
            for (int i = k - 1; i >= j; --i) {
                z[i] = (z[i] + (i + 1 < k ? z[i + 1] : 0.0)) * inverse[i];
            }
        }
        for (int j = 0; j < n; ++j) {
            if (in[j] && z[j] < 0.0) {
                in[j] = 0;
                wrong = 1;
            }
        }
        if (!wrong) {
            for (int j = 0; j < n; ++j) {
                if (set[j] && !in[j] && b[j] * w - (j > 0 ? z[j - 1] : 0.0) - (j + 1 < n ? z[j + 1] : 0.0) < 0.0) {
                    in[j] = 1;
                    wrong = 1;
                }
            }
        }
        if (!wrong) {
            return;
        }
        for (int j = 0; j < n; ++j) {
            z[j] = in[j] ? z[j] : 0.0;
        }
    }
}

void hand_column_mj_step(hand_column_state *s, double h)
{
    const int n = s->n;
    const double m = s->m, g = s->g, e = s->e, half = 0.5 * h;
    double b[HAND_BEADS + 1], P[HAND_BEADS + 1];
    unsigned char A[HAND_BEADS];
    int any = 0;
    for (int j = 0; j < n; ++j) {
        const double U = s->v[j] - (j > 0 ? s->v[j - 1] : 0.0);
        A[j] = s->gap[j] + half * U <= 1e-10;
        any |= A[j];
        b[j] = U + e * U - (j == 0 ? h * g : 0.0);
    }
    if (any) {
        tridiagonal(n, m, A, b, P);
        P[n] = 0.0;
    }
    double below = -s->radius;
    for (int j = 0; j < n; ++j) {
        const double v1 = s->v[j] - h * g + (any ? (P[j] - P[j + 1]) / m : 0.0);
        s->q[j] += half * (s->v[j] + v1);
        s->v[j] = v1;
        s->gap[j] = s->q[j] - below - 2.0 * s->radius;
        below = s->q[j];
    }
    if (any) {
        for (int j = 0; j < n; ++j) {
            s->impulse[j] += P[j];
        }
    }
    s->t += h;
}

void hand_column_step(hand_column_state *s, double h)
{
    const int n = s->n;
    const double m = s->m, g = s->g, e = s->e;
    double b[HAND_BEADS + 1], r[HAND_BEADS + 1], J[HAND_BEADS + 1];
    unsigned char A[HAND_BEADS], Cl[HAND_BEADS];
    int any = 0, closed = 0;
    for (int j = 0; j < n; ++j) {
        A[j] = s->pressing[j] || (s->gap[j] <= 1e-10 && s->v[j] - (j > 0 ? s->v[j - 1] : 0.0) <= 1e-8);
        any |= A[j];
    }
    for (int j = 0; j <= n; ++j) {
        r[j] = 0.0;
        b[j] = 0.0;
    }
    if (any) { /* forces and rows are constant: both stages have the same accelerations */
        b[0] = -g;
        tridiagonal(n, m, A, b, r);
    }
    double below = -s->radius, v_below = 0.0;
    for (int j = 0; j < n; ++j) {
        const double a = (r[j] - r[j + 1]) / m - g, before = s->gap[j];
        s->q[j] += h * (s->v[j] + h * (0.5 * a));
        s->v[j] += h * a;
        s->gap[j] = s->q[j] - below - 2.0 * s->radius;
        Cl[j] = s->gap[j] <= 1e-10 || (A[j] ? r[j] > 0.0 : s->pressing[j]);
        if (Cl[j]) {
            const double U = s->v[j] - v_below;
            b[j] = (!A[j] && !s->pressing[j] && before > 1e-10 ? 1.0 + e : 1.0) * U;
            closed = 1;
        }
        s->pressing[j] = A[j] ? r[j] > 0.0 : s->pressing[j];
        below = s->q[j];
        v_below = s->v[j];
    }
    if (closed) {
        for (int j = 0; j < n; ++j) { /* b - W Jr, and forces of contacts that are not closed stay */
            if (Cl[j]) {
                b[j] -= h * ((j == 0 ? 1.0 : 2.0) * r[j] - (j > 0 && Cl[j - 1] ? r[j - 1] : 0.0) - (Cl[j + 1] && j + 1 < n ? r[j + 1] : 0.0)) / m;
            }
        }
        tridiagonal(n, m, Cl, b, J);
        J[n] = 0.0;
        double up = 0.0;
        for (int j = n - 1; j >= 0; --j) {
            const double p = Cl[j] ? J[j] - h * r[j] : 0.0;
            s->v[j] += (p - up) / m;
            s->pressing[j] = s->pressing[j] && Cl[j] && J[j] > 0.0;
            s->impulse[j] += Cl[j] ? J[j] : h * r[j];
            up = p;
        }
    } else if (any) {
        for (int j = 0; j < n; ++j) {
            s->pressing[j] = 0;
            s->impulse[j] += h * r[j];
        }
    }
    s->t += h;
}

void hand_column_init(hand_column_state *s, int n)
{
    *s = (hand_column_state){.n = n, .m = 1.0, .g = 9.81, .e = 0.9, .radius = 0.1};
    for (int i = 0; i < n; ++i) {
        s->q[i] = 1.0 + 0.25 * i;
        s->gap[i] = i > 0 ? s->q[i] - s->q[i - 1] - 2.0 * s->radius : s->q[i] - s->radius;
    }
}
