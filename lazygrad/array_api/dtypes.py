"""Dtypes, and what the namespace can do."""

from __future__ import annotations

import builtins
from typing import Any

from lazygrad.ir.device import CPU, Device, get_default_device
from lazygrad.ir.dtype import (
    Category,
    DType,
    bool_,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    uint8,
)
from lazygrad.ir.dtype import can_cast as _can_cast
from lazygrad.ops.arguments.operands import common_dtype, get_default_dtype
from lazygrad.ops.creation.filled import empty
from lazygrad.tensor import Tensor

__all__ = [
    "astype",
    "isdtype",
    "result_type",
    "can_cast",
    "__array_namespace_info__",
]


def astype(x: Any, dtype: DType, /, *, copy: builtins.bool = True, device: Any = None) -> Tensor:
    """``x`` with another dtype; a copy unless ``copy`` is False and nothing changes."""
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
    dtypes = [item if isinstance(item, DType) else item.dtype for item in arrays_and_dtypes if hasattr(item, "dtype")]
    dtypes += [item for item in arrays_and_dtypes if isinstance(item, DType)]
    numbers = [item for item in arrays_and_dtypes if isinstance(item, (builtins.bool, int, float, complex))]
    result: DType | None = None
    for dtype in dtypes:
        result = dtype if result is None else promote_types(result, dtype)
    if result is None:
        return common_dtype(*numbers)
    return common_dtype(empty(0, dtype=result), *numbers)


def can_cast(from_: Any, to: DType, /) -> builtins.bool:
    """Whether a dtype, or a tensor's, can be cast to another without leaving its kind."""
    return _can_cast(from_ if isinstance(from_, DType) else from_.dtype, to)


class _Info:
    """What this namespace can do; see the standard."""

    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        return get_default_device()

    def devices(self) -> list[Device]:
        return [CPU]

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        floating = get_default_dtype()
        return {
            "real floating": floating,
            "complex floating": floating.to_complex(),
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        known = (bool_, int8, int16, int32, int64, uint8, float32, float64, complex64, complex128)
        return {dtype.name: dtype for dtype in known if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__() -> _Info:
    """Capabilities, devices and dtypes."""
    return _Info()
