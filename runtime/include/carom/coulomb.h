/* Coulomb's law on a few rows, from a full Delassus matrix W: closed forms for one and two contacts, else a dense
 * problem for the solvers of carom/friction.h, in s->work.room; bilateral rows are eliminated. Asks for the tables
 * contact_of (row of the contact of each tangential row) and tangents (tangential rows of each contact, -1: none),
 * s->derived.mu, CAROM(slip), CAROM(keep) of carom/complementarity.h, and
 *
 *     CAROM_SEVERAL                    1: there may be more to solve than the closed forms of one contact
 *     CAROM_SOLVER_AUTO, CAROM_SOLVER  1: closed forms, known modes, then a portfolio; 0: the solver of this name
 *     CAROM_CTOL, CAROM_FLOOR          its tolerance; and of the speeds of the model, what rounding leaves of it
 *     CAROM_TS                         slip below this counts as sticking
 *
 * The file that includes it has included carom/friction.h and, with bilateral rows, carom/dense.h. See
 * carom/algorithm.h. */
#ifndef CAROM_COULOMB_H
#define CAROM_COULOMB_H

#include "algorithm.h"
#include "complementarity.h"
#include "rides.h"
#include "room.h"

#if CAROM_SOLVER_AUTO > 0
/* One contact, row j: closed forms. */
static inline carom_status CAROM(coulomb_one)(const CAROM_STATE *s, const double *w, const bool *set,
                                              const double *slip, const double *y, int j, double *r, carom_info *info)
{
    const int *const tangent = CAROM(tangents)[j - CAROM_NE];
    const double mu = s->derived.mu[j - CAROM_NE];
    double pivot = w[j * CAROM_NR + j]; /* of the normal row when it slides */
    bool slides = tangent[0] < 0 || !set[tangent[0]];
    for (int k = 0; k < CAROM_D - 1 && slip != NULL && !slides; ++k) {
        slides = tangent[k] >= 0 && slip[tangent[k] - CAROM_NG] != 0.0;
    }
#if CAROM_D == 2
    if (!slides) {
        const int k = tangent[0];
        (void)carom_friction_planar(pivot, w[j * CAROM_NR + k], w[k * CAROM_NR + j], w[k * CAROM_NR + k], y[j], y[k],
                                    mu, &r[j], &r[k]);
        return CAROM_OK;
    }
#else
    if (!slides) {
        const int row[CAROM_D] = {j, tangent[0], tangent[1]};
        double W[CAROM_D * CAROM_D], b[CAROM_D], z[CAROM_D];
        for (int k = 0; k < CAROM_D; ++k) {
            b[k] = row[k] >= 0 ? y[row[k]] : 0.0;
            for (int l = 0; l < CAROM_D; ++l) {
                W[k * CAROM_D + l] = row[k] >= 0 && row[l] >= 0 ? w[row[k] * CAROM_NR + row[l]] : k == l ? 1.0 : 0.0;
            }
        }
        (void)carom_friction_local3(W, b, mu, z);
        for (int k = 0; k < CAROM_D; ++k) {
            if (row[k] >= 0) {
                r[row[k]] = z[k];
            }
        }
        return CAROM_OK;
    }
#endif
    for (int k = 0; k < CAROM_D - 1; ++k) {
        pivot -=
            tangent[k] >= 0 && set[tangent[k]] ? mu * slip[tangent[k] - CAROM_NG] * w[j * CAROM_NR + tangent[k]] : 0.0;
    }
    if (pivot < w[j * CAROM_NR + j] && !(pivot > CAROM_PIVOT_ZERO * w[j * CAROM_NR + j])) {
        info->contact = j;
        info->residual = pivot;
        return CAROM_PAINLEVE;
    }
    r[j] = y[j] < 0.0 ? -y[j] / pivot : 0.0;
    for (int k = 0; k < CAROM_D - 1; ++k) {
        if (tangent[k] >= 0 && set[tangent[k]]) {
            r[tangent[k]] = -mu * slip[tangent[k] - CAROM_NG] * r[j];
        }
    }
    return CAROM_OK;
}
#endif

