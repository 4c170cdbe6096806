/* The law of contact as a residual: how far impulses r and end velocities u = W r + b are from what they must be, as a
 * velocity. What a solver or a step accepts is judged here and nowhere else; the function looks at rows only, so it
 * costs a few operations per row and serves every back end. With s_c a mass of the contact (1 / W_ii of a row, d /
 * trace W_cc of a contact with friction):
 *
 *     equal        u = 0                                     |u|
 *     unilateral   0 <= r  _|_  u >= 0                       |min(r / s, u)|
 *     Coulomb      -u^ in the normal cone of K at r          |r - P_K(r - s u^)| / s,     u^ = u + mu |u_T| e_N
 *     sliding      r_T = -mu slip r_N given, and unilateral along the normal
 *     not in set   r = 0                                     |r / s|
 *
 * K is Coulomb's cone |r_T| <= mu r_N and P_K the projection on it. Zero exactly where the law holds; NaN counts as
 * infinite. No heap, no state; the header is all there is. */
#ifndef CAROM_LAW_H
#define CAROM_LAW_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A step whose contacts leave more than this part of their own speeds has broken the law; solvers that converge leave
 * far less. */
#define CAROM_LAW_BROKEN 1e-6
/* Speeds of contacts that are this small beside those of the model are rounding in the sums that make them. */
#define CAROM_LAW_ROUNDING 1e-6
/* What rounding leaves of a sum of speeds W_ij r_j that cancel. */
#define CAROM_LAW_EPSILON 2.3e-16

/* ---- what a solver of such laws can do: data, so that choosing, help and tests read one table -------------------- */

enum {
    CAROM_LAW_EQUAL = 1,
    CAROM_LAW_UNILATERAL = 2,
    CAROM_LAW_PLANAR = 4,
    CAROM_LAW_SPATIAL = 8
}; /* the latter: Coulomb, d = 2, 3 */

typedef enum {
    CAROM_NEEDS_PRODUCTS,
    CAROM_NEEDS_BLOCKS,
    CAROM_NEEDS_FULL
} carom_solver_needs; /* W times r, W by sparse blocks, W full */

typedef struct {
    const char *name, *text; /* text: one line, for people */
    unsigned laws;
    carom_solver_needs needs;
    int most[2]; /* contacts that it takes, without and with friction; 0: any number */
} carom_solver;

/* Can it solve a problem with these laws and so many contacts? */
static inline bool carom_solver_can(const carom_solver *solver, unsigned laws, int contacts)
{
    const int most = solver->most[(laws & (CAROM_LAW_PLANAR | CAROM_LAW_SPATIAL)) != 0U];
    return (laws & ~solver->laws) == 0U && (most == 0 || contacts <= most);
}

/* ---- the laws ---------------------------------------------------------------------------------------------------- */

/* P_K of one contact of d = 2 or 3 components (normal first), in place. */
static inline void carom_cone_project(int d, double mu, double *r)
{
    const double n = r[0];
    const double t = d == 2 ? fabs(r[1]) : sqrt(r[1] * r[1] + r[2] * r[2]);
    if (n >= 0.0 && t <= mu * n) {
        return;
    }
    if (mu * t <= -n) { /* in the polar cone */
        for (int i = 0; i < d; ++i) {
            r[i] = 0.0;
        }
        return;
    }
    const double projected = (n + mu * t) / (1.0 + mu * mu);
    r[0] = projected;
    const double scale = t > 0.0 ? mu * projected / t : 0.0;
    for (int i = 1; i < d; ++i) {
        r[i] *= scale;
    }
}

/* Does a contact that sticks by static friction `mu` begin to slide? kinetic: its friction of sliding; at the bound it
 * is no longer held. */
static inline bool carom_breaks_away(double mu, double kinetic, double normal, double tangent)
{
    return mu > kinetic && normal > 0.0 && tangent >= mu * normal * (1.0 - 1e-10);
}

/* Square of what one contact with Coulomb's law leaves, d = 2 or 3. */
static inline double carom_law_coulomb(int d, double mu, double s, const double *r, const double *u)
{
    const double slip = d == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
    double p[3];
    p[0] = r[0] - s * (u[0] + mu * slip);
    for (int i = 1; i < d; ++i) {
        p[i] = r[i] - s * u[i];
    }
    carom_cone_project(d, mu, p);
    double sum = 0.0;
    for (int i = 0; i < d; ++i) {
        const double part = (r[i] - p[i]) / s;
        sum += part * part;
    }
    return sum;
}

