/* Operators with a matrix, of models in straight code: M + wv C + wq K of one vector or of several stages, factored,
 * and contact problems in them; rows at points of their own. Asks for CAROM(mass), the matrix M, CAROM(jacobian), which
 * adds K and C (and with rows those of G a + gam), what carom/straight.h does, carom/dense.h, CAROM_INNER, the part of
 * s->work.room that contact problems take, of several stages with rows carom/fixed.h, and
 *
 *     CAROM_STAGE_COUNT     of operators over several stages; 0: there are none
 *     CAROM_MATRIX          1: there is CAROM(mass)
 *     CAROM_NEWTON_STEP     1: there are operators of one vector
 *     CAROM_WRITTEN_OUT     1: the model has those and the product with M written out; they go back to the general ones
 *                           where pivots are small
 *     CAROM_MEAN            1: forces of bilateral rows act at both ends of a step
 *     CAROM_GROUPS          of rows at one point each (CAROM(group_of)); 0: all rows share theirs
 *     CAROM_ROWS_APART      1: these do not share G and M
 *     CAROM_TYPES           1: matrices and points lie in the state, whose header has their types
 *
 * See carom/algorithm.h. */
#ifndef CAROM_OPERATOR_H
#define CAROM_OPERATOR_H

#include "algorithm.h"
#include "dense.h"
#include "room.h"

#include <string.h>

#define CAROM_CONFIG CAROM(config)
#if CAROM_MEAN > 0
#define CAROM_BEFORE const CAROM_CONFIG *before, double mean,
#define CAROM_PASS_BEFORE before, mean,
#else
#define CAROM_BEFORE
#define CAROM_PASS_BEFORE
#endif
#if CAROM_NEWTON_STEP > 0
#define CAROM_SOLVED_IN CAROM(matrix)
#define CAROM_SOLVE_IN CAROM(solve_in)
#else
#define CAROM_SOLVED_IN CAROM_CONFIG
#define CAROM_SOLVE_IN CAROM(solve_mass)
#endif
#if CAROM_NR == 0
#define CAROM_SLIDES
#define CAROM_SLIDE
#endif
/* What operators of stages are told of modes: forces and rows that are held; in space also whose direction turns. */
#if CAROM_STAGE_COUNT > 0 && CAROM_NR > 0
#if CAROM_D == 3
#define CAROM_HELD const double *r, const bool *set, CAROM_GRIPS const bool *follows,
#define CAROM_PASS_HELD r, set, CAROM_GRIP follows,
#else
#define CAROM_HELD const double *r, const bool *set, CAROM_GRIPS
#define CAROM_PASS_HELD r, set, CAROM_GRIP
#endif
#else
#define CAROM_HELD
#define CAROM_PASS_HELD
#endif

#if CAROM_NR > 0
/* Where rows of problems in an operator stand: beside what their solvers need. */
typedef double CAROM(row_of)[CAROM_NV];
#define CAROM_ROW CAROM(row_of)
static inline CAROM_ROW *CAROM(outer)(const CAROM_STATE *s) { return (CAROM_ROW *)(CAROM(room)(s) + CAROM_INNER); }
/* and two matrices over velocities */
static inline double *CAROM(squares)(const CAROM_STATE *s)
{
    return CAROM(room)(s) + CAROM_INNER + 2 * CAROM_NR * CAROM_NV + 2 * CAROM_NR * CAROM_NR;
}

/* y = G_j^T */
static inline void CAROM(column)(const CAROM_STATE *s, const CAROM_CONFIG *c, int j, double *y)
{
    double g[CAROM_NV] = {0.0};
    CAROM(row)(s, c, j, g);
    CAROM(row_to_column)(j, g, y);
}
#endif

#if CAROM_STAGE_COUNT > 0
#if CAROM_D == 3
/* Friction turns with the velocity: r_T = -mu r_N U_T/|U_T|, so C += mu r_N G_T^T (1 - t t^T)/|U_T| G_T with t the
 * direction. Slow sliding makes this as stiff as one likes; how G_T itself turns is left out. */
