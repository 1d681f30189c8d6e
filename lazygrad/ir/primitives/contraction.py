"""Matrix products, convolutions and pooling: calls into BLAS-shaped library code."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import Category, DType, int64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind
from lazygrad.ir.shape import Shape, ShapeError, broadcast_shapes
from lazygrad.ir.view import window_counts

Result = tuple[Shape, DType]
_CONV_ATTRS = ("stride", "padding", "dilation", "groups")


def _matmul(attrs: tuple[Any, ...], a: TensorType, b: TensorType) -> Result:
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"matmul: expected m1 and m2 to have the same dtype, but got: {a.dtype.c_type} != {b.dtype.c_type}, from "
            f"operands {a} and {b}"
        )
    if a.dtype.category is Category.BOOL:
        raise NotImplementedError("matmul not implemented for 'Bool'; cast with .float() or .int()")
    if a.shape[-1] != b.shape[-2]:
        raise ShapeError(
            f"matmul: mat1 and mat2 shapes cannot be multiplied ({a.shape[-2]}x{a.shape[-1]} and "
            f"{b.shape[-2]}x{b.shape[-1]}), from operands {a} and {b}"
        )
    return (*broadcast_shapes("matmul", a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]), a.dtype


def conv_output_extent(extent: Shape, kernel: Shape, attrs: tuple[Any, ...]) -> Shape:
    stride, padding, dilation = attrs[:3]
    padded = tuple(n + low + high for n, (low, high) in zip(extent, padding, strict=True))
    return window_counts(padded, kernel, stride, dilation)


def _conv(attrs: tuple[Any, ...], x: TensorType, weight: TensorType) -> Result:
    groups = attrs[3]
    if x.dtype is not weight.dtype:
        raise RuntimeError(
            f"conv: Input type ({x.dtype.c_type}) and weight type ({weight.dtype.c_type}) should be the same: {x} and "
            f"{weight}"
        )
    if len(x.shape) != len(weight.shape):
        raise ShapeError(f"conv: input {x} and weight {weight} must have the same number of dimensions")
    if x.shape[1] != weight.shape[1] * groups:
        raise ShapeError(
            f"conv: Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(x.shape)} to have "
            f"{weight.shape[1] * groups} channels, but got {x.shape[1]} channels instead"
        )
    if weight.shape[0] % groups:
        raise ShapeError(f"conv: {weight.shape[0]} output channels are not divisible by groups={groups}")
    extent = conv_output_extent(x.shape[2:], weight.shape[2:], attrs)
    if any(size < 1 for size in extent):
        raise ShapeError(f"conv: {_too_large(x, weight, attrs)}")
    return (x.shape[0], weight.shape[0], *extent), x.dtype


def _too_large(x: TensorType, weight: TensorType, attrs: tuple[Any, ...]) -> str:
    """That a window is larger than what it moves over, in PyTorch's words."""
    padded = [n + low + high for n, (low, high) in zip(x.shape[2:], attrs[1], strict=True)]
    spread = [dilation * (n - 1) + 1 for n, dilation in zip(weight.shape[2:], attrs[2], strict=True)]
    return (
        f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). "
        f"Kernel size: ({' x '.join(map(str, spread))}). Kernel size can't be greater than actual input size"
    )


def _conv_input_grad(attrs: tuple[Any, ...], g: TensorType, weight: TensorType) -> Result:
    shape = attrs[4]
    return shape, g.dtype


def _conv_weight_grad(attrs: tuple[Any, ...], g: TensorType, x: TensorType) -> Result:
    return attrs[4], g.dtype


matmul = CallableOp("matmul", Kind.LIBRARY, _matmul, doc="batched matrix product over the last two axes")
conv = CallableOp(
    "conv",
    Kind.LIBRARY,
    _conv,
    _CONV_ATTRS,
    doc="cross-correlation, N×C×spatial; padding as (low, high) per spatial axis",
)
conv_input_grad = CallableOp(
    "conv_input_grad",
    Kind.LIBRARY,
    _conv_input_grad,
    (*_CONV_ATTRS, "shape"),
    doc="adjoint of conv in its input: (g, weight) to `shape`",
)
conv_weight_grad = CallableOp(
    "conv_weight_grad",
    Kind.LIBRARY,
    _conv_weight_grad,
    (*_CONV_ATTRS, "shape"),
    doc="adjoint of conv in its weight: (g, input) to `shape`",
)


def _pool_argmax(attrs: tuple[Any, ...], x: TensorType) -> Result:
    size, stride, padding, dilation = attrs
    lead = len(x.shape) - len(size)
    extent = conv_output_extent(x.shape[lead:], size, (stride, padding, dilation))
    if any(count < 1 for count in extent):
        raise ShapeError(f"max_pool: output size {extent} of {x} is too small for window {size}")
    return x.shape[:lead] + extent, int64


pool_argmax = CallableOp(
    "pool_argmax",
    Kind.LIBRARY,
    _pool_argmax,
    ("size", "stride", "padding", "dilation"),
    doc="flat position of each window's first maximum inside its plane; NaN wins",
)
