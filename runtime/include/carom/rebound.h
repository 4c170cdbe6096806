/* Restitution of impulses (THEORY 6.8). An impact is two contact problems: compression, the standard one without
 * restitution, which gives r; expansion, in which the normal impulse of a contact that was hit is at least n0 = e r_N
 * (Poisson): 0 <= s _|_ u_N >= 0, r_N = n0 + s, Coulomb's law with r_N. Where s = 0 the normal impulse is given, and
 * the standard problem with that normal decoupled (1 r_N = n0) is Coulomb's law with a known bound; where s > 0 it is
 * the standard problem as it is. Which contacts are which is searched for.
 *
 * Energetic (Stronge), one contact in the plane: the normal impulse is the time, slip changes along pieces of straight
 * lines, compression ends where u_N = 0, expansion where the normal force has given back e^2 of the work it took. */
#ifndef CAROM_REBOUND_H
#define CAROM_REBOUND_H

#include <math.h>
#include <stdbool.h>

/* Contacts whose normal impulse is given: held[k] where given[k] > 0 and s = 0. u, r: normal velocities and impulses
 * that the problem with these gave, size: what u may be rounding of. back: contacts that were held again. True:
 * something has changed, and the problem is to be solved again. */
static inline bool carom_rebound_search(int n, const double *given, const double *u, const double *size,
                                        const double *r, bool *held, bool *back)
{
    bool changed = false;
    for (int k = 0; k < n; ++k) {
        if (!(given[k] > 0.0)) {
            continue;
        }
        if (held[k] && u[k] < -1e-12 * size[k]) {
            held[k] = false;
            changed = true;
        } else if (!held[k] && !back[k] && r[k] < given[k] * (1.0 - 1e-12)) {
            held[k] = back[k] = true;
            changed = true;
        }
    }
    return changed;
}

/* Stronge's law: W = (nn, nt; nt, tt), velocities U = (normal < 0, slip); total impulses P. The slip changes its
 * direction at most once in each of compression and expansion. */
static inline void carom_rebound_energetic(double nn, double nt, double tt, double mu, double e, const double *U,
                                           double *P)
{
    double u = U[0], v = U[1], taken = 0.0, due = 0.0;
    bool expands = false;
    P[0] = P[1] = 0.0;
    for (int piece = 0; piece < 12; ++piece) {
        double s = v > 0.0 ? -mu : mu; /* tangential impulse for one of the normal */
        if (v == 0.0) {
            s = fabs(nt) <= mu * tt ? -nt / tt : nt > 0.0 ? -mu : mu;
        }
        const double du = nn + nt * s, dv = v == 0.0 && fabs(nt) <= mu * tt ? 0.0 : nt + tt * s;
        double x = v * dv < 0.0 ? -v / dv : HUGE_VAL; /* to the end of this slip */
        bool ends = false, stops = x < HUGE_VAL;
        if (!expands && u + du * x >= 0.0 && du > 0.0) {
            x = fmax(-u / du, 0.0);
            ends = true;
        } else if (expands) {
            const double root = u * u + 2.0 * du * due;
            const double y = root >= 0.0 && u + sqrt(root) > 0.0 ? 2.0 * due / (u + sqrt(root)) : HUGE_VAL;
            if (y <= x) {
                x = y;
                ends = true;
            }
        }
        if (!(x < HUGE_VAL)) { /* nothing can end it: it rests where it is */
            return;
        }
        stops = stops && fabs(v + dv * x) <= 1e-14 * fabs(v);
        const double work = (u + 0.5 * du * x) * x;
        P[0] += x;
        P[1] += s * x;
        u += du * x;
        v = stops ? 0.0 : v + dv * x;
        if (expands) {
            due -= work;
            if (ends) {
                return;
            }
        } else {
            taken += work;
            if (ends) {
                u = 0.0;
                expands = true;
                due = -e * e * taken;
            }
        }
        if (expands && !(due > 0.0)) {
            return;
        }
    }
}

#endif
