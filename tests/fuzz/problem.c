/* libFuzzer: problem files of `carom solve`, friction and LCP. Whatever the file says, it is read or refused with a line and a
 * message, and a solver that claims success has a residual that shows it. */
#define main carom_solve_main
#include "../../runtime/solve.c"
#include "carom/lemke.h"
#undef main

#include <stdint.h>
#include <string.h>

static void friction_problem(FILE *in)
{
    carom_friction_problem problem;
    carom_friction_file_error error = {0, ""};
    void *memory = carom_friction_read(in, &problem, &error);
    if (memory == NULL) {
        if (error.message[0] == '\0' || error.line < 0) {
            abort(); /* refused without a word */
        }
        return;
    }
    const int size = problem.dimension * problem.contacts;
    if (size <= 60) {
        double *r = malloc((2 * (size_t)size + 1) * sizeof(double)), *u = r + size;
        const size_t bytes = carom_friction_work_size(&problem);
        void *work = malloc(bytes);
        carom_friction_result result;
        int count = 0;
        const carom_solver *solver = carom_friction_solvers(&count);
        for (int k = 0; k < count && r != NULL && work != NULL; ++k) {
            if (carom_friction_applies(&solver[k], &problem)) {
                const carom_friction_options options = {.solver = solver[k].name, .tolerance = 1e-8, .max_iterations = 20};
                memset(r, 0, (size_t)size * sizeof(double));
                const carom_status status = carom_friction_solve(&problem, &options, r, u, &result, work, bytes);
                /* u = W r + q is known to rounding only, and solved as far as that allows, within bounds (friction.h) */
                const double close = fmax(1e-8, fmin(2.0 * result.rounding, 1e-5));
                if (status == CAROM_OK && !(result.residual <= close)) {
                    abort(); /* solved, it says */
                }
            }
        }
        free(work);
        free(r);
    }
    free(memory);
}

static void lcp_problem(FILE *in)
{
    int n = 0, line = 0, pivots = 0;
    const char *why = NULL;
    double *M = read_lcp(in, &n, &line, &why);
    if (M == NULL) {
        if (why == NULL || why[0] == '\0') {
            abort();
        }
        return;
    }
    if (n <= 60) {
        double *q = M + (size_t)n * (size_t)n, *z = q + n, *work = z + 2 * n;
        (void)carom_lcp_lemke(n, M, n, q, z, work, &pivots);
    }
    free(M);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    if (in == NULL) {
        return 0;
    }
    if (data[0] == 'n') {
        lcp_problem(in);
    } else {
        friction_problem(in);
    }
    (void)fclose(in);
    return 0;
}
