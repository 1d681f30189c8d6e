"""Work of several streams of a device, in the order that its values ask for.

A value is computed when somebody looks at it, not where a program says it, and so perhaps on another stream than the
one at which the program has put its own waits. So each block of memory knows the last work that wrote it, and what has
read it since, and work that comes later on another stream waits for just that. Work that shares no block has no order.
Nothing is noted while all work goes to the device's own stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

from lazygrad.targets.cuda.driver import Driver


class Moment(NamedTuple):
    """Where a stream stood.

    Attributes:
        stream: as the driver counts.
        mark: of the driver.
    """

    stream: int
    mark: Any


class Uses:
    """The work that memory takes part in.

    Attributes:
        written: by the last that wrote it; None if nobody did since there are several streams.
        read: by stream, the last that has read it since.
    """

    __slots__ = ("read", "written")

    def __init__(self) -> None:
        self.written: Moment | None = None
        self.read: dict[int, Moment] = {}

    def moments(self) -> list[Moment]:
        """All that has to be over before something else can lie there."""
        return [*self.read.values(), *([] if self.written is None else [self.written])]


class Ordering:
    """The order of a device's work."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._before: Moment | None = None  # what the device's own stream had to do when another was first used
        self._is_first = True

    def work(
        self, read: Callable[[], Iterable[Uses]], written: Callable[[], Iterable[Uses]]
    ) -> AbstractContextManager[None]:
        """Inside of this context work is asked for, on the current stream, that reads some memory and writes other.

        Args:
            read, written: tell which; they are called where there are several streams.
        """
        return self._noted(list(read()), list(written())) if self._driver.has_streams else nullcontext()

    @contextmanager
    def _noted(self, read: list[Uses], written: list[Uses]) -> Iterator[None]:
        driver = self._driver
        stream, waited = driver.stream, set[int]()
        if self._is_first:
            self._is_first, self._before = False, Moment(0, driver.mark(False, 0))
        for uses in read:
            self._wait(stream, uses.written or self._before, waited)
        for uses in written:
            for moment in uses.moments() if uses.written else [*uses.moments(), self._before]:
                self._wait(stream, moment, waited)
        try:
            yield
        finally:
            moment = Moment(stream, driver.mark(False))
            for uses in read:
                uses.read[stream] = moment
            for uses in written:
                uses.written = moment
                uses.read.clear()

    def _wait(self, stream: int, moment: Moment | None, waited: set[int]) -> None:
        if moment is None or moment.stream == stream or id(moment.mark) in waited:
            return
        waited.add(id(moment.mark))
        if not self._driver.is_reached(moment.mark):
            self._driver.wait_on_device(moment.mark)
        elif moment is self._before:
            self._before = None

    def is_over(self, uses: Uses, stream: int) -> bool:
        """Whether work that is asked for on a stream may use memory again. Memory that is not in use is then as new."""
        if any(moment.stream != stream and not self._driver.is_reached(moment.mark) for moment in uses.moments()):
            return False
        uses.written = None
        uses.read.clear()
        return True
