/* Execution of step plans (carom/plan.h) over the vectors of a mesh: one function for each operation. Nothing here
 * knows a scheme.
 *
 * Rows: every contact node and each of what it may meet has d of them, normal and tangents in an orthonormal frame.
 * A normal row holds rates of the gap, and forces along the unit normal. A set that a contact problem is solved on
 * holds at most one of the rows of a node: the one that pressed before, else the one with the least gap. */
#ifndef CAROM_PETSC_EXECUTE_H
#define CAROM_PETSC_EXECUTE_H

#include "coupled.h"
#include "motion.h"

#include <carom/plan.h>

/* All that depends on (t, q). */
typedef struct {
    PetscReal t;
    PetscInt64 stamp;     /* of the place that the gaps belong to, 0: none */
    PetscInt64 of_forces; /* of the place that `elastic` belongs to */
    PetscInt point;       /* where it stands */
    PetscBool cleared;    /* elastic is 0 */
    Vec elastic;          /* f(u) */
    Vec load;             /* loads at t, where they change */
    PetscReal load_sum[3], load_time;
    PetscReal *gradient, *frame, *length, *rate; /* [K d], [K d d], [K] of what is free in the gradient, [K] by time */
    PetscReal *master;                           /* [ties d] displacement of the masters' points */
    /* the mechanism: [N d movers] as its obstacles move; [places] q; its mass; of its own rows G and rate; of tied
     * nodes [d movers] as their places move and [d] their rates */
    PetscReal *J, *tail, *mass, *G, *own_rate, *tied_J;
    PetscBool *there; /* [K] not let go by its face */
} CaromConfiguration;

/* Consecutive operations that are done block by block, in one pass over the vectors, around at most one contact problem
 * of single nodes. */
typedef struct {
    PetscInt first, end, contact; /* operations; contact: which, or -1 */
} CaromPass;

typedef struct _p_CaromImplicit *CaromImplicit; /* see implicit.c */
typedef struct _p_CaromDoubling *CaromDoubling; /* see doubling.c */
typedef struct _p_CaromOwn *CaromOwn;           /* see own.c */

typedef struct _p_CaromExecutor CaromExecutor;

struct _p_CaromExecutor {
    const carom_plan *plan;
    CaromExecutor *weaker; /* of the plan that is taken otherwise, made when it is wanted */
    CaromMotion *motion;
    CaromTrouble *trouble;
    PetscReal t, h, tol, ctol, tolerance[5]; /* ctol: of contact problems with a matrix */
    PetscBool fresh;
    PetscReal last_h, next_step; /* next_step: that step-size control would take, 0: it does not know */
    CaromDoubling doubling;      /* NULL: steps are as long as they are asked for */
    PetscInt iteration;

    PetscInt K, N, d; /* rows, of them N of contact nodes, which come first (mechanism.c has the others) */
    PetscInt *node;   /* [N] number of the contact node */
    PetscBool many;   /* some node may meet several things */
    PetscInt *holds;  /* [contact nodes] the row that carries, -1: none */
    PetscReal *mass;  /* [contact nodes] */
    PetscReal *sums;  /* [K d] for sums of rows */
    PetscBool *stack; /* [CAROM_STACK K] for predicates */
    PetscReal *slack; /* [K] rate above its bound in the last contact problem, CAROM_UNSOLVED: it was not in it */

    /* by number: where vectors and points are, and whose storage that is; rows; sets; configurations */
    Vec *own, *place;
    PetscInt *now, *place_now;
    PetscInt64 *stamp, stamps;
    PetscReal **rows;
    PetscInt *rows_at; /* configuration of the contact problem that gave them */
    PetscBool *empty;  /* rows that are 0 */
    PetscBool **set;
    CaromConfiguration *at;
    PetscInt last, begin;  /* configuration that was evaluated last, that of the start */
    PetscBool any_trouble; /* trouble may differ between ranks at the end of a step */

    /* per vector: momentum that loads and contacts gave it, forces on the nodes that are held; here, and room for one
     */
    PetscInt width;
    PetscReal *carry, *sum;

