"""Prints what _abi says of infill.h, a line each: structures, fields, numbers, functions. tests/python.rs compares."""

import ctypes

from infill import _abi


def kind(type):
    """A letter and a size: what counts when a value is passed."""
    if type is None:
        return "void"
    plain = {ctypes.c_double: "f", ctypes.c_int32: "i", ctypes.c_int64: "i"}
    plain.update({ctypes.c_uint32: "u", ctypes.c_uint64: "u", ctypes.c_size_t: "u"})
    return plain[type] + str(ctypes.sizeof(type)) if type in plain else "pointer"


for name, structure in _abi.STRUCTURES.items():
    print(name, ctypes.sizeof(structure))
    for field, _ in structure._fields_:
        place = getattr(structure, field)
        print("%s.%s" % (name, field), place.offset, place.size)
for prefix, numbers in _abi.NUMBERS.items():
    for name, number in numbers.items():
        print("INFILL_%s%s" % (prefix, name), number)
checked = {name: (ctypes.c_int32, parameters) for name, parameters in _abi.CHECKED.items()}
for name, (result, parameters) in {**_abi.PLAIN, **checked}.items():
    print("infill_%s(%s)" % (name, ",".join(map(kind, parameters))), kind(result))
