/* All that differs between a microcontroller and a computer. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Writes a line or a part of it. */
void board_write(const char *text);

/* Bytes of stack used so far at most; 0 where the stack is not painted. */
uint32_t board_stack(void);

/* Bytes of variables that live as long as the program, or 0. */
uint32_t board_static(void);

#endif
