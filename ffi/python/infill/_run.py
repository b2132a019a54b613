"""The whole loop."""

import contextlib
import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _abi
from ._abi import Error, none_for
from ._numbers import real, whole
from .optimizer import Optimizer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import ConfigKeywords


class Step(NamedTuple):
    """What a run has come to after an evaluation."""

    evaluation: int
    budget: int
    x: Any
    #: NaN if the evaluation failed.
    value: float
    #: The lowest value so far; NaN if there is none.
    best: float


class Result:
    """What a run found.

    ``x`` and ``value`` are the best point and its value, or, of a noisy function, the recommended point and the model's
    mean there; None and NaN if every evaluation failed. ``history`` has the closed trials in their order, ``optimizer``
    goes on from here, ``stopped`` is "budget", "progress" or "exhausted".
    """

    def __init__(self, x, value, optimizer, stopped):
        self.x, self.value, self.optimizer, self.stopped = x, value, optimizer, stopped
        self.history = [record for record in optimizer.trials() if record.state in ("done", "failed")]

    def __repr__(self):
        count = len(self.history)
        plural = "" if count == 1 else "s"
        return "Result(x=%r, value=%.6g, %d evaluation%s, stopped=%r)" % (
            self.x,
            self.value,
            count,
            plural,
            self.stopped,
        )


def minimize(
    f,
    space,
    budget,
    *,
    trials=0,
    progress=None,
    noise=None,
    conditions=(),
    sources=(),
    features=None,
    backend=None,
    **settings: "Unpack[ConfigKeywords]",
):
    """Finds the minimum of f, expensive to evaluate, in so many evaluations.

    >>> result = minimize(lambda p: (p["x"] - 2) ** 2, {"x": (-5.0, 10.0)}, 15, seed=1)
    >>> round(result.x["x"], 1)
    2.0

    f gets a point of the space, a dict or a list, and returns a number; None, NaN or an infinity says that the
    evaluation failed. An exception in f ends the run and comes out here; to keep what was found until then, call
    ``run`` with an ``Optimizer`` of your own.

    ``noise=True`` says that values are noisy, a number that their variance is known: the result is the recommended point
    then, and the settings are the defaults as ever, than which none was measured to be better. ``progress`` is called with a
    ``Step`` after each evaluation, and stops the run by returning True; ``progress=True`` writes a line for each to
    stderr. A finite space that has been tried out ends the run early. ``sources`` are what earlier runs on other data sets
    taught, a list of ``Source``; what this one teaches is ``result.optimizer.source()``. Other keywords are those of ``Optimizer``.
    """
    budget = whole("the budget", budget)
    noisy = noise is not None and noise is not False
    variance = real("the noise", noise) if noisy and noise is not True else 0.0
    given = {"conditions": conditions, "sources": sources, "features": features}
    optimizer = Optimizer(space, max(budget, trials, 1), **given, **settings)
    stopped = run(optimizer, f, budget, progress=progress, variance=variance, backend=backend)
    # Of noisy values the lowest is a lucky one.
    noisy = noisy or str(settings.get("incumbent")).lower() == "mean"
    x, value = _found(optimizer.recommend if noisy else optimizer.best)
    return Result(x, value, optimizer, stopped)


def run(optimizer, f, budget, *, progress=None, variance=0.0, backend=None):
    """Asks, evaluates and tells so many times, as ``Optimizer.next`` does; returns why it stopped.

    If f raises, its trial is forgotten; what was told is kept.
    """
    budget, variance = whole("the budget", budget), real("the variance", variance)
    if not 0.0 <= variance < math.inf:
        raise ValueError("a variance is finite and not negative, not %r" % (variance,))
    report = _line if progress is True else progress
    for evaluation in range(1, budget + 1):
        trial = optimizer.next(backend)
        if trial is None:
            return "exhausted" if optimizer.remaining else "budget"
        try:
            value = _told(optimizer, trial, f(trial.x), variance)
        except BaseException:
            # An interrupt may come after the trial was closed.
            with contextlib.suppress(Error):
                optimizer.forget(trial)
            raise
        if report and report(Step(evaluation, budget, trial.x, value, _found(optimizer.best)[1])):
            return "progress"
    return "budget"


def _told(optimizer, trial, value, variance):
    """Tells a value; NaN if that says, or comes to, a failure."""
    value = math.nan if value is None else real("what f returns", value)
    try:
        optimizer.tell(trial, value, variance)
    except Error as error:
        # Finite here, but not in the scalar of the optimizer.
        if error.code != _abi.STATUS["ERROR_NOT_FINITE"]:
            raise
        optimizer.fail(trial)
        return math.nan
    return value if math.isfinite(value) else math.nan


def _found(ask):
    """Point and value, None and NaN as long as there are none."""
    with none_for("ERROR_NO_DATA"):
        return ask()[:2]
    return None, math.nan


def _line(step):
    text = "%*d/%d  %.6g  best %.6g" % (len(str(step.budget)), step.evaluation, step.budget, step.value, step.best)
    print(text, file=sys.stderr, flush=True)
