/* Sums over the cells and faces of small meshes: gather, kernel, scatter. */
#include "carom/elements.h"

#include <math.h>

enum { MOST = 3 * CAROM_ELEMENT_NODES };

typedef carom_element_body body;

/* The place of a component of a node of a cell in arrays of the mesh. */
static inline int entry_of(const body *b, int e, int a, int k) { return b->dimension * b->cell[b->nodes * e + a] + k; }

/* out[a d + k] = the part of cell e in a vector of displacements or velocities */
static void gather(const body *b, int e, const double *u, double *out)
{
    for (int a = 0; a < b->nodes; ++a) {
        for (int k = 0; k < b->dimension; ++k) {
            *out++ = u[b->dof[entry_of(b, e, a, k)]];
        }
    }
}

static void places(const body *b, int e, double *X)
{
    for (int a = 0; a < b->nodes; ++a) {
        for (int k = 0; k < b->dimension; ++k) {
            *X++ = b->X[entry_of(b, e, a, k)];
        }
    }
}

/* f += factor times what a cell has; where it is inverted nobody knows it */
static void scatter(const body *b, int e, double factor, int inverted, const double *from, double *f)
{
    for (int a = 0; a < b->nodes; ++a) {
        for (int k = 0; k < b->dimension; ++k) {
            f[b->dof[entry_of(b, e, a, k)]] += inverted ? (double)NAN : factor * *from++;
        }
    }
}

/* out = M x of a cell */
static void times_mass(const body *b, const double *p, const double *X, const double *x, double *out)
{
    const int n = b->nodes, d = b->dimension;
    double m[CAROM_ELEMENT_NODES * CAROM_ELEMENT_NODES];
    b->mass(p, X, m);
    for (int a = 0; a < n; ++a) {
        for (int k = 0; k < d; ++k) {
            out[a * d + k] = b->lumped ? m[a] * x[a * d + k] : 0.0;
            for (int c = 0; c < n && !b->lumped; ++c) {
                out[a * d + k] += m[a * n + c] * x[c * d + k];
            }
        }
    }
}

void carom_elements_prescribe(const carom_element_set *set, const double *p, double t, const double *q, const double *v,
                              double *u, double *w, double *a)
{
    for (int i = 0; i < set->all; ++i) {
        u[i] = i < set->free ? q[i] : 0.0;
        w[i] = i < set->free ? v[i] : 0.0;
        a[i] = 0.0;
    }
    for (int k = 0; k < set->motions; ++k) {
        const carom_element_motion *const m = &set->motion[k];
        for (int i = 0; i < m->count && m->value != NULL; ++i) {
            const int at = m->first + i;
            m->value(p, t, m->X + m->dimension * i, u + at, w + at, a + at);
        }
    }
}

void carom_elements_mass(const carom_element_set *set, const double *p, double *A)
{
    for (int k = 0; k < set->bodies; ++k) {
        const body *const b = &set->body[k];
        const int *at = b->mass_at;
        for (int e = 0; e < b->cells; ++e) {
            double X[MOST], m[CAROM_ELEMENT_NODES * CAROM_ELEMENT_NODES];
            places(b, e, X);
            b->mass(p, X, m);
            for (int a = 0; a < b->nodes; ++a) {
                for (int c = b->lumped ? a : 0; c <= a; ++c) {
                    for (int i = 0; i < b->dimension; ++i, ++at) {
                        if (*at >= 0) {
                            A[*at] += b->lumped ? m[a] : m[a * b->nodes + c];
                        }
                    }
                }
            }
        }
    }
}

