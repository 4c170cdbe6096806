/* Arguments of the driver: any order, `--x v` or `--x=v`, numbers that parse to their last character. */
#include "options.h"

#include "text.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SAY(...) (void)snprintf(message, CAROM_MESSAGE_SIZE, __VA_ARGS__)

static int read_number(const char *text, double *x)
{
    char *end = NULL;
    *x = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*x) ? 0 : -1;
}

/* The value of option `name` at argv[*i], in either spelling; NULL when argv[*i] is another option. */
static const char *value_of(const char *name, int argc, char **argv, int *i, int *missing)
{
    const char *value = NULL;
    size_t length = strlen(name);
    if (strncmp(argv[*i], name, length) == 0) {
        if (argv[*i][length] == '=') {
            value = argv[*i] + length + 1;
        } else if (argv[*i][length] == '\0') {
            if (*i + 1 < argc) {
                value = argv[++*i];
            } else {
                *missing = 1;
            }
        }
    }
    return value;
}

typedef enum { TEXT, FINITE, POSITIVE, WHOLE, FLAG, ASSIGNMENT } Kind;

typedef struct {
    const char *name, *value; /* how its value is called; NULL: a flag */
    Kind kind;
    int least; /* of a whole number */
    size_t at; /* where it goes */
    int place; /* who has it */
    const char *text;
} Entry;

enum { EVERYWHERE = CAROM_ON_HOST | CAROM_ON_PETSC };

#define AT(field) offsetof(carom_options, field)
static const Entry entries[] = {
    {"--until", "T", FINITE, 0, AT(until), EVERYWHERE, "run until this time"},
    {"--step", "H", POSITIVE, 0, AT(step), EVERYWHERE, "step length"},
    {"--cfl", "C", POSITIVE, 0, AT(cfl), CAROM_ON_PETSC, "step = C times the mean edge over the wave speed"},
    {"--set", "NAME=VALUE", ASSIGNMENT, 0, AT(assign), EVERYWHERE,
     "parameter, input, initial coordinate or (NAME.dot) velocity; may be repeated"},
    {"--result", "FILE", TEXT, 0, AT(result), EVERYWHERE,
     "write the rows of the run as csv ('-': standard output), or as an array of NumPy where its name ends in .npy"},
    {"--events", "FILE", TEXT, 0, AT(events), CAROM_ON_HOST,
     "write which contact closed, opened, stuck or slid, and when"},
    {"--every", "N", WHOLE, 1, AT(every), EVERYWHERE, "write every N-th step only (first and last always)"},
    {"--frames", "N", WHOLE, 0, AT(frames), EVERYWHERE, "meshes: write N pictures of the run as VTU files"},
    {"--frames-dir", "DIR", TEXT, 0, AT(frames_dir), EVERYWHERE, "where to (frames)"},
    {"--bodies", "FILE", TEXT, 0, AT(bodies), CAROM_ON_HOST, "write the bodies of a pile as they are at the end"},
    {"--motion", "FILE", TEXT, 0, AT(motion), EVERYWHERE,
     "write bodies of a pile, or the outside of meshes, over the run"},
    {"--motion-frames", "N", WHOLE, 2, AT(motion_frames), EVERYWHERE, "at so many instants (100)"},
    {"--checkpoint", "FILE", TEXT, 0, AT(checkpoint), EVERYWHERE,
     "save the state there: now and then, when stopped by a signal, and at the end"},
    {"--stopped", "FILE", TEXT, 0, AT(stopped), CAROM_ON_HOST,
     "save the state there when stopped, if --checkpoint is not given"},
    {"--checkpoint-minutes", "K", POSITIVE, 0, AT(checkpoint_minutes), EVERYWHERE, "how often (10)"},
    {"--resume", "FILE", TEXT, 0, AT(resume), EVERYWHERE, "go on from a saved state, to the same bits"},
    {"--json", NULL, FLAG, 0, AT(json), EVERYWHERE, "print one json object instead of the summary"},
    {"--record", "FILE", TEXT, 0, AT(record), EVERYWHERE, "write that json object to a file as well"},
    {"--report", "FILE", TEXT, 0, AT(report), EVERYWHERE, "write the summary to a file as well"},
    {"--dump-failure", "FILE", TEXT, 0, AT(failure), CAROM_ON_HOST,
     "write the contact problem that a step did not solve"},
    {"--progress", NULL, FLAG, 0, AT(progress), EVERYWHERE,
     "report progress even when standard error is not a terminal"},
    {"--quiet", NULL, FLAG, 0, AT(quiet), EVERYWHERE, "no summary and no progress"},
    {"--with-parent", NULL, FLAG, 0, AT(with_parent), EVERYWHERE,
     "stop, keeping the results, when the process that started this one is gone"},
    {"--help", NULL, FLAG, 0, AT(help), EVERYWHERE, "this text"},
};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

