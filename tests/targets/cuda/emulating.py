"""The CUDA target on the emulated device, for tensors on the CPU: operands are copied there and results back.

So a test of values is an ordinary program, and numpy's target says what is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from lazygrad.host.buffer import Buffer, host_view
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.realize import cache
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.cuda.driver import Driver
from lazygrad.targets.cuda.executable import CudaCode
from lazygrad.targets.cuda.module import CudaSource
from lazygrad.targets.cuda.target import CudaTarget
from lazygrad.targets.devices import register_target, unregister_target
from lazygrad.targets.executable import Executable
from tests.cuda_emulator.driver import EmulatedDriver, Order


class _OnDevice(Buffer):
    """Memory of the device; a plan asks for nothing but its address."""

    def __init__(self, address: int) -> None:
        super().__init__(None, known_address=address)


class _Copied(Executable):
    """A plan on a device, for buffers of the host."""

    def __init__(self, inner: Executable, driver: Driver) -> None:
        self._inner, self._driver = inner, driver

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        copies: dict[int, tuple[np.ndarray, int]] = {}
        try:
            for array in (host_view(value) for value in (*inputs, *outputs)):
                place = array.__array_interface__["data"][0]
                if place not in copies or copies[place][0].nbytes < array.nbytes:
                    copies[place] = array, self._driver.allocate(max(array.nbytes, 1))
            for array in map(host_view, inputs):
                self._driver.copy_in(np.ascontiguousarray(array), _found(copies, array))
            given, wanted = [[_OnDevice(_found(copies, host_view(v))) for v in group] for group in (inputs, outputs)]
            self._inner.run(given, wanted, scalars)
            for array in map(host_view, outputs):
                self._driver.copy_out(_found(copies, array), array)
        finally:
            for _, address in copies.values():
                self._driver.free(address)

    def failed_step(self, error: BaseException) -> int | None:
        return self._inner.failed_step(error)


def _found(copies: dict[int, tuple[np.ndarray, int]], array: np.ndarray) -> int:
    return copies[array.__array_interface__["data"][0]][1]


class _Memory:
    """Memory of a device for plans, each time exactly what is asked for."""

    def __init__(self, driver: EmulatedDriver) -> None:
        self.driver, self._arena = driver, 0

    def scratch(self, size: int) -> int:
        if self._arena:
            self.driver.free(self._arena)
        self._arena = self.driver.allocate(size)
        return self._arena

    def allocate_bytes(self, size: int) -> int:
        return self.driver.allocate(size)

    def free(self, memory: int) -> None:
        self.driver.free(memory)

    def address(self, memory: int) -> int:
        return memory

    def pinned(self, size: int) -> np.ndarray:
        return self.driver.pinned(size)

    def work(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> AbstractContextManager[None]:
        return nullcontext()


class EmulatedTarget(CudaTarget):
    """The CUDA target, on one emulated device."""

    def __init__(self, order: Order) -> None:
        self.driver = EmulatedDriver(order)
        self.memory = _Memory(self.driver)

    def code(self, source: CudaSource, program: LoweredProgram) -> Executable:
        return _Copied(CudaCode(source, program, self.memory), self.driver)


@contextmanager
def emulating(order: Order = Order.ASCENDING) -> Iterator[EmulatedTarget]:
    """Within this context plans of this thread run as CUDA source on the emulated device."""
    target = EmulatedTarget(order)
    register_target("cpu", "cuda", lambda: target)
    cache.clear()  # plans that were made before do not know it
    try:
        with backend("cuda"):
            yield target
    finally:
        unregister_target("cpu", "cuda")
        cache.clear()