    /* of the plan: velocities and points are prescribed at a node of the step; which vectors stay inside their pass, or
     * are 0 but at contact nodes; what a contact set, a retracted point and a pass are for */
    PetscReal *velocity_node, *point_node;
    PetscBool *is_velocity, *is_local, *is_sparse, *is_solved_on;
    PetscInt *bias_on, *clears; /* [ops] set that a bias is wanted on; configuration whose forces start from 0 */
    PetscInt passes, *pass_at;  /* [ops] */
    CaromPass *pass;

    /* memory */
    Vec *kept;
    PetscReal **kept_rows, *kept_carry;
    PetscBool **kept_set;

    Vec inverse, load, work, none; /* none: 0 */
    Vec drag;                      /* C, where it is a diagonal; else NULL */
    CaromTerms *force, *damp, *inertia;
    PetscBool stiff; /* C is more than that */
    PetscReal *block;

    /* operators with a matrix, and repeats around them: the correction that was taken last (part of it, of rows too)
     * was too long (back); what was left of the equations before it */
    CaromImplicit *implicit; /* [operators] */
    PetscReal *diagonal;     /* [contact nodes] largest entry of the last one's */
    PetscReal *slip, *turn;  /* [contact nodes (d-1)], [K d] */
    PetscInt *base;          /* [vectors] what an increment is added to, 0: it is none */
    PetscBool settling, back;
    PetscReal part, defect, law_target;
    CaromTrouble bent; /* why there were no forces */

    /* the mechanism rides along with every vector, point and memory, by number (mechanism.c): how many velocities and
     * positions it has, how many rows of its own; masses of nodes that are its coordinates; nodes that are tied to it,
     * the tie or -1 - point of each; of the N rows: is it in a problem with the mechanism, first row of its tie,
     * or -1 */
    PetscInt movers, places, own_rows, tied;
    PetscReal *tail, *tail_q, *kept_tail, *point_mass;
    PetscBool any_tied, *joined;
    PetscInt *tied_node, *tied_by, *tied_at;

    /* adhesion (adhesion.c): [N] intensity; [ties d] what slaves are pulled with; then loads belong to places */
    PetscBool adheres;
    PetscReal *intensity, *pull;

    CaromOwn own_law; /* coefficients of the mechanism's contacts that change; NULL: none */

    CaromCoupled coupled;
    CaromCoupledContact *contact; /* [ties] */
    PetscReal *gathered, *onto;   /* [ties d] */
};

static inline PetscReal CaromFactorAt(const CaromExecutor *X, double c, int k)
{
    PetscReal y = c;
    for (; k > 0; k--) {
        y *= X->h;
    }
    for (; k < 0; k++) {
        y /= X->h;
    }
    return y;
}

static inline void CaromIntoFrame(PetscInt d, const PetscReal *frame, const PetscReal *x, PetscReal *w)
{
    for (PetscInt r = 0; r < d; r++) {
        w[r] = 0;
        for (PetscInt c = 0; c < d; c++) {
            w[r] += frame[r * d + c] * x[c];
        }
    }
}

static inline void CaromOutOfFrame(PetscInt d, const PetscReal *frame, PetscReal scale, const PetscReal *w,
                                   PetscReal *x)
{
    for (PetscInt r = 0; r < d; r++) {
        for (PetscInt c = 0; c < d; c++) {
            x[c] += scale * frame[r * d + c] * w[r];
        }
    }
}

static inline Vec CaromVectorOf(const CaromExecutor *X, PetscInt x) { return X->own[X->now[x]]; }
static inline Vec CaromPointOf(const CaromExecutor *X, PetscInt q) { return X->place[X->place_now[q]]; }

/* The loads of a configuration. */
static inline Vec CaromLoadOf(const CaromExecutor *X, const CaromConfiguration *c)
{
    return X->adheres || X->motion->space->changing ? c->load : X->load;
}

#define CAROM_UNSOLVED (-PETSC_MAX_REAL)

enum { CAROM_PASS_STEPS = 24, CAROM_PASS_BLOCK = 512, CAROM_STACK = 16 };

