"""Compares the forests of infill with those of scikit-learn: test error and time, one thread, same settings.

usage: forest.py path/to/examples/forest [error|time|all] [seeds]

Ends with status 1 if a test error is more than 5 % above scikit-learn's, or fit or predict is slower. Medians over
seeds; both sides read the same data. Needs numpy and scikit-learn.
"""

import os
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from sklearn import datasets
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor, RandomForestRegressor

# kind, trees, share of features, rows in a leaf, depth
SETTINGS = [
    ("random", 100, 1.0, 1, 64),
    ("random", 100, 5 / 6, 2, 64),
    ("random", 100, 1 / 3, 5, 64),
    ("extra", 100, 1.0, 1, 64),
    ("extra", 100, 1.0, 2, 64),
    ("boosted", 300, 1.0, 1, 3),
]


def sklearn_model(kind, trees, features, leaf, depth, seed, **more):
    common = dict(max_features=features, min_samples_leaf=leaf, max_depth=depth, random_state=seed)
    if kind == "random":
        return RandomForestRegressor(trees, n_jobs=1, **common)
    if kind == "extra":
        return ExtraTreesRegressor(trees, n_jobs=1, **common)
    return GradientBoostingRegressor(n_estimators=trees // 3, **common, **more)


def write(path, x, y):
    with open(path, "wb") as out:
        np.array(x.shape, dtype="<u8").tofile(out)
        np.ascontiguousarray(x, dtype="<f8").tofile(out)
        np.ascontiguousarray(y, dtype="<f8").tofile(out)


def infill(program, folder, setting, seed, train, test):
    kind, trees, features, leaf, depth = setting
    paths = [os.path.join(folder, name) for name in ("train", "test", "out")]
    write(paths[0], *train)
    write(paths[1], *test)
    line = [program, kind, trees, repr(features), leaf, depth, seed, *paths]
    done = subprocess.run([str(word) for word in line], check=True, capture_output=True, text=True)
    fit, predict, nodes = done.stdout.split()
    both = np.fromfile(paths[2], dtype="<f8").reshape(2, -1)
    assert (both[1] >= 0).all()
    return both, float(fit), float(predict), int(nodes)


def wing(n, seed):
    """Weight of a wing: ten inputs, products of powers (Forrester, Sobester and Keane 2008)."""
    u = np.random.default_rng(seed).random((n, 10))
    low = np.array([150, 220, 6, -10, 16, 0.5, 0.08, 2.5, 1700, 0.025])
    high = np.array([200, 300, 10, 10, 45, 1, 0.18, 6, 2500, 0.08])
    s, w, a, sweep, q, taper, tc, nz, wdg, wp = (low + u * (high - low)).T
    cos = np.cos(np.radians(sweep))
    y = 0.036 * s**0.758 * w**0.0035 * (a / cos**2) ** 0.6 * q**0.006 * taper**0.04
    return u, y * (100 * tc / cos) ** -0.3 * (nz * wdg) ** 0.49 + s * wp


def unit(x):
    return (x - x.min(0)) / (x.max(0) - x.min(0))


def sets(seed):
    """Each: name, training rows, test rows; the inputs within the unit cube, as the library keeps them."""
    for number, make in enumerate((datasets.make_friedman1, datasets.make_friedman2, datasets.make_friedman3), 1):
        noise = (1.0, 125.0, 0.1)[number - 1]
        x, y = make(n_samples=3000, noise=noise, random_state=seed)
        yield f"friedman-{number}", (unit(x)[:1000], y[:1000]), (unit(x)[1000:], y[1000:])
    x, y = wing(3000, seed)
    yield "wing weight", (x[:1000], y[:1000]), (x[1000:], y[1000:])
    x, y = datasets.load_diabetes(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(y))
    x = unit(x)[order]
    y = y[order]
    yield "diabetes", (x[:300], y[:300]), (x[300:], y[300:])


def errors(program, folder, seeds):
    """Root mean square of the test error; for boosting also the mean deviation that is predicted."""
    found = {}
    for seed in range(seeds):
        for name, train, test in sets(seed):
            # Trees of scikit-learn keep their inputs in single precision: give both sides the same numbers.
            train, test = [(x.astype(np.float32).astype(float), y) for x, y in (train, test)]
            for setting in SETTINGS:
                model = sklearn_model(*setting, seed).fit(*train)
                theirs = np.sqrt(np.mean((model.predict(test[0]) - test[1]) ** 2))
                both, *_ = infill(program, folder, setting, seed, train, test)
                ours = np.sqrt(np.mean((both[0] - test[1]) ** 2))
                row = [ours, theirs]
                if setting[0] == "boosted":
                    low, high = (
                        sklearn_model(*setting, seed, loss="quantile", alpha=q).fit(*train).predict(test[0])
                        for q in (0.16, 0.84)
                    )
                    # 1.9889 = Φ⁻¹(0.84) − Φ⁻¹(0.16).
                    row += [np.mean(np.sqrt(both[1])), np.mean(np.maximum(high - low, 0)) / 1.9889158]
                found.setdefault((name, setting), []).append(row)
    good = True
    print("| set | kind | trees | features | leaf | infill | scikit-learn | ratio |\n|---|---|---|---|---|---|---|---|")
    for (name, (kind, trees, features, leaf, _)), rows in found.items():
        rows = np.array(rows)
        ours, theirs = np.median(rows[:, 0]), np.median(rows[:, 1])
        ratio = np.median(rows[:, 0] / rows[:, 1])
        good &= ratio <= 1.05
        print(f"| {name} | {kind} | {trees} | {features:.2f} | {leaf} | {ours:.4g} | {theirs:.4g} | {ratio:.3f} |")
        if rows.shape[1] > 2:
            ours, theirs = np.median(rows[:, 2]), np.median(rows[:, 3])
            ratio = np.median(rows[:, 2] / rows[:, 3])
            good &= 0.95 <= ratio <= 1.05
            print(f"| {name} | deviation | {trees} | {features:.2f} | {leaf} | {ours:.4g} | {theirs:.4g} | {ratio:.3f} |")
    return good


def times(program, folder):
    """Time of fit and predict at 10,000 rows of ten coordinates, 100 trees; the least of three runs each."""
    good = True
    print("| kind | features | leaf | | infill ms | scikit-learn ms | ratio |\n|---|---|---|---|---|---|---|")
    x, y = datasets.make_friedman1(n_samples=20000, noise=1.0, random_state=1)
    x = x.astype(np.float32).astype(float)
    train, test = (x[:10000], y[:10000]), (x[10000:], y[10000:])
    single = test[0].astype(np.float32)
    for setting in SETTINGS:
        runs = []
        for seed in range(3):
            start = time.perf_counter()
            models = [sklearn_model(*setting, seed).fit(*train)]
            if setting[0] == "boosted":
                quantile = [sklearn_model(*setting, seed, loss="quantile", alpha=q) for q in (0.16, 0.84)]
                models += [model.fit(*train) for model in quantile]
            middle = time.perf_counter()
            for model in models:
                model.predict(single)
            end = time.perf_counter()
            _, fit, predict, _ = infill(program, folder, setting, seed, train, test)
            runs.append((fit, middle - start, predict, end - middle))
        runs = 1000 * np.min(runs, axis=0)
        kind, _, features, leaf, _ = setting
        for verb, ours, theirs in (("fit", *runs[:2]), ("predict", *runs[2:])):
            good &= bool(ours <= theirs)
            line = f"| {kind} | {features:.2f} | {leaf} | {verb} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.2f} |"
            print(line)
    return good


def main():
    program = sys.argv[1]
    what = sys.argv[2] if len(sys.argv) > 2 else "all"
    seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    good = True
    with tempfile.TemporaryDirectory() as folder:
        if what in ("time", "all"):
            good &= times(program, folder)
        if what in ("error", "all"):
            good &= errors(program, folder, seeds)
    sys.exit(0 if good else 1)


main()
