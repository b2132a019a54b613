"""What may vary: Python values on one side, numbers on the other."""

import ctypes

from . import _abi
from ._abi import Error, lib
from ._numbers import real as _number


class Parameter:
    """One thing that may vary; ``real``, ``integer``, ``ordinal`` and ``choice`` make one."""

    __slots__ = ("kind", "lo", "hi", "log", "values")

    def __init__(self, kind, lo=0.0, hi=0.0, log=False, values=()):
        self.kind, self.lo, self.hi, self.log, self.values = kind, lo, hi, bool(log), tuple(values)

    def __repr__(self):
        if self.kind in ("ordinal", "categorical"):
            return "%s(%r)" % ("choice" if self.kind == "categorical" else "ordinal", list(self.values))
        return "%s(%r, %r%s)" % (self.kind, self.lo, self.hi, ", log=True" if self.log else "")

    def encode(self, value):
        """The number that stands for a value."""
        if self.kind == "categorical":
            return float(self._index(value))
        return _number("the value", value)

    def decode(self, number):
        """The value that a number stands for."""
        if self.kind == "real":
            return number
        if self.kind == "integer":
            return int(number)
        if self.kind == "categorical":
            return self.values[int(number)]
        # A level comes back in the precision of the optimizer's scalar.
        return min(self.values, key=lambda level: abs(float(level) - number))

    def _index(self, value):
        # 1, 1.0 and True are equal: the same object comes first, then the same type.
        def same(other):
            return other is value

        def alike(other):
            return type(other) is type(value) and other == value

        for equal in (same, alike, lambda other: other == value):
            for index, other in enumerate(self.values):
                if equal(other):
                    return index
        raise ValueError("%r is none of %r" % (value, list(self.values)))


def real(lo, hi, log=False):
    """Every number from lo to hi; with log, uniform in its exponent."""
    return Parameter("real", _number("lo", lo), _number("hi", hi), log)


def integer(lo, hi, log=False):
    """Every whole number from lo to hi; with log, uniform in its exponent."""
    for bound in (lo, hi):
        if _number("a bound", bound) != bound or bound % 1:
            raise ValueError("the bounds of an integer are whole numbers, not %r" % (bound,))
    return Parameter("integer", int(lo), int(hi), log)


def ordinal(levels):
    """One of some increasing numbers, whose ranks are equally spaced."""
    levels = list(levels)
    for level in levels:
        _number("a level", level)
    return Parameter("ordinal", values=levels)


def choice(values):
    """One of some Python values without order."""
    return Parameter("categorical", values=values)


def parameter(spec):
    """A parameter from a short form: (lo, hi), (lo, hi, "log"), a list of choices, or bool."""
    if isinstance(spec, Parameter):
        return spec
    if spec is bool:
        return choice((False, True))
    if isinstance(spec, list):
        return choice(spec)
    if isinstance(spec, tuple) and (len(spec) == 2 or len(spec) == 3 and spec[2] == "log"):
        lo, hi = spec[:2]
        whole = all(hasattr(bound, "__index__") and not isinstance(bound, bool) for bound in (lo, hi))
        return (integer if whole else real)(lo, hi, log=len(spec) == 3)
    raise ValueError('%r is no parameter: (lo, hi), (lo, hi, "log"), a list of choices, or bool' % (spec,))


class Condition:
    """``child`` matters only where ``parent``, an earlier parameter, has a value; several must all hold.

    Exactly one of ``equals``, ``among`` (some values) and ``between`` (a pair) says which. Parameters go by their
    names, or by their places if the space is a list.
    """

    __slots__ = ("child", "parent", "equals", "among", "between")
    _NONE = object()

    def __init__(self, child, parent, equals=_NONE, among=None, between=None):
        if (equals is not self._NONE) + (among is not None) + (between is not None) != 1:
            raise ValueError("a condition has one of equals, among and between")
        self.child, self.parent = child, parent
        self.equals, self.among, self.between = equals, among, between

    def write(self, out, space):
        """Fills the structure; returns what it points to."""
        out.child, out.parent = space.place(self.child), space.place(self.parent)
        parent = space.parameters[out.parent]
        if self.among is not None:
            numbers = [parent.encode(value) for value in self.among]
            values = (ctypes.c_double * len(numbers))(*numbers)
            out.when, out.values, out.count = _abi.WHEN["IN"], values, len(numbers)
            return values
        if self.between is not None:
            lo, hi = self.between
            out.when, out.lo, out.hi = _abi.WHEN["BETWEEN"], parent.encode(lo), parent.encode(hi)
        else:
            out.when = _abi.WHEN["EQUALS"]
            out.lo = out.hi = parent.encode(self.equals)
        return None


