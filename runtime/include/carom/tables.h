/* Operators and the contact problem of models in loops over tables: sparse, on patterns that the model's tables hold.
 * Contact problems are those of carom/contact.h, factors those of carom/kkt.h, both in s->work. Asks for these headers,
 * where operators of several stages are wanted for carom/stages.h, and
 *
 *     CAROM(tables), Gp, Gj  the patterns of the mass A (CAROM_NA values, its diagonal first) and of the rows G
 *     CAROM(Ai), Aj          places of the values of A; CAROM_DIAGONAL 1: there are none beside the diagonal
 *     CAROM_TABLES_BANDED    1: the tables have a band (carom/banded.h)
 *     CAROM_BANDED           2: contacts in a row whose W is s->derived.W (carom/in_a_row.h)
 *     CAROM(add_jacobian)    B += wv C + wq K, where operators other than the mass are asked for
 *     CAROM_TG               a gap below this is closed
 *     CAROM_NEWTON_STEP      1: operators M + wv C + wq K are asked for; CAROM_LINEAR 1: by the weights alone
 *     CAROM_STAGE_COUNT      of operators over several stages; 0: there are none
 *     CAROM_FIXED            1: problems in fixed modes are asked for
 *     CAROM_GROUPS           of rows at one point each (CAROM(group_of)); 0: all rows share theirs
 *     CAROM_ROWS_APART       1: these do not share G and M; CAROM_NGV entries of G
 *
 * and with friction or restitution of impulses (CAROM_REBOUND 1), where the law is more than an active set,
 *
 *     CAROM_CTOL, SOLVER     tolerance of the law; who solves it by name, NULL: chosen
 *     CAROM(contact_rows)    of the normal and the tangents of each contact, -1: none
 *     CAROM_GOES_ON          1: piles go on with what is not solved to tolerance, and count it
 *     CAROM_PARTS            of unknowns that operators do not couple: CAROM(part), part_first, part_member; 0: unknown
 *     CAROM_BREAKS           1: static friction, s->derived.kinetic is that of what breaks away
 *     CAROM_RIDES            1: contacts ride on others, carom/rides.h
 *     CAROM_BONDS            1: bonds of contacts, carom/bonds.h
 *     CAROM_ADHERES          1: adhesion of contacts, carom/adhesion.h
 *
 * See carom/algorithm.h. */
#ifndef CAROM_TABLES_H
#define CAROM_TABLES_H

#include "algorithm.h"

#define CAROM_CONFIG CAROM(config)

/* The direction of sliding is handed on only where there is friction, who has been hit where restitution is one of
 * impulses, modes that are fixed only where there are tangents. */
#if CAROM_NT > 0
#define CAROM_SLIDES const double *slide,
#define CAROM_SLIDE slide,
#define CAROM_NO_SLIDE NULL,
#define CAROM_GRIPS const bool *grip, const double *slide,
#else
#define CAROM_SLIDES
#define CAROM_SLIDE
#define CAROM_NO_SLIDE
#define CAROM_GRIPS
#endif
#if CAROM_REBOUND > 0
#define CAROM_TELLS CAROM_SLIDES const bool *hit,
#define CAROM_TELL CAROM_SLIDE hit,
#define CAROM_TELL_NOBODY CAROM_SLIDE NULL,
#define CAROM_TELL_NOTHING CAROM_NO_SLIDE NULL,
#else
#define CAROM_TELLS CAROM_SLIDES
#define CAROM_TELL CAROM_SLIDE
#define CAROM_TELL_NOBODY CAROM_SLIDE
#define CAROM_TELL_NOTHING CAROM_NO_SLIDE
#endif

#if CAROM_NR > 0
/* Rows that are found while running follow those that are written, in tables of the state. */
#if CAROM_FOUND > 0
#define CAROM_ROWS s->found.rows
#define CAROM_GP s->found.Gp
#define CAROM_GJ s->found.Gj
#define CAROM_CONTACT_ROWS s->found.row[0]
#define CAROM_RIDERS s->found.rides
#define CAROM_KINETIC s->found.kinetic
#define CAROM_GIVEN_BACK s->found.rebound
#else
#define CAROM_ROWS CAROM_NR
#define CAROM_GP CAROM(Gp)
#define CAROM_GJ CAROM(Gj)
#define CAROM_CONTACT_ROWS CAROM(contact_rows)
#define CAROM_RIDERS CAROM(rides)
#define CAROM_KINETIC s->derived.kinetic
#define CAROM_GIVEN_BACK s->derived.rebound
#endif

