/* What the loop needs of the board: a console and an end (semihosting), a counter, a painted stack. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_put(const char *text);
void board_put_count(const char *name, uint32_t value);
void board_put_number(const char *name, double value); /* nine digits after the point */
uint32_t board_ticks(void);                            /* of the system clock, 24 bits, downwards */
uint32_t board_stack_used(void);                       /* bytes, since the start */
_Noreturn void board_end(int code);

#endif
