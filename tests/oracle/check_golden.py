#!/usr/bin/env python3
"""Recomputes golden.txt with mpmath at 30 digits from the textbook formulas (explicit inverses, no Cholesky).

Fails if a number differs by more than 1.5 units of its last printed digit (or 2e-13
relative: the long ones carry the rounding of float64, cancellation included). Then the tables of kernels and of
acquisitions, as tables.py says; --write writes their numbers. Needs mpmath.
"""

import math
import pathlib
import sys

import mpmath as mp
from mpmath import mpf

import tables

mp.mp.dps = 30
if "--write" in sys.argv:
    tables.write()
HERE = pathlib.Path(__file__).resolve().parent
NOT_NUMBERS = {"check", "kernel", "prior"}


def read(path):
    cases, name = {}, None
    for raw in path.read_text(encoding="utf-8").splitlines():
        if not raw or raw.startswith("#"):
            continue
        key, *values = raw.split()
        if key == "case":
            name = values[0]
            cases[name] = {}
        else:
            cases[name].setdefault(key, []).append(values)
    return cases


CASES = read(HERE / "golden.txt")
failures = []
count = 0


def text(case, key):
    return CASES[case][key][0][0]


def rows(case, key):
    return [[mpf(v) for v in row] for row in CASES[case][key]]


def flat(case, key):
    return [v for row in rows(case, key) for v in row]


def one(case, key):
    return flat(case, key)[0]


def last_digit(word):
    """Size of one unit in the last printed place."""
    mantissa, _, exponent = word.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    return mpf(10) ** (int(exponent or 0) - places)


def expect(case, key, values):
    global count
    words = [w for row in CASES[case][key] for w in row]
    if len(words) != len(values):
        failures.append(f"{case} {key}: {len(values)} values for {len(words)}")
        return
    for word, value in zip(words, values):
        count += 1
        # An integer is exact, or the value rounds to it (z = ±1e9).
        unit = last_digit(word) if "." in word or "e" in word.lower() else mpf("1e-11")
        if abs(mpf(word) - value) > max(1.5 * unit, 2e-13 * abs(value)):
            failures.append(f"{case} {key}: printed {word}, computed {mp.nstr(value, 15)}")


def profile(name, r, l=1, shape=None):
    r, l = mpf(r), mpf(l)
    u = r / l
    if name == "se":
        return mp.exp(-u * u / 2)
    if name.startswith("matern"):
        nu = {"12": mpf("0.5"), "1": mpf(1), "32": mpf("1.5"), "52": mpf("2.5"), "20": mpf(20)}[name[6:]]
        z = mp.sqrt(2 * nu) * u
        return mpf(1) if z == 0 else 2 ** (1 - nu) / mp.gamma(nu) * z**nu * mp.besselk(nu, z)
    if name.startswith("gamma"):
        return mp.exp(-(u ** (shape if shape is not None else mpf(name[5:]))))
    if name.startswith("rq"):
        a = shape if shape is not None else mpf(name[2:])
        return (1 + u * u / (2 * a)) ** -a
    raise ValueError(name)


def gram(x, k, noise):
    n = len(x)
    return mp.matrix(n, n) + mp.matrix([[k(a, b) + (noise if i == j else 0) for j, b in enumerate(x)] for i, a in enumerate(x)])


def log_density(y, covariance):
    y = mp.matrix(y)
    quadratic = (y.T * mp.inverse(covariance) * y)[0]
    return -quadratic / 2 - mp.log(mp.det(covariance)) / 2 - mpf(len(y)) / 2 * mp.log(2 * mp.pi)


# The five inputs as printed are doubles; sin at them is 0 or ±1 to 1e-16.
SINE_X = flat("data/sine", "x")
SINE_Y = flat("data/sine", "y")


def sine_gram(l, noise):
    return gram(SINE_X, lambda a, b: profile("se", abs(a - b), l), noise)


def sine_cross(star, l):
    return mp.matrix([profile("se", abs(a - star), l) for a in SINE_X])


