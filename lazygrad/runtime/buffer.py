"""Buffers: the memory of realized values, and the pool that hands it out again.

A fresh large allocation costs a page fault per 4 KiB, more than many kernels take, so freed memory is kept and reused.
"""

from __future__ import annotations

import threading

import numpy as np

from lazygrad.codegen.numpy_dtypes import to_numpy
from lazygrad.ir.node import TensorType

_SMALLEST_POOLED = 1 << 15
_GRANULE = 1 << 12
_POOL_LIMIT = 1 << 30


_ALIGNMENT = 64  # a vector register that crosses a cache line costs two accesses


def aligned_bytes(size: int) -> np.ndarray:
    """Uninitialised memory of ``size`` bytes at an address that is a multiple of 64."""
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    skipped = -memory.__array_interface__["data"][0] % _ALIGNMENT
    return memory[skipped : skipped + size]


class _Pool:
    """Free memory blocks by size, at most `_POOL_LIMIT` bytes of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: dict[int, list[np.ndarray]] = {}
        self.bytes_free = 0

    def take(self, size: int) -> np.ndarray:
        with self._lock:
            blocks = self._free.get(size)
            if blocks:
                self.bytes_free -= size
                return blocks.pop()
        return aligned_bytes(size)

    def give(self, block: np.ndarray) -> None:
        with self._lock:
            if self.bytes_free + block.nbytes <= _POOL_LIMIT:
                self._free.setdefault(block.nbytes, []).append(block)
                self.bytes_free += block.nbytes

    def clear(self) -> None:
        with self._lock:
            self._free.clear()
            self.bytes_free = 0


pool = _Pool()


class Buffer:
    """The memory of one realized value, row-major.

    Attributes:
        array: a numpy array of the value's shape, or None on the null device.
        shared: memory that code outside this package can see (``from_numpy``, ``.numpy()``); never written to
            by a plan and never handed out again.
        known_address: what `address` returned; 0 while nobody has asked.
    """

    __slots__ = ("__weakref__", "_block", "array", "known_address", "shared")

    def __init__(self, array: np.ndarray | None, block: np.ndarray | None = None, shared: bool = False) -> None:
        self.array, self._block, self.shared = array, block, shared
        self.known_address = 0

    @property
    def address(self) -> int:
        """Where its first element lies; asking numpy costs a microsecond, so it is asked once."""
        if not self.known_address and self.array is not None:
            self.known_address = self.array.__array_interface__["data"][0]
        return self.known_address

    @staticmethod
    def empty(type: TensorType) -> Buffer:
        """Uninitialised memory for a value of ``type``."""
        dtype = to_numpy(type.dtype)
        size = dtype.itemsize
        for extent in type.shape:
            size *= extent
        if size < _SMALLEST_POOLED:
            return Buffer(np.empty(type.shape, dtype))
        block = pool.take(-(-size // _GRANULE) * _GRANULE)
        return Buffer(np.ndarray(type.shape, dtype, block), block)

    def __del__(self) -> None:
        if self._block is not None and not self.shared and pool is not None:
            self.array = None
            pool.give(self._block)
