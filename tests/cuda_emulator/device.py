"""The emulator as the device type ``cuda``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lazygrad.host.allocator import register_allocator
from lazygrad.ir.node import TensorType
from lazygrad.runtime.realize import cache
from lazygrad.targets.cuda import drivers
from lazygrad.targets.cuda.allocator import Block, CudaAllocator
from lazygrad.targets.cuda.driver import OutOfMemory
from lazygrad.targets.cuda.installation import Installation
from tests.cuda_emulator.build import missing
from tests.cuda_emulator.driver import EmulatedDriver, Order


class EmulatedInstallation(Installation):
    """Two emulated devices.

    Attributes:
        order: in which their threads run.
    """

    def __init__(self, order: Order = Order.ASCENDING) -> None:
        self.order = order

    def missing(self) -> str | None:
        return missing()

    def count(self) -> int:
        return 2

    def open(self, ordinal: int) -> EmulatedDriver:
        return EmulatedDriver(self.order)


class ExactAllocator(CudaAllocator):
    """Every value has memory of its own from the driver, which so knows where it ends."""

    def _allocated(self, requested: int, type: TensorType | None) -> Block:
        try:
            address = self.driver.allocate(requested)
        except OutOfMemory:
            raise self._out_of_memory(requested) from None
        return self._taken(Block(address, requested, False), requested, type)

    def free(self, memory: Block) -> None:
        if isinstance(memory, Block):  # memory of others is theirs to free
            self.driver.free(memory.address)

    def scratch(self, size: int) -> int:
        """Exactly ``size`` bytes for one run of a plan."""
        found = self._scratch.pop(0, None)
        if found is not None:
            self.free(found)
        self._scratch[0] = self.allocate_bytes(size)
        return self._scratch[0].address


_installed = False


def is_installed() -> bool:
    """Whether CUDA is emulated in this process."""
    return _installed


def install() -> None:
    """Let CUDA be emulated in this process, from now on."""
    global _installed
    _installed = True
    register_allocator("cuda", ExactAllocator, drivers.why_unavailable)
    drivers.install(EmulatedInstallation())


@contextmanager
def emulated_devices() -> Iterator[None]:
    """Let CUDA be emulated inside a ``with`` block, with the allocator that a GPU has."""
    before = drivers.install(EmulatedInstallation())
    cache.clear()  # plans belong to devices
    try:
        yield
    finally:
        cache.clear()
        drivers.install(before)
