/* Rows of contacts that are found while running: see carom/found.h. */
#include "carom/found.h"

#include "bulk.h"

#include <math.h>
#include <stddef.h>

/* ---- the bodies of a contact: the one place that knows how they move -------------------------------------------- */

/* Columns of a body in rows of G, or of its spin alone; returns how many there are. */
static int columns_of(const carom_bulk *b, int body, bool spin, int *Gj)
{
    if (body >= b->bodies) {
        return 0;
    }
    const int *const at = b->where + 4 * body;
    for (int k = 0; k < (spin ? 3 : 6); ++k) {
        Gj[k] = spin || k > 2 ? at[3] + k % 3 : at[2] + k;
    }
    return spin ? 3 : 6;
}

/* The velocity along `direction` of the body's point at `arm` by its velocities, times a sign; returns how many values
 * there are. R: of the body. */
static int values_of(const carom_scene *s, int body, const double R[9], const double arm[3], const double direction[3],
                     double sign, double *G)
{
    double moment[3], own[3];
    if (!carom_is_free(s, body)) {
        return 0;
    }
    carom_cross(arm, direction, moment);
    carom_turned_back(R, moment, own);
    for (int k = 0; k < 3; ++k) {
        G[k] = sign * direction[k];
        G[3 + k] = sign * own[k];
    }
    return 6;
}

/* The spin about `direction` times a factor. */
static int spin_values_of(const carom_scene *s, int body, const double R[9], const double direction[3], double factor,
                          double *G)
{
    double own[3];
    if (!carom_is_free(s, body)) {
        return 0;
    }
    carom_turned_back(R, direction, own);
    for (int k = 0; k < 3; ++k) {
        G[k] = factor * own[k];
    }
    return 3;
}

/* The side from which the tangents of a contact are taken is that of the step's start, so that they do not leap. */
static double side_of(const carom_bulk_contact *c) { return c->normal[2] >= -0.4 ? 1.0 : -1.0; }

static void tangents_of(double s, const double n[3], double t[2][3])
{
    const double a = -1.0 / (s + n[2]), b = n[0] * n[1] * a;
    t[0][0] = 1.0 + s * n[0] * n[0] * a;
    t[0][1] = s * b;
    t[0][2] = -s * n[0];
    t[1][0] = b;
    t[1][1] = s + n[1] * n[1] * a;
    t[1][2] = -n[1];
}

