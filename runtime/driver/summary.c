/* The two ways of telling about a run. */
#include "summary.h"

#include "file.h"
#include "text.h"

#include <carom/driver.h>

#include <errno.h>
#include <math.h>
#include <string.h>

enum { SHOWN_MAX = 12 }; /* longer lists are cut for people: everything is in the result file */

static const char *const status_word[] = {"open", "closed", "stick", "slip"};

static void people_value(FILE *file, const char *label, double x, const char *unit)
{
    fprintf(file, "  %-20s %.10g%s%s\n", label, x, unit[0] != '\0' ? " " : "", unit);
}

static void people_more(FILE *file, int count, const char *what)
{
    if (count > SHOWN_MAX) {
        fprintf(file, "  ... and %d more %s\n", count - SHOWN_MAX, what);
    }
}

static int shown(int count) { return count < SHOWN_MAX ? count : SHOWN_MAX; }

static void people_state(FILE *file, const carom_summary *summary)
{
    const carom_model *model = summary->model;
    const carom_view *view = summary->view;
    char label[128];
    int tangent = 0;
    const int outputs = model->outputs_only ? model->outputs : shown(model->outputs); /* then they are all there is */
    for (int i = 0; i < shown(model->coordinates) && !model->outputs_only; i++) {
        people_value(file, model->coordinate[i].name, view->q[i], model->coordinate[i].unit);
    }
    people_more(file, model->outputs_only ? 0 : model->coordinates, "coordinates");
    for (int i = 0; i < shown(model->velocities) && !model->outputs_only; i++) {
        const carom_quantity *velocity = &model->velocity[i];
        (void)snprintf(label, sizeof label, "%.*s%s", (int)carom_base_length(velocity->name), velocity->name,
                       carom_is_rate(model, velocity) ? ".dot" : "");
        people_value(file, label, view->v[i], velocity->unit);
    }
    people_more(file, model->outputs_only ? 0 : model->velocities, "velocities");
    for (int i = 0; i < shown(model->contacts) && !model->outputs_only; i++) {
        (void)snprintf(label, sizeof label, "%s.impulse", model->contact[i].name);
        fprintf(file, "  %-20s %.10g (total), gap %.6g", label, view->impulse[i], view->gap[i]);
        const size_t length = strlen(model->contact[i].name);
        for (const char *before = ", friction "; tangent < model->tangents;
             before = " ") { /* in the order of their contacts */
            const char *name = model->tangent[tangent].name;
            if (strncmp(name, model->contact[i].name, length) != 0 || name[length] != '.') {
                break;
            }
            fprintf(file, "%s%.6g", before, view->friction[tangent++]);
        }
        fprintf(file, "%s%s\n", summary->contacts != NULL ? ", " : "",
                summary->contacts != NULL ? status_word[summary->contacts[i]] : "");
    }
    people_more(file, model->outputs_only ? 0 : model->contacts, "contacts");
    for (int i = 0; i < outputs; i++) {
        people_value(file, model->output[i].name, summary->outputs[i], model->output[i].unit);
    }
    people_more(file, model->outputs_only ? 0 : model->outputs, "outputs");
}

/* What the contacts and constraints did in the last step, and the deepest penetration of the run. */
static void people_contacts(FILE *file, const carom_summary *summary)
{
    const carom_model *model = summary->model;
    const carom_view *view = summary->view;
    if (summary->rows_of > 0) {
        fprintf(file, "  contacts             %d of %d press", summary->pressing, summary->rows_of);
        if (summary->sticking + summary->sliding > 0 || model->tangents > 0) {
            fprintf(file, " (%d stick, %d slide)", summary->sticking, summary->sliding);
        }
        if (view->deepest != NULL && view->deepest->contact >= 0) {
            fprintf(file, "; deepest penetration %.3g, %s at t = %.6g", view->deepest->depth,
                    model->contact[view->deepest->contact].name, view->deepest->t);
        }
        fputc('\n', file);
    }
    if (view->last != NULL && model->constraints > 0) {
        int most = 0;
        for (int i = 1; i < model->constraints; i++) {
            most = fabs(view->last[i]) > fabs(view->last[most]) ? i : most;
        }
        fprintf(file, "  constraints          greatest force of the last step %.6g, %s\n",
                view->last[most] / *view->last_step, model->constraint[most].name);
    }
}

