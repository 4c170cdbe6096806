/* What is said about a run: words for people, one json object for programs. */
#define _XOPEN_SOURCE 700

#include "run.h"

#include "../driver/file.h"
#include "../driver/text.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct {
    const char *status;
    PetscReal memory;    /* bytes of all ranks */
    PetscReal cpu;       /* seconds in steps, all ranks */
    PetscReal most[3];   /* seconds in steps of the rank that took longest: cpu, that without the system, clock */
    PetscReal imbalance; /* its size, relative to what acted; NaN: not known */
    PetscInt64 doubled;
    PetscInt cells;
} Figures;

static PetscErrorCode gather_figures(CaromRun *run, int code, PetscBool began, Figures *figures)
{
    struct rusage usage;
    PetscReal mine[3], all[2];
    PetscFunctionBeginUser;
    *figures = (Figures){.status = code == 0 ? "ok" : code >= 128 ? "interrupted" : "error"};
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
    if (began) {
        PetscBool broken;
        PetscCall(CaromMotionBalance(&run->motion, &figures->imbalance, &broken));
        for (PetscInt b = 0; b < run->space.mesh.bodies; b++) {
            figures->cells += run->space.mesh.body[b].total;
        }
    }
    PetscFunctionReturn(0);
}

static void people(FILE *file, const CaromRun *run, const Figures *f)
{
    const carom_large *model = run->model;
    const CaromMotion *motion = &run->motion;
    const PetscReal steps = (PetscReal)PetscMax(run->step, 1),
                    dof = (PetscReal)run->space.mesh.total * (PetscReal)run->space.d;
    fprintf(file, "%s, %s: t = %.10g after %lld step%s of %.10g (CFL %.3g)\n", model->name, model->scheme.text,
            motion->t, (long long)run->step, run->step == 1 ? "" : "s", run->h, run->cfl);
    if (run->trouble.code != 0) {
        fprintf(file, "  %s: %s\n", f->status, run->trouble.text);
    }
    fprintf(file, "  %.0f unknowns, %d cells, %d rank%s, contact solver: %s\n", dof, (int)f->cells, run->ranks,
            run->ranks == 1 ? "" : "s", run->scheme.solver(run->scheme.data));
    fprintf(file, "  kinetic energy %.9g, elastic energy %.9g, at the start together %.9g\n", run->kinetic,
            run->elastic, run->energy0);
    for (int s = 0; s < CaromMeetings(model); s++) {
        const CaromTotal *total = &run->obstacles.total[s];
        fprintf(file, "  %s: %d nodes in contact, impulse %.9g\n", CaromMeetingOf(model, s).name, (int)total->closed,
                total->total);
    }
    if (CaromMeetings(model) > 0) {
        fprintf(file, "  contacts: %d nodes press (%d stick)", (int)motion->info.closed, (int)motion->info.sticking);
        if (motion->deepest.contact >= 0) {
            fprintf(file, "; deepest penetration %.3g, %s at t = %.6g", motion->deepest.depth,
                    CaromMeetingOf(model, motion->deepest.contact).name, motion->deepest.t);
        }
        fputc('\n', file);
    }
    for (int s = 0; s < model->fixes; s++) {
        const PetscReal *force = &run->held[3 * s];
        if (CaromSupport(model, s) == s) {
            fprintf(file, "  %s.%s: reaction in the last step (%.9g, %.9g, %.9g)\n",
                    model->body[model->fix[s].body].name, model->fix[s].boundary, force[0], force[1], force[2]);
        }
    }
    for (int b = 0; b < model->bodies; b++) {
        char text[512];
        fprintf(file, "  %s: greatest strain %.3g, rotation %.3g degrees\n", model->body[b].name,
                run->deformed[b].strain, carom_degrees(run->deformed[b].rotation));
        if (model->body[b].linear && carom_deform_warning(&run->deformed[b], model->body[b].name, text, sizeof text)) {
            fprintf(file, "  warning: %s\n", text);
        }
    }
    if (motion->unbalanced) {
        fputs("  momentum balance: not summed up with supports or mass damping\n", file);
    } else {
        fprintf(file, "  momentum balance: off by %.2g of what acted\n", f->imbalance);
    }
    fprintf(file,
            "  contact problems: %lld, products with the operator %.4g per step, worst residual %.2g of the target, "
            "not solved %lld\n",
            (long long)motion->solves, (PetscReal)motion->products / steps, motion->worst, (long long)motion->unsolved);
    fprintf(file, "  law of contact at the end of each step: at worst %.2g of its tolerance, broken in %lld steps\n",
            motion->law_worst, (long long)motion->law_broken);
    if (f->doubled > 0) {
        fprintf(file, "  %lld times a node met two obstacles in one step; the nearer was taken\n",
                (long long)f->doubled);
    }
    fprintf(file,
            "  %.3g s cpu on all ranks, %.3g s per step, %.3g million unknowns x steps per second of cpu, %.3g GB of "
            "memory\n",
            f->cpu, f->cpu / steps, f->cpu > 0 ? 1e-6 * dof * steps / f->cpu : 0.0, 1e-9 * f->memory);
    if (run->options.result != NULL && strcmp(run->options.result, "-") != 0) {
        fprintf(file, "  %lld rows in %s\n", (long long)run->rows, run->options.result);
    }
    if (run->pictures > 0) {
        fprintf(file, "  %d pictures in %s/%s.pvd\n", (int)run->pictures, run->options.frames_dir, model->name);
    }
}

static void json_text(FILE *file, const char *key, const char *text)
{
    fprintf(file, ",\"%s\":", key);
    carom_json_string(file, text, strlen(text));
}

