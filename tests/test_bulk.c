/* Contacts that are found: broad phase against all pairs, contacts in order, capacity. */
#include "suite.h"

#include "carom/found.h"

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
    double q[7 * BODIES], v[6 * BODIES], friction;
    carom_shape shape[SHAPES];
    int body[SHAPES], label[SHAPES], wide, contacts, memories, from[MAXIMUM];
    double bound[SHAPES];
    carom_bulk_body at[BODIES + 1];
    carom_bulk_contact contact[MAXIMUM];
    carom_bulk_memory memory[MAXIMUM];
    double place[CAROM_BULK_SHAPE_DOUBLES(SHAPES)];
    int grid[CAROM_BULK_GRID_SIZE(SHAPES)];
} heap;

static carom_bulk lend(int maximum)
{
    heap.friction = 0.3;
    return (carom_bulk){.bodies = BODIES, .shapes = SHAPES, .maximum = maximum, .wide = &heap.wide, .materials = 1,
        .friction = &heap.friction, .shape = heap.shape, .body = heap.body, .label = heap.label, .bound = heap.bound,
        .at = heap.at, .contact = heap.contact, .memory = heap.memory, .contacts = &heap.contacts,
        .memories = &heap.memories, .place = heap.place, .grid = heap.grid};
}

/* Spheres that nearly touch, falling. */
static void fill(void)
{
    memset(&heap, 0, sizeof heap);
    seed = 7;
    for (int i = 0; i < BODIES; ++i) {
        double *const q = heap.q + 7 * i, *const v = heap.v + 6 * i;
        q[0] = 2.0 * (i % 4) + 0.01 * number();
        q[1] = 2.0 * (i / 4 % 4) + 0.01 * number();
        q[2] = 1.0 + 2.0 * (i / 16) + 0.01 * number();
        q[3] = 1.0;
        for (int k = 0; k < 6; ++k) {
            v[k] = number() - (k == 2 ? 2.0 : 0.5);
        }
        heap.shape[i] = (carom_shape){.kind = CAROM_SPHERE, .size = {1.0}, .turn = {1.0}};
        heap.body[i] = i;
    }
    heap.shape[BODIES] = (carom_shape){.kind = CAROM_PLANE, .turn = {1.0}};
    heap.body[BODIES] = BODIES;
}

START_TEST(contacts_are_those_of_all_pairs_and_in_order)
{
    fill();
    const carom_bulk b = lend(MAXIMUM);
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
    carom_found_match(&b, heap.from, NULL);
    heap.memory[3].feature = 9;
    carom_found_match(&b, heap.from, NULL);
    for (int k = 0; k < heap.contacts; ++k) { /* what is remembered is found again, the others are new */
        ck_assert_int_eq(heap.from[k], k == 3 ? -1 : k);
    }
}
END_TEST

/* Of a pair a feature is gone and another has come: the closed one has what the one that is gone had. */
START_TEST(what_changed_its_name_is_inherited_within_a_pair)
{
    static const int before[5][3] = {{1, 0, 2}, {1, 0, 5}, {1, 0, 7}, {2, 0, 1}, {3, 1, 4}};
    static const int after[5][3] = {{1, 0, 3}, {1, 0, 5}, {1, 0, 9}, {2, 1, 1}, {3, 1, 4}};
    carom_bulk_memory memory[5];
    carom_bulk_contact contact[5];
    int contacts = 5, memories = 5, from[5], heir[5];
    for (int i = 0; i < 5; ++i) {
        memory[i] = (carom_bulk_memory){before[i][0], before[i][1], before[i][2]};
        contact[i] = (carom_bulk_contact){.a = after[i][0], .b = after[i][1], .feature = after[i][2], .gap = i == 2 ? 1e-3 : 0.0};
    }
    const carom_bulk b = {.contact = contact, .memory = memory, .contacts = &contacts, .memories = &memories};
    double x[10] = {10.0, 11.0, 20.0, 21.0, 30.0, 31.0, 40.0, 41.0, 50.0, 51.0}, scratch[10];
    carom_found_match(&b, from, heir);
    carom_found_carry_values(&b, 2, 5, from, heir, 1e-8, -1.0, x, scratch);
    static const int known[5] = {-1, 1, -1, -1, 4}, inherited[5] = {0, -1, 2, -1, -1};
    static const double values[10] = {10.0, 11.0, 20.0, 21.0, -1.0, -1.0, -1.0, -1.0, 50.0, 51.0}; /* the third is open */
    for (int i = 0; i < 5; ++i) {
        ck_assert_int_eq(from[i], known[i]);
        ck_assert_int_eq(heir[i], inherited[i]);
        ck_assert_double_eq(x[2 * i], values[2 * i]);
        ck_assert_double_eq(x[2 * i + 1], values[2 * i + 1]);
    }
}
END_TEST

START_TEST(too_many_contacts_are_a_status)
{
    fill();
    const carom_bulk b = lend(20);
    carom_bulk_order(&b);
    ck_assert_int_eq(carom_bulk_find(&b, heap.q, heap.v, 1.0, 0.02, 1e-10), CAROM_CAPACITY);
    ck_assert_int_eq(heap.contacts, 20);
    ck_assert_str_eq(carom_status_text(CAROM_CAPACITY),
        "more contact points at once than the declared maximum; write a larger maximum in contacts_among");
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
    tcase_add_test(tests, axes_turn_z_where_they_say);
    return run_suite("bulk", tests);
}
