"""What stands between generated CUDA source and a device: memory, programs, launches, products of matrices.

cupy's driver runs them on a GPU. A test's driver runs the same source on the CPU. Targets and allocators know no other
way to a device.
"""

from __future__ import annotations

import ctypes
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from lazygrad.ir.dtype import DType

Argument: TypeAlias = "ctypes._SimpleCData[Any] | ctypes.Array[Any]"


class OutOfMemory(MemoryError):
    """The device has less memory free than was asked for."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of a kernel.

    Attributes:
        kernel: its name in the source.
        grid: blocks in each direction.
        block: threads of a block, in one direction.
        shared_bytes: dynamic shared memory of a block.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: int
    shared_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Product:
    """Batched ``out = alpha · a @ b + beta · out`` of row-major matrices; sizes and strides count elements.

    Attributes:
        dtype: of the operands and the result; sums are taken as `lazygrad`'s settings for products say.
        sizes: batch, rows and columns of the result, and the length of the sums.
        a, b: the stride from one matrix of the batch to the next (0: all use one), the stride from row to row, and
            whether the matrix is stored transposed.
        out: the stride from one result to the next, and from row to row.
    """

    dtype: DType
    sizes: tuple[int, int, int, int]
    a: tuple[int, int, bool]
    b: tuple[int, int, bool]
    out: tuple[int, int]
    alpha: float = 1.0
    beta: float = 0.0


@dataclass(frozen=True, slots=True)
class Layout:
    """How an array lies from its first element on; strides count elements."""

    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype.short}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """What a library of the device computes: a Fourier transform, a factorization, a sort.

    Attributes:
        routine: its name, which is that of a primitive.
        operands, results: what is read and what is written; none of the results shares memory with anything else.
        options: the primitive's attributes.
    """

    routine: str
    operands: tuple[Layout, ...]
    results: tuple[Layout, ...]
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Properties:
    """What a device is; names and units are those of PyTorch's ``get_device_properties``."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    warp_size: int = 32
    max_threads_per_multi_processor: int = 2048
    regs_per_multiprocessor: int = 65536
    shared_memory_per_block: int = 49152
    shared_memory_per_block_optin: int = 49152
    L2_cache_size: int = 0
    is_integrated: bool = False


class NotCapturable(RuntimeError):
    """The device cannot record the work that was asked for."""