static inline void CAROM(turns)(const CAROM_STATE *s, const CAROM_CONFIG *c, const double *v, const double *r,
                                const double *slide, const bool *follows, double C[CAROM_NV][CAROM_NV])
{
    double U[CAROM_NR], first[CAROM_NV], second[CAROM_NV];
    CAROM(rates)(s, c, v, U);
    for (int k = 0; k < CAROM_NC; ++k) {
        const int *const row = CAROM(tangents)[k];
        if (!follows[CAROM_NE + k] || !CAROM(slides)(CAROM_NE + k, slide) || row[1] < 0) {
            continue;
        }
        const double speed = hypot(U[row[0]], U[row[1]]), t0 = slide[row[0] - CAROM_NG], t1 = slide[row[1] - CAROM_NG];
        const double weight = speed > CAROM_TS ? s->derived.mu[k] * fmax(r[CAROM_NE + k], 0.0) / speed : 0.0;
        CAROM(column)(s, c, row[0], first);
        CAROM(column)(s, c, row[1], second);
        for (int i = 0; i < CAROM_NV; ++i) { /* (1 - t t^T) = n n^T with n across the direction of sliding */
            const double across = weight * (t0 * second[i] - t1 * first[i]);
            for (int j = 0; j < CAROM_NV; ++j) {
                C[i][j] += across * (t0 * second[j] - t1 * first[j]);
            }
        }
    }
}
#endif

/* The operator of up to CAROM_STAGE_COUNT stages, factored, and the matrices it is made of. */
#if CAROM_TYPES == 0
typedef struct {
    double lu[CAROM_STAGE_COUNT * CAROM_NV * CAROM_STAGE_COUNT * CAROM_NV];
    double K[CAROM_NV][CAROM_NV], C[CAROM_NV][CAROM_NV], dq[CAROM_NV][CAROM_NV], dv[CAROM_NV][CAROM_NV];
    int pivot[CAROM_STAGE_COUNT * CAROM_NV];
} CAROM(stage_matrix);
#endif

/* da/dq and da/dv of the acceleration M a = h + G^T r in fixed modes: M da + K dq + C dv - G^T dr = 0, and
 * G da + Kc dq + Cc dv = 0 on the rows that are held. */
static CAROM_OWN_FRAME carom_status CAROM(sensitivity)(const CAROM_STATE *s, CAROM_CONFIG *c, double t, const double *q,
                                                       const double *v, const double *a,
                                                       CAROM_HELD CAROM(stage_matrix) * S)
{
    double(*const K)[CAROM_NV] = S->K, (*const C)[CAROM_NV] = S->C;
    memset(S->K, 0, sizeof S->K);
    memset(S->C, 0, sizeof S->C);
#if CAROM_NR > 0
    CAROM_ROW *const Kc = CAROM(outer)(s), *const Cc = Kc + CAROM_NR;
    double *const b = &(Cc + CAROM_NR)[0][0], *const dr = b + CAROM_NR, *const dx = CAROM(squares)(s);
    memset(Kc, 0, 2 * CAROM_NR * sizeof *Kc);
    carom_info info = {-1, 0, 0.0};
#if CAROM_NT > 0
    double held[CAROM_NR]; /* without friction nobody knows tangents */
    for (int j = 0; j < CAROM_NR; ++j) {
        held[j] = j < CAROM(active)(s) ? r[j] : 0.0;
    }
    r = held;
#endif
    CAROM(jacobian)(s, c, t, q, v, a, r, K, C, Kc, Cc);
#if CAROM_D == 3
    if (follows != NULL) {
        CAROM(turns)(s, c, v, r, slide, follows, C);
    }
#endif
#else
    CAROM(jacobian)(s, c, t, q, v, a, NULL, K, C, NULL, NULL);
#endif
    for (int part = 0; part < 2; ++part) {
        for (int k = 0; k < CAROM_NV; ++k) {
            double x[CAROM_NV];
            for (int i = 0; i < CAROM_NV; ++i) {
                x[i] = part == 0 ? -K[i][k] : -C[i][k];
            }
            CAROM(solve_mass)(s, c, x);
#if CAROM_NR > 0
            CAROM(rows)(s, c, x, b);
            for (int j = 0; j < CAROM_NR; ++j) {
                b[j] += part == 0 ? Kc[j][k] : Cc[j][k];
            }
            const carom_status status = CAROM(fix)(s, c, set, CAROM_GRIP false, b, dx, dr, &info);
            if (status != CAROM_OK) {
                return status;
            }
            for (int i = 0; i < CAROM_NV; ++i) {
                x[i] += dx[i];
            }
#endif
            for (int i = 0; i < CAROM_NV; ++i) {
                (part == 0 ? S->dq : S->dv)[i][k] = x[i];
            }
        }
    }
    return CAROM_OK;
}

