/* Piles: broad phase against all pairs, contacts in order, capacity, the solver against that of friction.h. */
#include "suite.h"

#include "../runtime/bulk/bulk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 60, SHAPES = BODIES + 1, MAXIMUM = 400, SPHERES = 400 };

/* The same numbers on every machine, from 0 to 1. */
static unsigned long long seed = 1;
static double number(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* ---- broad phase ---------------------------------------------------------------------------------------------------- */

START_TEST(grid_finds_what_all_pairs_find)
{
    static double sphere[4 * SPHERES], sorted[4 * SPHERES];
    static int work[CAROM_BULK_GRID_SIZE(SPHERES)], found[SPHERES];
    const double extent[] = {1.0, 1e3, 1e-3, 1e12};
    int pairs = 0;
    for (int round = 0; round < 4; ++round) {
        carom_grid grid;
        for (int i = 0; i < SPHERES; ++i) {
            for (int k = 0; k < 3; ++k) {
                sphere[4 * i + k] = extent[round] * (number() - 0.5);
            }
            sphere[4 * i + 3] = (i % 7 == 0 ? 0.1 : 0.03) * extent[round] * number();
        }
        sphere[0] = 1e6 * extent[round]; /* one that is far away */
        carom_grid_build(&grid, SPHERES, sphere, work, sorted);
        for (int i = 0; i < SPHERES; ++i) {
            const int n = carom_grid_near(&grid, sphere, i, found);
            int at = 0;
            for (int j = 0; j < i; ++j) {
                const double *const a = sphere + 4 * i, *const b = sphere + 4 * j;
                const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, reach = a[3] + b[3];
                if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= reach * reach) {
                    ck_assert_int_lt(at, n);
                    ck_assert_int_eq(found[at++], j);
                }
            }
            ck_assert_int_eq(at, n);
            pairs += n;
        }
    }
    ck_assert_int_gt(pairs, 100);
}
END_TEST

/* ---- a heap of spheres on a floor ----------------------------------------------------------------------------------- */

static struct {
    double q[7 * BODIES], v[6 * BODIES], mass[BODIES], inertia[9 * BODIES], inverse[9 * BODIES];
    unsigned char alike[BODIES];
    double friction, restitution;
    carom_shape shape[SHAPES];
    int body[SHAPES], label[SHAPES], wide, contacts, memories;
    double bound[SHAPES], free[6 * BODIES];
    carom_bulk_body at[BODIES + 1];
    carom_bulk_contact contact[MAXIMUM];
    carom_bulk_local local[MAXIMUM];
    carom_bulk_memory memory[MAXIMUM];
    double place[CAROM_BULK_SHAPE_DOUBLES(SHAPES)], work[CAROM_BULK_CONTACT_DOUBLES(MAXIMUM)], spare[1 << 20];
    int grid[CAROM_BULK_GRID_SIZE(SHAPES)];
    float history[CAROM_BULK_CONTACT_FLOATS(MAXIMUM)];
} heap;

static carom_bulk lend(int maximum, double friction, double restitution)
{
    heap.friction = friction;
    heap.restitution = restitution;
    const carom_bulk b = {.bodies = BODIES, .shapes = SHAPES, .maximum = maximum, .wide = &heap.wide, .materials = 1,
        .friction = &heap.friction, .restitution = &heap.restitution, .mass = heap.mass, .inertia = heap.inertia, .inverse = heap.inverse, .alike = heap.alike,
        .shape = heap.shape, .body = heap.body, .label = heap.label, .bound = heap.bound, .at = heap.at, .free = heap.free,
        .contact = heap.contact, .local = heap.local, .memory = heap.memory, .contacts = &heap.contacts,
        .memories = &heap.memories, .place = heap.place, .grid = heap.grid, .work = heap.work, .history = heap.history,
        .spare = heap.spare, .spare_size = sizeof heap.spare};
    return b;
}

