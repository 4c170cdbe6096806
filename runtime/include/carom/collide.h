/*
 * Where two rigid shapes touch: the narrow phase of contacts in bulk. No heap, no state; the same bits for the same
 * input.
 *
 * A shape has its own frame:
 *   sphere       size = {radius}
 *   box          size = {half lengths along x, y, z}
 *   capsule      size = {radius, half length of its axis along z}: a cylinder with half spheres at its ends
 *   cylinder     size = {radius, half length along z}
 *   plane        z = 0, solid below
 *   heightfield  size = {dx, dy}: vertex (i, j) at (i dx, j dy, table[j * columns + i]), solid below; a cell is two
 *                triangles that meet in the diagonal from (i, j) to (i + 1, j + 1); beyond the border there is nothing
 *   polyhedron   size = {radius of the ball around its origin that holds it}; convex, of so many corners (columns) and
 *                faces (rows). Its table: the corners; outward unit normals of the faces; the edges: corners at both
 *                ends, faces to the left and right of it, seen from outside; of each face how many sides it has and
 *                which is its first; the sides of all faces, anticlockwise: a corner and the edge to the next
 *   polygon      in the plane: its frame is turned about z only, and so is that of what it touches. size = {factors of
 *                its corners along x and y}; convex, of so many corners (columns). Its table: two numbers of each
 *                corner, at most 1 in size, anticlockwise; two corners are a segment
 */
#ifndef CAROM_COLLIDE_H
#define CAROM_COLLIDE_H

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_TOUCH_MAX 8    /* touches of a pair */
#define CAROM_CORNERS_MAX 32 /* of a polyhedron or polygon */

typedef enum {
    CAROM_SPHERE,
    CAROM_BOX,
    CAROM_CAPSULE,
    CAROM_CYLINDER,
    CAROM_PLANE,
    CAROM_HEIGHTFIELD,
    CAROM_POLYHEDRON,
    CAROM_POLYGON,
    CAROM_SHAPE_KINDS /* how many there are */
} carom_shape_kind;

typedef struct {
    carom_shape_kind kind;
    double size[3];
    double at[3], turn[4]; /* place in the frame of its body: origin, unit quaternion (w, x, y, z) */
    int columns, rows;     /* heightfield: vertices along x and y, at least 2 each; polyhedron: corners and faces */
    const double *table;   /* of these; polygon: columns only */
} carom_shape;

/* Where the frame of a shape is: origin and rotation matrix by rows, which takes vectors of the shape to vectors of
 * space. */
typedef struct {
    double x[3], R[9];
} carom_pose;

typedef struct {
    double at[3];     /* middle between the two points that are nearest */
    double normal[3]; /* unit vector from b to a */
    double gap;       /* negative: penetration */
    int feature;      /* which corners, edges or faces touch: from step to step the same number for the same ones */
} carom_touch;

/* The rotation that takes the z axis to `axis` (of any length but 0), as a unit quaternion: for planes, capsules,
 * cylinders. */
void carom_shape_turn(const double axis[3], double turn[4]);

/* The pose of a shape on a body whose origin is at x and whose frame is turned by the unit quaternion q. */
void carom_shape_pose(const carom_shape *s, const double x[3], const double q[4], carom_pose *p);

/* Radius of the ball around the origin of a shape that holds it; planes and heightfields have none: HUGE_VAL. */
double carom_shape_radius(const carom_shape *s);

/* Box parallel to the axes around a shape; planes and heightfields are everywhere: +-HUGE_VAL. */
void carom_shape_bounds(const carom_shape *s, const carom_pose *p, double low[3], double high[3]);

/* Is there a rule for this pair, in either order? */
int carom_collides(carom_shape_kind a, carom_shape_kind b);

/*
 * The touches of a and b with gap <= margin, at most min(room, CAROM_TOUCH_MAX), in an order that depends on nothing
 * but the features; returns their number. Exchanging a and b turns the normals round.
 *
 * The least gap is the distance of the shapes, or the depth they must be moved apart by. Where a face is parallel to
 * what touches it to within 3 degrees the touches are those of the face, with its normal: bodies at rest keep their
 * normals.
 *
 * Pairs: sphere with all; capsule with capsule, box, polyhedron, plane, heightfield; box and polyhedron with each
 * other, plane, and with heightfields by their corners only; cylinder with plane; in the plane polygons with each other
 * and with spheres, which are disks there. A pair without a rule does not touch.
 */
int carom_collide(const carom_shape *a, const carom_pose *pa, const carom_shape *b, const carom_pose *pb, double margin,
                  carom_touch *out, int room);

#ifdef __cplusplus
}
#endif
#endif
