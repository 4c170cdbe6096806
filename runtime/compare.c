/* Compares result files: the program behind the errors of `carom study`.
 *
 *     compare RESULT REFERENCE --of LABEL=COLUMN,COLUMN... [--of ...] [--graph GRAPH]
 *
 * RESULT and REFERENCE are csv files with a column t; errors are taken at the times both have. For every LABEL it
 * prints
 *     LABEL points N, LABEL size X             how many times, and the largest length of the reference there
 *     LABEL l1 X, LABEL l2 X, LABEL sup X      grid norms of the Euclidean length of the error over the columns
 *     LABEL hausdorff X, LABEL dense X         with GRAPH only: a csv file that samples the reference closely, a jump
 *                                              as two rows with the same t; the largest over the columns
 * Between grid points a column NAME.dot is read as piecewise constant, x[i] on (t[i-1], t[i]], others as linear.
 * Ends with 0, or with 2 and a message on standard error. */
#include "carom/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *what, const char *name)
{
    fprintf(stderr, "compare: %s: %s\n", name, what);
    exit(2);
}

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        give_up("out of memory", "all");
    }
    return memory;
}

/* A csv file as columns of numbers; lines that begin with # are comments. */
typedef struct {
    const char *name;
    char *text;
    size_t columns, rows;
    char **title;
    double *value; /* column by column */
} table;

static char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    size_t size = 0, room = 1 << 16;
    char *text = take(room, 1);
    if (file == NULL) {
        give_up("cannot be read", name);
    }
    for (size_t got; (got = fread(text + size, 1, room - size - 1, file)) > 0;) {
        size += got;
        if (size + 1 >= room) {
            char *more = realloc(text, room * 2);
            if (more == NULL) {
                give_up("out of memory", name);
            }
            text = more;
            room *= 2;
        }
    }
    text[size] = '\0';
    (void)fclose(file);
    return text;
}

