/* What the generator asks about two shapes: a small program, made when it is needed.
 *
 *   slot_lines slots|rates A COLUMNS ROWS LENGTH B COLUMNS ROWS LENGTH < NUMBERS
 *
 * A, B: kinds of shapes by number (collide.h); of heightfields and polyhedra columns, rows and how many numbers their
 * table has, else 0. Numbers: what carom_slots (geometry.h) is given, for rates with the motion; then the tables.
 * Answers with one line of numbers that read back equal. Exit code 1: what is refused, with the reason as the only
 * line. */
#include "carom/geometry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *why)
{
    puts(why);
    return 1;
}

int main(int argc, char **argv)
{
    double in[CAROM_GEOMETRY_IN + CAROM_GEOMETRY_MOTION], out[CAROM_GEOMETRY_OUT * CAROM_TOUCH_MAX];
    if (argc != 10) {
        return refuse("slot_lines slots|rates A COLUMNS ROWS LENGTH B COLUMNS ROWS LENGTH < NUMBERS");
    }
    const int rates = strcmp(argv[1], "rates") == 0;
    long number[8];
    int good = 1;
    for (int k = 0; k < 8; ++k) {
        number[k] = strtol(argv[2 + k], NULL, 10);
        good = good && number[k] >= 0 && number[k] <= (k % 4 == 0 ? CAROM_SHAPE_KINDS - 1 : 1000000);
    }
    const carom_shape_kind a = good ? (carom_shape_kind)number[0] : CAROM_PLANE,
                           b = good ? (carom_shape_kind)number[4] : CAROM_PLANE;
    if (!carom_collides(a, b)) {
        return refuse("no such pair of shapes");
    }
    const size_t length = (size_t)(number[3] + number[7]);
    double *const table = malloc((length + 1) * sizeof *table);
    size_t read = 0;
    const size_t given = CAROM_GEOMETRY_IN + (rates ? CAROM_GEOMETRY_MOTION : 0);
    for (; table != NULL && read < given + length; ++read) {
        char word[64];
        if (scanf("%63s", word) != 1) {
            break;
        }
        *(read < given ? &in[read] : &table[read - given]) = strtod(word, NULL);
    }
    if (read < given + length) {
        free(table);
        return refuse("too few numbers");
    }
    const carom_couple couple = {
        a, b, {{(int)number[1], (int)number[2], table}, {(int)number[5], (int)number[6], table + number[3]}}};
    const int slots = rates ? carom_slot_rates(&couple, in, out) : carom_slots(&couple, in, out);
    for (int k = 0; k < CAROM_GEOMETRY_OUT * slots; ++k) {
        printf("%s%.17g", k > 0 ? " " : "", out[k]);
    }
    putchar('\n');
    free(table);
    return 0;
}
