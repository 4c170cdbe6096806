/* The pile of models/sphere_pile.lua in ODE: places, inclined floor, walls, friction and step are the same; QuickStep.
 *
 *     cc -O2 ode_pile.c $(ode-config --cflags --libs) -lm -o ode_pile    (libode-dev)
 *     ./ode_pile SPHERES UNTIL [STEP [ITERATIONS]] */
#include <ode/ode.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RADIUS 0.01
#define PITCH (2.2 * RADIUS)
#define MASS (2500.0 * 4.0 / 3.0 * 3.14159265358979323846 * RADIUS * RADIUS * RADIUS)

typedef struct {
    dWorldID world;
    dJointGroupID joints;
    int contacts;
    double deepest;
} pile;

static void touch(void *data, dGeomID a, dGeomID b)
{
    enum { MOST = 4 };
    pile *const p = data;
    dContact contact[MOST];
    const int count = dCollide(a, b, MOST, &contact[0].geom, sizeof contact[0]);
    for (int i = 0; i < count; ++i) {
        contact[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = 0.2};
        dJointAttach(dJointCreateContact(p->world, p->joints, &contact[i]), dGeomGetBody(a), dGeomGetBody(b));
        p->deepest = fmax(p->deepest, contact[i].geom.depth);
        ++p->contacts;
    }
}

static double jitter(void)
{
    static long seed = 1;
    seed = seed * 16807 % 2147483647;
    return ((double)seed / 2147483647 - 0.5) * 0.1 * RADIUS;
}

int main(int count, char **words)
{
    if (count < 3) {
        fputs("usage: ode_pile SPHERES UNTIL [STEP [ITERATIONS]]\n", stderr);
        return 2;
    }
    const int n = atoi(words[1]), side = (int)ceil(0.9 * cbrt(n));
    const double h = count > 3 ? atof(words[3]) : 5e-4, steps = floor(atof(words[2]) / h + 0.5), width = side * PITCH;
    dInitODE2(0);
    pile p = {.world = dWorldCreate(), .joints = dJointGroupCreate(0)};
    dWorldSetGravity(p.world, 0, 0, -9.81);
    dWorldSetQuickStepNumIterations(p.world, count > 4 ? atoi(words[4]) : 10);
    const dSpaceID space = dHashSpaceCreate(0);
    dHashSpaceSetLevels(space, -6, -4);
    const double up = sqrt(1.0 + 0.05 * 0.05 + 0.03 * 0.03);
    dCreatePlane(space, 0.05 / up, 0.03 / up, 1.0 / up, 0.0);
    dCreatePlane(space, 1.0, 0.0, 0.0, 0.0);
    dCreatePlane(space, -1.0, 0.0, 0.0, -width);
    dCreatePlane(space, 0.0, 1.0, 0.0, 0.0);
    dCreatePlane(space, 0.0, -1.0, 0.0, -width);
    for (int i = 0; i < n; ++i) {
        const dBodyID body = dBodyCreate(p.world);
        const dGeomID ball = dCreateSphere(space, RADIUS);
        dMass mass;
        dMassSetSphereTotal(&mass, MASS, RADIUS);
        dBodySetMass(body, &mass);
        const double x = (i % side + 0.5) * PITCH + jitter(), y = (i / side % side + 0.5) * PITCH + jitter();
        dBodySetPosition(body, x, y, (i / side / side + 1) * PITCH + jitter());
        dGeomSetBody(ball, body);
    }
    const clock_t began = clock();
    for (double k = 0; k < steps; ++k) {
        p.contacts = 0;
        dSpaceCollide(space, &p, touch);
        dWorldQuickStep(p.world, h);
        dJointGroupEmpty(p.joints);
    }
    printf("%.1f us a step, %d contacts, deepest %.2f %% of a radius\n",
           1e6 * (double)(clock() - began) / CLOCKS_PER_SEC / steps, p.contacts, 100.0 * p.deepest / RADIUS);
    return 0;
}
