/* Small helpers for text that the parts of the driver share: numbers, names, JSON. Private to the driver. */
#ifndef CAROM_DRIVER_TEXT_H
#define CAROM_DRIVER_TEXT_H

#include <carom/model.h>

#include <stddef.h>
#include <stdio.h>

enum { CAROM_NUMBER_SIZE = 32 };

/* The fewest digits that read back equal; returns their length. */
int carom_number_text(char text[CAROM_NUMBER_SIZE], double x);

/* Length of a velocity's name without its ".dot": velocities may be listed under either name. */
size_t carom_base_length(const char *name);

/* Whether the velocity is the rate of a coordinate, and so is called `<name>.dot`. */
int carom_is_rate(const carom_model *model, const carom_quantity *velocity);

/* Name of row `index` of carom_info, constraints first, then contacts; NULL when there is no such row. */
const char *carom_row_name(const carom_model *model, int index, int *is_constraint);

void carom_json_number(FILE *file, double x); /* null when x is not finite */
/* ,"key":value of an object */
void carom_json_real(FILE *file, const char *key, double x);
void carom_json_text(FILE *file, const char *key, const char *text);
void carom_json_string(FILE *file, const char *text, size_t length);

#endif
