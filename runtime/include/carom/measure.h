/*
 * How far apart two trajectories are, one scalar component at a time: grid norms, the L1 norm of a dense output, and
 * the Hausdorff distance of filled-in graphs (Acary, RR-7151, equations (20) and (21)). No heap: work space is the
 * caller's.
 *
 * Velocities jump. A grid norm compares v_k with the limit from the right, v+(t_k), so an impact of the reference must
 * not fall on a grid point: on which side of it rounding puts t_k decides about an error of the size of the jump. The
 * Hausdorff distance with the metric max(|dt|, |dx|) forgives a jump that comes a little early or late.
 */
#ifndef CAROM_MEASURE_H
#define CAROM_MEASURE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * (sum_i h_i |e_i|^p)^(1/p) over i = 1 .. points-1, where h_i = t_i - t_{i-1} is the step that ends at t_i; p >= 1.
 * p = INFINITY gives the largest |e_i|, i = 0 included.
 */
double carom_grid_norm(size_t points, const double *t, const double *e, double p);

/*
 * A dense output: on step i, from t[i] to t[i+1], the polynomial through value[i*nodes + j] at t[i] + node[j] h,
 * j = 0 .. nodes-1 (1 <= nodes <= CAROM_DENSE_NODES, distinct, the same for all steps). nodes = 1 is piecewise
 * constant.
 */
#define CAROM_DENSE_NODES 17

typedef struct {
    size_t steps;
    const double *t; /* steps + 1, increasing */
    int nodes;
    const double *node;
    const double *value;
} carom_dense;

/* The value at time t of the polynomial of step i (also outside of that step). */
double carom_dense_at(const carom_dense *x, size_t i, double t);

/* A reference: a function of time that is smooth between its phase starts. */
typedef double carom_reference(double t, void *context);

/*
 * The integral of |x - reference| over all steps: split at the phase starts (ascending), then at sign changes of the
 * difference (9 samples and bisection), 8-point Gauss on each piece: exact for polynomials up to degree 15.
 */
double carom_dense_l1(const carom_dense *x, carom_reference *reference, void *context, size_t starts,
                      const double *start);

/*
 * A graph: a polyline with t[0] <= t[1] <= ...; vertices with equal t are the filled-in part of a jump (or a spike).
 */
typedef struct {
    size_t n; /* at least 1 */
    const double *t, *x;
} carom_graph;

/*
 * The graph of the function that is x[0] at t[0] and x[i] on (t[i-1], t[i]]: 2 n - 1 vertices into T and X. Returns
 * their number.
 */
size_t carom_graph_staircase(size_t n, const double *t, const double *x, double *T, double *X);

/* Entries of the work space below for graphs of at most n vertices. */
#define CAROM_HAUSDORFF_WORK(n) (n)

/*
 * Is every point of a within r of some point of b, in the metric max(|dt|, |dx|)? Exact up to rounding, in time
 * proportional to the number of vertices: the graph of b over [t-r, t+r] is connected, so what lies within r of it at
 * time t is the interval between its least and its largest value there, widened by r. True for scalar x only.
 */
int carom_graph_within(const carom_graph *a, const carom_graph *b, double r, size_t *work);

/*
 * The Hausdorff distance of two graphs, by bisection on r: never less than the true one, and larger by at most the
 * relative tolerance (or by 1e-14 of the size of the graphs). Components of a vector, taken one by one, bound the
 * distance of the vectors from below.
 */
double carom_hausdorff(const carom_graph *a, const carom_graph *b, double tolerance, size_t *work);

#ifdef __cplusplus
}
#endif

#endif
