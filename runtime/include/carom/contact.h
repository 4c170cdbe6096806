/* One contact problem over sparse tables: an operator, rows, laws in; velocities and forces out.
 *
 *     A x = f + G_S^T (r - carried),    u = G x + b,    law(u_S, r_S),    r = carried (or 0) outside the set S
 *
 * A is sparse, symmetric and positive definite. Rows are bilateral (u = 0) or belong to contacts: a normal
 * (0 <= r _|_ u >= 0) and up to two tangents (Coulomb, -r_T in mu r_N Sgn(u_T)). The direction of sliding is a field of
 * the law: where `slide` is not 0, r_T = -mu slide r_N. Restitution is none of its business: it is part of b.
 *
 * How many rows and contacts there are is known when the problem is made: rows that are written in a model come first,
 * in the pattern of the tables, rows that were found while running may follow them. Room for them is the caller's.
 *
 * Bilateral rows are eliminated with A, by its sparse factor (carom/kkt.h). How the rest is solved is chosen by kind
 * and size from carom_contact_solvers, or asked for by name, and judged by the law alone (carom/law.h, and the natural
 * residual of carom/friction.h). No heap, no state but the work space.
 */
#ifndef CAROM_CONTACT_H
#define CAROM_CONTACT_H

#include "banded.h"
#include "kkt.h"
#include "law.h"
#include "model.h"
#include "rebound.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A sliding contact without a finite force (Painleve): leaves the set and is counted, or its whole law is solved.
 * Forces within a step: its end tells whether the law holds. GO_ON: a pile whose residual stays above the tolerance,
 * but below its root, is taken as it is: the space tells what is left. */
enum { CAROM_DROP = 1, CAROM_FALL_BACK = 2, CAROM_WITHIN = 4, CAROM_GO_ON = 8 };

typedef struct {
    const carom_kkt_tables *tables; /* A and the rows that are written; the first `ne` of them are bilateral */
    const double *A;                /* [na] */
    int rows;                       /* of G: those of the tables, tangents, rows found while running */
    const int *Gp, *Gj;             /* [rows + 1] first value of each row, column of each value */
    const double *G;
    int contacts, dimension; /* components of a contact with friction: 2 or 3; 1 when there are no tangents */
    const int *row;          /* [contacts][dimension] rows of its normal and tangents, -1: no such tangent */
    const double *mu;        /* [contacts]; NULL: 0 */
    const int *rides;        /* [contacts] on which it rides (carom/rides.h): one before it, -1: none; NULL: none do */
    int gaps;                /* rows from here on may be tangents */
    const double *slide;     /* [rows - gaps] given direction of sliding, 0: the law decides; NULL: nowhere */
    bool *set;               /* [rows] which take part; a contact that is dropped leaves it */
    const double *f;         /* [nv]; NULL: 0 */
    const double *b;         /* [rows] */
    const double *carried;   /* [rows]; NULL: 0 */
    /* Parts of the unknowns that neither A nor bilateral rows couple: part[u], and part u has the unknowns
     * member[first[u]] ..; NULL:
     * unknown, or too large for what uses them. */
    int parts;
    const int *part, *first, *member;
    /* Static friction: `breaking` are the coefficients mu themselves, `kinetic` those of contacts that break away,
     * which get them; NULL: none do. */
    double *breaking;      /* [contacts] */
    const double *kinetic; /* [contacts] */
    /* Restitution of impulses (carom/rebound.h): contacts whose rows are in `hit` expand with these coefficients, of
     * impulses or of work; NULL: none do. */
    const bool *hit;       /* [gaps] */
    const double *rebound; /* [contacts] */
    const bool *energetic; /* [contacts] */
    const double *given;   /* [contacts] normal impulses that are given where they are not 0; NULL: none */
    int how;               /* CAROM_DROP | CAROM_FALL_BACK | CAROM_WITHIN | CAROM_GO_ON, or 0 */
    const char *solver;    /* a name of carom_contact_solvers or carom_friction_solvers; NULL: chosen */
    double tolerance;      /* of the natural residual; 0: 1e-11 */
    double speed;          /* largest velocity of the model: its rounding is not asked to vanish */
    double slow;           /* speeds below this are no slip */
    double t;              /* for the count of dropped contacts */
} carom_contact_problem;

/* What is left of the law: the residual that the tolerance is of where it is above that, else 0; and of the contact
 * that is worst, its own, as a velocity. */
typedef struct {
    double residual, speed;
    int row; /* of its normal, -1: none */
} carom_contact_left;

