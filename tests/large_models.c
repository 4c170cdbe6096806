/* Elastic bars and blocks, written by hand for the tests of runtime/petsc. Parameters: E, nu, rho, speed, friction, restitution. */
#include "large_models.h"

#include "explicit_plan.h"

#include <math.h>
#include <string.h>

enum { E_, NU, RHO, SPEED, FRICTION, RESTITUTION, PARAMETERS };

/* ---- three dimensions: hexahedron and tetrahedron ---- */

static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};

static void shapes(int nodes, const double *xi, double *N, double (*D)[3])
{
    for (int a = 0; a < nodes; a++) {
        if (nodes == 8) {
            const double f[3] = {1 + corner[a][0] * xi[0], 1 + corner[a][1] * xi[1], 1 + corner[a][2] * xi[2]};
            N[a] = f[0] * f[1] * f[2] / 8;
            for (int k = 0; k < 3; k++) {
                D[a][k] = corner[a][k] * f[(k + 1) % 3] * f[(k + 2) % 3] / 8;
            }
        } else {
            N[a] = a == 0 ? 1 - xi[0] - xi[1] - xi[2] : xi[a - 1];
            for (int k = 0; k < 3; k++) {
                D[a][k] = a == 0 ? -1 : a - 1 == k;
            }
        }
    }
}

/* Gradients by X into B, returns the volume element. */
static double gradients(int nodes, const double *X, double (*D)[3], double (*B)[3])
{
    double J[3][3] = {{0}}, I[3][3], det;
    for (int a = 0; a < nodes; a++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                J[i][k] += X[3 * a + i] * D[a][k];
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, e = (k + 2) % 3;
            I[k][i] = J[a][c] * J[b][e] - J[a][e] * J[b][c];
        }
    }
    det = J[0][0] * I[0][0] + J[0][1] * I[1][0] + J[0][2] * I[2][0];
    for (int a = 0; a < nodes; a++) {
        for (int i = 0; i < 3; i++) {
            B[a][i] = (D[a][0] * I[0][i] + D[a][1] * I[1][i] + D[a][2] * I[2][i]) / det;
        }
    }
    return det;
}

static int points(int nodes, double (*xi)[3], double *weight)
{
    if (nodes == 4) {
        xi[0][0] = xi[0][1] = xi[0][2] = 0.25;
        *weight = 1.0 / 6;
        return 1;
    }
    for (int q = 0; q < 8; q++) {
        for (int k = 0; k < 3; k++) {
            xi[q][k] = corner[q][k] / sqrt(3.0);
        }
    }
    *weight = 1;
    return 8;
}

static int tangent3(int nodes, const double *p, const double *X, double *K)
{
    const double lambda = p[E_] * p[NU] / ((1 + p[NU]) * (1 - 2 * p[NU])), mu = p[E_] / (2 * (1 + p[NU]));
    double xi[8][3], weight, N[8], D[8][3], B[8][3];
    const int count = points(nodes, xi, &weight), n = 3 * nodes;
    memset(K, 0, sizeof *K * (size_t)(n * n));
    for (int q = 0; q < count; q++) {
        shapes(nodes, xi[q], N, D);
        const double w = weight * gradients(nodes, X, D, B);
        for (int a = 0; a < nodes; a++) {
            for (int b = 0; b < nodes; b++) {
                const double dot = B[a][0] * B[b][0] + B[a][1] * B[b][1] + B[a][2] * B[b][2];
                for (int i = 0; i < 3; i++) {
                    for (int j = 0; j < 3; j++) {
                        K[(3 * a + i) * n + 3 * b + j] += w * (lambda * B[a][i] * B[b][j] + mu * B[a][j] * B[b][i] + (i == j ? mu * dot : 0));
                    }
                }
            }
        }
    }
    return 0;
}

static void mass3(int nodes, const double *p, const double *X, double *m)
{
    double xi[8][3], weight, N[8], D[8][3], B[8][3];
    const int count = points(nodes, xi, &weight);
    memset(m, 0, sizeof *m * (size_t)(nodes * nodes));
    for (int q = 0; q < count; q++) {
        shapes(nodes, xi[q], N, D);
        const double w = weight * p[RHO] * gradients(nodes, X, D, B);
        for (int a = 0; a < nodes; a++) {
            for (int b = 0; b < nodes; b++) { /* of the tetrahedron exact: 1/20 (1 + delta) */
                m[a * nodes + b] += nodes == 4 ? w * (a == b ? 0.1 : 0.05) : w * N[a] * N[b];
            }
        }
    }
}

