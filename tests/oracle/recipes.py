"""Recipes for input tensors: the same numbers for every framework, drawn from fixed seeds."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOATING = ("float16", "bfloat16", "float32", "float64")
INTEGER = ("uint8", "int8", "int16", "int32", "int64")
DTYPES = ("bool", *INTEGER, *FLOATING)
COMPLEX = ("complex64", "complex128")

# numpy has no bfloat16: those values are drawn as float32, and rounded by the framework under test.
_NUMPY_DTYPE = {"bfloat16": "float32"}

Draw = Callable[[np.random.Generator, tuple[int, ...]], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Array:
    """How to make one input tensor.

    Attributes:
        shape: Shape of the tensor.
        dtype: PyTorch's name of the dtype; None means the floating dtype of the case.
        draw: Draws the values from a generator.
        requires_grad: Whether the tensor is a leaf whose gradient is compared.
        label: Short text for test names.
    """

    shape: tuple[int, ...]
    dtype: str | None
    draw: Draw
    requires_grad: bool
    label: str

    def tensor(self, t: Any, position: int, floating: str) -> Any:
        """The tensor in framework `t`; `position` makes equal recipes of one case differ in values."""
        dtype = self.dtype or floating
        seed = zlib.crc32(repr((self.shape, position)).encode())
        values = np.asarray(self.draw(np.random.default_rng(seed), self.shape))
        values = values.astype(_NUMPY_DTYPE.get(dtype, dtype))
        return t.tensor(values, dtype=getattr(t, dtype), requires_grad=self.requires_grad)


def floats(
    *shape: int, low: float | None = None, high: float = 2.0, dtype: str | None = None, requires_grad: bool = True
) -> Array:
    """Standard normal values, or uniform ones in [low, high) where `low` is given."""

    def draw(generator: np.random.Generator, size: tuple[int, ...]) -> NDArray[Any]:
        return generator.standard_normal(size) if low is None else generator.uniform(low, high, size)

    return Array(shape, dtype, draw, requires_grad, f"{dtype or 'float'}{list(shape)}")


def complexes(*shape: int, dtype: str | None = None, requires_grad: bool = True) -> Array:
    """Complex numbers with standard normal parts."""

    def draw(generator: np.random.Generator, size: tuple[int, ...]) -> NDArray[Any]:
        return generator.standard_normal(size) + 1j * generator.standard_normal(size)

    return Array(shape, dtype, draw, requires_grad, f"{dtype or 'complex'}{list(shape)}")


def integers(*shape: int, low: int = 0, high: int = 10, dtype: str = "int64") -> Array:
    """Uniform integers in [low, high)."""

    def draw(generator: np.random.Generator, size: tuple[int, ...]) -> NDArray[Any]:
        return generator.integers(low, high, size)

    return Array(shape, dtype, draw, False, f"{dtype}{list(shape)}")


def distinct(*shape: int, dtype: str = "int64") -> Array:
    """A shuffled range, so that orderings and arg-extrema have one right answer."""

    def draw(generator: np.random.Generator, size: tuple[int, ...]) -> NDArray[Any]:
        return generator.permutation(int(np.prod(size))).reshape(size)

    return Array(shape, dtype, draw, dtype in FLOATING, f"distinct {dtype}{list(shape)}")


def booleans(*shape: int) -> Array:
    """Fair coin flips."""

    def draw(generator: np.random.Generator, size: tuple[int, ...]) -> NDArray[Any]:
        return generator.random(size) < 0.5

    return Array(shape, "bool", draw, False, f"bool{list(shape)}")


def exactly(values: Any, dtype: str | None = None, requires_grad: bool | None = None) -> Array:
    """The given numbers; gradients are compared for floating dtypes unless `requires_grad` says otherwise."""
    array = np.asarray(values)
    wanted = requires_grad if requires_grad is not None else dtype is None or dtype in FLOATING

    def draw(_generator: np.random.Generator, _size: tuple[int, ...]) -> NDArray[Any]:
        return array

    return Array(array.shape, dtype, draw, wanted, f"{dtype or 'float'}={array.tolist()}")
