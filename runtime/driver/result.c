/* The file of a run, as csv or as NumPy's .npy. */
#define _XOPEN_SOURCE 700

#include "result.h"

#include "npy.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_MAX = 512, BUFFER_DOUBLES = 1 << 17 };

/* How many of a list of the state are columns of the result. */
static int listed(const carom_model *model, int count) { return model->outputs_only ? 0 : count; }

/* Contacts whose status is known: all or none. */
static int statuses(const carom_model *model) { return model->contact_status != NULL ? model->contacts : 0; }

/* Whether the deepest penetration is kept. */
static int deepest(const carom_model *model)
{
    return model->contacts > 0 && (model->contact_status != NULL || model->outputs_only);
}

static void header(FILE *file, const carom_model *model)
{
    fputc('t', file);
    for (int i = 0; i < listed(model, model->coordinates); i++) {
        fprintf(file, ",%s", model->coordinate[i].name);
    }
    for (int i = 0; i < listed(model, model->velocities); i++) {
        const char *name = model->velocity[i].name;
        fprintf(file, ",%.*s%s", (int)carom_base_length(name), name,
                carom_is_rate(model, &model->velocity[i]) ? ".dot" : "");
    }
    for (int i = 0; i < listed(model, model->contacts); i++) {
        fprintf(file, ",%s.gap", model->contact[i].name);
    }
    for (int i = 0; i < listed(model, model->contacts); i++) {
        fprintf(file, ",%s.impulse", model->contact[i].name);
    }
    for (int i = 0; i < model->outputs; i++) {
        fprintf(file, ",%s", model->output[i].name);
    }
    for (int i = 0; i < listed(model, model->tangents); i++) {
        fprintf(file, ",%s", model->tangent[i].name);
    }
    for (int i = 0; i < listed(model, statuses(model)); i++) {
        fprintf(file, ",%s.status", model->contact[i].name);
    }
    for (int i = 0; i < listed(model, model->constraints); i++) {
        fprintf(file, ",%s.force", model->constraint[i].name);
    }
    if (deepest(model)) {
        fputs(",contacts.deepest", file);
    }
    fputc('\n', file);
}

/* Rows of an earlier file up to time t, copied to `to` unless that is NULL. Only of a file with the same columns, only
 * whole ones; *last becomes the time of the last. */
static unsigned long long take_lines(const char *head, FILE *old, double t, FILE *to, double *last)
{
    char *line = NULL;
    size_t size = 0;
    unsigned long long rows = 0;
    const int same = getline(&line, &size, old) > 0 && strcmp(line, head) == 0;
    while (same && getline(&line, &size, old) > 0 && line[strlen(line) - 1] == '\n') {
        const double time = strtod(line, NULL);
        if (time <= t + 1e-12 * fabs(t)) {
            *last = time;
            rows++;
            if (to != NULL) {
                fputs(line, to);
            }
        }
    }
    free(line);
    return rows;
}

/* The same of an .npy file, whose row is room for one of its rows. */
static unsigned long long take_arrays(const char *head, FILE *old, double t, FILE *to, double *last, double *row)
{
    unsigned long long rows = 0;
    int columns = 0;
    char *const names = carom_npy_names(old, &columns);
    const int same = names != NULL && strcmp(names, head) == 0;
    while (same && fread(row, sizeof *row, (size_t)columns, old) == (size_t)columns) {
        if (row[0] <= t + 1e-12 * fabs(t)) {
            *last = row[0];
            rows++;
            if (to != NULL) {
                (void)fwrite(row, sizeof *row, (size_t)columns, to);
            }
        }
    }
    free(names);
    return rows;
}

static unsigned long long take_rows(const carom_result *result, const char *path, double t, FILE *to, double *last)
{
    FILE *old = fopen(path, "r");
    unsigned long long rows = 0;
    *last = -INFINITY;
    if (old != NULL) {
        rows = result->binary ? take_arrays(result->head, old, t, to, last, result->buffer)
                              : take_lines(result->head, old, t, to, last);
        (void)fclose(old);
    }
    return rows;
}

/* What stands before the rows; of an .npy file with their number, which becomes known at the end. */
static void put_head(const carom_result *result, FILE *file)
{
    if (result->binary) {
        carom_npy_head(file, result->head, result->written);
    } else {
        fputs(result->head, file);
    }
}

/* The rows go to a new file first, which then takes the place of the unfinished one: killed meanwhile, that is still
 * there. */
static int keep_rows(carom_result *result, const char *path, double t)
{
    const size_t size = strlen(path) + 16;
    double ended, killed;
    char *names = malloc(2 * size); /* until the end, and before that */
    carom_file *output = &result->output;
    if (names == NULL) {
        errno = ENOMEM;
        return -1;
    }
    char *const part = names, *const again = names + size;
    (void)snprintf(part, size, "%s.part", path);
    (void)snprintf(again, size, "%s.part.new", path);
    (void)take_rows(result, path, t, NULL, &ended);
    (void)take_rows(result, part, t, NULL, &killed);
    FILE *file = fopen(again, "w");
    if (file != NULL) {
        put_head(result, file);
        result->written = take_rows(result, killed >= ended ? part : path, t, file, &ended);
        *output = (carom_file){.stream = file, .path = strdup(path), .temporary = part, .lasting = 1};
        if (output->path != NULL && carom_file_settle(output) == 0 && rename(again, part) == 0) {
            return 0;
        }
        const int why = errno;
        (void)unlink(again);
        (void)fclose(file);
        free(output->path);
        *output = (carom_file){0};
        errno = why;
    }
    free(names);
    return -1;
}

