/* Polar decomposition of the deformation of cells. */
#include "deform.h"

#include "text.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double determinant(const double *F)
{
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

/* Largest |sqrt(eigenvalue) - 1| of C = F^T F, by rotations of Jacobi. */
static double largest_stretch(const double *F)
{
    double C[3][3], most = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C[i][j] = F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j];
        }
    }
    for (int k = 0; k < 24; k++) {
        const int p = k % 3 == 2 ? 1 : 0, q = k % 3 == 0 ? 1 : 2;
        const double angle = 0.5 * atan2(2.0 * C[p][q], C[p][p] - C[q][q]), c = cos(angle), s = sin(angle);
        for (int i = 0; i < 3; i++) {
            const double x = C[i][p], y = C[i][q];
            C[i][p] = c * x + s * y;
            C[i][q] = c * y - s * x;
        }
        for (int i = 0; i < 3; i++) {
            const double x = C[p][i], y = C[q][i];
            C[p][i] = c * x + s * y;
            C[q][i] = c * y - s * x;
        }
    }
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(sqrt(fmax(C[i][i], 0.0)) - 1.0));
    }
    return most;
}

/* Angle of R, F = R U, by R <- (R + R^-T) / 2. What is inside out has no rotation: half a turn is said. */
static double angle_of(const double *F)
{
    double R[9];
    for (int i = 0; i < 9; i++) {
        R[i] = F[i];
    }
    for (int k = 0; k < 40; k++) {
        const double det = determinant(R);
        double next[9], change = 0.0;
        if (!(det > 1e-12)) {
            return pi;
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) { /* the cofactor of an entry by the determinant is that of R^-T */
                const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
                const double cofactor = R[3 * a + c] * R[3 * b + d] - R[3 * a + d] * R[3 * b + c];
                next[3 * i + j] = 0.5 * (R[3 * i + j] + cofactor / det);
                change = fmax(change, fabs(next[3 * i + j] - R[3 * i + j]));
            }
        }
        for (int i = 0; i < 9; i++) {
            R[i] = next[i];
        }
        if (change < 1e-14) {
            break;
        }
    }
    return atan2(0.5 * hypot(hypot(R[7] - R[5], R[2] - R[6]), R[3] - R[1]), 0.5 * (R[0] + R[4] + R[8] - 1.0));
}

void carom_deform_gradient(int d, const double *H, double *strain, double *rotation)
{
    if (d == 1) {
        *strain = fabs(H[0]);
        *rotation = H[0] > -1.0 ? 0.0 : pi;
    } else if (
        d == 2) { /* F = a turning part and a mirroring one; the stretches are the sum and difference of their sizes */
        const double turn = hypot(1.0 + 0.5 * (H[0] + H[3]), 0.5 * (H[2] - H[1]));
        const double mirror = hypot(0.5 * (H[0] - H[3]), 0.5 * (H[1] + H[2]));
        *strain = fmax(fabs(turn + mirror - 1.0), fabs(turn - mirror - 1.0));
        *rotation = turn > mirror ? fabs(atan2(0.5 * (H[2] - H[1]), 1.0 + 0.5 * (H[0] + H[3]))) : pi;
    } else {
        const double F[9] = {1.0 + H[0], H[1], H[2], H[3], 1.0 + H[4], H[5], H[6], H[7], 1.0 + H[8]};
        *strain = largest_stretch(F);
        *rotation = angle_of(F);
    }
}

/* dN_a/dxi_k at the middle of a cell, up to a factor that is the same for all. */
static double slope(int d, int nodes, int a, int k)
{
    if (nodes == d + 1 && d > 1) {
        return a == 0 ? -1.0 : a == k + 1 ? 1.0 : 0.0;
    }
    const int high = k == 0 ? (a + 1) / 2 % 2 : k == 1 ? a / 2 % 2 : a / 4; /* 0 1 3 2 around the face of the lattice */
    return high ? 1.0 : -1.0;
}