/* study.c: what the plan asks for, before the first step */
PetscErrorCode CaromPlanStudy(CaromExecutor *X, CaromTrouble *trouble);
PetscInt CaromPlanCopied(const CaromExecutor *X, const carom_plan_op *op); /* the vector that it only copies, or 0 */
PetscInt CaromPlanWrites(const carom_plan_op *op);                         /* the vector that it defines, or 0 */
PetscBool CaromPlanReads(const CaromExecutor *X, const carom_plan_op *op, PetscInt x);
PetscBool CaromPlanSparse(const CaromExecutor *X,
                          const carom_plan_op *op); /* is a term of it 0 but at contact nodes? */

/* passes.c: vectors in one pass */
PetscErrorCode CaromPassRun(CaromExecutor *X, const CaromPass *pass);
PetscErrorCode CaromSparseCombine(CaromExecutor *X,
                                  PetscInt i); /* a sum with vectors that are 0 but at contact nodes */
PetscErrorCode CaromVectorRelease(CaromExecutor *X, PetscInt y); /* before y is written */

/* forces.c: sums over cells */
PetscErrorCode CaromForcesElastic(CaromExecutor *X,
                                  PetscInt c); /* brings forces and loads of a configuration up to date */
PetscErrorCode CaromForcesRide(CaromExecutor *X, const carom_plan_op *op);
PetscErrorCode CaromForcesStiff(CaromExecutor *X, const carom_plan_op *op);    /* where damping is no diagonal */
PetscErrorCode CaromForcesSpread(CaromExecutor *X, const carom_plan_op *op);   /* of rows */
PetscErrorCode CaromMassAdd(CaromExecutor *X, PetscReal factor, Vec x, Vec y); /* y += factor M x */
PetscErrorCode CaromMassApply(CaromExecutor *X, const carom_plan_op *op);      /* where it is no diagonal */

/* adhesion.c: intensities at the start; what they pull with at a place, added to the loads there; what a step that
 * ends in c leaves of them */
PetscErrorCode CaromAdhesionCreate(CaromExecutor *X);
PetscErrorCode CaromAdhesionDestroy(CaromExecutor *X);
PetscErrorCode CaromAdhesionAdd(CaromExecutor *X, PetscReal t, Vec place, Vec load);
void CaromAdhesionWear(CaromExecutor *X, PetscInt c);

/* own.c: before a step; with the configuration of its start; has row k, which got r, broken away? then it slides for
 * the rest of the step; where it ends; what is remembered, [own_rows] */
PetscErrorCode CaromOwnCreate(CaromExecutor *X);
PetscErrorCode CaromOwnDestroy(CaromExecutor *X);
void CaromOwnForget(CaromExecutor *X);
void CaromOwnBegin(CaromExecutor *X, const CaromConfiguration *c);
PetscBool CaromOwnBreaks(CaromExecutor *X, PetscInt k, const PetscReal *r);
void CaromOwnEnd(CaromExecutor *X, const PetscReal *impulse);
PetscReal *CaromOwnMemory(const CaromExecutor *X);

/* executor.c: restitution and friction of component j among all rows */
void CaromRowsLaw(CaromExecutor *X, PetscInt j, PetscReal e, PetscReal mu);

/* rows.c: operations on rows and sets */
PetscErrorCode CaromRowsKinematics(CaromExecutor *X, const carom_plan_op *op);
PetscErrorCode CaromRowsOperation(CaromExecutor *X, PetscInt i);
void CaromRowsTest(const CaromExecutor *X, carom_range test, PetscBool *set);
PetscBool CaromIsRowsOperation(carom_operation op);

/* nodal.c: contact problems under a diagonal mass */
PetscErrorCode CaromNodalSolve(CaromExecutor *X, const carom_plan_op *op, PetscReal *x);
PetscErrorCode CaromNodalContact(CaromExecutor *X, const carom_plan_op *op); /* with everything around it */

/* implicit.c: operators with a matrix */
PetscErrorCode CaromImplicitCreate(CaromExecutor *X, CaromTrouble *trouble);
PetscErrorCode CaromImplicitDestroy(CaromExecutor *X);
const char *CaromImplicitSolver(const CaromExecutor *X);
void CaromImplicitWant(CaromExecutor *X, const carom_plan_op *op); /* the operation `operator` */
PetscErrorCode CaromImplicitContact(CaromExecutor *X, const carom_plan_op *op);
/* condensed.c: one with the mechanism in it; v, wv, wq: of the operator; force: what acts on the mesh */
PetscErrorCode CaromCondensedContact(CaromExecutor *X, const carom_plan_op *op, CaromContact solver, PetscInt v,
                                     PetscReal wv, PetscReal wq, Vec x, Vec force);
