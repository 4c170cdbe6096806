// A slider-crank in a C++ program: what its contacts do is heard, a state is saved and taken up again.
#include <slider_crank.hpp>

#include <cstdio>

int main()
{
    carom::slider_crank crank;
    crank.listen(256);
    try {
        crank.advance(0.01, 1e-5);
    } catch (const carom::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    int hits = 0;
    double hardest = 0.0;
    for (const carom_contact_event &e : crank.events()) {
        hits += e.kind == CAROM_EVENT_CLOSING;
        hardest = e.impulse > hardest ? e.impulse : hardest;
    }
    std::printf("%d hits in %.3f s, the hardest with %.4f N s\n", hits, crank.t(), hardest);

    carom::slider_crank other;
    other.load(crank.save());
    crank.advance(0.02, 1e-5);
    other.advance(0.02, 1e-5);
    std::printf("%s\n", crank.q()[0] == other.q()[0] ? "a loaded state goes on with the same bits" : "something is wrong");
    return 0;
}
