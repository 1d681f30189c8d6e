"""``lazygrad.xpu``: answers that there are no Intel GPUs. What needs one is refused as in PyTorch's other builds."""

from __future__ import annotations

from typing import Any, NoReturn

from lazygrad.left_out import stand_in_class

__all__ = [
    "current_device", "device_count", "empty_cache", "get_rng_state_all", "is_available", "is_bf16_supported",
    "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_reserved",
    "memory_allocated", "memory_reserved", "memory_stats", "seed", "seed_all", "set_device", "synchronize",
]  # fmt: skip

_MISSING = "Torch not compiled with XPU enabled: lazygrad knows no Intel GPUs; ask xpu.is_available() first"
_NEED_A_DEVICE = frozenset(
    "current_stream device device_of get_device_capability get_device_name get_device_properties get_rng_state init "
    "initial_seed mem_get_info reset_accumulated_memory_stats reset_peak_memory_stats set_rng_state set_rng_state_all "
    "set_stream".split()
)
_CLASSES = ("Event", "Stream")


def is_available() -> bool:
    """False."""
    return False


is_bf16_supported = is_initialized = is_tf32_supported = is_available


def device_count() -> int:
    """0."""
    return 0


def get_arch_list() -> list[str]:
    """No architectures."""
    return []


def empty_cache() -> None:
    """Does nothing: no memory is kept."""


seed = seed_all = empty_cache


def manual_seed(seed: int) -> None:
    """Does nothing: no device draws random numbers."""


manual_seed_all = manual_seed


def get_rng_state_all() -> list[Any]:
    """The states of no devices."""
    return []


def memory_allocated(device: Any = None) -> int:
    """0: no memory is in use."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Nothing is known of memory."""
    return {}


def synchronize(device: Any = None) -> None:
    """AssertionError: there is no device."""
    _refuse()


def current_device() -> int:
    """AssertionError: there is no device."""
    _refuse()


def set_device(device: Any) -> None:
    """AssertionError: there is no device."""
    _refuse()


def __getattr__(name: str) -> Any:
    if name in _NEED_A_DEVICE:
        return _refuse
    if name in _CLASSES:
        return globals().setdefault(
            name, stand_in_class(f"xpu.{name}", "there are no Intel GPUs; see xpu.is_available()")
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    raise AssertionError(_MISSING)
