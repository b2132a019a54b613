"""Who does the arithmetic."""

import ctypes
import threading
import weakref
from typing import NamedTuple

from ._abi import API, POWER, GpuOptions, lib, none_for
from ._numbers import named, whole, word


class Backend:
    """Who does the arithmetic: Faer or Gpu. May be shared: those who use it wait for each other."""

    def __init__(self, handle):
        self._handle, self._lock = handle, threading.Lock()
        weakref.finalize(self, lib.backend_free, handle)


class Faer(Backend):
    """Blocked, vectorised and threaded linear algebra: faster with hundreds of trials.

    threads = 0 takes all there are. It agrees with the default to rounding, not to the bit.
    """

    def __init__(self, threads=0):
        handle = ctypes.c_void_p()
        lib.backend_faer(whole("threads", threads, 8 * ctypes.sizeof(ctypes.c_size_t)), handle)
        super().__init__(handle)


class Adapter(NamedTuple):
    """A GPU, or a CPU that plays one."""

    name: str
    api: str
    software: bool


def adapters():
    """All adapters that Gpu may choose from; none in a library without GPU."""
    api, software = ctypes.c_uint32(), ctypes.c_uint32()
    found = []
    for index in range(lib.gpu_count()):
        name = ctypes.create_string_buffer(256)
        lib.gpu_adapter(index, name, len(name), api, software)
        found.append(Adapter(name.value.decode(errors="replace"), named(api.value, API), bool(software.value)))
    return found


class Gpu(Backend):
    """Compute shaders on a GPU, for optimizers with the limits of ``optimizer``.

    They screen in single precision what the CPU then decides. ``power`` is "any", "low" or "high", ``api`` "any",
    "vulkan", "gl", "metal" or "dx12", ``name`` a part of the adapter's name.
    """

    def __init__(self, optimizer, name=None, power="high", api="any", software=False):
        options = GpuOptions()
        lib.gpu_options_default(options, ctypes.sizeof(options))
        options.name = None if name is None else name.encode()
        options.power, options.api = word("power", power, POWER), word("api", api, API)
        options.software = int(bool(software))
        handle = ctypes.c_void_p()
        lib.backend_gpu(optimizer._handle, options, handle)
        super().__init__(handle)

    @property
    def reason(self):
        """Why the CPU answers; None while the GPU does."""
        text = ctypes.create_string_buffer(256)
        with none_for("ERROR_NO_DATA"), self._lock:
            lib.backend_reason(self._handle, text, len(text))
            return text.value.decode(errors="replace")


class lent:
    """``with lent(backend) as handle``: the handle of a backend, or None, while nobody else has it."""

    def __init__(self, backend):
        if backend is not None and not isinstance(backend, Backend):
            raise TypeError("a backend is infill.Faer(...), infill.Gpu(...) or None, not %r" % (backend,))
        self._backend = backend

    def __enter__(self):
        if self._backend is None:
            return None
        self._backend._lock.acquire()
        return self._backend._handle

    def __exit__(self, *_):
        if self._backend is not None:
            self._backend._lock.release()
