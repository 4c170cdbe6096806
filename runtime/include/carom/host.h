/* What a host asks of a state between steps: mean forces, the state as bytes and back. Asks for
 *
 *     CAROM_DIGEST      sha256 of model, scheme and generator, as text
 *     CAROM_KEPT        bytes of the state that mean something from step to step
 *     CAROM_WATCHED     1: s->failure,    CAROM_LISTENS 1: s->events    pointers of the host, which bytes do not hold
 *
 * See carom/algorithm.h. */
#ifndef CAROM_HOST_H
#define CAROM_HOST_H

#include "algorithm.h"
#include "saved.h"

#if CAROM_NR > 0
/* Mean forces of the last step: bilateral constraints, contacts, tangents. */
static inline void CAROM(mean_forces)(const CAROM_STATE *s, double *r)
{
    for (int j = 0; j < CAROM_WR; ++j) {
        r[j] = s->last[j] / s->last_step;
    }
}
#endif

/* Takes the host's pointers out of the bytes of a state. */
static inline void CAROM(strip)(unsigned char *state)
{
#if CAROM_WATCHED > 0
    void *const none = NULL;
    memcpy(state + offsetof(CAROM_STATE, failure), &none, sizeof none);
#endif
#if CAROM_LISTENS > 0
    const carom_contact_events events = {.room = 0};
    memcpy(state + offsetof(CAROM_STATE, events), &events, sizeof events);
#endif
    (void)state;
}

/* 0: the room is too small. */
static inline size_t CAROM(save_bytes)(const CAROM_STATE *s, void *bytes, size_t room)
{
    unsigned char *const state = (unsigned char *)bytes + sizeof(carom_saved_state);
    if (room < sizeof(carom_saved_state) + CAROM_KEPT) {
        return 0;
    }
    memcpy(state, s, CAROM_KEPT);
    CAROM(strip)(state);
    const carom_saved_state head = carom_saved_state_head(CAROM_DIGEST, state, CAROM_KEPT);
    memcpy(bytes, &head, sizeof head);
    return sizeof head + CAROM_KEPT;
}

static inline carom_status CAROM(load_bytes)(CAROM_STATE *s, const void *bytes, size_t size)
{
    if (!carom_saved_state_is(CAROM_DIGEST, (const unsigned char *)bytes, size, CAROM_KEPT)) {
        return CAROM_FOREIGN;
    }
#if CAROM_WATCHED > 0
    carom_failure *const failure = s->failure;
#endif
#if CAROM_LISTENS > 0
    const carom_contact_events events = s->events;
#endif
    memcpy(s, (const unsigned char *)bytes + sizeof(carom_saved_state), CAROM_KEPT);
#if CAROM_WATCHED > 0
    s->failure = failure;
#endif
#if CAROM_LISTENS > 0
    s->events = events;
#endif
    return CAROM_OK;
}

#endif