/* Spheres that nearly touch, falling; `uneven`: inertia that differs by direction, middles off the centre of mass. */
static void fill(int uneven)
{
    memset(&heap, 0, sizeof heap);
    seed = 7;
    for (int i = 0; i < BODIES; ++i) {
        double *const q = heap.q + 7 * i, *const v = heap.v + 6 * i, *const J = heap.inertia + 9 * i;
        q[0] = 2.0 * (i % 4) + 0.01 * number();
        q[1] = 2.0 * (i / 4 % 4) + 0.01 * number();
        q[2] = 1.0 + 2.0 * (i / 16) + 0.01 * number();
        q[3] = 1.0;
        for (int k = 0; k < 6; ++k) {
            v[k] = number() - (k == 2 ? 2.0 : 0.5);
        }
        heap.mass[i] = 1.0 + number();
        for (int k = 0; k < 3; ++k) {
            J[4 * k] = 0.4 * (1.0 + (uneven ? 0.3 * k : 0.0));
        }
        heap.alike[i] = !uneven;
        ck_assert_int_eq(carom_bulk_invert(J, heap.inverse + 9 * i), CAROM_OK);
        heap.shape[i] = (carom_shape){.kind = CAROM_SPHERE, .size = {1.0}, .turn = {1.0}};
        heap.shape[i].at[1] = uneven ? 0.001 : 0.0;
        heap.body[i] = i;
    }
    heap.shape[BODIES] = (carom_shape){.kind = CAROM_PLANE, .turn = {1.0}};
    heap.body[BODIES] = BODIES;
}

START_TEST(contacts_are_those_of_all_pairs_and_in_order)
{
    fill(0);
    const carom_bulk b = lend(MAXIMUM, 0.3, 0.0);
    carom_bulk_order(&b);
    ck_assert_int_eq(heap.wide, 1);
    ck_assert_int_eq(heap.label[0], BODIES);
    ck_assert_int_eq(carom_bulk_find(&b, heap.q, heap.v, 1.0, 0.02, 1e-10), CAROM_OK);
    int expected = 0;
    for (int i = 0; i < BODIES; ++i) {
        const double *const a = heap.q + 7 * i, *const u = heap.v + 6 * i;
        expected += a[2] - 1.0 + 0.02 * u[2] <= 1e-10;
        for (int j = 0; j < i; ++j) {
            const double *const c = heap.q + 7 * j, *const w = heap.v + 6 * j;
            double distance = 0.0, rate = 0.0;
            for (int k = 0; k < 3; ++k) {
                distance += (a[k] - c[k]) * (a[k] - c[k]);
                rate += (a[k] - c[k]) * (u[k] - w[k]);
            }
            distance = sqrt(distance);
            expected += distance - 2.0 + 0.02 * rate / distance <= 1e-10;
        }
    }
    ck_assert_int_gt(expected, 40);
    ck_assert_int_eq(heap.contacts, expected);
    for (int k = 1; k < heap.contacts; ++k) {
        const carom_bulk_contact *const x = &heap.contact[k - 1], *const y = &heap.contact[k];
        ck_assert(x->a < y->a || (x->a == y->a && x->b < y->b));
    }
    for (int k = 0; k < heap.contacts; ++k) { /* what is remembered is found again, new contacts start at 0 */
        heap.contact[k].r[0] = k + 1.0;
    }
    carom_bulk_remember(&b);
    heap.memory[3].feature = 9;
    carom_bulk_recall(&b, 0.5);
    for (int k = 0; k < heap.contacts; ++k) {
        ck_assert_double_eq(heap.contact[k].r[0], k == 3 ? 0.0 : 0.5 * (k + 1.0));
    }
}
END_TEST

START_TEST(too_many_contacts_are_a_status)
{
    fill(0);
    const carom_bulk b = lend(20, 0.3, 0.0);
    carom_bulk_order(&b);
    ck_assert_int_eq(carom_bulk_find(&b, heap.q, heap.v, 1.0, 0.02, 1e-10), CAROM_CAPACITY);
    ck_assert_int_eq(heap.contacts, 20);
    ck_assert_str_eq(carom_status_text(CAROM_CAPACITY),
        "more contact points at once than the declared maximum; write a larger maximum in contacts_among");
}
END_TEST

/* _i: bit 0 uneven bodies, bit 1 friction, bit 2 restitution */
START_TEST(velocities_are_those_of_the_portfolio)
{
    fill(_i & 1);
    const carom_bulk b = lend(MAXIMUM, _i & 2 ? 0.4 : 0.0, _i & 4 ? 0.5 : 0.0);
    carom_friction_problem problem;
    carom_friction_result checked;
    carom_bulk_result result;
    static double r[3 * MAXIMUM], u[3 * MAXIMUM];
    double *r0, *u0;
    carom_bulk_order(&b);
    ck_assert_int_eq(carom_bulk_find(&b, heap.q, heap.v, 1.0, 0.02, 1e-10), CAROM_OK);
    ck_assert_int_gt(heap.contacts, 40);
    carom_bulk_recall(&b, 0.0);
    carom_bulk_place(&b, heap.q, heap.v);
    ck_assert_int_eq(carom_bulk_solve(&b, 1e-11, 5000, CAROM_BULK_HISTORY, &result), CAROM_OK);
    ck_assert_double_le(result.residual, 1e-11);
    const size_t used = carom_bulk_assemble(&b, &problem, &r0, &u0);
    ck_assert(used > 0 && used < sizeof heap.spare);
    /* the answer solves the assembled problem: the portfolio accepts it as it is */
    const carom_friction_options options = {.tolerance = 1e-10};
    char *const rest = (char *)heap.spare + used;
    ck_assert_int_eq(carom_friction_solve(&problem, &options, r0, u0, &checked, rest, sizeof heap.spare - used), CAROM_OK);
    ck_assert_str_eq(checked.stage, "start");
    /* and found from nothing the velocities are the same */
    memset(r, 0, sizeof r);
    ck_assert_int_eq(carom_friction_solve(&problem, &options, r, u, &checked, rest, sizeof heap.spare - used), CAROM_OK);
    for (int k = 0; k < 3 * heap.contacts; ++k) {
        ck_assert_double_le(fabs(u[k] - u0[k]), 1e-7);
    }
}
END_TEST

