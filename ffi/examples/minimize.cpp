// Chooses a smoother for noisy measurements by its cross-validated error: weights, width, level or line.
//
//     c++ -std=c++17 minimize.cpp $(pkg-config --cflags --libs infill) && ./a.out
//
// A mixed space with a condition: the penalty on the slope matters only where there is one. The error is cheap
// here, so the answer is compared with a scan of two thousand settings; the program fails if it is worse by 1 %.

#include <infill.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

// The names of categories, in the units of a point.
constexpr double gaussian = 0, tricube = 1;
constexpr double level = 0, line = 1;

struct measurements {
    std::vector<double> t, y;

    measurements() {
        std::mt19937 bits(7);
        auto uniform = [&] { return static_cast<double>(bits()) / 4294967296.0; };
        for (int i = 0; i < 120; ++i) {
            t.push_back(uniform());
            // The sum of twelve is nearly normal, and the same with every standard library.
            double noise = -6;
            for (int k = 0; k < 12; ++k) noise += uniform();
            y.push_back(std::sin(9 * t.back()) + t.back() + 0.3 * noise);
        }
    }

    /// Mean squared error of predicting each measurement from all others; NaN where a window is empty.
    double error(const std::vector<double> &x) const {
        double sum = 0;
        for (std::size_t i = 0; i < t.size(); ++i) {
            // Moments of the distances d and of the measurements, under the weights.
            double w = 0, d = 0, dd = 0, wy = 0, dy = 0;
            for (std::size_t j = 0; j < t.size(); ++j) {
                const double far = t[j] - t[i], u = std::fabs(far) / x[1];
                const double cut = u < 1 ? std::pow(1 - u * u * u, 3) : 0;
                const double weight = j == i ? 0 : x[0] == gaussian ? std::exp(-u * u / 2) : cut;
                w += weight, d += weight * far, dd += weight * far * far;
                wy += weight * y[j], dy += weight * far * y[j];
            }
            if (x[2] == line) dd += x[3] * w;
            const double fit = x[2] == line ? (dd * wy - d * dy) / (w * dd - d * d) : wy / w;
            sum += (fit - y[i]) * (fit - y[i]);
        }
        return sum / static_cast<double>(t.size());
    }
};

int main() {
    const measurements data;
    auto error = [&](const std::vector<double> &x) { return data.error(x); };

    infill::space space{
        infill::categorical(2),                                       // weights
        infill::real(0.01, 1).log(),                                  // width
        infill::categorical(2),                                       // shape
        infill::real(1e-6, 1).log().when(2, infill::equals(line)),    // penalty on the slope
    };
    infill::config config;
    config.seed = 1;
    infill::optimizer optimizer(space, config);
    const auto found = optimizer.minimize(error, 40, [](const infill::step &step) {
        if (step.evaluation % 10 == 0) std::printf("%2u evaluations: %.5f\n", step.evaluation, step.best);
    });

    double scanned = INFINITY;
    for (double kind : {gaussian, tricube}) {
        for (int i = 0; i < 100; ++i) {
            const double width = std::pow(0.01, i / 100.0);
            scanned = std::fmin(scanned, error({kind, width, level, 1}));
            for (int k = 0; k < 9; ++k) scanned = std::fmin(scanned, error({kind, width, line, std::pow(5, -k)}));
        }
    }

    std::printf("%s weights, width %.3f, %s: error %.5f; the scan found %.5f\n",
                found.x[0] == gaussian ? "gaussian" : "tricube", found.x[1], found.x[2] == line ? "line" : "level",
                found.value, scanned);
    return found.value <= 1.01 * scanned ? 0 : 1;
}
