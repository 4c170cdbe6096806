/* Steps of a system of Siconos 4.x: Moreau-Jean with theta = 1/2, active set by the gap alone, or its D- (D1MinusLinear) at the level of
 * accelerations or velocities; contact problems by Lemke's method. */
#ifndef SICONOS_STEPS_HPP
#define SICONOS_STEPS_HPP

#include "peer_clock.h"

#include <SiconosKernel.hpp>

#include <cstdlib>
#include <cstring>

struct Arguments {
    const char *scheme;
    unsigned from, steps;
    double h;
};

/* of the last four words of a command line */
inline Arguments arguments(char **last)
{
    return {last[0], static_cast<unsigned>(std::atoi(last[1])), static_cast<unsigned>(std::atoi(last[2])), std::atof(last[3])};
}

inline SP::Simulation simulation(SP::NonSmoothDynamicalSystem system, const Arguments &a)
{
    SP::TimeDiscretisation times(new TimeDiscretisation(0.0, a.h));
    if (std::strcmp(a.scheme, "moreau-jean") == 0) {
        SP::TimeStepping stepping(new TimeStepping(system, times, SP::MoreauJeanOSI(new MoreauJeanOSI(0.5, 0.0)),
                                                   SP::OneStepNSProblem(new LCP())));
        stepping->setNewtonTolerance(1e-10);
        stepping->setNewtonMaxIteration(200);
        return stepping;
    }
    SP::TimeSteppingD1Minus stepping(new TimeSteppingD1Minus(system, times, 2));
    stepping->insertIntegrator(SP::D1MinusLinearOSI(new D1MinusLinearOSI(std::strcmp(a.scheme, "velocities") == 0
                                                                             ? D1MinusLinearOSI::halfexplicit_velocity_level
                                                                             : D1MinusLinearOSI::halfexplicit_acceleration_level)));
    stepping->insertNonSmoothProblem(SP::OneStepNSProblem(new LCP()), SICONOS_OSNSP_TS_VELOCITY);
    stepping->insertNonSmoothProblem(SP::OneStepNSProblem(new LCP()), SICONOS_OSNSP_TS_VELOCITY + 1);
    return stepping;
}

/* the time of a step, printed by who has printed the state */
inline double make_steps(SP::NonSmoothDynamicalSystem system, const Arguments &a)
{
    SP::Simulation stepping = simulation(system, a);
    double start = 0.0;
    for (unsigned k = 0; k < a.steps; ++k) {
        if (k == a.from) {
            start = peer_seconds();
        }
        stepping->advanceToEvent();
        stepping->processEvents();
    }
    return peer_seconds() - start;
}

#endif
