"""Pullbacks of variance and the normalisations; they repeat the forward's statistics, which CSE then shares."""

from __future__ import annotations

from functools import partial

from lazygrad.autodiff.registry import Cotangent, Cotangents, define_pullbacks, in_float32
from lazygrad.ir.build import cast, conj, expand, mean
from lazygrad.ir.composites import gradients as gr
from lazygrad.ir.composites import normalization as nm
from lazygrad.ir.composites.define import widen
from lazygrad.ir.node import Node


def _operand_cotangents(g: Node, normalized: Node, weight: Node | None, bias: Node | None) -> tuple[Node, ...]:
    """Cotangents of the weight and bias that are there, still of the input's shape: the sweep sums them."""
    return (*([] if weight is None else [g * normalized]), *([] if bias is None else [g]))


def _layer_norm(g: Node, y: Node, x: Node, *operands: Node) -> Cotangents:
    axes, eps = y["axes"], y["eps"]
    weight, bias = nm.affine_operands(operands, y["has_weight"], y["has_bias"])
    into_x = partial(gr.layer_norm_gradient, g, x, *([] if weight is None else [weight]), axes=axes, eps=eps)
    parts: list[Cotangent] = [into_x]
    if weight is not None:
        parts.append(partial(gr.layer_norm_weight_gradient, g, x, axes=axes, eps=eps, shape=weight.shape))
    return (*parts, *([] if bias is None else [widen(g)]))


def _rms_norm(g: Node, y: Node, x: Node, *operands: Node) -> Cotangents:
    axes = y["axes"]
    weight, _ = nm.affine_operands(operands, y["has_weight"], False)
    normalized, factor = [conj(value) for value in nm.root_mean_square_scaled(x, axes, y["eps"])]
    inner = g if weight is None else g * conj(weight)
    into_x = factor * (inner - normalized * mean(inner * normalized, axes))
    return (into_x, *_operand_cotangents(g, normalized, weight, None))


def _batch_norm(g: Node, y: Node, x: Node, average: Node, variance: Node, *operands: Node) -> Cotangents:
    eps = y["eps"]
    weight, bias = nm.affine_operands(operands, y["has_weight"], y["has_bias"])
    scale = [] if weight is None else [weight]
    parts: list[Cotangent] = [
        partial(gr.batch_norm_gradient, g, variance, *scale, eps=eps),
        partial(_batch_norm_average, g, average, variance, weight, eps),
        partial(_batch_norm_variance, g, x, average, variance, weight, eps),
    ]
    if weight is not None:
        parts.append(partial(gr.batch_norm_weight_gradient, g, x, average, variance, eps=eps))
    return (*parts, *([] if bias is None else [widen(g)]))


def _batch_norm_average(g: Node, average: Node, variance: Node, weight: Node | None, eps: float) -> Node:
    inner, scale = _weighted(g, variance, weight)
    total = gr.summed_to(inner, shape=average.shape)
    return cast(-gr.batch_norm_gradient(total, variance, *scale, eps=eps), average.dtype)


def _batch_norm_variance(g: Node, x: Node, average: Node, variance: Node, weight: Node | None, eps: float) -> Node:
    inner, scale = _weighted(g, variance, weight)
    moved = gr.batch_norm_weight_gradient(inner, x, average, variance, eps=eps)
    return gr.batch_norm_variance_gradient(gr.summed_to(moved, shape=variance.shape), variance, *scale, eps=eps)


def _weighted(g: Node, variance: Node, weight: Node | None) -> tuple[Node, list[Node]]:
    """The cotangent, and what its sums are multiplied by: a weight per statistic waits for them."""
    if weight is None or weight.shape == variance.shape:
        return widen(g), [] if weight is None else [weight]
    return widen(g) * weight, []


def _average(g: Node, y: Node, x: Node) -> Cotangents:
    return expand(cast(g * (1.0 / max(nm.degrees_of_freedom(x, y["axes"], 0), 1)), x.dtype), x.shape)


define_pullbacks(
    {
        nm.layer_norm: _layer_norm,
        nm.rms_norm: in_float32(_rms_norm),
        nm.batch_norm: _batch_norm,
        nm.average: in_float32(_average),
        nm.variance: lambda g, y, x: gr.variance_gradient(g, x, axes=y["axes"], correction=y["correction"]),
    }
)