/* and their rates with that of the normal */
static void tangent_rates(double s, const double n[3], const double dn[3], double t[2][3])
{
    const double a = -1.0 / (s + n[2]), da = dn[2] * a * a;
    const double b = dn[0] * n[1] * a + n[0] * dn[1] * a + n[0] * n[1] * da;
    t[0][0] = s * (2.0 * n[0] * dn[0] * a + n[0] * n[0] * da);
    t[0][1] = s * b;
    t[0][2] = -s * dn[0];
    t[1][0] = b;
    t[1][1] = 2.0 * n[1] * dn[1] * a + n[1] * n[1] * da;
    t[1][2] = -dn[1];
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

void carom_found_pattern(const carom_bulk *b, carom_found_spins spins, int gaps, int tangents, const int *written_Gp,
                         const int *written_Gj, int *Gp, int *Gj)
{
    const int rows[2] = {carom_found_contacts(spins), carom_found_tangents(spins)};
    int row = 0, at = 0;
    Gp[0] = 0;
    for (int part = 0; part < 2; ++part) {
        const int first = part == 0 ? 0 : gaps, last = part == 0 ? gaps : gaps + tangents;
        for (int j = first; j < last; ++j) {
            for (int k = written_Gp[j]; k < written_Gp[j + 1]; ++k) {
                Gj[at++] = written_Gj[k];
            }
            Gp[++row] = at;
        }
        for (int i = 0; i < *b->contacts; ++i) {
            for (int l = 0; l < rows[part]; ++l) {
                const bool own = l < part + 1; /* of the point; normals of what rides on it have no columns */
                at += own || part > 0 ? columns_of(b, b->contact[i].i, !own, Gj + at) : 0;
                at += own || part > 0 ? columns_of(b, b->contact[i].j, !own, Gj + at) : 0;
                Gp[++row] = at;
            }
        }
    }
}

/* The first rows of a contact. */
static int normal_of(const carom_found *f, int c) { return f->normal + c * carom_found_contacts(f->spins); }
static int tangent_of(const carom_found *f, int c) { return f->tangent + c * carom_found_tangents(f->spins); }

/* The spin that tangent k beyond the second resists, its direction and length. */
static double spin_of(const carom_found *f, int c, int k, const double normal[3], double t[2][3], double direction[3])
{
    const bool rolls = f->spins.rolling != NULL && k < 2;
    const double *const from = rolls ? t[k] : normal;
    for (int l = 0; l < 3; ++l) {
        direction[l] = from[l];
    }
    return (rolls ? f->spins.rolling : f->spins.pivoting)[f->contact[c].pair];
}

/* The rows of one contact from its point; Ra, Rb: of its bodies. */
static void rows_of(const carom_found *f, int c, const carom_point *at, const double Ra[9], const double Rb[9],
                    double *g, double *G)
{
    const carom_bulk_contact *const contact = &f->contact[c];
    double t[2][3];
    tangents_of(side_of(contact), at->normal, t);
    const int normal = normal_of(f, c), tangent = tangent_of(f, c);
    g[normal] = at->gap;
    for (int l = 0; l < 3; ++l) {
        const double *const direction = l == 0 ? at->normal : t[l - 1];
        double *const row = G + f->Gp[l == 0 ? normal : tangent + l - 1];
        const int first = values_of(&f->scene, contact->i, Ra, at->ra, direction, 1.0, row);
        (void)values_of(&f->scene, contact->j, Rb, at->rb, direction, -1.0, row + first);
    }
    for (int l = 1; l < carom_found_contacts(f->spins); ++l) {
        g[normal + l] = 0.0;
    }
    for (int l = 2; l < carom_found_tangents(f->spins); ++l) {
        double axis[3], *const row = G + f->Gp[tangent + l];
        const double length = spin_of(f, c, l - 2, at->normal, t, axis);
        const int first = spin_values_of(&f->scene, contact->i, Ra, axis, length, row);
        (void)spin_values_of(&f->scene, contact->j, Rb, axis, -length, row + first);
    }
}

static void turns_of(const carom_scene *s, const double *q, const carom_bulk_contact *c, double Ra[9], double Rb[9])
{
    carom_matrix(carom_turn_of(s, q, c->a), Ra);
    carom_matrix(carom_turn_of(s, q, c->b), Rb);
}

void carom_found_rows(const carom_found *f, const double *q, double *g, double *G)
{
    carom_point p[CAROM_TOUCH_MAX];
    for (int i = 0, end; i < f->count; i = end) {
        double Ra[9], Rb[9];
        end = carom_points_of(f, q, i, p);
        turns_of(&f->scene, q, &f->contact[i], Ra, Rb);
        for (int c = i; c < end; ++c) {
            rows_of(f, c, &p[c - i], Ra, Rb, g, G);
        }
    }
}

void carom_found_begin(const carom_found *f, const double *q, carom_bulk_contact *contact, double *g, double *G)
{
    double Ra[9], Rb[9];
    for (int i = 0; i < f->count; ++i) {
        carom_bulk_contact *const c = &contact[i];
        carom_point at = {.gap = c->gap};
        if (i == 0 || c->a != contact[i - 1].a || c->b != contact[i - 1].b) {
            turns_of(&f->scene, q, c, Ra, Rb);
        }
        for (int k = 0; k < 3; ++k) {
            at.normal[k] = c->normal[k];
            at.ra[k] = c->ra[k];
            at.rb[k] = c->rb[k];
        }
        rows_of(f, i, &at, Ra, Rb, g, G);
        carom_turned_back(Ra, at.ra, c->ra);
        carom_turned_back(Rb, at.rb, c->rb);
    }
}

/* ---- rates of rows ---------------------------------------------------------------------------------------------- */

void carom_found_bias(const carom_found *f, const double *q, const double *v, double *gam)
{
    carom_point p[CAROM_TOUCH_MAX];
    carom_point_rate dp[CAROM_TOUCH_MAX];
    for (int i = 0, end; i < f->count; i = end) {
        double motion[4][3];
        const double *const va = motion[0], *const wa = motion[1], *const vb = motion[2], *const wb = motion[3];
        end = carom_points_of(f, q, i, p);
        carom_motion_of(&f->scene, q, v, f->contact[i].a, motion[0], motion[1]);
        carom_motion_of(&f->scene, q, v, f->contact[i].b, motion[2], motion[3]);
        carom_point_rates(f, q, v, i, end, p, motion, dp);
        for (int c = i; c < end; ++c) {
            const carom_point *const at = &p[c - i];
            const carom_point_rate *const d = &dp[c - i];
            double xa[3], xb[3], ya[3], yb[3], u[3], du[3], t[2][3], dt[2][3];
            carom_cross(wa, at->ra, xa);
            carom_cross(wb, at->rb, xb);
            carom_cross(wa, d->ra, ya);
            carom_cross(wb, d->rb, yb);
            for (int k = 0; k < 3; ++k) { /* velocity of the points against each other, and its rate while v stays */
                u[k] = va[k] + xa[k] - vb[k] - xb[k];
                du[k] = ya[k] - yb[k];
            }
            tangents_of(side_of(&f->contact[c]), at->normal, t);
            tangent_rates(side_of(&f->contact[c]), at->normal, d->normal, dt);
            gam[normal_of(f, c)] = carom_dot(at->normal, du) + carom_dot(d->normal, u);
            for (int l = 0; l < 2; ++l) {
                gam[tangent_of(f, c) + l] = carom_dot(t[l], du) + carom_dot(dt[l], u);
            }
            for (int l = 1; l < carom_found_contacts(f->spins); ++l) {
                gam[normal_of(f, c) + l] = 0.0;
            }
            for (int l = 2; l < carom_found_tangents(f->spins); ++l) { /* spins stay in space while v does */
                double turning[3];
                const double length = spin_of(f, c, l - 2, d->normal, dt, turning);
                const double w[3] = {wa[0] - wb[0], wa[1] - wb[1], wa[2] - wb[2]};
                gam[tangent_of(f, c) + l] = length * carom_dot(turning, w);
            }
        }
    }
}

/* ---- what contacts did ------------------------------------------------------------------------------------------ */

#define SLOW 1e-8 /* slip below this is none in any case */

carom_found_tally carom_found_count(const carom_found *f, int nv, const int *Gj, const double *g, const double *G,
                                    const double *v, const double *J, double h, double ahead, double tg, double leaves,
                                    double (*given)[3])
{
    carom_found_tally tally = {.contacts = 0};
    double fastest = 0.0;
    for (int i = 0; i < nv; ++i) {
        fastest = fmax(fastest, fabs(v[i]));
    }
    const double slow = fmax(SLOW, leaves * fastest);
    for (int i = 0; i < f->count; ++i) {
        const carom_bulk_contact *const c = &f->contact[i];
        const int row[3] = {normal_of(f, i), tangent_of(f, i), tangent_of(f, i) + 1};
        double slip[2] = {0.0, 0.0};
        tally.contacts += c->gap + ahead * c->rate <= tg ? 1 : 0;
        tally.penetration = fmax(tally.penetration, -g[row[0]]);
        for (int l = 0; l < 3; ++l) {
            given[i][l] = J[row[l]];
        }
        if (!(J[row[0]] > 0.0)) {
            continue;
        }
        for (int l = 1; l < 3; ++l) {
            for (int k = f->Gp[row[l]]; k < f->Gp[row[l] + 1]; ++k) {
                slip[l - 1] += G[k] * v[Gj[k]];
            }
        }
        const carom_contact_status status = carom_contact_status_of(J[row[0]], c->mu, 2, slip, slow);
        tally.sticking += status == CAROM_CONTACT_STICK ? 1 : 0;
        tally.sliding += status == CAROM_CONTACT_SLIP ? 1 : 0;
        for (int l = 0; l < 3 && carom_is_free(&f->scene, c->i) != carom_is_free(&f->scene, c->j); ++l) {
            for (int k = 0; k < 3; ++k) { /* the first values are of the place of the only body */
                tally.support[k] += J[row[l]] * G[f->Gp[row[l]] + k] / h;
            }
        }
    }
    return tally;
}

int carom_found_presses(const carom_found *f, const double *q, const double (*given)[3], carom_press *list)
{
    carom_point p[CAROM_TOUCH_MAX];
    int count = 0;
    for (int i = 0, end; i < f->count; i = end) {
        const double *const place = carom_place_of(&f->scene, q, f->contact[i].a);
        end = carom_points_of(f, q, i, p);
        for (int c = i; c < end; ++c) {
            if (!(given[c][0] > 0.0)) {
                continue;
            }
            carom_press *const press = &list[count++];
            for (int k = 0; k < 3; ++k) {
                press->at[k] = place[k] + p[c - i].ra[k];
                press->normal[k] = p[c - i].normal[k];
            }
            press->impulse = given[c][0];
            press->friction = hypot(given[c][1], given[c][2]);
            press->mu = f->contact[c].mu;
        }
    }
    return count;
}

double carom_found_energy(const carom_kkt_tables *t, const double *A, const double *v)
{
    double sum = 0.0;
    for (int k = 0; k < t->na; ++k) {
        sum += (t->Ai[k] == t->Aj[k] ? 0.5 : 1.0) * A[k] * v[t->Ai[k]] * v[t->Aj[k]];
    }
    return sum;
}
