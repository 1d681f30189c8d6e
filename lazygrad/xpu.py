"""``lazygrad.xpu``: answers that no XPU is there, by the names that programs ask for it before they choose a device."""

from __future__ import annotations

from typing import Any

from lazygrad.left_out import stand_in

__all__ = [
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_name",
    "init",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "seed",
    "seed_all",
    "set_device",
    "synchronize",
]

_INSTEAD = "it computes on CPUs and CUDA devices; ask lazygrad.xpu.is_available() first"

current_device = stand_in("xpu.current_device", _INSTEAD)
get_device_name = stand_in("xpu.get_device_name", _INSTEAD)
init = stand_in("xpu.init", _INSTEAD)
set_device = stand_in("xpu.set_device", _INSTEAD)
synchronize = stand_in("xpu.synchronize", _INSTEAD)


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """None, so 0."""
    return 0


def is_initialized() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def empty_cache() -> None:
    """Does nothing: there is no memory of an XPU."""


def manual_seed(seed: int) -> None:
    """Does nothing: there are no random numbers of an XPU."""


def manual_seed_all(seed: int) -> None:
    """Does nothing: there are no random numbers of an XPU."""


def seed() -> None:
    """Does nothing: there are no random numbers of an XPU."""


def seed_all() -> None:
    """Does nothing: there are no random numbers of an XPU."""


def memory_allocated(device: Any = None) -> int:
    """How many bytes of an XPU tensors take: 0."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """How many bytes of an XPU are held: 0."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes of an XPU that tensors took: 0."""
    return 0


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes of an XPU that were held: 0."""
    return 0
