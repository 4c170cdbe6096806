/* Gauss-Newton on the surface of each face, kept inside it; of faces equally near the first. */
#include "closest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(int d, const double *a, const double *b)
{
    double sum = 0;
    for (int c = 0; c < d; c++) {
        sum += a[c] * b[c];
    }
    return sum;
}

static int before(const void *a, const void *b)
{
    const carom_face *x = a, *y = b;
    for (int c = 2; c >= 0; c--) {
        if (x->centre[c] < y->centre[c] || x->centre[c] > y->centre[c]) {
            return x->centre[c] < y->centre[c] ? -1 : 1;
        }
    }
    return x->node[0].number < y->node[0].number ? -1 : x->node[0].number > y->node[0].number;
}

void carom_faces_finish(carom_faces *faces)
{
    for (size_t f = 0; f < faces->n; f++) {
        carom_face *face = &faces->face[f];
        memset(face->centre, 0, sizeof face->centre);
        face->radius = 0;
        for (int k = 0; k < faces->per * faces->d; k++) {
            face->centre[k % faces->d] += face->node[k / faces->d].X[k % faces->d] / faces->per;
        }
        for (int a = 0; a < faces->per; a++) {
            double r[3];
            for (int c = 0; c < faces->d; c++) {
                r[c] = face->node[a].X[c] - face->centre[c];
            }
            face->radius = fmax(face->radius, sqrt(dot(faces->d, r, r)));
        }
    }
    qsort(faces->face, faces->n, sizeof *faces->face, before);
}

/* Shape functions of a face with `per` nodes and their derivatives: a point, a line and a square on [-1, 1], a unit
 * triangle. */
static void shapes(int per, const double *xi, double *N, double (*D)[2])
{
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    if (per == 1) {
        N[0] = 1;
    } else if (per == 2) {
        for (int a = 0; a < 2; a++) {
            N[a] = (1 + corner[a][0] * xi[0]) / 2;
            D[a][0] = corner[a][0] / 2;
        }
    } else if (per == 3) {
        N[0] = 1 - xi[0] - xi[1];
        N[1] = xi[0];
        N[2] = xi[1];
        for (int a = 0; a < 3; a++) {
            D[a][0] = a == 0 ? -1 : a == 1;
            D[a][1] = a == 0 ? -1 : a == 2;
        }
    } else {
        for (int a = 0; a < 4; a++) {
            const double f = (1 + corner[a][0] * xi[0]) / 2, g = (1 + corner[a][1] * xi[1]) / 2;
            N[a] = f * g;
            D[a][0] = corner[a][0] / 2 * g;
            D[a][1] = corner[a][1] / 2 * f;
        }
    }
}

static double within(double x, double low, double high) { return fmax(low, fmin(high, x)); }

static void keep_inside(int per, double *xi)
{
    if (per == 3) {
        xi[0] = fmax(0, xi[0]);
        xi[1] = fmax(0, xi[1]);
        const double excess = (xi[0] + xi[1] - 1) / 2;
        if (excess > 0) {
            xi[0] = within(xi[0] - excess, 0, 1);
            xi[1] = within(xi[1] - excess, 0, 1);
        }
    } else {
        xi[0] = within(xi[0], -1, 1);
        xi[1] = within(xi[1], -1, 1);
    }
}

/* Point y and directions along the face at xi. */
static void on_face(const carom_faces *faces, const carom_face *face, const double *xi, double *N, double *y,
                    double (*along)[3])
{
    double D[4][2] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    shapes(faces->per, xi, N, D);
    for (int c = 0; c < 3; c++) {
        y[c] = along[0][c] = along[1][c] = 0;
        for (int a = 0; a < faces->per && c < faces->d; a++) {
            const double X = face->node[a].X[c];
            y[c] += N[a] * X;
            along[0][c] += D[a][0] * X;
            along[1][c] += D[a][1] * X;
        }
    }
}

