/* Contact nodes against rigid obstacles. */
#include "obstacle.h"


/* The nodes of all surfaces, each once, with the surfaces it belongs to. */
static PetscErrorCode collect_nodes(CaromObstacles *o, CaromTrouble *trouble)
{
    const carom_large *model = o->space->model;
    const PetscInt owned = o->space->mesh.owned;
    PetscInt *count, **node, *members, *slot, entries = 0;
    PetscReal **area;
    const PetscReal *mask;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc3(model->surfaces, &count, model->surfaces, &node, model->surfaces, &area));
    PetscCall(PetscCalloc2(owned, &members, owned, &slot));
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    for (int s = 0; s < model->surfaces && trouble->code == 0; s++) {
        const carom_surface *surface = &model->surface[s];
        const CaromBoundary *boundary =
            CaromMeshBoundary(&o->space->mesh, model, surface->body, surface->boundary, surface->where, trouble);
        if (boundary == NULL) {
            continue;
        }
        PetscCall(CaromSpaceBoundary(o->space, surface->body, boundary, &count[s], &node[s], &area[s]));
        for (PetscInt i = 0; i < count[s]; i++) {
            PetscReal free = 0;
            for (PetscInt c = 0; c < o->d; c++) {
                free += mask[node[s][i] * o->d + c];
            }
            members[node[s][i]] += free > 0 ? 1 : 0; /* a node held in all components touches nothing that matters */
        }
    }
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    for (PetscInt i = 0; i < owned; i++) {
        o->n += members[i] > 0 ? 1 : 0;
        entries += members[i];
    }
    PetscCall(PetscCalloc5(o->n, &o->node, o->n + 1, &o->at, entries, &o->surface, entries, &o->area, o->n, &o->chosen));
    PetscInt n = 0;
    for (PetscInt i = 0; i < owned; i++) {
        if (members[i] > 0) {
            o->node[n] = i;
            o->at[n + 1] = o->at[n] + members[i];
            slot[i] = n++;
        }
    }
    PetscInt *fill;
    PetscCall(PetscCalloc1(o->n, &fill));
    for (int s = 0; s < model->surfaces; s++) {
        for (PetscInt i = 0; i < count[s]; i++) {
            if (members[node[s][i]] > 0) {
                const PetscInt k = slot[node[s][i]], place = o->at[k] + fill[k]++;
                o->surface[place] = s;
                o->area[place] = area[s][i];
            }
        }
        PetscCall(PetscFree2(node[s], area[s]));
    }
    PetscCall(PetscFree(fill));
    PetscCall(PetscFree2(members, slot));
    PetscCall(PetscFree3(count, node, area));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromObstaclesCreate(const CaromSpace *space, CaromObstacles *o, CaromTrouble *trouble)
{
    const carom_large *model = space->model;
    PetscFunctionBeginUser;
    *o = (CaromObstacles){.space = space, .d = space->d};
    if (model->pairs > 0) {
        CaromSay(trouble, 2, "%s: contact between meshes (%s) runs on the small path only; take a coarser mesh and --path small, or a contact_surface",
                 model->pair[0].where, model->pair[0].name);
        PetscFunctionReturn(0);
    }
    PetscCall(collect_nodes(o, trouble));
    PetscCall(PetscCalloc3(model->surfaces, &o->restitution, model->surfaces, &o->friction, model->surfaces, &o->total));
    for (int s = 0; s < model->surfaces; s++) {
        model->surface[s].law(space->p, &o->restitution[s], &o->friction[s]);
        o->any_friction = (PetscBool)(o->any_friction || o->friction[s] > 0);
        if (!(o->friction[s] >= 0) || !(o->restitution[s] >= 0) || o->restitution[s] > 1) {
            CaromSay(trouble, 2, "%s: %s has restitution %g and friction %g; restitution is from 0 to 1, friction 0 or more",
                     model->surface[s].where, model->surface[s].name, o->restitution[s], o->friction[s]);
        }
    }
    PetscCall(PetscCalloc6(o->n, &o->rate, (o->n * o->d * o->d), &o->frame, o->n, &o->lo, o->n, &o->mu, (o->n * o->d), &o->lambda, o->n,
                           &o->active));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromObstaclesDestroy(CaromObstacles *o)
{
    PetscFunctionBeginUser;
    PetscCall(PetscFree6(o->rate, o->frame, o->lo, o->mu, o->lambda, o->active));
    PetscCall(PetscFree3(o->restitution, o->friction, o->total));
    PetscCall(PetscFree5(o->node, o->at, o->surface, o->area, o->chosen));
    PetscFunctionReturn(0);
}

void CaromObstacleGap(const CaromObstacles *o, PetscInt i, PetscInt k, PetscReal t, const PetscReal *u, PetscReal *gap, PetscReal *gradient,
                      PetscReal *rate)
{
    const PetscReal *X = o->space->mesh.X + o->node[i] * o->d;
    PetscReal x[3] = {0, 0, 0};
    for (PetscInt c = 0; c < o->d; c++) {
        x[c] = X[c] + u[c];
    }
    o->space->model->surface[o->surface[k]].gap(o->space->p, t, x, gap, gradient, rate);
}

PetscErrorCode CaromObstaclesActivate(CaromObstacles *o, PetscReal t, PetscReal h, PetscReal gamma, Vec u, Vec v)
{
    const PetscReal *pu, *pv;
    PetscInt active = 0;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(u, &pu));
    PetscCall(VecGetArrayRead(v, &pv));
    for (PetscInt i = 0; i < o->n; i++) {
        PetscReal nearest = PETSC_MAX_REAL;
        PetscInt touched = 0;
        for (PetscInt k = o->at[i]; k < o->at[i + 1]; k++) {
            PetscReal gap, gradient[3], rate;
            CaromObstacleGap(o, i, k, t, pu + o->node[i] * o->d, &gap, gradient, &rate);
            for (PetscInt c = 0; c < o->d; c++) {
                rate += gradient[c] * pv[o->node[i] * o->d + c];
            }
            touched += gap + gamma * h * rate <= 1e-9 * h ? 1 : 0;
            if (gap + gamma * h * rate < nearest) {
                nearest = gap + gamma * h * rate;
                o->chosen[i] = k;
                o->rate[i] = rate;
            }
        }
        o->active[i] = (PetscBool)(touched > 0);
        o->doubled += touched > 1 ? 1 : 0;
        active += touched > 0 ? 1 : 0;
    }
    PetscCall(VecRestoreArrayRead(u, &pu));
    PetscCall(VecRestoreArrayRead(v, &pv));
    PetscCallMPI(MPI_Allreduce(&active, &o->candidates, 1, MPIU_INT, MPI_SUM, o->space->mesh.comm));
    PetscFunctionReturn(0);
}

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
            const PetscReal at = mask[axis] > 0 ? PetscAbsReal(n[axis]) : -1, here = mask[c] > 0 ? PetscAbsReal(n[c]) : -1;
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

