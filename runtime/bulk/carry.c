/* Contacts that are found while running, from one search to the next: see carom/found.h. */
#include "carom/found.h"

#include <stddef.h>

static int order(const carom_bulk_memory *m, const carom_bulk_contact *c)
{
    return m->a != c->a   ? m->a - c->a
           : m->b != c->b ? m->b - c->b
                          : (m->feature > c->feature) - (m->feature < c->feature);
}

/* Of each pair the contacts that are new, in the places of those in memory that are gone. */
static void inherit(const carom_bulk *b, const int *from, int *heir)
{
    int k = 0;
    for (int i = 0, end; i < *b->contacts; i = end) {
        const carom_bulk_contact *const c = &b->contact[i];
        for (end = i; end < *b->contacts && b->contact[end].a == c->a && b->contact[end].b == c->b; ++end) {
            heir[end] = -1;
        }
        while (k < *b->memories && (b->memory[k].a < c->a || (b->memory[k].a == c->a && b->memory[k].b < c->b))) {
            ++k;
        }
        int next = i;
        for (; k < *b->memories && b->memory[k].a == c->a && b->memory[k].b == c->b; ++k) {
            bool gone = true;
            for (int l = i; l < end; ++l) {
                gone = gone && from[l] != k;
            }
            while (next < end && from[next] >= 0) {
                ++next;
            }
            if (gone && next < end) {
                heir[next++] = k;
            }
        }
    }
}

void carom_found_match(const carom_bulk *b, int *from, int *heir)
{
    int k = 0;
    for (int i = 0; i < *b->contacts; ++i) {
        while (k < *b->memories && order(&b->memory[k], &b->contact[i]) < 0) {
            ++k;
        }
        from[i] = k < *b->memories && order(&b->memory[k], &b->contact[i]) == 0 ? k : -1;
    }
    if (heir != NULL) {
        inherit(b, from, heir);
    }
    *b->memories = *b->contacts;
    for (int i = 0; i < *b->contacts; ++i) {
        const carom_bulk_contact *const c = &b->contact[i];
        b->memory[i] = (carom_bulk_memory){c->a, c->b, c->feature};
    }
}

void carom_found_carry_values(const carom_bulk *b, int each, int before, const int *from, const int *heir,
                              double closed, double fresh, double *x, double *scratch)
{
    for (int i = 0; i < each * before; ++i) {
        scratch[i] = x[i];
    }
    for (int i = 0; i < *b->contacts; ++i) {
        const int old = from[i] >= 0 || heir == NULL ? from[i] : b->contact[i].gap <= closed ? heir[i] : -1;
        for (int l = 0; l < each; ++l) {
            x[each * i + l] = old >= 0 ? scratch[each * old + l] : fresh;
        }
    }
}

void carom_found_carry(carom_found_spins spins, int gaps, int tangents, int before, int count, const int *from,
                       double *x, double *scratch)
{
    const int n = carom_found_contacts(spins), m = carom_found_tangents(spins);
    for (int j = 0; j < gaps + tangents + (n + m) * before; ++j) {
        scratch[j] = x[j];
    }
    for (int j = 0; j < tangents; ++j) {
        x[gaps + n * count + j] = scratch[gaps + n * before + j];
    }
    for (int i = 0; i < count; ++i) {
        for (int l = 0; l < n; ++l) {
            x[gaps + n * i + l] = from[i] >= 0 ? scratch[gaps + n * from[i] + l] : 0.0;
        }
        for (int l = 0; l < m; ++l) {
            x[gaps + n * count + tangents + m * i + l] =
                from[i] >= 0 ? scratch[gaps + n * before + tangents + m * from[i] + l] : 0.0;
        }
    }
}

void carom_found_carry_set(carom_found_spins spins, int gaps, int before, int count, const int *from, bool fresh,
                           bool *x, bool *scratch)
{
    const int n = carom_found_contacts(spins);
    for (int j = gaps; j < gaps + n * before; ++j) {
        scratch[j] = x[j];
    }
    for (int i = 0; i < n * count; ++i) {
        x[gaps + i] = from[i / n] >= 0 ? scratch[gaps + n * from[i / n] + i % n] : fresh;
    }
}
