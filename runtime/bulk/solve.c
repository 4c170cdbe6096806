/* The contact problem of a pile: nonsmooth Gauss-Seidel over the velocities of the bodies, without ever forming W, with
 * Anderson acceleration (friction/mixing.c has the formulas). A sweep solves each contact exactly and passes the
 * impulse on to its two bodies at once; after an extrapolation the velocities are added up anew from the impulses. */
#include "bulk.h"

#include "../friction/mixing.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define M CAROM_BULK_HISTORY
_Static_assert(M <= CAROM_MIXING_MEMORY, "the history of a pile is solved by carom_mixing_combine");
#define GROWTH 3.0 /* defect, against the best one, at which the history is dropped */
#define ROUNDING 4e-15
#define CHECK_EVERY 8
#define CHECK_BELOW 3.0 /* defect, in units of tolerance times velocity scale, below which every sweep is checked */

/* sweeps from the first guess, then from zero; at least so many in any case */
/* faces on faces: sweeps after which the progress is looked at, and once more after as many; iterations of alternating
 * directions */
enum { LOOK = 32, DIRECTIONS = 300 };

enum { FIRST = 400, SECOND = 400, LEAST = 1 };

/* Contacts up to which the portfolio is as quick as the smoothed law. It goes on from the impulses of the last step,
 * where the smoothed law starts afresh: with several solutions (boxes, much friction) steps would jump from one to the
 * other. */
enum { FEW = 100 };

_Static_assert(sizeof(carom_bulk_local) == sizeof(carom_local), "carom_bulk_local must hold a carom_local");

/* W_cc in the frame (n, t1, t2) of a contact that is not round. */
static void local_block(const carom_bulk *b, const carom_bulk_contact *c, double W[9])
{
    double frame[3][3], arm[2][3][3], turned[2][3][3];
    const carom_bulk_body *const body[2] = {&b->at[c->i], &b->at[c->j]};
    memcpy(frame[0], c->normal, sizeof frame[0]);
    carom_tangents(c->normal, frame[1], frame[2]);
    for (int k = 0; k < 3; ++k) {
        carom_cross(c->ra, frame[k], arm[0][k]);
        carom_cross(c->rb, frame[k], arm[1][k]);
        carom_inverse_inertia(body[0], arm[0][k], turned[0][k]);
        carom_inverse_inertia(body[1], arm[1][k], turned[1][k]);
    }
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            W[3 * k + l] = (k == l ? body[0]->m + body[1]->m : 0.0) + carom_dot(arm[0][k], turned[0][l]) +
                           carom_dot(arm[1][k], turned[1][l]);
        }
    }
}

void carom_bulk_prepare(const carom_bulk *b)
{
    for (int k = 0; k < *b->contacts; ++k) {
        carom_bulk_contact *const c = &b->contact[k];
        const carom_bulk_body *const A = &b->at[c->i], *const B = &b->at[c->j];
        if (c->round) {
            c->wn = A->m + B->m;
            c->wt = c->wn + A->I[0] * carom_dot(c->ra, c->ra) + B->I[0] * carom_dot(c->rb, c->rb);
        } else {
            double W[9];
            carom_local local;
            local_block(b, c, W);
            carom_local_prepare(3, W, c->mu, &local);
            memcpy(&b->local[k], &local, sizeof local);
            c->wn = W[0];
            c->wt = 0.5 * (W[4] + W[8]);
        }
        c->s = 3.0 / (c->wn + 2.0 * c->wt);
    }
}

static void push(const carom_bulk_contact *c, carom_bulk_body *A, carom_bulk_body *B, const double r[3])
{
    double moment[3], turned[3];
    carom_cross(c->ra, r, moment);
    carom_inverse_inertia(A, moment, turned);
    for (int k = 0; k < 3; ++k) {
        A->v[k] += A->m * r[k];
        A->w[k] += turned[k];
    }
    carom_cross(c->rb, r, moment);
    carom_inverse_inertia(B, moment, turned);
    for (int k = 0; k < 3; ++k) {
        B->v[k] -= B->m * r[k];
        B->w[k] -= turned[k];
    }
}

