"""Casts between float32 and the 8-bit floats: no other op computes with these."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, dtype_named, float32
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape


def _infer(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    target = dtype_named(attrs[0])
    if {x.dtype.is_float8, target.is_float8} != {True, False} or float32 not in (x.dtype, target):
        raise RuntimeError(f"cast_float8: from {x.dtype.name} to {target.name} goes by float32")
    return x.shape, target


cast_float8 = CallableOp(
    "cast_float8",
    Kind.LIBRARY,
    _infer,
    ("dtype",),
    doc="float32 numbers as 8-bit floats, rounded to the nearest, ties to even; or the float32 numbers that these are",
)
