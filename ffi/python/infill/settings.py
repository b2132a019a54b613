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
_OWN = ("size", "reserved", "search_reserved", "limits")


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
    fields = {name: kind for name, kind in _abi.Config._fields_ if name not in _OWN}
    if settings.get("search_method", "auto") not in ("auto", "ascent"):
        # What is usual for the method, unless it is among the keywords.
        out.search_global = out.search_starts = out.search_rounds = 0
    for name, value in settings.items():
        if name == "limits":
            limits(value, out.limits)
        elif name == "trials":
            out.limits.trials = whole(name, value)
        elif name not in fields:
            raise TypeError("there is no setting %r; known are %s" % (name, ", ".join(sorted(fields))))
        elif name == "kernel":
            if value is not None:
                if not isinstance(value, Kernel):
                    raise TypeError("a kernel is made by infill.kernels, not %r" % (value,))
                out.kernel = ctypes.pointer(value.data)
        else:
            setattr(out, name, field(name, value, fields[name], _WORDS))
    return out


def presets():
    """The names of settings in the manner of well-known programs: ``Optimizer(space, preset="spearmint")``.

    >>> "default" in presets()
    True
    """
    names = []
    while (name := lib.preset_name(len(names))) is not None:
        names.append(name.decode())
    return names


def limits(values, out):
    """Fills infill_limits from a dict."""
    known = [name for name, _ in _abi.Limits._fields_ if name != "reserved"]
    for name, value in dict(values or {}).items():
        if name not in known:
            raise TypeError("there is no limit %r; known are %s" % (name, ", ".join(known)))
        setattr(out, name, whole(name, value))
    return out


def field(name, value, kind, words):
    """A value for a field of a structure."""
    if name in words:
        return word(name, value, words[name])
    if kind is ctypes.c_double:
        return real(name, value)
    return whole(name, value, 8 * ctypes.sizeof(kind))
