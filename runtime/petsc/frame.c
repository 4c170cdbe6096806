/* The frame of a contact from the gradient of its gap. */
#include "obstacle.h"

PetscReal CaromObstacleFrame(PetscInt d, const PetscReal *gradient, const PetscReal *mask, PetscReal *frame)
{
    PetscReal length = 0, n[3] = {0, 0, 0}, along, size = 0;
    PetscInt axis = 0;
    for (PetscInt c = 0; c < d; c++) {
        n[c] = gradient[c] * mask[c];
        length += n[c] * n[c];
    }
    length = PetscSqrtReal(length);
    for (PetscInt i = 0; i < d * d; i++) {
        frame[i] = i % (d + 1) == 0 ? 1 : 0;
    }
    if (!(length > 0)) {
        return 0;
    }
    for (PetscInt c = 0; c < d; c++) {
        n[c] /= length;
        frame[c] = n[c];
    }
    if (d == 2) {
        frame[2] = -n[1];
        frame[3] = n[0];
    } else if (d == 3) {
        for (PetscInt c = 1; c < d; c++) { /* a fixed axis is a tangent; else the axis most across the normal */
            const PetscReal at = mask[axis] > 0 ? PetscAbsReal(n[axis]) : -1,
                            here = mask[c] > 0 ? PetscAbsReal(n[c]) : -1;
            axis = here < at ? c : axis;
        }
        along = n[axis];
        for (PetscInt c = 0; c < d; c++) {
            frame[3 + c] = (c == axis ? 1 : 0) - along * n[c];
            size += frame[3 + c] * frame[3 + c];
        }
        size = PetscSqrtReal(size);
        for (PetscInt c = 0; c < d; c++) {
            frame[3 + c] /= size;
        }
        for (PetscInt c = 0; c < d; c++) {
            const PetscInt a = (c + 1) % 3, b = (c + 2) % 3;
            frame[6 + c] = n[a] * frame[3 + b] - n[b] * frame[3 + a];
        }
    }
    return length;
}
