// What the files of this folder share. Together they are one program that calls and checks every function of infill.hpp, in
// the mode that throws.
#ifndef WRAPPER_HPP
#define WRAPPER_HPP

#include "infill.hpp"

#include "../check.hpp"

#include <array>
#include <string>

using std::vector;

/// The status that a call fails with; INFILL_OK if it does not.
template <class F>
infill_status code(F &&call) {
    try {
        call();
    } catch (const infill::error &error) {
        CHECK(!std::string(error.what()).empty());
        return error.code();
    }
    return INFILL_OK;
}

inline double bowl(const vector<double> &x) { return (x[0] - 1) * (x[0] - 1) + x[1] * x[1]; }

inline infill::space plane() { return {infill::real(-5, 10), infill::real(0, 15)}; }

inline infill::config seeded(std::uint64_t seed, std::uint32_t trials = 20) {
    infill::config config;
    config.seed = seed;
    config.limits.trials = trials;
    return config;
}

// One in each file.
void optimizers();
void processes();
void beyond();

#endif
