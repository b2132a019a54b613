"""Prints the proposals of a run as bits: asks.py SCALAR SEED ASKS PRESET. The Rust twin is in tests/python.rs."""

import struct
import sys

import infill

SPACE = infill.Space(
    {
        "real": (-1.0, 2.0),
        "whole": (1, 64, "log"),
        "level": infill.ordinal([1, 2, 4, 8]),
        "choice": ["a", ("b", 2), None],
        "exponent": (1e-3, 10.0, "log"),
        "fraction": (0.0, 1.0),
    },
    [
        infill.Condition("exponent", "choice", equals=("b", 2)),
        infill.Condition("fraction", "whole", between=(3, 20)),
        infill.Condition("fraction", "choice", among=["a", None]),
    ],
)


def objective(p):
    """Only sums and products, so that every language gives the same bits."""
    a, b, c = p["real"] - 0.3, p["whole"] / 64 - 0.5, p["level"] - 2.0
    rest = {"a": 1.0, None: 0.75 + p["fraction"]}.get(p["choice"], 0.5 + (p["exponent"] - 0.1) * (p["exponent"] - 0.1))
    return a * a + b * b + c * c + rest


def main(scalar, seed, asks, preset):
    optimizer = infill.Optimizer(SPACE, trials=60, seed=int(seed), scalar=scalar, preset=preset, sampler_burn_in=10)
    opened = []
    for number in range(int(asks)):
        trial = optimizer.ask()
        values = list(SPACE.encode(trial.x))
        print(trial.id, *("%016x" % struct.unpack("<Q", struct.pack("<d", value)) for value in values))
        opened.append(trial)
        # Two stay open; each seventh fails.
        if len(opened) == 3:
            told = opened.pop(0)
            optimizer.tell(told, None if number % 7 == 6 else objective(told.x))


if __name__ == "__main__":
    main(*sys.argv[1:])
