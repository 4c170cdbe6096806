/* A contact problem differentiated in the modes that its solution is in, of models in straight code (THEORY 11). Of
 *
 *     A x = rhs + G^T (r - carried),  u = G x + b,  law(u, r) on the rows of a set,  r = carried on the others
 *
 * rows that carry force stay closed, contacts that stick go on sticking, those that slide keep to their cone, the
 * others carry nothing. What stands between two modes (carries nothing and does not part, or holds on by all the
 * friction it has) has a derivative to either side: that is told. Asks for what carom/straight.h does;
 * CAROM_TANGENT_MATRIX 1: problems in other operators than the mass matrix (carom/operator.h). See carom/algorithm.h.
 */
#ifndef CAROM_TANGENT_H
#define CAROM_TANGENT_H

#include "algorithm.h"
#include "dense.h"
#include "sets.h"

#if CAROM_NR > 0
enum { CAROM_FREE_ROW, CAROM_HELD_ROW, CAROM_SLIDING_ROW };

/* f += G_j^T r */
static inline void CAROM(add_along)(const CAROM_STATE *s, const CAROM(config) * c, int j, double r, double *f)
{
    double g[CAROM_NV];
    CAROM(row)(s, c, j, g);
    for (int l = CAROM(Gp)[j]; l < CAROM(Gp)[j + 1]; ++l) {
        f[CAROM(Gj)[l]] += g[l - CAROM(Gp)[j]] * r;
    }
}

#if CAROM_NT > 0
/* The friction of contact k: a force on its cone slides, whether the plan says in which direction or not. */
static inline bool CAROM(on_cone)(const CAROM_STATE *s, int k, const double *slide, const double *r)
{
    const int row = CAROM(tangents)[k][0];
    const double limit = s->derived.mu[k] * r[CAROM_NE + k];
    return (slide != NULL && slide[row - CAROM_NG] != 0.0) || fabs(r[row]) >= limit * (1.0 - CAROM_CONE_EDGE);
}
#endif

/* The mode of each row. */
static inline void CAROM(modes_of)(const CAROM_STATE *s, const bool *set, const double *slide, const double *r,
                                   unsigned char *mode)
{
    (void)s;
    (void)slide;
    for (int j = 0; j < CAROM_NG; ++j) {
        mode[j] = set[j] && (j < CAROM_NE || r[j] > 0.0) ? CAROM_HELD_ROW : CAROM_FREE_ROW;
    }
#if CAROM_NT > 0
    for (int j = CAROM_NG; j < CAROM_NR; ++j) {
        const int n = CAROM(contact_of)[j - CAROM_NG];
        mode[j] = CAROM_FREE_ROW;
        if (set[j] && mode[n] == CAROM_HELD_ROW) {
            mode[j] = CAROM(on_cone)(s, n - CAROM_NE, slide, r) ? CAROM_SLIDING_ROW : CAROM_HELD_ROW;
        }
    }
#endif
}

/* Does a contact of the set stand between two modes? */
static inline bool CAROM(between_modes)(const CAROM_STATE *s, const CAROM(config) * c, const bool *set,
                                        const double *slide, const double *x, const double *b, const double *r)
{
    double u[CAROM_NR], size = 0.0;
    bool between = false;
    (void)slide;
    CAROM(rows)(s, c, x, u);
    for (int j = 0; j < CAROM(active)(s); ++j) {
        size = fmax(size, fmax(fabs(u[j]), fabs(b[j])));
    }
    for (int j = CAROM_NE; j < CAROM_NG; ++j) {
        between = between || (set[j] && !(r[j] > 0.0) && fabs(u[j] + b[j]) <= CAROM_MODE_EDGE * size);
    }
#if CAROM_NT > 0
    for (int j = CAROM_NG; j < CAROM(active)(s); ++j) {
        const int n = CAROM(contact_of)[j - CAROM_NG];
        const bool told = slide != NULL && slide[j - CAROM_NG] != 0.0;
        between = between || (set[j] && !told && r[n] > 0.0 && CAROM(on_cone)(s, n - CAROM_NE, slide, r) &&
                              fabs(u[j] + b[j]) <= CAROM_MODE_EDGE * size);
    }
#endif
    return between;
}

