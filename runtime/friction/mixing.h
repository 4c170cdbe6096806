/* Anderson acceleration of a fixed-point iteration x <- g(x), of any vector (mixing.c). */
#ifndef CAROM_FRICTION_MIXING_H
#define CAROM_FRICTION_MIXING_H

#include "solver.h"

#define CAROM_MIXING_MEMORY 8

typedef struct {
    int size;
    double *x, *g, *f, *g_old, *f_old; /* [size] the point, its image, the defect; those before */
    double *dF[CAROM_MIXING_MEMORY], *dG[CAROM_MIXING_MEMORY]; /* a ring: columns are reused, never moved */
    double gram[CAROM_MIXING_MEMORY][CAROM_MIXING_MEMORY];     /* dF' dF */
    int count, next;                                           /* columns in use, column to replace */
    int chunks;                                                /* of the vectors, see solver.h */
    int have_old;                                              /* g_old and f_old belong to the iteration before */
    double best;                                               /* smallest |f| so far */
} carom_mixing;

/* Takes work space from the arena; 0 when it is too small. x is the caller's to fill. */
int carom_mixing_start(carom_mixing *h, carom_arena *arena, int size);
size_t carom_mixing_work(int size);

/* Before an iteration: makes room for the next g and f. */
void carom_mixing_turn(carom_mixing *h);

/* After it, with g and f in place and |f| given: x <- g - dG gamma, gamma = argmin |f - dF gamma|. When |f| has grown
 * past `growth` times the best one the history is dropped and x <- g. Returns whether x differs from g. */
int carom_mixing_extrapolate(carom_mixing *h, double size_f, double growth);

/* Solves (gram + regularisation) gamma = dF' f by Cholesky, gamma being dF' f before; gram: the products of m
 * columns (at most CAROM_MIXING_MEMORY) in rows of `stride`. 0 when it breaks down. For histories that are kept
 * otherwise. */
int carom_mixing_combine(int m, const double *gram, int stride, double *gamma);

double carom_mixing_dot(int size, const double *x, const double *y);

#endif
