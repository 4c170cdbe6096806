/* models/fem/impacting_bar.lua written for Siconos 4.x: n nodes of a linear bar with consistent mass, Moreau-Jean with theta = 1/2,
 * active set by the gap alone. Sparse matrices where its dynamical systems take them.
 *
 * Arguments: nodes, steps, h, speed, file. Prints milliseconds per step of the whole loop, CPU time; the file gets per step time, place
 * and velocity of the tip, impulse of the step. */
#include <SiconosKernel.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

static double cpu_seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/* diagonal (half of it at the ends) and what is beside it, of a chain of equal cells */
static SP::SimpleMatrix chain(unsigned n, double diagonal, double beside)
{
    SP::SimpleMatrix A(new SimpleMatrix(n, n, Siconos::SPARSE, 3 * n));
    for (unsigned i = 0; i < n; ++i) {
        A->setValue(i, i, i == 0 || i == n - 1 ? 0.5 * diagonal : diagonal);
        if (i > 0) {
            A->setValue(i, i - 1, beside);
            A->setValue(i - 1, i, beside);
        }
    }
    return A;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        std::fprintf(stderr, "usage: siconos_bar NODES STEPS H SPEED FILE\n");
        return 2;
    }
    const unsigned n = static_cast<unsigned>(std::atoi(argv[1])), steps = static_cast<unsigned>(std::atoi(argv[2]));
    const double h = std::atof(argv[3]), v0 = std::atof(argv[4]), E = 210e9, rho = 7800.0, section = 3.14e-4, cell = 1.0 / n;

    SP::SimpleMatrix M = chain(n, rho * section * cell * 4.0 / 6.0, rho * section * cell / 6.0);
    SP::SimpleMatrix K = chain(n, 2.0 * E * section / cell, -E * section / cell);
    SP::SimpleMatrix C(new SimpleMatrix(n, n, Siconos::SPARSE, 3 * n));
    SP::SiconosVector q(new SiconosVector(n, 5e-5)), v(new SiconosVector(n, -v0));
    SP::LagrangianLinearTIDS bar(new LagrangianLinearTIDS(q, v, M, K, C));

    SP::SimpleMatrix H(new SimpleMatrix(1, n));
    (*H)(0, 0) = 1.0;
    SP::SiconosVector wall(new SiconosVector(1, 1e-13));
    SP::Interaction contact(new Interaction(SP::NonSmoothLaw(new NewtonImpactNSL(0.0)), SP::Relation(new LagrangianLinearTIR(H, wall))));
    SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0.0, (steps + 1) * h));
    system->insertDynamicalSystem(bar);
    system->link(contact, bar);

    SP::MoreauJeanOSI integrator(new MoreauJeanOSI(0.5, 0.0));
    SP::TimeStepping stepping(new TimeStepping(system, SP::TimeDiscretisation(new TimeDiscretisation(0.0, h)), integrator,
                                               SP::OneStepNSProblem(new LCP())));
    std::vector<double> row;
    row.reserve(4 * steps);
    stepping->computeOneStep(); /* what is made once, the factor of M + theta^2 h^2 K among it, does not count */
    const double start = cpu_seconds();
    for (unsigned k = 0; k < steps; ++k) {
        if (k > 0) {
            stepping->computeOneStep();
        }
        row.push_back(stepping->nextTime());
        row.push_back((*bar->q())(0));
        row.push_back((*bar->velocity())(0));
        row.push_back((*contact->lambda(1))(0));
        stepping->nextStep();
    }
    const double seconds = cpu_seconds() - start;
    FILE *out = std::fopen(argv[5], "w");
    if (out == nullptr) {
        std::perror(argv[5]);
        return 1;
    }
    std::fprintf(out, "t,x,v,impulse\n");
    for (unsigned k = 0; k < steps; ++k) {
        std::fprintf(out, "%.17g,%.17g,%.17g,%.17g\n", row[4 * k], row[4 * k + 1], row[4 * k + 2], row[4 * k + 3]);
    }
    std::fclose(out);
    std::printf("steps %u ms/step %.6f\n", steps, 1e3 * seconds / (steps - 1));
    return 0;
}