/* A x = f + G^T (r - carried), law(G x + b, r) on the rows of a set */
static inline carom_contact_problem CAROM(problem)(CAROM_STATE *s, const double *A, const CAROM_CONFIG *c, bool *set,
                                                   CAROM_TELLS const double *f, const double *b, const double *carried,
                                                   int how)
{
    (void)s;
    carom_contact_problem problem = {
        .tables = &CAROM(tables), .A = A, .rows = CAROM_ROWS, .Gp = CAROM_GP, .Gj = CAROM_GJ};
    problem.G = c->G;
    problem.gaps = CAROM_GAPS;
    problem.set = set;
    problem.f = f;
    problem.b = b;
    problem.carried = carried;
#if CAROM_FOUND > 0 && CAROM_GOES_ON > 0
    problem.how = how | CAROM_GO_ON;
#else
    problem.how = how;
#endif
#if CAROM_NT > 0 || CAROM_REBOUND > 0
    problem.contacts = CAROM_CONTACTS;
    problem.dimension = CAROM_D;
    problem.row = CAROM_CONTACT_ROWS;
    problem.solver = CAROM_SOLVER;
    problem.tolerance = CAROM_CTOL;
    problem.slow = CAROM_TS;
    problem.t = s->t;
    for (int i = 0; i < CAROM_NV; ++i) {
        problem.speed = fmax(problem.speed, fabs(s->v[i]));
    }
#if CAROM_NT > 0
    problem.mu = s->derived.frictional ? CAROM_MU : NULL;
    problem.slide = s->derived.frictional ? slide : NULL;
#endif
#if CAROM_RIDES > 0
    problem.rides = CAROM_RIDERS;
#endif
#if CAROM_BREAKS > 0
    problem.breaking = CAROM_MU;
    problem.kinetic = s->derived.frictional ? CAROM_KINETIC : NULL;
#endif
#if CAROM_REBOUND > 0
    problem.hit = hit;
    problem.rebound = CAROM_GIVEN_BACK;
    problem.energetic = CAROM(energetic);
#endif
#if CAROM_PARTS > 0
    problem.parts = CAROM_PARTS;
    problem.part = CAROM(part);
    problem.first = CAROM(part_first);
    problem.member = CAROM(part_member);
#endif
#endif
    return problem;
}

#if CAROM_BONDS > 0 || CAROM_ADHERES > 0
/* f += G_j^T r */
static inline void CAROM(add_row)(const CAROM_STATE *s, const CAROM_CONFIG *c, int j, double r, double *f)
{
    (void)s;
    for (int k = CAROM_GP[j]; k < CAROM_GP[j + 1]; ++k) {
        f[CAROM_GJ[k]] += c->G[k] * r;
    }
}
#endif
#if CAROM_BONDS > 0
#include "bonds.h"
#endif
#if CAROM_ADHERES > 0
#include "adhesion.h"
#endif

static inline carom_contact_space CAROM(space)(CAROM_STATE *s)
{
    carom_contact_space space = {.kkt = s->work.kkt,
                                 .ikkt = s->work.ikkt,
                                 .active = s->work.active,
                                 .factor = s->work.factor,
                                 .room = s->work.room,
                                 .size = sizeof s->work.room};
#if CAROM_TABLES_BANDED > 0
    space.banded = s->work.banded;
    space.ibanded = s->work.ibanded;
#endif
    return space;
}

static inline carom_status CAROM(obey)(CAROM_STATE *s, const carom_contact_problem *problem, double *x, double *r,
                                       carom_info *info, carom_counts *counts)
{
    carom_contact_space space = CAROM(space)(s);
#if CAROM_NT > 0 || CAROM_REBOUND > 0
    const carom_status status = carom_contact_solve(problem, &space, x, r, info, counts);
#else
    const carom_status status = carom_contact_active_set(problem, &space, x, r, info, counts);
#endif
    s->work.factor = space.factor;
#if CAROM_FOUND > 0 && CAROM_NT > 0
    carom_contact_keep(problem, s, &s->work.unsolved);
    if ((problem->how & CAROM_WITHIN) == 0) {
        s->found.left = space.left;
    }
#endif
    return status;
}