/* Contacts that are found: which obeyed the law least, and steps that went on though it was not solved to tolerance. */
static void people_worst(FILE *file, const carom_summary *summary)
{
    const carom_counts *counts = summary->view->counts;
    char name[192];
    if (summary->model->worst == NULL) {
        return;
    }
    const carom_worst worst = summary->model->worst(summary->state, name, sizeof name);
    if (worst.a >= 0) {
        fprintf(file, "  the worst contact was off by %.2g m/s", worst.speed);
        if (worst.part > 0.0) {
            fprintf(file, ", %.2g g h", worst.part);
        }
        fprintf(file, ": %s at t = %.6g\n", name, worst.t);
    }
    if (counts->unsolved > 0) {
        fprintf(file,
                "  %llu step%s went on with contacts that were not solved to ctol: at most %.2g was left of it; "
                "strict=on stops there\n",
                counts->unsolved, counts->unsolved == 1 ? "" : "s", counts->unsolved_most);
    }
}

static void people_meshes(FILE *file, const carom_summary *summary)
{
    char label[128], text[512];
    for (int b = 0; b < summary->model->meshes; b++) {
        const carom_mesh *mesh = &summary->model->mesh[b];
        const carom_deformed *most = &summary->deformed[b];
        (void)snprintf(label, sizeof label, "mesh %s", mesh->name);
        fprintf(file, "  %-20s greatest strain %.3g, rotation %.3g degrees\n", label, most->strain,
                carom_degrees(most->rotation));
        if (mesh->linear && carom_deform_warning(most, mesh->name, text, sizeof text)) {
            fprintf(file, "  warning: %s\n", text);
        }
    }
}

void carom_summary_people(FILE *file, const carom_summary *summary)
{
    const carom_counts *counts = summary->view->counts;
    fprintf(file, "%s with %s: ", summary->model->name, summary->model->scheme);
    fprintf(file, "t = %.10g after %llu step%s of %.10g\n", *summary->view->t, summary->steps,
            summary->steps == 1 ? "" : "s", summary->step);
    if (strcmp(summary->status, "ok") != 0) {
        fprintf(file, "  %s: %s\n", summary->status, summary->message);
    }
    people_state(file, summary);
    people_contacts(file, summary);
    people_meshes(file, summary);
    if (summary->own != NULL) {
        summary->own->people(file, summary->own->data);
        fprintf(file, "  %llu contact problems; ", counts->contact_solves);
    } else {
        fprintf(file, "  %llu evaluations, %llu contact problems, %llu events; ", counts->evaluations,
                counts->contact_solves, counts->events);
    }
    fprintf(file, "%.3g s cpu", summary->cpu_seconds);
    if (summary->steps > 0) {
        fprintf(file, ", %.3g us per step", 1e6 * summary->cpu_seconds / (double)summary->steps);
    }
    fputc('\n', file);
    if (counts->painleve > 0) {
        int is_constraint = 0;
        const char *contact = carom_row_name(summary->model, counts->painleve_contact, &is_constraint);
        fprintf(file,
                "  Painleve configuration met %llu times, first at contact %s, t = %.9g: no finite force exists there, "
                "impulses "
                "were used instead\n",
                counts->painleve, contact != NULL ? contact : "?", counts->painleve_time);
    }
    people_worst(file, summary);
    if (counts->law > 1e-9) {
        fprintf(file, "  the law of contact was kept to %.2g of the speeds concerned\n", counts->law);
    }
    if (counts->frozen > 0) {
        fprintf(file,
                "  %llu step%s with contact modes that alternate or directions that turn too fast: their contacts were "
                "taken where the start of the step leads to; shorter steps are more exact there\n",
                counts->frozen, counts->frozen == 1 ? "" : "s");
    }
    if (counts->cuts > 0) {
        fprintf(file, "  %llu time%s the equations of a step were solved only after it was cut\n", counts->cuts,
                counts->cuts == 1 ? "" : "s");
    }
    if (summary->failure != NULL) {
        fprintf(file, "  the contact problem that was not solved is in %s\n", summary->failure);
    }
    if (summary->result != NULL) {
        fprintf(file, "  %llu row%s in %s\n", summary->rows, summary->rows == 1 ? "" : "s", summary->result);
    }
    if (summary->bodies != NULL) {
        fprintf(file, "  %d bodies in %s\n", summary->model->bodies, summary->bodies);
    }
    if (summary->pictures > 0) {
        fprintf(file, "  %d picture%s in %s/%s.pvd\n", summary->pictures, summary->pictures == 1 ? "" : "s",
                summary->frames_dir, summary->model->name);
    }
    if (summary->checkpoint != NULL) {
        fprintf(file, "  the state is in %s: --resume goes on from there\n", summary->checkpoint);
    }
}

