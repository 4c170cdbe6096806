/* Writes contact problems in the text formats of `carom solve`, with numbers that read back equal. */
#include "failure.h"

#include "file.h"

#include <carom/unlike.h>

#include <errno.h>
#include <stdlib.h>

#define FIRST_SIZE ((size_t)1 << 20) /* of a pile's problem, then four times more each */
#define LARGEST_SIZE ((size_t)1 << 34)

int carom_failure_make(carom_failure *failure, const carom_model *model)
{
    const int rows = 3 * model->contacts + 2 * model->constraints;
    const size_t n = (size_t)rows;
    double *memory = malloc((n * n + 2 * n + 1) * sizeof *memory);
    if (memory == NULL) {
        return -1;
    }
    *failure = (carom_failure){.rows = rows, .mu = memory, .q = memory + n, .W = memory + 2 * n};
    return 0;
}

void carom_failure_free(carom_failure *failure)
{
    free(failure->mu);
    failure->mu = NULL;
}

static void write_friction(FILE *file, const carom_failure *f)
{
    const int rows = f->dimension * f->contacts;
    fprintf(file, "dimension %d\ncontacts %d\nmu\n", f->dimension, f->contacts);
    for (int i = 0; i < f->contacts; i++) {
        fprintf(file, "%.17g\n", f->mu[i]);
    }
    fputs("q\n", file);
    for (int i = 0; i < rows; i++) {
        fprintf(file, "%.17g\n", f->q[i]);
    }
    if (f->row == NULL) {
        fprintf(file, "W %d\n", rows * rows);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < rows; j++) {
                fprintf(file, "%d %d %.17g\n", i, j, f->W[i * rows + j]);
            }
        }
    } else {
        const int d = f->dimension;
        fprintf(file, "W %d\n", d * d * f->row[f->contacts]);
        for (int c = 0; c < f->contacts; c++) {
            for (int e = d * d * f->row[c]; e < d * d * f->row[c + 1]; e++) {
                const int at = e % (d * d);
                fprintf(file, "%d %d %.17g\n", d * c + at / d, d * f->column[e / (d * d)] + at % d, f->block[e]);
            }
        }
    }
}

static void write_lcp(FILE *file, const carom_failure *f)
{
    const int rows = f->contacts;
    fprintf(file, "n %d\nM\n", rows);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            fprintf(file, "%.17g%c", f->W[i * rows + j], j + 1 < rows ? ' ' : '\n');
        }
    }
    fputs("q\n", file);
    for (int i = 0; i < rows; i++) {
        fprintf(file, "%.17g\n", f->q[i]);
    }
}

int carom_failure_write(const carom_failure *failure, const char *path)
{
    carom_file output;
    if (carom_file_open(&output, path) != 0) {
        return -1;
    }
    if (failure->dimension == 1) {
        write_lcp(output.stream, failure);
    } else {
        write_friction(output.stream, failure);
    }
    return carom_file_keep(&output);
}

double carom_failure_unlike(const carom_failure *failure)
{
    const int n = failure->dimension * failure->contacts;
    const int coupled = failure->dimension > 1 && failure->block == NULL && n > 0;
    double *const W = coupled ? malloc(sizeof(double) * (size_t)n * (size_t)n) : NULL;
    for (int i = 0; i < n * n && W != NULL; ++i) {
        W[i] = failure->W[i];
    }
    const double unlike = W != NULL ? carom_unlike_masses(n, W) : 1.0;
    free(W);
    return unlike;
}

int carom_failure_write_pile(const carom_model *model, void *state, const char *path)
{
    carom_failure failure = {.contacts = 0};
    size_t size = FIRST_SIZE;
    void *memory = malloc(size);
    while (memory != NULL && !model->unsolved(state, &failure, memory, size)) {
        free(memory);
        size *= 4;
        memory = size <= LARGEST_SIZE ? malloc(size) : NULL;
    }
    const int written = memory != NULL ? carom_failure_write(&failure, path) : -1;
    if (memory == NULL) {
        errno = ENOMEM;
    }
    free(memory);
    return written;
}
