/* Exact solution of one contact: u = W r + b with Signorini in the normal and Coulomb in the tangent.
 *
 * b_N >= 0: nothing presses, r = 0. Otherwise u_N = 0 eliminates the normal impulse,
 *
 *     n(t) = -(b_N + W_NT t) / W_NN,      u_T = S t + c,    S = W_TT - W_TN W_NT / W_NN,   c = b_T - W_TN b_N / W_NN.
 *
 * Stick is t = -S^-1 c if |t| <= mu n. Else the contact slides, u_T = -a t with some a > 0, so
 *
 *     t(a) = -(S + a I)^-1 c     and a is the root of     psi(a) = mu n(t(a)) / |t(a)| - 1.
 *
 * psi < 0 at a = 0 (stick failed) and psi > 0 for large a (t -> 0 and n -> -b_N/W_NN > 0): a root always exists. psi is
 * nearly linear, exactly so for isotropic S without coupling, hence Newton from a = 0 inside that bracket. In the plane
 * t has the sign of -c whatever a is, and the root is a division.
 *
 * The off-diagonal entries of W are used as they are: averaging them makes Gauss-Seidel stall where W is not quite
 * symmetric. */
#include "solver.h"

#include <float.h>
#include <math.h>

#define SINGULAR 1e-14 /* det S below this, relative to (trace S)^2, counts as singular */
#define REGULARISE 1e-10
#define ROOT_STEPS 60

void carom_local_prepare(int d, const double *W, double mu, carom_local *local)
{
    *local = (carom_local){.mu = mu};
    if (!(W[0] > 0.0)) { /* nothing moves it: no impulse comes out below */
        local->wnn = HUGE_VAL;
        return;
    }
    local->wnn = W[0];
    local->w[0] = W[1] / W[0];
    local->v[0] = W[d] / W[0];
    local->floor = 0.0;
    if (d == 2) {
        local->w[1] = local->v[1] = 0.0;
        local->S[0] = W[3] - W[2] * local->w[0];
        local->S[1] = local->S[2] = local->S[3] = 0.0;
        local->inverse[0] = local->S[0] > SINGULAR * fabs(W[3]) ? 1.0 / local->S[0] : 0.0;
        local->inverse[1] = local->inverse[2] = local->inverse[3] = 0.0;
        return;
    }
    local->w[1] = W[2] / W[0];
    local->v[1] = W[6] / W[0];
    double *S = local->S, *inverse = local->inverse;
    S[0] = W[4] - W[3] * local->w[0];
    S[1] = W[5] - W[3] * local->w[1];
    S[2] = W[7] - W[6] * local->w[0];
    S[3] = W[8] - W[6] * local->w[1];
    const double det = S[0] * S[3] - S[1] * S[2];
    const double trace = S[0] + S[3];
    if (trace > 0.0 && det > SINGULAR * trace * trace) {
        inverse[0] = S[3] / det;
        inverse[1] = -S[1] / det;
        inverse[2] = -S[2] / det;
        inverse[3] = S[0] / det;
    } else {
        inverse[0] = inverse[1] = inverse[2] = inverse[3] = 0.0;
        /* W_TT keeps the floor positive where S vanishes altogether */
        local->floor = REGULARISE * (fabs(trace) > 0.0 ? fabs(trace) : fabs(W[4]) + fabs(W[8]) + fabs(W[0]));
    }
}

carom_contact_mode carom_local_solve2(const carom_local *local, const double b[2], double r[2])
{
    if (b[0] >= 0.0) {
        r[0] = r[1] = 0.0;
        return CAROM_OPEN;
    }
    const double free_n = -b[0] / local->wnn; /* n at t = 0 */
    const double c = b[1] - local->v[0] * b[0];
    const double stick = -c * local->inverse[0];
    const double n = free_n - local->w[0] * stick;
    if (local->inverse[0] > 0.0 && fabs(stick) <= local->mu * n) {
        r[0] = n;
        r[1] = stick;
        return CAROM_STICK;
    }
    double slope = c > 0.0 ? -local->mu : local->mu; /* t = slope n, against the sliding */
    if (!(local->inverse[0] > 0.0) && fabs(c) <= SINGULAR * (fabs(b[1]) + fabs(local->v[0] * b[0]))) {
        /* there is none: of all forces that stop the normal the least one */
        slope = fmin(fmax(local->w[0], -local->mu), local->mu);
    }
    const double pivot = 1.0 + slope * local->w[0];
    /* a nonpositive pivot needs an indefinite block: then nothing better than the frictionless impulse is known */
    r[0] = pivot > 0.0 ? free_n / pivot : free_n;
    r[1] = slope * r[0];
    return CAROM_SLIP;
}

