/* The main program of a large model: from arguments to report. Signals end the run after the current step, with a
 * checkpoint. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include <petscksp.h>

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Processor time outside the system, which is where ranks go that wait for others. */
static double user_seconds(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

/* An estimate for grids before anything is made; meshes from files are counted after reading. */
static PetscErrorCode afford(CaromRun *run, PetscBool made)
{
    PetscReal nodes = 0, cells = 0;
    PetscBool grids = PETSC_TRUE;
    PetscFunctionBeginUser;
    for (int b = 0; b < run->model->bodies; b++) {
        const carom_body *body = &run->model->body[b];
        PetscReal points = 1, boxes = 1;
        for (int c = 0; c < run->model->dimension; c++) {
            points *= body->mesh.cells[c] + 1.0;
            boxes *= body->mesh.cells[c];
        }
        nodes += points;
        cells += boxes * PetscMax(1, body->mesh.pieces);
        grids = (PetscBool)(grids && body->mesh.file == NULL);
    }
    if (made) {
        nodes = (PetscReal)run->space.mesh.total;
        cells = 0;
        for (int b = 0; b < run->model->bodies; b++) {
            cells += (PetscReal)run->space.mesh.body[b].total;
        }
    }
    if (grids != made) {
        PetscCall(CaromMeshAfford(run->comm, CaromMeshMemory(run->model, nodes, cells),
                                  (PetscBool)(run->options.quiet || run->options.json), &run->trouble));
    }
    PetscFunctionReturn(0);
}

static void count_steps(CaromRun *run)
{
    char message[CAROM_MESSAGE_SIZE];
    if (carom_steps_plan(&run->steps, run->motion.t, run->options.until, message) != 0) {
        CaromSay(&run->trouble, 2, "%s", message);
    }
}

/* Step from arguments, model, or the mesh; what is beyond stability is refused. */
static void plan(CaromRun *run)
{
    const carom_large *model = run->model;
    PetscReal fastest = 0; /* CFL number of a step of length 1 */
    for (int b = 0; b < model->bodies; b++) {
        fastest = PetscMax(fastest, model->body[b].wave_speed(run->p) / run->space.mesh.body[b].edge);
    }
    if (run->options.step > 0) {
        run->steps.h = run->options.step;
    } else if (run->options.cfl > 0) {
        run->steps.h = run->options.cfl / fastest;
    } else if (model->step > 0) {
        run->steps.h = model->step;
    } else if (model->cfl > 0) {
        run->steps.h = model->cfl / fastest;
    } else {
        run->steps.h = run->scheme.limit > 0 ? 0.9 * run->scheme.limit : 10 / fastest;
    }
    run->cfl = run->steps.h * fastest;
    if (run->scheme.limit > 0 && run->steps.h > run->scheme.limit) {
        CaromSay(&run->trouble, 2,
                 "the step %.6g (CFL %.3g) is beyond the stability limit %.6g (CFL %.3g) of %s on this mesh; take a "
                 "smaller step, or "
                 "moreau-jean",
                 run->steps.h, run->cfl, run->scheme.limit, run->scheme.limit * fastest, model->scheme.text);
    }
}

static void assign(CaromRun *run)
{
    char message[CAROM_MESSAGE_SIZE];
    carom_targets targets = {.parameter = run->p};
    for (int i = 0; i < run->model->parameters; i++) {
        run->p[i] = run->model->parameter[i].value;
    }
    if (carom_options_assign(&run->options, &run->face.model, 1, &targets, message) != 0 ||
        carom_options_assign(&run->options, &run->face.model, 0, &targets, message) != 0) {
        CaromSay(&run->trouble, 2, "%s", message);
    }
}

static PetscErrorCode prepare(CaromRun *run)
{
    CaromTrouble *trouble = &run->trouble;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(run->model->parameters + 1, &run->p));
    PetscCall(PetscCalloc1((size_t)run->model->bodies, &run->deformed));
    assign(run);
    if (trouble->code == 0) {
        PetscCall(afford(run, PETSC_FALSE));
    }
    if (trouble->code == 0) {
        PetscCall(CaromSpaceCreate(run->comm, run->model, run->p, &run->space, trouble));
    }
    if (trouble->code == 0) {
        PetscCall(afford(run, PETSC_TRUE));
    }
    if (trouble->code == 0) {
        PetscCall(CaromObstaclesCreate(&run->space, &run->obstacles, trouble));
    }
    if (trouble->code == 0) {
        PetscCall(CaromMotionCreate(&run->space, &run->obstacles, &run->motion));
        PetscCall(CaromProbesFind(run));
        PetscCall(PetscCalloc1(3 * run->model->fixes, &run->held));
        PetscCall(CaromExecutorCreate(&run->motion, &run->scheme, trouble));
    }
    if (trouble->code == 0) {
        plan(run);
    }
    if (trouble->code == 0 && run->options.resume != NULL) {
        PetscCall(CaromCheckpointRead(run));
    }
    if (trouble->code == 0) {
        count_steps(run);
    }
    if (trouble->code == 0 && run->options.resume == NULL) {
        PetscCall(CaromObstaclesStart(&run->obstacles, 0, run->motion.u, run->options.quiet, trouble));
    }
    if (trouble->code == 0) {
        PetscCall(run->scheme.restart(&run->motion, run->scheme.data));
    }
    PetscFunctionReturn(0);
}

