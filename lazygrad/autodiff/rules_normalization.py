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
    into_x = gr.batch_norm_gradient(g, variance, *scale, eps=eps)
    parts: list[Cotangent] = [
        into_x,
        lambda: cast(-gr.summed_to(into_x, shape=average.shape), average.dtype),
        partial(gr.batch_norm_variance_gradient, g, x, average, variance, *scale, eps=eps),
    ]
    if weight is not None:
        parts.append(partial(gr.batch_norm_weight_gradient, g, x, average, variance, eps=eps))
    return (*parts, *([] if bias is None else [widen(g)]))


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
