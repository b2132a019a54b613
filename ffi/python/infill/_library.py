"""Finds the shared library: INFILL_LIBRARY, then beside the package, then the system's."""

import ctypes
import ctypes.util
import os
import sys

# The soname is that of the major version for which the structures of _abi were written.
if sys.platform == "win32":
    NAMES = ("infill.dll",)
elif sys.platform == "darwin":
    NAMES = ("libinfill.0.dylib", "libinfill.dylib")
else:
    NAMES = ("libinfill.so.0", "libinfill.so")

#: The version for which the structures of _abi were written, major and minor.
VERSION = (0, 1)


def candidates():
    """What to try, in this order; a library that was named is the only one."""
    named = os.environ.get("INFILL_LIBRARY")
    if named:
        return [named]
    package = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(folder, name) for folder in (package, os.path.dirname(package)) for name in NAMES]
    found = [path for path in beside if os.path.exists(path)]
    system = ctypes.util.find_library("infill")
    return found + list(NAMES) + ([system] if system else [])


def load():
    """The library, which has to be of a version that this package knows."""
    reasons = []
    for name in candidates():
        try:
            library = ctypes.CDLL(name)
            packed = library.infill_version
        except (OSError, AttributeError) as reason:
            reasons.append(str(reason))
            continue
        packed.argtypes, packed.restype = [], ctypes.c_uint32
        version = (packed() >> 16, packed() >> 8 & 255)
        # A later minor version only adds.
        if version[0] == VERSION[0] and version >= VERSION:
            return library
        reasons.append("%s is of version %d.%d, not %d.%d" % ((name,) + version + VERSION))
    hint = "set INFILL_LIBRARY to the path of libinfill, or install it with ffi/install.sh"
    raise ImportError("no libinfill: %s (%s)" % (hint, "; ".join(reasons)))
