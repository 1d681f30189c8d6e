"""Warnings about the machine, which are worth saying once and not at every plan."""

from __future__ import annotations

import warnings

_said: set[str] = set()


class _Mode:
    always = False


def set_warn_always(mode: bool) -> None:
    """Repeat warnings that are otherwise said once. TypeError: not a bool."""
    if not isinstance(mode, bool):
        raise TypeError(f"set_warn_always(): argument 'mode' must be bool, not {type(mode).__name__}")
    _Mode.always = mode


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was told."""
    return _Mode.always


def warn_once(topic: str, message: str) -> None:
    """A `RuntimeWarning`, unless there was one on this topic before in this process."""
    if _Mode.always or topic not in _said:
        _said.add(topic)
        warnings.warn(message, RuntimeWarning, stacklevel=3)
