/* The Moreau-Jean theta step with gamma prediction of the active set:
 *
 *     M (v+ - v) = h (1-theta) (F - f(u) - C v) + h theta (F+ - f(u+) - C v+) + R^T lambda,
 *     u+ = u + h ((1-theta) v + theta v+)
 *     0 <= lambda_N _|_ G v+ + g_t + e U >= 0 and Coulomb on the nodes with g + gamma h U <= tg,
 *     C = alpha M + beta K0
 *
 * With position, contacts without restitution are bound by their place at the end instead, every node of a surface:
 *     0 <= lambda_N _|_ g(t+h, u*) / (theta h) + G (v+ - v*) >= 0,    u* = u + h ((1-theta) v + theta v*) at hand
 * and fixed components move from place to place: then no rate of a path is followed.
 *
 * Linear bodies: one operator A = M + theta h C + theta^2 h^2 K per h, one contact problem per step (more when the
 * obstacle is curved: until its normals at the end of the step are stationary). Others: Newton, a contact problem in
 * each iteration. */
#include "assembly.h"
#include "motion.h"

typedef struct {
    PetscReal theta, gamma, tg, h; /* h: of the operator at hand */
    PetscBool position;            /* contacts without restitution are bound by their place */
    Mat A;
    CaromContact solver;
    Vec b, v1, u1, c, r, p, load, load1; /* p: contact impulses as a vector; load of the step's start */
    Vec push, push_v;                    /* velocities of fixed components and obstacles, and A times them */
    PetscReal *mass;                     /* [contact nodes] largest entry of A's diagonal */
    PetscReal *lo;                       /* bounds while these are on the right-hand side ... */
    PetscBool pushing;                   /* ... which they are now */
    PetscReal others;                    /* size of the right-hand side besides */
    PetscReal load_time;                 /* when `load` was evaluated */
    CaromTerms *terms;
    PetscReal newton_tol, contact_tol;
    PetscInt newton_max;
} Moreau;

enum { TURNS_MAX = 12, HALVINGS_MAX = 5, SMALL_NEWTON = 500 };
static const PetscReal turned_enough = 1e-8;

static void set_terms(const CaromSpace *space, CaromTerms *terms, PetscReal mass, PetscReal mass_damping,
                      PetscReal force, PetscReal stiffness_damping)
{
    for (PetscInt b = 0; b < space->mesh.bodies; b++) {
        terms[b].mass = mass + mass_damping * space->alpha[b];
        terms[b].force = force;
        terms[b].stiffness = stiffness_damping * space->beta[b];
    }
}

/* A = M + theta h C + theta^2 h^2 K(u). */
static PetscErrorCode make_operator(CaromMotion *motion, Moreau *m, PetscReal h, Vec u, CaromTrouble *trouble)
{
    const PetscReal th = m->theta * h, *diagonal;
    const CaromObstacles *o = motion->obstacles;
    PetscFunctionBeginUser;
    set_terms(motion->space, m->terms, 1, th, th * th, th);
    PetscCall(CaromAssemble(motion->space, m->terms, u, m->A, trouble));
    PetscCall(CaromContactSetOperator(m->solver, m->A, NULL, motion->space->mask, motion->space->d, o->n, o->node));
    PetscCall(MatGetDiagonal(m->A, m->push));
    PetscCall(VecGetArrayRead(m->push, &diagonal));
    for (PetscInt i = 0; i < o->n; i++) {
        m->mass[i] = diagonal[o->node[i] * o->d];
        for (PetscInt c = 1; c < o->d; c++) {
            m->mass[i] = PetscMax(m->mass[i], diagonal[o->node[i] * o->d + c]);
        }
    }
    PetscCall(VecRestoreArrayRead(m->push, &diagonal));
    m->h = h;
    PetscFunctionReturn(0);
}

/* b = right-hand side without what depends on v+: of linear bodies everything that does not multiply v+, of others
 * without f(u+). */