#if CAROM_SEVERAL > 0
#if CAROM_SOLVER_AUTO > 0 && CAROM_D == 2 && CAROM_NT > 1 && CAROM_RIDES == 0
/* Two contacts that do not slide: known modes, or all of them. False: something is different, or no mode holds. */
static inline bool CAROM(coulomb_two)(const CAROM_STATE *s, const double *w, const bool *set, const double *slip,
                                      const double *y, const int *contact, double *r)
{
    const int a = contact[0], b = contact[1], c = CAROM(tangents)[a - CAROM_NE][0],
              d = CAROM(tangents)[b - CAROM_NE][0];
    if (c < 0 || d < 0 || !set[c] || !set[d] ||
        (slip != NULL && (slip[c - CAROM_NG] != 0.0 || slip[d - CAROM_NG] != 0.0))) {
        return false;
    }
    const double *const wa = w + a * CAROM_NR, *const wb = w + b * CAROM_NR, *const wc = w + c * CAROM_NR,
                        *const wd = w + d * CAROM_NR;
    const double W[16] = {wa[a], wa[c], wa[b], wa[d], wc[a], wc[c], wc[b], wc[d],
                          wb[a], wb[c], wb[b], wb[d], wd[a], wd[c], wd[b], wd[d]};
    const double mu[2] = {s->derived.mu[a - CAROM_NE], s->derived.mu[b - CAROM_NE]}, q[4] = {y[a], y[c], y[b], y[d]};
    double z[4] = {r[a], r[c], r[b], r[d]};
    if (carom_friction_tiny(2, W, mu, q, z) == 0) {
        return false;
    }
    r[a] = z[0];
    r[c] = z[1];
    r[b] = z[2];
    r[d] = z[3];
    return true;
}

#endif
/* Several contacts: sets up their problem with CAROM_D components each. A sliding contact is a frictionless one along
 * N - mu slip T; components that do not exist (frictionless contacts, sliding ones) have 1 on the diagonal. */
