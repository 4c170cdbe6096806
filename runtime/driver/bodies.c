/* A pile has too many coordinates for columns: its bodies are the rows of a file of their own, written once, at the
 * end. */
#include "bodies.h"

#include "file.h"
#include "text.h"

int carom_bodies_write(const char *path, const carom_model *model, const carom_view *view)
{
    carom_file output;
    if (carom_file_open(&output, path) != 0) {
        return -1;
    }
    FILE *file = output.stream;
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
    return carom_file_keep(&output);
}
