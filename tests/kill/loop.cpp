// asktell.c in C++: loop FILE EVALUATIONS [MILLISECONDS]. Killed at any moment and started again, it goes on.

#include "infill.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

/// Rosenbrock's valley, least at (1, 1).
static double valley(const std::vector<double> &x, long delay) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    return a * a + 10 * b * b;
}

/// The file is the old block or the new one, never a part of one.
static void save(const infill::optimizer &optimizer, const std::string &path) {
    const auto bytes = optimizer.save();
    std::ofstream out;
    out.exceptions(std::ios::badbit | std::ios::failbit);
    out.open(path + ".new", std::ios::binary);
    out.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    out.close();
    std::filesystem::rename(path + ".new", path);
}

static infill::optimizer begin(const std::string &path, std::uint32_t trials) {
    std::ifstream in(path, std::ios::binary);
    if (in) {
        const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
        return infill::optimizer::restore(bytes);
    }
    infill::config config;
    config.seed = 11;
    config.limits.trials = trials;
    return infill::optimizer(infill::space{infill::real(-2, 2), infill::real(-1, 3)}, config);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const long delay = argc > 3 ? std::atol(argv[3]) : 0;
    // A line counts once it is out: a killed program does not empty its buffers.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    infill::optimizer optimizer = begin(argv[1], static_cast<std::uint32_t>(std::atol(argv[2])));
    while (const auto question = optimizer.next()) {
        const auto &x = question->x;
        save(optimizer, argv[1]);
        std::printf("try   %.17g %.17g\n", x[0], x[1]);
        const double value = valley(x, delay);
        optimizer.tell(question->trial, value);
        save(optimizer, argv[1]);
        std::printf("saved %.17g %.17g %.17g\n", x[0], x[1], value);
    }
    const auto best = optimizer.best();
    std::printf("best  %.17g %.17g %.17g\n", best->x[0], best->x[1], best->value);
    return 0;
}
