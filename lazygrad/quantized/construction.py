"""Quantized tensors from ordinary ones."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from lazygrad.ir.dtype import DType, float32, float64, int64
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.quantized.dtypes import QuantizedDType
from lazygrad.quantized.tensor import Grid, QuantizedTensor
from lazygrad.tensor import Tensor


def quantize_per_tensor(
    input: Tensor, scale: float | Tensor, zero_point: int | Tensor, dtype: DType
) -> QuantizedTensor:
    """The nearest integers on a grid: round(input / scale) + zero_point, limited to what the dtype holds.

    Args:
        input: float32.
        scale: the distance of two neighbours.
        zero_point: the integer that stands for 0.
        dtype: `qint8`, `quint8` or `qint32`.

    Raises:
        RuntimeError: another dtype, or a zero point that the dtype does not hold.
    """
    stored = _stored("quantize_tensor_per_tensor_affine", input, dtype)
    grid = Grid(_number(scale, float), _number(zero_point, int))
    if grid.zero_point > stored.highest:
        raise RuntimeError(f"quantize_tensor_per_tensor_affine zero_point {grid.zero_point} is above upper bound.")
    if grid.zero_point < stored.lowest:
        raise RuntimeError(f"quantize_tensor_per_tensor_affine zero_point {grid.zero_point} is below lower bound.")
    return _quantized(input, grid, dtype)


def quantize_per_channel(
    input: Tensor, scales: Tensor, zero_points: Tensor, axis: int, dtype: DType
) -> QuantizedTensor:
    """`quantize_per_tensor` with a scale and a zero point for each position of an axis.

    Args:
        input: float32.
        scales: shape (channels,), kept as float64.
        zero_points: shape (channels,), kept as int64.
        axis: which axis the channels are.
        dtype: `qint8`, `quint8` or `qint32`.

    Raises:
        RuntimeError: another dtype, an axis that is not there, or numbers of scales and zero points that do not fit.
    """
    _stored("quantize_tensor_per_channel_affine", input, dtype)
    if not 0 <= axis < input.ndim:
        raise RuntimeError(f"Channel axis out of range in per channel affine quantization. Got: {axis}Expected: [0, "
                           f"{input.ndim})")  # fmt: skip
    if scales.numel() != zero_points.numel():
        raise RuntimeError("number of elements in scales and zero_points must match")
    if scales.numel() != input.shape[axis]:
        raise RuntimeError("length of scales must equal to channel, "
                           f"expected {input.shape[axis]} got, {scales.numel()}")  # fmt: skip
    return _quantized(input, Grid(scales.to(float64), zero_points.to(int64), axis), dtype)


def quantize_per_tensor_dynamic(input: Tensor, dtype: DType, reduce_range: bool) -> QuantizedTensor:
    """`quantize_per_tensor` with the grid that spans from the least element, or 0, to the greatest.

    Args:
        input: float32; it is computed, since the grid must be known.
        dtype: `qint8` or `quint8`.
        reduce_range: whether to leave one bit of the dtype unused.

    Raises:
        RuntimeError: another dtype.
    """
    stored = _stored("quantize_per_tensor_dynamic", input, dtype)
    if stored.itemsize != 1:
        raise RuntimeError(f"dtype {dtype} not supported")
    unused = 1 if reduce_range else 0
    high = (1 << 8 - stored.signed - unused) - 1
    low = -high - 1 if stored.signed else 0
    least, greatest = min(float(input.min()), 0.0), max(float(input.max()), 0.0)
    scale = (greatest - least) / (high - low)
    if scale == 0.0:
        scale = 0.1
    zero_point = round(min(max(low - least / scale, low), high))
    return quantize_per_tensor(input, scale, zero_point, dtype)


def _stored(name: str, input: Tensor, dtype: DType) -> DType:
    """The integers' dtype of a quantized one."""
    if tensor_argument(input, name).dtype is not float32:
        raise RuntimeError(f"Quantize only works on Float Tensor, got {input.dtype.scalar_type}")
    if not isinstance(dtype, QuantizedDType):
        raise RuntimeError(f"ScalarType {dtype.scalar_type} is not supported in new_qtensor.")
    return dtype.stored


def _number(value: Any, kind: type) -> Any:
    return kind(value.item() if isinstance(value, Tensor) else value)


def _quantized(input: Tensor, grid: Grid, dtype: DType) -> QuantizedTensor:
    assert isinstance(dtype, QuantizedDType)
    scale, zero_point = grid.aligned(input.ndim)
    stored = dtype.stored
    # In float32 as PyTorch's kernels, which multiply with the rounded inverse.
    inverse = scale.reciprocal() if isinstance(scale, Tensor) else _inverse(scale)
    steps = input.detach() * inverse
    # Ties go to even integers; PyTorch's kernel for one grid adds the zero point first.
    rounded = (steps + zero_point).round() if grid.axis is None and stored.itemsize == 1 else steps.round() + zero_point
    limited = rounded.double().clamp(stored.lowest, stored.highest)
    return QuantizedTensor(limited.to(stored), grid, dtype)


def _inverse(scale: float) -> float:
    """1 / scale in float32."""
    return float(np.float32(1) / np.float32(scale)) if scale else inf
