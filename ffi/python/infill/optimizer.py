"""Ask and tell."""

import contextlib
import ctypes
import math
import os
import secrets
import stat
import threading
from typing import Any, NamedTuple

from . import _abi
from . import settings as _settings
from ._abi import Error, lib
from ._numbers import named, real, whole
from .backend import lent
from .space import space as _space


class Trial(NamedTuple):
    """A question: ``x`` is to be evaluated, and told under this trial or its ``id``."""

    id: int
    x: Any
    #: "design", "model", "queue", "fallback" or, where there is neither a model nor an acquisition, "method".
    origin: str
    #: The acquisition at x, or what the policy maximises instead; NaN if and only if the origin is not the model.
    acquisition: float


class Record(NamedTuple):
    """A trial as the optimizer remembers it."""

    id: int
    x: Any
    #: NaN unless told.
    value: float
    #: "queued", "open", "done" or "failed".
    state: str
    #: What was told with the value, 0 if nothing.
    variance: float
    #: The place in the order in which trials were asked for or observed.
    sequence: int


class Best(NamedTuple):
    """A point and its value."""

    x: Any
    value: float


class Prediction(NamedTuple):
    """What the model says of a point."""

    mean: float
    variance: float

    @property
    def deviation(self):
        """The square root of the variance."""
        return math.sqrt(max(self.variance, 0.0))


class Recommendation(NamedTuple):
    """The told point of lowest posterior mean."""

    x: Any
    mean: float
    variance: float

    @property
    def deviation(self):
        """The square root of the variance."""
        return math.sqrt(max(self.variance, 0.0))


