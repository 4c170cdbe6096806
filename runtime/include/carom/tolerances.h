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
/* Two steps are of one length when they differ by less than this part of it: hosts compute them. */
#define CAROM_SAME_STEP 1e-9

/* ---- the start -------------------------------------------------------------------------------------------------- */

/* In the unit of the constraint: what a state given from outside may violate, five or six digits typed by hand. */
#define CAROM_VIOLATED 1e-6

/* ---- impacts at their own times (carom/split.h) ------------------------------------------------------------------ */

#define CAROM_TOGETHER 1e-9 /* of a step: contacts that hit so close after one another hit together */

/* ---- derivatives of steps (carom/tangent.h) ---------------------------------------------------------------------- */

#define CAROM_CONE_EDGE 1e-9     /* of the limit: friction that is so near to it slides */
#define CAROM_TERMS_CANCEL 1e-12 /* of the terms of a sum: what is left of it where they cancel, and no longer falls */
#define CAROM_MODE_EDGE 1e-10    /* of the rates: nothing is carried and nothing parts, to what solvers leave */

/* ---- step size by doubling (carom/adaptive.h) -------------------------------------------------------------------- */

#define CAROM_FIRST_STEP 1e-2 /* of h: nothing is known yet; two or three steps grow it to its size */
#define CAROM_SAFETY 0.8      /* of the step that the estimate allows: one in ten is then rejected, not one in two */
#define CAROM_GROWTH 5.0      /* at most: estimates are zero by chance */
#define CAROM_SHRINK 0.1      /* at least: estimates behind an event are too large by chance */
#define CAROM_REJECTED 0.9    /* a rejected step is made shorter in any case */
#define CAROM_PROBE 1e-3      /* of the step: accelerations by a step so short that no contact changes in it */

/* ---- iterations (carom/settled.h) -------------------------------------------------------------------------------- */

/* Small corrections alone prove nothing, where a matrix is nearly singular: the equations must be solved too. */
#define CAROM_DEFECT 1e-6
/* What corrections that no longer fall may be, relative: rounding, of which a few conditions of 1e3 make 1e-9 ... */
#define CAROM_STAGNATION 1e-9
/* ... or what a friction solver with the default ctol = 1e-11 leaves in its forces. */
#define CAROM_STAGNATION_FRICTION 1e-7
/* Added to tolerances of sizes that may be zero: the least that is still a normal number when it is squared twice. */
#define CAROM_NOTHING 1e-290
/* At rest accelerations are zero and rounding is not: they are measured by this share of the free acceleration too. */
#define CAROM_FREE_SHARE 0.01
/* Newton's matrix is made anew when a correction is not below this part of the one before it: two more of those cost as
 * much as the matrix. */
#define CAROM_RENEW 1e-2
/* Times the tolerance: a correction that is foreseen and not made. Where one is waited for that is below the tolerance,
 * the next would also be about so small. */
#define CAROM_FORESEEN 1e-2
/* Times the tolerance: a last correction of velocities that gaps and rows have not seen any more, where the next is
 * foreseen. With 1e-13 they are off by 1e-10 of what moves within a step. */
#define CAROM_UNSEEN 1e3
/* Corrections of velocities that are rounding of the fastest: 50 units in the last place. */
#define CAROM_SPEED_ROUNDING 1e-14
/* Stiff forces know places to rounding only: accelerations are measured by this part of the places, over the step. */
#define CAROM_STIFF_ROUNDING 1e-5

/* ---- contact problems -------------------------------------------------------------------------------------------- */

/* A pivot W_NN - mu W_NT s of a sliding contact below this part of W_NN is not positive: Painleve's configuration. The
 * entries of W are sums of a few products, right to 1e-15 or so. */
#define CAROM_PIVOT_ZERO 1e-12
/* One contact, solved in closed form: what its rate may be below zero, of the rate before; more is W < 0. */
#define CAROM_OPEN_ROUNDING 1e-9

