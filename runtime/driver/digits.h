/* Doubles as text, in the fewest digits that read back equal. Private to the driver. */
#ifndef CAROM_DRIVER_DIGITS_H
#define CAROM_DRIVER_DIGITS_H

#include <stdint.h>

/* digits 10^exponent */
typedef struct {
    uint64_t digits;
    int exponent;
} carom_decimal;

/* |x|, which is finite; the digits may end in zeros. */
carom_decimal carom_shortest(double x);

/* x, which is finite, laid out as by %.15g, or %.17g where it has more digits; at most 24 characters and the end.
 * Returns the length. */
int carom_digits(char *text, double x);

#endif
