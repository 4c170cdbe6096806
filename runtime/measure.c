/* Measures of the error of a trajectory; what they are and promise is told in the header. */
#include "carom/measure.h"

#include <math.h>

/* ---- on the grid ------------------------------------------------------------------------------------------------- */

double carom_grid_norm(size_t points, const double *t, const double *e, double p)
{
    double sum = 0.0, largest = 0.0;
    for (size_t i = 0; i < points; i++) {
        largest = fmax(largest, fabs(e[i]));
        if (isnan(e[i])) {
            return (double)NAN; /* fmax would hide it */
        }
    }
    if (isinf(p) || !(largest > 0.0)) {
        return largest;
    }
    for (size_t i = 1; i < points; i++) { /* scaled, so that no power underflows */
        sum += (t[i] - t[i - 1]) * pow(fabs(e[i]) / largest, p);
    }
    return largest * pow(sum, 1.0 / p);
}

/* ---- dense output ------------------------------------------------------------------------------------------------ */

double carom_dense_at(const carom_dense *x, size_t i, double t)
{
    const double s = (t - x->t[i]) / (x->t[i + 1] - x->t[i]);
    const double *value = x->value + i * (size_t)x->nodes;
    double sum = 0.0;
    for (int j = 0; j < x->nodes; j++) {
        double basis = 1.0;
        for (int k = 0; k < x->nodes; k++) {
            if (k != j) {
                basis *= (s - x->node[k]) / (x->node[j] - x->node[k]);
            }
        }
        sum += basis * value[j];
    }
    return sum;
}

typedef struct {
    const carom_dense *x;
    size_t step;
    carom_reference *reference;
    void *context;
} difference;

static double difference_at(const difference *d, double t)
{
    return carom_dense_at(d->x, d->step, t) - d->reference(t, d->context);
}

/* The integral of the difference over [a, b] by 8-point Gauss. */
static double gauss(const difference *d, double a, double b)
{
    static const double point[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
    static const double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
    const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
    double sum = 0.0;
    for (int j = 0; j < 4; j++) {
        sum += weight[j] * (difference_at(d, middle - half * point[j]) + difference_at(d, middle + half * point[j]));
    }
    return half * sum;
}

/* Where the difference changes its sign between a and b. */
static double sign_change(const difference *d, double a, double b, double at_a)
{
    for (int i = 0; i < 60; i++) {
        const double c = 0.5 * (a + b), at_c = difference_at(d, c);
        if ((at_c > 0.0) == (at_a > 0.0)) {
            a = c;
        } else {
            b = c;
        }
    }
    return 0.5 * (a + b);
}

/* The integral of |difference| over a piece on which the reference is smooth. */
static double piece(const difference *d, double a, double b)
{
    enum { SAMPLES = 9 };
    const double inside = 1e-12 * (b - a); /* the reference may jump at a and b: stay on our side */
    double left = a, sum = 0.0;
    double last = a + inside, at_last = difference_at(d, last);
    for (int i = 1; i < SAMPLES; i++) {
        const double t = i == SAMPLES - 1 ? b - inside : a + (b - a) * i / (SAMPLES - 1);
        const double at_t = difference_at(d, t);
        if ((at_t > 0.0 && at_last < 0.0) || (at_t < 0.0 && at_last > 0.0)) {
            const double c = sign_change(d, last, t, at_last);
            sum += fabs(gauss(d, left, c));
            left = c;
        }
        if (fabs(at_t) > 0.0 || !(fabs(at_last) > 0.0)) { /* a sample on the very zero hides no change of sign */
            last = t;
            at_last = at_t;
        }
    }
    return sum + fabs(gauss(d, left, b));
}

double carom_dense_l1(const carom_dense *x, carom_reference *reference, void *context, size_t starts,
                      const double *start)
{
    double sum = 0.0;
    size_t next = 0;
    for (size_t i = 0; i < x->steps; i++) {
        const difference d = {x, i, reference, context};
        double a = x->t[i];
        for (; next < starts && start[next] < x->t[i + 1]; next++) {
            if (start[next] > a) {
                sum += piece(&d, a, start[next]);
                a = start[next];
            }
        }
        sum += piece(&d, a, x->t[i + 1]);
    }
    return sum;
}

/* ---- Hausdorff distance ------------------------------------------------------------------------------------------ */

size_t carom_graph_staircase(size_t n, const double *t, const double *x, double *T, double *X)
{
    size_t count = 1;
    T[0] = t[0];
    X[0] = x[0];
    for (size_t i = 1; i < n; i++) {
        T[count] = t[i - 1];
        X[count++] = x[i];
        T[count] = t[i];
        X[count++] = x[i];
    }
    return count;
}

/* A line through a segment of b, shifted by r in time: value + slope (t - t0). absent: nothing there. */
typedef struct {
    double t0, value, slope;
    int absent;
} line;

/* What the window [t-r, t+r] sees of sign*b, as t grows: vertices j with entered > j >= left; the largest of them is
 * at the head of a queue of indices with decreasing values. */
typedef struct {
    const carom_graph *b;
    double sign, r;
    size_t *queue;
    size_t head, tail;
    size_t entered, left;
} window;

static double value_of(const window *w, size_t j) { return w->sign * w->b->x[j]; }

static void enter(window *w)
{
    while (w->tail > w->head && value_of(w, w->queue[w->tail - 1]) <= value_of(w, w->entered)) {
        w->tail--;
    }
    w->queue[w->tail++] = w->entered++;
}

static void leave(window *w)
{
    if (w->tail > w->head && w->queue[w->head] == w->left) {
        w->head++;
    }
    w->left++;
}

/* The segment from vertex j to j+1, seen at time t through b(t + shift). */
static line segment(const window *w, size_t j, double shift)
{
    const double *t = w->b->t;
    const double duration = t[j + 1] - t[j];
    line l = {t[j] - shift, value_of(w, j), (value_of(w, j + 1) - value_of(w, j)) / duration, 0};
    return l;
}

static double at(const line *l, double t) { return l->value + l->slope * (t - l->t0); }

/* Largest excess of a over what the window sees, on [t0, t1]: of a concave piecewise linear function, hence at an end
 * or at a kink, where two of the constant and the two lines meet. */
static int covered(const line *a, const line seen[3], double r, double t0, double t1)
{
    double t[5] = {t0, t1};
    int times = 2;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            const double slope = seen[i].slope - seen[j].slope;
            if (!seen[i].absent && !seen[j].absent && fabs(slope) > 0.0) {
                const double meet = t0 + (at(&seen[j], t0) - at(&seen[i], t0)) / slope;
                if (meet > t0 && meet < t1) {
                    t[times++] = meet;
                }
            }
        }
    }
    for (int k = 0; k < times; k++) {
        int good = 0;
        for (int i = 0; i < 3; i++) {
            good = good || (!seen[i].absent && at(a, t[k]) - r <= at(&seen[i], t[k]));
        }
        if (!good) {
            return 0;
        }
    }
    return 1;
}

