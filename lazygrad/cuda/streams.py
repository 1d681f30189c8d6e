"""Streams and events of CUDA devices.

Work is asked of a device when values are computed, not where a program says it: it goes to the stream that is current
then. Work of two streams overlaps where they compute different values. Work that needs a value, or writes over it,
waits for what other streams have to do with it, whether a program says so or not. Events and waits order what is asked
of the device before them with what is asked after them, work of other libraries too.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Any

from lazygrad.cuda.devices import device, place_of
from lazygrad.ir.device import Device
from lazygrad.ir.spoken_name import spoken
from lazygrad.targets.cuda.driver import Driver
from lazygrad.targets.cuda.drivers import driver_of


class Stream:
    """A queue of work on a device, by default the current one.

    Args:
        device: a name, an ordinal or a device.
        priority: negative for a higher one.

    Attributes:
        device: where it is.
        cuda_stream: its handle, as CUDA counts them.
        priority: as given.

    Raises:
        RuntimeError: the device is not there.
    """

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        self._take(place_of(device), priority, kwargs.get("cuda_stream"))

    def _take(self, device: Device, priority: int, handle: int | None) -> None:
        self.device, self.priority = device, priority
        self._entered: list[StreamContext] = []
        self._is_own, self.cuda_stream = handle is None, 0
        self._driver = driver_of(device)
        self.cuda_stream = self._driver.open_stream(priority) if handle is None else handle

    @property
    def stream_id(self) -> int:
        """A number that no other stream of the device has."""
        return self.cuda_stream

    @property
    def device_index(self) -> int:
        """The ordinal of the device."""
        return self.device.index or 0

    def synchronize(self) -> None:
        """Wait until the work that it was asked for so far is done."""
        self._driver.wait(self._driver.mark(False, self.cuda_stream))

    def query(self) -> bool:
        """Whether the work that it was asked for so far is done."""
        return self._driver.is_reached(self._driver.mark(False, self.cuda_stream))

    def record_event(self, event: Event | None = None) -> Event:
        """Mark where the stream stands; returns the event."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Let work that is asked for from now on wait for what was marked."""
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Let work that is asked for from now on wait for all that was put into a stream before."""
        self._driver.wait_on_device(stream._driver.mark(False, stream.cuda_stream), self.cuda_stream)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.device, self.cuda_stream) == (other.device, other.cuda_stream)

    def __hash__(self) -> int:
        return hash((self.device, self.cuda_stream))

    def __repr__(self) -> str:
        return f"<{spoken('cuda.Stream')} device={self.device} cuda_stream={self.cuda_stream:#x}>"

    def __enter__(self) -> Stream:
        self._entered.append(StreamContext(self))
        self._entered[-1].__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.pop().__exit__(*error)

    def __del__(self) -> None:
        driver: Driver | None = getattr(self, "_driver", None)
        if driver is not None and self._is_own and self.cuda_stream:
            driver.close_stream(self.cuda_stream)


class ExternalStream(Stream):
    """A stream that another library made, by its handle.

    Args:
        stream_ptr: the handle.
        device: where it is, by default on the current device.
    """

    def __init__(self, stream_ptr: int, device: Any = None, **kwargs: Any) -> None:
        self._take(place_of(device), 0, stream_ptr)


class Event:
    """A mark in the work of a device.

    Args:
        enable_timing: whether `elapsed_time` can be asked.
        blocking, interprocess, external: accepted.
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> None:
        place_of(None)
        self._timed, self._mark, self._driver = enable_timing, None, driver_of(place_of(None))

    def record(self, stream: Stream | None = None) -> None:
        """Mark the work that a stream was asked for so far, by default the current one.

        What is pending is not asked for by this: see `Tensor.realize`.
        """
        stream = current_stream() if stream is None else stream
        self._driver = stream._driver
        self._mark = self._driver.mark(self._timed, stream.cuda_stream)

    def wait(self, stream: Stream | None = None) -> None:
        """Let work that a stream, by default the current one, is asked for from now on wait for what was marked."""
        if self._mark is not None:
            stream = current_stream() if stream is None else stream
            stream._driver.wait_on_device(self._mark, stream.cuda_stream)

    def query(self) -> bool:
        """Whether the work before the mark is done."""
        return self._mark is None or self._driver.is_reached(self._mark)

    def synchronize(self) -> None:
        """Wait until the work before the mark is done."""
        if self._mark is not None:
            self._driver.wait(self._mark)

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this mark to another.

        Raises:
            ValueError: one of both was not recorded, or made without ``enable_timing``.
        """
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._mark is None or end_event._mark is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return self._driver.milliseconds(self._mark, end_event._mark)

    def __repr__(self) -> str:
        return f"<{spoken('cuda.Event')} {'recorded' if self._mark is not None else 'uninitialized'}>"


class _Current(threading.local):
    """The stream of each device that the work of a thread goes to."""

    def __init__(self) -> None:
        self.streams: dict[Device, Stream] = {}


_current = _Current()


def default_stream(device: Any = None) -> Stream:
    """The stream that a device's work goes to unless another is chosen."""
    return ExternalStream(0, device)


def current_stream(device: Any = None) -> Stream:
    """The stream that this thread's work on a device goes to."""
    place = place_of(device)
    found = _current.streams.get(place)
    return default_stream(place) if found is None or found._driver is not driver_of(place) else found


def set_stream(stream: Stream | None) -> None:
    """Send this thread's work on a stream's device there from now on; None changes nothing."""
    if stream is not None:
        _current.streams[stream.device] = stream
        stream._driver.use_stream(stream.cuda_stream)


def get_stream_from_external(data_ptr: int, device: Any = None) -> Stream:
    """The stream that another library made, by its handle."""
    return ExternalStream(data_ptr, device)


class StreamContext(contextlib.AbstractContextManager[None]):
    """Sends the work of a stream's device there, inside a ``with`` block, and makes its device the current one."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream
        self._exits = contextlib.ExitStack()

    def __enter__(self) -> None:
        if self.stream is not None:
            self._exits.enter_context(device(self.stream.device))
            self._exits.callback(set_stream, current_stream(self.stream.device))
            set_stream(self.stream)

    def __exit__(self, *error: object) -> None:
        self._exits.close()


def stream(stream: Stream | None) -> StreamContext:
    """A context in which the work of a stream's device goes there; None changes nothing."""
    return StreamContext(stream)
