"""Memory that several processes map: those that are forked, and those that are sent a handle of it.

A handle is an open file without a name. `multiprocessing` passes it on with what it hands to a process that it starts,
and through its queues and pipes; other pickles hold a copy of the contents.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from mmap import mmap
from typing import Any
from weakref import WeakValueDictionary, finalize

import numpy as np

_Identity = tuple[int, int]

_mapped: WeakValueDictionary[_Identity, SharedMemory] = WeakValueDictionary()
"""What this process maps, so that what is received twice is one memory."""


class SharedMemory(mmap):
    """Bytes in a file without a name.

    Attributes:
        descriptor: of the file, open as long as this lives.
    """

    descriptor: int


def shared_memory(size: int) -> SharedMemory:
    """Zeros, ``size`` bytes and at least one."""
    _register()
    descriptor = _nameless_file()
    os.ftruncate(descriptor, max(size, 1))
    return _mapping(descriptor)


def shared_memory_of(array: np.ndarray) -> SharedMemory | None:
    """The memory that an array lies over, if it is of this kind."""
    base: Any = array.base
    while isinstance(base, np.ndarray):
        base = base.base
    return base if isinstance(base, SharedMemory) else None


class Sent:
    """An array over the whole of a shared memory on its way to another process, in which it is an array.

    Attributes:
        array: the array.
    """

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __reduce__(self) -> tuple[Callable[..., np.ndarray], tuple[Any, ...]]:
        return np.asarray, (self.array,)


def _nameless_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("lazygrad")
    from tempfile import mkstemp  # loads what Linux does not need

    descriptor, name = mkstemp(prefix="lazygrad")
    os.unlink(name)
    return descriptor


def _mapping(descriptor: int) -> SharedMemory:
    """The memory of an open file, which it takes over; that which is mapped already, if it is."""
    status = os.fstat(descriptor)
    identity = status.st_dev, status.st_ino
    known = _mapped.get(identity)
    if known is not None:
        os.close(descriptor)
        return known
    memory = SharedMemory(descriptor, status.st_size)
    memory.descriptor = descriptor
    finalize(memory, os.close, descriptor)
    _mapped[identity] = memory
    return memory


_registered: list[type] = []


def _register() -> None:
    """Tell `multiprocessing`, which takes a while to import, how it sends a `Sent`."""
    if not _registered:
        from multiprocessing.reduction import ForkingPickler

        ForkingPickler.register(Sent, _as_handle)
        _registered.append(Sent)


def _as_handle(sent: Sent) -> tuple[Callable[..., np.ndarray], tuple[Any, ...]]:
    from multiprocessing import reduction

    memory, array = shared_memory_of(sent.array), sent.array
    if memory is None or not hasattr(reduction, "DupFd"):  # as on systems without file descriptors
        return sent.__reduce__()
    return _received, (reduction.DupFd(memory.descriptor), array.shape, array.dtype)


def _received(handle: Any, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    _register()
    return np.ndarray(shape, dtype, _mapping(handle.detach()))
