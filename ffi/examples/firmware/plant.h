/* What is tuned: a PID controller of a simulated plant. */
#ifndef PLANT_H
#define PLANT_H

#include "infill.h"

enum { KP, KI, KD, WINDUP, DIMS };
enum { TRIALS = 32 };

/* The controller's parameters. */
#define CONTROLLER \
    { \
        [KP] = INFILL_REAL_LOG(0.1, 10.0), \
        [KI] = INFILL_REAL_LOG(0.01, 5.0), \
        [KD] = INFILL_REAL_LOG(0.01, 5.0), \
        [WINDUP] = INFILL_CATEGORICAL(2), \
    }

/* A tank that is heated: second order with dead time, the heater between off and full, a door opened halfway. */
struct plant {
    float full, damping, door;
    int dead; /* steps, at most MOST_DEAD */
};

enum { MOST_DEAD = 8 };

/* The plant that is tuned. */
#define PLANT {2.5f, 1.2f, 0.5f, 8}

/* How well a controller does on a plant.
 * The cost is the time-weighted absolute error, plus overshoot, plus how much the heater was moved.
 * Only + - * / and comparisons, so that single precision gives the same bits everywhere. */
static float cost(struct plant plant, float kp, float ki, float kd, int windup)
{
    enum { STEPS = 1000, HALF = STEPS / 2 };
    const float dt = 0.02f, full = plant.full, target = 1.0f;
    float delay[MOST_DEAD] = {0.0f};
    float y = 0.0f, speed = 0.0f, last_y = 0.0f, last_u = 0.0f, integral = 0.0f;
    float error_sum = 0.0f, overshoot = 0.0f, moved = 0.0f;

    for (int step = 0; step < STEPS; step++) {
        const float error = target - y;
        const float wish = kp * error + ki * integral - kd * (y - last_y) / dt;
        const float u = wish < 0.0f ? 0.0f : wish > full ? full : wish;
        /* Without this an integral that cannot act grows for as long as the heater is at its limit. */
        const int pushes = (wish > full && error > 0.0f) || (wish < 0.0f && error < 0.0f);
        if (!(windup && pushes)) integral += error * dt;

        const float late = delay[step % plant.dead];
        delay[step % plant.dead] = u;
        speed += (late - (step < HALF ? 0.0f : plant.door) - plant.damping * speed - y) * dt;
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

#endif
