"""Ask and tell."""

import contextlib
import ctypes
import math
import os
import secrets
import stat
from typing import TYPE_CHECKING

from . import _abi, calls
from . import settings as _settings
from ._abi import Error, lib, none_for
from ._numbers import array, identity, named, real, word
from .backend import lent
from .results import Best, Prediction, Recommendation, Record, Trial
from .space import space as _space
from .transfer import Source, listed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import ConfigKeywords


class Optimizer(calls.Opt):
    """Proposes points, learns from their values.

    >>> optimizer = Optimizer({"x": (-5.0, 10.0), "method": ["a", "b"]}, trials=30, seed=1)
    >>> trial = optimizer.ask()
    >>> optimizer.tell(trial, trial.x["x"] ** 2)
    >>> optimizer.best().x == trial.x
    True

    ``trials`` bounds what is remembered; ``scalar`` is "f64" or "f32"; ``preset`` is one of ``infill.presets()``;
    further keywords are the fields of infill_config, after the preset, choices by words:
    ``model="random_forest"`` or ``model="parzen"``, ``hyper="mcmc"``, ``policy="thompson"``, ``pending="fantasies"``, ``warp="beta"``,
    ``acquisition="bound"``, ``incumbent="mean"``, ``limits={"open": 4}``.

    A category whose values have parameters of their own, algorithms say, may have a model for each of them: ``strategy`` is
    "single" (the value whose best point is worth most is asked), "whole" (one search over all of them) or "baseline" (the same
    number of trials for each, of a ``strategy_budget``); ``strategy_parameter`` names the category, or is its place,
    ``strategy_start`` trials begin each, ``limits={"branch_trials": 20}`` bounds those of one.

    >>> from infill import Condition, integer
    >>> space = {"method": ["a", "b"], "x": (0.0, 1.0), "k": integer(1, 9)}
    >>> when = [Condition("x", "method", equals="a"), Condition("k", "method", equals="b")]
    >>> settings = {"strategy": "single", "strategy_parameter": "method", "strategy_start": 3}
    >>> optimizer = Optimizer(space, trials=40, conditions=when, **settings)
    >>> for _ in range(12):
    ...     trial = optimizer.ask()
    ...     optimizer.tell(trial, (trial.x["k"] - 7) ** 2 if trial.x["method"] == "b" else 0.1 + trial.x["x"])
    >>> optimizer.best().x["method"], optimizer.closed
    ('b', 12)

    ``sources`` are what runs on other data sets taught, a list of ``Source``, and ``features`` the meta-features of this one;
    ``transfer_start``, ``transfer_how`` and ``transfer_keep`` say what is made of them. They are not saved with the optimizer, and
    may be replaced: ``optimizer.sources = [...]``, up to ``limits={"sources": 8}``.

    Threads may share one: calls wait for each other.
    """

    def __init__(
        self, space, trials=100, *, conditions=(), sources=(), features=None, **settings: "Unpack[ConfigKeywords]"
    ):
        self.space, self._given = _space(space, conditions), listed(sources, features)
        if "strategy_parameter" in settings:
            settings["strategy_parameter"] = self.space.place(settings["strategy_parameter"])
        config = _settings.config(settings, trials)
        config.limits.sources = max(config.limits.sources, len(self._given))
        with _abi.explained(space=self.space.data, config=config):
            self._make(lib.size(self.space.data, config), self.space.data, config)

    def __repr__(self):
        text = "%d of %d trials closed" % (self.closed, self._call("count"))
        return "<infill.Optimizer of %d parameters, %s>" % (len(self.space), text)

    def ask(self, backend=None, *, sources=None, features=None):
        """Proposes a point and opens a trial for it; many may be open.

        ``sources``, and ``features`` with them, stand for those of the optimizer this once.
        """
        return self._question("ask", backend, self._given_or(sources, features))

    def next(self, backend=None):
        """The next question of a run: a trial that was open when this was loaded, then an ``ask``; None at its end.

        Iterating does the same: ``for trial in optimizer: optimizer.tell(trial, f(trial.x))`` is right before and after a
        crash if it saves the optimizer, too.
        """
        with none_for("DONE"):
            return self._question("next", backend, self._given)

    def __iter__(self):
        return iter(self.next, None)

    def _question(self, name, backend, given):
        x, out = self._point(), _abi.Proposal()
        with lent(backend) as work, self._explained():
            self._call(name + "_from", given.data, work, x, len(x), out)
        origin = named(out.origin, _abi.ORIGIN)
        return Trial(out.trial, self._matters(out.trial, x), origin, out.acquisition)

    def _given_or(self, sources, features):
        return self._given if sources is None else listed(sources, features)

    def _matters(self, trial, x):
        """A point as the space hands it out: what does not matter as it says."""
        if self.space.inactive == "keep":
            return self.space.decode(x)
        active = (ctypes.c_uint8 * len(self.space))()
        self._call("active", trial, active, len(active))
        return self.space.decode(x, active)

    def _call(self, name, *arguments):
        # What takes a trial alone is refused for that.
        if len(arguments) != 1 or not isinstance(arguments[0], int):
            return super()._call(name, *arguments)
        with self._explained(trial=arguments[0]):
            return super()._call(name, *arguments)

    def _explained(self, **given):
        return _abi.explained(opt=self._handle, space=self.space.data, **given)

    def tell(self, trial, value, variance=0.0):
        """Tells the value of an open trial; None or a number that is not finite says that it failed.

        A known variance of the value adds to the noise that is learnt.
        """
        value = math.nan if value is None else real("the value", value)
        if not math.isfinite(value):
            return self.fail(trial)
        trial, variance = identity("a trial", trial), real("the variance", variance)
        with self._explained(trial=trial, value=value, variance=variance):
            self._call("tell_noisy", trial, value, variance)

    def enqueue(self, x):
        """Puts a point in the queue: a later ask proposes it before any other. Returns the id of its trial."""
        return self._added("enqueue", x)

    def observe(self, x, value):
        """Adds a value that was known without asking. Returns the id of its trial."""
        return self._added("observe", x, real("the value", value))

    def _added(self, name, x, *value):
        x, out = self.space.encode(x), ctypes.c_uint64()
        with self._explained(x=x, dims=len(x), value=value[0] if value else 0.0):
            self._call(name, x, len(x), *value, out)
        return out.value

    def best(self):
        """The point of lowest value told, with that value; Error if there is none."""
        x, value = self._point(), ctypes.c_double()
        self._call("best", x, len(x), value)
        return Best(self.space.decode(x), value.value)

    def recommend(self, backend=None, *, sources=None, features=None):
        """The told point of lowest posterior mean: do not trust one lucky value.

        It trains the model if no ``ask`` has, and not while asks spread the starting design; so does ``predict``. Both ask the model
        that ``ask`` does; ``sources``, and ``features`` with them, stand for those of the optimizer this once.
        """
        x, given = self._point(), self._given_or(sources, features)
        mean, variance = self._look("recommend_from", given, backend, x)
        return Recommendation(self.space.decode(x), mean, variance)

    def predict(self, x, backend=None, *, sources=None, features=None):
        """Mean and variance of the model at a point."""
        x, given = self.space.encode(x), self._given_or(sources, features)
        return Prediction(*self._look("predict_from", given, backend, x))

    def _look(self, name, given, backend, x):
        mean, variance = ctypes.c_double(), ctypes.c_double()
        with lent(backend) as work, self._explained():
            self._call(name, given.data, work, x, len(x), mean, variance)
        return mean.value, variance.value

    def trials(self, state=None):
        """All trials, or those in a state, in the order in which they were asked for or observed."""
        if state is not None and state not in map(str.lower, _abi.STATE):
            raise ValueError("a state is queued, open, done or failed, not %r" % (state,))
        with self._lock:
            found = [self._record("record_at", index) for index in range(self._call("count"))]
        found.sort(key=lambda record: (record.state == "queued", record.sequence))
        return [record for record in found if state in (None, record.state)]

    def trial(self, trial):
        """The record of a trial or id."""
        return self._record("record_of", identity("a trial", trial))

    def _record(self, function, which):
        x, out = self._point(), _abi.Record()
        self._call(function, which, x, len(x), out)
        state = named(out.state, _abi.STATE)
        return Record(out.trial, self._matters(out.trial, x), out.value, state, out.variance, out.sequence)

    @property
    def sources(self):
        """What runs on other data sets taught: the sources by whose help it asks; assign others to replace them."""
        return self._given.sources

    @sources.setter
    def sources(self, sources):
        self._given = listed(sources, self._given.features)

    def source(self, features=None, form="means"):
        """What the told trials taught, as a ``Source`` for runs on other data sets; this one does not change.

        >>> optimizer = Optimizer({"x": (0.0, 1.0)}, trials=20)
        >>> for x in (0.1, 0.4, 0.8):
        ...     _ = optimizer.observe({"x": x}, (x - 0.4) ** 2)
        >>> later = Optimizer({"x": (0.0, 1.0)}, trials=20, sources=[optimizer.source()])
        >>> round(later.ask().x["x"], 1)
        0.4
        """
        kind, features = word("form", form, _abi.FORM), array("features", () if features is None else features)
        size, more, written = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_size_t()
        with self._lock:
            self._call("source_size", kind, len(features), size, more)
            work, out = _abi.block(more.value), _abi.block(size.value)
            self._call("source_export", kind, features, len(features), work, more, out, size, written)
        return Source(ctypes.string_at(out, written.value))

    @property
    def scalar(self):
        """The precision inside: "f64" or "f32"."""
        return named(self._call("scalar_of"), _abi.SCALAR)

    def to_bytes(self):
        """The whole optimizer, with its generator and its open trials."""
        return self._saved()

    @classmethod
    def from_bytes(cls, data, space, conditions=(), sources=(), features=None):
        """Goes on where ``to_bytes`` was called, to the last bit, in the same space; Error in another, which says what differs."""
        space, given = _space(space, conditions), listed(sources, features)
        new = cls._attach(data, space.data)
        new.space, new._given = space, given
        return new

    def save(self, path):
        """Writes the optimizer to a file, through links; one that is there is replaced only by a complete one.

        A file that is there keeps its mode, a new one gets that of the umask.
        """
        path = os.path.realpath(path)
        name = "%s.%s.new" % (path, secrets.token_hex(8))
        # Made with the mode of the umask, which cannot be read without changing it for all threads.
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(file, "wb") as out:
                with contextlib.suppress(FileNotFoundError):
                    os.chmod(name, stat.S_IMODE(os.stat(path).st_mode))
                out.write(self.to_bytes())
                out.flush()
                os.fsync(out.fileno())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
        if os.name == "posix":
            # The name has to reach the disk, too.
            folder = os.open(os.path.dirname(path), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    @classmethod
    def load(cls, path, space, conditions=(), sources=(), features=None):
        """Reads what ``save`` wrote; Error if the space is not the same."""
        with open(path, "rb") as file:
            return cls.from_bytes(file.read(), space, conditions, sources, features)

    def clone(self, trials=0, **limits):
        """A copy that goes on to the same bits, also with more room; 0 is as it was."""
        room = _settings.fill(_abi.Limits(), dict(limits, trials=trials), what="limit")
        # Refused: infill_clone says why, whatever the size.
        with self._lock:
            block = _abi.block(self._call("clone_size", room) or 8)
            self._call("clone", room, block, ctypes.sizeof(block), ctypes.c_void_p())
        new = type(self).__new__(type(self))
        new.space, new._given = self.space, self._given
        new._hold(block)
        return new

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, _):
        return self.clone()

    def __reduce__(self):
        features = None if self._given.features is None else tuple(self._given.features)
        return type(self).from_bytes, (self.to_bytes(), self.space, (), self._given.sources, features)

    def _point(self):
        return (ctypes.c_double * len(self.space))()
