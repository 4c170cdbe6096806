/* One cell of a finite-element mesh: what its kernels do at a point of integration, whatever its shape and material
 * are. n nodes in d dimensions; arrays run over nodes, then components, and are flat: places X[a * d + i],
 * displacements u, dN[a * d + k] = dN_a/dxi_k. The sizes are constants where these are called, so that compilers
 * unroll the loops. */
#ifndef CAROM_CELLS_H
#define CAROM_CELLS_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* J_ik = dX_i/dxi_k; returns its determinant. */
static inline double carom_cell_jacobian(int n, int d, const double *X, const double *dN, double *J)
{
    for (int i = 0; i < d; ++i) {
        for (int k = 0; k < d; ++k) {
            J[i * d + k] = 0.0;
            for (int a = 0; a < n; ++a) {
                J[i * d + k] += X[a * d + i] * dN[a * d + k];
            }
        }
    }
    return d == 1   ? J[0]
           : d == 2 ? J[0] * J[3] - J[1] * J[2]
                    : J[0] * (J[4] * J[8] - J[5] * J[7]) + J[1] * (J[5] * J[6] - J[3] * J[8]) +
                          J[2] * (J[3] * J[7] - J[4] * J[6]);
}

/* G_ak = dN_a/dX_k and the volume w of the point; 1 when the cell is inverted there. */
static inline int carom_cell_geometry(int n, int d, const double *X, double weight, const double *dN, double *G,
                                      double *w)
{
    double J[9], inverse[9];
    const double det = carom_cell_jacobian(n, d, X, dN, J);
    if (!(det > 0.0)) {
        return 1;
    }
    const double r = 1.0 / det;
    if (d == 1) {
        inverse[0] = r;
    } else if (d == 2) {
        inverse[0] = r * J[3];
        inverse[1] = -r * J[1];
        inverse[2] = -r * J[2];
        inverse[3] = r * J[0];
    } else {
        for (int i = 0; i < 3; ++i) { /* cyclic: the sign takes care of itself */
            for (int j = 0; j < 3; ++j) {
                const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
                inverse[3 * i + j] = r * (J[3 * a + c] * J[3 * b + e] - J[3 * a + e] * J[3 * b + c]);
            }
        }
    }
    for (int a = 0; a < n; ++a) {
        for (int k = 0; k < d; ++k) {
            G[a * d + k] = 0.0;
            for (int l = 0; l < d; ++l) {
                G[a * d + k] += dN[a * d + l] * inverse[l * d + k];
            }
        }
    }
    *w = weight * det;
    return 0;
}

/* H_ik = du_i/dX_k */
static inline void carom_cell_gradient(int n, int d, const double *u, const double *G, double *H)
{
    for (int i = 0; i < d; ++i) {
        for (int k = 0; k < d; ++k) {
            H[i * d + k] = 0.0;
            for (int a = 0; a < n; ++a) {
                H[i * d + k] += u[a * d + i] * G[a * d + k];
            }
        }
    }
}

/* f_ai += w P_ik G_ak */
static inline void carom_cell_spread(int n, int d, double w, const double *P, const double *G, double *f)
{
    for (int a = 0; a < n; ++a) {
        for (int i = 0; i < d; ++i) {
            double sum = 0.0;
            for (int k = 0; k < d; ++k) {
                sum += P[i * d + k] * G[a * d + k];
            }
            f[a * d + i] += w * sum;
        }
    }
}

/* K += w G_aj C_ijkl G_bl, its blocks a <= b. */
static inline void carom_cell_stiffen(int n, int d, double w, const double *C, const double *G, double *K)
{
    for (int b = 0; b < n; ++b) {
        for (int k = 0; k < d; ++k) {
            double S[9]; /* change of P by the displacement k of node b */
            for (int ij = 0; ij < d * d; ++ij) {
                S[ij] = 0.0;
                for (int l = 0; l < d; ++l) {
                    S[ij] += w * C[(ij * d + k) * d + l] * G[b * d + l];
                }
            }
            for (int a = 0; a <= b; ++a) {
                for (int i = 0; i < d; ++i) {
                    double sum = 0.0;
                    for (int j = 0; j < d; ++j) {
                        sum += S[i * d + j] * G[a * d + j];
                    }
                    K[(a * d + i) * n * d + b * d + k] += sum;
                }
            }
        }
    }
}

/* The other half of a symmetric matrix. */
static inline void carom_cell_mirror(int size, double *K)
{
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < i; ++j) {
            K[i * size + j] = K[j * size + i];
        }
    }
}

/* m_ab += rho w N_a N_b of all points; lumped: m_a, the sums of its rows. */
static inline void carom_cell_mass(int n, int d, int points, const double *weight, const double *dN, const double *N,
                                   double rho, const double *X, int lumped, double *m)
{
    for (int i = 0; i < (lumped ? n : n * n); ++i) {
        m[i] = 0.0;
    }
    for (int q = 0; q < points; ++q) {
        double J[9];
        const double w = rho * weight[q] * carom_cell_jacobian(n, d, X, dN + q * n * d, J);
        for (int a = 0; a < n; ++a) {
            for (int b = 0; b < n && !lumped; ++b) {
                m[a * n + b] += w * N[q * n + a] * N[q * n + b];
            }
            if (lumped) {
                m[a] += w * N[q * n + a];
            }
        }
    }
}

/* The place of a point from those of the nodes. */
static inline void carom_cell_place(int n, int d, const double *N, const double *X, double *place)
{
    for (int i = 0; i < d; ++i) {
        place[i] = 0.0;
        for (int a = 0; a < n; ++a) {
            place[i] += N[a] * X[a * d + i];
        }
    }
}

/* f_ai += w N_a g_i */
static inline void carom_cell_load(int n, int d, double w, const double *N, const double *g, double *f)
{
    for (int a = 0; a < n; ++a) {
        for (int i = 0; i < d; ++i) {
            f[a * d + i] += w * N[a] * g[i];
        }
    }
}

/* The area per weight (length, or 1 of a point) at a point of a face of dimension e = d - 1. */
static inline double carom_face_area(int n, int d, const double *X, const double *dN)
{
    const int e = d - 1;
    double t[6] = {0.0}; /* tangents */
    for (int a = 0; a < n; ++a) {
        for (int i = 0; i < d; ++i) {
            for (int k = 0; k < e; ++k) {
                t[i * e + k] += X[a * d + i] * dN[a * e + k];
            }
        }
    }
    if (d == 1) {
        return 1.0;
    }
    if (d == 2) {
        return sqrt(t[0] * t[0] + t[1] * t[1]);
    }
    const double nx = t[2] * t[5] - t[4] * t[3], ny = t[4] * t[1] - t[0] * t[5], nz = t[0] * t[3] - t[2] * t[1];
    return sqrt(nx * nx + ny * ny + nz * nz);
}

#ifdef __cplusplus
}
#endif
#endif
