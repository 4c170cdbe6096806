/* See vtu.h. */
#define _XOPEN_SOURCE 700

#include "vtu.h"

#include <stdio.h>
#include <sys/stat.h>

static const char *const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_letters(carom_vtu *vtu, int letters)
{
    const unsigned char *b = vtu->byte;
    char out[4] = {digits[b[0] >> 2], digits[(b[0] & 3) << 4 | b[1] >> 4], digits[(b[1] & 15) << 2 | b[2] >> 6],
                   digits[b[2] & 63]};
    for (int i = letters; i < 4; i++) {
        out[i] = '=';
    }
    if (vtu->file.stream != NULL) {
        (void)fwrite(out, 1, 4, vtu->file.stream);
    }
    vtu->count = 0;
}

void carom_vtu_bytes(carom_vtu *vtu, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) {
        vtu->byte[vtu->count++] = byte[i];
        if (vtu->count == 3) {
            put_letters(vtu, 4);
        }
    }
}

void carom_vtu_text(carom_vtu *vtu, const char *text)
{
    if (vtu->file.stream != NULL) {
        (void)fputs(text, vtu->file.stream);
    }
}

void carom_vtu_array(carom_vtu *vtu, const char *type, const char *name, int components, uint64_t bytes)
{
    char start[160];
    (void)snprintf(start, sizeof start,
                   "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", type, name,
                   components);
    carom_vtu_text(vtu, start);
    vtu->count = 0;
    carom_vtu_bytes(vtu, &bytes, sizeof bytes);
}

void carom_vtu_end(carom_vtu *vtu)
{
    const int count = vtu->count;
    for (int i = count; i < 3; i++) {
        vtu->byte[i] = 0;
    }
    if (count > 0) {
        put_letters(vtu, count + 1);
    }
    carom_vtu_text(vtu, "\n</DataArray>\n");
}

uint8_t carom_vtu_cell(int dimension, int nodes)
{
    return dimension == 1 ? 3 : dimension == 2 ? (nodes == 3 ? 5 : 9) : nodes == 4 ? 10 : 12;
}

int carom_vtu_open(carom_vtu *vtu, const char *dir, const char *name, int k)
{
    const uint16_t probe = 1;
    char path[4096], start[160];
    *vtu = (carom_vtu){0};
    (void)mkdir(dir, 0777);
    (void)snprintf(path, sizeof path, "%s/%s_%04d.vtu", dir, name, k);
    if (carom_file_open(&vtu->file, path) != 0) {
        return -1;
    }
    (void)snprintf(start, sizeof start,
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
                   "header_type=\"UInt64\">\n<UnstructuredGrid>\n",
                   *(const uint8_t *)&probe == 1 ? "LittleEndian" : "BigEndian");
    carom_vtu_text(vtu, start);
    return 0;
}

void carom_vtu_piece(carom_vtu *vtu, long long points, long long cells)
{
    char start[128];
    (void)snprintf(start, sizeof start, "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n", points, cells);
    carom_vtu_text(vtu, start);
}

int carom_vtu_keep(carom_vtu *vtu)
{
    carom_vtu_text(vtu, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    return carom_file_keep(&vtu->file);
}

int carom_vtu_list(const char *dir, const char *name, int pictures, double (*time)(const void *run, int k),
                   const void *run)
{
    char path[4096];
    carom_file file;
    (void)snprintf(path, sizeof path, "%s/%s.pvd", dir, name);
    if (carom_file_open(&file, path) != 0) {
        return -1;
    }
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n", file.stream);
    for (int k = 0; k < pictures; k++) {
        fprintf(file.stream, "<DataSet timestep=\"%.15g\" part=\"0\" file=\"%s_%04d.vtu\"/>\n", time(run, k), name, k);
    }
    fputs("</Collection>\n</VTKFile>\n", file.stream);
    return carom_file_keep(&file);
}

static unsigned long long step_of(const carom_steps *steps, unsigned long long frames, int k)
{
    return (steps->steps * (unsigned long long)k + frames - 1) / frames;
}

double carom_vtu_time(const carom_steps *steps, unsigned long long frames, int k)
{
    const unsigned long long step = step_of(steps, frames, k);
    return k == 0                ? steps->start
           : step < steps->steps ? steps->start + (double)step * steps->h + steps->off
                                 : steps->start + (double)(steps->steps - 1) * steps->h + steps->last_h + steps->off;
}

int carom_vtu_due(const carom_steps *steps, unsigned long long frames, int k)
{
    return frames > 0 && (unsigned long long)k <= frames && step_of(steps, frames, k) <= steps->step;
}