/* Newton's method on the smoothed law by itself, from zero: _i as above. The residual it gives back is that of the assembled problem. */
START_TEST(the_smoothed_law_leads_to_the_same_velocities)
{
    fill(_i & 1);
    const carom_bulk b = lend(MAXIMUM, _i & 2 ? 0.4 : 0.0, _i & 4 ? 0.5 : 0.0);
    carom_bulk_result result;
    static double v[6 * BODIES], w[6 * BODIES];
    int steps, worst;
    double scale;
    carom_bulk_order(&b);
    ck_assert_int_eq(carom_bulk_find(&b, heap.q, heap.v, 1.0, 0.02, 1e-10), CAROM_OK);
    carom_bulk_recall(&b, 0.0);
    carom_bulk_place(&b, heap.q, heap.v);
    const double residual = carom_bulk_smooth(&b, 1e-9, 1.0, &steps);
    ck_assert_double_le(residual, 1e-9);
    ck_assert(steps > 3 && steps < 60);
    ck_assert_double_eq(residual, carom_bulk_residual(&b, 1.0, &worst, &scale));
    carom_bulk_velocities(&b, heap.q, v);
    carom_bulk_recall(&b, 0.0);
    carom_bulk_place(&b, heap.q, heap.v);
    ck_assert_int_eq(carom_bulk_solve(&b, 1e-11, 5000, CAROM_BULK_HISTORY, &result), CAROM_OK);
    carom_bulk_velocities(&b, heap.q, w);
    for (int k = 0; k < 6 * BODIES; ++k) {
        ck_assert_double_le(fabs(v[k] - w[k]), 1e-6);
    }
}
END_TEST

START_TEST(what_is_not_solved_names_a_contact)
{
    fill(0);
    const carom_bulk b = lend(MAXIMUM, 0.4, 0.0);
    carom_bulk_result result;
    carom_bulk_order(&b);
    ck_assert_int_eq(carom_bulk_find(&b, heap.q, heap.v, 1.0, 0.02, 1e-10), CAROM_OK);
    carom_bulk_recall(&b, 0.0);
    carom_bulk_place(&b, heap.q, heap.v);
    ck_assert_int_eq(carom_bulk_solve(&b, 1e-14, 2, 0, &result), CAROM_CONTACT);
    ck_assert_int_ge(result.worst, 0);
    ck_assert_double_gt(result.residual, 1e-14);
}
END_TEST

START_TEST(axes_turn_z_where_they_say)
{
    for (int i = 0; i < 50; ++i) {
        const double axis[3] = {number() - 0.5, i % 5 == 0 ? 0.0 : number() - 0.5, i == 0 ? -1.0 : number() - 0.5};
        const double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        double q[4];
        carom_shape_turn(axis, q);
        const double z[3] = {2.0 * (q[1] * q[3] + q[0] * q[2]), 2.0 * (q[2] * q[3] - q[0] * q[1]),
            1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])};
        for (int k = 0; k < 3; ++k) {
            ck_assert_double_le(fabs(z[k] - axis[k] / size), 1e-15);
        }
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("bulk");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, grid_finds_what_all_pairs_find);
    tcase_add_test(tests, contacts_are_those_of_all_pairs_and_in_order);
    tcase_add_test(tests, too_many_contacts_are_a_status);
    tcase_add_loop_test(tests, velocities_are_those_of_the_portfolio, 0, 8);
    tcase_add_loop_test(tests, the_smoothed_law_leads_to_the_same_velocities, 0, 8);
    tcase_add_test(tests, what_is_not_solved_names_a_contact);
    tcase_add_test(tests, axes_turn_z_where_they_say);
    return run_suite("bulk", tests);
}
