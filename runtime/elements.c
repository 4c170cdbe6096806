/* Sums over the cells and faces of small meshes: gather, kernel, scatter. */
#include "carom/elements.h"

#include <math.h>

enum { MOST = 3 * CAROM_ELEMENT_NODES };

typedef carom_element_body body;

/* The place of a component of a node of a cell in arrays of the mesh. */
static inline int entry_of(const body *b, int e, int a, int k) { return b->dimension * b->cell[b->nodes * e + a] + k; }

/* Where displacement dof is prescribed, its motion and the number there; -1: it is free. */
static int motion_of(const carom_element_set *set, int dof, int *number)
{
    for (int k = 0; k < set->motions; ++k) {
        *number = dof - set->motion[k].first;
        if (*number >= 0 && *number < set->motion[k].count) {
            return k;
        }
    }
    return -1;
}

static double prescribed(const carom_element_set *set, const double *p, double t, int rate, int dof)
{
    double x[3] = {0.0, 0.0, 0.0};
    int number = 0;
    const int k = motion_of(set, dof, &number);
    if (k >= 0 && set->motion[k].value != NULL) {
        set->motion[k].value(p, t, set->motion[k].X + set->motion[k].dimension * number, x, x + 1, x + 2);
    }
    return x[rate];
}

double carom_elements_value(const carom_element_set *set, const double *p, const carom_element_state *at, int rate,
                            int dof)
{
    if (dof >= set->free) {
        return prescribed(set, p, at->t, rate, dof);
    }
    return rate == 0 ? at->q[dof] : rate == 1 ? at->v[dof] : 0.0;
}

void carom_elements_values(const carom_element_set *set, const double *p, const carom_element_state *at, int rate,
                           double *x)
{
    for (int i = 0; i < set->all; ++i) {
        x[i] = carom_elements_value(set, p, at, rate, i);
    }
}

