"""``lazygrad.cuda.nvtx``: marks for NVIDIA's profilers.

Without CUDA they are refused as in PyTorch's build for the CPU. With it they are counted, and no profiler sees them:
what stands in a range is recorded there, and the kernels may run later. `lazygrad.profile` times kernels by the line
that they come from.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lazygrad.cuda.devices import is_available

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


class _Depth(threading.local):
    """How many ranges are open in this thread, and how many were started in it by `range_start`."""

    open = 0
    started = 0


_depth = _Depth()


def range_push(msg: str) -> int:
    """Opens a range. Returns how many are around it. RuntimeError: there is no CUDA."""
    _require()
    _depth.open += 1
    return _depth.open - 1


def range_pop() -> int:
    """Closes the range that was opened last. Returns how many are around it, less than 0 if none was open.

    Raises:
        RuntimeError: there is no CUDA.
    """
    _require()
    _depth.open = max(_depth.open, 0) - 1
    closed, _depth.open = _depth.open, max(_depth.open, 0)
    return closed


def range_start(msg: str) -> int:
    """Opens a range that another thread may close. Returns its number. RuntimeError: there is no CUDA."""
    _require()
    _depth.started += 1
    return _depth.started


def range_end(range_id: int) -> None:
    """Closes a range by its number. RuntimeError: there is no CUDA."""
    _require()


def mark(msg: str) -> None:
    """Marks a moment. RuntimeError: there is no CUDA."""
    _require()


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A range as a context or a decorator.

    Args:
        msg: what it is called; ``msg.format(*args, **kwargs)`` if there are arguments.

    Raises:
        RuntimeError: there is no CUDA.
    """
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()


def _require() -> None:
    if not is_available():
        raise RuntimeError(
            "NVTX functions not installed. Are you sure you have a CUDA build? lazygrad finds no CUDA; ask "
            "cuda.is_available() first"
        )
