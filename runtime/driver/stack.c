/* See stack.h. */
#define _XOPEN_SOURCE 700

#include "stack.h"

#include <sys/resource.h>

enum { COPIES = 8, OTHERS = 8 << 20 /* bytes of all else */ };

void carom_stack_for(size_t state_size)
{
    struct rlimit stack;
    const rlim_t need = COPIES * (rlim_t)state_size + OTHERS;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY && stack.rlim_cur < need) {
        stack.rlim_cur = stack.rlim_max == RLIM_INFINITY || need < stack.rlim_max ? need : stack.rlim_max;
        (void)setrlimit(RLIMIT_STACK, &stack);
    }
}
