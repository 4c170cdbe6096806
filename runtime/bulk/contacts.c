/* Which shapes touch, where, and what the bodies are like there. */
#include "bulk.h"

#include <math.h>
#include <stddef.h>

#define WIDE 4.0 /* a shape this many times larger than the median is tried against all others */

static int fixed(const carom_bulk *b, int a) { return b->body[a] >= b->bodies; }

/* The middle one of the bounds of shapes on free bodies, by a heap sort in the work space; infinite when there are
 * none. */
static double median_bound(const carom_bulk *b)
{
    double *const x = b->place;
    int n = 0;
    for (int a = 0; a < b->shapes; ++a) {
        if (!fixed(b, a) && b->bound[a] < HUGE_VAL) {
            x[n++] = b->bound[a];
        }
    }
    for (int end = n, root = n / 2; end > 1;) {
        double moved;
        if (root > 0) {
            moved = x[--root];
        } else {
            moved = x[--end];
            x[end] = x[0];
        }
        int hole = root;
        for (int child = 2 * hole + 1; child < end; child = 2 * hole + 1) {
            child += child + 1 < end && x[child + 1] > x[child];
            if (x[child] <= moved) {
                break;
            }
            x[hole] = x[child];
            hole = child;
        }
        x[hole] = moved;
    }
    return n > 0 ? x[n / 2] : HUGE_VAL;
}

void carom_bulk_order(const carom_bulk *b)
{
    for (int a = 0; a < b->shapes; ++a) {
        b->bound[a] = carom_shape_radius(&b->shape[a]);
        b->label[a] = a;
    }
    const double limit = WIDE * median_bound(b);
    *b->wide = 0;
    for (int a = 0; a < b->shapes; ++a) {
        /* to the end of the wide ones; what was there moves up in order */
        if (fixed(b, a) || !(b->bound[a] <= limit)) {
            const carom_shape shape = b->shape[a];
            const int body = b->body[a], label = b->label[a];
            const double bound = b->bound[a];
            for (int k = a; k > *b->wide; --k) {
                b->shape[k] = b->shape[k - 1];
                b->body[k] = b->body[k - 1];
                b->label[k] = b->label[k - 1];
                b->bound[k] = b->bound[k - 1];
            }
            const int to = (*b->wide)++;
            b->shape[to] = shape;
            b->body[to] = body;
            b->label[to] = label;
            b->bound[to] = bound;
        }
    }
}

/* The middle of a shape in space. */
static void centre_of(const carom_scene *b, const double *q, int a, double out[3])
{
    const double *const x = carom_place_of(b, q, a), *const at = b->shape[a].at;
    double turned[3] = {0.0, 0.0, 0.0};
    if (at[0] != 0.0 || at[1] != 0.0 || at[2] != 0.0) {
        double R[9];
        carom_matrix(carom_turn_of(b, q, a), R);
        carom_turned(R, at, turned);
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = x[k] + turned[k];
    }
}

static void plane_normal(const carom_shape *plane, double n[3])
{
    double R[9];
    carom_matrix(plane->turn, R);
    n[0] = R[2];
    n[1] = R[5];
    n[2] = R[8];
}

/* Touches of shapes a and b with gap <= margin; ca, cb are their middles. What spheres do is common enough to be done
 * here. */
