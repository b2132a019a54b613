"""asktell.c in Python: loop.py FILE EVALUATIONS [MILLISECONDS]. Killed at any moment and started again, it goes on."""

import os
import sys
import time

import infill

SPACE = {"x": (-2.0, 2.0), "y": (-1.0, 3.0)}


def main(path, evaluations, milliseconds="0"):
    if os.path.exists(path):
        optimizer = infill.Optimizer.load(path, SPACE)
    else:
        optimizer = infill.Optimizer(SPACE, trials=int(evaluations), seed=11)
    for trial in optimizer:
        x, y = trial.x["x"], trial.x["y"]
        optimizer.save(path)
        # A line counts once it is out: a killed program does not empty its buffers.
        print("try   %.17g %.17g" % (x, y), flush=True)
        time.sleep(int(milliseconds) / 1000)
        # Rosenbrock's valley, least at (1, 1).
        a, b = 1 - x, y - x * x
        value = a * a + 10 * b * b
        optimizer.tell(trial, value)
        optimizer.save(path)
        print("saved %.17g %.17g %.17g" % (x, y, value), flush=True)
    best = optimizer.best()
    print("best  %.17g %.17g %.17g" % (best.x["x"], best.x["y"], best.value), flush=True)


main(*sys.argv[1:])
