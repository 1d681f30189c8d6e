"""Activations and small pointwise functions, after the formulas of PyTorch's documentation."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.composites.define import Formula, Result, composite, float_like_first
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import constant, scalar
from lazygrad.ir.shape import broadcast_shapes

GELU_CUBIC = 0.044715
GELU_SCALE = sqrt(2 / pi)


def _activation(
    name: str, formula: Formula, doc: str, attrs: tuple[str, ...] = (), complex_too: bool = False
) -> CallableOp:
    return composite(name, formula, float_like_first(name, complex_too), attrs, doc)


def _ordered(attrs: tuple[Any, ...], x: TensorType) -> Result:
    if x.dtype.is_complex:
        raise NotImplementedError("relu is not supported for complex types")
    return x.shape, x.dtype


def _same(attrs: tuple[Any, ...], x: TensorType) -> Result:
    return x.shape, x.dtype


def gelu_inner(x: Node) -> Node:
    """The argument of tanh in GELU's approximation (Hendrycks and Gimpel, 2016)."""
    return (x + x * x * x * GELU_CUBIC) * GELU_SCALE


def _gelu(x: Node, approximate: str) -> Node:
    if approximate == "tanh":
        return x * 0.5 * (ew.tanh(gelu_inner(x)) + 1)
    return x * 0.5 * (ew.erf(x * sqrt(0.5)) + 1)


def _softplus(x: Node, beta: float, threshold: float) -> Node:
    scaled = x * beta
    return ew.where(ew.gt(scaled, x.like(threshold)), x, ew.log1p(ew.exp(scaled)) / beta)


def _elu(x: Node, alpha: float) -> Node:
    return ew.where(ew.gt(x, x.like(0)), x, ew.expm1(x) * alpha)


def _leaky_relu(x: Node, slope: float) -> Node:
    return ew.where(ew.gt(x, x.like(0)), x, x * slope)


def _logsigmoid(x: Node) -> Node:
    # log(1 / (1 + exp(-x))), arranged so that exp never overflows.
    return ew.minimum(x, x.like(0)) - ew.log1p(ew.exp(-ew.abs_(x)))


def _bounded(attrs: tuple[Any, ...], x: TensorType, bound: TensorType) -> Result:
    if x.dtype.is_complex:
        raise NotImplementedError("clamp is not supported for complex types")
    return broadcast_shapes("clamp", x.shape, bound.shape), x.dtype


def _limited(extreme: CallableOp) -> Formula:
    """Of two zeros the second is taken: at a limit x stays, unless the limit is a tensor, as in PyTorch."""
    return lambda x, bound: extreme(bound, x) if bound.op in (constant, scalar) else extreme(x, bound)


def _lerp(start: Node, end: Node, weight: Node, near_start: bool | None) -> Node:
    difference = end - start
    from_start, from_end = start + difference * weight, end - difference * (1 - weight)
    if near_start is not None:
        return from_start if near_start else from_end
    size = ew.abs_(weight)
    return ew.where(ew.lt(size, size.like(0.5)), from_start, from_end)


def _of_three(attrs: tuple[Any, ...], *operands: TensorType) -> Result:
    return broadcast_shapes("lerp", *[operand.shape for operand in operands]), operands[0].dtype


lerp = composite("lerp", _lerp, _of_three, ("near_start",), "x + w · (y - x), from the nearer end")
clamp_min = composite("clamp_min", _limited(ew.maximum), _bounded, doc="max(x, bound)", widened=False)
clamp_max = composite("clamp_max", _limited(ew.minimum), _bounded, doc="min(x, bound)", widened=False)
relu = composite("relu", lambda x: ew.maximum(x.like(0), x), _ordered, doc="max(x, 0)", widened=False)
square = composite("square", lambda x: x * x, _same, doc="x²")
sigmoid = _activation("sigmoid", lambda x: 1 / (ew.exp(-x) + 1), "1 / (1 + exp(-x))", complex_too=True)
silu = _activation("silu", lambda x: x / (ew.exp(-x) + 1), "x · sigmoid(x)", complex_too=True)
reciprocal = _activation("reciprocal", lambda x: 1 / x, "1 / x", complex_too=True)
rsqrt = _activation("rsqrt", lambda x: 1 / ew.sqrt(x), "1 / sqrt(x)", complex_too=True)
gelu = _activation("gelu", _gelu, "x · Φ(x); approximate: 'none' or 'tanh'", ("approximate",))
softplus = _activation("softplus", _softplus, "log(1 + exp(βx)) / β; x above the threshold", ("beta", "threshold"))
elu = _activation("elu", _elu, "x, or α·(exp(x) - 1) below 0", ("alpha",))
leaky_relu = _activation("leaky_relu", _leaky_relu, "x, or slope·x below 0", ("slope",))
logsigmoid = _activation("logsigmoid", _logsigmoid, "log(sigmoid(x))")
