/* Motion in fixed modes (THEORY 7.1): what each contact does (free, closed, stick, slip), and the forces, accelerations
 * and projections that belong to it, over the operators of any model. Asks for CAROM(configure), forces, solve_mass,
 * and with rows rates, rows, bias, push, delassus_on, of friction the tables contact_of, tangents, has_displacement;
 * CAROM_NEWTON: 1 when the stages are solved by Newton, with CAROM(jacobian). See carom/algorithm.h. */
#ifndef CAROM_MODES_H
#define CAROM_MODES_H

#include "algorithm.h"
#include "dense.h"
#include "model.h"

#define CAROM_CONFIG CAROM(config)
#define CAROM_POINT CAROM(point)
#define CAROM_MODES CAROM(modes)
#define CAROM_SENSITIVITIES CAROM(sensitivities)

/* A state with everything that is known about it in the current modes. */
typedef struct {
    double t, q[CAROM_NQ], v[CAROM_NV], a[CAROM_NV];
    double r[CAROM_LENGTH(CAROM_NR)], U[CAROM_LENGTH(CAROM_NR)]; /* contact forces and gap rates */
    CAROM_CONFIG c;
} CAROM_POINT;

/* Modes of the contacts; per tangential row the direction of sliding and the displacement at which a sticking one
 * holds on. */
typedef struct {
    unsigned char of[CAROM_LENGTH(CAROM_NC)];
    double slip[CAROM_NT + 1], anchor[CAROM_NT + 1];
#if CAROM_D == 3
    /* slides straight on: the direction is that of the start of the step, so that the step may pass a stop */
    bool straight[CAROM_NC];
#endif
} CAROM_MODES;

/* Rates and gaps that count as zero, beside the scales of the motion. */
static inline double CAROM(slow)(const CAROM_STATE *s) { return CAROM_RATE_ZERO * s->speed; }

static inline double CAROM(close)(const CAROM_STATE *s) { return CAROM_GAP_ZERO * s->length; }

static inline bool CAROM(frictional)(const CAROM_STATE *s)
{
#if CAROM_NT > 0
    return s->derived.frictional;
#else
    (void)s;
    return false;
#endif
}

#if CAROM_NR > 0
/* Rows whose second derivative is kept at zero: bilateral ones, normals of closed contacts, tangents of sticking. */
static inline int CAROM(kept_rows)(const CAROM_MODES *m, int *rows)
{
    int n = 0;
    for (int j = 0; j < CAROM_NE; ++j) {
        rows[n++] = j;
    }
    for (int k = 0; k < CAROM_NC; ++k) {
        if (m->of[k] != CAROM_CONTACT_OPEN) {
            rows[n++] = CAROM_NE + k;
        }
    }
#if CAROM_NT > 0
    for (int k = 0; k < CAROM_NT; ++k) {
        if (m->of[CAROM(contact_of)[k] - CAROM_NE] == CAROM_CONTACT_STICK) {
            rows[n++] = CAROM_NG + k;
        }
    }
#endif
    return n;
}

/* Rows that carry force in these modes: those kept, and the tangents of sliding contacts. */
static inline void CAROM(loaded_rows)(const CAROM_MODES *m, bool *set)
{
    for (int j = 0; j < CAROM_NG; ++j) {
        set[j] = j < CAROM_NE || m->of[j - CAROM_NE] != CAROM_CONTACT_OPEN;
    }
#if CAROM_NT > 0
    for (int k = 0; k < CAROM_NT; ++k) {
        set[CAROM_NG + k] = m->of[CAROM(contact_of)[k] - CAROM_NE] >= CAROM_CONTACT_STICK;
    }
#endif
}

/* r in fixed modes: (W r + b)_R = 0 on the kept rows R, r_T = -mu slip r_N where a contact slides. Redundant normals
 * get r = 0, redundant tangents and bilateral rows share the load. A sliding contact whose pivot is not positive has
 * no finite force: CAROM_PAINLEVE. */
