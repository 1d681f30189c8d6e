"""What a program sets that decides what operations record: whether anything was set since is one comparison.

A recorded call holds for the settings under which it was recorded. Asking for each of them takes longer than all else
that has to be looked at, so that whatever is set says so here.
"""

from __future__ import annotations

from typing import Any


class _Changes:
    """What the settings of this process and of its threads have in common.

    Attributes:
        latest: another object after each assignment to any of them.
    """

    __slots__ = ("latest",)

    def __init__(self) -> None:
        self.latest = object()


changes = _Changes()


class Settings:
    """A class of settings derives from this one, and from `threading.local` where each thread has its own."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        changes.latest = object()
