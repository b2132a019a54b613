"""Reads the cases from the standard input, makes each call as a user of Python would, and writes what is said of it."""

import sys

import infill
from infill import _abi

ACTIONS = ("observe", "enqueue", "tell", "again", "asked", "forget", "fill", "open", "truncate", "flip", "attach")


def numbers(word):
    return [float(one) for one in word.split(",")]


def parameter(words):
    kind, rest = words[0], words[1:]
    made = {"real": infill.real, "integer": infill.integer, "ordinal": infill.ordinal, "category": infill.choice}[kind]
    more = {}
    if kind in ("real", "integer"):
        values, rest = (float(rest[0]), float(rest[1])), rest[2:]
        values = tuple(int(value) for value in values) if kind == "integer" else values
    else:
        values, rest = (numbers(rest[0]) if kind == "ordinal" else list(range(int(rest[0]))),), rest[1:]
    while rest:
        if rest[0] == "log":
            more["log"], rest = True, rest[1:]
        elif rest[0] == "default":
            more["usual"], rest = float(rest[1]), rest[2:]
        else:
            values, rest = (rest[0].split(","),), rest[1:]
    return made(*values, **more)


class Problem:
    """A space in the words of Python: parameters and categories by their names."""

    def __init__(self, parts):
        self.parameters, self.names = {}, []
        conditions, terms, impute = [], [], "centre"
        for words in parts:
            if words[0] in ("if", "or"):
                child, parent = self.name(words[1]), self.name(words[2])
                more = {"either": True} if words[0] == "or" else {}
                conditions.append(infill.Condition(child, parent, **self.when(parent, words[3:]), **more))
            elif words[0] in ("forbid", "also"):
                name = self.name(words[1])
                term = infill.Term(name, **self.when(name, words[2:]))
                terms.append([term]) if words[0] == "forbid" else terms[-1].append(term)
            elif words[0] == "impute":
                impute = "outside"
            elif words[0] in self.parameters:
                raise KeyError("a dict has the key %r once" % words[0])
            else:
                self.parameters[words[0]] = parameter(words[1:])
                self.names.append(words[0])
        self.space = infill.Space(self.parameters, conditions, terms, impute)

    def name(self, place):
        return self.names[int(place)] if int(place) < len(self.names) else "parameter %s" % place

    def value(self, name, number):
        one = self.parameters.get(name)
        if one is not None and one.kind == "categorical" and number in range(len(one.values)):
            return one.values[int(number)]
        return number

    def when(self, name, words):
        if words[0] == "=":
            return {"equals": self.value(name, float(words[1]))}
        if words[0] == "in":
            return {"among": [self.value(name, one) for one in numbers(words[1])]}
        return {"between": (self.value(name, float(words[1])), self.value(name, float(words[3])))}

    def point(self, word):
        return {name: self.value(name, number) for name, number in zip(self.names, numbers(word))}


def setting(name, number):
    """A choice by its word, if it has one; a number otherwise."""
    for word, own in _abi.WORDS[_abi.Config].get(name, {}).items():
        if own == number:
            return word.lower()
    counts = dict(_abi.Config._fields_)[name] is _abi.c_uint32
    return int(number) if counts else number


def act(problem, optimizer, action, other):
    verb, words = action[0], action[1:]
    if verb == "attach":
        infill.Optimizer.from_bytes(optimizer.to_bytes(), Problem(other).space)
    elif verb == "truncate":
        infill.Optimizer.from_bytes(optimizer.to_bytes()[: int(words[0])], problem.space)
    elif verb == "flip":
        saved = bytearray(optimizer.to_bytes())
        saved[int(words[0])] ^= 0x55
        infill.Optimizer.from_bytes(bytes(saved), problem.space)
    elif verb == "observe":
        optimizer.observe(problem.point(words[0]), float(words[1]))
    elif verb == "enqueue":
        optimizer.enqueue(problem.point(words[0]))
    elif verb == "tell":
        optimizer.tell(int(words[0]), float(words[1]))
    elif verb == "fill":
        while True:
            optimizer.fail(optimizer.ask())
    elif verb == "open":
        while True:
            optimizer.ask()
    elif verb == "forget":
        trial = optimizer.ask()
        optimizer.forget(trial)
        optimizer.forget(trial)
    else:
        trial = optimizer.ask()
        optimizer.tell(trial, float(words[0]))
        if verb == "again":
            optimizer.tell(trial, float(words[0]))


def run(line):
    own, other, settings, limits, action = [], [], {}, {}, []
    for words in (part.split() for part in line.split(" ; ")):
        if action and action[0] == "attach":
            other.append(words)
        elif words[0] == "set":
            settings[words[1]] = setting(words[1], float(words[2]))
        elif words[0] == "limit":
            limits[words[1]] = int(words[2])
        elif words[0] in ACTIONS:
            action = words
        else:
            own.append(words)
    problem = Problem(own)
    trials = limits.pop("trials", 20)
    if "strategy_parameter" in settings:
        settings["strategy_parameter"] = problem.name(settings["strategy_parameter"])
    optimizer = infill.Optimizer(problem.space, trials, limits=limits, **settings)
    if action:
        act(problem, optimizer, action, other)


for line in sys.stdin:
    if line.strip() and not line.startswith("#"):
        try:
            run(line.strip())
            print("accepted")
        except (infill.Error, ValueError, TypeError, KeyError, OverflowError) as error:
            print("%s: %s" % (type(error).__name__, error))
