/* Makes steps of a generated model, whose header is included from the command line and whose table is PEER_MODEL.
 *
 * Arguments: steps, h. Prints place and velocity of each coordinate at the end. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        return 2;
    }
    const carom_model *const m = PEER_MODEL();
    const long steps = strtol(argv[1], NULL, 10);
    const double h = strtod(argv[2], NULL);
    void *const s = malloc(m->state_size);
    carom_view now;
    if (s == NULL || m->init(s, NULL) != CAROM_OK) {
        return 1;
    }
    for (long k = 0; k < steps; ++k) {
        const carom_status status = m->step_once(s, h);
        if (status != CAROM_OK) {
            fprintf(stderr, "%s\n", carom_status_text(status));
            return 1;
        }
    }
    m->view(s, &now);
    for (int i = 0; i < m->coordinates; ++i) {
        printf("%.17g %.17g\n", now.q[i], now.v[i]);
    }
    free(s);
    return 0;
}
