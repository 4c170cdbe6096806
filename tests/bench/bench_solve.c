/* The friction solvers on problem files, side by side in one process: the portfolio, every single method, and where it was
 * built in (BENCH_SICONOS) Siconos' NSGS. Solves are repeated alternately while they are short; the quickest counts.
 *
 *     bench_solve FILE...      prints per file
 *     NAME contacts N auto SECONDS best SOLVER SECONDS peer SECONDS iterations K residual X [slower|failed]
 *
 * The peer's residual is ours (friction.h), of the r it gives back. A peer that needs more than LIMIT seconds is stopped. */
#define _XOPEN_SOURCE 700
#include "carom/friction.h"

#ifdef BENCH_SICONOS
#include "siconos_nsgs.h"
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOLERANCE 1e-8
#define LIMIT 10.0 /* seconds for one solve of the peer */
#define SHORT 0.2  /* seconds: solves are repeated until so much has been spent on them */
enum { REPEAT = 15 };

typedef struct {
    double *r, *u;
    void *work;
    size_t size;
} memory;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one solve from 0; infinite when it is not solved. */
static double solve(const carom_friction_problem *problem, const char *solver, memory *m)
{
    const carom_friction_options options = {.solver = solver, .tolerance = TOLERANCE};
    carom_friction_result result;
    for (int again = 1; again;) {
        memset(m->r, 0, (size_t)(problem->dimension * problem->contacts) * sizeof(double));
        const double start = now();
        const carom_status status = carom_friction_solve(problem, &options, m->r, m->u, &result, m->work, m->size);
        const double seconds = now() - start;
        if (status == CAROM_OK) {
            return seconds;
        }
        again = result.work_needed > m->size;
        void *larger = again ? realloc(m->work, result.work_needed) : NULL;
        again = larger != NULL;
        m->work = again ? larger : m->work;
        m->size = again ? result.work_needed : m->size;
    }
    return HUGE_VAL;
}

#ifdef BENCH_SICONOS
/* One more solve by the peer, when the others have shown how long it takes. */
static double peer(void *siconos, int limit, memory *m, int *iterations, int *claims)
{
    const double start = now();
    *iterations = siconos_solve(siconos, TOLERANCE, limit, m->r, m->u, claims);
    return now() - start;
}

static void tell_peer(const carom_friction_problem *problem, memory *m)
{
    void *siconos = siconos_make(problem);
    int iterations = 0, claims = 0;
    if (siconos == NULL) {
        return;
    }
    double best = peer(siconos, 200, m, &iterations, &claims), spent = best;
    if (!claims) { /* as many as fit into the limit */
        const double each = best / 200.0;
        best = peer(siconos, (int)fmin(1e6, LIMIT / each), m, &iterations, &claims);
        spent = best;
    }
    const double residual = carom_friction_residual(problem, 0.0, m->r, m->u, NULL);
    for (int k = 1; k < REPEAT && spent < SHORT; ++k) {
        const double seconds = peer(siconos, iterations + 1, m, &iterations, &claims);
        best = fmin(best, seconds);
        spent += seconds;
    }
    printf(" peer %.3e iterations %d residual %.1e%s", best, iterations, residual, claims ? "" : " failed");
    siconos_free(siconos);
}
#endif

static void compare(const char *name, const carom_friction_problem *problem, memory *m)
{
    double best[16], spent = 0.0;
    int count = 0, quickest = 1;
    const carom_solver *solver = carom_friction_solvers(&count);
    for (int s = 0; s < count; ++s) {
        best[s] = HUGE_VAL;
    }
    for (int k = 0; k < REPEAT && spent < SHORT; ++k) {
        const double start = now();
        for (int s = 0; s < count; ++s) {
            if (carom_friction_applies(&solver[s], problem) && (k == 0 || best[s] < HUGE_VAL)) {
                best[s] = fmin(best[s], solve(problem, solver[s].name, m));
            }
        }
        spent += now() - start;
    }
    for (int s = 2; s < count; ++s) {
        quickest = best[s] < best[quickest] ? s : quickest;
    }
    printf("%s contacts %d auto %.3e best %s %.3e", name, problem->contacts, best[0], solver[quickest].name, best[quickest]);
#ifdef BENCH_SICONOS
    tell_peer(problem, m);
#endif
    printf("\n");
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; ++k) {
        carom_friction_problem problem;
        carom_friction_file_error error;
        FILE *file = fopen(argv[k], "r");
        void *made = file != NULL ? carom_friction_read(file, &problem, &error) : NULL;
        if (made == NULL) {
            fprintf(stderr, "%s cannot be read\n", argv[k]);
            return 1;
        }
        const size_t size = (size_t)(problem.dimension * problem.contacts);
        memory m = {.r = malloc(size * sizeof(double)), .u = malloc(size * sizeof(double)),
                    .size = carom_friction_work_size(&problem)};
        m.work = malloc(m.size);
        const char *slash = strrchr(argv[k], '/');
        if (m.r != NULL && m.u != NULL && m.work != NULL) {
            compare(slash != NULL ? slash + 1 : argv[k], &problem, &m);
        }
        free(m.r);
        free(m.u);
        free(m.work);
        free(made);
        (void)fclose(file);
    }
    return 0;
}
