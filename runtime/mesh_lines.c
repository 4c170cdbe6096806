/* What the generator asks of meshes, as lines that it reads: a small program, made when it is needed.
 *
 *   mesh_lines outline|whole FILE
 *
 * A file of gmsh: cell KIND, boundaries N and a line with the name of each; of the whole also nodes N with their
 * places, cells N with their nodes, faces N: number of the boundary, nodes so that the normal points outward. All is
 * counted from 1.
 *
 *   mesh_lines nearest < LINES
 *
 * A line with dimension d, nodes of a face, faces, points; of each face a point on its inner side, and number and place
 * of each node; of each point its place. Answers for each point: numbers of the nodes of the nearest face, their
 * weights, outward normal, the two directions along it, and of each edge the direction across it and how far the point
 * is out.
 *
 * Numbers read back equal. Exit code 1: what is refused, with the reason as the only line. */
#include "mesh/closest.h"
#include "mesh/sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell_nodes(const carom_gmsh *mesh)
{
    printf("nodes %lld\n", (long long)mesh->nodes);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        for (int c = 0; c < mesh->kind->dimension; c++) {
            printf("%s%.17g", c > 0 ? " " : "", mesh->X[3 * i + c]);
        }
        putchar('\n');
    }
    printf("cells %lld\n", (long long)mesh->cells);
    for (int64_t i = 0; i < mesh->cells * mesh->kind->nodes; i++) {
        printf("%lld%c", (long long)mesh->cell[i] + 1, (i + 1) % mesh->kind->nodes == 0 ? '\n' : ' ');
    }
}

/* 0 when good. */
static int tell_faces(const carom_gmsh *mesh)
{
    const carom_shape *shape = carom_shape_named(mesh->kind->name);
    int64_t *cell = malloc(((size_t)mesh->faces + 1) * sizeof *cell), count = 0;
    int *side = malloc(((size_t)mesh->faces + 1) * sizeof *side);
    const int status = cell != NULL && side != NULL ? carom_sides_find(mesh, shape, cell, side) : -1;
    for (int64_t f = 0; f < mesh->faces && status == 0; f++) {
        count += cell[f] >= 0;
    }
    printf("faces %lld\n", (long long)count);
    for (int64_t f = 0; f < mesh->faces && status == 0; f++) {
        if (cell[f] >= 0) {
            printf("%d", mesh->face_name[f] + 1);
            for (int i = 0; i < shape->face_nodes; i++) {
                printf(" %lld", (long long)mesh->cell[cell[f] * shape->nodes + shape->face[side[f]][i]] + 1);
            }
            putchar('\n');
        }
    }
    free(cell);
    free(side);
    return status;
}

static void tell_numbers(int count, const double *x)
{
    for (int i = 0; i < count; i++) {
        printf(" %.17g", x[i]);
    }
}

static int read_numbers(int count, double *x)
{
    int good = 1;
    for (int i = 0; i < count; i++) {
        good = good && scanf("%lf", &x[i]) == 1;
    }
    return good;
}

static int tell_nearest(void)
{
    carom_faces faces;
    unsigned long count, points;
    if (scanf("%d %d %lu %lu", &faces.d, &faces.per, &count, &points) != 4 || faces.d < 1 || faces.d > 3 ||
        faces.per < 1 || faces.per > CAROM_FACE_NODES || count < 1 || count > SIZE_MAX / sizeof *faces.face) {
        return 2;
    }
    const int d = faces.d, per = faces.per;
    faces.n = count;
    faces.face = calloc(count, sizeof *faces.face);
    int good = faces.face != NULL;
    for (size_t f = 0; f < faces.n && good; f++) {
        carom_face *face = &faces.face[f];
        good = read_numbers(d, face->cell);
        for (int a = 0; a < per; a++) {
            good = good && read_numbers(1, &face->node[a].number) && read_numbers(d, face->node[a].X);
        }
    }
    if (good) {
        carom_faces_finish(&faces);
    }
    for (unsigned long i = 0; i < points && good; i++) {
        double x[3] = {0.0, 0.0, 0.0};
        carom_nearest found = {.node = {0}};
        good = read_numbers(d, x);
        carom_faces_nearest(&faces, x, &found);
        for (int a = 0; a < per; a++) {
            printf("%s%lld", a > 0 ? " " : "", (long long)found.node[a]);
        }
        tell_numbers(per, found.weight);
        tell_numbers(d, found.normal);
        tell_numbers(d, found.along[0]);
        tell_numbers(d, found.along[1]);
        for (int e = 0; e < per; e++) {
            tell_numbers(d, found.edge[e]);
            tell_numbers(1, &found.edge[e][3]);
        }
        putchar('\n');
    }
    free(faces.face);
    return good ? 0 : 2;
}

static int tell_file(const char *path, int whole)
{
    carom_gmsh mesh;
    char why[CAROM_GMSH_WHY];
    int status = carom_gmsh_read(path, NULL, &mesh, why);
    if (status != 0) {
        printf("it %s\n", why);
        return status == -1 ? 1 : 3;
    }
    carom_sides_turn(&mesh);
    printf("cell %s\nboundaries %d\n", mesh.kind->name, mesh.names);
    for (int i = 0; i < mesh.names; i++) {
        puts(mesh.name[i]);
    }
    if (whole) {
        tell_nodes(&mesh);
        status = tell_faces(&mesh);
    }
    carom_gmsh_free(&mesh);
    return status == 0 ? 0 : 3;
}

int main(int argc, char **argv)
{
    int code = 2;
    if (argc == 2 && strcmp(argv[1], "nearest") == 0) {
        code = tell_nearest();
    } else if (argc == 3 && (strcmp(argv[1], "outline") == 0 || strcmp(argv[1], "whole") == 0)) {
        code = tell_file(argv[2], strcmp(argv[1], "whole") == 0);
    }
    return code == 0 && (fflush(stdout) != 0 || ferror(stdout)) ? 3 : code;
}
