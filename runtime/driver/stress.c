/* See stress.h. */
#include "stress.h"

#include <math.h>

double carom_stress_mises(const double s[6])
{
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt((a * a + b * b + c * c) / 2.0 + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* The mean stress, and what deviates from it by the angle of its third invariant. */
void carom_stress_principal(const double s[6], double out[3])
{
    static const double turn = 2.09439510239319549; /* 2 pi / 3 */
    const double mean = (s[0] + s[1] + s[2]) / 3.0, radius = 2.0 * carom_stress_mises(s) / 3.0;
    const double x = s[0] - mean, y = s[1] - mean, z = s[2] - mean;
    const double det = x * (y * z - s[3] * s[3]) - s[5] * (s[5] * z - s[3] * s[4]) + s[4] * (s[5] * s[3] - y * s[4]);
    const double half = radius / 2.0;
    const double cosine = radius > 0.0 ? fmax(-1.0, fmin(1.0, det / (2.0 * half * half * half))) : 1.0;
    const double angle = acos(cosine) / 3.0;
    out[0] = mean + radius * cos(angle);
    out[2] = mean + radius * cos(angle + turn);
    out[1] = 3.0 * mean - out[0] - out[2];
}

void carom_stress_order(double s[6])
{
    const double yz = s[3], xz = s[4];
    s[3] = s[5];
    s[4] = yz;
    s[5] = xz;
}
