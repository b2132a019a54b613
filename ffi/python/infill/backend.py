"""Who does the arithmetic."""

import ctypes
import threading
import weakref

from ._abi import lib
from ._numbers import whole


class Faer:
    """Blocked, vectorised and threaded linear algebra: faster with hundreds of trials.

    threads = 0 takes all there are. It agrees with the default to rounding, not to the bit. May be shared: those who
    use it wait for each other.
    """

    def __init__(self, threads=0):
        handle = ctypes.c_void_p()
        lib.backend_faer(whole("threads", threads, 8 * ctypes.sizeof(ctypes.c_size_t)), handle)
        self._handle, self._lock = handle, threading.Lock()
        weakref.finalize(self, lib.backend_free, handle)


class lent:
    """``with lent(backend) as handle``: the handle of a backend, or None, while nobody else has it."""

    def __init__(self, backend):
        if backend is not None and not isinstance(backend, Faer):
            raise TypeError("a backend is infill.Faer(...) or None, not %r" % (backend,))
        self._backend = backend

    def __enter__(self):
        if self._backend is None:
            return None
        self._backend._lock.acquire()
        return self._backend._handle

    def __exit__(self, *_):
        if self._backend is not None:
            self._backend._lock.release()
