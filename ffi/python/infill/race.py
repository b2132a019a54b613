"""Which of several noisy configurations is best, with no more runs than it takes."""

import ctypes
import math
import threading
from typing import Any, NamedTuple

from . import _abi
from ._abi import Error, lib
from ._numbers import real, whole, word
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


class Race:
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

    def __init__(self, configs=100, runs=1000, *, scalar="f64", statistic="mean", **settings):
        rules = _abi.RaceRules()
        lib.race_default(rules, ctypes.sizeof(rules))
        rules.scalar = word("scalar", scalar, _abi.SCALAR)
        rules.statistic = word("statistic", statistic, _abi.STATISTIC)
        settings.update(configs=configs, runs=runs)
        _fill(rules, settings)
        # Refused: infill_race_init says why, whatever the size.
        block = _abi.block(lib.race_size(rules) or 8)
        lib.race_init(block, ctypes.sizeof(block), rules, ctypes.c_void_p())
        self._hold(block)

    def _hold(self, block):
        self._block, self._lock = block, threading.RLock()
        # The handle is the first byte of the block.
        self._race = ctypes.c_void_p(ctypes.addressof(block))

    @classmethod
    def restore(cls, saved):
        """The race that ``save`` gave."""
        saved = bytes(saved)
        block = _abi.block(len(saved))
        ctypes.memmove(block, saved, len(saved))
        lib.race_attach(block, len(saved), ctypes.c_void_p())
        new = cls.__new__(cls)
        new._hold(block)
        return new

    def save(self):
        """The whole race as bytes: ``restore`` goes on from them to the same bits."""
        with self._lock:
            return ctypes.string_at(self._race, lib.race_bytes(self._race))

    def __reduce__(self):
        return Race.restore, (self.save(),)

    def __repr__(self):
        return "<infill.Race, %d runs, incumbent %r>" % (len(self), self.incumbent)

    def challenge(self, config):
        """Queues a configuration, by a number of yours."""
        with self._lock:
            lib.race_challenge(self._race, whole("config", config))

    def ask(self):
        """The next run to make; raises Error if nothing is to be done, or nothing before an open run is told."""
        out = _abi.Run()
        with self._lock:
            lib.race_ask(self._race, out)
        return Run(out.id, out.config, out.instance, out.seed, out.cap)

    def __iter__(self):
        """Runs as long as there are any to make; each is told before the next."""
        return _all(self.ask)

    def tell(self, run, cost):
        """What a run cost; None, NaN or an infinity says that it crashed."""
        cost = math.nan if cost is None else real("the cost", cost)
        with self._lock:
            if math.isfinite(cost):
                lib.race_tell(self._race, _id(run), cost)
            else:
                lib.race_crashed(self._race, _id(run))

    def capped(self, run):
        """A run was stopped at its cap."""
        with self._lock:
            lib.race_capped(self._race, _id(run))

    def forget(self, run):
        """Gives an open run back; it is asked for again."""
        with self._lock:
            lib.race_forget(self._race, _id(run))

    def begin(self, runs):
        """Begins a round of so many runs."""
        with self._lock:
            lib.race_begin(self._race, whole("runs", runs))

    @property
    def over(self):
        """Whether the round has taken its runs and tried its challengers."""
        with self._lock:
            return bool(lib.race_over(self._race))

    @property
    def incumbent(self):
        """The best configuration so far; None before the first run."""
        out = ctypes.c_uint32()
        with self._lock:
            return _or_none(lambda: lib.race_incumbent(self._race, out), out)

    def cost(self, config):
        """The statistic of the costs of a configuration; None if it has no run."""
        out = ctypes.c_double()
        with self._lock:
            return _or_none(lambda: lib.race_cost(self._race, whole("config", config), out), out)

    def runs(self, config):
        """How many runs of a configuration were told."""
        with self._lock:
            return lib.race_runs(self._race, whole("config", config))

    def __len__(self):
        with self._lock:
            return lib.race_count(self._race)

    def records(self):
        """All runs that were told."""
        out, found = _abi.RunRecord(), []
        with self._lock:
            for index in range(lib.race_count(self._race)):
                lib.race_record(self._race, index, out)
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


