#!/usr/bin/env python3
"""Tunes a made-up training job: a rate, a size, and a momentum that matters to one method only.

PYTHONPATH=ffi/python INFILL_LIBRARY=target/release/libinfill.so python3 ffi/examples/minimize.py
"""

import math

import infill

SPACE = {
    "method": ["adam", "rmsprop", "sgd"],
    "rate": (1e-5, 1e-1, "log"),
    "units": (8, 512, "log"),
    "batch": infill.ordinal([16, 32, 64, 128]),
    "momentum": (0.0, 0.99),
}
CONDITIONS = [infill.Condition("momentum", "method", equals="sgd")]


def loss(p):
    """Lowest, 0.1, at sgd with momentum 0.9, rate 0.003, 96 units and batches of 64."""
    method = {"adam": 0.04, "rmsprop": 0.07, "sgd": (p["momentum"] - 0.9) ** 2}[p["method"]]
    rate = 0.02 * math.log10(p["rate"] / 0.003) ** 2
    size = 0.05 * math.log(p["units"] / 96) ** 2 + 0.02 * math.log2(p["batch"] / 64) ** 2
    # A training that runs out of memory has no loss.
    return None if p["units"] > 400 else 0.1 + method + rate + size


def main():
    improved = []

    def progress(step):
        if step.value == step.best:
            improved.append(step.best)
            print("%3d  %.4f  %s" % (step.evaluation, step.value, step.x))

    result = infill.minimize(loss, SPACE, budget=60, seed=1, conditions=CONDITIONS, progress=progress)
    failed = [trial for trial in result.history if trial.state == "failed"]
    print("best %.4f of %d evaluations, %d of which failed" % (result.value, len(result.history), len(failed)))
    assert len(result.history) == 60 and result.value == min(improved)
    assert result.x["method"] == "sgd" and result.value < 0.11


if __name__ == "__main__":
    main()