static inline carom_status CAROM(mode_solve)(const CAROM_STATE *s, CAROM_CONFIG *c, const CAROM_MODES *m,
                                             const double *b, double *r, carom_info *info)
{
    int rows[CAROM_NR];
    bool set[CAROM_NR], share[CAROM_NR];
    double K[CAROM_NR * CAROM_NR], x[CAROM_NR];
    const int n = CAROM(kept_rows)(m, rows);
    (void)info;
    for (int j = 0; j < CAROM_NR; ++j) {
        r[j] = 0.0;
    }
    if (n == 0) {
        return CAROM_OK;
    }
    CAROM(loaded_rows)(m, set);
    const double *const W = CAROM(delassus_on)(s, c, set);
    for (int i = 0; i < n; ++i) {
        x[i] = -b[rows[i]];
        share[i] = rows[i] < CAROM_NE || rows[i] >= CAROM_NG;
        for (int j = 0; j < n; ++j) {
            double w = W[rows[i] * CAROM_NR + rows[j]];
#if CAROM_NT > 0
            if (rows[j] >= CAROM_NE && rows[j] < CAROM_NG && m->of[rows[j] - CAROM_NE] == CAROM_CONTACT_SLIP) {
                for (int l = 0; l < CAROM_D - 1; ++l) {
                    const int k = CAROM(tangents)[rows[j] - CAROM_NE][l];
                    if (k >= 0) {
                        w -= s->derived.mu[rows[j] - CAROM_NE] * m->slip[k - CAROM_NG] * W[rows[i] * CAROM_NR + k];
                    }
                }
                if (i == j && !(w > CAROM_PIVOT_ZERO * W[rows[i] * CAROM_NR + rows[i]])) {
                    info->contact = rows[j];
                    info->residual = w;
                    return CAROM_PAINLEVE;
                }
            }
#endif
            K[i * n + j] = w;
        }
    }
    carom_rank_solve(n, K, x, share);
    for (int i = 0; i < n; ++i) {
        r[rows[i]] = x[i];
    }
#if CAROM_NT > 0
    for (int k = 0; k < CAROM_NT; ++k) {
        const int j = CAROM(contact_of)[k];
        if (m->of[j - CAROM_NE] == CAROM_CONTACT_SLIP) {
            r[CAROM_NG + k] = -s->derived.mu[j - CAROM_NE] * m->slip[k] * r[j];
        }
    }
#endif
    return CAROM_OK;
}
#endif

#if CAROM_D == 3
/* Directions of sliding that belong to the velocities U, where these do not point back from those of m. */
static inline void CAROM(turn)(const CAROM_STATE *s, const CAROM_MODES *m, const double *U, CAROM_MODES *turned)
{
    (void)s;
    for (int k = 0; k < CAROM_NC; ++k) {
        double speed = 0.0, along = 0.0;
        for (int l = 0; l < CAROM_D - 1 && m->of[k] == CAROM_CONTACT_SLIP && !m->straight[k]; ++l) {
            const int row = CAROM(tangents)[k][l];
            speed = row >= 0 ? hypot(speed, U[row]) : speed;
            along += row >= 0 ? m->slip[row - CAROM_NG] * U[row] : 0.0;
        }
        for (int l = 0; l < CAROM_D - 1 && along > CAROM(slow)(s); ++l) {
            const int row = CAROM(tangents)[k][l];
            if (row >= 0) {
                turned->slip[row - CAROM_NG] = U[row] / speed;
            }
        }
    }
}
#endif

/* M a = h + D r with the kept rows G a + gam = 0. */
static inline carom_status CAROM(mode_acceleration)(CAROM_STATE *s, CAROM_CONFIG *c, const CAROM_MODES *m,
                                                    const double *v, double *a, double *r, carom_info *info)
{
    ++s->counts.evaluations;
    CAROM(forces)(s, c, v, a);
    CAROM(solve_mass)(s, c, a);
    s->acceleration = 0.0; /* size of the free acceleration, for relative tolerances: a body that sticks has a = 0 */
    for (int i = 0; i < CAROM_NV; ++i) {
        s->acceleration = fmax(s->acceleration, fabs(a[i]));
    }
#if CAROM_NR > 0
    double gam[CAROM_NR], b[CAROM_NR];
    bool set[CAROM_NR];
    CAROM(bias)(s, c, v, gam);
    CAROM(rows)(s, c, a, b);
    for (int j = 0; j < CAROM_NR; ++j) {
        b[j] += gam[j];
    }
#if CAROM_D == 3
    CAROM_MODES turned =
        *m; /* in space the direction of sliding turns with the velocity; beyond a stop it goes on as it was */
    double U[CAROM_NR];
    CAROM(rates)(s, c, v, U);
    CAROM(turn)(s, m, U, &turned);
    m = &turned;
#endif
    const carom_status status = CAROM(mode_solve)(s, c, m, b, r, info);
    if (status == CAROM_OK) {
        CAROM(loaded_rows)(m, set);
        CAROM(push)(s, c, set, r, a);
    }
    return status;
#else
    (void)m;
    (void)r;
    (void)info;
    return CAROM_OK;
#endif
}