#if CAROM_BANDED > 0
#define CAROM_ROW_STATE CAROM_STATE
#include "in_a_row.h"
#endif

/* with the mass as operator; rhs, carried: NULL stands for 0. r holds the first guess. */
static inline carom_status CAROM(contact)(CAROM_STATE *s, const CAROM_CONFIG *c, bool *set,
                                          CAROM_TELLS const double *rhs, const double *b, const double *carried,
                                          int how, double *x, double *r, carom_info *info, carom_counts *counts)
{
#if CAROM_BANDED > 0
    _Static_assert(sizeof s->work.row_room == (CAROM_BAND_ROOM + CAROM_NG) * sizeof(double), "of a row");
    if (CAROM(in_a_row)(s, c, &s->derived.W[0][0], set, rhs, b, carried, false, x, r, s->work.in_row, s->work.row_room,
                        info, counts)) {
        return CAROM_OK;
    }
    for (int j = 0; j < CAROM_NG; ++j) {
        s->work.active[j] = set[j];
    }
#endif
    const carom_contact_problem problem = CAROM(problem)(s, c->A, c, set, CAROM_TELL rhs, b, carried, how);
    s->work.factor = CAROM_FACTOR_NONE;
    const carom_status status = CAROM(obey)(s, &problem, x, r, info, counts);
    s->work.factor = CAROM_FACTOR_NONE; /* it is the mass's: no other operator may take it for its own */
    return status;
}

/* The same with normals only, all of them equalities: G x + b = 0 on the set, in the metric of an operator. */
static inline carom_status CAROM(hold_by)(CAROM_STATE *s, const CAROM_CONFIG *c, const double *A, bool *set,
                                          const double *b, double *x, double *r)
{
    const carom_contact_problem problem = CAROM(problem)(s, A, c, set, CAROM_TELL_NOTHING NULL, b, NULL, 0);
    s->work.factor = CAROM_FACTOR_NONE;
    carom_contact_space space = CAROM(space)(s);
    const carom_status status = carom_contact_hold(&problem, &space, x, r, &(carom_info){-1, 0, 0.0});
    double worst = 0.0;
    for (int j = 0; j < CAROM_GAPS; ++j) {
        worst = set[j] ? fmax(worst, fabs(b[j])) : worst;
    }
    for (int i = 0; i < CAROM_NV && status == CAROM_CONTACT; ++i) {
        x[i] = 0.0;
    }
    /* rows that depend on each other disagree by rounding */
    return status == CAROM_CONTACT && worst <= CAROM_TG ? CAROM_OK : status;
}

static inline carom_status CAROM(hold)(CAROM_STATE *s, const CAROM_CONFIG *c, bool *set, const double *b, double *x,
                                       double *r)
{
    return CAROM(hold_by)(s, c, c->A, set, b, x, r);
}

#if CAROM_FIXED > 0
/* In fixed modes: G x + b = 0 of the set and of the tangents that grip, r_T = -mu slide r_N of contacts that slide. */
static inline carom_status CAROM(fix)(CAROM_STATE *s, const CAROM_CONFIG *c, bool *set, CAROM_GRIPS bool borne,
                                      const double *b, double *x, double *r, carom_info *info)
{
    const carom_contact_problem problem = CAROM(problem)(s, c->A, c, set, CAROM_TELL_NOBODY NULL, b, NULL, 0);
    carom_contact_space space = CAROM(space)(s);
    const bool *holds = NULL;
#if CAROM_NT > 0
    holds = s->derived.frictional ? grip : NULL;
#endif
    const carom_status status = carom_contact_fix(&problem, holds, borne, &space, x, r, info);
    s->work.factor = CAROM_FACTOR_NONE;
    return status;
}
#endif

/* f = G^T r on the rows of a set */
static inline void CAROM(spread)(const CAROM_STATE *s, const CAROM_CONFIG *c, const bool *set, const double *r,
                                 double *f)
{
    (void)s;
    for (int i = 0; i < CAROM_NV; ++i) {
        f[i] = 0.0;
    }
    for (int j = 0; j < CAROM_ROWS; ++j) {
        for (int k = CAROM_GP[j]; set[j] && k < CAROM_GP[j + 1]; ++k) {
            f[CAROM_GJ[k]] += c->G[k] * r[j];
        }
    }
}
#endif

