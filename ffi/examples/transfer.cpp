// What earlier runs taught: three data sets were tuned before, and the fourth starts near its answer.
//
//     c++ -std=c++17 transfer.cpp $(pkg-config --cflags --libs infill) && ./a.out

#include <infill.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int earlier = 3;
constexpr unsigned evaluations = 40;

/// Validation loss by the rate, the penalty and the depth; what is best differs little from data set to data set.
double loss(const std::vector<double> &x, int set) {
    const double rate = std::log10(x[0]) + 2.6 - 0.1 * set, penalty = std::log10(x[1]) + 4 + 0.2 * set;
    const double depth = (x[2] - 6 - set % 2) / 4;
    return 0.1 * (set + 1) + 0.2 * rate * rate + 0.02 * penalty * penalty + 0.1 * depth * depth + 0.03 * rate * depth;
}

int main() {
    const infill::space space{infill::real(1e-5, 1).log(), infill::real(1e-8, 1).log(), infill::integer(1, 16)};
    infill::config config;
    config.limits.trials = evaluations;

    // The sources lie one behind the other: a file of them grows by what is appended.
    std::vector<std::uint64_t> words;
    for (int set = 0; set < earlier; ++set) {
        config.seed = static_cast<std::uint64_t>(set);
        infill::optimizer optimizer(space, config);
        optimizer.minimize([&](const std::vector<double> &x) { return loss(x, set); }, evaluations);
        const std::vector<std::uint64_t> source = optimizer.source();
        words.insert(words.end(), source.begin(), source.end());
    }
    std::printf("%zu sources in %zu bytes\n", infill::sources_check(words), 8 * words.size());

    // How many evaluations a new run takes until it is good enough.
    config.limits.sources = earlier;
    auto trials = [&](const infill::sources &sources) {
        unsigned count = 0;
        infill::optimizer optimizer(space, config);
        optimizer.minimize_from(
            sources, [](const std::vector<double> &x) { return loss(x, earlier); }, evaluations,
            [&](const infill::step &step) {
                count = step.evaluation;
                return step.best > 0.1 * (earlier + 1) + 0.02;
            });
        return count;
    };
    const unsigned alone = trials({}), helped = trials(words);
    std::printf("without them good enough at evaluation %u\n", alone);
    std::printf("with them good enough at evaluation %u\n", helped);
    return helped < alone ? 0 : 1;
}