/* f += forces of the cells of a body; acc: accelerations that are prescribed, NULL: their inertia comes otherwise */
static void body_forces(const body *b, const double *p, double t, const double *u, const double *v, const double *acc,
                        double *f)
{
    double alpha = 0.0, beta = 0.0;
    if (b->damping != NULL) {
        b->damping(p, &alpha, &beta);
    }
    for (int e = 0; e < b->cells; ++e) {
        double X[MOST], x[MOST], y[MOST], z[MOST], out[MOST];
        places(b, e, X);
        gather(b, e, u, x);
        gather(b, e, v, y);
        const int together = beta != 0.0 && b->rate == NULL; /* both forces are the same linear function */
        for (int i = 0; i < b->nodes * b->dimension && together; ++i) {
            x[i] += beta * y[i];
        }
        int inverted = b->force(p, X, x, out);
        scatter(b, e, -1.0, inverted, out, f);
        if (beta != 0.0 && b->rate != NULL) {
            inverted = b->rate(p, X, y, out);
            scatter(b, e, -beta, inverted, out, f);
        }
        if (alpha != 0.0 || acc != NULL) {
            gather(b, e, acc != NULL ? acc : v, z);
            for (int i = 0; i < b->nodes * b->dimension; ++i) {
                z[i] = alpha * y[i] + (acc != NULL ? z[i] : 0.0);
            }
            times_mass(b, p, X, z, out);
            scatter(b, e, -1.0, 0, out, f);
        }
        if (b->load != NULL) {
            b->load(p, t, X, out);
            scatter(b, e, 1.0, 0, out, f);
        }
    }
}

/* f = forces on all displacements, free and prescribed */
static void all_forces(const carom_element_set *set, const double *p, double t, const double *u, const double *w,
                       const double *acc, double *f)
{
    for (int i = 0; i < set->all; ++i) {
        f[i] = 0.0;
    }
    for (int k = 0; k < set->bodies; ++k) {
        body_forces(&set->body[k], p, t, u, w, acc, f);
    }
    for (int k = 0; k < set->boundaries; ++k) {
        const carom_element_faces *const boundary = &set->boundary[k];
        for (int e = 0; e < boundary->faces; ++e) {
            double out[MOST];
            boundary->force(p, t, boundary->X + boundary->entries * e, out);
            for (int i = 0; i < boundary->entries; ++i) {
                f[boundary->dof[boundary->entries * e + i]] += out[i];
            }
        }
    }
}

void carom_elements_forces(const carom_element_set *set, const double *p, double t, const double *q, const double *v,
                           double *f, double *work)
{
    double *const u = work, *const w = u + set->all, *const a = w + set->all, *const r = a + set->all;
    carom_elements_prescribe(set, p, t, q, v, u, w, a);
    all_forces(set, p, t, u, w, set->moving ? a : NULL, r);
    for (int i = 0; i < set->free; ++i) {
        f[i] += r[i];
    }
}

void carom_elements_matrix(const carom_element_set *set, const double *p, double t, const double *q, const double *v,
                           double wv, double wq, double *B, double *work)
{
    static const double still[MOST];
    double *const u = work, *const w = u + set->all, *const a = w + set->all;
    carom_elements_prescribe(set, p, t, q, v, u, w, a);
    for (int k = 0; k < set->bodies; ++k) {
        const body *const b = &set->body[k];
        const int size = b->nodes * b->dimension;
        const int *at = b->matrix_at;
        double alpha = 0.0, beta = 0.0;
        if (b->damping != NULL) {
            b->damping(p, &alpha, &beta);
        }
        for (int e = 0; e < b->cells; ++e) {
            double X[MOST], x[MOST], K[MOST * MOST], K0[MOST * MOST], m[CAROM_ELEMENT_NODES * CAROM_ELEMENT_NODES];
            int inverted = 0;
            places(b, e, X);
            gather(b, e, u, x);
            inverted = b->tangent(p, X, x, K);
            if (beta != 0.0 && b->rate != NULL) {
                inverted = b->tangent(p, X, still, K0) || inverted;
            }
            if (alpha != 0.0) {
                b->mass(p, X, m);
            }
            for (int r = 0; r < size; ++r) {
                for (int c = 0; c <= r; ++c, ++at) {
                    const int i = r / b->dimension, j = c / b->dimension;
                    double entry = wq * K[r * size + c];
                    if (beta != 0.0) {
                        entry += wv * beta * (b->rate != NULL ? K0 : K)[r * size + c];
                    }
                    if (alpha != 0.0 && r % b->dimension == c % b->dimension && (!b->lumped || i == j)) {
                        entry += wv * alpha * (b->lumped ? m[i] : m[i * b->nodes + j]);
                    }
                    if (*at >= 0) {
                        B[*at] += inverted ? (double)NAN : entry;
                    }
                }
            }
        }
    }
}

