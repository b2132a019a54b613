"""Numbers on their way to the library: what ctypes would cut off in silence is refused here."""

import ctypes
import operator

#: Bits of a size.
SIZE = 8 * ctypes.sizeof(ctypes.c_size_t)


def whole(name, value, bits=32):
    """A whole number that so many bits hold."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError("%s is a whole number, not %r" % (name, value)) from None
    if not 0 <= number < 1 << bits:
        raise ValueError("%s is from 0 to 2**%d - 1, not %r" % (name, bits, value))
    return number


def identity(name, value):
    """The number of a trial or run, which may be given as what ask returned."""
    return whole(name, getattr(value, "id", value), 64)


def real(name, value):
    """A number; NaN and infinities are for the library to judge."""
    # float() would read a text, too.
    if isinstance(value, (str, bytes)):
        raise TypeError("%s is a number, not %r" % (name, value))
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError("%s is a number, not %r" % (name, value)) from None


def word(name, value, choices):
    """The number of a choice that is named by a word."""
    number = choices.get(value.upper()) if isinstance(value, str) else None
    if number is None:
        known = ", ".join(repr(choice.lower()) for choice in choices)
        raise ValueError("%s is one of %s, not %r" % (name, known, value))
    return number


def named(number, choices):
    """The word for a number that the library returned."""
    return next(name.lower() for name, value in choices.items() if value == number)


def array(name, values, count=None):
    """Numbers as an array of doubles, count of them."""
    try:
        numbers = [real(name, value) for value in values]
    except TypeError as reason:
        raise TypeError("%s is a sequence of numbers: %s" % (name, reason)) from None
    if count is not None and len(numbers) != count:
        raise ValueError("%s has %d numbers, not %d" % (name, len(numbers), count))
    return (ctypes.c_double * len(numbers))(*numbers)


def rows(name, points, dims):
    """Points, row after row, as one array, and how many there are."""
    numbers = [number for point in points for number in array(name, point, dims)]
    return (ctypes.c_double * len(numbers))(*numbers), len(numbers) // dims


def triangle(values, count):
    """A symmetric matrix from its lower triangle, as a list of rows."""
    at = lambda i, j: values[i * (i + 1) // 2 + j] if i >= j else values[j * (j + 1) // 2 + i]
    return [[at(i, j) for j in range(count)] for i in range(count)]
