/* What sweeps do not solve: Newton's method on a smoothed Coulomb law, with the velocities of the parts as unknowns.
 *
 * With x = r - s u (s a mass per contact) the law is r = P(x): r_N = max(x_N, 0), and r_T the point of the disc |t| <=
 * mu r_N next to x_T. For eps > 0 both are rounded off,
 *
 *     r_N = (x_N + sqrt(x_N^2 + 4 eps^2)) / 2,        x_T = r_T (1 + eps^2 / (rho^2 - |r_T|^2)),    rho = mu r_N,
 *
 * so that P has a derivative D with eigenvalues strictly between 0 and 1, and the linearised law is solved for the
 * impulse: dr = g - B du with g = -(I - D)^-1 (r - P(x)) and B = (I - D)^-1 D s. Together with A dy = G^T dr, u = G y,
 * what is left is
 *
 *     (A + G^T B G) dy = G^T g,
 *
 * a matrix of 6 x 6 blocks, one row per part, one block per pair that touches: regular whether or not the impulses are
 * determined, and smaller and sparser than W. y and r are unknowns of their own, what rounding leaves of A y = G^T r
 * goes into the next right side. eps goes down level by level; no contact has to be called open, sticking or sliding on
 * the way, so the number of steps depends little on how long the chains of contacts are that make sweeps slow. A
 * proximal term of weight 1e-7, its centre the impulses of the last level, bounds B. The way down is not always
 * passable (Coulomb's law is not monotone): after a step that fails eps goes up again, and after some failures the
 * method gives up. */
#include "pile.h"

#include "../friction/sparse.h"

#include <math.h>
#include <string.h>

/* first eps, in units of the mean velocity of the contacts: a start from anywhere, or from near the answer */
#define WIDEST 10.0
#define NEAR 1e-2
#define SLOWEST 0.7 /* eps from one level to the next, at most */
#define UP 5.0      /* eps after a step that failed */
#define NARROWEST 1e-14
#define SHORT 0.1 /* a shorter step is a failure */
#define TRIALS 7
#define SUFFICIENT 1e-4
#define PROXIMAL 1e-7 /* weight of the distance to the last level's impulses: bounds B where nothing determines them */

enum { STEPS = 60, FAILURES = 3, ROOT_STEPS = 40, M = CAROM_BODY };

typedef struct {
    double u[3], defect[3]; /* velocity, r - P(x) */
    double g[3], B[9];
    double du[3], dr[3];
} linear;

typedef struct {
    carom_pile *pile;
    int n, bodies;      /* contacts, parts that they touch */
    int *body;          /* [parts] its number among those, -1: none */
    linear *contact;    /* [n] */
    double *r, *centre; /* [3 n] */
    int *row, *column;
    double *block, *x; /* [36 row[bodies]], [6 bodies] */
    double *y, *lag;   /* [6 bodies] velocities, A y - G^T r */
    double *A;         /* [36 bodies] */
    double eps;        /* velocity */
    carom_arena *arena;
    carom_lu lu;
} smooth;

/* ---- contacts on bodies of six velocities ------------------------------------------------------------------------ */

/* The sides of a contact: their bodies, and the rows there with M columns. Returns how many there are. */
static int sides_of(const smooth *s, int i, int *body, double (*G)[3 * M])
{
    const carom_pile_contact *const c = &s->pile->contact[i];
    int count = 0;
    if (c->sides == 0) {
        for (int side = 0; side < 1 + carom_pile_second(c); ++side, ++count) {
            body[count] = s->body[carom_pile_part(s->pile, c, side)];
            for (int k = 0; k < 3; ++k) {
                memcpy(G[count] + M * k, c->of.row[k] + M * side, M * sizeof(double));
            }
        }
    }
    for (int side = 0; side < c->sides; ++side, ++count) {
        const carom_side *const from = &c->of.side[side];
        body[count] = s->body[from->part];
        memset(G[count], 0, sizeof G[count]);
        for (int k = 0; k < 3; ++k) {
            memcpy(G[count] + M * k, from->G + k * from->m, (size_t)from->m * sizeof(double));
        }
    }
    return count;
}

/* u = G y of one contact */
static void relative(const smooth *s, int i, const double *y, double u[3])
{
    int body[CAROM_SMOOTH_SIDES];
    double G[CAROM_SMOOTH_SIDES][3 * M];
    const int sides = sides_of(s, i, body, G);
    u[0] = u[1] = u[2] = 0.0;
    for (int side = 0; side < sides; ++side) {
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < M; ++l) {
                u[k] += G[side][M * k + l] * y[M * body[side] + l];
            }
        }
    }
}

