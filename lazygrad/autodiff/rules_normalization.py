"""Pullbacks of variance and the normalisations; they repeat the forward's statistics, which CSE then shares."""

from __future__ import annotations

from lazygrad.autodiff.registry import Cotangents, define_pullbacks, in_float32
from lazygrad.ir.build import conj, expand, mean
from lazygrad.ir.composites import normalization as nm
from lazygrad.ir.composites.activation import rsqrt
from lazygrad.ir.composites.moments import average as average_over
from lazygrad.ir.node import Node


def _operand_cotangents(g: Node, normalized: Node, weight: Node | None, bias: Node | None) -> tuple[Node, ...]:
    """Cotangents of the weight and bias that are there, still of the input's shape: the sweep sums them."""
    return (*([] if weight is None else [g * normalized]), *([] if bias is None else [g]))


def _layer_norm(g: Node, y: Node, x: Node, *operands: Node) -> Cotangents:
    axes = y["axes"]
    weight, bias = nm.affine_operands(operands, y["has_weight"], y["has_bias"])
    normalized, factor = nm.standardized(x, axes, y["eps"])
    inner = g if weight is None else g * weight
    into_x = factor * (inner - mean(inner, axes) - normalized * mean(inner * normalized, axes))
    return (into_x, *_operand_cotangents(g, normalized, weight, bias))


def _rms_norm(g: Node, y: Node, x: Node, *operands: Node) -> Cotangents:
    axes = y["axes"]
    weight, _ = nm.affine_operands(operands, y["has_weight"], False)
    normalized, factor = [conj(value) for value in nm.root_mean_square_scaled(x, axes, y["eps"])]
    inner = g if weight is None else g * conj(weight)
    into_x = factor * (inner - normalized * mean(inner * normalized, axes))
    return (into_x, *_operand_cotangents(g, normalized, weight, None))


def _batch_norm(g: Node, y: Node, x: Node, average: Node, variance: Node, *operands: Node) -> Cotangents:
    weight, bias = nm.affine_operands(operands, y["has_weight"], y["has_bias"])
    factor = rsqrt(variance + y["eps"])
    centered = x - average
    into_x = factor * (g if weight is None else g * weight)
    into_variance = into_x * centered * (factor * factor * -0.5)
    return (into_x, -into_x, into_variance, *_operand_cotangents(g, centered * factor, weight, bias))


def _variance(g: Node, y: Node, x: Node) -> Cotangents:
    axes = y["axes"]
    return g * 2 / nm.degrees_of_freedom(x, axes, y["correction"]) * (x - average_over(x, axes))


def _average(g: Node, y: Node, x: Node) -> Cotangents:
    return expand(g * (1.0 / max(nm.degrees_of_freedom(x, y["axes"], 0), 1)), x.shape)


define_pullbacks(
    {
        nm.layer_norm: in_float32(_layer_norm),
        nm.rms_norm: in_float32(_rms_norm),
        nm.batch_norm: in_float32(_batch_norm),
        nm.average: in_float32(_average),
        nm.variance: in_float32(_variance),
    }
)
