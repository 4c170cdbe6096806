/* A pile has too many coordinates for columns: its bodies are the rows of a file of their own, written once, at the end. */
#include "bodies.h"

#include "text.h"

#include <stdio.h>

int carom_bodies_write(const char *path, const carom_model *model, const carom_view *view)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return -1;
    }
    fputs("body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n", file);
    for (int i = 0; i < model->bodies; i++) {
        fputs(model->body[i], file);
        for (int k = 0; k < 13; k++) {
            char text[CAROM_NUMBER_SIZE];
            (void)carom_number_text(text, k < 7 ? view->q[7 * i + k] : view->v[6 * i + k - 7]);
            fprintf(file, ",%s", text);
        }
        fputc('\n', file);
    }
    const int failed = ferror(file);
    return fclose(file) != 0 || failed ? -1 : 0;
}
