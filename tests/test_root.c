/* The first zero of a cubic (carom/root.h) against a scan with bisection, on cubics from a fixed sequence; flights that begin on the
 * obstacle; the ends of its interval. */
#include "carom/root.h"
#include "suite.h"

static double random_number(unsigned long long *state) /* in [-1, 1] */
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

static double scanned(const double p[4])
{
    double low = 0.0;
    for (int i = 1; i <= 20000; ++i) {
        double high = i / 20000.0;
        if (carom_cubic(p, high) <= 0.0) {
            for (int k = 0; k < 100; ++k) {
                const double middle = 0.5 * (low + high);
                if (carom_cubic(p, middle) > 0.0) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            return high;
        }
        low = high;
    }
    return 1.0;
}

START_TEST(first_zero_is_the_first)
{
    unsigned long long state = 1;
    for (int i = 0; i < 2000; ++i) {
        double p[4] = {fabs(random_number(&state)) + 1e-3, 3.0 * random_number(&state), 5.0 * random_number(&state),
                       5.0 * random_number(&state)};
        const double found = carom_first_zero(p), slow = scanned(p);
        ck_assert_msg(fabs(found - slow) < 1e-9, "cubic %d: %.17g, scan %.17g", i, found, slow);
        ck_assert_double_ge(found, 0.0);
        ck_assert_double_le(found, 1.0);
    }
}
END_TEST

START_TEST(flights)
{
    /* q = 1 - 2 x^2 falls through 0 at sqrt(1/2) */
    ck_assert_double_eq_tol(carom_hermite_root(1.0, 0.0, -1.0, -4.0, 1e-10), sqrt(0.5), 1e-15);
    /* q = x - 2 x^2 leaves the ground and is back at 1/2; the root at 0 is not one */
    ck_assert_double_eq_tol(carom_hermite_root(0.0, 1.0, -1.0, -3.0, 1e-10), 0.5, 1e-15);
    /* touches at the very end, and not at all */
    ck_assert_double_eq_tol(carom_hermite_root(1.0, -1.0, 0.0, -1.0, 1e-10), 1.0, 1e-15);
    ck_assert_double_eq_tol(carom_hermite_root(1.0, 0.0, 1.0, 0.0, 1e-10), 1.0, 1e-15);
    /* a line, a parabola whose vertex is the zero */
    ck_assert_double_eq_tol(carom_hermite_root(1.0, -2.0, -1.0, -2.0, 1e-10), 0.5, 1e-15);
    ck_assert_double_eq_tol(carom_hermite_root(0.25, -1.0, 0.25, 1.0, 1e-10), 0.5, 1e-7);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("root");
    tcase_add_test(cases, first_zero_is_the_first);
    tcase_add_test(cases, flights);
    return run_suite("root", cases);
}
