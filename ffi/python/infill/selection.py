"""Selection among algorithms that each have parameters of their own."""

import ctypes
import math
import threading

from . import _abi
from . import settings as _settings
from ._abi import lib
from ._numbers import named, real, whole, word
from .backend import lent
from .optimizer import Best, Prediction, Recommendation, Record, Trial, _id, same_space
from .space import space as _space


class Selection:
    """Selects among the values of a category and tunes the parameters of each.

    >>> import infill
    >>> space = {"method": ["a", "b"], "x": (0.0, 1.0), "k": infill.integer(1, 9)}
    >>> when = [infill.Condition("x", "method", equals="a"), infill.Condition("k", "method", equals="b")]
    >>> selection = Selection(space, "method", conditions=when, trials=40, start=3)
    >>> for _ in range(12):
    ...     trial = selection.ask()
    ...     selection.tell(trial, (trial.x["k"] - 7) ** 2 if trial.x["method"] == "b" else 0.1 + trial.x["x"])
    >>> selection.best().x["method"], selection.closed
    ('b', 12)

    ``parameter`` names the category, or is its place. ``strategy`` is "single" (a model for each value, the one whose best
    point is worth most is asked), "whole" (one search over all of them), "impute" (one model for all) or "baseline" (the same
    number of trials for each, of a ``budget``). ``start`` trials begin each branch, ``most`` bounds those of one branch;
    further keywords are those of Optimizer. The verbs are those of Optimizer, too.

    Threads may share one: calls wait for each other.
    """

    def __init__(
        self,
        space,
        parameter,
        strategy="single",
        trials=100,
        *,
        budget=0,
        start=0,
        most=0,
        own_minimum=False,
        seed=0,
        scalar="f64",
        conditions=(),
        **settings,
    ):
        self.space = _space(space, conditions)
        settings.update(trials=trials, seed=seed, scalar=scalar)
        config = _settings.config(settings)
        selector = _abi.Selector()
        code = word("strategy", strategy, _abi.STRATEGY)
        lib.selector_default(selector, ctypes.sizeof(selector), self.space.place(parameter), code)
        selector.budget, selector.start = whole("budget", budget), whole("start", start)
        selector.most, selector.own_minimum = whole("most", most), int(bool(own_minimum))
        # Refused: infill_selection_init says why, whatever the size.
        block = _abi.block(lib.selection_size(self.space.data, selector, config) or 8)
        handle = ctypes.c_void_p()
        lib.selection_init(block, ctypes.sizeof(block), self.space.data, selector, config, handle)
        self._hold(block)

    def _hold(self, block):
        self._block, self._lock = block, threading.RLock()
        # The handle is the first byte of the block.
        self._selection = ctypes.c_void_p(ctypes.addressof(block))

    def __repr__(self):
        text = "%d trials closed" % self.closed
        return "<infill.Selection among %d values, %s>" % (self.branches, text)

    def ask(self, backend=None):
        """Proposes a point of the whole space and opens a trial for it; many may be open."""
        x, out = self._point(), _abi.Proposal()
        with lent(backend) as work, self._lock:
            lib.selection_ask_with(self._selection, work, x, len(x), out)
        return Trial(out.trial, self.space.decode(x), named(out.origin, _abi.ORIGIN), out.acquisition)

    def tell(self, trial, value, variance=0.0):
        """Tells the value of an open trial; None or a number that is not finite says that it failed."""
        value = math.nan if value is None else real("the value", value)
        if not math.isfinite(value):
            return self.fail(trial)
        with self._lock:
            lib.selection_tell_noisy(self._selection, _id(trial), value, real("the variance", variance))

    def fail(self, trial):
        """Tells that an open trial failed: its point counts as bad as the worst value told in any branch."""
        with self._lock:
            lib.selection_fail(self._selection, _id(trial))

    def forget(self, trial):
        """Forgets an open or queued trial as if it had not been asked for."""
        with self._lock:
            lib.selection_forget(self._selection, _id(trial))

    def enqueue(self, x):
        """Puts a point in the queue: a later ask proposes it before any other. Returns the id of its trial."""
        x, out = self.space.encode(x), ctypes.c_uint64()
        with self._lock:
            lib.selection_enqueue(self._selection, x, len(x), out)
        return out.value

    def observe(self, x, value):
        """Adds a value that was known without asking; it counts as an evaluation. Returns the id of its trial."""
        x, out = self.space.encode(x), ctypes.c_uint64()
        with self._lock:
            lib.selection_observe(self._selection, x, len(x), real("the value", value), out)
        return out.value

    def best(self):
        """The point of lowest value told in any branch, with that value; Error if there is none."""
        x, value = self._point(), ctypes.c_double()
        with self._lock:
            lib.selection_best(self._selection, x, len(x), value)
        return Best(self.space.decode(x), value.value)

    def recommend(self):
        """The told point of lowest posterior mean by the model of its branch, trained as by ``Optimizer.recommend``."""
        x, mean, variance = self._point(), ctypes.c_double(), ctypes.c_double()
        with self._lock:
            lib.selection_recommend(self._selection, x, len(x), mean, variance)
        return Recommendation(self.space.decode(x), mean.value, variance.value)

    def predict(self, x):
        """Mean and variance of the model of its branch at a point."""
        x, mean, variance = self.space.encode(x), ctypes.c_double(), ctypes.c_double()
        with self._lock:
            lib.selection_predict(self._selection, x, len(x), mean, variance)
        return Prediction(mean.value, variance.value)

    def trials(self, state=None):
        """All trials, or those in a state, in the order in which they were asked for or observed."""
        if state is not None and state not in map(str.lower, _abi.STATE):
            raise ValueError("a state is queued, open, done or failed, not %r" % (state,))
        with self._lock:
            found = [self._record(index) for index in range(lib.selection_count(self._selection))]
        found.sort(key=lambda record: (record.state == "queued", record.sequence))
        return [record for record in found if state in (None, record.state)]

    def _record(self, index):
        x, out = self._point(), _abi.Record()
        lib.selection_record_at(self._selection, index, x, len(x), out)
        state = named(out.state, _abi.STATE)
        return Record(out.trial, self.space.decode(x), out.value, state, out.variance, out.sequence)

    @property
    def closed(self):
        """How many evaluations were told in all branches, starting designs and failures included."""
        with self._lock:
            return lib.selection_closed(self._selection)

    @property
    def remaining(self):
        """How many trials may still be asked for: free places, here and in the branches (``most``)."""
        with self._lock:
            return lib.selection_remaining(self._selection)

    @property
    def branches(self):
        """How many values the category has."""
        with self._lock:
            return lib.selection_branches(self._selection)

    def to_bytes(self):
        """The whole selection, with its generators and its open trials."""
        with self._lock:
            return ctypes.string_at(self._selection, lib.selection_bytes(self._selection))

    @classmethod
    def from_bytes(cls, data, space, conditions=()):
        """Goes on where ``to_bytes`` was called, to the last bit, in the same space; Error in another."""
        new = cls.__new__(cls)
        new.space = _space(space, conditions)
        block = _abi.block(max(len(data), 8))
        ctypes.memmove(block, bytes(data), len(data))
        lib.selection_attach(block, len(data), ctypes.c_void_p())
        new._hold(block)
        has_space = lib.selection_has_space(new._selection, new.space.data)
        same_space(lib.selection_dims(new._selection), new.space, has_space)
        return new

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(), self.space)

    def _point(self):
        return (ctypes.c_double * len(self.space))()
