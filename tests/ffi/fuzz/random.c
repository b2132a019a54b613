/* Everything that is drawn: SplitMix64, and numbers that hurt. */
#include "fuzz.h"

static uint64_t state;

void sow(uint64_t seed) { state = seed * 0x9e3779b97f4a7c15u + 0x1234567u; }

uint64_t bits(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

size_t below(size_t count) { return (size_t)(bits() % count); }

int chance(unsigned percent) { return below(100) < percent; }

double between(double lo, double hi) { return lo + (hi - lo) * ((double)(bits() >> 11) / 9007199254740992.0); }

double any_finite(void)
{
    static const double hard[] = {
        0.0, -0.0, 1.0, -1.0, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, 1e300, -1e300, 1e-300, 1e38, 4e38, 1e-46, 9e15, -9e15,
    };
    switch (below(4)) {
    case 0: return hard[below(COUNT(hard))];
    case 1: return pow(10, between(-308, 308)) * (chance(50) ? 1 : -1);
    case 2: return (double)below(7);
    default: return between(-3, 3);
    }
}

double any_number(void)
{
    static const double none[] = {NAN, INFINITY, -INFINITY};
    return chance(15) ? none[below(3)] : any_finite();
}

double some_value(void) { return chance(4) ? any_finite() : between(-2, 2); }
