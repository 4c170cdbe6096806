/* The largest stable step of an explicit scheme. */
#include "motion.h"

enum { ITERATIONS = 80 };

/* Power iteration comes from below: what it may still miss. */
static const PetscReal margin = 1.03;

PetscErrorCode CaromStableStep(const CaromMotion *motion, PetscReal *h)
{
    const CaromSpace *space = motion->space;
    CaromTrouble none = {0};
    CaromTerms *terms;
    PetscReal omega2 = 0, last = 0, alpha = 0, beta = 0, *px;
    Vec x, y, weight;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(space->mesh.bodies, &terms));
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        terms[b].stiffness = 1;
        alpha = PetscMax(alpha, space->alpha[b]);
        beta = PetscMax(beta, space->beta[b]);
    }
    PetscCall(CaromSpaceVector(space, &x));
    PetscCall(CaromSpaceVector(space, &y));
    PetscCall(VecDuplicate(x, &weight)); /* M^-1/2 on free components */
    PetscCall(VecCopy(motion->mass, weight));
    PetscCall(VecSqrtAbs(weight));
    PetscCall(VecReciprocal(weight));
    PetscCall(VecPointwiseMult(weight, weight, space->mask));
    PetscCall(VecGetArray(x, &px));
    /* noise by place: the same start however the mesh is distributed */
    for (PetscInt i = 0; i < space->mesh.owned; i++) {
        const PetscReal *X = space->mesh.X + i * space->d;
        PetscReal phase = 0;
        for (PetscInt c = 0; c < space->d; c++) {
            phase += (12.9898 + 65.2432 * (PetscReal)c) * X[c] / space->mesh.body[0].edge;
        }
        for (PetscInt c = 0; c < space->d; c++) {
            px[i * space->d + c] = PetscSinReal((1 + 0.37 * (PetscReal)c) * phase);
        }
    }
    PetscCall(VecRestoreArray(x, &px));
    for (PetscInt it = 0; it < ITERATIONS; it++) { /* x <- M^-1/2 K M^-1/2 x */
        PetscReal norm;
        PetscCall(VecNorm(x, NORM_2, &norm));
        if (!(norm > 0)) {
            break;
        }
        PetscCall(VecScale(x, 1 / norm));
        PetscCall(VecPointwiseMult(x, x, weight));
        PetscCall(VecSet(y, 0));
        PetscCall(CaromCellsAdd(space, terms, NULL, x, y, &none));
        PetscCall(VecPointwiseMult(x, y, weight));
        last = omega2;
        PetscCall(VecNorm(x, NORM_2, &omega2));
        if (it > 20 && PetscAbsReal(omega2 - last) <= 1e-4 * omega2) {
            break;
        }
    }
    const PetscReal omega = PetscSqrtReal(margin * omega2), xi = omega > 0 ? 0.5 * (alpha / omega + beta * omega) : 0;
    *h = omega > 0 ? 2 / omega * (PetscSqrtReal(1 + xi * xi) - xi) : PETSC_MAX_REAL;
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&weight));
    PetscCall(PetscFree(terms));
    PetscFunctionReturn(0);
}
