/* Mesh files of gmsh, formats 2.2 and 4.1, text and binary: nodes, cells of one kind, faces with a physical name.
 * Whatever the bytes are, they are read or refused with a reason: nothing is taken that the file does not hold, no
 * number that is not finite. */
#ifndef CAROM_MESH_GMSH_H
#define CAROM_MESH_GMSH_H

#include <stddef.h>
#include <stdint.h>

/* A kind of element by gmsh's number. */
typedef struct {
    int number, dimension, nodes;
    const char *name; /* carom's, NULL: no cells are made of it */
} carom_gmsh_kind;

/* By carom's name ("tet4"); NULL: there is none. */
const carom_gmsh_kind *carom_gmsh_cell(const char *name);

enum { CAROM_GMSH_WHY = 320, CAROM_GMSH_NAME = 128 };

typedef struct {
    const carom_gmsh_kind *kind; /* of the cells */
    int face_nodes;              /* room for the nodes of a face: 4; those it has not are -1 */
    int64_t nodes, cells, faces;
    int names;
    char (*name)[CAROM_GMSH_NAME]; /* of physical groups one dimension below the cells, in the order of the file */
    double *X;                     /* [nodes x 3] those that cells use, in the order in which they do */
    int64_t *cell;                 /* [cells x kind->nodes] in gmsh's order, which is VTK's */
    int64_t *face;                 /* [faces x 4] */
    int *face_name;                /* [faces] a face in two groups stands here twice */
} carom_gmsh;

/* Reads `size` bytes as a mesh of such cells; kind NULL: of the one kind of highest dimension that it holds. 0 when
 * good; -1 and a reason, which begins with a verb, and `mesh` is empty; -2 when memory is short. */
int carom_gmsh_parse(const char *bytes, size_t size, const carom_gmsh_kind *kind, carom_gmsh *mesh,
                     char why[CAROM_GMSH_WHY]);

/* The same of a file. */
int carom_gmsh_read(const char *path, const carom_gmsh_kind *kind, carom_gmsh *mesh, char why[CAROM_GMSH_WHY]);

void carom_gmsh_free(carom_gmsh *mesh);

#endif