static PetscErrorCode make_constant(CaromMotion *motion, Moreau *m, PetscReal h, Vec c, CaromTrouble *trouble)
{
    const CaromSpace *space = motion->space;
    const PetscReal rest = h * (1 - m->theta);
    PetscFunctionBeginUser;
    if (m->load_time != motion->t) {
        PetscCall(CaromSpaceLoad(space, motion->t, m->load));
    }
    PetscCall(CaromSpaceLoad(space, motion->t + h, m->load1));
    PetscCall(VecSet(c, 0));
    set_terms(space, m->terms, 1, -rest, space->linear ? -h : -rest, -rest);
    for (PetscInt b = 0; b < space->mesh.bodies && space->linear; b++) {
        m->terms[b].stiffness -= rest * m->theta * h;
    }
    PetscCall(CaromCellsAdd(space, m->terms, motion->u, motion->v, c, trouble));
    PetscCall(VecAXPY(c, rest, m->load));
    PetscCall(VecAXPY(c, h * m->theta, m->load1));
    PetscFunctionReturn(0);
}

/* u1 = u + h ((1-theta) v + theta v1), prescribed values exact. */
static PetscErrorCode move(CaromMotion *motion, Moreau *m, PetscReal h)
{
    PetscFunctionBeginUser;
    PetscCall(VecWAXPY(m->u1, h * (1 - m->theta), motion->v, motion->u));
    PetscCall(VecAXPY(m->u1, h * m->theta, m->v1));
    PetscCall(CaromSpacePrescribe(motion->space, motion->t + h, m->u1, NULL));
    PetscFunctionReturn(0);
}

/* Tolerances are relative to |b|, which is 0 for a body at rest that is pushed. When there is hardly anything else,
 * what pushes goes to the right-hand side: velocities of fixed components and bounds of obstacles that come nearer. */
static PetscErrorCode shift(CaromMotion *motion, Moreau *m, Vec b, Vec v1)
{
    CaromObstacles *o = motion->obstacles;
    PetscReal *x, pushed;
    PetscFunctionBeginUser;
    PetscCall(VecPointwiseMult(m->push_v, v1, motion->space->mask));
    PetscCall(VecAYPX(m->push_v, -1, v1));
    PetscCall(VecGetArray(m->push_v, &x));
    for (PetscInt i = 0; i < o->n; i++) {
        for (PetscInt c = 0; c < o->d && o->active[i] && o->lo[i] > 0; c++) {
            x[o->node[i] * o->d + c] += o->lo[i] * o->frame[i * o->d * o->d + c];
        }
    }
    PetscCall(VecRestoreArray(m->push_v, &x));
    if (o->ties != NULL) {
        PetscCall(CaromTiesApply(o->ties, 1, m->push_v)); /* bounds of pairs are on relative velocities */
    }
    PetscCall(VecNorm(m->push_v, NORM_INFINITY, &pushed));
    m->pushing = PETSC_FALSE;
    if (pushed > 0) {
        PetscCall(VecPointwiseMult(m->push, b, motion->space->mask));
        PetscCall(VecNorm(m->push, NORM_2, &m->others));
        PetscCall(MatMult(m->A, m->push_v, m->push));
        PetscCall(VecNorm(m->push, NORM_2, &pushed));
        /* smaller ones cannot be met to tolerance: rounding is that of what pushes */
        m->pushing = (PetscBool)(m->others < 1e-3 * pushed);
    }
    if (m->pushing) {
        PetscCall(VecAXPY(v1, -1, m->push_v));
        PetscCall(VecAXPY(b, -1, m->push));
        for (PetscInt i = 0; i < o->n; i++) {
            m->lo[i] = o->lo[i];
            o->lo[i] = PetscMin(o->lo[i], 0);
        }
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode shift_back(CaromMotion *motion, Moreau *m, Vec b, Vec v1)
{
    PetscFunctionBeginUser;
    if (m->pushing) {
        PetscCall(VecAXPY(v1, 1, m->push_v));
        PetscCall(VecAXPY(b, 1, m->push));
        PetscCall(PetscArraycpy(motion->obstacles->lo, m->lo, motion->obstacles->n));
    }
    PetscFunctionReturn(0);
}

/* A tangent along a fixed axis is the support's affair. */
static PetscErrorCode leave_to_supports(CaromObstacles *o)
{
    const PetscInt d = o->d;
    const PetscReal *mask;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(o->space->mask, &mask));
    for (PetscInt i = 0; i < o->n; i++) {
        for (PetscInt k = d; k < d * d; k++) { /* entries of the tangents */
            if (mask[o->node[i] * d + k % d] < 0.5 && PetscAbsReal(o->frame[i * d * d + k]) > 0.5) {
                o->lambda[i * d + k / d] = 0;
            }
        }
    }
    PetscCall(VecRestoreArrayRead(o->space->mask, &mask));
    PetscFunctionReturn(0);
}

/* One call of the contact solver, counted. */
static PetscErrorCode call_solver(CaromMotion *motion, Moreau *m, Vec b, Vec v1, CaromContactResult *result)
{
    CaromObstacles *o = motion->obstacles;
    const CaromContactSet set = CaromObstaclesSet(o);
    PetscFunctionBeginUser;
    PetscCall(CaromContactSolve(m->solver, &set, b, v1, o->lambda, result));
    motion->info.outer += result->outer;
    motion->info.products += result->products;
    motion->products += result->products;
    motion->solves++;
    PetscFunctionReturn(0);
}

static PetscErrorCode size_of_forces(const CaromMotion *motion, PetscReal *size)
{
    const CaromObstacles *o = motion->obstacles;
    PetscReal mine = 0, all;
    PetscFunctionBeginUser;
    for (PetscInt i = 0; i < o->n * o->d; i++) {
        mine += PetscSqr(o->lambda[i]);
    }
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPIU_REAL, MPIU_SUM, motion->space->mesh.comm));
    *size = PetscSqrtReal(all);
    PetscFunctionReturn(0);
}