/* `base`: velocities are listed under the names of their coordinates. */
static void json_values(FILE *file, const char *key, const carom_quantity *list, int count, const double *x, int base)
{
    fprintf(file, ",\"%s\":{", key);
    for (int i = 0; i < count; i++) {
        const char *name = list[i].name;
        if (i > 0) {
            fputc(',', file);
        }
        carom_json_string(file, name, base ? carom_base_length(name) : strlen(name));
        fputc(':', file);
        carom_json_number(file, x[i]);
    }
    fputc('}', file);
}

static void json_files(FILE *file, const carom_summary *summary)
{
    const char *const name[] = {"result", "bodies", "failure", "checkpoint"};
    const char *const path[] = {summary->result, summary->bodies, summary->failure, summary->checkpoint};
    const char *between = "";
    fputs(",\"files\":{", file);
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++) {
        if (path[i] != NULL) {
            fprintf(file, "%s\"%s\":", between, name[i]);
            carom_json_string(file, path[i], strlen(path[i]));
            between = ",";
        }
    }
    fputc('}', file);
}

/* Friction, status and forces of the rows, by name; only what the model has. Forces are means over the last step. */
static void json_contacts(FILE *file, const carom_summary *summary)
{
    const carom_model *model = summary->model;
    const carom_view *view = summary->view;
    const char *between = "";
    if (model->tangents > 0) {
        json_values(file, "friction", model->tangent, model->tangents, view->friction, 0);
    }
    if (summary->contacts != NULL && model->contacts > 0) {
        fputs(",\"contacts\":{", file);
        for (int i = 0; i < model->contacts; i++) {
            fputs(between, file);
            carom_json_string(file, model->contact[i].name, strlen(model->contact[i].name));
            fprintf(file, ":\"%s\"", status_word[summary->contacts[i]]);
            between = ",";
        }
        fputc('}', file);
    }
    if (view->last != NULL && model->constraints + model->contacts > 0) {
        between = "";
        fputs(",\"force\":{", file);
        for (int i = 0; i < model->constraints + model->contacts; i++) {
            int is_constraint = 0;
            const char *name = carom_row_name(model, i, &is_constraint);
            fputs(between, file);
            carom_json_string(file, name, strlen(name));
            fputc(':', file);
            carom_json_number(file, view->last[i] / *view->last_step);
            between = ",";
        }
        fputc('}', file);
    }
}

static void json_run(FILE *file, const carom_summary *summary)
{
    const carom_model *model = summary->model;
    const carom_view *view = summary->view;
    carom_json_real(file, "t", *view->t);
    fprintf(file, ",\"steps\":%llu", summary->steps);
    if (!model->outputs_only) {
        json_values(file, "q", model->coordinate, model->coordinates, view->q, 0);
        json_values(file, "v", model->velocity, model->velocities, view->v, 1);
        json_values(file, "impulse", model->contact, model->contacts, view->impulse, 0);
    }
    json_values(file, "outputs", model->output, model->outputs, summary->outputs, 0);
    if (!model->outputs_only) {
        json_contacts(file, summary);
    }
    if (view->deepest != NULL && view->deepest->contact >= 0) {
        const char *name = model->contact[view->deepest->contact].name;
        fputs(",\"deepest\":{\"contact\":", file); /* where and when */
        carom_json_string(file, name, strlen(name));
        carom_json_real(file, "depth", view->deepest->depth);
        carom_json_real(file, "t", view->deepest->t);
        fputc('}', file);
    }
    if (model->meshes > 0) {
        fputs(",\"deformation\":{", file);
        for (int b = 0; b < model->meshes; b++) {
            carom_deform_json(file, b > 0, model->mesh[b].name, &summary->deformed[b]);
        }
        fputc('}', file);
    }
    if (model->worst != NULL) {
        char name[192];
        const carom_worst worst = model->worst(summary->state, name, sizeof name);
        if (worst.a >= 0) {
            fputs(",\"worst_contact\":{\"contact\":", file);
            carom_json_string(file, name, strlen(name));
            carom_json_real(file, "speed", worst.speed);
            carom_json_real(file, "part", worst.part);
            carom_json_real(file, "t", worst.t);
            fputc('}', file);
        }
    }
    if (summary->own != NULL) {
        fprintf(file, ",\"counts\":{\"contact_solves\":%llu", view->counts->contact_solves);
        summary->own->counts(file, summary->own->data);
    } else {
        fprintf(file, ",\"counts\":{\"evaluations\":%llu,\"contact_solves\":%llu,\"events\":%llu",
                view->counts->evaluations, view->counts->contact_solves, view->counts->events);
    }
    if (view->counts->painleve > 0) {
        fprintf(file, ",\"painleve\":%llu", view->counts->painleve);
    }
    if (view->counts->law > 0.0) {
        carom_json_real(file, "law", view->counts->law);
    }
    if (view->counts->unsolved > 0) {
        fprintf(file, ",\"unsolved\":%llu", view->counts->unsolved);
        carom_json_real(file, "unsolved_most", view->counts->unsolved_most);
    }
    if (view->counts->frozen > 0) {
        fprintf(file, ",\"frozen\":%llu", view->counts->frozen);
    }
    if (view->counts->cuts > 0) {
        fprintf(file, ",\"cuts\":%llu", view->counts->cuts);
    }
    fputc('}', file);
    carom_json_real(file, "cpu_seconds", summary->cpu_seconds);
    carom_json_real(file, "wall_seconds", summary->wall_seconds);
    carom_json_real(file, "step", summary->step);
    fprintf(file, ",\"unknowns\":%llu,\"ranks\":%d", summary->unknowns, summary->ranks);
    if (summary->own != NULL) {
        summary->own->json(file, summary->own->data);
    }
    json_files(file, summary);
}

