"""The target of the simulated device: numpy's code, on memory that only its allocator can show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from lazygrad.codegen.kernel import Kernel
from lazygrad.host.buffer import Buffer, DeviceBuffer
from lazygrad.ir.node import TensorType
from lazygrad.memory.overwriting import MayOverwrite
from lazygrad.targets.base import LoweredProgram, Target
from lazygrad.targets.devices import register_target
from lazygrad.targets.executable import Executable
from lazygrad.targets.numpy.module import NumpySource
from lazygrad.targets.numpy.target import NumpyTarget
from tests.simulated_device import NAME, HostAccess, SimulatedAllocator


class _SimulatedExecutable(Executable):
    def __init__(self, inner: Executable, program: LoweredProgram) -> None:
        self._inner, self._program = inner, program

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        schedule = self._program.schedule
        read = {node["slot"]: node.type for node in schedule.inputs}
        given = [self._seen(value, read.get(slot)) for slot, value in enumerate(inputs)]
        wanted = [self._seen(value, node.type) for value, node in zip(outputs, schedule.outputs, strict=True)]
        for value in outputs[:1]:
            assert isinstance(value, DeviceBuffer) and isinstance(value.allocator, SimulatedAllocator)
            value.allocator.counts.launches += 1
        self._inner.run(given, wanted, scalars)

    def _seen(self, value: Buffer, type: TensorType | None) -> Buffer:
        """A buffer that numpy's code can use."""
        if not isinstance(value, DeviceBuffer) or not isinstance(value.allocator, SimulatedAllocator):
            raise HostAccess(f"a plan of the simulated device was given {value!r}")
        return Buffer(value.allocator.array_for_kernels(value, type or value.type), shared=True)

    def failed_step(self, error: BaseException) -> int | None:
        return self._inner.failed_step(error)


class SimulatedTarget(Target[NumpySource]):
    """numpy's code on private memory."""

    name = NAME
    suffix = ".py"

    def __init__(self) -> None:
        self._numpy = NumpyTarget()

    def overwriting(self, kernel: Kernel) -> MayOverwrite:
        return self._numpy.overwriting(kernel)

    def render(self, program: LoweredProgram) -> NumpySource:
        return self._numpy.render(program)

    def load(self, source: NumpySource, program: LoweredProgram) -> Executable:
        return _SimulatedExecutable(self._numpy.load(source, program), program)


@cache
def install() -> None:
    """Register the target, once."""
    register_target(NAME, NAME, SimulatedTarget)
