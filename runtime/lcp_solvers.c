/* The one interface of the solvers for linear complementarity problems: the table, the portfolio, the residual, and the
 * only place that decides whether a problem is solved. */
#include "lcp_methods.h"

#include "carom/lemke.h"

#include <math.h>
#include <string.h>

#define RUNAWAY 1e4 /* |w| counts up to so many |q|, as in carom/friction.h */
#define PIVOT_NULL 1e-13

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* name, function, most rows, what it is; the portfolio asks them in this order */
#define METHODS(ENTRY)                                                                                                 \
    ENTRY("lemke", carom_lcp_by_lemke, 0,                                                                              \
          "Lemke's pivots with lexicographic ratios: exact, proves that there is no solution")                         \
    ENTRY("howson", carom_lcp_by_howson, 0, "Lemke and Howson's pivots: games of two players, M = [0 A; B 0], q < 0")  \
    ENTRY("newton", carom_lcp_by_newton, 0,                                                                            \
          "Newton-min, made global by the Fischer-Burmeister function, from several starts")                           \
    ENTRY("enumerate", carom_lcp_by_modes, CAROM_LCP_ENUMERATED, "all modes, up to 20 rows")

#define SOLVER_ROW(name, run, most, text) {name, text, CAROM_LAW_UNILATERAL, CAROM_NEEDS_FULL, {most, most}},
static const carom_solver solvers[] = {
    {"auto",
     "the methods below in turn, until one has solved it or proved that there is no solution",
     CAROM_LAW_UNILATERAL,
     CAROM_NEEDS_FULL,
     {0, 0}},
    METHODS(SOLVER_ROW)};

typedef double (*method)(carom_lcp_run *run, double *z, double residual);
#define METHOD_ROW(name, run, most, text) run,
static const method methods[] = {NULL, METHODS(METHOD_ROW)};

#define SOLVERS ((int)(sizeof solvers / sizeof solvers[0]))

const carom_solver *carom_lcp_solvers(int *count)
{
    if (count != NULL) {
        *count = SOLVERS;
    }
    return solvers;
}

static int applies(int which, const carom_lcp_problem *problem, int *scratch)
{
    return carom_solver_can(&solvers[which], CAROM_LAW_UNILATERAL, problem->n) &&
           (methods[which] != carom_lcp_by_howson || carom_lcp_is_game(problem, scratch));
}

static int find(const char *name)
{
    int which = name == NULL ? 0 : SOLVERS - 1;
    while (which > 0 && strcmp(solvers[which].name, name) != 0) {
        --which;
    }
    return name == NULL || strcmp(solvers[which].name, name) == 0 ? which : -1;
}

/* ---- the residual ------------------------------------------------------------------------------------------------ */

static double judge(const carom_lcp_problem *problem, const double *unit, const double *z, double *w, int *worst)
{
    const size_t n = (size_t)problem->n;
    double sum = 0.0, q_square = 0.0, w_square = 0.0, most = 0.0;
    int at = -1;
    for (size_t i = 0; i < n; ++i) {
        const double *const row = problem->M + n * i;
        double value = problem->q[i];
        for (size_t j = 0; j < n; ++j) {
            value += row[j] * z[j];
        }
        const double m = unit != NULL ? unit[i] : carom_lcp_row_unit(problem->n, row, (int)i);
        const double part = carom_smaller(value, m * z[i]);
        w[i] = value;
        sum += part * part;
        q_square += problem->q[i] * problem->q[i];
        w_square += value * value;
        if (!(fabs(part) <= most)) {
            most = fabs(part);
            at = (int)i;
        }
    }
    if (worst != NULL) {
        *worst = at;
    }
    const double scale = sqrt(fmax(q_square, fmin(w_square, RUNAWAY * RUNAWAY * q_square)));
    const double residual = sum > 0.0 ? sqrt(sum) / scale : sum;
    return residual < HUGE_VAL ? residual : HUGE_VAL;
}

double carom_lcp_residual(const carom_lcp_problem *problem, const double *z, double *w, int *worst)
{
    return judge(problem, NULL, z, w, worst);
}

/* ---- what the methods share -------------------------------------------------------------------------------------- */

