/* A step plan as data: the operations of gen/plan/operations.lua on vectors, rows, sets, points, configurations. What a
 * generated program writes as tables, a runtime executes; neither knows a scheme.
 *
 * An operation that a runtime does not know is refused before the first step.
 *
 * Operands are numbers from 1 on within their kind, 0: absent. Lists are ranges in the plan's `name`. Of every plan
 * vector 1 is v, point 1 is q, set 1 is fresh; rows 1 to 5 are e, 1+e, 1/(1+e), e/(1+e) and mu. */
#ifndef CAROM_PLAN_H
#define CAROM_PLAN_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CAROM_DO_KINEMATICS,
    CAROM_DO_FORCES,
    CAROM_DO_RATES,
    CAROM_DO_BIAS,
    CAROM_DO_COMBINE,      /* vectors */
    CAROM_DO_COMBINE_ROWS, /* rows */
    CAROM_DO_RATIO,
    CAROM_DO_RETRACT,
    CAROM_DO_APPLY,
    CAROM_DO_SOLVE,
    CAROM_DO_OPERATOR,
    CAROM_DO_SPREAD,
    CAROM_DO_SET,
    CAROM_DO_DIRECTION,
    CAROM_DO_CONTACT,
    CAROM_DO_REPEAT,
    CAROM_DO_WHEN,
    CAROM_DO_ACCEPT
} carom_operation;

enum { CAROM_PLAN_V = 1, CAROM_PLAN_Q = 1, CAROM_PLAN_FRESH = 1 };
enum { CAROM_ROWS_E = 1, CAROM_ROWS_ONE_E, CAROM_ROWS_OVER_E, CAROM_ROWS_E_OVER_E, CAROM_ROWS_MU };

typedef struct {
    int first, count;
} carom_range;

/* c h^k */
typedef struct {
    double c;
    int k;
} carom_factor;

/* c h^k x; of rows also: times the rows `by`, only on the set `on` (normal: not on its tangents); of: |x_T|, mu x_N,
 * x_T.y_T of each contact instead of x. */
typedef enum { CAROM_OF_ALL, CAROM_OF_NORM, CAROM_OF_LIMIT, CAROM_OF_DOT } carom_part;

typedef struct {
    double c;
    int k, x;
    int by, by_also, on, normal;
    carom_part of;
    int y;
} carom_term;

/* Predicates in postfix order; of `and` and `or` the last two. */
typedef enum {
    CAROM_LE,
    CAROM_LT,
    CAROM_GT,
    CAROM_ABSGT,
    CAROM_IN,
    CAROM_ALL,
    CAROM_NONE,
    CAROM_BILATERAL,
    CAROM_NOT,
    CAROM_AND,
    CAROM_OR
} carom_word;

typedef enum { CAROM_TOL_ONE, CAROM_TOL_TG, CAROM_TOL_TV, CAROM_TOL_TS, CAROM_TOL_EPS } carom_tolerance;

typedef struct {
    carom_word word;
    carom_range terms;         /* of a comparison ... */
    double times;              /* ... with this many ... */
    carom_tolerance tolerance; /* ... of these */
    int set;                   /* of `in` */
} carom_test;

/* One operation; which fields it has, operations.lua says. */
typedef struct {
    carom_operation op;
    int y;    /* what it defines: vector, rows, set, operator */
    int r;    /* contact: also these rows; spread: of these */
    int c;    /* configuration: defined by kinematics, else where */
    int q, v; /* point, velocity */
    int x, b; /* apply, solve, direction (U), contact (rhs), ratio (a); contact, ratio: b */
    int A;    /* operator: number, or -c for the mass at configuration c */
    double node;
    int find, homogeneous;
    carom_range terms;   /* combine; kinematics: displacements of rows */
    carom_range test;    /* set; repeat: holds */
    carom_range points;  /* retract: defines */
    carom_range vectors; /* retract: of the stages; repeat: small; solve: several; accept: dense output */
    carom_range stages;  /* retract: the matrix of the collocation by which stages turn bodies */
    carom_range factor;  /* retract: weights, a row for each point; operator: wv, wq; accept: nodes of the vectors */
    int from, where, frozen, turns;
    int set, on; /* contact, spread, when, direction: set; direction: on */
    int carried, equal, normal, slide, along, along_on, guess, drop, fallback;
    int max, body, other;         /* repeat, when: lengths of the bodies that follow */
    carom_range of, defect, same; /* accept: of is the path that q goes along */
    int falls;
    int round_x, round_dx, round_from, round_press, round_freeze;
    carom_range impulse, events, keep; /* accept; keep: pairs (number among the memory, what it becomes) */
} carom_plan_op;

typedef enum { CAROM_KEPT_VECTOR, CAROM_KEPT_ROWS, CAROM_KEPT_SET } carom_kept;

typedef struct {
    carom_kept kind;
    int name, full; /* full: a set that is so in a fresh state */
} carom_memory;

typedef struct carom_plan carom_plan;

struct carom_plan {
    int vectors, rows, sets, points, configurations, operators, memories, ops; /* how many */
    const carom_plan_op *op;
    const carom_term *term;
    const carom_test *test;
    const carom_factor *factor;
    const int *name;
    const int *gap; /* [configurations + 1] the rows c.g */
    const carom_memory *memory;
    int uniform; /* fresh again when h changes */
    /* theta: what is prescribed goes from place to place, q+ = q + h ((1-theta) v + theta v+); 0: by rates */
    double places;
    double phase; /* largest omega h of an undamped swing with which steps neither grow nor fail to settle; 0: any */
    const carom_plan *otherwise; /* with the same memory: the step where its own equations are not solved, or NULL */
};

#ifdef __cplusplus
}
#endif
#endif
