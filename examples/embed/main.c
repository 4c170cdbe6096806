/* A host program around a generated integrator: own parameters, outputs, a checkpoint, and what to do with a status. */
#include "slider_crank.h"

#include <stdio.h>
#include <string.h>

static int complain(const slider_crank *s, carom_status status)
{
    fprintf(stderr, "t = %g: %s (row %d, residual %g)\n", s->t, carom_status_text(status), s->info.contact,
            s->info.residual);
    return 1;
}

int main(void)
{
    static slider_crank s, checkpoint; /* all memory there is */
    slider_crank_params p;
    slider_crank_defaults(&p);
    p.restitution = 0.4;

    carom_status status = slider_crank_init(&s, &p);
    if (status != CAROM_OK) {
        return complain(&s, status);
    }
    printf("%8s %12s %12s %10s\n", "t", "theta1", "slider_x", "impacts");
    for (int i = 1; i <= 4; ++i) {
        status = slider_crank_advance(&s, 0.005 * i, 1e-5);
        if (status != CAROM_OK) {
            return complain(&s, status);
        }
        double y[SLIDER_CRANK_NY];
        slider_crank_outputs(&s, y);
        printf("%8.3f %12.6f %12.6f %10llu\n", s.t, s.q[0], y[0], s.counts.events);
        if (i == 2) {
            checkpoint = s; /* the struct is the state */
        }
    }

    slider_crank again = checkpoint; /* go back and run the second half once more */
    status = slider_crank_advance(&again, 0.02, 1e-5);
    if (status != CAROM_OK) {
        return complain(&again, status);
    }
    const int same = memcmp(again.q, s.q, sizeof s.q) == 0 && memcmp(again.v, s.v, sizeof s.v) == 0;
    printf("second half again from the checkpoint: %s\n", same ? "the same bits" : "different");
    return same ? 0 : 1;
}
