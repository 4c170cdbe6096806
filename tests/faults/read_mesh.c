/* Reads mesh files: says their sizes, or why not (code 2), or that memory is short (code 3). */
#include "mesh/gmsh.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        carom_gmsh mesh;
        char why[CAROM_GMSH_WHY] = "";
        const int status = carom_gmsh_read(argv[i], carom_gmsh_cell(argv[1]), &mesh, why);
        if (status != 0) {
            fprintf(stderr, "%s: %s\n", argv[i], status == -2 ? "not enough memory" : why);
            return status == -2 ? 3 : 2;
        }
        printf("%lld nodes, %lld cells, %lld faces\n", (long long)mesh.nodes, (long long)mesh.cells,
               (long long)mesh.faces);
        carom_gmsh_free(&mesh);
    }
    return 0;
}
