/* Dense output: the state at a time inside a step that is about to be accepted (carom/between.h is that of small
 * models). The velocity is the polynomial through vectors at nodes of the step and the place its integral; or both are
 * those of one vector and a path. */
#include "execute.h"

enum { NODES = 10 };

/* Values at x of the Lagrange polynomials over the nodes, and their integrals from 0. */
static void lagrange(PetscInt n, const carom_factor *node, PetscReal x, PetscReal *value, PetscReal *integral)
{
    for (PetscInt l = 0; l < n; l++) {
        PetscReal c[NODES + 1] = {1}, power = 1; /* coefficients */
        for (PetscInt k = 0, degree = 0; k < n; k++) {
            if (k == l) {
                continue;
            }
            for (PetscInt j = ++degree; j >= 0; j--) {
                c[j] = ((j > 0 ? c[j - 1] : 0) - node[k].c * c[j]) / (node[l].c - node[k].c);
            }
        }
        value[l] = integral[l] = 0;
        for (PetscInt j = 0; j < n; j++) {
            value[l] += c[j] * power;
            power *= x;
            integral[l] += c[j] * power / ((PetscReal)j + 1);
        }
    }
}

PetscErrorCode CaromBetween(CaromExecutor *X, const carom_plan_op *op)
{
    CaromMotion *motion = X->motion;
    const PetscInt n = op->vectors.count;
    const PetscReal x = (motion->wanted - X->t) / X->h;
    PetscReal value[NODES] = {1}, integral[NODES] = {x};
    PetscFunctionBeginUser;
    if (motion->between_u == NULL || !(x > 0 && x <= 1 + 1e-9)) {
        PetscFunctionReturn(0);
    }
    PetscCheck(n <= NODES, PETSC_COMM_SELF, PETSC_ERR_SUP, "too many stages");
    if (op->factor.count > 0) {
        lagrange(n, X->plan->factor + op->factor.first, x, value, integral);
    }
    PetscCall(VecCopy(motion->u, motion->between_u));
    PetscCall(VecSet(motion->between_v, 0));
    for (PetscInt l = 0; l < n; l++) {
        const carom_range along = op->of.count > 0 ? op->of : op->vectors;
        PetscCall(VecAXPY(motion->between_u, X->h * integral[l], CaromVectorOf(X, X->plan->name[along.first + l])));
        PetscCall(VecAXPY(motion->between_v, value[l], CaromVectorOf(X, X->plan->name[op->vectors.first + l])));
    }
    if (x >= 1 - 1e-9) { /* after the jump */
        PetscCall(VecCopy(CaromPointOf(X, op->q), motion->between_u));
        PetscCall(VecCopy(CaromVectorOf(X, op->v), motion->between_v));
    }
    PetscCall(CaromSpacePrescribe(motion->space, motion->wanted, motion->between_u, motion->between_v));
    motion->caught = PETSC_TRUE;
    PetscFunctionReturn(0);
}
