/* A state as bytes: a head that says what it is of, then the struct without the host's pointers. Read back by the same
 * model, scheme and generator on the same kind of machine it goes on bit for bit; everything else is refused. */
#ifndef CAROM_SAVED_H
#define CAROM_SAVED_H

#include "model.h"

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_SAVED_MAGIC UINT64_C(0x4341524f4d000000) /* as a number: the other byte order reads another one */

/* 96 bytes, no gaps */
typedef struct {
    uint64_t magic, version, state_size, sum;
    char digest[64];
} carom_saved_state;

/* Of bytes, eight at a time. */
static inline uint64_t carom_saved_state_sum(const unsigned char *byte, size_t size)
{
    uint64_t sum = 1;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, byte + i, size - i < sizeof word ? size - i : sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

static inline carom_saved_state carom_saved_state_head(const char *digest, const unsigned char *state, size_t size)
{
    carom_saved_state head = {CAROM_SAVED_MAGIC, CAROM_API_VERSION, size, carom_saved_state_sum(state, size), ""};
    memcpy(head.digest, digest, sizeof head.digest);
    return head;
}

/* Is this such a state, whole? */
static inline int carom_saved_state_is(const char *digest, const unsigned char *bytes, size_t have, size_t size)
{
    carom_saved_state is, want;
    if (have != sizeof is + size) {
        return 0;
    }
    memcpy(&is, bytes, sizeof is);
    want = carom_saved_state_head(digest, bytes + sizeof is, size);
    return memcmp(&is, &want, sizeof is) == 0;
}

#ifdef __cplusplus
}
#endif
#endif
