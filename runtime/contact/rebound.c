/* Restitution of impulses: expansion after compression, see carom/rebound.h. */
#include "contact.h"

#include <math.h>
#include <string.h>

typedef struct {
    double *u, *more;                         /* [rows] velocities after compression; impulses of expansion */
    double *x, *y, *dr;                       /* [nv], [nv], [tables->nr] */
    double *given, *normal, *velocity, *size; /* [contacts] */
    bool *held, *back;
} memory;

/* From the end of the room: what is before it is the solvers'. */
static bool take(const carom_contact_problem *p, carom_contact_space *space, memory *m)
{
    const size_t rows = (size_t)p->rows, nv = (size_t)p->tables->nv, n = (size_t)p->contacts;
    const size_t doubles = 2 * rows + 2 * nv + (size_t)p->tables->nr + 4 * n,
                 bytes = 8 * doubles + 2 * n * sizeof(bool) + 8;
    if (space->size < bytes) {
        return false;
    }
    space->size = (space->size - bytes) / 8 * 8;
    double *at = (double *)((char *)space->room + space->size);
    m->u = at;
    m->more = m->u + rows;
    m->x = m->more + rows;
    m->y = m->x + nv;
    m->dr = m->y + nv;
    m->given = m->dr + p->tables->nr;
    m->normal = m->given + n;
    m->velocity = m->normal + n;
    m->size = m->velocity + n;
    m->held = (bool *)(m->size + n);
    m->back = m->held + n;
    return true;
}

/* y = A^-1 G_row^T, without any row */
static carom_status respond(const carom_contact_problem *p, carom_contact_space *space, memory *m, int row,
                            carom_info *info)
{
    for (int i = 0; i < p->tables->nv; ++i) {
        m->x[i] = 0.0;
    }
    carom_row_add(p, row, 1.0, m->x);
    space->factor = CAROM_FACTOR_NONE;
    const carom_status status = carom_kkt_factor(p->tables, p->A, p->G, NULL, space->kkt, space->ikkt);
    return status == CAROM_OK
               ? carom_kkt_factored_solve(p->tables, p->A, p->G, m->x, NULL, m->y, m->dr, space->kkt, space->ikkt, info)
               : status;
}

/* Does what y moves belong to no row of the set but those of contact c? */
static bool alone(const carom_contact_problem *p, int c, const double *y)
{
    for (int i = 0; i < p->rows; ++i) {
        bool own = false;
        for (int k = 0; k < p->dimension; ++k) {
            own = own || i == p->row[c * p->dimension + k];
        }
        for (int k = p->Gp[i]; k < p->Gp[i + 1] && p->set[i] && !own; ++k) {
            if (p->G[k] * y[p->Gj[k]] != 0.0) {
                return false;
            }
        }
    }
    return true;
}

/* Stronge's law, if contact c is by itself: m->more is what comes after the compression r. */
static bool by_work(const carom_contact_problem *p, carom_contact_space *space, memory *m, int c, const double *r,
                    carom_info *info)
{
    const int j = p->row[c * p->dimension], t = p->dimension > 1 ? p->row[c * p->dimension + 1] : -1;
    const bool rough = t >= 0 && p->set[t] && p->mu != NULL && p->mu[c] > 0.0;
    double nn = 0.0, nt = 0.0, tt = 1.0, U[2], P[2];
    if (respond(p, space, m, j, info) != CAROM_OK || !alone(p, c, m->y)) {
        return false;
    }
    nn = carom_row_times(p, j, m->y);
    if (rough) {
        nt = carom_row_times(p, t, m->y);
        if (respond(p, space, m, t, info) != CAROM_OK || !alone(p, c, m->y)) {
            return false;
        }
        tt = carom_row_times(p, t, m->y);
    }
    U[0] = m->u[j] - nn * r[j] - (rough ? nt * r[t] : 0.0);
    U[1] = rough ? m->u[t] - nt * r[j] - tt * r[t] : 0.0;
    carom_rebound_energetic(nn, nt, tt, rough ? p->mu[c] : 0.0, p->rebound[c], U, P);
    m->more[j] = P[0] - r[j];
    if (rough) {
        m->more[t] = P[1] - r[t];
    }
    return true;
}