/* Puts a value where it goes; 0 when it is one of its kind. */
static int take(carom_options *options, const Entry *entry, const char *value, char *message)
{
    void *const target = (char *)options + entry->at;
    double x = 0.0;
    int bad = 0;
    if (entry->kind == FLAG) {
        *(int *)target = 1;
    } else if (entry->kind == TEXT) {
        *(const char **)target = value;
    } else if (entry->kind == ASSIGNMENT) {
        options->assign[options->assignments++] = value;
    } else if (entry->kind == WHOLE) {
        bad = read_number(value, &x) != 0 || x < entry->least || x > 1e15 || floor(x) < x;
        if (bad) {
            SAY("%s %s is not a whole number of at least %d", entry->name, value, entry->least);
        } else {
            *(unsigned long long *)target = (unsigned long long)x;
        }
    } else {
        bad = read_number(value, &x) != 0 || (entry->kind == POSITIVE && !(x > 0.0));
        if (bad) {
            SAY("%s %s is not a %s number", entry->name, value, entry->kind == POSITIVE ? "positive" : "finite");
        } else {
            *(double *)target = x;
        }
    }
    return bad ? -1 : 0;
}

static int read_one(carom_options *options, carom_place place, int argc, char **argv, int *i, char *message)
{
    const char *const given = argv[*i];
    for (int k = 0; k < ENTRIES; k++) {
        const Entry *entry = &entries[k];
        const char *value = NULL;
        int missing = 0;
        if (entry->kind == FLAG ? strcmp(given, entry->name) != 0
                                : (value = value_of(entry->name, argc, argv, i, &missing)) == NULL && !missing) {
            continue;
        }
        if ((entry->place & (int)place) == 0) {
            SAY("%s is not for runs %s PETSc; leave it out", entry->name, place == CAROM_ON_PETSC ? "on" : "without");
            return -1;
        }
        if (missing) {
            SAY("%s needs a value", given);
            return -1;
        }
        return take(options, entry, value, message);
    }
    SAY("unknown option %s; try --help%s", given, place == CAROM_ON_PETSC ? " (options of PETSc come after --)" : "");
    return -1;
}

int carom_options_read(carom_options *options, const carom_model *model, carom_place place, int argc, char **argv,
                       char *message)
{
    int status = 0;
    *options = (carom_options){.until = NAN,
                               .every = 1,
                               .frames = CAROM_FRAMES_OWN,
                               .frames_dir = "frames",
                               .motion_frames = 100,
                               .checkpoint_minutes = 10.0};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) { /* even errors in the arguments are told in json */
        options->json = options->json || strcmp(argv[i], "--json") == 0;
    }
    options->assign = malloc(sizeof *options->assign * (size_t)(argc > 0 ? argc : 1));
    if (options->assign == NULL) {
        SAY("out of memory");
        status = -1;
    }
    for (int i = 1; i < argc && status == 0 && strcmp(argv[i], "--") != 0; i++) {
        status = read_one(options, place, argc, argv, &i, message);
    }
    if (status == 0 && !options->help) {
        if (isnan(options->until) && model->until_time > 0.0) {
            options->until = model->until_time;
        }
        if (isnan(options->until)) {
            SAY("the model has no run time of its own; say --until T");
            status = -1;
        } else if (options->json && options->result != NULL && strcmp(options->result, "-") == 0) {
            SAY("--json and --result - both want standard output; give --result a file");
            status = -1;
        }
    }
    return status;
}

