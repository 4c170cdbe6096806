/* A control loop without its clock: LOOP_STEPS steps of LOOP_H of the model MODEL, on a stack of a few KB. Then where it came to and what
 * that took. */
#include "board.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define OF(name) JOIN(MODEL, name)
#include HEADER

int main(void)
{
    static MODEL s; /* the complete state, work space of contact problems included */
    carom_status status = OF(_init)(&s, NULL);
    uint32_t ticks = 0, most = 0;
    for (int k = 0; k < LOOP_STEPS && status == CAROM_OK; ++k) {
        const uint32_t start = board_ticks();
        status = OF(_step)(&s, (REAL)LOOP_H);
        const uint32_t taken = (start - board_ticks()) & 0x00FFFFFFU;
        ticks += taken;
        most = taken > most ? taken : most;
    }
    const uint32_t stack = board_stack_used();
    if (status != CAROM_OK) {
        board_put(carom_status_text(status));
        board_put("\n");
        return 1;
    }
    board_put_number("t ", (double)s.t);
    for (unsigned i = 0; i < sizeof s.q / sizeof s.q[0]; ++i) {
        board_put_number("q ", (double)s.q[i]);
    }
    board_put_count("state ", (uint32_t)sizeof s);
    board_put_count("stack ", stack);
    board_put_count("instructions ", (ticks * PER_TICK) / LOOP_STEPS);
    board_put_count("at most ", most * PER_TICK);
    return stack < STACK_SIZE ? 0 : 2;
}