/* x += A^-1 G^T more, r += more, u of the set follows */
static carom_status apply(const carom_contact_problem *p, carom_contact_space *space, memory *m, double *x, double *r,
                          carom_info *info)
{
    for (int i = 0; i < p->tables->nv; ++i) {
        m->x[i] = 0.0;
    }
    for (int i = 0; i < p->rows; ++i) {
        if (m->more[i] != 0.0) {
            carom_row_add(p, i, m->more[i], m->x);
            r[i] += m->more[i];
        }
    }
    space->factor = CAROM_FACTOR_NONE;
    carom_status status = carom_kkt_factor(p->tables, p->A, p->G, NULL, space->kkt, space->ikkt);
    if (status == CAROM_OK) {
        status =
            carom_kkt_factored_solve(p->tables, p->A, p->G, m->x, NULL, m->y, m->dr, space->kkt, space->ikkt, info);
    }
    for (int i = 0; i < p->tables->nv; ++i) {
        x[i] += m->y[i];
    }
    for (int i = 0; i < p->rows; ++i) {
        m->u[i] += p->set[i] ? carom_row_times(p, i, m->y) : 0.0;
    }
    return status;
}

static void look(const carom_contact_problem *p, memory *m, const double *x)
{
    for (int c = 0; c < p->contacts; ++c) {
        const int j = p->row[c * p->dimension];
        double size = fabs(m->u[j]);
        for (int k = p->Gp[j]; k < p->Gp[j + 1]; ++k) {
            size += fabs(p->G[k] * x[p->Gj[k]]);
        }
        m->normal[c] = m->more[j];
        m->velocity[c] = m->u[j] + carom_row_times(p, j, x);
        m->size[c] = size;
    }
}

static carom_status expand(const carom_contact_problem *p, carom_contact_space *space, memory *m, double *x, double *r,
                           carom_info *info, carom_counts *counts)
{
    bool any = false, worked = false;
    for (int i = 0; i < p->rows; ++i) {
        m->u[i] = carom_row_times(p, i, x) + p->b[i];
        m->more[i] = 0.0;
    }
    for (int c = 0; c < p->contacts; ++c) {
        const int j = p->row[c * p->dimension];
        m->given[c] = p->set[j] && p->hit[j] && r[j] > 0.0 ? p->rebound[c] * r[j] : 0.0;
        if (m->given[c] > 0.0 && p->energetic[c] && by_work(p, space, m, c, r, info)) {
            m->given[c] = 0.0;
            worked = true;
        }
        m->held[c] = m->given[c] > 0.0;
        m->back[c] = false;
        any = any || m->held[c];
    }
    if (worked) {
        const carom_status status = apply(p, space, m, x, r, info);
        if (status != CAROM_OK) {
            return status;
        }
    }
    carom_contact_problem second = *p;
    second.hit = NULL;
    second.f = NULL;
    second.slide = NULL;
    second.carried = NULL;
    second.b = m->u;
    second.given = m->velocity; /* of those that are held */
    second.how = p->how & CAROM_GO_ON;
    for (int pass = 0; pass < 2 * p->contacts + 2 && any; ++pass) {
        for (int i = 0; i < p->rows; ++i) {
            m->more[i] = 0.0;
        }
        for (int c = 0; c < p->contacts; ++c) {
            m->velocity[c] = m->held[c] ? m->given[c] : 0.0;
        }
        space->factor = CAROM_FACTOR_NONE;
        const carom_status status = carom_contact_standard(&second, space, m->x, m->more, info, counts);
        if (status != CAROM_OK) {
            return status;
        }
        look(p, m, m->x);
        if (!carom_rebound_search(p->contacts, m->given, m->velocity, m->size, m->normal, m->held, m->back)) {
            for (int i = 0; i < p->tables->nv; ++i) {
                x[i] += m->x[i];
            }
            for (int i = 0; i < p->rows; ++i) {
                r[i] += p->set[i] ? m->more[i] : 0.0;
            }
            return CAROM_OK;
        }
    }
    return any ? CAROM_CONTACT : CAROM_OK;
}

carom_status carom_contact_expand(const carom_contact_problem *problem, carom_contact_space *space, double *x,
                                  double *r, carom_info *info, carom_counts *counts)
{
    const size_t size = space->size;
    const int factor = space->factor;
    bool any = false;
    for (int c = 0; c < problem->contacts; ++c) {
        const int j = problem->row[c * problem->dimension];
        any = any || (problem->set[j] && problem->hit[j] && r[j] > 0.0 && problem->rebound[c] > 0.0);
    }
    memory m;
    space->factor = any ? CAROM_FACTOR_NONE : factor;
    const carom_status status = !any                       ? CAROM_OK
                                : take(problem, space, &m) ? expand(problem, space, &m, x, r, info, counts)
                                                           : CAROM_ARGUMENT;
    space->size = size;
    return status;
}