typedef struct {
    carom_progress progress;
    double kept;     /* wall clock at the last checkpoint */
    PetscInt64 look; /* steps between two looks at the clock */
    pid_t parent;
} Watch;

/* Between steps: progress, rows, checkpoints, signals. All ranks agree on what to do. */
static PetscErrorCode look_up(CaromRun *run, Watch *watch, int *stop)
{
    const double now = carom_wall_seconds();
    int mine[2] = {0, 0}, all[2];
    PetscFunctionBeginUser;
    if (run->rank == 0) {
        char more[96];
        (void)snprintf(more, sizeof more, ", CFL %.3g, %d contacts, %d products", run->cfl,
                       (int)run->motion.info.closed, (int)run->motion.info.products);
        carom_progress_show(&watch->progress, &run->steps, 0, run->motion.t, more);
        mine[1] = run->options.checkpoint != NULL && now - watch->kept > 60 * run->options.checkpoint_minutes;
        if (run->options.with_parent && getppid() != watch->parent && carom_stop_asked() == 0) {
            carom_stop_ask(SIGTERM);
        }
    }
    mine[0] = carom_stop_asked();
    PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, run->comm));
    *stop = all[0];
    if (run->options.checkpoint != NULL && (all[1] || *stop != 0)) {
        PetscCall(CaromCheckpointWrite(run));
        watch->kept = carom_wall_seconds();
    } else {
        PetscCall(CaromResultFlush(run, PETSC_FALSE));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode one_step(CaromRun *run)
{
    const PetscReal h = carom_steps_next(&run->steps), t = run->motion.t;
    const double start = carom_cpu_seconds(), began = carom_wall_seconds(), user = user_seconds();
    CaromTrouble trouble = {0};
    PetscFunctionBeginUser;
    PetscCall(run->scheme.step(&run->motion, run->scheme.data, h, &trouble));
    run->cpu += carom_cpu_seconds() - start;
    run->user += user_seconds() - user;
    run->wall += carom_wall_seconds() - began;
    if (trouble.code != 0) {
        CaromSay(&run->trouble, trouble.code, "step %lld from t = %.10g with h = %.10g failed: %s",
                 (long long)run->steps.step + 1, t, h, trouble.text);
    } else {
        run->steps.step++;
    }
    PetscFunctionReturn(0);
}

/* Infinite or not a number: no step after that means anything. */
static PetscErrorCode check_finite(CaromRun *run)
{
    PetscReal size;
    PetscFunctionBeginUser;
    PetscCall(VecNorm(run->motion.v, NORM_INFINITY, &size));
    if (PetscIsInfOrNanReal(size) || size > 1e100) {
        CaromSay(&run->trouble, 1,
                 "by step %lld, t = %.10g, a velocity became infinite or not a number; try a smaller step",
                 (long long)run->steps.step, run->motion.t);
    }
    PetscFunctionReturn(0);
}

/* A run that loses momentum has lost forces, whatever its steps say. */
static PetscErrorCode check_momentum(CaromRun *run)
{
    PetscReal imbalance;
    PetscBool broken;
    PetscFunctionBeginUser;
    PetscCall(CaromMotionBalance(&run->motion, &imbalance, &broken));
    if (broken && !run->motion.accept) {
        CaromSay(&run->trouble, 1,
                 "by step %lld, t = %.10g, the momentum balance is off by %.2g of what acted, more than 1e-4 and than "
                 "tolerances explain; "
                 "forces and impulses in the results are wrong",
                 (long long)run->steps.step, run->motion.t, imbalance);
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode all_steps(CaromRun *run, int *stop)
{
    Watch watch = {.look = 1, .parent = getppid()};
    const PetscInt frames = (PetscInt)run->options.frames;
    PetscInt picture = 0;
    PetscFunctionBeginUser;
    carom_progress_begin(&watch.progress, &run->options, &run->steps, run->rank != 0);
    watch.kept = watch.progress.began;
    while (run->options.resume != NULL && CaromFrameDue(run, picture)) {
        run->pictures = ++picture;
    }
    if (run->motion.between_u != NULL && (unsigned long long)frames > run->steps.steps) {
        CaromSay(&run->trouble, 2, "with dense=on there is at most one picture in a step; take %llu frames or fewer",
                 run->steps.steps);
    }
    if (run->options.resume == NULL) {
        PetscCall(CaromResultRow(run));
    }
    PetscCall(CaromFilmFrame(run));
    double looked = watch.progress.began;
    while (run->trouble.code == 0 && *stop == 0) {
        if (CaromFrameDue(run, picture)) {
            PetscCall(CaromFrame(run, picture++));
        }
        if (run->steps.step >= run->steps.steps || run->trouble.code != 0) {
            break;
        }
        run->motion.wanted = picture <= frames && frames > 0 ? CaromFrameTime(run, picture) : PETSC_MAX_REAL;
        run->motion.caught = PETSC_FALSE;
        PetscCall(one_step(run));
        if (run->trouble.code == 0 && run->motion.caught) {
            const Vec u = run->motion.u, v = run->motion.v;
            run->motion.u = run->motion.between_u;
            run->motion.v = run->motion.between_v;
            PetscCall(CaromFrame(run, picture++));
            run->motion.u = u;
            run->motion.v = v;
        }
        if (run->trouble.code == 0) {
            PetscCall(CaromFilmFrame(run));
        }
        if (run->trouble.code == 0 && ((run->options.result != NULL && run->steps.step % run->options.every == 0) ||
                                       run->steps.step == run->steps.steps)) {
            PetscCall(CaromResultRow(run));
        }
        if (run->trouble.code == 0 && (PetscInt64)(run->steps.step - watch.progress.first) % watch.look == 0) {
            PetscReal spent = carom_wall_seconds() - looked;
            PetscCallMPI(MPI_Bcast(&spent, 1, MPIU_REAL, 0, run->comm));
            PetscCall(check_finite(run));
            PetscCall(check_momentum(run));
            PetscCall(look_up(run, &watch, stop));
            watch.look = spent < 0.02 && watch.look < 1024 ? 2 * watch.look
                         : spent > 0.1 && watch.look > 1   ? watch.look / 2
                                                           : watch.look;
            looked = carom_wall_seconds();
        }
    }
    if (run->trouble.code == 0) {
        PetscCall(check_momentum(run));
    }
    carom_progress_end(&watch.progress);
    if (run->trouble.code == 0 && *stop != 0 && run->steps.step < run->steps.steps) {
        if (run->row_step != (PetscInt64)run->steps.step) {
            PetscCall(CaromResultRow(run)); /* where it stopped */
        }
        CaromSay(&run->trouble, 128 + *stop, "stopped by a signal at t = %.10g, step %llu of %llu%s%s%s", run->motion.t,
                 run->steps.step, run->steps.steps, run->options.result != NULL ? "; the results so far are kept" : "",
                 run->saved ? "; go on with --resume " : "", run->saved ? run->options.checkpoint : "");
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode whole_run(CaromRun *run)
{
    PetscBool began = PETSC_FALSE;
    int stop = 0;
    PetscFunctionBeginUser;
    PetscCall(prepare(run));
    if (run->trouble.code == 0) {
        PetscCall(CaromResultOpen(run));
    }
    if (run->trouble.code == 0) {
        PetscCall(CaromFilmOpen(run));
    }
    if (run->trouble.code == 0) {
        began = PETSC_TRUE;
        PetscCall(all_steps(run, &stop));
        PetscCall(CaromResultClose(run));
        if (run->trouble.code == 0 && run->options.checkpoint != NULL) {
            PetscCall(CaromCheckpointWrite(run));
        }
    }
    PetscCall(CaromFilmClose(run));
    PetscCall(CaromReport(run, began));
    if (run->scheme.destroy != NULL) {
        PetscCall(run->scheme.destroy(run->scheme.data));
    }
    PetscCall(PetscFree2(run->probe_rank, run->probe_node));
    PetscCall(PetscFree(run->held));
    PetscCall(CaromMotionDestroy(&run->motion));
    PetscCall(CaromObstaclesDestroy(&run->obstacles));
    PetscCall(CaromSpaceDestroy(&run->space));
    PetscCall(PetscFree(run->p));
    PetscCall(PetscFree(run->deformed));
    PetscFunctionReturn(0);
}

/* A PETSc error was printed by its handler; the exit code says that it was not the model. */
static PetscErrorCode guarded(CaromRun *run)
{
    PetscFunctionBeginUser;
    PetscCall(PetscPopSignalHandler());
    carom_stop_catch();
    PetscCallMPI(MPI_Comm_rank(run->comm, &run->rank));
    PetscCallMPI(MPI_Comm_size(run->comm, &run->ranks));
    PetscCall(whole_run(run));
    PetscFunctionReturn(0);
}

/* The run that the arguments ask for; its exit code. */
static int made(CaromRun *run, int argc, char **argv)
{
    char message[CAROM_MESSAGE_SIZE];
    int code = 3;
    run->comm = PETSC_COMM_WORLD;
    (void)MPI_Comm_rank(run->comm, &run->rank);
    if (CaromFaceCreate(run) != 0) {
        return code;
    }
    if (carom_options_read(&run->options, &run->face.model, CAROM_ON_PETSC, argc, argv, message) != 0) {
        CaromSay(&run->trouble, 2, "%s", message);
        (void)CaromReport(run, PETSC_FALSE);
        code = run->trouble.code;
    } else if (run->options.help) {
        if (run->rank == 0) {
            carom_options_help(stdout, &run->face.model, CAROM_ON_PETSC);
        }
        code = 0;
    } else {
        if (run->options.frames == CAROM_FRAMES_OWN) {
            run->options.frames = (unsigned long long)run->model->frames;
        }
        code = guarded(run) == 0 ? run->trouble.code : code;
    }
    (void)CaromFaceDestroy(run);
    return code;
}

int carom_large_main(const carom_large *model, int argc, char **argv)
{
    CaromRun run = {.model = model};
    int rest = 1, code = 3;
    char **petsc;
    while (rest < argc && strcmp(argv[rest], "--") != 0) {
        rest++;
    }
    /* PETSc sees the program and what follows "--" */
    petsc = malloc(sizeof *petsc * (size_t)(argc + 2));
    if (petsc == NULL) {
        return 3;
    }
    int count = 0;
    petsc[count++] = argv[0];
    for (int i = rest + 1; i < argc; i++) {
        petsc[count++] = argv[i];
    }
    petsc[count] = NULL;
    if (PetscInitialize(&count, &petsc, NULL, NULL) == 0) {
        run.comm = PETSC_COMM_WORLD;
        (void)setlocale(LC_NUMERIC, "C"); /* whatever MPI set: numbers are read and written with a point */
        code = made(&run, argc, argv);
        free(run.options.assign);
        (void)PetscFinalize();
    }
    return code;
}
