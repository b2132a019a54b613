"""infill.h for ctypes: numbers, structures and functions, by their names without the prefix; and the library itself."""

import ctypes
from typing import Any

from . import _library
from ._header import *  # noqa: F403
from ._header import CHECKED, PLAIN, STATUS

handle = ctypes.c_void_p


class Error(Exception):
    """What the library refused: ``code`` is its number, ``name`` that of infill.h, such as ``"ERROR_FULL"``.

    The text names the culprit, what was given and what may be; ``index`` is that of the parameter, condition or forbidden
    combination of a space that is refused, or None.
    """

    def __init__(self, code, why="", index=None):
        self.code, self.index = code, index
        self.name = next((name for name, number in STATUS.items() if number == code), "unknown")
        super().__init__(why or lib.status_str(code).decode())

    def __reduce__(self):
        return Error, (self.code, str(self), self.index)


class explained:
    """``with explained(space=…, config=…)``: an Error in it says why, from what the call was given."""

    def __init__(self, index=None, **given):
        self._index, self._given = index, given

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if not isinstance(error, Error) or error.code == STATUS["DONE"]:
            return False
        given = Given(size=ctypes.sizeof(Given), status=error.code)
        for name, value in self._given.items():
            if isinstance(value, ctypes.Structure):
                value = ctypes.pointer(value)
            elif isinstance(value, ctypes.Array):
                value = ctypes.cast(value, dict(Given._fields_)[name])
            setattr(given, name, value)
        raise Error(error.code, told(lib.explain, given), self._index) from None


class none_for:
    """``with none_for("DONE")``: these errors end the block, and a function that returns in it gives None."""

    def __init__(self, *names):
        self._codes = [STATUS[name] for name in names]

    def __enter__(self):
        return None

    def __exit__(self, kind, error, _):
        return isinstance(error, Error) and error.code in self._codes


def _checked(status, function, arguments):
    if status != 0:
        raise Error(status)


class _Functions:
    """The functions of the library as attributes; one that can fail raises Error."""

    def __init__(self, library):
        checked = {name: (ctypes.c_int32, parameters) for name, parameters in CHECKED.items()}
        for name, (result, parameters) in {**PLAIN, **checked}.items():
            function = library["infill_" + name]
            function.argtypes, function.restype = parameters, result
            if name in checked:
                function.errcheck = _checked
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError("infill.h has no function infill_%s" % name)


lib = _Functions(_library.load())


def block(size):
    """Memory for an optimizer or a process, aligned as the library wants it."""
    return (c_uint64 * ((size + 7) // 8))()


def told(function, *arguments):
    """The text that a function writes to its last three parameters, once its length is known."""
    length = ctypes.c_size_t()
    function(*arguments, None, 0, length)
    text = ctypes.create_string_buffer(length.value + 1)
    function(*arguments, text, len(text), length)
    return text.value.decode()