def Phi(z):
    return mp.ncdf(z)


def phi(z):
    return mp.npdf(z)


def ei(gain, std):
    return gain * Phi(gain / std) + std * phi(gain / std)


def check_evidence(case):
    noise = one(case, "noise")

    def logp(l):
        return log_density(SINE_Y, sine_gram(l, noise))

    expect(case, "logp", [logp(l) for l in flat(case, "l")])
    if "slope" in CASES[case]:
        expect(case, "slope", [mp.diff(logp, l) for l in flat(case, "slope_l")])
    best = mp.findroot(lambda l: mp.diff(logp, l), (mpf("1.44"), mpf("1.47")), tol=1e-12)
    expect(case, "best_l", [best])
    expect(case, "best_logp", [logp(best)])


def check_posterior(case):
    l, noise = one(case, "l"), one(case, "noise")
    inverse = mp.inverse(sine_gram(l, noise))
    y = mp.matrix(SINE_Y)
    cross = [sine_cross(s, l) for s in flat(case, "xstar")]
    expect(case, "mean", [(c.T * inverse * y)[0] for c in cross])
    expect(case, "variance", [1 - (c.T * inverse * c)[0] for c in cross])


def check_loo(case):
    noise = one(case, "noise")

    def refit(l):
        """One explicit refit per point left out."""
        means, variances = [], []
        for i in range(len(SINE_X)):
            keep = [j for j in range(len(SINE_X)) if j != i]
            k = sine_gram(l, noise)
            inverse = mp.inverse(mp.matrix([[k[a, b] for b in keep] for a in keep]))
            cross = mp.matrix([k[a, i] for a in keep])
            means.append((cross.T * inverse * mp.matrix([SINE_Y[a] for a in keep]))[0])
            variances.append(1 + noise - (cross.T * inverse * cross)[0])
        total = sum(
            -mp.log(2 * mp.pi * v) / 2 - (y - m) ** 2 / (2 * v) for y, m, v in zip(SINE_Y, means, variances)
        )
        return means, variances, total

    means, variances, total = refit(one(case, "l"))
    expect(case, "mean", means)
    expect(case, "variance", variances)
    expect(case, "logp", [total])
    expect(case, "slope_l", [mp.diff(lambda l: refit(l)[2], one(case, "l"))])


def check_smoother(case):
    noise = one(case, "noise")
    values = sorted(mp.eigsy(sine_gram(one(case, "l"), 0), eigvals_only=True))
    expect(case, "eigenvalues", values)
    expect(case, "freedom", [sum(v / (v + noise) for v in values)])


def check_trend(case):
    l, noise, vague = one(case, "l"), one(case, "noise"), text(case, "prior") == "vague"
    k = sine_gram(l, noise)
    inverse = mp.inverse(k)
    h = mp.matrix([[1] * len(SINE_X), SINE_X])
    b = mp.matrix([0, 0]) if vague else mp.matrix(flat(case, "b"))
    precision = mp.zeros(2) if vague else mp.eye(2)
    y = mp.matrix(SINE_Y)
    a = mp.inverse(precision + h * inverse * h.T)
    beta = a * (h * inverse * y + precision * b)
    means, variances = [], []
    for star in flat(case, "xstar"):
        c = sine_cross(star, l)
        r = mp.matrix([1, star]) - h * inverse * c
        means.append((c.T * inverse * y)[0] + (r.T * beta)[0])
        variances.append(1 - (c.T * inverse * c)[0] + (r.T * a * r)[0])
    if "beta" in CASES[case]:
        expect(case, "beta", list(beta))
    expect(case, "mean", means)
    expect(case, "variance", variances)
    if "logp" in CASES[case]:
        expect(case, "logp", [log_density(list(y - h.T * b), k + h.T * h)])


