/* One sparse contact problem of the tests of carom/kkt.h: tables, values, work. */
#ifndef TESTS_KKT_SYSTEM_H
#define TESTS_KKT_SYSTEM_H

#include "carom/kkt.h"
#include "draw.h"
#include "suite.h"

#include <math.h>

typedef struct {
    carom_kkt_tables t;
    int *ints[13];
    double *A, *G, *f, *b, *x, *r, *work;
    unsigned char *active;
    int *iwork;
} contact_system;

void *zeros(int count, size_t size);
void release(contact_system *c);
/* Symbolic analysis by brute force on a dense pattern: all x first, then the rows. Full A and G unless zero. */
contact_system dense_tables(int nv, int nr, int ne, const double *A, const double *G);

/* Can the generator be asked? And tables from it: `body` is Lua that fills nv, ne, a, g. */
int generator_present(void);
contact_system generated_tables(const char *body);

/* Largest violation, relative to the largest term in the system; independent of the solver. */
double violation(const contact_system *c, const unsigned char *set);

carom_status solve(contact_system *c, const unsigned char *set, carom_info *info);
void guess(contact_system *c, int kind);
void check_solved(contact_system *c, const unsigned char *set, double tol, int independent, const char *what,
                  int which);

#endif
