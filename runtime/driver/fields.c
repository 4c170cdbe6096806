/* See fields.h. */
#include "fields.h"

#include "stress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS = 7, MOST = 3 * 8 }; /* the components of a stress and the weight; displacements of a cell */

static int nodes_of(const carom_mesh *mesh)
{
    int count = 0;
    for (int i = 0; i < mesh->cells * mesh->cell_nodes; i++) {
        count = mesh->cell[i] + 1 > count ? mesh->cell[i] + 1 : count;
    }
    return count;
}

static double *room(size_t count) { return calloc(count + 1, sizeof(double)); }

int carom_fields_open(carom_fields *fields, const carom_model *model)
{
    size_t nodes = 0, cells = 0, most = 0, block = 0, entries = 0;
    *fields = (carom_fields){.model = model};
    fields->nodes = calloc((size_t)model->meshes + 1, sizeof *fields->nodes);
    fields->mises = calloc((size_t)model->meshes + 1, sizeof *fields->mises);
    fields->status = calloc((size_t)model->contacts + 1, sizeof *fields->status);
    int good = fields->nodes != NULL && fields->mises != NULL && fields->status != NULL;
    for (int b = 0; b < model->meshes && good; b++) {
        const size_t here = (size_t)nodes_of(&model->mesh[b]), of = (size_t)model->mesh[b].cells;
        fields->nodes[b] = (int)here;
        nodes += here;
        cells += of;
        most = here > most ? here : most;
        entries += of * (size_t)model->mesh[b].cell_nodes;
        block = of * (size_t)model->mesh[b].cell_nodes > block ? of * (size_t)model->mesh[b].cell_nodes : block;
        fields->mises[b] = room(here);
        good = fields->mises[b] != NULL;
    }
    const size_t all = (size_t)model->displaced;
    /* the largest array of a picture: three of a node, six of a cell, the nodes of all cells */
    const size_t out = 3 * nodes > 6 * cells ? 3 * nodes : 6 * cells;
    fields->principal = room(3 * nodes);
    fields->stress = room(6 * cells);
    fields->u = room(all);
    fields->velocity = room(all);
    fields->reaction = room(all);
    fields->force = room(4 * (size_t)model->mesh_contacts);
    fields->sum = room(SUMS * most);
    fields->weight = room(block);
    fields->block = room(out > entries ? out : entries);
    good = good && fields->principal != NULL && fields->stress != NULL && fields->u != NULL &&
           fields->velocity != NULL && fields->reaction != NULL && fields->force != NULL && fields->sum != NULL &&
           fields->weight != NULL && fields->block != NULL;
    return good ? 0 : -1;
}

void carom_fields_free(carom_fields *fields)
{
    for (int b = 0; fields->model != NULL && fields->mises != NULL && b < fields->model->meshes; b++) {
        free(fields->mises[b]);
    }
    free(fields->nodes);
    free(fields->mises);
    free(fields->status);
    free(fields->principal);
    free(fields->stress);
    free(fields->u);
    free(fields->velocity);
    free(fields->reaction);
    free(fields->force);
    free(fields->sum);
    free(fields->weight);
    free(fields->block);
    *fields = (carom_fields){0};
}

void carom_fields_stress(carom_fields *fields, const void *state)
{
    const carom_model *model = fields->model;
    double *stress = fields->stress, *principal = fields->principal;
    model->displacements(state, fields->u);
    for (int b = 0; b < model->meshes; b++) {
        const carom_mesh *mesh = &model->mesh[b];
        model->mesh_stress(state, b, fields->u, stress, fields->weight);
        memset(fields->sum, 0, SUMS * (size_t)fields->nodes[b] * sizeof *fields->sum);
        for (int i = 0; i < mesh->cells * mesh->cell_nodes; i++) {
            double *const sum = fields->sum + (size_t)SUMS * (size_t)mesh->cell[i];
            const double *const here = stress + (size_t)6 * (size_t)(i / mesh->cell_nodes);
            for (int c = 0; c < SUMS; c++) {
                sum[c] += fields->weight[i] * (c < 6 ? here[c] : 1.0);
            }
        }
        for (int i = 0; i < fields->nodes[b]; i++) {
            const double *const sum = fields->sum + (size_t)SUMS * (size_t)i;
            double mean[6];
            for (int c = 0; c < 6; c++) {
                mean[c] = sum[6] > 0.0 ? sum[c] / sum[6] : 0.0;
            }
            fields->mises[b][i] = carom_stress_mises(mean);
            carom_stress_principal(mean, principal + (size_t)3 * (size_t)i);
        }
        stress += (size_t)6 * (size_t)mesh->cells;
        principal += (size_t)3 * (size_t)fields->nodes[b];
    }
}