void carom_elements_energies(const carom_element_set *set, const double *p, const double *u, const double *w,
                             double *kinetic, double *elastic)
{
    *kinetic = *elastic = 0.0;
    for (int k = 0; k < set->bodies; ++k) {
        const body *const b = &set->body[k];
        for (int e = 0; e < b->cells; ++e) {
            double X[MOST], x[MOST], out[MOST];
            places(b, e, X);
            gather(b, e, w, x);
            times_mass(b, p, X, x, out);
            for (int i = 0; i < b->nodes * b->dimension; ++i) {
                *kinetic += 0.5 * x[i] * out[i];
            }
            gather(b, e, u, x);
            *elastic += b->energy(p, X, x);
        }
    }
}

void carom_elements_stress(const body *b, const double *p, const double *u, double *stress, double *weight)
{
    double X[MOST], local[MOST], m[CAROM_ELEMENT_NODES * CAROM_ELEMENT_NODES];
    for (int e = 0; e < b->cells; ++e) {
        places(b, e, X);
        gather(b, e, u, local);
        b->stress(p, X, local, stress + 6 * e);
        b->mass(p, X, m);
        for (int a = 0; a < b->nodes; ++a) {
            weight[b->nodes * e + a] = b->lumped ? m[a] : 0.0;
            for (int c = 0; c < b->nodes && !b->lumped; ++c) {
                weight[b->nodes * e + a] += m[a * b->nodes + c]; /* shape functions add up to 1 */
            }
        }
    }
}

void carom_elements_start(const carom_element_set *set, const double *p, double *q, double *v)
{
    for (int k = 0; k < set->bodies; ++k) {
        const body *const b = &set->body[k];
        for (int n = 0; n < b->points; ++n) {
            double u[3] = {0.0, 0.0, 0.0}, w[3] = {0.0, 0.0, 0.0};
            if (b->start != NULL) {
                b->start(p, b->X + b->dimension * n, u, w);
            }
            for (int i = 0; i < b->dimension; ++i) {
                const int at = b->dof[b->dimension * n + i];
                if (at < set->free) {
                    q[at] = u[i];
                    v[at] = w[i];
                }
            }
        }
    }
}

void carom_elements_reactions(const carom_element_set *set, const double *p, const carom_element_state state[2],
                              const double mean[2], double *reaction, double *work)
{
    const int all = set->all;
    const double h = state[1].t - state[0].t;
    double *const u = work, *const a = u + all, *const f = a + all, *const r = f + all;
    double *const w[2] = {r + all, r + 2 * all};
    for (int i = 0; i < all; ++i) {
        r[i] = 0.0;
    }
    for (int k = 0; k < 2 && h > 0.0; ++k) {
        carom_elements_prescribe(set, p, state[k].t, state[k].q, state[k].v, u, w[k], a);
        all_forces(set, p, state[k].t, u, w[k], NULL, f); /* inertia comes by the velocities */
        for (int i = 0; i < all; ++i) {
            r[i] += mean[k] * f[i];
        }
    }
    for (int i = 0; i < all && h > 0.0; ++i) {
        u[i] = (w[1][i] - w[0][i]) / h;
    }
    for (int k = 0; k < set->bodies && h > 0.0; ++k) {
        const body *const b = &set->body[k];
        for (int e = 0; e < b->cells; ++e) {
            double X[MOST], x[MOST], out[MOST];
            places(b, e, X);
            gather(b, e, u, x);
            times_mass(b, p, X, x, out);
            scatter(b, e, -1.0, 0, out, r);
        }
    }
    for (int i = set->free; i < all; ++i) {
        reaction[i - set->free] = -r[i];
    }
}

