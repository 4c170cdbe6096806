/* What runs on PETSc have to say beyond the driver's summary. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include "../driver/summary.h"
#include "../driver/text.h"

#include <sys/resource.h>

typedef struct {
    const CaromRun *run;
    PetscReal memory;    /* bytes of all ranks */
    PetscReal cpu;       /* seconds in steps, all ranks */
    PetscReal most[3];   /* seconds in steps of the rank that took longest: cpu, that without the system, clock */
    PetscReal imbalance; /* of momentum: its size, relative to what acted; NaN: not known */
    PetscInt64 doubled;
    PetscInt cells, contact_nodes;
} Figures;

static PetscErrorCode gather_figures(CaromRun *run, PetscBool began, Figures *figures)
{
    struct rusage usage;
    PetscReal mine[3], all[2];
    PetscFunctionBeginUser;
    *figures = (Figures){.run = run};
    (void)getrusage(RUSAGE_SELF, &usage);
    mine[0] = 1024.0 * (PetscReal)usage.ru_maxrss;
    mine[1] = run->cpu;
    PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_REAL, MPIU_SUM, run->comm));
    figures->memory = all[0];
    figures->cpu = all[1];
    mine[0] = run->cpu;
    mine[1] = run->user;
    mine[2] = run->wall;
    PetscCallMPI(MPI_Allreduce(mine, figures->most, 3, MPIU_REAL, MPIU_MAX, run->comm));
    PetscCallMPI(MPI_Allreduce(&run->obstacles.doubled, &figures->doubled, 1, MPIU_INT64, MPI_SUM, run->comm));
    PetscCallMPI(MPI_Allreduce(&run->obstacles.n, &figures->contact_nodes, 1, MPIU_INT, MPI_SUM, run->comm));
    if (began) {
        PetscBool broken;
        PetscCall(CaromMotionBalance(&run->motion, &figures->imbalance, &broken));
        for (PetscInt b = 0; b < run->space.mesh.bodies; b++) {
            figures->cells += run->space.mesh.body[b].total;
        }
    }
    PetscFunctionReturn(0);
}

static PetscReal unknowns(const CaromRun *run) { return (PetscReal)run->space.mesh.total * (PetscReal)run->space.d; }

static void people(FILE *file, const void *data)
{
    const Figures *f = data;
    const CaromRun *run = f->run;
    const CaromMotion *motion = &run->motion;
    const PetscReal steps = run->steps.step > 0 ? (PetscReal)run->steps.step : 1;
    fprintf(file, "  %.0f unknowns, %d cells, %d rank%s, contact solver: %s, CFL number %.3g\n", unknowns(run),
            (int)f->cells, run->ranks, run->ranks == 1 ? "" : "s", run->scheme.solver(run->scheme.data), run->cfl);
    fprintf(file, "  energy at the start %.9g\n", run->energy0);
    if (motion->unbalanced) {
        fputs("  momentum balance: not summed up with supports or mass damping\n", file);
    } else {
        fprintf(file, "  momentum balance: off by %.2g of what acted\n", f->imbalance);
    }
    fprintf(file,
            "  products with the operator %.4g per step, worst residual %.2g of the target, contact problems not "
            "solved %lld\n",
            (PetscReal)motion->products / steps, motion->worst, (long long)motion->unsolved);
    fprintf(file, "  law of contact at the end of each step: at worst %.2g of its tolerance, broken in %lld steps\n",
            motion->law_worst, (long long)motion->law_broken);
    if (f->doubled > 0) {
        fprintf(file, "  %lld times a node met two obstacles in one step; the nearer was taken\n",
                (long long)f->doubled);
    }
    fprintf(file, "  %.3g million unknowns x steps per second of cpu, %.3g GB of memory\n",
            f->cpu > 0 ? 1e-6 * unknowns(run) * steps / f->cpu : 0.0, 1e-9 * f->memory);
}

static void counts(FILE *file, const void *data)
{
    const CaromMotion *motion = &((const Figures *)data)->run->motion;
    fprintf(file, ",\"products\":%lld,\"unsolved\":%lld,\"law_broken\":%lld", (long long)motion->products,
            (long long)motion->unsolved, (long long)motion->law_broken);
}

static void json(FILE *file, const void *data)
{
    const Figures *f = data;
    const CaromRun *run = f->run;
    carom_json_real(file, "cfl", run->cfl);
    carom_json_real(file, "law_worst", run->motion.law_worst);
    carom_json_text(file, "solver", run->scheme.solver(run->scheme.data));
    if (!run->motion.unbalanced) {
        carom_json_real(file, "momentum_imbalance", f->imbalance);
    }
    carom_json_real(file, "rank_cpu_seconds", f->most[0]);
    carom_json_real(file, "rank_user_seconds", f->most[1]);
    carom_json_real(file, "memory_bytes", f->memory);
}

PetscErrorCode CaromReport(CaromRun *run, PetscBool began)
{
    Figures figures;
    PetscFunctionBeginUser;
    PetscCall(gather_figures(run, began, &figures));
    if (run->rank == 0) {
        const carom_own own = {.people = people, .json = json, .counts = counts, .data = &figures};
        const CaromStepInfo *info = &run->motion.info;
        char message[CAROM_MESSAGE_SIZE];
        carom_summary summary = {
            .model = &run->face.model,
            .view = began ? &run->face.view : NULL,
            .outputs = run->face.y,
            .rows_of = (int)figures.contact_nodes,
            .pressing = (int)info->closed,
            .sticking = (int)info->sticking,
            .sliding = (int)(info->sticking > 0 ? info->closed - info->sticking : 0),
            .deformed = run->deformed,
            .steps = run->steps.step,
            .rows = run->result.written,
            .unknowns = (unsigned long long)unknowns(run),
            .ranks = run->ranks,
            .step = run->steps.h,
            .cpu_seconds = figures.cpu,
            .wall_seconds = figures.most[2],
            .result = run->result.kept ? run->options.result : NULL,
            .checkpoint = run->saved ? run->options.checkpoint : NULL,
            .pictures = (int)run->pictures,
            .frames_dir = run->options.frames_dir,
            .own = &own,
        };
        run->face.counts.frozen = (unsigned long long)run->motion.frozen;
        run->face.counts.contact_solves = (unsigned long long)run->motion.solves;
        (void)snprintf(message, sizeof message, "%s", run->trouble.text);
        const int code = carom_summary_tell(&summary, &run->options, run->trouble.code, message);
        if (code != run->trouble.code) {
            run->trouble = (CaromTrouble){0};
            CaromSay(&run->trouble, code, "%s", message);
        }
    }
    PetscCallMPI(MPI_Bcast(&run->trouble.code, 1, MPI_INT, 0, run->comm));
    PetscFunctionReturn(0);
}
