/* Every number by which an algorithm decides that something is zero, reached or solved, and why it is that number.
 * What users set (tol, tg, tv, rtol, atol, ...) is not here; the law of contact has its own in carom/law.h. */
#ifndef CAROM_TOLERANCES_H
#define CAROM_TOLERANCES_H

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* A step-size program is at the end when what is left is this part of the step that was asked for: far more than
 * rounding of t over 1e3 such steps, far less than any step that it would make. */
#define CAROM_ARRIVED 1e-12
/* Dense output answers this far outside the span: hosts add up times that the step has multiplied. */
#define CAROM_INSIDE 1e-12

/* ---- step size by doubling (carom/adaptive.h) -------------------------------------------------------------------- */

#define CAROM_FIRST_STEP 1e-2 /* of h: nothing is known yet; two or three steps grow it to its size */
#define CAROM_SAFETY 0.8      /* of the step that the estimate allows: one in ten is then rejected, not one in two */
#define CAROM_GROWTH 5.0      /* at most: estimates are zero by chance */
#define CAROM_SHRINK 0.1      /* at least: estimates behind an event are too large by chance */
#define CAROM_REJECTED 0.9    /* a rejected step is made shorter in any case */
#define CAROM_PROBE 1e-3      /* of the step: accelerations by a step so short that no contact changes in it */

/* ---- bounds of loops --------------------------------------------------------------------------------------------- */

#define CAROM_ATTEMPTS 1000000 /* steps tried inside one step of the host, some seconds of a small model */
#define CAROM_PART 500         /* of these at a time: milliseconds, after which a host may look at its signals */

#endif