/* The factor in a work space: none, of A with the rows that the last search found active, with the bilateral rows. */
enum { CAROM_FACTOR_NONE, CAROM_FACTOR_ACTIVE, CAROM_FACTOR_BILATERAL };

typedef struct {
    double *kkt; /* as carom_kkt_solve */
    int *ikkt;
    unsigned char *active; /* [tables->nr] in: rows that are guessed to press; out: those that do */
    double *banded;        /* as carom_banded_solve; NULL: the tables have no band */
    int *ibanded;
    int factor; /* what kkt holds: in and out. Anything but NONE says that A and G have not changed since */
    void *room; /* [size] bytes, of the alignment of double; nv doubles without friction, else the sum of those below */
    size_t size;
    carom_contact_left left; /* out, of a problem with friction that was good */
} carom_contact_space;

/* Beyond so many rows of active contacts no full matrix is made. */
#define CAROM_CONTACT_FULL 1000

/* Bytes for n contacts of d components, and blocks of W: either those of contacts that touch the same part of the
 * unknowns (each with itself among them), or m m for m contacts active at once. What does not fit is solved by
 * products. */
#define CAROM_CONTACT_ROOM(nv, nr, n, d)                                                                               \
    (8 * (18 * (size_t)(nv) + 2 * (size_t)(nr) + 160 * (size_t)((d) * (n))) + 32768)
#define CAROM_CONTACT_SPARSE(d, blocks) ((size_t)(blocks) * (136 * (size_t)((d) * (d)) + 64))
#define CAROM_CONTACT_MATRIX(d, m) ((size_t)(m) * (size_t)(m) * (48 * (size_t)((d) * (d)) + 16))

/* Solves for x[nv] and r[rows], which holds the first guess of contacts with friction. info: iterations, residual and
 * row (-1: none) of what is worst, as a velocity. counts: contact_solves, dropped contacts and what is left of the law.
 *   CAROM_CONTACT  not solved to tolerance; CAROM_PAINLEVE  a sliding contact has no finite force, and how = 0;
 *   CAROM_INFEASIBLE  there is none; CAROM_SINGULAR_MASS, CAROM_NOT_FINITE;
 *   CAROM_ARGUMENT  no such solver, it cannot solve these laws, or not even the least room */
carom_status carom_contact_solve(const carom_contact_problem *problem, carom_contact_space *space, double *x, double *r,
                                 carom_info *info, carom_counts *counts);

/* Where in a state the numbers of a problem are: for those who ask after a step that failed. No addresses are kept, so
 * a copy of the state is as good. */
typedef struct {
    ptrdiff_t A, G, set, slide, f, b, carried; /* 0: NULL */
} carom_contact_place;

void carom_contact_keep(const carom_contact_problem *problem, const void *state, carom_contact_place *place);
void carom_contact_kept(const carom_contact_place *place, void *state, carom_contact_problem *problem);

/* The problem by blocks of contacts, bilateral rows eliminated, in the room of the space. 0 when that is too small. */
int carom_contact_unsolved(const carom_contact_problem *problem, carom_contact_space *space, carom_failure *failure);

/* The same without friction, on rows that are all in the tables. */
carom_status carom_contact_active_set(const carom_contact_problem *problem, carom_contact_space *space, double *x,
                                      double *r, carom_info *info, carom_counts *counts);

/* All contacts of the set as equalities along their normals: G x + b = 0, tangents free. */
carom_status carom_contact_hold(const carom_contact_problem *problem, carom_contact_space *space, double *x, double *r,
                                carom_info *info);

/* The same in fixed modes, where f and carried are 0: equalities along the normals of the set and along the tangents of
 * contacts that grip [rows with a gap], r_T = -mu slide r_N where a contact slides. Where r is not unique it is the
 * least; borne: the least that contacts can bear (carom/multipliers.h). At most CAROM_RANK_ROWS (there) rows of
 * contacts, else CAROM_CONTACT; CAROM_PAINLEVE: one that slides has no finite force. Doubles of room:
 * CAROM_CONTACT_FIXED for n such rows. */
carom_status carom_contact_fix(const carom_contact_problem *problem, const bool *grip, bool borne,
                               carom_contact_space *space, double *x, double *r, carom_info *info);
#define CAROM_CONTACT_FIXED(nv, nr, n) ((n) * (2 * (n) + 9) + (nv) + 2 * (nr) + 1)

/* Solvers by name, with what they can do; `count` may be NULL. carom_contact_choice: the one that would be taken. */
const carom_solver *carom_contact_solvers(int *count);
const char *carom_contact_choice(const carom_contact_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
