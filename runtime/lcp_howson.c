/* Lemke and Howson's method for games of two players: M = [0 A; B 0] after sorting the rows into two sides, q < 0.
 * Lemke's own start ends on a ray at once there, whatever the covering vector: M_kk = 0 and a column without negative
 * entries let z_k grow for ever.
 *
 * With rows divided by -q the problem is x _|_ A y - 1 >= 0, y _|_ B x - 1 >= 0: x and y are the players' strategies,
 * divided by what the other one pays. Adding a constant to all entries of A (or B) changes no equilibrium, so both are
 * taken positive; if the payment under the true A and B is positive, dividing by it gives the solution. From x_k alone,
 * large enough for B x >= 1, and the y_s that answers it, pivots lead to an equilibrium on a path on which only the
 * pair k is not complementary. Every k may lead to another one. Ties are broken by right-hand sides that differ in the
 * seventh digit; the answer is then computed anew from the rows that carry it. */
#include "lcp_methods.h"

#include <math.h>

#define ENTRY 1e-11 /* of the largest of a column: below it is rounding */
#define TIE 1e-7
#define MOST_PIVOTS(n) (20 * (n) + 100)

int carom_lcp_is_game(const carom_lcp_problem *problem, int *side)
{
    const int n = problem->n;
    const double *const M = problem->M;
    int good = n >= 2, both = 0;
    for (int i = 0; i < n; ++i) {
        good = good && problem->q[i] < 0.0;
        side[i] = -1;
    }
    for (int first = 0; first < n && good; ++first) { /* two colours, one component after the other */
        if (side[first] >= 0) {
            continue;
        }
        side[first] = 0;
        for (int changed = 1; changed && good;) {
            changed = 0;
            for (int i = first; i < n && good; ++i) {
                for (int j = first; j < n && side[i] >= 0 && good; ++j) {
                    if (M[i * n + j] != 0.0 || M[j * n + i] != 0.0) {
                        changed = changed || side[j] < 0;
                        side[j] = side[j] < 0 ? 1 - side[i] : side[j];
                        good = side[j] != side[i];
                    }
                }
            }
        }
    }
    for (int i = 0; i < n && good; ++i) {
        both = both || side[i] == 1;
    }
    return good && both;
}

/* x_B + T x_N = rhs, n rows and n + 1 columns, the last one the right-hand side. Variables: w_i = i, z_i = n + i. */
typedef struct {
    int n;
    double *T;
    int *basic, *nonbasic;
} tableau;

static void exchange(const tableau *t, int r, int c)
{
    const int width = t->n + 1, leaving = t->basic[r];
    double *const pivot = t->T + r * width;
    const double inverse = 1.0 / pivot[c];
    for (int j = 0; j < width; ++j) {
        pivot[j] *= inverse;
    }
    pivot[c] = inverse;
    for (int i = 0; i < t->n; ++i) {
        double *const row = t->T + i * width;
        const double l = row[c];
        if (i != r && l != 0.0) {
            row[c] = 0.0;
            for (int j = 0; j < width; ++j) {
                row[j] -= l * pivot[j];
            }
        }
    }
    t->basic[r] = t->nonbasic[c];
    t->nonbasic[c] = leaving;
}

/* The row that leaves when column c enters: the least ratio, -1 on a ray. */
static int leaving_row(const tableau *t, int c)
{
    const int width = t->n + 1;
    double largest = 0.0, least = HUGE_VAL;
    int best = -1;
    for (int i = 0; i < t->n; ++i) {
        largest = fmax(largest, fabs(t->T[i * width + c]));
    }
    for (int i = 0; i < t->n; ++i) {
        const double entry = t->T[i * width + c], ratio = t->T[i * width + t->n] / entry;
        if (entry > ENTRY * largest && ratio < least) {
            least = ratio;
            best = i;
        }
    }
    return best;
}

/* Of the rows on one side the last that z_c makes feasible: the least entry of column c of the game. */
static int last_feasible(const tableau *t, const int *side, int c)
{
    const int width = t->n + 1;
    double most = -HUGE_VAL;
    int best = -1;
    for (int i = 0; i < t->n; ++i) {
        if (side[i] != side[c]) {
            const double ratio = t->T[i * width + t->n] / t->T[i * width + c]; /* both negative */
            if (ratio > most) {
                most = ratio;
                best = i;
            }
        }
    }
    return best;
}

