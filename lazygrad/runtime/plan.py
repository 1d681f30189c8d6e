"""A compiled plan: the five forms of one program, and the code that runs it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from lazygrad.codegen.lower import LoweredKernel, lower_plan
from lazygrad.host import background
from lazygrad.host.buffer import Buffer
from lazygrad.host.collector import collector_waits
from lazygrad.host.refusal import Refused
from lazygrad.host.warn_once import warn_once
from lazygrad.ir.graph import Graph
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.passes.pipeline import Stages, run_passes
from lazygrad.passes.schedule import Schedule
from lazygrad.runtime.backend_choice import current_backend, get_backend, waits_for_compiler
from lazygrad.runtime.blame import name_line
from lazygrad.runtime.donation import Donation, find_donations
from lazygrad.runtime.overwriting import find_overwrites
from lazygrad.targets.numpy.code import NumpyCode
from lazygrad.targets.numpy.module import Source, render_module

# What only C needs is loaded when C is: a program that ends before does without it.
if TYPE_CHECKING:
    from lazygrad.targets.c.code import CCode
    from lazygrad.targets.c.module import CSource

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes a plan occupies while it runs.

    Attributes:
        inputs: buffers it reads.
        outputs: new buffers.
        updated: outputs that take the place of an input, unless somebody else still needs that.
        arena: temporaries.
    """

    inputs: int
    outputs: int
    updated: int
    arena: int

    @property
    def peak(self) -> int:
        """The most at one time, where every update could be made in place."""
        return self.inputs + self.outputs + self.arena


class Plan:
    """Everything known about one program.

    The first run is numpy's; from the second on, the C compiler works in the background, and its code takes over when
    it is ready. A plan that runs once never pays for a compiler.

    Attributes:
        stages: the recorded, primitive, fused and scheduled forms.
        lowered: its kernels, in the order of their steps.
        donations: outputs that may be written over an input's memory.
        runs: how often it ran.
        number: counts plans in this process.
    """

    def __init__(self, recorded: Graph, fusion: bool = True) -> None:
        self.stages: Stages = run_passes(recorded, fusion)
        assert self.stages.schedule is not None
        self.schedule: Schedule = self.stages.schedule
        self.lowered: tuple[LoweredKernel, ...] = lower_plan(self.schedule)
        overwrites = find_overwrites(self.schedule, self.lowered)
        if overwrites:
            self.schedule.overwrite(overwrites)
        self.donations: list[Donation] = find_donations(self.schedule, self.lowered)
        self.runs = 0
        self.number = next(_numbers)
        self._c_code: CCode | None = None
        self._submitted_in: int | None = None
        self._is_settled = False  # its C code is there, or failed to be made

    @property
    def kernel_calls(self) -> int:
        return sum(not group.is_library for group in self.schedule.steps)

    @property
    def library_calls(self) -> int:
        return sum(group.is_library for group in self.schedule.steps)

    @property
    def memory(self) -> MemoryUse:
        """What one run occupies."""
        donated = {donation.output: donation.input for donation in self.donations}
        outputs = self.schedule.outputs
        return MemoryUse(
            inputs=sum(bytes_of(node) for node in self.schedule.inputs),
            outputs=sum(bytes_of(node) for number, node in enumerate(outputs) if number not in donated),
            updated=sum(bytes_of(node) for number, node in enumerate(outputs) if number in donated),
            arena=self.schedule.arena_bytes,
        )

    @cached_property
    def source(self) -> Source:
        """The numpy module."""
        return render_module(self.schedule, self.lowered)

    @cached_property
    def c_source(self) -> CSource:
        """The C translation unit."""
        from lazygrad.targets.c.module import render_c_module

        aliases = [(donation.output, donation.input) for donation in self.donations]
        return render_c_module(self.schedule, self.lowered, aliases)

    @cached_property
    def _numpy_code(self) -> NumpyCode:
        with collector_waits():
            return NumpyCode(self.source, self.schedule, self.number)

    def run(
        self,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        scalars: Sequence[Any],
        program: Callable[[], Graph] | None = None,
    ) -> None:
        """Run once on the backend chosen here. Buffers are in slot order; outputs, of any shape, are written to.

        Args:
            inputs, outputs, scalars: in slot order.
            program: builds the recorded graph of this run, whose lines an error names; default: the plan's own.

        Raises:
            IndexError, RuntimeError, ValueError: what the data of an operand is refused with. The inputs are then as
                they were.
        """
        code = self._c_code
        if code is not None:
            code = code if get_backend() != "numpy" else None
        elif self._may_be_c() and current_backend() == "c":
            code = self._compiled()
        self.runs += 1
        if code is not None:
            try:
                code.run(inputs, outputs, scalars)
                return
            except Refused:
                pass  # numpy says why
            except Exception as error:
                self._name_line(error, code.failed_step, program)
                raise
        written = zip(_arrays(outputs), self.schedule.outputs, strict=True)
        try:
            self._numpy_code.run(_arrays(inputs), [array.reshape(node.shape) for array, node in written], scalars)
        except Exception as error:
            self._name_line(error, self._numpy_code.failed_step(error), program)
            raise

    def _name_line(self, error: Exception, step: int | None, program: Callable[[], Graph] | None) -> None:
        if step is not None:
            now = None if program is None else program()
            name_line(error, self.schedule.steps[step], self.stages.recorded, now)

    def _may_be_c(self) -> bool:
        """Whether this run asks for a compiler: a first run does only where it must, since finding one takes time."""
        return self.runs > 0 or get_backend() == "c" or waits_for_compiler()

    @property
    def is_compiled(self) -> bool:
        """Whether its C code is ready."""
        return self._c_code is not None

    def compile(self) -> None:
        """Have its C code now; waits for the compiler. If there is none that works, a warning says so, once."""
        if self._c_code is None:
            self._start_compiling()
            background.wait(self)

    def _compiled(self) -> CCode | None:
        if self._c_code is None and not self._is_settled:
            if waits_for_compiler():
                self.compile()
            elif self.runs:
                self._start_compiling()
        return self._c_code

    def _start_compiling(self) -> None:
        process = os.getpid()  # a forked child does not have the thread that its parent asked
        if not self._is_settled and self._submitted_in != process:
            self._submitted_in = process
            background.submit(self, self._compile)

    def _compile(self) -> None:
        from lazygrad.targets.c.build import BuildError
        from lazygrad.targets.c.code import CCode

        try:
            self._c_code = CCode(self.c_source, self.schedule)
        except BuildError as error:
            if not background.program_ends():  # then the compiler was stopped, and nobody needs its code
                warn_once("compile", f"a plan could not be compiled, so it stays on numpy: {error}")
        finally:
            self._is_settled = True


def _arrays(buffers: Sequence[Buffer]) -> list[np.ndarray]:
    arrays = [buffer.array for buffer in buffers]
    assert all(array is not None for array in arrays)
    return arrays  # type: ignore[return-value]
