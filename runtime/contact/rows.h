/* Rows of a contact problem; not installed. */
#ifndef CAROM_CONTACT_ROWS_H
#define CAROM_CONTACT_ROWS_H

#include "carom/contact.h"

/* free = f - G_S^T carried */
void carom_contact_free(const carom_contact_problem *p, double *free);

static inline double carom_row_times(const carom_contact_problem *p, int row, const double *x)
{
    double sum = 0.0;
    for (int k = p->Gp[row]; k < p->Gp[row + 1]; ++k) {
        sum += p->G[k] * x[p->Gj[k]];
    }
    return sum;
}

static inline void carom_row_add(const carom_contact_problem *p, int row, double r, double *f)
{
    for (int k = p->Gp[row]; k < p->Gp[row + 1]; ++k) {
        f[p->Gj[k]] += p->G[k] * r;
    }
}

#endif
