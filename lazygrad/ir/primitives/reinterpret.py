"""The bytes of elements under another dtype."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, dtype_named
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape, ShapeError


def _infer(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    target = dtype_named(attrs[0])
    have, want = x.dtype.itemsize, target.itemsize
    if want == have:
        return x.shape, target
    if want < have:
        return (*x.shape, have // want), target
    if not x.shape or x.shape[-1] * have != want:
        raise ShapeError(f"reinterpret: the last dimension of {x} does not make up one {target.name}")
    return x.shape[:-1], target


reinterpret = CallableOp(
    "reinterpret",
    Kind.LIBRARY,
    _infer,
    ("dtype",),
    doc="the same bytes as another dtype; smaller elements lie along a new last axis, which larger ones consume",
)