PetscErrorCode CaromPrescribeByPlace(CaromExecutor *X, PetscReal theta, Vec v1);

/* between.c: before a step is accepted */
PetscErrorCode CaromBetween(CaromExecutor *X, const carom_plan_op *op);

/* doubling.c: steps as long as tolerances allow */
PetscErrorCode CaromDoublingCreate(CaromExecutor *X, PetscReal limit, CaromDoubling *doubling);
PetscErrorCode CaromDoublingDestroy(CaromDoubling *doubling);
PetscErrorCode CaromDoublingStep(CaromDoubling doubling, PetscReal h, CaromTrouble *trouble);

/* mechanism.c: what the mechanism does in an operation on vectors and points; rows that belong to it */
PetscErrorCode CaromTailCount(CaromExecutor *X, CaromTrouble *trouble);
PetscErrorCode CaromTailCreate(CaromExecutor *X, CaromTrouble *trouble);
PetscErrorCode CaromTailDestroy(CaromExecutor *X);
void CaromTailShow(CaromExecutor *X, PetscInt q, PetscInt v); /* the state is what these hold */
PetscErrorCode CaromTailRide(CaromExecutor *X, const carom_plan_op *op);
void CaromTailMoved(const CaromExecutor *X, const PetscReal *q, const PetscReal *x, PetscReal *y); /* y: q moved by x */
void CaromTailAt(const CaromExecutor *X, const carom_plan_op *op, PetscInt k, PetscReal *way, PetscReal *q);
void CaromTailCarrier(const CaromExecutor *X, const PetscReal *J, const PetscReal *v, PetscReal *velocity);
PetscErrorCode CaromTailKinematics(CaromExecutor *X, const carom_plan_op *op, CaromConfiguration *c, const PetscReal *u,
                                   PetscReal *gap);
PetscErrorCode CaromTailGaps(const CaromExecutor *X, PetscReal *gap, PetscReal *rate); /* of its own contacts, now */
PetscErrorCode CaromTailSpread(const CaromExecutor *X, const carom_plan_op *op, PetscReal *y);
void CaromTailRates(const CaromExecutor *X, const carom_plan_op *op, const PetscReal *v, PetscReal *U);
PetscErrorCode CaromTailBias(const CaromExecutor *X, const carom_plan_op *op, PetscReal *y);
static inline PetscReal *CaromTailOf(const CaromExecutor *X, PetscInt x) { return X->tail + x * X->movers; }
static inline PetscReal *CaromTailPoint(const CaromExecutor *X, PetscInt q) { return X->tail_q + q * X->places; }

/* joined.c: contact problems with the mechanism in them */
PetscErrorCode CaromTailContact(CaromExecutor *X, const carom_plan_op *op, PetscReal *x);
PetscErrorCode CaromAddInOrder(MPI_Comm comm, PetscInt size, const PetscReal *mine, PetscReal *sum); /* of all ranks */
PetscErrorCode CaromTailInvert(PetscInt n, PetscReal *A,
                               PetscReal *inverse); /* symmetric, positive definite; A is lost */
static inline PetscBool CaromIsMoving(const CaromExecutor *X, PetscInt k)
{
    const CaromObstacles *o = X->motion->obstacles;
    return (PetscBool)(X->movers > 0 && o->tie[k] < 0 && o->space->model->surface[o->surface[k]].moving != NULL);
}

static inline PetscBool CaromIsHeld(const CaromExecutor *X, PetscInt k)
{
    const PetscInt own = k - (X->K - X->own_rows);
    return (PetscBool)(k >= X->N && (own < 0 || own < X->motion->space->model->mechanism->constraints));
}

/* execute.c: one step; nothing has happened when there is trouble. Memory from what a checkpoint kept. */
PetscErrorCode CaromExecute(CaromExecutor *X, PetscReal h, CaromTrouble *trouble);
PetscErrorCode CaromExecuteRecall(CaromExecutor *X);
PetscErrorCode CaromExecutePack(CaromExecutor *X,
                                PetscBool out); /* memory to where checkpoints take it from, and back */

#endif
