/* The contact problem that a step did not solve, as a file that `carom solve` reads. Private to the driver. */
#ifndef CAROM_DRIVER_FAILURE_H
#define CAROM_DRIVER_FAILURE_H

#include <carom/model.h>

/* Memory for the largest contact problem of a model; 0 when good. */
int carom_failure_make(carom_failure *failure, const carom_model *model);
void carom_failure_free(carom_failure *failure);

/* Writes the problem: dimension, contacts, mu, q, W and triplets, or n, M, q for a complementarity problem; 0 when
 * good. */
int carom_failure_write(const carom_failure *failure, const char *path);

/* How unlike the masses are that the problem couples (carom/unlike.h), of contacts with friction; else 1. */
double carom_failure_unlike(const carom_failure *failure);

/* The same of a pile, whose problem is by blocks and lies in the work space of its state after a step that failed. */
int carom_failure_write_pile(const carom_model *model, void *state, const char *path);

#endif