carom_element_total carom_elements_total(const carom_element_rows *rows, const carom_element_group *group,
                                         const double *G, const double *last, double step, const double *impulse)
{
    carom_element_total total = {0.0, 0.0, 0.0, {0.0, 0.0, 0.0}};
    for (int j = group->first; j < group->stop; ++j) {
        const int row = rows->bilateral + j;
        const double force = last[row] / step;
        double square = 0.0;
        for (int k = rows->Gp[row]; k < rows->Gp[row + 1]; ++k) {
            if (rows->Gj[k] >= group->low && rows->Gj[k] < group->high) { /* a displacement of the body itself */
                square += G[k] * G[k];
                total.pull[rows->axis[rows->Gj[k]]] += force * G[k];
            }
        }
        total.force +=
            force * (square > 0.0 ? sqrt(square) : 1.0); /* a gap need not be a distance; 0: the node is held */
        total.impulse += impulse[j];
        total.closed += force > 0.0 ? 1.0 : 0.0;
    }
    for (int i = 0; i < rows->tangents; ++i) {
        const int row = rows->gaps + i, of = rows->contact_of[i] - rows->bilateral;
        const int here = of >= group->first && of < group->stop;
        for (int k = rows->Gp[row]; k < rows->Gp[row + 1] && here; ++k) {
            if (rows->Gj[k] >= group->low && rows->Gj[k] < group->high) {
                total.pull[rows->axis[rows->Gj[k]]] += last[rows->kept + i] / step * G[k];
            }
        }
    }
    return total;
}

void carom_elements_pulls(const carom_element_set *set, const carom_element_rows *rows,
                          const carom_mesh_contact *contact, int contacts, const double *G, const double *last,
                          double step, double *force)
{
    for (int i = 0; i < contacts; ++i) {
        const body *const b = &set->body[contact[i].mesh];
        const int *const dof = b->dof + b->dimension * contact[i].node, normal = rows->bilateral + contact[i].contact;
        double *const out = force + 4 * i, square = 0.0;
        for (int k = 0; k < 4; ++k) {
            out[k] = 0.0;
        }
        for (int j = -1; j < rows->tangents; ++j) {
            const int row = j < 0 ? normal : rows->gaps + j, kept = j < 0 ? normal : rows->kept + j;
            const int here = j < 0 || rows->contact_of[j] == normal;
            for (int k = rows->Gp[row]; k < rows->Gp[row + 1] && here; ++k) {
                for (int c = 0; c < b->dimension; ++c) {
                    if (rows->Gj[k] == dof[c] && step > 0.0) {
                        out[1 + c] += last[kept] / step * G[k];
                        square += j < 0 ? G[k] * G[k] : 0.0;
                    }
                }
            }
        }
        out[0] = step > 0.0 ? last[normal] / step * (square > 0.0 ? sqrt(square) : 1.0) : 0.0;
    }
}

int carom_elements_beside(const carom_element_pairs *pairs, const double *u, const double *J, double *most)
{
    const int d = pairs->dimension, N = pairs->nodes;
    int row = -1;
    *most = pairs->beside;
    for (int i = 0; i < pairs->count; ++i) {
        const int *const dof = pairs->dof + (N + 1) * d * i;
        double moved[3];
        for (int k = 0; k < d; ++k) {
            moved[k] = u[dof[k]];
            for (int n = 0; n < N; ++n) {
                moved[k] -= pairs->weight[N * i + n] * u[dof[d * (n + 1) + k]];
            }
        }
        for (int e = 0; e < N && J[pairs->row[i]] > 0.0; ++e) {
            const double *const edge = pairs->edge + (d + 1) * (N * i + e);
            double beside = edge[d];
            for (int k = 0; k < d; ++k) {
                beside += edge[k] * moved[k];
            }
            if (beside > *most) {
                *most = beside;
                row = pairs->row[i];
            }
        }
    }
    return row;
}
