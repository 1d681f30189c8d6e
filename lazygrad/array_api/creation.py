"""Making arrays."""

from __future__ import annotations

import builtins
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ops import public
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.tensor import Tensor

__all__ = [
    "arange",
    "asarray",
    "linspace",
    "eye",
    "zeros",
    "ones",
    "empty",
    "full",
    "zeros_like",
    "ones_like",
    "empty_like",
    "full_like",
    "tril",
    "triu",
    "from_dlpack",
    "meshgrid",
]


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """start, start + step, … below ``stop``; one number is the end. Nothing where ``step`` leads away from it."""
    first, last = (0, start) if stop is None else (start, stop)
    if (last - first) * step < 0:
        last = float(first) if isinstance(last, float) else first  # nothing, but of the same kind
    return public.arange(first, last, step, dtype=dtype, device=device)


def asarray(
    obj: Any, /, *, dtype: DType | None = None, device: Any = None, copy: builtins.bool | None = None
) -> Tensor:
    """An array of numbers, nested sequences, or another library's memory.

    Args:
        obj: what it is made of.
        dtype: the dtype that results; that of ``obj`` for None.
        device: where it lies.
        copy: whether the elements are copied; only if they have to be for None.

    Raises:
        ValueError: ``copy`` is False, and the elements have to be copied.
    """
    return public.asarray(obj, dtype=dtype, device=device, copy=copy)


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: DType | None = None, device: Any = None, endpoint: Any = True
) -> Tensor:
    """``num`` evenly spaced numbers from ``start`` to ``stop``, which is left out without ``endpoint``."""
    if endpoint:
        return public.linspace(start, stop, num, dtype=dtype, device=device)
    return public.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DType | None = None, device: Any = None
) -> Tensor:
    """Ones on the ``k``-th diagonal."""
    columns = n_rows if n_cols is None else n_cols
    row, column = public.arange(n_rows, device=device).reshape(-1, 1), public.arange(columns, device=device)
    inside = max(-n_rows, min(k, columns))  # a diagonal further away may not be a number of the index's dtype
    return (column - row == inside).to(dtype or get_default_dtype())


def zeros(shape: Any, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Zeros."""
    return public.zeros(shape, dtype=dtype, device=device)


def ones(shape: Any, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Ones."""
    return public.ones(shape, dtype=dtype, device=device)


def empty(shape: Any, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Values that do not matter."""
    return public.empty(shape, dtype=dtype, device=device)


def full(shape: Any, fill_value: Any, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """One number."""
    return public.full((shape,) if isinstance(shape, int) else shape, fill_value, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Zeros of the shape of ``x``."""
    return public.zeros_like(x, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Ones of the shape of ``x``."""
    return public.ones_like(x, dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Values that do not matter, of the shape of ``x``."""
    return public.empty_like(x, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """One number, in the shape of ``x``."""
    return public.full_like(x, fill_value, dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Matrices with zeros above the ``k``-th diagonal."""
    return public.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Matrices with zeros below the ``k``-th diagonal."""
    return public.triu(x, k)


def from_dlpack(x: Any, /, *, device: Any = None, copy: builtins.bool | None = None) -> Tensor:
    """A tensor over another library's memory; a copy of it if asked for."""
    return public.from_dlpack(x, device=device, copy=copy)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Coordinate matrices of coordinate vectors."""
    return tuple(public.meshgrid(*arrays, indexing=indexing))
