/* What the programs of this folder share: a function to minimise, nodes of kernels, and both scalars in turn. */

#ifndef GOOD_H
#define GOOD_H

#include "../check.h"

static const double PI = 3.14159265358979323846;

static inline double bowl(const double *x, size_t dims) {
    double sum = 0;
    for (size_t i = 0; i < dims; i++) {
        sum += (x[i] - 0.3) * (x[i] - 0.3);
    }
    return sum;
}

static inline infill_hyper hyper(uint32_t role, double value) {
    infill_hyper h;
    memset(&h, 0, sizeof h);
    h.role = role;
    h.value = value;
    h.lo = value / 10;
    h.hi = role == INFILL_ROLE_CORRELATION ? 0.99 : role == INFILL_ROLE_SHAPE ? value * 1.2 : value * 10;
    return h;
}

static inline infill_node node(uint32_t op) {
    infill_node n;
    memset(&n, 0, sizeof n);
    n.op = op;
    return n;
}

static inline void in_both_scalars(void (*work)(uint32_t scalar)) {
    work(INFILL_F32);
    work(INFILL_F64);
}

#endif
