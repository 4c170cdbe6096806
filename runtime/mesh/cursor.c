/* Text and binary data differ in how a number is taken, and nowhere else. */
#include "cursor.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *carom_cursor_load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0;
    int good = file != NULL;
    *size = 0;
    while (good && *size == room) { /* what was asked for came whole: there may be more */
        char *more;
        room = room > 0 ? 2 * room : 1 << 16;
        more = realloc(bytes, room);
        good = more != NULL;
        if (good) {
            bytes = more;
            *size += fread(bytes + *size, 1, room - *size, file);
            good = !ferror(file);
        }
    }
    if (!good) {
        free(bytes);
        bytes = NULL;
    }
    if (file != NULL) {
        const int kept = errno;
        (void)fclose(file);
        errno = kept;
    }
    return bytes;
}

void carom_cursor_stop(carom_cursor *c, const char *format, ...)
{
    if (c->failed == 0) {
        va_list values;
        va_start(values, format);
        (void)vsnprintf(c->why, c->why_size, format, values);
        va_end(values);
        c->failed = -1;
    }
}

void carom_cursor_expect(carom_cursor *c, const char *wanted)
{
    if (c->binary) {
        carom_cursor_stop(c, "should hold %s at byte %lld", wanted, (long long)(c->at - c->start));
    } else {
        long line = 1;
        for (const char *b = c->start; b < c->at; b++) {
            line += *b == '\n';
        }
        carom_cursor_stop(c, "should hold %s in line %ld", wanted, line);
    }
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void carom_cursor_word(carom_cursor *c, char text[CAROM_WORD_SIZE])
{
    size_t length = 0;
    while (c->at < c->end && is_blank(*c->at)) {
        c->at++;
    }
    while (c->at + length < c->end && !is_blank(c->at[length]) && length < CAROM_WORD_SIZE) {
        length++;
    }
    if (length == CAROM_WORD_SIZE) {
        length = 0;
    }
    memcpy(text, c->at, length);
    text[length] = '\0';
    if (strlen(text) != length) {
        text[0] = '\0';
    }
}

void carom_cursor_raw(carom_cursor *c, void *value, size_t size, const char *wanted)
{
    memset(value, 0, size);
    if ((size_t)(c->end - c->at) < size) {
        carom_cursor_expect(c, wanted);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        ((char *)value)[i] = c->at[c->swapped ? size - 1 - i : i];
    }
    c->at += size;
}

int64_t carom_cursor_text(carom_cursor *c, const char *wanted)
{
    char text[CAROM_WORD_SIZE], *end;
    long long value;
    carom_cursor_word(c, text);
    errno = 0;
    value = strtoll(text, &end, 10);
    if (text[0] == '\0' || *end != '\0' || errno != 0 || value > INT64_MAX / 4 || value < -(INT64_MAX / 4)) {
        carom_cursor_expect(c, wanted);
        return 0;
    }
    c->at += end - text;
    return value;
}

int64_t carom_cursor_int(carom_cursor *c, const char *wanted)
{
    int32_t value;
    if (!c->binary) {
        return carom_cursor_text(c, wanted);
    }
    carom_cursor_raw(c, &value, sizeof value, wanted);
    return value;
}

int64_t carom_cursor_long(carom_cursor *c, const char *wanted)
{
    int64_t value;
    if (!c->binary || !c->wide) {
        return carom_cursor_int(c, wanted);
    }
    carom_cursor_raw(c, &value, sizeof value, wanted);
    return value;
}

double carom_cursor_real(carom_cursor *c, const char *wanted)
{
    double value = 0;
    const char *before = c->at;
    if (c->binary) {
        carom_cursor_raw(c, &value, sizeof value, wanted);
    } else {
        char text[CAROM_WORD_SIZE], *end;
        carom_cursor_word(c, text);
        before = c->at;
        value = strtod(text, &end);
        if (text[0] == '\0' || *end != '\0') {
            carom_cursor_expect(c, wanted);
        }
        c->at += end - text;
    }
    if (!isfinite(value)) {
        c->at = before;
        carom_cursor_expect(c, wanted);
        value = 0;
    }
    return value;
}

size_t carom_cursor_count(carom_cursor *c, int64_t n, size_t bytes, const char *wanted)
{
    if (c->failed == 0 && (n < 0 || (uint64_t)n > (uint64_t)(c->end - c->at) / bytes + 1)) {
        carom_cursor_expect(c, wanted);
    }
    return c->failed == 0 ? (size_t)n : 0;
}

int64_t carom_cursor_line(carom_cursor *c, const char *wanted)
{
    const int64_t n = carom_cursor_text(c, wanted);
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\r')) {
        c->at++;
    }
    if (c->at < c->end && *c->at == '\n') {
        c->at++;
    }
    return n;
}

void carom_cursor_skip(carom_cursor *c, const char *mark)
{
    const size_t length = strlen(mark);
    while (c->at < c->end && c->failed == 0) {
        const char *dollar = memchr(c->at, '$', (size_t)(c->end - c->at));
        if (dollar == NULL || (size_t)(c->end - dollar) < length) {
            break;
        }
        c->at = dollar + 1;
        if ((dollar == c->start || dollar[-1] == '\n') && memcmp(dollar, mark, length) == 0) {
            return;
        }
    }
    carom_cursor_stop(c, "ends before %s", mark);
}
