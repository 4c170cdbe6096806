/* The outside of meshes for pictures (driver/skin.h): what is kept of a block of hexahedra, as it is and with nodes left out. */
#include "../runtime/driver/skin.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 31 };

/* n x n x n cells in a unit cube; node (i, j, k) is i + (n + 1) (j + (n + 1) k). */
static void block(int n, double *X, int *cell, int *dof)
{
    const int m = n + 1, corner[8] = {0, 1, 1 + m, m, m * m, 1 + m * m, 1 + m + m * m, m + m * m};
    for (int i = 0; i < m * m * m; i++) {
        const int at[3] = {i % m, i / m % m, i / m / m};
        for (int c = 0; c < 3; c++) {
            X[3 * i + c] = (double)at[c] / n;
            dof[3 * i + c] = 3 * i + c;
        }
    }
    for (int e = 0; e < n * n * n; e++) {
        for (int a = 0; a < 8; a++) {
            cell[8 * e + a] = e % n + m * (e / n % n) + m * m * (e / n / n) + corner[a];
        }
    }
}

/* Area of the triangles that are drawn, and that all are seen from outside anticlockwise. */
static double area(const carom_skin *skin, const double *X)
{
    double sum = 0.0;
    for (int t = 0; t < skin->triangles; t++) {
        double p[3][3], n[3], out = 0.0, size = 0.0;
        for (int a = 0; a < 3; a++) {
            for (int c = 0; c < 3; c++) {
                p[a][c] = X[3 * skin->node[skin->corner[3 * t + a]] + c];
            }
        }
        for (int c = 0; c < 3; c++) {
            const int i = (c + 1) % 3, j = (c + 2) % 3;
            n[c] = (p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) - (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]);
            out += n[c] * ((p[0][c] + p[1][c] + p[2][c]) / 3.0 - 0.5);
            size += n[c] * n[c];
        }
        ck_assert(size == 0.0 || out > 0.0);
        sum += 0.5 * sqrt(size);
    }
    return sum;
}

START_TEST(of_a_block)
{
    static double X[3 * MOST * MOST * MOST];
    static int cell[8 * (MOST - 1) * (MOST - 1) * (MOST - 1)], dof[3 * MOST * MOST * MOST];
    const int n = _i, inner = n - 1, m = n + 1;
    const carom_mesh mesh = {
        .name = "block", .dimension = 3, .cell_nodes = 8, .cells = n * n * n, .X = X, .cell = cell, .dof = dof};
    carom_skin skin;
    block(n, X, cell, dof);
    ck_assert_int_eq(carom_skin_make(&skin, &mesh, 1, 100000), 0);
    ck_assert_int_eq(skin.nodes, m * m * m - inner * inner * inner);
    ck_assert_int_eq(skin.triangles, 12 * n * n);
    ck_assert_double_eq_tol(area(&skin, X), 6.0, 1e-10);
    carom_skin_free(&skin);
    ck_assert_int_eq(carom_skin_make(&skin, &mesh, 1, 500), 0);
    ck_assert_int_le(skin.nodes, m * m * m - inner * inner * inner);
    ck_assert_int_le(skin.nodes, n < 10 ? 1000 : 500);
    ck_assert(fabs(area(&skin, X) - 6.0) < 0.4);
    int corners = 0;
    for (int i = 0; i < skin.nodes; i++) {
        const double *x = X + (size_t)3 * (size_t)skin.node[i];
        corners += (x[0] == 0.0 || x[0] == 1.0) && (x[1] == 0.0 || x[1] == 1.0) && (x[2] == 0.0 || x[2] == 1.0);
    }
    ck_assert_int_eq(corners, 8);
    carom_skin_free(&skin);
}
END_TEST

/* A strip of two bars and a square of one cell: lines and triangles, each as they are. */
START_TEST(of_lines_and_cells_in_the_plane)
{
    const double line[3] = {0.0, 1.0, 2.0}, square[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    const int bars[4] = {0, 1, 1, 2}, quad[4] = {0, 1, 2, 3}, dof[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const carom_mesh bar = {.dimension = 1, .cell_nodes = 2, .cells = 2, .X = line, .cell = bars, .dof = dof};
    const carom_mesh plate = {.dimension = 2, .cell_nodes = 4, .cells = 1, .X = square, .cell = quad, .dof = dof};
    carom_skin skin;
    ck_assert_int_eq(carom_skin_make(&skin, &bar, 1, 100), 0);
    ck_assert_int_eq(skin.nodes, 3);
    ck_assert_int_eq(skin.triangles, 2);
    ck_assert_int_eq(skin.corner[1], skin.corner[2]);
    carom_skin_free(&skin);
    ck_assert_int_eq(carom_skin_make(&skin, &plate, 1, 100), 0);
    ck_assert_int_eq(skin.nodes, 4);
    ck_assert_int_eq(skin.triangles, 2);
    carom_skin_free(&skin);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("all");
    tcase_add_loop_test(cases, of_a_block, 1, 4);
    tcase_add_loop_test(cases, of_a_block, MOST - 2, MOST);
    tcase_add_test(cases, of_lines_and_cells_in_the_plane);
    return run_suite("skin", cases);
}
