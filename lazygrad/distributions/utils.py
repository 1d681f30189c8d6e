"""What distributions share: parameters as tensors, probabilities and logits, properties that are computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce, update_wrapper
from typing import Any, Final, Generic, TypeVar, overload

from lazygrad.grad_mode import enable_grad
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.layers.softmax import softmax
from lazygrad.ops.pointwise.elementary import sigmoid
from lazygrad.ops.shapes.reshaping import broadcast_tensors
from lazygrad.size import Size
from lazygrad.tensor import Tensor

__all__ = [
    "broadcast_all",
    "logits_to_probs",
    "clamp_probs",
    "probs_to_logits",
    "lazy_property",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

NUMBERS = (bool, int, float)
euler_constant: Final[float] = 0.57721566490153286060

Number = float  # of Python: an int or a bool is accepted as well
Owner = TypeVar("Owner")
Value = TypeVar("Value", covariant=True)


def broadcast_all(*values: Tensor | Number) -> tuple[Tensor, ...]:
    """Parameters as tensors of one shape.

    Numbers take the dtype and the device of the first tensor; where there is none, the default dtype.

    Raises:
        ValueError: something that is neither a number nor a tensor.
        RuntimeError: shapes that do not broadcast.
    """
    if not all(isinstance(value, (Tensor, *NUMBERS)) for value in values):
        raise ValueError("Input arguments must all be instances of Number, or lazygrad.Tensor")
    first = next((value for value in values if isinstance(value, Tensor)), None)
    dtype, device = (get_default_dtype(), None) if first is None else (first.dtype, first.device)
    operands = [value if isinstance(value, Tensor) else tensor(value, dtype=dtype, device=device) for value in values]
    return broadcast_tensors(*operands)


def _standard_normal(shape: Sequence[int], dtype: DType, device: Device) -> Tensor:
    return empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last ``dim`` dimensions."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities: sigmoids of log odds if ``is_binary``, otherwise the softmax over the last dimension."""
    return sigmoid(logits) if is_binary else softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities moved into [eps, 1 - eps], so that their logarithms are finite."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logarithms of probabilities, or their log odds if ``is_binary``."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


class lazy_property(Generic[Owner, Value]):
    """A property that is computed when it is first read, with gradients, and then is an attribute of the instance."""

    def __init__(self, wrapped: Callable[[Owner], Value]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    @overload
    def __get__(self, instance: None, owner: Any = None) -> lazy_property[Owner, Value]: ...
    @overload
    def __get__(self, instance: Owner, owner: Any = None) -> Value: ...
    def __get__(self, instance: Owner | None, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        instance.__dict__[self.wrapped.__name__] = value
        return value


class parameter_of(property):
    """A property that is a parameter of a distribution inside.

    Args:
        path: the attributes on the way to that distribution, and the parameter's name.
    """

    def __init__(self, *path: str) -> None:
        *self._inside, self._name = path
        super().__init__(self._read, self._write)

    def owner(self, distribution: Any) -> Any:
        """The distribution inside."""
        return reduce(getattr, self._inside, distribution)

    def _read(self, distribution: Any) -> Any:
        return getattr(self.owner(distribution), self._name)

    def _write(self, distribution: Any, value: Any) -> None:
        setattr(self.owner(distribution), self._name, value)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements on and below a diagonal, row by row.

    Args:
        mat: shape (..., n, n).
        diag: 0 for the main diagonal, negative ones below it.

    Raises:
        ValueError: there is no such diagonal.
    """
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat.flatten(-2)[..., _places_below(n, diag)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """A matrix that is zero above a diagonal; the inverse of `tril_matrix_to_vec`.

    Raises:
        ValueError: no square matrix has so many elements there.
    """
    length = vec.shape[-1]
    root = ((1 + 2 * diag) ** 2 + 8 * length + 4 * abs(diag) * (diag + 1)) ** 0.5
    size = (root - (1 + 2 * diag)) / 2
    if round(size) - size > finfo(vec.dtype).eps:
        raise ValueError(f"The size of last dimension is {length} which cannot be expressed as the lower triangular "
                         f"part of a square D x D matrix.")  # fmt: skip
    n = round(size)
    flat = vec.new_zeros(vec.shape[:-1] + (n * n,))
    flat[..., _places_below(n, diag)] = vec
    return flat.reshape(vec.shape[:-1] + (n, n))


def _places_below(n: int, diag: int) -> list[int]:
    return [row * n + column for row in range(n) for column in range(min(n, max(0, row + diag + 1)))]


def as_size(shape: Sequence[int]) -> Size:
    """A shape as users see it."""
    return shape if isinstance(shape, Size) else Size(shape)
