/* Work space of the contact problems of models in straight code, in doubles: it lies in the state, sized by the model,
 * and not on the stack. Macros, so that they can size an array. */
#ifndef CAROM_ROOM_H
#define CAROM_ROOM_H

/* Doubles of work space for carom_lcp_solve (carom/lcp.h): vectors, elimination, Lemke, what is left for him. */
#define CAROM_LCP_VECTORS 8
#define CAROM_LCP_WORK(n) (CAROM_LCP_VECTORS * (n) + (n) * ((n) + 1) + (n) * (n) + (n) * ((n) + 4) + 2)

#define CAROM_ROOM_MORE(x, y) ((x) > (y) ? (x) : (y))

/* carom/complementarity.h: the problem, what solves it, and the problem once more as hosts are told of it. */
#define CAROM_ROOM_LCP(ng, ne) ((ng) * (ng) + CAROM_LCP_WORK(ng) + ((ng) + (ne) + 1) * ((ng) + (ne)))

/* carom/coulomb.h: what bilateral rows are eliminated with; then the dense problem of nc contacts with d components,
 * its blocks, and what solvers need for it. */
#define CAROM_ROOM_REDUCED(ne, nr) ((ne) > 0 ? (ne) * (ne) + ((nr) + 1) * (ne) + (nr) * ((nr) + 1) : 0)
#define CAROM_ROOM_BLOCKS(nc, d) ((nc) * (nc) * ((d) * (d) + 1) + 4 * (nc) + 64)
#define CAROM_ROOM_SOLVER(nc, d) (4 * (nc) * (d) * (nc) * (d) + 120 * (nc) * (d) + 2048)
#define CAROM_ROOM_VECTORS(nc, d) (9 * (nc) * (d))
#define CAROM_ROOM_COULOMB(nc, d)                                                                                      \
    ((nc) * (d) * (nc) * (d) + CAROM_ROOM_BLOCKS(nc, d) + CAROM_ROOM_SOLVER(nc, d) + CAROM_ROOM_VECTORS(nc, d))

/* carom/multipliers.h: forces of n rows that are held, beside their matrix. */
#define CAROM_MULTIPLIERS_ROOM(n) ((n) * ((n) + 8))

/* carom/operator.h: the rows of problems in an operator, beside what solves them, and two matrices. */
#define CAROM_ROOM_ROWS(nr, nv) (2 * (nr) * (nv) + 2 * (nr) * (nr) + 2 * (nv) * (nv))

/* carom/tangent.h: A^-1 G^T, the matrix of the rows that are held, its right-hand side. */
#define CAROM_TANGENT_ROOM(nr, nv) ((nr) * ((nv) + (nr) + 1))

/* What contact problems need; friction: 1 where several contacts may have friction. */
#define CAROM_ROOM_INNER(ne, nc, ng, nr, d, friction)                                                                  \
    CAROM_ROOM_MORE(CAROM_ROOM_LCP(ng, ne),                                                                            \
                    CAROM_ROOM_REDUCED(ne, nr) + ((friction) > 0 ? CAROM_ROOM_COULOMB(nc, d) : 0))

#endif
