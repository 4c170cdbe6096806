/* Sets of rows and directions of sliding. A set holds bilateral rows and contacts; tangents follow their contact. With
 * friction it asks for the tables contact_of (row of the contact of each tangential row) and tangents (tangential rows
 * of each contact, -1: none), s->derived.mu and s->derived.frictional, and CAROM_TS: slip below this counts as
 * sticking. See carom/algorithm.h. */
#ifndef CAROM_SETS_H
#define CAROM_SETS_H

#include "algorithm.h"
#include "rides.h"

/* Rows that can carry force: without friction the tangential ones cannot; to know which costs more than it saves where
 * they are few. */
static inline int CAROM(active)(const CAROM_STATE *s)
{
#if CAROM_FOUND > 0
    return s->found.rows;
#elif CAROM_NT > 0 && CAROM_NR > 4
    return s->derived.rows;
#else
    (void)s;
    return CAROM_NR;
#endif
}

/* Has any contact friction? */
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
static inline bool CAROM(any)(const CAROM_STATE *s, const bool *set)
{
    (void)s;
    bool any = false;
    CAROM_UNROLL
    for (int j = 0; j < CAROM_GAPS; ++j) {
        any |= set[j];
    }
    return any;
}
#endif

#if CAROM_NT > 0
/* Tangents belong to a set with their contact, where it has friction; so do contacts with the one that they ride on. */
static inline void CAROM(tangents_follow)(const CAROM_STATE *s, bool *set)
{
#if CAROM_RIDES > 0
    for (int k = 0; k < CAROM_CONTACTS; ++k) {
        if (CAROM_MOUNT(k) >= 0) {
            set[CAROM_NE + k] = s->derived.frictional && set[CAROM_NE + CAROM_MOUNT(k)] && CAROM_MU[k] > 0.0;
        }
    }
#endif
    for (int k = 0; k < CAROM_TANGENTS; ++k) {
        set[CAROM_GAPS + k] = false;
    }
    for (int k = 0; k < CAROM_TANGENTS && s->derived.frictional; ++k) {
        const int j = CAROM_CONTACT_OF[k];
        set[CAROM_GAPS + k] = set[j] && CAROM_MU[j - CAROM_NE] > 0.0;
    }
}

/* The direction of sliding of each tangential row, zero where the contact sticks. */
static inline void CAROM(slip)(const CAROM_STATE *s, const double *U, double *slip)
{
    (void)s;
#if CAROM_D == 2
    for (int k = 0; k < CAROM_TANGENTS; ++k) {
        const double u = U[CAROM_GAPS + k];
        slip[k] = u > CAROM_TS ? 1.0 : u < -CAROM_TS ? -1.0 : 0.0;
    }
#else
    for (int c = 0; c < CAROM_CONTACTS; ++c) {
        double speed = 0.0;
        for (int k = 0; k < CAROM_D - 1; ++k) {
            const int row = CAROM_TANGENT_ROWS[c][k];
            if (row >= 0) {
                speed = hypot(speed, U[row]);
            }
        }
        for (int k = 0; k < CAROM_D - 1; ++k) {
            const int row = CAROM_TANGENT_ROWS[c][k];
            if (row >= 0) {
                slip[row - CAROM_GAPS] = speed > CAROM_TS ? U[row] / speed : 0.0;
            }
        }
    }
#endif
}
#endif

#if CAROM_NT > 0
/* |x_T| of the contact in row j */
static inline double CAROM(norm)(const CAROM_STATE *s, const double *x, int j)
{
    double size = 0.0;
    for (int k = 0; k < CAROM_D - 1 && j >= CAROM_NE && s->derived.frictional; ++k) {
        const int row = CAROM_TANGENT_ROWS[j - CAROM_NE][k];
        size = row >= 0 ? hypot(size, x[row]) : size;
    }
    return size;
}
#endif

#if CAROM_D == 3
/* x_T . y_T of the contact in row j */
static inline double CAROM(dot)(const CAROM_STATE *s, const double *x, const double *y, int j)
{
    (void)s;
    double sum = 0.0;
    for (int k = 0; k < CAROM_D - 1 && j >= CAROM_NE; ++k) {
        const int row = CAROM_TANGENT_ROWS[j - CAROM_NE][k];
        sum += row >= 0 ? x[row] * y[row] : 0.0;
    }
    return sum;
}

/* The direction of sliding that forces J show: -J_T/(mu J_N) on a set, else 0. */
static inline void CAROM(direction_of)(const CAROM_STATE *s, const bool *set, const double *J, double *slide)
{
    for (int k = 0; k < CAROM_TANGENTS; ++k) {
        const int j = CAROM_CONTACT_OF[k];
        slide[k] = set[j] ? -J[CAROM_GAPS + k] / (CAROM_MU[j - CAROM_NE] * J[j]) : 0.0;
    }
}

/* The direction of sliding at a stage, of contacts that slide. A slow slip may turn faster than the stages can follow:
 * what still turns after ten iterations keeps the direction it had at the start of the step, what has settled by then
 * its own. */
static inline void CAROM(turn_with)(const CAROM_STATE *s, const double *U, const double *start, int iteration,
                                    double *way, bool *frozen, double *slide)
{
    CAROM(slip)(s, U, slide);
    for (int k = 0; k < CAROM_TANGENTS && frozen != NULL; ++k) {
        const int contact = CAROM_CONTACT_OF[k];
        frozen[contact] = frozen[contact] || (iteration >= 10 && fabs(slide[k] - way[k]) > 1e-9);
        way[k] = slide[k];
    }
    for (int k = 0; k < CAROM_TANGENTS; ++k) {
        bool slides = false;
        for (int l = 0; l < CAROM_D - 1; ++l) {
            const int row = CAROM_TANGENT_ROWS[CAROM_CONTACT_OF[k] - CAROM_NE][l];
            slides = slides || (row >= 0 && start[row - CAROM_GAPS] != 0.0);
        }
        slide[k] = frozen != NULL && frozen[CAROM_CONTACT_OF[k]] ? start[k] : slides ? slide[k] : 0.0;
    }
}

/* The direction of sliding that belongs to the velocities U, where these do not point back from `start` and the contact
 * is not frozen; there it stays. slow: speeds below this are no slip. */
static inline void CAROM(turn_forward)(const CAROM_STATE *s, const double *U, const double *start, const bool *frozen,
                                       double slow, double *slide)
{
    (void)s;
    for (int k = 0; k < CAROM_TANGENTS; ++k) {
        const int contact = CAROM_CONTACT_OF[k];
        double speed = 0.0, along = 0.0;
        for (int l = 0; l < CAROM_D - 1 && !frozen[contact]; ++l) {
            const int row = CAROM_TANGENT_ROWS[contact - CAROM_NE][l];
            speed = row >= 0 ? hypot(speed, U[row]) : speed;
            along += row >= 0 ? start[row - CAROM_GAPS] * U[row] : 0.0;
        }
        slide[k] = along > slow ? U[CAROM_GAPS + k] / speed : start[k];
    }
}
#endif

#endif
