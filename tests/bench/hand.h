/* Hand-written integrators for the benchmark: complete state with run-time parameters, one step per call. */
#ifndef HAND_H
#define HAND_H

typedef struct {
    double m, g, e, t, q, v, impulse;
    int pressing;
} hand_ball_state;

void hand_ball_step(hand_ball_state *s, double h);
void hand_ball_steps(hand_ball_state *s, int n, double h);

typedef struct { /* kinematics at one configuration */
    double s1, c1, s2, c2, s3, c3, M12, det, g[4], G[4][3];
} hand_slider_kin;

typedef struct { /* parameters and their constants */
    double M11, M22, M33, k12, f1, f2, l1, l2, a, b, c, e;
} hand_slider_par;

typedef struct {
    double q[3], v[3], impulse[4], t;
    int pressing[4];
    hand_slider_kin k[2]; /* of this configuration and of the next; now: which */
    int now;
    hand_slider_par p;
} hand_slider_state;

void hand_slider_init(hand_slider_state *s);
void hand_slider_step(hand_slider_state *s, double h);
void hand_slider_mj_step(hand_slider_state *s, double h);  /* Moreau-Jean, M^-1 f averaged */
void hand_slider_end_step(hand_slider_state *s, double h); /* Moreau-Jean, M at the end */

enum { HAND_BEADS = 100 };

typedef struct {
    int n;
    double m, g, e, radius, t, q[HAND_BEADS], v[HAND_BEADS], gap[HAND_BEADS], impulse[HAND_BEADS];
    unsigned char pressing[HAND_BEADS];
} hand_column_state;

void hand_column_init(hand_column_state *s, int n);
void hand_column_step(hand_column_state *s, double h); /* D- M = 1 */
void hand_column_mj_step(hand_column_state *s, double h);

#endif
