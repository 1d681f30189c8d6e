"""What quantization does to numbers, with gradients: for training networks that will be quantized."""

from __future__ import annotations

from lazygrad.ir.composites.requirement import in_range
from lazygrad.ir.dtype import Category, float16, float32, int32
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.creation.from_data import as_tensor
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record


def fake_quantize_per_tensor_affine(
    input: Tensor, scale: float | Tensor, zero_point: int | Tensor, quant_min: int, quant_max: int
) -> Tensor:
    """The nearest numbers on a grid: (q − zero_point) · scale, where q = round(input / scale) + zero_point, limited.

    The gradient passes where q needed no limit, and is zero elsewhere.

    Args:
        input: floating.
        scale: the distance of two neighbours.
        zero_point: the integer that stands for 0.
        quant_min: the least integer.
        quant_max: the greatest integer.

    Raises:
        NotImplementedError: integers or bools.
        RuntimeError: ``quant_min`` above ``quant_max``, or a zero point that does not lie between.
    """
    _check_bounds(input, quant_min, quant_max)
    if not isinstance(zero_point, Tensor) and not quant_min <= zero_point <= quant_max:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
    scales, zero_points = (as_tensor(value, dtype=float32, device=input.device) for value in (scale, zero_point))
    return _on_grid(input, scales.detach(), zero_points.detach(), quant_min, quant_max)


def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """`fake_quantize_per_tensor_affine` with a scale and a zero point for each position of an axis.

    Args:
        input: floating.
        scale: float32, shape (channels,).
        zero_point: int32, float32 or float16, shape (channels,).
        axis: which axis the channels are, not counted from behind.
        quant_min: the least integer.
        quant_max: the greatest integer.

    Raises:
        NotImplementedError: integers or bools.
        IndexError: ``axis`` is not there.
        RuntimeError: ``quant_min`` above ``quant_max``, other shapes or dtypes of the grid; when it is computed, a zero
            point that does not lie between.
    """
    if zero_point.dtype not in (int32, float32, float16):
        raise RuntimeError(f"Zero-point must be Int32, Float or Half, found {zero_point.dtype.scalar_type}")
    if scale.ndim != 1 or zero_point.ndim != 1 or scale.numel() != zero_point.numel():
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    channels = input.size(axis)
    if axis < 0:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    if scale.numel() != channels:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    _check_bounds(input, quant_min, quant_max)
    if zero_point.dtype is int32:
        message = "`zero_point` must be between `quant_min` and `quant_max`."
        zero_point = record(in_range, (zero_point.node(),), (quant_min, quant_max, "RuntimeError", message))
    shape = [-1 if dim == axis else 1 for dim in range(input.ndim)]
    scales, zero_points = (part.detach().to(float32).reshape(shape) for part in (scale, zero_point))
    return _on_grid(input, scales, zero_points, quant_min, quant_max, zero_point.dtype is not int32)


def _check_bounds(input: Tensor, quant_min: int, quant_max: int) -> None:
    if tensor_argument(input, "fake_quantize").dtype.category is not Category.FLOAT:
        raise NotImplementedError(f'"fake_quantize_tensor_cachemask_kernel_type_handling" not implemented for '
                                  f"'{input.dtype.scalar_type}'")  # fmt: skip
    if quant_min > quant_max:
        raise RuntimeError("`quant_min` should be less than or equal to `quant_max`.")


def _on_grid(
    input: Tensor, scale: Tensor, zero_point: Tensor, low: int, high: int, rounds_last: bool = False
) -> Tensor:
    steps = input.detach() * scale.reciprocal()
    # Ties go to even integers; PyTorch adds a zero point that is no integer first.
    integers = (steps + zero_point).round() if rounds_last else steps.round() + zero_point
    nearest = ((integers.clamp(low, high) - zero_point).to(float32) * scale).to(input.dtype)
    passes = (integers >= low) & (integers <= high)
    return record(straight_through, (nearest.node(), where(passes, input, 0).node()))
