/* The points of found contacts at any configuration, and how they move with their bodies: see carom/found.h. */
#include "bulk.h"

#include <math.h>
#include <stddef.h>

/* ---- points --------------------------------------------------------------------------------------------------- */

static void arms(const carom_scene *s, const double *q, const carom_bulk_contact *c, const carom_touch *t,
                 carom_point *p)
{
    const double *const xa = carom_place_of(s, q, c->a), *const xb = carom_place_of(s, q, c->b);
    p->gap = t->gap;
    for (int k = 0; k < 3; ++k) {
        p->normal[k] = t->normal[k];
        p->ra[k] = t->at[k] + 0.5 * t->gap * t->normal[k] - xa[k];
        p->rb[k] = t->at[k] - 0.5 * t->gap * t->normal[k] - xb[k];
    }
}

/* Two points that stay on their bodies. */
static void continued(const carom_scene *s, const double *q, const carom_bulk_contact *c, carom_point *p)
{
    const double *const xa = carom_place_of(s, q, c->a), *const xb = carom_place_of(s, q, c->b);
    double R[9], d[3];
    carom_matrix(carom_turn_of(s, q, c->a), R);
    carom_turned(R, c->ra, p->ra);
    carom_matrix(carom_turn_of(s, q, c->b), R);
    carom_turned(R, c->rb, p->rb);
    for (int k = 0; k < 3; ++k) {
        p->normal[k] = c->normal[k];
        d[k] = xa[k] + p->ra[k] - xb[k] - p->rb[k];
    }
    p->gap = carom_dot(p->normal, d);
}

/* On a field the feature is the triangle: a point that has come to the next one is the same point. */
static void rolled_on(const carom_found *f, const double *q, int i, int end, bool met[CAROM_TOUCH_MAX], int n,
                      const carom_touch *touch, carom_point *out)
{
    const carom_scene *const s = &f->scene;
    bool taken[CAROM_TOUCH_MAX] = {false};
    for (int k = 0; k < n; ++k) {
        for (int c = i; c < end; ++c) {
            taken[k] = taken[k] || touch[k].feature == f->contact[c].feature;
        }
    }
    for (int c = i; c < end; ++c) {
        const double *const xb = carom_place_of(s, q, f->contact[c].b);
        double nearest = HUGE_VAL;
        int best = -1;
        for (int k = 0; k < n && !met[c - i]; ++k) {
            double d[3];
            for (int l = 0; l < 3; ++l) {
                d[l] = touch[k].at[l] - xb[l] - f->contact[c].rb[l]; /* it is fixed: its own frame is that of space */
            }
            if (!taken[k] && carom_dot(d, d) < nearest) {
                nearest = carom_dot(d, d);
                best = k;
            }
        }
        if (best >= 0) {
            taken[best] = met[c - i] = true;
            arms(s, q, &f->contact[c], &touch[best], &out[c - i]);
        }
    }
}

int carom_points_of(const carom_found *f, const double *q, int i, carom_point out[CAROM_TOUCH_MAX])
{
    const carom_scene *const s = &f->scene;
    const int a = f->contact[i].a, b = f->contact[i].b;
    double margin = 0.0;
    int end = i;
    for (; end < f->count && f->contact[end].a == a && f->contact[end].b == b; ++end) {
        margin = fmax(margin, fabs(f->contact[end].gap));
    }
    const double size = fmin(s->bound[a], s->bound[b]);
    bool met[CAROM_TOUCH_MAX] = {false}, all = false;
    for (int attempt = 0; attempt < 2 && !all; ++attempt) { /* near first: looking far takes longer */
        carom_touch touch[CAROM_TOUCH_MAX];
        const int n = carom_scene_touches(s, q, a, b, 2.0 * margin + (attempt == 0 ? 0.1 : CAROM_FAR) * size, touch);
        all = true;
        for (int c = i; c < end; ++c) {
            for (int k = 0; k < n && !met[c - i]; ++k) {
                if (touch[k].feature == f->contact[c].feature) {
                    arms(s, q, &f->contact[c], &touch[k], &out[c - i]);
                    met[c - i] = true;
                }
            }
            all = all && met[c - i];
        }
        if (!all && s->shape[b].kind == CAROM_HEIGHTFIELD) {
            rolled_on(f, q, i, end, met, n, touch, out);
        }
    }
    for (int c = i; c < end; ++c) {
        if (!met[c - i]) {
            continued(s, q, &f->contact[c], &out[c - i]);
        }
    }
    return end;
}

/* ---- how they move ---------------------------------------------------------------------------------------------- */

void carom_motion_of(const carom_scene *s, const double *q, const double *v, int shape, double velocity[3],
                     double spin[3])
{
    const int body = s->body[shape];
    double R[9];
    for (int k = 0; k < 3; ++k) {
        velocity[k] = spin[k] = 0.0;
    }
    if (carom_is_free(s, body)) {
        const int *const at = s->where + 4 * body;
        carom_matrix(carom_turn_of(s, q, shape), R);
        carom_turned(R, v + at[3], spin);
        for (int k = 0; k < 3; ++k) {
            velocity[k] = v[at[2] + k];
        }
    }
}

