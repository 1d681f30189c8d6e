"""CUDA devices in the host's memory: all that a driver does, without CUDA source. Programs on them are numpy's code.

Their memory is small where a test wants it so, poisoned, and readable through the driver only. Work that is asked for
while it is captured is put on a list, which a replay does.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazygrad.codegen.kernel import Kernel
from lazygrad.host.buffer import Buffer, DeviceBuffer
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.node import TensorType
from lazygrad.memory.overwriting import MayOverwrite
from lazygrad.targets import devices
from lazygrad.targets.base import LoweredProgram, Target
from lazygrad.targets.cuda import drivers
from lazygrad.targets.cuda.driver import Argument, Driver, Launch, LibraryCall, OutOfMemory, Product
from lazygrad.targets.executable import Executable
from lazygrad.targets.numpy.module import NumpySource
from lazygrad.targets.numpy.target import NumpyTarget

Work = list[Callable[[], None]]


class HostDriver(Driver):
    """A device of ``capacity`` bytes.

    Attributes:
        asked: what was done, by name, in order.
    """

    architecture = "sm_90"

    def __init__(self, ordinal: int = 0, capacity: int = 1 << 28) -> None:
        self.name, self.capacity = f"host device {ordinal}", capacity
        self.asked: list[str] = []
        self._stream, self._streams = 0, 0
        self._memory: dict[int, np.ndarray] = {}
        self._starts: list[int] = []
        self._captured: Work | None = None

    @property
    def used(self) -> int:
        """Bytes that were allocated and not freed."""
        return sum(memory.nbytes for memory in self._memory.values())

    def memory_info(self) -> tuple[int, int]:
        return self.capacity - self.used, self.capacity

    def allocate(self, size: int) -> int:
        if self.used + size > self.capacity:
            raise OutOfMemory(f"{size} bytes of {self.capacity - self.used}")
        whole = np.full(size + 256, 0xA5, np.uint8)
        address = -(-whole.ctypes.data // 256) * 256
        self._memory[address] = whole[address - whole.ctypes.data :][:size]
        self._starts = sorted(self._memory)
        self.asked.append("allocate")
        return address

    def free(self, address: int) -> None:
        del self._memory[address]
        self._starts = sorted(self._memory)
        self.asked.append("free")

    def bytes_at(self, address: int, size: int) -> np.ndarray:
        """Memory as an array; AssertionError where it is not the device's."""
        position = bisect_right(self._starts, address) - 1
        assert position >= 0, f"{address:#x} is no memory of the device"
        memory, start = self._memory[self._starts[position]], self._starts[position]
        assert address + size <= start + memory.nbytes, f"{size} bytes at {address:#x} go beyond what was allocated"
        return memory[address - start :][:size]

    def copy_in(self, source: np.ndarray, target: int) -> None:
        assert source.flags.c_contiguous
        self._do("copy_in", lambda: self._write(target, source))

    def copy_in_later(self, source: np.ndarray, target: int) -> None:
        assert source.flags.c_contiguous
        self._do("copy_in_later", lambda: self._write(target, source))

    def copy_out(self, source: int, target: np.ndarray) -> None:
        assert target.flags.c_contiguous and self._captured is None
        self.asked.append("copy_out")
        target.reshape(-1).view(np.uint8)[...] = self.bytes_at(source, target.nbytes)

    def copy(self, source: int, target: int, size: int) -> None:
        self._do("copy", lambda: self._write(target, self.bytes_at(source, size)))

    def fill(self, target: int, byte: int, size: int) -> None:
        self._do("fill", lambda: self.bytes_at(target, size).fill(byte))

    def load(self, source: str, kernels: Sequence[str]) -> Mapping[str, Any]:
        raise RuntimeError("a device in the host's memory compiles no CUDA source")

    def launch(self, kernel: Any, launch: Launch, arguments: Sequence[Argument]) -> None:
        self._do("launch", kernel)

    def multiply(self, product: Product, a: int, b: int, out: int) -> None:
        raise RuntimeError("numpy's code multiplies itself")

    def compute(self, call: LibraryCall, operands: Sequence[int], results: Sequence[int], word: int | None) -> None:
        raise RuntimeError("numpy's code calls libraries itself")

    def synchronize(self) -> None:
        self.asked.append("synchronize")

    def open_stream(self, priority: int) -> int:
        self._streams += 1
        return self._streams

    @property
    def stream(self) -> int:
        return self._stream

    def use_stream(self, stream: int) -> None:
        self._stream = stream
        self.asked.append(f"use stream {stream}")

    def capture(self, ask: Callable[[], None]) -> Work:
        assert self._captured is None
        self._captured = []
        try:
            ask()
            return self._captured
        finally:
            self._captured = None

    def replay(self, graph: Work) -> None:
        self.asked.append("replay")
        for work in graph:
            work()

    def _do(self, name: str, work: Callable[[], None]) -> None:
        if self._captured is not None:
            self._captured.append(work)
            return
        self.asked.append(name)
        work()

    def _write(self, target: int, contents: np.ndarray) -> None:
        self.bytes_at(target, contents.nbytes)[...] = np.frombuffer(contents.tobytes(), np.uint8)


