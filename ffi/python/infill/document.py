"""Spaces with names, as JSON documents in the form of Python's ConfigSpace."""

import ctypes
import json

from . import _abi
from ._abi import lib, told
from .space import Condition, Parameter, Space, Term


def from_configspace(text, impute="centre"):
    """The space of a ConfigSpace document: a JSON text, or an object with ``to_serialized_dict`` or ``to_json``.

    Constants are left out of the space; ``Document(text)`` keeps them.
    """
    return Document(text).space(impute)


def to_configspace(space):
    """The JSON text of a space."""
    names = None
    if space.names is not None:
        encoded = [str(name).encode() for name in space.names]
        names = (ctypes.c_char_p * len(encoded))(*encoded)
    handle = _abi.handle()
    lib.document_of(space.data, names, handle)
    document = Document._of(handle)
    root = json.loads(document.text())
    for one, spec in zip(space.parameters, root["hyperparameters"]):
        if one.kind == "categorical" and _plain(one.values):
            _rename(root, spec, list(one.values))
    return json.dumps(root)


class Document:
    """A space with names, constants among them; ``text()`` writes it."""

    def __init__(self, text):
        encoded = _text(text).encode()
        self._handle = _abi.handle()
        lib.document_read(encoded, len(encoded), self._handle)

    @classmethod
    def _of(cls, handle):
        made = cls.__new__(cls)
        made._handle = handle
        return made

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.document_free(self._handle)
            self._handle = None

    def text(self):
        """The document as JSON."""
        return self._told(lib.document_write)

    def names(self):
        """The names of the parameters of the space, a parent before its children."""
        return [self._told(lib.document_name, place) for place in range(self._space().dims)]

    def space(self, impute="centre"):
        """The space, with Python values for categories and ordinals."""
        data, names = self._space(), self.names()
        described = {one["name"]: one for one in json.loads(self.text())["hyperparameters"]}
        parameters = {}
        for place, name in enumerate(names):
            spec, c = described[name], data.params[place]
            usual = spec.get("default_value")
            if "choices" in spec:
                parameters[name] = Parameter("categorical", values=spec["choices"], usual=usual)
            elif "sequence" in spec:
                # By rank, as the library has it: the values of the document need not be numbers.
                parameters[name] = _Ranked(spec["sequence"], usual)
            else:
                kind = "integer" if c.kind == _abi.KIND["INTEGER"] else "real"
                cast = int if kind == "integer" else float
                parameters[name] = Parameter(kind, cast(c.lo), cast(c.hi), c.log, usual=usual)
        conditions = [self._condition(data.conditions[i], names, parameters) for i in range(data.count)]
        clauses = []
        for i in range(data.terms):
            term = data.forbidden[i]
            if not term.also:
                clauses.append([])
            name = names[term.parameter]
            clauses[-1].append(Term(name, **_values(term, parameters[name])))
        return Space(parameters, conditions, forbidden=clauses, impute=impute)

    def values(self, point):
        """The configuration at a point of the space, constants among its values; what does not matter is left out."""
        numbers = (ctypes.c_double * len(point))(*point)
        return json.loads(self._told(lib.document_values, numbers, len(point)))

    def point(self, values):
        """The numbers of the point at which parameters have these values; others have their defaults."""
        encoded = json.dumps(values).encode()
        numbers = (ctypes.c_double * self._space().dims)()
        lib.document_point(self._handle, encoded, len(encoded), numbers, len(numbers))
        return list(numbers)

    def vector(self, point):
        """The vector by which ConfigSpace stands for a point; NaN for what does not matter."""
        numbers = (ctypes.c_double * len(point))(*point)
        out = (ctypes.c_double * len(json.loads(self.text())["hyperparameters"]))()
        lib.document_vector(self._handle, numbers, len(point), out, len(out))
        return list(out)

    def _space(self):
        out = ctypes.POINTER(_abi.Space)()
        lib.document_space(self._handle, out)
        return out.contents

    def _told(self, function, *arguments):
        return told(function, self._handle, *arguments)

    def _condition(self, c, names, parameters):
        parent = names[c.parent]
        return Condition(names[c.child], parent, either=bool(c.either), **_values(c, parameters[parent]))


class _Ranked(Parameter):
    """An ordinal whose values are any Python values; the library knows their ranks."""

    __slots__ = ("ranked",)

    def __init__(self, values, usual):
        self.ranked = tuple(values)
        super().__init__("integer", 0, len(self.ranked) - 1, usual=usual)

    def __repr__(self):
        return "ordinal(%r)" % (list(self.ranked),)

    def encode(self, value):
        """The rank of a value."""
        return float(self.ranked.index(value))

    def decode(self, number):
        """The value of a rank."""
        return self.ranked[int(number)]


def _text(given):
    if isinstance(given, str):
        return given
    if hasattr(given, "to_serialized_dict"):
        return json.dumps(given.to_serialized_dict())
    raise TypeError("%r is no JSON text and no ConfigurationSpace" % (given,))


def _values(c, parameter):
    """The values that a condition or term names."""
    if c.when == _abi.WHEN["IN"]:
        return {"among": [parameter.decode(c.values[i]) for i in range(c.count)]}
    if c.when == _abi.WHEN["EQUALS"]:
        return {"equals": parameter.decode(c.lo)}
    return {"between": (parameter.decode(c.lo), parameter.decode(c.hi))}


def _plain(values):
    return all(value is None or isinstance(value, (bool, int, float, str)) for value in values)


def _rename(root, spec, values):
    """Writes the categories of one parameter by their Python values instead of their numbers."""
    name = spec["name"]
    spec["choices"] = values
    spec["default_value"] = values[spec["default_value"]]

    def walk(part, key):
        for inner in part.get("conditions", ()) or part.get("clauses", ()):
            walk(inner, key)
        if part.get(key) == name:
            if "values" in part:
                part["values"] = [values[number] for number in part["values"]]
            elif "value" in part:
                part["value"] = values[part["value"]]

    for condition in root["conditions"]:
        walk(condition, "parent")
    for clause in root["forbiddens"]:
        walk(clause, "name")
