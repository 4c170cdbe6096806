/* Contact nodes against rigid obstacles and faces of other bodies. */
#include "obstacle.h"
#include "pairing.h"

int CaromMeetings(const carom_large *model) { return model->surfaces + model->pairs; }

CaromMeeting CaromMeetingOf(const carom_large *model, int s)
{
    if (s < model->surfaces) {
        const carom_surface *surface = &model->surface[s];
        return (CaromMeeting){surface->name, surface->boundary, surface->where, surface->body, surface->law};
    }
    const carom_pair *pair = &model->pair[s - model->surfaces];
    return (CaromMeeting){pair->name, pair->boundary, pair->where, pair->body, pair->law};
}

/* ---- pairs ---- */

/* A slave that is held must not have to yield to free masters: bounds are on velocities of slaves. */
static void check_held(const CaromObstacles *o, int s, PetscInt node, const PetscReal *mask, const CaromNearest *near,
                       CaromTrouble *trouble)
{
    const CaromMeeting meeting = CaromMeetingOf(o->space->model, s);
    const PetscReal *X = o->space->mesh.X + node * o->d;
    PetscReal friction, restitution, free = 0, across = 0;
    meeting.law(o->space->p, &restitution, &friction);
    for (PetscInt c = 0; c < o->d; c++) {
        const PetscBool matters = (PetscBool)(mask[c] < 0.5 && near->free[c] > 1e-9 &&
                                              (PetscAbsReal(near->normal[c]) > 1e-8 || friction > 0));
        free += mask[c];
        across += matters ? 1 : 0;
    }
    for (PetscInt c = 0; c < o->d && free > 0; c++) {
        across += mask[c] < 0.5 && PetscAbsReal(near->normal[c]) > 1e-8 ? 1 : 0;
    }
    if (across > 0) {
        CaromSay(trouble, 2,
                 "%s: the node of %s at (%.6g, %.6g, %.6g) is held where the face of the master that it meets can "
                 "move; exchange mesh and "
                 "master, or take --path small",
                 meeting.where, meeting.name, X[0], o->d > 1 ? X[1] : 0.0, o->d > 2 ? X[2] : 0.0);
    }
}

/* The nearest faces of all nodes of a pair. */
static PetscErrorCode find_nearest(const CaromObstacles *o, int s, PetscInt count, const PetscInt *node,
                                   CaromNearest **nearest, CaromTrouble *trouble)
{
    const carom_large *model = o->space->model;
    const carom_pair *pair = &model->pair[s - model->surfaces];
    const CaromBoundary *boundary =
        CaromMeshBoundary(&o->space->mesh, model, pair->master, pair->master_boundary, pair->where, trouble);
    const PetscReal *mask;
    CaromFaces faces;
    PetscFunctionBeginUser;
    if (boundary == NULL) {
        PetscFunctionReturn(0);
    }
    PetscCall(CaromFacesGather(o->space, pair->master, boundary, &faces));
    if (faces.n == 0) {
        CaromSay(trouble, 2, "%s: the boundary %s of the master of %s has no faces", pair->where, pair->master_boundary,
                 pair->name);
    }
    PetscCall(PetscCalloc1(count, nearest));
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    for (PetscInt i = 0; i < count && faces.n > 0; i++) {
        CaromFacesNearest(&faces, o->space->mesh.X + node[i] * o->d, &(*nearest)[i]);
        check_held(o, s, node[i], mask + node[i] * o->d, &(*nearest)[i], trouble);
    }
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    PetscCall(CaromFacesDestroy(&faces));
    PetscFunctionReturn(0);
}

/* Adds the tie of contact node i. */
static void add_tie(CaromObstacles *o, PetscInt i, const CaromNearest *near)
{
    CaromTies *ties = o->ties;
    const PetscInt t = ties->n++, d = o->d;
    PetscInt entries = ties->first[t];
    ties->node[t] = o->node[i];
    ties->alone[t] = (PetscBool)(o->at[i + 1] - o->at[i] == 1);
    for (PetscInt a = 0; a < 4; a++) {
        if (near->weight[a] > 1e-12) { /* below, it is the rounding of a point on an edge */
            ties->master[entries] = near->node[a];
            ties->weight[entries++] = near->weight[a];
        }
    }
    ties->first[t + 1] = entries;
    for (PetscInt c = 0; c < d; c++) {
        ties->normal[t * d + c] = near->normal[c];
        ties->apart[t * d + c] = o->space->mesh.X[o->node[i] * d + c] - near->point[c];
    }
    (void)PetscArraycpy(ties->edge + 16 * t, &near->edge[0][0], 16);
}

