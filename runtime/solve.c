/* carom-solve: solves problem files of the collection's formats (friction, lcp) and says how.
 *
 *     carom-solve FILE... [--solver NAME|all] [--tol T] [--floor V] [--symmetrise] [--json]
 *
 * Exit code 0 when everything was solved to tolerance, 1 when not, 2 for wrong usage or files that cannot be read. */
#include "carom/friction.h"
#include "carom/lcp_solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHORT_RUN 2e-3 /* seconds: solves shorter than this are repeated and the quickest is reported */
#define REPEATS 25
#define SAID 12 /* rows of a proof that are named */
#define LARGEST_LCP 4000

typedef struct {
    const char *solver;
    double tolerance, floor;
    int json, symmetrise;
} settings;

/* What is printed about one solve. r, u: impulses and velocities, or z and w of an LCP. */
typedef struct {
    const char *file, *kind, *solver, *stage;
    carom_status status;
    int contacts, size, iterations, worst;
    double tolerance, residual, relative, rounding, seconds; /* relative: without the floor */
    double bound;                                            /* of a proof that there is no solution, 0: none */
    const double *r, *u, *certificate;                       /* certificate [contacts] when bound > 0 */
} report;

/* What the numbers mean where a file, not a step, was to be solved. */
static const char *verdict(const report *p)
{
    switch (p->status) {
    case CAROM_OK:
        return "ok";
    case CAROM_INFEASIBLE:
        return "there is no solution: the rows contradict each other";
    case CAROM_CONTACT:
        return "not solved to tolerance; whether there is a solution is not known";
    case CAROM_NOT_FINITE:
        return "not solved: a value became infinite or not a number";
    default:
        return carom_status_text(p->status);
    }
}

/* Wall time since the first call. */
static double now(void)
{
    static struct timespec first;
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    if (first.tv_sec == 0) {
        first = t;
    }
    return (double)(t.tv_sec - first.tv_sec) + 1e-9 * (double)(t.tv_nsec - first.tv_nsec);
}

/* ---- printing -------------------------------------------------------------------------------------------------- */

static void print_string(const char *text)
{
    putchar('"');
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\') {
            putchar('\\');
            putchar(*c);
        } else if ((unsigned char)*c < 0x20) {
            printf("\\u%04x", (unsigned)(unsigned char)*c);
        } else {
            putchar(*c);
        }
    }
    putchar('"');
}

static void print_number(double x)
{
    if (isfinite(x)) {
        printf("%.17g", x);
    } else {
        printf("null"); /* JSON has no infinity */
    }
}

static void print_vector(const char *name, int size, const double *x)
{
    printf(",\"%s\":[", name);
    for (int i = 0; i < size; ++i) {
        if (i > 0) {
            putchar(',');
        }
        print_number(x[i]);
    }
    putchar(']');
}