/* ---- the law ---------------------------------------------------------------------------------------------------- */

/* lambda / rho = k of the smoothed disc for |x_T| = x: the root of x^2 / (1 + k)^2 + eps^2 / k = rho^2. The left side
 * is convex and falls, so Newton's method from below goes up to it. */
static double shrink(double x, double rho, double eps)
{
    double k = fmax(eps * eps / (rho * rho), x / rho - 1.0);
    for (int step = 0; step < ROOT_STEPS; ++step) {
        const double t = x / (1.0 + k), e = eps * eps / k;
        const double more = (t * t + e - rho * rho) / (2.0 * t * t / (1.0 + k) + e / k);
        if (!(more > 1e-14 * k)) {
            break;
        }
        k += more;
    }
    return k;
}

/* The defect of contact i at impulse r and velocity u and, where asked for, its linearisation. Returns |defect /
 * s|^2. */
static double law(const smooth *s, int i, const double r[3], const double u[3], linear *out, bool derive)
{
    const double mass = s->pile->s[i], mu = s->pile->fc.mu[i], eps = s->eps * mass, *const centre = s->centre + 3 * i;
    double x[3], e[2];
    for (int k = 0; k < 3; ++k) {
        x[k] = r[k] - mass * u[k] - PROXIMAL * (r[k] - centre[k]);
    }
    const double size = sqrt(x[1] * x[1] + x[2] * x[2]), root = sqrt(x[0] * x[0] + 4.0 * eps * eps);
    const double rn = x[0] > 0.0 ? 0.5 * (x[0] + root) : 2.0 * eps * eps / (root - x[0]);
    /* 1 - d r_N / d x_N */
    const double closed = x[0] > 0.0 ? 2.0 * eps * eps / (root * (root + x[0])) : 0.5 * (1.0 - x[0] / root);
    const double rho = mu * rn;
    const double ratio = rho > 0.0 ? shrink(size, rho, eps) : HUGE_VAL;
    const double t = size / (1.0 + ratio);
    e[0] = size > 0.0 ? x[1] / size : 1.0;
    e[1] = size > 0.0 ? x[2] / size : 0.0;
    out->defect[0] = r[0] - rn;
    out->defect[1] = r[1] - t * e[0];
    out->defect[2] = r[2] - t * e[1];
    if (derive) {
        const double room = eps * eps / ratio;                                              /* rho^2 - t^2 */
        const double h1 = ratio < HUGE_VAL ? ratio * (1.0 + 2.0 * t * t / room) : HUGE_VAL; /* h' - 1 */
        const double dn = 1.0 - closed, open = closed + PROXIMAL * dn;
        const double slid = rho > 0.0 && h1 < HUGE_VAL ? 1.0 / (1.0 + h1) : 0.0;
        const double slide = slid > 0.0 ? h1 / (1.0 + h1) + PROXIMAL * slid : 1.0;
        const double turn = rho > 0.0 && ratio < HUGE_VAL ? 1.0 / (1.0 + ratio) : 0.0;
        const double across = turn > 0.0 ? ratio / (1.0 + ratio) + PROXIMAL * turn : 1.0;
        const double a = slid > 0.0 ? mu * dn * 2.0 * t * rho * ratio / room * slid : 0.0;
        const double ab = a / (open * slide), f[2] = {-e[1], e[0]};
        const double dE = e[0] * out->defect[1] + e[1] * out->defect[2];
        const double dF = f[0] * out->defect[1] + f[1] * out->defect[2];
        const double along = (1.0 - PROXIMAL) * ab * out->defect[0] + dE / slide;
        out->g[0] = -out->defect[0] / open;
        out->B[0] = mass * dn / open;
        out->B[1] = out->B[2] = 0.0;
        for (int k = 0; k < 2; ++k) {
            out->g[1 + k] = -(along * e[k] + dF / across * f[k]);
            out->B[3 + 3 * k] = mass * ab * e[k];
            for (int l = 0; l < 2; ++l) {
                out->B[4 + 3 * k + l] = mass * (slid / slide * e[k] * e[l] + turn / across * f[k] * f[l]);
            }
        }
    }
    const double *const d = out->defect;
    return (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (mass * mass);
}

/* ---- the linear system ------------------------------------------------------------------------------------------ */

static int place_of(const smooth *s, int i, int j)
{
    int k = s->row[i];
    while (s->column[k] != j) {
        ++k;
    }
    return k;
}

static void add_pair(double *block, const double G[3 * M], const double BG[3 * M])
{
    for (int p = 0; p < M; ++p) {
        for (int q = 0; q < M; ++q) {
            block[M * p + q] += G[p] * BG[q] + G[M + p] * BG[M + q] + G[2 * M + p] * BG[2 * M + q];
        }
    }
}

/* The matrix and the right side; the law is linearised at r and u. */
static void build(smooth *s)
{
    memset(s->block, 0, M * M * (size_t)s->row[s->bodies] * sizeof *s->block);
    for (int i = 0; i < M * s->bodies; ++i) {
        s->x[i] = -s->lag[i];
    }
    for (int i = 0; i < s->bodies; ++i) {
        memcpy(s->block + M * M * place_of(s, i, i), s->A + M * M * i, M * M * sizeof(double));
    }
    for (int i = 0; i < s->n; ++i) {
        linear *const l = &s->contact[i];
        int body[CAROM_SMOOTH_SIDES];
        double G[CAROM_SMOOTH_SIDES][3 * M];
        const int sides = sides_of(s, i, body, G);
        (void)law(s, i, s->r + 3 * i, l->u, l, true);
        for (int side = 0; side < sides; ++side) {
            double *const x = s->x + M * body[side], BG[3 * M];
            for (int q = 0; q < M; ++q) {
                x[q] += G[side][q] * l->g[0] + G[side][M + q] * l->g[1] + G[side][2 * M + q] * l->g[2];
            }
            for (int p = 0; p < 3; ++p) {
                for (int q = 0; q < M; ++q) {
                    BG[M * p + q] = l->B[3 * p] * G[side][q] + l->B[3 * p + 1] * G[side][M + q] +
                                    l->B[3 * p + 2] * G[side][2 * M + q];
                }
            }
            for (int other = 0; other < sides; ++other) {
                add_pair(s->block + M * M * place_of(s, body[other], body[side]), G[other], BG);
            }
        }
    }
}

/* du = G dy and dr = g - B du of all contacts. */
static void directions(smooth *s)
{
    for (int i = 0; i < s->n; ++i) {
        linear *const l = &s->contact[i];
        relative(s, i, s->x, l->du);
        for (int p = 0; p < 3; ++p) {
            l->dr[p] = l->g[p] - (l->B[3 * p] * l->du[0] + l->B[3 * p + 1] * l->du[1] + l->B[3 * p + 2] * l->du[2]);
        }
    }
}

/* Size of the defect, as a velocity, at r + length dr. */
static double defect(smooth *s, double length)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; ++i) {
        linear *const l = &s->contact[i];
        double r[3], u[3];
        for (int p = 0; p < 3; ++p) {
            r[p] = s->r[3 * i + p] + length * l->dr[p];
            u[p] = l->u[p] + length * l->du[p];
        }
        sum += law(s, i, r, u, l, false);
    }
    return sqrt(sum);
}