/* I - h A x da/dv - h^2 Abar x da/dq in fixed modes. */
static inline bool CAROM(stage_operator)(const CAROM_STATE *s, CAROM_CONFIG *c, double t, const double *q,
                                         const double *v, const double *a, CAROM_HELD double h, int stages,
                                         const double *A, const double *Abar, CAROM(stage_matrix) * S)
{
    if (CAROM(sensitivity)(s, c, t, q, v, a, CAROM_PASS_HELD S) != CAROM_OK) {
        return false;
    }
    for (int l = 0; l < stages; ++l) {
        for (int k = 0; k < stages; ++k) {
            for (int i = 0; i < CAROM_NV; ++i) {
                for (int j = 0; j < CAROM_NV; ++j) {
                    S->lu[(l * CAROM_NV + i) * stages * CAROM_NV + k * CAROM_NV + j] =
                        (l == k && i == j ? 1.0 : 0.0) - h * A[l * stages + k] * S->dv[i][j] -
                        h * h * Abar[l * stages + k] * S->dq[i][j];
                }
            }
        }
    }
    return carom_lu_factor(stages * CAROM_NV, S->lu, S->pivot);
}

/* x := S^-1 x, the stages one after another */
static inline void CAROM(solve_stages)(const CAROM(stage_matrix) * S, int stages, double *x)
{
    carom_lu_solve(stages * CAROM_NV, S->lu, S->pivot, x);
}
#endif
#if CAROM_MATRIX > 0

#if CAROM_WRITTEN_OUT > 0
static CAROM_CALLED void CAROM(apply_mass)(const CAROM_STATE *s, const CAROM_CONFIG *c, const double *x, double *y);
#else
/* y = M x */
static inline void CAROM(apply_mass)(const CAROM_STATE *s, const CAROM_CONFIG *c, const double *x, double *y)
{
#if CAROM_NR > 0
    double *const A = CAROM(squares)(s);
#else
    double A[CAROM_NV * CAROM_NV];
#endif
    CAROM(mass)(s, c, A);
    for (int i = 0; i < CAROM_NV; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < CAROM_NV; ++j) {
            y[i] += A[CAROM_NV * i + j] * x[j];
        }
    }
}
#endif
#if CAROM_NEWTON_STEP > 0

/* An operator, factored. */
#if CAROM_TYPES == 0
typedef struct {
    double lu[CAROM_NV * CAROM_NV];
    int pivot[CAROM_NV];
} CAROM(matrix);
#endif

#if CAROM_WRITTEN_OUT > 0
#define CAROM_OPERATOR CAROM(general_operator)
#define CAROM_SOLVES CAROM(general_solve_in)
static inline void CAROM(solve_in)(const CAROM_STATE *s, const CAROM(matrix) * A, double *x);
#else
#define CAROM_OPERATOR CAROM(operator)
#define CAROM_SOLVES CAROM(solve_in)
#endif

