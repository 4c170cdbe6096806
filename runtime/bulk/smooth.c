/* What sweeps do not solve: Newton's method on a smoothed Coulomb law, with the velocities of the bodies as unknowns.
 *
 * With z = r - s u (s a mass per contact) the law is r = P(z): r_N = max(z_N, 0), and r_T the point of the disc |t| <=
 * mu r_N next to z_T. For eps > 0 both are rounded off,
 *
 *     r_N = (z_N + sqrt(z_N^2 + 4 eps^2)) / 2,        z_T = r_T (1 + eps^2 / (rho^2 - |r_T|^2)),    rho = mu r_N,
 *
 * so that P has a derivative D with eigenvalues strictly between 0 and 1, and the linearised law is solved for the
 * impulse: dr = g - B du with g = -(I - D)^-1 (r - P(z)) and B = (I - D)^-1 D s. Together with M dv = G^T dr, u = G v,
 * what is left is
 *
 *     (M + G^T B G) dv = G^T g,
 *
 * a matrix of 6 x 6 blocks, one row per body, one block per pair that touches: regular whether or not the impulses are
 * determined, and smaller and sparser than W. v and r are unknowns of their own, what rounding leaves of M (v - v_f) =
 * G^T r goes into the next right side. eps goes down level by level; no contact has to be called open, sticking or
 * sliding on the way, so the number of steps depends little on how long the chains of contacts are that make sweeps
 * slow. A proximal term of weight 1e-7, its centre the impulses of the last level, bounds B. The way down is not always
 * passable (Coulomb's law is not monotone): after a step that fails eps goes up again, and after some failures the
 * method gives up. */
#include "bulk.h"

#include "../friction/sparse.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WIDEST 10.0 /* first eps, in units of the mean velocity of the contacts: a start from anywhere */
#define SLOWEST 0.7 /* eps from one level to the next, at most */
#define UP 5.0      /* eps after a step that failed */
#define NARROWEST 1e-14
#define SHORT 0.1 /* a shorter step is a failure */
#define TRIALS 7
#define SUFFICIENT 1e-4
#define PROXIMAL 1e-7 /* weight of the distance to the last level's impulses: bounds B where nothing determines them */

enum { ALIGN = 16, STEPS = 60, FAILURES = 3, ROOT_STEPS = 40 };

typedef struct {
    double u[3], defect[3]; /* velocity with bias, r - P(z) */
    double g[3], B[9];
    double du[3], dr[3];
} linear;

typedef struct {
    const carom_bulk *b;
    int n;
    linear *contact;    /* [n] */
    double *r, *centre; /* [3 n] */
    int *row, *column;
    double *block, *x; /* [36 row[bodies]], [6 bodies] */
    double *v, *lag;   /* [6 bodies] velocities, M (v - v_f) - G^T r */
    double *J;         /* [9 bodies] inertia in space */
    double eps;        /* velocity */
    carom_arena arena;
    carom_lu lu;
} smooth;

/* lambda / rho = k of the smoothed disc for |z_T| = z: the root of z^2 / (1 + k)^2 + eps^2 / k = rho^2. The left side
 * is convex and falls, so Newton's method from below goes up to it. */
static double shrink(double z, double rho, double eps)
{
    double k = fmax(eps * eps / (rho * rho), z / rho - 1.0);
    for (int step = 0; step < ROOT_STEPS; ++step) {
        const double t = z / (1.0 + k), e = eps * eps / k;
        const double more = (t * t + e - rho * rho) / (2.0 * t * t / (1.0 + k) + e / k);
        if (!(more > 1e-14 * k)) {
            break;
        }
        k += more;
    }
    return k;
}

/* The defect of one contact at impulse r and velocity u and, where asked for, its linearisation. Returns |defect /
 * s|^2. */