static int touches(const carom_scene *b, const double *q, int a, int other, const double ca[3], const double cb[3],
                   double margin, carom_touch out[CAROM_TOUCH_MAX])
{
    const carom_shape *const A = &b->shape[a], *const B = &b->shape[other];
    if (A->kind == CAROM_SPHERE && B->kind == CAROM_SPHERE) {
        const double d[3] = {ca[0] - cb[0], ca[1] - cb[1], ca[2] - cb[2]};
        const double distance = sqrt(carom_dot(d, d));
        out->gap = distance - A->size[0] - B->size[0];
        for (int k = 0; k < 3; ++k) {
            out->normal[k] = distance > 0.0 ? d[k] / distance : (k == 2);
            out->at[k] = ca[k] - (A->size[0] + 0.5 * out->gap) * out->normal[k];
        }
        out->feature = 0;
        return out->gap <= margin;
    }
    if (A->kind == CAROM_SPHERE && B->kind == CAROM_PLANE && b->body[other] >= b->bodies) {
        plane_normal(B, out->normal);
        const double d[3] = {ca[0] - cb[0], ca[1] - cb[1], ca[2] - cb[2]};
        out->gap = carom_dot(out->normal, d) - A->size[0];
        for (int k = 0; k < 3; ++k) {
            out->at[k] = ca[k] - (A->size[0] + 0.5 * out->gap) * out->normal[k];
        }
        out->feature = 0;
        return out->gap <= margin;
    }
    carom_pose pa, pb;
    carom_shape_pose(A, carom_place_of(b, q, a), carom_turn_of(b, q, a), &pa);
    carom_shape_pose(B, carom_place_of(b, q, other), carom_turn_of(b, q, other), &pb);
    return carom_collide(A, &pa, B, &pb, margin, out, CAROM_TOUCH_MAX);
}

int carom_scene_touches(const carom_scene *b, const double *q, int a, int other, double margin,
                        carom_touch out[CAROM_TOUCH_MAX])
{
    double ca[3], cb[3];
    centre_of(b, q, a, ca);
    centre_of(b, q, other, cb);
    return touches(b, q, a, other, ca, cb, margin, out);
}

/* Normal, gap and arms of a contact from a touch. */
static void geometry(const carom_scene *b, const double *q, const carom_touch *t, carom_bulk_contact *c)
{
    const double *const xa = carom_place_of(b, q, c->a), *const xb = carom_place_of(b, q, c->b);
    c->gap = t->gap;
    for (int k = 0; k < 3; ++k) {
        c->normal[k] = t->normal[k];
        c->ra[k] = t->at[k] + 0.5 * t->gap * t->normal[k] - xa[k];
        c->rb[k] = t->at[k] - 0.5 * t->gap * t->normal[k] - xb[k];
    }
}

/* Bodies in space from positions and velocities with spins in the frames of the bodies. */
static void load(const carom_bulk *b, const double *q, const double *v)
{
    for (int i = 0; i < b->bodies; ++i) {
        carom_bulk_body *const body = &b->at[i];
        const int *const at = b->where != NULL ? b->where + 4 * i : (const int[4]){7 * i, 7 * i + 3, 6 * i, 6 * i + 3};
        double R[9];
        carom_matrix(q + at[1], R);
        for (int k = 0; k < 3; ++k) {
            body->v[k] = v[at[2] + k];
        }
        carom_turned(R, v + at[3], body->w);
        if (b->alike == NULL) {
            continue;
        }
        body->m = 1.0 / b->mass[i];
        const double *const J = b->inverse + 9 * i;
        if (b->alike[i]) {
            for (int k = 0; k < 3; ++k) {
                body->I[k] = J[0];
                body->I[3 + k] = 0.0;
            }
        } else {
            double T[9]; /* R J */
            for (int k = 0; k < 3; ++k) {
                for (int l = 0; l < 3; ++l) {
                    T[3 * k + l] = R[3 * k] * J[l] + R[3 * k + 1] * J[3 + l] + R[3 * k + 2] * J[6 + l];
                }
            }
            body->I[0] = carom_dot(T, R);
            body->I[1] = carom_dot(T + 3, R + 3);
            body->I[2] = carom_dot(T + 6, R + 6);
            body->I[3] = carom_dot(T, R + 3);
            body->I[4] = carom_dot(T, R + 6);
            body->I[5] = carom_dot(T + 3, R + 6);
        }
    }
    b->at[b->bodies] = (carom_bulk_body){.m = 0.0};
}