/* da/dq and da/dv in fixed modes: M da + K dq + C dv - D dr = 0, and G da + Kc dq + Cc dv = 0 on the kept rows. */
typedef struct {
    double dq[CAROM_NV][CAROM_NV], dv[CAROM_NV][CAROM_NV];
} CAROM_SENSITIVITIES;

#if CAROM_NEWTON > 0
#if CAROM_D == 3
/* Friction turns with the velocity: r_T = -mu r_N U_T/|U_T|, so C += mu r_N G_T^T (1 - t t^T)/|U_T| G_T with t the
 * direction. Slow sliding makes this as stiff as one likes; how G_T itself turns is left out. */
static inline void CAROM(turning)(const CAROM_STATE *s, const CAROM_MODES *m, const CAROM_POINT *at,
                                  double C[CAROM_NV][CAROM_NV])
{
    double G[CAROM_NV][CAROM_NR];
    bool any = false;
    for (int k = 0; k < CAROM_NC; ++k) {
        any = any || m->of[k] == CAROM_CONTACT_SLIP;
    }
    for (int i = 0; i < CAROM_NV && any; ++i) { /* by columns */
        double x[CAROM_NV] = {0.0};
        x[i] = 1.0;
        CAROM(rows)(s, &at->c, x, G[i]);
    }
    for (int k = 0; k < CAROM_NC; ++k) {
        const int *const row = CAROM(tangents)[k];
        if (m->of[k] != CAROM_CONTACT_SLIP || m->straight[k] || row[1] < 0) {
            continue;
        }
        const double speed = hypot(at->U[row[0]], at->U[row[1]]), t0 = m->slip[row[0] - CAROM_NG],
                     t1 = m->slip[row[1] - CAROM_NG];
        const double weight = speed > CAROM(slow)(s) ? s->derived.mu[k] * fmax(at->r[CAROM_NE + k], 0.0) / speed : 0.0;
        for (int i = 0; i < CAROM_NV; ++i) { /* (1 - t t^T) = n n^T with n across the direction of sliding */
            const double across = weight * (t0 * G[i][row[1]] - t1 * G[i][row[0]]);
            for (int j = 0; j < CAROM_NV; ++j) {
                C[i][j] += across * (t0 * G[j][row[1]] - t1 * G[j][row[0]]);
            }
        }
    }
}
#endif

/* The same for all columns. */
static inline carom_status CAROM(mode_sensitivity)(CAROM_STATE *s, const CAROM_MODES *m, const CAROM_POINT *at,
                                                   CAROM_SENSITIVITIES *out, carom_info *info)
{
    double K[CAROM_NV][CAROM_NV] = {{0.0}}, C[CAROM_NV][CAROM_NV] = {{0.0}};
#if CAROM_NR > 0
    double Kc[CAROM_NR][CAROM_NV] = {{0.0}}, Cc[CAROM_NR][CAROM_NV] = {{0.0}};
    bool set[CAROM_NR];
    CAROM(loaded_rows)(m, set);
#else
    (void)m;
    (void)info;
#endif
    CAROM_CONFIG c_copy = at->c, *const c = &c_copy;
#if CAROM_NR > 0
    CAROM(jacobian)(s, c, at->t, at->q, at->v, at->a, at->r, K, C, Kc, Cc);
#else
    CAROM(jacobian)(s, c, at->t, at->q, at->v, at->a, at->r, K, C, NULL, NULL);
#endif

#if CAROM_D == 3
    CAROM(turning)(s, m, at, C);
#endif
    for (int part = 0; part < 2; ++part) {
        for (int k = 0; k < CAROM_NV; ++k) {
            double x[CAROM_NV];
            for (int i = 0; i < CAROM_NV; ++i) {
                x[i] = part == 0 ? -K[i][k] : -C[i][k];
            }
            CAROM(solve_mass)(s, c, x);
#if CAROM_NR > 0
            double b[CAROM_NR], dr[CAROM_NR];
            CAROM(rows)(s, c, x, b);
            for (int j = 0; j < CAROM_NR; ++j) {
                b[j] += part == 0 ? Kc[j][k] : Cc[j][k];
            }
            const carom_status status = CAROM(mode_solve)(s, c, m, b, dr, info);
            if (status != CAROM_OK) {
                return status;
            }
            CAROM(push)(s, c, set, dr, x);
#endif
            for (int i = 0; i < CAROM_NV; ++i) {
                if (part == 0) {
                    out->dq[i][k] = x[i];
                } else {
                    out->dv[i][k] = x[i];
                }
            }
        }
    }
    return CAROM_OK;
}
#endif

