// As parabola.c, in C++ and with memory of its own.
#include <infill.h>
#if __has_include(<infill.hpp>)
#include <infill.hpp>
#endif
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

int main()
{
    infill_param params[] = {INFILL_REAL(-5, 10)};
    infill_space space = INFILL_SPACE(params, 1);
    infill_config config;
    infill_config_default(&config, sizeof config);
    std::vector<std::uint64_t> block(infill_size(&space, &config) / 8);
    infill_opt *opt = nullptr;
    if (infill_init(block.data(), block.size() * 8, &space, &config, &opt) != INFILL_OK)
        return 1;
    auto parabola = [](void *, const double *x, std::size_t, double *value) -> std::int32_t {
        *value = (x[0] - 2) * (x[0] - 2);
        return 0;
    };
    infill_minimize(opt, parabola, nullptr, 15);
    double x = 0, value = 0;
    infill_best(opt, &x, 1, &value);
    std::printf("%s %.2f\n", infill_version_str(), x);
}
