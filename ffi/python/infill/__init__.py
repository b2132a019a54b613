"""Bayesian optimization in one bounded block of memory.

It finds the minimum of a function that is expensive to evaluate, in few evaluations. To maximise, return −y.

>>> import infill
>>> def loss(p):
...     return (p["x"] - 2) ** 2 + {"a": 1, "b": 0}[p["method"]]
>>> result = infill.minimize(loss, {"x": (-5.0, 10.0), "method": ["a", "b"]}, budget=25, seed=1)
>>> result.x["method"], round(result.x["x"], 1)
('b', 2.0)

``minimize`` is the whole loop, ``Optimizer`` asks and is told, ``Race`` finds the best of noisy configurations, ``compare``
the better of methods, ``Source`` what runs on other data sets taught; ``kernels``, ``Gp``, ``design`` and ``score`` are the parts. Pure Python over libinfill, which is looked for at INFILL_LIBRARY, beside the package and in the system.
"""

from . import calls, compare, kernels
from ._abi import CAN as _CAN
from ._abi import Error, lib as _lib
from ._run import Result, Step, minimize, run
from ._statuses import *  # noqa: F403
from .backend import Adapter, Faer, Gpu, adapters
from .document import Document, from_configspace, to_configspace
from .gp import Covariance, Gp
from .kernels import Hyper, Kernel
from .optimizer import Optimizer
from .parts import bound_schedule, design, score, score_gradient
from .race import FRace, FRun, Race, Run, RunRecord
from .results import Best, Prediction, Recommendation, Record, Trial
from .settings import presets
from .space import Condition, Parameter, Space, Term, choice, integer, ordinal, real
from .transfer import Source, meta_features

__all__ = [
    "Best",
    "Condition",
    "Covariance",
    "Document",
    "Error",
    "FRace",
    "FRun",
    "Adapter",
    "Faer",
    "Gpu",
    "adapters",
    "Gp",
    "Hyper",
    "Kernel",
    "Optimizer",
    "Parameter",
    "Prediction",
    "Race",
    "Recommendation",
    "Record",
    "Result",
    "Run",
    "RunRecord",
    "Source",
    "Space",
    "Step",
    "Term",
    "Trial",
    "bound_schedule",
    "calls",
    "capabilities",
    "choice",
    "compare",
    "design",
    "from_configspace",
    "integer",
    "kernels",
    "meta_features",
    "minimize",
    "ordinal",
    "presets",
    "real",
    "run",
    "to_configspace",
    "score",
    "score_gradient",
]

#: The version of the library.
__version__ = _lib.version_str().decode()


def capabilities():
    """What this build of the library can do: some of "std", "faer", "f32", "f64" and "gpu"."""
    return {name.lower() for name, bit in _CAN.items() if _lib.capabilities() & bit}