/* A = M + wv C + wq K; C = -dh/dv, K = d(M a - h)/dq */
static inline bool CAROM_OPERATOR(const CAROM_STATE *s, const CAROM_CONFIG *c, double t, const double *q,
                                  const double *v, const double *a, double wv, double wq, CAROM(matrix) * A)
{
#if CAROM_NR > 0
    CAROM_ROW *const K = (CAROM_ROW *)CAROM(squares)(s), *const C = K + CAROM_NV;
    memset(K, 0, 2 * CAROM_NV * sizeof *K);
#else
    double K[CAROM_NV][CAROM_NV] = {{0.0}}, C[CAROM_NV][CAROM_NV] = {{0.0}};
#endif
    CAROM(jacobian)(s, c, t, q, v, a, NULL, K, C, NULL, NULL);
    CAROM(mass)(s, c, A->lu);
    for (int i = 0; i < CAROM_NV; ++i) {
        for (int j = 0; j < CAROM_NV; ++j) {
            A->lu[CAROM_NV * i + j] += wv * C[i][j] + wq * K[i][j];
        }
    }
    return carom_lu_factor(CAROM_NV, A->lu, A->pivot);
}

/* x := A^-1 x */
static inline void CAROM_SOLVES(const CAROM_STATE *s, const CAROM(matrix) * A, double *x)
{
    (void)s;
    carom_lu_solve(CAROM_NV, A->lu, A->pivot, x);
}
#endif
#if CAROM_NR > 0

/* f = G^T r on the rows of a set */
static inline void CAROM(spread)(const CAROM_STATE *s, const CAROM_CONFIG *c, const bool *set, const double *r,
                                 double *f)
{
    double g[CAROM_NV] = {0.0};
    for (int i = 0; i < CAROM_NV; ++i) {
        f[i] = 0.0;
    }
    for (int j = 0; j < CAROM(active)(s); ++j) {
        if (set[j]) {
            CAROM(row)(s, c, j, g);
            for (int l = CAROM(Gp)[j]; l < CAROM(Gp)[j + 1]; ++l) {
                f[CAROM(Gj)[l]] += g[l - CAROM(Gp)[j]] * r[j];
            }
        }
    }
}

#if CAROM_NEWTON_STEP > 0 && CAROM_ROWS_APART == 0

/* Y = A^-1 F^T and W = G Y of the rows in a set; F = G, or with `before` F^T = m G^T + (1-m) M M(before)^-1 G(before)^T
 * of bilateral rows */
static void CAROM(delassus_in)(const CAROM_STATE *s, const CAROM_CONFIG *c, const CAROM(matrix) * A,
                               CAROM_BEFORE const bool *set, double (*Y)[CAROM_NV], double *W)
{
    double u[CAROM_NR];
    for (int j = 0; j < CAROM(active)(s); ++j) {
        if (set[j]) {
            CAROM(column)(s, c, j, Y[j]);
#if CAROM_MEAN > 0
            if (j < CAROM_NE) {
                double first[CAROM_NV], y[CAROM_NV];
                CAROM(column)(s, before, j, first);
                CAROM(solve_mass)(s, before, first);
                CAROM(apply_mass)(s, c, first, y);
                for (int i = 0; i < CAROM_NV; ++i) {
                    Y[j][i] = mean * Y[j][i] + (1.0 - mean) * y[i];
                }
            }
#endif
            CAROM(solve_in)(s, A, Y[j]);
            CAROM(rows)(s, c, Y[j], u);
            for (int i = 0; i < CAROM(active)(s); ++i) {
                W[i * CAROM_NR + j] = u[i];
            }
        }
    }
}

