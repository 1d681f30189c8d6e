"""The recorded form of a derivative; the differentiate pass spells it out."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape, ShapeError


def _infer(
    attrs: tuple[Any, ...], output: TensorType, cotangent: TensorType, target: TensorType
) -> tuple[Shape, DType]:
    if cotangent.shape != output.shape:
        raise ShapeError(
            f"grad: the gradient has shape {cotangent.shape}, but the output it belongs to has shape {output.shape}"
        )
    return target.shape, target.dtype


grad = CallableOp("grad", Kind.GRADIENT, _infer, doc="cotangentᵀ · ∂output/∂target")
