/* A cursor that takes numbers from bytes, text or binary. What is not there, not a number, or not finite is refused:
 * the first trouble stays, with where it was, and ends the reading (loops look at `failed`); what is taken after it is
 * 0. */
#ifndef CAROM_MESH_CURSOR_H
#define CAROM_MESH_CURSOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *start, *at, *end;
    int binary, swapped; /* swapped: the bytes of a number come in the other order */
    int wide;            /* long whole numbers have 8 bytes, not 4 */
    int failed;          /* -1: a reason was given, -2: no memory */
    char *why;
    size_t why_size;
} carom_cursor;

enum { CAROM_WORD_SIZE = 64 };

/* All bytes of a file, to be freed; NULL: errno says why. */
char *carom_cursor_load(const char *path, size_t *size);

void carom_cursor_stop(carom_cursor *c, const char *format, ...);

/* Trouble with what stands at the cursor: "should hold WANTED in line 7", in binary data at byte 7. */
void carom_cursor_expect(carom_cursor *c, const char *wanted);

/* The next word of a text, which the cursor stays before; "" when it does not fit or there is none. */
void carom_cursor_word(carom_cursor *c, char text[CAROM_WORD_SIZE]);

/* A whole number: of a text, also within a binary file; the last of its line; by the kind of the data, short and
 * long. */
int64_t carom_cursor_text(carom_cursor *c, const char *wanted);
int64_t carom_cursor_line(carom_cursor *c, const char *wanted);
int64_t carom_cursor_int(carom_cursor *c, const char *wanted);
int64_t carom_cursor_long(carom_cursor *c, const char *wanted);

double carom_cursor_real(carom_cursor *c, const char *wanted);
void carom_cursor_raw(carom_cursor *c, void *value, size_t size, const char *wanted);

/* n as a count of things of at least so many bytes each; what cannot be there is refused. */
size_t carom_cursor_count(carom_cursor *c, int64_t n, size_t bytes, const char *wanted);

/* Goes behind `mark`, which begins a line. */
void carom_cursor_skip(carom_cursor *c, const char *mark);

#endif