static char *skip_comments(char *line)
{
    while (*line == '#' || *line == '\n') {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return line;
}

static table read_table(const char *name)
{
    table c = {.name = name, .text = read_file(name)};
    char *head = skip_comments(c.text), *line = head + strcspn(head, "\n");
    size_t lines = 0;
    for (const char *p = line; *p != '\0'; p++) {
        lines += *p == '\n';
    }
    if (*line == '\n') {
        *line++ = '\0';
    }
    c.columns = 1;
    for (const char *p = head; *p != '\0'; p++) {
        c.columns += *p == ',';
    }
    c.title = take(c.columns, sizeof *c.title);
    for (size_t j = 0; j < c.columns; j++) {
        c.title[j] = head;
        head += strcspn(head, ",");
        if (*head == ',') {
            *head++ = '\0';
        }
    }
    c.value = take(c.columns * (lines + 1), sizeof *c.value);
    for (line = skip_comments(line); *line != '\0'; line = skip_comments(line)) {
        for (size_t j = 0; j < c.columns; j++) {
            char *end = line;
            c.value[j * (lines + 1) + c.rows] = strtod(line, &end);
            if (end == line || (*end != ',' && *end != '\n' && *end != '\0')) {
                give_up("a row with something that is no number", name);
            }
            line = end + (*end == ',');
        }
        c.rows++;
    }
    for (size_t j = 1; j < c.columns; j++) { /* close the room between columns */
        memmove(c.value + j * c.rows, c.value + j * (lines + 1), c.rows * sizeof *c.value);
    }
    if (c.rows == 0) {
        give_up("has no rows", name);
    }
    return c;
}

static const double *column(const table *c, const char *title, size_t length)
{
    for (size_t j = 0; j < c->columns; j++) {
        if (strlen(c->title[j]) == length && strncmp(c->title[j], title, length) == 0) {
            return c->value + j * c->rows;
        }
    }
    fprintf(stderr, "compare: %s has no column %.*s\n", c->name, (int)length, title);
    exit(2);
}

/* Rows of both tables at equal times, up to a small part of the step there. */
static size_t common_rows(const table *a, const table *b, size_t *ia, size_t *ib)
{
    const double *ta = column(a, "t", 1), *tb = column(b, "t", 1);
    size_t count = 0;
    for (size_t i = 0, j = 0; i < a->rows; i++) {
        const double step = a->rows > 1 ? (i > 0 ? ta[i] - ta[i - 1] : ta[1] - ta[0]) : 1.0;
        const double near = 1e-6 * step + 1e-12 * fabs(ta[i]);
        while (j < b->rows && tb[j] < ta[i] - near) {
            j++;
        }
        if (j < b->rows && fabs(tb[j] - ta[i]) <= near) {
            ia[count] = i;
            ib[count++] = j;
        }
    }
    return count;
}

static int is_velocity(const char *title, size_t length)
{
    return length > 4 && strncmp(title + length - 4, ".dot", 4) == 0;
}

/* The reference as a polyline, for the dense norm; asked for ascending times. */
typedef struct {
    const double *t, *x;
    size_t n, at;
} polyline;

static double polyline_at(double t, void *context)
{
    polyline *p = context;
    while (p->at > 0 && p->t[p->at] > t) {
        p->at--;
    }
    while (p->at + 2 < p->n && p->t[p->at + 1] <= t) {
        p->at++;
    }
    const double h = p->t[p->at + 1] - p->t[p->at];
    return h > 0.0 ? p->x[p->at] + (p->x[p->at + 1] - p->x[p->at]) * (t - p->t[p->at]) / h : p->x[p->at + 1];
}

static double dense_distance(const table *a, const table *b, const char *title, size_t length)
{
    const double *ta = column(a, "t", 1), *xa = column(a, title, length);
    const double *tb = column(b, "t", 1), *xb = column(b, title, length);
    const double node[] = {0.0, 1.0};
    double *value = take(2 * a->rows, sizeof *value), result;
    polyline reference = {tb, xb, b->rows, 0};
    carom_dense x = {a->rows - 1, ta, 2, node, value};
    if (b->rows < 2) {
        give_up("needs two rows", b->name);
    }
    for (size_t i = 0; i + 1 < a->rows; i++) {
        value[2 * i] = is_velocity(title, length) ? xa[i + 1] : xa[i];
        value[2 * i + 1] = xa[i + 1];
    }
    result = carom_dense_l1(&x, polyline_at, &reference, b->rows, tb);
    free(value);
    return result;
}

static double graph_distance(const table *a, const table *b, const char *title, size_t length)
{
    const double *ta = column(a, "t", 1), *xa = column(a, title, length);
    const size_t most = 2 * a->rows > b->rows ? 2 * a->rows : b->rows;
    double *T = take(2 * a->rows, sizeof *T), *X = take(2 * a->rows, sizeof *X), result;
    size_t *work = take(CAROM_HAUSDORFF_WORK(most), sizeof *work);
    carom_graph x = {a->rows, ta, xa};
    const carom_graph reference = {b->rows, column(b, "t", 1), column(b, title, length)};
    if (is_velocity(title, length) && a->rows > 1) {
        x = (carom_graph){carom_graph_staircase(a->rows, ta, xa, T, X), T, X};
    }
    result = carom_hausdorff(&x, &reference, 1e-4, work);
    free(T);
    free(X);
    free(work);
    return result;
}

static void compare(const table *a, const table *b, const table *graph, const char *of)
{
    const size_t label = strcspn(of, "=");
    size_t *ia = take(a->rows, sizeof *ia), *ib = take(a->rows, sizeof *ib);
    const size_t points = common_rows(a, b, ia, ib);
    double *t = take(points, sizeof *t), *e = take(points, sizeof *e), *s = take(points, sizeof *s);
    double hausdorff = 0.0, dense = 0.0;
    const double *ta = column(a, "t", 1);
    if (of[label] != '=') {
        give_up("write --of LABEL=COLUMN,...", of);
    }
    for (const char *title = of + label + 1; *title != '\0';) {
        const size_t length = strcspn(title, ",");
        const double *xa = column(a, title, length), *xb = column(b, title, length);
        for (size_t k = 0; k < points; k++) {
            t[k] = ta[ia[k]];
            e[k] = hypot(e[k], xa[ia[k]] - xb[ib[k]]);
            s[k] = hypot(s[k], xb[ib[k]]);
        }
        if (graph != NULL) {
            hausdorff = fmax(hausdorff, graph_distance(a, graph, title, length));
            dense = fmax(dense, dense_distance(a, graph, title, length));
        }
        title += length + (title[length] == ',');
    }
    printf("%.*s points %zu\n", (int)label, of, points);
    printf("%.*s size %.17g\n", (int)label, of, carom_grid_norm(points, t, s, INFINITY));
    printf("%.*s l1 %.17g\n", (int)label, of, carom_grid_norm(points, t, e, 1.0));
    printf("%.*s l2 %.17g\n", (int)label, of, carom_grid_norm(points, t, e, 2.0));
    printf("%.*s sup %.17g\n", (int)label, of, carom_grid_norm(points, t, e, INFINITY));
    if (graph != NULL) {
        printf("%.*s hausdorff %.17g\n%.*s dense %.17g\n", (int)label, of, hausdorff, (int)label, of, dense);
    }
    free(ia);
    free(ib);
    free(t);
    free(e);
    free(s);
}

static void free_table(table *c)
{
    free(c->text);
    free(c->title);
    free(c->value);
}

int main(int argc, char **argv)
{
    const char *graph_name = NULL;
    table result, reference, graph = {0};
    if (argc < 3) {
        give_up("write: compare RESULT REFERENCE --of LABEL=COLUMN,... [--graph GRAPH]", "usage");
    }
    for (int i = 3; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--graph") == 0) {
            graph_name = argv[i + 1];
        } else if (strcmp(argv[i], "--of") != 0) {
            give_up("unknown option", argv[i]);
        }
    }
    result = read_table(argv[1]);
    reference = read_table(argv[2]);
    if (graph_name != NULL) {
        graph = read_table(graph_name);
    }
    for (int i = 3; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--of") == 0) {
            compare(&result, &reference, graph_name != NULL ? &graph : NULL, argv[i + 1]);
        }
    }
    free_table(&result);
    free_table(&reference);
    if (graph_name != NULL) {
        free_table(&graph);
    }
    return 0;
}
