/* Anderson-accelerated Gauss-Seidel that can be interrupted and continued (anderson.c). */
#ifndef CAROM_FRICTION_ANDERSON_H
#define CAROM_FRICTION_ANDERSON_H

#include "solver.h"

#define CAROM_ANDERSON_MEMORY 8

typedef struct {
    double *x, *g, *f, *g_old, *f_old, *u;                         /* [d n] */
    double *dF[CAROM_ANDERSON_MEMORY], *dG[CAROM_ANDERSON_MEMORY]; /* a ring: columns are reused, never moved */
    double gram[CAROM_ANDERSON_MEMORY][CAROM_ANDERSON_MEMORY];     /* dF' dF */
    int count, next;                                               /* columns in use, column to replace */
    int have_old;                                                  /* g_old and f_old belong to the sweep before */
    int sweeps;                                                    /* so far */
    double best_defect;                                            /* smallest |f| so far */
    double check_below;                                            /* |f| below which every sweep is checked */
} carom_anderson;

/* Takes work space from the arena and starts at r; 0 when it is too small. */
int carom_anderson_start(carom_anderson *h, carom_fc *fc, const double *r);

/* Makes at most so many more sweeps; r holds the best point so far with its residual, and is improved. */
double carom_anderson_advance(carom_anderson *h, carom_fc *fc, double *r, double residual, int sweeps);

#endif
