/*
 * No heap: the optimizer lives in a static array whose size is known to the compiler, in single precision.
 *
 *     cc -std=c99 static.c $(pkg-config --cflags --libs infill) -lm -o static && ./static
 */
#include <infill.h>
#include <math.h>
#include <stdio.h>

#define DIMS 3
#define TRIALS 36

static uint64_t block[INFILL_WORDS(DIMS, TRIALS, INFILL_F32)];

/* The build fails if the optimizer outgrows the memory that was set aside for it. */
typedef char block_fits[sizeof block <= 16 * 1024 ? 1 : -1];

/*
 * What ten minutes of heating cost under a controller with this gain (W/K), reset time and lead time (s): kelvin
 * off the aim, three times as dear above it, and the wear of changing power. The heater and the sensor lag.
 */
static double cost(const double *x)
{
    const double gain = x[0], reset = x[1], lead = x[2];
    const double step = 0.5, aim = 60, most = 2000;
    double heat = 0, water = 20, sensor = 20, before = 20, integral = 0, last = 0, sum = 0;
    int i;

    for (i = 0; i < 1200; i++) {
        double error = aim - sensor;
        double power = gain * (error + integral / reset - lead * (sensor - before) / step);

        /* The integral rests while the heater is at its limit, or it would overshoot for minutes. */
        if (power > 0 && power < most)
            integral += error * step;
        power = power < 0 ? 0 : power > most ? most : power;
        before = sensor;
        heat += step * (power - heat) / 20;
        water += step * (heat - 10 * (water - 20)) / 4186;
        sensor += step * (water - sensor) / 8;
        sum += (water > aim ? 3 * (water - aim) : aim - water) + 0.05 * fabs(power - last);
        last = power;
    }
    return sum / 1200;
}

static int fault(const char *what, infill_status status)
{
    fprintf(stderr, "%s: %s\n", what, infill_status_str(status));
    return 1;
}

int main(void)
{
    /* printf would take its buffer from the heap. */
    static char line[256];
    const infill_param params[DIMS] = {INFILL_REAL_LOG(10, 10000), INFILL_REAL_LOG(10, 10000), INFILL_REAL(0, 60)};
    const infill_space space = INFILL_SPACE(params, DIMS);
    const double guess[DIMS] = {50, 100, 0};
    infill_config config;
    infill_opt *opt;
    infill_trial trial;
    double x[DIMS], value, first = cost(guess);
    infill_status status;
    int i;

    setvbuf(stdout, line, _IOLBF, sizeof line);
    status = infill_config_default(&config, sizeof config);
    if (status != INFILL_OK)
        return fault("config", status);
    config.seed = 5;
    config.scalar = INFILL_F32;
    config.limits.trials = TRIALS;
    status = infill_init(block, sizeof block, &space, &config, &opt);
    if (status != INFILL_OK)
        return fault("init", status);

    /* What one would have used without tuning is tried before anything else. */
    status = infill_enqueue(opt, guess, DIMS, &trial);
    for (i = 0; status == INFILL_OK && i < TRIALS; i++) {
        status = infill_ask(opt, x, DIMS, &trial);
        if (status == INFILL_OK)
            status = infill_tell(opt, trial, cost(x));
    }
    if (status == INFILL_OK)
        status = infill_best(opt, x, DIMS, &value);
    if (status != INFILL_OK)
        return fault("tuning", status);
    /* There is no room for one more trial, and it says so. */
    if (infill_ask(opt, x, DIMS, &trial) != INFILL_ERROR_FULL)
        return fault("a full block takes a trial", INFILL_OK);

    printf("block  %u bytes for %d trials of %d parameters\n", (unsigned)sizeof block, TRIALS, DIMS);
    printf("guess  gain %6.1f  reset %6.1f  lead %5.2f  cost %6.3f\n", guess[0], guess[1], guess[2], first);
    printf("best   gain %6.1f  reset %6.1f  lead %5.2f  cost %6.3f\n", x[0], x[1], x[2], value);
    return value < 0.5 * first ? 0 : 1;
}
