/* Makes steps of a generated model, whose header is included from the command line and whose table is PEER_MODEL.
 *
 * Arguments: first step that is timed, steps, h, how often all of it is repeated. Prints place and velocity of each coordinate. */
#include "peer_clock.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 5) {
        return 2;
    }
    const carom_model *const m = PEER_MODEL();
    const long from = strtol(argv[1], NULL, 10), steps = strtol(argv[2], NULL, 10), times = strtol(argv[4], NULL, 10);
    const double h = strtod(argv[3], NULL);
    double seconds = 0;
    void *const s = malloc(m->state_size);
    carom_view now;
    for (long time = 0; time < times; ++time) {
        if (s == NULL || m->init(s, NULL) != CAROM_OK) {
            return 1;
        }
        for (long k = 0; k < steps; ++k) {
            if (k == from) {
                seconds -= peer_seconds();
            }
            const carom_status status = m->step_once(s, h);
            if (status != CAROM_OK) {
                fprintf(stderr, "%s\n", carom_status_text(status));
                return 1;
            }
        }
        seconds += peer_seconds();
    }
    m->view(s, &now);
    for (int i = 0; i < m->coordinates; ++i) {
        printf("%.17g %.17g\n", now.q[i], now.v[i]);
    }
    peer_print_time(seconds, (double)times * (double)(steps - from));
    free(s);
    return 0;
}