static int force_of(int nodes, int d, int (*tangent)(const double *, const double *, const double *, double *), const double *p, const double *X, const double *u,
                    double *f)
{
    double K[24 * 24];
    const int n = nodes * d, status = tangent(p, X, u, K);
    for (int i = 0; i < n; i++) {
        f[i] = 0;
        for (int j = 0; j < n; j++) {
            f[i] += K[i * n + j] * u[j];
        }
    }
    return status;
}

static int lanes_of(int n, int (*force)(const double *, const double *, const double *, double *), const double *p, const double *X, const double *u, double *f)
{
    int status = 0;
    for (int l = 0; l < CAROM_LANES; l++) {
        double X1[24], u1[24], f1[24];
        for (int i = 0; i < n; i++) {
            X1[i] = X[i * CAROM_LANES + l];
            u1[i] = u[i * CAROM_LANES + l];
        }
        status = force(p, X1, u1, f1) != 0 ? -1 : status;
        for (int i = 0; i < n; i++) {
            f[i * CAROM_LANES + l] = f1[i];
        }
    }
    return status;
}

static double energy_of(int n, int (*force)(const double *, const double *, const double *, double *), const double *p, const double *X, const double *u)
{
    double f[24], sum = 0;
    (void)force(p, X, u, f);
    for (int i = 0; i < n; i++) {
        sum += 0.5 * f[i] * u[i];
    }
    return sum;
}

static void lump(int nodes, void (*mass)(const double *, const double *, double *), const double *p, const double *X, double *m)
{
    double full[64];
    mass(p, X, full);
    for (int a = 0; a < nodes; a++) {
        m[a] = 0;
        for (int b = 0; b < nodes; b++) {
            m[a] += full[a * nodes + b];
        }
    }
}

static void stress3(int nodes, const double *p, const double *X, const double *u, double *s)
{
    const double lambda = p[E_] * p[NU] / ((1 + p[NU]) * (1 - 2 * p[NU])), mu = p[E_] / (2 * (1 + p[NU]));
    const double centre[3] = {nodes == 4 ? 0.25 : 0, nodes == 4 ? 0.25 : 0, nodes == 4 ? 0.25 : 0};
    double N[8], D[8][3], B[8][3], G[3][3] = {{0}};
    shapes(nodes, centre, N, D);
    (void)gradients(nodes, X, D, B);
    for (int a = 0; a < nodes; a++) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                G[i][j] += u[3 * a + i] * B[a][j];
            }
        }
    }
    const double trace = G[0][0] + G[1][1] + G[2][2];
    for (int i = 0; i < 3; i++) {
        s[i] = lambda * trace + 2 * mu * G[i][i];
        s[3 + i] = mu * (G[(i + 1) % 3][(i + 2) % 3] + G[(i + 2) % 3][(i + 1) % 3]);
    }
}

#define BODY3(kind, nodes)                                                                                                        \
    static int tangent_##kind(const double *p, const double *X, const double *u, double *K) { (void)u; return tangent3(nodes, p, X, K); } \
    static int force_##kind(const double *p, const double *X, const double *u, double *f) { return force_of(nodes, 3, tangent_##kind, p, X, u, f); } \
    static int lanes_##kind(const double *p, const double *X, const double *u, double *f) { return lanes_of(3 * nodes, force_##kind, p, X, u, f); } \
    static double energy_##kind(const double *p, const double *X, const double *u) { return energy_of(3 * nodes, force_##kind, p, X, u); } \
    static void mass_##kind(const double *p, const double *X, double *m) { mass3(nodes, p, X, m); }                               \
    static void lumped_##kind(const double *p, const double *X, double *m) { lump(nodes, mass_##kind, p, X, m); }                 \
    static void stress_##kind(const double *p, const double *X, const double *u, double *s) { stress3(nodes, p, X, u, s); }

BODY3(hex, 8)
BODY3(tet, 4)

static double speed3(const double *p)
{
    return sqrt(p[E_] * (1 - p[NU]) / (p[RHO] * (1 + p[NU]) * (1 - 2 * p[NU])));
}

/* ---- bars ---- */

static const double section = 3.14e-4;

static int tangent_bar(const double *p, const double *X, const double *u, double *K)
{
    const double k = p[E_] * section / (X[1] - X[0]);
    (void)u;
    K[0] = K[3] = k;
    K[1] = K[2] = -k;
    return 0;
}

