"""What runs a program on one target: the interface between plans and the code of a target.

It knows nothing of how programs are made, so that a process whose plans come from the disk loads no compiler.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lazygrad.host.buffer import Buffer


class LoadError(Exception):
    """A program could not be made ready; the message says why. It stays on the targets that have it."""


class StandingRun(NamedTuple):
    """A program over memory most of which stays from run to run, so that a run is one foreign call.

    Attributes:
        run: called with ``argument``; the result is 0, or the program was refused as by `Executable.run`.
        argument: a number.
        places: addresses of the inputs and, behind them, of the outputs, by slot; each run reads them anew.
        holds: what must live as long.
    """

    run: Callable[[int], int]
    argument: int
    places: memoryview[int]
    holds: tuple[Any, ...]


StandingRuns = tuple[list[StandingRun], Callable[[Sequence[Any]], object]]
"""Runs of one program over some memories, and what gives them all their scalars."""

Memory = tuple[Sequence[Buffer | None], Sequence[Buffer | None]]
"""Inputs and outputs by slot; None for those that lie elsewhere in each run."""


class Executable(ABC):
    """A program that is ready to run on one target."""

    @abstractmethod
    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        """Run once.

        Args:
            inputs: the values of the schedule's inputs, by slot.
            outputs: memory for the schedule's outputs; the buffers may have other shapes of the same size. A donated
                input is at the same time the output that overwrites it.
            scalars: the runtime scalars, as Python numbers, by slot.

        Raises:
            Refused: an operand cannot be computed with. Inputs are as they were; the first target of the device then
                runs the program again, and says what is wrong.
            Exception: what a program that fails raises, with inputs as they were.
        """

    def standing(self, memories: Sequence[Memory]) -> StandingRuns | None:
        """Runs over each of these memories, and what gives them all the scalars that `run` takes.

        None, if a run is more than one foreign call.
        """
        return None

    def kept(self) -> dict[str, Any] | None:
        """What makes the same executable in another process (`devices.restored_executable`), as JSON takes it.

        None, if only a plan can make it.
        """
        return None

    def wait(self) -> None:  # noqa: B027, most have nothing to wait for
        """Wait until what `run` has asked for is done; a device may still be at it."""

    def failed_step(self, error: BaseException) -> int | None:
        """The number of the schedule's step that raised ``error`` in `run`, if that is known."""
        return None


class Watched(Executable):
    """An executable that runs in place of another while that is timed.

    Attributes:
        plain: the other one.
    """

    plain: Executable


class Clocked(Executable):
    """A program that notes how long its steps take.

    Attributes:
        readings: the numbers of the steps between two looks at the clock. Steps that a target runs as one are together.
    """

    readings: tuple[tuple[int, ...], ...]

    @abstractmethod
    def nanoseconds(self) -> list[int]:
        """What the last run took, reading by reading."""


class ClockedWhole(Clocked):
    """The time of a program whose steps cannot be told apart."""

    def __init__(self, inner: Executable, steps: int) -> None:
        self._inner, self._nanoseconds = inner, 0
        self.readings = (tuple(range(steps)),)

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        start = time.perf_counter_ns()
        self._inner.run(inputs, outputs, scalars)
        self._inner.wait()
        self._nanoseconds = time.perf_counter_ns() - start

    def failed_step(self, error: BaseException) -> int | None:
        return self._inner.failed_step(error)

    def nanoseconds(self) -> list[int]:
        return [self._nanoseconds]
