/* What a careful person writes for the bouncing ball with D- M = 1 in the total-impulse form: the yardstick of `carom bench`.
 * Free flight first: most steps end there. */
#include "hand.h"

static inline void step(hand_ball_state *s, double h)
{
    const double m = s->m, g = s->g, q = s->q, v = s->v;
    const int closed = q <= 1e-10, A = s->pressing || (closed && v <= 1e-8);
    s->t += h;
    if (!A) {
        const double q1 = q - h * (h * (0.5 * g) - v), vf = v - h * g;
        s->q = q1;
        s->v = vf;
        if (q1 <= 1e-10) {
            const double b = (closed ? 1.0 : 1.0 + s->e) * vf;
            if (b < 0.0) {
                s->v = vf - b;
                s->impulse -= b * m;
            }
        }
        return;
    }
    const double Jr = h * (m * g), q1 = q + h * v; /* both stages see the same force, the acceleration is 0 */
    const double b = v - Jr / m, J = b < 0.0 ? -b * m : 0.0;
    s->v = v + (J - Jr) / m;
    s->q = q1;
    s->impulse += J;
    s->pressing = Jr > 0.0 && J > 0.0;
}

void hand_ball_step(hand_ball_state *s, double h) { step(s, h); }

void hand_ball_steps(hand_ball_state *s, int n, double h)
{
    hand_ball_state y = *s; /* in registers */
    for (int k = 0; k < n; ++k) {
        step(&y, h);
    }
    *s = y;
}