static int force_bar(const double *p, const double *X, const double *u, double *f) { return force_of(2, 1, tangent_bar, p, X, u, f); }
static int lanes_bar(const double *p, const double *X, const double *u, double *f) { return lanes_of(2, force_bar, p, X, u, f); }
static double energy_bar(const double *p, const double *X, const double *u) { return energy_of(2, force_bar, p, X, u); }

static void mass_bar(const double *p, const double *X, double *m)
{
    m[0] = m[3] = p[RHO] * section * (X[1] - X[0]) / 3;
    m[1] = m[2] = 0.5 * m[0];
}

static void lumped_bar(const double *p, const double *X, double *m) { lump(2, mass_bar, p, X, m); }

static void stress_bar(const double *p, const double *X, const double *u, double *s)
{
    memset(s, 0, 6 * sizeof *s);
    s[0] = p[E_] * (u[1] - u[0]) / (X[1] - X[0]);
}

static double speed_bar(const double *p) { return sqrt(p[E_] / p[RHO]); }

/* W = E/2 ((F^2 - 1)/2 - ln F): a bar that cannot be pressed to nothing */
static int force_rubber(const double *p, const double *X, const double *u, double *f)
{
    const double F = 1 + (u[1] - u[0]) / (X[1] - X[0]);
    f[1] = 0.5 * p[E_] * section * (F - 1 / F);
    f[0] = -f[1];
    return F > 0 ? 0 : -1;
}

static int tangent_rubber(const double *p, const double *X, const double *u, double *K)
{
    const double F = 1 + (u[1] - u[0]) / (X[1] - X[0]), k = 0.5 * p[E_] * section * (1 + 1 / (F * F)) / (X[1] - X[0]);
    K[0] = K[3] = k;
    K[1] = K[2] = -k;
    return F > 0 ? 0 : -1;
}

static int lanes_rubber(const double *p, const double *X, const double *u, double *f) { return lanes_of(2, force_rubber, p, X, u, f); }

static double energy_rubber(const double *p, const double *X, const double *u)
{
    const double F = 1 + (u[1] - u[0]) / (X[1] - X[0]);
    return 0.5 * p[E_] * section * (X[1] - X[0]) * (0.5 * (F * F - 1) - log(F));
}

/* ---- starts, loads, obstacles ---- */

static void fall_bar(const double *p, const double *X, double *u, double *v) { (void)X; u[0] = 0; v[0] = -p[SPEED]; }

static void fall(const double *p, const double *X, double *u, double *v)
{
    (void)X;
    u[0] = u[1] = u[2] = v[1] = 0;
    v[0] = p[FRICTION] > 0 ? 0.5 * p[SPEED] : 0;
    v[2] = -p[SPEED];
}

static void wall(const double *p, double t, const double *x, double *g, double *gradient, double *rate)
{
    (void)p, (void)t;
    *g = x[0];
    gradient[0] = 1;
    *rate = 0;
}

/* slightly curved, so that contact spreads */
static void ground(const double *p, double t, const double *x, double *g, double *gradient, double *rate)
{
    (void)p, (void)t;
    *g = x[2] + ((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.5) * (x[1] - 0.5)) / 4000;
    gradient[0] = (x[0] - 0.5) / 2000;
    gradient[1] = (x[1] - 0.5) / 2000;
    gradient[2] = 1;
    *rate = 0;
}

static void plane(const double *p, double t, const double *x, double *g, double *gradient, double *rate)
{
    (void)p, (void)t;
    *g = x[2];
    gradient[0] = gradient[1] = *rate = 0;
    gradient[2] = 1;
}

static void law(const double *p, double *restitution, double *friction)
{
    *restitution = p[RESTITUTION];
    *friction = p[FRICTION];
}

static void weight(const double *p, double t, const double *X, double *f)
{
    double m[8];
    (void)t;
    lumped_hex(p, X, m);
    for (int i = 0; i < 24; i++) {
        f[i] = i % 3 == 2 ? -5000 * m[i / 3] : 0;
    }
}

/* ---- patches ---- */

static void crooked(const double *p, const double *X, double *moved)
{
    const double bump = 0.08 * sin(3.1 * X[0]) * sin(2.7 * X[1]) * sin(3.3 * X[2]);
    (void)p;
    moved[0] = X[0] + bump;
    moved[1] = X[1] - 0.7 * bump;
    moved[2] = X[2] + 0.5 * bump;
}

static const double strain[3][3] = {{1.0, 0.3, -0.2}, {0.1, -0.5, 0.4}, {0.2, 0.6, 0.8}};

