/* Room on the stack for steps that keep copies of the state there. */
#ifndef CAROM_DRIVER_STACK_H
#define CAROM_DRIVER_STACK_H

#include <stddef.h>

/* Step-size control by doubling (carom/adaptive.h) keeps some copies of the state on the stack, and that of hundreds of
 * contacts has megabytes: lets the stack grow to hold them, as far as the system allows it. */
void carom_stack_for(size_t state_size);

#endif
