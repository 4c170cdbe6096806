/* The shortest decimal that reads back as the same double, the nearest of them where several are shortest, by the
 * method of R. Giulietti (The Schubfach way to render doubles, 2020): x = c 2^q and the middles to its neighbours
 * are scaled by a power of ten to numbers with 17 digits, kept with two more bits that say where between two digits
 * they are, and looked at. One product of 64 and 128 bits each, no trial and error. */
#include "digits.h"

#include <stdbool.h>
#include <string.h>

enum { LEAST = -292, MOST = 324 }; /* powers of ten that are needed */

typedef struct {
    uint64_t high, low;
} wide;

/* floor(log2 10^e), floor(log10 2^e), floor(log10 (3/4 2^e)) for every e that occurs */
static int log2_of_ten(int e) { return (int)(((int64_t)e * 1741647) >> 19); }

static int log10_of_two(int e) { return (int)(((int64_t)e * 1262611) >> 22); }

static int log10_of_two_less(int e) { return (int)(((int64_t)e * 1262611 - 524031) >> 22); }

/* ---- powers of ten ---------------------------------------------------------------------------------------------- */

/* A long number in pieces of 32 bits, the lowest first. */
enum { PIECES = 48 };

static void times_ten(uint32_t *x)
{
    uint64_t carry = 0;
    for (int i = 0; i < PIECES; ++i) {
        carry += (uint64_t)x[i] * 10;
        x[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void over_ten(uint32_t *x)
{
    uint64_t rest = 0;
    for (int i = PIECES - 1; i >= 0; --i) {
        rest = (rest << 32) + x[i];
        x[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
}

/* The 128 highest bits, from the highest that is set, plus 1 where something was cut off: an upper bound. */
static wide top(const uint32_t *x, bool exact)
{
    int bit = 32 * PIECES - 1;
    wide out = {0, 0};
    while (((x[bit / 32] >> (bit % 32)) & 1U) == 0) {
        --bit;
    }
    for (int i = 0; i < 128; ++i, --bit) {
        const uint64_t one = bit >= 0 ? (x[bit / 32] >> (bit % 32)) & 1U : 0;
        out.high = (out.high << 1) | (out.low >> 63);
        out.low = (out.low << 1) | one;
    }
    for (; bit >= 0 && exact; --bit) {
        exact = ((x[bit / 32] >> (bit % 32)) & 1U) == 0;
    }
    out.low += exact ? 0 : 1;
    out.high += !exact && out.low == 0 ? 1 : 0;
    return out;
}

/* 10^k 2^-floor(log2 10^k) 2^127, rounded up */
static wide power_of_ten(int k)
{
    static wide table[MOST - LEAST + 1]; /* filled when first asked for: the same numbers whoever asks */
    static bool filled;
    if (!filled) {
        uint32_t x[PIECES] = {1};
        for (int i = 0; i <= MOST; ++i, times_ten(x)) {
            table[i - LEAST] = top(x, true);
        }
        memset(x, 0, sizeof x);
        x[PIECES - 1] = 1U << 31; /* floor(floor(x / 10) / 10) = floor(x / 100): only the end is cut off */
        for (int i = -1; i >= LEAST; --i) {
            over_ten(x);
            table[i - LEAST] = top(x, false);
        }
        filled = true;
    }
    return table[k - LEAST];
}

/* ---- one number ------------------------------------------------------------------------------------------------- */

static wide product(uint64_t a, uint64_t b)
{
    const uint64_t al = a & UINT32_MAX, ah = a >> 32, bl = b & UINT32_MAX, bh = b >> 32;
    const uint64_t low = al * bl, one = ah * bl, other = al * bh, high = ah * bh;
    const uint64_t middle = (low >> 32) + (one & UINT32_MAX) + (other & UINT32_MAX);
    return (wide){high + (one >> 32) + (other >> 32) + (middle >> 32), (middle << 32) | (low & UINT32_MAX)};
}

/* The upper part of g c, with its last bit set where the rest is not 0 (beyond the error of g). */
static uint64_t round_to_odd(wide g, uint64_t c)
{
    const uint64_t carried = product(g.low, c).high;
    wide y = product(g.high, c);
    y.low += carried;
    y.high += y.low < carried ? 1 : 0;
    return y.high | (y.low > 1 ? 1 : 0);
}

carom_decimal carom_shortest(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int exponent = (int)((bits >> 52) & 0x7ff);
    const uint64_t c = exponent != 0 ? fraction | (UINT64_C(1) << 52) : fraction;
    const int q = (exponent != 0 ? exponent : 1) - 1075;
    if (c == 0) {
        return (carom_decimal){0, 0};
    }
    if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0) { /* a whole number */
        return (carom_decimal){c >> -q, 0};
    }
    /* 4 c 2^q/4 and the middles to its neighbours; below a power of two the neighbour is nearer */
    const bool nearer = fraction == 0 && exponent > 1, even = (c & 1) == 0;
    const int k = nearer ? log10_of_two_less(q) : log10_of_two(q);
    const int h = q + log2_of_ten(-k) + 1;
    const wide g = power_of_ten(-k);
    const uint64_t lower = round_to_odd(g, (4 * c - (nearer ? 1 : 2)) << h) + (even ? 0 : 1);
    const uint64_t middle = round_to_odd(g, (4 * c) << h);
    const uint64_t upper = round_to_odd(g, (4 * c + 2) << h) - (even ? 0 : 1);
    const uint64_t s = middle / 4;
    if (s >= 10) { /* one digit less, if exactly one such number is between the middles */
        const uint64_t t = s / 10;
        const bool below = lower <= 40 * t, above = 40 * t + 40 <= upper;
        if (below != above) {
            return (carom_decimal){t + (above ? 1 : 0), k + 1};
        }
    }
    const bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) {
        return (carom_decimal){s + (above ? 1 : 0), k};
    }
    const uint64_t half = 4 * s + 2;
    return (carom_decimal){s + (middle > half || (middle == half && (s & 1) != 0) ? 1 : 0), k};
}

int carom_digits(char *text, double x)
{
    char digit[20];
    int n = 0, length = 0;
    carom_decimal d = carom_shortest(x);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (bits >> 63 != 0) {
        text[length++] = '-';
    }
    while (d.digits != 0 && d.digits % 10 == 0) {
        d.digits /= 10;
        ++d.exponent;
    }
    do { /* from the last to the first */
        digit[n++] = (char)('0' + (int)(d.digits % 10));
        d.digits /= 10;
    } while (d.digits != 0);
    digit[n] = '0';
    const int point = n + d.exponent; /* 0.digits 10^point */
    if (point > -4 && point <= (n <= 15 ? 15 : 17)) {
        for (int i = point; i <= 0; ++i) {
            text[length++] = '0';
            if (i == point) {
                text[length++] = '.';
            }
        }
        for (int i = 0; i < n || i < point; ++i) {
            if (i == point && i > 0) {
                text[length++] = '.';
            }
            text[length++] = digit[i < n ? n - 1 - i : n];
        }
    } else {
        const int e = point - 1, size = e < 0 ? -e : e;
        for (int i = 0; i < n; ++i) {
            text[length++] = digit[n - 1 - i];
            if (i == 0 && n > 1) {
                text[length++] = '.';
            }
        }
        text[length++] = 'e';
        text[length++] = e < 0 ? '-' : '+';
        if (size >= 100) {
            text[length++] = (char)('0' + size / 100);
        }
        text[length++] = (char)('0' + size / 10 % 10);
        text[length++] = (char)('0' + size % 10);
    }
    text[length] = '\0';
    return length;
}
