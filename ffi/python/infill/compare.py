"""Which method is better: ranks and tests of significance over a table, a row for each problem, less is better.

>>> rows = [[15.5, 15.4, 15.3], [10.7, 10.7, 10.6], [1.3, 1.6, 0.9], [16.9, 16.7, 15.1]]
>>> ranks(rows)
[2.625, 2.375, 1.0]
>>> round(critical_difference(methods=4, problems=18), 3)
1.106
"""

import ctypes
from typing import NamedTuple

from . import _abi
from ._abi import lib
from ._numbers import real, whole


class Friedman(NamedTuple):
    """Friedman's test, as it is, corrected for equal values, and as Iman and Davenport's F."""

    chi_squared: float
    p: float
    corrected: float
    corrected_p: float
    f: float
    f_p: float
    #: Degrees of freedom of χ², and above in F.
    freedom: int
    #: Degrees of freedom below in F.
    below: int


class Wilcoxon(NamedTuple):
    """Wilcoxon's two-sided signed-rank test."""

    statistic: float
    p: float
    #: p by the normal approximation.
    approximate: float
    #: Differences that are not zero.
    pairs: int
    #: Whether p is exact.
    exact: bool


def _table(rows):
    rows = [[real("a value", value) for value in row] for row in rows]
    methods = len(rows[0]) if rows else 0
    if any(len(row) != methods for row in rows):
        raise ValueError("every row has as many values as there are methods")
    values = [value for row in rows for value in row]
    return (ctypes.c_double * len(values))(*values), len(rows), methods


def _each(function, rows):
    """A number for each method."""
    values, problems, methods = _table(rows)
    out = (ctypes.c_double * methods)()
    function(values, problems, methods, out)
    return list(out)


def ranks(rows):
    """The average rank of each method, 1 for the best; equal values share theirs."""
    return _each(lib.compare_ranks, rows)


def win_rates(rows):
    """The share of comparisons that each method wins, itself and equals as half a win."""
    return _each(lib.compare_win_rates, rows)


def net_wins(rows):
    """On how many more problems each method beats each other than the other way round."""
    values, problems, methods = _table(rows)
    out = (ctypes.c_int64 * (methods * methods))()
    lib.compare_net_wins(values, problems, methods, out)
    return [list(out[i * methods : (i + 1) * methods]) for i in range(methods)]


def friedman(rows):
    """Friedman's test: do the methods differ at all."""
    values, problems, methods = _table(rows)
    out = _abi.Friedman()
    lib.compare_friedman(values, problems, methods, out)
    return Friedman(*(getattr(out, field) for field in Friedman._fields))


def wilcoxon(a, b):
    """Wilcoxon's two-sided signed-rank test of paired values; equal pairs are dropped.

    Exact for at most 50 pairs without zeros and ties. Tables of few digits are better scaled to whole numbers, so that ties
    are seen.
    """
    a, b = [real("a value", value) for value in a], [real("a value", value) for value in b]
    if len(a) != len(b):
        raise ValueError("both have as many values")
    out = _abi.Wilcoxon()
    lib.compare_wilcoxon((ctypes.c_double * len(a))(*a), (ctypes.c_double * len(b))(*b), len(a), out)
    return Wilcoxon(out.statistic, out.p, out.approximate, out.pairs, bool(out.exact))


def critical_difference(methods, problems, alpha=0.05):
    """Nemenyi's critical difference: how far apart average ranks must be to differ at the level alpha."""
    out = ctypes.c_double()
    lib.compare_critical_difference(whole("methods", methods), whole("problems", problems), real("alpha", alpha), out)
    return out.value


def diagram(names, ranks, difference, width=60):
    """A critical-difference diagram as text: names on an axis of ranks, bars under groups that do not differ."""
    ranks = [real("a rank", rank) for rank in ranks]
    names = [str(name).encode() for name in names]
    if len(names) != len(ranks):
        raise ValueError("there is a name for each rank")
    count = len(ranks)
    arguments = ((ctypes.c_char_p * count)(*names), (ctypes.c_double * count)(*ranks), count)
    arguments += (real("the difference", difference), whole("the width", width))
    # Refused: the second call says why, whatever the size.
    text = ctypes.create_string_buffer(lib.compare_diagram_size(*arguments) or 1)
    lib.compare_diagram(*arguments, text, len(text))
    return text.value.decode()