/* y = M x */
static inline void CAROM(apply_mass)(const CAROM_STATE *s, const CAROM_CONFIG *c, const double *x, double *y)
{
    (void)s;
    for (int i = 0; i < CAROM_NV; ++i) { /* the first entries of A are its diagonal */
        y[i] = c->A[i] * x[i];
    }
#if CAROM_DIAGONAL == 0
    for (int k = CAROM_NV; k < CAROM_NA; ++k) {
        const int i = CAROM(Ai)[k], j = CAROM(Aj)[k];
        y[i] += c->A[k] * x[j];
        y[j] += c->A[k] * x[i];
    }
#endif
}

#if CAROM_STAGE_COUNT > 0
/* What operators of stages are told of modes: only which rows with a gap are held. */
#if CAROM_NR > 0
#if CAROM_D == 3
#define CAROM_HELD const double *r, const bool *on, CAROM_GRIPS const bool *follows,
#else
#define CAROM_HELD const double *r, const bool *on, CAROM_GRIPS
#endif
#else
#define CAROM_HELD
#endif

/* I x M + h A x C + h^2 Abar x K over the stages, where rows that carry force are held (tangents are not) */
static inline bool CAROM(stage_operator)(CAROM_STATE *s, const CAROM_CONFIG *c, double t, const double *q,
                                         const double *v, const double *a, CAROM_HELD double h, int stages,
                                         const double *A, const double *Abar, CAROM(stage_matrix) * S)
{
    double wv[CAROM_STAGE_COUNT * CAROM_STAGE_COUNT], wq[CAROM_STAGE_COUNT * CAROM_STAGE_COUNT];
    unsigned char held[CAROM_LENGTH(CAROM_NG)] = {0};
    for (int i = 0; i < stages * stages; ++i) {
        wv[i] = h * A[i];
        wq[i] = h * h * Abar[i];
    }
    for (int k = 0; k < CAROM_NA; ++k) {
        S->C[k] = 0.0;
        S->K[k] = 0.0;
    }
    CAROM(add_jacobian)(s, t, q, v, a, 1.0, 0.0, S->C);
    CAROM(add_jacobian)(s, t, q, v, a, 0.0, 1.0, S->K);
#if CAROM_NR > 0
    (void)r;
    for (int j = 0; j < CAROM_NG; ++j) {
        held[j] = on[j] ? 1 : 0;
    }
#if CAROM_NT > 0
    (void)grip;
    (void)slide;
#endif
#if CAROM_D == 3
    (void)follows;
#endif
#endif
    return carom_stages_factor(&CAROM(tables), stages, c->A, S->C, S->K, wv, wq, c->G, held, S->work, S->iwork) ==
           CAROM_OK;
}

/* x := S^-1 x, the stages one after another */
static inline void CAROM(solve_stages)(const CAROM_CONFIG *c, CAROM(stage_matrix) * S, int stages, double *x)
{
    carom_stages_solve(&CAROM(tables), stages, c->A, c->G, x, S->work, S->iwork);
}
#endif

#if CAROM_NEWTON_STEP > 0
/* A = M + wv C + wq K; where it depends on nothing but the weights, it stays with its factor while these do. */
static inline bool CAROM(operator)(CAROM_STATE *s, const CAROM_CONFIG *c, double t, const double *q, const double *v,
                                   const double *a, double wv, double wq, CAROM(matrix) * A)
{
#if CAROM_LINEAR > 0
    if (A->weight[0] == wv && A->weight[1] == wq) {
        return true;
    }
    A->weight[0] = wv;
    A->weight[1] = wq;
#endif
    s->work.factor = CAROM_FACTOR_NONE;
    for (int k = 0; k < CAROM_NA; ++k) {
        A->values[k] = c->A[k];
    }
    CAROM(add_jacobian)(s, t, q, v, a, wv, wq, A->values);
    return true;
}

