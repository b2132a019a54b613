"""infill.h for ctypes: numbers, structures and functions, by their names without the prefix; and the library itself."""

from ctypes import c_int32, c_uint64

from . import _library
from ._enums import *  # noqa: F403
from ._enums import STATUS
from ._functions import FUNCTIONS, handle  # noqa: F401
from ._structures import *  # noqa: F403


class Error(Exception):
    """What the library refused: ``code`` is its number, ``name`` that of infill.h, such as ``"ERROR_FULL"``."""

    def __init__(self, code, detail=""):
        self.code = code
        self.name = next((name for name, number in STATUS.items() if number == code), "unknown")
        self.detail = detail
        text = lib.status_str(code).decode()
        super().__init__("%s: %s" % (detail, text) if detail else text)

    def __reduce__(self):
        return Error, (self.code, self.detail)


def _checked(status, function, arguments):
    if status != 0:
        raise Error(status)


class _Functions:
    """The functions of the library as attributes; one that can fail raises Error."""

    def __init__(self, library):
        for name, (result, parameters) in FUNCTIONS.items():
            function = library["infill_" + name]
            function.argtypes = parameters
            if result is None:
                function.restype, function.errcheck = c_int32, _checked
            else:
                function.restype = None if result == "void" else result
            setattr(self, name, function)


lib = _Functions(_library.load())


def block(size):
    """Memory for an optimizer or a process, aligned as the library wants it."""
    return (c_uint64 * ((size + 7) // 8))()