/* dx and dr. f: drhs - dA x + dG^T (r - carried); du: db + dG x; NULL of dmu, dcarried: 0. size: grows to that of the
 * terms of dx, which may cancel. */
static inline carom_status CAROM(contact_along)(const CAROM_STATE *s, const CAROM(config) * c,
#if CAROM_TANGENT_MATRIX > 0
                                                const CAROM(matrix) * A,
#endif
                                                const bool *set, const double *slide, const double *r,
                                                const double *dmu, const double *f, const double *du,
                                                const double *dcarried, double *room, double *size, double *dx,
                                                double *dr)
{
    unsigned char mode[CAROM_NR];
    int index[CAROM_NR], pivot[CAROM_NR], n = 0;
    double *const Y = room, *const W = Y + CAROM_NR * CAROM_NV, *const y = W + CAROM_NR * CAROM_NR;
    double u[CAROM_NR];
    CAROM(modes_of)(s, set, slide, r, mode);
    for (int i = 0; i < CAROM_NV; ++i) {
        dx[i] = f[i];
    }
    for (int j = 0; j < CAROM_NR; ++j) {
        const bool carries = dcarried != NULL && j < CAROM(active)(s);
        dr[j] = carries && !set[j] ? dcarried[j] : 0.0;
        if (carries && set[j]) {
            CAROM(add_along)(s, c, j, -dcarried[j], dx);
        }
        if (mode[j] != CAROM_FREE_ROW) {
            index[n++] = j;
        }
    }
#if CAROM_TANGENT_MATRIX > 0
#define CAROM_TANGENT_SOLVE(x) (A != NULL ? CAROM(solve_in)(s, A, x) : CAROM(solve_mass)(s, c, x))
#else
#define CAROM_TANGENT_SOLVE(x) CAROM(solve_mass)(s, c, x)
#endif
    CAROM_TANGENT_SOLVE(dx);
    for (int i = 0; i < CAROM_NV; ++i) {
        *size = fmax(*size, fabs(dx[i]));
    }
    CAROM(rows)(s, c, dx, u);
    for (int k = 0; k < n; ++k) {
        double *const column = Y + k * CAROM_NV;
        double Wk[CAROM_NR];
        for (int i = 0; i < CAROM_NV; ++i) {
            column[i] = 0.0;
        }
        CAROM(add_along)(s, c, index[k], 1.0, column);
        CAROM_TANGENT_SOLVE(column);
        CAROM(rows)(s, c, column, Wk);
        for (int i = 0; i < n; ++i) {
            W[i * n + k] = Wk[index[i]];
        }
    }
    for (int i = 0; i < n; ++i) {
        y[i] = -(u[index[i]] + du[index[i]]);
    }
#if CAROM_NT > 0
    for (int i = 0; i < n; ++i) {
        const int j = index[i];
        if (mode[j] == CAROM_SLIDING_ROW) { /* r_T / r_N stays what it is but for what friction changes by */
            const int normal = CAROM(contact_of)[j - CAROM_NG], k = normal - CAROM_NE;
            const double mu = s->derived.mu[k], share = r[j] / r[normal];
            for (int l = 0; l < n; ++l) {
                W[i * n + l] = index[l] == j ? 1.0 : index[l] == normal ? -share : 0.0;
            }
            y[i] = dmu != NULL && mu > 0.0 ? r[j] / mu * dmu[k] : 0.0;
        }
    }
#else
    (void)dmu;
#endif
    if (!carom_lu_factor(n, W, pivot)) {
        return CAROM_CONTACT; /* forces that are not determined have no derivative */
    }
    carom_lu_solve(n, W, pivot, y);
    for (int k = 0; k < n; ++k) {
        dr[index[k]] = y[k];
        for (int i = 0; i < CAROM_NV; ++i) {
            const double term = Y[k * CAROM_NV + i] * y[k];
            dx[i] += term;
            *size = fmax(*size, fabs(term));
        }
    }
    return CAROM_OK;
}
#endif

#endif
