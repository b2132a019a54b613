#!/usr/bin/env python3
"""What earlier runs taught: three data sets were tuned before, and the fourth starts near its answer.

PYTHONPATH=ffi/python INFILL_LIBRARY=target/release/libinfill.so python3 ffi/examples/transfer.py
"""

import math

import infill

SPACE = {"rate": (1e-5, 1.0, "log"), "penalty": (1e-8, 1.0, "log"), "depth": (1, 16)}
EARLIER, EVALUATIONS = 3, 40


def on(data):
    """The validation loss on a data set; what is best differs little from one to the next."""

    def loss(p):
        rate, penalty = math.log10(p["rate"]) + 2.6 - 0.1 * data, math.log10(p["penalty"]) + 4 + 0.2 * data
        depth = (p["depth"] - 6 - data % 2) / 4
        return 0.1 * (data + 1) + 0.2 * rate**2 + 0.02 * penalty**2 + 0.1 * depth**2 + 0.03 * rate * depth

    return loss


def trials(sources):
    """How many evaluations a new run takes until it is good enough."""
    enough = 0.1 * (EARLIER + 1) + 0.02
    settings = {"seed": 3, "sources": sources, "progress": lambda step: step.best <= enough}
    result = infill.minimize(on(EARLIER), SPACE, EVALUATIONS, **settings)
    assert result.stopped == "progress"
    return len(result.history)


def main():
    # Bytes, to be kept in files until they are of use.
    sources = [infill.minimize(on(data), SPACE, EVALUATIONS, seed=data).optimizer.source() for data in range(EARLIER)]
    print("%d sources in %d bytes" % (len(sources), sum(map(len, sources))))
    alone, helped = trials([]), trials(sources)
    print("without them good enough at evaluation %d" % alone)
    print("with them good enough at evaluation %d" % helped)
    assert helped < alone


if __name__ == "__main__":
    main()
