/* The portfolio: cheap methods first, in short turns, then the ones that do not give up.
 *
 *     few contacts in the plane     enumeration of modes (tiny.c)
 *     few contacts, no start        ten projected gradient steps: forces that nothing determines are shared evenly
 *     few contacts                  three Newton steps: the modes of the last step or of the gradient are usually right
 *     turns                         25, 40, 60, 80 sweeps of Anderson-accelerated Gauss-Seidel, each followed by a few
 *                                   Newton steps from where it is; once also from the start, which with few contacts
 *                                   comes first, after 12 sweeps
 *     long chains                   after two of the turns, with more than 100 contacts: alternating directions
 *                                   (admm.c)
 *     proof                         that the contacts cannot be satisfied together (squeeze.c): then nothing else is
 *                                   tried
 *     proximal point                from the start, not from a half-converged point
 *     last resorts                  Lemke where it applies; the augmented Lagrangian (augmented.c) where u is known to
 *                                   rounding only: heavy bodies on light ones; proximal point from other starts;
 *                                   thousands of sweeps with Newton between them; at last every method by itself
 *
 * Most problems end in the first turn. Newton costs about as much as five to ten sweeps a step, so failed attempts in
 * between are cheap, and no problem waits long for the method that suits it. Everything is counted in sweeps and steps,
 * never in time: the same problem always takes the same way. */
#include "anderson.h"
#include "prox.h"

#include <math.h>

#define FEW_CONTACTS 30
#define WARM_STEPS 3
#define EVEN_STEPS 10
#define FIRST_SWEEPS 12
#define POLISH_STEPS 10
#define CHAIN_CONTACTS 100 /* with fewer, sweeps and Newton are as quick as what is for long chains */
#define STACK_TURN 1       /* the number of turns before it, from 0 */
#define STACK_STEPS 500
#define STACK_PATIENCE 125
#define PROX_STEPS 100
#define ROUNDING_LOOK 1e-5
#define AUGMENTED_STEPS 1000
#define LONG_TURNS 20
#define LONG_TURN 250
#define MANY_CONTACTS 2000 /* beyond, thousands of sweeps of every method take minutes */

typedef double (*method)(carom_fc *fc, double *r, double residual, int limit);

typedef struct {
    carom_fc *fc;
    double *best; /* the caller's r: the best point of all */
    double best_residual;
    double *start; /* where everything began */
    double start_residual;
    double *swept; /* the best point of the sweeps: not moved by Newton's failures */
    double swept_residual;
    double *x, *u; /* scratch */
    int reached;   /* the best point is a solution */
    const char **stage;
} portfolio;

static int keep(portfolio *p, const double *x, double residual, const char *name)
{
    if (residual < p->best_residual) {
        p->best_residual = residual;
        *p->stage = name;
        carom_fc_copy(p->fc->size, x, p->best);
        p->reached = residual <= p->fc->tolerance;
        if (!p->reached && residual <= ROUNDING_LOOK) { /* very unlike masses: nobody knows u any better */
            carom_fc_velocity(p->fc, x, p->u);
            p->reached = carom_fc_reached(p->fc, residual, x, p->u);
        }
    }
    return p->reached;
}

/* Runs a method from a copy of the point; 1 when the problem is solved. */
static int attempt(portfolio *p, const char *name, method run, int limit, const double *from, double from_residual)
{
    carom_fc_copy(p->fc->size, from, p->x);
    const double residual = run(p->fc, p->x, from_residual, limit);
    return keep(p, p->x, residual, name);
}

static int sweep_turn(portfolio *p, carom_anderson *h, int sweeps)
{
    p->swept_residual = carom_anderson_advance(h, p->fc, p->swept, p->swept_residual, sweeps);
    return keep(p, p->swept, p->swept_residual, "anderson") ||
           attempt(p, "newton", carom_fc_polish, POLISH_STEPS, p->swept, p->swept_residual);
}

/* Where two turns did not do it chains of contacts may be long: alternating directions, whose one factorisation sees
 * all of a chain. First with the weight of stacks, then with that of heaps. */