static inline carom_status CAROM(coulomb_several)(const CAROM_STATE *s, const double *w, const bool *set,
                                                  const double *slip, const double *y, int n, const int *contact,
                                                  double *r, carom_info *info)
{
    double *const Wc = CAROM(room)(s) + CAROM_ROOM_REDUCED(CAROM_NE, CAROM_NR);
    double *const memory = Wc + CAROM_NC * CAROM_D * CAROM_NC * CAROM_D;
    double *const work = memory + CAROM_ROOM_BLOCKS(CAROM_NC, CAROM_D);
    double *const bc = work + CAROM_ROOM_SOLVER(CAROM_NC, CAROM_D), *const muc = bc + CAROM_NC * CAROM_D;
    double *const z = muc + CAROM_NC, *const u = z + CAROM_NC * CAROM_D;
    double(*const along)[CAROM_D - 1] = (double(*)[CAROM_D - 1])(u + CAROM_NC * CAROM_D); /* mu slip */
    int row[CAROM_NC * CAROM_D], tangent[CAROM_NC][CAROM_D - 1];
    bool slides[CAROM_NC] = {false};
    if (n < 1) {
        return CAROM_OK;
    }
    for (int i = 0; i < n; ++i) {
        const double mu = s->derived.mu[contact[i] - CAROM_NE];
        bool rough = false;
        for (int k = 0; k < CAROM_D - 1; ++k) {
            const int t = CAROM(tangents)[contact[i] - CAROM_NE][k];
            tangent[i][k] = t >= 0 && set[t] ? t : -1;
            along[i][k] = tangent[i][k] >= 0 && slip != NULL ? mu * slip[t - CAROM_NG] : 0.0;
            rough = rough || tangent[i][k] >= 0;
            slides[i] = slides[i] || (tangent[i][k] >= 0 && slip != NULL && slip[t - CAROM_NG] != 0.0);
        }
        muc[i] = rough && !slides[i] ? mu : 0.0;
        row[CAROM_D * i] = contact[i];
        for (int k = 0; k < CAROM_D - 1; ++k) {
            row[CAROM_D * i + 1 + k] = slides[i] ? -1 : tangent[i][k];
        }
        for (int k = 0; k < CAROM_D; ++k) {
            const int here = row[CAROM_D * i + k];
            bc[CAROM_D * i + k] = here >= 0 ? y[here] : 0.0;
            z[CAROM_D * i + k] = here >= 0 ? r[here] : 0.0;
        }
    }
    const int size = CAROM_D * n;
    for (int i = 0; i < size; i += CAROM_D) {
        for (int j = 0; j < size; j += CAROM_D) {
            double *const entry = &Wc[i * size + j];
            if (row[i + CAROM_D - 1] >= 0 && row[j + CAROM_D - 1] >= 0) { /* the usual block: nothing is missing */
                for (int k = 0; k < CAROM_D; ++k) {
                    for (int l = 0; l < CAROM_D; ++l) {
                        entry[k * size + l] = w[row[i + k] * CAROM_NR + row[j + l]];
                    }
                }
                continue;
            }
            for (int k = 0; k < CAROM_D; ++k) {
                for (int l = 0; l < CAROM_D; ++l) {
                    const bool here = row[i + k] >= 0 && row[j + l] >= 0;
                    entry[k * size + l] = here ? w[row[i + k] * CAROM_NR + row[j + l]] : i + k == j + l ? 1.0 : 0.0;
                }
            }
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < size && slides[j]; ++i) {
            for (int k = 0; k < CAROM_D - 1 && row[i] >= 0; ++k) {
                Wc[i * size + CAROM_D * j] -=
                    tangent[j][k] >= 0 ? along[j][k] * w[row[i] * CAROM_NR + tangent[j][k]] : 0.0;
            }
        }
    }
#if CAROM_RIDES > 0
    for (int i = 0; i < n; ++i) {
        for (int m = 0; m < n && CAROM_MOUNT(contact[i] - CAROM_NE) >= 0; ++m) {
            if (contact[m] == CAROM_NE + CAROM_MOUNT(contact[i] - CAROM_NE)) {
                const double weight = w[contact[m] * (CAROM_NR + 1)];
                Wc[CAROM_D * i * size + CAROM_D * m] = -weight;
                Wc[CAROM_D * i * (size + 1)] = weight;
                bc[CAROM_D * i] = 0.0;
                z[CAROM_D * i] = z[CAROM_D * m];
            }
        }
    }
#endif
    for (int i = 0; i < n; ++i) {
        const double pivot = Wc[CAROM_D * i * (size + 1)];
        if (slides[i] && !(pivot > CAROM_PIVOT_ZERO * w[contact[i] * CAROM_NR + contact[i]])) {
            info->contact = contact[i];
            info->residual = pivot;
            return CAROM_PAINLEVE;
        }
    }
    carom_status status = CAROM_OK;
#if CAROM_SOLVER_AUTO > 0 && CAROM_D == 2
    if (n > CAROM_TINY_CONTACTS || carom_friction_tiny(n, Wc, muc, bc, z) == 0)
#endif
    {
        carom_friction_problem problem;
        carom_friction_result result = {.worst = -1};
        double speed = 0.0; /* what rounding leaves of the speeds of the model is not asked to vanish */
        for (int i = 0; i < CAROM_NV && slip == NULL; ++i) {
            speed = fmax(speed, fabs(s->v[i]));
        }
        const carom_friction_options options = {
            .solver = CAROM_SOLVER, .tolerance = CAROM_CTOL, .velocity_floor = CAROM_FLOOR * speed};
        status = carom_friction_dense(CAROM_D, n, muc, bc, Wc, memory,
                                      sizeof(double) * CAROM_ROOM_BLOCKS(CAROM_NC, CAROM_D), &problem);
        if (status == CAROM_OK) {
            status = carom_friction_solve(&problem, &options, z, u, &result, work,
                                          sizeof(double) * CAROM_ROOM_SOLVER(CAROM_NC, CAROM_D));
        }
        if (status != CAROM_OK) {
            info->contact = result.worst >= 0 && result.worst < n ? contact[result.worst] : -1;
            info->residual = result.residual;
            info->iterations = result.iterations;
            CAROM(keep)(s, CAROM_D, n, muc, bc, Wc);
        }
    }
    for (int i = 0; i < n; ++i) {
        r[contact[i]] = z[CAROM_D * i];
        for (int k = 0; k < CAROM_D - 1; ++k) {
            if (tangent[i][k] >= 0) {
                r[tangent[i][k]] = slides[i] ? -along[i][k] * z[CAROM_D * i] : z[CAROM_D * i + 1 + k];
            }
        }
    }
    return status;
}
#endif

