/* models/slider_crank.lua without friction written for Siconos 4.x: one system of three angles, a nonlinear relation for each corner.
 *
 * Arguments: restitution, scheme, first step that is timed, steps, h. Prints place and velocity of each angle at the end. */
#include "siconos_steps.hpp"

#include <cmath>
#include <cstdio>

namespace {

const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, c = 0.001;
const double m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, gravity = 9.81;
const double coupling = (m2 / 2 + m3) * l1 * l2, weight1 = (m1 / 2 + m2 + m3) * gravity * l1, weight2 = (m2 / 2 + m3) * gravity * l2;

/* M v' + gyroscopic(q, v) + weight(q) = impulses; matrices by columns */

void zero(double *matrix) { std::fill(matrix, matrix + 9, 0.0); }

void mass(unsigned, double *q, double *M, unsigned, double *)
{
    zero(M);
    M[0] = J1 + (m1 / 4 + m2 + m3) * l1 * l1;
    M[4] = J2 + (m2 / 4 + m3) * l2 * l2;
    M[8] = J3;
    M[1] = M[3] = coupling * std::cos(q[0] - q[1]);
}

void gyroscopic(unsigned, double *q, double *v, double *f, unsigned, double *)
{
    const double s = coupling * std::sin(q[0] - q[1]);
    f[0] = s * v[1] * v[1];
    f[1] = -s * v[0] * v[0];
    f[2] = 0.0;
}

void gyroscopic_by_q(unsigned, double *q, double *v, double *D, unsigned, double *)
{
    const double k = coupling * std::cos(q[0] - q[1]);
    zero(D);
    D[0] = k * v[1] * v[1];
    D[1] = -k * v[0] * v[0];
    D[3] = -D[0];
    D[4] = -D[1];
}

void gyroscopic_by_v(unsigned, double *q, double *v, double *D, unsigned, double *)
{
    const double s = coupling * std::sin(q[0] - q[1]);
    zero(D);
    D[1] = -2.0 * s * v[0];
    D[3] = 2.0 * s * v[1];
}

void weight(double, unsigned, double *q, double *, double *f, unsigned, double *)
{
    f[0] = weight1 * std::cos(q[0]);
    f[1] = weight2 * std::cos(q[1]);
    f[2] = 0.0;
}

void weight_by_q(double, unsigned, double *q, double *, double *D, unsigned, double *)
{
    zero(D);
    D[0] = -weight1 * std::sin(q[0]);
    D[4] = -weight2 * std::sin(q[1]);
}

void weight_by_v(double, unsigned, double *, double *, double *D, unsigned, double *) { zero(D); }

/* A corner at (along a, up b) of the slider, along and up being 1 or -1: the gap to the guide on its side is
 * b + c - up (l1 sin q0 + l2 sin q1 + along a sin q2) - b cos q2. */
template <int up, int along> struct Corner : LagrangianScleronomousR {
    Corner()
    {
        _pluginh->setComputeFunction(reinterpret_cast<void *>(gap));
        _pluginJachq->setComputeFunction(reinterpret_cast<void *>(direction));
        _plugindotjacqh->setComputeFunction(reinterpret_cast<void *>(turning));
        _dotjachq.reset(new SimpleMatrix(1, 3));
    }

    static void gap(unsigned, double *q, unsigned, double *y, unsigned, double *)
    {
        y[0] = b + c - up * (l1 * std::sin(q[0]) + l2 * std::sin(q[1]) + along * a * std::sin(q[2])) - b * std::cos(q[2]);
    }

    static void direction(unsigned, double *q, unsigned, double *G, unsigned, double *)
    {
        G[0] = -up * l1 * std::cos(q[0]);
        G[1] = -up * l2 * std::cos(q[1]);
        G[2] = -up * along * a * std::cos(q[2]) + b * std::sin(q[2]);
    }

    static void turning(unsigned, double *q, unsigned, double *v, double *D, unsigned, double *)
    {
        D[0] = up * l1 * std::sin(q[0]) * v[0];
        D[1] = up * l2 * std::sin(q[1]) * v[1];
        D[2] = (up * along * a * std::sin(q[2]) + b * std::cos(q[2])) * v[2];
    }
};

} // namespace

int main(int argc, char **argv)
{
    if (argc != 6) {
        std::fprintf(stderr, "usage: siconos_slider RESTITUTION SCHEME FROM STEPS H\n");
        return 2;
    }
    const Arguments run = arguments(argv + 2);
    SP::SiconosVector q(new SiconosVector(3, 0.0)), v(new SiconosVector(3, 0.0));
    (*v)(0) = 150.0;
    (*v)(1) = -75.0;
    SP::LagrangianDS slider(new LagrangianDS(q, v));
    slider->setComputeMassFunction(mass);
    slider->setComputeFGyrFunction(gyroscopic);
    slider->setComputeJacobianFGyrqFunction(gyroscopic_by_q);
    slider->setComputeJacobianFGyrqDotFunction(gyroscopic_by_v);
    slider->setComputeFIntFunction(weight);
    slider->setComputeJacobianFIntqFunction(weight_by_q);
    slider->setComputeJacobianFIntqDotFunction(weight_by_v);

    SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0.0, (run.steps + 1) * run.h));
    system->insertDynamicalSystem(slider);
    const SP::NonSmoothLaw law(new NewtonImpactNSL(std::atof(argv[1])));
    for (const SP::Relation &corner : {SP::Relation(new Corner<1, -1>), SP::Relation(new Corner<1, 1>), SP::Relation(new Corner<-1, -1>),
                                       SP::Relation(new Corner<-1, 1>)}) {
        system->link(SP::Interaction(new Interaction(law, corner)), slider);
    }
    const double seconds = make_steps(system, run);
    for (unsigned i = 0; i < 3; ++i) {
        std::printf("%.17g %.17g\n", (*slider->q())(i), (*slider->velocity())(i));
    }
    peer_print_time(seconds, run.steps - run.from);
    return 0;
}