void carom_bulk_add_up(const carom_bulk *b)
{
    for (int i = 0; i < b->bodies; ++i) {
        memcpy(b->at[i].v, b->free + 6 * i, 3 * sizeof(double));
        memcpy(b->at[i].w, b->free + 6 * i + 3, 3 * sizeof(double));
    }
    for (int k = 0; k < *b->contacts; ++k) {
        const carom_bulk_contact *const c = &b->contact[k];
        if (c->r[0] != 0.0 || c->r[1] != 0.0 || c->r[2] != 0.0) {
            push(c, &b->at[c->i], &b->at[c->j], c->r);
        }
    }
}

void carom_bulk_project(const double n[3], double mu, double x[3])
{
    const double xn = carom_dot(n, x);
    const double t[3] = {x[0] - xn * n[0], x[1] - xn * n[1], x[2] - xn * n[2]};
    const double size = sqrt(carom_dot(t, t));
    double normal = xn, scale = 1.0;
    if (mu * size <= -xn) {
        normal = scale = 0.0;
    } else if (size > mu * xn) {
        normal = (xn + mu * size) / (1.0 + mu * mu);
        scale = size > 0.0 ? mu * normal / size : 0.0;
    }
    for (int k = 0; k < 3; ++k) {
        x[k] = normal * n[k] + scale * t[k];
    }
}

/* The exact impulse of a contact whose velocity is u with its present impulse. */
static void local_solve(const carom_bulk *b, int k, const double u[3], double r[3])
{
    const carom_bulk_contact *const c = &b->contact[k];
    const double *const n = c->normal;
    if (c->round) {
        const double un = carom_dot(n, u), rn = carom_dot(n, c->r);
        const double bn = un + c->bias - c->wn * rn;
        if (bn >= 0.0) {
            r[0] = r[1] = r[2] = 0.0;
            return;
        }
        const double normal = -bn / c->wn, bound = c->mu * normal;
        double t[3], size = 0.0;
        for (int l = 0; l < 3; ++l) {
            t[l] = (c->r[l] - rn * n[l]) - (u[l] - un * n[l]) / c->wt; /* sticking */
            size += t[l] * t[l];
        }
        const double scale = size > bound * bound ? bound / sqrt(size) : 1.0;
        for (int l = 0; l < 3; ++l) {
            r[l] = normal * n[l] + scale * t[l];
        }
        return;
    }
    double t1[3], t2[3], x[3], y[3], W[9];
    carom_local local;
    memcpy(&local, &b->local[k], sizeof local);
    carom_tangents(n, t1, t2);
    const double old[3] = {carom_dot(n, c->r), carom_dot(t1, c->r), carom_dot(t2, c->r)};
    W[0] = local.wnn; /* the block back from its preparation */
    for (int l = 0; l < 2; ++l) {
        W[1 + l] = local.w[l] * local.wnn;
        W[3 + 3 * l] = local.v[l] * local.wnn;
        W[4 + 3 * l] = local.S[2 * l] + W[3 + 3 * l] * local.w[0];
        W[5 + 3 * l] = local.S[2 * l + 1] + W[3 + 3 * l] * local.w[1];
    }
    x[0] = carom_dot(n, u) + c->bias;
    x[1] = carom_dot(t1, u);
    x[2] = carom_dot(t2, u);
    for (int l = 0; l < 3; ++l) {
        x[l] -= W[3 * l] * old[0] + W[3 * l + 1] * old[1] + W[3 * l + 2] * old[2];
    }
    carom_local_solve3(&local, x, y);
    for (int l = 0; l < 3; ++l) {
        r[l] = y[0] * n[l] + y[1] * t1[l] + y[2] * t2[l];
    }
}

