"""Keywords become infill_config: its fields by their names, choices by words."""

import ctypes

from . import _abi
from ._abi import lib
from ._numbers import real, whole, word
from .kernels import Kernel

# Fields that are choices.
_WORDS = {
    "scalar": _abi.SCALAR,
    "design": _abi.DESIGN,
    "trend": _abi.TREND,
    "targets": _abi.TRANSFORM,
    "acquisition": _abi.ACQUISITION,
    "incumbent": _abi.INCUMBENT,
    "training_objective": _abi.OBJECTIVE,
    "when_full": _abi.FULL,
    "model": _abi.MODEL,
    "forest_spread": _abi.SPREAD,
    "hyper": _abi.HYPER,
    "sampler": _abi.SAMPLER,
    "warp": _abi.WARP,
    "policy": _abi.POLICY,
    "policy_minima": _abi.MINIMA,
    "pending": _abi.PENDING,
    "cooling": _abi.COOLING,
    "search_method": _abi.SEARCH,
    "categories": _abi.CATEGORIES,
    "structure": _abi.STRUCTURE,
    "branches": _abi.BRANCHES,
    "strategy": _abi.STRATEGY,
}
# Fields that are no settings of the user's.
_OWN = ("size", "reserved", "reserved", "limits")


def config(settings):
    """The structure for keyword settings; the kernel among them has to outlive its use.

    ``preset`` fills it first, whatever its place among the keywords.
    """
    out = _abi.Config()
    settings = dict(settings)
    name = settings.pop("preset", None)
    if name is None:
        lib.config_default(out, ctypes.sizeof(out))
    elif name in presets():
        lib.config_preset(out, ctypes.sizeof(out), name.encode())
    else:
        raise ValueError("a preset is one of %s, not %r" % (", ".join(map(repr, presets())), name))
    if settings.get("search_method", "auto") not in ("auto", "ascent"):
        # What is usual for the method, unless it is among the keywords.
        out.search_global = out.search_starts = out.search_rounds = 0
    kernel = settings.pop("kernel", None)
    if kernel is not None:
        if not isinstance(kernel, Kernel):
            raise TypeError("a kernel is made by infill.kernels, not %r" % (kernel,))
        out.kernel = ctypes.pointer(kernel.data)
    fill(out.limits, settings.pop("limits", None) or {}, what="limit")
    if "trials" in settings:
        out.limits.trials = whole("trials", settings.pop("trials"))
    return fill(out, settings, _WORDS)


def presets():
    """The names of settings in the manner of well-known programs: ``Optimizer(space, preset="spearmint")``.

    >>> "default" in presets()
    True
    """
    names = []
    while (name := lib.preset_name(len(names))) is not None:
        names.append(name.decode())
    return names


def fill(out, values, words=None, what="setting"):
    """Sets the fields of a structure by their names; words are the choices of those that have some."""
    words = words or {}
    kinds = {name: kind for name, kind in out._fields_ if name not in _OWN}
    for name, value in dict(values).items():
        if name not in kinds:
            raise TypeError("there is no %s %r; known are %s" % (what, name, ", ".join(sorted(kinds))))
        if name in words:
            number = word(name, value, words[name])
        elif kinds[name] is ctypes.c_double:
            number = real(name, value)
        else:
            number = whole(name, value, 8 * ctypes.sizeof(kinds[name]))
        setattr(out, name, number)
    return out
