/* Doubles in the fewest digits: known ones, layout, and random ones against printf and strtod. */
#include "../runtime/driver/digits.h"
#include "suite.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void shows(double x, const char *expected)
{
    char text[32];
    ck_assert_int_eq(carom_digits(text, x), (int)strlen(expected));
    ck_assert_str_eq(text, expected);
}

START_TEST(known_numbers)
{
    shows(0.0, "0");
    shows(-0.0, "-0");
    shows(1.0, "1");
    shows(-2.5, "-2.5");
    shows(0.1, "0.1");
    shows(0.1 + 0.2, "0.30000000000000004");
    shows(5e-4, "0.0005");
    shows(1e-4, "0.0001");
    shows(1e-5, "1e-05");
    shows(1.0 / 3.0, "0.3333333333333333");
    shows(123456789.0, "123456789");
    shows(1e14, "100000000000000");
    shows(1e15, "1e+15"); /* as %.15g has it */
    shows(9007199254740993.0, "9007199254740992");
    shows(1e22, "1e+22");
    shows(1e23, "1e+23");
    shows(9.5e-20, "9.5e-20");
    shows(5e-324, "5e-324");
    shows(DBL_MIN, "2.2250738585072014e-308");
    shows(DBL_MAX, "1.7976931348623157e+308");
    shows(2.2204460492503131e-16, "2.220446049250313e-16"); /* a power of two: its lower neighbour is nearer */
    shows(9007199254740992.0 * 1024.0, "9.223372036854776e+18");
}
END_TEST

/* every exponent, random fractions, decimals, powers of two */
START_TEST(fewest_digits_that_read_back_and_the_nearest)
{
    uint64_t state = UINT64_C(88172645463325252);
    for (int i = 0; i < 15000; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double x;
        if (i % 3 == 0) {
            memcpy(&x, &state, sizeof x);
        } else if (i % 3 == 1) {
            x = (double)(int64_t)(state >> 25) * 1e-7;
        } else {
            x = ldexp(1.0, (int)(state % 2098) - 1074);
        }
        if (!isfinite(x) || x == 0.0) {
            continue;
        }
        char text[32], other[40];
        int precision = 0;
        (void)carom_digits(text, x);
        ck_assert_msg(strtod(text, NULL) == x, "%s is not %.17g", text, x);
        carom_decimal d = carom_shortest(x);
        int digits = 0;
        while (d.digits % 10 == 0) {
            d.digits /= 10;
        }
        for (uint64_t rest = d.digits; rest != 0; rest /= 10) {
            ++digits;
        }
        do {
            (void)snprintf(other, sizeof other, "%.*e", precision++, x);
        } while (strtod(other, NULL) != x);
        ck_assert_msg(digits <= precision, "%s has more digits than %s", text, other);
        if (digits == precision) { /* printf has the nearest of that length */
            char digit[40];
            (void)snprintf(digit, sizeof digit, "%llu", (unsigned long long)d.digits);
            const char *p = other + (x < 0.0 ? 1 : 0);
            ck_assert_msg(p[0] == digit[0] && (digits == 1 || strncmp(p + 2, digit + 1, (size_t)digits - 1) == 0), "%s, not %s", text, other);
        }
    }
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("digits");
    tcase_set_timeout(all, 30);
    tcase_add_test(all, known_numbers);
    tcase_add_test(all, fewest_digits_that_read_back_and_the_nearest);
    return run_suite("digits", all);
}