/* The names of the columns as a text; NULL: no memory. */
static char *head_of(const carom_model *model)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL) {
        return NULL;
    }
    header(file, model);
    const int bad = ferror(file);
    if (fclose(file) != 0 || bad) {
        free(text);
        return NULL;
    }
    return text;
}

int carom_result_open(carom_result *result, const carom_model *model, const char *path, int lasting, const double *from)
{
    *result = (carom_result){.model = model, .binary = path != NULL && carom_npy_named(path)};
    if (path == NULL) {
        return 0;
    }
    result->columns = 1 + listed(model, model->coordinates + model->velocities + 2 * model->contacts) + model->outputs +
                      listed(model, model->tangents + statuses(model) + model->constraints) + deepest(model);
    result->capacity = BUFFER_DOUBLES / result->columns;
    result->capacity = result->capacity < 1 ? 1 : result->capacity > ROWS_MAX ? ROWS_MAX : result->capacity;
    result->buffer = malloc(sizeof(double) * (size_t)result->columns * (size_t)result->capacity);
    result->status = malloc(sizeof(carom_contact_status) * ((size_t)statuses(model) + 1));
    result->head = head_of(model);
    if (result->buffer == NULL || result->status == NULL || result->head == NULL) {
        errno = ENOMEM;
        return -1;
    }
    if (from != NULL && carom_file_renamed(path)) {
        if (keep_rows(result, path, *from) != 0) {
            return -1;
        }
    } else if ((lasting ? carom_file_open_lasting : carom_file_open)(&result->output, path) != 0) {
        return -1;
    } else {
        put_head(result, result->output.stream);
    }
    result->file = result->output.stream;
    return 0;
}

void carom_result_row(carom_result *result, const carom_view *view, const void *state)
{
    const carom_model *model = result->model;
    double *row = result->buffer + (size_t)result->rows * (size_t)result->columns;
    *row++ = *view->t;
    for (int i = 0; i < listed(model, model->coordinates); i++) {
        *row++ = view->q[i];
    }
    for (int i = 0; i < listed(model, model->velocities); i++) {
        *row++ = view->v[i];
    }
    for (int i = 0; i < listed(model, model->contacts); i++) {
        *row++ = view->gap[i];
    }
    for (int i = 0; i < listed(model, model->contacts); i++) {
        *row++ = view->impulse[i];
    }
    if (model->outputs > 0) {
        model->output_values(state, row);
        row += model->outputs;
    }
    for (int i = 0; i < listed(model, model->tangents); i++) {
        *row++ = view->friction[i];
    }
    if (listed(model, statuses(model)) > 0) {
        model->contact_status(state, result->status);
        for (int i = 0; i < model->contacts; i++) {
            *row++ = (double)result->status[i];
        }
    }
    for (int i = 0; i < listed(model, model->constraints); i++) {
        *row++ = view->last != NULL ? view->last[i] / *view->last_step : NAN;
    }
    if (deepest(model)) {
        *row++ = view->deepest != NULL ? view->deepest->depth : NAN;
    }
    result->rows++;
}

int carom_result_full(const carom_result *result) { return result->rows >= result->capacity; }

int carom_result_flush(carom_result *result)
{
    const double *x = result->buffer;
    if (result->binary) {
        (void)fwrite(x, sizeof *x, (size_t)result->rows * (size_t)result->columns, result->file);
    }
    for (int i = 0; i < result->rows && !result->binary; i++) {
        for (int j = 0; j < result->columns; j++) {
            char text[CAROM_NUMBER_SIZE + 1];
            int length = carom_number_text(text, *x++);
            text[length] = j + 1 < result->columns ? ',' : '\n';
            (void)fwrite(text, 1, (size_t)length + 1, result->file);
        }
    }
    result->written += (unsigned long long)result->rows;
    result->rows = 0;
    return ferror(result->file) ? -1 : 0;
}

/* The number of rows so far, in the head of an .npy file; 0 when it could be written. */
static int count_rows(carom_result *result)
{
    if (!result->binary) {
        return 0;
    }
    if (fseek(result->file, 0, SEEK_SET) != 0) {
        return -1;
    }
    put_head(result, result->file);
    return fseek(result->file, 0, SEEK_END) != 0 || ferror(result->file) ? -1 : 0;
}

int carom_result_settle(carom_result *result)
{
    const int good = result->file == NULL || (carom_result_flush(result) == 0 && count_rows(result) == 0 &&
                                              carom_file_settle(&result->output) == 0);
    return good ? 0 : -1;
}

int carom_result_keep(carom_result *result)
{
    if (result->file == NULL) {
        return 0;
    }
    (void)carom_result_flush(result);
    const int counted = count_rows(result);
    result->file = NULL;
    const int named = result->output.path != NULL;
    if (counted != 0) {
        carom_file_drop(&result->output);
        return -1;
    }
    const int status = carom_file_keep(&result->output);
    result->kept = named && status == 0;
    return status;
}

void carom_result_close(carom_result *result)
{
    carom_file_drop(&result->output);
    free(result->buffer);
    free(result->status);
    free(result->head);
    *result = (carom_result){0};
}