/* Tolerances are relative to the forces that act. Of a body that is pushed |A push| says little about the forces that
 * come of it. They are known after a first solve; then again, with the tolerance relative to them. In other problems
 * the forces of contacts may be much larger than b: what is left is small enough if it is so relative to them. */
static PetscErrorCode refine(CaromMotion *motion, Moreau *m, Vec b, Vec v1, CaromContactResult *result)
{
    PetscReal forces, size;
    const PetscBool solved = (PetscBool)(result->residual <= result->target);
    PetscFunctionBeginUser;
    if (solved && !m->pushing) {
        PetscFunctionReturn(0);
    }
    PetscCall(size_of_forces(motion, &forces));
    if (!solved) {
        result->target = PetscMax(result->target, m->contact_tol * forces);
        PetscFunctionReturn(0);
    }
    PetscCall(VecNorm(b, NORM_2, &size));
    forces = PetscMax(forces, m->others);
    if (forces > 0 && forces < size) {
        PetscCall(CaromContactSetScale(m->solver, PetscMax(forces, 1e-6 * size)));
        PetscCall(call_solver(motion, m, b, v1, result));
        PetscCall(CaromContactSetScale(m->solver, 0));
    }
    PetscFunctionReturn(0);
}

/* Says which node a contact problem failed at. */
static PetscErrorCode say_unsolved(CaromMotion *motion, const CaromContactResult *result, CaromTrouble *trouble)
{
    static const char text[] = "the contact problem was not solved to tolerance: residual %.3g, target %.3g%s%s; "
                               "try a smaller step or another -carom_contact_type";
    char place[160] = "";
    PetscFunctionBeginUser;
    CaromObstacleName(motion->obstacles, result->worst, place, sizeof place);
    if (place[0] != '\0') { /* the rank that has the node */
        CaromSay(trouble, 1, text, result->residual, result->target, ", worst at ", place);
    }
    PetscCall(CaromAgree(motion->space->mesh.comm, trouble));
    CaromSay(trouble, 1, text, result->residual, result->target, "", "");
    PetscFunctionReturn(0);
}

/* Solves the contact problem A v1 = b + lambda with the frames at hand. */
static PetscErrorCode solve_contact(CaromMotion *motion, Moreau *m, Vec b, Vec v1, CaromTrouble *trouble)
{
    CaromObstacles *o = motion->obstacles;
    CaromStepInfo *info = &motion->info;
    PetscFunctionBeginUser;
    PetscCall(PetscArrayzero(o->lambda, o->n * o->d));
    PetscCall(shift(motion, m, b, v1));
    if (o->candidates == 0) {
        PetscInt products = 0;
        PetscCall(CaromContactFree(m->solver, b, v1, &products));
        PetscCall(VecNorm(b, NORM_2, &info->target));
        info->target *= m->contact_tol;
        info->products += products;
        motion->products += products;
        motion->solves++;
    } else {
        CaromContactResult result = {.worst = -1};
        PetscCall(call_solver(motion, m, b, v1, &result));
        PetscCall(refine(motion, m, b, v1, &result));
        info->closed = result.closed;
        info->sticking = result.sticking;
        info->residual = result.residual;
        info->target = result.target;
        motion->worst = PetscMax(motion->worst, result.target > 0 ? result.residual / result.target : 0);
        if (!(result.residual <= result.target)) {
            motion->unsolved++;
            if (!motion->accept) {
                PetscCall(say_unsolved(motion, &result, trouble));
            }
        }
    }
    PetscCall(shift_back(motion, m, b, v1));
    PetscCall(leave_to_supports(o));
    PetscFunctionReturn(0);
}

