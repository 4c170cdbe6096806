/* Siconos 4.x, numerics component: fc3d_driver or fc2d_driver with its NSGS, everything at its defaults but tolerance and number
 * of iterations. */
#include "siconos_nsgs.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <stdlib.h>

typedef struct {
    FrictionContactProblem problem;
    NumericsMatrix *matrix;
    SparseBlockStructuredMatrix blocks;
    double *memory; /* mu, q and the blocks by columns */
} peer_problem;

void siconos_free(void *memory)
{
    peer_problem *peer = memory;
    if (peer != NULL) {
        free(peer->blocks.block);
        free(peer->blocks.blocksize0);
        free(peer->blocks.index1_data);
        free(peer->blocks.index2_data);
        free(peer->memory);
        free(peer->matrix);
        free(peer);
    }
}

void *siconos_make(const carom_friction_problem *problem)
{
    const int d = problem->dimension, n = problem->contacts, count = problem->row[n], size = d * n;
    const size_t numbers = (size_t)(n + size) + (size_t)(d * d) * (size_t)count;
    peer_problem *peer = calloc(1, sizeof *peer);
    if (peer == NULL) {
        return NULL;
    }
    SparseBlockStructuredMatrix *blocks = &peer->blocks;
    SBM_null(blocks);
    peer->memory = malloc(numbers * sizeof(double));
    blocks->block = malloc((size_t)count * sizeof *blocks->block);
    blocks->blocksize0 = malloc((size_t)n * sizeof *blocks->blocksize0);
    blocks->index1_data = malloc(((size_t)n + 1) * sizeof *blocks->index1_data);
    blocks->index2_data = malloc((size_t)count * sizeof *blocks->index2_data);
    if (peer->memory == NULL || blocks->block == NULL || blocks->blocksize0 == NULL || blocks->index1_data == NULL ||
        blocks->index2_data == NULL) {
        siconos_free(peer);
        return NULL;
    }
    double *mu = peer->memory, *q = mu + n, *values = q + size;
    for (int i = 0; i < size; ++i) {
        q[i] = problem->q[i];
    }
    for (int c = 0; c < n; ++c) {
        mu[c] = problem->mu[c];
        blocks->blocksize0[c] = (unsigned)(d * (c + 1));
        blocks->index1_data[c] = (size_t)problem->row[c];
    }
    blocks->index1_data[n] = (size_t)count;
    for (int k = 0; k < count; ++k) {
        blocks->index2_data[k] = (size_t)problem->column[k];
        blocks->block[k] = values + (size_t)(d * d) * (size_t)k;
        for (int i = 0; i < d; ++i) {
            for (int j = 0; j < d; ++j) {
                blocks->block[k][d * j + i] = problem->block[d * d * k + d * i + j];
            }
        }
    }
    blocks->nbblocks = (unsigned)count;
    blocks->blocknumber0 = blocks->blocknumber1 = (unsigned)n;
    blocks->blocksize1 = blocks->blocksize0;
    blocks->filled1 = (size_t)n + 1;
    blocks->filled2 = (size_t)count;
    peer->matrix = NM_new_SBM(size, size, blocks);
    peer->problem = (FrictionContactProblem){.dimension = d, .numberOfContacts = n, .M = peer->matrix, .q = q, .mu = mu};
    return peer;
}

int siconos_solve(void *memory, double tolerance, int limit, double *r, double *u, int *claims)
{
    peer_problem *peer = memory;
    const int d = peer->problem.dimension;
    SolverOptions *options = solver_options_create(d == 3 ? SICONOS_FRICTION_3D_NSGS : SICONOS_FRICTION_2D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = limit;
    for (int i = 0; i < d * peer->problem.numberOfContacts; ++i) {
        r[i] = u[i] = 0.0;
    }
    *claims = (d == 3 ? fc3d_driver : fc2d_driver)(&peer->problem, r, u, options) == 0;
    const int iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    free(options);
    return iterations;
}
