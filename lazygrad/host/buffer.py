"""Buffers: the memory of realized values, and the pool that hands it out again.

A fresh large allocation costs a page fault per 4 KiB, more than many kernels take, so freed memory is kept and reused.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.host.forks import unlocked_in_child
from lazygrad.ir.node import TensorType
from lazygrad.ir.shape import numel

_SMALLEST_POOLED = 1 << 15
_LARGEST_IN_SLAB = 1 << 10
_SLAB_BYTES = 1 << 14
_GRANULE = 1 << 12
_POOL_LIMIT = 1 << 30


_ALIGNMENT = 64  # a vector register that crosses a cache line costs two accesses


class Memory(NamedTuple):
    """Some bytes, and the address of the first, a multiple of 64: to ask numpy for it takes most of a microsecond."""

    bytes: np.ndarray
    address: int


def aligned_memory(size: int) -> Memory:
    """Uninitialised memory of ``size`` bytes."""
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    address: int = memory.__array_interface__["data"][0]
    skipped = -address % _ALIGNMENT
    return Memory(memory[skipped : skipped + size], address + skipped)


class _Slab:
    """Memory that small values share, one behind the other; it lives as long as one of them does."""

    def __init__(self) -> None:
        self._lock = unlocked_in_child(threading.Lock())
        self._memory, self._used = Memory(np.empty(0, np.uint8), 0), _SLAB_BYTES

    def take(self, size: int) -> tuple[Memory, int]:
        """Memory with room for ``size`` bytes from the offset on."""
        with self._lock:
            if self._used + size >= _SLAB_BYTES:  # so too when there is no memory yet, and no bytes are asked for
                self._memory, self._used = aligned_memory(_SLAB_BYTES), 0
            offset = self._used
            self._used += -(-size // _ALIGNMENT) * _ALIGNMENT
            return self._memory, offset


class _Pool:
    """Free memory blocks by size, at most `_POOL_LIMIT` bytes of them."""

    def __init__(self) -> None:
        self._lock = unlocked_in_child(threading.Lock())
        self._free: dict[int, list[Memory]] = {}
        self.bytes_free = 0

    def take(self, size: int) -> Memory:
        with self._lock:
            blocks = self._free.get(size)
            if blocks:
                self.bytes_free -= size
                return blocks.pop()
        return aligned_memory(size)

    def give(self, block: Memory) -> None:
        size = block.bytes.nbytes
        with self._lock:
            if self.bytes_free + size <= _POOL_LIMIT:
                self._free.setdefault(size, []).append(block)
                self.bytes_free += size

    def clear(self) -> None:
        with self._lock:
            self._free.clear()
            self.bytes_free = 0


@lru_cache(maxsize=1 << 12)
def _layout_of(type: TensorType) -> tuple[np.dtype, int]:
    """The dtype of a value's elements, and its size in bytes."""
    dtype = to_numpy(type.dtype)
    return dtype, dtype.itemsize * numel(type.shape)


pool = _Pool()
_slab = _Slab()


class Buffer:
    """The memory of one realized value, row-major.

    Attributes:
        array: a numpy array of the value's shape, or None on the null device.
        shared: memory that code outside this package can see (``from_numpy``, ``.numpy()``); never written to
            by a plan and never handed out again.
        known_address: where its first element lies; 0 while nobody has asked numpy.
    """

    __slots__ = ("__weakref__", "_block", "array", "known_address", "shared")

    def __init__(
        self, array: np.ndarray | None, block: Memory | None = None, shared: bool = False, known_address: int = 0
    ) -> None:
        self.array, self._block, self.shared, self.known_address = array, block, shared, known_address

    @property
    def address(self) -> int:
        """Where its first element lies; numpy is asked once."""
        if not self.known_address and self.array is not None:
            self.known_address = self.array.__array_interface__["data"][0]
        return self.known_address

    @staticmethod
    def empty(type: TensorType) -> Buffer:
        """Uninitialised memory for a value of ``type``."""
        dtype, size = _layout_of(type)
        if size <= _LARGEST_IN_SLAB:
            slab, offset = _slab.take(size)
            return Buffer(np.ndarray(type.shape, dtype, slab.bytes, offset), known_address=slab.address + offset)
        if size < _SMALLEST_POOLED:
            return Buffer(np.empty(type.shape, dtype))
        block = pool.take(-(-size // _GRANULE) * _GRANULE)
        return Buffer(np.ndarray(type.shape, dtype, block.bytes), block, known_address=block.address)

    def __del__(self) -> None:
        if self._block is not None and not self.shared and pool is not None:
            self.array = None
            pool.give(self._block)