static void sweep(const carom_bulk *b)
{
    for (int k = 0; k < *b->contacts; ++k) {
        carom_bulk_contact *const c = &b->contact[k];
        carom_bulk_body *const A = &b->at[c->i], *const B = &b->at[c->j];
        double u[3], r[3];
        carom_relative(c, A, B, u);
        local_solve(b, k, u, r);
        const double change[3] = {r[0] - c->r[0], r[1] - c->r[1], r[2] - c->r[2]};
        if (change[0] != 0.0 || change[1] != 0.0 || change[2] != 0.0) {
            memcpy(c->r, r, sizeof r);
            push(c, A, B, change);
        }
    }
}

double carom_bulk_residual(const carom_bulk *b, double base, int *worst, double *scale)
{
    double sum = 0.0, speed = 0.0, most = 0.0;
    *worst = -1;
    for (int k = 0; k < *b->contacts; ++k) {
        const carom_bulk_contact *const c = &b->contact[k];
        const double *const n = c->normal, mu = c->mu;
        double u[3], x[3];
        carom_relative(c, &b->at[c->i], &b->at[c->j], u);
        const double un = carom_dot(n, u);
        double slip = 0.0, e = 0.0;
        for (int l = 0; l < 3; ++l) {
            const double t = u[l] - un * n[l];
            slip += t * t;
        }
        speed += slip + (un + c->bias) * (un + c->bias);
        slip = c->bias + mu * sqrt(slip);
        for (int l = 0; l < 3; ++l) {
            x[l] = c->r[l] - c->s * (u[l] + slip * n[l]);
        }
        carom_bulk_project(n, mu, x);
        for (int l = 0; l < 3; ++l) {
            const double d = (c->r[l] - x[l]) / c->s;
            e += d * d;
        }
        sum += e;
        if (e > most) {
            most = e;
            *worst = k;
        }
    }
    *scale = fmin(fmax(base, sqrt(speed)), CAROM_RUNAWAY * base);
    return sum > 0.0 ? sqrt(sum) / *scale : sum;
}

/* |q|: the velocities of the contacts without impulses, and restitution. */
static double free_norm(const carom_bulk *b)
{
    double sum = 0.0;
    for (int k = 0; k < *b->contacts; ++k) {
        const carom_bulk_contact *const c = &b->contact[k];
        double u[3];
        carom_relative(c, &b->at[c->i], &b->at[c->j], u);
        const double un = carom_dot(c->normal, u);
        sum += carom_dot(u, u) - un * un + (un + c->bias) * (un + c->bias);
    }
    return sqrt(sum);
}

/* The largest velocity of a body, contacts or not. */
static double largest_speed(const carom_bulk *b)
{
    double most = 0.0;
    for (int i = 0; i < b->bodies; ++i) {
        most = fmax(most, carom_dot(b->free + 6 * i, b->free + 6 * i));
    }
    return sqrt(most);
}

/* Anderson's memory: the last differences of f and g, in single precision since they only give directions. */
typedef struct {
    int size, memory, count, next, have_old;
    double *x, *g, *f, *g_old, *f_old;
    float *dF, *dG;
    double gram[M][M], best;
} acceleration;

