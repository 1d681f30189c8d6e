"""``lazygrad.mps``: answers that there is no Metal device, by the names that programs ask for it."""

from __future__ import annotations

from lazygrad.left_out import stand_in

__all__ = [
    "current_allocated_memory",
    "device_count",
    "driver_allocated_memory",
    "empty_cache",
    "is_available",
    "manual_seed",
    "recommended_max_memory",
    "seed",
    "set_per_process_memory_fraction",
    "synchronize",
]

_INSTEAD = "it computes on CPUs and CUDA devices; ask lazygrad.mps.is_available() first"

current_allocated_memory = stand_in("mps.current_allocated_memory", _INSTEAD)
driver_allocated_memory = stand_in("mps.driver_allocated_memory", _INSTEAD)
empty_cache = stand_in("mps.empty_cache", _INSTEAD)
recommended_max_memory = stand_in("mps.recommended_max_memory", _INSTEAD)
set_per_process_memory_fraction = stand_in("mps.set_per_process_memory_fraction", _INSTEAD)
synchronize = stand_in("mps.synchronize", _INSTEAD)


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """None, so 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Does nothing: there are no random numbers of such a device."""


def seed() -> None:
    """Does nothing: there are no random numbers of such a device."""