static void step(smooth *s, double length)
{
    for (int i = 0; i < M * s->bodies; ++i) {
        s->y[i] += length * s->x[i];
    }
    for (int i = 0; i < s->n; ++i) {
        linear *const l = &s->contact[i];
        for (int p = 0; p < 3; ++p) {
            s->r[3 * i + p] += length * l->dr[p];
            l->u[p] += length * l->du[p];
            l->dr[p] = l->du[p] = 0.0;
        }
    }
}

/* ---- memory, and which parts meet which -------------------------------------------------------------------------- */

/* Adds j to the ascending list column[from .. *end). */
static void insert(int *column, int from, int *end, int j)
{
    int at = *end;
    while (at > from && column[at - 1] > j) {
        --at;
    }
    if (at > from && column[at - 1] == j) {
        return;
    }
    for (int k = *end; k > at; --k) {
        column[k] = column[k - 1];
    }
    column[at] = j;
    ++*end;
}

/* Rows of parts ascending, with the diagonal: neighbours with repetitions first, made unique in place. */
static bool pattern(smooth *s)
{
    const int nb = s->bodies;
    int *const first = carom_arena_take(s->arena, (size_t)nb + 2, sizeof(int)), body[CAROM_SMOOTH_SIDES], total = nb;
    double G[CAROM_SMOOTH_SIDES][3 * M];
    s->row = carom_arena_take(s->arena, (size_t)nb + 1, sizeof(int));
    if (first == NULL || s->row == NULL) {
        return false;
    }
    for (int i = 0; i < nb + 2; ++i) {
        first[i] = i < 2 ? 0 : 1;
    }
    for (int i = 0; i < s->n; ++i) {
        const int sides = sides_of(s, i, body, G);
        total += sides * (sides - 1);
        for (int a = 0; a < sides; ++a) {
            first[body[a] + 2] += sides - 1;
        }
    }
    s->column = carom_arena_take(s->arena, (size_t)total, sizeof(int));
    if (s->column == NULL) {
        return false;
    }
    for (int i = 0; i < nb; ++i) {
        first[i + 2] += first[i + 1];
    }
    for (int i = 0; i < nb; ++i) {
        s->column[first[i + 1]++] = i;
    }
    for (int i = 0; i < s->n; ++i) {
        const int sides = sides_of(s, i, body, G);
        for (int a = 0; a < sides; ++a) {
            for (int b = 0; b < sides; ++b) {
                if (a != b) {
                    s->column[first[body[a] + 1]++] = body[b];
                }
            }
        }
    }
    int end = 0;
    for (int i = 0; i < nb; ++i) {
        s->row[i] = end;
        for (int a = first[i]; a < first[i + 1]; ++a) {
            insert(s->column, s->row[i], &end, s->column[a]);
        }
    }
    s->row[nb] = end;
    return true;
}

