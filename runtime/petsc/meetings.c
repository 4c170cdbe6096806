/* Who may meet what: the contact nodes of all surfaces and pairs, each once, and the faces that nodes of pairs are tied
 * to. */
#include "obstacle.h"
#include "pairing.h"

int CaromMeetings(const carom_large *model) { return model->surfaces + model->pairs; }

CaromMeeting CaromMeetingOf(const carom_large *model, int s)
{
    if (s < model->surfaces) {
        const carom_surface *surface = &model->surface[s];
        return (CaromMeeting){surface->name, surface->boundary, surface->where,
                              surface->body, surface->law,      surface->adhesion};
    }
    const carom_pair *pair = &model->pair[s - model->surfaces];
    return (CaromMeeting){pair->name, pair->boundary, pair->where, pair->body, pair->law, pair->adhesion};
}

/* ---- pairs ---- */

/* A slave that is held must not have to yield to free masters: bounds are on velocities of slaves. */
static void check_held(const CaromObstacles *o, int s, PetscInt node, const PetscReal *mask, const carom_nearest *near,
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
                                   carom_nearest **nearest, CaromTrouble *trouble)
{
    const carom_large *model = o->space->model;
    const carom_pair *pair = &model->pair[s - model->surfaces];
    const CaromBoundary *boundary =
        CaromMeshBoundary(&o->space->mesh, model, pair->master, pair->master_boundary, pair->where, trouble);
    const PetscReal *mask;
    carom_faces faces;
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
        carom_faces_nearest(&faces, o->space->mesh.X + node[i] * o->d, &(*nearest)[i]);
        check_held(o, s, node[i], mask + node[i] * o->d, &(*nearest)[i], trouble);
    }
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    PetscCall(PetscFree(faces.face));
    PetscFunctionReturn(0);
}

/* Adds the tie of contact node i. */
static void add_tie(CaromObstacles *o, PetscInt i, const carom_nearest *near)
{
    CaromTies *ties = o->ties;
    const PetscInt t = ties->n++, d = o->d;
    PetscInt entries = ties->first[t];
    ties->node[t] = o->node[i];
    ties->alone[t] = (PetscBool)(o->at[i + 1] - o->at[i] == 1);
    for (PetscInt a = 0; a < 4; a++) {
        if (near->weight[a] > 1e-12) { /* below, it is the rounding of a point on an edge */
            ties->master[entries] = (PetscInt)near->node[a];
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

/* A node that is held in all components touches nothing that matters, unless what it meets can move. */
static PetscBool can_yield(const CaromObstacles *o, int s, const PetscReal *mask)
{
    const carom_large *model = o->space->model;
    PetscReal free = s < model->surfaces && model->surface[s].moving != NULL ? 1 : 0;
    for (PetscInt c = 0; c < o->d; c++) {
        free += mask[c];
    }
    return (PetscBool)(free > 0);
}

/* The nodes of all surfaces and pairs, each once, with what it may meet. */
static PetscErrorCode collect_nodes(CaromObstacles *o, CaromTrouble *trouble)
{
    const carom_large *model = o->space->model;
    const PetscInt owned = o->space->mesh.owned;
    PetscInt *count, **node, *members, *slot, *fill, entries = 0, tied = 0, n = 0;
    PetscReal **area;
    carom_nearest **nearest;
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
            const PetscBool yields = can_yield(o, s, mask + node[s][i] * o->d);
            members[node[s][i]] += yields ? 1 : 0;
            tied += yields && nearest[s] != NULL ? 1 : 0;
        }
    }
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
            if (can_yield(o, s, mask + node[s][i] * o->d)) {
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
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
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
    PetscCall(PetscCalloc6((o->n * o->d * o->d), &o->frame, o->n, &o->lo, o->n, &o->mu, (o->n * o->d), &o->lambda, o->n,
                           &o->active, o->n, &o->on));
    PetscCall(PetscCalloc1(o->n, &o->led));
    if (space->model->mechanism != NULL) {
        const carom_mechanism *m = space->model->mechanism;
        const PetscInt places = m->scalars + 4 * m->rotations, movers = m->scalars + 3 * m->rotations;
        PetscCall(PetscCalloc3(places + movers, &o->mover_state, movers * o->d, &o->mover_J, o->n * o->d, &o->carrier));
        m->start(space->p, o->mover_state, o->mover_state + places);
        o->mover_q = o->mover_state;
    }
    PetscFunctionReturn(0);
}

PetscErrorCode CaromObstaclesDestroy(CaromObstacles *o)
{
    PetscFunctionBeginUser;
    PetscCall(PetscFree6(o->frame, o->lo, o->mu, o->lambda, o->active, o->on));
    PetscCall(PetscFree3(o->restitution, o->friction, o->total));
    PetscCall(PetscFree(o->led));
    PetscCall(PetscFree3(o->mover_state, o->mover_J, o->carrier));
    PetscCall(PetscFree6(o->node, o->at, o->surface, o->area, o->chosen, o->tie));
    if (o->ties != NULL) {
        PetscCall(PetscFree2(o->master_u, o->master_v));
        PetscCall(CaromTiesDestroy(o->ties));
        PetscCall(PetscFree(o->ties));
    }
    PetscFunctionReturn(0);
}
