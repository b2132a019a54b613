"""Single parts: designs, and what a trial is worth."""

import ctypes

from . import _abi
from ._abi import lib
from ._numbers import real, whole, word
from .space import space as _space


def design(space, count, kind="sobol", seed=0, total=None, conditions=()):
    """The first ``count`` points of a design of ``total`` points (count): uniform, latin_hypercube, sobol, halton, grid.

    Where a point is forbidden, a random one that is not stands for it.
    """
    space = _space(space, conditions)
    count, total = whole("count", count), whole("total", count if total is None else total)
    memory = _abi.block(lib.design_size(space.data) or 8)
    points = (ctypes.c_double * (count * len(space)))()
    kind, seed = word("kind", kind, _abi.DESIGN), whole("seed", seed, 64)
    lib.design(memory, ctypes.sizeof(memory), space.data, kind, seed, total, points, count, len(space))
    return [space.decode(points[i : i + len(space)]) for i in range(0, len(points), len(space))]


def score(mean, variance, best, acquisition="log_improvement", parameter=0.0):
    """What a trial is worth where the model predicts this and best is the lowest value so far; larger is better."""
    out = ctypes.c_double()
    lib.acquisition_score(*_rule(mean, variance, best, acquisition, parameter), out)
    return out.value


def score_gradient(mean, variance, best, acquisition="log_improvement", parameter=0.0):
    """As score, with the derivatives by the mean and by the standard deviation."""
    outs = [ctypes.c_double() for _ in range(3)]
    lib.acquisition_gradient(*_rule(mean, variance, best, acquisition, parameter), *outs)
    return tuple(out.value for out in outs)


def _rule(mean, variance, best, acquisition, parameter):
    numbers = (real("mean", mean), real("variance", variance), real("best", best))
    return (word("acquisition", acquisition, _abi.ACQUISITION), real("parameter", parameter)) + numbers


def bound_schedule(trial, dims, delta):
    """The β after so many trials with which all bounds hold together with probability 1 − delta."""
    out = ctypes.c_double()
    lib.bound_schedule(whole("trial", trial, 64), whole("dims", dims), real("delta", delta), out)
    return out.value
