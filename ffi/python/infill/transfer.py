"""What runs on other data sets taught."""

import ctypes

from . import _abi
from ._abi import lib
from ._numbers import array, whole

#: How many numbers describe a data set: INFILL_META_FEATURES.
META_FEATURES = 22


class Source(bytes):
    """What a run on another data set taught: bytes that are only read, and may be kept in a file.

    ``Optimizer.source`` makes one of a run, ``from_table`` of known values. ``Optimizer``, ``minimize``, ``ask``, ``predict`` and
    ``recommend`` take a list of them as ``sources``. Bytes that are no source, or damaged, are refused.

    >>> from infill import Optimizer, Source
    >>> table = [{"x": x / 8} for x in range(9)]
    >>> source = Source.from_table({"x": (0.0, 1.0)}, table, [(p["x"] - 0.25) ** 2 for p in table])
    >>> optimizer = Optimizer({"x": (0.0, 1.0)}, trials=20, sources=[source])
    >>> trial = optimizer.ask()
    >>> trial.origin, abs(trial.x["x"] - 0.25) < 0.05
    ('source', True)
    >>> Source(bytes(source)) == source
    True
    """

    __slots__ = ()

    def __new__(cls, data):
        new = super().__new__(cls, data)
        count = ctypes.c_size_t()
        checked = List([new])
        lib.sources_check(checked.data, count)
        if count.value != 1:
            raise ValueError("a source is one block, not %d" % count.value)
        return new

    def __repr__(self):
        return "<infill.Source of %d bytes>" % len(self)

    @classmethod
    def from_table(cls, space, points, values, features=None, conditions=(), **settings):
        """That of a table: points of the space and the value of each; further keywords are those of ``Optimizer``."""
        from .optimizer import Optimizer

        points, values = list(points), list(values)
        if len(points) != len(values):
            raise ValueError("there are %d values for %d points" % (len(values), len(points)))
        optimizer = Optimizer(space, max(len(points), 1), conditions=conditions, **settings)
        for x, value in zip(points, values):
            optimizer.observe(x, value)
        return optimizer.source(features)


class List:
    """Sources one behind the other, and the meta-features of the new data set, as the library has them."""

    def __init__(self, sources, features=None):
        if isinstance(sources, bytes):
            raise TypeError("sources are a list of them, not %r" % (sources,))
        self.sources = tuple(sources)
        joined = b"".join(self.sources)
        self.features = None if features is None else array("features", features)
        # Theirs may lie anywhere: a copy is aligned.
        self._block = _abi.block(max(len(joined), 8))
        ctypes.memmove(self._block, joined, len(joined))
        count = 0 if self.features is None else len(self.features)
        address = ctypes.addressof(self._block)
        self.data = _abi.Sources(data=address, size=len(joined), count=count)
        if count:
            self.data.features = ctypes.cast(self.features, _abi.doubles)

    def __len__(self):
        return len(self.sources)


def listed(sources, features=None):
    """A list of sources, each of which is checked."""
    if isinstance(sources, bytes):
        raise TypeError("sources are a list of them, not %r" % (sources,))
    return List([one if isinstance(one, Source) else Source(one) for one in sources], features)


def meta_features(columns, labels):
    """The 22 meta-features of a data set for classification: its predictors, each a sequence of numbers, and its labels.

    >>> from infill import meta_features
    >>> all = meta_features([[1.0, 2.0, 3.0, 6.0], [2.0, 4.0, 4.0, 10.0]], ["a", "a", "a", "b"])
    >>> len(all), round(all[9], 3)
    (22, 0.562)

    They are counts, class probabilities, and the kurtosis and skewness of the predictors, for ``features`` of sources and runs.
    """
    places, labels = {}, list(labels)
    codes = [whole("labels", places.setdefault(label, len(places))) for label in labels]
    columns = [array("columns", column, len(labels)) for column in columns]
    numbers = [number for column in columns for number in column]
    out = (ctypes.c_double * META_FEATURES)()
    lib.meta_features(
        (ctypes.c_double * len(numbers))(*numbers), len(columns), (ctypes.c_uint32 * len(codes))(*codes), len(codes), out
    )
    return list(out)
