/* Random numbers of the tests: the same in every run; seed_state starts them anew. */
#ifndef TESTS_DRAW_H
#define TESTS_DRAW_H

#include <stdint.h>

static uint64_t seed_state = 1;

static inline double uniform(void) /* in [-1, 1) */
{
    seed_state ^= seed_state << 13;
    seed_state ^= seed_state >> 7;
    seed_state ^= seed_state << 17;
    return (double)(seed_state >> 11) / 4503599627370496.0 - 1.0;
}

static inline double between(double low, double high) { return low + (high - low) * (uniform() + 1.0) / 2.0; }

static inline int pick(int below) { return (int)((uniform() + 1.0) / 2.0 * below); }

#endif