/* q moved by a time along v, of the two bodies of a pair only. */
static void moved(const carom_scene *s, const double *q, const double *v, const int shape[2], double time,
                  double pose[2][7])
{
    for (int k = 0; k < 2; ++k) {
        const double *const x = carom_place_of(s, q, shape[k]), *const r = carom_turn_of(s, q, shape[k]);
        double velocity[3], spin[3], size = 0.0;
        carom_motion_of(s, q, v, shape[k], velocity, spin);
        for (int l = 0; l < 3; ++l) {
            pose[k][l] = x[l] + time * velocity[l];
            spin[l] *= 0.5 * time;
        }
        /* (1, spin dt / 2) r, to second order a turn: symmetric differences need no more */
        pose[k][3] = r[0] - spin[0] * r[1] - spin[1] * r[2] - spin[2] * r[3];
        pose[k][4] = r[1] + spin[0] * r[0] + spin[1] * r[3] - spin[2] * r[2];
        pose[k][5] = r[2] + spin[1] * r[0] + spin[2] * r[1] - spin[0] * r[3];
        pose[k][6] = r[3] + spin[2] * r[0] + spin[0] * r[2] - spin[1] * r[1];
        for (int l = 3; l < 7; ++l) {
            size += pose[k][l] * pose[k][l];
        }
        for (int l = 3; l < 7; ++l) {
            pose[k][l] /= sqrt(size);
        }
    }
}

/* First what was before, then the rate from that to what is after it. */
static void differ(double out[3], const double x[3], int after, double time)
{
    for (int k = 0; k < 3; ++k) {
        out[k] = after == 0 ? x[k] : (x[k] - out[k]) / time;
    }
}

/* Rates of normal and arms by differences: the pair alone, at two poses. */
static void by_differences(const carom_found *f, const double *q, const double *v, int i, int end,
                           carom_point_rate *out)
{
    const carom_scene *const s = &f->scene;
    const int pair[2] = {f->contact[i].a, f->contact[i].b};
    const double size = fmin(s->bound[pair[0]], s->bound[pair[1]]);
    double pose[2][7], speed = 0.0;
    carom_point p[CAROM_TOUCH_MAX];
    for (int k = 0; k < 2; ++k) {
        double velocity[3], spin[3];
        carom_motion_of(s, q, v, pair[k], velocity, spin);
        speed = fmax(speed, fmax(carom_length(velocity), size * carom_length(spin)));
    }
    for (int c = i; c < end; ++c) {
        out[c - i] = (carom_point_rate){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
    if (!(speed > 0.0)) {
        return;
    }
    const double step = 1e-5 * size / speed;
    for (int k = 0; k < 2; ++k) {
        carom_found alone = *f;
        alone.scene.alone = pair;
        moved(s, q, v, pair, k == 0 ? -step : step, pose);
        (void)carom_points_of(&alone, &pose[0][0], i, p);
        for (int c = 0; c < end - i; ++c) {
            differ(out[c].normal, p[c].normal, k, 2.0 * step);
            differ(out[c].ra, p[c].ra, k, 2.0 * step);
            differ(out[c].rb, p[c].rb, k, 2.0 * step);
        }
    }
}

/* The same of two spheres, or a sphere and a fixed plane, in closed form; false for others. */
static bool of_spheres(const carom_found *f, const carom_point *p, const carom_bulk_contact *c, double motion[4][3],
                       carom_point_rate *out)
{
    const carom_scene *const s = &f->scene;
    const carom_shape *const A = &s->shape[c->a], *const B = &s->shape[c->b];
    const bool plane = B->kind == CAROM_PLANE && !carom_is_free(s, c->j);
    if (A->kind != CAROM_SPHERE || !(B->kind == CAROM_SPHERE || plane)) {
        return false;
    }
    double da[3], db[3], ua[3], ub[3], d[3];
    const double rb = plane ? 0.0 : B->size[0];
    carom_along(p->ra, A->size[0], p->normal, da); /* from the bodies to the centres */
    carom_along(p->rb, -rb, p->normal, db);
    carom_cross(motion[1], da, ua);
    carom_cross(motion[3], db, ub);
    for (int k = 0; k < 3; ++k) {
        d[k] = motion[0][k] + ua[k] - motion[2][k] - ub[k];
    }
    const double along = carom_dot(d, p->normal), distance = A->size[0] + rb + p->gap;
    for (int k = 0; k < 3; ++k) {
        out->normal[k] = plane ? 0.0 : (d[k] - along * p->normal[k]) / distance;
        out->ra[k] = ua[k] - A->size[0] * out->normal[k];
        out->rb[k] = plane ? d[k] - along * p->normal[k] : ub[k] + rb * out->normal[k];
    }
    return true;
}

void carom_point_rates(const carom_found *f, const double *q, const double *v, int i, int end,
                       const carom_point p[CAROM_TOUCH_MAX], double motion[4][3], carom_point_rate out[CAROM_TOUCH_MAX])
{
    if (!of_spheres(f, &p[0], &f->contact[i], motion, &out[0])) {
        by_differences(f, q, v, i, end, out);
    }
}