/* ---- event capturing (carom/capture.h): parts of the scales of gaps, rates and forces --------------------------- */

#define CAROM_RATE_ZERO 1e-11      /* of the speed: a rate is zero; what projection leaves is 1e-13 or so */
#define CAROM_GAP_ZERO 1e-9        /* of the length: contacts touch, and take part in what happens to others */
#define CAROM_FORCE_ZERO 1e-11     /* of the force: a force or its reserve is negative, beyond what a solve leaves */
#define CAROM_PULLING 1e-6         /* of the impulses of a step: a contact pulled; a law is broken (carom/law.h) */
#define CAROM_TOGETHER 1e-9        /* of the time: impacts are simultaneous. Of the model, never of the step */
#define CAROM_TOUCHING 1e-12       /* of the length: a gap starts from zero, so its event function is divided by x */
#define CAROM_GAP_ROUNDING 2e-15   /* of the length: a gap that closes is below zero, by more than the last places */
#define CAROM_GAP_CROSSED 2e-13    /* of the length: a gap has been on both sides, whatever its rate says now */
#define CAROM_PLACE_ROUNDING 1e-15 /* of the length: projection is at its end */
#define CAROM_SWEEPS 4             /* of projection, quadratic: 1e-2, 1e-4, 1e-8, 1e-16 */
#define CAROM_APART 1e-9           /* of the length: a held gap that projection could not close: the step is too long */
#define CAROM_PULLED 0.1           /* of the change of velocity: what projection may take out of it, beyond ... */
#define CAROM_PULLED_SPEED 1e-6    /* ... this part of the speed; more means that rows turn too fast for the step */
#define CAROM_OPENS 1e-9           /* of the accelerations: a contact opens; less is what the solver leaves */
#define CAROM_STICKS 1e-9          /* of the limit: how far inside the cone a force sticks */
#define CAROM_JOINTLY 2.0          /* times delta: events so near to the one located are the same one */
#define CAROM_GRAZING 0.02         /* of the way in a step: minima of gaps so near to zero are looked at */
#define CAROM_TURN 0.25            /* of the way to the stop of a slip that turns: a step may go so far */
#define CAROM_STRAIGHT 1e-2        /* of delta: a slip that turns by less slides straight on */
#define CAROM_SWITCH_LOOK 1e-7     /* of the time scale: how far one looks to see where a switch of forces goes */

/* Bracketing by re-integration: iterates keep so many delta from both ends, so that two of them close the bracket. */
#define CAROM_BRACKET_INSET 0.45
#define CAROM_BRACKET_STEPS 100 /* bisection alone needs 50 */

#define CAROM_TIME_LEFT 1e-14     /* of t: the end of the step is reached */
#define CAROM_TIME_ROUNDING 1e-15 /* of t: no event can be located more sharply */
#define CAROM_LOCATED_MOST 0.1    /* of h: the least sharp, where h is no longer small beside the time scale */
#define CAROM_CUT 0.3             /* a step whose equations are not solved is made so much shorter, down to ... */
#define CAROM_CUT_LEAST 1e-9      /* ... this part of h */
#define CAROM_FIRST_SHARE 1e-3    /* of the time scale: the first step of all */
#define CAROM_CAPTURE_SAFETY 0.9  /* as above: embedded estimates scatter less than those by doubling */
#define CAROM_CAPTURE_GROWTH 4.0
#define CAROM_CAPTURE_SHRINK 0.2
#define CAROM_WHOLE 0.999 /* of a step: it was not cut */

/* ---- bounds of loops --------------------------------------------------------------------------------------------- */

#define CAROM_ATTEMPTS 1000000 /* steps tried inside one step of the host, some seconds of a small model */
#define CAROM_PART 500         /* of these at a time: milliseconds, after which a host may look at its signals */

#define CAROM_CASCADE 5000     /* impacts at one instant */
#define CAROM_EVENTS_MOST 3000 /* events in one step of the host */

#endif
