/* Contact nodes against rigid obstacles and faces of other bodies in a step: gaps, candidates, frames, bounds, forces,
 * totals. */
#include "obstacle.h"

PetscErrorCode CaromObstaclesGather(CaromObstacles *o, Vec u, Vec v)
{
    PetscFunctionBeginUser;
    if (o->ties != NULL) {
        PetscCall(CaromTiesGather(o->ties, u, o->master_u));
        PetscCall(CaromTiesGather(o->ties, v, o->master_v));
    }
    PetscFunctionReturn(0);
}

PetscReal CaromObstacleBeside(const CaromObstacles *o, PetscInt t, const PetscReal *u)
{
    PetscReal most = PETSC_MIN_REAL;
    for (PetscInt e = 0; e < 4; e++) {
        const PetscReal *edge = o->ties->edge + 16 * t + 4 * e;
        PetscReal beside = edge[3];
        for (PetscInt c = 0; c < o->d; c++) {
            beside += edge[c] * (u[c] - o->master_u[t * o->d + c]);
        }
        most = PetscMax(most, beside);
    }
    return most;
}

PetscBool CaromObstacleReleased(const CaromObstacles *o, PetscInt k, const PetscReal *u)
{
    const carom_large *model = o->space->model;
    if (o->tie[k] < 0) {
        return PETSC_FALSE;
    }
    const carom_pair *pair = &model->pair[o->surface[k] - model->surfaces];
    return (PetscBool)(pair->release && CaromObstacleBeside(o, o->tie[k], u) > pair->beside);
}

/* A face keeps its normal and its point: small sliding. */
static void pair_gap(const CaromObstacles *o, PetscInt t, const PetscReal *u, PetscReal *gap, PetscReal *gradient,
                     PetscReal *rate)
{
    *gap = *rate = 0;
    for (PetscInt c = 0; c < o->d; c++) {
        const PetscInt i = t * o->d + c;
        gradient[c] = o->ties->normal[i];
        *gap += gradient[c] * (o->ties->apart[i] + (u[c] - o->master_u[i]));
        *rate -= gradient[c] * o->master_v[i];
    }
}

void CaromObstacleGap(const CaromObstacles *o, PetscInt i, PetscInt k, PetscReal t, const PetscReal *u, PetscReal *gap,
                      PetscReal *gradient, PetscReal *rate)
{
    const PetscReal *X = o->space->mesh.X + o->node[i] * o->d;
    PetscReal x[3] = {0, 0, 0};
    for (PetscInt c = 0; c < o->d; c++) {
        x[c] = X[c] + u[c];
    }
    if (o->tie[k] >= 0) {
        pair_gap(o, o->tie[k], u, gap, gradient, rate);
        *gap += CaromObstacleReleased(o, k, u) ? o->size : 0; /* far */
        return;
    }
    const carom_surface *surface = &o->space->model->surface[o->surface[k]];
    if (surface->moving != NULL) {
        surface->moving(o->space->p, t, x, o->mover_q, gap, gradient, rate, o->mover_J);
    } else {
        surface->gap(o->space->p, t, x, gap, gradient, rate);
    }
}

PetscErrorCode CaromObstaclesStart(CaromObstacles *o, PetscReal t, Vec u, PetscBool quiet, CaromTrouble *trouble)
{
    const CaromSpace *space = o->space;
    const PetscReal *pu;
    const PetscReal size = o->size;
    PetscReal depth = 0, most;
    PetscInt worst = -1, meeting = 0, count = 0, everywhere;
    PetscFunctionBeginUser;
    PetscCall(CaromObstaclesGather(o, u, u)); /* rates are not looked at */
    PetscCall(VecGetArrayRead(u, &pu));
    for (PetscInt i = 0; i < o->n; i++) {
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            PetscReal gap, gradient[3], rate;
            CaromObstacleGap(o, i, k, t, pu + o->node[i] * o->d, &gap, gradient, &rate);
            count += gap < -1e-12 * size ? 1 : 0;
            if (-gap > depth) {
                depth = -gap;
                worst = o->node[i];
                meeting = o->surface[k];
            }
        }
    }
    PetscCall(VecRestoreArrayRead(u, &pu));
    PetscCallMPI(MPI_Allreduce(&depth, &most, 1, MPIU_REAL, MPIU_MAX, space->mesh.comm));
    PetscCallMPI(MPI_Allreduce(&count, &everywhere, 1, MPIU_INT, MPI_SUM, space->mesh.comm));
    if (most > 1e-5 * size && depth >= most) { /* the rank that has the node */
        const CaromMeeting m = CaromMeetingOf(space->model, (int)meeting);
        const PetscReal *X = space->mesh.X + worst * o->d;
        CaromSay(trouble, 2,
                 "%s: %d node%s inside at the start, deepest in %s by %.6g at (%.6g, %.6g, %.6g) of the undeformed "
                 "body; move the body or "
                 "the obstacle (up to %.3g, 1e-5 of the model's size, is accepted with a warning)",
                 m.where, (int)everywhere, everywhere == 1 ? " is" : "s are", m.name, most, X[0], o->d > 1 ? X[1] : 0.0,
                 o->d > 2 ? X[2] : 0.0, 1e-5 * size);
    } else if (most > 1e-12 * size && depth >= most && !quiet) {
        fprintf(stderr, "carom: warning: %d node%s inside what they may meet at the start, deepest in %s by %.3g\n",
                (int)everywhere, everywhere == 1 ? " is" : "s are", CaromMeetingOf(space->model, (int)meeting).name,
                most);
    }
    PetscCall(CaromAgree(space->mesh.comm, trouble));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromObstaclesNearest(CaromObstacles *o, PetscReal t, Vec u)
{
    const PetscReal *pu;
    PetscFunctionBeginUser;
    PetscCall(CaromObstaclesGather(o, u, u)); /* rates are not looked at */
    PetscCall(VecGetArrayRead(u, &pu));
    for (PetscInt i = 0; i < o->n; i++) {
        PetscReal nearest = PETSC_MAX_REAL;
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            PetscReal gap, gradient[3], rate;
            CaromObstacleGap(o, i, k, t, pu + o->node[i] * o->d, &gap, gradient, &rate);
            if (gap < nearest) {
                nearest = gap;
                o->chosen[i] = k;
            }
        }
    }
    PetscCall(VecRestoreArrayRead(u, &pu));
    PetscFunctionReturn(0);
}

CaromContactSet CaromObstaclesSet(const CaromObstacles *o)
{
    return (CaromContactSet){.n = o->n,
                             .d = o->d,
                             .node = o->node,
                             .frame = o->frame,
                             .lo = o->lo,
                             .mu = o->mu,
                             .active = o->active,
                             .tie = o->on};
}

void CaromObstacleName(const CaromObstacles *o, PetscInt node, char *text, size_t size)
{
    const char *name = NULL;
    text[0] = '\0';
    for (PetscInt i = 0; i < o->n; i++) {
        if (o->node[i] == node) {
            name = CaromMeetingOf(o->space->model, (int)o->surface[o->chosen[i]]).name;
        }
    }
    if (node >= 0) {
        const PetscReal *X = o->space->mesh.X + node * o->d;
        (void)snprintf(text, size, "%s%s at (%.6g, %.6g, %.6g) of the undeformed body",
                       name != NULL ? "contact " : "a node inside", name != NULL ? name : "", X[0],
                       o->d > 1 ? X[1] : 0.0, o->d > 2 ? X[2] : 0.0);
    }
}
