// Prints what an optimizer proposes, the bits of doubles: `proposals 4` with f32 inside, `proposals 8` with f64; a third
// argument is the name of a preset.

#include "infill.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

/// Sums and products only, so that every compiler and language gets the same bits.
static double cost(const std::vector<double> &x) {
    const double bowl = (x[1] - 2.0) * (x[1] - 2.0) + 0.125 * x[0] + 0.03125 * x[2] + x[3] * x[3];
    return x[0] == 1.0 ? bowl + x[4] : bowl + 0.5;
}

int main(int argc, char **argv) {
    infill::space space{
        infill::categorical(3),
        infill::real(-5, 10),
        infill::integer(1, 64).log(),
        infill::ordinal({0.1, 0.2, 0.7, 3.0}),
        infill::real(1e-3, 1).log().when(0, infill::equals(1)),
        infill::real(0, 1).when(2, infill::between(4, 32)).when(3, infill::in({0.1, 0.7})),
    };
    infill::config config = infill::config::preset(argc > 2 ? argv[2] : "default");
    config.seed = 20;
    config.limits.trials = 30;
    config.scalar = static_cast<infill_scalar>(argc > 1 ? std::atoi(argv[1]) : 8);
    infill::optimizer optimizer(space, config);
    for (int i = 0; i < 30; ++i) {
        const auto ask = optimizer.ask();
        for (double value : ask.x) {
            std::uint64_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            std::printf("%016" PRIx64 " ", bits);
        }
        std::printf("\n");
        optimizer.tell(ask.trial, cost(ask.x));
    }
    return 0;
}
