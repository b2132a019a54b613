"""Gaussian-process regression alone: points as they are given, no space, no units."""

import ctypes
import math
from typing import TYPE_CHECKING

from . import _abi, calls
from . import settings as _settings
from ._abi import lib
from ._numbers import SIZE, array, real, rows, triangle, whole, word
from .backend import lent
from .kernels import Kernel
from .results import Prediction

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import TrainingKeywords


class Covariance:
    """A covariance function of one's own, symmetric and positive definite; hyperparameters are logarithms.

    ``eval(theta, a, b)`` is k(a, b). ``gradient(theta, a, b)`` gives its derivatives by theta, for training,
    ``gradient_x(theta, a, b)`` those by a, for the gradient of a prediction.
    """

    def __init__(self, eval, start=(), lo=(), hi=(), gradient=None, gradient_x=None):
        self.eval, self.gradient, self.gradient_x = eval, gradient, gradient_x
        self.start = array("start", start)
        self.lo, self.hi = array("lo", lo, len(self.start)), array("hi", hi, len(self.start))


class Gp(calls.Gp):
    """A Gaussian process over points of ``dims`` coordinates, with at most ``rows`` observations.

    >>> from infill import kernels
    >>> gp = Gp(kernels.squared_exponential(length=1.0), dims=1, rows=10, noise=1e-6)
    >>> for x in (0.0, 1.0, 2.0):
    ...     gp.push([x], x * x)
    >>> gp.fit()
    >>> round(gp.predict([1.0]).mean, 3)
    1.0

    ``noise`` is a variance that is frozen, or (first guess, least, largest) and perhaps the spread of its prior;
    ``batch`` bounds the points of a joint prediction. Threads may share one: calls wait for each other.
    """

    _prefix = "gp_"

    def __init__(self, kernel, dims, rows, *, noise=None, trend="zero", scalar="f64", batch=1):
        config = _abi.GpConfig()
        lib.gp_config_default(config, ctypes.sizeof(config))
        config.rows, config.dims = whole("rows", rows, SIZE), whole("dims", dims, SIZE)
        config.batch = whole("batch", batch, SIZE)
        config.trend = word("trend", trend, _abi.TREND)
        config.scalar = word("scalar", scalar, _abi.SCALAR)
        if noise is not None:
            try:
                values = tuple(noise)
            except TypeError:
                values = (noise, noise, noise)
            names = ("noise_variance", "noise_lo", "noise_hi", "noise_sd")
            if not 3 <= len(values) <= 4:
                raise ValueError("the noise is a number, three or four, not %r" % (noise,))
            for name, value in zip(names, values):
                setattr(config, name, real(name, value))
        self.dims, self.batch, self._trend = config.dims, config.batch, trend.lower()
        self._raised, self._kept = None, kernel
        if isinstance(kernel, Covariance):
            self._kept = self._covariance(kernel)
            config.covariance = ctypes.pointer(self._kept)
        elif isinstance(kernel, Kernel):
            config.kernel = ctypes.pointer(kernel.data)
        else:
            raise TypeError("a kernel is made by infill.kernels, or a Covariance, not %r" % (kernel,))
        self._make(lib.gp_size(config), config)

    def _covariance(self, own):
        thetas, dims = len(own.start), self.dims

        def value(_, theta, a, b):
            try:
                return real("a covariance", own.eval(theta[:thetas], a[:dims], b[:dims]))
            except BaseException as error:
                self._raised = self._raised or error
                return math.nan

        def slope(kind, function, count):
            def call(_, theta, a, b, out):
                try:
                    out_values = array("a gradient", function(theta[:thetas], a[:dims], b[:dims]), count)
                except BaseException as error:
                    self._raised = self._raised or error
                    out_values = [math.nan] * count
                for i in range(count):
                    out[i] = out_values[i]

            return kind(call) if function else kind()

        data = _abi.Covariance(size=ctypes.sizeof(_abi.Covariance), thetas=thetas)
        data.eval = _abi.Eval(value)
        data.gradient = slope(_abi.Gradient, own.gradient, thetas)
        data.gradient_x = slope(_abi.GradientX, own.gradient_x, dims)
        data.start, data.lo, data.hi = own.start, own.lo, own.hi
        return data

    def _call(self, name, *arguments):
        """Calls the library; what a covariance raised meanwhile comes out here."""
        with self._lock:
            self._raised = None
            try:
                return super()._call(name, *arguments)
            finally:
                raised, self._raised = self._raised, None
                if raised is not None:
                    raise raised

    def __len__(self):
        return self._call("rows")

    def __repr__(self):
        return "<infill.Gp over %d coordinates, %d observations>" % (self.dims, len(self))

    def train(self, seed=0, backend=None, **training: "Unpack[TrainingKeywords]"):
        """Finds the hyperparameters that explain the data best, then fits; returns objective plus log prior.

        Keywords are the fields of infill_training: objective, restarts, draws, evaluations, tolerance, reach.
        """
        config, value = _settings.made(_abi.Training, training), ctypes.c_double()
        with lent(backend) as work:
            self._call("train", work, config, whole("seed", seed, 64), value)
        return value.value

    def evidence(self, objective="evidence", gradient=False, backend=None):
        """The training objective without the log prior; with gradient, also its derivatives, the noise last."""
        value, kind = ctypes.c_double(), word("objective", objective, _abi.OBJECTIVE)
        slopes = (ctypes.c_double * (self._call("thetas") if gradient else 0))()
        with lent(backend) as work:
            self._call("evidence", work, kind, value, slopes if gradient else None, len(slopes))
        return (value.value, list(slopes)) if gradient else value.value

    def predict_gradient(self, x):
        """The prediction at a point, and the derivatives of mean and variance by it."""
        x, mean, variance = array("x", x, self.dims), ctypes.c_double(), ctypes.c_double()
        by_mean, by_variance = (ctypes.c_double * len(x))(), (ctypes.c_double * len(x))()
        self._call("predict_gradient", x, len(x), mean, variance, by_mean, by_variance)
        return Prediction(mean.value, variance.value), list(by_mean), list(by_variance)

    def predict_joint(self, points):
        """Means and covariance matrix at some points, at most ``batch``."""
        x, count = rows("points", points, self.dims)
        means, matrix = (ctypes.c_double * count)(), (ctypes.c_double * (count * (count + 1) // 2))()
        self._call("predict_joint", x, count, self.dims, means, matrix)
        return list(means), triangle(matrix, count)

    def sample(self, points, seed=0):
        """A joint draw of the function at some points, at most ``batch``."""
        x, count = rows("points", points, self.dims)
        values, matrix = (ctypes.c_double * count)(), (ctypes.c_double * (count * (count + 1) // 2))()
        self._call("sample", x, count, self.dims, whole("seed", seed, 64), values, matrix)
        return list(values)

    @property
    def theta(self):
        """The hyperparameters as logarithms, the noise variance last; fit makes new ones count."""
        theta = (ctypes.c_double * self._call("thetas"))()
        self._call("theta", theta, len(theta))
        return list(theta)

    @theta.setter
    def theta(self, values):
        theta = array("theta", values)
        self._call("set_theta", theta, len(theta))

    def set_noise(self, variance, lo=None, hi=None):
        """Sets the noise variance and the range in which training may move it, by default none."""
        lo, hi = (variance if bound is None else bound for bound in (lo, hi))
        self._call("set_noise", real("variance", variance), real("lo", lo), real("hi", hi))

    @property
    def trend(self):
        """The coefficients of the trend: 1, x…, x x…"""
        d = self.dims
        columns = {"zero": 0, "constant": 1, "linear": 1 + d, "quadratic": 1 + d + d * (d + 1) // 2}
        beta = (ctypes.c_double * columns[self._trend])()
        self._call("trend", beta, len(beta))
        return list(beta)
