/* What a step accepts, looked at once more: impulses, velocities and bounds as they go on, after normals were turned,
 * supports took their part and what was shifted came back. Per contact node, with y = n.v - lo:
 *
 *     r_N >= 0,   y >= 0,   r_N = 0 or y = 0,   |r_T| <= mu r_N,   r_T = -mu r_N v_T / |v_T| where it slides,
 *
 * forces to tf and velocities to tv, each by itself: in one number (carom/law.h) the stiffness of a mesh would hide the
 * one or the other. Both follow from the residual that the solver was asked for, and from 1e-6 of the largest force or
 * speed at hand. */
#include "motion.h"

static const PetscReal share = 1e-6, rounding = 1e-12;

typedef struct {
    PetscReal force, speed; /* tf and tv */
} Tolerance;

/* The largest of force / tf and velocity / tv that the law leaves at contact node i; w: its velocity in its frame,
 * relative to what it meets. */
static PetscReal node_ratio(const CaromObstacles *o, PetscInt i, Tolerance tol, const PetscReal *mask,
                            const PetscReal *w)
{
    const PetscInt d = o->d;
    const PetscReal *r = o->lambda + i * d, radius = o->mu[i] * PetscMax(r[0], 0);
    PetscReal force = PetscMax(-r[0], 0), speed = 0, tangent = 0, slip = 0, apart = 0;
    PetscBool all_free = PETSC_TRUE;
    for (PetscInt c = 0; c < d; c++) {
        all_free = (PetscBool)(all_free && mask[c] > 0);
        tangent += c > 0 ? r[c] * r[c] : 0;
        slip += c > 0 ? w[c] * w[c] : 0;
    }
    slip = PetscSqrtReal(slip);
    force = PetscMax(force, PetscSqrtReal(tangent) - radius);
    if (o->lo[i] > PETSC_MIN_REAL) { /* else there is no bound in this step: an impulse that is carried on, or none */
        const PetscReal y = w[0] - o->lo[i];
        speed = PetscMax(-y, 0);
        if (PetscMin(r[0] / tol.force, y / tol.speed) > 1) { /* pressed and open */
            force = PetscMax(force, PetscMin(r[0], tol.force * y / tol.speed));
        }
        if (all_free && slip > tol.speed &&
            !o->led[i]) { /* with fixed components friction is partly the support's affair */
            for (PetscInt c = 1; c < d; c++) {
                apart += PetscSqr(r[c] + radius * w[c] / slip);
            }
            force = PetscMax(force, PetscSqrtReal(apart) - 2 * radius * tol.speed / slip);
        }
    }
    force /= tol.force;
    speed /= tol.speed;
    return PetscIsInfOrNanReal(force + speed + slip) ? PETSC_MAX_REAL : PetscMax(force, speed);
}

/* Velocity of contact node i in its frame, relative to what it meets. */
static void relative_velocity(const CaromObstacles *o, PetscInt i, const PetscReal *v, PetscReal *w)
{
    const PetscInt d = o->d, tie = o->tie[o->chosen[i]];
    for (PetscInt r = 0; r < d; r++) {
        w[r] = 0;
        for (PetscInt c = 0; c < d; c++) {
            w[r] +=
                o->frame[(i * d + r) * d + c] * (v[o->node[i] * d + c] - (tie >= 0 ? o->master_v[tie * d + c]
                                                                          : o->carrier != NULL ? o->carrier[i * d + c]
                                                                                               : 0));
        }
    }
}

/* As MPI_DOUBLE_INT has it. */
typedef struct {
    double value;
    int index;
} Most;

/* Largest force and speed at the contact nodes that are active. */
static void scales(const CaromObstacles *o, const PetscReal *mass, const PetscReal *v, PetscReal *most)
{
    const PetscInt d = o->d;
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt tie = o->tie[o->chosen[i]];
        for (PetscInt c = 0; c < d && o->active[i]; c++) {
            const PetscReal force = PetscAbsReal(o->lambda[i * d + c]);
            most[0] = PetscMax(most[0], force);
            most[1] = PetscMax(most[1], PetscMax(PetscAbsReal(v[o->node[i] * d + c]), force / mass[i]));
            most[1] = PetscMax(most[1], tie >= 0 ? PetscAbsReal(o->master_v[tie * d + c]) : 0);
        }
        /* that of an open one may be far off */
        if (o->active[i] && o->lo[i] > PETSC_MIN_REAL && (o->lo[i] > 0 || o->lambda[i * d] > 0)) {
            most[1] = PetscMax(most[1], PetscAbsReal(o->lo[i]));
        }
    }
}

