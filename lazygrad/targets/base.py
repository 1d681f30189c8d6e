"""What a target is: the one interface between a plan and code that runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from lazygrad.codegen.editing import NO_EDITS, Edits
from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.op import Op
from lazygrad.ir.polynomial import NotDynamic, Quantity
from lazygrad.memory.overwriting import MayOverwrite
from lazygrad.memory.plan import MemoryPlan
from lazygrad.passes.fusion_cost import DEFAULT_LIMITS, FusionLimits
from lazygrad.passes.schedule import Schedule
from lazygrad.targets.executable import Clocked, ClockedWhole, Executable, LoadError


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
