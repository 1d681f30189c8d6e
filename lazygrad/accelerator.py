"""``lazygrad.accelerator``: the CUDA devices of this machine, or answers that there is no accelerator."""

from __future__ import annotations

from typing import Any

from lazygrad.host.allocator import allocator_of, why_unavailable
from lazygrad.ir.device import Device, current_ordinal, device_of, set_current_ordinal

__all__ = [
    "current_accelerator",
    "current_device_index",
    "device_count",
    "is_available",
    "set_device_index",
    "synchronize",
]


def is_available() -> bool:
    """Whether tensors can be placed on an accelerator."""
    return device_count() > 0


def device_count() -> int:
    """How many accelerators there are."""
    count = 0
    while why_unavailable(Device("cuda", count)) is None:
        count += 1
    return count


def current_accelerator(check_available: bool = False) -> Device | None:
    """The type of accelerator, as a device without an ordinal; None where there is none."""
    return Device("cuda") if is_available() else None


def current_device_index() -> int:
    """The ordinal of the accelerator in use. RuntimeError: there is none."""
    _place("current_device_index", None)
    return current_ordinal("cuda")


def set_device_index(device: Any) -> None:
    """Choose the accelerator to use. RuntimeError: it is not there."""
    set_current_ordinal("cuda", _place("set_device_index", device).index or 0)


def synchronize(device: Any = None) -> None:
    """Wait for an accelerator's work. RuntimeError: it is not there."""
    allocator_of(_place("synchronize", device)).finish()


def _place(name: str, device: Any) -> Device:
    place = Device("cuda").place if device is None else device_of(device).place
    reason = why_unavailable(place)
    if reason is not None or place.type == "cpu":
        raise RuntimeError(f"accelerator.{name}: there is no accelerator ({reason or 'the CPU is none'}); ask "
                           f"accelerator.is_available() first")  # fmt: skip
    return place
