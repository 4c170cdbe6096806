/* A hand-made integrator that does nothing but obey: see fake_model.c. */
#ifndef CAROM_FAKE_MODEL_H
#define CAROM_FAKE_MODEL_H

#include <carom/model.h>

const carom_model *fake_model(void);
const carom_model *fake_model_in_parts(void);

#endif
