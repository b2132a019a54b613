"""kernels.txt and acquisitions.txt: every number from the formula of its case, at 30 digits with mpmath.

Derivatives are those of mpmath's own differences. Needs mpmath.
"""

import math
import pathlib

import mpmath as mp
from mpmath import mpf

HERE = pathlib.Path(__file__).resolve().parent
SINGLE = {"variance", "shape", "bias"}


def read(name):
    """The cases of a table: their lines, as words, in their order."""
    cases = {}
    for raw in (HERE / name).read_text(encoding="utf-8").splitlines():
        key, _, rest = raw.partition(" ")
        if key == "case":
            lines = cases[rest] = []
        elif key and not key.startswith("#"):
            lines.append((key, rest))
    return cases


def first(lines, key, otherwise=""):
    return next((rest for k, rest in lines if k == key), otherwise)


def numbers(text):
    return [mpf(word) for word in text.split()]


def derivative(f, at, i):
    return mp.diff(lambda v: f(at[:i] + [v] + at[i + 1 :]), at[i])


def bessel(nu, r):
    z = mp.sqrt(2 * nu) * r
    return mpf(1) if z == 0 else 2 ** (1 - nu) / mp.gamma(nu) * z**nu * mp.besselk(nu, z)


def chord(p, q, angle, radius):
    """The distance of two points on a circle, (0, 0) those of negative coordinates."""
    def place(x):
        return (mpf(0), mpf(0)) if x < 0 else (radius * mp.sin(mp.pi * angle * x), radius * mp.cos(mp.pi * angle * x))
    return mp.sqrt(sum((u - v) ** 2 for u, v in zip(place(p), place(q))))


class Kernels:
    """k of the tapes of the table."""

    def __init__(self, cases):
        self.formulas = {name: first(lines, "formula") for name, lines in cases.items() if first(lines, "formula")}
        self.roles = {name: first(cases[name], "roles").replace("-", "").split() for name in self.formulas}
        self.codes = {int(first(cases[name], "code")): name for name in self.formulas}

    def node(self, words, theta, a, b, stack):
        """The value of one node; takes its hyperparameters off the front of theta."""
        name, ard, bias, degree, *dims = words
        dims, degree = [int(k) for k in dims], int(degree)
        a, b = [a[k] for k in dims], [b[k] for k in dims]
        names = {k: getattr(mp, k) for k in ("exp", "log", "sqrt", "sin", "cos", "asin", "pi", "mpf")}
        names.update(bessel=bessel, chord=chord, prod=math.prod, a=a, b=b, degree=degree, bias=mpf(0))
        names["numbers"] = len(dims) - (degree >> 8)
        for role in self.roles[name]:
            if role == "bias" and bias == "no_bias":
                continue
            if role in SINGLE:
                names[role] = theta.pop(0)
            else:
                own = [theta.pop(0) for _ in range(len(dims) if ard == "ard" else 1)]
                names[role] = own if ard == "ard" else own * len(dims)
        if "length" in names:
            names["r"] = mp.sqrt(sum(((p - q) / l) ** 2 for p, q, l in zip(a, b, names["length"])))
        names["dot"] = lambda u, v: names["bias"] + sum(w * p * q for p, q, w in zip(u, v, names["weight"]))

        def profile(q):
            return eval(self.formulas[self.codes[degree & 255]], {**names, "r": mp.sqrt(q)})

        names["profile"] = profile
        for operand in ("y", "x") if name in ("sum", "product") else ("x",) if name == "scale" else ():
            names[operand] = stack.pop()
        return eval(self.formulas[name], names)

    def value(self, nodes, theta, a, b):
        theta, stack = list(theta), []
        for words in nodes:
            stack.append(self.node(words, theta, a, b, stack))
        assert len(stack) == 1 and not theta, "the hyperparameters are not those of the nodes"
        return stack[0]

    def case(self, lines):
        """The lines of the case, as they should be: for each pair the value and its derivatives."""
        nodes = [rest.split() for key, rest in lines if key == "node"]
        theta, frozen = numbers(first(lines, "theta")), int(first(lines, "frozen", "0"))
        flat = {int(k) for k in first(lines, "categories").split()}
        logs = [mp.log(t) for t in theta]
        out, a = [], None
        for key, rest in lines:
            if key in ("value", "by_theta", "by_a"):
                continue
            out.append((key, rest))
            if key == "a":
                a = numbers(rest)
            if key == "b":
                b = numbers(rest)
                out.append(("value", [self.value(nodes, theta, a, b)]))
                if logs:
                    by = [derivative(lambda t: self.value(nodes, [mp.exp(v) for v in t], a, b), logs, i)
                          if i < len(logs) - frozen else mpf(0) for i in range(len(logs))]
                    out.append(("by_theta", by))
                by = [mpf(0) if k in flat else derivative(lambda x: self.value(nodes, theta, x, b), a, k)
                      for k in range(len(a))]
                out.append(("by_a", by))
        return out


