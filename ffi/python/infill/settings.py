"""Keywords become infill_config: its fields by their names, choices by words."""

import ctypes

from . import _abi
from ._abi import lib
from ._numbers import real, whole, word
from .kernels import Kernel

def config(settings, trials=0):
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
    out.limits.trials = whole("trials", trials)
    return fill(out, settings)


def presets():
    """The names of settings in the manner of well-known programs: ``Optimizer(space, preset="spearmint")``.

    >>> "default" in presets()
    True
    """
    names = []
    while (name := lib.preset_name(len(names))) is not None:
        names.append(name.decode())
    return names


def made(structure, values):
    """A structure with its defaults, if it has some, and these fields; one that is made already is left as it is."""
    if isinstance(values, structure):
        return values
    out = structure()
    name = next(name for name, other in _abi.STRUCTURES.items() if other is structure)
    default = _abi.CHECKED.get(name[len("infill_") :] + "_default") and getattr(lib, name[len("infill_") :] + "_default")
    if default:
        default(out, ctypes.sizeof(out))
    return fill(out, values)


def fill(out, values, what="setting"):
    """Sets the numbers of a structure by their names; those that are choices by words."""
    words = _abi.WORDS.get(type(out), {})
    numbers = (ctypes.c_double, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t)
    kinds = {name: kind for name, kind in out._fields_ if kind in numbers}
    kinds = {name: kind for name, kind in kinds.items() if name != "size" and not name.endswith("reserved")}
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
