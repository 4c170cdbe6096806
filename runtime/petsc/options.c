/* Arguments of a large model: those of small models where they make sense, and those of meshes. */
#include "run.h"

#include <math.h>
#include <stdlib.h>

static PetscBool read_number(const char *text, PetscReal *x)
{
    char *end = NULL;
    *x = strtod(text, &end);
    return (PetscBool)(end != text && *end == '\0' && isfinite(*x));
}

/* The value of option `name` at argv[*i], in either spelling; NULL when argv[*i] is another option. */
static const char *value_of(const char *name, int argc, char **argv, int *i, CaromTrouble *trouble)
{
    const size_t length = strlen(name);
    if (strncmp(argv[*i], name, length) != 0) {
        return NULL;
    }
    if (argv[*i][length] == '=') {
        return argv[*i] + length + 1;
    }
    if (argv[*i][length] == '\0') {
        if (*i + 1 < argc) {
            return argv[++*i];
        }
        CaromSay(trouble, 2, "%s needs a value", name);
    }
    return NULL;
}

typedef enum { TEXT, POSITIVE, FINITE, COUNT, FLAG } Kind;

typedef struct {
    const char *name;
    Kind kind;
    void *target;
} Entry;

static void take(const Entry *entry, const char *value, CaromTrouble *trouble)
{
    PetscReal x = 0;
    if (entry->kind == TEXT) {
        *(const char **)entry->target = value;
    } else if (!read_number(value, &x) || (entry->kind == POSITIVE && !(x > 0)) ||
               (entry->kind == COUNT && (x < 0 || x > 1e15 || floor(x) < x))) {
        CaromSay(trouble, 2, "%s %s is not a %s number", entry->name, value,
                 entry->kind == POSITIVE ? "positive"
                 : entry->kind == COUNT  ? "whole"
                                         : "finite");
    } else if (entry->kind == COUNT) {
        *(PetscInt64 *)entry->target = (PetscInt64)x;
    } else {
        *(PetscReal *)entry->target = x;
    }
}

PetscErrorCode CaromOptionsRead(CaromOptions *o, const carom_large *model, int argc, char **argv, CaromTrouble *trouble)
{
    PetscInt64 frames = model->frames;
    const Entry entries[] = {
        {"--until", FINITE, &o->until},
        {"--step", POSITIVE, &o->step},
        {"--cfl", POSITIVE, &o->cfl},
        {"--every", COUNT, &o->every},
        {"--result", TEXT, &o->result},
        {"--report", TEXT, &o->report},
        {"--record", TEXT, &o->record},
        {"--frames", COUNT, &frames},
        {"--frames-dir", TEXT, &o->frames_dir},
        {"--checkpoint", TEXT, &o->checkpoint},
        {"--checkpoint-minutes", POSITIVE, &o->checkpoint_minutes},
        {"--resume", TEXT, &o->resume},
        {"--json", FLAG, &o->json},
        {"--quiet", FLAG, &o->quiet},
        {"--progress", FLAG, &o->progress},
        {"--with-parent", FLAG, &o->with_parent},
        {"--help", FLAG, &o->help},
    };
    PetscFunctionBeginUser;
    *o = (CaromOptions){.until = model->until_time, .every = 1, .frames_dir = "frames", .checkpoint_minutes = 10};
    PetscCall(PetscMalloc1(argc + 1, &o->assign));
    for (int i = 1; i < argc && trouble->code == 0 && strcmp(argv[i], "--") != 0; i++) {
        const char *given = argv[i];
        PetscBool known = PETSC_FALSE;
        for (size_t k = 0; k < sizeof entries / sizeof entries[0] && !known && trouble->code == 0; k++) {
            if (entries[k].kind == FLAG) {
                known = (PetscBool)(strcmp(given, entries[k].name) == 0);
                if (known) {
                    *(PetscBool *)entries[k].target = PETSC_TRUE;
                }
            } else {
                const char *value = value_of(entries[k].name, argc, argv, &i, trouble);
                known = (PetscBool)(value != NULL);
                if (known) {
                    take(&entries[k], value, trouble);
                }
            }
        }
        if (!known && trouble->code == 0) {
            const char *value = value_of("--set", argc, argv, &i, trouble);
            if (value != NULL) {
                o->assign[o->assignments++] = value;
            } else {
                CaromSay(trouble, 2, "unknown option %s; try --help (options of PETSc come after --)", given);
            }
        }
    }
    o->frames = (PetscInt)frames;
    o->every = PetscMax(o->every, 1);
    if (trouble->code == 0 && !o->help && !(o->until > 0)) {
        CaromSay(trouble, 2, "the model has no run time of its own; say --until T");
    }
    if (trouble->code == 0 && o->json && o->result != NULL && strcmp(o->result, "-") == 0) {
        CaromSay(trouble, 2, "--json and --result - both want standard output; give --result a file");
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromOptionsAssign(const CaromOptions *options, const carom_large *model, PetscReal *p,
                                  CaromTrouble *trouble)
{
    PetscFunctionBeginUser;
    for (int i = 0; i < model->parameters; i++) {
        p[i] = model->parameter[i].value;
    }
    for (int k = 0; k < options->assignments; k++) {
        const char *text = options->assign[k], *equals = strchr(text, '=');
        int found = -1;
        PetscReal x;
        if (equals == NULL || equals == text) {
            CaromSay(trouble, 2, "--set %s: write --set name=value", text);
            continue;
        }
        for (int i = 0; i < model->parameters && found < 0; i++) {
            const size_t length = (size_t)(equals - text);
            found = strncmp(model->parameter[i].name, text, length) == 0 && model->parameter[i].name[length] == '\0'
                        ? i
                        : -1;
        }
        if (found < 0) {
            CaromSay(trouble, 2, "--set %s: %s has no parameter of that name", text, model->name);
        } else if (!read_number(equals + 1, &x)) {
            CaromSay(trouble, 2, "--set %s: '%s' is not a finite number", text, equals + 1);
        } else {
            p[found] = x;
        }
    }
    PetscFunctionReturn(0);
}

void CaromOptionsHelp(FILE *file, const carom_large *model)
{
    fprintf(file, "%s, integrated by %s\n\n", model->name, model->scheme.text);
    fputs("  --until T               run until this time\n"
          "  --step H | --cfl C      step length, or C times the mean edge over the wave speed\n"
          "  --set NAME=VALUE        parameter; may be repeated\n"
          "  --result FILE           write probes, energies and contact totals as csv ('-': standard output)\n"
          "  --every N               write every N-th step only (first and last always)\n"
          "  --frames N              write N pictures of the run as VTU files\n"
          "  --frames-dir DIR        where to (frames)\n"
          "  --checkpoint FILE       write the state of the run there, every --checkpoint-minutes K (10) and when "
          "interrupted\n"
          "  --resume FILE           go on from there\n"
          "  --json                  print one json object instead of the summary\n"
          "  --record FILE           write that json object to a file as well\n"
          "  --report FILE           write the summary to a file as well\n"
          "  --progress              report progress even when standard error is not a terminal\n"
          "  --quiet                 no summary and no progress\n"
          "  --with-parent           stop, keeping the results, when the process that started this one is gone\n"
          "  -- OPTIONS              options of PETSc\n\n"
          "Names for --set:\n  parameters:",
          file);
    for (int i = 0; i < model->parameters; i++) {
        fprintf(file, " %s", model->parameter[i].name);
    }
    fputc('\n', file);
}
