"""Runs a plan: binds addresses, and asks the driver for one step of the launch table after another."""

from __future__ import annotations

import ctypes
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from lazygrad.host.buffer import Buffer
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import DType
from lazygrad.memory.slots import Place
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.cuda.driver import Argument
from lazygrad.targets.cuda.graphs import Ask, Asked, GraphReplay
from lazygrad.targets.cuda.module import CudaSource
from lazygrad.targets.cuda.numbers import Numbers, PlanMemory
from lazygrad.targets.cuda.product_precision import product_precision
from lazygrad.targets.cuda.refusals import refused_error
from lazygrad.targets.cuda.table import (
    Address,
    CheckStep,
    CopyStep,
    FillStep,
    KernelStep,
    LibraryStep,
    Number,
    Parameter,
    ProductStep,
    Step,
    Table,
)
from lazygrad.targets.executable import Executable

_PACKET = 16  # bytes at a multiple of which kernels expect inputs and outputs to begin


class CudaCode(Executable):
    """A plan, compiled and loaded on its device.

    Attributes:
        replay: which of its steps are done by graphs.
    """

    def __init__(self, source: CudaSource, program: LoweredProgram, memory: PlanMemory) -> None:
        self._source, self._program, self._memory, self._driver = source, program, memory, memory.driver
        self._kernels = self._driver.load(source.text, source.kernels) if source.kernels else {}
        self._bases: dict[Place, list[int]] = {Place.INPUT: [], Place.OUTPUT: [], Place.ARENA: [0]}
        self._pointers: list[tuple[ctypes.c_void_p, Address]] = []
        self._tables: list[tuple[ctypes.Array[ctypes.c_uint64], Table]] = []
        self._number_pointers: list[tuple[ctypes.c_void_p, Number]] = []
        self._asks = [self._ask(entry.step) for entry in source.table]
        self._numbers = Numbers([number for _, number in self._number_pointers], memory)
        steps = zip(self._asks, [entry.step for entry in source.table], strict=True)
        self.replay = GraphReplay(self._driver, [Asked(ask, _why_apart(step)) for ask, step in steps])
        self._input_bytes = {node["slot"]: bytes_of(node) for node in program.schedule.inputs}
        self._failed_step: int | None = None
        self._scalars: Sequence[Any] = ()

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        with self._memory.work(inputs, outputs):
            self._run(inputs, outputs, scalars)

    def _run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        temporary: list[int] = []
        self._scalars = scalars
        self._bases[Place.INPUT] = [self._aligned(slot, value, temporary) for slot, value in enumerate(inputs)]
        self._bases[Place.OUTPUT] = [value.address for value in outputs]
        self._bases[Place.ARENA] = [self._memory.scratch(self._source.arena_bytes) if self._source.arena_bytes else 0]
        self._numbers.put(scalars)
        try:
            self._do()
        finally:
            for memory in temporary:
                self._driver.free(memory)

    def _do(self) -> None:
        """Ask for all steps, whose operands are in place."""
        self.replay.run(self._places(), self._bind)

    def _bind(self) -> None:
        """Give the parameters of launches their values."""
        for pointer, address in self._pointers:
            pointer.value = self._at(address)
        for table, given in self._tables:
            table[:] = [self._at(entry) if isinstance(entry, Address) else entry for entry in given.entries]
        for pointer, number in self._number_pointers:
            pointer.value = self._numbers.start + self._numbers.offset(number)

    def wait(self) -> None:
        self._driver.synchronize()

    def _places(self) -> Hashable:
        """All that steps depend on: numbers are read when a kernel runs, from where they lie."""
        bases = [tuple(addresses) for addresses in self._bases.values()]
        return *bases, self._numbers.start, self._driver.stream, product_precision()

    def failed_step(self, error: BaseException) -> int | None:
        return self._failed_step

    def _aligned(self, slot: int, value: Buffer, temporary: list[int]) -> int:
        """The address of an input, or of a copy of it where kernels could not read it in packets."""
        address = value.address
        if address % _PACKET == 0:
            return address
        size = self._input_bytes.get(slot, 0)
        made = self._driver.allocate(size)
        temporary.append(made)
        self._driver.copy(address, made, size)
        return made

    def _at(self, address: Address) -> int:
        return self._bases[address.place][address.index] + address.offset

    # Steps, as functions that ask the driver.

    def _ask(self, step: Step) -> Ask:
        driver, at = self._driver, self._at
        if isinstance(step, KernelStep):
            kernel, launch = self._kernels[step.launch.kernel], step.launch
            arguments = [self._argument(parameter) for parameter in step.parameters]
            return driver.prepared(kernel, launch, arguments)
        if isinstance(step, ProductStep):
            product, a, b, out = step.product, step.a, step.b, step.out
            return lambda: driver.multiply(product, at(a), at(b), at(out))
        if isinstance(step, LibraryStep):
            return self._ask_library(step)
        if isinstance(step, CopyStep):
            source, target, size = step.source, step.target, step.size
            return lambda: driver.copy(at(source), at(target), size) if at(source) != at(target) else None
        if isinstance(step, FillStep):
            filled, byte, length = step.target, step.byte, step.size
            return lambda: driver.fill(at(filled), byte, length)
        return lambda: self._check(step)

    def _ask_library(self, step: LibraryStep) -> Ask:
        call, operands, results, word = step.call, step.operands, step.results, step.word

        def ask() -> None:
            read, made = [self._at(each) for each in operands], [self._at(each) for each in results]
            self._driver.compute(call, read, made, None if word is None else self._at(word))

        return ask

    def _argument(self, parameter: Parameter) -> Argument:
        if isinstance(parameter, int):
            return ctypes.c_int32(parameter)
        if isinstance(parameter, Table):
            table = (ctypes.c_uint64 * len(parameter.entries))()
            self._tables.append((table, parameter))
            return table
        if isinstance(parameter, Address):
            pointer = ctypes.c_void_p()
            self._pointers.append((pointer, parameter))
            return pointer
        place = ctypes.c_void_p()
        self._number_pointers.append((place, parameter))
        return place

    # Operands that are refused.

    def _check(self, step: CheckStep) -> None:
        """Raise what is wrong with an operand; inputs are as they were until here."""
        words = np.empty(len(step.steps), np.int32)
        self._driver.copy_out(self._at(step.words), words)
        if words.any():
            self._failed_step = step.steps[int(np.flatnonzero(words)[0])]
            self._bind()
            for ask, entry in zip(self._asks, self._source.table, strict=True):
                if entry.number >= self._failed_step:
                    break  # its operands are as they were when it refused them
                ask()
            raise refused_error(self._program, self._failed_step, self._host_array, self._scalars)

    def _host_array(self, address: Address, dtype: DType, count: int) -> np.ndarray:
        array = np.empty(count, to_numpy(dtype))
        self._driver.copy_out(self._at(address), array)
        return array


def _why_apart(step: Step) -> str:
    """Why a step cannot be part of a graph; empty where it can."""
    if isinstance(step, LibraryStep):
        return f"a library allocates memory for it: {step}"
    return f"the host waits for it: {step}" if isinstance(step, CheckStep) else ""