static int is_round(const carom_bulk *b, const carom_bulk_contact *c)
{
    const int pair[2] = {c->a, c->b};
    for (int k = 0; k < 2 && b->alike != NULL; ++k) {
        const carom_shape *const s = &b->shape[pair[k]];
        const int body = b->body[pair[k]];
        const int central = s->kind == CAROM_SPHERE && s->at[0] == 0.0 && s->at[1] == 0.0 && s->at[2] == 0.0;
        if (body < b->bodies && !(central && b->alike[body])) {
            return 0;
        }
    }
    return b->alike != NULL;
}

/* What the search shares: middles, and how far the points of each shape can come in the time that counts. */
typedef struct {
    carom_scene scene;
    const double *q;
    const double *centre, *reach;
    double ahead, tg;
    int full;
} search;

static double beyond_of(const carom_bulk *b, int a)
{
    return b->beyond != NULL && !fixed(b, a) ? b->beyond[b->body[a]] : 0.0;
}

static void try_pair(const carom_bulk *b, search *s, int a, int other)
{
    const double margin = s->reach[a] + s->reach[other] + s->tg;
    carom_touch touch[CAROM_TOUCH_MAX];
    if (b->body[a] == b->body[other] || s->full) {
        return;
    }
    const int n = touches(&s->scene, s->q, a, other, s->centre + 3 * a, s->centre + 3 * other, margin, touch);
    for (int k = 0; k < n; ++k) {
        carom_bulk_contact c = {.a = a, .b = other, .feature = touch[k].feature, .i = b->body[a], .j = b->body[other]};
        double u[3];
        geometry(&s->scene, s->q, &touch[k], &c);
        carom_relative(&c, &b->at[c.i], &b->at[c.j], u);
        c.rate = carom_dot(c.normal, u);
        const double beyond = b->beyond != NULL ? beyond_of(b, a) + beyond_of(b, other) : 0.0;
        if (c.gap + s->ahead * (b->beyond != NULL ? fmin(c.rate, 0.0) : c.rate) > s->tg + beyond) {
            continue;
        }
        if (*b->contacts == b->maximum) {
            s->full = 1;
            return;
        }
        c.pair = b->material != NULL ? b->materials * b->material[b->label[a]] + b->material[b->label[other]] : 0;
        c.mu = b->friction[c.pair];
        c.bias = b->restitution[c.pair] * c.rate;
        c.round = is_round(b, &c);
        b->contact[(*b->contacts)++] = c;
    }
}

/* May a shape come near a wide one? Planes at a glance, others by their bounds. */
static int near_wide(const carom_bulk *b, const search *s, int a, int wide)
{
    const carom_shape *const W = &b->shape[wide];
    const double far = b->bound[a] + s->reach[a] + s->reach[wide] + s->tg;
    const double *const x = s->centre + 3 * a, *const y = s->centre + 3 * wide;
    const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    if (W->kind == CAROM_PLANE && fixed(b, wide)) {
        double n[3];
        plane_normal(W, n);
        return carom_dot(n, d) <= far;
    }
    const double sum = far + b->bound[wide];
    return carom_dot(d, d) <= sum * sum;
}