/* What acts from outside in this step: loads, contacts, mass damping. */
static PetscErrorCode add_impulses(CaromMotion *motion, Moreau *m, PetscReal h, Vec work)
{
    const CaromSpace *space = motion->space;
    PetscReal sum[3];
    PetscFunctionBeginUser;
    PetscCall(VecCopy(m->load, work));
    PetscCall(VecAXPBY(work, h * m->theta, h * (1 - m->theta), m->load1));
    PetscCall(VecSet(m->p, 0));
    PetscCall(CaromObstaclesAddForces(motion->obstacles, 1, m->p));
    /* what acts on held masters is in the reactions of their supports */
    PetscCall(VecPointwiseMult(m->p, m->p, space->mask));
    PetscCall(VecAXPY(work, 1, m->p));
    if (motion->drag != NULL) {
        PetscCall(VecWAXPY(m->p, (1 - m->theta) / m->theta, motion->v, m->v1));
        PetscCall(VecPointwiseMult(m->p, m->p, motion->drag));
        PetscCall(VecAXPY(work, -h * m->theta, m->p));
    }
    PetscCall(CaromMotionSum(motion, work, sum));
    CaromMotionActed(motion, sum);
    PetscFunctionReturn(0);
}

/* Supports: what A v1 - b leaves on the fixed components; contact forces have no part there. */
static PetscErrorCode add_reactions(CaromMotion *motion, Vec left)
{
    const int fixes = motion->space->model->fixes;
    PetscReal mine[3] = {0, 0, 0}, all[3];
    PetscFunctionBeginUser;
    PetscCall(PetscArrayzero(motion->reaction, 3 * fixes));
    PetscCall(CaromMotionHeld(motion, 1, NULL, left));
    for (int i = 0; i < 3 * fixes; i++) {
        mine[i % 3] += motion->reaction[i];
    }
    PetscCallMPI(MPI_Allreduce(mine, all, 3, MPIU_REAL, MPIU_SUM, motion->space->mesh.comm));
    CaromMotionActed(motion, all);
    PetscFunctionReturn(0);
}

static PetscErrorCode linear_step(CaromMotion *motion, Moreau *m, PetscReal h, CaromTrouble *trouble)
{
    PetscReal turned = 0;
    PetscBool settled = PETSC_FALSE;
    PetscFunctionBeginUser;
    if (m->h != h) {
        PetscCall(make_operator(motion, m, h, NULL, trouble));
    }
    PetscCall(make_constant(motion, m, h, m->b, trouble));
    if (motion->obstacles->candidates == 0) {
        PetscCall(solve_contact(motion, m, m->b, m->v1, trouble));
        settled = PETSC_TRUE;
    }
    for (PetscInt turn = 0; turn <= TURNS_MAX && !settled && trouble->code == 0; turn++) {
        PetscCall(move(motion, m, h));
        PetscCall(CaromObstaclesAim(motion->obstacles, motion->t + h, m->u1, m->v1, &turned));
        settled = (PetscBool)(turn > 0 && turned <= turned_enough);
        if (!settled && turn < TURNS_MAX) {
            PetscCall(solve_contact(motion, m, m->b, m->v1, trouble));
        }
    }
    if (!settled && trouble->code == 0) {
        motion->unsolved++;
        if (!motion->accept) {
            CaromSay(trouble, 1,
                     "the normals or bounds of the obstacles still change by %.3g after %d solves; try a smaller step",
                     turned, TURNS_MAX);
        }
    }
    if (trouble->code == 0) {
        PetscCall(move(motion, m, h));
        if (motion->space->any_fixed) {
            PetscCall(MatMult(m->A, m->v1, m->r));
            PetscCall(VecAXPY(m->r, -1, m->b));
        }
    }
    PetscFunctionReturn(0);
}

