"""Warnings about the machine, which are worth saying once and not at every plan."""

from __future__ import annotations

import warnings

_said: set[str] = set()


class _Repeating:
    """Whether warnings are repeated all the same."""

    always = False


repeating = _Repeating()


def warn_once(topic: str, message: str) -> None:
    """A `RuntimeWarning`, unless there was one on this topic before in this process."""
    if repeating.always or topic not in _said:
        _said.add(topic)
        warnings.warn(message, RuntimeWarning, stacklevel=3)
