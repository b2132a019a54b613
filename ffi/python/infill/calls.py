"""Functions of infill.h that need no words of their own. Written by tests/header.rs."""

import ctypes
from typing import Any, Optional

from . import _header
from ._abi import lib, none_for, told
from ._held import Held
from ._numbers import SIZE, identity, real, whole, word
from .backend import Backend, lent
from .results import Prediction
from .space import space


class Opt(Held):
    """Functions of infill_opt."""

    def fail(self, trial: Any) -> None:
        """Tells that an open trial failed: its point counts as bad as the worst value told."""
        self._call("fail", identity("trial", trial))

    def forget(self, trial: Any) -> None:
        """Forgets an open or queued trial: its worker is lost, its place is free, its point may be proposed again."""
        self._call("forget", identity("trial", trial))

    def relearn(self) -> None:
        """Forgets what was learnt of the hyperparameters, as if all trials had just been told: for a function that has
        changed. The next ask learns them afresh; the trials stay.
        """
        self._call("relearn")

    @property
    def closed(self) -> int:
        """How many trials are closed: told and failed ones."""
        return self._call("closed")

    @property
    def remaining(self) -> int:
        """How many trials may still be asked for or observed before the optimizer is full."""
        return self._call("remaining")

    def name(self, parameter: int) -> str:
        """The name of a parameter in the block; empty for a parameter without one, and in a block without room for
        names.
        """
        return told(self._function("name"), self._handle, whole("parameter", parameter, SIZE))

    def label(self, parameter: int, value: int) -> str:
        """The label of a value of a category in the block, as name."""
        return told(
            self._function("label"), self._handle, whole("parameter", parameter, SIZE), whole("value", value, SIZE)
        )

    def has_space(self, space_given: Any) -> bool:
        """True if this is the space of the optimizer: the same kinds, bounds, scales, values, defaults, conditions,
        forbidden combinations, imputation and, where both have them, names and labels, in the same order. 0 if not,
        for None, and for a space that is refused. For a block that was saved: its points are numbers, which another
        space reads as other points.
        """
        return bool(self._call("has_space", space(space_given).data))

    @property
    def dims(self) -> int:
        """Number of parameters."""
        return self._call("dims")


class Gp(Held):
    """Functions of infill_gp."""

    def push(self, x: Any, y: float, variance: float = 0.0) -> None:
        """Adds an observation with a known variance, variance = 0 for none; fit or train makes it count."""
        x_array = self._encoded("x", x)
        self._call("push", x_array, len(x_array), real("y", y), real("variance", variance))

    def extend(self, x: Any, y: float, variance: float = 0.0) -> None:
        """Adds an observation to a process that is fitted, which it stays; variance = 0 as for push.

        Cost: n² instead of the n³ of a fit.
        """
        x_array = self._encoded("x", x)
        self._call("extend", x_array, len(x_array), real("y", y), real("variance", variance))

    def remove(self, row: int) -> None:
        """Removes observation number row; those behind it move up.

        A fitted process stays fitted, unless there is nothing left to predict from: no more rows than its trend has
        functions, or rows that fit would refuse.
        """
        self._call("remove", whole("row", row, SIZE))

    def clear(self) -> None:
        """Removes all observations."""
        self._call("clear")

    def fit(self, backend: Optional[Backend] = None) -> None:
        """Fits the process to its data at the present hyperparameters; backend = None works in the block.

        Cost: n³/3 flops.
        """
        with lent(backend) as work:
            self._call("fit", work)

    @property
    def jitter(self) -> float:
        """What was added to the diagonal beyond the noise to keep the matrix positive definite; 0 without a fit."""
        jitter_out = ctypes.c_double()
        self._call("jitter", jitter_out)
        return jitter_out.value

    @property
    def likelihood(self) -> float:
        """The log likelihood with the trend and the process variance at their best values, for a kernel of unit
        variance.
        """
        value_out = ctypes.c_double()
        self._call("likelihood", value_out)
        return value_out.value

    def predict(self, x: Any) -> Prediction:
        """Mean and variance of the function at a point, without the noise. Cost: n² flops."""
        x_array = self._encoded("x", x)
        mean_out = ctypes.c_double()
        variance_out = ctypes.c_double()
        self._call("predict", x_array, len(x_array), mean_out, variance_out)
        return Prediction(mean_out.value, variance_out.value)