class Space:
    """Parameters and the conditions between them.

    >>> space = Space({"lr": (1e-5, 1e-1, "log"), "units": (8, 512), "method": ["adam", "sgd"]})
    >>> space.parameters
    [real(1e-05, 0.1, log=True), integer(8, 512), choice(['adam', 'sgd'])]

    Two whole bounds make an integer: write (0.0, 1.0) for a real. A point is a dict if the parameters were given as
    one, and a list otherwise; a parameter that does not matter holds some value of its range.
    """

    def __init__(self, parameters, conditions=()):
        if isinstance(parameters, dict):
            self.names, specs = list(parameters), list(parameters.values())
        else:
            self.names, specs = None, list(parameters)
        self.parameters = [parameter(spec) for spec in specs]
        self.conditions = list(conditions)
        self._kept = []
        self.data = self._write()
        fault = lib.space_fault(self.data)
        if fault >= 0:
            self._refuse(fault)

    def __len__(self):
        return len(self.parameters)

    def __repr__(self):
        return "Space(%r)" % (self._given(),)

    def __reduce__(self):
        return Space, (self._given(), self.conditions)

    def _given(self):
        return self.parameters if self.names is None else dict(zip(self.names, self.parameters))

    def place(self, key):
        """The index of a parameter."""
        if self.names is not None:
            if key in self.names:
                return self.names.index(key)
        elif isinstance(key, int) and 0 <= key < len(self):
            return key
        raise ValueError("%r is no parameter of the space" % (key,))

    def encode(self, point):
        """A point as the library has it."""
        if self.names is not None:
            try:
                keys = set(point.keys())
            except AttributeError:
                raise TypeError("a point of this space is a dict, not %r" % (point,)) from None
            if keys != set(self.names):
                raise ValueError("a point has values for %s, not for %s" % (self.names, sorted(map(str, keys))))
            point = [point[name] for name in self.names]
        elif len(point) != len(self):
            raise ValueError("a point has %d values, not %d" % (len(self), len(point)))
        numbers = [one.encode(value) for one, value in zip(self.parameters, point)]
        return (ctypes.c_double * len(self))(*numbers)

    def decode(self, numbers):
        """A point as the user has it."""
        values = [one.decode(number) for one, number in zip(self.parameters, numbers)]
        return values if self.names is None else dict(zip(self.names, values))

    def _write(self):
        params = (_abi.Param * len(self))()
        for out, one in zip(params, self.parameters):
            out.kind, out.log, out.lo, out.hi = _abi.KIND[one.kind.upper()], one.log, one.lo, one.hi
            out.count = len(one.values)
            if one.kind == "ordinal":
                levels = (ctypes.c_double * len(one.values))(*map(float, one.values))
                out.levels = levels
                self._kept.append(levels)
        conditions = (_abi.Condition * len(self.conditions))()
        for out, one in zip(conditions, self.conditions):
            self._kept.append(one.write(out, self))
        self._kept += [params, conditions]
        size = ctypes.sizeof(_abi.Space)
        return _abi.Space(size, params, len(self), conditions if self.conditions else None, len(self.conditions))

    def _refuse(self, fault):
        """Raises the status for which the library refuses the space, with the name of what is at fault."""
        config = _abi.Config()
        lib.config_default(config, ctypes.sizeof(config))
        memory, out = _abi.block(8), ctypes.c_void_p()
        try:
            lib.init(memory, ctypes.sizeof(memory), self.data, config, out)
        except Error as error:
            if error.code == _abi.STATUS["ERROR_CONDITION"]:
                culprit = "condition %d" % fault
            else:
                culprit = "parameter %r" % (self.names[fault] if self.names else fault)
            raise Error(error.code, culprit) from None


def space(given, conditions=()):
    """A space as it is, or from a dict or a list."""
    if isinstance(given, Space):
        if conditions:
            raise ValueError("the conditions belong to the space")
        return given
    return Space(given, conditions)