/* x := A^-1 x */
static inline void CAROM(solve_in)(CAROM_STATE *s, const CAROM(matrix) * A, double *x)
{
    carom_info info;
    carom_status status = CAROM_OK;
    const double *const G = s->at[s->now].G; /* no row takes part */
    for (int i = 0; i < CAROM_NV; ++i) {
        s->work.dm[i] = x[i];
    }
    if (CAROM_NE > 0 || s->work.factor != CAROM_FACTOR_BILATERAL) {
        status = carom_kkt_factor(&CAROM(tables), A->values, G, NULL, s->work.kkt, s->work.ikkt);
    }
    if (status == CAROM_OK) {
        status = carom_kkt_factored_solve(&CAROM(tables), A->values, G, s->work.dm, NULL, x, s->work.dr, s->work.kkt,
                                          s->work.ikkt, &info);
    }
    s->work.factor = CAROM_NE == 0 && status == CAROM_OK ? CAROM_FACTOR_BILATERAL : CAROM_FACTOR_NONE;
    for (int i = 0; i < CAROM_NV && status != CAROM_OK; ++i) {
        x[i] = (double)NAN; /* the step will not accept this */
    }
}

#if CAROM_NR > 0
static inline carom_status CAROM(hold_in)(CAROM_STATE *s, const CAROM_CONFIG *c, const CAROM(matrix) * A, bool *set,
                                          const double *b, double *x, double *r)
{
    const carom_status status = CAROM(hold_by)(s, c, A->values, set, b, x, r);
    return status == CAROM_SINGULAR_MASS ? CAROM_STAGES : status;
}

/* The contact problem with an operator instead of the mass. */
static inline carom_status CAROM(contact_in)(CAROM_STATE *s, const CAROM_CONFIG *c, const CAROM(matrix) * A, bool *set,
                                             CAROM_TELLS const double *rhs, const double *b, const double *carried,
                                             int how, double *x, double *r, carom_info *info, carom_counts *counts)
{
    const carom_contact_problem problem = CAROM(problem)(s, A->values, c, set, CAROM_TELL rhs, b, carried, how);
    const carom_status status = CAROM(obey)(s, &problem, x, r, info, counts);
    return status == CAROM_SINGULAR_MASS ? CAROM_STAGES : status;
}
#endif
#endif

#if CAROM_GROUPS > 0 && CAROM_NR > 0
/* Takes the rows of a group at the point where y->at is now. */
static inline void CAROM(take)(const CAROM_STATE *s, int group, CAROM(points) * y)
{
    (void)s;
    for (int j = 0; j < CAROM_NR; ++j) {
        if (CAROM(group_of)[j] == group) {
            y->g[j] = y->at.g[j];
#if CAROM_ROWS_APART > 0
            for (int k = CAROM(Gp)[j]; k < CAROM(Gp)[j + 1]; ++k) {
                y->G[k] = y->at.G[k];
            }
#endif
        }
    }
}

#if CAROM_ROWS_APART > 0
#if CAROM_NEWTON_STEP > 0
#define CAROM_APART_IN CAROM(matrix)
#define CAROM_APART_VALUES A->values
#else
#define CAROM_APART_IN CAROM_CONFIG
#define CAROM_APART_VALUES A->A
#endif
/* A x = rhs + F^T r, G x + b of rows at points of their own; forces of bilateral rows along G(before): those that r
 * holds, of the last iteration, are turned there, so that the problem stays symmetric. */
static inline carom_status CAROM(contact_apart)(CAROM_STATE *s, const CAROM_APART_IN *A, CAROM(points) * y,
                                                const CAROM_CONFIG *before, bool *set, const double *rhs,
                                                const double *b, double *x, double *r, carom_info *info,
                                                carom_counts *counts)
{
    double *const f = s->work.dm;
    (void)before; /* without bilateral rows */
    for (int i = 0; i < CAROM_NV; ++i) {
        f[i] = rhs[i];
    }
    for (int j = 0; j < CAROM_NE; ++j) {
        for (int k = CAROM(Gp)[j]; k < CAROM(Gp)[j + 1]; ++k) {
            f[CAROM(Gj)[k]] += (before->G[k] - y->G[k]) * r[j];
        }
    }
    for (int k = 0; k < CAROM_NGV; ++k) {
        y->at.G[k] = y->G[k];
    }
    const carom_contact_problem problem = CAROM(problem)(s, CAROM_APART_VALUES, &y->at, set, f, b, NULL, 0);
    s->work.factor = CAROM_FACTOR_NONE;
    const carom_status status = CAROM(obey)(s, &problem, x, r, info, counts);
    return status == CAROM_SINGULAR_MASS ? CAROM_STAGES : status;
}
#endif
#endif

#endif
