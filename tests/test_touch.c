/* The one rule that tells what a contact did in a step (carom/touch.h). */
#include "carom/touch.h"
#include "suite.h"

START_TEST(open_without_impulse)
{
    const double u[2] = {1.0, 0.0};
    ck_assert_int_eq(carom_contact_status_of(0.0, 0.5, 2, u, 1e-8), CAROM_CONTACT_OPEN);
    ck_assert_int_eq(carom_contact_status_of(-1e-20, 0.5, 2, u, 1e-8), CAROM_CONTACT_OPEN); /* what is no push is none */
    ck_assert_int_eq(carom_contact_status_of(NAN, 0.5, 2, u, 1e-8), CAROM_CONTACT_OPEN);
}
END_TEST

START_TEST(closed_without_friction)
{
    const double u[1] = {1.0};
    ck_assert_int_eq(carom_contact_status_of(1e-3, 0.0, 1, u, 1e-8), CAROM_CONTACT_CLOSED);
    ck_assert_int_eq(carom_contact_status_of(1e-3, 0.5, 0, u, 1e-8), CAROM_CONTACT_CLOSED);
}
END_TEST

START_TEST(sticks_or_slides_by_the_slip_at_the_end)
{
    const double still[2] = {6e-9, -8e-9}, moving[2] = {-9e-9, 9e-9};
    ck_assert_int_eq(carom_contact_status_of(1e-3, 0.5, 2, still, 1.0001e-8), CAROM_CONTACT_STICK);
    ck_assert_int_eq(carom_contact_status_of(1e-3, 0.5, 2, moving, 1.0001e-8),
                     CAROM_CONTACT_SLIP); /* its length, not its components */
    ck_assert_int_eq(carom_contact_status_of(1e-3, 0.5, 1, moving, 1.0001e-8), CAROM_CONTACT_STICK);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("touch");
    tcase_add_test(cases, open_without_impulse);
    tcase_add_test(cases, closed_without_friction);
    tcase_add_test(cases, sticks_or_slides_by_the_slip_at_the_end);
    return run_suite("touch", cases);
}
