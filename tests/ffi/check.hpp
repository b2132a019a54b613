// What the C++ programs check with. It goes on after a failure; main returns failures().
#ifndef CHECK_HPP
#define CHECK_HPP

#include <cmath>
#include <cstdio>

inline int &failures() {
    static int count = 0;
    return count;
}

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition)) {                                                            \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ++failures();                                                              \
        }                                                                              \
    } while (false)

inline bool near(double a, double b, double tolerance) { return std::fabs(a - b) <= tolerance; }

#endif
