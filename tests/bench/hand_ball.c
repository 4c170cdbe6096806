/* What a careful person writes for the bouncing ball with D- M = 1 in the total-impulse form: the yardstick of `carom bench`. */
#include "hand.h"

void hand_ball_step(hand_ball_state *s, double h)
{
    const double m = s->m, g = s->g, e = s->e;
    const int closed = s->q <= 1e-10;
    const int A = s->pressing || (closed && s->v <= 1e-8);
    const double r = A ? m * g : 0.0; /* both stages see the same force */
    const double a = A ? 0.0 : -g;
    const double q1 = s->q + h * (s->v + h * (0.5 * a));
    const double vf = s->v + h * (0.5 * a + 0.5 * a);
    const int Cl = q1 <= 1e-10 || (A && r > 0.0);
    double J = h * (0.5 * r + 0.5 * r), v1 = vf;
    if (Cl) {
        const double factor = !A && !closed ? 1.0 + e : 1.0;
        const double b = factor * vf - J / m;
        const double total = b < 0.0 ? -b * m : 0.0;
        v1 = vf + (total - J) / m;
        J = total;
    }
    s->pressing = A && Cl && r > 0.0;
    s->q = q1;
    s->v = v1;
    s->impulse += J;
    s->t += h;
}
