/* What the friction solvers share among themselves; not installed.
 *
 * carom_friction_solve (friction.c) checks the problem once, puts what every method needs into a carom_fc and calls
 * methods from the table. A method improves r in place and may stop anywhere: only friction.c decides about success,
 * by the residual of the point that is given back. */
#ifndef CAROM_FRICTION_SOLVER_H
#define CAROM_FRICTION_SOLVER_H

#include "carom/friction.h"
#include "carom/law.h"

/* Loops over chunks of contacts may run side by side, where this is compiled with OpenMP. How many chunks there are
 * does not depend on that, and sums are added chunk by chunk: the bits are the same with any number of threads. */
enum { CAROM_CHUNKS = 4 };

#ifdef _OPENMP
#define CAROM_PRAGMA(x) _Pragma(#x)
#define CAROM_SIDE_BY_SIDE(chunks) CAROM_PRAGMA(omp parallel for schedule(static) if ((chunks) > 1))
#else
#define CAROM_SIDE_BY_SIDE(chunks)
#endif

/* Where chunk k of n begins. */
static inline int carom_chunk(int n, int chunks, int k) { return (int)((long long)n * k / chunks); }

#define CAROM_RUNAWAY 1e4 /* |u| counts up to so many |q|: see velocity_scale in residual.c */

/* Work space handed out from the front; a method marks, takes and releases. */
typedef struct {
    char *base;
    size_t size, used;
    size_t missed; /* bytes (from base) that a refused request would have needed; 0 when none was refused */
} carom_arena;

void *carom_arena_take(carom_arena *arena, size_t count, size_t element); /* NULL when full */
size_t carom_arena_round(size_t bytes);                                   /* what a request of `bytes` uses */

/* A contact's diagonal block, prepared for the exact local solver: S = W_TT - W_TN W_NT / W_NN. */
typedef struct {
    double mu;
    double wnn;        /* W_NN */
    double w[2];       /* W_NT / W_NN */
    double v[2];       /* W_TN / W_NN */
    double S[4];       /* by rows; 2D uses S[0] */
    double inverse[4]; /* of S; zero when S is singular */
    double floor;      /* smallest regularisation of S: 0 when S is regular */
} carom_local;

void carom_local_prepare(int d, const double *W, double mu, carom_local *local);
carom_contact_mode carom_local_solve2(const carom_local *local, const double b[2], double r[2]);
carom_contact_mode carom_local_solve3(const carom_local *local, const double b[3], double r[3]);

/* A problem under solution. */
typedef struct {
    int d, n, size; /* size = d n */
    const double *mu, *q;
    const int *row, *column, *diagonal; /* diagonal[c]: index of block (c,c) */
    const double *block;
    const double *s;          /* [n] d / trace(W_cc) */
    const carom_local *local; /* [n] */
    double tolerance, floor;
    double q_norm;
    int chunks; /* at least 1 where products are given */
    carom_arena arena;
    int sweeps, factorisations; /* counted by the methods */
    /* u = W r + q where W is not at hand as blocks, for methods that need products only; NULL: it is */
    void (*product)(void *context, const double *r, double *u);
    void *context;
} carom_fc;

/* u = W r + q. */
void carom_fc_velocity(const carom_fc *fc, const double *r, double *u);

/* Residual of r with u = W r + q already computed. */
double carom_fc_natural(const carom_fc *fc, const double *r, const double *u, int *worst);

/* Chunks of a problem, of which one with blocks of W has one. */
static inline int carom_fc_chunks(const carom_fc *fc) { return fc->chunks > 1 ? fc->chunks : 1; }

/* Both together. */
double carom_fc_residual(const carom_fc *fc, const double *r, double *u);

/* Errors in u = W r + q from rounding, on the scale of the residual. */
double carom_fc_rounding(const carom_fc *fc, const double *r, const double *u);

/* Is it solved: to tolerance, or as far as rounding of u allows? */
int carom_fc_reached(const carom_fc *fc, double residual, const double *r, const double *u);

/* What velocities are measured against. */
double carom_fc_scale(const carom_fc *fc, const double *u);

/* Is there a proof that the contacts cannot be satisfied together (squeeze.c)? z [n] is its combination of the normals,
 * bound how many times max s |q| an impulse would have to be, worst the contact that closes most. */
int carom_fc_squeezed(carom_fc *fc, double *z, double *bound, int *worst);

void carom_fc_project(const carom_fc *fc, double *r);
void carom_fc_copy(int size, const double *from, double *to);
double carom_fc_norm(int size, const double *x);

/* r becomes x when x leaves less (`now`, against `residual`); returns what is left then. */
double carom_fc_better(const carom_fc *fc, const double *x, double now, double *r, double residual);

/* One Gauss-Seidel pass of exact local solves, in place; backward passes run from the last contact to the first. */
void carom_fc_sweep(carom_fc *fc, double *r, int backward);

/* ---- methods: improve r, return its residual ------------------------------------------------------------------- */

double carom_fc_nsgs(carom_fc *fc, double *r, double residual, int limit);
double carom_fc_symmetric_nsgs(carom_fc *fc, double *r, double residual, int limit);
double carom_fc_anderson(carom_fc *fc, double *r, double residual, int limit);
double carom_fc_apgd(carom_fc *fc, double *r, double residual, int limit);
double carom_fc_newton(carom_fc *fc, double *r, double residual, int limit);
double carom_fc_polish(carom_fc *fc, double *r, double residual, int limit); /* gives up when it stalls */
double carom_fc_prox(carom_fc *fc, double *r, double residual, int limit);
double carom_fc_admm(carom_fc *fc, double *r, double residual, int limit);
double carom_fc_augmented(carom_fc *fc, double *r, double residual, int limit);
double carom_fc_tiny(carom_fc *fc, double *r, double residual, int limit);
double carom_fc_lemke(carom_fc *fc, double *r, double residual, int limit);

/* Alternating directions with so many masses of a contact as their weight; given up when the residual has not halved in
 * `patience`. */
#define CAROM_ADMM_STACKS 1000.0
#define CAROM_ADMM_HEAPS 30.0
double carom_admm_run(carom_fc *fc, double rho, double *r, double residual, int limit, int patience);

#define CAROM_FC_AUGMENTED_CONTACTS 200 /* it is dense */

/* of the complementarity problem: 1 per contact without friction, 3 in the plane with it */
#define CAROM_FC_LEMKE_ROWS 240
int carom_fc_lemke_applies(const carom_friction_problem *problem);
size_t carom_fc_lemke_work(const carom_friction_problem *problem);

/* The portfolio; names the stage that ended it. */
double carom_fc_auto(carom_fc *fc, double *r, double residual, const char **stage);

/* Work space (bytes) beyond the shared part; that of auto is without the methods that it calls in turn. */
size_t carom_fc_auto_work(int d, int n);
size_t carom_fc_anderson_work(int d, int n);
size_t carom_fc_prox_work(int d, int n, int blocks);
size_t carom_fc_admm_work(int d, int n, int blocks);
size_t carom_fc_augmented_work(int d, int n);

#endif
