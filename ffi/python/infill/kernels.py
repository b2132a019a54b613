"""Covariance functions: leaves, their sums and products, and a variance in front.

>>> k = scale(matern52(on=[0, 1, 2], ard=True) * hamming(on=[3]))
>>> k.thetas(4)
5
"""

import ctypes

from . import _abi
from ._abi import lib
from ._numbers import array, real, rows, triangle, whole


class Hyper:
    """Start, bounds and prior of a hyperparameter in natural units: log-normal if prior_sd is not 0.

    Other priors are named: "uniform", "gamma" (shape and rate) and "horseshoe" (scale and power) take their two numbers
    from prior_mean and prior_sd. Where one is expected, a number stands for a hyperparameter that is frozen there.
    """

    __slots__ = ("value", "lo", "hi", "prior_mean", "prior_sd", "prior")

    def __init__(self, value, lo, hi, prior_mean=0.0, prior_sd=0.0, prior="log-normal"):
        numbers = dict(value=value, lo=lo, hi=hi, prior_mean=prior_mean, prior_sd=prior_sd)
        for name, number in numbers.items():
            setattr(self, name, real(name, number))
        if str(prior).upper().replace("-", "_") not in _abi.PRIOR:
            raise ValueError("prior: no %r" % (prior,))
        self.prior = str(prior)

    def __repr__(self):
        if self.prior != "log-normal":
            numbers = (self.value, self.lo, self.hi, self.prior_mean, self.prior_sd, self.prior)
            return "Hyper(%r, %r, %r, %r, %r, prior=%r)" % numbers
        return "Hyper(%r, %r, %r, %r, %r)" % (self.value, self.lo, self.hi, self.prior_mean, self.prior_sd)