class HostInstallation(drivers.Installation):
    """Some devices in the host's memory."""

    def __init__(self, count: int = 2, capacity: int = 1 << 28) -> None:
        self._count, self._capacity = count, capacity

    def missing(self) -> str | None:
        return None

    def count(self) -> int:
        return self._count

    def open(self, ordinal: int) -> HostDriver:
        return HostDriver(ordinal, self._capacity)


class _HostExecutable(Executable):
    def __init__(self, inner: Executable, program: LoweredProgram) -> None:
        self._inner, self._program = inner, program

    def run(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], scalars: Sequence[Any]) -> None:
        schedule = self._program.schedule
        read = {node["slot"]: node.type for node in schedule.inputs}
        given = [_seen(value, read.get(slot)) for slot, value in enumerate(inputs)]
        wanted = [_seen(value, node.type) for value, node in zip(outputs, schedule.outputs, strict=True)]
        scalars = list(scalars)
        if wanted:
            driver = drivers.driver_of(schedule.outputs[0].type.device)
            driver.launch(lambda: self._inner.run(given, wanted, scalars), Launch("program", (1, 1, 1), 1), ())

    def failed_step(self, error: BaseException) -> int | None:
        return self._inner.failed_step(error)


def _seen(value: Buffer, type: TensorType | None) -> Buffer:
    """A buffer that numpy's code can use."""
    assert isinstance(value, DeviceBuffer) and isinstance(value.allocator.driver, HostDriver), value
    type = value.type if type is None else type
    dtype = to_numpy(type.dtype)
    size = dtype.itemsize * int(np.prod(type.shape, dtype=np.int64))
    memory = value.allocator.driver.bytes_at(value.address, size)
    array = np.frombuffer((ctypes.c_uint8 * size).from_address(memory.ctypes.data), np.uint8) if size else memory
    return Buffer(array.view(dtype).reshape(type.shape), shared=True)


class HostTarget(Target[NumpySource]):
    """numpy's code, on memory of a `HostDriver`."""

    name = "cuda"
    suffix = ".py"

    def __init__(self) -> None:
        self._numpy = NumpyTarget()

    def overwriting(self, kernel: Kernel) -> MayOverwrite:
        return self._numpy.overwriting(kernel)

    def render(self, program: LoweredProgram) -> NumpySource:
        return self._numpy.render(program)

    def load(self, source: NumpySource, program: LoweredProgram) -> Executable:
        return _HostExecutable(self._numpy.load(source, program), program)


@contextmanager
def host_devices(count: int = 2, capacity: int = 1 << 28) -> Iterator[None]:
    """Let CUDA be ``count`` devices in the host's memory, inside a ``with`` block."""
    from lazygrad.runtime.realize import cache

    before = drivers.install(HostInstallation(count, capacity))
    targets, made = devices._registered.pop("cuda", None), devices._made.pop("cuda", None)
    devices.register_target("cuda", "cuda", HostTarget)
    cache.clear()
    try:
        yield
    finally:
        cache.clear()
        devices.unregister_target("cuda", "cuda")
        if targets is not None:
            devices._registered["cuda"] = targets
        if made is not None:
            devices._made["cuda"] = made
        drivers.install(before)
