/* Arguments of the driver: any order, `--x v` or `--x=v`, numbers that parse to their last character. */
#include "options.h"

#include "text.h"

#include <math.h>
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

static int read_one(carom_options *options, int argc, char **argv, int *i, char *message)
{
    const char *value;
    const char *given = argv[*i];
    int missing = 0;
    int bad = 0;

    if (strcmp(given, "--json") == 0) {
        options->json = 1;
    } else if (strcmp(given, "--quiet") == 0) {
        options->quiet = 1;
    } else if (strcmp(given, "--progress") == 0) {
        options->progress = 1;
    } else if (strcmp(given, "--with-parent") == 0) {
        options->with_parent = 1;
    } else if (strcmp(given, "--help") == 0) {
        options->help = 1;
    } else if ((value = value_of("--until", argc, argv, i, &missing)) != NULL) {
        bad = read_number(value, &options->until) != 0;
        if (bad) {
            SAY("--until %s is not a finite number", value);
        }
    } else if ((value = value_of("--step", argc, argv, i, &missing)) != NULL) {
        bad = read_number(value, &options->step) != 0 || !(options->step > 0.0);
        if (bad) {
            SAY("--step %s is not a positive number", value);
        }
    } else if ((value = value_of("--every", argc, argv, i, &missing)) != NULL) {
        double x;
        bad = read_number(value, &x) != 0 || x < 1.0 || x > 1e15 || floor(x) < x;
        if (bad) {
            SAY("--every %s is not a whole number of at least 1", value);
        } else {
            options->every = (unsigned long long)x;
        }
    } else if ((value = value_of("--result", argc, argv, i, &missing)) != NULL) {
        options->result = value;
    } else if ((value = value_of("--report", argc, argv, i, &missing)) != NULL) {
        options->report = value;
    } else if ((value = value_of("--record", argc, argv, i, &missing)) != NULL) {
        options->record = value;
    } else if ((value = value_of("--bodies", argc, argv, i, &missing)) != NULL) {
        options->bodies = value;
    } else if ((value = value_of("--dump-failure", argc, argv, i, &missing)) != NULL) {
        options->failure = value;
    } else if ((value = value_of("--set", argc, argv, i, &missing)) != NULL) {
        options->assign[options->assignments++] = value;
    } else if (missing) {
        SAY("%s needs a value", given);
        bad = 1;
    } else {
        SAY("unknown option %s; try --help", given);
        bad = 1;
    }
    return bad ? -1 : 0;
}

int carom_options_read(carom_options *options, const carom_model *model, int argc, char **argv, char *message)
{
    int status = 0;
    *options = (carom_options){.until = NAN, .step = model->step, .every = 1};
    options->assign = malloc(sizeof *options->assign * (size_t)(argc > 0 ? argc : 1));
    if (options->assign == NULL) {
        SAY("out of memory");
        status = -1;
    }
    for (int i = 1; i < argc && status == 0; i++) {
        status = read_one(options, argc, argv, &i, message);
    }
    if (status == 0 && !options->help) {
        if (isnan(options->until) && model->until_time > 0.0) {
            options->until = model->until_time;
        }
        if (isnan(options->until)) {
            SAY("the model has no run time of its own; say --until T");
            status = -1;
        } else if (!(options->step > 0.0)) {
            SAY("the model has no step of its own; say --step H");
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

void carom_options_help(FILE *file, const carom_model *model)
{
    fprintf(file, "%s, integrated by %s\n\n", model->name, model->scheme);
    fputs("  --until T         run until this time\n"
          "  --step H          step length\n"
          "  --set NAME=VALUE  parameter, input, initial coordinate or (NAME.dot) velocity; may be repeated\n"
          "  --result FILE     write the trajectory as csv ('-': standard output)\n"
          "  --every N         write every N-th step only (first and last always)\n"
          "  --json            print one json object instead of the summary\n"
          "  --record FILE     write that json object to a file as well\n"
          "  --report FILE     write the summary to a file as well\n"
          "  --bodies FILE     write the bodies of a pile as they are at the end\n"
          "  --dump-failure FILE  write the contact problem that a step did not solve\n"
          "  --progress        report progress even when standard error is not a terminal\n"
          "  --quiet           no summary and no progress\n"
          "  --with-parent     stop, keeping the results, when the process that started this one is gone\n\n"
          "Names for --set:\n",
          file);
    list(file, "parameters", model->parameter, model->parameters);
    list(file, "inputs", model->input, model->inputs);
    list(file, "coordinates", model->coordinate, model->coordinates);
    list(file, "velocities", model->velocity, model->velocities);
}