/* Rows as generated code orders them: bilateral ones, the normal of each contact, tangents. */
typedef struct {
    int bilateral, contacts;
    int dimension;       /* components of a contact with friction: 2 or 3; 1 when there are no tangents */
    const int *tangents; /* [contacts][dimension - 1] row of each, -1: none; NULL when there are none at all */
    const double *mu;    /* [contacts]; NULL: 0 */
    const bool *set;     /* [rows] which take part; NULL: all */
    /* [rows - bilateral - contacts] given direction of sliding, 0 where the law decides; NULL: nowhere */
    const double *slip;
    const double *W; /* W_ii is W[i * stride], > 0 */
    int stride;
} carom_law_rows;

typedef struct {
    double left;  /* largest velocity that the law leaves */
    double scale; /* largest |u_i| and |W_ii r_i| of the rows in the set: what `left` can be measured by */
    int worst;    /* its row (of a contact: the normal one), -1 when everything is exact */
} carom_law_residual;

static inline void carom_law_count(carom_law_residual *out, int row, double left)
{
    if (!(left <= out->left)) {
        out->left = left < HUGE_VAL ? left : HUGE_VAL;
        out->worst = row;
    }
}

/* One row of the set without friction: bilateral or unilateral. */
static inline void carom_law_row(carom_law_residual *out, bool unilateral, int row, double W, double r, double u)
{
    const double force = W * r, rate = fabs(u), size = fabs(force) > rate ? fabs(force) : rate;
    out->scale = size > out->scale ? size : out->scale;
    if (!unilateral) {
        carom_law_count(out, row, rate);
    } else if (!(W > 0.0) && r != 0.0) {
        /* pushing would pull: no mass matrix does that, too long an implicit step may */
        carom_law_count(out, row, HUGE_VAL);
    } else {
        carom_law_count(out, row, fabs(force < u ? force : u));
    }
}

/* The law on all rows, r and u as above; what a step accepts has left <= tolerance max(scale, a floor of its own). */
static inline carom_law_residual carom_law(const carom_law_rows *rows, const double *r, const double *u)
{
    carom_law_residual out = {0.0, 0.0, -1};
    const int first = rows->bilateral, gaps = first + rows->contacts, d = rows->tangents != NULL ? rows->dimension : 1;
    for (int j = 0; j < gaps; ++j) {
        const int *const tangent = j >= first && d > 1 ? rows->tangents + (j - first) * (d - 1) : NULL;
        const double mu = j >= first && rows->mu != NULL ? rows->mu[j - first] : 0.0;
        const bool here = rows->set == NULL || rows->set[j];
        double x[3] = {r[j], 0.0, 0.0}, y[3] = {u[j], 0.0, 0.0}, trace = rows->W[j * rows->stride], given = 0.0,
               off = 0.0;
        int components = 1;
        for (int k = 0; k < d - 1 && tangent != NULL; ++k) {
            const int t = tangent[k];
            if (t < 0) {
                continue;
            }
            const double w = rows->W[t * rows->stride], slip = rows->slip != NULL ? rows->slip[t - gaps] : 0.0;
            if (!here || (rows->set != NULL && !rows->set[t])) {
                carom_law_count(&out, t, r[t] != 0.0 ? w * fabs(r[t]) : 0.0); /* W of such a row need not be known */
                continue;
            }
            const double apart = w * (r[t] + mu * slip * r[j]);
            given = given > fabs(slip) ? given : fabs(slip);
            off += apart * apart;
            x[components] = r[t];
            y[components] = u[t];
            trace += w;
            ++components;
            const double size = w * fabs(r[t]) > fabs(u[t]) ? w * fabs(r[t]) : fabs(u[t]);
            out.scale = size > out.scale ? size : out.scale;
        }
        if (!here) {
            carom_law_count(&out, j, r[j] != 0.0 ? rows->W[j * rows->stride] * fabs(r[j]) : 0.0);
        } else if (j < first || components == 1) {
            carom_law_row(&out, j >= first, j, rows->W[j * rows->stride], r[j], u[j]);
        } else if (given > 0.0) {
            carom_law_residual normal = {0.0, 0.0, -1};
            carom_law_row(&normal, true, j, rows->W[j * rows->stride], r[j], u[j]);
            out.scale = normal.scale > out.scale ? normal.scale : out.scale;
            carom_law_count(&out, j, sqrt(normal.left * normal.left + off));
        } else {
            const double force = rows->W[j * rows->stride] * fabs(r[j]), size = fabs(u[j]) > force ? fabs(u[j]) : force;
            out.scale = size > out.scale ? size : out.scale;
            carom_law_count(&out, j, sqrt(carom_law_coulomb(components, mu, (double)components / trace, x, y)));
        }
    }
    return out;
}

#ifdef __cplusplus
}
#endif
#endif