static double law(const smooth *s, const carom_bulk_contact *c, const double r[3], const double u[3],
                  const double centre[3], linear *out, int derive)
{
    const double *const n = c->normal, mu = c->mu, eps = s->eps * c->s;
    double z[3], e[3], f[3], P[3], sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        z[k] = r[k] - c->s * u[k] - PROXIMAL * (r[k] - centre[k]);
    }
    const double zn = carom_dot(n, z);
    for (int k = 0; k < 3; ++k) {
        e[k] = z[k] - zn * n[k];
    }
    const double size = sqrt(carom_dot(e, e)), root = sqrt(zn * zn + 4.0 * eps * eps);
    const double rn = zn > 0.0 ? 0.5 * (zn + root) : 2.0 * eps * eps / (root - zn);
    /* 1 - d r_N / d z_N */
    const double closed = zn > 0.0 ? 2.0 * eps * eps / (root * (root + zn)) : 0.5 * (1.0 - zn / root);
    const double rho = mu * rn;
    const double ratio = rho > 0.0 ? shrink(size, rho, eps) : HUGE_VAL;
    const double t = size / (1.0 + ratio);
    if (size > 0.0) {
        for (int k = 0; k < 3; ++k) {
            e[k] /= size;
        }
    } else {
        carom_tangents(n, e, f);
    }
    for (int k = 0; k < 3; ++k) {
        P[k] = rn * n[k] + t * e[k];
        out->defect[k] = r[k] - P[k];
        sum += out->defect[k] * out->defect[k];
    }
    if (derive) {
        const double room = eps * eps / ratio;                                              /* rho^2 - t^2 */
        const double h1 = ratio < HUGE_VAL ? ratio * (1.0 + 2.0 * t * t / room) : HUGE_VAL; /* h' - 1 */
        const double dn = 1.0 - closed, open = closed + PROXIMAL * dn;
        const double slid = rho > 0.0 && h1 < HUGE_VAL ? 1.0 / (1.0 + h1) : 0.0;
        const double slide = slid > 0.0 ? h1 / (1.0 + h1) + PROXIMAL * slid : 1.0;
        const double turn = rho > 0.0 && ratio < HUGE_VAL ? 1.0 / (1.0 + ratio) : 0.0;
        const double across = turn > 0.0 ? ratio / (1.0 + ratio) + PROXIMAL * turn : 1.0;
        const double a = slid > 0.0 ? mu * dn * 2.0 * t * rho * ratio / room * slid : 0.0;
        carom_cross(n, e, f);
        const double nn = 1.0 / open, ab = a / (open * slide), en = (1.0 - PROXIMAL) * ab, ee = 1.0 / slide,
                     ff = 1.0 / across;
        const double dN = carom_dot(n, out->defect), dE = carom_dot(e, out->defect), dF = carom_dot(f, out->defect);
        const double bn = dn / open, be = slid / slide, bf = turn / across;
        for (int k = 0; k < 3; ++k) {
            out->g[k] = -(nn * dN * n[k] + (en * dN + ee * dE) * e[k] + ff * dF * f[k]);
            for (int l = 0; l < 3; ++l) {
                out->B[3 * k + l] = c->s * ((bn * n[k] + ab * e[k]) * n[l] + be * e[k] * e[l] + bf * f[k] * f[l]);
            }
        }
    }
    return sum / (c->s * c->s);
}

/* u = G v of one contact. */
static void relative(const carom_bulk *b, const carom_bulk_contact *c, const double *v, double u[3])
{
    double turned[3];
    memset(u, 0, 3 * sizeof *u);
    if (c->i < b->bodies) {
        carom_cross(v + 6 * c->i + 3, c->ra, turned);
        for (int p = 0; p < 3; ++p) {
            u[p] += v[6 * c->i + p] + turned[p];
        }
    }
    if (c->j < b->bodies) {
        carom_cross(v + 6 * c->j + 3, c->rb, turned);
        for (int p = 0; p < 3; ++p) {
            u[p] -= v[6 * c->j + p] + turned[p];
        }
    }
}

static int place_of(const smooth *s, int i, int j)
{
    int k = s->row[i];
    while (s->column[k] != j) {
        ++k;
    }
    return k;
}

/* u = v + w x a as a matrix on (v, w). */
static void arm_matrix(const double a[3], double sign, double G[18])
{
    memset(G, 0, 18 * sizeof *G);
    G[0] = G[7] = G[14] = sign;
    G[4] = sign * a[2];
    G[5] = -sign * a[1];
    G[9] = -sign * a[2];
    G[11] = sign * a[0];
    G[15] = sign * a[1];
    G[16] = -sign * a[0];
}

static void add_pair(double *block, const double G[18], const double BH[18])
{
    for (int p = 0; p < 6; ++p) {
        for (int q = 0; q < 6; ++q) {
            block[6 * p + q] += G[p] * BH[q] + G[6 + p] * BH[6 + q] + G[12 + p] * BH[12 + q];
        }
    }
}