/* r = what is left of the step's equation at v1 without contact forces; *inverted when it cannot be had. */
static PetscErrorCode residual(CaromMotion *motion, Moreau *m, PetscReal h, PetscReal *norm, CaromTrouble *inverted)
{
    PetscFunctionBeginUser;
    PetscCall(move(motion, m, h));
    PetscCall(VecCopy(m->c, m->r));
    PetscCall(VecScale(m->r, -1));
    set_terms(motion->space, m->terms, 1, h * m->theta, h * m->theta, h * m->theta);
    PetscCall(CaromCellsAdd(motion->space, m->terms, m->u1, m->v1, m->r, inverted));
    PetscCall(CaromAgree(motion->space->mesh.comm, inverted));
    PetscCall(VecWAXPY(m->load1, -1, m->p, m->r)); /* load1 is free now: c has it */
    PetscCall(VecPointwiseMult(m->load1, m->load1, motion->space->mask));
    PetscCall(VecNorm(m->load1, NORM_2, norm));
    PetscFunctionReturn(0);
}

/* Residuals below this are rounding: a deformation gradient is 1 + something small, so forces are known to eps K times
 * an edge. */
static PetscErrorCode rounding(const CaromMotion *motion, const Moreau *m, PetscReal h, Vec work, PetscReal *floor)
{
    PetscReal edge = 0;
    PetscFunctionBeginUser;
    for (PetscInt b = 0; b < motion->space->mesh.bodies; b++) {
        edge = PetscMax(edge, motion->space->mesh.body[b].edge);
    }
    PetscCall(MatGetDiagonal(m->A, work));
    PetscCall(VecNorm(work, NORM_2, floor));
    *floor *= 8 * PETSC_MACHINE_EPSILON * edge / (m->theta * h);
    PetscFunctionReturn(0);
}

static PetscErrorCode newton_step(CaromMotion *motion, Moreau *m, PetscReal h, CaromTrouble *trouble)
{
    Vec full, p1;
    PetscReal norm, before, size = 0, target = 0, turned;
    PetscBool done = PETSC_FALSE;
    PetscFunctionBeginUser;
    PetscCall(VecDuplicate(m->v1, &full));
    PetscCall(VecDuplicate(m->v1, &p1));
    PetscCall(make_constant(motion, m, h, m->c, trouble));
    PetscCall(VecSet(m->p, 0));
    PetscCall(residual(motion, m, h, &norm, trouble));
    for (PetscInt it = 0; it < m->newton_max && !done && trouble->code == 0; it++) {
        motion->info.newton = it + 1;
        PetscCall(make_operator(motion, m, h, m->u1, trouble));
        PetscCall(CaromAgree(motion->space->mesh.comm, trouble));
        PetscCall(CaromObstaclesAim(motion->obstacles, motion->t + h, m->u1, m->v1, &turned));
        PetscCall(MatMult(m->A, m->v1, m->b));
        PetscCall(VecAXPY(m->b, -1, m->r));
        PetscCall(VecNorm(m->b, NORM_2, &size));
        PetscCall(rounding(motion, m, h, full, &target));
        target = PetscMax(target, m->newton_tol * size);
        PetscCall(VecCopy(m->v1, full));
        if (trouble->code == 0) {
            PetscCall(solve_contact(motion, m, m->b, full, trouble));
        }
        PetscCall(VecSet(p1, 0));
        PetscCall(CaromObstaclesAddForces(motion->obstacles, 1, p1));
        PetscCall(VecAXPY(full, -1, m->v1));
        PetscCall(VecAXPY(p1, -1, m->p));
        before = norm;
        for (PetscInt halving = 0; trouble->code == 0; halving++) {
            CaromTrouble inverted = {0};
            const PetscReal part = PetscPowReal(0.5, (PetscReal)halving);
            PetscCall(VecAXPY(m->v1, halving == 0 ? 1 : -part, full));
            PetscCall(VecAXPY(m->p, halving == 0 ? 1 : -part, p1));
            PetscCall(residual(motion, m, h, &norm, &inverted));
            if (inverted.code == 0 &&
                (norm <= (1 - 1e-4 * part) * before || norm <= target || it == 0 || halving == HALVINGS_MAX)) {
                done = (PetscBool)(halving == 0 && norm <= target);
                if (done) { /* the law holds with the normals of the end, not with those of the iterate before */
                    PetscCall(CaromObstaclesAim(motion->obstacles, motion->t + h, m->u1, m->v1, &turned));
                    done = (PetscBool)(turned <= turned_enough);
                }
                break;
            }
            if (inverted.code != 0 && halving > 3 * HALVINGS_MAX) {
                *trouble = inverted;
            }
        }
    }
    motion->info.target = PetscMax(motion->info.target, target);
    if (!done && trouble->code == 0) {
        CaromSay(trouble, 1, "Newton did not converge in %d iterations: residual %.3g, target %.3g; try a smaller step",
                 (int)m->newton_max, norm, target);
    }
    PetscCall(CaromSpaceLoad(motion->space, motion->t + h, m->load1));
    PetscCall(VecDestroy(&full));
    PetscCall(VecDestroy(&p1));
    PetscFunctionReturn(0);
}

