/* What a step can answer: 0 good; > 0 recoverable (the state is unchanged, try a smaller step); < 0 fatal. */
#ifndef CAROM_STATUS_H
#define CAROM_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* name, number and sentence stand together once; enum and text are made from it */
#define CAROM_STATUS_LIST(ENTRY)                                                                                       \
    ENTRY(CAROM_OK, 0, "good")                                                                                         \
    ENTRY(CAROM_STAGES, 1, "the implicit equations of the step did not converge; try a smaller step")                  \
    ENTRY(CAROM_CONTACT, 2, "the contact problem was not solved to tolerance; try a smaller step")                     \
    ENTRY(CAROM_NOT_FINITE, 3, "a value became infinite or not a number")                                              \
    ENTRY(CAROM_PAINLEVE, 4, "a sliding contact is in a Painleve configuration: no finite contact force exists")       \
    ENTRY(CAROM_EVENTS, 5,                                                                                             \
          "more events in one step, or impacts in one cascade, than the bound; try a smaller step, "                   \
          "or give capture the scales of the motion (speed=, length=, time=, force=)")                                 \
    ENTRY(CAROM_STEP, 6,                                                                                               \
          "the step size that the tolerance asks for is below hmin; loosen rtol and atol or lower hmin")               \
    ENTRY(CAROM_INFEASIBLE, 7,                                                                                         \
          "contacts close on each other and cannot all be satisfied: what is between them is squeezed")                \
    ENTRY(CAROM_UNFINISHED, 8, "the end of the step is not reached yet; call again")                                   \
    ENTRY(CAROM_SINGULAR_MASS, -1, "the mass matrix is not positive definite at this configuration")                   \
    ENTRY(CAROM_PENETRATION, -2, "a contact penetrates in the initial configuration")                                  \
    ENTRY(CAROM_VIOLATION, -3, "a constraint is violated in the initial configuration")                                \
    ENTRY(CAROM_ARGUMENT, -4, "an argument is not finite or out of range")                                             \
    ENTRY(CAROM_NO_FRICTION, -5,                                                                                       \
          "this integrator was generated without friction; set it to 0 or take a scheme that has it")                  \
    ENTRY(CAROM_BAD_FRICTION, -6,                                                                                      \
          "the friction coefficient of a contact is negative or not finite; set it to 0 or more")                      \
    ENTRY(CAROM_CAPACITY, -7,                                                                                          \
          "more contact points at once than the declared maximum; write a larger maximum in contacts_among")           \
    ENTRY(CAROM_BESIDE, -8,                                                                                            \
          "a node presses beside the face that contact_pair found for it, by so many widths of the face; "             \
          "make the faces larger than the sliding, or write off_face = 'release'")                                     \
    ENTRY(CAROM_FOREIGN, -9,                                                                                           \
          "these bytes are no saved state of this model, scheme, version and kind of machine, or are damaged")

#define CAROM_STATUS_ENUM(name, number, text) name = number,
typedef enum { CAROM_STATUS_LIST(CAROM_STATUS_ENUM) CAROM_STATUS_END = 1000 } carom_status;
#undef CAROM_STATUS_ENUM

static inline const char *carom_status_text(carom_status status)
{
    switch (status) {
#define CAROM_STATUS_CASE(name, number, text)                                                                          \
    case name:                                                                                                         \
        return text;
        CAROM_STATUS_LIST(CAROM_STATUS_CASE)
#undef CAROM_STATUS_CASE
    default:
        return "unknown status";
    }
}

/* The numbers behind the last status: which row (contacts after constraints; -1 none), how far, how long. */
typedef struct {
    int contact;     /* index of the contact (or constraint) concerned, -1 when none */
    int iterations;  /* iterations of the last implicit solve */
    double residual; /* what is left of the equation concerned, in its own unit */
} carom_info;

/* What a derivative of a step with its contact modes held fixed is: that of the step, one to one side only, or none
 * (forces that are not determined, equations that the step was made without). */
typedef enum { CAROM_DERIVATIVE, CAROM_ONE_SIDED, CAROM_NO_DERIVATIVE } carom_derivative;

/* Work since init; evaluations are evaluations of the (constrained) acceleration or of the step residual. */
typedef struct {
    unsigned long long steps, evaluations, contact_solves, events;
    unsigned long long painleve; /* Painleve configurations met; the contact is then treated at the velocity level */
    int painleve_contact;        /* the first of them: which contact, when */
    double painleve_time;
    /* the most that an accepted step left of the law of contact, as a part of the speeds (or impulses) concerned */
    double law;
    /* steps whose contacts alternated or turned too fast, and were taken where their start leads to */
    unsigned long long frozen;
    /* steps of piles that went on although their contact problem was left above ctol, and the most that one left */
    unsigned long long unsolved;
    double unsolved_most;
    unsigned long long cuts; /* steps of event capturing that were cut because their equations were not solved */
} carom_counts;

#ifdef __cplusplus
}
#endif
#endif
