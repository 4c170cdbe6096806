/* Sparse LU of a block matrix with symmetric pattern (sparse.c). */
#ifndef CAROM_FRICTION_SPARSE_H
#define CAROM_FRICTION_SPARSE_H

#include "solver.h"

/* A square matrix of n x n blocks, d x d each, by block rows; the diagonal is stored and the pattern symmetric. */
typedef struct {
    int d, n;
    const int *row, *column;
    const double *block;
} carom_blocks;

typedef struct {
    int d, n;
    int *order, *position;   /* order[k]: block eliminated k-th; position: its inverse */
    int *u_start, *u_column; /* row k of U: the blocks still there when order[k] goes that it touches */
    int *l_start, *l_step;   /* row k of L: the earlier steps it depends on, ascending */
    double *upper, *lower;   /* blocks in that order */
    double *pivot;           /* inverses of the diagonal blocks */
    double *row;             /* one block row, spread out; zero between uses */
    double *y;               /* [d n] scratch of the solve */
} carom_lu;

/* Fixed part of the work space, without fill. */
size_t carom_lu_work(int d, int n, int blocks);

/* Orders by approximate minimum degree, finds the fill, takes memory for the factors. 0 when the arena is too small. */
int carom_lu_analyse(carom_lu *lu, const carom_blocks *A, carom_arena *arena);

/* Numbers for the analysed pattern. Returns how many pivots had to be perturbed. */
int carom_lu_factor(carom_lu *lu, const carom_blocks *A);

/* x = A^-1 x with the factors. */
void carom_lu_solve(const carom_lu *lu, double *x);

#endif
