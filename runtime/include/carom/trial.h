/* The trial step of event capturing: one step of length x of a Runge-Kutta or D+- method in fixed modes,
 *
 *     V_l = v + x sum A_lk a_k,   Q_l = q + x (c_l v + x sum B_lk a_k),
 *     v+  = v + x sum b_k a_k,    q+  = q + x (v + x sum bb_k a_k)
 *
 * (bodies turn by collocation with Aq), then projection on what the modes hold. Asks, besides carom/modes.h, for
 *
 *     CAROM_METHOD_STAGES             how many stages
 *     CAROM_COUPLED                   1: the solved stages are an implicit system, 0: each needs those before it
 *     CAROM_SOLVED, CAROM(solved)     how many of them, and which, are solved; others are the start itself
 *     CAROM_AFTER, CAROM(after)       those that follow when these are known
 *     CAROM(stage_nodes), stage_A, stage_B, stage_Aq, end_b, end_bb     the coefficients
 *     CAROM_TOL, CAROM_ITERATIONS     when a coupled system is solved, and after how many iterations it is given up
 *     CAROM_ADAPTIVE                  1: differences to an embedded method are kept in s->estimate_q, _v,
 *     CAROM(estimate_v), estimate_q   with these weights; the last of estimate_v is for the acceleration at the start
 *
 * See carom/algorithm.h. */
#ifndef CAROM_TRIAL_H
#define CAROM_TRIAL_H

#include "algorithm.h"
#include "modes.h"
#include "settled.h"

typedef double CAROM(stage_values)[CAROM_METHOD_STAGES][CAROM_NV];

/* sum w_k a_k over the first n stages; zero weights, of which many methods have some, are not multiplied */
static inline void CAROM(weighted)(int n, const double *w, CAROM(stage_values) a, double *sum)
{
    for (int i = 0; i < CAROM_NV; ++i) {
        sum[i] = 0.0;
    }
    for (int k = 0; k < n; ++k) {
        if (w[k] != 0.0) {
            for (int i = 0; i < CAROM_NV; ++i) {
                sum[i] += w[k] * a[k][i];
            }
        }
    }
}

#if CAROM_NB > 0
/* Quaternions of the bodies at the stages and at the end, by collocation with the angular velocities of the stages. */
static inline void CAROM(turn_bodies)(const double *q, const double *v, CAROM(stage_values) a, double x,
                                      double turned[CAROM_METHOD_STAGES][4 * CAROM_NB], double *end)
{
    double moved[CAROM_METHOD_STAGES][CAROM_NV];
    for (int l = 0; l < CAROM_METHOD_STAGES; ++l) {
        CAROM(weighted)(CAROM_METHOD_STAGES, CAROM(stage_A)[l], a, moved[l]);
    }
    for (int k = 0; k < CAROM_NB; ++k) {
        const double *const at = q + CAROM_NS + 4 * k;
        double Q[CAROM_METHOD_STAGES][4], spin[CAROM_METHOD_STAGES][3];
        for (int l = 0; l < CAROM_METHOD_STAGES; ++l) {
            for (int j = 0; j < 3; ++j) {
                const int i = CAROM_NS + 3 * k + j;
                spin[l][j] = v[i] + x * moved[l][i];
            }
        }
        carom_quaternion_stages(CAROM_METHOD_STAGES, &CAROM(stage_Aq)[0][0], at, &spin[0][0], x, &Q[0][0]);
        carom_quaternion_end(CAROM_METHOD_STAGES, CAROM(end_b), at, &spin[0][0], &Q[0][0], x, end + CAROM_NS + 4 * k);
        for (int l = 0; l < CAROM_METHOD_STAGES; ++l) {
            for (int j = 0; j < 4; ++j) {
                turned[l][4 * k + j] = Q[l][j];
            }
        }
    }
}
#endif

/* What a trial step works on: accelerations and forces of the stages. */
typedef struct {
    CAROM(stage_values) a;
    double r[CAROM_METHOD_STAGES][CAROM_LENGTH(CAROM_NR)];
#if CAROM_NB > 0
    double turned[CAROM_METHOD_STAGES][4 * CAROM_NB];
#endif
} CAROM_STAGE_WORK;