static int stack_turn(portfolio *p)
{
    static const double weight[] = {CAROM_ADMM_STACKS, CAROM_ADMM_HEAPS};
    int solved = 0;
    for (size_t k = 0; k < sizeof weight / sizeof weight[0] && !solved; ++k) {
        carom_fc_copy(p->fc->size, p->start, p->x);
        double residual = carom_admm_run(p->fc, weight[k], p->x, p->start_residual, STACK_STEPS, STACK_PATIENCE);
        solved = keep(p, p->x, residual, "admm");
        if (!solved) { /* the modes may be right by now */
            residual = carom_fc_polish(p->fc, p->x, residual, POLISH_STEPS);
            solved = keep(p, p->x, residual, "newton");
        }
    }
    return solved;
}

static int turns(portfolio *p, carom_anderson *h)
{
    static const int sweeps[] = {25, 40, 60, 80};
    int solved = 0, fresh = 1; /* fresh: Newton from the start has not been tried */
    if (p->fc->n <= FEW_CONTACTS) {
        p->swept_residual = carom_anderson_advance(h, p->fc, p->swept, p->swept_residual, FIRST_SWEEPS);
        solved = keep(p, p->swept, p->swept_residual, "anderson") ||
                 attempt(p, "newton", carom_fc_polish, POLISH_STEPS, p->start, p->start_residual);
        fresh = 0;
    }
    for (size_t k = 0; k < sizeof sweeps / sizeof sweeps[0] && !solved; ++k) {
        solved = sweep_turn(p, h, sweeps[k]) || (k == STACK_TURN && p->fc->n > CHAIN_CONTACTS && stack_turn(p));
        if (!solved && fresh) {
            solved = attempt(p, "newton", carom_fc_polish, POLISH_STEPS, p->start, p->start_residual);
            fresh = 0;
        }
    }
    return solved;
}

/* Proximal point once more, with other first alphas and weights and from other starts: what stalls on one way seldom
 * stalls on all. */
static int other_ways(portfolio *p)
{
    static const struct {
        const char *name;
        method prepare; /* applied to the start; NULL: nothing */
        int limit;
        carom_prox_options prox;
    } way[] = {{"start", NULL, 0, {.alpha = 0.1, .weight = 10.0, .limit = 500}},
               {"nsgs", carom_fc_symmetric_nsgs, 300, {.alpha = 1e-3, .weight = 1.0, .limit = 500}},
               {"start", NULL, 0, {.alpha = 0.1, .weight = 3.0, .limit = 500}},
               {"apgd", carom_fc_apgd, 1000, {.alpha = 1e-2, .weight = 3.0, .limit = 300}}};
    carom_fc *fc = p->fc;
    int solved = 0;
    for (size_t k = 0; k < sizeof way / sizeof way[0] && !solved; ++k) {
        double residual = p->start_residual;
        carom_fc_copy(fc->size, p->start, p->x);
        if (way[k].prepare != NULL) {
            residual = way[k].prepare(fc, p->x, residual, way[k].limit);
            solved = keep(p, p->x, residual, way[k].name);
        }
        solved = solved || keep(p, p->x, carom_prox_run(fc, &way[k].prox, p->x, residual), "prox");
    }
    return solved;
}

/* Nothing is given up that one of the methods would have solved alone: each from the start, as long as it may take by
 * itself. */
static int every_member(portfolio *p)
{
    static const struct {
        const char *name;
        method run;
        int limit;
    } member[] = {{"newton", carom_fc_newton, 200},
                  {"apgd", carom_fc_apgd, 20000},
                  {"admm", carom_fc_admm, 2000},
                  {"prox", carom_fc_prox, 500},
                  {"anderson", carom_fc_anderson, 10000},
                  {"nsgs", carom_fc_nsgs, 20000},
                  {"augmented", carom_fc_augmented, AUGMENTED_STEPS}};
    int solved = 0;
    for (size_t k = 0; k < sizeof member / sizeof member[0] && !solved && p->fc->n <= MANY_CONTACTS; ++k) {
        solved = attempt(p, member[k].name, member[k].run, member[k].limit, p->start, p->start_residual);
    }
    return solved;
}