/* The parts that contacts touch, numbered; false when a contact touches too many. */
static bool number(smooth *s)
{
    const carom_condensed *const w = s->pile->w;
    s->bodies = 0;
    for (int k = 0; k < w->p->parts; ++k) {
        s->body[k] = -1;
    }
    for (int i = 0; i < s->n; ++i) {
        const carom_pile_contact *const c = &s->pile->contact[i];
        if (c->sides > CAROM_SMOOTH_SIDES) {
            return false;
        }
        for (int side = 0; side < (c->sides == 0 ? 1 + carom_pile_second(c) : c->sides); ++side) {
            const int part = c->sides == 0 ? carom_pile_part(s->pile, c, side) : c->of.side[side].part;
            if (w->kind[part] == CAROM_PART_FAR) { /* its A^-1 is that of bilateral rows, too */
                return false;
            }
            s->body[part] = 0;
        }
    }
    for (int k = 0; k < w->p->parts; ++k) {
        s->body[k] = s->body[k] == 0 ? s->bodies++ : -1;
    }
    return true;
}

static bool begin(smooth *s, carom_pile *p)
{
    const carom_contact_problem *const P = p->w->p;
    const size_t n = (size_t)p->n;
    *s = (smooth){.pile = p, .n = p->n, .arena = &p->fc.arena};
    s->body = carom_arena_take(s->arena, (size_t)P->parts, sizeof(int));
    if (s->body == NULL || !number(s)) {
        return false;
    }
    const size_t nb = (size_t)s->bodies;
    s->contact = carom_arena_take(s->arena, n, sizeof *s->contact);
    s->r = carom_arena_take(s->arena, 3 * n, sizeof(double));
    s->centre = carom_arena_take(s->arena, 3 * n, sizeof(double));
    s->A = carom_arena_take(s->arena, M * M * nb, sizeof(double));
    s->x = carom_arena_take(s->arena, M * nb, sizeof(double));
    s->y = carom_arena_take(s->arena, M * nb, sizeof(double));
    s->lag = carom_arena_take(s->arena, M * nb, sizeof(double));
    if (s->contact == NULL || s->r == NULL || s->centre == NULL || s->A == NULL || s->x == NULL || s->y == NULL ||
        s->lag == NULL || !pattern(s)) {
        return false;
    }
    s->block = carom_arena_take(s->arena, M * M * (size_t)s->row[nb], sizeof(double));
    const carom_blocks blocks = {M, s->bodies, s->row, s->column, s->block};
    if (s->block == NULL || !carom_lu_analyse(&s->lu, &blocks, s->arena)) {
        return false;
    }
    for (int k = 0; k < M * M * s->bodies; ++k) { /* what a part does not have stays 0 */
        s->A[k] = k % (M * M) % (M + 1) == 0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < P->tables->na; ++k) {
        const int body = s->body[P->part[P->tables->Ai[k]]];
        const int i = p->w->place[P->tables->Ai[k]], j = p->w->place[P->tables->Aj[k]];
        if (body >= 0) {
            s->A[M * M * body + M * i + j] = s->A[M * M * body + M * j + i] = P->A[k];
        }
    }
    return true;
}