def check_student(case):
    k = sine_gram(one(case, "l"), one(case, "noise"))
    y, n = mp.matrix(SINE_Y), len(SINE_X)
    beta = (y.T * mp.inverse(k) * y)[0]
    expect(case, "beta", [beta])
    expect(case, "factor", [(nu + beta - 2) / (nu + n - 2) for nu in flat(case, "nu")])
    nu = mpf(3)
    logp = (
        mp.loggamma((nu + n) / 2) - mp.loggamma(nu / 2) - mpf(n) / 2 * mp.log((nu - 2) * mp.pi)
        - mp.log(mp.det(k)) / 2 - (nu + n) / 2 * mp.log(1 + beta / (nu - 2))
    )
    expect(case, "logp_nu3", [logp])
    expect(case, "logp_normal", [log_density(SINE_Y, k)])


def check_noisy(case):
    x, y = flat(case, "x"), flat(case, "y")

    def logp(l, variance, noise):
        return log_density(y, gram(x, lambda a, b: variance * profile("se", abs(a - b), l), noise))

    best = [one(case, key) for key in ("best_l", "best_variance", "best_noise")]
    expect(case, "best_logp", [logp(*best)])
    expect(case, "logp_at_ones", [logp(1, 1, 1)])
    for position in range(3):
        def along(v, position=position):
            return logp(*(v if i == position else b for i, b in enumerate(best)))
        slope = mp.diff(along, best[position])
        # 1e-6 printed, curvature up to about 100.
        if abs(slope) > 1e-3:
            failures.append(f"{case}: slope {mp.nstr(slope, 5)} at the optimum, parameter {position}")


def check_acquisition(case):
    data = list(zip(flat(case, "mean"), flat(case, "std"), flat(case, "tau")))
    expect(case, "pi", [Phi((m - t) / s) for m, s, t in data])
    expect(case, "ei", [ei(m - t, s) for m, s, t in data])
    for beta in ("0.5", "1.5"):
        # The printed rows with std = 1e-9 are rounded.
        expect(case, f"ucb_{beta}", [m + (mpf(beta) * s if s > 1e-6 else 0) for m, s, _ in data])


def check_student_ei(case):
    nu, m, s, t = (one(case, key) for key in ("nu", "mean", "std", "tau"))

    def density(z):
        return mp.gamma((nu + 1) / 2) / mp.gamma(nu / 2) / mp.sqrt(nu * mp.pi) * (1 + z * z / nu) ** (-(nu + 1) / 2)

    expect(case, "ei", [mp.quad(lambda z: (m + s * z - t) * density(z), [(t - m) / s, 1, 10, 100, mp.inf])])


def check_standard_ei(case):
    expect(case, "ei", [ei(z, mpf(1)) for z in flat(case, "z")])


def check_moments(case):
    """By quadrature over the improvement; what is left out lies 12 deviations beyond the weight's peak."""
    keys = ("best", "mean", "std", "t")
    found = {"pi": [], "ei": [], "gei_2": [], "mgfi": []}
    for best, m, s, t in zip(*(flat(case, key) for key in keys)):
        top = max(best - m, 0) + t * s * s + 12 * s
        places = [top * i / 8 for i in range(9)]
        for key, weight in (
            ("pi", lambda i: 1), ("ei", lambda i: i), ("gei_2", lambda i: i * i), ("mgfi", lambda i: mp.exp(t * i - t))
        ):
            found[key].append(mp.quad(lambda i: weight(i) * phi((best - m - i) / s) / s, places))
    for key, values in found.items():
        expect(case, key, values)


def check_cooling(case):
    start, end = one(case, "from"), one(case, "to")
    expect(case, "factor", [(end / start) ** (1 / n) for n in flat(case, "steps")])
    expect(case, "middle", [mp.sqrt(start * end)])


def legendre(count, lower, upper):
    """Places and weights of Gauss and Legendre's rule."""
    rule = []
    for i in range(count):
        x = math.cos(math.pi * (i + 0.75) / (count + 0.5))
        for _ in range(20):
            before, here = 1.0, x
            for k in range(2, count + 1):
                before, here = here, ((2 * k - 1) * x * here - (k - 1) * before) / k
            slope = count * (x * here - before) / (x * x - 1)
            x -= here / slope
        half = (upper - lower) / 2
        rule.append((lower + half * (1 + x), 2 * half / ((1 - x * x) * slope * slope)))
    return rule


