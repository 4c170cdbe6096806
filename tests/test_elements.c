/* Cells and sums over them (carom/cells.h, carom/elements.h): two springs in a row and one distorted quadrilateral, by hand. */
#include "carom/cells.h"
#include "carom/elements.h"
#include "suite.h"

#include <math.h>

/* ---- one cell --------------------------------------------------------------------------------------------------- */

/* Linear shape functions reproduce a linear field on a distorted cell, and forces of a constant stress sum up to nothing. */
START_TEST(gradients_of_a_linear_field)
{
    const double X[8] = {0.0, 0.0, 2.0, 0.3, 2.5, 1.9, -0.2, 1.4}, xi[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    double dN[8], N[4], u[8], G[8], H[4], f[8] = {0.0}, K[64] = {0.0}, C[16] = {0.0}, w, place[2], Ku = 0.0;
    for (int a = 0; a < 4; ++a) { /* at xi = (0.2, -0.3) */
        N[a] = 0.25 * (1 + 0.2 * xi[a][0]) * (1 - 0.3 * xi[a][1]);
        dN[2 * a] = 0.25 * xi[a][0] * (1 - 0.3 * xi[a][1]);
        dN[2 * a + 1] = 0.25 * xi[a][1] * (1 + 0.2 * xi[a][0]);
        u[2 * a] = 0.1 + 3.0 * X[2 * a] - 2.0 * X[2 * a + 1];
        u[2 * a + 1] = 0.5 * X[2 * a] + 7.0 * X[2 * a + 1];
    }
    ck_assert_int_eq(carom_cell_geometry(4, 2, X, 1.0, dN, G, &w), 0);
    carom_cell_gradient(4, 2, u, G, H);
    const double expected[4] = {3.0, -2.0, 0.5, 7.0};
    for (int i = 0; i < 4; ++i) {
        ck_assert_double_eq_tol(H[i], expected[i], 1e-13);
        C[5 * i] = 1.0 + i; /* P = C H, diagonal */
    }
    const double P[4] = {1.0 * H[0], 2.0 * H[1], 3.0 * H[2], 4.0 * H[3]};
    carom_cell_spread(4, 2, w, P, G, f);
    carom_cell_stiffen(4, 2, w, C, G, K);
    carom_cell_mirror(8, K);
    for (int i = 0; i < 8; ++i) {
        Ku = 0.0;
        for (int j = 0; j < 8; ++j) {
            Ku += K[8 * i + j] * u[j];
        }
        ck_assert_double_eq_tol(Ku, f[i], 1e-11);
    }
    ck_assert_double_eq_tol(f[0] + f[2] + f[4] + f[6], 0.0, 1e-12);
    carom_cell_place(4, 2, N, X, place);
    ck_assert_double_eq_tol(0.1 + 3.0 * place[0] - 2.0 * place[1],
                            N[0] * u[0] + N[1] * u[2] + N[2] * u[4] + N[3] * u[6], 1e-13);
    const double turned[8] = {0.0, 0.0, -2.0, 0.3, -2.5, 1.9, 0.2, 1.4};
    ck_assert_int_eq(carom_cell_geometry(4, 2, turned, 1.0, dN, G, &w), 1);
}
END_TEST

START_TEST(inverse_in_space_and_area_of_a_face)
{
    const double X[12] = {0.1, 0.2, 0.3, 2.0, 0.4, 0.1, 0.3, 3.0, 0.2, 0.5, 0.1, 4.0},
                 dN[12] = {-1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double square[12] = {0, 0, 0, 3, 0, 4, 3, 2, 4, 0, 2, 0},
                 d2[8] = {-0.25, -0.25, 0.25, -0.25, 0.25, 0.25, -0.25, 0.25};
    double G[12], w, H[9];
    ck_assert_int_eq(carom_cell_geometry(4, 3, X, 1.0, dN, G, &w), 0);
    carom_cell_gradient(4, 3, X, G, H); /* of the places themselves */
    for (int i = 0; i < 9; ++i) {
        ck_assert_double_eq_tol(H[i], i % 4 == 0 ? 1.0 : 0.0, 1e-13);
    }
    ck_assert_double_eq_tol(4.0 * carom_face_area(4, 3, square, d2), 5.0 * 2.0, 1e-12); /* sides 5 and 2 */
    const double edge[4] = {0, 0, 3, 4}, d1[2] = {-0.5, 0.5};
    ck_assert_double_eq_tol(2.0 * carom_face_area(2, 2, edge, d1), 5.0, 1e-13);
    ck_assert_double_eq(carom_face_area(1, 1, edge, NULL), 1.0);
}
END_TEST

/* ---- a line of two cells: stiffness p[0], mass p[1] each; the left end moves as t^2 -------------------------------------- */

static int stretched(const double *p, const double *X, const double *u, double *f)
{
    (void)X;
    f[1] = p[0] * (u[1] - u[0]);
    f[0] = -f[1];
    return u[1] - u[0] < -1.0;
}
static int stiffness(const double *p, const double *X, const double *u, double *K)
{
    (void)X;
    (void)u;
    K[0] = K[3] = p[0];
    K[1] = K[2] = -p[0];
    return 0;
}
static void consistent(const double *p, const double *X, double *m)
{
    (void)X;
    m[0] = m[3] = p[1] / 3.0;
    m[1] = m[2] = p[1] / 6.0;
}
static void halves(const double *p, const double *X, double *m)
{
    (void)X;
    m[0] = m[1] = p[1] / 2.0;
}
static double stored(const double *p, const double *X, const double *u)
{
    (void)X;
    return 0.5 * p[0] * (u[1] - u[0]) * (u[1] - u[0]);
}
static void damped(const double *p, double *mass, double *stiff)
{
    (void)p;
    *mass = 0.5;
    *stiff = 0.25;
}
static void weight(const double *p, double t, const double *X, double *f)
{
    (void)X;
    f[0] = f[1] = 0.5 * p[1] * t;
}
static void moved(const double *p, double t, const double *X, double *u, double *v, double *a)
{
    (void)p;
    *u = X[0] + t * t;
    *v = 2.0 * t;
    *a = 2.0;
}

static const double places[3] = {0.0, 1.0, 2.0}, p[2] = {10.0, 6.0};
static const int cell[4] = {0, 1, 1, 2}, dof[3] = {2, 0, 1}; /* the left end is prescribed */
static const int mass_at[6] = {-1, -1, 0, 0, 1, 2}, mass_lumped[4] = {-1, 0, 0, 2}, matrix_at[6] = {-1, -1, 0, 0, 1, 2};
static const carom_element_motion motion = {2, 1, 1, places, moved};

static carom_element_body body_of(int lumped)
{
    return (carom_element_body){.nodes = 2,
                                .dimension = 1,
                                .cells = 2,
                                .points = 3,
                                .X = places,
                                .cell = cell,
                                .dof = dof,
                                .mass_at = lumped ? mass_lumped : mass_at,
                                .matrix_at = matrix_at,
                                .linear = 1,
                                .lumped = lumped,
                                .damping = damped,
                                .mass = lumped ? halves : consistent,
                                .force = stretched,
                                .tangent = stiffness,
                                .energy = stored,
                                .load = weight};
}

START_TEST(sums_over_cells)
{
    const int lumped = _i;
    const carom_element_body body = body_of(lumped);
    const carom_element_set set = {
        .free = 2, .all = 3, .moving = 1, .bodies = 1, .motions = 1, .body = &body, .motion = &motion};
    const double q[2] = {0.3, -0.1}, v[2] = {1.0, 2.0}, t = 0.5, u[3] = {q[0], q[1], 0.25}, w[3] = {v[0], v[1], 1.0};
    double A[3] = {0.0}, B[3] = {0.0}, f[2] = {0.0}, cell_work[4], kinetic, elastic, M[3][3] = {{0.0}}, r[3];
    const double a = lumped ? 3.0 : 2.0, b = lumped ? 0.0 : 1.0; /* by displacements: 0 middle, 1 right, 2 left */
    M[2][2] = M[1][1] = a;
    M[0][0] = 2 * a;
    M[0][1] = M[1][0] = M[0][2] = M[2][0] = b;
    carom_elements_mass(&set, p, A);
    ck_assert_double_eq_tol(A[0], M[0][0], 1e-14);
    ck_assert_double_eq_tol(A[1], M[0][1], 1e-14);
    ck_assert_double_eq_tol(A[2], M[1][1], 1e-14);
    const double left = u[0] - u[2] + 0.25 * (w[0] - w[2]), right = u[1] - u[0] + 0.25 * (w[1] - w[0]);
    const double K[3] = {p[0] * (left - right), p[0] * right, -p[0] * left},
                 load[3] = {p[1] * t, 0.5 * p[1] * t, 0.5 * p[1] * t};
    for (int i = 0; i < 3; ++i) {
        r[i] = load[i] - K[i];
        for (int j = 0; j < 3; ++j) {
            r[i] -= M[i][j] * (0.5 * w[j]);
        }
    }
    carom_elements_forces(&set, p, &(carom_element_state){t, q, v}, f);
    ck_assert_double_eq_tol(f[0], r[0] - M[0][2] * 2.0, 1e-13);
    ck_assert_double_eq_tol(f[1], r[1] - M[1][2] * 2.0, 1e-13);
    carom_elements_matrix(&set, p, &(carom_element_state){t, q, v}, 2.0, 3.0, B, cell_work);
    ck_assert_double_eq_tol(B[0], (3.0 + 0.5) * 2 * p[0] + M[0][0], 1e-13);
    ck_assert_double_eq_tol(B[1], -(3.0 + 0.5) * p[0] + M[0][1], 1e-13);
    carom_elements_energies(&set, p, &(carom_element_state){t, q, v}, &kinetic, &elastic);
    double twice = 0.0;
    for (int i = 0; i < 9; ++i) {
        twice += w[i / 3] * M[i / 3][i % 3] * w[i % 3];
    }
    ck_assert_double_eq_tol(kinetic, 0.5 * twice, 1e-13);
    ck_assert_double_eq_tol(elastic, 5.0 * ((u[0] - u[2]) * (u[0] - u[2]) + (u[1] - u[0]) * (u[1] - u[0])), 1e-13);
    /* a step in which only the left end gains speed: its support takes its inertia and the forces */
    const carom_element_state state[2] = {{0.5, q, v}, {0.6, q, v}};
    const double mean[2] = {1.0, 0.0};
    for (int total = 0; total < 2; ++total) {
        double reaction;
        carom_elements_reactions(&set, p, state, mean, total, &reaction);
        ck_assert_double_eq_tol(reaction, -r[2] + M[2][2] * 2.0, 1e-12);
    }
    for (int rate = 0; rate < 3; ++rate) {
        double x[3];
        carom_elements_values(&set, p, &state[0], rate, x);
        ck_assert_double_eq(x[0], rate == 0 ? q[0] : rate == 1 ? v[0] : 0.0);
        ck_assert_double_eq(x[2], rate == 0 ? u[2] : rate == 1 ? w[2] : 2.0);
    }
    const double folded[2] = {-2.0, 0.0}; /* an inverted cell is no force */
    f[0] = 0.0;
    carom_elements_forces(&set, p, &(carom_element_state){t, folded, v}, f);
    ck_assert(isnan(f[0]));
}
END_TEST

/* ---- contacts ----------------------------------------------------------------------------------------------------- */

START_TEST(totals_and_nodes_beside_their_faces)
{
    const int Gp[5] = {0, 1, 3, 5, 6}, Gj[6] = {0, 1, 2, 0, 3, 2}, axis[4] = {0, 1, 0, 1}, contact_of[1] = {1};
    const double G[6] = {9.0, 3.0, 4.0, 1.0, 1.0, 0.5}, last[4] = {7.0, 2.0, 0.0, 1.0}, impulse[2] = {5.0, 6.0};
    const carom_element_rows rows = {Gp, Gj, axis, contact_of,
                                     1,  3,  1,    3}; /* one bilateral row, two contacts, a tangent of the second */
    const carom_element_group both = {0, 2, 1, 4}, first = {0, 1, 1, 2};
    carom_element_total total = carom_elements_total(&rows, &both, G, last, 0.5, impulse);
    ck_assert_double_eq_tol(total.force, 4.0 * 5.0, 1e-13);
    ck_assert_double_eq_tol(total.impulse, 11.0, 1e-13);
    ck_assert_double_eq(total.closed, 1.0);
    ck_assert_double_eq_tol(total.pull[0], 4.0 * 4.0 + 2.0 * 0.5, 1e-13);
    ck_assert_double_eq_tol(total.pull[1], 4.0 * 3.0, 1e-13);
    total = carom_elements_total(&rows, &first, G, last, 0.5, impulse);
    ck_assert_double_eq_tol(total.force, 4.0 * 3.0, 1e-13);
    ck_assert_double_eq(total.pull[0], 0.0);

    const int row[1] = {1}, face_dof[6] = {0, 1, 2, 3, 2, 3};
    const double share[2] = {0.5, 0.5}, edge[6] = {1.0, 0.0, -0.5, -1.0, 0.0, -0.5};
    const carom_element_pairs pairs = {1, 2, 2, 0.1, row, face_dof, share, edge};
    const double J[2] = {0.0, 1.0}, none[2] = {1.0, 0.0}, over[4] = {0.5, 0.0, 0.0, 0.0},
                 off[4] = {-0.4, 0.0, 0.3, 0.0};
    const carom_element_set set = {.free = 4, .all = 4};
    const carom_element_state at_over = {0.0, over, NULL}, at_off = {0.0, off, NULL};
    double most;
    ck_assert_int_eq(carom_elements_beside(&set, NULL, &at_over, &pairs, J, &most), -1);
    ck_assert_int_eq(carom_elements_beside(&set, NULL, &at_off, &pairs, J, &most), 1);
    ck_assert_double_eq_tol(most, 0.2, 1e-14);
    ck_assert_int_eq(carom_elements_beside(&set, NULL, &at_off, &pairs, none, &most), -1);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("all");
    tcase_add_test(cases, gradients_of_a_linear_field);
    tcase_add_test(cases, inverse_in_space_and_area_of_a_face);
    tcase_add_loop_test(cases, sums_over_cells, 0, 2);
    tcase_add_test(cases, totals_and_nodes_beside_their_faces);
    return run_suite("elements", cases);
}