/* The matrix and the right side; the law is linearised at r and u. */
static void build(smooth *s)
{
    const carom_bulk *const b = s->b;
    memset(s->block, 0, 36 * (size_t)s->row[b->bodies] * sizeof *s->block);
    for (int i = 0; i < 6 * b->bodies; ++i) {
        s->x[i] = -s->lag[i];
    }
    for (int i = 0; i < b->bodies; ++i) {
        double *const block = s->block + 36 * place_of(s, i, i);
        for (int k = 0; k < 3; ++k) {
            block[7 * k] = 1.0 / b->at[i].m;
            for (int l = 0; l < 3; ++l) {
                block[6 * (3 + k) + 3 + l] = s->J[9 * i + 3 * k + l];
            }
        }
    }
    for (int k = 0; k < s->n; ++k) {
        const carom_bulk_contact *const c = &b->contact[k];
        linear *const l = &s->contact[k];
        const int body[2] = {c->i, c->j};
        double G[2][18], BG[2][18];
        (void)law(s, c, s->r + 3 * k, l->u, s->centre + 3 * k, l, 1);
        arm_matrix(c->ra, 1.0, G[0]);
        arm_matrix(c->rb, -1.0, G[1]);
        for (int side = 0; side < 2; ++side) {
            for (int p = 0; p < 3; ++p) {
                for (int q = 0; q < 6; ++q) {
                    BG[side][6 * p + q] =
                        l->B[3 * p] * G[side][q] + l->B[3 * p + 1] * G[side][6 + q] + l->B[3 * p + 2] * G[side][12 + q];
                }
            }
        }
        for (int side = 0; side < 2; ++side) {
            if (body[side] < b->bodies) {
                double *const x = s->x + 6 * body[side];
                for (int q = 0; q < 6; ++q) {
                    x[q] += G[side][q] * l->g[0] + G[side][6 + q] * l->g[1] + G[side][12 + q] * l->g[2];
                }
                for (int other = 0; other < 2; ++other) {
                    if (body[other] < b->bodies) {
                        add_pair(s->block + 36 * place_of(s, body[side], body[other]), G[side], BG[other]);
                    }
                }
            }
        }
    }
}

/* du = G dv and dr = g - B du of all contacts. */
static void directions(smooth *s)
{
    const carom_bulk *const b = s->b;
    for (int k = 0; k < s->n; ++k) {
        const carom_bulk_contact *const c = &b->contact[k];
        linear *const l = &s->contact[k];
        relative(b, c, s->x, l->du);
        for (int p = 0; p < 3; ++p) {
            l->dr[p] = l->g[p] - (l->B[3 * p] * l->du[0] + l->B[3 * p + 1] * l->du[1] + l->B[3 * p + 2] * l->du[2]);
        }
    }
}

/* Size of the defect, as a velocity, at r + length dr. */
static double defect(smooth *s, double length)
{
    double sum = 0.0;
    for (int k = 0; k < s->n; ++k) {
        linear *const l = &s->contact[k];
        double r[3], u[3];
        for (int p = 0; p < 3; ++p) {
            r[p] = s->r[3 * k + p] + length * l->dr[p];
            u[p] = l->u[p] + length * l->du[p];
        }
        sum += law(s, &s->b->contact[k], r, u, s->centre + 3 * k, l, 0);
    }
    return sqrt(sum);
}

static void step(smooth *s, double length)
{
    for (int i = 0; i < 6 * s->b->bodies; ++i) {
        s->v[i] += length * s->x[i];
    }
    for (int k = 0; k < s->n; ++k) {
        linear *const l = &s->contact[k];
        for (int p = 0; p < 3; ++p) {
            s->r[3 * k + p] += length * l->dr[p];
            l->u[p] += length * l->du[p];
            l->dr[p] = l->du[p] = 0.0;
        }
    }
}

