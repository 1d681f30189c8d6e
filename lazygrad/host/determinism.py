"""Whether results shall depend on the program alone, to the last bit: what `use_deterministic_algorithms` was told."""

from __future__ import annotations


class _Process:
    """What holds in all threads."""

    is_wanted = False


def is_deterministic() -> bool:
    """Whether what runs from here on must not depend on the order in which threads do it."""
    return _Process.is_wanted


def set_deterministic(is_wanted: bool) -> None:
    """Change what `is_deterministic` says."""
    _Process.is_wanted = is_wanted
