"""What optimizers and processes give."""

import math
from typing import Any, NamedTuple


class Trial(NamedTuple):
    """A question: ``x`` is to be evaluated, and told under this trial or its ``id``."""

    id: int
    x: Any
    #: "design", "model", "source" where what other data sets taught says it alone, "queue", "fallback", "method" where there is
    #: neither a model nor an acquisition, or "resumed" for a trial that was open when the optimizer was loaded.
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