/* At the vertices of a, with the closed window: also the tips of spikes, which no interval has as a limit. */
static int vertices_covered(const carom_graph *a, window *w)
{
    const carom_graph *b = w->b;
    const double r = w->r;
    for (size_t i = 0; i < a->n; i++) {
        const double t = a->t[i], wanted = w->sign * a->x[i] - r;
        int good = 0;
        while (w->entered < b->n && b->t[w->entered] - r <= t) {
            enter(w);
        }
        while (w->left < w->entered && b->t[w->left] + r < t) {
            leave(w);
        }
        good = w->tail > w->head && wanted <= value_of(w, w->queue[w->head]);
        if (!good && w->entered > 0 && w->entered < b->n) {
            const line l = segment(w, w->entered - 1, r);
            good = wanted <= at(&l, t);
        }
        if (!good && w->left > 0 && w->left < b->n) {
            const line l = segment(w, w->left - 1, -r);
            good = wanted <= at(&l, t);
        }
        if (!good) {
            return 0;
        }
    }
    return 1;
}

/* Between the vertices of a, on intervals that no vertex of b enters or leaves. */
static int segments_covered(const carom_graph *a, window *w)
{
    const carom_graph *b = w->b;
    const double r = w->r;
    for (size_t i = 0; i + 1 < a->n; i++) {
        const double duration = a->t[i + 1] - a->t[i];
        if (!(duration > 0.0)) {
            continue;
        }
        const line own = {a->t[i], w->sign * a->x[i], w->sign * (a->x[i + 1] - a->x[i]) / duration, 0};
        for (double t = a->t[i], next; t < a->t[i + 1]; t = next) {
            line seen[3] = {{0.0, 0.0, 0.0, 1}, {0.0, 0.0, 0.0, 1}, {0.0, 0.0, 0.0, 1}};
            while (w->entered < b->n && b->t[w->entered] - r <= t) {
                enter(w);
            }
            while (w->left < w->entered && b->t[w->left] + r <= t) {
                leave(w);
            }
            next = a->t[i + 1];
            if (w->entered < b->n) {
                next = fmin(next, b->t[w->entered] - r);
                if (w->entered > 0) {
                    seen[0] = segment(w, w->entered - 1, r);
                }
            }
            if (w->left < b->n) {
                next = fmin(next, b->t[w->left] + r);
                if (w->left > 0) {
                    seen[1] = segment(w, w->left - 1, -r);
                }
            }
            if (w->tail > w->head) {
                seen[2] = (line){t, value_of(w, w->queue[w->head]), 0.0, 0};
            }
            if (!covered(&own, seen, r, t, next)) {
                return 0;
            }
        }
    }
    return 1;
}

int carom_graph_within(const carom_graph *a, const carom_graph *b, double r, size_t *work)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        const window start = {.b = b, .sign = sign, .r = r, .queue = work};
        window w = start;
        if (!vertices_covered(a, &w)) {
            return 0;
        }
        w = start;
        if (!segments_covered(a, &w)) {
            return 0;
        }
    }
    return 1;
}

double carom_hausdorff(const carom_graph *a, const carom_graph *b, double tolerance, size_t *work)
{
    double low = 0.0, high, size, least = a->x[0], most = a->x[0];
    for (size_t i = 0; i < a->n; i++) {
        least = fmin(least, a->x[i]);
        most = fmax(most, a->x[i]);
    }
    for (size_t i = 0; i < b->n; i++) {
        least = fmin(least, b->x[i]);
        most = fmax(most, b->x[i]);
    }
    size = fmax(most - least, fmax(a->t[a->n - 1], b->t[b->n - 1]) - fmin(a->t[0], b->t[0]));
    high = size;
    while (high - low > fmax(tolerance * high, 1e-14 * size)) {
        const double r = low > 0.0 ? 0.5 * (low + high) : high / 64.0; /* errors are small: go down quickly */
        if (carom_graph_within(a, b, r, work) && carom_graph_within(b, a, r, work)) {
            high = r;
        } else {
            low = r;
        }
    }
    return high;
}