int carom_lcp_gauss(int n, double *A, double *x, int *order)
{
    int *const row = order, *const column = order + n, rank = 0;
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        row[i] = column[i] = i;
    }
    for (int k = 0; k < n; ++k) {
        double best = 0.0;
        int bi = k, bj = k;
        for (int i = k; i < n; ++i) {
            for (int j = k; j < n; ++j) {
                const double size = fabs(A[(size_t)row[i] * (size_t)n + (size_t)column[j]]);
                if (size > best) {
                    best = size;
                    bi = i;
                    bj = j;
                }
            }
        }
        largest = k == 0 ? best : largest;
        if (!(best > PIVOT_NULL * largest)) {
            break;
        }
        const int r = row[bi], c = column[bj];
        row[bi] = row[k];
        row[k] = r;
        column[bj] = column[k];
        column[k] = c;
        const double *const pivot = A + (size_t)r * (size_t)n;
        for (int i = k + 1; i < n; ++i) {
            double *const other = A + (size_t)row[i] * (size_t)n;
            const double l = other[c] / pivot[c];
            for (int j = k + 1; j < n && l != 0.0; ++j) {
                other[column[j]] -= l * pivot[column[j]];
            }
            x[row[i]] -= l * x[r];
        }
        ++rank;
    }
    for (int k = rank - 1; k >= 0; --k) {
        const double *const pivot = A + (size_t)row[k] * (size_t)n;
        double sum = x[row[k]];
        for (int j = k + 1; j < rank; ++j) {
            sum -= pivot[column[j]] * x[row[j]];
        }
        x[row[k]] = sum / pivot[column[k]];
    }
    for (int k = 0; k < n; ++k) { /* sorted in the first column of A, which is free now */
        A[(size_t)column[k] * (size_t)n] = k < rank ? x[row[k]] : 0.0;
    }
    for (int i = 0; i < n; ++i) {
        x[i] = A[(size_t)i * (size_t)n];
    }
    return rank;
}

double carom_lcp_keep(carom_lcp_run *run, const double *candidate, double *z, double residual)
{
    const int n = run->problem->n;
    double *const x = run->w + n;
    for (int i = 0; i < n; ++i) {
        x[i] = carom_larger(candidate[i], 0.0);
    }
    const double now = judge(run->problem, run->unit, x, run->w, NULL);
    if (now < residual) {
        memcpy(z, x, (size_t)n * sizeof *z);
        residual = now;
    }
    return residual;
}

double carom_lcp_by_lemke(carom_lcp_run *run, double *z, double residual)
{
    const carom_lcp_problem *const p = run->problem;
    double *const x = run->work, *const work = x + p->n;
    int pivots = 0;
    const carom_status status = carom_lcp_lemke(p->n, p->M, p->n, p->q, x, work, &pivots);
    run->iterations += pivots;
    if (status == CAROM_INFEASIBLE) {
        memcpy(z, x, (size_t)p->n * sizeof *z);
        run->infeasible = 1;
        return residual;
    }
    return carom_lcp_keep(run, x, z, residual);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* unit, w and the candidate, then what a method needs: two full matrices, ten vectors, and integers in the place of
 * doubles. */
size_t carom_lcp_solver_work(int n)
{
    const size_t m = (size_t)n;
    return 2 * m * (m + 4) + 20 * m + 64;
}

static int is_finite(const carom_lcp_problem *problem)
{
    const size_t n = (size_t)problem->n;
    double sum = 0.0;
    for (size_t k = 0; k < n * n; ++k) {
        sum += 0.0 * problem->M[k];
    }
    for (size_t k = 0; k < n; ++k) {
        sum += 0.0 * problem->q[k];
    }
    return sum == 0.0;
}

carom_status carom_lcp_solve_by(const char *name, const carom_lcp_problem *problem, double tolerance, double *z,
                                double *w, carom_lcp_result *result, double *work)
{
    const int n = problem->n, which = find(name);
    carom_lcp_run run = {.problem = problem, .tolerance = tolerance, .unit = work, .w = work + n, .work = work + 3 * n};
    int *const scratch = (int *)(void *)run.work;
    *result = (carom_lcp_result){.stage = "none", .worst = -1, .residual = HUGE_VAL};
    if (n < 1 || which < 0 || !(tolerance > 0.0) || !applies(which, problem, scratch)) {
        return CAROM_ARGUMENT;
    }
    if (!is_finite(problem)) {
        return CAROM_NOT_FINITE;
    }
    for (int i = 0; i < n; ++i) {
        run.unit[i] = carom_lcp_row_unit(n, problem->M + (size_t)i * (size_t)n, i);
        z[i] = 0.0;
    }
    double residual = judge(problem, run.unit, z, w, NULL);
    result->stage = "zero";
    for (int k = which > 0 ? which : 1;
         k < (which > 0 ? which + 1 : SOLVERS) && residual > tolerance && !run.infeasible; ++k) {
        if (applies(k, problem, scratch)) {
            const double now = methods[k](&run, z, residual);
            result->stage = now < residual || run.infeasible ? solvers[k].name : result->stage;
            residual = now;
        }
    }
    result->iterations = run.iterations;
    result->residual = judge(problem, run.unit, z, w, &result->worst);
    if (run.infeasible) {
        return CAROM_INFEASIBLE;
    }
    return result->residual <= tolerance ? CAROM_OK : CAROM_CONTACT;
}
