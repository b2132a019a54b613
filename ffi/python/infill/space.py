"""What may vary: Python values on one side, numbers on the other."""

import ctypes
import math

from . import _abi
from ._abi import lib
from ._numbers import real as _number


class Parameter:
    """One thing that may vary; ``real``, ``integer``, ``ordinal`` and ``choice`` make one."""

    __slots__ = ("kind", "lo", "hi", "log", "values", "usual")

    def __init__(self, kind, lo=0.0, hi=0.0, log=False, values=(), usual=None):
        self.kind, self.lo, self.hi, self.log, self.values = kind, lo, hi, bool(log), tuple(values)
        #: The number of its default, or None.
        self.usual = None if usual is None else self.encode(usual)

    def __repr__(self):
        usual = "" if self.usual is None else ", usual=%r" % (self.decode(self.usual),)
        log = ", log=True" if self.log else ""
        if self.kind in ("ordinal", "categorical"):
            name = "choice" if self.kind == "categorical" else "ordinal"
            return "%s(%r%s%s)" % (name, list(self.values), log, usual)
        return "%s(%r, %r%s%s)" % (self.kind, self.lo, self.hi, log, usual)

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


def real(lo, hi, log=False, usual=None):
    """Every number from lo to hi; with log, uniform in its exponent; ``usual`` is its default."""
    return Parameter("real", _number("lo", lo), _number("hi", hi), log, usual=usual)


def integer(lo, hi, log=False, usual=None):
    """Every whole number from lo to hi; with log, uniform in its exponent; ``usual`` is its default."""
    for bound in (lo, hi):
        if _number("a bound", bound) != bound or bound % 1:
            raise ValueError("the bounds of an integer are whole numbers, not %r" % (bound,))
    return Parameter("integer", int(lo), int(hi), log, usual=usual)


def ordinal(levels, usual=None, log=False):
    """One of some increasing numbers, whose ranks are equally spaced; ``log`` puts them where their logarithms are, ``usual`` is
    its default."""
    levels = list(levels)
    for level in levels:
        _number("a level", level)
    return Parameter("ordinal", log=log, values=levels, usual=usual)


def choice(values, usual=None):
    """One of some Python values without order, none of them twice; ``usual`` is its default."""
    values = list(values)
    twice = [value for place, value in enumerate(values) if any(value is other for other in values[:place])]
    if twice:
        raise ValueError("%r is there twice among %r" % (twice[0], values))
    return Parameter("categorical", values=values, usual=usual)


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


_NONE = object()


class _Rule:
    """Some values of a parameter: exactly one of ``equals``, ``among`` and ``between``."""

    __slots__ = ("equals", "among", "between")

    def __init__(self, equals, among, between):
        if (equals is not _NONE) + (among is not None) + (between is not None) != 1:
            raise ValueError("one of equals, among and between says which values")
        self.equals, self.among, self.between = equals, among, between

    def _fill(self, out, parameter):
        """Fills a structure with the values; returns what it points to."""
        if self.among is not None:
            numbers = [parameter.encode(value) for value in self.among]
            values = (ctypes.c_double * len(numbers))(*numbers)
            out.when, out.values, out.count = _abi.WHEN["IN"], values, len(numbers)
            return values
        if self.between is not None:
            lo, hi = self.between
            out.when, out.lo, out.hi = _abi.WHEN["BETWEEN"], parameter.encode(lo), parameter.encode(hi)
        else:
            out.when = _abi.WHEN["EQUALS"]
            out.lo = out.hi = parameter.encode(self.equals)
        return None

    def _values(self):
        # A value of any kind stands for itself, also None.
        given = {"among": self.among, "between": self.between}
        named = {key: value for key, value in given.items() if value is not None}
        return named or {"equals": self.equals}


class Condition(_Rule):
    """``child`` matters only where ``parent``, an earlier parameter, has a value; several must all hold.

    Exactly one of ``equals``, ``among`` (some values) and ``between`` (a pair) says which. Parameters go by their
    names, or by their places if the space is a list. With ``either=True`` it is an alternative to the condition before
    it on the same child: one of such a run has to hold.
    """

    __slots__ = ("child", "parent", "either")

    def __init__(self, child, parent, equals=_NONE, among=None, between=None, either=False):
        super().__init__(equals, among, between)
        self.child, self.parent, self.either = child, parent, bool(either)

    def __reduce__(self):
        return _made, (Condition, (self.child, self.parent), dict(self._values(), either=self.either))

    def write(self, out, space):
        """Fills the structure; returns what it points to."""
        out.child, out.parent, out.either = space.place(self.child), space.place(self.parent), self.either
        return self._fill(out, space.parameters[out.parent])


class Term(_Rule):
    """Some values of a parameter, as a part of what is forbidden; which ones is said as in ``Condition``."""

    __slots__ = ("parameter",)

    def __init__(self, parameter, equals=_NONE, among=None, between=None):
        super().__init__(equals, among, between)
        self.parameter = parameter

    def __reduce__(self):
        return _made, (Term, (self.parameter,), self._values())

    def write(self, out, space):
        """Fills the structure; returns what it points to."""
        out.parameter = space.place(self.parameter)
        return self._fill(out, space.parameters[out.parameter])


def _made(kind, arguments, named):
    return kind(*arguments, **named)


