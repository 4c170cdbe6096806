/* See npy.h; the format: numpy.lib.format. */
#define _XOPEN_SOURCE 700

#include "npy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 64, SHORT_MOST = 65535, HEAD_MOST = 1 << 28 };

#define MAGIC "\x93NUMPY"

static const char *kind(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? "<f8" : ">f8";
}

int carom_npy_named(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

/* The description: of each name a field. Returns its length; file NULL: that alone. */
static size_t describe(FILE *file, const char *names, unsigned long long rows)
{
    static const char before[] = "{'descr': [", after[] = "], 'fortran_order': False, 'shape': (";
    size_t length = sizeof before + sizeof after - 2 + strlen("01234567890123456789,), }");
    if (file != NULL) {
        fputs(before, file);
    }
    for (const char *p = names; *p != '\0' && *p != '\n';) {
        const size_t n = strcspn(p, ",\n");
        length += n + strlen("('', '<f8'), ");
        if (file != NULL) {
            fprintf(file, "('%.*s', '%s'), ", (int)n, p, kind());
        }
        p += n + (p[n] == ',');
    }
    if (file != NULL) {
        fprintf(file, "%s%20llu,), }", after, rows);
    }
    return length;
}

void carom_npy_head(FILE *file, const char *names, unsigned long long rows)
{
    const size_t text = describe(NULL, names, rows), before = sizeof MAGIC - 1 + 2;
    const int two = before + 2 + text + ALIGNED > SHORT_MOST;
    const size_t digits = two ? 4 : 2, whole = (before + digits + text + ALIGNED) / ALIGNED * ALIGNED;
    size_t rest = whole - before - digits;
    const size_t spaces = rest - text - 1;
    fputs(MAGIC, file);
    fputc(two ? 2 : 1, file);
    fputc(0, file);
    for (size_t i = 0; i < digits; i++, rest /= 256) {
        fputc((int)(rest % 256), file);
    }
    (void)describe(file, names, rows);
    for (size_t i = 0; i < spaces; i++) {
        fputc(' ', file);
    }
    fputc('\n', file);
}

/* The names in a description, each followed by a comma, the last by the end of the line; NULL: a field is no double. */
static char *names_in(const char *text, int *columns)
{
    char *names = malloc(strlen(text) + 2);
    size_t n = 0;
    *columns = 0;
    for (const char *p = names != NULL ? strstr(text, "('") : NULL; p != NULL; p = strstr(p, "('")) {
        const char *const end = strchr(p + 2, '\'');
        if (end == NULL || strncmp(end, "', '", 4) != 0 || strncmp(end + 4, kind(), 3) != 0) {
            free(names);
            return NULL;
        }
        memcpy(names + n, p + 2, (size_t)(end - p) - 2);
        n += (size_t)(end - p) - 2;
        names[n++] = ',';
        ++*columns;
        p = end;
    }
    if (names != NULL) {
        names[n > 0 ? n - 1 : 0] = '\n';
        names[n > 0 ? n : 1] = '\0';
    }
    return names;
}

char *carom_npy_names(FILE *file, int *columns)
{
    unsigned char head[sizeof MAGIC - 1 + 2], length[4];
    if (fread(head, 1, sizeof head, file) != sizeof head || memcmp(head, MAGIC, sizeof MAGIC - 1) != 0 ||
        head[sizeof MAGIC - 1] < 1 || head[sizeof MAGIC - 1] > 2) {
        return NULL;
    }
    const size_t digits = head[sizeof MAGIC - 1] == 2 ? 4 : 2;
    size_t size = 0;
    if (fread(length, 1, digits, file) != digits) {
        return NULL;
    }
    for (size_t i = digits; i-- > 0;) {
        size = 256 * size + length[i];
    }
    char *const text = size < HEAD_MOST ? calloc(1, size + 1) : NULL;
    char *names = NULL;
    if (text != NULL && fread(text, 1, size, file) == size && strncmp(text, "{'descr': [(", 12) == 0) {
        names = names_in(text, columns);
    }
    free(text);
    return names;
}
