"""Memory of devices that the host cannot read: what an allocator does, and which device has which."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.device import CPU, Device, register_device_type
from lazygrad.ir.node import TensorType


class Allocator(ABC):
    """The memory of one device. What `allocate` returns means something to it, and to the device's targets, only.

    Copies are done in the order in which they are asked for, with the plans that run on the device: one that is
    asked for after a plan reads what that has written. `copy_out` returns when the values are there.
    """

    @abstractmethod
    def allocate(self, type: TensorType) -> Any:
        """Uninitialised memory for a value of ``type``, row-major."""

    @abstractmethod
    def free(self, memory: Any) -> None:
        """Take memory back, which nobody uses any more."""

    @abstractmethod
    def copy_in(self, source: np.ndarray, target: Any) -> None:
        """Copy a row-major host array to memory of its type."""

    @abstractmethod
    def copy_out(self, source: Any, target: np.ndarray) -> None:
        """Copy memory to a row-major host array of its type."""

    @abstractmethod
    def address(self, memory: Any) -> int:
        """Where it begins, as the device counts."""

    def copy_across(self, source: Any, type: TensorType, other: Allocator, target: Any) -> None:
        """Copy memory of ``type`` to another device's; by way of the host where there is none between the two."""
        through = np.empty(type.shape, to_numpy(type.dtype))
        self.copy_out(source, through)
        other.copy_in(through, target)


_makers: dict[str, Callable[[Device], Allocator]] = {}
_allocators: dict[Device, Allocator] = {}


def register_allocator(device_type: str, make: Callable[[Device], Allocator]) -> None:
    """Let ``make`` build the allocator of each device of a type, when it is first used.

    Raises:
        ValueError: not the name of a device type, or that of the CPU.
    """
    if device_type == CPU.type:
        raise ValueError("the memory of the CPU is the host's")
    register_device_type(device_type)
    _makers[device_type] = make


def is_available(device: Device) -> bool:
    """Whether values can be on ``device``."""
    return device is CPU or device.type in _makers


def allocator_of(device: Device) -> Allocator:
    """The allocator of a device other than the CPU.

    Raises:
        RuntimeError: there is none.
    """
    found = _allocators.get(device)
    if found is None:
        make = _makers.get(device.type)
        if make is None:
            raise RuntimeError(f"no {device.type.upper()} device or back end is available")
        found = _allocators.setdefault(device, make(device))
    return found
