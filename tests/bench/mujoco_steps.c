/* Makes steps of a model of MuJoCo (2.2 and later).
 *
 * Arguments: file, steps. Prints place and velocity of each coordinate at the end. */
#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char why[1000] = "";
    if (argc != 3) {
        return 2;
    }
    mjModel *const m = mj_loadXML(argv[1], NULL, why, sizeof why);
    if (m == NULL) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    mjData *const d = mj_makeData(m);
    const long steps = strtol(argv[2], NULL, 10);
    for (long k = 0; k < steps; ++k) {
        mj_step(m, d);
    }
    for (int i = 0; i < m->nq; ++i) {
        printf("%.17g %.17g\n", d->qpos[i], d->qvel[i]);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