/* Velocities of fixed components with which they reach their places at the end of the step. */
static PetscErrorCode prescribe_by_place(CaromMotion *motion, const Moreau *m, PetscReal h, Vec v1)
{
    const PetscInt count = motion->space->mesh.owned * motion->space->d;
    const PetscReal *mask, *u, *v, *u1;
    PetscReal *x;
    PetscFunctionBeginUser;
    PetscCall(VecCopy(motion->u, m->u1));
    PetscCall(CaromSpacePrescribe(motion->space, motion->t + h, m->u1, NULL));
    PetscCall(VecGetArrayRead(motion->space->mask, &mask));
    PetscCall(VecGetArrayRead(motion->u, &u));
    PetscCall(VecGetArrayRead(motion->v, &v));
    PetscCall(VecGetArrayRead(m->u1, &u1));
    PetscCall(VecGetArray(v1, &x));
    for (PetscInt i = 0; i < count; i++) {
        x[i] = mask[i] > 0 ? x[i] : (u1[i] - u[i] - h * (1 - m->theta) * v[i]) / (h * m->theta);
    }
    PetscCall(VecRestoreArray(v1, &x));
    PetscCall(VecRestoreArrayRead(m->u1, &u1));
    PetscCall(VecRestoreArrayRead(motion->v, &v));
    PetscCall(VecRestoreArrayRead(motion->u, &u));
    PetscCall(VecRestoreArrayRead(motion->space->mask, &mask));
    PetscFunctionReturn(0);
}

