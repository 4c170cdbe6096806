/* Contact problems that are linear complementarity problems, for Lemke's method: exact, dense, not for many contacts.
 *
 * Frictionless: the normal rows. Planar Coulomb friction, with z = (r_N, rho, l) and w = (u_N, k, lambda) per contact:
 *
 *     u_T = k - l,    rho = mu r_N + r_T,    lambda = mu r_N - r_T
 *     u_N    = W_NN r_N + W_NT (rho - mu r_N) + q_N
 *     k      = W_TN r_N + W_TT (rho - mu r_N) + q_T + l
 *     lambda = 2 mu r_N - rho
 *
 * complementary pairs u_N r_N, k rho (sliding forward needs rho = 0), lambda l. Impulses are divided by s_c, velocities
 * by ||q||, so that all rows have one size. */
#include "solver.h"

#include "carom/lcp.h"

static int rows_per_contact(const carom_friction_problem *problem)
{
    int friction = 0;
    for (int c = 0; c < problem->contacts; ++c) {
        friction = friction || problem->mu[c] > 0.0;
    }
    return !friction ? 1 : (problem->dimension == 2 ? 3 : 0);
}

int carom_fc_lemke_applies(const carom_friction_problem *problem)
{
    const int rows = rows_per_contact(problem);
    return rows > 0 && problem->contacts <= CAROM_FC_LEMKE_ROWS / rows;
}

size_t carom_fc_lemke_work(const carom_friction_problem *problem)
{
    if (!carom_fc_lemke_applies(problem)) {
        return 0;
    }
    const int rows = problem->contacts * rows_per_contact(problem);
    const size_t m = (size_t)rows, size = (size_t)problem->dimension * (size_t)problem->contacts;
    return carom_arena_round(m * m * sizeof(double)) + 2 * carom_arena_round(m * sizeof(double)) +
           carom_arena_round((size_t)carom_lcp_lemke_work(rows) * sizeof(double)) +
           2 * carom_arena_round(size * sizeof(double));
}

/* The rows that block B of W contributes in the frictional form: place (row i, column j). */
static void add_block(const double B[4], double mu, double weight, int m, double *place)
{
    place[0] += weight * (B[0] - mu * B[1]);
    place[1] += weight * B[1];
    place[m] += weight * (B[2] - mu * B[3]);
    place[m + 1] += weight * B[3];
}

static void build(const carom_fc *fc, int rows, double velocity, double *A, double *b)
{
    const int m = rows * fc->n, d = fc->d;
    for (int i = 0; i < m * m; ++i) {
        A[i] = 0.0;
    }
    for (int c = 0; c < fc->n; ++c) {
        for (int k = fc->row[c]; k < fc->row[c + 1]; ++k) {
            const int j = fc->column[k];
            const double *B = fc->block + d * d * k;
            if (rows == 1) {
                A[m * c + j] = B[0] * fc->s[j];
            } else {
                add_block(B, fc->mu[j], fc->s[j], m, A + m * 3 * c + 3 * j);
            }
        }
        b[rows * c] = fc->q[d * c] / velocity;
        if (rows == 3) {
            double *corner = A + m * 3 * c + 3 * c;
            corner[m + 2] = 1.0;
            corner[2 * m] = 2.0 * fc->mu[c];
            corner[2 * m + 1] = -1.0;
            b[3 * c + 1] = fc->q[2 * c + 1] / velocity;
            b[3 * c + 2] = 0.0;
        }
    }
}

double carom_fc_lemke(carom_fc *fc, double *r, double residual, int limit)
{
    (void)limit;
    const size_t mark = fc->arena.used;
    const carom_friction_problem problem = {fc->d, fc->n, fc->mu, fc->q, fc->row, fc->column, fc->block};
    const int rows = rows_per_contact(&problem), m = rows * fc->n;
    const double velocity = fc->q_norm > 0.0 ? fc->q_norm : 1.0;
    double *A = carom_arena_take(&fc->arena, (size_t)m * (size_t)m, sizeof(double));
    double *b = carom_arena_take(&fc->arena, (size_t)m, sizeof(double));
    double *z = carom_arena_take(&fc->arena, (size_t)m, sizeof(double));
    double *work = carom_arena_take(&fc->arena, (size_t)carom_lcp_lemke_work(m), sizeof(double));
    double *x = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    double *u = carom_arena_take(&fc->arena, (size_t)fc->size, sizeof(double));
    if (A != NULL && b != NULL && z != NULL && work != NULL && x != NULL && u != NULL) {
        int pivots = 0;
        build(fc, rows, velocity, A, b);
        const carom_status status = carom_lcp_lemke(m, A, m, b, z, work, &pivots);
        fc->factorisations += pivots;
        if (status == CAROM_OK) {
            for (int c = 0; c < fc->n; ++c) {
                const double scale = fc->s[c] * velocity, n = scale * z[rows * c];
                x[fc->d * c] = n;
                for (int i = 1; i < fc->d; ++i) {
                    x[fc->d * c + i] = rows == 3 ? scale * z[3 * c + 1] - fc->mu[c] * n : 0.0;
                }
            }
            carom_fc_project(fc, x);
            residual = carom_fc_better(fc, x, carom_fc_residual(fc, x, u), r, residual);
        }
    }
    fc->arena.used = mark;
    return residual;
}
