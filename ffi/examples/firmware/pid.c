/* Tunes a PID controller on a simulated plant: the same program on a microcontroller and on a computer.
 * There is no heap and no C library; every number is printed with its bits, which are the same on both. */
#include "board.h"
#include "infill.h"

#include <stddef.h>

enum { KP, KI, KD, WINDUP, DIMS };
enum { TRIALS = 32 };

static uint64_t block[INFILL_WORDS(DIMS, TRIALS, INFILL_F32)];

/* A tank that is heated: second order with dead time, the heater between off and full, a door opened halfway.
 * The cost is the time-weighted absolute error, plus overshoot, plus how much the heater was moved.
 * Only + - * / and comparisons, so that single precision gives the same bits everywhere. */
static float cost(float kp, float ki, float kd, int windup)
{
    enum { STEPS = 1000, HALF = STEPS / 2, DEAD = 8 };
    const float dt = 0.02f, full = 2.5f, target = 1.0f, door = 0.5f;
    float delay[DEAD] = {0.0f};
    float y = 0.0f, speed = 0.0f, last_y = 0.0f, last_u = 0.0f, integral = 0.0f;
    float error_sum = 0.0f, overshoot = 0.0f, moved = 0.0f;

    for (int step = 0; step < STEPS; step++) {
        const float error = target - y;
        const float wish = kp * error + ki * integral - kd * (y - last_y) / dt;
        const float u = wish < 0.0f ? 0.0f : wish > full ? full : wish;
        /* Without this an integral that cannot act grows for as long as the heater is at its limit. */
        const int pushes = (wish > full && error > 0.0f) || (wish < 0.0f && error < 0.0f);
        if (!(windup && pushes)) integral += error * dt;

        const float late = delay[step % DEAD];
        delay[step % DEAD] = u;
        speed += (late - (step < HALF ? 0.0f : door) - 1.2f * speed - y) * dt;
        last_y = y;
        y += speed * dt;

        const float since = (float)(step % HALF) * dt;
        error_sum += since * (error < 0.0f ? -error : error) * dt;
        if (-error > overshoot) overshoot = -error;
        moved += u > last_u ? u - last_u : last_u - u;
        last_u = u;
    }
    return error_sum + 5.0f * overshoot + 0.05f * moved;
}

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

/* 32 questions to the optimizer, each answered by a simulation. */
static infill_status tune(double *best, double *value)
{
    const infill_param params[DIMS] = {
        [KP] = INFILL_REAL_LOG(0.1, 10.0),
        [KI] = INFILL_REAL_LOG(0.01, 5.0),
        [KD] = INFILL_REAL_LOG(0.01, 5.0),
        [WINDUP] = INFILL_CATEGORICAL(2),
    };
    const infill_space space = INFILL_SPACE(params, DIMS);
    infill_config config;
    infill_opt *opt = NULL;
    infill_status status = infill_config_default(&config, sizeof config);
    config.scalar = INFILL_F32;
    config.limits.trials = TRIALS;
    config.seed = 1;
    if (status == INFILL_OK) status = infill_init(block, sizeof block, &space, &config, &opt);
    print_memory("init", board_stack());

    for (int i = 0; i < TRIALS && status == INFILL_OK; i++) {
        double x[DIMS];
        infill_trial trial;
        status = infill_ask(opt, x, DIMS, &trial);
        if (status != INFILL_OK) break;
        const double y = cost((float)x[KP], (float)x[KI], (float)x[KD], x[WINDUP] > 0.5);
        print_trial("ask ", x, y);
        status = infill_tell(opt, trial, y);
    }
    return status == INFILL_OK ? infill_best(opt, best, DIMS, value) : status;
}

int main(void)
{
    double best[DIMS], value;
    const infill_status status = tune(best, &value);
    if (status != INFILL_OK) {
        board_write(infill_status_str(status));
        board_write("\n");
        return 1;
    }
    print_trial("best", best, value);
    print_memory("block", sizeof block);
    print_memory("static", board_static());
    print_memory("stack", board_stack());
    /* The best there is costs 1.2, the best of 32 random settings about 5. */
    return value < 2.0 ? 0 : 1;
}