/* Which bodies touch which: rows ascending, with the diagonal. Returns 0 without memory. */
static int pattern(smooth *s)
{
    const carom_bulk *const b = s->b;
    const int nb = b->bodies;
    int *const first = carom_arena_take(&s->arena, (size_t)nb + 2, sizeof(int));
    s->row = carom_arena_take(&s->arena, (size_t)nb + 1, sizeof(int));
    s->column = carom_arena_take(&s->arena, 2 * (size_t)s->n + (size_t)nb, sizeof(int));
    if (first == NULL || s->row == NULL || s->column == NULL) {
        return 0;
    }
    int *const list = s->column; /* neighbours with repetitions, made unique in place */
    for (int i = 0; i <= nb + 1; ++i) {
        first[i] = 0;
    }
    for (int i = 0; i < nb; ++i) {
        first[i + 2] = 1;
    }
    for (int k = 0; k < s->n; ++k) {
        const int i = b->contact[k].i, j = b->contact[k].j;
        if (i < nb && j < nb) {
            first[i + 2]++;
            first[j + 2]++;
        }
    }
    for (int i = 0; i < nb; ++i) {
        first[i + 2] += first[i + 1];
    }
    for (int i = 0; i < nb; ++i) {
        list[first[i + 1]++] = i;
    }
    for (int k = 0; k < s->n; ++k) {
        const int i = b->contact[k].i, j = b->contact[k].j;
        if (i < nb && j < nb) {
            list[first[i + 1]++] = j;
            list[first[j + 1]++] = i;
        }
    }
    int end = 0;
    for (int i = 0; i < nb; ++i) {
        s->row[i] = end;
        for (int a = first[i]; a < first[i + 1]; ++a) {
            const int j = list[a];
            int at = end;
            while (at > s->row[i] && s->column[at - 1] > j) {
                --at;
            }
            if (at > s->row[i] && s->column[at - 1] == j) {
                continue;
            }
            for (int k = end; k > at; --k) {
                s->column[k] = s->column[k - 1];
            }
            s->column[at] = j;
            ++end;
        }
    }
    s->row[nb] = end;
    return 1;
}

static int begin(smooth *s, const carom_bulk *b)
{
    const size_t n = (size_t)*b->contacts, nb = (size_t)b->bodies;
    const size_t skew = (ALIGN - (uintptr_t)b->spare % ALIGN) % ALIGN;
    if (b->spare == NULL || b->spare_size < skew) {
        return 0;
    }
    *s = (smooth){.b = b, .n = *b->contacts, .arena = {.base = (char *)b->spare + skew, .size = b->spare_size - skew}};
    s->contact = carom_arena_take(&s->arena, n, sizeof *s->contact);
    s->r = carom_arena_take(&s->arena, 3 * n, sizeof(double));
    s->centre = carom_arena_take(&s->arena, 3 * n, sizeof(double));
    s->J = carom_arena_take(&s->arena, 9 * nb, sizeof(double));
    s->x = carom_arena_take(&s->arena, 6 * nb, sizeof(double));
    s->v = carom_arena_take(&s->arena, 6 * nb, sizeof(double));
    s->lag = carom_arena_take(&s->arena, 6 * nb, sizeof(double));
    if (s->contact == NULL || s->r == NULL || s->centre == NULL || s->J == NULL || s->x == NULL || s->v == NULL ||
        s->lag == NULL || !pattern(s)) {
        return 0;
    }
    s->block = carom_arena_take(&s->arena, 36 * (size_t)s->row[nb], sizeof(double));
    const carom_blocks A = {6, b->bodies, s->row, s->column, s->block};
    if (s->block == NULL || !carom_lu_analyse(&s->lu, &A, &s->arena)) {
        return 0;
    }
    for (int i = 0; i < b->bodies; ++i) {
        const double *const I = b->at[i].I;
        const double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
        (void)carom_bulk_invert(full, s->J + 9 * i);
    }
    return 1;
}

/* Velocities of the contacts from those of the bodies, and lag = M (v - v_f) - G^T r; returns its size as a
 * velocity. */
static double balance(smooth *s)
{
    const carom_bulk *const b = s->b;
    double sum = 0.0;
    for (int i = 0; i < b->bodies; ++i) {
        double d[6];
        for (int p = 0; p < 6; ++p) {
            d[p] = s->v[6 * i + p] - b->free[6 * i + p];
        }
        for (int p = 0; p < 3; ++p) {
            s->lag[6 * i + p] = d[p] / b->at[i].m;
        }
        carom_turned(s->J + 9 * i, d + 3, s->lag + 6 * i + 3);
    }
    for (int k = 0; k < s->n; ++k) {
        const carom_bulk_contact *const c = &b->contact[k];
        linear *const l = &s->contact[k];
        const double *const r = s->r + 3 * k;
        double turned[3];
        relative(b, c, s->v, l->u);
        for (int p = 0; p < 3; ++p) {
            l->u[p] += c->bias * c->normal[p];
            l->dr[p] = l->du[p] = 0.0;
        }
        if (c->i < b->bodies) {
            carom_cross(c->ra, r, turned);
            for (int p = 0; p < 3; ++p) {
                s->lag[6 * c->i + p] -= r[p];
                s->lag[6 * c->i + 3 + p] -= turned[p];
            }
        }
        if (c->j < b->bodies) {
            carom_cross(c->rb, r, turned);
            for (int p = 0; p < 3; ++p) {
                s->lag[6 * c->j + p] += r[p];
                s->lag[6 * c->j + 3 + p] += turned[p];
            }
        }
    }
    for (int i = 0; i < b->bodies; ++i) {
        double turned[3];
        const double *const f = s->lag + 6 * i;
        carom_inverse_inertia(&b->at[i], f + 3, turned);
        sum += b->at[i].m * (b->at[i].m * carom_dot(f, f) + carom_dot(f + 3, turned));
    }
    return sqrt(sum);
}