static PetscErrorCode step(CaromMotion *motion, void *data, PetscReal h, CaromTrouble *trouble)
{
    Moreau *m = data;
    PetscFunctionBeginUser;
    motion->info = (CaromStepInfo){0};
    motion->obstacles->reach = m->position ? m->theta * h : 0;
    PetscCall(CaromObstaclesActivate(motion->obstacles, motion->t, h, m->gamma, m->tg > 0 ? m->tg : 1e-9 * h, motion->u,
                                     motion->v));
    PetscCall(VecCopy(motion->v, m->v1));
    if (m->position) {
        PetscCall(prescribe_by_place(motion, m, h, m->v1));
    } else {
        PetscCall(CaromSpacePrescribe(motion->space, motion->t + h, NULL, m->v1));
    }
    if (motion->space->linear) {
        PetscCall(linear_step(motion, m, h, trouble));
    } else {
        PetscCall(newton_step(motion, m, h, trouble));
    }
    PetscCall(CaromAgree(motion->space->mesh.comm, trouble));
    if (trouble->code == 0) {
        PetscCall(CaromLawCheck(motion, motion->t + h, m->u1, m->v1, m->mass,
                                PetscMax(motion->info.target, motion->info.residual), trouble));
    }
    if (trouble->code == 0) {
        Vec kept = m->load;
        if (motion->space->any_fixed) {
            PetscCall(add_reactions(motion, m->r));
        }
        PetscCall(add_impulses(motion, m, h, m->c));
        motion->slack +=
            PetscSqrtReal((PetscReal)motion->space->mesh.total) * PetscMax(motion->info.target, motion->info.residual);
        PetscCall(CaromObstaclesCount(motion->obstacles));
        PetscCall(VecCopy(m->u1, motion->u));
        PetscCall(VecCopy(m->v1, motion->v));
        motion->t += h;
        m->load = m->load1; /* loads at the end are those at the next start */
        m->load1 = kept;
        m->load_time = motion->t;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode energy(CaromMotion *motion, void *data, PetscReal *kinetic, PetscReal *elastic)
{
    PetscFunctionBeginUser;
    (void)data;
    PetscCall(CaromCellsEnergy(motion->space, motion->u, motion->v, kinetic, elastic));
    PetscFunctionReturn(0);
}

static const char *solver_name(void *data) { return CaromContactType(((Moreau *)data)->solver); }

static PetscErrorCode restart(CaromMotion *motion, void *data)
{
    PetscFunctionBeginUser;
    (void)motion;
    ((Moreau *)data)->load_time = -PETSC_MAX_REAL;
    PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *data)
{
    Moreau *m = data;
    Vec *const list[] = {&m->b, &m->v1, &m->u1, &m->c, &m->r, &m->p, &m->load, &m->load1, &m->push, &m->push_v};
    PetscFunctionBeginUser;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        PetscCall(VecDestroy(list[i]));
    }
    PetscCall(PetscFree2(m->lo, m->mass));
    PetscCall(CaromContactDestroy(&m->solver));
    PetscCall(MatDestroy(&m->A));
    PetscCall(PetscFree(m->terms));
    PetscCall(PetscFree(m));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromMoreauCreate(CaromMotion *motion, CaromScheme scheme, CaromTrouble *trouble)
{
    const CaromSpace *space = motion->space;
    const carom_scheme *spec = &space->model->scheme;
    Moreau *m;
    PetscFunctionBeginUser;
    if (spec->theta < 0.5) {
        CaromSay(trouble, 2,
                 "%s: with theta below 1/2 the energy of an elastic mesh grows without bound; take theta=0.5 or more, "
                 "or D-:M=1",
                 spec->text);
        PetscFunctionReturn(0);
    }
    PetscCall(PetscNew(&m));
    *m = (Moreau){.theta = spec->theta,
                  .gamma = spec->gamma,
                  .tg = spec->tg,
                  .position = (PetscBool)(spec->position != 0),
                  .h = -1,
                  .load_time = -PETSC_MAX_REAL,
                  .contact_tol = spec->ctol > 0 ? spec->ctol : 1e-8,
                  .newton_max = spec->iterations > 0 ? spec->iterations : 30};
    Vec *const list[] = {&m->b, &m->v1, &m->u1, &m->c, &m->r, &m->p, &m->load, &m->load1, &m->push, &m->push_v};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        PetscCall(CaromSpaceVector(space, list[i]));
    }
    PetscCall(PetscMalloc2(motion->obstacles->n, &m->lo, motion->obstacles->n, &m->mass));
    PetscCall(PetscMalloc1(space->mesh.bodies, &m->terms));
    PetscCall(CaromAssemblyCreate(space, &m->A));
    /* bodies that are not linear have another operator in each iteration: a factorisation pays only when it is small */
    const PetscBool direct = (PetscBool)(space->linear || space->mesh.total * space->d <= SMALL_NEWTON);
    const char *const type = direct ? NULL : motion->obstacles->any_friction ? "tnn" : "mprgp";
    const PetscBool chosen = (PetscBool)(spec->solver != NULL && strcmp(spec->solver, "auto") != 0);
    if (chosen && strcmp(spec->solver, "mprgp") == 0 && motion->obstacles->any_friction) {
        CaromSay(trouble, 2, "%s: solver=mprgp knows no friction; take solver=auto, tnn or nsgs", spec->text);
    }
    PetscCall(CaromContactCreate(space->mesh.comm, chosen ? spec->solver : type, &m->solver));
    PetscCall(CaromContactSetTies(m->solver, motion->obstacles->ties));
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-carom_contact_tol", &m->contact_tol, NULL));
    PetscCall(CaromContactSetTolerance(m->solver, m->contact_tol));
    /* the linear problems are solved to contact_tol of the same norm */
    m->newton_tol = spec->tol > 0 ? spec->tol : 2 * m->contact_tol;
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-carom_newton_tol", &m->newton_tol, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-carom_newton_max", &m->newton_max, NULL));
    *scheme = (struct _p_CaromScheme){
        .data = m, .step = step, .energy = energy, .restart = restart, .destroy = destroy, .solver = solver_name};
    PetscFunctionReturn(0);
}
