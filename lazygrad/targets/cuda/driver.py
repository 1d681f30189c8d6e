"""What stands between generated CUDA source and a device: memory, programs, launches, products of matrices.

cupy's driver runs them on a GPU. A test's driver runs the same source on the CPU. Targets and allocators know no other
way to a device.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazygrad.ir.dtype import DType

Argument = ctypes._SimpleCData[Any]


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


class Driver(ABC):
    """One device. Work is done in the order in which it was asked for; `copy_out` and `synchronize` wait for it.

    Attributes:
        name: of the device, for people.
        architecture: what it is compiled for, for example "sm_90".
    """

    name: str
    architecture: str

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
        """Run a kernel of `load`; ``arguments`` are its parameters in order, addresses as ``c_void_p``."""

    @abstractmethod
    def multiply(self, product: Product, a: int, b: int, out: int) -> None:
        """A product of matrices that lie at three addresses."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until all work is done.

        Raises:
            RuntimeError: a kernel failed.
        """