class FRace:
    """Iterated F-race: what a rank test finds worse is dropped, new configurations are sampled around the best.

    >>> race = FRace({"x": (0.0, 1.0), "method": ["a", "b"]}, budget=200, seed=1)
    >>> for run in race:
    ...     race.tell(run, run.x["x"] + (run.x["method"] == "b"))
    >>> race.best()["method"]
    'a'

    Keywords are the fields of infill_frace_plan: ``first``, ``each``, ``level``, ``instances``, ``seed``, ``elitist`` (1 or 0),
    ``cap``, ``penalty``, ``slack``.
    """

    def __init__(self, space, budget=1000, *, scalar="f64", conditions=(), **settings):
        self.space = _space(space, conditions)
        plan = _abi.FracePlan()
        lib.frace_default(plan, ctypes.sizeof(plan))
        plan.scalar = word("scalar", scalar, _abi.SCALAR)
        _fill(plan, dict(settings, budget=budget))
        # Refused: infill_frace_init says why, whatever the size.
        self._block = _abi.block(lib.frace_size(self.space.data, plan) or 8)
        lib.frace_init(self._block, ctypes.sizeof(self._block), self.space.data, plan, ctypes.c_void_p())
        self._lock, self._race = threading.RLock(), ctypes.c_void_p(ctypes.addressof(self._block))

    @classmethod
    def restore(cls, space, saved, conditions=()):
        """The race over this space that ``save`` gave."""
        new, saved = cls.__new__(cls), bytes(saved)
        new.space, new._block = _space(space, conditions), _abi.block(len(saved))
        ctypes.memmove(new._block, saved, len(saved))
        lib.frace_attach(new._block, len(saved), ctypes.c_void_p())
        new._lock, new._race = threading.RLock(), ctypes.c_void_p(ctypes.addressof(new._block))
        return new

    def save(self):
        """The whole race as bytes."""
        with self._lock:
            return ctypes.string_at(self._race, lib.frace_bytes(self._race))

    def ask(self):
        """The next run to make; all survivors may be open together, but for caps that adapt."""
        out, x = _abi.Run(), (ctypes.c_double * len(self.space))()
        with self._lock:
            lib.frace_ask(self._race, x, len(x), out)
        return FRun(out.id, self.space.decode(x), out.config, out.instance, out.seed, out.cap)

    def __iter__(self):
        """Runs as long as there are any to make; each is told before the next."""
        return _all(self.ask)

    def tell(self, run, cost):
        """What a run cost; None, NaN or an infinity says that it crashed."""
        cost = math.nan if cost is None else real("the cost", cost)
        with self._lock:
            if math.isfinite(cost):
                lib.frace_tell(self._race, _id(run), cost)
            else:
                lib.frace_crashed(self._race, _id(run))

    def capped(self, run):
        """A run was stopped at its cap."""
        with self._lock:
            lib.frace_capped(self._race, _id(run))

    def forget(self, run):
        """Gives an open run back; it is asked for again."""
        with self._lock:
            lib.frace_forget(self._race, _id(run))

    def best(self):
        """The best configuration of the last race that ended; None before."""
        x, config = (ctypes.c_double * len(self.space))(), ctypes.c_uint32()
        with self._lock:
            found = _or_none(lambda: lib.frace_best(self._race, x, len(x), config), config)
        return None if found is None else self.space.decode(x)


def _fill(structure, settings):
    """Sets the fields of a structure by their names."""
    kinds = dict(structure._fields_)
    for name, value in settings.items():
        if name in ("size", "reserved") or name not in kinds:
            raise TypeError("there is no setting %r" % (name,))
        if kinds[name] is ctypes.c_double:
            setattr(structure, name, real(name, value))
        else:
            setattr(structure, name, whole(name, value, 64 if kinds[name] is ctypes.c_uint64 else 32))


def _all(ask):
    """What ask gives until nothing is left."""
    done = {_abi.STATUS["ERROR_FULL"], _abi.STATUS["ERROR_EXHAUSTED"]}
    while True:
        try:
            run = ask()
        except Error as error:
            if error.code not in done:
                raise
            return
        yield run


def _id(run):
    return whole("the run", run.id if isinstance(run, (Run, FRun)) else run, 64)


def _or_none(call, out):
    try:
        call()
    except Error as error:
        if error.code != _abi.STATUS["ERROR_NO_DATA"]:
            raise
        return None
    return out.value
