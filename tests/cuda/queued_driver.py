"""An emulated device that does the work of a stream as late as it may: when somebody waits for it.

So work that forgot to wait for another stream finds what was there before, and what overlaps is seen. Or streams are
done in turn, a piece of work at a time, so that two that share memory by mistake write over each other's.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazygrad.targets.cuda.driver import Argument, Launch, Product
from tests.cuda_emulator.device import EmulatedInstallation
from tests.cuda_emulator.driver import EmulatedDriver

Work = Callable[[], None]


class Mark:
    """Where a stream stood.

    Attributes:
        stream: which one.
        is_reached: whether it has done what comes before.
    """

    def __init__(self, stream: int) -> None:
        self.stream, self.is_reached = stream, False


class QueuedDriver(EmulatedDriver):
    """Attributes:
    takes_turns: whether other streams go on while somebody waits for one.
    done: the streams of all work that was done, in order.
    graphs: how many were captured.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._queues: dict[int, deque[tuple[bool, Work]]] = {0: deque()}  # with whether it waits for another stream
        self.takes_turns = False
        self._current, self._made = 0, 0
        self._captured: list[Work] | None = None
        self.done: list[int] = []
        self.graphs = 0

    def _push(self, work: Work) -> None:
        if self._captured is not None:
            self._captured.append(work)
            return
        stream = self._current

        def do() -> None:
            work()
            self.done.append(stream)

        self._queues[stream].append((False, do))

    def _drain(self, stream: int) -> None:
        while self._queues[stream]:
            self._step(stream)

    def _step(self, stream: int) -> None:
        self._queues[stream].popleft()[1]()
        for other, queue in self._queues.items() if self.takes_turns else ():
            if other != stream and queue and not queue[0][0]:
                queue.popleft()[1]()

    # Streams.

    @property
    def stream(self) -> int:
        return self._current

    @property
    def has_streams(self) -> bool:
        return len(self._queues) > 1

    def open_stream(self, priority: int) -> int:
        self._made += 1
        return self._made

    def use_stream(self, stream: int) -> None:
        self._current = stream
        self._queues.setdefault(stream, deque())

    def mark(self, timed: bool, stream: int | None = None) -> Mark:
        mark = Mark(self._current if stream is None else stream)
        queue = self._queues.setdefault(mark.stream, deque())
        if queue:
            queue.append((False, lambda: setattr(mark, "is_reached", True)))
        else:
            mark.is_reached = True
        return mark

    def marks(self) -> list[Mark]:
        return [self.mark(False, stream) for stream in self._queues]

    def is_reached(self, mark: Mark) -> bool:
        return mark.is_reached

    def wait(self, mark: Mark) -> None:
        while not mark.is_reached:
            self._step(mark.stream)

    def wait_on_device(self, mark: Mark, stream: int | None = None) -> None:
        assert self._captured is None
        waiting = self._queues.setdefault(self._current if stream is None else stream, deque())
        waiting.append((True, lambda: self.wait(mark)))

    def synchronize(self) -> None:
        for stream in sorted(self._queues, reverse=True):
            self._drain(stream)

    # Work.

    def launch(self, kernel: Any, launch: Launch, arguments: Sequence[Argument]) -> None:
        own = [type(argument).from_buffer_copy(argument) for argument in arguments]
        self._push(lambda: super(QueuedDriver, self).launch(kernel, launch, own))

    def multiply(self, product: Product, a: int, b: int, out: int) -> None:
        self._push(lambda: super(QueuedDriver, self).multiply(product, a, b, out))

    def copy(self, source: int, target: int, size: int) -> None:
        self._push(lambda: super(QueuedDriver, self).copy(source, target, size))

    def fill(self, target: int, byte: int, size: int) -> None:
        self._push(lambda: super(QueuedDriver, self).fill(target, byte, size))

    def copy_in(self, source: np.ndarray, target: int) -> None:
        own = source.copy()
        self._push(lambda: super(QueuedDriver, self).copy_in(own, target))

    def copy_in_later(self, source: np.ndarray, target: int) -> None:
        address, shape, dtype = source.ctypes.data, source.shape, source.dtype  # nobody else keeps it
        size = source.nbytes

        def do() -> None:
            now = np.frombuffer((ctypes.c_uint8 * size).from_address(address), np.uint8).view(dtype).reshape(shape)
            super(QueuedDriver, self).copy_in(now, target)

        self._push(do)

    def copy_out(self, source: int, target: np.ndarray) -> None:
        assert self._captured is None
        self._drain(self._current)
        super().copy_out(source, target)

    def free(self, address: int) -> None:
        self.synchronize()
        super().free(address)

    def capture(self, ask: Work) -> list[Work]:
        self._captured = []
        try:
            ask()
            self.graphs += 1
            return self._captured
        finally:
            self._captured = None

    def replay(self, graph: list[Work]) -> None:
        def do() -> None:
            for work in graph:
                work()

        self._push(do)


class QueuedInstallation(EmulatedInstallation):
    """Two such devices."""

    def open(self, ordinal: int) -> QueuedDriver:
        return QueuedDriver(self.order)
