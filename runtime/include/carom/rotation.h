/* Rotations of free bodies: unit quaternions (w, x, y, z) driven by the body-frame angular velocity, q' = 1/2 q o (0,
 * w). */
#ifndef CAROM_ROTATION_H
#define CAROM_ROTATION_H

#include <math.h>

/* out = a o b */
static inline void carom_quaternion_multiply(const double a[4], const double b[4], double out[4])
{
    const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

static inline void carom_quaternion_normalise(double q[4])
{
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4 && size > 0.0; ++i) {
        q[i] /= size;
    }
}

/* out = q turned by the rotation vector r (body frame): q o exp(r / 2) */
static inline void carom_quaternion_turn(const double q[4], const double r[3], double out[4])
{
    const double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    const double f = angle > 1e-4 ? sin(0.5 * angle) / angle : 0.5 - angle * angle / 48.0;
    const double turn[4] = {cos(0.5 * angle), f * r[0], f * r[1], f * r[2]};
    carom_quaternion_multiply(q, turn, out);
    carom_quaternion_normalise(out);
}

/* Collocation of q' = 1/2 q o (0, w) on the stages of a method: Q_l = q + h sum_k B_lk 1/2 Q_k o (0, W_k), l = 0 ..
 * n-1, with the angular velocities W_k = w[3 k ..]; B is n x n by rows. It keeps the order of the method, whatever it
 * is. The Q_l are unit quaternions; solved by fixed point (contraction h |w| / 4 or so), 40 sweeps at most. */
static inline void carom_quaternion_stages(int n, const double *B, const double q[4], const double *w, double h,
                                           double *Q)
{
    double rate[16][4];
    for (int l = 0; l < n; ++l) {
        for (int i = 0; i < 4; ++i) {
            Q[4 * l + i] = q[i];
        }
    }
    for (int sweep = 0; sweep < 40; ++sweep) {
        double change = 0.0;
        for (int k = 0; k < n; ++k) {
            const double W[4] = {0.0, w[3 * k], w[3 * k + 1], w[3 * k + 2]};
            carom_quaternion_multiply(Q + 4 * k, W, rate[k]);
        }
        for (int l = 0; l < n; ++l) {
            for (int i = 0; i < 4; ++i) {
                double x = q[i];
                for (int k = 0; k < n; ++k) {
                    x += 0.5 * h * B[l * n + k] * rate[k][i];
                }
                change = fmax(change, fabs(x - Q[4 * l + i]));
                Q[4 * l + i] = x;
            }
        }
        if (change <= 1e-16) {
            break;
        }
    }
    for (int l = 0; l < n; ++l) {
        carom_quaternion_normalise(Q + 4 * l);
    }
}

/* out = q + h sum_k b_k 1/2 Q_k o (0, W_k), normalised: the end of a step with weights b. */
static inline void carom_quaternion_end(int n, const double *b, const double q[4], const double *w, const double *Q,
                                        double h, double out[4])
{
    double sum[4] = {q[0], q[1], q[2], q[3]};
    for (int k = 0; k < n; ++k) {
        const double W[4] = {0.0, w[3 * k], w[3 * k + 1], w[3 * k + 2]};
        double rate[4];
        carom_quaternion_multiply(Q + 4 * k, W, rate);
        for (int i = 0; i < 4; ++i) {
            sum[i] += 0.5 * h * b[k] * rate[i];
        }
    }
    for (int i = 0; i < 4; ++i) {
        out[i] = sum[i];
    }
    carom_quaternion_normalise(out);
}

#endif