static int last_resorts(portfolio *p, carom_anderson *h)
{
    carom_fc *fc = p->fc;
    const carom_friction_problem problem = {fc->d, fc->n, fc->mu, fc->q, fc->row, fc->column, fc->block};
    carom_fc_velocity(fc, p->best, p->u);
    const int unlike = carom_fc_rounding(fc, p->best, p->u) > fc->tolerance; /* heavy on light */
    int solved =
        carom_fc_lemke_applies(&problem) && attempt(p, "lemke", carom_fc_lemke, 0, p->start, p->start_residual);
    solved =
        solved || (unlike && attempt(p, "augmented", carom_fc_augmented, AUGMENTED_STEPS, p->start, p->start_residual));
    solved = solved || other_ways(p);
    for (int k = 0; k < LONG_TURNS && !solved; ++k) {
        solved = sweep_turn(p, h, LONG_TURN);
    }
    return solved || every_member(p);
}

/* Is it proved by now that nothing will help? */
static int squeezed(portfolio *p)
{
    double bound = 0.0;
    int worst = -1;
    return carom_fc_squeezed(p->fc, p->x, &bound, &worst);
}

/* A few projected gradient steps from zero, x + t (P_K(x - s u^) - x) with the best t: forces that nothing determines
 * are shared evenly among alike contacts, where sweeps would give most of them to the first. d and u are scratch. */
static double spread_evenly(carom_fc *fc, double *x, double *d, double *u)
{
    for (int k = 0; k < EVEN_STEPS; ++k) {
        double down = 0.0, curvature = 0.0;
        carom_fc_velocity(fc, x, u);
        for (int c = 0; c < fc->n; ++c) {
            const int at = fc->d * c;
            u[at] += fc->mu[c] * (fc->d == 2 ? fabs(u[at + 1]) : sqrt(u[at + 1] * u[at + 1] + u[at + 2] * u[at + 2]));
            for (int i = at; i < at + fc->d; ++i) {
                d[i] = x[i] - fc->s[c] * u[i];
            }
        }
        carom_fc_project(fc, d);
        for (int i = 0; i < fc->size; ++i) {
            d[i] -= x[i];
            down -= d[i] * u[i];
        }
        carom_fc_velocity(fc, d, u);
        for (int i = 0; i < fc->size; ++i) {
            curvature += d[i] * (u[i] - fc->q[i]);
        }
        if (!(down > 0.0)) {
            break;
        }
        const double t = curvature > down ? down / curvature : 1.0;
        for (int i = 0; i < fc->size; ++i) {
            x[i] += t * d[i];
        }
        fc->sweeps++;
    }
    return carom_fc_residual(fc, x, u);
}

static int is_zero(int size, const double *x)
{
    for (int i = 0; i < size; ++i) {
        if (x[i] != 0.0) {
            return 0;
        }
    }
    return 1;
}

size_t carom_fc_auto_work(int d, int n)
{
    return 4 * carom_arena_round((size_t)d * (size_t)n * sizeof(double)) + carom_fc_anderson_work(d, n);
}

double carom_fc_auto(carom_fc *fc, double *r, double residual, const char **stage)
{
    const size_t mark = fc->arena.used;
    portfolio p = {
        .fc = fc, .best = r, .best_residual = residual, .start_residual = residual, .swept_residual = residual};
    p.stage = stage;
    *stage = "none";
    int solved = 0;
    if (fc->d == 2 && fc->n <= CAROM_TINY_CONTACTS) {
        p.best_residual = carom_fc_tiny(fc, r, residual, 1);
        solved = p.best_residual <= fc->tolerance;
        *stage = "tiny";
    }
    if (!solved) {
        carom_anderson h;
        p.start = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        p.swept = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        p.x = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        p.u = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
        if (p.start != NULL && p.swept != NULL && p.x != NULL && p.u != NULL && carom_anderson_start(&h, fc, r)) {
            carom_fc_copy(fc->size, r, p.start);
            carom_fc_copy(fc->size, r, p.swept);
            const int few = fc->n <= FEW_CONTACTS;
            if (few && is_zero(fc->size, r)) {
                p.swept_residual = spread_evenly(fc, p.swept, p.x, h.u);
                carom_fc_copy(fc->size, p.swept, h.mix.x);
                solved = keep(&p, p.swept, p.swept_residual, "gradient");
            }
            (void)(solved || (few && attempt(&p, "newton", carom_fc_polish, WARM_STEPS, p.swept, p.swept_residual)) ||
                   turns(&p, &h) || squeezed(&p) || attempt(&p, "prox", carom_fc_prox, PROX_STEPS, p.start, residual) ||
                   last_resorts(&p, &h));
        }
    }
    fc->arena.used = mark;
    return p.best_residual;
}
