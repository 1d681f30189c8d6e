"""Buffers: the memory of realized values, and the pool that hands the host's out again.

A fresh large allocation costs a page fault per 4 KiB, more than many kernels take, so freed memory is kept and reused.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from lazygrad.host.addresses import address_of
from lazygrad.host.allocator import allocator_of
from lazygrad.host.dtypes import from_numpy, to_numpy
from lazygrad.host.forks import unlocked_in_child
from lazygrad.host.machine_memory import no_memory, require_memory
from lazygrad.host.poison import IS_ON, poison
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.node import TensorType, tensor_type
from lazygrad.ir.shape import numel

POOLED = 1 << 15  # bytes; the memory of values from here on is used again
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
    """Uninitialised memory of ``size`` bytes.

    Raises:
        HostMemoryError: there is not so much.
    """
    require_memory(size)
    try:
        memory = np.empty(size + _ALIGNMENT, np.uint8)
    except MemoryError:
        raise no_memory(size) from None
    address = address_of(memory)
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


def _block_size(size: int) -> int:
    """How large the block is that holds ``size`` bytes: the next of eight sizes between a power of two and its double.

    So lengths that differ from step to step share blocks. The end of one that is not used is never touched.
    """
    granule = max(_GRANULE, 1 << (size - 1).bit_length() - 4)
    return -(-size // granule) * granule


class Meter:
    """How much memory is taken from the pool while it is there, and given back.

    Attributes:
        taken: bytes of all blocks that were handed out.
        change: bytes in use now beyond those at the beginning; fewer if what was there before is gone.
        most: the largest change so far.
    """

    def __init__(self) -> None:
        self.taken = self.change = self.most = 0

    def add(self, size: int) -> None:
        """Note a block that is handed out, or of negative size one that is given back."""
        self.change += size
        if size > 0:
            self.taken += size
            self.most = max(self.most, self.change)


class _Pool:
    """Free memory blocks by size, at most `_POOL_LIMIT` bytes of them."""

    def __init__(self) -> None:
        self._lock = unlocked_in_child(threading.Lock())
        self._free: dict[int, list[Memory]] = {}
        self.bytes_free = 0
        self.meter: Meter | None = None

    def take(self, size: int) -> Memory:
        with self._lock:
            if self.meter is not None:
                self.meter.add(size)
            blocks = self._free.get(size)
            if blocks:
                self.bytes_free -= size
                return blocks.pop()
        return aligned_memory(size)

    def give(self, block: Memory) -> None:
        size = block.bytes.nbytes
        poison(block.bytes)
        with self._lock:
            if self.meter is not None:
                self.meter.add(-size)
            if self.bytes_free + size <= _POOL_LIMIT:
                self._free.setdefault(size, []).append(block)
                self.bytes_free += size

    def clear(self) -> None:
        with self._lock:
            self._free.clear()
            self.bytes_free = 0


@lru_cache(maxsize=1 << 12)
def layout_of(type: TensorType) -> tuple[np.dtype, int]:
    """The dtype of a value's elements, and its size in bytes."""
    dtype = to_numpy(type.dtype)
    return dtype, dtype.itemsize * numel(type.shape)


pool = _Pool()
_slab = _Slab()


class Buffer:
    """The memory of one realized value, row-major; this class: the host's, or none on a device without values.

    Attributes:
        array: a numpy array of the value's shape, or None on a device without values. Read it by `host_view`, or by
            `on_host` where the device may be any.
        shared: memory that code outside this package can see (``from_numpy``, ``.numpy()``); never written to
            by a plan and never handed out again.
        known_address: where its first element lies; 0 while nobody has asked numpy.
    """

    __slots__ = ("__weakref__", "array", "known_address", "shared")

    def __init__(self, array: np.ndarray | None, shared: bool = False, known_address: int = 0) -> None:
        self.array, self.shared, self.known_address = array, shared, known_address

    @property
    def address(self) -> int:
        """Where its first element lies; numpy is asked once."""
        if not self.known_address and self.array is not None:
            self.known_address = address_of(self.array)
        return self.known_address

    @staticmethod
    def empty(type: TensorType) -> Buffer:
        """Uninitialised memory for a value of ``type``."""
        if IS_ON:
            return _poisoned(type)
        dtype, size = layout_of(type)
        if size <= _LARGEST_IN_SLAB:
            slab, offset = _slab.take(size)
            return Buffer(np.ndarray(type.shape, dtype, slab.bytes, offset), known_address=slab.address + offset)
        if size < POOLED:
            return Buffer(np.empty(type.shape, dtype))
        require_memory(size)
        block = pool.take(_block_size(size))
        return _PooledBuffer(np.ndarray(type.shape, dtype, block.bytes), block)


def _poisoned(type: TensorType) -> Buffer:
    """`Buffer.empty` whose memory is filled. It is a block of the pool, so that it is filled again once it is free."""
    dtype, size = layout_of(type)
    block = pool.take(_block_size(max(size, POOLED)))
    poison(block.bytes)
    return _PooledBuffer(np.ndarray(type.shape, dtype, block.bytes), block)