class Driver(ABC):
    """One device. Work of a stream is done in the order in which it was asked for; that of two streams in any order,
    but for what `wait_on_device` says. `copy_out` waits for the current stream, `synchronize` for all.

    What is not abstract is told for a device that does its work at once and has no streams.

    Attributes:
        name: of the device, for people.
        architecture: what it is compiled for, for example "sm_90".
    """

    name: str
    architecture: str

    @property
    def properties(self) -> Properties:
        """What the device is."""
        version = self.architecture.removeprefix("sm_").rstrip("a")
        return Properties(self.name, int(version[:-1]), int(version[-1]), self.memory_info()[1], 1)

    def memory_info(self) -> tuple[int, int]:
        """How many bytes are free, and how many there are."""
        return 0, 0

    @abstractmethod
    def allocate(self, size: int) -> int:
        """The address of ``size`` new bytes, a multiple of 256.

        Raises:
            OutOfMemory: there are not so many.
        """

    @abstractmethod
    def free(self, address: int) -> None:
        """Give memory back; work that was asked for before may still use it."""

    @abstractmethod
    def copy_in(self, source: np.ndarray, target: int) -> None:
        """Copy a row-major array to the device; the array may change afterwards."""

    def copy_in_later(self, source: np.ndarray, target: int) -> None:
        """Copy a row-major array of pinned memory, which stays as it is until the device is done with it."""
        self.copy_in(source, target)

    def pinned(self, size: int) -> np.ndarray:
        """``size`` bytes of the host's memory that the device can read while the host does something else."""
        return np.empty(size, np.uint8)

    @abstractmethod
    def copy_out(self, source: int, target: np.ndarray) -> None:
        """Copy from the device to a row-major array."""

    @abstractmethod
    def copy(self, source: int, target: int, size: int) -> None:
        """Copy ``size`` bytes on the device."""

    @abstractmethod
    def fill(self, target: int, byte: int, size: int) -> None:
        """Set ``size`` bytes to ``byte``."""

    @abstractmethod
    def load(self, source: str, kernels: Sequence[str]) -> Mapping[str, Any]:
        """Compile a program; its kernels by name, as `launch` takes them.

        Raises:
            RuntimeError: the compiler refuses it; the message holds what it printed.
        """

    @abstractmethod
    def launch(self, kernel: Any, launch: Launch, arguments: Sequence[Argument]) -> None:
        """Run a kernel of `load`; ``arguments`` are its parameters in order, addresses as ``c_void_p``, structures by
        value as arrays."""

    def prepared(self, kernel: Any, launch: Launch, arguments: Sequence[Argument]) -> Callable[[], None]:
        """A launch to be asked for many times, with what the arguments then are."""
        return lambda: self.launch(kernel, launch, arguments)

    @abstractmethod
    def multiply(self, product: Product, a: int, b: int, out: int) -> None:
        """A product of matrices that lie at three addresses."""

    @abstractmethod
    def compute(self, call: LibraryCall, operands: Sequence[int], results: Sequence[int], word: int | None) -> None:
        """A call of a library, on arrays that lie at these addresses. It is never asked for in a `capture`: libraries
        allocate memory while they work.

        Args:
            call: what is computed.
            operands, results: where the first element of each array lies.
            word: where an i32 becomes 1 if an operand is refused; the results are then undefined.

        Raises:
            RuntimeError: the library is not there, or fails.
            LinAlgError: an iteration does not converge, of a call that has no ``word``.
        """

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until all work is done.

        Raises:
            RuntimeError: a kernel failed.
        """

    # Streams: queues of work. Each thread sends its work to one, at first to the device's own, which is 0.

    @property
    def stream(self) -> int:
        """Where this thread's work goes."""
        return 0

    @property
    def has_streams(self) -> bool:
        """Whether work may have gone to other streams than the device's own."""
        return False

    def open_stream(self, priority: int) -> int:
        """A new stream, as CUDA counts them, or one that was closed."""
        return 0

    def close_stream(self, stream: int) -> None:  # noqa: B027, nothing is to be done
        """Give back a stream of `open_stream`; its work goes on."""

    def use_stream(self, stream: int) -> None:  # noqa: B027
        """Send this thread's work to a stream from now on."""

    def mark(self, timed: bool, stream: int | None = None) -> Any:
        """A mark behind the work that was asked for so far in a stream, by default the current one."""
        return time.perf_counter()

    def marks(self) -> list[Any]:
        """A mark in each stream."""
        return [self.mark(False)]

    def wait_on_device(self, mark: Any, stream: int | None = None) -> None:  # noqa: B027
        """Let work that is asked for from now on in a stream, by default the current one, wait for a mark."""

    def is_reached(self, mark: Any) -> bool:
        """Whether the work before a mark is done."""
        return True

    def wait(self, mark: Any) -> None:  # noqa: B027
        """Wait until the work before a mark is done."""

    def milliseconds(self, first: Any, last: Any) -> float:
        """The time between two marks that are ``timed`` and reached."""
        return 1000 * float(last - first)

    def capture(self, ask: Callable[[], None]) -> Any:
        """Record the work that ``ask`` asks for, which is not done now; `replay` does it, on the same memory.

        Raises:
            NotCapturable: the device cannot record all of it; none is done.
        """
        raise NotCapturable(f"{self.name} records no work")

    def replay(self, graph: Any) -> None:
        """Do the work of `capture`."""
        raise NotCapturable(f"{self.name} records no work")
