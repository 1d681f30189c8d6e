"""Activation functions made of straight (or nearly straight) pieces.

Formulas: PyTorch's documentation of the function of the same name. At the joints of pieces the derivative is the
one PyTorch takes.
"""

from __future__ import annotations

import numpy as np

from lazygrad.ir.composites import activation as composite
from lazygrad.ir.dtype import bool_
from lazygrad.ir.shape import numel
from lazygrad.levels import levels
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.arguments.operands import scalar_node, tensor_argument
from lazygrad.ops.arguments.options import placed
from lazygrad.ops.arguments.precision import lower_precision
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.registering import inplace_variant, method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.layers.smooth_activations import float_argument, new_or_in_place, rounded_once
from lazygrad.ops.pointwise.arithmetic import abs, add, mul, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.relational import ge, gt, le
from lazygrad.ops.pointwise.selection import sign, where
from lazygrad.ops.random.generator import stream_of
from lazygrad.ops.random.in_graphs import drawn_inside, uniform_like
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["prelu", "rrelu", "threshold", "hardshrink", "rrelu_", "threshold_"]


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x above 0, negative_slope·x below.

    Raises:
        NotImplementedError: integers or bools.
    """
    node = float_argument(input, "leaky_relu").node()
    result = record(composite.leaky_relu, (node,), (float(negative_slope),))
    return new_or_in_place(input, result, inplace, "leaky_relu_")


@method()
@traced
@lower_precision
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x above 0, weight·x below. Source: He et al., 2015.

    Args:
        input: (N, C, …) or, with a single weight, any shape.
        weight: one number, or one per channel, in the input's dtype.

    Raises:
        RuntimeError: the number of weights is neither 1 nor that of the channels, or the dtypes differ.
    """
    slopes = tensor_argument(weight, "prelu", "weight").node()
    if slopes.dtype is not float_argument(input, "prelu").dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype} and {slopes.dtype}; cast one")
    count, shape = numel(slopes.shape), input.shape
    if count != 1 and not shape:
        raise RuntimeError("prelu: Not allow zero-dim input tensor with several weights")
    channels = 1 if len(shape) < 2 else shape[1]
    if slopes.rank > 1 or count not in (1, channels):
        raise RuntimeError(f"prelu: Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                           f"{count} (shape {slopes.shape}) and channel size = {channels}.")  # fmt: skip
    target = (count, *(1,) * (len(shape) - 2)) if count > 1 else ()
    return where(gt(input, 0), input, mul(Tensor.from_node(reshaped(slopes, target)), input))


def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x above 0; below, x times a slope drawn from [lower, upper), or times their mean outside training.

    Source: Xu et al., "Empirical Evaluation of Rectified Activations", 2015.

    Raises:
        RuntimeError: lower is greater than upper.
        NotImplementedError: integers or bools.
    """
    if lower > upper:
        raise RuntimeError(f"rrelu: Lower bound should be less than or equal to the upper bound, but {lower} > {upper}")
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    if drawn_inside(float_argument(input, "rrelu").device) or levels.active:
        slopes = add(mul(uniform_like(input), upper - lower), lower)
        return new_or_in_place(input, where(ge(input, 0), input, mul(input, slopes)), inplace, "rrelu_")
    slopes = placed(_slopes(input.detach().array(), lower, upper), input.device)
    return new_or_in_place(input, mul(input, slopes).to(input.dtype), inplace, "rrelu_")


def _slopes(values: np.ndarray, lower: float, upper: float) -> np.ndarray:
    """1, but for each value that is not positive a slope, drawn in row-major order as PyTorch does."""
    kind = np.dtype(np.float64 if values.dtype == np.float64 else np.float32)
    slopes, sloping = np.ones(values.shape, kind), values <= 0
    low, high = float(kind.type(lower)), float(kind.type(upper))
    slopes[sloping] = stream_of(None).unit(int(np.count_nonzero(sloping))) * (high - low) + low
    return slopes


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """``input`` limited to [min_val, max_val]; unlike `clamp` with derivative 0 at the limits. The dtype stays.

    Raises:
        ValueError: min_val is greater than max_val.
        RuntimeError: a bool tensor.
    """
    if min_val > max_val:
        raise ValueError(f"hardtanh: min_val cannot be greater than max_val, but {min_val} > {max_val}")
    if tensor_argument(input, "hardtanh").dtype is bool_:
        raise RuntimeError("Bool inputs not supported for hardtanh; cast the input first, for example .float()")
    if min_val < 0 and not input.dtype.signed:
        raise RuntimeError(f"hardtanh: {input.dtype.name} cannot hold the limit {min_val}; cast the input first")
    return new_or_in_place(input, _limited(input, min_val, max_val), inplace, "hardtanh_")


@traced
def _limited(input: Tensor, min_val: float, max_val: float) -> Tensor:
    low, high = (scalar_node(value, input.dtype, input.device) for value in (min_val, max_val))
    lowest, highest = Tensor.from_node(low), Tensor.from_node(high)
    return where(le(input, lowest), lowest, where(ge(input, highest), highest, input))


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6), elementwise; the dtype stays.

    Raises:
        RuntimeError: a bool tensor.
    """
    return hardtanh(input, 0.0, 6.0, inplace)


@traced
@rounded_once
def _hardsigmoid(x: Tensor) -> Tensor:
    return where(le(x, -3), 0.0, where(ge(x, 3), 1.0, div(add(x, 3), 6)))


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """(x + 3) / 6 limited to [0, 1], elementwise.

    Raises:
        NotImplementedError: integers or bools.
    """
    return new_or_in_place(input, _hardsigmoid(float_argument(input, "hardsigmoid")), inplace, "hardsigmoid_")


@traced
@rounded_once
def _hardswish(x: Tensor) -> Tensor:
    return mul(x, _hardsigmoid(x))


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · hardsigmoid(x), elementwise. Source: Howard et al., "Searching for MobileNetV3", 2019.

    Raises:
        NotImplementedError: integers or bools.
    """
    return new_or_in_place(input, _hardswish(float_argument(input, "hardswish")), inplace, "hardswish_")


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x above the threshold, ``value`` elsewhere; the dtype stays."""
    node = tensor_argument(input, "threshold").node()
    limit, replacement = (scalar_node(number, node.dtype, node.device) for number in (threshold, value))
    result = where(le(input, Tensor.from_node(limit)), Tensor.from_node(replacement), input)
    return new_or_in_place(input, result, inplace, "threshold_")


@method()
@traced
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where |x| > lambd, 0 elsewhere.

    Raises:
        NotImplementedError: integers or bools.
        RuntimeError: a lambd that the dtype cannot hold.
    """
    limit = scalar_node(lambd, float_argument(input, "hardshrink").dtype, input.device)
    return where(le(abs(input), Tensor.from_node(limit)), 0.0, input)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x moved towards 0 by lambd, 0 within lambd of it.

    Raises:
        RuntimeError: lambd is negative, or larger than the largest number of the dtype.
        NotImplementedError: integers or bools.
    """
    largest = finfo(float_argument(input, "softshrink").dtype).max
    if not 0 <= lambd <= largest:
        raise RuntimeError(f"softshrink: lambda must be in [0, {largest}] for {input.dtype.name}, but found {lambd}")
    return _softshrink(input, lambd)


@traced
@rounded_once
def _softshrink(x: Tensor, lambd: float) -> Tensor:
    return where(le(abs(x), lambd), 0.0, sub(x, mul(sign(x), lambd)))


leaky_relu_ = inplace_variant(leaky_relu, "leaky_relu_")
rrelu_ = inplace_variant(rrelu, "rrelu_")
hardtanh_ = inplace_variant(hardtanh, "hardtanh_")
threshold_ = inplace_variant(threshold, "threshold_")