#if CAROM_MEAN == 0
/* Normals only, all of them equalities: A x = G^T r, G x + b = 0 on the set. */
static inline carom_status CAROM(hold_in)(const CAROM_STATE *s, const CAROM_CONFIG *c, const CAROM(matrix) * A,
                                          const bool *set, const double *b, double *x, double *r)
{
    CAROM_ROW *const Y = CAROM(outer)(s);
    double *const W = &Y[CAROM_NR][0], *const w = W + CAROM_NR * CAROM_NR, y[CAROM_NR];
    memset(W, 0, CAROM_NR * CAROM_NR * sizeof *W);
    bool normals[CAROM_NR] = {false};
    int index[CAROM_NR], pivot[CAROM_NR], n = 0;
    for (int j = 0; j < CAROM_NR; ++j) {
        r[j] = 0.0;
        normals[j] = j < CAROM_NG && set[j];
        if (normals[j]) {
            index[n++] = j;
        }
    }
    CAROM(delassus_in)(s, c, A, CAROM_PASS_BEFORE normals, Y, W);
    for (int i = 0; i < n; ++i) {
        y[i] = -b[index[i]];
        for (int j = 0; j < n; ++j) {
            w[i * n + j] = W[index[i] * CAROM_NR + index[j]];
        }
    }
    if (!carom_lu_factor(n, w, pivot)) {
        return CAROM_STAGES;
    }
    carom_lu_solve(n, w, pivot, y);
    for (int i = 0; i < CAROM_NV; ++i) {
        x[i] = 0.0;
    }
    for (int k = 0; k < n; ++k) {
        r[index[k]] = y[k];
        for (int i = 0; i < CAROM_NV; ++i) {
            x[i] += Y[index[k]][i] * y[k];
        }
    }
    return CAROM_OK;
}

#endif
#if CAROM_CASES > 0 && CAROM_MEAN == 0
/* The same as below where one or two contacts without friction are in the set, on these rows alone. */
static inline bool CAROM(by_cases_in)(const CAROM_STATE *s, const CAROM_CONFIG *c, const CAROM(matrix) * A,
                                      const bool *set, const double *rhs, const double *b, int how, double *x,
                                      double *r, carom_counts *counts)
{
    int i, j;
    const int n = CAROM(first_two)(set, &i, &j);
    if (n == 0 || n > 2 || CAROM(frictional)(s)) {
        return false;
    }
    double g[2][CAROM_NV] = {{0.0}}, Y[2][CAROM_NV], W2[4] = {0.0}, u2[2] = {0.0}, z2[2];
    CAROM_FOR(l, 0, CAROM_NV) { x[l] = rhs[l]; }
    CAROM(solve_in)(s, A, x);
    CAROM(row)(s, c, i, g[0]);
    CAROM(row_to_column)(i, g[0], Y[0]);
    CAROM(solve_in)(s, A, Y[0]);
    u2[0] = CAROM(row_times)(i, g[0], x) + b[i];
    W2[0] = CAROM(row_times)(i, g[0], Y[0]);
    if (n == 2) {
        CAROM(row)(s, c, j, g[1]);
        CAROM(row_to_column)(j, g[1], Y[1]);
        CAROM(solve_in)(s, A, Y[1]);
        u2[1] = CAROM(row_times)(j, g[1], x) + b[j];
        W2[1] = CAROM(row_times)(i, g[0], Y[1]);
        W2[2] = CAROM(row_times)(j, g[1], Y[0]);
        W2[3] = CAROM(row_times)(j, g[1], Y[1]);
    }
    if (!CAROM(two)(n, i, j, W2, u2, how, counts, z2)) {
        return false;
    }
    ++counts->contact_solves;
    CAROM_FOR_ROWS(k) { r[k] = 0.0; }
    CAROM_FOR(l, 0, CAROM_NV) { x[l] += Y[0][l] * z2[0]; }
    r[i] = z2[0];
    if (n == 2) {
        CAROM_FOR(l, 0, CAROM_NV) { x[l] += Y[1][l] * z2[1]; }
        r[j] = z2[1];
    }
    return true;
}
#endif