carom_status carom_bulk_find(const carom_bulk *b, const double *q, const double *v, double gamma, double h, double tg)
{
    const int wide = *b->wide, count = b->shapes - wide;
    double *const sphere = b->place, *const sorted = sphere + 4 * b->shapes;
    double *const centre = sorted + 4 * b->shapes, *const reach = centre + 3 * b->shapes;
    int *const near = b->grid + CAROM_BULK_GRID_SIZE(b->shapes) - b->shapes;
    search s = {.scene = carom_scene_of(b), .q = q, .centre = centre, .reach = reach, .ahead = gamma * h, .tg = tg};
    carom_grid grid;
    load(b, q, v);
    *b->contacts = 0;
    for (int a = 0; a < b->shapes; ++a) {
        const carom_bulk_body *const body = &b->at[b->body[a]];
        const carom_shape *const shape = &b->shape[a];
        const double arm = sqrt(carom_dot(shape->at, shape->at)) + (shape->kind == CAROM_SPHERE ? 0.0 : b->bound[a]);
        const double spin = sqrt(carom_dot(body->w, body->w));
        centre_of(&s.scene, q, a, centre + 3 * a);
        reach[a] = beyond_of(b, a) + s.ahead * (sqrt(carom_dot(body->v, body->v)) + (spin > 0.0 ? spin * arm : 0.0));
        if (a >= wide) {
            double *const ball = sphere + 4 * (a - wide);
            for (int k = 0; k < 3; ++k) {
                ball[k] = centre[3 * a + k];
            }
            ball[3] = b->bound[a] + reach[a] + 0.5 * fabs(tg);
        }
    }
    carom_grid_build(&grid, count, sphere, b->grid, sorted);
    for (int a = 0; a < b->shapes; ++a) {
        for (int k = 0; k < wide && k < a; ++k) {
            if (!(fixed(b, a) && fixed(b, k)) && near_wide(b, &s, a, k)) {
                try_pair(b, &s, a, k);
            }
        }
        if (a >= wide) {
            const int found = carom_grid_near(&grid, sphere, a - wide, near);
            for (int k = 0; k < found; ++k) {
                try_pair(b, &s, a, near[k] + wide);
            }
        }
    }
    return s.full ? CAROM_CAPACITY : CAROM_OK;
}

static int before(const carom_bulk_memory *m, const carom_bulk_contact *c)
{
    if (m->a != c->a) {
        return m->a < c->a;
    }
    return m->b != c->b ? m->b < c->b : m->feature < c->feature;
}

void carom_bulk_recall(const carom_bulk *b, double scale)
{
    int k = 0;
    for (int i = 0; i < *b->contacts; ++i) {
        carom_bulk_contact *const c = &b->contact[i];
        while (k < *b->memories && before(&b->memory[k], c)) {
            ++k;
        }
        const carom_bulk_memory *const m = &b->memory[k];
        c->known = k < *b->memories && m->a == c->a && m->b == c->b && m->feature == c->feature;
        for (int l = 0; l < 3; ++l) {
            c->r[l] = c->known ? scale * m->r[l] : 0.0;
        }
    }
}

int carom_bulk_remember(const carom_bulk *b)
{
    int fresh = 0;
    *b->memories = *b->contacts;
    for (int i = 0; i < *b->contacts; ++i) {
        const carom_bulk_contact *const c = &b->contact[i];
        b->memory[i] = (carom_bulk_memory){c->a, c->b, c->feature, {c->r[0], c->r[1], c->r[2]}};
        fresh += !c->known && carom_dot(c->r, c->r) > 0.0;
    }
    return fresh;
}

/* Geometry at q of the contacts i to end - 1, all of one pair, as far as their gaps are within a margin; 0 when some
 * are farther apart or gone. */
static int follow(const carom_bulk *b, const double *q, int i, int end, double margin)
{
    const int first = b->contact[i].a, second = b->contact[i].b;
    const carom_scene scene = carom_scene_of(b);
    carom_touch touch[CAROM_TOUCH_MAX];
    int found = 0;
    const int n = carom_scene_touches(&scene, q, first, second, margin, touch);
    for (int c = i; c < end; ++c) {
        for (int k = 0; k < n; ++k) {
            if (touch[k].feature == b->contact[c].feature) {
                geometry(&scene, q, &touch[k], &b->contact[c]);
                ++found;
            }
        }
    }
    return found >= end - i;
}

void carom_bulk_place(const carom_bulk *b, const double *q, const double *v)
{
    load(b, q, v);
    for (int i = 0; i < b->bodies; ++i) {
        for (int k = 0; k < 3; ++k) {
            b->free[6 * i + k] = b->at[i].v[k];
            b->free[6 * i + 3 + k] = b->at[i].w[k];
        }
    }
    for (int i = 0, end; i < *b->contacts; i = end) { /* the contacts of one pair stand together */
        const int first = b->contact[i].a, second = b->contact[i].b;
        double margin = 0.0;
        for (end = i; end < *b->contacts && b->contact[end].a == first && b->contact[end].b == second; ++end) {
            margin = fmax(margin, fabs(b->contact[end].gap));
        }
        const double size = fmin(b->bound[first], b->bound[second]);
        /* one that has bounced off is farther than before; one that is gone keeps the arms and the normal it had */
        if (!follow(b, q, i, end, 2.0 * margin + 0.1 * size)) {
            (void)follow(b, q, i, end, 2.0 * margin + CAROM_FAR * size);
        }
    }
    carom_bulk_prepare(b);
}

