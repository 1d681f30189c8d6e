"""``lazygrad.mps``: answers that there are no Metal devices. What needs one is refused as in PyTorch's other builds."""

from __future__ import annotations

from typing import Any

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "seed", "synchronize"]

# What needs a device, by what PyTorch calls it in its errors.
_NEED_A_DEVICE = {
    "Event": "acquireEvent",
    "compile_shader": "compileShader",
    "current_allocated_memory": "getCurrentAllocatedMemory",
    "driver_allocated_memory": "getDriverAllocatedMemory",
    "get_rng_state": "getDefaultGenerator",
    "recommended_max_memory": "getRecommendedMaxMemory",
    "set_per_process_memory_fraction": "setMemoryFraction",
    "set_rng_state": "getDefaultGenerator",
}


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Does nothing: no device draws random numbers."""


def seed() -> None:
    """RuntimeError: there is no device."""
    _refuse("getDefaultGenerator")


def synchronize() -> None:
    """RuntimeError: there is no device."""
    _refuse("deviceSynchronize")


def empty_cache() -> None:
    """RuntimeError: there is no device."""
    _refuse("emptyCache")


def __getattr__(name: str) -> Any:
    if name not in _NEED_A_DEVICE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return lambda *args, **kwargs: _refuse(_NEED_A_DEVICE[name])


def _refuse(what: str) -> None:
    raise RuntimeError(
        f"Cannot execute {what}() without MPS backend. lazygrad has no Metal devices; ask mps.is_available() first"
    )