/* Masters must be free of contacts of their own: a bound on their velocity would be one on sums of velocities. */
static PetscErrorCode finish_ties(CaromObstacles *o, CaromTrouble *trouble)
{
    const PetscInt d = o->d;
    CaromTies *ties = o->ties;
    const PetscReal *mask;
    PetscReal *held, *x;
    Vec touching;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1((ties->n * d), &held));
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    for (PetscInt i = 0; i < ties->n * d; i++) {
        held[i] = mask[ties->node[i / d] * d + i % d] < 0.5 ? 1 : 0;
    }
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    PetscCall(CaromTiesSet(ties, o->space->mesh.comm, o->space->mesh.owned, d, held));
    PetscCall(PetscFree(held));
    PetscCall(PetscCalloc2((ties->n * d), &o->master_u, (ties->n * d), &o->master_v));
    PetscCall(CaromSpaceVector(o->space, &touching));
    PetscCall(VecGetArray(touching, &x));
    for (PetscInt i = 0; i < o->n * d; i++) {
        x[o->node[i / d] * d + i % d] = 1;
    }
    PetscCall(VecRestoreArray(touching, &x));
    PetscCall(CaromTiesGather(ties, touching, o->master_u));
    for (PetscInt i = 0; i < o->n; i++) {
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            for (PetscInt c = 0; c < d && o->tie[k] >= 0; c++) {
                const CaromMeeting meeting = CaromMeetingOf(o->space->model, (int)o->surface[k]);
                const PetscReal *X = o->space->mesh.X + o->node[i] * d;
                if (o->master_u[o->tie[k] * d + c] > 0) {
                    CaromSay(trouble, 2,
                             "%s: near (%.6g, %.6g, %.6g) nodes of the master of %s are contact nodes themselves, of a "
                             "contact_surface or as "
                             "the mesh of a pair; leave them out of one boundary, or take --path small",
                             meeting.where, X[0], d > 1 ? X[1] : 0.0, d > 2 ? X[2] : 0.0, meeting.name);
                }
            }
        }
    }
    PetscCall(VecDestroy(&touching));
    PetscCall(CaromAgree(o->space->mesh.comm, trouble));
    PetscFunctionReturn(0);
}

/* ---- contact nodes ---- */

/* The nodes of all surfaces and pairs, each once, with what it may meet. */
static PetscErrorCode collect_nodes(CaromObstacles *o, CaromTrouble *trouble)
{
    const carom_large *model = o->space->model;
    const PetscInt owned = o->space->mesh.owned;
    PetscInt *count, **node, *members, *slot, *fill, entries = 0, tied = 0, n = 0;
    PetscReal **area;
    CaromNearest **nearest;
    const PetscReal *mask;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc4(o->meetings, &count, o->meetings, &node, o->meetings, &area, o->meetings, &nearest));
    PetscCall(PetscCalloc2(owned, &members, owned, &slot));
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    for (int s = 0; s < o->meetings && trouble->code == 0; s++) {
        const CaromMeeting meeting = CaromMeetingOf(model, s);
        const CaromBoundary *boundary =
            CaromMeshBoundary(&o->space->mesh, model, meeting.body, meeting.boundary, meeting.where, trouble);
        if (boundary == NULL) {
            continue;
        }
        PetscCall(CaromSpaceBoundary(o->space, meeting.body, boundary, &count[s], &node[s], &area[s]));
        if (s >= model->surfaces) {
            PetscCall(find_nearest(o, s, count[s], node[s], &nearest[s], trouble));
            PetscCall(CaromAgree(o->space->mesh.comm, trouble));
        }
        for (PetscInt i = 0; i < count[s]; i++) {
            PetscReal free = 0;
            for (PetscInt c = 0; c < o->d; c++) {
                free += mask[node[s][i] * o->d + c];
            }
            members[node[s][i]] += free > 0 ? 1 : 0; /* a node held in all components touches nothing that matters */
            tied += free > 0 && nearest[s] != NULL ? 1 : 0;
        }
    }
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    for (PetscInt i = 0; i < owned; i++) {
        o->n += members[i] > 0 ? 1 : 0;
        entries += members[i];
    }
    PetscCall(PetscCalloc6(o->n, &o->node, o->n + 1, &o->at, entries, &o->surface, entries, &o->area, o->n, &o->chosen,
                           entries, &o->tie));
    for (PetscInt i = 0; i < owned; i++) {
        if (members[i] > 0) {
            o->node[n] = i;
            o->at[n + 1] = o->at[n] + members[i];
            slot[i] = n++;
        }
    }
    if (model->pairs > 0 && trouble->code == 0) {
        PetscCall(PetscNew(&o->ties));
        PetscCall(PetscCalloc1(tied, &o->ties->node));
        PetscCall(PetscCalloc1(tied + 1, &o->ties->first));
        PetscCall(PetscCalloc2((4 * tied), &o->ties->master, (4 * tied), &o->ties->weight));
        PetscCall(
            PetscCalloc3((tied * o->d), &o->ties->normal, (tied * o->d), &o->ties->apart, (16 * tied), &o->ties->edge));
        PetscCall(PetscCalloc1(tied, &o->ties->alone));
    }
    PetscCall(PetscCalloc1(o->n, &fill));
    for (int s = 0; s < o->meetings; s++) {
        for (PetscInt i = 0; i < count[s]; i++) {
            if (members[node[s][i]] > 0) {
                const PetscInt k = slot[node[s][i]], place = o->at[k] + fill[k]++;
                o->surface[place] = s;
                o->area[place] = area[s][i];
                o->tie[place] = -1;
                if (nearest[s] != NULL && o->ties != NULL) {
                    o->tie[place] = o->ties->n;
                    add_tie(o, k, &nearest[s][i]);
                }
            }
        }
        PetscCall(PetscFree2(node[s], area[s]));
        PetscCall(PetscFree(nearest[s]));
    }
    PetscCall(PetscFree(fill));
    PetscCall(PetscFree2(members, slot));
    PetscCall(PetscFree4(count, node, area, nearest));
    if (o->ties != NULL) {
        PetscCall(finish_ties(o, trouble));
    }
    PetscFunctionReturn(0);
}

