"""infill.h for ctypes: numbers, structures and functions, by their names without the prefix; and the library itself."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from . import _header, _library

handle = c_void_p

#: The types of the header by their names there: at first numbers, then structures and what is called back.
_TYPES = {
    "double": c_double,
    "int32": c_int32,
    "int64": c_int64,
    "uint16": ctypes.c_uint16,
    "uint32": c_uint32,
    "uint64": c_uint64,
    "trial": c_uint64,
    "size_t": c_size_t,
    "status": c_int32,
    "void": None,
    "char*": c_char_p,
}
#: Every number of the header, by the prefix of its name there.
NUMBERS = {"": {}}
#: Every structure of the header by its name there.
STRUCTURES = {}
#: Every function of the header: its result, then its parameters. The name of a status stands for one that is looked at.
FUNCTIONS = {}


def _entries(table):
    """The lines of a table; one that is indented goes on with the one before."""
    return table.replace("\n    ", " ").split("\n")[1:-1]


def _signatures(table):
    for entry in _entries(table):
        kinds, names = entry.split(":")
        for name in names.split():
            yield name, kinds.split()


def _type(name):
    """The type of a name: a pointer to what is only declared is a handle."""
    if name in _TYPES:
        return _TYPES[name]
    if name in _CALLS:
        result, *parameters = map(_type, _CALLS[name])
        return _TYPES.setdefault(name, CFUNCTYPE(result, *parameters))
    inner = name[:-1]
    known = inner != "void" and (inner in _TYPES or inner.endswith("*"))
    return _TYPES.setdefault(name, POINTER(_type(inner)) if known else handle)


def _structure(entry):
    name, groups = entry.split(": ")
    fields = []
    for group in groups.split("; "):
        kind, *names = group.split()
        for field in names:
            field, _, count = field.rstrip("]").partition("[")
            fields.append((field, _type(kind) * int(count) if count else _type(kind)))
    made = type(name.title().replace("_", ""), (ctypes.Structure,), {"_fields_": fields})
    STRUCTURES["infill_" + name] = _TYPES[name] = globals()[made.__name__] = made


_CALLS = dict(_signatures(_header.CALLS))
for _entry in _entries(_header.NUMBERS):
    _name, *_members = _entry.split()
    _bare = _members[0] == "-"
    _numbers = {name: int(number) for name, number in (member.split("=") for member in _members[_bare:])}
    NUMBERS["" if _bare else _name + "_"] = {**NUMBERS[""], **_numbers} if _bare else _numbers
    globals()[_name] = _numbers
for _entry in _entries(_header.STRUCTURES):
    _structure(_entry)
for _name, _kinds in _signatures(_header.FUNCTIONS):
    FUNCTIONS[_name] = (_kinds[0], [_type(kind) for kind in _kinds[1:]])


def call(name, function=None):
    """A Python function as the library calls it back; none for None."""
    return _type(name)(function) if function else _type(name)()


class Error(Exception):
    """What the library refused: ``code`` is its number, ``name`` that of infill.h, such as ``"ERROR_FULL"``."""

    def __init__(self, code, detail=""):
        self.code = code
        self.name = next((name for name, number in STATUS.items() if number == code), "unknown")  # noqa: F821
        self.detail = detail
        text = lib.status_str(code).decode()
        super().__init__("%s: %s" % (detail, text) if detail else text)

    def __reduce__(self):
        return Error, (self.code, self.detail)


class none_for:
    """``with none_for("DONE")``: these errors end the block, and a function that returns in it gives None."""

    def __init__(self, *names):
        self._codes = [STATUS[name] for name in names]  # noqa: F821

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
        for name, (result, parameters) in FUNCTIONS.items():
            function = library["infill_" + name]
            function.argtypes, function.restype = parameters, _type(result)
            if result == "status":
                function.errcheck = _checked
            setattr(self, name, function)


lib = _Functions(_library.load())


def block(size):
    """Memory for an optimizer or a process, aligned as the library wants it."""
    return (c_uint64 * ((size + 7) // 8))()