/* A pair presses where its node was over its face: no node that presses may have left it. Needs the masters' places. */
static PetscErrorCode check_faces(CaromObstacles *o, PetscReal t, Vec u, CaromTrouble *trouble)
{
    const carom_large *model = o->space->model;
    const PetscReal *pu;
    PetscReal most = 0;
    PetscInt left = 0, worst = -1;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(u, &pu));
    for (PetscInt i = 0; i < o->n && o->ties != NULL; i++) {
        const PetscInt k = o->chosen[i], tie = o->tie[k];
        const carom_pair *pair = tie >= 0 ? &model->pair[o->surface[k] - model->surfaces] : NULL;
        if (tie >= 0 && !pair->release && o->active[i] && o->lambda[i * o->d] > 0) {
            const PetscReal beside = CaromObstacleBeside(o, tie, pu + o->node[i] * o->d);
            left += beside > pair->beside ? 1 : 0;
            if (beside > pair->beside && beside > most) {
                most = beside;
                worst = o->node[i];
            }
        }
    }
    PetscCall(VecRestoreArrayRead(u, &pu));
    if (left > 0) {
        char place[160] = "";
        CaromObstacleName(o, worst, place, sizeof place);
        CaromSay(trouble, 1,
                 "t = %.10g: %d node%s press%s beside the face that contact_pair found for %s in the undeformed "
                 "bodies, farthest %s by %.3g widths "
                 "of its face; sliding is not followed from face to face: make the master's faces larger than the "
                 "sliding, or write off_face = \"release\"",
                 t, (int)left, left == 1 ? "" : "s", left == 1 ? "es" : "", left == 1 ? "it" : "them", place, most);
    }
    PetscCall(CaromAgree(o->space->mesh.comm, trouble));
    PetscFunctionReturn(0);
}

/* The deepest penetration of a contact node here, and the surface or pair that it belongs to. */
static PetscErrorCode deepest(const CaromObstacles *o, PetscReal t, Vec u, Most *depth)
{
    const PetscReal *pu;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(u, &pu));
    for (PetscInt i = 0; i < o->n; i++) {
        PetscReal gap, gradient[3], rate;
        CaromObstacleGap(o, i, o->chosen[i], t, pu + o->node[i] * o->d, &gap, gradient, &rate);
        if (-gap > depth->value && !CaromObstacleReleased(o, o->chosen[i], pu + o->node[i] * o->d)) {
            *depth = (Most){-gap, (int)o->surface[o->chosen[i]]};
        }
    }
    PetscCall(VecRestoreArrayRead(u, &pu));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromLawCheck(CaromMotion *motion, PetscReal t, Vec u, Vec v, const PetscReal *mass, PetscReal target,
                             CaromTrouble *trouble)
{
    CaromObstacles *o = motion->obstacles;
    const PetscReal *pv, *mask;
    PetscReal mine[2] = {0, 0}, most[2], ratio = 0, largest;
    Most here[2] = {{0, 0}, {0, 0}}, all[2]; /* of the law's violation; of the penetration, with its meeting */
    PetscInt worst = -1;
    PetscFunctionBeginUser;
    if (o->candidates == 0) {
        PetscFunctionReturn(0);
    }
    PetscCall(CaromObstaclesGather(o, u, v));
    PetscCall(VecGetArrayRead(v, &pv));
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    scales(o, mass, pv, mine);
    PetscCallMPI(MPI_Allreduce(mine, most, 2, MPIU_REAL, MPIU_MAX, o->space->mesh.comm));
    motion->law_force = PetscMax(motion->law_force, most[0]);
    motion->law_speed = PetscMax(motion->law_speed, most[1]);
    for (PetscInt i = 0; i < o->n; i++) {
        PetscReal w[3];
        if (o->active[i]) {
            const Tolerance tol = {10 * target + share * most[0] + rounding * motion->law_force +
                                       PETSC_MACHINE_EPSILON * PETSC_SMALL,
                                   10 * target / mass[i] + share * most[1] + rounding * motion->law_speed +
                                       PETSC_MACHINE_EPSILON * PETSC_SMALL};
            relative_velocity(o, i, pv, w);
            const PetscReal part = node_ratio(o, i, tol, mask + o->node[i] * o->d, w);
            if (part > ratio) {
                ratio = part;
                worst = o->node[i];
            }
        }
    }
    PetscCall(VecRestoreArrayRead(v, &pv));
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    PetscCall(deepest(o, t, u, &here[1]));
    here[0].value = ratio;
    PetscCallMPI(MPI_Allreduce(here, all, 2, MPI_DOUBLE_INT, MPI_MAXLOC, o->space->mesh.comm));
    largest = all[0].value;
    if (all[1].value > motion->deepest.depth) {
        motion->deepest = (carom_deepest){all[1].value, t, all[1].index};
    }
    motion->law_worst = PetscMax(motion->law_worst, largest);
    motion->law_broken += largest > 1 ? 1 : 0;
    if (largest > 1 && !motion->accept) {
        char place[160] = "";
        if (ratio >= largest) { /* the rank that has the node */
            CaromObstacleName(o, worst, place, sizeof place);
            CaromSay(trouble, 1,
                     "what the contacts got at t = %.10g breaks their law by %.3g times the tolerance, worst at %s; "
                     "try a smaller step or "
                     "another -carom_contact_type",
                     t, ratio, place);
        }
        PetscCall(CaromAgree(o->space->mesh.comm, trouble));
    }
    if (trouble->code == 0 && o->space->model->pairs > 0) {
        PetscCall(check_faces(o, t, u, trouble));
    }
    PetscFunctionReturn(0);
}