/* Acceleration and forces of stage l in the modes m, from the accelerations known so far; c: where it is evaluated. */
static inline carom_status CAROM(stage)(CAROM_STATE *s, const CAROM_MODES *m, const CAROM_POINT *p, double x, int l,
                                        CAROM_STAGE_WORK *work, CAROM_CONFIG *c, double *a, carom_info *info)
{
    const double node = CAROM(stage_nodes)[l];
    const int known = CAROM_COUPLED > 0 ? CAROM_METHOD_STAGES : l;
    double V[CAROM_NV], Q[CAROM_NQ], sum[CAROM_NV];
    CAROM(weighted)(known, CAROM(stage_A)[l], work->a, sum);
    for (int i = 0; i < CAROM_NV; ++i) {
        V[i] = p->v[i] + x * sum[i];
    }
    CAROM(weighted)(known, CAROM(stage_B)[l], work->a, sum);
    for (int i = 0; i < CAROM_NS; ++i) {
        Q[i] = p->q[i] + x * (node * p->v[i] + x * sum[i]);
    }
#if CAROM_NB > 0
    for (int k = 0; k < 4 * CAROM_NB; ++k) {
        Q[CAROM_NS + k] = work->turned[l][k];
    }
#endif
    const carom_status status = CAROM(configure)(s, p->t + node * x, Q, c);
    return status == CAROM_OK ? CAROM(mode_acceleration)(s, c, m, V, a, work->r[l], info) : status;
}

#if CAROM_COUPLED > 0
/* Solves the coupled stages: fixed point, or Newton with the sensitivities J of the start. */
static inline carom_status CAROM(solve_stages)(CAROM_STATE *s, const CAROM_MODES *m, const CAROM_POINT *p,
                                               const CAROM_SENSITIVITIES *J, double x, CAROM_STAGE_WORK *work,
                                               CAROM_CONFIG *c, double *turned_end, carom_info *info)
{
    enum { N = CAROM_SOLVED * CAROM_NV };
    double change = HUGE_VAL, fast = 0.0;
    (void)J;
    (void)turned_end;
    for (int i = 0; i < CAROM_NV; ++i) {
        fast = fmax(fast, fabs(p->v[i]));
    }
#if CAROM_NEWTON > 0
    double B[N * N];
    int pivot[N];
    for (int l = 0; l < CAROM_SOLVED; ++l) {
        for (int k = 0; k < CAROM_SOLVED; ++k) {
            const double wv = CAROM(stage_A)[CAROM(solved)[l]][CAROM(solved)[k]];
            const double wq = CAROM(stage_B)[CAROM(solved)[l]][CAROM(solved)[k]];
            for (int i = 0; i < CAROM_NV; ++i) {
                for (int j = 0; j < CAROM_NV; ++j) {
                    B[(l * CAROM_NV + i) * N + k * CAROM_NV + j] =
                        (l == k && i == j ? 1.0 : 0.0) - x * wv * J->dv[i][j] - x * x * wq * J->dq[i][j];
                }
            }
        }
    }
    if (!carom_lu_factor(N, B, pivot)) {
        return CAROM_STAGES;
    }
#endif
    for (int iteration = 0; iteration < CAROM_ITERATIONS; ++iteration) {
        double norm = 0.0, size = 0.0, defect = 0.0, residual[CAROM_SOLVED][CAROM_NV];
#if CAROM_NB > 0
        CAROM(turn_bodies)(p->q, p->v, work->a, x, work->turned, turned_end);
#endif
        for (int n = 0; n < CAROM_SOLVED; ++n) {
            double a[CAROM_NV];
            const int l = CAROM(solved)[n];
            const carom_status status = CAROM(stage)(s, m, p, x, l, work, c, a, info);
            if (status != CAROM_OK) {
                return status;
            }
            for (int i = 0; i < CAROM_NV; ++i) {
                size = fmax(size, fabs(a[i]));
                residual[n][i] = a[i] - work->a[l][i];
#if CAROM_NEWTON == 0
                norm = fmax(norm, fabs(residual[n][i]));
                work->a[l][i] = a[i]; /* the next stage takes it already */
#endif
            }
        }
#if CAROM_NEWTON > 0
        for (int n = 0; n < CAROM_SOLVED; ++n) {
            for (int i = 0; i < CAROM_NV; ++i) {
                defect = fmax(defect, fabs(residual[n][i]));
            }
        }
        carom_lu_solve(N, B, pivot, &residual[0][0]);
        for (int n = 0; n < CAROM_SOLVED; ++n) {
            for (int i = 0; i < CAROM_NV; ++i) {
                work->a[CAROM(solved)[n]][i] += residual[n][i];
                norm = fmax(norm, fabs(residual[n][i]));
            }
        }
#endif
        /* rounding of the velocities, on which the direction of slow sliding depends without bound */
        const bool exhausted = norm >= 0.5 * change && x * norm <= CAROM_SPEED_ROUNDING * fast;
        if (exhausted || carom_settled(norm, &change, size, CAROM_FREE_SHARE * s->acceleration, defect, CAROM_TOL,
                                       CAROM_STAGNATION)) {
            return CAROM_OK;
        }
    }
    info->iterations = CAROM_ITERATIONS;
    info->residual = change;
    return CAROM_STAGES;
}
#endif

/* One step of length x in fixed modes from p to end, then projection; impulse gets the impulses of the contact forces.
 * J: with CAROM_NEWTON the sensitivities at p. */
