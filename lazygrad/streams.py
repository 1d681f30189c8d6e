"""Streams and events of the CPU, where work is done in the order in which it is asked for."""

from __future__ import annotations

from typing import Any, NoReturn

from lazygrad.ir.device import CPU, Device, device_of


class Stream:
    """A queue of work. Those of the CPU are always empty: what is computed is there when the call returns.

    Raises:
        RuntimeError: a stream of another device, of which there is none.
    """

    def __init__(self, device: Any = None, *, priority: int = 0) -> None:
        place = CPU if device is None else device_of(device)
        if place.type != "cpu":
            raise RuntimeError(f"there is no {place.type} device, so it has no streams")
        self.device: Device = place

    def query(self) -> bool:
        """Whether all work is done: True."""
        return True

    def synchronize(self) -> None:
        """Does nothing: there is no work to wait for."""


class Event:
    """A mark in a stream of an accelerator; there is none to record it in.

    Args:
        device, enable_timing, blocking, interprocess: accepted as in PyTorch.
    """

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self.device = CPU if device is None else device_of(device)

    def record(self, stream: Any = None) -> NoReturn:
        """Mark where a stream stands. RuntimeError: the CPU's streams keep no events; use `time.perf_counter`."""
        raise RuntimeError("events are recorded in streams of an accelerator, and none is available; on the CPU take "
                           "time.perf_counter() after reading a result")  # fmt: skip