static double dot(int size, const float *x, const float *y)
{
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= size; i += 4) {
        for (int k = 0; k < 4; ++k) {
            s[k] += (double)x[i + k] * (double)y[i + k];
        }
    }
    for (; i < size; ++i) {
        s[0] += (double)x[i] * (double)y[i];
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static double dot_f(int size, const float *x, const double *y)
{
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= size; i += 4) {
        for (int k = 0; k < 4; ++k) {
            s[k] += (double)x[i + k] * y[i + k];
        }
    }
    for (; i < size; ++i) {
        s[0] += (double)x[i] * y[i];
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static void remember(acceleration *h)
{
    const int at = h->next;
    float *const dF = h->dF + (size_t)at * (size_t)h->size, *const dG = h->dG + (size_t)at * (size_t)h->size;
    for (int i = 0; i < h->size; ++i) {
        dF[i] = (float)(h->f[i] - h->f_old[i]);
        dG[i] = (float)(h->g[i] - h->g_old[i]);
    }
    h->count += h->count < h->memory;
    h->next = (at + 1) % h->memory;
    for (int j = 0; j < h->count; ++j) {
        h->gram[at][j] = h->gram[j][at] = dot(h->size, dF, h->dF + (size_t)j * (size_t)h->size);
    }
}

/* gamma = argmin |f - dF gamma|; 0 when the normal equations break down. */
static int combine(const acceleration *h, double gamma[M])
{
    for (int i = 0; i < h->count; ++i) {
        gamma[i] = dot_f(h->size, h->dF + (size_t)i * (size_t)h->size, h->f);
    }
    return carom_mixing_combine(h->count, h->gram[0], M, gamma);
}

/* The next point x from g, which the last sweep gave; impulses and velocities move to it. */
static void extrapolate(const carom_bulk *b, acceleration *h, double size_f)
{
    double gamma[M];
    const int grown = size_f > GROWTH * h->best;
    h->best = grown ? size_f : fmin(h->best, size_f); /* a dropped history starts anew */
    if (h->have_old && !grown) {
        remember(h);
    }
    h->have_old = !grown;
    if (grown || !combine(h, gamma)) {
        h->count = h->next = 0;
    }
    if (h->count == 0) {
        return;
    }
    memcpy(h->x, h->g, (size_t)h->size * sizeof(double));
    for (int j = 0; j < h->count; ++j) {
        const float *const dG = h->dG + (size_t)j * (size_t)h->size;
        for (int i = 0; i < h->size; ++i) {
            h->x[i] -= gamma[j] * (double)dG[i];
        }
    }
    for (int k = 0; k < *b->contacts; ++k) {
        carom_bulk_project(b->contact[k].normal, b->contact[k].mu, h->x + 3 * k);
        memcpy(b->contact[k].r, h->x + 3 * k, 3 * sizeof(double));
    }
    carom_bulk_add_up(b);
}

static void start(const carom_bulk *b, acceleration *h, int memory)
{
    const size_t n = 3 * (size_t)*b->contacts;
    double **const vector[] = {&h->x, &h->g, &h->f, &h->g_old, &h->f_old};
    *h = (acceleration){.size = (int)n, .memory = memory < M ? memory : M, .best = HUGE_VAL};
    for (size_t k = 0; k < sizeof vector / sizeof vector[0]; ++k) {
        *vector[k] = b->work + k * n;
    }
    h->dF = b->history;
    h->dG = b->history + (size_t)M * n;
}

/* A sweep from x to g; returns the size of the defect f = (g - x) / s. */
static double advance(const carom_bulk *b, acceleration *h)
{
    double *swap = h->g, sum = 0.0;
    h->g = h->g_old;
    h->g_old = swap;
    swap = h->f;
    h->f = h->f_old;
    h->f_old = swap;
    for (int k = 0; k < *b->contacts; ++k) {
        memcpy(h->x + 3 * k, b->contact[k].r, 3 * sizeof(double));
    }
    sweep(b);
    for (int k = 0; k < *b->contacts; ++k) {
        const carom_bulk_contact *const c = &b->contact[k];
        for (int l = 0; l < 3; ++l) {
            h->g[3 * k + l] = c->r[l];
            h->f[3 * k + l] = (c->r[l] - h->x[3 * k + l]) / c->s;
            sum += h->f[3 * k + l] * h->f[3 * k + l];
        }
    }
    return sqrt(sum);
}

/* Has it so far come down too slowly to be good within FIRST sweeps? From the residuals after LOOK and 2 LOOK. */
static int hopeless(double early, double now, double tolerance)
{
    return !(log(now / tolerance) * LOOK < log(early / now) * (FIRST - 2 * LOOK));
}

/* Sweeps until the tolerance or the limit is reached; 0 when something is not finite. With `impatient` they end when
 * they are hopeless. */
static int sweeps(const carom_bulk *b, double tolerance, int limit, int memory, int impatient, double q_norm,
                  carom_bulk_result *result)
{
    acceleration h;
    double scale = 0.0, early = HUGE_VAL;
    carom_bulk_add_up(b);
    result->residual = carom_bulk_residual(b, q_norm, &result->worst, &scale);
    start(b, &h, memory);
    double check_below = CHECK_BELOW * tolerance * scale;
    for (int k = 1; k <= limit && (result->residual > tolerance || k <= LEAST); ++k) {
        const double size_f = advance(b, &h);
        result->sweeps++;
        if (!(size_f < HUGE_VAL)) {
            return 0;
        }
        if (size_f <= check_below || k % CHECK_EVERY == 0 || k == limit || k == LEAST) {
            result->residual = carom_bulk_residual(b, q_norm, &result->worst, &scale);
            check_below = CHECK_BELOW * tolerance * scale;
        }
        early = k == LOOK ? result->residual : early;
        if (impatient && k == 2 * LOOK && hopeless(early, result->residual, tolerance)) {
            break;
        }
        if (memory > 0 && result->residual > tolerance && k < limit) {
            extrapolate(b, &h, size_f);
        }
    }
    return result->residual < HUGE_VAL;
}

/* Back to no impulses: a half-converged point is no good start for what follows. */
static void forget(const carom_bulk *b)
{
    for (int k = 0; k < *b->contacts; ++k) {
        memset(b->contact[k].r, 0, sizeof b->contact[k].r);
    }
    carom_bulk_add_up(b);
}

/* Are there faces on faces, which make stacks, and room for a factor? */
static int stacked(const carom_bulk *b)
{
    int flat = 0;
    for (int k = 0; k < *b->contacts && b->bodies <= CAROM_BULK_FACTORED; ++k) {
        flat += !b->contact[k].round;
    }
    return flat > FEW;
}

carom_status carom_bulk_solve(const carom_bulk *b, double tolerance, int limit, int memory, carom_bulk_result *result)
{
    *result = (carom_bulk_result){.worst = -1};
    if (*b->contacts == 0) {
        return CAROM_OK;
    }
    /* |q|, but not below what rounding of the speeds in the pile leaves of it */
    const double q_norm = fmax(free_norm(b), ROUNDING * largest_speed(b) / tolerance);
    for (int k = 0; k < *b->contacts; ++k) {
        carom_bulk_project(b->contact[k].normal, b->contact[k].mu, b->contact[k].r);
    }
    const int impatient = limit > FIRST && memory > 0 && stacked(b);
    int finite = sweeps(b, tolerance, limit < FIRST ? limit : FIRST, memory, impatient, q_norm, result);
    if (finite && result->residual > tolerance && limit > FIRST && memory > 0 && *b->contacts > FEW) {
        int steps;
        forget(b);
        result->residual = carom_bulk_smooth(b, tolerance, q_norm, &steps);
        result->sweeps += steps;
    }
    if (finite && impatient && result->residual > tolerance) { /* long chains: one factorisation sees all of them */
        forget(b);
        (void)carom_bulk_portfolio(b, "admm", DIRECTIONS, 0.5 * tolerance);
        finite = sweeps(b, tolerance, LEAST, 0, 0, q_norm, result);
    }
    if (finite && result->residual > tolerance && limit > FIRST) {
        forget(b);
        finite = sweeps(b, tolerance, SECOND, memory, 0, q_norm, result);
    }
    if (finite && result->residual > tolerance && limit > FIRST + SECOND) {
        (void)carom_bulk_portfolio(b, NULL, 0, 0.5 * tolerance); /* some room for adding up in another order */
        finite = sweeps(b, tolerance, limit - FIRST - SECOND, memory, 0, q_norm, result);
    }
    if (!finite) {
        return CAROM_NOT_FINITE;
    }
    return result->residual <= tolerance ? CAROM_OK : CAROM_CONTACT;
}
