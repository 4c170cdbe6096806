/* Random hyperstatic contact problems. Rigid bodies (3 freedoms in the plane, 6 in space) and contact points with
 * normals between them or with the ground give G; W = G M^-1 G^T, q = G v. */
#include "hyperstatic.h"

#include <math.h>
#include <stdlib.h>

#define BODIES 12
#define CONTACTS 72

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

/* Row of G for one direction of a contact on body b: force and moment; zero when the body is not concerned. */
static void jacobian(const scene *s, const contact_point *c, const double direction[3], int b, double row[6])
{
    const double sign = c->body == b ? 1.0 : (c->other == b ? -1.0 : 0.0);
    double arm[3], moment[3];
    for (int i = 0; i < 3; ++i) {
        arm[i] = c->at[i] - s->centre[b][i];
    }
    cross(arm, direction, moment);
    for (int i = 0; i < 3; ++i) {
        row[i] = sign * direction[i];
        row[3 + i] = sign * moment[i];
    }
}

void *hyperstatic_problem(int number, carom_friction_problem *problem)
{
    static scene s; /* large; tests run in one thread */
    s = (scene){.random = (uint64_t)number * UINT64_C(0x632BE59BD9B4E019) + 1};
    s.d = (number / HYPERSTATIC_KINDS) % 2 == 0 ? 2 : 3;
    kinds[number % HYPERSTATIC_KINDS].build(&s);
    const int d = s.d, n = s.contacts, size = d * n;
    double(*G)[6] = malloc(sizeof(double[6]) * (size_t)(size * s.bodies));
    double *mu = malloc(sizeof(double) * (size_t)(n + size)), *q = mu + n;
    int *row = malloc(sizeof(int) * 2 * (size_t)(size * size)), *column = row + size * size;
    double *value = malloc(sizeof(double) * (size_t)(size * size));
    void *memory = NULL;
    if (G != NULL && mu != NULL && row != NULL && value != NULL) {
        int entries = 0;
        for (int c = 0; c < n; ++c) {
            double axis[3][3];
            frame(&s, &s.contact[c], axis);
            mu[c] = s.contact[c].mu;
            for (int a = 0; a < d; ++a) {
                q[d * c + a] = 0.0;
                for (int b = 0; b < s.bodies; ++b) {
                    double *g = G[(d * c + a) * s.bodies + b];
                    jacobian(&s, &s.contact[c], axis[a], b, g);
                    for (int i = 0; i < 6; ++i) {
                        /* in the plane forces have no z and moments only z, so that one formula serves both */
                        q[d * c + a] += g[i] * s.velocity[b][i];
                    }
                }
            }
        }
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) {
                double sum = 0.0;
                int touch = 0;
                for (int b = 0; b < s.bodies; ++b) {
                    const contact_point *ci = &s.contact[i / d], *cj = &s.contact[j / d];
                    const double *gi = G[i * s.bodies + b], *gj = G[j * s.bodies + b];
                    touch = touch || ((ci->body == b || ci->other == b) && (cj->body == b || cj->other == b));
                    sum += (gi[0] * gj[0] + gi[1] * gj[1] + gi[2] * gj[2]) / s.mass[b] +
                           (gi[3] * gj[3] + gi[4] * gj[4] + gi[5] * gj[5]) / s.inertia[b];
                }
                if (touch) {
                    row[entries] = i;
                    column[entries] = j;
                    value[entries++] = sum;
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