/* t(a) = -(S + a I)^-1 x */
static void regularised(const double S[4], double a, const double x[2], double t[2])
{
    const double s00 = S[0] + a, s11 = S[3] + a;
    const double scale = -1.0 / (s00 * s11 - S[1] * S[2]);
    t[0] = scale * (s11 * x[0] - S[1] * x[1]);
    t[1] = scale * (s00 * x[1] - S[2] * x[0]);
}

/* The root of psi; leaves t(a) and n(t(a)) in r. Returns CAROM_STICK if psi >= 0 already at the smallest a. */
static carom_contact_mode slide(const carom_local *local, double free_n, const double c[2], double r[3])
{
    double low = local->floor, high = HUGE_VAL;
    double a = low;
    carom_contact_mode mode = CAROM_SLIP;
    for (int step = 0; step < ROOT_STEPS; ++step) {
        double t[2], dt[2];
        regularised(local->S, a, c, t);
        const double length = sqrt(t[0] * t[0] + t[1] * t[1]);
        const double n = free_n - local->w[0] * t[0] - local->w[1] * t[1];
        r[0] = n;
        r[1] = t[0];
        r[2] = t[1];
        const double gap = local->mu * n - length;
        if (step == 0 && gap >= 0.0) {
            mode = CAROM_STICK;
            break;
        }
        if (fabs(gap) <= 2.0 * DBL_EPSILON * length) {
            break;
        }
        if (gap < 0.0) {
            low = a;
        } else {
            high = a;
        }
        regularised(local->S, a, t, dt);
        const double dn = -local->w[0] * dt[0] - local->w[1] * dt[1];
        const double dlength = (t[0] * dt[0] + t[1] * dt[1]) / length;
        const double dpsi = local->mu * (dn * length - n * dlength); /* times length^2 */
        double next = a - gap * length / dpsi;
        if (!(next > low && next < high)) {
            next = high < HUGE_VAL ? 0.5 * (low + high)
                                   : 2.0 * (low + fabs(local->S[0]) + fabs(local->S[3]) + local->floor);
        }
        if (next == a || next == low || next == high) {
            break;
        }
        a = next;
    }
    return mode;
}

carom_contact_mode carom_local_solve3(const carom_local *local, const double b[3], double r[3])
{
    if (b[0] >= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        return CAROM_OPEN;
    }
    const double free_n = -b[0] / local->wnn;
    const double c[2] = {b[1] - local->v[0] * b[0], b[2] - local->v[1] * b[0]};
    if (local->mu == 0.0 || (c[0] == 0.0 && c[1] == 0.0)) {
        r[0] = free_n;
        r[1] = r[2] = 0.0;
        return local->mu == 0.0 ? CAROM_SLIP : CAROM_STICK;
    }
    const double *inverse = local->inverse;
    const double t0 = -(inverse[0] * c[0] + inverse[1] * c[1]);
    const double t1 = -(inverse[2] * c[0] + inverse[3] * c[1]);
    const double n = free_n - local->w[0] * t0 - local->w[1] * t1;
    const double bound = local->mu * n;
    if (local->floor == 0.0 && n >= 0.0 && t0 * t0 + t1 * t1 <= bound * bound) {
        r[0] = n;
        r[1] = t0;
        r[2] = t1;
        return CAROM_STICK;
    }
    const carom_contact_mode mode = slide(local, free_n, c, r);
    if (mode == CAROM_SLIP) {
        if (!(r[0] > 0.0)) { /* only for indefinite blocks */
            r[0] = free_n;
        }
        const double length = sqrt(r[1] * r[1] + r[2] * r[2]);
        const double scale = length > 0.0 ? local->mu * r[0] / length : 0.0;
        r[1] *= scale;
        r[2] *= scale;
    }
    return mode;
}

carom_contact_mode carom_friction_local2(const double W[4], const double b[2], double mu, double r[2])
{
    carom_local local;
    carom_local_prepare(2, W, mu, &local);
    return carom_local_solve2(&local, b, r);
}

carom_contact_mode carom_friction_local3(const double W[9], const double b[3], double mu, double r[3])
{
    carom_local local;
    carom_local_prepare(3, W, mu, &local);
    return carom_local_solve3(&local, b, r);
}
