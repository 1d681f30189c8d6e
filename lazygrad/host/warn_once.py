"""Warnings that are worth saying once: about the machine, and what PyTorch says once of a program."""

from __future__ import annotations

import warnings

from lazygrad.ir.user_warning import warn_user

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


def _is_new(topic: str) -> bool:
    if topic in _said and not _Mode.always:
        return False
    _said.add(topic)
    return True


def warn_user_once(message: str) -> None:
    """A `UserWarning` at the line of the program, unless it was given before in this process."""
    if _is_new(message):
        warn_user(message)


def warn_once(topic: str, message: str) -> None:
    """A `RuntimeWarning`, unless there was one on this topic before in this process."""
    if _is_new(topic):
        warnings.warn(message, RuntimeWarning, stacklevel=3)