class Space:
    """Parameters, the conditions between them, and what is forbidden.

    >>> space = Space({"lr": (1e-5, 1e-1, "log"), "units": (8, 512), "method": ["adam", "sgd"]})
    >>> space.parameters
    [real(1e-05, 0.1, log=True), integer(8, 512), choice(['adam', 'sgd'])]

    Two whole bounds make an integer: write (0.0, 1.0) for a real. A point is a dict if the parameters were given as
    one, and a list otherwise; a parameter that does not matter holds some value of its range.

    ``forbidden`` is a list of combinations, each a list of ``Term``: what all terms of one describe is never proposed,
    and refused when it is observed. ``impute`` is what a model sees of a parameter that does not matter: "centre",
    "usual" (its default), "outside" (no value at all) or "scatter" (anything).

    ``inactive`` says how a point is handed out by ``ask``, ``next`` and ``trials``: a parameter that does not matter there
    holds some value ("keep"), is None ("none"), or is left out of the dict ("omit"). A point that is given may leave such
    parameters out, or have None for them.
    """

    def __init__(self, parameters, conditions=(), forbidden=(), impute="centre", inactive="keep"):
        if isinstance(parameters, dict):
            self.names, specs = list(parameters), list(parameters.values())
        else:
            self.names, specs = None, list(parameters)
        self.parameters = [parameter(spec) for spec in specs]
        self.conditions = list(conditions)
        self.forbidden = [list(terms) for terms in forbidden]
        if str(impute).upper() not in _abi.IMPUTE:
            raise ValueError("impute is one of %s, not %r" % (", ".join(_abi.IMPUTE).lower(), impute))
        self.impute = str(impute).lower()
        if inactive not in ("keep", "none", "omit"):
            raise ValueError("inactive is one of keep, none, omit, not %r" % (inactive,))
        self.inactive = inactive
        self._children = {self.place(one.child) for one in self.conditions}
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
        return Space, (self._given(), self.conditions, self.forbidden, self.impute, self.inactive)

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
            # What may not matter may be left out: the library sees whether it does.
            missing = set(self.names) - keys - {self.names[child] for child in self._children}
            if missing or keys - set(self.names):
                raise ValueError("a point has values for %s, not for %s" % (self.names, sorted(map(str, keys))))
            point = [point.get(name) for name in self.names]
        elif len(point) != len(self):
            raise ValueError("a point has %d values, not %d" % (len(self), len(point)))
        numbers = [
            math.nan if value is None and place in self._children and None not in one.values else one.encode(value)
            for place, (one, value) in enumerate(zip(self.parameters, point))
        ]
        return (ctypes.c_double * len(self))(*numbers)

    def decode(self, numbers, active=None):
        """A point as the user has it; of what does not matter, None, or nothing in a dict that is to omit it."""
        values = [
            one.decode(number) if active is None or active[place] else None
            for place, (one, number) in enumerate(zip(self.parameters, numbers))
        ]
        if self.names is None:
            return values
        omits = active is not None and self.inactive == "omit"
        return {name: value for place, (name, value) in enumerate(zip(self.names, values)) if not omits or active[place]}

    def _write(self):
        params = (_abi.Param * len(self))()
        for out, one in zip(params, self.parameters):
            out.kind, out.log, out.lo, out.hi = _abi.KIND[one.kind.upper()], one.log, one.lo, one.hi
            out.count = len(one.values)
            if one.usual is not None:
                out.usual, out.has_usual = one.usual, 1
            if one.kind == "ordinal":
                levels = (ctypes.c_double * len(one.values))(*map(float, one.values))
                out.levels = levels
                self._kept.append(levels)
        conditions = (_abi.Condition * len(self.conditions))()
        for out, one in zip(conditions, self.conditions):
            self._kept.append(one.write(out, self))
        flat = [(term, place > 0) for terms in self.forbidden for place, term in enumerate(terms)]
        forbidden = (_abi.Term * len(flat))()
        for out, (term, also) in zip(forbidden, flat):
            self._kept.append(term.write(out, self))
            out.also = also
        if not all(self.forbidden):
            raise ValueError("what is forbidden has at least one term")
        self._kept += [params, conditions, forbidden]
        data = _abi.Space(ctypes.sizeof(_abi.Space), params, len(self))
        if self.conditions:
            data.conditions, data.count = conditions, len(conditions)
        if flat:
            data.forbidden, data.terms = forbidden, len(flat)
        data.impute = _abi.IMPUTE[self.impute.upper()]
        if self.names is not None:
            data.names = self._texts(self.names)
        if any(one.kind == "categorical" for one in self.parameters):
            texts = ctypes.POINTER(ctypes.c_char_p)
            lists = [self._texts(one.values) if one.kind == "categorical" else None for one in self.parameters]
            data.labels = (texts * len(lists))(*[ctypes.cast(one, texts) if one else texts() for one in lists])
        return data

    def _texts(self, values):
        """The values as texts for C, kept as long as the space; what is there twice has none."""
        words = [str(value).replace("\0", "") for value in values]
        words = [word if words.count(word) == 1 else "" for word in words]
        texts = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
        self._kept.append(texts)
        return texts

    def _refuse(self, fault):
        """Raises the status for which the library refuses the space, with what is at fault."""
        config = _abi.Config()
        lib.config_default(config, ctypes.sizeof(config))
        memory, out = _abi.block(8), ctypes.c_void_p()
        with _abi.explained(fault, space=self.data, config=config):
            lib.init(memory, ctypes.sizeof(memory), self.data, config, out)


def space(given, conditions=()):
    """A space as it is, or from a dict or a list."""
    if isinstance(given, Space):
        if conditions:
            raise ValueError("the conditions belong to the space")
        return given
    return Space(given, conditions)
