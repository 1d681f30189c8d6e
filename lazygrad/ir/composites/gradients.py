"""Gradients of composites as composites of their own: one node each, which is spelled out where it is planned.

Each takes the cotangent ``g`` of the operation's output first, and then the values that the formula reads. 16-bit
floats give float32; the reverse sweep casts.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from lazygrad.ir.build import cast, conj, flat_rows, mean, reduce_sum, reshape, sum_to, swap_last
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.composites import activation as act
from lazygrad.ir.composites import loss
from lazygrad.ir.composites import normalization as nm
from lazygrad.ir.composites.define import Formula, Result, composite
from lazygrad.ir.composites.moments import centered
from lazygrad.ir.composites.softmax import softmax
from lazygrad.ir.dtype import DType, float32
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.op import Infer
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.leaf import detach


def _widened(dtype: DType) -> DType:
    return float32 if dtype.is_half else dtype


def _like(position: int) -> Infer:
    """The type rule "shaped like this input"."""

    def infer(attrs: tuple[Any, ...], *inputs: TensorType) -> Result:
        return inputs[position].shape, _widened(inputs[position].dtype)

    return infer


def _same(attrs: tuple[Any, ...], g: TensorType, x: TensorType) -> Result:
    return g.shape, g.dtype


_like_g = _like(0)


def _of_last_attribute(attrs: tuple[Any, ...], g: TensorType, *others: TensorType) -> Result:
    return attrs[-1], _widened(g.dtype)


def _gradient(of: str, formula: Formula, doc: str, attrs: tuple[str, ...] = (), infer: Infer = _like_g) -> Composite:
    return composite(f"{of}_gradient", formula, infer, attrs, doc, widened=infer is not _same)


# Pointwise.


def _relu(g: Node, y: Node) -> Node:
    return ew.where(ew.le(y, y.like(0)), g.like(0), g)


def _leaky_relu(g: Node, x: Node, slope: float) -> Node:
    return ew.where(ew.gt(x, x.like(0)), g, g * slope)


def _silu(g: Node, x: Node) -> Node:
    gate = act.sigmoid(x)
    return g * conj(gate * (x * (1 - gate) + 1))


def _gelu(g: Node, x: Node, approximate: str) -> Node:
    if approximate == "tanh":
        slope = ew.tanh(act.gelu_inner(x))
        inner_slope = (x * x * (3 * act.GELU_CUBIC) + 1) * act.GELU_SCALE
        return g * ((slope + 1) * 0.5 + x * 0.5 * (1 - slope * slope) * inner_slope)
    cumulative = (ew.erf(x * sqrt(0.5)) + 1) * 0.5
    return g * (cumulative + x * ew.exp(x * x * -0.5) * (1 / sqrt(2 * pi)))


relu_gradient = _gradient("relu", _relu, "g where y > 0, else 0", infer=_same)
leaky_relu_gradient = _gradient("leaky_relu", _leaky_relu, "g where x > 0, else slope · g", ("slope",), _same)
sigmoid_gradient = _gradient("sigmoid", lambda g, y: g * conj((1 - y) * y), "g · y · (1 - y)")
tanh_gradient = _gradient("tanh", lambda g, y: g * conj(1 - y * y), "g · (1 - y²)")
silu_gradient = _gradient("silu", _silu, "g · s · (1 + x · (1 - s)), s the sigmoid of x")
gelu_gradient = _gradient("gelu", _gelu, "g · (Φ(x) + x · φ(x)), or that of the approximation", ("approximate",))


# Rows.


def _softmax(g: Node, y: Node, axis: int) -> Node:
    weighted = g * y
    return weighted - y * reduce_sum(weighted, (axis,))


def _log_softmax(g: Node, y: Node, axis: int) -> Node:
    return g - ew.exp(y) * reduce_sum(g, (axis,))


def _layer_norm(g: Node, x: Node, *weight: Node, axes: tuple[int, ...], eps: float) -> Node:
    normalized, factor = nm.standardized(x, axes, eps)
    inner = g * weight[0] if weight else g
    return factor * (inner - mean(inner, axes) - normalized * mean(inner * normalized, axes))


def _layer_norm_weight(g: Node, x: Node, axes: tuple[int, ...], eps: float, shape: tuple[int, ...]) -> Node:
    return sum_to(g * nm.standardized(x, axes, eps)[0], shape)


def _cross_entropy(
    g: Node, logits: Node, target: Node, *, axis: int, ignore_index: int, label_smoothing: float
) -> Node:
    """With ``loss = -Σ q·log_softmax(x)`` where the coefficients q sum to 1: ``softmax(x) - q``."""
    wanted = loss.aligned_target(logits, target, axis)
    is_target = loss.is_target_class(logits, wanted, axis)
    g = ew.where(ew.ne(wanted, wanted.like(ignore_index)), g, g.like(0))
    share = loss.class_coefficients(logits, is_target, None, axis, label_smoothing)
    return g * (softmax(logits, axis=axis) - share)


def _variance(g: Node, x: Node, axes: tuple[int, ...], correction: float) -> Node:
    slope = g * 2 / nm.degrees_of_freedom(x, axes, correction)
    return _scaled(centered(x, nm.average(x, axes=axes)), slope)


def _scaled(x: Node, factor: Node) -> Node:
    """``x * factor``, of a float64 factor that may lie beyond the dtype of ``x`` where the product does not.

    It is multiplied in two factors, a root and what is left. Which root changes nothing: no gradient flows through it.
    """
    if factor.dtype is x.dtype:
        return x * factor
    root = ew.minimum(ew.maximum(ew.sqrt(ew.abs_(factor)), factor.like(1e-38)), factor.like(1e38))
    root = cast(detach(root), x.dtype)
    return x * root * cast(factor / cast(root, factor.dtype), x.dtype)


softmax_gradient = _gradient("softmax", _softmax, "g·y - y · Σ g·y along an axis", ("axis",))
log_softmax_gradient = _gradient("log_softmax", _log_softmax, "g - exp(y) · Σ g along an axis", ("axis",))
layer_norm_gradient = _gradient("layer_norm", _layer_norm, "that of the input: g, x, and the weight", ("axes", "eps"))
layer_norm_weight_gradient = _gradient(
    "layer_norm_weight",
    _layer_norm_weight,
    "Σ g · (x - mean) / sqrt(var + eps), of the weight's shape",
    ("axes", "eps", "shape"),
    _of_last_attribute,
)
cross_entropy_gradient = _gradient(
    "cross_entropy",
    _cross_entropy,
    "g · (softmax(logits) - q), q what the target says; 0 where ignored",
    ("axis", "ignore_index", "label_smoothing"),
    _like(1),
)
variance_gradient = _gradient(
    "variance", _variance, "g · 2 · (x - mean) / (count - correction)", ("axes", "correction"), _like(1)
)


def _batch_norm(g: Node, variance: Node, *weight: Node, eps: float) -> Node:
    return nm.scale_of(g, variance, eps) * (g * weight[0] if weight else g)


def _batch_norm_variance(moved: Node, variance: Node, *weight: Node, eps: float) -> Node:
    factor = act.rsqrt(variance + eps)
    return cast(moved * weight[0] if weight else moved, variance.dtype) * (factor * factor * -0.5)


def _batch_norm_weight(g: Node, x: Node, average: Node, variance: Node, eps: float) -> Node:
    return g * (centered(x, average) * nm.scale_of(x, variance, eps))


batch_norm_gradient = _gradient(
    "batch_norm", _batch_norm, "that of the input: g, the variance, and the weight", ("eps",)
)
batch_norm_variance_gradient = _gradient(
    "batch_norm_variance",
    _batch_norm_variance,
    "Σ g · (x - mean) / sqrt(var + eps), times the weight, over -2 (var + eps)",
    ("eps",),
    _like(1),
)
batch_norm_weight_gradient = _gradient(
    "batch_norm_weight", _batch_norm_weight, "g · (x - mean) / sqrt(var + eps)", ("eps",)
)


# Broadcasting.


def _infer_sum_to(attrs: tuple[Any, ...], x: TensorType) -> Result:
    return attrs[0], x.dtype


summed_to = composite(
    "summed_to",
    lambda x, shape: sum_to(x, shape),
    _infer_sum_to,
    ("shape",),
    "the gradient of a broadcast: x summed down to a shape",
    widened=False,
)


# Products.


def _linear_input(g: Node, weight: Node) -> Node:
    return reshape(matmul(flat_rows(g), conj(weight)), (*g.shape[:-1], weight.shape[1]))


def _infer_linear_input(attrs: tuple[Any, ...], g: TensorType, weight: TensorType) -> Result:
    return (*g.shape[:-1], weight.shape[1]), g.dtype


def _linear_weight(g: Node, x: Node) -> Node:
    return matmul(swap_last(flat_rows(g)), flat_rows(conj(x)))


def _infer_linear_weight(attrs: tuple[Any, ...], g: TensorType, x: TensorType) -> Result:
    return (g.shape[-1], x.shape[-1]), g.dtype


linear_input_gradient = composite(
    "linear_input_gradient", _linear_input, _infer_linear_input, doc="g · weight over the last axis", widened=False
)
linear_weight_gradient = composite(
    "linear_weight_gradient", _linear_weight, _infer_linear_weight, doc="gᵀ · x, rows joined", widened=False
)