static void stretch(const double *p, double t, const double *X, double *u, double *v)
{
    for (int i = 0; i < 3; i++) {
        v[i] = p[SPEED] * (strain[i][0] * X[0] + strain[i][1] * X[1] + strain[i][2] * X[2]);
        u[i] = t * v[i];
    }
}

static void stretching(const double *p, const double *X, double *u, double *v) { stretch(p, 0, X, u, v); }

static void press(const double *p, double t, const double *X, double *u, double *v)
{
    (void)X;
    u[0] = u[1] = v[0] = v[1] = 0;
    v[2] = -p[SPEED];
    u[2] = t * v[2];
}

static void pressing(const double *p, const double *X, double *u, double *v)
{
    for (int i = 0; i < 3; i++) {
        u[i] = v[i] = 0;
    }
    v[2] = -p[SPEED] * X[2];
}

/* A body that says it is twice as heavy as it is. */
static void lumped_lie(const double *p, const double *X, double *m)
{
    lumped_hex(p, X, m);
    for (int a = 0; a < 8; a++) {
        m[a] *= 2;
    }
}

/* ---- the tables ---- */

static const carom_quantity parameter[PARAMETERS] = {
    {"E", "Pa", 210e9}, {"nu", "", 0.3}, {"rho", "kg/m^3", 7800}, {"speed", "m/s", 1}, {"friction", "", 0}, {"restitution", "", 0},
};

#define HEX                                                                                                                         \
    .cell = CAROM_HEX8, .linear = 1, .wave_speed = speed3, .mass = mass_hex, .lumped = lumped_hex, .force = force_hex, .tangent = tangent_hex, \
    .force_lanes = lanes_hex, .energy = energy_hex, .stress = stress_hex
#define TET                                                                                                                         \
    .cell = CAROM_TET4, .linear = 1, .wave_speed = speed3, .mass = mass_tet, .lumped = lumped_tet, .force = force_tet, .tangent = tangent_tet, \
    .force_lanes = lanes_tet, .energy = energy_tet, .stress = stress_tet
#define BAR                                                                                                                         \
    .cell = CAROM_BAR2, .linear = 1, .wave_speed = speed_bar, .mass = mass_bar, .lumped = lumped_bar, .force = force_bar, .tangent = tangent_bar, \
    .force_lanes = lanes_bar, .energy = energy_bar, .stress = stress_bar

#define THETA {.text = "moreau-jean:theta=0.5,gamma=0", .tg = -1e-9, .plan = &theta_plan}
#define EXPLICIT {.text = "D-:M=1", .lumped = 1, .plan = &explicit_plan}
#define ENDS .side = {"left", "right"}
#define SIDES .side = {"left", "right", "near", "far", "bottom", "top"}
#define TETS .pieces = 6, .piece = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}
#define COMMON .digest = "by hand", .parameters = PARAMETERS, .parameter = parameter

static carom_body bodies[] = {
    {BAR, .name = "bar", .mesh = {ENDS, .size = {1}, .origin = {5e-5}}, .start = fall_bar},
    {BAR, .name = "rubber", .mesh = {ENDS, .size = {1}, .origin = {1e-3}}, .start = fall_bar},
    {HEX, .name = "block", .mesh = {SIDES, .size = {1, 1, 1}}, .start = fall},
    {TET, .name = "block", .mesh = {SIDES, TETS, .size = {1, 1, 1}}, .start = fall},
    {HEX, .name = "block", .mesh = {SIDES, .size = {1, 1, 1}}, .start = fall, .load = weight, .load_steady = 1},
    {HEX, .name = "patch", .mesh = {SIDES, .size = {1, 1, 1}, .map = crooked}, .start = stretching},
    {HEX, .name = "patch", .mesh = {SIDES, .size = {1, 1, 1}}, .start = pressing},
    {TET, .name = "block", .mesh = {.file = "block.msh"}, .start = fall},
    {HEX, .name = "block", .mesh = {SIDES, .size = {1, 1, 1}}, .start = fall},
};