static int find(const carom_quantity *list, int count, const char *name, size_t length)
{
    int found = -1;
    for (int i = 0; i < count && found < 0; i++) {
        if (strncmp(list[i].name, name, length) == 0 && list[i].name[length] == '\0') {
            found = i;
        }
    }
    return found;
}

/* A velocity by its own name or, for the rate of a coordinate, as `<coordinate>.dot`. */
static int find_velocity(const carom_model *model, const char *name, size_t length)
{
    int found = find(model->velocity, model->velocities, name, length);
    if (found < 0 && length > 4 && strncmp(name + length - 4, ".dot", 4) == 0) {
        found = find(model->velocity, model->velocities, name, length - 4);
    }
    return found;
}

int carom_options_assign(const carom_options *options, const carom_model *model, int want_parameters,
                         carom_targets *targets, char *message)
{
    int status = 0;
    for (int k = 0; k < options->assignments && status == 0; k++) {
        const char *text = options->assign[k];
        const char *equals = strchr(text, '=');
        size_t length = equals != NULL ? (size_t)(equals - text) : 0;
        double value = 0.0;
        double *target = NULL;
        int i;

        if (length == 0) {
            SAY("--set %s: write --set name=value", text);
            status = -1;
        } else if (read_number(equals + 1, &value) != 0) {
            SAY("--set %s: '%s' is not a finite number", text, equals + 1);
            status = -1;
        } else if ((i = find(model->parameter, model->parameters, text, length)) >= 0) {
            target = want_parameters ? &targets->parameter[i] : NULL;
        } else if (want_parameters) {
            target = NULL; /* its turn comes after init */
        } else if ((i = find(model->coordinate, model->coordinates, text, length)) >= 0) {
            target = &targets->q[i];
        } else if ((i = find_velocity(model, text, length)) >= 0) {
            target = &targets->v[i];
        } else if ((i = find(model->input, model->inputs, text, length)) >= 0) {
            target = &targets->input[i];
        } else {
            SAY("--set %s: %s has no parameter, input, coordinate or velocity of that name", text, model->name);
            status = -1;
        }
        if (target != NULL) {
            *target = value;
            targets->initial = targets->initial || !want_parameters;
        }
    }
    return status;
}

static void list(FILE *file, const char *label, const carom_quantity *quantity, int count)
{
    if (count > 0) {
        fprintf(file, "  %s:", label);
        for (int i = 0; i < count; i++) {
            fprintf(file, " %s", quantity[i].name);
        }
        fputc('\n', file);
    }
}

void carom_options_help(FILE *file, const carom_model *model, carom_place place)
{
    fprintf(file, "%s, integrated by %s\n\n", model->name, model->scheme);
    for (int k = 0; k < ENTRIES; k++) {
        char option[64];
        if ((entries[k].place & (int)place) != 0) {
            (void)snprintf(option, sizeof option, "%s%s%s", entries[k].name, entries[k].value != NULL ? " " : "",
                           entries[k].value != NULL ? entries[k].value : "");
            fprintf(file, "  %-24s %s\n", option, entries[k].text);
        }
    }
    fputs(place == CAROM_ON_PETSC ? "  -- OPTIONS               options of PETSc\n\nNames for --set:\n"
                                  : "\nNames for --set:\n",
          file);
    list(file, "parameters", model->parameter, model->parameters);
    list(file, "inputs", model->input, model->inputs);
    list(file, "coordinates", model->coordinate, model->coordinates);
    list(file, "velocities", model->velocity, model->velocities);
}