class Kernel:
    """A covariance function; ``+`` and ``*`` join two."""

    def __init__(self, nodes):
        self._nodes = tuple(nodes)
        self._kept = []
        nodes = (_abi.Node * len(self._nodes))()
        for out, (op, flags, degree, on, hypers) in zip(nodes, self._nodes):
            out.op, out.flags, out.degree = _abi.OP[op], flags, degree
            if on is not None:
                coordinates = (ctypes.c_uint16 * len(on))(*on)
                out.list, out.count = coordinates, len(on)
                self._kept.append(coordinates)
            settings = (_abi.Hyper * len(hypers))()
            for setting, (role, hyper) in zip(settings, hypers):
                setting.role, setting.value, setting.lo, setting.hi = role, hyper.value, hyper.lo, hyper.hi
                setting.prior_mean, setting.prior_sd = hyper.prior_mean, hyper.prior_sd
                setting.prior = _abi.PRIOR[hyper.prior.upper().replace("-", "_")]
            if hypers:
                out.hypers, out.hyper_count = settings, len(hypers)
                self._kept.append(settings)
        self._kept.append(nodes)
        self.data = _abi.Kernel(nodes, len(nodes))

    def __reduce__(self):
        return Kernel, (self._nodes,)

    def __repr__(self):
        return "Kernel(%s)" % " ".join(node[0].lower() for node in self._nodes)

    def __add__(self, other):
        return _join(self, other, "SUM")

    def __mul__(self, other):
        return _join(self, other, "PRODUCT")

    def thetas(self, dims):
        """The number of hyperparameters over points of so many coordinates."""
        out = ctypes.c_size_t()
        lib.kernel_thetas(self.data, whole("dims", dims), out)
        return out.value

    def start(self, dims):
        """The hyperparameters at which training starts, as logarithms."""
        theta = (ctypes.c_double * self.thetas(dims))()
        lib.kernel_start(self.data, dims, theta, len(theta))
        return list(theta)

    def __call__(self, theta, a, b):
        """k(a, b)."""
        theta, a, out = array("theta", theta), array("a", a), ctypes.c_double()
        lib.kernel_eval(self.data, theta, len(theta), a, array("b", b, len(a)), len(a), out)
        return out.value

    def gradient(self, theta, a, b):
        """k(a, b) with its derivatives by theta and by a."""
        theta, a, out = array("theta", theta), array("a", a), ctypes.c_double()
        by_theta, by_a = (ctypes.c_double * len(theta))(), (ctypes.c_double * len(a))()
        b = array("b", b, len(a))
        lib.kernel_gradient(self.data, theta, len(theta), a, b, len(a), out, by_theta, by_a)
        return out.value, list(by_theta), list(by_a)

    def gram(self, theta, points):
        """The matrix k(xᵢ, xⱼ), as a list of rows."""
        points = [list(point) for point in points]
        if not points:
            return []
        x, count = rows("points", points, len(points[0]))
        theta, out = array("theta", theta), (ctypes.c_double * (count * (count + 1) // 2))()
        lib.kernel_gram(self.data, theta, len(theta), x, count, len(points[0]), out)
        return triangle(out, count)


def _join(a, b, op):
    if not isinstance(b, Kernel):
        return NotImplemented
    return Kernel(a._nodes + b._nodes + ((op, 0, 0, None, ()),))


def _hypers(given):
    pairs = []
    for name, hyper in given.items():
        if hyper is None:
            continue
        if not isinstance(hyper, Hyper):
            hyper = Hyper(hyper, hyper, hyper)
        pairs.append((_abi.ROLE[name.upper()], hyper))
    return tuple(pairs)


def _leaf(op, on, ard=False, degree=0, no_bias=False, **hypers):
    flags = (_abi.NODE["ARD"] if ard else 0) | (_abi.NODE["NO_BIAS"] if no_bias else 0)
    if on is not None:
        on = tuple(whole("a coordinate", coordinate, 16) for coordinate in on)
        if not on:
            raise ValueError("on names at least one coordinate; None is all of them")
    return Kernel([(op, flags, whole("degree", degree), on, _hypers(hypers))])


def leaf(name, on=None, ard=False, degree=0, bias=True, **hypers):
    """The kernel of this name over the coordinates ``on``; the functions below are its members with their own words.

    A degree is that of infill_node; hyperparameters go by their roles: ``leaf("matern52", length=0.5)``.
    """
    if str(name).upper() not in _abi.OP:
        raise ValueError("no kernel is called %r" % (name,))
    return _leaf(str(name).upper(), on, ard, degree, not bias, **hypers)


def constant(variance=None):
    """The constant σ²."""
    return _leaf("CONSTANT", None, variance=variance)


def scale(kernel, variance=None):
    """σ² times a kernel."""
    return Kernel(kernel._nodes + (("SCALE", 0, 0, None, _hypers({"variance": variance})),))


def squared_exponential(on=None, ard=False, length=None):
    """exp(−ρ²/2), where ρ² = Σ (Δ/ℓ)² over the coordinates ``on``; with ``ard`` each has its own length."""
    return _leaf("SQUARED_EXPONENTIAL", on, ard, length=length)


def matern12(on=None, ard=False, length=None):
    """exp(−ρ)"""
    return _leaf("MATERN12", on, ard, length=length)


def matern32(on=None, ard=False, length=None):
    """(1 + √3ρ) exp(−√3ρ)"""
    return _leaf("MATERN32", on, ard, length=length)


def matern52(on=None, ard=False, length=None):
    """(1 + √5ρ + 5ρ²/3) exp(−√5ρ)"""
    return _leaf("MATERN52", on, ard, length=length)


def matern(on=None, ard=False, length=None, shape=None):
    """The Matérn kernel of any order ν, its shape."""
    return _leaf("MATERN", on, ard, length=length, shape=shape)


def rational_quadratic(on=None, ard=False, length=None, shape=None):
    """(1 + ρ²/(2α))⁻ᵅ, where α is its shape."""
    return _leaf("RATIONAL_QUADRATIC", on, ard, length=length, shape=shape)


def gamma_exponential(on=None, ard=False, length=None, shape=None):
    """exp(−ρᵞ), where γ is its shape."""
    return _leaf("GAMMA_EXPONENTIAL", on, ard, length=length, shape=shape)


def laplace(on=None, ard=False, length=None):
    """exp(−Σ |Δ|/ℓ)"""
    return _leaf("LAPLACE", on, ard, length=length)


def periodic(on=None, ard=False, length=None, period=None):
    """exp(−2 Σ sin²(πΔ/p)/ℓ²)"""
    return _leaf("PERIODIC", on, ard, length=length, period=period)


def cosine(on=None, ard=False, period=None):
    """cos(2π Σ Δ/p)"""
    return _leaf("COSINE", on, ard, period=period)


def linear(on=None, ard=False, weight=None):
    """Σ w a b"""
    return _leaf("LINEAR", on, ard, weight=weight)


def polynomial(degree, on=None, ard=False, weight=None, bias=None):
    """(Σ w a b + w₀)ᵈ; without w₀ if bias is False."""
    return _biased("POLYNOMIAL", on, ard, weight, bias, degree)


def arc_sine(on=None, ard=False, weight=None, bias=None):
    """2/π arcsin of a normalised dot product; without constant input if bias is False."""
    return _biased("ARC_SINE", on, ard, weight, bias, 0)


def _biased(op, on, ard, weight, bias, degree):
    return _leaf(op, on, ard, degree, bias is False, weight=weight, bias=None if bias is False else bias)


def hamming(on=None, ard=False, weight=None):
    """exp(−Σ w [a ≠ b])"""
    return _leaf("HAMMING", on, ard, weight=weight)


def exchangeable(on=None, ard=False, correlation=None):
    """Π (a = b ? 1 : c)"""
    return _leaf("EXCHANGEABLE", on, ard, correlation=correlation)


def branch(on=None):
    """Π [a = b]: zero across the branches of a conditional space."""
    return _leaf("BRANCH", on)


def active(on=None):
    """Π [(a < 0) = (b < 0)]: zero unless the same coordinates are active, that is, not negative."""
    return _leaf("ACTIVE", on)


def arc(on=None, ard=False, profile="matern52", angle=None, radius=None):
    """A radial profile of points r (sin πωx, cos πωx) on circles, (0, 0) for inactive coordinates, which are negative.

    The profile is "squared_exponential", "matern12", "matern32" or "matern52".

    >>> k = arc(on=[0], profile="matern12", angle=0.5, radius=2.0)
    >>> abs(k(k.start(1), [0.3], [-1.0]) - 0.1353352832366127) < 1e-12
    True
    """
    return _leaf("ARC", on, ard, _profile(profile), angle=angle, radius=radius)


def one_hot(on, categories, ard=False, profile="matern52", length=None):
    """A radial profile of numbers and of categories as unit vectors: Δ² = 2 [a ≠ b]; profiles as of ``arc``.

    The last ``categories`` of the coordinates ``on`` are categories; both parts increase.
    """
    return _leaf("ONE_HOT", on, ard, _profile(profile) + 256 * whole("categories", categories, 8), length=length)


def _profile(name):
    known = ("SQUARED_EXPONENTIAL", "MATERN12", "MATERN32", "MATERN52")
    if str(name).upper() not in known:
        raise ValueError("a profile is one of %s, not %r" % (", ".join(word.lower() for word in known), name))
    return _abi.OP[str(name).upper()]
