/* The main program of a large model: from arguments to report. Signals end the run after the current step, with a
 * checkpoint. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include <petscksp.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stop_signal = 0;

static void on_signal(int number)
{
    if (stop_signal != 0) { /* asked twice */
        _exit(128 + number);
    }
    stop_signal = number;
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = {0}, before;
        action.sa_handler = on_signal;
        (void)sigemptyset(&action.sa_mask);
        /* what was ignored stays ignored */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(numbers[i], &action, NULL);
        }
    }
}

static double seconds(clockid_t which)
{
    struct timespec now;
    (void)clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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
        cells += boxes * (body->cell == CAROM_TET4 ? 6 : body->cell == CAROM_TRI3 ? 2 : 1);
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

/* Number of steps and length of the last. A checkpoint from the end of a run whose last step was short is off the grid
 * of times: steps go on from there. */
static void count_steps(CaromRun *run)
{
    const PetscReal off = run->motion.t - (PetscReal)run->step * run->h;
    PetscReal until = run->options.until, count;
    run->off = PetscAbsReal(off) > 1e-3 * run->h ? off : 0;
    until -= run->off;
    count = PetscCeilReal(until / run->h * (1 - 1e-9));
    if (!(count < 9e15 && count > -9e15)) {
        CaromSay(&run->trouble, 2, "a step of %.10g would take %.3g steps", run->h, count);
        count = 0;
    }
    run->steps = (PetscInt64)count;
    run->last_h = run->h;
    if (count * run->h > until * (1 + 1e-9)) {
        run->last_h = until - (count - 1) * run->h;
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
        run->h = run->options.step;
    } else if (run->options.cfl > 0) {
        run->h = run->options.cfl / fastest;
    } else if (model->step > 0) {
        run->h = model->step;
    } else if (model->cfl > 0) {
        run->h = model->cfl / fastest;
    } else {
        run->h = run->scheme.limit > 0 ? 0.9 * run->scheme.limit : 10 / fastest;
    }
    run->cfl = run->h * fastest;
    if (run->scheme.limit > 0 && run->h > run->scheme.limit) {
        CaromSay(&run->trouble, 2,
                 "the step %.6g (CFL %.3g) is beyond the stability limit %.6g (CFL %.3g) of %s on this mesh; take a "
                 "smaller step, or "
                 "moreau-jean",
                 run->h, run->cfl, run->scheme.limit, run->scheme.limit * fastest, model->scheme.text);
    }
    count_steps(run);
}

static PetscErrorCode prepare(CaromRun *run)
{
    CaromTrouble *trouble = &run->trouble;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(run->model->parameters + 1, &run->p));
    PetscCall(PetscCalloc1((size_t)run->model->bodies, &run->deformed));
    PetscCall(CaromOptionsAssign(&run->options, run->model, run->p, trouble));
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
        if (run->model->scheme.family == CAROM_MOREAU_JEAN) {
            PetscCall(CaromMoreauCreate(&run->motion, &run->scheme, trouble));
        } else {
            PetscCall(CaromExplicitCreate(&run->motion, &run->scheme, trouble));
        }
    }
    if (trouble->code == 0) {
        plan(run);
    }
    if (trouble->code == 0 && run->options.resume != NULL) {
        PetscCall(CaromCheckpointRead(run));
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
    double began, told, kept; /* wall clock: start of the steps, last progress line, last checkpoint */
    PetscInt64 first;         /* step at the start */
    int progress;             /* 0 none, 1 one line per message, 2 one line that is rewritten */
    PetscInt64 look;          /* steps between two looks at the clock */
    pid_t parent;
} Watch;

static void show_progress(const CaromRun *run, Watch *watch, double now)
{
    if (watch->progress != 0 && now - watch->began > 1 && now - watch->told > (watch->progress == 2 ? 0.2 : 1.0) &&
        run->step < run->steps) {
        char line[160];
        const double made = (double)(run->step - watch->first), left = (double)(run->steps - run->step);
        (void)snprintf(
            line, sizeof line, "step %lld of %lld, t = %.6g, CFL %.3g, %d contacts, %d products, %.0f s left",
            (long long)run->step, (long long)run->steps, run->motion.t, run->cfl, (int)run->motion.info.closed,
            (int)run->motion.info.products, (now - watch->began) * left / made);
        fprintf(stderr, watch->progress == 2 ? "\r%-100s" : "%s\n", line);
        (void)fflush(stderr);
        watch->told = now;
    }
}