/* The step of Newton's method at the present level, as long as it makes the defect smaller; returns its length, 0: none
 * did. */
static double newton(smooth *s, double size, double lag)
{
    const carom_blocks A = {6, s->b->bodies, s->row, s->column, s->block};
    double length = 1.0, best = size, best_length = 0.0;
    build(s);
    (void)carom_lu_factor(&s->lu, &A);
    carom_lu_solve(&s->lu, s->x);
    directions(s);
    for (int trial = 0; trial < TRIALS; ++trial) {
        const double now = hypot(defect(s, length), (1.0 - length) * lag);
        if (now < best) {
            best = now;
            best_length = length;
        }
        if (now <= (1.0 - SUFFICIENT * length) * size) {
            break;
        }
        length *= 0.5;
    }
    if (best_length > 0.0) {
        step(s, best_length);
    }
    return best_length;
}

static void give_back(const smooth *s)
{
    for (int k = 0; k < s->n; ++k) {
        carom_bulk_contact *const c = &s->b->contact[k];
        memcpy(c->r, s->r + 3 * k, sizeof c->r);
        carom_bulk_project(c->normal, c->mu, c->r);
    }
    carom_bulk_add_up(s->b);
}

/* How to go down: eps from one level to the next (more slowly after a step that failed), and the defect, in units of
 * eps, at which the next level begins. What is not passable for one is for another. */
static const struct {
    double down, solved;
} way[] = {{0.5, 0.1}, {0.3, 0.05}, {0.2, 0.5}};

/* From the present impulses and velocities of the bodies down one way; returns the residual of the last level's
 * impulses. */
static double descend(smooth *s, double down, double solved, double tolerance, double q_norm, int *steps)
{
    const carom_bulk *const b = s->b;
    int worst, failures = 0, left = STEPS;
    double scale, residual = carom_bulk_residual(b, q_norm, &worst, &scale);
    const double root = sqrt((double)s->n), mean = scale / root;
    for (int i = 0; i < b->bodies; ++i) {
        memcpy(s->v + 6 * i, b->at[i].v, 3 * sizeof(double));
        memcpy(s->v + 6 * i + 3, b->at[i].w, 3 * sizeof(double));
    }
    for (int k = 0; k < s->n; ++k) {
        memcpy(s->r + 3 * k, b->contact[k].r, 3 * sizeof(double));
    }
    memcpy(s->centre, s->r, 3 * (size_t)s->n * sizeof(double));
    s->eps = WIDEST * mean;
    while (left > 0 && failures < FAILURES && s->eps > NARROWEST * mean) {
        const double lag = balance(s), size = hypot(defect(s, 0.0), lag);
        if (!(size < HUGE_VAL)) {
            break;
        }
        if (size <= solved * s->eps * root) {
            give_back(s);
            residual = carom_bulk_residual(b, q_norm, &worst, &scale);
            if (residual <= tolerance) {
                break;
            }
            s->eps *= down;
            memcpy(s->centre, s->r, 3 * (size_t)s->n * sizeof(double));
            continue;
        }
        --left;
        ++*steps;
        if (newton(s, size, lag) < SHORT) {
            s->eps *= UP;
            down = fmin(SLOWEST, sqrt(down));
            ++failures;
        }
    }
    return residual;
}

double carom_bulk_smooth(const carom_bulk *b, double tolerance, double q_norm, int *steps)
{
    smooth s;
    int worst;
    double scale, residual = carom_bulk_residual(b, q_norm, &worst, &scale);
    *steps = 0;
    if (b->bodies <= CAROM_BULK_FACTORED && begin(&s, b)) {
        for (size_t k = 0; k < sizeof way / sizeof way[0] && residual > tolerance; ++k) {
            residual = descend(&s, way[k].down, way[k].solved, tolerance, q_norm, steps);
        }
    }
    return residual;
}
