/* Numbers, names and JSON text for the driver. */
#include "text.h"

#include "digits.h"

#include <math.h>
#include <string.h>

int carom_number_text(char text[CAROM_NUMBER_SIZE], double x)
{
    return isfinite(x) ? carom_digits(text, x) : snprintf(text, CAROM_NUMBER_SIZE, "%g", x);
}

size_t carom_base_length(const char *name)
{
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".dot") == 0) {
        length -= 4;
    }
    return length;
}

int carom_is_rate(const carom_model *model, const carom_quantity *velocity)
{
    size_t length = carom_base_length(velocity->name);
    int found = velocity->name[length] != '\0';
    for (int i = 0; i < model->coordinates && !found; i++) {
        found = strcmp(model->coordinate[i].name, velocity->name) == 0;
    }
    return found;
}

const char *carom_row_name(const carom_model *model, int index, int *is_constraint)
{
    const char *name = NULL;
    *is_constraint = index < model->constraints;
    if (index >= 0 && index < model->constraints) {
        name = model->constraint[index].name;
    } else if (index >= model->constraints && index - model->constraints < model->contacts) {
        name = model->contact[index - model->constraints].name;
    }
    return name;
}

void carom_json_number(FILE *file, double x)
{
    char text[CAROM_NUMBER_SIZE];
    if (isfinite(x)) {
        (void)carom_number_text(text, x);
        fputs(text, file);
        /* a reader that tells integers from reals must see a real */
        if (strpbrk(text, ".e") == NULL) {
            fputs(".0", file);
        }
    } else {
        fputs("null", file);
    }
}

void carom_json_string(FILE *file, const char *text, size_t length)
{
    fputc('"', file);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(file, "\\u%04x", c);
        } else {
            fputc(c, file);
        }
    }
    fputc('"', file);
}

void carom_json_text(FILE *file, const char *key, const char *text)
{
    fprintf(file, ",\"%s\":", key);
    carom_json_string(file, text, strlen(text));
}

void carom_json_real(FILE *file, const char *key, double x)
{
    fprintf(file, ",\"%s\":", key);
    carom_json_number(file, x);
}