#if CAROM_NT > 0
/* Contact k begins to stick here. */
static inline void CAROM(hold_on)(CAROM_MODES *m, int k, const CAROM_POINT *p)
{
    for (int l = 0; l < CAROM_NT; ++l) {
        if (CAROM(contact_of)[l] == CAROM_NE + k) {
            m->anchor[l] = p->c.slide[l];
        }
    }
}
#endif

#if CAROM_NR > 0
/* Puts q on g = 0 of closed contacts and bilateral rows (a few sweeps, metric of M), v on U = 0 of the kept rows. */
static inline carom_status CAROM(mode_project)(CAROM_STATE *s, const CAROM_MODES *m, CAROM_POINT *p, carom_info *info)
{
    CAROM_MODES normals = *m; /* a sliding contact is held along its normal */
    bool set[CAROM_NR];
    double tau[CAROM_NR], b[CAROM_NR];
    for (int k = 0; k < CAROM_NC; ++k) {
        normals.of[k] = m->of[k] == CAROM_CONTACT_SLIP ? CAROM_CONTACT_CLOSED : m->of[k];
    }
    CAROM(loaded_rows)(&normals, set);
    for (int sweep = 0; sweep < CAROM_SWEEPS; ++sweep) {
        double worst = 0.0;
        for (int j = 0; j < CAROM_NR; ++j) {
            b[j] = j < CAROM_NG && set[j] ? p->c.g[j] : 0.0;
#if CAROM_NT > 0
            if (j >= CAROM_NG && set[j] && CAROM(has_displacement)[j - CAROM_NG]) { /* stays where it holds on */
                b[j] = p->c.slide[j - CAROM_NG] - m->anchor[j - CAROM_NG];
            }
#endif
            worst = fmax(worst, fabs(b[j]));
        }
        if (worst <= CAROM_PLACE_ROUNDING * s->length) {
            break;
        }
        carom_status status = CAROM(mode_solve)(s, &p->c, &normals, b, tau, info);
#if CAROM_NB == 0
        CAROM(push)(s, &p->c, set, tau, p->q);
#else
        double dx[CAROM_NV] = {0.0};
        CAROM(push)(s, &p->c, set, tau, dx);
        for (int i = 0; i < CAROM_NS; ++i) {
            p->q[i] += dx[i];
        }
        for (int k = 0; k < CAROM_NB; ++k) {
            carom_quaternion_turn(p->q + CAROM_NS + 4 * k, dx + CAROM_NS + 3 * k, p->q + CAROM_NS + 4 * k);
        }
#endif
        if (status == CAROM_OK) {
            status = CAROM(configure)(s, p->t, p->q, &p->c);
        }
        if (status != CAROM_OK) {
            return status;
        }
    }
    CAROM(rates)(s, &p->c, p->v, b);
    const carom_status status = CAROM(mode_solve)(s, &p->c, &normals, b, tau, info);
    CAROM(push)(s, &p->c, set, tau, p->v);
    return status;
}
#endif

/* Acceleration, forces and rates of a point. */
static inline carom_status CAROM(mode_evaluate)(CAROM_STATE *s, const CAROM_MODES *m, CAROM_POINT *p, carom_info *info)
{
#if CAROM_NR > 0
    CAROM(rates)(s, &p->c, p->v, p->U);
#endif
    return CAROM(mode_acceleration)(s, &p->c, m, p->v, p->a, p->r, info);
}

#endif
