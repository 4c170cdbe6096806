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
    o->space->model->surface[o->surface[k]].gap(o->space->p, t, x, gap, gradient, rate);
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

/* Bound by its place at the end of the step? */
static PetscBool by_place(const CaromObstacles *o, PetscInt s)
{
    return (PetscBool)(o->reach > 0 && o->restitution[s] == 0);
}

PetscErrorCode CaromObstaclesActivate(CaromObstacles *o, PetscReal t, PetscReal h, PetscReal gamma, PetscReal tg, Vec u,
                                      Vec v)
{
    const PetscReal *pu, *pv;
    PetscInt active = 0;
    PetscFunctionBeginUser;
    PetscCall(CaromObstaclesGather(o, u, v));
    PetscCall(VecGetArrayRead(u, &pu));
    PetscCall(VecGetArrayRead(v, &pv));
    for (PetscInt i = 0; i < o->n; i++) {
        PetscReal nearest = PETSC_MAX_REAL;
        PetscInt touched = 0;
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            const PetscBool place = by_place(o, o->surface[k]);
            PetscReal gap, gradient[3], rate, ahead;
            CaromObstacleGap(o, i, k, place ? t + h : t, pu + o->node[i] * o->d, &gap, gradient, &rate);
            ahead = place && o->tie[k] < 0 ? 0 : rate; /* an obstacle at t + h has moved already */
            for (PetscInt c = 0; c < o->d; c++) {
                ahead += gradient[c] * pv[o->node[i] * o->d + c];
            }
            rate = ahead;
            ahead = gap + (place ? 1 : gamma) * h * rate;
            touched += ahead <= tg ? 1 : 0;
            if (ahead < nearest) {
                nearest = ahead;
                o->chosen[i] = k;
                o->rate[i] = rate;
            }
        }
        /* one that is far would bring nothing but its rounding */
        o->active[i] = (PetscBool)(touched > 0 || (by_place(o, o->surface[o->chosen[i]]) && nearest < 0.1 * o->size));
        o->on[i] = o->active[i] ? o->tie[o->chosen[i]] : -1;
        o->doubled += touched > 1 ? 1 : 0;
        active += o->active[i] ? 1 : 0;
    }
    PetscCall(VecRestoreArrayRead(u, &pu));
    PetscCall(VecRestoreArrayRead(v, &pv));
    PetscCallMPI(MPI_Allreduce(&active, &o->candidates, 1, MPIU_INT, MPI_SUM, o->space->mesh.comm));
    if (o->ties != NULL) {
        PetscCall(PetscArrayzero(o->ties->on, o->ties->n));
        for (PetscInt i = 0; i < o->n; i++) {
            if (o->on[i] >= 0) {
                o->ties->on[o->on[i]] = PETSC_TRUE;
            }
        }
        PetscCall(CaromTiesSwitch(o->ties));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromObstaclesAim(CaromObstacles *o, PetscReal t, Vec u, Vec v, PetscReal *turned)
{
    const PetscReal *pu, *pv, *mask;
    PetscReal mine[3] = {0, 0, 0}, most[3]; /* how far normals turned and bounds moved; largest speed */
    PetscFunctionBeginUser;
    if (o->reach > 0) {
        PetscCall(CaromObstaclesGather(o, u, v));
    }
    PetscCall(VecGetArrayRead(u, &pu));
    PetscCall(VecGetArrayRead(v, &pv));
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt at = o->node[i] * o->d, s = o->surface[o->chosen[i]];
        const PetscBool place = by_place(o, s);
        PetscReal gap, gradient[3], rate, length, before[3] = {0, 0, 0};
        const PetscReal bound = o->lo[i];
        PetscReal *frame = o->frame + i * o->d * o->d;
        if (!o->active[i]) {
            continue;
        }
        PetscCall(PetscArraycpy(before, frame, o->d));
        CaromObstacleGap(o, i, o->chosen[i], t, pu + at, &gap, gradient, &rate);
        length = CaromObstacleFrame(o->d, gradient, mask + at, frame);
        /* not one of the many that are open */
        const PetscBool matters = (PetscBool)(!place || o->lambda[i * o->d] > 0 || gap < 0);
        /* of a pair: a bound on the relative velocity */
        o->lo[i] = place ? -gap / o->reach : -o->restitution[s] * o->rate[i] - (o->on[i] < 0 ? rate : 0);
        for (PetscInt c = 0; c < o->d; c++) {
            const PetscBool free = (PetscBool)(mask[at + c] > 0);
            const PetscReal w = pv[at + c] - (place && o->on[i] >= 0 ? o->master_v[o->on[i] * o->d + c] : 0);
            /* places: g + reach G (v+ - v) >= 0 by what is free */
            o->lo[i] += place == free ? (free ? 1 : -1) * gradient[c] * w : 0;
            mine[0] = PetscMax(mine[0], matters ? PetscAbsReal(frame[c] - before[c]) : 0);
            mine[2] = PetscMax(mine[2], PetscAbsReal(pv[at + c]));
        }
        o->lo[i] = length > 0 ? o->lo[i] / length : PETSC_MIN_REAL;
        o->mu[i] = o->friction[s];
        if (length > 0 && matters) {
            mine[1] = PetscMax(mine[1], PetscAbsReal(o->lo[i] - bound));
            mine[2] = PetscMax(mine[2], PetscAbsReal(o->lo[i]));
        }
    }
    PetscCall(VecRestoreArrayRead(u, &pu));
    PetscCall(VecRestoreArrayRead(v, &pv));
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    PetscCallMPI(MPI_Allreduce(mine, most, 3, MPIU_REAL, MPIU_MAX, o->space->mesh.comm));
    o->fastest = PetscMax(o->fastest, most[2]);
    *turned = PetscMax(most[0], most[1] > 0 ? most[1] / (most[2] + 1e-4 * o->fastest) : 0);
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

PetscErrorCode CaromObstaclesAddForces(const CaromObstacles *o, PetscReal scale, Vec f)
{
    const PetscInt d = o->d;
    const PetscInt tied = o->ties != NULL ? o->ties->n * d : 0;
    PetscReal *x, *slave = NULL;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(tied, &slave));
    PetscCall(VecGetArray(f, &x));
    for (PetscInt i = 0; i < o->n; i++) {
        for (PetscInt c = 0; c < d && o->active[i]; c++) {
            PetscReal force = 0;
            for (PetscInt r = 0; r < d; r++) {
                force += scale * o->frame[(i * d + r) * d + c] * o->lambda[i * d + r];
            }
            x[o->node[i] * d + c] += force;
            if (o->on[i] >= 0) {
                slave[o->on[i] * d + c] = force;
            }
        }
    }
    PetscCall(VecRestoreArray(f, &x));
    if (o->ties != NULL) {
        PetscCall(CaromTiesSpread(o->ties, -1, slave, f));
    }
    PetscCall(PetscFree(slave));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromObstaclesCount(CaromObstacles *o)
{
    const PetscInt d = o->d;
    const int surfaces = o->meetings;
    PetscReal *mine, *all;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc2((5 * surfaces), &mine, (5 * surfaces), &all));
    for (PetscInt i = 0; i < o->n; i++) {
        PetscReal *sum = mine + 5 * o->surface[o->chosen[i]];
        if (o->active[i] && o->lambda[i * d] > 0) {
            sum[0] += o->lambda[i * d];
            sum[1] += 1;
            for (PetscInt r = 0; r < d; r++) {
                for (PetscInt c = 0; c < d; c++) {
                    sum[2 + c] += o->frame[(i * d + r) * d + c] * o->lambda[i * d + r];
                }
            }
        }
    }
    PetscCallMPI(MPI_Allreduce(mine, all, 5 * surfaces, MPIU_REAL, MPIU_SUM, o->space->mesh.comm));
    for (int s = 0; s < surfaces; s++) {
        o->total[s].normal = all[5 * s];
        o->total[s].total += all[5 * s];
        o->total[s].closed = (PetscInt)(all[5 * s + 1] + 0.5);
        PetscCall(PetscArraycpy(o->total[s].vector, all + 5 * s + 2, 3));
    }
    PetscCall(PetscFree2(mine, all));
    PetscFunctionReturn(0);
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
