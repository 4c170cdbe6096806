/* Contact problems in fixed modes over tables: rows that are held as equalities, contacts that slide in a given
 * direction. A and the bilateral rows are eliminated by their sparse factor, what is left is a small full matrix. */
#include "rows.h"

#include "carom/multipliers.h"
#include "carom/tolerances.h"

#include <math.h>

/* What is held: rows with an unknown force, and of a contact that slides the tangents that go with its normal. */
typedef struct {
    const carom_contact_problem *p;
    int n, row[CAROM_RANK_ROWS], contact[CAROM_RANK_ROWS]; /* contact: that slides, -1 for others */
    int contacts;
    carom_bearing bearing[CAROM_RANK_ROWS]; /* [contacts] */
} held_rows;

static double slide_of(const carom_contact_problem *p, int contact, int k)
{
    const int tangent = p->row[contact * p->dimension + k];
    return tangent >= 0 && p->slide != NULL ? p->slide[tangent - p->gaps] : 0.0;
}

static bool slides(const carom_contact_problem *p, int contact)
{
    bool any = false;
    for (int k = 1; k < p->dimension; ++k) {
        any = any || slide_of(p, contact, k) != 0.0;
    }
    return any;
}

static bool add(held_rows *h, int row, int contact)
{
    if (h->n == CAROM_RANK_ROWS) {
        return false;
    }
    h->row[h->n] = row;
    h->contact[h->n++] = contact;
    return true;
}

static bool find(held_rows *h, const bool *grip)
{
    const carom_contact_problem *const p = h->p;
    bool room = true;
    if (p->contacts == 0) { /* without friction normals are all */
        for (int j = p->tables->ne; j < p->gaps && room; ++j) {
            const int n = h->n;
            if (p->set[j] && (room = add(h, j, -1))) {
                h->bearing[h->contacts++] = (carom_bearing){{n, -1, -1}, 0.0};
            }
        }
    }
    for (int c = 0; c < p->contacts && room; ++c) {
        const int *const row = p->row + c * p->dimension;
        if (p->set[row[0]]) {
            carom_bearing bearing = {{h->n, -1, -1}, p->mu != NULL ? p->mu[c] : 0.0};
            room = add(h, row[0], slides(p, c) ? c : -1);
            for (int k = 1; k < p->dimension && grip != NULL && grip[row[0]] && room; ++k) {
                bearing.row[k] = row[k] >= 0 ? h->n : -1;
                room = row[k] < 0 || add(h, row[k], -1);
            }
            if (room) {
                h->bearing[h->contacts++] = bearing;
            }
        }
    }
    return room;
}

/* f += G^T of the i-th unknown, with the friction that it brings along */
static void spread(const held_rows *h, int i, double r, double *f)
{
    const carom_contact_problem *const p = h->p;
    const int c = h->contact[i];
    carom_row_add(p, h->row[i], r, f);
    for (int k = 1; k < p->dimension && c >= 0; ++k) {
        const int tangent = p->row[c * p->dimension + k];
        if (tangent >= 0) {
            carom_row_add(p, tangent, -p->mu[c] * slide_of(p, c, k) * r, f);
        }
    }
}

carom_status carom_contact_fix(const carom_contact_problem *p, const bool *grip, bool borne, carom_contact_space *space,
                               double *x, double *r, carom_info *info)
{
    const carom_kkt_tables *const t = p->tables;
    held_rows h = {.p = p};
    const bool joint[CAROM_RANK_ROWS] = {false}; /* these are eliminated */
    if (!find(&h, grip)) {
        return CAROM_CONTACT;
    }
    const int n = h.n, nv = t->nv;
    if (space->size < 8 * CAROM_CONTACT_FIXED((size_t)nv, (size_t)t->nr, (size_t)n)) {
        return CAROM_ARGUMENT;
    }
    double *const K = (double *)space->room, *const y = K + n * n, *const f = y + n, *const dr = f + nv;
    double *const room = dr + t->nr;
    unsigned char *const bilateral = (unsigned char *)(room + CAROM_MULTIPLIERS_ROOM(n));
    for (int j = 0; j < t->nr; ++j) {
        bilateral[j] = j < t->ne && p->set[j] ? 1 : 0;
    }
    for (int j = 0; j < nv; ++j) {
        f[j] = 0.0;
    }
    for (int j = 0; j < p->rows; ++j) {
        r[j] = 0.0;
    }
    space->factor = CAROM_FACTOR_NONE;
    carom_status status = carom_kkt_factor(t, p->A, p->G, bilateral, space->kkt, space->ikkt);
    if (status == CAROM_OK) { /* what the bilateral rows alone make of it */
        status = carom_kkt_factored_solve(t, p->A, p->G, f, p->b, x, dr, space->kkt, space->ikkt, info);
    }
    for (int i = 0; i < n && status == CAROM_OK; ++i) {
        y[i] = -p->b[h.row[i]] - carom_row_times(p, h.row[i], x);
    }
    for (int i = 0; i < n && status == CAROM_OK; ++i) {
        double stiffness = 0.0;
        for (int k = p->Gp[h.row[i]]; k < p->Gp[h.row[i] + 1]; ++k) {
            stiffness += p->G[k] * p->G[k] / p->A[t->Ad[p->Gj[k]]];
        }
        for (int j = 0; j < nv; ++j) {
            f[j] = 0.0;
        }
        spread(&h, i, 1.0, f);
        status = carom_kkt_factored_solve(t, p->A, p->G, f, NULL, x, dr, space->kkt, space->ikkt, info);
        for (int j = 0; j < n; ++j) {
            K[j * n + i] = carom_row_times(p, h.row[j], x);
        }
        if (h.contact[i] >= 0 && !(K[i * n + i] > CAROM_PIVOT_ZERO * stiffness)) {
            info->contact = h.row[i];
            info->residual = K[i * n + i];
            return CAROM_PAINLEVE;
        }
    }
    if (status != CAROM_OK) {
        return status;
    }
    if (n > 0) {
        carom_multipliers(n, K, y, joint, borne ? h.contacts : 0, h.bearing, room);
    }
    for (int j = 0; j < nv; ++j) {
        f[j] = 0.0;
    }
    for (int i = 0; i < n; ++i) {
        spread(&h, i, y[i], f);
        r[h.row[i]] = y[i];
        for (int k = 1; k < p->dimension && h.contact[i] >= 0; ++k) {
            const int tangent = p->row[h.contact[i] * p->dimension + k];
            if (tangent >= 0) {
                r[tangent] = -p->mu[h.contact[i]] * slide_of(p, h.contact[i], k) * y[i];
            }
        }
    }
    status = carom_kkt_factored_solve(t, p->A, p->G, f, p->b, x, dr, space->kkt, space->ikkt, info);
    for (int j = 0; j < t->ne; ++j) {
        r[j] = p->set[j] ? dr[j] : 0.0;
    }
    return status;
}
