"""Which of several noisy configurations is best, with no more runs than it takes."""

import ctypes
import math
from typing import Any, NamedTuple

from . import _abi
from . import settings as _settings
from ._abi import lib, none_for
from ._held import Held
from ._numbers import real, whole
from .space import space as _space


class Run(NamedTuple):
    """A run to be made, and told under it or its ``id``."""

    id: int
    #: The number of the configuration.
    config: int
    instance: int
    seed: int
    #: The cost at which the run may be stopped; infinite if there is none.
    cap: float


class RunRecord(NamedTuple):
    """A run that was made."""

    config: int
    instance: int
    seed: int
    cap: float
    #: With the penalty if it was stopped; infinite if it crashed without a cap.
    cost: float
    capped: bool


class _Race(Held):
    """What both kinds of races do, by the functions of infill.h whose names begin with ``_prefix``."""

    def ask(self):
        """The next run to make."""
        raise NotImplementedError

    def __iter__(self):
        """Runs as long as there are any to make; each is told before the next."""
        return iter(self._next, None)

    def _next(self):
        with none_for("ERROR_FULL", "ERROR_EXHAUSTED"):
            return self.ask()

    def tell(self, run, cost):
        """What a run cost; None, NaN or an infinity says that it crashed."""
        cost = math.nan if cost is None else real("the cost", cost)
        if math.isfinite(cost):
            self._call("tell", _id(run), cost)
        else:
            self._call("crashed", _id(run))

    def capped(self, run):
        """A run was stopped at its cap."""
        self._call("capped", _id(run))

    def forget(self, run):
        """Gives an open run back; it is asked for again."""
        self._call("forget", _id(run))

    def _or_none(self, name, *arguments):
        """The last output of a call; None where there are no data."""
        with none_for("ERROR_NO_DATA"):
            self._call(name, *arguments)
            return arguments[-1].value


class Race(_Race):
    """Challengers against an incumbent, on the same instances and seeds.

    >>> race = Race(configs=4, runs=100)
    >>> for config in range(4):
    ...     race.challenge(config)
    >>> for run in race:
    ...     race.tell(run, abs(run.config - 2) + (run.seed % 1000) / 1000)
    >>> race.incumbent
    2

    Keywords are the fields of infill_race_rules: ``statistic="mean"``, "median" or "quantile" (``quantile=0.9``), ``cap``,
    ``slack`` and ``penalty`` for runs that may be stopped, ``instances``, ``seeds=0`` if runs do not depend on a seed,
    ``again=0`` if losers get no other chance, ``most`` runs of one configuration, ``seed``.

    Threads may share one: calls wait for each other.
    """

    _prefix = "race_"

    def __init__(self, configs=100, runs=1000, *, scalar="f64", statistic="mean", **settings):
        rules = _abi.RaceRules()
        lib.race_default(rules, ctypes.sizeof(rules))
        settings.update(configs=configs, runs=runs, scalar=scalar, statistic=statistic)
        _settings.fill(rules, settings, {"scalar": _abi.SCALAR, "statistic": _abi.STATISTIC})
        self._make(lib.race_size(rules), rules)

    @classmethod
    def restore(cls, saved):
        """The race that ``save`` gave."""
        return cls._attach(saved)

    def save(self):
        """The whole race as bytes: ``restore`` goes on from them to the same bits."""
        return self._saved()

    def __reduce__(self):
        return Race.restore, (self.save(),)

    def __repr__(self):
        return "<infill.Race, %d runs, incumbent %r>" % (len(self), self.incumbent)

    def challenge(self, config):
        """Queues a configuration, by a number of yours."""
        self._call("challenge", whole("config", config))

    def ask(self):
        """The next run to make; raises Error if nothing is to be done, or nothing before an open run is told."""
        out = _abi.Run()
        self._call("ask", out)
        return Run(out.id, out.config, out.instance, out.seed, out.cap)

    def begin(self, runs):
        """Begins a round of so many runs."""
        self._call("begin", whole("runs", runs))

    @property
    def over(self):
        """Whether the round has taken its runs and tried its challengers."""
        return bool(self._call("over"))

    @property
    def incumbent(self):
        """The best configuration so far; None before the first run."""
        return self._or_none("incumbent", ctypes.c_uint32())

    def cost(self, config):
        """The statistic of the costs of a configuration; None if it has no run."""
        return self._or_none("cost", whole("config", config), ctypes.c_double())

    def runs(self, config):
        """How many runs of a configuration were told."""
        return self._call("runs", whole("config", config))

    def __len__(self):
        return self._call("count")

    def records(self):
        """All runs that were told."""
        out, found = _abi.RunRecord(), []
        with self._lock:
            for index in range(len(self)):
                self._call("record", index, out)
                found.append(RunRecord(out.config, out.instance, out.seed, out.cap, out.cost, bool(out.capped)))
        return found


class FRun(NamedTuple):
    """A run of an iterated F-race: ``x`` is the configuration."""

    id: int
    x: Any
    #: The number of the configuration.
    config: int
    instance: int
    seed: int
    #: The cost at which the run may be stopped.
    cap: float = math.inf


class FRace(_Race):
    """Iterated F-race: what a rank test finds worse is dropped, new configurations are sampled around the best.

    >>> race = FRace({"x": (0.0, 1.0), "method": ["a", "b"]}, budget=200, seed=1)
    >>> for run in race:
    ...     race.tell(run, run.x["x"] + (run.x["method"] == "b"))
    >>> race.best()["method"]
    'a'

    Keywords are the fields of infill_frace_plan: ``first``, ``each``, ``level``, ``instances``, ``seed``, ``elitist`` (1 or 0),
    ``cap``, ``penalty``, ``slack``.
    """

    _prefix = "frace_"

    def __init__(self, space, budget=1000, *, scalar="f64", conditions=(), **settings):
        self.space = _space(space, conditions)
        plan = _abi.FracePlan()
        lib.frace_default(plan, ctypes.sizeof(plan))
        _settings.fill(plan, dict(settings, budget=budget, scalar=scalar), {"scalar": _abi.SCALAR})
        self._make(lib.frace_size(self.space.data, plan), self.space.data, plan)

    @classmethod
    def restore(cls, space, saved, conditions=()):
        """The race over this space that ``save`` gave."""
        new = cls._attach(saved)
        new.space = _space(space, conditions)
        return new

    def save(self):
        """The whole race as bytes."""
        return self._saved()

    def ask(self):
        """The next run to make; all survivors may be open together, but for caps that adapt."""
        out, x = _abi.Run(), (ctypes.c_double * len(self.space))()
        self._call("ask", x, len(x), out)
        return FRun(out.id, self.space.decode(x), out.config, out.instance, out.seed, out.cap)

    def best(self):
        """The best configuration of the last race that ended; None before."""
        x = (ctypes.c_double * len(self.space))()
        found = self._or_none("best", x, len(x), ctypes.c_uint32())
        return None if found is None else self.space.decode(x)


def _id(run):
    return whole("the run", run.id if isinstance(run, (Run, FRun)) else run, 64)
