/* Rows that are found while running: of every contact point that a search (carom/bulk.h) has found, the gap, the
 * normal row of G and two tangential ones, at any configuration; and how they stand among the rows that are written in
 * a model,
 *
 *     bilateral rows, written normals | found normals | written tangents | found tangents
 *
 * The points of a pair are the same features at every configuration of a step. A feature that is gone at some
 * configuration is continued: its two points stay on their bodies, the normal stays in space.
 *
 * Where materials resist rolling or pivoting, every point has one or two contacts more, which ride on it
 * (carom/rides.h): they stand right behind it, their normals have no columns and no gap, their tangents are spins times
 * the length of the resistance. */
#ifndef CAROM_FOUND_H
#define CAROM_FOUND_H

#include "bulk.h"
#include "kkt.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What resists spins: a length for each pair of materials, NULL: nothing does. */
typedef struct {
    const double *rolling, *pivoting;
} carom_found_spins;

/* Contacts and tangents of one point. */
static inline int carom_found_contacts(carom_found_spins s) { return 1 + (s.rolling != NULL) + (s.pivoting != NULL); }
static inline int carom_found_tangents(carom_found_spins s)
{
    return 2 + 2 * (s.rolling != NULL) + (s.pivoting != NULL);
}

typedef struct {
    carom_scene scene;
    carom_found_spins spins;
    int count;                         /* contact points */
    const carom_bulk_contact *contact; /* as carom_found_begin leaves them */
    int normal, tangent;               /* the first row of each */
    const int *Gp;                     /* first value of each row of G */
} carom_found;

/* Values of G in a row of a point, and in one that resists its spin: at most so many. */
#define CAROM_FOUND_COLUMNS 12
#define CAROM_FOUND_SPIN_COLUMNS 6

/* Where the values of all rows of G stand: those that are written (gaps bilateral rows and normals, then `tangents`
 * tangents, with their pattern), and those of the contacts of b. */
void carom_found_pattern(const carom_bulk *b, carom_found_spins spins, int gaps, int tangents, const int *written_Gp,
                         const int *written_Gj, int *Gp, int *Gj);

/* Gaps g[normal ..] and rows of G of the contacts at q. */
void carom_found_rows(const carom_found *f, const double *q, double *g, double *G);

/* The same once after carom_bulk_find at q, from the geometry that it found; contact: those of f, whose arms become
 * those of the bodies' own frames, so that features can be continued. */
void carom_found_begin(const carom_found *f, const double *q, carom_bulk_contact *contact, double *g, double *G);

/* gam[normal ..], gam[tangent ..]: what G v changes by in time while v does not. */
void carom_found_bias(const carom_found *f, const double *q, const double *v, double *gam);

/* Which contact of the last search each one was: from[i], -1: it is new. heir[i] (NULL: nobody asks): of a new one the
 * contact of its pair whose feature is gone, the first that has none yet, else -1: features are names, and bodies that
 * are held together do not move when a name changes. Remembers the contacts for the next. */
void carom_found_match(const carom_bulk *b, int *from, int *heir);

/* What rows, or a set of gaps, held before the search, for the rows after it; new contacts have 0 or `fresh`. before:
 * how many points there were; scratch: as many as there are rows. */
void carom_found_carry(carom_found_spins spins, int gaps, int tangents, int before, int count, const int *from,
                       double *x, double *scratch);
void carom_found_carry_set(carom_found_spins spins, int gaps, int before, int count, const int *from, bool fresh,
                           bool *x, bool *scratch);

/* The same for values of points, `each` of them: from those of the last search, or else (closed ones) from those whose
 * place they took; heir: as of match, NULL: none. */
void carom_found_carry_values(const carom_bulk *b, int each, int before, const int *from, const int *heir,
                              double closed, double fresh, double *x, double *scratch);

/* What the contacts did in a step. */
typedef struct {
    int contacts;          /* that could touch in it */
    int sticking, sliding; /* of those that press, with friction */
    double penetration;    /* deepest at its end, 0 when none is below 0 */
    double support[3];     /* mean force of the fixed shapes on the bodies */
    double worst; /* what the contact that obeys the law least leaves of it, in units of g h (0 without weight) */
} carom_found_tally;

/* Of a step of length h with the impulses J of all rows: gaps g and rows G at its end, velocities v there. Contacts are
 * counted that were at a gap of tg within the time `ahead`; slip below `leaves` of the largest velocity is none.
 * given: the impulses of each point, normal and tangential. */
carom_found_tally carom_found_count(const carom_found *f, int nv, const int *Gj, const double *g, const double *G,
                                    const double *v, const double *J, double h, double ahead, double tg, double leaves,
                                    double (*given)[3]);

/* The points that pressed with the impulses `given`, where they are at q; returns how many. */
int carom_found_presses(const carom_found *f, const double *q, const double (*given)[3], carom_press *list);

/* Kinetic energy with the mass A. */
double carom_found_energy(const carom_kkt_tables *t, const double *A, const double *v);

#ifdef __cplusplus
}
#endif
#endif