class Optimizer:
    """Proposes points, learns from their values.

    >>> optimizer = Optimizer({"x": (-5.0, 10.0), "method": ["a", "b"]}, trials=30, seed=1)
    >>> trial = optimizer.ask()
    >>> optimizer.tell(trial, trial.x["x"] ** 2)
    >>> optimizer.best().x == trial.x
    True

    ``trials`` bounds what is remembered; ``scalar`` is "f64" or "f32"; ``preset`` is one of ``infill.presets()``;
    further keywords are the fields of infill_config, after the preset, choices by words:
    ``model="random_forest"`` or ``model="parzen"``, ``treatment="sampled"``, ``policy="thompson"``, ``batch="fantasies"``, ``warp="beta"``,
    ``acquisition="bound"``, ``incumbent="mean"``, ``limits={"open": 4}``.

    Threads may share one: calls wait for each other.
    """

    def __init__(self, space, trials=100, *, seed=0, scalar="f64", conditions=(), **settings):
        self.space = _space(space, conditions)
        settings.update(trials=trials, seed=seed, scalar=scalar)
        config = _settings.config(settings)
        size = lib.size(self.space.data, config)
        # Refused: infill_init says why, whatever the size.
        block = _abi.block(size or 8)
        handle = ctypes.c_void_p()
        lib.init(block, ctypes.sizeof(block), self.space.data, config, handle)
        self._hold(block)

    def _hold(self, block):
        self._block, self._lock = block, threading.RLock()
        # The handle is the first byte of the block.
        self._opt = ctypes.c_void_p(ctypes.addressof(block))

    @classmethod
    def _of(cls, space, block):
        new = cls.__new__(cls)
        new.space = space
        new._hold(block)
        return new

    def __repr__(self):
        with self._lock:
            closed, count = lib.closed(self._opt), lib.count(self._opt)
        text = "%d of %d trials closed" % (closed, count)
        return "<infill.Optimizer of %d parameters, %s>" % (len(self.space), text)

    def ask(self, backend=None):
        """Proposes a point and opens a trial for it; many may be open."""
        x, out = self._point(), _abi.Proposal()
        with lent(backend) as work, self._lock:
            lib.ask_with(self._opt, work, x, len(x), out)
        origin = named(out.origin, _abi.ORIGIN)
        return Trial(out.trial, self.space.decode(x), origin, out.acquisition)

    def tell(self, trial, value, variance=0.0):
        """Tells the value of an open trial; None or a number that is not finite says that it failed.

        A known variance of the value adds to the noise that is learnt.
        """
        value = math.nan if value is None else real("the value", value)
        if not math.isfinite(value):
            return self.fail(trial)
        with self._lock:
            lib.tell_noisy(self._opt, _id(trial), value, real("the variance", variance))

    def fail(self, trial):
        """Tells that an open trial failed: its point counts as bad as the worst value told."""
        with self._lock:
            lib.fail(self._opt, _id(trial))

    def forget(self, trial):
        """Forgets an open or queued trial as if it had not been asked for."""
        with self._lock:
            lib.forget(self._opt, _id(trial))

    def enqueue(self, x):
        """Puts a point in the queue: a later ask proposes it before any other. Returns the id of its trial."""
        x, out = self.space.encode(x), ctypes.c_uint64()
        with self._lock:
            lib.enqueue(self._opt, x, len(x), out)
        return out.value

    def observe(self, x, value):
        """Adds a value that was known without asking. Returns the id of its trial."""
        x, out = self.space.encode(x), ctypes.c_uint64()
        with self._lock:
            lib.observe(self._opt, x, len(x), real("the value", value), out)
        return out.value

    def relearn(self):
        """Forgets what was learnt of hyperparameters, but no trial: for a function that has changed."""
        with self._lock:
            lib.relearn(self._opt)

    def best(self):
        """The point of lowest value told, with that value; Error if there is none."""
        x, value = self._point(), ctypes.c_double()
        with self._lock:
            lib.best(self._opt, x, len(x), value)
        return Best(self.space.decode(x), value.value)

    def recommend(self):
        """The told point of lowest posterior mean: do not trust one lucky value.

        It trains the model if no ``ask`` has, and not while asks spread the starting design; so does ``predict``.
        """
        x, mean, variance = self._point(), ctypes.c_double(), ctypes.c_double()
        with self._lock:
            lib.recommend(self._opt, x, len(x), mean, variance)
        return Recommendation(self.space.decode(x), mean.value, variance.value)

    def predict(self, x):
        """Mean and variance of the model at a point."""
        x, mean, variance = self.space.encode(x), ctypes.c_double(), ctypes.c_double()
        with self._lock:
            lib.predict(self._opt, x, len(x), mean, variance)
        return Prediction(mean.value, variance.value)

    def trials(self, state=None):
        """All trials, or those in a state, in the order in which they were asked for or observed."""
        if state is not None and state not in map(str.lower, _abi.STATE):
            raise ValueError("a state is queued, open, done or failed, not %r" % (state,))
        with self._lock:
            found = [self._record(lib.record_at, index) for index in range(lib.count(self._opt))]
        found.sort(key=lambda record: (record.state == "queued", record.sequence))
        return [record for record in found if state in (None, record.state)]

    def trial(self, trial):
        """The record of a trial or id."""
        with self._lock:
            return self._record(lib.record_of, _id(trial))

    def _record(self, function, which):
        x, out = self._point(), _abi.Record()
        function(self._opt, which, x, len(x), out)
        state = named(out.state, _abi.STATE)
        return Record(out.trial, self.space.decode(x), out.value, state, out.variance, out.sequence)

    @property
    def closed(self):
        """How many trials were told or failed."""
        with self._lock:
            return lib.closed(self._opt)

    @property
    def remaining(self):
        """How many trials may still be asked for or observed."""
        with self._lock:
            return lib.remaining(self._opt)

    @property
    def scalar(self):
        """The precision inside: "f64" or "f32"."""
        return named(lib.scalar_of(self._opt), _abi.SCALAR)

    def to_bytes(self):
        """The whole optimizer, with its generator and its open trials."""
        with self._lock:
            return ctypes.string_at(self._opt, lib.bytes(self._opt))

    @classmethod
    def from_bytes(cls, data, space, conditions=()):
        """Goes on where ``to_bytes`` was called, to the last bit, in the same space; Error in another.

        The bytes have no names: those of parameters and of categories are not compared.
        """
        space = _space(space, conditions)
        block = _abi.block(max(len(data), 8))
        ctypes.memmove(block, bytes(data), len(data))
        handle = ctypes.c_void_p()
        lib.attach(block, len(data), handle)
        new = cls._of(space, block)
        same_space(lib.dims(new._opt), space, lib.has_space(new._opt, space.data))
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
    def load(cls, path, space, conditions=()):
        """Reads what ``save`` wrote; Error if the space is not the same."""
        with open(path, "rb") as file:
            return cls.from_bytes(file.read(), space, conditions)

    def clone(self, trials=0, **limits):
        """A copy that goes on to the same bits, also with more room; 0 is as it was."""
        room = _settings.limits(dict(limits, trials=trials), _abi.Limits())
        with self._lock:
            # Refused: infill_clone says why, whatever the size.
            block = _abi.block(lib.clone_size(self._opt, room) or 8)
            lib.clone(self._opt, room, block, ctypes.sizeof(block), ctypes.c_void_p())
        return self._of(self.space, block)

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, _):
        return self.clone()

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(), self.space)

    def _point(self):
        return (ctypes.c_double * len(self.space))()


def same_space(dims, space, has_space):
    """Refuses the space that is given for what was saved with another."""
    if dims != len(space):
        raise Error(_abi.STATUS["ERROR_DIMENSIONS"], "saved with %d parameters" % dims)
    if not has_space:
        raise Error(_abi.STATUS["ERROR_FOREIGN"], "saved with another space")


def _id(trial):
    """The number of a trial, which may be given as what ask or trials returned."""
    return whole("a trial", getattr(trial, "id", trial), 64)