void carom_summary_json(FILE *file, const carom_summary *summary)
{
    fputs("{\"model\":", file);
    carom_json_string(file, summary->model->name, strlen(summary->model->name));
    carom_json_text(file, "scheme", summary->model->scheme);
    carom_json_text(file, "status", summary->status);
    if (strcmp(summary->status, "ok") != 0) {
        carom_json_text(file, "message", summary->message);
    }
    if (summary->row != NULL) {
        carom_json_text(file, summary->is_constraint ? "constraint" : "contact", summary->row);
    }
    if (strcmp(summary->status, "error") == 0 &&
        (summary->row != NULL || (summary->view != NULL && summary->own == NULL))) {
        carom_json_real(file, "residual", summary->info.residual);
    }
    if (summary->view != NULL) { /* also of a step that failed: where it started from */
        json_run(file, summary);
    }
    fputs("}\n", file);
}

int carom_cannot_write(char *message, const char *file)
{
    (void)snprintf(message, CAROM_MESSAGE_SIZE, "cannot write %s: %s", file, strerror(errno));
    return CAROM_EXIT_ENVIRONMENT;
}

/* Writes one of the two forms of the summary to a file; 0 when good. */
static int write_summary(const char *path, void (*tell)(FILE *, const carom_summary *), const carom_summary *summary)
{
    carom_file file;
    if (carom_file_open(&file, path) != 0) {
        return -1;
    }
    tell(file.stream, summary);
    return carom_file_keep(&file);
}

static const char *status_of(int code)
{
    return code == CAROM_EXIT_GOOD ? "ok" : code >= 128 ? "interrupted" : "error";
}

int carom_summary_tell(carom_summary *summary, const carom_options *options, int code, char *message)
{
    const carom_model *model = summary->model;
    const int began = summary->view != NULL;
    summary->message = message;
    summary->status = status_of(code);
    if (began && options->report != NULL && write_summary(options->report, carom_summary_people, summary) != 0) {
        code = carom_cannot_write(message, options->report);
        summary->status = status_of(code);
    }
    if (options->record != NULL && write_summary(options->record, carom_summary_json, summary) != 0) {
        code = carom_cannot_write(message, options->record);
        summary->status = status_of(code);
    }
    if (options->json) {
        char text[512];
        carom_summary_json(stdout, summary);
        for (int b = 0; b < model->meshes && began && !options->quiet; b++) {
            const carom_mesh *mesh = &model->mesh[b];
            if (mesh->linear && carom_deform_warning(&summary->deformed[b], mesh->name, text, sizeof text)) {
                fprintf(stderr, "carom: warning: %s\n", text);
            }
        }
    } else {
        if (code != CAROM_EXIT_GOOD) {
            fprintf(stderr, "carom: %s%s\n", code >= 128 ? "" : "error: ", message);
        }
        if (began && !options->quiet) {
            const int to_stderr = options->result != NULL && strcmp(options->result, "-") == 0;
            carom_summary_people(to_stderr ? stderr : stdout, summary);
        }
    }
    return code;
}
