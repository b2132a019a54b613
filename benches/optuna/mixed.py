"""Compares TPE of infill with that of Optuna on the problem that has every kind of parameter.

usage: mixed.py path/to/examples/free [seeds]

Medians over seeds of the lowest value after 50 and after 100 evaluations. Ends with status 1 if ours is more than one and a
half times that of Optuna's default or of its multivariate, grouped sampler. Needs optuna.
"""

import statistics
import subprocess
import sys
import time
import warnings

import optuna

PLACES = (3, 7, 0, 5, 2, 6, 1, 4)
MOST = 1.5
SAMPLERS = {
    "default": {},
    "multivariate, grouped": {"multivariate": True, "group": True},
    "univariate": {"multivariate": False, "group": False},
}


def value(trial):
    x, y = (trial.suggest_float(name, 0, 1) for name in "xy")
    i, j = (trial.suggest_int(name, 0, 9) for name in "ij")
    place = PLACES[trial.suggest_categorical("c", list(range(8)))]
    e = trial.suggest_categorical("e", list(range(5)))
    numbers = 4 * (x - (place + 1) / 9) ** 2 + 4 * (y - (e + 1) / 6) ** 2
    return numbers + (i - place) ** 2 / 20 + abs(j - 2 * e) / 10 + 0.2 * place + 0.3 * ((2 * e + 1) % 5)


def theirs(settings, seeds):
    runs = []
    for seed in range(seeds):
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, **settings))
        study.optimize(value, n_trials=100)
        values = [trial.value for trial in study.trials]
        runs.append((min(values[:50]), min(values)))
    return [statistics.median(run[at] for run in runs) for at in (0, 1)]


def ours(program, seeds):
    done = subprocess.run([program, str(seeds), "tpe"], check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.splitlines()[-1].split()[1:]]


def main():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    print("%-40s %8s %8s %9s" % ("%d seeds" % seeds, 50, 100, "seconds"))
    start = time.perf_counter()
    mine = ours(sys.argv[1], seeds)
    print("%-40s %8.4f %8.4f %9.1f" % ("infill TPE", *mine, time.perf_counter() - start))
    bad = False
    for name, settings in SAMPLERS.items():
        start = time.perf_counter()
        other = theirs(settings, seeds)
        line = "Optuna %s TPE, %s" % (optuna.__version__, name)
        print("%-40s %8.4f %8.4f %9.1f" % (line, *other, time.perf_counter() - start))
        bad |= any(a > MOST * b for a, b in zip(mine, other))
    if bad:
        print("infill is more than %g times above" % MOST)
    return bad


if __name__ == "__main__":
    sys.exit(main())
