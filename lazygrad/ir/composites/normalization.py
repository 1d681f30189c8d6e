"""Variance and the normalisations. Statistics keep their axes. Those that are results are float64, whatever the input
is; those of a layer's rows are of its dtype, and float32 for 16 bits."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.build import cast, mean
from lazygrad.ir.composites.activation import rsqrt
from lazygrad.ir.composites.define import (
    Result,
    check_companions,
    check_float,
    check_shape,
    composite,
    float_like_first,
)
from lazygrad.ir.composites.moments import average as average_over
from lazygrad.ir.composites.moments import centered, moments, moments_in_parts
from lazygrad.ir.dtype import float64
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.shape import numel


def standardized(x: Node, axes: tuple[int, ...], eps: float) -> tuple[Node, Node]:
    """``(x - mean) / sqrt(var + eps)`` and the factor ``1 / sqrt(var + eps)``."""
    high, low, squares = moments_in_parts(x, axes)
    factor = rsqrt(squares * (1.0 / max(numel(tuple(x.shape[axis] for axis in axes)), 1)) + eps)
    return ((x - high) - low) * factor, factor


def scale_of(x: Node, variance: Node, eps: float) -> Node:
    """``1 / sqrt(variance + eps)``, rounded to the dtype of ``x`` at the end."""
    return cast(rsqrt(variance + eps), x.dtype)


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
    return _affine(centered(x, average) * scale_of(x, variance, eps), operands, has_weight, has_bias)


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
    return tuple(1 if axis in attrs[0] else size for axis, size in enumerate(x.shape)), float64


def _infer_batch_norm(
    attrs: tuple[Any, ...], x: TensorType, average: TensorType, variance: TensorType, *operands: TensorType
) -> Result:
    """Statistics are float64, or what was stored of them: of the input's dtype, or float32 beside 16 bits."""
    for statistic in (average, variance):
        if statistic.dtype is float64:
            check_float("batch_norm", x)
            check_shape("batch_norm", x, statistic)
        else:
            check_companions("batch_norm", x, statistic)
    return float_like_first("batch_norm")(attrs, x, *operands)


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
    _infer_batch_norm,
    ("eps", "has_weight", "has_bias"),
    "(x - mean) / sqrt(var + eps) · weight + bias with given statistics",
)
