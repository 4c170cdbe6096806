/* Frictional contact problems as text, in the format of the public collection:
 *
 *     dimension d
 *     contacts n
 *     mu          n numbers
 *     q           d n numbers
 *     W nnz       nnz triplets: row column value, 0-based
 *
 * White space separates; line breaks do not matter except in messages. */
#include "carom/friction.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ENTRIES (INT_MAX / 64)
#define WORD 64

typedef struct {
    FILE *file;
    int line;
    carom_friction_file_error *error;
} reader;

static int refuse(reader *in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    in->error->line = in->line;
    (void)vsnprintf(in->error->message, sizeof in->error->message, format, arguments);
    va_end(arguments);
    for (char *c = in->error->message; *c != '\0'; ++c) {
        *c = isprint((unsigned char)*c) ? *c : '?';
    }
    return 0;
}

/* The next word; 0 at the end of the file or when it is too long to be a number. */
static int next_word(reader *in, char word[WORD])
{
    int c = getc(in->file), length = 0;
    while (c != EOF && isspace(c)) {
        in->line += c == '\n';
        c = getc(in->file);
    }
    while (c != EOF && !isspace(c) && length < WORD - 1) {
        word[length++] = (char)c;
        c = getc(in->file);
    }
    word[length] = '\0';
    if (c != EOF) {
        (void)ungetc(c, in->file); /* a line break is counted with the next word */
    }
    return length > 0 && (c == EOF || isspace(c));
}

static int keyword(reader *in, const char *name)
{
    char word[WORD];
    if (!next_word(in, word) || strcmp(word, name) != 0) {
        return refuse(in, "expected '%s', found '%s'", name, word[0] != '\0' ? word : "end of file");
    }
    return 1;
}

static int integer(reader *in, const char *what, int low, int high, int *value)
{
    char word[WORD], *end = word;
    const int found = next_word(in, word);
    const long number = found ? strtol(word, &end, 10) : 0;
    if (!found || end == word || *end != '\0') {
        return refuse(in, "expected %s, an integer, found '%s'", what, word[0] != '\0' ? word : "end of file");
    }
    if (number < low || number > high) {
        return refuse(in, "%s is %ld; it must lie in %d .. %d", what, number, low, high);
    }
    *value = (int)number;
    return 1;
}

static int real(reader *in, const char *what, double *value)
{
    char word[WORD], *end = word;
    const int found = next_word(in, word);
    *value = found ? strtod(word, &end) : 0.0;
    if (!found || end == word || *end != '\0' || !isfinite(*value)) {
        return refuse(in, "expected %s, a finite number, found '%s'", what, word[0] != '\0' ? word : "end of file");
    }
    return 1;
}

static int reals(reader *in, const char *what, int count, double *value)
{
    int good = 1;
    for (int i = 0; i < count && good; ++i) {
        good = real(in, what, &value[i]);
    }
    return good;
}

static int friction_coefficients(reader *in, int n, double *mu)
{
    int good = 1;
    for (int c = 0; c < n && good; ++c) {
        good = real(in, "a friction coefficient", &mu[c]);
        if (good && mu[c] < 0.0) {
            good = refuse(in, "friction coefficient of contact %d is negative", c);
        }
    }
    return good;
}

static int triplets(reader *in, int size, int entries, int *row, int *column, double *value)
{
    int good = 1;
    for (int k = 0; k < entries && good; ++k) {
        good = integer(in, "a row of W", 0, size - 1, &row[k]) &&
               integer(in, "a column of W", 0, size - 1, &column[k]) && real(in, "an entry of W", &value[k]);
    }
    char word[WORD];
    if (good && next_word(in, word)) {
        good = refuse(in, "'%s' follows the last of %d entries of W", word, entries);
    }
    return good;
}

/* The rest of the file once d and n are known. */
static void *read_body(reader *in, int d, int n, carom_friction_problem *problem)
{
    const size_t contacts = (size_t)n;
    void *memory = NULL;
    double *numbers = malloc((1 + (size_t)d) * contacts * sizeof(double) + 1);
    int entries = 0;
    if (numbers == NULL) {
        refuse(in, "not enough memory for %d contacts", n);
    } else if (keyword(in, "mu") && friction_coefficients(in, n, numbers) && keyword(in, "q") &&
               reals(in, "an entry of q", d * n, numbers + contacts) && keyword(in, "W") &&
               integer(in, "the number of entries of W", 0, MOST_ENTRIES, &entries)) {
        double *value = malloc((size_t)entries * (sizeof(double) + 2 * sizeof(int)) + 1);
        int *row = value != NULL ? (int *)(void *)(value + entries) : NULL,
            *column = row != NULL ? row + entries : NULL;
        if (value == NULL) {
            refuse(in, "not enough memory for %d entries of W", entries);
        } else if (triplets(in, d * n, entries, row, column, value)) {
            memory = carom_friction_assemble(d, n, numbers, numbers + contacts, entries, row, column, value, problem);
            if (memory == NULL) {
                refuse(in, "not enough memory for the problem");
            }
        }
        free(value);
    }
    free(numbers);
    return memory;
}

void *carom_friction_read(FILE *file, carom_friction_problem *problem, carom_friction_file_error *error)
{
    reader in = {file, 1, error};
    int d = 0, n = 0;
    *error = (carom_friction_file_error){0};
    if (!keyword(&in, "dimension") || !integer(&in, "dimension", 2, 3, &d) || !keyword(&in, "contacts") ||
        !integer(&in, "contacts", 0, INT_MAX / 64, &n)) {
        return NULL;
    }
    return read_body(&in, d, n, problem);
}

carom_status carom_friction_write(FILE *file, const carom_friction_problem *problem)
{
    const int d = problem->dimension, n = problem->contacts;
    (void)fprintf(file, "dimension %d\ncontacts %d\nmu\n", d, n);
    for (int c = 0; c < n; ++c) {
        (void)fprintf(file, "%.17g\n", problem->mu[c]);
    }
    (void)fprintf(file, "q\n");
    for (int i = 0; i < d * n; ++i) {
        (void)fprintf(file, "%.17g\n", problem->q[i]);
    }
    (void)fprintf(file, "W %d\n", d * d * problem->row[n]);
    for (int c = 0; c < n; ++c) {
        for (int a = 0; a < d; ++a) {
            for (int k = problem->row[c]; k < problem->row[c + 1]; ++k) {
                for (int b = 0; b < d; ++b) {
                    (void)fprintf(file, "%d %d %.17g\n", d * c + a, d * problem->column[k] + b,
                                  problem->block[d * d * k + d * a + b]);
                }
            }
        }
    }
    return ferror(file) ? CAROM_ARGUMENT : CAROM_OK;
}