static const carom_surface walls[] = {{.name = "wall", .boundary = "left", .gap = wall, .law = law, .where = "bar.lua:9"}};
static const carom_surface grounds[] = {{.name = "ground", .boundary = "bottom", .gap = ground, .law = law, .where = "cube.lua:9"}};
static const carom_surface planes[] = {{.name = "plane", .boundary = "bottom", .gap = plane, .law = law, .where = "cube.lua:9"}};
static const carom_surface nowhere[] = {{.name = "ground", .boundary = "bottm", .gap = ground, .law = law, .where = "cube.lua:9"}};
static const carom_fix sides[] = {
    {.boundary = "left", .mask = 7, .motion = stretch, .where = "a:1"}, {.boundary = "right", .mask = 7, .motion = stretch, .where = "a:1"},
    {.boundary = "near", .mask = 7, .motion = stretch, .where = "a:1"}, {.boundary = "far", .mask = 7, .motion = stretch, .where = "a:1"},
    {.boundary = "bottom", .mask = 7, .motion = stretch, .where = "a:1"}, {.boundary = "top", .mask = 7, .motion = stretch, .where = "a:1"},
};
static const carom_fix tops[] = {{.boundary = "top", .mask = 4, .motion = press, .where = "a:1"}};
static const carom_probe tip[] = {{.name = "tip", .at = {0}}};
static const carom_probe middle[] = {{.name = "middle", .at = {0.45, 0.45, 0.45}}};

static carom_large models[] = {
    {COMMON, .name = "bar", .dimension = 1, .bodies = 1, .body = &bodies[0], .surfaces = 1, .surface = walls, .probes = 1, .probe = tip, .scheme = THETA,
     .until_time = 1.2e-3, .step = 2e-6},
    {COMMON, .name = "bar_explicit", .dimension = 1, .bodies = 1, .body = &bodies[0], .surfaces = 1, .surface = walls, .probes = 1, .probe = tip,
     .scheme = EXPLICIT, .until_time = 1.2e-3},
    {COMMON, .name = "rubber", .dimension = 1, .bodies = 1, .body = &bodies[1], .surfaces = 1, .surface = walls, .probes = 1, .probe = tip, .scheme = THETA,
     .until_time = 1e-2, .step = 2e-5},
    {COMMON, .name = "cube", .dimension = 3, .bodies = 1, .body = &bodies[2], .surfaces = 1, .surface = grounds, .probes = 1, .probe = middle, .scheme = THETA,
     .until_time = 1e-3, .cfl = 10},
    {COMMON, .name = "cube_explicit", .dimension = 3, .bodies = 1, .body = &bodies[2], .surfaces = 1, .surface = grounds, .probes = 1, .probe = middle,
     .scheme = EXPLICIT, .until_time = 1e-3},
    {COMMON, .name = "tets", .dimension = 3, .bodies = 1, .body = &bodies[3], .surfaces = 1, .surface = grounds, .probes = 1, .probe = middle, .scheme = THETA,
     .until_time = 1e-3, .cfl = 10},
    {COMMON, .name = "heavy", .dimension = 3, .bodies = 1, .body = &bodies[4], .surfaces = 1, .surface = planes, .probes = 1, .probe = middle, .scheme = THETA,
     .until_time = 1e-3, .cfl = 10},
    {COMMON, .name = "patch", .dimension = 3, .bodies = 1, .body = &bodies[5], .fixes = 6, .fix = sides, .probes = 1, .probe = middle, .scheme = THETA,
     .until_time = 1e-3, .step = 1e-4},
    {COMMON, .name = "press", .dimension = 3, .bodies = 1, .body = &bodies[6], .fixes = 1, .fix = tops, .surfaces = 1, .surface = planes, .probes = 1,
     .probe = middle, .scheme = THETA, .until_time = 1e-3, .step = 1e-4},
    {COMMON, .name = "misspelt", .dimension = 3, .bodies = 1, .body = &bodies[2], .surfaces = 1, .surface = nowhere, .scheme = THETA, .until_time = 1e-3, .cfl = 10},
    {COMMON, .name = "lie", .dimension = 3, .bodies = 1, .body = &bodies[8], .surfaces = 1, .surface = grounds, .scheme = THETA, .until_time = 1e-3, .cfl = 10},
    {COMMON, .name = "file", .dimension = 3, .bodies = 1, .body = &bodies[7], .surfaces = 1, .surface = grounds, .probes = 1, .probe = middle, .scheme = THETA,
     .until_time = 1e-3, .cfl = 10},
};

const carom_large *large_model(const char *name, int n)
{
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        for (int k = 0; k < 3; k++) {
            bodies[i].mesh.cells[k] = k == 0 || bodies[i].cell != CAROM_BAR2 ? n : 0;
        }
    }
    bodies[1].linear = 0;
    bodies[1].force = force_rubber;
    bodies[1].tangent = tangent_rubber;
    bodies[1].force_lanes = lanes_rubber;
    bodies[1].energy = energy_rubber;
    bodies[8].lumped = lumped_lie;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        if (strcmp(models[i].name, name) == 0) {
            return &models[i];
        }
    }
    return NULL;
}
