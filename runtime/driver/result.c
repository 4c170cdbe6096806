/* The csv file of a run. */
#include "result.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MAX = 512, BUFFER_DOUBLES = 1 << 17 };

/* How many of a list of the state are columns of the result. */
static int listed(const carom_model *model, int count) { return model->outputs_only ? 0 : count; }

/* Contacts whose status is known: all or none. */
static int statuses(const carom_model *model) { return model->contact_status != NULL ? model->contacts : 0; }

static void header(carom_result *result)
{
    const carom_model *model = result->model;
    FILE *file = result->file;
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
    if (statuses(model) > 0) {
        fputs(",contacts.deepest", file);
    }
    fputc('\n', file);
}

int carom_result_open(carom_result *result, const carom_model *model, const char *path)
{
    *result = (carom_result){.model = model};
    if (path == NULL) {
        return 0;
    }
    result->columns = 1 + listed(model, model->coordinates + model->velocities + 2 * model->contacts) + model->outputs +
                      listed(model, model->tangents + statuses(model) + model->constraints) +
                      (statuses(model) > 0 ? 1 : 0);
    result->capacity = BUFFER_DOUBLES / result->columns;
    result->capacity = result->capacity < 1 ? 1 : result->capacity > ROWS_MAX ? ROWS_MAX : result->capacity;
    result->buffer = malloc(sizeof(double) * (size_t)result->columns * (size_t)result->capacity);
    result->status = malloc(sizeof(carom_contact_status) * ((size_t)statuses(model) + 1));
    if (result->buffer == NULL || result->status == NULL) {
        return -1;
    }
    if (carom_file_open(&result->output, path) != 0) {
        return -1;
    }
    result->file = result->output.stream;
    header(result);
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
    if (statuses(model) > 0) {
        *row++ = view->deepest->depth;
    }
    result->rows++;
}

int carom_result_full(const carom_result *result) { return result->rows >= result->capacity; }

int carom_result_flush(carom_result *result)
{
    const double *x = result->buffer;
    for (int i = 0; i < result->rows; i++) {
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

int carom_result_keep(carom_result *result)
{
    if (result->file == NULL) {
        return 0;
    }
    (void)carom_result_flush(result);
    result->file = NULL;
    const int named = result->output.path != NULL;
    const int status = carom_file_keep(&result->output);
    result->kept = named && status == 0;
    return status;
}

void carom_result_close(carom_result *result)
{
    carom_file_drop(&result->output);
    free(result->buffer);
    free(result->status);
    *result = (carom_result){0};
}
