"""Dtypes, and what the namespace can do."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any

from lazygrad.ir.dtype import Category, DType, Scalar, promote_types, result_dtype, scalar_dtype
from lazygrad.ops import public
from lazygrad.ops.arguments.operands import common_dtype, get_default_dtype
from lazygrad.tensor import Tensor

__all__ = [
    "astype",
    "isdtype",
    "result_type",
    "can_cast",
    "finfo",
    "iinfo",
]


def astype(x: Any, dtype: DType, /, *, copy: builtins.bool = True, device: Any = None) -> Tensor:
    """``x`` with another dtype; a copy unless ``copy`` is False and nothing changes.

    Raises:
        TypeError: complex numbers would become real ones; `real` or `abs` says which.
    """
    if x.dtype.is_complex and not dtype.is_complex:
        raise TypeError(f"astype: {x.dtype.name} does not become {dtype.name}; take real(x), imag(x) or abs(x) first")
    converted: Tensor = x.to(dtype=dtype, device=device, copy=copy)
    return converted


_KINDS: dict[str, Any] = {
    "bool": lambda dtype: dtype.category is Category.BOOL,
    "signed integer": lambda dtype: dtype.category is Category.INTEGER and dtype.is_signed,
    "unsigned integer": lambda dtype: dtype.category is Category.INTEGER and not dtype.is_signed,
    "integral": lambda dtype: dtype.category is Category.INTEGER,
    "real floating": lambda dtype: dtype.is_floating_point,
    "complex floating": lambda dtype: dtype.is_complex,
    "numeric": lambda dtype: dtype.category is not Category.BOOL,
}


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> builtins.bool:
    """Whether a dtype is of a kind such as ``"real floating"``, or is a dtype, or one of several.

    Raises:
        ValueError: an unknown kind.
    """
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, DType):
        return dtype is kind
    if kind not in _KINDS:
        raise ValueError(f"unknown kind of dtype {kind!r}: expected one of {', '.join(_KINDS)}")
    found: builtins.bool = _KINDS[kind](dtype)
    return found


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that arithmetic between tensors, dtypes and numbers gives."""
    result: DType | None = None
    numbers: list[Scalar] = []
    for item in arrays_and_dtypes:
        if isinstance(item, (builtins.bool, int, float, complex)):
            numbers.append(item)
        else:
            dtype = item if isinstance(item, DType) else item.dtype
            result = dtype if result is None else promote_types(result, dtype)
    if result is None:
        return common_dtype(*numbers)
    return result_dtype((result,), (), tuple(scalar_dtype(one, get_default_dtype()) for one in numbers))


def can_cast(from_: Any, to: DType, /) -> builtins.bool:
    """Whether promotion of a dtype, or of an array's, with ``to`` gives ``to``.

    Booleans and integers stay what they are: the standard leaves promotion between those kinds open.
    """
    source = from_ if isinstance(from_, DType) else from_.dtype
    same_kind = source.category == to.category or source.category >= Category.FLOAT
    return same_kind and promote_types(source, to) is to


@dataclass(frozen=True)
class FloatingLimits:
    """What `finfo` returns; its dtype is a dtype, while PyTorch's is a name."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerLimits:
    """What `iinfo` returns; its dtype is a dtype, while PyTorch's is a name."""

    bits: int
    max: int
    min: int
    dtype: DType


def finfo(type: DType | Tensor, /) -> FloatingLimits:
    """The limits of a floating dtype, or of an array's; of a complex dtype those of its parts.

    Raises:
        TypeError: not a floating dtype.
    """
    dtype: Any = type.dtype if isinstance(type, Tensor) else type
    found = public.finfo(dtype)
    part = dtype.to_real() if dtype.is_complex else dtype
    return FloatingLimits(found.bits, found.eps, found.max, found.min, found.smallest_normal, part)


def iinfo(type: DType | Tensor, /) -> IntegerLimits:
    """The limits of an integer dtype, or of an array's.

    Raises:
        TypeError: not an integer dtype.
    """
    dtype = type.dtype if isinstance(type, Tensor) else type
    found = public.iinfo(dtype)
    return IntegerLimits(found.bits, found.max, found.min, dtype)
