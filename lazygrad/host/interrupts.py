"""Ctrl-C waits while memory that a program still needs is half-changed."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what `signal` wraps; the wrappers take ten times as long
from collections.abc import Callable
from signal import SIGINT
from types import FrameType
from typing import Any, TypeVar

Result = TypeVar("Result")

_noted: list[FrameType | None] = []


def _note(number: int, frame: FrameType | None) -> None:
    _noted.append(frame)


def uninterrupted(function: Callable[..., Result], *args: Any) -> Result:
    """``function(*args)``; a SIGINT that arrives meanwhile is handled when it is done, as it would have been.

    In another thread than the main one, which alone handles signals, and where no Python function handles it, this is
    a plain call.
    """
    handler = _signal.getsignal(SIGINT)
    if handler is _note or not callable(handler):
        return function(*args)
    try:
        _signal.signal(SIGINT, _note)
    except ValueError:  # not the main thread
        return function(*args)
    try:
        return function(*args)
    finally:
        _signal.signal(SIGINT, handler)
        if _noted:
            frame = _noted.pop()
            _noted.clear()
            handler(SIGINT, frame)