def acquisition(lines):
    """The lines of a case of a rule, as they should be."""
    formula = first(lines, "formula")

    def score(m, s, b, t):
        def gain(f, u):
            places = [mpf(0)] + [max(u, 0) + k * s for k in (1, 3, 6, 12)]
            return mp.quad(lambda i: f(i) * mp.npdf((u - i) / s) / s, places)
        names = {"Phi": mp.ncdf, "phi": mp.npdf, "log": mp.log, "sqrt": mp.sqrt, "gain": gain}
        return eval(formula, {**names, "m": m, "s": s, "b": b, "t": t})

    out = []
    for key, rest in lines:
        if key in ("score", "by_mean", "by_deviation"):
            continue
        out.append((key, rest))
        if key == "at":
            at = numbers(rest)
            out.append(("score", [score(*at)]))
            out.append(("by_mean", [derivative(lambda v: score(*v), at, 0)]))
            out.append(("by_deviation", [derivative(lambda v: score(*v), at, 1)]))
    return out


def tables():
    """Both tables: name, cases as they are, cases as they should be."""
    cases = read("kernels.txt")
    kernels = Kernels(cases)
    yield "kernels.txt", cases, {name: kernels.case(lines) for name, lines in cases.items()}
    cases = read("acquisitions.txt")
    yield "acquisitions.txt", cases, {name: acquisition(lines) for name, lines in cases.items()}


def check():
    """What differs by more than two units of the 17th digit, and how many numbers there are."""
    failures, count = [], 0
    for table, cases, fresh in tables():
        for name, lines in fresh.items():
            if [key for key, _ in lines] != [key for key, _ in cases[name]]:
                failures.append("%s %s: numbers are missing; check_golden.py --write" % (table, name))
                continue
            for (key, values), (_, printed) in zip(lines, cases[name]):
                if isinstance(values, str):
                    continue
                words = printed.split()
                if len(words) != len(values):
                    failures.append("%s %s %s: %d values for %d" % (table, name, key, len(values), len(words)))
                for word, value in zip(words, values):
                    count += 1
                    # What cancels to nothing is as good as 0: 30 digits were computed.
                    if abs(mpf(word) - value) > 2e-16 * abs(value) + mpf("1e-22"):
                        failures.append("%s %s %s: printed %s, computed %s" % (table, name, key, word, mp.nstr(value, 17)))
    return failures, count


def text(values):
    return " ".join("0" if abs(v) < mpf("1e-22") else mp.nstr(v, 17, min_fixed=-5, max_fixed=17) for v in values)


def write():
    """Writes the numbers of both tables anew; comments and order stay."""
    for table, _, fresh in tables():
        head = []
        for line in (HERE / table).read_text(encoding="utf-8").splitlines():
            if line.startswith("case "):
                break
            head.append(line)
        body = "\n".join(head).rstrip() + "\n"
        for name, lines in fresh.items():
            body += "\ncase %s\n" % name
            for key, rest in lines:
                body += ("%s %s" % (key, rest if isinstance(rest, str) else text(rest))).rstrip() + "\n"
        (HERE / table).write_text(body, encoding="utf-8")
