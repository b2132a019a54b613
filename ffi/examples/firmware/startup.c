/* Cortex-M4F without an operating system: from reset to main, and a debugger's console (semihosting). */
#include "board.h"

extern uint32_t stack_low[], stack_top[], data_begin[], data_end[], data_load[], bss_begin[], bss_end[];
int main(void);

enum { PAINT = 0x5AFE57AC };
enum { SYS_WRITE0 = 0x04, SYS_EXIT = 0x18 };
enum { EXIT_SUCCESS = 0x20026, EXIT_FAILURE = 0x20023 };

static void debugger(uint32_t operation, uintptr_t argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void board_write(const char *text) { debugger(SYS_WRITE0, (uintptr_t)text); }

uint32_t board_stack(void)
{
    const volatile uint32_t *word = stack_low;
    while (word < stack_top && *word == PAINT) word++;
    return (uint32_t)((uintptr_t)stack_top - (uintptr_t)word);
}

uint32_t board_static(void)
{
    return (uint32_t)((uintptr_t)data_end - (uintptr_t)data_begin + (uintptr_t)bss_end - (uintptr_t)bss_begin);
}

static void fault(void)
{
    board_write("fault\n");
    for (;;) debugger(SYS_EXIT, EXIT_FAILURE);
}

/* In assembly where the stack is painted: no frame of C may lie in what is overwritten. */
__attribute__((naked, noreturn)) void reset(void)
{
    __asm__ volatile("ldr r0, =stack_low\n"
                     "ldr r1, =stack_top\n"
                     "ldr r2, =%c0\n"
                     "1: str r2, [r0], #4\n"
                     "cmp r0, r1\n"
                     "blo 1b\n"
                     "b start\n"
                     ".ltorg" ::"i"(PAINT));
}

__attribute__((noreturn, used)) static void start(void)
{
    volatile uint32_t *const coprocessors = (volatile uint32_t *)0xE000ED88;
    *coprocessors |= 0xFU << 20; /* the floating-point unit is off after reset */
    __asm__ volatile("dsb\nisb" ::: "memory");

    const uint32_t *load = data_load;
    for (uint32_t *word = data_begin; word < data_end;) *word++ = *load++;
    for (uint32_t *word = bss_begin; word < bss_end;) *word++ = 0;

    const int status = main();
    for (;;) debugger(SYS_EXIT, status == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* The initial stack pointer, reset, and the fourteen exceptions of the architecture: all of them are faults here. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*entry[15])(void);
} vectors = {stack_top, {reset, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault}};
