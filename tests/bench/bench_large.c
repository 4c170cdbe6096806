/* What contact costs in a step of a large elastic body: the contact problem against the contact-free solve with the same
 * Krylov method on the same right hand side, in one run. One row per mesh, CFL and friction:
 *
 *     large hex 98304 cfl 10 mu 0.3 steps 12 failed 0 outer 8.1 products 120.0 free 89.0 seconds 1.0000 free 0.7000 ratio 1.35 1.43 MB 130
 *
 * (ratio of products, then of CPU seconds). Steps without candidates and the first step, whose free solve is trivial because
 * the body moves as a whole, do not count. Arguments: mesh (hex or tet), nodes per edge, CFL, mu, steps, then PETSc options. */
#include "../elastic_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

typedef struct {
    PetscInt steps, failed, outer, products, free_products, most_outer, most_products;
    double seconds, free_seconds;
} Totals;

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static PetscErrorCode step(Block *B, CaromContact solver, Vec before, Vec probe, PetscInt number, Totals *t)
{
    CaromContactSet set;
    CaromContactResult result;
    PetscInt products;
    PetscFunctionBegin;
    PetscCall(BlockPrepare(B, &set));
    PetscCall(VecCopy(B->v, before));
    PetscCall(VecCopy(B->v, probe));
    const double start = cpu_seconds();
    PetscCall(CaromContactFree(solver, B->b, probe, &products));
    const double middle = cpu_seconds();
    PetscCall(CaromContactSolve(solver, &set, B->b, B->v, B->lambda, &result));
    const double end = cpu_seconds();
    PetscCall(BlockAdvance(B, before));
    if (number == 0 || B->candidates == 0) {
        PetscFunctionReturn(0);
    }
    ++t->steps;
    t->failed += result.residual <= result.target ? 0 : 1; /* NaN counts */
    t->outer += result.outer;
    t->products += result.products;
    t->most_outer = PetscMax(t->most_outer, result.outer);
    t->most_products = PetscMax(t->most_products, result.products);
    t->free_products += products;
    t->seconds += end - middle;
    t->free_seconds += middle - start;
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    BlockOptions o = {.d = 3, .drop = 1.0, .slide = 2.0, .weight = 5000.0, .radius = 2000.0, .matrix = MATSBAIJ};
    Block B;
    CaromContact solver;
    Vec before, probe;
    Totals t = {0};
    if (argc < 6) {
        fprintf(stderr, "usage: bench_large hex|tet NODES_PER_EDGE CFL MU STEPS [PETSc options]\n");
        return 2;
    }
    o.tets = argv[1][0] == 't' ? PETSC_TRUE : PETSC_FALSE;
    o.edge = atoi(argv[2]);
    o.cfl = atof(argv[3]);
    o.mu = atof(argv[4]);
    const PetscInt steps = atoi(argv[5]);
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(BlockCreate(PETSC_COMM_WORLD, &o, &B));
    PetscCall(CaromContactCreate(PETSC_COMM_WORLD, o.mu > 0.0 ? "tnn" : "mprgp", &solver));
    PetscCall(CaromContactSetOperator(solver, B.A, NULL, 3, B.n, B.node));
    PetscCall(VecDuplicate(B.v, &before));
    PetscCall(VecDuplicate(B.v, &probe));
    for (PetscInt k = 0; t.steps < steps && k < 20 * steps; ++k) {
        PetscCall(step(&B, solver, before, probe, k, &t));
    }
    const PetscReal n = (PetscReal)PetscMax(1, t.steps);
    PetscInt dof;
    struct rusage usage;
    PetscCall(VecGetSize(B.v, &dof));
    getrusage(RUSAGE_SELF, &usage);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "large %s %d cfl %g mu %g steps %d failed %d outer %.1f (%d) products %.1f (%d) free %.1f seconds %.4f free %.4f "
                          "ratio %.2f %.2f MB %ld\n",
                          o.tets ? "tet" : "hex", (int)dof, (double)o.cfl, (double)o.mu, (int)t.steps, (int)t.failed,
                          (double)((PetscReal)t.outer / n), (int)t.most_outer, (double)((PetscReal)t.products / n),
                          (int)t.most_products, (double)((PetscReal)t.free_products / n), t.seconds / (double)n,
                          t.free_seconds / (double)n, (double)t.products / (double)PetscMax(1, t.free_products),
                          t.seconds / t.free_seconds, usage.ru_maxrss / 1024));
    PetscCall(VecDestroy(&before));
    PetscCall(VecDestroy(&probe));
    PetscCall(CaromContactDestroy(&solver));
    PetscCall(BlockDestroy(&B));
    PetscCall(PetscFinalize());
    return 0;
}
