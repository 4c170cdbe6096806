/* What the impulses of a step say about its contacts: open, closed, sticking, sliding. One rule for every generated
 * integrator; the header is all there is. */
#ifndef CAROM_TOUCH_H
#define CAROM_TOUCH_H

#include "model.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The status of a contact that pressed with `impulse` in the last step and ends it with the slip velocities u, of which
 * there are `tangents`; slower than `still` is at rest. Every scheme solves its contacts for the velocities at the end
 * of the step: what sticks has lost its slip there, what slides has not, and the impulse alone cannot tell the two
 * apart on the edge of the cone. */
static inline carom_contact_status carom_contact_status_of(double impulse, double mu, int tangents, const double *u,
                                                           double still)
{
    double slip = 0.0;
    if (!(impulse > 0.0)) {
        return CAROM_CONTACT_OPEN;
    }
    if (tangents == 0 || !(mu > 0.0)) {
        return CAROM_CONTACT_CLOSED;
    }
    for (int i = 0; i < tangents; ++i) {
        slip = hypot(slip, u[i]);
    }
    return slip > still ? CAROM_CONTACT_SLIP : CAROM_CONTACT_STICK;
}

#ifdef __cplusplus
}
#endif
#endif
