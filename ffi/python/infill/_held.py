"""Objects of the library in blocks of their own."""

import ctypes
import threading

from . import _abi
from ._abi import lib
from ._numbers import array


class Held:
    """A block, the handle to it and a lock: calls of several threads wait for each other."""

    #: What the names of its functions begin with in infill.h.
    _prefix = ""

    def _hold(self, block):
        self._block, self._lock = block, threading.RLock()
        # The handle is the first byte of the block.
        self._handle = ctypes.c_void_p(ctypes.addressof(block))

    def _make(self, size, *arguments):
        """Makes it in a block of so many bytes; 0 if it is refused: init says why, whatever the size."""
        block = _abi.block(size or 8)
        self._function("init")(block, ctypes.sizeof(block), *arguments, ctypes.c_void_p())
        self._hold(block)

    @classmethod
    def _attach(cls, saved, *over):
        """Another one in a copy of what was saved; over is what its points are to be read by."""
        new, saved = cls.__new__(cls), bytes(saved)
        block = _abi.block(max(len(saved), 8))
        ctypes.memmove(block, saved, len(saved))
        space = {"space": over[0]} if over else {}
        with _abi.explained(mem=ctypes.addressof(block), bytes=len(saved), **space):
            new._function("attach")(block, len(saved), *over, ctypes.c_void_p())
        new._hold(block)
        return new

    def _saved(self):
        with self._lock:
            return ctypes.string_at(self._handle, self._call("bytes"))

    def _function(self, name):
        return getattr(lib, self._prefix + name)

    def _call(self, name, *arguments):
        """Calls a function of the library with the handle."""
        with self._lock:
            return self._function(name)(self._handle, *arguments)

    def _encoded(self, name, values):
        """A point as the library has it."""
        return array(name, values)

    def _decoded(self, numbers):
        """A point as the user has it."""
        return list(numbers)
