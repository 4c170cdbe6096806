/* Pictures of meshes as readers of VTK take them: DIR/NAME_0000.vtu ... and NAME.pvd, which lists them with their
 * times. A file has one piece (not all readers take several), data in base64. Private to the runtime. */
#ifndef CAROM_DRIVER_VTU_H
#define CAROM_DRIVER_VTU_H

#include "file.h"
#include "progress.h"

#include <stdint.h>

/* Without a stream (file.stream NULL) nothing is written: of several ranks one has it. */
typedef struct {
    carom_file file;
    unsigned char byte[3]; /* on their way into base64: three make four letters */
    int count;
} carom_vtu;

/* Picture k, and the folder for it; 0 when good, else errno says why. */
int carom_vtu_open(carom_vtu *vtu, const char *dir, const char *name, int k);

/* In the order of these: points, cells, `<PointData>` with its arrays, `<CellData>` with its own. */
void carom_vtu_piece(carom_vtu *vtu, long long points, long long cells);
void carom_vtu_text(carom_vtu *vtu, const char *text);

/* An array: its head and the number of its bytes, these in parts, its end. */
void carom_vtu_array(carom_vtu *vtu, const char *type, const char *name, int components, uint64_t bytes);
void carom_vtu_bytes(carom_vtu *vtu, const void *data, size_t size);
void carom_vtu_end(carom_vtu *vtu);

/* The type of a cell for VTK, by dimension and number of nodes. */
uint8_t carom_vtu_cell(int dimension, int nodes);

/* Ends it and gives it its name; 0 when good. */
int carom_vtu_keep(carom_vtu *vtu);

/* The list of all pictures so far, with time(run, k); 0 when good. */
int carom_vtu_list(const char *dir, const char *name, int pictures, double (*time)(const void *run, int k),
                   const void *run);

/* Picture k of `frames` is taken after the step that reaches k / frames of the run: its time, and has that been? */
double carom_vtu_time(const carom_steps *steps, unsigned long long frames, int k);
int carom_vtu_due(const carom_steps *steps, unsigned long long frames, int k);

#endif
