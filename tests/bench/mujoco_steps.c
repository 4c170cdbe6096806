/* Makes steps of a model of MuJoCo (2.2 and later).
 *
 * Arguments: file, first step that is timed, steps. Prints place and velocity of each coordinate at the end. */
#include "peer_clock.h"

#include <mujoco/mujoco.h>

#include <stdlib.h>

int main(int argc, char **argv)
{
    char why[1000] = "";
    if (argc != 4) {
        return 2;
    }
    mjModel *const m = mj_loadXML(argv[1], NULL, why, sizeof why);
    if (m == NULL) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    mjData *const d = mj_makeData(m);
    const long from = strtol(argv[2], NULL, 10), steps = strtol(argv[3], NULL, 10);
    double start = 0;
    for (long k = 0; k < steps; ++k) {
        if (k == from) {
            start = peer_seconds();
        }
        mj_step(m, d);
    }
    const double seconds = peer_seconds() - start;
    for (int i = 0; i < m->nq; ++i) {
        printf("%.17g %.17g\n", d->qpos[i], d->qvel[i]);
    }
    peer_print_time(seconds, (double)(steps - from));
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