/* out[a d + k] = the part of cell e in the displacements or their rates */
static void gather(const carom_element_set *set, const body *b, int e, const double *p, const carom_element_state *at,
                   int rate, double *out)
{
    const double *const x = rate == 0 ? at->q : rate == 1 ? at->v : NULL;
    const int *const node = b->cell + b->nodes * e;
    for (int a = 0; a < b->nodes; ++a) {
        const int *const dof = b->dof + b->dimension * node[a];
        for (int k = 0; k < b->dimension; ++k) {
            *out++ = dof[k] >= set->free ? prescribed(set, p, at->t, rate, dof[k]) : x != NULL ? x[dof[k]] : 0.0;
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

/* Forces go to free displacements, to prescribed ones, or to the motions of these; NULL: they are not asked for. */
typedef struct {
    const carom_element_set *set;
    double *free, *held;
    int total;
} target;

static inline void put(const target *to, int dof, double x)
{
    int number = 0;
    if (dof < to->set->free) {
        if (to->free != NULL) {
            to->free[dof] += x;
        }
    } else if (to->held != NULL) {
        to->held[to->total ? motion_of(to->set, dof, &number) : dof - to->set->free] += x;
    }
}

/* factor times what a cell has; where it is inverted nobody knows it */
static void scatter(const body *b, int e, double factor, int inverted, const double *from, const target *to)
{
    const int *const node = b->cell + b->nodes * e, free = to->free != NULL ? to->set->free : 0;
    const double scale = inverted ? (double)NAN : factor;
    for (int a = 0; a < b->nodes; ++a) {
        const int *const dof = b->dof + b->dimension * node[a];
        for (int k = 0; k < b->dimension; ++k, ++from) {
            if (dof[k] < free) {
                to->free[dof[k]] += scale * *from;
            } else {
                put(to, dof[k], scale * *from);
            }
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

/* factor times the forces of the cells of a body; inertia: also that of prescribed accelerations */
static void body_forces(const body *b, const double *p, const carom_element_state *at, int inertia, double factor,
                        const target *to)
{
    double alpha = 0.0, beta = 0.0;
    if (b->damping != NULL) {
        b->damping(p, &alpha, &beta);
    }
    for (int e = 0; e < b->cells; ++e) {
        double X[MOST], x[MOST], y[MOST], z[MOST], out[MOST];
        places(b, e, X);
        gather(to->set, b, e, p, at, 0, x);
        gather(to->set, b, e, p, at, 1, y);
        const int together = beta != 0.0 && b->rate == NULL; /* both forces are the same linear function */
        for (int i = 0; i < b->nodes * b->dimension && together; ++i) {
            x[i] += beta * y[i];
        }
        int inverted = b->force(p, X, x, out);
        scatter(b, e, -factor, inverted, out, to);
        if (beta != 0.0 && b->rate != NULL) {
            inverted = b->rate(p, X, y, out);
            scatter(b, e, -factor * beta, inverted, out, to);
        }
        if (alpha != 0.0 || inertia) {
            if (inertia) {
                gather(to->set, b, e, p, at, 2, z);
            }
            for (int i = 0; i < b->nodes * b->dimension; ++i) {
                z[i] = alpha * y[i] + (inertia ? z[i] : 0.0);
            }
            times_mass(b, p, X, z, out);
            scatter(b, e, -factor, 0, out, to);
        }
        if (b->load != NULL) {
            b->load(p, at->t, X, out);
            scatter(b, e, factor, 0, out, to);
        }
    }
}

/* factor times all forces */
static void all_forces(const double *p, const carom_element_state *at, int inertia, double factor, const target *to)
{
    for (int k = 0; k < to->set->bodies; ++k) {
        body_forces(&to->set->body[k], p, at, inertia, factor, to);
    }
    for (int k = 0; k < to->set->boundaries; ++k) {
        const carom_element_faces *const boundary = &to->set->boundary[k];
        for (int e = 0; e < boundary->faces; ++e) {
            double out[MOST];
            boundary->force(p, at->t, boundary->X + boundary->entries * e, out);
            for (int i = 0; i < boundary->entries; ++i) {
                put(to, boundary->dof[boundary->entries * e + i], factor * out[i]);
            }
        }
    }
}

void carom_elements_forces(const carom_element_set *set, const double *p, const carom_element_state *at, double *f)
{
    all_forces(p, at, set->moving != 0, 1.0, &(target){.set = set, .free = f});
}

/* B += factor K + lump (mass of the cells) of a body, K at the displacements of a state; NULL: undeformed. */
static void body_matrix(const carom_element_set *set, const body *b, const double *p, const carom_element_state *at,
                        double factor, double lump, double *B, double *K)
{
    const int size = b->nodes * b->dimension;
    const int *to = b->matrix_at;
    for (int e = 0; e < b->cells; ++e) {
        double X[MOST], x[MOST] = {0.0}, m[CAROM_ELEMENT_NODES * CAROM_ELEMENT_NODES];
        places(b, e, X);
        if (at != NULL) {
            gather(set, b, e, p, at, 0, x);
        }
        const int inverted = b->tangent(p, X, x, K);
        if (lump != 0.0) {
            b->mass(p, X, m);
        }
        for (int r = 0; r < size; ++r) {
            for (int c = 0; c <= r; ++c, ++to) {
                const int i = r / b->dimension, j = c / b->dimension;
                double entry = factor * K[r * size + c];
                if (lump != 0.0 && r % b->dimension == c % b->dimension && (!b->lumped || i == j)) {
                    entry += lump * (b->lumped ? m[i] : m[i * b->nodes + j]);
                }
                if (*to >= 0) {
                    B[*to] += inverted ? (double)NAN : entry;
                }
            }
        }
    }
}

void carom_elements_matrix(const carom_element_set *set, const double *p, const carom_element_state *at, double wv,
                           double wq, double *B, double *work)
{
    for (int k = 0; k < set->bodies; ++k) {
        const body *const b = &set->body[k];
        double alpha = 0.0, beta = 0.0;
        if (b->damping != NULL) {
            b->damping(p, &alpha, &beta);
        }
        body_matrix(set, b, p, at, wq + (b->rate == NULL ? wv * beta : 0.0), wv * alpha, B, work);
        if (beta != 0.0 && b->rate != NULL) { /* damping is that of the undeformed cells */
            body_matrix(set, b, p, NULL, wv * beta, 0.0, B, work);
        }
    }
}

void carom_elements_energies(const carom_element_set *set, const double *p, const carom_element_state *at,
                             double *kinetic, double *elastic)
{
    *kinetic = *elastic = 0.0;
    for (int k = 0; k < set->bodies; ++k) {
        const body *const b = &set->body[k];
        for (int e = 0; e < b->cells; ++e) {
            double X[MOST], x[MOST], out[MOST];
            places(b, e, X);
            gather(set, b, e, p, at, 1, x);
            times_mass(b, p, X, x, out);
            for (int i = 0; i < b->nodes * b->dimension; ++i) {
                *kinetic += 0.5 * x[i] * out[i];
            }
            gather(set, b, e, p, at, 0, x);
            *elastic += b->energy(p, X, x);
        }
    }
}

void carom_elements_stress(const body *b, const double *p, const double *u, double *stress, double *weight)
{
    double X[MOST], local[MOST], m[CAROM_ELEMENT_NODES * CAROM_ELEMENT_NODES];
    for (int e = 0; e < b->cells; ++e) {
        places(b, e, X);
        for (int a = 0; a < b->nodes * b->dimension; ++a) {
            local[a] = u[b->dof[entry_of(b, e, a / b->dimension, a % b->dimension)]];
        }
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
                              const double mean[2], int total, double *reaction)
{
    const double h = state[1].t - state[0].t;
    const target to = {.set = set, .held = reaction, .total = total};
    for (int i = 0; i < (total ? set->motions : set->all - set->free); ++i) {
        reaction[i] = 0.0;
    }
    for (int k = 0; k < 2 && h > 0.0; ++k) {
        all_forces(p, &state[k], 0, -mean[k], &to); /* inertia comes by the velocities */
    }
    for (int k = 0; k < set->bodies && h > 0.0; ++k) {
        const body *const b = &set->body[k];
        for (int e = 0; e < b->cells; ++e) {
            double X[MOST], x[MOST], y[MOST], out[MOST];
            places(b, e, X);
            gather(set, b, e, p, &state[0], 1, x);
            gather(set, b, e, p, &state[1], 1, y);
            for (int i = 0; i < b->nodes * b->dimension; ++i) {
                y[i] = (y[i] - x[i]) / h;
            }
            times_mass(b, p, X, y, out);
            scatter(b, e, 1.0, 0, out, &to);
        }
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

int carom_elements_beside(const carom_element_set *set, const double *p, const carom_element_state *at,
                          const carom_element_pairs *pairs, const double *J, double *most)
{
    const int d = pairs->dimension, N = pairs->nodes;
    int row = -1;
    *most = pairs->beside;
    for (int i = 0; i < pairs->count; ++i) {
        const int *const dof = pairs->dof + (N + 1) * d * i;
        double moved[3];
        for (int k = 0; k < d; ++k) {
            moved[k] = carom_elements_value(set, p, at, 0, dof[k]);
            for (int n = 0; n < N; ++n) {
                moved[k] -= pairs->weight[N * i + n] * carom_elements_value(set, p, at, 0, dof[d * (n + 1) + k]);
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
