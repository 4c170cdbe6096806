/* Start-up without a C library's help: vectors, FPU, data, and the stack painted before anything runs on it. */
#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define PAINT 0xC5C5C5C5U
#define TICKS_MASK 0x00FFFFFFU

extern uint32_t stack_low[], stack_high[], data_low[], data_high[], bss_low[], bss_high[];
extern const uint32_t data_from[];
int main(void);
_Noreturn void reset(void);
static _Noreturn void fault(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_high,          (const void *)reset, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
};

static int semihosting(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

_Noreturn void board_end(int code)
{
    const uint32_t block[2] = {0x20026U, (uint32_t)code}; /* ADP_Stopped_ApplicationExit */
    (void)semihosting(0x20, block);                       /* SYS_EXIT_EXTENDED */
    for (;;) {
    }
}

void board_put(const char *text) { (void)semihosting(0x04, text); } /* SYS_WRITE0 */

static _Noreturn void fault(void)
{
    board_put("fault\n");
    board_end(3);
}

/* The stack that main and all below it use is what has lost its paint. */
__attribute__((naked)) _Noreturn void reset(void)
{
    __asm__ volatile("ldr r0, =stack_low\n ldr r1, =stack_high\n ldr r2, =0xC5C5C5C5\n"
                     "1: str r2, [r0], #4\n cmp r0, r1\n blo 1b\n"
                     "b board_start\n");
}

__attribute__((used)) _Noreturn void board_start(void)
{
    REGISTER(0xE000ED88) |= 0xFU << 20; /* CPACR: the FPU */
    __asm__ volatile("dsb\n isb");
    const uint32_t *from = data_from;
    for (uint32_t *to = data_low; to < data_high; ++to) {
        *to = *from++;
    }
    for (uint32_t *to = bss_low; to < bss_high; ++to) {
        *to = 0U;
    }
    REGISTER(0xE000E014) = TICKS_MASK; /* SysTick: from the processor's clock, no interrupt */
    REGISTER(0xE000E018) = 0U;
    REGISTER(0xE000E010) = 5U;
    board_end(main());
}

uint32_t board_ticks(void) { return REGISTER(0xE000E018); }

uint32_t board_stack_used(void)
{
    const uint32_t *p = stack_low;
    while (p < stack_high && *p == PAINT) {
        ++p;
    }
    return (uint32_t)(4 * (stack_high - p));
}

static void put_digits(uint32_t value, int least)
{
    char text[12];
    int at = 11;
    text[at] = '\0';
    do {
        text[--at] = (char)('0' + value % 10U);
        value /= 10U;
    } while (value > 0U || 11 - at < least);
    board_put(text + at);
}

void board_put_count(const char *name, uint32_t value)
{
    board_put(name);
    put_digits(value, 1);
    board_put("\n");
}

void board_put_number(const char *name, double value)
{
    const double size = value < 0.0 ? -value : value;
    const uint32_t whole = (uint32_t)size;
    board_put(name);
    board_put(value < 0.0 ? "-" : "");
    put_digits(whole, 1);
    board_put(".");
    put_digits((uint32_t)((size - (double)whole) * 1e9), 9);
    board_put("\n");
}