class _PooledBuffer(Buffer):
    """A buffer whose memory goes back to the pool once nobody has the buffer."""

    __slots__ = ("_block",)

    def __init__(self, array: np.ndarray, block: Memory) -> None:
        self.array, self._block, self.shared, self.known_address = array, block, False, block.address

    def __del__(self) -> None:
        if not self.shared and pool is not None:
            self.array = None
            pool.give(self._block)


class DeviceBuffer(Buffer):
    """The memory of one realized value on a device whose memory is no array. It has no shape: nodes have.

    Attributes:
        memory: what the allocator handed out.
        type: of the value it was handed out for; it holds others of as many bytes.
        allocator: of the device.
    """

    __slots__ = ("allocator", "memory", "type")

    def __init__(self, type: TensorType) -> None:
        self.shared, self.known_address = False, 0
        self.type, self.allocator = type, allocator_of(type.device)
        self.memory: Any = self.allocator.allocate(type)

    @staticmethod
    def around(type: TensorType, memory: Any) -> DeviceBuffer:
        """A buffer over memory that somebody else owns, with an address as the allocator's own has."""
        made = DeviceBuffer.__new__(DeviceBuffer)
        made.shared, made.known_address = True, 0
        made.type, made.allocator, made.memory = type, allocator_of(type.device), memory
        return made

    @property
    def address(self) -> int:
        """Where its first element lies, as the device counts."""
        return self.allocator.address(self.memory)

    def __del__(self) -> None:
        memory = getattr(self, "memory", None)  # None where there was not enough
        if memory is not None:
            self.allocator.free(memory)


def is_small(type: TensorType) -> bool:
    """Whether values of this type lie in host memory that many share, so that to keep one costs next to nothing."""
    return type.device is CPU and layout_of(type)[1] <= _LARGEST_IN_SLAB


def new_buffer(type: TensorType) -> Buffer:
    """Uninitialised memory for a value of ``type`` on its device; none on a device that only plans."""
    device = type.device
    if device is CPU:
        return Buffer.empty(type)
    return DeviceBuffer(type) if device.computes else Buffer(None)


def buffer_of(array: np.ndarray, device: Device) -> Buffer:
    """The contents of a row-major array on ``device``: on the CPU the array itself."""
    if device is CPU:
        return Buffer(array)
    made = new_buffer(tensor_type(array.shape, from_numpy(array.dtype), device))
    if isinstance(made, DeviceBuffer):
        made.allocator.copy_in(array, made.memory)
    return made


def host_view(value: Buffer) -> np.ndarray:
    """Host memory as an array.

    Raises:
        RuntimeError: the device has no values, or its memory is not the host's.
    """
    if isinstance(value, DeviceBuffer):
        raise RuntimeError("the memory of another device cannot be seen; copy it to the host")
    array = value.array
    if array is None:
        raise RuntimeError("tensors on the null device have no values: it plans without computing")
    return array


def is_seen_by_host(value: Buffer | None) -> TypeGuard[Buffer]:
    """Whether `host_view` shows the contents."""
    return value is not None and not isinstance(value, DeviceBuffer) and value.array is not None


def on_host(value: Buffer, type: TensorType) -> np.ndarray:
    """The contents, of ``type``, as an array for reading: the memory itself where the host sees it, else a copy.

    Raises:
        RuntimeError: the device has no values.
    """
    if not isinstance(value, DeviceBuffer):
        return host_view(value)
    array = np.empty(type.shape, to_numpy(type.dtype))
    value.allocator.copy_out(value.memory, array)
    return array


def copy_buffer(source: Buffer, type: TensorType, target: Buffer) -> None:
    """Copy the contents of ``source``, of ``type``, to ``target``, on any device that has values."""
    if not isinstance(source, DeviceBuffer):
        array = host_view(source).reshape(type.shape)
        if isinstance(target, DeviceBuffer):
            target.allocator.copy_in(array, target.memory)
        else:
            np.copyto(host_view(target).reshape(type.shape), array)
    elif isinstance(target, DeviceBuffer):
        source.allocator.copy_across(source.memory, type, target.allocator, target.memory)
    else:
        source.allocator.copy_out(source.memory, host_view(target).reshape(type.shape))


def same_contents(first: Buffer, second: Buffer) -> bool:
    """Whether two values made of Python's have the same dtype and bytes; those without values have."""
    contents = [_made_of(value) for value in (first, second)]
    return contents[0] == contents[1]


def _made_of(value: Buffer) -> tuple[np.dtype, bytes] | None:
    array = on_host(value, value.type) if isinstance(value, DeviceBuffer) else value.array
    return None if array is None else (array.dtype, array.tobytes())


def duplicate(value: Buffer, type: TensorType) -> Buffer:
    """A buffer of its own with the same contents, of ``type``."""
    made = new_buffer(type)
    if type.device.computes:
        copy_buffer(value, type, made)
    return made
