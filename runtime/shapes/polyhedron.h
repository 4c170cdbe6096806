/* Convex bodies by their corners, edges and faces, two of them in the frame of the second: shared by polyhedron.c,
 * which finds how they touch, and patch.c, which clips one to a face of the other. Not installed. */
#ifndef CAROM_SHAPES_POLYHEDRON_H
#define CAROM_SHAPES_POLYHEDRON_H

#include "vector.h"

#define COSINE 0.99875 /* of about 3 degrees */
#define ALIKE 0.01     /* relative difference of two gaps that stand for the same */
#define TINY 1e-6      /* the same, relative to the size of the bodies */
#define TOUCHING 1e-9  /* below this distance, relative to the size, a direction is noise */

enum { CORNERS = CAROM_CORNERS_MAX, EDGES = 3 * CORNERS - 6 };

/* Points above a face: no more than both faces have sides, which have all corners but one at most. */
enum { SIDES = 2 * CORNERS - 2 };

/* A convex body without its radius. A sphere has one corner, a capsule two and an edge without faces. The rest is the
 * table of collide.h, whose normals are in the frame of their shape: see carom_normal. */
typedef struct {
    int corners, faces, edges;
    const double *corner, *normal, *edge, *face, *side, *R;
} carom_body;

/* The two bodies that meet, in the frame of the second. */
typedef struct {
    carom_body of[2];
    double size, radius; /* of the smaller one; of what surrounds the first */
} carom_meeting;

static inline int carom_sides(const carom_body *s, int face) { return (int)s->face[2 * face]; }

/* A side of a face: its corner (what = 0), or the edge that leads to the next (1). */
static inline int carom_side(const carom_body *s, int face, int k, int what)
{
    return (int)s->side[2 * ((int)s->face[2 * face + 1] + k) + what];
}

/* The place of its corner; the side behind the last is the first. */
static inline const double *carom_side_at(const carom_body *s, int face, int k)
{
    return s->corner + 3 * carom_side(s, face, k % carom_sides(s, face), 0);
}

/* The outward normal of a face. */
static inline void carom_normal(const carom_body *s, int face, double n[3])
{
    if (s->R != 0) {
        carom_turned(s->R, s->normal + 3 * face, n);
    } else {
        for (int k = 0; k < 3; ++k) {
            n[k] = s->normal[3 * face + k];
        }
    }
}

/* Features: corner c of a is c, of b CORNERS + c; the crossing of edges i of a and j of b is behind these. */
static inline int carom_corner_feature(int of, int c) { return of * CORNERS + c; }
static inline int carom_edge_feature(int i, int j) { return 2 * CORNERS + EDGES * i + j; }

/* What is above a face: points of the other body's boundary, in their order around it. */
typedef struct {
    int of, face, count;
    double up[3], foot[3], least; /* heights are those over foot along up; the least of them */
    double x[SIDES][3];
    struct carom_vertex {
        short feature;
        short edge; /* that leads to the next point: of the other body, or the side of the face as -1 - side */
    } v[SIDES];
} carom_patch;

static inline void carom_keep(carom_patch *p, const double x[3], struct carom_vertex v)
{
    for (int i = 0; i < 3; ++i) {
        p->x[p->count][i] = x[i];
    }
    p->v[p->count++] = v;
}

static inline double carom_height(const carom_patch *p, int k)
{
    double d[3];
    carom_minus(p->x[k], p->foot, d);
    return carom_dot(p->up, d);
}

/* Does something lie over the face of body `of` that looks along n most (from b to a), no further than gap? */
int carom_lies_on(const carom_meeting *m, int of, const double n[3], double gap);

/* Where a face will do for what touches along n at a gap, first of a: the touches of what is clipped to it, in the
 * frame pb of b. False: none will. */
int carom_lay(const carom_meeting *m, const carom_pose *pb, const double n[3], double gap, carom_touches *t);

/* The face whose normal is most against n, the first of those that are alike. */
int carom_looks(const carom_body *s, const double n[3]);

/* Leaves the deepest point and those that span most. */
void carom_thin(carom_patch *p, int room);

#endif