/* The contact problem with an operator instead of the mass: A x = rhs + F^T r. */
static carom_status CAROM(contact_in)(const CAROM_STATE *s, const CAROM_CONFIG *c, const CAROM(matrix) * A,
                                      CAROM_BEFORE bool *set, CAROM_TELLS const double *rhs, const double *b,
                                      const double *carried, int how, double *x, double *r, carom_info *info,
                                      carom_counts *counts)
{
#if CAROM_CASES > 0 && CAROM_MEAN == 0
    if (CAROM(by_cases_in)(s, c, A, set, rhs, b, how, x, r, counts)) {
        return CAROM_OK;
    }
#endif
    CAROM_ROW *const Y = CAROM(outer)(s);
    double *const W = &Y[CAROM_NR][0], u[CAROM_NR];
    memset(W, 0, CAROM_NR * CAROM_NR * sizeof *W);
    for (int i = 0; i < CAROM_NV; ++i) {
        x[i] = rhs[i];
    }
    CAROM(solve_in)(s, A, x);
    CAROM(delassus_in)(s, c, A, CAROM_PASS_BEFORE set, Y, W);
    CAROM(rows)(s, c, x, u);
    for (int j = 0; j < CAROM(active)(s); ++j) {
        u[j] += b[j];
    }
    const carom_status status = CAROM(obey)(s, W, set, CAROM_TELL u, carried, how, r, info, counts);
    for (int j = 0; j < CAROM(active)(s); ++j) {
        for (int i = 0; i < CAROM_NV && set[j]; ++i) {
            x[i] += Y[j][i] * r[j];
        }
    }
    return status;
}
#endif
#if CAROM_GROUPS > 0

/* Rows at points of their own, those of one restitution at one point. */
#if CAROM_TYPES == 0
typedef struct {
    CAROM_CONFIG at; /* of the last group */
    double g[CAROM_NR];
#if CAROM_ROWS_APART > 0
    double G[CAROM_NR][CAROM_NV];
#endif
} CAROM(points);
#endif

static inline void CAROM(take)(const CAROM_STATE *s, int group, CAROM(points) * y)
{
    (void)s;
    for (int j = 0; j < CAROM_NR; ++j) {
        if (CAROM(group_of)[j] == group) {
            y->g[j] = y->at.g[j];
#if CAROM_ROWS_APART > 0
            CAROM(column)(s, &y->at, j, y->G[j]);
#endif
        }
    }
}
#if CAROM_ROWS_APART > 0

/* A x = rhs + F^T r, G x + b of rows at points of their own; forces of bilateral rows along G(before). */
static carom_status CAROM(contact_apart)(const CAROM_STATE *s, const CAROM_SOLVED_IN *A, const CAROM(points) * y,
                                         const CAROM_CONFIG *before, bool *set, const double *rhs, const double *b,
                                         double *x, double *r, carom_info *info, carom_counts *counts)
{
    CAROM_ROW *const F = CAROM(outer)(s);
    double *const W = &F[CAROM_NR][0], u[CAROM_NR];
    for (int i = 0; i < CAROM_NV; ++i) {
        x[i] = rhs[i];
    }
    CAROM_SOLVE_IN(s, A, x);
    for (int j = 0; j < CAROM_NR; ++j) {
        for (int i = 0; i < CAROM_NV; ++i) {
            F[j][i] = y->G[j][i];
        }
#if CAROM_NE > 0
        if (j < CAROM_NE) {
            CAROM(column)(s, before, j, F[j]);
        }
#endif
        CAROM_SOLVE_IN(s, A, F[j]);
    }
#if CAROM_NE == 0
    (void)before;
#endif
    for (int j = 0; j < CAROM_NR; ++j) {
        u[j] = b[j];
        for (int i = 0; i < CAROM_NV; ++i) {
            u[j] += y->G[j][i] * x[i];
        }
        for (int k = 0; k < CAROM_NR; ++k) {
            double sum = 0.0;
            for (int i = 0; i < CAROM_NV; ++i) {
                sum += y->G[j][i] * F[k][i];
            }
            W[j * CAROM_NR + k] = sum;
        }
    }
    const carom_status status = CAROM(obey)(s, W, set, u, NULL, 0, r, info, counts);
    for (int j = 0; j < CAROM_NR; ++j) {
        for (int i = 0; i < CAROM_NV; ++i) {
            x[i] += F[j][i] * r[j];
        }
    }
    return status;
}
#endif
#endif
#endif
#endif

#endif
