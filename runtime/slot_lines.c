/* What the generator asks about two shapes: a small program, made when it is needed.
 *
 *   slot_lines slots|rates A B COLUMNS ROWS < NUMBERS
 *
 * A, B: kinds of shapes by number (collide.h); columns and rows of a heightfield, or 0. Numbers: what carom_slots
 * (geometry.h) is given, for rates with the motion; then the heights. Answers with one line of numbers that read back
 * equal. Exit code 1: what is refused, with the reason as the only line. */
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
    if (argc != 6) {
        return refuse("slot_lines slots|rates A B COLUMNS ROWS < NUMBERS");
    }
    const int rates = strcmp(argv[1], "rates") == 0;
    const long a = strtol(argv[2], NULL, 10), b = strtol(argv[3], NULL, 10), columns = strtol(argv[4], NULL, 10),
               rows = strtol(argv[5], NULL, 10);
    if (a < 0 || a >= CAROM_SHAPE_KINDS || b < 0 || b >= CAROM_SHAPE_KINDS || columns < 0 || columns > 1000000 ||
        rows < 0 || rows > 1000000 || !carom_collides((carom_shape_kind)a, (carom_shape_kind)b)) {
        return refuse("no such pair of shapes");
    }
    const size_t heights = (size_t)(columns * rows);
    double *const height = malloc((heights + 1) * sizeof *height);
    size_t read = 0;
    const size_t given = CAROM_GEOMETRY_IN + (rates ? CAROM_GEOMETRY_MOTION : 0);
    for (; height != NULL && read < given + heights; ++read) {
        char word[64];
        if (scanf("%63s", word) != 1) {
            break;
        }
        *(read < given ? &in[read] : &height[read - given]) = strtod(word, NULL);
    }
    if (read < given + heights) {
        free(height);
        return refuse("too few numbers");
    }
    const carom_couple couple = {(carom_shape_kind)a, (carom_shape_kind)b, (int)columns, (int)rows, height};
    const int slots = rates ? carom_slot_rates(&couple, in, out) : carom_slots(&couple, in, out);
    for (int k = 0; k < CAROM_GEOMETRY_OUT * slots; ++k) {
        printf("%s%.17g", k > 0 ? " " : "", out[k]);
    }
    putchar('\n');
    free(height);
    return 0;
}