/* Least entry of the players' matrices with rows divided by -q; what makes it positive. */
static void shifts(const carom_lcp_problem *p, const int *side, double shift[2])
{
    for (int s = 0; s < 2; ++s) {
        double least = HUGE_VAL, size = 0.0;
        for (int i = 0; i < p->n; ++i) {
            for (int j = 0; j < p->n; ++j) {
                if (side[i] == s && side[j] != s) {
                    const double entry = p->M[i * p->n + j] / -p->q[i];
                    least = fmin(least, entry);
                    size = fmax(size, fabs(entry));
                }
            }
        }
        shift[s] = least > 1e-3 * size ? 0.0 : size - least;
    }
}

/* The path with the pair k; 1 at an equilibrium, whose tableau is t. */
static int follow(const carom_lcp_problem *p, const int *side, const double shift[2], int k, const tableau *t,
                  int *pivots)
{
    const int n = p->n, width = n + 1;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            t->T[i * width + j] = side[i] != side[j] ? -(p->M[i * n + j] / -p->q[i] + shift[side[i]]) : 0.0;
        }
        t->T[i * width + n] = -1.0 - TIE * (double)((unsigned)(i + 1) * 2654435761U >> 8) / 16777216.0;
        t->basic[i] = i;
        t->nonbasic[i] = n + i;
    }
    const int s = last_feasible(t, side, k);
    exchange(t, s, k);
    const int r = last_feasible(t, side, s);
    exchange(t, r, s);
    *pivots += 2;
    int left = r;
    for (int count = 0; left != k && left != n + k && count < MOST_PIVOTS(n); ++count) {
        const int enters = left < n ? left + n : left - n;
        int c = 0;
        while (c < n && t->nonbasic[c] != enters) {
            ++c;
        }
        const int row = c < n ? leaving_row(t, c) : -1;
        if (row < 0) {
            return 0;
        }
        left = t->basic[row];
        exchange(t, row, c);
        ++*pivots;
    }
    return left == k || left == n + k;
}

/* Strategies of the shifted game, divided by what is paid in the true one. */
static void strategies(const tableau *t, const int *side, const double shift[2], double *x)
{
    const int n = t->n;
    double sum[2] = {0.0, 0.0};
    for (int i = 0; i < n; ++i) {
        x[i] = 0.0;
    }
    for (int i = 0; i < n; ++i) {
        if (t->basic[i] >= n) {
            const int j = t->basic[i] - n;
            x[j] = fmax(t->T[i * (n + 1) + n], 0.0);
            sum[side[j]] += x[j];
        }
    }
    for (int i = 0; i < n; ++i) {
        x[i] /= 1.0 - shift[1 - side[i]] * sum[side[i]];
    }
}

double carom_lcp_by_howson(carom_lcp_run *run, double *z, double residual)
{
    const carom_lcp_problem *const p = run->problem;
    const int n = p->n;
    double *const x = run->work, *const y = x + n, *const T = y + n, shift[2];
    int *const side = (int *)(void *)(T + n * (n + 1)), *const order = side + 3 * n, *const member = order + 2 * n;
    const tableau t = {n, T, side + n, side + 2 * n};
    if (!carom_lcp_is_game(p, side)) {
        return residual;
    }
    shifts(p, side, shift);
    for (int k = 0; k < n && residual > run->tolerance; ++k) {
        if (follow(p, side, shift, k, &t, &run->iterations)) {
            int count = 0;
            strategies(&t, side, shift, x);
            residual = carom_lcp_keep(run, x, z, residual);
            for (int i = 0; i < n; ++i) { /* once more from the rows that carry it, without what broke the ties */
                if (x[i] > 0.0) {
                    member[count++] = i;
                }
            }
            for (int a = 0; a < count; ++a) {
                y[a] = -p->q[member[a]];
                for (int b = 0; b < count; ++b) {
                    T[a * count + b] = p->M[member[a] * n + member[b]];
                }
            }
            (void)carom_lcp_gauss(count, T, y, order);
            for (int a = 0; a < count; ++a) {
                x[member[a]] = y[a];
            }
            residual = carom_lcp_keep(run, x, z, residual);
        }
    }
    return residual;
}
