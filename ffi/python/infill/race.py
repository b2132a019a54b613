"""Which of several noisy configurations is best, with no more runs than it takes."""

import ctypes
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _abi, calls
from . import settings as _settings
from ._abi import lib, none_for
from ._held import Held
from ._numbers import identity, real
from .space import space as _space

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import FracePlanKeywords, RaceRulesKeywords


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
            self._call("tell", identity("a run", run), cost)
        else:
            self._call("crashed", identity("a run", run))


class Race(_Race, calls.Race):
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

    def __init__(self, configs=100, runs=1000, **settings: "Unpack[RaceRulesKeywords]"):
        rules = _abi.RaceRules()
        lib.race_default(rules, ctypes.sizeof(rules))
        _settings.fill(rules, dict(settings, configs=configs, runs=runs))
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

    def ask(self):
        """The next run to make; raises Error if nothing is to be done, or nothing before an open run is told."""
        out = _abi.Run()
        self._call("ask", out)
        return Run(out.id, out.config, out.instance, out.seed, out.cap)

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


class FRace(_Race, calls.Frace):
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

    def __init__(self, space, budget=1000, *, conditions=(), **settings: "Unpack[FracePlanKeywords]"):
        self.space = _space(space, conditions)
        plan = _abi.FracePlan()
        lib.frace_default(plan, ctypes.sizeof(plan))
        _settings.fill(plan, dict(settings, budget=budget))
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
        with none_for("ERROR_NO_DATA"):
            self._call("best", x, len(x), ctypes.c_uint32())
            return self.space.decode(x)