/* ---- the way down ----------------------------------------------------------------------------------------------- */

/* Velocities of the contacts from those of the parts, and lag = A y - G^T r; returns its size as a velocity. */
static double balance(smooth *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->bodies; ++i) {
        for (int p = 0; p < M; ++p) {
            double *const lag = s->lag + M * i;
            lag[p] = 0.0;
            for (int q = 0; q < M; ++q) {
                lag[p] += s->A[M * M * i + M * p + q] * s->y[M * i + q];
            }
        }
    }
    for (int i = 0; i < s->n; ++i) {
        linear *const l = &s->contact[i];
        int body[CAROM_SMOOTH_SIDES];
        double G[CAROM_SMOOTH_SIDES][3 * M];
        const int sides = sides_of(s, i, body, G);
        relative(s, i, s->y, l->u);
        for (int k = 0; k < 3; ++k) {
            l->u[k] += s->pile->fc.q[3 * i + k];
            l->dr[k] = l->du[k] = 0.0;
            for (int side = 0; side < sides; ++side) {
                for (int q = 0; q < M; ++q) {
                    s->lag[M * body[side] + q] -= G[side][M * k + q] * s->r[3 * i + k];
                }
            }
        }
    }
    for (int i = 0; i < s->bodies; ++i) {
        for (int p = 0; p < M; ++p) { /* by the diagonal: it is rounding, or it goes down with the step */
            const double a = s->A[M * M * i + (M + 1) * p], lag = s->lag[M * i + p];
            sum += lag * lag / (a * s->A[M * M * i]);
        }
    }
    return sqrt(sum);
}

/* The step of Newton's method at the present level, as long as it makes the defect smaller; returns its length, 0: none
 * did. */
static double newton(smooth *s, double size, double lag)
{
    const carom_blocks A = {M, s->bodies, s->row, s->column, s->block};
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

/* The residual of the level's impulses, projected, which the pile has then. */
static double give_back(smooth *s)
{
    carom_pile *const p = s->pile;
    memcpy(p->z, s->r, 3 * (size_t)s->n * sizeof(double));
    carom_fc_project(&p->fc, p->z);
    return carom_fc_residual(&p->fc, p->z, p->w->u);
}

/* How to go down: eps from one level to the next (more slowly after a step that failed), and the defect, in units of
 * eps, at which the next level begins. What is not passable for one is for another. */
static const struct {
    double down, solved;
} way[] = {{0.5, 0.1}, {0.3, 0.05}, {0.2, 0.5}};

/* From the pile's impulses down one way; returns the residual of the last level's impulses. */
static double descend(smooth *s, double widest, double down, double solved, int *steps)
{
    carom_pile *const p = s->pile;
    const carom_contact_problem *const P = p->w->p;
    int failures = 0, left = STEPS;
    double residual = carom_fc_residual(&p->fc, p->z, p->w->u);
    const double root = sqrt((double)s->n), mean = carom_fc_scale(&p->fc, p->w->u) / root;
    for (int k = 0; k < P->parts; ++k) {
        for (int i = 0; i < M && s->body[k] >= 0; ++i) {
            s->y[M * s->body[k] + i] = i < P->first[k + 1] - P->first[k] ? p->y[P->first[k] + i] : 0.0;
        }
    }
    memcpy(s->r, p->z, 3 * (size_t)s->n * sizeof(double));
    memcpy(s->centre, s->r, 3 * (size_t)s->n * sizeof(double));
    s->eps = widest * mean;
    while (left > 0 && failures < FAILURES && s->eps > NARROWEST * mean) {
        const double lag = balance(s), size = hypot(defect(s, 0.0), lag);
        if (!(size < HUGE_VAL)) {
            break;
        }
        if (size <= solved * s->eps * root) {
            residual = give_back(s);
            if (residual <= p->fc.tolerance) {
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

double carom_pile_smooth(carom_pile *p, bool warm, int *steps)
{
    const carom_arena mark = p->fc.arena;
    const size_t ways = warm ? 1 : sizeof way / sizeof way[0];
    double residual = HUGE_VAL;
    smooth s;
    if (begin(&s, p)) {
        for (size_t k = 0; k < ways && residual > p->fc.tolerance; ++k) {
            residual = descend(&s, warm ? NEAR : WIDEST, way[k].down, way[k].solved, steps);
        }
    }
    p->fc.arena = mark;
    return residual;
}
