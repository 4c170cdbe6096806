/* When an iteration is at its end. */
#ifndef CAROM_SETTLED_H
#define CAROM_SETTLED_H

#include "tolerances.h"

#include <math.h>
#include <stdbool.h>

/* The larger of a size and |x|; NaN does not count. (fmax is a call, with less to do than that costs.) */
static inline double carom_larger_of(double size, double x) { return fabs(x) > size ? fabs(x) : size; }

/* norm: size of the last correction, *before: of the one before it (HUGE_VAL at first), which becomes norm. size,
 * free: of the unknowns, and of what they would be without contact (0: not asked), since at rest the result is 0.
 * defect: what the equations left before the correction (0: not known). Solved to the tolerance, or to where
 * corrections no longer fall and are small (`stagnation`, relative). */
static inline bool carom_settled(double norm, double *before, double size, double free, double defect, double tolerance,
                                 double stagnation)
{
    const double scale = free > size ? free : size;
    const bool stagnant = norm >= 0.5 * *before && norm <= stagnation * size;
    *before = norm;
    return (norm <= tolerance * scale + CAROM_NOTHING || stagnant) &&
           defect <= CAROM_DEFECT * scale + CAROM_NOTHING; /* small corrections alone prove nothing */
}

/* Will the next correction be far below the tolerance, if it shrinks as the last one did? What is kept of the
 * kinematics has not seen the last one, so that must be small too. */
static inline bool carom_foreseen(double norm, double before, double size, double tolerance)
{
    const double scale = tolerance * size;
    return norm <= CAROM_UNSEEN * scale && norm * norm <= CAROM_FORESEEN * scale * before &&
           norm < CAROM_RENEW * before && before < HUGE_VAL;
}

#endif
