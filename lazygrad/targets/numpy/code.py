"""Runs a plan's numpy module."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import numpy as np

from lazygrad.codegen.editing import EditedKernel
from lazygrad.codegen.python_module import PythonModule
from lazygrad.host.arena import arena
from lazygrad.host.blas import serial_blas
from lazygrad.host.buffer import Buffer, host_view
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.polynomial import Quantity
from lazygrad.targets.base import LoweredProgram, OpenExecutable
from lazygrad.targets.compiled_calls import TAKEN_OVER, taken_over
from lazygrad.targets.executable import Clocked, Executable, LoadError
from lazygrad.targets.numpy.module import NumpySource


class NumpyCode(Executable):
    """The loaded module of one plan.

    Args:
        source: the module.
        program: what it runs.
        module: the loaded module, if another program has it already.
        numbers: what names in the text stand for that the module leaves open.

    Raises:
        LoadError: an edited kernel fails to load, or lacks a function.
    """

    def __init__(
        self,
        source: NumpySource,
        program: LoweredProgram,
        module: PythonModule | None = None,
        numbers: Mapping[str, float] | None = None,
    ) -> None:
        self._temporaries = program.memory.temporaries
        self._arena_bytes = program.memory.arena_bytes
        self._output_shapes = [node.shape for node in program.schedule.outputs]
        # BLAS stays single-threaded for the whole run: our threads call it side by side, and switching costs 7 µs.
        self._blas = serial_blas if source.calls else nullcontext()
        self._memory: np.ndarray | None = None
        self._arrays: list[np.ndarray] = []
        self._source, self._numbers = source, numbers
        self._module = module or PythonModule(source.text, program.name)
        for kernel, edited in source.edits.items():
            self._take(source.functions[kernel], edited)
        for name in TAKEN_OVER.intersection(source.calls):
            self._module.names[name] = taken_over(name, self._module.names[name])
        self._run: Callable[..., None] = self._module.names["run"]

    def _take(self, name: str, edited: EditedKernel) -> None:
        """Replace the functions of a kernel by those that another module defines."""
        try:
            found = PythonModule(edited.text, f"edited {name}", edited.path).names
        except Exception as error:
            raise LoadError(f"the edited {edited.name} cannot be loaded: {type(error).__name__}: {error}") from error
        for ending in ("", "_finish"):
            function = found.get(edited.name + ending)
            if name + ending in self._module.names and not callable(function):
                raise LoadError(f"the edited source defines no function {edited.name + ending!r}")
            if function is not None:
                self._module.names[name + ending] = function

    def at(self, program: LoweredProgram, numbers: Mapping[str, float]) -> NumpyCode:
        """The same module for a program of other sizes, which ``numbers`` gives by the names that the text has."""
        return NumpyCode(self._source, program, self._module, numbers)

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        given = [_array(buffer) for buffer in inputs]
        written = zip(outputs, self._output_shapes, strict=True)
        wanted = [_array(buffer).reshape(shape) for buffer, shape in written]
        if self._numbers is not None:
            self._module.names.update(self._numbers)
        with np.errstate(all="ignore"), self._blas:
            self._run(given, wanted, self.arena_arrays(), scalars)

    def failed_step(self, error: BaseException) -> int | None:
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename == self._module.filename and code.co_name == "run":
                return self._source.step_of_line(trace.tb_lineno)
            trace = trace.tb_next
        return None

    def arena_arrays(self) -> list[np.ndarray]:
        """The temporaries as arrays in the arena as it is now."""
        memory = arena.at_least(self._arena_bytes)
        if memory is not self._memory:
            self._arrays = [
                np.ndarray(t.node.shape, to_numpy(t.node.dtype), memory, t.offset) for t in self._temporaries
            ]
            self._memory = memory
        return self._arrays


class ClockedNumpyCode(NumpyCode, Clocked):
    """A module that looks at the clock before its first step and after each."""

    def __init__(self, source: NumpySource, program: LoweredProgram) -> None:
        super().__init__(source, program)
        self.readings = tuple([(number,) for number in range(len(program.schedule.steps))])
        self._times: list[int] = []
        self._module.names["look_at_clock"] = lambda: self._times.append(time.perf_counter_ns())

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        self._times.clear()
        super().run(inputs, outputs, scalars)

    def nanoseconds(self) -> list[int]:
        return [after - before for before, after in pairwise(self._times)]


class OpenCode(OpenExecutable):
    """A module with names for the numbers that depend on a size.

    Args:
        code: the module at one size.
        text: its source.
        numbers: by the names that the text has.
    """

    def __init__(self, code: NumpyCode, text: str, numbers: Mapping[str, Quantity]) -> None:
        self._code, self.text, self.numbers = code, text, numbers

    def serves(self, size: int) -> bool:
        return all([number.polynomial.at(size) >= number.is_reciprocal for number in self.numbers.values()])

    def at(self, program: LoweredProgram, size: int) -> NumpyCode:
        return self._code.at(program, {name: number.at(size) for name, number in self.numbers.items()})


def _array(buffer: Buffer) -> np.ndarray:
    return host_view(buffer)