/* Velocity of the two points of a contact against each other, across the normal. */
static void slip_of(const carom_bulk *b, const carom_bulk_contact *c, double u[3])
{
    const carom_bulk_body *const i = &b->at[c->i], *const j = &b->at[c->j];
    double wi[3], wj[3];
    carom_cross(i->w, c->ra, wi);
    carom_cross(j->w, c->rb, wj);
    for (int k = 0; k < 3; ++k) {
        u[k] = i->v[k] + wi[k] - j->v[k] - wj[k];
    }
    const double along = carom_dot(u, c->normal);
    for (int k = 0; k < 3; ++k) {
        u[k] -= along * c->normal[k];
    }
}

carom_bulk_tally carom_bulk_count(const carom_bulk *b, double slow)
{
    carom_bulk_tally tally = {.deepest = -1};
    for (int n = 0; n < *b->contacts; ++n) {
        const carom_bulk_contact *const c = &b->contact[n];
        double u[3];
        slip_of(b, c, u);
        const carom_contact_status status = carom_contact_status_of(carom_dot(c->r, c->normal), c->mu, 3, u, slow);
        tally.sticking += status == CAROM_CONTACT_STICK ? 1 : 0;
        tally.sliding += status == CAROM_CONTACT_SLIP ? 1 : 0;
        for (int k = 0; k < 3 && (c->i == b->bodies || c->j == b->bodies); ++k) {
            tally.support[k] += c->j == b->bodies ? c->r[k] : -c->r[k];
        }
        if (-c->gap > tally.penetration) {
            tally.penetration = -c->gap;
            tally.deepest = n;
        }
    }
    return tally;
}

carom_status carom_bulk_invert(const double J[9], double inverse[9])
{
    double c[9];
    carom_cross(J + 3, J + 6, c);
    carom_cross(J + 6, J, c + 3);
    carom_cross(J, J + 3, c + 6);
    const double determinant = carom_dot(J, c);
    if (!(J[0] > 0.0 && c[8] > 0.0 && determinant > 0.0 && determinant < HUGE_VAL)) {
        return CAROM_SINGULAR_MASS;
    }
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            inverse[3 * k + l] = c[3 * l + k] / determinant;
        }
    }
    return CAROM_OK;
}

void carom_bulk_gyroscopic(const carom_bulk *b, int i, const double w[3], double out[3])
{
    double L[3], turned[3];
    if (b->alike[i]) {
        out[0] = out[1] = out[2] = 0.0;
        return;
    }
    carom_turned(b->inertia + 9 * i, w, L);
    carom_cross(L, w, turned);
    carom_turned(b->inverse + 9 * i, turned, out);
}

double carom_bulk_energy(const carom_bulk *b, const double *v)
{
    double twice = 0.0;
    for (int i = 0; i < b->bodies; ++i) {
        const double *const u = v + 6 * i, *const w = u + 3;
        double L[3];
        carom_turned(b->inertia + 9 * i, w, L);
        twice += b->mass[i] * carom_dot(u, u) + carom_dot(w, L);
    }
    return 0.5 * twice;
}

void carom_bulk_velocities(const carom_bulk *b, const double *q, double *v)
{
    for (int i = 0; i < b->bodies; ++i) {
        double R[9];
        carom_matrix(q + 7 * i + 3, R);
        for (int k = 0; k < 3; ++k) {
            v[6 * i + k] = b->at[i].v[k];
        }
        carom_turned_back(R, b->at[i].w, v + 6 * i + 3);
    }
}
