"""A device without hardware: its memory is no array, nothing reads it but a copy, and every use of it is counted.

It computes by numpy, behind the interfaces that a real device implements: an allocator and a target. Memory is bytes
under a handle; a handle has no values, and what asks it for some is told so.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NoReturn

import numpy as np

from lazygrad.host.allocator import Allocator, allocator_of, register_allocator
from lazygrad.host.buffer import Buffer, DeviceBuffer
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.device import Device
from lazygrad.ir.node import TensorType
from lazygrad.ir.shape import numel

NAME = "simulated"


class HostAccess(AssertionError):
    """Memory of the device was used as if it were the host's."""


@dataclass
class Counts:
    """What was done with one device since `reset`.

    Attributes:
        allocations, frees: of memory.
        copies_in, copies_out, copies_across: from the host, to it, and to another device.
        launches: runs of plans.
        live_bytes: memory that was not given back; `reset` leaves it.
    """

    allocations: int = 0
    frees: int = 0
    copies_in: int = 0
    copies_out: int = 0
    copies_across: int = 0
    launches: int = 0
    live_bytes: int = 0

    def reset(self) -> None:
        for field in fields(self):
            if field.name != "live_bytes":
                setattr(self, field.name, 0)


class Handle:
    """A piece of the device's memory. Only `_Memory` knows what lies behind it."""

    __slots__ = ("__weakref__", "key", "size")

    def __init__(self, key: int, size: int) -> None:
        self.key, self.size = key, size

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise HostAccess("the memory of the simulated device is not the host's: copy it first")

    __array__ = __getitem__ = __setitem__ = __len__ = __iter__ = __float__ = __int__ = __bool__ = _refuse
    __buffer__ = _refuse
    __array_interface__ = property(_refuse)
    shape = dtype = nbytes = ctypes = flags = property(_refuse)


class SimulatedAllocator(Allocator):
    """Memory of one simulated device: bytes by handle, filled with 0xA5 until something is written there."""

    _first_address = 1 << 40

    def __init__(self, device: Device) -> None:
        self.device, self.counts = device, Counts()
        self._bytes: dict[int, np.ndarray] = {}
        self._next = self._first_address + (device.index or 0) * (1 << 44)
        allocators[device] = self

    def allocate(self, type: TensorType) -> Handle:
        assert type.device is self.device, (type, self.device)
        size = numel(type.shape) * type.dtype.itemsize
        handle = Handle(self._next, size)
        self._next += max(64, -(-size // 64) * 64)
        self._bytes[handle.key] = np.full(size, 0xA5, np.uint8)
        self.counts.allocations += 1
        self.counts.live_bytes += size
        return handle

    def free(self, memory: Handle) -> None:
        del self._bytes[memory.key]  # a KeyError is memory that was given back twice
        self.counts.frees += 1
        self.counts.live_bytes -= memory.size

    def copy_in(self, source: np.ndarray, target: Handle) -> None:
        assert type(source) is np.ndarray and source.flags.c_contiguous and source.nbytes == target.size
        self._behind(target)[...] = np.frombuffer(source.tobytes(), np.uint8)
        self.counts.copies_in += 1

    def copy_out(self, source: Handle, target: np.ndarray) -> None:
        assert type(target) is np.ndarray and target.flags.c_contiguous and target.nbytes == source.size
        target[...] = self._behind(source).view(target.dtype).reshape(target.shape)
        self.counts.copies_out += 1

    def copy_across(self, source: Handle, type: TensorType, other: Allocator, target: Any) -> None:
        if not isinstance(other, SimulatedAllocator):
            super().copy_across(source, type, other, target)
            return
        other._behind(target)[...] = self._behind(source)
        self.counts.copies_across += 1

    def address(self, memory: Handle) -> int:
        return memory.key

    def _behind(self, memory: Handle) -> np.ndarray:
        if not isinstance(memory, Handle) or memory.key not in self._bytes:
            raise HostAccess(f"{memory!r} is no memory of {self.device}")
        return self._bytes[memory.key]

    def array_for_kernels(self, value: Buffer, type: TensorType) -> np.ndarray:
        """What the device's own kernels work on."""
        if not isinstance(value, DeviceBuffer) or value.allocator is not self:
            raise HostAccess(f"a plan on {self.device} was given memory that is not there: {value!r}")
        return self._behind(value.memory).view(to_numpy(type.dtype)).reshape(type.shape)


allocators: dict[Device, SimulatedAllocator] = {}


def install() -> None:
    """Register the memory of the device type ``simulated``, of which any number of devices exist."""
    register_allocator(NAME, SimulatedAllocator)


def counts_of(device: Device) -> Counts:
    """The counts of a simulated device, from now on."""
    found = allocator_of(device.place)
    assert isinstance(found, SimulatedAllocator)
    found.counts.reset()
    return found.counts
