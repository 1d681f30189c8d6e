"""What a target is: the one interface between a plan and code that runs it."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from lazygrad.codegen.editing import NO_EDITS, Edits
from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.host.buffer import Buffer
from lazygrad.ir.op import Op
from lazygrad.ir.polynomial import NotDynamic, Quantity
from lazygrad.memory.overwriting import MayOverwrite
from lazygrad.memory.plan import MemoryPlan
from lazygrad.passes.fusion_cost import DEFAULT_LIMITS, FusionLimits
from lazygrad.passes.schedule import Schedule


@dataclass(frozen=True, slots=True)
class LoweredProgram:
    """What every target makes its own of.

    Attributes:
        schedule: the steps in order, and what is stored.
        kernels: those steps that are no library calls, in order.
        memory: where stored values lie.
        name: of the plan, for tracebacks.
    """

    schedule: Schedule
    kernels: tuple[LoweredKernel, ...]
    memory: MemoryPlan
    name: str = "plan"


class Source(Protocol):
    """A program in a target's language."""

    @property
    def text(self) -> str:
        """What `stages` shows."""

    @property
    def functions(self) -> Mapping[Kernel, str]:
        """What the functions of its distinct kernels are called."""

    @property
    def edits(self) -> Edits:
        """Those of its kernels that are others' work."""


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


class OpenExecutable(ABC):
    """A program whose sizes follow from one that is open, ready to run on one target.

    Attributes:
        text: the source, in which numbers that depend on the size have names.
        numbers: by these names.
    """

    text: str
    numbers: Mapping[str, Quantity]

    @abstractmethod
    def serves(self, size: int) -> bool:
        """Whether all numbers of the program are there at ``size``, and none is negative."""

    @abstractmethod
    def at(self, program: LoweredProgram, size: int) -> Executable:
        """What runs at a size that it `serves`; ``program`` says where values then lie, and which shapes they have."""


class LoadError(Exception):
    """A program could not be made ready; the message says why. It stays on the targets that have it."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What a target needs and does not find on this machine.

    Attributes:
        error: told to somebody who asked for this target.
        warning: told once to everybody else; None where the lack is no surprise.
    """

    error: str
    warning: str | None


AnySource = TypeVar("AnySource", bound=Source)


class Target(ABC, Generic[AnySource]):
    """A way to run lowered programs; `lazygrad.targets.devices` says which ones a device has.

    Attributes:
        name: of the backend, as users choose it.
        suffix: of files with its source.
        program_suffix: of files that `standalone` writes; empty if it has none.
        limits: how large its kernels may become.
        compiles: whether `load` takes so long that it is done in the background, while an earlier target runs.
    """

    name: str
    suffix: str
    program_suffix: str = ""
    limits: FusionLimits = DEFAULT_LIMITS
    compiles: bool = False

    def missing(self) -> Missing | None:
        """Why programs cannot run here, or None."""
        return None

    def serves(self, op: Op) -> bool:
        """Whether it has a library call of its own; others it must hand to the functions of `lazygrad.host.calls`."""
        return True

    @abstractmethod
    def overwriting(self, kernel: Kernel) -> MayOverwrite:
        """Which of a kernel's outputs may be written where which of its loads lies.

        Only pairs are asked about where the load is read whole, at the index of the output's element, and by no
        instruction after the one whose result is stored. The target says whether the element is read before it is
        written in the loops that it makes.
        """

    @abstractmethod
    def render(self, program: LoweredProgram) -> AnySource:
        """The source of a program."""

    @abstractmethod
    def load(self, source: AnySource, program: LoweredProgram) -> Executable:
        """Make a rendered program ready to run.

        Raises:
            LoadError: that is not possible.
        """

    def clocked(self, program: LoweredProgram, edits: Edits = NO_EDITS) -> Clocked:
        """The program, with some kernels edited, and with a clock between its steps; here around all of it.

        Raises:
            LoadError: it could not be made ready.
        """
        source = self.render(program)
        if edits:
            source = self.edited(source, program, edits)
        return ClockedWhole(self.load(source, program), len(program.schedule.steps))

    def edited(self, source: AnySource, program: LoweredProgram, edits: Edits) -> AnySource:
        """A rendered program in which some kernels are others' work.

        Args:
            source, program: as `load` takes them.
            edits: by kernel, what takes its place.

        Raises:
            LoadError: an edited source lacks a function, or the target takes none.
        """
        raise LoadError(f"{self.name} takes no edited kernels")

    def standalone(self, program: LoweredProgram, reference: str) -> str:
        """A program of one kernel as a file that runs it on random data and times it.

        `edited` takes the text of that file, too.

        Args:
            program: of one step.
            reference: the same program as a numpy module, with whose results the file may compare.

        Raises:
            LoadError: the target has no such files.
        """
        raise LoadError(f"{self.name} has no programs of single kernels")

    def opened(self, programs: Sequence[LoweredProgram], sizes: Sequence[int]) -> OpenExecutable:
        """One executable for a program that was lowered at some sizes. What the target is free to choose is chosen as
        suits the first of them, so that the others differ in numbers that follow from the size.

        Raises:
            NotDynamic: they differ in more, or the target has no such executables.
        """
        raise NotDynamic(f"{self.name} has no plans for many sizes")