void carom_fields_deform(carom_fields *fields, const void *state, double t, carom_deformed *most)
{
    const carom_model *model = fields->model;
    double X[MOST], u[MOST];
    if (model->meshes > 0) {
        model->displacements(state, fields->u);
    }
    for (int b = 0; b < model->meshes; b++) {
        const carom_mesh *mesh = &model->mesh[b];
        const int d = mesh->dimension, n = mesh->cell_nodes;
        for (int e = 0; e < mesh->cells; e++) {
            for (int i = 0; i < n * d; i++) {
                const int at = d * mesh->cell[n * e + i / d] + i % d;
                X[i] = mesh->X[at];
                u[i] = fields->u[mesh->dof[at]];
            }
            carom_deform_cell(&most[b], d, n, X, u, t);
        }
    }
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

typedef struct {
    carom_vtu vtu;
    const carom_fields *fields;
    int points, cells;
} Picture;

static void put(Picture *picture, const char *type, const char *name, int components, const void *data, size_t bytes)
{
    carom_vtu_array(&picture->vtu, type, name, components, bytes);
    carom_vtu_bytes(&picture->vtu, data, bytes);
    carom_vtu_end(&picture->vtu);
}

static void put_numbers(Picture *picture, const char *name, int components, const double *data, int count)
{
    put(picture, "Float64", name, components, data, (size_t)(components * count) * sizeof *data);
}

/* A vector of all displacements, or (NULL) the places of the nodes, as three components of every point. */
static void put_vector(Picture *picture, const char *name, const double *x)
{
    const carom_model *model = picture->fields->model;
    double *out = picture->fields->block;
    for (int b = 0; b < model->meshes; b++) {
        const carom_mesh *mesh = &model->mesh[b];
        for (int i = 0; i < picture->fields->nodes[b]; i++) {
            for (int k = 0; k < 3; k++) {
                const int at = mesh->dimension * i + k;
                *out++ = k >= mesh->dimension ? 0.0 : x != NULL ? x[mesh->dof[at]] : mesh->X[at];
            }
        }
    }
    put_numbers(picture, name, 3, picture->fields->block, picture->points);
}

static int first_of(const carom_fields *fields, int b)
{
    int first = 0;
    for (int i = 0; i < b; i++) {
        first += fields->nodes[i];
    }
    return first;
}

/* Of contacts: pressure, status (0 open, 1 closed, 2 sticking), traction; a node has that which presses most. */
static void put_contacts(Picture *picture)
{
    static const char *const name[3] = {"contact pressure", "contact status", "contact traction"};
    const carom_fields *fields = picture->fields;
    const carom_model *model = fields->model;
    for (int field = 0; field < 3; field++) {
        const int components = field < 2 ? 1 : 3;
        double *const out = fields->block;
        memset(out, 0, (size_t)(components * picture->points) * sizeof *out);
        for (int i = 0; i < model->mesh_contacts; i++) {
            const carom_mesh_contact *const of = &model->mesh_contact[i];
            const double *const force = fields->force + (size_t)4 * (size_t)i; /* the normal one, and the vector */
            double *const here = out + (size_t)components * (size_t)(first_of(fields, of->mesh) + of->node);
            if (force[0] > 0.0) {
                const int status = fields->status[of->contact] == CAROM_CONTACT_STICK ? 2 : 1;
                for (int k = 0; k < 3 && field == 2; k++) {
                    here[k] += force[1 + k] / of->area;
                }
                *here = field == 0 ? *here + force[0] / of->area : field == 1 ? fmax(*here, status) : *here;
            }
        }
        put_numbers(picture, name[field], components, out, picture->points);
    }
}

static void put_cells(Picture *picture)
{
    const carom_fields *fields = picture->fields;
    const carom_model *model = fields->model;
    int64_t *out = (int64_t *)(void *)fields->block, end = 0;
    uint8_t *types = (uint8_t *)(void *)fields->block;
    carom_vtu_text(&picture->vtu, "<Cells>\n");
    for (int b = 0, first = 0; b < model->meshes; first += fields->nodes[b], b++) {
        for (int i = 0; i < model->mesh[b].cells * model->mesh[b].cell_nodes; i++) {
            *out++ = first + model->mesh[b].cell[i];
        }
    }
    put(picture, "Int64", "connectivity", 1, fields->block, (size_t)((char *)out - (char *)fields->block));
    out = (int64_t *)(void *)fields->block;
    for (int b = 0; b < model->meshes; b++) {
        for (int e = 0; e < model->mesh[b].cells; e++) {
            *out++ = end += model->mesh[b].cell_nodes;
        }
    }
    put(picture, "Int64", "offsets", 1, fields->block, (size_t)picture->cells * sizeof *out);
    for (int b = 0; b < model->meshes; b++) {
        for (int e = 0; e < model->mesh[b].cells; e++) {
            *types++ = carom_vtu_cell(model->mesh[b].dimension, model->mesh[b].cell_nodes);
        }
    }
    put(picture, "UInt8", "types", 1, fields->block, (size_t)picture->cells);
    carom_vtu_text(&picture->vtu, "</Cells>\n");
}

static void put_stresses(Picture *picture)
{
    const carom_fields *fields = picture->fields;
    memcpy(fields->block, fields->stress, (size_t)(6 * picture->cells) * sizeof *fields->block);
    for (int e = 0; e < picture->cells; e++) {
        carom_stress_order(fields->block + (size_t)6 * (size_t)e);
    }
    put_numbers(picture, "stress", 6, fields->block, picture->cells);
}

static void put_mises(Picture *picture)
{
    const carom_fields *fields = picture->fields;
    for (int b = 0, first = 0; b < fields->model->meshes; first += fields->nodes[b], b++) {
        memcpy(fields->block + first, fields->mises[b], (size_t)fields->nodes[b] * sizeof *fields->block);
    }
    put_numbers(picture, "von Mises stress", 1, fields->block, picture->points);
}

static int take(carom_fields *fields, const void *state, const char *dir, int k)
{
    const carom_model *model = fields->model;
    Picture picture = {.fields = fields};
    if (carom_vtu_open(&picture.vtu, dir, model->name, k) != 0) {
        return -1;
    }
    for (int b = 0; b < model->meshes; b++) {
        picture.points += fields->nodes[b];
        picture.cells += model->mesh[b].cells;
    }
    model->mesh_motion(state, fields->velocity, fields->reaction);
    if (model->mesh_contacts > 0) {
        model->mesh_forces(state, fields->force);
        model->contact_status(state, fields->status);
    }
    carom_fields_stress(fields, state);
    carom_vtu_piece(&picture.vtu, picture.points, picture.cells);
    carom_vtu_text(&picture.vtu, "<Points>\n");
    put_vector(&picture, "Points", NULL);
    carom_vtu_text(&picture.vtu, "</Points>\n");
    put_cells(&picture);
    carom_vtu_text(&picture.vtu, "<PointData>\n");
    put_vector(&picture, "displacement", fields->u);
    put_vector(&picture, "velocity", fields->velocity);
    put_contacts(&picture);
    put_vector(&picture, "reaction", fields->reaction);
    put_mises(&picture);
    put_numbers(&picture, "principal stresses", 3, fields->principal, picture.points);
    carom_vtu_text(&picture.vtu, "</PointData>\n<CellData>\n");
    put_stresses(&picture);
    carom_vtu_text(&picture.vtu, "</CellData>\n");
    return carom_vtu_keep(&picture.vtu);
}

typedef struct {
    const carom_steps *steps;
    unsigned long long count;
} Times;

static double time_of(const void *run, int k)
{
    const Times *times = run;
    return carom_vtu_time(times->steps, times->count, k);
}

int carom_pictures_take(carom_pictures *pictures, carom_fields *fields, const void *state, const carom_steps *steps)
{
    const Times times = {steps, pictures->count};
    int code = 0;
    for (; carom_vtu_due(steps, pictures->count, pictures->made) && code == 0; pictures->made++) {
        code = take(fields, state, pictures->dir, pictures->made);
        if (code == 0) {
            code = carom_vtu_list(pictures->dir, fields->model->name, pictures->made + 1, time_of, &times);
        }
    }
    return code;
}
