/* Random hyperstatic contact problems. Rigid bodies (3 freedoms in the plane, 6 in space) and contact points with
 * normals between them or with the ground give G; W = G M^-1 G^T, q = G v. */
#include "hyperstatic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BODIES 700
#define CONTACTS 2800

typedef struct {
    int body, other;  /* other = -1: the ground */
    double at[3];     /* contact point */
    double normal[3]; /* towards body */
    double mu;
} contact_point;

typedef struct {
    int d, bodies, contacts;
    double centre[BODIES][3], mass[BODIES], inertia[BODIES], velocity[BODIES][6];
    contact_point contact[CONTACTS];
    uint64_t random;
} scene;

uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

double random_between(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

static int random_integer(scene *s, int low, int high)
{
    return low + (int)(random_bits(&s->random) % (uint64_t)(high - low + 1));
}

static int add_body(scene *s, double x, double y, double z, double mass, double radius)
{
    const int b = s->bodies++;
    s->centre[b][0] = x;
    s->centre[b][1] = y;
    s->centre[b][2] = z;
    s->mass[b] = mass;
    s->inertia[b] = 0.4 * mass * radius * radius;
    return b;
}

static void add_contact(scene *s, int body, int other, const double at[3], const double normal[3], double mu)
{
    if (s->contacts < CONTACTS) {
        contact_point *c = &s->contact[s->contacts++];
        const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        c->body = body;
        c->other = other;
        c->mu = mu;
        for (int i = 0; i < 3; ++i) {
            c->at[i] = at[i];
            c->normal[i] = normal[i] / length;
        }
    }
}

/* Speeds: falling, with some drift and spin. */
static void set_moving(scene *s, double drift, double spin)
{
    for (int b = 0; b < s->bodies; ++b) {
        for (int i = 0; i < 6; ++i) {
            s->velocity[b][i] =
                i < 3 ? random_between(&s->random, -drift, drift) : random_between(&s->random, -spin, spin);
        }
        s->velocity[b][1] -= 1.0;
    }
}

/* ---- kinds; y is up, the plane problems live in x and y -------------------------------------------------------- */

/* A flat face on the ground with many points. */
static void many_feet(scene *s)
{
    const double mu = random_between(&s->random, 0.05, 1.2);
    const int points = random_integer(s, 4, 24), b = add_body(s, 0, 0.5, 0, random_between(&s->random, 0.1, 10), 0.7);
    for (int k = 0; k < points; ++k) {
        const double at[3] = {random_between(&s->random, -1, 1), 0.0,
                              s->d == 3 ? random_between(&s->random, -1, 1) : 0.0};
        add_contact(s, b, -1, at, (const double[3]){0, 1, 0}, mu);
    }
    set_moving(s, 1.0, 0.5);
}

/* A body in a V-groove or funnel: friction large enough to jam. */
static void wedge(scene *s)
{
    const int points = random_integer(s, 4, 20), b = add_body(s, 0, 0, 0, random_between(&s->random, 0.5, 5), 1.0);
    const double slope = random_between(&s->random, 0.1, 1.5), mu = random_between(&s->random, 0.0, 1.5);
    for (int k = 0; k < points; ++k) {
        const double side = k % 2 == 0 ? 1.0 : -1.0, turn = s->d == 3 ? random_between(&s->random, -1.5, 1.5) : 0.0;
        const double at[3] = {side * cos(turn), random_between(&s->random, -1, 1), side * sin(turn)};
        add_contact(s, b, -1, at, (const double[3]){-at[0], slope, -at[2]}, mu);
    }
    set_moving(s, 1.0, 1.0);
}

/* Boxes on boxes, all corners of the faces; `ratio`: mass of each box over the one below. */
static void tower(scene *s, double ratio)
{
    const int boxes = random_integer(s, 2, s->d == 3 ? 8 : 10);
    const double mu = random_between(&s->random, 0.1, 1.0);
    double mass = 1.0;
    for (int k = 0; k < boxes; ++k) {
        const int b = add_body(s, random_between(&s->random, -0.1, 0.1), 0.5 + k, 0, mass, 0.6);
        mass *= ratio;
        for (int corner = 0; corner < (s->d == 3 ? 4 : 2); ++corner) {
            const double at[3] = {corner % 2 == 0 ? 0.4 : -0.4, k, s->d == 3 ? (corner < 2 ? 0.4 : -0.4) : 0.0};
            add_contact(s, b, b - 1, at, (const double[3]){0, 1, 0}, mu);
        }
    }
    set_moving(s, 0.5, 0.3);
}

static void stack(scene *s)
{
    tower(s, 1.0);
}

static void heavy_on_light(scene *s)
{
    tower(s, random_between(&s->random, 1.5, 4.0));
}

/* Contacts with random points and normals between random bodies and with the ground. */
static void tangle(scene *s)
{
    const int bodies = random_integer(s, 2, 6), points = random_integer(s, 3 * bodies, 8 * bodies);
    for (int b = 0; b < bodies; ++b) {
        (void)add_body(s, random_between(&s->random, -2, 2), random_between(&s->random, 0, 2),
                       s->d == 3 ? random_between(&s->random, -2, 2) : 0.0, exp(random_between(&s->random, -2, 2)),
                       0.8);
    }
    for (int k = 0; k < points; ++k) {
        const int b = k % bodies, other = random_integer(s, -1, bodies - 1);
        double at[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
        for (int i = 0; i < s->d; ++i) {
            at[i] = s->centre[b][i] + random_between(&s->random, -1, 1);
            normal[i] = random_between(&s->random, -1, 1);
        }
        normal[1] += 1e-3;
        add_contact(s, b, other == b ? -1 : other, at, normal, random_between(&s->random, 0, 1.2));
    }
    set_moving(s, 1.0, 1.0);
}

/* A ring of balls squeezed between two plates or walls: an arch. */
static void arch(scene *s)
{
    const int balls = random_integer(s, 3, 9);
    const double mu = random_between(&s->random, 0.2, 1.0);
    for (int k = 0; k < balls; ++k) {
        const double angle = 3.14159 * (k + 0.5) / balls;
        (void)add_body(s, -cos(angle) * balls / 3.0, sin(angle) * balls / 3.0, 0, random_between(&s->random, 0.5, 2),
                       0.5);
    }
    for (int k = 0; k <= balls; ++k) { /* facing surfaces between neighbours, feet on the ground */
        const double angle = 3.14159 * k / balls;
        const double tangent[3] = {sin(angle), cos(angle), 0.0};
        for (int point = 0; point < (s->d == 3 ? 4 : 2); ++point) {
            const double out = balls / 3.0 + (point % 2 == 0 ? 0.2 : -0.2);
            const double at[3] = {-cos(angle) * out, sin(angle) * out, s->d == 3 ? (point < 2 ? 0.2 : -0.2) : 0.0};
            const double reverse[3] = {-tangent[0], -tangent[1], 0.0};
            if (k == balls) {
                add_contact(s, balls - 1, -1, at, reverse, mu);
            } else {
                add_contact(s, k, k - 1, at, tangent, mu);
            }
        }
    }
    set_moving(s, 0.2, 0.2);
}

/* The same contact several times over: W with equal rows. */
static void repeated(scene *s)
{
    const int points = random_integer(s, 1, 5), copies = random_integer(s, 2, 6);
    const int b = add_body(s, 0, 0.5, 0, 1.0, 0.7);
    const double mu = random_between(&s->random, 0.0, 1.0);
    for (int k = 0; k < points; ++k) {
        const double at[3] = {random_between(&s->random, -1, 1), 0.0,
                              s->d == 3 ? random_between(&s->random, -1, 1) : 0.0};
        for (int j = 0; j < copies; ++j) {
            add_contact(s, b, -1, at, (const double[3]){0, 1, 0}, mu);
        }
    }
    set_moving(s, 1.0, 0.5);
}

/* Blocks side by side between walls on the ground, wedged by their neighbours: masonry. */
static void masonry(scene *s)
{
    const int blocks = random_integer(s, 3, 8);
    const double mu = random_between(&s->random, 0.3, 1.5);
    for (int k = 0; k < blocks; ++k) {
        (void)add_body(s, k, 0.5, 0, exp(random_between(&s->random, -1, 1)), 0.6);
    }
    for (int k = 0; k <= blocks; ++k) {
        for (int point = 0; point < 2; ++point) {
            const double face[3] = {k - 0.5, point, s->d == 3 ? random_between(&s->random, -0.4, 0.4) : 0.0};
            const double tilt = random_between(&s->random, -0.3, 0.3);
            if (k < blocks) {
                const double foot[3] = {k + (point == 0 ? 0.4 : -0.4), 0.0,
                                        s->d == 3 ? random_between(&s->random, -0.4, 0.4) : 0.0};
                add_contact(s, k, -1, foot, (const double[3]){0, 1, 0}, mu);
                add_contact(s, k, k - 1, face, (const double[3]){1, tilt, 0}, mu);
            } else {
                add_contact(s, k - 1, -1, face, (const double[3]){-1, tilt, 0}, mu);
            }
        }
    }
    set_moving(s, 1.0, 0.5);
}

static const struct {
    const char *name;
    void (*build)(scene *s);
} kinds[HYPERSTATIC_KINDS] = {
    {"many feet", many_feet}, {"wedge", wedge}, {"stack", stack},       {"heavy on light", heavy_on_light},
    {"tangle", tangle},       {"arch", arch},   {"repeated", repeated}, {"masonry", masonry}};

const char *hyperstatic_name(int number)
{
    return kinds[number % HYPERSTATIC_KINDS].name;
}

/* ---- from scene to problem ------------------------------------------------------------------------------------- */

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Normal and tangents of a contact. */
static void frame(const scene *s, const contact_point *c, double axis[3][3])
{
    for (int i = 0; i < 3; ++i) {
        axis[0][i] = c->normal[i];
    }
    if (s->d == 2) {
        axis[1][0] = c->normal[1];
        axis[1][1] = -c->normal[0];
        axis[1][2] = 0.0;
        return;
    }
    const double helper[3] = {fabs(c->normal[0]) < 0.8, fabs(c->normal[0]) >= 0.8, 0.0};
    cross(c->normal, helper, axis[1]);
    const double length = sqrt(axis[1][0] * axis[1][0] + axis[1][1] * axis[1][1] + axis[1][2] * axis[1][2]);
    for (int i = 0; i < 3; ++i) {
        axis[1][i] /= length;
    }
    cross(axis[0], axis[1], axis[2]);
}

/* Rows of G of a contact on one of its bodies: force and moment of each direction. */
typedef struct {
    double row[3][6];
} jacobian;

static jacobian jacobian_of(const scene *s, const contact_point *c, int b)
{
    jacobian g;
    double axis[3][3], arm[3], moment[3];
    frame(s, c, axis);
    for (int i = 0; i < 3; ++i) {
        arm[i] = c->at[i] - s->centre[b][i];
    }
    for (int a = 0; a < s->d; ++a) {
        cross(arm, axis[a], moment);
        for (int i = 0; i < 3; ++i) { /* in the plane forces have no z and moments only z, so that one formula serves both */
            g.row[a][i] = c->body == b ? axis[a][i] : -axis[a][i];
            g.row[a][3 + i] = c->body == b ? moment[i] : -moment[i];
        }
    }
    return g;
}

/* The bodies of a contact in ascending order, -1 for the ground. */
static void bodies_of(const contact_point *c, int body[2])
{
    body[0] = c->body < c->other ? c->body : c->other;
    body[1] = c->body < c->other ? c->other : c->body;
}

static double product(const scene *s, int b, const double *gi, const double *gj)
{
    return (gi[0] * gj[0] + gi[1] * gj[1] + gi[2] * gj[2]) / s->mass[b] +
           (gi[3] * gj[3] + gi[4] * gj[4] + gi[5] * gj[5]) / s->inertia[b];
}

static void *problem_of(const scene *s, carom_friction_problem *problem)
{
    const int d = s->d, n = s->contacts, size = d * n;
    size_t most = 0;
    jacobian(*G)[2] = calloc((size_t)n, sizeof *G);
    double *mu = malloc(sizeof(double) * (size_t)(n + size)), *q = mu + n;
    int body[2], other[2];
    for (int c = 0; c < n; ++c) {
        bodies_of(&s->contact[c], body);
        for (int k = 0; k < n; ++k) {
            bodies_of(&s->contact[k], other);
            most += (body[0] >= 0 && (body[0] == other[0] || body[0] == other[1])) || body[1] == other[0] || body[1] == other[1];
        }
    }
    most *= (size_t)(d * d);
    int *row = malloc(sizeof(int) * 2 * most), *column = row + most;
    double *value = malloc(sizeof(double) * most);
    void *memory = NULL;
    if (G != NULL && mu != NULL && row != NULL && value != NULL) {
        int entries = 0;
        for (int c = 0; c < n; ++c) {
            mu[c] = s->contact[c].mu;
            bodies_of(&s->contact[c], body);
            for (int a = 0; a < d; ++a) {
                q[d * c + a] = 0.0;
            }
            for (int k = 0; k < 2; ++k) {
                if (body[k] >= 0) {
                    G[c][k] = jacobian_of(s, &s->contact[c], body[k]);
                    for (int a = 0; a < d; ++a) {
                        for (int i = 0; i < 6; ++i) {
                            q[d * c + a] += G[c][k].row[a][i] * s->velocity[body[k]][i];
                        }
                    }
                }
            }
        }
        for (int i = 0; i < n; ++i) {
            bodies_of(&s->contact[i], body);
            for (int j = 0; j < n; ++j) {
                double block[9] = {0.0};
                int touch = 0;
                bodies_of(&s->contact[j], other);
                for (int k = 0; k < 2; ++k) {
                    const int l = body[k] == other[0] ? 0 : body[k] == other[1] ? 1 : -1;
                    if (body[k] >= 0 && l >= 0) {
                        touch = 1;
                        for (int e = 0; e < d * d; ++e) {
                            block[e] += product(s, body[k], G[i][k].row[e / d], G[j][l].row[e % d]);
                        }
                    }
                }
                for (int e = 0; e < d * d && touch; ++e) {
                    row[entries] = d * i + e / d;
                    column[entries] = d * j + e % d;
                    value[entries++] = block[e];
                }
            }
        }
        memory = carom_friction_assemble(d, n, mu, q, entries, row, column, value, problem);
    }
    free(G);
    free(mu);
    free(row);
    free(value);
    return memory;
}

static scene *new_scene(int d, uint64_t seed)
{
    static scene s; /* large; tests run in one thread */
    memset(&s, 0, sizeof s);
    s.d = d;
    s.random = seed;
    return &s;
}

void *hyperstatic_problem(int number, carom_friction_problem *problem)
{
    scene *s = new_scene((number / HYPERSTATIC_KINDS) % 2 == 0 ? 2 : 3, (uint64_t)number * UINT64_C(0x632BE59BD9B4E019) + 1);
    kinds[number % HYPERSTATIC_KINDS].build(s);
    return problem_of(s, problem);
}

/* ---- tall towers, and bodies of very different mass ------------------------------------------------------------- */

void *tower_problem(int contacts, int wide, double stir, carom_friction_problem *problem)
{
    scene *s = new_scene(3, (uint64_t)contacts * 977U + (uint64_t)wide);
    const int rows = contacts / (4 * (2 * wide - 1)); /* a brick stands on the two below it, an outer one in every other row on one */
    for (int k = 0; k < rows; ++k) {
        for (int x = 0; x < wide; ++x) {
            const double shift = k % 2 == 0 ? 0.0 : 0.5, middle = 2.0 * (x + shift);
            const int b = add_body(s, middle, 0.5 + k, 0.0, 1.0, 0.8);
            for (int side = 0; side < 2; ++side) { /* the half of the brick on each brick below */
                const int below = wide == 1 ? k - 1 : k == 0 ? -1 : (k - 1) * wide + x + (k % 2 == 0 ? side - 1 : side);
                const int missing = wide > 1 && k > 0 && (below < (k - 1) * wide || below >= k * wide);
                const int points = wide == 1 ? 2 : 4;
                for (int corner = 0; corner < points && !missing; ++corner) {
                    const double inner = wide == 1 ? 0.9 : corner % 2 == 0 ? 0.95 : 0.1, z = (wide == 1 ? corner : corner / 2) == 0 ? 0.45 : -0.45;
                    const double at[3] = {middle + (side == 0 ? -inner : inner), k, z};
                    add_contact(s, b, below, at, (const double[3]){0, 1, 0}, 0.5);
                }
            }
        }
    }
    for (int b = 0; b < s->bodies; ++b) { /* one step of falling */
        for (int i = 0; i < 6; ++i) {
            s->velocity[b][i] = (i == 1 ? -0.01 : 0.0) + 0.01 * random_between(&s->random, -stir, stir);
        }
    }
    return problem_of(s, problem);
}

void *mass_ratio_problem(int number, carom_friction_problem *problem)
{
    scene *s = new_scene(3, (uint64_t)number * UINT64_C(0x9E3779B97F4A7C15) + 77);
    const int bodies = random_integer(s, 2, 6), kind = number % 3;
    const double mu = random_between(&s->random, 0.1, 1.0);
    for (int b = 0; b < bodies; ++b) { /* the heaviest is 1e10 times the lightest; in a tower on top or anywhere */
        const double part = kind == 0 ? (double)b / (bodies - 1) : b == 0 ? 0.0 : b == 1 ? 1.0 : random_between(&s->random, 0.0, 1.0);
        (void)add_body(s, random_between(&s->random, -0.1, 0.1), 0.5 + b, 0, pow(10.0, 10.0 * part - 5.0), 0.6);
    }
    if (kind < 2) { /* a tower, ten points with three rows each under every body */
        for (int b = 0; b < bodies; ++b) {
            for (int point = 0; point < 10; ++point) {
                const double at[3] = {random_between(&s->random, -0.4, 0.4), b, random_between(&s->random, -0.4, 0.4)};
                add_contact(s, b, b - 1, at, (const double[3]){0, 1, 0}, mu);
            }
        }
    } else {
        for (int point = 0; point < 10 * bodies; ++point) { /* 3 rows each: five times the freedoms */
            const int b = point % bodies, other = random_integer(s, -1, bodies - 1);
            double at[3], normal[3];
            for (int i = 0; i < 3; ++i) {
                at[i] = s->centre[b][i] + random_between(&s->random, -1, 1);
                normal[i] = random_between(&s->random, -1, 1);
            }
            add_contact(s, b, other == b ? -1 : other, at, normal, mu);
        }
    }
    set_moving(s, 0.5, 0.3);
    return problem_of(s, problem);
}
