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
    }
    b->at[b->bodies] = (carom_bulk_body){.v = {0.0}};
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
