/* sample FILE ROWS: the lines of a result, csv or .npy, that show it. Prints the number of rows of the file and of the
 * events in it, then the header and at most about ROWS rows: evenly over the run, and every row in which a contact
 * changes its status with the row before it, the hardest first should there be more of them than room. The lines are
 * printed as they stand, or would in csv. */
#define _XOPEN_SOURCE 700

#include "driver/digits.h"
#include "driver/npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned long row;
    double strength;
} event;

typedef struct {
    int *status, *impulse; /* columns */
    int statuses, impulses;
    double *last; /* impulses of the row before */
    char *state;  /* first characters of the status columns there */
} contacts;

static int ends_with(const char *name, size_t length, const char *ending)
{
    const size_t n = strlen(ending);
    return length >= n && strncmp(name + length - n, ending, n) == 0;
}

/* Which columns tell of contacts; 0 when good. */
static int read_header(contacts *c, const char *line)
{
    int columns = 1;
    for (const char *p = line; *p != '\0'; p++) {
        columns += *p == ',';
    }
    const size_t n = (size_t)columns;
    c->status = malloc(n * sizeof *c->status);
    c->impulse = malloc(n * sizeof *c->impulse);
    c->last = calloc(n, sizeof *c->last);
    c->state = calloc(n, 1);
    if (c->status == NULL || c->impulse == NULL || c->last == NULL || c->state == NULL) {
        return -1;
    }
    int k = 0;
    for (const char *p = line;; k++) {
        const size_t length = strcspn(p, ",\n");
        if (ends_with(p, length, ".status")) {
            c->status[c->statuses++] = k;
        } else if (ends_with(p, length, ".impulse")) {
            c->impulse[c->impulses++] = k;
        }
        if (p[length] != ',') {
            return 0;
        }
        p += length + 1;
    }
}

/* Does a contact change in this row? strength: the impulses that came since the row before. */
static int changes(contacts *c, const char *line, int first, double *strength)
{
    int column = 0, s = 0, i = 0, changed = 0;
    *strength = 0;
    for (const char *p = line; s < c->statuses || i < c->impulses; column++) {
        if (i < c->impulses && c->impulse[i] == column) {
            const double x = strtod(p, NULL);
            *strength += x > c->last[i] ? x - c->last[i] : 0;
            c->last[i++] = x;
        } else if (s < c->statuses && c->status[s] == column) {
            changed |= *p != c->state[s];
            c->state[s++] = *p;
        }
        p = strchr(p, ',');
        if (p == NULL) {
            break;
        }
        p++;
    }
    return changed && !first;
}

static int stronger(const void *a, const void *b)
{
    const event *x = a, *y = b;
    return x->strength != y->strength ? (x->strength < y->strength) - (x->strength > y->strength)
                                      : (x->row > y->row) - (x->row < y->row);
}

typedef struct {
    event *list;
    size_t count, room;
} events;

static int add_event(events *e, unsigned long row, double strength)
{
    if (e->count == e->room) {
        const size_t room = e->room == 0 ? 256 : 2 * e->room;
        event *list = realloc(e->list, room * sizeof *list);
        if (list == NULL) {
            return -1;
        }
        e->list = list;
        e->room = room;
    }
    e->list[e->count++] = (event){row, strength};
    return 0;
}

/* Marks the rows that are shown. */
static void choose(unsigned char *keep, unsigned long rows, unsigned long most, events *e)
{
    const unsigned long every = rows <= most ? 1 : (2 * rows + most - 1) / most;
    unsigned long kept = 0;
    for (unsigned long k = 0; k < rows; k++) {
        keep[k] = k % every == 0 || k + 1 == rows;
        kept += keep[k];
    }
    if (e->count > 1) {
        qsort(e->list, e->count, sizeof *e->list, stronger);
    }
    for (size_t k = 0; k < e->count && kept < most; k++) {
        for (unsigned long j = e->list[k].row - 1; j <= e->list[k].row; j++) {
            kept += !keep[j];
            keep[j] = 1;
        }
    }
}