def check_hyper(case):
    """In float64: seven digits are enough here. K = QΛQᵀ is taken apart once for each length, at 30 digits."""
    n, best = 7, math.sin(2)
    stars = [float(star) for star in flat(case, "xstar")]
    logs = legendre(40, -7.0, 5.0)
    total, first, second = 0.0, [0.0] * 3, [0.0] * 3
    means, gains = [0.0] * len(stars), [0.0] * len(stars)
    # l = 10u², so that the places lie closer where the kernel changes fast.
    for u, share in legendre(48, 0.0, 1.0):
        l = 10 * u * u
        values, q = mp.eigsy(gram(range(n), lambda a, b: profile("se", abs(a - b), l), 0))

        def turned(v):
            return [float(sum(q[i, j] * v[i] for i in range(n))) for j in range(n)]

        values, y = [float(v) for v in values], turned([math.sin(i) for i in range(n)])
        crosses = [turned([math.exp(-(((i - star) / l) ** 2) / 2) for i in range(n)]) for star in stars]
        for log_variance, a in logs:
            variance = math.exp(log_variance)
            for log_noise, b in logs:
                d = [variance * v + math.exp(log_noise) for v in values]
                weight = math.exp(-sum(v * v / e for v, e in zip(y, d)) / 2) / math.sqrt(math.prod(d))
                weight *= share * 20 * u * a * b
                total += weight
                for i, v in enumerate((l, log_variance, log_noise)):
                    first[i] += weight * v
                    second[i] += weight * v * v
                for i, c in enumerate(crosses):
                    mean = variance * sum(p * v / e for p, v, e in zip(c, y, d))
                    sd = math.sqrt(max(variance - variance**2 * sum(p * p / e for p, e in zip(c, d)), 1e-300))
                    z = (mean - best) / sd
                    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
                    means[i] += weight * mean
                    gains[i] += weight * ((mean - best) * math.erfc(-z / math.sqrt(2)) / 2 + sd * density)
    expect(case, "posterior_mean", [v / total for v in first])
    expect(case, "posterior_sd", [math.sqrt(w / total - (v / total) ** 2) for v, w in zip(first, second)])
    expect(case, "mean", [v / total for v in means])
    expect(case, "ei", [v / total for v in gains])


KRIGING_X, KRIGING_Y = [mpf(0), mpf("0.5"), mpf(1)], [mpf(1), mpf(0), mpf(2)]


def check_kriging(case):
    """The bordered system [K F; Fᵀ 0][w; λ] = [k₀; f₀]."""
    l, star = one(case, "l"), one(case, "xstar")
    basis = {"simple": [], "ordinary": [lambda x: mpf(1)], "universal": [lambda x: mpf(1), lambda x: x]}
    basis = basis[case.split("/")[1]]
    n, m = 3, len(basis)
    k = gram(KRIGING_X, lambda a, b: profile("se", abs(a - b), l), 0)
    big, right = mp.zeros(n + m), mp.zeros(n + m, 1)
    for i in range(n):
        right[i] = profile("se", abs(KRIGING_X[i] - star), l)
        for j in range(n):
            big[i, j] = k[i, j]
        for j in range(m):
            big[i, n + j] = big[n + j, i] = basis[j](KRIGING_X[i])
    for j in range(m):
        right[n + j] = basis[j](star)
    solution = mp.lu_solve(big, right)
    weights = [solution[i] for i in range(n)]
    expect(case, "weights", weights)
    expect(case, "mean", [sum(w * y for w, y in zip(weights, KRIGING_Y))])
    error = 1 - 2 * sum(w * right[i] for i, w in enumerate(weights))
    error += sum(weights[i] * k[i, j] * weights[j] for i in range(n) for j in range(n))
    expect(case, "variance", [error])
    if m:
        f = mp.matrix([[g(x) for g in basis] for x in KRIGING_X])
        inverse = mp.inverse(k)
        expect(case, "beta", list(mp.inverse(f.T * inverse * f) * f.T * inverse * mp.matrix(KRIGING_Y)))


