/* The derivative of steps against differences of them. Compiled with -DMODEL=name -DNV=.. -DNP=.. -DHEADER="name.h"; arguments:
 * steps, their length, then name=value by the number of a parameter. Prints how many slopes were compared, were off, were at kinks, steps
 * with events, of derivatives to one side and without one, and how far a run of all steps is off, forwards and backwards. */
#include HEADER

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define X(name) JOIN(MODEL, name)
enum { NX = 2 * NV, ND = NX + NP };

static MODEL s, before, plus, minus;
static X(_tangent) room;
static double J[NX][ND], run[NX][ND];

/* a step from a state that is elsewhere in number k */
static bool step_from(const MODEL *from, int k, double by, double h, MODEL *to)
{
    *to = *from;
    X(_params) p = to->params;
    if (k < NV) {
        to->q[k] += by;
    } else if (k < NX) {
        to->v[k - NV] += by;
    } else {
        ((double *)&p)[k - NX] += by;
    }
    return X(_set_params)(to, &p) == CAROM_OK && X(_step)(to, h) == CAROM_OK;
}

static double value(const MODEL *m, int i) { return i < NV ? m->q[i] : m->v[i - NV]; }

static bool alike(const MODEL *a, const MODEL *b) { return a->counts.events == b->counts.events; }

typedef enum { NOTHING, OFF, KINK, GOOD } verdict;

/* slopes by number k against differences of 2 eps */
static verdict judge(int k, double eps, double h, double speed)
{
    double size = 0.0, error = 0.0, ahead = 0.0, behind = 0.0;
    if (!step_from(&before, k, eps, h, &plus) || !step_from(&before, k, -eps, h, &minus) || !alike(&plus, &s) || !alike(&minus, &s)) {
        return NOTHING;
    }
    for (int i = 0; i < NX; ++i) {
        const double a = value(&plus, i), b = value(&minus, i), x = value(&s, i), slope = (a - b) / (2.0 * eps);
        size = fmax(size, fabs(slope));
        error = fmax(error, fabs(slope - J[i][k]));
        ahead = fmax(ahead, fabs((a - x) / eps - J[i][k]));
        behind = fmax(behind, fabs((x - b) / eps - J[i][k]));
    }
    if (error <= 1e-6 * size + 1e-14 * speed / eps) {
        return GOOD;
    }
    /* modes change within eps: it is the slope of one side */
    return fmin(ahead, behind) < 1e-3 * size && fmax(ahead, behind) > 1e-2 * size ? KINK : OFF;
}

int main(int argc, char **argv)
{
    const int steps = atoi(argv[1]);
    const double h = atof(argv[2]);
    int compared = 0, off = 0, kinks = 0, events = 0, one_sided = 0, none = 0;
    if (X(_init)(&s, NULL) != CAROM_OK) {
        return 1;
    }
    X(_params) p = s.params;
    for (int i = 3; i + 1 < argc; i += 2) {
        ((double *)&p)[atoi(argv[i])] = atof(argv[i + 1]);
    }
    if (X(_init)(&s, &p) != CAROM_OK) {
        return 1;
    }
    double speed = 1.0, (*kept)[NX][ND] = malloc((size_t)steps * sizeof *kept);
    for (int i = 0; i < NX; ++i) {
        for (int k = 0; k < ND; ++k) {
            run[i][k] = i == k ? 1.0 : 0.0;
        }
    }
    for (int n = 0; n < steps; ++n) {
        carom_derivative kind;
        before = plus = s;
        if (X(_step_jacobian)(&s, h, &room, J, &kind) != CAROM_OK || X(_step)(&plus, h) != CAROM_OK) {
            printf("step %d is not made\n", n);
            return 1;
        }
        if (memcmp(plus.q, s.q, sizeof s.q) != 0 || memcmp(plus.v, s.v, sizeof s.v) != 0) {
            printf("step %d is another one\n", n);
            return 1;
        }
        events += alike(&before, &s) ? 0 : 1;
        one_sided += kind == CAROM_ONE_SIDED ? 1 : 0;
        none += kind == CAROM_NO_DERIVATIVE ? 1 : 0;
        memcpy(kept[n], J, sizeof J);
        double next[NX][ND];
        for (int i = 0; i < NX; ++i) {
            for (int k = 0; k < ND; ++k) {
                next[i][k] = k < NX ? 0.0 : J[i][k];
                for (int j = 0; j < NX; ++j) {
                    next[i][k] += J[i][j] * run[j][k];
                }
            }
        }
        memcpy(run, next, sizeof run);
        for (int i = 0; i < NV; ++i) {
            speed = fmax(speed, fabs(s.v[i]));
        }
        for (int k = 0; k < ND && kind == CAROM_DERIVATIVE; ++k) {
            const double place = k < NV ? 1e-3 : k < NX ? fabs(before.v[k - NV]) + 1e-2 : fabs(((double *)&before.params)[k - NX]) + 1e-3;
            verdict worst = NOTHING; /* of the best of three differences: long ones are off by curvature, short ones by rounding */
            for (int l = 0; l < 3 && worst != GOOD; ++l) {
                const verdict now = judge(k, (l == 0 ? 1e-5 : l == 1 ? 1e-6 : 1e-7) * place, h, speed);
                worst = now > worst ? now : worst;
            }
            compared += worst == GOOD || worst == OFF ? 1 : 0;
            off += worst == OFF ? 1 : 0;
            kinks += worst == KINK ? 1 : 0;
        }
    }
    /* backwards: slopes of the last velocity by everything, from the recorded steps */
    double x[NX] = {0.0}, others[NP] = {0.0}, apart = 0.0, scale = 0.0;
    x[NX - 1] = 1.0;
    for (int n = steps - 1; n >= 0; --n) {
        X(_step_adjoint)(kept[n], x, others);
    }
    for (int k = 0; k < ND; ++k) {
        const double slope = k < NX ? x[k] : others[k - NX];
        apart = fmax(apart, fabs(slope - run[NX - 1][k]));
        scale = fmax(scale, fabs(slope));
    }
    free(kept);
    printf("%d %d %d %d %d %d %.3g\n", compared, off, kinks, events, one_sided, none, apart / scale);
    return 0;
}