class Race(Held):
    """Functions of infill_race."""

    def challenge(self, config: int) -> None:
        """Queues a configuration, by a number of the caller's; the first one becomes the incumbent after one run.

        Nothing happens if it is the incumbent, is being tried or waits already.
        """
        self._call("challenge", whole("config", config))

    def capped(self, run: Any) -> None:
        """A run was stopped at its cap: it costs penalty times that."""
        self._call("capped", identity("run", run))

    def forget(self, run: Any) -> None:
        """Gives an open run back, for whoever made it is gone; it is asked for again."""
        self._call("forget", identity("run", run))

    def begin(self, runs: int) -> None:
        """Begins a round of at most so many runs: over tells its end."""
        self._call("begin", whole("runs", runs))

    @property
    def over(self) -> bool:
        """True if the round has taken its runs and tried its challengers, so that it is time to think of others."""
        return bool(self._call("over"))

    @property
    def incumbent(self) -> Optional[int]:
        """The best configuration so far. None before the first run."""
        config_out = ctypes.c_uint32()
        with none_for("ERROR_NO_DATA"):
            self._call("incumbent", config_out)
            return config_out.value
        return None

    def cost(self, config: int) -> Optional[float]:
        """The mean, median or quantile of the costs of a configuration; infinite if runs of it crashed without a cap.
        Uses the room for work of the block. None if it has no run.
        """
        cost_out = ctypes.c_double()
        with none_for("ERROR_NO_DATA"):
            self._call("cost", whole("config", config), cost_out)
            return cost_out.value
        return None

    def runs(self, config: int) -> int:
        """How many runs of a configuration were told; 0 if it is unknown."""
        return self._call("runs", whole("config", config))


class Frace(Held):
    """Functions of infill_frace."""

    def capped(self, run: Any) -> None:
        """A run was stopped at its cap."""
        self._call("capped", identity("run", run))

    def forget(self, run: Any) -> None:
        """Gives an open run back; it is asked for again."""
        self._call("forget", identity("run", run))

    @property
    def dims(self) -> int:
        """Number of parameters of the space of an iterated F-race; 0 if it is none."""
        return self._call("dims")


def version() -> int:
    """The version of the library, packed as INFILL_VERSION is: major << 16 | minor << 8 | patch."""
    return lib.version()


def align() -> int:
    """Bytes to which a block is aligned: INFILL_ALIGN."""
    return lib.align()


def words(dims: int, trials: int, scalar: str = "f64") -> int:
    """Words of 8 bytes that the default limits take: what INFILL_WORDS is at least; 0 for a scalar that is none.

    scalar is an infill_scalar, scalar = INFILL_F64 as a rule.
    """
    return lib.words(whole("dims", dims), whole("trials", trials), word("scalar", scalar, _header.SCALAR))


def choice_name(type_name: str, number: int) -> Optional[bytes]:
    """The name of a choice: "log_improvement" is number INFILL_ACQUISITION_LOG_IMPROVEMENT of the type
    "infill_acquisition". Lives as long as the library; None for a type or a number that is none. Of "infill_status",
    the number is (uint32_t)status.
    """
    type_name_bytes = type_name.encode()
    return lib.choice_name(type_name_bytes, whole("number", number))


def choice_number(type_name: str, name: str) -> int:
    """The number of a choice by the name that choice_name gives it."""
    type_name_bytes = type_name.encode()
    name_bytes = name.encode()
    number_out = ctypes.c_uint32()
    lib.choice_number(type_name_bytes, name_bytes, number_out)
    return number_out.value