def check_concentrated(case):
    values, n, y = [], 3, mp.matrix(KRIGING_Y)
    ones = mp.ones(3, 1)
    for l in flat(case, "l"):
        k = gram(KRIGING_X, lambda a, b: profile("se", abs(a - b), l), 0)
        inverse = mp.inverse(k)
        residual = y - ones * ((ones.T * inverse * y)[0] / (ones.T * inverse * ones)[0])
        sigma2 = (residual.T * inverse * residual)[0] / n
        values.append(-(n * mp.log(2 * mp.pi * sigma2) + mp.log(mp.det(k)) + n) / 2)
    expect(case, "logp", values)


def check_ard(case):
    data, name = "data/ard", case.split("/")[1]
    l, v, noise, m, best = flat(data, "l"), one(data, "v"), one(data, "noise"), one(data, "m"), one(data, "best")

    def k(a, b):
        if name == "laplace":
            return v * mp.exp(-sum(abs(p - q) / s for p, q, s in zip(a[0], b[0], l)))
        if name == "conditional" and a[1] != b[1]:
            return mpf(0)
        r = mp.sqrt(sum(((p - q) / s) ** 2 for p, q, s in zip(a[0], b[0], l)))
        return v * profile("se" if name == "se" else "matern52", r)

    x = list(zip(rows(data, "x"), flat(data, "branch")))
    stars = rows(case, "xstar")
    stars = list(zip(stars, flat(case, "branch") if "branch" in CASES[case] else [0] * len(stars)))
    y = [value - m for value in flat(data, "y")]
    covariance = gram(x, k, noise)
    expect(case, "logp", [log_density(y, covariance)])
    inverse = mp.inverse(covariance)
    means, variances = [], []
    for star in stars:
        c = mp.matrix([k(a, star) for a in x])
        means.append(m + (c.T * inverse * mp.matrix(y))[0])
        variances.append(v - (c.T * inverse * c)[0])
    expect(case, "mean", means)
    expect(case, "variance", variances)
    if "ei" in CASES[case]:
        expect(case, "ei", [ei(best - mean, mp.sqrt(var)) for mean, var in zip(means, variances)])


def check_horseshoe(case):
    expect(case, "value", [mp.log(mp.log(1 + (s / nu) ** 2)) for s, nu in zip(flat(case, "s"), flat(case, "nu"))])


def check_run(case):
    """One-dimensional runs: at each printed proposal EI has its printed value, and no grid point beats it."""
    lower, upper = one(case, "lower"), one(case, "upper")
    x = flat(case, "start")
    for proposal, value in zip(flat(case, "proposal"), flat(case, "ei")):
        y = [mp.sin(v) for v in x]
        inverse = mp.inverse(gram(x, lambda a, b: profile(text(case, "kernel"), abs(a - b)), mpf("1e-6")))
        alpha = inverse * mp.matrix(y)

        def improvement(star):
            c = mp.matrix([profile(text(case, "kernel"), abs(a - star)) for a in x])
            return ei((c.T * alpha)[0] - max(y), mp.sqrt(1 - (c.T * inverse * c)[0]))

        here = improvement(proposal)
        grid = max(improvement(lower + (upper - lower) * i / 400) for i in range(401))
        if abs(here / value - 1) > 2e-2:
            failures.append(f"{case}: EI {mp.nstr(here, 8)} at {mp.nstr(proposal, 6)}, printed {value}")
        if grid > here * mpf("1.0005"):
            failures.append(f"{case}: a grid point has EI {mp.nstr(grid, 8)} above {mp.nstr(here, 8)}")
        x.append(proposal)


for name, case in CASES.items():
    if "check" in case:
        globals()["check_" + text(name, "check")](name)
more, numbers = tables.check()
failures += more
count += numbers
print("\n".join(failures) if failures else f"{count} numbers agree")
sys.exit(1 if failures else 0)
