"""Switches of PyTorch that change little here, and the errors programs catch."""

from __future__ import annotations

from lazygrad.runtime.backend_choice import (
    are_deterministic_algorithms_enabled,
    is_deterministic_algorithms_warn_only_enabled,
    use_deterministic_algorithms,
)
from lazygrad.runtime.warn_once import repeating

_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


class AcceleratorError(RuntimeError):
    """An accelerator failed. There is none yet, so that nothing raises it."""


class OutOfMemoryError(RuntimeError):
    """An accelerator's memory is used up. On the CPU Python's MemoryError says so."""


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` by number or name: 0 ``default``, 1 ``warn``, 2 ``error``.

    Raises:
        TypeError, RuntimeError: another type; another number or name.
    """
    if not isinstance(debug_mode, int | str):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode).__name__}")
    number = _DEBUG_MODES.get(debug_mode, -1) if isinstance(debug_mode, str) else debug_mode
    if number not in _DEBUG_MODES.values():
        raise RuntimeError(f"invalid value of debug_mode, expected one of `default`, `warn`, `error`: got {debug_mode}")
    use_deterministic_algorithms(number > 0, warn_only=number == 1)


def get_deterministic_debug_mode() -> int:
    """0 when results may differ in the last bit between runs, 1 or 2 when they must not."""
    if not are_deterministic_algorithms_enabled():
        return 0
    return 1 if is_deterministic_algorithms_warn_only_enabled() else 2


def set_warn_always(b: bool) -> None:
    """Repeat warnings about the machine each time rather than once in a process."""
    repeating.always = bool(b)


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was last told; False at first."""
    return repeating.always


def set_flush_denormal(mode: bool) -> bool:
    """Whether denormal numbers could be flushed to zero: False, they are always computed with."""
    return False


def get_num_interop_threads() -> int:
    """How many plans may run at a time for one caller: 1."""
    return 1
