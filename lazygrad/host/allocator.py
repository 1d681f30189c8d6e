"""Memory of devices that the host cannot read: what an allocator does, and which device has which."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.device import CPU, Device, register_device_type
from lazygrad.ir.node import TensorType


class OutOfMemoryError(RuntimeError):
    """A device has less memory free than was asked for; the message says what is held."""

    __module__ = "lazygrad"


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

    def copy_in_later(self, source: np.ndarray, target: Any) -> None:
        """Copy an array of `pinned` memory while the program goes on; the array stays as it is until that is done."""
        self.copy_in(source, target)

    def pinned(self, size: int) -> np.ndarray:
        """``size`` bytes of the host's memory that the device reads by itself."""
        return np.empty(size, np.uint8)

    def is_pinned(self, array: np.ndarray) -> bool:
        """Whether an array lies in memory of `pinned`."""
        return False

    def finish(self) -> None:  # noqa: B027, most devices are done when a copy is
        """Wait for all that was asked of the device."""

    def finish_streams(self) -> None:  # noqa: B027
        """Wait for what others, who know one stream of the device, cannot wait for: the work of its other streams."""

    def copy_across(self, source: Any, type: TensorType, other: Allocator, target: Any) -> None:
        """Copy memory of ``type`` to another device's; by way of the host where there is none between the two."""
        through = np.empty(type.shape, to_numpy(type.dtype))
        self.copy_out(source, through)
        other.copy_in(through, target)


class _DeviceType(NamedTuple):
    make: Callable[[Device], Allocator]
    why_unavailable: Callable[[Device], str | None]


_types: dict[str, _DeviceType] = {}
_allocators: dict[Device, Allocator] = {}


def register_allocator(
    device_type: str,
    make: Callable[[Device], Allocator],
    why_unavailable: Callable[[Device], str | None] = lambda device: None,
) -> None:
    """Let ``make`` build the allocator of each device of a type, when it is first used.

    Args:
        device_type: for example "cuda".
        make: builds the allocator.
        why_unavailable: why nothing can be placed on a device, for people; None if it can. It is asked before ``make``.

    Raises:
        ValueError: not the name of a device type, or that of the CPU.
    """
    if device_type == CPU.type:
        raise ValueError("the memory of the CPU is the host's")
    register_device_type(device_type)
    _types[device_type] = _DeviceType(make, why_unavailable)


def forget_allocators(device_type: str) -> None:
    """Make the allocators of a type of device anew when they are next used; memory keeps the one it comes from."""
    for device in [device for device in _allocators if device.type == device_type]:
        del _allocators[device]


def why_unavailable(device: Device) -> str | None:
    """Why values cannot be on ``device``, for people; None if they can."""
    if device is CPU or device in _allocators:
        return None
    found = _types.get(device.type)
    return f"lazygrad has no {device.type} backend" if found is None else found.why_unavailable(device)


def is_available(device: Device) -> bool:
    """Whether values can be on ``device``."""
    return why_unavailable(device) is None


def made_allocator(device: Device) -> Allocator | None:
    """The allocator of a device, if it has been used."""
    return _allocators.get(device)


def allocator_of(device: Device) -> Allocator:
    """The allocator of a device other than the CPU.

    Raises:
        RuntimeError: there is none.
    """
    found = _allocators.get(device)
    if found is None:
        reason = why_unavailable(device)
        if reason is not None:
            raise RuntimeError(f"no {device.type.upper()} device or back end is available: {reason}")
        found = _allocators.setdefault(device, _types[device.type].make(device))
    return found