static void print_json(const report *p)
{
    const int lcp = strcmp(p->kind, "lcp") == 0;
    printf("{\"file\":");
    print_string(p->file);
    printf(",\"kind\":\"%s\",\"%s\":%d,\"status\":", p->kind, lcp ? "n" : "contacts", p->contacts);
    print_string(verdict(p));
    printf(",\"solver\":\"%s\",\"stage\":\"%s\",\"iterations\":%d,\"residual\":", p->solver, p->stage, p->iterations);
    print_number(p->residual);
    printf(",\"relative_residual\":");
    print_number(p->relative);
    printf(",\"floor_decided\":%s,\"rounding\":", p->relative > p->residual ? "true" : "false");
    print_number(p->rounding);
    printf(",\"worst\":%d,\"seconds\":", p->worst);
    print_number(p->seconds);
    if (p->bound > 0.0 && p->certificate != NULL) {
        printf(",\"certificate_bound\":");
        print_number(p->bound);
        print_vector("certificate", p->contacts, p->certificate);
    }
    print_vector(lcp ? "z" : "r", p->size, p->r);
    print_vector(lcp ? "w" : "u", p->size, p->u);
    putchar('}');
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void print_row(const report *p)
{
    char solver[40];
    (void)snprintf(solver, sizeof solver, "%s%s%s", p->solver, strcmp(p->solver, p->stage) != 0 ? ":" : "",
                   strcmp(p->solver, p->stage) != 0 ? p->stage : "");
    printf("%-38s %8d  %-14s %10d  %9.2e  %9.2e%s", base_name(p->file), p->contacts, solver, p->iterations, p->residual,
           p->seconds,
           p->status == CAROM_OK           ? ""
           : p->status == CAROM_INFEASIBLE ? "  NO SOLUTION"
                                           : "  NOT SOLVED");
    if (p->relative > p->residual) {
        printf("  the floor decided: %.2e of the velocities in the file", p->relative);
    }
    if (p->status == CAROM_OK && p->residual > p->tolerance) {
        printf("  as far as rounding allows (%.1e)", p->rounding);
    }
    putchar('\n');
    if (p->status != CAROM_OK) {
        const char *const row = strcmp(p->kind, "lcp") == 0 ? "row" : "contact";
        (void)fflush(stdout);
        fprintf(stderr, "%s: %s: %s (residual %.3g, worst %s %d)\n", p->file, p->solver, verdict(p), p->residual, row,
                p->worst);
        if (p->bound > 0.0 && p->certificate != NULL) {
            int said = 0;
            double largest = 0.0;
            for (int c = 0; c < p->contacts; ++c) {
                largest = fmax(largest, p->certificate[c]);
            }
            fprintf(stderr, "%s: proof: %ss", p->file, row);
            for (int c = 0; c < p->contacts && said < SAID; ++c) {
                if (p->certificate[c] > 1e-6 * largest) {
                    fprintf(stderr, " %d (%.3g)", c, p->certificate[c] / largest);
                    ++said;
                }
            }
            if (strcmp(p->kind, "lcp") == 0) {
                fprintf(stderr,
                        "%s: with these weights y >= 0, y.M <= 0 and y.q < 0, so no z >= 0 makes M z + q >= 0\n",
                        said == SAID ? " ..." : "");
            } else {
                fprintf(stderr,
                        "%s, with these weights, close whatever the impulses are (up to %.1e times what the data ask "
                        "for)\n",
                        said == SAID ? " ..." : "", p->bound);
            }
        }
    }
}

/* The first object of a JSON answer opens the array when there are several. */
static void print_report(const settings *set, const report *p, int *printed, int several)
{
    if (!set->json) {
        if (*printed == 0) {
            printf("%-38s %8s  %-14s %10s  %9s  %9s\n", "file", "contacts", "solver", "iterations", "residual",
                   "seconds");
        }
        print_row(p);
    } else {
        printf("%s", *printed > 0 ? ",\n" : (several ? "[" : ""));
        print_json(p);
    }
    (*printed)++;
}

/* A file that cannot be used: file:line, or an object of its own among the others; line 0 when there is none. */
static int refuse(const settings *set, const char *file, int line, const char *message, int *printed, int several)
{
    if (set->json) {
        printf("%s{\"file\":", *printed > 0 ? ",\n" : (several ? "[" : ""));
        print_string(file);
        printf(",\"status\":\"error\",\"message\":");
        print_string(message);
        if (line > 0) {
            printf(",\"line\":%d", line);
        }
        printf("}");
        (*printed)++;
    } else if (line > 0) {
        fprintf(stderr, "%s:%d: error: %s\n", file, line, message);
    } else {
        fprintf(stderr, "%s: error: %s\n", file, message);
    }
    return 2;
}

static int refuse_solver(const settings *set, const char *file, const carom_solver *solver, int *printed, int several)
{
    char message[160];
    (void)snprintf(message, sizeof message, "solver '%s' does not apply to this problem (%s)", solver->name,
                   solver->text);
    return refuse(set, file, 0, message, printed, several);
}

static int unknown_solver(const settings *set, const char *file, const char *kind, const carom_solver *solver,
                          int count, int *printed, int several)
{
    char message[240];
    int length = snprintf(message, sizeof message, "unknown solver '%.40s'; for %s one of: all", set->solver, kind);
    for (int k = 0; k < count && length < (int)sizeof message; ++k) {
        length += snprintf(message + length, sizeof message - (size_t)length, " %s", solver[k].name);
    }
    return refuse(set, file, 0, message, printed, several);
}

/* ---- friction -------------------------------------------------------------------------------------------------- */

/* One solve from zero, with as much work space as it asks for; `work` grows. */
static carom_status solve_once(const carom_friction_problem *problem, const carom_friction_options *options, double *r,
                               double *u, carom_friction_result *result, void **work, size_t *bytes)
{
    carom_status status = CAROM_CONTACT;
    int again = 1;
    while (again) {
        for (int i = 0; i < problem->dimension * problem->contacts; ++i) {
            r[i] = u[i] = 0.0;
        }
        status = carom_friction_solve(problem, options, r, u, result, *work, *bytes);
        again = status != CAROM_OK && result->work_needed > *bytes;
        if (again) {
            void *larger = realloc(*work, result->work_needed);
            again = larger != NULL;
            if (again) {
                *work = larger;
                *bytes = result->work_needed;
            }
        }
    }
    return status;
}

static int solve_friction(const settings *set, const char *file, const carom_friction_problem *problem,
                          const char *solver, report *p, double *r, double *u, double *certificate)
{
    const carom_friction_options options = {
        .solver = solver, .tolerance = set->tolerance, .velocity_floor = set->floor};
    carom_friction_result result;
    size_t bytes = carom_friction_work_size(problem);
    void *work = malloc(bytes);
    double quickest = HUGE_VAL, total = 0.0;
    if (work == NULL) {
        return 0;
    }
    for (int k = 0; k < REPEATS && total < SHORT_RUN; ++k) {
        const double begin = now();
        p->status = solve_once(problem, &options, r, u, &result, &work, &bytes);
        const double seconds = fmax(now() - begin, 0.0);
        quickest = fmin(quickest, seconds);
        total += seconds;
    }
    *p = (report){.file = file, .status = p->status, .tolerance = set->tolerance, .certificate = certificate};
    if (p->status == CAROM_INFEASIBLE) {
        (void)carom_friction_certificate(problem, &options, certificate, &p->bound, NULL, work, bytes);
    }
    free(work);
    p->kind = "friction";
    p->solver = result.solver;
    p->stage = result.stage;
    p->contacts = problem->contacts;
    p->size = problem->dimension * problem->contacts;
    p->iterations = result.iterations;
    p->residual = result.residual;
    p->relative = result.relative;
    p->rounding = result.rounding;
    p->worst = result.worst;
    p->seconds = quickest;
    p->r = r;
    p->u = u;
    return 1;
}

/* Solves one file by one solver, or by all that apply. Returns 0 good, 1 not solved, 2 impossible. */
static int friction_file(const settings *set, const char *file, FILE *in, int *printed, int several)
{
    carom_friction_problem problem;
    carom_friction_file_error error;
    void *memory = carom_friction_read(in, &problem, &error);
    if (memory == NULL) {
        return refuse(set, file, error.line, error.message, printed, several);
    }
    if (set->symmetrise) {
        carom_friction_symmetrise(&problem, memory);
    }
    const size_t size = (size_t)problem.dimension * (size_t)problem.contacts;
    double *r = malloc(3 * size * sizeof(double) + 1), *u = r != NULL ? r + size : NULL;
    const int all = strcmp(set->solver, "all") == 0;
    int worst = 0, count = 0, found = 0;
    const carom_solver *solver = carom_friction_solvers(&count);
    for (int k = 0; k < count && r != NULL; ++k) {
        const int asked = strcmp(set->solver, solver[k].name) == 0;
        if (!all && !asked) {
            continue;
        }
        found = 1;
        if (!carom_friction_applies(&solver[k], &problem)) {
            worst = asked ? refuse_solver(set, file, &solver[k], printed, several || all) : worst;
            continue;
        }
        report p = {.status = CAROM_CONTACT};
        if (solve_friction(set, file, &problem, solver[k].name, &p, r, u, u + size)) {
            print_report(set, &p, printed, several || all);
            /* in a comparison only the portfolio, which comes first, has to succeed */
            if (p.status != CAROM_OK && (asked || k == 0) && worst == 0) {
                worst = p.status < 0 ? 2 : 1;
            }
        } else {
            worst = refuse(set, file, 0, "not enough memory", printed, several || all);
        }
    }
    if (r == NULL) {
        worst = refuse(set, file, 0, "not enough memory", printed, several || all);
    } else if (!found) {
        worst = unknown_solver(set, file, "a friction problem", solver, count, printed, several || all);
    }
    free(r);
    free(memory);
    return worst;
}

/* ---- LCP ------------------------------------------------------------------------------------------------------- */

/* Reads `n`, `M` by rows, `q` into one malloc'ed block M, q, z, w, work. On error NULL, and where and why. */
static double *read_lcp(FILE *in, int *size, int *line, const char **why)
{
    char word[8] = "";
    int n = 0;
    *line = 1;
    *why = "expected 'n N' with N in 1 .. 4000, then 'M'";
    if (fscanf(in, " n %d %7s", &n, word) != 2 || strcmp(word, "M") != 0 || n < 1 || n > LARGEST_LCP) {
        return NULL;
    }
    const size_t m = (size_t)n, doubles = m * m + 3 * m + carom_lcp_solver_work(n);
    double *memory = malloc(doubles * sizeof(double));
    *why = "not enough memory";
    int good = memory != NULL;
    for (size_t k = 0; k < m * m + m && good; ++k) {
        *line = k < m * m ? 3 + (int)(k / m) : n + 4;
        *why = k < m * m ? "expected an entry of M, a finite number" : "expected 'q' and its entries, finite numbers";
        good = (k != m * m || (fscanf(in, " %7s", word) == 1 && strcmp(word, "q") == 0)) &&
               fscanf(in, "%lf", &memory[k]) == 1 && isfinite(memory[k]);
    }
    if (!good) {
        free(memory);
        return NULL;
    }
    *size = n;
    return memory;
}

/* One solve, repeated while it is short; the parts of p that depend on it. memory as of read_lcp. */
static void solve_lcp(const settings *set, const char *solver, int n, double *memory, report *p)
{
    double *const q = memory + (size_t)n * (size_t)n, *const z = q + n, *const w = z + n, *const work = w + n;
    const carom_lcp_problem problem = {n, memory, q};
    carom_lcp_result result = {.residual = HUGE_VAL};
    double total = 0.0;
    p->seconds = HUGE_VAL;
    for (int k = 0; k < REPEATS && total < SHORT_RUN; ++k) {
        const double begin = now();
        p->status = carom_lcp_solve_by(solver, &problem, set->tolerance, z, w, &result, work);
        const double seconds = fmax(now() - begin, 0.0);
        p->seconds = fmin(p->seconds, seconds);
        total += seconds;
    }
    p->worst = result.worst;
    p->residual = p->relative = result.residual;
    if (p->status == CAROM_INFEASIBLE) { /* then z is the proof; there is no answer to print */
        for (int i = 0; i < n; ++i) {
            work[i] = z[i];
            z[i] = 0.0;
        }
        p->certificate = work;
        p->bound = HUGE_VAL;
        p->residual = p->relative = carom_lcp_residual(&problem, z, w, &p->worst);
    }
    p->solver = solver;
    p->stage = result.stage;
    p->contacts = p->size = n;
    p->iterations = result.iterations;
    p->r = z;
    p->u = w;
}

static int lcp_file(const settings *set, const char *file, FILE *in, int *printed, int several)
{
    const char *why = NULL;
    const int all = strcmp(set->solver, "all") == 0;
    int n = 0, line = 0, count = 0, worst = 0, found = 0;
    const carom_solver *solver = carom_lcp_solvers(&count);
    double *memory = read_lcp(in, &n, &line, &why);
    if (memory == NULL) {
        return refuse(set, file, line, why, printed, several);
    }
    for (int k = 0; k < count; ++k) {
        const int asked = strcmp(set->solver, solver[k].name) == 0;
        if (!all && !asked) {
            continue;
        }
        report p = {.file = file, .kind = "lcp", .tolerance = set->tolerance};
        found = 1;
        solve_lcp(set, solver[k].name, n, memory, &p);
        if (p.status == CAROM_ARGUMENT) {
            worst = asked ? refuse_solver(set, file, &solver[k], printed, several || all) : worst;
            continue;
        }
        print_report(set, &p, printed, several || all);
        if (p.status != CAROM_OK && (asked || k == 0) && worst == 0) {
            worst = 1;
        }
    }
    free(memory);
    return found ? worst : unknown_solver(set, file, "an LCP", solver, count, printed, several || all);
}

/* ---- command line ---------------------------------------------------------------------------------------------- */

/* The solvers of one kind of problem, with what they can do. */
static void list_solvers(FILE *to, const char *title, const carom_solver *solver, int count)
{
    fprintf(to, "\n%s\n", title);
    for (int k = 0; k < count; ++k) {
        fprintf(to, "  %-10s %s\n", solver[k].name, solver[k].text);
    }
}

static int usage(FILE *to)
{
    int frictional = 0, linear = 0;
    const carom_solver *const friction = carom_friction_solvers(&frictional), *const lcp = carom_lcp_solvers(&linear);
    fprintf(to, "usage: carom solve FILE... [--solver NAME|all] [--tol T] [--floor V] [--symmetrise] [--json]\n\n"
                "Solves frictional contact problems (dimension, contacts, mu, q, W) and linear\n"
                "complementarity problems (n, M, q) given as text files; FILE - is standard input.\n\n"
                "  --solver NAME   one of the solvers below (default auto); all compares those that apply\n"
                "  --tol T         residual to reach (default 1e-8)\n"
                "  --floor V       velocity below which nothing matters (default: none); told where it decides\n"
                "  --symmetrise    use (W + W^T)/2 instead of W as given\n"
                "  --json          one object (an array for several) with the solution at full precision\n");
    list_solvers(to, "solvers of frictional contact problems:", friction, frictional);
    list_solvers(to, "solvers of linear complementarity problems:", lcp, linear);
    fprintf(to, "\nexit code: 0 all solved to tolerance, 1 not solved, 2 wrong usage or bad file\n");
    return to == stderr ? 2 : 0;
}

/* The formats differ in their first word. */
static int solve_file(const settings *set, const char *file, int *printed, int several)
{
    const int standard = strcmp(file, "-") == 0;
    FILE *in = standard ? stdin : fopen(file, "r");
    if (in == NULL) {
        return refuse(set, file, 0, "cannot open this file", printed, several);
    }
    const int first = getc(in);
    int status = 2;
    if (first == EOF) {
        status = refuse(set, file, 1, "the file is empty or cannot be read", printed, several);
    } else {
        (void)ungetc(first, in);
        status =
            first == 'n' ? lcp_file(set, file, in, printed, several) : friction_file(set, file, in, printed, several);
    }
    if (!standard) {
        (void)fclose(in);
    }
    return status;
}

/* The value of option `name` at argv[*k], as "--name value" or "--name=value"; NULL when it is another option. */
static const char *option_value(const char *name, int argc, char **argv, int *k)
{
    const size_t length = strlen(name);
    if (strncmp(argv[*k], name, length) != 0) {
        return NULL;
    }
    if (argv[*k][length] == '=') {
        return argv[*k] + length + 1;
    }
    if (argv[*k][length] == '\0' && *k + 1 < argc) {
        return argv[++*k];
    }
    return NULL;
}

/* Moves the files to the front of argv; returns their number, or -1 after a message. */
static int parse(int argc, char **argv, settings *set)
{
    int files = 0;
    for (int k = 1; k < argc; ++k) {
        const char *value = NULL;
        if (strcmp(argv[k], "--json") == 0) {
            set->json = 1;
        } else if (strcmp(argv[k], "--symmetrise") == 0) {
            set->symmetrise = 1;
        } else if ((value = option_value("--solver", argc, argv, &k)) != NULL) {
            set->solver = value;
        } else if ((value = option_value("--tol", argc, argv, &k)) != NULL) {
            char *end = NULL;
            set->tolerance = strtod(value, &end);
            if (end == value || *end != '\0' || !(set->tolerance > 0.0) || !isfinite(set->tolerance)) {
                fprintf(stderr, "carom solve: error: --tol '%s' is not a positive number\n", value);
                return -1;
            }
        } else if ((value = option_value("--floor", argc, argv, &k)) != NULL) {
            char *end = NULL;
            set->floor = strtod(value, &end);
            if (end == value || *end != '\0' || !(set->floor >= 0.0) || !isfinite(set->floor)) {
                fprintf(stderr, "carom solve: error: --floor '%s' is not a velocity, 0 or more\n", value);
                return -1;
            }
        } else if (argv[k][0] == '-' && argv[k][1] != '\0') {
            fprintf(stderr, "carom solve: error: unknown option or missing value '%s'; see --help\n", argv[k]);
            return -1;
        } else {
            argv[files++] = argv[k];
        }
    }
    return files;
}

int main(int argc, char **argv)
{
    settings set = {.solver = "auto", .tolerance = 1e-8};
    for (int k = 1; k < argc; ++k) {
        if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
            return usage(stdout);
        }
    }
    const int files = parse(argc, argv, &set);
    if (files < 0) {
        return 2;
    }
    if (files == 0) {
        return usage(stderr);
    }
    const int several = files > 1 || strcmp(set.solver, "all") == 0;
    int printed = 0, worst = 0;
    for (int k = 0; k < files; ++k) {
        const int status = solve_file(&set, argv[k], &printed, several);
        worst = status > worst ? status : worst;
    }
    if (set.json && printed > 0) {
        printf(several ? "]\n" : "\n");
    }
    return worst;
}
