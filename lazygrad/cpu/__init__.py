"""``lazygrad.cpu``: the CPU by the names that PyTorch gives its kinds of devices.

There is one device, which does its work in order. To wait for it does nothing: what is recorded is computed when it is
read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

__all__ = [
    "Event", "Stream", "current_device", "current_stream", "device_count", "is_available", "is_initialized",
    "set_device", "stream", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1."""
    return 1


def current_device() -> str:
    """The text "cpu"."""
    return "cpu"


def set_device(device: Any) -> None:
    """Does nothing: there is one device."""


def synchronize(device: Any = None) -> None:
    """Does nothing: no work goes on behind the program's back."""


class Stream:
    """A queue of work, which is always empty."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def record_event(self) -> None:
        """Does nothing."""

    def wait_event(self, event: Event) -> None:
        """Does nothing."""

    def wait_stream(self, stream: Stream) -> None:
        """Does nothing."""


class Event:
    """A mark in a queue, behind which there is never any work."""

    def query(self) -> bool:
        """Whether the work before it is done: True."""
        return True

    def record(self, stream: Stream | None = None) -> None:
        """Does nothing."""

    def synchronize(self) -> None:
        """Does nothing."""

    def wait(self, stream: Stream | None = None) -> None:
        """Does nothing."""


_default = Stream()


def current_stream(device: Any = None) -> Stream:
    """The one queue."""
    return _default


@contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """A context in which nothing is different."""
    yield


def __getattr__(name: str) -> Any:
    if name == "amp":  # loaded when first used, so that importing the package stays quick
        return import_module("lazygrad.cpu.amp")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