/* A result, line by line. */
typedef struct {
    FILE *file;
    char *line;
    size_t size;
    int columns; /* of an .npy file: numbers of a row; 0: csv */
    double *row;
} source;

enum { NUMBER = 32 }; /* characters of a number and what follows it */

/* The first line; 0 when there is none. */
static int first_line(source *s, const char *path)
{
    rewind(s->file);
    if (!carom_npy_named(path)) {
        return getline(&s->line, &s->size, s->file) > 0;
    }
    char *const names = carom_npy_names(s->file, &s->columns);
    const size_t length = names != NULL ? strlen(names) : 0, rows = NUMBER * (size_t)(names != NULL ? s->columns : 0);
    free(s->line);
    free(s->row);
    s->size = (length > rows ? length : rows) + 1;
    s->line = names != NULL ? malloc(s->size) : NULL;
    s->row = names != NULL ? malloc(sizeof(double) * ((size_t)s->columns + 1)) : NULL;
    if (s->line != NULL) {
        memcpy(s->line, names, length + 1);
    }
    free(names);
    return s->line != NULL && s->row != NULL;
}

/* The next whole one; 0 at the end. */
static int next_line(source *s)
{
    if (s->row == NULL) {
        const ssize_t length = getline(&s->line, &s->size, s->file);
        return length > 0 && s->line[length - 1] == '\n';
    }
    if (fread(s->row, sizeof *s->row, (size_t)s->columns, s->file) != (size_t)s->columns) {
        return 0;
    }
    char *p = s->line;
    for (int k = 0; k < s->columns; k++) {
        p += isfinite(s->row[k]) ? carom_digits(p, s->row[k]) : snprintf(p, NUMBER, "%g", s->row[k]);
        *p++ = k + 1 < s->columns ? ',' : '\n';
    }
    *p = '\0';
    return 1;
}

/* Reads the file twice: for what happens in it, and for the lines. What went wrong, or NULL. */
static const char *sample(source *in, const char *path, unsigned long most, contacts *c, events *e)
{
    if (!first_line(in, path) || read_header(c, in->line) != 0) {
        return "no header";
    }
    unsigned long rows = 0;
    for (; next_line(in); rows++) {
        double strength;
        if (changes(c, in->line, rows == 0, &strength) && add_event(e, rows, strength) != 0) {
            return "no memory";
        }
    }
    unsigned char *keep = calloc(rows + 1, 1);
    if (keep == NULL) {
        return "no memory";
    }
    choose(keep, rows, most, e);
    printf("%lu %zu\n", rows, e->count);
    if (first_line(in, path)) {
        fputs(in->line, stdout);
    }
    for (unsigned long k = 0; k < rows && next_line(in); k++) {
        if (keep[k]) {
            fputs(in->line, stdout);
        }
    }
    free(keep);
    return ferror(in->file) || fflush(stdout) != 0 || ferror(stdout) ? "cannot be read or written" : NULL;
}

int main(int argc, char **argv)
{
    const unsigned long most = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (most < 2) {
        fputs("sample FILE ROWS\n", stderr);
        return 1;
    }
    source in = {.file = fopen(argv[1], "rb")};
    if (in.file == NULL) {
        fprintf(stderr, "sample: cannot read %s\n", argv[1]);
        return 1;
    }
    contacts c = {0};
    events e = {0};
    const char *wrong = sample(&in, argv[1], most, &c, &e);
    if (wrong != NULL) {
        fprintf(stderr, "sample: %s: %s\n", argv[1], wrong);
    }
    (void)fclose(in.file);
    free(in.line);
    free(in.row);
    free(c.status);
    free(c.impulse);
    free(c.last);
    free(c.state);
    free(e.list);
    return wrong != NULL;
}
