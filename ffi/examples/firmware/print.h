/* What is printed: every number with its bits, which are the same on a microcontroller and on a computer. */
#ifndef PRINT_H
#define PRINT_H

#include "board.h"
#include "plant.h"

#include <stddef.h>

static void print_hex(double value)
{
    union { double number; uint64_t bits; } cast = {value};
    char text[18] = " ";
    for (int i = 0; i < 16; i++) text[1 + i] = "0123456789abcdef"[cast.bits >> (60 - 4 * i) & 15];
    board_write(text);
}

static void print_count(uint32_t value)
{
    char text[11];
    size_t at = sizeof text - 1;
    text[at] = '\0';
    do text[--at] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    board_write(text + at);
}

/* Four places, for the eye; the bits are printed beside it. */
static void print_number(const char *name, float value)
{
    const uint32_t scaled = (uint32_t)(value * 10000.0f + 0.5f);
    char places[6] = ".";
    for (uint32_t i = 4, rest = scaled; i > 0; i--, rest /= 10) places[i] = (char)('0' + rest % 10);
    board_write(name);
    print_count(scaled / 10000);
    board_write(places);
}

static void print_trial(const char *name, const double *x, double value)
{
    board_write(name);
    for (int i = 0; i < DIMS; i++) print_hex(x[i]);
    print_hex(value);
    print_number("  kp ", (float)x[KP]);
    print_number(" ki ", (float)x[KI]);
    print_number(" kd ", (float)x[KD]);
    board_write(x[WINDUP] > 0.5 ? " anti-windup on" : " anti-windup off");
    print_number(" cost ", (float)value);
    board_write("\n");
}

static void print_memory(const char *name, uint32_t bytes)
{
    board_write("memory ");
    board_write(name);
    board_write(" ");
    print_count(bytes);
    board_write("\n");
}

#endif