static void json_real(FILE *file, const char *key, PetscReal x)
{
    fprintf(file, ",\"%s\":", key);
    carom_json_number(file, x);
}

static void json(FILE *file, const CaromRun *run, const Figures *f, PetscBool began)
{
    const carom_large *model = run->model;
    fputs("{\"model\":", file);
    carom_json_string(file, model->name, strlen(model->name));
    json_text(file, "scheme", model->scheme.text);
    json_text(file, "status", f->status);
    if (run->trouble.code != 0) {
        json_text(file, "message", run->trouble.text);
    }
    if (began) {
        json_real(file, "t", run->motion.t);
        fprintf(file, ",\"steps\":%lld,\"unknowns\":%lld,\"ranks\":%d", (long long)run->step,
                (long long)run->space.mesh.total * run->space.d, run->ranks);
        json_real(file, "step", run->h);
        json_real(file, "cfl", run->cfl);
        json_real(file, "kinetic", run->kinetic);
        json_real(file, "elastic", run->elastic);
        fputs(",\"impulse\":{", file);
        for (int s = 0; s < CaromMeetings(model); s++) {
            fputs(s > 0 ? "," : "", file);
            const char *name = CaromMeetingOf(model, s).name;
            carom_json_string(file, name, strlen(name));
            fputc(':', file);
            carom_json_number(file, run->obstacles.total[s].total);
        }
        fputs("},\"reaction\":{", file);
        const char *between = "";
        for (int s = 0; s < model->fixes; s++) {
            for (int c = 0; c < model->dimension && CaromSupport(model, s) == s; c++) {
                fprintf(file, "%s\"%s.%s.%c\":", between, model->body[model->fix[s].body].name, model->fix[s].boundary,
                        "xyz"[c]);
                carom_json_number(file, run->held[3 * s + c]);
                between = ",";
            }
        }
        if (run->motion.deepest.contact >= 0) {
            const char *name = CaromMeetingOf(model, run->motion.deepest.contact).name;
            fputs("},\"deepest\":{\"contact\":", file);
            carom_json_string(file, name, strlen(name));
            json_real(file, "depth", run->motion.deepest.depth);
            json_real(file, "t", run->motion.deepest.t);
        }
        fprintf(file, "},\"counts\":{\"contact_solves\":%lld,\"products\":%lld,\"unsolved\":%lld,\"law_broken\":%lld}",
                (long long)run->motion.solves, (long long)run->motion.products, (long long)run->motion.unsolved,
                (long long)run->motion.law_broken);
        json_real(file, "law_worst", run->motion.law_worst);
        fputs(",\"deformation\":{", file);
        for (int b = 0; b < model->bodies; b++) {
            carom_deform_json(file, b > 0, model->body[b].name, &run->deformed[b]);
        }
        fputc('}', file);
        json_text(file, "solver", run->scheme.solver(run->scheme.data));
        if (!run->motion.unbalanced) {
            json_real(file, "momentum_imbalance", f->imbalance);
        }
        json_real(file, "cpu_seconds", f->cpu);
        json_real(file, "rank_cpu_seconds", f->most[0]);
        json_real(file, "rank_user_seconds", f->most[1]);
        json_real(file, "wall_seconds", f->most[2]);
        json_real(file, "memory_bytes", f->memory);
        fputs(",\"files\":{", file);
        if (run->options.result != NULL && strcmp(run->options.result, "-") != 0) {
            fputs("\"result\":", file);
            carom_json_string(file, run->options.result, strlen(run->options.result));
        }
        fputc('}', file);
    }
    fputs("}\n", file);
}

PetscErrorCode CaromReport(CaromRun *run, int code, PetscBool began)
{
    Figures figures;
    PetscFunctionBeginUser;
    PetscCall(gather_figures(run, code, began, &figures));
    if (run->rank == 0) {
        const char *const path[2] = {run->options.record, began ? run->options.report : NULL};
        for (int k = 0; k < 2; k++) {
            carom_file file;
            if (path[k] == NULL) {
                continue;
            }
            int bad = carom_file_open(&file, path[k]);
            if (bad == 0) {
                if (k == 0) {
                    json(file.stream, run, &figures, began);
                } else {
                    people(file.stream, run, &figures);
                }
                if (file.temporary != NULL && fflush(file.stream) == 0) {
                    (void)fsync(fileno(file.stream)); /* before it gets its name */
                }
                bad = carom_file_keep(&file);
            }
            if (bad != 0) {
                fprintf(stderr, "carom: error: cannot write %s: %s\n", path[k], strerror(errno));
                CaromSay(&run->trouble, 3, "cannot write %s", path[k]);
                figures.status = code == 0 ? "error" : figures.status;
            }
        }
        if (run->options.json) {
            char text[512];
            json(stdout, run, &figures, began);
            for (int b = 0; b < run->model->bodies && began && !run->options.quiet; b++) {
                const carom_body *body = &run->model->body[b];
                if (body->linear && carom_deform_warning(&run->deformed[b], body->name, text, sizeof text)) {
                    fprintf(stderr, "carom: warning: %s\n", text);
                }
            }
        } else {
            const PetscBool to_stderr =
                (PetscBool)(run->options.result != NULL && strcmp(run->options.result, "-") == 0);
            if (code != 0) {
                fprintf(stderr, "carom: %s%s\n", code >= 128 ? "" : "error: ", run->trouble.text);
            }
            if (began && !run->options.quiet) {
                people(to_stderr ? stderr : stdout, run, &figures);
            }
        }
    }
    PetscFunctionReturn(0);
}
