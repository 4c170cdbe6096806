/* What event capturing works on (carom/capture.h): points, modes, the step under way. It is large where a model is, so
 * it lies in the work space of the state and not on the stack. Macros, since names and sizes are of the model X; 1 more
 * where there may be none, arrays may not have length 0 in C. */
#ifndef CAROM_POINTS_H
#define CAROM_POINTS_H

#define CAROM_POINTS_OF(X, NQ, NV, NC, NG, NT, NR, NW)                                                                 \
    /* A state with everything that is known about it in the current modes. */                                         \
    typedef struct {                                                                                                   \
        double t, q[NQ], v[NV], a[NV];                                                                                 \
        double r[(NR) + 1], U[(NR) + 1]; /* contact forces and gap rates */                                            \
        X##_config c;                                                                                                  \
        double phi[(NW) + 1]; /* of switches */                                                                        \
    } X##_point;                                                                                                       \
    /* Modes of contacts; per tangential row the direction of sliding and the displacement at which a */               \
    /* sticking one holds on. straight (in space): it slides straight on, the direction is that of the */              \
    /* start of the step, so that the step may pass a stop. side: of switches of forces, */                            \
    /* carom/switches.h. */                                                                                            \
    typedef struct {                                                                                                   \
        unsigned char of[(NC) + 1];                                                                                    \
        bool straight[(NC) + 1];                                                                                       \
        double slip[(NT) + 1], anchor[(NT) + 1], side[(NW) + 1];                                                       \
    } X##_modes;                                                                                                       \
    /* Modes as parts are told them: rows that are held, those whose tangents are too, directions of */                \
    /* sliding. */                                                                                                     \
    typedef struct {                                                                                                   \
        bool closed[(NG) + 1], stick[(NG) + 1], straight[(NG) + 1];                                                    \
        double slide[(NT) + 1];                                                                                        \
    } X##_told;                                                                                                        \
    /* Where the step under way is: impulses since its start, of them what is not of events, the margin */             \
    /* of the excursion test; the last attempt was not solved. */                                                      \
    typedef struct {                                                                                                   \
        X##_point p;                                                                                                   \
        X##_modes m;                                                                                                   \
        double total[(NR) + 1], between[(NR) + 1], margin;                                                             \
        bool cut;                                                                                                      \
    } X##_walk;                                                                                                        \
    /* All of it: a walk and where its next part leads to; a shorter trial step; what helpers fill for */              \
    /* others. */                                                                                                      \
    typedef struct {                                                                                                   \
        X##_walk walk[2];                                                                                              \
        X##_point mid;                                                                                                 \
        X##_modes with;                                                                                                \
        X##_told told;                                                                                                 \
        double impulse[(NR) + 1], other[(NR) + 1], P[(NR) + 1];                                                        \
        double u0[(NR) + 1], u[(NR) + 1], force[(NR) + 1], gam[(NR) + 1], gained[(NR) + 1];                            \
        double slip[(NT) + 1], raw[NV], side[(NW) + 1], struck[(NR) + 1], rate[(NC) + 1];                              \
        int heard; /* events, and those without room, that the host knew of before */                                  \
        unsigned long long lost;                                                                                       \
        /* largest friction of the step under way, where it depends on the contact's motion */                         \
        double most[(NC) + 1];                                                                                         \
    } X##_capturing

/* The same for impacts of chains (carom/chain.h), on the contacts that touch. */
#define CAROM_CHAINS_OF(X, NV, NC, NR)                                                                                 \
    typedef struct {                                                                                                   \
        double W[(NC) * (NC)], U[NC], e[NC], k[NC], eta[NC], impulse[NC];                                              \
        double w[NV], moved[NR], joints[NR], work[CAROM_CHAIN_WORK(NC)];                                               \
    } X##_chained

#endif
