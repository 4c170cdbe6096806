/*
 * The touches of two given shapes as rows of a model: for each pair of shapes a fixed number of slots, each a gap, a
 * normal and two arms, as functions of the frames of the two bodies; and their derivatives along a motion of the
 * frames. No heap, no state; the same bits for the same input.
 *
 * in[CAROM_GEOMETRY_IN]  of shape a: size, place and axis in the frame of its body (3 numbers each: collide.h); the
 * same
 *                        of b; the frame of the body of a: origin (3), rotation matrix by rows (9); the same of b
 * out, for each slot     gap; normal from b to a; arms, which lead from the origins of the two frames to the points
 *                        that are nearest (CAROM_GEOMETRY_OUT numbers)
 *
 * A slot that no touch fills is far: its gap is CAROM_GEOMETRY_FAR radii of the smaller shape, its normal and arms are
 * those of the slot before it, or upwards and 0. Shapes that are farther apart than CAROM_GEOMETRY_NEAR such radii
 * touch as the balls around them do (the gap is less than their distance); heightfields are not seen from there.
 */
#ifndef CAROM_GEOMETRY_H
#define CAROM_GEOMETRY_H

#include "collide.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CAROM_GEOMETRY_IN = 42, CAROM_GEOMETRY_MOTION = 24, CAROM_GEOMETRY_OUT = 10 };

#define CAROM_GEOMETRY_FAR 1000.0 /* so far that no step of use comes near in one go */
#define CAROM_GEOMETRY_NEAR 10.0  /* so near that only some cells are looked at */

typedef struct {
    carom_shape_kind a, b;
    struct {
        int columns, rows;
        const double *table;
    } of[2]; /* heightfields and polyhedra: see collide.h; else 0 */
} carom_couple;

/* The slots of a couple; returns how many there are. */
int carom_slots(const carom_couple *couple, const double *in, double *out);

/* Their derivatives along the motion in[CAROM_GEOMETRY_IN ...] of the frames (a: origin, matrix; b: the same): the gap
 * exactly, normals and arms by central differences of their features. */
int carom_slot_rates(const carom_couple *couple, const double *in, double *out);

#ifdef __cplusplus
}
#endif
#endif