/* Coulomb's law on the rows of a set (THEORY 6.1, 6.2): u = W r + b, bilateral rows u = 0, contacts 0 <= r_N _|_ u_N
 * >= 0 and -r_T in mu r_N Sgn(u_T). Where `slip` is given and not zero the contact slides in that direction: r_T = -mu
 * slip r_N. r holds the first guess. A sliding contact whose normal pivot W_NN - mu W_NT slip is not positive has no
 * finite force: CAROM_PAINLEVE. */
static inline carom_status CAROM(coulomb)(const CAROM_STATE *s, const double *W, const bool *set, const double *slip,
                                          const double *b, double *r, carom_info *info)
{
    int contact[CAROM_NC], n = 0;
    for (int j = CAROM_NE; j < CAROM_NG; ++j) {
        if (set[j]) {
            contact[n++] = j;
        } else {
            r[j] = 0.0;
        }
    }
    for (int k = 0; k < CAROM_NT; ++k) {
        if (!set[CAROM_NG + k]) {
            r[CAROM_NG + k] = 0.0;
        }
    }
#if CAROM_NE > 0
    /* bilateral rows are eliminated: W' = W - W_E W_EE^-1 W_E, b' = b - W_E W_EE^-1 b_E */
    double *const E = CAROM(room)(s);
    double(*const Z)[CAROM_NE] = (double(*)[CAROM_NE])(E + CAROM_NE * CAROM_NE);
    double *const W_reduced = E + CAROM_NE * CAROM_NE + (CAROM_NR + 1) * CAROM_NE;
    double *const b_reduced = W_reduced + CAROM_NR * CAROM_NR;
    for (int i = 0; i < CAROM_NE; ++i) {
        for (int j = 0; j < CAROM_NE; ++j) {
            E[i * CAROM_NE + j] = W[i * CAROM_NR + j];
        }
    }
    carom_ldu_factor(CAROM_NE, E, CAROM_NE); /* of implicit steps W is not symmetric */
    for (int j = CAROM_NE; j <= CAROM_NR; ++j) {
        for (int i = 0; i < CAROM_NE; ++i) {
            Z[j][i] = j == CAROM_NR ? b[i] : set[j] ? W[i * CAROM_NR + j] : 0.0;
        }
        carom_ldu_solve(CAROM_NE, E, CAROM_NE, Z[j]);
    }
    for (int i = CAROM_NE; i < CAROM_NR; ++i) {
        b_reduced[i] = b[i];
        for (int k = 0; k < CAROM_NE && set[i]; ++k) {
            b_reduced[i] -= W[i * CAROM_NR + k] * Z[CAROM_NR][k];
        }
        for (int j = CAROM_NE; j < CAROM_NR; ++j) {
            W_reduced[i * CAROM_NR + j] = set[i] && set[j] ? W[i * CAROM_NR + j] : 0.0;
            for (int k = 0; k < CAROM_NE && set[i] && set[j]; ++k) {
                W_reduced[i * CAROM_NR + j] -= W[i * CAROM_NR + k] * Z[j][k];
            }
        }
    }
    /* a contact whose normal the bilateral rows lock carries no force: theirs do; the law is looked at in the end */
    int movable = 0;
    for (int i = 0; i < n; ++i) {
        const int j = contact[i];
        const bool locked =
            CAROM_MOUNT(j - CAROM_NE) < 0 && !(W_reduced[j * CAROM_NR + j] > CAROM_PIVOT_ZERO * W[j * CAROM_NR + j]);
        r[j] = locked ? 0.0 : r[j];
        for (int k = 0; k < CAROM_D - 1 && locked; ++k) {
            if (CAROM(tangents)[j - CAROM_NE][k] >= 0) {
                r[CAROM(tangents)[j - CAROM_NE][k]] = 0.0;
            }
        }
        contact[movable] = j;
        movable += locked ? 0 : 1;
    }
    n = movable;
    const double *const w = W_reduced, *const y = b_reduced;
#else
    const double *const w = W, *const y = b;
#endif
    carom_status status = CAROM_OK;
#if CAROM_SOLVER_AUTO > 0 && CAROM_SEVERAL > 0
    if (n == 1) {
        status = CAROM(coulomb_one)(s, w, set, slip, y, contact[0], r, info);
#if CAROM_SOLVER_AUTO > 0 && CAROM_D == 2 && CAROM_NT > 1 && CAROM_RIDES == 0
    } else if (n == 2 && CAROM(coulomb_two)(s, w, set, slip, y, contact, r)) {
        status = CAROM_OK;
#endif
    } else if (n > 1) {
        status = CAROM(coulomb_several)(s, w, set, slip, y, n, contact, r, info);
    }
#elif CAROM_SOLVER_AUTO > 0
    if (n == 1) {
        status = CAROM(coulomb_one)(s, w, set, slip, y, contact[0], r, info);
    }
#else
    if (n > 0) {
        status = CAROM(coulomb_several)(s, w, set, slip, y, n, contact, r, info);
    }
#endif

#if CAROM_NE > 0
    for (int i = 0; i < CAROM_NE; ++i) { /* r_E = -W_EE^-1 (b_E + W_E r) */
        r[i] = -Z[CAROM_NR][i];
        for (int j = CAROM_NE; j < CAROM_NR; ++j) {
            r[i] -= set[j] ? Z[j][i] * r[j] : 0.0;
        }
    }
#endif
    return status;
}

/* Velocity-level schemes solve Painleve configurations by an impulse without noticing; here they are noticed, and
 * counted. */
static inline void CAROM(watch_painleve)(CAROM_STATE *s, const double *W, const bool *set, const double *U)
{
    double slip[CAROM_NT];
    CAROM(slip)(s, U, slip);
    for (int j = CAROM_NE; j < CAROM_NG; ++j) {
        double pivot = W[j * CAROM_NR + j];
        for (int k = 0; k < CAROM_NT && set[j]; ++k) {
            if (CAROM(contact_of)[k] == j && set[CAROM_NG + k]) {
                pivot -= s->derived.mu[j - CAROM_NE] * slip[k] * W[j * CAROM_NR + CAROM_NG + k];
            }
        }
        if (set[j] && CAROM_MOUNT(j - CAROM_NE) < 0 && !(pivot > CAROM_PIVOT_ZERO * W[j * CAROM_NR + j])) {
            if (s->counts.painleve == 0U) {
                s->counts.painleve_contact = j;
                s->counts.painleve_time = s->t;
            }
            ++s->counts.painleve;
        }
    }
}

#endif