/* Largest extent of all bodies together. */
static PetscErrorCode measure(CaromObstacles *o)
{
    const CaromSpace *space = o->space;
    PetscReal ends[6], all[6], size = 0;
    PetscFunctionBeginUser;
    for (PetscInt c = 0; c < 3; c++) { /* largest places, and with the other sign smallest */
        ends[c] = ends[3 + c] = PETSC_MIN_REAL;
        for (PetscInt i = 0; i < space->mesh.owned && c < o->d; i++) {
            ends[c] = PetscMax(ends[c], space->mesh.X[i * o->d + c]);
            ends[3 + c] = PetscMax(ends[3 + c], -space->mesh.X[i * o->d + c]);
        }
    }
    PetscCallMPI(MPI_Allreduce(ends, all, 6, MPIU_REAL, MPIU_MAX, space->mesh.comm));
    for (PetscInt c = 0; c < o->d; c++) {
        size = PetscMax(size, all[c] + all[3 + c]);
    }
    o->size = size;
    PetscFunctionReturn(0);
}

PetscErrorCode CaromObstaclesCreate(const CaromSpace *space, CaromObstacles *o, CaromTrouble *trouble)
{
    PetscFunctionBeginUser;
    *o = (CaromObstacles){.space = space, .d = space->d, .meetings = CaromMeetings(space->model)};
    PetscCall(measure(o));
    PetscCall(collect_nodes(o, trouble));
    PetscCall(PetscCalloc3(o->meetings, &o->restitution, o->meetings, &o->friction, o->meetings, &o->total));
    for (int s = 0; s < o->meetings; s++) {
        const CaromMeeting meeting = CaromMeetingOf(space->model, s);
        meeting.law(space->p, &o->restitution[s], &o->friction[s]);
        o->any_friction = (PetscBool)(o->any_friction || o->friction[s] > 0);
        if (!(o->friction[s] >= 0) || !(o->restitution[s] >= 0) || o->restitution[s] > 1) {
            CaromSay(trouble, 2,
                     "%s: %s has restitution %g and friction %g; restitution is from 0 to 1, friction 0 or more",
                     meeting.where, meeting.name, o->restitution[s], o->friction[s]);
        }
    }
    PetscCall(PetscCalloc7(o->n, &o->rate, (o->n * o->d * o->d), &o->frame, o->n, &o->lo, o->n, &o->mu, (o->n * o->d),
                           &o->lambda, o->n, &o->active, o->n, &o->on));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromObstaclesDestroy(CaromObstacles *o)
{
    PetscFunctionBeginUser;
    PetscCall(PetscFree7(o->rate, o->frame, o->lo, o->mu, o->lambda, o->active, o->on));
    PetscCall(PetscFree3(o->restitution, o->friction, o->total));
    PetscCall(PetscFree6(o->node, o->at, o->surface, o->area, o->chosen, o->tie));
    if (o->ties != NULL) {
        PetscCall(PetscFree2(o->master_u, o->master_v));
        PetscCall(CaromTiesDestroy(o->ties));
        PetscCall(PetscFree(o->ties));
    }
    PetscFunctionReturn(0);
}

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
