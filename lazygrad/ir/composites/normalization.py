"""Variance and the normalisations. Statistics keep their axes and are taken in float32 for 16-bit inputs."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.build import mean
from lazygrad.ir.composites.activation import rsqrt
from lazygrad.ir.composites.define import Result, check_float, composite, float_like_first
from lazygrad.ir.composites.moments import average as average_over
from lazygrad.ir.composites.moments import moments
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.shape import numel


def standardized(x: Node, axes: tuple[int, ...], eps: float) -> tuple[Node, Node]:
    """``(x - mean) / sqrt(var + eps)`` and the factor ``1 / sqrt(var + eps)``."""
    average, squares = moments(x, axes)
    factor = rsqrt(squares * (1.0 / max(numel(tuple(x.shape[axis] for axis in axes)), 1)) + eps)
    return (x - average) * factor, factor


def root_mean_square_scaled(x: Node, axes: tuple[int, ...], eps: float) -> tuple[Node, Node]:
    """``x / sqrt(mean(x²) + eps)`` and the factor ``1 / sqrt(mean(x²) + eps)``."""
    factor = rsqrt(mean(x * x, axes) + eps)
    return x * factor, factor


def affine_operands(operands: tuple[Node, ...], has_weight: bool, has_bias: bool) -> tuple[Node | None, Node | None]:
    """The optional weight and bias among trailing inputs."""
    return operands[0] if has_weight else None, operands[-1] if has_bias else None


def _affine(x: Node, operands: tuple[Node, ...], has_weight: bool, has_bias: bool) -> Node:
    weight, bias = affine_operands(operands, has_weight, has_bias)
    scaled = x if weight is None else x * weight
    return scaled if bias is None else scaled + bias


def _layer_norm(x: Node, *operands: Node, axes: tuple[int, ...], eps: float, has_weight: bool, has_bias: bool) -> Node:
    return _affine(standardized(x, axes, eps)[0], operands, has_weight, has_bias)


def _rms_norm(x: Node, *operands: Node, axes: tuple[int, ...], eps: float, has_weight: bool) -> Node:
    return _affine(root_mean_square_scaled(x, axes, eps)[0], operands, has_weight, False)


def _batch_norm(
    x: Node, average: Node, variance: Node, *operands: Node, eps: float, has_weight: bool, has_bias: bool
) -> Node:
    return _affine((x - average) * rsqrt(variance + eps), operands, has_weight, has_bias)


def degrees_of_freedom(x: Node, axes: tuple[int, ...], correction: float) -> float:
    """The divisor of a variance: the count less the correction, never below 0."""
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    return max(count - correction, 0)


def _variance(x: Node, axes: tuple[int, ...], correction: float) -> Node:
    return moments(x, axes)[1] / degrees_of_freedom(x, axes, correction)


def _infer_moment(attrs: tuple[Any, ...], x: TensorType) -> Result:
    check_float("variance", x)
    return tuple(1 if axis in attrs[0] else size for axis, size in enumerate(x.shape)), x.dtype


average = composite(
    "average", average_over, _infer_moment, ("axes",), "mean over axes, which it keeps, as the variance computes it"
)
variance = composite(
    "variance",
    _variance,
    _infer_moment,
    ("axes", "correction"),
    "Σ (x - mean)² / (count - correction) over axes, which it keeps",
)
layer_norm = composite(
    "layer_norm",
    _layer_norm,
    float_like_first("layer_norm"),
    ("axes", "eps", "has_weight", "has_bias"),
    "(x - mean) / sqrt(var + eps) · weight + bias, statistics over axes",
)
rms_norm = composite(
    "rms_norm",
    _rms_norm,
    float_like_first("rms_norm", complex_too=True),
    ("axes", "eps", "has_weight"),
    "x / sqrt(mean(x²) + eps) · weight, the mean over axes",
)
batch_norm = composite(
    "batch_norm",
    _batch_norm,
    float_like_first("batch_norm"),
    ("eps", "has_weight", "has_bias"),
    "(x - mean) / sqrt(var + eps) · weight + bias with given statistics",
)
