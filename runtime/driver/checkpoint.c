/* Checkpoints: the head that all of them have, and those of runs of a carom_model. */
#include "checkpoint.h"

#include "file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[16] = "carom state 4\n";

void carom_saved_head_make(carom_saved_head *head, const carom_model *model, carom_place place,
                           const carom_steps *steps, double t, double cpu)
{
    memset(head, 0, sizeof *head); /* gaps between the fields count in the checksum */
    memcpy(head->magic, magic, sizeof magic);
    (void)snprintf(head->digest, sizeof head->digest, "%s%.65s", place == CAROM_ON_PETSC ? "PETSc " : "host  ",
                   model->digest);
    head->parameters = model->parameters;
    head->step = (int64_t)steps->step;
    head->t = t;
    head->h = steps->h;
    head->cpu = cpu;
}

uint64_t carom_saved_sum(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, byte + i, size - i < sizeof word ? size - i : sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

int carom_saved_belongs(const char *path, const carom_saved_head *is, const carom_saved_head *want,
                        const carom_model *model, const double *parameter, const double *wanted, char *message)
{
#define REFUSE(...) return (void)snprintf(message, CAROM_MESSAGE_SIZE, __VA_ARGS__), 0
    if (memcmp(is->magic, magic, sizeof magic) != 0) {
        REFUSE("%s is not a checkpoint", path);
    }
    if (strncmp(is->digest, want->digest, 6) != 0) {
        REFUSE("%s is of a run %s PETSc; take the same --path", path, is->digest[0] == 'P' ? "on" : "without");
    }
    if (strncmp(is->digest, want->digest, sizeof is->digest) != 0 || is->parameters != want->parameters) {
        REFUSE("%s belongs to another model or scheme", path);
    }
    for (int i = 0; i < model->parameters; i++) {
        if (!(parameter[i] >= wanted[i] && parameter[i] <= wanted[i])) {
            REFUSE("%s has %s = %.17g, this run has %.17g", path, model->parameter[i].name, parameter[i], wanted[i]);
        }
    }
    if (is->h < want->h || is->h > want->h) {
        REFUSE("%s has step %.17g, this run has %.17g; say --step %.17g", path, is->h, want->h, is->h);
    }
    return 1;
}

void carom_saved_refuse(const char *path, carom_saved_fault fault, char *message)
{
    static const char *const said[] = {
        [CAROM_SAVED_UNREADABLE] = "cannot read the checkpoint %s",
        [CAROM_SAVED_SHORT] = "%s is not a whole checkpoint",
        [CAROM_SAVED_DAMAGED] = "%s is damaged: its checksum is not that of what it holds; go on from an earlier one",
        [CAROM_SAVED_IMPOSSIBLE] =
            "%s holds a value that is infinite, not a number, or impossible; go on from an earlier one",
    };
    (void)snprintf(message, CAROM_MESSAGE_SIZE, said[fault], path);
}

/* ---- of a carom_model -------------------------------------------------------------------------------------------- */

typedef struct {
    carom_saved_head head;
    int64_t state, inside;
    double start, target;
    uint64_t began;
} Header;

enum { PIECES = 4 };

typedef struct {
    void *data;
    size_t size;
} Piece;

/* What the file holds, in this order. */
static void pieces_of(const carom_saved *saved, Header *header, double *params, Piece *piece)
{
    piece[0] = (Piece){header, sizeof *header};
    piece[1] = (Piece){params, sizeof(double) * (size_t)saved->model->parameters};
    piece[2] = (Piece){saved->deformed, sizeof(carom_deformed) * (size_t)saved->model->meshes};
    piece[3] = (Piece){saved->state, saved->model->state_size};
}

static uint64_t sum_up(const Header *header, const Piece *piece)
{
    Header plain;
    memcpy(&plain, header, sizeof plain);
    plain.head.checksum = 0;
    uint64_t sum = carom_saved_sum(1, &plain, sizeof plain);
    for (int k = 1; k < PIECES; k++) {
        sum = carom_saved_sum(sum, piece[k].data, piece[k].size);
    }
    return sum;
}

static int places(const carom_model *model) { return model->bodies > 0 ? 7 * model->bodies : model->coordinates; }
static int speeds(const carom_model *model) { return model->bodies > 0 ? 6 * model->bodies : model->velocities; }

uint64_t carom_saved_start(const carom_model *model, void *state)
{
    carom_view view;
    model->view(state, &view);
    uint64_t sum = carom_saved_sum(1, view.t, sizeof *view.t);
    sum = carom_saved_sum(sum, view.q, sizeof *view.q * (size_t)places(model));
    sum = carom_saved_sum(sum, view.v, sizeof *view.v * (size_t)speeds(model));
    return carom_saved_sum(sum, view.input, sizeof *view.input * (size_t)model->inputs);
}

static int is_finite(const carom_model *model, void *state)
{
    carom_view view;
    model->view(state, &view);
    int good = isfinite(*view.t);
    for (int i = 0; i < places(model); i++) {
        good = good && isfinite(view.q[i]);
    }
    for (int i = 0; i < speeds(model); i++) {
        good = good && isfinite(view.v[i]);
    }
    return good;
}

static void describe(const carom_saved *saved, Header *header)
{
    carom_view view;
    saved->model->view(saved->state, &view);
    memset(header, 0, sizeof *header);
    carom_saved_head_make(&header->head, saved->model, CAROM_ON_HOST, saved->steps, *view.t, *saved->cpu);
    header->state = (int64_t)saved->model->state_size;
    header->inside = *saved->inside;
    header->start = saved->steps->start;
    header->target = *saved->target;
    header->began = saved->start;
}

int carom_saved_write(const char *path, const carom_saved *saved)
{
    Header header;
    Piece piece[PIECES];
    carom_file file;
    if (!is_finite(saved->model, saved->state)) {
        errno = EDOM;
        return -1;
    }
    describe(saved, &header);
    pieces_of(saved, &header, saved->params, piece);
    header.head.checksum = sum_up(&header, piece);
    if (carom_file_open_lasting(&file, path) != 0) {
        return -1;
    }
    for (int k = 0; k < PIECES; k++) {
        (void)fwrite(piece[k].data, 1, piece[k].size, file.stream);
    }
    const int why = carom_file_settle(&file) != 0 ? errno : 0;
    file.lasting = 0; /* half of a state is of no use */
    if (why != 0) {
        carom_file_drop(&file);
        errno = why;
        return -1;
    }
    return carom_file_keep(&file);
}

/* Reads the pieces of a file that belongs to this run; 0 when good. */
static int read_pieces(FILE *file, const char *path, carom_saved *saved, double *params, char *message)
{
    const carom_model *model = saved->model;
    Header header = {.state = 0}, want;
    Piece piece[PIECES];
    describe(saved, &want);
    pieces_of(saved, &header, params, piece);
    for (int k = 0; k < 2; k++) {
        if (fread(piece[k].data, 1, piece[k].size, file) != piece[k].size) {
            carom_saved_refuse(path, CAROM_SAVED_SHORT, message);
            return -1;
        }
    }
    if (!carom_saved_belongs(path, &header.head, &want.head, model, params, saved->params, message)) {
        return -1;
    }
    if (header.state != want.state) {
        (void)snprintf(message, CAROM_MESSAGE_SIZE, "%s is of this model in another form; give the same --form", path);
        return -1;
    }
    if (header.began != want.began) {
        (void)snprintf(message, CAROM_MESSAGE_SIZE,
                       "%s is of a run with other initial values or inputs; give the same --set", path);
        return -1;
    }
    for (int k = 2; k < PIECES; k++) {
        if (fread(piece[k].data, 1, piece[k].size, file) != piece[k].size) {
            carom_saved_refuse(path, CAROM_SAVED_SHORT, message);
            return -1;
        }
    }
    if (fgetc(file) != EOF) {
        carom_saved_refuse(path, CAROM_SAVED_SHORT, message);
        return -1;
    }
    if (sum_up(&header, piece) != header.head.checksum) {
        carom_saved_refuse(path, CAROM_SAVED_DAMAGED, message);
        return -1;
    }
    if (!is_finite(model, saved->state) || header.head.step < 0 || !isfinite(header.target) ||
        !isfinite(header.start)) {
        carom_saved_refuse(path, CAROM_SAVED_IMPOSSIBLE, message);
        return -1;
    }
    saved->steps->step = (unsigned long long)header.head.step;
    saved->steps->start = header.start;
    *saved->inside = header.inside != 0;
    *saved->target = header.target;
    *saved->cpu = header.head.cpu;
    return 0;
}

int carom_saved_read(const char *path, carom_saved *saved, char *message)
{
    FILE *file = fopen(path, "rb");
    double *params = calloc((size_t)saved->model->parameters + 1, sizeof *params);
    int status = -1;
    if (file == NULL) {
        carom_saved_refuse(path, CAROM_SAVED_UNREADABLE, message);
    } else if (params == NULL) {
        (void)snprintf(message, CAROM_MESSAGE_SIZE, "out of memory");
    } else {
        status = read_pieces(file, path, saved, params, message);
    }
    free(params);
    if (file != NULL) {
        (void)fclose(file);
    }
    return status;
}
