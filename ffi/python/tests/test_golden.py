"""Every operation of a kernel and every acquisition against its row of the golden tables in tests/oracle."""

import math
import pathlib
import unittest

import infill
from infill import _abi, kernels

ORACLE = pathlib.Path(__file__).resolve().parents[3] / "tests" / "oracle"


def cases(name):
    """(name, [(key, words)]) of each case of a table."""
    found = []
    for line in (ORACLE / name).read_text(encoding="utf-8").splitlines():
        key, _, rest = line.partition(" ")
        if key == "case":
            found.append((rest, []))
        elif key and not key.startswith("#"):
            found[-1][1].append((key, rest.split()))
    return found


def numbers(words):
    return [float(word) for word in words]


def built(nodes):
    """The kernel of some nodes in postfix order."""
    stack = []
    for name, ard, bias, degree, *on in nodes:
        if name == "scale":
            stack.append(kernels.scale(stack.pop()))
        elif name in ("sum", "product"):
            right, left = stack.pop(), stack.pop()
            stack.append(left + right if name == "sum" else left * right)
        else:
            on = [int(k) for k in on] or None
            stack.append(kernels.leaf(name, on, ard == "ard", int(degree), bias == "bias"))
    (kernel,) = stack
    return kernel


class Golden(unittest.TestCase):
    def close(self, got, want, what):
        # A few operations on numbers of order 1, or the Bessel function, which is good to 1e-13; slopes are of order 10.
        for g, w in zip(got, want):
            self.assertAlmostEqual(g, w, delta=2e-12 * max(abs(w), 1), msg=what)
        self.assertEqual(len(got), len(want), what)

    def test_kernels(self):
        table = cases("kernels.txt")
        codes = {name: int(dict(lines)["code"][0]) for name, lines in table if "/" not in name}
        self.assertEqual({name.upper(): code for name, code in codes.items()}, _abi.OP, "cases of kernels.txt, _header OP")
        for name, lines in table:
            kernel = built([words for key, words in lines if key == "node"])
            theta = [math.log(t) for t in numbers(dict(lines).get("theta", []))]
            for key, words in lines:
                if key == "a":
                    a = numbers(words)
                elif key == "b":
                    b = numbers(words)
                    value, by_theta, by_a = kernel.gradient(theta, a, b)
                    found = {"value": [value], "by_theta": by_theta, "by_a": by_a}
                    self.close([kernel(theta, a, b), kernel.gram(theta, [a, b])[0][1]], [value, value], name)
                elif key in ("value", "by_theta", "by_a"):
                    self.close(found[key], numbers(words), "%s %s" % (name, key))

    def test_acquisitions(self):
        table = cases("acquisitions.txt")
        codes = {name.upper(): int(dict(lines)["code"][0]) for name, lines in table}
        self.assertEqual(codes, _abi.ACQUISITION, "cases of acquisitions.txt, _header ACQUISITION")
        for name, lines in table:
            for key, words in lines:
                if key == "at":
                    mean, deviation, best, parameter = numbers(words)
                    found = infill.score_gradient(mean, deviation**2, best, name, parameter)
                    self.assertEqual(infill.score(mean, deviation**2, best, name, parameter), found[0])
                    found = dict(zip(("score", "by_mean", "by_deviation"), found))
                elif key in ("score", "by_mean", "by_deviation"):
                    self.close([found[key]], numbers(words), "%s %s" % (name, key))
