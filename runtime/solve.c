/* carom-solve: solves problem files of the collection's formats (friction, lcp) and says how.
 *
 *     carom-solve FILE... [--solver NAME|all] [--tol T] [--floor V] [--symmetrise] [--json]
 *
 * Exit code 0 when everything was solved to tolerance, 1 when not, 2 for wrong usage or files that cannot be read. */
#include "carom/friction.h"
#include "carom/lcp_solvers.h"
#include "carom/unlike.h"

#include "driver/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHORT_RUN 2e-3 /* seconds: solves shorter than this are repeated and the quickest is reported */
#define REPEATS 25
#define SAID 12           /* rows of a proof that are named */
#define LARGEST_FULL 1000 /* rows of a problem that is eliminated to see how unlike its masses are */
#define LARGEST_LCP 4000

typedef struct {
    const char *solver;
    double tolerance, floor;
    int json, symmetrise;
    int several, printed; /* answers: more than one is expected; so many so far */
} settings;

/* What is printed about one solve. r, u: impulses and velocities, or z and w of an LCP. */
typedef struct {
    const char *file, *kind, *solver, *stage;
    carom_status status;
    int contacts, size, iterations, worst;
    double tolerance, residual, relative, rounding, seconds; /* relative: without the floor */
    double unlike;                     /* masses that it couples (carom/unlike.h), where it was not solved */
    double bound;                      /* of a proof that there is no solution, 0: none */
    const double *r, *u, *certificate; /* certificate [contacts] when bound > 0 */
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

static void print_vector(const char *name, int size, const double *x)
{
    printf(",\"%s\":[", name);
    for (int i = 0; i < size; ++i) {
        fputs(i > 0 ? "," : "", stdout);
        carom_json_number(stdout, x[i]);
    }
    putchar(']');
}

/* The first object of a JSON answer opens the array when there are several. */
static void begin_json(settings *set, const char *file)
{
    printf("%s{\"file\":", set->printed > 0 ? ",\n" : (set->several ? "[" : ""));
    carom_json_string(stdout, file, strlen(file));
}

static void print_json(settings *set, const report *p)
{
    const int lcp = strcmp(p->kind, "lcp") == 0;
    begin_json(set, p->file);
    carom_json_text(stdout, "kind", p->kind);
    printf(",\"%s\":%d", lcp ? "n" : "contacts", p->contacts);
    carom_json_text(stdout, "status", verdict(p));
    carom_json_text(stdout, "solver", p->solver);
    carom_json_text(stdout, "stage", p->stage);
    printf(",\"iterations\":%d", p->iterations);
    carom_json_real(stdout, "residual", p->residual);
    carom_json_real(stdout, "relative_residual", p->relative);
    printf(",\"floor_decided\":%s", p->relative > p->residual ? "true" : "false");
    carom_json_real(stdout, "rounding", p->rounding);
    printf(",\"worst\":%d", p->worst);
    carom_json_real(stdout, "seconds", p->seconds);
    if (p->bound > 0.0 && p->certificate != NULL) {
        carom_json_real(stdout, "certificate_bound", p->bound);
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
        if (p->status == CAROM_CONTACT && p->unlike > CAROM_UNLIKE_MASSES) {
            fprintf(
                stderr,
                "%s: masses differ by a factor of about %.0e: impulses of heavy bodies on light ones have to cancel "
                "to so many digits; make masses more alike, or let fewer contacts share a load\n",
                p->file, p->unlike);
        }
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

static void print_report(settings *set, const report *p)
{
    if (set->json) {
        print_json(set, p);
    } else {
        if (set->printed == 0) {
            printf("%-38s %8s  %-14s %10s  %9s  %9s\n", "file", "contacts", "solver", "iterations", "residual",
                   "seconds");
        }
        print_row(p);
    }
    set->printed++;
}

/* A file that cannot be used: file:line, or an object of its own among the others; line 0 when there is none. */
static int refuse(settings *set, const char *file, int line, const char *message)
{
    if (set->json) {
        begin_json(set, file);
        carom_json_text(stdout, "status", "error");
        carom_json_text(stdout, "message", message);
        if (line > 0) {
            printf(",\"line\":%d", line);
        }
        printf("}");
        set->printed++;
    } else if (line > 0) {
        fprintf(stderr, "%s:%d: error: %s\n", file, line, message);
    } else {
        fprintf(stderr, "%s: error: %s\n", file, message);
    }
    return 2;
}

/* ---- solving --------------------------------------------------------------------------------------------------- */

/* A problem of either kind, with the solvers that there are for it. `once` solves it from zero and says how in the
 * report; its status CAROM_ARGUMENT: the solver does not apply. `end` adds what only the last of several solves
 * needs. */
typedef struct task {
    const char *kind, *called;
    const carom_solver *solver;
    int solvers;
    void (*once)(const settings *set, struct task *p, const carom_solver *solver, report *out);
    void (*end)(const settings *set, struct task *p, report *out);
    double *r, *u, *certificate; /* in the memory of the problem */
    carom_friction_problem friction;
    carom_lcp_problem lcp;
    void *work;
    size_t bytes;
} task;

/* Solves one problem by one solver, or by all that apply. Returns 0 good, 1 not solved, 2 impossible. */
static int solve_problem(settings *set, const char *file, task *problem)
{
    const int all = strcmp(set->solver, "all") == 0;
    char message[240];
    int worst = 0, found = 0, length;
    for (int k = 0; k < problem->solvers; ++k) {
        const carom_solver *const solver = &problem->solver[k];
        const int asked = strcmp(set->solver, solver->name) == 0;
        report p = {.stage = "none",
                    .file = file,
                    .kind = problem->kind,
                    .solver = solver->name,
                    .tolerance = set->tolerance,
                    .r = problem->r,
                    .u = problem->u,
                    .certificate = problem->certificate,
                    .seconds = HUGE_VAL};
        if (!all && !asked) {
            continue;
        }
        found = 1;
        double total = 0.0;
        for (int i = 0; i < REPEATS && total < SHORT_RUN; ++i) {
            const double begin = now();
            problem->once(set, problem, solver, &p);
            const double seconds = fmax(now() - begin, 0.0);
            p.seconds = fmin(p.seconds, seconds);
            total += seconds;
        }
        if (p.status == CAROM_ARGUMENT) {
            (void)snprintf(message, sizeof message, "solver '%s' does not apply to this problem (%s)", solver->name,
                           solver->text);
            worst = asked ? refuse(set, file, 0, message) : worst;
            continue;
        }
        if (p.status == CAROM_INFEASIBLE) {
            problem->end(set, problem, &p);
        }
        print_report(set, &p);
        /* in a comparison only the portfolio, which comes first, has to succeed */
        if (p.status != CAROM_OK && (asked || k == 0) && worst == 0) {
            worst = p.status < 0 ? 2 : 1;
        }
    }
    if (!found) {
        length = snprintf(message, sizeof message, "unknown solver '%.40s'; for %s one of: all", set->solver,
                          problem->called);
        for (int k = 0; k < problem->solvers && length < (int)sizeof message; ++k) {
            length += snprintf(message + length, sizeof message - (size_t)length, " %s", problem->solver[k].name);
        }
        worst = refuse(set, file, 0, message);
    }
    return worst;
}

/* ---- friction -------------------------------------------------------------------------------------------------- */

static double unlike_masses(const carom_friction_problem *p)
{
    const int d = p->dimension, n = d * p->contacts;
    double *const W = n <= LARGEST_FULL ? calloc((size_t)n * (size_t)n, sizeof(double)) : NULL;
    for (int c = 0; c < p->contacts && W != NULL; ++c) {
        for (int k = p->row[c]; k < p->row[c + 1]; ++k) {
            for (int e = 0; e < d * d; ++e) {
                W[(d * c + e / d) * n + d * p->column[k] + e % d] = p->block[d * d * k + e];
            }
        }
    }
    const double unlike = W != NULL ? carom_unlike_masses(n, W) : 1.0;
    free(W);
    return unlike;
}

/* With as much work space as it asks for; `work` grows. */
static void friction_once(const settings *set, task *p, const carom_solver *solver, report *out)
{
    const carom_friction_options options = {
        .solver = solver->name, .tolerance = set->tolerance, .velocity_floor = set->floor};
    carom_friction_result result = {.stage = "none", .residual = HUGE_VAL};
    int again = carom_friction_applies(solver, &p->friction);
    out->status = CAROM_ARGUMENT;
    out->contacts = p->friction.contacts;
    out->size = p->friction.dimension * p->friction.contacts;
    while (again) {
        for (int i = 0; i < out->size; ++i) {
            p->r[i] = p->u[i] = 0.0;
        }
        out->status = carom_friction_solve(&p->friction, &options, p->r, p->u, &result, p->work, p->bytes);
        void *const larger =
            out->status != CAROM_OK && result.work_needed > p->bytes ? realloc(p->work, result.work_needed) : NULL;
        again = larger != NULL;
        if (again) {
            p->work = larger;
            p->bytes = result.work_needed;
        }
    }
    out->stage = result.stage;
    out->iterations = result.iterations;
    out->residual = result.residual;
    out->relative = result.relative;
    out->rounding = result.rounding;
    out->unlike = out->status == CAROM_CONTACT ? unlike_masses(&p->friction) : 1.0;
    out->worst = result.worst;
}

static void friction_proof(const settings *set, task *p, report *out)
{
    const carom_friction_options options = {.tolerance = set->tolerance, .velocity_floor = set->floor};
    (void)carom_friction_certificate(&p->friction, &options, p->certificate, &out->bound, NULL, p->work, p->bytes);
}

static int friction_file(settings *set, const char *file, FILE *in)
{
    task p = {.kind = "friction", .called = "a friction problem", .once = friction_once, .end = friction_proof};
    carom_friction_file_error error;
    void *memory = carom_friction_read(in, &p.friction, &error);
    if (memory == NULL) {
        return refuse(set, file, error.line, error.message);
    }
    if (set->symmetrise) {
        carom_friction_symmetrise(&p.friction, memory);
    }
    const size_t size = (size_t)p.friction.dimension * (size_t)p.friction.contacts;
    int status = 2;
    p.solver = carom_friction_solvers(&p.solvers);
    p.bytes = carom_friction_work_size(&p.friction);
    p.work = malloc(p.bytes);
    p.r = malloc(3 * size * sizeof(double) + 1);
    if (p.work == NULL || p.r == NULL) {
        (void)refuse(set, file, 0, "not enough memory");
    } else {
        p.u = p.r + size;
        p.certificate = p.u + size;
        status = solve_problem(set, file, &p);
    }
    free(p.work);
    free(p.r);
    free(memory);
    return status;
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

static void lcp_once(const settings *set, task *p, const carom_solver *solver, report *out)
{
    carom_lcp_result result = {.stage = "none", .residual = HUGE_VAL};
    out->status = carom_lcp_solve_by(solver->name, &p->lcp, set->tolerance, p->r, p->u, &result, p->work);
    out->worst = result.worst;
    out->residual = out->relative = result.residual;
    out->stage = result.stage;
    out->contacts = out->size = p->lcp.n;
    out->iterations = result.iterations;
}

/* z is the proof then; there is no answer to print. */
static void lcp_proof(const settings *set, task *p, report *out)
{
    (void)set;
    for (int i = 0; i < p->lcp.n; ++i) {
        p->certificate[i] = p->r[i];
        p->r[i] = 0.0;
    }
    out->bound = HUGE_VAL;
    out->residual = out->relative = carom_lcp_residual(&p->lcp, p->r, p->u, &out->worst);
}

static int lcp_file(settings *set, const char *file, FILE *in)
{
    task p = {.kind = "lcp", .called = "an LCP", .once = lcp_once, .end = lcp_proof};
    const char *why = NULL;
    int n = 0, line = 0;
    double *memory = read_lcp(in, &n, &line, &why);
    if (memory == NULL) {
        return refuse(set, file, line, why);
    }
    p.lcp = (carom_lcp_problem){n, memory, memory + (size_t)n * (size_t)n};
    p.r = memory + (size_t)n * (size_t)n + n;
    p.u = p.r + n;
    p.work = p.u + n;
    p.certificate = p.work;
    p.solver = carom_lcp_solvers(&p.solvers);
    const int status = solve_problem(set, file, &p);
    free(memory);
    return status;
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
static int solve_file(settings *set, const char *file)
{
    const int standard = strcmp(file, "-") == 0;
    FILE *in = standard ? stdin : fopen(file, "r");
    if (in == NULL) {
        return refuse(set, file, 0, "cannot open this file");
    }
    const int first = getc(in);
    int status = 2;
    if (first == EOF) {
        status = refuse(set, file, 1, "the file is empty or cannot be read");
    } else {
        (void)ungetc(first, in);
        status = first == 'n' ? lcp_file(set, file, in) : friction_file(set, file, in);
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
    int worst = 0;
    set.several = files > 1 || strcmp(set.solver, "all") == 0;
    for (int k = 0; k < files; ++k) {
        const int status = solve_file(&set, argv[k]);
        worst = status > worst ? status : worst;
    }
    if (set.json && set.printed > 0) {
        printf(set.several ? "]\n" : "\n");
    }
    return worst;
}
