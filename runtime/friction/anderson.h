/* Anderson-accelerated Gauss-Seidel that can be interrupted and continued (anderson.c). */
#ifndef CAROM_FRICTION_ANDERSON_H
#define CAROM_FRICTION_ANDERSON_H

#include "mixing.h"

typedef struct {
    carom_mixing mix;
    double *u;          /* [d n] */
    int sweeps;         /* so far */
    double check_below; /* |f| below which every sweep is checked */
} carom_anderson;

/* Takes work space from the arena and starts at r; 0 when it is too small. */
int carom_anderson_start(carom_anderson *h, carom_fc *fc, const double *r);

/* Makes at most so many more sweeps; r holds the best point so far with its residual, and is improved. */
double carom_anderson_advance(carom_anderson *h, carom_fc *fc, double *r, double residual, int sweeps);

#endif