static void project(const carom_faces *faces, const carom_face *face, const double *x, double *xi)
{
    const int d = faces->d, per = faces->per;
    xi[0] = xi[1] = per == 3 ? 1.0 / 3 : 0;
    for (int it = 0; it < 30 && per > 1; it++) {
        double N[4], y[3], along[2][3], r[3] = {0, 0, 0}, moved[2] = {xi[0], xi[1]}, size;
        on_face(faces, face, xi, N, y, along);
        for (int c = 0; c < d; c++) {
            r[c] = x[c] - y[c];
        }
        const double a = dot(d, along[0], along[0]), f = dot(d, along[0], r);
        if (per == 2) {
            moved[0] += f / a;
        } else {
            const double b = dot(d, along[0], along[1]), c = dot(d, along[1], along[1]), g = dot(d, along[1], r);
            const double det = a * c - b * b;
            moved[0] += (c * f - b * g) / det;
            moved[1] += (a * g - b * f) / det;
        }
        keep_inside(per, moved);
        size = fmax(fabs(moved[0] - xi[0]), per > 2 ? fabs(moved[1] - xi[1]) : 0);
        xi[0] = moved[0];
        xi[1] = moved[1];
        if (size < 1e-13) {
            break;
        }
    }
}

/* Outward normal: across the directions along the face, away from its cell. */
static void set_normal(const carom_faces *faces, const carom_face *face, double (*along)[3], double *normal)
{
    const int d = faces->d;
    double out[3] = {0, 0, 0};
    for (int c = 0; c < d; c++) {
        out[c] = face->centre[c] - face->cell[c];
    }
    normal[0] = 1;
    normal[1] = normal[2] = 0;
    if (d == 2) {
        normal[0] = along[0][1];
        normal[1] = -along[0][0];
    } else if (d == 3) {
        for (int c = 0; c < 3; c++) {
            const int a = (c + 1) % 3, b = (c + 2) % 3;
            normal[c] = along[0][a] * along[1][b] - along[0][b] * along[1][a];
        }
    }
    const double length = sqrt(dot(d, normal, normal)) * (dot(d, normal, out) < 0 ? -1 : 1);
    for (int c = 0; c < d; c++) {
        normal[c] /= length;
    }
}

/* The edges of a face by the directions that point out of it; x: the node. */
static void set_edges(const carom_faces *faces, const carom_face *face, const double *x, carom_nearest *nearest)
{
    const int d = faces->d, per = faces->per;
    for (int e = 0; e < 4; e++) {
        double *edge = nearest->edge[e], width = 0;
        const double *A = face->node[e % per].X, *B = face->node[(e + 1) % per].X;
        edge[0] = edge[1] = edge[2] = 0;
        edge[3] = -1;
        if (per == 1 || e >= per) {
            continue;
        }
        for (int c = 0; c < d; c++) {
            const int p = (c + 1) % 3, q = (c + 2) % 3;
            edge[c] = d == 2 ? A[c] - B[c] : (B[p] - A[p]) * nearest->normal[q] - (B[q] - A[q]) * nearest->normal[p];
        }
        for (int a = 0; a < per; a++) {
            double inside = 0;
            for (int c = 0; c < d; c++) {
                inside += edge[c] * (A[c] - face->node[a].X[c]);
            }
            /* negative where the nodes go round the other way */
            width = fabs(inside) > fabs(width) ? inside : width;
        }
        edge[3] = 0;
        for (int c = 0; c < d; c++) {
            edge[c] /= width;
            edge[3] += edge[c] * (x[c] - A[c]);
        }
    }
}

void carom_faces_nearest(const carom_faces *faces, const double *x, carom_nearest *nearest)
{
    const int d = faces->d;
    double least = HUGE_VAL;
    for (size_t f = 0; f < faces->n; f++) {
        const carom_face *face = &faces->face[f];
        double xi[2], N[CAROM_FACE_NODES], y[3], along[2][3], r[3] = {0, 0, 0};
        for (int c = 0; c < d; c++) {
            r[c] = x[c] - face->centre[c];
        }
        const double room = sqrt(dot(d, r, r)) - face->radius; /* no point of the face is nearer */
        if (room > 0 && room * room > 1.001 * least) {
            continue;
        }
        project(faces, face, x, xi);
        on_face(faces, face, xi, N, y, along);
        for (int c = 0; c < d; c++) {
            r[c] = x[c] - y[c];
        }
        const double square = dot(d, r, r);
        if (f > 0 && !(square < least - 1e-18)) {
            continue;
        }
        least = square;
        for (int c = 0; c < d; c++) {
            nearest->free[c] = 0;
        }
        for (int a = 0; a < faces->per; a++) {
            nearest->node[a] = (int64_t)face->node[a].number;
            nearest->weight[a] = N[a];
            for (int c = 0; c < d; c++) {
                nearest->free[c] += N[a] * face->node[a].free[c];
            }
        }
        memcpy(nearest->point, y, sizeof y);
        memcpy(nearest->along, along, sizeof along);
        set_normal(faces, face, along, nearest->normal);
        set_edges(faces, face, x, nearest);
    }
}
