/* models/bead_column.lua written for Siconos 4.x: a linear system of one coordinate for each bead. A single bead of radius 0 is
 * models/bouncing_ball.lua.
 *
 * Arguments: beads, radius, scheme, first step that is timed, steps, h. Prints place and velocity of each bead at the end. */
#include "siconos_steps.hpp"

#include <cstdio>
#include <vector>

int main(int argc, char **argv)
{
    if (argc != 7) {
        std::fprintf(stderr, "usage: siconos_column BEADS RADIUS SCHEME FROM STEPS H\n");
        return 2;
    }
    const unsigned beads = static_cast<unsigned>(std::atoi(argv[1]));
    const double radius = std::atof(argv[2]);
    const Arguments a = arguments(argv + 3);
    SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0.0, (a.steps + 1) * a.h));
    SP::NonSmoothLaw law(new NewtonImpactNSL(0.9));
    std::vector<SP::LagrangianLinearTIDS> bead;
    for (unsigned i = 0; i < beads; ++i) {
        SP::SiconosVector q(new SiconosVector(1, 1.0 + 0.25 * i)), v(new SiconosVector(1, 0.0)), weight(new SiconosVector(1, -9.81));
        SP::SimpleMatrix M(new SimpleMatrix(1, 1));
        (*M)(0, 0) = 1.0;
        bead.push_back(SP::LagrangianLinearTIDS(new LagrangianLinearTIDS(q, v, M)));
        bead[i]->setFExtPtr(weight);
        system->insertDynamicalSystem(bead[i]);
    }
    for (unsigned i = 0; i < beads; ++i) { /* of bead i on the ground or on the one below */
        SP::SimpleMatrix H(new SimpleMatrix(1, i > 0 ? 2 : 1));
        (*H)(0, 0) = i > 0 ? -1.0 : 1.0;
        if (i > 0) {
            (*H)(0, 1) = 1.0;
        }
        SP::SiconosVector apart(new SiconosVector(1, i > 0 ? -2.0 * radius : -radius));
        SP::Interaction contact(new Interaction(law, SP::Relation(new LagrangianLinearTIR(H, apart))));
        if (i > 0) {
            system->link(contact, bead[i - 1], bead[i]);
        } else {
            system->link(contact, bead[i]);
        }
    }
    const double seconds = make_steps(system, a);
    for (unsigned i = 0; i < beads; ++i) {
        std::printf("%.17g %.17g\n", (*bead[i]->q())(0), (*bead[i]->velocity())(0));
    }
    peer_print_time(seconds, a.steps - a.from);
    return 0;
}