/* Between steps: progress, checkpoints, signals. All ranks agree on what to do. */
static PetscErrorCode look_up(CaromRun *run, Watch *watch, int *stop)
{
    const double now = seconds(CLOCK_MONOTONIC);
    int mine[2] = {stop_signal, 0}, all[2];
    PetscFunctionBeginUser;
    if (run->rank == 0) {
        show_progress(run, watch, now);
        mine[1] = run->options.checkpoint != NULL && now - watch->kept > 60 * run->options.checkpoint_minutes;
        if (run->options.with_parent && getppid() != watch->parent && mine[0] == 0) {
            mine[0] = SIGTERM;
        }
    }
    PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, run->comm));
    *stop = all[0];
    if (run->options.checkpoint != NULL && (all[1] || *stop != 0)) {
        PetscCall(CaromCheckpointWrite(run));
        watch->kept = seconds(CLOCK_MONOTONIC);
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode one_step(CaromRun *run)
{
    const PetscReal h = run->step + 1 == run->steps ? run->last_h : run->h, t = run->motion.t;
    const double start = seconds(CLOCK_PROCESS_CPUTIME_ID), began = seconds(CLOCK_MONOTONIC), user = user_seconds();
    CaromTrouble trouble = {0};
    PetscFunctionBeginUser;
    PetscCall(run->scheme.step(&run->motion, run->scheme.data, h, &trouble));
    run->cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    run->user += user_seconds() - user;
    run->wall += seconds(CLOCK_MONOTONIC) - began;
    if (trouble.code != 0) {
        CaromSay(&run->trouble, trouble.code, "step %lld from t = %.10g with h = %.10g failed: %s",
                 (long long)run->step + 1, t, h, trouble.text);
    } else {
        run->step++;
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
                 (long long)run->step, run->motion.t);
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
                 (long long)run->step, run->motion.t, imbalance);
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode all_steps(CaromRun *run, int *stop)
{
    Watch watch = {.look = 1, .parent = getppid(), .first = run->step};
    PetscInt picture = 0;
    PetscFunctionBeginUser;
    watch.began = watch.told = watch.kept = seconds(CLOCK_MONOTONIC);
    watch.progress = run->options.quiet || run->rank != 0 ? 0
                     : isatty(STDERR_FILENO)              ? 2
                     : run->options.progress              ? 1
                                                          : 0;
    while (picture <= run->options.frames && run->options.frames > 0 && run->options.resume != NULL &&
           CaromFrameStep(run, picture) <= run->step) {
        run->pictures = ++picture;
    }
    if (run->options.resume == NULL) {
        PetscCall(CaromResultRow(run));
    }
    double looked = watch.began;
    while (run->trouble.code == 0 && *stop == 0) {
        if (picture <= run->options.frames && run->options.frames > 0 && run->step >= CaromFrameStep(run, picture)) {
            PetscCall(CaromFrame(run, picture++));
        }
        if (run->step >= run->steps || run->trouble.code != 0) {
            break;
        }
        PetscCall(one_step(run));
        if (run->trouble.code == 0 &&
            ((run->options.result != NULL && run->step % run->options.every == 0) || run->step == run->steps)) {
            PetscCall(CaromResultRow(run));
        }
        if (run->trouble.code == 0 && (run->step - watch.first) % watch.look == 0) {
            PetscReal spent = seconds(CLOCK_MONOTONIC) - looked;
            PetscCallMPI(MPI_Bcast(&spent, 1, MPIU_REAL, 0, run->comm));
            PetscCall(check_finite(run));
            PetscCall(check_momentum(run));
            PetscCall(look_up(run, &watch, stop));
            watch.look = spent < 0.02 && watch.look < 1024 ? 2 * watch.look
                         : spent > 0.1 && watch.look > 1   ? watch.look / 2
                                                           : watch.look;
            looked = seconds(CLOCK_MONOTONIC);
        }
    }
    if (run->trouble.code == 0) {
        PetscCall(check_momentum(run));
    }
    if (watch.progress == 2 && watch.told > watch.began) {
        fprintf(stderr, "\r%-100s\r", "");
    }
    if (run->trouble.code == 0 && *stop != 0 && run->step < run->steps) {
        if (run->row_step != run->step) {
            PetscCall(CaromResultRow(run)); /* where it stopped */
        }
        CaromSay(&run->trouble, 128 + *stop, "stopped by a signal at t = %.10g, step %lld of %lld%s%s", run->motion.t,
                 (long long)run->step, (long long)run->steps,
                 run->options.checkpoint != NULL ? "; go on with --resume " : "; there is no checkpoint",
                 run->options.checkpoint != NULL ? run->options.checkpoint : "");
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
        began = PETSC_TRUE;
        PetscCall(all_steps(run, &stop));
        PetscCall(CaromResultClose(run));
        if (run->trouble.code == 0 && run->options.checkpoint != NULL) {
            PetscCall(CaromCheckpointWrite(run));
        }
    }
    PetscCall(CaromReport(run, run->trouble.code, began));
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
    catch_signals();
    PetscCallMPI(MPI_Comm_rank(run->comm, &run->rank));
    PetscCallMPI(MPI_Comm_size(run->comm, &run->ranks));
    PetscCall(whole_run(run));
    PetscFunctionReturn(0);
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
        stop_signal = 0;
        if (CaromOptionsRead(&run.options, model, argc, argv, &run.trouble) == 0) {
            if (run.options.help) {
                PetscMPIInt rank = 0;
                (void)MPI_Comm_rank(run.comm, &rank);
                if (rank == 0) {
                    CaromOptionsHelp(stdout, model);
                }
                code = 0;
            } else if (run.trouble.code != 0) {
                (void)MPI_Comm_rank(run.comm, &run.rank);
                (void)CaromReport(&run, run.trouble.code, PETSC_FALSE);
                code = run.trouble.code;
            } else if (guarded(&run) == 0) {
                code = run.trouble.code;
            }
        }
        (void)PetscFree(run.options.assign);
        (void)PetscFinalize();
    }
    return code;
}