void carom_deform_more(carom_deformed *most, double strain, double rotation, double t)
{
    if (strain > most->strain) {
        most->strain = strain;
        most->strain_t = t;
    }
    if (rotation > most->rotation) {
        most->rotation = rotation;
        most->rotation_t = t;
    }
}

void carom_deform_cell(carom_deformed *most, int d, int nodes, const double *X, const double *u, double t)
{
    double J[9] = {0.0}, D[9] = {0.0}, inverse[9] = {0.0}, H[9] = {0.0}, strain, rotation, det;
    for (int a = 0; a < nodes; a++) {
        for (int k = 0; k < d; k++) {
            const double dN = slope(d, nodes, a, k);
            for (int i = 0; i < d; i++) {
                J[d * i + k] += X[d * a + i] * dN;
                D[d * i + k] += u[d * a + i] * dN;
            }
        }
    }
    if (d == 1) {
        det = J[0];
        inverse[0] = 1.0;
    } else if (d == 2) {
        det = J[0] * J[3] - J[1] * J[2];
        inverse[0] = J[3];
        inverse[1] = -J[1];
        inverse[2] = -J[2];
        inverse[3] = J[0];
    } else {
        det = determinant(J);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
                inverse[3 * i + j] = J[3 * a + c] * J[3 * b + e] - J[3 * a + e] * J[3 * b + c];
            }
        }
    }
    for (int i = 0; i < d; i++) {
        for (int k = 0; k < d; k++) {
            for (int l = 0; l < d; l++) {
                H[d * i + k] += D[d * i + l] * inverse[d * l + k] / det;
            }
        }
    }
    carom_deform_gradient(d, H, &strain, &rotation);
    carom_deform_more(most, strain, rotation, t);
}

double carom_degrees(double angle) { return angle * 180.0 / pi; }

void carom_deform_json(FILE *file, int comma, const char *body, const carom_deformed *most)
{
    fputs(comma ? "," : "", file);
    carom_json_string(file, body, strlen(body));
    fputs(":{\"strain\":", file);
    carom_json_number(file, most->strain);
    fputs(",\"rotation\":", file);
    carom_json_number(file, most->rotation);
    fputc('}', file);
}

int carom_deform_warning(const carom_deformed *most, const char *body, char *text, size_t room)
{
    if (!(most->strain > CAROM_LINEAR_LIMIT || most->rotation > CAROM_LINEAR_LIMIT)) {
        return 0;
    }
    (void)snprintf(text, room,
                   "body %s has a linear material and turns by %.3g degrees (t = %.6g), its cells stretch by %.3g (t = "
                   "%.6g); linear bodies grow when they turn and are good up to 5.7 degrees and a strain of 0.1: write "
                   "m:hyperelastic for it",
                   body, carom_degrees(most->rotation), most->rotation_t, most->strain, most->strain_t);
    return 1;
}

/* The largest coordinate of a node. */
static double largest_place(const carom_model *model)
{
    double most = 0.0;
    for (int b = 0; b < model->meshes; b++) {
        const carom_mesh *mesh = &model->mesh[b];
        for (int i = 0; i < mesh->cells * mesh->cell_nodes; i++) {
            for (int k = 0; k < mesh->dimension; k++) {
                most = fmax(most, fabs(mesh->X[mesh->cell[i] * mesh->dimension + k]));
            }
        }
    }
    return most;
}

int carom_inside_warning(const carom_model *model, const carom_view *view, char *text, size_t room)
{
    const double rounding = model->contact_place != NULL ? 1e-12 * largest_place(model) : 0.0;
    int count = 0, worst = 0;
    for (int c = 0; c < model->contacts && model->contact_place != NULL; c++) {
        count += view->gap[c] < -rounding;
        worst = view->gap[c] < view->gap[worst] ? c : worst;
    }
    if (count == 0) {
        return 0;
    }
    (void)snprintf(text, room, "%d node%s inside what they may meet at the start, deepest in %s by %.3g", count,
                   count == 1 ? " is" : "s are", model->contact[worst].name, -view->gap[worst]);
    return 1;
}