static inline carom_status CAROM(trial)(CAROM_STATE *s, const CAROM_MODES *m, const CAROM_POINT *p,
                                        const CAROM_SENSITIVITIES *J, double x, CAROM_POINT *end, double *impulse,
                                        carom_info *info)
{
    CAROM_STAGE_WORK work;
    carom_status status = CAROM_OK;
    for (int l = 0; l < CAROM_METHOD_STAGES; ++l) {
        for (int i = 0; i < CAROM_NV; ++i) {
            work.a[l][i] = p->a[i]; /* first guess, and stage 0 where it is the start */
        }
        for (int j = 0; j < CAROM_NR; ++j) {
            work.r[l][j] = p->r[j];
        }
    }
#if CAROM_COUPLED > 0
    status = CAROM(solve_stages)(s, m, p, J, x, &work, &end->c, end->q, info);
#else
    (void)J;
    for (int n = 0; n < CAROM_SOLVED && status == CAROM_OK; ++n) {
        const int l = CAROM(solved)[n];
#if CAROM_NB > 0
        CAROM(turn_bodies)(p->q, p->v, work.a, x, work.turned, end->q);
#endif
        status = CAROM(stage)(s, m, p, x, l, &work, &end->c, work.a[l], info);
    }
#endif
    if (status != CAROM_OK) {
        return status;
    }
#if CAROM_NB > 0
    CAROM(turn_bodies)(p->q, p->v, work.a, x, work.turned, end->q);
#endif
#if CAROM_AFTER > 0
    for (int n = 0; n < CAROM_AFTER; ++n) { /* explicit once the others are known */
        const int l = CAROM(after)[n];
        status = CAROM(stage)(s, m, p, x, l, &work, &end->c, work.a[l], info);
        if (status != CAROM_OK) {
            return status;
        }
    }
#endif
    double sum[CAROM_NV];
    CAROM(weighted)(CAROM_METHOD_STAGES, CAROM(end_bb), work.a, sum);
    for (int i = 0; i < CAROM_NS; ++i) {
        end->q[i] = p->q[i] + x * (p->v[i] + x * sum[i]);
    }
    CAROM(weighted)(CAROM_METHOD_STAGES, CAROM(end_b), work.a, sum);
    for (int i = 0; i < CAROM_NV; ++i) {
        end->v[i] = p->v[i] + x * sum[i];
        if (!(fabs(end->v[i]) < HUGE_VAL)) {
            return CAROM_NOT_FINITE;
        }
    }
#if CAROM_ADAPTIVE > 0
    CAROM(weighted)
    (CAROM_METHOD_STAGES, CAROM(estimate_q), work.a, s->estimate_q); /* embedded quadrature on the same stages */
    CAROM(weighted)(CAROM_METHOD_STAGES, CAROM(estimate_v), work.a, s->estimate_v);
    for (int i = 0; i < CAROM_NV; ++i) {
        s->estimate_q[i] = x * (x * s->estimate_q[i]);
        s->estimate_v[i] = x * (s->estimate_v[i] + CAROM(estimate_v)[CAROM_METHOD_STAGES] * p->a[i]);
    }
#endif
    for (int j = 0; j < CAROM_NR; ++j) {
        double force = 0.0;
        for (int l = 0; l < CAROM_METHOD_STAGES; ++l) {
            force += CAROM(end_b)[l] * work.r[l][j];
        }
        impulse[j] = x * force;
    }
    end->t = p->t + x;
    status = CAROM(configure)(s, end->t, end->q, &end->c);
#if CAROM_NR > 0
    if (status == CAROM_OK) {
        double raw[CAROM_NV], left = 0.0, moved = 0.0, size = s->speed;
        for (int i = 0; i < CAROM_NV; ++i) {
            raw[i] = end->v[i];
        }
        status = CAROM(mode_project)(s, m, end, info);
        for (int i = 0; i < CAROM_NV; ++i) {
            left = fmax(left, fabs(end->v[i] - raw[i]));
            moved = fmax(moved, fabs(raw[i] - p->v[i]));
            size = fmax(size, fabs(p->v[i]));
        }
        bool apart = false;
        for (int j = 0; j < CAROM_NG; ++j) {
            const bool held = j < CAROM_NE || m->of[j - CAROM_NE] != CAROM_CONTACT_OPEN;
            apart = apart || (held && !(fabs(end->c.g[j]) <= CAROM_APART * s->length));
        }
        /* the stages do not see where the rows turn to: a shorter step does */
        if (status == CAROM_OK && (apart || left > fmax(CAROM_PULLED * moved, CAROM_PULLED_SPEED * size))) {
            info->residual = left;
            return CAROM_STAGES;
        }
    }
#endif
    return status == CAROM_OK ? CAROM(mode_evaluate)(s, m, end, info) : status;
}

#endif