PetscErrorCode CaromObstaclesAim(CaromObstacles *o, PetscReal t, Vec u, Vec v, PetscReal *turned)
{
    const PetscReal *pu, *pv, *mask;
    PetscReal most = 0;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(u, &pu));
    PetscCall(VecGetArrayRead(v, &pv));
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    for (PetscInt i = 0; i < o->n; i++) {
        const PetscInt at = o->node[i] * o->d, s = o->surface[o->chosen[i]];
        PetscReal gap, gradient[3], rate, length, before[3] = {0, 0, 0};
        PetscReal *frame = o->frame + i * o->d * o->d;
        if (!o->active[i]) {
            continue;
        }
        PetscCall(PetscArraycpy(before, frame, o->d));
        CaromObstacleGap(o, i, o->chosen[i], t, pu + at, &gap, gradient, &rate);
        length = CaromObstacleFrame(o->d, gradient, mask + at, frame);
        o->lo[i] = -o->restitution[s] * o->rate[i] - rate;
        for (PetscInt c = 0; c < o->d; c++) {
            o->lo[i] -= mask[at + c] > 0 ? 0 : gradient[c] * pv[at + c];
            most = PetscMax(most, PetscAbsReal(frame[c] - before[c]));
        }
        o->lo[i] = length > 0 ? o->lo[i] / length : PETSC_MIN_REAL;
        o->mu[i] = o->friction[s];
    }
    PetscCall(VecRestoreArrayRead(u, &pu));
    PetscCall(VecRestoreArrayRead(v, &pv));
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    PetscCallMPI(MPI_Allreduce(&most, turned, 1, MPIU_REAL, MPIU_MAX, o->space->mesh.comm));
    PetscFunctionReturn(0);
}

CaromContactSet CaromObstaclesSet(const CaromObstacles *o)
{
    return (CaromContactSet){.n = o->n, .d = o->d, .node = o->node, .frame = o->frame, .lo = o->lo, .mu = o->mu, .active = o->active};
}

PetscErrorCode CaromObstaclesAddForces(const CaromObstacles *o, PetscReal scale, Vec f)
{
    const PetscInt d = o->d;
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(f, &x));
    for (PetscInt i = 0; i < o->n; i++) {
        for (PetscInt r = 0; o->active[i] && r < d; r++) {
            for (PetscInt c = 0; c < d; c++) {
                x[o->node[i] * d + c] += scale * o->frame[(i * d + r) * d + c] * o->lambda[i * d + r];
            }
        }
    }
    PetscCall(VecRestoreArray(f, &x));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromObstaclesCount(CaromObstacles *o)
{
    const PetscInt d = o->d;
    const int surfaces = o->space->model->surfaces;
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
            name = o->space->model->surface[o->surface[o->chosen[i]]].name;
        }
    }
    if (node >= 0) {
        const PetscReal *X = o->space->mesh.X + node * o->d;
        (void)snprintf(text, size, "%s%s at (%.6g, %.6g, %.6g) of the undeformed body", name != NULL ? "contact " : "a node inside",
                       name != NULL ? name : "", X[0], o->d > 1 ? X[1] : 0.0, o->d > 2 ? X[2] : 0.0);
    }
}
