/* Contact problems without friction on rows that are written, by active sets (kkt.c), and rows held as equalities. */
#include "rows.h"

void carom_contact_free(const carom_contact_problem *p, double *free)
{
    for (int j = 0; j < p->tables->nv; ++j) {
        free[j] = p->f != NULL ? p->f[j] : 0.0;
    }
    for (int i = 0; i < p->rows && p->carried != NULL; ++i) {
        if (p->set[i] && p->carried[i] != 0.0) {
            carom_row_add(p, i, -p->carried[i], free);
        }
    }
}

carom_status carom_contact_active_set(const carom_contact_problem *p, carom_contact_space *space, double *x, double *r,
                                      carom_info *info, carom_counts *counts)
{
    const carom_kkt_tables *const t = p->tables;
    const double *f = p->f;
    if (f == NULL || p->carried != NULL) {
        if (space->size < sizeof(double) * (size_t)t->nv) {
            return CAROM_ARGUMENT;
        }
        carom_contact_free(p, (double *)space->room);
        f = (double *)space->room;
    }
    ++counts->contact_solves;
    carom_status status = CAROM_OK;
    if (space->banded == NULL || !carom_banded_solve(t, t->ne, p->A, p->G, (const unsigned char *)p->set, f, p->b, x, r,
                                                     space->active, space->banded, space->ibanded, info)) {
        status = (space->factor != CAROM_FACTOR_NONE ? carom_kkt_solve_again : carom_kkt_solve)(
            t, p->A, p->G, (const unsigned char *)p->set, f, p->b, x, r, space->active, space->kkt, space->ikkt, info);
        space->factor = status == CAROM_OK ? CAROM_FACTOR_ACTIVE : CAROM_FACTOR_NONE;
    }
    for (int i = t->nr; i < p->rows; ++i) {
        r[i] = 0.0;
    }
    for (int i = 0; i < p->rows && p->carried != NULL; ++i) {
        r[i] = p->set[i] ? r[i] : p->carried[i];
    }
    return status;
}

carom_status carom_contact_hold(const carom_contact_problem *p, carom_contact_space *space, double *x, double *r,
                                carom_info *info)
{
    const carom_kkt_tables *const t = p->tables;
    double *const f = (double *)space->room;
    if (space->size < sizeof(double) * (size_t)t->nv) {
        return CAROM_ARGUMENT;
    }
    for (int j = 0; j < t->nv; ++j) {
        f[j] = 0.0;
    }
    for (int c = 0; c < p->contacts && p->rides != NULL; ++c) { /* what rides on a contact has no gap to hold */
        if (p->rides[c] >= 0) {
            p->set[p->row[c * p->dimension]] = false;
        }
    }
    space->factor = CAROM_FACTOR_NONE;
    carom_status status = CAROM_OK;
    if (space->banded == NULL || !carom_banded_solve(t, t->nr, p->A, p->G, (const unsigned char *)p->set, f, p->b, x, r,
                                                     NULL, space->banded, space->ibanded, info)) {
        status = carom_kkt_factor(t, p->A, p->G, (const unsigned char *)p->set, space->kkt, space->ikkt);
        if (status == CAROM_OK) {
            status = carom_kkt_factored_solve(t, p->A, p->G, f, p->b, x, r, space->kkt, space->ikkt, info);
        }
    }
    for (int i = t->nr; i < p->rows; ++i) {
        r[i] = 0.0;
    }
    return status;
}
